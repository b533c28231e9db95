/* What families are written with: views of values, buffers, steps. */
#include "ops/weights.h"
#include "plan/plan_int.h"

#include <string.h>

/* ---- values ---- */

const Shape *pl_shape(const Planner *p, const Value *v)
{
	return v ? p->shapes[v->id] : NULL;
}

bool pl_is_tensor(const Planner *p, const Value *v)
{
	return pl_shape(p, v) != NULL;
}

bool pl_value_in_plan(const Planner *p, const Value *v)
{
	return v && v->def && p->shapes[v->id] && p->mine[v->def->id] && !value_is_output(v);
}

WeightExpr *program_weights(Program *p, const Value *v)
{
	if (map_has(&p->expressions, MAP_PTR(v)))
		return map_get(&p->expressions, MAP_PTR(v));
	WeightExpr *w = NULL;
	if (is_weight_expr(v) && (v->def->made || p->module->compiled)) {
		EvalCtx e;
		eval_init(&e, p->module->ctx, &p->diags);
		e.oracle = true;
		if (p->options.enable)
			p->options.enable(&e, p->module);
		w = weight_expr_new(&e, v, p->arena);
		eval_release(&e);
	}
	map_put(&p->expressions, MAP_PTR(v), w);
	return w;
}

static Tensor *weights_tensor(Program *p, const Value *v, const WeightExpr *w)
{
	int64_t dims[MAX_RANK];
	Tensor *t = type_static_dims(v->type, dims) ? tensor_new(&p->eval, DT_F32, v->type->rank, dims) : NULL;
	if (t)
		weight_expr_all(w, 1, 1.0f, t->data);
	return t;
}

Tensor *program_constant(Program *p, const Value *v)
{
	Tensor *t = map_get(&p->constants, MAP_PTR(v));
	if (t)
		return t;
	const WeightExpr *w = program_weights(p, v);
	t = w ? weights_tensor(p, v, w) : eval_constant_value(&p->eval, v);
	map_put(&p->constants, MAP_PTR(v), t);
	return t;
}

Tensor *pl_constant(Planner *p, const Value *v)
{
	return value_is_constant(v) ? program_constant(p->prog, v) : NULL;
}

const WeightExpr *pl_weights(Planner *p, const Value *v)
{
	return value_is_constant(v) && !map_get(&p->prog->constants, MAP_PTR(v)) ? program_weights(p->prog, v) : NULL;
}

const void *pl_elements(Planner *p, const Value *v)
{
	const Attr *a = value_constant(v);
	int64_t n;
	size_t bytes;
	if (a && a->kind == ATTR_TENSOR && type_static_numel(a->u.tensor.type, &n) && n > 0 && !a->u.tensor.blob->splat &&
			a->u.tensor.type->dtype != DT_STR && dtype_bits(a->u.tensor.type->dtype) >= 8 &&
			dtype_packed_bytes(a->u.tensor.type->dtype, n, &bytes) && a->u.tensor.blob->len >= bytes)
		return a->u.tensor.blob->data;
	Tensor *t = pl_constant(p, v);
	return t && t->kind == TYPE_TENSOR && t->store == t->dtype ? t->data : NULL;
}

enum { MAX_KNOWN = 65536 };

Tensor *pl_known(Planner *p, const Value *v)
{
	if (!v)
		return NULL;
	if (p->known[v->id])
		return p->known[v->id];
	const Shape *s = pl_shape(p, v);
	return value_is_constant(v) && s && s->count <= MAX_KNOWN ? pl_constant(p, v) : NULL;
}

const int64_t *pl_known_ints(Planner *p, const Value *v, int64_t *n)
{
	Tensor *t = pl_known(p, v);
	if (!t || t->kind != TYPE_TENSOR || !(dtype_is_integer(t->dtype) || t->dtype == DT_BOOL))
		return NULL;
	int64_t *out = NEW_ARRAY(p->arena, int64_t, t->count + 1);
	tensor_load_i64(t, 0, t->count, out);
	*n = t->count;
	return out;
}

bool pl_uniform(Planner *p, const Value *v, float *out)
{
	if (!v || !pl_is_tensor(p, v) || pl_shape(p, v)->count == 0)
		return false;
	const Attr *a = value_constant(v);
	if (a && a->u.tensor.type->dtype == DT_F32 && a->u.tensor.blob->splat) {
		memcpy(out, a->u.tensor.blob->data, sizeof(*out));
		return true;
	}
	Tensor *t = pl_known(p, v);
	if (!t || t->kind != TYPE_TENSOR || t->store != DT_F32 || !t->count)
		return false;
	const float *x = t->data;
	for (int64_t i = 1; i < t->count; i++)
		if (memcmp(&x[i], &x[0], sizeof(*x)))
			return false;
	*out = x[0];
	return true;
}

/* ---- buffers ---- */

static int buffer_add(Planner *p, PlanBuffer b)
{
	b.first = b.last = -1;
	VEC_PUSH(p->arena, &p->plan->buffers, b);
	return (int)p->plan->buffers.len - 1;
}

int pl_buffer(Planner *p, int64_t bytes)
{
	return buffer_add(p, (PlanBuffer){ .kind = BUFFER_ARENA, .bytes = bytes });
}

int pl_const_buffer(Planner *p, DType d, const void *data, int64_t bytes)
{
	return buffer_add(p, (PlanBuffer){ .kind = BUFFER_CONST, .dtype = d, .data = data, .bytes = bytes });
}

int pl_fault(Planner *p, const Op *op)
{
	VEC_PUSH(p->arena, &p->plan->faults, op);
	return buffer_add(p, (PlanBuffer){ .kind = BUFFER_FAULT, .index = (int)p->plan->faults.len - 1 });
}

static View *view_keep(Planner *p, View v)
{
	View *kept = NEW(p->arena, View);
	*kept = v;
	return kept;
}

/* More dims than a view has: one line, for the evaluator. */
View shape_view(const Shape *s)
{
	return s->rank > VIEW_RANK ? view_dense(s->dtype, 1, &s->count) : view_dense(s->dtype, s->rank, s->dims);
}

/* A constant of one repeated value is one element with strides of zero. */
static View constant_view(Planner *p, const Value *v, const Shape *s)
{
	const Attr *a = value_constant(v);
	if (a && a->u.tensor.blob->splat && dtype_bits(a->u.tensor.type->dtype) >= 8) {
		View w = shape_view(s);
		memset(w.stride, 0, sizeof(w.stride));
		w.buffer = pl_const_buffer(p, w.dtype, a->u.tensor.blob->data, (int64_t)dtype_size(w.dtype));
		return w;
	}
	Tensor *t = pl_constant(p, v);
	View w = shape_view(s);
	if (!t) { /* said why */
		p->failed = true;
		w.buffer = pl_const_buffer(p, w.dtype, NULL, 0);
		return w;
	}
	w.buffer = pl_const_buffer(p, t->dtype, t->data, t->count * (int64_t)dtype_size(t->dtype));
	return w;
}

View pl_view(Planner *p, const Value *v)
{
	if (p->views[v->id])
		return *p->views[v->id];
	if (p->lazy[v->id])
		return pl_lazy_view(p, v);
	const Shape *s = pl_shape(p, v);
	View w;
	if (p->known[v->id]) {
		Tensor *t = p->known[v->id];
		w = shape_view(s);
		w.buffer = pl_const_buffer(p, t->dtype, t->data, t->count * (int64_t)dtype_size(t->dtype));
	} else if (value_is_constant(v)) {
		w = constant_view(p, v, s);
	} else { /* of an earlier part */
		w = shape_view(s);
		w.buffer = buffer_add(p, (PlanBuffer){ .kind = BUFFER_OUTER, .value = v });
	}
	p->views[v->id] = view_keep(p, w);
	return w;
}

void pl_set(Planner *p, const Value *v, View view)
{
	p->views[v->id] = view_keep(p, view);
	p->plan->buffers.data[view.buffer].nvalues++;
}

View pl_result(Planner *p, const Value *v, const int *order)
{
	if (p->places[v->id].set)
		return p->places[v->id].view;
	const Shape *s = pl_shape(p, v);
	View w = shape_view(s);
	if (order)
		view_order(&w, order);
	w.buffer = pl_buffer(p, s->count * (int64_t)dtype_size(w.dtype));
	return w;
}

/* ---- steps ---- */

/* Rough rates of one thread, and the time in seconds below which a step is not shared out. Under the thread sanitizer all are
 * that can be: else it would see next to no kernel of small models on two threads. */
#define FLOPS 5e10
#define BYTES 2e10
#if defined(__SANITIZE_THREAD__)
#define MEETING (-1.0)
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MEETING (-1.0)
#endif
#endif
#ifndef MEETING
#define MEETING 4e-6
#endif

Step *pl_step(Planner *p, const char *name, const Kernel *k, const void *param, const char *text)
{
	Step s = { .kernel = k, .param = param, .ptr = (uint32_t)p->plan->table.len, .name = name, .tasks = 1 };
	if (k) {
		s.tasks = k->tasks(param);
		s.parallel = p->threads > 1 && s.tasks > 1;
		size_t scratch = k->scratch_bytes ? k->scratch_bytes(param) : 0;
		if (scratch > p->plan->scratch_bytes)
			p->plan->scratch_bytes = scratch;
	}
	VEC_PUSH(p->arena, &p->plan->steps, s);
	PlanStepInfo info = { .kernel = name, .text = text, .parallel = s.parallel };
	VEC_PUSH(p->arena, &p->plan->info, info);
	return &p->plan->steps.data[p->plan->steps.len - 1];
}

void pl_ptr(Planner *p, int buffer)
{
	PlanBuffer *b = &p->plan->buffers.data[buffer];
	int now = (int)p->plan->steps.len - 1;
	if (b->first < 0)
		b->first = now;
	if (b->last < now)
		b->last = now;
	VEC_PUSH(p->arena, &p->plan->table, buffer);
}

void pl_work(Planner *p, double flops, double bytes)
{
	PlanStepInfo *i = &p->plan->info.data[p->plan->info.len - 1];
	i->flops = flops;
	i->bytes = bytes;
	/* Meeting at a barrier costs about a microsecond: small steps are left to one thread. */
	Step *s = &p->plan->steps.data[p->plan->steps.len - 1];
	s->parallel = i->parallel = s->parallel && flops / FLOPS + bytes / BYTES > MEETING;
}

/* Dims of size 1 go, and neighbours that are one line on both sides are merged. Dims are ordered by the target's strides. */
void pl_copy(Planner *p, const View *from, const View *to)
{
	CopyParam *c = NEW(p->arena, CopyParam);
	int order[VIEW_RANK];
	view_memory_order(to, order);
	c->elem = (int)dtype_size(to->dtype);
	c->x_offset = from->offset;
	c->y_offset = to->offset;
	for (int i = 0; i < to->rank; i++) {
		int d = order[i];
		int64_t n = to->dims[d], xs = from->stride[d], ys = to->stride[d];
		if (n == 1)
			continue;
		int l = c->rank - 1;
		if (c->rank && c->x_stride[l] == xs * n && c->y_stride[l] == ys * n) {
			c->dims[l] *= n;
			c->x_stride[l] = xs;
			c->y_stride[l] = ys;
			continue;
		}
		CHECK(c->rank < COPY_RANK);
		c->dims[c->rank] = n;
		c->x_stride[c->rank] = xs;
		c->y_stride[c->rank++] = ys;
	}
	if (!c->rank) {
		c->dims[0] = c->x_stride[0] = c->y_stride[0] = 1;
		c->rank = 1;
	}
	if (view_count(to) == 0)
		return;
	pl_step(p, "copy", p->prog->kernels->copy, c, NULL);
	pl_ptr(p, to->buffer);
	pl_ptr(p, from->buffer);
	pl_work(p, 0, 2.0 * (double)view_count(to) * c->elem);
}

View pl_plain(Planner *p, View v)
{
	if (view_plain(&v))
		return v;
	View w = view_dense(v.dtype, v.rank, v.dims);
	w.buffer = pl_buffer(p, view_count(&w) * (int64_t)dtype_size(w.dtype));
	pl_copy(p, &v, &w);
	return w;
}

View pl_from_start(Planner *p, const Value *v)
{
	View x = pl_view(p, v);
	if (x.offset == 0 && view_plain(&x))
		return x;
	View w = view_dense(x.dtype, x.rank, x.dims);
	w.buffer = pl_buffer(p, view_count(&w) * (int64_t)dtype_size(w.dtype));
	pl_copy(p, &x, &w);
	return w;
}

View pl_last_dense(Planner *p, View v)
{
	return v.rank && v.stride[v.rank - 1] != 1 && v.dims[v.rank - 1] != 1 ? pl_plain(p, v) : v;
}

/* Makes a plan for sizes that are known: decides what is certain before the run, which elementwise ops run as one, where
 * values lie, then emits the steps of each op in order. */
#include "plan/plan_int.h"

#include <string.h>

/* ---- sizes ---- */

static Shape *shape_new(Arena *a, DType d, int rank, const int64_t *dims)
{
	Shape *s = arena_alloc(a, sizeof(*s) + (size_t)rank * sizeof(*dims));
	s->dtype = d;
	s->rank = rank;
	if (rank)
		memcpy(s->dims, dims, (size_t)rank * sizeof(*dims));
	/* Room for bytes, and for the sum of many. */
	return dims_count(dims, rank, &s->count) && s->count < INT64_C(1) << 50 ? s : NULL;
}

static bool is_number_type(const Type *t)
{
	return type_is_tensor(t) && t->dtype != DT_NONE && dtype_class(t->dtype) != DC_STRING && !t->text;
}

static const Shape *type_shape(Planner *p, const Type *t)
{
	int64_t dims[MAX_RANK];
	if (!is_number_type(t) || t->rank < 0 || t->rank > MAX_RANK)
		return NULL;
	for (int i = 0; i < t->rank; i++)
		if (!sym_eval(t->dims[i], p->find, p->find_arg, &dims[i]) || dims[i] < 0)
			return NULL;
	return shape_new(p->arena, t->dtype, t->rank, dims);
}

/* Results that are tensors of numbers, but of sizes that nothing tells yet. */
static bool has_open_result(const Planner *p, const Op *op)
{
	for (size_t i = 0; i < op->nresults; i++) {
		const Value *v = op->results[i];
		if (value_has_uses(v) && !p->shapes[v->id] && (is_number_type(v->type) || v->type->kind == TYPE_UNKNOWN ||
				(type_is_tensor(v->type) && v->type->dtype == DT_NONE)))
			return true;
	}
	return false;
}

/* ---- what is known before the run ---- */

enum { MAX_KNOWN = 4096, MAX_RANGE = 1 << 18, MAX_INPUTS = 64 };

static Tensor *known_dims(Planner *p, const Op *op)
{
	const Shape *s = pl_shape(p, op_operand(op, 0));
	if (!s || op->nresults != 1)
		return NULL;
	Tensor t = { .kind = TYPE_TENSOR, .dtype = DT_F32, .store = DT_F32, .rank = s->rank, .count = s->count };
	memcpy(t.dims, s->dims, (size_t)s->rank * sizeof(*s->dims));
	Tensor *in = &t, *out = NULL;
	return eval_op(&p->plan->eval, op, &in, &out) ? out : NULL;
}

static bool all_known(Planner *p, const Op *op, Tensor **in)
{
	if (op->noperands > MAX_INPUTS)
		return false;
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		in[i] = pl_known(p, v);
		if (v && (!in[i] || in[i]->count > MAX_KNOWN))
			return false;
	}
	return true;
}

/* Shape arithmetic is done here, once; an op that fails here fails again in the run, where it is reported. */
static bool find_known(Planner *p, const Op *op)
{
	Tensor *in[MAX_INPUTS], *out[MAX_INPUTS];
	if (!op_is_pure(op) || op->nblocks || !op_is_core(op) || op->nresults > MAX_INPUTS || !op->nresults)
		return false;
	size_t before = p->plan->eval.diags->list.len;
	if (op_is(op, OP_shape) || op_is(op, OP_size)) {
		out[0] = known_dims(p, op);
		if (!out[0])
			return false;
	} else {
		for (size_t i = 0; i < op->nresults; i++) {
			const Shape *s = pl_shape(p, op->results[i]);
			if (!is_number_type(op->results[i]->type) || (s && s->count > (op_is(op, OP_range) ? MAX_RANGE : MAX_KNOWN)))
				return false;
		}
		if (!all_known(p, op, in) || !eval_op(&p->plan->eval, op, in, out)) {
			p->plan->eval.diags->list.len = before;
			p->plan->eval.diags->status = HONE_OK;
			return false;
		}
	}
	for (size_t i = 0; i < op->nresults; i++) {
		if (!out[i])
			continue;
		p->known[op->results[i]->id] = out[i];
		p->shapes[op->results[i]->id] = shape_new(p->arena, out[i]->dtype, out[i]->rank, out[i]->dims);
	}
	return true;
}

/* ---- where values lie ---- */

static bool is_last_channel_op(const Op *op)
{
	switch (op_kind(op)) {
	case OP_conv: case OP_conv_transpose: case OP_max_pool: case OP_avg_pool: case OP_resize: case OP_conv_integer:
	case OP_quantized_conv:
		return true;
	default:
		return false;
	}
}

static bool passes_layout(const Op *op)
{
	switch (op_kind(op)) {
	case OP_concat: case OP_slice: case OP_split: case OP_pad: case OP_identity: case OP_batch_norm: case OP_global_avg_pool:
	case OP_global_max_pool: case OP_resize: case OP_reduce: case OP_quantize: case OP_dequantize:
	case OP_dynamic_quantize:
		return true;
	default:
		return (op->def->traits & TRAIT_ELTWISE) != 0;
	}
}

/* Images keep the channel innermost from the first convolution on. */
static void find_layouts(Planner *p)
{
	for (size_t i = p->begin; i < p->end; i++) {
		const Op *op = p->prog->ops[i];
		for (size_t r = 0; r < op->nresults; r++) {
			const Shape *s = pl_shape(p, op->results[r]);
			if (!s || s->rank < 3 || s->rank > 5)
				continue;
			bool last = r == 0 && is_last_channel_op(op);
			for (size_t k = 0; k < op->noperands && !last && passes_layout(op); k++) {
				const Shape *o = pl_shape(p, op_operand(op, k));
				last = o && o->rank == s->rank && p->last_channel[op_operand(op, k)->id];
			}
			p->last_channel[op->results[r]->id] = last;
		}
	}
}

/* The order in memory that v is kept in. */
void pl_order(const Planner *p, const Value *v, int *order)
{
	int rank = pl_shape(p, v)->rank;
	bool last = p->last_channel[v->id];
	order[0] = 0;
	for (int i = 1; i < rank; i++)
		order[i] = !last ? i : i + 1 < rank ? i + 1 : 1;
}

/* Ops that can write their (first) result to any strides whose order in memory is that of pl_order. */
static bool writes_anywhere(const Planner *p, const Op *op)
{
	if (p->groups[op->id])
		return p->groups[op->id]->root == op;
	switch (op_kind(op)) {
	case OP_conv: case OP_conv_transpose: case OP_max_pool: case OP_avg_pool: case OP_matmul: case OP_gemm: case OP_concat:
	case OP_softmax: case OP_layer_norm: case OP_rms_norm: case OP_pad: case OP_reduce: case OP_resize: case OP_tile:
	case OP_trilu: case OP_one_hot:
	case OP_conv_integer: case OP_quantized_conv: case OP_matmul_integer: case OP_quantized_matmul:
		return plan_fn(op_kind(op)) != NULL && !p->prog->options.reference;
	default:
		return false;
	}
}

static bool can_place(const Planner *p, const Value *v)
{
	return pl_value_in_plan(p, v) && v->index == 0 && !p->known[v->id] && !p->places[v->id].set &&
		writes_anywhere(p, v->def);
}

/* Operands of a concatenation that lie side by side already: *out is the whole. */
static bool side_by_side(const Planner *p, const Op *op, int axis, View *out)
{
	int64_t at = 0;
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		if (!p->places[v->id].set)
			return false;
		View w = p->places[v->id].view;
		if (i == 0)
			*out = w;
		View want = *out;
		want.offset += at * out->stride[axis];
		want.dims[axis] = w.dims[axis];
		for (int d = 0; d < w.rank; d++)
			if (w.stride[d] != want.stride[d])
				return false;
		if (w.buffer != want.buffer || w.offset != want.offset)
			return false;
		at += w.dims[axis];
	}
	out->dims[axis] = at;
	return true;
}

static void place_concat(Planner *p, const Op *op)
{
	const Value *y = op->results[0];
	const Shape *s = pl_shape(p, y);
	int axis, order[VIEW_RANK];
	if (!s || s->rank > VIEW_RANK || s->count == 0 || p->known[y->id] || !axis_norm(op_int(op, A_axis), s->rank, &axis))
		return;
	for (size_t i = 0; i < op->noperands; i++)
		if (!pl_is_tensor(p, op_operand(op, i)))
			return;
	View whole;
	if (!p->places[y->id].set && !value_is_output(y) && side_by_side(p, op, axis, &whole)) {
		p->places[y->id] = (Place){ true, whole };
		return;
	}
	if (!p->places[y->id].set) {
		pl_order(p, y, order);
		p->places[y->id] = (Place){ true, pl_result(p, y, order) };
	}
	whole = p->places[y->id].view;
	int64_t at = 0;
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		int64_t n = pl_shape(p, v)->dims[axis];
		if (can_place(p, v) && p->last_channel[v->id] == p->last_channel[y->id]) {
			View part = whole;
			part.dims[axis] = n;
			part.offset += at * whole.stride[axis];
			p->places[v->id] = (Place){ true, part };
		}
		at += n;
	}
}

/* Results go straight to the memory of outputs where their op can write there, parts of concatenations into the whole. */
static void find_places(Planner *p)
{
	const Op *ret = block_terminator(p->prog->module->main->body);
	for (size_t i = 0; i < ret->noperands && !p->plan->boundary; i++) {
		const Value *v = op_operand(ret, i);
		const Shape *s = pl_shape(p, v);
		if (!v || !s || !v->def || v->def->constant || p->known[v->id] || p->places[v->id].set || s->rank > VIEW_RANK ||
				v->index != 0 || !writes_anywhere(p, v->def) || p->last_channel[v->id])
			continue;
		View w = view_dense(s->dtype, s->rank, s->dims);
		VEC_PUSH(p->arena, &p->plan->buffers, ((PlanBuffer){ .kind = BUFFER_OUTPUT, .index = (int)i, .first = -1,
			.last = -1 }));
		w.buffer = (int)p->plan->buffers.len - 1;
		p->places[v->id] = (Place){ true, w };
	}
	for (size_t i = p->end; i-- > p->begin;)
		if (op_is(p->prog->ops[i], OP_concat) && p->prog->ops[i] != p->plan->boundary && !p->prog->options.reference)
			place_concat(p, p->prog->ops[i]);
}

/* ---- emission ---- */

/* A constant that cannot be computed is reported when the evaluator comes to it. */
static bool fits_views(Planner *p, const Op *op)
{
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		if (v && (!pl_shape(p, v) || pl_shape(p, v)->rank > VIEW_RANK || (value_is_constant(v) &&
				!pl_weights(p, v) && !pl_elements(p, v) && !pl_constant(p, v))))
			return false;
	}
	for (size_t i = 0; i < op->nresults; i++)
		if (value_has_uses(op->results[i]) && (!pl_shape(p, op->results[i]) || pl_shape(p,
			op->results[i])->rank > VIEW_RANK))
			return false;
	return true;
}

/* Nothing to compute: every result is empty. */
static bool is_empty(const Planner *p, const Op *op)
{
	for (size_t i = 0; i < op->nresults; i++)
		if (!pl_shape(p, op->results[i]) || pl_shape(p, op->results[i])->count)
			return false;
	return op->nresults > 0;
}

static bool emit_op(Planner *p, const Op *op);

/* As one step, or the ops before the last one by one: *done tells whether the last one is left to do. */
static bool emit_attention(Planner *p, const Attention *t, bool *done)
{
	const Op *parts[2];
	size_t n = attention_parts(t, parts);
	*done = plan_attention(p, t);
	if (*done)
		return true;
	p->attention[attention_last(t)->id] = NULL;
	for (size_t i = 0; i < n; i++) {
		p->attention[parts[i]->id] = NULL;
		if (!emit_op(p, parts[i]))
			return false;
	}
	return true;
}

static bool emit_alone(Planner *p, const Op *op)
{
	bool done = false;
	if (p->attention[op->id] && (!emit_attention(p, p->attention[op->id], &done) || done))
		return done;
	PlanFn *fn = p->prog->options.reference || !fits_views(p, op) ? NULL : plan_fn(op_kind(op));
	size_t steps = p->plan->steps.len, table = p->plan->table.len;
	if (fn && fn(p, op))
		return true;
	p->plan->steps.len = p->plan->info.len = steps; /* what it emitted before it refused */
	while (p->lazy_views.len && p->lazy_views.data[p->lazy_views.len - 1].step >= steps)
		p->views[p->lazy_views.data[--p->lazy_views.len].value->id] = NULL;
	p->plan->table.len = table;
	return plan_fallback(p, op);
}

/* The family of the anchor may finish the group with it; otherwise the group follows. */
static bool emit_group(Planner *p, Group *g)
{
	if (g->anchor) {
		if (!emit_alone(p, g->anchor))
			return false;
		if (p->views[g->root->results[0]->id])
			return true;
		g->anchor = NULL;
	}
	if (plan_group(p, g))
		return true;
	for (size_t i = 0; i < g->n; i++)
		if (!plan_fallback(p, g->ops[i]))
			return false;
	return true;
}

static bool emit_op(Planner *p, const Op *op)
{
	Group *g = p->groups[op->id];
	if (!op->nresults) /* checks its operands */
		return plan_fallback(p, op);
	if (p->known[op->results[0]->id])
		return true;
	if (is_empty(p, op)) {
		for (size_t i = 0; i < op->nresults; i++)
			pl_set(p, op->results[i], pl_result(p, op->results[i], NULL));
		return true;
	}
	if ((g && g->root != op) || p->lazy[op->results[0]->id] ||
			(p->attention[op->id] && attention_last(p->attention[op->id]) != op))
		return true;
	if (g)
		return emit_group(p, g);
	return emit_alone(p, op);
}

static bool emit_boundary(Planner *p, const Op *op)
{
	return (!p->prog->options.reference && plan_found(p, op)) || plan_fallback(p, op);
}

static void emit_outputs(Planner *p)
{
	const Func *f = p->prog->module->main;
	const Op *ret = block_terminator(f->body);
	Plan *plan = p->plan;
	plan->outputs = NEW_ARRAY(p->arena, View, ret->noperands + 1);
	plan->output_slots = NEW_ARRAY(p->arena, bool, ret->noperands + 1);
	for (size_t i = 0; i < ret->noperands; i++) {
		const Value *v = op_operand(ret, i);
		const Shape *s = pl_shape(p, v);
		if (!s) {
			plan->output_slots[i] = true;
			continue;
		}
		View from = pl_view(p, v), to = shape_view(s);
		const PlanBuffer *b = &plan->buffers.data[from.buffer];
		if (b->kind == BUFFER_OUTPUT && b->index == (int)i) {
			plan->outputs[i] = from;
			continue;
		}
		VEC_PUSH(p->arena, &plan->buffers, ((PlanBuffer){ .kind = BUFFER_OUTPUT, .index = (int)i, .first = -1,
			.last = -1 }));
		to.buffer = (int)plan->buffers.len - 1;
		pl_copy(p, &from, &to);
		plan->outputs[i] = to;
	}
}

static bool used_after(const Planner *p, const Value *v, const size_t *position)
{
	for (const Use *u = v->uses; u; u = u->next) {
		const Op *top = op_ancestor_in(u->user, p->prog->module->main->body);
		if (!top || (top->def->traits & TRAIT_TERMINATOR) || position[top->id] >= p->end)
			return true;
	}
	return false;
}

static void leave_value(Planner *p, const Value *v, const size_t *position)
{
	if (!pl_shape(p, v) || (v->def && v->def->constant) || !used_after(p, v, position))
		return;
	if (!p->views[v->id] && !p->lazy[v->id] && !p->known[v->id] && (!v->block || p->begin > 0))
		return; /* inputs, and what an earlier part left */
	View w = pl_plain(p, pl_view(p, v));
	if (p->plan->buffers.data[w.buffer].kind == BUFFER_OUTER)
		return;
	pl_set(p, v, w);
	p->plan->buffers.data[w.buffer].last = INT32_MAX;
	if (p->plan->buffers.data[w.buffer].first < 0)
		p->plan->buffers.data[w.buffer].first = 0;
	p->plan->left[v->id] = pl_shape(p, v);
}

/* What later parts need stays until the run ends. */
static void emit_left(Planner *p)
{
	const Module *m = p->prog->module;
	size_t *position = NEW_ARRAY(p->scratch, size_t, m->next_op + 1);
	for (size_t i = 0; i < p->prog->nops; i++)
		position[p->prog->ops[i]->id] = i;
	p->plan->left = NEW_ARRAY(p->arena, const Shape *, m->next_value + 1);
	for (uint32_t i = 0; i < m->main->body->nargs; i++)
		if (p->begin == 0)
			leave_value(p, m->main->body->args[i], position);
	for (size_t i = p->begin; i < p->end; i++)
		for (size_t k = 0; k < p->prog->ops[i]->nresults && p->prog->ops[i] != p->plan->boundary; k++)
			if (p->views[p->prog->ops[i]->results[k]->id] || p->known[p->prog->ops[i]->results[k]->id] ||
					p->lazy[p->prog->ops[i]->results[k]->id])
				leave_value(p, p->prog->ops[i]->results[k], position);
}

static void input_views(Planner *p)
{
	const Block *b = p->prog->module->main->body;
	for (uint32_t i = 0; i < b->nargs; i++) {
		const Shape *s = pl_shape(p, b->args[i]);
		if (!s)
			continue;
		View w = shape_view(s);
		VEC_PUSH(p->arena, &p->plan->buffers, ((PlanBuffer){ .kind = BUFFER_INPUT, .index = (int)i, .first = -1,
			.last = -1 }));
		w.buffer = (int)p->plan->buffers.len - 1;
		pl_set(p, b->args[i], w);
	}
}

/* Shapes of all values, from the front; the part ends with the first op whose results no size is known of. */
static void find_part(Planner *p)
{
	const Block *b = p->prog->module->main->body;
	Program *prog = p->prog;
	for (uint32_t i = 0; i < b->nargs; i++)
		p->shapes[b->args[i]->id] = p->begin ? exec_outer_shape(p->exec, b->args[i]) : exec_input_shape(p->exec, i,
			p->arena);
	FOR_EACH_OP(op, b)
		if (op->constant)
			for (size_t r = 0; r < op->nresults; r++)
				p->shapes[op->results[r]->id] = type_shape(p, op->results[r]->type);
	for (size_t i = 0; i < p->begin; i++)
		for (size_t r = 0; r < prog->ops[i]->nresults; r++)
			p->shapes[prog->ops[i]->results[r]->id] = exec_outer_shape(p->exec, prog->ops[i]->results[r]);
	for (p->end = p->begin; p->end < prog->nops && !p->plan->boundary; p->end++) {
		const Op *op = prog->ops[p->end];
		for (size_t r = 0; r < op->nresults; r++)
			p->shapes[op->results[r]->id] = type_shape(p, op->results[r]->type);
		if (!prog->options.reference && find_known(p, op))
			continue;
		if (has_open_result(p, op)) {
			for (size_t r = 0; r < op->nresults; r++)
				p->shapes[op->results[r]->id] = NULL;
			p->plan->boundary = op;
		}
	}
}

static void planner_init(Planner *p, Program *prog, Exec *x, size_t begin, int threads)
{
	const Module *m = prog->module;
	*p = (Planner){ .prog = prog, .exec = x, .begin = begin, .threads = threads, .scratch = arena_new(), .arena = arena_new(),
		.find = exec_symbol, .find_arg = x };
	p->plan = NEW(p->arena, Plan);
	p->plan->arena = p->arena;
	p->plan->begin = begin;
	p->shapes = NEW_ARRAY(p->arena, const Shape *, m->next_value + 1);
	p->known = NEW_ARRAY(p->scratch, Tensor *, m->next_value + 1);
	p->views = NEW_ARRAY(p->arena, View *, m->next_value + 1);
	p->places = NEW_ARRAY(p->scratch, Place, m->next_value + 1);
	p->last_channel = NEW_ARRAY(p->scratch, uint8_t, m->next_value + 1);
	p->groups = NEW_ARRAY(p->scratch, Group *, m->next_op + 1);
	p->attention = NEW_ARRAY(p->scratch, const Attention *, m->next_op + 1);
	p->mine = NEW_ARRAY(p->scratch, uint8_t, m->next_op + 1);
	p->lazy = NEW_ARRAY(p->scratch, uint8_t, m->next_value + 1);
	eval_init(&p->plan->eval, m->ctx, exec_diags(x));
	if (prog->options.enable)
		prog->options.enable(&p->plan->eval, prog->module);
}

Plan *plan_make(Program *prog, Exec *x, size_t begin, int threads, const int64_t *key, size_t nkey)
{
	Planner p;
	planner_init(&p, prog, x, begin, threads);
	Plan *plan = p.plan;
	plan->key = nkey ? arena_dup(p.arena, key, nkey * sizeof(*key)) : NULL;
	plan->nkey = nkey;
	plan->views = p.views;
	plan->shapes = p.shapes;
	find_part(&p);
	plan->end = p.end;
	for (size_t i = begin; i < p.end; i++)
		p.mine[prog->ops[i]->id] = 1;
	if (begin == 0)
		input_views(&p);
	if (!prog->options.reference) {
		plan_groups(&p);
		plan_find_attention(&p);
		find_layouts(&p);
		find_places(&p);
	}
	bool ok = true;
	for (size_t i = begin; i < p.end && ok; i++) {
		const Op *op = prog->ops[i];
		ok = op == plan->boundary ? emit_boundary(&p, op) : emit_op(&p, op);
	}
	if (ok && plan->boundary)
		emit_left(&p);
	else if (ok)
		emit_outputs(&p);
	ok = ok && !p.failed;
	if (ok && !prog->options.reference) {
		if (!prog->separate)
			plan_scales(&p);
		plan_chains(&p);
		plan_ahead(&p);
	}
	plan_pack(&p); /* a failed plan's too: the program remembers them as packed */
	plan_memory(plan);
	plan->shared = steps_prepare(plan->steps.data, plan->steps.len);
	arena_free(p.scratch);
	if (ok)
		return plan;
	plan_free(plan);
	return NULL;
}

void plan_free(Plan *plan)
{
	if (!plan)
		return;
	eval_release(&plan->eval);
	arena_free(plan->arena);
}

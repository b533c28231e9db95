/* Weights as kernels want them: packed once a program, by all threads when a plan is complete; streamed ones copied to large
 * pages; arithmetic on weights computed as it is packed. */
#include "plan/plan_int.h"

#include <math.h>
#include <string.h>

enum { PAIRED = 1 << 8 };

typedef struct Packed {
	const Value *weights;
	int kind;           /* ConvKind, + PAIRED where that is so, or CONV_KINDS + what integers are packed for */
	int64_t key[16];
	float factor;
	void *data;
	size_t bytes;
	struct Packed *next;
} Packed;

void pl_packed_key(const ConvParam *c, int64_t *key)
{
	const int64_t k[16] = { c->groups, c->ic, c->oc, c->kernel[0], c->kernel[1], c->kernel[2], c->stride[0], c->stride[1],
		c->stride[2], c->dilation[0], c->dilation[1], c->dilation[2], c->pad[0], c->pad[1], c->pad[2], 0 };
	memcpy(key, k, sizeof(k));
}

enum { FIRST_CHUNK = 1 << 20, CHUNK = 64 << 20, LINE = 64 };

/* Weights share chunks: one that ends within a huge page would keep the rest of it. What of a chunk is not used is not touched.
 * The first is of small pages, enough for small models. */
static void *ready_try(Program *p, size_t bytes)
{
	if (bytes > SIZE_MAX - LINE)
		return NULL;
	size_t want = (bytes + LINE - 1) / LINE * LINE;
	Ready *r = p->ready.len ? &p->ready.data[p->ready.len - 1] : NULL;
	if (!r || r->bytes - r->used < want) {
		size_t chunk = r ? CHUNK : FIRST_CHUNK, whole = want > chunk ? want : chunk;
		void *data = pages_new(whole);
		if (!data && whole > want)
			data = pages_new(whole = want);
		if (!data)
			return NULL;
		VEC_PUSH(p->arena, &p->ready, ((Ready){ data, whole, 0 }));
		r = &p->ready.data[p->ready.len - 1];
	}
	void *part = r->data + r->used;
	r->used += want;
	p->weight_bytes += bytes;
	return part;
}

void *ready_pages(Program *p, size_t bytes)
{
	void *data = ready_try(p, bytes);
	if (!data)
		mem_fail();
	return data;
}

/* The weights times a factor: a copy when that is not 1. */
static const FloatAny *scaled(Planner *p, const FloatAny *w, int64_t count, float factor)
{
	if (factor == 1.0f)
		return w;
	float *copy = NEW_ARRAY(p->scratch, float, count + 1);
	for (int64_t i = 0; i < count; i++)
		copy[i] = w[i] * factor;
	return copy;
}

/* Where c's weights lie; NULL: they are to be computed. */
bool pl_source(Planner *p, const Value *v, int64_t offset, ConvParam *c, const int64_t stride[5], float factor)
{
	bool late = pl_weights(p, v) != NULL;
	const FloatAny *w = pl_shape(p, v)->dtype == DT_F32 && !late ? pl_elements(p, v) : NULL;
	if (!w && !late)
		return false;
	c->source = late ? NULL : w + offset;
	if (late)
		VEC_PUSH(p->arena, &p->plan->late, ((LateSource){ c, v, offset }));
	memcpy(c->source_stride, stride, sizeof(c->source_stride));
	c->factor = factor;
	return true;
}

/* What a compiled model's packed weights are for: other kernels, or another version of them, pack again. */
static int64_t packed_for(const Program *p)
{
	return (int64_t)p->options.isa + ((int64_t)PACKING_VERSION << 8);
}

/* What a compiled model brings along: attributes of the constant. */
static void *packed_before(Planner *p, const Value *v, int kind, const int64_t *key, float factor, size_t bytes)
{
	Context *c = p->prog->module->ctx;
	const Attr *list = v->def ? op_attr_named(v->def, str(c, "packed")) : NULL;
	for (size_t i = 0; list && list->kind == ATTR_LIST && i < list->u.list.n; i++) {
		const Attr *e = list->u.list.v[i];
		if (e->kind != ATTR_LIST || e->u.list.n != 3)
			continue;
		const Attr *k = e->u.list.v[0], *f = e->u.list.v[1], *data = e->u.list.v[2];
		if (k->kind != ATTR_INTS || k->u.ints.n != 18 || f->kind != ATTR_FLOAT || data->kind != ATTR_TENSOR)
			continue;
		if (k->u.ints.v[0] == packed_for(p->prog) && k->u.ints.v[1] == (int64_t)kind && f->u.f == factor &&
				!memcmp(k->u.ints.v + 2, key, 16 * sizeof(*key)) && data->u.tensor.blob->len == bytes &&
				!data->u.tensor.blob->splat && (uintptr_t)data->u.tensor.blob->data % 64 == 0)
			return (void *)(uintptr_t)data->u.tensor.blob->data;
	}
	return NULL;
}

/* An expression that nothing uses any more, and what only it used. */
static void erase_expression(Op *op)
{
	for (size_t i = 0; i < op->nresults; i++)
		if (value_has_uses(op->results[i]) || value_is_output(op->results[i]))
			return;
	enum { MOST = 8 };
	Value *in[MOST];
	size_t n = 0;
	for (size_t i = 0; i < op->noperands && n < MOST; i++)
		if (op_operand(op, i))
			in[n++] = op_operand(op, i);
	op_erase(op);
	for (size_t i = 0; i < n; i++)
		if (value_is_constant(in[i]) && !in[i]->def->erased)
			erase_expression(in[i]->def);
}

/* A constant in the place of arithmetic on weights: it can carry what it was packed into. NULL: it cannot be computed. */
static const Value *made_constant(Program *p, const Value *v)
{
	Tensor *t = program_weights(p, v) ? program_constant(p, v) : NULL;
	const Attr *a = t ? tensor_to_attr(p->module->ctx, t) : NULL;
	if (!a)
		return NULL;
	Value *old = v->def->results[v->index], *now = constant_from_attr(v->def->block, v->def, a);
	if (old->name)
		value_set_name(now, old->name);
	value_replace_uses(old, now);
	erase_expression(v->def);
	return now;
}

static void keep_one(Program *p, Packed *first)
{
	Context *c = p->module->ctx;
	const Attr *list[16];
	size_t n = 0;
	const Value *v = first->weights;
	if (!op_is(v->def, OP_constant)) {
		if (v->def->erased || !(v = made_constant(p, v)))
			return;
		map_put(&p->packed, MAP_PTR(v), first); /* plans to come find it there */
	}
	for (Packed *e = first; e && n < ARRAY_LEN(list); e = e->next) {
		int64_t k[18] = { packed_for(p), e->kind }, bytes = (int64_t)e->bytes;
		memcpy(k + 2, e->key, sizeof(e->key));
		const Attr *parts[] = { attr_ints(c, k, 18), attr_float(c, e->factor),
			attr_tensor(c, type_tensor_of(c, DT_U8, 1, &bytes), blob_borrowed(c, e->data, e->bytes)) };
		list[n++] = attr_make(c, (Attr){ .kind = ATTR_LIST, .u.list = { .v = parts, .n = 3 } });
		e->weights = v;
	}
	op_set_attr(v->def, str(c, "packed"), attr_make(c, (Attr){ .kind = ATTR_LIST, .u.list = { .v = list, .n = n } }));
}

void program_keep_packed(Program *p)
{
	for (size_t i = 0, n = p->packed.len; i < n; i++)
		if (p->packed.entries[i].value)
			keep_one(p, p->packed.entries[i].value);
}

/* Packed weights that there are already: of an earlier plan, or that the model brings along. */
static void *packed_found(Planner *p, const Value *v, int kind, const int64_t *key, float factor, size_t bytes)
{
	for (const Packed *e = *map_slot(&p->prog->packed, MAP_PTR(v)); e; e = e->next)
		if (e->kind == kind && e->factor == factor && !memcmp(e->key, key, sizeof(e->key)))
			return e->data;
	return packed_before(p, v, kind, key, factor, bytes);
}

/* Where the weights are packed to, which the program remembers; *fill: they are not there yet. */
void *pl_packed_room(Planner *p, const Value *v, int kind, const int64_t *key, float factor, size_t bytes, bool *fill)
{
	void **slot = map_slot(&p->prog->packed, MAP_PTR(v));
	*fill = false;
	for (const Packed *e = *slot; e; e = e->next)
		if (e->kind == kind && e->factor == factor && !memcmp(e->key, key, sizeof(e->key)))
			return e->data;
	Packed *e = NEW(p->prog->arena, Packed);
	*e = (Packed){ .weights = v, .kind = kind, .factor = factor, .bytes = bytes, .next = *slot };
	memcpy(e->key, key, sizeof(e->key));
	e->data = packed_before(p, v, kind, key, factor, bytes);
	*fill = !e->data;
	if (*fill)
		e->data = ready_pages(p->prog, bytes);
	*slot = e;
	return e->data;
}

/* Whether some output sees a tap outside of the input, and the kernel multiplies zeros there instead of passing over. */
static bool reads_zeros(const ConvParam *c, ConvKind kind)
{
	bool outside = false;
	for (int d = 0; d < 3; d++)
		outside |= c->pad[d] > 0 || (c->out[d] - 1) * c->stride[d] + (c->kernel[d] - 1) * c->dilation[d] - c->pad[d] >= c->in[d];
	return kind == CONV_WINOGRAD || kind == CONV_TRANSPOSE ||
		((kind == CONV_DIRECT || kind == CONV_GROUPED || kind == CONV_PLANES) && outside);
}

/* No infinity, no NaN: their exponent is all ones. */
static bool all_finite(const FloatAny *x, int64_t n)
{
	typedef uint32_t Bits __attribute__((vector_size(32), aligned(1), may_alias));
	const uint32_t mask = 0x7f800000u;
	Bits found = { 0 };
	int64_t i = 0;
	for (; i + 8 <= n; i += 8)
		found |= (Bits)((*(const Bits *)(x + i) & mask) == mask);
	bool ok = true;
	for (int k = 0; k < 8; k++)
		ok &= !found[k];
	for (; i < n; i++)
		ok &= isfinite((float)x[i]) != 0;
	return ok;
}

bool pl_pack_weights(Planner *p, const Value *v, int64_t offset, ConvKind kind, ConvParam *c,
	const int64_t stride[5], float factor)
{
	const KernelSet *k = p->prog->kernels;
	int64_t key[16];
	pl_packed_key(c, key);
	key[15] = offset;
	if (!pl_source(p, v, offset, c, stride, factor))
		return false;
	size_t bytes = k->conv_pack_bytes[kind](c);
	/* An infinity times a zero of the padding would be NaN, where the definition has no product: left to the evaluator. */
	const WeightExpr *late = c->source ? NULL : pl_weights(p, v);
	int form = (int)kind + (c->paired ? PAIRED : 0);
	if (reads_zeros(c, kind) && !packed_found(p, v, form, key, factor, bytes) && !(late ?
			weight_expr_finite(late, p->threads) : all_finite(c->source - offset, pl_shape(p, v)->count)))
		return false;
	bool fill;
	c->weights = pl_packed_room(p, v, form, key, factor, bytes, &fill);
	if (fill) {
		PackJob j = { .param = *c, .kind = kind, .to = (void *)(uintptr_t)c->weights,
			.from = late ? NULL : scaled(p, c->source - offset, pl_shape(p, v)->count, factor) + offset,
			.expr = late, .factor = factor, .offset = offset,
			.blob = value_constant(v) ? value_constant(v)->u.tensor.blob : NULL };
		memcpy(j.stride, stride, sizeof(j.stride));
		VEC_PUSH(p->scratch, &p->packs, j);
	}
	return true;
}

void pl_pack_integers(Planner *p, const Value *v, QConvKind kind, QConvParam *q, const QWeights *w)
{
	int64_t key[16];
	bool fill;
	uint64_t h = hash_bytes(w->zero, (size_t)(q->c.groups * q->c.oc) * sizeof(*w->zero), 0);
	pl_packed_key(&q->c, key);
	key[15] = (int64_t)hash_bytes(w->stride, sizeof(w->stride), h);
	q->c.weights = pl_packed_room(p, v, CONV_KINDS + 2 * (int)kind + q->dot, key, 1.0f, p->prog->kernels->qconv_pack_bytes[kind](q),
		&fill);
	VEC_PUSH(p->arena, &p->plan->code, ((CodeSource){ .param = q, .integers = *w }));
	if (!fill)
		return;
	QPackJob *j = NEW(p->scratch, QPackJob);
	*j = (QPackJob){ .param = *q, .kind = kind, .weights = *w };
	VEC_PUSH(p->scratch, &p->packs, ((PackJob){ .integers = j, .to = (void *)(uintptr_t)q->c.weights,
		.blob = value_constant(v) ? value_constant(v)->u.tensor.blob : NULL }));
}

/* Weights are packed by all threads at once, when the plan is complete. */
static void pack_one(void *planner, int64_t i)
{
	const Planner *p = planner;
	const PackJob *j = &p->packs.data[i];
	if (!j->to)
		return; /* done before */
	if (j->kind == CONV_BLOCKS)
		p->prog->kernels->blocks_pack(&j->param, &j->blocks, j->to);
	else if (j->integers)
		p->prog->kernels->qconv_pack[j->integers->kind](&j->integers->param, &j->integers->weights, j->to);
	else
		p->prog->kernels->conv_pack[j->kind](&j->param, j->from, j->stride, j->to);
	if (j->blob)
		blob_forget_pages(j->blob);
}

enum { SETTLE_BLOCK = 1 << 20 }; /* floats of one piece of work */

typedef struct Settling {
	const FloatAny *from;
	float *to;
	int64_t count;
	const Blob *blob;   /* that they lie in, or NULL */
} Settling;

static void settle_block(void *settling, int64_t i)
{
	const Settling *s = settling;
	int64_t at = i * SETTLE_BLOCK, n = s->count - at < SETTLE_BLOCK ? s->count - at : SETTLE_BLOCK;
	memcpy(s->to + at, s->from + at, (size_t)n * sizeof(float));
	if (s->blob)
		blob_forget_part(s->blob, s->from + at, (size_t)n * sizeof(float));
}

void plan_settle(Program *prog, Plan *plan, int threads)
{
	for (size_t i = 0; i < plan->loans.len && !prog->module->compiled; i++) {
		const Loan *l = &plan->loans.data[i];
		size_t bytes = (size_t)l->count * sizeof(float);
		void **slot = map_slot(&prog->settled, MAP_PTR(l->weights));
		if (!*slot) {
			const Attr *a = value_constant(l->weights);
			Settling s = { l->param->source, ready_try(prog, bytes), l->count, a ? a->u.tensor.blob : NULL };
			if (!s.to)
				break; /* it can go on as it did */
			*slot = s.to;
			parallel_for(threads, (l->count + SETTLE_BLOCK - 1) / SETTLE_BLOCK, settle_block, &s);
		}
		l->param->source = *slot;
	}
	plan->loans.len = 0;
}

/* Weights that are computed first: one after another, so that only one is in memory. */
static void pack_computed(Planner *p)
{
	int64_t most = 0;
	for (size_t i = 0; i < p->packs.len; i++)
		if (p->packs.data[i].expr && weight_expr_count(p->packs.data[i].expr) > most)
			most = weight_expr_count(p->packs.data[i].expr);
	if (!most)
		return;
	size_t bytes = (size_t)most * sizeof(float);
	float *room = pages_new(bytes);
	if (!room)
		mem_fail();
	for (size_t i = 0; i < p->packs.len; i++) {
		PackJob *j = &p->packs.data[i];
		if (!j->expr)
			continue;
		weight_expr_all(j->expr, p->threads, j->factor, room);
		j->from = room + j->offset;
		pack_one(p, (int64_t)i);
		j->to = NULL;
	}
	pages_free(room, bytes);
}

void plan_pack(Planner *p)
{
	pack_computed(p);
	parallel_for(p->threads, (int64_t)p->packs.len, pack_one, p);
}

bool pl_pack(Planner *p, const Value *v, int64_t offset, ConvParam *c, const int64_t stride[5])
{
	return p->prog->kernels->conv_plan[CONV_DIRECT](c, p->threads) && pl_pack_weights(p, v, offset, CONV_DIRECT, c,
		stride, 1.0f);
}

const float *pl_settle_computed(Planner *p, const Value *v)
{
	const WeightExpr *w = pl_weights(p, v);
	float *to = ready_pages(p->prog, (size_t)weight_expr_count(w) * sizeof(float));
	weight_expr_all(w, p->threads, 1.0f, to);
	map_put(&p->prog->settled, MAP_PTR(v), to);
	return to;
}

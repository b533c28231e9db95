/* Attention as one step: a product of queries and keys, elementwise ops on the scores, softmax and the product with the
 * values, where nothing else uses what is in between; and the op that says all of it. Scores are never in memory. */
#include "plan/plan_int.h"

#include <math.h>
#include <string.h>

enum { FRAME = MATMUL_BATCH + 2, FIRST_POST = 5 };

struct Attention {
	const Op *product, *softmax, *values;
	Group *group;           /* between product and softmax; NULL: nothing */
};

/* ---- the step ---- */

/* Operands as views of FRAME dims: batch, then rows and columns of the matrix; k is n x size. */
typedef struct Frame {
	View q, k, v, y, bias;
	bool has_bias;
} Frame;

/* Dims of size 1 in front, up to FRAME dims. */
static View framed(const View *v)
{
	View w = *v;
	int lead = FRAME - v->rank;
	w.rank = FRAME;
	for (int i = 0; i < FRAME; i++) {
		w.dims[i] = i < lead ? 1 : v->dims[i - lead];
		w.stride[i] = i < lead ? 0 : v->stride[i - lead];
	}
	return w;
}

static void swap_last(View *v)
{
	int64_t n = v->dims[v->rank - 2], s = v->stride[v->rank - 2];
	v->dims[v->rank - 2] = v->dims[v->rank - 1];
	v->stride[v->rank - 2] = v->stride[v->rank - 1];
	v->dims[v->rank - 1] = n;
	v->stride[v->rank - 1] = s;
}

static bool fill_param(AttentionParam *a, const Frame *f)
{
	a->m = f->q.dims[FRAME - 2];
	a->size = f->q.dims[FRAME - 1];
	a->n = f->k.dims[FRAME - 2];
	a->value_size = f->v.dims[FRAME - 1];
	for (int i = 0; i < MATMUL_BATCH; i++) {
		a->batch[i] = f->y.dims[i];
		a->q_batch[i] = f->q.stride[i];
		a->k_batch[i] = f->k.stride[i];
		a->v_batch[i] = f->v.stride[i];
		a->y_batch[i] = f->y.stride[i];
		a->bias_batch[i] = f->has_bias ? f->bias.stride[i] : 0;
	}
	a->q_row = f->q.stride[FRAME - 2], a->q_col = f->q.stride[FRAME - 1], a->q_offset = f->q.offset;
	a->k_row = f->k.stride[FRAME - 2], a->k_col = f->k.stride[FRAME - 1], a->k_offset = f->k.offset;
	a->v_row = f->v.stride[FRAME - 2], a->v_col = f->v.stride[FRAME - 1], a->v_offset = f->v.offset;
	a->y_row = f->y.stride[FRAME - 2], a->y_offset = f->y.offset;
	a->has_bias = f->has_bias;
	if (f->has_bias) {
		a->bias_row = f->bias.stride[FRAME - 2];
		a->bias_col = a->n == 1 ? 0 : f->bias.stride[FRAME - 1];
		a->bias_offset = f->bias.offset;
		if (a->bias_col != 0 && a->bias_col != 1)
			return false;
	}
	return a->n > 0 && a->size > 0;
}

static void emit_step(Planner *p, const AttentionParam *a, const Frame *f, const IntList *posts)
{
	double batch = (double)(a->batch[0] * a->batch[1] * a->batch[2]), m = (double)a->m, n = (double)a->n;
	pl_step(p, "attention", p->prog->kernels->attention, a, arena_printf(p->arena, "%lldx%lldx%lldx%lld x%lld%s%s",
		(long long)a->m, (long long)a->size, (long long)a->n, (long long)a->value_size,
		(long long)(a->batch[0] * a->batch[1] * a->batch[2]), a->has_bias ? " + mask" : "", a->post ? " + program" : ""));
	pl_ptr(p, f->y.buffer);
	pl_ptr(p, f->q.buffer);
	pl_ptr(p, f->k.buffer);
	pl_ptr(p, f->v.buffer);
	pl_ptr(p, f->has_bias ? f->bias.buffer : f->q.buffer);
	for (size_t i = 0; i < posts->len; i++)
		pl_ptr(p, posts->data[i]);
	pl_work(p, batch * m * n * (2 * (double)(a->size + a->value_size) + 8),
		4 * batch * ((m + n) * (double)(a->size + a->value_size)));
}

/* ---- the pattern ---- */

/* The only user of v, when v lives in this plan alone. */
static const Op *only_user(const Planner *p, const Value *v)
{
	return pl_value_in_plan(p, v) && !p->known[v->id] && v->uses && !v->uses->next &&
		v->uses->user->block == p->prog->module->main->body && p->mine[v->uses->user->id] ? v->uses->user : NULL;
}

static bool is_product(const Planner *p, const Op *op)
{
	if (!(op_is(op, OP_matmul) || (op_is(op, OP_gemm) && !op_operand(op, 2))) || op == p->plan->boundary)
		return false;
	const Shape *a = pl_shape(p, op_operand(op, 0)), *b = pl_shape(p, op_operand(op, 1)), *y = pl_shape(p, op->results[0]);
	return a && b && y && a->dtype == DT_F32 && b->dtype == DT_F32 && a->rank >= 2 && b->rank >= 2 && y->rank <= FRAME &&
		a->count && b->count && !(value_is_constant(op_operand(op, 1)) && b->rank == 2);
}

/* A product, and what stands between it and the softmax. */
static bool find_scores(const Planner *p, struct Attention *t)
{
	const Value *s = op_operand(t->softmax, 0);
	if (only_user(p, s) != t->softmax)
		return false;
	Group *g = p->groups[s->def->id];
	if (g && g->root == s->def && g->anchor) {
		t->group = g;
		t->product = g->anchor;
	} else {
		t->product = s->def;
		if (g || p->groups[t->product->id])
			return false;
	}
	return is_product(p, t->product);
}

static void find_one(Planner *p, const Op *softmax)
{
	struct Attention t = { .softmax = softmax };
	const Shape *s = pl_shape(p, softmax->results[0]), *y;
	int axis;
	t.values = only_user(p, softmax->results[0]);
	if (!s || s->rank < 2 || !axis_norm(op_int(softmax, A_axis), s->rank, &axis) || axis != s->rank - 1 || !t.values ||
			!is_product(p, t.values) || op_operand(t.values, 0) != softmax->results[0] ||
			op_operand(t.values, 1) == softmax->results[0] ||
			(op_is(t.values, OP_gemm) && op_int(t.values, A_trans_a)) || !find_scores(p, &t))
		return;
	y = pl_shape(p, t.values->results[0]);
	if (y->rank != s->rank || memcmp(y->dims, s->dims, (size_t)(s->rank - 1) * sizeof(*s->dims)) != 0)
		return;
	const Attention *kept = arena_dup(p->scratch, &t, sizeof(t));
	const Op *ops[] = { t.group ? t.group->root : t.product, t.product, softmax, t.values };
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		p->attention[ops[i]->id] = kept;
}

void plan_find_attention(Planner *p)
{
	for (size_t i = p->begin; i < p->end; i++)
		if (op_is(p->prog->ops[i], OP_softmax) && p->prog->ops[i] != p->plan->boundary)
			find_one(p, p->prog->ops[i]);
}

const Op *attention_last(const Attention *a)
{
	return a->values;
}

static void operand_views(Planner *p, const Attention *t, Frame *f)
{
	View q = pl_view(p, op_operand(t->product, 0)), k = pl_view(p, op_operand(t->product, 1)),
		v = pl_view(p, op_operand(t->values, 1));
	bool gemm = op_is(t->product, OP_gemm);
	if (gemm && op_int(t->product, A_trans_a))
		swap_last(&q);
	if (!gemm || !op_int(t->product, A_trans_b))
		swap_last(&k);
	if (op_is(t->values, OP_gemm) && op_int(t->values, A_trans_b))
		swap_last(&v);
	f->q = framed(&q);
	f->k = framed(&k);
	f->v = framed(&v);
	View *views[] = { &f->q, &f->k, &f->v };
	for (int i = 0; i < 3; i++) {
		int64_t dims[FRAME];
		for (int d = 0; d < FRAME; d++)
			dims[d] = d < MATMUL_BATCH ? f->y.dims[d] : views[i]->dims[d];
		*views[i] = view_broadcast(views[i], FRAME, dims);
	}
}

static float alpha_of(const Op *op)
{
	return op_is(op, OP_gemm) ? (float)op_float(op, A_alpha) : 1.0f;
}

/* The other operand of a commutative op of two. */
static const Value *other_of(const Op *op, const Value *v)
{
	const Value *a = op_operand(op, 0), *b = op_operand(op, 1);
	return a == v && b != v ? b : b == v && a != v ? a : NULL;
}

/* [scale] [+ bias]: what the kernel does by itself. scores: dims of them. */
static bool simple_scores(Planner *p, const Attention *t, const Shape *scores, AttentionParam *a, Frame *f)
{
	const Value *v = t->product->results[0];
	for (size_t i = 0; t->group && i < t->group->n; i++) {
		const Op *op = t->group->ops[i];
		const Value *o = op->noperands == 2 ? other_of(op, v) : NULL;
		float x;
		if (!o || f->has_bias)
			return false;
		if (op_is(op, OP_mul) && pl_uniform(p, o, &x)) {
			a->scale *= x;
		} else if (op_is(op, OP_div) && op_operand(op, 0) == v && pl_uniform(p, o, &x) && x != 0) {
			a->scale /= x;
		} else if (op_is(op, OP_add) && pl_shape(p, o) && pl_shape(p, o)->dtype == DT_F32) {
			View b = pl_view(p, o);
			b = view_broadcast(&b, scores->rank, scores->dims);
			f->bias = framed(&b);
			f->has_bias = true;
		} else {
			return false;
		}
		v = op->results[0];
	}
	int64_t step = f->has_bias && scores->dims[scores->rank - 1] > 1 ? f->bias.stride[FRAME - 1] : 0;
	return isfinite(a->scale) && (step == 0 || step == 1);
}

static bool score_program(Planner *p, const Attention *t, const Shape *scores, AttentionParam *a, IntList *posts)
{
	TileProgram *post = NEW(p->arena, TileProgram);
	View s = { .buffer = -1, .dtype = DT_F32, .rank = scores->rank };
	int box[FRAME];
	memcpy(s.dims, scores->dims, (size_t)s.rank * sizeof(*s.dims));
	s.stride[s.rank - 1] = 1;
	s.stride[s.rank - 2] = a->score_row;
	for (int i = 0; i < FRAME; i++)
		box[i] = i - (FRAME - s.rank) < 0 ? -1 : i - (FRAME - s.rank);
	a->post = post;
	a->post_ptr = FIRST_POST;
	return group_program(p, t->group, 0, t->product->results[0], NULL, &s, box, FRAME, FIRST_POST, post, posts);
}

/* Results that are transposed next are laid out as the transposition wants them, when rows stay rows. */
static void result_order(Planner *p, const Value *v, int *order)
{
	const Op *user = only_user(p, v);
	int rank = pl_shape(p, v)->rank, perm[MAX_RANK];
	bool follow = user && op_is(user, OP_transpose) && op_perm(user, rank, perm) && perm[rank - 1] == rank - 1;
	for (int i = 0; i < rank; i++)
		order[i] = follow ? perm[i] : i;
}

static bool plan_pattern(Planner *p, const Attention *t)
{
	const Value *result = t->values->results[0];
	const Shape *scores = pl_shape(p, t->softmax->results[0]);
	AttentionParam *a = NEW(p->arena, AttentionParam);
	Frame f = { .has_bias = false };
	IntList posts = { 0 };
	int order[VIEW_RANK];
	result_order(p, result, order);
	View y = pl_result(p, result, order), place = y;
	if (y.stride[y.rank - 1] != 1 && y.dims[y.rank - 1] != 1) {
		y = view_dense(y.dtype, y.rank, y.dims);
		y.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(float));
	}
	f.y = framed(&y);
	operand_views(p, t, &f);
	*a = (AttentionParam){ .scale = alpha_of(t->product), .first_key = INT64_MIN, .last_key = INT64_MAX };
	bool simple = simple_scores(p, t, scores, a, &f);
	if (!simple) {
		f.has_bias = false;
		a->scale = alpha_of(t->product);
	}
	if (alpha_of(t->values) != 1.0f || !fill_param(a, &f) || !p->prog->kernels->attention_plan(a, p->threads) ||
			(t->group && !simple && !score_program(p, t, scores, a, &posts)))
		return false;
	emit_step(p, a, &f, &posts);
	pl_set(p, result, y);
	if (!view_same(&y, &place)) {
		pl_copy(p, &y, &place);
		pl_set(p, result, place);
	}
	return true;
}

bool plan_attention(Planner *p, const Attention *t)
{
	return plan_pattern(p, t);
}

/* What the step stands for, in order, the last product left out. */
size_t attention_parts(const Attention *t, const Op **out)
{
	out[0] = t->group ? t->group->root : t->product;
	out[1] = t->softmax;
	return 2;
}

/* ---- the op ---- */

/* (batch, heads, length, size), or (batch, length, heads * size), as (batch, kv heads, heads of each, length, size). */
static bool head_view(View *v, int64_t heads, int64_t kv_heads)
{
	View four = *v, five;
	if (v->rank == 3) {
		if (heads < 1 || v->dims[2] % heads)
			return false;
		int64_t dims[] = { v->dims[0], v->dims[1], heads, v->dims[2] / heads };
		if (!view_reshape(v, 4, dims, &four))
			return false;
		int64_t n = four.dims[1], step = four.stride[1];
		four.dims[1] = four.dims[2], four.stride[1] = four.stride[2];
		four.dims[2] = n, four.stride[2] = step;
	}
	if (four.rank != 4 || kv_heads < 1 || four.dims[1] % kv_heads)
		return false;
	int64_t dims[] = { four.dims[0], kv_heads, four.dims[1] / kv_heads, four.dims[2], four.dims[3] };
	if (!view_reshape(&four, 5, dims, &five))
		return false;
	*v = five;
	return true;
}

/* Keys or values of all steps: the past, then the new ones, in the result that shows them if there is one. */
static bool join_past(Planner *p, const Op *op, size_t past, size_t result, View *now, int64_t kv_heads)
{
	const Value *before = op_operand(op, past), *present = op->nresults > result ? op->results[result] : NULL;
	bool wanted = present && value_has_uses(present);
	if (!head_view(now, kv_heads, kv_heads))
		return false;
	if (!before && !wanted)
		return true;
	View old = { .rank = 0 };
	int64_t length = 0;
	if (before) {
		old = pl_view(p, before);
		if (old.rank != 4 || old.dtype != now->dtype || old.dims[0] != now->dims[0] || old.dims[1] != kv_heads ||
				old.dims[3] != now->dims[4])
			return false;
		length = old.dims[2];
	}
	int64_t dims[] = { now->dims[0], kv_heads, length + now->dims[3], now->dims[4] };
	View all = view_dense(now->dtype, 4, dims), part, from;
	all.buffer = pl_buffer(p, view_count(&all) * (int64_t)dtype_size(all.dtype));
	part = all;
	part.dims[2] = length;
	if (length)
		pl_copy(p, &old, &part);
	part.dims[2] = now->dims[3];
	part.offset += length * part.stride[2];
	int64_t plain[] = { dims[0], dims[1], now->dims[3], dims[3] };
	if (!view_reshape(now, 4, plain, &from))
		return false;
	pl_copy(p, &from, &part);
	if (wanted)
		pl_set(p, present, all);
	*now = all;
	return head_view(now, kv_heads, kv_heads);
}

/* Instruction k of a small program: a, b and c are registers. */
static void put(TileProgram *t, TileOp op, DType d, int dst, int a, int b, int c, float f0)
{
	t->code[t->ncode++] = (TileInstr){ .op = (uint8_t)op, .dtype = (uint8_t)d, .dst = (uint8_t)dst, .a = (uint8_t)a,
		.b = (uint8_t)b, .c = (uint8_t)c, .f0 = f0 };
}

/* Soft bound of the scores, then minus infinity where a mask of bools says no. */
static void op_program(Planner *p, AttentionParam *a, float softcap, const View *mask, IntList *posts)
{
	TileProgram *t = NEW(p->arena, TileProgram);
	*t = (TileProgram){ .rank = FRAME, .dims = { a->batch[0], a->batch[1], a->batch[2], a->m, a->n }, .noperands = 1,
		.cost = 0.5 };
	t->operands[0] = (TileOperand){ .dtype = DT_F32, .stride = { 0, 0, 0, a->score_row, 1 } };
	put(t, TILE_LOAD, DT_F32, 0, 0, 0, 0, 0);
	if (softcap > 0) {
		put(t, TILE_CONST, DT_F32, 1, 0, 0, 0, softcap);
		put(t, TILE_DIV, DT_F32, 0, 0, 1, 0, 0);
		put(t, TILE_TANH, DT_F32, 0, 0, 0, 0, 0);
		put(t, TILE_MUL, DT_F32, 0, 0, 1, 0, 0);
	}
	if (mask) {
		TileOperand *o = &t->operands[t->noperands++];
		*o = (TileOperand){ .ptr = FIRST_POST, .dtype = DT_BOOL, .offset = mask->offset };
		memcpy(o->stride, mask->stride, FRAME * sizeof(*o->stride));
		VEC_PUSH(p->scratch, posts, mask->buffer);
		put(t, TILE_LOAD, DT_BOOL, 2, 0, 0, 0, 0);
		t->code[t->ncode - 1].operand = 1;
		put(t, TILE_CONST, DT_F32, 3, 0, 0, 0, 0.0f);
		put(t, TILE_CONST, DT_F32, 4, 0, 0, 0, -INFINITY);
		put(t, TILE_SELECT, DT_F32, 5, 2, 3, 4, 0);
		put(t, TILE_ADD, DT_F32, 0, 0, 5, 0, 0);
	}
	put(t, TILE_STORE, DT_F32, 0, 0, 0, 0, 0);
	a->post = t;
	a->post_ptr = FIRST_POST;
}

/* The mask as (batch, kv heads, heads of each, queries, keys). */
static bool mask_view(Planner *p, const Op *op, const AttentionParam *a, View *out)
{
	View m = pl_view(p, op_operand(op, 3));
	int64_t dims[] = { a->batch[0], a->batch[1] * a->batch[2], a->m, a->n };
	if (m.rank > 4 || (m.dtype != DT_F32 && m.dtype != DT_BOOL))
		return false;
	for (int i = 0; i < m.rank; i++)
		if (m.dims[i] != 1 && m.dims[i] != dims[4 - m.rank + i])
			return false; /* one that ends before the keys do, among others */
	m = view_broadcast(&m, 4, dims);
	*out = m;
	return head_view(out, dims[1], a->batch[1]);
}

static void set_window(AttentionParam *a, const Op *op, int64_t past)
{
	int64_t left = op_int(op, A_left_window_size), right = op_int(op, A_right_window_size);
	a->first_key = left >= 0 ? past - left : INT64_MIN;
	a->last_key = right >= 0 ? past + right : INT64_MAX;
	if (op_int(op, A_is_causal) && a->last_key > past)
		a->last_key = past;
}

static bool op_fits(Planner *p, const Op *op)
{
	for (size_t i = 0; i < 6; i++) {
		const Shape *s = pl_shape(p, op_operand(op, i));
		if (op_operand(op, i) && (!s || (i != 3 && s->dtype != DT_F32)))
			return false;
	}
	return !op_operand(op, 6) && !op_operand(op, 4) == !op_operand(op, 5) &&
		!(op->nresults > 3 && value_has_uses(op->results[3])) && pl_shape(p, op->results[0])->dtype == DT_F32 &&
		op_int(op, A_left_window_size) < INT32_MAX && op_int(op, A_right_window_size) < INT32_MAX;
}

bool plan_attention_op(Planner *p, const Op *op)
{
	if (!op_fits(p, op))
		return false;
	View q = pl_view(p, op_operand(op, 0)), k = pl_view(p, op_operand(op, 1)), v = pl_view(p, op_operand(op, 2));
	bool flat = q.rank == 3;
	int64_t heads = flat ? op_int(op, A_q_num_heads) : q.rank == 4 ? q.dims[1] : 0;
	int64_t kv_heads = k.rank == 3 ? op_int(op, A_kv_num_heads) : k.rank == 4 ? k.dims[1] : 0;
	int64_t past = op_operand(op, 4) ? pl_shape(p, op_operand(op, 4))->dims[2] : 0;
	View y = pl_result(p, op->results[0], NULL);
	Frame f = { .q = q, .k = k, .v = v, .y = y };
	AttentionParam *a = NEW(p->arena, AttentionParam);
	IntList posts = { 0 };
	if (!head_view(&f.q, heads, kv_heads) || !head_view(&f.y, heads, kv_heads) ||
			!join_past(p, op, 4, 1, &f.k, kv_heads) || !join_past(p, op, 5, 2, &f.v, kv_heads) ||
			f.k.dims[0] != f.q.dims[0] || f.v.dims[0] != f.q.dims[0] || f.v.dims[1] != kv_heads || f.v.dims[2] != 1 || f.k.dims[2] != 1 || f.k.dims[4] != f.q.dims[4] ||
			f.v.dims[3] != f.k.dims[3] || f.y.stride[FRAME - 1] != 1)
		return false;
	f.k.stride[2] = f.v.stride[2] = 0;
	const Attr *scale = op_attr(op, A_scale);
	*a = (AttentionParam){ .zero_masked = true,
		.scale = scale && scale->kind == ATTR_FLOAT ? (float)scale->u.f : 1.0f / sqrtf((float)f.q.dims[FRAME - 1]) };
	if (!fill_param(a, &f))
		return false;
	set_window(a, op, past);
	View mask;
	if (op_operand(op, 3) && !mask_view(p, op, a, &mask))
		return false;
	f.has_bias = op_operand(op, 3) && mask.dtype == DT_F32;
	if (f.has_bias)
		f.bias = mask;
	if (!fill_param(a, &f) || !p->prog->kernels->attention_plan(a, p->threads))
		return false;
	float softcap = (float)op_float(op, A_softcap);
	bool bools = op_operand(op, 3) && mask.dtype == DT_BOOL;
	if (bools || softcap > 0)
		op_program(p, a, softcap, bools ? &mask : NULL, &posts);
	emit_step(p, a, &f, &posts);
	pl_set(p, op->results[0], y);
	return true;
}

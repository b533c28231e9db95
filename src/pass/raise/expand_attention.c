#include "raise_int.h"

#include <math.h>
#include <string.h>

/* Attention and rotary embeddings as products, for opsets that lack the operators. What the evaluator does for them
 * (ops/attention.c) is the meaning: a query whose keys are all masked gives zeros. */

typedef struct Ex {
	Lg *l;
	InferCtx x;
	Diags quiet;
} Ex;

static void ex_init(Ex *e, Lg *l)
{
	e->l = l;
	diags_init(&e->quiet, l->a);
	infer_init(&e->x, l->m, l->a, &e->quiet);
}

static Value *put(Ex *e, OpKind k, Value *const *in, size_t n, const RwAttr *attrs)
{
	Value *y = lg_new(e->l, k, in, n, attrs);
	infer_op(&e->x, y->def);
	return y;
}

static Value *put2(Ex *e, OpKind k, Value *a, Value *b)
{
	return put(e, k, (Value *[]){ a, b }, 2, NULL);
}

static Value *reshaped(Ex *e, Value *x, const int64_t *dims, size_t n)
{
	return put2(e, OP_reshape, x, rz_ints(e->l, dims, n));
}

static Value *turned(Ex *e, Value *x, const int64_t *perm, size_t n)
{
	return put(e, OP_transpose, &x, 1, (RwAttr[]){ { A_perm, lg_ints_attr(e->l, perm, n) }, { A_NONE, NULL } });
}

static Value *unsqueezed(Ex *e, Value *x, int64_t axis)
{
	return put(e, OP_unsqueeze, &x, 1, (RwAttr[]){ { A_axes, lg_ints_attr(e->l, &axis, 1) }, { A_NONE, NULL } });
}

static Value *joined(Ex *e, Value *const *v, size_t n, int64_t axis)
{
	return put(e, OP_concat, v, n, (RwAttr[]){ { A_axis, lg_int(e->l, axis) }, { A_NONE, NULL } });
}

static Value *part(Ex *e, Value *x, int64_t axis, int64_t from, int64_t to, int64_t step)
{
	Value *in[4] = { x, rz_ints(e->l, &from, 1), rz_ints(e->l, &to, 1), step != 1 ? rz_ints(e->l, &step, 1) : NULL };
	return put(e, OP_slice, in, step != 1 ? 4 : 3,
			(RwAttr[]){ { A_axes, lg_ints_attr(e->l, &axis, 1) }, { A_NONE, NULL } });
}

static bool known_dim(const Value *v, int i, int64_t *out)
{
	return type_has_rank(v->type) && i < v->type->rank && sym_const(v->type->dims[i], out);
}

/* ---- attention ---- */

typedef struct Heads {
	Value *q, *k, *v;    /* (batch, heads, length, size); keys and values with the past */
	int64_t heads, kv_heads, size;
	bool flat;
	DType d;
} Heads;

/* (batch, length, heads * size) as (batch, heads, length, size). */
static Value *by_head(Ex *e, Value *x, int64_t heads)
{
	if (lg_rank(x) == 4)
		return x;
	return turned(e, reshaped(e, x, (int64_t[]){ 0, 0, heads, -1 }, 4), (int64_t[]){ 0, 2, 1, 3 }, 4);
}

static bool read_heads(Ex *e, Heads *h)
{
	Lg *l = e->l;
	Value *q = lg_in(l, 0), *k = lg_in(l, 1), *v = lg_in(l, 2);
	h->d = lg_dtype(q);
	h->flat = lg_rank(q) == 3;
	h->heads = op_int(l->op, A_q_num_heads);
	h->kv_heads = op_int(l->op, A_kv_num_heads);
	if (h->d == DT_NONE || lg_rank(k) != lg_rank(q) || lg_rank(v) != lg_rank(q) || (lg_rank(q) != 3 && lg_rank(q) != 4))
		return rz_no(l, "without that operator, the ranks and the element type must be known");
	if (!h->flat && (!known_dim(q, 1, &h->heads) || !known_dim(k, 1, &h->kv_heads)))
		return rz_no(l, "without that operator, the number of heads must be known");
	if (h->heads < 1 || h->kv_heads < 1 || h->heads % h->kv_heads != 0)
		return rz_no(l, "the numbers of heads do not go together");
	h->q = by_head(e, q, h->heads);
	h->k = by_head(e, k, h->kv_heads);
	h->v = by_head(e, v, h->kv_heads);
	if (!known_dim(h->q, 3, &h->size) || h->size < 1)
		return rz_no(l, "without that operator, the size of a head must be known");
	if (lg_in(l, 4))
		h->k = joined(e, (Value *[]){ lg_in(l, 4), h->k }, 2, 2);
	if (lg_in(l, 5))
		h->v = joined(e, (Value *[]){ lg_in(l, 5), h->v }, 2, 2);
	return true;
}

/* Each head as often as there are heads of queries for it. */
static bool repeat_heads(Ex *e, const Heads *h, Value **x)
{
	int64_t times = h->heads / h->kv_heads, size;
	Value *copies[64];
	if (times == 1)
		return true;
	if (times > 64 || !known_dim(*x, 3, &size))
		return rz_no(e->l, "without that operator, the size of a value must be known");
	Value *one = unsqueezed(e, *x, 2);
	for (int64_t i = 0; i < times; i++)
		copies[i] = one;
	*x = reshaped(e, joined(e, copies, (size_t)times, 2), (int64_t[]){ 0, h->heads, -1, size }, 4);
	return true;
}

/* The size of dim i as an i64 scalar. */
static Value *size_of(Ex *e, Value *x, int i)
{
	int64_t n;
	Lg *l = e->l;
	if (known_dim(x, i, &n))
		return rz_ints_of(l, DT_I64, 0, NULL, &n);
	Value *shape = put(e, OP_shape, &x, 1, NULL);
	return put2(e, OP_gather, shape, rz_ints_of(l, DT_I64, 0, NULL, (int64_t[]){ i }));
}

/* 0, 1, ... up to the size of dim i. */
static Value *places_of(Ex *e, Value *x, int i)
{
	int64_t n;
	Lg *l = e->l;
	if (known_dim(x, i, &n) && n <= 1 << 20) {
		int64_t *all = NEW_ARRAY(l->a, int64_t, n + 1);
		for (int64_t k = 0; k < n; k++)
			all[k] = k;
		return rz_ints(l, all, (size_t)n);
	}
	int64_t zero = 0, one = 1;
	return put(e, OP_range, (Value *[]){ rz_ints_of(l, DT_I64, 0, NULL, &zero), size_of(e, x, i),
			rz_ints_of(l, DT_I64, 0, NULL, &one) }, 3, NULL);
}

static Value *both(Ex *e, Value *a, Value *b)
{
	return !a ? b : !b ? a : put2(e, OP_and, a, b);
}

/* Which keys a query may see: NULL when all. (queries, keys), or (batch, 1, queries, keys) with counts of valid keys. */
static Value *allowed_keys(Ex *e, const Heads *h)
{
	Lg *l = e->l;
	int64_t left = op_int(l->op, A_left_window_size), right = op_int(l->op, A_right_window_size);
	Value *counts = lg_in(l, 6), *past = lg_in(l, 4), *seen = NULL;
	if (!op_int(l->op, A_is_causal) && left < 0 && right < 0 && !counts)
		return NULL;
	Value *place = unsqueezed(e, places_of(e, h->q, 2), 1), *key = places_of(e, h->k, 2);
	if (past)
		place = put2(e, OP_add, place, size_of(e, past, 2));
	if (counts) {
		counts = reshaped(e, counts, (int64_t[]){ -1, 1, 1, 1 }, 4);
		place = put2(e, OP_add, place, put2(e, OP_sub, counts, size_of(e, h->q, 2)));
		seen = put2(e, OP_lt, key, counts);
	}
	if (op_int(l->op, A_is_causal))
		seen = both(e, seen, put2(e, OP_le, key, place));
	if (left >= 0)
		seen = both(e, seen, put2(e, OP_ge, key, put2(e, OP_sub, place, rz_ints_of(l, DT_I64, 0, NULL, &left))));
	if (right >= 0)
		seen = both(e, seen, put2(e, OP_le, key, put2(e, OP_add, place, rz_ints_of(l, DT_I64, 0, NULL, &right))));
	return seen;
}

/* What is added to the scores; NULL: nothing. A bool mask joins what may be seen. */
static bool bias_of(Ex *e, const Heads *h, Value **out)
{
	Lg *l = e->l;
	Value *mask = lg_in(l, 3), *seen = allowed_keys(e, h);
	int rank = lg_rank(mask);
	*out = NULL;
	if (mask && (rank < 1 || !sym_known_eq(mask->type->dims[rank - 1], h->k->type->dims[2])) &&
			!(rank > 0 && sym_is(mask->type->dims[rank - 1], 1)))
		return rz_no(l, "without that operator, the mask must be as long as the keys");
	if (mask && lg_dtype(mask) == DT_BOOL) {
		seen = both(e, seen, mask);
		mask = NULL;
	}
	Value *none = mask ? mask : rz_float(l, h->d, 0), *never = rz_float(l, h->d, -(double)INFINITY);
	*out = seen ? put(e, OP_select, (Value *[]){ seen, none, never }, 3, NULL) : mask;
	return true;
}

static void show_scores(Lg *l, int64_t mode, Value *scores)
{
	if (l->op->nresults > 3 && op_int(l->op, A_qk_matmul_output_mode) == mode)
		value_replace_uses(l->op->results[3], scores);
}

/* Scores to probabilities; rows without an open key become zeros. */
static Value *probabilities(Ex *e, const Heads *h, Value *scores, bool masked)
{
	Lg *l = e->l;
	Value *p = put(e, OP_softmax, &scores, 1, (RwAttr[]){ { A_axis, lg_int(l, 3) }, { A_NONE, NULL } });
	if (!masked)
		return p;
	Value *top = put(e, OP_reduce, &scores, 1, (RwAttr[]){ { A_kind, lg_text(l, "max") },
			{ A_axes, lg_ints_attr(l, (int64_t[]){ 3 }, 1) }, { A_NONE, NULL } });
	Value *closed = put(e, OP_isinf, &top, 1, (RwAttr[]){ { A_detect_positive, lg_int(l, 0) }, { A_NONE, NULL } });
	return put(e, OP_select, (Value *[]){ closed, rz_float(l, h->d, 0), p }, 3, NULL);
}

bool ex_attention(Lg *l, OpKind onnx)
{
	Ex e;
	Heads h;
	Value *bias;
	(void)onnx;
	ex_init(&e, l);
	if (!read_heads(&e, &h) || !bias_of(&e, &h, &bias))
		return false;
	Value *present[2] = { h.k, h.v };
	if (!repeat_heads(&e, &h, &h.k) || !repeat_heads(&e, &h, &h.v))
		return false;
	const Attr *given = lg_attr(l, A_scale);
	double scale = given ? given->u.f : 1 / sqrt((double)h.size), cap = op_float(l->op, A_softcap);
	Value *scores = put2(&e, OP_matmul, put2(&e, OP_mul, h.q, rz_float(l, h.d, scale)),
			turned(&e, h.k, (int64_t[]){ 0, 1, 3, 2 }, 4));
	show_scores(l, 0, scores);
	if (cap > 0) {
		Value *bent = put2(&e, OP_div, scores, rz_float(l, h.d, cap));
		scores = put2(&e, OP_mul, put(&e, OP_tanh, &bent, 1, NULL), rz_float(l, h.d, cap));
	}
	show_scores(l, 1, scores);
	if (bias)
		scores = put2(&e, OP_add, scores, bias);
	show_scores(l, 2, scores);
	Value *p = probabilities(&e, &h, scores, bias != NULL);
	show_scores(l, 3, p);
	for (size_t i = 1; i < 3 && i < l->op->nresults; i++)
		value_replace_uses(l->op->results[i], present[i - 1]);
	op_drop_results(l->op, 1);
	if (!h.flat)
		return lg_become(l, OP_matmul, (Value *[]){ p, h.v }, 2, NULL);
	Value *y = turned(&e, put2(&e, OP_matmul, p, h.v), (int64_t[]){ 0, 2, 1, 3 }, 4);
	return lg_become(l, OP_reshape, (Value *[]){ y, rz_ints(l, (int64_t[]){ 0, 0, -1 }, 3) }, 2, NULL);
}

/* ---- rotary embedding ---- */

/* Rows of a cache for each place, cut to the angles in use, with a dim for the heads. */
static Value *angles(Ex *e, Value *cache, Value *places, int64_t half, int64_t head_axis)
{
	if (places)
		cache = put2(e, OP_gather, cache, places);
	return unsqueezed(e, part(e, cache, 2, 0, half, 1), head_axis);
}

bool ex_rotary(Lg *l, OpKind onnx)
{
	Ex e;
	Value *x = lg_in(l, 0);
	bool flat = lg_rank(x) == 3, pairs = op_int(l->op, A_interleaved) != 0;
	int64_t size, turn = op_int(l->op, A_rotary_embedding_dim);
	(void)onnx;
	ex_init(&e, l);
	if (flat)
		x = reshaped(&e, x, (int64_t[]){ 0, 0, op_int(l->op, A_num_heads), -1 }, 4);
	if (lg_rank(x) != 4 || !known_dim(x, 3, &size))
		return rz_no(l, "without that operator, the size of a head must be known");
	turn = turn ? turn : size;
	int64_t half = turn / 2;
	Value *c = angles(&e, lg_in(l, 1), lg_in(l, 3), half, flat ? 2 : 1);
	Value *s = angles(&e, lg_in(l, 2), lg_in(l, 3), half, flat ? 2 : 1);
	Value *a = pairs ? part(&e, x, 3, 0, turn, 2) : part(&e, x, 3, 0, half, 1);
	Value *b = pairs ? part(&e, x, 3, 1, turn, 2) : part(&e, x, 3, half, turn, 1);
	Value *first = put2(&e, OP_sub, put2(&e, OP_mul, c, a), put2(&e, OP_mul, s, b));
	Value *second = put2(&e, OP_add, put2(&e, OP_mul, s, a), put2(&e, OP_mul, c, b));
	Value *parts[3] = { first, second, NULL };
	size_t n = 2;
	if (pairs) {
		Value *both_parts = joined(&e, (Value *[]){ unsqueezed(&e, first, 4), unsqueezed(&e, second, 4) }, 2, 4);
		parts[0] = reshaped(&e, both_parts, (int64_t[]){ 0, 0, 0, -1 }, 4);
		n = 1;
	}
	if (turn < size)
		parts[n++] = part(&e, x, 3, turn, size, 1);
	Value *y = n == 1 ? parts[0] : joined(&e, parts, n, 3);
	if (!flat)
		return lg_become(l, OP_identity, &y, 1, NULL);
	return lg_become(l, OP_reshape, (Value *[]){ y, rz_ints(l, (int64_t[]){ 0, 0, -1 }, 3) }, 2, NULL);
}

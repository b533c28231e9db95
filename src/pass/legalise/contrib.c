#include "legalise_int.h"

#include <math.h>
#include <string.h>

/* Operators of com.microsoft, taken apart to be run: see evalonly.c. Types of operands are all known here. */

static Value *shaped(Lg *l, Value *x, const int64_t *dims, size_t n)
{
	return lg_new2(l, OP_reshape, x, lg_const_ints(l, dims, n), NULL);
}

static Value *turned(Lg *l, Value *x, const int64_t *perm, size_t n)
{
	return lg_new1(l, OP_transpose, x, (RwAttr[]){ { A_perm, lg_ints_attr(l, perm, n) }, { A_NONE, NULL } });
}

static Value *sliced(Lg *l, Value *x, int64_t axis, int64_t first, int64_t last)
{
	return lg_new(l, OP_slice, (Value *[]){ x, lg_const_ints(l, &first, 1), lg_const_ints(l, &last, 1) }, 3,
			(RwAttr[]){ { A_axes, lg_ints_attr(l, &axis, 1) }, { A_NONE, NULL } });
}

static Value *plus(Lg *l, Value *x, Value *more)
{
	return more ? lg_new2(l, OP_add, x, more, NULL) : x;
}

static Value *as_type(Lg *l, Value *x, DType d)
{
	return lg_new1(l, OP_cast, x, (RwAttr[]){ { A_to, attr_dtype(l->c, d) }, { A_NONE, NULL } });
}

/* Dims of operand i with the given rank; false when it is absent or of another. */
static bool dims_of(const Lg *l, size_t i, int rank, int64_t *dims)
{
	const Value *v = lg_in(l, i);
	return v && lg_rank(v) == rank && type_static_dims(v->type, dims);
}

/* A result other than the first: v stands for it, and the op keeps its first result only once all are taken. */
static void give_result(Lg *l, size_t i, Value *v)
{
	if (i < l->op->nresults)
		value_replace_uses(l->op->results[i], v);
}

/* ---- activations ---- */

static bool contrib_gelu(Lg *l, OpKind core)
{
	bool fast = op_is(l->op, OWN_MS_FastGelu);
	Value *x = plus(l, lg_in(l, 0), lg_in(l, 1));
	return lg_become(l, core, &x, 1,
			(RwAttr[]){ { A_approximate, fast ? lg_text(l, "tanh") : NULL }, { A_NONE, NULL } });
}

static bool contrib_quick_gelu(Lg *l, OpKind core)
{
	return lg_become_same(l, core, (RwAttr[]){ { A_alpha, lg_float(l, op_float(l->op, A_alpha)) }, { A_NONE, NULL } });
}

/* The op becomes the activation of that name over x. */
static bool activate(Lg *l, Value *x, const Str *name, const Attr *alpha, const Attr *beta)
{
	static const struct { const char *name; OpKind kind; bool alpha, beta; } KINDS[] = {
		{ "Relu", OP_relu, false, false }, { "Tanh", OP_tanh, false, false }, { "Sigmoid", OP_sigmoid, false, false },
		{ "LeakyRelu", OP_leaky_relu, true, false }, { "HardSigmoid", OP_hard_sigmoid, true, true },
	};
	if (!name)
		return lg_become(l, OP_identity, &x, 1, NULL);
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (!strcmp(KINDS[i].name, name->s))
			return lg_become(l, KINDS[i].kind, &x, 1, (RwAttr[]){ { A_alpha, KINDS[i].alpha ? alpha : NULL },
					{ A_beta, KINDS[i].beta ? beta : NULL }, { A_NONE, NULL } });
	if (strcmp(name->s, "Clip") || !alpha || !beta)
		return false;
	DType d = lg_dtype(lg_in(l, 0));
	return lg_become(l, OP_clamp, (Value *[]){ x, lg_const_float(l, d, alpha->u.f), lg_const_float(l, d, beta->u.f) }, 3,
			NULL);
}

/* ---- products ---- */

/* x with its last two axes exchanged, and with `batch` the first one moved before the last. */
static Value *matrix_view(Lg *l, Value *x, bool exchange, bool batch)
{
	int64_t perm[MAX_RANK], first;
	int rank = lg_rank(x);
	if (rank < 2 || rank > MAX_RANK || (!exchange && !batch))
		return x;
	for (int i = 0; i < rank; i++)
		perm[i] = i;
	first = perm[0];
	for (int i = 0; batch && i < rank - 2; i++)
		perm[i] = perm[i + 1];
	if (batch)
		perm[rank - 2] = first;
	if (exchange) {
		int64_t t = perm[rank - 2];
		perm[rank - 2] = perm[rank - 1];
		perm[rank - 1] = t;
	}
	return turned(l, x, perm, (size_t)rank);
}

static bool contrib_matmul(Lg *l, OpKind core)
{
	const Op *op = l->op;
	double alpha = op_float(op, A_alpha);
	Value *a = matrix_view(l, lg_in(l, 0), op_int(op, A_transA) != 0, op_int(op, A_transBatchA) != 0);
	Value *b = matrix_view(l, lg_in(l, 1), op_int(op, A_transB) != 0, op_int(op, A_transBatchB) != 0);
	if (lg_rank(lg_in(l, 0)) < 0 || lg_rank(lg_in(l, 1)) < 0)
		return false;
	if (alpha == 1)
		return lg_become(l, core, (Value *[]){ a, b }, 2, NULL);
	Value *y = lg_new2(l, core, a, b, NULL);
	return lg_become(l, OP_mul, (Value *[]){ y, lg_const_float(l, lg_dtype(lg_in(l, 0)), alpha) }, 2, NULL);
}

static bool contrib_gemm(Lg *l, OpKind core)
{
	const Op *op = l->op;
	Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) };
	Value *y = lg_new(l, core, in, in[2] ? 3 : 2, (RwAttr[]){ { A_alpha, lg_float(l, op_float(op, A_alpha)) },
			{ A_beta, lg_float(l, op_float(op, A_beta)) }, { A_trans_a, lg_int(l, op_int(op, A_transA)) },
			{ A_trans_b, lg_int(l, op_int(op, A_transB)) }, { A_NONE, NULL } });
	return activate(l, y, op_attr_str(op, A_activation), lg_attr(l, A_activation_alpha), lg_attr(l, A_activation_beta));
}

static bool contrib_conv(Lg *l, OpKind core)
{
	const Op *op = l->op;
	const Str *pad = op_attr_str(op, A_auto_pad);
	const Attr *p = lg_attr(l, A_activation_params);
	Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) };
	if (pad && strcmp(pad->s, "NOTSET") && strcmp(pad->s, "VALID"))
		return false;
	Value *y = lg_new(l, core, in, in[2] ? 3 : 2, (RwAttr[]){ { A_strides, lg_attr(l, A_strides) },
			{ A_pads, lg_attr(l, A_pads) }, { A_dilations, lg_attr(l, A_dilations) }, { A_groups, lg_attr(l, A_group) },
			{ A_NONE, NULL } });
	bool some = p && p->kind == ATTR_FLOATS;
	return activate(l, plus(l, y, lg_in(l, 3)), op_attr_str(op, A_activation),
			some && p->u.floats.n > 0 ? lg_float(l, p->u.floats.v[0]) : NULL,
			some && p->u.floats.n > 1 ? lg_float(l, p->u.floats.v[1]) : NULL);
}

/* ---- normalisation ---- */

/* Normalises sum over its last axis; results 1 and 2 are not to be had. */
static bool become_norm(Lg *l, OpKind core, Value *sum, Value *gamma, Value *beta)
{
	const Attr *epsilon = lg_float(l, op_float(l->op, A_epsilon));
	op_drop_results(l->op, 1);
	return lg_become(l, core, (Value *[]){ sum, gamma, beta }, beta ? 3 : 2,
			(RwAttr[]){ { A_epsilon, epsilon }, { A_NONE, NULL } });
}

static bool contrib_skip_norm(Lg *l, OpKind core)
{
	bool rms = core == OP_rms_norm;
	Value *sum = plus(l, lg_new2(l, OP_add, lg_in(l, 0), lg_in(l, 1), NULL), lg_in(l, rms ? 3 : 4));
	for (size_t i = 1; i < l->op->nresults && i < 3; i++)
		if (value_has_uses(l->op->results[i]))
			return false;
	give_result(l, 3, sum);
	return become_norm(l, core, sum, lg_in(l, 2), rms ? NULL : lg_in(l, 3));
}

static bool contrib_rms(Lg *l, OpKind core)
{
	if (!lg_unused_results(l, 1))
		return false;
	const Attr *axis = lg_int(l, op_int(l->op, A_axis)), *epsilon = lg_float(l, op_float(l->op, A_epsilon));
	op_drop_results(l->op, 1);
	return lg_become_same(l, core, (RwAttr[]){ { A_axis, axis }, { A_epsilon, epsilon }, { A_NONE, NULL } });
}

/* Embeddings of words, places and segments, added and normalised; the mask index is the number of ones of each row. */
static bool contrib_embed(Lg *l, OpKind core)
{
	int64_t ids[2];
	Value *segments = lg_in(l, 1), *segment_table = lg_in(l, 4), *mask = lg_in(l, 7), *places = lg_in(l, 8);
	if (!dims_of(l, 0, 2, ids))
		return false;
	Value *sum = lg_new2(l, OP_gather, lg_in(l, 2), lg_in(l, 0), NULL);
	Value *place = places ? lg_new2(l, OP_gather, lg_in(l, 3), places, NULL) : sliced(l, lg_in(l, 3), 0, 0, ids[1]);
	sum = plus(l, sum, place);
	if (segments && segment_table)
		sum = plus(l, sum, lg_new2(l, OP_gather, segment_table, segments, NULL));
	if (l->op->nresults > 1 && value_has_uses(l->op->results[1])) {
		if (!mask || op_int(l->op, A_mask_index_type) > 1)
			return false;
		give_result(l, 1, lg_new1(l, OP_reduce, mask, (RwAttr[]){ { A_kind, lg_text(l, "sum") },
				{ A_axes, lg_ints_attr(l, (int64_t[]){ 1 }, 1) }, { A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } }));
	}
	give_result(l, 2, sum);
	return become_norm(l, core, sum, lg_in(l, 5), lg_in(l, 6));
}

/* ---- attention ---- */

typedef struct Heads {
	Value *q, *k, *v;         /* (batch, length, heads * size) */
	Value *past_k, *past_v, *mask;
	int64_t batch, queries, keys, past;
	DType d;
} Heads;

/* What a mask of ones and zeros, or of lengths, adds to the scores: (batch, 1, 1 or queries, all keys). */
static bool padding_mask(Lg *l, const Heads *h, Value *m, Value **out)
{
	int64_t dims[MAX_RANK], total = h->past + h->keys;
	int rank = lg_rank(m);
	Value *keep;
	if (rank < 1 || rank > 3 || !type_static_dims(m->type, dims))
		return false;
	if (rank == 1 && dims[0] == h->batch) {
		int64_t *places = NEW_ARRAY(l->a, int64_t, total + 1);
		for (int64_t i = 0; i < total; i++)
			places[i] = i;
		Value *lengths = shaped(l, as_type(l, m, DT_I64), (int64_t[]){ h->batch, 1, 1, 1 }, 4);
		keep = lg_new2(l, OP_lt, lg_const_ints(l, places, (size_t)total), lengths, NULL);
	} else if (rank >= 2 && dims[0] == h->batch && dims[rank - 1] == total && (rank == 2 || dims[1] == h->queries)) {
		keep = as_type(l, shaped(l, m, (int64_t[]){ h->batch, 1, rank == 3 ? h->queries : 1, total }, 4), DT_BOOL);
	} else {
		return false;
	}
	double filter = op_float(l->op, A_mask_filter_value);
	*out = lg_new(l, OP_select,
			(Value *[]){ keep, lg_const_float(l, h->d, 0), lg_const_float(l, h->d, filter) }, 3, NULL);
	return true;
}

static bool set_mask(Lg *l, Heads *h, Value *padding, Value *bias)
{
	if (padding && !padding_mask(l, h, padding, &h->mask))
		return false;
	if (bias)
		h->mask = plus(l, bias, h->mask);
	return true;
}

static void attention_attrs(Lg *l, int64_t heads, RwAttr *a)
{
	a[0] = (RwAttr){ A_q_num_heads, lg_int(l, heads) };
	a[1] = (RwAttr){ A_kv_num_heads, lg_int(l, heads) };
	a[2] = (RwAttr){ A_scale, op_attr_float(l->op, A_scale, 0) != 0 ? lg_attr(l, A_scale) : NULL };
	a[3] = (RwAttr){ A_is_causal, lg_int(l, op_int(l->op, A_unidirectional)) };
	a[4] = (RwAttr){ A_NONE, NULL };
}

/* (batch, length, 3 or 2, ...) packed operands and those of rank 4 are left alone. */
static bool contrib_mha(Lg *l, OpKind core)
{
	int64_t q[MAX_RANK], k[MAX_RANK], v[MAX_RANK], past[MAX_RANK] = { 0 }, heads = op_attr_int(l->op, A_num_heads, 0);
	RwAttr attrs[5];
	Value *bias = lg_in(l, 3);
	if (!dims_of(l, 0, 3, q) || !dims_of(l, 1, 3, k) || !dims_of(l, 2, 3, v) || heads < 1 || lg_in(l, 8) || lg_in(l, 9))
		return false;
	if ((lg_in(l, 6) || lg_in(l, 7)) && (!dims_of(l, 6, 4, past) || !lg_in(l, 7)))
		return false;
	Heads h = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2), lg_in(l, 6), lg_in(l, 7), NULL, q[0], q[1], k[1], past[2],
		lg_dtype(lg_in(l, 0)) };
	if (bias) {
		h.q = plus(l, h.q, sliced(l, bias, 0, 0, q[2]));
		h.k = plus(l, h.k, sliced(l, bias, 0, q[2], q[2] + k[2]));
		h.v = plus(l, h.v, sliced(l, bias, 0, q[2] + k[2], q[2] + k[2] + v[2]));
	}
	if (!set_mask(l, &h, lg_in(l, 4), lg_in(l, 5)))
		return false;
	attention_attrs(l, heads, attrs);
	return lg_become(l, core, (Value *[]){ h.q, h.k, h.v, h.mask, h.past_k, h.past_v }, 6, attrs);
}

/* Half of the state that is carried on: what was there and the new rows, as (1, batch, heads, length, size). */
static Value *present_half(Lg *l, const Heads *h, Value *past, Value *now, int64_t heads, int64_t width)
{
	Value *x = turned(l, shaped(l, now, (int64_t[]){ h->batch, h->keys, heads, width / heads }, 4),
			(int64_t[]){ 0, 2, 1, 3 }, 4);
	if (past)
		x = lg_new2(l, OP_concat, past, x, (RwAttr[]){ { A_axis, lg_int(l, 2) }, { A_NONE, NULL } });
	return lg_new1(l, OP_unsqueeze, x, (RwAttr[]){ { A_axes, lg_ints_attr(l, (int64_t[]){ 0 }, 1) }, { A_NONE, NULL } });
}

/* Queries, keys and values are one product with packed weights. */
static bool contrib_attention(Lg *l, OpKind core)
{
	int64_t x[MAX_RANK], w[MAX_RANK], past[MAX_RANK] = { 0 }, heads = op_attr_int(l->op, A_num_heads, 0), wide[3];
	const int64_t *sizes;
	RwAttr attrs[5];
	size_t n = op_attr_ints(l->op, A_qkv_hidden_sizes, &sizes);
	if (!dims_of(l, 0, 3, x) || !dims_of(l, 1, 2, w) || heads < 1 || op_int(l->op, A_do_rotary) || lg_in(l, 6))
		return false;
	if (lg_in(l, 4) && (!dims_of(l, 4, 5, past) || op_int(l->op, A_past_present_share_buffer)))
		return false;
	for (int i = 0; i < 3; i++)
		wide[i] = n == 3 ? sizes[i] : w[1] / 3;
	if (wide[0] < 0 || wide[1] < 0 || wide[2] < 0 || wide[1] % heads || wide[2] % heads)
		return false;
	Value *all = plus(l, lg_new2(l, OP_matmul, lg_in(l, 0), lg_in(l, 1), NULL), lg_in(l, 2));
	Heads h = { .q = sliced(l, all, 2, 0, wide[0]), .k = sliced(l, all, 2, wide[0], wide[0] + wide[1]),
		.v = sliced(l, all, 2, wide[0] + wide[1], wide[0] + wide[1] + wide[2]), .batch = x[0], .queries = x[1],
		.keys = x[1], .past = past[3], .d = lg_dtype(lg_in(l, 0)) };
	for (int64_t i = 0; lg_in(l, 4) && i < 2; i++)
		*(i ? &h.past_v : &h.past_k) = lg_new2(l, OP_gather, lg_in(l, 4), lg_const_int(l, i), NULL);
	if (!set_mask(l, &h, lg_in(l, 3), lg_in(l, 5)))
		return false;
	if (l->op->nresults > 1 && value_has_uses(l->op->results[1]))
		give_result(l, 1, lg_new2(l, OP_concat, present_half(l, &h, h.past_k, h.k, heads, wide[1]),
				present_half(l, &h, h.past_v, h.v, heads, wide[2]),
				(RwAttr[]){ { A_axis, lg_int(l, 0) }, { A_NONE, NULL } }));
	op_drop_results(l->op, 1);
	attention_attrs(l, heads, attrs);
	return lg_become(l, core, (Value *[]){ h.q, h.k, h.v, h.mask, h.past_k, h.past_v }, 6, attrs);
}

/* One place: all rows start there; (batch, length): given; core has the caches first. */
static bool contrib_rotary(Lg *l, OpKind core)
{
	const Op *op = l->op;
	int64_t x[MAX_RANK], first, cache[MAX_RANK];
	int rank = lg_rank(lg_in(l, 0));
	Value *places = lg_in(l, 1);
	if ((rank != 3 && rank != 4) || !dims_of(l, 0, rank, x) || op_int(op, A_is_packed_batching) ||
			op_float(op, A_scale) != 1 || !dims_of(l, 2, 2, cache))
		return false;
	int64_t batch = x[0], length = x[rank - 2], heads = op_int(op, A_num_heads), turn = op_int(op, A_rotary_embedding_dim);
	if (constant_int(places, &first) && length * batch > 0) {
		int64_t count, *all;
		if (!mul_ok(batch, length, &count) || count > 1 << 20)
			return false;
		all = NEW_ARRAY(l->a, int64_t, count + 1);
		for (int64_t i = 0; i < count; i++)
			all[i] = first + i % length;
		places = shaped(l, lg_const_ints(l, all, (size_t)count), (int64_t[]){ batch, length }, 2);
	}
	if (rank == 3 && !heads)
		heads = cache[1] > 0 ? x[2] / (2 * cache[1]) : 0;
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_in(l, 2), lg_in(l, 3), places }, 4,
			(RwAttr[]){ { A_interleaved, lg_int(l, op_int(op, A_interleaved)) }, { A_num_heads, lg_int(l, heads) },
			{ A_rotary_embedding_dim, lg_int(l, turn) }, { A_NONE, NULL } });
}

/* The caches' rows for places first.. of every batch entry. */
static Value *rotated(Lg *l, Value *x, const Heads *h, int64_t first, int64_t heads)
{
	int64_t count = h->batch * h->queries, *all = NEW_ARRAY(l->a, int64_t, count + 1);
	for (int64_t i = 0; i < count; i++)
		all[i] = first + i % h->queries;
	Value *places = shaped(l, lg_const_ints(l, all, (size_t)count), (int64_t[]){ h->batch, h->queries }, 2);
	return lg_new(l, OP_rotary_embedding, (Value *[]){ x, lg_in(l, 7), lg_in(l, 8), places }, 4,
			(RwAttr[]){ { A_interleaved, lg_int(l, op_int(l->op, A_rotary_interleaved)) },
			{ A_num_heads, lg_int(l, heads) }, { A_NONE, NULL } });
}

/* Batches whose entries all have the same length, without spare room in the state. */
static bool contrib_gqa(Lg *l, OpKind core)
{
	const Op *op = l->op;
	int64_t q[MAX_RANK], past[MAX_RANK] = { 0 }, heads = op_attr_int(op, A_num_heads, 0),
			kv = op_attr_int(op, A_kv_num_heads, 0), window = op_int(op, A_local_window_size);
	const int64_t *lengths;
	size_t n;
	if (!dims_of(l, 0, 3, q) || heads < 1 || kv < 1 || !lg_operand_ints(l, 5, &lengths, &n) || op_int(op, A_smooth_softmax))
		return false;
	if (lg_in(l, 3) && !dims_of(l, 3, 4, past))
		return false;
	for (size_t i = 0; i < n; i++)
		if (lengths[i] + 1 != past[2] + q[1])
			return false;
	Heads h = { .q = lg_in(l, 0), .k = lg_in(l, 1), .v = lg_in(l, 2), .past_k = lg_in(l, 3), .past_v = lg_in(l, 4),
		.batch = q[0], .queries = q[1], .keys = q[1], .past = past[2], .d = lg_dtype(lg_in(l, 0)) };
	if (!h.k) { /* packed: heads of queries, keys and values side by side */
		int64_t size = q[2] / (heads + 2 * kv);
		h.q = sliced(l, lg_in(l, 0), 2, 0, heads * size);
		h.k = sliced(l, lg_in(l, 0), 2, heads * size, (heads + kv) * size);
		h.v = sliced(l, lg_in(l, 0), 2, (heads + kv) * size, (heads + 2 * kv) * size);
	}
	if (op_int(op, A_do_rotary)) {
		if (!lg_in(l, 7) || !lg_in(l, 8) || h.batch * h.queries > 1 << 20)
			return false;
		h.q = rotated(l, h.q, &h, h.past, heads);
		h.k = rotated(l, h.k, &h, h.past, kv);
	}
	return lg_become(l, core, (Value *[]){ h.q, h.k, h.v, NULL, h.past_k, h.past_v }, 6,
			(RwAttr[]){ { A_q_num_heads, lg_int(l, heads) }, { A_kv_num_heads, lg_int(l, kv) },
			{ A_scale, op_attr_float(op, A_scale, 0) != 0 ? lg_attr(l, A_scale) : NULL }, { A_is_causal, lg_int(l, 1) },
			{ A_softcap, lg_attr(l, A_softcap) },
			{ A_left_window_size, window > 0 ? lg_int(l, window - 1) : NULL }, { A_NONE, NULL } });
}

/* ---- quantised ---- */

/* Operands i, i + 1 and i + 2: data, scale and zero point. */
static Value *dequantised(Lg *l, size_t i)
{
	Value *in[3] = { lg_in(l, i), lg_in(l, i + 1), lg_in(l, i + 2) };
	return lg_new(l, OP_dequantize, in, in[2] ? 3 : 2, NULL);
}

/* y in the scale and zero point of operands i and i + 1. Without a zero point the type is that of operand `like`. */
static bool become_quantised(Lg *l, Value *y, size_t i, size_t like)
{
	const Attr *to = lg_in(l, i + 1) ? NULL : attr_dtype(l->c, lg_dtype(lg_in(l, like)));
	return lg_become(l, OP_quantize, (Value *[]){ y, lg_in(l, i), lg_in(l, i + 1) }, 3,
			(RwAttr[]){ { A_to, to }, { A_NONE, NULL } });
}

static bool contrib_q_binary(Lg *l, OpKind core)
{
	return become_quantised(l, lg_new2(l, core, dequantised(l, 0), dequantised(l, 3), NULL), 6, 0);
}

static bool contrib_q_unary(Lg *l, OpKind core)
{
	if (op_int(l->op, A_channels_last))
		return false;
	const Attr *alpha = core == OP_leaky_relu ? lg_float(l, op_float(l->op, A_alpha)) : NULL;
	return become_quantised(l,
			lg_new1(l, core, dequantised(l, 0), (RwAttr[]){ { A_alpha, alpha }, { A_NONE, NULL } }), 3, 0);
}

static bool contrib_q_concat(Lg *l, OpKind core)
{
	size_t n = l->op->noperands / 3;
	Value **parts = NEW_ARRAY(l->a, Value *, n + 1);
	if (n == 0 || l->op->noperands % 3 != 2)
		return false;
	for (size_t i = 0; i < n; i++)
		parts[i] = dequantised(l, 2 + 3 * i);
	Value *y = lg_new(l, core, parts, n, (RwAttr[]){ { A_axis, lg_attr(l, A_axis) }, { A_NONE, NULL } });
	return become_quantised(l, y, 0, 2);
}

/* The integer product a * b, times the scales, plus the bias. */
static bool become_scaled(Lg *l, Value *const *product, Value *a_scale, Value *b_scale, Value *bias)
{
	Value *y = as_type(l, lg_new(l, OP_matmul_integer, product, 4, NULL), DT_F32);
	Value *scale = lg_new2(l, OP_mul, a_scale, b_scale, NULL);
	if (!bias)
		return lg_become(l, OP_mul, (Value *[]){ y, scale }, 2, NULL);
	return lg_become(l, OP_add, (Value *[]){ lg_new2(l, OP_mul, y, scale, NULL), bias }, 2, NULL);
}

static bool contrib_integer_matmul(Lg *l, OpKind core)
{
	(void)core;
	return become_scaled(l, (Value *[]){ lg_in(l, 0), lg_in(l, 1), lg_in(l, 4), lg_in(l, 5) }, lg_in(l, 2), lg_in(l, 3),
			lg_in(l, 6));
}

static bool contrib_dynamic_matmul(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0);
	OpSpec s = { .def = op_def(l->c, core), .operands = &x, .noperands = 1, .nresults = 3, .loc = l->op->loc };
	Op *q = op_new(l->op->block, l->op, &s);
	return become_scaled(l, (Value *[]){ q->results[0], lg_in(l, 1), q->results[2], lg_in(l, 3) }, q->results[1],
			lg_in(l, 2), lg_in(l, 4));
}

const LegaliseRow contrib_rows[] = {
	{ OWN_MS_Gelu, OP_gelu, contrib_gelu },
	{ OWN_MS_BiasGelu, OP_gelu, contrib_gelu },
	{ OWN_MS_FastGelu, OP_gelu, contrib_gelu },
	{ OWN_MS_QuickGelu, OP_swish, contrib_quick_gelu },
	{ OWN_MS_FusedMatMul, OP_matmul, contrib_matmul },
	{ OWN_MS_FusedGemm, OP_gemm, contrib_gemm },
	{ OWN_MS_FusedConv, OP_conv, contrib_conv },
	{ OWN_MS_SkipLayerNormalization, OP_layer_norm, contrib_skip_norm },
	{ OWN_MS_SkipSimplifiedLayerNormalization, OP_rms_norm, contrib_skip_norm },
	{ OWN_SimplifiedLayerNormalization, OP_rms_norm, contrib_rms },
	{ OWN_MS_EmbedLayerNormalization, OP_layer_norm, contrib_embed },
	{ OWN_MS_Attention, OP_attention, contrib_attention },
	{ OWN_MS_MultiHeadAttention, OP_attention, contrib_mha },
	{ OWN_MS_GroupQueryAttention, OP_attention, contrib_gqa },
	{ OWN_MS_RotaryEmbedding, OP_rotary_embedding, contrib_rotary },
	{ OWN_MS_QLinearAdd, OP_add, contrib_q_binary },
	{ OWN_MS_QLinearMul, OP_mul, contrib_q_binary },
	{ OWN_MS_QLinearSigmoid, OP_sigmoid, contrib_q_unary },
	{ OWN_MS_QLinearLeakyRelu, OP_leaky_relu, contrib_q_unary },
	{ OWN_MS_QLinearGlobalAveragePool, OP_global_avg_pool, contrib_q_unary },
	{ OWN_MS_QLinearConcat, OP_concat, contrib_q_concat },
	{ OWN_MS_QuantizeLinear, OP_quantize, NULL },
	{ OWN_MS_DequantizeLinear, OP_dequantize, NULL },
	{ OWN_MS_DynamicQuantizeMatMul, OP_dynamic_quantize, contrib_dynamic_matmul },
	{ OWN_MS_MatMulIntegerToFloat, OP_matmul_integer, contrib_integer_matmul },
};
const size_t contrib_nrows = ARRAY_LEN(contrib_rows);

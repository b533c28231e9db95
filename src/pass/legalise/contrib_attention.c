#include "contrib_int.h"

/* Attention of com.microsoft as that of core: see contrib.c. */

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
		Value *lengths = ct_shaped(l, ct_as_type(l, m, DT_I64), (int64_t[]){ h->batch, 1, 1, 1 }, 4);
		keep = lg_new2(l, OP_lt, lg_const_ints(l, places, (size_t)total), lengths, NULL);
	} else if (rank >= 2 && dims[0] == h->batch && dims[rank - 1] == total && (rank == 2 || dims[1] == h->queries)) {
		keep = ct_as_type(l, ct_shaped(l, m, (int64_t[]){ h->batch, 1, rank == 3 ? h->queries : 1, total }, 4), DT_BOOL);
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
		h->mask = ct_plus(l, bias, h->mask);
	return true;
}

/* (batch, heads, length, size) as (batch, length, heads * size). */
static Value *as_rows(Lg *l, Value *x, const int64_t *dims)
{
	return ct_shaped(l, ct_turned(l, x, (int64_t[]){ 0, 2, 1, 3 }, 4),
			(int64_t[]){ dims[0], dims[2], dims[1] * dims[3] }, 3);
}

/* Part i of (batch, length, heads, parts, size) as (batch, length, heads * size). */
static Value *packed_part(Lg *l, Value *x, const int64_t *dims, int64_t i)
{
	return ct_shaped(l, ct_sliced(l, x, 3, i, i + 1), (int64_t[]){ dims[0], dims[1], dims[2] * dims[4] }, 3);
}

/* Queries, keys and values as rows, whatever form they came in; widths of their rows. */
static bool unpack_heads(Lg *l, Heads *h, int64_t *width)
{
	int64_t q[MAX_RANK], k[MAX_RANK], v[MAX_RANK];
	if (ct_dims_of(l, 0, 5, q) && q[3] == 3 && !lg_in(l, 1)) {
		*h = (Heads){ packed_part(l, lg_in(l, 0), q, 0), packed_part(l, lg_in(l, 0), q, 1),
			packed_part(l, lg_in(l, 0), q, 2), .batch = q[0], .queries = q[1], .keys = q[1] };
		width[0] = width[1] = width[2] = q[2] * q[4];
	} else if (ct_dims_of(l, 0, 3, q) && ct_dims_of(l, 1, 5, k) && k[3] == 2 && !lg_in(l, 2)) {
		*h = (Heads){ lg_in(l, 0), packed_part(l, lg_in(l, 1), k, 0), packed_part(l, lg_in(l, 1), k, 1), .batch = q[0],
			.queries = q[1], .keys = k[1] };
		width[0] = q[2];
		width[1] = width[2] = k[2] * k[4];
	} else if (ct_dims_of(l, 0, 3, q) && ct_dims_of(l, 1, 4, k) && ct_dims_of(l, 2, 4, v)) {
		*h = (Heads){ lg_in(l, 0), as_rows(l, lg_in(l, 1), k), as_rows(l, lg_in(l, 2), v), .batch = q[0],
			.queries = q[1], .keys = k[2] };
		width[0] = q[2];
		width[1] = width[2] = 0; /* what is given by head has its bias */
	} else if (ct_dims_of(l, 0, 3, q) && ct_dims_of(l, 1, 3, k) && ct_dims_of(l, 2, 3, v)) {
		*h = (Heads){ lg_in(l, 0), lg_in(l, 1), lg_in(l, 2), .batch = q[0], .queries = q[1], .keys = k[1] };
		width[0] = q[2];
		width[1] = k[2];
		width[2] = v[2];
	} else {
		return false;
	}
	h->d = lg_dtype(lg_in(l, 0));
	return true;
}

static void add_bias(Lg *l, Heads *h, Value *bias, const int64_t *width)
{
	if (!bias)
		return;
	int64_t k = width[0] + width[1], v = k + width[2];
	h->q = ct_plus(l, h->q, ct_sliced(l, bias, 0, 0, width[0]));
	if (width[1])
		h->k = ct_plus(l, h->k, ct_sliced(l, bias, 0, width[0], k));
	if (width[2])
		h->v = ct_plus(l, h->v, ct_sliced(l, bias, 0, k, v));
}

/* past: the operand with past keys; those of values follow. */
static bool set_past(Lg *l, Heads *h, size_t past)
{
	int64_t dims[MAX_RANK] = { 0 };
	if ((lg_in(l, past) || lg_in(l, past + 1)) && (!ct_dims_of(l, past, 4, dims) || !lg_in(l, past + 1)))
		return false;
	h->past_k = lg_in(l, past);
	h->past_v = lg_in(l, past + 1);
	h->past = dims[2];
	return true;
}

static bool become_attention(Lg *l, OpKind core, const Heads *h, bool causal)
{
	int64_t heads = op_attr_int(l->op, A_num_heads, 0);
	const Attr *scale = op_attr_float(l->op, A_scale, 0) != 0 ? lg_attr(l, A_scale) : NULL;
	return lg_become(l, core, (Value *[]){ h->q, h->k, h->v, h->mask, h->past_k, h->past_v }, 6,
			(RwAttr[]){ { A_q_num_heads, lg_int(l, heads) }, { A_kv_num_heads, lg_int(l, heads) }, { A_scale, scale },
			{ A_is_causal, lg_int(l, causal) }, { A_qk_matmul_output_mode, lg_int(l, 3) }, { A_NONE, NULL } });
}

bool contrib_mha(Lg *l, OpKind core)
{
	Heads h;
	int64_t width[3];
	if (op_attr_int(l->op, A_num_heads, 0) < 1 || lg_in(l, 8) || lg_in(l, 9) || !unpack_heads(l, &h, width) ||
			!set_past(l, &h, 6))
		return false;
	add_bias(l, &h, lg_in(l, 3), width);
	return set_mask(l, &h, lg_in(l, 4), lg_in(l, 5)) && become_attention(l, core, &h, op_int(l->op, A_unidirectional));
}

/* One query a batch entry; without beams and shared buffers. */
bool contrib_decoder_mha(Lg *l, OpKind core)
{
	Heads h;
	int64_t width[3], q[MAX_RANK];
	Value *packed = lg_in(l, 0);
	if (op_attr_int(l->op, A_num_heads, 0) < 1 || op_int(l->op, A_past_present_share_buffer) || lg_in(l, 9))
		return false;
	if (!lg_in(l, 1) && ct_dims_of(l, 0, 3, q) && q[2] % 3 == 0) {
		int64_t w = q[2] / 3;
		h = (Heads){ ct_sliced(l, packed, 2, 0, w), ct_sliced(l, packed, 2, w, 2 * w), ct_sliced(l, packed, 2, 2 * w, 3 * w),
			.batch = q[0], .queries = q[1], .keys = q[1], .d = lg_dtype(packed) };
		width[0] = width[1] = width[2] = w;
	} else if (!unpack_heads(l, &h, width)) {
		return false;
	}
	if (!set_past(l, &h, 5))
		return false;
	add_bias(l, &h, lg_in(l, 10), width);
	return set_mask(l, &h, lg_in(l, 3), lg_in(l, 4)) && become_attention(l, core, &h, false);
}

/* Half of the state that is carried on: what was there and the new rows, as (1, batch, heads, length, size). */
static Value *present_half(Lg *l, const Heads *h, Value *past, Value *now, int64_t heads, int64_t width)
{
	Value *x = ct_turned(l, ct_shaped(l, now, (int64_t[]){ h->batch, h->keys, heads, width / heads }, 4),
			(int64_t[]){ 0, 2, 1, 3 }, 4);
	if (past)
		x = lg_new2(l, OP_concat, past, x, (RwAttr[]){ { A_axis, lg_int(l, 2) }, { A_NONE, NULL } });
	return lg_new1(l, OP_unsqueeze, x, (RwAttr[]){ { A_axes, lg_ints_attr(l, (int64_t[]){ 0 }, 1) }, { A_NONE, NULL } });
}

/* Queries, keys and values are the columns of `all`; mask, past and bias are operands. */
static bool attention_of(Lg *l, OpKind core, Value *all, int64_t columns, size_t mask, size_t past, Value *bias)
{
	int64_t x[MAX_RANK], state[MAX_RANK] = { 0 }, heads = op_attr_int(l->op, A_num_heads, 0), wide[3];
	const int64_t *sizes;
	size_t n = op_attr_ints(l->op, A_qkv_hidden_sizes, &sizes);
	if (!ct_dims_of(l, 0, 3, x) || heads < 1 || op_attr_int(l->op, A_do_rotary, 0))
		return false;
	if (lg_in(l, past) && (!ct_dims_of(l, past, 5, state) || op_attr_int(l->op, A_past_present_share_buffer, 0)))
		return false;
	for (int i = 0; i < 3; i++)
		wide[i] = n == 3 ? sizes[i] : columns / 3;
	if (wide[0] < 0 || wide[1] < 0 || wide[2] < 0 || wide[1] % heads || wide[2] % heads)
		return false;
	Heads h = { .q = ct_sliced(l, all, 2, 0, wide[0]), .k = ct_sliced(l, all, 2, wide[0], wide[0] + wide[1]),
		.v = ct_sliced(l, all, 2, wide[0] + wide[1], wide[0] + wide[1] + wide[2]), .batch = x[0], .queries = x[1],
		.keys = x[1], .past = state[3], .d = DT_F32 };
	if (dtype_is_float(lg_dtype(lg_in(l, 0))))
		h.d = lg_dtype(lg_in(l, 0));
	for (int64_t i = 0; lg_in(l, past) && i < 2; i++)
		*(i ? &h.past_v : &h.past_k) = lg_new2(l, OP_gather, lg_in(l, past), lg_const_int(l, i), NULL);
	if (!set_mask(l, &h, lg_in(l, mask), bias))
		return false;
	if (l->op->nresults > 1 && value_has_uses(l->op->results[1]))
		ct_give(l, 1, lg_new2(l, OP_concat, present_half(l, &h, h.past_k, h.k, heads, wide[1]),
				present_half(l, &h, h.past_v, h.v, heads, wide[2]),
				(RwAttr[]){ { A_axis, lg_int(l, 0) }, { A_NONE, NULL } }));
	op_drop_results(l->op, 1);
	return become_attention(l, core, &h, op_attr_int(l->op, A_unidirectional, 0));
}

/* Queries, keys and values are one product with packed weights. */
bool contrib_attention(Lg *l, OpKind core)
{
	int64_t w[MAX_RANK];
	if (!ct_dims_of(l, 1, 2, w) || lg_in(l, 6))
		return false;
	Value *all = ct_plus(l, lg_new2(l, OP_matmul, lg_in(l, 0), lg_in(l, 1), NULL), lg_in(l, 2));
	return attention_of(l, core, all, w[1], 3, 4, lg_in(l, 5));
}

/* Likewise, for one query a batch entry; without beams and shared buffers. */
bool contrib_decoder_self(Lg *l, OpKind core)
{
	int64_t w[MAX_RANK], x[MAX_RANK];
	if (!ct_dims_of(l, 1, 2, w) || !ct_dims_of(l, 0, 3, x) || x[1] != 1 || op_int(l->op, A_past_present_share_buffer) || lg_in(l, 8))
		return false;
	Value *all = ct_plus(l, lg_new2(l, OP_matmul, lg_in(l, 0), lg_in(l, 1), NULL), lg_in(l, 2));
	return attention_of(l, core, all, w[1], 3, 4, lg_in(l, 5));
}

/* Likewise, of integers: operands 3 and 4 are the scales, 6 and 7 the zero points. */
bool contrib_q_attention(Lg *l, OpKind core)
{
	int64_t w[MAX_RANK];
	if (!ct_dims_of(l, 1, 2, w))
		return false;
	Value *all = ct_scaled_product(l, (Value *[]){ lg_in(l, 0), lg_in(l, 1), lg_in(l, 6), lg_in(l, 7) }, lg_in(l, 3),
			lg_in(l, 4));
	return attention_of(l, core, ct_plus(l, all, lg_in(l, 2)), w[1], 5, 8, NULL);
}

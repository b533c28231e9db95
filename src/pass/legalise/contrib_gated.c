#include "contrib_int.h"

/* Operators of com.microsoft for gates, positions of images and text, ordered quantisation, carried states: see contrib.c. */

static Value *joined(Lg *l, Value *const *v, size_t n, int64_t axis)
{
	return lg_new(l, OP_concat, v, n, (RwAttr[]){ { A_axis, lg_int(l, axis) }, { A_NONE, NULL } });
}

/* ---- gates ---- */

/* x + y * gate; the gate that has to be computed from a weight first is defined for one kind of hardware only. */
bool contrib_gated_add(Lg *l, OpKind core)
{
	if (lg_in(l, 3))
		return false;
	Value *y = lg_new2(l, OP_mul, lg_in(l, 1), lg_in(l, 2), NULL);
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), y }, 2, NULL);
}

/* Groups of as many elements as the scale has are normalised each, all in f32, then times silu or sigmoid of the gate. */
bool contrib_gated_norm(Lg *l, OpKind core)
{
	int64_t dims[MAX_RANK], width;
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x);
	const Str *name = op_attr_str(l->op, A_activation);
	bool sigmoid = name && !strcmp(name->s, "sigmoid");
	if (rank < 1 || rank >= MAX_RANK || !type_static_dims(x->type, dims) || !ct_dims_of(l, 1, 1, &width) || width < 1 ||
			dims[rank - 1] % width || (name && !sigmoid && strcmp(name->s, "silu") && strcmp(name->s, "swish")))
		return false;
	dims[rank] = width;
	dims[rank - 1] /= width;
	Value *in[2] = { ct_shaped(l, ct_as_type(l, x, DT_F32), dims, (size_t)rank + 1), ct_as_type(l, lg_in(l, 1), DT_F32) };
	Value *gate = ct_shaped(l, ct_as_type(l, lg_in(l, 2), DT_F32), dims, (size_t)rank + 1);
	Value *y = lg_new(l, core, in, 2, (RwAttr[]){ { A_epsilon, lg_float(l, op_float(l->op, A_epsilon)) }, { A_NONE, NULL } });
	y = lg_new2(l, OP_mul, y, lg_new1(l, sigmoid ? OP_sigmoid : OP_swish, gate, NULL), NULL);
	dims[rank - 1] *= width;
	return ct_become(l, ct_as_type(l, ct_shaped(l, y, dims, (size_t)rank), lg_dtype(x)));
}

/* FusedMatMul in a copy before the op, then the activation. */
bool contrib_matmul_activation(Lg *l, OpKind core)
{
	const Op *op = l->op;
	Value *in[2] = { lg_in(l, 0), lg_in(l, 1) };
	const Attr *alpha = lg_attr(l, A_activation_alpha), *beta = lg_attr(l, A_activation_beta);
	const Str *name = op_attr_str(op, A_activation);
	if (!name || lg_rank(in[0]) < 2 || lg_rank(in[1]) < 2 || op_int(op, A_transBatchA) || op_int(op, A_transBatchB))
		return false;
	Value *y = lg_new2(l, core, ct_matrix(l, in[0], op_int(op, A_transA) != 0), ct_matrix(l, in[1], op_int(op, A_transB) != 0), NULL);
	if (op_float(op, A_alpha) != 1)
		y = lg_new2(l, OP_mul, y, lg_const_float(l, lg_dtype(in[0]), op_float(op, A_alpha)), NULL);
	return ct_activate(l, y, name, alpha, beta);
}

/* Outside training nothing is dropped. BitmaskBiasDropout adds a bias and a residual, BitmaskDropout only passes. */
bool contrib_bitmask_dropout(Lg *l, OpKind core)
{
	(void)core;
	bool bias = op_is(l->op, OWN_MS_BitmaskBiasDropout);
	Value *training = lg_in(l, bias ? 4 : 2);
	int64_t on = 0;
	if ((training && (!constant_int(training, &on) || on)) || !lg_unused_results(l, 1))
		return false;
	op_drop_results(l->op, 1);
	Value *y = lg_in(l, 0);
	return ct_become(l, bias ? ct_plus(l, ct_plus(l, y, lg_in(l, 1)), lg_in(l, 2)) : y);
}

/* ---- positions ---- */

/* q and k turned by angles that are given, with their turned halves given too. */
bool contrib_gemma_rotary(Lg *l, OpKind core)
{
	(void)core;
	Value *out[2];
	DType d = lg_dtype(lg_in(l, 1));
	Value *sine = lg_unsqueeze(l, ct_as_type(l, lg_new1(l, OP_sin, lg_in(l, 0), NULL), d), (int64_t[]){ 1 }, 1);
	Value *cosine = lg_unsqueeze(l, ct_as_type(l, lg_new1(l, OP_cos, lg_in(l, 0), NULL), d), (int64_t[]){ 1 }, 1);
	for (size_t i = 0; i < 2; i++)
		out[i] = lg_new2(l, OP_add, lg_new2(l, OP_mul, lg_in(l, 1 + 2 * i), cosine, NULL),
				lg_new2(l, OP_mul, lg_in(l, 2 + 2 * i), sine, NULL), NULL);
	if (l->op->nresults == 2)
		return lg_replace(l, out, 2);
	return ct_become(l, out[0]);
}

/* The rows of a cache that the three positions of each token choose, (3, batch, length, half), put together to one: channel c
 * takes position stream[c]. */
static Value *mixed_angles(Lg *l, Value *cache, const int64_t *dims, const int *stream, int64_t half)
{
	Value *rows = lg_new2(l, OP_gather, cache, lg_in(l, 1), NULL), *sum = NULL;
	DType d = lg_dtype(cache);
	for (int s = 0; s < 3; s++) {
		int64_t *ones = NEW_ARRAY(l->a, int64_t, half + 1);
		for (int64_t c = 0; c < half; c++)
			ones[c] = stream[c] == s;
		Value *part = ct_shaped(l, ct_sliced(l, rows, 0, s, s + 1), (int64_t[]){ dims[1], dims[2], half }, 3);
		part = lg_new2(l, OP_mul, part, ct_as_type(l, lg_const_ints(l, ones, (size_t)half), d), NULL);
		sum = sum ? lg_new2(l, OP_add, sum, part, NULL) : part;
	}
	return sum;
}

bool contrib_multi_rotary(Lg *l, OpKind core)
{
	const Op *op = l->op;
	int64_t dims[3], cache[2], x[MAX_RANK], half, heads = op_attr_int(op, A_num_heads, 0);
	const int64_t *section;
	int rank = lg_rank(lg_in(l, 0));
	if ((rank != 3 && rank != 4) || !ct_dims_of(l, 0, rank, x) || !ct_dims_of(l, 1, 3, dims) || !ct_dims_of(l, 2, 2, cache) ||
			op_attr_ints(op, A_mrope_section, &section) != 3 || op_attr_int(op, A_is_packed_batching, 0) ||
			op_attr_float(op, A_scale, 1) != 1 || dims[0] != 3)
		return false;
	half = cache[1];
	if (section[0] < 0 || section[1] < 0 || section[2] < 0 || half > 1 << 16 || section[0] > half || section[1] > half ||
			section[2] > half || section[0] + section[1] + section[2] != half)
		return false;
	int *stream = NEW_ARRAY(l->a, int, half + 1);
	bool woven = op_attr_int(op, A_mrope_layout, 0) == 1;
	for (int64_t c = 0; c < half; c++) {
		if (woven)
			stream[c] = c % 3 && c < 3 * section[c % 3] ? (int)(c % 3) : 0;
		else
			stream[c] = c < section[0] ? 0 : c < section[0] + section[1] ? 1 : 2;
	}
	if (rank == 3 && !heads)
		heads = half > 0 ? x[2] / (2 * half) : 0;
	Value *cosine = mixed_angles(l, lg_in(l, 2), dims, stream, half), *sine = mixed_angles(l, lg_in(l, 3), dims, stream, half);
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), cosine, sine }, 3,
			(RwAttr[]){ { A_interleaved, lg_int(l, op_attr_int(op, A_interleaved, 0)) }, { A_num_heads, lg_int(l, heads) },
			{ A_rotary_embedding_dim, lg_int(l, op_attr_int(op, A_rotary_embedding_dim, 0)) }, { A_NONE, NULL } });
}

/* ---- ordered quantisation: int8 without zero points. Only rows, the order of every other operator, has a meaning outside of
 *      the library that the other orders are named after ---- */

static bool in_rows(const Op *op)
{
	enum { ORDER_ROW = 1 };
	static const AttrName orders[] = { A_order_X, A_order_Y, A_order_input, A_order_output };
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		if (op_attr_int(op, orders[i], ORDER_ROW) != ORDER_ROW)
			return false;
	return true;
}

static Value *from_int8(Lg *l, Value *x, Value *scale)
{
	return lg_new2(l, OP_mul, ct_as_type(l, x, DT_F32), scale, NULL);
}

static bool become_int8(Lg *l, Value *y, Value *scale)
{
	Value *zero = ct_as_type(l, lg_const_int(l, 0), DT_I8);
	return lg_become(l, OP_quantize, (Value *[]){ ct_as_type(l, y, DT_F32), scale, zero }, 3, NULL);
}

bool contrib_ordered_quantize(Lg *l, OpKind core)
{
	(void)core;
	return in_rows(l->op) && become_int8(l, lg_in(l, 0), lg_in(l, 1));
}

bool contrib_ordered_dequantize(Lg *l, OpKind core)
{
	DType d;
	(void)core;
	if (!in_rows(l->op) || !lg_type_attr(l, A_to, DT_F32, &d))
		return false;
	return ct_become(l, ct_as_type(l, from_int8(l, lg_in(l, 0), lg_in(l, 1)), d));
}

bool contrib_ordered_gelu(Lg *l, OpKind core)
{
	if (!in_rows(l->op))
		return false;
	return become_int8(l, lg_new1(l, core, from_int8(l, lg_in(l, 0), lg_in(l, 1)), NULL), lg_in(l, 2));
}

bool contrib_ordered_norm(Lg *l, OpKind core)
{
	if (!in_rows(l->op))
		return false;
	Value *in[3] = { from_int8(l, lg_in(l, 0), lg_in(l, 1)), ct_as_type(l, lg_in(l, 2), DT_F32),
		lg_in(l, 3) ? ct_as_type(l, lg_in(l, 3), DT_F32) : NULL };
	Value *y = lg_new(l, core, in, in[2] ? 3 : 2, (RwAttr[]){ { A_axis, lg_int(l, op_int(l->op, A_axis)) },
			{ A_epsilon, lg_float(l, op_float(l->op, A_epsilon)) }, { A_NONE, NULL } });
	return become_int8(l, y, lg_in(l, 4));
}

/* ---- carried states ---- */

/* A convolution of each channel over what was before and the input; the state is the end of both. Axes: batch, channel,
 * place, or with the channels last. */
bool contrib_causal_conv(Lg *l, OpKind core)
{
	const Op *op = l->op;
	int64_t x[3], w[3], step = op_attr_int(op, A_dilation, 1), groups;
	bool last = op_attr_int(op, A_channels_last, 0) != 0;
	const Str *name = op_attr_str(op, A_activation);
	bool silu = name && (!strcmp(name->s, "silu") || !strcmp(name->s, "swish"));
	if (!lg_unused_results(l, 2) || !ct_dims_of(l, 0, 3, x) || !ct_dims_of(l, 1, 3, w) || op_attr_int(op, A_ndim, 1) != 1 || step < 1 || step > 1 << 20 ||
			w[2] < 1 || w[2] > 1 << 20 || op_attr_int(op, A_state_window, 0) || op_attr_int(op, A_state_update_capacity, 0) ||
			op_attr_int(op, A_state_length, 0) || op_attr_int(op, A_input_channels, 0) || op_attr_int(op, A_state_channels_last, -1) != -1 ||
			(name && !silu && strcmp(name->s, "none")))
		return false;
	groups = w[0];
	int64_t state = (w[2] - 1) * step, length = x[last ? 1 : 2];
	Value *all = ct_channels_first(l, lg_in(l, 0), last), *past = lg_in(l, 3);
	if (past) {
		past = ct_channels_first(l, past, last);
	} else if (state) {
		int64_t dims[3] = { x[0], groups, state };
		past = lg_new2(l, OP_expand, lg_const_float(l, lg_dtype(lg_in(l, 0)), 0), lg_const_ints(l, dims, 3), NULL);
	}
	if (past)
		all = joined(l, (Value *[]){ past, all }, 2, 2);
	Value *in[3] = { all, lg_in(l, 1), lg_in(l, 2) };
	Value *y = lg_new(l, core, in, in[2] ? 3 : 2, (RwAttr[]){ { A_groups, lg_int(l, groups) },
			{ A_dilations, lg_ints_attr(l, &step, 1) }, { A_NONE, NULL } });
	if (silu)
		y = lg_new1(l, OP_swish, y, NULL);
	ct_give(l, 1, ct_channels_last(l, ct_sliced(l, all, 2, length, length + state), 3, last));
	op_drop_results(l->op, 1);
	return ct_become(l, ct_channels_last(l, y, 3, last));
}

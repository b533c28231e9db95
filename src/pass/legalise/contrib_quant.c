#include "contrib_int.h"

/* Quantised operators of com.microsoft: integers to numbers, the operator, and back. See contrib.c. */

/* Operands i, i + 1 and i + 2: data, scale and zero point. */
Value *ct_dequantised(Lg *l, size_t i)
{
	Value *in[3] = { lg_in(l, i), lg_in(l, i + 1), lg_in(l, i + 2) };
	return lg_new(l, OP_dequantize, in, in[2] ? 3 : 2, NULL);
}

/* y in the scale and zero point of operands i and i + 1. Without a zero point the type is that of operand `like`. */
bool ct_become_quantised(Lg *l, Value *y, size_t i, size_t like)
{
	const Attr *to = lg_in(l, i + 1) ? NULL : attr_dtype(l->c, lg_dtype(lg_in(l, like)));
	return lg_become(l, OP_quantize, (Value *[]){ y, lg_in(l, i), lg_in(l, i + 1) }, 3,
			(RwAttr[]){ { A_to, to }, { A_NONE, NULL } });
}

bool contrib_q_binary(Lg *l, OpKind core)
{
	return ct_become_quantised(l, lg_new2(l, core, ct_dequantised(l, 0), ct_dequantised(l, 3), NULL), 6, 0);
}

/* Operand 0 with its channels second. */
static Value *first_dequantised(Lg *l, bool last)
{
	Value *in[3] = { ct_channels_first(l, lg_in(l, 0), last), lg_in(l, 1), lg_in(l, 2) };
	return lg_new(l, OP_dequantize, in, in[2] ? 3 : 2, NULL);
}

bool contrib_q_unary(Lg *l, OpKind core)
{
	bool last = op_attr_int(l->op, A_channels_last, 0) != 0;
	int rank = lg_rank(lg_in(l, 0));
	const Attr *alpha = core == OP_leaky_relu ? lg_float(l, op_float(l->op, A_alpha)) : NULL;
	if (last && rank < 3)
		return false;
	Value *y = lg_new1(l, core, first_dequantised(l, last), (RwAttr[]){ { A_alpha, alpha }, { A_NONE, NULL } });
	return ct_become_quantised(l, ct_channels_last(l, y, rank, last), 3, 0);
}

bool contrib_q_concat(Lg *l, OpKind core)
{
	size_t n = l->op->noperands / 3;
	Value **parts = NEW_ARRAY(l->a, Value *, n + 1);
	if (n == 0 || l->op->noperands % 3 != 2)
		return false;
	for (size_t i = 0; i < n; i++)
		parts[i] = ct_dequantised(l, 2 + 3 * i);
	Value *y = lg_new(l, core, parts, n, (RwAttr[]){ { A_axis, lg_attr(l, A_axis) }, { A_NONE, NULL } });
	return ct_become_quantised(l, y, 0, 2);
}

Value *ct_scaled_product(Lg *l, Value *const *product, Value *a_scale, Value *b_scale)
{
	Value *y = ct_as_type(l, lg_new(l, OP_matmul_integer, product, 4, NULL), DT_F32);
	return lg_new2(l, OP_mul, y, lg_new2(l, OP_mul, a_scale, b_scale, NULL), NULL);
}

static bool become_product(Lg *l, Value *const *product, Value *a_scale, Value *b_scale, Value *bias)
{
	Value *y = ct_plus(l, ct_scaled_product(l, product, a_scale, b_scale), bias);
	return lg_become(l, OP_identity, &y, 1, NULL);
}

bool contrib_integer_matmul(Lg *l, OpKind core)
{
	(void)core;
	return become_product(l, (Value *[]){ lg_in(l, 0), lg_in(l, 1), lg_in(l, 4), lg_in(l, 5) }, lg_in(l, 2), lg_in(l, 3),
			lg_in(l, 6));
}

bool contrib_dynamic_matmul(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0);
	OpSpec s = { .def = op_def(l->c, core), .operands = &x, .noperands = 1, .nresults = 3, .loc = l->op->loc };
	Op *q = op_new(l->op->block, l->op, &s);
	return become_product(l, (Value *[]){ q->results[0], lg_in(l, 1), q->results[2], lg_in(l, 3) }, q->results[1],
			lg_in(l, 2), lg_in(l, 4));
}

/* (a b + c) alpha a_scale b_scale, quantised when there is a scale for it. c is in the scale of the product. */
bool contrib_q_gemm(Lg *l, OpKind core)
{
	static const int64_t swap[] = { 1, 0 };
	const Op *op = l->op;
	Value *a = lg_in(l, 0), *b = lg_in(l, 3), *c = lg_in(l, 6);
	if (lg_rank(a) != 2 || lg_rank(b) != 2)
		return false;
	a = op_int(op, A_transA) ? ct_turned(l, a, swap, 2) : a;
	b = op_int(op, A_transB) ? ct_turned(l, b, swap, 2) : b;
	Value *sum = ct_plus(l, lg_new(l, core, (Value *[]){ a, b, lg_in(l, 2), lg_in(l, 5) }, 4, NULL), c);
	Value *scale = lg_new2(l, OP_mul, lg_in(l, 1), lg_in(l, 4), NULL);
	scale = lg_new2(l, OP_mul, scale, lg_const_float(l, DT_F32, op_float(op, A_alpha)), NULL);
	Value *y = lg_new2(l, OP_mul, ct_as_type(l, sum, DT_F32), scale, NULL);
	return lg_in(l, 7) ? ct_become_quantised(l, y, 7, 0) : lg_become(l, OP_identity, &y, 1, NULL);
}

bool contrib_q_pool(Lg *l, OpKind core)
{
	bool last = op_int(l->op, A_channels_last) != 0;
	int rank = lg_rank(lg_in(l, 0));
	if (rank < 3)
		return false;
	Value *y = lg_new1(l, core, first_dequantised(l, last), (RwAttr[]){ { A_kernel, lg_attr(l, A_kernel_shape) },
			{ A_strides, lg_attr(l, A_strides) }, { A_pads, lg_attr(l, A_pads) }, { A_auto_pad, ct_auto_pad(l) },
			{ A_ceil_mode, lg_attr(l, A_ceil_mode) }, { A_count_include_pad, lg_attr(l, A_count_include_pad) },
			{ A_NONE, NULL } });
	return ct_become_quantised(l, ct_channels_last(l, y, rank, last), 3, 0);
}

/* Before opset 13, over all dims from the axis on. */
bool contrib_q_softmax(Lg *l, OpKind core)
{
	const Value *x = lg_in(l, 0);
	int64_t dims[MAX_RANK], count = 1;
	int rank = lg_rank(x), at;
	Value *in = ct_dequantised(l, 0);
	if (op_attr_int(l->op, A_opset, 13) >= 13)
		return ct_become_quantised(l, lg_new1(l, core, in, (RwAttr[]){ { A_axis, lg_attr(l, A_axis) }, { A_NONE, NULL } }), 3,
				0);
	if (rank < 1 || rank > MAX_RANK || !type_static_dims(x->type, dims) ||
			!axis_norm(op_attr_int(l->op, A_axis, -1), rank, &at))
		return false;
	for (int i = 0; i < at; i++)
		count *= dims[i];
	Value *flat = ct_shaped(l, in, (int64_t[]){ count, -1 }, 2);
	Value *y = lg_new1(l, core, flat, (RwAttr[]){ { A_axis, lg_int(l, 1) }, { A_NONE, NULL } });
	return ct_become_quantised(l, ct_shaped(l, y, dims, (size_t)rank), 3, 0);
}

bool contrib_q_where(Lg *l, OpKind core)
{
	Value *y = lg_new(l, core, (Value *[]){ lg_in(l, 0), ct_dequantised(l, 1), ct_dequantised(l, 4) }, 3, NULL);
	return ct_become_quantised(l, y, 7, 1);
}

bool contrib_q_reduce(Lg *l, OpKind core)
{
	Value *y = lg_new1(l, core, ct_dequantised(l, 0), (RwAttr[]){ { A_kind, lg_text(l, "mean") },
			{ A_axes, lg_attr(l, A_axes) }, { A_keepdims, lg_int(l, op_attr_int(l->op, A_keepdims, 1)) }, { A_NONE, NULL } });
	return ct_become_quantised(l, y, 3, 0);
}

/* QLinearConv whose channels may be last. */
bool contrib_q_conv(Lg *l, OpKind core)
{
	bool last = op_int(l->op, A_channels_last) != 0;
	int rank = lg_rank(lg_in(l, 0));
	Value *in[9];
	if (rank < 3)
		return false;
	for (size_t i = 0; i < 9; i++)
		in[i] = lg_in(l, i);
	in[0] = ct_channels_first(l, in[0], last);
	Value *y = lg_new(l, core, in, in[8] ? 9 : 8, (RwAttr[]){ { A_strides, lg_attr(l, A_strides) },
			{ A_pads, lg_attr(l, A_pads) }, { A_dilations, lg_attr(l, A_dilations) }, { A_groups, lg_attr(l, A_group) },
			{ A_auto_pad, ct_auto_pad(l) }, { A_NONE, NULL } });
	y = ct_channels_last(l, y, rank, last);
	return lg_become(l, OP_identity, &y, 1, NULL);
}

/* x - zero as i32 */
static Value *centred(Lg *l, size_t x, size_t zero)
{
	Value *v = ct_as_type(l, lg_in(l, x), DT_I32), *z = lg_in(l, zero);
	return z ? lg_new2(l, OP_sub, v, ct_as_type(l, z, DT_I32), NULL) : v;
}

bool contrib_mul_integer(Lg *l, OpKind core)
{
	return lg_become(l, core, (Value *[]){ centred(l, 0, 1), centred(l, 2, 3) }, 2, NULL);
}

/* ReduceSumInteger and MatMulInteger16: 32 bits hold the sums. */
bool contrib_wide_integers(Lg *l, OpKind core)
{
	Value *a = ct_as_type(l, lg_in(l, 0), DT_I32);
	if (core == OP_matmul)
		return lg_become(l, core, (Value *[]){ a, ct_as_type(l, lg_in(l, 1), DT_I32) }, 2, NULL);
	return lg_become(l, core, &a, 1, (RwAttr[]){ { A_kind, lg_text(l, "sum") }, { A_axes, lg_attr(l, A_axes) },
			{ A_keepdims, lg_int(l, op_attr_int(l->op, A_keepdims, 1)) }, { A_NONE, NULL } });
}

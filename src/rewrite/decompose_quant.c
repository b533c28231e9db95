/* Quantisation as arithmetic: for grids in blocks and for types that few backends have. */
#include "decompose_int.h"

/* Whether a backend is likely to lack it: blocks of scales, or integers other than 8 and 32 bits wide. */
static bool is_unusual(const Op *op, DType d)
{
	int bits = dtype_bits(d);
	return op_int(op, A_block_size) > 0 || (bits != 8 && bits != 32);
}

/* Scale or zero point as something that x broadcasts with: one number, one along the axis, or one a block of it. */
static Value *grid_like(Rw *rw, const Op *op, Value *v)
{
	const Value *x = op_operand(op, 0);
	int rank = value_rank(x), axis;
	int64_t block = op_int(op, A_block_size), dims[MAX_RANK], n = value_count(v);
	if (n < 0)
		return NULL;
	if (n == 1 && block == 0)
		return rw_reshape_to(rw, v, 0, NULL);
	if (!axis_norm(op_int(op, A_axis), rank, &axis) || value_dim(x, axis) < 1)
		return NULL;
	if (block == 0) {
		for (int i = 0; i < rank; i++)
			dims[i] = i == axis ? n : 1;
		return value_rank(v) == 1 && n == value_dim(x, axis) ? rw_reshape_to(rw, v, rank, dims) : NULL;
	}
	int64_t size = value_dim(x, axis), *index = NEW_ARRAY(rw->scratch, int64_t, size + 1);
	if (value_rank(v) != rank || value_dim(v, axis) * block < size || value_dim(v, axis) < 1)
		return NULL;
	for (int64_t i = 0; i < size; i++)
		index[i] = i / block;
	return dc_take(rw, v, index, size, axis);
}

static bool grids(Rw *rw, Op *root, Value **scale, Value **zero)
{
	Value *z = op_operand(root, 2);
	*zero = NULL;
	if (value_rank(op_operand(root, 0)) < 0)
		return rw_no(rw, "the rank is not known");
	*scale = grid_like(rw, root, op_operand(root, 1));
	if (z)
		*zero = grid_like(rw, root, z);
	return (*scale && (*zero || !z)) || rw_no(rw, "sizes of the scales are not known");
}

bool dc_quantize(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *scale, *zero;
	DType d = value_dtype(root->results[0]);
	if (!value_is_float(x) || !dtype_is_integer(d) || dtype_bits(d) > 16)
		return rw_no(rw, "not a float to an integer of 16 bits or less");
	if (!is_unusual(root, d))
		return rw_no(rw, "one that every backend has");
	if (!grids(rw, root, &scale, &zero))
		return false;
	Value *q = rw_op2(rw, OP_div, dc_cast(rw, x, DT_F32), dc_cast(rw, scale, DT_F32), NULL);
	q = rw_op1(rw, OP_round, q, NULL);
	if (zero)
		q = rw_op2(rw, OP_add, q, dc_cast(rw, dc_cast(rw, zero, DT_I32), DT_F32), NULL);
	q = rw_op3(rw, OP_clamp, q, rw_float(rw, DT_F32, (double)dtype_int_min(d)), rw_float(rw, DT_F32, (double)dtype_int_max(d)),
		NULL);
	return rw_replace_op(rw, root, dc_cast(rw, dc_cast(rw, q, DT_I32), d));
}

bool dc_dequantize(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *scale, *zero;
	DType from = value_dtype(x), to = value_dtype(root->results[0]);
	if (!dtype_is_integer(from) || dtype_bits(from) > 16 || !dtype_is_float(to))
		return rw_no(rw, "not an integer of 16 bits or less to a float");
	if (!is_unusual(root, from))
		return rw_no(rw, "one that every backend has");
	if (!grids(rw, root, &scale, &zero))
		return false;
	Value *y = dc_cast(rw, x, DT_I32);
	if (zero)
		y = rw_op2(rw, OP_sub, y, dc_cast(rw, zero, DT_I32), NULL);
	y = rw_op2(rw, OP_mul, dc_cast(rw, y, DT_F32), dc_cast(rw, scale, DT_F32), NULL);
	return rw_replace_op(rw, root, dc_cast(rw, y, to));
}

/* ---- products and convolutions of quantised numbers ---- */

/* The integers acc of scale (from operands 1, 4 and 6), rounded into type d around the zero point of operand 7. */
static Value *requantized(Rw *rw, const Op *op, Value *acc, Value *w_scale, DType d)
{
	Value *scale = rw_op2(rw, OP_mul, rw_reshape_to(rw, dc_cast(rw, op_operand(op, 1), DT_F32), 0, NULL), w_scale, NULL);
	scale = rw_op2(rw, OP_div, scale, rw_reshape_to(rw, dc_cast(rw, op_operand(op, 6), DT_F32), 0, NULL), NULL);
	Value *y = rw_op1(rw, OP_round, rw_op2(rw, OP_mul, dc_cast(rw, acc, DT_F32), scale, NULL), NULL);
	Value *zero = rw_reshape_to(rw, op_operand(op, 7), 0, NULL);
	y = rw_op2(rw, OP_add, y, dc_cast(rw, dc_cast(rw, zero, DT_I32), DT_F32), NULL);
	y = rw_op3(rw, OP_clamp, y, rw_float(rw, DT_F32, (double)dtype_int_min(d)), rw_float(rw, DT_F32, (double)dtype_int_max(d)),
		NULL);
	return dc_cast(rw, dc_cast(rw, y, DT_I32), d);
}

/* One scale and zero point for x and for the result, of 8 bits. */
static bool is_plain_grid(Rw *rw, const Op *op)
{
	static const size_t single[] = { 1, 2, 6, 7 };
	for (size_t i = 0; i < ARRAY_LEN(single); i++)
		if (value_count(op_operand(op, single[i])) != 1)
			return rw_no(rw, "not one scale and zero point for each tensor");
	DType d = value_dtype(op->results[0]);
	return (dtype_is_integer(d) && dtype_bits(d) == 8 && value_is_float(op_operand(op, 1))) || rw_no(rw, "not of 8 bits");
}

bool dc_quantized_matmul(Rw *rw, Op *root)
{
	Value *scale = op_operand(root, 4), *zero = op_operand(root, 5);
	int64_t n = value_dim(op_operand(root, 3), value_rank(op_operand(root, 3)) - 1), count = value_count(scale);
	if (!is_plain_grid(rw, root))
		return false;
	if (count != 1 && (count != n || value_rank(scale) != 1))
		return rw_no(rw, "scales of the columns in another form");
	Value *acc = rw_op(rw, OP_matmul_integer, (Value *[]){ op_operand(root, 0), op_operand(root, 3),
		rw_reshape_to(rw, op_operand(root, 2), 0, NULL),
		value_count(zero) == 1 ? rw_reshape_to(rw, zero, 0, NULL) : zero }, 4, NULL);
	scale = dc_cast(rw, count == 1 ? rw_reshape_to(rw, scale, 0, NULL) : scale, DT_F32);
	return rw_replace_op(rw, root, requantized(rw, root, acc, scale, value_dtype(root->results[0])));
}

bool dc_quantized_conv(Rw *rw, Op *root)
{
	Value *scale = op_operand(root, 4), *zero = op_operand(root, 5), *bias = op_operand(root, 8);
	int rank = value_rank(root->results[0]);
	int64_t channels = value_dim(op_operand(root, 3), 0), count = value_count(scale), dims[MAX_RANK];
	if (!is_plain_grid(rw, root))
		return false;
	if (rank < 3 || rank > MAX_RANK || channels < 1 || (count != 1 && count != channels))
		return rw_no(rw, "the number of channels is not known");
	for (int i = 0; i < rank; i++)
		dims[i] = i == 1 ? channels : 1;
	if (zero && constant_all(zero, 0))
		zero = NULL;
	else if (value_count(zero) == 1)
		zero = rw_reshape_to(rw, zero, 0, NULL);
	RwAttr *attrs = NEW_ARRAY(rw->scratch, RwAttr, root->nattrs + 1u);
	for (size_t i = 0; i < root->nattrs; i++)
		attrs[i] = (RwAttr){ (AttrName)root->attrs[i].name->known, root->attrs[i].value };
	Value *acc = rw_op(rw, OP_conv_integer, (Value *[]){ op_operand(root, 0), op_operand(root, 3),
		rw_reshape_to(rw, op_operand(root, 2), 0, NULL), zero }, zero ? 4 : 3, attrs);
	if (bias)
		acc = rw_op2(rw, OP_add, acc, rw_reshape_to(rw, bias, rank, dims), NULL);
	scale = dc_cast(rw, count == 1 ? rw_reshape_to(rw, scale, 0, NULL) : rw_reshape_to(rw, scale, rank, dims), DT_F32);
	return rw_replace_op(rw, root, requantized(rw, root, acc, scale, value_dtype(root->results[0])));
}

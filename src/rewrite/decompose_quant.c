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

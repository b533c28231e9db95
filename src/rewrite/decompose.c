#include "decompose_int.h"

Value *dc_floats(Rw *rw, DType d, int rank, const int64_t *dims, const double *v)
{
	Value *c = constant_from_floats(rw->root->block, rw->root, d, rank, dims, v);
	shape_update(rw->infer, c->def, false);
	c->def->made = true;
	return c;
}

Value *dc_number(Rw *rw, OpKind k, Value *x, double v)
{
	return rw_op2(rw, k, x, rw_splat(rw, value_dtype(x), 0, NULL, v), NULL);
}

Value *dc_cast(Rw *rw, Value *x, DType d)
{
	if (value_dtype(x) == d)
		return x;
	return rw_op1(rw, OP_cast, x, (RwAttr[]){ { A_to, attr_dtype(rw->ctx, d) }, { A_NONE, NULL } });
}

static const RwAttr *axis_attr(Rw *rw, int axis)
{
	RwAttr *list = NEW_ARRAY(rw->scratch, RwAttr, 2);
	list[0] = (RwAttr){ A_axis, attr_int(rw->ctx, axis) };
	list[1] = (RwAttr){ A_NONE, NULL };
	return list;
}

Value *dc_take(Rw *rw, Value *x, const int64_t *index, int64_t n, int axis)
{
	return rw_op2(rw, OP_gather, x, rw_ints(rw, index, (size_t)n), axis_attr(rw, axis));
}

Value *dc_slice(Rw *rw, Value *x, int axis, int64_t from, int64_t to)
{
	const int64_t a = axis;
	return rw_op3(rw, OP_slice, x, rw_ints(rw, &from, 1), rw_ints(rw, &to, 1),
		(RwAttr[]){ { A_axes, attr_ints(rw->ctx, &a, 1) }, { A_NONE, NULL } });
}

Value *dc_concat(Rw *rw, Value *const *v, size_t n, int axis)
{
	return n == 1 ? v[0] : rw_op(rw, OP_concat, v, n, axis_attr(rw, axis));
}

Value *dc_along(Rw *rw, DType d, int rank, int axis, const double *v, int64_t n)
{
	int64_t dims[MAX_RANK];
	for (int i = 0; i < rank; i++)
		dims[i] = i == axis ? n : 1;
	return dc_floats(rw, d, rank, dims, v);
}

Value *dc_matrix(Rw *rw, Value *x, int axis, const double *m, int64_t out)
{
	int rank = value_rank(x);
	int64_t dims[MAX_RANK], flat[3] = { 1, value_dim(x, axis), 1 }, shape[2] = { out, flat[1] };
	for (int i = 0; i < rank; i++) {
		dims[i] = i == axis ? out : value_dim(x, i);
		if (i != axis)
			flat[i < axis ? 0 : 2] *= dims[i];
	}
	Value *y = rw_op2(rw, OP_matmul, dc_floats(rw, value_dtype(x), 2, shape, m), rw_reshape_to(rw, x, 3, flat), NULL);
	return rw_reshape_to(rw, y, rank, dims);
}

Value *dc_within(Rw *rw, Value *x, double low, double high)
{
	return rw_op2(rw, OP_and, dc_number(rw, OP_ge, x, low), dc_number(rw, OP_le, x, high), NULL);
}

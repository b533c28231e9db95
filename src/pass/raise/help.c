#include "raise_int.h"

bool rz_no(Lg *l, const char *why)
{
	l->why = why;
	return false;
}

bool rz_lacks(Lg *l, AttrName a)
{
	return rz_no(l, arena_printf(l->a, "that opset lacks attribute '%s'", l->c->attr_names[a]->s));
}

bool rz_axis(Lg *l, int64_t axis, int rank, int since, int64_t *out)
{
	int at;
	*out = axis;
	if (axis >= 0 || l->opset >= since)
		return true;
	if (rank < 0)
		return rz_no(l, "a negative axis is not allowed there and the rank is not known");
	if (axis == rank || !axis_norm(axis, rank, &at))
		return rz_no(l, "attribute 'axis' is out of range");
	*out = at;
	return true;
}

bool rz_axes_attr(Lg *l, const int64_t *axes, size_t n, int rank, const Attr **out)
{
	int64_t *v = NEW_ARRAY(l->a, int64_t, n + 1);
	for (size_t i = 0; i < n; i++)
		if (!rz_axis(l, axes[i], rank, 11, &v[i]))
			return false;
	*out = lg_ints_attr(l, v, n);
	return true;
}

const Attr *rz_type_code(Lg *l, DType d)
{
	return d != DT_NONE ? lg_int(l, dtype_onnx(d)) : NULL;
}

bool rz_dtype(Lg *l, DType *out)
{
	*out = lg_dtype(lg_in(l, 0));
	return *out != DT_NONE || rz_no(l, "the element type is not known");
}

bool rz_same_shape(const Value *a, const Value *b)
{
	return type_dims_equal(a->type, b->type);
}

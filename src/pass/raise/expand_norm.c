#include "raise_int.h"

#include <string.h>

/* Normalisations from means, products and roots, for opsets that lack the operator. Statistics are taken in f32 at least
 * when stash_type asks for it (1, the default). */


static Value *typed(Value *v, const Type *t)
{
	value_set_type(v, t);
	return v;
}

static Value *cast_to(Lg *l, Value *x, DType d)
{
	if (lg_dtype(x) == d)
		return x;
	return typed(lg_new1(l, OP_cast, x, (RwAttr[]){ { A_to, attr_dtype(l->c, d) }, { A_NONE, NULL } }),
			type_with_dtype(l->c, x->type, d));
}

/* Mean over the axes, kept as dims of size 1. */
static Value *mean_of(Lg *l, Value *x, const Attr *axes)
{
	const Type *t = x->type;
	Value *y = lg_new1(l, OP_reduce, x, (RwAttr[]){ { A_kind, lg_text(l, "mean") }, { A_axes, axes }, { A_NONE, NULL } });
	if (type_has_rank(t) && t->rank <= MAX_RANK) {
		const Sym *dims[MAX_RANK];
		for (int i = 0; i < t->rank; i++)
			dims[i] = t->dims[i];
		for (size_t i = 0; i < axes->u.ints.n; i++) {
			int at;
			if (axis_norm(axes->u.ints.v[i], t->rank, &at))
				dims[at] = sym_int(l->c, 1);
		}
		return typed(y, type_tensor(l->c, t->dtype, t->rank, dims));
	}
	return typed(y, type_unranked(l->c, t->dtype));
}

static Value *op2(Lg *l, OpKind k, Value *a, Value *b)
{
	return typed(lg_new2(l, k, a, b, NULL), a->type);
}

/* Axes from `axis` on. */
static const Attr *tail_axes(Lg *l, int rank)
{
	int at;
	int64_t axes[MAX_RANK];
	if (rank < 1 || rank > MAX_RANK || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return NULL;
	for (int i = at; i < rank; i++)
		axes[i - at] = i;
	return lg_ints_attr(l, axes, (size_t)(rank - at));
}

/* 1 / sqrt(mean + epsilon) */
static Value *inverse_root(Lg *l, Value *mean, DType d)
{
	Value *sum = op2(l, OP_add, mean, rz_float(l, d, op_float(l->op, A_epsilon)));
	Value *root = typed(lg_new1(l, OP_sqrt, sum, NULL), mean->type);
	return typed(lg_new1(l, OP_reciprocal, root, NULL), mean->type);
}

static DType stash_dtype(const Lg *l, DType d)
{
	return op_int(l->op, A_stash_type) == 1 && (d == DT_F16 || d == DT_BF16) ? DT_F32 : d;
}

/* (x - mean) * inv_std * scale + bias over the axes from `axis` on. */
bool ex_layer_norm(Lg *l, OpKind onnx)
{
	(void)onnx;
	DType d;
	Value *x = lg_in(l, 0), *scale = lg_in(l, 1), *bias = lg_in(l, 2);
	const Attr *axes = tail_axes(l, lg_rank(x));
	if (!rz_dtype(l, &d) || !axes)
		return rz_no(l, "the rank or the element type is not known");
	DType stash = stash_dtype(l, d);
	Value *wide = cast_to(l, x, stash), *mean = mean_of(l, wide, axes);
	Value *centred = op2(l, OP_sub, wide, mean);
	Value *inverse = inverse_root(l, mean_of(l, op2(l, OP_mul, centred, centred), axes), stash);
	Value *unit = cast_to(l, op2(l, OP_mul, centred, inverse), d);
	for (size_t i = 1; i < l->op->nresults; i++)
		value_replace_uses(l->op->results[i], i == 1 ? mean : inverse);
	op_drop_results(l->op, 1);
	if (!bias)
		return lg_become(l, OP_mul, (Value *[]){ unit, scale }, 2, NULL);
	return lg_become(l, OP_add, (Value *[]){ op2(l, OP_mul, unit, scale), bias }, 2, NULL);
}

bool ex_rms_norm(Lg *l, OpKind onnx)
{
	(void)onnx;
	DType d;
	Value *x = lg_in(l, 0);
	const Attr *axes = tail_axes(l, lg_rank(x));
	if (!rz_dtype(l, &d) || !axes)
		return rz_no(l, "the rank or the element type is not known");
	DType stash = stash_dtype(l, d);
	Value *wide = cast_to(l, x, stash);
	Value *inverse = inverse_root(l, mean_of(l, op2(l, OP_mul, wide, wide), axes), stash);
	Value *unit = cast_to(l, op2(l, OP_mul, wide, inverse), d);
	return lg_become(l, OP_mul, (Value *[]){ unit, lg_in(l, 1) }, 2, NULL);
}

/* x as [N, groups, everything else]: mean and variance by group; back to x's shape; then scale and bias by channel. */
bool ex_group_norm(Lg *l, OpKind onnx)
{
	(void)onnx;
	DType d;
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x);
	int64_t channels, groups = op_int(l->op, A_num_groups), ones[MAX_RANK];
	if (!rz_dtype(l, &d) || rank < 2 || rank > MAX_RANK || !sym_const(x->type->dims[1], &channels))
		return rz_no(l, "the number of channels or the element type is not known");
	DType stash = stash_dtype(l, d);
	Value *wide = cast_to(l, x, stash);
	const Type *three = type_tensor_of(l->c, stash, 3, (int64_t[]){ -1, groups, -1 });
	Value *by_group = typed(lg_new2(l, OP_reshape, wide, rz_ints(l, (int64_t[]){ 0, groups, -1 }, 3), NULL), three);
	const Attr *axes = lg_ints_attr(l, (int64_t[]){ 2 }, 1);
	Value *centred = op2(l, OP_sub, by_group, mean_of(l, by_group, axes));
	Value *inverse = inverse_root(l, mean_of(l, op2(l, OP_mul, centred, centred), axes), stash);
	Value *unit = op2(l, OP_mul, centred, inverse), *shape = lg_new1(l, OP_shape, x, NULL);
	Value *back = typed(lg_new2(l, OP_reshape, unit, shape, NULL), wide->type);
	for (int i = 0; i < rank; i++)
		ones[i] = 1;
	ones[1] = channels;
	Value *scale = rz_with_dims(l, lg_in(l, 1), rank - 1, ones + 1);
	Value *bias = rz_with_dims(l, lg_in(l, 2), rank - 1, ones + 1);
	Value *scaled = op2(l, OP_mul, cast_to(l, back, d), scale);
	return lg_become(l, OP_add, (Value *[]){ scaled, bias }, 2, NULL);
}

/* (x - mean) / (sqrt(variance) + 1e-9) */
bool ex_mvn(Lg *l, OpKind onnx)
{
	(void)onnx;
	DType d;
	const Attr *axes = lg_attr(l, A_axes);
	if (!axes || !rz_dtype(l, &d))
		return rz_no(l, "the axes or the element type are not known");
	Value *x = lg_in(l, 0), *centred = op2(l, OP_sub, x, mean_of(l, x, axes));
	Value *variance = mean_of(l, op2(l, OP_mul, centred, centred), axes);
	Value *root = typed(lg_new1(l, OP_sqrt, variance, NULL), variance->type);
	return lg_become(l, OP_div, (Value *[]){ centred, op2(l, OP_add, root, rz_float(l, d, 1e-9)) }, 2, NULL);
}

/* `and` is the minimum and `or` the maximum of 0 and 1. */
bool ex_reduce_bool(Lg *l, OpKind onnx)
{
	(void)onnx;
	const char *kind = op_text(l->op, A_kind);
	bool and = !strcmp(kind, "and");
	if (!and && strcmp(kind, "or"))
		return rz_no(l, "ONNX does not have that reduction");
	Value *x = cast_to(l, lg_in(l, 0), DT_I32);
	Value *y = lg_new1(l, OP_reduce, x, (RwAttr[]){ { A_kind, lg_text(l, and ? "min" : "max") },
			{ A_axes, lg_attr(l, A_axes) }, { A_keepdims, lg_attr(l, A_keepdims) }, { A_NONE, NULL } });
	return lg_become(l, OP_cast, &y, 1, (RwAttr[]){ { A_to, attr_dtype(l->c, DT_BOOL) }, { A_NONE, NULL } });
}

/* Softmax over an inner axis before opset 13: that axis is swapped with the last one and back. */
bool ex_softmax_axis(Lg *l, OpKind onnx)
{
	(void)onnx;
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x), at;
	int64_t perm[MAX_RANK];
	const Sym *dims[MAX_RANK];
	if (rank < 2 || rank > MAX_RANK || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return rz_no(l, "the rank is not known");
	for (int i = 0; i < rank; i++) {
		perm[i] = i == at ? rank - 1 : i == rank - 1 ? at : i;
		dims[i] = x->type->dims[perm[i]];
	}
	const Type *swapped = type_tensor(l->c, x->type->dtype, rank, dims);
	RwAttr swap[] = { { A_perm, lg_ints_attr(l, perm, (size_t)rank) }, { A_NONE, NULL } };
	Value *last = typed(lg_new1(l, OP_transpose, x, swap), swapped);
	RwAttr last_axis[] = { { A_axis, lg_int(l, rank - 1) }, { A_NONE, NULL } };
	Value *y = typed(lg_new1(l, op_kind(l->op), last, last_axis), swapped);
	return lg_become(l, OP_transpose, &y, 1, swap);
}

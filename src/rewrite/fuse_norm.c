/* Layer norm and RMS norm out of their parts. The scale is left at ones: factors and summands behind fold into it. */
#include "fuse_int.h"

/* v under a square root: sqrt(v), pow(v, 0.5). */
static Value *under_root(const Value *s)
{
	Op *sqrt = live_def(s, OP_sqrt), *pow = live_def(s, OP_pow);
	double k;
	if (sqrt)
		return op_operand(sqrt, 0);
	return pow && constant_float(op_operand(pow, 1), &k) && k == 0.5 ? op_operand(pow, 0) : NULL;
}

/* v when r is 1 / sqrt(v) in one of its spellings. */
static Value *under_inverse_root(const Value *r)
{
	Op *rsqrt = live_def(r, OP_rsqrt), *inverse = live_def(r, OP_reciprocal), *div = live_def(r, OP_div),
			*pow = live_def(r, OP_pow);
	double k;
	if (rsqrt)
		return op_operand(rsqrt, 0);
	if (inverse)
		return under_root(op_operand(inverse, 0));
	if (div && constant_float(op_operand(div, 0), &k) && k == 1)
		return under_root(op_operand(div, 1));
	return pow && constant_float(op_operand(pow, 1), &k) && k == -0.5 ? op_operand(pow, 0) : NULL;
}

/* root = *d / sqrt(*v) as a quotient or a product. */
static bool quotient_by_root(const Op *root, size_t side, Value **d, Value **v)
{
	if (op_is(root, OP_div)) {
		*d = op_operand(root, 0);
		*v = side == 0 ? under_root(op_operand(root, 1)) : NULL;
	} else {
		*d = op_operand(root, side);
		*v = under_inverse_root(op_operand(root, 1 - side));
	}
	return *v != NULL;
}

/* The last axes of a value of this rank, from *first on, all reduced and kept with size 1. */
static bool last_axes(const Op *op, int rank, int *first)
{
	uint64_t set;
	if (rank < 1 || !op_int(op, A_keepdims) || !fuse_reduced_axes(op, rank, &set) || set == 0)
		return false;
	*first = rank;
	while (*first > 0 && set >> (*first - 1) & 1)
		--*first;
	return set == ((UINT64_C(1) << rank) - 1) - ((UINT64_C(1) << *first) - 1);
}

/* v = mean(d * d) + eps over the last axes of d. */
static bool mean_square(const Value *v, int *first, Value **d, double *eps)
{
	Op *mean = live_def(fuse_plus_number(v, eps), OP_reduce);
	if (!mean || !fuse_is_reduce(mean, "mean") || !value_has_one_use(mean->results[0]))
		return false;
	*d = fuse_square_of(op_operand(mean, 0));
	return *d && *eps >= 0 && value_has_one_use(op_operand(mean, 0)) && last_axes(mean, value_rank(*d), first);
}

static bool same_difference(const Value *a, const Value *b)
{
	Op *s = live_def(a, OP_sub), *t = live_def(b, OP_sub);
	return a == b || (s && t && op_operand(s, 0) == op_operand(t, 0) && op_operand(s, 1) == op_operand(t, 1));
}

/* norm(x, ones) over the axes from `first` on, for the root. */
static bool normalise(Rw *rw, Op *root, OpKind kind, Value *x, int first, double eps)
{
	int64_t dims[MAX_RANK];
	int rank = value_rank(x);
	for (int i = first; i < rank; i++)
		if ((dims[i - first] = value_dim(x, i)) < 1)
			return rw_no(rw, "the size of a normalised axis is unknown");
	if (value_dtype(x) != DT_F32)
		return rw_no(rw, "the parts round otherwise in this element type");
	if (!rw_target_has(rw, kind) || !rw_same_type(rw, x, root->results[0]))
		return false;
	Value *ones = rw_splat(rw, DT_F32, rank - first, dims, 1);
	return rw_replace_op(rw, root, rw_op2(rw, kind, x, ones, (RwAttr[]){ { A_axis, attr_int(rw->ctx, first) },
			{ A_epsilon, attr_float(rw->ctx, (double)(float)eps) }, { A_NONE, NULL } }));
}

bool fuse_layer_norm(Rw *rw, Op *root)
{
	for (size_t side = 0; side < 2; side++) {
		Value *d, *e, *v;
		double eps;
		int first, from;
		if (!quotient_by_root(root, side, &d, &v) || !mean_square(v, &first, &e, &eps) || !same_difference(d, e))
			continue;
		Op *sub = live_def(d, OP_sub), *mean = sub ? live_def(op_operand(sub, 1), OP_reduce) : NULL;
		if (!mean || !fuse_is_reduce(mean, "mean") || op_operand(mean, 0) != op_operand(sub, 0) ||
				!last_axes(mean, value_rank(d), &from) || from != first)
			continue;
		return normalise(rw, root, OP_layer_norm, op_operand(sub, 0), first, eps);
	}
	return rw_no(rw, "no (x - mean) / sqrt(variance + eps)");
}

bool fuse_rms_norm(Rw *rw, Op *root)
{
	for (size_t side = 0; side < 2; side++) {
		Value *d, *e, *v;
		double eps;
		int first;
		if (!quotient_by_root(root, side, &d, &v) || !mean_square(v, &first, &e, &eps) || d != e)
			continue;
		Op *sub = live_def(d, OP_sub);
		Op *mean = sub ? live_def(op_operand(sub, 1), OP_reduce) : NULL;
		if (mean && fuse_is_reduce(mean, "mean") && op_operand(mean, 0) == op_operand(sub, 0))
			continue; /* a layer norm */
		return normalise(rw, root, OP_rms_norm, d, first, eps);
	}
	return rw_no(rw, "no x / sqrt(mean(x * x) + eps)");
}

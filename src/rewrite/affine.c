#include "affine_int.h"

#include <string.h>

/* A weight beyond this size that other ops use too is not copied for one of them. */
#define BIG_WEIGHT (INT64_C(1) << 20)

Affine affine_scale_only(Affine a)
{
	a.has_shift = false;
	a.shift = NULL;
	return a;
}

Affine affine_shift_only(Affine a)
{
	a.has_scale = false;
	a.scale = NULL;
	a.positive = true;
	return a;
}

/* ---- reading a constant operand as one number a channel ---- */

/* No element of v differs from another one with the same coordinate along `axis` (-1: from any other). */
static bool varies_only_along(const double *v, size_t n, int rank, const int64_t *dims, int axis)
{
	int64_t strides[MAX_RANK];
	strides_of(rank, dims, strides);
	for (size_t i = 0; i < n; i++) {
		size_t first = axis < 0 ? 0 : (size_t)((int64_t)i / strides[axis] % dims[axis] * strides[axis]);
		if (memcmp(&v[i], &v[first], sizeof *v))
			return false;
	}
	return true;
}

/* The axis of k that its values depend on, by its shape or else by what is in it: -1 for none. */
static bool varying_axis(Rw *rw, const Value *k, const int64_t *dims, int *axis)
{
	int wide = 0, rank = value_rank(k);
	*axis = -1;
	for (int i = 0; i < rank; i++) {
		wide += dims[i] != 1;
		if (dims[i] != 1)
			*axis = i;
	}
	if (wide <= 1)
		return true;
	size_t n;
	const double *v = constant_floats(rw->scratch, k, 0, &n);
	if (!v || n == 0)
		return false;
	for (*axis = -1; *axis < rank; ++*axis)
		if ((*axis < 0 || dims[*axis] != 1) && varies_only_along(v, n, rank, dims, *axis))
			return true;
	return false;
}

/* k, broadcast against x, is one number a channel and does not enlarge x: sets axis and channels. */
static bool channel_form(Rw *rw, const Value *k, const Value *x, Affine *a)
{
	int64_t dims[MAX_RANK];
	int rank = value_rank(k), xrank = value_rank(x), axis;
	if (xrank < 0)
		return rw_no(rw, "the rank of the other operand is unknown");
	if (rank < 0 || rank > xrank || !type_static_dims(k->type, dims))
		return rw_no(rw, "the constant has a higher rank than the value");
	for (int i = 0; i < rank; i++)
		if (dims[i] != 1 && !sym_known_eq(k->type->dims[i], x->type->dims[i + xrank - rank]))
			return rw_no(rw, "the constant may enlarge the value");
	if (value_count(k) == 0 || !varying_axis(rw, k, dims, &axis))
		return rw_no(rw, "the constant varies along more than one axis");
	a->axis = axis < 0 ? -1 : axis + xrank - rank;
	a->channels = axis < 0 ? 1 : dims[axis];
	return true;
}

/* The [channels] or [] form of a constant that channel_form accepted. */
static Value *channel_vector(Rw *rw, Value *k, const Affine *a, int xrank)
{
	int rank = value_rank(k);
	int64_t zeros[MAX_RANK] = { 0 }, ends[MAX_RANK];
	if (rank == 0)
		return k;
	if (value_count(k) != a->channels) {
		for (int i = 0; i < rank; i++)
			ends[i] = a->axis >= 0 && i + xrank - rank == a->axis ? a->channels : 1;
		k = rw_op3(rw, OP_slice, k, rw_ints(rw, zeros, (size_t)rank), rw_ints(rw, ends, (size_t)rank), NULL);
	}
	if (a->axis < 0)
		return rw_reshape_to(rw, k, 0, NULL);
	return rank == 1 ? k : rw_reshape_to(rw, k, 1, &a->channels);
}

static bool all_positive(Rw *rw, const Value *k)
{
	size_t n;
	const double *v = constant_floats(rw->scratch, k, 0, &n);
	for (size_t i = 0; v && i < n; i++)
		if (!(v[i] > 0))
			return false;
	return v != NULL;
}

static bool has_zero(Rw *rw, const Value *k)
{
	size_t n;
	const double *v = constant_floats(rw->scratch, k, 0, &n);
	for (size_t i = 0; v && i < n; i++)
		if (v[i] == 0)
			return true;
	return v == NULL;
}

/* ---- ops as maps ---- */

static bool batch_norm_of(Rw *rw, Op *op, Affine *a, Value **x)
{
	static const char *const names[] = { "", "the scale", "the bias", "the mean", "the variance" };
	*x = op_operand(op, 0);
	for (size_t i = 1; i < 5; i++) {
		Value *p = op_operand(op, i);
		if (!rw_is_constant(rw, p, names[i]))
			return false;
		if (value_dtype(p) != value_dtype(*x))
			return rw_no(rw, "%s has another element type than the data", names[i]);
		if (value_rank(p) != 1 || value_dim(p, 0) != value_dim(op_operand(op, 1), 0))
			return rw_no(rw, "%s is not one number a channel", names[i]);
	}
	a->axis = 1;
	a->channels = value_dim(op_operand(op, 1), 0);
	if (a->channels < 1 || (value_rank(*x) >= 0 && value_rank(*x) < 2))
		return rw_no(rw, "the data has no channel axis");
	a->has_scale = a->has_shift = true;
	a->positive = all_positive(rw, op_operand(op, 1));
	return true;
}

bool affine_of(Rw *rw, Op *op, Affine *a, Value **x)
{
	*a = (Affine){ .axis = -1, .channels = 1, .positive = true };
	OpKind k = op_kind(op);
	if (op->constant || op->nresults != 1 || !op_operand(op, 0) || !value_is_float(op_operand(op, 0)))
		return rw_no(rw, "not float arithmetic with a constant");
	if (k == OP_batch_norm)
		return batch_norm_of(rw, op, a, x);
	if (k == OP_neg) {
		*x = op_operand(op, 0);
		a->has_scale = true;
		a->positive = false;
		return true;
	}
	bool sum = k == OP_add || k == OP_sub, product = k == OP_mul || k == OP_div;
	if (!sum && !product)
		return false;
	int side = constant_side(op);
	if (side < 0)
		return rw_no(rw, "no operand is constant");
	if (k == OP_div && side == 0)
		return rw_no(rw, "the divisor is not constant");
	Value *c = op_operand(op, (size_t)side);
	*x = op_operand(op, (size_t)!side);
	if (!channel_form(rw, c, *x, a))
		return false;
	if (k == OP_div && has_zero(rw, c))
		return rw_no(rw, "the divisor holds a zero or is too big to look at");
	a->has_shift = sum;
	a->has_scale = product || (k == OP_sub && side == 0);
	a->positive = !a->has_scale || (product && all_positive(rw, c));
	return true;
}

/* The op itself, run on ones and zeros, gives scale and shift: its formula and epsilon stay in one place. */
static void build_batch_norm(Rw *rw, Op *op, Affine *a)
{
	DType d = value_dtype(op_operand(op, 0));
	int64_t row[2] = { 1, a->channels };
	Value *zeros = rw_splat(rw, d, 1, row + 1, 0);
	Value *gamma = op_operand(op, 1), *var = op_operand(op, 4);
	const RwAttr attrs[] = { { A_epsilon, op_attr(op, A_epsilon) }, { A_NONE, NULL } };
	Value *scale[] = { rw_splat(rw, d, 2, row, 1), gamma, zeros, zeros, var };
	Value *shift[] = { rw_splat(rw, d, 2, row, 0), gamma, op_operand(op, 2), op_operand(op, 3), var };
	if (a->has_scale)
		a->scale = rw_reshape_to(rw, rw_op(rw, OP_batch_norm, scale, 5, attrs), 1, row + 1);
	if (a->has_shift)
		a->shift = rw_reshape_to(rw, rw_op(rw, OP_batch_norm, shift, 5, attrs), 1, row + 1);
}

void affine_build(Rw *rw, Op *op, Affine *a)
{
	OpKind k = op_kind(op);
	if (k == OP_batch_norm) {
		build_batch_norm(rw, op, a);
		return;
	}
	DType d = value_dtype(op_operand(op, 0));
	if (k == OP_neg) {
		a->scale = rw_float(rw, d, -1);
		return;
	}
	int side = constant_side(op);
	Value *c = channel_vector(rw, op_operand(op, (size_t)side), a, value_rank(op_operand(op, (size_t)!side)));
	if (k == OP_mul)
		a->scale = c;
	else if (k == OP_div)
		a->scale = rw_op1(rw, OP_reciprocal, c, NULL);
	else
		a->shift = k == OP_sub && side == 1 ? rw_op1(rw, OP_neg, c, NULL) : c;
	if (a->has_scale && !a->scale)
		a->scale = rw_float(rw, d, -1);
}

/* ---- using a map ---- */

Value *affine_spread(Rw *rw, Value *v, int rank, int axis)
{
	int64_t dims[MAX_RANK];
	if (value_rank(v) == 0 || (rank == 1 && axis == 0))
		return v;
	for (int i = 0; i < rank; i++)
		dims[i] = i == axis ? value_dim(v, 0) : 1;
	return rw_reshape_to(rw, v, rank, dims);
}

bool affine_const_fits(const Value *k, int rank, const Affine *a)
{
	int krank = value_rank(k), axis = a->axis - (rank - krank);
	int64_t n = value_count(k);
	if (n < 0 || krank > rank)
		return false;
	if (a->axis < 0 || n == 1)
		return true;
	return axis >= 0 && value_dim(k, axis) == a->channels;
}

Value *affine_const(Rw *rw, Value *k, int rank, const Affine *a)
{
	/* A vector needs only the axes from its own one to the last. */
	int span = a->axis < 0 ? 0 : rank - a->axis;
	if (a->has_scale)
		k = rw_op2(rw, OP_mul, k, affine_spread(rw, a->scale, span, 0), NULL);
	if (a->has_shift)
		k = rw_op2(rw, OP_add, k, affine_spread(rw, a->shift, span, 0), NULL);
	return k;
}

Value *affine_bias(Rw *rw, Value *bias, int64_t n, DType d, const Affine *a)
{
	if (bias && a->has_scale)
		bias = rw_op2(rw, OP_mul, bias, a->scale, NULL);
	if (!a->has_shift)
		return bias;
	if (bias)
		return rw_op2(rw, OP_add, bias, a->shift, NULL);
	if (value_rank(a->shift) == 1)
		return a->shift;
	return rw_op2(rw, OP_add, rw_splat(rw, d, 1, &n, 0), a->shift, NULL);
}

bool affine_merged_axis(Rw *rw, const Type *fine, int axis, const Type *coarse, int *out, int64_t *before,
		int64_t *after)
{
	Context *c = rw->ctx;
	if (fine->rank < 0 || coarse->rank < 0)
		return false;
	for (int first = axis; first >= 0; first--)
		for (int last = axis; last < fine->rank; last++) {
			const Sym *outer = sym_product(c, fine->dims, first);
			const Sym *run = sym_product(c, fine->dims + first, last + 1 - first);
			for (int j = 0; j < coarse->rank; j++) {
				if (!sym_known_eq(coarse->dims[j], run) || !sym_known_eq(sym_product(c, coarse->dims, j), outer))
					continue;
				*out = j;
				return sym_const(sym_product(c, fine->dims + first, axis - first), before) &&
						sym_const(sym_product(c, fine->dims + axis + 1, last - axis), after);
			}
		}
	return false;
}

static Value *repeat(Rw *rw, Value *v, int64_t before, int64_t after)
{
	if (!v || value_rank(v) == 0 || (before == 1 && after == 1))
		return v;
	int64_t n = value_dim(v, 0), dims[] = { 1, n, 1 }, wide[] = { before, n, after }, all = before * n * after;
	v = rw_op2(rw, OP_expand, rw_reshape_to(rw, v, 3, dims), rw_ints(rw, wide, 3), NULL);
	return rw_reshape_to(rw, v, 1, &all);
}

void affine_repeat(Rw *rw, Affine *a, int64_t before, int64_t after)
{
	a->scale = repeat(rw, a->scale, before, after);
	a->shift = repeat(rw, a->shift, before, after);
	if (a->axis >= 0)
		a->channels *= before * after;
}

bool affine_may_change(Rw *rw, const Value *w)
{
	size_t users = 0, bytes;
	int64_t n = value_count(w);
	const Attr *data = value_constant(w);
	if (data && data->kind == ATTR_TENSOR && data->u.tensor.blob->splat)
		return true; /* one repeated number: there is nothing to share */
	if (n >= 0 && dtype_packed_bytes(value_dtype(w), n, &bytes) && (int64_t)bytes <= BIG_WEIGHT)
		return true;
	for (const Use *u = w->uses; u && users < 2; u = u->next)
		users += !u->user->constant;
	if (users < 2)
		return true;
	return rw_no(rw, "the weight has several users and is too big to copy");
}

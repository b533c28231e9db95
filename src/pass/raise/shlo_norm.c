#include "shlo_int.h"

#include <math.h>
#include <string.h>

/* Normalisations from core's reductions and arithmetic, raised in turn; statistics of half floats are taken in f32. */

static Value *bin(Lg *l, OpKind k, Value *x, Value *y)
{
	return sh_core2(l, k, x, y, NULL);
}

static Value *num(Lg *l, OpKind k, Value *x, double v)
{
	return bin(l, k, x, lg_const_float(l, x->type->dtype, v));
}

static Value *cast(Lg *l, Value *x, DType d)
{
	return x->type->dtype == d ? x : sh_core1(l, OP_cast, x, sh_attr(l, A_to, attr_dtype(l->c, d)));
}

static Value *wide(Lg *l, Value *x)
{
	DType d = x->type->dtype;
	return cast(l, x, d == DT_F16 || d == DT_BF16 ? DT_F32 : d);
}

static Value *reduced(Lg *l, const char *kind, Value *x, const int64_t *axes, size_t n)
{
	return sh_core1(l, OP_reduce, x, (RwAttr[]){ { A_kind, lg_text(l, kind) }, { A_axes, sh_ints(l, axes, n) },
		{ A_keepdims, lg_int(l, 1) }, { A_NONE, NULL } });
}

/* y for the first result; `more` for the others, or NULL where nobody may use them. */
static bool done_with(Lg *l, Value *y, Value *const *more, size_t nmore)
{
	bool conflict = false;
	Value **all = NEW_ARRAY(l->a, Value *, l->op->nresults + 1);
	if (!lg_unused_results(l, 1 + nmore))
		return rz_no(l, "one of its further results is used");
	y = cast(l, y, sh_result(l)->dtype);
	const Type *t = type_refine(l->c, sh_result(l), y->type, &conflict);
	if (!conflict && y->def && y->def->made)
		value_set_type(y, t);
	for (size_t i = 0; i < l->op->nresults; i++) {
		DType d = lg_dtype(l->op->results[i]);
		all[i] = i && i <= nmore ? cast(l, more[i - 1], d != DT_NONE ? d : more[i - 1]->type->dtype) : y;
	}
	return lg_replace(l, all, l->op->nresults);
}

static bool done(Lg *l, Value *y)
{
	return done_with(l, y, NULL, 0);
}

/* The dimensions from the axis on. */
static bool tail(Lg *l, Value *x, int64_t *axes, size_t *n)
{
	int rank, at;
	*n = 0;
	if (!sh_ranked(x, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return sh_needs_shape(l);
	for (int d = at; d < rank; d++)
		axes[(*n)++] = d;
	return true;
}

/* exp(x - max) over its sum; the logarithm of it. */
bool sh_softmax(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int64_t axis;
	int rank, at;
	if (!sh_ranked(x, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return sh_needs_shape(l);
	axis = at;
	Value *z = bin(l, OP_sub, x, reduced(l, "max", x, &axis, 1)), *e = sh_core1(l, OP_exp, z, NULL);
	Value *sum = reduced(l, "sum", e, &axis, 1);
	return done(l, to == SHLO_divide ? bin(l, OP_div, e, sum) : bin(l, OP_sub, z, sh_core1(l, OP_log, sum, NULL)));
}

/* (x - mean) / sqrt(var + epsilon) over the axes; statistics gets the mean and the factor. */
static Value *standardised_with(Lg *l, Value *x, const int64_t *axes, size_t n, double epsilon, Value *statistics[2])
{
	statistics[0] = reduced(l, "mean", x, axes, n);
	Value *z = bin(l, OP_sub, x, statistics[0]);
	Value *var = reduced(l, "mean", bin(l, OP_mul, z, z), axes, n);
	statistics[1] = sh_core1(l, OP_rsqrt, num(l, OP_add, var, epsilon), NULL);
	return bin(l, OP_mul, z, statistics[1]);
}

static Value *standardised(Lg *l, Value *x, const int64_t *axes, size_t n, double epsilon)
{
	Value *statistics[2];
	return standardised_with(l, x, axes, n, epsilon, statistics);
}

static Value *scaled(Lg *l, Value *y, Value *scale, Value *bias)
{
	y = scale && !constant_all(scale, 1) ? bin(l, OP_mul, y, cast(l, scale, y->type->dtype)) : y;
	return bias ? bin(l, OP_add, y, cast(l, bias, y->type->dtype)) : y;
}

bool sh_layer_norm(Lg *l, OpKind to)
{
	int64_t axes[MAX_RANK];
	size_t n;
	Value *statistics[2];
	(void)to;
	if (!tail(l, lg_in(l, 0), axes, &n))
		return false;
	Value *y = standardised_with(l, wide(l, lg_in(l, 0)), axes, n, op_float(l->op, A_epsilon), statistics);
	return done_with(l, scaled(l, y, lg_in(l, 1), lg_in(l, 2)), statistics, 2);
}

bool sx_rms_norm(Lg *l, OpKind to)
{
	int64_t axes[MAX_RANK];
	size_t n;
	(void)to;
	if (!tail(l, lg_in(l, 0), axes, &n))
		return false;
	Value *x = wide(l, lg_in(l, 0)), *mean = reduced(l, "mean", bin(l, OP_mul, x, x), axes, n);
	Value *inverse = sh_core1(l, OP_rsqrt, num(l, OP_add, mean, op_float(l->op, A_epsilon)), NULL);
	return done(l, scaled(l, bin(l, OP_mul, x, inverse), lg_in(l, 1), NULL));
}

/* A vector over the channels as [C, 1, ...]. */
static Value *by_channel(Lg *l, Value *v, int rank)
{
	int64_t dims[MAX_RANK];
	for (int d = 0; d < rank - 1; d++)
		dims[d] = d == 0 ? -1 : 1;
	return v ? bin(l, OP_reshape, v, lg_const_ints(l, dims, (size_t)rank - 1)) : NULL;
}

static size_t spatial(int rank, int64_t *axes)
{
	for (int d = 2; d < rank; d++)
		axes[d - 2] = d;
	return rank > 2 ? (size_t)rank - 2 : 0;
}

bool sx_instance_norm(Lg *l, OpKind to)
{
	int64_t axes[MAX_RANK];
	int rank;
	(void)to;
	if (!sh_ranked(lg_in(l, 0), &rank) || rank < 3)
		return sh_needs_shape(l);
	Value *y = standardised(l, wide(l, lg_in(l, 0)), axes, spatial(rank, axes), op_float(l->op, A_epsilon));
	return done(l, scaled(l, y, by_channel(l, lg_in(l, 1), rank), by_channel(l, lg_in(l, 2), rank)));
}

bool sx_group_norm(Lg *l, OpKind to)
{
	int64_t groups = op_int(l->op, A_num_groups), shape[3] = { 0, groups, -1 }, last = 2;
	int rank;
	Value *x = lg_in(l, 0);
	(void)to;
	if (!sh_ranked(x, &rank) || rank < 2 || groups < 1)
		return sh_needs_shape(l);
	if (lg_rank(lg_in(l, 1)) != 1 || lg_in(l, 1)->type->dims[0] != x->type->dims[1])
		return rz_no(l, "its scale is not one number a channel");
	Value *y = bin(l, OP_reshape, wide(l, x), lg_const_ints(l, shape, ARRAY_LEN(shape)));
	y = standardised(l, y, &last, 1, op_float(l->op, A_epsilon));
	y = sh_reshape_to(l, y, x->type);
	if (!y)
		return sh_needs_shape(l);
	return done(l, scaled(l, y, by_channel(l, lg_in(l, 1), rank), by_channel(l, lg_in(l, 2), rank)));
}

/* x / (bias + alpha / size * sum of squares over neighbouring channels)^beta: a sum of shifted copies. */
bool sx_lrn(Lg *l, OpKind to)
{
	int64_t size = op_int(l->op, A_size), axis = 1, dims[MAX_RANK];
	enum { MOST = 64 };
	int rank;
	Value *x = lg_in(l, 0), *sum = NULL;
	(void)to;
	if (!sh_ranked(x, &rank) || rank < 2 || rank > MAX_RANK / 2 || size < 1 || size > MOST ||
		!sym_const(x->type->dims[1], &dims[1]))
		return sh_needs_shape(l);
	int64_t pads[MAX_RANK] = { 0 };
	pads[1] = (size - 1) / 2;
	pads[rank + 1] = size / 2;
	Value *square = sh_core2(l, OP_pad, bin(l, OP_mul, x, x), lg_const_ints(l, pads, 2 * (size_t)rank), NULL);
	for (int64_t i = 0; i < size; i++) {
		int64_t end = i + dims[1];
		Value *in[3] = { square, lg_const_ints(l, &i, 1), lg_const_ints(l, &end, 1) };
		Value *part = sh_core(l, OP_slice, in, 3, sh_attr(l, A_axes, sh_ints(l, &axis, 1)));
		sum = sum ? bin(l, OP_add, sum, part) : part;
	}
	sum = num(l, OP_add, num(l, OP_mul, sum, op_float(l->op, A_alpha) / (double)size), op_float(l->op, A_bias));
	return done(l, bin(l, OP_div, x, num(l, OP_pow, sum, op_float(l->op, A_beta))));
}

/* x over its norm, 0 where that is 0. */
bool sx_lp_norm(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int rank, at;
	(void)to;
	if (!sh_ranked(x, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return sh_needs_shape(l);
	int64_t axis = at;
	Value *norm = reduced(l, op_int(l->op, A_p) == 1 ? "l1" : "l2", x, &axis, 1);
	Value *none = num(l, OP_eq, norm, 0), *zero = lg_const_float(l, x->type->dtype, 0);
	return done(l, sh_core(l, OP_select, (Value *[]){ none, zero, bin(l, OP_div, x, norm) }, 3, NULL));
}

bool sx_mvn(Lg *l, OpKind to)
{
	static const int64_t usual[] = { 0, 2, 3 };
	const int64_t *axes = usual;
	const double epsilon = 1e-9;
	size_t n = op_attr(l->op, A_axes) ? op_attr_ints(l->op, A_axes, &axes) : ARRAY_LEN(usual);
	int rank;
	(void)to;
	if (!sh_ranked(lg_in(l, 0), &rank))
		return sh_needs_shape(l);
	Value *x = wide(l, lg_in(l, 0)), *z = bin(l, OP_sub, x, reduced(l, "mean", x, axes, n));
	Value *var = reduced(l, "mean", bin(l, OP_mul, z, z), axes, n);
	return done(l, bin(l, OP_div, z, num(l, OP_add, sh_core1(l, OP_sqrt, var, NULL), epsilon)));
}

/* 1 where the first of the largest is. */
bool sx_hardmax(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int rank, at;
	(void)to;
	if (!sh_ranked(x, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return sh_needs_shape(l);
	Value *first = sh_core1(l, OP_argmax, x, (RwAttr[]){ { A_axis, lg_int(l, at) }, { A_keepdims, lg_int(l, 1) },
		{ A_NONE, NULL } });
	Value *place = sh_iota(l, type_with_dtype(l->c, x->type, DT_I64), at);
	return place ? done(l, bin(l, OP_eq, place, first)) : sh_needs_shape(l);
}

/* Statistics of the batch: what it makes of them for the running ones is in the other results. */
bool sh_batch_norm_training(Lg *l, OpKind to)
{
	Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) };
	int rank;
	(void)to;
	if (!sh_ranked(in[0], &rank) || rank < 2)
		return sh_needs_shape(l);
	if (!lg_unused_results(l, 1))
		return rz_no(l, "its running statistics are used");
	int64_t axes[MAX_RANK];
	size_t n = 0;
	for (int d = 0; d < rank; d++)
		if (d != 1)
			axes[n++] = d;
	Value *y = standardised(l, wide(l, in[0]), axes, n, op_float(l->op, A_epsilon));
	return done(l, scaled(l, y, by_channel(l, in[1], rank), by_channel(l, in[2], rank)));
}

bool sh_global_pool(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int64_t axes[MAX_RANK];
	int rank;
	(void)to;
	if (!sh_ranked(x, &rank) || rank < 3)
		return sh_needs_shape(l);
	size_t n = spatial(rank, axes);
	if (op_is(l->op, OP_global_max_pool))
		return done(l, reduced(l, "max", x, axes, n));
	if (op_is(l->op, OP_global_avg_pool))
		return done(l, reduced(l, "mean", x, axes, n));
	int64_t p = op_int(l->op, A_p);
	if (p == 1 || p == 2)
		return done(l, reduced(l, p == 1 ? "l1" : "l2", x, axes, n));
	Value *power = num(l, OP_pow, sh_core1(l, OP_abs, x, NULL), (double)p);
	return done(l, num(l, OP_pow, reduced(l, "sum", power, axes, n), 1 / (double)p));
}

/* Parts one after the other; all but the split axis may be of unknown size. */
bool sh_split(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int rank, at;
	int64_t start = 0, part;
	size_t n = l->op->nresults;
	Value **y = NEW_ARRAY(l->a, Value *, n + 1);
	(void)to;
	if (!sh_ranked(x, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return sh_needs_shape(l);
	RwAttr *axes = sh_attr(l, A_axes, sh_ints(l, (int64_t[]){ at }, 1));
	for (size_t i = 0; i < n; i++) {
		const Type *t = l->op->results[i]->type;
		if (!type_has_rank(t) || t->rank != rank || !sym_const(t->dims[at], &part))
			return sh_needs_shape(l);
		int64_t end = start + part;
		y[i] = sh_core(l, OP_slice, (Value *[]){ x, lg_const_ints(l, &start, 1), lg_const_ints(l, &end, 1) }, 3, axes);
		start = end;
	}
	return lg_replace(l, y, n);
}

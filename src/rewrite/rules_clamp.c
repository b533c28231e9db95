/* Rules of the algebra topic for min, max, relu and clamp. NaN goes through all of them unchanged. A bound is a scalar
 * constant; new bounds are made by min and max of the old ones, so that every element type works. */
#include "rewrite/rules_algebra.h"
#include "rewrite/move_int.h"

#include <math.h>

/* A scalar constant of x's type that is no NaN; its value as a double orders bounds. */
static bool bound_of(const Value *c, const Value *x, double *v)
{
	return c && value_is_constant(c) && value_count(c) == 1 && value_dtype(c) == value_dtype(x) &&
		   constant_float(c, v) && !isnan(*v) && fabs(*v) < 9007199254740992.0;
}

static bool is_infinite(const Value *c, double sign)
{
	return value_is_constant(c) && value_is_float(c) && constant_all(c, sign * INFINITY);
}

/* Clip takes integers since opset 12, tensors as bounds since 11. */
static bool may_clamp(Rw *rw, const Value *x)
{
	if (value_is_float(x) || rw_opset_at_least(rw, 12))
		return true;
	return rw_no(rw, "a clamp of integers needs opset 12");
}

static Value *as_scalar(Rw *rw, Value *c)
{
	return value_rank(c) == 0 ? c : rw_reshape_to(rw, c, 0, NULL);
}

static Value *clamp(Rw *rw, Value *x, Value *lo, Value *hi)
{
	Value *in[3] = { x, lo ? as_scalar(rw, lo) : NULL, hi ? as_scalar(rw, hi) : NULL };
	return rw_op(rw, OP_clamp, in, hi ? 3 : 2, NULL);
}

/* The scalar constant of op and its other operand, which has the dims of the result. */
static bool bounded(const Op *op, Value **x, Value **c, double *v)
{
	int side = op ? constant_side(op) : -1;
	if (side < 0)
		return false;
	*c = op_operand(op, (size_t)side);
	*x = op_operand(op, 1u - (size_t)side);
	return bound_of(*c, *x, v) && value_rank(*c) <= value_rank(*x);
}

/* min(max(x, lo), hi) is a clamp as it stands; max(min(x, hi), lo) is one where lo < hi. */
bool minmax_clamp(Rw *rw, Op *root)
{
	bool outer_min = op_is(root, OP_min);
	Value *mid, *x, *c, *d;
	double outer, inner;
	if (!bounded(root, &mid, &c, &outer))
		return rw_no(rw, "it has no scalar constant operand");
	Op *op = live_def(mid, outer_min ? OP_max : OP_min);
	Op *relu = outer_min ? live_def(mid, OP_relu) : NULL;
	if (relu && rw_may_rebuild(rw, mid) && may_clamp(rw, mid)) {
		if (outer < 0)
			return rw_no(rw, "the bound is negative");
		return rw_replace(rw, root->results[0], clamp(rw, op_operand(relu, 0), rw_float(rw, value_dtype(mid), 0), c));
	}
	if (!op || !bounded(op, &x, &d, &inner) || !rw_may_rebuild(rw, mid))
		return rw_no(rw, "the operand is not bounded on the other side, or has other users");
	if (!outer_min && outer >= inner)
		return rw_no(rw, "the lower bound is not below the upper one");
	if (!may_clamp(rw, x))
		return false;
	return rw_replace(rw, root->results[0], outer_min ? clamp(rw, x, d, c) : clamp(rw, x, c, d));
}

/* Both bounds of a clamp as far as they are there; false when one is no constant. */
static bool bounds_of(const Op *op, double *lo, double *hi)
{
	Value *x = op_operand(op, 0), *a = op_operand(op, 1), *b = op_operand(op, 2);
	*lo = -INFINITY;
	*hi = INFINITY;
	return (!a || bound_of(a, x, lo) || is_infinite(a, -1)) && (!b || bound_of(b, x, hi) || is_infinite(b, 1)) &&
		   *lo <= *hi;
}

/* clamp(clamp(x, a, b), c, d) -> clamp(x, min(max(a, c), d), min(max(b, c), d)) */
bool clamp_clamp(Rw *rw, Op *root)
{
	Op *inner = live_def(op_operand(root, 0), OP_clamp);
	double a, b, c, d;
	if (!inner)
		return rw_no(rw, "the operand is no clamp");
	if (!bounds_of(inner, &a, &b) || !bounds_of(root, &c, &d))
		return rw_no(rw, "a bound is not constant, or the bounds are out of order");
	Value *lo = op_operand(inner, 1), *hi = op_operand(inner, 2), *min = op_operand(root, 1),
		  *max = op_operand(root, 2);
	Value *pick_lo = c > a ? min : lo, *pick_hi = d < b ? max : hi;
	if (fmax(a, c) > fmin(b, d)) { /* the ranges do not meet: the outer bound nearest to the inner range */
		pick_lo = pick_hi = c > b ? min : max;
		if ((c > b ? c : d) == 0 && value_is_float(op_operand(root, 0)))
			return rw_no(rw, "the result is a zero, whose sign another zero could take");
	}
	if (!rw_single_use(rw, op_operand(root, 0)))
		return false;
	return rw_replace(rw, root->results[0], clamp(rw, op_operand(inner, 0), pick_lo, pick_hi));
}

bool clamp_open(Rw *rw, Op *root)
{
	Value *lo = op_operand(root, 1), *hi = op_operand(root, 2);
	if ((lo && !is_infinite(lo, -1)) || (hi && !is_infinite(hi, 1)))
		return rw_no(rw, "it has a finite bound");
	return replace_by_existing(rw, root->results[0], op_operand(root, 0));
}

/* max(clamp(x, a, b), c) with c < b, min(clamp(x, a, b), d) with a < d: another bound for the same clamp */
bool clamp_one_sided(Rw *rw, Op *root)
{
	Value *mid, *c;
	double v, lo, hi;
	if (!bounded(root, &mid, &c, &v))
		return rw_no(rw, "it has no scalar constant operand");
	Op *inner = live_def(mid, OP_clamp);
	if (!inner || !bounds_of(inner, &lo, &hi) || !rw_may_rebuild(rw, mid))
		return rw_no(rw, "the operand is no clamp by constants with this use only");
	Value *a = op_operand(inner, 1), *b = op_operand(inner, 2);
	if (op_is(root, OP_max)) {
		if (!(v < hi))
			return rw_no(rw, "the bounds are out of order");
		a = v > lo ? c : a;
	} else {
		if (!(v > lo))
			return rw_no(rw, "the bounds are out of order");
		b = v < hi ? c : b;
	}
	return rw_replace(rw, root->results[0], clamp(rw, op_operand(inner, 0), a, b));
}

/* relu(clamp(x, lo, hi)) -> clamp(x, max(lo, 0), hi) */
bool relu_of_clamp(Rw *rw, Op *root)
{
	Value *v = op_operand(root, 0);
	Op *inner = live_def(v, OP_clamp);
	double lo, hi;
	if (!inner)
		return rw_no(rw, "the operand is no clamp");
	if (!bounds_of(inner, &lo, &hi) || hi <= 0)
		return rw_no(rw, "a bound is not constant, or no value is positive");
	if (lo >= 0 && !signbit(lo))
		return replace_by_existing(rw, root->results[0], v);
	if (!rw_may_rebuild(rw, v))
		return false;
	return rw_replace(rw, root->results[0],
			clamp(rw, op_operand(inner, 0), rw_constant_all(rw, type_tensor(rw->ctx, value_dtype(v), 0, NULL), 0),
				op_operand(inner, 2)));
}

/* clamp(relu(x), lo, hi) -> clamp(x, max(lo, 0), hi) */
bool clamp_of_relu(Rw *rw, Op *root)
{
	Value *v = op_operand(root, 0);
	Op *relu = live_def(v, OP_relu);
	double lo, hi;
	if (!relu)
		return rw_no(rw, "the operand is no relu");
	if (!bounds_of(root, &lo, &hi) || hi < 0)
		return rw_no(rw, "a bound is not constant, or the upper one is negative");
	if (isinf(hi))
		return lo <= 0 ? replace_by_existing(rw, root->results[0], v) : rw_no(rw, "it has no upper bound");
	if (!rw_may_rebuild(rw, v))
		return false;
	Value *zero = lo > 0 ? op_operand(root, 1) : rw_constant_all(rw, type_tensor(rw->ctx, value_dtype(v), 0, NULL), 0);
	return rw_replace(rw, root->results[0], clamp(rw, op_operand(relu, 0), zero, op_operand(root, 2)));
}

/* Never below zero (NaN aside); *strict: no -0 either. */
static bool is_nonnegative(const Value *v, bool *strict)
{
	const Op *op = v->def;
	double lo, hi;
	*strict = true;
	if (!op || op->constant)
		return false;
	switch (op_kind(op)) {
	case OP_sigmoid: case OP_exp: case OP_abs: case OP_softplus: case OP_softmax: case OP_hard_sigmoid:
		return true;
	case OP_relu: case OP_sqrt:
		*strict = false;
		return true;
	case OP_clamp:
		if (!bounds_of(op, &lo, &hi) || lo < 0)
			return false;
		*strict = lo > 0;
		return true;
	default:
		return false;
	}
}

bool relu_of_nonnegative(Rw *rw, Op *root)
{
	bool strict;
	Value *v = op_operand(root, 0);
	if (!value_is_float(v) || !is_nonnegative(v, &strict) || !strict)
		return rw_no(rw, "the operand may be negative, or -0");
	return replace_by_existing(rw, root->results[0], v);
}

static bool drop_abs(Rw *rw, Op *root, bool exact)
{
	bool strict;
	Value *v = op_operand(root, 0);
	if (!value_is_float(v) || !is_nonnegative(v, &strict) || strict != exact)
		return rw_no(rw, "the operand may be negative");
	return replace_by_existing(rw, root->results[0], v);
}

bool abs_of_nonnegative(Rw *rw, Op *root)
{
	return drop_abs(rw, root, true);
}

bool abs_of_zero(Rw *rw, Op *root)
{
	return drop_abs(rw, root, false);
}

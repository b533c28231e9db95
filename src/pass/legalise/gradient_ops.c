#include "gradient_int.h"

#include <string.h>

/* Derivatives of elementwise ops, products, sums and data movement. */

/* ---- building ---- */

/* Types of new ops: those of their operands where a formula goes on with them. */
static Value *typed(Grad *g, Value *v)
{
	if (g->l->facts)
		infer_op(g->l->facts, v->def);
	return v;
}

Value *gr_2(Grad *g, OpKind k, Value *a, Value *b)
{
	return typed(g, lg_new2(g->l, k, a, b, NULL));
}

Value *gr_1(Grad *g, OpKind k, Value *x)
{
	return typed(g, lg_new1(g->l, k, x, NULL));
}

Value *gr_c(Grad *g, const Value *like, double v)
{
	return lg_const_float(g->l, lg_dtype(like), v);
}

Value *gr_where(Grad *g, Value *cond, Value *a, Value *b)
{
	return typed(g, lg_new(g->l, OP_select, (Value *[]){ cond, a, b }, 3, NULL));
}

Value *gr_sum(Grad *g, Value *x, const int64_t *axes, size_t n, bool keep)
{
	if (n == 0)
		return x;
	return typed(g, lg_new1(g->l, OP_reduce, x, (RwAttr[]){ { A_kind, lg_text(g->l, "sum") }, { A_axes, lg_ints_attr(g->l, axes, n) },
			{ A_keepdims, lg_int(g->l, keep) }, { A_NONE, NULL } }));
}

Value *gr_transpose(Grad *g, Value *x, const int64_t *perm, int rank)
{
	return typed(g, lg_new1(g->l, OP_transpose, x, (RwAttr[]){ { A_perm, lg_ints_attr(g->l, perm, (size_t)rank) }, { A_NONE, NULL } }));
}

Value *gr_reshape(Grad *g, Value *x, const int64_t *dims, size_t n)
{
	return gr_2(g, OP_reshape, x, lg_const_ints(g->l, dims, n));
}

/* The shape of like: numbers, or read from it. */
static Value *shape_of(Grad *g, const Value *like)
{
	int64_t dims[MAX_RANK];
	if (type_has_rank(like->type) && like->type->rank <= MAX_RANK && type_static_dims(like->type, dims))
		return lg_const_ints(g->l, dims, (size_t)like->type->rank);
	return gr_1(g, OP_shape, (Value *)like);
}

Value *gr_like(Grad *g, Value *x, const Value *like)
{
	return gr_2(g, OP_reshape, x, shape_of(g, like));
}

Value *gradient_zeros(Grad *g, const Value *like)
{
	return gr_2(g, OP_expand, gr_c(g, like, 0), shape_of(g, like));
}

Value *gradient_fit(Grad *g, Value *d, const Type *from, const Value *x)
{
	const Type *to = x->type;
	int64_t axes[MAX_RANK], lead[MAX_RANK];
	size_t n = 0, nlead = 0;
	if (!type_has_rank(from) || !type_has_rank(to) || from->rank < to->rank || from->rank > MAX_RANK)
		return g->why = "a rank is not known", NULL;
	for (int i = 0; i < from->rank; i++) {
		int own = i - (from->rank - to->rank);
		if (own < 0)
			lead[nlead++] = i;
		if (own < 0 || (sym_is(to->dims[own], 1) && !sym_is(from->dims[i], 1)))
			axes[n++] = i;
		else if (own >= 0 && to->dims[own] != from->dims[i] && !sym_is(to->dims[own], 1)) {
			int64_t size;
			if (!sym_const(to->dims[own], &size))
				return g->why = "it is not known which sizes are broadcast", NULL;
		}
	}
	d = gr_sum(g, d, axes, n, true);
	if (nlead)
		d = typed(g, lg_new1(g->l, OP_squeeze, d, (RwAttr[]){ { A_axes, lg_ints_attr(g->l, lead, nlead) }, { A_NONE, NULL } }));
	return d;
}

/* ---- one operand ---- */

static Value *at_or_above(Grad *g, Value *x, double v)
{
	return gr_2(g, OP_ge, x, gr_c(g, x, v));
}

static Value *above(Grad *g, Value *x, double v)
{
	return gr_2(g, OP_gt, x, gr_c(g, x, v));
}

static Value *square(Grad *g, Value *x)
{
	return gr_mul(g, x, x);
}

static Value *one_minus(Grad *g, Value *x)
{
	return gr_sub(g, gr_c(g, x, 1), x);
}

/* Slope of x times the logistic function of a x. */
static Value *swish_slope(Grad *g, Value *x, double a)
{
	Value *ax = gr_times(g, x, a), *s = gr_1(g, OP_sigmoid, ax);
	return gr_mul(g, s, gr_plus(g, gr_mul(g, ax, one_minus(g, s)), 1));
}

static Value *gelu_slope(Grad *g, const Op *op, Value *x)
{
	const double half_root = 0.70710678118654752, density = 0.39894228040143268, outer = 0.79788456080286536, inner = 0.044715;
	if (!strcmp(op_text(op, A_approximate), "tanh")) {
		Value *u = gr_times(g, gr_mul(g, x, gr_plus(g, gr_times(g, square(g, x), inner), 1)), outer), *t = gr_1(g, OP_tanh, u);
		Value *du = gr_times(g, gr_plus(g, gr_times(g, square(g, x), 3 * inner), 1), outer);
		Value *rest = gr_mul(g, gr_times(g, x, 0.5), gr_mul(g, one_minus(g, square(g, t)), du));
		return gr_add(g, gr_times(g, gr_plus(g, t, 1), 0.5), rest);
	}
	Value *below = gr_times(g, gr_plus(g, gr_1(g, OP_erf, gr_times(g, x, half_root)), 1), 0.5);
	return gr_add(g, below, gr_times(g, gr_mul(g, x, gr_1(g, OP_exp, gr_times(g, square(g, x), -0.5))), density));
}

/* Slopes with a bend: one for x above 0, another below. */
static Value *bent_slope(Grad *g, const Op *op, Value *x, Value *y)
{
	Value *one = gr_c(g, x, 1), *zero = gr_c(g, x, 0);
	double alpha = op_attr(op, A_alpha) || op_attr_def(op->def, A_alpha) ? op_float(op, A_alpha) : 0;
	switch (op_kind(op)) {
	case OP_relu: return gr_where(g, above(g, x, 0), one, zero);
	case OP_elu: return gr_where(g, above(g, x, 0), one, gr_plus(g, y, alpha));
	case OP_selu: {
		double gamma = op_float(op, A_gamma);
		return gr_where(g, above(g, x, 0), gr_c(g, x, gamma), gr_plus(g, y, alpha * gamma));
	}
	case OP_celu: return gr_where(g, above(g, x, 0), one, gr_1(g, OP_exp, gr_times(g, x, 1 / alpha)));
	case OP_leaky_relu: return gr_where(g, above(g, x, 0), one, gr_c(g, x, alpha));
	case OP_thresholded_relu: return gr_where(g, above(g, x, alpha), one, zero);
	case OP_hard_sigmoid:
		return gr_where(g, gr_2(g, OP_and, above(g, y, 0), gr_2(g, OP_lt, y, one)), gr_c(g, x, alpha), zero);
	case OP_hard_swish: {
		Value *middle = gr_plus(g, gr_times(g, x, 1.0 / 3), 0.5);
		return gr_where(g, at_or_above(g, x, 3), one, gr_where(g, above(g, x, -3), middle, zero));
	}
	default: return NULL;
	}
}

/* dy/dx of an op of one operand, from x and y; NULL: not one of these. */
static Value *slope(Grad *g, const Op *op, Value *x, Value *y)
{
	const double two_by_root_pi = 1.1283791670955126;
	switch (op_kind(op)) {
	case OP_abs: return gr_1(g, OP_sign, x);
	case OP_sqrt: return gr_div(g, gr_c(g, x, 0.5), y);
	case OP_cbrt: return gr_div(g, gr_c(g, x, 1.0 / 3), square(g, y));
	case OP_rsqrt: return gr_times(g, gr_mul(g, y, square(g, y)), -0.5);
	case OP_reciprocal: return gr_1(g, OP_neg, square(g, y));
	case OP_exp: return y;
	case OP_expm1: return gr_1(g, OP_exp, x);
	case OP_log: return gr_1(g, OP_reciprocal, x);
	case OP_log1p: return gr_1(g, OP_reciprocal, gr_plus(g, x, 1));
	case OP_sin: return gr_1(g, OP_cos, x);
	case OP_cos: return gr_1(g, OP_neg, gr_1(g, OP_sin, x));
	case OP_tan: return gr_plus(g, square(g, y), 1);
	case OP_asin: return gr_1(g, OP_reciprocal, gr_1(g, OP_sqrt, one_minus(g, square(g, x))));
	case OP_acos: return gr_1(g, OP_neg, gr_1(g, OP_reciprocal, gr_1(g, OP_sqrt, one_minus(g, square(g, x)))));
	case OP_atan: return gr_1(g, OP_reciprocal, gr_plus(g, square(g, x), 1));
	case OP_sinh: return gr_1(g, OP_cosh, x);
	case OP_cosh: return gr_1(g, OP_sinh, x);
	case OP_tanh: return one_minus(g, square(g, y));
	case OP_asinh: return gr_1(g, OP_reciprocal, gr_1(g, OP_sqrt, gr_plus(g, square(g, x), 1)));
	case OP_acosh: return gr_1(g, OP_reciprocal, gr_1(g, OP_sqrt, gr_plus(g, square(g, x), -1)));
	case OP_atanh: return gr_1(g, OP_reciprocal, one_minus(g, square(g, x)));
	case OP_erf: return gr_times(g, gr_1(g, OP_exp, gr_1(g, OP_neg, square(g, x))), two_by_root_pi);
	case OP_sigmoid: return gr_mul(g, y, one_minus(g, y));
	case OP_softplus: return gr_1(g, OP_sigmoid, x);
	case OP_softsign: return gr_1(g, OP_reciprocal, square(g, gr_plus(g, gr_1(g, OP_abs, x), 1)));
	case OP_swish: return swish_slope(g, x, op_float(op, A_alpha));
	case OP_gelu: return gelu_slope(g, op, x);
	case OP_mish: {
		Value *t = gr_1(g, OP_tanh, gr_1(g, OP_softplus, x));
		return gr_add(g, t, gr_mul(g, gr_mul(g, x, one_minus(g, square(g, t))), gr_1(g, OP_sigmoid, x)));
	}
	default: return bent_slope(g, op, x, y);
	}
}

static bool unary(Grad *g, Op *op, Value *dy)
{
	Value *x = op_operand(op, 0), *by = slope(g, op, x, op->results[0]);
	if (by)
		gradient_add(g, x, gr_mul(g, dy, by));
	return by != NULL;
}

static bool same(Grad *g, Op *op, Value *dy)
{
	gradient_add(g, op_operand(op, 0), dy);
	return true;
}

static bool negative(Grad *g, Op *op, Value *dy)
{
	gradient_add(g, op_operand(op, 0), gr_1(g, OP_neg, dy));
	return true;
}

/* Steps: flat wherever they have a slope. */
static bool flat(Grad *g, Op *op, Value *dy)
{
	(void)dy;
	gradient_add(g, op_operand(op, 0), gradient_zeros(g, op_operand(op, 0)));
	return true;
}

static bool cast(Grad *g, Op *op, Value *dy)
{
	Value *x = op_operand(op, 0);
	gradient_add(g, x, typed(g, lg_new1(g->l, OP_cast, dy, (RwAttr[]){ { A_to, attr_dtype(g->l->c, lg_dtype(x)) }, { A_NONE, NULL } })));
	return true;
}

/* ---- two and more operands ---- */

/* Adds a derivative that has the shape of op's result to operand i. */
static bool give(Grad *g, const Op *op, size_t i, Value *d)
{
	Value *x = op_operand(op, i);
	if (!gradient_wants(g, x))
		return true;
	d = gradient_fit(g, d, op->results[0]->type, x);
	if (d)
		gradient_add(g, x, d);
	return d != NULL;
}

static bool binary(Grad *g, Op *op, Value *dy)
{
	Value *a = op_operand(op, 0), *b = op_operand(op, 1), *y = op->results[0], *zero = gr_c(g, y, 0);
	bool wa = gradient_wants(g, a), wb = gradient_wants(g, b);
	Value *da = dy, *db = dy;
	switch (op_kind(op)) {
	case OP_add: break;
	case OP_sub: db = wb ? gr_1(g, OP_neg, dy) : NULL; break;
	case OP_mul:
		da = wa ? gr_mul(g, dy, b) : NULL;
		db = wb ? gr_mul(g, dy, a) : NULL;
		break;
	case OP_div:
		da = wa ? gr_div(g, dy, b) : NULL;
		db = wb ? gr_1(g, OP_neg, gr_div(g, gr_mul(g, dy, y), b)) : NULL;
		break;
	case OP_pow:
		if (wb && lg_dtype(b) != lg_dtype(a))
			return g->why = "base and exponent are of different types", false;
		if (wa) {
			Value *e = lg_dtype(b) == lg_dtype(a) ? b : typed(g, lg_new1(g->l, OP_cast, b,
				(RwAttr[]){ { A_to, attr_dtype(g->l->c, lg_dtype(a)) }, { A_NONE, NULL } }));
			da = gr_mul(g, dy, gr_mul(g, e, gr_2(g, OP_pow, a, gr_plus(g, e, -1))));
			da = gr_where(g, gr_2(g, OP_eq, e, zero), zero, da);
		}
		if (wb) /* 0 to any power does not change with it */
			db = gr_mul(g, dy, gr_where(g, gr_2(g, OP_gt, a, zero), gr_mul(g, y, gr_1(g, OP_log, a)), zero));
		break;
	case OP_max:
	case OP_min: { /* equal operands: the first */
		Value *first = gr_2(g, op_is(op, OP_max) ? OP_ge : OP_le, a, b);
		da = gr_where(g, first, dy, zero);
		db = gr_where(g, first, zero, dy);
		break;
	}
	case OP_prelu: {
		Value *above_zero = gr_2(g, OP_gt, a, zero);
		da = gr_where(g, above_zero, dy, gr_mul(g, dy, b));
		db = gr_where(g, above_zero, zero, gr_mul(g, dy, a));
		break;
	}
	default: return false;
	}
	return (!wa || give(g, op, 0, da)) && (!wb || give(g, op, 1, db));
}

static bool nary(Grad *g, Op *op, Value *dy)
{
	if (op_is(op, OP_mean_n))
		dy = gr_times(g, dy, 1.0 / op->noperands);
	for (size_t i = 0; i < op->noperands; i++)
		if (!give(g, op, i, dy))
			return false;
	return true;
}

static bool select_op(Grad *g, Op *op, Value *dy)
{
	Value *c = op_operand(op, 0), *zero = gr_c(g, dy, 0);
	return give(g, op, 1, gr_where(g, c, dy, zero)) && give(g, op, 2, gr_where(g, c, zero, dy));
}

static bool clamp(Grad *g, Op *op, Value *dy)
{
	Value *x = op_operand(op, 0), *low = op_operand(op, 1), *high = op_operand(op, 2), *zero = gr_c(g, x, 0);
	if (gradient_wants(g, low) || gradient_wants(g, high))
		return g->why = "its bounds depend on xs", false;
	if (low)
		dy = gr_where(g, gr_2(g, OP_ge, x, low), dy, zero);
	if (high)
		dy = gr_where(g, gr_2(g, OP_le, x, high), dy, zero);
	gradient_add(g, x, dy);
	return true;
}

/* ---- products ---- */

static Value *swapped(Grad *g, Value *x, int rank)
{
	int64_t perm[MAX_RANK];
	for (int i = 0; i < rank; i++)
		perm[i] = i;
	perm[rank - 2] = rank - 1;
	perm[rank - 1] = rank - 2;
	return gr_transpose(g, x, perm, rank);
}

static Value *with_axis(Grad *g, Value *x, int64_t axis)
{
	return typed(g, lg_unsqueeze(g->l, x, &axis, 1));
}

/* A vector is a row on the left and a column on the right. */
static bool matmul(Grad *g, Op *op, Value *dy)
{
	Value *a = op_operand(op, 0), *b = op_operand(op, 1), *left = a, *right = b;
	int ra = lg_rank(a), rb = lg_rank(b), ry = lg_rank(op->results[0]);
	if (ra < 1 || rb < 1 || ry < 0 || ry > MAX_RANK - 2 || ra > MAX_RANK - 2 || rb > MAX_RANK - 2)
		return g->why = "a rank is not known", false;
	if (rb == 1) {
		right = with_axis(g, b, 1);
		dy = with_axis(g, dy, ry++);
	}
	if (ra == 1) {
		left = with_axis(g, a, 0);
		dy = with_axis(g, dy, ry++ - 1);
	}
	if (gradient_wants(g, a)) {
		Value *d = gr_2(g, OP_matmul, dy, swapped(g, right, rb == 1 ? 2 : rb));
		d = gradient_fit(g, d, d->type, left);
		if (!d)
			return false;
		gradient_add(g, a, ra == 1 ? gr_like(g, d, a) : d);
	}
	if (gradient_wants(g, b)) {
		Value *d = gr_2(g, OP_matmul, swapped(g, left, ra == 1 ? 2 : ra), dy);
		d = gradient_fit(g, d, d->type, right);
		if (!d)
			return false;
		gradient_add(g, b, rb == 1 ? gr_like(g, d, b) : d);
	}
	return true;
}

static bool gemm(Grad *g, Op *op, Value *dy)
{
	Value *a = op_operand(op, 0), *b = op_operand(op, 1), *d = gr_times(g, dy, op_float(op, A_alpha));
	bool ta = op_int(op, A_trans_a) != 0, tb = op_int(op, A_trans_b) != 0;
	if (gradient_wants(g, a)) {
		Value *w = tb ? b : swapped(g, b, 2);
		gradient_add(g, a, ta ? swapped(g, gr_2(g, OP_matmul, d, w), 2) : gr_2(g, OP_matmul, d, w));
	}
	if (gradient_wants(g, b)) {
		Value *x = ta ? a : swapped(g, a, 2);
		gradient_add(g, b, tb ? swapped(g, gr_2(g, OP_matmul, x, d), 2) : gr_2(g, OP_matmul, x, d));
	}
	return !op_operand(op, 2) || give(g, op, 2, gr_times(g, dy, op_float(op, A_beta)));
}

/* ---- reductions ---- */

/* dy with the reduced axes back, as size 1; the number of elements behind each result, NULL when it is not known. */
static Value *spread(Grad *g, const Op *op, Value *dy, double *count)
{
	Value *x = op_operand(op, 0);
	const int64_t *axes;
	int64_t all[MAX_RANK], size;
	size_t n = op_attr_ints(op, A_axes, &axes);
	int rank = lg_rank(x), at;
	if (rank < 0 || rank > MAX_RANK)
		return g->why = "a rank is not known", NULL;
	for (int i = 0; n == 0 && i < rank; i++)
		all[i] = i;
	if (n == 0) {
		axes = all;
		n = (size_t)rank;
	}
	*count = 1;
	int64_t norm[MAX_RANK];
	for (size_t i = 0; i < n; i++) {
		if (!axis_norm(axes[i], rank, &at))
			return NULL;
		norm[i] = at;
		*count = sym_const(x->type->dims[at], &size) ? *count * (double)size : -1;
		if (*count < 0)
			break;
	}
	if (op_int(op, A_keepdims) || n == 0)
		return dy;
	for (size_t i = 0; i < n && *count < 0; i++)
		if (axis_norm(axes[i], rank, &at))
			norm[i] = at;
	for (size_t i = 0; i < n; i++) /* in order */
		for (size_t k = i + 1; k < n; k++)
			if (norm[k] < norm[i]) {
				int64_t t = norm[i];
				norm[i] = norm[k];
				norm[k] = t;
			}
	return typed(g, lg_unsqueeze(g->l, dy, norm, n));
}

static bool reduce(Grad *g, Op *op, Value *dy)
{
	Value *x = op_operand(op, 0), *zero = gr_c(g, x, 0);
	const char *kind = op_text(op, A_kind);
	double count;
	Value *d = spread(g, op, dy, &count), *y = d ? spread(g, op, op->results[0], &count) : NULL;
	if (!d)
		return false;
	if (!strcmp(kind, "sum")) {
		gradient_add(g, x, gr_add(g, d, gradient_zeros(g, x)));
	} else if (!strcmp(kind, "mean")) {
		if (count < 0)
			return g->why = "the number of elements is not known", false;
		gradient_add(g, x, gr_add(g, gr_times(g, d, 1 / count), gradient_zeros(g, x)));
	} else if (!strcmp(kind, "sum_square")) {
		gradient_add(g, x, gr_mul(g, d, gr_times(g, x, 2)));
	} else if (!strcmp(kind, "l1")) {
		gradient_add(g, x, gr_mul(g, d, gr_1(g, OP_sign, x)));
	} else if (!strcmp(kind, "l2")) {
		gradient_add(g, x, gr_mul(g, d, gr_div(g, x, y)));
	} else if (!strcmp(kind, "log_sum")) {
		gradient_add(g, x, gr_add(g, gr_div(g, d, gr_1(g, OP_exp, y)), gradient_zeros(g, x)));
	} else if (!strcmp(kind, "log_sum_exp")) {
		gradient_add(g, x, gr_mul(g, d, gr_1(g, OP_exp, gr_sub(g, x, y))));
	} else if (!strcmp(kind, "prod")) {
		gradient_add(g, x, gr_div(g, gr_mul(g, d, y), x));
	} else if (!strcmp(kind, "max") || !strcmp(kind, "min")) { /* equal elements: all of them */
		gradient_add(g, x, gr_where(g, gr_2(g, OP_eq, x, y), d, zero));
	} else {
		return false;
	}
	return true;
}

/* ---- data movement ---- */

static bool reshaped(Grad *g, Op *op, Value *dy)
{
	gradient_add(g, op_operand(op, 0), gr_like(g, dy, op_operand(op, 0)));
	return true;
}

static bool expand(Grad *g, Op *op, Value *dy)
{
	return give(g, op, 0, dy);
}

static bool transpose(Grad *g, Op *op, Value *dy)
{
	int perm[MAX_RANK], rank = lg_rank(op_operand(op, 0));
	int64_t back[MAX_RANK];
	if (rank < 0 || rank > MAX_RANK || !op_perm(op, rank, perm))
		return g->why = "a rank is not known", false;
	for (int i = 0; i < rank; i++)
		back[perm[i]] = i;
	gradient_add(g, op_operand(op, 0), gr_transpose(g, dy, back, rank));
	return true;
}

/* Elements [first, last) of d along an axis. */
static Value *part_of(Grad *g, Value *d, int64_t axis, int64_t first, int64_t last)
{
	return typed(g, lg_new(g->l, OP_slice, (Value *[]){ d, lg_const_ints(g->l, &first, 1), lg_const_ints(g->l, &last, 1) }, 3,
			(RwAttr[]){ { A_axes, lg_ints_attr(g->l, &axis, 1) }, { A_NONE, NULL } }));
}

static bool concat(Grad *g, Op *op, Value *dy)
{
	int axis, rank = lg_rank(op->results[0]);
	int64_t at = 0, size;
	if (rank < 0 || !axis_norm(op_int(op, A_axis), rank, &axis))
		return g->why = "a rank is not known", false;
	for (size_t i = 0; i < op->noperands; i++, at += size) {
		const Value *x = op_operand(op, i);
		if (lg_rank(x) != rank || !sym_const(x->type->dims[axis], &size))
			return g->why = "a size is not known", false;
		if (gradient_wants(g, x))
			gradient_add(g, op_operand(op, i), part_of(g, dy, axis, at, at + size));
	}
	return true;
}

static bool split(Grad *g, Op *op, Value *dy)
{
	Value **parts = NEW_ARRAY(g->l->a, Value *, op->nresults + 1u);
	(void)dy;
	for (size_t i = 0; i < op->nresults; i++) {
		parts[i] = map_get(&g->sums, MAP_PTR(op->results[i]));
		if (!parts[i])
			parts[i] = gradient_zeros(g, op->results[i]);
	}
	gradient_add(g, op_operand(op, 0), typed(g, lg_new(g->l, OP_concat, parts, op->nresults,
			(RwAttr[]){ { A_axis, lg_int(g->l, op_int(op, A_axis)) }, { A_NONE, NULL } })));
	return true;
}

static Value *padded(Grad *g, Value *d, const int64_t *pads, int rank)
{
	return typed(g, lg_new(g->l, OP_pad, (Value *[]){ d, lg_const_ints(g->l, pads, 2 * (size_t)rank) }, 2, NULL));
}

/* A slice in steps of 1 leaves ends out: they come back as zeros. */
static bool slice(Grad *g, Op *op, Value *dy)
{
	Lg *l = g->l;
	Value *x = op_operand(op, 0);
	int64_t pads[2 * MAX_RANK] = { 0 }, dims[MAX_RANK];
	int rank = lg_rank(x), at;
	const int64_t *axes, *v[3] = { NULL };
	size_t naxes = op_attr_ints(op, A_axes, &axes), n[3] = { 0 };
	if (rank < 0 || rank > MAX_RANK || !type_static_dims(x->type, dims))
		return g->why = "a size is not known", false;
	for (size_t i = 0; i < 3; i++)
		if (op_operand(op, i + 1) && !(v[i] = constant_ints(l->a, op_operand(op, i + 1), 0, &n[i])))
			return g->why = "its bounds are not constant", false;
	for (size_t i = 0; i < n[0] && i < n[1]; i++) {
		if ((v[2] && i < n[2] && v[2][i] != 1) || !axis_norm(naxes ? axes[i < naxes ? i : 0] : (int64_t)i, rank, &at))
			return g->why = "it has steps other than 1", false;
		int64_t size = dims[at], first = v[0][i] < 0 ? v[0][i] + size : v[0][i], last = v[1][i] < 0 ? v[1][i] + size : v[1][i];
		first = first < 0 ? 0 : first > size ? size : first;
		last = last < first ? first : last > size ? size : last;
		pads[at] = first;
		pads[rank + at] = size - last;
	}
	gradient_add(g, x, padded(g, dy, pads, rank));
	return true;
}

static bool pad(Grad *g, Op *op, Value *dy)
{
	int rank = lg_rank(op_operand(op, 0)), at;
	int64_t pads[2 * MAX_RANK] = { 0 };
	const int64_t *v, *axes;
	size_t n, naxes = op_attr_ints(op, A_axes, &axes);
	if (gradient_wants(g, op_operand(op, 2)) || strcmp(op_text(op, A_mode), "constant"))
		return g->why = "only constants as padding have one", false;
	if (rank < 0 || rank > MAX_RANK || !(v = constant_ints(g->l->a, op_operand(op, 1), 0, &n)))
		return g->why = "the padding is not constant", false;
	for (size_t i = 0; i < n / 2; i++) {
		if (!axis_norm(naxes ? axes[i < naxes ? i : 0] : (int64_t)i, rank, &at) || v[i] == INT64_MIN || v[n / 2 + i] == INT64_MIN)
			return false;
		pads[at] = -v[i];
		pads[rank + at] = -v[n / 2 + i];
	}
	gradient_add(g, op_operand(op, 0), padded(g, dy, pads, rank));
	return true;
}

/* ---- the table ---- */

static const struct { OpKind kind; GradFn *fn; } rows[] = {
	{ OP_identity, same }, { OP_neg, negative }, { OP_cast, cast }, { OP_sign, flat }, { OP_ceil, flat }, { OP_floor, flat },
	{ OP_round, flat }, { OP_round_away, flat },
	{ OP_abs, unary }, { OP_sqrt, unary }, { OP_cbrt, unary }, { OP_rsqrt, unary }, { OP_reciprocal, unary }, { OP_exp, unary },
	{ OP_expm1, unary }, { OP_log, unary }, { OP_log1p, unary }, { OP_sin, unary }, { OP_cos, unary }, { OP_tan, unary },
	{ OP_asin, unary }, { OP_acos, unary }, { OP_atan, unary }, { OP_sinh, unary }, { OP_cosh, unary }, { OP_tanh, unary },
	{ OP_asinh, unary }, { OP_acosh, unary }, { OP_atanh, unary }, { OP_erf, unary }, { OP_sigmoid, unary }, { OP_relu, unary },
	{ OP_softplus, unary }, { OP_softsign, unary }, { OP_elu, unary }, { OP_selu, unary }, { OP_celu, unary },
	{ OP_leaky_relu, unary }, { OP_thresholded_relu, unary }, { OP_hard_sigmoid, unary }, { OP_hard_swish, unary },
	{ OP_mish, unary }, { OP_swish, unary }, { OP_gelu, unary },
	{ OP_add, binary }, { OP_sub, binary }, { OP_mul, binary }, { OP_div, binary }, { OP_pow, binary }, { OP_max, binary },
	{ OP_min, binary }, { OP_prelu, binary }, { OP_add_n, nary }, { OP_mean_n, nary }, { OP_select, select_op }, { OP_clamp, clamp },
	{ OP_matmul, matmul }, { OP_gemm, gemm }, { OP_reduce, reduce },
	{ OP_reshape, reshaped }, { OP_flatten, reshaped }, { OP_squeeze, reshaped }, { OP_unsqueeze, reshaped }, { OP_expand, expand },
	{ OP_transpose, transpose }, { OP_concat, concat }, { OP_split, split }, { OP_slice, slice }, { OP_pad, pad },
	{ OP_conv, gr_conv }, { OP_avg_pool, gr_avg_pool }, { OP_max_pool, gr_max_pool }, { OP_global_avg_pool, gr_global_avg_pool },
	{ OP_batch_norm, gr_batch_norm }, { OP_layer_norm, gr_layer_norm }, { OP_softmax, gr_softmax },
	{ OP_log_softmax, gr_log_softmax }, { OP_gather, gr_gather }, { OP_gather_elements, gr_gather_elements },
};

GradFn *gradient_of(OpKind k)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].kind == k)
			return rows[i].fn;
	return NULL;
}

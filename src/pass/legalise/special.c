#include "special_fits.h"
#include "special_int.h"

#include <math.h>
#include <string.h>

/* Functions of chlo that core has no op for, in core ops: for ONNX, and for portable bytecode, where core ops become StableHLO.
 * They are computed in f64 and rounded once. Polynomials are hone's own fits (special_fits.h). What does not follow from the
 * formulas (poles, infinities) is chosen afterwards. */

static Value *num(Lg *l, const Value *x, double v)
{
	return lg_const_float(l, lg_dtype(x), v);
}

static Value *un(Lg *l, OpKind k, Value *x)
{
	return fm_op1(l, k, x, NULL);
}

static Value *bin(Lg *l, OpKind k, Value *x, Value *y)
{
	return fm_op2(l, k, x, y, NULL);
}

static Value *add(Lg *l, Value *x, Value *y)
{
	return bin(l, OP_add, x, y);
}

static Value *sub(Lg *l, Value *x, Value *y)
{
	return bin(l, OP_sub, x, y);
}

static Value *mul(Lg *l, Value *x, Value *y)
{
	return bin(l, OP_mul, x, y);
}

static Value *quotient(Lg *l, Value *x, Value *y)
{
	return bin(l, OP_div, x, y);
}

static Value *plus(Lg *l, Value *x, double v)
{
	return add(l, x, num(l, x, v));
}

static Value *times(Lg *l, Value *x, double v)
{
	return mul(l, x, num(l, x, v));
}

static Value *where(Lg *l, Value *cond, Value *a, Value *b)
{
	return fm_op(l, OP_select, (Value *[]){ cond, a, b }, 3, NULL);
}

static Value *is_below(Lg *l, Value *x, double limit)
{
	return bin(l, OP_lt, x, num(l, x, limit));
}

static Value *polynomial(Lg *l, Value *x, const double *c, size_t n)
{
	Value *y = num(l, x, c[n - 1]);
	for (size_t i = n - 1; i-- > 0;)
		y = add(l, mul(l, y, x), num(l, x, c[i]));
	return y;
}

#define POLYNOMIAL(l, x, c) polynomial(l, x, c, ARRAY_LEN(c))

/* ---- lgamma, digamma: Stirling's series, after the argument was raised by its recurrence; below 1/2 by reflection ---- */

/* B_2k / (2k (2k - 1)) and B_2k / 2k */
static const double stirling[] = { 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156 };
static const double psi_series[] = { 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12 };

typedef struct Raised {
	Value *low;               /* whether the argument is below 1/2 */
	Value *z;                 /* 1 - x there, else x */
	Value *small;             /* whether z is raised */
	Value *w, *inverse;       /* z + STEPS, or z; 1 / w */
} Raised;

enum { STEPS = 9 };

static Raised raised(Lg *l, Value *x)
{
	Raised r;
	r.low = is_below(l, x, 0.5);
	r.z = where(l, r.low, sub(l, num(l, x, 1), x), x);
	r.small = is_below(l, r.z, STEPS);
	r.w = where(l, r.small, plus(l, r.z, STEPS), r.z);
	r.inverse = quotient(l, num(l, x, 1), r.w);
	return r;
}

/* How far x is from a whole number, 0 to 1/2, and up from the one below it. */
static Value *fraction(Lg *l, Value *x)
{
	return sub(l, x, un(l, OP_floor, x));
}

/* ln |gamma(z)| = (w - 1/2)(ln w - 1) - 1/2 + ln(2 pi)/2 + series - ln(z (z + 1) ...), and by reflection
 * ln(pi / |sin(pi x)|) - ln gamma(1 - x). */
static Value *lgamma_value(Lg *l, Value *x)
{
	Raised r = raised(l, x);
	Value *s = mul(l, POLYNOMIAL(l, mul(l, r.inverse, r.inverse), stirling), r.inverse);
	Value *y = mul(l, plus(l, r.w, -0.5), plus(l, un(l, OP_log, r.w), -1));
	Value *product = r.z;
	for (int i = 1; i < STEPS; i++)
		product = mul(l, product, plus(l, r.z, i));
	Value *lost = where(l, r.small, un(l, OP_log, product), num(l, x, 0));
	y = sub(l, add(l, plus(l, y, 0.918938533204672741780 - 0.5), s), lost);
	Value *f = fraction(l, un(l, OP_abs, x));
	f = bin(l, OP_min, f, sub(l, num(l, x, 1), f));
	Value *sine = un(l, OP_sin, times(l, f, M_PI));
	Value *other = sub(l, sub(l, num(l, x, 1.1447298858494001741), un(l, OP_log, sine)), y);
	Value *infinite = fm_op1(l, OP_isinf, x, NULL);
	return where(l, infinite, un(l, OP_abs, x), where(l, r.low, other, y));
}

/* ln w - 1/(2w) - series - 1/z - 1/(z + 1) ..., and by reflection psi(1 - x) - pi cot(pi x). */
static Value *digamma_value(Lg *l, Value *x)
{
	Raised r = raised(l, x);
	Value *square = mul(l, r.inverse, r.inverse);
	Value *s = mul(l, POLYNOMIAL(l, square, psi_series), square);
	Value *y = sub(l, sub(l, un(l, OP_log, r.w), times(l, r.inverse, 0.5)), s);
	Value *one = num(l, x, 1), *sum = quotient(l, one, r.z);
	for (int i = 1; i < STEPS; i++)
		sum = add(l, sum, quotient(l, one, plus(l, r.z, i)));
	y = sub(l, y, where(l, r.small, sum, num(l, x, 0)));
	Value *f = fraction(l, x), *angle = times(l, where(l, bin(l, OP_gt, f, num(l, x, 0.5)), plus(l, f, -1), f), M_PI);
	Value *cotangent = quotient(l, times(l, un(l, OP_cos, angle), M_PI), un(l, OP_sin, angle));
	y = where(l, r.low, sub(l, y, cotangent), y);
	Value *pole = bin(l, OP_and, bin(l, OP_eq, f, num(l, x, 0)), is_below(l, x, 0.5));
	Value *nothing = bin(l, OP_eq, x, num(l, x, 0));
	Value *at_pole = where(l, nothing, quotient(l, num(l, x, -1), x), num(l, x, NAN));
	return where(l, pole, at_pole, y);
}

/* ---- the inverse of erf ---- */

/* x P(w) for w = -ln(1 - x^2), or of its root where that is large. */
static Value *erf_inv_value(Lg *l, Value *x)
{
	Value *w = un(l, OP_neg, un(l, OP_log1p, un(l, OP_neg, mul(l, x, x))));
	Value *near = mul(l, sub(l, num(l, x, 1), un(l, OP_abs, x)), plus(l, un(l, OP_abs, x), 1));
	w = where(l, is_below(l, w, 1), w, un(l, OP_neg, un(l, OP_log, near))); /* 1 - x^2 is exact there */
	Value *root = un(l, OP_sqrt, w), *p;
	p = where(l, is_below(l, w, 16), POLYNOMIAL(l, plus(l, times(l, root, 1 / 0.75), -13.0 / 3), inv_mid),
		POLYNOMIAL(l, plus(l, times(l, root, 1 / 1.05), -5.05 / 1.05), inv_high));
	p = where(l, is_below(l, w, 6.25), POLYNOMIAL(l, plus(l, times(l, w, 0.32), -1), inv_low), p);
	Value *end = bin(l, OP_eq, un(l, OP_abs, x), num(l, x, 1));
	return where(l, end, times(l, x, INFINITY), mul(l, x, p));
}

/* ---- the Bessel function exp(-|x|) I1(x) ---- */

static Value *bessel_value(Lg *l, Value *x)
{
	Value *a = un(l, OP_abs, x), *eight = num(l, x, 8);
	Value *near = plus(l, times(l, bin(l, OP_min, a, eight), 0.25), -1), *big = bin(l, OP_max, a, eight);
	Value *far = plus(l, quotient(l, num(l, x, 16), big), -1);
	Value *low = mul(l, x, POLYNOMIAL(l, near, bessel_low));
	Value *high = POLYNOMIAL(l, far, bessel_high);
	high = quotient(l, mul(l, high, un(l, OP_sign, x)), un(l, OP_sqrt, big));
	return where(l, bin(l, OP_lt, a, eight), low, high);
}

/* ---- Hurwitz' zeta, by Euler and Maclaurin, and polygamma ---- */

/* B_2k / (2k)! */
static const double maclaurin[] = { 1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000,
	1.0 / 74724249600, -3617.0 / 10670622842880000, 43867.0 / 5109094217170944000, -174611.0 / 802857662698291200000.0 };

/* The sum of (q + k)^-x, q > 0. */
static Value *zeta_above(Lg *l, Value *x, Value *q)
{
	enum { FIRST = 12, TERMS = ARRAY_LEN(maclaurin) };
	Value *down = un(l, OP_neg, x), *s = bin(l, OP_pow, q, down);
	for (int k = 1; k < FIRST; k++)
		s = add(l, s, bin(l, OP_pow, plus(l, q, k), down));
	Value *a = plus(l, q, FIRST), *p = bin(l, OP_pow, a, down), *factor = x, *tail = times(l, p, 0.5);
	Value *power = quotient(l, p, a), *square = mul(l, a, a);
	for (int j = 0; j < TERMS; j++) {
		tail = add(l, tail, times(l, mul(l, factor, power), maclaurin[j]));
		if (j + 1 == TERMS)
			break;
		factor = mul(l, factor, mul(l, plus(l, x, 2 * j + 1), plus(l, x, 2 * j + 2)));
		power = quotient(l, power, square);
	}
	return add(l, add(l, s, quotient(l, mul(l, p, a), plus(l, x, -1))), tail);
}

static Value *is_even(Lg *l, Value *n)
{
	Value *half = times(l, n, 0.5);
	return bin(l, OP_eq, un(l, OP_floor, half), half);
}

/* Where q = f - n is below zero there are n terms (f - m)^-x before those of f: differences of the same sum, at 1 - f and 1 - q. */
static Value *zeta_value(Lg *l, Value *x, Value *q)
{
	Value *negative = bin(l, OP_le, q, num(l, q, 0)), *one = num(l, q, 1), *f = bin(l, OP_sub, q, un(l, OP_floor, q));
	Value *whole_q = bin(l, OP_eq, f, num(l, q, 0)), *whole_x = bin(l, OP_eq, un(l, OP_floor, x), x);
	Value *s = zeta_above(l, x, where(l, negative, where(l, whole_q, one, f), q));
	Value *near = where(l, negative, bin(l, OP_sub, one, f), one), *far = where(l, negative, bin(l, OP_sub, one, q), one);
	Value *before = bin(l, OP_sub, zeta_above(l, x, near), zeta_above(l, x, far));
	Value *below = add(l, s, where(l, is_even(l, x), before, un(l, OP_neg, before)));
	below = where(l, whole_q, num(l, x, INFINITY), where(l, whole_x, below, num(l, x, NAN)));
	s = where(l, negative, below, s);
	s = where(l, is_below(l, x, 1), num(l, x, NAN), s);
	Value *gone = bin(l, OP_or, un(l, OP_isnan, x), un(l, OP_isnan, q));
	s = where(l, bin(l, OP_eq, x, num(l, x, 1)), num(l, x, INFINITY), s);
	return where(l, gone, num(l, x, NAN), s);
}

/* (-1)^(n + 1) n! zeta(n + 1, x); digamma for n = 0. */
static Value *polygamma_value(Lg *l, Value *n, Value *x)
{
	Value *next = plus(l, n, 1), *y = mul(l, un(l, OP_exp, lgamma_value(l, next)), zeta_value(l, next, x));
	y = where(l, is_even(l, n), un(l, OP_neg, y), y);
	Value *whole = bin(l, OP_eq, un(l, OP_floor, n), n);
	Value *legal = bin(l, OP_and, whole, bin(l, OP_ge, n, num(l, n, 0)));
	y = where(l, legal, y, num(l, n, NAN));
	return where(l, bin(l, OP_eq, n, num(l, n, 0)), digamma_value(l, x), y);
}

/* ---- the next float, and the high half of a product ---- */

static Value *whole(Lg *l, DType d, int64_t v)
{
	return constant_from_ints(l->op->block, l->op, d, 0, NULL, &v);
}

/* Floats in order are integers in order, those below zero in turn. */
static Value *next_after_value(Lg *l, Value *x, Value *y)
{
	DType d = lg_dtype(x), bits = dtype_bits(d) == 64 ? DT_I64 : dtype_bits(d) == 32 ? DT_I32 : DT_I16;
	Value *n = fm_op1(l, OP_bitcast, x, fm_attr(l, A_to, attr_dtype(l->c, bits)));
	Value *up = bin(l, OP_lt, x, y), *positive = bin(l, OP_gt, x, num(l, x, 0));
	Value *away = bin(l, OP_eq, up, positive);
	n = add(l, n, where(l, away, whole(l, bits, 1), whole(l, bits, -1)));
	Value *r = fm_op1(l, OP_bitcast, n, fm_attr(l, A_to, attr_dtype(l->c, d)));
	int64_t least = 1, sign = bits == DT_I64 ? INT64_MIN : bits == DT_I32 ? INT32_MIN : INT16_MIN;
	Value *first = where(l, is_below(l, y, 0), whole(l, bits, sign | least), whole(l, bits, least));
	first = fm_op1(l, OP_bitcast, first, fm_attr(l, A_to, attr_dtype(l->c, d)));
	r = where(l, bin(l, OP_eq, x, num(l, x, 0)), first, r);
	r = where(l, bin(l, OP_eq, x, y), y, r);
	return where(l, bin(l, OP_or, un(l, OP_isnan, x), un(l, OP_isnan, y)), num(l, x, NAN), r);
}

/* By halves of 32 bits; what is negative counts 2^64 too much in the unsigned product. */
static Value *mulhi_wide(Lg *l, Value *x, Value *y)
{
	DType d = lg_dtype(x);
	Value *a = fm_cast(l, x, DT_U64), *b = fm_cast(l, y, DT_U64), *n = whole(l, DT_U64, 32);
	Value *mask = whole(l, DT_U64, UINT32_MAX);
	Value *ah = bin(l, OP_shift_right, a, n), *bh = bin(l, OP_shift_right, b, n), *al = bin(l, OP_bit_and, a, mask),
		*bl = bin(l, OP_bit_and, b, mask);
	Value *mid = add(l, mul(l, ah, bl), bin(l, OP_shift_right, mul(l, al, bl), n));
	Value *low = add(l, mul(l, al, bh), bin(l, OP_bit_and, mid, mask));
	Value *r = add(l, add(l, mul(l, ah, bh), bin(l, OP_shift_right, mid, n)), bin(l, OP_shift_right, low, n));
	r = fm_cast(l, r, d);
	if (d == DT_U64)
		return r;
	Value *zero = whole(l, d, 0);
	r = sub(l, r, where(l, bin(l, OP_lt, x, zero), y, zero));
	return sub(l, r, where(l, bin(l, OP_lt, y, zero), x, zero));
}

static Value *mulhi_value(Lg *l, Value *x, Value *y)
{
	DType d = lg_dtype(x), wide = dtype_class(d) == DC_INT ? DT_I64 : DT_U64;
	if (dtype_bits(d) == 64)
		return mulhi_wide(l, x, y);
	Value *p = mul(l, fm_cast(l, x, wide), fm_cast(l, y, wide));
	p = bin(l, OP_shift_right, fm_cast(l, p, DT_U64), whole(l, DT_U64, dtype_bits(d))); /* ONNX shifts what has no sign */
	return fm_cast(l, p, d);
}

/* ---- rows ---- */

static bool special_one(Lg *l, OpKind core)
{
	static const struct { OpKind op; Value *(*value)(Lg *l, Value *x); } functions[] = { { CHLO_lgamma, lgamma_value },
		{ CHLO_digamma, digamma_value }, { CHLO_erf_inv, erf_inv_value }, { CHLO_bessel_i1e, bessel_value } };
	Value *x = lg_in(l, 0);
	DType d = lg_dtype(x);
	(void)core;
	if (!dtype_is_float(d))
		return false;
	Value *in = fm_cast(l, x, DT_F64), *y = NULL;
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (functions[i].op == op_kind(l->op))
			y = functions[i].value(l, in);
	y = fm_cast(l, y, d);
	return lg_replace(l, &y, 1);
}

/* An operand of broadcast_x gets its dimensions where they belong. */
static Value *placed(Lg *l, Value *v, const int64_t *at, size_t n, int rank)
{
	int64_t missing[MAX_RANK];
	size_t count = 0;
	if (!at || lg_rank(v) != (int)n || lg_rank(v) >= rank)
		return v;
	for (int d = 0; d < rank; d++) {
		bool there = false;
		for (size_t i = 0; i < n; i++)
			there |= at[i] == d;
		if (!there && count < MAX_RANK)
			missing[count++] = d;
	}
	return lg_unsqueeze(l, v, missing, count);
}

static bool special_two(Lg *l, OpKind core)
{
	static const struct { OpKind op, broadcast; Value *(*value)(Lg *l, Value *x, Value *y); } functions[] = {
		{ CHLO_zeta, CHLO_broadcast_zeta, zeta_value }, { CHLO_polygamma, CHLO_broadcast_polygamma, polygamma_value },
		{ CHLO_next_after, CHLO_broadcast_next_after, next_after_value }, { CHLO_mulhi, CHLO_mulhi, mulhi_value } };
	Value *x = lg_in(l, 0), *y = lg_in(l, 1), *r = NULL;
	const int64_t *at;
	size_t n = op_attr_ints(l->op, A_broadcast_dimensions, &at);
	DType d = lg_dtype(x);
	int rank = lg_rank(l->op->results[0]);
	bool exact = op_is(l->op, CHLO_next_after) || op_is(l->op, CHLO_broadcast_next_after) || op_is(l->op, CHLO_mulhi);
	(void)core;
	if (d != lg_dtype(y) || (op_is(l->op, CHLO_mulhi) ? !dtype_is_integer(d) : !dtype_is_float(d)) || lg_rank(x) < 0 || lg_rank(y) < 0 ||
		rank < 0 || (exact && dtype_bits(d) < 8))
		return false;
	if (!op_is(l->op, CHLO_mulhi) && exact && dtype_bits(d) < 16)
		return fm_no(l, "floats of 8 bits and fewer have no order of their bits there");
	if (n) {
		x = placed(l, x, at, n, rank);
		y = placed(l, y, at, n, rank);
	}
	DType in = exact ? d : DT_F64;
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (functions[i].op == op_kind(l->op) || functions[i].broadcast == op_kind(l->op))
			r = functions[i].value(l, fm_cast(l, x, in), fm_cast(l, y, in));
	r = fm_cast(l, r, d);
	return lg_replace(l, &r, 1);
}

/* A scan whose states come first: copies of its body hand the slices on in that order. */
static bool special_scan(Lg *l, OpKind core)
{
	Op *op = l->op;
	const Attr *segments = op_attr_named(op, str(l->c, "operandSegmentSizes"));
	size_t carries = segments && segments->kind == ATTR_INTS && segments->u.ints.n == 2 ? (size_t)segments->u.ints.v[1] :
		op->noperands / 2u;
	Block *body = op->nblocks == 1 ? op->blocks[0] : NULL;
	Op *last = body ? block_terminator(body) : NULL;
	if (carries > op->noperands || carries > op->nresults || !last || body->nargs != op->noperands || last->noperands != op->nresults)
		return false;
	size_t inputs = op->noperands - carries, outputs = op->nresults - carries;
	if (!inputs)
		return fm_no(l, "it scans nothing: only its number of rounds is known");
	int64_t axis = op_attr_int(op, A_dimension, 0), reverse = op_attr_int(op, A_is_reverse, 0) != 0;
	int64_t *axes = NEW_ARRAY(l->a, int64_t, op->noperands + op->nresults), *ways = NEW_ARRAY(l->a, int64_t, op->noperands + op->nresults);
	Value **in = NEW_ARRAY(l->a, Value *, op->noperands), **args = NEW_ARRAY(l->a, Value *, op->noperands),
		**out = NEW_ARRAY(l->a, Value *, op->nresults + 1u), **got = NEW_ARRAY(l->a, Value *, op->nresults + 1u);
	const Type **types = NEW_ARRAY(l->a, const Type *, op->nresults + 1u);
	for (size_t i = 0; i < op->noperands + op->nresults; i++) {
		axes[i] = axis;
		ways[i] = reverse;
	}
	for (size_t i = 0; i < op->noperands; i++)
		in[i] = lg_in(l, i < carries ? inputs + i : i - carries);
	for (size_t i = 0; i < op->nresults; i++)
		types[i] = op->results[i < carries ? outputs + i : i - carries]->type;
	RwAttr attrs[] = { { A_num_scan_inputs, lg_int(l, (int64_t)inputs) }, { A_scan_input_axes, lg_ints_attr(l, axes, inputs) },
		{ A_scan_input_directions, lg_ints_attr(l, ways, inputs) }, { A_scan_output_axes, lg_ints_attr(l, axes, outputs) },
		{ A_scan_output_directions, lg_ints_attr(l, ways, outputs) }, { A_NONE, NULL } };
	NamedAttr named[ARRAY_LEN(attrs)];
	for (size_t i = 0; i + 1 < ARRAY_LEN(attrs); i++)
		named[i] = (NamedAttr){ l->c->attr_names[attrs[i].name], attrs[i].value };
	OpSpec s = { .def = op_def(l->c, core), .operands = in, .noperands = op->noperands, .types = types, .nresults = op->nresults,
		.attrs = named, .nattrs = ARRAY_LEN(attrs) - 1, .nblocks = 1, .loc = op->loc };
	Op *scan = op_new(op->block, op, &s);
	scan->made = true;
	Block *b = block_new(op_func(op), scan);
	for (size_t i = 0; i < op->noperands; i++) {
		size_t from = i < carries ? inputs + i : i - carries;
		args[from] = block_add_arg(b, body->args[from]->type, body->args[from]->name);
	}
	fm_copy_block(l, body, args, b, NULL, got);
	for (size_t i = 0; i < op->nresults; i++)
		out[i] = got[i < carries ? outputs + i : i - carries];
	op_new(b, NULL, &(OpSpec){ .def = op_def(l->c, OP_yield), .operands = out, .noperands = op->nresults, .loc = op->loc });
	op_set_block(scan, 0, b);
	for (size_t i = 0; i < op->nresults; i++)
		got[i] = scan->results[i < outputs ? carries + i : i - outputs];
	return lg_replace(l, got, op->nresults);
}

const LegaliseRow special_rows[] = {
	{ CHLO_lgamma, OP_add, special_one }, { CHLO_digamma, OP_add, special_one }, { CHLO_erf_inv, OP_mul, special_one },
	{ CHLO_bessel_i1e, OP_select, special_one }, { CHLO_zeta, OP_add, special_two }, { CHLO_polygamma, OP_mul, special_two },
	{ CHLO_next_after, OP_bitcast, special_two }, { CHLO_broadcast_zeta, OP_add, special_two },
	{ CHLO_broadcast_polygamma, OP_mul, special_two }, { CHLO_broadcast_next_after, OP_bitcast, special_two },
	{ CHLO_mulhi, OP_mul, special_two }, { CHLO_scan, OP_scan, special_scan },
	{ CHLO_ragged_dot, OP_dot_general, special_ragged },
};
const size_t special_nrows = ARRAY_LEN(special_rows);

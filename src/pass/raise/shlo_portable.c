#include "shlo_int.h"

#include <math.h>

/* chlo ops as StableHLO ops, for portable bytecode, which has StableHLO alone. Elementwise functions are computed in f32, or in
 * f64 when that is their type, and keep the special values. The coefficients are hone's own least-squares fits on Chebyshev
 * points, weighted by the function, so that the relative error is even; the errors stand beside them. */

typedef struct Ratio {
	const double *p, *q; /* lowest power first */
	size_t np, nq;
} Ratio;
#define RATIO(p, q) { p, q, ARRAY_LEN(p), ARRAY_LEN(q) }

/* erf(x) / x in x^2 <= 15.5: 2e-8 */
static const double erf32_p[] = { 1.1283791459460932, 0.19095905348297766, 0.052806487170859545, 0.0037852793531845157,
	0.00028461091387129674, 2.0362747667299518e-6 };
static const double erf32_q[] = { 1, 0.5025657854991048, 0.11432361662622745, 0.015008979682919388, 0.0011659876384441136,
	3.793495800347746e-5 };
/* the same in x^2 <= 1: 7e-19 */
static const double erf64_p[] = { 1.1283791670955125747, 0.14350646198355293598, 0.045483586974941033233,
	0.0018774038284526108891, 0.00019688446217876020645, 7.7706276309560823556e-8 };
static const double erf64_q[] = { 1, 0.46051262391962073192, 0.093812987416564465064, 0.010693063045930447455,
	0.00069249657168720581153, 0.000020810183240250560693 };
/* exp(x^2) erfc(x) in 1 <= x <= 10.2: 1.3e-8 */
static const double erfc32_p[] = { 0.9988841967551251717, 1.1691243717260210765, 0.60903215233321327234,
	0.15675444710016915174 };
static const double erfc32_q[] = { 1, 2.2907363896659571003, 2.2134254533290940348, 1.0793314346256888184,
	0.2778441782977967492 };
/* the same in 1 <= x <= 27.5: 2e-17 */
static const double erfc64_p[] = { 1.0000000297316705017, 2.1866893712614722223, 2.3466478784143728074, 1.5858326509169977442,
	0.73354907067998377405, 0.23800924871806029201, 0.053307620257002372527, 0.0076602697902394914948,
	0.00056714531220477982347 };
static const double erfc64_q[] = { 1, 3.3150688455813335746, 5.0873009705321483032, 4.7634259347760494753, 3.0149569226611019571,
	1.3469218907005416194, 0.42864914727304954024, 0.094987916241482532193, 0.013577474688861995813,
	0.0010052388926391942143 };

static const Ratio erf_32 = RATIO(erf32_p, erf32_q), erf_64 = RATIO(erf64_p, erf64_q);
static const Ratio erfc_32 = RATIO(erfc32_p, erfc32_q), erfc_64 = RATIO(erfc64_p, erfc64_q);

/* ---- arithmetic; the shape of x is known to be one that can be written ---- */

static Value *num(Lg *l, const Value *x, double v)
{
	return sh_full(l, x->type, v);
}

static Value *add(Lg *l, Value *x, Value *y)
{
	return sh_new2(l, SHLO_add, x, y);
}

static Value *sub(Lg *l, Value *x, Value *y)
{
	return sh_new2(l, SHLO_subtract, x, y);
}

static Value *mul(Lg *l, Value *x, Value *y)
{
	return sh_new2(l, SHLO_multiply, x, y);
}

static Value *quotient(Lg *l, Value *x, Value *y)
{
	return sh_new2(l, SHLO_divide, x, y);
}

static Value *less(Lg *l, Value *x, double limit)
{
	return sh_compare_to(l, x, num(l, x, limit), "LT");
}

static Value *at_most(Lg *l, Value *x, double limit)
{
	return sh_new2(l, SHLO_minimum, x, num(l, x, limit));
}

static Value *polynomial(Lg *l, Value *x, const double *c, size_t n)
{
	Value *y = num(l, x, c[n - 1]);
	for (size_t i = n - 1; i-- > 0;)
		y = add(l, mul(l, y, x), num(l, x, c[i]));
	return y;
}

static Value *ratio(Lg *l, Value *x, const Ratio *r)
{
	return quotient(l, polynomial(l, x, r->p, r->np), polynomial(l, x, r->q, r->nq));
}

static bool is_double(const Value *x)
{
	return x->type->dtype == DT_F64;
}

/* y with the sign of x, where y is that of |x|. */
static Value *odd(Lg *l, Value *x, Value *y)
{
	Value *zero = sh_compare_to(l, x, num(l, x, 0), "EQ");
	return sh_select_of(l, zero, x, sh_select_of(l, less(l, x, 0), sh_new1(l, SHLO_negate, y), y));
}

/* ---- erf, erfc ---- */

/* Beyond 3.93 the nearest float to erf is 1. */
static Value *erf_single(Lg *l, Value *x)
{
	Value *c = sh_new(l, SHLO_clamp, (Value *[]){ num(l, x, -3.93), x, num(l, x, 3.93) }, 3, x->type, NULL);
	Value *y = mul(l, c, ratio(l, mul(l, c, c), &erf_32));
	return sh_new(l, SHLO_clamp, (Value *[]){ num(l, x, -1), y, num(l, x, 1) }, 3, x->type, NULL);
}

/* exp(-a^2) for a >= 1: the part of the square that its type cannot hold is multiplied in. */
static Value *gauss(Lg *l, Value *a)
{
	DType bits = is_double(a) ? DT_U64 : DT_U32;
	const Type *t = type_with_dtype(l->c, a->type, bits);
	int64_t mask = is_double(a) ? -(INT64_C(1) << 27) : (int64_t)0xFFFFF000;
	Value *whole = sh_broadcast(l, sh_int(l, bits, mask), t, NULL);
	Value *high = sh_new(l, SHLO_bitcast_convert, &a, 1, t, NULL);
	high = sh_new2(l, SHLO_and, high, whole);
	high = sh_new(l, SHLO_bitcast_convert, &high, 1, a->type, NULL);
	Value *rest = mul(l, sub(l, a, high), add(l, a, high));
	Value *y = sh_new1(l, SHLO_exponential, sh_new1(l, SHLO_negate, mul(l, high, high)));
	return mul(l, y, sh_new1(l, SHLO_exponential, sh_new1(l, SHLO_negate, rest)));
}

/* erfc(a) for a >= 1. */
static Value *erfc_tail(Lg *l, Value *a)
{
	Value *t = at_most(l, a, is_double(a) ? 27.5 : 10.2);
	return mul(l, gauss(l, t), ratio(l, t, is_double(a) ? &erfc_64 : &erfc_32));
}

static Value *erf_small(Lg *l, Value *x)
{
	Value *u = at_most(l, mul(l, x, x), 1);
	return mul(l, x, ratio(l, u, is_double(x) ? &erf_64 : &erf_32));
}

static Value *erf_value(Lg *l, Value *x)
{
	if (!is_double(x))
		return erf_single(l, x);
	Value *a = sh_new1(l, SHLO_abs, x), *big = sub(l, num(l, x, 1), erfc_tail(l, a));
	return sh_select_of(l, less(l, a, 1), erf_small(l, x), odd(l, x, big));
}

static Value *erfc_value(Lg *l, Value *x)
{
	Value *a = sh_new1(l, SHLO_abs, x), *tail = erfc_tail(l, a);
	tail = sh_select_of(l, less(l, x, 0), sub(l, num(l, x, 2), tail), tail);
	return sh_select_of(l, less(l, a, 1), sub(l, num(l, x, 1), erf_small(l, x)), tail);
}

/* ---- inverse trigonometric functions ---- */

static Value *sqrt_of(Lg *l, Value *x)
{
	return sh_new1(l, SHLO_sqrt, x);
}

/* 1 - x^2, exact near 1 */
static Value *one_less_square(Lg *l, Value *x)
{
	Value *one = num(l, x, 1);
	return mul(l, sub(l, one, x), add(l, one, x));
}

static Value *asin_value(Lg *l, Value *x)
{
	Value *c = add(l, num(l, x, 1), sqrt_of(l, one_less_square(l, x)));
	return mul(l, num(l, x, 2), sh_new2(l, SHLO_atan2, x, c));
}

static Value *acos_value(Lg *l, Value *x)
{
	Value *one = num(l, x, 1);
	Value *half = sh_new2(l, SHLO_atan2, sqrt_of(l, sub(l, one, x)), sqrt_of(l, add(l, one, x)));
	return mul(l, num(l, x, 2), half);
}

static Value *atan_value(Lg *l, Value *x)
{
	return sh_new2(l, SHLO_atan2, x, num(l, x, 1));
}

/* ---- hyperbolic functions and their inverses ---- */

/* exp(|x|) / 2: nothing overflows before the result does. */
static Value *half_exp(Lg *l, Value *a)
{
	Value *root = sh_new1(l, SHLO_exponential, mul(l, a, num(l, a, 0.5)));
	return mul(l, mul(l, root, num(l, a, 0.5)), root);
}

static Value *cosh_value(Lg *l, Value *x)
{
	Value *h = half_exp(l, sh_new1(l, SHLO_abs, x));
	return add(l, h, quotient(l, num(l, x, 0.25), h));
}

static Value *sinh_value(Lg *l, Value *x)
{
	Value *a = sh_new1(l, SHLO_abs, x), *h = half_exp(l, a), *half = num(l, x, 0.5);
	Value *e = sh_new1(l, SHLO_exponential_minus_one, a);
	Value *small = mul(l, half, add(l, e, quotient(l, e, add(l, e, num(l, x, 1)))));
	Value *big = sub(l, h, quotient(l, num(l, x, 0.25), h));
	return odd(l, x, sh_select_of(l, less(l, a, 1), small, big));
}

/* From here on the root is x itself to the precision of the type. */
static double large(const Value *x)
{
	return is_double(x) ? 1e9 : 1e4;
}

static Value *log_twice(Lg *l, Value *x)
{
	return add(l, sh_new1(l, SHLO_log, x), num(l, x, M_LN2));
}

static Value *asinh_value(Lg *l, Value *x)
{
	Value *a = sh_new1(l, SHLO_abs, x), *one = num(l, x, 1), *square = mul(l, a, a);
	Value *part = quotient(l, square, add(l, one, sqrt_of(l, add(l, square, one))));
	Value *small = sh_new1(l, SHLO_log_plus_one, add(l, a, part));
	return odd(l, x, sh_select_of(l, less(l, a, large(x)), small, log_twice(l, a)));
}

static Value *acosh_value(Lg *l, Value *x)
{
	Value *t = sub(l, x, num(l, x, 1));
	Value *root = sqrt_of(l, mul(l, t, add(l, t, num(l, x, 2))));
	Value *small = sh_new1(l, SHLO_log_plus_one, add(l, t, root));
	Value *y = sh_select_of(l, less(l, x, large(x)), small, log_twice(l, x));
	return sh_select_of(l, less(l, x, 1), num(l, x, NAN), y);
}

static Value *atanh_value(Lg *l, Value *x)
{
	Value *y = sub(l, sh_new1(l, SHLO_log_plus_one, x), sh_new1(l, SHLO_log_plus_one, sh_new1(l, SHLO_negate, x)));
	return sh_select_of(l, sh_compare_to(l, x, num(l, x, 0), "EQ"), x, mul(l, num(l, x, 0.5), y));
}

/* ---- rows ---- */

typedef struct Function {
	OpKind op;
	Value *(*value)(Lg *l, Value *x); /* of x in f32 or f64 */
} Function;

static const Function functions[] = {
	{ CHLO_erf, erf_value }, { CHLO_erfc, erfc_value }, { CHLO_asin, asin_value }, { CHLO_acos, acos_value },
	{ CHLO_atan, atan_value }, { CHLO_sinh, sinh_value }, { CHLO_cosh, cosh_value }, { CHLO_asinh, asinh_value },
	{ CHLO_acosh, acosh_value }, { CHLO_atanh, atanh_value },
};

static bool portable_function(Lg *l, OpKind to)
{
	const Function *f = functions;
	Value *x = lg_in(l, 0);
	int rank;
	(void)to;
	while (f->op != op_kind(l->op))
		f++;
	if (!sh_ranked(x, &rank))
		return sh_needs_shape(l);
	if (!dtype_is_float(x->type->dtype))
		return rz_no(l, "bytecode has no chlo ops, and for that element type there is no expansion; write text (.mlir)");
	if (!sh_full(l, x->type, 0))
		return sh_needs_shape(l);
	DType d = x->type->dtype;
	Value *y = sh_convert(l, f->value(l, sh_convert(l, x, d == DT_F64 ? d : DT_F32)), d);
	return lg_replace(l, &y, 1);
}

static bool portable_square(Lg *l, OpKind to)
{
	return lg_become(l, to, (Value *[]){ lg_in(l, 0), lg_in(l, 0) }, 2, NULL);
}

/* A stable sort by total order, as chlo has it, cut to the first k. */
static bool portable_top_k(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int64_t start[MAX_RANK] = { 0 }, end[MAX_RANK];
	int rank;
	Block *b;
	if (!sh_dims(x, end, &rank) || rank < 1)
		return sh_needs_shape(l);
	DType d = x->type->dtype;
	Value *place = sh_iota(l, type_with_dtype(l->c, x->type, DT_I32), rank - 1);
	const Type *types[2] = { x->type, place->type }, *value = sh_type(l, d, 0, NULL), *index = sh_type(l, DT_I32, 0, NULL);
	const Type *args[4] = { value, value, index, index };
	RwAttr attrs[] = { { A_dimension, lg_int(l, rank - 1) }, { A_is_stable, attr_bool(l->c, true) }, { A_NONE, NULL } };
	Op *op = sh_region_op(l, to, (Value *[]){ x, place }, 2, types, 2, attrs, args, 4, &b);
	RwAttr order[] = { { A_comparison_direction, lg_text(l, "GT") }, { A_compare_type, lg_text(l,
		dtype_is_float(d) ? "TOTALORDER" : dtype_class(d) == DC_INT ? "SIGNED" : "UNSIGNED") }, { A_NONE, NULL } };
	Value *before = sh_in(l, b, SHLO_compare, b->args, 2, sh_type(l, DT_BOOL, 0, NULL), order);
	sh_end(l, b, &before, 1);
	end[rank - 1] = op_attr_int(l->op, A_k, 0);
	Value *y[2] = { sh_slice_of(l, op->results[0], start, end, NULL), sh_slice_of(l, op->results[1], start, end, NULL) };
	return lg_replace(l, y, 2);
}

static Value *part_of(Lg *l, OpKind k, Value *x)
{
	DType d = x->type->dtype == DT_C128 ? DT_F64 : DT_F32;
	return sh_new(l, k, &x, 1, type_with_dtype(l->c, x->type, d), NULL);
}

static bool portable_conj(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int rank;
	if (!sh_ranked(x, &rank))
		return sh_needs_shape(l);
	if (dtype_class(x->type->dtype) != DC_COMPLEX)
		return lg_replace(l, &x, 1);
	Value *parts[2] = { part_of(l, SHLO_real, x), part_of(l, SHLO_imag, x) };
	parts[1] = sh_new1(l, SHLO_negate, parts[1]);
	return lg_become(l, to, parts, 2, NULL);
}

/* Of the operand of lower rank, broadcast_dimensions say where its dimensions go. */
static Value *placed(Lg *l, Value *x, const Type *t)
{
	const int64_t *at;
	size_t n = op_attr_ints(l->op, A_broadcast_dimensions, &at);
	if (x->type->rank < t->rank && n == (size_t)x->type->rank && type_is_static(x->type))
		return sh_broadcast(l, x, t, at);
	return sh_fit(l, x, t);
}

static bool portable_complex(Lg *l, OpKind to)
{
	const Type *t = sh_result(l);
	Value *in[2] = { lg_in(l, 0), lg_in(l, 1) };
	int rank;
	if (!type_has_rank(t) || !sh_ranked(in[0], &rank) || !sh_ranked(in[1], &rank))
		return sh_needs_shape(l);
	for (int k = 0; k < 2; k++)
		if (!(in[k] = placed(l, in[k], type_with_dtype(l->c, t, in[k]->type->dtype))))
			return sh_needs_shape(l);
	return lg_become(l, to, in, 2, NULL);
}

#define FUNCTION(op) { op, OP_UNKNOWN, portable_function }

const ShloRow shlo_portable_rows[] = {
	FUNCTION(CHLO_erf), FUNCTION(CHLO_erfc), FUNCTION(CHLO_asin), FUNCTION(CHLO_acos), FUNCTION(CHLO_atan), FUNCTION(CHLO_sinh),
	FUNCTION(CHLO_cosh), FUNCTION(CHLO_asinh), FUNCTION(CHLO_acosh), FUNCTION(CHLO_atanh), { CHLO_tan, SHLO_tan, NULL },
	{ CHLO_square, SHLO_multiply, portable_square }, { CHLO_top_k, SHLO_sort, portable_top_k },
	{ CHLO_constant, SHLO_constant, sh_constant }, { CHLO_conj, SHLO_complex, portable_conj },
	{ CHLO_broadcast_complex, SHLO_complex, portable_complex },
};
const size_t shlo_portable_nrows = ARRAY_LEN(shlo_portable_rows);

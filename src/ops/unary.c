/* Elementwise ops with one operand: floats in double, rounded once when stored; integers in 64 bits, wrapped when stored. */
#include "complex.h"
#include "eval_int.h"

#include <math.h>
#include <string.h>

typedef struct UnaryParams {
	double alpha, beta, gamma;
	int bits;        /* of the operand's type */
	bool is_unsigned, plus_inf, minus_inf;
} UnaryParams;
typedef void UnaryF64(const UnaryParams *p, int64_t n, const double *src, double *dst);
typedef void UnaryI64(const UnaryParams *p, int64_t n, const int64_t *src, int64_t *dst);
typedef void UnaryF32(int64_t n, const float *src, float *dst);

/* ---- stable forms ---- */

static inline double sigmoid(double x)
{
	double z = exp(-fabs(x));
	return x >= 0 ? 1 / (1 + z) : x < 0 ? z / (1 + z) : x;
}

static inline double softplus(double x)
{
	return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static inline double clip01(double x)
{
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* x Phi(x); erfc keeps the small values of the negative side exact. */
static inline double gelu_erf(double x)
{
	return 0.5 * x * erfc(-x * M_SQRT1_2);
}

static inline double gelu_tanh(double x)
{
	const double cubic = 0.044715, scale = M_2_SQRTPI * M_SQRT1_2; /* sqrt(2 / pi) */
	return 0.5 * x * (1 + tanh(scale * (x + cubic * x * x * x)));
}

static inline double round_away(double x)
{
	return round(x);
}

/* ---- loops ---- */

#define FLOAT_OP(name, expr)                                                                                           \
	static void name##_f64(const UnaryParams *p, int64_t n, const double *src, double *dst)                        \
	{                                                                                                              \
		(void)p;                                                                                               \
		for (int64_t i = 0; i < n; i++) {                                                                      \
			double x = src[i];                                                                             \
			dst[i] = (expr);                                                                               \
		}                                                                                                      \
	}
#define INT_OP(name, expr)                                                                                             \
	static void name##_i64(const UnaryParams *p, int64_t n, const int64_t *src, int64_t *dst)                      \
	{                                                                                                              \
		(void)p;                                                                                               \
		for (int64_t i = 0; i < n; i++) {                                                                      \
			int64_t x = src[i];                                                                            \
			dst[i] = (int64_t)(expr);                                                                      \
		}                                                                                                      \
	}
/* Only where one float operation, or none, gives what double arithmetic rounded once gives. */
#define F32_OP(name, expr)                                                                                             \
	static void name##_f32(int64_t n, const float *src, float *dst)                                                \
	{                                                                                                              \
		for (int64_t i = 0; i < n; i++) {                                                                      \
			float x = src[i];                                                                              \
			dst[i] = (expr);                                                                               \
		}                                                                                                      \
	}

FLOAT_OP(abs, fabs(x))
FLOAT_OP(neg, -x)
FLOAT_OP(sign, x > 0 ? 1 : x < 0 ? -1 : x)
FLOAT_OP(ceil, ceil(x))
FLOAT_OP(floor, floor(x))
FLOAT_OP(round, nearbyint(x))
FLOAT_OP(round_away, round_away(x))
FLOAT_OP(sqrt, sqrt(x))
FLOAT_OP(rsqrt, 1 / sqrt(x))
FLOAT_OP(cbrt, cbrt(x))
FLOAT_OP(reciprocal, 1 / x)
FLOAT_OP(exp, exp(x))
FLOAT_OP(expm1, expm1(x))
FLOAT_OP(log, log(x))
FLOAT_OP(log1p, log1p(x))
FLOAT_OP(sin, sin(x))
FLOAT_OP(cos, cos(x))
FLOAT_OP(tan, tan(x))
FLOAT_OP(asin, asin(x))
FLOAT_OP(acos, acos(x))
FLOAT_OP(atan, atan(x))
FLOAT_OP(sinh, sinh(x))
FLOAT_OP(cosh, cosh(x))
FLOAT_OP(tanh, tanh(x))
FLOAT_OP(asinh, asinh(x))
FLOAT_OP(acosh, acosh(x))
FLOAT_OP(atanh, atanh(x))
FLOAT_OP(erf, erf(x))
FLOAT_OP(sigmoid, sigmoid(x))
FLOAT_OP(relu, x > 0 || x != x ? x : 0) /* +0 for -0, as max(x, 0) */
FLOAT_OP(softplus, softplus(x))
FLOAT_OP(softsign, x / (1 + fabs(x)))
FLOAT_OP(elu, x < 0 ? p->alpha * expm1(x) : x)
FLOAT_OP(selu, x > 0 ? p->gamma * x : p->gamma * (p->alpha * expm1(x)))
FLOAT_OP(celu, x > 0 ? x : p->alpha * expm1(x / p->alpha))
FLOAT_OP(leaky_relu, x < 0 ? p->alpha * x : x)
FLOAT_OP(thresholded_relu, x > p->alpha ? x : x != x ? x : 0)
FLOAT_OP(hard_sigmoid, clip01(p->alpha * x + p->beta))
FLOAT_OP(hard_swish, x * clip01(x / 6 + 0.5))
FLOAT_OP(mish, x * tanh(softplus(x)))
FLOAT_OP(swish, x * sigmoid(p->alpha * x))
FLOAT_OP(gelu_erf, gelu_erf(x))
FLOAT_OP(gelu_tanh, gelu_tanh(x))
FLOAT_OP(shrink, x < -p->alpha ? x + p->beta : x > p->alpha ? x - p->beta : x != x ? x : 0)
FLOAT_OP(isnan, x != x)
FLOAT_OP(isinf, (p->plus_inf && x == INFINITY) || (p->minus_inf && x == -INFINITY))
FLOAT_OP(isfinite, fabs(x) < INFINITY)

INT_OP(abs, x < 0 && !p->is_unsigned ? 0 - (uint64_t)x : (uint64_t)x)
INT_OP(neg, 0 - (uint64_t)x)
INT_OP(sign, p->is_unsigned ? x != 0 : (x > 0) - (x < 0))
INT_OP(same, x)
INT_OP(relu, x < 0 && !p->is_unsigned ? 0 : x)
INT_OP(bit_not, ~x)
INT_OP(bool_not, !x)
INT_OP(popcnt, __builtin_popcountll((uint64_t)x << (64 - p->bits)))
INT_OP(count_leading_zeros, (uint64_t)x << (64 - p->bits) ? __builtin_clzll((uint64_t)x << (64 - p->bits)) : p->bits)
INT_OP(never, x != x)
INT_OP(always, x == x)

F32_OP(abs, fabsf(x))
F32_OP(neg, -x)
F32_OP(relu, x > 0 || x != x ? x : 0)
F32_OP(sqrt, sqrtf(x))

#define ROW(name) [OP_##name] = name##_f64
static UnaryF64 *const float_ops[OP_CORE_END] = {
	ROW(abs), ROW(neg), ROW(sign), ROW(ceil), ROW(floor), ROW(round), ROW(round_away), ROW(sqrt), ROW(rsqrt), ROW(cbrt),
	ROW(reciprocal), ROW(exp), ROW(expm1), ROW(log), ROW(log1p), ROW(sin), ROW(cos), ROW(tan), ROW(asin), ROW(acos),
	ROW(atan), ROW(sinh), ROW(cosh), ROW(tanh), ROW(asinh), ROW(acosh), ROW(atanh), ROW(erf), ROW(sigmoid), ROW(relu),
	ROW(softplus), ROW(softsign), ROW(elu), ROW(selu), ROW(celu), ROW(leaky_relu), ROW(thresholded_relu),
	ROW(hard_sigmoid), ROW(hard_swish), ROW(mish), ROW(swish), ROW(shrink), ROW(isnan), ROW(isinf), ROW(isfinite),
	[OP_gelu] = gelu_erf_f64};
#undef ROW
#define ROW(name) [OP_##name] = name##_i64
static UnaryI64 *const int_ops[OP_CORE_END] = {
	ROW(abs), ROW(neg), ROW(sign), ROW(relu), ROW(bit_not), ROW(popcnt), ROW(count_leading_zeros), [OP_ceil] = same_i64,
	[OP_floor] = same_i64, [OP_round] = same_i64, [OP_round_away] = same_i64, [OP_isnan] = never_i64,
	[OP_isinf] = never_i64, [OP_isfinite] = always_i64};
#undef ROW
static UnaryI64 *const bool_ops[OP_CORE_END] = {[OP_not] = bool_not_i64, [OP_bit_not] = bool_not_i64};
static UnaryF32 *const f32_ops[OP_CORE_END] = {
	[OP_abs] = abs_f32, [OP_neg] = neg_f32, [OP_relu] = relu_f32, [OP_sqrt] = sqrt_f32};

/* ---- running ---- */

typedef struct UnaryRun {
	UnaryParams params;
	UnaryF64 *f64;
	UnaryI64 *i64;
	UnaryF32 *f32;
	const Tensor *x;
	Tensor *y;
} UnaryRun;

static void run_f32(void *arg, int64_t begin, int64_t end)
{
	const UnaryRun *r = arg;
	r->f32(end - begin, (const float *)r->x->data + begin, (float *)r->y->data + begin);
}

static void run_f64(void *arg, int64_t begin, int64_t end)
{
	const UnaryRun *r = arg;
	double x[BLOCK], y[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		tensor_load_f64(r->x, at, n, x);
		r->f64(&r->params, n, x, y);
		tensor_store_f64(r->y, at, n, y);
	}
}

static void run_i64(void *arg, int64_t begin, int64_t end)
{
	const UnaryRun *r = arg;
	int64_t x[BLOCK], y[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = end - at < BLOCK ? end - at : BLOCK;
		tensor_load_i64(r->x, at, n, x);
		r->i64(&r->params, n, x, y);
		tensor_store_i64(r->y, at, n, y);
	}
}

static UnaryParams params_of(const Op *op, DType d)
{
	UnaryParams p = {.alpha = op_float(op, A_alpha), .beta = op_float(op, A_beta), .gamma = op_float(op, A_gamma),
		.bits = d == DT_BOOL ? 1 : dtype_bits(d), .is_unsigned = dtype_class(d) == DC_UINT};
	if (op_is(op, OP_shrink)) {
		p.alpha = op_float(op, A_lambd);
		p.beta = op_float(op, A_bias);
	}
	if (op_is(op, OP_isinf)) {
		p.plus_inf = op_int(op, A_detect_positive) != 0;
		p.minus_inf = op_int(op, A_detect_negative) != 0;
	}
	return p;
}

static void load_complex(const Tensor *t, int64_t i, double v[2])
{
	bool single = t->store == DT_C64;
	v[0] = single ? (double)((const float *)t->data)[2 * i] : ((const double *)t->data)[2 * i];
	v[1] = single ? (double)((const float *)t->data)[2 * i + 1] : ((const double *)t->data)[2 * i + 1];
}

static void store_complex(Tensor *t, int64_t i, const double v[2])
{
	for (int k = 0; k < 2; k++)
		if (t->store == DT_C64)
			((float *)t->data)[2 * i + k] = (float)v[k];
		else
			((double *)t->data)[2 * i + k] = v[k];
}

/* Complex operands: the magnitude and the tests give real results. */
static bool unary_complex(EvalCtx *e, const Op *op, const Tensor *x, Tensor **out)
{
	OpKind k = op_kind(op);
	bool test = k == OP_isfinite, magnitude = k == OP_abs;
	double v[2] = { 0, 0 };
	if (!magnitude && !test && !complex_unary(k, v, v))
		return eval_unsupported(e, op, "complex operands");
	DType d = magnitude ? (x->dtype == DT_C64 ? DT_F32 : DT_F64) : test ? DT_BOOL : x->dtype;
	Tensor *y = tensor_new(e, d, x->rank, x->dims);
	if (!y)
		return false;
	for (int64_t i = 0; i < x->count; i++) {
		load_complex(x, i, v);
		if (magnitude) {
			tensor_set_f64(y, i, hypot(v[0], v[1]));
		} else if (test) {
			tensor_set_i64(y, i, isfinite(v[0]) && isfinite(v[1]));
		} else {
			complex_unary(k, v, v);
			store_complex(y, i, v);
		}
	}
	out[0] = y;
	return true;
}

bool eval_unary(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { COST_CHEAP = 1, COST_LIBM = 12 };
	Tensor *x = in[0];
	OpKind k = op_kind(op);
	UnaryRun r = {.params = params_of(op, x->dtype), .x = x};
	if (dtype_class(x->dtype) == DC_COMPLEX)
		return unary_complex(e, op, x, out);
	if (dtype_is_float(x->dtype))
		r.f64 = float_ops[k];
	else
		r.i64 = x->dtype == DT_BOOL && bool_ops[k] ? bool_ops[k] : x->dtype == DT_BOOL ? NULL : int_ops[k];
	if (op_is(op, OP_gelu) && !strcmp(op_text(op, A_approximate), "tanh") && r.f64)
		r.f64 = gelu_tanh_f64;
	if (!r.i64 && dtype_is_integer(x->dtype) && (k == OP_shrink || k == OP_thresholded_relu || k == OP_leaky_relu))
		r.f64 = float_ops[k];
	if (!r.f64 && !r.i64)
		return eval_error(e, op, "not defined on %s", dtype_friendly_name(x->dtype));
	r.y = op->def->traits & TRAIT_TO_BOOL ? tensor_raw(e, DT_BOOL, x->rank, x->dims) : tensor_over(e, x);
	if (!r.y)
		return false;
	if (r.f64 && x->store == DT_F32 && f32_ops[k]) {
		r.f32 = f32_ops[k];
		eval_ranges(e, x->count, COST_CHEAP, run_f32, &r);
	} else if (r.f64) {
		eval_ranges(e, x->count, COST_LIBM, run_f64, &r);
	} else {
		eval_ranges(e, x->count, COST_CHEAP, run_i64, &r);
	}
	out[0] = r.y;
	return true;
}

bool infer_unary(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	if (!type_is_tensor(t))
		return true;
	DType d = t->dtype;
	if (op->def->traits & TRAIT_TO_BOOL)
		d = DT_BOOL;
	else if (op_is(op, OP_abs) && dtype_class(d) == DC_COMPLEX)
		d = d == DT_C64 ? DT_F32 : DT_F64;
	infer_result(x, op, 0, type_with_dtype(x->ctx, t, d));
	return true;
}

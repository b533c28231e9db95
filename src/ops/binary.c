/* Elementwise ops with two operands, with NumPy broadcasting. */
#include "complex.h"
#include "eval_int.h"

#include <math.h>
#include <string.h>

/* Loops of one op; a is the first operand, b the second, dst may not overlap them. */
typedef void BinaryF64(int64_t n, const double *a, const double *b, double *dst);
typedef void BinaryF32(int64_t n, const float *a, const float *b, float *dst);
/* false: division by zero. bits: width of the type; u64 operands come as their bits, with is_unsigned. */
typedef struct IntType {
	int bits;
	bool is_unsigned;
} IntType;
typedef bool BinaryI64(IntType t, int64_t n, const int64_t *a, const int64_t *b, int64_t *dst);

/* ---- floats ---- */

/* Remainder with the sign of the divisor. */
static inline double floor_mod(double a, double b)
{
	double r = fmod(a, b);
	if (r == 0)
		return copysign(0, b);
	return (r < 0) != (b < 0) ? r + b : r;
}

#define FLOAT_OP(name, expr)                                                                                           \
	static void name##_f64(int64_t n, const double *a_, const double *b_, double *dst)                             \
	{                                                                                                              \
		for (int64_t i = 0; i < n; i++) {                                                                      \
			double a = a_[i], b = b_[i];                                                                   \
			dst[i] = (expr);                                                                               \
		}                                                                                                      \
	}
/* Only where double arithmetic rounded once gives the same. */
#define F32_OP(name, expr)                                                                                             \
	static void name##_f32(int64_t n, const float *a_, const float *b_, float *dst)                                \
	{                                                                                                              \
		for (int64_t i = 0; i < n; i++) {                                                                      \
			float a = a_[i], b = b_[i];                                                                    \
			dst[i] = (expr);                                                                               \
		}                                                                                                      \
	}

FLOAT_OP(add, a + b)
FLOAT_OP(sub, a - b)
FLOAT_OP(mul, a *b)
FLOAT_OP(div, a / b)
FLOAT_OP(mod, floor_mod(a, b))
FLOAT_OP(fmod, fmod(a, b))
FLOAT_OP(pow, pow(a, b))
FLOAT_OP(min, min_nan(a, b))
FLOAT_OP(max, max_nan(a, b))
FLOAT_OP(atan2, atan2(a, b))
FLOAT_OP(eq, a == b)
FLOAT_OP(ne, a != b)
FLOAT_OP(lt, a < b)
FLOAT_OP(le, a <= b)
FLOAT_OP(gt, a > b)
FLOAT_OP(ge, a >= b)
FLOAT_OP(prelu, a < 0 ? a * b : a)

F32_OP(add, a + b)
F32_OP(sub, a - b)
F32_OP(mul, a *b)
F32_OP(div, a / b)
F32_OP(min, a < b || a != a || (a == b && signbit(a)) ? a : b)
F32_OP(max, a > b || a != a || (a == b && !signbit(a)) ? a : b)
F32_OP(prelu, a < 0 ? a * b : a)

#define ROW(name) [OP_##name] = name##_f64
static BinaryF64 *const float_ops[OP_CORE_END] = {ROW(add), ROW(sub), ROW(mul), ROW(div), ROW(mod), ROW(fmod), ROW(pow),
	ROW(min), ROW(max), ROW(atan2), ROW(eq), ROW(ne), ROW(lt), ROW(le), ROW(gt), ROW(ge), ROW(prelu)};
#undef ROW
#define ROW(name) [OP_##name] = name##_f32
static BinaryF32 *const f32_ops[OP_CORE_END] = {
	ROW(add), ROW(sub), ROW(mul), ROW(div), ROW(min), ROW(max), ROW(prelu)};
#undef ROW

/* ---- integers ---- */

static inline bool int_less(IntType t, int64_t a, int64_t b)
{
	return t.is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
}

static inline int64_t int_div(IntType t, int64_t a, int64_t b)
{
	if (t.is_unsigned)
		return (int64_t)((uint64_t)a / (uint64_t)b);
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static inline int64_t int_rem(IntType t, int64_t a, int64_t b)
{
	if (t.is_unsigned)
		return (int64_t)((uint64_t)a % (uint64_t)b);
	return b == -1 ? 0 : a % b;
}

static inline int64_t int_mod(IntType t, int64_t a, int64_t b)
{
	int64_t r = int_rem(t, a, b);
	return !t.is_unsigned && r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* By repeated squaring, wrapping. A negative exponent gives the reciprocal truncated: zero but for bases of 1 and -1. */
static int64_t int_pow(IntType t, int64_t a, int64_t b)
{
	if (b < 0 && !t.is_unsigned) {
		if (a == 1 || a == -1)
			return a == 1 || b % 2 == 0 ? 1 : -1;
		return 0;
	}
	uint64_t r = 1, base = (uint64_t)a;
	for (uint64_t k = (uint64_t)b; k; k >>= 1) {
		if (k & 1)
			r *= base;
		base *= base;
	}
	return (int64_t)r;
}

/* Distances of at least the width, and negative ones, move every bit out. */
static inline int64_t shift_left(IntType t, int64_t a, int64_t b)
{
	return (uint64_t)b < (uint64_t)t.bits ? (int64_t)((uint64_t)a << b) : 0;
}

static inline int64_t shift_right(IntType t, int64_t a, int64_t b)
{
	if ((uint64_t)b >= (uint64_t)t.bits)
		return !t.is_unsigned && a < 0 ? -1 : 0;
	return t.is_unsigned ? (int64_t)((uint64_t)a >> b) : a >> b;
}

static inline int64_t shift_right_logical(IntType t, int64_t a, int64_t b)
{
	uint64_t u = (uint64_t)a << (64 - t.bits) >> (64 - t.bits);
	return (uint64_t)b < (uint64_t)t.bits ? (int64_t)(u >> b) : 0;
}

#define INT_OP(name, expr)                                                                                             \
	static bool name##_i64(IntType t, int64_t n, const int64_t *a_, const int64_t *b_, int64_t *dst)               \
	{                                                                                                              \
		(void)t;                                                                                               \
		for (int64_t i = 0; i < n; i++) {                                                                      \
			int64_t a = a_[i], b = b_[i];                                                                  \
			dst[i] = (int64_t)(expr);                                                                      \
		}                                                                                                      \
		return true;                                                                                           \
	}
#define DIVIDE_OP(name, expr)                                                                                          \
	static bool name##_i64(IntType t, int64_t n, const int64_t *a_, const int64_t *b_, int64_t *dst)               \
	{                                                                                                              \
		for (int64_t i = 0; i < n; i++) {                                                                      \
			int64_t a = a_[i], b = b_[i];                                                                  \
			if (b == 0)                                                                                    \
				return false;                                                                          \
			dst[i] = (expr);                                                                               \
		}                                                                                                      \
		return true;                                                                                           \
	}

INT_OP(add, (uint64_t)a + (uint64_t)b)
INT_OP(sub, (uint64_t)a - (uint64_t)b)
INT_OP(mul, (uint64_t)a *(uint64_t)b)
DIVIDE_OP(div, int_div(t, a, b))
DIVIDE_OP(mod, int_mod(t, a, b))
DIVIDE_OP(fmod, int_rem(t, a, b))
INT_OP(pow, int_pow(t, a, b))
INT_OP(min, int_less(t, b, a) ? b : a)
INT_OP(max, int_less(t, a, b) ? b : a)
INT_OP(bit_and, a &b)
INT_OP(bit_or, a | b)
INT_OP(bit_xor, a ^ b)
INT_OP(shift_left, shift_left(t, a, b))
INT_OP(shift_right, shift_right(t, a, b))
INT_OP(shift_right_logical, shift_right_logical(t, a, b))
INT_OP(eq, a == b)
INT_OP(ne, a != b)
INT_OP(lt, int_less(t, a, b))
INT_OP(le, !int_less(t, b, a))
INT_OP(gt, int_less(t, b, a))
INT_OP(ge, !int_less(t, a, b))
INT_OP(prelu, a < 0 && !t.is_unsigned ? (uint64_t)a *(uint64_t)b : (uint64_t)a)

#define ROW(name) [OP_##name] = name##_i64
static BinaryI64 *const int_ops[OP_CORE_END] = {ROW(add), ROW(sub), ROW(mul), ROW(div), ROW(mod), ROW(fmod), ROW(pow),
	ROW(min), ROW(max), ROW(bit_and), ROW(bit_or), ROW(bit_xor), ROW(shift_left), ROW(shift_right),
	ROW(shift_right_logical), ROW(eq), ROW(ne), ROW(lt), ROW(le), ROW(gt), ROW(ge), ROW(prelu)};
/* On bool, addition is or and multiplication is and, as both store what is not zero as true. */
static BinaryI64 *const bool_ops[OP_CORE_END] = {ROW(add), ROW(mul), ROW(min), ROW(max), ROW(bit_and), ROW(bit_or),
	ROW(bit_xor), ROW(eq), ROW(ne), ROW(lt), ROW(le), ROW(gt), ROW(ge), [OP_and] = bit_and_i64, [OP_or] = bit_or_i64,
	[OP_xor] = bit_xor_i64};
#undef ROW

/* ---- running ---- */

typedef struct BinaryRun {
	Walk a, b;
	Tensor *y;
	BinaryF64 *f64;
	BinaryF32 *f32;
	BinaryI64 *i64;
	IntType type;
	bool failed; /* only ever set to true */
} BinaryRun;

static inline int64_t block_at(int64_t at, int64_t end)
{
	return end - at < BLOCK ? end - at : BLOCK;
}

static void run_f32(void *arg, int64_t begin, int64_t end)
{
	const BinaryRun *r = arg;
	float a[BLOCK], b[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = block_at(at, end);
		r->f32(n, walk_raw(&r->a, at, n, a), walk_raw(&r->b, at, n, b), (float *)r->y->data + at);
	}
}

static void run_f64(void *arg, int64_t begin, int64_t end)
{
	const BinaryRun *r = arg;
	double a[BLOCK], b[BLOCK], y[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = block_at(at, end);
		r->f64(n, walk_f64(&r->a, at, n, a), walk_f64(&r->b, at, n, b), y);
		tensor_store_f64(r->y, at, n, y);
	}
}

static void run_i64(void *arg, int64_t begin, int64_t end)
{
	BinaryRun *r = arg;
	int64_t a[BLOCK], b[BLOCK], y[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = block_at(at, end);
		if (!r->i64(r->type, n, walk_i64(&r->a, at, n, a), walk_i64(&r->b, at, n, b), y)) {
			__atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
			return;
		}
		tensor_store_i64(r->y, at, n, y);
	}
}

/* An integer base and a float exponent: the power in double, truncated to the base's type. */
static void run_pow_mixed(void *arg, int64_t begin, int64_t end)
{
	const BinaryRun *r = arg;
	double a[BLOCK], b[BLOCK];
	int64_t y[BLOCK];
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = block_at(at, end);
		const double *x = walk_f64(&r->a, at, n, a), *p = walk_f64(&r->b, at, n, b);
		for (int64_t i = 0; i < n; i++)
			y[i] = saturate_int(r->y->dtype, pow(x[i], p[i]));
		tensor_store_i64(r->y, at, n, y);
	}
}

static void run_strings(void *arg, int64_t begin, int64_t end)
{
	const BinaryRun *r = arg;
	bool equal = r->f64 == eq_f64;
	for (int64_t at = begin; at < end; at += BLOCK) {
		int64_t n = block_at(at, end);
		const void *a_buf[BLOCK], *b_buf[BLOCK];
		const Str *const *a = walk_raw(&r->a, at, n, a_buf), *const *b = walk_raw(&r->b, at, n, b_buf);
		for (int64_t i = 0; i < n; i++)
			((uint8_t *)r->y->data)[at + i] = (a[i] == b[i]) == equal;
	}
}

/* ---- complex ---- */

static void load_complex(const Walk *w, int64_t at, double v[2])
{
	double raw[2];
	const void *p = walk_raw(w, at, 1, raw);
	if (w->t->store == DT_C128) {
		memcpy(v, p, sizeof(raw));
		return;
	}
	float f[2];
	memcpy(f, p, sizeof(f));
	v[0] = f[0];
	v[1] = f[1];
}

static void complex_op(OpKind k, const double a[2], const double b[2], double y[2])
{
	double norm = b[0] * b[0] + b[1] * b[1];
	switch (k) {
	case OP_add: y[0] = a[0] + b[0], y[1] = a[1] + b[1]; return;
	case OP_sub: y[0] = a[0] - b[0], y[1] = a[1] - b[1]; return;
	case OP_mul: y[0] = a[0] * b[0] - a[1] * b[1], y[1] = a[0] * b[1] + a[1] * b[0]; return;
	case OP_pow: complex_power(a, b, y); return;
	default: /* div */
		y[0] = (a[0] * b[0] + a[1] * b[1]) / norm;
		y[1] = (a[1] * b[0] - a[0] * b[1]) / norm;
	}
}

static bool run_complex(EvalCtx *e, const Op *op, BinaryRun *r)
{
	OpKind k = op_kind(op);
	bool compares = k == OP_eq || k == OP_ne;
	if (k != OP_add && k != OP_sub && k != OP_mul && k != OP_div && k != OP_pow && !compares)
		return eval_unsupported(e, op, "complex operands");
	for (int64_t i = 0; i < r->y->count; i++) {
		double a[2], b[2], y[2];
		load_complex(&r->a, i, a);
		load_complex(&r->b, i, b);
		if (compares) {
			((uint8_t *)r->y->data)[i] = (a[0] == b[0] && a[1] == b[1]) == (k == OP_eq);
			continue;
		}
		complex_op(k, a, b, y);
		for (int c = 0; c < 2; c++) {
			if (r->y->store == DT_C64)
				((float *)r->y->data)[2 * i + c] = (float)y[c];
			else
				((double *)r->y->data)[2 * i + c] = y[c];
		}
	}
	return true;
}

/* ---- the op ---- */

static bool is_shift(OpKind k)
{
	return k == OP_shift_left || k == OP_shift_right || k == OP_shift_right_logical;
}

/* Which operand types go together: equal ones, but for the right operands of powers and shifts. */
static bool types_fit(OpKind k, DType a, DType b)
{
	if (a == b)
		return true;
	if (is_shift(k))
		return dtype_is_integer(a) && dtype_is_integer(b);
	return k == OP_pow && (dtype_is_float(a) || dtype_is_integer(a)) && (dtype_is_float(b) || dtype_is_integer(b));
}

/* Over an operand of the result's type and shape when it is spent. */
static Tensor *result_over(EvalCtx *e, Tensor *const *in, DType d, int rank, const int64_t *dims)
{
	for (int i = 0; i < 2; i++)
		if (in[i]->spent && in[i]->dtype == d && in[i]->rank == rank &&
			memcmp(in[i]->dims, dims, (size_t)rank * sizeof(*dims)) == 0)
			return tensor_over(e, in[i]);
	return tensor_raw(e, d, rank, dims);
}

static bool result_tensor(EvalCtx *e, const Op *op, Tensor *const *in, BinaryRun *r)
{
	int rank;
	int64_t dims[MAX_RANK];
	const Tensor *a = in[0], *b = in[1];
	if (!types_fit(op_kind(op), a->dtype, b->dtype))
		return eval_error(e, op, "operands of types %s and %s", dtype_friendly_name(a->dtype),
			dtype_friendly_name(b->dtype));
	if (!broadcast_dims(in, 2, &rank, dims))
		return eval_error(e, op, "shapes %s and %s do not broadcast", tensor_shape_text(e, a), tensor_shape_text(e, b));
	if (op_is(op, OP_prelu) && (rank != a->rank || memcmp(dims, a->dims, (size_t)rank * sizeof(*dims)) != 0))
		return eval_error(e, op, "a slope of shape %s does not broadcast to %s", tensor_shape_text(e, b),
			tensor_shape_text(e, a));
	r->y = result_over(e, in, op->def->traits & TRAIT_TO_BOOL ? DT_BOOL : a->dtype, rank, dims);
	if (!r->y)
		return false;
	walk_init(&r->a, a, rank, dims);
	walk_init(&r->b, b, rank, dims);
	return true;
}

static bool run_numbers(EvalCtx *e, const Op *op, BinaryRun *r)
{
	enum { COST_CHEAP = 1, COST_BLOCK = 3, COST_LIBM = 20 };
	OpKind k = op_kind(op);
	DType a = r->a.t->dtype, b = r->b.t->dtype;
	int64_t n = r->y->count;
	if (dtype_is_float(a)) {
		r->f64 = float_ops[k];
		r->f32 = f32_ops[k];
		if (r->f32 && r->a.t->store == DT_F32 && r->b.t->store == DT_F32 && r->y->store == DT_F32)
			eval_ranges(e, n, COST_CHEAP, run_f32, r);
		else if (r->f64)
			eval_ranges(e, n, k == OP_pow || k == OP_atan2 ? COST_LIBM : COST_BLOCK, run_f64, r);
		return r->f64 != NULL;
	}
	if (k == OP_pow && dtype_is_float(b)) {
		eval_ranges(e, n, COST_LIBM, run_pow_mixed, r);
		return true;
	}
	r->i64 = a == DT_BOOL ? bool_ops[k] : int_ops[k];
	r->type = (IntType){dtype_bits(a), dtype_class(k == OP_pow ? b : a) == DC_UINT};
	if (!r->i64)
		return false;
	eval_ranges(e, n, COST_BLOCK, run_i64, r);
	return true;
}

bool eval_binary(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	BinaryRun r = {0};
	if (!result_tensor(e, op, in, &r))
		return false;
	DTypeClass cls = dtype_class(in[0]->dtype);
	bool ok;
	if (cls == DC_STRING) {
		r.f64 = op_is(op, OP_eq) ? eq_f64 : ne_f64;
		run_strings(&r, 0, r.y->count);
		ok = true;
	} else if (cls == DC_COMPLEX) {
		ok = run_complex(e, op, &r);
	} else {
		ok = run_numbers(e, op, &r) || eval_error(e, op, "not defined on %s", dtype_friendly_name(in[0]->dtype));
		if (ok && r.failed)
			ok = eval_error(e, op, "integer division by zero");
	}
	if (ok)
		out[0] = r.y;
	else
		tensor_unref(r.y);
	return ok;
}

bool infer_binary(InferCtx *x, Op *op)
{
	const Value *a = op_operand(op, 0), *b = op_operand(op, 1);
	if (!a || !b || (a->type->kind != TYPE_UNKNOWN && !type_is_tensor(a->type)) ||
		(b->type->kind != TYPE_UNKNOWN && !type_is_tensor(b->type)))
		return true;
	DType da = type_is_tensor(a->type) ? a->type->dtype : DT_NONE;
	DType db = type_is_tensor(b->type) ? b->type->dtype : DT_NONE;
	OpKind k = op_kind(op);
	if (da != DT_NONE && db != DT_NONE && !types_fit(k, da, db))
		return infer_error(x, op, "operands of types %s and %s", dtype_friendly_name(da), dtype_friendly_name(db));
	DType d = da;
	if (op->def->traits & TRAIT_TO_BOOL)
		d = DT_BOOL;
	else if (d == DT_NONE && k != OP_pow && !is_shift(k))
		d = db;
	if (k == OP_prelu) {
		if (type_is_tensor(a->type))
			infer_result(x, op, 0, type_with_dtype(x->ctx, a->type, d));
		return true;
	}
	const Type *types[] = {a->type, b->type};
	bool ok;
	const Type *t = infer_broadcast(x, op, d, types, 2, &ok);
	if (!ok)
		return infer_error(x, op, "the shapes of the operands do not broadcast");
	infer_result(x, op, 0, t ? t : type_unranked(x->ctx, d));
	return true;
}

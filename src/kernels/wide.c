/* Instructions of tile programs on elements of eight bytes that are not worth code for each instruction set: doubles, comparisons of
 * 64-bit integers. */
#include "kernels/simd/tile_loops.h"

#include <math.h>

/* Doubles: what has no vector instruction goes through the library, as in the evaluator. Nothing with constants, which are floats. */
#define F64(name, expr) static void f64_##name(const Args *t) LOOP(double, double, expr)
F64(ADD, a[i] + b[i])
F64(SUB, a[i] - b[i])
F64(MUL, a[i] * b[i])
F64(DIV, a[i] / b[i])
F64(MIN, a[i] < b[i] || a[i] != a[i] || (a[i] == b[i] && __builtin_signbit(a[i])) ? a[i] : b[i])
F64(MAX, a[i] > b[i] || a[i] != a[i] || (a[i] == b[i] && !__builtin_signbit(a[i])) ? a[i] : b[i])
F64(PRELU, a[i] < 0 ? a[i] * b[i] : a[i])
F64(NEG, -a[i])
F64(ABS, __builtin_fabs(a[i]))
F64(SIGN, a[i] > 0 ? 1.0 : a[i] < 0 ? -1.0 : a[i])
F64(RELU, a[i] < 0 ? 0.0 : a[i])
F64(SQRT, __builtin_sqrt(a[i]))
F64(RSQRT, 1.0 / __builtin_sqrt(a[i]))
F64(RECIPROCAL, 1.0 / a[i])
F64(FLOOR, __builtin_floor(a[i]))
F64(CEIL, __builtin_ceil(a[i]))
F64(ROUND, __builtin_rint(a[i]))
F64(EXP, exp(a[i]))
F64(LOG, log(a[i]))
F64(SIGMOID, 1.0 / (1.0 + exp(-a[i])))
F64(TANH, tanh(a[i]))
F64(ERF, erf(a[i]))
F64(SIN, sin(a[i]))
F64(COS, cos(a[i]))
F64(POW, pow(a[i], b[i]))
F64(FMOD, fmod(a[i], b[i]))
static void f64_IS_NAN(const Args *t) LOOP(double, uint8_t, a[i] != a[i])

COMPARE(f64, double)
COMPARE(i64, int64_t)

static void cast_f64_i32(const Args *t) LOOP(double, int32_t, SATURATE(a[i], -0x1p31, 0x1p31, INT32_MIN, INT32_MAX, int32_t))
static void cast_f64_i64(const Args *t) LOOP(double, int64_t, SATURATE(a[i], -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, int64_t))
static void cast_f64_bool(const Args *t) LOOP(double, uint8_t, a[i] != 0)
static void cast_i32_f64(const Args *t) LOOP(int32_t, double, a[i])
static void cast_i64_f64(const Args *t) LOOP(int64_t, double, a[i])
static void cast_u8_f64(const Args *t) LOOP(uint8_t, double, a[i])

#define ROW(id) [TILE_##id] = f64_##id
static TileFn *const F64_TABLE[TILE_OP_COUNT] = {
	ROW(ADD), ROW(SUB), ROW(MUL), ROW(DIV), ROW(MIN), ROW(MAX), ROW(PRELU), ROW(NEG), ROW(ABS), ROW(SIGN), ROW(RELU), ROW(SQRT), ROW(RSQRT),
	ROW(RECIPROCAL), ROW(FLOOR), ROW(CEIL), ROW(ROUND), ROW(EXP), ROW(LOG), ROW(SIGMOID), ROW(TANH), ROW(ERF), ROW(SIN), ROW(COS), ROW(POW),
	ROW(FMOD), ROW(EQ), ROW(NE), ROW(LT), ROW(LE), ROW(GT), ROW(GE), ROW(IS_NAN),
};
#undef ROW
static TileFn *const I64_TABLE[TILE_OP_COUNT] = {
	[TILE_EQ] = i64_EQ, [TILE_NE] = i64_NE, [TILE_LT] = i64_LT, [TILE_LE] = i64_LE, [TILE_GT] = i64_GT, [TILE_GE] = i64_GE,
};

TileFn *tile_wide(uint8_t dtype, uint8_t op)
{
	return dtype == DT_F64 ? F64_TABLE[op] : dtype == DT_I64 ? I64_TABLE[op] : NULL;
}

TileFn *tile_wide_cast(uint8_t from, uint8_t to)
{
	static const struct { uint8_t from, to; TileFn *fn; } CASTS[] = {
		{ DT_F64, DT_I32, cast_f64_i32 }, { DT_F64, DT_I64, cast_f64_i64 }, { DT_F64, DT_BOOL, cast_f64_bool },
		{ DT_I32, DT_F64, cast_i32_f64 }, { DT_I64, DT_F64, cast_i64_f64 }, { DT_BOOL, DT_F64, cast_u8_f64 },
	};
	for (size_t i = 0; i < ARRAY_LEN(CASTS); i++)
		if (CASTS[i].from == from && CASTS[i].to == to)
			return CASTS[i].fn;
	return NULL;
}

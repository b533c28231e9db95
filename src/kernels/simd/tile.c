/* Tile programs: each instruction is one call on up to TILE elements, which stay in the first-level cache. Loads of
 * contiguous operands are pointers into memory, and a result that is stored goes there directly. */
#include "tile_loops.h"
#include "vec_math.h"

#define F32(name, expr) static void f32_##name(const Args *t) LOOP(float, float, expr)

F32(ADD, a[i] + b[i])
F32(SUB, a[i] - b[i])
F32(MUL, a[i] * b[i])
F32(DIV, a[i] / b[i])
/* A NaN of either operand is the result, and 0 is above -0. */
F32(MIN, a[i] < b[i] || a[i] != a[i] || (a[i] == b[i] && as_int(a[i]) < 0) ? a[i] : b[i])
F32(MAX, a[i] > b[i] || a[i] != a[i] || (a[i] == b[i] && as_int(a[i]) >= 0) ? a[i] : b[i])
F32(PRELU, a[i] < 0 ? a[i] * b[i] : a[i])
F32(NEG, -a[i])
F32(ABS, __builtin_fabsf(a[i]))
F32(SIGN, a[i] > 0 ? 1.0f : a[i] < 0 ? -1.0f : a[i])
F32(RELU, a[i] < 0 ? 0.0f : a[i])
F32(CLAMP, a[i] < f0 ? f0 : a[i] > f1 ? f1 : a[i])
F32(LEAKY_RELU, a[i] < 0 ? a[i] * f0 : a[i])
F32(HARD_SIGMOID, a[i] != a[i] ? a[i] : f0 * a[i] + f1 < 0 ? 0.0f : f0 * a[i] + f1 > 1 ? 1.0f : f0 * a[i] + f1)
F32(HARD_SWISH, a[i] * (a[i] < -3.0f ? 0.0f : a[i] > 3.0f ? 1.0f : a[i] * (1.0f / 6.0f) + 0.5f))
F32(LOG, math_log(a[i]))
F32(SQUARE, a[i] * a[i])
F32(MUL_ADD, a[i] * b[i] + c[i])
F32(SQRT, __builtin_sqrtf(a[i]))
F32(RSQRT, 1.0f / __builtin_sqrtf(a[i]))
F32(RECIPROCAL, 1.0f / a[i])
F32(MISH, a[i] * math_tanh(math_softplus(a[i])))
F32(SOFTPLUS, math_softplus(a[i]))
F32(SOFTSIGN, a[i] / (1.0f + __builtin_fabsf(a[i])))
F32(FLOOR, __builtin_floorf(a[i]))
F32(CEIL, __builtin_ceilf(a[i]))
F32(ROUND, __builtin_rintf(a[i]))
F32(POW, powf(a[i], b[i]))
F32(FMOD, fmodf(a[i], b[i]))

/* What costs most; on AVX-512 several vectors at a time. `body` works on a[0 .. n). */
#if ISA_LEVEL == 4
#define VECTORS(name, body) \
	VEC_FN void vecs_##name(Vec *a, Vec f0, Vec f1, const int n) \
	{ \
		(void)f0; \
		(void)f1; \
		body \
	} \
	static void f32_##name(const Args *t) \
	{ \
		const Vec f0 = vec_set(t->f0), f1 = vec_set(t->f1); \
		const float *from = t->a; \
		float *to = t->d; \
		int64_t left = t->n; \
		for (; left >= VEC_MANY * LANES; left -= VEC_MANY * LANES, from += VEC_MANY * LANES, to += VEC_MANY * LANES) { \
			enum { n = VEC_MANY }; \
			Vec a[n]; \
			EACH_VEC a[i] = vec_load(from + i * LANES); \
			vecs_##name(a, f0, f1, n); \
			EACH_VEC vec_store(to + i * LANES, a[i]); \
		} \
		for (; left > 0; left -= LANES, from += LANES, to += LANES) { \
			int64_t part = min_i64(left, LANES); \
			Vec a = vec_load_part(from, part); \
			vecs_##name(&a, f0, f1, 1); \
			vec_store_part(to, a, part); \
		} \
	}
#define BELOW_ZERO(a, below, above) \
	(Vec)_mm512_mask_mov_ps((__m512)(above), _mm512_cmp_ps_mask((__m512)(a), _mm512_setzero_ps(), _CMP_LT_OQ), (__m512)(below))
/* f of `arg` as e[i], then a[i] = expr. */
#define OF(f, arg, expr) \
	Vec e[VEC_MANY]; \
	EACH_VEC e[i] = (arg); \
	f(e, n); \
	EACH_VEC a[i] = (expr);
VECTORS(ELU, OF(vecs_exp, a[i], BELOW_ZERO(a[i], f0 * (e[i] - 1.0f), a[i])))
VECTORS(SELU, OF(vecs_exp, a[i], f1 * BELOW_ZERO(a[i], f0 * (e[i] - 1.0f), a[i])))
VECTORS(CELU, OF(vecs_exp, a[i] / f0, BELOW_ZERO(a[i], f0 * (e[i] - 1.0f), a[i])))
VECTORS(SIGMOID, vecs_sigmoid(a, n);)
VECTORS(SWISH, OF(vecs_sigmoid, f0 * a[i], a[i] * e[i]))
VECTORS(TANH, vecs_tanh(a, n);)
VECTORS(EXP, vecs_exp(a, n);)
VECTORS(ERF, vecs_erf(a, n);)
VECTORS(GELU, OF(vecs_erf, a[i] * 0.70710678118654752f, 0.5f * a[i] * (1.0f + e[i])))
VECTORS(GELU_TANH, OF(vecs_tanh, 0.79788456080286536f * (a[i] + 0.044715f * a[i] * a[i] * a[i]), 0.5f * a[i] * (1.0f + e[i])))
#else
F32(ELU, a[i] < 0 ? f0 * (math_exp(a[i]) - 1.0f) : a[i])
F32(SELU, f1 * (a[i] <= 0 ? f0 * (math_exp(a[i]) - 1.0f) : a[i]))
F32(CELU, a[i] < 0 ? f0 * (math_exp(a[i] / f0) - 1.0f) : a[i])
F32(SIGMOID, math_sigmoid(a[i]))
F32(SWISH, a[i] * math_sigmoid(f0 * a[i]))
F32(TANH, math_tanh(a[i]))
F32(EXP, math_exp(a[i]))
F32(ERF, math_erf(a[i]))
F32(GELU, 0.5f * a[i] * (1.0f + math_erf(a[i] * 0.70710678118654752f)))
F32(GELU_TANH, 0.5f * a[i] * (1.0f + math_tanh(0.79788456080286536f * (a[i] + 0.044715f * a[i] * a[i] * a[i]))))
#endif

static bool all_below(const float *a, int64_t n, float limit)
{
	int above = 0;
	for (int64_t i = 0; i < n; i++)
		above |= !(__builtin_fabsf(a[i]) < limit);
	return !above;
}

static void f32_SIN(const Args *t)
{
	if (all_below(t->a, t->n, 8192.0f))
		LOOP(float, float, math_sin_quadrant(a[i], 0))
	else
		LOOP(float, float, sinf(a[i]))
}

static void f32_COS(const Args *t)
{
	if (all_below(t->a, t->n, 8192.0f))
		LOOP(float, float, math_sin_quadrant(a[i], 1))
	else
		LOOP(float, float, cosf(a[i]))
}

static void f32_CONST(const Args *t) LOOP(float, float, f0)
static void f32_IS_NAN(const Args *t) LOOP(float, uint8_t, a[i] != a[i])

COMPARE(f32, float)
COMPARE(i32, int32_t)

/* Integers wrap around. */
#define INTEGER(T, type, U) \
	static void T##_ADD(const Args *t) LOOP(type, type, (U)a[i] + (U)b[i]) \
	static void T##_SUB(const Args *t) LOOP(type, type, (U)a[i] - (U)b[i]) \
	static void T##_MUL(const Args *t) LOOP(type, type, (U)a[i] * (U)b[i]) \
	static void T##_MIN(const Args *t) LOOP(type, type, a[i] < b[i] ? a[i] : b[i]) \
	static void T##_MAX(const Args *t) LOOP(type, type, a[i] > b[i] ? a[i] : b[i]) \
	static void T##_NEG(const Args *t) LOOP(type, type, -(U)a[i]) \
	static void T##_ABS(const Args *t) LOOP(type, type, a[i] < 0 ? -(U)a[i] : (U)a[i])
INTEGER(i32, int32_t, uint32_t)
INTEGER(i64, int64_t, uint64_t)

static void bool_AND(const Args *t) LOOP(uint8_t, uint8_t, a[i] & b[i])
static void bool_OR(const Args *t) LOOP(uint8_t, uint8_t, a[i] | b[i])
static void bool_XOR(const Args *t) LOOP(uint8_t, uint8_t, a[i] ^ b[i])
static void bool_NOT(const Args *t) LOOP(uint8_t, uint8_t, !a[i])
static void bool_EQ(const Args *t) LOOP(uint8_t, uint8_t, a[i] == b[i])

#define SELECT(bytes, type) \
	static void select_##bytes(const Args *t) { \
		const uint8_t *a = t->a; \
		const type *b = t->b, *c = t->c; \
		type *d = t->d; \
		const int64_t n = t->n; \
		_Pragma("GCC ivdep") \
		for (int64_t i = 0; i < n; i++) \
			d[i] = a[i] ? b[i] : c[i]; \
	}
SELECT(1, uint8_t)
SELECT(2, uint16_t)
SELECT(4, uint32_t)
SELECT(8, uint64_t)

static void cast_f32_i32(const Args *t) LOOP(float, int32_t, SATURATE(a[i], -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX,
	int32_t))
static void cast_f32_i64(const Args *t) LOOP(float, int64_t, SATURATE(a[i], -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX,
	int64_t))
static void cast_f32_u8(const Args *t) LOOP(float, uint8_t, SATURATE(a[i], 0.0f, 256.0f, 0, UINT8_MAX, uint8_t))
static void cast_f32_i8(const Args *t) LOOP(float, int8_t, SATURATE(a[i], -128.0f, 128.0f, INT8_MIN, INT8_MAX, int8_t))
static void cast_f32_u16(const Args *t) LOOP(float, uint16_t, SATURATE(a[i], 0.0f, 65536.0f, 0, UINT16_MAX, uint16_t))
static void cast_f32_i16(const Args *t) LOOP(float, int16_t, SATURATE(a[i], -32768.0f, 32768.0f, INT16_MIN, INT16_MAX, int16_t))
static void cast_f32_bool(const Args *t) LOOP(float, uint8_t, a[i] != 0)
static void cast_i32_f32(const Args *t) LOOP(int32_t, float, a[i])
static void cast_i64_f32(const Args *t) LOOP(int64_t, float, a[i])
static void cast_bool_f32(const Args *t) LOOP(uint8_t, float, a[i])
static void cast_i32_i64(const Args *t) LOOP(int32_t, int64_t, a[i])
static void cast_i64_i32(const Args *t) LOOP(int64_t, int32_t, (uint32_t)a[i])
static void cast_i32_bool(const Args *t) LOOP(int32_t, uint8_t, a[i] != 0)
static void cast_i64_bool(const Args *t) LOOP(int64_t, uint8_t, a[i] != 0)
static void cast_u8_i32(const Args *t) LOOP(uint8_t, int32_t, a[i])
static void cast_u8_i64(const Args *t) LOOP(uint8_t, int64_t, a[i])
static void cast_i32_u8(const Args *t) LOOP(int32_t, uint8_t, (uint8_t)a[i])
static void cast_i64_u8(const Args *t) LOOP(int64_t, uint8_t, (uint8_t)a[i])
static void cast_i8_i64(const Args *t) LOOP(int8_t, int64_t, a[i])
static void cast_i8_i32(const Args *t) LOOP(int8_t, int32_t, a[i])
static void cast_u16_f32(const Args *t) LOOP(uint16_t, float, a[i])
static void cast_i16_f32(const Args *t) LOOP(int16_t, float, a[i])
static void cast_i8_f32(const Args *t) LOOP(int8_t, float, a[i])
static void cast_f32_f64(const Args *t) LOOP(float, double, a[i])
static void cast_f64_f32(const Args *t) LOOP(double, float, a[i])
/* The quotient is rounded to f32 before it is rounded to a whole number. */
#define QUANTIZED(scale, zero, lo, hi) (int32_t)nearest(__builtin_rintf(a[i] / (scale)) + (zero), lo, hi)
static inline float nearest(float x, float lo, float hi)
{
	x = x > lo ? x : x != x ? 0.0f : lo;
	return x < hi ? x : hi;
}
/* 32 bits do not fit in a float: their difference and product are taken in double, and rounded once. */
#define WIDE_DEQUANTIZED(scale, zero) (float)(((double)a[i] - (double)(zero)) * (double)(scale))
#define QUANTIZE(T, type, lo, hi) \
	static void T##_QUANTIZE(const Args *t) LOOP(float, type, QUANTIZED(f0, f1, lo, hi)) \
	static void T##_QUANTIZE_BY(const Args *t) LOOP(float, type, QUANTIZED(b[i], c[i], lo, hi))
#define DEQUANTIZE(T, type, with, by) \
	static void T##_DEQUANTIZE(const Args *t) LOOP(type, float, with) \
	static void T##_DEQUANTIZE_BY(const Args *t) { \
		const type *a = t->a; \
		const float *b = t->b, *c = t->c; \
		float *d = t->d; \
		const int64_t n = t->n; \
		_Pragma("GCC ivdep") \
		for (int64_t i = 0; i < n; i++) \
			d[i] = by; \
	}
#define NARROW(T, type, lo, hi) \
	QUANTIZE(T, type, lo, hi) \
	DEQUANTIZE(T, type, ((float)a[i] - f1) * f0, ((float)a[i] - c[i]) * b[i])
NARROW(u8, uint8_t, 0.0f, 255.0f)
NARROW(i8, int8_t, -128.0f, 127.0f)
NARROW(u16, uint16_t, 0.0f, 65535.0f)
NARROW(i16, int16_t, -32768.0f, 32767.0f)
DEQUANTIZE(i32, int32_t, WIDE_DEQUANTIZED(f0, f1), WIDE_DEQUANTIZED(b[i], c[i]))

/* Halves: as integers, so that every instruction set has vectors for it. Numbers below the normal ones are made by adding a power
 * of two whose last place is theirs; rounding is half to even. */
static inline float half_value(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, mag = h & 0x7fff;
	uint32_t bits = mag >= 0x7c00 ? 0x7f800000 | mag << 13 : (uint32_t)as_int(as_float((int32_t)(mag << 13)) * 0x1p112f);
	return as_float((int32_t)(bits | sign));
}

static inline uint16_t half_bits(float x)
{
	enum { LEAST = 0x38800000, TOO_LARGE = 0x477ff000, INF = 0x7f800000 };
	uint32_t u = (uint32_t)as_int(x), sign = u >> 16 & 0x8000;
	u &= 0x7fffffff;
	uint32_t normal = (u + 0xfff + (u >> 13 & 1) - 0x38000000) >> 13;
	uint32_t small = (uint32_t)as_int(as_float((int32_t)u) + 0.5f) - 0x3f000000;
	uint32_t h = u < LEAST ? small : normal;
	h = u >= TOO_LARGE ? 0x7c00 : h;
	h = u > INF ? 0x7e00 : h;
	return (uint16_t)(h | sign);
}

static inline uint16_t bfloat_bits(float x)
{
	uint32_t u = (uint32_t)as_int(x);
	return (uint16_t)(x != x ? (u >> 16 | 0x40) : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}
static void cast_f32_f16(const Args *t) LOOP(float, uint16_t, half_bits(a[i]))
static void cast_f16_f32(const Args *t) LOOP(uint16_t, float, half_value(a[i]))
static void cast_f32_bf16(const Args *t) LOOP(float, uint16_t, bfloat_bits(a[i]))
static void cast_bf16_f32(const Args *t) LOOP(uint16_t, float, as_float((int32_t)((uint32_t)a[i] << 16)))

#define ROW(id) [TILE_##id] = f32_##id
static TileFn *const F32_TABLE[TILE_OP_COUNT] = {
	ROW(CONST), ROW(ADD), ROW(SUB), ROW(MUL), ROW(DIV), ROW(MIN), ROW(MAX), ROW(POW), ROW(FMOD), ROW(PRELU), ROW(EQ),
		ROW(NE),
	ROW(LT), ROW(LE), ROW(GT), ROW(GE), ROW(NEG), ROW(ABS), ROW(SIGN), ROW(RELU), ROW(CLAMP), ROW(LEAKY_RELU), ROW(ELU),
	ROW(SELU), ROW(CELU), ROW(HARD_SIGMOID), ROW(HARD_SWISH), ROW(SIGMOID), ROW(SWISH), ROW(TANH), ROW(EXP), ROW(LOG),
	ROW(SQUARE), ROW(MUL_ADD), ROW(SQRT), ROW(RSQRT), ROW(RECIPROCAL), ROW(ERF), ROW(GELU), ROW(GELU_TANH), ROW(MISH),
		ROW(SOFTPLUS), ROW(SOFTSIGN),
	ROW(SIN), ROW(COS), ROW(FLOOR), ROW(CEIL), ROW(ROUND), ROW(IS_NAN), [TILE_SELECT] = select_4,
};
#undef ROW
#define INTEGER_ROWS(T) \
	[TILE_ADD] = T##_ADD, [TILE_SUB] = T##_SUB, [TILE_MUL] = T##_MUL, [TILE_MIN] = T##_MIN, [TILE_MAX] = T##_MAX, \
	[TILE_NEG] = T##_NEG, [TILE_ABS] = T##_ABS
#define COMPARE_ROWS(T) [TILE_EQ] = T##_EQ, [TILE_NE] = T##_NE, [TILE_LT] = T##_LT, [TILE_LE] = T##_LE, [TILE_GT] = T##_GT, [TILE_GE] = T##_GE
#define DEQUANTIZE_ROWS(T) [TILE_DEQUANTIZE] = T##_DEQUANTIZE, [TILE_DEQUANTIZE_BY] = T##_DEQUANTIZE_BY
static TileFn *const I32_TABLE[TILE_OP_COUNT] = { INTEGER_ROWS(i32), COMPARE_ROWS(i32), [TILE_SELECT] = select_4, DEQUANTIZE_ROWS(i32) };
static TileFn *const I64_TABLE[TILE_OP_COUNT] = { INTEGER_ROWS(i64), [TILE_SELECT] = select_8 };
static TileFn *const BOOL_TABLE[TILE_OP_COUNT] = {
	[TILE_AND] = bool_AND, [TILE_OR] = bool_OR, [TILE_XOR] = bool_XOR, [TILE_NOT] = bool_NOT, [TILE_EQ] = bool_EQ,
	[TILE_NE] = bool_XOR, [TILE_SELECT] = select_1,
};
static TileFn *const U8_TABLE[TILE_OP_COUNT] = { [TILE_SELECT] = select_1, DEQUANTIZE_ROWS(u8) };
static TileFn *const I8_TABLE[TILE_OP_COUNT] = { [TILE_SELECT] = select_1, DEQUANTIZE_ROWS(i8) };
static TileFn *const U16_TABLE[TILE_OP_COUNT] = { [TILE_SELECT] = select_2, DEQUANTIZE_ROWS(u16) };
static TileFn *const I16_TABLE[TILE_OP_COUNT] = { [TILE_SELECT] = select_2, DEQUANTIZE_ROWS(i16) };
static TileFn *const HALF_TABLE[TILE_OP_COUNT] = { [TILE_SELECT] = select_2 };
static TileFn *const F64_TABLE[TILE_OP_COUNT] = { [TILE_SELECT] = select_8 };

static TileFn *const *table_of(uint8_t dtype)
{
	switch (dtype) {
	case DT_F32: return F32_TABLE;
	case DT_I32: return I32_TABLE;
	case DT_I64: return I64_TABLE;
	case DT_BOOL: return BOOL_TABLE;
	case DT_U8: return U8_TABLE;
	case DT_I8: return I8_TABLE;
	case DT_U16: return U16_TABLE;
	case DT_I16: return I16_TABLE;
	case DT_F16: case DT_BF16: return HALF_TABLE;
	case DT_F64: return F64_TABLE;
	default: return NULL;
	}
}

static TileFn *cast_fn(uint8_t from, uint8_t to)
{
	static const struct { uint8_t from, to; TileFn *fn; } CASTS[] = {
		{ DT_F32, DT_I32, cast_f32_i32 }, { DT_F32, DT_I64, cast_f32_i64 }, { DT_F32, DT_BOOL, cast_f32_bool },
		{ DT_I32, DT_F32, cast_i32_f32 }, { DT_I64, DT_F32, cast_i64_f32 }, { DT_BOOL, DT_F32, cast_bool_f32 },
		{ DT_U8, DT_F32, cast_bool_f32 }, { DT_I8, DT_F32, cast_i8_f32 }, { DT_I32, DT_I64, cast_i32_i64 },
		{ DT_I64, DT_I32, cast_i64_i32 }, { DT_I32, DT_BOOL, cast_i32_bool }, { DT_I64, DT_BOOL, cast_i64_bool },
		{ DT_BOOL, DT_I32, cast_u8_i32 }, { DT_BOOL, DT_I64, cast_u8_i64 }, { DT_U8, DT_I32, cast_u8_i32 },
		{ DT_U8, DT_I64, cast_u8_i64 }, { DT_I8, DT_I32, cast_i8_i32 }, { DT_U16, DT_F32, cast_u16_f32 },
		{ DT_I16, DT_F32, cast_i16_f32 }, { DT_F32, DT_F16, cast_f32_f16 }, { DT_F16, DT_F32, cast_f16_f32 },
		{ DT_F32, DT_BF16, cast_f32_bf16 }, { DT_BF16, DT_F32, cast_bf16_f32 }, { DT_F32, DT_F64, cast_f32_f64 }, { DT_F64, DT_F32, cast_f64_f32 },
		{ DT_F32, DT_U8, cast_f32_u8 }, { DT_F32, DT_I8, cast_f32_i8 }, { DT_F32, DT_U16, cast_f32_u16 },
		{ DT_F32, DT_I16, cast_f32_i16 }, { DT_I32, DT_U8, cast_i32_u8 }, { DT_I64, DT_U8, cast_i64_u8 },
		{ DT_I8, DT_I64, cast_i8_i64 },
	};
	for (size_t i = 0; i < ARRAY_LEN(CASTS); i++)
		if (CASTS[i].from == from && CASTS[i].to == to)
			return CASTS[i].fn;
	return tile_wide_cast(from, to);
}

static TileFn *quantize_fn(const TileInstr *in)
{
	static TileFn *const FNS[][2] = { { u8_QUANTIZE, u8_QUANTIZE_BY }, { i8_QUANTIZE, i8_QUANTIZE_BY },
		{ u16_QUANTIZE, u16_QUANTIZE_BY }, { i16_QUANTIZE, i16_QUANTIZE_BY } };
	static const uint8_t TO[] = { DT_U8, DT_I8, DT_U16, DT_I16 };
	for (size_t i = 0; i < ARRAY_LEN(TO) && in->dtype == DT_F32; i++)
		if (TO[i] == in->to)
			return FNS[i][in->op == TILE_QUANTIZE_BY];
	return NULL;
}

static TileFn *function_of(const TileInstr *in)
{
	TileFn *const *table = table_of(in->dtype);
	if (in->op == TILE_QUANTIZE || in->op == TILE_QUANTIZE_BY)
		return quantize_fn(in);
	if (in->op == TILE_CAST)
		return cast_fn(in->dtype, in->to);
	return table && table[in->op] ? table[in->op] : tile_wide(in->dtype, in->op);
}

bool K(tile_supports)(const TileInstr *in)
{
	return in->op == TILE_LOAD || in->op == TILE_STORE ? table_of(in->dtype) != NULL : function_of(in) != NULL;
}

/* ---- runs ---- */

enum { MAX_SIZE = 8 };

typedef struct Machine {
	const TileProgram *p;
	char *memory;                   /* TILE_REGS tiles of MAX_SIZE bytes an element */
	void *reg[TILE_REGS];
	char *at[TILE_OPERANDS];        /* first element of each operand in the current row */
	int64_t inner[TILE_OPERANDS];   /* stride of each along a row */
	int64_t step[TILE_OPERANDS];    /* from one row to the next */
	int64_t rows, length;           /* short rows are done several at a time: rows x length <= TILE elements */
	const void *filled[TILE_REGS];  /* the element (row) that a register was filled with, again and again */
	int64_t filled_to[TILE_REGS];   /* elements that it fills */
	TileFn *fn[TILE_CODE];
} Machine;

static size_t size_of(uint8_t dtype)
{
	switch (dtype) {
	case DT_F32: case DT_I32: return 4;
	case DT_F64: case DT_I64: return 8;
	case DT_U16: case DT_I16: case DT_F16: case DT_BF16: return 2;
	default: return 1;
	}
}

static void load_strided(uint8_t dtype, void *d, const char *x, int64_t stride, int64_t n)
{
	switch (size_of(dtype)) {
	case 4:
		for (int64_t i = 0; i < n; i++)
			((uint32_t *)d)[i] = ((const uint32_t *)x)[i * stride];
		break;
	case 8:
		for (int64_t i = 0; i < n; i++)
			((uint64_t *)d)[i] = ((const uint64_t *)x)[i * stride];
		break;
	case 2:
		for (int64_t i = 0; i < n; i++)
			((uint16_t *)d)[i] = ((const uint16_t *)x)[i * stride];
		break;
	default:
		for (int64_t i = 0; i < n; i++)
			((uint8_t *)d)[i] = ((const uint8_t *)x)[i * stride];
	}
}

static void store_strided(uint8_t dtype, char *y, const void *d, int64_t stride, int64_t n)
{
	switch (size_of(dtype)) {
	case 4:
		for (int64_t i = 0; i < n; i++)
			((uint32_t *)y)[i * stride] = ((const uint32_t *)d)[i];
		break;
	case 8:
		for (int64_t i = 0; i < n; i++)
			((uint64_t *)y)[i * stride] = ((const uint64_t *)d)[i];
		break;
	case 2:
		for (int64_t i = 0; i < n; i++)
			((uint16_t *)y)[i * stride] = ((const uint16_t *)d)[i];
		break;
	default:
		for (int64_t i = 0; i < n; i++)
			((uint8_t *)y)[i * stride] = ((const uint8_t *)d)[i];
	}
}

static inline char *own_register(Machine *m, int r)
{
	return m->memory + (size_t)r * TILE * MAX_SIZE;
}

/* The rows of an operand lie side by side, as those of a register do. */
static bool rows_joined(const Machine *m, int operand)
{
	return m->rows == 1 || m->step[operand] == m->length * m->inner[operand];
}

/* Rows side by side; what all of them have in common stays for the next time. */
static void load_rows(Machine *m, const TileInstr *in, const char *x, int64_t n)
{
	int64_t stride = m->inner[in->operand], step = m->step[in->operand];
	size_t size = size_of(in->dtype), row = (size_t)m->length * size;
	char *to = m->reg[in->dst] = own_register(m, in->dst);
	if (step == 0 && m->filled[in->dst] == x && m->filled_to[in->dst] >= n)
		return;
	for (int64_t r = 0; r < m->rows; r++, to += row, x += step * (int64_t)size)
		if (stride == 1)
			memcpy(to, x, row);
		else
			load_strided(in->dtype, to, x, stride, m->length);
	m->filled[in->dst] = step ? NULL : x;
	m->filled_to[in->dst] = n;
}

static void run_load(Machine *m, const TileInstr *in, int64_t i0, int64_t n)
{
	int64_t stride = m->inner[in->operand];
	size_t size = size_of(in->dtype);
	char *x = m->at[in->operand] + i0 * stride * (int64_t)size;
	if (!rows_joined(m, in->operand)) {
		load_rows(m, in, x, n);
		return;
	}
	if (stride == 1) {
		m->reg[in->dst] = x;
		m->filled[in->dst] = NULL;
		return;
	}
	m->reg[in->dst] = own_register(m, in->dst);
	if (stride == 0 && m->filled[in->dst] == x && m->filled_to[in->dst] >= n)
		return;
	load_strided(in->dtype, m->reg[in->dst], x, stride, stride ? n : TILE);
	m->filled[in->dst] = stride ? NULL : x;
	m->filled_to[in->dst] = TILE;
}

static void run_store(Machine *m, const TileInstr *in, int64_t i0, int64_t n)
{
	int64_t stride = m->inner[in->operand];
	size_t size = size_of(in->dtype);
	char *y = m->at[in->operand] + i0 * stride * (int64_t)size;
	if (!rows_joined(m, in->operand)) {
		const char *from = m->reg[in->a];
		for (int64_t r = 0; r < m->rows; r++, y += m->step[in->operand] * (int64_t)size, from += m->length * (int64_t)size)
			if (stride == 1)
				memcpy(y, from, (size_t)m->length * size);
			else
				store_strided(in->dtype, y, from, stride, m->length);
		return;
	}
	if (m->reg[in->a] == y)
		return;
	if (stride == 1)
		memcpy(y, m->reg[in->a], (size_t)n * size);
	else
		store_strided(in->dtype, y, m->reg[in->a], stride, n);
}

/* An instruction whose result is stored next names the operand in `operand`, counted from 1. */
static void *target(Machine *m, const TileInstr *in, int64_t i0)
{
	if (in->operand) {
		const TileOperand *o = &m->p->operands[in->operand - 1];
		if (m->inner[in->operand - 1] == 1 && rows_joined(m, in->operand - 1))
			return m->at[in->operand - 1] + i0 * (int64_t)size_of(o->dtype);
	}
	m->filled[in->dst] = NULL;
	return own_register(m, in->dst);
}

static void run_row(Machine *m, int64_t length)
{
	const TileProgram *p = m->p;
	for (int64_t i0 = 0; i0 < length; i0 += TILE) {
		int64_t n = min_i64(TILE, length - i0);
		for (int k = 0; k < p->ncode; k++) {
			const TileInstr *in = &p->code[k];
			if (in->op == TILE_LOAD) {
				run_load(m, in, i0, n);
			} else if (in->op == TILE_STORE) {
				run_store(m, in, i0, n);
			} else {
				Args t = { .a = m->reg[in->a], .b = m->reg[in->b], .c = m->reg[in->c], .n = n, .f0 = in->f0, .f1 = in->f1 };
				t.d = m->reg[in->dst] = target(m, in, i0);
				m->fn[k](&t);
			}
		}
	}
}

/* The rows of dim d from the current one on, as many at a time as a tile takes. */
static void run_rows(Machine *m, int64_t count)
{
	char *at[TILE_OPERANDS];
	const TileProgram *p = m->p;
	memcpy(at, m->at, sizeof(at));
	for (int64_t left = count, most = TILE / m->length; left > 0; left -= m->rows) {
		m->rows = min_i64(most, left);
		run_row(m, m->rows * m->length);
		for (int k = 0; k < p->noperands; k++)
			m->at[k] += m->rows * m->step[k] * (int64_t)size_of(p->operands[k].dtype);
	}
	memcpy(m->at, at, sizeof(at));
}

static void machine_init(Machine *m, const TileProgram *p, void *scratch)
{
	m->p = p;
	m->memory = scratch;
	m->rows = 1;
	memset(m->reg, 0, sizeof(m->reg));
	memset(m->filled, 0, sizeof(m->filled));
	for (int i = 0; i < p->ncode; i++)
		m->fn[i] = function_of(&p->code[i]);
}

/* First of the last dims of a box that every operand walks as one line. */
static int row_dim(const TileProgram *p, const int64_t *lo, const int64_t *hi)
{
	int d = p->rank - 1;
	for (; d > 0; d--) {
		if (hi[d] - lo[d] != p->dims[d])
			return d;
		for (int k = 0; k < p->noperands; k++)
			if (p->operands[k].stride[d - 1] != p->operands[k].stride[d] * p->dims[d])
				return d;
	}
	return 0;
}

void K(tile_box)(const TileProgram *p, void *const *ptr, const int64_t *lo, const int64_t *hi, void *scratch)
{
	Machine m;
	int64_t at[TILE_RANK];
	int last = row_dim(p, lo, hi);
	int64_t length = 1;
	machine_init(&m, p, scratch);
	for (int d = last; d < p->rank; d++)
		length *= hi[d] - lo[d];
	for (int d = 0; d < p->rank; d++) {
		if (lo[d] >= hi[d])
			return;
		at[d] = lo[d];
	}
	for (int k = 0; k < p->noperands; k++) {
		const TileOperand *o = &p->operands[k];
		int64_t offset = o->offset;
		for (int d = 0; d < p->rank; d++)
			offset += lo[d] * o->stride[d];
		m.at[k] = (char *)ptr[o->ptr] + offset * (int64_t)size_of(o->dtype);
		m.inner[k] = o->stride[p->rank - 1];
		m.step[k] = last ? o->stride[last - 1] : 0;
	}
	m.length = length;
	bool together = last > 0 && length <= TILE / 2;
	if (together)
		last--; /* of this dim several rows at a time */
	for (;;) {
		if (together)
			run_rows(&m, hi[last] - lo[last]);
		else
			run_row(&m, length);
		int d = last - 1;
		while (d >= 0 && ++at[d] == hi[d])
			at[d--] = 0;
		if (d < 0)
			return;
		/* at[d + 1 ..] went back to the start. */
		for (int e = d + 1; e < last; e++)
			at[e] = lo[e];
		for (int k = 0; k < p->noperands; k++) {
			const TileOperand *o = &p->operands[k];
			int64_t step = o->stride[d];
			for (int e = d + 1; e < last; e++)
				step -= (hi[e] - 1 - lo[e]) * o->stride[e];
			m.at[k] += step * (int64_t)size_of(o->dtype);
		}
	}
}

/* ---- as a step ---- */

#define TASK_NANOSECONDS 20000.0

/* Tasks are ranges of one dim: the outermost that is long enough, else the longest. */
static int split_dim(const TileProgram *p)
{
	int best = 0;
	for (int d = 0; d < p->rank; d++) {
		if (p->dims[d] >= 16)
			return d;
		if (p->dims[d] > p->dims[best])
			best = d;
	}
	return best;
}

static int64_t tile_tasks(const void *param)
{
	const TileProgram *p = param;
	double work = p->cost;
	for (int d = 0; d < p->rank; d++)
		work *= (double)p->dims[d];
	int64_t n = (int64_t)(work / TASK_NANOSECONDS);
	return max_i64(1, min_i64(n, p->dims[split_dim(p)]));
}

static void tile_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const TileProgram *p = param;
	int64_t lo[TILE_RANK] = { 0 }, hi[TILE_RANK], tasks = tile_tasks(param);
	int d = split_dim(p);
	memcpy(hi, p->dims, sizeof(hi));
	lo[d] = p->dims[d] * begin / tasks;
	hi[d] = p->dims[d] * end / tasks;
	K(tile_box)(p, ptr, lo, hi, scratch);
}

static size_t tile_scratch(const void *param)
{
	(void)param;
	return (size_t)TILE_REGS * TILE * MAX_SIZE;
}

const Kernel K(kernel_tile) = { tile_tasks, tile_run, tile_scratch };

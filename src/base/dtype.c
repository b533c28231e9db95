/* Element types: names, ranges, float encodings, block loads and stores, bit packing. */
#include "base.h"

#include <math.h>
#include <string.h>

typedef struct TypeInfo {
	const char *name, *friendly;
	int onnx, bits;
	DTypeClass cls;
} TypeInfo;

static const TypeInfo types[DT_COUNT] = {
#define DTYPE(id, text, code, width, class_) \
	[DT_##id] = {.name = text, .onnx = code, .bits = width, .cls = class_},
#include "dtype.def"
#undef DTYPE
};

static const char *const friendly_names[DT_COUNT] = {
	[DT_NONE] = "none", [DT_BOOL] = "bool", [DT_I2] = "int2", [DT_I4] = "int4", [DT_I8] = "int8",
	[DT_I16] = "int16", [DT_I32] = "int32", [DT_I64] = "int64", [DT_U2] = "uint2", [DT_U4] = "uint4",
	[DT_U8] = "uint8", [DT_U16] = "uint16", [DT_U32] = "uint32", [DT_U64] = "uint64", [DT_F16] = "float16",
	[DT_BF16] = "bfloat16", [DT_F32] = "float32", [DT_F64] = "float64", [DT_F8E4M3FN] = "float8_e4m3fn",
	[DT_F8E4M3FNUZ] = "float8_e4m3fnuz", [DT_F8E5M2] = "float8_e5m2", [DT_F8E5M2FNUZ] = "float8_e5m2fnuz",
	[DT_F8E4M3] = "float8_e4m3", [DT_F8E3M4] = "float8_e3m4", [DT_F8E4M3B11FNUZ] = "float8_e4m3b11fnuz",
	[DT_F8E8M0] = "float8_e8m0fnu", [DT_F4E2M1] = "float4_e2m1fn", [DT_F6E2M3] = "float6_e2m3fn",
	[DT_F6E3M2] = "float6_e3m2fn", [DT_C64] = "complex64", [DT_C128] = "complex128", [DT_STR] = "string"};

static const TypeInfo *info(DType d)
{
	CHECK((unsigned)d < DT_COUNT);
	return &types[d];
}

const char *dtype_name(DType d) { return info(d)->name; }
int dtype_onnx(DType d) { return info(d)->onnx; }
int dtype_bits(DType d) { return info(d)->bits; }
DTypeClass dtype_class(DType d) { return info(d)->cls; }

const char *dtype_friendly_name(DType d)
{
	return friendly_names[d] ? friendly_names[d] : info(d)->name;
}

static bool same_text(const char *name, const char *s, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, s, len);
}

/* Accepts the MLIR spelling, the friendly name, and the short forms that people type. */
bool dtype_parse(const char *s, size_t len, DType *out)
{
	static const struct { const char *name; DType d; } aliases[] = {
		{"u2", DT_U2}, {"u4", DT_U4}, {"u8", DT_U8}, {"u16", DT_U16}, {"u32", DT_U32}, {"u64", DT_U64},
		{"si2", DT_I2}, {"si4", DT_I4}, {"si8", DT_I8}, {"si16", DT_I16}, {"si32", DT_I32}, {"si64", DT_I64},
		{"str", DT_STR}, {"float", DT_F32}, {"double", DT_F64}, {"half", DT_F16}};
	for (int d = DT_NONE + 1; d < DT_COUNT; d++) {
		if (same_text(types[d].name, s, len) || same_text(friendly_names[d], s, len)) {
			*out = (DType)d;
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		if (same_text(aliases[i].name, s, len)) {
			*out = aliases[i].d;
			return true;
		}
	}
	return false;
}

DType dtype_from_onnx(int64_t code)
{
	for (int d = DT_NONE + 1; d < DT_COUNT; d++)
		if (code != 0 && types[d].onnx == code)
			return (DType)d;
	return DT_NONE;
}

size_t dtype_size(DType d)
{
	if (d == DT_STR)
		return sizeof(void *);
	return ((size_t)info(d)->bits + 7) / 8;
}

/* Whole groups of eight elements take `bits` bytes each; the rest is rounded up to bytes. */
bool dtype_packed_bytes(DType d, int64_t n, size_t *out)
{
	if (n < 0)
		return false;
	uint64_t bits = d == DT_STR ? sizeof(void *) * 8 : (uint64_t)info(d)->bits;
	uint64_t whole, total;
	uint64_t rest = ((uint64_t)(n % 8) * bits + 7) / 8;
	if (__builtin_mul_overflow((uint64_t)(n / 8), bits, &whole) || __builtin_add_overflow(whole, rest, &total))
		return false;
	if (total > PTRDIFF_MAX)
		return false;
	*out = (size_t)total;
	return true;
}

int64_t dtype_int_min(DType d)
{
	if (info(d)->cls != DC_INT)
		return 0;
	return types[d].bits == 64 ? INT64_MIN : -(INT64_C(1) << (types[d].bits - 1));
}

uint64_t dtype_int_max(DType d)
{
	switch (info(d)->cls) {
	case DC_BOOL: return 1;
	case DC_INT: return (UINT64_C(1) << (types[d].bits - 1)) - 1;
	case DC_UINT: return UINT64_MAX >> (64 - types[d].bits);
	default: return 0;
	}
}

/* ---- float encodings ---- */

/* How the codes at the top of the range, and zero's sign, are used. */
typedef enum Specials {
	SP_IEEE,   /* all-ones exponent: infinity, NaNs */
	SP_FN,     /* all ones: NaN; no infinity */
	SP_FNUZ,   /* NaN in place of -0; no infinity */
	SP_FINITE, /* neither */
	SP_SCALE   /* exponent only: no sign, no zero, no infinity; all ones: NaN */
} Specials;

typedef struct FloatFormat {
	int exp, man, bias;
	Specials specials;
} FloatFormat;

static const FloatFormat format_f16 = {5, 10, 15, SP_IEEE};
static const FloatFormat format_bf16 = {8, 7, 127, SP_IEEE};

static FloatFormat float_format(DType d)
{
	switch (d) {
	case DT_F16: return format_f16;
	case DT_BF16: return format_bf16;
	case DT_F32: return (FloatFormat){8, 23, 127, SP_IEEE};
	case DT_F8E4M3FN: return (FloatFormat){4, 3, 7, SP_FN};
	case DT_F8E4M3FNUZ: return (FloatFormat){4, 3, 8, SP_FNUZ};
	case DT_F8E5M2: return (FloatFormat){5, 2, 15, SP_IEEE};
	case DT_F8E5M2FNUZ: return (FloatFormat){5, 2, 16, SP_FNUZ};
	case DT_F8E4M3: return (FloatFormat){4, 3, 7, SP_IEEE};
	case DT_F8E3M4: return (FloatFormat){3, 4, 3, SP_IEEE};
	case DT_F8E4M3B11FNUZ: return (FloatFormat){4, 3, 11, SP_FNUZ};
	case DT_F8E8M0: return (FloatFormat){8, 0, 127, SP_SCALE};
	case DT_F4E2M1: return (FloatFormat){2, 1, 1, SP_FINITE};
	case DT_F6E2M3: return (FloatFormat){2, 3, 1, SP_FINITE};
	case DT_F6E3M2: return (FloatFormat){3, 2, 3, SP_FINITE};
	default: BUG("%s is not a float type narrower than 64 bits", dtype_name(d));
	}
}

static uint64_t double_bits(double x)
{
	uint64_t u;
	memcpy(&u, &x, sizeof(u));
	return u;
}

static double bits_double(uint64_t u)
{
	double x;
	memcpy(&x, &u, sizeof(x));
	return x;
}

enum { DOUBLE_MAN = 52, DOUBLE_BIAS = 1023 };
#define DOUBLE_INF UINT64_C(0x7FF0000000000000)
#define DOUBLE_QUIET UINT64_C(0x0008000000000000)
#define DOUBLE_ONE UINT64_C(0x3FF0000000000000)

static inline uint64_t sign_mask(FloatFormat f)
{
	return f.specials == SP_SCALE ? 0 : UINT64_C(1) << (f.exp + f.man);
}

static inline uint64_t max_finite(FloatFormat f)
{
	uint64_t ones = (UINT64_C(1) << (f.exp + f.man)) - 1;
	switch (f.specials) {
	case SP_IEEE: return ones - (UINT64_C(1) << f.man);
	case SP_FN: case SP_SCALE: return ones - 1;
	default: return ones;
	}
}

/* Every narrower format is a subset of double, so a value is built from its fields without rounding. */
static inline double decode(FloatFormat f, uint64_t bits)
{
	uint64_t sign = sign_mask(f);
	uint64_t mag = bits & ((UINT64_C(1) << (f.exp + f.man)) - 1);
	uint64_t top = bits & sign ? UINT64_C(1) << 63 : 0;
	uint64_t man = mag & ((UINT64_C(1) << f.man) - 1);
	uint64_t exp = mag >> f.man;
	if (f.specials == SP_FNUZ && mag == 0)
		return top ? bits_double(DOUBLE_INF | DOUBLE_QUIET) : 0.0;
	if (mag > max_finite(f)) {
		if (f.specials == SP_IEEE && man == 0)
			return bits_double(top | DOUBLE_INF);
		uint64_t payload = f.specials == SP_IEEE ? man << (DOUBLE_MAN - f.man) : 0;
		return bits_double(top | DOUBLE_INF | DOUBLE_QUIET | payload);
	}
	if (exp == 0 && f.specials != SP_SCALE) {
		double quantum = bits_double((uint64_t)(DOUBLE_BIAS + 1 - f.bias - f.man) << DOUBLE_MAN);
		return bits_double(top | double_bits((double)man * quantum));
	}
	return bits_double(top | (exp - (uint64_t)f.bias + DOUBLE_BIAS) << DOUBLE_MAN | man << (DOUBLE_MAN - f.man));
}

/* A NaN keeps its sign and the top of its payload where the format has room, as the hardware conversions do. */
static inline uint64_t encode_nan(FloatFormat f, uint64_t x)
{
	uint64_t ones = (UINT64_C(1) << (f.exp + f.man)) - 1;
	uint64_t sign = x >> 63 ? sign_mask(f) : 0;
	switch (f.specials) {
	case SP_IEEE: {
		uint64_t payload = x >> (DOUBLE_MAN - f.man) & ((UINT64_C(1) << f.man) - 1);
		return sign | (max_finite(f) + 1) | payload | UINT64_C(1) << (f.man - 1);
	}
	case SP_FN: return sign | ones;
	case SP_SCALE: return ones;
	case SP_FNUZ: return sign_mask(f);
	default: return sign_mask(f); /* no NaN: -0, as ONNX's conformance data has it for float4 */
	}
}

static inline uint64_t encode_overflow(FloatFormat f, uint64_t sign, bool saturate)
{
	if (saturate || f.specials == SP_FINITE)
		return sign | max_finite(f);
	if (f.specials == SP_FNUZ)
		return sign_mask(f);
	return sign | (max_finite(f) + 1); /* infinity, or the NaN that stands at its place */
}

/* The rest of encode: specials, zero, subnormals and what is out of range. Cuts the 53-bit significand at the target's
 * quantum, rounding to nearest even once; carries into the exponent field come out by themselves. */
static uint64_t encode_rest(FloatFormat f, uint64_t u, bool saturate)
{
	uint64_t mag = u & ~(UINT64_C(1) << 63);
	uint64_t sign = u >> 63 ? sign_mask(f) : 0;
	if (mag > DOUBLE_INF)
		return encode_nan(f, u);
	if (f.specials == SP_SCALE) {
		if (mag == DOUBLE_INF || (mag && u >> 63))
			return max_finite(f) + 1;
		return mag >= DOUBLE_ONE ? encode_overflow(f, 0, saturate) : 0;
	}
	if (mag >= DOUBLE_ONE)
		return encode_overflow(f, sign, saturate);
	/* what is left is below the smallest normal value, at most 1 in every format */
	int exp = (int)(mag >> DOUBLE_MAN) - DOUBLE_BIAS; /* a double subnormal is far below every format's range */
	int cut = DOUBLE_MAN - f.man + (1 - f.bias - exp);
	uint64_t code = 0;
	if (cut < 63) {
		uint64_t sig = (mag & (DOUBLE_QUIET * 2 - 1)) | DOUBLE_QUIET * 2;
		uint64_t rest = sig & ((UINT64_C(1) << cut) - 1), half = UINT64_C(1) << (cut - 1);
		code = sig >> cut;
		code += rest > half || (rest == half && (code & 1));
	}
	return code == 0 && f.specials == SP_FNUZ ? 0 : sign | code;
}

/* Normal values, without branches on the data: adding half a unit (less one when the kept part is even) to the bits of
 * the double rounds to nearest even, carry included; then the exponent is rebased. A scale has no hidden bit to keep
 * and no even codes: its ties go up. */
static inline uint64_t encode(FloatFormat f, double x, bool saturate)
{
	uint64_t u = double_bits(x);
	uint64_t mag = u & ~(UINT64_C(1) << 63);
	bool scale = f.specials == SP_SCALE;
	int cut = DOUBLE_MAN - f.man;
	uint64_t lowest = (uint64_t)(DOUBLE_BIAS - f.bias + !scale) << DOUBLE_MAN;
	uint64_t base = (uint64_t)(DOUBLE_BIAS - f.bias) << f.man;
	uint64_t half = UINT64_C(1) << (cut - 1);
	uint64_t code = ((mag + half - 1 + (scale ? 1 : mag >> cut & 1)) >> cut) - base;
	bool plain = mag >= lowest && code <= max_finite(f) && !(scale && u >> 63);
	return plain ? code | (u >> 63 ? sign_mask(f) : 0) : encode_rest(f, u, saturate);
}

double dtype_decode_float(DType d, uint64_t bits)
{
	return decode(float_format(d), bits);
}

/* Only the 8-bit kinds saturate; the 16- and 32-bit ones have an infinity and use it. */
uint64_t dtype_encode_float(DType d, double x, bool saturate)
{
	return encode(float_format(d), x, saturate && dtype_bits(d) <= 8);
}

/* ---- blocks ---- */

/* Truncates to an integer modulo 2^64; NaN and infinities give 0. */
static int64_t wrap_big(double x)
{
	uint64_t u = double_bits(x);
	int exp = (int)(u >> DOUBLE_MAN & 0x7FF) - DOUBLE_BIAS - DOUBLE_MAN;
	if (exp < 0 || exp > 63) /* callers only pass |x| >= 2^62 */
		return 0;
	uint64_t mag = ((u & (DOUBLE_QUIET * 2 - 1)) | DOUBLE_QUIET * 2) << exp;
	return (int64_t)(u >> 63 ? 0 - mag : mag);
}

static inline int64_t wrap_double(double x)
{
	return x > -0x1p62 && x < 0x1p62 ? (int64_t)x : wrap_big(x);
}

/* Data may lie unaligned in a mapped file, so elements are moved with memcpy, which compiles to plain vector loads. */
#define LOADER(name, Elem, Out, expr)                                                                                  \
	static void name(const uint8_t *src, int64_t n, Out *dst)                                                      \
	{                                                                                                              \
		for (int64_t i = 0; i < n; i++) {                                                                      \
			Elem v;                                                                                        \
			memcpy(&v, src + (size_t)i * sizeof(v), sizeof(v));                                            \
			dst[i] = (Out)(expr);                                                                          \
		}                                                                                                      \
	}
#define STORER(name, Elem, In, expr)                                                                                   \
	static void name(uint8_t *dst, int64_t n, const In *src)                                                       \
	{                                                                                                              \
		for (int64_t i = 0; i < n; i++) {                                                                      \
			In x = src[i];                                                                                 \
			Elem v = (Elem)(expr);                                                                         \
			memcpy(dst + (size_t)i * sizeof(v), &v, sizeof(v));                                            \
		}                                                                                                      \
	}

typedef struct ComplexF32 { float re, im; } ComplexF32;
typedef struct ComplexF64 { double re, im; } ComplexF64;

static inline double half_value(uint16_t h)
{
	return decode(format_f16, h);
}

static inline double bfloat_value(uint16_t h)
{
	return decode(format_bf16, h);
}

LOADER(load_f32, float, double, v)
LOADER(load_f16, uint16_t, double, half_value(v))
LOADER(load_bf16, uint16_t, double, bfloat_value(v))
LOADER(load_c64, ComplexF32, double, v.re)
LOADER(load_c128, ComplexF64, double, v.re)
LOADER(load_i8_f, int8_t, double, v)
LOADER(load_i16_f, int16_t, double, v)
LOADER(load_i32_f, int32_t, double, v)
LOADER(load_i64_f, int64_t, double, v)
LOADER(load_u8_f, uint8_t, double, v)
LOADER(load_u16_f, uint16_t, double, v)
LOADER(load_u32_f, uint32_t, double, v)
LOADER(load_u64_f, uint64_t, double, v)
LOADER(load_bool_f, uint8_t, double, v != 0)
LOADER(load_i8, int8_t, int64_t, v)
LOADER(load_i16, int16_t, int64_t, v)
LOADER(load_i32, int32_t, int64_t, v)
LOADER(load_u8, uint8_t, int64_t, v)
LOADER(load_u16, uint16_t, int64_t, v)
LOADER(load_u32, uint32_t, int64_t, v)
LOADER(load_bool, uint8_t, int64_t, v != 0)

STORER(store_f32, float, double, x)
STORER(store_f16, uint16_t, double, encode(format_f16, x, false))
STORER(store_bf16, uint16_t, double, encode(format_bf16, x, false))
STORER(store_8_f, uint8_t, double, wrap_double(x))
STORER(store_16_f, uint16_t, double, wrap_double(x))
STORER(store_32_f, uint32_t, double, wrap_double(x))
STORER(store_64_f, uint64_t, double, wrap_double(x))
STORER(store_bool_f, uint8_t, double, x != 0)
STORER(store_8, uint8_t, int64_t, x)
STORER(store_16, uint16_t, int64_t, x)
STORER(store_32, uint32_t, int64_t, x)
STORER(store_bool, uint8_t, int64_t, x != 0)

/* The value of an unpacked sub-byte integer whatever its upper bits hold. */
static inline int64_t narrow_int(DType d, int64_t x)
{
	int spare = 64 - types[d].bits;
	uint64_t top = (uint64_t)x << spare;
	return types[d].cls == DC_INT ? (int64_t)top >> spare : (int64_t)(top >> spare);
}

/* Floats of at most 8 bits: a table of all values once it pays. */
static void load_small_float(DType d, const uint8_t *src, int64_t n, double *dst)
{
	FloatFormat f = float_format(d);
	unsigned codes = 1u << types[d].bits;
	double table[256];
	if (n >= (int64_t)codes) {
		for (unsigned c = 0; c < codes; c++)
			table[c] = decode(f, c);
		for (int64_t i = 0; i < n; i++)
			dst[i] = table[src[i] & (codes - 1)];
		return;
	}
	for (int64_t i = 0; i < n; i++)
		dst[i] = decode(f, src[i] & (codes - 1));
}

/* Complex types: the real part. */
void dtype_load_f64(DType d, const void *src, int64_t n, double *dst)
{
	const uint8_t *p = src;
	switch (d) {
	case DT_F64: if (n) memmove(dst, src, (size_t)n * sizeof(*dst)); return;
	case DT_F32: load_f32(p, n, dst); return;
	case DT_F16: load_f16(p, n, dst); return;
	case DT_BF16: load_bf16(p, n, dst); return;
	case DT_C64: load_c64(p, n, dst); return;
	case DT_C128: load_c128(p, n, dst); return;
	case DT_BOOL: load_bool_f(p, n, dst); return;
	case DT_I8: load_i8_f(p, n, dst); return;
	case DT_I16: load_i16_f(p, n, dst); return;
	case DT_I32: load_i32_f(p, n, dst); return;
	case DT_I64: load_i64_f(p, n, dst); return;
	case DT_U8: load_u8_f(p, n, dst); return;
	case DT_U16: load_u16_f(p, n, dst); return;
	case DT_U32: load_u32_f(p, n, dst); return;
	case DT_U64: load_u64_f(p, n, dst); return;
	case DT_I2: case DT_I4: case DT_U2: case DT_U4:
		for (int64_t i = 0; i < n; i++)
			dst[i] = (double)narrow_int(d, p[i]);
		return;
	case DT_NONE: case DT_STR: case DT_COUNT: BUG("no numbers in elements of type %s", dtype_name(d));
	default: load_small_float(d, p, n, dst); return;
	}
}

/* Complex types: the imaginary part becomes zero. Small floats saturate as ONNX Cast does by default. */
static void store_rest_f64(DType d, uint8_t *p, int64_t n, const double *src)
{
	if (d == DT_C64 || d == DT_C128) {
		for (int64_t i = 0; i < n; i++) {
			ComplexF32 small = {(float)src[i], 0};
			ComplexF64 big = {src[i], 0};
			if (d == DT_C64)
				memcpy(p + (size_t)i * sizeof(small), &small, sizeof(small));
			else
				memcpy(p + (size_t)i * sizeof(big), &big, sizeof(big));
		}
		return;
	}
	FloatFormat f = float_format(d);
	for (int64_t i = 0; i < n; i++)
		p[i] = (uint8_t)encode(f, src[i], true);
}

void dtype_store_f64(DType d, void *dst, int64_t n, const double *src)
{
	uint8_t *p = dst;
	switch (d) {
	case DT_F64: if (n) memmove(dst, src, (size_t)n * sizeof(*src)); return;
	case DT_F32: store_f32(p, n, src); return;
	case DT_F16: store_f16(p, n, src); return;
	case DT_BF16: store_bf16(p, n, src); return;
	case DT_BOOL: store_bool_f(p, n, src); return;
	case DT_I8: case DT_U8: store_8_f(p, n, src); return;
	case DT_I16: case DT_U16: store_16_f(p, n, src); return;
	case DT_I32: case DT_U32: store_32_f(p, n, src); return;
	case DT_I64: case DT_U64: store_64_f(p, n, src); return;
	case DT_I2: case DT_I4: case DT_U2: case DT_U4:
		for (int64_t i = 0; i < n; i++)
			p[i] = (uint8_t)narrow_int(d, wrap_double(src[i]));
		return;
	case DT_NONE: case DT_STR: case DT_COUNT: BUG("no numbers in elements of type %s", dtype_name(d));
	default: store_rest_f64(d, p, n, src); return;
	}
}

/* Runs a conversion that has no integer loop of its own through doubles, a chunk at a time. */
enum { CHUNK = 256 };

static void load_i64_via_f64(DType d, const uint8_t *src, int64_t n, int64_t *dst)
{
	double chunk[CHUNK];
	for (int64_t at = 0; at < n; at += CHUNK) {
		int64_t m = n - at < CHUNK ? n - at : CHUNK;
		dtype_load_f64(d, src + (size_t)at * dtype_size(d), m, chunk);
		for (int64_t i = 0; i < m; i++)
			dst[at + i] = wrap_double(chunk[i]);
	}
}

/* A double that rounds to every narrower type as x does: when x has more than 53 bits, what lies below bit 11 is folded
 * into that bit (rounding to odd). */
static inline double sticky_double(int64_t x)
{
	if (x > -(INT64_C(1) << 53) && x < INT64_C(1) << 53)
		return (double)x;
	uint64_t u = (uint64_t)x, low = u & 0x7FF;
	return (double)(int64_t)((u - low) | (low ? 0x800 : 0));
}

static void store_i64_via_f64(DType d, uint8_t *dst, int64_t n, const int64_t *src)
{
	double chunk[CHUNK];
	bool wide = d == DT_F64 || d == DT_C128;
	for (int64_t at = 0; at < n; at += CHUNK) {
		int64_t m = n - at < CHUNK ? n - at : CHUNK;
		for (int64_t i = 0; i < m; i++)
			chunk[i] = wide ? (double)src[at + i] : sticky_double(src[at + i]);
		dtype_store_f64(d, dst + (size_t)at * dtype_size(d), m, chunk);
	}
}

void dtype_load_i64(DType d, const void *src, int64_t n, int64_t *dst)
{
	const uint8_t *p = src;
	switch (d) {
	case DT_BOOL: load_bool(p, n, dst); return;
	case DT_I8: load_i8(p, n, dst); return;
	case DT_I16: load_i16(p, n, dst); return;
	case DT_I32: load_i32(p, n, dst); return;
	case DT_U8: load_u8(p, n, dst); return;
	case DT_U16: load_u16(p, n, dst); return;
	case DT_U32: load_u32(p, n, dst); return;
	case DT_I64: case DT_U64: if (n) memmove(dst, src, (size_t)n * sizeof(*dst)); return;
	case DT_I2: case DT_I4: case DT_U2: case DT_U4:
		for (int64_t i = 0; i < n; i++)
			dst[i] = narrow_int(d, p[i]);
		return;
	default: load_i64_via_f64(d, p, n, dst); return;
	}
}

void dtype_store_i64(DType d, void *dst, int64_t n, const int64_t *src)
{
	uint8_t *p = dst;
	switch (d) {
	case DT_BOOL: store_bool(p, n, src); return;
	case DT_I8: case DT_U8: store_8(p, n, src); return;
	case DT_I16: case DT_U16: store_16(p, n, src); return;
	case DT_I32: case DT_U32: store_32(p, n, src); return;
	case DT_I64: case DT_U64: if (n) memmove(dst, src, (size_t)n * sizeof(*src)); return;
	case DT_I2: case DT_I4: case DT_U2: case DT_U4:
		for (int64_t i = 0; i < n; i++)
			p[i] = (uint8_t)narrow_int(d, src[i]);
		return;
	default: store_i64_via_f64(d, p, n, src); return;
	}
}

/* ---- packing: element i of a sub-byte type is at bits [i*b, (i+1)*b), low bits of a byte first ---- */

void dtype_unpack(DType d, const void *packed, int64_t n, void *unpacked)
{
	const uint8_t *src = packed;
	uint8_t *dst = unpacked;
	unsigned bits = (unsigned)info(d)->bits, mask = (1u << (bits & 7)) - 1;
	if (bits >= 8 || d == DT_STR) {
		if (n)
			memcpy(unpacked, packed, (size_t)n * dtype_size(d));
		return;
	}
	bool is_int = dtype_is_integer(d);
	for (int64_t i = 0; i < n; i++) {
		size_t at = (size_t)i / 8 * bits + (size_t)i % 8 * bits / 8;
		unsigned shift = (unsigned)(i % 8) * bits % 8;
		unsigned word = src[at];
		if (shift + bits > 8)
			word |= (unsigned)src[at + 1] << 8;
		unsigned code = word >> shift & mask;
		dst[i] = is_int ? (uint8_t)narrow_int(d, code) : (uint8_t)code;
	}
}

/* Whole output bytes are written, the unused bits of the last one as zeros. */
void dtype_pack(DType d, const void *unpacked, int64_t n, void *packed)
{
	const uint8_t *src = unpacked;
	uint8_t *dst = packed;
	unsigned bits = (unsigned)info(d)->bits, mask = (1u << (bits & 7)) - 1;
	if (bits >= 8 || d == DT_STR) {
		if (n)
			memcpy(packed, unpacked, (size_t)n * dtype_size(d));
		return;
	}
	unsigned pending = 0, have = 0;
	for (int64_t i = 0; i < n; i++) {
		pending |= (src[i] & mask) << have;
		have += bits;
		if (have >= 8) {
			*dst++ = (uint8_t)pending;
			pending >>= 8;
			have -= 8;
		}
	}
	if (have)
		*dst = (uint8_t)pending;
}

/* Unit tests of the element types of src/base. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/base.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool small_float(DType d)
{
	return dtype_class(d) == DC_FLOAT && dtype_bits(d) <= 16;
}

static void test_dtype_names(void **state)
{
	(void)state;
	DType d;
	for (int i = DT_NONE + 1; i < DT_COUNT; i++) {
		const char *name = dtype_name((DType)i), *friendly = dtype_friendly_name((DType)i);
		assert_true(dtype_parse(name, strlen(name), &d) && d == (DType)i);
		assert_true(dtype_parse(friendly, strlen(friendly), &d) && d == (DType)i);
		if (dtype_onnx((DType)i))
			assert_int_equal(dtype_from_onnx(dtype_onnx((DType)i)), i);
	}
	assert_int_equal(dtype_from_onnx(0), DT_NONE);
	assert_int_equal(dtype_from_onnx(-1), DT_NONE);
	assert_false(dtype_parse("f33", 3, &d));
}

static void test_dtype_ranges(void **state)
{
	(void)state;
	assert_true(dtype_int_min(DT_I4) == -8 && dtype_int_max(DT_I4) == 7);
	assert_true(dtype_int_min(DT_I64) == INT64_MIN && dtype_int_max(DT_I64) == INT64_MAX);
	assert_true(dtype_int_min(DT_U64) == 0 && dtype_int_max(DT_U64) == UINT64_MAX);
	assert_true(dtype_int_min(DT_I32) == INT32_MIN && dtype_int_max(DT_U2) == 3);
	size_t bytes;
	assert_true(dtype_packed_bytes(DT_U4, 5, &bytes) && bytes == 3);
	assert_true(dtype_packed_bytes(DT_F6E2M3, 5, &bytes) && bytes == 4);
	assert_true(dtype_packed_bytes(DT_I2, 0, &bytes) && bytes == 0);
	assert_true(dtype_packed_bytes(DT_C128, 3, &bytes) && bytes == 48);
	assert_true(dtype_packed_bytes(DT_I2, INT64_MAX, &bytes) && bytes == (size_t)INT64_MAX / 4 + 1);
	assert_false(dtype_packed_bytes(DT_F32, INT64_MAX, &bytes));
	assert_false(dtype_packed_bytes(DT_F32, -1, &bytes));
}

/* Every code decodes to a double that encodes to the same code. NaN codes may only gain the quiet bit. */
static void test_float_codes_round_trip(void **state)
{
	(void)state;
	for (int i = 0; i < DT_COUNT; i++) {
		DType d = (DType)i;
		if (!small_float(d))
			continue;
		for (uint64_t code = 0; code < UINT64_C(1) << dtype_bits(d); code++) {
			double x = dtype_decode_float(d, code);
			uint64_t back = dtype_encode_float(d, x, false);
			if (isnan(x))
				assert_true(isnan(dtype_decode_float(d, back)));
			else if (isfinite(x))
				assert_int_equal(dtype_encode_float(d, x, true), code);
			if (!isnan(x))
				assert_int_equal(back, code);
		}
	}
}

/* Between neighbouring codes: just below the middle rounds down, just above up, the middle to the even code. Holds for
 * all formats whose codes ascend with the value. */
static void test_float_rounding(void **state)
{
	(void)state;
	for (int i = 0; i < DT_COUNT; i++) {
		DType d = (DType)i;
		if (!small_float(d) || d == DT_F8E8M0)
			continue;
		uint64_t sign = UINT64_C(1) << (dtype_bits(d) - 1);
		for (uint64_t code = 0; code + 1 < sign; code++) {
			double low = dtype_decode_float(d, code), high = dtype_decode_float(d, code + 1);
			if (!isfinite(low) || !isfinite(high))
				break;
			double middle = low + (high - low) / 2;
			assert_int_equal(dtype_encode_float(d, middle, true), code + (code & 1));
			assert_int_equal(dtype_encode_float(d, nextafter(middle, low), true), code);
			assert_int_equal(dtype_encode_float(d, nextafter(middle, high), true), code + 1);
			uint64_t minus = dtype_encode_float(d, -nextafter(middle, high), true);
			assert_int_equal(minus, sign | (code + 1));
		}
	}
}

static void test_float_specials(void **state)
{
	(void)state;
	const double inf = (double)INFINITY, nan = (double)NAN;
	static const struct { DType d; uint64_t max, nan, overflow, minus_zero; double largest; } cases[] = {
		{DT_F16, 0x7BFF, 0x7E00, 0x7C00, 0x8000, 65504},
		{DT_BF16, 0x7F7F, 0x7FC0, 0x7F80, 0x8000, 0x1.FEp127},
		{DT_F8E4M3FN, 0x7E, 0x7F, 0x7F, 0x80, 448},
		{DT_F8E4M3FNUZ, 0x7F, 0x80, 0x80, 0, 240},
		{DT_F8E5M2, 0x7B, 0x7E, 0x7C, 0x80, 57344},
		{DT_F8E5M2FNUZ, 0x7F, 0x80, 0x80, 0, 57344},
		{DT_F8E4M3, 0x77, 0x7C, 0x78, 0x80, 240},
		{DT_F8E3M4, 0x6F, 0x78, 0x70, 0x80, 15.5},
		{DT_F8E4M3B11FNUZ, 0x7F, 0x80, 0x80, 0, 30},
		{DT_F8E8M0, 0xFE, 0xFF, 0xFF, 0, 0x1p127},
		{DT_F4E2M1, 7, 8, 7, 8, 6},
		{DT_F6E2M3, 0x1F, 0x20, 0x1F, 0x20, 7.5},
		{DT_F6E3M2, 0x1F, 0x20, 0x1F, 0x20, 28}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		DType d = cases[i].d;
		bool wide = dtype_bits(d) > 8;
		assert_true(dtype_decode_float(d, cases[i].max) == cases[i].largest);
		assert_int_equal(dtype_encode_float(d, cases[i].largest, false), cases[i].max);
		assert_int_equal(dtype_encode_float(d, nan, true), cases[i].nan);
		assert_int_equal(dtype_encode_float(d, cases[i].largest * 4, false), cases[i].overflow);
		assert_int_equal(dtype_encode_float(d, inf, false), cases[i].overflow);
		assert_int_equal(dtype_encode_float(d, cases[i].largest * 4, true), wide ? cases[i].overflow : cases[i].max);
		assert_int_equal(dtype_encode_float(d, DBL_MAX, true), wide ? cases[i].overflow : cases[i].max);
		assert_int_equal(dtype_encode_float(d, -0.0, true), cases[i].minus_zero);
		assert_int_equal(dtype_encode_float(d, 5e-324, true), 0);
	}
	assert_int_equal(dtype_encode_float(DT_F8E4M3FN, 464, false), 0x7E); /* a tie goes to the even code */
	assert_int_equal(dtype_encode_float(DT_F8E4M3FN, 465, false), 0x7F);
	assert_int_equal(dtype_encode_float(DT_F8E4M3FN, -inf, true), 0xFE);
	assert_int_equal(dtype_encode_float(DT_F8E4M3FNUZ, -1e-9, true), 0);
	assert_int_equal(dtype_encode_float(DT_F8E8M0, -1, true), 0xFF);
	assert_int_equal(dtype_encode_float(DT_F8E8M0, 1, true), 127);
	assert_int_equal(dtype_encode_float(DT_F8E8M0, 1.5, true), 128);
	assert_int_equal(dtype_encode_float(DT_F8E8M0, 1.49, true), 127);
	assert_int_equal(dtype_encode_float(DT_F32, 1 + 0x1p-24, true), 0x3F800000);
	assert_int_equal(dtype_encode_float(DT_F32, 1 + 0x1p-24 + 0x1p-50, true), 0x3F800001);
	/* once from the double, not through float: the float would land on the tie */
	assert_int_equal(dtype_encode_float(DT_F16, 1 + 0x1p-11 + 0x1p-40, false), 0x3C01);
}

static void test_f32_encoding_matches_machine(void **state)
{
	(void)state;
	Rng rng = {11};
	for (int i = 0; i < 100000; i++) {
		double x = ldexp(rng_unit(&rng) - 0.5, (int)rng_below(&rng, 300) - 160);
		float f = (float)x;
		uint32_t bits;
		memcpy(&bits, &f, sizeof(bits));
		assert_int_equal(dtype_encode_float(DT_F32, x, true), bits);
		assert_true(dtype_decode_float(DT_F32, bits) == (double)f);
	}
}

/* Block conversions agree with the single ones, on unaligned data too. */
static void test_float_blocks(void **state)
{
	(void)state;
	enum { N = 65536 };
	uint8_t *raw = mem_alloc(N * 2 + 1), *again = mem_alloc(N * 2 + 1);
	double *values = mem_alloc(N * sizeof(double));
	for (int i = 0; i < DT_COUNT; i++) {
		DType d = (DType)i;
		if (!small_float(d))
			continue;
		int n = 1 << dtype_bits(d);
		for (int c = 0; c < n; c++) {
			if (dtype_size(d) == 2)
				memcpy(raw + 1 + c * 2, &(uint16_t){(uint16_t)c}, 2);
			else
				raw[1 + c] = (uint8_t)c;
		}
		dtype_load_f64(d, raw + 1, n, values);
		for (int c = 0; c < n; c++) {
			double x = dtype_decode_float(d, (uint64_t)c);
			assert_true(memcmp(&x, &values[c], sizeof(x)) == 0);
		}
		dtype_store_f64(d, again + 1, n, values);
		for (int c = 0; c < n; c++) {
			uint16_t got = again[1 + c];
			if (dtype_size(d) == 2)
				memcpy(&got, again + 1 + c * 2, 2);
			assert_int_equal(got, dtype_encode_float(d, values[c], true));
		}
	}
	mem_free(raw);
	mem_free(again);
	mem_free(values);
}

static void test_int_blocks(void **state)
{
	(void)state;
	static const int64_t in[] = {0, 1, -1, 7, 8, 127, 128, 255, 256, -129, INT32_MIN, INT64_C(5000000000), INT64_MIN, INT64_MAX};
	enum { N = ARRAY_LEN(in) };
	for (int i = 0; i < DT_COUNT; i++) {
		DType d = (DType)i;
		uint8_t raw[N * 8];
		int64_t out[N];
		double real[N];
		if (!dtype_is_integer(d))
			continue;
		dtype_store_i64(d, raw, N, in);
		dtype_load_i64(d, raw, N, out);
		dtype_load_f64(d, raw, N, real);
		for (int k = 0; k < N; k++) {
			int bits = dtype_bits(d);
			uint64_t mask = UINT64_MAX >> (64 - bits);
			uint64_t want = (uint64_t)in[k] & mask;
			if (dtype_class(d) == DC_INT && want >> (bits - 1))
				want |= ~mask;
			assert_int_equal(out[k], (int64_t)want);
			assert_true(real[k] == (dtype_class(d) == DC_INT ? (double)out[k] : (double)(uint64_t)out[k]));
			if (bits < 64)
				assert_true(out[k] >= dtype_int_min(d) && out[k] <= (int64_t)dtype_int_max(d));
		}
	}
}

static void test_double_to_int_wraps(void **state)
{
	(void)state;
	const double in[] = {-1.9, 300.7, 0x1p63, 0x1p64, 0x1.8p64 + 4096, -0x1p63, (double)NAN, (double)INFINITY, 0x1p70};
	int64_t i64[9];
	uint64_t u64[9];
	uint8_t u8[9];
	bool b[9];
	dtype_store_f64(DT_I64, i64, 9, in);
	dtype_store_f64(DT_U64, u64, 9, in);
	dtype_store_f64(DT_U8, u8, 9, in);
	dtype_store_f64(DT_BOOL, b, 9, in);
	assert_true(i64[0] == -1 && i64[1] == 300 && i64[2] == INT64_MIN && i64[3] == 0 && i64[5] == INT64_MIN);
	assert_true(i64[6] == 0 && i64[7] == 0 && i64[8] == 0);
	assert_true(u64[2] == UINT64_C(1) << 63 && u64[4] == (UINT64_C(1) << 63) + 4096);
	assert_true(u8[0] == 255 && u8[1] == 44 && u8[3] == 0);
	assert_true(b[0] && b[6] && b[7]);
}

static void test_int_to_float_rounds_once(void **state)
{
	(void)state;
	Rng rng = {5};
	for (int i = 0; i < 100000; i++) {
		int64_t x = (int64_t)(rng_u64(&rng) >> rng_below(&rng, 40));
		if (i & 1) /* near a tie of float */
			x = (x & ~INT64_C(0xFFFFFFFFF)) | INT64_C(0x800000000) >> (i % 8) | (i & 2);
		float got, want = (float)x;
		dtype_store_i64(DT_F32, &got, 1, &x);
		assert_true(got == want);
	}
}

static void test_packing(void **state)
{
	(void)state;
	Rng rng = {6};
	for (int i = 0; i < DT_COUNT; i++) {
		DType d = (DType)i;
		if (dtype_bits(d) >= 8 || dtype_bits(d) == 0)
			continue;
		for (int64_t n = 0; n < 40; n++) {
			uint8_t in[40], out[40];
			size_t bytes;
			assert_true(dtype_packed_bytes(d, n, &bytes));
			uint8_t *packed = mem_alloc(bytes);
			for (int64_t k = 0; k < n; k++)
				in[k] = (uint8_t)rng_u64(&rng);
			dtype_pack(d, in, n, packed);
			dtype_unpack(d, packed, n, out);
			for (int64_t k = 0; k < n; k++) {
				int8_t want = (int8_t)(in[k] << (8 - dtype_bits(d)));
				uint8_t value = dtype_class(d) == DC_INT ? (uint8_t)(want >> (8 - dtype_bits(d)))
				                                         : (uint8_t)((uint8_t)want >> (8 - dtype_bits(d)));
				assert_int_equal(out[k], value);
			}
			mem_free(packed);
		}
	}
	uint8_t packed[1];
	dtype_pack(DT_U4, (uint8_t[]){0x1, 0xA}, 2, packed);
	assert_int_equal(packed[0], 0xA1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dtype_names),
		cmocka_unit_test(test_dtype_ranges),
		cmocka_unit_test(test_float_codes_round_trip),
		cmocka_unit_test(test_float_rounding),
		cmocka_unit_test(test_float_specials),
		cmocka_unit_test(test_f32_encoding_matches_machine),
		cmocka_unit_test(test_float_blocks),
		cmocka_unit_test(test_int_blocks),
		cmocka_unit_test(test_double_to_int_wraps),
		cmocka_unit_test(test_int_to_float_rounds_once),
		cmocka_unit_test(test_packing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

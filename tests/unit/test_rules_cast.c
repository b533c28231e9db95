/* Rules for casts and quantisation. */
#include "build.h"

static void expect(Build *b, Value *y, const char *kinds)
{
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

static void chains(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_cast, "to=f32", x)), "neg");
	b = build_new(13); /* there and back through a wider type */
	b->oracle_tolerance = 1e-3; /* the double oracle does not round inputs to float16, casts do */
	x = b_input(b, DT_F16, "n,3");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_cast, "to=f16", B_OP(b, OP_cast, "to=f32", x))), "neg");
	b = build_new(13); /* through a narrower type */
	x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_cast, "to=f32", B_OP(b, OP_cast, "to=f16", x))), "cast cast neg");
	b = build_new(13);
	x = b_input(b, DT_U8, "n,3");
	expect(b, B_OP(b, OP_cast, "to=f32", B_OP(b, OP_cast, "to=i32", x)), "cast");
	b = build_new(13); /* -1 as an unsigned number is another one */
	x = b_input(b, DT_I8, "n,3");
	expect(b, B_OP(b, OP_cast, "to=f32", B_OP(b, OP_cast, "to=u32", x)), "cast cast");
	b = build_new(13); /* not every i64 is a float32 */
	x = b_input(b, DT_I64, "n,3");
	expect(b, B_OP(b, OP_cast, "to=i64", B_OP(b, OP_cast, "to=f32", x)), "cast cast");
	b = build_new(13); /* truth */
	x = b_input(b, DT_BOOL, "n,3");
	expect(b, B_OP(b, OP_not, "", B_OP(b, OP_cast, "to=bool", B_OP(b, OP_cast, "to=f32", x))), "not");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_cast, "to=f32", B_OP(b, OP_cast, "to=bool", x)), "cast cast");
}

static void moved(void **state)
{
	(void)state;
	Build *b = build_new(13);
	b->oracle_tolerance = 1e-3;
	Value *x = b_input(b, DT_F16, "n,3");
	Value *y = B_OP(b, OP_transpose, "", B_OP(b, OP_cast, "to=f32", x));
	expect(b, B_OP(b, OP_cast, "to=f16", y), "transpose");
	b = build_new(13);
	x = b_input(b, DT_F64, "n,3");
	y = B_OP(b, OP_transpose, "", B_OP(b, OP_cast, "to=f32", x));
	expect(b, B_OP(b, OP_cast, "to=f64", y), "cast transpose cast");
}

static void compares(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_I32, "n,3"), *y = b_input(b, DT_I32, "n,3");
	expect(b, B_OP(b, OP_lt, "", B_OP(b, OP_cast, "to=i64", x), B_OP(b, OP_cast, "to=i64", y)), "lt");
	b = build_new(13);
	x = b_input(b, DT_I64, "n,3"), y = b_input(b, DT_I64, "n,3");
	expect(b, B_OP(b, OP_lt, "", B_OP(b, OP_cast, "to=f32", x), B_OP(b, OP_cast, "to=f32", y)), "cast cast lt");
	b = build_new(13);
	x = b_input(b, DT_BOOL, "n,3");
	expect(b, B_OP(b, OP_eq, "", B_OP(b, OP_cast, "to=i64", x), b_fill(b, DT_I64, "", 0)), "not");
	b = build_new(13);
	x = b_input(b, DT_BOOL, "n,3");
	expect(b, B_OP(b, OP_not, "", B_OP(b, OP_gt, "", B_OP(b, OP_cast, "to=f32", x), b_fill(b, DT_F32, "", 0))), "not");
	b = build_new(13);
	x = b_input(b, DT_BOOL, "n,3");
	expect(b, B_OP(b, OP_eq, "", B_OP(b, OP_cast, "to=i64", x), b_fill(b, DT_I64, "", 2)), "cast eq");
}

static Value *requantized(Build *b, DType d, double other_scale)
{
	Value *x = b_input(b, d, "n,3"), *scale = b_fill(b, DT_F32, "", 0.1), *zero = b_fill(b, d, "", 3);
	Value *f = B_OP(b, OP_dequantize, "", x, scale, zero);
	Value *q = B_OP(b, OP_quantize, "", f, b_fill(b, DT_F32, "", other_scale), zero);
	return B_OP(b, OP_dequantize, "", q, scale, zero);
}

static void quantisation(void **state)
{
	(void)state;
	Build *b = build_new(13);
	expect(b, requantized(b, DT_U8, 0.1), "dequantize");
	b = build_new(13);
	expect(b, requantized(b, DT_I8, 0.1), "dequantize");
	b = build_new(13);
	expect(b, requantized(b, DT_U8, 0.2), "dequantize quantize dequantize");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains), cmocka_unit_test(moved), cmocka_unit_test(compares), cmocka_unit_test(quantisation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

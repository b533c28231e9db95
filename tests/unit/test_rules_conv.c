/* Convolutions and pools: maps before them, pads, biases. */
#include "build.h"

#include <math.h>

static void finish(Build *b, Value *y, const char *kinds)
{
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

static void batch_norm_before_conv(void **state)
{
	(void)state;
	static const struct { const char *x, *c, *w, *attrs; int bias; } cases[] = {
		{ "2,3,7,6", "3", "4,3,3,3", "", 0 },
		{ "2,3,7,6", "3", "4,3,3,3", "strides=2,2", 4 },
		{ "2,4,5,5", "4", "6,2,3,3", "groups=2", 6 },
		{ "2,4,5,5", "4", "8,1,3,3", "groups=4", 0 },
		{ "n,3,9", "3", "5,3,1", "", 5 },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Build *b = build_new(13);
		Value *x = b_batch_norm(b, b_input(b, DT_F32, cases[i].x), cases[i].c);
		char dims[8] = { (char)('0' + cases[i].bias) };
		Value *bias = cases[i].bias ? b_random(b, DT_F32, dims) : NULL;
		finish(b, B_OP(b, OP_conv, cases[i].attrs, x, b_random(b, DT_F32, cases[i].w), bias), "conv");
	}
	Build *b = build_new(13); /* padding is zero after the batch norm: only the scale moves */
	Value *x = b_batch_norm(b, b_input(b, DT_F32, "1,3,5,5"), "3");
	finish(b, B_OP(b, OP_conv, "pads=1,1,1,1", x, b_random(b, DT_F32, "4,3,3,3")), "add conv");

	b = build_new(13); /* with its result used elsewhere nothing would be saved */
	x = b_batch_norm(b, b_input(b, DT_F32, "1,3,5,5"), "3");
	b_output(b, x);
	finish(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,3,3")), "batch_norm conv");

	b = build_new(13); /* unless all users take it */
	x = b_batch_norm(b, b_input(b, DT_F32, "1,3,5,5"), "3");
	b_output(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,3,3")));
	finish(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "2,3,1,1")), "conv conv");

	b = build_new(13); /* one of them pads */
	x = b_batch_norm(b, b_input(b, DT_F32, "1,3,5,5"), "3");
	b_output(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,3,3")));
	finish(b, B_OP(b, OP_conv, "pads=1,1,1,1", x, b_random(b, DT_F32, "2,3,3,3")), "batch_norm conv conv");
}

static void scale_before_conv(void **state)
{
	(void)state;
	Build *b = build_new(13); /* a scale keeps zeros zero, padded or not */
	Value *x = B_OP(b, OP_div, "", b_input(b, DT_F32, "1,3,5,5"), b_positive(b, DT_F32, "3,1,1"));
	finish(b, B_OP(b, OP_conv, "pads=1,1,1,1", x, b_random(b, DT_F32, "4,3,3,3")), "conv");

	b = build_new(13); /* mean and deviation of a preprocessing step */
	x = B_OP(b, OP_sub, "", b_input(b, DT_F32, "n,3,5,5"), b_random(b, DT_F32, "1,3,1,1"));
	x = B_OP(b, OP_div, "", x, b_positive(b, DT_F32, "1,3,1,1"));
	finish(b, B_OP(b, OP_conv, "pads=1,1,1,1", x, b_random(b, DT_F32, "4,3,3,3")), "sub conv");

	b = build_new(13); /* through a positive activation and a pool */
	x = B_OP(b, OP_mul, "", b_input(b, DT_F32, "1,3,6,6"), b_positive(b, DT_F32, "3,1,1"));
	x = B_OP(b, OP_max_pool, "kernel=2,2 strides=2,2", B_OP(b, OP_relu, "", x));
	finish(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,1,1")), "relu max_pool conv");

	b = build_new(13); /* a negative scale does not pass */
	x = B_OP(b, OP_mul, "", b_input(b, DT_F32, "1,3,6,6"), b_fill(b, DT_F32, "3,1,1", -1.5));
	finish(b, B_OP(b, OP_conv, "", B_OP(b, OP_relu, "", x), b_random(b, DT_F32, "4,3,1,1")), "mul relu conv");

	b = build_new(13); /* along the width, which happens to be as wide as there are channels */
	x = B_OP(b, OP_mul, "", b_input(b, DT_F32, "1,3,3,3"), b_positive(b, DT_F32, "3"));
	finish(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,1,1")), "mul conv");

	b = build_new(13); /* a one-channel input that the factor broadcasts */
	x = B_OP(b, OP_mul, "", b_input(b, DT_F32, "1,1,3,3"), b_positive(b, DT_F32, "3,1,1"));
	finish(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,1,1")), "mul conv");

	b = build_new(13); /* an unknown channel count may broadcast too */
	x = B_OP(b, OP_mul, "", b_input(b, DT_F32, "1,c,3,3"), b_positive(b, DT_F32, "1,1,1"));
	finish(b, B_OP(b, OP_conv_transpose, "", x, b_random(b, DT_F32, "2,3,1,1")), "conv_transpose");
}

static void map_before_conv_transpose(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = B_OP(b, OP_mul, "", b_input(b, DT_F32, "1,4,5,5"), b_positive(b, DT_F32, "4,1,1"));
	finish(b, B_OP(b, OP_conv_transpose, "groups=2 strides=2,2", x, b_random(b, DT_F32, "4,3,3,3")), "conv_transpose");

	b = build_new(13);
	x = b_batch_norm(b, b_input(b, DT_F32, "1,4,5,5"), "4");
	finish(b, B_OP(b, OP_conv_transpose, "strides=2,2", x, b_random(b, DT_F32, "4,3,3,3")), "add conv_transpose");
}

static Value *pad(Build *b, Value *x, Value *amounts, double fill)
{
	return B_OP(b, OP_pad, "", x, amounts, b_fill(b, x->type->dtype, "", fill));
}

static void pad_before_conv(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = pad(b, b_input(b, DT_F32, "1,3,5,5"), B_INTS(b, 0, 0, 1, 2, 0, 0, 0, 1), 0);
	b_output(b, B_OP(b, OP_conv, "pads=1,0,1,0", x, b_random(b, DT_F32, "4,3,3,3")));
	b_expect(b, "conv");
	const int64_t *pads;
	assert_int_equal(op_attr_ints(b_find(b, OP_conv), A_pads, &pads), 4);
	assert_true(pads[0] == 2 && pads[1] == 2 && pads[2] == 1 && pads[3] == 1);
	build_free(b);

	static const struct { double fill; int64_t amounts[8]; const char *attrs; } stays[] = {
		{ 1, { 0, 0, 1, 1, 0, 0, 1, 1 }, "" },
		{ 0, { 0, 0, -1, 1, 0, 0, 1, 1 }, "" },
		{ 0, { 0, 1, 1, 1, 0, 0, 1, 1 }, "" },
		{ 0, { 0, 0, 1, 1, 0, 0, 1, 1 }, "mode=edge" },
		{ 0, { 0, 0, 1, 1, 0, 0, 1, 1 }, "mode=reflect" },
	};
	for (size_t i = 0; i < ARRAY_LEN(stays); i++) {
		b = build_new(13);
		x = b_input(b, DT_F32, stays[i].amounts[1] ? "1,2,5,5" : "1,3,5,5");
		x = B_OP(b, OP_pad, stays[i].attrs, x, b_ints(b, 8, stays[i].amounts), b_fill(b, DT_F32, "", stays[i].fill));
		finish(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,3,3")), "pad conv");
	}
	b = build_new(18); /* named axes, one negative */
	x = B_OP(b, OP_pad, "axes=-1", b_input(b, DT_F32, "1,3,5,5"), B_INTS(b, 2, 1));
	finish(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,3,3")), "conv");
}

static void pad_before_pool(void **state)
{
	(void)state;
	const double inf = (double)INFINITY;
	Build *b = build_new(13);
	Value *x = pad(b, b_input(b, DT_F32, "1,2,5,5"), B_INTS(b, 0, 0, 1, 1, 0, 0, 1, 1), -inf);
	finish(b, B_OP(b, OP_max_pool, "kernel=3,3", x), "max_pool");

	b = build_new(13); /* zero may be the maximum */
	x = pad(b, b_input(b, DT_F32, "1,2,5,5"), B_INTS(b, 0, 0, 1, 1, 0, 0, 1, 1), 0);
	finish(b, B_OP(b, OP_max_pool, "kernel=3,3", x), "pad max_pool");

	b = build_new(13); /* but not above values that are never negative */
	x = pad(b, B_OP(b, OP_relu, "", b_input(b, DT_F32, "1,2,5,5")), B_INTS(b, 0, 0, 1, 1, 0, 0, 1, 1), 0);
	finish(b, B_OP(b, OP_max_pool, "kernel=3,3", x), "relu max_pool");

	b = build_new(13); /* windows inside the padding */
	x = pad(b, b_input(b, DT_F32, "1,2,5,5"), B_INTS(b, 0, 0, 3, 3, 0, 0, 3, 3), -inf);
	finish(b, B_OP(b, OP_max_pool, "kernel=3,3", x), "pad max_pool");

	b = build_new(13);
	x = pad(b, b_input(b, DT_F32, "1,2,5,5"), B_INTS(b, 0, 0, 1, 1, 0, 0, 1, 1), 0);
	finish(b, B_OP(b, OP_avg_pool, "kernel=3,3 strides=2,2", x), "avg_pool");

	b = build_new(13); /* own padding that does not count */
	x = pad(b, b_input(b, DT_F32, "1,2,5,5"), B_INTS(b, 0, 0, 1, 1, 0, 0, 1, 1), 0);
	finish(b, B_OP(b, OP_avg_pool, "kernel=4,4 pads=1,1,1,1", x), "pad avg_pool");

	b = build_new(13);
	x = pad(b, b_input(b, DT_F32, "1,2,5,5"), B_INTS(b, 0, 0, 1, 1, 0, 0, 1, 1), 0);
	finish(b, B_OP(b, OP_avg_pool, "kernel=4,4 pads=1,1,1,1 count_include_pad=1", x), "avg_pool");
}

static void biases(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "1,3,5,5");
	b_output(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,3,3"), b_fill(b, DT_F32, "4", 0)));
	b_expect(b, "conv");
	assert_null(op_operand(b_find(b, OP_conv), 2));
	build_free(b);

	b = build_new(13);
	x = b_input(b, DT_F32, "1,3,5,5");
	b_output(b, B_OP(b, OP_conv, "", x, b_random(b, DT_F32, "4,3,3,3"), b_fill(b, DT_F32, "4", 1e-30)));
	b_expect(b, "conv");
	assert_non_null(op_operand(b_find(b, OP_conv), 2));
	build_free(b);

	b = build_new(13); /* a bias for a weight that is not constant */
	x = B_OP(b, OP_conv, "", b_input(b, DT_F32, "1,3,5,5"), b_input(b, DT_F32, "4,3,3,3"));
	finish(b, B_OP(b, OP_add, "", x, b_random(b, DT_F32, "4,1,1")), "conv");

	b = build_new(13); /* along the width of four, not the four channels */
	x = B_OP(b, OP_conv, "", b_input(b, DT_F32, "1,3,4,4"), b_random(b, DT_F32, "4,3,1,1"));
	finish(b, B_OP(b, OP_add, "", x, b_random(b, DT_F32, "4")), "conv add");
}

static void auto_pad(void **state)
{
	(void)state;
	static const struct { OpKind kind; const char *x, *attrs; } cases[] = {
		{ OP_conv, "1,3,7,8", "auto_pad=same_upper strides=2,2" },
		{ OP_conv, "1,3,8,8", "auto_pad=same_lower strides=2,3 dilations=2,1" },
		{ OP_max_pool, "1,3,8,7", "auto_pad=same_upper kernel=3,2 strides=2,2" },
		{ OP_avg_pool, "1,3,8,7", "auto_pad=same_lower kernel=3,2 strides=2,2" },
		{ OP_avg_pool, "1,3,8,7", "auto_pad=same_upper kernel=3,2 strides=4,2 count_include_pad=1" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Build *b = build_new(13);
		Value *x = b_input(b, DT_F32, cases[i].x);
		Value *in[] = { x, cases[i].kind == OP_conv ? b_random(b, DT_F32, "4,3,3,3") : NULL };
		b_output(b, b_op(b, cases[i].kind, cases[i].attrs, in[1] ? 2 : 1, in));
		b_optimise(b);
		assert_null(op_attr(b_find(b, cases[i].kind), A_auto_pad));
		build_free(b);
	}
	Build *b = build_new(13); /* a size that is not known yet keeps it */
	b_output(b, B_OP(b, OP_conv, "auto_pad=same_upper strides=2,2", b_input(b, DT_F32, "1,3,h,8"),
			b_random(b, DT_F32, "4,3,3,3")));
	b_optimise(b);
	assert_non_null(op_attr(b_find(b, OP_conv), A_auto_pad));
	build_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batch_norm_before_conv), cmocka_unit_test(scale_before_conv),
		cmocka_unit_test(map_before_conv_transpose), cmocka_unit_test(pad_before_conv),
				cmocka_unit_test(pad_before_pool),
		cmocka_unit_test(biases), cmocka_unit_test(auto_pad),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Batch norms, scales and shifts: what they are folded into, and when they must stay. */
#include "build.h"

static Value *conv(Build *b, Value *x, const char *weight, const char *attrs)
{
	return B_OP(b, OP_conv, attrs, x, b_random(b, x->type->dtype, weight));
}

static void finish(Build *b, Value *y, const char *kinds)
{
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

/* ---- into weights above ---- */

static void batch_norm_after_conv(void **state)
{
	(void)state;
	static const struct { const char *x, *w, *attrs, *channels; } cases[] = {
		{ "2,3,7,6", "4,3,3,3", "pads=1,1,1,1", "4" },
		{ "2,4,5,5", "6,2,3,3", "groups=2 strides=2,2", "6" },
		{ "2,4,5,5", "4,1,3,3", "groups=4 pads=1,1,1,1", "4" },
		{ "n,3,9", "5,3,3", "", "5" },
		{ "1,2,4,4,4", "3,2,2,2,2", "", "3" },
		{ "1,1,4,4", "1,1,1,1", "", "1" },
		{ "n,3,?,?", "4,3,3,3", "auto_pad=same_upper", "4" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (int bias = 0; bias < 2; bias++) {
			Build *b = build_new(13);
			Value *x = b_input(b, DT_F32, cases[i].x), *w = b_random(b, DT_F32, cases[i].w);
			Value *y = B_OP(b, OP_conv, cases[i].attrs, x, w, bias ? b_random(b, DT_F32, cases[i].channels) : NULL);
			finish(b, b_batch_norm(b, y, cases[i].channels), "conv");
		}
	}
}

static void batch_norm_after_other_types(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *y = conv(b, b_input(b, DT_F64, "1,3,5,5"), "4,3,3,3", "");
	finish(b, b_batch_norm(b, y, "4"), "conv");

	b = build_new(13);
	b->native_tolerance = 2e-2;
	y = conv(b, b_input(b, DT_F16, "1,3,5,5"), "4,3,3,3", "");
	finish(b, b_batch_norm(b, y, "4"), "conv");

	/* parameters of a wider type than the data would round twice */
	b = build_new(15);
	b->native_tolerance = 2e-2;
	y = conv(b, b_input(b, DT_F16, "1,3,5,5"), "4,3,3,3", "");
	y = B_OP(b, OP_batch_norm, "", y, b_positive(b, DT_F32, "4"), b_random(b, DT_F32, "4"), b_random(b, DT_F32, "4"),
			b_positive(b, DT_F32, "4"));
	finish(b, y, "conv batch_norm");
}

static void batch_norm_after_conv_transpose(void **state)
{
	(void)state;
	static const struct { const char *x, *w, *attrs, *channels; } cases[] = {
		{ "2,3,4,4", "3,4,3,3", "strides=2,2", "4" },
		{ "2,4,4,4", "4,3,3,3", "groups=2 strides=2,2 pads=1,1,1,1", "6" },
		{ "2,4,4,4", "4,1,2,2", "groups=4", "4" },
		{ "1,2,5", "2,3,4", "strides=3 output_padding=1", "3" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (int bias = 0; bias < 2; bias++) {
			Build *b = build_new(13);
			Value *x = b_input(b, DT_F32, cases[i].x), *w = b_random(b, DT_F32, cases[i].w);
			Value *y = B_OP(b, OP_conv_transpose, cases[i].attrs, x, w,
					bias ? b_random(b, DT_F32, cases[i].channels) : NULL);
			finish(b, b_batch_norm(b, y, cases[i].channels), "conv_transpose");
		}
	}
}

static void batch_norm_after_gemm(void **state)
{
	(void)state;
	static const struct { const char *a, *w, *attrs, *bias; } cases[] = {
		{ "5,3", "3,4", "", "4" },
		{ "5,3", "4,3", "trans_b=1", NULL },
		{ "3,5", "4,3", "trans_a=1 trans_b=1 alpha=0.5 beta=2", "4" },
		{ "5,3", "3,4", "beta=3", "1,4" },
		{ "5,3", "3,4", "beta=0", "4" },
		{ "5,3", "3,4", "", "1" },
		{ "5,3", "3,4", "", "5,4" },
		{ "5,3", "3,4", "", "" },
		{ "n,3", "3,4", "alpha=2", "4" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Build *b = build_new(13);
		Value *x = b_input(b, DT_F32, cases[i].a), *w = b_random(b, DT_F32, cases[i].w);
		Value *y = B_OP(b, OP_gemm, cases[i].attrs, x, w, cases[i].bias ? b_random(b, DT_F32, cases[i].bias) : NULL);
		finish(b, b_batch_norm(b, y, "4"), "gemm");
	}
	/* a bias along the rows cannot take a scale along the columns without growing */
	Build *b = build_new(13);
	Value *y = B_OP(b, OP_gemm, "", b_input(b, DT_F32, "5,3"), b_random(b, DT_F32, "3,4"), b_random(b, DT_F32, "5,1"));
	finish(b, b_batch_norm(b, y, "4"), "gemm batch_norm");
}

static void batch_norm_after_matmul(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *y = B_OP(b, OP_matmul, "", b_input(b, DT_F32, "n,3"), b_random(b, DT_F32, "3,4"));
	finish(b, b_batch_norm(b, y, "4"), "gemm");

	b = build_new(13); /* the constant on the left: rows are not channels */
	y = B_OP(b, OP_matmul, "", b_random(b, DT_F32, "5,3"), b_input(b, DT_F32, "3,4"));
	finish(b, b_batch_norm(b, y, "4"), "matmul batch_norm");

	b = build_new(13); /* [n, 5, c] -> [n, c, 5]: no room for a shift in a product of rank 3 */
	y = B_OP(b, OP_matmul, "", b_input(b, DT_F32, "n,5,3"), b_random(b, DT_F32, "3,4"));
	y = B_OP(b, OP_transpose, "perm=0,2,1", y);
	finish(b, b_batch_norm(b, y, "4"), "matmul transpose add");

	b = build_new(13); /* [n*5, c]: through a reshape that merges rows */
	y = B_OP(b, OP_matmul, "", b_input(b, DT_F32, "n,5,3"), b_random(b, DT_F32, "3,4"));
	y = B_OP(b, OP_add, "", y, b_random(b, DT_F32, "4"));
	y = B_OP(b, OP_reshape, "", y, B_INTS(b, -1, 4));
	b_output(b, b_batch_norm(b, y, "4"));
	b_optimise(b);
	assert_null(b_find(b, OP_batch_norm));
	build_free(b);
}

static void batch_norm_parameters_must_be_constant(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *s = b_input(b, DT_F32, "4"), *y = conv(b, b_input(b, DT_F32, "1,3,5,5"), "4,3,3,3", "");
	y = B_OP(b, OP_batch_norm, "", y, s, b_random(b, DT_F32, "4"), b_random(b, DT_F32, "4"),
			b_positive(b, DT_F32, "4"));
	finish(b, y, "conv batch_norm");

	b = build_new(13); /* and so must the weight */
	y = B_OP(b, OP_conv, "", b_input(b, DT_F32, "1,3,5,5"), b_input(b, DT_F32, "4,3,3,3"));
	finish(b, b_batch_norm(b, y, "4"), "conv batch_norm");

	b = build_new(13); /* and the bias */
	y = B_OP(b, OP_conv, "", b_input(b, DT_F32, "1,3,5,5"), b_random(b, DT_F32, "4,3,3,3"), b_input(b, DT_F32, "4"));
	finish(b, b_batch_norm(b, y, "4"), "conv batch_norm");
}

static void result_used_elsewhere(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *y = conv(b, b_input(b, DT_F32, "1,3,5,5"), "4,3,3,3", "");
	b_output(b, y); /* an output */
	finish(b, b_batch_norm(b, y, "4"), "conv batch_norm");

	b = build_new(13);
	y = conv(b, b_input(b, DT_F32, "1,3,5,5"), "4,3,3,3", "");
	Value *z = b_batch_norm(b, y, "4");
	finish(b, B_OP(b, OP_mul, "", z, B_OP(b, OP_sigmoid, "", y)), "conv batch_norm sigmoid mul");
}

static void shared_weight(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *w = b_random(b, DT_F32, "4,3,3,3");
	for (int i = 0; i < 2; i++)
		b_output(b, b_batch_norm(b, B_OP(b, OP_conv, "", b_input(b, DT_F32, "1,3,5,5"), w), "4"));
	b_expect(b, "conv conv");
	build_free(b);

	b = build_new(13); /* big and shared with one that keeps it: a copy would double it */
	w = b_random(b, DT_F32, "600,500,1,1");
	Value *x = b_input(b, DT_F32, "1,500,1,1"), *y = B_OP(b, OP_conv, "", x, w);
	b_output(b, b_batch_norm(b, y, "600"));
	b_output(b, B_OP(b, OP_conv, "", B_OP(b, OP_relu, "", x), w));
	b_expect(b, "conv batch_norm relu conv");
	build_free(b);
}

static void chain_of_batch_norms(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *y = conv(b, b_input(b, DT_F32, "1,3,5,5"), "4,3,3,3", "");
	finish(b, b_batch_norm(b, b_batch_norm(b, y, "4"), "4"), "conv");

	b = build_new(13);
	y = b_batch_norm(b, b_batch_norm(b, b_input(b, DT_F32, "1,3,5,5"), "3"), "3");
	finish(b, y, "batch_norm");

	b = build_new(13); /* alone it stays one op */
	finish(b, b_batch_norm(b, b_input(b, DT_F32, "1,3,5,5"), "3"), "batch_norm");
}

/* ---- decomposed ---- */

static void decomposed_batch_norm(void **state)
{
	(void)state;
	Build *b = build_new(13);
	b->oracle_tolerance = 1e-6; /* the model's own constants are folded as they would run: rounded at every step */
	Value *y = conv(b, b_input(b, DT_F32, "2,3,5,5"), "4,3,3,3", "pads=1,1,1,1");
	Value *inv = B_OP(b, OP_rsqrt, "", B_OP(b, OP_add, "", b_positive(b, DT_F32, "4,1,1"), b_fill(b, DT_F32, "", 0.5)));
	y = B_OP(b, OP_sub, "", y, b_random(b, DT_F32, "1,4,1,1"));
	y = B_OP(b, OP_mul, "", B_OP(b, OP_mul, "", inv, b_random(b, DT_F32, "4,1,1")), y);
	finish(b, B_OP(b, OP_add, "", y, b_random(b, DT_F32, "4,1,1")), "conv");

	b = build_new(13);
	b->oracle_tolerance = 1e-6;
	y = conv(b, b_input(b, DT_F32, "2,3,5,5"), "4,3,3,3", "");
	y = B_OP(b, OP_div, "", y, B_OP(b, OP_sqrt, "", b_positive(b, DT_F32, "4,1,1")));
	y = B_OP(b, OP_sub, "", b_random(b, DT_F32, "4,1,1"), y);
	finish(b, B_OP(b, OP_neg, "", y), "conv");
}

static void scale_forms(void **state)
{
	(void)state;
	static const char *const folds[] = { "", "1", "1,1,1", "1,1,1,1", "4,1,1", "1,4,1,1" };
	static const char *const stays[] = { "4", "4,1", "2,1,1,1", "1,1,4,1", "2,4,4,4", "4,4" };
	static const OpKind kinds[] = { OP_mul, OP_add, OP_sub, OP_div };
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		for (size_t i = 0; i < ARRAY_LEN(folds); i++) {
			Build *b = build_new(13);
			Value *y = conv(b, b_input(b, DT_F32, "2,3,4,4"), "4,3,1,1", "");
			finish(b, B_OP(b, kinds[k], "", y, b_positive(b, DT_F32, folds[i])), "conv");
		}
		/* sizes that are equal by chance must not count as channels */
		for (size_t i = 0; i < ARRAY_LEN(stays); i++) {
			Build *b = build_new(13);
			Value *y = conv(b, b_input(b, DT_F32, "2,3,4,4"), "4,3,1,1", "");
			b_output(b, B_OP(b, kinds[k], "", y, b_positive(b, DT_F32, stays[i])));
			b_optimise(b);
			assert_int_equal(b->module->main->body->last->operands[0].value->def->def->kind, kinds[k]);
			build_free(b);
		}
	}
}

static void scale_that_enlarges(void **state)
{
	(void)state;
	Build *b = build_new(13); /* one channel, broadcast to four */
	Value *y = conv(b, b_input(b, DT_F32, "2,3,4,4"), "1,3,1,1", "");
	finish(b, B_OP(b, OP_mul, "", y, b_random(b, DT_F32, "4,1,1")), "conv mul");

	b = build_new(13); /* a rank more */
	y = conv(b, b_input(b, DT_F32, "2,3,4,4"), "4,3,1,1", "");
	finish(b, B_OP(b, OP_mul, "", y, b_random(b, DT_F32, "1,1,4,1,1")), "conv mul");

	b = build_new(13); /* all of one value, but bigger */
	y = conv(b, b_input(b, DT_F32, "1,3,4,4"), "4,3,1,1", "");
	finish(b, B_OP(b, OP_mul, "", y, b_fill(b, DT_F32, "2,4,4,4", 3)), "conv mul");

	b = build_new(13); /* full shape, one value a channel: by what is in it */
	y = conv(b, b_input(b, DT_F32, "1,3,2,2"), "2,3,1,1", "");
	double v[] = { 1, 1, 1, 1, 2, 2, 2, 2 };
	finish(b, B_OP(b, OP_mul, "", y, b_floats(b, DT_F32, "1,2,2,2", v)), "conv");
}

static void constant_operand_of_matmul(void **state)
{
	(void)state;
	Build *b = build_new(13); /* add(matmul(const, x), b): operands keep their order */
	Value *y = B_OP(b, OP_matmul, "", b_random(b, DT_F32, "4,4"), b_input(b, DT_F32, "4,4"));
	b_output(b, B_OP(b, OP_add, "", y, b_random(b, DT_F32, "4")));
	b_expect(b, "gemm");
	assert_true(value_is_constant(op_operand(b_find(b, OP_gemm), 0)));
	build_free(b);

	b = build_new(13); /* rows of a constant left operand take a scale of rows */
	y = B_OP(b, OP_matmul, "", b_random(b, DT_F32, "5,3"), b_input(b, DT_F32, "3,4"));
	finish(b, B_OP(b, OP_mul, "", y, b_random(b, DT_F32, "5,1")), "matmul");

	b = build_new(13); /* a number for all reaches the weight through everything */
	y = B_OP(b, OP_matmul, "", b_input(b, DT_F32, "2,6,8"), b_random(b, DT_F32, "8,8"));
	y = B_OP(b, OP_add, "", y, b_random(b, DT_F32, "8"));
	y = B_OP(b, OP_reshape, "", y, B_INTS(b, 2, 6, 2, 4));
	y = B_OP(b, OP_transpose, "perm=0,2,1,3", y);
	y = B_OP(b, OP_matmul, "", y, b_input(b, DT_F32, "2,2,4,5"));
	finish(b, B_OP(b, OP_div, "", y, b_fill(b, DT_F32, "", 2.5)), "matmul add reshape transpose matmul");
}

/* ---- through other ops ---- */

static void through_activations(void **state)
{
	(void)state;
	static const OpKind kinds[] = { OP_relu, OP_leaky_relu, OP_abs };
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		Build *b = build_new(13);
		Value *y = B_OP(b, kinds[k], "", conv(b, b_input(b, DT_F32, "1,3,4,4"), "4,3,1,1", ""));
		b_output(b, B_OP(b, OP_mul, "", y, b_positive(b, DT_F32, "4,1,1")));
		b_optimise(b);
		assert_null(b_find(b, OP_mul));
		build_free(b);
	}
	Build *b = build_new(13); /* negative: relu(s*x) is not s*relu(x) */
	Value *y = B_OP(b, OP_relu, "", conv(b, b_input(b, DT_F32, "1,3,4,4"), "4,3,1,1", ""));
	finish(b, B_OP(b, OP_mul, "", y, b_fill(b, DT_F32, "4,1,1", -1.5)), "conv relu mul");

	b = build_new(13); /* a shift does not pass */
	y = B_OP(b, OP_relu, "", conv(b, b_input(b, DT_F32, "1,3,4,4"), "4,3,1,1", ""));
	finish(b, b_batch_norm(b, y, "4"), "conv relu add"); /* but the scale does */
}

static void through_concat(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "1,3,4,4"), *p = conv(b, x, "2,3,1,1", ""), *q = conv(b, x, "3,3,1,1", "");
	Value *y = B_OP(b, OP_concat, "axis=1", p, b_random(b, DT_F32, "1,1,4,4"), q);
	b_output(b, b_batch_norm(b, y, "6"));
	b_optimise(b);
	assert_null(b_find(b, OP_batch_norm));
	build_free(b);

	b = build_new(13); /* all parts or none */
	x = b_input(b, DT_F32, "1,3,4,4");
	y = B_OP(b, OP_concat, "axis=1", conv(b, x, "2,3,1,1", ""), x);
	finish(b, b_batch_norm(b, y, "5"), "conv concat batch_norm");

	b = build_new(13); /* along another axis every part gets the whole map */
	x = b_input(b, DT_F32, "1,3,4,4");
	y = B_OP(b, OP_concat, "axis=-1", conv(b, x, "2,3,1,1", ""), conv(b, x, "2,3,1,1", ""));
	finish(b, b_batch_norm(b, y, "2"), "conv conv concat");
}

static void through_pools(void **state)
{
	(void)state;
	static const struct { OpKind kind; const char *attrs; bool folds; } cases[] = {
		{ OP_max_pool, "kernel=2,2 strides=2,2", true },
		{ OP_max_pool, "kernel=3,3 pads=1,1,1,1", true },
		{ OP_avg_pool, "kernel=2,2 strides=2,2", true },
		{ OP_avg_pool, "kernel=3,3 pads=1,1,1,1", true },
		{ OP_avg_pool, "kernel=3,3 pads=1,1,1,1 count_include_pad=1", false },
		{ OP_global_avg_pool, "", true },
		{ OP_global_max_pool, "", true },
		{ OP_reduce, "kind=mean axes=2,3", true },
		{ OP_reduce, "kind=max axes=2,3", true },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Build *b = build_new(13);
		Value *y = B_OP(b, cases[i].kind, cases[i].attrs, conv(b, b_input(b, DT_F32, "1,3,6,6"), "4,3,1,1", ""));
		b_output(b, b_batch_norm(b, y, "4"));
		b_optimise(b);
		assert_true((b_find(b, OP_batch_norm) == NULL) == (cases[i].folds || cases[i].kind == OP_avg_pool));
		assert_true((b_find(b, OP_add) == NULL) == cases[i].folds);
		build_free(b);
	}
	Build *b = build_new(13); /* a negative scale turns maxima into minima */
	Value *y = B_OP(b, OP_global_max_pool, "", conv(b, b_input(b, DT_F32, "1,3,6,6"), "4,3,1,1", ""));
	finish(b, B_OP(b, OP_neg, "", y), "conv global_max_pool neg");

	b = build_new(13); /* a sum over n elements would count a shift n times */
	y = B_OP(b, OP_reduce, "kind=sum axes=2,3", conv(b, b_input(b, DT_F32, "1,3,6,6"), "4,3,1,1", ""));
	finish(b, B_OP(b, OP_add, "", y, b_random(b, DT_F32, "4,1,1")), "conv reduce add");
}

static void through_movement(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *y = conv(b, b_input(b, DT_F32, "1,3,4,4"), "8,3,1,1", "");
	y = B_OP(b, OP_depth_to_space, "blocksize=2", y);
	finish(b, b_batch_norm(b, y, "2"), "conv depth_to_space");

	b = build_new(13);
	y = conv(b, b_input(b, DT_F32, "1,3,4,4"), "8,3,1,1", "");
	y = B_OP(b, OP_depth_to_space, "blocksize=2 mode=CRD", y);
	finish(b, b_batch_norm(b, y, "2"), "conv depth_to_space");

	b = build_new(13);
	y = conv(b, b_input(b, DT_F32, "1,3,4,4"), "4,3,1,1", "");
	y = B_OP(b, OP_pad, "", y, B_INTS(b, 0, 0, 1, 1, 0, 0, 1, 1));
	finish(b, B_OP(b, OP_mul, "", y, b_random(b, DT_F32, "4,1,1")), "conv pad");

	b = build_new(13); /* the padded zeros would have to become shifts */
	y = conv(b, b_input(b, DT_F32, "1,3,4,4"), "4,3,1,1", "");
	y = B_OP(b, OP_pad, "", y, B_INTS(b, 0, 0, 1, 1, 0, 0, 1, 1));
	finish(b, B_OP(b, OP_add, "", y, b_random(b, DT_F32, "4,1,1")), "conv pad add");

	b = build_new(13); /* [1,6,4,4] -> [1,2,3,16]: channels of the result repeat */
	y = conv(b, b_input(b, DT_F32, "1,3,4,4"), "6,3,1,1", "");
	y = B_OP(b, OP_reshape, "", y, B_INTS(b, 1, 2, 3, 16));
	finish(b, b_batch_norm(b, y, "2"), "conv reshape");

	b = build_new(13); /* [1,4,4,4] -> [1,16,4]: an axis of the result mixes channels and rows */
	y = conv(b, b_input(b, DT_F32, "1,3,4,4"), "4,3,1,1", "");
	y = B_OP(b, OP_reshape, "", y, B_INTS(b, 1, 16, 4));
	finish(b, b_batch_norm(b, y, "16"), "conv reshape batch_norm");

	b = build_new(13);
	y = conv(b, b_input(b, DT_F32, "1,3,4,4"), "4,3,1,1", "");
	y = B_OP(b, OP_resize, "mode=linear", y, NULL, b_floats(b, DT_F32, "4", (double[]){ 1, 1, 2, 2 }));
	finish(b, b_batch_norm(b, y, "4"), "conv resize");
}

static void through_sums(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "1,3,4,4");
	Value *y = B_OP(b, OP_add, "", conv(b, x, "4,3,1,1", ""), conv(b, x, "4,3,1,1", ""));
	finish(b, b_batch_norm(b, y, "4"), "conv conv add");

	b = build_new(13);
	x = b_input(b, DT_F32, "1,3,4,4");
	y = B_OP(b, OP_sub, "", conv(b, x, "4,3,1,1", ""), conv(b, x, "4,3,1,1", ""));
	finish(b, b_batch_norm(b, y, "4"), "conv conv sub");

	b = build_new(13); /* the other summand cannot take a scale */
	x = b_input(b, DT_F32, "1,4,4,4");
	y = B_OP(b, OP_add, "", conv(b, x, "4,4,1,1", ""), x);
	finish(b, b_batch_norm(b, y, "4"), "conv add batch_norm");

	b = build_new(13); /* but a shift needs only one */
	x = b_input(b, DT_F32, "1,4,4,4");
	y = B_OP(b, OP_add, "", x, conv(b, x, "4,4,1,1", ""));
	finish(b, B_OP(b, OP_add, "", y, b_random(b, DT_F32, "4,1,1")), "conv add");
}

static void into_other_norms(void **state)
{
	(void)state;
	Build *b = build_new(17);
	Value *y = B_OP(b, OP_layer_norm, "", b_input(b, DT_F32, "2,3,8"), b_random(b, DT_F32, "8"));
	y = B_OP(b, OP_mul, "", y, b_random(b, DT_F32, "8"));
	finish(b, B_OP(b, OP_add, "", y, b_random(b, DT_F32, "8")), "layer_norm");

	b = build_new(17); /* along an axis that is not normalised */
	y = B_OP(b, OP_layer_norm, "", b_input(b, DT_F32, "2,8,8"), b_random(b, DT_F32, "8"));
	finish(b, B_OP(b, OP_mul, "", y, b_random(b, DT_F32, "8,1")), "layer_norm mul");

	b = build_new(17);
	y = B_OP(b, OP_instance_norm, "", b_input(b, DT_F32, "2,3,8"), b_random(b, DT_F32, "3"), b_random(b, DT_F32, "3"));
	finish(b, B_OP(b, OP_mul, "", y, b_random(b, DT_F32, "3,1")), "instance_norm");
}

/* ---- merging ---- */

static void merging(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "2,3,4,4");
	Value *y = B_OP(b, OP_mul, "", B_OP(b, OP_mul, "", x, b_random(b, DT_F32, "3,1,1")), b_random(b, DT_F32, ""));
	finish(b, B_OP(b, OP_div, "", y, b_positive(b, DT_F32, "1")), "mul");

	b = build_new(13); /* full-shape constants */
	x = b_input(b, DT_F32, "2,3");
	y = B_OP(b, OP_add, "", B_OP(b, OP_add, "", x, b_random(b, DT_F32, "2,3")), b_random(b, DT_F32, "2,3"));
	finish(b, y, "add");

	b = build_new(13); /* a row and a column would become a matrix */
	x = b_input(b, DT_F32, "8,8");
	y = B_OP(b, OP_mul, "", B_OP(b, OP_mul, "", x, b_random(b, DT_F32, "8,1")), b_random(b, DT_F32, "8"));
	finish(b, y, "mul mul");

	b = build_new(13);
	x = b_input(b, DT_I64, "n,3");
	y = B_OP(b, OP_mul, "", B_OP(b, OP_mul, "", x, b_random(b, DT_I64, "3")), b_random(b, DT_I64, "3"));
	finish(b, B_OP(b, OP_add, "", B_OP(b, OP_add, "", y, b_random(b, DT_I64, "3")), b_random(b, DT_I64, "1")),
			"mul add");

	b = build_new(13); /* integer division does not merge */
	x = b_input(b, DT_I64, "n,3");
	y = B_OP(b, OP_mul, "", B_OP(b, OP_div, "", x, b_fill(b, DT_I64, "3", 2)), b_fill(b, DT_I64, "3", 2));
	finish(b, y, "div mul");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batch_norm_after_conv), cmocka_unit_test(batch_norm_after_other_types),
		cmocka_unit_test(batch_norm_after_conv_transpose), cmocka_unit_test(batch_norm_after_gemm),
		cmocka_unit_test(batch_norm_after_matmul), cmocka_unit_test(batch_norm_parameters_must_be_constant),
		cmocka_unit_test(result_used_elsewhere), cmocka_unit_test(shared_weight),
				cmocka_unit_test(chain_of_batch_norms),
		cmocka_unit_test(decomposed_batch_norm), cmocka_unit_test(scale_forms), cmocka_unit_test(scale_that_enlarges),
		cmocka_unit_test(constant_operand_of_matmul), cmocka_unit_test(through_activations),
				cmocka_unit_test(through_concat),
		cmocka_unit_test(through_pools), cmocka_unit_test(through_movement), cmocka_unit_test(through_sums),
		cmocka_unit_test(into_other_norms), cmocka_unit_test(merging),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

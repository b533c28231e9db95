/* Matrix products: maps before them, biases, transposes, reshapes around them, plain einsums. */
#include "build.h"

#include <string.h>

static void finish(Build *b, Value *y, const char *kinds)
{
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

static void batch_norm_before_product(void **state)
{
	(void)state;
	static const struct { const char *w, *attrs, *bias; } gemms[] = {
		{ "3,4", "", NULL }, { "3,4", "alpha=0.5 beta=2", "4" }, { "4,3", "trans_b=1", "1,4" },
		{ "4,3", "trans_b=1 alpha=3", "" },
	};
	for (size_t i = 0; i < ARRAY_LEN(gemms); i++) {
		Build *b = build_new(13);
		Value *x = b_batch_norm(b, b_input(b, DT_F32, "5,3"), "3");
		finish(b, B_OP(b, OP_gemm, gemms[i].attrs, x, b_random(b, DT_F32, gemms[i].w),
				gemms[i].bias ? b_random(b, DT_F32, gemms[i].bias) : NULL), "gemm");
	}
	Build *b = build_new(13);
	Value *x = b_batch_norm(b, b_input(b, DT_F32, "5,3"), "3");
	finish(b, B_OP(b, OP_matmul, "", x, b_random(b, DT_F32, "3,4")), "gemm");

	b = build_new(13); /* a transposed operand: channels are summed with trans_a, rows here */
	x = b_batch_norm(b, b_input(b, DT_F32, "5,3"), "3");
	finish(b, B_OP(b, OP_gemm, "trans_a=1", x, b_random(b, DT_F32, "5,4")), "batch_norm gemm");

	b = build_new(13); /* a bias that is no constant has no room for the shift */
	x = b_batch_norm(b, b_input(b, DT_F32, "5,3"), "3");
	finish(b, B_OP(b, OP_gemm, "", x, b_random(b, DT_F32, "3,4"), b_input(b, DT_F32, "4")), "add gemm");

	b = build_new(13); /* flattened: channels repeat over rows and columns */
	x = b_batch_norm(b, b_input(b, DT_F32, "2,3,2,2"), "3");
	x = B_OP(b, OP_flatten, "", x);
	finish(b, B_OP(b, OP_gemm, "", x, b_random(b, DT_F32, "12,4"), b_random(b, DT_F32, "4")), "flatten gemm");

	b = build_new(13); /* global pool, then reshape with an unknown batch */
	x = b_batch_norm(b, b_input(b, DT_F32, "n,3,4,4"), "3");
	x = B_OP(b, OP_reshape, "", B_OP(b, OP_global_avg_pool, "", x), B_INTS(b, -1, 3));
	b_output(b, B_OP(b, OP_matmul, "", x, b_random(b, DT_F32, "3,4")));
	b_optimise(b);
	assert_null(b_find(b, OP_batch_norm));
	assert_non_null(b_find(b, OP_gemm));
	build_free(b);
}

static void scales_around_products(void **state)
{
	(void)state;
	Build *b = build_new(13); /* along the summed axis */
	Value *x = B_OP(b, OP_mul, "", b_input(b, DT_F32, "2,5,3"), b_random(b, DT_F32, "3"));
	finish(b, B_OP(b, OP_matmul, "", x, b_random(b, DT_F32, "3,4")), "matmul");

	b = build_new(13); /* along the rows of the right operand */
	x = B_OP(b, OP_mul, "", b_input(b, DT_F32, "3,4"), b_random(b, DT_F32, "3,1"));
	finish(b, B_OP(b, OP_matmul, "", b_random(b, DT_F32, "5,3"), x), "matmul");

	b = build_new(13); /* along the kept axis it could not go into the constant */
	x = B_OP(b, OP_mul, "", b_input(b, DT_F32, "5,3"), b_random(b, DT_F32, "5,1"));
	finish(b, B_OP(b, OP_matmul, "", x, b_random(b, DT_F32, "3,4")), "mul matmul");

	b = build_new(13); /* a shift of rank 3 would need an add of its own */
	x = B_OP(b, OP_add, "", b_input(b, DT_F32, "2,5,3"), b_random(b, DT_F32, "3"));
	finish(b, B_OP(b, OP_matmul, "", x, b_random(b, DT_F32, "3,4")), "add matmul");

	b = build_new(13); /* two inputs: nothing to fold into */
	x = B_OP(b, OP_matmul, "", b_input(b, DT_F32, "5,3"), b_input(b, DT_F32, "3,4"));
	finish(b, B_OP(b, OP_mul, "", x, b_fill(b, DT_F32, "", 3)), "matmul mul");

	b = build_new(13); /* integers wrap, but their products are left as they are */
	x = B_OP(b, OP_matmul, "", b_input(b, DT_I32, "5,3"), b_random(b, DT_I32, "3,4"));
	finish(b, B_OP(b, OP_mul, "", x, b_random(b, DT_I32, "")), "matmul mul");
}

static void product_and_bias(void **state)
{
	(void)state;
	static const struct { const char *a, *w, *c; bool fuses; } cases[] = {
		{ "5,3", "3,4", "4", true }, { "5,3", "3,4", "1,4", true }, { "5,3", "3,4", "5,1", true },
		{ "5,3", "3,4", "5,4", true },
		{ "4,3", "3,4", "4", true }, { "n,3", "3,4", "4", true }, { "1,3", "3,4", "5,4", false },
		{ "5,3", "3,1", "4", false },
		{ "5,3", "3,4", "2,5,4", false }, { "2,5,3", "3,4", "4", false },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (int swap = 0; swap < 2; swap++) {
			Build *b = build_new(13);
			Value *y = B_OP(b, OP_matmul, "", b_input(b, DT_F32, cases[i].a), b_input(b, DT_F32, cases[i].w));
			Value *c = b_input(b, DT_F32, cases[i].c);
			b_output(b, swap ? B_OP(b, OP_add, "", c, y) : B_OP(b, OP_add, "", y, c));
			b_expect(b, cases[i].fuses ? "gemm" : "matmul add");
			build_free(b);
		}
	}
	Build *b = build_new(13); /* x + x@w with a square weight: the summand is no bias of the same product */
	Value *x = b_input(b, DT_F32, "4,4"), *y = B_OP(b, OP_matmul, "", x, b_random(b, DT_F32, "4,4"));
	finish(b, B_OP(b, OP_add, "", y, y), "matmul add");

	b = build_new(13);
	y = B_OP(b, OP_gemm, "alpha=2 trans_b=1", b_input(b, DT_F32, "5,3"), b_input(b, DT_F32, "4,3"));
	finish(b, B_OP(b, OP_add, "", b_input(b, DT_F32, "5,4"), y), "gemm");

	b = build_new(13); /* one bias is there already */
	y = B_OP(b, OP_gemm, "", b_input(b, DT_F32, "5,3"), b_input(b, DT_F32, "3,4"), b_input(b, DT_F32, "4"));
	finish(b, B_OP(b, OP_add, "", y, b_input(b, DT_F32, "5,4")), "gemm add");

	b = build_new(13);
	x = b_input(b, DT_I32, "5,3");
	y = B_OP(b, OP_matmul, "", x, b_random(b, DT_I32, "3,4"));
	finish(b, B_OP(b, OP_add, "", y, b_random(b, DT_I32, "4")), "matmul add");
}

static void gemm_factors(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *y = B_OP(b, OP_gemm, "alpha=0.5 beta=2", b_input(b, DT_F32, "5,3"), b_random(b, DT_F32, "3,4"),
			b_random(b, DT_F32, "4"));
	b_output(b, y);
	b_expect(b, "gemm");
	assert_true(op_float(b_find(b, OP_gemm), A_alpha) == 1 && op_float(b_find(b, OP_gemm), A_beta) == 1);
	build_free(b);

	b = build_new(13);
	y = B_OP(b, OP_gemm, "alpha=0.5", b_input(b, DT_F32, "5,3"), b_input(b, DT_F32, "3,4"), b_fill(b, DT_F32, "4", 0));
	b_output(b, y);
	b_expect(b, "gemm");
	assert_true(op_float(b_find(b, OP_gemm), A_alpha) == 0.5);
	assert_null(op_operand(b_find(b, OP_gemm), 2));
	build_free(b);
}

static void transposed_products(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = B_OP(b, OP_transpose, "perm=1,0", b_input(b, DT_F32, "3,5")),
			*w = B_OP(b, OP_transpose, "", b_input(b, DT_F32, "4,3"));
	finish(b, B_OP(b, OP_matmul, "", x, w), "gemm");

	b = build_new(13);
	x = B_OP(b, OP_transpose, "perm=1,0", b_input(b, DT_F32, "3,5"));
	finish(b, B_OP(b, OP_gemm, "", x, b_random(b, DT_F32, "3,4"), b_random(b, DT_F32, "4")), "gemm");

	b = build_new(13); /* twice transposed */
	x = B_OP(b, OP_transpose, "perm=1,0", b_input(b, DT_F32, "5,3"));
	finish(b, B_OP(b, OP_gemm, "trans_a=1", x, b_random(b, DT_F32, "3,4")), "gemm");

	b = build_new(13); /* the identity is no transpose */
	x = b_input(b, DT_F32, "5,3");
	b_output(b, B_OP(b, OP_transpose, "", B_OP(b, OP_gemm, "", x, b_random(b, DT_F32, "3,4"),
			b_random(b, DT_F32, "4"))));
	b_expect(b, "gemm");
	build_free(b);

	b = build_new(13);
	x = b_input(b, DT_F32, "5,3");
	b_output(b, B_OP(b, OP_transpose, "", B_OP(b, OP_gemm, "trans_b=1 alpha=2 beta=3", x, b_random(b, DT_F32, "4,3"),
			b_random(b, DT_F32, "5,1"))));
	b_expect(b, "gemm");
	build_free(b);

	b = build_new(13); /* batches keep their transpose */
	x = B_OP(b, OP_transpose, "perm=0,2,1", b_input(b, DT_F32, "2,3,5"));
	finish(b, B_OP(b, OP_matmul, "", x, b_random(b, DT_F32, "3,4")), "transpose matmul");
}

static void reshapes_around(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = B_OP(b, OP_reshape, "", b_input(b, DT_F32, "2,5,3"), B_INTS(b, 10, 3));
	x = B_OP(b, OP_matmul, "", x, b_random(b, DT_F32, "3,4"));
	finish(b, B_OP(b, OP_reshape, "", x, B_INTS(b, 2, 5, 4)), "matmul");

	b = build_new(13);
	x = B_OP(b, OP_reshape, "", b_input(b, DT_F32, "2,5,3"), B_INTS(b, -1, 3));
	x = B_OP(b, OP_gemm, "trans_b=1", x, b_random(b, DT_F32, "4,3"), b_random(b, DT_F32, "4"));
	finish(b, B_OP(b, OP_reshape, "", x, B_INTS(b, 2, 5, 4)), "matmul add");

	b = build_new(13); /* other leading axes afterwards */
	x = B_OP(b, OP_reshape, "", b_input(b, DT_F32, "2,5,3"), B_INTS(b, 10, 3));
	x = B_OP(b, OP_matmul, "", x, b_random(b, DT_F32, "3,4"));
	finish(b, B_OP(b, OP_reshape, "", x, B_INTS(b, 5, 2, 4)), "reshape matmul reshape");
}

static void einsums(void **state)
{
	(void)state;
	static const struct { const char *equation, *a, *b, *kinds; } cases[] = {
		{ "ij,jk->ik", "2,3", "3,4", "matmul" },
		{ "ij,kj->ik", "2,3", "4,3", "gemm" },
		{ "ji,jk->ik", "3,2", "3,4", "gemm" },
		{ "jk,ij->ik", "3,4", "2,3", "matmul" },
		{ "ij,jk", "2,3", "3,4", "matmul" },
		{ "bij,bjk->bik", "2,3,4", "2,4,5", "matmul" },
		{ "bij,bkj->bik", "2,3,4", "2,5,4", "einsum" },
		{ "ij,ij->ij", "2,3", "2,3", "mul" },
		{ "ij->ji", "2,3", NULL, "transpose" },
		{ "ijk->ij", "2,3,4", NULL, "reduce" },
		{ "ijk->k", "2,3,4", NULL, "reduce" },
		{ "ijk->ki", "2,3,4", NULL, "einsum" },
		{ "ii->i", "3,3", NULL, "einsum" },
		{ "...ij,...jk->...ik", "2,2,3", "2,3,4", "einsum" },
		{ "i,j->ij", "2", "3", "einsum" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Build *b = build_new(13);
		Value *in[2] = { b_input(b, DT_F32, cases[i].a), cases[i].b ? b_input(b, DT_F32, cases[i].b) : NULL };
		char attr[64] = "equation=";
		strcat(attr, cases[i].equation);
		finish(b, b_op(b, OP_einsum, attr, in[1] ? 2 : 1, in), cases[i].kinds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batch_norm_before_product), cmocka_unit_test(scales_around_products),
		cmocka_unit_test(product_and_bias), cmocka_unit_test(gemm_factors), cmocka_unit_test(transposed_products),
		cmocka_unit_test(reshapes_around), cmocka_unit_test(einsums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

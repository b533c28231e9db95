/* Rules for reshape, flatten, squeeze, unsqueeze, expand and tile: what fires, what must not, and that results agree.
 */
#include "build.h"

static void expect(Build *b, Value *y, const char *kinds)
{
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

static Value *dim(Build *b, Value *x, int64_t i)
{
	int64_t dims[1] = { 1 };
	Value *index = constant_from_ints(b->func->body, NULL, DT_I64, 1, dims, &i);
	return B_OP(b, OP_gather, "", B_OP(b, OP_shape, "", x), index);
}

static void noop(void **state)
{
	(void)state;
	Build *b = build_new(17);
	Value *x = b_input(b, DT_F32, "n,3,4");
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_reshape, "", B_OP(b, OP_sigmoid, "", x), B_INTS(b, 0, -1, 4))),
		"sigmoid tanh");
	b = build_new(17);
	x = B_OP(b, OP_sigmoid, "", b_input(b, DT_F32, "n"));
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_reshape, "", x, B_INTS(b, -1))), "sigmoid tanh");
}

static void input_to_output_stays(void **state)
{
	(void)state;
	Build *b = build_new(17);
	Value *x = b_input(b, DT_F32, "2,3");
	expect(b, B_OP(b, OP_reshape, "", x, B_INTS(b, 2, 3)), "reshape");
}

static void merge_traps(void **state)
{
	(void)state;
	/* reshape(reshape(x, [6, 4]), [0, -1]) must not become reshape(x, [0, -1]) */
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "2,3,4");
	Value *y = B_OP(b, OP_reshape, "", B_OP(b, OP_reshape, "", x, B_INTS(b, 6, 4)), B_INTS(b, 0, -1));
	b_output(b, B_OP(b, OP_relu, "", y));
	b_expect(b, "reshape relu");
	assert_true(sym_is(b_find(b, OP_reshape)->results[0]->type->dims[0], 6));
	build_free(b);
	/* unknown sizes that stand at another place cannot be copied */
	b = build_new(13);
	x = b_input(b, DT_F32, "n,m,4");
	y = B_OP(b, OP_reshape, "", B_OP(b, OP_unsqueeze, "axes=0", x), B_INTS(b, 1, 0, -1));
	b_output(b, B_OP(b, OP_relu, "", y));
	b_expect(b, "unsqueeze reshape relu");
	build_free(b);
}

static void merge(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3,4,5");
	Value *y = B_OP(b, OP_reshape, "", B_OP(b, OP_reshape, "", x, B_INTS(b, 0, 12, -1)), B_INTS(b, 0, 4, 15));
	expect(b, B_OP(b, OP_relu, "", y), "reshape relu");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3,1,1");
	expect(b, B_OP(b, OP_relu, "", B_OP(b, OP_flatten, "axis=1", B_OP(b, OP_squeeze, "axes=2,3", x))), "squeeze relu");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,m,k");
	y = B_OP(b, OP_unsqueeze, "axes=0", B_OP(b, OP_unsqueeze, "axes=3,1", x));
	expect(b, B_OP(b, OP_relu, "", y), "unsqueeze relu");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,1,m,1");
	y = B_OP(b, OP_squeeze, "axes=1", B_OP(b, OP_squeeze, "axes=-1", x));
	expect(b, B_OP(b, OP_relu, "", y), "squeeze relu");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,m");
	y = B_OP(b, OP_squeeze, "axes=1", B_OP(b, OP_unsqueeze, "axes=1", B_OP(b, OP_exp, "", x)));
	expect(b, B_OP(b, OP_tanh, "", y), "exp tanh");
}

static void shared_inner(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "2,3,4");
	Value *inner = B_OP(b, OP_reshape, "", x, B_INTS(b, 6, 4));
	b_output(b, inner);
	expect(b, B_OP(b, OP_relu, "", B_OP(b, OP_reshape, "", inner, B_INTS(b, 24))), "reshape reshape relu");
}

static void dynamic_shape(void **state)
{
	(void)state;
	/* view(b, s, 4, 8) as torch exports it */
	Build *b = build_new(17);
	Value *x = b_input(b, DT_F32, "b,s,32");
	Value *shape = B_OP(b, OP_concat, "axis=0", dim(b, x, 0), dim(b, x, 1), B_INTS(b, 4), B_INTS(b, 8));
	Value *y = B_OP(b, OP_reshape, "", x, shape);
	expect(b, B_OP(b, OP_relu, "", y), "reshape relu");
	/* one unknown size is inferred */
	b = build_new(17);
	x = b_input(b, DT_F32, "b,s,32");
	Value *n = B_OP(b, OP_mul, "", dim(b, x, 0), dim(b, x, 1));
	y = B_OP(b, OP_reshape, "", x, B_OP(b, OP_concat, "axis=0", n, B_INTS(b, 32)));
	expect(b, B_OP(b, OP_relu, "", y), "reshape relu");
}

static void dynamic_shape_partly(void **state)
{
	(void)state;
	/* [b*4, s, 8] of [b, 4, s, 8]: s stands elsewhere and b*4 is inferred */
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "b,4,s,8");
	Value *n = B_OP(b, OP_mul, "", dim(b, x, 0), B_INTS(b, 4));
	Value *shape = B_OP(b, OP_concat, "axis=0", n, dim(b, x, 2), B_INTS(b, 8));
	b_output(b, B_OP(b, OP_relu, "", B_OP(b, OP_reshape, "", x, shape)));
	b_optimise(b);
	assert_true(b_fired(b, "reshape-copy-dims"));
	assert_null(b_find(b, OP_mul));
	build_free(b);
}

static void zero_sizes(void **state)
{
	(void)state;
	/* a size that data decides may be zero: two unknown sizes must not become [0, -1] */
	Build *b = build_new(17);
	Value *x = b_input(b, DT_F32, "8");
	Value *found = B_OP(b, OP_nonzero, "", x);             /* [1, k] */
	Value *t = B_OP(b, OP_transpose, "", found);           /* [k, 1] */
	Value *s = b_input(b, DT_I64, "s,6");
	Value *m = B_OP(b, OP_add, "", B_OP(b, OP_unsqueeze, "axes=2", t), s); /* [k, s, 6] */
	Value *twice = B_OP(b, OP_mul, "", dim(b, m, 1), B_INTS(b, 2));
	Value *shape = B_OP(b, OP_concat, "axis=0", dim(b, m, 0), twice, B_INTS(b, 3));
	b_output(b, B_OP(b, OP_neg, "", B_OP(b, OP_reshape, "", m, shape)));
	b_optimise(b);
	assert_false(b_fired(b, "reshape-constant"));
	assert_non_null(b_find(b, OP_concat));
	build_free(b);
	/* an empty tensor keeps its dims */
	static const char *const only[] = { "reshape", NULL };
	b = build_new(17);
	b->only = only;
	x = b_input(b, DT_F32, "0,4");
	Value *y =
		B_OP(b, OP_reshape, "allowzero=1", B_OP(b, OP_reshape, "allowzero=1", x, B_INTS(b, 4, 0)), B_INTS(b, 2, 0, 7));
	expect(b, B_OP(b, OP_relu, "", y), "reshape relu");
	b = build_new(13);
	x = b_input(b, DT_F32, "0,4");
	y = B_OP(b, OP_reshape, "", B_OP(b, OP_unsqueeze, "axes=0", x), B_INTS(b, 4, 0));
	b_output(b, B_OP(b, OP_relu, "", y));
	b_optimise(b);
	build_free(b);
}

static void around(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3,4");
	Value *y = B_OP(b, OP_sigmoid, "", B_OP(b, OP_relu, "", B_OP(b, OP_reshape, "", x, B_INTS(b, 0, 12))));
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_reshape, "", y, B_INTS(b, 0, 3, 4))), "relu sigmoid tanh");
	b = build_new(13); /* other dims than before */
	x = b_input(b, DT_F32, "2,3,4");
	y = B_OP(b, OP_relu, "", B_OP(b, OP_reshape, "", x, B_INTS(b, 2, 12)));
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_reshape, "", y, B_INTS(b, 2, 4, 3))), "reshape relu reshape tanh");
}

static void around_pair(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = B_OP(b, OP_exp, "", b_input(b, DT_F32, "5,3,4,4"));
	Value *y = B_OP(b, OP_sub, "", b_input(b, DT_F32, "5,1,1,4"), B_OP(b, OP_reshape, "", x, B_INTS(b, 1, 5, 3, 4, 4)));
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_reshape, "", y, B_INTS(b, 5, 3, 4, 4))), "exp sub tanh");
	b = build_new(13); /* other sizes than before */
	x = B_OP(b, OP_exp, "", b_input(b, DT_F32, "15,4"));
	y = B_OP(b, OP_sub, "", b_input(b, DT_F32, "5,1,4"), B_OP(b, OP_reshape, "", x, B_INTS(b, 5, 3, 4)));
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_reshape, "", y, B_INTS(b, 15, 4))), "exp reshape sub reshape tanh");
}

static void expands(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_expand, "", B_OP(b, OP_exp, "", x), B_INTS(b, 1, 3))), "exp tanh");
	b = build_new(13);
	x = b_input(b, DT_F32, "1,3");
	Value *y = b_input(b, DT_F32, "n,3");
	Value *wide = B_OP(b, OP_expand, "", x, B_OP(b, OP_shape, "", y));
	expect(b, B_OP(b, OP_add, "", wide, y), "add");
	b = build_new(13); /* the other operand is small too */
	x = b_input(b, DT_F32, "1,3");
	wide = B_OP(b, OP_expand, "", x, B_INTS(b, 5, 3));
	expect(b, B_OP(b, OP_add, "", wide, b_random(b, DT_F32, "3")), "expand add");
	b = build_new(13);
	x = b_input(b, DT_F32, "1,3");
	wide = B_OP(b, OP_expand, "", B_OP(b, OP_expand, "", x, B_INTS(b, 5, 3)), B_INTS(b, 2, 5, 3));
	expect(b, wide, "expand");
	b = build_new(13); /* the inner shape matters */
	x = b_input(b, DT_F32, "1,3");
	wide = B_OP(b, OP_expand, "", B_OP(b, OP_expand, "", x, B_INTS(b, 5, 3)), B_INTS(b, 2, 1, 1));
	expect(b, wide, "expand expand");
}

static void tiles(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "2,3");
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_tile, "", B_OP(b, OP_exp, "", x), B_INTS(b, 1, 1))), "exp tanh");
	b = build_new(13);
	x = b_input(b, DT_F32, "2,3");
	expect(b, B_OP(b, OP_tile, "", B_OP(b, OP_tile, "", x, B_INTS(b, 2, 1)), B_INTS(b, 3, 2)), "tile");
	b = build_new(13);
	x = b_input(b, DT_F32, "1,3");
	Value *y = b_input(b, DT_F32, "4,3");
	expect(b, B_OP(b, OP_mul, "", y, B_OP(b, OP_tile, "", x, B_INTS(b, 4, 1))), "mul");
	b = build_new(13);
	x = b_input(b, DT_F32, "2,3");
	y = b_input(b, DT_F32, "4,3");
	expect(b, B_OP(b, OP_mul, "", y, B_OP(b, OP_tile, "", x, B_INTS(b, 2, 1))), "tile mul");
}

static void reductions(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3,4");
	expect(b, B_OP(b, OP_squeeze, "axes=1,2", B_OP(b, OP_reduce, "kind=mean axes=1,-1", x)), "reduce");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3,4");
	expect(b, B_OP(b, OP_unsqueeze, "axes=1", B_OP(b, OP_reduce, "kind=max axes=1 keepdims=0", x)), "reduce");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3,4");
	expect(b, B_OP(b, OP_unsqueeze, "axes=2", B_OP(b, OP_argmax, "axis=-1 keepdims=0", x)), "argmax");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3,4");
	expect(b, B_OP(b, OP_unsqueeze, "axes=2", B_OP(b, OP_reduce, "kind=max axes=1 keepdims=0", x)), "reduce unsqueeze");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noop), cmocka_unit_test(input_to_output_stays), cmocka_unit_test(merge_traps),
		cmocka_unit_test(merge), cmocka_unit_test(shared_inner), cmocka_unit_test(dynamic_shape),
		cmocka_unit_test(dynamic_shape_partly), cmocka_unit_test(zero_sizes), cmocka_unit_test(around), cmocka_unit_test(around_pair),
		cmocka_unit_test(expands), cmocka_unit_test(tiles), cmocka_unit_test(reductions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rules for shape arithmetic: what becomes constant, what is shared, and what must stay. */
#include "build.h"

static void expect(Build *b, Value *y, const char *kinds)
{
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

static Value *scalar(Build *b, int64_t v)
{
	return constant_from_ints(b->func->body, NULL, DT_I64, 0, NULL, &v);
}

static Value *dim(Build *b, Value *x, int64_t i)
{
	return B_OP(b, OP_gather, "", B_OP(b, OP_shape, "", x), scalar(b, i));
}

static Value *dim1(Build *b, Value *x, int64_t i)
{
	return B_OP(b, OP_unsqueeze, "axes=0", dim(b, x, i));
}

static void known(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3,4");
	Value *four = B_OP(b, OP_cast, "to=f32", dim(b, x, 2));
	expect(b, B_OP(b, OP_div, "", x, B_OP(b, OP_sqrt, "", four)), "div");
	b = build_new(13);
	x = b_input(b, DT_F32, "5,3");
	expect(b, B_OP(b, OP_range, "", scalar(b, 0), dim(b, x, 0), scalar(b, 1)), "");
	b = build_new(13); /* 2000 numbers are no gain over a range */
	x = b_input(b, DT_F32, "2000,1");
	Value *r = B_OP(b, OP_range, "", scalar(b, 0), dim(b, x, 0), scalar(b, 1));
	b_output(b, B_OP(b, OP_add, "", r, b_input(b, DT_I64, "1")));
	b_optimise(b);
	assert_null(b_find(b, OP_shape));
	build_free(b);
	b = build_new(13); /* unknown */
	x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_add, "", dim(b, x, 0), b_input(b, DT_I64, "")), "shape gather add");
}

static void shape_start(void **state)
{
	(void)state;
	Build *b = build_new(15);
	Value *x = b_input(b, DT_F32, "2,3,4");
	Value *s = B_OP(b, OP_slice, "axes=0", B_OP(b, OP_shape, "start=1", x), B_INTS(b, 0), B_INTS(b, 1));
	expect(b, B_OP(b, OP_mul, "", s, b_input(b, DT_I64, "1")), "mul");
	b = build_new(15);
	x = b_input(b, DT_F32, "n,m,k,l");
	s = B_OP(b, OP_slice, "axes=0", B_OP(b, OP_shape, "start=1", x), B_INTS(b, 1), B_INTS(b, 9));
	b_output(b, s);
	b_expect(b, "shape");
	assert_int_equal(op_attr_int(b_find(b, OP_shape), A_start, 0), 2);
	assert_int_equal(op_attr_int(b_find(b, OP_shape), A_end, 0), 4);
	build_free(b);
	b = build_new(13); /* before opset 15 there is no start */
	x = b_input(b, DT_F32, "n,m,k,l");
	s = B_OP(b, OP_slice, "axes=0", B_OP(b, OP_shape, "", x), B_INTS(b, 1), B_INTS(b, 3));
	expect(b, s, "shape slice");
}

static void same_dims(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,m");
	Value *y = B_OP(b, OP_softmax, "", B_OP(b, OP_relu, "", x));
	expect(b, B_OP(b, OP_shape, "", y), "shape");
	b = build_new(13); /* another shape */
	x = b_input(b, DT_F32, "n,m");
	expect(b, B_OP(b, OP_shape, "", B_OP(b, OP_transpose, "perm=1,0", x)), "transpose shape");
}

static void equal_elements(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,m"), *y = b_input(b, DT_F32, "n,m");
	Value *s = B_OP(b, OP_concat, "axis=0", dim1(b, x, 0), dim1(b, y, 1));
	Value *t = b_input(b, DT_F32, "1,1");
	b_output(b, B_OP(b, OP_expand, "", t, s));
	b_output(b, B_OP(b, OP_expand, "", B_OP(b, OP_neg, "", t), B_OP(b, OP_shape, "", y)));
	b_expect(b, "shape expand neg expand");
	build_free(b);
	b = build_new(13); /* other symbols */
	x = b_input(b, DT_F32, "n,m");
	y = b_input(b, DT_F32, "q,k");
	s = B_OP(b, OP_concat, "axis=0", dim1(b, x, 0), dim1(b, y, 1));
	b_output(b, B_OP(b, OP_expand, "", b_input(b, DT_F32, "1,1"), s));
	b_optimise(b);
	assert_non_null(b_find(b, OP_concat));
	build_free(b);
}

static void runs(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,m,k");
	Value *s = B_OP(b, OP_concat, "axis=0", dim1(b, x, 1), dim1(b, x, 2));
	expect(b, B_OP(b, OP_expand, "", b_input(b, DT_F32, "1"), s), "shape slice expand");
	b = build_new(13); /* the other way round it is no run */
	x = b_input(b, DT_F32, "n,m,k");
	s = B_OP(b, OP_concat, "axis=0", dim1(b, x, 2), dim1(b, x, 1));
	b_output(b, B_OP(b, OP_expand, "", b_input(b, DT_F32, "1"), s));
	b_optimise(b);
	assert_non_null(b_find(b, OP_concat));
	build_free(b);
}

/* where(equal(shape, -1), ones, shape) as exporters write expand */
static void expand_idiom(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,1"), *y = b_input(b, DT_F32, "n,m");
	Value *s = B_OP(b, OP_concat, "axis=0", dim1(b, y, 0), dim1(b, y, 1));
	Value *which = B_OP(b, OP_eq, "", s, B_INTS(b, -1, -1));
	Value *shape = B_OP(b, OP_select, "", which, B_INTS(b, 1, 1), s);
	expect(b, B_OP(b, OP_mul, "", B_OP(b, OP_expand, "", x, shape), y), "mul");
}

/* A number that data decides is not merged over a cast that may change it. */
static void data_is_not_size(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_I64, "1"), *y = b_input(b, DT_F32, "n");
	Value *v = B_OP(b, OP_concat, "axis=0", x, B_OP(b, OP_shape, "", y));
	Value *narrow = B_OP(b, OP_cast, "to=i64", B_OP(b, OP_cast, "to=i32", v));
	b_output(b, v);
	b_output(b, B_OP(b, OP_neg, "", narrow));
	b_optimise(b);
	assert_non_null(b_find(b, OP_cast));
	build_free(b);
}

static void without_elements(void **state)
{
	(void)state;
	Build *b = build_new(17);
	Value *x = b_input(b, DT_F32, "2,0,3"), *y = b_input(b, DT_I8, "0"), *z = b_input(b, DT_F32, "2,3");
	b_output(b, B_OP(b, OP_exp, "", B_OP(b, OP_transpose, "perm=2,0,1", x)));
	b_output(b, B_OP(b, OP_add, "", y, y));
	b_output(b, B_OP(b, OP_concat, "axis=0", B_OP(b, OP_reduce, "kind=sum axes=1 keepdims=0", x), z));
	b_optimise(b);
	assert_true(b_fired(b, "no-elements"));
	assert_string_equal(b_kinds(b), "reduce concat"); /* a sum of nothing is zeros */
	build_free(b);
	b = build_new(17);
	x = b_input(b, DT_F32, "n,3");
	b_output(b, B_OP(b, OP_exp, "", x));
	b_expect(b, "exp");
	assert_false(b_fired(b, "no-elements"));
	build_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known), cmocka_unit_test(shape_start), cmocka_unit_test(same_dims),
		cmocka_unit_test(equal_elements), cmocka_unit_test(runs), cmocka_unit_test(expand_idiom),
		cmocka_unit_test(data_is_not_size), cmocka_unit_test(without_elements),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rules for slice, split, concat, gather, pad, scatter, reverse, space to depth and resize. */
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

static Value *cut(Build *b, Value *x, int64_t axis, int64_t start, int64_t end)
{
	return B_OP(b, OP_slice, axis == 0 ? "axes=0" : axis == 1 ? "axes=1" : axis == -1 ? "axes=-1" : "axes=2", x,
			b_ints(b, 1, &start), b_ints(b, 1, &end));
}

static void slice_whole(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,4");
	expect(b, B_OP(b, OP_neg, "", cut(b, x, 1, 0, INT64_MAX)), "neg");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,4");
	expect(b, B_OP(b, OP_neg, "", cut(b, x, 0, 0, INT64_MAX)), "neg");
	b = build_new(13); /* of unknown length, so perhaps shorter */
	x = b_input(b, DT_F32, "n,4");
	expect(b, B_OP(b, OP_neg, "", cut(b, x, 0, 0, 3)), "slice neg");
	b = build_new(13); /* as long, but reversed */
	x = b_input(b, DT_F32, "4");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_slice, "axes=0", x, B_INTS(b, -1), B_INTS(b, -9), B_INTS(b, -1))),
		"slice neg");
}

static void slice_slice(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,9,5");
	expect(b, cut(b, cut(b, x, 1, 2, 8), 2, 1, 3), "slice");
	b = build_new(13); /* the same axis, once counted from the back */
	x = b_input(b, DT_F32, "n,9");
	expect(b, cut(b, cut(b, x, 1, 2, 8), -1, -3, -1), "slice");
	b = build_new(13); /* an unknown size from the front */
	x = b_input(b, DT_F32, "n,9");
	expect(b, cut(b, cut(b, x, 0, 1, INT64_MAX), 0, 1, 2), "slice");
	b = build_new(13); /* from the back it needs the size */
	x = b_input(b, DT_F32, "n,9");
	expect(b, cut(b, cut(b, x, 0, 1, INT64_MAX), 0, -1, INT64_MAX), "slice slice");
	b = build_new(13); /* steps */
	x = b_input(b, DT_F32, "20");
	Value *inner = cut(b, x, 0, 3, 17);
	expect(b, B_OP(b, OP_slice, "axes=0", inner, B_INTS(b, 1), B_INTS(b, 9), B_INTS(b, 3)), "slice");
	b = build_new(13);
	x = b_input(b, DT_F32, "20");
	inner = B_OP(b, OP_slice, "axes=0", x, B_INTS(b, 1), B_INTS(b, 19), B_INTS(b, 3));
	expect(b, cut(b, inner, 0, 1, 3), "slice slice");
}

static void slice_concat(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3"), *y = b_input(b, DT_F32, "n,4");
	expect(b, B_OP(b, OP_neg, "", cut(b, B_OP(b, OP_concat, "axis=1", x, y), 1, 3, 7)), "neg");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3"), y = b_input(b, DT_F32, "n,4");
	expect(b, cut(b, B_OP(b, OP_concat, "axis=1", x, y), 1, -3, -1), "slice");
	b = build_new(13); /* needs both parts */
	x = b_input(b, DT_F32, "n,3"), y = b_input(b, DT_F32, "n,4");
	expect(b, cut(b, B_OP(b, OP_concat, "axis=1", x, y), 1, 2, 5), "concat slice");
}

static void slices_split(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,9");
	Value *p = cut(b, x, 1, 4, 9), *q = cut(b, x, 1, 0, 4);
	expect(b, B_OP(b, OP_concat, "axis=1", B_OP(b, OP_neg, "", p), B_OP(b, OP_relu, "", q)), "split neg relu concat");
	b = build_new(13); /* a gap */
	x = b_input(b, DT_F32, "n,9");
	p = cut(b, x, 1, 5, 9), q = cut(b, x, 1, 0, 4);
	expect(b, B_OP(b, OP_concat, "axis=1", B_OP(b, OP_neg, "", p), B_OP(b, OP_relu, "", q)),
		"slice slice neg relu concat");
	b = build_new(13); /* overlapping */
	x = b_input(b, DT_F32, "n,9");
	p = cut(b, x, 1, 3, 9), q = cut(b, x, 1, 0, 4);
	expect(b, B_OP(b, OP_concat, "axis=1", B_OP(b, OP_neg, "", p), B_OP(b, OP_relu, "", q)),
		"slice slice neg relu concat");
}

static void splits(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,9");
	Op *s = b_op_multi(b, OP_split, "axis=1", 2, (Value *[]){ x, B_INTS(b, 4, 5) }, 2);
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_concat, "axis=-1", s->results[0], s->results[1])), "neg");
	b = build_new(13); /* swapped */
	x = b_input(b, DT_F32, "n,9");
	s = b_op_multi(b, OP_split, "axis=1", 2, (Value *[]){ x, B_INTS(b, 4, 5) }, 2);
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_concat, "axis=1", s->results[1], s->results[0])), "split concat neg");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,4");
	Value *y = b_input(b, DT_F32, "n,5");
	s = b_op_multi(b, OP_split, "axis=1", 2, (Value *[]){ B_OP(b, OP_concat, "axis=1", x, y), B_INTS(b, 4, 5) }, 2);
	b_output(b, B_OP(b, OP_neg, "", s->results[0]));
	b_output(b, B_OP(b, OP_exp, "", s->results[1]));
	b_expect(b, "neg exp");
	build_free(b);
	b = build_new(13);
	x = b_input(b, DT_F32, "n,4");
	s = b_op_multi(b, OP_split, "axis=1", 1, (Value *[]){ x }, 1);
	expect(b, B_OP(b, OP_neg, "", s->results[0]), "neg");
}

static void concats(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,4"), *y = b_input(b, DT_F32, "n,0"), *z = b_input(b, DT_F32, "n,2");
	Value *xy = B_OP(b, OP_concat, "axis=1", x, y);
	expect(b, B_OP(b, OP_concat, "axis=-1", xy, z, B_OP(b, OP_concat, "axis=1", z, x)), "concat");
	b = build_new(13); /* another axis */
	x = b_input(b, DT_F32, "2,2");
	expect(b, B_OP(b, OP_concat, "axis=0", B_OP(b, OP_concat, "axis=1", x, x), B_OP(b, OP_concat, "axis=1", x, x)),
			"concat concat");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,9");
	xy = B_OP(b, OP_concat, "axis=1", cut(b, x, 1, 1, 3), cut(b, x, 1, 3, 7), b_input(b, DT_F32, "n,1"));
	expect(b, xy, "slice concat");
	b = build_new(13);
	x = b_input(b, DT_F32, "4");
	xy = B_OP(b, OP_concat, "axis=0", b_random(b, DT_F32, "2"), b_random(b, DT_F32, "3"), x, b_random(b, DT_F32, "1"));
	b_output(b, xy);
	b_expect(b, "concat");
	assert_int_equal(b_find(b, OP_concat)->noperands, 3);
	build_free(b);
}

static void gathers(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_gather, "axis=1", x, B_INTS(b, 0, 1, -1))), "neg");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_gather, "axis=1", x, B_INTS(b, 0, 2, 1))), "gather neg");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3");
	Value *g = B_OP(b, OP_gather, "axis=1", x, B_INTS(b, 2, 0, 1, 1));
	expect(b, B_OP(b, OP_gather, "axis=-1", g, B_INTS(b, -1, 0)), "gather");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_unsqueeze, "axes=1", B_OP(b, OP_gather, "axis=1", x, scalar(b, -1))), "slice");
	b = build_new(13); /* the axis comes back elsewhere */
	x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_unsqueeze, "axes=0", B_OP(b, OP_gather, "axis=1", x, scalar(b, 1))), "gather unsqueeze");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3,2");
	expect(b, B_OP(b, OP_squeeze, "axes=1", cut(b, x, 1, 1, 2)), "gather");
}

static void pads(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_pad, "", x, B_INTS(b, 0, 0, 0, 0))), "neg");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3");
	expect(b, B_OP(b, OP_pad, "", B_OP(b, OP_pad, "", x, B_INTS(b, 0, 1, 0, 2)), B_INTS(b, 1, 1, 0, 0)), "pad");
	b = build_new(13); /* other values */
	x = b_input(b, DT_F32, "n,3");
	Value *p = B_OP(b, OP_pad, "", x, B_INTS(b, 0, 1, 0, 2), b_fill(b, DT_F32, "", 2));
	expect(b, B_OP(b, OP_pad, "", p, B_INTS(b, 1, 1, 0, 0)), "pad pad");
	b = build_new(13); /* a reflection of a reflection is another one */
	x = b_input(b, DT_F32, "5");
	expect(b, B_OP(b, OP_pad, "mode=reflect", B_OP(b, OP_pad, "mode=reflect", x, B_INTS(b, 2, 2)), B_INTS(b, 1, 1)),
		"pad pad");
	b = build_new(13); /* a pad that crops */
	x = b_input(b, DT_F32, "5");
	expect(b, B_OP(b, OP_pad, "", B_OP(b, OP_pad, "", x, B_INTS(b, -2, 0)), B_INTS(b, 1, 1)), "pad pad");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,5");
	expect(b, cut(b, B_OP(b, OP_pad, "", x, B_INTS(b, 0, 2, 0, 1)), 1, 3, 6), "slice");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,5");
	expect(b, cut(b, B_OP(b, OP_pad, "", x, B_INTS(b, 0, 2, 0, 1)), 1, 1, 6), "pad slice");
}

static void scatters(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "2,3"), *u = b_input(b, DT_F32, "2,3");
	const double all[] = { 0, 1 };
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_scatter_nd, "", x, b_floats(b, DT_I64, "2,1", all), u)), "neg");
	b = build_new(13); /* one row twice */
	x = b_input(b, DT_F32, "2,3"), u = b_input(b, DT_F32, "2,3");
	const double twice[] = { 1, 0 };
	expect(
		b, B_OP(b, OP_neg, "", B_OP(b, OP_scatter_nd, "", x, b_floats(b, DT_I64, "2,1", twice), u)), "scatter_nd neg");
	b = build_new(16);
	x = b_input(b, DT_F32, "2,3"), u = b_input(b, DT_F32, "2,3");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_scatter_nd, "reduction=add", x, b_floats(b, DT_I64, "2,1", all), u)),
			"scatter_nd neg");
}

static void pairs(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "2,3,4");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_reverse, "axes=0,-1", B_OP(b, OP_reverse, "axes=2,0", x))), "neg");
	b = build_new(13);
	x = b_input(b, DT_F32, "2,3,4");
	expect(b, B_OP(b, OP_reverse, "axes=0,1", B_OP(b, OP_reverse, "axes=2,0", x)), "reverse");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,8,2,2");
	Value *y = B_OP(b, OP_space_to_depth, "blocksize=2", B_OP(b, OP_depth_to_space, "blocksize=2", x));
	expect(b, B_OP(b, OP_neg, "", y), "neg");
	b = build_new(13); /* the other order of blocks is no inverse */
	x = b_input(b, DT_F32, "n,8,2,2");
	y = B_OP(b, OP_space_to_depth, "blocksize=2", B_OP(b, OP_depth_to_space, "blocksize=2 mode=CRD", x));
	expect(b, B_OP(b, OP_neg, "", y), "depth_to_space space_to_depth neg");
}

static void resizes(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3,4,5"), *ones = b_fill(b, DT_F32, "4", 1);
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_resize, "", x, NULL, ones)), "neg");
	b = build_new(13);
	x = b_input(b, DT_F32, "1,3,4,5");
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_resize, "mode=linear", x, NULL, NULL, B_INTS(b, 1, 3, 4, 5))), "neg");
	b = build_new(13); /* the size stays, the samples move */
	x = b_input(b, DT_F32, "1,1,4,5");
	const double near_one[] = { 1, 1, 1.1, 1 };
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_resize, "", x, NULL, b_floats(b, DT_F32, "4", near_one))), "resize neg");
}

static Value *strided(Build *b, Value *x, int64_t row, int64_t column)
{
	return B_OP(b, OP_slice, "axes=2,3", x, B_INTS(b, row, column), B_INTS(b, INT64_MAX, INT64_MAX), B_INTS(b, 2, 2));
}

static void focus(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3,4,6");
	expect(b,
		B_OP(
			b, OP_concat, "axis=1", strided(b, x, 0, 0), strided(b, x, 0, 1), strided(b, x, 1, 0), strided(b, x, 1, 1)),
		"space_to_depth");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,3,4,6");
	expect(b,
		B_OP(
			b, OP_concat, "axis=1", strided(b, x, 0, 0), strided(b, x, 1, 0), strided(b, x, 0, 1), strided(b, x, 1, 1)),
		"space_to_depth gather");
	b = build_new(13); /* an odd height */
	x = b_input(b, DT_F32, "n,3,5,6");
	b_output(b, B_OP(b, OP_concat, "axis=1", strided(b, x, 0, 0), strided(b, x, 0, 1)));
	b_optimise(b);
	assert_null(b_find(b, OP_space_to_depth));
	build_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slice_whole), cmocka_unit_test(slice_slice), cmocka_unit_test(slice_concat),
		cmocka_unit_test(slices_split), cmocka_unit_test(splits), cmocka_unit_test(concats), cmocka_unit_test(gathers),
		cmocka_unit_test(pads), cmocka_unit_test(scatters), cmocka_unit_test(pairs), cmocka_unit_test(resizes),
		cmocka_unit_test(focus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

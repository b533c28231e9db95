/* Transposes: merged, cancelled across other ops, moved below them. */
#include "build.h"

#include <string.h>

static void finish(Build *b, Value *y, const char *kinds)
{
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

static Value *transpose(Build *b, Value *x, const char *perm)
{
	char attr[64] = "";
	if (perm) {
		strcpy(attr, "perm=");
		strcat(attr, perm);
	}
	return B_OP(b, OP_transpose, attr, x);
}

#define TO_LAST "0,2,3,1"
#define TO_FIRST "0,3,1,2"

static void merging(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = B_OP(b, OP_relu, "", b_input(b, DT_F32, "2,3,4,5"));
	finish(b, B_OP(b, OP_neg, "", transpose(b, transpose(b, x, TO_LAST), TO_FIRST)), "relu neg");

	b = build_new(13); /* without perm twice */
	x = B_OP(b, OP_relu, "", b_input(b, DT_F32, "2,3,4"));
	finish(b, B_OP(b, OP_neg, "", transpose(b, transpose(b, x, NULL), NULL)), "relu neg");

	b = build_new(13);
	finish(b, transpose(b, transpose(b, b_input(b, DT_F32, "2,3,4"), "1,0,2"), "0,2,1"), "transpose");

	b = build_new(13); /* the one between is an output too */
	x = transpose(b, b_input(b, DT_F32, "2,3,4"), "1,0,2");
	b_output(b, x);
	finish(b, transpose(b, x, "0,2,1"), "transpose transpose");

	b = build_new(13);
	finish(b, B_OP(b, OP_relu, "", transpose(b, b_input(b, DT_F32, "2,3,4"), "0,1,2")), "relu");

	b = build_new(13); /* an input cannot be an output without a copy */
	b_output(b, transpose(b, b_input(b, DT_F32, "2,3,4"), "0,1,2"));
	b_optimise(b);
	build_free(b);
}

static void axes_of_size_one(void **state)
{
	(void)state;
	Build *b = build_new(13);
	finish(b, transpose(b, b_input(b, DT_F32, "n,3,1,1"), TO_LAST), "reshape");

	b = build_new(13);
	finish(b, transpose(b, b_input(b, DT_F32, "2,3,1,4"), TO_LAST), "transpose");

	b = build_new(13); /* a size that might be 1 is not 1 */
	finish(b, transpose(b, b_input(b, DT_F32, "n,3,h"), "0,2,1"), "transpose");
}

/* A round trip to channels-last around ops that do not care. */
static void round_trips(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = transpose(b, b_input(b, DT_F32, "n,3,4,5"), TO_LAST);
	x = B_OP(b, OP_sigmoid, "", B_OP(b, OP_relu, "", x));
	finish(b, transpose(b, x, TO_FIRST), "relu sigmoid");

	b = build_new(13); /* constants of every rank turn with it */
	x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	x = B_OP(b, OP_max, "", x, b_random(b, DT_F32, "3"));
	x = B_OP(b, OP_min, "", x, b_random(b, DT_F32, "4,1,1"));
	x = B_OP(b, OP_max, "", b_random(b, DT_F32, ""), x);
	finish(b, transpose(b, x, TO_FIRST), "max min max");

	b = build_new(13); /* an operand of lower rank that is computed stays */
	x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	x = B_OP(b, OP_max, "", x, b_input(b, DT_F32, "3"));
	finish(b, transpose(b, x, TO_FIRST), "transpose max transpose");

	b = build_new(13);
	x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	Value *y = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	x = B_OP(b, OP_concat, "axis=3", x, B_OP(b, OP_relu, "", y));
	x = B_OP(b, OP_softmax, "axis=-1", x);
	finish(b, transpose(b, x, TO_FIRST), "relu concat softmax");

	b = build_new(13);
	x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	x = B_OP(b, OP_pad, "", x, B_INTS(b, 0, 1, 2, 0, 0, 0, 1, 0));
	x = B_OP(b, OP_slice, "axes=-1,1", x, B_INTS(b, 0, 1), B_INTS(b, 2, 100));
	finish(b, transpose(b, x, TO_FIRST), "pad slice");

	b = build_new(18);
	x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	x = B_OP(b, OP_pad, "axes=-2", x, B_INTS(b, 1, 2));
	x = B_OP(b, OP_slice, "", x, B_INTS(b, 0, 1), B_INTS(b, 2, 3));
	x = B_OP(b, OP_reduce, "kind=mean axes=1,2", x);
	finish(b, transpose(b, x, TO_FIRST), "pad slice reduce");

	b = build_new(13); /* one branch of two cancels, the other pays one: still one less */
	x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	x = B_OP(b, OP_add, "", x, b_input(b, DT_F32, "2,4,5,3"));
	b_output(b, transpose(b, x, TO_FIRST));
	b_optimise(b);
	assert_string_equal(b_kinds(b), "transpose add");
	build_free(b);

	b = build_new(13); /* a result that is used as it is stays */
	x = B_OP(b, OP_relu, "", transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST));
	b_output(b, x);
	b_output(b, transpose(b, x, TO_FIRST));
	b_optimise(b);
	assert_string_equal(b_kinds(b), "relu transpose");
	build_free(b);

	b = build_new(13); /* nothing to cancel with */
	x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	finish(b, B_OP(b, OP_relu, "", x), "transpose relu");
}

static void rank_changes(void **state)
{
	(void)state;
	Build *b = build_new(13); /* the axes left over are in order: no transpose at all */
	Value *x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	finish(b, B_OP(b, OP_reduce, "kind=max axes=1,2 keepdims=0", x), "reduce");

	b = build_new(13);
	x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), "3,2,1,0");
	x = B_OP(b, OP_reduce, "kind=max axes=1 keepdims=0", x);
	finish(b, transpose(b, x, "2,1,0"), "reduce");

	b = build_new(13);
	x = transpose(b, b_input(b, DT_F32, "2,3,1,5"), "3,2,1,0");
	x = B_OP(b, OP_squeeze, "axes=1", x);
	finish(b, transpose(b, x, "2,1,0"), "squeeze");

	b = build_new(13);
	x = transpose(b, b_input(b, DT_F32, "2,3,5"), "2,1,0");
	x = B_OP(b, OP_unsqueeze, "axes=1,-1", x);
	finish(b, transpose(b, x, "3,1,2,0,4"), "unsqueeze");

	b = build_new(13);
	x = transpose(b, b_input(b, DT_F32, "2,3,5"), "2,1,0");
	x = B_OP(b, OP_unsqueeze, "axes=0,2", x);
	finish(b, transpose(b, x, "2,4,0,3,1"), "unsqueeze");
}

static void downwards(void **state)
{
	(void)state;
	Build *b = build_new(13); /* two become one */
	Value *x = transpose(b, b_input(b, DT_F32, "2,3,4"), "0,2,1"),
			*y = transpose(b, b_input(b, DT_F32, "2,3,4"), "0,2,1");
	finish(b, B_OP(b, OP_add, "", x, y), "add transpose");

	b = build_new(13); /* not alike */
	x = transpose(b, b_input(b, DT_F32, "2,3,3"), "0,2,1");
	y = transpose(b, b_input(b, DT_F32, "3,2,3"), "1,0,2");
	finish(b, B_OP(b, OP_add, "", x, y), "transpose transpose add");

	b = build_new(13); /* to a product, which takes it for nothing */
	x = transpose(b, b_input(b, DT_F32, "3,5"), "1,0");
	x = B_OP(b, OP_relu, "", x);
	finish(b, B_OP(b, OP_gemm, "", x, b_random(b, DT_F32, "3,4")), "relu gemm");

	b = build_new(13); /* two users that both undo it */
	x = B_OP(b, OP_relu, "", transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST));
	b_output(b, B_OP(b, OP_neg, "", transpose(b, x, TO_FIRST)));
	b_output(b, B_OP(b, OP_sigmoid, "", transpose(b, x, "3,0,1,2")));
	b_optimise(b);
	assert_string_equal(b_kinds(b), "relu neg transpose sigmoid");
	build_free(b);

	b = build_new(13);
	x = transpose(b, b_input(b, DT_F32, "2,6,4,5"), TO_LAST);
	Op *split = b_op_multi(b, OP_split, "axis=-1", 2, (Value *[]){ x, B_INTS(b, 2, 4) }, 2);
	b_output(b, transpose(b, split->results[0], TO_FIRST));
	b_output(b, transpose(b, split->results[1], TO_FIRST));
	b_expect(b, "split");
	build_free(b);
}

static void quantised(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = transpose(b, b_input(b, DT_F32, "2,3,4,5"), TO_LAST);
	x = B_OP(b, OP_quantize, "axis=3", x, b_positive(b, DT_F32, "3"), b_fill(b, DT_U8, "3", 7));
	x = B_OP(b, OP_dequantize, "axis=3", x, b_positive(b, DT_F32, "3"), b_fill(b, DT_U8, "3", 7));
	finish(b, transpose(b, x, TO_FIRST), "quantize dequantize");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging), cmocka_unit_test(axes_of_size_one), cmocka_unit_test(round_trips),
		cmocka_unit_test(rank_changes), cmocka_unit_test(downwards), cmocka_unit_test(quantised),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

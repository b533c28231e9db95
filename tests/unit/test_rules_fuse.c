/* Composite ops out of their parts, and that they stay apart where the target or the pattern says so. */
#include "build.h"

#include <string.h>

static void finish(Build *b, Value *y, const char *kinds)
{
	b->oracle_tolerance = 1e-6; /* sqrt(2), 1/6 ... are rounded in the parts */
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

static Value *number(Build *b, double v)
{
	return b_fill(b, DT_F32, "", v);
}

#define MUL(p, q) B_OP(b, OP_mul, "", p, q)
#define ADD(p, q) B_OP(b, OP_add, "", p, q)
#define DIV(p, q) B_OP(b, OP_div, "", p, q)

/* The six ways to multiply 1/2, x and g. */
static Value *half_product(Build *b, Value *x, Value *g, int order)
{
	switch (order) {
	case 0: return MUL(MUL(x, g), number(b, 0.5));
	case 1: return MUL(MUL(number(b, 0.5), x), g);
	case 2: return MUL(x, MUL(g, number(b, 0.5)));
	case 3: return DIV(MUL(g, x), number(b, 2));
	case 4: return MUL(g, DIV(x, number(b, 2)));
	default: return MUL(number(b, 0.5), MUL(x, g));
	}
}

static void gelus(void **state)
{
	(void)state;
	for (int order = 0; order < 6; order++) {
		for (int tanh = 0; tanh < 2; tanh++) {
			Build *b = build_new(20);
			Value *x = b_input(b, DT_F32, "n,8"), *in;
			if (tanh) {
				Value *cube = order & 1 ? B_OP(b, OP_pow, "", x, number(b, 3)) : MUL(MUL(x, x), x);
				in = MUL(ADD(x, MUL(number(b, 0.044715), cube)), number(b, 0.7978845608));
			} else {
				in = order & 1 ? DIV(x, number(b, 1.41421356237)) : MUL(number(b, 0.70710678118), x);
			}
			Value *g = ADD(number(b, 1), B_OP(b, tanh ? OP_tanh : OP_erf, "", in));
			finish(b, half_product(b, x, g, order), "gelu");
		}
	}
	Build *b = build_new(17); /* the target has none */
	Value *x = b_input(b, DT_F32, "n,8");
	Value *g = ADD(B_OP(b, OP_erf, "", MUL(x, number(b, 0.70710678118))), number(b, 1));
	finish(b, MUL(MUL(x, g), number(b, 0.5)), "mul erf add mul mul");

	static const double wrong[][3] = { { 0.7, 1, 0.5 }, { 0.70710678118, 1.5, 0.5 }, { 0.70710678118, 1, 0.25 } };
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		b = build_new(20);
		x = b_input(b, DT_F32, "n,8");
		g = ADD(B_OP(b, OP_erf, "", MUL(x, number(b, wrong[i][0]))), number(b, wrong[i][1]));
		finish(b, MUL(MUL(x, g), number(b, wrong[i][2])), "mul erf add mul mul");
	}
	b = build_new(20); /* of another value */
	x = b_input(b, DT_F32, "4,8");
	Value *z = b_input(b, DT_F32, "4,8");
	g = ADD(B_OP(b, OP_erf, "", MUL(z, number(b, 0.70710678118))), number(b, 1));
	finish(b, MUL(MUL(x, g), number(b, 0.5)), "mul erf add mul mul");
}

static void activations(void **state)
{
	(void)state;
	for (int divides = 0; divides < 3; divides++) {
		Build *b = build_new(14);
		Value *x = b_input(b, DT_F32, "n,8");
		b->lo = -6;
		b->hi = 6;
		Value *c = B_OP(b, OP_clamp, "", ADD(x, number(b, 3)), number(b, 0), number(b, 6));
		Value *y = divides == 0 ? DIV(MUL(x, c), number(b, 6)) : divides == 1 ? MUL(x, DIV(c, number(b, 6))) :
				MUL(MUL(c, number(b, 1.0 / 6)), x);
		finish(b, y, "hard_swish");
	}
	Build *b = build_new(13); /* before opset 14 only the sigmoid */
	Value *x = b_input(b, DT_F32, "n,8");
	Value *c = B_OP(b, OP_clamp, "", ADD(x, number(b, 3)), number(b, 0), number(b, 6));
	finish(b, MUL(x, DIV(c, number(b, 6))), "hard_sigmoid mul");

	b = build_new(14); /* another range */
	x = b_input(b, DT_F32, "n,8");
	c = B_OP(b, OP_clamp, "", ADD(x, number(b, 3)), number(b, 0), number(b, 5));
	finish(b, DIV(c, number(b, 6)), "add clamp div");

	b = build_new(24);
	x = b_input(b, DT_F32, "n,8");
	finish(b, MUL(x, B_OP(b, OP_sigmoid, "", x)), "swish");

	b = build_new(24);
	x = b_input(b, DT_F32, "n,8");
	finish(b, MUL(B_OP(b, OP_sigmoid, "", MUL(x, number(b, 1.702))), x), "swish");

	b = build_new(23);
	x = b_input(b, DT_F32, "n,8");
	finish(b, MUL(x, B_OP(b, OP_sigmoid, "", x)), "sigmoid mul");

	b = build_new(18);
	x = b_input(b, DT_F32, "n,8");
	finish(b, MUL(x, B_OP(b, OP_tanh, "", B_OP(b, OP_softplus, "", x))), "mish");

	b = build_new(18); /* overflows where softplus does not: only when allowed */
	x = b_input(b, DT_F32, "n,8");
	finish(b, B_OP(b, OP_log, "", ADD(B_OP(b, OP_exp, "", x), number(b, 1))), "exp add log");
}

static void softmaxes(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,4,5");
	Value *e = B_OP(b, OP_exp, "", B_OP(b, OP_sub, "", x, B_OP(b, OP_reduce, "kind=max axes=1", x)));
	finish(b, DIV(e, B_OP(b, OP_reduce, "kind=sum axes=-2", e)), "softmax");

	b = build_new(13); /* sum and maximum along different axes */
	x = b_input(b, DT_F32, "n,4,5");
	e = B_OP(b, OP_exp, "", B_OP(b, OP_sub, "", x, B_OP(b, OP_reduce, "kind=max axes=1", x)));
	finish(b, DIV(e, B_OP(b, OP_reduce, "kind=sum axes=2", e)), "reduce sub exp reduce div");

	b = build_new(13); /* without the maximum it overflows */
	x = b_input(b, DT_F32, "n,4,5");
	e = B_OP(b, OP_exp, "", x);
	finish(b, DIV(e, B_OP(b, OP_reduce, "kind=sum axes=2", e)), "exp reduce div");
}

/* (x - mean) / sqrt(var + eps) * gamma + beta, with the normalising step spelt in several ways. */
static Value *layer_norm(Build *b, Value *x, const char *axes, int form)
{
	char attr[64] = "kind=mean axes=";
	strcat(attr, axes);
	Value *d = B_OP(b, OP_sub, "", x, B_OP(b, OP_reduce, attr, x));
	Value *square = form & 1 ? B_OP(b, OP_pow, "", d, number(b, 2)) : MUL(d, d);
	Value *v = ADD(B_OP(b, OP_reduce, attr, square), number(b, 1e-5));
	switch (form) {
	case 0: return DIV(d, B_OP(b, OP_sqrt, "", v));
	case 1: return MUL(B_OP(b, OP_rsqrt, "", v), d);
	case 2: return MUL(d, B_OP(b, OP_reciprocal, "", B_OP(b, OP_sqrt, "", v)));
	default: return MUL(d, DIV(number(b, 1), B_OP(b, OP_sqrt, "", v)));
	}
}

static void norms(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		Build *b = build_new(17);
		Value *y = layer_norm(b, b_input(b, DT_F32, "n,4,8"), "-1", form);
		finish(b, ADD(MUL(y, b_random(b, DT_F32, "8")), b_random(b, DT_F32, "8")), "layer_norm");
	}
	Build *b = build_new(17);
	finish(b, layer_norm(b, b_input(b, DT_F32, "n,4,8"), "1,2", 0), "layer_norm");

	b = build_new(17); /* not the last axis */
	Value *y = layer_norm(b, b_input(b, DT_F32, "2,4,8"), "1", 0);
	finish(b, y, "reduce sub mul reduce add sqrt div");

	b = build_new(16); /* the target has none */
	y = layer_norm(b, b_input(b, DT_F32, "2,4,8"), "-1", 0);
	finish(b, y, "reduce sub mul reduce add sqrt div");

	b = build_new(23);
	Value *x = b_input(b, DT_F32, "n,8");
	Value *v = ADD(B_OP(b, OP_reduce, "kind=mean axes=-1", MUL(x, x)), number(b, 1e-6));
	finish(b, MUL(MUL(x, B_OP(b, OP_rsqrt, "", v)), b_random(b, DT_F32, "8")), "rms_norm");
}

static void reductions(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,4,5");
	finish(b, B_OP(b, OP_sqrt, "", B_OP(b, OP_reduce, "kind=sum axes=2", MUL(x, x))), "reduce");

	b = build_new(13);
	x = b_input(b, DT_F32, "n,4,5");
	finish(b, B_OP(b, OP_reduce, "kind=sum axes=0,1", B_OP(b, OP_abs, "", x)), "reduce");

	b = build_new(13);
	x = b_input(b, DT_F32, "n,4,5");
	finish(b, DIV(B_OP(b, OP_reduce, "kind=sum axes=1,2", x), number(b, 20)), "reduce");

	b = build_new(13); /* not the count */
	x = b_input(b, DT_F32, "n,4,5");
	finish(b, DIV(B_OP(b, OP_reduce, "kind=sum axes=1,2", x), number(b, 21)), "reduce div");

	b = build_new(13); /* the square is used elsewhere */
	x = b_input(b, DT_F32, "n,4,5");
	Value *square = MUL(x, x);
	b_output(b, square);
	finish(b, B_OP(b, OP_reduce, "kind=sum axes=1", square), "mul reduce");
}

static void kept_axes(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,4,5");
	b_output(b, B_OP(b, OP_unsqueeze, "axes=1,2", B_OP(b, OP_reduce, "kind=max axes=1,2 keepdims=0", x)));
	b_expect(b, "reduce");
	assert_int_equal(op_int(b_find(b, OP_reduce), A_keepdims), 1);
	build_free(b);

	b = build_new(13);
	x = b_input(b, DT_F32, "n,4,5");
	finish(b, B_OP(b, OP_squeeze, "axes=-1", B_OP(b, OP_reduce, "kind=min axes=2", x)), "reduce");

	b = build_new(13);
	x = b_input(b, DT_F32, "n,4,5");
	finish(b, B_OP(b, OP_squeeze, "axes=1", B_OP(b, OP_argmax, "axis=1", x)), "argmax");

	b = build_new(13); /* elsewhere */
	x = b_input(b, DT_F32, "n,4,5");
	finish(b, B_OP(b, OP_unsqueeze, "axes=0", B_OP(b, OP_reduce, "kind=max axes=1 keepdims=0", x)), "reduce unsqueeze");

	b = build_new(13); /* used with its axes, too */
	x = B_OP(b, OP_reduce, "kind=max axes=2", b_input(b, DT_F32, "n,4,5"));
	b_output(b, x);
	finish(b, B_OP(b, OP_squeeze, "axes=2", x), "reduce squeeze");

	b = build_new(13);
	x = B_OP(b, OP_global_avg_pool, "", b_input(b, DT_F32, "n,3,4,5"));
	finish(b, B_OP(b, OP_flatten, "", x), "reduce");

	b = build_new(13);
	x = B_OP(b, OP_global_avg_pool, "", b_input(b, DT_F32, "2,3,4,5"));
	b_output(b, B_OP(b, OP_reshape, "", x, B_INTS(b, 3, 2)));
	b_optimise(b);
	assert_non_null(b_find(b, OP_global_avg_pool));
	build_free(b);
}

static void blocks(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = B_OP(b, OP_reshape, "", b_input(b, DT_F32, "2,12,3,5"), B_INTS(b, 2, 2, 2, 3, 3, 5));
	x = B_OP(b, OP_transpose, "perm=0,3,4,1,5,2", x);
	finish(b, B_OP(b, OP_reshape, "", x, B_INTS(b, 2, 3, 6, 10)), "depth_to_space");

	b = build_new(13);
	x = B_OP(b, OP_reshape, "", b_input(b, DT_F32, "2,12,3,5"), B_INTS(b, 2, 3, 2, 2, 3, 5));
	x = B_OP(b, OP_transpose, "perm=0,1,4,2,5,3", x);
	finish(b, B_OP(b, OP_reshape, "", x, B_INTS(b, 2, 3, 6, 10)), "depth_to_space");

	b = build_new(13); /* blocks that are not square */
	x = B_OP(b, OP_reshape, "", b_input(b, DT_F32, "2,12,3,5"), B_INTS(b, 2, 2, 3, 2, 3, 5));
	x = B_OP(b, OP_transpose, "perm=0,1,4,2,5,3", x);
	finish(b, B_OP(b, OP_reshape, "", x, B_INTS(b, 2, 2, 9, 10)), "reshape transpose reshape");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gelus), cmocka_unit_test(activations), cmocka_unit_test(softmaxes), cmocka_unit_test(norms),
		cmocka_unit_test(reductions), cmocka_unit_test(kept_axes), cmocka_unit_test(blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Plans against the evaluator: sums of products by letters, results of unknown size, products of doubles, weights that the run brings.
 * Nothing of a case may be left to the evaluator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "plan_case.h"

typedef struct Case {
	const char *text;
	const char *kernel;    /* that runs */
	bool empty;            /* runs with sizes of 0 too */
} Case;

static const Case CASES[] = {
	{ "g (float[n, 3, 4] x, float[n, 4, 5] w) => (float[n, 3, 5] y) { y = Einsum<equation = \"bij, bjk -> bik\">(x, w) }", "matmul", true },
	{ "g (float[2, 3, 4, 5] x, float[3, 5, 7] w) => (float[2, 3, 4, 7] y) { y = Einsum<equation = \"...ij,...jk->...ik\">(x, w) }", "matmul", false },
	{ "g (float[2, 1, 4, 5] x, float[3, 5, 7] w) => (float[2, 3, 4, 7] y) { y = Einsum<equation = \"...ij,...jk\">(x, w) }", "matmul", false },
	{ "g (float[6, 5] x, float[2, 3, 5] w) => (float[2, 3, 6] y) { y = Einsum<equation = \"qk,...k->...q\">(x, w) }", "matmul", false },
	{ "g (float[4, 2, 3] x, float[2, 3] w) => (float[2, 3, 4] y) { y = Einsum<equation = \"i...,...->...i\">(x, w) }", "matmul", false },
	{ "g (float[2, 5, n, 8] x, float[2, 5, n, 8] w) => (float[2, 5, n, n] y) { y = Einsum<equation = \"bhqd,bhkd->bhqk\">(x, w) }", "matmul", true },
	{ "g (float[3, 4] x) => (float[3] y, float[] z, float[4] w) { y = Einsum<equation = \"ij->i\">(x) z = Einsum<equation = \"ij->\">(x) "
		"w = Einsum<equation = \"...j->j\">(x) }", "reduce", false },
	{ "g (float[3, 4, 4] x) => (float[3, 4] y, float[3] z, float[4, 3] w) { y = Einsum<equation = \"...ii->...i\">(x) "
		"z = Einsum<equation = \"...ii->...\">(x) w = Einsum<equation = \"kii->ik\">(x) }", "reduce", false },
	{ "g (float[3, 4] x, float[4, 5] w, float[5, 2] v) => (float[2, 3] y) { y = Einsum<equation = \"ij,jk,kl->li\">(x, w, v) }", "matmul", false },
	{ "g (float[3] x, float[5] w, float[2, 3, 5] v) => (float[2] y, float[3, 5] z) { y = Einsum<equation = \"a,b,cab->c\">(x, w, v) "
		"z = Einsum<equation = \"a,b->ab\">(x, w) }", "matmul", false },
	{ "g (float[3, 4] x, float[3, 4] w) => (float[] y, float[3] z, float[3, 4] v) { y = Einsum<equation = \"ij,ij->\">(x, w) "
		"z = Einsum<equation = \"ij,kj->i\">(x, w) v = Einsum<equation = \"ij,ij->ij\">(x, w) }", "matmul", false },
	{ "g (float[2, n, 4] x, float[2, 3, n] s) => (int64[k, 3] y) <int64[1] m = {5}, float[1] iou = {0.2}, float[1] least = {-0.5}> "
		"{ y = NonMaxSuppression(x, s, m, iou, least) }", "nms", true },
	{ "g (float[2, 90, 4] x, float[2, 3, 90] s, float[1] iou, float[1] least) => (int64[k, 3] y) <int64 m = {1000000}, int64[1] big = {70}, float f = {0.1}> "
		"{ a = Abs(x) b = Mul(iou, f) y0 = NonMaxSuppression<center_point_box = 1>(a, s, m, b, least) y1 = NonMaxSuppression<center_point_box = 1>(a, s, big, b) "
		"y = Concat<axis = 0>(y0, y1) }", "nms", false },
	{ "g (float[1, 50, 4] x, float[1, 1, 50] s) => (int64[k, 3] y) <int64[1] m = {9}, float[1] iou = {0.5}> { l = Log(s) y = NonMaxSuppression(x, l, m, iou) }",
		"nms", false },
	{ "g (float[3, n, 4] x) => (int64[3, k] y) { r = Relu(x) y = NonZero(r) }", "nonzero", true },
	{ "g (float[30, 100, 20] x) => (int64[3, k] y, int64[2, j] z) <float zero = {0}, int64[2] flat = {-1, 50}> "
		"{ m = Less(x, zero) y = NonZero(m) i = Cast<to = 7>(x) r = Reshape(i, flat) z = NonZero(r) }", "nonzero", false },
	{ "g (float[3, n, 4] x) => (int64[3, k] y, int64[3, j] z, int64[3, i] w) <float zero = {0}> "
		"{ l = Log(x) y = NonZero(l) b = Mul(x, zero) z = NonZero(b) c = Cast<to = 6>(x) w = NonZero(c) }", "nonzero", true },
	{ "g (double[n, 3, 40] x, double[40, 9] w) => (double[n, 3, 9] y) { y = MatMul(x, w) }", "matmul64", true },
	{ "g (double[2, 1, 37, 300] x, double[3, 300, 35] w) => (double[2, 3, 37, 35] y) { y = MatMul(x, w) }", "matmul64", false },
	{ "g (double[6, 5] x, double[7, 6] w) => (double[5, 7] y, double[6, 6] z) { y = Gemm<transA = 1, transB = 1, alpha = 0.5>(x, w) "
		"t = Transpose(x) z = MatMul(x, t) }", "matmul64", false },
	{ "g (float[n, 3, 9, 8] x, float[6, 3, 3, 3] w, float[6] b) => (float[n, 6, 5, 4] y) { y = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, w, b) }", "matmul", true },
	{ "g (float[2, 4, 9, 8] x, float[6, 2, 3, 2] w, float[6] b) => (float[2, 6, 7, 8] y) "
		"{ c = Conv<group = 2, dilations = [2, 1], pads = [0, 1, 2, 0]>(x, w, b) y = Relu(c) }", "matmul", false },
	{ "g (float[2, 5, 9, 8] x, float[5, 1, 3, 3] w) => (float[2, 5, 9, 8] y) { y = Conv<group = 5, auto_pad = \"SAME_UPPER\">(x, w) }", "matmul", false },
	{ "g (float[2, 5, 9, 8] x, float[7, 5, 1, 1] w, float[7] b) => (float[2, 7, 9, 8] y) { c = Conv(x, w, b) y = Sigmoid(c) }", "matmul", false },
	{ "g (float[2, 5, 9] x, float[7, 5, 4] w) => (float[2, 7, 3] y, float[2, 3, 7] z) { y = Conv<strides = [3], pads = [2, 0]>(x, w) z = Transpose<perm = [0, 2, 1]>(y) }", "matmul", false },
	{ "g (float[1, 2, 5, 6, 7] x, float[3, 2, 2, 3, 1] w) => (float[1, 3, 4, 4, 4] y) { y = Conv<strides = [1, 1, 2]>(x, w) }", "matmul", false },
	{ "g (float[9, 40] x) => (uint8[9, 40] a, int8[9, 40] b, uint16[9, 40] c, int16[9, 40] d, uint8[9, 40] e, uint8[9, 40] f, int64[9, 40] h) "
		"<float k = {200}, float m = {50000}> { y = Mul(x, k) z = Mul(x, m) l = Log(x) s = Add(y, l) a = Cast<to = 2>(s) b = Cast<to = 3>(s) c = Cast<to = 4>(z) "
		"d = Cast<to = 5>(z) i = Cast<to = 6>(z) j = Cast<to = 7>(z) e = Cast<to = 2>(i) f = Cast<to = 2>(j) h = Cast<to = 7>(b) }", "tile", false },
	{ "g (float[1, 3, 6, 6] x) => (float[1, 4, 4, 4] y, float[1, 4, 4, 4] z) <int64[4] s = {4, 3, 3, 3}, int64[1] k = {108}, int64 zero = {0}, int64 last = {1}> "
		"{ f = Flatten(x) w = Reshape(f, s) y = Conv(x, w) i = Neg(w) z = Conv(x, i) }", "matmul", false },
};

static void compare(const void *arg, uint32_t output, const Tensor *got, const Tensor *want)
{
	CompareRule rule = { .rtol = 1e-5, .atol = 1e-5 };
	CompareResult r;
	if (!tensors_compare(got, want, &rule, &r))
		fail_msg("%s\noutput %u: %s", (const char *)arg, output, r.why);
}

static void check_steps(const Case *t, const Exec *x, Arena *a)
{
	PlanStepInfo *steps;
	size_t n = exec_steps(x, a, &steps);
	bool found = false;
	for (size_t i = 0; i < n; i++) {
		found |= !strcmp(steps[i].kernel, t->kernel);
		if (!strcmp(steps[i].kernel, "evaluator"))
			fail_msg("%s\n%s is left to the evaluator", t->text, steps[i].text);
	}
	if (!found)
		fail_msg("%s\nno step is %s", t->text, t->kernel);
}

static void run_case(const void *one, Isa isa, int threads)
{
	const Case *t = one;
	static const int64_t SIZES[] = { 3, 1, 7, 0 };
	Arena *a = arena_new();
	PlanCase c;
	plan_case_begin(&c, arena_printf(a, "<ir_version: 8, opset_import: [\"\" : 18]>\n%s", t->text), isa, threads);
	for (size_t i = 0; i < ARRAY_LEN(SIZES); i++) {
		if (!SIZES[i] && !t->empty)
			continue;
		plan_case_run(&c, SIZES[i], compare, t->text);
		if (SIZES[i])
			check_steps(t, c.exec, a);
	}
	plan_case_end(&c);
	arena_free(a);
}

static void nothing_is_left_over(void **state)
{
	(void)state;
	plan_cases_run(CASES, ARRAY_LEN(CASES), sizeof *CASES, run_case);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_is_left_over) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What steps take in: plans against the evaluator, with the kernels that must run, and must not; and runs one after the other
 * of one Exec with inputs that change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "plan_case.h"

typedef struct Case {
	const char *name, *text;
	const char *kernel;   /* counted */
	int times, steps;     /* how often it runs, of so many steps; steps 0: any */
} Case;

/* Weights whose elements differ: "name" of `dims` elements. */
#define WEIGHTS(name, count, dims) \
	"n" name " = Range(zero, " count ", one) s" name " = Sin(n" name ") m" name " = Mul(s" name ", scale) " \
	name " = Reshape(m" name ", " dims ") "
#define HEAD "<float zero = {0}, float one = {1}, float scale = {0.2}, float n1 = {432}, float n2 = {400}, float n3 = {256},\n" \
	"int64[4] k1 = {16, 3, 3, 3}, int64[4] k2 = {16, 1, 5, 5}, int64[4] k3 = {16, 16, 1, 1}, float top = {6}>\n"
#define W1 WEIGHTS("w1", "n1", "k1")
#define W2 WEIGHTS("w2", "n2", "k2")
#define W3 WEIGHTS("w3", "n3", "k3")

/* An image a, and numbers q for its channels; m is their product. */
#define SQUEEZE(batch, size, product) "g (float[" batch ", 16, " size ", " size "] x) => (float[" batch ", 16, " size ", " size "] y)\n" \
	HEAD "{" W2 W3 "b = Conv(x, w3) a = Relu(b) p = GlobalAveragePool(a) s = Conv(p, w3) q = HardSigmoid(s) m = Mul(" product ") "

/* Dense layers with 1024 numbers a row between them: the rows of what the second reads lie apart. */
#define WIDE "<float zero = {0}, float one = {1}, float scale = {0.05}, float n4 = {8192}, float n5 = {6144}, int64[2] k4 = {8, 1024},\n" \
	"int64[2] k5 = {1024, 6}, int64[2] flat = {40, 1024}, int64[2] line = {1, 40960}>\n{" WEIGHTS("w4", "n4", "k4") WEIGHTS("w5", "n5", "k5")

static const Case CASES[] = {
	{ "rows that lie apart", "g (float[2, 20, 8] x) => (float[2, 20, 6] y)\n" WIDE "a = MatMul(x, w4) b = Tanh(a) y = MatMul(b, w5) }",
		"dense", 2, 2 },
	{ "rows read twice, one way by other shapes", "g (float[2, 20, 8] x) => (float[2, 20, 6] y, float[40, 6] z, float[1, 40960] l)\n" WIDE
		"a = MatMul(x, w4) b = Tanh(a) y = MatMul(b, w5) f = Reshape(b, flat) z = MatMul(f, w5)\n"
		"c = Abs(x) d = MatMul(c, w4) l = Reshape(d, line) }", "dense", 4, 6 },
	{ "rows of an output", "g (float[2, 20, 8] x) => (float[2, 20, 1024] a, float[2, 20, 6] y)\n" WIDE "a = MatMul(x, w4) y = MatMul(a, w5) }",
		"dense", 2, 2 },
	{ "an image in planes", "g (float[2, 3, 33, 30] x) => (float[2, 16, 17, 15] y)\n" HEAD "{" W1
		"c = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, w1) y = Relu(c) }", "conv-planes", 1, 2 },
	{ "planes, the result an output and used", "g (float[1, 3, 20, 20] x) => (float[1, 16, 20, 20] c, float[1, 16, 20, 20] y)\n" HEAD
		"{" W1 "c = Conv<pads = [1, 1, 1, 1]>(x, w1) y = HardSwish(c) }", "conv-planes", 1, 0 },
	{ "planes of a part of the channels", "g (float[2, 5, 20, 20] x) => (float[2, 16, 20, 20] y)\n<int64[2] parts = {3, 2}, float zero = {0}, float one = {1}, "
		"float scale = {0.2}, float n1 = {432}, int64[4] k1 = {16, 3, 3, 3}> {" W1
		"a, b = Split<axis = 1>(x, parts) y = Conv<pads = [1, 1, 1, 1]>(a, w1) }", "conv-planes", 1, 0 },
	{ "one plane", "g (float[2, 1, 28, 28] x) => (float[2, 16, 24, 24] y)\n" HEAD "{" W2 "y = Conv(x, w2) }", "conv-planes", 1, 0 },
	{ "channels that lie side by side", "g (float[2, 20, 20, 3] x) => (float[2, 16, 20, 20] y)\n" HEAD "{" W1
		"t = Transpose<perm = [0, 3, 1, 2]>(x) y = Conv<pads = [1, 1, 1, 1]>(t, w1) }", "conv-planes", 0, 0 },
	{ "many channels", "g (float[1, 16, 20, 20] x) => (float[1, 16, 20, 20] y)\n" HEAD "{" W3 "y = Conv(x, w3) }", "conv-planes", 0, 0 },
	{ "lines that are skipped", "g (float[1, 3, 60, 60] x) => (float[1, 16, 20, 20] y)\n" HEAD "{" W1
		"y = Conv<strides = [3, 3], pads = [0, 0, 1, 1]>(x, w1) }", "conv-planes", 0, 0 },
	{ "hard swish after convolutions", "g (float[1, 3, 24, 24] x) => (float[1, 16, 24, 24] y)\n" HEAD "{" W1 W2 W3
		"a = Conv<pads = [1, 1, 1, 1]>(x, w1) b = HardSwish(a) c = Conv<group = 16, pads = [2, 2, 2, 2]>(b, w2) d = HardSwish(c)\n"
		"e = Conv(d, w3) f = Add(e, b) y = HardSwish(f) }", "tile", 0, 0 },
	{ "bounds, then hard swish, then more", "g (float[1, 16, 12, 12] x) => (float[1, 16, 12, 12] y, float[1, 16, 12, 12] z)\n" HEAD "{" W3
		"a = Conv(x, w3) b = Clip(a, zero, top) y = HardSwish(b) c = Conv(y, w3) d = HardSwish(c) z = Tanh(d) }", "tile", 0, 0 },
	{ "squeeze and excite", SQUEEZE("1", "20", "a, q") "y = Conv(m, w3) }", "tile", 0, 6 },
	{ "numbers first, and a residual", SQUEEZE("1", "20", "q, a") "e = Conv(m, w3) f = Add(e, x) y = HardSwish(f) }", "tile", 0, 0 },
	{ "a scaled image that is used", SQUEEZE("1", "20", "a, q") "e = Conv(m, w3) y = Add(e, m) }", "tile", 1, 0 },
	{ "two scaled images", SQUEEZE("2", "20", "a, q") "y = Conv(m, w3) }", "tile", 1, 0 },
	{ "few scaled pixels", SQUEEZE("1", "3", "a, q") "y = Conv(m, w3) }", "tile", 1, 0 },
	{ "scaled pixels of a wide kernel", SQUEEZE("1", "20", "a, q") "y = Conv<group = 16, pads = [2, 2, 2, 2]>(m, w2) }", "tile", 1, 0 },
	{ "products in sums", "g (float[4, 50] x, float[50] s, float[4, 1] t) => (float[4, 50] y, float[4, 50] z)\n"
		"{ a = Mul(x, s) b = Add(a, t) c = Mul(b, b) d = Mul(b, x) e = Add(c, d) f = Sigmoid(e) y = Add(f, b) "
		"g = Mul(x, t) z = Add(s, g) }", "tile", 2, 2 },
	{ "products that more use, or that are outputs", "g (float[4, 50] x, float[50] s) => (float[4, 50] a, float[4, 50] y, float[4, 50] z)\n"
		"{ a = Mul(x, s) y = Add(a, x) b = Mul(x, x) c = Add(b, s) z = Mul(c, b) }", "tile", 3, 3 },
	{ "a product added to itself, and of integers", "g (float[4, 50] x, int64[4, 5] i) => (float[4, 50] y, int64[4, 5] z)\n"
		"{ a = Mul(x, x) b = Add(a, a) y = Tanh(b) c = Mul(i, i) z = Add(c, i) }", "tile", 2, 2 },
};

static void compare(const void *arg, uint32_t output, const Tensor *got, const Tensor *want)
{
	CompareRule rule = { .rtol = 1e-5, .atol = 2e-6 };
	CompareResult r;
	if (!tensors_compare(got, want, &rule, &r))
		fail_msg("%s, output %u: %s", (const char *)arg, output, r.why);
}

static void check_steps(const Case *t, const Exec *x, Arena *a)
{
	PlanStepInfo *steps;
	size_t n = exec_steps(x, a, &steps);
	int times = 0;
	for (size_t i = 0; i < n; i++)
		times += !strcmp(steps[i].kernel, t->kernel);
	if (times != t->times || (t->steps && (size_t)t->steps != n))
		fail_msg("%s: %d steps of %zu are %s, not %d of %d", t->name, times, n, t->kernel, t->times, t->steps);
}

static void run_case(const void *one, Isa isa, int threads)
{
	const Case *t = one;
	Arena *a = arena_new();
	PlanCase c;
	const char *what = arena_printf(a, "%s, %s, %d threads", t->name, isa_name(isa), threads);
	plan_case_begin(&c, arena_printf(a, "<ir_version: 8, opset_import: [\"\" : 18]>\n%s", t->text), isa, threads);
	for (int i = 0; i < 2; i++)
		plan_case_run(&c, 1, compare, what);
	check_steps(t, c.exec, a);
	plan_case_end(&c);
	arena_free(a);
}

static void fused_plans_agree(void **state)
{
	(void)state;
	plan_cases_run(CASES, ARRAY_LEN(CASES), sizeof *CASES, run_case);
}

static ExecArray floats(float *data, int64_t n, size_t bytes)
{
	return (ExecArray){ .dtype = DT_F32, .rank = 1, .dims = { n }, .data = data, .bytes = bytes };
}

/* y = -x of n elements. */
static void run_negate(Exec *x, float *data, int64_t n)
{
	ExecArray in = floats(data, n, (size_t)n * sizeof(float)), out = { 0 };
	assert_true(exec_run(x, &in, 1, &out, 1));
	assert_true(out.rank == 1 && out.dims[0] == n);
	for (int64_t i = 0; i < n; i++)
		assert_true(((float *)out.data)[i] == -data[i]);
}

/* Inputs at other places, of other sizes, and such as must be refused though the last run was right. */
static void runs_look_at_their_inputs(void **state)
{
	(void)state;
	PlanCase c;
	plan_case_begin(&c, "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[n] x) => (float[n] y) { y = Neg(x) }", isa_best(), 1);
	float a[6] = { 1, 2, 3, 4, 5, 6 }, b[6] = { -7, 8, -9, 10, 0, 2 }, room[4];
	run_negate(c.exec, a, 4);
	run_negate(c.exec, b, 4);
	a[2] = 12;
	run_negate(c.exec, a, 4);
	run_negate(c.exec, b, 6);
	run_negate(c.exec, a, 4);
	ExecArray in = floats(a, 4, 15), out = { 0 };
	assert_false(exec_run(c.exec, &in, 1, &out, 1)); /* too few bytes */
	run_negate(c.exec, b, 4);
	in = floats(a, 4, 16);
	in.dtype = DT_I32;
	assert_false(exec_run(c.exec, &in, 1, &out, 1));
	run_negate(c.exec, a, 4);
	in = floats(NULL, 4, 16);
	assert_false(exec_run(c.exec, &in, 1, &out, 1));
	run_negate(c.exec, a, 4);
	in = floats(a, 4, 16);
	assert_false(exec_run(c.exec, &in, 1, &out, 2)); /* there is one output */
	run_negate(c.exec, a, 4);
	out = (ExecArray){ .data = room, .bytes = 8 };
	assert_false(exec_run(c.exec, &in, 1, &out, 1)); /* no room */
	out = (ExecArray){ .data = room, .bytes = 16 };
	assert_true(exec_run(c.exec, &in, 1, &out, 1) && room[3] == -4);
	run_negate(c.exec, b, 6);
	plan_case_end(&c);
}

/* A bad index is told once; the next run is right again. */
static void faults_are_forgotten(void **state)
{
	(void)state;
	PlanCase c;
	plan_case_begin(&c, "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[3] x, int64[2] i, int64[2] k) => (float[2] y, float[2] z)\n"
		"{ y = Gather(x, i) z = Gather(x, k) }", isa_best(), 1);
	float x[3] = { 1, 2, 3 };
	int64_t good[2] = { 2, 0 }, bad[2] = { 1, 9 };
	for (int i = 0; i < 4; i++) {
		int64_t *index = i % 2 ? bad : good;
		ExecArray in[3] = { floats(x, 3, sizeof(x)), { .dtype = DT_I64, .rank = 1, .dims = { 2 }, .data = index, .bytes = 16 } };
		ExecArray out[2] = { { 0 } };
		in[2] = in[1];
		assert_true(exec_run(c.exec, in, 3, out, 2) == (i % 2 == 0));
		assert_true(i % 2 || ((float *)out[1].data)[0] == 3);
	}
	plan_case_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fused_plans_agree), cmocka_unit_test(runs_look_at_their_inputs),
		cmocka_unit_test(faults_are_forgotten) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

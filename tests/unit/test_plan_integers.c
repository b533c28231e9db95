/* Plans of quantised models against the evaluator, and which kernels they run. Integers must be the same to the last one; where a
 * float op on dequantised operands runs on the integers, a result may be one step of the grid away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan_case.h"

/* In the text, "%TYPE[dims] name" among the initialisers stands for seeded data. */
typedef struct Case {
	const char *name, *text;
	const char *has, *lacks;  /* kernels of the plan */
	bool steps;               /* integers may differ by one: a float op ran on integers */
	const char *sizes[3];     /* of the symbol n */
} Case;

#define QUANT_X "xq = QuantizeLinear(x, xs, xz) xd = DequantizeLinear(xq, xs, xz)\n"
#define GRIDS "float xs = {0.02}, uint8 xz = {117}, float ys = {0.31}, uint8 yz = {131}"

static const Case CASES[] = {
	/* elementwise */
	{ "to every type", "g (float[3, 5, 40] x) => (uint8[3, 5, 40] a, int8[3, 5, 40] b, uint16[3, 5, 40] c, int16[3, 5, 40] d)\n"
		"<float s = {0.013}, uint8 za = {128}, int8 zb = {-3}, uint16 zc = {30000}, int16 zd = {5}> { a = QuantizeLinear(x, s, za)\n"
		"b = QuantizeLinear(x, s, zb) c = QuantizeLinear(x, s, zc) d = QuantizeLinear(x, s, zd) }", "tile", "evaluator" },
	{ "from every type", "g (uint8[3, 50] a, int8[3, 50] b, uint16[3, 50] c, int16[3, 50] d, int32[3, 50] e) => (float[3, 50] y, float[3, 50] z)\n"
		"<float s = {0.013}, uint8 za = {128}, int8 zb = {-3}, uint16 zc = {30000}, int16 zd = {5}, int32 ze = {0}> {\n"
		"p = DequantizeLinear(a, s, za) q = DequantizeLinear(b, s, zb) r = DequantizeLinear(c, s, zc) t = DequantizeLinear(d, s, zd)\n"
		"z = DequantizeLinear(e, s, ze) u = Add(p, q) v = Add(r, t) y = Mul(u, v) }", "tile", "evaluator" },
	{ "a scale for each channel", "g (float[2, 6, 5, 7] x) => (int8[2, 6, 5, 7] q, float[2, 6, 5, 7] y)\n"
		"<%float[6] s, %int8[6] z> { q = QuantizeLinear<axis = 1>(x, s, z) d = DequantizeLinear<axis = -3>(q, s, z) y = Relu(d) }",
		"tile", "evaluator" },
	{ "a scale that the run computes", "g (float[4, 9] x, float[1] t) => (uint8[4, 9] q, float[4, 9] y) <uint8 z = {3}> { s = Abs(t)\n"
		"q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z) }", "tile", "evaluator" },
	{ "blocks of scales", "g (float[4, 8] x) => (uint8[4, 8] q) <%float[4, 2] s> { q = QuantizeLinear<axis = 1, block_size = 4>(x, s) }",
		"evaluator", NULL },
	{ "a dequantised value of several uses", "g (float[2, 40] x) => (uint8[2, 40] q, float[2] m, float[2, 40] d)\n"
		"<" GRIDS ", int64[1] ax = {1}> {" QUANT_X "d = Neg(xd) m = ReduceMean<keepdims = 0>(xd, ax) e = Exp(xd)\n"
		"q = QuantizeLinear(e, ys, yz) }", "reduce", "evaluator" },
	{ "dequantised outputs", "g (float[2, 40] x) => (float[2, 40] xd, float[2, 40] y) <" GRIDS "> {" QUANT_X "y = Neg(xd) }", "tile",
		"evaluator" },
	{ "numbers grow wider in a register", "g (float[4, 100] x, float[4, 100] z) => (float[4, 100] y, float[4, 100] w)\n"
		"{ a = Greater(x, z) b = Cast<to = 1>(a) y = Add(b, x) c = Less(x, z) d = Neg(x) w = Where(c, d, z) }", "tile", "evaluator" },
	{ "a comparison after a convolution", "g (float[1, 4, 6, 6] x) => (bool[1, 8, 6, 6] y)\n"
		"<%float[8, 4, 1, 1] w, float zero = {0}> { a = Conv(x, w) y = Greater(a, zero) }", "conv", "evaluator" },
	/* integers as the model says them */
	{ "a product of integers", "g (uint8[3, 70] a, int8[3, 70] b) => (int32[3, 37] y, int32[3, 37] z) <%int8[70, 37] w, %uint8[70, 37] v,\n"
		"uint8 za = {9}, int8 zb = {-7}, uint8 zv = {200}> { y = MatMulInteger(a, w, za) z = MatMulInteger(b, v, zb, zv) }", "int8",
		"evaluator" },
	{ "zero points of columns", "g (uint8[2, 3, 21] a) => (int32[2, 3, 5] y) <%int8[21, 5] w, uint8 za = {9}, %int8[5] zw> {\n"
		"y = MatMulInteger(a, w, za, zw) }", "int8", "evaluator" },
	{ "a zero point of each row", "g (uint8[3, 21] a) => (int32[3, 5] y) <%int8[21, 5] w, %uint8[3] za> { y = MatMulInteger(a, w, za) }",
		"evaluator", "int8" },
	{ "both factors computed", "g (uint8[3, 21] a, int8[21, 5] b) => (int32[3, 5] y) { y = MatMulInteger(a, b) }", "evaluator", "int8" },
	{ "dynamic quantisation", "g (float[n, 64] x) => (float[n, 33] y) <%int8[64, 33] w, float ws = {0.01}, %float[33] b> {\n"
		"q, s, z = DynamicQuantizeLinear(x) p = MatMulInteger(q, w, z) f = Cast<to = 1>(p) t = Mul(s, ws) m = Mul(f, t)\n"
		"y = Add(m, b) }", "int8", "evaluator", false, { "1", "19", "2" } },
	{ "dynamic quantisation of images", "g (float[2, 5, 9, 8] x) => (float[2, 6, 9, 8] y) <%int8[6, 5, 3, 3] w, float ws = {0.01}> {\n"
		"q, s, z = DynamicQuantizeLinear(x) p = ConvInteger<pads = [1, 1, 1, 1]>(q, w, z) f = Cast<to = 1>(p) t = Mul(s, ws)\n"
		"y = Mul(f, t) }", "int8", "evaluator" },
	{ "QLinearMatMul", "g (uint8[2, 5, 40] a, int8[5, 40] b) => (uint8[2, 5, 18] y, int8[5, 18] z) <" GRIDS ", %int8[40, 18] w, %float[18] ws,\n"
		"%int8[18] wz, int8 bz = {-4}, int8 zz = {11}, float one = {0.02}, int8 oz = {0}> {\n"
		"y = QLinearMatMul(a, xs, xz, w, ws, wz, ys, yz) z = QLinearMatMul(b, xs, bz, w, one, oz, ys, zz) }", "int8", "evaluator" },
	{ "QLinearConv", "g (uint8[2, 5, 9, 8] x) => (uint8[2, 7, 5, 4] y, int8[2, 6, 9, 8] z) <" GRIDS ", %int8[7, 5, 3, 3] w, %float[7] ws,\n"
		"%int8[7] wz, %int32[7] b, %uint8[6, 5, 1, 1] v, float vs = {0.02}, uint8 vz = {140}, int8 zz = {-20}> {\n"
		"y = QLinearConv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, xs, xz, w, ws, wz, ys, yz, b)\n"
		"z = QLinearConv(x, xs, xz, v, vs, vz, ys, zz) }", "int8", "evaluator" },
	{ "QLinearConv in groups, dilated", "g (int8[1, 8, 11, 9] x) => (int8[1, 12, 9, 5] y) <float xs = {0.02}, int8 xz = {5}, %int8[12, 2, 3, 3] w,\n"
		"float ws = {0.01}, int8 wz = {0}, float ys = {0.3}, int8 yz = {1}> {\n"
		"y = QLinearConv<group = 4, dilations = [1, 2]>(x, xs, xz, w, ws, wz, ys, yz) }", "int8", "evaluator" },
	{ "QLinearConv by channel", "g (uint8[2, 70, 9, 8] x) => (uint8[2, 70, 5, 8] y) <" GRIDS ", %uint8[70, 1, 3, 3] w, %float[70] ws,\n"
		"%uint8[70] wz, %int32[70] b> { y = QLinearConv<group = 70, pads = [1, 1, 1, 1], strides = [2, 1]>(x, xs, xz, w, ws, wz, ys, yz, b) }",
		"int8-depthwise", "evaluator" },
	{ "a line and a volume", "g (uint8[1, 6, 30] x, uint8[1, 3, 4, 6, 5] v) => (int32[1, 4, 28] y, int32[1, 5, 4, 6, 5] z)\n"
		"<%int8[4, 6, 3] w, %int8[5, 3, 3, 3, 3] u, uint8 xz = {77}> { y = ConvInteger(x, w, xz)\n"
		"z = ConvInteger<pads = [1, 1, 1, 1, 1, 1]>(v, u, xz) }", "int8", "evaluator" },
	{ "sums that need more than 32 bits", "g (uint8[1, 40000] a) => (uint8[1, 2] y) <" GRIDS ", int64[2] sh = {40000, 2}, float ws = {0.001},\n"
		"uint8 wz = {0}> { w = ConstantOfShape<value = uint8[1] {255}>(sh) y = QLinearMatMul(a, xs, xz, w, ws, wz, ys, yz) }", "evaluator",
		"int8" },
	{ "sums that wrap around", "g (uint8[1, 40000] a) => (int32[1, 2] y) <int64[2] sh = {40000, 2}> {\n"
		"w = ConstantOfShape<value = uint8[1] {255}>(sh) y = MatMulInteger(a, w) }", "int8", "evaluator" },
	{ "nothing at all", "g (uint8[0, 8] a) => (int32[0, 3] y) <%int8[8, 3] w> { y = MatMulInteger(a, w) }", NULL, "evaluator" },
	{ "a pool of integers", "g (uint8[2, 5, 9, 8] x, int8[1, 3, 7] z) => (uint8[2, 5, 4, 7] y, int8[1, 3, 6] w) {\n"
		"y = MaxPool<kernel_shape = [3, 2], strides = [2, 1]>(x) w = MaxPool<kernel_shape = [2]>(z) }", "max-pool", "evaluator" },
	/* operators of com.microsoft, weights of few bits, halves */
	{ "QLinearAdd and QGemm", "g (uint8[3, 40] x, uint8[3, 40] z) => (uint8[3, 40] y, uint8[3, 20] w) <" GRIDS ", %int8[20, 40] v, float vs = {0.01},\n"
		"int8 vz = {0}, %int32[20] b> { y = com.microsoft.QLinearAdd(x, xs, xz, z, ys, yz, ys, yz)\n"
		"w = com.microsoft.QGemm<transB = 1>(x, xs, xz, v, vs, vz, b, ys, yz) }", "int8", "evaluator", true },
	{ "weights of 4 bits", "g (float[2, 3, 70] x, float[20, 70] z) => (float[2, 3, 37] y, float[20, 37] w) <%uint8[37, 3, 16] b, %float[111] s, %float[37] bias> {\n"
		"m = com.microsoft.MatMulNBits<K = 70, N = 37, bits = 4, block_size = 32>(x, b, s) a = Add(m, bias) y = Sigmoid(a)\n"
		"w = com.microsoft.MatMulNBits<K = 70, N = 37, bits = 4, block_size = 32>(z, b, s) }", "blocks", "evaluator" },
	{ "weights of 4 bits with zero points", "g (float[n, 300] x) => (float[n, 5] y) <%uint8[5, 3, 64] b, %float[15] s, %uint8[10] z> {\n"
		"y = com.microsoft.MatMulNBits<K = 300, N = 5, bits = 4, block_size = 128>(x, b, s, z) }", "blocks", "evaluator", false,
		{ "1", "17", "3" } },
	{ "weights of 8 bits", "g (float[1, 48] x) => (float[1, 40] y) <%uint8[40, 3, 16] b, %float[120] s> {\n"
		"y = com.microsoft.MatMulNBits<K = 48, N = 40, bits = 8, block_size = 16>(x, b, s) }", "blocks", "evaluator" },
	{ "halves", "g (float16[2, 4, 7, 6] x) => (float16[2, 8, 7, 6] y, float16[2, 8] m, bool[2, 8, 7, 6] p)\n"
		"<%float[8, 4, 3, 3] w, int64[2] ax = {2, 3}, float16 zero = {0}> { v = Cast<to = 10>(w) c = Conv<pads = [1, 1, 1, 1]>(x, v) y = Relu(c)\n"
		"m = ReduceMean<keepdims = 0>(y, ax) p = Greater(c, zero) }", "conv", "evaluator" },
	{ "halves of the other kind", "g (bfloat16[3, 40] x) => (bfloat16[3, 20] y, int64[3, 1] k) <%float[40, 20] w> { v = Cast<to = 16>(w)\n"
		"a = MatMul(x, v) y = Softmax(a) k = ArgMax<axis = 1>(x) }", "dense", NULL },
	{ "a table of halves", "g (int64[5] i) => (float16[5, 8] y) <%float[9, 8] t> { h = Cast<to = 10>(t) e = Gather(h, i) y = Tanh(e) }", "gather",
		"evaluator" },
	{ "halves in a branch", "g (float16[6] x, bool c) => (float16[6] y) { s = Mul(x, x) y = If(c) <then_branch = t () => (float16[6] a) {\n"
		"a = Add(s, x) }, else_branch = e () => (float16[6] b) { b = Sub(s, x) }> z = Neg(y) }", NULL, NULL },
	/* float ops on dequantised operands */
	{ "a convolution between grids", "g (float[2, 5, 9, 8] x) => (uint8[2, 12, 9, 8] y) <" GRIDS ", %int8[12, 5, 3, 3] w, %float[12] ws, %int8[12] wz,\n"
		"%float[12] b> {" QUANT_X "wd = DequantizeLinear<axis = 0>(w, ws, wz) c = Conv<pads = [1, 1, 1, 1]>(xd, wd, b) r = Relu(c)\n"
		"y = QuantizeLinear(r, ys, yz) }", "int8", "evaluator", true },
	{ "a convolution, a residual, a grid", "g (float[1, 8, 7, 6] x) => (uint8[1, 8, 7, 6] y) <" GRIDS ", %int8[8, 8, 3, 3] w, float ws = {0.01}, int8 wz = {0}> {\n"
		QUANT_X "wd = DequantizeLinear(w, ws, wz) c = Conv<pads = [1, 1, 1, 1]>(xd, wd) cq = QuantizeLinear(c, ys, yz)\n"
		"cd = DequantizeLinear(cq, ys, yz) a = Add(cd, xd) r = Relu(a) y = QuantizeLinear(r, ys, yz) }", "int8", "conv", true },
	{ "by channel between grids", "g (float[1, 8, 7, 6] x) => (uint8[1, 8, 7, 6] y) <" GRIDS ", %int8[8, 1, 3, 3] w, %float[8] ws, int64[1] ax = {0}> {\n"
		QUANT_X "wd = DequantizeLinear<axis = 0>(w, ws) c = Conv<group = 8, pads = [1, 1, 1, 1]>(xd, wd)\n"
		"y = QuantizeLinear(c, ys, yz) }", "int8-depthwise", "depthwise", true },
	{ "a product between grids", "g (float[3, 40] x) => (uint8[3, 20] y, float[3, 20] z) <" GRIDS ", %int8[20, 40] w, %float[20] ws, %float[20] b, %int8[40, 20] v,\n"
		"float vs = {0.01}> {" QUANT_X "wd = DequantizeLinear<axis = 0>(w, ws) m = Gemm<transB = 1>(xd, wd, b) y = QuantizeLinear(m, ys, yz)\n"
		"vd = DequantizeLinear(v, vs) p = MatMul(xd, vd) q = Add(p, b) z = Sigmoid(q) }", "int8", "dense", true },
	{ "scales along the wrong axis", "g (float[3, 40] x) => (uint8[3, 20] y) <" GRIDS ", %int8[40, 20] w, %float[40] ws> {" QUANT_X
		"wd = DequantizeLinear<axis = 0>(w, ws) m = MatMul(xd, wd) y = QuantizeLinear(m, ys, yz) }", "dense", "int8", true },
	{ "input channels of their own scale", "g (float[1, 6, 5, 5] x) => (float[1, 4, 5, 5] y) <%float[6] s, %int8[4, 6, 1, 1] w, float ws = {0.01}> {\n"
		"xq = QuantizeLinear<axis = 1>(x, s) xd = DequantizeLinear<axis = 1>(xq, s) wd = DequantizeLinear(w, ws) y = Conv(xd, wd) }",
		"conv", "int8" },
	{ "an input's scale of the run", "g (float[3, 40] x, float[1] t) => (float[3, 20] y) <uint8 z = {3}, %int8[40, 20] w, float ws = {0.01}> {\n"
		"s = Abs(t) xq = QuantizeLinear(x, s, z) xd = DequantizeLinear(xq, s, z) wd = DequantizeLinear(w, ws) y = MatMul(xd, wd) }", "dense",
		"int8" },
	{ "weights of the run", "g (float[3, 40] x, int8[40, 20] w) => (float[3, 20] y) <" GRIDS ", float ws = {0.01}> {" QUANT_X
		"wd = DequantizeLinear(w, ws) y = MatMul(xd, wd) }", "matmul", "int8" },
	{ "float weights", "g (float[3, 40] x) => (uint8[3, 20] y) <" GRIDS ", %float[40, 20] w> {" QUANT_X "m = MatMul(xd, w)\n"
		"y = QuantizeLinear(m, ys, yz) }", "dense", "int8", true },
	{ "a batch that changes", "g (float[n, 4, 6, 6] x) => (float[n, 9, 6, 6] y) <" GRIDS ", %int8[9, 4, 3, 3] w, %float[9] ws> {" QUANT_X
		"wd = DequantizeLinear<axis = 0>(w, ws) c = Conv<pads = [1, 1, 1, 1]>(xd, wd) cq = QuantizeLinear(c, ys, yz)\n"
		"cd = DequantizeLinear(cq, ys, yz) y = Tanh(cd) }", "int8", "evaluator", true, { "1", "3", "2" } },
};

/* ---- seeded data in texts ---- */

static void put_data(Buf *b, Rng *r, const char *type, size_t len, int64_t n)
{
	buf_puts(b, " = {");
	for (int64_t i = 0; i < n; i++) {
		const char *sep = i ? ", " : "";
		if (!strncmp(type, "float", len))
			buf_printf(b, "%s%.4f", sep, 0.01 + 0.05 * rng_unit(r));
		else if (!strncmp(type, "uint8", len))
			buf_printf(b, "%s%d", sep, (int)rng_below(r, 256));
		else if (!strncmp(type, "int8", len))
			buf_printf(b, "%s%d", sep, (int)rng_below(r, 256) - 128);
		else
			buf_printf(b, "%s%d", sep, (int)rng_below(r, 4001) - 2000);
	}
	buf_puts(b, "}");
}

static char *with_data(Arena *a, const char *text)
{
	Buf b = { 0 };
	Rng r = { 11 };
	for (const char *s = text; *s; s++) {
		if (*s != '%') {
			buf_put(&b, s, 1);
			continue;
		}
		const char *type = s + 1, *dims = strchr(s, '['), *close = strchr(s, ']');
		int64_t n = 1;
		for (const char *d = dims + 1; d < close; d = strpbrk(d, ",]") + 1)
			n *= strtoll(d, NULL, 10);
		const char *end = close + strcspn(close, ",>");
		buf_put(&b, type, (size_t)(end - type));
		put_data(&b, &r, type, (size_t)(dims - type), n);
		s = end - 1;
	}
	char *out = arena_strdup(a, b.data);
	buf_free(&b);
	return out;
}

/* ---- runs ---- */

/* A run, for messages. */
typedef struct PlanRun {
	const Case *t;
	Isa isa;
	int threads;
} PlanRun;

static void compare(const void *arg, uint32_t output, const Tensor *got, const Tensor *want)
{
	const PlanRun *run = arg;
	const Case *t = run->t;
	CompareRule rule = { .rtol = 1e-5, .atol = 1e-5 };
	if (got->dtype == DT_F16 || got->dtype == DT_BF16)
		rule.rtol = rule.atol = got->dtype == DT_F16 ? 2e-3 : 2e-2; /* roundings that the plan leaves out */
	CompareResult r;
	if (t->steps && dtype_is_integer(got->dtype))
		rule.atol = 1;
	else if (t->steps)
		rule.atol = 0.02; /* steps on the way to it */
	else if (dtype_is_integer(got->dtype))
		rule.rtol = rule.atol = 0;
	if (!tensors_compare(got, want, &rule, &r))
		fail_msg("%s, %s, %d threads, output %u: %s", t->name, isa_name(run->isa), run->threads, output, r.why);
}

/* "conv": of floats, in either layout of the input. */
static bool runs_kernel(const Exec *x, Arena *a, const char *name)
{
	PlanStepInfo *info;
	size_t n = exec_steps(x, a, &info);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(info[i].kernel, name) || (!strcmp(name, "conv") && !strcmp(info[i].kernel, "conv-planes")))
			return true;
	return false;
}

static void run_case(const void *one, Isa isa, int threads)
{
	const Case *t = one;
	Arena *a = arena_new();
	PlanCase c;
	PlanRun run = { t, isa, threads };
	const char *text = arena_printf(a, "<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]>\n%s", with_data(a, t->text));
	plan_case_begin(&c, text, isa, threads);
	for (size_t i = 0; i < ARRAY_LEN(t->sizes) && (i == 0 || t->sizes[i]); i++)
		plan_case_run(&c, t->sizes[i] ? atoi(t->sizes[i]) : 1, compare, &run);
	if (t->has && !runs_kernel(c.exec, a, t->has))
		fail_msg("%s, %s, %d threads: no step of kernel %s", t->name, isa_name(isa), threads, t->has);
	if (t->lacks && runs_kernel(c.exec, a, t->lacks))
		fail_msg("%s, %s, %d threads: a step of kernel %s", t->name, isa_name(isa), threads, t->lacks);
	plan_case_end(&c);
	arena_free(a);
}

static void plans_agree_with_the_evaluator(void **state)
{
	(void)state;
	plan_cases_run(CASES, ARRAY_LEN(CASES), sizeof *CASES, run_case);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(plans_agree_with_the_evaluator) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

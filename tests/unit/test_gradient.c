/* Derivatives that the operator Gradient gives, against differences: for each case z is the sum of the squares of what an
 * expression gives, and every element of every input is moved a little to both sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "format/format.h"

typedef struct GradientCase {
	const char *inputs; /* "a[2,3] b[3]" */
	const char *nodes;  /* that give y */
	double low, high;   /* of the inputs' elements */
} GradientCase;

static const GradientCase cases[] = {
	{ "a[2,3]", "y = Abs (a)", -2, 2 }, { "a[2,3]", "y = Sqrt (a)", 0.5, 2 }, { "a[2,3]", "y = Reciprocal (a)", 0.5, 2 },
	{ "a[2,3]", "y = Exp (a)", -1, 1 }, { "a[2,3]", "y = Log (a)", 0.5, 2 }, { "a[2,3]", "y = Sin (a)", -2, 2 },
	{ "a[2,3]", "y = Cos (a)", -2, 2 }, { "a[2,3]", "y = Tan (a)", -1, 1 }, { "a[2,3]", "y = Asin (a)", -0.9, 0.9 },
	{ "a[2,3]", "y = Acos (a)", -0.9, 0.9 }, { "a[2,3]", "y = Atan (a)", -2, 2 }, { "a[2,3]", "y = Sinh (a)", -1, 1 },
	{ "a[2,3]", "y = Cosh (a)", -1, 1 }, { "a[2,3]", "y = Tanh (a)", -2, 2 }, { "a[2,3]", "y = Asinh (a)", -2, 2 },
	{ "a[2,3]", "y = Acosh (a)", 1.2, 3 }, { "a[2,3]", "y = Atanh (a)", -0.9, 0.9 }, { "a[2,3]", "y = Erf (a)", -2, 2 },
	{ "a[2,3]", "y = Sigmoid (a)", -2, 2 }, { "a[3,4]", "y = Relu (a)", -2, 2 }, { "a[2,3]", "y = Softplus (a)", -2, 2 },
	{ "a[2,3]", "y = Softsign (a)", -2, 2 }, { "a[3,4]", "y = Elu <alpha = 0.5> (a)", -2, 2 }, { "a[3,4]", "y = Selu (a)", -2, 2 },
	{ "a[3,4]", "y = Celu <alpha = 0.5> (a)", -2, 2 }, { "a[3,4]", "y = LeakyRelu <alpha = 0.5> (a)", -2, 2 },
	{ "a[3,4]", "y = ThresholdedRelu <alpha = 0.5> (a)", -2, 2 }, { "a[3,4]", "y = HardSigmoid (a)", -4, 4 },
	{ "a[3,4]", "y = HardSwish (a)", -4, 4 }, { "a[2,3]", "y = Mish (a)", -2, 2 }, { "a[2,3]", "y = Gelu (a)", -2, 2 },
	{ "a[2,3]", "y = Gelu <approximate = \"tanh\"> (a)", -2, 2 }, { "a[2,3]", "y = Neg (a)", -2, 2 },
	{ "a[2,3]", "y = Cast <to = 11> (a)", -2, 2 }, { "a[2,3]", "f = Floor (a) y = Mul (f, a)", 0.1, 0.9 },
	{ "a[2,3] b[3]", "y = Add (a, b)", -2, 2 }, { "a[2,3] b[2,1]", "y = Sub (a, b)", -2, 2 }, { "a[2,3] b[1]", "y = Mul (a, b)", -2, 2 },
	{ "a[3] b[2,3]", "y = Div (a, b)", 0.5, 2 }, { "a[2,3] b[3]", "y = Pow (a, b)", 0.5, 2 }, { "a[2,3] b[2,3]", "y = Max (a, b)", -2, 2 },
	{ "a[2,3] b[3]", "y = Min (a, b)", -2, 2 }, { "a[2,3] b[3]", "y = PRelu (a, b)", -2, 2 }, { "a[2,3] b[3] c[1]", "y = Sum (a, b, c)", -2, 2 },
	{ "a[2,3] b[3]", "y = Mean (a, b)", -2, 2 }, { "a[2,3] b[3]", "c = Greater (a, b) y = Where (c, a, b)", -2, 2 },
	{ "a[3,4]", "y = Clip (a, low, high)", -2, 2 },
	{ "a[2,3] b[3,4]", "y = MatMul (a, b)", -2, 2 }, { "a[2,2,3] b[3,4]", "y = MatMul (a, b)", -2, 2 }, { "a[3] b[2,3,4]", "y = MatMul (a, b)", -2, 2 },
	{ "a[2,2,3] b[3]", "y = MatMul (a, b)", -2, 2 }, { "a[3] b[3]", "y = MatMul (a, b)", -2, 2 },
	{ "a[3,2] b[4,3] c[4]", "y = Gemm <alpha = 0.5, beta = 2.0, transA = 1, transB = 1> (a, b, c)", -2, 2 },
	{ "a[2,3] b[3,4]", "y = Gemm (a, b)", -2, 2 },
	{ "a[2,3,4]", "y = ReduceSum (a, one)", -2, 2 }, { "a[2,3,4]", "y = ReduceMean <keepdims = 0> (a, two_axes)", -2, 2 },
	{ "a[2,3]", "y = ReduceSumSquare (a)", -2, 2 }, { "a[2,3]", "y = ReduceL1 <keepdims = 0> (a, one)", 0.5, 2 },
	{ "a[2,3]", "y = ReduceL2 <keepdims = 0> (a, one)", 0.5, 2 }, { "a[2,3]", "y = ReduceLogSum (a, one)", 0.5, 2 },
	{ "a[2,3]", "y = ReduceLogSumExp (a, one)", -2, 2 }, { "a[2,3]", "y = ReduceProd (a, one)", 0.5, 2 },
	{ "a[2,3]", "y = ReduceMax <keepdims = 0> (a, one)", -2, 2 }, { "a[2,3]", "y = ReduceMin (a, one)", -2, 2 },
	{ "a[2,3,4]", "y = Flatten (a)", -2, 2 }, { "a[2,3]", "t = Transpose (a) y = MatMul (a, t)", -2, 2 },
	{ "a[2,1,3]", "s = Squeeze (a, one) u = Unsqueeze (s, one) y = Mul (u, a)", -2, 2 }, { "a[2,1]", "y = Expand (a, shape)", -2, 2 },
	{ "a[2,3] b[2,2]", "y = Concat <axis = -1> (a, b)", -2, 2 }, { "a[2,5]", "p, q = Split <axis = 1> (a, parts) r = Sin (p) y = Concat <axis = 1> (q, r)", -2, 2 },
	{ "a[2,5]", "p, q = Split <axis = 1> (a, parts) y = Sin (q)", -2, 2 },
	{ "a[3,5]", "y = Slice (a, from, to, ones)", -2, 2 }, { "a[2,3]", "y = Pad (a, pads)", -2, 2 },
	{ "a[4,3]", "y = Gather (a, rows)", -2, 2 }, { "a[2,4,3]", "y = Gather <axis = 1> (a, rows)", -2, 2 },
	{ "a[2,3]", "y = GatherElements <axis = 1> (a, columns)", -2, 2 },
	{ "a[2,3,4]", "y = Softmax <axis = 1> (a)", -2, 2 }, { "a[2,3]", "y = LogSoftmax (a)", -2, 2 },
	{ "a[1,2,6] k[3,2,3] b[3]", "y = Conv <strides = [2], pads = [1, 0]> (a, k, b)", -2, 2 },
	{ "a[2,4,5,6] k[6,2,3,2]", "y = Conv <group = 2, strides = [2, 1], pads = [1, 0, 2, 1], dilations = [1, 2]> (a, k)", -2, 2 },
	{ "a[2,2,7,7] k[2,1,2,3]", "y = Conv <group = 2, strides = [3, 2]> (a, k)", -2, 2 },
	{ "a[1,2,6,5]", "y = AveragePool <kernel_shape = [3, 2], strides = [2, 2], pads = [1, 0, 1, 1]> (a)", -2, 2 },
	{ "a[1,2,6,5]", "y = AveragePool <kernel_shape = [3, 2], strides = [2, 2], pads = [1, 0, 1, 1], count_include_pad = 1, ceil_mode = 1> (a)", -2, 2 },
	{ "a[2,2,6,5]", "y = MaxPool <kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 1]> (a)", -2, 2 },
	{ "a[2,3,4,2]", "y = GlobalAveragePool (a)", -2, 2 },
	{ "a[2,3,2] s[3] b[3]", "y = BatchNormalization (a, s, b, mean, var)", -2, 2 },
	{ "a[2,3,4] s[4] b[4]", "y = LayerNormalization (a, s, b)", -2, 2 },
	{ "a[2,3]", "y = SoftmaxCrossEntropyLoss (a, classes)", -2, 2 },
	{ "a[2,3] b[3,2]", "h = MatMul (a, b) t = Tanh (h) u = MatMul (t, a) v = Sigmoid (u) y = Mul (v, a)", -1, 1 },
};

static const char constants[] = "double low = {-1}, double high = {1}, int64[1] one = {1}, int64[2] two_axes = {-1, 0}, int64[2] shape = {2, 3}, "
	"int64[2] parts = {2, 3}, int64[2] from = {1, -4}, int64[2] to = {3, 4}, int64[2] ones = {0, 1}, int64[4] pads = {1, 0, -1, 2}, "
	"int64[2,2] rows = {3, 0, 1, 3}, int64[2,2] columns = {2, 0, 1, 1}, double[3] mean = {0.5, -0.5, 0}, double[3] var = {1, 2, 0.5}, "
	"int64[2] classes = {2, 0}";

typedef struct Run {
	Context *c;
	Arena *a;
	Module *m;
	size_t nin;
	int64_t dims[4][8];
	int rank[4];
	char names[4][4];
} Run;

static void read_inputs(Run *r, const char *s)
{
	for (r->nin = 0; *s; r->nin++) {
		size_t n = strcspn(s, "[");
		snprintf(r->names[r->nin], sizeof r->names[0], "%.*s", (int)n, s);
		for (s += n; *s && *s != ']' && *s != ' '; s += strcspn(s + 1, ",]") + 1)
			if (s[1] != 0 && *s != ']')
				r->dims[r->nin][r->rank[r->nin]++] = atoll(s + 1);
		s += *s == ']';
		s += *s == ' ';
	}
}

static Module *build(Run *r, const GradientCase *k)
{
	Buf b = { 0 };
	buf_puts(&b, "<ir_version: 8, opset_import: [\"\" : 20, \"ai.onnx.preview.training\" : 1]>\ng (");
	for (size_t i = 0; i < r->nin; i++) {
		buf_printf(&b, "%sdouble[", i ? ", " : "");
		for (int d = 0; d < r->rank[i]; d++)
			buf_printf(&b, "%s%lld", d ? "," : "", (long long)r->dims[i][d]);
		buf_printf(&b, "] %s", r->names[i]);
	}
	buf_puts(&b, ") => (z");
	for (size_t i = 0; i < r->nin; i++)
		buf_printf(&b, ", d%s", r->names[i]);
	buf_printf(&b, ") <%s> {\n%s\nyy = Mul (y, y) z = ReduceSum <keepdims = 0> (yy)\n", constants, k->nodes);
	for (size_t i = 0; i < r->nin; i++)
		buf_printf(&b, "%sd%s", i ? ", " : "", r->names[i]);
	buf_puts(&b, " = ai.onnx.preview.training.Gradient <xs = [");
	for (size_t i = 0; i < r->nin; i++)
		buf_printf(&b, "%s\"%s\"", i ? ", " : "", r->names[i]);
	buf_puts(&b, "], y = \"z\"> (");
	for (size_t i = 0; i < r->nin; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", r->names[i]);
	buf_puts(&b, ")\n}\n");
	MappedFile *f = file_of_bytes("case.onnxtxt", b.data, b.len);
	Module *m = onnxtext_read(r->c, f, &(ReadOptions){ 0 });
	file_unref(f);
	return m && prepare_to_run(m, r->a) ? m : NULL;
}

/* z, and the derivatives where d is not NULL. */
static double evaluate(Run *r, double *const *values, double **d)
{
	EvalCtx e;
	Tensor *in[4], *out[5];
	double z;
	eval_init(&e, r->c, &r->c->diags);
	eval_enable_dialects(&e, r->m);
	e.threads = 1;
	for (size_t i = 0; i < r->nin; i++) {
		in[i] = tensor_new(&e, DT_F64, r->rank[i], r->dims[i]);
		tensor_store_f64(in[i], 0, in[i]->count, values[i]);
	}
	assert_true(eval_func(&e, r->m->main, in, r->nin, out, r->nin + 1));
	z = tensor_get_f64(out[0], 0);
	for (size_t i = 0; d && i < r->nin; i++) {
		assert_int_equal(out[1 + i]->rank, r->rank[i]);
		assert_int_equal(out[1 + i]->count, in[i]->count);
		tensor_load_f64(out[1 + i], 0, in[i]->count, d[i]);
	}
	eval_release(&e);
	return z;
}

static void check(const GradientCase *k)
{
	enum { MOST = 512 };
	static double values[4][MOST], found[4][MOST];
	double *v[4] = { values[0], values[1], values[2], values[3] }, *d[4] = { found[0], found[1], found[2], found[3] };
	Rng rng = { 7 };
	Run r = { .c = context_new(), .a = arena_new() };
	read_inputs(&r, k->inputs);
	r.m = build(&r, k);
	if (!r.m)
		fail_msg("%s: %s", k->nodes, r.c->diags.list.len ? r.c->diags.list.data[0].message : "?");
	for (size_t i = 0; i < r.nin; i++)
		for (int64_t j = 0; j < MOST; j++)
			v[i][j] = k->low + (k->high - k->low) * rng_unit(&rng);
	evaluate(&r, v, d);
	for (size_t i = 0; i < r.nin; i++) {
		int64_t n;
		assert_true(dims_count(r.dims[i], r.rank[i], &n) && n <= MOST);
		for (int64_t j = 0; j < n; j++) {
			const double step = 1e-5;
			double at = v[i][j];
			v[i][j] = at + step;
			double above = evaluate(&r, v, NULL);
			v[i][j] = at - step;
			double want = (above - evaluate(&r, v, NULL)) / (2 * step);
			v[i][j] = at;
			if (!(fabs(want - d[i][j]) <= 1e-4 * (1 + fabs(want))))
				fail_msg("%s: derivative by %s[%lld] is %g, not %g", k->nodes, r.names[i], (long long)j, d[i][j], want);
		}
	}
	context_free(r.c);
	arena_free(r.a);
}

static void derivatives(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(derivatives) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

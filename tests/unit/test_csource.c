/* Models written as C: the compiler takes the sources without a warning, and the function gives what the plan gives. */
#include "driver/driver.h"
#include "plan/plan.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 24 };

static char *scratch_dir(void)
{
	static char path[64];
	strcpy(path, "/tmp/hone-csource-XXXXXX");
	assert_non_null(mkdtemp(path));
	return path;
}

typedef union Compiled {
	void *data;
	int (*run)(const void *const *in, void *const *out);
} Compiled;
typedef union SizeOf {
	void *data;
	long (*get)(int i, int d);
} SizeOf;
enum { SEEDS = 5, ROOM = 1 << 16 };

static void seeded_inputs(EvalCtx *e, const Func *f, uint64_t seed, ExecArray *args)
{
	Tensor *given[MOST] = { NULL }, *in[MOST];
	assert_true(make_inputs(e, f, seed, 0, 1, given, in));
	for (uint32_t i = 0; i < f->body->nargs; i++)
		exec_array(in[i], &args[i]);
}

static void compare_output(const ExecArray *want, const void *got, double tolerance)
{
	int64_t n;
	assert_true(dims_count(want->dims, want->rank, &n));
	for (int64_t k = 0; k < n && want->dtype == DT_F32; k++)
		if (!(fabs(((const float *)got)[k] - ((const float *)want->data)[k]) <= tolerance * fmax(1, fabsf(((const float *)want->data)[k]))))
			fail_msg("element %lld is %g, %g is expected", (long long)k, (double)((const float *)got)[k], (double)((const float *)want->data)[k]);
	if (want->dtype != DT_F32)
		assert_memory_equal(got, want->data, (size_t)n * dtype_size(want->dtype));
}

/* The function gives what the plan gives, and fails where the plan does. */
static void run_both(void *library, Exec *x, const ExecArray *args, uint32_t nin, uint32_t nout, double tolerance)
{
	Compiled f = { dlsym(library, "model") };
	SizeOf size = { dlsym(library, "model_size") };
	ExecArray out[MOST];
	const void *from[MOST];
	void *to[MOST];
	memset(out, 0, sizeof(out));
	assert_non_null(f.data);
	bool ok = exec_run(x, args, nin, out, nout);
	for (uint32_t i = 0; i < nin; i++)
		from[i] = args[i].data;
	for (uint32_t i = 0; i < nout; i++)
		to[i] = calloc(1, out[i].bytes + ROOM);
	int status = f.run(from, to);
	assert_int_equal(status == 0, ok);
	for (uint32_t i = 0; i < nout; i++) {
		for (int d = 0; d < out[i].rank && size.data && ok; d++)
			assert_int_equal(size.get((int)i, d), out[i].dims[d]);
		if (ok)
			compare_output(&out[i], to[i], tolerance);
		free(to[i]);
	}
}

static void compile_and_compare_by(const char *compiler, const char *model, const char *const *dims, double tolerance, bool has_bin)
{
	Context *c = context_new();
	Arena *a = arena_new();
	OptimiseOptions o;
	OptimiseReport r;
	ShapeBinding bind[8];
	size_t nbind = 0;
	EvalCtx e;
	char source[256], command[1024], *dir = scratch_dir();
	Module *m = model_read(c, model, &(ReadOptions){ 0 });
	assert_non_null(m);
	for (; dims && dims[nbind]; nbind++)
		assert_true(shape_parse_dim(c, a, dims[nbind], &bind[nbind]));
	optimise_options_init(&o);
	o.verify = false;
	o.rewrite.planned = true;
	o.bind = bind;
	o.nbind = nbind;
	assert_true(optimise(m, &o, a, &r));
	uint32_t nin = m->main->body->nargs, nout = block_terminator(m->main->body)->noperands;
	Program *p = program_new(m, &(ProgramOptions){ .isa = ISA_COUNT, .enable = eval_enable_dialects });
	Exec *x = exec_new(p, 1);
	ExecArray args[MOST];
	eval_init(&e, c, &c->diags);
	seeded_inputs(&e, m->main, 1, args);
	snprintf(source, sizeof(source), "%s/model.c", dir);
	assert_true(program_write_c(p, args, nin, source, "model", &c->diags));
	snprintf(command, sizeof(command),
		"%s -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -shared -fPIC %s/model.c -o %s/model.so -lm", compiler, dir, dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/model.so", dir);
	void *library = dlopen(command, RTLD_NOW);
	assert_non_null(library);
	union { void *data; int (*load)(const char *path); } l = { dlsym(library, "model_load") };
	if (l.data) {
		Compiled f = { dlsym(library, "model") };
		snprintf(command, sizeof(command), "%s/model.bin", dir);
		assert_int_equal(l.load("/nonexistent"), 1);
		assert_int_equal(f.run(NULL, NULL), 2);
		assert_int_equal(l.load(command), 0);
	}
	assert_int_equal(l.data != NULL, has_bin);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		seeded_inputs(&e, m->main, seed, args);
		run_both(library, x, args, nin, nout, tolerance);
	}
	dlclose(library);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	exec_free(x);
	program_free(p);
	eval_release(&e);
	context_free(c);
	arena_free(a);
}

/* By the system's compiler, and by clang where there is one. */
static void compile_and_compare(const char *model, const char *const *dims, double tolerance, bool has_bin)
{
	compile_and_compare_by("cc", model, dims, tolerance, has_bin);
	if (!system("clang --version >/dev/null 2>&1"))
		compile_and_compare_by("clang", model, dims, tolerance, has_bin);
}

static void real_model(void **state)
{
	(void)state;
	static const char *const DIMS[] = { "p2o.DynamicDimension.0=1", "p2o.DynamicDimension.1=48",
		"p2o.DynamicDimension.2=192", NULL };
	compile_and_compare(TEST_DIR "/../examples/ocr-classifier/model.onnx", DIMS, 1e-5, false);
}

static void text_of(const char *text, double tolerance, bool has_bin)
{
	bool mlir = !strncmp(text, "func", 4);
	char path[64];
	snprintf(path, sizeof(path), "/tmp/hone-csource-XXXXXX.%s", mlir ? "mlir" : "onnxtxt");
	int fd = mkstemps(path, mlir ? 5 : 8);
	assert_true(fd >= 0);
	assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	compile_and_compare(path, NULL, tolerance, has_bin);
	unlink(path);
}

static void text_model(const char *text, double tolerance)
{
	text_of(text, tolerance, false);
}

static void kernels_of_every_family(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[2, 6, 8, 8] x, float[3, 8] l) => (float[2, 3, 16, 16] y, float[2, 8, 8] m, float[2, 3, 8] s, int64[3] j, bool[3, 8] z, "
		"float[3, 3] q)\n"
		"<float[8] one = {1, 2, 3, 4, 5, 6, 7, 8}, int64[3] i = {0, -1, 2}, int64[3] two = {2, 3, 4}, float[4] scales = {1, 1, 2, 2}, "
		"int64[4] ws = {6, 2, 3, 3}, int64[4] ts = {6, 3, 2, 2}, int64[1] ax = {1}>\n"
		"{\n"
		"	w = ConstantOfShape<value = float[1] {0.25}>(ws)\n"
		"	c = Conv<group = 3, pads = [1, 1, 1, 1]>(x, w)\n"
		"	a = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(c)\n"
		"	b = AveragePool<kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1>(a)\n"
		"	t = ConstantOfShape<value = float[1] {0.5}>(ts)\n"
		"	u = ConvTranspose<strides = [2, 2]>(b, t)\n"
		"	y = Resize<mode = \"linear\">(u, , scales)\n"
		"	r = ReduceMean<keepdims = 0>(x, ax)\n"
		"	m = Softmax(r)\n"
		"	n = LayerNormalization(r, one, one)\n"
		"	s = Gather<axis = 1>(n, i)\n"
		"	sh = Shape(l)\n"
		"	k = ReduceMax(sh)\n"
		"	kk = Reshape(k, ax)\n"
		"	j = Add(two, kk)\n"
		"	e = Tanh(l)\n"
		"	z = Greater(l, e)\n"
		"	f = Transpose(l)\n"
		"	q = MatMul(l, f)\n"
		"}\n", 1e-5);
}

static void attention(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[2, 4, 5, 8] q, float[2, 1, 9, 8] k, float[2, 1, 9, 6] v, float[5, 9] m, float[2, 4, 5, 9] z) => (float[2, 5, 4, 6] y, float[2, 4, 5, 6] w)\n"
		"<float zero = {0}, float low = {-1e9}, float d = {3}> { kt = Transpose<perm = [0, 1, 3, 2]>(k) a = MatMul(q, kt) b = Div(a, d)\n"
		"keep = Less(m, zero) c = Where(keep, b, low) e = Add(c, z) p = Softmax(e) o = MatMul(p, v) y = Transpose<perm = [0, 2, 1, 3]>(o)\n"
		"f = MatMul(q, kt) h = Mul(f, d) i = Add(h, m) r = Softmax(i) w = MatMul(r, v) }", 1e-5);
}

/* A chain of convolutions, large enough to be one: expand, depthwise, project, and the input added. */
static void chains(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[2, 16, 96, 96] x) => (float[2, 16, 96, 96] y)\n"
		"<float zero = {0}, float one = {1}, float scale = {0.2}, float top = {6}, float m = {512}, float n = {288},\n"
		"int64[4] k1 = {32, 16, 1, 1}, int64[4] k2 = {32, 1, 3, 3}, int64[4] k3 = {16, 32, 1, 1}> {\n"
		"r = Range(zero, m, one) s = Sin(r) t = Mul(s, scale) w1 = Reshape(t, k1) w3 = Reshape(t, k3)\n"
		"u = Range(zero, n, one) v = Cos(u) w2 = Reshape(v, k2)\n"
		"a = Conv(x, w1) b = Clip(a, zero, top) c = Conv<group = 32, pads = [1, 1, 1, 1]>(b, w2) d = HardSwish(c)\n"
		"e = Conv(d, w3) y = Add(e, x) }", 1e-5);
}

static void recurrent(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 14]>\n"
		"g (float[4, 2, 3] x, float[2, 2, 5] h, float[2, 2, 5] c) => (float[4, 2, 2, 5] a, float[2, 2, 5] ah, float[2, 2, 5] ac, float[4, 1, 2, 5] b, float[1, 2, 5] bh, "
		"float[4, 1, 2, 5] d, float[4, 1, 2, 5] e)\n"
		"<int64[3] lw = {2, 20, 3}, int64[3] lr = {2, 20, 5}, int64[3] gw = {1, 15, 3}, int64[3] gr = {1, 15, 5}, int64[3] rw = {1, 5, 3}, int64[3] rr = {1, 5, 5}, "
		"float[1, 1, 3] f = {1, -2, 0.5}, float[1, 1, 5] k = {1, 2, -1, 0.5, -3}, int64[2] gb = {1, 30}, float[1, 30] one = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}, float low = {0.01}> {\n"
		"w0 = ConstantOfShape<value = float[1] {0.2}>(lw) w = Mul(w0, f) r0 = ConstantOfShape<value = float[1] {0.1}>(lr) r = Mul(r0, k)\n"
		"a, ah, ac = LSTM<hidden_size = 5, direction = \"bidirectional\">(x, w, r, , , h, c)\n"
		"v0 = ConstantOfShape<value = float[1] {0.2}>(gw) v = Mul(v0, f) s0 = ConstantOfShape<value = float[1] {0.1}>(gr) s = Mul(s0, k) bias = Mul(one, low)\n"
		"b, bh = GRU<hidden_size = 5>(x, v, s, bias) d = GRU<hidden_size = 5, linear_before_reset = 1, direction = \"reverse\">(x, v, s, bias)\n"
		"u0 = ConstantOfShape<value = float[1] {0.2}>(rw) u = Mul(u0, f) t0 = ConstantOfShape<value = float[1] {0.1}>(rr) t = Mul(t0, k) e = RNN<hidden_size = 5>(x, u, t) }", 1e-5);
}

static void axes_indices_samples(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[3, 7, 4] x, int64[5, 6] i, float[4, 5] m, float[3, 5] u, float[2] f, int64[6] h, float[2, 3, 6, 7] p, float[2, 4, 5, 2] at, float[3, 4] rois) => "
		"(int64[3, 4] a, int64[3, 7, 1] b, float[3, 2, 4] v, int64[3, 2, 4] w, int64[5, 3] iv, int64[5, 3] ii, float[3, 7, 4] s, int64[5, 6] t, "
		"float[3, 5] e, float[4, 5] c, float[2] d, float[4, 5] n, float[6, 3] o, float[2, 3, 4, 5] y, float[2, 3, 4, 5] z, float[3, 3, 2, 2] q, float[3, 3, 2, 3] r)\n"
		"<int64[1] two = {2}, int64[1] three = {3}, int64 one = {1}, int64 last = {-1}, int64 depth = {3}, float[2] values = {-1, 5}, "
		"int64[3, 5] ia = {0, 1, 2, 3, -1, -4, 1, 1, 2, 0, 3, 3, 3, 3, 3}, int64[2, 2] ta = {1, -2, 3, 4}, int64[3] k = {0, 1, 1}> {\n"
		"a = ArgMax<axis = 1, keepdims = 0>(x) b = ArgMin<axis = -1, select_last_index = 1>(x) v, w = TopK<axis = 1>(x, two) iv, ii = TopK<largest = 0>(i, three)\n"
		"s = CumSum<exclusive = 1>(x, one) t = CumSum<reverse = 1>(i, last)\n"
		"e = GatherElements(m, ia) c = ScatterElements<reduction = \"add\">(m, ia, u) d = GatherND(m, ta) n = ScatterND<reduction = \"max\">(m, ta, f) o = OneHot(h, depth, values)\n"
		"y = GridSample(p, at) z = GridSample<mode = \"bicubic\", padding_mode = \"reflection\", align_corners = 1>(p, at)\n"
		"q = RoiAlign<output_height = 2, output_width = 2, sampling_ratio = 2>(p, rois, k)\n"
		"r = RoiAlign<mode = \"max\", output_height = 2, output_width = 3, spatial_scale = 0.5, coordinate_transformation_mode = \"output_half_pixel\">(p, rois, k) }", 1e-5);
}

/* More than go into a source. */
static void weights_of_their_own(void **state)
{
	(void)state;
	text_of("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[2, 1500] x, int64[3] i) => (float[2, 1500] y, float[3, 4] z)\n"
		"<int64[2] ws = {1500, 1500}, float[1, 4] f = {1, 2, 3, 4}, float[6, 1] k = {1, 2, 3, 4, 5, 6}, int64 zero = {0}, int64 n = {1500}, int64 one = {1}, float tiny = {0.0001}, int64[2] sh = {1500, 1}> {\n"
		"r = Range(zero, n, one) q = Cast<to = 1>(r) t = Reshape(q, sh) a = ConstantOfShape<value = float[1] {0.001}>(ws) s = Mul(t, tiny) w = Mul(a, s)\n"
		"y = MatMul(x, w) e = Mul(f, k) z = Gather(e, i) }", 1e-4, true);
}

/* Scales are powers of two: no sum is near the border of two steps of a grid. */
static void integers(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[2, 4, 9, 7] x, uint8[2, 6, 5] a, float[3, 6] f) => (float[2, 6, 5, 7] y, float[2, 4, 9, 7] d, float[2, 6, 9, 7] t, "
		"int32[2, 6, 3] i, uint8[2, 6, 3] m, int32[1, 2, 6, 5] ci, uint8[1, 2, 6, 5] qc, float[3, 4] g)\n"
		"<float s = {0.0625}, uint8 z = {120}, float ws = {0.03125}, int8 zero = {0}, float[6] wc = {0.5, 0.25, 0.125, 0.5, 1, 0.0625}, "
		"int8[6] zc = {0, 0, 0, 0, 0, 0}, int64[4] k1 = {6, 4, 3, 3}, int64[4] k2 = {4, 1, 3, 3}, int64[4] k3 = {6, 2, 1, 1}, int64 b = {0}, int64 n = {216}, int64 n2 = {36}, "
		"int64 n3 = {12}, int64 one = {1}, int64 mid = {100}, float[6] bias = {1, -2, 3, 0, 0.5, 8}, float low = {0}, float top = {6}, "
		"int8[5, 3] w = {1, -2, 3, -4, 5, -128, 127, 8, 9, 10, 11, 12, 13, 14, 15}, int64[4] ka = {1, 2, 6, 5}, uint8 wz = {3}, uint8[2, 2, 1, 3] ciw = {1, 2, 3, 4, 5, 6, 250, 8, 9, 10, 11, 12}, "
		"float qs = {4}, float[2] cw = {0.5, 0.25}, uint8[2] cz = {3, 3}, int32[2] cb = {100, -100}, float[6, 4] gw = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, 1, 1, 1, 1}>\n"
		"{\n"
		"	r1 = Range(b, n, one) o1 = Sub(r1, mid) c1 = Cast<to = 3>(o1) q1 = Reshape(c1, k1)\n"
		"	r2 = Range(b, n2, one) c2 = Cast<to = 3>(r2) q2 = Reshape(c2, k2)\n"
		"	r3 = Range(b, n3, one) c3 = Cast<to = 3>(r3) q3 = Reshape(c3, k3)\n"
		"	w1 = DequantizeLinear<axis = 0>(q1, wc, zc) w2 = DequantizeLinear(q2, ws, zero) w3 = DequantizeLinear(q3, ws, zero)\n"
		"	xq = QuantizeLinear(x, s, z) xd = DequantizeLinear(xq, s, z)\n"
		"	c = Conv<pads = [1, 1, 1, 1], strides = [2, 1]>(xd, w1, bias) rc = Relu(c) yq = QuantizeLinear(rc, qs, wz) y = DequantizeLinear(yq, qs, wz)\n"
		"	dc = Conv<group = 4, pads = [1, 1, 1, 1]>(xd, w2) d1 = Clip(dc, low, top) d = Add(d1, xd)\n"
		"	tc = Conv<group = 2>(xd, w3) ts = Sigmoid(tc) t = Mul(ts, tc)\n"
		"	i = MatMulInteger(a, w, z) m = QLinearMatMul(a, s, z, w, ws, zero, qs, z)\n"
		"	ar = Reshape(a, ka) ci = ConvInteger<pads = [0, 1, 0, 1]>(ar, ciw, z, wz)\n"
		"	qc = QLinearConv<pads = [0, 1, 0, 1]>(ar, s, z, ciw, cw, cz, qs, z, cb)\n"
		"	fq, fs, fz = DynamicQuantizeLinear(f) gf = DequantizeLinear(fq, fs, fz) g = MatMul(gf, gw)\n"
		"}\n", 1e-5);
}

/* Both branches, with values from outside, nested, and of weights; results that the branches share the sizes of. */
static void branches(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[3, 4] x, float[2, 3, 8, 8] p) => (float[3, 4] y, float[2, 4, 8, 8] c, float[3, 4] n)\n"
		"<float zero = {0}, float two = {2}, float one = {1}, int64[4] ws = {4, 3, 3, 3}, int64[1] ax = {0}> {\n"
		"s = ReduceSum<keepdims = 0>(x) t = ReduceSum<keepdims = 0>(p) w = ConstantOfShape<value = float[1] {0.25}>(ws)\n"
		"b = Greater(s, zero) d = Greater(t, zero)\n"
		"y = If(b) <then_branch = g1 () => (float[3, 4] a) { u = Mul(x, two) a = Tanh(u) }, else_branch = g2 () => (float[3, 4] a2) { a2 = Sub(x, two) }>\n"
		"c = If(d) <then_branch = g3 () => (float[2, 4, 8, 8] r) { q = Conv<pads = [1, 1, 1, 1]>(p, w) r = Relu(q) },\n"
		"	else_branch = g4 () => (float[2, 4, 8, 8] r2) { q2 = Conv<pads = [1, 1, 1, 1]>(p, w) r2 = Sigmoid(q2) }>\n"
		"n = If(b) <then_branch = g5 () => (float[3, 4] i) { i = If(d) <then_branch = g6 () => (float[3, 4] j) { j = Add(y, x) }, else_branch = g7 () => (float[3, 4] k) { k = Identity(x) }> },\n"
		"	else_branch = g8 () => (float[3, 4] h) { h = Neg(y) }> }", 1e-5);
}

/* What follows is written for each size; text that differs in numbers only is shared. */
static void branches_of_sizes(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[6, 4] x, float[4, 5] m) => (float[n, 5] y, float[4] s, int64[2] z)\n"
		"<float zero = {0}, int64[1] a = {0}, int64[1] b = {2}, int64[1] c = {5}> {\n"
		"t = ReduceSum<keepdims = 0>(x) g = Greater(t, zero)\n"
		"v = If(g) <then_branch = g1 () => (float[k, 4] p) { p = Slice(x, a, b) }, else_branch = g2 () => (float[l, 4] q) { q = Slice(x, b, c) }>\n"
		"y = MatMul(v, m) u = Exp(v) s = ReduceMean<keepdims = 0>(u, a) z = Shape(v) }", 1e-5);
}

static void loops(void **state)
{
	(void)state;
	/* a known number of times, with stacks; until a condition fails; stacks of a length that only the run tells */
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[3, 4] x, int64 t, float[5, 4] e) => (float[3, 4] y, float[6, 4] st, float[3, 4] z, float[n, 4] f, float[m] fs, float[3, 4] w)\n"
		"<int64 six = {6}, bool yes = {1}, float half = {0.5}, float big = {20}, int64[1] ax = {0}, float one = {1}, int64[1] last = {1}> {\n"
		"y, st = Loop(six, yes, x) <body = b1 (int64 i, bool c, float[3, 4] s) => (bool co, float[3, 4] so, float[4] it) {\n"
		"	co = Identity(c) fi = Cast<to = 1>(i) h = Mul(s, half) so = Add(h, fi) it = ReduceSum<keepdims = 0>(so, ax) }>\n"
		"z = Loop(t, , x) <body = b2 (int64 i2, bool c2, float[3, 4] s2) => (bool co2, float[3, 4] so2) {\n"
		"	so2 = Add(s2, y) r2 = ReduceSum<keepdims = 0>(so2) co2 = Less(r2, big) }>\n"
		"k, f = Loop(six, yes, one) <body = b3 (int64 i3, bool c3, float s3) => (bool co3, float so3, float[4] it3) {\n"
		"	so3 = Add(s3, one) it3 = ReduceSum<keepdims = 0>(e, ax) r3 = ReduceSum<keepdims = 0>(it3) q3 = Mul(r3, so3) co3 = Less(q3, big) }>\n"
		"fs = ReduceMax<keepdims = 0>(f, last)\n"
		"w = Loop(six, yes, x) <body = b4 (int64 i4, bool c4, float[3, 4] s4) => (bool co4, float[3, 4] so4) {\n"
		"	co4 = Identity(c4) r4 = ReduceSum<keepdims = 0>(s4) l4 = Less(r4, one)\n"
		"	so4 = If(l4) <then_branch = h1 () => (float[3, 4] o1) { o1 = Add(s4, x) }, else_branch = h2 () => (float[3, 4] o2) { o2 = Mul(s4, half) }> }> }", 1e-5);
	text_model("func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {\n"
		"  %c0 = stablehlo.constant dense<0> : tensor<i32>\n  %c1 = stablehlo.constant dense<1> : tensor<i32>\n"
		"  %r:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i32>, tensor<4xf32>\n  cond {\n"
		"    %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %l : tensor<i1>\n  } do {\n"
		"    %a = stablehlo.add %i, %c1 : tensor<i32>\n    %b = stablehlo.cosine %v : tensor<4xf32>\n    %d = stablehlo.add %b, %x : tensor<4xf32>\n"
		"    stablehlo.return %a, %d : tensor<i32>, tensor<4xf32>\n  }\n  return %r#1, %r#0 : tensor<4xf32>, tensor<i32>\n}\n", 1e-5);
}

/* Slices along other axes than the first, and from the end; a value from outside, a constant that is cut, a scan within a scan. */
static void scans(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[3] s0, float[2, 5, 3] x, float[5] k, float[2, 4] m) => (float[3] y, float[3, 5] a, float[5, 2] b, float[2, 2, 5] d, float[4, 2] n, float z)\n"
		"<int64[1] ax = {0}, int64[1] one = {1}, float[4] w = {1, -2, 3, 0.5}, float zero = {0}> {\n"
		"y, a, b, d = Scan<num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [1, 0], scan_output_axes = [1, 0, -1], scan_output_directions = [0, 1, 1],\n"
		"	body = b1 (float[3] s, float[2, 3] t, float q) => (float[3] so, float[3] c, float[2] r, float[2, 2] p) {\n"
		"	c = ReduceSum<keepdims = 0>(t, ax) e = Add(s, c) so = Tanh(e) u = ReduceMax<keepdims = 0>(t, one) r = Mul(u, q) v = Transpose(t) p = MatMul(t, v) }>(s0, x, k)\n"
		"n = Scan<num_scan_inputs = 2, scan_input_axes = [-1, 0], body = b2 (float[2] h, float f) => (float[2] o) {\n"
		"	g1 = Scan<num_scan_inputs = 1, body = b3 (float l) => (float lo) { lo = Mul(l, f) }>(h)\n"
		"	j = ReduceSum<keepdims = 0>(y) o = Add(g1, j) }>(m, w)\n"
		"z = Scan<num_scan_inputs = 1, body = b4 (float acc, float i) => (float acco) { acco = Sub(i, acc) }>(zero, k) }", 1e-5);
}

static void found_things(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[2, 9, 4] b, float[2, 3, 9] s, float[5, 6] m) => (int64[n, 3] i, float[n, 4] v, float[n, 9] w, int64[2, k] z, float[k] e, float t)\n"
		"<int64 most = {2}, float iou = {0.4}, float least = {-0.5}, float zero = {0}, int64[1] one = {1}, int64[1] p2 = {2}, int64[1] p3 = {3}, int64[2] bs = {18, 4}, int64[2] ss = {6, 9}, int64 nine = {9}> {\n"
		"i = NonMaxSuppression(b, s, most, iou, least) q = Slice(i, p2, p3, one) x = Squeeze(q, one) fb = Reshape(b, bs) v = Gather(fb, x)\n"
		"a = Transpose(v) f = Exp(fb) w0 = MatMul(v, a) c = ReduceMean<keepdims = 1>(w0, one) g9 = Reshape(s, ss) h = Gather(g9, p2) w = Add(c, h)\n"
		"l = Greater(m, zero) z = NonZero(l) zt = Transpose(z) e = GatherND(m, zt) t = ReduceSum<keepdims = 0>(e) }", 1e-4);
}

/* A branch that cannot be for these sizes is left out, and told when data leads to it. */
static void missing_branch(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[3, 4] x, int64[2] shape) => (float[3, 4] y)\n<float zero = {0}, int64[2] fs = {4, 3}> {\n"
		"s = ReduceSum<keepdims = 0>(x) b = Greater(s, zero)\n"
		"y = If(b) <then_branch = g1 () => (float[3, 4] a) { a = Exp(x) }, else_branch = g2 () => (float[k, l] c) { d = Reshape(x, shape) c = MatMul(d, d) }> }", 1e-5);
}

static void few_bits(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18, \"com.microsoft\" : 1]>\n"
		"g (float[2, 3, 40] x, float[2, 3, 5] r) => (float[2, 3, 5] y, float[2, 3, 5] z, float[2, 3, 5] w)\n"
		"<int64 b = {0}, int64 n = {240}, int64 n8 = {480}, int64 one = {1}, int64[3] ws = {5, 3, 16}, int64[3] w4 = {5, 3, 8}, float[15] sc = {1, 2, 3, 4, 5, 0.5, 0.25, 1, 1, 2, 1, 1, 3, 1, 0.125},\n"
		"uint8[10] zp = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, uint8[15] z8 = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, float[5] bias = {1, 2, 3, 4, 5}, int64 cut = {120}> {\n"
		"a8 = Range(b, n, one) c8 = Cast<to = 2>(a8) q8 = Reshape(c8, ws) a4 = Range(b, cut, one) c4 = Cast<to = 2>(a4) q4 = Reshape(c4, w4)\n"
		"y = com.microsoft.MatMulNBits<K = 40, N = 5, bits = 4, block_size = 16>(x, q4, sc, zp)\n"
		"y8 = com.microsoft.MatMulNBits<K = 40, N = 5, bits = 8, block_size = 16>(x, q8, sc, z8) z1 = Add(y8, r) z = Tanh(z1)\n"
		"w0 = com.microsoft.MatMulNBits<K = 40, N = 5, bits = 4, block_size = 16>(x, q4, sc) w1 = Add(w0, bias) w = Relu(w1) }", 1e-4);
}

static void doubles(void **state)
{
	(void)state;
	text_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
		"g (float[3, 5] xf, float[5] bf) => (float[3, 5] yf, int64[3, 5] k, float[3, 5] zf, bool[3, 5] t) {\n"
		"x = Cast<to = 11>(xf) b = Cast<to = 11>(bf) a = Add(x, b) c = Tanh(a) d = Max(c, b) e = Exp(d) y = Div(e, b) yf = Cast<to = 1>(y) k = Cast<to = 7>(a)\n"
		"f = Abs(x) g1 = Sqrt(f) h = Sigmoid(g1) i = Pow(f, h) j = Erf(i) l = Reciprocal(j) m = Floor(a) n = Sin(m) o = Mul(n, l) zf = Cast<to = 1>(o) t = Less(x, b) }", 1e-5);
}

/* What has no form is refused by name. */
static void refused(void **state)
{
	(void)state;
	static const struct { const char *text, *says; } CASES[] = {
		{ "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[3, 4] x) => (float[n, 4] y)\n<bool yes = {1}, int64 t = {50}> {\n"
			"y = Loop(t, yes, x) <body = b (int64 i, bool c, float[k, 4] s) => (bool co, float[l, 4] so) { co = Identity(c) so = Concat<axis = 0>(s, x) }> }",
			"the size of carried value 0 changes" },
		{ "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[3, 4] x, int64 t) => (float[n, 3, 4] y)\n<bool yes = {1}> {\n"
			"y = Loop(t, yes) <body = b (int64 i, bool c) => (bool co, float[3, 4] so) { co = Identity(c) so = Exp(x) }> }", "how often it runs at most" },
		{ "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[6] x) => (float[n] y)\n{ y = Unique(x) }", "nothing bounds them" },
		{ "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[80, 80] x) => (int64[2, n] y)\n{ y = NonZero(x) }", "up to 6400 things may be found" },
	};
	for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
		Context *c = context_new();
		Arena *a = arena_new();
		char path[] = "/tmp/hone-csource-XXXXXX.onnxtxt";
		int fd = mkstemps(path, 8);
		assert_true(fd >= 0);
		assert_true(write(fd, CASES[i].text, strlen(CASES[i].text)) == (ssize_t)strlen(CASES[i].text));
		close(fd);
		OptimiseOptions o;
		OptimiseReport r;
		EvalCtx e;
		ExecArray args[MOST];
		Module *m = model_read(c, path, &(ReadOptions){ 0 });
		unlink(path);
		assert_non_null(m);
		optimise_options_init(&o);
		o.verify = false;
		o.rewrite.planned = true;
		assert_true(optimise(m, &o, a, &r));
		Program *p = program_new(m, &(ProgramOptions){ .isa = ISA_COUNT, .enable = eval_enable_dialects });
		eval_init(&e, c, &c->diags);
		seeded_inputs(&e, m->main, 1, args);
		assert_false(program_write_c(p, args, m->main->body->nargs, "/tmp/hone-csource-refused.c", "model", &c->diags));
		assert_int_equal(access("/tmp/hone-csource-refused.c", F_OK), -1);
		Buf text = { 0 };
		for (size_t k = 0; k < c->diags.list.len; k++)
			diag_format(&c->diags.list.data[k], &text);
		if (!strstr(text.data, CASES[i].says))
			fail_msg("%s is not in %s", CASES[i].says, text.data);
		buf_free(&text);
		eval_release(&e);
		program_free(p);
		context_free(c);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(real_model), cmocka_unit_test(kernels_of_every_family),
		cmocka_unit_test(attention), cmocka_unit_test(chains), cmocka_unit_test(recurrent), cmocka_unit_test(axes_indices_samples),
		cmocka_unit_test(integers), cmocka_unit_test(weights_of_their_own),
		cmocka_unit_test(branches), cmocka_unit_test(branches_of_sizes), cmocka_unit_test(loops), cmocka_unit_test(scans), cmocka_unit_test(found_things),
		cmocka_unit_test(missing_branch), cmocka_unit_test(few_bits), cmocka_unit_test(doubles), cmocka_unit_test(refused) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

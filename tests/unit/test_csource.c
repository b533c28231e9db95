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

enum { MOST = 16 };

static char *scratch_dir(void)
{
	static char path[64];
	strcpy(path, "/tmp/hone-csource-XXXXXX");
	assert_non_null(mkdtemp(path));
	return path;
}

static void compile_and_compare(const char *model, const char *const *dims, double tolerance)
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
	Tensor *given[MOST] = { NULL }, *in[MOST];
	ExecArray args[MOST], out[MOST];
	memset(out, 0, sizeof(out));
	eval_init(&e, c, &c->diags);
	assert_true(make_inputs(&e, m->main, 1, 0, 1, given, in));
	for (uint32_t i = 0; i < nin; i++)
		exec_array(in[i], &args[i]);
	assert_true(exec_run(x, args, nin, out, nout));
	snprintf(source, sizeof(source), "%s/model.c", dir);
	assert_true(exec_write_c(x, source, "model", &c->diags));
	snprintf(command, sizeof(command),
		"cc -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -shared -fPIC %s/model.c -o %s/model.so -lm", dir, dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/model.so", dir);
	void *library = dlopen(command, RTLD_NOW);
	assert_non_null(library);
	union { void *data; int (*run)(const void *const *in, void *const *out); } f = { dlsym(library, "model") };
	assert_non_null(f.data);
	const void *from[MOST];
	void *to[MOST];
	for (uint32_t i = 0; i < nin; i++)
		from[i] = args[i].data;
	for (uint32_t i = 0; i < nout; i++)
		to[i] = calloc(1, out[i].bytes + 1);
	assert_int_equal(f.run(from, to), 0);
	for (uint32_t i = 0; i < nout; i++) {
		int64_t n;
		assert_true(dims_count(out[i].dims, out[i].rank, &n));
		for (int64_t k = 0; k < n && out[i].dtype == DT_F32; k++)
			assert_true(fabs(((float *)to[i])[k] - ((float *)out[i].data)[k]) <= tolerance * fmax(1,
				fabsf(((float *)out[i].data)[k])));
		if (out[i].dtype != DT_F32)
			assert_memory_equal(to[i], out[i].data, (size_t)n * dtype_size(out[i].dtype));
		free(to[i]);
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

static void real_model(void **state)
{
	(void)state;
	static const char *const DIMS[] = { "p2o.DynamicDimension.0=1", "p2o.DynamicDimension.1=48",
		"p2o.DynamicDimension.2=192", NULL };
	compile_and_compare(TEST_DIR "/../examples/ocr-classifier/model.onnx", DIMS, 1e-5);
}

static void text_model(const char *text, double tolerance)
{
	char path[] = "/tmp/hone-csource-XXXXXX.onnxtxt";
	int fd = mkstemps(path, 8);
	assert_true(fd >= 0);
	assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	compile_and_compare(path, NULL, tolerance);
	unlink(path);
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(real_model), cmocka_unit_test(kernels_of_every_family),
		cmocka_unit_test(attention), cmocka_unit_test(chains) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

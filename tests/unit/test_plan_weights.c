/* Weights of plans: arithmetic that is left until they are packed, the memory that they are packed into, and what of both a saved
 * program holds; each with what must not be so, and with results against the evaluator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/format.h"
#include "plan/plan_int.h"
#include "plan_case.h"

#define HEAD "<ir_version: 8, opset_import: [\"\" : 18]>\n"
/* w: 64 x 32 x 3 x 3 numbers that differ; g, b, m, v: of a batch norm. */
#define WEIGHTS "<float zero = {0}, float one = {1}, float n = {18432}, float k = {64}, float some = {1.5}, float scale = {0.05}, int64[4] ws = {64, 32, 3, 3}, " \
	"int64[2] ms = {144, 128}"
#define NUMBERS "r = Range(zero, n, one) rs = Sin(r) rr = Mul(rs, scale) w = Reshape(rr, ws)\n" \
	"q = Range(zero, k, one) g = Cos(q) b = Sin(q) qq = Mul(g, g) v = Add(qq, some)\n"

/* ---- which weights are computed late ---- */

static bool count_late(void *arg, Op *op)
{
	if (op->constant && op->made && !op_constant_attr(op) && op->nresults == 1 && is_weight_expr(op->results[0]))
		++*(int *)arg;
	return true;
}

static int late_weights(const Module *m)
{
	int n = 0;
	block_walk(m->main->body, count_late, &n);
	return n;
}

/* For each thing that is computed late, and each that must not be: how many expressions are left. */
static const struct LateCase {
	const char *text;
	int planned, written;   /* expressions left in a model that is run, in one that is written */
} LATE[] = {
	/* a batch norm goes into the weights of a convolution */
	{ HEAD "f (float[1, 32, 9, 9] x) => (float[1, 64, 7, 7] y) " WEIGHTS "> { " NUMBERS "c = Conv(x, w) y = BatchNormalization(c, g, b, b, v) }", 1, 0 },
	/* of a transposed convolution */
	{ HEAD "f (float[1, 64, 5, 5] x) => (float[1, 32, 7, 7] y) " WEIGHTS ", float k2 = {32}> { " NUMBERS
		"q2 = Range(zero, k2, one) g2 = Cos(q2) h2 = Mul(g2, g2) v2 = Add(h2, some) c = ConvTranspose(x, w) y = BatchNormalization(c, g2, g2, g2, v2) }", 1, 0 },
	/* of a product */
	{ HEAD "f (float[3, 144] x) => (float[3, 128] y) " WEIGHTS ", float k3 = {128}> { " NUMBERS
		"w3 = Reshape(rr, ms) q3 = Range(zero, k3, one) g3 = Cos(q3) m = MatMul(x, w3) y = Mul(m, g3) }", 1, 0 },
	/* two readers of the same weights */
	{ HEAD "f (float[1, 32, 9, 9] x, float[1, 32, 9, 9] z) => (float[1, 64, 7, 7] y, float[1, 64, 7, 7] u) " WEIGHTS "> { " NUMBERS
		"c = Conv(x, w) y = BatchNormalization(c, g, b, b, v) d = Conv(z, w) u = BatchNormalization(d, g, b, b, v) }", 1, 0 },
	/* too small to matter */
	{ HEAD "f (float[1, 4, 9, 9] x) => (float[1, 8, 7, 7] y) " WEIGHTS ", float n4 = {288}, float k4 = {8}, int64[4] s4 = {8, 4, 3, 3}> { "
		"a = Range(zero, n4, one) w4 = Reshape(a, s4) q4 = Range(zero, k4, one) h4 = Mul(q4, q4) v4 = Add(h4, some) c = Conv(x, w4) y = BatchNormalization(c, q4, q4, q4, v4) }", 0, 0 },
	/* in a branch: its constants are computed with the model's */
	{ HEAD "f (float[1, 32, 9, 9] x, bool p) => (float[1, 64, 7, 7] y) " WEIGHTS "> { " NUMBERS
		"y = If(p) <then_branch = t () => (float[1, 64, 7, 7] a) { c = Conv(x, w) a = BatchNormalization(c, g, b, b, v) }, "
		"else_branch = e () => (float[1, 64, 7, 7] a2) { a2 = Conv(x, w) }> }", 0, 0 },
	/* arithmetic that the model had is folded at once */
	{ HEAD "f (float[1, 32, 9, 9] x) => (float[1, 64, 7, 7] y) " WEIGHTS "> { " NUMBERS "w5 = Mul(w, some) y = Conv(x, w5) }", 0, 0 },
};

static Module *optimised(Context *c, Arena *a, const char *text, bool planned)
{
	OptimiseOptions o;
	OptimiseReport r;
	Module *m = plan_case_read(c, text);
	optimise_options_init(&o);
	o.verify = false;
	o.rewrite.planned = planned;
	if (!optimise(m, &o, a, &r))
		fail_msg("%s\n%s", c->diags.list.len ? c->diags.list.data[0].message : "", text);
	return m;
}

static void close_to(const void *arg, uint32_t output, const Tensor *got, const Tensor *want)
{
	(void)output;
	assert_int_equal(got->count, want->count);
	assert_int_equal(want->dtype, DT_F32);
	double most = 1;
	for (int64_t i = 0; i < want->count; i++)
		most = fmax(most, fabs((double)((const float *)want->data)[i]));
	for (int64_t i = 0; i < want->count; i++)
		if (!(fabs((double)((const float *)got->data)[i] - (double)((const float *)want->data)[i]) <= 1e-5 * most))
			fail_msg("element %lld is %g, %g is expected: %s", (long long)i, (double)((const float *)got->data)[i],
				(double)((const float *)want->data)[i], (const char *)arg);
}

static void late_weights_are_left(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(LATE); i++)
		for (int planned = 0; planned < 2; planned++) {
			Context *c = context_new();
			Arena *a = arena_new();
			int n = late_weights(optimised(c, a, LATE[i].text, planned)), want = planned ? LATE[i].planned : LATE[i].written;
			if (n != want)
				fail_msg("%d expressions are left, %d expected: %s", n, want, LATE[i].text);
			context_free(c);
			arena_free(a);
		}
}

static void run_late(const void *one, Isa isa, int threads)
{
	const struct LateCase *k = one;
	PlanCase t;
	plan_case_begin(&t, k->text, isa, threads);
	plan_case_run(&t, 1, close_to, k->text);
	plan_case_run(&t, 1, close_to, k->text); /* packed before */
	plan_case_end(&t);
}

static void late_weights_are_right(void **state)
{
	(void)state;
	plan_cases_run(LATE, ARRAY_LEN(LATE), sizeof(*LATE), run_late);
}

/* ---- chunks ---- */

/* n products one after another, of size x size numbers each. */
static char *products(Arena *a, int n, int size)
{
	Buf b = { 0 };
	buf_printf(&b, HEAD "f (float[2, %d] x0) => (float[2, %d] x%d) <float zero = {0}, float one = {1}, float n = {%d}, float s = {%g}, int64[2] ws = {%d, %d}> {\n"
		"r = Range(zero, n, one)\n", size, size, n, size * size, 1.0 / size, size, size);
	for (int i = 0; i < n; i++)
		buf_printf(&b, "f%d = Constant<value_float = %d.25>() a%d = Add(r, f%d) b%d = Sin(a%d) c%d = Mul(b%d, s) w%d = Reshape(c%d, ws) m%d = MatMul(x%d, w%d) x%d = Tanh(m%d)\n",
			i, i, i, i, i, i, i, i, i, i, i, i, i, i + 1, i);
	buf_puts(&b, "}");
	char *text = arena_dup(a, b.data, b.len + 1);
	buf_free(&b);
	return text;
}

enum { SMALL_CHUNK = 1 << 20 };

/* Parts lie at lines of their own, none over another; returns how many chunks there are. */
static size_t check_chunks(const Program *p, size_t parts)
{
	size_t used = 0;
	for (size_t i = 0; i < p->ready.len; i++) {
		const Ready *r = &p->ready.data[i];
		assert_int_equal((uintptr_t)r->data % 64, 0);
		assert_int_equal(r->used % 64, 0);
		assert_true(r->used <= r->bytes);
		used += r->used;
	}
	assert_true(used >= p->weight_bytes && used < p->weight_bytes + 64 * parts);
	return p->ready.len;
}

static void weights_share_chunks(void **state)
{
	(void)state;
	/* number of products, their size, chunks: the first is small, one larger than it gets memory of its own */
	static const struct { int n, size; size_t chunks; } CASES[] = { { 1, 32, 1 }, { 12, 96, 1 }, { 20, 130, 2 }, { 3, 520, 2 } };
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++)
		for (int isa = 0; isa < ISA_COUNT; isa++) {
			if (!isa_available((Isa)isa))
				continue;
			Arena *a = arena_new();
			PlanCase t;
			char *text = products(a, CASES[i].n, CASES[i].size);
			plan_case_begin(&t, text, (Isa)isa, 2);
			plan_case_run(&t, 1, close_to, text);
			plan_case_run(&t, 1, close_to, text);
			size_t chunks = check_chunks(t.program, (size_t)CASES[i].n + 1);
			assert_int_equal(chunks, CASES[i].chunks);
			assert_true(t.program->weight_bytes >= (size_t)CASES[i].n * (size_t)(CASES[i].size * CASES[i].size) * sizeof(float));
			if (chunks == 1 && CASES[i].size < 500)
				assert_int_equal(t.program->ready.data[0].bytes, SMALL_CHUNK);
			plan_case_end(&t);
			arena_free(a);
		}
}

/* Two plans, for other sizes, and two runs at once use what was packed first. */
static void packed_once(void **state)
{
	(void)state;
	PlanCase t;
	const char *text = HEAD "f (float[k, 144] x) => (float[k, 128] y) " WEIGHTS "> { " NUMBERS "w3 = Reshape(rr, ms) y = MatMul(x, w3) }";
	plan_case_begin(&t, text, isa_best(), 1);
	plan_case_run(&t, 40, close_to, text);
	size_t bytes = t.program->weight_bytes;
	assert_true(bytes >= 144 * 128 * sizeof(float));
	plan_case_run(&t, 41, close_to, text);
	plan_case_run(&t, 80, close_to, text);
	assert_int_equal(t.program->weight_bytes, bytes);
	plan_case_end(&t);
	/* but not what has another grid, though the integers are the same */
	text = "<ir_version: 8, opset_import: [\"\" : 18, \"com.microsoft\" : 1]>\nf (float[2, 32] x) => (float[2, 4] y, float[2, 4] z, float[2, 4] u)\n"
		"<uint8[4, 2, 8] q = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, "
		"41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64}, float[8] s = {1, 2, 3, 4, 5, 6, 7, 8}, float[8] s2 = {8, 7, 6, 5, 4, 3, 2, 1}, uint8[4] zp = {1, 2, 3, 4}> {\n"
		"y = com.microsoft.MatMulNBits<K = 32, N = 4, bits = 4, block_size = 16>(x, q, s)\n"
		"z = com.microsoft.MatMulNBits<K = 32, N = 4, bits = 4, block_size = 16>(x, q, s2)\n"
		"u = com.microsoft.MatMulNBits<K = 32, N = 4, bits = 4, block_size = 16>(x, q, s, zp) }";
	plan_case_begin(&t, text, isa_best(), 1);
	plan_case_run(&t, 1, close_to, text);
	plan_case_end(&t);
}

/* ---- saved programs ---- */

static bool count_packed(void *arg, Op *op)
{
	int *n = arg;
	n[0] += op_attr_named(op, str(op->block->func->module->ctx, "packed")) != NULL;
	n[1] += op->constant && !op_constant_attr(op) && !(op->def->traits & TRAIT_TERMINATOR);
	return true;
}

/* As though what is packed had been written by another version. */
static bool age_packed(void *arg, Op *op)
{
	(void)arg;
	const Attr *list = op_attr_named(op, str(op->block->func->module->ctx, "packed"));
	for (size_t i = 0; list && i < list->u.list.n; i++)
		((int64_t *)(uintptr_t)list->u.list.v[i]->u.list.v[0]->u.ints.v)[0] ^= 1 << 20;
	return true;
}

/* Saved, mapped again, and run there: the same to the bit, and nothing is packed again; unless another version wrote it. */
static void save_and_compare(const char *text, Isa isa, int packed, int expressions, bool aged)
{
	PlanCase t;
	char path[] = "/tmp/hone-weights-XXXXXX.hone";
	int fd = mkstemps(path, 5), found[2] = { 0, 0 };
	close(fd);
	plan_case_begin(&t, text, isa, 1);
	plan_case_run(&t, 1, close_to, text);
	program_keep_packed(t.program);
	assert_true(compiled_write(t.program->module, path, &(WriteOptions){ 0 }));
	Context *c = context_new();
	Module *m = model_read(c, path, &(ReadOptions){ 0 });
	assert_non_null(m);
	assert_true(m->compiled);
	block_walk(m->main->body, count_packed, found);
	if (found[0] != packed || found[1] != expressions)
		fail_msg("%d packed and %d expressions, %d and %d are expected: %s", found[0], found[1], packed, expressions, text);
	if (aged)
		block_walk(m->main->body, age_packed, NULL);
	Program *p = program_new(m, &(ProgramOptions){ .isa = isa, .enable = eval_enable_dialects });
	Exec *x = exec_new(p, 1);
	EvalCtx e;
	ExecArray in[8], a[8], b[8];
	Tensor *given[8] = { NULL }, *made[8];
	uint32_t nin = m->main->body->nargs, nout = block_terminator(m->main->body)->noperands;
	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
	eval_init(&e, c, &c->diags);
	assert_true(make_inputs(&e, m->main, 3, 0, 1, given, made));
	for (uint32_t i = 0; i < nin; i++)
		exec_array(made[i], &in[i]);
	assert_true(exec_run(t.exec, in, nin, a, nout));
	assert_true(exec_run(x, in, nin, b, nout));
	for (uint32_t i = 0; i < nout; i++)
		assert_memory_equal(a[i].data, b[i].data, a[i].bytes);
	assert_int_equal(p->weight_bytes != 0, aged && packed);
	unlink(path);
	exec_free(x);
	program_free(p);
	eval_release(&e);
	context_free(c);
	plan_case_end(&t);
}

static void late_weights_are_saved(void **state)
{
	(void)state;
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		if (!isa_available((Isa)isa))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(LATE); i++)
			if (LATE[i].planned)
				for (int aged = 0; aged < 2; aged++)
					save_and_compare(LATE[i].text, (Isa)isa, 1, 0, aged);
		/* nothing is packed: the weights of one row are streamed, small ones read where they lie */
		save_and_compare(HEAD "f (float[1, 3] x) => (float[1, 3] y) <float[3] w = {1, 2, 3}> { y = Mul(x, w) }", (Isa)isa, 0, 0, false);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(late_weights_are_left), cmocka_unit_test(late_weights_are_right),
		cmocka_unit_test(weights_share_chunks), cmocka_unit_test(packed_once), cmocka_unit_test(late_weights_are_saved) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

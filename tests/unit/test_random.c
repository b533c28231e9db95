/* Random graphs over the core ops: optimised with the proof, then run before and after, natively and in double, on inputs
 * that at -O1 hold NaN, infinities and -0 and must give the same bits; a second optimisation finds nothing to do, and the
 * raised graph computes the same again.
 *
 *	test_random                the fixed seeds of the test suite
 *	test_random FIRST COUNT    others
 *
 * A failure is narrowed down to the first ops that show it and one output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "random_graph.h"

enum { ROUNDS = 3, EMPTY_ROUND = 2 };

/* ---- running ---- */

static bool symbol_value(void *arg, const Sym *s, int64_t *out)
{
	static const int64_t SIZES[ROUNDS][2] = { { 3, 2 }, { 1, 4 }, { 0, 1 } };
	*out = SIZES[*(int *)arg][sym_name(s)->s[0] != 'n'];
	return true;
}

static double input_value(Gen *g, Rng *r, DType d)
{
	static const double WILD[] = { NAN, INFINITY, -INFINITY, -0.0, 0, 3e38, 1e-40, 1 };
	if (d == DT_BOOL)
		return (double)rng_below(r, 2);
	if (!dtype_is_float(d))
		return g->exact && rng_below(r, 8) == 0 ? (double)dtype_int_min(d)
				: (double)(rng_below(r, 9) - (dtype_int_min(d) ? 4 : 0));
	if (g->exact && rng_below(r, 4) == 0)
		return WILD[rng_below(r, ARRAY_LEN(WILD))];
	return rng_below(r, 12) == 0 ? 0 : (double)(float)rng_normal(r);
}

static bool run(Gen *g, Module *m, uint64_t seed, int round, bool oracle, EvalCtx *e, Tensor **out, Diags *d)
{
	Tensor *in[16] = { 0 };
	Rng r = { .state = seed + (uint64_t)round };
	diags_init(d, g->b->arena);
	eval_init(e, g->b->ctx, d);
	eval_enable_dialects(e, m);
	e->oracle = oracle;
	e->threads = 1;
	const Block *body = m->main->body;
	for (size_t i = 0; i < body->nargs; i++) {
		int64_t dims[MAX_RANK] = { 0 };
		const Type *t = g->b->func->body->args[i]->type;
		for (int k = 0; k < t->rank; k++)
			assert_true(sym_eval(t->dims[k], symbol_value, &round, &dims[k]));
		in[i] = tensor_new(e, t->dtype, t->rank, dims);
		for (int64_t k = 0; k < in[i]->count; k++)
			tensor_set_f64(in[i], k, input_value(g, &r, t->dtype));
	}
	return eval_func(e, m->main, in, body->nargs, out, g->b->nout);
}

/* Equal results: by the bits, or within `tolerance` of the largest element and a multiple of the rounding error. */
static bool same_results(Gen *g, const Tensor *got, const Tensor *want, double tolerance, char *why, size_t size)
{
	double top = 1;
	if (got->dtype != want->dtype || !tensor_same_shape(got, want)) {
		snprintf(why, size, "type or shape differs");
		return false;
	}
	for (int64_t i = 0; i < want->count; i++)
		if (isfinite(tensor_get_f64(want, i)))
			top = fmax(top, fabs(tensor_get_f64(want, i)));
	for (int64_t i = 0; i < want->count; i++) {
		if (!dtype_is_float(want->dtype)) {
			if (tensor_get_i64(got, i) == tensor_get_i64(want, i))
				continue;
			snprintf(why, size, "element %lld: %lld, was %lld", (long long)i, (long long)tensor_get_i64(got, i),
					(long long)tensor_get_i64(want, i));
			return false;
		}
		double a = tensor_get_f64(got, i), b = tensor_get_f64(want, i);
		bool same = (isnan(a) && isnan(b)) || (a == b && (!g->exact || signbit(a) == signbit(b)));
		if (same || (!g->exact && fabs(a - b) <= tolerance * top))
			continue;
		snprintf(why, size, "element %lld: %.17g, was %.17g", (long long)i, a, b);
		return false;
	}
	return true;
}

static double tolerance_of(Tensor *const *native, Tensor *const *oracle, size_t i, DType d)
{
	double eps = d == DT_F16 ? 3e-2 : d == DT_F64 ? 1e-9 : 3e-5;
	double noise = rounding_noise(native[i], oracle[i]), top = 1;
	for (int64_t k = 0; k < oracle[i]->count; k++)
		if (isfinite(tensor_get_f64(oracle[i], k)))
			top = fmax(top, fabs(tensor_get_f64(oracle[i], k)));
	return eps + 64 * noise / top;
}

/* The narrowest float type on the way: constants of it are rounded to it. */
static bool note_narrow(void *arg, Op *op)
{
	DType *t = arg;
	for (size_t i = 0; i < op->nresults; i++) {
		DType d = op->results[i]->type->dtype;
		if (d == DT_F16 || (d == DT_F32 && *t == DT_F64))
			*t = d;
	}
	return true;
}

/* Both modules on the same inputs, in both modes. Sizes on which the graph as built fails do not count. */
static bool compare(Gen *g, Module *before, Module *after, uint64_t seed, bool raised, char *why, size_t size)
{
	bool good = true;
	DType narrow = DT_F64;
	block_walk(before->main->body, note_narrow, &narrow);
	for (int round = 0; round < ROUNDS && good; round++) {
		EvalCtx e[4];
		Diags d[4];
		Tensor *want[2][16] = { 0 }, *got[2][16] = { 0 };
		bool ran = run(g, before, seed, round, false, &e[0], want[0], &d[0]);
		ran &= run(g, before, seed, round, true, &e[1], want[1], &d[1]);
		g->ran |= ran;
		for (int oracle = 0; oracle < (g->exact ? 1 : 2); oracle++) { /* folding at -O1 rounds as a run does */
			bool ok = run(g, after, seed, round, oracle, &e[2 + oracle], got[oracle], &d[2 + oracle]);
			if (ran && !ok && round == EMPTY_ROUND && strstr(d[2 + oracle].list.data[0].message, "no multiple of 0"))
				ran = false; /* a size of 0 hides what -1 stands for */
			if (ran && good && !ok) {
				good = false;
				snprintf(why, size, "round %d: the optimised graph fails: %s", round,
						d[2 + oracle].list.len ? d[2 + oracle].list.data[0].message : "?");
			}
			for (size_t i = 0; i < g->b->nout && ran && good; i++) {
				char text[160];
				good = same_results(g, got[oracle][i], want[oracle][i],
						oracle && !raised && narrow != DT_F16 ? 1e-5 : tolerance_of(want[0], want[1], i, narrow),
						text, sizeof text);
				if (!good)
					snprintf(why, size, "round %d, %s, output %zu: %s", round, oracle ? "in double" : "natively", i, text);
			}
		}
		for (int i = 0; i < 4; i++)
			if (i < 3 || !g->exact)
				eval_release(&e[i]);
	}
	return good;
}

static bool failed(Gen *g, Arena *a, const char *what, char *why, size_t size)
{
	Diags *d = &g->b->ctx->diags;
	(void)a;
	for (size_t i = 0; i < d->list.len; i++)
		if (d->status != HONE_OK || strstr(d->list.data[i].message, "no fixed point")) {
			snprintf(why, size, "%s: %s (%s)", what, d->list.data[i].message,
					d->list.data[i].hint ? d->list.data[i].hint : "");
			return true;
		}
	return false;
}

static char *text_of(const Module *m, Arena *a)
{
	Buf text = { 0 };
	WriteOptions w = { 0 };
	mlir_print(m, &text, &w);
	char *out = arena_strdup(a, text.data ? text.data : "");
	buf_free(&text);
	return out;
}

static bool check_graph(Gen *g, uint64_t seed, char *why, size_t size)
{
	Build *b = g->b;
	Module *before = module_clone(b->module, NULL);
	OptimiseOptions o;
	OptimiseReport r;
	optimise_options_init(&o);
	o.rewrite.level = g->exact ? 1 : 2;
	o.threads = 1;
	o.verify = o.verify_structure = true;
	o.seed = seed;
	if (!optimise(b->module, &o, b->arena, &r) || failed(g, b->arena, "optimising", why, size))
		return failed(g, b->arena, "optimising", why, size), false;
	if (!compare(g, before, b->module, seed, false, why, size))
		return false;
	if (!g->ran)
		return true; /* no sizes run: shapes that come from data and fit nothing */
	const char *once = text_of(b->module, b->arena);
	o.verify = false;
	bool ok = optimise(b->module, &o, b->arena, &r);
	if (!ok || failed(g, b->arena, "optimising again", why, size))
		return failed(g, b->arena, "optimising again", why, size), false;
	const char *twice = text_of(b->module, b->arena);
	if (strcmp(once, twice)) {
		snprintf(why, size, "a second run changes something (%s):\n%s\nto\n%s", r.log.names.len ? r.log.names.data[0] : "?",
				once, twice);
		return false;
	}
	if (!optimise_raise(b->module, &o, b->arena, NULL) || failed(g, b->arena, "raising", why, size))
		return failed(g, b->arena, "raising", why, size), false;
	ok = prepare_to_run(b->module, b->arena);
	if (!ok || failed(g, b->arena, "raised", why, size))
		return failed(g, b->arena, "raised", why, size), false;
	if (compare(g, before, b->module, seed, true, why, size))
		return true;
	memmove(why + 8, why, size - 9);
	memcpy(why, "raised: ", 8);
	why[size - 1] = 0;
	return false;
}

static bool try_seed(uint64_t seed, int64_t max_ops, int only, bool quiet)
{
	static const size_t SIZE = 1 << 14;
	char *why = calloc(1, SIZE);
	Gen *g = random_graph(seed, max_ops, only);
	char *text = text_of(g->b->module, g->b->arena);
	bool good = check_graph(g, seed, why, SIZE);
	if (!good && !quiet)
		fprintf(stderr, "seed %llu, -O%d, %lld ops, output %d: %s\n%s\n", (unsigned long long)seed, g->exact ? 1 : 2,
				(long long)max_ops, only, why, text);
	build_free(g->b);
	free(g);
	free(why);
	return good;
}

/* The fewest first ops and then the first single output that still fail. */
static bool try_and_narrow(uint64_t seed)
{
	int64_t ops = 1;
	int only = 0;
	if (try_seed(seed, MAX_OPS, -1, true))
		return true;
	while (ops < MAX_OPS && try_seed(seed, ops, -1, true))
		ops++;
	while (only < 12 && try_seed(seed, ops, only, true))
		only++;
	try_seed(seed, ops, only < 12 ? only : -1, false);
	return false;
}

static void random_graphs(void **state)
{
	(void)state;
	int bad = 0;
	for (uint64_t seed = 1; seed <= 300; seed++)
		bad += !try_and_narrow(seed);
	assert_int_equal(bad, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_graphs) };
	if (argc < 3)
		return cmocka_run_group_tests(tests, NULL, NULL);
	uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), bad = 0;
	for (uint64_t seed = first; seed < first + count; seed++)
		bad += !try_and_narrow(seed);
	printf("%llu of %llu failed\n", (unsigned long long)bad, (unsigned long long)count);
	return bad > 0;
}

/* Stored results of random ops against draws: samples of the same distributions pass, however few; others do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "verify/verify.h"

enum { RUNS = 64, MOST = 200 };

/* Element i of a sample: of several distributions, each with its own scale. */
typedef double DrawFn(Rng *r, int64_t i);

static double uniform(Rng *r, int64_t i)
{
	return (double)rng_below(r, 1 << 24) / (1 << 24) * (double)(1 + i % 3);
}

static double normal(Rng *r, int64_t i)
{
	return rng_normal(r) * (double)(1 + i % 5) + (double)i;
}

static double coin(Rng *r, int64_t i)
{
	return rng_below(r, 100) < 10 + 8 * (i % 10);
}

static double dropped(Rng *r, int64_t i)
{
	return rng_below(r, 4) ? (double)(i + 1) / 0.75 : 0;
}

static double shifted(Rng *r, int64_t i)
{
	return uniform(r, i) + 0.6 * (double)(1 + i % 3);
}

static double wide(Rng *r, int64_t i)
{
	return (normal(r, i) - (double)i) * 3 + (double)i;
}

static double rare(Rng *r, int64_t i)
{
	return rng_below(r, 100) < (10 + 8 * (i % 10)) / 8;
}

static double not_scaled(Rng *r, int64_t i)
{
	return dropped(r, i) * 0.75;
}

static double constant(Rng *r, int64_t i)
{
	(void)r;
	return 0.5 * (double)(1 + i % 3);
}

static double invalid(Rng *r, int64_t i)
{
	return i == 3 ? (double)NAN : uniform(r, i);
}

static int passes(EvalCtx *e, DrawFn *draw, DrawFn *stored, int64_t n, int tries)
{
	int passed = 0;
	for (int t = 0; t < tries; t++) {
		Rng r = { (uint64_t)t * 7919 + (uint64_t)n };
		Tensor *draws[RUNS], *want = tensor_new(e, DT_F32, 1, &n);
		CompareResult result;
		for (int k = 0; k < RUNS; k++) {
			draws[k] = tensor_new(e, DT_F32, 1, &n);
			for (int64_t i = 0; i < n; i++)
				tensor_set_f64(draws[k], i, draw(&r, i));
		}
		for (int64_t i = 0; i < n; i++)
			tensor_set_f64(want, i, stored(&r, i));
		passed += samples_compare(draws, RUNS, want, &result);
		for (int k = 0; k < RUNS; k++)
			tensor_unref(draws[k]);
		tensor_unref(want);
	}
	return passed;
}

static void the_same_passes_others_do_not(void **state)
{
	static DrawFn *const SAME[] = { uniform, normal, coin, dropped, constant };
	static const struct { DrawFn *draw, *stored; int64_t n; } OTHERS[] = {
		{ uniform, shifted, 20 }, { uniform, shifted, MOST }, { normal, wide, 20 }, { normal, wide, MOST }, { coin, rare, 60 },
		{ coin, rare, MOST }, { dropped, not_scaled, 10 }, { dropped, not_scaled, 60 }, { uniform, constant, MOST },
		{ constant, uniform, 10 }, { uniform, invalid, 10 },
	};
	Context *c = context_new();
	EvalCtx e;
	(void)state;
	eval_init(&e, c, &c->diags);
	for (size_t k = 0; k < ARRAY_LEN(SAME); k++)
		for (int64_t n = 1; n <= MOST; n = n * 3 + 7)
			if (passes(&e, SAME[k], SAME[k], n, 200) < (n < 4 ? 190 : 200))
				fail_msg("samples of distribution %zu, %lld elements, differ", k, (long long)n);
	for (size_t k = 0; k < ARRAY_LEN(OTHERS); k++)
		if (passes(&e, OTHERS[k].draw, OTHERS[k].stored, OTHERS[k].n, 100) > 5)
			fail_msg("pair %zu passes %d times", k, passes(&e, OTHERS[k].draw, OTHERS[k].stored, OTHERS[k].n, 100));
	eval_release(&e);
	context_free(c);
}

static void types_and_shapes_count(void **state)
{
	Context *c = context_new();
	EvalCtx e;
	CompareResult r;
	(void)state;
	eval_init(&e, c, &c->diags);
	Tensor *a = tensor_new(&e, DT_F32, 1, (int64_t[]){ 4 }), *b = tensor_new(&e, DT_F64, 1, (int64_t[]){ 4 });
	Tensor *d = tensor_new(&e, DT_F32, 2, (int64_t[]){ 2, 2 }), *draws[2] = { a, a };
	assert_true(samples_compare(draws, 2, a, &r) && r.equal);
	assert_false(samples_compare(draws, 2, b, &r) || r.equal);
	assert_false(samples_compare(draws, 2, d, &r) || r.equal);
	tensor_unref(a);
	tensor_unref(b);
	tensor_unref(d);
	eval_release(&e);
	context_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_same_passes_others_do_not), cmocka_unit_test(types_and_shapes_count) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

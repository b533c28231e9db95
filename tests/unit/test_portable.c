/* The expansions of chlo functions for bytecode, against the C library in long double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "driver/driver.h"
#include "format/format.h"

typedef struct Function {
	const char *name;
	long double (*exact)(long double);
	double ulps; /* allowed, of f32 and f64 */
} Function;

static const Function functions[] = {
	{ "erf", erfl, 4 }, { "erfc", erfcl, 16 }, { "asin", asinl, 4 }, { "acos", acosl, 4 }, { "atan", atanl, 3 },
	{ "sinh", sinhl, 6 }, { "cosh", coshl, 6 }, { "asinh", asinhl, 6 }, { "acosh", acoshl, 6 }, { "atanh", atanhl, 6 },
};

enum { NSAMPLES = 4000 };

/* Special values, then numbers of all magnitudes, then evenly over [-12, 12]. */
static double sample(int i)
{
	static const double special[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0.5, -0.5, 1e-30, -1e-30, 1e30, -1e30, 3e38,
		6, -6, 3.93, 27, 1.0000001, 0.9999999 };
	if (i < (int)ARRAY_LEN(special))
		return special[i];
	if (i % 2)
		return (i % 4 == 1 ? 1 : -1) * pow(10, (i % 97) / 97.0 * 8 - 5);
	return (double)i / NSAMPLES * 24 - 12;
}

static bool no_chlo(void *arg, Op *op)
{
	(void)arg;
	return strncmp(op->def->name->s, "chlo.", 5) != 0;
}

static Module *module_of(Context *c, const char *text)
{
	Module *m = mlir_parse(c, "test", (Bytes){ (const uint8_t *)text, strlen(text) });
	assert_non_null(m);
	return m;
}

/* The distance in units of the last place of the type at the exact value. */
static double distance(double got, long double exact, DType d)
{
	double want = d == DT_F64 ? (double)exact : (double)(float)exact;
	if (isnan(want) || isinf(want) || exact == 0)
		return (isnan(want) && isnan(got)) || (got == want && signbit(got) == signbit(want)) ? 0 : INFINITY;
	double least = d == DT_F64 ? 2.3e-308 : 1.2e-38, unit = d == DT_F64 ? 2.3e-16 : 1.2e-7;
	double scale = fabs(want) < least ? least : fabs(want);
	return fabs(got - want) / (scale * unit);
}

static void check(const Function *f, DType d, const char *type)
{
	Context *c = context_new();
	Arena *a = arena_new();
	char text[400];
	EvalCtx e;
	snprintf(text, sizeof text, "func.func @main(%%x: tensor<%dx%s>) -> tensor<%dx%s> {\n"
		"%%0 = chlo.%s %%x : tensor<%dx%s> -> tensor<%dx%s>\nreturn %%0 : tensor<%dx%s>\n}\n", NSAMPLES, type, NSAMPLES, type,
		f->name, NSAMPLES, type, NSAMPLES, type, NSAMPLES, type);
	Module *m = module_of(c, text);
	assert_true(make_portable(m, a));
	assert_true(module_verify(m, &c->diags));
	assert_true(module_walk(m, no_chlo, NULL));
	assert_true(prepare_to_run(m, a));
	eval_init(&e, c, &c->diags);
	eval_enable_dialects(&e, m);
	Tensor *x = tensor_new(&e, d, 1, (int64_t[]){ NSAMPLES }), *y = NULL;
	for (int i = 0; i < NSAMPLES; i++)
		tensor_set_f64(x, i, sample(i));
	assert_true(eval_func(&e, m->main, &x, 1, &y, 1));
	for (int i = 0; i < NSAMPLES; i++) {
		double in = tensor_get_f64(x, i), by = distance(tensor_get_f64(y, i), f->exact(in), d);
		if (by > f->ulps)
			fail_msg("chlo.%s of %s: %a gives %a, which is %g units from the exact %La", f->name, type, in,
				tensor_get_f64(y, i), by, f->exact(in));
	}
	tensor_unref(x);
	tensor_unref(y);
	eval_release(&e);
	arena_free(a);
	context_free(c);
}

static void test_functions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		check(&functions[i], DT_F32, "f32");
		check(&functions[i], DT_F64, "f64");
	}
}

/* Types without an expansion are refused, naming the op. */
static void test_complex(void **state)
{
	(void)state;
	Context *c = context_new();
	Arena *a = arena_new();
	Module *m = module_of(c, "func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {\n"
		"%0 = chlo.asin %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>\nreturn %0 : tensor<2xcomplex<f32>>\n}\n");
	assert_false(make_portable(m, a));
	assert_int_equal(c->diags.status, HONE_UNSUPPORTED);
	arena_free(a);
	context_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_functions), cmocka_unit_test(test_complex) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

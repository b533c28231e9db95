/* The proof where other ops draw random numbers: the same distribution passes, any other does not, and what depends on the numbers
 * is compared on the same ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"
#include "verify/verify.h"

typedef struct Names {
	Value **to_before;
	Module *before;
	uint32_t n;
	const char *name;
	Value *found;
} Names;

static bool has_name(void *arg, Op *op)
{
	Names *n = arg;
	for (size_t i = 0; i < op->nresults; i++)
		if (op->results[i]->name && !strcmp(op->results[i]->name->s, n->name))
			n->found = op->results[i];
	return true;
}

/* A value of the result stands for the one of the same name. */
static bool pair_up(void *arg, Op *op)
{
	Names *n = arg;
	for (size_t i = 0; i < op->nresults; i++) {
		Value *v = op->results[i];
		n->found = NULL;
		n->name = v->name ? v->name->s : "";
		module_walk(n->before, has_name, n);
		n->to_before[v->id] = n->found;
	}
	return true;
}

static Module *parsed(Context *c, const char *body)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	assert_non_null(f);
	fprintf(f, "func.func @main(%%x: tensor<40x3xf32>, %%lo: tensor<f32>, %%hi: tensor<f32>, %%n: tensor<i32>) -> tensor<40x3xf32> {\n"
		"%%s = core.constant() {value = dense<[40, 3]> : tensor<2xi64>} : () -> tensor<2xi64>\n"
		"%%a = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>\n"
		"%%b = core.constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>\n"
		"%%m = core.constant() {value = dense<-2> : tensor<i32>} : () -> tensor<i32>\n%s\nreturn %%y : tensor<40x3xf32>\n}\n", body);
	fclose(f);
	Module *m = mlir_parse(c, "test.mlir", (Bytes){ (const uint8_t *)text, len });
	if (!m && c->diags.list.len)
		print_message("%s\n", c->diags.list.data[0].message);
	assert_non_null(m);
	free(text);
	return m;
}

static LocalReport proof_of(const char *before, const char *after)
{
	Context *c = context_new();
	Module *b = parsed(c, before), *a = parsed(c, after);
	Arena *arena = arena_new();
	RewriteLog log;
	LocalReport report;
	LocalOptions o = { .seed = 3 };
	Names n = { .before = b, .n = a->next_value };
	n.to_before = NEW_ARRAY(arena, Value *, n.n + 1u);
	module_walk(a, pair_up, &n);
	for (size_t i = 0; i < a->main->body->nargs; i++)
		n.to_before[a->main->body->args[i]->id] = b->main->body->args[i];
	rewrite_log_init(&log, arena);
	bool ok = verify_local(b, n.to_before, n.n, a, &log, &o, arena, &report);
	assert_int_equal(ok, report.failed == 0);
	for (size_t i = 0; i < report.failures.len; i++)
		print_message("  %s: %s (%g, was %g)\n", report.failures.data[i].value, report.failures.data[i].detail,
			report.failures.data[i].got, report.failures.data[i].want);
	report.skips.len = report.failures.len = 0;
	arena_free(arena);
	module_free(a);
	module_free(b);
	context_free(c);
	return report;
}

#define F "tensor<40x3xf32>"
#define ADD "%y = core.add(%r, %x) : (" F ", " F ") -> " F
#define RNG(a, b, how) "%r = stablehlo.rng " a ", " b ", %s, distribution = " how " : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> " F "\n"
#define UNIFORM(name, attrs) name " = core.random_uniform(%s) {" attrs "} : (tensor<2xi64>) -> " F "\n"
#define NORMAL(name, attrs) name " = core.random_normal(%s) {" attrs "} : (tensor<2xi64>) -> " F "\n"
#define ON(name, op, a, b) name " = core." op "(" a ", " b ") : (" F ", tensor<f32>) -> " F "\n"

static void assert_proved(const char *before, const char *after)
{
	LocalReport r = proof_of(before, after);
	assert_int_equal(r.failed, 0);
	assert_int_equal(r.drawn, 1);
	assert_int_equal(r.skipped, 0);
}

static void assert_refused(const char *before, const char *after)
{
	assert_int_equal(proof_of(before, after).failed, 1);
}

static void same_distributions_pass(void **state)
{
	(void)state;
	assert_proved(RNG("%a", "%b", "UNIFORM") ADD, UNIFORM("%r", "low = 1.0 : f32, high = 3.0 : f32") ADD);
	assert_proved(RNG("%a", "%b", "NORMAL") ADD, NORMAL("%r", "mean = 1.0 : f32, scale = 3.0 : f32") ADD);
	assert_proved(RNG("%lo", "%hi", "NORMAL") ADD, NORMAL("%u", "") ON("%v", "mul", "%u", "%hi") ON("%r", "add", "%v", "%lo") ADD);
	assert_proved(RNG("%lo", "%hi", "UNIFORM") ADD, UNIFORM("%u", "")
		"%w = core.sub(%hi, %lo) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
		ON("%v", "mul", "%u", "%w") ON("%r", "add", "%v", "%lo") ADD);
}

static void other_distributions_are_refused(void **state)
{
	(void)state;
	assert_refused(RNG("%a", "%b", "UNIFORM") ADD, UNIFORM("%r", "low = 1.0 : f32, high = 4.0 : f32") ADD);
	assert_refused(RNG("%a", "%b", "UNIFORM") ADD, UNIFORM("%r", "low = 0.0 : f32, high = 3.0 : f32") ADD);
	assert_refused(RNG("%a", "%b", "UNIFORM") ADD, NORMAL("%r", "mean = 2.0 : f32, scale = 0.6 : f32") ADD);
	assert_refused(RNG("%a", "%b", "NORMAL") ADD, NORMAL("%r", "mean = 3.0 : f32, scale = 1.0 : f32") ADD);
	assert_refused(RNG("%lo", "%hi", "UNIFORM") ADD, UNIFORM("%u", "") ON("%v", "mul", "%u", "%hi") ON("%r", "add", "%v", "%lo") ADD);
	/* the same op with other bounds */
	assert_refused(UNIFORM("%r", "low = 1.0 : f32") ADD, UNIFORM("%r", "low = 0.5 : f32") ADD);
	/* not drawn any more, though the mean is right */
	assert_refused(RNG("%a", "%b", "UNIFORM") ADD, "%r = core.fill(%s) {value = dense<2.0> : tensor<1xf32>} : (tensor<2xi64>) -> " F "\n" ADD);
}

/* Two independent numbers that became one look right each by itself. */
static void draws_are_not_merged(void **state)
{
	(void)state;
	const char *two = RNG("%a", "%b", "UNIFORM") "%q = stablehlo.rng %a, %b, %s, distribution = UNIFORM : "
		"(tensor<f32>, tensor<f32>, tensor<2xi64>) -> " F "\n" "%y = core.add(%r, %q) : (" F ", " F ") -> " F;
	char text[2048];
	snprintf(text, sizeof text, "%s%s%s%s", UNIFORM("%u", "low = 0.0 : f32, high = 2.0 : f32"), ON("%r", "add", "%u", "%a"),
		ON("%q", "add", "%u", "%a"), "%y = core.add(%r, %q) : (" F ", " F ") -> " F);
	assert_int_equal(proof_of(two, text).failed, 1);
	snprintf(text, sizeof text, "%s%s%s", UNIFORM("%r", "low = 1.0 : f32, high = 3.0 : f32"),
		UNIFORM("%q", "low = 1.0 : f32, high = 3.0 : f32"), "%y = core.add(%r, %q) : (" F ", " F ") -> " F);
	LocalReport r = proof_of(two, text);
	assert_int_equal(r.failed, 0);
	assert_int_equal(r.drawn, 2);
}

/* What depends on the numbers, and what does not. */
static void the_rest_is_compared(void **state)
{
	(void)state;
	const char *before = RNG("%a", "%b", "UNIFORM") ADD, *uniform = UNIFORM("%r", "low = 1.0 : f32, high = 3.0 : f32");
	char text[2048];
	snprintf(text, sizeof text, "%s%s", uniform, "%y = core.sub(%r, %x) : (" F ", " F ") -> " F);
	assert_refused(before, text);
	snprintf(text, sizeof text, "%s%s", uniform,
		"%g = core.neg(%x) : (" F ") -> " F "\n%y = core.sub(%r, %g) : (" F ", " F ") -> " F);
	LocalReport r = proof_of(before, text);
	assert_int_equal(r.failed, 0);
	assert_int_equal(r.drawn, 1);
	assert_int_equal(r.checked, 2); /* the draw, and y replayed on the same numbers */
}

static void whole_numbers(void **state)
{
	(void)state;
	const char *before = "%i = stablehlo.rng %m, %n, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> "
		"tensor<40x3xi32>\n%y = core.cast(%i) {to = \"f32\"} : (tensor<40x3xi32>) -> " F;
	const char *form = "%%f = core.cast(%%m) {to = \"f32\"} : (tensor<i32>) -> tensor<f32>\n"
		"%%t = core.cast(%%n) {to = \"f32\"} : (tensor<i32>) -> tensor<f32>\n"
		"%%d = core.sub(%%t, %%f) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
		"%%z = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>\n"
		"%%w = core.max(%%d, %%z) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
		"%s%s%%k = core.%s(%%p) : (" F ") -> " F "\n%s"
		"%%i = core.cast(%%l) {to = \"i32\"} : (" F ") -> tensor<40x3xi32>\n"
		"%%y = core.cast(%%i) {to = \"f32\"} : (tensor<40x3xi32>) -> " F;
	char text[2048];
	snprintf(text, sizeof text, form, UNIFORM("%u", ""), ON("%p", "mul", "%u", "%w"), "floor", ON("%l", "add", "%k", "%f"));
	LocalReport r = proof_of(before, text);
	assert_int_equal(r.failed, 0);
	assert_int_equal(r.drawn, 1);
	snprintf(text, sizeof text, form, UNIFORM("%u", ""), ON("%p", "mul", "%u", "%w"), "ceil", ON("%l", "add", "%k", "%f"));
	assert_int_equal(proof_of(before, text).failed, 1);
}

static void sample_distance(void **state)
{
	enum { N = 2000 };
	static double x[N], y[N];
	Rng r = { .state = 7 };
	(void)state;
	for (int i = 0; i < N; i++) {
		x[i] = rng_normal(&r);
		y[i] = rng_normal(&r);
	}
	assert_true(samples_alike(x, N, y, N / 2));
	for (int i = 0; i < N; i++)
		y[i] = 1.3 * rng_normal(&r);
	assert_false(samples_alike(x, N, y, N) && samples_alike(x, N, y, N / 2));
	for (int i = 0; i < N; i++)
		x[i] = y[i] = (double)(i % 2); /* ties */
	assert_true(samples_alike(x, N, y, N));
	for (int i = 0; i < N; i++)
		y[i] = (double)(i % 3 == 0);
	assert_false(samples_alike(x, N, y, N));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_distributions_pass), cmocka_unit_test(other_distributions_are_refused),
		cmocka_unit_test(draws_are_not_merged), cmocka_unit_test(the_rest_is_compared), cmocka_unit_test(whole_numbers),
		cmocka_unit_test(sample_distance),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

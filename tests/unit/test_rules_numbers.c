/* The golden cases of rules, by numbers: what each of them reads gives the same before and after the rule, where it fires and
 * where it must not. The cases are those of tests/golden/rules whose input is StableHLO. */
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

typedef struct Case {
	char *head, *text;        /* comments; input */
	char rule[64], passes[128];
} Case;

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	long n = ftell(f);
	rewind(f);
	char *s = malloc((size_t)n + 1);
	assert_non_null(s);
	assert_int_equal(fread(s, 1, (size_t)n, f), n);
	s[n] = 0;
	fclose(f);
	return s;
}

/* The word behind an option of the command line. */
static bool option(const char *head, const char *name, char *out, size_t size)
{
	const char *at = strstr(head, name);
	if (!at)
		return false;
	at += strlen(name);
	size_t n = strcspn(at, " \n");
	if (n >= size)
		return false;
	memcpy(out, at, n);
	out[n] = 0;
	return true;
}

/* The next case of the text, which is cut up; false at the end. */
static bool next_case(char **rest, Case *c)
{
	if (!*rest || !**rest)
		return false;
	c->head = *rest;
	char *end = strstr(*rest, "\n====\n");
	if (end) {
		*end = 0;
		*rest = end + 6;
	} else {
		*rest = NULL;
	}
	c->text = strstr(c->head, "\n---\n");
	if (!c->text)
		return true;
	*c->text = 0;
	c->text += 5;
	char *want = strstr(c->text, "\n---");
	if (want)
		want[1] = 0;
	return true;
}

/* Seeded numbers, with zeros of both signs and infinities among the floats. */
static Tensor *make_input(EvalCtx *e, Rng *r, const Type *t)
{
	int64_t dims[MAX_RANK];
	for (int d = 0; d < t->rank; d++)
		if (!sym_const(t->dims[d], &dims[d]))
			dims[d] = 3;
	Tensor *v = tensor_new(e, t->dtype, t->rank, dims);
	assert_non_null(v);
	bool complex = dtype_class(t->dtype) == DC_COMPLEX;
	for (int64_t i = 0; i < v->count * (complex ? 2 : 1); i++) {
		double x = rng_normal(r);
		int64_t special = rng_below(r, 24);
		x = special == 0 ? 0 : special == 1 ? -0.0 : special == 2 ? INFINITY : special == 3 ? -INFINITY : x;
		if (complex && t->dtype == DT_C64)
			((float *)v->data)[i] = (float)x;
		else if (complex)
			((double *)v->data)[i] = x;
		else if (dtype_is_float(t->dtype))
			tensor_set_f64(v, i, (double)(float)x);
		else
			tensor_set_i64(v, i, t->dtype == DT_BOOL ? rng_below(r, 2) : rng_below(r, 5) - (dtype_class(t->dtype) == DC_INT));
	}
	return v;
}

static bool numbers_agree(double a, double b, bool exact)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	if (exact)
		return a == b && signbit(a) == signbit(b);
	return a == b || fabs(a - b) <= 1e-5 * fmax(1, fabs(b));
}

static void compare(const char *head, const Tensor *got, const Tensor *want, bool exact)
{
	if (got->dtype != want->dtype || !tensor_same_shape(got, want))
		fail_msg("%s: type or shape differs", head);
	bool complex = dtype_class(want->dtype) == DC_COMPLEX;
	for (int64_t i = 0; i < want->count * (complex ? 2 : 1); i++) {
		double a, b;
		if (complex && want->dtype == DT_C64) {
			a = (double)((float *)got->data)[i];
			b = (double)((float *)want->data)[i];
		} else if (complex) {
			a = ((double *)got->data)[i];
			b = ((double *)want->data)[i];
		} else {
			a = tensor_get_f64(got, i);
			b = tensor_get_f64(want, i);
		}
		if (!numbers_agree(a, b, exact))
			fail_msg("%s: element %lld: got %.17g, want %.17g", head, (long long)i, a, b);
	}
}

static int64_t fired(const RewriteLog *log, const char *rule)
{
	for (size_t i = 0; i < log->names.len; i++)
		if (!strcmp(log->names.data[i], rule))
			return log->counts.data[i];
	return 0;
}

/* Both run on three sets of inputs. */
static void run_both(Context *c, Module *before, Module *after, const char *head, bool exact)
{
	Rng r = { 7 };
	for (int round = 0; round < 3; round++) {
		EvalCtx e;
		Tensor *in[16], *got[16] = { 0 }, *want[16] = { 0 };
		eval_init(&e, c, &c->diags);
		size_t nin = before->main->body->nargs, nout = block_terminator(before->main->body)->noperands;
		assert_true(nin <= 16 && nout <= 16 && after->main->body->nargs == nin);
		for (size_t i = 0; i < nin; i++)
			if (!type_has_rank(before->main->body->args[i]->type)) { /* a tuple */
				eval_release(&e);
				return;
			}
		for (size_t i = 0; i < nin; i++)
			in[i] = make_input(&e, &r, before->main->body->args[i]->type);
		bool runs = eval_func(&e, before->main, in, nin, want, nout);
		assert_true(runs == eval_func(&e, after->main, in, nin, got, nout));
		for (size_t i = 0; runs && i < nout; i++)
			if (want[i] && want[i]->kind == TYPE_TENSOR)
				compare(head, got[i], want[i], exact);
		eval_release(&e);
	}
}

/* Whether it was a case of a rule over StableHLO. */
static bool check_case(Case *k)
{
	if (!k->text || !strstr(k->head, "# run: opt %s --passes ") || !option(k->head, "--passes ", k->passes, sizeof k->passes) ||
		!option(k->head, "--only ", k->rule, sizeof k->rule) || !strstr(k->text, "stablehlo.") || strstr(k->head, "# exit: "))
		return false;
	Context *c = context_new();
	Arena *a = arena_new();
	OptimiseOptions o;
	OptimiseReport r;
	optimise_options_init(&o);
	o.passes = k->passes;
	o.rewrite.only = (const char *const[]){ k->rule, NULL };
	o.rewrite.level = 3;
	o.threads = 1;
	Bytes text = { (const uint8_t *)k->text, strlen(k->text) };
	Module *before = mlir_parse(c, "case", text), *after = mlir_parse(c, "case", text);
	if (!before || !after || !prepare_to_run(before, a) || !optimise(after, &o, a, &r))
		fail_msg("%s: %s", k->head, c->diags.list.len ? c->diags.list.data[0].message : "no diagnostic");
	const Rule *rule = rule_find(k->rule); /* NULL: a pass */
	bool never = strstr(k->head, "# stderr: rewrites: 0") != NULL;
	if (never != (fired(&r.log, k->rule) == 0))
		fail_msg("%s: the rule fired %lld times", k->head, (long long)fired(&r.log, k->rule));
	run_both(c, before, after, k->head, rule && rule->class == CLASS_EXACT);
	arena_free(a);
	context_free(c);
	return true;
}

static void check_file(const char *name, int want)
{
	char path[512];
	Case k = { 0 };
	int n = 0;
	snprintf(path, sizeof path, "%s/golden/rules/%s", TEST_DIR, name);
	char *all = read_file(path), *rest = all;
	while (next_case(&rest, &k))
		n += check_case(&k);
	free(all);
	if (n < want)
		fail_msg("%s has %d cases, expected at least %d", name, n, want);
}

static void stablehlo(void **state)
{
	(void)state;
	check_file("stablehlo.t", 10);
}

static void stablehlo_more(void **state)
{
	(void)state;
	check_file("stablehlo_more.t", 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stablehlo), cmocka_unit_test(stablehlo_more) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

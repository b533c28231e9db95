/* Operators with semantics of their own: rows are complete, results are right, bad attributes are errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "ops/ops.h"

typedef struct Fixture {
	Context *c;
	Module *m;
	Func *f;
	EvalCtx e;
} Fixture;

static void setup(Fixture *x)
{
	x->c = context_new();
	x->m = module_new(x->c);
	x->f = func_new(x->m, str(x->c, "main"));
	eval_init(&x->e, x->c, &x->c->diags);
}

static void teardown(Fixture *x)
{
	eval_release(&x->e);
	module_free(x->m);
	context_free(x->c);
}

static Tensor *strings(Fixture *x, int64_t n, const char *const *v)
{
	Tensor *t = tensor_new(&x->e, DT_STR, 1, &n);
	for (int64_t i = 0; i < n; i++)
		((const Str **)t->data)[i] = str(x->c, v[i]);
	return t;
}

static Tensor *floats(Fixture *x, int rank, const int64_t *dims, const double *v)
{
	Tensor *t = tensor_new(&x->e, DT_F32, rank, dims);
	tensor_store_f64(t, 0, t->count, v);
	return t;
}

/* One op on these operands; NULL attributes end the list. Results in out. */
static bool run(Fixture *x, OpKind kind, Tensor *const *in, size_t nin, NamedAttr *attrs, size_t nattrs, Tensor **out,
	size_t nout)
{
	Value *operands[16];
	for (size_t i = 0; i < nin; i++)
		operands[i] = in[i] ? block_add_arg(x->f->body, type_unknown(x->c), NULL) : NULL;
	OpSpec s = { .def = op_def(x->c, kind), .operands = operands, .noperands = nin, .nresults = nout, .attrs = attrs,
		.nattrs = nattrs };
	return eval_op(&x->e, op_new(x->f->body, NULL, &s), in, out);
}

static NamedAttr named(Fixture *x, AttrName a, const Attr *v)
{
	return (NamedAttr){ x->c->attr_names[a], v };
}

static void rows_can_be_run(void **state)
{
	(void)state;
	Context *c = context_new();
	for (int k = OWN_StringConcat; k <= OWN_TreeEnsembleRegressor; k++)
		if (k != OWN_Gradient) /* needs the graph around it */
			assert_non_null(op_def(c, (OpKind)k)->eval);
	context_free(c);
}

static bool full_match(Fixture *x, const char *pattern, const char *text)
{
	Tensor *in = strings(x, 1, &text), *out;
	NamedAttr a = named(x, A_pattern, attr_str(x->c, str(x->c, pattern)));
	if (!run(x, OWN_RegexFullMatch, &in, 1, &a, 1, &out, 1))
		return false;
	return tensor_get_i64(out, 0) != 0;
}

static void regular_expressions(void **state)
{
	(void)state;
	static const struct { const char *pattern, *text; bool match; } CASES[] = {
		{ "", "", true }, { "", "a", false }, { "a|bc", "bc", true }, { "(a|b)*c", "ababc", true },
		{ "(a*)*", "aaa", true }, { "[^a-c]+", "xyz", true }, { "[^a-c]+", "xbz", false }, { "[]a]+", "]a", true },
		{ "\\d{2,3}", "12", true }, { "\\d{2,3}", "1234", false }, { "x{2}", "xx", true }, { "a{", "a{", true },
		{ "(?i)hone", "HoNe", true }, { "(?i:h)one", "HONE", false }, { ".", "\xc3\xa9", true }, { "a.b", "a\nb", false },
		{ "(?s)a.b", "a\nb", true }, { "\\bab\\b c", "ab c", true }, { "a\\Bb", "ab", true }, { "^a$", "a", true },
		{ "[[:alpha:]_]+", "ab_C", true }, { "\\x41\\x{42}", "AB", true }, { "\\Qa.b\\E", "a.b", true },
		{ "(?P<name>a)+?", "aa", true },
	};
	Fixture x;
	setup(&x);
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++)
		if (full_match(&x, CASES[i].pattern, CASES[i].text) != CASES[i].match)
			fail_msg("%s on \"%s\"", CASES[i].pattern, CASES[i].text);
	teardown(&x);
}

static void wrong_regular_expressions(void **state)
{
	(void)state;
	static const char *const WRONG[] = { "(", ")", "[a", "*", "a{3,2}", "[b-a]", "\\", "\\1", "(?=a)", "a{2000}",
		"((((a{1000}){1000}){1000}){1000})" };
	Fixture x;
	setup(&x);
	for (size_t i = 0; i < ARRAY_LEN(WRONG); i++) {
		assert_false(full_match(&x, WRONG[i], "a"));
		assert_int_equal(x.c->diags.status, HONE_UNSUPPORTED);
	}
	teardown(&x);
}

static void splitting(void **state)
{
	(void)state;
	static const char *const TEXT[] = { " a  b c ", "", "xy" };
	Fixture x;
	setup(&x);
	Tensor *in = strings(&x, 3, TEXT), *out[2];
	NamedAttr a = named(&x, A_maxsplit, attr_int(x.c, 1));
	assert_true(run(&x, OWN_StringSplit, &in, 1, &a, 1, out, 2));
	assert_int_equal(out[0]->dims[1], 2);
	assert_string_equal(((const Str **)out[0]->data)[1]->s, "b c ");
	assert_int_equal(tensor_get_i64(out[1], 0), 2);
	assert_int_equal(tensor_get_i64(out[1], 1), 0);
	assert_string_equal(((const Str **)out[0]->data)[5]->s, "");
	teardown(&x);
}

/* One split: column 0 <= 1 leads to leaf 0, else leaf 1, which votes 5. */
static void trees(void **state)
{
	(void)state;
	Fixture x;
	setup(&x);
	const int64_t zero = 0, one = 1, targets[2] = { 0, 0 };
	Tensor *mode = tensor_new(&x.e, DT_U8, 1, &one), *split = floats(&x, 1, &one, (double[]){ 1 }),
		   *weights = floats(&x, 1, (int64_t[]){ 2 }, (double[]){ 3, 5 }),
		   *in = floats(&x, 2, (int64_t[]){ 2, 1 }, (double[]){ 0.5, 2 }), *out;
	NamedAttr a[] = { named(&x, A_tree_roots, attr_ints(x.c, &zero, 1)),
		named(&x, A_nodes_featureids, attr_ints(x.c, &zero, 1)), named(&x, A_nodes_truenodeids, attr_ints(x.c, &zero, 1)),
		named(&x, A_nodes_falsenodeids, attr_ints(x.c, &one, 1)), named(&x, A_nodes_trueleafs, attr_ints(x.c, &one, 1)),
		named(&x, A_nodes_falseleafs, attr_ints(x.c, &one, 1)), named(&x, A_leaf_targetids, attr_ints(x.c, targets, 2)),
		named(&x, A_nodes_modes, tensor_to_attr(x.c, mode)), named(&x, A_nodes_splits, tensor_to_attr(x.c, split)),
		named(&x, A_leaf_weights, tensor_to_attr(x.c, weights)) };
	assert_true(run(&x, OWN_TreeEnsemble, &in, 1, a, ARRAY_LEN(a), &out, 1));
	assert_true(tensor_get_f64(out, 0) == 3 && tensor_get_f64(out, 1) == 5);
	a[4] = named(&x, A_nodes_trueleafs, attr_ints(x.c, &zero, 1)); /* the node is its own successor */
	assert_false(run(&x, OWN_TreeEnsemble, &in, 1, a, ARRAY_LEN(a), &out, 1));
	assert_int_equal(x.c->diags.status, HONE_BAD_INPUT);
	a[1] = named(&x, A_nodes_featureids, attr_ints(x.c, &one, 1)); /* a column that is not there */
	assert_false(run(&x, OWN_TreeEnsemble, &in, 1, a, ARRAY_LEN(a), &out, 1));
	teardown(&x);
}

/* Without attributes, and on operands of odd ranks, every one is an error or a result, never a crash. */
static void odd_operands(void **state)
{
	(void)state;
	static const int64_t DIMS[4] = { 1, 2, 0, 3 };
	for (int k = OWN_StringConcat; k <= OWN_MS_MatMulNBits; k++) {
		for (int rank = 0; rank <= 4; rank++) {
			for (int text = 0; text < 2; text++) {
				Fixture x;
				setup(&x);
				Tensor *in[16], *out[16];
				const OpDef *d = op_def(x.c, (OpKind)k);
				size_t n = d->max_operands > 16 ? (size_t)d->min_operands + 3 : d->max_operands;
				for (size_t i = 0; i < n; i++)
					in[i] = tensor_new(&x.e, text ? DT_STR : DT_F32, rank, DIMS);
				if (d->eval)
					(void)run(&x, (OpKind)k, in, n, NULL, 0, out, d->max_results > 16 ? 2 : d->max_results);
				teardown(&x);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_can_be_run),
		cmocka_unit_test(regular_expressions),
		cmocka_unit_test(wrong_regular_expressions),
		cmocka_unit_test(splitting),
		cmocka_unit_test(trees),
		cmocka_unit_test(odd_operands),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

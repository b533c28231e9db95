/* Names of every kind with characters of every kind: graphs, inputs, outputs, initializers, values, nodes, functions, domains,
 * values of functions, sizes, nested graphs. A model is read from ONNX, written in each format and read back: nothing is lost
 * that the format has a place for, and it is the same model. */
#include "onnx_bytes.h"

#include "driver/driver.h"
#include "verify/verify.h"

static const char *const names[] = { "a-b", "a/b", "a:b", "a.b", "a b", "a\"b", "a'b", "a\\b", "a\\", "\"", "\xc3\xbc\xe2\x98\x83",
	"1a", "-", "_", "%x", "@f", "#map", "!t", "^bb0", "a::b", "a\nb", "a\tb", "a\x01" "b", "\x7f", "\xff\xfe", "x#y", "<x>", "a,b", "a=b",
	"(a)", "{}", "func", "return", "true", "dense", "module", "loc", "none", "float", "tensor", "seq", "int64", "nan", "inf",
	"arg0", "v0", "0", "main", "value" };

typedef enum Kind {
	GRAPH, INPUT, OUTPUT, INITIALIZER, VALUE, NODE, FUNCTION, DOMAIN_NAME, FUNCTION_VALUE, SIZE, NESTED, NESTED_VALUE, KINDS
} Kind;
static const char *const kind_names[] = { "graph", "input", "output", "initializer", "value", "node", "function", "domain",
	"value of a function", "size", "nested graph", "value of a nested graph" };

static Buf io(const char *name, const char *size)
{
	Buf v = { 0 }, type = { 0 }, t = { 0 }, shape = { 0 }, d = { 0 }, two = { 0 };
	text(&v, 1, name);
	num(&t, 1, 1);
	text(&d, 2, size);
	num(&two, 1, 2);
	sub(&shape, 1, d);
	sub(&shape, 1, two);
	sub(&t, 2, shape);
	sub(&type, 1, t);
	sub(&v, 2, type);
	return v;
}

/* A node with names that may hold blanks; b may be NULL. */
static Buf plain_node(const char *type, const char *name, const char *a, const char *b, const char *out)
{
	Buf n = { 0 };
	text(&n, 1, a);
	if (b)
		text(&n, 1, b);
	text(&n, 2, out);
	if (name)
		text(&n, 3, name);
	text(&n, 4, type);
	return n;
}

static Buf nested(const char *title, const char *type, const char *out)
{
	Buf g = { 0 };
	sub(&g, 1, plain_node(type, NULL, "called", NULL, out));
	text(&g, 2, title);
	sub(&g, 12, io(out, "N"));
	return g;
}

static Buf named_model(Kind k, const char *s)
{
	const char *input = k == INPUT ? s : "x", *output = k == OUTPUT ? s : "y", *weight = k == INITIALIZER ? s : "w";
	const char *value = k == VALUE ? s : "sum", *domain = k == DOMAIN_NAME ? s : "d", *call = k == FUNCTION ? s : "F";
	const char *inner = k == FUNCTION_VALUE ? s : "p", *size = k == SIZE ? s : "N";
	Buf g = { 0 }, f = { 0 }, n, flag = tensor("flag", 9, ""), m = { 0 };
	sub(&g, 1, plain_node("Add", k == NODE ? s : "first", input, weight, value));
	n = plain_node(call, "call", value, NULL, "called");
	text(&n, 7, domain);
	sub(&g, 1, n);
	n = plain_node("If", "choice", "flag", NULL, "z");
	sub(&n, 5, attr_graph_msg("then_branch", nested(k == NESTED ? s : "then", "Neg", k == NESTED_VALUE ? s : "t")));
	sub(&n, 5, attr_graph_msg("else_branch", nested("else", "Relu", "e")));
	sub(&g, 1, n);
	sub(&g, 1, plain_node("Mul", "last", "z", weight, output));
	text(&g, 2, k == GRAPH ? s : "g");
	sub(&g, 5, floats(weight, "1 2", 2));
	raw(&flag, 9, "\1", 1);
	sub(&g, 5, flag);
	sub(&g, 11, io(input, size));
	sub(&g, 12, io(output, size));
	text(&f, 1, call);
	text(&f, 4, inner);
	text(&f, 5, "q");
	sub(&f, 7, plain_node("Abs", NULL, inner, NULL, "q"));
	sub(&f, 9, opset("", 17));
	text(&f, 10, domain);
	num(&m, 1, 8);
	sub(&m, 7, g);
	sub(&m, 8, opset("", 17));
	sub(&m, 8, opset(domain, 1));
	sub(&m, 25, f);
	return m;
}

/* ---- forms ---- */

static Module *again(Module *m, const char *format, const char *file, Kind k, const char *s)
{
	Context *c = m->ctx;
	const char *path = in_dir(file);
	if (!model_write(m, path, format, &(WriteOptions){ .locations = true }))
		fail_msg("%s %s: not written as %s: %s", kind_names[k], s, format, first_error(c));
	Module *back = model_read(c, path, NULL);
	if (!back)
		fail_msg("%s %s: not read back as %s: %s", kind_names[k], s, format, first_error(c));
	assert_true(module_verify(back, &c->diags));
	return back;
}

static void same_interface(const Module *a, const Module *b, const char *format, Kind k, const char *s)
{
	const Func *f = a->main, *g = b->main;
	assert_int_equal(f->body->nargs, g->body->nargs);
	if (f->body->args[0]->name != g->body->args[0]->name)
		fail_msg("%s %s as %s: the input is called %s", kind_names[k], s, format,
			g->body->args[0]->name ? g->body->args[0]->name->s : "nothing");
	if (!g->result_names || g->result_names[0] != f->result_names[0])
		fail_msg("%s %s as %s: the output is called %s", kind_names[k], s, format,
			g->result_names && g->result_names[0] ? g->result_names[0]->s : "nothing");
}

static void same_module(Module *m, const char *format, const char *file, Kind k, const char *s)
{
	Arena *a = arena_new();
	const char *why;
	Module *back = again(m, format, file, k, s);
	same_interface(m, back, format, k, s);
	if (!modules_alike(m, back, a, &why))
		fail_msg("%s %s as %s: %s", kind_names[k], s, format, why);
	module_free(back);
	arena_free(a);
}

/* Names of the nodes that a form keeps as locations. */
static void same_nodes(const Module *a, const Module *b, Kind k, const char *s)
{
	if (a->main->body->first->next->next->name && b->main->body->first) {
		const Str *want = str(a->ctx, k == NODE ? s : "first");
		bool found = false;
		for (const Op *op = b->main->body->first; op && !found; op = op->next)
			found = op->name == want;
		if (!found)
			fail_msg("%s %s: node %s has lost its name", kind_names[k], s, want->s);
	}
}

static void same_results(Module *a, Module *b, Kind k, const char *s, const char *format)
{
	float got[2][8];
	Module *both[] = { a, b };
	for (int i = 0; i < 2; i++) {
		EvalCtx e;
		int64_t dims[] = { 3, 2 };
		Tensor *out = NULL;
		Arena *scratch = arena_new();
		if (!prepare_to_run(both[i], scratch))
			fail_msg("%s %s as %s: %s", kind_names[k], s, format, first_error(a->ctx));
		eval_init(&e, a->ctx, &a->ctx->diags);
		eval_enable_dialects(&e, both[i]);
		Tensor *in = tensor_new(&e, DT_F32, 2, dims);
		for (int n = 0; n < 6; n++)
			tensor_set_f64(in, n, n - 3);
		if (!eval_func(&e, both[i]->main, &in, 1, &out, 1))
			fail_msg("%s %s as %s: %s", kind_names[k], s, format, first_error(a->ctx));
		for (int n = 0; n < 6; n++)
			got[i][n] = (float)tensor_get_f64(out, n);
		eval_release(&e);
		arena_free(scratch);
	}
	assert_memory_equal(got[0], got[1], 6 * sizeof(float));
}

static void as_stablehlo(Module *m, Kind k, const char *s)
{
	OptimiseOptions o;
	OptimiseReport r;
	Arena *a = arena_new();
	optimise_options_init(&o);
	o.threads = 1;
	o.to_stablehlo = true;
	if (!optimise(m, &o, a, &r) || !optimise_raise(m, &o, a, &r))
		fail_msg("%s %s: %s", kind_names[k], s, first_error(m->ctx));
	Module *text = again(m, "stablehlo", "m.mlir", k, s), *bytes = again(m, "mlirbc", "m.mlirbc", k, s);
	same_interface(m, text, "StableHLO", k, s);
	same_interface(m, bytes, "bytecode", k, s);
	same_results(text, bytes, k, s, "bytecode");
	module_free(text);
	module_free(bytes);
	arena_free(a);
}

static void one_name(Kind k, const char *s)
{
	Buf bytes = named_model(k, s);
	Run r = expect_ok(&bytes);
	same_module(r.m, "onnx", "m.onnx", k, s);
	Module *plain = again(r.m, "onnxtxt", "m.onnxtxt", k, s);
	same_interface(r.m, plain, "onnxtxt", k, s);
	same_module(plain, "onnxtxt", "n.onnxtxt", k, s);
	same_results(r.m, plain, k, s, "onnxtxt");
	module_free(plain);
	same_module(r.m, "mlir", "m.mlir", k, s);
	Module *torch = again(r.m, "torch-onnx", "t.mlir", k, s);
	same_interface(r.m, torch, "torch-onnx", k, s);
	same_nodes(r.m, torch, k, s);
	same_results(r.m, torch, k, s, "torch-onnx");
	module_free(torch);
	close_run(&r);
	r = expect_ok(&bytes);
	as_stablehlo(r.m, k, s);
	close_run(&r);
	buf_free(&bytes);
}

static void every_name(void **state)
{
	(void)state;
	for (Kind k = 0; k < KINDS; k++)
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			one_name(k, names[i]);
}

/* ---- names that are empty, and names that come twice ---- */

static void empty_names(void **state)
{
	static const Kind optional[] = { GRAPH, NODE, NESTED };
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(optional); i++)
		one_name(optional[i], "");
	expect_error(named_model(INPUT, ""), HONE_BAD_INPUT, "the graph input has no name");
	expect_error(named_model(OUTPUT, ""), HONE_BAD_INPUT, "the graph output has no name");
	expect_error(named_model(INITIALIZER, ""), HONE_BAD_INPUT, "the initializer has no name");
	expect_error(named_model(FUNCTION, ""), HONE_BAD_INPUT, "no op_type");
	expect_error(named_model(NESTED_VALUE, ""), HONE_BAD_INPUT, "the graph output has no name");
}

/* Values are told apart by their names, so that one name twice is an error; names of nodes and graphs are labels. */
static void double_names(void **state)
{
	static const Kind labels[] = { GRAPH, NODE, NESTED, FUNCTION_VALUE, NESTED_VALUE };
	static const char *const same_as[] = { "last", "last", "g", "x", "e" };
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		one_name(labels[i], same_as[i]);
	expect_error(named_model(VALUE, "x"), HONE_BAD_INPUT, "is a graph input already");
	expect_error(named_model(VALUE, "z"), HONE_BAD_INPUT, "is produced");
	expect_error(named_model(VALUE, "w"), HONE_BAD_INPUT, "already");
	expect_error(named_model(INITIALIZER, "flag"), HONE_BAD_INPUT, "already");
	expect_error(named_model(OUTPUT, "x"), HONE_BAD_INPUT, "already");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name), cmocka_unit_test(empty_names), cmocka_unit_test(double_names),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

/* Unit tests of writing ONNX files, and of test data. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "onnx_bytes.h"

/* ---- round trips ---- */

static Buf slurp(const char *path)
{
	Buf b = { 0 };
	char block[4096];
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
		buf_put(&b, block, n);
	fclose(f);
	return b;
}

static Buf written(const Buf *m, const WriteOptions *o)
{
	Run r = expect_ok(m);
	if (!onnx_write(r.m, in_dir("out.onnx"), o))
		fail_msg("%s", first_error(r.c));
	close_run(&r);
	return slurp(in_dir("out.onnx"));
}

static bool contains(const Buf *b, const void *p, size_t n)
{
	return memmem(b->data, b->len, p, n) != NULL;
}

/* Writing what was written gives the same bytes. */
static Buf expect_stable(Buf m, const WriteOptions *o)
{
	Buf once = written(&m, o), twice = written(&once, o);
	assert_int_equal(once.len, twice.len);
	assert_memory_equal(once.data, twice.data, once.len);
	buf_free(&twice);
	buf_free(&m);
	return once;
}

static void test_plain_round_trip(void **state)
{
	(void)state;
	Buf g = interface("x", "y"), n = node("Gelu", "act", "h", "y");
	sub(&g, 1, node("Add", "sum", "x w", "h"));
	text(&n, 7, "com.microsoft");
	text(&n, 6, "a node");
	sub(&g, 1, n);
	sub(&g, 5, floats("w", "2", 2));
	sub(&g, 13, info("h", "2"));
	sub(&g, 13, info("nobody", "2"));
	n = node(":odd", "", "h", "z"); /* colons belong to the type, not to the domain */
	text(&n, 7, "com.microsoft");
	sub(&g, 1, n);
	Buf m = model(g);
	sub(&m, 8, opset("com.microsoft", 1));
	text(&m, 2, "tester");
	Buf out = expect_stable(m, NULL);
	assert_true(contains(&out, "\x22\x04:odd", 6));
	assert_true(contains(&out, "com.microsoft", 13));
	assert_true(contains(&out, "a node", 6));
	assert_true(contains(&out, "nobody", 6));
	assert_true(contains(&out, "tester", 6));
	buf_free(&out);
}

static void test_unknown_fields_survive(void **state)
{
	(void)state;
	Buf g = interface("x", "y"), n = node("Relu", "r", "x", "y"), group = { 0 };
	text(&n, 500, "unknown of a node");
	sub(&g, 1, n);
	text(&g, 501, "unknown of a graph");
	Buf m = model(g);
	tag(&group, 502, 3);
	text(&group, 1, "inside a group");
	tag(&group, 502, 4);
	buf_put(&m, group.data, group.len);
	Buf out = expect_stable(m, NULL);
	assert_true(contains(&out, "unknown of a node", 17));
	assert_true(contains(&out, "unknown of a graph", 18));
	assert_true(contains(&out, group.data, group.len));
	buf_free(&group);
	buf_free(&out);
}

static void test_input_defaults(void **state)
{
	(void)state;
	Buf g = interface("x w", "y");
	sub(&g, 1, node("Add", "", "x w", "y"));
	sub(&g, 5, floats("w", "2", 2));
	Buf m = model_of(g, 3, 7);
	Run r = expect_ok(&m);
	assert_int_equal(r.m->main->body->nargs, 2);
	assert_null(r.m->main->arg_default[0]);
	assert_non_null(r.m->main->arg_default[1]);
	close_run(&r);
	Buf out = expect_stable(m, NULL);
	assert_int_equal(out.data[1], 3);
	buf_free(&out);
}

/* Outputs that are one value under two names, or an input, keep their names. */
static void test_interface_names(void **state)
{
	(void)state;
	Buf g = interface("x", "y z");
	sub(&g, 1, node("Neg", "", "x", "y"));
	sub(&g, 1, node("Abs", "", "x", "z"));
	Buf m = model(g);
	Run r = expect_ok(&m);
	Op *ret = r.m->main->body->last;
	op_set_operand(ret, 1, ret->operands[0].value);
	assert_true(onnx_write(r.m, in_dir("same.onnx"), NULL));
	op_set_operand(ret, 0, r.m->main->body->args[0]);
	assert_true(onnx_write(r.m, in_dir("input.onnx"), NULL));
	close_run(&r);
	buf_free(&m);
	for (int i = 0; i < 2; i++) {
		Buf b = slurp(in_dir(i ? "input.onnx" : "same.onnx"));
		r = expect_ok(&b);
		assert_string_equal(r.m->main->result_names[0]->s, "y");
		assert_string_equal(r.m->main->result_names[1]->s, "z");
		const Op *last = r.m->main->body->last;
		const Op *copy = last->operands[i ? 0 : 1].value->def;
		assert_string_equal(copy->def->name->s, "onnx.Identity");
		close_run(&r);
		buf_free(&b);
	}
}

/* New values get names that nothing else has; results that nobody uses get none. */
static void test_generated_names(void **state)
{
	(void)state;
	Buf g = interface("x", "y");
	sub(&g, 1, node("Neg", "", "x", "Neg_0"));
	sub(&g, 1, node("Abs", "", "Neg_0", "y"));
	Buf m = model(g);
	Run r = expect_ok(&m);
	Op *neg = r.m->main->body->first, *last = neg->next;
	Value *x = r.m->main->body->args[0];
	OpSpec s = { .def = neg->def, .operands = &x, .noperands = 1, .nresults = 1 };
	Op *made = op_new(r.m->main->body, last, &s);
	op_set_operand(last, 0, made->results[0]);
	assert_true(onnx_write(r.m, in_dir("names.onnx"), NULL));
	close_run(&r);
	buf_free(&m);
	Buf b = slurp(in_dir("names.onnx"));
	r = expect_ok(&b);
	assert_string_equal(r.m->main->body->first->next->results[0]->name->s, "Neg_1");
	close_run(&r);
	buf_free(&b);
}

static void test_core_op_is_refused(void **state)
{
	(void)state;
	Buf m = model(interface("x", "x"));
	Run r = expect_ok(&m);
	Block *b = r.m->main->body;
	OpSpec s = { .def = op_def_find(r.c, "core.neg", 8), .operands = &b->args[0], .noperands = 1, .nresults = 1 };
	op_new(b, b->last, &s);
	assert_false(onnx_write(r.m, in_dir("core.onnx"), NULL));
	assert_int_equal(r.c->diags.status, HONE_INTERNAL);
	assert_int_not_equal(access(in_dir("core.onnx"), F_OK), 0);
	close_run(&r);
	buf_free(&m);
}

static void test_external_write(void **state)
{
	(void)state;
	static uint8_t big[5000];
	for (size_t i = 0; i < sizeof big; i++)
		big[i] = (uint8_t)(i * 7);
	Buf g = interface("x", "x"), t = tensor("big", 2, "5000");
	raw(&t, 9, big, sizeof big);
	sub(&g, 5, t);
	t = tensor("big2", 2, "5000");
	raw(&t, 9, big, sizeof big);
	sub(&g, 5, t);
	sub(&g, 5, floats("small", "2", 2));
	Buf m = model(g);
	Run r = expect_ok(&m);
	assert_true(onnx_write(r.m, in_dir("ext.onnx"), &(WriteOptions){ .external_data = true }));
	close_run(&r);
	buf_free(&m);
	Buf data = slurp(in_dir("ext.onnx.data"));
	assert_int_equal(data.len, 8192 + sizeof big);
	assert_memory_equal(data.data + 8192, big, sizeof big);
	buf_free(&data);
	/* Read with its data, and written again as it was: weights stay outside. */
	Context *c = context_new();
	Module *again = model_read(c, in_dir("ext.onnx"), NULL);
	assert_non_null(again);
	const Op *second = again->main->body->first->next;
	assert_memory_equal(op_attr(second, A_value)->u.tensor.blob->data, big, sizeof big);
	assert_true(model_write(again, in_dir("ext2.onnx"), NULL, NULL));
	module_free(again);
	context_free(c);
	assert_int_equal(access(in_dir("ext2.onnx.data"), F_OK), 0);
	Buf model2 = slurp(in_dir("ext2.onnx"));
	assert_true(model2.len < 1000);
	assert_true(contains(&model2, "ext2.onnx.data", 14));
	buf_free(&model2);
}

/* ---- values that rewrites leave behind ---- */

static void expect_splat(DType d, int64_t count, const void *element, const void *want, size_t n)
{
	Buf g = interface("x", "y");
	sub(&g, 1, node("Neg", "", "x", "y"));
	Buf m = model(g);
	Run r = expect_ok(&m);
	Block *b = r.m->main->body;
	const Attr *value = attr_tensor(r.c, type_tensor_of(r.c, d, 1, &count), blob_splat(r.c, d, element));
	OpSpec s = { .def = op_def(r.c, OP_constant), .types = &value->u.tensor.type, .nresults = 1,
		.attrs = &(NamedAttr){ r.c->attr_names[A_value], value }, .nattrs = 1 };
	op_set_operand(b->last, 0, op_new(b, b->last, &s)->results[0]);
	assert_true(onnx_write(r.m, in_dir("splat.onnx"), NULL));
	Buf out = slurp(in_dir("splat.onnx"));
	Run again = expect_ok(&out);
	const Blob *blob = op_attr(again.m->main->body->first, A_value)->u.tensor.blob;
	assert_int_equal(blob->len, n);
	assert_memory_equal(blob->data, want, n);
	close_run(&again);
	close_run(&r);
	buf_free(&out);
	buf_free(&m);
}

static void test_splats(void **state)
{
	(void)state;
	static float many[1000];
	static const uint8_t fours[3] = { 0x55, 0x55, 0x55 };
	float two = 2;
	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		many[i] = two;
	expect_splat(DT_F32, 3, &two, many, 12);
	expect_splat(DT_F32, 1000, &two, many, sizeof many);
	expect_splat(DT_U4, 6, &(uint8_t){ 5 }, fours, 3);
	expect_splat(DT_F32, 0, &two, "", 0);
}

/* Graphs in a list, and a function with a constant of its own, come back as they were. */
static void test_nested_round_trip(void **state)
{
	(void)state;
	Buf g = interface("x c", "y"), n = node("Switch", "s", "c", "y"), a = { 0 }, f = function("f", "Relu");
	text(&n, 7, "d");
	text(&a, 1, "cases");
	sub(&a, 11, branch("one"));
	sub(&a, 11, branch("two"));
	num(&a, 20, 10);
	sub(&n, 5, a);
	sub(&g, 1, n);
	Buf m = model(g), k = node("Constant", "", "", "k");
	a = (Buf){ 0 };
	text(&a, 1, "value");
	sub(&a, 5, floats("named", "2", 2));
	num(&a, 20, 4);
	sub(&k, 5, a);
	sub(&f, 7, k);
	text(&f, 8, "what it does");
	sub(&m, 8, opset("d", 1));
	sub(&m, 25, f);
	Run r = expect_ok(&m);
	assert_int_equal(r.m->main->body->first->nblocks, 2);
	close_run(&r);
	Buf out = expect_stable(m, NULL);
	r = expect_ok(&out);
	assert_int_equal(r.m->main->body->first->nblocks, 2);
	assert_string_equal(r.m->main->body->first->blocks[1]->first->results[0]->name->s, "two");
	assert_true(contains(&out, "what it does", 12));
	assert_true(contains(&out, "named", 5));
	close_run(&r);
	buf_free(&out);
}

/* Names of a nested graph that hide outer ones are changed, but not where an unknown operator may look for them. */
static void test_shadowing(void **state)
{
	(void)state;
	for (int custom = 0; custom < 2; custom++) {
		Buf g = interface("x c", "y"), inner = branch("h"), n = node(custom ? "Switch" : "If", "s", "c", "y");
		if (custom)
			text(&n, 7, "d");
		sub(&g, 1, node("Abs", "", "x", "h"));
		sub(&n, 5, attr_graph_msg("then_branch", inner));
		sub(&n, 5, attr_graph_msg("else_branch", branch("e")));
		sub(&g, 1, n);
		Buf m = model(g);
		sub(&m, 8, opset("d", 1));
		Buf out = written(&m, NULL);
		Run r = expect_ok(&out);
		const Op *op = r.m->main->body->first->next;
		const Str *name = op->blocks[0]->first->results[0]->name;
		assert_int_equal(strcmp(name->s, "h") == 0, custom);
		assert_int_equal(r.c->diags.list.len != 0, custom);
		close_run(&r);
		buf_free(&out);
		buf_free(&m);
	}
}

/* ---- test data ---- */

static Tensor *tensor_round_trip(EvalCtx *e, const Tensor *t, const Str **name)
{
	assert_true(onnx_tensor_write(t, "value", in_dir("t.pb"), e->diags));
	MappedFile *f = file_map(in_dir("t.pb"), e->diags);
	assert_non_null(f);
	Tensor *back = onnx_tensor_read(e, f, name);
	file_unref(f);
	assert_non_null(back);
	return back;
}

static void test_tensor_files(void **state)
{
	(void)state;
	Context *c = context_new();
	EvalCtx e;
	eval_init(&e, c, &c->diags);
	const Str *name;
	Tensor *t = tensor_new(&e, DT_I4, 1, (int64_t[]){ 3 });
	for (int i = 0; i < 3; i++)
		tensor_set_i64(t, i, i - 2);
	Tensor *back = tensor_round_trip(&e, t, &name);
	assert_string_equal(name->s, "value");
	assert_int_equal(back->dtype, DT_I4);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tensor_get_i64(back, i), i - 2);
	Tensor *items[2] = { t, back };
	Tensor *s = tensor_sequence(&e, TYPE_SEQUENCE, items, 2);
	Tensor *s2 = tensor_round_trip(&e, s, &name);
	assert_int_equal(s2->kind, TYPE_SEQUENCE);
	assert_int_equal(s2->nitems, 2);
	assert_int_equal(tensor_get_i64(s2->items[1], 2), 0);
	Tensor *scalar = tensor_scalar_i64(&e, -7);
	back = tensor_round_trip(&e, scalar, &name);
	assert_int_equal(back->rank, 0);
	assert_int_equal(tensor_get_i64(back, 0), -7);
	Tensor *none = tensor_sequence(&e, TYPE_OPTIONAL, NULL, 0);
	back = tensor_round_trip(&e, none, &name);
	assert_int_equal(back->kind, TYPE_OPTIONAL);
	assert_int_equal(back->nitems, 0);
	eval_release(&e);
	context_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_round_trip),
		cmocka_unit_test(test_unknown_fields_survive),
		cmocka_unit_test(test_input_defaults),
		cmocka_unit_test(test_interface_names),
		cmocka_unit_test(test_generated_names),
		cmocka_unit_test(test_core_op_is_refused),
		cmocka_unit_test(test_external_write),
		cmocka_unit_test(test_splats),
		cmocka_unit_test(test_nested_round_trip),
		cmocka_unit_test(test_shadowing),
		cmocka_unit_test(test_tensor_files),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

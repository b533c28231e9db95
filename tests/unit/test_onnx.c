/* Unit tests of reading ONNX files: broken and malicious ones above all. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "onnx_bytes.h"

/* ---- files that are not models ---- */

static void test_foreign_files(void **state)
{
	(void)state;
	char ff[64];
	memset(ff, 0xff, sizeof ff);
	expect_error((Buf){ 0 }, HONE_BAD_INPUT, "file is empty");
	expect_error(bytes_of(ff, sizeof ff), HONE_BAD_INPUT, "bad protobuf tag 0xff at byte 0");
	expect_error(bytes_of("ir_version: 8\n", 14), HONE_BAD_INPUT, "looks like text");
	expect_error(bytes_of("PK\3\4abcdefgh", 12), HONE_BAD_INPUT, "zip archive");
	expect_error(bytes_of("GGUF\3\0\0\0\0\0", 10), HONE_BAD_INPUT, "GGUF");
	expect_error(bytes_of("\x18\0\0\0ORTM\0\0\0\0", 12), HONE_BAD_INPUT, "ONNX Runtime");
	expect_error(bytes_of("\x10\0\0\0\0\0\0\0{\"a\":{}}  ", 16), HONE_BAD_INPUT, "safetensors");
	expect_error(bytes_of("\x89PNG\r\n\x1a\n", 8), HONE_BAD_INPUT, "PNG");
	/* A model whose first bytes happen to resemble another format: the name of its producer. */
	Buf m = { 0 };
	num(&m, 1, 8);
	text(&m, 2, "TFL3");
	Buf rest = model(interface("x", "x"));
	buf_put(&m, rest.data, rest.len);
	buf_free(&rest);
	assert_true(onnx_sniff((Bytes){ (uint8_t *)m.data, m.len }, "a") >= 90);
	Run r = expect_ok(&m);
	close_run(&r);
	buf_free(&m);
}

static void test_sniff(void **state)
{
	(void)state;
	Buf m = model(interface("x", "x"));
	assert_true(onnx_sniff((Bytes){ (uint8_t *)m.data, m.len }, "a") >= 90);
	assert_true(onnx_sniff((Bytes){ (uint8_t *)m.data, m.len / 2 }, "a") > 0);
	assert_int_equal(onnx_sniff((Bytes){ (const uint8_t *)"module {}\n", 10 }, "a"), 0);
	assert_int_equal(onnx_sniff((Bytes){ (const uint8_t *)"\xff\xff\xff\xff", 4 }, "a"), 0);
	assert_int_equal(onnx_sniff((Bytes){ NULL, 0 }, "a"), 0);
	buf_free(&m);
}

/* ---- broken protobuf ---- */

/* A good model with extra bytes at its end. */
static Buf with_tail(const void *tail, size_t n)
{
	Buf m = model(interface("x", "x"));
	buf_put(&m, tail, n);
	return m;
}

static void test_broken_wire(void **state)
{
	(void)state;
	Buf cut = model(interface("x", "x"));
	cut.len -= 7;
	expect_error(cut, HONE_BAD_INPUT, "bytes, ");
	expect_error(with_tail("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12), HONE_BAD_INPUT,
		"varint longer than 10 bytes");
	expect_error(with_tail("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11), HONE_BAD_INPUT, "varint longer");
	expect_error(with_tail("\0\0", 2), HONE_BAD_INPUT, "field number 0");
	expect_error(with_tail("\xff\7", 2), HONE_BAD_INPUT, "wire type 7");
	expect_error(with_tail("\xfe\7", 2), HONE_BAD_INPUT, "wire type 6");
	expect_error(with_tail("\xfc\7", 2), HONE_BAD_INPUT, "group that was not opened");
	expect_error(with_tail("\x3d\0\0\0\0", 5), HONE_BAD_INPUT, "model.graph: wire type 5, expected 2");
	expect_error(with_tail("\x10\1", 2), HONE_BAD_INPUT, "model.producer_name: wire type 0, expected 2");
	expect_error(with_tail("\x32\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10), HONE_BAD_INPUT,
		"doc_string (6) needs 9223372036854775807 bytes");
}

static void test_deep_nesting(void **state)
{
	(void)state;
	Buf groups = { 0 };
	for (int i = 0; i < 100000; i++)
		tag(&groups, 100, 3);
	Buf m = with_tail(groups.data, groups.len);
	buf_free(&groups);
	expect_error(m, HONE_LIMIT, "nesting deeper than 100");
	Buf g = interface("", "");
	for (int i = 0; i < 200; i++) {
		Buf n = node("If", "", "c", "y"), outer = interface("", "");
		sub(&n, 5, attr_graph_msg("then_branch", g));
		sub(&outer, 1, n);
		g = outer;
	}
	expect_error(model(g), HONE_LIMIT, "nesting deeper than 100");
}

/* ---- the model message ---- */

static void test_model_fields(void **state)
{
	(void)state;
	expect_error(model_of(interface("x", "x"), 0, 17), HONE_BAD_INPUT, "ir_version is 0");
	expect_error(model_of(interface("x", "x"), -3, 17), HONE_BAD_INPUT, "ir_version is -3");
	expect_error(model_of(interface("x", "x"), 99, 17), HONE_UNSUPPORTED, "ir_version 99");
	Buf g = interface("x", "y");
	sub(&g, 1, node("Relu", "r", "x", "y"));
	expect_error(model_of(g, 8, 0), HONE_BAD_INPUT, "no opset for domain \"\"");
	expect_error(model_of(interface("x", "x"), 8, -5), HONE_BAD_INPUT, "version -5");
	expect_error(model_of(interface("x", "x"), 8, 1000000000), HONE_BAD_INPUT, "version 1000000000");
	Buf m = model(interface("x", "x"));
	sub(&m, 8, opset("ai.onnx", 13));
	expect_error(m, HONE_BAD_INPUT, "versions 17 and 13");
	Buf none = { 0 };
	num(&none, 1, 8);
	expect_error(none, HONE_BAD_INPUT, "has no graph");
	m = model(interface("x", "x"));
	sub(&m, 7, interface("x", "x"));
	expect_error(m, HONE_BAD_INPUT, "model.graph occurs twice");
}

/* ---- graphs ---- */

static void test_names(void **state)
{
	(void)state;
	Buf g = interface("x", "y");
	sub(&g, 5, floats("w", "2", 2));
	sub(&g, 5, floats("w", "2", 2));
	expect_error(model(g), HONE_BAD_INPUT, "value \"w\" is already defined: it is an initializer");
	g = interface("x", "a");
	sub(&g, 1, node("Relu", "", "x", "a"));
	sub(&g, 1, node("Neg", "", "x", "a"));
	expect_error(model(g), HONE_BAD_INPUT, "value \"a\" is produced by nodes 0 and 1");
	g = interface("x", "y");
	sub(&g, 1, node("Relu", "", "x", "x"));
	expect_error(model(g), HONE_BAD_INPUT, "is a graph input already");
	expect_error(model(interface("x x", "x")), HONE_BAD_INPUT, "already defined");
	expect_error(model(interface("x", "y")), HONE_BAD_INPUT, "output 0: nothing produces it");
	g = interface("x", "y");
	sub(&g, 1, node("Relu", "n1", "features", "y"));
	expect_error(model(g), HONE_BAD_INPUT, "node \"n1\" (Relu), input 0: value \"features\" is not defined");
}

static void test_suggestion(void **state)
{
	(void)state;
	Buf g = interface("feature", "y");
	sub(&g, 1, node("Relu", "n1", "featuer", "y"));
	Buf m = model(g);
	Run r = read_bytes(m.data, m.len, NULL);
	assert_null(r.m);
	assert_non_null(r.c->diags.list.data[0].hint);
	assert_non_null(strstr(r.c->diags.list.data[0].hint, "\"feature\""));
	close_run(&r);
	buf_free(&m);
}

static void test_order(void **state)
{
	(void)state;
	Buf g = interface("x", "b");
	sub(&g, 1, node("Add", "first", "x b", "a"));
	sub(&g, 1, node("Neg", "second", "a", "b"));
	expect_error(model(g), HONE_BAD_INPUT, "cycle: \"first\" -> \"second\" -> \"first\"");
	g = interface("x", "a");
	sub(&g, 1, node("Add", "self", "x a", "a"));
	expect_error(model(g), HONE_BAD_INPUT, "cycle: \"self\" -> \"self\"");
	g = interface("x", "c");
	sub(&g, 1, node("Neg", "3", "b", "c"));
	sub(&g, 1, node("Abs", "2", "a", "b"));
	sub(&g, 1, node("Relu", "1", "x", "a"));
	Buf m = model(g);
	Run r = expect_ok(&m);
	const Op *op = r.m->main->body->first;
	assert_string_equal(op->name->s, "1");
	assert_string_equal(op->next->name->s, "2");
	assert_string_equal(op->next->next->name->s, "3");
	assert_int_equal(r.c->diags.list.data[0].severity, SEV_WARNING);
	close_run(&r);
	buf_free(&m);
}

static void test_arity(void **state)
{
	(void)state;
	Buf g = interface("x", "y");
	sub(&g, 1, node("Conv", "c", "x", "y"));
	expect_error(model(g), HONE_BAD_INPUT, "1 inputs, expected 2 to 3");
	g = interface("x", "y");
	sub(&g, 1, node("Conv", "c", "x -", "y"));
	expect_error(model(g), HONE_BAD_INPUT, "input 1 is absent, but required");
	g = interface("x", "y");
	sub(&g, 1, node("Relu", "c", "x", "y z"));
	expect_error(model(g), HONE_BAD_INPUT, "2 outputs, expected at most 1");
	g = interface("x", "y");
	sub(&g, 1, node("", "c", "x", "y"));
	expect_error(model(g), HONE_BAD_INPUT, "no op_type");
	g = interface("x", "y");
	sub(&g, 1, node("initializer", "c", "", "y"));
	expect_error(model(g), HONE_UNSUPPORTED, "no operator initializer");
}

/* ---- tensors ---- */

static void test_bad_tensors(void **state)
{
	(void)state;
	Buf t = tensor("w", 1, "4294967296 4294967296");
	expect_error(with_initializer(t), HONE_BAD_INPUT, "overflows");
	expect_error(with_initializer(tensor("w", 1, "9223372036854775807 2")), HONE_BAD_INPUT, "overflows");
	expect_error(with_initializer(tensor("w", 7, "2305843009213693952")), HONE_BAD_INPUT, "overflows");
	expect_error(with_initializer(tensor("w", 1, "-1")), HONE_BAD_INPUT, "dimension 0 is -1");
	expect_error(with_initializer(tensor("w", 99, "2")), HONE_BAD_INPUT, "data_type 99");
	expect_error(with_initializer(tensor("w", 0, "2")), HONE_BAD_INPUT, "data_type 0");
	t = tensor("w", 1, "4");
	raw(&t, 9, "123456789012345", 15);
	expect_error(with_initializer(t), HONE_BAD_INPUT, "raw_data has 15 bytes, f32[4] needs 16");
	t = floats("w", "2", 2);
	raw(&t, 4, "abcdefgh", 8);
	expect_error(with_initializer(t), HONE_BAD_INPUT, "both raw_data and float_data");
	t = tensor("w", 22, "3");
	raw(&t, 9, "a", 1);
	expect_error(with_initializer(t), HONE_BAD_INPUT, "raw_data has 1 bytes, i4[3] needs 2");
	t = tensor("w", 8, "1");
	raw(&t, 9, "a", 1);
	expect_error(with_initializer(t), HONE_BAD_INPUT, "strings in raw_data");
	t = tensor("w", 7, "2");
	raw(&t, 5, "\1\2", 2);
	expect_error(with_initializer(t), HONE_BAD_INPUT, "i64 in int32_data, expected int64_data");
	t = tensor("w", 7, "3");
	raw(&t, 7, "\1\2", 2);
	expect_error(with_initializer(t), HONE_BAD_INPUT, "int64_data has 2 entries");
	t = tensor("w", 2, "1");
	num(&t, 5, 300);
	expect_error(with_initializer(t), HONE_BAD_INPUT, "out of range");
	expect_error(with_initializer(tensor("w", 1, "2")), HONE_BAD_INPUT, "float_data has 0 entries");
	expect_error(with_initializer(floats(NULL, "2", 2)), HONE_BAD_INPUT, "has no name");
	expect_error(with_initializer(tensor("w", 1, "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1")),
		HONE_LIMIT, "rank 33");
}

static const Attr *initializer_value(const Buf *m, Run *r)
{
	*r = expect_ok(m);
	const Attr *a = op_attr(r->m->main->body->first, A_value);
	assert_non_null(a);
	return a;
}

/* Reads one tensor of a typed field and compares its packed bytes. */
static void expect_bytes(Buf t, const void *want, size_t n)
{
	Buf m = with_initializer(t);
	Run r;
	const Blob *b = initializer_value(&m, &r)->u.tensor.blob;
	assert_int_equal(b->len, n);
	assert_memory_equal(b->data, want, n);
	close_run(&r);
	buf_free(&m);
}

static void test_typed_fields(void **state)
{
	(void)state;
	Buf t = tensor("w", 3, "3");
	num(&t, 5, -1);
	num(&t, 5, 127);
	num(&t, 5, 255);
	expect_bytes(t, "\xff\x7f\xff", 3);
	t = tensor("w", 10, "2");
	num(&t, 5, 0x3c00);
	num(&t, 5, 0xbc00);
	expect_bytes(t, "\0\x3c\0\xbc", 4);
	t = tensor("w", 9, "4");
	raw(&t, 9, "\0\1\7\xff", 4);
	expect_bytes(t, "\0\1\1\1", 4);
	t = tensor("w", 9, "2");
	num(&t, 5, 1);
	num(&t, 5, 0);
	expect_bytes(t, "\1\0", 2);
	t = tensor("w", 22, "3");
	raw(&t, 5, "\x21\3", 2);
	expect_bytes(t, "\x21\3", 2);
	t = tensor("w", 12, "1");
	raw(&t, 11, "\xff\xff\xff\xff\x0f", 5);
	expect_bytes(t, "\xff\xff\xff\xff", 4);
	t = tensor("w", 7, "2");
	raw(&t, 7, "\1", 1);
	num(&t, 7, -2);
	expect_bytes(t, "\1\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 16);
	double d[2] = { 1, -2 };
	t = tensor("w", 15, "1");
	raw(&t, 10, d, sizeof d);
	expect_bytes(t, d, sizeof d);
	t = tensor("w", 17, "2");
	raw(&t, 9, "\x7f\x80", 2);
	expect_bytes(t, "\x7f\x80", 2);
	t = tensor("w", 27, "5"); /* an entry an element, in memory as in raw data */
	for (int i = 1; i <= 5; i++)
		num(&t, 5, 12 * i);
	expect_bytes(t, "\x0c\x46\xc2\x3c", 4);
	t = tensor("w", 28, "4");
	raw(&t, 9, "\x41\x30\x10", 3);
	expect_bytes(t, "\x41\x30\x10", 3);
	expect_bytes(tensor("w", 1, "0 3"), "", 0);
}

static void test_strings(void **state)
{
	(void)state;
	Buf t = tensor("w", 8, "2"), m;
	text(&t, 6, "one");
	raw(&t, 6, "\0z", 2);
	m = with_initializer(t);
	Run r;
	const Str *const *v = initializer_value(&m, &r)->u.tensor.blob->data;
	assert_string_equal(v[0]->s, "one");
	assert_int_equal(v[1]->len, 2);
	assert_memory_equal(v[1]->s, "\0z", 2);
	close_run(&r);
	buf_free(&m);
}

/* ---- sparse tensors ---- */

static Buf sparse(const char *dims, const char *index_dims, const int64_t *indices, size_t n, size_t values)
{
	Buf s = { 0 }, idx = tensor(NULL, 7, index_dims);
	char count[8];
	snprintf(count, sizeof count, "%zu", values);
	raw(&idx, 9, indices, n * sizeof *indices);
	sub(&s, 1, floats("s", count, values));
	sub(&s, 2, idx);
	for (const char *p = dims; *p; p += strspn(p, " ")) {
		char *end;
		num(&s, 3, strtoll(p, &end, 10));
		p = end;
	}
	return s;
}

static Buf with_sparse(Buf s)
{
	Buf g = interface("x", "x");
	sub(&g, 15, s);
	return model(g);
}

static void test_sparse(void **state)
{
	(void)state;
	expect_error(with_sparse(sparse("2 3", "2", (int64_t[]){ 4, 1 }, 2, 2)), HONE_BAD_INPUT, "ascend");
	expect_error(with_sparse(sparse("2 3", "2", (int64_t[]){ 1, 6 }, 2, 2)), HONE_BAD_INPUT, "index 1 is out of range");
	expect_error(with_sparse(sparse("2 3", "2", (int64_t[]){ -1, 2 }, 2, 2)), HONE_BAD_INPUT, "out of range");
	expect_error(with_sparse(sparse("2 3", "2 3", (int64_t[]){ 0, 0, 0, 1, 1, 1 }, 6, 2)), HONE_BAD_INPUT,
		"sparse indices must be");
	expect_error(with_sparse(sparse("2 3", "1", (int64_t[]){ 0 }, 1, 2)), HONE_BAD_INPUT, "sparse indices must be");
	Buf m = with_sparse(sparse("2 3", "2 2", (int64_t[]){ 0, 1, 1, 2 }, 4, 2));
	Run r;
	const Attr *dense = initializer_value(&m, &r);
	const float want[6] = { 0, 1, 0, 0, 0, 2 };
	assert_int_equal(dense->u.tensor.blob->len, sizeof want);
	assert_memory_equal(dense->u.tensor.blob->data, want, sizeof want);
	close_run(&r);
	buf_free(&m);
}

/* ---- attributes and functions ---- */

static Buf with_attr(Buf a)
{
	Buf g = interface("x", "y"), n = node("Flatten", "f", "x", "y");
	sub(&n, 5, a);
	sub(&g, 1, n);
	return model(g);
}

static void test_bad_attributes(void **state)
{
	(void)state;
	Buf a = { 0 };
	text(&a, 1, "axis");
	sub(&a, 5, floats("t", "2", 2));
	num(&a, 20, 2);
	expect_error(with_attr(a), HONE_BAD_INPUT, "attribute axis says type INT, but holds a TENSOR");
	Buf g = interface("x", "y"), n = node("Flatten", "f", "x", "y");
	sub(&n, 5, attr_int_msg("axis", 1));
	sub(&n, 5, attr_int_msg("axis", 2));
	sub(&g, 1, n);
	expect_error(model(g), HONE_BAD_INPUT, "attribute \"axis\" occurs twice");
	a = (Buf){ 0 };
	raw(&a, 1, "ax\0is", 5);
	num(&a, 3, 1);
	num(&a, 20, 2);
	expect_error(with_attr(a), HONE_BAD_INPUT, "zero byte in its name");
	a = (Buf){ 0 };
	text(&a, 1, "axis");
	text(&a, 21, "outer");
	num(&a, 20, 2);
	expect_error(with_attr(a), HONE_BAD_INPUT, "this is not a function");
	a = (Buf){ 0 };
	text(&a, 1, "axis");
	num(&a, 20, 77);
	expect_error(with_attr(a), HONE_BAD_INPUT, "type 77");
	a = (Buf){ 0 };
	text(&a, 1, "axis");
	num(&a, 20, 4);
	expect_error(with_attr(a), HONE_BAD_INPUT, "of type TENSOR has no value");
}

static void test_function_cycles(void **state)
{
	(void)state;
	Buf m = model(interface("x", "x"));
	sub(&m, 25, function("f", "f"));
	expect_error(m, HONE_BAD_INPUT, "cycle: \"d::f\" -> \"d::f\"");
	m = model(interface("x", "x"));
	sub(&m, 25, function("f", "g"));
	sub(&m, 25, function("g", "f"));
	sub(&m, 25, function("h", "g"));
	expect_error(m, HONE_BAD_INPUT, "functions call each other in a cycle");
	m = model(interface("x", "x"));
	sub(&m, 25, function("f", "Relu"));
	sub(&m, 25, function("f", "Relu"));
	expect_error(m, HONE_BAD_INPUT, "occurs twice");
	m = model(interface("x", "x"));
	sub(&m, 25, function("f", "g"));
	sub(&m, 25, function("g", "Relu"));
	Run r = expect_ok(&m);
	assert_string_equal(r.m->main->next->name->s, "d::f");
	assert_true(r.m->main->next->is_library);
	close_run(&r);
	buf_free(&m);
}

/* ---- control flow ---- */

static void test_control_flow(void **state)
{
	(void)state;
	Buf g = interface("x c", "y"), n = node("If", "i", "c", "y");
	sub(&n, 5, attr_graph_msg("else_branch", branch("e")));
	sub(&n, 5, attr_graph_msg("then_branch", branch("t")));
	sub(&g, 1, n);
	Buf m = model(g);
	Run r = expect_ok(&m);
	const Op *op = r.m->main->body->first;
	assert_int_equal(op->nblocks, 2);
	assert_string_equal(op->blocks[0]->first->results[0]->name->s, "t");
	assert_ptr_equal(op->blocks[1]->first->operands[0].value, r.m->main->body->args[0]);
	close_run(&r);
	buf_free(&m);
	g = interface("x c", "y");
	n = node("If", "i", "c", "y z");
	sub(&n, 5, attr_graph_msg("else_branch", branch("e")));
	sub(&n, 5, attr_graph_msg("then_branch", branch("t")));
	sub(&g, 1, n);
	expect_error(model(g), HONE_BAD_INPUT, "has 0 inputs and 1 outputs, the node needs 0 and 2");
	g = interface("x c", "y");
	n = node("If", "i", "c", "y");
	sub(&n, 5, attr_graph_msg("then_branch", branch("t")));
	sub(&g, 1, n);
	expect_error(model(g), HONE_BAD_INPUT, "If needs the graphs");
	g = interface("x c", "y");
	sub(&g, 1, node("Loop", "l", "- - x", "y"));
	expect_error(model(g), HONE_BAD_INPUT, "needs the graph body");
}

/* ---- names and counts ---- */

static void test_long_names(void **state)
{
	(void)state;
	enum { LONG = 10 << 20 };
	char *name = malloc(LONG + 1);
	assert_non_null(name);
	memset(name, 'n', LONG);
	name[LONG] = 0;
	Buf g = interface("x", "y");
	sub(&g, 1, node("Relu", name, "x", "y"));
	Buf m = model(g);
	Run r = expect_ok(&m);
	assert_int_equal(r.m->main->body->first->name->len, LONG);
	close_run(&r);
	buf_free(&m);
	g = interface("x", "y");
	sub(&g, 1, node("Relu", name, name, "y"));
	m = model(g);
	r = read_bytes(m.data, m.len, NULL);
	assert_null(r.m);
	assert_true(strlen(first_error(r.c)) < 1000);
	close_run(&r);
	buf_free(&m);
	free(name);
}

/* Names are bytes: kept as they are, escaped in messages. */
static void test_odd_names(void **state)
{
	(void)state;
	static const char *const odd[] = { "\xff\xfe", "\xc3(", "%n%s", "\x1b[2J", "a\nb", "\xe2\x80\xae" "gpj" };
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		Buf g = interface("x", "y");
		sub(&g, 1, node("Relu", odd[i], "x", "y"));
		Buf m = model(g);
		Run r = expect_ok(&m);
		assert_string_equal(r.m->main->body->first->name->s, odd[i]);
		close_run(&r);
		buf_free(&m);
		g = interface("x", "y");
		sub(&g, 1, node("Relu", "n", odd[i], "y"));
		m = model(g);
		r = read_bytes(m.data, m.len, NULL);
		assert_null(r.m);
		for (const char *s = first_error(r.c); *s; s++)
			assert_true((uint8_t)*s >= ' ' && *s != 0x7f);
		assert_null(strstr(first_error(r.c), "\xff"));
		assert_null(strstr(first_error(r.c), "\xe2\x80"));
		close_run(&r);
		buf_free(&m);
	}
}

static void test_many_nodes(void **state)
{
	(void)state;
	Buf g = interface("x", "y");
	sub(&g, 1, node("Relu", "a", "x", "t"));
	sub(&g, 1, node("Relu", "b", "t", "u"));
	sub(&g, 1, node("Relu", "c", "u", "y"));
	Buf m = model(g);
	Run r = read_bytes(m.data, m.len, &(ReadOptions){ .max_nodes = 2 });
	assert_null(r.m);
	assert_int_equal(r.c->diags.status, HONE_LIMIT);
	close_run(&r);
	r = read_bytes(m.data, m.len, &(ReadOptions){ .max_nodes = 3 });
	assert_non_null(r.m);
	close_run(&r);
	buf_free(&m);
}

/* ---- external data ---- */

static Buf external(const char *location, const char *offset, const char *length)
{
	const char *pairs[][2] = { { "location", location }, { "offset", offset }, { "length", length } };
	Buf t = tensor("w", 1, "4");
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		Buf p = { 0 };
		if (!pairs[i][1])
			continue;
		text(&p, 1, pairs[i][0]);
		text(&p, 2, pairs[i][1]);
		sub(&t, 13, p);
	}
	num(&t, 14, 1);
	return with_initializer(t);
}

static void expect_external_error(Buf m, HoneStatus status)
{
	Run r = read_bytes(m.data, m.len, &(ReadOptions){ .data_dir = dir });
	assert_null(r.m);
	if (r.c->diags.status != status)
		fail_msg("status %d (%s), expected %d", (int)r.c->diags.status, first_error(r.c), (int)status);
	close_run(&r);
	buf_free(&m);
}

static void test_external_paths(void **state)
{
	(void)state;
	float values[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	put_file(in_dir("data"), values, sizeof values);
	mkdir(in_dir("sub"), 0700);
	assert_int_equal(symlink("/etc/passwd", in_dir("out")), 0);
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	expect_external_error(external("/etc/passwd", NULL, NULL), HONE_IO);
	expect_external_error(external("../etc/passwd", NULL, NULL), HONE_IO);
	expect_external_error(external("sub/../../x", NULL, NULL), HONE_IO);
	expect_external_error(external("out", NULL, NULL), HONE_IO);
	expect_external_error(external("sub", NULL, NULL), HONE_IO);
	expect_external_error(external("fifo", NULL, NULL), HONE_IO);
	expect_external_error(external("missing", NULL, NULL), HONE_IO);
	expect_external_error(external("file:///etc/passwd", NULL, NULL), HONE_IO);
	expect_external_error(external("C:\\data", NULL, NULL), HONE_IO);
	expect_external_error(external("..", NULL, NULL), HONE_IO);
	expect_external_error(external("./../data", NULL, NULL), HONE_IO);
	expect_external_error(external("", NULL, NULL), HONE_BAD_INPUT);
	expect_external_error(external(NULL, NULL, NULL), HONE_BAD_INPUT);
	static const char *const bad[] = {
		"-1", "1e3", "0x10", " 5", "+5", "", "18446744073709551616", "9223372036854775807", "17"
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		expect_external_error(external("data", bad[i], "16"), HONE_BAD_INPUT);
	expect_external_error(external("data", "0", "15"), HONE_BAD_INPUT);
	expect_external_error(external("data", "0", "20"), HONE_BAD_INPUT);
	expect_error(external("data", "0", "16"), HONE_BAD_INPUT, "the model has no directory");
	Buf m = external("data", "16", "16");
	Run r = read_bytes(m.data, m.len, &(ReadOptions){ .data_dir = dir });
	assert_non_null(r.m);
	assert_memory_equal(op_attr(r.m->main->body->first, A_value)->u.tensor.blob->data, values + 4, 16);
	close_run(&r);
	buf_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_foreign_files),
		cmocka_unit_test(test_sniff),
		cmocka_unit_test(test_broken_wire),
		cmocka_unit_test(test_deep_nesting),
		cmocka_unit_test(test_model_fields),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_suggestion),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_arity),
		cmocka_unit_test(test_bad_tensors),
		cmocka_unit_test(test_typed_fields),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_bad_attributes),
		cmocka_unit_test(test_function_cycles),
		cmocka_unit_test(test_control_flow),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_many_nodes),
		cmocka_unit_test(test_external_paths),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

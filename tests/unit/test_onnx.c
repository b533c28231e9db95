/* Unit tests of src/format/onnx. Models are spelled as protobuf bytes by a few helpers of their own, so that the reader is
 * not tested against the writer alone. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- messages ---- */

static void varint(Buf *b, uint64_t v)
{
	do {
		uint8_t byte = (uint8_t)(v & 0x7f) | (v > 0x7f ? 0x80 : 0);
		buf_put(b, &byte, 1);
		v >>= 7;
	} while (v);
}

static void tag(Buf *b, int field, int wire)
{
	varint(b, (uint64_t)field << 3 | (uint64_t)wire);
}

static void num(Buf *b, int field, int64_t v)
{
	tag(b, field, 0);
	varint(b, (uint64_t)v);
}

static void raw(Buf *b, int field, const void *p, size_t n)
{
	tag(b, field, 2);
	varint(b, n);
	buf_put(b, p, n);
}

static void text(Buf *b, int field, const char *s)
{
	raw(b, field, s, strlen(s));
}

/* Appends the child as a message and frees it. */
static void sub(Buf *b, int field, Buf child)
{
	raw(b, field, child.data ? child.data : "", child.len);
	buf_free(&child);
}

/* Words of s, separated by spaces, as one field each; "-" stands for the empty string. */
static void words(Buf *b, int field, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, " ");
		raw(b, field, s, n == 1 && *s == '-' ? 0 : n);
		s += n;
		s += strspn(s, " ");
	}
}

static Buf node(const char *type, const char *name, const char *in, const char *out)
{
	Buf n = { 0 };
	words(&n, 1, in);
	words(&n, 2, out);
	if (*name)
		text(&n, 3, name);
	text(&n, 4, type);
	return n;
}

static Buf tensor(const char *name, int type, const char *dims)
{
	Buf t = { 0 };
	for (const char *s = dims; *s; s += strspn(s, " ")) {
		char *end;
		num(&t, 1, strtoll(s, &end, 10));
		s = end;
	}
	num(&t, 2, type);
	if (name)
		text(&t, 8, name);
	return t;
}

static Buf floats(const char *name, const char *dims, size_t count)
{
	static const float values[64] = { 1, 2, 3, -4, 0.5f };
	Buf t = tensor(name, 1, dims);
	raw(&t, 9, values, count * sizeof *values);
	return t;
}

/* f32 of the given dims; a word that is no number is a symbol; NULL: no shape. */
static Buf info(const char *name, const char *dims)
{
	Buf v = { 0 }, type = { 0 }, tt = { 0 }, shape = { 0 };
	text(&v, 1, name);
	num(&tt, 1, 1);
	for (const char *s = dims; s && *s; s += strspn(s, " ")) {
		Buf d = { 0 };
		size_t n = strcspn(s, " ");
		if (*s == '-' || (*s >= '0' && *s <= '9'))
			num(&d, 1, strtoll(s, NULL, 10));
		else
			raw(&d, 2, s, n);
		sub(&shape, 1, d);
		s += n;
	}
	if (dims)
		sub(&tt, 2, shape);
	sub(&type, 1, tt);
	sub(&v, 2, type);
	return v;
}

static Buf opset(const char *domain, int64_t version)
{
	Buf o = { 0 };
	text(&o, 1, domain);
	num(&o, 2, version);
	return o;
}

static Buf model_of(Buf graph, int64_t ir, int64_t version)
{
	Buf m = { 0 };
	num(&m, 1, ir);
	if (version)
		sub(&m, 8, opset("", version));
	sub(&m, 7, graph);
	return m;
}

static Buf model(Buf graph)
{
	return model_of(graph, 8, 17);
}

static Buf interface(const char *inputs, const char *outputs)
{
	Buf g = { 0 };
	char word[64];
	text(&g, 2, "g");
	for (int field = 11; field <= 12; field++)
		for (const char *s = field == 11 ? inputs : outputs; *s; s += strspn(s, " ")) {
			size_t n = strcspn(s, " ");
			snprintf(word, sizeof word, "%.*s", (int)n, s);
			sub(&g, field, info(word, "2"));
			s += n;
		}
	return g;
}

static Buf attr_int_msg(const char *name, int64_t v)
{
	Buf a = { 0 };
	text(&a, 1, name);
	num(&a, 3, v);
	num(&a, 20, 2);
	return a;
}

static Buf attr_graph_msg(const char *name, Buf graph)
{
	Buf a = { 0 };
	text(&a, 1, name);
	sub(&a, 6, graph);
	num(&a, 20, 5);
	return a;
}

/* ---- reading ---- */

typedef struct Run {
	Context *c;
	Module *m;
	MappedFile file;
} Run;

static Run read_bytes(const char *bytes, size_t len, const ReadOptions *o)
{
	Run r = { .c = context_new() };
	r.file = (MappedFile){ .path = "test.onnx", .fd = -1, .data = (const uint8_t *)bytes, .len = len, .refs = 1 };
	MappedFile *f = arena_dup(r.c->arena, &r.file, sizeof r.file);
	r.m = onnx_read(r.c, f, o);
	return r;
}

static void close_run(Run *r)
{
	module_free(r->m);
	context_free(r->c);
}

static const char *first_error(const Context *c)
{
	for (size_t i = 0; i < c->diags.list.len; i++)
		if (c->diags.list.data[i].severity == SEV_ERROR)
			return c->diags.list.data[i].message;
	return "";
}

static void expect_error(Buf m, HoneStatus status, const char *part)
{
	Run r = read_bytes(m.data ? m.data : "", m.len, NULL);
	if (r.m)
		fail_msg("accepted, expected an error with \"%s\"", part);
	if (r.c->diags.status != status || !strstr(first_error(r.c), part))
		fail_msg("status %d, message \"%s\"; expected %d, \"%s\"", (int)r.c->diags.status, first_error(r.c), (int)status, part);
	close_run(&r);
	buf_free(&m);
}

static Run expect_ok(const Buf *m)
{
	Run r = read_bytes(m->data, m->len, NULL);
	if (!r.m)
		fail_msg("%s", first_error(r.c));
	assert_true(module_verify(r.m, &r.c->diags));
	return r;
}

static Buf bytes_of(const void *p, size_t n)
{
	Buf b = { 0 };
	buf_put(&b, p, n);
	return b;
}

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
	expect_error(with_tail("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12), HONE_BAD_INPUT, "varint longer than 10 bytes");
	expect_error(with_tail("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11), HONE_BAD_INPUT, "varint longer");
	expect_error(with_tail("\0\0", 2), HONE_BAD_INPUT, "field number 0");
	expect_error(with_tail("\xff\7", 2), HONE_BAD_INPUT, "wire type 7");
	expect_error(with_tail("\xfe\7", 2), HONE_BAD_INPUT, "wire type 6");
	expect_error(with_tail("\xfc\7", 2), HONE_BAD_INPUT, "group that was not opened");
	expect_error(with_tail("\x3d\0\0\0\0", 5), HONE_BAD_INPUT, "model.graph: wire type 5, expected 2");
	expect_error(with_tail("\x10\1", 2), HONE_BAD_INPUT, "model.producer_name: wire type 0, expected 2");
	expect_error(with_tail("\x32\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10), HONE_BAD_INPUT, "doc_string (6) needs 9223372036854775807 bytes");
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

/* A group that ends properly in an unknown field is kept like any other. */
static void test_unknown_fields_survive(void **state);

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

static Buf with_initializer(Buf t)
{
	Buf g = interface("x", "x");
	sub(&g, 5, t);
	return model(g);
}

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
	expect_error(with_sparse(sparse("2 3", "2 3", (int64_t[]){ 0, 0, 0, 1, 1, 1 }, 6, 2)), HONE_BAD_INPUT, "sparse indices must be");
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

static Buf function(const char *name, const char *calls)
{
	Buf f = { 0 }, n = node(calls, "", "x", "y");
	text(&f, 1, name);
	text(&f, 4, "x");
	text(&f, 5, "y");
	text(&n, 7, strcmp(calls, "Relu") ? "d" : "");
	sub(&f, 7, n);
	sub(&f, 9, opset("", 17));
	sub(&f, 9, opset("d", 1));
	text(&f, 10, "d");
	return f;
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

static Buf branch(const char *result)
{
	Buf g = { 0 };
	sub(&g, 1, node("Neg", "", "x", result));
	text(&g, 2, "branch");
	sub(&g, 12, info(result, "2"));
	return g;
}

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

/* ---- external data ---- */

static char dir[] = "/tmp/hone-test-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static char *in_dir(const char *name)
{
	static char path[4][256];
	static int next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	return p;
}

static int remove_dir(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command);
}

static void put_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
}

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
	expect_external_error(external("", NULL, NULL), HONE_BAD_INPUT);
	expect_external_error(external(NULL, NULL, NULL), HONE_BAD_INPUT);
	static const char *const bad[] = { "-1", "1e3", "0x10", " 5", "+5", "", "18446744073709551616", "9223372036854775807", "17" };
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
	Buf m = model(g);
	sub(&m, 8, opset("com.microsoft", 1));
	text(&m, 2, "tester");
	Buf out = expect_stable(m, NULL);
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
		cmocka_unit_test(test_external_paths),
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

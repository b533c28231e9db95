/* onnx_bytes: ONNX models spelled as protobuf bytes, and running the reader on them. The helpers share no code with the
 * reader and writer that they test. */
#ifndef HONE_TEST_ONNX_BYTES_H
#define HONE_TEST_ONNX_BYTES_H

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

static inline void varint(Buf *b, uint64_t v)
{
	do {
		uint8_t byte = (uint8_t)(v & 0x7f) | (v > 0x7f ? 0x80 : 0);
		buf_put(b, &byte, 1);
		v >>= 7;
	} while (v);
}

static inline void tag(Buf *b, int field, int wire)
{
	varint(b, (uint64_t)field << 3 | (uint64_t)wire);
}

static inline void num(Buf *b, int field, int64_t v)
{
	tag(b, field, 0);
	varint(b, (uint64_t)v);
}

static inline void raw(Buf *b, int field, const void *p, size_t n)
{
	tag(b, field, 2);
	varint(b, n);
	buf_put(b, p, n);
}

static inline void text(Buf *b, int field, const char *s)
{
	raw(b, field, s, strlen(s));
}

/* Appends the child as a message and frees it. */
static inline void sub(Buf *b, int field, Buf child)
{
	raw(b, field, child.data ? child.data : "", child.len);
	buf_free(&child);
}

/* Words of s, separated by spaces, as one field each; "-" stands for the empty string. */
static inline void words(Buf *b, int field, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, " ");
		raw(b, field, s, n == 1 && *s == '-' ? 0 : n);
		s += n;
		s += strspn(s, " ");
	}
}

static inline Buf node(const char *type, const char *name, const char *in, const char *out)
{
	Buf n = { 0 };
	words(&n, 1, in);
	words(&n, 2, out);
	if (*name)
		text(&n, 3, name);
	text(&n, 4, type);
	return n;
}

static inline Buf tensor(const char *name, int type, const char *dims)
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

static inline Buf floats(const char *name, const char *dims, size_t count)
{
	static const float values[64] = { 1, 2, 3, -4, 0.5f };
	Buf t = tensor(name, 1, dims);
	raw(&t, 9, values, count * sizeof *values);
	return t;
}

/* f32 of the given dims; a word that is no number is a symbol; NULL: no shape. */
static inline Buf info(const char *name, const char *dims)
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

static inline Buf opset(const char *domain, int64_t version)
{
	Buf o = { 0 };
	text(&o, 1, domain);
	num(&o, 2, version);
	return o;
}

static inline Buf model_of(Buf graph, int64_t ir, int64_t version)
{
	Buf m = { 0 };
	num(&m, 1, ir);
	if (version)
		sub(&m, 8, opset("", version));
	sub(&m, 7, graph);
	return m;
}

static inline Buf model(Buf graph)
{
	return model_of(graph, 8, 17);
}

static inline Buf interface(const char *inputs, const char *outputs)
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

static inline Buf attr_int_msg(const char *name, int64_t v)
{
	Buf a = { 0 };
	text(&a, 1, name);
	num(&a, 3, v);
	num(&a, 20, 2);
	return a;
}

static inline Buf attr_graph_msg(const char *name, Buf graph)
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

static inline Run read_bytes(const char *bytes, size_t len, const ReadOptions *o)
{
	Run r = { .c = context_new() };
	r.file = (MappedFile){ .path = "test.onnx", .fd = -1, .data = (const uint8_t *)bytes, .len = len, .refs = 1 };
	MappedFile *f = arena_dup(r.c->arena, &r.file, sizeof r.file);
	r.m = onnx_read(r.c, f, o);
	return r;
}

static inline void close_run(Run *r)
{
	module_free(r->m);
	context_free(r->c);
}

static inline const char *first_error(const Context *c)
{
	for (size_t i = 0; i < c->diags.list.len; i++)
		if (c->diags.list.data[i].severity == SEV_ERROR)
			return c->diags.list.data[i].message;
	return "";
}

static inline void expect_error(Buf m, HoneStatus status, const char *part)
{
	Run r = read_bytes(m.data ? m.data : "", m.len, NULL);
	if (r.m)
		fail_msg("accepted, expected an error with \"%s\"", part);
	if (r.c->diags.status != status || !strstr(first_error(r.c), part))
		fail_msg("status %d, message \"%s\"; expected %d, \"%s\"", (int)r.c->diags.status, first_error(r.c),
			(int)status, part);
	close_run(&r);
	buf_free(&m);
}

static inline Run expect_ok(const Buf *m)
{
	Run r = read_bytes(m->data, m->len, NULL);
	if (!r.m)
		fail_msg("%s", first_error(r.c));
	assert_true(module_verify(r.m, &r.c->diags));
	return r;
}

static inline Buf bytes_of(const void *p, size_t n)
{
	Buf b = { 0 };
	buf_put(&b, p, n);
	return b;
}

static inline Buf function(const char *name, const char *calls)
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

static inline Buf branch(const char *result)
{
	Buf g = { 0 };
	sub(&g, 1, node("Neg", "", "x", result));
	text(&g, 2, "branch");
	sub(&g, 12, info(result, "2"));
	return g;
}

static inline Buf with_initializer(Buf t)
{
	Buf g = interface("x", "x");
	sub(&g, 5, t);
	return model(g);
}

/* ---- files in a directory of their own ---- */

static char dir[] = "/tmp/hone-test-XXXXXX";

static inline int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static inline char *in_dir(const char *name)
{
	static char path[4][256];
	static int next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	return p;
}

static inline int remove_dir(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command);
}

static inline void put_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
}

#endif

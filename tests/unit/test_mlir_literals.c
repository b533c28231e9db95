/* Literals of MLIR text: lists of numbers mean the same whether they are read in one go or token by token (a comment inside
 * makes the reader careful), hexadecimal strings are decoded to the last digit, names of values that are numbers and names
 * that look like it stay apart, and texts that were seen before do not outlive the aliases they depend on. */
#include "format/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static Module *read(Context *c, const char *text)
{
	return mlir_parse(c, "test.mlir", (Bytes){ (const uint8_t *)text, strlen(text) });
}

static const char *first_error(Context *c)
{
	return c->diags.list.len ? c->diags.list.data[0].message : "none";
}

/* The attribute `v` of the only op beside the terminator. */
static const Attr *literal(Context *c, Module **m, const char *text)
{
	Buf b = { 0 };
	buf_printf(&b, "func.func @main() {\n\"a.b\"() {v = %s} : () -> ()\nreturn\n}\n", text);
	*m = read(c, b.data);
	buf_free(&b);
	return *m ? op_attr_named((*m)->main->body->first, str(c, "v")) : NULL;
}

static void expect_same(const char *quick, const char *careful)
{
	Context *c = context_new();
	Module *a, *b;
	const Attr *x = literal(c, &a, quick), *y = literal(c, &b, careful);
	if (!x || !y || x->kind != ATTR_TENSOR || y->kind != ATTR_TENSOR || x->u.tensor.type != y->u.tensor.type ||
		!blob_equal(x->u.tensor.blob, y->u.tensor.blob))
		fail_msg("%s and %s differ: %s", quick, careful, first_error(c));
	context_free(c);
}

static void put_number(Buf *b, Rng *r, DType d)
{
	static const char *const odd[] = { "0.0", "-0.0", "1.", "1.0e+2", "2.5E-3", "123456789012345678901.5", "0.1", "1.0e-310" };
	int64_t v = rng_below(r, 200) - 100;
	if (d == DT_BOOL)
		buf_puts(b, v < 0 ? "true" : "false");
	else if (dtype_class(d) == DC_UINT)
		buf_printf(b, "%lld", (long long)(rng_below(r, (int64_t)(dtype_int_max(d) & 0xFFFF)) + 1));
	else if (dtype_class(d) == DC_INT)
		buf_printf(b, "%lld", (long long)(rng_below(r, 2 * (int64_t)(dtype_int_max(d) & 0xFFFF) + 1) - (int64_t)(dtype_int_max(d) & 0xFFFF)));
	else if (rng_below(r, 8) == 0 && dtype_bits(d) >= 16)
		buf_puts(b, odd[rng_below(r, (int64_t)ARRAY_LEN(odd))]);
	else if (rng_below(r, 8) == 0)
		buf_printf(b, "0x%llX", (unsigned long long)(rng_u64(r) >> (64 - dtype_bits(d))));
	else
		buf_printf(b, "%.*f", (int)rng_below(r, 18), rng_normal(r));
}

static void test_lists(void **state)
{
	(void)state;
	static const DType types[] = { DT_F64, DT_F32, DT_F16, DT_BF16, DT_F8E4M3FN, DT_I64, DT_I32, DT_I16, DT_I8, DT_I4, DT_U64,
		DT_U32, DT_U8, DT_U4, DT_BOOL };
	Rng r = { 3 };
	for (int round = 0; round < 300; round++) {
		DType d = types[rng_below(&r, (int64_t)ARRAY_LEN(types))];
		int64_t rows = 1 + rng_below(&r, 4), cols = 1 + rng_below(&r, 5);
		Buf quick = { 0 }, careful = { 0 }, list = { 0 };
		for (int64_t i = 0; i < rows; i++) {
			buf_puts(&list, i ? ",\n  [" : "[");
			for (int64_t k = 0; k < cols; k++) {
				buf_puts(&list, k ? rng_below(&r, 2) ? "," : " , " : "");
				put_number(&list, &r, d);
			}
			buf_puts(&list, "]");
		}
		buf_printf(&quick, "dense<[%s]> : tensor<%lldx%lldx%s>", list.data, (long long)rows, (long long)cols, dtype_name(d));
		buf_printf(&careful, "dense<[ // in pieces\n%s]> : tensor<%lldx%lldx%s>", list.data, (long long)rows, (long long)cols,
			dtype_name(d));
		expect_same(quick.data, careful.data);
		buf_free(&quick);
		buf_free(&careful);
		buf_free(&list);
	}
}

static void expect_error(const char *text, unsigned line, unsigned col, const char *part)
{
	Context *c = context_new();
	Module *m;
	assert_null(literal(c, &m, text));
	const Loc *l = &c->diags.list.data[0].loc;
	if (l->line != line || l->col != col || !strstr(first_error(c), part))
		fail_msg("%s: %u:%u %s, expected %u:%u %s", text, l->line, l->col, first_error(c), line, col, part);
	context_free(c);
}

/* Literals begin at column 14 of line 2. */
static void test_wrong_lists(void **state)
{
	(void)state;
	expect_error("dense<[1, 2]> : tensor<3xi32>", 2, 25, "2 elements along dimension 0, expected 3");
	expect_error("dense<[1, 2, 3, 4]> : tensor<3xi32>", 2, 30, "more than 3 elements");
	expect_error("dense<[[1], [2, 3]]> : tensor<2x1xi32>", 2, 30, "more than 1 elements along dimension 1");
	expect_error("dense<[[1, 2], [3]]> : tensor<2x2xi32>", 2, 31, "1 elements along dimension 1, expected 2");
	expect_error("dense<[1, 300]> : tensor<2xi8>", 2, 24, "does not fit");
	expect_error("dense<[1, 1.5]> : tensor<2xi8>", 2, 24, "expected an integer");
	expect_error("dense<[1, x]> : tensor<2xf32>", 2, 24, "expected a number");
	expect_error("dense<[1, 2e5]> : tensor<2xf32>", 2, 25, "expected ',' or ']'");
	expect_error("dense<[1, 0x1FFFF]> : tensor<2xf16>", 2, 24, "does not fit");
	expect_error("dense<[1, 2> : tensor<2xf32>", 2, 25, "expected ']'");
	expect_error("dense<[1, 2]]> : tensor<2xf32>", 2, 26, "expected '>'");
	expect_error("dense<1, 2> : tensor<2xf32>", 2, 21, "expected '>'");
	expect_error("dense<[1,\n 2, -]> : tensor<3xi32>", 3, 6, "expected a number");
}

static void test_hex(void **state)
{
	(void)state;
	enum { BYTES = 1500 };
	static const char digits[] = "0123456789abcdefABCDEF";
	Rng r = { 11 };
	for (int round = 0; round < 40; round++) {
		size_t n = (size_t)rng_below(&r, BYTES) + 1, wrong = (size_t)rng_below(&r, (int64_t)(2 * n));
		uint8_t want[BYTES];
		Buf b = { 0 }, message = { 0 };
		buf_puts(&b, "dense<\"0x");
		size_t start = b.len;
		for (size_t i = 0; i < 2 * n; i++) {
			char ch = digits[rng_below(&r, (int64_t)sizeof digits - 1)];
			unsigned v = (unsigned)(ch <= '9' ? ch - '0' : (ch | 0x20) - 'a' + 10);
			want[i / 2] = (uint8_t)(i % 2 ? want[i / 2] << 4 | v : v);
			buf_put(&b, &ch, 1);
		}
		buf_printf(&b, "\"> : tensor<%zuxi8>", n);
		Context *c = context_new();
		Module *m;
		const Attr *a = literal(c, &m, b.data);
		assert_non_null(a);
		assert_int_equal(a->u.tensor.blob->len, n);
		assert_memory_equal(a->u.tensor.blob->data, want, n);
		context_free(c);
		b.data[start + wrong] = "g/:@G`"[rng_below(&r, 6)];
		buf_printf(&message, "byte %zu of the hexadecimal string is malformed", wrong / 2);
		expect_error(b.data, 2, 20, message.data);
		buf_free(&b);
		buf_free(&message);
	}
	expect_error("dense<\"0x012\"> : tensor<1xi8>", 2, 20, "even number");
	expect_error("dense<\"0x0123\"> : tensor<1xi8>", 2, 20, "2 bytes, but the type takes 1");
}

static void expect_module(const char *text, bool ok, const char *part)
{
	Context *c = context_new();
	Module *m = read(c, text);
	if (ok != (m != NULL) || (!ok && !strstr(first_error(c), part)))
		fail_msg("%s: %s", text, first_error(c));
	context_free(c);
}

static void test_value_names(void **state)
{
	(void)state;
	expect_module("func.func @f(%0: tensor<2xf32>, %00: tensor<3xf32>, %x: tensor<f32>, %999999999: tensor<4xf32>) -> tensor<3xf32> {\n"
		"return %00 : tensor<3xf32>\n}", true, "");
	expect_module("func.func @f(%7: tensor<2xf32>, %7: tensor<3xf32>) { return }", false, "value %7 is already defined");
	expect_module("func.func @f(%07: tensor<2xf32>, %07: tensor<3xf32>) { return }", false, "value %07 is already defined");
	expect_module("func.func @f(%7: tensor<2xf32>) -> tensor<2xf32> { return %8 : tensor<2xf32> }", false, "value %8 is not defined");
	expect_module("func.func @f(%7: tensor<2xf32>) { return }\nfunc.func @g() -> tensor<2xf32> { return %7 : tensor<2xf32> }", false,
		"value %7 is not defined");
}

/* The second alias has the name that the first text began with. */
static void test_aliases_and_seen_texts(void **state)
{
	(void)state;
	Context *c = context_new();
	Module *m = read(c, "#a = #x.y<1>\nfunc.func @main() {\n"
		"\"a.b\"() {v = #x.y<1>, w = #x.y<#a>, z = tensor<?xf32>} : () -> ()\n"
		"\"a.b\"() {v = #x.y<1>, w = #x.y<#a>, z = tensor<?xf32>} : () -> ()\nreturn\n}\n");
	assert_non_null(m);
	const Op *p = m->main->body->first, *q = p->next;
	assert_ptr_equal(p->attrs[0].value, q->attrs[0].value);
	assert_string_equal(q->attrs[1].value->u.str->s, "#x.y<#x.y<1>>");
	assert_ptr_not_equal(p->attrs[2].value->u.type, q->attrs[2].value->u.type); /* two unknown sizes */
	context_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists), cmocka_unit_test(test_wrong_lists), cmocka_unit_test(test_hex),
		cmocka_unit_test(test_value_names), cmocka_unit_test(test_aliases_and_seen_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

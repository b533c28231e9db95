/* MLIR text that is not valid, a line a case: the status, and words of the message. What is not a module of hone's at all,
 * is in golden cases; here are the values, shapes, resources and signatures that other readers took or died of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

typedef struct BadText {
	const char *text;
	HoneStatus status;
	const char *part;
} BadText;

#define MAIN(body) "func.func @main() {\n" body "\nreturn\n}\n"
#define ATTR(value) MAIN("\"a.b\"() {v = " value "} : () -> ()")
#define SHLO(args, body, result) "func.func @main(" args ") -> " result " {\n%0 = " body "\nreturn %0 : " result "\n}\n"
#define BLOB(blob, type) ATTR("dense_resource<r> : " type) "{-#\n dialect_resources: { builtin: { r: " blob " } }\n#-}\n"

static const BadText bad_texts[] = {
	/* sizes and element types */
	{ "func.func @main(%x: tensor<99999999999999999999xf32>) {\nreturn\n}\n", HONE_BAD_INPUT, "below 2^63" },
	{ "func.func @main(%x: tensor<-1xf32>) {\nreturn\n}\n", HONE_BAD_INPUT, "expected" },
	{ "func.func @main(%x: tensor<2x>) {\nreturn\n}\n", HONE_BAD_INPUT, "expected" },
	{ "func.func @main(%x: tensor<2xi0>) {\nreturn\n}\n", HONE_BAD_INPUT, "1 to 16777215 bits" },
	{ "func.func @main(%x: tensor<2xui16777216>) {\nreturn\n}\n", HONE_BAD_INPUT, "1 to 16777215 bits" },
	{ "func.func @main(%x: tensor<2xi99999999999999999999>) {\nreturn\n}\n", HONE_BAD_INPUT, "1 to 16777215 bits" },
	{ ATTR("1 : i0"), HONE_BAD_INPUT, "1 to 16777215 bits" },
	/* constants */
	{ ATTR("dense<1.0> : tensor<?xf32>"), HONE_BAD_INPUT, "known sizes" },
	{ ATTR("dense<[[1.0], 2.0]> : tensor<2x1xf32>"), HONE_BAD_INPUT, "expected '['" },
	{ ATTR("300 : i8"), HONE_BAD_INPUT, "does not fit" },
	{ ATTR("0x1FFFFFFFF : f32"), HONE_BAD_INPUT, "does not fit" },
	{ MAIN("\"a.b\"() {x = 1, x = 2} : () -> ()"), HONE_BAD_INPUT, "twice" },
	{ MAIN("\"a.b() : () -> ()"), HONE_BAD_INPUT, "not closed" },
	{ ATTR("dense<1.0> : tensor<4611686018427387904x4xf32>"), HONE_BAD_INPUT, "" },
	{ ATTR("dense<[1, 2]> : tensor<3xi32>"), HONE_BAD_INPUT, "expected 3" },
	{ ATTR("dense<[[1, 2], [3]]> : tensor<2x2xi32>"), HONE_BAD_INPUT, "expected 2" },
	{ ATTR("dense<\"0x0102030405060708\"> : tensor<3xi32>"), HONE_BAD_INPUT, "8 bytes" },
	{ ATTR("dense<\"0x012\"> : tensor<1xi16>"), HONE_BAD_INPUT, "hex" },
	{ ATTR("dense<\"0x01ZZ\"> : tensor<1xi16>"), HONE_BAD_INPUT, "hex" },
	{ ATTR("dense<0x1FFFFFFFF> : tensor<1xf32>"), HONE_BAD_INPUT, "" },
	{ ATTR("dense<256> : tensor<1xui8>"), HONE_BAD_INPUT, "does not fit" },
	{ ATTR("dense<-1> : tensor<1xui8>"), HONE_BAD_INPUT, "does not fit" },
	{ ATTR("dense<1.5> : tensor<1xi32>"), HONE_BAD_INPUT, "" },
	{ ATTR("dense<true> : tensor<1xf32>"), HONE_BAD_INPUT, "" },
	{ ATTR("dense<[]> : tensor<2xf32>"), HONE_BAD_INPUT, "" },
	{ ATTR("dense<(1.0, 2.0)> : tensor<1xf32>"), HONE_BAD_INPUT, "" },
	{ ATTR("99999999999999999999 : i64"), HONE_BAD_INPUT, "" },
	/* resources: no such one, no bytes, an alignment that is no power of two, sizes that are not the type's */
	{ ATTR("dense_resource<nope> : tensor<2xf32>"), HONE_BAD_INPUT, "resource \"nope\" is not in the file" },
	{ BLOB("\"0xZZ\"", "tensor<1xi16>"), HONE_BAD_INPUT, "hex" },
	{ BLOB("\"0x03000000AABB\"", "tensor<1xi16>"), HONE_BAD_INPUT, "power of 2" },
	{ BLOB("\"0x00000000AABB\"", "tensor<1xi16>"), HONE_BAD_INPUT, "power of 2" },
	{ BLOB("\"0x0400\"", "tensor<1xi16>"), HONE_BAD_INPUT, "" },
	{ BLOB("\"0x04000000AABBCC\"", "tensor<1xi16>"), HONE_BAD_INPUT, "3 bytes" },
	{ BLOB("7", "tensor<1xi16>"), HONE_BAD_INPUT, "" },
	/* names */
	{ "!a = tuple<!a>\nfunc.func @main(%x: !a) {\nreturn\n}\n", HONE_BAD_INPUT, "!a" },
	{ "#a = [#b]\n#b = [#a]\n" MAIN(""), HONE_BAD_INPUT, "#b" },
	{ MAIN("\"a.b\"(%9) : (f32) -> ()"), HONE_BAD_INPUT, "%9" },
	{ "func.func @a() {\nreturn\n}\nfunc.func @a() {\nreturn\n}\n", HONE_BAD_INPUT, "already defined" },
	{ "func.func @main(%a: tensor<2xf32>, %a: tensor<2xf32>) {\nreturn\n}\n", HONE_BAD_INPUT, "already defined" },
	{ "func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {\nreturn %a : tensor<2xf32>\n}\n", HONE_BAD_INPUT, "has type" },
	{ "func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {\nreturn %a : tensor<3xf32>\n}\n", HONE_BAD_INPUT, "has type" },
	/* torch-onnx */
	{ "func.func @main(%a: !torch.vtensor<[?,-1],f32>) {\nreturn\n}\n", HONE_BAD_INPUT, "expected" },
	{ "func.func @main() -> !torch.vtensor<[2],f32> {\n%n = torch.constant.none\n%0 = torch.operator \"onnx.Relu\"(%n) : "
		"(!torch.none) -> !torch.vtensor<[2],f32>\nreturn %0 : !torch.vtensor<[2],f32>\n}\n", HONE_BAD_INPUT, "may not be absent" },
	/* ops */
	{ SHLO("%x: tensor<2xf32>", "stablehlo.foo %x : tensor<2xf32>", "tensor<2xf32>"), HONE_BAD_INPUT, "stablehlo.foo" },
	{ SHLO("%x: tensor<2xf32>", "torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>",
		"tensor<2xf32>"), HONE_BAD_INPUT, "torch.aten.relu" },
};

static void bad_text_is_refused(void **state)
{
	(void)state;
	int failures = 0;
	for (size_t i = 0; i < ARRAY_LEN(bad_texts); i++) {
		const BadText *b = &bad_texts[i];
		Context *c = context_new();
		Module *m = mlir_parse(c, "bad.mlir", (Bytes){ (const uint8_t *)b->text, strlen(b->text) });
		const char *message = c->diags.list.len ? c->diags.list.data[0].message : "nothing";
		HoneStatus s = c->diags.status == HONE_UNSUPPORTED ? HONE_BAD_INPUT : c->diags.status;
		bool right = !m && s == b->status && strstr(message, b->part);
		if (!right) {
			print_message("%s\nstatus %d: %s; wanted %d: %s\n", b->text, (int)c->diags.status, message, (int)b->status,
				b->part);
			failures++;
		}
		context_free(c);
	}
	assert_int_equal(failures, 0);
}

/* Bytes that are no text, and text that only looks odd. */
static void odd_bytes(void **state)
{
	(void)state;
#define TEXT(s) (s), sizeof(s) - 1
	static const struct { const char *text; size_t len; bool ok; } texts[] = {
		{ TEXT("func.func @main() {\n  \0return\n}\n"), false },
		{ TEXT("func.func @main() {\n  \xff\xfe\n  return\n}\n"), false },
		{ TEXT("\xef\xbb\xbf" "func.func @main() {\n  return\n}\n"), true },
		{ TEXT("func.func @main() {\r\n  return\r\n}\r\n"), true },
		{ TEXT("func.func @\"\xc3\xa9\"() {\n  return\n}\n"), true },
		{ TEXT("func.func @main() {\n  return\n}"), true },
		{ TEXT("// nothing\n"), false },
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		Context *c = context_new();
		Module *m = mlir_parse(c, "odd.mlir", (Bytes){ (const uint8_t *)texts[i].text, texts[i].len });
		if ((m != NULL) != texts[i].ok)
			fail_msg("text %zu: %s", i, c->diags.list.len ? c->diags.list.data[0].message : "accepted");
		assert_true(m || c->diags.status == HONE_BAD_INPUT);
		context_free(c);
	}
}

/* A token of 64 MB, and a name of 10 MB in a message, which is cut. */
static void huge_tokens(void **state)
{
	(void)state;
	enum { HUGE_TOKEN = 64 << 20, LONG_NAME = 10 << 20 };
	char *text = malloc(HUGE_TOKEN + 256);
	assert_non_null(text);
	strcpy(text, "func.func @main() {\n\"a.b\"() {v = \"");
	size_t n = strlen(text);
	memset(text + n, 'a', HUGE_TOKEN);
	strcpy(text + n + HUGE_TOKEN, "\"} : () -> ()\nreturn\n}\n");
	Context *c = context_new();
	assert_non_null(mlir_parse(c, "huge.mlir", (Bytes){ (const uint8_t *)text, strlen(text) }));
	context_free(c);
	strcpy(text, "func.func @main() {\n%x = core.relu(%");
	n = strlen(text);
	memset(text + n, 'a', LONG_NAME);
	strcpy(text + n + LONG_NAME, ") : (tensor<f32>) -> tensor<f32>\nreturn\n}\n");
	c = context_new();
	assert_null(mlir_parse(c, "long.mlir", (Bytes){ (const uint8_t *)text, strlen(text) }));
	assert_true(strlen(c->diags.list.data[0].message) < 1000);
	context_free(c);
	free(text);
}

/* Each location names the one before; so does the only op, which stands before all of them. */
static void chain_of_locations(void **state)
{
	(void)state;
	enum { LINKS = 300000 };
	Buf b = { 0 };
	buf_printf(&b, "func.func @main() {\nreturn loc(#loc%d)\n}\n#loc0 = loc(\"f\":1:2)\n", LINKS);
	for (int i = 1; i <= LINKS; i++)
		buf_printf(&b, "#loc%d = loc(\"n\"(#loc%d))\n", i, i - 1);
	Context *c = context_new();
	Module *m = mlir_parse(c, "chain.mlir", (Bytes){ (const uint8_t *)b.data, b.len });
	assert_non_null(m);
	assert_int_equal(m->main->body->last->loc->line, 1);
	context_free(c);
	buf_free(&b);
}

/* Functions that call themselves: refused when read or prepared, or when the calls get too deep. */
static void calls_in_a_circle(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n%0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
			"return %0 : tensor<2xf32>\n}\n",
		"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n%0 = call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
			"return %0 : tensor<2xf32>\n}\nfunc.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {\n%0 = call @main(%x) : "
			"(tensor<2xf32>) -> tensor<2xf32>\nreturn %0 : tensor<2xf32>\n}\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		Context *c = context_new();
		Arena *a = arena_new();
		EvalCtx e;
		eval_init(&e, c, &c->diags);
		Module *m = mlir_parse(c, "calls.mlir", (Bytes){ (const uint8_t *)texts[i], strlen(texts[i]) });
		Tensor *in = tensor_new(&e, DT_F32, 1, (int64_t[]){ 2 }), *out = NULL;
		if (m && prepare_to_run(m, a) && eval_func(&e, m->main, &in, 1, &out, 1))
			fail_msg("module %zu ran", i);
		if (c->diags.status == HONE_OK || c->diags.status == HONE_INTERNAL)
			fail_msg("module %zu: status %d", i, (int)c->diags.status);
		eval_release(&e);
		arena_free(a);
		context_free(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_text_is_refused), cmocka_unit_test(odd_bytes), cmocka_unit_test(huge_tokens),
		cmocka_unit_test(calls_in_a_circle), cmocka_unit_test(chain_of_locations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

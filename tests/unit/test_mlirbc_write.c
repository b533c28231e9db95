/* Portable artifacts that are written: each reads back as the module that it was made of, in every version that has a form
 * for it; what a version lacks is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/verify.h"

static Module *parse(Context *c, const char *text)
{
	Module *m = mlir_parse(c, "test.mlir", (Bytes){ (const uint8_t *)text, strlen(text) });
	if (!m)
		fail_msg("%s", c->diags.list.data[0].message);
	return m;
}

static Module *read_back(Context *c, Buf *b)
{
	MappedFile *f = file_of_bytes("test.bc", b->data, b->len);
	Module *m = mlirbc_read(c, f, NULL);
	file_unref(f);
	if (!m)
		fail_msg("%s", c->diags.list.data[0].message);
	return m;
}

/* Version that stands in the name of the producer. */
static const char *version_of(const Buf *b)
{
	return b->data + 5 + strlen("StableHLO_v");
}

/* Written for the version (NULL: the lowest) it has `want` in its name and reads back the same; the bytes are the same again. */
static void check_same(const char *text, const char *version, const char *want)
{
	Context *c = context_new();
	Arena *a = arena_new();
	const char *why = "";
	Buf one = { 0 }, two = { 0 };
	WriteOptions o = { .stablehlo_version = version };
	Module *m = parse(c, text);
	if (!mlirbc_encode(m, &one, &o, &c->diags))
		fail_msg("%s: %s", version ? version : "default", c->diags.list.data[0].message);
	assert_true(mlirbc_encode(m, &two, &o, &c->diags));
	assert_int_equal(one.len, two.len);
	assert_memory_equal(one.data, two.data, one.len);
	assert_string_equal(version_of(&one), want);
	Module *back = read_back(c, &one);
	assert_true(module_verify(back, &c->diags));
	if (!modules_alike(m, back, a, &why))
		fail_msg("%s: %s", want, why);
	buf_free(&two);
	arena_free(a);
	context_free(c);
}

static void check_refused(const char *text, const char *version, const char *want)
{
	Context *c = context_new();
	Buf b = { 0 };
	Module *m = parse(c, text);
	assert_false(mlirbc_encode(m, &b, &(WriteOptions){ .stablehlo_version = version }, &c->diags));
	assert_true(c->diags.list.len > 0);
	if (!strstr(c->diags.list.data[0].message, want))
		fail_msg("expected '%s', got '%s'", want, c->diags.list.data[0].message);
	assert_int_equal(b.len, 0);
	context_free(c);
}

static const char *const all_versions[] = { "0.9.0", "0.10.0", "0.12.0", "0.14.0", "0.15.0", "0.18.0", "1.0.0", "1.1.0", "1.5.0",
	"1.6.0", "1.9.0", "1.10.0", "1.12.0", "1.16.0", "1.18.0", "1.20.0" };

static void check_all(const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(all_versions); i++)
		check_same(text, all_versions[i], all_versions[i]);
}

/* ---- what every version has ---- */

static void test_plain(void **state)
{
	(void)state;
	check_all("func.func @main(%a: tensor<2x3xf32>, %b: tensor<?xi8>, %c: tensor<*xi1>) -> (tensor<2x3xf32>, tensor<?xi8>) {\n"
		"  %0 = stablehlo.add %a, %a : tensor<2x3xf32>\n  %1 = stablehlo.exponential %0 : tensor<2x3xf32>\n"
		"  %2 = stablehlo.compare LT, %a, %1, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>\n"
		"  %3 = stablehlo.select %2, %a, %1 : tensor<2x3xi1>, tensor<2x3xf32>\n  return %3, %b : tensor<2x3xf32>, tensor<?xi8>\n}\n");
}

static void test_functions(void **state)
{
	(void)state;
	check_all("module @name attributes {mhlo.num_partitions = 1 : i32, a.list = [1, \"x\", true], a.dict = {k = 1.5 : f32}, a.u, "
		"a.t = tensor<2xi64>, a.s = @f, a.v = dense<[1, 2]> : tensor<2xi32>, a.w = array<i32: 1, 2>} {\n"
		"  func.func private @decl(tensor<4xf32> {x.y = 1 : i32}, tensor<f64>) -> (tensor<4xf32> {x.z = true})\n"
		"  func.func private @nothing()\n"
		"  func.func public @main(%named: tensor<4xf32> {jax.arg_info = \"in\"}) -> (tensor<4xf32> {jax.result_info = \"out\"}) {\n"
		"    %0 = call @f(%named) : (tensor<4xf32>) -> tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n"
		"  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {x.attr = \"v\"} {\n    return %arg0 : "
		"tensor<4xf32>\n  }\n}\n");
}

static void test_regions(void **state)
{
	(void)state;
	check_all("func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<f32> {\n"
		"  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %k = stablehlo.constant dense<1> : tensor<i32>\n"
		"  %w:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<4xf32> cond {\n"
		"    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n"
		"  } do {\n    %j = stablehlo.add %i, %k : tensor<i32>\n    stablehlo.return %j, %v : tensor<i32>, tensor<4xf32>\n  }\n"
		"  %r = stablehlo.reduce(%w#1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> "
		"tensor<f32>\n  return %r : tensor<f32>\n}\n");
}

/* Values are numbered anew in each region, after those around it. */
static const char nested[] = "func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {\n"
	"  %b = \"stablehlo.if\"(%p) ({\n    %c = \"stablehlo.if\"(%p) ({\n      stablehlo.return %x : tensor<4xf32>\n    }, {\n"
	"      %m = stablehlo.multiply %x, %x : tensor<4xf32>\n      stablehlo.return %m : tensor<4xf32>\n"
	"    }) : (tensor<i1>) -> tensor<4xf32>\n    %d = stablehlo.add %c, %x : tensor<4xf32>\n"
	"    stablehlo.return %d : tensor<4xf32>\n  }, {\n    stablehlo.return %x : tensor<4xf32>\n"
	"  }) : (tensor<i1>) -> tensor<4xf32>\n  %e = stablehlo.add %b, %x : tensor<4xf32>\n  return %e : tensor<4xf32>\n}\n";

static void test_nested(void **state)
{
	(void)state;
	check_all(nested);
}

#define STRUCTS \
	"func.func @main(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x6xf32>, %i: tensor<2x1xi32>, %a: tensor<5x4xf32>, %u: " \
	"tensor<2x4xf32>, %t: tensor<3x4xf32>) -> tensor<1x4x4x6xf32> {\n" \
	"  %c = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], " \
	"pad = [[0, 1], [0, 1]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : " \
	"(tensor<1x8x8x3xf32>, tensor<3x3x3x6xf32>) -> tensor<1x4x4x6xf32>\n" \
	"  %g = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], " \
	"start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<2x1xi32>) -> " \
	"tensor<2x4xf32>\n" \
	"  %s = \"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], " \
	"inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({\n" \
	"  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    stablehlo.return %q : tensor<f32>\n  }) : (tensor<5x4xf32>, " \
	"tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<5x4xf32>\n" \
	"  %d = stablehlo.dot_general %a, %t, contracting_dims = [1] x [1], precision = [HIGH, DEFAULT] : (tensor<5x4xf32>, " \
	"tensor<3x4xf32>) -> tensor<5x3xf32>\n" \
	"  %e = \"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 2, 1>}> ({\n" \
	"  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    stablehlo.return %p : tensor<f32>\n  }) : (tensor<5x4xf32>, tensor<f32>) -> " \
	"tensor<4x4xf32>\n  %f = stablehlo.slice %a [0:4:2, 1:3] : (tensor<5x4xf32>) -> tensor<2x2xf32>\n" \
	"  %h = stablehlo.custom_call @\"a target\"(%a) {backend_config = \"cfg\", has_side_effect = true, called_computations = " \
	"[@main], operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], " \
	"output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, " \
	"operand_tuple_indices = []>], mhlo.x = {y = \"z\"}} : (tensor<5x4xf32>) -> tensor<5x4xf32>\n" \
	"  return %c : tensor<1x4x4x6xf32>\n}\n"

static void test_structs(void **state)
{
	static const char text[] = STRUCTS;
	char *whole = malloc(sizeof text + 128);
	const char *at = strstr(text, "  %e = ");
	(void)state;
	assert_true(whole && at);
	sprintf(whole, "%.*s  %%z = stablehlo.constant dense<1.0> : tensor<f32>\n%s", (int)(at - text), text, at);
	check_all(whole);
	free(whole);
}

static void test_dtypes(void **state)
{
	static const struct { const char *type, *splat, *list, *lowest; } types[] = {
		{ "i1", "true", "true, false, true", "0.9.0" }, { "i2", "-1", "1, -2, 0", "1.2.0" }, { "i4", "-8", "7, -8, 1", "0.9.0" },
		{ "i8", "-1", "1, -2, 3", "0.9.0" }, { "i16", "-1", "1, -2, 3", "0.9.0" }, { "i32", "-1", "1, -2, 3", "0.9.0" },
		{ "i64", "-1", "1, -2, 3", "0.9.0" }, { "ui2", "3", "1, 2, 3", "1.2.0" }, { "ui4", "15", "1, 2, 15", "0.9.0" },
		{ "ui8", "255", "1, 2, 255", "0.9.0" }, { "ui16", "7", "1, 2, 3", "0.9.0" }, { "ui32", "7", "1, 2, 3", "0.9.0" },
		{ "ui64", "7", "1, 2, 3", "0.9.0" }, { "f16", "1.5", "1.0, -2.0, 0x7E01", "0.9.0" },
		{ "bf16", "1.5", "1.0, -2.0, 3.0", "0.9.0" }, { "f32", "0x7FC00001", "1.0, -0.0, 3.0", "0.9.0" },
		{ "f64", "0.1", "1.0, -2.0, 0.3", "0.9.0" }, { "f8E4M3FN", "1.0", "1.0, -2.0, 0.5", "0.9.0" },
		{ "f8E5M2", "1.0", "1.0, -2.0, 0.5", "0.9.0" }, { "f8E4M3FNUZ", "1.0", "1.0, -2.0, 0.5", "0.10.0" },
		{ "f8E5M2FNUZ", "1.0", "1.0, -2.0, 0.5", "0.10.0" }, { "f8E4M3B11FNUZ", "1.0", "1.0, -2.0, 0.5", "0.11.0" },
		{ "f8E3M4", "1.0", "1.0, -2.0, 0.5", "1.7.0" }, { "f8E4M3", "1.0", "1.0, -2.0, 0.5", "1.7.0" },
		{ "f4E2M1FN", "1.0", "1.0, -2.0, 0.5", "1.8.0" }, { "f6E2M3FN", "1.0", "1.0, -2.0, 0.5", "1.8.0" },
		{ "f6E3M2FN", "1.0", "1.0, -2.0, 0.5", "1.8.0" }, { "f8E8M0FNU", "1.0", "1.0, 2.0, 0.5", "1.8.0" },
		{ "complex<f32>", "(1.0, -2.0)", "(1.0, 2.0), (3.0, 4.0), (0.0, -1.0)", "0.9.0" },
		{ "complex<f64>", "(1.0, -2.0)", "(1.0, 2.0), (3.0, 4.0), (0.0, -1.0)", "0.9.0" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		char text[2048];
		const char *t = types[i].type;
		snprintf(text, sizeof text, "func.func @main() -> tensor<3x%s> {\n  %%0 = stablehlo.constant dense<%s> : tensor<9x%s>\n"
			"  %%1 = stablehlo.constant dense<[%s]> : tensor<3x%s>\n  %%2 = stablehlo.constant dense<%s> : tensor<%s>\n"
			"  %%3 = stablehlo.constant dense<%s> : tensor<1x%s>\n  %%4 = stablehlo.constant dense<> : tensor<0x%s>\n"
			"  return %%1 : tensor<3x%s>\n}\n", t, types[i].splat, t, types[i].list, t, types[i].splat, t, types[i].splat, t, t, t);
		check_same(text, types[i].lowest, types[i].lowest);
		check_same(text, "1.20.0", "1.20.0");
	}
}

/* Elements that are copied in pieces: more than fit among the bytes of their entry. */
static void test_large(void **state)
{
	static const char *const types[] = { "i1", "i2", "i4", "f6E2M3FN", "i8", "f32" };
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		Context *c = context_new();
		DType d;
		int64_t n = 50001;
		size_t bytes;
		const char *why = "";
		Arena *a = arena_new();
		assert_true(dtype_parse(types[i], strlen(types[i]), &d) && dtype_packed_bytes(d, n, &bytes));
		uint8_t *flat = mem_zalloc((size_t)n * dtype_size(d)), *packed = mem_zalloc(bytes);
		int64_t *v = mem_alloc((size_t)n * sizeof *v);
		for (int64_t k = 0; k < n; k++)
			v[k] = (k * 7 + k / 3) % 2;
		if (dtype_is_float(d)) {
			for (int64_t k = 0; k < n; k++)
				flat[k * (int64_t)dtype_size(d)] = (uint8_t)(v[k] << 2 | (k & 3));
		} else {
			dtype_store_i64(d, flat, n, v);
		}
		dtype_pack(d, flat, n, packed);
		Module *m = parse(c, "func.func @main() {\n  return\n}\n");
		const Type *t = type_tensor_of(c, d, 1, &n);
		NamedAttr value = { str(c, "value"), attr_tensor(c, t, blob_heap(c, packed, bytes)) };
		const char *name = "stablehlo.constant";
		op_new(m->main->body, m->main->body->first, &(OpSpec){ .def = op_def_find(c, name, strlen(name)), .types = &t, .nresults = 1,
			.attrs = &value, .nattrs = 1 });
		Buf b = { 0 };
		assert_true(mlirbc_encode(m, &b, &(WriteOptions){ 0 }, &c->diags));
		Module *back = read_back(c, &b);
		if (!modules_alike(m, back, a, &why))
			fail_msg("%s: %s", types[i], why);
		mem_free(flat);
		mem_free(v);
		arena_free(a);
		context_free(c);
	}
}

/* ---- versions ---- */

#define BODY(args, results, ops) "func.func @main(" args ") -> " results " {\n" ops "\n}\n"
#define QUANT "tensor<2x!quant.uniform<u8<1:200>:f32:0, {0.5, 2.0:3}>>"
#define ACCURACY "#stablehlo.result_accuracy<atol = 1.0e-05, rtol = 0.0, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>"
#define SUM "{\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n%s = stablehlo.add %p, %q : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}"

static const struct { const char *text, *lowest, *before, *says; } news[] = {
	{ BODY("%a: tensor<2xf32>", "tensor<2xf32>", "%0 = stablehlo.tan %a : tensor<2xf32>\nreturn %0 : tensor<2xf32>"), "1.4.0",
		"1.3.0", "stablehlo.tan: the op needs StableHLO 1.4.0" },
	{ BODY("%a: " QUANT, QUANT, "return %a : " QUANT), "1.0.0", "0.17.0", "quantised per axis needs StableHLO 0.18.0" },
	{ BODY("%a: tensor<2xf32>", "tensor<2xf32>", "%0 = stablehlo.exponential %a {result_accuracy = " ACCURACY "} : tensor<2xf32>\n"
		"return %0 : tensor<2xf32>"), "1.9.0", "1.8.0", "result_accuracy needs StableHLO 1.9.0" },
	{ BODY("%a: tensor<2xf32>", "tensor<2xf32>", "%0 = stablehlo.tanh %a {result_accuracy = " ACCURACY "} : tensor<2xf32>\n"
		"return %0 : tensor<2xf32>"), "1.10.0", "1.9.0", "attribute result_accuracy needs StableHLO 1.10.0" },
	{ BODY("%a: tensor<2xf32>", "tensor<2xf32>", "%0 = stablehlo.custom_call @f(%a) {backend_config = {k = 1 : i32}, api_version = 4 : "
		"i32} : (tensor<2xf32>) -> tensor<2xf32>\nreturn %0 : tensor<2xf32>"), "1.3.0", "1.2.0",
		"backend_config as a dictionary needs StableHLO 1.3.0" },
	{ BODY("%a: tensor<2xf32>, %b: tensor<2xf32>", "tensor<2xf32>", "%0:2 = \"stablehlo.all_reduce\"(%a, %b) <{replica_groups = "
		"dense<[[0, 1]]> : tensor<1x2xi64>}> (" SUM ") : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"
		"return %0#0 : tensor<2xf32>"), "1.5.0", "1.4.0", "more than one operand needs StableHLO 1.5.0" },
	{ BODY("%a: tensor<2x2xf32>", "tensor<2x2xf32>", "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = "
		"<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, "
		"rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, "
		"tensor<2x2xf32>) -> tensor<2x2xf32>\nreturn %0 : tensor<2x2xf32>"), "1.6.0", "1.5.0",
		"the algorithm of a dot needs StableHLO 1.6.0" },
	{ BODY("%a: tensor<3x4xf32>, %i: tensor<3x1xi32>", "tensor<3x1xf32>", "%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = "
		"#stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], "
		"index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x4xf32>, tensor<3x1xi32>) -> tensor<3x1xf32>\n"
		"return %0 : tensor<3x1xf32>"), "1.1.0", "1.0.0", "attribute operand_batching_dims needs StableHLO 1.1.0" },
	{ BODY("%a: tensor<?xf32, #stablehlo.bounds<4>>", "tensor<?xf32, #stablehlo.bounds<4>>", "return %a : tensor<?xf32, "
		"#stablehlo.bounds<4>>"), "1.0.0", NULL, NULL },
	{ BODY("%a: !stablehlo.future<tensor<?xf32>>", "!stablehlo.future<tensor<?xf32>>", "return %a : !stablehlo.future<tensor<?xf32>>"),
		"1.15.0", "1.14.0", "type future needs StableHLO 1.15.0" },
	{ BODY("%a: memref<2xf32>", "tuple<memref<2xf32>, !stablehlo.token>", "%0 = stablehlo.create_token : !stablehlo.token\n"
		"%1 = stablehlo.tuple %a, %0 : tuple<memref<2xf32>, !stablehlo.token>\nreturn %1 : tuple<memref<2xf32>, "
		"!stablehlo.token>"), "1.13.0", "1.12.0", "a buffer needs StableHLO 1.13.0" },
};

static void test_versions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(news); i++) {
		check_same(news[i].text, NULL, news[i].lowest);
		check_same(news[i].text, "1.20.0", "1.20.0");
		if (news[i].before)
			check_refused(news[i].text, news[i].before, news[i].says);
	}
}

static void test_refused(void **state)
{
	(void)state;
	check_refused(BODY("%a: tensor<2xf32>", "tensor<2xf32>", "%0 = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>\n"
		"return %0 : tensor<2xf32>"), NULL, "chlo.erf: the op is none of StableHLO");
	check_refused(BODY("%a: tensor<2x!hone.str>", "tensor<2x!hone.str>", "return %a : tensor<2x!hone.str>"), NULL,
		"StableHLO has no strings");
	check_refused("module {\n  other.mesh @m = 2\n  func.func @main() {\n    return\n  }\n}\n", NULL,
		"ops beside functions that have no portable form");
	check_refused("func.func @main() {\n  return\n}\n", "1.0", "no version of StableHLO");
	check_refused("func.func @main() {\n  return\n}\n", "0.8.0", "cannot be written");
	check_refused("func.func @main() {\n  return\n}\n", "99999999999.0.0", "no version of StableHLO");
	check_refused(BODY("%a: tensor<2xf32>", "tensor<2xf32>", "%0 = \"stablehlo.iota\"() : () -> tensor<2xf32>\n"
		"return %0 : tensor<2xf32>"), NULL, "attribute iota_dimension is missing");
}

/* ---- comparing ---- */

static void check_differ(const char *a, const char *b, const char *want)
{
	Context *c = context_new();
	Arena *arena = arena_new();
	const char *why = NULL;
	assert_false(modules_alike(parse(c, a), parse(c, b), arena, &why));
	if (!strstr(why, want))
		fail_msg("expected '%s', got '%s'", want, why);
	arena_free(arena);
	context_free(c);
}

static void check_alike(const char *a, const char *b)
{
	Context *c = context_new();
	Arena *arena = arena_new();
	const char *why = NULL;
	if (!modules_alike(parse(c, a), parse(c, b), arena, &why))
		fail_msg("%s", why);
	arena_free(arena);
	context_free(c);
}

#define ADD(type, attrs) BODY("%a: tensor<" type "xf32>, %b: tensor<" type "xf32>", "tensor<" type "xf32>", \
	"%0 = stablehlo.add %a, %b" attrs " : tensor<" type "xf32>\nreturn %0 : tensor<" type "xf32>")

static void test_compare(void **state)
{
	(void)state;
	check_alike(ADD("2", ""), "func.func @main(%q: tensor<2xf32>, %r: tensor<2xf32>) -> tensor<2xf32> {\n"
		"  %s = stablehlo.add %q, %r : tensor<2xf32> loc(\"x\")\n  return %s : tensor<2xf32>\n}\n");
	check_alike(ADD("?", ""), ADD("?", ""));
	check_alike(ADD("2", " {x.y = #z<a, 1.50>}"), ADD("2", " {x.y = #z<a,  1.5>}"));
	check_alike(ADD("2", " {x.y = dense<1> : tensor<2xi64>}"), ADD("2", " {x.y = array<i64: 1, 1>}"));
	check_differ(ADD("2", ""), ADD("3", ""), "type");
	check_differ(ADD("2", ""), ADD("?", ""), "type");
	check_differ(ADD("2", " {x.y = 1 : i32}"), ADD("2", ""), "attribute \"x.y\" differs");
	check_differ(ADD("2", " {x.y = 1 : i32}"), ADD("2", " {x.y = 1 : i64}"), "attribute \"x.y\" differs");
	check_differ(ADD("2", " {x.y = \"a b\"}"), ADD("2", " {x.y = \"ab\"}"), "attribute \"x.y\" differs");
	check_differ(ADD("2", " {x.y = #z<\"a b\">}"), ADD("2", " {x.y = #z<\"ab\">}"), "attribute \"x.y\" differs");
	check_differ(ADD("2", ""), BODY("%a: tensor<2xf32>, %b: tensor<2xf32>", "tensor<2xf32>",
		"%0 = stablehlo.add %b, %a : tensor<2xf32>\nreturn %0 : tensor<2xf32>"), "operand 0 is another value");
	check_differ(ADD("2", ""), BODY("%a: tensor<2xf32>, %b: tensor<2xf32>", "tensor<2xf32>",
		"%0 = stablehlo.multiply %a, %b : tensor<2xf32>\nreturn %0 : tensor<2xf32>"), "stablehlo.multiply");
	check_differ(ADD("2", ""), "func.func @other() {\n  return\n}\n", "other");
	check_differ("func.func private @f(tensor<f32>)\n", "func.func private @f(tensor<f64>)\n", "type");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_functions), cmocka_unit_test(test_regions),
		cmocka_unit_test(test_nested), cmocka_unit_test(test_structs), cmocka_unit_test(test_dtypes), cmocka_unit_test(test_large),
		cmocka_unit_test(test_versions), cmocka_unit_test(test_refused), cmocka_unit_test(test_compare),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

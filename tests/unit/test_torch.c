/* torch-onnx text and parameter archives: floats as MLIR prints them, archives that come back, broken files that are
 * refused. What is read and written is in tests/golden/torch-onnx. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/mlir/torch_write.h"

static const char *float_text(DType d, uint64_t bits)
{
	static char text[128];
	Buf b = { 0 };
	torch_float(&b, d, bits);
	snprintf(text, sizeof text, "%s", b.data);
	buf_free(&b);
	return text;
}

/* As mlir-opt prints them. */
static void test_floats(void **state)
{
	static const struct { float x; const char *text; } rows[] = {
		{ 0.0f, "0.000000e+00" }, { -0.0f, "-0.000000e+00" }, { 1.0f, "1.000000e+00" }, { 0.1f, "1.000000e-01" },
		{ 1e-5f, "9.99999974E-6" }, { 0.01f, "0.00999999977" }, { 123456789.0f, "0x4CEB79A3" }, { 65504.0f, "6.550400e+04" },
		{ 1.76405239f, "1.76405239" }, { -0.977277875f, "-0.977277874" }, { 3.40282347e+38f, "3.40282347E+38" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(float_text(DT_F32, double_to_bits(DT_F32, (double)rows[i].x)), rows[i].text);
	assert_string_equal(float_text(DT_F32, 0x7F800000), "0x7F800000");
	assert_string_equal(float_text(DT_F32, 0x7FC00000), "0x7FC00000");
	assert_string_equal(float_text(DT_F16, 0x7BFF), "6.550400e+04");
	assert_string_equal(float_text(DT_BF16, 0x3F80), "1.000000e+00");
}

/* Every float of a type reads back from its text. */
static void test_floats_return(void **state)
{
	static const DType types[] = { DT_F16, DT_BF16, DT_F8E4M3FN, DT_F8E5M2, DT_F8E4M3FNUZ, DT_F8E5M2FNUZ };
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(types); k++)
		for (uint64_t bits = 0; bits < 1u << dtype_bits(types[k]); bits++) {
			const char *s = float_text(types[k], bits);
			double x;
			if (s[0] == '0' && s[1] == 'x') {
				assert_int_equal(strtoull(s, NULL, 16), bits);
				continue;
			}
			assert_true(parse_double(s, strlen(s), &x));
			assert_int_equal(double_to_bits(types[k], x), bits);
		}
}

static const Attr *tensor(Context *c, DType d, int64_t n, const void *data, size_t bytes)
{
	return attr_tensor(c, type_tensor_of(c, d, 1, &n), blob_copy(c, data, bytes));
}

static void assert_same_elements(Context *c, const Attr *a, const Attr *b)
{
	EvalCtx e;
	eval_init(&e, c, &c->diags);
	assert_non_null(a);
	assert_ptr_equal(a->u.tensor.type, b->u.tensor.type);
	const Tensor *x = tensor_from_attr(&e, a), *y = tensor_from_attr(&e, b);
	assert_int_equal(x->count, y->count);
	for (int64_t i = 0; i < x->count; i++)
		assert_true(tensor_get_f64(x, i) == tensor_get_f64(y, i));
	eval_release(&e);
}

static void test_archive(void **state)
{
	char path[] = "/tmp/hone-test-XXXXXX";
	const float f[] = { 1, 2, 3 }, splat = 7;
	const int64_t n = 1000, odd = 203, wide = -5;
	const uint8_t three = 3;
	const uint8_t nibbles[] = { 0x21, 0x03 };
	Context *c = context_new();
	Arena *a = arena_new();
	Map index;
	(void)state;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	const NamedAttr params[] = {
		{ str(c, "a/b"), tensor(c, DT_F32, 3, f, sizeof f) },
		{ str(c, "s"), attr_tensor(c, type_tensor_of(c, DT_F32, 1, &n), blob_splat(c, DT_F32, &splat)) },
		{ str(c, "w"), attr_tensor(c, type_tensor_of(c, DT_I64, 1, &n), blob_splat(c, DT_I64, &wide)) },
		{ str(c, "4"), attr_tensor(c, type_tensor_of(c, DT_U4, 1, &odd), blob_splat(c, DT_U4, &three)) },
		{ str(c, ""), tensor(c, DT_I4, 3, nibbles, 2) },
		{ str(c, "none"), tensor(c, DT_F64, 0, NULL, 0) },
	};
	assert_true(irpa_write(params, ARRAY_LEN(params), path, &c->diags));
	MappedFile *file = file_map(path, &c->diags);
	assert_non_null(file);
	map_init(&index, a);
	assert_true(irpa_index(c, file, a, &index));
	for (size_t i = 0; i < ARRAY_LEN(params); i++) {
		const Param *p = map_get(&index, MAP_PTR(params[i].name));
		assert_non_null(p);
		assert_same_elements(c, param_tensor(c, file, p, params[i].value->u.tensor.type), params[i].value);
	}
	const int64_t four = 4;
	assert_null(param_tensor(c, file, map_get(&index, MAP_PTR(params[0].name)), type_tensor_of(c, DT_F32, 1, &four)));
	/* Cut anywhere or with any byte of the tables changed it is refused or read, but never beyond its end. */
	uint8_t *copy = malloc(file->len);
	for (size_t i = 0; i < 512; i++) {
		MappedFile cut = { .path = path, .fd = -1, .data = copy, .len = i < 256 ? i : file->len, .refs = 1 };
		memcpy(copy, file->data, file->len);
		if (i >= 256)
			copy[i - 256] ^= 0xff;
		map_init(&index, a);
		bool ok = irpa_index(c, &cut, a, &index);
		assert_true(i >= 256 || !ok);
		for (uint32_t k = 0; k < index.len; k++) {
			const Param *p = index.entries[k].value;
			assert_true(p->unit_len || (p->offset <= cut.len && p->len <= cut.len - p->offset));
		}
	}
	free(copy);
	file_unref(file);
	unlink(path);
	arena_free(a);
	context_free(c);
}

/* Texts that are cut at every place are errors with a message, never more. */
static void test_cut_text(void **state)
{
	static const char text[] = "module {\n"
		"  func.func @\"a-b\"(%arg0: !torch.vtensor<[?,3],f32>, %arg1: !torch.optional<list<vtensor<[],si64>>>) -> "
		"(!torch.vtensor<[?,3],f32>) attributes {torch.onnx_meta.opset_version = 17 : si64} {\n"
		"    %none = torch.constant.none\n"
		"    %0:2 = torch.operator \"onnx.Foo\"(%arg0, %none) {torch.onnx.a = [1 : si64], torch.onnx.t = dense<[1, 2]> : "
		"tensor<2xsi64>} : (!torch.vtensor<[?,3],f32>, !torch.none) -> (!torch.vtensor<[?,3],f32>, !torch.none) {\n"
		"    ^bb0(%arg2: !torch.vtensor<[],i1>):\n"
		"      torch.operator_terminator %arg2 : !torch.vtensor<[],i1>\n"
		"    }\n"
		"    return %0#0 : !torch.vtensor<[?,3],f32>\n  }\n}\n";
	(void)state;
	for (size_t n = 0; n <= strlen(text); n++) {
		Context *c = context_new();
		char *copy = malloc(n + 1);
		memcpy(copy, text, n);
		Module *m = mlir_parse(c, "cut", (Bytes){ (const uint8_t *)copy, n });
		bool whole = n + 1 >= strlen(text);
		assert_true(whole ? m != NULL : m == NULL);
		assert_true(whole || c->diags.list.len > 0);
		if (m)
			module_free(m);
		context_free(c);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_floats),
		cmocka_unit_test(test_floats_return),
		cmocka_unit_test(test_archive),
		cmocka_unit_test(test_cut_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

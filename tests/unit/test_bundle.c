/* Bundles and files of weights: what is read, and that damaged, hostile or foreign files give diagnostics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/bundle/bundle.h"

typedef struct Bench {
	Context *ctx;
	char dir[64];
} Bench;

static int setup(void **state)
{
	Bench *b = calloc(1, sizeof *b);
	b->ctx = context_new();
	strcpy(b->dir, "/tmp/hone-test-XXXXXX");
	*state = b;
	return mkdtemp(b->dir) == NULL;
}

static int teardown(void **state)
{
	Bench *b = *state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", b->dir);
	int rc = system(command);
	context_free(b->ctx);
	free(b);
	return rc;
}

static const char *path_in(Bench *b, const char *name)
{
	return arena_printf(b->ctx->arena, "%s/%s", b->dir, name);
}

static void put(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	fclose(f);
}

static void put_text(const char *path, const char *s)
{
	put(path, s, strlen(s));
}

static void expect_error(Bench *b, const char *part)
{
	Diags *d = &b->ctx->diags;
	bool found = false;
	for (size_t i = 0; i < d->list.len; i++)
		found |= strstr(d->list.data[i].message, part) != NULL;
	if (!found)
		fail_msg("no message holds: %s; first is: %s", part, d->list.len ? d->list.data[0].message : "none");
	d->list.len = 0;
	d->status = HONE_OK;
}

/* ---- safetensors ---- */

static Buf safetensors(const char *header, const char *data)
{
	Buf b = {0};
	uint8_t length[8] = {(uint8_t)strlen(header)};
	buf_put(&b, length, 8);
	buf_puts(&b, header);
	buf_puts(&b, data);
	return b;
}

static void refuse_safetensors(Bench *b, const char *header, const char *data, const char *message)
{
	Buf f = safetensors(header, data);
	const char *path = path_in(b, "w.safetensors");
	NamedAttr *list;
	size_t n;
	put(path, f.data, f.len);
	assert_false(weights_read(b->ctx, path, b->ctx->arena, &list, &n));
	expect_error(b, message);
	buf_free(&f);
}

static void test_safetensors_refused(void **state)
{
	Bench *b = *state;
	refuse_safetensors(b, "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", "abc", "the file is cut");
	refuse_safetensors(b, "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[1,4]}}", "abcd", "data begins at byte 1");
	refuse_safetensors(b, "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", "abc", "tensors have 2 bytes");
	refuse_safetensors(b, "{\"a\":{\"dtype\":\"F64\",\"shape\":[9223372036854775807,9],\"data_offsets\":[0,2]}}", "ab", "overflows");
	refuse_safetensors(b, "{\"a\":{\"dtype\":\"F64\",\"shape\":[-1],\"data_offsets\":[0,2]}}", "ab", "no number of 0 or more");
	refuse_safetensors(b, "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,2]}}", "ab", "4 bytes of f32 expected");
	refuse_safetensors(b, "{\"a\":{\"dtype\":\"Q9\",\"shape\":[1],\"data_offsets\":[0,2]}}", "ab", "unknown dtype");
	refuse_safetensors(b, "{\"a\":3}", "", "no object");
	refuse_safetensors(b, "{\"a\":", "", "no JSON");
	refuse_safetensors(b, "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"b\":{\"dtype\":\"U8\",\"shape\":[1],"
		"\"data_offsets\":[0,1]}}", "x", "data begins at byte 0, the one before ends at 1");
	NamedAttr *list;
	size_t n;
	put(path_in(b, "long.safetensors"), "\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10);
	assert_false(weights_read(b->ctx, path_in(b, "long.safetensors"), b->ctx->arena, &list, &n));
	expect_error(b, "the limit is");
	put(path_in(b, "model.pt"), "\x80\x02}q", 4);
	assert_false(weights_read(b->ctx, path_in(b, "model.pt"), b->ctx->arena, &list, &n));
	assert_non_null(strstr(b->ctx->diags.list.data[0].hint, "never loaded"));
	expect_error(b, "no file of weights");
}

static void test_safetensors_round_trip(void **state)
{
	Bench *b = *state;
	Context *c = b->ctx;
	const uint8_t three[] = {1, 2, 3}, one = 7;
	NamedAttr w[] = {
		{str(c, "x"), attr_tensor(c, type_tensor_of(c, DT_U8, 1, (int64_t[]){3}), blob_copy(c, three, 3))},
		{str(c, "fill"), attr_tensor(c, type_tensor_of(c, DT_U8, 2, (int64_t[]){2, 3000}), blob_splat(c, DT_U8, &one))},
		{str(c, "bits"), attr_tensor(c, type_tensor_of(c, DT_F4E2M1, 1, (int64_t[]){5}), blob_copy(c, three, 3))},
		{str(c, "none"), attr_tensor(c, type_tensor_of(c, DT_F32, 2, (int64_t[]){0, 3}), blob_copy(c, NULL, 0))},
	};
	NamedAttr *list;
	size_t n;
	const char *path = path_in(b, "w.safetensors");
	assert_true(safetensors_write(w, 4, path, &c->diags));
	assert_true(weights_read(c, path, c->arena, &list, &n));
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			if (list[i].name == w[k].name)
				assert_ptr_equal(list[i].value->u.tensor.type, w[k].value->u.tensor.type);
	assert_int_equal(list[1].value->u.tensor.blob->len, 6000);
	assert_int_equal(((const uint8_t *)list[1].value->u.tensor.blob->data)[5999], 7);
	assert_true(list[0].value->u.tensor.blob->kind == BLOB_MAPPED);
}

/* ---- FlatBuffers ---- */

/* A table with the name "f" (field 1), one platform (9) and four bytes of code (13). */
static Buf exported(Arena *a)
{
	FlatTable t = {.fields = EXPORTED_SCHEMA, .nfields = 27, .values = NEW_ARRAY(a, FlatValue, 27)};
	Buf b = {0};
	t.values[EXP_VERSION] = (FlatValue){.present = true, .number = 3};
	t.values[EXP_NAME] = (FlatValue){.present = true, .bytes = {(const uint8_t *)"f", 1}};
	t.values[EXP_PLATFORMS] = (FlatValue){.present = true, .strings = &(Bytes){(const uint8_t *)"cpu", 3}, .n = 1};
	t.values[EXP_MODULE] = (FlatValue){.present = true, .bytes = {(const uint8_t *)"ML\xefR", 4}, .n = 4};
	t.values[EXP_KEPT] = (FlatValue){.present = true, .bytes = {(const uint8_t *)"\0\0", 2}, .n = 1};
	assert_true(flat_write(&t, &b));
	return b;
}

static void test_flat(void **state)
{
	Bench *b = *state;
	Arena *a = b->ctx->arena;
	Buf whole = exported(a);
	FlatTable *t = flat_read((Bytes){(const uint8_t *)whole.data, whole.len}, EXPORTED_SCHEMA, "f", a, &b->ctx->diags);
	assert_non_null(t);
	assert_int_equal(flat_get(t, EXP_NAME)->bytes.len, 1);
	assert_int_equal(flat_get(t, EXP_MODULE)->n, 4);
	assert_false(flat_get(t, EXP_VJP)->present);
	assert_true(exported_sniff((Bytes){(const uint8_t *)whole.data, whole.len}, "f") > 50);
	for (size_t n = 0; n + 4 < whole.len; n++) { /* the last bytes are padding */
		uint8_t *copy = malloc(n ? n : 1);
		memcpy(copy, whole.data, n);
		flat_read((Bytes){copy, n}, EXPORTED_SCHEMA, "cut", a, &b->ctx->diags);
		free(copy);
		if (n < 40)
			assert_true(b->ctx->diags.status == HONE_BAD_INPUT);
	}
	for (size_t i = 0; i < whole.len; i++) { /* whatever byte is wrong, nothing outside is touched */
		char old = whole.data[i];
		for (int v = 0; v < 256; v += 51) {
			whole.data[i] = (char)v;
			flat_read((Bytes){(const uint8_t *)whole.data, whole.len}, EXPORTED_SCHEMA, "bent", a, &b->ctx->diags);
		}
		whole.data[i] = old;
	}
	buf_free(&whole);
}

/* Two children that are one table, sixty levels deep, would be 2^60 tables. */
static void test_flat_shared(void **state)
{
	Bench *b = *state;
	enum { LEVELS = 60, WORDS = 5 };
	uint32_t w[2 + LEVELS * (WORDS + 3)] = {0};
	size_t at = 1;
	Diags d;
	diags_init(&d, b->ctx->arena);
	uint8_t *bytes = (uint8_t *)w;
	/* vtable: 8 bytes, table 8 bytes, kind absent, children at 4 */
	const uint16_t vtable[4] = {8, 8, 0, 4};
	w[0] = 4 * 3;
	memcpy(bytes + 4, vtable, 8);
	at = 3;
	for (int i = 0; i < LEVELS && at + 6 < ARRAY_LEN(w); i++) {
		w[at] = (uint32_t)(4 * at - 4); /* back to the vtable */
		w[at + 1] = 4;                  /* the list is next */
		w[at + 2] = 2;
		w[at + 3] = 8;
		w[at + 4] = 4;
		at += 5;
	}
	const FlatField *tree = EXPORTED_SCHEMA[EXP_IN_TREE].of;
	assert_null(flat_read((Bytes){bytes, sizeof(w)}, tree, "shared", b->ctx->arena, &d));
	assert_true(d.status == HONE_BAD_INPUT);
}

/* ---- directories of torch_xla ---- */

static const char CODE[] = "func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {\n"
	"  %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";

static void make_bundle(Bench *b, const char *type, const char *name)
{
	const char *sig = "{\"shape\": [2], \"dtype\": \"float32\", \"dynamic_dims\": []}";
	static const char *const folders[] = {"", "/functions", "/data", "/constants"};
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		mkdir(path_in(b, arena_printf(b->ctx->arena, "m%s", folders[i])), 0777);
	put_text(path_in(b, "m/functions/forward.mlir"), CODE);
	put_text(path_in(b, "m/functions/forward.meta"), arena_printf(b->ctx->arena, "{\"name\": \"forward\", "
		"\"input_signature\": [%s, %s], \"output_signature\": [%s], \"input_locations\": [{\"type_\": \"%s\", \"position\": 0, "
		"\"name\": \"%s\"}, {\"type_\": \"input_arg\", \"position\": 0, \"name\": \"\"}]}", sig, sig, sig, type, name));
	const float v[2] = {1, 2};
	const Attr *t = attr_tensor(b->ctx, type_tensor_of(b->ctx, DT_F32, 1, (int64_t[]){2}), blob_copy(b->ctx, v, sizeof(v)));
	assert_true(npy_write_attr(t, path_in(b, "m/data/w"), &b->ctx->diags));
	assert_true(npy_write_attr(t, path_in(b, "m/constants/0"), &b->ctx->diags));
	assert_true(npy_write_attr(t, path_in(b, "outside"), &b->ctx->diags));
}

static Module *read_bundle(Bench *b)
{
	return model_read(b->ctx, path_in(b, "m"), NULL);
}

static void test_directory(void **state)
{
	Bench *b = *state;
	make_bundle(b, "parameter", "w");
	Module *m = read_bundle(b);
	assert_non_null(m);
	assert_int_equal(m->main->body->nargs, 1);
	assert_int_equal(m->nweights, 1);
	const Attr *t = op_attr(m->main->body->first, A_value);
	assert_true(t->u.tensor.blob->kind == BLOB_MAPPED); /* in the file, not copied */
	make_bundle(b, "constant", "");
	m = read_bundle(b);
	assert_non_null(m);
	assert_int_equal(m->main->body->nargs, 1);
	WriteOptions o = {0};
	assert_true(model_write(m, path_in(b, "out/"), NULL, &o));
	assert_true(access(path_in(b, "out/constants/0"), R_OK) == 0);
	assert_true(access(path_in(b, "out/data/w"), R_OK) == 0); /* what nothing uses stays */
	assert_true(model_write(m, path_in(b, "m"), NULL, &o));   /* over the one that was read */
	assert_non_null(read_bundle(b));
}

static bool said(Bench *b, const char *part)
{
	Diags *d = &b->ctx->diags;
	bool found = false;
	for (size_t i = 0; i < d->list.len; i++)
		found |= strstr(d->list.data[i].message, part) != NULL;
	d->list.len = 0;
	return found;
}

/* The same code as bytecode and as text, another text, and a text that is none: the bytecode is taken. */
static void test_text_beside_bytecode(void **state)
{
	Bench *b = *state;
	Buf code = {0};
	make_bundle(b, "parameter", "w");
	Module *m = mlir_parse(b->ctx, "code", (Bytes){(const uint8_t *)CODE, sizeof CODE - 1});
	assert_true(m && mlirbc_encode(m, &code, &(WriteOptions){0}, &b->ctx->diags));
	put(path_in(b, "m/functions/forward.bytecode"), code.data, code.len);
	b->ctx->diags.list.len = 0;
	assert_non_null(read_bundle(b));
	assert_int_equal(b->ctx->diags.list.len, 0);
	put_text(path_in(b, "m/functions/forward.mlir"), "func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> "
		"tensor<2xf32> {\n  %0 = stablehlo.multiply %arg0, %arg1 : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n");
	m = read_bundle(b);
	assert_non_null(m);
	assert_true(op_is(m->main->body->last->prev, SHLO_add));
	assert_true(said(b, "differs from functions/forward.bytecode, which is taken, as torch_xla does"));
	put_text(path_in(b, "m/functions/forward.mlir"), "func.func @main(");
	assert_non_null(read_bundle(b));
	assert_true(said(b, "the text cannot be read"));
	assert_true(b->ctx->diags.status == HONE_OK);
	buf_free(&code);
}

static void test_directory_refused(void **state)
{
	Bench *b = *state;
	make_bundle(b, "parameter", "../../outside");
	assert_null(read_bundle(b));
	expect_error(b, "\"..\" is not allowed");
	make_bundle(b, "parameter", "missing");
	assert_null(read_bundle(b));
	expect_error(b, "no such file in this directory");
	make_bundle(b, "buffer", "w");
	assert_null(read_bundle(b));
	expect_error(b, "expected input_arg, parameter or constant");
	make_bundle(b, "parameter", "link");
	assert_int_equal(symlink(path_in(b, "outside"), path_in(b, "m/data/link")), 0);
	assert_null(read_bundle(b));
	expect_error(b, "a symbolic link leads out");
	make_bundle(b, "parameter", "w");
	const float v[3] = {1, 2, 3};
	const Attr *t = attr_tensor(b->ctx, type_tensor_of(b->ctx, DT_F32, 1, (int64_t[]){3}), blob_copy(b->ctx, v, sizeof(v)));
	assert_true(npy_write_attr(t, path_in(b, "m/data/w"), &b->ctx->diags));
	assert_null(read_bundle(b));
	expect_error(b, "is tensor<3xf32>, but argument 0");
	put_text(path_in(b, "m/functions/forward.meta"), "{\"name\": \"forward\", \"input_signature\": [], \"input_locations\": []}");
	assert_null(read_bundle(b));
	expect_error(b, "belong to different models");
	put_text(path_in(b, "m/functions/forward.meta"), "{\"name\": \"../forward\", \"input_locations\": [");
	assert_null(read_bundle(b));
	expect_error(b, "metadata is no JSON");
	put_text(path_in(b, "m/other"), "x");
	put_text(path_in(b, "file"), "x");
	WriteOptions o = {0};
	make_bundle(b, "parameter", "w");
	t = attr_tensor(b->ctx, type_tensor_of(b->ctx, DT_F32, 1, (int64_t[]){2}), blob_copy(b->ctx, v, 8));
	assert_true(npy_write_attr(t, path_in(b, "m/data/w"), &b->ctx->diags));
	Module *m = read_bundle(b);
	assert_non_null(m);
	assert_false(model_write(m, b->dir, NULL, &o)); /* a folder of other things */
	expect_error(b, "holds other things");
}

/* ---- names ---- */

static void test_names(void **state)
{
	Bench *b = *state;
	Context *c = b->ctx;
	Module *m = module_new(c);
	m->main = func_new(m, str(c, "main"));
	static const char *const names[] = {"v['params']['Dense_0']['kernel']", "v['params']['Dense_1']['kernel']", "x"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		block_add_arg(m->main->body, type_tensor_of(c, DT_F32, 0, NULL), str(c, names[i]));
	ArgNames n;
	arg_names_init(&n, m, c->arena);
	assert_int_equal(arg_names_find(&n, "x", false), 2);
	assert_int_equal(arg_names_find(&n, "params/Dense_1/kernel", false), 1);
	assert_int_equal(arg_names_find(&n, "state.v.params.Dense_0.kernel", false), 0);
	assert_int_equal(arg_names_find(&n, "kernel", false), ARG_SEVERAL);
	assert_int_equal(arg_names_find(&n, "rnel", false), ARG_NONE);
	assert_int_equal(arg_names_find(&n, "arg1", true), 1);
	assert_int_equal(arg_names_find(&n, "%arg1", true), 1);
	assert_int_equal(arg_names_find(&n, "2", true), 2);
	assert_int_equal(arg_names_find(&n, "3", true), ARG_NONE);
	assert_int_equal(arg_names_find(&n, "arg1", false), ARG_NONE);
	assert_string_equal(arg_names_near(&n, "v.params.Dense_0.kernal"), names[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_safetensors_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_safetensors_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_flat, setup, teardown),
		cmocka_unit_test_setup_teardown(test_flat_shared, setup, teardown),
		cmocka_unit_test_setup_teardown(test_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_text_beside_bytecode, setup, teardown),
		cmocka_unit_test_setup_teardown(test_directory_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* .npy and .npz files: what is read, what is refused and why, and that writing and reading back changes nothing. */
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
#include <zlib.h>

#include "format/tensor/tensor_int.h"

typedef struct Bench {
	Context *ctx;
	EvalCtx eval;
	char dir[64];
} Bench;

static int setup(void **state)
{
	Bench *b = calloc(1, sizeof *b);
	b->ctx = context_new();
	eval_init(&b->eval, b->ctx, &b->ctx->diags);
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
	eval_release(&b->eval);
	context_free(b->ctx);
	free(b);
	return rc;
}

static void forget_errors(Bench *b)
{
	b->ctx->diags.list.len = 0;
	b->ctx->diags.status = HONE_OK;
}

/* A file of the given version with `header` as it stands (length field in agreement) and data. */
static Buf npy_file(int major, const char *header, size_t header_len, const void *data, size_t data_len)
{
	Buf b = {0};
	buf_put(&b, "\x93NUMPY", 6);
	uint8_t start[] = {(uint8_t)major, 0, (uint8_t)header_len, (uint8_t)(header_len >> 8), (uint8_t)(header_len >> 16),
		(uint8_t)(header_len >> 24)};
	buf_put(&b, start, major == 1 ? 4 : 6);
	buf_put(&b, header, header_len);
	buf_put(&b, data, data_len);
	return b;
}

static Tensor *parse(Bench *b, const void *p, size_t n)
{
	/* A block of the exact size, so that a sanitizer sees a read beyond it. */
	uint8_t *exact = malloc(n > 0 ? n : 1);
	memcpy(exact, p, n);
	Tensor *t = npy_parse(&b->eval, (Bytes){exact, n}, "t.npy");
	free(exact);
	return t;
}

static void expect_refusal(Bench *b, Tensor *t, HoneStatus status, const char *text)
{
	assert_null(t);
	assert_int_equal(b->ctx->diags.list.len, 1);
	const Diag *d = &b->ctx->diags.list.data[0];
	if (d->status != status || strstr(d->message, text) == NULL)
		fail_msg("got status %d, \"%s\"; expected status %d, \"%s\"", (int)d->status, d->message, (int)status, text);
	forget_errors(b);
}

static void refused_bytes(Bench *b, const void *p, size_t n, HoneStatus status, const char *text)
{
	expect_refusal(b, parse(b, p, n), status, text);
}

static void refused_header(Bench *b, const char *header, HoneStatus status, const char *text)
{
	static const uint8_t data[64];
	Buf f = npy_file(1, header, strlen(header), data, sizeof data);
	refused_bytes(b, f.data, f.len, status, text);
	buf_free(&f);
}

static Tensor *accepted(Bench *b, int major, const char *header, const void *data, size_t n)
{
	Buf f = npy_file(major, header, strlen(header), data, n);
	Tensor *t = parse(b, f.data, f.len);
	if (t == NULL)
		fail_msg("%s: %s", header, b->ctx->diags.list.data[0].message);
	buf_free(&f);
	return t;
}

static void frames(void **state)
{
	Bench *b = *state;
	refused_bytes(b, "", 0, HONE_BAD_INPUT, "empty");
	refused_bytes(b, "\x93NUM", 4, HONE_BAD_INPUT, "ends inside");
	refused_bytes(b, "\x93NUMPZ\1\0\0\0", 10, HONE_BAD_INPUT, "wrong magic");
	refused_bytes(b, "PK\3\4aaaaaaaa", 12, HONE_BAD_INPUT, "zip archive");
	refused_bytes(b, "\x93NUMPY\0\0\2\0{}", 12, HONE_UNSUPPORTED, "version 0.0");
	refused_bytes(b, "\x93NUMPY\4\0\2\0{}", 12, HONE_UNSUPPORTED, "version 4.0");
	refused_bytes(b, "\x93NUMPY\1\0\3\0{}", 12, HONE_BAD_INPUT, "header needs 3 bytes, 2 present");
	refused_bytes(b, "\x93NUMPY\2\0\3\0", 10, HONE_BAD_INPUT, "inside the header length");
	refused_bytes(b, "\x93NUMPY\2\0\xff\xff\xff\xff{}", 14, HONE_LIMIT, "limit");
	char *huge = calloc(1, 70000);
	Buf f = npy_file(2, huge, 70000, "", 0);
	refused_bytes(b, f.data, f.len, HONE_LIMIT, "header of 70000 bytes");
	buf_free(&f);
	free(huge);
}

static void headers(void **state)
{
	Bench *b = *state;
	static const struct {
		const char *header;
		HoneStatus status;
		const char *text;
	} cases[] = {
		{"", HONE_BAD_INPUT, "not a plain dictionary at byte 10"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (16,)", HONE_BAD_INPUT, "not a plain dictionary"},
		{"{'descr': '<f4', 'fortran_order': False}", HONE_BAD_INPUT, "lacks the key 'shape'"},
		{"{}", HONE_BAD_INPUT, "lacks the key 'descr'"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (16,), 'x': 1}", HONE_BAD_INPUT, "unknown header key"},
		{"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (16,)}", HONE_BAD_INPUT, "duplicate"},
		{"{'descr': '<f4' 'fortran_order': False, 'shape': (16,)}", HONE_BAD_INPUT, "plain dictionary at byte 26"},
		{"{'descr': '<f4',, 'fortran_order': False, 'shape': (16,)}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'descr': __import__('os'), 'fortran_order': False, 'shape': (16,)}", HONE_BAD_INPUT,
			"plain dictionary at byte 20"},
		{"__import__('os').system('id')", HONE_BAD_INPUT, "plain dictionary at byte 10"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2*8,)}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': ((((1))))}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (16)}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': [16]}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", HONE_BAD_INPUT, "negative dimension"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", HONE_BAD_INPUT, "out of range"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", HONE_BAD_INPUT, "overflows"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}", HONE_BAD_INPUT, "overflows"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
			"1,1,16)}", HONE_LIMIT, "more than 32"},
		{"{'descr': '|O', 'fortran_order': False, 'shape': (8,)}", HONE_UNSUPPORTED, "pickled objects are never loaded"},
		{"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (16,)}", HONE_UNSUPPORTED, "structured"},
		{"{'descr': '|V4', 'fortran_order': False, 'shape': (16,)}", HONE_UNSUPPORTED, "unsupported dtype \"|V4\""},
		{"{'descr': '<U8', 'fortran_order': False, 'shape': (2,)}", HONE_UNSUPPORTED, "unsupported dtype"},
		{"{'descr': '<M8', 'fortran_order': False, 'shape': (8,)}", HONE_UNSUPPORTED, "unsupported dtype"},
		{"{'descr': '<f3', 'fortran_order': False, 'shape': (8,)}", HONE_UNSUPPORTED, "unsupported dtype"},
		{"{'descr': '=f4', 'fortran_order': False, 'shape': (16,)}", HONE_UNSUPPORTED, "unsupported dtype"},
		{"{'descr': '|f4', 'fortran_order': False, 'shape': (16,)}", HONE_UNSUPPORTED, "unsupported dtype"},
		{"{'descr': '<V2', 'fortran_order': False, 'shape': (32,)}", HONE_UNSUPPORTED, "unsupported dtype"},
		{"{'descr': '<f4', 'fortran_order': 1, 'shape': (16,)}", HONE_BAD_INPUT, "neither True nor False"},
		{"{'descr': '<f4', 'fortran_order': None, 'shape': (16,)}", HONE_BAD_INPUT, "neither True nor False"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (16,)} + 1", HONE_BAD_INPUT, "plain dictionary"},
		{"{'d\xe9scr': '<f4', 'fortran_order': False, 'shape': (16,)}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'d\\x65scr': '<f4', 'fortran_order': False, 'shape': (16,)}", HONE_BAD_INPUT, "plain dictionary"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (17,)}", HONE_BAD_INPUT, "data needs 68 bytes, 64 present"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (15,)}", HONE_BAD_INPUT, "data needs 60 bytes, 64 present"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", HONE_BAD_INPUT, "data needs 4 bytes, 64 present"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		refused_header(b, cases[i].header, cases[i].status, cases[i].text);

	char deep[20100] = "{'shape': ";
	memset(deep + strlen(deep), '(', 20000);
	refused_header(b, deep, HONE_BAD_INPUT, "plain dictionary");
	const char bad_utf8[] = "{'descr': '\xff\xfe', 'fortran_order': False, 'shape': (1,)}";
	Buf f = npy_file(3, bad_utf8, sizeof bad_utf8 - 1, "", 0);
	refused_bytes(b, f.data, f.len, HONE_BAD_INPUT, "plain dictionary");
	buf_free(&f);
}

static void odd_but_valid(void **state)
{
	Bench *b = *state;
	const float two[] = {1.5f, -2};
	Tensor *t = accepted(b, 1, "{\"shape\":(2L,) , 'fortran_order':False,'descr':\"<f4\"}", two, sizeof two);
	assert_int_equal(t->rank, 1);
	assert_true(tensor_get_f64(t, 1) == -2);
	tensor_unref(t);
	t = accepted(b, 3, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, ), }  \n", two, sizeof two);
	assert_int_equal(t->rank, 2);
	tensor_unref(t);
	t = accepted(b, 2, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", two, 4);
	assert_int_equal(t->rank, 0);
	assert_int_equal(t->count, 1);
	tensor_unref(t);
	t = accepted(b, 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (0, 4611686018427387904)}", two, 0);
	assert_int_equal(t->count, 0);
	tensor_unref(t);
	t = accepted(b, 1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", "\0\1\7", 3);
	assert_int_equal(tensor_get_i64(t, 2), 1);
	tensor_unref(t);
}

static void big_endian(void **state)
{
	Bench *b = *state;
	Tensor *t = accepted(b, 1, "{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", "\x3f\xc0\0\0\xc0\0\0\0", 8);
	assert_true(tensor_get_f64(t, 0) == 1.5 && tensor_get_f64(t, 1) == -2);
	tensor_unref(t);
	t = accepted(b, 1, "{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", "\1\2\xff\xfe", 4);
	assert_int_equal(tensor_get_i64(t, 0), 258);
	assert_int_equal(tensor_get_i64(t, 1), -2);
	tensor_unref(t);
	/* Both halves of a complex number are swapped, each on its own. */
	t = accepted(b, 1, "{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}", "\x3f\xc0\0\0\xc0\0\0\0", 8);
	assert_true(((const float *)t->data)[0] == 1.5f && ((const float *)t->data)[1] == -2);
	tensor_unref(t);
	t = accepted(b, 1, "{'descr': '>u1', 'fortran_order': False, 'shape': (1,)}", "\xfe", 1);
	assert_int_equal(tensor_get_i64(t, 0), 254);
	tensor_unref(t);
}

/* Column-major data of 2 x 3 x 500: element (i, j, k) holds 3000 i + 1000 j + k; larger than one block. */
static void fortran_order(void **state)
{
	Bench *b = *state;
	static int32_t data[2 * 3 * 500];
	for (int k = 0; k < 500; k++)
		for (int j = 0; j < 3; j++)
			for (int i = 0; i < 2; i++)
				data[i + 2 * (j + 3 * k)] = 3000 * i + 1000 * j + k;
	Tensor *t = accepted(b, 1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 500)}", data, sizeof data);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 3; j++)
			for (int k = 0; k < 500; k++)
				assert_int_equal(tensor_get_i64(t, (i * 3 + j) * 500 + k), 3000 * i + 1000 * j + k);
	tensor_unref(t);
}

static const char *in_dir(const Bench *b, const char *name)
{
	return arena_printf(b->ctx->arena, "%s/%s", b->dir, name);
}

/* 2100 elements: more than two blocks, the last one partial. */
static Tensor *sample(Bench *b, DType d)
{
	Tensor *t = tensor_new(&b->eval, d, 2, (int64_t[]){3, 700});
	assert_non_null(t);
	for (int64_t i = 0; i < t->count; i++) {
		if (dtype_class(d) == DC_COMPLEX && d == DT_C64)
			((float *)t->data)[2 * i] = (float)i, ((float *)t->data)[2 * i + 1] = -0.5f;
		else if (dtype_class(d) == DC_COMPLEX)
			((double *)t->data)[2 * i] = (double)i, ((double *)t->data)[2 * i + 1] = -0.5;
		else if (dtype_is_float(d))
			tensor_set_f64(t, i, (double)(i % 7) - 2);
		else
			tensor_set_i64(t, i, i - 40);
	}
	return t;
}

static void npy_round_trip(void **state)
{
	Bench *b = *state;
	static const DType types[] = {DT_BOOL, DT_I8, DT_I16, DT_I32, DT_I64, DT_U8, DT_U16, DT_U32, DT_U64, DT_F16, DT_F32,
		DT_F64, DT_C64, DT_C128};
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		Tensor *t = sample(b, types[i]);
		const char *path = in_dir(b, "x.npy");
		assert_true(npy_write(t, path, &b->ctx->diags));
		struct stat st;
		assert_int_equal(stat(path, &st), 0);
		size_t bytes = (size_t)t->count * dtype_size(types[i]);
		assert_int_equal((st.st_size - (int64_t)bytes) % 64, 0);
		const Str *name;
		Tensor *back = tensor_read(&b->eval, path, &name);
		assert_non_null(back);
		assert_null(name);
		assert_int_equal(back->dtype, types[i]);
		assert_int_equal(back->rank, 2);
		assert_int_equal(back->dims[1], 700);
		assert_memory_equal(back->data, t->data, bytes);
		tensor_unref(back);
		tensor_unref(t);
	}
}

static void npy_widens(void **state)
{
	Bench *b = *state;
	static const struct { DType from, to; } pairs[] = {{DT_BF16, DT_F32}, {DT_F8E4M3FN, DT_F32}, {DT_F8E5M2, DT_F32},
		{DT_I4, DT_I8}, {DT_U4, DT_U8}, {DT_I2, DT_I8}};
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		Tensor *t = sample(b, pairs[i].from);
		const char *path = in_dir(b, "w.npy");
		assert_true(npy_write(t, path, &b->ctx->diags));
		Tensor *back = tensor_read(&b->eval, path, NULL);
		assert_non_null(back);
		assert_int_equal(back->dtype, pairs[i].to);
		for (int64_t k = 0; k < t->count; k++)
			assert_true(tensor_get_f64(back, k) == tensor_get_f64(t, k));
		tensor_unref(back);
		tensor_unref(t);
	}
}

/* The oracle's wide storage is filled from a narrow file, and rounded again on the way out. */
static void npy_oracle(void **state)
{
	Bench *b = *state;
	b->eval.oracle = true;
	const float values[] = {0.1f, -3};
	Tensor *t = accepted(b, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", values, sizeof values);
	assert_int_equal(t->dtype, DT_F32);
	assert_true(tensor_get_f64(t, 0) == (double)0.1f);
	Tensor *c = accepted(b, 1, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", values, sizeof values);
	assert_true(npy_write(t, in_dir(b, "o.npy"), &b->ctx->diags));
	assert_true(npy_write(c, in_dir(b, "c.npy"), &b->ctx->diags));
	b->eval.oracle = false;
	Tensor *back = tensor_read(&b->eval, in_dir(b, "o.npy"), NULL);
	assert_non_null(back);
	assert_memory_equal(back->data, values, sizeof values);
	tensor_unref(back);
	back = tensor_read(&b->eval, in_dir(b, "c.npy"), NULL);
	assert_non_null(back);
	assert_int_equal(back->dtype, DT_C64);
	assert_memory_equal(back->data, values, sizeof values);
	tensor_unref(back);
	tensor_unref(t);
	tensor_unref(c);
}

static void npz_round_trip(void **state)
{
	Bench *b = *state;
	NamedTensor in[] = {{str(b->ctx, "weights"), sample(b, DT_F32)}, {str(b->ctx, "dir/ids"), sample(b, DT_I64)}};
	const char *path = in_dir(b, "a.npz");
	assert_true(npz_write(in, 2, path, &b->ctx->diags));
	MappedFile *f = file_map(path, &b->ctx->diags);
	assert_non_null(f);
	NamedTensor *out;
	size_t n;
	assert_true(npz_read(&b->eval, f, b->ctx->arena, &out, &n));
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(out[i].name, in[i].name);
		assert_int_equal(out[i].tensor->dtype, in[i].tensor->dtype);
		assert_memory_equal(out[i].tensor->data, in[i].tensor->data, (size_t)in[i].tensor->count * dtype_size(in[i].tensor->dtype));
		tensor_unref(out[i].tensor);
		tensor_unref(in[i].tensor);
	}
	/* The file again with one byte of data changed: the checksum says so. */
	Buf copy = {0};
	buf_put(&copy, f->data, f->len);
	file_unref(f);
	copy.data[400] ^= 1;
	MappedFile damaged = {.path = "a.npz", .fd = -1, .data = (const uint8_t *)copy.data, .len = copy.len, .refs = 1};
	assert_false(npz_read(&b->eval, &damaged, b->ctx->arena, &out, &n));
	expect_refusal(b, NULL, HONE_BAD_INPUT, "checksum");
	/* Every cut of the file is refused with one diagnostic. */
	for (size_t len = 0; len < copy.len; len += len < copy.len - 300 ? 997 : 1) {
		damaged.len = len;
		assert_false(npz_read(&b->eval, &damaged, b->ctx->arena, &out, &n));
		expect_refusal(b, NULL, HONE_BAD_INPUT, "npz: ");
	}
	buf_free(&copy);
	expect_refusal(b, tensor_read(&b->eval, path, NULL), HONE_BAD_INPUT, "2 tensors in the archive");
}

static void put(Buf *b, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_put(b, &(uint8_t){i < 8 ? (uint8_t)(v >> 8 * i) : 0}, 1);
}

/* An archive of one entry without zip64: method, flags, sizes and checksum as told. */
static Buf zip_file(const char *name, int method, int flags, Bytes packed, uint32_t size, uint32_t crc)
{
	Buf b = {0};
	size_t name_len = strlen(name);
	put(&b, 0x04034b50, 4);
	put(&b, 20, 2), put(&b, (uint64_t)flags, 2), put(&b, (uint64_t)method, 2), put(&b, 0, 4), put(&b, crc, 4);
	put(&b, packed.len, 4), put(&b, size, 4), put(&b, name_len, 2), put(&b, 0, 2);
	buf_puts(&b, name);
	buf_put(&b, packed.data, packed.len);
	size_t directory = b.len;
	put(&b, 0x02014b50, 4);
	put(&b, 20, 2), put(&b, 20, 2), put(&b, (uint64_t)flags, 2), put(&b, (uint64_t)method, 2), put(&b, 0, 4), put(&b, crc, 4);
	put(&b, packed.len, 4), put(&b, size, 4), put(&b, name_len, 2), put(&b, 0, 14), put(&b, 0, 2);
	buf_puts(&b, name);
	size_t directory_len = b.len - directory;
	put(&b, 0x06054b50, 4);
	put(&b, 0, 4), put(&b, 1, 2), put(&b, 1, 2), put(&b, directory_len, 4), put(&b, directory, 4), put(&b, 3, 2);
	buf_puts(&b, "abc"); /* a comment */
	return b;
}

static void npz_deflated(void **state)
{
	Bench *b = *state;
	static int16_t data[3000];
	for (int i = 0; i < 3000; i++)
		data[i] = (int16_t)(i % 10);
	const char header[] = "{'descr': '<i2', 'fortran_order': False, 'shape': (3000,)}";
	Buf npy = npy_file(1, header, sizeof header - 1, data, sizeof data);
	uint8_t packed[8192];
	z_stream z = {0};
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)npy.data, z.avail_in = (uInt)npy.len, z.next_out = packed, z.avail_out = sizeof packed;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	Bytes body = {packed, sizeof packed - z.avail_out};
	deflateEnd(&z);
	uint32_t crc = (uint32_t)crc32(0, (const Bytef *)npy.data, (uInt)npy.len), size = (uint32_t)npy.len;

	NamedTensor *out;
	size_t n;
	MappedFile f = {.path = "d.npz", .fd = -1, .refs = 1};
#define READ(...) \
	Buf zip = zip_file(__VA_ARGS__); \
	f.data = (const uint8_t *)zip.data, f.len = zip.len; \
	bool ok = npz_read(&b->eval, &f, b->ctx->arena, &out, &n); \
	buf_free(&zip)
	{
		READ("x.npy", 8, 0, body, size, crc);
		assert_true(ok);
		assert_int_equal(n, 1);
		assert_string_equal(out[0].name->s, "x");
		assert_memory_equal(out[0].tensor->data, data, sizeof data);
		tensor_unref(out[0].tensor);
	}
	static const struct {
		int method, flags, more_size, more_crc;
		HoneStatus status;
		const char *text;
	} bad[] = {
		{8, 0, 0, 1, HONE_BAD_INPUT, "checksum"},
		{8, 0, 1, 0, HONE_BAD_INPUT, "does not unpack"},
		{8, 0, -1, 0, HONE_BAD_INPUT, "does not unpack"},
		{8, 0, 2000000000, 0, HONE_BAD_INPUT, "does not fit"},
		{0, 0, 0, 0, HONE_BAD_INPUT, "does not fit"},
		{12, 0, 0, 0, HONE_UNSUPPORTED, "other than deflate"},
		{8, 1, 0, 0, HONE_UNSUPPORTED, "encrypted"},
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		READ("x.npy", bad[i].method, bad[i].flags, body, size + (uint32_t)bad[i].more_size, crc + (uint32_t)bad[i].more_crc);
		assert_false(ok);
		expect_refusal(b, NULL, bad[i].status, bad[i].text);
	}
	{
		READ("notes.txt", 8, 0, body, size, crc);
		assert_true(ok);
		assert_int_equal(n, 0);
		forget_errors(b);
	}
#undef READ
	buf_free(&npy);
}

/* Every truncation and many changed bytes of a valid file: refused or read, never a crash, never two diagnostics. */
static void mangled(void **state)
{
	Bench *b = *state;
	const char header[] = "{'descr': '>c8', 'fortran_order': True, 'shape': (2, 3), }           \n";
	static const uint8_t data[48];
	Buf f = npy_file(1, header, sizeof header - 1, data, sizeof data);
	for (size_t n = 0; n < f.len; n++) {
		assert_null(parse(b, f.data, n));
		assert_int_equal(b->ctx->diags.list.len, 1);
		forget_errors(b);
	}
	Rng rng = {7};
	for (int i = 0; i < 20000; i++) {
		size_t at = (size_t)rng_below(&rng, (int64_t)f.len);
		char kept = f.data[at];
		f.data[at] = (char)rng_u64(&rng);
		Tensor *t = parse(b, f.data, f.len);
		assert_int_equal(b->ctx->diags.list.len, t == NULL);
		tensor_unref(t);
		f.data[at] = kept;
		forget_errors(b);
	}
	buf_free(&f);
}

static void not_regular_files(void **state)
{
	Bench *b = *state;
	assert_int_equal(mkfifo(in_dir(b, "fifo.npy"), 0600), 0);
	expect_refusal(b, tensor_read(&b->eval, in_dir(b, "fifo.npy"), NULL), HONE_IO, "");
	expect_refusal(b, tensor_read(&b->eval, b->dir, NULL), HONE_IO, "");
	expect_refusal(b, tensor_read(&b->eval, in_dir(b, "absent.npy"), NULL), HONE_IO, "");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(frames), TEST(headers), TEST(odd_but_valid), TEST(big_endian), TEST(fortran_order), TEST(npy_round_trip),
		TEST(npy_widens), TEST(npy_oracle), TEST(npz_round_trip), TEST(npz_deflated), TEST(mangled),
		TEST(not_regular_files),
	};
	return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}

/* Unit tests of src/base; element types: test_dtype.c. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/base.h"

#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static Arena *arena;

static int make_arena(void **state)
{
	(void)state;
	arena = arena_new();
	return 0;
}

static int drop_arena(void **state)
{
	(void)state;
	arena_free(arena);
	arena = NULL;
	return 0;
}

/* ---- mem, arena, vec ---- */

static void test_guard_catches_failure(void **state)
{
	(void)state;
	MemGuard outer, inner;
	volatile int caught = 0;
	mem_guard_push(&outer);
	if (setjmp(outer.env)) {
		caught += 10;
	} else {
		mem_guard_push(&inner);
		if (setjmp(inner.env)) {
			caught++;
			mem_guard_pop(&inner); /* already left: no effect */
			mem_fail();
		}
		arena_alloc_array(arena, SIZE_MAX / 2, 3);
		caught = 100;
	}
	assert_int_equal(caught, 11);
	mem_guard_pop(&outer);
}

static void test_arena_objects(void **state)
{
	(void)state;
	uint8_t *objects[300];
	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		size_t n = i * i % 5000;
		objects[i] = arena_alloc(arena, n);
		assert_int_equal((uintptr_t)objects[i] % 16, 0);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(objects[i][k], 0);
		memset(objects[i], (int)i, n);
	}
	for (size_t i = 0; i < ARRAY_LEN(objects); i++)
		for (size_t k = 0; k < i * i % 5000; k++)
			assert_int_equal(objects[i][k], (uint8_t)i);
	size_t before = arena_bytes(arena);
	arena_reset(arena);
	assert_true(arena_bytes(arena) < before);
	char *again = arena_alloc(arena, 100);
	for (int k = 0; k < 100; k++)
		assert_int_equal(again[k], 0);
	assert_string_equal(arena_printf(arena, "%0300d|%s", 7, "x") + 299, "7|x");
}

/* Objects of every size, up to what is left of the expected memory and beyond it: cleared, apart from each other. */
static void test_arena_expected(void **state)
{
	(void)state;
	static const size_t expected[] = { 0, 100, 16 * 1024, 100 * 1000, (2 << 20) - 1, 2 << 20, SIZE_MAX };
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		Arena *a = arena_new();
		arena_strdup(a, "before");
		arena_expect(a, expected[i]);
		unsigned char *last = NULL;
		size_t total = 0, size = 1;
		for (int k = 0; total < 3 << 20; k++, size = k % 7 ? size * 3 % 65537 : 1 + (size_t)k) {
			unsigned char *p = arena_alloc(a, size);
			assert_int_equal((uintptr_t)p % 16, 0);
			assert_true(p[0] == 0 && p[size - 1] == 0 && !memcmp(p, p + 1, size - 1));
			memset(p, 0xFF, size);
			assert_true(!last || *last == 0xEE);
			last = p;
			*last = 0xEE;
			total += size;
		}
		assert_true(arena_bytes(a) >= total && arena_bytes(a) < total + (4 << 20));
		arena_free(a);
	}
}

/* An object that needs all that is left of a block, one more byte, and one less. */
static void test_arena_rest_of_block(void **state)
{
	(void)state;
	for (size_t size = 30 * 1024; size < 34 * 1024; size++) {
		Arena *a = arena_new();
		arena_expect(a, 32 * 1024);
		unsigned char *p = arena_alloc(a, size), *q = arena_alloc(a, 64);
		memset(p, 1, size);
		memset(q, 2, 64);
		assert_true(p[size - 1] == 1 && q[0] == 2 && q[63] == 2);
		arena_free(a);
	}
}

static void test_vec_grows(void **state)
{
	(void)state;
	VEC(int) v = {0};
	for (int i = 0; i < 10000; i++)
		VEC_PUSH(arena, &v, i * 3);
	assert_int_equal(v.len, 10000);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(v.data[i], i * 3);
}

/* ---- map, strings ---- */

static void test_map(void **state)
{
	(void)state;
	Map m;
	map_init(&m, arena);
	assert_null(map_get(&m, 0));
	assert_false(map_has(&m, 0));
	for (uint64_t i = 0; i < 5000; i++)
		map_put(&m, i << 40, (void *)(uintptr_t)(i + 1));
	map_put(&m, 7ull << 40, NULL);
	assert_int_equal(m.len, 5000);
	for (uint64_t i = 0; i < 5000; i++) {
		assert_true(map_has(&m, i << 40));
		assert_false(map_has(&m, i << 40 | 1));
		assert_int_equal(m.entries[i].key, i << 40);
		assert_ptr_equal(map_get(&m, i << 40), i == 7 ? NULL : (void *)(uintptr_t)(i + 1));
	}
	*map_slot(&m, 1) = &m;
	assert_ptr_equal(map_get(&m, 1), &m);
}

static void test_hash_sees_every_byte(void **state)
{
	(void)state;
	uint8_t data[200] = {0};
	for (size_t n = 0; n <= sizeof(data); n++) {
		uint64_t h = hash_bytes(data, n, 1);
		assert_int_not_equal(h, hash_bytes(data, n, 2));
		if (n > 0)
			assert_int_not_equal(h, hash_bytes(data, n - 1, 1));
		for (size_t i = 0; i < n; i++) {
			data[i] = 0x80;
			assert_int_not_equal(h, hash_bytes(data, n, 1));
			data[i] = 0;
		}
	}
}

static void test_intern(void **state)
{
	(void)state;
	StrTable *t = str_table_new(arena, NULL);
	Str *strs[2000];
	char text[32];
	for (int i = 0; i < 2000; i++) {
		int n = snprintf(text, sizeof(text), "name%d", i);
		strs[i] = str_intern(t, text, (size_t)n);
		assert_int_equal(strs[i]->known, 0);
	}
	for (int i = 0; i < 2000; i++) {
		int n = snprintf(text, sizeof(text), "name%d", i);
		assert_ptr_equal(str_intern(t, text, (size_t)n), strs[i]);
		assert_string_equal(strs[i]->s, text);
	}
	assert_ptr_not_equal(str_intern(t, "a\0b", 3), str_intern(t, "a", 1));
	assert_int_equal(str_intern(t, "a\0b", 3)->len, 3);
	assert_ptr_equal(str_intern(t, "", 0), str_intern(t, NULL, 0));
}

static void test_quote(void **state)
{
	(void)state;
	char text[400];
	assert_string_equal(quote(arena, "a\"b\\\n\x01\x7f", 7), "\"a\\\"b\\\\\\n\\x01\\x7f\"");
	assert_string_equal(quote(arena, "\xc3\xa9\xff\xc2\x9b", 5), "\"\xc3\xa9\\xff\\xc2\\x9b\"");
	assert_string_equal(quote(arena, "\xed\xa0\x80", 3), "\"\\xed\\xa0\\x80\""); /* surrogate */
	memset(text, 1, sizeof(text));
	assert_int_equal(strlen(quote(arena, text, sizeof(text))), 120 * 4 + 5);
	memset(text, 'x', sizeof(text));
	memcpy(text + 119, "\xc3\xa9", 2); /* would straddle the limit */
	assert_int_equal(strlen(quote(arena, text, sizeof(text))), 119 + 5);
}

static void test_nearest_name(void **state)
{
	(void)state;
	static const char *const names[] = {"convert", "verify", "info", "run"};
	assert_string_equal(nearest_name("convret", names, 4), "convert");
	assert_string_equal(nearest_name("VERIFY", names, 4), "verify");
	assert_string_equal(nearest_name("inof", names, 4), "info");
	assert_null(nearest_name("optimise", names, 4));
	assert_null(nearest_name("", names, 4));
}

static void test_buf(void **state)
{
	(void)state;
	Buf b = {0};
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%d,", i);
	buf_puts(&b, "");
	assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
	assert_int_equal(strlen(b.data), b.len);
	buf_printf(&b, "%500s", "end");
	assert_string_equal(b.data + b.len - 3, "end");
	buf_free(&b);
	assert_null(b.data);
}

/* ---- numbers ---- */

static void check_double(double x)
{
	char *text = format_double(arena, x);
	double back;
	assert_true(parse_double(text, strlen(text), &back));
	assert_memory_equal(&back, &x, sizeof(x));
}

static void test_double_text(void **state)
{
	(void)state;
	static const struct { double x; const char *text; } cases[] = {
		{0.1, "0.1"}, {1, "1"}, {-0.0, "-0"}, {1e22, "1e+22"}, {5e-324, "5e-324"}, {1.0 / 3, "0.3333333333333333"},
		{DBL_MAX, "1.7976931348623157e+308"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}, {123456789, "123456789"}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_string_equal(format_double(arena, cases[i].x), cases[i].text);
		check_double(cases[i].x);
	}
	assert_string_equal(format_double(arena, (double)NAN), "nan");
	assert_string_equal(format_float(arena, 0.1f), "0.1");
	assert_string_equal(format_float(arena, 16777216.0f), "16777216");
	assert_string_equal(format_float(arena, FLT_MAX), "3.4028235e+38");
	assert_string_equal(format_float(arena, 0x1p-149f), "1e-45");
	Rng rng = {3};
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = rng_u64(&rng);
		double x;
		memcpy(&x, &bits, sizeof(x));
		if (isfinite(x))
			check_double(x);
	}
}

static void test_float_text_is_shortest(void **state)
{
	(void)state;
	Rng rng = {4};
	for (int i = 0; i < 5000; i++) {
		uint32_t bits = (uint32_t)rng_u64(&rng);
		float x;
		memcpy(&x, &bits, sizeof(x));
		if (!isfinite(x))
			continue;
		const char *text = format_float(arena, x);
		assert_true(strtof(text, NULL) == x);
		for (int digits = 1; digits <= 9; digits++) {
			char other[64];
			snprintf(other, sizeof(other), "%.*g", digits, (double)x);
			if (strtof(other, NULL) == x) {
				assert_string_equal(text, other);
				break;
			}
		}
	}
}

static void test_number_text_ignores_locale(void **state)
{
	(void)state;
	static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8"};
	bool found = false;
	for (size_t i = 0; i < ARRAY_LEN(locales) && !found; i++)
		found = setlocale(LC_NUMERIC, locales[i]) != NULL;
	check_double(0.1);
	check_double(1.0 / 3);
	check_double(1.2345678901234567e-300);
	assert_string_equal(format_double(arena, 1.5), "1.5");
	setlocale(LC_NUMERIC, "C");
	if (!found)
		skip();
}

static void test_parse_double(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "-", ".", "1e", "1e+", "e5", "0x10", " 1", "1 ", "1,5", "infx", "na", "1.2.3", "--1"};
	double x;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(parse_double(bad[i], strlen(bad[i]), &x));
	assert_true(parse_double("-Infinity", 9, &x) && x == -(double)INFINITY);
	assert_true(parse_double("NaN", 3, &x) && isnan(x));
	assert_true(parse_double("+.5", 3, &x) && x == 0.5);
	assert_true(parse_double("5.E1", 4, &x) && x == 50);
	assert_true(parse_double("1e999", 5, &x) && isinf(x));
	assert_true(parse_double("1e-99999999999999", 17, &x) && x == 0);
	assert_true(parse_double("9007199254740993", 16, &x) && x == 9007199254740992.0);
	assert_true(parse_double("12345", 2, &x) && x == 12);
	assert_true(parse_double("-0", 2, &x) && signbit(x));
}

/* Texts of up to 19 digits are rounded here, the others by the C library: they agree to the last bit. */
static void test_parse_double_rounds(void **state)
{
	(void)state;
	Rng r = {7};
	char text[64];
	double x;
	for (int i = 0; i < 200000; i++) {
		int digits = 1 + (int)rng_below(&r, 20), exp = (int)rng_below(&r, 70) - 35;
		uint64_t top = rng_u64(&r), limit = 10;
		for (int k = 1; k < digits && k < 19; k++)
			limit *= 10;
		if (rng_below(&r, 4) == 0) /* between two doubles, or nearly */
			top = ((top >> 11 | UINT64_C(1) << 52) * 2 + 1) << rng_below(&r, 10);
		else if (digits < 20)
			top %= limit;
		int n = snprintf(text, sizeof(text), "%llu.%llue%d", (unsigned long long)(top / 1000), (unsigned long long)(top % 1000), exp);
		assert_true(parse_double(text, (size_t)n, &x));
		if (x != strtod(text, NULL))
			fail_msg("%s: %a, expected %a", text, x, strtod(text, NULL));
	}
}

static void test_parse_int64(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "-", "+", "1a", " 1", "1.0", "9223372036854775808", "-9223372036854775809",
	                                  "99999999999999999999"};
	int64_t x = 5;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(parse_int64(bad[i], strlen(bad[i]), &x));
	assert_int_equal(x, 5);
	assert_true(parse_int64("9223372036854775807", 19, &x) && x == INT64_MAX);
	assert_true(parse_int64("-9223372036854775808", 20, &x) && x == INT64_MIN);
	assert_true(parse_int64("+007", 4, &x) && x == 7);
}

static void test_dims_count(void **state)
{
	(void)state;
	int64_t n;
	assert_true(dims_count(NULL, 0, &n) && n == 1);
	assert_true(dims_count((int64_t[]){2, 3, 4}, 3, &n) && n == 24);
	assert_false(dims_count((int64_t[]){INT64_MAX, 2}, 2, &n));
	assert_false(dims_count((int64_t[]){INT64_C(1) << 32, INT64_C(1) << 31}, 2, &n));
	assert_false(dims_count((int64_t[]){0, -1}, 2, &n));
	assert_true(dims_count((int64_t[]){INT64_MAX, 2, 0}, 3, &n) && n == 0);
}

/* ---- diagnostics ---- */

static void test_diags(void **state)
{
	(void)state;
	Diags d;
	Buf b = {0};
	diags_init(&d, arena);
	d.limit = 3;
	diag_warn(&d, NULL, "w\n%d", 1);
	diag_note(&d, NULL, "n");
	diag_note(&d, NULL, "n");
	assert_int_equal(d.status, HONE_OK);
	Loc loc = {.file = "m.onnx", .offset = 17, .what = "node \"a\""};
	assert_false(diag_error(&d, HONE_LIMIT, &loc, "too big"));
	diag_hint(&d, "use %s", "less");
	diag_format(&d.list.data[3], &b);
	assert_string_equal(b.data, "m.onnx: byte 17: error: node \"a\": too big\n  hint: use less\n");
	diag_error(&d, HONE_IO, NULL, "dropped");
	diag_hint(&d, "dropped too");
	assert_int_equal(d.status, HONE_LIMIT);
	assert_int_equal(d.list.len, 4);
	assert_int_equal(d.dropped, 1);
	assert_string_equal(d.list.data[0].message, "w 1");
	b.len = 0;
	diag_format(&(Diag){.loc = {.file = "f", .line = 3, .col = 4, .offset = 9}, .message = (char[]){"m"}}, &b);
	assert_string_equal(b.data, "f:3:4: error: m\n");
	buf_free(&b);
}

/* ---- files ---- */

static char dir[] = P_tmpdir "/hone-test-XXXXXX";

static const char *in_dir(const char *name)
{
	return path_join(arena, dir, name);
}

static void put_file(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void check_file(const char *name, const char *text)
{
	Diags d;
	diags_init(&d, arena);
	MappedFile *f = file_map(in_dir(name), &d);
	assert_non_null(f);
	assert_int_equal(f->len, strlen(text));
	if (f->len)
		assert_memory_equal(f->data, text, f->len);
	file_unref(file_ref(f));
	file_unref(f);
}

static int make_dir(void **state)
{
	make_arena(state);
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	if (!mkdtemp(dir))
		return -1;
	return mkdir(in_dir("in"), 0755) || mkdir(in_dir("in/sub"), 0755);
}

static int drop_dir(void **state)
{
	char *command = arena_printf(arena, "chmod -R u+w %s && rm -r %s", dir, dir);
	int rc = system(command);
	drop_arena(state);
	return rc;
}

static void test_map_file(void **state)
{
	(void)state;
	Diags d;
	diags_init(&d, arena);
	put_file("a", "hello");
	put_file("empty", "");
	check_file("a", "hello");
	check_file("empty", "");
	assert_null(file_map(in_dir("missing"), &d));
	assert_null(file_map(in_dir("in"), &d));
	assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
	assert_null(file_map(in_dir("pipe"), &d));
	assert_null(file_map("/dev/null", &d));
	assert_int_equal(d.list.len, 4);
	assert_int_equal(d.status, HONE_IO);
	assert_non_null(strstr(d.list.data[1].message, "directory"));
	assert_non_null(strstr(d.list.data[2].message, "pipe"));
	assert_non_null(strstr(d.list.data[3].message, "device"));
}

/* Each broken rule is named. */
static void test_beneath(void **state)
{
	(void)state;
	Diags d;
	diags_init(&d, arena);
	put_file("secret", "outside");
	put_file("in/ok", "inside");
	put_file("in/sub/deep", "deep");
	assert_int_equal(symlink("../secret", in_dir("in/escape")), 0);
	assert_int_equal(symlink("/etc/passwd", in_dir("in/absolute")), 0);
	assert_int_equal(symlink("sub/../ok", in_dir("in/link")), 0);
	assert_int_equal(symlink("..", in_dir("in/up")), 0);
	assert_int_equal(symlink("loop", in_dir("in/loop")), 0);
	assert_int_equal(mkdir(in_dir("in2"), 0755), 0);
	put_file("in2/x", "sibling");
	assert_int_equal(symlink("../in2/x", in_dir("in/sibling")), 0);
	assert_int_equal(mkfifo(in_dir("in/pipe"), 0600), 0);
	static const struct { const char *name, *why; } bad[] = {
		{"", "empty"}, {"/etc/passwd", "absolute"}, {"../secret", "\"..\""}, {"sub/../ok", "\"..\""}, {"..", "\"..\""},
		{"escape", "link leads out"}, {"absolute", "link leads out"}, {"up/secret", "link leads out"},
		{"sibling", "link leads out"}, {"pipe", "not a regular file"}, {"sub", "directory"}, {"missing", "no such file"},
		{"loop", "symbolic links"}, {"ok/x", "Not a directory"}};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_null(file_map_beneath(in_dir("in"), bad[i].name, &d));
		assert_int_equal(d.list.len, i + 1);
		if (!strstr(d.list.data[i].message, bad[i].why))
			fail_msg("%s: %s", bad[i].name, d.list.data[i].message);
	}
	static const struct { const char *name, *text; } good[] = {
		{"ok", "inside"}, {"./ok", "inside"}, {"sub/deep", "deep"}, {"link", "inside"}, {"sub//deep", "deep"},
		{"..ok/../", NULL}};
	for (size_t i = 0; good[i].text; i++) {
		MappedFile *f = file_map_beneath(in_dir("in"), good[i].name, &d);
		assert_non_null(f);
		assert_int_equal(f->len, strlen(good[i].text));
		assert_memory_equal(f->data, good[i].text, f->len);
		file_unref(f);
	}
	assert_null(file_map_beneath(in_dir("nowhere"), "x", &d));
}

static int count_entries(const char *path)
{
	int n = 0;
	DIR *list = opendir(path);
	assert_non_null(list);
	while (readdir(list))
		n++;
	closedir(list);
	return n - 2;
}

static void test_out_file(void **state)
{
	(void)state;
	Diags d;
	diags_init(&d, arena);
	put_file("in/target", "old");
	assert_int_equal(chmod(in_dir("in/target"), 0640), 0);
	OutFile *o = out_open(in_dir("in/target"), &d);
	assert_non_null(o);
	assert_true(out_write(o, "new ", 4));
	check_file("in/target", "old");
	assert_true(out_write(o, "text", 4));
	assert_int_equal(out_offset(o), 8);
	assert_true(out_commit(o, &d));
	check_file("in/target", "new text");
	struct stat st;
	assert_int_equal(stat(in_dir("in/target"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(count_entries(in_dir("in")), 2);

	o = out_open(in_dir("in/target"), &d);
	assert_true(out_write(o, "gone", 4));
	out_discard(o);
	check_file("in/target", "new text");
	assert_int_equal(count_entries(in_dir("in")), 2);

	assert_int_equal(symlink("in/target", in_dir("alias")), 0);
	o = out_open(in_dir("alias"), &d);
	assert_true(out_write(o, "via", 3) && out_commit(o, &d));
	check_file("in/target", "via");
	assert_int_equal(lstat(in_dir("alias"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));

	o = out_open("/dev/null", &d);
	assert_non_null(o);
	assert_true(out_write(o, "x", 1) && out_commit(o, &d));
	out_discard(NULL);
	assert_int_equal(d.list.len, 0);
}

static void test_out_failures(void **state)
{
	(void)state;
	Diags d;
	diags_init(&d, arena);
	assert_null(out_open(in_dir("in"), &d));
	assert_null(out_open(in_dir("none/x"), &d));
	assert_null(out_open("", &d));
	size_t expected = 3;
	if (geteuid() != 0) {
		assert_int_equal(chmod(in_dir("in/sub"), 0555), 0);
		assert_null(out_open(in_dir("in/sub/x"), &d));
		expected++;
	}
	assert_int_equal(d.list.len, expected);
	assert_int_equal(d.status, HONE_IO);
	if (access("/dev/full", W_OK) == 0) {
		OutFile *o = out_open("/dev/full", &d);
		assert_non_null(o);
		assert_true(out_write(o, "x", 1));
		assert_false(out_commit(o, &d));
		assert_int_equal(d.list.len, expected + 1);
	}
}

/* Copies around the buffer sizes, mixed with writes; then a source that shrinks. */
static void test_out_copy(void **state)
{
	(void)state;
	enum { SIZE = 3 * 1024 * 1024 + 17 };
	Diags d;
	diags_init(&d, arena);
	uint8_t *data = mem_alloc(SIZE);
	Rng rng = {9};
	for (int i = 0; i < SIZE; i++)
		data[i] = (uint8_t)rng_u64(&rng);
	OutFile *o = out_open(in_dir("source"), &d);
	assert_true(out_write(o, data, SIZE) && out_commit(o, &d));
	MappedFile *f = file_map(in_dir("source"), &d);
	assert_non_null(f);
	o = out_open(in_dir("copy"), &d);
	assert_true(out_write(o, "head", 4));
	assert_true(out_copy(o, f, 5, SIZE - 5));
	assert_true(out_copy(o, f, 0, 5));
	assert_true(out_copy(o, f, SIZE, 0));
	assert_int_equal(out_offset(o), SIZE + 4);
	assert_true(out_commit(o, &d));
	MappedFile *g = file_map(in_dir("copy"), &d);
	assert_int_equal(g->len, SIZE + 4);
	assert_memory_equal(g->data, "head", 4);
	assert_memory_equal(g->data + 4, data + 5, SIZE - 5);
	assert_memory_equal(g->data + 4 + SIZE - 5, data, 5);
	file_unref(g);

	assert_int_equal(truncate(in_dir("source"), SIZE / 2), 0);
	o = out_open(in_dir("copy"), &d);
	assert_false(out_copy(o, f, 0, SIZE));
	assert_false(out_write(o, "x", 1));
	assert_false(out_commit(o, &d));
	assert_non_null(strstr(d.list.data[0].message, "shorter"));
	assert_int_equal(stat(in_dir("copy"), &(struct stat){0}), 0);
	assert_int_equal(count_entries(dir), 3);
	file_unref(f);
	mem_free(data);
}

static void test_paths(void **state)
{
	(void)state;
	assert_string_equal(path_dir(arena, "a"), ".");
	assert_string_equal(path_dir(arena, "/a"), "/");
	assert_string_equal(path_dir(arena, "x//a"), "x");
	assert_string_equal(path_join(arena, "x/", "a"), "x/a");
	assert_string_equal(path_join(arena, "x", "a"), "x/a");
	assert_string_equal(path_join(arena, "x", "/a"), "/a");
}

/* ---- threads, random numbers ---- */

static void count_call(void *arg, int64_t i)
{
	atomic_fetch_add(&((_Atomic int *)arg)[i], 1);
}

static void test_parallel_for(void **state)
{
	(void)state;
	static _Atomic int calls[5000];
	for (int threads = 0; threads <= 300; threads += 75)
		parallel_for(threads, 5000, count_call, calls);
	parallel_for(4, 0, count_call, calls);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(calls[i], 5);
	assert_true(cpu_count() >= 1);
}

static void fail_at_seven(void *arg, int64_t i)
{
	(void)arg;
	if (i == 7)
		mem_fail();
}

static void test_parallel_failure_reaches_caller(void **state)
{
	(void)state;
	MemGuard g;
	volatile bool caught = false;
	mem_guard_push(&g);
	if (setjmp(g.env))
		caught = true;
	else
		parallel_for(4, 1000, fail_at_seven, NULL);
	mem_guard_pop(&g);
	assert_true(caught);
}

static void test_rng(void **state)
{
	(void)state;
	Rng r = {0};
	assert_int_equal(rng_u64(&r), UINT64_C(0xE220A8397B1DCDAF)); /* published first output for seed 0 */
	double sum = 0, squares = 0, units = 0;
	int hits[6] = {0};
	enum { N = 60000 };
	for (int i = 0; i < N; i++) {
		double x = rng_normal(&r), u = rng_unit(&r);
		assert_true(u >= 0 && u < 1);
		sum += x;
		squares += x * x;
		units += u;
		hits[rng_below(&r, 6)]++;
	}
	assert_true(fabs(sum / N) < 0.02 && fabs(squares / N - 1) < 0.03 && fabs(units / N - 0.5) < 0.01);
	for (int i = 0; i < 6; i++)
		assert_true(abs(hits[i] - N / 6) < 500);
	assert_true(rng_below(&r, INT64_MAX) >= 0);
	assert_int_equal(rng_below(&r, 1), 0);
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, make_arena, drop_arena)
#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, drop_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ARENA(test_guard_catches_failure),
		WITH_ARENA(test_arena_objects),
		cmocka_unit_test(test_arena_expected),
		cmocka_unit_test(test_arena_rest_of_block),
		WITH_ARENA(test_vec_grows),
		WITH_ARENA(test_map),
		WITH_ARENA(test_hash_sees_every_byte),
		WITH_ARENA(test_intern),
		WITH_ARENA(test_quote),
		WITH_ARENA(test_nearest_name),
		WITH_ARENA(test_buf),
		WITH_ARENA(test_double_text),
		WITH_ARENA(test_float_text_is_shortest),
		WITH_ARENA(test_number_text_ignores_locale),
		WITH_ARENA(test_parse_double),
		WITH_ARENA(test_parse_double_rounds),
		WITH_ARENA(test_parse_int64),
		WITH_ARENA(test_dims_count),
		WITH_ARENA(test_diags),
		WITH_DIR(test_map_file),
		WITH_DIR(test_beneath),
		WITH_DIR(test_out_file),
		WITH_DIR(test_out_failures),
		WITH_DIR(test_out_copy),
		WITH_ARENA(test_paths),
		WITH_ARENA(test_parallel_for),
		WITH_ARENA(test_parallel_failure_reaches_caller),
		WITH_ARENA(test_rng),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

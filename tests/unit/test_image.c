/* Pictures, encoded here in every form of theirs: PNG of all colour types, depths and filters, plain and interlaced, by the
 * code of the module that is loaded on demand; BMP with and without runs and PNM, which need none. And damaged ones: each prefix, and each byte changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/base.h"
#include "ops/image.h"

enum { WIDTH = 11, HEIGHT = 9, PALETTE = 3 };

static const int64_t LIMIT = 1 << 20;

ImageCodec hone_image_codec;

/* The module's code is linked here: it is not loaded for each picture. */
static ImageResult decode(const uint8_t *data, size_t n, Image *out)
{
	if (image_format(data, n) != IMAGE_PNG)
		return image_decode(data, n, out);
	out->pixels = NULL;
	ImageResult r = hone_image_codec(IMAGE_PNG, data, n, out);
	if (r != IMAGE_OK)
		image_free(out);
	return r;
}

static void put32(Buf *b, uint32_t v)
{
	buf_put(b, (uint8_t[]){ (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v }, 4);
}

static void low(Buf *b, uint32_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_put(b, &(uint8_t){ (uint8_t)(v >> 8 * i) }, 1);
}

/* Sample k of pixel (x, y), `depth` bits. */
static uint32_t value(int64_t x, int64_t y, int k, int depth)
{
	return (uint32_t)(x * 37 + y * 101 + k * 59 + x * y) & ((1u << depth) - 1);
}

static void chunk(Buf *b, const char *name, const void *p, size_t n)
{
	put32(b, (uint32_t)n);
	buf_puts(b, name);
	if (n)
		buf_put(b, p, n);
	put32(b, (uint32_t)crc32(crc32(0, (const Bytef *)name, 4), p, (uInt)n));
}

static int paeth(int a, int b, int c)
{
	int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
	return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Rows of one pass, each with another filter. */
static void put_rows(Buf *rows, int type, int depth, const int64_t pass[4])
{
	static const int samples[7] = { 1, 0, 3, 1, 2, 0, 4 };
	int n = samples[type];
	size_t pixel = (size_t)(n * depth + 7) / 8;
	int64_t w = WIDTH > pass[0] ? (WIDTH - pass[0] + pass[2] - 1) / pass[2] : 0;
	size_t len = ((size_t)w * (size_t)(n * depth) + 7) / 8;
	uint8_t above[256] = { 0 }, row[256], out[256];
	for (int64_t y = pass[1], r = 0; w && y < HEIGHT; y += pass[3], r++) {
		int filter = (int)(r % 5);
		memset(row, 0, sizeof row);
		for (int64_t i = 0, bit = 0; i < w; i++)
			for (int k = 0; k < n; k++, bit += depth) {
				uint32_t v = value(pass[0] + i * pass[2], y, k, depth);
				if (depth == 16)
					row[bit / 8] = (uint8_t)(v >> 8), row[bit / 8 + 1] = (uint8_t)v;
				else
					row[bit / 8] |= (uint8_t)(v << (8 - depth - bit % 8));
			}
		for (size_t i = 0; i < len; i++) {
			int a = i >= pixel ? row[i - pixel] : 0, b = above[i], c = i >= pixel ? above[i - pixel] : 0;
			int take = filter == 1 ? a : filter == 2 ? b : filter == 3 ? (a + b) / 2 : filter == 4 ? paeth(a, b, c) : 0;
			out[i] = (uint8_t)(row[i] - take);
		}
		buf_put(rows, &(uint8_t){ (uint8_t)filter }, 1);
		buf_put(rows, out, len);
		memcpy(above, row, len);
	}
}

static void png(Buf *b, int type, int depth, bool interlaced)
{
	static const int64_t passes[7][4] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 }, { 0, 2, 2, 4 }, { 1, 0, 2, 2 },
		{ 0, 1, 1, 2 } };
	static const int64_t plain[4] = { 0, 0, 1, 1 };
	Buf rows = { 0 }, head = { 0 };
	buf_put(b, "\x89PNG\r\n\x1a\n", 8);
	put32(&head, WIDTH);
	put32(&head, HEIGHT);
	buf_put(&head, (uint8_t[]){ (uint8_t)depth, (uint8_t)type, 0, 0, interlaced }, 5);
	chunk(b, "IHDR", head.data, head.len);
	if (type == PALETTE) {
		uint8_t colours[256 * 3];
		for (size_t i = 0; i < sizeof colours; i++)
			colours[i] = (uint8_t)(i * 7);
		chunk(b, "PLTE", colours, (size_t)3 << depth);
	}
	for (int i = 0; i < (interlaced ? 7 : 1); i++)
		put_rows(&rows, type, depth, interlaced ? passes[i] : plain);
	uint8_t packed[8192];
	uLongf n = sizeof packed;
	assert_int_equal(compress(packed, &n, (const Bytef *)rows.data, rows.len), Z_OK);
	chunk(b, "IDAT", packed, n / 2); /* one stream in two chunks */
	chunk(b, "IDAT", packed + n / 2, n - n / 2);
	chunk(b, "IEND", NULL, 0);
	buf_free(&rows);
	buf_free(&head);
}

static uint8_t png_byte(int type, int depth, int64_t x, int64_t y, int c)
{
	if (type == PALETTE)
		return (uint8_t)((value(x, y, 0, depth) * 3 + (uint32_t)c) * 7);
	uint32_t v = value(x, y, c, depth);
	return (uint8_t)(depth == 16 ? v >> 8 : v * 255 / ((1u << depth) - 1));
}

static void png_forms(void **state)
{
	(void)state;
	static const int forms[][2] = { { 0, 1 }, { 0, 2 }, { 0, 4 }, { 0, 8 }, { 0, 16 }, { 2, 8 }, { 2, 16 }, { 3, 1 }, { 3, 2 }, { 3, 4 }, { 3, 8 },
		{ 4, 8 }, { 4, 16 }, { 6, 8 }, { 6, 16 } };
	for (size_t i = 0; i < 2 * ARRAY_LEN(forms); i++) {
		int type = forms[i / 2][0], depth = forms[i / 2][1];
		Buf b = { 0 };
		Image m = { .max_bytes = LIMIT };
		png(&b, type, depth, i % 2);
		ImageResult r = decode((const uint8_t *)b.data, b.len, &m);
		if (r == IMAGE_NO_CODEC) {
			buf_free(&b);
			skip();
		}
		assert_int_equal(r, IMAGE_OK);
		assert_int_equal(m.width, WIDTH);
		assert_int_equal(m.height, HEIGHT);
		assert_int_equal(m.channels, type == 0 || type == 4 ? 1 : 3);
		for (int64_t p = 0; p < WIDTH * HEIGHT; p++)
			for (int c = 0; c < m.channels; c++)
				assert_int_equal(m.pixels[p * m.channels + c], png_byte(type, depth, p % WIDTH, p / WIDTH, c));
		image_free(&m);
		buf_free(&b);
	}
}

/* ---- BMP ---- */

static void bmp_head(Buf *b, int64_t height, uint32_t bits, uint32_t kind, uint32_t colours)
{
	buf_puts(b, "BM");
	low(b, 0, 4);
	low(b, 0, 4);
	low(b, 14 + 40 + 4 * colours, 4);
	low(b, 40, 4);
	low(b, WIDTH, 4);
	low(b, (uint32_t)height, 4);
	low(b, 1, 2);
	low(b, bits, 2);
	low(b, kind, 4);
	for (int i = 0; i < 3; i++)
		low(b, 0, 4);
	low(b, colours, 4);
	low(b, 0, 4);
	for (uint32_t i = 0; i < colours; i++)
		buf_put(b, (uint8_t[]){ (uint8_t)i, (uint8_t)(2 * i), (uint8_t)(3 * i), 0 }, 4);
}

static void expect_bmp(Buf *b, uint32_t bits)
{
	Image m = { .max_bytes = LIMIT };
	assert_int_equal(decode((const uint8_t *)b->data, b->len, &m), IMAGE_OK);
	assert_int_equal(m.width, WIDTH);
	assert_int_equal(m.height, HEIGHT);
	for (int64_t p = 0; p < WIDTH * HEIGHT; p++) {
		uint32_t v = value(p % WIDTH, p / WIDTH, 0, bits > 8 ? 8 : (int)bits);
		for (int c = 0; c < 3; c++)
			assert_int_equal(m.pixels[3 * p + c], (uint8_t)(v * (uint32_t)(3 - c)));
	}
	image_free(&m);
	buf_free(b);
	*b = (Buf){ 0 };
}

static void bmp_forms(void **state)
{
	(void)state;
	static const uint32_t depths[] = { 1, 4, 8, 24, 32 };
	for (size_t i = 0; i < 2 * ARRAY_LEN(depths); i++) {
		uint32_t bits = depths[i / 2];
		bool down = i % 2;
		Buf b = { 0 };
		bmp_head(&b, down ? -HEIGHT : HEIGHT, bits, 0, bits <= 8 ? 1u << bits : 0);
		for (int64_t r = 0; r < HEIGHT; r++) {
			int64_t y = down ? r : HEIGHT - 1 - r;
			uint8_t row[64] = { 0 };
			for (int64_t x = 0; x < WIDTH; x++) {
				uint32_t v = value(x, y, 0, bits > 8 ? 8 : (int)bits);
				uint8_t *p = row + x * bits / 8;
				if (bits <= 8)
					*p |= (uint8_t)(v << (8 - bits - x * bits % 8));
				else
					p[0] = (uint8_t)v, p[1] = (uint8_t)(2 * v), p[2] = (uint8_t)(3 * v);
			}
			buf_put(&b, row, (WIDTH * bits + 31) / 32 * 4);
		}
		expect_bmp(&b, bits);
	}
	Buf b = { 0 }; /* runs: a pixel each, then the rest as they are */
	bmp_head(&b, HEIGHT, 8, 1, 256);
	for (int64_t y = HEIGHT - 1; y >= 0; y--) {
		for (int64_t x = 0; x < 4; x++)
			buf_put(&b, (uint8_t[]){ 1, (uint8_t)value(x, y, 0, 8) }, 2);
		buf_put(&b, (uint8_t[]){ 0, WIDTH - 4 }, 2);
		for (int64_t x = 4; x < WIDTH; x++)
			buf_put(&b, (uint8_t[]){ (uint8_t)value(x, y, 0, 8) }, 1);
		buf_put(&b, (uint8_t[]){ 0, 0, (uint8_t)!y }, 3); /* filled up to an even number, then the end of the line */
	}
	expect_bmp(&b, 8);
}

/* ---- PNM ---- */

static void expect_bytes(const char *text, size_t n, int channels, const char *want)
{
	Image m = { .max_bytes = LIMIT };
	assert_int_equal(decode((const uint8_t *)text, n, &m), IMAGE_OK);
	assert_int_equal(m.channels, channels);
	assert_int_equal(m.width * m.height * channels, strlen(want));
	assert_memory_equal(m.pixels, want, strlen(want));
	image_free(&m);
}

#define PNM(text, channels, want) expect_bytes(text, sizeof text - 1, channels, want)

static void pnm_forms(void **state)
{
	(void)state;
	PNM("P2\n# grey\n3 2\n255\n65 66 67 68 69 70\n", 1, "ABCDEF");
	PNM("P5 3 2 255\nABCDEF", 1, "ABCDEF");
	PNM("P5 2 1 65535\nA\377B\0", 1, "BB");
	PNM("P3 1 2 255 65 66 67 68 69 70", 3, "ABCDEF");
	PNM("P6 1 2 255\nABCDEF", 3, "ABCDEF");
	Image m = { .max_bytes = LIMIT };
	assert_int_equal(decode((const uint8_t *)"P1 3 1 0 11", 11, &m), IMAGE_OK);
	assert_memory_equal(m.pixels, "\377\0\0", 3);
	image_free(&m);
	assert_int_equal(decode((const uint8_t *)"P4 3 1\n\x60", 8, &m), IMAGE_OK);
	assert_memory_equal(m.pixels, "\377\0\0", 3);
	image_free(&m);
}

/* ---- damage ---- */

static void damaged(void **state)
{
	(void)state;
	Buf all[3] = { { 0 } };
	png(&all[0], 2, 8, true);
	bmp_head(&all[1], HEIGHT, 8, 1, 16);
	buf_put(&all[1], "\3\1\0\4\1\2\3\4\0\0\0\2\1\1\5\7\0\1", 18);
	buf_puts(&all[2], "P3 2 2 9 1 2 3 4 5 6 7 8 9 1 2 3");
	for (size_t k = 0; k < ARRAY_LEN(all); k++)
		for (size_t i = 0; i < all[k].len; i++) {
			Image m = { .max_bytes = LIMIT };
			uint8_t *copy = malloc(i + 1); /* so that a sanitizer sees what lies behind */
			memcpy(copy, all[k].data, i);
			if (decode(copy, i, &m) == IMAGE_OK)
				image_free(&m);
			free(copy);
			for (int bit = 0; bit < 8; bit += 3) {
				all[k].data[i] ^= (char)(1 << bit);
				if (decode((const uint8_t *)all[k].data, all[k].len, &m) == IMAGE_OK)
					image_free(&m);
				all[k].data[i] ^= (char)(1 << bit);
			}
		}
	for (size_t k = 0; k < ARRAY_LEN(all); k++)
		buf_free(&all[k]);
	Image m = { .max_bytes = 10 };
	assert_int_equal(decode((const uint8_t *)"P2 4 4 9 1", 10, &m), IMAGE_TOO_BIG);
	assert_int_equal(decode((const uint8_t *)"GIF89a", 6, &m), IMAGE_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(png_forms), cmocka_unit_test(bmp_forms), cmocka_unit_test(pnm_forms),
		cmocka_unit_test(damaged) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* PNG, over zlib: all colour types, depths and filters, interlaced or not. Transparency and colour profiles mean nothing to
 * the operator and are passed over; samples of 16 bits keep the upper 8. */
#include "base/base.h"
#include "ops/image.h"

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

enum { GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGBA = 6 };

typedef struct Png {
	int64_t width, height;
	int depth, type, samples;   /* samples: of a pixel */
	bool interlaced;
	uint8_t palette[256][3];
	int colours;
	uint8_t *rows;              /* filtered rows of all passes */
	size_t size;
} Png;

/* The seven passes of an interlaced picture; a plain one is a pass of every pixel. */
typedef struct Pass {
	int64_t x0, y0, dx, dy;
} Pass;
static const Pass passes[7] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 }, { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 } };
static const Pass plain = { 0, 0, 1, 1 };

static int64_t part(int64_t size, int64_t first, int64_t step)
{
	return size > first ? (size - first + step - 1) / step : 0;
}

static size_t row_bytes(const Png *p, int64_t width)
{
	return ((size_t)width * (size_t)(p->samples * p->depth) + 7) / 8;
}

static uint32_t big32(const uint8_t *d)
{
	return (uint32_t)d[0] << 24 | (uint32_t)d[1] << 16 | (uint32_t)d[2] << 8 | d[3];
}

static bool read_header(Png *p, const uint8_t *d, size_t n)
{
	static const uint8_t samples[7] = { 1, 0, 3, 1, 2, 0, 4 };
	if (n != 13)
		return false;
	p->width = big32(d);
	p->height = big32(d + 4);
	p->depth = d[8];
	p->type = d[9];
	p->interlaced = d[12] == 1;
	if (p->width < 1 || p->height < 1 || p->width > INT32_MAX || p->height > INT32_MAX || p->type > 6 || !samples[p->type] ||
		d[10] || d[11] || d[12] > 1)
		return false;
	p->samples = samples[p->type];
	bool few = p->depth == 1 || p->depth == 2 || p->depth == 4;
	return p->depth == 8 || (p->depth == 16 && p->type != PALETTE) || (few && (p->type == GREY || p->type == PALETTE));
}

static bool plan_rows(Png *p, int64_t max_bytes)
{
	size_t total = 0;
	for (int i = 0; i < (p->interlaced ? 7 : 1); i++) {
		const Pass *a = p->interlaced ? &passes[i] : &plain;
		int64_t w = part(p->width, a->x0, a->dx), h = part(p->height, a->y0, a->dy);
		if (w && h)
			total += (row_bytes(p, w) + 1) * (size_t)h;
	}
	p->size = total;
	return total / 8 <= (size_t)max_bytes; /* 4 samples of 2 bytes for one byte of the result at most */
}

/* Undoes the filters of one pass in place; rows begin with the filter's number. */
static bool unfilter(const Png *p, uint8_t *rows, size_t width, int64_t height)
{
	size_t pixel = (size_t)(p->samples * p->depth + 7) / 8;
	const uint8_t *above = NULL;
	for (int64_t y = 0; y < height; y++, rows += width + 1) {
		uint8_t filter = rows[0], *row = rows + 1;
		if (filter > 4)
			return false;
		for (size_t i = 0; i < width; i++) {
			int a = i >= pixel ? row[i - pixel] : 0, b = above ? above[i] : 0, c = above && i >= pixel ? above[i - pixel] : 0, add = 0;
			int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
			switch (filter) {
			case 1: add = a; break;
			case 2: add = b; break;
			case 3: add = (a + b) / 2; break;
			case 4: add = pa <= pb && pa <= pc ? a : pb <= pc ? b : c; break;
			default: break;
			}
			row[i] = (uint8_t)(row[i] + add);
		}
		above = row;
	}
	return true;
}

/* Sample k of pixel x as 8 bits, or a palette's index. */
static uint32_t sample(const Png *p, const uint8_t *row, int64_t x, int k)
{
	int64_t at = x * p->samples + k;
	if (p->depth == 16)
		return row[2 * at];
	if (p->depth == 8)
		return row[at];
	uint32_t most = (1u << p->depth) - 1, shift = (uint32_t)(8 - p->depth - at * p->depth % 8);
	uint32_t v = (uint32_t)row[at * p->depth / 8] >> shift & most;
	return p->type == PALETTE ? v : v * 255 / most;
}

static bool put_pass(const Png *p, uint8_t **rows, const Pass *a, Image *out)
{
	int64_t w = part(p->width, a->x0, a->dx), h = part(p->height, a->y0, a->dy);
	size_t width = row_bytes(p, w);
	if (!w || !h)
		return true;
	if (!unfilter(p, *rows, width, h))
		return false;
	for (int64_t y = 0; y < h; y++, *rows += width + 1)
		for (int64_t x = 0; x < w; x++) {
			uint8_t *to = out->pixels + ((a->y0 + y * a->dy) * p->width + a->x0 + x * a->dx) * out->channels;
			uint32_t v = sample(p, *rows + 1, x, 0);
			if (p->type == PALETTE && (int)v >= p->colours)
				return false;
			for (int c = 0; c < out->channels; c++)
				to[c] = p->type == PALETTE ? p->palette[v][c] : (uint8_t)sample(p, *rows + 1, x, c);
		}
	return true;
}

/* All data chunks are one stream. */
static bool inflate_rows(Png *p, z_stream *z, const uint8_t *d, size_t n)
{
	z->next_in = d;
	z->avail_in = (uInt)n;
	while (z->avail_in && z->total_out < p->size) {
		size_t room = p->size - z->total_out;
		z->next_out = p->rows + z->total_out;
		z->avail_out = room > 1u << 30 ? 1u << 30 : (uInt)room;
		int r = inflate(z, Z_NO_FLUSH);
		if (r == Z_STREAM_END)
			return z->total_out == p->size;
		if (r != Z_OK)
			return false;
	}
	return true;
}

static ImageResult read_chunks(Png *p, z_stream *z, const uint8_t *d, const uint8_t *end, int64_t max_bytes)
{
	bool ended = false;
	while (!ended && end - d >= 12) {
		size_t n = big32(d);
		const uint8_t *body = d + 8;
		if (n > (size_t)(end - body) || (size_t)(end - body) - n < 4)
			return IMAGE_BAD;
		if (!memcmp(d + 4, "IHDR", 4) && !p->rows) {
			if (!read_header(p, body, n))
				return IMAGE_BAD;
			if (!plan_rows(p, max_bytes) || !(p->rows = calloc(p->size + 1, 1)))
				return IMAGE_TOO_BIG;
		} else if (!p->rows) {
			return IMAGE_BAD;
		} else if (!memcmp(d + 4, "PLTE", 4)) {
			if (n % 3 || n > sizeof p->palette)
				return IMAGE_BAD;
			memcpy(p->palette, body, n);
			p->colours = (int)(n / 3);
		} else if (!memcmp(d + 4, "IDAT", 4)) {
			if (!inflate_rows(p, z, body, n))
				return IMAGE_BAD;
		}
		ended = !memcmp(d + 4, "IEND", 4);
		d = body + n + 4;
	}
	return p->rows && z->total_out == p->size ? IMAGE_OK : IMAGE_BAD;
}

ImageResult image_read_png(const uint8_t *data, size_t n, Image *out)
{
	enum { SIGNATURE = 8 };
	Png *p = mem_zalloc(sizeof *p);
	z_stream z = { 0 };
	ImageResult r = inflateInit(&z) == Z_OK ? IMAGE_OK : IMAGE_TOO_BIG;
	if (r == IMAGE_OK)
		r = read_chunks(p, &z, data + SIGNATURE, data + n, out->max_bytes);
	inflateEnd(&z);
	if (r == IMAGE_OK)
		r = image_new(out, p->width, p->height, p->type == GREY || p->type == GREY_ALPHA ? 1 : 3);
	uint8_t *rows = p->rows;
	for (int i = 0; r == IMAGE_OK && i < (p->interlaced ? 7 : 1); i++)
		if (!put_pass(p, &rows, p->interlaced ? &passes[i] : &plain, out))
			r = IMAGE_BAD;
	free(p->rows);
	mem_free(p);
	return r;
}

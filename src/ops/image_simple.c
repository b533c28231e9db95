/* Pictures without, or with the simplest, compression: BMP of Windows and OS/2, and PNM. */
#include "ops/image.h"

#include <stdlib.h>
#include <string.h>

/* ---- BMP ---- */

static uint32_t u16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
	return u16(p) | u16(p + 2) << 16;
}

enum { BMP_RGB, BMP_RLE8, BMP_RLE4, BMP_BITFIELDS, BMP_ALPHABITFIELDS = 6 };

typedef struct Bmp {
	const uint8_t *data, *end, *pixels, *palette;
	int64_t width, height;
	bool top_down;
	uint32_t bits, kind, colours, entry; /* palette: entries, bytes of one */
	uint32_t mask[3];
} Bmp;

static bool bmp_masks(Bmp *b, uint32_t header)
{
	static const uint32_t five[3] = { 0x7c00, 0x3e0, 0x1f }, eight[3] = { 0xff0000, 0xff00, 0xff };
	bool given = b->kind == BMP_BITFIELDS || b->kind == BMP_ALPHABITFIELDS;
	memcpy(b->mask, b->bits == 16 ? five : eight, sizeof b->mask);
	if (!given)
		return b->kind == BMP_RGB;
	if (b->bits != 16 && b->bits != 32)
		return false;
	(void)header; /* the masks are the last part of a long header, or follow a short one: at the same place */
	if (b->end - b->data < 14 + 40 + 12)
		return false;
	for (int i = 0; i < 3; i++)
		b->mask[i] = u32(b->data + 14 + 40 + 4 * i);
	return true;
}

static bool bmp_header(Bmp *b, const uint8_t *data, size_t n)
{
	enum { FILE_HEADER = 14, OLD = 12, USUAL = 40 };
	b->data = data;
	b->end = data + n;
	if (n < FILE_HEADER + OLD)
		return false;
	uint32_t at = u32(data + 10), header = u32(data + 14), colours = 0;
	if (header != OLD && (header < 16 || header > 1024 || n < FILE_HEADER + (size_t)header))
		return false;
	const uint8_t *h = data + FILE_HEADER;
	bool old = header == OLD;
	int64_t height = old ? (int64_t)u16(h + 6) : (int64_t)(int32_t)u32(h + 8);
	b->width = old ? (int64_t)u16(h + 4) : (int64_t)(int32_t)u32(h + 4);
	b->top_down = height < 0;
	b->height = height < 0 ? -height : height;
	b->bits = u16(h + (old ? 10 : 14));
	b->kind = header >= 20 ? u32(h + 16) : BMP_RGB;
	if (header >= USUAL)
		colours = u32(h + 32);
	b->entry = old ? 3 : 4;
	b->palette = h + header + (header == USUAL && b->kind == BMP_BITFIELDS ? 12 : header == USUAL && b->kind == BMP_ALPHABITFIELDS ? 16 : 0);
	b->pixels = at < n ? data + at : NULL;
	if (b->bits <= 8) {
		b->colours = colours && colours < 1u << b->bits ? colours : 1u << b->bits;
		if (b->palette > b->end || (size_t)(b->end - b->palette) / b->entry < b->colours)
			return false;
		return b->pixels && (b->bits == 1 || b->bits == 4 || b->bits == 8) &&
			(b->kind == BMP_RGB || (b->kind == BMP_RLE8 && b->bits == 8) || (b->kind == BMP_RLE4 && b->bits == 4));
	}
	return b->pixels && (b->bits == 16 || b->bits == 24 || b->bits == 32) && bmp_masks(b, header);
}

static void bmp_colour(const Bmp *b, uint32_t index, uint8_t *y)
{
	const uint8_t *p = b->palette + index * b->entry;
	if (index >= b->colours)
		return;
	for (int c = 0; c < 3; c++)
		y[c] = p[2 - c];
}

/* The bits of v under a mask, widened to 8. */
static uint8_t bmp_channel(uint32_t v, uint32_t mask)
{
	if (!mask)
		return 0;
	int shift = __builtin_ctz(mask);
	uint32_t most = mask >> shift;
	return (uint8_t)(((uint64_t)((v & mask) >> shift) * 255 + most / 2) / most);
}

static void bmp_row(const Bmp *b, const uint8_t *row, uint8_t *y)
{
	for (int64_t x = 0; x < b->width; x++, y += 3) {
		if (b->bits <= 8) {
			uint32_t per = 8 / b->bits, shift = (per - 1 - (uint32_t)(x % per)) * b->bits;
			bmp_colour(b, (uint32_t)row[x / per] >> shift & ((1u << b->bits) - 1), y);
			continue;
		}
		const uint8_t *p = row + x * (b->bits / 8);
		uint32_t v = b->bits == 16 ? u16(p) : b->bits == 32 ? u32(p) : u16(p) | (uint32_t)p[2] << 16;
		for (int c = 0; c < 3; c++)
			y[c] = bmp_channel(v, b->mask[c]);
	}
}

/* Runs of palette indices; pixels that are jumped over have colour 0. */
static void bmp_runs(const Bmp *b, Image *out)
{
	const uint8_t *p = b->pixels;
	int64_t x = 0, y = 0;
	uint32_t per = b->kind == BMP_RLE4 ? 2 : 1;
	for (int64_t i = 0; i < b->width * b->height; i++)
		bmp_colour(b, 0, out->pixels + 3 * i);
	while (b->end - p >= 2 && y < b->height) {
		uint32_t count = p[0], what = p[1];
		p += 2;
		if (count == 0 && what < 3) {
			if (what == 1)
				return;
			if (what == 2 && b->end - p < 2)
				return;
			x = what == 2 ? x + p[0] : 0;
			y += what == 2 ? p[1] : 1;
			p += what == 2 ? 2 : 0;
			continue;
		}
		const uint8_t *source = count ? p - 1 : p;
		uint32_t n = count ? count : what;
		if (!count && (size_t)(b->end - p) < (n + per - 1) / per)
			return;
		for (uint32_t i = 0; i < n && x < b->width; i++, x++) {
			uint32_t byte = source[count ? 0 : i / per], index = per == 1 ? byte : i % 2 ? byte & 15 : byte >> 4;
			bmp_colour(b, index, out->pixels + 3 * ((b->height - 1 - y) * b->width + x));
		}
		if (!count)
			p += ((n + per - 1) / per + 1) & ~1u;
	}
}

ImageResult image_read_bmp(const uint8_t *data, size_t n, Image *out)
{
	Bmp b = { 0 };
	if (!bmp_header(&b, data, n))
		return IMAGE_BAD;
	ImageResult r = image_new(out, b.width, b.height, 3);
	if (r != IMAGE_OK)
		return r;
	if (b.bits <= 8 && b.kind != BMP_RGB) {
		bmp_runs(&b, out);
		return IMAGE_OK;
	}
	size_t step = ((size_t)b.width * b.bits + 31) / 32 * 4, left = (size_t)(b.end - b.pixels);
	if (left / step < (size_t)b.height - 1 || left - step * ((size_t)b.height - 1) < ((size_t)b.width * b.bits + 7) / 8)
		return IMAGE_BAD;
	for (int64_t y = 0; y < b.height; y++)
		bmp_row(&b, b.pixels + step * (size_t)y, out->pixels + 3 * b.width * (b.top_down ? y : b.height - 1 - y));
	return IMAGE_OK;
}

/* ---- PNM ---- */

typedef struct Pnm {
	const uint8_t *p, *end;
} Pnm;

/* A number after blanks and comments; false at the end or for anything else. */
static bool pnm_number(Pnm *s, int64_t *out)
{
	while (s->p < s->end && (strchr(" \t\r\n\v\f", *s->p) || *s->p == '#')) {
		if (*s->p == 0)
			return false;
		if (*s->p == '#')
			while (s->p < s->end && *s->p != '\n')
				s->p++;
		else
			s->p++;
	}
	*out = 0;
	const uint8_t *first = s->p;
	while (s->p < s->end && *s->p >= '0' && *s->p <= '9' && *out < INT32_MAX)
		*out = *out * 10 + (*s->p++ - '0');
	return s->p > first && *out <= INT32_MAX;
}

/* The next digit of a plain bitmap, where blanks need not stand. */
static bool pnm_bit(Pnm *s, int64_t *out)
{
	while (s->p < s->end && *s->p != '0' && *s->p != '1') {
		if (*s->p == '#')
			while (s->p < s->end && *s->p != '\n')
				s->p++;
		else if (*s->p == 0 || !strchr(" \t\r\n\v\f", *s->p))
			return false;
		else
			s->p++;
	}
	if (s->p == s->end)
		return false;
	*out = *s->p++ - '0';
	return true;
}

static uint8_t pnm_scaled(int64_t v, int64_t most)
{
	return (uint8_t)(v >= most ? 255 : (v * 255 * 2 + most) / (2 * most));
}

/* Values as text, or as bits, bytes or pairs of bytes. */
static bool pnm_values(Pnm *s, char kind, int64_t most, Image *out)
{
	int64_t row = out->width * out->channels, n = row * out->height, v;
	bool binary = kind >= '4', bitmap = kind == '1' || kind == '4';
	size_t left = (size_t)(s->end - s->p), wide = most > 255 ? 2 : 1;
	size_t need = bitmap ? (size_t)((row + 7) / 8) * (size_t)out->height : (size_t)n * wide;
	if (binary && left < need)
		return false;
	for (int64_t i = 0; i < n; i++) {
		if (!binary) {
			if (!(bitmap ? pnm_bit(s, &v) : pnm_number(s, &v)))
				return false;
		} else if (bitmap) {
			int64_t x = i % row;
			v = s->p[i / row * ((row + 7) / 8) + x / 8] >> (7 - x % 8) & 1;
		} else {
			v = wide == 2 ? (int64_t)s->p[2 * i] << 8 | s->p[2 * i + 1] : s->p[i];
		}
		out->pixels[i] = bitmap ? (v ? 0 : 255) : pnm_scaled(v, most);
	}
	return true;
}

ImageResult image_read_pnm(const uint8_t *data, size_t n, Image *out)
{
	Pnm s = { data + 2, data + n };
	char kind = (char)data[1];
	int64_t width, height, most = 1;
	bool colour = kind == '3' || kind == '6', bitmap = kind == '1' || kind == '4';
	if (!pnm_number(&s, &width) || !pnm_number(&s, &height) || (!bitmap && !pnm_number(&s, &most)) || most < 1 || most > 65535)
		return IMAGE_BAD;
	if (kind >= '4' && s.p++ >= s.end) /* one blank */
		return IMAGE_BAD;
	ImageResult r = image_new(out, width, height, colour ? 3 : 1);
	if (r != IMAGE_OK)
		return r;
	return pnm_values(&s, kind, most, out) ? IMAGE_OK : IMAGE_BAD;
}

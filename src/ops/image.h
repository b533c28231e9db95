/* image: encoded pictures to pixels, for the operator ImageDecoder. BMP and PNM are read here; the codecs of JPEG,
 * JPEG 2000, PNG, TIFF and WebP are libraries, which a module of its own links (src/modules/image_codecs.c): it is loaded when the
 * first such picture is met, so that nothing else pays for it. */
#ifndef HONE_OPS_IMAGE_H
#define HONE_OPS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef enum ImageFormat {
	IMAGE_UNKNOWN, IMAGE_BMP, IMAGE_PNM, IMAGE_PNG, IMAGE_JPEG, IMAGE_JPEG2000, IMAGE_TIFF, IMAGE_WEBP
} ImageFormat;

typedef enum ImageResult {
	IMAGE_OK,
	IMAGE_BAD,      /* no picture, or a damaged one */
	IMAGE_TOO_BIG,  /* more than max_bytes of pixels */
	IMAGE_NO_CODEC  /* this build cannot read the format */
} ImageResult;

typedef struct Image {
	int64_t width, height;
	int channels;      /* 1 or 3 (red, green, blue) */
	uint8_t *pixels;   /* from malloc; rows from the top, pixels left to right, channels innermost */
	int64_t max_bytes; /* of pixels; set by the caller */
} Image;

ImageFormat image_format(const uint8_t *data, size_t n);
const char *image_format_name(ImageFormat f);
/* Sets the sizes and makes room for the pixels, zeroed. Here, since the module shares no code with its user. */
static inline ImageResult image_new(Image *i, int64_t width, int64_t height, int channels)
{
	int64_t bytes;
	if (width < 1 || height < 1)
		return IMAGE_BAD;
	if (__builtin_mul_overflow(width, height, &bytes) || __builtin_mul_overflow(bytes, channels, &bytes) || bytes > i->max_bytes)
		return IMAGE_TOO_BIG;
	i->width = width;
	i->height = height;
	i->channels = channels;
	i->pixels = (uint8_t *)calloc((size_t)bytes, 1);
	return i->pixels ? IMAGE_OK : IMAGE_TOO_BIG;
}
void image_free(Image *i);
ImageResult image_decode(const uint8_t *data, size_t n, Image *out); /* any format; on failure nothing is left to free */

ImageResult image_read_bmp(const uint8_t *data, size_t n, Image *out); /* image_simple.c */
ImageResult image_read_pnm(const uint8_t *data, size_t n, Image *out);

/* ---- the module ---- */

#define IMAGE_MODULE "hone-images.so"
#define IMAGE_MODULE_ENTRY "hone_image_codec"
/* Its only function. The pixels are the caller's to free. */
typedef ImageResult ImageCodec(ImageFormat f, const uint8_t *data, size_t n, Image *out);

#endif

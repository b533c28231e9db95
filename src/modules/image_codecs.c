/* The module hone-images.so: pictures whose codecs are libraries. What a build lacks is answered with IMAGE_NO_CODEC. */
#include "ops/image.h"

#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_JPEG
#include <jerror.h>
#include <jpeglib.h>
#endif
#ifdef HAVE_PNG
#include <png.h>
#endif
#ifdef HAVE_TIFF
#include <tiffio.h>
#endif
#ifdef HAVE_WEBP
#include <webp/decode.h>
#endif
#ifdef HAVE_OPENJPEG
#include <openjpeg.h>
#endif

ImageCodec hone_image_codec;

/* ---- JPEG ---- */

#ifdef HAVE_JPEG
typedef struct JpegErrors {
	struct jpeg_error_mgr base;
	jmp_buf env;
} JpegErrors;

static void jpeg_fail(j_common_ptr c)
{
	longjmp(((JpegErrors *)c->err)->env, 1);
}

static void jpeg_quiet(j_common_ptr c)
{
	(void)c;
}

/* Inks that Adobe's programs store inverted; black darkens all. */
static void from_inks(const uint8_t *in, uint8_t *y, int64_t n, bool inverted)
{
	for (int64_t i = 0; i < n; i++)
		for (int c = 0; c < 3; c++) {
			int ink = in[4 * i + c], black = in[4 * i + 3];
			int light = inverted ? ink : 255 - ink, bright = inverted ? black : 255 - black;
			y[3 * i + c] = (uint8_t)((light * bright + 127) / 255);
		}
}

static ImageResult read_lines(struct jpeg_decompress_struct *d, uint8_t *line, Image *out)
{
	bool inks = d->output_components == 4;
	while (d->output_scanline < d->output_height) {
		uint8_t *y = out->pixels + (int64_t)d->output_scanline * out->width * out->channels, *to = inks ? line : y;
		if (jpeg_read_scanlines(d, &to, 1) != 1)
			return IMAGE_BAD;
		if (inks)
			from_inks(line, y, out->width, d->saw_Adobe_marker);
	}
	return IMAGE_OK;
}

static ImageResult read_jpeg(const uint8_t *data, size_t n, Image *out)
{
	struct jpeg_decompress_struct d;
	JpegErrors errors;
	uint8_t *volatile line = NULL;
	ImageResult volatile r = IMAGE_BAD;
	if (n > ULONG_MAX)
		return IMAGE_TOO_BIG;
	d.err = jpeg_std_error(&errors.base);
	errors.base.error_exit = jpeg_fail;
	errors.base.output_message = jpeg_quiet;
	if (!setjmp(errors.env)) {
		jpeg_create_decompress(&d);
		jpeg_mem_src(&d, (unsigned char *)data, (unsigned long)n);
		jpeg_read_header(&d, TRUE);
		bool inks = d.jpeg_color_space == JCS_CMYK || d.jpeg_color_space == JCS_YCCK;
		d.out_color_space = inks ? JCS_CMYK : d.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
		jpeg_calc_output_dimensions(&d);
		r = image_new(out, d.output_width, d.output_height, d.out_color_space == JCS_GRAYSCALE ? 1 : 3);
		if (r == IMAGE_OK && inks)
			r = (line = malloc((size_t)d.output_width * 4)) ? IMAGE_OK : IMAGE_TOO_BIG;
		if (r == IMAGE_OK) {
			jpeg_start_decompress(&d);
			r = read_lines(&d, line, out);
			jpeg_finish_decompress(&d);
		}
	} else {
		r = IMAGE_BAD;
	}
	jpeg_destroy_decompress(&d);
	free(line);
	return r;
}
#endif

/* ---- PNG ---- */

#ifdef HAVE_PNG
typedef struct PngSource {
	const uint8_t *data;
	size_t size, at;
} PngSource;

static void png_take(png_structp png, png_bytep to, size_t n)
{
	PngSource *s = png_get_io_ptr(png);
	if (n > s->size - s->at)
		png_longjmp(png, 1);
	memcpy(to, s->data + s->at, n);
	s->at += n;
}

static void png_fail(png_structp png, png_const_charp text)
{
	(void)text;
	png_longjmp(png, 1);
}

static void png_quiet(png_structp png, png_const_charp text)
{
	(void)png, (void)text;
}

/* 8 bits a sample, the upper ones of 16; without transparency, in grey where the file is. */
static void png_plain_samples(png_structp png)
{
	png_set_strip_16(png);
	png_set_strip_alpha(png);
	png_set_palette_to_rgb(png);
	png_set_expand_gray_1_2_4_to_8(png);
	png_set_interlace_handling(png);
}

static ImageResult read_png(const uint8_t *data, size_t n, Image *out)
{
	PngSource s = { data, n, 0 };
	ImageResult volatile r = IMAGE_TOO_BIG;
	png_bytepp volatile rows = NULL;
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, png_fail, png_quiet);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (info && !setjmp(png_jmpbuf(png))) {
		png_set_read_fn(png, &s, png_take);
		png_set_user_limits(png, INT32_MAX, INT32_MAX);
		png_read_info(png, info);
		int64_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
		r = image_new(out, width, height, png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR ? 3 : 1);
		if (r == IMAGE_OK)
			r = (rows = malloc((size_t)height * sizeof *rows)) ? IMAGE_OK : IMAGE_TOO_BIG;
		if (r == IMAGE_OK) {
			png_plain_samples(png);
			png_read_update_info(png, info);
			for (int64_t i = 0; i < height; i++)
				rows[i] = out->pixels + i * width * out->channels;
			png_read_image(png, rows);
		}
	} else if (info) {
		r = IMAGE_BAD;
	}
	free(rows);
	png_destroy_read_struct(&png, &info, NULL);
	return r;
}
#endif

/* ---- TIFF ---- */

#ifdef HAVE_TIFF
typedef struct Memory {
	const uint8_t *data;
	toff_t size, at;
} Memory;

static tmsize_t memory_read(thandle_t h, void *buf, tmsize_t n)
{
	Memory *m = h;
	tmsize_t left = m->at < m->size ? (tmsize_t)(m->size - m->at) : 0;
	if (n > left)
		n = left;
	if (n > 0)
		memcpy(buf, m->data + m->at, (size_t)n);
	m->at += (toff_t)(n > 0 ? n : 0);
	return n;
}

static tmsize_t memory_write(thandle_t h, void *buf, tmsize_t n)
{
	(void)h, (void)buf, (void)n;
	return 0;
}

static toff_t memory_seek(thandle_t h, toff_t at, int from)
{
	Memory *m = h;
	m->at = from == SEEK_SET ? at : from == SEEK_CUR ? m->at + at : m->size + at;
	return m->at;
}

static int memory_close(thandle_t h)
{
	(void)h;
	return 0;
}

static toff_t memory_size(thandle_t h)
{
	return ((Memory *)h)->size;
}

static int memory_map(thandle_t h, void **base, toff_t *size)
{
	(void)h, (void)base, (void)size;
	return 0;
}

static void memory_unmap(thandle_t h, void *base, toff_t size)
{
	(void)h, (void)base, (void)size;
}

/* Messages go nowhere: the answer says enough. */
static int tiff_quiet(TIFF *t, void *user, const char *module, const char *fmt, va_list ap)
{
	(void)t, (void)user, (void)module, (void)fmt, (void)ap;
	return 1;
}

/* The library's own conversion to red, green, blue and alpha, rows from the top. */
static ImageResult tiff_pixels(TIFF *t, Image *out)
{
	uint32_t width = 0, height = 0;
	if (!TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &width) || !TIFFGetField(t, TIFFTAG_IMAGELENGTH, &height))
		return IMAGE_BAD;
	ImageResult r = image_new(out, width, height, 3);
	uint32_t *raster = r == IMAGE_OK ? malloc((size_t)width * height * sizeof *raster) : NULL;
	if (!raster)
		return r == IMAGE_OK ? IMAGE_TOO_BIG : r;
	if (!TIFFReadRGBAImageOriented(t, width, height, raster, ORIENTATION_TOPLEFT, 1))
		r = IMAGE_BAD;
	for (size_t i = 0; r == IMAGE_OK && i < (size_t)width * height; i++) {
		out->pixels[3 * i] = (uint8_t)TIFFGetR(raster[i]);
		out->pixels[3 * i + 1] = (uint8_t)TIFFGetG(raster[i]);
		out->pixels[3 * i + 2] = (uint8_t)TIFFGetB(raster[i]);
	}
	free(raster);
	return r;
}

static ImageResult read_tiff(const uint8_t *data, size_t n, Image *out)
{
	Memory m = { data, n, 0 };
	TIFFOpenOptions *o = TIFFOpenOptionsAlloc();
	if (!o)
		return IMAGE_TOO_BIG;
	TIFFOpenOptionsSetErrorHandlerExtR(o, tiff_quiet, NULL);
	TIFFOpenOptionsSetWarningHandlerExtR(o, tiff_quiet, NULL);
	TIFF *t = TIFFClientOpenExt("picture", "rm", &m, memory_read, memory_write, memory_seek, memory_close, memory_size, memory_map,
		memory_unmap, o);
	TIFFOpenOptionsFree(o);
	ImageResult r = t ? tiff_pixels(t, out) : IMAGE_BAD;
	if (t)
		TIFFClose(t);
	return r;
}
#endif

/* ---- WebP ---- */

#ifdef HAVE_WEBP
static ImageResult read_webp(const uint8_t *data, size_t n, Image *out)
{
	int width, height;
	if (!WebPGetInfo(data, n, &width, &height))
		return IMAGE_BAD;
	ImageResult r = image_new(out, width, height, 3);
	if (r == IMAGE_OK && !WebPDecodeRGBInto(data, n, out->pixels, (size_t)width * (size_t)height * 3, 3 * width))
		r = IMAGE_BAD;
	return r;
}
#endif

/* ---- JPEG 2000 ---- */

#ifdef HAVE_OPENJPEG
typedef struct Source {
	const uint8_t *data;
	size_t size, at;
} Source;

static OPJ_SIZE_T source_read(void *buf, OPJ_SIZE_T n, void *user)
{
	Source *s = user;
	size_t left = s->size - s->at;
	if (left == 0)
		return (OPJ_SIZE_T)-1;
	if (n > left)
		n = left;
	memcpy(buf, s->data + s->at, n);
	s->at += n;
	return n;
}

static OPJ_OFF_T source_skip(OPJ_OFF_T n, void *user)
{
	Source *s = user;
	if (n < 0 || (uint64_t)n > s->size - s->at)
		return -1;
	s->at += (size_t)n;
	return n;
}

static OPJ_BOOL source_seek(OPJ_OFF_T at, void *user)
{
	Source *s = user;
	if (at < 0 || (uint64_t)at > s->size)
		return OPJ_FALSE;
	s->at = (size_t)at;
	return OPJ_TRUE;
}

/* A sample of component c where the picture has pixel (x, y), as 8 bits. */
static int component_at(const opj_image_comp_t *c, int64_t x, int64_t y)
{
	int64_t i = x / c->dx, j = y / c->dy;
	if (i >= c->w)
		i = c->w - 1;
	if (j >= c->h)
		j = c->h - 1;
	int64_t v = c->data[j * c->w + i];
	if (c->sgnd)
		v += (int64_t)1 << (c->prec - 1);
	v = c->prec > 8 ? v >> (c->prec - 8) : c->prec < 8 ? v * 255 / ((1 << c->prec) - 1) : v;
	return (int)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static uint8_t byte_of(double v)
{
	return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v + 0.5);
}

static ImageResult opj_pixels(const opj_image_t *m, Image *out)
{
	uint32_t n = m->numcomps;
	int channels = n >= 3 ? 3 : 1;
	if (n < 1)
		return IMAGE_BAD;
	for (int c = 0; c < channels; c++) {
		const opj_image_comp_t *p = &m->comps[c];
		if (!p->data || !p->w || !p->h || !p->dx || !p->dy || p->prec < 1 || p->prec > 31)
			return IMAGE_BAD;
	}
	ImageResult r = image_new(out, (int64_t)m->x1 - m->x0, (int64_t)m->y1 - m->y0, channels);
	for (int64_t i = 0; r == IMAGE_OK && i < out->width * out->height; i++) {
		uint8_t *y = out->pixels + i * channels;
		int v[3];
		for (int c = 0; c < channels; c++)
			v[c] = component_at(&m->comps[c], i % out->width, i / out->width);
		for (int c = 0; c < channels; c++)
			y[c] = (uint8_t)v[c];
		if (channels == 3 && m->color_space == OPJ_CLRSPC_SYCC) {
			double blue = v[1] - 128, red = v[2] - 128;
			y[0] = byte_of(v[0] + 1.402 * red);
			y[1] = byte_of(v[0] - 0.344136 * blue - 0.714136 * red);
			y[2] = byte_of(v[0] + 1.772 * blue);
		}
	}
	return r;
}

static ImageResult opj_decode_stream(opj_codec_t *codec, opj_stream_t *stream, Image *out)
{
	opj_dparameters_t parameters;
	opj_image_t *m = NULL;
	ImageResult r = IMAGE_BAD;
	opj_set_default_decoder_parameters(&parameters);
	if (opj_setup_decoder(codec, &parameters) && opj_read_header(stream, codec, &m)) {
		int64_t pixels;
		bool fits = m->x1 > m->x0 && m->y1 > m->y0 && !__builtin_mul_overflow((int64_t)(m->x1 - m->x0), (int64_t)(m->y1 - m->y0), &pixels) &&
			pixels <= out->max_bytes;
		if (!fits)
			r = IMAGE_TOO_BIG;
		else if (opj_decode(codec, stream, m) && opj_end_decompress(codec, stream))
			r = opj_pixels(m, out);
	}
	if (m)
		opj_image_destroy(m);
	return r;
}

static ImageResult read_jpeg2000(const uint8_t *data, size_t n, Image *out)
{
	Source s = { data, n, 0 };
	bool raw = data[0] == 0xff; /* without the boxes of a file */
	opj_codec_t *codec = opj_create_decompress(raw ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
	opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
	ImageResult r = IMAGE_TOO_BIG;
	if (codec && stream) {
		opj_stream_set_read_function(stream, source_read);
		opj_stream_set_skip_function(stream, source_skip);
		opj_stream_set_seek_function(stream, source_seek);
		opj_stream_set_user_data(stream, &s, NULL);
		opj_stream_set_user_data_length(stream, n);
		r = opj_decode_stream(codec, stream, out);
	}
	if (stream)
		opj_stream_destroy(stream);
	if (codec)
		opj_destroy_codec(codec);
	return r;
}
#endif

ImageResult hone_image_codec(ImageFormat f, const uint8_t *data, size_t n, Image *out)
{
	(void)data, (void)n, (void)out;
	switch (f) {
#ifdef HAVE_JPEG
	case IMAGE_JPEG: return read_jpeg(data, n, out);
#endif
#ifdef HAVE_PNG
	case IMAGE_PNG: return read_png(data, n, out);
#endif
#ifdef HAVE_TIFF
	case IMAGE_TIFF: return read_tiff(data, n, out);
#endif
#ifdef HAVE_WEBP
	case IMAGE_WEBP: return read_webp(data, n, out);
#endif
#ifdef HAVE_OPENJPEG
	case IMAGE_JPEG2000: return read_jpeg2000(data, n, out);
#endif
	default: return IMAGE_NO_CODEC;
	}
}

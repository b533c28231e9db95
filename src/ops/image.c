#include "ops/image.h"
#include "ops/eval_int.h"
#include "ops/gemm.h"
#include "module_dir.h" /* made when the build is configured */

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats ---- */

static bool begins(const uint8_t *data, size_t n, const char *mark, size_t len)
{
	return n >= len && !memcmp(data, mark, len);
}

ImageFormat image_format(const uint8_t *data, size_t n)
{
	if (begins(data, n, "\x89PNG\r\n\x1a\n", 8))
		return IMAGE_PNG;
	if (begins(data, n, "\xff\xd8\xff", 3))
		return IMAGE_JPEG;
	if (begins(data, n, "BM", 2))
		return IMAGE_BMP;
	if (begins(data, n, "II*\0", 4) || begins(data, n, "MM\0*", 4) || begins(data, n, "II+\0", 4) || begins(data, n, "MM\0+", 4))
		return IMAGE_TIFF;
	if (begins(data, n, "RIFF", 4) && n >= 12 && !memcmp(data + 8, "WEBP", 4))
		return IMAGE_WEBP;
	if (begins(data, n, "\0\0\0\x0cjP  \r\n\x87\n", 12) || begins(data, n, "\xff\x4f\xff\x51", 4))
		return IMAGE_JPEG2000;
	if (n >= 2 && data[0] == 'P' && data[1] >= '1' && data[1] <= '6')
		return IMAGE_PNM;
	return IMAGE_UNKNOWN;
}

const char *image_format_name(ImageFormat f)
{
	static const char *const names[] = { "unknown", "BMP", "PNM", "PNG", "JPEG", "JPEG 2000", "TIFF", "WebP" };
	return names[f];
}

void image_free(Image *i)
{
	free(i->pixels);
	i->pixels = NULL;
}

/* The module lies beside the command or library that this code is a part of, or where it was installed. */
static void *open_module(void)
{
	Dl_info self;
	void *module = NULL;
	Buf path = { 0 };
	if (dladdr(__extension__(const void *)open_module, &self) && self.dli_fname) {
		const char *end = strrchr(self.dli_fname, '/');
		buf_put(&path, self.dli_fname, end ? (size_t)(end - self.dli_fname) + 1 : 0);
		buf_puts(&path, IMAGE_MODULE);
		if (end)
			module = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
	}
	buf_free(&path);
	if (!module)
		module = dlopen(HONE_MODULE_DIR "/" IMAGE_MODULE, RTLD_NOW | RTLD_LOCAL);
	return module;
}

static ImageResult decode_by_module(ImageFormat f, const uint8_t *data, size_t n, Image *out)
{
	ImageResult r = IMAGE_NO_CODEC;
	void *module = open_module();
	union { void *object; ImageCodec *function; } entry = { module ? dlsym(module, IMAGE_MODULE_ENTRY) : NULL };
	if (entry.object)
		r = entry.function(f, data, n, out);
	if (module)
		dlclose(module);
	return r;
}

ImageResult image_decode(const uint8_t *data, size_t n, Image *out)
{
	ImageFormat f = image_format(data, n);
	ImageResult r;
	out->pixels = NULL;
	switch (f) {
	case IMAGE_UNKNOWN: return IMAGE_BAD;
	case IMAGE_BMP: r = image_read_bmp(data, n, out); break;
	case IMAGE_PNM: r = image_read_pnm(data, n, out); break;
	default: r = decode_by_module(f, data, n, out);
	}
	if (r != IMAGE_OK)
		image_free(out);
	return r;
}

/* ---- the operator ---- */

typedef enum PixelOrder { ORDER_RGB, ORDER_BGR, ORDER_GRAY, ORDER_NONE } PixelOrder;

static PixelOrder pixel_order(const Op *op)
{
	const char *s = op_text(op, A_pixel_format);
	return !strcmp(s, "RGB") ? ORDER_RGB : !strcmp(s, "BGR") ? ORDER_BGR : !strcmp(s, "Grayscale") ? ORDER_GRAY : ORDER_NONE;
}

bool infer_image_decode(InferCtx *x, Op *op)
{
	const Sym *dims[3] = { infer_unknown(x, op, 0, 0), infer_unknown(x, op, 0, 1),
		pixel_order(op) == ORDER_NONE ? infer_unknown(x, op, 0, 2) : sym_int(x->ctx, pixel_order(op) == ORDER_GRAY ? 1 : 3) };
	return infer_tensor(x, op, 0, DT_U8, 3, dims);
}

/* One pixel in the order wanted. Grey is the luma of ITU-R 601-2 in 16 bits, rounded. */
static void put_pixel(const uint8_t *p, int channels, PixelOrder order, uint8_t *y)
{
	enum { RED = 19595, GREEN = 38470, BLUE = 7471, HALF = 1 << 15 };
	uint32_t r = p[0], g = p[channels == 3 ? 1 : 0], b = p[channels == 3 ? 2 : 0];
	if (order == ORDER_GRAY) {
		y[0] = (uint8_t)(channels == 1 ? r : (r * RED + g * GREEN + b * BLUE + HALF) >> 16);
		return;
	}
	y[0] = (uint8_t)(order == ORDER_RGB ? r : b);
	y[1] = (uint8_t)g;
	y[2] = (uint8_t)(order == ORDER_RGB ? b : r);
}

/* The operator gives an empty picture for a stream that is none; what cannot be read here is an error. */
bool eval_image_decode(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	PixelOrder order = pixel_order(op);
	int channels = order == ORDER_GRAY ? 1 : 3;
	if (x->kind != TYPE_TENSOR || x->dtype != DT_U8 || x->rank != 1)
		return eval_error(e, op, "the encoded picture must be a list of bytes (uint8[n])");
	if (order == ORDER_NONE)
		return eval_error(e, op, "pixel_format must be RGB, BGR or Grayscale");
	uint8_t *bytes = mem_alloc((size_t)x->count + 1); /* oracle mode stores numbers of another type */
	for (int64_t i = 0; i < x->count; i++)
		bytes[i] = (uint8_t)tensor_get_i64(x, i);
	Image image = { .max_bytes = e->max_bytes };
	ImageFormat f = image_format(bytes, (size_t)x->count);
	ImageResult r = image_decode(bytes, (size_t)x->count, &image);
	mem_free(bytes);
	if (r == IMAGE_TOO_BIG)
		return eval_limit(e, op, "a %s picture of more pixels than the memory limit allows", image_format_name(f));
	if (r == IMAGE_NO_CODEC)
		return eval_unsupported(e, op, "%s pictures: hone was built without their library, or " IMAGE_MODULE " is not beside it",
			image_format_name(f));
	out[0] = tensor_new(e, DT_U8, 3, (int64_t[]){ r == IMAGE_OK ? image.height : 0, r == IMAGE_OK ? image.width : 0, channels });
	uint8_t pixel[3];
	for (int64_t i = 0; out[0] && i < out[0]->count; i += channels) {
		put_pixel(image.pixels + i / channels * image.channels, image.channels, order, pixel);
		for (int c = 0; c < channels; c++)
			tensor_set_i64(out[0], i + c, pixel[c]);
	}
	image_free(&image);
	return out[0] != NULL;
}

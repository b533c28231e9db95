/* Resampling: each output pixel is a weighted sum of input pixels, side by side for all channels. */
#include "simd.h"

enum { TASK_FLOATS = 16384, MAX_TAPS = 256 };

static int64_t lines(const ResizeParam *p)
{
	return p->batch * p->out[0] * p->out[1];
}

static int64_t resize_tasks(const void *param)
{
	const ResizeParam *p = param;
	int64_t per = max_i64(1, TASK_FLOATS / max_i64(1, p->out[2] * p->channels));
	return ceil_div(lines(p), per);
}

/* y = sum of weight * pixel: the first tap sets, the others add. */
static void add_pixel(float *y, const float *x, float w, int64_t n, bool first)
{
	if (first)
		for (int64_t i = 0; i < n; i++)
			y[i] = w * x[i];
	else
		for (int64_t i = 0; i < n; i++)
			y[i] += w * x[i];
}

static void resize_pixel(const ResizeParam *p, float *y, const float *x, const int64_t o[3])
{
	bool first = true;
	for (int a = 0; a < p->taps[0]; a++)
		for (int b = 0; b < p->taps[1]; b++)
			for (int c = 0; c < p->taps[2]; c++) {
				int64_t ia = o[0] * p->taps[0] + a, ib = o[1] * p->taps[1] + b, ic = o[2] * p->taps[2] + c;
				float w = p->weight[0][ia] * p->weight[1][ib] * p->weight[2][ic];
				if (w == 0 && !(first && a + 1 == p->taps[0] && b + 1 == p->taps[1] && c + 1 == p->taps[2]))
					continue;
				add_pixel(y, x + p->index[0][ia] * p->x_stride[1] + p->index[1][ib] * p->x_stride[2] +
					p->index[2][ic] * p->x_stride[3], w, p->channels, first);
				first = false;
			}
}

/* One tap of weight 1 everywhere: pixels are copied. */
static bool copies(const ResizeParam *p)
{
	return p->taps[0] == 1 && p->taps[1] == 1 && p->taps[2] == 1;
}

static void resize_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ResizeParam *p = param;
	int64_t tasks = resize_tasks(param), all = lines(p);
	(void)scratch;
	for (int64_t l = all * begin / tasks; l < all * end / tasks; l++) {
		int64_t n = l / (p->out[0] * p->out[1]), o[3] = { l / p->out[1] % p->out[0], l % p->out[1], 0 };
		const float *x = (const float *)ptr[1] + p->x_offset + n * p->x_stride[0];
		float *y = (float *)ptr[0] + p->y_offset + n * p->y_stride[0] + o[0] * p->y_stride[1] + o[1] * p->y_stride[2];
		for (; o[2] < p->out[2]; o[2]++, y += p->y_stride[3]) {
			if (!copies(p)) {
				resize_pixel(p, y, x, o);
				continue;
			}
			const float *from = x + p->index[0][o[0]] * p->x_stride[1] + p->index[1][o[1]] * p->x_stride[2] +
				p->index[2][o[2]] * p->x_stride[3];
			memcpy(y, from, (size_t)p->channels * sizeof(*y));
		}
	}
}

const Kernel K(kernel_resize) = { resize_tasks, resize_run, NULL };

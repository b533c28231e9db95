/* Maximum and average pools, vectors of channels. */
#include "conv.h"

enum { POOL_VECTORS = 4, POOL_TASKS = 32 };

static int64_t pixels_of(const PoolParam *p)
{
	return p->batch * p->out[0] * p->out[1] * p->out[2];
}

/* Tasks: blocks of pixels, and where there are few, blocks of channels. */
typedef struct Blocks {
	int64_t pixels, channels, pixel_blocks, channel_blocks;
} Blocks;

static Blocks blocks_of(const PoolParam *p)
{
	int64_t pixels = pixels_of(p), units = ceil_div(p->channels, POOL_VECTORS * LANES), row = max_i64(1, p->out[2]);
	Blocks b;
	b.pixels = ceil_div(pixels, min_i64(pixels, POOL_TASKS));
	if (pixels >= POOL_TASKS * row)
		b.pixels = ceil_div(b.pixels, row) * row;
	b.pixel_blocks = ceil_div(pixels, b.pixels);
	b.channels = ceil_div(units, max_i64(1, min_i64(units, POOL_TASKS / b.pixel_blocks))) * POOL_VECTORS * LANES;
	b.channel_blocks = ceil_div(p->channels, b.channels);
	return b;
}

static int64_t pool_tasks(const void *param)
{
	Blocks b = blocks_of(param);
	return b.pixel_blocks * b.channel_blocks;
}

/* The taps of a pixel inside the input, the input of the first, and what an average divides by. */
typedef struct Window {
	int64_t taps[3];
	const float *x;
	float count;
} Window;

static Window window_at(const PoolParam *p, const float *x, const int64_t out[3])
{
	Window w = {.x = x, .count = 1};
	for (int d = 0; d < 3; d++) {
		int64_t from = out[d] * p->stride[d] - p->pad[d], end = p->in[d] + p->pad_end[d];
		int64_t first = from < 0 ? min_i64(p->kernel[d], ceil_div(-from, p->dilation[d])) : 0;
		int64_t last = from < p->in[d] ? min_i64(p->kernel[d], ceil_div(p->in[d] - from, p->dilation[d])) : 0;
		int64_t all = from < end ? min_i64(p->kernel[d], ceil_div(end - from, p->dilation[d])) : 0;
		w.taps[d] = max_i64(last - first, 0);
		w.count *= (float)(p->count_padding ? all : w.taps[d]);
		w.x += (from + first * p->dilation[d]) * p->x_stride[d + 1];
	}
	return w;
}

/* The larger; NaN when either is. */
static inline Vec take_max(Vec a, Vec x)
{
	VecInt keep = ~((x > a) | (x != x));
	return (Vec)((keep & (VecInt)a) | (~keep & (VecInt)x));
}

/* Channels [c, c + nv * LANES) of one pixel; part: `channels` < LANES of them. nv, part and average are constants of
 * each use. */
static inline __attribute__((always_inline)) void pool(const PoolParam *p, const Window *w, float *y, int64_t c,
	int64_t channels, const int nv, const bool part, const bool average)
{
	Vec acc[POOL_VECTORS];
	for (int v = 0; v < nv; v++)
		acc[v] = average ? (Vec){0} : vec_set(-INFINITY);
	for (int64_t d = 0; d < w->taps[0]; d++)
		for (int64_t h = 0; h < w->taps[1]; h++) {
			const float *x = w->x + c + d * p->dilation[0] * p->x_stride[1] + h * p->dilation[1] * p->x_stride[2];
			for (int64_t i = 0; i < w->taps[2]; i++, x += p->dilation[2] * p->x_stride[3])
#pragma GCC unroll 4
				for (int v = 0; v < nv; v++) {
					Vec in = part ? vec_load_part(x, channels) : vec_load(x + v * LANES);
					acc[v] = average ? acc[v] + in : take_max(acc[v], in);
				}
		}
	for (int v = 0; v < nv; v++) {
		Vec r = average ? acc[v] / vec_set(w->count) : acc[v];
		if (part)
			vec_store_part(y + c, r, channels);
		else
			vec_store(y + c + v * LANES, r);
	}
}

static inline __attribute__((always_inline)) void pool_channels(const PoolParam *p, const Window *w, float *y,
	int64_t c, int64_t end, const bool average)
{
	for (; c + POOL_VECTORS * LANES <= end; c += POOL_VECTORS * LANES)
		pool(p, w, y, c, 0, POOL_VECTORS, false, average);
	for (; c + LANES <= end; c += LANES)
		pool(p, w, y, c, 0, 1, false, average);
	if (c < end)
		pool(p, w, y, c, end - c, 1, true, average);
}

/* Pixels outermost. */
static void pool_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const PoolParam *p = param;
	Blocks b = blocks_of(p);
	(void)scratch;
	for (int64_t task = begin; task < end; task++) {
		int64_t at = task / b.channel_blocks * b.pixels, last = min_i64(at + b.pixels, pixels_of(p));
		int64_t c = task % b.channel_blocks * b.channels, c_end = min_i64(c + b.channels, p->channels);
		for (; at < last; at++) {
			int64_t out[3], rest = at, to;
			for (int d = 2; d >= 0; d--) {
				out[d] = rest % p->out[d];
				rest /= p->out[d];
			}
			to = rest * p->y_stride[0] + out[0] * p->y_stride[1] + out[1] * p->y_stride[2] + out[2] * p->y_stride[3];
			Window w = window_at(p, (const float *)ptr[1] + p->x_offset + rest * p->x_stride[0], out);
			float *y = (float *)ptr[0] + p->y_offset + to;
			if (p->average)
				pool_channels(p, &w, y, c, c_end, true);
			else
				pool_channels(p, &w, y, c, c_end, false);
		}
	}
}

const Kernel K(kernel_pool) = {pool_tasks, pool_run, NULL};

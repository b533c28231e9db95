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

/* One dim of a window. Most windows lie inside: they take no division. */
static inline void window_dim(const PoolParam *p, int d, int64_t out, Window *w)
{
	int64_t from = out * p->stride[d] - p->pad[d], first = 0, all = p->kernel[d];
	w->taps[d] = p->kernel[d];
	if (from < 0 || from + (p->kernel[d] - 1) * p->dilation[d] >= p->in[d]) {
		int64_t end = p->in[d] + p->pad_end[d];
		first = from < 0 ? min_i64(p->kernel[d], ceil_div(-from, p->dilation[d])) : 0;
		int64_t last = from < p->in[d] ? min_i64(p->kernel[d], ceil_div(p->in[d] - from, p->dilation[d])) : 0;
		w->taps[d] = max_i64(last - first, 0);
		all = from < end ? min_i64(p->kernel[d], ceil_div(end - from, p->dilation[d])) : 0;
	}
	w->count *= (float)(p->count_padding ? all : w->taps[d]);
	w->x += (from + first * p->dilation[d]) * p->x_stride[d + 1];
}

/* Whether lanes have seen a NaN. */
#if ISA_LEVEL == 4
typedef __mmask16 Seen;
static inline Seen seen_nan(Seen s, Vec x)
{
	return (Seen)(s | _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q));
}
static inline Vec nan_where(Seen s, Vec a)
{
	return (Vec)_mm512_mask_mov_ps((__m512)a, s, _mm512_set1_ps(NAN));
}
#else
typedef VecInt Seen;
static inline Seen seen_nan(Seen s, Vec x)
{
	return s | (x != x);
}
static inline Vec nan_where(Seen s, Vec a)
{
	return (Vec)((~s & (VecInt)a) | (s & (VecInt)vec_set(NAN)));
}
#endif

/* nv vectors of channels of one pixel from c on; part: of the last, `channels` < LANES. nv, part and average are constants of
 * each use. */
static inline __attribute__((always_inline)) void pool(const PoolParam *p, const Window *w, float *y, int64_t c,
	int64_t channels, const int nv, const bool part, const bool average)
{
	Vec acc[POOL_VECTORS];
	Seen nan[POOL_VECTORS];
#pragma GCC unroll 4
	for (int v = 0; v < nv; v++) {
		acc[v] = average ? (Vec){0} : vec_set(-INFINITY);
		nan[v] = (Seen){0};
	}
	for (int64_t d = 0; d < w->taps[0]; d++)
		for (int64_t h = 0; h < w->taps[1]; h++) {
			const float *x = w->x + c + d * p->dilation[0] * p->x_stride[1] + h * p->dilation[1] * p->x_stride[2];
			for (int64_t i = 0; i < w->taps[2]; i++, x += p->dilation[2] * p->x_stride[3])
#pragma GCC unroll 4
				for (int v = 0; v < nv; v++) {
					Vec in = part && v == nv - 1 ? vec_load_part(x + v * LANES, channels) : vec_load(x + v * LANES);
					acc[v] = average ? acc[v] + in : vec_max(in, acc[v]);
					if (!average)
						nan[v] = seen_nan(nan[v], in);
				}
		}
#pragma GCC unroll 4
	for (int v = 0; v < nv; v++) {
		Vec r = average ? acc[v] / vec_set(w->count) : nan_where(nan[v], acc[v]);
		if (part && v == nv - 1)
			vec_store_part(y + c + v * LANES, r, channels);
		else
			vec_store(y + c + v * LANES, r);
	}
}

static inline __attribute__((always_inline)) void pool_channels(const PoolParam *p, const Window *w, float *y,
	int64_t c, int64_t end, const bool average)
{
	for (; c + POOL_VECTORS * LANES <= end; c += POOL_VECTORS * LANES)
		pool(p, w, y, c, 0, POOL_VECTORS, false, average);
	bool twin = !average && end - c > LANES && end - c < 2 * LANES;
	if (twin)
		pool(p, w, y, c, end - c - LANES, 2, true, false);
	for (; !twin && c + LANES <= end; c += LANES)
		pool(p, w, y, c, 0, 1, false, average);
	if (!twin && c < end)
		pool(p, w, y, c, end - c, 1, true, average);
}

/* n pixels of a line of the result from `out` on; y: the first of them; channels [c, c_end). */
static void pool_line(const PoolParam *p, const float *x, float *y, const int64_t out[3], int64_t n, int64_t c, int64_t c_end)
{
	Window line = {.x = x, .count = 1};
	window_dim(p, 0, out[0], &line);
	window_dim(p, 1, out[1], &line);
	for (int64_t i = 0; i < n; i++, y += p->y_stride[3]) {
		Window w = line;
		window_dim(p, 2, out[2] + i, &w);
		if (p->average)
			pool_channels(p, &w, y, c, c_end, true);
		else
			pool_channels(p, &w, y, c, c_end, false);
	}
}

/* Pixels outermost, line by line. */
static void pool_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const PoolParam *p = param;
	Blocks b = blocks_of(p);
	(void)scratch;
	for (int64_t task = begin; task < end; task++) {
		int64_t at = task / b.channel_blocks * b.pixels, last = min_i64(at + b.pixels, pixels_of(p));
		int64_t c = task % b.channel_blocks * b.channels, c_end = min_i64(c + b.channels, p->channels);
		for (int64_t n; at < last; at += n) {
			int64_t out[3], rest = at, to;
			for (int d = 2; d >= 0; d--) {
				out[d] = rest % p->out[d];
				rest /= p->out[d];
			}
			n = min_i64(last - at, p->out[2] - out[2]);
			to = rest * p->y_stride[0] + out[0] * p->y_stride[1] + out[1] * p->y_stride[2] + out[2] * p->y_stride[3];
			pool_line(p, (const float *)ptr[1] + p->x_offset + rest * p->x_stride[0], (float *)ptr[0] + p->y_offset + to, out, n, c,
				c_end);
		}
	}
}

const Kernel K(kernel_pool) = {pool_tasks, pool_run, NULL};

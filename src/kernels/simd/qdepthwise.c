/* Depthwise convolution of 8-bit integers, channels last: sums in f32, which holds them exactly; and the range of floats. */
#include "qconv.h"

enum { CHANNELS = 64, MOST_TAPS = 256 }; /* a block of channels; taps whose sum stays below 2^24 */

static int64_t taps_of(const ConvParam *c)
{
	return c->kernel[0] * c->kernel[1] * c->kernel[2];
}

static int64_t lines_of(const ConvParam *c)
{
	return c->batch * c->out[0] * c->out[1];
}

bool K(qdepthwise_plan)(QConvParam *p, int threads)
{
	ConvParam *c = &p->c;
	if (c->ic != 1 || c->oc != 1 || c->groups < 4 || taps_of(c) > MOST_TAPS)
		return false;
	c->task_rows = max_i64(1, lines_of(c) / (8 * (int64_t)threads));
	c->task_cols = 1;
	p->pitch = c->groups;
	return true;
}

/* [taps][channels] of w - zero. */
size_t K(qdepthwise_pack_bytes)(const QConvParam *p)
{
	return align64((size_t)(taps_of(&p->c) * p->c.groups) * sizeof(float));
}

void K(qdepthwise_pack)(const QConvParam *p, const QWeights *w, void *dst)
{
	const ConvParam *c = &p->c;
	float *to = dst;
	for (int64_t d = 0; d < c->kernel[0]; d++)
		for (int64_t h = 0; h < c->kernel[1]; h++)
			for (int64_t x = 0; x < c->kernel[2]; x++)
				for (int64_t o = 0; o < c->groups; o++) {
					int64_t at = o * w->stride[0] + d * w->stride[2] + h * w->stride[3] + x * w->stride[4];
					*to++ = (float)((w->is_signed ? ((const int8_t *)w->data)[at] : ((const uint8_t *)w->data)[at]) - w->zero[o]);
				}
}

static int64_t depthwise_tasks(const void *param)
{
	const ConvParam *c = &((const QConvParam *)param)->c;
	return ceil_div(lines_of(c), c->task_rows);
}

static size_t depthwise_scratch(const void *param)
{
	const QConvParam *p = param;
	return p->c.post ? align64((size_t)(p->c.out[2] * p->pitch) * 4) + K(conv_post_scratch)(p->c.post) : 0;
}

/* Inputs [begin, end) of a line's taps along one dim that lie inside. */
static void inside(int64_t at, int64_t step, int64_t taps, int64_t size, int64_t *begin, int64_t *end)
{
	*begin = at < 0 ? min_i64(taps, ceil_div(-at, step)) : 0;
	*end = at >= size ? *begin : max_i64(*begin, min_i64(taps, (size - 1 - at) / step + 1));
}

/* LANES bytes as floats. */
static inline __attribute__((always_inline)) Vec bytes_vec(const uint8_t *x, const bool is_signed)
{
#if ISA_LEVEL == 4
	__m128i b = _mm_loadu_si128((const __m128i *)x);
	return (Vec)_mm512_cvtepi32_ps(is_signed ? _mm512_cvtepi8_epi32(b) : _mm512_cvtepu8_epi32(b));
#elif ISA_LEVEL == 3
	__m128i b = _mm_loadl_epi64((const __m128i *)x);
	return (Vec)_mm256_cvtepi32_ps(is_signed ? _mm256_cvtepi8_epi32(b) : _mm256_cvtepu8_epi32(b));
#else
	Vec v;
	for (int i = 0; i < LANES; i++)
		v[i] = is_signed ? (float)(int8_t)x[i] : (float)x[i];
	return v;
#endif
}

/* A window: the first tap, and which taps lie inside. */
typedef struct Window {
	const uint8_t *x;
	int64_t lo[3], hi[3];
} Window;

/* nv vectors of channels from ch on, or n < LANES of them (nv 1, through copies). */
static inline __attribute__((always_inline)) void channels_sum(const QConvParam *p, const Window *w, float zero, int64_t ch,
	int64_t n, int32_t *sum, const int nv, const bool part, const bool is_signed)
{
	const ConvParam *c = &p->c;
	Vec acc[CHANNELS / LANES];
	for (int v = 0; v < nv; v++)
		acc[v] = (Vec){ 0 };
	for (int64_t d = w->lo[0]; d < w->hi[0]; d++)
		for (int64_t h = w->lo[1]; h < w->hi[1]; h++) {
			const uint8_t *x = w->x + d * c->dilation[0] * c->x_stride[1] + h * c->dilation[1] * c->x_stride[2] +
				w->lo[2] * c->dilation[2] * c->x_stride[3] + ch;
			const float *k = (const float *)c->weights + ((d * c->kernel[1] + h) * c->kernel[2] + w->lo[2]) * c->groups + ch;
			for (int64_t i = w->lo[2]; i < w->hi[2]; i++, x += c->dilation[2] * c->x_stride[3], k += c->groups) {
				uint8_t copy[LANES] = { 0 };
				if (part)
					memcpy(copy, x, (size_t)n);
#pragma GCC unroll 16
				for (int v = 0; v < nv; v++)
					acc[v] += (bytes_vec(part ? copy : x + v * LANES, is_signed) - vec_set(zero)) *
						(part ? vec_load_part(k, n) : vec_load(k + v * LANES));
			}
		}
	for (int v = 0; v < nv; v++) {
		VecInt s = __builtin_convertvector(acc[v], VecInt);
		memcpy(sum + v * LANES, &s, sizeof(s));
	}
}

static inline __attribute__((always_inline)) void pixel_sums(const QConvParam *p, const Window *w, float zero, char *y,
	const bool is_signed)
{
	int64_t ch = 0, channels = p->c.groups, size = (int64_t)q_out_size(p);
	int32_t sum[CHANNELS];
	for (; ch + CHANNELS <= channels; ch += CHANNELS) {
		channels_sum(p, w, zero, ch, 0, sum, CHANNELS / LANES, false, is_signed);
		K(q_finish)(p, sum, ch, CHANNELS, y + ch * size);
	}
	for (; ch < channels; ch += LANES) {
		int64_t n = min_i64(LANES, channels - ch);
		if (n == LANES)
			channels_sum(p, w, zero, ch, n, sum, 1, false, is_signed);
		else
			channels_sum(p, w, zero, ch, n, sum, 1, true, is_signed);
		K(q_finish)(p, sum, ch, n, y + ch * size);
	}
}

/* One pixel; x: of the first tap, which may lie outside. */
static void pixel(const QConvParam *p, const uint8_t *x, const int64_t at[3], float zero, char *y)
{
	const ConvParam *c = &p->c;
	Window w = { .x = x };
	for (int d = 0; d < 3; d++)
		inside(at[d], c->dilation[d], c->kernel[d], c->in[d], &w.lo[d], &w.hi[d]);
	if (p->x_signed)
		pixel_sums(p, &w, zero, y, true);
	else
		pixel_sums(p, &w, zero, y, false);
}

/* Tasks: lines of the output. */
static void depthwise_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const QConvParam *p = param;
	const ConvParam *c = &p->c;
	float zero = (float)q_x_zero(p, ptr);
	char *post = (char *)scratch + align64((size_t)(c->out[2] * p->pitch) * 4);
	int64_t last = min_i64(end * c->task_rows, lines_of(c));
	for (int64_t line = begin * c->task_rows; line < last; line++) {
		int64_t o1 = line % c->out[1], o0 = line / c->out[1] % c->out[0], n = line / (c->out[1] * c->out[0]), y = 0;
		int64_t at[3] = { o0 * c->stride[0] - c->pad[0], o1 * c->stride[1] - c->pad[1], -c->pad[2] };
		const uint8_t *x = (const uint8_t *)ptr[1] + c->x_offset + n * c->x_stride[0] + at[0] * c->x_stride[1] +
			at[1] * c->x_stride[2] + at[2] * c->x_stride[3];
		K(q_rows)(c, line * c->out[2], line * c->out[2] + 1, &y);
		for (int64_t i = 0; i < c->out[2]; i++, at[2] += c->stride[2], x += c->stride[2] * c->x_stride[3])
			pixel(p, x, at, zero, c->post ? (char *)scratch + i * p->pitch * 4
				: (char *)ptr[0] + (y + i * c->y_stride[3]) * (int64_t)q_out_size(p));
		if (c->post)
			K(q_post)(p, ptr, scratch, line * c->out[2], (line + 1) * c->out[2], 0, c->groups, post);
	}
}

const Kernel K(kernel_qdepthwise) = { depthwise_tasks, depthwise_run, depthwise_scratch };

/* ---- the range of floats ---- */

static int64_t one_task(const void *param)
{
	(void)param;
	return 1;
}

static void range_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	enum { PARTS = 16, LEVELS = 255 };
	const RangeParam *p = param;
	const float *x = (const float *)ptr[2] + p->x_offset;
	float low[PARTS] = { 0 }, high[PARTS] = { 0 }, lo = 0, hi = 0;
	(void)scratch;
	if (begin == end)
		return;
	int64_t i = 0;
	for (; i + PARTS <= p->n; i += PARTS)
		for (int k = 0; k < PARTS; k++) {
			low[k] = x[i + k] < low[k] ? x[i + k] : low[k];
			high[k] = x[i + k] > high[k] ? x[i + k] : high[k];
		}
	for (; i < p->n; i++) {
		low[0] = x[i] < low[0] ? x[i] : low[0];
		high[0] = x[i] > high[0] ? x[i] : high[0];
	}
	for (int k = 0; k < PARTS; k++) {
		lo = low[k] < lo ? low[k] : lo;
		hi = high[k] > hi ? high[k] : hi;
	}
	float scale = (float)((double)hi - (double)lo) / (float)LEVELS;
	scale = scale == 0 ? 1 : scale;
	float zero = __builtin_rintf((float)(-(double)lo / (double)scale));
	*(float *)ptr[0] = scale;
	*(uint8_t *)ptr[1] = (uint8_t)(zero > 0 ? zero < LEVELS ? zero : LEVELS : 0);
}

const Kernel K(kernel_range) = { one_task, range_run, NULL };

/* Convolution of few channels that lie in planes (images as most models take them): the first layer reads its input where it
 * is. Pixels of a strip of a line are a fixed distance apart, so each tap is one load at a constant offset: no table of
 * pointers. Strips at the border read a copy of their part of the lines, with zeros around it. */
#include "conv.h"

enum { PLANES_CHANNELS = 4, PLANES_LINES = 64, LONG_STRIP = MICRO_ROWS, SHORT_STRIP = (MICRO_ROWS + 1) / 2,
	BORDER_FLOATS = 256 }; /* of a line that a strip at the border copies */

static int64_t strip_reach(const ConvParam *p, int64_t pixels)
{
	return (pixels - 1) * p->stride[2] + (p->kernel[2] - 1) * p->dilation[2] + 1;
}

bool K(planes_plan)(ConvParam *p, int threads)
{
	int64_t lines = p->ic * p->kernel[1], all = p->batch * p->out[1];
	if (p->groups != 1 || p->ic > PLANES_CHANNELS || 2 * p->oc < LANES || lines > PLANES_LINES || p->x_stride[3] != 1 ||
			p->kernel[0] != 1 || p->in[0] != 1 || p->out[0] != 1 || p->pad[0] != 0 || 2 * p->out[2] < LONG_STRIP ||
			(p->stride[2] != 1 && p->stride[2] != 2 && p->stride[2] != 4) || strip_reach(p, LONG_STRIP) > BORDER_FLOATS)
		return false;
	double flops = 2 * (double)all * (double)p->out[2] * (double)(p->oc * lines * p->kernel[2]);
	K(split_work)(1, all, 1, 0.5 / (double)max_i64(all, 1), 1, flops, threads, &p->task_rows, &p->task_cols);
	return true;
}

/* Panels of [channel][line of the kernel][tap][column]. */
size_t K(planes_pack_bytes)(const ConvParam *p)
{
	return align64((size_t)(p->ic * p->kernel[1] * p->kernel[2] * packed_cols(p->oc)) * sizeof(float));
}

void K(planes_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst)
{
	float *to = dst;
	for (int64_t col = 0; col < p->oc; col += PANEL) {
		int64_t cols = min_i64(PANEL, p->oc - col), width = packed_cols(cols);
		for (int64_t i = 0; i < p->ic; i++)
			for (int64_t h = 0; h < p->kernel[1]; h++)
				for (int64_t x = 0; x < p->kernel[2]; x++, to += width)
					for (int64_t c = 0; c < width; c++)
						to[c] = c < cols ? w[(col + c) * s[0] + i * s[1] + h * s[3] + x * s[4]] : 0;
	}
}

static int64_t planes_tasks(const void *param)
{
	const ConvParam *p = param;
	return ceil_div(p->batch * p->out[1], p->task_rows);
}

/* Floats that a copied line takes: whole vectors. */
static int64_t copy_row(const ConvParam *p)
{
	return ceil_div(strip_reach(p, LONG_STRIP), LANES) * LANES;
}

static size_t planes_scratch(const void *param)
{
	const ConvParam *p = param;
	return K(conv_post_scratch)(p->post) + align64((size_t)(p->ic * p->kernel[1] * copy_row(p)) * sizeof(float));
}

/* A strip of a line. The lines of the input that it takes, NULL where they lie outside; its first tap is element `from`. */
typedef struct Strip {
	const ConvParam *p;
	const float *const *line;
	int64_t nlines, from, pixels;
	float *y;
	const float *residual;
} Strip;

/* What follows the sums of `rows` pixels, of which s->pixels are there: nv vectors from column col on, `last` columns in the last. */
static inline __attribute__((always_inline)) void finish(const Strip *s, Vec acc[][2], int64_t col, int64_t last, const int rows,
	const int nv)
{
	const ConvParam *p = s->p;
	const float *r = s->residual ? s->residual + col : NULL;
	float *y = s->y + col;
	int64_t step = p->y_stride[3];
	Vec lo = vec_set(p->lo), hi = vec_set(p->hi);
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
		if (r && i < s->pixels)
			for (int j = 0; j < nv; j++)
				acc[i][j] += j < nv - 1 || last == LANES ? vec_load(r + i * p->r_stride[3] + j * LANES) :
					vec_load_part(r + i * p->r_stride[3] + j * LANES, last);
	if (p->lo != -INFINITY || p->hi != INFINITY)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < nv; j++)
				acc[i][j] = vec_min(hi, vec_max(lo, acc[i][j])); /* NaN stays NaN */
	if (p->hard_swish)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < nv; j++)
				acc[i][j] = vec_hard_swish(acc[i][j]);
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++) {
		if (i >= s->pixels)
			return;
		for (int j = 0; j < nv - 1; j++)
			vec_store(y + j * LANES, acc[i][j]);
		if (last == LANES)
			vec_store(y + (nv - 1) * LANES, acc[i][nv - 1]);
		else
			vec_store_part(y + (nv - 1) * LANES, acc[i][nv - 1], last);
		y += step;
	}
}

/* One tap of one line: x is at the first pixel's. */
static inline __attribute__((always_inline)) void add_tap(const float *x, const float *w, Vec acc[][2], const int rows, const int nv,
	const int stride)
{
	Vec b[2];
#pragma GCC unroll 2
	for (int j = 0; j < nv; j++)
		b[j] = vec_load(w + j * LANES);
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++) {
		Vec a = vec_set(x[i * stride]);
#pragma GCC unroll 2
		for (int j = 0; j < nv; j++)
			acc[i][j] += a * b[j];
	}
}

/* Columns [col, col + cols) of the strip. rows (computed; s->pixels are there), nv, stride and width (of the kernel, not dilated;
 * 0: any) are constants of each use. */
static inline __attribute__((always_inline)) void planes(const Strip *s, const float *w, int64_t col, int64_t cols,
	const int rows, const int nv, const int stride, const int width)
{
	const ConvParam *p = s->p;
	int64_t taps = width ? width : p->kernel[2], dilation = p->dilation[2], last = cols - (nv - 1) * LANES;
	Vec acc[LONG_STRIP][2], bias[2] = {{0}};
	for (int j = 0; j < nv && p->bias; j++)
		bias[j] = vec_load_part(p->bias + col + j * LANES, min_i64(LANES, cols - j * LANES));
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
		for (int j = 0; j < nv; j++)
			acc[i][j] = bias[j];
	for (int64_t n = 0; n < s->nlines; n++, w += taps * nv * LANES) {
		if (!s->line[n])
			continue;
		const float *x = s->line[n] + s->from;
#pragma GCC unroll 3
		for (int k = 0; k < width; k++)
			add_tap(x + k, w + k * nv * LANES, acc, rows, nv, stride);
		for (int64_t k = 0; !width && k < taps; k++)
			add_tap(x + k * dilation, w + k * nv * LANES, acc, rows, nv, stride);
	}
	finish(s, acc, col, last, rows, nv);
}

typedef void PlanesRun(const Strip *s, const float *w, int64_t col, int64_t cols);
#define PLANES_RUN(name, rows, nv, stride, width) \
	static void name##_##nv##_##stride(const Strip *s, const float *w, int64_t col, int64_t cols) \
	{ \
		planes(s, w, col, cols, rows, nv, stride, width); \
	}
#define PLANES_BOTH(stride) \
	PLANES_RUN(long, LONG_STRIP, 1, stride, 0) PLANES_RUN(long, LONG_STRIP, 2, stride, 0) \
	PLANES_RUN(short, SHORT_STRIP, 1, stride, 0) PLANES_RUN(short, SHORT_STRIP, 2, stride, 0)
PLANES_BOTH(1) PLANES_BOTH(2) PLANES_BOTH(4)
#define PLANES_ROW(stride) {{short_1_##stride, short_2_##stride}, {long_1_##stride, long_2_##stride}}
static PlanesRun *const RUNS[3][2][2] = {PLANES_ROW(1), PLANES_ROW(2), PLANES_ROW(4)}; /* [stride / 2][long][wide] */
/* Of one vector, a tap takes so little time that the loop over three shows. */
PLANES_RUN(long3, LONG_STRIP, 1, 1, 3) PLANES_RUN(long3, LONG_STRIP, 1, 2, 3)

static PlanesRun *run_for(const ConvParam *p, bool longer, bool wide)
{
	if (longer && !wide && p->kernel[2] == 3 && p->dilation[2] == 1 && p->stride[2] <= 2)
		return p->stride[2] == 1 ? long3_1_1 : long3_1_2;
	return RUNS[p->stride[2] / 2][longer][wide];
}

/* Copies [from, from + reach) of lines of n floats, zeros where that lies outside; whole vectors are written. What of each vector
 * is inside is the same for all lines. */
static void copy_lines(const ConvParam *p, const float *const *lines, int64_t from, int64_t reach, float *copy,
	const float **copies)
{
	int64_t row = copy_row(p), n = p->ic * p->kernel[1], begin = max_i64(-from, 0), end = min_i64(reach, p->in[2] - from);
	for (int64_t i = 0; i < n; i++)
		copies[i] = lines[i] ? copy + i * row : NULL;
	for (int64_t at = 0; at < reach; at += LANES) {
		int64_t first = min_i64(max_i64(begin - at, 0), LANES), past = max_i64(min_i64(end - at, LANES), first);
		for (int64_t i = 0; i < n; i++)
			if (lines[i])
				vec_store(copy + i * row + at, vec_load_range(lines[i] + from + at, first, past));
	}
}

/* A line of the result, all columns. */
static void line_run(const ConvParam *p, void *const *ptr, int64_t line, float *copy)
{
	int64_t n = line / p->out[1], h = line % p->out[1], top = h * p->stride[1] - p->pad[1], pixels;
	const float *x = (const float *)ptr[1] + p->x_offset + n * p->x_stride[0], *lines[PLANES_LINES], *copies[PLANES_LINES];
	float *y = (float *)ptr[0] + p->y_offset + n * p->y_stride[0] + h * p->y_stride[2];
	const float *r = p->has_residual ? (const float *)ptr[2] + p->r_offset + n * p->r_stride[0] + h * p->r_stride[2] : NULL;
	for (int64_t c = 0, i = 0; c < p->ic; c++)
		for (int64_t k = 0; k < p->kernel[1]; k++, i++) {
			int64_t at = top + k * p->dilation[1];
			lines[i] = at >= 0 && at < p->in[1] ? x + c * p->x_channel + at * p->x_stride[2] : NULL;
		}
	for (int64_t at = 0; at < p->out[2]; at += pixels) {
		bool longer = p->out[2] - at > SHORT_STRIP;
		int64_t rows = longer ? LONG_STRIP : SHORT_STRIP, reach = strip_reach(p, rows), from = at * p->stride[2] - p->pad[2];
		pixels = min_i64(rows, p->out[2] - at);
		Strip s = {.p = p, .line = lines, .nlines = p->ic * p->kernel[1], .from = from, .pixels = pixels,
			.y = y + at * p->y_stride[3], .residual = r ? r + at * p->r_stride[3] : NULL};
		if (from < 0 || from + reach > p->in[2]) {
			copy_lines(p, lines, from, reach, copy, copies);
			s.line = copies;
			s.from = 0;
		}
		const float *w = p->weights;
		for (int64_t col = 0; col < p->oc; col += PANEL) {
			int64_t cols = min_i64(PANEL, p->oc - col);
			run_for(p, longer, cols > LANES)(&s, w, col, cols);
			w += s.nlines * p->kernel[2] * packed_cols(cols);
		}
	}
}

enum { BAND_BYTES = 128 << 10 };

/* Lines [first, last) in bands, each finished while it is in cache. */
static void lines_finish(const ConvParam *p, void *const *ptr, int64_t first, int64_t last, void *scratch)
{
	int64_t band = max_i64(1, BAND_BYTES / (p->out[2] * p->oc * (int64_t)sizeof(float)));
	float *copy = (float *)((char *)scratch + K(conv_post_scratch)(p->post));
	for (int64_t next; first < last; first = next) {
		next = min_i64(first + band, last);
		for (int64_t i = first; i < next; i++)
			line_run(p, ptr, i, copy);
		if (p->post)
			K(conv_post)(p, ptr, first * p->out[2], next * p->out[2], 0, p->oc, scratch);
	}
}

static void planes_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ConvParam *p = param;
	lines_finish(p, ptr, begin * p->task_rows, min_i64(end * p->task_rows, p->batch * p->out[1]), scratch);
}

void K(planes_lines)(const ConvParam *p, void *const *ptr, int64_t image, int64_t first, int64_t last, void *scratch)
{
	lines_finish(p, ptr, image * p->out[1] + first, image * p->out[1] + last, scratch);
}

const Kernel K(kernel_planes) = {planes_tasks, planes_run, planes_scratch};

/* Depthwise convolution (groups of one channel), vectors of channels: a strip of a row of output pixels is summed in
 * registers. */
#include "conv.h"

enum { STRIP = 7, WIDE = 2, TALL = 4 }; /* pixels of a strip; vectors of channels side by side; at the border */

static int64_t lines_of(const ConvParam *p)
{
	return p->batch * p->out[0] * p->out[1];
}

static int64_t taps_of(const ConvParam *p)
{
	return p->kernel[0] * p->kernel[1] * p->kernel[2];
}

bool K(depthwise_plan)(ConvParam *p, int threads)
{
	if (p->ic != 1 || p->oc != 1)
		return false;
	double flops = 2 * (double)lines_of(p) * (double)p->out[2] * (double)p->groups * (double)taps_of(p);
	/* Memory bounds it: work is counted four times. */
	K(split_work)(1, lines_of(p), ceil_div(p->groups, WIDE * LANES), 0.5 / (double)lines_of(p), 0.1, 4 * flops, threads,
		&p->task_rows, &p->task_cols);
	return true;
}

/* [channels / LANES][taps][LANES] */
size_t K(depthwise_pack_bytes)(const ConvParam *p)
{
	return align64((size_t)(packed_cols(p->groups) * taps_of(p)) * sizeof(float));
}

void K(depthwise_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst)
{
	float *to = dst;
	for (int64_t c = 0; c < p->groups; c += LANES)
		for (int64_t d = 0; d < p->kernel[0]; d++)
			for (int64_t h = 0; h < p->kernel[1]; h++)
				for (int64_t x = 0; x < p->kernel[2]; x++, to += LANES)
					for (int64_t j = 0; j < LANES; j++)
						to[j] = c + j < p->groups ? w[(c + j) * s[0] + d * s[2] + h * s[3] + x * s[4]] : 0;
}

static int64_t depthwise_tasks(const void *param)
{
	const ConvParam *p = param;
	return ceil_div(lines_of(p), p->task_rows) * ceil_div(ceil_div(p->groups, WIDE * LANES), p->task_cols);
}

static size_t depthwise_scratch(const void *param)
{
	return K(conv_post_scratch)(((const ConvParam *)param)->post);
}

/* An output line, and the taps that lie inside the input along depth and height. */
typedef struct Line {
	const ConvParam *p;
	const float *x, *residual;     /* at channel 0: of input width 0 and the first tap inside; of output width 0 */
	float *y;
	int64_t tap, d, h;             /* first tap inside, and the number of them */
} Line;

/* Vector v of nv; part: of the last one only `channels` lanes are there. */
static inline __attribute__((always_inline)) Vec load_vector(const float *p, int v, const int nv, const bool part,
	int64_t channels)
{
	return part && v == nv - 1 ? vec_load_part(p + v * LANES, channels) : vec_load(p + v * LANES);
}

/* What follows the sums, read once: stores might change it, for all the compiler knows. */
typedef struct Finish {
	int64_t y_step, r_step;        /* from one pixel to the next */
	bool bounded, hard_swish;
	Vec lo, hi;
} Finish;

static inline __attribute__((always_inline)) Finish finish_of(const ConvParam *p)
{
	return (Finish){.y_step = p->y_stride[3], .r_step = p->r_stride[3], .bounded = p->lo != -INFINITY || p->hi != INFINITY,
		.hard_swish = p->hard_swish, .lo = vec_set(p->lo), .hi = vec_set(p->hi)};
}

/* `computed` pixels, of which the first `pixels` are there; part: of the last vector there are only `channels` lanes. y and r
 * (NULL: none) are at the first. */
static inline __attribute__((always_inline)) void finish_pixels(const Finish *f, float *y, const float *r, int64_t pixels,
	int64_t channels, Vec sum[STRIP][TALL], const int computed, const int nv, const bool part)
{
	if (r)
#pragma GCC unroll 8
		for (int i = 0; i < computed; i++)
			for (int v = 0; v < nv && i < pixels; v++)
				sum[i][v] += load_vector(r + i * f->r_step, v, nv, part, channels);
	if (f->bounded)
#pragma GCC unroll 8
		for (int i = 0; i < computed; i++)
#pragma GCC unroll 4
			for (int v = 0; v < nv; v++)
				sum[i][v] = vec_min(f->hi, vec_max(f->lo, sum[i][v])); /* NaN stays NaN */
	if (f->hard_swish)
#pragma GCC unroll 8
		for (int i = 0; i < computed; i++)
#pragma GCC unroll 4
			for (int v = 0; v < nv; v++)
				sum[i][v] = vec_hard_swish(sum[i][v]);
#pragma GCC unroll 8
	for (int i = 0; i < computed; i++) {
		if (i >= pixels)
			return;
#pragma GCC unroll 4
		for (int v = 0; v < nv; v++)
			if (part && v == nv - 1)
				vec_store_part(y + v * LANES, sum[i][v], channels);
			else
				vec_store(y + v * LANES, sum[i][v]);
		y += f->y_step;
	}
}

/* Pixels [at, at + pixels) of a line, nv vectors of channels from c on, taps [begin, end) of each row of the kernel.
 * pixels, nv and part are constants of each use; part: fewer than LANES channels. */
static inline __attribute__((always_inline)) void strip(const Line *l, int64_t c, int64_t at, int64_t begin,
	int64_t end, int64_t channels, const int pixels, const int nv, const bool part)
{
	const ConvParam *p = l->p;
	int64_t taps = taps_of(p), pixel = p->x_stride[3], step = p->dilation[2] * pixel;
	Vec acc[STRIP][TALL];
#pragma GCC unroll 8
	for (int v = 0; v < nv; v++) {
		Vec bias = {0};
		if (p->bias)
			bias = part ? vec_load_part(p->bias + c, channels) : vec_load(p->bias + c + v * LANES);
#pragma GCC unroll 8
		for (int i = 0; i < pixels; i++)
			acc[i][v] = bias;
	}
	const float *first = l->x + c + (at * p->stride[2] - p->pad[2] + begin * p->dilation[2]) * pixel;
	const float *weights = (const float *)p->weights + c * taps + (l->tap + begin) * LANES;
	for (int64_t d = 0; d < l->d; d++)
		for (int64_t h = 0; h < l->h; h++) {
			const float *x[STRIP], *w = weights + (d * p->kernel[1] + h) * p->kernel[2] * LANES;
#pragma GCC unroll 8
			for (int i = 0; i < pixels; i++)
				x[i] = first + d * p->dilation[0] * p->x_stride[1] + h * p->dilation[1] * p->x_stride[2] +
					i * p->stride[2] * pixel;
			int64_t off = 0;
			for (int64_t k = begin; k < end; k++, w += LANES, off += step)
#pragma GCC unroll 8
				for (int v = 0; v < nv; v++) {
					Vec wv = vec_load(w + v * taps * LANES);
#pragma GCC unroll 8
					for (int i = 0; i < pixels; i++)
						acc[i][v] += wv *
							(part ? vec_load_part(x[i] + off, channels) : vec_load(x[i] + off + v * LANES));
				}
		}
	const Finish f = finish_of(p);
	finish_pixels(&f, l->y + c + at * p->y_stride[3], l->residual ? l->residual + c + at * p->r_stride[3] : NULL, pixels,
		channels, acc, pixels, nv, part);
}

typedef void StripRun(const Line *l, int64_t c, int64_t at, int64_t begin, int64_t end, int64_t channels);
#define STRIP_RUN(name, pixels, nv, part) \
	static void name(const Line *l, int64_t c, int64_t at, int64_t begin, int64_t end, int64_t channels) \
	{ \
		strip(l, c, at, begin, end, channels, pixels, nv, part); \
	}
#define STRIPS(pixels) \
	STRIP_RUN(strip_part_##pixels, pixels, 1, true) \
	STRIP_RUN(strip_one_##pixels, pixels, 1, false) \
	STRIP_RUN(strip_wide_##pixels, pixels, WIDE, false)
STRIPS(1) STRIPS(2) STRIPS(3) STRIPS(4) STRIPS(5) STRIPS(6) STRIPS(7)
STRIP_RUN(strip_tall, 1, TALL, false)
#define STRIP_ROW(pixels) { strip_part_##pixels, strip_one_##pixels, strip_wide_##pixels }
static StripRun *const STRIP_RUNS[STRIP][3] = {
	STRIP_ROW(1), STRIP_ROW(2), STRIP_ROW(3), STRIP_ROW(4), STRIP_ROW(5), STRIP_ROW(6), STRIP_ROW(7),
};

/* One pixel at the border, channels [c, c_end). */
static void border_pixel(const Line *l, int64_t at, int64_t c, int64_t c_end)
{
	const ConvParam *p = l->p;
	int64_t from = at * p->stride[2] - p->pad[2], dilation = p->dilation[2];
	int64_t begin = from < 0 ? ceil_div(-from, dilation) : 0;
	int64_t end = max_i64(begin, min_i64(p->kernel[2], ceil_div(p->in[2] - from, dilation)));
	for (; c + TALL * LANES <= c_end; c += TALL * LANES)
		strip_tall(l, c, at, begin, end, 0);
	for (; c + LANES <= c_end; c += LANES)
		strip_one_1(l, c, at, begin, end, 0);
	if (c < c_end)
		strip_part_1(l, c, at, begin, end, c_end - c);
}

/* ---- kernels of common widths: each input is loaded once for all the pixels of a strip that it takes part in ---- */

#if ISA_LEVEL == 4
enum { FIXED_VECTORS = 2 };
#else
enum { FIXED_VECTORS = 1 };
#endif

/* A strip: pixels [at, at + pixels) of each of n lines, and the channels from c on; of the last vector only `channels` are there.
 * What of it is the same for all lines is read once. */
typedef struct Fixed {
	const Line *lines;
	int64_t n, c, at, pixels, channels;
} Fixed;

/* A whole strip unless checked. width (of the kernel), stride, nv, checked and part are constants of each use. checked: inputs
 * may lie outside. part: the last vector is not whole. Input q of the strip takes part in pixel i by tap q - i * stride. */
static inline __attribute__((always_inline)) void fixed(const Fixed *s, const int width, const int stride, const int nv,
	const bool checked, const bool part)
{
	const ConvParam *p = s->lines->p;
	int64_t c = s->c, taps = taps_of(p), pixel = p->x_stride[3], from = s->at * stride - p->pad[2], channels = s->channels;
	int64_t in = p->in[2], depth_step = p->dilation[0] * p->x_stride[1], line_step = p->dilation[1] * p->x_stride[2];
	int64_t kernel_h = p->kernel[1], to_y = c + s->at * p->y_stride[3], to_r = c + s->at * p->r_stride[3];
	const float *weights = (const float *)p->weights + c * taps;
	const Finish f = finish_of(p);
	Vec bias[FIXED_VECTORS] = {{0}};
	for (int v = 0; v < nv && p->bias; v++)
		bias[v] = load_vector(p->bias + c, v, nv, part, channels);
	for (const Line *l = s->lines; l < s->lines + s->n; l++) {
		Vec acc[STRIP][TALL];
#pragma GCC unroll 8
		for (int i = 0; i < STRIP; i++)
#pragma GCC unroll 2
			for (int v = 0; v < nv; v++)
				acc[i][v] = bias[v];
		const float *line = l->x + c + from * pixel;
		for (int64_t d = 0; d < l->d; d++, line += depth_step - l->h * line_step)
			for (int64_t h = 0; h < l->h; h++, line += line_step) {
				const float *w = weights + (l->tap + (d * kernel_h + h) * width) * LANES, *x = line;
				Vec wv[7][FIXED_VECTORS];
#pragma GCC unroll 8
				for (int k = 0; k < width; k++)
#pragma GCC unroll 2
					for (int v = 0; v < nv; v++)
						wv[k][v] = vec_load(w + k * LANES + v * taps * LANES);
#pragma GCC unroll 32
				for (int q = 0; q < (STRIP - 1) * stride + width; q++, x += pixel) {
					if (checked && (from + q < 0 || from + q >= in))
						continue;
#pragma GCC unroll 2
					for (int v = 0; v < nv; v++) {
						Vec x_q = load_vector(x, v, nv, part, channels);
#pragma GCC unroll 8
						for (int i = 0; i < STRIP; i++)
							if (q - i * stride >= 0 && q - i * stride < width)
								acc[i][v] += x_q * wv[q - i * stride][v];
					}
				}
			}
		finish_pixels(&f, l->y + to_y, l->residual ? l->residual + to_r : NULL, checked ? s->pixels : STRIP, channels, acc,
			STRIP, nv, part);
	}
}

typedef void FixedRun(const Fixed *s);
#define FIXED_RUN(name, width, stride, nv, checked, part) \
	static void name(const Fixed *s) \
	{ \
		fixed(s, width, stride, nv, checked, part); \
	}
#define FIXED_PAIR(name, w, s, nv, part) \
	FIXED_RUN(name##_##w##_##s, w, s, nv, false, part) FIXED_RUN(name##_checked_##w##_##s, w, s, nv, true, part)
#define FIXED_ONE(w, s) FIXED_PAIR(fixed_one, w, s, 1, false) FIXED_PAIR(fixed_one_part, w, s, 1, true)
#if ISA_LEVEL == 4
#define FIXED(w, s) \
	FIXED_ONE(w, s) \
	FIXED_PAIR(fixed_wide, w, s, FIXED_VECTORS, false) FIXED_PAIR(fixed_wide_part, w, s, FIXED_VECTORS, true)
#else
#define FIXED(w, s) FIXED_ONE(w, s)
#endif
FIXED(3, 1) FIXED(3, 2) FIXED(5, 1) FIXED(5, 2) FIXED(7, 1) FIXED(7, 2)

typedef struct FixedRuns {
	int64_t width, stride;
	FixedRun *one[2][2], *wide[2][2]; /* [part][checked] */
} FixedRuns;
#define FIXED_FORMS(name, w, s) \
	{{name##_##w##_##s, name##_checked_##w##_##s}, {name##_part_##w##_##s, name##_part_checked_##w##_##s}}
#if ISA_LEVEL == 4
#define FIXED_ROW(w, s) {w, s, FIXED_FORMS(fixed_one, w, s), FIXED_FORMS(fixed_wide, w, s)}
#else
#define FIXED_ROW(w, s) {w, s, FIXED_FORMS(fixed_one, w, s), FIXED_FORMS(fixed_one, w, s)}
#endif
static const FixedRuns FIXED_RUNS[] = {
	FIXED_ROW(3, 1), FIXED_ROW(3, 2), FIXED_ROW(5, 1), FIXED_ROW(5, 2), FIXED_ROW(7, 1), FIXED_ROW(7, 2),
};

static const FixedRuns *fixed_runs(const ConvParam *p)
{
	for (size_t i = 0; i < sizeof FIXED_RUNS / sizeof *FIXED_RUNS; i++)
		if (FIXED_RUNS[i].width == p->kernel[2] && FIXED_RUNS[i].stride == p->stride[2] && p->dilation[2] == 1)
			return &FIXED_RUNS[i];
	return NULL;
}

/* Channels [c, c_end) of the strip of n lines that starts at pixel `at`. */
static void strip_fixed(const Line *lines, int64_t n, const FixedRuns *f, int64_t at, int64_t c, int64_t c_end)
{
	const ConvParam *p = lines->p;
	int64_t reach = (STRIP - 1) * p->stride[2] + p->kernel[2], from = at * p->stride[2] - p->pad[2];
	Fixed s = {.lines = lines, .n = n, .at = at, .pixels = min_i64(STRIP, p->out[2] - at)};
	bool checked = s.pixels < STRIP || from < 0 || from + reach > p->in[2];
	for (int64_t count; c < c_end; c += count) {
		count = min_i64(FIXED_VECTORS * LANES, c_end - c);
		s.c = c;
		s.channels = count % LANES;
		FixedRun *const(*run)[2] = count > LANES || FIXED_VECTORS == 1 ? f->wide : f->one;
		run[s.channels != 0][checked](&s);
	}
}

/* ---- lines ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a >= 0 ? a / b : -ceil_div(-a, b);
}

/* Channels [c, c_end) of a line: pixels [inner, inner_end) have all their taps inside. */
static void line_run(const Line *l, int64_t c, int64_t c_end)
{
	const ConvParam *p = l->p;
	int64_t inner = min_i64(p->out[2], ceil_div(p->pad[2], p->stride[2]));
	int64_t fit = floor_div(p->in[2] - 1 - (p->kernel[2] - 1) * p->dilation[2] + p->pad[2], p->stride[2]) + 1;
	int64_t inner_end = max_i64(inner, min_i64(p->out[2], fit)), strips = ceil_div(inner_end - inner, STRIP);
	for (int64_t at = 0; at < inner; at++)
		border_pixel(l, at, c, c_end);
	for (int64_t at = inner_end; at < p->out[2]; at++)
		border_pixel(l, at, c, c_end);
	for (; c < c_end; c += WIDE * LANES) {
		int64_t n = min_i64(c_end - c, WIDE * LANES);
		for (int64_t s = 0; s < strips; s++) {
			int64_t at = inner + (inner_end - inner) * s / strips;
			int64_t next = inner + (inner_end - inner) * (s + 1) / strips;
			StripRun *const *run = STRIP_RUNS[next - at - 1];
			if (n == WIDE * LANES) {
				run[2](l, c, at, 0, p->kernel[2], 0);
				continue;
			}
			if (n >= LANES)
				run[1](l, c, at, 0, p->kernel[2], 0);
			if (n % LANES)
				run[0](l, c + n / LANES * LANES, at, 0, p->kernel[2], n % LANES);
		}
	}
}

/* Taps [*begin, *begin + *n) of dim d lie inside for output `out`; returns the input of the first. */
static int64_t taps_inside(const ConvParam *p, int d, int64_t out, int64_t *begin, int64_t *n)
{
	int64_t from = out * p->stride[d] - p->pad[d];
	*begin = from < 0 ? min_i64(p->kernel[d], ceil_div(-from, p->dilation[d])) : 0;
	*n = from < p->in[d] ? max_i64(0, min_i64(p->kernel[d], ceil_div(p->in[d] - from, p->dilation[d])) - *begin) : 0;
	return from + *begin * p->dilation[d];
}

static Line line_at(const ConvParam *p, void *const *ptr, int64_t line)
{
	int64_t h = line % p->out[1], d = line / p->out[1] % p->out[0], n = line / (p->out[1] * p->out[0]), tap_d, tap_h;
	Line l = {.p = p};
	int64_t in_d = taps_inside(p, 0, d, &tap_d, &l.d), in_h = taps_inside(p, 1, h, &tap_h, &l.h);
	l.tap = (tap_d * p->kernel[1] + tap_h) * p->kernel[2];
	l.x = (const float *)ptr[1] + p->x_offset + n * p->x_stride[0] + in_d * p->x_stride[1] + in_h * p->x_stride[2];
	l.y = (float *)ptr[0] + p->y_offset + n * p->y_stride[0] + d * p->y_stride[1] + h * p->y_stride[2];
	if (p->has_residual)
		l.residual = (const float *)ptr[2] + p->r_offset + n * p->r_stride[0] + d * p->r_stride[1] + h * p->r_stride[2];
	return l;
}

enum { BAND_BYTES = 128 << 10, BAND_LINES = 32, NEAR_FLOATS = 8 << 10 }; /* of the input that a strip reads */

/* Lines [first, last) and channels [c, c_end), a chunk of channels at a time. A strip goes down all lines before the
 * next, so that inputs that several lines read stay in first-level cache, and pixels are read side by side. */
static void band_run(const ConvParam *p, void *const *ptr, int64_t first, int64_t last, int64_t c, int64_t c_end)
{
	const FixedRuns *f = fixed_runs(p);
	Line lines[BAND_LINES];
	for (int64_t i = first; i < last; i++)
		lines[i - first] = line_at(p, ptr, i);
	int64_t reach = (STRIP - 1) * p->stride[2] + p->kernel[2];
	int64_t fit = NEAR_FLOATS / (reach * p->kernel[1]) / (WIDE * LANES) * (WIDE * LANES);
	int64_t chunk = f ? max_i64(fit, TALL * LANES) : TALL * LANES;
	for (; c < c_end; c += chunk) {
		int64_t end = min_i64(c + chunk, c_end);
		for (int64_t at = 0; f && at < p->out[2]; at += STRIP)
			strip_fixed(lines, last - first, f, at, c, end);
		for (int64_t i = 0; !f && i < last - first; i++)
			line_run(&lines[i], c, end);
	}
}

/* Lines [first, last) and channels [c, c_end) in bands, each finished while it is in cache. */
static void lines_finish(const ConvParam *p, void *const *ptr, int64_t first, int64_t last, int64_t c, int64_t c_end,
	void *scratch)
{
	int64_t fit = BAND_BYTES / (p->out[2] * (c_end - c) * (int64_t)sizeof(float));
	int64_t band = max_i64(1, min_i64(fit, BAND_LINES));
	for (int64_t next; first < last; first = next) {
		next = min_i64(first + band, last);
		band_run(p, ptr, first, next, c, c_end);
		if (p->post)
			K(conv_post)(p, ptr, first * p->out[2], next * p->out[2], c, c_end, scratch);
	}
}

/* Tasks: blocks of lines outermost, then blocks of channels. */
static void depthwise_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ConvParam *p = param;
	int64_t blocks = ceil_div(ceil_div(p->groups, WIDE * LANES), p->task_cols), lines = lines_of(p);
	for (int64_t task = begin; task < end; task++) {
		int64_t c = task % blocks * p->task_cols * WIDE * LANES, first = task / blocks * p->task_rows;
		lines_finish(p, ptr, first, min_i64(first + p->task_rows, lines), c,
			min_i64(c + p->task_cols * WIDE * LANES, p->groups), scratch);
	}
}

void K(depthwise_lines)(const ConvParam *p, void *const *ptr, int64_t image, int64_t first, int64_t last, void *scratch)
{
	lines_finish(p, ptr, image * p->out[1] + first, image * p->out[1] + last, 0, p->groups, scratch);
}

const Kernel K(kernel_depthwise) = {depthwise_tasks, depthwise_run, depthwise_scratch};

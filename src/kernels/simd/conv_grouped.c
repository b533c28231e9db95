/* Convolutions of many small groups: a vector holds the output channels of several groups, or some of one.  For each tap and
 * input channel of a group, the input vector is permuted so that every lane sees its own group's element; where a group fills
 * the vector the element is spread instead. Taps in the padding along the line see zeros. */
#include "conv.h"

#if ISA_LEVEL == 4
enum { PIXELS = 8, MOST_CHANNELS = 16 };
#else
enum { PIXELS = 4, MOST_CHANNELS = 8 };
#endif

static int64_t taps_of(const ConvParam *p)
{
	return p->kernel[0] * p->kernel[1] * p->kernel[2];
}

static int64_t blocks_of(const ConvParam *p)
{
	return ceil_div(p->groups * p->oc, LANES);
}

static int64_t lines_of(const ConvParam *p)
{
	return p->batch * p->out[0] * p->out[1];
}

bool K(grouped_plan)(ConvParam *p, int threads)
{
	if (p->groups < 2 || p->ic != p->oc || p->oc < 2 || p->oc > MOST_CHANNELS || (LANES % p->oc && p->oc % LANES))
		return false;
	double flops = 2 * (double)(lines_of(p) * p->out[2] * p->groups * p->oc) * (double)(taps_of(p) * p->ic);
	K(split_work)(1, lines_of(p), blocks_of(p), 1.0 / (double)lines_of(p), 0.1, 2 * flops, threads, &p->task_rows,
		&p->task_cols);
	return true;
}

/* [block][taps][input channel of the group][LANES] */
size_t K(grouped_pack_bytes)(const ConvParam *p)
{
	return align64((size_t)(blocks_of(p) * taps_of(p) * p->ic * LANES) * sizeof(float));
}

void K(grouped_pack)(const ConvParam *p, const FloatAny *w, const int64_t s[5], void *dst)
{
	float *to = dst;
	for (int64_t c = 0; c < p->groups * p->oc; c += LANES)
		for (int64_t d = 0; d < p->kernel[0]; d++)
			for (int64_t h = 0; h < p->kernel[1]; h++)
				for (int64_t x = 0; x < p->kernel[2]; x++)
					for (int64_t i = 0; i < p->ic; i++, to += LANES)
						for (int64_t j = 0; j < LANES; j++)
							to[j] = c + j < p->groups * p->oc ? w[(c + j) * s[0] + i * s[1] + d * s[2] + h * s[3] + x * s[4]] : 0;
}

static int64_t grouped_tasks(const void *param)
{
	const ConvParam *p = param;
	return ceil_div(lines_of(p), p->task_rows) * ceil_div(blocks_of(p), p->task_cols);
}

static size_t grouped_scratch(const void *param)
{
	return K(conv_post_scratch)(((const ConvParam *)param)->post);
}

/* ---- pixels ---- */

/* Taps that lie inside for an output: [begin, end). */
typedef struct Range {
	int64_t begin, end;
} Range;

static Range taps_inside(const ConvParam *p, int d, int64_t out)
{
	int64_t from = out * p->stride[d] - p->pad[d];
	Range r = {from < 0 ? min_i64(p->kernel[d], ceil_div(-from, p->dilation[d])) : 0, 0};
	r.end = from < p->in[d] ? max_i64(r.begin, min_i64(p->kernel[d], ceil_div(p->in[d] - from, p->dilation[d]))) : r.begin;
	return r;
}

/* A line of output, and the taps along depth and height that lie inside. */
typedef struct Line {
	const ConvParam *p;
	const float *x, *residual; /* x: at channel 0 of tap 0, which may lie outside */
	float *y;
	Range d, h;
} Line;

static const float ZEROS[16]; /* LANES and MOST_CHANNELS at least */

/* Pixels [at, at + pixels) of a line, channels [c, c + n). checked, spread and part are constants of each use: taps may lie
 * outside of the line, or pixels < PIXELS; n < LANES. */
static inline __attribute__((always_inline)) void strip(const Line *l, int64_t c, int64_t n, int64_t at, int64_t pixels,
	const bool checked, const bool spread, const bool part)
{
	const ConvParam *p = l->p;
	Vec acc[PIXELS], bias = {0};
	int64_t pixel = p->x_stride[3] * p->stride[2];
	if (p->bias)
		bias = part ? vec_load_part(p->bias + c, n) : vec_load(p->bias + c);
#pragma GCC unroll 8
	for (int i = 0; i < PIXELS; i++)
		acc[i] = bias;
	VecInt first;
	for (int j = 0; j < LANES; j++)
		first[j] = (int32_t)(j / p->oc * p->oc);
	const float *line = l->x + at * pixel + (spread ? c / p->oc * p->ic : c);
	const float *weights = (const float *)p->weights + c * taps_of(p) * p->ic;
	for (int64_t d = l->d.begin; d < l->d.end; d++)
		for (int64_t h = l->h.begin; h < l->h.end; h++)
			for (int64_t k = 0; k < p->kernel[2]; k++) {
				const float *x = line + d * p->dilation[0] * p->x_stride[1] + h * p->dilation[1] * p->x_stride[2] +
					k * p->dilation[2] * p->x_stride[3], *from[PIXELS];
				const float *wt = weights + ((d * p->kernel[1] + h) * p->kernel[2] + k) * p->ic * LANES;
				int64_t in_at = at * p->stride[2] + k * p->dilation[2] - p->pad[2];
				Vec in[PIXELS];
				VecInt lane = first;
#pragma GCC unroll 8
				for (int i = 0; i < PIXELS; i++) {
					int64_t q = in_at + i * p->stride[2];
					from[i] = !checked || (q >= 0 && q < p->in[2] && i < pixels) ? x + i * pixel : ZEROS;
					if (!spread)
						in[i] = part ? vec_load_part(from[i], n) : vec_load(from[i]);
				}
				for (int64_t e = 0; e < p->ic; e++, wt += LANES, lane += 1) {
					Vec v = vec_load(wt);
#pragma GCC unroll 8
					for (int i = 0; i < PIXELS; i++)
						acc[i] += v * (spread ? vec_set(from[i][e]) : vec_permute(in[i], lane));
				}
			}
#pragma GCC unroll 8
	for (int i = 0; i < PIXELS; i++) {
		if (checked && i >= pixels)
			break;
		const float *r = l->residual ? l->residual + (at + i) * p->r_stride[3] + c : NULL;
		float *y = l->y + (at + i) * p->y_stride[3] + c;
		Vec s = acc[i];
		if (r)
			s += part ? vec_load_part(r, n) : vec_load(r);
		s = vec_min(vec_set(p->hi), vec_max(vec_set(p->lo), s)); /* NaN stays NaN */
		if (part)
			vec_store_part(y, s, n);
		else
			vec_store(y, s);
	}
}

typedef void StripRun(const Line *l, int64_t c, int64_t n, int64_t at, int64_t pixels);
#define STRIP(name, checked, spread, part) \
	static void name(const Line *l, int64_t c, int64_t n, int64_t at, int64_t pixels) \
	{ \
		strip(l, c, n, at, pixels, checked, spread, part); \
	}
STRIP(permuted, false, false, false)
STRIP(permuted_checked, true, false, false)
STRIP(part_checked, true, false, true)
STRIP(spread, false, true, false)
STRIP(spread_checked, true, true, false)

/* Channels [c, c_end) of a line. */
static void line_run(const Line *l, int64_t c, int64_t c_end)
{
	const ConvParam *p = l->p;
	bool wide = p->oc >= LANES;
	int64_t reach = (PIXELS - 1) * p->stride[2] + (p->kernel[2] - 1) * p->dilation[2];
	for (; c < c_end; c += LANES) {
		int64_t n = min_i64(LANES, c_end - c);
		StripRun *checked = wide ? spread_checked : n < LANES ? part_checked : permuted_checked;
		StripRun *whole = wide ? spread : n < LANES ? part_checked : permuted;
		for (int64_t at = 0; at < p->out[2]; at += PIXELS) {
			int64_t from = at * p->stride[2] - p->pad[2];
			bool inside = at + PIXELS <= p->out[2] && from >= 0 && from + reach < p->in[2];
			(inside ? whole : checked)(l, c, n, at, min_i64(PIXELS, p->out[2] - at));
		}
	}
}

static Line line_at(const ConvParam *p, void *const *ptr, int64_t line)
{
	int64_t h = line % p->out[1], d = line / p->out[1] % p->out[0], n = line / (p->out[1] * p->out[0]);
	Line l = {.p = p, .d = taps_inside(p, 0, d), .h = taps_inside(p, 1, h)};
	l.x = (const float *)ptr[1] + p->x_offset + n * p->x_stride[0] + (d * p->stride[0] - p->pad[0]) * p->x_stride[1] +
		(h * p->stride[1] - p->pad[1]) * p->x_stride[2] - p->pad[2] * p->x_stride[3];
	l.y = (float *)ptr[0] + p->y_offset + n * p->y_stride[0] + d * p->y_stride[1] + h * p->y_stride[2];
	if (p->has_residual)
		l.residual = (const float *)ptr[2] + p->r_offset + n * p->r_stride[0] + d * p->r_stride[1] + h * p->r_stride[2];
	return l;
}

/* Tasks: blocks of lines outermost, then blocks of channels. */
static void grouped_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ConvParam *p = param;
	int64_t blocks = ceil_div(blocks_of(p), p->task_cols), lines = lines_of(p);
	for (int64_t task = begin; task < end; task++) {
		int64_t c = task % blocks * p->task_cols * LANES, c_end = min_i64(c + p->task_cols * LANES, p->groups * p->oc);
		int64_t first = task / blocks * p->task_rows, last = min_i64(first + p->task_rows, lines);
		for (int64_t i = first; i < last; i++) {
			Line l = line_at(p, ptr, i);
			line_run(&l, c, c_end);
			if (p->post)
				K(conv_post)(p, ptr, i * p->out[2], (i + 1) * p->out[2], c, c_end, scratch);
		}
	}
}

const Kernel K(kernel_grouped) = {grouped_tasks, grouped_run, grouped_scratch};

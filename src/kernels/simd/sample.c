/* Sampling where data says: images at the points of a grid, and regions as grids of bins. All channels share the taps of a
 * point. */
#include "simd.h"

enum { TASK_ELEMENTS = 4096, DIMS = 3, TAPS = 4 };

static int64_t tasks_of(int64_t units, int64_t elements)
{
	return max_i64(1, min_i64(units, units * elements / TASK_ELEMENTS));
}

/* ---- grids ---- */

enum { NEAREST, LINEAR };
enum { ZEROS, BORDER, REFLECTION };

/* Folds x at the borders until it lies between them. */
static double reflect(double x, double low, double high)
{
	double range = high - low;
	if (!(range > 0))
		return low;
	if (x >= low && x <= high)
		return x;
	double away = x < low ? low - x : x - high, rest = fmod(away, range);
	bool even = fmod(floor(away / range), 2) == 0;
	return (x < low) == even ? low + rest : high - rest;
}

/* Input index of tap i, or -1 for a zero. */
static int64_t tap_index(const GridParam *p, int d, double i)
{
	int64_t n = p->in[d];
	double last = (double)n - 1;
	if (p->pad == REFLECTION)
		i = trunc(reflect(i, p->align ? 0 : -0.5, p->align ? last : last + 0.5));
	else if (p->pad == ZEROS && !(i >= 0 && i <= last))
		return -1;
	return i > 0 ? i < last ? (int64_t)i : n - 1 : 0;
}

/* Keys' kernel with a = -3/4, at distances 1 + f, f, 1 - f, 2 - f. */
static void cubic_weights(double f, double *w)
{
	const double a = -0.75;
	w[0] = ((a * (f + 1) - 5 * a) * (f + 1) + 8 * a) * (f + 1) - 4 * a;
	w[1] = ((a + 2) * f - (a + 3)) * f * f + 1;
	w[2] = ((a + 2) * (1 - f) - (a + 3)) * (1 - f) * (1 - f) + 1;
	w[3] = ((a * (2 - f) - 5 * a) * (2 - f) + 8 * a) * (2 - f) - 4 * a;
}

/* Indices and weights along dim d for coordinate v; returns their number. */
static int dim_taps(const GridParam *p, int d, double v, int64_t *index, double *weight)
{
	double n = (double)p->in[d], low = p->align ? 0 : -0.5, high = p->align ? n - 1 : n - 0.5;
	double x = p->align ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
	if (p->mode == NEAREST)
		x = rint(x);
	if (x < low || x > high) {
		if (p->pad == BORDER)
			x = x < 0 ? 0 : x > n - 1 ? n - 1 : x;
		else if (p->pad == REFLECTION)
			x = reflect(x, low, high);
	}
	if (p->mode == NEAREST) {
		index[0] = tap_index(p, d, trunc(x));
		weight[0] = 1;
		return 1;
	}
	double base = floor(x), f = x - base;
	if (p->mode == LINEAR) {
		weight[0] = 1 - f, weight[1] = f;
		index[0] = tap_index(p, d, base), index[1] = tap_index(p, d, base + 1);
		return 2;
	}
	cubic_weights(f, weight);
	for (int i = 0; i < 4; i++)
		index[i] = tap_index(p, d, base - 1 + i);
	return 4;
}

typedef struct GridTap {
	int64_t at;
	double weight;
} GridTap;

/* The taps of a point that lie inside, as flat indices; at most TAPS^DIMS. */
static int point_taps(const GridParam *p, const float *v, GridTap *out)
{
	int64_t index[DIMS][TAPS];
	double weight[DIMS][TAPS];
	int taps = 1, total = 1, n = 0;
	for (int d = 0; d < p->rank; d++)
		taps = dim_taps(p, d, (double)v[p->rank - 1 - d], index[d], weight[d]);
	for (int d = 0; d < p->rank; d++)
		total *= taps;
	for (int t = 0; t < total; t++) {
		int rest = t, of[DIMS];
		GridTap g = {0, 1};
		bool inside = true;
		for (int d = p->rank; d-- > 0; rest /= taps)
			of[d] = rest % taps;
		for (int d = 0; d < p->rank; d++) {
			g.weight *= weight[d][of[d]];
			inside = inside && index[d][of[d]] >= 0;
			g.at = g.at * p->in[d] + index[d][of[d]];
		}
		if (inside)
			out[n++] = g;
	}
	return n;
}

static int64_t grid_tasks(const void *param)
{
	const GridParam *p = param;
	return tasks_of(p->batch * p->points, 8 * p->channels);
}

static void grid_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const GridParam *p = param;
	int64_t tasks = grid_tasks(param), units = p->batch * p->points, size = 1;
	(void)scratch;
	for (int d = 0; d < p->rank; d++)
		size *= p->in[d];
	for (int64_t u = units * begin / tasks; u < units * end / tasks; u++) {
		int64_t batch = u / p->points, point = u % p->points;
		GridTap tap[TAPS * TAPS * TAPS];
		int n = point_taps(p, (const float *)ptr[2] + u * p->rank, tap);
		for (int64_t c = 0; c < p->channels; c++) {
			const float *x = (const float *)ptr[1] + (batch * p->channels + c) * size;
			double sum = 0;
			for (int t = 0; t < n; t++)
				sum += tap[t].weight * (double)x[tap[t].at];
			((float *)ptr[0])[(batch * p->channels + c) * p->points + point] = (float)sum;
		}
	}
}

const Kernel K(kernel_grid) = {grid_tasks, grid_run, NULL};

/* ---- regions ---- */

/* A region's bins: where they begin, their size, samples in each. */
typedef struct Bins {
	double y, x, height, width;
	int64_t rows, cols;
} Bins;

static Bins bins_of(const RoiParam *p, const float *r)
{
	const double shift = p->half_pixel ? 0.5 : 0, scale = (double)p->scale, most = 1 << 20;
	Bins b = {.x = (double)r[0] * scale - shift, .y = (double)r[1] * scale - shift};
	double w = (double)r[2] * scale - shift - b.x, h = (double)r[3] * scale - shift - b.y;
	if (!p->half_pixel)
		w = fmax(w, 1), h = fmax(h, 1);
	b.height = h / (double)p->out_h;
	b.width = w / (double)p->out_w;
	b.rows = p->ratio > 0 ? p->ratio : (int64_t)fmax(fmin(ceil(b.height), most), 0);
	b.cols = p->ratio > 0 ? p->ratio : (int64_t)fmax(fmin(ceil(b.width), most), 0);
	return b;
}

/* Four neighbours of a point; weight 0 outside the image. */
static void roi_taps(const RoiParam *p, double y, double x, int64_t *at, double *weight)
{
	memset(at, 0, 4 * sizeof(*at));
	memset(weight, 0, 4 * sizeof(*weight));
	if (!(y >= -1 && y <= (double)p->h && x >= -1 && x <= (double)p->w))
		return;
	y = fmax(y, 0), x = fmax(x, 0);
	int64_t y0 = (int64_t)y, x0 = (int64_t)x, y1 = y0 + 1, x1 = x0 + 1;
	if (y0 >= p->h - 1)
		y0 = y1 = p->h - 1, y = (double)y0;
	if (x0 >= p->w - 1)
		x0 = x1 = p->w - 1, x = (double)x0;
	double fy = y - (double)y0, fx = x - (double)x0;
	at[0] = y0 * p->w + x0, weight[0] = (1 - fy) * (1 - fx);
	at[1] = y0 * p->w + x1, weight[1] = (1 - fy) * fx;
	at[2] = y1 * p->w + x0, weight[2] = fy * (1 - fx);
	at[3] = y1 * p->w + x1, weight[3] = fy * fx;
}

enum { ROI_CHANNELS = 64 };

/* One bin of channels [c, c + n): mean of the samples, or the largest weighted neighbour of any. */
static void roi_bin(const RoiParam *p, const float *image, const Bins *b, int64_t bin, int64_t c, int64_t n, float *y)
{
	double acc[ROI_CHANNELS], top = b->y + (double)(bin / p->out_w) * b->height, left = b->x + (double)(bin % p->out_w) * b->width;
	int64_t samples = b->rows * b->cols;
	for (int64_t i = 0; i < n; i++)
		acc[i] = p->max && samples > 0 ? -INFINITY : 0;
	for (int64_t s = 0; s < samples; s++) {
		int64_t at[4];
		double w[4];
		roi_taps(p, top + ((double)(s / b->cols) + 0.5) * b->height / (double)b->rows,
			left + ((double)(s % b->cols) + 0.5) * b->width / (double)b->cols, at, w);
		for (int64_t i = 0; i < n; i++) {
			const float *x = image + (c + i) * p->h * p->w;
			double v[4];
			for (int k = 0; k < 4; k++)
				v[k] = w[k] * (double)x[at[k]];
			acc[i] = p->max ? fmax(acc[i], fmax(fmax(v[0], v[1]), fmax(v[2], v[3]))) : acc[i] + (v[0] + v[1] + v[2] + v[3]);
		}
	}
	for (int64_t i = 0; i < n; i++)
		y[(c + i) * p->out_h * p->out_w + bin] = (float)(p->max || !samples ? acc[i] : acc[i] / (double)samples);
}

static int64_t roi_tasks(const void *param)
{
	const RoiParam *p = param;
	return tasks_of(p->rois, 16 * p->channels * p->out_h * p->out_w);
}

static void roi_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const RoiParam *p = param;
	int64_t tasks = roi_tasks(param), bins = p->out_h * p->out_w;
	(void)scratch;
	for (int64_t r = p->rois * begin / tasks; r < p->rois * end / tasks; r++) {
		int64_t batch = p->index64 ? ((const int64_t *)ptr[3])[r] : ((const int32_t *)ptr[3])[r];
		float *y = (float *)ptr[0] + r * p->channels * bins;
		if (batch < 0 || batch >= p->batch) {
			memset(y, 0, (size_t)(p->channels * bins) * sizeof(*y));
			__atomic_store_n((int64_t *)ptr[4], r + 1, __ATOMIC_RELAXED);
			continue;
		}
		const float *image = (const float *)ptr[1] + batch * p->channels * p->h * p->w;
		Bins b = bins_of(p, (const float *)ptr[2] + r * 4);
		for (int64_t bin = 0; bin < bins; bin++)
			for (int64_t c = 0; c < p->channels; c += ROI_CHANNELS)
				roi_bin(p, image, &b, bin, c, min_i64(ROI_CHANNELS, p->channels - c), y);
	}
}

const Kernel K(kernel_roi) = {roi_tasks, roi_run, NULL};

/* Sampling where data says: images at the points of a grid, and regions as grids of bins. All channels share the taps of a
 * point. */
#include "simd.h"

enum { TASK_ELEMENTS = 4096, DIMS = 3 };

static int64_t tasks_of(int64_t units, int64_t elements)
{
	return max_i64(1, min_i64(units, units * elements / TASK_ELEMENTS));
}

/* ---- grids ---- */

typedef struct GridTap {
	int64_t at;
	double weight;
} GridTap;

/* The taps of a point that lie inside, as flat indices; at most GRID_TAPS^DIMS. */
static int point_taps(const GridParam *p, const float *v, GridTap *out)
{
	int64_t index[DIMS][GRID_TAPS];
	double weight[DIMS][GRID_TAPS];
	int taps = 1, total = 1, n = 0;
	for (int d = 0; d < p->rank; d++)
		taps = grid_taps(&p->form, p->in[d], (double)v[p->rank - 1 - d], index[d], weight[d]);
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
		GridTap tap[GRID_TAPS * GRID_TAPS * GRID_TAPS];
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

enum { ROI_CHANNELS = 64 };

/* One bin of channels [c, c + n): mean of the samples, or the largest weighted neighbour of any. */
static void roi_bin(const RoiParam *p, const float *image, const RoiBins *b, int64_t bin, int64_t c, int64_t n, float *y)
{
	const RoiForm *f = &p->form;
	double acc[ROI_CHANNELS];
	int64_t samples = b->rows * b->cols;
	for (int64_t i = 0; i < n; i++)
		acc[i] = f->max && samples > 0 ? -INFINITY : 0;
	for (int64_t s = 0; s < samples; s++) {
		int64_t at[4];
		double w[4];
		roi_taps(f, b, bin, s, at, w);
		for (int64_t i = 0; i < n; i++) {
			const float *x = image + (c + i) * f->h * f->w;
			double v[4];
			for (int k = 0; k < 4; k++)
				v[k] = w[k] * (double)x[at[k]];
			acc[i] = f->max ? fmax(acc[i], fmax(fmax(v[0], v[1]), fmax(v[2], v[3]))) : acc[i] + (v[0] + v[1] + v[2] + v[3]);
		}
	}
	for (int64_t i = 0; i < n; i++)
		y[(c + i) * f->out_h * f->out_w + bin] = (float)(f->max || !samples ? acc[i] : acc[i] / (double)samples);
}

static int64_t roi_tasks(const void *param)
{
	const RoiParam *p = param;
	return tasks_of(p->rois, 16 * p->channels * p->form.out_h * p->form.out_w);
}

static void roi_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const RoiParam *p = param;
	int64_t tasks = roi_tasks(param), bins = p->form.out_h * p->form.out_w;
	(void)scratch;
	for (int64_t r = p->rois * begin / tasks; r < p->rois * end / tasks; r++) {
		int64_t batch = p->index64 ? ((const int64_t *)ptr[3])[r] : ((const int32_t *)ptr[3])[r];
		float *y = (float *)ptr[0] + r * p->channels * bins;
		if (batch < 0 || batch >= p->batch) {
			memset(y, 0, (size_t)(p->channels * bins) * sizeof(*y));
			__atomic_store_n((int64_t *)ptr[4], r + 1, __ATOMIC_RELAXED);
			continue;
		}
		const float *image = (const float *)ptr[1] + batch * p->channels * p->form.h * p->form.w;
		const float *corner = (const float *)ptr[2] + r * 4;
		RoiBins b = roi_bins(&p->form, (double[]){corner[0], corner[1], corner[2], corner[3]});
		for (int64_t bin = 0; bin < bins; bin++)
			for (int64_t c = 0; c < p->channels; c += ROI_CHANNELS)
				roi_bin(p, image, &b, bin, c, min_i64(ROI_CHANNELS, p->channels - c), y);
	}
}

const Kernel K(kernel_roi) = {roi_tasks, roi_run, NULL};

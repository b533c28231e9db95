#include "base/sample.h"

#include <math.h>
#include <string.h>

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
static int64_t tap_index(const GridForm *f, int64_t n, double i)
{
	double last = (double)n - 1;
	if (f->pad == GRID_REFLECTION)
		i = trunc(reflect(i, f->align ? 0 : -0.5, f->align ? last : last + 0.5));
	else if (f->pad == GRID_ZEROS && !(i >= 0 && i <= last))
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

int grid_taps(const GridForm *f, int64_t size, double v, int64_t *index, double *weight)
{
	double n = (double)size, low = f->align ? 0 : -0.5, high = f->align ? n - 1 : n - 0.5;
	double x = f->align ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
	if (f->mode == GRID_NEAREST)
		x = rint(x);
	if (x < low || x > high) {
		if (f->pad == GRID_BORDER)
			x = x < 0 ? 0 : x > n - 1 ? n - 1 : x;
		else if (f->pad == GRID_REFLECTION)
			x = reflect(x, low, high);
	}
	if (f->mode == GRID_NEAREST) {
		index[0] = tap_index(f, size, trunc(x));
		weight[0] = 1;
		return 1;
	}
	double base = floor(x), rest = x - base;
	if (f->mode == GRID_LINEAR) {
		weight[0] = 1 - rest, weight[1] = rest;
		index[0] = tap_index(f, size, base), index[1] = tap_index(f, size, base + 1);
		return 2;
	}
	cubic_weights(rest, weight);
	for (int i = 0; i < GRID_TAPS; i++)
		index[i] = tap_index(f, size, base - 1 + i);
	return GRID_TAPS;
}

RoiBins roi_bins(const RoiForm *f, const double region[4])
{
	const double shift = f->half_pixel ? 0.5 : 0, most = 1 << 20;
	RoiBins b = { .x = region[0] * f->scale - shift, .y = region[1] * f->scale - shift };
	double w = region[2] * f->scale - shift - b.x, h = region[3] * f->scale - shift - b.y;
	if (!f->half_pixel)
		w = fmax(w, 1), h = fmax(h, 1);
	b.height = h / (double)f->out_h;
	b.width = w / (double)f->out_w;
	b.rows = f->ratio > 0 ? f->ratio : (int64_t)fmax(fmin(ceil(b.height), most), 0);
	b.cols = f->ratio > 0 ? f->ratio : (int64_t)fmax(fmin(ceil(b.width), most), 0);
	return b;
}

void roi_taps(const RoiForm *f, const RoiBins *b, int64_t bin, int64_t s, int64_t at[4], double weight[4])
{
	double y = b->y + (double)(bin / f->out_w) * b->height + ((double)(s / b->cols) + 0.5) * b->height / (double)b->rows;
	double x = b->x + (double)(bin % f->out_w) * b->width + ((double)(s % b->cols) + 0.5) * b->width / (double)b->cols;
	memset(at, 0, 4 * sizeof(*at));
	memset(weight, 0, 4 * sizeof(*weight));
	if (!(y >= -1 && y <= (double)f->h && x >= -1 && x <= (double)f->w))
		return;
	y = fmax(y, 0), x = fmax(x, 0);
	int64_t y0 = (int64_t)y, x0 = (int64_t)x, y1 = y0 + 1, x1 = x0 + 1;
	if (y0 >= f->h - 1)
		y0 = y1 = f->h - 1, y = (double)y0;
	if (x0 >= f->w - 1)
		x0 = x1 = f->w - 1, x = (double)x0;
	double fy = y - (double)y0, fx = x - (double)x0;
	at[0] = y0 * f->w + x0, weight[0] = (1 - fy) * (1 - fx);
	at[1] = y0 * f->w + x1, weight[1] = (1 - fy) * fx;
	at[2] = y1 * f->w + x0, weight[2] = fy * (1 - fx);
	at[3] = y1 * f->w + x1, weight[3] = fy * fx;
}

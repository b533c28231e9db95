/* sample: where operators that sample images look. The evaluator and the kernels differ in how they sum; the places and weights
 * are defined here alone. Formulas: GridSample-20 and RoiAlign-16 of ONNX. */
#ifndef HONE_SAMPLE_H
#define HONE_SAMPLE_H

#include "base/base.h"

enum { GRID_NEAREST, GRID_LINEAR, GRID_CUBIC };
enum { GRID_ZEROS, GRID_BORDER, GRID_REFLECTION };
enum { GRID_TAPS = 4 }; /* of one dim, at most */

typedef struct GridForm {
	int mode, pad;
	bool align;        /* -1 and 1 are the centres of the corner pixels, else their outer edges */
} GridForm;

/* Elements of a dim of n (at least 1) that the coordinate v, in [-1, 1], takes, and their weights; returns their number. An index
 * of -1 is a zero. */
int grid_taps(const GridForm *f, int64_t n, double v, int64_t *index, double *weight);

typedef struct RoiForm {
	int64_t h, w, out_h, out_w; /* of the image and of the result, all at least 1 */
	int64_t ratio;              /* samples of a bin in each direction; 0: as many as it has pixels */
	double scale;               /* from coordinates of regions to pixels */
	bool max, half_pixel;       /* max: the largest weighted neighbour, else the mean of the samples */
} RoiForm;

/* A region's bins: where the first begins, their size in pixels, samples in each. */
typedef struct RoiBins {
	double y, x, height, width;
	int64_t rows, cols;
} RoiBins;

/* region: x0, y0, x1, y1. */
RoiBins roi_bins(const RoiForm *f, const double region[4]);

/* Flat places in the image and weights of the four neighbours of sample s of a bin; weights are 0 outside of the image. */
void roi_taps(const RoiForm *f, const RoiBins *b, int64_t bin, int64_t s, int64_t at[4], double weight[4]);

#endif

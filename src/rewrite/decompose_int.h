/* decompose: composite ops taken apart into ops that every backend has. rules_decompose.c (the table), decompose.c (builders),
 * decompose_sample.c (resize, grid_sample), decompose_points.c (deform_conv, roi_align), decompose_quant.c (quantisation),
 * decompose_misc.c (the others). */
#ifndef HONE_DECOMPOSE_INT_H
#define HONE_DECOMPOSE_INT_H

#include "rewrite/help_int.h"

/* ---- decompose.c ---- */

Value *dc_floats(Rw *rw, DType d, int rank, const int64_t *dims, const double *v);
/* x combined with a number of its own element type. */
Value *dc_number(Rw *rw, OpKind k, Value *x, double v);
Value *dc_cast(Rw *rw, Value *x, DType d);                   /* x itself when it has the type */
Value *dc_take(Rw *rw, Value *x, const int64_t *index, int64_t n, int axis); /* gather by a constant vector */
Value *dc_slice(Rw *rw, Value *x, int axis, int64_t from, int64_t to);
Value *dc_concat(Rw *rw, Value *const *v, size_t n, int axis);
/* A constant of n elements along one axis of a tensor of that rank, the other sizes 1. */
Value *dc_along(Rw *rw, DType d, int rank, int axis, const double *v, int64_t n);
/* x, of static shape, multiplied along the axis by a constant matrix [out, size of the axis]. */
Value *dc_matrix(Rw *rw, Value *x, int axis, const double *m, int64_t out);
/* Where low <= x <= high, exactly. */
Value *dc_within(Rw *rw, Value *x, double low, double high);

/* ---- rules ---- */

RuleFn dc_resize, dc_grid_sample;            /* decompose_sample.c */
RuleFn dc_deform_conv, dc_roi_align;         /* decompose_points.c */
RuleFn dc_quantize, dc_dequantize, dc_quantized_matmul, dc_quantized_conv; /* decompose_quant.c */
RuleFn dc_dft, dc_affine_grid, dc_col2im, dc_conv_transpose, dc_lp_pool, dc_max_unpool, dc_max_pool,
	dc_scatter_elements, dc_reverse, dc_slice_back,
	dc_pad, dc_conv, dc_loop; /* decompose_misc.c */

#endif

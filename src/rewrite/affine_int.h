/* affine: y = x * scale + shift with constant scale and shift, one number a channel or one for all.  Batch norms, products,
 * quotients, sums and differences with constants are such maps; they are folded into weights above (affine_up.c) or below
 * (affine_down.c).  All arithmetic on weights is built as constant expressions.
 *
 * A map is handled in two steps: a dry step that only looks and decides, then a step that builds and cannot fail. In the dry
 * step `scale` and `shift` are NULL and only the flags count. */
#ifndef HONE_REWRITE_AFFINE_INT_H
#define HONE_REWRITE_AFFINE_INT_H

#include "rewrite/help_int.h"

typedef struct Affine {
	int axis;                 /* of the value that the map applies to; -1: the same map for all elements */
	int64_t channels;         /* size of that axis; 1 when axis < 0 */
	bool has_scale, has_shift;
	bool positive;            /* every scale is > 0 */
	Value *scale, *shift;     /* constants of shape [channels] or []; NULL when absent or dry */
} Affine;

/* ---- affine.c ---- */

/* op computes *x * scale + shift: fills the flags of *a, which applies to *x. */
bool affine_of(Rw *rw, Op *op, Affine *a, Value **x);
/* Builds scale and shift of an op that affine_of accepted. */
void affine_build(Rw *rw, Op *op, Affine *a);
/* The map without its shift / without its scale. */
Affine affine_scale_only(Affine a);
Affine affine_shift_only(Affine a);
static inline bool affine_is_nothing(const Affine *a) { return !a->has_scale && !a->has_shift; }
/* The map applies to a value whose per-channel axis is `axis`, or is uniform. */
static inline bool affine_fits(const Affine *a, int axis) { return a->axis < 0 || a->axis == axis; }
/* A vector or scalar in the shape that broadcasts along `axis` of a value of this rank. */
Value *affine_spread(Rw *rw, Value *v, int rank, int axis);
/* k * scale + shift where k is a constant operand of an op with a result of rank `rank`, broadcast as NumPy does. */
bool affine_const_fits(const Value *k, int rank, const Affine *a); /* without growing k */
Value *affine_const(Rw *rw, Value *k, int rank, const Affine *a);
/* bias * scale + shift of shape [n]; NULL when there is none. bias may be NULL. */
Value *affine_bias(Rw *rw, Value *bias, int64_t n, DType d, const Affine *a);
/* Axis `axis` of `fine` is part of a run of dims that `coarse` has merged into one axis, as a reshape between them would:
 * coarse[*out] = *before * fine[axis] * *after. */
bool affine_merged_axis(Rw *rw, const Type *fine, int axis, const Type *coarse, int *out, int64_t *before, int64_t *after);
/* The vectors of *a repeated for a merged axis. */
void affine_repeat(Rw *rw, Affine *a, int64_t before, int64_t after);
/* A weight that may be changed for one user: not shared by others, or small. */
bool affine_may_change(Rw *rw, const Value *w);

/* ---- affine_up.c: into what computes v ---- */

/* Replaces op, an affine map, by a rebuilt producer that computes the same. */
bool affine_fold_up(Rw *rw, Op *op);
/* Folds the scale of a batch norm and leaves its shift as an add. */
bool affine_fold_scale_up(Rw *rw, Op *batch_norm);

/* ---- affine_weights.c: what convolutions and products do with a map on their result or operand ----
 * With dry set: non-NULL (the op's result) when it can be done. */

typedef Value *AffineFn(Rw *rw, Op *op, Affine a, bool dry);
AffineFn affine_conv_result, affine_conv_transpose_result, affine_gemm_result, affine_matmul_result;
typedef Value *AffineOperandFn(Rw *rw, Op *op, size_t i, Value *x, Affine a, bool dry); /* x: the operand without the map */
AffineOperandFn affine_conv_operand, affine_conv_transpose_operand, affine_gemm_operand, affine_matmul_operand;

/* ---- affine_down.c: into a convolution or product that uses the map's result, maybe through data movement ---- */

bool affine_fold_down(Rw *rw, Op *consumer);
bool affine_fold_scale_down(Rw *rw, Op *consumer); /* of a batch norm right before it; an add is left */

#endif

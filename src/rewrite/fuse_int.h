/* fuse: matchers that the composite rules share.  rules_fuse.c, fuse_norm.c */
#ifndef HONE_REWRITE_FUSE_INT_H
#define HONE_REWRITE_FUSE_INT_H

#include "move_int.h"

/* sqrt(1/2), 1/6 ... stand rounded in models; what replaces them is exact. */
#define ROUNDED_CONSTANT 1.2e-7

/* Equal but for how a constant is rounded. */
bool fuse_near(double a, double b);
/* v is the sum of a number and another value, which is returned; else NULL. */
Value *fuse_plus_number(const Value *v, double *number);
bool fuse_is_reduce(const Op *op, const char *kind);
/* x when v is x * x or pow(x, 2), else NULL. */
Value *fuse_square_of(const Value *v);
/* Axes of a reduction (absent: all) of an operand of this rank, as a set. */
bool fuse_reduced_axes(const Op *op, int rank, uint64_t *set);

/* fuse_norm.c */
RuleFn fuse_layer_norm, fuse_rms_norm;

#endif

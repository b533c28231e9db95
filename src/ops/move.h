/* move: helpers of the data movement families (data.c, reshape.c, slice.c, pad.c, gather.c, scatter.c). Private to src/ops. */
#ifndef HONE_OPS_MOVE_H
#define HONE_OPS_MOVE_H

#include "eval_int.h"

/* Copies an element of `size` bytes (tensor_elem_size). */
void move_element(void *dst, const void *src, size_t size);
/* y's elements in order come from x->data at element base + sum(index[d] * step[d]). Steps may be 0 or negative; every
 * position must lie inside x. */
void move_strided(Tensor *y, const Tensor *x, int64_t base, const int64_t *step);
/* The same with x and y exchanged: x's elements in order go to y's positions. */
void move_scatter(Tensor *y, int64_t base, const int64_t *step, const Tensor *x);
static inline char *element_at(const Tensor *t, int64_t i) { return (char *)t->data + (size_t)i * tensor_elem_size(t); }

/* Integer operand of any length as int64: a tensor with elements of int64_t and a reference for the caller. NULL +
 * diagnostic when it is not an integer tensor. */
Tensor *eval_int64s(EvalCtx *e, const Op *op, Tensor *t, const char *what);
static inline const int64_t *int64s_of(const Tensor *t) { return t->data; }
/* A short integer vector (or scalar) such as a shape or pads: MAX_RANK entries at most. */
bool eval_dims(EvalCtx *e, const Op *op, const Tensor *t, const char *what, int64_t *dims, int *rank);
/* The axis attribute normalised for a rank; false + diagnostic. */
bool eval_axis(EvalCtx *e, const Op *op, int64_t axis, int rank, int *out);
/* Axes attribute as a mask over rank dims; absent: all (when absent_all) or none. False + diagnostic on bad or double axes. */
bool eval_axes(EvalCtx *e, const Op *op, int rank, bool absent_all, bool *mask);

/* Inference: the same for types. */
bool infer_axis(InferCtx *x, const Op *op, int64_t axis, int rank, int *out);
/* The size that two equal sizes have; *ok = false when they certainly differ. */
const Sym *infer_same_dim(InferCtx *x, const Sym *a, const Sym *b, bool *ok);
/* Copy of a type's dims (rank + extra entries). */
const Sym **infer_dims_copy(InferCtx *x, const Type *t, int extra);
/* Result 0 is a tensor of t's element type with unknown rank. */
void infer_rank_unknown(InferCtx *x, Op *op, const Type *t);
/* Result i: element type of t (any quantised encoding kept) with these dims. */
void infer_dims(InferCtx *x, Op *op, size_t i, const Type *t, int rank, const Sym *const *dims);
/* Length of a one-dimensional operand such as a shape, or -1. */
int64_t infer_length(const Value *v);

#endif

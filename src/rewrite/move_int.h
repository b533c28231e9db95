/* move: what the rules about shapes, slices and regions share.  move.c */
#ifndef HONE_REWRITE_MOVE_INT_H
#define HONE_REWRITE_MOVE_INT_H

#include "help_int.h"

/* Elements of an integer or bool value when facts or data say that all are numbers: in scratch memory, else NULL. */
const int64_t *fact_ints(Rw *rw, const Value *v, size_t *n);
/* One number that the single element of v is known to be. */
bool fact_int(Rw *rw, const Value *v, int64_t *out);
/* Both ranks are known and every dim is certainly equal; element types may differ. */
bool dims_equal(const Value *a, const Value *b);
/* v is used by a terminator and, in a format that wants this, `by` could not take its place without a copy op: an argument,
 * a constant, a value of an outer block or one that is an output already. */
bool output_needs_op(const Value *v, const Value *by);
/* rw_replace by a value that exists already; refuses what would change an interface. */
bool replace_by_existing(Rw *rw, Value *old, Value *by);
/* The value behind identities. */
Value *through_identity(Value *v);
/* Constant bool or integer tensor of any shape, before the root. */
Value *rw_constant_ints(Rw *rw, DType d, int rank, const int64_t *dims, const int64_t *v);
/* All elements of a static type are x. */
Value *rw_constant_all(Rw *rw, const Type *t, double x);

/* ---- reshape family ---- */

/* reshape, flatten, squeeze, unsqueeze: elements in order, other dims. */
bool is_reshape_like(const Op *op);
/* A size that an input of the model names is at least 1 in earnest (from -O2 on); one that data decides may well be 0. */
bool dim_may_be_zero(Rw *rw, const Sym *s);
/* The dims of `to` as the constant operand of a reshape of `from`, with 0 = copy and at most one -1. `inferred`: the op
 * being replaced had a -1 already. False with a reason when it cannot be written. */
bool reshape_dims(Rw *rw, const Type *from, const Type *to, bool inferred, int64_t *out, bool *allowzero);
/* One op that reshapes x to the dims of `to`, x itself when they are equal, or NULL with a reason. ones: squeeze and
 * unsqueeze are tried first. */
Value *reshape_like_to(Rw *rw, Value *x, const Type *to, bool inferred, bool ones);

/* ---- slices with known bounds ---- */

/* Per axis: [start, end) by step as ONNX has it (negative and too large bounds allowed); axes that are off are whole. */
typedef struct Span {
	int rank;
	bool on[MAX_RANK];
	int64_t start[MAX_RANK], end[MAX_RANK], step[MAX_RANK];
} Span;
bool slice_span(Rw *rw, const Op *slice, Span *s);
/* Start and end of an axis as positions in [0, n], for a positive step. */
void span_clamp(const Span *s, int axis, int64_t n, int64_t *start, int64_t *end);
Value *rw_slice(Rw *rw, Value *x, const Span *s);
/* The only axis that is on, or -1. */
int span_axis(const Span *s);
#define SPAN_END INT64_MAX

#endif

/* eval_int: helpers that the evaluator's family files share. Private to src/ops. */
#ifndef HONE_OPS_EVAL_INT_H
#define HONE_OPS_EVAL_INT_H

#include "ops.h"

void tensor_release_all(EvalCtx *e); /* tensor.c: frees every live tensor whatever its count */
const char *tensor_shape_text(EvalCtx *e, const Tensor *t); /* "[2,3]"; in the arena of the diagnostics */

/* A new tensor whose elements are not set: for ops that write every one. */
Tensor *tensor_raw(EvalCtx *e, DType dtype, int rank, const int64_t *dims);
/* Likewise with t's type and shape, over t's own storage where nobody else needs it: for ops that write an element, or a
 * block, only after they have read it. */
Tensor *tensor_over(EvalCtx *e, Tensor *t);
bool eval_limit(EvalCtx *e, const Op *op, const char *fmt, ...) PRINTF_LIKE(3, 4); /* HONE_LIMIT */
bool eval_step(EvalCtx *e, const Op *op); /* counts towards max_steps; false + diagnostic at the limit */

Rng random_stream(EvalCtx *e, const Op *op); /* random.c: where the numbers of this execution of a random op come from */

/* Tensors joined along an axis that they have, or stacked along a new one; axis is normalised. NULL on error. */
Tensor *tensor_join(EvalCtx *e, const Op *op, Tensor *const *items, int64_t n, int axis, bool new_axis);
/* Elements [begin, end) along an axis; drop_axis: end = begin + 1 and the axis goes. */
Tensor *tensor_cut(EvalCtx *e, const Tensor *t, int axis, int64_t begin, int64_t end, bool drop_axis);
void sequence_push(Tensor *seq, Tensor *t); /* takes over the reference to t */

/* ---- operands along a result: broadcast.c ---- */

enum { BLOCK = 512 }; /* elements that a block-wise loop handles at a time */

/* How an operand is read along the flattened result, or along any other order of its elements. Adjacent dims that behave
 * alike are merged and dims of size 1 dropped. */
typedef struct Walk {
	const Tensor *t;
	int rank;
	int64_t dims[MAX_RANK];
	int64_t step[MAX_RANK]; /* element strides of t, 0 where it is broadcast */
	bool plain;             /* element i is t's element i */
	bool scalar;            /* one element for all */
} Walk;

/* NumPy broadcast of the shapes of n tensors (absent ones skipped); false when they do not go together. */
bool broadcast_dims(Tensor *const *in, size_t n, int *rank, int64_t *dims);
/* t must broadcast to the given shape. */
void walk_init(Walk *w, const Tensor *t, int rank, const int64_t *dims);
/* Any strided view of t's elements. */
void walk_init_strided(Walk *w, const Tensor *t, int rank, const int64_t *dims, const int64_t *step);
/* Elements [at, at + n), n <= BLOCK. The results are buf or point into the tensor. */
const double *walk_f64(const Walk *w, int64_t at, int64_t n, double *buf);
const int64_t *walk_i64(const Walk *w, int64_t at, int64_t n, int64_t *buf);
/* As stored; buf has room for n elements. */
const void *walk_raw(const Walk *w, int64_t at, int64_t n, void *buf);

/* Ops on quantised tensors of StableHLO, or on types with an encoding, such as bounds: stablehlo_quant.c. */
bool shlo_is_quantised(const Op *op);
EvalFn eval_shlo_quantised;

/* Runs body(arg, begin, end) over [0, n) in pieces, in parallel when that pays; cost: rough nanoseconds an element. The body
 * may not create tensors or report errors. */
void eval_ranges(EvalCtx *e, int64_t n, int64_t cost, void (*body)(void *arg, int64_t begin, int64_t end), void *arg);

/* A tensor of doubles whatever the mode, for intermediate results. */
Tensor *tensor_new_f64(EvalCtx *e, int rank, const int64_t *dims);

/* A double as an integer of type d: towards zero, out of range to the nearest end, NaN to zero. */
int64_t saturate_int(DType d, double x);
/* Stores elements that are rounded even in oracle mode, but to f32 and wider: what casts and quantisation give. saturate: as
 * for dtype_encode_float. n is not limited. */
void store_rounded(Tensor *t, int64_t at, int64_t n, const double *v, bool saturate);

/* As NumPy: a NaN of either operand is the result. 0 is above -0, so that the order of operands does not matter. */
static inline double max_nan(double a, double b)
{
	return a > b || a != a || (a == b && !__builtin_signbit(a)) ? a : b;
}

static inline double min_nan(double a, double b)
{
	return a < b || a != a || (a == b && __builtin_signbit(a)) ? a : b;
}

#endif

/* stablehlo_int: helpers of the evaluator functions of StableHLO ops (stablehlo_*.c). Private to src/ops. */
#ifndef HONE_OPS_STABLEHLO_INT_H
#define HONE_OPS_STABLEHLO_INT_H

#include "eval_int.h"
#include "quant.h"

#include <string.h>

/* n integers of attribute a into out; `fallback` each when the op lacks it; false + diagnostic when it has another length. */
bool shlo_ints(EvalCtx *e, const Op *op, AttrName a, int n, int64_t fallback, int64_t *out);
/* Field of a struct attribute. Lists: count, *v its numbers. */
size_t shlo_field_ints(const Op *op, AttrName a, const char *field, const int64_t **v);
int64_t shlo_field_int(const Op *op, AttrName a, const char *field);
bool shlo_marks_only(const Op *op); /* a custom call that gives back its operand: sharding, placement */
bool shlo_is_one_of(const int64_t *list, size_t n, int64_t v);
/* Shape of result i as declared; false + diagnostic when it is not static. */
bool shlo_result_dims(EvalCtx *e, const Op *op, size_t i, int *rank, int64_t *dims, DType *d);
Tensor *shlo_new_result(EvalCtx *e, const Op *op, size_t i); /* zeroed, of the declared type; NULL + diagnostic */
/* A result of the declared element type, or that of `like` when the op has none. */
DType shlo_result_dtype(const Op *op, size_t i, DType otherwise);
void shlo_copy_element(Tensor *dst, int64_t to, const Tensor *src, int64_t from); /* equal types */
/* Next index in row-major order; false after the last. */
bool shlo_next(int rank, const int64_t *dims, int64_t *index);
int64_t shlo_flat(int rank, const int64_t *dims, const int64_t *index);

/* A region that combines elements: n accumulators and n values give n accumulators. */
typedef struct Combiner {
	EvalCtx *e;
	const Op *op;
	const Block *body;
	size_t n;
	OpKind simple;      /* the body is this core op of its two arguments; OP_UNKNOWN: it is run */
} Combiner;
bool combiner_init(Combiner *c, EvalCtx *e, const Op *op, const Block *body, size_t n);
/* acc[k][at] = body(acc[k][at]..., value[k][from]...). */
bool combiner_apply(Combiner *c, Tensor **acc, int64_t at, Tensor *const *value, int64_t from);
Tensor *shlo_scalar(EvalCtx *e, const Tensor *t, int64_t i); /* element i as a rank-0 tensor */

/* Windows over a tensor: how the output is laid over the (dilated, padded) operand. */
typedef struct ShloWindow {
	int rank;
	int64_t size[MAX_RANK], stride[MAX_RANK], low[MAX_RANK], high[MAX_RANK], base_dilation[MAX_RANK],
		dilation[MAX_RANK];
	int64_t in[MAX_RANK], out[MAX_RANK];
} ShloWindow;
bool shlo_window(EvalCtx *e, const Op *op, const Tensor *x, ShloWindow *w);
/* Flat index of x under window element k of output element o, -1: padding or a gap. */
int64_t shlo_window_at(const ShloWindow *w, const int64_t *o, const int64_t *k);

/* A sum of products in the widest type of a class: integers wrap, floats and complex numbers are carried in double. */
typedef struct ShloSum {
	double v[2];
	int64_t i;
	bool single; /* every step is rounded to f32, as complex<f32> has it */
} ShloSum;
void shlo_sum_product(ShloSum *s, const Tensor *a, int64_t i, const Tensor *b, int64_t k); /* += a[i] * b[k] */
void shlo_sum_store(const ShloSum *s, const Tensor *a, const Tensor *b, Tensor *y, int64_t at);

void shlo_threefry(const uint32_t key[2], const uint32_t counter[2], uint32_t out[2]);

/* How two tensors are compared: floats to the value (zeros and NaNs are one each), relative and absolute, or in units in the
 * last place; others by bits. */
typedef struct ShloTolerance {
	bool exact, relative;
	double tolerance;      /* relative and absolute */
	int64_t min_ulp, max_ulp;
} ShloTolerance;
/* -1: error (diagnostic); else whether all elements match. first: the first that does not. */
int shlo_tensors_match(EvalCtx *e, const Op *op, const Tensor *a, const Tensor *b, const ShloTolerance *t, int64_t *first);
/* False + diagnostic when they differ. */
bool shlo_expect(EvalCtx *e, const Op *op, const Tensor *got, const Tensor *want, const ShloTolerance *t);

/* stablehlo_lapack.c: linear algebra by its library's name. */
bool shlo_is_lapack(const Op *op);
EvalFn shlo_lapack;
/* stablehlo_lapack_old.c: the same with scalar operands for settings. */
bool shlo_is_old_lapack(const Op *op);
EvalFn shlo_old_lapack;
EvalFn shlo_ducc_fft; /* stablehlo_ducc.c */
/* An op of this kind with these operands (their types) and results, run as if it stood where op does. out gets nresults. */
bool shlo_run_as(EvalCtx *e, const Op *op, OpKind kind, Tensor *const *in, size_t n, const Type *const *types, size_t nresults,
	const NamedAttr *attrs, size_t nattrs, Tensor **out);

/* Elements of any float or complex tensor as complex numbers: re, im. */
void shlo_load_complex(const Tensor *t, int64_t i, double v[2]);
void shlo_store_complex(Tensor *t, int64_t i, const double v[2]);

#endif

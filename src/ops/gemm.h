/* gemm: the dense inner loops under matmul, convolution, recurrent nets and attention (gemm.c), and operands as plain
 * float or double arrays (dense.c).  Private to the op families. */
#ifndef HONE_GEMM_H
#define HONE_GEMM_H

#include "ops/ops.h"

/* ---- gemm.c ---- */

/* Writes the kn x nn part of B that starts at row k0, column n0 to dst, rows ld elements apart. */
typedef void GemmPack(const void *arg, int64_t k0, int64_t kn, int64_t n0, int64_t nn, void *dst, int64_t ld);

/* C += A B with A m x k, B k x n, all of one type (DT_F32 or DT_F64), strides in elements.
 * Each element is the sum, in order, of partial sums over blocks of k; neither the instruction set nor the number of
 * threads changes a bit of the result. */
typedef struct Gemm {
	DType type;
	int64_t m, n, k;
	const void *a;
	int64_t a_row, a_col;
	const void *b;            /* unused when pack is set */
	int64_t b_row, b_col;
	void *c;                  /* initialised by the caller (zeros, bias) */
	int64_t c_row, c_col;
	GemmPack *pack;           /* B computed on demand (convolution), else NULL */
	const void *pack_arg;
} Gemm;

void gemm_run(int threads, const Gemm *g);
/* `count` products of one size: bind(arg, i, &g) sets the pointers of the i-th in a copy of *proto. It is called from
 * several threads. The C's must not overlap. */
void gemm_run_many(int threads, const Gemm *proto, int64_t count, void (*bind)(void *arg, int64_t i, Gemm *g), void *arg);

/* ---- dense.c: operands and results as arrays of float or double ---- */

/* Threads for a loop of about this many multiplications: 1 when starting threads costs more than it saves. */
int dense_threads(const EvalCtx *e, double work);
/* DT_F32 when all n tensors (NULL ones skipped) are stored so, else DT_F64. */
DType dense_type(Tensor *const *t, size_t n);
typedef struct Dense {
	void *data;
	Tensor *held; /* reference that keeps data alive */
} Dense;
/* The elements of t as `type` (DT_F32 or DT_F64); shares t's bytes when it is stored so. False + diagnostic on the memory
 * limit. t == NULL gives data == NULL. */
bool dense_load(EvalCtx *e, Tensor *t, DType type, Dense *out);
/* Where to compute the elements of result t: its own bytes, or a scratch array (zeroed) that dense_store rounds into it. */
bool dense_result(EvalCtx *e, Tensor *t, DType type, Dense *out);
void dense_store(Tensor *t, DType type, Dense *d); /* also releases */
void dense_release(Dense *d);
/* Zeroed scratch of n elements of `type`, counted against the memory limit. */
bool dense_scratch(EvalCtx *e, DType type, int64_t n, Dense *out);
static inline void *dense_at(DType type, const void *p, int64_t i)
{
	return type == DT_F32 ? (void *)((float *)(uintptr_t)p + i) : (void *)((double *)(uintptr_t)p + i);
}

#endif

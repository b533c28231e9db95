/* gemm: the dense inner loops under matmul, convolution, recurrent nets and attention (gemm.c), and operands as plain
 * float or double arrays (dense.c).  Private to the op families. */
#ifndef HONE_GEMM_H
#define HONE_GEMM_H

#include "ops/ops.h"

/* ---- gemm.c ---- */

typedef struct Gemm Gemm;
/* Writes the kn x nn part of B that starts at row k0, column n0 to dst, rows ld elements apart. */
typedef void GemmPack(const Gemm *g, int64_t k0, int64_t kn, int64_t n0, int64_t nn, void *dst, int64_t ld);

/* C += A B with A m x k, B k x n, all of one type (DT_F32 or DT_F64), strides in elements.
 * Each element is the sum, in order, of partial sums over blocks of k; neither the instruction set nor the number of
 * threads changes a bit of the result. */
struct Gemm {
	DType type;
	int64_t m, n, k;
	const void *a;
	int64_t a_row, a_col;
	const void *b;            /* what pack makes of it, when that is set */
	int64_t b_row, b_col;
	void *c;                  /* initialised by the caller (zeros, bias) */
	int64_t c_row, c_col;
	GemmPack *pack;           /* B computed on demand (convolution), else NULL */
	const void *pack_arg;
};

void gemm_run(int threads, const Gemm *g);
/* `count` products of one size: bind(arg, i, &g) sets the pointers of the i-th in a copy of *proto. It is called from
 * several threads. The C's must not overlap. */
void gemm_run_many(int threads, const Gemm *proto, int64_t count, void (*bind)(void *arg, int64_t i, Gemm *g), void *arg);

/* ---- product.c: batches of products of any number type ---- */

/* C[batch] = A[batch] B[batch], C contiguous (batch, m, n) and zeroed. kind is DT_F32, DT_F64, DT_I64 (wraps around) or
 * DT_C128; a, b and c hold such elements. Steps are the element strides of A and B along each batch dim (0: broadcast). */
typedef struct Product {
	DType kind;
	int64_t m, n, k;
	int nbatch;
	int64_t batch[MAX_RANK], a_step[MAX_RANK], b_step[MAX_RANK];
	const void *a, *b;
	int64_t a_row, a_col, b_row, b_col;
	void *c;
} Product;
bool product_run(EvalCtx *e, const Product *p);

/* ---- dense.c: operands and results as arrays of plain numbers ---- */

/* Threads for a loop of about this many multiplications: 1 when starting threads costs more than it saves. */
int dense_threads(const EvalCtx *e, double work);
/* How to compute on these tensors (NULL ones skipped): DT_C128 when any is complex, else DT_I64 when all are integer or
 * bool, DT_F32 when all are stored so, else DT_F64. */
DType dense_kind(Tensor *const *t, size_t n);
/* False + diagnostic unless every operand that is present is a tensor of numbers (complex ones where allowed). */
bool dense_operands(EvalCtx *e, const Op *op, Tensor *const *in, bool complex_too);
typedef struct Dense {
	void *data;
	Tensor *held; /* reference that keeps data alive */
} Dense;
/* The elements of t as `kind`; shares t's bytes when it is stored so. False + diagnostic on the memory limit or on a
 * string tensor. t == NULL gives data == NULL. */
bool dense_load(EvalCtx *e, Tensor *t, DType kind, Dense *out);
/* Where to compute the elements of result t: its own bytes, or a scratch array (zeroed) that dense_store rounds into it. */
bool dense_result(EvalCtx *e, Tensor *t, DType kind, Dense *out);
void dense_store(Tensor *t, DType kind, Dense *d); /* also releases */
void dense_release(Dense *d);
/* Zeroed scratch of n elements of `kind`, counted against the memory limit. In oracle mode there is no DT_F32. */
bool dense_scratch(EvalCtx *e, DType kind, int64_t n, Dense *out);
static inline size_t dense_size(DType kind)
{
	return kind == DT_F32 ? sizeof(float) : kind == DT_C128 ? 2 * sizeof(double) : sizeof(double);
}
static inline void *dense_at(DType kind, const void *p, int64_t i)
{
	return (char *)(uintptr_t)p + i * (int64_t)dense_size(kind);
}

/* ---- types that several families infer ---- */

/* Rank and dims of result i are known: sets them with the given element type (DT_NONE is fine). */
static inline bool infer_tensor(InferCtx *x, Op *op, size_t i, DType dtype, int rank, const Sym *const *dims)
{
	infer_result(x, op, i, rank < 0 ? type_unranked(x->ctx, dtype) : type_tensor(x->ctx, dtype, rank, dims));
	return true;
}

#endif

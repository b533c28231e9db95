/* Blocked matrix product: blocks of C are shared out to threads; within one, blocks of A and B are packed so that the
 * register kernel reads memory in order. Kernels for wider vectors are chosen at run time. */
#include "ops/gemm.h"

#include <stdatomic.h>
#include <string.h>

enum {
	TILE_ROWS = 6,       /* rows of a register tile; times 2 vectors = 12 sums in flight */
	MAX_TILE_BYTES = 128,/* row of a register tile, widest kernel */
	BLOCK_DEPTH = 256,   /* length of a partial sum; a panel of B of this depth fits the first-level cache */
	BLOCK_ROWS = 192,    /* packed block of A: second-level cache */
	BLOCK_COLS = 256
};

typedef struct Kernel {
	int64_t bytes; /* row of the register tile */
	void (*run)(int64_t kn, const void *a, const void *b, int64_t ldb, void *tile);
} Kernel;

#define T float
#define VEC_BYTES 16
#define TARGET
#define KERNEL kernel_f32
#include "gemm_kernel.inc"
#undef KERNEL
#undef T
#define T double
#define KERNEL kernel_f64
#include "gemm_kernel.inc"
#undef KERNEL
#undef TARGET
#undef VEC_BYTES
#undef T

#if defined(__x86_64__)
#define VEC_BYTES 32
#define TARGET __attribute__((target("avx2")))
#define T float
#define KERNEL kernel_f32_avx2
#include "gemm_kernel.inc"
#undef KERNEL
#undef T
#define T double
#define KERNEL kernel_f64_avx2
#include "gemm_kernel.inc"
#undef KERNEL
#undef T
#undef TARGET
#undef VEC_BYTES

#define VEC_BYTES 64
#define TARGET __attribute__((target("avx512f")))
#define T float
#define KERNEL kernel_f32_avx512
#include "gemm_kernel.inc"
#undef KERNEL
#undef T
#define T double
#define KERNEL kernel_f64_avx512
#include "gemm_kernel.inc"
#undef KERNEL
#undef T
#undef TARGET
#undef VEC_BYTES
#endif

static Kernel kernel_best(DType type)
{
	bool f32 = type == DT_F32;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return (Kernel){128, f32 ? kernel_f32_avx512 : kernel_f64_avx512};
	if (__builtin_cpu_supports("avx2"))
		return (Kernel){64, f32 ? kernel_f32_avx2 : kernel_f64_avx2};
#endif
	return (Kernel){32, f32 ? kernel_f32 : kernel_f64};
}

#define T float
#define NAME(x) x##_f32
#include "gemm_pack.inc"
#undef NAME
#undef T
#define T double
#define NAME(x) x##_f64
#include "gemm_pack.inc"
#undef NAME
#undef T

typedef struct Job {
	const Gemm *proto;
	Kernel kernel;
	int64_t count, row_blocks, col_blocks, rows, cols;
	void (*bind)(void *arg, int64_t i, Gemm *g);
	void *arg;
	bool swap;
	unsigned char *scratch;
	size_t scratch_bytes; /* of one slot */
	_Atomic int64_t next;
} Job;

/* C' = B' A': the side that is padded to the wide edge of a register tile should be the long one. */
static void gemm_swap(Gemm *g)
{
	Gemm s = *g;
	s.m = g->n, s.n = g->m;
	s.a = g->b, s.a_row = g->b_col, s.a_col = g->b_row;
	s.b = g->a, s.b_row = g->a_col, s.b_col = g->a_row;
	s.c_row = g->c_col, s.c_col = g->c_row;
	*g = s;
}

static void job_block(const Job *job, int64_t i, void *scratch)
{
	int64_t tiles = job->row_blocks * job->col_blocks;
	Gemm g = *job->proto;
	job->bind(job->arg, i / tiles, &g);
	if (job->swap)
		gemm_swap(&g);
	int64_t i0 = i % tiles / job->col_blocks * job->rows, j0 = i % tiles % job->col_blocks * job->cols;
	int64_t in = g.m - i0 < job->rows ? g.m - i0 : job->rows;
	int64_t jn = g.n - j0 < job->cols ? g.n - j0 : job->cols;
	if (g.type == DT_F32)
		block_f32(&g, &job->kernel, i0, in, j0, jn, scratch);
	else
		block_f64(&g, &job->kernel, i0, in, j0, jn, scratch);
}

/* One slot of scratch takes blocks until none is left. */
static void job_slot(void *arg, int64_t slot)
{
	Job *job = arg;
	int64_t all = job->count * job->row_blocks * job->col_blocks;
	for (;;) {
		int64_t i = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
		if (i >= all)
			return;
		job_block(job, i, job->scratch + (size_t)slot * job->scratch_bytes);
	}
}

void gemm_run_many(int threads, const Gemm *proto, int64_t count, void (*bind)(void *arg, int64_t i, Gemm *g), void *arg)
{
	const double worth_a_thread = 1e6;
	if (count <= 0 || proto->m <= 0 || proto->n <= 0 || proto->k <= 0)
		return;
	Job job = {.proto = proto, .kernel = kernel_best(proto->type), .count = count, .rows = BLOCK_ROWS, .cols = BLOCK_COLS,
		.bind = bind, .arg = arg};
	job.swap = !proto->pack && proto->n < proto->m && proto->n <= TILE_ROWS;
	int64_t m = job.swap ? proto->n : proto->m, n = job.swap ? proto->m : proto->n;
	job.row_blocks = (m + job.rows - 1) / job.rows;
	job.col_blocks = (n + job.cols - 1) / job.cols;
	int64_t slots = threads <= 0 ? cpu_count() : threads;
	if ((double)count * (double)m * (double)n * (double)proto->k < worth_a_thread)
		slots = 1;
	if (slots > count * job.row_blocks * job.col_blocks)
		slots = count * job.row_blocks * job.col_blocks;
	job.scratch_bytes = (size_t)(BLOCK_ROWS + BLOCK_COLS) * BLOCK_DEPTH * (proto->type == DT_F32 ? sizeof(float) : sizeof(double));
	job.scratch = mem_alloc(job.scratch_bytes * (size_t)slots);
	parallel_for((int)slots, slots, job_slot, &job);
	mem_free(job.scratch);
}

static void bind_nothing(void *arg, int64_t i, Gemm *g)
{
	(void)arg, (void)i, (void)g;
}

void gemm_run(int threads, const Gemm *g)
{
	gemm_run_many(threads, g, 1, bind_nothing, NULL);
}

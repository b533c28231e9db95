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
	BLOCK_COLS = 256,
	STREAM_COLS = 1024,  /* a page or two of each row of B; TILE_ROWS such rows of sums fit the first cache */
	DOT_DEPTH = 4096
};

/* How blocks are computed. The last two are for at most TILE_ROWS rows, where packing B costs more than using it. */
typedef enum Path { PATH_PACKED, PATH_STREAM, PATH_DOT } Path;

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

typedef struct Job {
	const Gemm *proto;
	Kernel kernel;
	int64_t count, row_blocks, col_blocks, rows, cols;
	void (*bind)(void *arg, int64_t i, Gemm *g);
	void *arg;
	bool swap;
	Path path;
	unsigned char *scratch;
	int64_t a_room;       /* elements of scratch before those for B */
	size_t scratch_bytes; /* of one slot */
	_Atomic int64_t next;
} Job;

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
		block_f32(&g, job, i0, in, j0, jn, scratch);
	else
		block_f64(&g, job, i0, in, j0, jn, scratch);
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

static Path path_of(const Gemm *g)
{
	if (g->m > TILE_ROWS || g->pack)
		return PATH_PACKED;
	if (g->b_row == 1 && g->k > 1)
		return PATH_DOT;
	return g->b_col == 1 ? PATH_STREAM : PATH_PACKED;
}

static int64_t at_most(int64_t n, int64_t limit)
{
	return n < limit ? n : limit;
}

/* Scratch of one slot, for blocks no larger than the product has any. */
static void job_scratch(Job *job, const Gemm *g)
{
	int64_t size = g->type == DT_F32 ? (int64_t)sizeof(float) : (int64_t)sizeof(double),
			depth = at_most(g->k, BLOCK_DEPTH);
	int64_t width = job->kernel.bytes / size, all;
	job->a_room = (at_most(g->m, BLOCK_ROWS) + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS * depth;
	if (job->path == PATH_STREAM)
		all = g->m * at_most(g->n, STREAM_COLS);
	else if (job->path == PATH_DOT)
		all = g->m * at_most(g->k, DOT_DEPTH);
	else
		all = job->a_room + (at_most(g->n, BLOCK_COLS) + width - 1) / width * width * depth;
	job->scratch_bytes = (size_t)((all * size + 63) / 64 * 64);
}

void gemm_run_many(
	int threads, const Gemm *proto, int64_t count, void (*bind)(void *arg, int64_t i, Gemm *g), void *arg)
{
	const double worth_a_thread = 1e6;
	Gemm g = *proto;
	if (count <= 0 || g.m <= 0 || g.n <= 0 || g.k <= 0)
		return;
	Job job = {
		.proto = proto, .kernel = kernel_best(g.type), .count = count, .rows = BLOCK_ROWS, .bind = bind, .arg = arg};
	job.swap = !g.pack && g.n < g.m && g.n <= TILE_ROWS;
	if (job.swap)
		gemm_swap(&g);
	job.path = path_of(&g);
	job.cols = job.path == PATH_STREAM ? STREAM_COLS : BLOCK_COLS;
	job.row_blocks = (g.m + job.rows - 1) / job.rows;
	job.col_blocks = (g.n + job.cols - 1) / job.cols;
	int64_t slots = threads <= 0 ? cpu_count() : threads;
	if ((double)count * (double)g.m * (double)g.n * (double)g.k < worth_a_thread)
		slots = 1;
	if (slots > count * job.row_blocks * job.col_blocks)
		slots = count * job.row_blocks * job.col_blocks;
	job_scratch(&job, &g);
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

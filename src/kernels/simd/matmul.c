/* Product of two matrices that are both computed at run time. The right one is packed into panels in the scratch, a
 * chunk of panels and a block of k at a time; with one tile of rows it is read in place where its rows allow; where
 * it lies transposed and rows are few, each element is a dot product of two rows. */
#include "conv.h"

enum { K_BLOCK = 2048, CHUNK_BYTES = 512 << 10, DOT_COLS = 4, A_PAD = 16, ALIAS = 4096 };

/* plan[]: blocking of tasks, and how the right factor is read. */
enum { PLAN_ROWS, PLAN_COLS, PLAN_MODE };
typedef enum Mode { MODE_PACK, MODE_IN_PLACE, MODE_DOT } Mode;

static int64_t batches_of(const MatmulParam *p)
{
	return p->batch[0] * p->batch[1] * p->batch[2];
}

/* What is cut into tasks: tiles of rows, and panels. */
static int64_t row_units(const MatmulParam *p)
{
	return p->plan[PLAN_MODE] == MODE_DOT ? 1 : product_tiles(p->m, p->k);
}

bool K(matmul_plan)(MatmulParam *p, int threads)
{
	p->plan[PLAN_MODE] = p->m <= DOT_ROWS && p->b_row == 1 && p->a_col == 1 && p->k >= LANES ? MODE_DOT :
		p->m <= MICRO_ROWS && p->b_col == 1 ? MODE_IN_PLACE : MODE_PACK;
	double flops = 2 * (double)batches_of(p) * (double)p->m * (double)p->n * (double)p->k;
	double pack = p->b_col == 1 ? 4 : 16; /* cost of packing an element against 32 multiply-adds */
	K(split_work)(batches_of(p), row_units(p), panels_of(p->n), pack / (double)p->m,
		(p->a_col == 1 ? 4 : 32) / (double)p->n, flops, threads,
		&p->plan[PLAN_ROWS], &p->plan[PLAN_COLS]);
	return true;
}

static int64_t matmul_tasks(const void *param)
{
	const MatmulParam *p = param;
	return batches_of(p) * ceil_div(row_units(p), p->plan[PLAN_ROWS]) * ceil_div(panels_of(p->n), p->plan[PLAN_COLS]);
}

/* ---- scratch ---- */

typedef struct Areas {
	float *b, *a;               /* packed panels; copied rows of a tile */
	const float **a_rows, **residual;
	float **y;
	void *post;
} Areas;

static int64_t block_of(const MatmulParam *p)
{
	return p->plan[PLAN_MODE] == MODE_IN_PLACE ? p->k : min_i64(p->k, K_BLOCK);
}

static int64_t chunk_of(const MatmulParam *p)
{
	if (p->plan[PLAN_MODE] == MODE_IN_PLACE)
		return 1; /* only the last panel is ever packed */
	int64_t fit = CHUNK_BYTES / (PANEL * (int64_t)sizeof(float) * max_i64(1, block_of(p)));
	return max_i64(1, min_i64(fit, p->plan[PLAN_COLS]));
}

static size_t areas_of(const MatmulParam *p, void *scratch, Areas *s)
{
	size_t b = align64((size_t)(chunk_of(p) * block_of(p) * PANEL) * sizeof(float));
	size_t pointers = align64(MICRO_ROWS * sizeof(void *));
	size_t a = align64((size_t)(MICRO_ROWS * (block_of(p) + A_PAD)) * sizeof(float));
	if (s) {
		char *at = scratch;
		*s = (Areas){(float *)at, (float *)(at + b), (const float **)(at + b + a),
			(const float **)(at + b + a + pointers),
			(float **)(at + b + a + 2 * pointers), at + b + a + 3 * pointers};
	}
	return a + b + 3 * pointers + K(conv_post_scratch)(p->post);
}

static size_t matmul_scratch(const void *param)
{
	return areas_of(param, NULL, NULL);
}

/* ---- packing ---- */

/* dst[k][width] = b[k][0 .. cols), zeros after; cols <= width <= PANEL. */
static void pack_rows(const float *b, int64_t b_row, int64_t k, int64_t cols, int64_t width, float *dst)
{
	for (int64_t i = 0; i < k; i++, b += b_row, dst += width) {
		int64_t c = 0;
		for (; c + LANES <= cols; c += LANES)
			vec_store(dst + c, vec_load(b + c));
		if (c < cols)
			vec_store(dst + c, vec_load_part(b + c, cols - c));
	}
}

/* The same from strides (1, b_col): squares of LANES by LANES are transposed in registers. */
static void pack_columns(const float *b, int64_t b_col, int64_t k, int64_t cols, int64_t width, float *dst)
{
	for (int64_t c = 0; c < width; c += LANES)
		for (int64_t i = 0; i < k; i += LANES) {
			Vec r[LANES];
			int64_t depth = min_i64(LANES, k - i), n = min_i64(LANES, cols - c);
			for (int64_t j = 0; j < LANES; j++) {
				const float *from = b + (c + j) * b_col + i;
				r[j] = j >= n ? (Vec){0} : depth == LANES ? vec_load(from) : vec_load_part(from, depth);
			}
			vec_transpose(r);
			for (int64_t j = 0; j < depth; j++)
				vec_store(dst + (i + j) * width + c, r[j]);
		}
}

void K(pack_panel)(const MatmulParam *p, const float *b, int64_t k, int64_t cols, float *dst)
{
	int64_t width = packed_cols(cols);
	if (p->b_col == 1)
		pack_rows(b, p->b_row, k, cols, width, dst);
	else if (p->b_row == 1)
		pack_columns(b, p->b_col, k, cols, width, dst);
	else
		for (int64_t i = 0; i < k; i++)
			for (int64_t c = 0; c < width; c++)
				dst[i * width + c] = c < cols ? b[i * p->b_row + c * p->b_col] : 0;
}

/* ---- one task ---- */

typedef struct Job {
	const MatmulParam *p;
	const float *a, *b;     /* of the batch */
	float *c;
	int64_t tile, tile_end, panel, panel_end;
	Areas s;
} Job;

/* Rows of the tile that starts at row `first`, k from `at` on: in place, or copied where they are no rows in memory
 * or their distance would put them into one set of the cache. */
static void tile_rows(const Job *j, int64_t first, int64_t rows, int64_t at, int64_t len)
{
	const MatmulParam *p = j->p;
	bool alias = LANES == 16 && rows > 12 && j->panel_end - j->panel > 2 &&
		p->a_row * (int64_t)sizeof(float) % ALIAS == 0;
	for (int64_t i = 0; i < rows; i++) {
		const float *from = j->a + (first + i) * p->a_row + at * p->a_col;
		float *copy = j->s.a + i * (len + A_PAD);
		j->s.a_rows[i] = p->a_col == 1 && !alias ? from : copy;
		j->s.y[i] = j->c + (first + i) * p->c_row;
		j->s.residual[i] = j->s.y[i];
		if (p->a_col != 1)
			for (int64_t k = 0; k < len; k++)
				copy[k] = from[k * p->a_col];
		else if (alias)
			memcpy(copy, from, (size_t)len * sizeof(float));
	}
}

/* Panels [panel, panel_end) for k from `at` on: all tiles of the task. `packed`: where these panels lie packed. */
static void chunk_run(const Job *j, int64_t panel, int64_t panel_end, int64_t at, int64_t len, const float *packed)
{
	const MatmulParam *p = j->p;
	int64_t tiles = product_tiles(p->m, p->k);
	bool ahead = p->a_col == 1 && p->a_row < 2 * p->k;
	Micro m = {.a = j->s.a_rows, .runs = 1, .len = len, .y = j->s.y, .residual = at ? j->s.residual : NULL,
		.alpha = p->alpha, .lo = -INFINITY, .hi = INFINITY};
	for (int64_t tile = j->tile; tile < j->tile_end; tile++) {
		int64_t first = p->m * tile / tiles, rows = p->m * (tile + 1) / tiles - first;
		tile_rows(j, first, rows, at, len);
		for (int64_t i = panel; i < panel_end; i++) {
			int64_t col = i * PANEL, cols = min_i64(PANEL, p->n - col);
			const float *w = packed ? packed + (i - panel) * len * PANEL : j->b + at * p->b_row + col;
			m.w_step = packed ? packed_cols(cols) : p->b_row;
			/* The rows of the next tile, each panel a part of them. */
			m.ahead = j->a + (first + rows) * p->a_row + at + rows * p->a_row * (i - panel) / (panel_end - panel);
			m.ahead_step = ahead ? ceil_div(rows * p->a_row, len * (panel_end - panel) + 1) : 0;
			K(micro_for)(rows, cols, p->m <= 3)(&m, w, NULL, col, cols);
		}
	}
}

/* packed: the panels are in the scratch from the last task. */
static void job_packed(const Job *j, bool packed)
{
	const MatmulParam *p = j->p;
	int64_t chunk = chunk_of(p), block = block_of(p);
	for (int64_t panel = j->panel; panel < j->panel_end; panel += chunk) {
		int64_t panel_end = min_i64(panel + chunk, j->panel_end), at = 0;
		do {
			int64_t len = min_i64(block, p->k - at);
			for (int64_t i = panel; i < panel_end && !packed; i++)
				K(pack_panel)(p, j->b + at * p->b_row + i * PANEL * p->b_col, len, min_i64(PANEL, p->n - i * PANEL),
					j->s.b + (i - panel) * len * PANEL);
			chunk_run(j, panel, panel_end, at, len, j->s.b);
			at += len;
		} while (at < p->k);
	}
}

static void job_in_place(const Job *j)
{
	const MatmulParam *p = j->p;
	int64_t whole = p->n % LANES ? p->n / PANEL : panels_of(p->n); /* panels that whole vectors can read */
	chunk_run(j, j->panel, min_i64(j->panel_end, whole), 0, p->k, NULL);
	if (whole < j->panel_end) {
		K(pack_panel)(p, j->b + whole * PANEL, p->k, p->n - whole * PANEL, j->s.b);
		chunk_run(j, max_i64(j->panel, whole), j->panel_end, 0, p->k, j->s.b);
	}
}

static inline __attribute__((always_inline)) float vec_sum(Vec v)
{
#if ISA_LEVEL == 4
	return _mm512_reduce_add_ps((__m512)v);
#else
	typedef float Quad __attribute__((vector_size(16)));
	Quad q[LANES / 4];
	memcpy(q, &v, sizeof q);
	Quad s = q[0];
	for (int i = 1; i < LANES / 4; i++)
		s += q[i];
	return (s[0] + s[2]) + (s[1] + s[3]);
#endif
}

/* c[rows][cols] of up to DOT_ROWS x DOT_COLS dot products. */
static inline __attribute__((always_inline)) void dots(const MatmulParam *p, const float *a, const float *b, float *c,
	const int rows, const int cols)
{
	Vec acc[DOT_ROWS][DOT_COLS] = {0};
	int64_t k = 0;
	for (; k < p->k; k += LANES) {
		int64_t n = min_i64(LANES, p->k - k);
		Vec x[DOT_ROWS];
#pragma GCC unroll 4
		for (int i = 0; i < rows; i++)
			x[i] = n == LANES ? vec_load(a + i * p->a_row + k) : vec_load_part(a + i * p->a_row + k, n);
#pragma GCC unroll 4
		for (int j = 0; j < cols; j++) {
			Vec y = n == LANES ? vec_load(b + j * p->b_col + k) : vec_load_part(b + j * p->b_col + k, n);
#pragma GCC unroll 4
			for (int i = 0; i < rows; i++)
				acc[i][j] += x[i] * y;
		}
	}
#pragma GCC unroll 4
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
		for (int j = 0; j < cols; j++)
			c[i * p->c_row + j] = p->alpha * vec_sum(acc[i][j]);
}

typedef void DotsRun(const MatmulParam *p, const float *a, const float *b, float *c);
#define DOTS(rows, cols) \
	static void dots_##rows##_##cols(const MatmulParam *p, const float *a, const float *b, float *c) \
	{ \
		dots(p, a, b, c, rows, cols); \
	}
DOTS(1, 1) DOTS(2, 1) DOTS(3, 1) DOTS(4, 1) DOTS(1, 4) DOTS(2, 4) DOTS(3, 4) DOTS(4, 4)
static DotsRun *const DOTS_RUNS[DOT_ROWS][2] = {
	{dots_1_1, dots_1_4}, {dots_2_1, dots_2_4}, {dots_3_1, dots_3_4}, {dots_4_1, dots_4_4},
};

void K(dot_rows)(const MatmulParam *p, const float *a, const float *b, float *c, int64_t cols)
{
	DotsRun *const *run = DOTS_RUNS[p->m - 1];
	int64_t col = 0;
	for (; col + DOT_COLS <= cols; col += DOT_COLS)
		run[1](p, a, b + col * p->b_col, c + col);
	for (; col < cols; col++)
		run[0](p, a, b + col * p->b_col, c + col);
}

static void job_dot(const Job *j)
{
	const MatmulParam *p = j->p;
	int64_t col = j->panel * PANEL, end = min_i64(j->panel_end * PANEL, p->n);
	K(dot_rows)(p, j->a, j->b + col * p->b_col, j->c + col, end - col);
}

/* Tasks: batches outermost, then blocks of columns, then blocks of rows, so that packed columns serve several tasks. */
static void matmul_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const MatmulParam *p = param;
	int64_t row_blocks = ceil_div(row_units(p), p->plan[PLAN_ROWS]), panels = panels_of(p->n), tiles = product_tiles(p->m, p->k);
	int64_t col_blocks = ceil_div(panels, p->plan[PLAN_COLS]), packed = -1;
	Job j = {.p = p};
	areas_of(p, scratch, &j.s);
	for (int64_t task = begin; task < end; task++) {
		int64_t columns = task / row_blocks, batch = columns / col_blocks, lo[MATMUL_BATCH + 2], hi[MATMUL_BATCH + 2];
		int64_t a = p->a_offset, b = p->b_offset, c = p->c_offset;
		for (int d = MATMUL_BATCH - 1; d >= 0; d--) {
			lo[d] = batch % p->batch[d];
			batch /= p->batch[d];
			hi[d] = lo[d] + 1;
			a += lo[d] * p->a_batch[d];
			b += lo[d] * p->b_batch[d];
			c += lo[d] * p->c_batch[d];
		}
		j.a = (const float *)ptr[1] + a;
		j.b = (const float *)ptr[2] + b;
		j.c = (float *)ptr[0] + c;
		j.panel = columns % col_blocks * p->plan[PLAN_COLS];
		j.panel_end = min_i64(j.panel + p->plan[PLAN_COLS], panels);
		j.tile = task % row_blocks * p->plan[PLAN_ROWS];
		j.tile_end = p->plan[PLAN_MODE] == MODE_DOT ? 1 : min_i64(j.tile + p->plan[PLAN_ROWS], tiles);
		if (p->plan[PLAN_MODE] == MODE_DOT)
			job_dot(&j);
		else if (p->plan[PLAN_MODE] == MODE_IN_PLACE)
			job_in_place(&j);
		else
			job_packed(&j, packed == columns);
		packed = p->k <= block_of(p) && j.panel_end - j.panel <= chunk_of(p) ? columns : -1;
		if (!p->post)
			continue;
		lo[MATMUL_BATCH] = p->plan[PLAN_MODE] == MODE_DOT ? 0 : p->m * j.tile / tiles;
		hi[MATMUL_BATCH] = p->plan[PLAN_MODE] == MODE_DOT ? p->m : p->m * j.tile_end / tiles;
		lo[MATMUL_BATCH + 1] = j.panel * PANEL;
		hi[MATMUL_BATCH + 1] = min_i64(j.panel_end * PANEL, p->n);
		K(tile_box)(p->post, ptr, lo, hi, j.s.post);
	}
}

const Kernel K(kernel_matmul) = {matmul_tasks, matmul_run, matmul_scratch};

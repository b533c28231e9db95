/* Products of matrices of doubles: panels of the right factor are copied to first-level cache, in pieces of its depth, and met by
 * four rows at a time. */
#include "simd.h"

enum { DOUBLES = LANES / 2, COLS = 2 * DOUBLES, ROWS = 4, TASK_ROWS = 32, DEPTH = 256 };
typedef double VecDouble __attribute__((vector_size(4 * LANES)));

static int64_t row_blocks(const MatmulParam *p)
{
	return ceil_div(p->m, TASK_ROWS);
}

static int64_t matmul64_tasks(const void *param)
{
	const MatmulParam *p = param;
	return p->batch[0] * p->batch[1] * p->batch[2] * row_blocks(p);
}

static size_t matmul64_scratch(const void *param)
{
	(void)param;
	return DEPTH * COLS * sizeof(double);
}

static void fill_panel(const MatmulParam *p, const double *b, int64_t depth, int64_t cols, double *panel)
{
	for (int64_t k = 0; k < depth; k++, b += p->b_row)
		for (int64_t j = 0; j < COLS; j++)
			panel[k * COLS + j] = j < cols ? b[j * p->b_col] : 0;
}

/* c (rows x cols) (+)= a panel */
static void micro(const MatmulParam *p, const double *a, const double *panel, int64_t depth, int64_t rows, int64_t cols, bool more,
	double *c)
{
	VecDouble acc[ROWS][2] = { { { 0 } } };
	const double *row[ROWS];
	for (int i = 0; i < ROWS; i++)
		row[i] = a + min_i64(i, rows - 1) * p->a_row;
	for (int64_t k = 0; k < depth; k++) {
		const VecDouble *b = (const VecDouble *)(const void *)(panel + k * COLS);
		for (int i = 0; i < ROWS; i++) {
			VecDouble x = row[i][k * p->a_col] - (VecDouble){ 0 };
			acc[i][0] += x * b[0];
			acc[i][1] += x * b[1];
		}
	}
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < cols; j++)
			c[i * p->c_row + j] = acc[i][j / DOUBLES][j % DOUBLES] + (more ? c[i * p->c_row + j] : 0);
}

static void rows_run(const MatmulParam *p, const double *a, const double *b, double *c, int64_t rows, double *panel)
{
	for (int64_t j = 0; j < p->n; j += COLS) {
		int64_t cols = min_i64(COLS, p->n - j);
		for (int64_t k = 0; k < p->k; k += DEPTH) {
			int64_t depth = min_i64(DEPTH, p->k - k);
			fill_panel(p, b + k * p->b_row + j * p->b_col, depth, cols, panel);
			for (int64_t i = 0; i < rows; i += ROWS)
				micro(p, a + i * p->a_row + k * p->a_col, panel, depth, min_i64(ROWS, rows - i), cols, k > 0,
					c + i * p->c_row + j);
		}
	}
	for (int64_t i = 0; p->alpha != 1.0f && i < rows; i++)
		for (int64_t j = 0; j < p->n; j++)
			c[i * p->c_row + j] *= (double)p->alpha;
}

static void matmul64_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const MatmulParam *p = param;
	int64_t blocks = row_blocks(p);
	for (int64_t task = begin; task < end; task++) {
		int64_t first = task % blocks * TASK_ROWS, rest = task / blocks;
		int64_t a = p->a_offset + first * p->a_row, b = p->b_offset, c = p->c_offset + first * p->c_row;
		for (int d = MATMUL_BATCH - 1; d >= 0; d--) {
			int64_t i = rest % p->batch[d];
			rest /= p->batch[d];
			a += i * p->a_batch[d];
			b += i * p->b_batch[d];
			c += i * p->c_batch[d];
		}
		rows_run(p, (const double *)ptr[1] + a, (const double *)ptr[2] + b, (double *)ptr[0] + c,
			min_i64(TASK_ROWS, p->m - first), scratch);
	}
}

const Kernel K(kernel_matmul64) = { matmul64_tasks, matmul64_run, matmul64_scratch };

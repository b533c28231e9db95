/* Strided copies. Rows that are contiguous on both sides are moved whole; where the source runs along another dim than the
 * target, both are walked in square blocks. */
#include "simd.h"

enum { TASK_BYTES = 65536, BLOCK = 16 };

/* Outer positions: all dims but the last. */
static int64_t outer_count(const CopyParam *c)
{
	int64_t n = 1;
	for (int i = 0; i + 1 < c->rank; i++)
		n *= c->dims[i];
	return n;
}

static int64_t rows_per_task(const CopyParam *c)
{
	int64_t row = c->dims[c->rank - 1] * c->elem;
	return max_i64(1, TASK_BYTES / max_i64(1, row));
}

/* The dim along which the source is contiguous, when that is not the last: its blocks are worth more than rows. */
static int crossing_dim(const CopyParam *c)
{
	int last = c->rank - 1;
	if (c->x_stride[last] == 1 || c->x_stride[last] == 0 || c->y_stride[last] != 1 || (c->elem != 4 && c->elem != 8))
		return -1;
	for (int i = 0; i < last; i++)
		if (c->x_stride[i] == 1 && c->dims[i] >= 4)
			return i;
	return -1;
}

static int64_t copy_tasks(const void *param)
{
	const CopyParam *c = param;
	int cross = crossing_dim(c);
	if (cross < 0)
		return ceil_div(outer_count(c), rows_per_task(c));
	return outer_count(c) / c->dims[cross] * ceil_div(c->dims[cross], BLOCK);
}

static void copy_row(int elem, char *y, int64_t ys, const char *x, int64_t xs, int64_t n)
{
	if (xs == 1 && ys == 1) {
		memcpy(y, x, (size_t)(n * elem));
		return;
	}
	switch (elem) {
	case 1:
		for (int64_t i = 0; i < n; i++)
			y[i * ys] = x[i * xs];
		break;
	case 2:
		for (int64_t i = 0; i < n; i++)
			((uint16_t *)y)[i * ys] = ((const uint16_t *)x)[i * xs];
		break;
	case 4:
		if (xs == 0 && ys == 1) {
			uint32_t v = *(const uint32_t *)x;
			for (int64_t i = 0; i < n; i++)
				((uint32_t *)y)[i] = v;
			break;
		}
		for (int64_t i = 0; i < n; i++)
			((uint32_t *)y)[i * ys] = ((const uint32_t *)x)[i * xs];
		break;
	case 8:
		for (int64_t i = 0; i < n; i++)
			((uint64_t *)y)[i * ys] = ((const uint64_t *)x)[i * xs];
		break;
	default:
		for (int64_t i = 0; i < n; i++)
			memcpy(y + i * ys * elem, x + i * xs * elem, (size_t)elem);
	}
}

/* Offsets of an outer position; skip: a dim that is left out. */
static void offsets(const CopyParam *c, int64_t index, int skip, int64_t *x, int64_t *y)
{
	*x = c->x_offset;
	*y = c->y_offset;
	for (int i = c->rank - 2; i >= 0; i--) {
		if (i == skip)
			continue;
		int64_t at = index % c->dims[i];
		index /= c->dims[i];
		*x += at * c->x_stride[i];
		*y += at * c->y_stride[i];
	}
}

static void run_rows(const CopyParam *c, char *y, const char *x, int64_t begin, int64_t end)
{
	int last = c->rank - 1;
	int64_t rows = rows_per_task(c), stop = min_i64(end * rows, outer_count(c));
	for (int64_t r = begin * rows; r < stop; r++) {
		int64_t xo, yo;
		offsets(c, r, -1, &xo, &yo);
		copy_row(c->elem, y + yo * c->elem, c->y_stride[last], x + xo * c->elem, c->x_stride[last], c->dims[last]);
	}
}

/* y[i][j] = x[j][i] for a block of `rows` values of i; j runs over the last dim. */
static void cross_4(uint32_t *y, int64_t ys, const uint32_t *x, int64_t xs, int64_t rows, int64_t n)
{
	for (int64_t j0 = 0; j0 < n; j0 += BLOCK) {
		int64_t jn = min_i64(BLOCK, n - j0);
		if (rows == BLOCK && jn == BLOCK) {
			uint32_t block[BLOCK][BLOCK];
			for (int j = 0; j < BLOCK; j++)
				for (int i = 0; i < BLOCK; i++)
					block[i][j] = x[(j0 + j) * xs + i];
			for (int i = 0; i < BLOCK; i++)
				memcpy(y + i * ys + j0, block[i], sizeof(block[i]));
			continue;
		}
		for (int64_t i = 0; i < rows; i++)
			for (int64_t j = j0; j < j0 + jn; j++)
				y[i * ys + j] = x[j * xs + i];
	}
}

static void cross_8(uint64_t *y, int64_t ys, const uint64_t *x, int64_t xs, int64_t rows, int64_t n)
{
	for (int64_t j0 = 0; j0 < n; j0 += BLOCK)
		for (int64_t i = 0; i < rows; i++)
			for (int64_t j = j0; j < min_i64(j0 + BLOCK, n); j++)
				y[i * ys + j] = x[j * xs + i];
}

static void run_cross(const CopyParam *c, int cross, char *y, const char *x, int64_t begin, int64_t end)
{
	int last = c->rank - 1;
	int64_t blocks = ceil_div(c->dims[cross], BLOCK);
	for (int64_t t = begin; t < end; t++) {
		int64_t i0 = t % blocks * BLOCK, rows = min_i64(BLOCK, c->dims[cross] - i0), xo, yo;
		offsets(c, t / blocks, cross, &xo, &yo);
		xo += i0;
		yo += i0 * c->y_stride[cross];
		if (c->elem == 4)
			cross_4((uint32_t *)y + yo, c->y_stride[cross], (const uint32_t *)x + xo, c->x_stride[last], rows, c->dims[last]);
		else
			cross_8((uint64_t *)y + yo, c->y_stride[cross], (const uint64_t *)x + xo, c->x_stride[last], rows, c->dims[last]);
	}
}

static void copy_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const CopyParam *c = param;
	int cross = crossing_dim(c);
	(void)scratch;
	if (cross < 0)
		run_rows(c, ptr[0], ptr[1], begin, end);
	else
		run_cross(c, cross, ptr[0], ptr[1], begin, end);
}

const Kernel K(kernel_copy) = { copy_tasks, copy_run, NULL };

/* ---- rows by index ---- */

static int64_t gather_tasks(const void *param)
{
	const GatherParam *g = param;
	return max_i64(1, min_i64(g->outer * g->n, g->outer * g->n * g->inner / TASK_BYTES));
}

static void gather_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const GatherParam *g = param;
	int64_t tasks = gather_tasks(param), total = g->outer * g->n;
	(void)scratch;
	for (int64_t r = total * begin / tasks; r < total * end / tasks; r++) {
		int64_t o = r / g->n, i = r % g->n;
		int64_t at = g->index64 ? ((const int64_t *)ptr[2])[i] : ((const int32_t *)ptr[2])[i];
		char *y = (char *)ptr[0] + o * g->y_outer + i * g->inner;
		if (at < 0)
			at += g->rows;
		if (at >= 0 && at < g->rows) {
			memcpy(y, (const char *)ptr[1] + o * g->x_outer + at * g->inner, (size_t)g->inner);
			continue;
		}
		memset(y, 0, (size_t)g->inner);
		__atomic_store_n((int64_t *)ptr[3], i + 1, __ATOMIC_RELAXED);
	}
}

const Kernel K(kernel_gather) = { gather_tasks, gather_run, NULL };

/* Strided copies. Rows that are contiguous on both sides are moved whole; where the source runs along another dim than the
 * target, both are walked in square blocks, or, where the target has few elements side by side, woven together. */
#include "micro.h"

enum { TASK_BYTES = 65536, BLOCK = 16, WEAVE_BLOCK = 2048, WEAVE_MOST = 4 };

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

/* Lines of the source along the crossing dim that become one line of the target, element by element in turn. */
static bool is_weave(const CopyParam *c, int cross)
{
	int64_t n = c->dims[c->rank - 1];
	return c->elem == 4 && n > 1 && n <= WEAVE_MOST && c->y_stride[cross] == n;
}

static int64_t cross_block(const CopyParam *c, int cross)
{
	return is_weave(c, cross) ? WEAVE_BLOCK : BLOCK;
}

static int64_t copy_tasks(const void *param)
{
	const CopyParam *c = param;
	int cross = crossing_dim(c);
	if (cross < 0)
		return ceil_div(outer_count(c), rows_per_task(c));
	return outer_count(c) / c->dims[cross] * ceil_div(c->dims[cross], cross_block(c, cross));
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

/* A position in the outer dims, one of them left out (skip; -1: none). */
typedef struct Outer {
	int skip;
	int64_t at[COPY_RANK], x, y;
} Outer;

static Outer outer_at(const CopyParam *c, int64_t index, int skip)
{
	Outer o = { .skip = skip, .x = c->x_offset, .y = c->y_offset };
	for (int i = c->rank - 2; i >= 0; i--) {
		if (i == skip)
			continue;
		o.at[i] = index % c->dims[i];
		index /= c->dims[i];
		o.x += o.at[i] * c->x_stride[i];
		o.y += o.at[i] * c->y_stride[i];
	}
	return o;
}

static void outer_next(const CopyParam *c, Outer *o)
{
	for (int i = c->rank - 2; i >= 0; i--) {
		if (i == o->skip)
			continue;
		o->x += c->x_stride[i];
		o->y += c->y_stride[i];
		if (++o->at[i] < c->dims[i])
			return;
		o->x -= c->dims[i] * c->x_stride[i];
		o->y -= c->dims[i] * c->y_stride[i];
		o->at[i] = 0;
	}
}

/* Rows of floats, too short for a call of memcpy each. */
static void run_short_rows(const CopyParam *c, float *y, const float *x, int64_t begin, int64_t end)
{
	int64_t n = c->dims[c->rank - 1];
	Outer o = outer_at(c, begin, -1);
	for (int64_t r = begin; r < end; r++, outer_next(c, &o)) {
		int64_t i = 0;
		for (; i + LANES <= n; i += LANES)
			vec_store(y + o.y + i, vec_load(x + o.x + i));
		if (i < n)
			vec_store_part(y + o.y + i, vec_load_part(x + o.x + i, n - i), n - i);
	}
}

enum { SHORT_ROW = 512 };

static void run_rows(const CopyParam *c, char *y, const char *x, int64_t begin, int64_t end)
{
	int last = c->rank - 1;
	int64_t rows = rows_per_task(c), first = begin * rows, stop = min_i64(end * rows, outer_count(c));
	if (c->elem == 4 && c->x_stride[last] == 1 && c->y_stride[last] == 1 && c->dims[last] <= SHORT_ROW) {
		run_short_rows(c, (float *)y, (const float *)x, first, stop);
		return;
	}
	Outer o = outer_at(c, first, -1);
	for (int64_t r = first; r < stop; r++, outer_next(c, &o))
		copy_row(c->elem, y + o.y * c->elem, c->y_stride[last], x + o.x * c->elem, c->x_stride[last], c->dims[last]);
}

/* y[i][j] = x[j][i] for a block of `rows` values of i; j runs over the last dim. Squares are transposed in registers. */
static void cross_4(float *y, int64_t ys, const float *x, int64_t xs, int64_t rows, int64_t n)
{
	for (int64_t i0 = 0; i0 < rows; i0 += LANES)
		for (int64_t j0 = 0; j0 < n; j0 += LANES) {
			int64_t in = min_i64(LANES, rows - i0), jn = min_i64(LANES, n - j0);
			Vec r[LANES];
			for (int64_t j = 0; j < LANES; j++) {
				const float *from = x + (j0 + j) * xs + i0;
				r[j] = j >= jn ? (Vec){ 0 } : in == LANES ? vec_load(from) : vec_load_part(from, in);
			}
			vec_transpose(r);
			for (int64_t i = 0; i < in; i++) {
				float *to = y + (i0 + i) * ys + j0;
				if (jn == LANES)
					vec_store(to, r[i]);
				else
					vec_store_part(to, r[i], jn);
			}
		}
}

static void cross_8(uint64_t *y, int64_t ys, const uint64_t *x, int64_t xs, int64_t rows, int64_t n)
{
	for (int64_t j0 = 0; j0 < n; j0 += BLOCK)
		for (int64_t i = 0; i < rows; i++)
			for (int64_t j = j0; j < min_i64(j0 + BLOCK, n); j++)
				y[i * ys + j] = x[j * xs + i];
}

/* y[i][j] = x[j][i], n values of j, lines of y without gaps. Loops of a fixed n are what compilers make shuffles of. */
#define WEAVE(n, body) \
	static void weave_##n(float *restrict y, const float *restrict x, int64_t xs, int64_t rows) \
	{ \
		for (int64_t i = 0; i < rows; i++) { \
			body \
		} \
	}
WEAVE(2, y[2 * i] = x[i]; y[2 * i + 1] = x[xs + i];)
WEAVE(3, y[3 * i] = x[i]; y[3 * i + 1] = x[xs + i]; y[3 * i + 2] = x[2 * xs + i];)
WEAVE(4, y[4 * i] = x[i]; y[4 * i + 1] = x[xs + i]; y[4 * i + 2] = x[2 * xs + i]; y[4 * i + 3] = x[3 * xs + i];)

static void run_cross(const CopyParam *c, int cross, char *y, const char *x, int64_t begin, int64_t end)
{
	int last = c->rank - 1;
	int64_t block = cross_block(c, cross), blocks = ceil_div(c->dims[cross], block), at = begin % blocks;
	int64_t ys = c->y_stride[cross], xs = c->x_stride[last], n = c->dims[last];
	bool weave = is_weave(c, cross);
	Outer o = outer_at(c, begin / blocks, cross);
	for (int64_t t = begin; t < end; t++) {
		int64_t i0 = at * block, rows = min_i64(block, c->dims[cross] - i0), xo = o.x + i0, yo = o.y + i0 * ys;
		if (weave)
			(n == 2 ? weave_2 : n == 3 ? weave_3 : weave_4)((float *)y + yo, (const float *)x + xo, xs, rows);
		else if (c->elem == 4)
			cross_4((float *)y + yo, ys, (const float *)x + xo, xs, rows, n);
		else
			cross_8((uint64_t *)y + yo, ys, (const uint64_t *)x + xo, xs, rows, n);
		if (++at == blocks) {
			at = 0;
			outer_next(c, &o);
		}
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

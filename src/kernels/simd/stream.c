/* Dense layers of few rows. Their time is that of reading the weights, which are read once, in order, where they lie:
 * nothing is packed. The weights' own rows are either the input channels (a block of columns is summed up in the scratch, a
 * few channels at a time) or the output channels (each result is a product of two vectors, a few at a time). */
#include "conv.h"

enum { MOST_ROWS = 4, BLOCK = 1024, DEPTH = 8, OUTPUTS = 4 }; /* BLOCK: columns of a task at most */

/* Weights of FAR_BYTES come from memory, faster when they are fetched AHEAD bytes before their use; from a cache it costs time. */
enum { FAR_BYTES = 4 << 20, AHEAD = 512 };

/* plan[]: the weights' rows are output channels; there are FAR_BYTES of them. */
enum { PLAN_OUTPUTS, PLAN_FAR };

bool K(stream_plan)(ConvParam *p, int threads)
{
	int64_t rows = p->batch * p->out[0] * p->out[1] * p->out[2];
	bool fits = p->groups == 1 && rows <= MOST_ROWS && (p->source_stride[0] == 1 || p->source_stride[1] == 1);
	for (int d = 0; d < 3; d++)
		fits &= p->kernel[d] == 1 && p->pad[d] == 0 && p->in[d] > (p->out[d] - 1) * p->stride[d];
	p->plan[PLAN_OUTPUTS] = p->source_stride[0] != 1;
	p->plan[PLAN_FAR] = p->ic * p->oc >= FAR_BYTES / (int64_t)sizeof(float);
	int64_t blocks = ceil_div(ceil_div(p->oc, BLOCK), threads) * threads;
	p->task_rows = rows;
	p->task_cols = ceil_div(ceil_div(p->oc, blocks), PANEL) * PANEL;
	return fits;
}

static int64_t stream_tasks(const void *param)
{
	const ConvParam *p = param;
	return ceil_div(p->oc, p->task_cols);
}

static size_t sums_bytes(const ConvParam *p)
{
	return align64((size_t)(p->task_rows * p->task_cols) * sizeof(float));
}

static size_t stream_scratch(const void *param)
{
	const ConvParam *p = param;
	return sums_bytes(p) + K(conv_post_scratch)(p->post);
}

/* sum[row][c] += x[row][0..depth) times rows of w, w_step apart, for c < cols. first: sum is 0 before. */
static inline __attribute__((always_inline)) void add_inputs(const float *const *x, int64_t at, const FloatAny *w,
	int64_t w_step, int64_t cols, float *sum, int64_t sum_step, bool first, const int rows, const int depth)
{
	Vec b[MOST_ROWS][DEPTH], s[MOST_ROWS];
#pragma GCC unroll 4
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 8
		for (int d = 0; d < depth; d++)
			b[i][d] = vec_set(x[i][at + d]);
	for (int64_t c = 0; c < cols; c += LANES) {
		int64_t n = min_i64(LANES, cols - c);
#pragma GCC unroll 4
		for (int i = 0; i < rows; i++)
			s[i] = first ? (Vec){0} : vec_load(sum + i * sum_step + c);
#pragma GCC unroll 8
		for (int d = 0; d < depth; d++) {
			const FloatAny *from = w + d * w_step + c;
			Vec v = n == LANES ? vec_load_any(from) : vec_load_part(from, n);
#pragma GCC unroll 4
			for (int i = 0; i < rows; i++)
				s[i] += b[i][d] * v;
		}
#pragma GCC unroll 4
		for (int i = 0; i < rows; i++)
			vec_store(sum + i * sum_step + c, s[i]);
	}
}

/* Sums of one task whose weights' rows are input channels. */
static inline __attribute__((always_inline)) void sum_inputs(const ConvParam *p, const float *const *x,
	const FloatAny *w, int64_t cols, float *sum, const int rows)
{
	const int depth = rows == 1 ? DEPTH : DEPTH / 2;
	int64_t step = p->source_stride[1], k = 0;
	for (; k + depth <= p->ic; k += depth)
		add_inputs(x, k, w + k * step, step, cols, sum, p->task_cols, k == 0, rows, depth);
	for (; k < p->ic; k++)
		add_inputs(x, k, w + k * step, step, cols, sum, p->task_cols, k == 0, rows, 1);
}

/* sum[i * sum_step + j] = x[i] times row j of w, j < outputs. */
static inline __attribute__((always_inline)) void multiply_rows(const float *const *x, const FloatAny *w, int64_t w_step,
	int64_t ic, float *sum, int64_t sum_step, const int rows, const int outputs, const bool far)
{
	Vec s[MOST_ROWS][OUTPUTS] = {{{0}}};
	for (int64_t k = 0; k < ic; k += LANES) {
		int64_t n = min_i64(LANES, ic - k);
		Vec v[MOST_ROWS];
#pragma GCC unroll 4
		for (int i = 0; i < rows; i++)
			v[i] = n == LANES ? vec_load(x[i] + k) : vec_load_part(x[i] + k, n);
#pragma GCC unroll 4
		for (int j = 0; j < outputs; j++) {
			const FloatAny *from = w + j * w_step + k;
			if (far)
				__builtin_prefetch((const char *)from + AHEAD, 0, 2);
			Vec b = n == LANES ? vec_load_any(from) : vec_load_part(from, n);
#pragma GCC unroll 4
			for (int i = 0; i < rows; i++)
				s[i][j] += v[i] * b;
		}
	}
#pragma GCC unroll 4
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
		for (int j = 0; j < outputs; j++) {
			float all = 0;
			for (int l = 0; l < LANES; l++)
				all += s[i][j][l];
			sum[i * sum_step + j] = all;
		}
}

static inline __attribute__((always_inline)) void sum_outputs(const ConvParam *p, const float *const *x,
	const FloatAny *w, int64_t cols, float *sum, const int rows, const bool far)
{
	int64_t step = p->source_stride[0], c = 0;
	for (; c + OUTPUTS <= cols; c += OUTPUTS)
		multiply_rows(x, w + c * step, step, p->ic, sum + c, p->task_cols, rows, OUTPUTS, far);
	for (; c < cols; c++)
		multiply_rows(x, w + c * step, step, p->ic, sum + c, p->task_cols, rows, 1, false);
}

#define SUMS(rows) \
	static void sums_##rows(const ConvParam *p, const float *const *x, const FloatAny *w, int64_t cols, float *sum) \
	{ \
		if (p->plan[PLAN_OUTPUTS] && p->plan[PLAN_FAR]) \
			sum_outputs(p, x, w, cols, sum, rows, true); \
		else if (p->plan[PLAN_OUTPUTS]) \
			sum_outputs(p, x, w, cols, sum, rows, false); \
		else \
			sum_inputs(p, x, w, cols, sum, rows); \
	}
SUMS(1) SUMS(2) SUMS(3) SUMS(4)

/* Factor, bias, residual and bounds; y and residual are at column 0. */
static void finish(const ConvParam *p, const float *sum, int64_t col, int64_t cols, const float *residual, float *y)
{
	for (int64_t c = 0; c < cols; c++) {
		float v = sum[c] * p->factor;
		v += p->bias ? p->bias[col + c] : 0;
		v += residual ? residual[col + c] : 0;
		v = v < p->lo ? p->lo : v;
		y[col + c] = v > p->hi ? p->hi : v;
	}
}

static void stream_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	static void (*const RUN[])(const ConvParam *, const float *const *, const FloatAny *, int64_t, float *) = {
		sums_1, sums_2, sums_3, sums_4};
	const ConvParam *p = param;
	const float *x[MOST_ROWS], *residual[MOST_ROWS];
	float *y[MOST_ROWS], *sum = scratch;
	int64_t rows = K(conv_rows)(p, ptr, 0, x, residual, y);
	for (int64_t task = begin; task < end; task++) {
		int64_t col = task * p->task_cols, cols = min_i64(p->task_cols, p->oc - col);
		RUN[rows - 1](p, x, p->source + col * p->source_stride[0], cols, sum);
		for (int64_t i = 0; i < rows; i++)
			finish(p, sum + i * p->task_cols, col, cols, residual[i], y[i]);
		if (p->post)
			K(conv_post)(p, ptr, 0, rows, col, col + cols, (char *)scratch + sums_bytes(p));
	}
}

const Kernel K(kernel_stream) = {stream_tasks, stream_run, stream_scratch};

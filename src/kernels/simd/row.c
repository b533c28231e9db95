/* Softmax and normalisation of rows. Sums run in LANES x 2 partial sums, in an order that does not depend on threads. */
#include "row_math.h"

static int64_t row_count(const RowParam *p)
{
	return p->outer[0] * p->outer[1] * p->outer[2] * p->outer[3];
}

static int64_t rows_per_task(const RowParam *p)
{
	return max_i64(1, 8192 / max_i64(1, p->n));
}

static int64_t row_tasks(const void *param)
{
	return ceil_div(row_count(param), rows_per_task(param));
}

static size_t row_scratch(const void *param)
{
	const RowParam *p = param;
	return (size_t)(2 * p->n + 64) * sizeof(float);
}

/* Sum of (x - m)^2. */
static float sum_square(const float *x, int64_t n, float m)
{
	Vec a = { 0 }, b = { 0 };
	int64_t i = 0;
	for (; i + 2 * LANES <= n; i += 2 * LANES) {
		Vec u = vec_load(x + i) - m, v = vec_load(x + i + LANES) - m;
		a += u * u;
		b += v * v;
	}
	float s = lanes_sum(a, b);
	for (; i < n; i++)
		s += (x[i] - m) * (x[i] - m);
	return s;
}

static void softmax_row(float *y, const float *x, int64_t n)
{
	float scale = 1.0f / exponentials(y, x, n, largest(x, n));
	for (int64_t i = 0; i < n; i++)
		y[i] *= scale;
}

static void log_softmax_row(float *y, const float *x, int64_t n, float *tmp)
{
	float m = largest(x, n), l = logf(exponentials(tmp, x, n, m));
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] - m - l;
}

static void norm_row(const RowParam *p, float *y, const float *x, const float *scale, const float *bias)
{
	int64_t n = p->n;
	float mean = p->kind == ROW_LAYER_NORM ? row_sum(x, n) / (float)n : 0.0f;
	float inv = 1.0f / sqrtf(sum_square(x, n, mean) / (float)n + p->epsilon);
	if (scale && bias)
		for (int64_t i = 0; i < n; i++)
			y[i] = (x[i] - mean) * inv * scale[i] + bias[i];
	else if (scale)
		for (int64_t i = 0; i < n; i++)
			y[i] = (x[i] - mean) * inv * scale[i];
	else
		for (int64_t i = 0; i < n; i++)
			y[i] = (x[i] - mean) * inv + (bias ? bias[i] : 0.0f);
}

static void run_row(const RowParam *p, const float *x, float *y, const float *scale, const float *bias, float *own)
{
	float *tmp = own + p->n + 32, *to = p->y_stride == 1 ? y : own;
	if (p->x_stride != 1) {
		for (int64_t i = 0; i < p->n; i++)
			own[i] = x[i * p->x_stride];
		x = own;
	}
	if (p->kind == ROW_SOFTMAX)
		softmax_row(to, x, p->n);
	else if (p->kind == ROW_LOG_SOFTMAX)
		log_softmax_row(to, x, p->n, tmp);
	else
		norm_row(p, to, x, scale, bias);
	if (to != y)
		for (int64_t i = 0; i < p->n; i++)
			y[i * p->y_stride] = own[i];
}

/* Divisions only where the first row stands; the others are counted. */
static void row_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const RowParam *p = param;
	int next = 2;
	const float *scale = p->has_scale ? (const float *)ptr[next++] + p->scale_offset : NULL;
	const float *bias = p->has_bias ? (const float *)ptr[next++] + p->bias_offset : NULL;
	const float *x = (const float *)ptr[1] + p->x_offset;
	float *y = (float *)ptr[0] + p->y_offset;
	int64_t count = row_count(p), at[4] = { 0 };
	if (count == 1) {
		run_row(p, x, y, scale, bias, scratch);
		return;
	}
	int64_t rows = rows_per_task(p), first = begin * rows, stop = min_i64(end * rows, count);
	for (int d = 3; d >= 0; d--) {
		at[d] = first % p->outer[d];
		first /= p->outer[d];
	}
	for (int64_t r = begin * rows; r < stop; r++) {
		int64_t xo = 0, yo = 0;
		for (int d = 0; d < 4; d++) {
			xo += at[d] * p->x_outer[d];
			yo += at[d] * p->y_outer[d];
		}
		run_row(p, x + xo, y + yo, scale, bias, scratch);
		for (int d = 3; d >= 0 && ++at[d] == p->outer[d]; d--)
			at[d] = 0;
	}
}

const Kernel K(kernel_row) = { row_tasks, row_run, row_scratch };

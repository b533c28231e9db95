/* Softmax and normalisation of rows. Sums run in LANES x 2 partial sums, in an order that does not depend on threads. */
#include "math.h"

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

static float lanes_sum(Vec a, Vec b)
{
	float s = 0;
	a += b;
	for (int i = 0; i < LANES; i++)
		s += a[i];
	return s;
}

static float sum(const float *x, int64_t n)
{
	Vec a = { 0 }, b = { 0 };
	int64_t i = 0;
	for (; i + 2 * LANES <= n; i += 2 * LANES) {
		a += vec_load(x + i);
		b += vec_load(x + i + LANES);
	}
	float s = lanes_sum(a, b);
	for (; i < n; i++)
		s += x[i];
	return s;
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

static float max_nan(const float *x, int64_t n)
{
	float m = -INFINITY;
	int nan = 0, i = 0;
	float lane[LANES];
	for (int k = 0; k < LANES; k++)
		lane[k] = m;
	for (; i + LANES <= n; i += LANES)
		for (int k = 0; k < LANES; k++) {
			lane[k] = x[i + k] > lane[k] ? x[i + k] : lane[k];
			nan |= x[i + k] != x[i + k];
		}
	for (; i < n; i++) {
		m = x[i] > m ? x[i] : m;
		nan |= x[i] != x[i];
	}
	for (int k = 0; k < LANES; k++)
		m = lane[k] > m ? lane[k] : m;
	return nan ? NAN : m;
}

static void softmax_row(float *y, const float *x, int64_t n)
{
	float m = max_nan(x, n);
	for (int64_t i = 0; i < n; i++)
		y[i] = math_exp(x[i] - m);
	float scale = 1.0f / sum(y, n);
	for (int64_t i = 0; i < n; i++)
		y[i] *= scale;
}

static void log_softmax_row(float *y, const float *x, int64_t n, float *tmp)
{
	float m = max_nan(x, n);
	for (int64_t i = 0; i < n; i++)
		tmp[i] = math_exp(x[i] - m);
	float l = logf(sum(tmp, n));
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] - m - l;
}

static void norm_row(const RowParam *p, float *y, const float *x, const float *scale, const float *bias)
{
	int64_t n = p->n;
	float mean = p->kind == ROW_LAYER_NORM ? sum(x, n) / (float)n : 0.0f;
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

static void row_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const RowParam *p = param;
	int next = 2;
	const float *scale = p->has_scale ? (const float *)ptr[next++] + p->scale_offset : NULL;
	const float *bias = p->has_bias ? (const float *)ptr[next++] + p->bias_offset : NULL;
	float *own = scratch, *tmp = own + p->n + 32;
	int64_t rows = rows_per_task(p), stop = min_i64(end * rows, row_count(p));
	for (int64_t r = begin * rows; r < stop; r++) {
		int64_t xo = p->x_offset, yo = p->y_offset, at = r;
		for (int d = 3; d >= 0; d--) {
			xo += at % p->outer[d] * p->x_outer[d];
			yo += at % p->outer[d] * p->y_outer[d];
			at /= p->outer[d];
		}
		const float *x = (const float *)ptr[1] + xo;
		float *y = (float *)ptr[0] + yo, *to = p->y_stride == 1 ? y : own;
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
}

const Kernel K(kernel_row) = { row_tasks, row_run, row_scratch };

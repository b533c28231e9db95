/* Reductions of floats. Where a kept dim is contiguous, results are computed side by side; where a reduced one is, in lanes
 * that are combined at the end. */
#include "simd.h"

enum { TASK_ELEMENTS = 16384, STRIP = 64 };

static int64_t product(const int64_t *d, int n)
{
	int64_t r = 1;
	for (int i = 0; i < n; i++)
		r *= d[i];
	return r;
}

/* Results that lie side by side in x: strips of the last kept dim. */
static bool side_by_side(const ReduceParam *p)
{
	return p->nkept && p->x_kept[p->nkept - 1] == 1 && p->kept[p->nkept - 1] >= 4;
}

/* A strip of results at a time, else single results. */
static int64_t units(const ReduceParam *p)
{
	int64_t n = product(p->kept, p->nkept);
	return side_by_side(p) ? n / p->kept[p->nkept - 1] * ceil_div(p->kept[p->nkept - 1], STRIP) : n;
}

static int64_t reduce_tasks(const void *param)
{
	const ReduceParam *p = param;
	int64_t n = units(p), each = product(p->reduced, p->nreduced) * (side_by_side(p) ? STRIP : 1);
	return ceil_div(n, max_i64(1, TASK_ELEMENTS / max_i64(1, each)));
}

static float start_value(Combine c)
{
	return c == COMBINE_MAX ? -INFINITY : c == COMBINE_MIN ? INFINITY : c == COMBINE_PROD ? 1.0f : 0.0f;
}

static inline float combine(Combine c, float acc, float x)
{
	switch (c) {
	case COMBINE_SUM: return acc + x;
	case COMBINE_SUM_SQUARE: return acc + x * x;
	case COMBINE_L1: return acc + fabsf(x);
	case COMBINE_PROD: return acc * x;
	case COMBINE_MAX: return x > acc || x != x ? x : acc;
	default: return x < acc || x != x ? x : acc;
	}
}

/* acc[i] (+)= x[i * stride]; stride is 1 or acc is one element. The kind of a loop is fixed outside of it. */
#define EACH(expr) for (int64_t i = 0; i < n; i++) { float a = acc[i], v = x[i]; acc[i] = (expr); } break;
static void accumulate_strip(Combine c, float *acc, const float *x, int64_t n)
{
	switch (c) {
	case COMBINE_SUM: EACH(a + v)
	case COMBINE_SUM_SQUARE: EACH(a + v * v)
	case COMBINE_L1: EACH(a + fabsf(v))
	case COMBINE_PROD: EACH(a * v)
	case COMBINE_MAX: EACH(v > a || v != v ? v : a)
	default: EACH(v < a || v != v ? v : a)
	}
}

/* One contiguous line into STRIP lanes. */
static void accumulate_line(Combine c, float *lanes, const float *x, int64_t n)
{
	int64_t i = 0;
	for (; i + STRIP <= n; i += STRIP)
		accumulate_strip(c, lanes, x + i, STRIP);
	if (i < n)
		accumulate_strip(c, lanes, x + i, n - i);
}

static float combine_lanes(Combine c, const float *lanes)
{
	Combine again = c == COMBINE_SUM_SQUARE || c == COMBINE_L1 ? COMBINE_SUM : c;
	float half[STRIP];
	memcpy(half, lanes, sizeof(half));
	for (int n = STRIP / 2; n > 0; n /= 2)
		for (int i = 0; i < n; i++)
			half[i] = combine(again, half[i], half[i + n]);
	return half[0];
}

/* Walks the reduced dims (all but the last `inner`) and calls nothing: the next offset, or false at the end. */
static bool next_offset(const ReduceParam *p, int dims, int64_t *at, int64_t *offset)
{
	for (int d = dims; d-- > 0;) {
		*offset += p->x_reduced[d];
		if (++at[d] < p->reduced[d])
			return true;
		*offset -= at[d] * p->x_reduced[d];
		at[d] = 0;
	}
	return false;
}

/* acc[i] += the sum of x[l * stride + i] over lines l, i < n: in registers, four vectors of two lines at a time. */
static void sum_lines(float *acc, const float *x, int64_t lines, int64_t stride, int64_t n)
{
	enum { SIDE = 4 };
	int64_t i = 0;
	for (; i + SIDE * LANES <= n; i += SIDE * LANES) {
		Vec s[2][SIDE] = { { { 0 } } };
		int64_t l = 0;
		for (; l + 2 <= lines; l += 2)
#pragma GCC unroll 2
			for (int q = 0; q < 2; q++)
#pragma GCC unroll 4
				for (int k = 0; k < SIDE; k++)
					s[q][k] += vec_load(x + (l + q) * stride + i + k * LANES);
		for (int k = 0; k < SIDE; k++) {
			if (l < lines)
				s[0][k] += vec_load(x + l * stride + i + k * LANES);
			vec_store(acc + i + k * LANES, vec_load(acc + i + k * LANES) + (s[0][k] + s[1][k]));
		}
	}
	for (; i + LANES <= n; i += LANES) {
		Vec a = vec_load(acc + i), b = { 0 };
		int64_t l = 0;
		for (; l + 2 <= lines; l += 2) {
			a += vec_load(x + l * stride + i);
			b += vec_load(x + (l + 1) * stride + i);
		}
		if (l < lines)
			a += vec_load(x + l * stride + i);
		vec_store(acc + i, a + b);
	}
	for (int64_t l = 0; l < lines && i < n; l++)
		for (int64_t k = i; k < n; k++)
			acc[k] += x[l * stride + k];
}

static void reduce_strip(const ReduceParam *p, float *y, int64_t ys, const float *x, int64_t n)
{
	float acc[STRIP];
	int64_t at[REDUCE_RANK] = { 0 }, offset = 0;
	int last = p->nreduced - 1;
	for (int i = 0; i < STRIP; i++)
		acc[i] = start_value(p->combine);
	if (p->combine == COMBINE_SUM && last >= 0)
		do
			sum_lines(acc, x + offset, p->reduced[last], p->x_reduced[last], n);
		while (next_offset(p, last, at, &offset));
	else
		do
			accumulate_strip(p->combine, acc, x + offset, n);
		while (next_offset(p, p->nreduced, at, &offset));
	for (int64_t i = 0; i < n; i++)
		y[i * ys] = acc[i] * p->scale;
}

static float reduce_one(const ReduceParam *p, const float *x)
{
	float lanes[STRIP], acc = start_value(p->combine);
	int64_t at[REDUCE_RANK] = { 0 }, offset = 0;
	int last = p->nreduced - 1;
	if (last >= 0 && p->x_reduced[last] == 1) {
		for (int i = 0; i < STRIP; i++)
			lanes[i] = acc;
		do
			accumulate_line(p->combine, lanes, x + offset, p->reduced[last]);
		while (next_offset(p, last, at, &offset));
		return combine_lanes(p->combine, lanes) * p->scale;
	}
	do
		acc = combine(p->combine, acc, x[offset]);
	while (next_offset(p, p->nreduced, at, &offset));
	return acc * p->scale;
}

static void reduce_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const ReduceParam *p = param;
	bool strips = side_by_side(p);
	int64_t all = units(p), tasks = reduce_tasks(param), line = strips ? p->kept[p->nkept - 1] : 1;
	int64_t per_line = ceil_div(line, STRIP);
	int outer = strips ? p->nkept - 1 : p->nkept;
	(void)scratch;
	for (int64_t u = all * begin / tasks; u < all * end / tasks; u++) {
		int64_t at = strips ? u / per_line : u, xo = p->x_offset, yo = p->y_offset;
		for (int d = outer; d-- > 0;) {
			xo += at % p->kept[d] * p->x_kept[d];
			yo += at % p->kept[d] * p->y_kept[d];
			at /= p->kept[d];
		}
		const float *x = (const float *)ptr[1] + xo;
		float *y = (float *)ptr[0] + yo;
		if (!strips) {
			*y = reduce_one(p, x);
			continue;
		}
		int64_t i0 = u % per_line * STRIP, ys = p->y_kept[p->nkept - 1];
		reduce_strip(p, y + i0 * ys, ys, x + i0, min_i64(STRIP, line - i0));
	}
}

const Kernel K(kernel_reduce) = { reduce_tasks, reduce_run, NULL };

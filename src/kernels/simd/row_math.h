/* row_math: what softmax needs of a row of floats; attention and the softmax of rows share it. */
#ifndef HONE_SIMD_ROW_MATH_H
#define HONE_SIMD_ROW_MATH_H

#include "vec_math.h"

static inline float lanes_sum(Vec a, Vec b)
{
	float s = 0;
	a += b;
	for (int i = 0; i < LANES; i++)
		s += a[i];
	return s;
}

static inline float row_sum(const float *x, int64_t n)
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

/* The largest that is no NaN: a row with a NaN gets it by its exponentials, whatever is taken from them. */
static inline float largest(const float *x, int64_t n)
{
	float m = -INFINITY;
	if (n < LANES) {
#if ISA_LEVEL == 4
		__mmask16 in = (__mmask16)(0xffffu >> (LANES - n));
		return _mm512_reduce_max_ps(_mm512_max_ps(_mm512_mask_loadu_ps(_mm512_set1_ps(m), in, x), _mm512_set1_ps(m)));
#else
		for (int64_t i = 0; i < n; i++)
			m = x[i] > m ? x[i] : m;
		return m;
#endif
	}
	Vec a = vec_max(vec_load(x + n - LANES), vec_set(m)), b = a;
	int64_t i = 0;
	for (; i + 2 * LANES <= n; i += 2 * LANES) {
		a = vec_max(vec_load(x + i), a);
		b = vec_max(vec_load(x + i + LANES), b);
	}
	if (i + LANES <= n)
		a = vec_max(vec_load(x + i), a);
	a = vec_max(a, b);
#if ISA_LEVEL == 4
	return _mm512_reduce_max_ps((__m512)a);
#else
	for (int k = 0; k < LANES; k++)
		m = a[k] > m ? a[k] : m;
	return m;
#endif
}

/* y = exp(x - m), and their sum. Below SOFTMAX_LEAST it is 0: exact results there have no normal representation, processors
 * take a hundred times as long for them, and masked scores all lie there. */
#define SOFTMAX_LEAST (-87.0f)

#if ISA_LEVEL == 4
VEC_FN void vecs_softmax(Vec *x, const int n)
{
	__mmask16 in[VEC_MANY];
	EACH_VEC in[i] = _mm512_cmp_ps_mask((__m512)x[i], _mm512_set1_ps(SOFTMAX_LEAST), _CMP_NLT_UQ);
	EACH_VEC x[i] = vec_max(vec_set(SOFTMAX_LEAST), x[i]); /* NaN stays NaN */
	vecs_exp_within(x, n);
	EACH_VEC x[i] = (Vec)_mm512_maskz_mov_ps(in[i], (__m512)x[i]);
}
#else
/* As math_exp, for x <= 0 or NaN. */
static inline float softmax_exp(float x)
{
	float c = x > SOFTMAX_LEAST ? x : SOFTMAX_LEAST, n = __builtin_rintf(c * 1.44269504088896341f);
	float r = c - n * 0.693359375f + n * 2.12194440e-4f, p = POLY_EXP(r);
	p = p * r * r + r + 1.0f;
	float y = p * as_float(((int32_t)n + 127) << 23);
	y = x < SOFTMAX_LEAST ? 0.0f : y;
	return x != x ? x : y;
}
#endif

static inline float exponentials(float *y, const float *x, int64_t n, float m)
{
#if ISA_LEVEL == 4
	Vec total = { 0 };
	int64_t i = 0;
	for (; i + 4 * LANES <= n; i += 4 * LANES) {
		Vec v[4];
		for (int k = 0; k < 4; k++)
			v[k] = vec_load(x + i + k * LANES) - m;
		vecs_softmax(v, 4);
		for (int k = 0; k < 4; k++)
			vec_store(y + i + k * LANES, v[k]);
		total += (v[0] + v[1]) + (v[2] + v[3]);
	}
	for (; i < n; i += LANES) {
		__mmask16 in = (__mmask16)(0xffffu >> (n - i < LANES ? LANES - (n - i) : 0));
		Vec v = (Vec)_mm512_maskz_loadu_ps(in, x + i) - m;
		vecs_softmax(&v, 1);
		_mm512_mask_storeu_ps(y + i, in, (__m512)v);
		total += (Vec)_mm512_maskz_mov_ps(in, (__m512)v);
	}
	return _mm512_reduce_add_ps((__m512)total);
#else
	for (int64_t i = 0; i < n; i++)
		y[i] = softmax_exp(x[i] - m);
	return row_sum(y, n);
#endif
}

#endif

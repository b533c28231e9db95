/* vec_math: the functions of math.h on AVX-512 vectors, with instructions that plain expressions do not reach: a power of
 * two in one step that also gets the ends of the range right, and a quotient by an estimate and one step of Newton's method
 * (vdivps takes as long as ten multiply-adds). Polynomials and accuracy are those of math.h.
 *
 * Each function works on n vectors in place (n is a constant of each use, up to VEC_MANY), one operation on all of them before the
 * next: a polynomial is one long chain, and the processor looks ahead too little to run several of them at once by itself. */
#ifndef HONE_SIMD_VEC_MATH_H
#define HONE_SIMD_VEC_MATH_H

#include "math.h"
#include "micro.h"

#if ISA_LEVEL == 4

enum { VEC_MANY = 4 };
#define VEC_FN static inline __attribute__((always_inline))
#define EACH_VEC _Pragma("GCC unroll 4") for (int i = 0; i < n; i++)

/* 1 / d for d whose reciprocal is a normal number. */
VEC_FN void vecs_reciprocal(Vec *d, const int n)
{
	Vec y[VEC_MANY];
	EACH_VEC y[i] = (Vec)_mm512_rcp14_ps((__m512)d[i]);
	EACH_VEC d[i] = 2.0f - d[i] * y[i];
	EACH_VEC d[i] = y[i] * d[i];
}

/* exp of x in [-104, 88.8], or NaN: subnormal results, and infinity at the end, come from the scaling. */
VEC_FN void vecs_exp_within(Vec *x, const int n)
{
	Vec e[VEC_MANY], p[VEC_MANY];
	EACH_VEC e[i] = (Vec)_mm512_roundscale_ps((__m512)(x[i] * 1.44269504088896341f), 8);
	EACH_VEC x[i] = x[i] - e[i] * 0.693359375f;
	EACH_VEC x[i] = x[i] + e[i] * 2.12194440e-4f;
	EACH_VEC p[i] = POLY_EXP(x[i]);
	EACH_VEC p[i] = p[i] * x[i];
	EACH_VEC p[i] = p[i] * x[i] + x[i];
	EACH_VEC p[i] = p[i] + 1.0f;
	EACH_VEC x[i] = (Vec)_mm512_scalef_ps((__m512)p[i], (__m512)e[i]);
}

VEC_FN void vecs_exp(Vec *x, const int n)
{
	EACH_VEC x[i] = vec_max(vec_set(-104.0f), vec_min(vec_set(88.8f), x[i])); /* NaN stays NaN */
	vecs_exp_within(x, n);
}

/* 0 below -88, where the exact result is below the least normal number. */
VEC_FN void vecs_sigmoid(Vec *x, const int n)
{
	Vec e[VEC_MANY];
	EACH_VEC e[i] = -vec_max(vec_set(-88.0f), vec_min(vec_set(104.0f), x[i]));
	vecs_exp_within(e, n);
	EACH_VEC e[i] = 1.0f + e[i];
	vecs_reciprocal(e, n);
	EACH_VEC x[i] = (Vec)_mm512_maskz_mov_ps(_mm512_cmp_ps_mask((__m512)x[i], _mm512_set1_ps(-88.0f), _CMP_NLT_UQ),
		(__m512)e[i]);
}

static inline Vec vec_abs(Vec x)
{
	return (Vec)_mm512_abs_ps((__m512)x);
}

static inline Vec vec_sign_of(Vec size, Vec x)
{
	return (Vec)_mm512_ternarylogic_epi32((__m512i)size, (__m512i)x, _mm512_set1_epi32(INT32_MIN), 0xd8);
}

/* below where |x| < limit, above elsewhere. */
static inline Vec vec_by_size(Vec x, float limit, Vec below, Vec above)
{
	__mmask16 is_small = _mm512_cmp_ps_mask((__m512)vec_abs(x), _mm512_set1_ps(limit), _CMP_LT_OQ);
	return (Vec)_mm512_mask_mov_ps((__m512)above, is_small, (__m512)below);
}

VEC_FN void vecs_tanh(Vec *x, const int n)
{
	Vec s[VEC_MANY], p[VEC_MANY], e[VEC_MANY];
	EACH_VEC s[i] = x[i] * x[i];
	EACH_VEC p[i] = POLY_TANH(s[i]);
	EACH_VEC p[i] = p[i] * s[i];
	EACH_VEC p[i] = p[i] * x[i] + x[i];
	EACH_VEC e[i] = vec_min(vec_set(40.0f), 2.0f * vec_abs(x[i]));
	vecs_exp_within(e, n);
	EACH_VEC e[i] = e[i] + 1.0f;
	vecs_reciprocal(e, n);
	EACH_VEC e[i] = 1.0f - 2.0f * e[i];
	EACH_VEC x[i] = vec_by_size(x[i], 0.625f, p[i], vec_sign_of(e[i], x[i]));
}

VEC_FN void vecs_erf(Vec *x, const int n)
{
	Vec s[VEC_MANY], p[VEC_MANY], q[VEC_MANY];
	EACH_VEC s[i] = x[i] * x[i];
	EACH_VEC p[i] = POLY_ERF(s[i]);
	EACH_VEC p[i] = p[i] * x[i];
	EACH_VEC s[i] = vec_min(vec_set(4.0f), vec_abs(x[i]));
	EACH_VEC q[i] = POLY_LOG_ERFC(s[i]);
	vecs_exp_within(q, n);
	EACH_VEC x[i] = vec_by_size(x[i], 1.0f, p[i], vec_sign_of(1.0f - q[i], x[i]));
}

#endif
#endif

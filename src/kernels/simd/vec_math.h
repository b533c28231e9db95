/* vec_math: the functions of math.h on AVX-512 vectors, with instructions that plain expressions do not reach: a power of
 * two in one step that also gets the ends of the range right, and a quotient by an estimate and one step of Newton's method
 * (vdivps takes as long as ten multiply-adds). Polynomials and accuracy are those of math.h. */
#ifndef HONE_SIMD_VEC_MATH_H
#define HONE_SIMD_VEC_MATH_H

#include "math.h"
#include "micro.h"

#if ISA_LEVEL == 4

/* 1 / d for d whose reciprocal is a normal number. */
static inline Vec vec_reciprocal(Vec d)
{
	Vec y = (Vec)_mm512_rcp14_ps((__m512)d);
	return y * (2.0f - d * y);
}

/* exp of x in [-104, 88.8], or NaN: subnormal results, and infinity at the end, come from the scaling. */
static inline Vec vec_exp_within(Vec x)
{
	Vec n = (Vec)_mm512_roundscale_ps((__m512)(x * 1.44269504088896341f), 8);
	Vec r = x - n * 0.693359375f + n * 2.12194440e-4f;
	Vec p = POLY_EXP(r);
	p = p * r * r + r + 1.0f;
	return (Vec)_mm512_scalef_ps((__m512)p, (__m512)n);
}

static inline Vec vec_exp(Vec x)
{
	return vec_exp_within(vec_max(vec_set(-104.0f), vec_min(vec_set(88.8f), x))); /* NaN stays NaN */
}

/* 0 below -88, where the exact result is below the least normal number. */
static inline Vec vec_sigmoid(Vec x)
{
	Vec e = vec_exp_within(-vec_max(vec_set(-88.0f), vec_min(vec_set(104.0f), x)));
	__mmask16 above = _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(-88.0f), _CMP_NLT_UQ);
	return (Vec)_mm512_maskz_mov_ps(above, (__m512)vec_reciprocal(1.0f + e));
}

static inline Vec vec_abs(Vec x)
{
	return (Vec)_mm512_abs_ps((__m512)x);
}

static inline Vec vec_sign_of(Vec size, Vec x)
{
	return (Vec)_mm512_ternarylogic_epi32((__m512i)size, (__m512i)x, _mm512_set1_epi32(INT32_MIN), 0xd8);
}

static inline Vec vec_tanh(Vec x)
{
	Vec a = vec_abs(x), s = x * x;
	Vec p = POLY_TANH(s);
	Vec small = p * s * x + x;
	Vec large = 1.0f - 2.0f * vec_reciprocal(vec_exp_within(vec_min(vec_set(40.0f), 2.0f * a)) + 1.0f);
	__mmask16 is_small = _mm512_cmp_ps_mask((__m512)a, _mm512_set1_ps(0.625f), _CMP_LT_OQ);
	return (Vec)_mm512_mask_mov_ps((__m512)vec_sign_of(large, x), is_small, (__m512)small);
}

static inline Vec vec_erf(Vec x)
{
	Vec a = vec_abs(x), s = x * x, c = vec_min(vec_set(4.0f), a);
	Vec p = POLY_ERF(s);
	Vec q = POLY_LOG_ERFC(c);
	__mmask16 is_small = _mm512_cmp_ps_mask((__m512)a, _mm512_set1_ps(1.0f), _CMP_LT_OQ);
	return (Vec)_mm512_mask_mov_ps((__m512)vec_sign_of(1.0f - vec_exp_within(q), x), is_small, (__m512)(p * x));
}

#endif
#endif

/* math: elementary functions of floats as plain expressions that compilers turn into vector code.  Each is accurate to about
 * two units in the last place; NaN gives NaN and infinities give limits. Polynomials: weighted least squares on the reduced
 * range, iterated to near minimax. */
#ifndef HONE_SIMD_MATH_H
#define HONE_SIMD_MATH_H

#include "simd.h"

/* The polynomials that vec_math.h has too: of floats or of vectors. */
#define POLY_EXP(x) \
	((((0.0013836841940095357f * (x) + 0.008374815781588628f) * (x) + 0.04166822564203369f) \
	* (x) + 0.16666420170194707f) * (x) + 0.4999999207949398f)

#define POLY_TANH(x) \
	((((-0.005672421671145379f * (x) + 0.020603147080135012f) * (x) - 0.05372523158895224f) \
	* (x) + 0.13331185767650114f) * (x) - 0.33333263380402456f)

#define POLY_ERF(x) \
	(((((((-9.64151604421204e-06f * (x) + 0.0001125694761867635f) * (x) - 0.0008482828852720559f) \
	* (x) + 0.005220945458859205f) * (x) - 0.0268654003739357f) * (x) + 0.11283782124519348f) \
	* (x) - 0.37612637877464294f) * (x) + 1.128379225730896f)

#define POLY_LOG_ERFC(x) \
	(((((((((7.845203008160199e-07f * (x) - 1.2452773827192588e-05f) * (x) + 6.434135641391262e-05f) \
	* (x) + 0.00010176082923199607f) * (x) - 0.003360272205104947f) * (x) + 0.02383651389888991f) \
	* (x) - 0.10696150375377102f) * (x) - 0.634196119722161f) * (x) - 1.1292038558390411f) \
	* (x) + 0.00012529378268144598f)

static inline float as_float(int32_t i)
{
	union { int32_t i; float f; } u = { .i = i };
	return u.f;
}

static inline int32_t as_int(float f)
{
	union { float f; int32_t i; } u = { .f = f };
	return u.i;
}

/* x = n ln 2 + r, |r| <= ln 2 / 2; exp(x) = 2^n exp(r), the power in two factors so that subnormal results come out right. */
static inline float math_exp(float x)
{
	float c = x < 88.8f ? x : 88.8f; /* NaN too */
	c = c > -104.0f ? c : -104.0f;
	float n = __builtin_rintf(c * 1.44269504088896341f);
	float r = c - n * 0.693359375f + n * 2.12194440e-4f;
	float p = POLY_EXP(r);
	p = p * r * r + r + 1.0f;
	int32_t whole = (int32_t)n, half = whole >> 1;
	float y = p * as_float((half + 127) << 23) * as_float((whole - half + 127) << 23);
	y = x > 88.8f ? INFINITY : y;
	y = x < -104.0f ? 0.0f : y;
	return x != x ? x : y;
}

/* x = 2^e m with m in [sqrt(1/2), sqrt(2)); log(1 + f) = f - f^2/2 + f^3 P(f). Subnormals are scaled up first. */
static inline float math_log(float x)
{
	bool tiny = x < 1.17549435e-38f;
	float s = tiny ? x * 8388608.0f : x;
	uint32_t bits = (uint32_t)as_int(s); /* of a negative number the difference wraps around; its result is replaced */
	int32_t e = (int32_t)(bits - 0x3f3504f3u) >> 23;
	float f = as_float((int32_t)(bits - ((uint32_t)e << 23))) - 1.0f, k = (float)e - (tiny ? 23.0f : 0.0f);
	float p = 0.07332437273069607f;
	p = p * f - 0.11659887251548495f;
	p = p * f + 0.11634677229953973f;
	p = p * f - 0.1239670729321071f;
	p = p * f + 0.14251154851321837f;
	p = p * f - 0.1666915068156056f;
	p = p * f + 0.20000688102672534f;
	p = p * f - 0.249999811900187f;
	p = p * f + 0.3333333125677136f;
	float y = k * -2.12194440e-4f + p * f * f * f - 0.5f * f * f + f + k * 0.693359375f;
	y = x == INFINITY ? x : y;
	y = x == 0.0f ? -INFINITY : y;
	y = x < 0.0f ? NAN : y;
	return x != x ? x : y;
}

static inline float math_sigmoid(float x)
{
	return 1.0f / (1.0f + math_exp(-x));
}

static inline float math_tanh(float x)
{
	float a = __builtin_fabsf(x), s = x * x;
	float p = POLY_TANH(s);
	float small = p * s * x + x, large = 1.0f - 2.0f / (math_exp(2.0f * a) + 1.0f);
	float y = a < 0.625f ? small : __builtin_copysignf(large, x);
	return x != x ? x : y;
}

/* Below 1: x P(x^2). Above: 1 - exp(Q(x)), Q close to log(erfc(x)); from 4 on the result is 1. */
static inline float math_erf(float x)
{
	float a = __builtin_fabsf(x), s = x * x, c = a > 4.0f ? 4.0f : a;
	float p = POLY_ERF(s);
	float q = POLY_LOG_ERFC(c);
	float y = a < 1.0f ? p * x : __builtin_copysignf(1.0f - math_exp(q), x);
	return x != x ? x : y;
}

/* Quadrant by Cody and Waite's reduction, good for |x| below 2^13; callers send larger arguments to the C library. */
static inline float math_sin_quadrant(float x, int32_t shift)
{
	float n = __builtin_rintf(x * 0.636619772367581343f);
	float r = x - n * 1.5703125f - n * 4.837512969970703125e-4f - n * 7.549789948768648e-8f, s = r * r;
	float sine = 2.7173532254171024e-06f;
	sine = sine * s - 0.00019839203142371455f;
	sine = sine * s + 0.008333328786042319f;
	sine = sine * s - 0.1666666663163529f;
	sine = sine * s * r + r;
	float cosine = 2.437992928315605e-05f;
	cosine = cosine * s - 0.0013886619209150769f;
	cosine = cosine * s + 0.041666616739168535f;
	cosine = cosine * s * s - 0.5f * s + 1.0f;
	int32_t q = (int32_t)n + shift;
	float y = q & 1 ? cosine : sine;
	return q & 2 ? -y : y;
}

static inline float math_softplus(float x)
{
	/* log(1 + e): the factor makes up for the digits of e that 1 + e drops. */
	float a = __builtin_fabsf(x), e = math_exp(-a), u = 1.0f + e, d = u - 1.0f;
	float l = d == 0.0f ? e : math_log(u) * (e / d);
	return (x > 0.0f ? x : 0.0f) + l + (x != x ? x : 0.0f);
}

#endif

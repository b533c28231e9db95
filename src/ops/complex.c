#include "complex.h"

#include <complex.h>
#include <math.h>

#ifndef CMPLX /* the C library has it for gcc alone */
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

typedef double complex Number;

static Number number(const double v[2])
{
	return CMPLX(v[0], v[1]);
}

/* log(1 + z) without losing small z: |1 + z|^2 - 1 = 2 re + re^2 + im^2. */
static Number log1p_of(Number z)
{
	double re = creal(z), im = cimag(z), far = 0.5;
	if (fabs(re) > far || fabs(im) > far)
		return clog(1 + z);
	return CMPLX(0.5 * log1p(2 * re + re * re + im * im), atan2(im, 1 + re));
}

/* exp(z) - 1 = expm1(re) cos(im) - 2 sin(im/2)^2 + i exp(re) sin(im). */
static Number expm1_of(Number z)
{
	double re = creal(z), im = cimag(z), half = sin(im / 2);
	if (im == 0)
		return CMPLX(expm1(re), im);
	return CMPLX(expm1(re) * cos(im) - 2 * half * half, exp(re) * sin(im));
}

/* exp where exp(re) overflows but the result may not. */
static Number exp_of(Number z)
{
	double re = creal(z), im = cimag(z);
	if (im == 0)
		return CMPLX(exp(re), im);
	if (isinf(re) && !isfinite(im)) /* exp(re) times the cosine and sine of no angle */
		return CMPLX(NAN, NAN);
	return cexp(z);
}

static Number sign_of(Number z)
{
	double r = hypot(creal(z), cimag(z));
	return r == 0 ? z : CMPLX(creal(z) / r, cimag(z) / r);
}

bool complex_unary(OpKind k, const double x[2], double y[2])
{
	Number z = number(x), r;
	switch (k) {
	case OP_neg: r = CMPLX(-x[0], -x[1]); break;
	case OP_exp: r = exp_of(z); break;
	case OP_expm1: r = expm1_of(z); break;
	case OP_log: r = clog(z); break;
	case OP_log1p: r = log1p_of(z); break;
	case OP_sqrt: r = csqrt(z); break;
	case OP_rsqrt: r = 1 / csqrt(z); break;
	case OP_cbrt: r = cpow(z, 1.0 / 3); break;
	case OP_sin: r = csin(z); break;
	case OP_cos: r = ccos(z); break;
	case OP_tan: r = ctan(z); break;
	case OP_asin: r = casin(z); break;
	case OP_acos: r = cacos(z); break;
	case OP_atan: r = catan(z); break;
	case OP_sinh: r = csinh(z); break;
	case OP_cosh: r = ccosh(z); break;
	case OP_tanh: r = ctanh(z); break;
	case OP_asinh: r = casinh(z); break;
	case OP_acosh: r = cacosh(z); break;
	case OP_atanh: r = catanh(z); break;
	case OP_reciprocal: r = 1 / z; break;
	case OP_sigmoid: r = 1 / (1 + cexp(-z)); break;
	case OP_sign: r = sign_of(z); break;
	default: return false;
	}
	y[0] = creal(r);
	y[1] = cimag(r);
	return true;
}

bool complex_power(const double a[2], const double b[2], double y[2])
{
	Number r = cpow(number(a), number(b));
	if (a[0] == 0 && a[1] == 0) {
		bool one = b[0] == 0 && b[1] == 0;
		r = one ? 1 : b[0] > 0 ? 0 : CMPLX(NAN, NAN);
	}
	y[0] = creal(r);
	y[1] = cimag(r);
	return true;
}

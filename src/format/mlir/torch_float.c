#include "torch_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Floats as MLIR prints them, digit for digit: texts can then be compared as they are. The forms that are tried, the first
 * that gives the bits back counts: 6 digits and an exponent; as many digits as the type needs, unless that is a whole
 * number; the bits in hexadecimal. MLIR cuts the exact decimal expansion to roughly the digits it wants by counting bits,
 * and only then rounds, so that digits may be one less than the nearest ones. */

#define MAX_DIGITS 1100 /* of the exact expansion of a double */

typedef struct Decimal { /* 0.d1d2d3... without the point: digits * 10^exponent */
	char digits[MAX_DIGITS];
	int n, exponent;
	bool minus;
} Decimal;

/* The exact value: an odd number times a power of two is that number times a power of five, with the point moved. */
static void exact(double x, Decimal *v, double *bits)
{
	char text[MAX_DIGITS + 32];
	int e;
	double m = frexp(fabs(x), &e);
	uint64_t whole = (uint64_t)ldexp(m, 53);
	e -= 53;
	while (whole % 2 == 0) {
		whole /= 2;
		e++;
	}
	snprintf(text, sizeof text, "%.*f", e < 0 ? -e : 0, fabs(x));
	v->minus = signbit(x);
	v->n = 0;
	v->exponent = e < 0 ? e : 0;
	for (const char *s = text; *s; s++)
		if (*s >= '0' && *s <= '9' && (v->n || *s != '0') && v->n < MAX_DIGITS - 1)
			v->digits[v->n++] = *s;
	v->digits[v->n] = 0;
	*bits = floor(log2((double)whole) + (e < 0 ? -e * log2(5.0) : e) + 1e-9) + 1;
}

static void cut(Decimal *v, int n)
{
	if (n >= v->n)
		n = v->n - 1;
	v->n -= n;
	v->exponent += n;
	v->digits[v->n] = 0;
}

static void drop_zeros(Decimal *v)
{
	while (v->n > 1 && v->digits[v->n - 1] == '0')
		cut(v, 1);
}

/* To at most `want` digits, half up. */
static void round_to(Decimal *v, int want)
{
	drop_zeros(v);
	if (v->n <= want)
		return;
	bool up = v->digits[want] >= '5';
	cut(v, v->n - want);
	while (up && v->n > 1 && v->digits[v->n - 1] == '9')
		cut(v, 1);
	if (up && v->digits[v->n - 1] == '9') {
		v->digits[0] = '1';
		v->exponent++;
	} else if (up) {
		v->digits[v->n - 1]++;
	}
	drop_zeros(v);
}

static void shorten(Decimal *v, double bits, int want)
{
	int need = (want * 196 + 58) / 59, spare = (int)bits - need;
	if (spare > 0 && spare * 59 / 196 > 0)
		cut(v, spare * 59 / 196);
	round_to(v, want);
}

/* Decimal digits that tell the values of a type apart, as MLIR counts them. */
static int digits_of(DType d)
{
	switch (d) {
	case DT_F64: return 17;
	case DT_F32: return 9;
	case DT_F16: return 5;
	case DT_BF16: return 4;
	case DT_F8E5M2:
	case DT_F8E5M2FNUZ: return 2;
	default: return 3;
	}
}

static bool same_bits(DType d, const char *text, uint64_t bits)
{
	double back;
	return parse_double(text, strlen(text), &back) && double_to_bits(d, back) == bits;
}

/* d.ddddd0e-05 */
static void short_form(double x, char *out, size_t size)
{
	Decimal v;
	double bits;
	if (x == 0) {
		snprintf(out, size, "%s0.000000e+00", signbit(x) ? "-" : "");
		return;
	}
	exact(x, &v, &bits);
	shorten(&v, bits, 6);
	int e = v.exponent + v.n - 1;
	snprintf(out, size, "%s%c.%.*s%.*se%s%02d", v.minus ? "-" : "", v.digits[0], v.n - 1, v.digits + 1, 7 - v.n, "000000",
		e < 0 ? "-" : "+", e < 0 ? -e : e);
}

/* 9.99999974E-6 or 0.123456789; false for whole numbers, which would have no point. */
static bool long_form(double x, DType d, char *out, size_t size)
{
	Decimal v;
	double bits;
	const char *sign = signbit(x) ? "-" : "";
	exact(x, &v, &bits);
	shorten(&v, bits, digits_of(d));
	int e = v.exponent + v.n - 1;
	bool scientific = v.exponent >= 0 ? v.exponent > 3 || v.n + v.exponent > digits_of(d) : e < -3;
	if (scientific)
		snprintf(out, size, "%s%c.%.40sE%s%d", sign, v.digits[0], v.n > 1 ? v.digits + 1 : "0", e < 0 ? "-" : "+",
			e < 0 ? -e : e);
	else if (v.exponent >= 0)
		return false;
	else if (e >= 0)
		snprintf(out, size, "%s%.*s.%.40s", sign, e + 1, v.digits, v.digits + e + 1);
	else
		snprintf(out, size, "%s0.%.*s%.40s", sign, -e - 1, "000", v.digits);
	return true;
}

void torch_float(Buf *out, DType d, uint64_t bits)
{
	char text[128];
	double x = 0;
	bits_to_double(d, bits, &x);
	if (isfinite(x)) {
		short_form(x, text, sizeof text);
		if (same_bits(d, text, bits) || (x != 0 && long_form(x, d, text, sizeof text) && same_bits(d, text, bits))) {
			buf_puts(out, text);
			return;
		}
	}
	buf_printf(out, "0x%llX", (unsigned long long)bits);
}

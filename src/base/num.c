/* Numbers and text, both ways, whatever the locale; checked products. */
#include "base.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT = 48 }; /* fits every %.17g with a decimal point of a few bytes */

bool dims_count(const int64_t *dims, int rank, int64_t *out)
{
	int64_t n = 1;
	bool empty = false, fits = true;
	for (int i = 0; i < rank; i++) {
		if (dims[i] < 0)
			return false;
		empty |= dims[i] == 0;
	}
	for (int i = 0; i < rank && !empty; i++)
		fits = fits && mul_ok(n, dims[i], &n);
	if (!fits)
		return false;
	*out = empty ? 0 : n;
	return true;
}

/* The locale's decimal point, as strtod wants it. */
static void locale_point(char *out, size_t size)
{
	char text[NUMBER_TEXT];
	snprintf(text, sizeof(text), "%.1f", 0.5);
	size_t len = strlen(text);
	snprintf(out, size, "%.*s", len > 2 ? (int)(len - 2) : 0, text + 1);
}

/* strtod of "C" syntax: when it stops at the point, the locale writes another one. */
static double read_number(const char *text, bool single)
{
	char *end;
	double x = single ? (double)strtof(text, &end) : strtod(text, &end);
	if (*end != '.')
		return x;
	Buf b = {0};
	char point[16];
	locale_point(point, sizeof(point));
	buf_put(&b, text, (size_t)(end - text));
	buf_puts(&b, point);
	buf_puts(&b, end + 1);
	x = single ? (double)strtof(b.data, NULL) : strtod(b.data, NULL);
	buf_free(&b);
	return x;
}

/* %.*g with the locale's decimal point, whatever bytes it has, replaced by '.'. */
static void write_number(char *out, int digits, double x)
{
	char text[NUMBER_TEXT];
	snprintf(text, sizeof(text), "%.*g", digits, x);
	bool in_point = false;
	for (const char *p = text; *p; p++) {
		bool plain = (*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == 'e';
		if (plain)
			*out++ = *p;
		else if (!in_point)
			*out++ = '.';
		in_point = !plain;
	}
	*out = '\0';
}

/* Any text of at most `safe` digits survives the way through a normal number, so the shortest text is found at once when
 * it has so few; subnormals have fewer bits and are searched from one digit up. */
static char *format_number(Arena *a, double x, bool single)
{
	if (isnan(x))
		return arena_strdup(a, "nan");
	if (isinf(x))
		return arena_strdup(a, x < 0 ? "-inf" : "inf");
	char text[NUMBER_TEXT];
	int safe = single ? FLT_DIG : DBL_DIG, most = single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
	bool subnormal = x != 0 && fabs(x) < (single ? (double)FLT_MIN : DBL_MIN);
	for (int digits = subnormal ? 1 : safe; digits <= most; digits++) {
		write_number(text, digits, x);
		if (digits == most || read_number(text, single) == x)
			break;
	}
	return arena_strdup(a, text);
}

char *format_double(Arena *a, double x)
{
	return format_number(a, x, false);
}

char *format_float(Arena *a, float x)
{
	return format_number(a, (double)x, true);
}

static bool is_word(const char *s, size_t len, const char *word)
{
	for (size_t i = 0; i < len; i++)
		if (!word[i] || (s[i] | 0x20) != word[i])
			return false;
	return !word[len];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* [digits][.digits][(e|E)[sign]digits] with at least one digit before the exponent. */
static bool is_decimal(const char *s, size_t len)
{
	size_t i = 0, digits = 0;
	for (; i < len && is_digit(s[i]); i++)
		digits++;
	if (i < len && s[i] == '.')
		for (i++; i < len && is_digit(s[i]); i++)
			digits++;
	if (digits == 0)
		return false;
	if (i < len && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		if (i < len && (s[i] == '+' || s[i] == '-'))
			i++;
		size_t from = i;
		while (i < len && is_digit(s[i]))
			i++;
		if (i == from)
			return false;
	}
	return i == len;
}

__extension__ typedef unsigned __int128 U128;

/* v * 2^exp, rounded to nearest even; `more`: the number is a little larger. The result is a normal number. */
static double round_wide(U128 v, bool more, int exp)
{
	uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
	int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low), drop = bits - DBL_MANT_DIG;
	if (drop <= 0)
		return ldexp((double)low, exp);
	U128 rest = v & (((U128)1 << drop) - 1), half = (U128)1 << (drop - 1);
	uint64_t man = (uint64_t)(v >> drop);
	man += rest > half || (rest == half && (more || (man & 1)));
	return ldexp((double)man, exp + drop);
}

/* man * 10^exp, rounded right: with 5^27 below 2^63, products are exact in 128 bits, and quotients of 65 bits and more with
 * their remainder say which way to round. */
static bool scale_by_ten(uint64_t man, int exp, double *out)
{
	static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	if (man != 0 && (exp < -27 || exp > 27))
		return false;
	bool exact = man < UINT64_C(1) << DBL_MANT_DIG && exp >= -22 && exp <= 22; /* both are exact doubles */
	if (exact || man == 0) {
		*out = man == 0 ? 0 : exp < 0 ? (double)man / powers[-exp] : (double)man * powers[exp];
		return true;
	}
	uint64_t five = 1;
	for (int i = exp < 0 ? -exp : exp; i > 0; i--)
		five *= 5;
	if (exp >= 0) {
		*out = round_wide((U128)man * five, false, exp);
		return true;
	}
	int shift = 64 + __builtin_clzll(man);
	U128 v = (U128)man << shift;
	*out = round_wide(v / five, v % five != 0, exp - shift);
	return true;
}

/* Of up to 19 digits. */
static bool parse_short(const char *s, size_t len, double *out)
{
	uint64_t man = 0;
	int exp = 0, given = 0, after = 0, digits = 0;
	bool point = false;
	size_t i = 0;
	if (FLT_EVAL_METHOD != 0)
		return false;
	for (; i < len && (is_digit(s[i]) || s[i] == '.'); i++) {
		if (s[i] == '.') {
			point = true;
			continue;
		}
		digits += man > 0 || s[i] != '0';
		if (digits > 19 || after > 1000)
			return false;
		man = man * 10 + (uint64_t)(s[i] - '0');
		after += point;
	}
	if (i < len) {
		bool minus = s[i + 1] == '-';
		for (i += s[i + 1] == '-' || s[i + 1] == '+' ? 2 : 1; i < len; i++) {
			if (given > 1000)
				return false;
			given = given * 10 + (s[i] - '0');
		}
		exp = minus ? -given : given;
	}
	return scale_by_ten(man, exp - after, out);
}

bool parse_double(const char *s, size_t len, double *out)
{
	double x = 0;
	bool minus = len && s[0] == '-';
	size_t skip = len && (s[0] == '-' || s[0] == '+');
	s += skip;
	len -= skip;
	if (is_word(s, len, "inf") || is_word(s, len, "infinity")) {
		x = INFINITY;
	} else if (is_word(s, len, "nan")) {
		x = NAN;
	} else if (!is_decimal(s, len)) {
		return false;
	} else if (!parse_short(s, len, &x)) {
		Buf b = {0};
		buf_put(&b, s, len);
		x = read_number(b.data, false);
		buf_free(&b);
	}
	*out = minus ? -x : x;
	return true;
}

bool parse_int64(const char *s, size_t len, int64_t *out)
{
	bool minus = len && s[0] == '-';
	size_t i = len && (s[0] == '-' || s[0] == '+');
	int64_t x = 0;
	if (i == len)
		return false;
	for (; i < len; i++) {
		if (!is_digit(s[i]))
			return false;
		int64_t digit = s[i] - '0';
		/* built on the negative side, which reaches one further */
		if (!mul_ok(x, 10, &x) || !sub_ok(x, digit, &x))
			return false;
	}
	if (!minus && !sub_ok(0, x, &x))
		return false;
	*out = x;
	return true;
}

/* Elementwise StableHLO and chlo ops that core has no op for. */
#include "stablehlo_int.h"

#include <math.h>

/* ---- comparing in the total order ---- */

/* Sign and magnitude as one number: -NaN < -Inf < ... < -0 < +0 < ... < NaN. */
static int64_t total_order(DType d, const Tensor *t, int64_t i)
{
	double x = tensor_get_f64(t, i);
	uint64_t bits = 0;
	int width = t->store == DT_F64 ? 64 : dtype_bits(d);
	if (width == 64) {
		memcpy(&bits, &x, sizeof x);
	} else if (d == DT_F32) {
		float f;
		memcpy(&f, (const char *)t->data + (size_t)i * 4, sizeof f);
		uint32_t low;
		memcpy(&low, &f, sizeof low);
		bits = low;
	} else {
		memcpy(&bits, (const char *)t->data + (size_t)i * tensor_elem_size(t), tensor_elem_size(t));
	}
	uint64_t sign = (uint64_t)1 << (width - 1);
	return bits & sign ? -(int64_t)(bits & (sign - 1)) - 1 : (int64_t)bits;
}

static int compare_elements(const Tensor *a, const Tensor *b, int64_t i, int64_t k)
{
	if (dtype_is_float(a->dtype)) {
		int64_t x = total_order(a->dtype, a, i), y = total_order(b->dtype, b, k);
		return (x > y) - (x < y);
	}
	if (dtype_class(a->dtype) == DC_COMPLEX) {
		double x[2], y[2];
		shlo_load_complex(a, i, x);
		shlo_load_complex(b, k, y);
		return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
	}
	int64_t x = tensor_get_i64(a, i), y = tensor_get_i64(b, k);
	if (dtype_class(a->dtype) == DC_UINT)
		return ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y);
	return (x > y) - (x < y);
}

static bool holds(const char *direction, int c)
{
	switch (direction[0]) {
	case 'E': return c == 0;
	case 'N': return c != 0;
	case 'L': return direction[1] == 'T' ? c < 0 : c <= 0;
	default: return direction[1] == 'T' ? c > 0 : c >= 0;
	}
}

/* Comparisons that core has no op for: the total order of floats, and complex numbers. */
bool eval_shlo_compare(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Str *direction = op_attr_str(op, A_comparison_direction);
	if (!direction || direction->len != 2)
		return eval_error(e, op, "it has no comparison_direction");
	if (!tensor_same_shape(in[0], in[1]) || in[0]->dtype != in[1]->dtype)
		return eval_error(e, op, "operands of different types");
	if (!(out[0] = tensor_new(e, DT_BOOL, in[0]->rank, in[0]->dims)))
		return false;
	for (int64_t i = 0; i < in[0]->count; i++)
		tensor_set_i64(out[0], i, holds(direction->s, compare_elements(in[0], in[1], i, i)));
	return true;
}

/* ---- chlo's broadcasts: of the operand of lower rank, broadcast_dimensions say where its dimensions go; else they are the last ---- */

static Tensor *spread(EvalCtx *e, const Op *op, const Tensor *x, int rank, const int64_t *dims)
{
	const int64_t *at;
	size_t n = op_attr_ints(op, A_broadcast_dimensions, &at);
	int64_t step[MAX_RANK] = { 0 }, own = 1;
	Tensor *y = tensor_new(e, x->dtype, rank, dims);
	for (int d = x->rank - 1; d >= 0; d--) {
		int64_t to = x->rank < rank && n == (size_t)x->rank ? at[d] : rank - x->rank + d;
		if (to < 0 || to >= rank || (x->dims[d] != 1 && x->dims[d] != dims[to])) {
			tensor_unref(y);
			eval_error(e, op, "operands whose shapes do not go together");
			return NULL;
		}
		step[to] = x->dims[d] == 1 ? 0 : own;
		own *= x->dims[d];
	}
	for (int64_t i = 0; y && i < y->count; i++) {
		int64_t rest = i, from = 0;
		for (int d = rank - 1; d >= 0; d--) {
			from += rest % dims[d] * step[d];
			rest /= dims[d];
		}
		shlo_copy_element(y, i, x, from);
	}
	return y;
}

/* run on both operands in the shape that they have together. */
static bool on_common_shape(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out, EvalFn *run)
{
	const int64_t *at;
	size_t n = op_attr_ints(op, A_broadcast_dimensions, &at);
	int rank = in[0]->rank > in[1]->rank ? in[0]->rank : in[1]->rank;
	int64_t dims[MAX_RANK];
	if (in[0]->kind != TYPE_TENSOR || in[1]->kind != TYPE_TENSOR)
		return eval_error(e, op, "operands that are no tensors");
	for (int d = 0; d < rank; d++)
		dims[d] = 1;
	for (int k = 0; k < 2; k++)
		for (int d = 0; d < in[k]->rank; d++) {
			int64_t to = in[k]->rank < rank && n == (size_t)in[k]->rank ? at[d] : rank - in[k]->rank + d;
			if (to >= 0 && to < rank && in[k]->dims[d] != 1)
				dims[to] = in[k]->dims[d];
		}
	Tensor *fit[2] = { spread(e, op, in[0], rank, dims), NULL };
	fit[1] = fit[0] ? spread(e, op, in[1], rank, dims) : NULL;
	bool ok = fit[1] && run(e, op, fit, out);
	tensor_unref(fit[0]);
	tensor_unref(fit[1]);
	return ok;
}

/* ---- complex numbers ---- */

static bool complex_of(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!tensor_same_shape(in[0], in[1]))
		return eval_error(e, op, "operands of different shapes");
	DType d = in[0]->dtype == DT_F64 ? DT_C128 : DT_C64;
	if (!(out[0] = tensor_new(e, d, in[0]->rank, in[0]->dims)))
		return false;
	for (int64_t i = 0; i < in[0]->count; i++)
		shlo_store_complex(out[0], i, (double[2]){ tensor_get_f64(in[0], i), tensor_get_f64(in[1], i) });
	return true;
}

bool eval_shlo_complex(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	return op_is(op, CHLO_broadcast_complex) ? on_common_shape(e, op, in, out, complex_of) : complex_of(e, op, in, out);
}

/* real and imag; of a real number these are the number and zero. */
bool eval_shlo_complex_part(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	DType d = x->dtype == DT_C64 ? DT_F32 : x->dtype == DT_C128 ? DT_F64 : x->dtype;
	if (!(out[0] = tensor_new(e, d, x->rank, x->dims)))
		return false;
	for (int64_t i = 0; i < x->count; i++) {
		double v[2];
		shlo_load_complex(x, i, v);
		tensor_set_f64(out[0], i, v[op_is(op, SHLO_imag)]);
	}
	return true;
}

bool eval_shlo_conj(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)op;
	if (!(out[0] = tensor_like(e, in[0])))
		return false;
	for (int64_t i = 0; i < in[0]->count; i++) {
		double v[2];
		shlo_load_complex(in[0], i, v);
		v[1] = -v[1];
		shlo_store_complex(out[0], i, v);
	}
	return true;
}

/* ---- clamp with bounds of any shape ---- */

bool eval_shlo_clamp(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[1];
	if (!(out[0] = tensor_like(e, x)))
		return false;
	for (int i = 0; i < 3; i += 2)
		if (in[i]->dtype != x->dtype || (in[i]->count != 1 && !tensor_same_shape(in[i], x)))
			return eval_error(e, op, "a bound is neither a scalar nor of the operand's shape");
	for (int64_t i = 0; i < x->count; i++) {
		int64_t lo = in[0]->count == 1 ? 0 : i, hi = in[2]->count == 1 ? 0 : i;
		const Tensor *from = x;
		int64_t at = i;
		if (compare_elements(x, in[0], i, lo) < 0) {
			from = in[0];
			at = lo;
		}
		if (compare_elements(from, in[2], at, hi) > 0) {
			from = in[2];
			at = hi;
		}
		shlo_copy_element(out[0], i, from, at);
	}
	return true;
}

/* ---- precision and bits ---- */

/* x rounded to a float with e exponent and m mantissa bits (to nearest even); beyond its range infinity, below it zero. */
static double reduce_to(double x, int e, int m)
{
	int k;
	if (x != x && m == 0) /* no mantissa: no NaN */
		return INFINITY;
	if (!isfinite(x) || x == 0)
		return x;
	double f = frexp(x, &k);
	double scaled = ldexp(f, m + 1), r = ldexp(nearbyint(scaled), k - m - 1);
	int bias = (1 << (e - 1)) - 1;
	frexp(r, &k);
	if (k - 1 > bias)
		return copysign(INFINITY, x);
	return k - 1 < 1 - bias ? copysign(0, x) : r;
}

bool eval_shlo_reduce_precision(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t bits = op_attr_int(op, A_exponent_bits, 8), mantissa = op_attr_int(op, A_mantissa_bits, 23);
	if (bits < 1 || bits > 15 || mantissa < 0 || mantissa > 60 || !dtype_is_float(in[0]->dtype))
		return eval_error(e, op, "malformed format");
	if (!(out[0] = tensor_like(e, in[0])))
		return false;
	for (int64_t i = 0; i < in[0]->count; i++)
		tensor_set_f64(out[0], i, bits >= 11 && mantissa >= 52 ?
			tensor_get_f64(in[0], i) : reduce_to(tensor_get_f64(in[0], i), (int)bits, (int)mantissa));
	return true;
}

static int bit_width(DType d)
{
	return d == DT_BOOL ? 1 : dtype_bits(d);
}

static bool bitcast_dims(EvalCtx *e, const Op *op, const Tensor *x, DType d, int *rank, int64_t *dims)
{
	int from = bit_width(x->dtype), to = bit_width(d);
	*rank = x->rank;
	memcpy(dims, x->dims, sizeof x->dims);
	if (from == 0 || to == 0 || (from % to && to % from))
		return eval_error(e, op, "from %s to %s", dtype_name(x->dtype), dtype_name(d));
	if (from > to && *rank < MAX_RANK)
		dims[(*rank)++] = from / to;
	else if (from < to && (*rank < 1 || dims[--*rank] != to / from))
		return eval_error(e, op, "the last dimension does not hold %d elements of %s", to / from, dtype_name(x->dtype));
	return true;
}

/* The float type of an element's parts. */
static DType own_part(const Tensor *t)
{
	return t->dtype == DT_C64 ? DT_F32 : t->dtype == DT_C128 ? DT_F64 : t->dtype;
}

static int64_t part_count(const Tensor *t)
{
	return dtype_class(t->dtype) == DC_COMPLEX ? 2 * t->count : t->count;
}

static void move_bits(const uint8_t *from, int width, uint8_t *to, int to_width, size_t from_size, size_t to_size, int64_t count)
{
	for (int64_t bit = 0; bit < count; bit++) {
		const uint8_t *src = from + (size_t)(bit / width) * from_size + (size_t)(bit % width / 8);
		uint8_t *dst = to + (size_t)(bit / to_width) * to_size + (size_t)(bit % to_width / 8);
		if (*src >> (bit % width % 8) & 1)
			*dst |= (uint8_t)(1 << (bit % to_width % 8));
	}
}

/* bitcast_convert: the last dimension makes up for a difference in width. Narrow elements are unpacked, so that bits are
 * moved one by one. Oracle mode rounds what it carries in double: the bits are those of the type. */
bool eval_shlo_bitcast(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int rank;
	int64_t dims[MAX_RANK];
	const Tensor *x = in[0];
	DType d = shlo_result_dtype(op, 0, DT_NONE);
	if (!bitcast_dims(e, op, x, d, &rank, dims))
		return false;
	Tensor *y = out[0] = tensor_new(e, d, rank, dims);
	if (!y)
		return false;
	int from = bit_width(x->dtype), to = bit_width(d);
	if (x->count * from != y->count * to)
		return eval_error(e, op, "the operand has not as many bits as the result");
	size_t xs = dtype_size(x->dtype), ys = dtype_size(d);
	const int64_t xbytes = x->count * (int64_t)xs, ybytes = y->count * (int64_t)ys;
	Tensor *own = x->store == x->dtype ? NULL : tensor_new(e, DT_U8, 1, &xbytes);
	Tensor *bits = y->store == d ? tensor_ref(y) : tensor_new(e, DT_U8, 1, &ybytes);
	bool ok = bits && (own || x->store == x->dtype);
	if (ok && own)
		dtype_store_f64(own_part(x), own->data, part_count(x), x->data);
	if (ok) {
		memset(bits->data, 0, (size_t)ybytes);
		move_bits(own ? own->data : x->data, from, bits->data, to, xs, ys, x->count * from);
		if (bits->data != y->data)
			dtype_load_f64(own_part(y), bits->data, part_count(y), y->data);
	}
	tensor_unref(own);
	tensor_unref(bits);
	if (ok && to < 8 && dtype_class(d) == DC_INT) /* sign extension of unpacked elements */
		for (int64_t i = 0; i < y->count; i++) {
			int8_t v = ((int8_t *)y->data)[i];
			((int8_t *)y->data)[i] = (int8_t)((uint8_t)v << (8 - to)) >> (8 - to);
		}
	return ok;
}

/* ---- special functions ---- */

/* Upwards recurrence to where the asymptotic series is exact to double; reflection below zero. */
static double digamma(double x)
{
	const double large = 12;
	double r = 0;
	if (x == 0)
		return copysign(INFINITY, -x);
	if (x < 0 && x == floor(x))
		return NAN;
	if (x < 0)
		return digamma(1 - x) - M_PI / tan(M_PI * (x - floor(x)));
	for (; x < large; x++)
		r -= 1 / x;
	double y = 1 / (x * x);
	static const double b[] = { 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12 };
	double s = 0;
	for (int i = 6; i >= 0; i--)
		s = (s + b[i]) * y;
	return r + log(x) - 0.5 / x - s;
}

/* Bisection on erf, then Newton steps: erf'(x) = 2/sqrt(pi) exp(-x^2). */
static double erf_inv(double y)
{
	if (y == 0)
		return y;
	if (!(fabs(y) < 1))
		return fabs(y) == 1 ? copysign(INFINITY, y) : NAN;
	double lo = 0, hi = 6, a = fabs(y);
	for (int i = 0; i < 60; i++) {
		double mid = 0.5 * (lo + hi);
		if (a > 0.5 ? erfc(mid) > 1 - a : erf(mid) < a)
			lo = mid;
		else
			hi = mid;
	}
	double x = 0.5 * (lo + hi);
	if (a < 0.5 && a > 0)
		for (int i = 0; i < 2; i++)
			x -= (erf(x) - a) / (M_2_SQRTPI * exp(-x * x));
	return copysign(x, y);
}

/* exp(-|x|) I1(x): the power series near zero, else the asymptotic one in exact enough form by quadrature
 * I1(x) = 1/pi int_0^pi exp(x cos t) cos t dt (periodic: the trapezoidal rule converges fast). */
static double bessel_i1e(double x)
{
	double a = fabs(x), s = 0;
	int n = 64 + (int)(8 * sqrt(a < 1e8 ? a : 1e8));
	if (!isfinite(x))
		return x != x ? x : 0;
	if (a < 1e-5)
		return exp(-a) * x / 2;
	for (int k = 0; k <= n; k++) {
		double t = M_PI * k / n, w = k == 0 || k == n ? 0.5 : 1;
		s += w * exp(a * (cos(t) - 1)) * cos(t);
	}
	return copysign(s / n, x);
}

/* Hurwitz zeta of x > 1, q > 0 by Euler-Maclaurin: 12 terms, then the tail. */
static double zeta_above(double x, double q)
{
	static const double b[] = { 1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6,
		-3617.0 / 510,
		43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730 };
	enum { TERMS = 12 };
	double s = 0, f = x, fact = 2;
	double a = q;
	for (int k = 0; k < TERMS; k++, a++)
		s += pow(a, -x);
	s += pow(a, 1 - x) / (x - 1) + 0.5 * pow(a, -x);
	double p = pow(a, -x - 1);
	for (int j = 0; j < TERMS; j++) {
		double term = b[j] / fact * f * p;
		s += term;
		f *= (x + 2 * j + 1) * (x + 2 * j + 2);
		fact *= (2 * j + 3) * (2 * j + 4);
		p /= a * a;
	}
	return s;
}

/* Where q = f - n is below zero the sum has n terms (f - m)^-x before those of f, which are differences of the same function. */
static double hurwitz_zeta(double x, double q)
{
	if (x == 1)
		return INFINITY;
	if (x < 1 || x != x || q != q)
		return NAN;
	if (q > 0)
		return zeta_above(x, q);
	double f = q - floor(q), before;
	if (f == 0)
		return INFINITY;
	if (x != floor(x))
		return NAN;
	before = zeta_above(x, 1 - f) - zeta_above(x, 1 - q);
	return zeta_above(x, f) + (fmod(x, 2) == 0 ? before : -before);
}

/* polygamma(n, x) = (-1)^(n+1) n! zeta(n + 1, x). */
static double polygamma(double n, double x)
{
	if (n == 0)
		return digamma(x);
	if (n < 0 || n != floor(n))
		return NAN;
	double r = exp(lgamma(n + 1)) * hurwitz_zeta(n + 1, x);
	return fmod(n, 2) == 0 ? -r : r;
}

static double special(OpKind k, double x)
{
	switch (k) {
	case CHLO_digamma: return digamma(x);
	case CHLO_erf_inv: return erf_inv(x);
	case CHLO_erfc: return erfc(x);
	case CHLO_lgamma: return lgamma(x);
	default: return bessel_i1e(x);
	}
}

bool eval_shlo_special(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!dtype_is_float(in[0]->dtype))
		return eval_error(e, op, "not defined on %s", dtype_name(in[0]->dtype));
	if (!(out[0] = tensor_like(e, in[0])))
		return false;
	for (int64_t i = 0; i < in[0]->count; i++)
		tensor_set_f64(out[0], i, special(op_kind(op), tensor_get_f64(in[0], i)));
	return true;
}

/* The float of type d that follows x towards y. */
static double next_after(DType d, double x, double y)
{
	if (x != x || y != y)
		return NAN;
	if (x == y)
		return y;
	if (d == DT_F64)
		return nextafter(x, y);
	if (d == DT_F32)
		return (double)nextafterf((float)x, (float)y);
	uint64_t bits = dtype_encode_float(d, x, false), sign = (uint64_t)1 << (dtype_bits(d) - 1);
	if (x == 0)
		return dtype_decode_float(d, y < 0 ? sign | 1 : 1);
	bool away = (x < y) == (x > 0);
	return dtype_decode_float(d, away ? bits + 1 : bits - 1);
}

static bool special2(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	OpKind k = op_kind(op);
	if (!dtype_is_float(in[0]->dtype) || in[1]->dtype != in[0]->dtype || !tensor_same_shape(in[0], in[1]))
		return eval_error(e, op, "operands of different or other types");
	if (!(out[0] = tensor_like(e, in[0])))
		return false;
	for (int64_t i = 0; i < in[0]->count; i++) {
		double x = tensor_get_f64(in[0], i), y = tensor_get_f64(in[1], i);
		double r = k == CHLO_next_after || k == CHLO_broadcast_next_after ? next_after(in[0]->dtype, x, y) :
			k == CHLO_zeta || k == CHLO_broadcast_zeta ? hurwitz_zeta(x, y) : polygamma(x, y);
		tensor_set_f64(out[0], i, r);
	}
	return true;
}

bool eval_shlo_special2(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	bool spreads = op_is(op, CHLO_broadcast_zeta) || op_is(op, CHLO_broadcast_polygamma) || op_is(op, CHLO_broadcast_next_after);
	return spreads ? on_common_shape(e, op, in, out, special2) : special2(e, op, in, out);
}

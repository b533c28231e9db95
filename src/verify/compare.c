/* Two tensors: equal within a rule, or where and how they differ. */
#include "verify/verify.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool differ(CompareResult *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

static bool differ(CompareResult *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->why, sizeof(r->why), fmt, ap);
	va_end(ap);
	r->equal = false;
	return false;
}

static int mantissa_bits(DType d)
{
	switch (d) {
	case DT_F64: return 52;
	case DT_F32: return 23;
	case DT_F16: return 10;
	case DT_BF16: return 7;
	case DT_F8E4M3: case DT_F8E4M3FN: case DT_F8E4M3FNUZ: case DT_F8E4M3B11FNUZ: case DT_F6E2M3: return 3;
	case DT_F8E3M4: return 4;
	case DT_F8E5M2: case DT_F8E5M2FNUZ: case DT_F6E3M2: return 2;
	default: return 1;
	}
}

/* One unit in the last place of the dtype at |x|. */
static double ulp(DType d, double x)
{
	int e;
	frexp(x, &e);
	return ldexp(1.0, e - 1 - mantissa_bits(d));
}

typedef struct Scan {
	const CompareRule *rule;
	CompareResult *out;
	DType dtype;
	double top; /* largest finite |want| */
} Scan;

static void scan_element(Scan *s, int64_t i, double got, double want)
{
	CompareResult *r = s->out;
	if (isnan(got) && isnan(want))
		return;
	if (got == want)
		return;
	double gap = fabs(got - want);
	bool finite = isfinite(got) && isfinite(want);
	if (finite) {
		double slack = s->rule->atol + s->rule->rtol * fabs(want);
		slack = fmax(slack, s->rule->ulps * ulp(s->dtype, want));
		slack = fmax(slack, s->rule->slice_rtol * s->top);
		double rel = gap / fmax(fabs(want), 1e-300);
		r->max_rel = fmax(r->max_rel, rel);
		if (gap <= slack) {
			r->max_abs = fmax(r->max_abs, gap);
			return;
		}
	}
	r->bad++;
	if (r->worst < 0 || !finite || gap > r->max_abs) {
		r->worst = i;
		r->got = got;
		r->want = want;
	}
	r->max_abs = finite ? fmax(r->max_abs, gap) : INFINITY;
}

static bool compare_floats(const Tensor *got, const Tensor *want, const CompareRule *rule, CompareResult *out)
{
	Scan s = { .rule = rule, .out = out, .dtype = want->dtype };
	for (int64_t i = 0; i < want->count; i++) {
		double x = fabs(tensor_get_f64(want, i));
		if (isfinite(x) && x > s.top)
			s.top = x;
	}
	for (int64_t i = 0; i < want->count; i++)
		scan_element(&s, i, tensor_get_f64(got, i), tensor_get_f64(want, i));
	return out->bad == 0;
}

/* Integers are exact, but the last step of a quantisation may tip over when the rule grants it. */
static bool compare_integers(const Tensor *got, const Tensor *want, const CompareRule *rule, CompareResult *out)
{
	double slack = rule->atol >= 1 ? rule->atol : 0;
	for (int64_t i = 0; i < want->count; i++) {
		int64_t g = tensor_get_i64(got, i), w = tensor_get_i64(want, i);
		if (g == w)
			continue;
		double gap = fabs((double)g - (double)w);
		out->max_abs = fmax(out->max_abs, gap);
		if (gap <= slack)
			continue;
		if (out->worst < 0) {
			out->worst = i;
			out->got = (double)g;
			out->want = (double)w;
		}
		out->bad++;
	}
	return out->bad == 0;
}

static bool compare_strings(const Tensor *got, const Tensor *want, CompareResult *out)
{
	const Str *const *g = got->data, *const *w = want->data;
	for (int64_t i = 0; i < want->count; i++) {
		if (g[i]->len == w[i]->len && !memcmp(g[i]->s, w[i]->s, w[i]->len))
			continue;
		if (out->worst < 0)
			out->worst = i;
		out->bad++;
	}
	return out->bad == 0;
}

static double complex complex_at(const Tensor *t, int64_t i)
{
	if (t->store == DT_C128)
		return ((const double complex *)t->data)[i];
	return ((const float complex *)t->data)[i];
}

static bool compare_complex(const Tensor *got, const Tensor *want, const CompareRule *rule, CompareResult *out)
{
	Scan s = { .rule = rule, .out = out, .dtype = want->dtype == DT_C64 ? DT_F32 : DT_F64 };
	for (int64_t i = 0; i < want->count; i++) {
		double complex g = complex_at(got, i), w = complex_at(want, i);
		int64_t bad = out->bad;
		scan_element(&s, i, creal(g), creal(w));
		if (out->bad == bad)
			scan_element(&s, i, cimag(g), cimag(w));
	}
	return out->bad == 0;
}

static bool compare_shape(const Tensor *got, const Tensor *want, CompareResult *out)
{
	Buf b = { 0 };
	bool same = got->rank == want->rank && !memcmp(got->dims, want->dims, sizeof(*got->dims) * (size_t)got->rank);
	if (same)
		return true;
	for (int i = 0; i < got->rank; i++)
		buf_printf(&b, "%s%lld", i ? "x" : "", (long long)got->dims[i]);
	buf_puts(&b, "], expected [");
	for (int i = 0; i < want->rank; i++)
		buf_printf(&b, "%s%lld", i ? "x" : "", (long long)want->dims[i]);
	differ(out, "shape [%s]", b.data);
	buf_free(&b);
	return false;
}

static bool compare_items(const Tensor *got, const Tensor *want, const CompareRule *rule, CompareResult *out)
{
	if (got->nitems != want->nitems)
		return differ(out, "%lld items, expected %lld", (long long)got->nitems, (long long)want->nitems);
	for (int64_t i = 0; i < want->nitems; i++) {
		CompareResult one;
		bool ok = tensors_compare(got->items[i], want->items[i], rule, &one);
		out->count += one.count;
		out->bad += one.bad;
		out->max_abs = fmax(out->max_abs, one.max_abs);
		if (!ok)
			return differ(out, "item %lld: %.120s", (long long)i, one.why);
	}
	return true;
}

bool tensors_compare(const Tensor *got, const Tensor *want, const CompareRule *rule, CompareResult *out)
{
	*out = (CompareResult){ .equal = true, .worst = -1 };
	if (got->kind != want->kind)
		return differ(out, "one is a tensor, the other is not");
	if (want->kind != TYPE_TENSOR)
		return compare_items(got, want, rule, out);
	out->count = want->count;
	if (got->dtype != want->dtype)
		return differ(out, "element type %s, expected %s", dtype_friendly_name(got->dtype), dtype_friendly_name(want->dtype));
	if (!compare_shape(got, want, out))
		return false;
	bool ok;
	switch (dtype_class(want->dtype)) {
	case DC_STRING: ok = compare_strings(got, want, out); break;
	case DC_COMPLEX: ok = compare_complex(got, want, rule, out); break;
	case DC_FLOAT: ok = compare_floats(got, want, rule, out); break;
	default: ok = compare_integers(got, want, rule, out); break;
	}
	if (ok)
		return true;
	return differ(out, "%lld of %lld elements differ; element %lld is %.9g, expected %.9g", (long long)out->bad,
			(long long)out->count, (long long)out->worst, out->got, out->want);
}

/* What the draws say about one element. */
typedef struct Drawn {
	double mean, variance, fourth, least, most; /* fourth: central moment */
} Drawn;

static Drawn drawn_of(Tensor *const *draws, int runs, int64_t i)
{
	Drawn d = { .least = INFINITY, .most = -INFINITY };
	for (int r = 0; r < runs; r++) {
		double x = tensor_get_f64(draws[r], i);
		d.mean += x / runs;
		d.least = fmin(d.least, x);
		d.most = fmax(d.most, x);
	}
	for (int r = 0; r < runs; r++) {
		double square = pow(tensor_get_f64(draws[r], i) - d.mean, 2);
		d.variance += square / (runs - 1);
		d.fourth += square * square / runs;
	}
	return d;
}

/* How many draws of an element are like no other one: their share is about the chance of a value that was not drawn yet. */
static int single_draws(Tensor *const *draws, int runs, int64_t i, double x, double rounding, bool *drawn)
{
	int singles = 0;
	*drawn = false;
	for (int r = 0; r < runs; r++) {
		double v = tensor_get_f64(draws[r], i);
		bool single = true;
		for (int k = 0; k < runs && single; k++)
			single = k == r || !(fabs(tensor_get_f64(draws[k], i) - v) <= rounding);
		singles += single;
		*drawn |= fabs(x - v) <= rounding;
	}
	return singles;
}

/* Each element has its own distribution, which the draws show. Sums over the elements: of what the stored value is above the mean,
 * of squared distances, of values outside of all draws (of R + 1 equal draws any is the least or the greatest with chance
 * 2 / (R + 1)), and of values that no draw has. */
bool samples_compare(Tensor *const *draws, int runs, const Tensor *want, CompareResult *out)
{
	enum { ERRORS = 5 };
	double above = 0, squares = 0, variance = 0, spread = 0, width = 0, more = 1 + 1.0 / runs, chance, unseen = 0;
	int64_t outside = 0, still = 0, news = 0;
	bool drawn;
	const CompareRule any = { .rtol = INFINITY, .atol = INFINITY };
	*out = (CompareResult){ .equal = true, .worst = -1, .count = want->count };
	for (int r = 0; r < runs; r++) {
		if (draws[r]->kind != TYPE_TENSOR || draws[r]->dtype != want->dtype)
			return tensors_compare(draws[r], want, &any, out) && differ(out, "no tensor of numbers");
		if (!compare_shape(draws[r], want, out))
			return false;
	}
	for (int64_t i = 0; i < want->count; i++) {
		Drawn d = drawn_of(draws, runs, i);
		double x = tensor_get_f64(want, i), rounding = 1e-7 + 1e-5 * fmax(fabs(d.least), fabs(d.most));
		above += x - d.mean;
		squares += (x - d.mean) * (x - d.mean) - d.variance * more;
		variance += d.variance * more;
		spread += fmax(d.fourth - d.variance * d.variance, 0) * more + 4 * d.variance * d.variance / runs;
		unseen += fmax(single_draws(draws, runs, i, x, rounding, &drawn) * more, 1) / (runs + 1);
		news += !drawn;
		width = fmax(width, d.most - d.least);
		still += d.most == d.least;
		outside += !(x >= d.least - rounding && x <= d.most + rounding);
	}
	/* Where all draws are alike, one that is not may be rare. */
	variance += (double)still * width * width / (runs + 2);
	spread += (double)still * pow(width, 4) / (runs + 2);
	chance = 2 * (double)want->count / (runs + 1);
	if (!(fabs(above) <= ERRORS * sqrt(variance) + 1e-5 * (double)want->count))
		return differ(out, "the stored values are %.4g above what %d draws say, more than %.4g", above, runs, ERRORS * sqrt(variance));
	if (!(fabs(squares) <= ERRORS * sqrt(spread) + 1e-5 * (double)want->count))
		return differ(out, "the squares of the stored values are %.4g more than %d draws say, beyond %.4g", squares, runs,
			ERRORS * sqrt(spread));
	if ((double)outside > chance + ERRORS * sqrt(chance))
		return differ(out, "%lld stored values are outside of all %d draws", (long long)outside, runs);
	if ((double)news > unseen + ERRORS * sqrt(unseen))
		return differ(out, "%lld stored values are none of those in %d draws", (long long)news, runs);
	return true;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Walks both in order; after each number, the shares of both that lie up to it differ by the distance. */
bool samples_alike(double *x, int64_t n, double *y, int64_t m)
{
	const double bound = 3.27; /* 2 exp(-2 bound^2) is 1e-9 */
	double most = 0;
	qsort(x, (size_t)n, sizeof *x, by_size);
	qsort(y, (size_t)m, sizeof *y, by_size);
	for (int64_t i = 0, k = 0; i < n && k < m;) {
		double at = fmin(x[i], y[k]);
		while (i < n && !(x[i] > at))
			i++;
		while (k < m && !(y[k] > at))
			k++;
		most = fmax(most, fabs((double)i / (double)n - (double)k / (double)m));
	}
	return most <= bound * sqrt(((double)n + (double)m) / ((double)n * (double)m));
}

double rounding_noise(const Tensor *native, const Tensor *exact)
{
	double worst = 0;
	if (native->kind != TYPE_TENSOR || !dtype_is_float(native->dtype) || native->count != exact->count)
		return 0;
	for (int64_t i = 0; i < native->count; i++) {
		double gap = fabs(tensor_get_f64(native, i) - tensor_get_f64(exact, i));
		if (isfinite(gap) && gap > worst)
			worst = gap;
	}
	return worst;
}

Tensor *tensor_copy_into(EvalCtx *e, const Tensor *t)
{
	if (t->kind != TYPE_TENSOR) {
		Tensor **items = mem_alloc((size_t)(t->nitems + 1) * sizeof(*items));
		for (int64_t i = 0; i < t->nitems; i++)
			items[i] = tensor_copy_into(e, t->items[i]);
		Tensor *s = tensor_sequence(e, t->kind, items, t->nitems);
		for (int64_t i = 0; i < t->nitems; i++)
			tensor_unref(items[i]);
		mem_free(items);
		return s;
	}
	Tensor *c = tensor_new(e, t->dtype, t->rank, t->dims);
	if (!c)
		return NULL;
	if (c->store == t->store) {
		memcpy(c->data, t->data, (size_t)t->count * tensor_elem_size(t));
		return c;
	}
	for (int64_t i = 0; i < t->count; i++)
		tensor_set_f64(c, i, tensor_get_f64(t, i));
	return c;
}

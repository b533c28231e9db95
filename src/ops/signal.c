/* Fourier transforms, window functions, mel filter banks. All in double. */
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- inference ---- */

/* The symbolic value of a scalar integer operand, or NULL. */
static const Sym *scalar_sym(InferCtx *x, const Value *v)
{
	const Elems *e = v ? infer_elems(x, v) : NULL;
	return e && e->n == 1 ? e->v[0] : NULL;
}

static const Sym *half_plus_one(InferCtx *x, const Sym *n)
{
	return sym_add(x->ctx, sym_floordiv(x->ctx, n, sym_int(x->ctx, 2)), sym_int(x->ctx, 1));
}

bool infer_dft(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0), *length = op_operand(op, 1), *axis_value = op_operand(op, 2);
	int rank = value_rank(in), axis = rank - 2;
	const Sym *dims[MAX_RANK];
	int64_t a = -2;
	bool inverse = op_int(op, A_inverse) != 0, onesided = op_int(op, A_onesided) != 0;
	if (rank < 0 || rank > MAX_RANK)
		return infer_tensor(x, op, 0, value_dtype(in), RANK_UNKNOWN, NULL);
	if (rank < 2)
		return infer_error(x, op, "the signal must have rank 2 or more");
	const Sym *given = axis_value ? scalar_sym(x, axis_value) : NULL;
	bool axis_known = !axis_value || (given && sym_const(given, &a));
	if (axis_known && (!axis_norm(a, rank, &axis) || axis == rank - 1))
		return infer_error(x, op, "axis %lld is out of range", (long long)a);
	for (int d = 0; d < rank; d++)
		dims[d] = axis_known ? in->type->dims[d] : infer_unknown(x, op, 0, d);
	dims[rank - 1] = sym_int(x->ctx, inverse && onesided ? 1 : 2);
	if (axis_known) {
		const Sym *n = length ? scalar_sym(x, length) : in->type->dims[axis];
		if (!length && inverse && onesided)
			n = sym_mul(x->ctx, sym_int(x->ctx, 2), sym_sub(x->ctx, n, sym_int(x->ctx, 1)));
		dims[axis] = !n ? infer_unknown(x, op, 0, axis) : onesided && !inverse ? half_plus_one(x, n) : n;
	}
	return infer_tensor(x, op, 0, value_dtype(in), rank, dims);
}

bool infer_stft(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0), *window = op_operand(op, 2), *length = op_operand(op, 3);
	Context *c = x->ctx;
	if (value_rank(in) >= 0 && value_rank(in) != 3)
		return infer_error(x, op, "the signal must have rank 3");
	const Sym *step = scalar_sym(x, op_operand(op, 1)), *n = NULL;
	if (length)
		n = scalar_sym(x, length);
	else if (window)
		n = value_rank(window) == 1 ? window->type->dims[0] : NULL;
	else if (value_rank(in) == 3)
		n = in->type->dims[1];
	const Sym *dims[4] = {
		infer_unknown(x, op, 0, 0), infer_unknown(x, op, 0, 1), infer_unknown(x, op, 0, 2), sym_int(c, 2)};
	if (value_rank(in) == 3)
		dims[0] = in->type->dims[0];
	if (value_rank(in) == 3 && step && n && sym_lower(step) > 0)
		dims[1] = sym_add(c, sym_floordiv(c, sym_sub(c, in->type->dims[1], n), step), sym_int(c, 1));
	if (n)
		dims[2] = op_int(op, A_onesided) != 0 ? half_plus_one(x, n) : n;
	return infer_tensor(x, op, 0, value_dtype(in), 4, dims);
}

bool infer_window(InferCtx *x, Op *op)
{
	const Sym *n = scalar_sym(x, op_operand(op, 0));
	if (!n)
		n = infer_unknown(x, op, 0, 0);
	return infer_tensor(x, op, 0, op_dtype(op, A_to), 1, &n);
}

bool infer_mel_weights(InferCtx *x, Op *op)
{
	const Sym *bands = scalar_sym(x, op_operand(op, 0)), *length = scalar_sym(x, op_operand(op, 1));
	const Sym *dims[2] = {
		length ? half_plus_one(x, length) : infer_unknown(x, op, 0, 0), bands ? bands : infer_unknown(x, op, 0, 1)};
	return infer_tensor(x, op, 0, op_dtype(op, A_to), 2, dims);
}

/* ---- transform of one line ---- */

typedef struct Complex {
	double re, im;
} Complex;

static Complex complex_mul(Complex a, Complex b)
{
	return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Tables for lines of length n. A length that is no power of two goes through a convolution of length m (Bluestein):
 * exp(-2 pi i jk/n) = c[j] c[k] / c[k - j] with the chirp c[j] = exp(-pi i j^2/n). */
typedef struct Fft {
	int64_t n, m;      /* m: power of two; equal to n when that is one */
	Complex *roots;    /* exp(-2 pi i k/m), k < m/2 */
	Complex *chirp;    /* n entries, when m != n */
	Complex *filter;   /* transform of the conjugate chirp, wrapped around; m entries */
	Complex *work;     /* m entries */
} Fft;

/* In place, m a power of two. */
static void fft_power_of_two(const Fft *f, Complex *x)
{
	int64_t m = f->m;
	for (int64_t i = 1, j = 0; i < m; i++) {
		int64_t bit = m >> 1;
		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			Complex t = x[i];
			x[i] = x[j];
			x[j] = t;
		}
	}
	for (int64_t half = 1; half < m; half *= 2)
		for (int64_t start = 0; start < m; start += 2 * half)
			for (int64_t k = 0; k < half; k++) {
				Complex a = x[start + k], b = complex_mul(x[start + k + half], f->roots[k * (m / (2 * half))]);
				x[start + k] = (Complex){a.re + b.re, a.im + b.im};
				x[start + k + half] = (Complex){a.re - b.re, a.im - b.im};
			}
}

/* Inverse without the factor 1/m. */
static void fft_back(const Fft *f, Complex *x)
{
	for (int64_t i = 0; i < f->m; i++)
		x[i].im = -x[i].im;
	fft_power_of_two(f, x);
	for (int64_t i = 0; i < f->m; i++)
		x[i].im = -x[i].im;
}

static bool fft_init(EvalCtx *e, int64_t n, Fft *f, Dense *held)
{
	const int64_t most = INT64_C(1) << 40;
	f->n = n;
	f->m = 1;
	if (n > most)
		return diag_error(e->diags, HONE_LIMIT, NULL, "a Fourier transform of %lld elements", (long long)n);
	while (f->m < n)
		f->m *= 2;
	bool power = f->m == n;
	while (!power && f->m < 2 * n - 1)
		f->m *= 2;
	if (!dense_scratch(e, DT_F64, 2 * (f->m / 2 + 1 + n + 2 * f->m), held))
		return false;
	f->roots = held->data;
	f->chirp = f->roots + f->m / 2 + 1;
	f->filter = f->chirp + n;
	f->work = f->filter + f->m;
	for (int64_t k = 0; k < f->m / 2; k++)
		f->roots[k] = (Complex){cos(2 * PI * (double)k / (double)f->m), -sin(2 * PI * (double)k / (double)f->m)};
	if (power)
		return true;
	/* j^2 modulo 2n keeps the angle small and exact; it grows by 2j + 1. */
	for (int64_t j = 0, square = 0; j < n; square = (square + 2 * j + 1) % (2 * n), j++) {
		double angle = PI * (double)square / (double)n;
		f->chirp[j] = (Complex){cos(angle), -sin(angle)};
		f->filter[j] = (Complex){cos(angle), sin(angle)};
		if (j > 0)
			f->filter[f->m - j] = f->filter[j];
	}
	fft_power_of_two(f, f->filter);
	return true;
}

/* x becomes its transform (n entries). */
static void fft_forward(const Fft *f, Complex *x)
{
	if (f->m == f->n) {
		fft_power_of_two(f, x);
		return;
	}
	memset(f->work, 0, (size_t)f->m * sizeof(Complex));
	for (int64_t i = 0; i < f->n; i++)
		f->work[i] = complex_mul(x[i], f->chirp[i]);
	fft_power_of_two(f, f->work);
	for (int64_t i = 0; i < f->m; i++)
		f->work[i] = complex_mul(f->work[i], f->filter[i]);
	fft_back(f, f->work);
	for (int64_t i = 0; i < f->n; i++) {
		Complex v = complex_mul(f->work[i], f->chirp[i]);
		x[i] = (Complex){v.re / (double)f->m, v.im / (double)f->m};
	}
}

static void fft_run(const Fft *f, Complex *x, bool inverse)
{
	for (int64_t i = 0; inverse && i < f->n; i++)
		x[i].im = -x[i].im;
	fft_forward(f, x);
	for (int64_t i = 0; inverse && i < f->n; i++)
		x[i] = (Complex){x[i].re / (double)f->n, -x[i].im / (double)f->n};
}

/* ---- dft ---- */

static bool scalar_operand(EvalCtx *e, const Op *op, const Tensor *t, const char *what, int64_t *out)
{
	if (t->count != 1 || !dtype_is_integer(t->dtype))
		return eval_error(e, op, "%s must be one integer", what);
	*out = tensor_get_i64(t, 0);
	return true;
}

/* The conjugate half of a spectrum from the other; what is real by symmetry loses its imaginary part. */
static void complete_spectrum(Complex *x, int64_t n)
{
	x[0].im = 0;
	if (n % 2 == 0)
		x[n / 2].im = 0;
	for (int64_t k = n / 2 + 1; k < n; k++)
		x[k] = (Complex){x[n - k].re, -x[n - k].im};
}

bool eval_dft(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0], *length = op->noperands > 1 ? in[1] : NULL, *axis_value = op->noperands > 2 ? in[2] : NULL;
	bool inverse = op_int(op, A_inverse) != 0, onesided = op_int(op, A_onesided) != 0,
		 real_result = inverse && onesided;
	int64_t a = -2, n, dims[MAX_RANK], outer = 1, inner = 1;
	int axis;
	if (!dense_operands(e, op, in, false) || (axis_value && !scalar_operand(e, op, axis_value, "the axis", &a)))
		return false;
	if (x->rank < 2 || !axis_norm(a, x->rank, &axis) || axis == x->rank - 1)
		return eval_error(e, op, "axis %lld is out of range for a signal of rank %d", (long long)a, x->rank);
	int64_t parts = x->dims[x->rank - 1], from = x->dims[axis];
	if (parts != 1 && parts != 2)
		return eval_error(e, op, "the last dimension must be 1 (real) or 2 (complex), not %lld", (long long)parts);
	n = real_result ? 2 * (from - 1) : from;
	if (length && !scalar_operand(e, op, length, "the length", &n))
		return false;
	if (n < 1 && x->count > 0)
		return eval_error(e, op, "a transform of length %lld", (long long)n);
	memcpy(dims, x->dims, sizeof(dims));
	dims[axis] = onesided && !inverse ? n / 2 + 1 : n < 0 ? 0 : n;
	dims[x->rank - 1] = real_result ? 1 : 2;
	int64_t result_parts = dims[x->rank - 1], to = dims[axis];
	for (int d = 0; d < x->rank - 1; d++) {
		if (d < axis)
			outer *= x->dims[d];
		else if (d > axis)
			inner *= x->dims[d];
	}
	out[0] = tensor_new(e, x->dtype, x->rank, dims);
	if (!out[0] || out[0]->count == 0 || n < 1)
		return out[0] != NULL;
	Fft f;
	Dense tables, dx, dy, line;
	if (!fft_init(e, n, &f, &tables) || !dense_load(e, x, DT_F64, &dx) || !dense_result(e, out[0], DT_F64, &dy) ||
		!dense_scratch(e, DT_C128, n, &line))
		return false;
	Complex *row = line.data;
	const double *src = dx.data;
	double *dst = dy.data;
	for (int64_t i = 0; i < outer * inner; i++) {
		int64_t o = i / inner, k = i % inner, used = from < n ? from : n;
		if (real_result && used > n / 2 + 1)
			used = n / 2 + 1;
		memset(row, 0, (size_t)n * sizeof(*row));
		for (int64_t t = 0; t < used; t++) {
			const double *p = src + ((o * from + t) * inner + k) * parts;
			row[t] = (Complex){p[0], parts == 2 ? p[1] : 0};
		}
		if (real_result)
			complete_spectrum(row, n);
		fft_run(&f, row, inverse);
		for (int64_t t = 0; t < to; t++) {
			double *p = dst + ((o * to + t) * inner + k) * result_parts;
			p[0] = row[t].re;
			if (result_parts == 2)
				p[1] = row[t].im;
		}
	}
	dense_release(&tables);
	dense_release(&dx);
	dense_release(&line);
	dense_store(out[0], DT_F64, &dy);
	return true;
}

/* ---- stft ---- */

bool eval_stft(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0], *window = op->noperands > 2 ? in[2] : NULL, *length = op->noperands > 3 ? in[3] : NULL;
	bool onesided = op_int(op, A_onesided) != 0;
	int64_t step = 0, n;
	if (!dense_operands(e, op, in, false) || !scalar_operand(e, op, in[1], "the step", &step))
		return false;
	if (x->rank != 3 || (x->dims[2] != 1 && x->dims[2] != 2) || (window && window->rank != 1))
		return eval_error(e, op, "the signal must have shape batch x length x 1 or 2, the window rank 1");
	n = window ? window->dims[0] : x->dims[1];
	if (length && !scalar_operand(e, op, length, "the frame length", &n))
		return false;
	int64_t parts = x->dims[2], size = x->dims[1];
	if (n < 1 || step < 1 || n > size || (window && window->dims[0] != n) || (onesided && parts == 2))
		return eval_error(e, op, "frames of %lld every %lld do not fit a signal of %lld, or window and frame differ",
			(long long)n, (long long)step, (long long)size);
	int64_t frames = (size - n) / step + 1, bins = onesided ? n / 2 + 1 : n;
	out[0] = tensor_new(e, x->dtype, 4, (int64_t[]){x->dims[0], frames, bins, 2});
	Fft f;
	Dense tables, dx, dw, dy, line;
	if (!out[0] || !fft_init(e, n, &f, &tables) || !dense_load(e, x, DT_F64, &dx) ||
		!dense_load(e, window, DT_F64, &dw) || !dense_result(e, out[0], DT_F64, &dy) ||
		!dense_scratch(e, DT_C128, n, &line))
		return false;
	Complex *row = line.data;
	const double *w = dw.data;
	for (int64_t i = 0; i < x->dims[0] * frames; i++) {
		const double *src = (const double *)dx.data + (i / frames * size + i % frames * step) * parts;
		double *dst = (double *)dy.data + i * bins * 2;
		for (int64_t t = 0; t < n; t++) {
			double s = w ? w[t] : 1;
			row[t] = (Complex){src[t * parts] * s, parts == 2 ? src[t * parts + 1] * s : 0};
		}
		fft_run(&f, row, false);
		for (int64_t t = 0; t < bins; t++)
			dst[2 * t] = row[t].re, dst[2 * t + 1] = row[t].im;
	}
	dense_release(&tables);
	dense_release(&dx);
	dense_release(&dw);
	dense_release(&line);
	dense_store(out[0], DT_F64, &dy);
	return true;
}

/* ---- windows ---- */

/* a0 - a1 cos(2 pi i/n) + a2 cos(4 pi i/n), n = size (periodic) or size - 1. */
bool eval_window(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	static const struct {
		const char *kind;
		double a0, a1, a2;
	} kinds[] = {{"hann", 0.5, 0.5, 0}, {"hamming", 25.0 / 46, 21.0 / 46, 0}, {"blackman", 0.42, 0.5, 0.08}};
	int64_t size = 0;
	size_t k = 0;
	if (!dense_operands(e, op, in, false) || !scalar_operand(e, op, in[0], "the size", &size))
		return false;
	while (k < ARRAY_LEN(kinds) && strcmp(kinds[k].kind, op_text(op, A_kind)) != 0)
		k++;
	if (k == ARRAY_LEN(kinds))
		return eval_unsupported(e, op, "a window of unknown kind");
	if (size < 0)
		return eval_error(e, op, "a window of %lld elements", (long long)size);
	out[0] = tensor_new(e, op_dtype(op, A_to), 1, &size);
	if (!out[0])
		return false;
	double n = (double)(op_int(op, A_periodic) != 0 ? size : size - 1);
	for (int64_t i = 0; i < size; i++) {
		double angle = n > 0 ? 2 * PI * (double)i / n : PI; /* a single point is the peak */
		double v = kinds[k].a0 - kinds[k].a1 * cos(angle) + kinds[k].a2 * cos(2 * angle);
		if (dtype_is_float(out[0]->dtype))
			tensor_set_f64(out[0], i, v);
		else
			tensor_set_i64(out[0], i, (int64_t)v);
	}
	return true;
}

/* ---- mel ---- */

/* Bin of the spectrum where band edge number i of count lies. */
static double mel_bin(int64_t i, int64_t count, double low, double high, int64_t length, int64_t rate)
{
	double mel = low + (double)i * (high - low) / (double)count, hertz = 700 * expm1(mel / 2595 * log(10));
	return floor((double)(length + 1) * hertz / (double)rate);
}

/* Triangles between neighbouring band edges, peak 1. */
bool eval_mel_weights(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t bands = 0, length = 0, rate = 0;
	if (!dense_operands(e, op, in, false) || !scalar_operand(e, op, in[0], "the number of bands", &bands) ||
		!scalar_operand(e, op, in[1], "the transform length", &length) ||
		!scalar_operand(e, op, in[2], "the sample rate", &rate))
		return false;
	if (bands < 0 || length < 1 || rate < 1 || in[3]->count != 1 || in[4]->count != 1)
		return eval_error(e, op, "bands, lengths and rates must be positive, the edges scalars");
	int64_t bins = length / 2 + 1;
	double low = 2595 * log1p(tensor_get_f64(in[3], 0) / 700) / log(10),
		   high = 2595 * log1p(tensor_get_f64(in[4], 0) / 700) / log(10);
	Tensor *y = out[0] = tensor_new(e, op_dtype(op, A_to), 2, (int64_t[]){bins, bands});
	Dense d;
	if (!y || !dense_scratch(e, DT_F64, y->count, &d))
		return false;
	double *weights = d.data;
	for (int64_t i = 0; i < bands; i++) {
		double left = mel_bin(i, bands + 2, low, high, length, rate),
			   centre = mel_bin(i + 1, bands + 2, low, high, length, rate);
		double right = mel_bin(i + 2, bands + 2, low, high, length, rate);
		for (int64_t j = 0; j < bins; j++) {
			double at = (double)j, w = 0;
			if (at >= left && at <= centre)
				w = centre > left ? (at - left) / (centre - left) : 1;
			if (at >= centre && at < right)
				w = (right - at) / (right - centre);
			weights[j * bands + i] = w;
		}
	}
	for (int64_t i = 0; i < y->count; i++) {
		if (dtype_is_float(y->dtype))
			tensor_set_f64(y, i, weights[i]);
		else
			tensor_set_i64(y, i, (int64_t)weights[i]);
	}
	dense_release(&d);
	return true;
}

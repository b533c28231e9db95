/* Plain loops for what core does not have: products and convolutions of any element type, transforms, triangular solves,
 * Cholesky, batch norm as upstream has it, random bits. */
#include "stablehlo_int.h"

#include <math.h>

/* ---- accumulating in the widest type of a class ---- */

static double round_step(const ShloSum *s, double x)
{
	return s->single ? (double)(float)x : x;
}

static bool by_integers(DType d)
{
	return dtype_is_integer(d) || d == DT_BOOL;
}

void shlo_sum_product(ShloSum *s, const Tensor *a, int64_t i, const Tensor *b, int64_t k)
{
	if (by_integers(a->dtype) && by_integers(b->dtype)) {
		s->i = (int64_t)((uint64_t)s->i + (uint64_t)tensor_get_i64(a, i) * (uint64_t)tensor_get_i64(b, k));
		return;
	}
	double x[2], y[2];
	shlo_load_complex(a, i, x);
	shlo_load_complex(b, k, y);
	double re = round_step(s, round_step(s, x[0] * y[0]) - round_step(s, x[1] * y[1]));
	double im = round_step(s, round_step(s, x[0] * y[1]) + round_step(s, x[1] * y[0]));
	s->v[0] = round_step(s, s->v[0] + re);
	s->v[1] = round_step(s, s->v[1] + im);
}

void shlo_sum_store(const ShloSum *s, const Tensor *a, const Tensor *b, Tensor *y, int64_t at)
{
	bool integer = by_integers(a->dtype) && by_integers(b->dtype);
	if (by_integers(y->dtype))
		tensor_set_i64(y, at, integer ? s->i : (int64_t)s->v[0]);
	else
		shlo_store_complex(y, at, integer ? (double[2]){ (double)s->i, 0 } : s->v);
}

/* ---- dot_general ---- */

typedef struct Side { /* one operand: its batch, contracted and free dimensions */
	const int64_t *batch, *contract;
	size_t nbatch, ncontract;
	int64_t free[MAX_RANK];
	int nfree;
} Side;

static bool side_init(Side *s, const Tensor *t)
{
	bool used[MAX_RANK] = { false };
	for (size_t i = 0; i < s->nbatch + s->ncontract; i++) {
		int64_t d = i < s->nbatch ? s->batch[i] : s->contract[i - s->nbatch];
		if (d < 0 || d >= t->rank || used[d])
			return false;
		used[d] = true;
	}
	s->nfree = 0;
	for (int d = 0; d < t->rank; d++)
		if (!used[d])
			s->free[s->nfree++] = d;
	return true;
}

static bool dot_sides(const Op *op, Tensor *const *in, Side *a, Side *b)
{
	static const int64_t first = 0;
	static const int64_t numbers[MAX_RANK] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
		20, 21, 22,
		23, 24, 25, 26, 27, 28, 29, 30, 31 };
	const AttrName n = A_dot_dimension_numbers;
	*a = *b = (Side){ 0 };
	if (op_is(op, SHLO_dot)) {
		a->ncontract = b->ncontract = 1;
		a->contract = &numbers[in[0]->rank > 0 ? in[0]->rank - 1 : 0];
		b->contract = &first;
	} else {
		a->nbatch = shlo_field_ints(op, n, "lhs_batching_dimensions", &a->batch);
		b->nbatch = shlo_field_ints(op, n, "rhs_batching_dimensions", &b->batch);
		a->ncontract = shlo_field_ints(op, n, "lhs_contracting_dimensions", &a->contract);
		b->ncontract = shlo_field_ints(op, n, "rhs_contracting_dimensions", &b->contract);
	}
	return a->nbatch == b->nbatch && a->ncontract == b->ncontract && side_init(a, in[0]) && side_init(b, in[1]);
}

bool eval_shlo_dot(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *w = in[1];
	Side a, b;
	int64_t dims[2 * MAX_RANK], size[MAX_RANK], o[2 * MAX_RANK] = { 0 }, ia[MAX_RANK], ib[MAX_RANK];
	int rank = 0;
	if (!dot_sides(op, in, &a, &b))
		return eval_error(e, op, "malformed dot_dimension_numbers");
	for (size_t i = 0; i < a.nbatch; i++)
		dims[rank++] = x->dims[a.batch[i]];
	for (int i = 0; i < a.nfree; i++)
		dims[rank++] = x->dims[a.free[i]];
	for (int i = 0; i < b.nfree; i++)
		dims[rank++] = w->dims[b.free[i]];
	bool ok = rank <= MAX_RANK;
	int64_t inner = 1;
	for (size_t i = 0; i < a.nbatch; i++)
		ok = ok && x->dims[a.batch[i]] == w->dims[b.batch[i]];
	for (size_t i = 0; i < a.ncontract; i++) {
		size[i] = x->dims[a.contract[i]];
		inner *= size[i];
		ok = ok && size[i] == w->dims[b.contract[i]];
	}
	if (!ok)
		return eval_error(e, op, "operands whose shapes do not go together");
	Tensor *y = out[0] = tensor_new(e, shlo_result_dtype(op, 0, x->dtype), rank, dims);
	if (!y)
		return false;
	for (int64_t at = 0; at < y->count; at++) {
		ShloSum s = { .single = y->store == DT_C64 };
		int64_t k[MAX_RANK] = { 0 };
		int q = 0;
		for (size_t i = 0; i < a.nbatch; i++)
			ia[a.batch[i]] = ib[b.batch[i]] = o[q++];
		for (int i = 0; i < a.nfree; i++)
			ia[a.free[i]] = o[q++];
		for (int i = 0; i < b.nfree; i++)
			ib[b.free[i]] = o[q++];
		for (int64_t n = 0; n < inner; n++) {
			for (size_t i = 0; i < a.ncontract; i++)
				ia[a.contract[i]] = ib[b.contract[i]] = k[i];
			shlo_sum_product(&s, x, shlo_flat(x->rank, x->dims, ia), w, shlo_flat(w->rank, w->dims, ib));
			shlo_next((int)a.ncontract, size, k);
		}
		shlo_sum_store(&s, x, w, y, at);
		shlo_next(rank, dims, o);
	}
	return true;
}

/* ---- convolution ---- */

typedef struct Conv {
	ShloWindow w;              /* spatial dimensions only */
	int64_t reverse[MAX_RANK];
	int64_t ib, ifd, ki, ko, ob, of, groups, batch_groups;
	const int64_t *is, *ks, *os;
} Conv;

/* Whether these dims are all of a rank, each once. */
static bool names_each_dim(int rank, int64_t a, int64_t b, const int64_t *spatial, size_t n)
{
	uint64_t seen = 0;
	for (size_t i = 0; i < n + 2; i++) {
		int64_t d = i == 0 ? a : i == 1 ? b : spatial[i - 2];
		if (d < 0 || d >= rank || seen >> d & 1)
			return false;
		seen |= (uint64_t)1 << d;
	}
	return true;
}

static bool conv_numbers(const Op *op, int rank, Conv *c)
{
	const AttrName n = A_dimension_numbers;
	size_t k = shlo_field_ints(op, n, "input_spatial_dimensions", &c->is);
	bool ok = k + 2 == (size_t)rank && shlo_field_ints(op, n, "kernel_spatial_dimensions", &c->ks) == k &&
		shlo_field_ints(op, n, "output_spatial_dimensions", &c->os) == k;
	c->ib = shlo_field_int(op, n, "input_batch_dimension");
	c->ifd = shlo_field_int(op, n, "input_feature_dimension");
	c->ki = shlo_field_int(op, n, "kernel_input_feature_dimension");
	c->ko = shlo_field_int(op, n, "kernel_output_feature_dimension");
	c->ob = shlo_field_int(op, n, "output_batch_dimension");
	c->of = shlo_field_int(op, n, "output_feature_dimension");
	ok = ok && names_each_dim(rank, c->ib, c->ifd, c->is, k) && names_each_dim(rank, c->ki, c->ko, c->ks, k) &&
		names_each_dim(rank, c->ob, c->of, c->os, k);
	c->groups = op_attr_int(op, A_feature_group_count, 1);
	c->batch_groups = op_attr_int(op, A_batch_group_count, 1);
	return ok && c->groups > 0 && c->batch_groups > 0;
}

static bool conv_window(EvalCtx *e, const Op *op, Tensor *const *in, Conv *c)
{
	ShloWindow *w = &c->w;
	int n = w->rank = in[0]->rank - 2;
	int64_t pad[2 * MAX_RANK];
	bool dynamic = op_is(op, SHLO_dynamic_conv);
	const int64_t limit = (int64_t)1 << 31;
	if (!shlo_ints(e, op, A_window_strides, n, 1, w->stride) || !shlo_ints(e, op, A_lhs_dilation, n, 1,
		w->base_dilation) ||
		!shlo_ints(e, op, A_rhs_dilation, n, 1, w->dilation) || !shlo_ints(e, op, A_window_reversal, n, 0, c->reverse))
		return false;
	if (dynamic ? in[2]->count != 2 * n || 2 * n > MAX_RANK : !shlo_ints(e, op, A_padding, 2 * n, 0, pad))
		return eval_error(e, op, "malformed padding");
	for (int i = 0; dynamic && i < 2 * n; i++)
		pad[i] = tensor_get_i64(in[2], i);
	for (int i = 0; i < n; i++) {
		w->in[i] = in[0]->dims[c->is[i]];
		w->size[i] = in[1]->dims[c->ks[i]];
		w->low[i] = pad[2 * i];
		w->high[i] = pad[2 * i + 1];
		if (w->stride[i] < 1 || w->base_dilation[i] < 1 || w->dilation[i] < 1 || w->stride[i] > limit ||
			w->base_dilation[i] > limit || w->dilation[i] > limit || w->low[i] > limit || w->low[i] < -limit ||
			w->high[i] > limit || w->high[i] < -limit || w->in[i] > limit || w->size[i] > limit)
			return eval_error(e, op, "malformed window");
		int64_t total = (w->in[i] ? (w->in[i] - 1) * w->base_dilation[i] + 1 : 0) + w->low[i] + w->high[i];
		int64_t k = w->size[i] ? (w->size[i] - 1) * w->dilation[i] + 1 : 0;
		w->out[i] = total < k ? 0 : (total - k) / w->stride[i] + 1;
	}
	return true;
}

/* One output element: batch b, feature f, place p. */
static ShloSum conv_element(const Conv *c, const Tensor *x, const Tensor *w, int64_t b, int64_t f, const int64_t *p)
{
	ShloSum s = { 0 };
	int64_t ix[MAX_RANK], iw[MAX_RANK], k[MAX_RANK] = { 0 }, depth = w->dims[c->ki], features = w->dims[c->ko];
	int64_t group = f / (features / c->groups), batch = x->dims[c->ib] / c->batch_groups;
	int64_t from = c->batch_groups > 1 ? f / (features / c->batch_groups) * batch : 0, window = 1;
	for (int d = 0; d < c->w.rank; d++)
		window *= c->w.size[d];
	for (int64_t n = 0; n < window; n++, shlo_next(c->w.rank, c->w.size, k)) {
		bool inside = true;
		for (int d = 0; d < c->w.rank && inside; d++) {
			int64_t i = p[d] * c->w.stride[d] + k[d] * c->w.dilation[d] - c->w.low[d];
			inside = i >= 0 && i % c->w.base_dilation[d] == 0 && i / c->w.base_dilation[d] < c->w.in[d];
			ix[c->is[d]] = inside ? i / c->w.base_dilation[d] : 0;
			iw[c->ks[d]] = c->reverse[d] ? c->w.size[d] - 1 - k[d] : k[d];
		}
		for (int64_t q = 0; inside && q < depth; q++) {
			ix[c->ib] = b + from;
			ix[c->ifd] = group * depth + q;
			iw[c->ki] = q;
			iw[c->ko] = f;
			shlo_sum_product(&s, x, shlo_flat(x->rank, x->dims, ix), w, shlo_flat(w->rank, w->dims, iw));
		}
	}
	return s;
}

bool eval_shlo_convolution(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Conv c = { 0 };
	const Tensor *x = in[0], *w = in[1];
	int64_t dims[MAX_RANK], o[MAX_RANK] = { 0 }, p[MAX_RANK];
	if (x->rank < 2 || w->rank != x->rank || !conv_numbers(op, x->rank, &c))
		return eval_error(e, op, "malformed dimension_numbers");
	if (!conv_window(e, op, in, &c))
		return false;
	int64_t features;
	if (!mul_ok(w->dims[c.ki], c.groups, &features) || x->dims[c.ifd] != features || w->dims[c.ko] % c.groups || w->dims[c.ko] % c.batch_groups ||
		x->dims[c.ib] % c.batch_groups)
		return eval_error(e, op, "groups that the operands' sizes do not allow");
	dims[c.ob] = x->dims[c.ib] / c.batch_groups;
	dims[c.of] = w->dims[c.ko];
	for (int d = 0; d < c.w.rank; d++)
		dims[c.os[d]] = c.w.out[d];
	Tensor *y = out[0] = tensor_new(e, shlo_result_dtype(op, 0, x->dtype), x->rank, dims);
	if (!y)
		return false;
	for (int64_t at = 0; at < y->count; at++) {
		for (int d = 0; d < c.w.rank; d++)
			p[d] = o[c.os[d]];
		ShloSum s = conv_element(&c, x, w, o[c.ob], o[c.of], p);
		shlo_sum_store(&s, x, w, y, at);
		shlo_next(y->rank, dims, o);
	}
	return true;
}

/* ---- fft ---- */

/* Discrete Fourier transform of n numbers `step` apart, by definition: angles are reduced modulo n first. */
static void transform(double (*v)[2], double (*tmp)[2], int64_t n, int64_t step, bool inverse)
{
	for (int64_t k = 0; k < n; k++) {
		double re = 0, im = 0;
		for (int64_t j = 0; j < n; j++) {
			double angle = (inverse ? 2 : -2) * M_PI * (double)(j * k % n) / (double)n, c = cos(angle), s = sin(angle);
			re += v[j * step][0] * c - v[j * step][1] * s;
			im += v[j * step][0] * s + v[j * step][1] * c;
		}
		tmp[k][0] = inverse ? re / (double)n : re;
		tmp[k][1] = inverse ? im / (double)n : im;
	}
	for (int64_t k = 0; k < n; k++)
		memcpy(v[k * step], tmp[k], sizeof *v);
}

static void transform_axis(double (*v)[2], double (*tmp)[2], int rank, const int64_t *dims, int axis, bool inverse)
{
	int64_t inner = 1, outer = 1;
	for (int d = 0; d < axis; d++)
		outer *= dims[d];
	for (int d = axis + 1; d < rank; d++)
		inner *= dims[d];
	for (int64_t o = 0; o < outer; o++)
		for (int64_t i = 0; i < inner; i++)
			transform(v + o * dims[axis] * inner + i, tmp, dims[axis], inner, inverse);
}

/* Work array of the full complex shape; for IRFFT the missing half is the conjugate, mirrored in all axes from `first` on. */
static void fft_load(const Tensor *x, int rank, int first, const int64_t *full, bool mirror, double (*v)[2])
{
	int64_t at[MAX_RANK] = { 0 }, from[MAX_RANK], n;
	(void)dims_count(full, rank, &n);
	int64_t half = rank ? x->dims[rank - 1] : 1;
	for (int64_t i = 0; i < n; i++, shlo_next(rank, full, at)) {
		bool other = mirror && at[rank - 1] >= half;
		memcpy(from, at, sizeof from);
		for (int d = first; other && d < rank; d++)
			from[d] = at[d] ? full[d] - at[d] : 0;
		shlo_load_complex(x, shlo_flat(rank, x->dims, from), v[i]);
		if (other)
			v[i][1] = -v[i][1];
		else if (mirror && (at[rank - 1] == 0 || 2 * at[rank - 1] == full[rank - 1]))
			v[i][1] = rank == 1 ? 0 : v[i][1];
	}
}

bool eval_shlo_fft(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	const Str *type = op_attr_str(op, A_fft_type);
	const int64_t *length;
	size_t n = op_attr_ints(op, A_fft_length, &length);
	int64_t full[MAX_RANK], count, work_dims[2];
	int rank = x->rank;
	bool inverse = type && (!strcmp(type->s, "IFFT") || !strcmp(type->s, "IRFFT")), mirror = type && !strcmp(type->s,
		"IRFFT");
	if (!type || n < 1 || n > (size_t)rank)
		return eval_error(e, op, "malformed fft_type or fft_length");
	memcpy(full, x->dims, (size_t)rank * sizeof *full);
	if (mirror)
		full[rank - 1] = length[n - 1];
	Tensor *y = out[0] = shlo_new_result(e, op, 0);
	bool fits = y && y->rank == rank && (!mirror || (length[n - 1] >= 1 && x->dims[rank - 1] == length[n - 1] / 2 + 1));
	for (int d = 0; fits && d < rank; d++)
		fits = y->dims[d] <= full[d];
	if (!y || !fits)
		return y ? eval_error(e, op, "fft_length is not the operand's size") : false;
	if (!dims_count(full, rank, &count) || count == 0)
		return true;
	int64_t longest = 1;
	for (int d = 0; d < rank; d++)
		longest = full[d] > longest ? full[d] : longest;
	work_dims[0] = count + longest;
	work_dims[1] = 2;
	Tensor *work = tensor_new(e, DT_F64, 2, work_dims);
	if (!work)
		return false;
	double (*v)[2] = work->data, (*tmp)[2] = v + count;
	fft_load(x, rank, rank - (int)n, full, mirror, v);
	for (size_t i = 0; i < n; i++)
		transform_axis(v, tmp, rank, full, rank - (int)n + (int)i, inverse);
	int64_t o[MAX_RANK] = { 0 };
	for (int64_t i = 0; i < y->count; i++, shlo_next(rank, y->dims, o))
		shlo_store_complex(y, i, v[shlo_flat(rank, full, o)]);
	tensor_unref(work);
	return true;
}

/* ---- triangular solve and Cholesky: complex arithmetic serves real numbers too ---- */

static void times(const double a[2], const double b[2], double y[2])
{
	double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
	y[0] = re;
	y[1] = im;
}

static void over(const double a[2], const double b[2], double y[2])
{
	double norm = b[0] * b[0] + b[1] * b[1];
	if (b[1] == 0 && a[1] == 0) {
		y[0] = a[0] / b[0];
		y[1] = 0;
		return;
	}
	double re = (a[0] * b[0] + a[1] * b[1]) / norm, im = (a[1] * b[0] - a[0] * b[1]) / norm;
	y[0] = re;
	y[1] = im;
}

typedef struct Solve {
	const Tensor *a;
	int64_t n, base;      /* of the matrix */
	bool transpose, conjugate, unit, upper; /* upper: of op(a) */
} Solve;

static void matrix_at(const Solve *s, int64_t i, int64_t k, double v[2])
{
	int64_t r = s->transpose ? k : i, c = s->transpose ? i : k;
	shlo_load_complex(s->a, s->base + r * s->n + c, v);
	if (s->conjugate)
		v[1] = -v[1];
}

/* Solves op(a) x = b for one right-hand side of n numbers `step` apart, in place in y. */
static void solve_line(const Solve *s, Tensor *y, int64_t at, int64_t step)
{
	for (int64_t q = 0; q < s->n; q++) {
		int64_t i = s->upper ? s->n - 1 - q : q;
		double sum[2], m[2], x[2], p[2];
		shlo_load_complex(y, at + i * step, sum);
		for (int64_t r = 0; r < q; r++) {
			int64_t k = s->upper ? s->n - 1 - r : r;
			matrix_at(s, i, k, m);
			shlo_load_complex(y, at + k * step, x);
			times(m, x, p);
			sum[0] -= p[0];
			sum[1] -= p[1];
		}
		if (!s->unit) {
			matrix_at(s, i, i, m);
			over(sum, m, sum);
		}
		shlo_store_complex(y, at + i * step, sum);
	}
}

bool eval_shlo_triangular_solve(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *a = in[0], *b = in[1];
	const Str *t = op_attr_str(op, A_transpose_a);
	bool left = op_attr_int(op, A_left_side, 0) != 0, lower = op_attr_int(op, A_lower, 0) != 0;
	int r = a->rank;
	bool turned = t && strcmp(t->s, "NO_TRANSPOSE") != 0;
	if (r < 2 || b->rank != r || a->dims[r - 1] != a->dims[r - 2] || a->dtype != b->dtype ||
		memcmp(a->dims, b->dims, (size_t)(r - 2) * sizeof *a->dims) || b->dims[left ? r - 2 : r - 1] != a->dims[r - 1])
		return eval_error(e, op, "operands whose shapes do not go together");
	Tensor *y = out[0] = tensor_like(e, b);
	if (!y)
		return false;
	memcpy(y->data, b->data, (size_t)b->count * tensor_elem_size(b));
	/* x op(a) = b is op(a)^T x^T = b^T */
	Solve s = { .a = a, .n = a->dims[r - 1], .transpose = turned != !left, .conjugate = t && !strcmp(t->s, "ADJOINT"),
		.unit = op_attr_int(op, A_unit_diagonal, 0) != 0 };
	s.upper = lower == s.transpose;
	int64_t rows = b->dims[r - 2], cols = b->dims[r - 1], per = rows * cols, lines = left ? cols : rows;
	for (int64_t m = 0; per > 0 && m < b->count / per; m++) {
		s.base = m * s.n * s.n;
		for (int64_t k = 0; k < lines; k++)
			solve_line(&s, y, m * per + (left ? k : k * cols), left ? cols : 1);
	}
	return true;
}

/* Row by row: l[i][k] = (a[i][k] - sum l[i][q] conj(l[k][q])) / l[k][k]. The other triangle is zero. */
static void cholesky_one(const Tensor *a, Tensor *y, int64_t base, int64_t n, bool lower)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k <= i; k++) {
			double sum[2], p[2], u[2], v[2];
			shlo_load_complex(a, base + (lower ? i * n + k : k * n + i), sum);
			if (!lower)
				sum[1] = -sum[1];
			for (int64_t q = 0; q < k; q++) {
				shlo_load_complex(y, base + i * n + q, u);
				shlo_load_complex(y, base + k * n + q, v);
				v[1] = -v[1];
				times(u, v, p);
				sum[0] -= p[0];
				sum[1] -= p[1];
			}
			if (i == k) {
				sum[0] = sqrt(sum[0]);
				sum[1] = 0;
			} else {
				shlo_load_complex(y, base + k * n + k, v);
				over(sum, v, sum);
			}
			shlo_store_complex(y, base + i * n + k, sum);
		}
	for (int64_t i = 0; !lower && i < n; i++) /* the adjoint of the lower one */
		for (int64_t k = 0; k < i; k++) {
			double v[2], zero[2] = { 0, 0 };
			shlo_load_complex(y, base + i * n + k, v);
			v[1] = -v[1];
			shlo_store_complex(y, base + k * n + i, v);
			shlo_store_complex(y, base + i * n + k, zero);
		}
}

bool eval_shlo_cholesky(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *a = in[0];
	int r = a->rank;
	if (r < 2 || a->dims[r - 1] != a->dims[r - 2])
		return eval_error(e, op, "the operand is not of square matrices");
	if (!(out[0] = tensor_like(e, a)))
		return false;
	int64_t n = a->dims[r - 1];
	for (int64_t m = 0; n > 0 && m < a->count / (n * n); m++)
		cholesky_one(a, out[0], m * n * n, n, op_attr_int(op, A_lower, 0) != 0);
	return true;
}

/* ---- batch norm ---- */

typedef struct Features { /* how elements belong to features */
	int64_t n, inner, count; /* features, elements behind them, elements of each */
} Features;

static bool features_of(EvalCtx *e, const Op *op, const Tensor *x, Tensor *const *per, size_t n, Features *f)
{
	int axis;
	if (!axis_norm(op_attr_int(op, A_feature_index, -1), x->rank, &axis) || !dtype_is_float(x->dtype))
		return eval_error(e, op, "feature_index is out of range");
	f->n = x->dims[axis];
	f->inner = 1;
	for (int d = axis + 1; d < x->rank; d++)
		f->inner *= x->dims[d];
	f->count = f->n ? x->count / f->n : 0;
	for (size_t i = 0; i < n; i++)
		if (per[i]->count != f->n || !dtype_is_float(per[i]->dtype))
			return eval_error(e, op, "operand %zu does not have one element per feature", i + 1);
	return true;
}

static int64_t feature_of(const Features *f, int64_t i)
{
	return i / f->inner % f->n;
}

/* Mean and variance of each feature, over the batch; both divided by the count. */
static void statistics(const Tensor *x, const Features *f, double *mean, double *var)
{
	for (int64_t i = 0; i < x->count; i++)
		mean[feature_of(f, i)] += tensor_get_f64(x, i) / (double)f->count;
	for (int64_t i = 0; i < x->count; i++) {
		double d = tensor_get_f64(x, i) - mean[feature_of(f, i)];
		var[feature_of(f, i)] += d * d / (double)f->count;
	}
}

/* batch_norm_inference: operand, scale, offset, mean, variance; batch_norm_training gives the last two as results. */
bool eval_shlo_batch_norm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	bool training = op_is(op, SHLO_batch_norm_training);
	Features f = { 0, 1, 0 };
	double eps = op_attr_float(op, A_epsilon, 0);
	if (!features_of(e, op, x, in + 1, training ? 2 : 4, &f))
		return false;
	int64_t two = 2 * f.n;
	Tensor *work = tensor_new(e, DT_F64, 1, &two);
	Tensor *y = out[0] = work ? tensor_like(e, x) : NULL;
	if (!y)
		return false;
	double *mean = work->data, *var = mean + f.n;
	if (training)
		statistics(x, &f, mean, var);
	for (int64_t k = 0; !training && k < f.n; k++) {
		mean[k] = tensor_get_f64(in[3], k);
		var[k] = tensor_get_f64(in[4], k);
	}
	for (int64_t i = 0; i < x->count; i++) {
		int64_t k = feature_of(&f, i);
		double z = (tensor_get_f64(x, i) - mean[k]) / sqrt(var[k] + eps);
		tensor_set_f64(y, i, z * tensor_get_f64(in[1], k) + tensor_get_f64(in[2], k));
	}
	for (int r = 1; training && r < 3; r++) {
		if (!(out[r] = tensor_new(e, x->dtype, 1, &f.n)))
			return false;
		tensor_store_f64(out[r], 0, f.n, r == 1 ? mean : var);
	}
	tensor_unref(work);
	return true;
}

/* Gradients of batch_norm_training with respect to operand, scale and offset. */
bool eval_shlo_batch_norm_grad(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *g = in[4];
	Features f = { 0, 1, 0 };
	double eps = op_attr_float(op, A_epsilon, 0);
	if (!features_of(e, op, x, in + 1, 3, &f))
		return false;
	if (!tensor_same_shape(x, g))
		return eval_error(e, op, "the gradient's shape is not the operand's");
	int64_t two = 2 * f.n;
	Tensor *work = tensor_new(e, DT_F64, 1, &two);
	if (!work || !(out[0] = tensor_like(e, x)) || !(out[1] = tensor_like(e, in[1])) || !(out[2] = tensor_like(e,
		in[1])))
		return false;
	double *sum = work->data, *product = sum + f.n; /* of the gradient, and with the normalised operand */
	for (int64_t i = 0; i < x->count; i++) {
		int64_t k = feature_of(&f, i);
		double z = (tensor_get_f64(x, i) - tensor_get_f64(in[2], k)) / sqrt(tensor_get_f64(in[3], k) + eps);
		sum[k] += tensor_get_f64(g, i);
		product[k] += tensor_get_f64(g, i) * z;
	}
	for (int64_t i = 0; i < x->count; i++) {
		int64_t k = feature_of(&f, i);
		double inv = 1 / sqrt(tensor_get_f64(in[3], k) + eps), z = (tensor_get_f64(x, i) - tensor_get_f64(in[2],
			k)) * inv;
		double n = (double)f.count;
		tensor_set_f64(out[0], i, tensor_get_f64(in[1], k) * inv * (tensor_get_f64(g,
			i) - sum[k] / n - z * product[k] / n));
	}
	tensor_store_f64(out[1], 0, f.n, product);
	tensor_store_f64(out[2], 0, f.n, sum);
	tensor_unref(work);
	return true;
}

/* Operators of com.microsoft on packed weights (MatMulBnb4, GatherBlockQuantized), and a few on numbers: inverses of matrices,
 * real inverse transforms, recurrences with quantised weights. */
#include "eval_int.h"
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

static const Tensor *operand(const Op *op, Tensor *const *in, size_t i)
{
	return i < op->noperands ? in[i] : NULL;
}

/* ---- MatMulBnb4 ---- */

/* The 16 numbers of a 4-bit float, and those at equal shares of a normal distribution. */
static const double FP4[16] = { 0, 0.005208333333, 0.6666666667, 1, 0.3333333333, 0.5, 0.1666666667, 0.25, 0, -0.005208333333,
	-0.6666666667, -1, -0.3333333333, -0.5, -0.1666666667, -0.25 };
static const double NF4[16] = { -1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
	-0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634,
	0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1 };

/* Weights are [N, K] (transB) or [K, N], flat, the first of two in the high bits, with a scale for each block. */
bool eval_matmul_bnb4(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t k = op_attr_int(op, A_K, 0), n = op_attr_int(op, A_N, 0), block = op_attr_int(op, A_block_size, 0), count, dims[MAX_RANK];
	int64_t type = op_attr_int(op, A_quant_type, 0);
	bool turned = op_attr_int(op, A_transB, 1) != 0;
	Dense a = {0}, scales = {0}, w = {0};
	if (!dense_operands(e, op, in, false))
		return false;
	const Tensor *x = in[0], *p = in[1];
	if (k < 1 || n < 1 || block < 1 || k > INT32_MAX || n > INT32_MAX || !mul_ok(k, n, &count) || (type != 0 && type != 1))
		return eval_error(e, op, "K %lld, N %lld, block_size %lld, quant_type %lld", (long long)k, (long long)n, (long long)block,
			(long long)type);
	if (p->dtype != DT_U8 || p->count != (count + 1) / 2 || in[2]->count != (count + block - 1) / block || x->rank < 1 ||
		x->dims[x->rank - 1] != k)
		return eval_error(e, op, "an input of shape %s, weights %s, absmax %s for %lld x %lld", tensor_shape_text(e, x),
			tensor_shape_text(e, p), tensor_shape_text(e, in[2]), (long long)k, (long long)n);
	memcpy(dims, x->dims, sizeof dims);
	dims[x->rank - 1] = n;
	out[0] = tensor_new(e, x->dtype, x->rank, dims);
	bool ok = out[0] && dense_load(e, in[0], DT_F64, &a) && dense_load(e, in[2], DT_F64, &scales) && dense_scratch(e, DT_F64, count, &w);
	double *b = w.data;
	for (int64_t i = 0; ok && i < count; i++) {
		uint8_t byte = ((const uint8_t *)p->data)[i / 2];
		b[i] = (type ? NF4 : FP4)[i % 2 ? byte & 15 : byte >> 4] * ((const double *)scales.data)[i / block];
	}
	for (int64_t r = 0; ok && r < x->count / k; r++)
		for (int64_t c = 0; c < n; c++) {
			double sum = 0;
			for (int64_t i = 0; i < k; i++)
				sum += ((const double *)a.data)[r * k + i] * b[turned ? c * k + i : i * n + c];
			tensor_set_f64(out[0], r * n + c, sum);
		}
	dense_release(&a);
	dense_release(&scales);
	dense_release(&w);
	return ok;
}

/* ---- GatherBlockQuantized ---- */

/* Data of 4 bits, or bytes of 2, 4 or 8-bit numbers along the last axis; scales a block along an axis. */
typedef struct Table {
	const Tensor *data, *scales, *zeros;
	int64_t bits, block;
	int gather, quantise, rank;
	int64_t dims[MAX_RANK];  /* of the numbers */
} Table;

static int64_t number_at(const Table *t, const Tensor *from, int64_t i, int64_t row)
{
	if (from->dtype != DT_U8)
		return tensor_get_i64(from, i);
	int64_t each = 8 / t->bits, at = i / row * ((row + each - 1) / each) * each + i % row;
	return ((const uint8_t *)from->data)[at / each] >> (at % each * t->bits) & ((1 << t->bits) - 1);
}

static double value_at(const Table *t, const int64_t *at)
{
	int64_t i = 0, s = 0;
	for (int d = 0; d < t->rank; d++) {
		int64_t place = d == t->quantise ? at[d] / t->block : at[d];
		i = i * t->dims[d] + at[d];
		s = s * t->scales->dims[d] + (t->scales->dims[d] == 1 ? 0 : place);
	}
	double zero = t->data->dtype == DT_U8 ? (double)(INT64_C(1) << (t->bits - 1)) : 0;
	if (t->zeros)
		zero = (double)number_at(t, t->zeros, s, t->scales->dims[t->rank - 1]);
	return ((double)number_at(t, t->data, i, t->dims[t->rank - 1]) - zero) * tensor_get_f64(t->scales, s);
}

static bool read_table(EvalCtx *e, const Op *op, Tensor *const *in, Table *t)
{
	const Tensor *d = in[0];
	*t = (Table){ .data = d, .scales = in[2], .zeros = operand(op, in, 3), .bits = op_attr_int(op, A_bits, 4),
		.block = op_attr_int(op, A_block_size, 128), .rank = d->rank };
	if (d->dtype != DT_U8 && d->dtype != DT_U4 && d->dtype != DT_I4)
		return eval_unsupported(e, op, "data of type %s", dtype_friendly_name(d->dtype));
	if ((t->bits != 2 && t->bits != 4 && t->bits != 8) || t->block < 1 || !dtype_is_integer(in[1]->dtype) || d->rank < 1 ||
		!axis_norm(op_attr_int(op, A_gather_axis, 0), d->rank, &t->gather) ||
		!axis_norm(op_attr_int(op, A_quantize_axis, 1), d->rank, &t->quantise))
		return eval_error(e, op, "data of shape %s in blocks of %lld", tensor_shape_text(e, d), (long long)t->block);
	memcpy(t->dims, d->dims, sizeof t->dims);
	if (d->dtype == DT_U8)
		t->dims[d->rank - 1] *= 8 / t->bits;
	bool ok = t->scales->rank == d->rank;
	for (int i = 0; ok && i < d->rank; i++) {
		int64_t want = i == t->quantise ? (t->dims[i] + t->block - 1) / t->block : t->dims[i];
		ok = t->scales->dims[i] == want || t->scales->dims[i] == 1;
	}
	int64_t each = d->dtype == DT_U8 ? 8 / t->bits : 1, last = ok ? t->scales->dims[d->rank - 1] : 0;
	ok = ok && (!t->zeros || (t->zeros->dtype == d->dtype && last > 0 &&
		t->zeros->count == t->scales->count / last * ((last + each - 1) / each)));
	return ok || eval_error(e, op, "scales of shape %s or zero points for data of shape %s", tensor_shape_text(e, t->scales),
		tensor_shape_text(e, d));
}

bool eval_gather_blocks(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Table t;
	int64_t dims[MAX_RANK], at[MAX_RANK], inner = 1;
	if (!dense_operands(e, op, in, false) || !read_table(e, op, in, &t))
		return false;
	const Tensor *index = in[1];
	int rank = 0;
	if (t.rank - 1 + index->rank > MAX_RANK)
		return eval_error(e, op, "a result of more than %d dimensions", MAX_RANK);
	for (int i = 0; i < t.gather; i++)
		dims[rank++] = t.dims[i];
	for (int i = 0; i < index->rank; i++)
		dims[rank++] = index->dims[i];
	for (int i = t.gather + 1; i < t.rank; i++) {
		dims[rank++] = t.dims[i];
		inner *= t.dims[i];
	}
	out[0] = tensor_new(e, in[2]->dtype, rank, dims);
	for (int64_t n = 0; out[0] && n < out[0]->count; n++) {
		int64_t rest = n % inner, outer = n / inner / index->count, chosen = tensor_get_i64(index, n / inner % index->count);
		if (chosen < -t.dims[t.gather] || chosen >= t.dims[t.gather])
			continue; /* stays 0 */
		for (int d = t.rank - 1; d > t.gather; rest /= t.dims[d--])
			at[d] = rest % t.dims[d];
		at[t.gather] = chosen < 0 ? chosen + t.dims[t.gather] : chosen;
		for (int d = t.gather - 1; d >= 0; outer /= t.dims[d--])
			at[d] = outer % t.dims[d];
		tensor_set_f64(out[0], n, value_at(&t, at));
	}
	return out[0] != NULL;
}

/* ---- Inverse ---- */

/* Gauss-Jordan with pivots; a is destroyed, y starts as the identity. False when the matrix is singular. */
static bool invert(double *a, double *y, int64_t n)
{
	for (int64_t c = 0; c < n; c++) {
		int64_t best = c;
		for (int64_t r = c + 1; r < n; r++)
			if (fabs(a[r * n + c]) > fabs(a[best * n + c]))
				best = r;
		double pivot = a[best * n + c];
		if (pivot == 0)
			return false;
		for (int64_t i = 0; i < n; i++) {
			double p = a[best * n + i], q = y[best * n + i];
			a[best * n + i] = a[c * n + i];
			y[best * n + i] = y[c * n + i];
			a[c * n + i] = p / pivot;
			y[c * n + i] = q / pivot;
		}
		for (int64_t r = 0; r < n; r++) {
			double f = r == c ? 0 : a[r * n + c];
			for (int64_t i = 0; f != 0 && i < n; i++) {
				a[r * n + i] -= f * a[c * n + i];
				y[r * n + i] -= f * y[c * n + i];
			}
		}
	}
	return true;
}

bool eval_ms_inverse(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Dense work = {0};
	if (!dense_operands(e, op, in, false))
		return false;
	const Tensor *x = in[0];
	int64_t n = x->rank >= 2 ? x->dims[x->rank - 1] : 0;
	if (x->rank < 2 || x->dims[x->rank - 2] != n || !dtype_is_float(x->dtype))
		return eval_error(e, op, "matrices of shape %s are not square", tensor_shape_text(e, x));
	out[0] = tensor_like(e, x);
	bool ok = out[0] && dense_scratch(e, DT_F64, 2 * n * n, &work);
	double *a = work.data;
	for (int64_t at = 0; ok && n > 0 && at < x->count; at += n * n) {
		tensor_load_f64(x, at, n * n, a);
		memset(a + n * n, 0, (size_t)(n * n) * sizeof *a);
		for (int64_t i = 0; i < n; i++)
			a[n * n + i * n + i] = 1;
		ok = invert(a, a + n * n, n) || eval_error(e, op, "matrix %lld has no inverse", (long long)(at / (n * n)));
		if (ok)
			tensor_store_f64(out[0], at, n * n, a + n * n);
	}
	dense_release(&work);
	return ok;
}

/* ---- Irfft ---- */

/* From n/2 + 1 complex numbers, pairs in the last dim, to n real ones. */
bool eval_ms_irfft(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t dims[MAX_RANK];
	if (!dense_operands(e, op, in, false))
		return false;
	const Tensor *x = in[0];
	if (x->rank < 2 || x->dims[x->rank - 1] != 2 || x->dims[x->rank - 2] < 2 || op_attr_int(op, A_signal_ndim, 1) != 1 ||
		op_attr_int(op, A_normalized, 0) || !op_attr_int(op, A_onesided, 1))
		return eval_error(e, op, "a spectrum of shape %s; only one-sided ones of one dimension are transformed", tensor_shape_text(e, x));
	memcpy(dims, x->dims, sizeof dims);
	int64_t half = x->dims[x->rank - 2], n = 2 * (half - 1);
	dims[x->rank - 2] = n;
	out[0] = tensor_new(e, x->dtype, x->rank - 1, dims);
	for (int64_t i = 0; out[0] && i < out[0]->count; i++) {
		int64_t at = i / n * half * 2, t = i % n;
		double sum = tensor_get_f64(x, at) + (t % 2 ? -1 : 1) * tensor_get_f64(x, at + 2 * (half - 1));
		for (int64_t k = 1; k < half - 1; k++) {
			double angle = 6.283185307179586477 * (double)(k * t % n) / (double)n;
			sum += 2 * (tensor_get_f64(x, at + 2 * k) * cos(angle) - tensor_get_f64(x, at + 2 * k + 1) * sin(angle));
		}
		tensor_set_f64(out[0], i, sum / (double)n);
	}
	return out[0] != NULL;
}

bool infer_ms_irfft(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	int rank = value_rank(v);
	const Sym *dims[MAX_RANK];
	if (rank < 2 || rank > MAX_RANK)
		return infer_tensor(x, op, 0, value_dtype(v), RANK_UNKNOWN, NULL);
	for (int i = 0; i < rank - 1; i++)
		dims[i] = v->type->dims[i];
	dims[rank - 2] = sym_mul(x->ctx, sym_int(x->ctx, 2), sym_sub(x->ctx, dims[rank - 2], sym_int(x->ctx, 1)));
	return infer_tensor(x, op, 0, value_dtype(v), rank - 1, dims);
}

bool infer_gather_blocks(InferCtx *x, Op *op)
{
	const Value *data = op_operand(op, 0), *index = op_operand(op, 1);
	int rd = value_rank(data), ri = value_rank(index), at, rank = 0;
	const Sym *dims[2 * MAX_RANK];
	DType d = value_dtype(op_operand(op, 2));
	if (rd < 1 || ri < 0 || rd + ri - 1 > MAX_RANK || !axis_norm(op_attr_int(op, A_gather_axis, 0), rd, &at))
		return infer_tensor(x, op, 0, d, RANK_UNKNOWN, NULL);
	int64_t each = value_dtype(data) == DT_U8 ? 8 / (op_attr_int(op, A_bits, 4) == 8 ? 8 : op_attr_int(op, A_bits, 4) == 2 ? 2 : 4) : 1;
	for (int i = 0; i < rd; i++) {
		const Sym *dim = data->type->dims[i];
		if (i == rd - 1)
			dim = sym_mul(x->ctx, dim, sym_int(x->ctx, each));
		if (i != at)
			dims[rank++] = dim;
		for (int k = 0; i == at && k < ri; k++)
			dims[rank++] = index->type->dims[k];
	}
	return infer_tensor(x, op, 0, d, rank, dims);
}

/* Matrix products with fixed roles of dims: matmul, gemm, their integer and quantised forms, determinant. */
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

/* ---- inference ---- */

static DType either_dtype(const Value *a, const Value *b)
{
	DType d = value_dtype(a);
	return d != DT_NONE ? d : value_dtype(b);
}

/* Result dims of NumPy matmul. *rank is RANK_UNKNOWN when an operand's rank is unknown. */
static bool matmul_dims(InferCtx *x, const Op *op, const Value *a, const Value *b, int *rank, const Sym **dims)
{
	int ra = value_rank(a), rb = value_rank(b), n = 0;
	*rank = RANK_UNKNOWN;
	if (ra == 0 || rb == 0)
		return infer_error(x, op, "an operand is a scalar; matrix products take rank 1 or more");
	if (ra < 0 || rb < 0)
		return true;
	if (ra > MAX_RANK || rb > MAX_RANK)
		return true;
	const Sym *const *da = a->type->dims, *const *db = b->type->dims;
	const Sym *ka = da[ra - 1], *kb = db[rb == 1 ? 0 : rb - 2];
	if (sym_known_ne(x->ctx, ka, kb))
		return infer_error(x, op, "the inner dimensions of the operands differ");
	int ba = ra > 2 ? ra - 2 : 0, bb = rb > 2 ? rb - 2 : 0, batch = ba > bb ? ba : bb;
	for (; n < batch; n++) {
		const Sym *one = sym_int(x->ctx, 1);
		const Sym *sa = n >= batch - ba ? da[n - (batch - ba)] : one,
				  *sb = n >= batch - bb ? db[n - (batch - bb)] : one;
		bool ok = true;
		dims[n] = infer_broadcast_dim(x, op, sa, sb, &ok);
		if (!ok)
			return infer_error(x, op, "the batch dimensions of the operands do not broadcast");
	}
	if (ra > 1)
		dims[n++] = da[ra - 2];
	if (rb > 1)
		dims[n++] = db[rb - 1];
	*rank = n;
	return true;
}

bool infer_matmul(InferCtx *x, Op *op)
{
	const Sym *dims[MAX_RANK + 2];
	int rank;
	const Value *a = op_operand(op, 0), *b = op_operand(op, 1);
	if (!matmul_dims(x, op, a, b, &rank, dims))
		return false;
	return infer_tensor(x, op, 0, either_dtype(a, b), rank, dims);
}

bool infer_matmul_integer(InferCtx *x, Op *op)
{
	const Sym *dims[MAX_RANK + 2];
	int rank;
	if (!matmul_dims(x, op, op_operand(op, 0), op_operand(op, 1), &rank, dims))
		return false;
	return infer_tensor(x, op, 0, DT_I32, rank, dims);
}

bool infer_quantized_matmul(InferCtx *x, Op *op)
{
	const Sym *dims[MAX_RANK + 2];
	int rank;
	if (!matmul_dims(x, op, op_operand(op, 0), op_operand(op, 3), &rank, dims))
		return false;
	DType d = value_dtype(op_operand(op, 7));
	return infer_tensor(x, op, 0, d != DT_NONE ? d : value_dtype(op_operand(op, 0)), rank, dims);
}

bool infer_gemm(InferCtx *x, Op *op)
{
	const Value *a = op_operand(op, 0), *b = op_operand(op, 1), *c = op_operand(op, 2);
	int ra = value_rank(a), rb = value_rank(b), rc = value_rank(c);
	bool ta = op_int(op, A_trans_a) != 0, tb = op_int(op, A_trans_b) != 0;
	if ((ra >= 0 && ra != 2) || (rb >= 0 && rb != 2))
		return infer_error(x, op, "the operands of a gemm must have rank 2");
	const Sym *dims[2] = {ra == 2 ? a->type->dims[ta] : NULL, rb == 2 ? b->type->dims[!tb] : NULL};
	if (ra == 2 && rb == 2 && sym_known_ne(x->ctx, a->type->dims[!ta], b->type->dims[tb]))
		return infer_error(x, op, "the inner dimensions of the operands differ");
	for (int i = 0; i < 2; i++)
		if (!dims[i])
			dims[i] = infer_unknown(x, op, 0, i);
	if (rc > 2)
		return infer_error(x, op, "the addend must broadcast to a matrix, but its rank is %d", rc);
	for (int i = 0; i < rc; i++) {
		const Sym *d = c->type->dims[rc - 1 - i];
		if (!sym_is(d, 1) && sym_known_ne(x->ctx, d, dims[1 - i]) && !sym_known_eq(d, dims[1 - i]) && sym_lower(d) > 1)
			return infer_error(x, op, "the addend does not broadcast to the product");
	}
	return infer_tensor(x, op, 0, either_dtype(a, b), 2, dims);
}

bool infer_det(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	int r = value_rank(v);
	if (r < 0)
		return infer_tensor(x, op, 0, value_dtype(v), RANK_UNKNOWN, NULL);
	if (r < 2 || sym_known_ne(x->ctx, v->type->dims[r - 1], v->type->dims[r - 2]))
		return infer_error(x, op, "a determinant needs square matrices");
	return infer_tensor(x, op, 0, value_dtype(v), r - 2, v->type->dims);
}

/* ---- matmul ---- */

/* Sizes and strides of a product of contiguous tensors of the given shapes, and the result's shape. A right operand
 * without batch dims makes all rows of the left one a single matrix. */
static bool product_shape(
	EvalCtx *e, const Op *op, const Tensor *a, const Tensor *b, Product *p, int *rank, int64_t *dims)
{
	int ra = a->rank, rb = b->rank, n = 0;
	if (ra < 1 || rb < 1)
		return eval_error(e, op, "an operand is a scalar; matrix products take rank 1 or more");
	int64_t kb = b->dims[rb == 1 ? 0 : rb - 2];
	p->k = a->dims[ra - 1];
	p->m = ra > 1 ? a->dims[ra - 2] : 1;
	p->n = rb > 1 ? b->dims[rb - 1] : 1;
	if (p->k != kb)
		return eval_error(e, op, "the inner dimensions differ: %lld and %lld", (long long)p->k, (long long)kb);
	p->a_row = p->k, p->a_col = 1;
	p->b_row = p->n, p->b_col = 1;
	int ba = ra > 2 ? ra - 2 : 0, bb = rb > 2 ? rb - 2 : 0, batch = ba > bb ? ba : bb;
	int64_t sa[MAX_RANK], sb[MAX_RANK];
	strides_of(ra, a->dims, sa);
	strides_of(rb, b->dims, sb);
	for (; n < batch; n++) {
		int ia = n - (batch - ba), ib = n - (batch - bb);
		int64_t da = ia >= 0 ? a->dims[ia] : 1, db = ib >= 0 ? b->dims[ib] : 1;
		if (da != db && da != 1 && db != 1)
			return eval_error(e, op, "batch dimensions %lld and %lld do not broadcast", (long long)da, (long long)db);
		dims[n] = p->batch[n] = da == 1 ? db : da;
		p->a_step[n] = da == 1 ? 0 : sa[ia];
		p->b_step[n] = db == 1 ? 0 : sb[ib];
	}
	p->nbatch = batch;
	if (ra > 1)
		dims[n++] = p->m;
	if (rb > 1)
		dims[n++] = p->n;
	*rank = n;
	if (bb == 0 && ba > 0) {
		for (int i = 0; i < batch; i++)
			p->m = (int64_t)((uint64_t)p->m * (uint64_t)p->batch[i]); /* wraps only when nothing is computed */
		p->nbatch = 0;
	}
	return true;
}

/* A B with the shapes of a and b; result of type dtype, elements computed as `kind`. */
static Tensor *matmul(EvalCtx *e, const Op *op, Tensor *a, Tensor *b, DType kind, DType dtype)
{
	Product p = {.kind = kind};
	int rank;
	int64_t dims[MAX_RANK];
	if (!product_shape(e, op, a, b, &p, &rank, dims))
		return NULL;
	Tensor *y = tensor_new(e, dtype, rank, dims);
	Dense da = {0}, db = {0}, dy = {0};
	bool ok = y && dense_load(e, a, kind, &da) && dense_load(e, b, kind, &db) && dense_result(e, y, kind, &dy);
	if (ok) {
		p.a = da.data, p.b = db.data, p.c = dy.data;
		ok = product_run(e, &p);
	}
	dense_release(&da);
	dense_release(&db);
	if (!ok) {
		dense_release(&dy);
		tensor_unref(y);
		return NULL;
	}
	dense_store(y, kind, &dy);
	return y;
}

bool eval_matmul(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!dense_operands(e, op, in, true))
		return false;
	out[0] = matmul(e, op, in[0], in[1], dense_kind(in, 2), in[0]->dtype);
	return out[0] != NULL;
}

/* ---- gemm ---- */

/* y = alpha y + beta c, c broadcast to the m x n matrix y. */
static void gemm_finish(
	DType kind, void *y, int64_t m, int64_t n, const void *c, const Tensor *shape, double alpha, double beta)
{
	int64_t row = 0, col = 0;
	if (c) {
		int r = shape->rank;
		col = r >= 1 && shape->dims[r - 1] != 1 ? 1 : 0;
		row = r >= 2 && shape->dims[r - 2] != 1 ? shape->dims[r - 1] : 0;
	}
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++) {
			int64_t at = i * n + j, from = i * row + j * col;
			if (kind == DT_F32) {
				float *p = (float *)y + at, prod = (float)alpha * *p;
				*p = c ? prod + (float)beta * ((const float *)c)[from] : prod;
			} else if (kind == DT_F64) {
				double *p = (double *)y + at, prod = alpha * *p;
				*p = c ? prod + beta * ((const double *)c)[from] : prod;
			} else {
				/* Integer factors are applied in integers, so that large products stay exact. */
				int64_t *p = (int64_t *)y + at, add = c ? ((const int64_t *)c)[from] : 0;
				bool whole = alpha == rint(alpha) && beta == rint(beta) && fabs(alpha) < 9e15 && fabs(beta) < 9e15;
				*p = whole
					? (int64_t)((uint64_t)(int64_t)alpha * (uint64_t)*p + (uint64_t)(int64_t)beta * (uint64_t)add)
					: (int64_t)(alpha * (double)*p + beta * (double)add);
			}
		}
}

static bool gemm_addend_fits(const Tensor *c, int64_t m, int64_t n)
{
	int r = c->rank;
	return r <= 2 && (r < 1 || c->dims[r - 1] == 1 || c->dims[r - 1] == n) &&
		(r < 2 || c->dims[0] == 1 || c->dims[0] == m);
}

bool eval_gemm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!dense_operands(e, op, in, false))
		return false;
	Tensor *a = in[0], *b = in[1], *c = op->noperands > 2 ? in[2] : NULL;
	if (a->rank != 2 || b->rank != 2)
		return eval_error(e, op, "the operands of a gemm must have rank 2, not %d and %d", a->rank, b->rank);
	bool ta = op_int(op, A_trans_a) != 0, tb = op_int(op, A_trans_b) != 0;
	double alpha = op_float(op, A_alpha), beta = op_float(op, A_beta);
	int64_t m = a->dims[ta], k = a->dims[!ta], n = b->dims[!tb];
	if (b->dims[tb] != k)
		return eval_error(e, op, "the inner dimensions differ: %lld and %lld", (long long)k, (long long)b->dims[tb]);
	if (c && !gemm_addend_fits(c, m, n))
		return eval_error(e, op, "the addend does not broadcast to %lldx%lld", (long long)m, (long long)n);
	Tensor *all[3] = {a, b, c};
	DType kind = dense_kind(all, 3);
	if (kind == DT_C128)
		return eval_unsupported(e, op, "gemm of complex numbers");
	Tensor *y = out[0] = tensor_new(e, a->dtype, 2, (int64_t[]){m, n});
	Dense da = {0}, db = {0}, dc = {0}, dy = {0};
	bool ok = y && dense_load(e, a, kind, &da) && dense_load(e, b, kind, &db) && dense_load(e, c, kind, &dc) &&
		dense_result(e, y, kind, &dy);
	if (ok) {
		Product p = {.kind = kind,
			.m = m,
			.n = n,
			.k = k,
			.a = da.data,
			.a_row = ta ? 1 : k,
			.a_col = ta ? m : 1,
			.b = db.data,
			.b_row = tb ? 1 : n,
			.b_col = tb ? k : 1,
			.c = dy.data};
		ok = product_run(e, &p);
		if (ok && (c || alpha != 1))
			gemm_finish(kind, dy.data, m, n, dc.data, c, alpha, beta);
		dense_store(y, kind, &dy);
	}
	dense_release(&da);
	dense_release(&db);
	dense_release(&dc);
	return ok;
}

/* ---- integer and quantised ---- */

/* x - zero as double. The zero point is a scalar, or has one element per row (by_row: dim -2) or column (dim -1) of x.
 */
static bool load_shifted(EvalCtx *e, const Op *op, Tensor *x, Tensor *zero, bool by_row, Dense *out)
{
	if (!dense_scratch(e, DT_F64, x->count, out))
		return false;
	double *p = out->data;
	tensor_load_f64(x, 0, x->count, p);
	if (!zero)
		return true;
	if (zero->count == 1) {
		double z = tensor_get_f64(zero, 0);
		for (int64_t i = 0; i < x->count; i++)
			p[i] -= z;
		return true;
	}
	int64_t cols = x->rank >= 1 ? x->dims[x->rank - 1] : 1, rows = x->rank >= 2 ? x->dims[x->rank - 2] : 1;
	int64_t span = by_row ? rows : cols, matrices = rows > 0 && cols > 0 ? x->count / (rows * cols) : 0;
	if (zero->count != span && zero->count != span * matrices)
		return eval_error(e, op, "%lld zero points for %lld %s", (long long)zero->count, (long long)span,
			by_row ? "rows" : "columns");
	for (int64_t i = 0; i < x->count; i++) {
		int64_t matrix = i / (rows * cols), at = by_row ? i / cols % rows : i % cols;
		p[i] -= tensor_get_f64(zero, zero->count == span ? at : matrix * span + at);
	}
	return true;
}

/* Exact sums of (a - a_zero)(b - b_zero) as doubles: 8-bit products summed below 2^53. */
static bool integer_product(
	EvalCtx *e, const Op *op, Tensor *a, Tensor *az, Tensor *b, Tensor *bz, Dense *sum, int *rank, int64_t *dims)
{
	Product p = {.kind = DT_F64};
	int64_t count;
	Dense da = {0}, db = {0};
	if (!product_shape(e, op, a, b, &p, rank, dims))
		return false;
	if (!dims_count(dims, *rank, &count))
		return eval_error(e, op, "the result has too many elements");
	bool ok = load_shifted(e, op, a, az, true, &da) && load_shifted(e, op, b, bz, false, &db) &&
		dense_scratch(e, DT_F64, count, sum);
	if (ok) {
		p.a = da.data, p.b = db.data, p.c = sum->data;
		ok = product_run(e, &p);
	}
	dense_release(&da);
	dense_release(&db);
	return ok;
}

bool eval_matmul_integer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!dense_operands(e, op, in, false))
		return false;
	Tensor *az = op->noperands > 2 ? in[2] : NULL, *bz = op->noperands > 3 ? in[3] : NULL;
	int rank;
	int64_t dims[MAX_RANK];
	Dense sum = {0};
	if (!integer_product(e, op, in[0], az, in[1], bz, &sum, &rank, dims))
		return false;
	out[0] = tensor_new(e, DT_I32, rank, dims);
	const double *s = sum.data;
	if (out[0])
		for (int64_t i = 0; i < out[0]->count; i++)
			((int32_t *)out[0]->data)[i] = (int32_t)(uint32_t)(uint64_t)(int64_t)s[i];
	dense_release(&sum);
	return out[0] != NULL;
}

/* Element of a scale or zero point for row or column `at` of matrix number `matrix`. */
static double quant_param(const Tensor *t, int64_t matrix, int64_t at, int64_t span)
{
	if (!t)
		return 0;
	return tensor_get_f64(t, t->count == 1 ? 0 : t->count == span ? at : matrix * span + at);
}

static bool quant_param_fits(const Tensor *t, int64_t span, int64_t matrices)
{
	return !t || t->count == 1 || t->count == span || t->count == span * matrices;
}

bool eval_quantized_matmul(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!dense_operands(e, op, in, false))
		return false;
	Tensor *a_scale = in[1], *b_scale = in[4], *y_scale = in[6], *y_zero = op->noperands > 7 ? in[7] : NULL;
	int rank;
	int64_t dims[MAX_RANK];
	Dense sum = {0};
	if (!integer_product(e, op, in[0], in[2], in[3], in[5], &sum, &rank, dims))
		return false;
	DType d = y_zero ? y_zero->dtype : in[0]->dtype;
	Tensor *y = out[0] = tensor_new(e, d, rank, dims);
	int64_t m = in[0]->rank > 1 ? in[0]->dims[in[0]->rank - 2] : 1,
			n = in[3]->rank > 1 ? in[3]->dims[in[3]->rank - 1] : 1;
	int64_t matrices = y && m > 0 && n > 0 ? y->count / (m * n) : 0;
	bool ok = y != NULL;
	if (ok &&
		!(quant_param_fits(a_scale, m, matrices) && quant_param_fits(b_scale, n, matrices) && y_scale->count >= 1 &&
			(quant_param_fits(y_scale, m, matrices) && quant_param_fits(y_zero, m, matrices))))
		ok = eval_error(e, op, "scales or zero points do not fit the rows and columns");
	const double *s = sum.data, low = (double)dtype_int_min(d), high = (double)dtype_int_max(d);
	for (int64_t i = 0; ok && i < y->count; i++) {
		int64_t row = i / n % m, col = i % n, matrix = i / (m * n);
		/* The scales are singles and so is their quotient, as kernels and the definition's examples have it. */
		float scale = (float)quant_param(a_scale, matrix, row, m) * (float)quant_param(b_scale, matrix, col, n) /
			(float)quant_param(y_scale, matrix, row, m);
		double v = rint(s[i] * (double)scale) + quant_param(y_zero, matrix, row, m);
		tensor_set_i64(y, i, (int64_t)(v < low || isnan(v) ? low : v > high ? high : v));
	}
	dense_release(&sum);
	return ok;
}

/* ---- determinant ---- */

/* Elimination with row exchanges; destroys a. */
static double determinant(double *a, int64_t n)
{
	double det = 1;
	for (int64_t k = 0; k < n; k++) {
		int64_t best = k;
		for (int64_t i = k + 1; i < n; i++)
			if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
				best = i;
		double pivot = a[best * n + k];
		if (pivot == 0)
			return 0;
		if (best != k) {
			det = -det;
			for (int64_t j = 0; j < n; j++) {
				double t = a[k * n + j];
				a[k * n + j] = a[best * n + j];
				a[best * n + j] = t;
			}
		}
		det *= pivot;
		for (int64_t i = k + 1; i < n; i++) {
			double f = a[i * n + k] / pivot;
			for (int64_t j = k + 1; j < n; j++)
				a[i * n + j] -= f * a[k * n + j];
		}
	}
	return det;
}

bool eval_det(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!dense_operands(e, op, in, false))
		return false;
	Tensor *x = in[0];
	if (x->rank < 2 || x->dims[x->rank - 1] != x->dims[x->rank - 2])
		return eval_error(e, op, "a determinant needs square matrices");
	int64_t n = x->dims[x->rank - 1];
	Dense a;
	out[0] = tensor_new(e, x->dtype, x->rank - 2, x->dims);
	if (!out[0] || !dense_scratch(e, DT_F64, x->count, &a))
		return false;
	double *p = a.data;
	tensor_load_f64(x, 0, x->count, p);
	for (int64_t i = 0; i < out[0]->count; i++)
		tensor_set_f64(out[0], i, determinant(p + i * n * n, n));
	dense_release(&a);
	return true;
}

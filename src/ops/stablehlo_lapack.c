/* Custom calls of linear algebra, as JAX emits them for LAPACK, cuSOLVER and their kin: what they compute is public. Each
 * works on the last two dimensions of its operands; everything is done in double and rounded once. */
#include "stablehlo_int.h"

#include "linalg.h"
#include "ops/label.h"

#include <math.h>

typedef struct Job {
	EvalCtx *e;
	const Op *op;
	Tensor *const *in;
	Tensor **out;
	Arena *a;           /* scratch of one call */
	int64_t batches;
} Job;

/* ---- attributes ---- */

/* An entry of the backend's dictionary, wherever it stands. */
static const Attr *config(const Op *op, const char *name)
{
	for (size_t i = 0; i < op->nattrs; i++) {
		const Attr *d = op->attrs[i].value;
		bool backend = !strcmp(op->attrs[i].name->s, "mhlo.backend_config") || !strcmp(op->attrs[i].name->s, "backend_config");
		for (size_t k = 0; backend && d->kind == ATTR_DICT && k < d->u.list.n; k++)
			if (!strcmp(d->u.list.names[k]->s, name))
				return d->u.list.v[k];
	}
	return NULL;
}

/* Letters are stored as their codes. */
static int64_t config_int(const Op *op, const char *name, int64_t fallback)
{
	const Attr *a = config(op, name);
	return a && (a->kind == ATTR_INT || a->kind == ATTR_BOOL) ? a->u.i : fallback;
}

static bool is_lower(const Op *op)
{
	return config(op, "lower") ? config_int(op, "lower", 1) != 0 : config_int(op, "uplo", 'L') == 'L';
}

/* ---- matrices of tensors ---- */

static La matrix(const Job *j, int64_t rows, int64_t cols)
{
	return (La){ NEW_ARRAY(j->a, Cx, (size_t)(rows * cols) + 1), rows, cols };
}

static Cx *vector(const Job *j, int64_t n)
{
	return NEW_ARRAY(j->a, Cx, (size_t)n + 1);
}

static void load(const Tensor *t, int64_t at, int64_t n, Cx *v)
{
	for (int64_t i = 0; i < n; i++) {
		double x[2];
		shlo_load_complex(t, at + i, x);
		v[i] = x[0] + x[1] * I;
	}
}

static void store(Tensor *t, int64_t at, int64_t n, const Cx *v)
{
	for (int64_t i = 0; i < n; i++)
		shlo_store_complex(t, at + i, (double[2]){ creal(v[i]), cimag(v[i]) });
}

/* Matrix b of a batch of them. */
static La load_matrix(const Job *j, const Tensor *t, int64_t b)
{
	La m = matrix(j, t->dims[t->rank - 2], t->dims[t->rank - 1]);
	load(t, b * m.rows * m.cols, m.rows * m.cols, m.v);
	return m;
}

/* Into result k, of which the part is as large as m; results that are absent or shaped otherwise are left. */
static void store_matrix(const Job *j, size_t k, int64_t b, const La *m)
{
	Tensor *t = k < j->op->nresults ? j->out[k] : NULL;
	if (!t || t->rank < 2 || t->dims[t->rank - 2] > m->rows || t->dims[t->rank - 1] > m->cols)
		return;
	int64_t rows = t->dims[t->rank - 2], cols = t->dims[t->rank - 1];
	if (t->count != j->batches * rows * cols)
		return;
	for (int64_t r = 0; r < rows; r++)
		store(t, (b * rows + r) * cols, cols, la_at(m, r, 0));
}

static void store_vector(const Job *j, size_t k, int64_t b, int64_t n, const Cx *v)
{
	Tensor *t = k < j->op->nresults ? j->out[k] : NULL;
	if (t && t->rank >= 1 && t->dims[t->rank - 1] == n && t->count == j->batches * n)
		store(t, b * n, n, v);
}

static void store_reals(const Job *j, size_t k, int64_t b, int64_t n, const double *v)
{
	Tensor *t = k < j->op->nresults ? j->out[k] : NULL;
	for (int64_t i = 0; t && i < n && t->count == j->batches * n; i++)
		tensor_set_f64(t, b * n + i, v[i]);
}

/* The last result, when it is one integer a batch, tells what went wrong. */
static void store_info(const Job *j, int64_t b, int64_t info)
{
	Tensor *t = j->op->nresults ? j->out[j->op->nresults - 1] : NULL;
	if (t && t->dtype == DT_I32 && t->count == j->batches)
		tensor_set_i64(t, b, info);
}

/* As many parts of `rank` dims as the first operand has. */
static bool same_batches(const Job *j, const Tensor *t, int rank)
{
	int64_t part = j->batches;
	for (int d = t->rank - rank; d < t->rank; d++)
		part *= d >= 0 ? t->dims[d] : 1;
	return t->rank >= rank && part == t->count;
}

/* ---- the calls, one matrix of the batch each ---- */

static bool potrf(Job *j, int64_t b)
{
	La a = load_matrix(j, j->in[0], b);
	int64_t info = la_cholesky(&a, is_lower(j->op));
	store_matrix(j, 0, b, &a);
	store_info(j, b, info);
	return true;
}

static bool getrf(Job *j, int64_t b)
{
	La a = load_matrix(j, j->in[0], b);
	int64_t n = a.rows < a.cols ? a.rows : a.cols, *pivots = NEW_ARRAY(j->a, int64_t, (size_t)n + 1);
	int64_t info = la_lu(&a, pivots);
	store_matrix(j, 0, b, &a);
	for (int64_t i = 0; j->op->nresults > 1 && j->out[1]->count == j->batches * n && i < n; i++)
		tensor_set_i64(j->out[1], b * n + i, pivots[i]);
	store_info(j, b, info);
	return true;
}

static bool geqrf(Job *j, int64_t b)
{
	La a = load_matrix(j, j->in[0], b);
	int64_t n = a.rows < a.cols ? a.rows : a.cols;
	Cx *tau = vector(j, n);
	la_qr(&a, tau);
	store_matrix(j, 0, b, &a);
	store_vector(j, 1, b, n, tau);
	return true;
}

static bool orgqr(Job *j, int64_t b)
{
	La a = load_matrix(j, j->in[0], b);
	const Tensor *t = j->op->noperands > 1 ? j->in[1] : j->in[0];
	int64_t k = t->rank >= 1 ? t->dims[t->rank - 1] : 0;
	if (j->op->noperands != 2 || k > a.cols || a.cols > a.rows || t->count != k * j->batches)
		return eval_error(j->e, j->op, "%lld reflectors for a matrix of %lld x %lld", (long long)k, (long long)a.rows,
			(long long)a.cols);
	Cx *tau = vector(j, k);
	load(t, b * k, k, tau);
	la_q_of_qr(&a, tau, k);
	store_matrix(j, 0, b, &a);
	return true;
}

static bool is_square(Job *j, const La *a)
{
	return a->rows == a->cols ||
		eval_error(j->e, j->op, "a matrix of %lld x %lld, a square one is needed", (long long)a->rows, (long long)a->cols);
}

static bool gehrd(Job *j, int64_t b)
{
	La a = load_matrix(j, j->in[0], b);
	int64_t low = config_int(j->op, "low", 1), high = config_int(j->op, "high", a.rows);
	if (!is_square(j, &a) || low < 1 || high > a.rows || (a.rows && low > high))
		return eval_error(j->e, j->op, "rows %lld to %lld of %lld", (long long)low, (long long)high, (long long)a.rows);
	Cx *tau = vector(j, a.rows);
	la_hessenberg(&a, low - 1, high, tau);
	store_matrix(j, 0, b, &a);
	store_vector(j, 1, b, a.rows - 1, tau);
	return true;
}

static bool sytrd(Job *j, int64_t b)
{
	La a = load_matrix(j, j->in[0], b);
	int64_t n = a.rows;
	if (!is_square(j, &a))
		return false;
	Cx *d = vector(j, n), *f = vector(j, n), *tau = vector(j, n), *work = vector(j, 2 * n);
	la_tridiagonal(&a, is_lower(j->op), d, f, tau, work);
	store_matrix(j, 0, b, &a);
	store_vector(j, 1, b, n, d);
	store_vector(j, 2, b, n - 1, f);
	store_vector(j, 3, b, n - 1, tau);
	return true;
}

/* The third operand of older exports multiplies the right-hand side. */
static bool trsm(Job *j, int64_t b)
{
	if (j->op->noperands < 2 || j->op->noperands > 3 || j->in[1]->rank != j->in[0]->rank || !same_batches(j, j->in[1], 2))
		return eval_error(j->e, j->op, "a matrix and a right-hand side are needed");
	if (j->op->noperands == 3 && j->in[2]->count != 1)
		return eval_error(j->e, j->op, "a factor of %lld elements, one is needed", (long long)j->in[2]->count);
	La a = load_matrix(j, j->in[0], b), x = load_matrix(j, j->in[1], b);
	bool left = config_int(j->op, "side", 'L') == 'L';
	if (!is_square(j, &a) || (left ? x.rows : x.cols) != a.rows)
		return eval_error(j->e, j->op, "operands whose shapes do not go together");
	Cx factor = 1;
	if (j->op->noperands == 3)
		load(j->in[2], 0, 1, &factor);
	for (int64_t i = 0; i < x.rows * x.cols && factor != 1; i++)
		x.v[i] *= factor;
	la_triangular_solve(&a, &x, left, is_lower(j->op), (char)config_int(j->op, "trans_x", 'N'),
		config_int(j->op, "diag", 'N') == 'U');
	store_matrix(j, 0, b, &x);
	return true;
}

/* cuSPARSE keeps n elements of each diagonal: the first of the lower and the last of the upper one are not used. */
static bool gtsv(Job *j, int64_t b)
{
	const Tensor *d = j->in[1];
	if (j->op->noperands != 4 || j->in[3]->rank != d->rank + 1 || j->in[0]->count != d->count || j->in[2]->count != d->count ||
		j->in[3]->dims[d->rank - 1] != d->dims[d->rank - 1] || !same_batches(j, d, 1) || !same_batches(j, j->in[3], 2))
		return eval_error(j->e, j->op, "operands whose shapes do not go together");
	int64_t n = d->dims[d->rank - 1];
	Cx *dl = vector(j, n + 1), *main = vector(j, n), *du = vector(j, n);
	La x = load_matrix(j, j->in[3], b);
	load(j->in[0], b * n, n, dl);
	load(d, b * n, n, main);
	load(j->in[2], b * n, n, du);
	int64_t info = la_tridiagonal_solve(n, dl + 1, main, du, &x);
	if (j->op->nresults == 1) {
		store_matrix(j, 0, b, &x);
		return true;
	}
	store_vector(j, 0, b, n, dl);
	store_vector(j, 1, b, n, main);
	store_vector(j, 2, b, n, du);
	store_matrix(j, 3, b, &x);
	store_info(j, b, info);
	return true;
}

static bool syevd(Job *j, int64_t b)
{
	La a = load_matrix(j, j->in[0], b), v = matrix(j, a.rows, a.rows);
	double *w = NEW_ARRAY(j->a, double, (size_t)a.rows + 1);
	bool lower = is_lower(j->op);
	if (!is_square(j, &a))
		return false;
	for (int64_t r = 0; r < a.rows; r++) {
		*la_at(&a, r, r) = creal(*la_at(&a, r, r));
		for (int64_t c = r + 1; c < a.rows; c++) {
			Cx *up = la_at(&a, r, c), *down = la_at(&a, c, r);
			*(lower ? up : down) = conj(*(lower ? down : up));
		}
	}
	la_eigen_hermitian(&a, w, &v);
	store_matrix(j, 0, b, &v);
	store_reals(j, 1, b, a.rows, w);
	return true;
}

static La adjoint(const Job *j, const La *m)
{
	La t = matrix(j, m->cols, m->rows);
	for (int64_t r = 0; r < m->rows; r++)
		for (int64_t c = 0; c < m->cols; c++)
			*la_at(&t, c, r) = conj(*la_at(m, r, c));
	return t;
}

/* The first columns of q, and more that complete them. */
static La widened(const Job *j, const La *q, int64_t cols)
{
	La w = matrix(j, q->rows, cols);
	for (int64_t r = 0; r < q->rows; r++)
		for (int64_t c = 0; c < q->cols && c < cols; c++)
			*la_at(&w, r, c) = *la_at(q, r, c);
	la_complete_basis(&w, q->cols < cols ? q->cols : cols);
	return w;
}

/* Results: what is left of the matrix, the values, u, v^H (v for the Jacobi kind). */
static bool svd(Job *j, int64_t b, bool jacobi)
{
	La a = load_matrix(j, j->in[0], b), t = { 0 };
	bool flipped = config_int(j->op, "transposed", 0) != 0, wide = a.rows < a.cols;
	if (flipped)
		return eval_unsupported(j->e, j->op, "a transposed decomposition");
	int64_t n = wide ? a.rows : a.cols, m = wide ? a.cols : a.rows;
	double *s = NEW_ARRAY(j->a, double, (size_t)n + 1);
	t = wide ? adjoint(j, &a) : a;
	La v = matrix(j, n, n);
	la_svd(&t, s, &v);
	La left = wide ? v : widened(j, &t, m), right = wide ? widened(j, &t, m) : v;
	La vh = jacobi ? right : adjoint(j, &right);
	store_reals(j, 1, b, n, s);
	store_matrix(j, 2, b, &left);
	store_matrix(j, 3, b, &vh);
	return true;
}

static bool gesvd(Job *j, int64_t b)
{
	return svd(j, b, false);
}

static bool gesvdj(Job *j, int64_t b)
{
	return svd(j, b, true);
}

/* Values as one complex result, or as real and imaginary parts; then left and right vectors. */
static bool geev(Job *j, int64_t b)
{
	La a = load_matrix(j, j->in[0], b), z = matrix(j, a.rows, a.rows), x = matrix(j, a.rows, a.rows);
	bool real = dtype_class(j->in[0]->dtype) == DC_FLOAT;
	int64_t n = a.rows;
	Cx *w = vector(j, n), *work = vector(j, 2 * n);
	double *parts = NEW_ARRAY(j->a, double, 2 * (size_t)n + 1);
	if (!is_square(j, &a))
		return false;
	if (!la_schur(&a, &z, work))
		return eval_error(j->e, j->op, "the eigenvalues do not converge");
	for (int64_t i = 0; i < n; i++) {
		w[i] = *la_at(&a, i, i);
		if (real && fabs(cimag(w[i])) < 1e-13 * cabs(w[i]))
			w[i] = creal(w[i]);
		parts[i] = creal(w[i]);
		parts[n + i] = cimag(w[i]);
	}
	if (real) {
		store_reals(j, 0, b, n, parts);
		store_reals(j, 1, b, n, parts + n);
	} else {
		store_vector(j, 0, b, n, w);
	}
	la_eigenvectors(&a, &z, true, &x, work);
	store_matrix(j, 1 + real, b, &x);
	la_eigenvectors(&a, &z, false, &x, work);
	store_matrix(j, 2 + real, b, &x);
	return true;
}

/* Triangular form and its unitary vectors; of a real matrix the real ones. */
static bool gees(Job *j, int64_t b)
{
	La a = load_matrix(j, j->in[0], b), z = matrix(j, a.rows, a.rows), own = load_matrix(j, j->in[0], b);
	int64_t n = a.rows;
	Cx *w = vector(j, n);
	if (!is_square(j, &a))
		return false;
	if (!la_schur(&a, &z, vector(j, 2 * n)))
		return eval_error(j->e, j->op, "the eigenvalues do not converge");
	if (dtype_class(j->in[0]->dtype) != DC_FLOAT) {
		for (int64_t i = 0; i < n; i++)
			w[i] = *la_at(&a, i, i);
		store_matrix(j, 0, b, &a);
		store_matrix(j, 1, b, &z);
		store_vector(j, 2, b, n, w);
		return true;
	}
	La q = matrix(j, n, n);
	double *parts = NEW_ARRAY(j->a, double, 2 * (size_t)n + 1);
	la_real_schur(&own, &a, &z, &q, w, parts);
	for (int64_t i = 0; i < n; i++) {
		parts[i] = creal(w[i]);
		parts[n + i] = cimag(w[i]);
	}
	store_matrix(j, 0, b, &own);
	store_matrix(j, 1, b, &q);
	store_reals(j, 2, b, n, parts);
	store_reals(j, 3, b, n, parts + n);
	return true;
}

/* ---- names ---- */

typedef struct Routine {
	const char *name;       /* without library, letter of the type and "_ffi" */
	bool (*run)(Job *j, int64_t b);
} Routine;

static const Routine routines[] = {
	{ "potrf", potrf }, { "getrf", getrf }, { "geqrf", geqrf }, { "orgqr", orgqr }, { "ungqr", orgqr }, { "gehrd", gehrd },
	{ "sytrd", sytrd }, { "hetrd", sytrd }, { "trsm", trsm }, { "gtsv", gtsv }, { "gtsv2", gtsv }, { "syevd", syevd },
	{ "heevd", syevd }, { "gesdd", gesvd }, { "gesvd", gesvd }, { "gesvdj", gesvdj }, { "geev", geev }, { "gees", gees },
};

static const Routine *routine_of(const Str *target)
{
	static const struct { const char *prefix; size_t letter; } libraries[] = { { "lapack_", 1 }, { "cusolver_", 0 },
		{ "hipsolver_", 0 }, { "cusparse_", 0 }, { "hipsparse_", 0 } };
	static const char end[] = "_ffi";
	const size_t n = sizeof end - 1;
	for (size_t i = 0; i < ARRAY_LEN(libraries); i++) {
		size_t skip = strlen(libraries[i].prefix) + libraries[i].letter;
		if (target->len <= skip + n || strncmp(target->s, libraries[i].prefix, skip - libraries[i].letter) ||
			strcmp(target->s + target->len - n, end))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(routines); k++)
			if (strlen(routines[k].name) == target->len - skip - n &&
				!memcmp(routines[k].name, target->s + skip, target->len - skip - n))
				return &routines[k];
	}
	return NULL;
}

bool shlo_is_lapack(const Op *op)
{
	const Str *target = op_attr_str(op, A_call_target_name);
	return target && routine_of(target);
}

/* Results have the shapes that the call declares. */
bool shlo_lapack(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Routine *r = routine_of(op_attr_str(op, A_call_target_name));
	const bool bands = r->run == gtsv;
	Job j = { .e = e, .op = op, .in = in, .out = out, .batches = 1 };
	const Tensor *x = op->noperands ? in[0] : NULL;
	int fixed = bands ? 1 : 2;
	for (size_t i = 0; i < op->noperands; i++)
		if (in[i]->kind != TYPE_TENSOR || (dtype_class(in[i]->dtype) != DC_FLOAT && dtype_class(in[i]->dtype) != DC_COMPLEX))
			return eval_error(e, op, "%s does not hold numbers with a fraction", op_operand_said(e, op, i));
	if (!x || x->rank < fixed)
		return eval_error(e, op, "its operand is not a matrix");
	for (int d = 0; d < x->rank - fixed; d++)
		j.batches *= x->dims[d];
	for (size_t i = 0; i < op->nresults; i++)
		if (!(out[i] = shlo_new_result(e, op, i)))
			return false;
	bool ok = true;
	for (int64_t b = 0; b < j.batches && ok; b++) {
		j.a = arena_new();
		ok = r->run(&j, b);
		arena_free(j.a);
	}
	return ok;
}

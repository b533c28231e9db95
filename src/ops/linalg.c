#include "linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double cabs1(Cx z)
{
	return fabs(creal(z)) + fabs(cimag(z));
}

static double cabs2(Cx z)
{
	return creal(z) * creal(z) + cimag(z) * cimag(z);
}

/* ---- Cholesky, LU ---- */

int64_t la_cholesky(La *a, bool lower)
{
	int64_t n = a->rows;
	for (int64_t j = 0; j < n; j++) {
		double d = creal(*la_at(a, j, j));
		for (int64_t k = 0; k < j; k++)
			d -= cabs2(lower ? *la_at(a, j, k) : *la_at(a, k, j));
		if (!(d > 0))
			return j + 1;
		d = sqrt(d);
		*la_at(a, j, j) = d;
		for (int64_t i = j + 1; i < n; i++) {
			Cx *x = lower ? la_at(a, i, j) : la_at(a, j, i);
			for (int64_t k = 0; k < j; k++)
				*x -= lower ? *la_at(a, i, k) * conj(*la_at(a, j, k)) : conj(*la_at(a, k, j)) * *la_at(a, k, i);
			*x /= d;
		}
	}
	return 0;
}

int64_t la_lu(La *a, int64_t *pivots)
{
	int64_t n = a->rows < a->cols ? a->rows : a->cols, info = 0;
	for (int64_t j = 0; j < n; j++) {
		int64_t best = j;
		for (int64_t i = j + 1; i < a->rows; i++)
			if (cabs1(*la_at(a, i, j)) > cabs1(*la_at(a, best, j)))
				best = i;
		pivots[j] = best + 1;
		if (cabs1(*la_at(a, best, j)) == 0) {
			info = info ? info : j + 1;
			continue;
		}
		for (int64_t k = 0; best != j && k < a->cols; k++) {
			Cx t = *la_at(a, j, k);
			*la_at(a, j, k) = *la_at(a, best, k);
			*la_at(a, best, k) = t;
		}
		for (int64_t i = j + 1; i < a->rows; i++) {
			Cx f = *la_at(a, i, j) /= *la_at(a, j, j);
			for (int64_t k = j + 1; k < a->cols; k++)
				*la_at(a, i, k) -= f * *la_at(a, j, k);
		}
	}
	return info;
}

/* ---- reflectors ---- */

/* v = (alpha, x[0], x[step] ...): alpha becomes the real beta, x the rest of the reflector. */
static Cx reflector(int64_t n, Cx *alpha, Cx *x, int64_t step)
{
	double norm = 0;
	for (int64_t i = 0; i + 1 < n; i++)
		norm = hypot(norm, cabs(x[i * step]));
	if (n <= 0 || (norm == 0 && cimag(*alpha) == 0))
		return 0;
	double beta = -copysign(hypot(cabs(*alpha), norm), creal(*alpha));
	Cx tau = (beta - *alpha) / beta, scale = 1 / (*alpha - beta);
	for (int64_t i = 0; i + 1 < n; i++)
		x[i * step] *= scale;
	*alpha = beta;
	return tau;
}

/* A := (I - tau v v^H) A over rows r.. and columns c..; v[0] = 1, the rest n - 1 numbers `step` apart. */
static void reflect_left(La *a, int64_t r, int64_t c, int64_t n, const Cx *v, int64_t step, Cx tau, int64_t cols)
{
	for (int64_t j = c; j < cols; j++) {
		Cx s = *la_at(a, r, j);
		for (int64_t i = 1; i < n; i++)
			s += conj(v[(i - 1) * step]) * *la_at(a, r + i, j);
		*la_at(a, r, j) -= tau * s;
		for (int64_t i = 1; i < n; i++)
			*la_at(a, r + i, j) -= tau * s * v[(i - 1) * step];
	}
}

static void reflect_right(La *a, int64_t rows, int64_t c, int64_t n, const Cx *v, int64_t step, Cx tau)
{
	for (int64_t i = 0; i < rows; i++) {
		Cx s = *la_at(a, i, c);
		for (int64_t j = 1; j < n; j++)
			s += *la_at(a, i, c + j) * v[(j - 1) * step];
		*la_at(a, i, c) -= tau * s;
		for (int64_t j = 1; j < n; j++)
			*la_at(a, i, c + j) -= tau * s * conj(v[(j - 1) * step]);
	}
}

void la_qr(La *a, Cx *tau)
{
	int64_t n = a->rows < a->cols ? a->rows : a->cols;
	for (int64_t j = 0; j < n; j++) {
		Cx *x = j + 1 < a->rows ? la_at(a, j + 1, j) : NULL;
		tau[j] = reflector(a->rows - j, la_at(a, j, j), x, a->cols);
		reflect_left(a, j, j + 1, a->rows - j, x, a->cols, conj(tau[j]), a->cols);
	}
}

void la_q_of_qr(La *a, const Cx *tau, int64_t k)
{
	for (int64_t j = k; j < a->cols; j++)
		for (int64_t i = 0; i < a->rows; i++)
			*la_at(a, i, j) = i == j;
	for (int64_t j = k - 1; j >= 0; j--) {
		Cx *x = j + 1 < a->rows ? la_at(a, j + 1, j) : NULL;
		*la_at(a, j, j) = 1;
		reflect_left(a, j, j + 1, a->rows - j, x, a->cols, tau[j], a->cols);
		for (int64_t i = j + 1; i < a->rows; i++)
			*la_at(a, i, j) *= -tau[j];
		*la_at(a, j, j) = 1 - tau[j];
		for (int64_t i = 0; i < j; i++)
			*la_at(a, i, j) = 0;
	}
}

void la_hessenberg(La *a, int64_t low, int64_t high, Cx *tau)
{
	for (int64_t j = 0; j + 1 < a->rows; j++)
		tau[j] = 0;
	for (int64_t j = low; j + 1 < high; j++) {
		int64_t n = high - j - 1;
		Cx *x = j + 2 < a->rows ? la_at(a, j + 2, j) : NULL, beta = *la_at(a, j + 1, j);
		tau[j] = reflector(n, &beta, x, a->cols);
		reflect_right(a, high, j + 1, n, x, a->cols, tau[j]);
		reflect_left(a, j + 1, j + 1, n, x, a->cols, conj(tau[j]), a->cols);
		*la_at(a, j + 1, j) = beta;
	}
}

/* The Hermitian rank-2 update of the n x n part at (o, o) by the reflector v: A - v w^H - w v^H. Only one triangle is kept
 * up to date by the caller's reading; both are written here. */
static void rank_two(La *a, int64_t o, int64_t n, const Cx *v, Cx tau, bool lower, Cx *w)
{
	Cx dot = 0;
	for (int64_t i = 0; i < n; i++) {
		w[i] = 0;
		for (int64_t j = 0; j < n; j++) {
			bool stored = lower ? j <= i : j >= i;
			Cx x = stored ? *la_at(a, o + i, o + j) : conj(*la_at(a, o + j, o + i));
			w[i] += (i == j ? creal(x) : x) * v[j];
		}
		w[i] *= tau;
	}
	for (int64_t i = 0; i < n; i++)
		dot += conj(w[i]) * v[i];
	for (int64_t i = 0; i < n; i++)
		w[i] -= 0.5 * tau * dot * v[i];
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++)
			if (lower ? j <= i : j >= i)
				*la_at(a, o + i, o + j) -= v[i] * conj(w[j]) + w[i] * conj(v[j]);
}

/* work: 2 n. The reflectors are left where the reduced elements were. */
void la_tridiagonal(La *a, bool lower, Cx *d, Cx *e, Cx *tau, Cx *work)
{
	int64_t n = a->rows;
	Cx *v = work, *w = work + n;
	for (int64_t step = 0; step + 1 < n; step++) {
		int64_t i = lower ? step : n - 2 - step;     /* e[i] couples i and i + 1 */
		int64_t len = lower ? n - 1 - i : i + 1;
		Cx *alpha = lower ? la_at(a, i + 1, i) : la_at(a, i, i + 1);
		Cx *x = len > 1 ? (lower ? la_at(a, i + 2, i) : la_at(a, 0, i + 1)) : NULL;
		tau[i] = reflector(len, alpha, x, a->cols);
		e[i] = creal(*alpha);
		if (tau[i] != 0) {
			for (int64_t k = 0; k < len; k++)
				v[k] = lower ? (k == 0 ? 1 : x[(k - 1) * a->cols]) : (k == len - 1 ? 1 : x[k * a->cols]);
			rank_two(a, lower ? i + 1 : 0, len, v, tau[i], lower, w);
		}
		*alpha = e[i];
	}
	for (int64_t i = 0; i < n; i++)
		*la_at(a, i, i) = d[i] = creal(*la_at(a, i, i));
}

/* ---- solving ---- */

/* Element (i, j) of op(a), zero outside its triangle. */
static Cx triangle(const La *a, int64_t i, int64_t j, bool lower, char op, bool unit)
{
	int64_t r = op == 'N' ? i : j, c = op == 'N' ? j : i;
	if (r == c && unit)
		return 1;
	if (lower ? c > r : c < r)
		return 0;
	Cx x = *la_at(a, r, c);
	return op == 'C' ? conj(x) : x;
}

void la_triangular_solve(const La *a, La *b, bool left, bool lower, char op, bool unit)
{
	int64_t n = a->rows, other = left ? b->cols : b->rows;
	bool forward = (lower == (op == 'N')) == left;
	for (int64_t k = 0; k < other; k++)
		for (int64_t s = 0; s < n; s++) {
			int64_t i = forward ? s : n - 1 - s;
			Cx *x = left ? la_at(b, i, k) : la_at(b, k, i);
			for (int64_t t = 0; t < s; t++) {
				int64_t j = forward ? t : n - 1 - t;
				*x -= left ? triangle(a, i, j, lower, op, unit) * *la_at(b, j, k) :
					*la_at(b, k, j) * triangle(a, j, i, lower, op, unit);
			}
			*x /= triangle(a, i, i, lower, op, unit);
		}
}

static void subtract_row(La *b, int64_t to, Cx f, int64_t from)
{
	for (int64_t k = 0; k < b->cols; k++)
		*la_at(b, to, k) -= f * *la_at(b, from, k);
}

static void swap(Cx *a, Cx *b)
{
	Cx t = *a;
	*a = *b;
	*b = t;
}

/* Elimination with exchanges of neighbouring rows; dl[i] (i <= n - 3) becomes the second superdiagonal. */
int64_t la_tridiagonal_solve(int64_t n, Cx *dl, Cx *d, Cx *du, La *b)
{
	for (int64_t i = 0; i + 1 < n; i++) {
		if (dl[i] == 0) {
			if (d[i] == 0)
				return i + 1;
		} else if (cabs1(d[i]) >= cabs1(dl[i])) {
			Cx f = dl[i] / d[i];
			d[i + 1] -= f * du[i];
			subtract_row(b, i + 1, f, i);
			dl[i] = 0;
		} else {
			Cx f = d[i] / dl[i], t = d[i + 1];
			d[i] = dl[i];
			d[i + 1] = du[i] - f * t;
			if (i + 2 < n) {
				dl[i] = du[i + 1];
				du[i + 1] = -f * dl[i];
			}
			du[i] = t;
			for (int64_t k = 0; k < b->cols; k++)
				swap(la_at(b, i, k), la_at(b, i + 1, k));
			subtract_row(b, i + 1, f, i);
		}
	}
	if (n > 0 && d[n - 1] == 0)
		return n;
	for (int64_t i = n - 1; i >= 0; i--)
		for (int64_t k = 0; k < b->cols; k++) {
			Cx x = *la_at(b, i, k);
			if (i + 1 < n)
				x -= du[i] * *la_at(b, i + 1, k);
			if (i + 2 < n)
				x -= dl[i] * *la_at(b, i + 2, k);
			*la_at(b, i, k) = x / d[i];
		}
	return 0;
}

/* ---- Jacobi: Hermitian eigenvalues, singular values ---- */

enum { MAX_SWEEPS = 60 };

typedef struct Rotation {
	double c, s;
	Cx phase;
} Rotation;

/* Makes [[p, g], [conj g, q]] diagonal. */
static Rotation rotation(double p, double q, Cx g)
{
	double m = cabs(g), theta = (q - p) / (2 * m);
	double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta)), c = 1 / hypot(1, t);
	return (Rotation){ c, t * c, conj(g) / m };
}

static void rotate_columns(La *a, int64_t p, int64_t q, Rotation r)
{
	for (int64_t i = 0; i < a->rows; i++) {
		Cx x = *la_at(a, i, p), y = *la_at(a, i, q) * r.phase;
		*la_at(a, i, p) = r.c * x - r.s * y;
		*la_at(a, i, q) = r.s * x + r.c * y;
	}
}

static void rotate_rows(La *a, int64_t p, int64_t q, Rotation r)
{
	for (int64_t j = 0; j < a->cols; j++) {
		Cx x = *la_at(a, p, j), y = *la_at(a, q, j) * conj(r.phase);
		*la_at(a, p, j) = r.c * x - r.s * y;
		*la_at(a, q, j) = r.s * x + r.c * y;
	}
}

static void identity(La *m)
{
	for (int64_t i = 0; i < m->rows * m->cols; i++)
		m->v[i] = i / m->cols == i % m->cols;
}

static void exchange(La *m, int64_t i, int64_t j)
{
	for (int64_t k = 0; k < m->rows; k++)
		swap(la_at(m, k, i), la_at(m, k, j));
}

/* Columns in the order of their keys. */
static void sort_columns(double *key, int64_t n, bool descending, La *first, La *second)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t best = i;
		for (int64_t j = i + 1; j < n; j++)
			if (descending ? key[j] > key[best] : key[j] < key[best])
				best = j;
		if (best == i)
			continue;
		double t = key[i];
		key[i] = key[best];
		key[best] = t;
		exchange(first, i, best);
		if (second)
			exchange(second, i, best);
	}
}

static int64_t largest(const La *m, int64_t col)
{
	int64_t best = 0;
	for (int64_t i = 1; i < m->rows; i++)
		if (cabs(*la_at(m, i, col)) > cabs(*la_at(m, best, col)) * (1 + 1e-12))
			best = i;
	return best;
}

static void scale_column(La *m, int64_t col, Cx f)
{
	for (int64_t i = 0; i < m->rows; i++)
		*la_at(m, i, col) *= f;
}

void la_eigen_hermitian(La *a, double *w, La *v)
{
	int64_t n = a->rows;
	double total = 0;
	identity(v);
	for (int64_t i = 0; i < n * n; i++)
		total = hypot(total, cabs(a->v[i]));
	for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
		bool any = false;
		for (int64_t p = 0; p < n; p++)
			for (int64_t q = p + 1; q < n; q++) {
				Cx g = *la_at(a, p, q);
				if (!(cabs(g) > total * DBL_EPSILON * 1e-3))
					continue;
				any = true;
				Rotation r = rotation(creal(*la_at(a, p, p)), creal(*la_at(a, q, q)), g);
				rotate_columns(a, p, q, r);
				rotate_rows(a, p, q, r);
				rotate_columns(v, p, q, r);
			}
		if (!any)
			break;
	}
	for (int64_t i = 0; i < n; i++)
		w[i] = creal(*la_at(a, i, i));
	sort_columns(w, n, false, v, NULL);
	for (int64_t j = 0; j < n; j++) {
		Cx x = *la_at(v, largest(v, j), j);
		if (x != 0)
			scale_column(v, j, conj(x) / cabs(x));
	}
}

static Cx column_product(const La *a, int64_t p, int64_t q)
{
	Cx s = 0;
	for (int64_t i = 0; i < a->rows; i++)
		s += conj(*la_at(a, i, p)) * *la_at(a, i, q);
	return s;
}

void la_complete_basis(La *q, int64_t have)
{
	int64_t next = 0;
	for (int64_t j = have; j < q->cols; j++) {
		for (; next < q->rows; next++) {
			for (int64_t i = 0; i < q->rows; i++)
				*la_at(q, i, j) = i == next;
			for (int pass = 0; pass < 2; pass++)
				for (int64_t k = 0; k < j; k++) {
					Cx f = column_product(q, k, j);
					for (int64_t i = 0; i < q->rows; i++)
						*la_at(q, i, j) -= f * *la_at(q, i, k);
				}
			double norm = sqrt(creal(column_product(q, j, j)));
			if (norm > 1e-2 / (double)(q->rows + 1)) {
				scale_column(q, j, 1 / norm);
				next++;
				break;
			}
		}
	}
}

/* Columns are rotated until they are orthogonal; their lengths are the singular values. */
void la_svd(La *a, double *s, La *v)
{
	int64_t n = a->cols, rank = 0;
	identity(v);
	for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
		bool any = false;
		for (int64_t p = 0; p < n; p++)
			for (int64_t q = p + 1; q < n; q++) {
				double x = creal(column_product(a, p, p)), y = creal(column_product(a, q, q));
				Cx g = column_product(a, p, q);
				if (!(cabs(g) > DBL_EPSILON * sqrt(x) * sqrt(y)) || cabs(g) < DBL_MIN)
					continue;
				any = true;
				Rotation r = rotation(x, y, g);
				rotate_columns(a, p, q, r);
				rotate_columns(v, p, q, r);
			}
		if (!any)
			break;
	}
	for (int64_t j = 0; j < n; j++)
		s[j] = sqrt(creal(column_product(a, j, j)));
	sort_columns(s, n, true, a, v);
	while (rank < n && s[rank] > (double)a->rows * DBL_EPSILON * s[0])
		scale_column(a, rank, 1 / s[rank]), rank++;
	la_complete_basis(a, rank);
}

/* ---- Schur form and eigenvectors ---- */

/* The eigenvalue of the last 2 x 2 block that is nearer its corner. */
static Cx wilkinson(const La *a, int64_t m)
{
	Cx p = *la_at(a, m - 1, m - 1), q = *la_at(a, m - 1, m), r = *la_at(a, m, m - 1), s = *la_at(a, m, m);
	Cx half = (p + s) / 2, root = csqrt((p - s) * (p - s) / 4 + q * r);
	return cabs(half + root - s) < cabs(half - root - s) ? half + root : half - root;
}

/* One QR step with the shift on rows l..m: planes are rotated from the top, then the columns. */
static void qr_step(La *a, La *z, int64_t l, int64_t m, Cx shift, Cx *work)
{
	int64_t n = a->rows;
	Cx *cs = work, *sn = work + n;
	for (int64_t i = l; i <= m; i++)
		*la_at(a, i, i) -= shift;
	for (int64_t i = l; i < m; i++) {
		Cx x = *la_at(a, i, i), y = *la_at(a, i + 1, i);
		double r = hypot(cabs(x), cabs(y));
		cs[i] = r == 0 ? 1 : x / r;
		sn[i] = r == 0 ? 0 : y / r;
		for (int64_t j = i; j < n; j++) {
			Cx u = *la_at(a, i, j), w = *la_at(a, i + 1, j);
			*la_at(a, i, j) = conj(cs[i]) * u + conj(sn[i]) * w;
			*la_at(a, i + 1, j) = cs[i] * w - sn[i] * u;
		}
	}
	for (int64_t i = l; i < m; i++) {
		for (int64_t k = 0; k <= (i + 2 < m ? i + 2 : m); k++) {
			Cx u = *la_at(a, k, i), w = *la_at(a, k, i + 1);
			*la_at(a, k, i) = u * cs[i] + w * sn[i];
			*la_at(a, k, i + 1) = w * conj(cs[i]) - u * conj(sn[i]);
		}
		for (int64_t k = 0; k < n; k++) {
			Cx u = *la_at(z, k, i), w = *la_at(z, k, i + 1);
			*la_at(z, k, i) = u * cs[i] + w * sn[i];
			*la_at(z, k, i + 1) = w * conj(cs[i]) - u * conj(sn[i]);
		}
	}
	for (int64_t i = l; i <= m; i++)
		*la_at(a, i, i) += shift;
}

bool la_schur(La *a, La *z, Cx *work)
{
	enum { MAX_STEPS = 60 };
	int64_t n = a->rows;
	identity(z);
	la_hessenberg(a, 0, n, work);
	for (int64_t j = n - 3; j >= 0; j--) { /* z = H1 H2 ...; what held the reflectors becomes zero */
		reflect_left(z, j + 1, j + 1, n - j - 1, la_at(a, j + 2, j), a->cols, work[j], n);
		for (int64_t i = j + 2; i < n; i++)
			*la_at(a, i, j) = 0;
	}
	int steps = 0;
	for (int64_t m = n - 1; m > 0;) {
		int64_t l = m;
		for (; l > 0; l--) {
			double size = cabs1(*la_at(a, l, l)) + cabs1(*la_at(a, l - 1, l - 1));
			if (cabs1(*la_at(a, l, l - 1)) <= DBL_EPSILON * (size > 0 ? size : 1))
				break;
		}
		if (l > 0)
			*la_at(a, l, l - 1) = 0;
		if (l == m) {
			m--;
			steps = 0;
			continue;
		}
		if (++steps > MAX_STEPS)
			return false;
		Cx shift = steps % 10 ? wilkinson(a, m) : *la_at(a, m, m) + cabs(*la_at(a, m, m - 1));
		qr_step(a, z, l, m, shift, work);
	}
	return true;
}

/* Back substitution in the triangle for each eigenvalue, then back to the old basis. */
void la_eigenvectors(const La *t, const La *z, bool left, La *out, Cx *work)
{
	int64_t n = t->rows;
	double norm = 0;
	for (int64_t i = 0; i < n * n; i++)
		norm = fmax(norm, cabs(t->v[i]));
	double least = norm > 0 ? norm * DBL_EPSILON : DBL_MIN;
	for (int64_t k = 0; k < n; k++) {
		memset(work, 0, (size_t)n * sizeof *work);
		work[k] = 1;
		for (int64_t step = 1; left ? k + step < n : step <= k; step++) {
			int64_t i = left ? k + step : k - step;
			Cx s = 0, d = *la_at(t, i, i) - *la_at(t, k, k);
			for (int64_t j = left ? k : i + 1; j < (left ? i : k + 1); j++)
				s += left ? conj(*la_at(t, j, i)) * work[j] : *la_at(t, i, j) * work[j];
			d = cabs(d) < least ? least : d;
			work[i] = -s / (left ? conj(d) : d);
		}
		double length = 0;
		for (int64_t i = 0; i < n; i++) {
			Cx x = 0;
			for (int64_t j = 0; j < n; j++)
				x += *la_at(z, i, j) * work[j];
			*la_at(out, i, k) = x;
			length = hypot(length, cabs(x));
		}
		Cx big = *la_at(out, largest(out, k), k);
		scale_column(out, k, big == 0 ? 1 : conj(big) / (cabs(big) * length));
		Cx *top = la_at(out, largest(out, k), k);
		*top = creal(*top);
	}
}

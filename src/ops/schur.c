#include "linalg.h"

#include <math.h>

/* The real Schur form of a real matrix out of its complex one: conjugate eigenvalues are brought together by exchanges of
 * neighbours; the vectors up to the end of each block then span a real space, of which a real basis is taken; blocks of two are
 * turned so that their diagonals are equal. */

/* Exchanges eigenvalues m - 1 and m of the triangular t, whose vectors are the columns of u. */
static void exchange(La *t, La *u, int64_t m)
{
	int64_t n = t->rows;
	Cx x = *la_at(t, m - 1, m), y = *la_at(t, m, m) - *la_at(t, m - 1, m - 1);
	double size = hypot(cabs(x), cabs(y));
	if (size == 0)
		return;
	x /= size;
	y /= size;
	for (int64_t c = 0; c < n; c++) {
		Cx a = *la_at(t, m - 1, c), b = *la_at(t, m, c);
		*la_at(t, m - 1, c) = conj(x) * a + conj(y) * b;
		*la_at(t, m, c) = -y * a + x * b;
	}
	for (int64_t r = 0; r < n; r++) {
		Cx a = *la_at(t, r, m - 1), b = *la_at(t, r, m), c = *la_at(u, r, m - 1), d = *la_at(u, r, m);
		*la_at(t, r, m - 1) = a * x + b * y;
		*la_at(t, r, m) = -a * conj(y) + b * conj(x);
		*la_at(u, r, m - 1) = c * x + d * y;
		*la_at(u, r, m) = -c * conj(y) + d * conj(x);
	}
	*la_at(t, m, m - 1) = 0;
}

/* The part of a real vector (the real or imaginary part of column k of u) that is orthogonal to the first `have` columns of z;
 * its length. */
static double rest_of(const La *u, int64_t k, bool imaginary, const La *z, int64_t have, double *v)
{
	int64_t n = u->rows;
	double length = 0;
	for (int64_t r = 0; r < n; r++)
		v[r] = imaginary ? cimag(*la_at(u, r, k)) : creal(*la_at(u, r, k));
	for (int pass = 0; pass < 2; pass++)
		for (int64_t c = 0; c < have; c++) {
			double dot = 0;
			for (int64_t r = 0; r < n; r++)
				dot += creal(*la_at(z, r, c)) * v[r];
			for (int64_t r = 0; r < n; r++)
				v[r] -= dot * creal(*la_at(z, r, c));
		}
	for (int64_t r = 0; r < n; r++)
		length = hypot(length, v[r]);
	return length;
}

/* Column `at` of z: the longest of what columns first..first+width-1 of u add. */
static void next_column(const La *u, int64_t first, int64_t width, La *z, int64_t at, double *v)
{
	double longest = -1;
	for (int64_t i = 0; i < 2 * width; i++) {
		double length = rest_of(u, first + i / 2, i % 2, z, at, v);
		if (length <= longest)
			continue;
		longest = length;
		for (int64_t r = 0; r < u->rows; r++)
			*la_at(z, r, at) = length > 0 ? v[r] / length : 0;
	}
}

/* Rows and columns i, i + 1 of a are turned until both entries of the diagonal are equal. */
static void turn(La *a, La *z, int64_t i)
{
	double angle = atan2(creal(*la_at(a, i + 1, i + 1) - *la_at(a, i, i)), creal(*la_at(a, i, i + 1) + *la_at(a, i + 1, i))) / 2;
	double c = cos(angle), s = sin(angle);
	for (int64_t k = 0; k < a->rows; k++) {
		Cx x = *la_at(a, i, k), y = *la_at(a, i + 1, k);
		*la_at(a, i, k) = c * x + s * y;
		*la_at(a, i + 1, k) = -s * x + c * y;
	}
	for (int64_t k = 0; k < a->rows; k++) {
		Cx x = *la_at(a, k, i), y = *la_at(a, k, i + 1), p = *la_at(z, k, i), q = *la_at(z, k, i + 1);
		*la_at(a, k, i) = c * x + s * y;
		*la_at(a, k, i + 1) = -s * x + c * y;
		*la_at(z, k, i) = c * p + s * q;
		*la_at(z, k, i + 1) = -s * p + c * q;
	}
}

/* a becomes z^T a z. */
static void transform(La *a, const La *z, La *work)
{
	int64_t n = a->rows;
	for (int64_t r = 0; r < n; r++)
		for (int64_t c = 0; c < n; c++) {
			Cx s = 0;
			for (int64_t k = 0; k < n; k++)
				s += *la_at(a, r, k) * *la_at(z, k, c);
			*la_at(work, r, c) = s;
		}
	for (int64_t r = 0; r < n; r++)
		for (int64_t c = 0; c < n; c++) {
			Cx s = 0;
			for (int64_t k = 0; k < n; k++)
				s += *la_at(z, k, r) * *la_at(work, k, c);
			*la_at(a, r, c) = s;
		}
}

void la_real_schur(La *a, La *t, La *u, La *z, Cx *w, double *v)
{
	int64_t n = a->rows, width;
	double size = 0;
	for (int64_t i = 0; i < n; i++)
		size = fmax(size, cabs(*la_at(t, i, i)));
	for (int64_t i = 0; i < n; i += width) {
		Cx mine = *la_at(t, i, i);
		width = i + 1 < n && fabs(cimag(mine)) > 1e-12 * size ? 2 : 1;
		int64_t other = i + 1;
		for (int64_t k = i + 1; k < n; k++)
			if (cabs(*la_at(t, k, k) - conj(mine)) < cabs(*la_at(t, other, other) - conj(mine)))
				other = k;
		for (int64_t m = other; width == 2 && m > i + 1; m--)
			exchange(t, u, m);
		w[i] = width == 1 ? creal(mine) : 0;
		for (int64_t k = 0; k < width; k++)
			next_column(u, i, width, z, i + k, v);
		if (width == 2)
			w[i] = w[i + 1] = 1 * I; /* a mark: its eigenvalues are those of the block */
	}
	transform(a, z, t);
	for (int64_t i = 0; i < n; i += width) {
		width = cimag(w[i]) != 0 ? 2 : 1;
		for (int64_t r = i + width; r < n; r++)
			for (int64_t c = i; c < i + width; c++)
				*la_at(a, r, c) = 0;
		if (width == 2) {
			turn(a, z, i);
			double mean = creal(*la_at(a, i, i) + *la_at(a, i + 1, i + 1)) / 2;
			double part = sqrt(fabs(creal(*la_at(a, i, i + 1)) * creal(*la_at(a, i + 1, i))));
			*la_at(a, i, i) = *la_at(a, i + 1, i + 1) = mean;
			w[i] = mean + part * I;
			w[i + 1] = mean - part * I;
		} else {
			w[i] = creal(*la_at(a, i, i));
		}
	}
}

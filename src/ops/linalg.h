/* linalg: dense factorisations of small matrices of complex numbers in double, row by row. Signs and phases are those of
 * LAPACK where it defines them: reflectors are H = I - tau v v^H with v[0] = 1 and a real result, pivots are the largest of
 * |re| + |im|. Private to src/ops. */
#ifndef HONE_OPS_LINALG_H
#define HONE_OPS_LINALG_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

typedef double complex Cx;
typedef struct La {
	Cx *v;          /* rows * cols */
	int64_t rows, cols;
} La;
static inline Cx *la_at(const La *m, int64_t i, int64_t j) { return &m->v[i * m->cols + j]; }

/* All work in place. Results that are an int64_t: 0, or LAPACK's info > 0. Work arrays are the caller's: n is rows or cols,
 * whichever is more. */
int64_t la_cholesky(La *a, bool lower);                        /* the other triangle stays */
int64_t la_lu(La *a, int64_t *pivots);                         /* pivots from 1, min(rows, cols) of them */
void la_qr(La *a, Cx *tau);                                    /* min(rows, cols) reflectors below the diagonal */
void la_q_of_qr(La *a, const Cx *tau, int64_t k);              /* the first cols columns of H1 H2 ... Hk */
void la_hessenberg(La *a, int64_t low, int64_t high, Cx *tau); /* rows low..high-1, from 0 */
void la_tridiagonal(La *a, bool lower, Cx *d, Cx *e, Cx *tau, Cx *work);
/* x with a x = b or x a = b; a's other triangle is not read. op: 'N', 'T', 'C'. */
void la_triangular_solve(const La *a, La *b, bool left, bool lower, char op, bool unit);
int64_t la_tridiagonal_solve(int64_t n, Cx *dl, Cx *d, Cx *du, La *b);
/* Hermitian: w ascending, the columns of v its vectors; a is destroyed. Each vector's largest element is positive. */
void la_eigen_hermitian(La *a, double *w, La *v);
/* rows >= cols: a = u diag(s) v^H, s descending; a becomes u (rows x cols), v is cols x cols. */
void la_svd(La *a, double *s, La *v);
/* Columns from `have` on are made orthonormal to those before them. */
void la_complete_basis(La *q, int64_t have);
/* a becomes the triangular Schur form, z (square, any content) its unitary vectors. False when it does not converge. */
bool la_schur(La *a, La *z, Cx *work);
/* A real matrix a, whose complex form is t with vectors u (both are destroyed), becomes its real form: blocks of one and, for
 * conjugate eigenvalues, of two with equal diagonals; z (square, any content) its orthogonal vectors, w the eigenvalues in
 * order, the one above the axis first. v: work. schur.c */
void la_real_schur(La *a, La *t, La *u, La *z, Cx *w, double *v);
/* Vectors of the matrix whose Schur form is t with vectors z, one a column, of length 1 and the largest element real. */
void la_eigenvectors(const La *t, const La *z, bool left, La *out, Cx *work);

#endif

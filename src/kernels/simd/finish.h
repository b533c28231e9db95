/* finish: what follows the sums of a micro-kernel. */
#ifndef HONE_SIMD_FINISH_H
#define HONE_SIMD_FINISH_H

#include "micro.h"

enum { FINISH_VECTORS = 4 };

/* What follows the sums of `rows` rows, one thing after the other for all of them: so its conditions are asked once, and only
 * what there is takes time. y is read before the stores, which might change it, for all the compiler knows. */
static inline __attribute__((always_inline)) void micro_finish(const Micro *m, Vec (*acc)[FINISH_VECTORS], int64_t col, int64_t cols,
	const int rows, const int nv)
{
	int64_t last = cols - (nv - 1) * LANES;
	if (m->alpha != 1)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
			for (int j = 0; j < nv; j++)
				acc[i][j] *= vec_set(m->alpha);
	if (m->residual)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
			for (int j = 0; j < nv; j++) {
				const float *r = m->residual[i] + col + j * LANES;
				acc[i][j] += j < nv - 1 || last == LANES ? vec_load(r) : vec_load_part(r, last);
			}
	if (m->lo != -INFINITY)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
			for (int j = 0; j < nv; j++)
				acc[i][j] = vec_max(vec_set(m->lo), acc[i][j]); /* NaN stays NaN */
	if (m->hi != INFINITY)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
			for (int j = 0; j < nv; j++)
				acc[i][j] = vec_min(vec_set(m->hi), acc[i][j]);
	if (m->hard_swish)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
			for (int j = 0; j < nv; j++)
				acc[i][j] = vec_hard_swish(acc[i][j]);
	float *const *y = m->y;
	if (last == LANES)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
			for (int j = 0; j < nv; j++)
				vec_store(y[i] + col + j * LANES, acc[i][j]);
	else
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++) {
#pragma GCC unroll 4
			for (int j = 0; j < nv - 1; j++)
				vec_store(y[i] + col + j * LANES, acc[i][j]);
			vec_store_part(y[i] + col + (nv - 1) * LANES, acc[i][nv - 1], last);
		}
}

#endif

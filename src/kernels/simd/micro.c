/* One function for each number of rows, so that the accumulators stay in registers: for each k, one broadcast a row
 * and one multiply-add a row and vector of columns. */
#include "finish.h"

/* With 10 to 13 rows, a turn of the loop takes two k: the rows of the second are loaded ahead of their use, which more
 * accumulators leave no registers for, and fewer do not need. Then only the pointers of HELD_ROWS rows stay in registers,
 * those of others are loaded again for each k: compilers would keep them in vector registers, and moving them back takes the
 * ports of multiply-adds. */
enum { TWO_FROM = 10, TWO_TO = 13, HELD_ROWS = 8 };

/* rows, nv (vectors of columns), parts and paged are constants of each use. Part q of a sum takes every parts-th k from q. */
static inline __attribute__((always_inline)) void micro(const Micro *m, const float *w, const float *bias, int64_t col,
	int64_t cols, const int rows, const int nv, const int parts, const bool paged)
{
	Vec acc[4][MICRO_ROWS][FINISH_VECTORS], start[2] = {0};
	if (bias)
		for (int j = 0; j < nv; j++)
			start[j] = j < nv - 1 ? vec_load(bias + col + j * LANES) : vec_load_part(bias + col + j * LANES, cols - j * LANES);
#pragma GCC unroll 16
	for (int q = 0; q < parts; q++)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
#pragma GCC unroll 16
			for (int j = 0; j < nv; j++)
				acc[q][i][j] = q ? (Vec){0} : start[j];
	const float *const *at = m->a;
	const float *ahead = m->ahead;
	int64_t step = m->w_step, len = m->len, ahead_step = m->ahead_step, ahead_back = m->ahead_back;
	const float *ahead_end = m->ahead_end;
	const bool two = ISA_LEVEL == 4 && nv == 2 && rows >= TWO_FROM && rows <= TWO_TO;
	const int turn = two ? 2 : parts, held = two ? HELD_ROWS : rows;
	for (int64_t t = m->runs; t > 0; t--, at += rows) {
		const float *a[MICRO_ROWS];
		const float *const *others = at;
#pragma GCC unroll 16
		for (int i = 0; i < held; i++)
			a[i] = at[i];
		int64_t k = 0;
		for (; k + turn <= len; k += turn)
#pragma GCC unroll 16
			for (int q = 0; q < turn; q++, w += step) {
				__builtin_prefetch(ahead, 0, 2);
				ahead += ahead_step;
				if (paged)
					ahead -= ahead >= ahead_end ? ahead_back : 0;
				if (held < rows)
					__asm__("" : "+r"(others));
				if (parts > 1 && nv > 1)
					__builtin_prefetch(ahead - ahead_step + LANES, 0, 2);
				Vec b[2];
#pragma GCC unroll 16
				for (int j = 0; j < nv; j++)
					b[j] = vec_load(w + j * LANES);
#pragma GCC unroll 16
				for (int i = 0; i < rows; i++) {
					Vec x = vec_set((i < held ? a[i] : others[i])[k + q]);
#pragma GCC unroll 16
					for (int j = 0; j < nv; j++)
						acc[q % parts][i][j] += x * b[j];
				}
			}
		if (turn > 1)
			for (; k < len; k++, w += step)
#pragma GCC unroll 16
				for (int j = 0; j < nv; j++)
#pragma GCC unroll 16
					for (int i = 0; i < rows; i++)
						acc[0][i][j] += vec_set(at[i][k]) * vec_load(w + j * LANES);
	}
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 16
		for (int q = 1; q < parts; q++)
#pragma GCC unroll 16
			for (int j = 0; j < nv; j++)
				acc[0][i][j] += acc[q][i][j];
	micro_finish(m, acc[0], col, cols, rows, nv);
}

#define MICRO(rows, nv, parts) \
	static void micro_##rows##_##nv##_##parts(const Micro *m, const float *w, const float *bias, int64_t col, \
		int64_t cols) \
	{ \
		micro(m, w, bias, col, cols, rows, nv, parts, false); \
	}
#define MICRO_BOTH(rows) \
	MICRO(rows, 1, 1) MICRO(rows, 2, 1) \
	static void micro_##rows##_paged(const Micro *m, const float *w, const float *bias, int64_t col, int64_t cols) \
	{ \
		micro(m, w, bias, col, cols, rows, 2, 1, true); \
	}
MICRO_BOTH(1) MICRO_BOTH(2) MICRO_BOTH(3) MICRO_BOTH(4) MICRO_BOTH(5)
#if ISA_LEVEL != 2 || defined(__aarch64__)
MICRO_BOTH(6)
#endif
#if ISA_LEVEL == 4 || defined(__aarch64__)
MICRO_BOTH(7) MICRO_BOTH(8) MICRO_BOTH(9) MICRO_BOTH(10) MICRO_BOTH(11) MICRO_BOTH(12)
#endif
#if ISA_LEVEL == 4
MICRO_BOTH(13) MICRO_BOTH(14)
#endif
MICRO(1, 1, 4) MICRO(1, 2, 4) MICRO(2, 1, 2) MICRO(2, 2, 2) MICRO(3, 1, 2) MICRO(3, 2, 2)

enum { NARROW, WIDE, PAGED };
#define ROW(rows) { micro_##rows##_1_1, micro_##rows##_2_1, micro_##rows##_paged }
static MicroRun *const WHOLE[MICRO_ROWS][3] = {
	ROW(1), ROW(2), ROW(3), ROW(4), ROW(5),
#if ISA_LEVEL != 2 || defined(__aarch64__)
	ROW(6),
#endif
#if ISA_LEVEL == 4 || defined(__aarch64__)
	ROW(7), ROW(8), ROW(9), ROW(10), ROW(11), ROW(12),
#endif
#if ISA_LEVEL == 4
	ROW(13), ROW(14),
#endif
};
enum { FEW_ROWS = 3 };
static MicroRun *const FEW[FEW_ROWS][2] = {
	{micro_1_1_4, micro_1_2_4}, {micro_2_1_2, micro_2_2_2}, {micro_3_1_2, micro_3_2_2},
};

MicroRun *K(micro_for)(int64_t rows, int64_t cols, bool few)
{
	int wide = cols > LANES ? WIDE : NARROW;
	return few && rows <= FEW_ROWS ? FEW[rows - 1][wide] : WHOLE[rows - 1][wide];
}

MicroRun *K(micro_paged)(int64_t rows)
{
	return WHOLE[rows - 1][PAGED];
}

/* As micro, one row; vectors from the third on are of the next panel. */
static inline __attribute__((always_inline)) void resident(const Micro *m, const float *w, const float *bias, int64_t col,
	int64_t cols, const int nv, const int parts)
{
	Vec acc[8][1][FINISH_VECTORS];
#pragma GCC unroll 8
	for (int q = 0; q < parts; q++)
#pragma GCC unroll 4
		for (int j = 0; j < nv; j++)
			acc[q][0][j] = (Vec){0};
	const int step = nv == 1 ? LANES : PANEL;
	const float *a = m->a[0], *next = w + m->len * PANEL;
	int64_t k = 0;
	for (; k + parts <= m->len; k += parts)
#pragma GCC unroll 8
		for (int q = 0; q < parts; q++, w += step, next += step) {
			Vec x = vec_set(a[k + q]);
#pragma GCC unroll 4
			for (int j = 0; j < nv; j++)
				acc[q][0][j] += x * vec_load(j < 2 ? w + j * LANES : next + (j - 2) * LANES);
		}
	for (; k < m->len; k++, w += step, next += step)
#pragma GCC unroll 4
		for (int j = 0; j < nv; j++)
			acc[0][0][j] += vec_set(a[k]) * vec_load(j < 2 ? w + j * LANES : next + (j - 2) * LANES);
#pragma GCC unroll 4
	for (int j = 0; j < nv; j++) {
#pragma GCC unroll 4
		for (int half = parts / 2; half; half /= 2)
#pragma GCC unroll 4
			for (int q = 0; q < half; q++)
				acc[q][0][j] += acc[q + half][0][j];
		if (bias)
			acc[0][0][j] += j < nv - 1 ? vec_load(bias + col + j * LANES) : vec_load_part(bias + col + j * LANES, cols - j * LANES);
	}
	micro_finish(m, acc[0], col, cols, 1, nv);
}

#define RESIDENT(nv, parts) \
	static void resident_##nv(const Micro *m, const float *w, const float *bias, int64_t col, int64_t cols) \
	{ \
		resident(m, w, bias, col, cols, nv, parts); \
	}
RESIDENT(1, 8) RESIDENT(2, 4) RESIDENT(4, 2)

MicroRun *K(micro_resident)(int64_t cols)
{
	return cols <= LANES ? resident_1 : cols <= PANEL ? resident_2 : resident_4;
}

/* The last columns of a product, where whole vectors of columns would be half empty: a vector holds PAIR_COLS columns for two
 * k side by side, and multiplies a pair of a row's numbers that one load repeats. The two sums of a column are added at the end. */
#include "finish.h"

#if ISA_LEVEL == 4

enum { MOST = 3, CUT_ROWS = 7, HELD_ROWS = 8 }; /* vectors; rows of three of them; rows whose pointers stay in registers */

/* Even and odd lanes of both: sums of the first, then of the second. */
static inline Vec pair_sums(Vec a, Vec b)
{
	return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) +
		__builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

/* Sums of vector v of each row, two rows at a time, to the front of vector `to`. */
static inline __attribute__((always_inline)) void single_sums(Vec acc[][MOST], const int v, Vec out[][FINISH_VECTORS], const int to,
	const int rows)
{
#pragma GCC unroll 16
	for (int i = 0; i < rows; i += 2) {
		const int next = i + 1 < rows ? i + 1 : i;
		Vec s = pair_sums(acc[i][v], acc[next][v]);
		out[i][to] = s;
		if (next > i)
			out[next][to] = __builtin_shufflevector(s, s, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
	}
}

/* rows and nv are constants of each use; table_rows: those of m->a. With one vector, a turn takes two pairs of one row after the
 * other, so that pointers that are loaded again are loaded once a turn. */
static inline __attribute__((always_inline)) void pairs(const Micro *m, int64_t table_rows, const float *w, const float *bias,
	int64_t col, int64_t cols, const int rows, const int nv)
{
	const int turn = nv == 1 ? 2 : 1, held = rows < HELD_ROWS ? rows : HELD_ROWS;
	Vec acc[MICRO_ROWS][MOST], out[MICRO_ROWS][FINISH_VECTORS];
#pragma GCC unroll 16
	for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
		for (int j = 0; j < nv; j++)
			acc[i][j] = (Vec){0};
	const float *const *at = m->a;
	const float *ahead = m->ahead;
	int64_t len = m->len, ahead_step = m->ahead_step;
	for (int64_t t = m->runs; t > 0; t--, at += table_rows) {
		const float *a[HELD_ROWS];
		const float *const *others = at;
		int64_t k = 0;
#pragma GCC unroll 8
		for (int i = 0; i < held; i++)
			a[i] = at[i];
		for (; k + 2 * turn <= len; k += 2 * turn) {
			Vec b[2][MOST];
#pragma GCC unroll 2
			for (int q = 0; q < turn; q++, w += nv * LANES, ahead += 2 * ahead_step) {
				__builtin_prefetch(ahead, 0, 2);
				__builtin_prefetch(ahead + ahead_step, 0, 2);
#pragma GCC unroll 4
				for (int j = 0; j < nv; j++)
					b[q][j] = vec_load(w + j * LANES);
			}
			if (held < rows)
				__asm__("" : "+r"(others));
#pragma GCC unroll 16
			for (int i = 0; i < rows; i++) {
				const float *x = (i < held ? a[i] : others[i]) + k;
#pragma GCC unroll 2
				for (int q = 0; q < turn; q++) {
					Vec pair = vec_pair(x + 2 * q);
#pragma GCC unroll 4
					for (int j = 0; j < nv; j++)
						acc[i][j] += pair * b[q][j];
				}
			}
		}
		if (turn > 1 && k < len) {
			Vec b = vec_load(w);
#pragma GCC unroll 16
			for (int i = 0; i < rows; i++)
				acc[i][0] += vec_pair(at[i] + k) * b;
			w += LANES;
		}
	}
	if (nv > 1)
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
			out[i][0] = pair_sums(acc[i][0], acc[i][1]);
	if (nv != 2)
		single_sums(acc, nv - 1, out, nv / 2, rows);
	const int last = nv / 2 - (nv == 2); /* vector of the result */
	if (bias)
#pragma GCC unroll 2
		for (int j = 0; j <= last; j++) {
			Vec add = vec_load_part(bias + col + j * LANES, min_i64(LANES, cols - j * LANES));
#pragma GCC unroll 16
			for (int i = 0; i < rows; i++)
				out[i][j] += add;
		}
	micro_finish(m, out, col, cols, rows, last + 1);
}

typedef void PairsRun(const Micro *m, int64_t table_rows, const float *w, const float *bias, int64_t col, int64_t cols);
#define PAIRS_RUN(rows, nv) \
	static void pairs_##rows##_##nv(const Micro *m, int64_t table_rows, const float *w, const float *bias, int64_t col, \
		int64_t cols) \
	{ \
		pairs(m, table_rows, w, bias, col, cols, rows, nv); \
	}
#define PAIRS_ALL(nv) \
	PAIRS_RUN(1, nv) PAIRS_RUN(2, nv) PAIRS_RUN(3, nv) PAIRS_RUN(4, nv) PAIRS_RUN(5, nv) PAIRS_RUN(6, nv) PAIRS_RUN(7, nv)
#define PAIRS_MORE(nv) \
	PAIRS_RUN(8, nv) PAIRS_RUN(9, nv) PAIRS_RUN(10, nv) PAIRS_RUN(11, nv) PAIRS_RUN(12, nv) PAIRS_RUN(13, nv) PAIRS_RUN(14, nv)
PAIRS_ALL(1) PAIRS_ALL(2) PAIRS_ALL(3) PAIRS_MORE(1) PAIRS_MORE(2)

#define ROW(nv) pairs_1_##nv, pairs_2_##nv, pairs_3_##nv, pairs_4_##nv, pairs_5_##nv, pairs_6_##nv, pairs_7_##nv
#define MORE(nv) pairs_8_##nv, pairs_9_##nv, pairs_10_##nv, pairs_11_##nv, pairs_12_##nv, pairs_13_##nv, pairs_14_##nv
static PairsRun *const RUNS[MOST][MICRO_ROWS] = {{ROW(1), MORE(1)}, {ROW(2), MORE(2)}, {ROW(3)}};

void K(micro_pairs)(const Micro *m, int64_t rows, const float *w, const float *bias, int64_t col, int64_t cols)
{
	int64_t nv = ceil_div(cols, PAIR_COLS), cut = nv == MOST && rows > CUT_ROWS ? rows / 2 : rows;
	RUNS[nv - 1][cut - 1](m, rows, w, bias, col, cols);
	if (cut == rows)
		return;
	Micro rest = *m;
	rest.a += cut;
	rest.y += cut;
	rest.residual += rest.residual ? cut : 0;
	rest.ahead += m->ahead_step * m->runs * m->len;
	RUNS[nv - 1][rows - cut - 1](&rest, rows, w, bias, col, cols);
}

#else

void K(micro_pairs)(const Micro *m, int64_t rows, const float *w, const float *bias, int64_t col, int64_t cols)
{
	(void)m, (void)rows, (void)w, (void)bias, (void)col, (void)cols; /* no weights are packed for it: PAIRS */
}

#endif

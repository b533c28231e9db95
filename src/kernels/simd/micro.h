/* micro: the inner product of a few rows with a panel of columns, which convolutions, dense layers and matrix
 * products share. */
#ifndef HONE_SIMD_MICRO_H
#define HONE_SIMD_MICRO_H

#include "simd.h"

#if defined(__SSE__)
#include <immintrin.h>
#endif

typedef int32_t VecInt __attribute__((vector_size(4 * LANES)));

/* Rows of a tile: as many accumulators as registers hold, two a row, and three more for the columns and the broadcast
 * row. */
#if ISA_LEVEL == 4
enum { MICRO_ROWS = 14 };
#elif ISA_LEVEL == 3
enum { MICRO_ROWS = 6 };
#elif defined(__aarch64__)
enum { MICRO_ROWS = 12 };
#else
enum { MICRO_ROWS = 5 };
#endif

/* Most rows of a tile of a product of DEEP terms or more, where there are several: the last row of AVX-512 leaves no registers
 * to load two turns of the inner loop at once. */
enum { DEEP_ROWS = ISA_LEVEL == 4 ? 13 : MICRO_ROWS, DEEP = 128 };

/* y[i][c] = clamp(alpha * (bias[c] + sum over runs t and k < len of a[t * rows + i][k] * w[(t * len + k) * w_step + c])
 *                 + residual[i][c], lo, hi) */
typedef struct Micro {
	const float *const *a;         /* [runs][rows] */
	int64_t runs, len, w_step;
	float *const *y;               /* [rows] */
	const float *const *residual;  /* [rows] or NULL */
	float alpha, lo, hi;           /* lo, hi: -INFINITY, INFINITY for none */
	bool hard_swish;               /* of what is clamped */
	const float *ahead;            /* needed later: for each k, a line is fetched into second-level cache, */
	int64_t ahead_step;            /* this many floats apart */
	const float *ahead_end;        /* micro_paged: from here on it goes back by ahead_back */
	int64_t ahead_back;
} Micro;
/* Columns [col, col + cols), cols <= 2 * LANES; w is at the first of them and holds `cols` rounded up to LANES
 * columns; bias is at column 0, or NULL. */
typedef void MicroRun(const Micro *m, const float *w, const float *bias, int64_t col, int64_t cols);
/* The function for a tile of `rows` (1 .. MICRO_ROWS) and `cols` columns. few: the product has few rows in all; such
 * a sum is taken in several parts, for speed (up to 3 rows). */
MicroRun *K(micro_for)(int64_t rows, int64_t cols, bool few);
/* The function for `rows` and more than LANES columns where much is fetched ahead from memory: in several streams. */
MicroRun *K(micro_paged)(int64_t rows);
/* The function for one row and `cols` columns (up to LANES, up to PANEL, or two whole panels, one after the other) whose
 * weights are in the nearest cache: w_step is that of packed panels, nothing is fetched ahead. */
MicroRun *K(micro_resident)(int64_t cols);

/* As the above, for up to MOST_PAIR_COLS columns whose weights lie in pairs: PAIR_COLS columns a vector, and of each two k side by
 * side; len is even, w_step is the floats of one k. Where PAIRS is 0 there is no such thing. */
enum { PAIRS = ISA_LEVEL == 4, PAIR_COLS = LANES / 2, MOST_PAIR_COLS = 3 * PAIR_COLS };
void K(micro_pairs)(const Micro *m, int64_t rows, const float *w, const float *bias, int64_t col, int64_t cols);

/* Two floats, repeated. */
static inline Vec vec_pair(const float *p)
{
	typedef int64_t Longs __attribute__((vector_size(4 * LANES)));
	int64_t both;
	memcpy(&both, p, sizeof both);
	return (Vec)(both + (Longs){0});
}

/* Loads and stores of n floats, 0 < n <= LANES: nothing beyond them is touched; missing lanes are zero. */
static inline Vec vec_load_part(const FloatAny *p, int64_t n)
{
#if ISA_LEVEL == 4
	return (Vec)_mm512_maskz_loadu_ps((__mmask16)(0xffffu >> (16 - n)), p);
#else
	Vec v = {0};
	memcpy(&v, p, (size_t)n * sizeof(float));
	return v;
#endif
}

/* Lanes first to past, 0 <= first <= past <= LANES, of the floats at p; others are zero, and nothing of theirs is touched. */
static inline Vec vec_load_range(const FloatAny *p, int64_t first, int64_t past)
{
#if ISA_LEVEL == 4
	return (Vec)_mm512_maskz_loadu_ps((__mmask16)((1u << past) - (1u << first)), p);
#else
	Vec v = {0};
	memcpy((char *)&v + (size_t)first * sizeof(float), p + first, (size_t)(past - first) * sizeof(float));
	return v;
#endif
}

static inline void vec_store_part(float *p, Vec v, int64_t n)
{
#if ISA_LEVEL == 4
	_mm512_mask_storeu_ps(p, (__mmask16)(0xffffu >> (16 - n)), (__m512)v);
#else
	memcpy(p, &v, (size_t)n * sizeof(float));
#endif
}

/* Interleave the first and the second halves of a and b. */
static inline Vec vec_interleave_low(Vec a, Vec b)
{
#if ISA_LEVEL == 4
	return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#elif ISA_LEVEL == 3
	return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#else
	return __builtin_shufflevector(a, b, 0, 4, 1, 5);
#endif
}

static inline Vec vec_interleave_high(Vec a, Vec b)
{
#if ISA_LEVEL == 4
	return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif ISA_LEVEL == 3
	return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
	return __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}

/* v[at[0]], v[at[1]], ...; every at[i] < LANES. */
static inline Vec vec_permute(Vec v, VecInt at)
{
#if !defined(__clang__)
	return __builtin_shuffle(v, at);
#elif ISA_LEVEL == 4
	return (Vec)_mm512_permutexvar_ps((__m512i)at, (__m512)v);
#elif ISA_LEVEL == 3
	return (Vec)_mm256_permutevar8x32_ps((__m256)v, (__m256i)at);
#else
	return (Vec){ v[at[0]], v[at[1]], v[at[2]], v[at[3]] };
#endif
}

/* r[i][j] becomes r[j][i]: log2(LANES) times, the first half of the rows is interleaved with the second. */
static inline __attribute__((always_inline)) void vec_transpose(Vec r[LANES])
{
	Vec t[LANES];
#pragma GCC unroll 4
	for (int stage = 1; stage < LANES; stage *= 2) {
#pragma GCC unroll 8
		for (int i = 0; i < LANES / 2; i++) {
			t[2 * i] = vec_interleave_low(r[i], r[i + LANES / 2]);
			t[2 * i + 1] = vec_interleave_high(r[i], r[i + LANES / 2]);
		}
#pragma GCC unroll 16
		for (int i = 0; i < LANES; i++)
			r[i] = t[i];
	}
}

/* Maximum and minimum; b when either is NaN. */
static inline Vec vec_max(Vec a, Vec b)
{
#if ISA_LEVEL == 4
	return (Vec)_mm512_max_ps((__m512)a, (__m512)b);
#elif ISA_LEVEL == 3
	return (Vec)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE__)
	return (Vec)_mm_max_ps((__m128)a, (__m128)b);
#else
	VecInt take = a > b;
	return (Vec)((take & (VecInt)a) | (~take & (VecInt)b));
#endif
}

static inline Vec vec_min(Vec a, Vec b)
{
#if ISA_LEVEL == 4
	return (Vec)_mm512_min_ps((__m512)a, (__m512)b);
#elif ISA_LEVEL == 3
	return (Vec)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE__)
	return (Vec)_mm_min_ps((__m128)a, (__m128)b);
#else
	VecInt take = a < b;
	return (Vec)((take & (VecInt)a) | (~take & (VecInt)b));
#endif
}

/* NaN stays NaN. */
static inline Vec vec_hard_swish(Vec v)
{
	return v * vec_min(vec_set(1), vec_max((Vec){0}, v * (1.0f / 6.0f) + 0.5f));
}

#endif

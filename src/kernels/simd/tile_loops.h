/* tile_loops: the form of an instruction of tile programs, and those that are compiled once for all instruction sets. */
#ifndef HONE_TILE_LOOPS_H
#define HONE_TILE_LOOPS_H

#include "kernels/kernels.h"

typedef struct Args {
	void *d;
	const void *a, *b, *c;
	int64_t n;
	float f0, f1;
} Args;
typedef void TileFn(const Args *t);

/* Every element is written after it was read, so the target may be an operand. */
#define LOOP(T, D, expr) { \
	const T *a = t->a, *b = t->b, *c = t->c; \
	D *d = t->d; \
	const int64_t n = t->n; \
	const float f0 = t->f0, f1 = t->f1; \
	(void)a; (void)b; (void)c; (void)f0; (void)f1; \
	_Pragma("GCC ivdep") \
	for (int64_t i = 0; i < n; i++) \
		d[i] = (D)(expr); \
}

#define COMPARE(T, type) \
	static void T##_EQ(const Args *t) LOOP(type, uint8_t, a[i] == b[i]) \
	static void T##_NE(const Args *t) LOOP(type, uint8_t, a[i] != b[i]) \
	static void T##_LT(const Args *t) LOOP(type, uint8_t, a[i] < b[i]) \
	static void T##_LE(const Args *t) LOOP(type, uint8_t, a[i] <= b[i]) \
	static void T##_GT(const Args *t) LOOP(type, uint8_t, a[i] > b[i]) \
	static void T##_GE(const Args *t) LOOP(type, uint8_t, a[i] >= b[i])

/* Floats to integers: towards zero, out of range to the nearest end, NaN to 0. */
#define SATURATE(x, lo, hi, low, high, type) ((x) != (x) ? 0 : (x) < (lo) ? (low) : (x) >= (hi) ? (high) : (type)(x))

/* ---- kernels/wide.c: elements of eight bytes; NULL: no such instruction ---- */

TileFn *tile_wide(uint8_t dtype, uint8_t op);
TileFn *tile_wide_cast(uint8_t from, uint8_t to);

#endif

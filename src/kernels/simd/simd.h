/* simd: what the sources of kernels share. Each is compiled once for each instruction set; K(name) is its name in this one. */
#ifndef HONE_SIMD_H
#define HONE_SIMD_H

#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

#ifndef ISA_SUFFIX
#define ISA_SUFFIX _base
#define ISA_LEVEL 2
#endif
#define SIMD_JOIN2(a, b) a##b
#define SIMD_JOIN(a, b) SIMD_JOIN2(a, b)
#define K(name) SIMD_JOIN(name, ISA_SUFFIX)

/* Floats of one vector register, and columns of a panel of packed weights (two registers). */
#if ISA_LEVEL == 4
enum { LANES = 16 };
#elif ISA_LEVEL == 3
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { PANEL = 2 * LANES };
typedef float Vec __attribute__((vector_size(4 * LANES)));
typedef float VecUnaligned __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef float VecAny __attribute__((vector_size(4 * LANES), aligned(1), may_alias));
static inline Vec vec_load(const float *p) { return *(const VecUnaligned *)p; }
static inline Vec vec_load_any(const FloatAny *p) { return *(const VecAny *)p; }
static inline void vec_store(float *p, Vec v) { *(VecUnaligned *)p = v; }
static inline Vec vec_set(float x) { return x - (Vec){ 0 }; }

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Rows of set.c: one a family. */
extern const Kernel K(kernel_tile), K(kernel_row), K(kernel_reduce), K(kernel_copy), K(kernel_gather), K(kernel_resize),
	K(kernel_rnn), K(kernel_lanes), K(kernel_index),
	K(kernel_grid), K(kernel_roi), K(kernel_nms), K(kernel_nonzero), K(kernel_matmul64);
bool K(tile_supports)(const TileInstr *in);
void K(tile_box)(const TileProgram *p, void *const *ptr, const int64_t *lo, const int64_t *hi, void *scratch);
extern const KernelSet K(kernel_set);

#endif

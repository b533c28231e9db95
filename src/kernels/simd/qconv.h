/* qconv: what the kernels of 8-bit integers share. */
#ifndef HONE_SIMD_QCONV_H
#define HONE_SIMD_QCONV_H

#include "conv.h"

/* The zero point of x, which may be known to the run only. */
static inline int32_t q_x_zero(const QConvParam *p, void *const *ptr)
{
	if (p->zero_ptr <= 0)
		return p->x_zero;
	return p->x_signed ? *(const int8_t *)ptr[p->zero_ptr] : *(const uint8_t *)ptr[p->zero_ptr];
}

static inline size_t q_out_size(const QConvParam *p)
{
	return p->c.post || p->finish == QFINISH_INT || p->finish == QFINISH_FLOAT ? 4 : 1;
}

/* Finishes n sums, of channels from `channel` (among all) on. */
void K(q_finish)(const QConvParam *p, const int32_t *sum, int64_t channel, int64_t n, void *y);

/* Where rows (batch and pixels flattened) [begin, end) of the result lie: elements from the base pointer, offsets included. */
void K(q_rows)(const ConvParam *c, int64_t begin, int64_t end, int64_t *y);

/* The post program over rows [begin, end), channels [col, col_end) of a block with finished sums. */
void K(q_post)(const QConvParam *p, void *const *ptr, void *block, int64_t begin, int64_t end, int64_t col, int64_t col_end,
	void *scratch);

/* Rows of set.c. */
bool K(has_dot)(void);
extern const Kernel K(kernel_qproduct), K(kernel_qdepthwise), K(kernel_range);
bool K(qproduct_plan)(QConvParam *p, int threads);
size_t K(qproduct_pack_bytes)(const QConvParam *p);
void K(qproduct_pack)(const QConvParam *p, const QWeights *w, void *dst);
bool K(qdepthwise_plan)(QConvParam *p, int threads);
size_t K(qdepthwise_pack_bytes)(const QConvParam *p);
void K(qdepthwise_pack)(const QConvParam *p, const QWeights *w, void *dst);

#endif

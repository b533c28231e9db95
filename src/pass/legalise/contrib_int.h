/* Operators of com.microsoft taken apart to be run: what the files contrib*.c share. Types of operands are all known there. */
#ifndef HONE_CONTRIB_INT_H
#define HONE_CONTRIB_INT_H

#include "legalise_int.h"

#include <math.h>
#include <string.h>

Value *ct_matrix(Lg *l, Value *x, bool exchange);          /* the last two axes exchanged */
Value *ct_shaped(Lg *l, Value *x, const int64_t *dims, size_t n);
Value *ct_turned(Lg *l, Value *x, const int64_t *perm, size_t n);
Value *ct_sliced(Lg *l, Value *x, int64_t axis, int64_t first, int64_t last);
Value *ct_plus(Lg *l, Value *x, Value *more);              /* more may be NULL */
Value *ct_as_type(Lg *l, Value *x, DType d);
/* Dims of operand i with the given rank; false when it is absent or of another. */
bool ct_dims_of(const Lg *l, size_t i, int rank, int64_t *dims);
/* A result other than the first: v stands for it, and the op keeps its first result only once all are taken. */
void ct_give(Lg *l, size_t i, Value *v);
bool ct_become(Lg *l, Value *y);                           /* the op's first result is y */
/* The op becomes the activation of that name over x. */
bool ct_activate(Lg *l, Value *x, const Str *name, const Attr *alpha, const Attr *beta);
/* Between layouts: the channels from the last place to the second, and back. x itself when `last` is false. */
Value *ct_channels_first(Lg *l, Value *x, bool last);
Value *ct_channels_last(Lg *l, Value *x, int rank, bool last);
/* auto_pad but for NOTSET. */
const Attr *ct_auto_pad(Lg *l);

/* Operands i, i + 1 and i + 2: data, scale and zero point. */
Value *ct_dequantised(Lg *l, size_t i);
/* y in the scale and zero point of operands i and i + 1. Without a zero point the type is that of operand `like`. */
bool ct_become_quantised(Lg *l, Value *y, size_t i, size_t like);
/* The integer product of four operands (NULL: no zero points), times the scales, as f32. */
Value *ct_scaled_product(Lg *l, Value *const *product, Value *a_scale, Value *b_scale);

LegaliseFn contrib_gelu, contrib_quick_gelu, contrib_matmul, contrib_gemm, contrib_conv, contrib_skip_norm, contrib_rms,
	contrib_embed, contrib_rotary; /* contrib.c */
LegaliseFn contrib_attention, contrib_mha, contrib_decoder_mha, contrib_decoder_self, contrib_q_attention; /* contrib_attention.c */
LegaliseFn contrib_q_binary, contrib_q_unary, contrib_q_concat, contrib_integer_matmul, contrib_dynamic_matmul,
	contrib_q_gemm, contrib_q_pool, contrib_q_softmax, contrib_q_where, contrib_q_reduce, contrib_q_conv,
	contrib_mul_integer, contrib_wide_integers; /* contrib_quant.c */
LegaliseFn contrib_bias_add, contrib_bias_softmax, contrib_bias_split_gelu, contrib_bias_dropout, contrib_gemm_gelu,
	contrib_group_norm, contrib_relative_bias, contrib_nhwc_pool, contrib_conv_pads, contrib_grid_sample,
	contrib_expand_dims, contrib_range, contrib_pad, contrib_unique, contrib_embedding, contrib_unfold, contrib_distance,
	contrib_complex_mul, contrib_rfft, contrib_sample; /* contrib_more.c */
LegaliseFn contrib_gated_add, contrib_gated_norm, contrib_matmul_activation, contrib_bitmask_dropout, contrib_gemma_rotary,
	contrib_multi_rotary, contrib_ordered_quantize, contrib_ordered_dequantize, contrib_ordered_gelu, contrib_ordered_norm,
	contrib_causal_conv; /* contrib_gated.c */
LegaliseFn contrib_linear_gate, contrib_engram_gate, contrib_nbits_mlp, contrib_nbits_qkv, contrib_fp8_weight,
	contrib_fp4_weight, contrib_ordered_matmul, contrib_gemm_float8, contrib_sparse_matmul, contrib_q_embed,
	contrib_gated_bias; /* contrib_latest.c */

#endif

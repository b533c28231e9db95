/* Which family plans an op. */
#include "plan/plan_int.h"

PlanFn *plan_fn(OpKind k)
{
	switch (k) {
	case OP_conv: case OP_conv_transpose: return plan_conv;
	case OP_matmul: case OP_gemm: return plan_dense;
	case OP_conv_integer: case OP_quantized_conv: return plan_integer_conv;
	case OP_matmul_integer: case OP_quantized_matmul: return plan_integer_dense;
	case OWN_MS_MatMulNBits: return plan_blocks;
	case OP_dynamic_quantize: return plan_dynamic_quantize;
	case OP_max_pool: case OP_avg_pool: return plan_pool;
	case OP_global_avg_pool: case OP_global_max_pool: return plan_global_pool;
	case OP_reduce: return plan_reduce;
	case OP_softmax: case OP_log_softmax: case OP_layer_norm: case OP_rms_norm: return plan_row;
	case OP_identity: return plan_identity;
	case OP_reshape: case OP_flatten: case OP_squeeze: case OP_unsqueeze: return plan_reshape;
	case OP_transpose: return plan_transpose;
	case OP_expand: return plan_expand;
	case OP_slice: return plan_slice;
	case OP_split: return plan_split;
	case OP_concat: return plan_concat;
	case OP_pad: return plan_pad;
	case OP_gather: return plan_gather;
	case OP_depth_to_space: case OP_space_to_depth: return plan_depth_space;
	case OP_instance_norm: case OP_group_norm: return plan_group_norm;
	case OP_resize: return plan_resize;
	case OP_lstm: case OP_gru: case OP_rnn: return plan_recurrent;
	case OP_attention: return plan_attention_op;
	case OP_reverse: return plan_reverse;
	case OP_tile: return plan_tile;
	case OP_trilu: return plan_trilu;
	case OP_one_hot: return plan_one_hot;
	case OP_argmax: case OP_argmin: case OP_topk: case OP_cumsum: case OP_cumprod: return plan_lanes;
	case OP_gather_elements: case OP_gather_nd: case OP_scatter_elements: case OP_scatter_nd: return plan_index;
	case OP_grid_sample: return plan_grid_sample;
	case OP_roi_align: return plan_roi_align;
	case OP_einsum: return plan_einsum;
	default: return NULL;
	}
}

/* The table of one instruction set. */
#include "qconv.h"

const KernelSet K(kernel_set) = {
	.isa = ISA_LEVEL == 4 ? ISA_V4 : ISA_LEVEL == 3 ? ISA_V3 : ISA_BASE,
	.panel = PANEL,
	.conv = {
		[CONV_DIRECT] = &K(kernel_direct), [CONV_WINOGRAD] = &K(kernel_winograd), [CONV_DEPTHWISE] = &K(kernel_depthwise),
		[CONV_TRANSPOSE] = &K(kernel_transposed), [CONV_STREAM] = &K(kernel_stream),
		[CONV_BLOCKS] = &K(kernel_blocks),
	},
	.conv_plan = {
		[CONV_DIRECT] = K(direct_plan), [CONV_WINOGRAD] = K(winograd_plan), [CONV_DEPTHWISE] = K(depthwise_plan),
		[CONV_TRANSPOSE] = K(transposed_plan), [CONV_STREAM] = K(stream_plan),
		[CONV_BLOCKS] = K(blocks_plan),
	},
	.conv_pack_bytes = {
		[CONV_DIRECT] = K(direct_pack_bytes), [CONV_WINOGRAD] = K(winograd_pack_bytes),
		[CONV_DEPTHWISE] = K(depthwise_pack_bytes), [CONV_TRANSPOSE] = K(transposed_pack_bytes),
		[CONV_BLOCKS] = K(blocks_pack_bytes),
	},
	.conv_pack = {
		[CONV_DIRECT] = K(direct_pack), [CONV_WINOGRAD] = K(winograd_pack), [CONV_DEPTHWISE] = K(depthwise_pack),
		[CONV_TRANSPOSE] = K(transposed_pack),
	},
	.blocks_pack = K(blocks_pack),
	.qconv = { [QCONV_PRODUCT] = &K(kernel_qproduct), [QCONV_DEPTHWISE] = &K(kernel_qdepthwise) },
	.has_dot = K(has_dot),
	.qconv_plan = { [QCONV_PRODUCT] = K(qproduct_plan), [QCONV_DEPTHWISE] = K(qdepthwise_plan) },
	.qconv_pack_bytes = { [QCONV_PRODUCT] = K(qproduct_pack_bytes), [QCONV_DEPTHWISE] = K(qdepthwise_pack_bytes) },
	.qconv_pack = { [QCONV_PRODUCT] = K(qproduct_pack), [QCONV_DEPTHWISE] = K(qdepthwise_pack) },
	.range = &K(kernel_range),
	.chain = &K(kernel_chain),
	.chain_plan = K(chain_plan),
	.matmul = &K(kernel_matmul),
	.matmul_plan = K(matmul_plan),
	.attention = &K(kernel_attention),
	.attention_plan = K(attention_plan),
	.pool = &K(kernel_pool),
	.tile = &K(kernel_tile),
	.tile_box = K(tile_box),
	.tile_supports = K(tile_supports),
	.row = &K(kernel_row),
	.reduce = &K(kernel_reduce),
	.copy = &K(kernel_copy),
	.gather = &K(kernel_gather),
	.resize = &K(kernel_resize),
	.rnn = &K(kernel_rnn),
};

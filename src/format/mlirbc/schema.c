#include "mlirbc.h"

#include <stdlib.h>
#include <string.h>

/* Every op of VHLO from 0.9 on. Its version is part of the name: the later one of a pair has other attributes, and what
 * an earlier one lacks has the default of the later. Sorted by name. The numbers are the versions of StableHLO that have the
 * op: 9 is 0.9, 1014 is 1.14; 0 as the last one: still there. */
static const VhloOp ops[] = {
	{ "abs_v1", "", 9, 0 },
	{ "add_v1", "", 9, 0 },
	{ "after_all_v1", "", 9, 0 },
	{ "all_gather_v1", "all_gather_dim channel_id replica_groups use_global_device_ids", 9, 1004 },
	{ "all_gather_v2", "all_gather_dim channel_id replica_groups use_global_device_ids", 1005, 0 },
	{ "all_reduce_v1", "channel_id replica_groups use_global_device_ids", 9, 1004 },
	{ "all_reduce_v2", "channel_id replica_groups use_global_device_ids", 1005, 0 },
	{ "all_to_all_v1", "channel_id concat_dimension replica_groups split_count split_dimension", 9, 1004 },
	{ "all_to_all_v2", "channel_id concat_dimension replica_groups split_count split_dimension", 1005, 0 },
	{ "and_v1", "", 9, 0 },
	{ "async_done_v1", "", 1015, 0 },
	{ "async_start_v1", "", 1015, 0 },
	{ "atan2_v1", "", 9, 0 },
	{ "batch_norm_grad_v1", "epsilon feature_index", 9, 0 },
	{ "batch_norm_inference_v1", "epsilon feature_index", 9, 0 },
	{ "batch_norm_training_v1", "epsilon feature_index", 9, 0 },
	{ "bitcast_convert_v1", "", 9, 0 },
	{ "broadcast_in_dim_v1", "broadcast_dimensions", 9, 0 },
	{ "broadcast_v1", "broadcast_sizes", 9, 0 },
	{ "call_v1", "callee", 9, 0 },
	{ "case_v1", "", 9, 0 },
	{ "cbrt_v1", "", 9, 1009 },
	{ "cbrt_v2", "result_accuracy", 1010, 0 },
	{ "ceil_v1", "", 9, 0 },
	{ "cholesky_v1", "lower", 9, 0 },
	{ "clamp_v1", "", 9, 0 },
	{ "collective_broadcast_v1", "channel_id replica_groups", 16, 1019 },
	{ "collective_broadcast_v2", "channel_id has_dynamic_root replica_groups", 1020, 0 },
	{ "collective_permute_v1", "channel_id source_target_pairs", 9, 0 },
	{ "collective_reduce_v1", "channel_id has_dynamic_root replica_groups use_global_device_ids", 1019, 0 },
	{ "compare_v1", "compare_type comparison_direction", 9, 0 },
	{ "complex_v1", "", 9, 0 },
	{ "composite_v1", "composite_attributes decomposition name version", 19, 1013 },
	{ "composite_v2", "composite_attributes decomposition name version", 1014, 0 },
	{ "concatenate_v1", "dimension", 9, 0 },
	{ "constant_v1", "value", 9, 0 },
	{ "convert_v1", "", 9, 0 },
	{ "convolution_v1",
		"batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
		"input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
		"kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
		"output_spatial_dimensions padding precision_config rhs_dilation window_reversal window_strides", 9, 0 },
	{ "cosine_v1", "", 9, 1009 },
	{ "cosine_v2", "result_accuracy", 1010, 0 },
	{ "count_leading_zeros_v1", "", 9, 0 },
	{ "create_token_v1", "", 9, 0 },
	{ "cross-replica-sum_v1", "replica_groups", 9, 0 },
	{ "custom_call_v1",
		"api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
		"output_operand_aliases result_layouts", 9, 1017 },
	{ "custom_call_v2",
		"api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
		"output_operand_aliases result_layouts result_tilings", 1018, 0 },
	{ "divide_v1", "", 9, 0 },
	{ "dot_general_v1",
		"lhs_batching_dimensions lhs_contracting_dimensions precision_config rhs_batching_dimensions "
		"rhs_contracting_dimensions", 9, 1005 },
	{ "dot_general_v2",
		"accumulation_type allow_imprecise_accumulation lhs_batching_dimensions lhs_component_count "
		"lhs_contracting_dimensions lhs_precision_type num_primitive_operations precision_config "
		"rhs_batching_dimensions rhs_component_count rhs_contracting_dimensions rhs_precision_type", 1006, 0 },
	{ "dot_v1", "precision_config", 9, 0 },
	{ "dynamic_broadcast_in_dim_v1",
		"broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions", 9, 0 },
	{ "dynamic_conv_v1",
		"batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
		"input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
		"kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
		"output_spatial_dimensions padding precision_config rhs_dilation window_reversal window_strides", 9, 19 },
	{ "dynamic_conv_v2",
		"batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
		"input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
		"kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
		"output_spatial_dimensions precision_config rhs_dilation window_reversal window_strides", 20, 0 },
	{ "dynamic_gather_v1", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map", 9, 1000 },
	{ "dynamic_gather_v2",
		"collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims "
		"start_index_map start_indices_batching_dims", 1001, 0 },
	{ "dynamic_iota_v1", "iota_dimension", 9, 0 },
	{ "dynamic_pad_v1", "", 9, 0 },
	{ "dynamic_reshape_v1", "", 9, 0 },
	{ "dynamic_slice_v1", "slice_sizes", 9, 0 },
	{ "dynamic_update_slice_v1", "", 9, 0 },
	{ "einsum_v1", "einsum_config", 9, 0 },
	{ "exponential_minus_one_v1", "", 9, 1009 },
	{ "exponential_minus_one_v2", "result_accuracy", 1010, 0 },
	{ "exponential_v1", "", 9, 1008 },
	{ "exponential_v2", "result_accuracy", 1009, 0 },
	{ "fft_v1", "fft_length fft_type", 9, 0 },
	{ "floor_v1", "", 9, 0 },
	{ "func_v1", "arg_attrs function_type res_attrs sym_name sym_visibility", 9, 0 },
	{ "gather_v1",
		"collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes start_index_map", 9, 1000 },
	{ "gather_v2",
		"collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims "
		"slice_sizes start_index_map start_indices_batching_dims", 1001, 0 },
	{ "get_dimension_size_v1", "dimension", 9, 0 },
	{ "get_tuple_element_v1", "index", 9, 0 },
	{ "if_v1", "", 9, 0 },
	{ "imag_v1", "", 9, 0 },
	{ "infeed_v1", "infeed_config layout", 9, 0 },
	{ "iota_v1", "iota_dimension", 9, 0 },
	{ "is_finite_v1", "", 9, 0 },
	{ "log_plus_one_v1", "", 9, 1009 },
	{ "log_plus_one_v2", "result_accuracy", 1010, 0 },
	{ "log_v1", "", 9, 1009 },
	{ "log_v2", "result_accuracy", 1010, 0 },
	{ "logistic_v1", "", 9, 1009 },
	{ "logistic_v2", "result_accuracy", 1010, 0 },
	{ "map_v1", "dimensions", 9, 0 },
	{ "maximum_v1", "", 9, 0 },
	{ "minimum_v1", "", 9, 0 },
	{ "multiply_v1", "", 9, 0 },
	{ "negate_v1", "", 9, 0 },
	{ "not_v1", "", 9, 0 },
	{ "optimization_barrier_v1", "", 9, 0 },
	{ "or_v1", "", 9, 0 },
	{ "outfeed_v1", "outfeed_config", 9, 0 },
	{ "pad_v1", "edge_padding_high edge_padding_low interior_padding", 9, 0 },
	{ "partition_id_v1", "", 9, 0 },
	{ "popcnt_v1", "", 9, 0 },
	{ "power_v1", "", 9, 0 },
	{ "real_dynamic_slice_v1", "", 9, 0 },
	{ "real_v1", "", 9, 0 },
	{ "recv_v1", "channel_id channel_type is_host_transfer", 9, 1011 },
	{ "recv_v2", "channel_id channel_type is_host_transfer source_target_pairs", 1012, 0 },
	{ "reduce_precision_v1", "exponent_bits mantissa_bits", 9, 0 },
	{ "reduce_scatter_v1", "channel_id replica_groups scatter_dimension use_global_device_ids", 9, 0 },
	{ "reduce_v1", "dimensions", 9, 0 },
	{ "reduce_window_v1", "base_dilations padding window_dilations window_dimensions window_strides", 9, 0 },
	{ "remainder_v1", "", 9, 0 },
	{ "replica_id_v1", "", 9, 0 },
	{ "reshape_v1", "", 9, 0 },
	{ "return_v1", "", 9, 0 },
	{ "reverse_v1", "dimensions", 9, 0 },
	{ "rng_bit_generator_v1", "rng_algorithm", 9, 0 },
	{ "rng_v1", "rng_distribution", 9, 0 },
	{ "round_nearest_afz_v1", "", 9, 0 },
	{ "round_nearest_even_v1", "", 9, 0 },
	{ "rsqrt_v1", "", 9, 1009 },
	{ "rsqrt_v2", "result_accuracy", 1010, 0 },
	{ "scatter_v1",
		"index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims "
		"unique_indices update_window_dims", 9, 1000 },
	{ "scatter_v2",
		"index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims "
		"scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices update_window_dims", 1001, 0 },
	{ "select_and_scatter_v1", "padding window_dimensions window_strides", 9, 0 },
	{ "select_v1", "", 9, 0 },
	{ "send_v1", "channel_id channel_type is_host_transfer", 9, 1011 },
	{ "send_v2", "channel_id channel_type is_host_transfer source_target_pairs", 1012, 0 },
	{ "set_dimension_size_v1", "dimension", 9, 0 },
	{ "shift_left_v1", "", 9, 0 },
	{ "shift_right_arithmetic_v1", "", 9, 0 },
	{ "shift_right_logical_v1", "", 9, 0 },
	{ "sign_v1", "", 9, 0 },
	{ "sine_v1", "", 9, 1009 },
	{ "sine_v2", "result_accuracy", 1010, 0 },
	{ "slice_v1", "limit_indices start_indices strides", 9, 0 },
	{ "sort_v1", "dimension is_stable", 9, 0 },
	{ "sqrt_v1", "", 9, 1009 },
	{ "sqrt_v2", "result_accuracy", 1010, 0 },
	{ "subtract_v1", "", 9, 0 },
	{ "tan_v1", "", 1004, 1009 },
	{ "tan_v2", "result_accuracy", 1010, 0 },
	{ "tanh_v1", "", 9, 1009 },
	{ "tanh_v2", "result_accuracy", 1010, 0 },
	{ "torch_index_select_v1", "batch_dims dim", 9, 0 },
	{ "transpose_v1", "permutation", 9, 0 },
	{ "triangular_solve_v1", "left_side lower transpose_a unit_diagonal", 9, 0 },
	{ "tuple_v1", "", 9, 0 },
	{ "unary_einsum_v1", "einsum_config", 9, 0 },
	{ "uniform_dequantize_v1", "", 9, 0 },
	{ "uniform_quantize_v1", "", 9, 0 },
	{ "while_v1", "", 9, 0 },
	{ "xor_v1", "", 9, 0 },
};

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const VhloOp *)row)->name);
}

const VhloOp *vhlo_op(const char *name)
{
	return bsearch(name, ops, ARRAY_LEN(ops), sizeof ops[0], compare);
}

/* Versions of one op follow each other: "add_v1" begins with "add_v", as nothing else does. */
const VhloOp *vhlo_op_at(const char *name, size_t len, int target)
{
	const VhloOp *first = NULL;
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		const VhloOp *o = &ops[i];
		if (strncmp(o->name, name, len) != 0 || o->name[len] != '_' || o->name[len + 1] != 'v' || strlen(o->name + len) != 3)
			continue;
		if (o->since <= target && (o->until == 0 || target <= o->until))
			return o;
		if (!first)
			first = o;
	}
	return first;
}

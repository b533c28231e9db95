/* op_rows: a valid instance of each op whose operands are not simply tensors of one shape; where test_op_domain
	starts from.
 * { op, operands, attributes, results, regions }
 *   op        full name; "!" before it: hone may refuse to run it
 *   operands  blank between two: `f32[2,3]`, `i64[2]=1,-1` (these values), `seq:f32[2]`, `opt:f32[2]`, `none`
 *   results   a count for ops whose types are inferred, else operand-like types; NULL: those of the row, of operand
	0's type */
#ifndef HONE_TEST_OP_ROWS_H
#define HONE_TEST_OP_ROWS_H

#include "domain_case.h"

#define FOLD_F32 "{\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n%r = stablehlo.add %p, %q : tensor<f32>\n" \
	"stablehlo.return %r : tensor<f32>\n}"
#define LESS_F32 "{\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n" \
	"%r = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\nstablehlo.return %r : tensor<i1>\n}"
#define GIVE_F32(ret) "{\n%r = " ret ".constant dense<1.0> : tensor<2xf32>\n" ret ".return %r : tensor<2xf32>\n}"
#define CORE_GIVE "{\n%r = core.constant() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>\n" \
	"core.yield(%r) : (tensor<2xf32>) -> ()\n}"
#define LOOP_BODY "{\n^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<2xf32>):\n" \
	"%n = core.add(%s, %s) : (tensor<2xf32>, tensor<2xf32>) -> !unknown\n" \
	"core.yield(%c, %n, %s) : (tensor<i1>, !unknown, tensor<2xf32>) -> ()\n}"
#define SCAN_BODY "{\n^bb0(%s: tensor<2xf32>, %x: tensor<2xf32>):\n" \
	"%n = core.add(%s, %x) : (tensor<2xf32>, tensor<2xf32>) -> !unknown\n" \
	"core.yield(%n, %n) : (!unknown, !unknown) -> ()\n}"
#define CONV_WINDOW "strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1]"
#define QCONV "ui8[1,2,4,4] f32[1]=0.5 ui8[1]=3 ui8[2,2,3,3] f32[1]=0.5 ui8[1]=2 f32[1]=2 ui8[1]=1"
#define QMATMUL "ui8[2,3] f32[]=0.5 ui8[]=3 ui8[3,4] f32[]=0.5 ui8[]=2 f32[]=2 ui8[]=1"
#define SHLO_CONV "batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 1, 1>, " \
	"lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, " \
	"dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>"

static const OpRow op_rows[] = {
	/* -- core: contraction, windows -- */
	{ "core.matmul", "f32[2,3,4] f32[4,5]", "", NULL, NULL },
	{ "core.gemm", "f32[2,3] f32[3,4] f32[4]", "alpha = 2.0 : f32, trans_a = 0", NULL, NULL },
	{ "core.dot_general", "f32[2,3,4] f32[2,4,5]", "lhs_batch = [0], rhs_batch = [0], lhs_contract = [2], "
		"rhs_contract = [1]",
		NULL, NULL },
	{ "core.einsum", "f32[2,3] f32[3,4]", "equation = \"ij,jk->ik\"", NULL, NULL },
	{ "core.matmul_integer", "ui8[2,3] ui8[3,4] ui8[]=1 ui8[4]=1,2,3,4", "", NULL, NULL },
	{ "core.quantized_matmul", QMATMUL, "", NULL, NULL },
	{ "core.det", "f32[2,3,3]", "", NULL, NULL },
	{ "core.conv", "f32[1,2,5,5] f32[2,2,3,3] f32[2]", CONV_WINDOW ", groups = 1", NULL, NULL },
	{ "core.conv", "f32[1,2,?,5] f32[2,2,3,3]", "auto_pad = \"same_upper\"", NULL, NULL },
	{ "core.conv_transpose", "f32[1,2,3,3] f32[2,2,3,3] f32[2]", CONV_WINDOW ", groups = 1, output_padding = [0, "
		"0]", NULL, NULL },
	{ "core.conv_transpose", "f32[1,2,3,3] f32[2,2,3,3]", "strides = [2, 2], output_shape = [7, 7]", NULL, NULL },
	{ "core.conv_integer", "ui8[1,2,4,4] ui8[2,2,3,3] ui8[]=1 ui8[2]=1,2", CONV_WINDOW ", groups = 1", NULL, NULL },
	{ "core.quantized_conv", QCONV " i32[2]=1,2", CONV_WINDOW ", groups = 1", NULL, NULL },
	{ "core.deform_conv", "f32[1,2,4,4] f32[2,2,3,3] f32[1,18,2,2] f32[2] f32[1,9,2,2]",
		"strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], groups = 1, offset_group = 1", NULL, NULL },
	{ "core.max_pool", "f32[1,2,5,5]", "kernel = [2, 2], " CONV_WINDOW ", ceil_mode = 1, storage_order = 0", NULL,
		NULL },
	{ "core.avg_pool", "f32[1,2,5,5]", "kernel = [2, 2], " CONV_WINDOW ", ceil_mode = 1, count_include_pad = 1",
		NULL, NULL },
	{ "core.lp_pool", "f32[1,2,5,5]", "kernel = [2, 2], " CONV_WINDOW ", p = 2", NULL, NULL },
	{ "core.max_unpool", "f32[1,1,2,2] i64[1,1,2,2]=0,3,8,11 i64[4]=1,1,4,4",
		"kernel = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]", NULL, NULL },
	/* -- core: reductions, movement -- */
	{ "core.reduce", "f32[2,3,4]", "kind = \"sum\", axes = [1, -1], keepdims = 0", NULL, NULL },
	{ "core.reduce", "f32[2,3,4]", "kind = \"log_sum_exp\"", NULL, NULL },
	{ "core.cumsum", "f32[2,3] i64[]=1", "exclusive = 1, reverse = 1", NULL, NULL },
	{ "core.cumprod", "f32[2,3] i64[]=-1", "", NULL, NULL },
	{ "core.topk", "f32[2,5] i64[1]=3", "axis = -1, largest = 1, sorted = 1", NULL, NULL },
	{ "core.fill", "i64[2]=2,3", "value = dense<[1.5]> : tensor<1xf32>", NULL, NULL },
	{ "core.range", "i64[]=0 i64[]=5 i64[]=2", "", NULL, NULL },
	{ "core.range", "f32[]=0 f32[]=5 f32[]=0.5", "", NULL, NULL },
	{ "core.eye_like", "f32[3,4]", "k = 1", NULL, NULL },
	{ "core.constant", "", "value = dense<[1.0, 2.0]> : tensor<2xf32>", NULL, NULL },
	{ "core.reshape", "f32[2,3,4] i64[2]=0,-1", "allowzero = 0", NULL, NULL },
	{ "core.flatten", "f32[2,3,4]", "axis = -1", NULL, NULL },
	{ "core.squeeze", "f32[1,3,1]", "axes = [0, -1]", NULL, NULL },
	{ "core.unsqueeze", "f32[2,3]", "axes = [0, -1]", NULL, NULL },
	{ "core.transpose", "f32[2,3,4]", "perm = [2, 0, 1]", NULL, NULL },
	{ "core.expand", "f32[3,1] i64[3]=2,1,4", "", NULL, NULL },
	{ "core.concat", "f32[2,3] f32[2,3]", "axis = 1", NULL, NULL },
	{ "core.split", "f32[2,6] i64[2]=2,4", "axis = 1", "2", NULL },
	{ "core.split", "f32[2,6]", "axis = 1", "3", NULL },
	{ "core.slice", "f32[4,6] i64[2]=0,-1 i64[2]=9,-7 i64[2]=2,-1", "axes = [0, 1]", NULL, NULL },
	{ "core.pad", "f32[2,3] i64[4]=1,0,-1,2 f32[]=5", "mode = \"constant\"", NULL, NULL },
	{ "core.pad", "f32[2,3] i64[2]=1,1", "mode = \"reflect\", axes = [1]", NULL, NULL },
	{ "core.tile", "f32[2,3] i64[2]=2,0", "", NULL, NULL },
	{ "core.reverse", "f32[2,3]", "axes = [1]", NULL, NULL },
	{ "core.reverse_sequence", "f32[3,2] i64[2]=1,3", "batch_axis = 1, time_axis = 0", NULL, NULL },
	{ "core.depth_to_space", "f32[1,8,2,3]", "blocksize = 2, mode = \"DCR\"", NULL, NULL },
	{ "core.space_to_depth", "f32[1,2,4,6]", "blocksize = 2", NULL, NULL },
	{ "core.trilu", "f32[2,3,3] i64[]=1", "upper = 0", NULL, NULL },
	{ "core.shape", "f32[2,3,4]", "start = -2, end = 3", NULL, NULL },
	{ "core.gather", "f32[3,4] i64[2]=0,-1", "axis = 1", NULL, NULL },
	{ "core.gather_elements", "f32[3,3] i64[2,3]=0,1,2,-1,0,1", "axis = 0", NULL, NULL },
	{ "core.gather_nd", "f32[2,3,4] i64[2,2]=0,1,1,-1", "batch_dims = 0", NULL, NULL },
	{ "core.scatter_elements", "f32[3,3] i64[2,3]=0,1,2,-1,0,1 f32[2,3]", "axis = 0, reduction = \"add\"", NULL, NULL },
	{ "core.scatter_nd", "f32[4,2] i64[2,1]=1,-1 f32[2,2]", "reduction = \"none\"", NULL, NULL },
	{ "core.tensor_scatter", "f32[2,1,4,2] f32[2,1,2,2] i64[2]=1,2", "axis = -2, mode = \"linear\"", NULL, NULL },
	{ "core.one_hot", "i64[2]=0,-1 i64[]=3 f32[2]=0,1", "axis = -1", NULL, NULL },
	{ "core.compress", "f32[3,2] i1[3]=1,0,1", "axis = 0", NULL, NULL },
	{ "core.unique", "f32[2,3]", "axis = 0, sorted = 1", NULL, NULL },
	{ "core.col2im", "f32[1,4,9] i64[2]=4,4 i64[2]=2,2", "strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, "
		"1]", NULL, NULL },
	{ "core.cast", "f32[2,3]", "to = \"i64\"", NULL, NULL },
	{ "core.bitcast", "f32[2,3]", "to = \"i32\"", NULL, NULL },
	{ "core.clamp", "f32[2,3] f32[]=-1 f32[]=1", "", NULL, NULL },
	{ "core.select", "i1[2,3] f32[2,3] f32[3]", "", NULL, NULL },
	/* -- core: images, norms, recurrence, quantisation, signal -- */
	{ "core.resize", "f32[1,1,3,4] none f32[4]=1,1,2,0.5", "mode = \"linear\"", NULL, NULL },
	{ "core.resize", "f32[1,1,3,4] f32[4]=0.1,0.1,0.9,0.9 none i64[2]=5,2",
		"mode = \"cubic\", axes = [2, 3], coordinate_transformation_mode = \"tf_crop_and_resize\", antialias = 1",
		NULL, NULL },
	{ "core.grid_sample", "f32[1,1,3,4] f32[1,2,2,2]", "mode = \"cubic\", align_corners = 1", NULL, NULL },
	{ "core.affine_grid", "f32[1,2,3] i64[4]=1,1,2,3", "", NULL, NULL },
	{ "core.roi_align", "f32[1,1,5,5] f32[2,4]=0,0,4,4,1,1,3,3 i64[2]=0,0", "output_height = 2, output_width = 2, "
		"sampling_ratio = 2, spatial_scale = 1.0 : f32", NULL, NULL },
	{ "core.max_roi_pool", "f32[1,1,5,5] f32[1,5]=0,0,0,4,4", "pooled_shape = [2, 2], spatial_scale = 1.0 : f32",
		NULL, NULL },
	{ "core.nms", "f32[1,3,4] f32[1,1,3] i64[]=2 f32[]=0.5 f32[]=0", "center_point_box = 1", NULL, NULL },
	{ "core.batch_norm", "f32[2,3,4] f32[3] f32[3] f32[3] f32[3]=1,2,3", "epsilon = 0.1 : f32", NULL, NULL },
	{ "core.batch_norm_training", "f32[2,3,4] f32[3] f32[3] f32[3] f32[3]=1,2,3", "momentum = 0.5 : f32", NULL, NULL },
	{ "core.instance_norm", "f32[2,3,4] f32[3] f32[3]", "", NULL, NULL },
	{ "core.layer_norm", "f32[2,3,4] f32[3,4] f32[3,4]", "axis = -2", NULL, NULL },
	{ "core.rms_norm", "f32[2,3,4] f32[4]", "axis = -1", NULL, NULL },
	{ "core.group_norm", "f32[2,4,3] f32[4] f32[4]", "num_groups = 2", NULL, NULL },
	{ "core.lrn", "f32[1,4,2,2]", "size = 3, alpha = 0.1 : f32", NULL, NULL },
	{ "core.mean_variance_norm", "f32[2,3,4]", "axes = [0, 2]", NULL, NULL },
	{ "core.lstm", "f32[3,2,4] f32[1,12,4] f32[1,12,3] f32[1,24] i32[2]=3,1 f32[1,2,3] f32[1,2,3] f32[1,9]",
		"hidden_size = 3, direction = \"forward\"", NULL, NULL },
	{ "core.gru", "f32[3,2,4] f32[2,9,4] f32[2,9,3] f32[2,18]", "hidden_size = 3, direction = \"bidirectional\"",
		NULL, NULL },
	{ "core.rnn", "f32[2,3,4] f32[1,3,4] f32[1,3,3]", "hidden_size = 3, layout = 1, activations = [\"Affine\"], "
		"activation_alpha = [1.0 : f32], activation_beta = [0.5 : f32], clip = 1.0 : f32", NULL, NULL },
	{ "core.quantize", "f32[2,4] f32[4]=1,2,3,4 ui8[4]=1,2,3,4", "axis = 1", NULL, NULL },
	{ "core.quantize", "f32[2,4] f32[2,2]=1,2,3,4", "axis = 1, block_size = 2, to = \"i8\"", NULL, NULL },
	{ "core.dequantize", "ui8[2,4] f32[4]=1,2,3,4 ui8[4]=1,2,3,4", "axis = 1", NULL, NULL },
	{ "core.dynamic_quantize", "f32[2,3]", "", NULL, NULL },
	{ "core.dft", "f32[2,4,1] i64[]=6 i64[]=1", "inverse = 0, onesided = 1", NULL, NULL },
	{ "core.stft", "f32[1,16,1] i64[]=4 f32[8] i64[]=8", "onesided = 1", NULL, NULL },
	{ "core.window", "i64[]=5", "kind = \"hann\", periodic = 1", NULL, NULL },
	{ "core.mel_weights", "i64[]=3 i64[]=16 i64[]=8192 f32[]=0 f32[]=4096", "", NULL, NULL },
	{ "core.attention", "f32[1,2,3,4] f32[1,2,3,4] f32[1,2,3,4] f32[3,5] f32[1,2,2,4] f32[1,2,2,4]", "is_causal = "
		"1", NULL, NULL },
	{ "core.attention", "f32[1,3,8] f32[1,3,4] f32[1,3,4]",
		"q_num_heads = 4, kv_num_heads = 2, scale = 0.5 : f32, softcap = 2.0 : f32", NULL, NULL },
	{ "core.rotary_embedding", "f32[1,2,3,4] f32[5,2] f32[5,2] i64[1,3]=0,1,4", "interleaved = 1", NULL, NULL },
	{ "core.random_uniform", "i64[2]=2,3", "low = 0.0 : f32, seed = 1.0 : f32", NULL, NULL },
	{ "core.random_normal", "i64[2]=2,3", "seed = 1.0 : f32", NULL, NULL },
	{ "core.multinomial", "f32[2,3]", "sample_size = 4", NULL, NULL },
	{ "core.dropout", "f32[2,3] f32[]=0.5 i1[]=1", "seed = 3", NULL, NULL },
	/* -- core: control flow and sequences -- */
	{ "core.if", "i1[]=1", "", "1", "(" CORE_GIVE ", " CORE_GIVE ") " },
	{ "core.loop", "i64[]=3 i1[]=1 f32[2]", "", "2", "(" LOOP_BODY ") " },
	{ "core.while", "f32[]=1", "", "1", "({\n^bb0(%s: tensor<f32>):\n%n = core.lt(%s, %s) : (tensor<f32>, "
		"tensor<f32>) -> "
		"!unknown\ncore.yield(%n) : (!unknown) -> ()\n}, {\n^bb0(%s: tensor<f32>):\ncore.yield(%s) : (tensor<f32>) "
		"-> ()\n}) " },
	{ "core.scan", "f32[2] f32[3,2]", "num_scan_inputs = 1, scan_input_axes = [0], scan_input_directions = [1], "
		"scan_output_axes = [0], scan_output_directions = [1]", "2", "(" SCAN_BODY ") " },
	{ "core.seq_construct", "f32[2] f32[3]", "", NULL, NULL },
	{ "core.seq_at", "seq:f32[2] i64[]=-1", "", NULL, NULL },
	{ "core.seq_insert", "seq:f32[2] f32[2] i64[]=0", "", NULL, NULL },
	{ "core.seq_erase", "seq:f32[2] i64[]=0", "", NULL, NULL },
	{ "core.seq_length", "seq:f32[2]", "", NULL, NULL },
	{ "core.seq_split", "f32[5,2] i64[2]=2,3", "axis = 0, keepdims = 1", NULL, NULL },
	{ "core.seq_concat", "seq:f32[2]", "axis = 0, new_axis = 1", NULL, NULL },
	{ "core.optional_get", "opt:f32[2]", "", NULL, NULL },
	{ "core.optional_has", "opt:f32[2]", "", NULL, NULL },

	/* -- ai.onnx -- */
	{ "onnx.AffineGrid", "f32[1,2,3] i64[4]=1,1,2,3", "align_corners = 1", NULL, NULL },
	{ "onnx.And", "i1[2,3] i1[3]", "", NULL, NULL },
	{ "onnx.Attention", "f32[1,2,3,4] f32[1,2,3,4] f32[1,2,3,4] f32[3,5] f32[1,2,2,4] f32[1,2,2,4]", "is_causal = "
		"1", NULL, NULL },
	{ "onnx.Attention", "f32[1,3,8] f32[1,3,4] f32[1,3,4]", "q_num_heads = 4, kv_num_heads = 2, "
		"qk_matmul_output_mode = 1", NULL, NULL },
	{ "onnx.AveragePool", "f32[1,2,5,5]", "kernel_shape = [2, 2], " CONV_WINDOW ", ceil_mode = 1", NULL, NULL },
	{ "onnx.BatchNormalization", "f32[2,3,4] f32[3] f32[3] f32[3] f32[3]=1,2,3", "epsilon = 0.1 : f32", "1", NULL },
	{ "onnx.BatchNormalization", "f32[2,3,4] f32[3] f32[3] f32[3] f32[3]=1,2,3", "training_mode = 1", "3", NULL },
	{ "onnx.BitShift", "ui8[2] ui8[2]", "direction = \"LEFT\"", NULL, NULL },
	{ "onnx.BitwiseAnd", "i32[2] i32[2]", "", NULL, NULL }, { "onnx.BitwiseNot", "i32[2]", "", NULL, NULL },
	{ "onnx.BitwiseOr", "i32[2] i32[2]", "", NULL, NULL }, { "onnx.BitwiseXor", "i32[2] i32[2]", "", NULL, NULL },
	{ "onnx.BlackmanWindow", "i64[]=5", "periodic = 0, output_datatype = 1", NULL, NULL },
	{ "onnx.HannWindow", "i64[]=5", "", NULL, NULL }, { "onnx.HammingWindow", "i64[]=5", "", NULL, NULL },
	{ "onnx.BitCast", "f32[2,3]", "to = 6", NULL, NULL },
	{ "onnx.Cast", "f32[2,3]", "to = 7", NULL, NULL },
	{ "onnx.CausalConvWithState", "f32[1,2,5] f32[2,1,3] f32[2] f32[1,2,2]", "activation = \"silu\"", NULL, NULL },
	{ "onnx.CenterCropPad", "f32[4,5] i64[2]=6,2", "", NULL, NULL },
	{ "onnx.Clip", "f32[2,3] f32[]=-1 f32[]=1", "", NULL, NULL },
	{ "onnx.Col2Im", "f32[1,4,9] i64[2]=4,4 i64[2]=2,2", "strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, "
		"1]", NULL, NULL },
	{ "onnx.Compress", "f32[3,2] i1[3]=1,0,1", "axis = 0", NULL, NULL },
	{ "onnx.Concat", "f32[2,3] f32[2,3]", "axis = 1", NULL, NULL },
	{ "onnx.ConcatFromSequence", "seq:f32[2]", "axis = 0, new_axis = 1", NULL, NULL },
	{ "onnx.Constant", "", "value = dense<[1.0, 2.0]> : tensor<2xf32>", NULL, NULL },
	{ "onnx.Constant", "", "value_ints = [1, 2]", NULL, NULL },
	{ "onnx.ConstantOfShape", "i64[2]=2,3", "value = dense<[1.5]> : tensor<1xf32>", NULL, NULL },
	{ "onnx.Conv", "f32[1,2,5,5] f32[2,2,3,3] f32[2]", CONV_WINDOW ", group = 1, kernel_shape = [3, 3]", NULL, NULL },
	{ "onnx.Conv", "f32[1,4,5] f32[4,2,3]", "auto_pad = \"SAME_LOWER\", group = 2", NULL, NULL },
	{ "onnx.ConvInteger", "ui8[1,2,4,4] ui8[2,2,3,3] ui8[]=1 ui8[2]=1,2", CONV_WINDOW ", group = 1", NULL, NULL },
	{ "onnx.ConvTranspose", "f32[1,2,3,3] f32[2,2,3,3] f32[2]", CONV_WINDOW ", group = 1, output_padding = [0, 0]",
		NULL, NULL },
	{ "onnx.ConvTranspose", "f32[1,2,3,3] f32[2,2,3,3]", "strides = [2, 2], output_shape = [7, 7]", NULL, NULL },
	{ "onnx.CumSum", "f32[2,3] i64[]=1", "exclusive = 1, reverse = 1", NULL, NULL },
	{ "onnx.CumProd", "f32[2,3] i64[]=1", "", NULL, NULL },
	{ "onnx.DFT", "f32[2,4,1] i64[]=6 i64[]=1", "inverse = 0, onesided = 1", NULL, NULL },
	{ "onnx.DeformConv", "f32[1,2,4,4] f32[2,2,3,3] f32[1,18,2,2] f32[2] f32[1,9,2,2]",
		"strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], group = 1, offset_group = 1", NULL, NULL },
	{ "onnx.DepthToSpace", "f32[1,8,2,3]", "blocksize = 2, mode = \"CRD\"", NULL, NULL },
	{ "onnx.DequantizeLinear", "ui8[2,4] f32[4]=1,2,3,4 ui8[4]=1,2,3,4", "axis = 1", NULL, NULL },
	{ "onnx.DequantizeLinear", "i8[2,4] f32[2,2]=1,2,3,4", "axis = 1, block_size = 2", NULL, NULL },
	{ "onnx.Det", "f32[2,3,3]", "", NULL, NULL },
	{ "onnx.Dropout", "f32[2,3] f32[]=0.5 i1[]=1", "seed = 3", NULL, NULL },
	{ "onnx.Einsum", "f32[2,3] f32[3,4]", "equation = \"ij,jk->ik\"", NULL, NULL },
	{ "onnx.Expand", "f32[3,1] i64[3]=2,1,4", "", NULL, NULL },
	{ "onnx.EyeLike", "f32[3,4]", "k = 1, dtype = 1", NULL, NULL },
	{ "onnx.Flatten", "f32[2,3,4]", "axis = -1", NULL, NULL },
	{ "onnx.GRU", "f32[3,2,4] f32[2,9,4] f32[2,9,3] f32[2,18] i32[2]=3,1 f32[2,2,3]",
		"hidden_size = 3, direction = \"bidirectional\", linear_before_reset = 1", NULL, NULL },
	{ "onnx.LSTM", "f32[3,2,4] f32[1,12,4] f32[1,12,3] f32[1,24] i32[2]=3,1 f32[1,2,3] f32[1,2,3] f32[1,9]",
		"hidden_size = 3", NULL, NULL },
	{ "onnx.RNN", "f32[3,2,4] f32[1,3,4] f32[1,3,3] f32[1,6]", "hidden_size = 3, activations = [\"Tanh\"]", NULL,
		NULL },
	{ "onnx.Gather", "f32[3,4] i64[2]=0,-1", "axis = 1", NULL, NULL },
	{ "onnx.GatherElements", "f32[3,3] i64[2,3]=0,1,2,-1,0,1", "axis = 0", NULL, NULL },
	{ "onnx.GatherND", "f32[2,3,4] i64[2,2]=0,1,1,-1", "batch_dims = 0", NULL, NULL },
	{ "onnx.Gemm", "f32[2,3] f32[3,4] f32[4]", "alpha = 2.0 : f32, transA = 0", NULL, NULL },
	{ "onnx.GlobalLpPool", "f32[1,2,3,3]", "p = 2", NULL, NULL },
	{ "onnx.GridSample", "f32[1,1,3,4] f32[1,2,2,2]", "mode = \"cubic\", align_corners = 1", NULL, NULL },
	{ "onnx.GroupNormalization", "f32[2,4,3] f32[4] f32[4]", "num_groups = 2", NULL, NULL },
	{ "onnx.If", "i1[]=1", "", "1", "(" CORE_GIVE ", " CORE_GIVE ") " },
	{ "onnx.InstanceNormalization", "f32[2,3,4] f32[3] f32[3]", "", NULL, NULL },
	{ "onnx.LRN", "f32[1,4,2,2]", "size = 3, alpha = 0.1 : f32", NULL, NULL },
	{ "onnx.LayerNormalization", "f32[2,3,4] f32[3,4] f32[3,4]", "axis = -2", NULL, NULL },
	{ "onnx.Loop", "i64[]=3 i1[]=1 f32[2]", "", "2", "(" LOOP_BODY ") " },
	{ "onnx.LpPool", "f32[1,2,5,5]", "kernel_shape = [2, 2], " CONV_WINDOW ", p = 3", NULL, NULL },
	{ "onnx.MatMul", "f32[2,3,4] f32[4,5]", "", NULL, NULL },
	{ "onnx.MatMulInteger", "ui8[2,3] ui8[3,4] ui8[]=1 ui8[4]=1,2,3,4", "", NULL, NULL },
	{ "onnx.MaxPool", "f32[1,2,5,5]", "kernel_shape = [2, 2], " CONV_WINDOW ", ceil_mode = 1, storage_order = 1",
		NULL, NULL },
	{ "onnx.MaxRoiPool", "f32[1,1,5,5] f32[1,5]=0,0,0,4,4", "pooled_shape = [2, 2], spatial_scale = 1.0 : f32",
		NULL, NULL },
	{ "onnx.MaxUnpool", "f32[1,1,2,2] i64[1,1,2,2]=0,3,8,11 i64[4]=1,1,4,4", "kernel_shape = [2, 2], strides = [2, "
		"2]", NULL, NULL },
	{ "onnx.MelWeightMatrix", "i64[]=3 i64[]=16 i64[]=8192 f32[]=0 f32[]=4096", "", NULL, NULL },
	{ "onnx.Multinomial", "f32[2,3]", "sample_size = 4", NULL, NULL },
	{ "onnx.NegativeLogLikelihoodLoss", "f32[3,4,2] i64[3,2]=0,1,2,3,0,1 f32[4]", "ignore_index = 1, reduction = "
		"\"mean\"", NULL, NULL },
	{ "onnx.SoftmaxCrossEntropyLoss", "f32[3,4,2] i64[3,2]=0,1,2,3,0,1 f32[4]", "ignore_index = 1, reduction = "
		"\"sum\"", NULL, NULL },
	{ "onnx.NonMaxSuppression", "f32[1,3,4] f32[1,1,3] i64[]=2 f32[]=0.5 f32[]=0", "center_point_box = 1", NULL, NULL },
	{ "onnx.Not", "i1[2,3]", "", NULL, NULL }, { "onnx.Or", "i1[2,3] i1[3]", "", NULL, NULL },
	{ "onnx.Xor", "i1[2,3] i1[3]", "", NULL, NULL },
	{ "onnx.OneHot", "i64[2]=0,-1 i64[]=3 f32[2]=0,1", "axis = -1", NULL, NULL },
	{ "onnx.OptionalGetElement", "opt:f32[2]", "", NULL, NULL }, { "onnx.OptionalHasElement", "opt:f32[2]", "",
		NULL, NULL },
	{ "onnx.Optional", "f32[2]", "", NULL, NULL },
	{ "onnx.Pad", "f32[2,3] i64[4]=1,0,-1,2 f32[]=5", "mode = \"constant\"", NULL, NULL },
	{ "onnx.Pad", "f32[2,3] i64[2]=1,1 none i64[1]=1", "mode = \"wrap\"", NULL, NULL },
	{ "onnx.QLinearConv", QCONV " i32[2]=1,2", CONV_WINDOW ", group = 1", NULL, NULL },
	{ "onnx.QLinearMatMul", QMATMUL, "", NULL, NULL },
	{ "onnx.QuantizeLinear", "f32[2,4] f32[4]=1,2,3,4 ui8[4]=1,2,3,4", "axis = 1", NULL, NULL },
	{ "onnx.QuantizeLinear", "f32[2,4] f32[2,2]=1,2,3,4", "axis = 1, block_size = 2, output_dtype = 3", NULL, NULL },
	{ "onnx.RMSNormalization", "f32[2,3,4] f32[4]", "axis = -1", NULL, NULL },
	{ "onnx.RandomNormal", "", "shape = [2, 3], seed = 1.0 : f32", NULL, NULL },
	{ "onnx.RandomUniform", "", "shape = [2, 3], seed = 1.0 : f32, low = 0.0 : f32", NULL, NULL },
	{ "onnx.Range", "i64[]=0 i64[]=5 i64[]=2", "", NULL, NULL }, { "onnx.Range", "f32[]=0 f32[]=5 f32[]=0.5", "",
		NULL, NULL },
	{ "onnx.ReduceSum", "f32[2,3,4] i64[2]=1,-1", "keepdims = 0, noop_with_empty_axes = 1", NULL, NULL },
	{ "onnx.ReduceMax", "f32[2,3,4] i64[1]=-1", "keepdims = 1", NULL, NULL },
	{ "onnx.ReduceLogSumExp", "f32[2,3,4] i64[1]=0", "", NULL, NULL },
	{ "onnx.ReduceMean", "f32[2,3,4] i64[1]=0", "", NULL, NULL }, { "onnx.ReduceProd", "f32[2,3] i64[1]=0", "",
		NULL, NULL },
	{ "onnx.ReduceMin", "f32[2,3,4] i64[1]=0", "", NULL, NULL }, { "onnx.ReduceL1", "f32[2,3] i64[1]=0", "", NULL,
		NULL },
	{ "onnx.ReduceL2", "f32[2,3,4] i64[1]=0", "", NULL, NULL }, { "onnx.ReduceLogSum", "f32[2,3] i64[1]=0", "",
		NULL, NULL },
	{ "onnx.ReduceSumSquare", "f32[2,3,4] i64[1]=0", "", NULL, NULL },
	{ "onnx.Reshape", "f32[2,3,4] i64[2]=0,-1", "allowzero = 0", NULL, NULL },
	{ "onnx.Resize", "f32[1,1,3,4] none f32[4]=1,1,2,0.5", "mode = \"linear\"", NULL, NULL },
	{ "onnx.Resize", "f32[1,1,3,4] f32[4]=0.1,0.1,0.9,0.9 none i64[2]=5,2",
		"mode = \"cubic\", axes = [2, 3], coordinate_transformation_mode = \"tf_crop_and_resize\", antialias = 1",
		NULL, NULL },
	{ "onnx.ReverseSequence", "f32[3,2] i64[2]=1,3", "batch_axis = 1, time_axis = 0", NULL, NULL },
	{ "onnx.RoiAlign", "f32[1,1,5,5] f32[2,4]=0,0,4,4,1,1,3,3 i64[2]=0,0",
		"output_height = 2, output_width = 2, sampling_ratio = 2", NULL, NULL },
	{ "onnx.RotaryEmbedding", "f32[1,2,3,4] f32[5,2] f32[5,2] i64[1,3]=0,1,4", "interleaved = 1", NULL, NULL },
	{ "onnx.STFT", "f32[1,16,1] i64[]=4 f32[8] i64[]=8", "onesided = 1", NULL, NULL },
	{ "onnx.Scan", "f32[2] f32[3,2]", "num_scan_inputs = 1, scan_input_axes = [0], scan_input_directions = [1], "
		"scan_output_axes = [0], scan_output_directions = [1]", "2", "(" SCAN_BODY ") " },
	{ "onnx.Scatter", "f32[3,3] i64[2,3]=0,1,2,-1,0,1 f32[2,3]", "axis = 0", NULL, NULL },
	{ "onnx.ScatterElements", "f32[3,3] i64[2,3]=0,1,2,-1,0,1 f32[2,3]", "axis = 0, reduction = \"add\"", NULL, NULL },
	{ "onnx.ScatterND", "f32[4,2] i64[2,1]=1,-1 f32[2,2]", "reduction = \"none\"", NULL, NULL },
	{ "onnx.SequenceAt", "seq:f32[2] i64[]=-1", "", NULL, NULL }, { "onnx.SequenceLength", "seq:f32[2]", "", NULL,
		NULL },
	{ "onnx.SequenceErase", "seq:f32[2] i64[]=0", "", NULL, NULL },
	{ "onnx.SequenceInsert", "seq:f32[2] f32[2] i64[]=0", "", NULL, NULL },
	{ "onnx.SequenceMap", "seq:f32[2] f32[2]", "", "1", "({\n^bb0(%s: tensor<2xf32>, %x: tensor<2xf32>):\n"
		"%n = onnx.Add(%s, %x) : (tensor<2xf32>, tensor<2xf32>) -> !unknown\ncore.yield(%n) : (!unknown) -> ()\n}) " },
	{ "onnx.Shape", "f32[2,3,4]", "start = -2, end = 3", NULL, NULL },
	{ "onnx.Slice", "f32[4,6] i64[2]=0,-1 i64[2]=9,-7 i64[2]=0,1 i64[2]=2,-1", "", NULL, NULL },
	{ "onnx.SpaceToDepth", "f32[1,2,4,6]", "blocksize = 2", NULL, NULL },
	{ "onnx.Split", "f32[2,6] i64[2]=2,4", "axis = 1", "2", NULL }, { "onnx.Split", "f32[2,6]", "axis = 1, "
		"num_outputs = 4", "4", NULL },
	{ "onnx.SplitToSequence", "f32[5,2] i64[2]=2,3", "axis = 0, keepdims = 1", NULL, NULL },
	{ "onnx.Squeeze", "f32[1,3,1] i64[2]=0,-1", "", NULL, NULL }, { "onnx.Unsqueeze", "f32[2,3] i64[2]=0,-1", "",
		NULL, NULL },
	{ "onnx.TensorScatter", "f32[2,1,4,2] f32[2,1,2,2] i64[2]=1,2", "axis = -2, mode = \"circular\"", NULL, NULL },
	{ "onnx.Tile", "f32[2,3] i64[2]=2,0", "", NULL, NULL }, { "onnx.TopK", "f32[2,5] i64[1]=3", "axis = -1", NULL,
		NULL },
	{ "onnx.Transpose", "f32[2,3,4]", "perm = [2, 0, 1]", NULL, NULL },
	{ "onnx.Trilu", "f32[2,3,3] i64[]=1", "upper = 0", NULL, NULL }, { "onnx.Unique", "f32[2,3]", "axis = 0, sorted "
		"= 1", NULL, NULL },
	{ "onnx.Upsample", "f32[1,1,2,2] f32[4]=1,1,2,3", "mode = \"nearest\"", NULL, NULL },
	{ "onnx.Where", "i1[2,3] f32[2,3] f32[3]", "", NULL, NULL },

	/* -- operators without a core form -- */
	{ "onnx.StringConcat", "!hone.str[2] !hone.str[2]", "", NULL, NULL },
	{ "onnx.StringNormalizer", "!hone.str[2]", "case_change_action = \"UPPER\", stopwords = [\"a\"]", NULL, NULL },
	{ "onnx.StringSplit", "!hone.str[2]", "delimiter = \"b\", maxsplit = 2", NULL, NULL },
	{ "onnx.RegexFullMatch", "!hone.str[2]", "pattern = \"a.*(b|c)+\"", NULL, NULL },
	{ "onnx.TfIdfVectorizer", "i64[6]=1,2,3,1,2,4", "max_gram_length = 2, max_skip_count = 1, min_gram_length = 1, "
		"mode = \"TF\", "
		"ngram_counts = [0, 2], ngram_indexes = [0, 1, 2], pool_int64s = [1, 2, 1, 2]", NULL, NULL },
	{ "onnx.LinearAttention", "f32[1,3,8] f32[1,3,8] f32[1,3,8]", "q_num_heads = 2, kv_num_heads = 2, update_rule = "
		"\"linear\"", NULL, NULL },
	{ "onnx.ai.onnx.preview.training::Adagrad", "f32[] i64[]=1 f32[2] f32[2] f32[2]", "decay_factor = 0.1 : f32",
		"2", NULL },
	{ "onnx.ai.onnx.preview.training::Adam", "f32[] i64[]=1 f32[2] f32[2] f32[2] f32[2]", "alpha = 0.5 : f32", "3",
		NULL },
	{ "onnx.ai.onnx.preview.training::Momentum", "f32[] i64[]=1 f32[2] f32[2] f32[2]",
		"alpha = 0.5 : f32, beta = 0.5 : f32, mode = \"nesterov\", norm_coefficient = 0.1 : f32", "2", NULL },
	{ "onnx.ai.onnx.ml::ArrayFeatureExtractor", "f32[2,3] i64[2]=0,2", "", NULL, NULL },
	{ "onnx.ai.onnx.ml::CategoryMapper", "i64[2]", "cats_int64s = [1, 2], cats_strings = [\"a\", \"b\"]", NULL, NULL },
	{ "onnx.ai.onnx.ml::LabelEncoder", "i64[2]", "keys_int64s = [1, 2], values_floats = [1.0 : f32, 2.0 : f32]",
		NULL, NULL },
	{ "onnx.ai.onnx.ml::FeatureVectorizer", "f32[2,3] f32[2,1]", "inputdimensions = [3, 1]", NULL, NULL },
	{ "onnx.ai.onnx.ml::Imputer", "f32[2,3]", "imputed_value_floats = [1.0 : f32, 2.0 : f32, 3.0 : f32]", NULL, NULL },
	{ "onnx.ai.onnx.ml::OneHotEncoder", "i64[2]", "cats_int64s = [1, 2, 3], zeros = 1", NULL, NULL },
	{ "onnx.ai.onnx.ml::Scaler", "f32[2,2]", "offset = [1.0 : f32, 2.0 : f32], scale = [1.0 : f32, 2.0 : f32]",
		NULL, NULL },
	{ "onnx.ai.onnx.ml::Normalizer", "f32[2,3]", "norm = \"L2\"", NULL, NULL },
	{ "onnx.ai.onnx.ml::LinearClassifier", "f32[2,3]", "classlabels_ints = [0, 1], coefficients = [1.0 : f32, 2.0 : "
		"f32, 3.0 : f32, "
		"4.0 : f32, 5.0 : f32, 6.0 : f32], intercepts = [0.5 : f32, 0.25 : f32], multi_class = 0", NULL, NULL },
	{ "onnx.ai.onnx.ml::LinearRegressor", "f32[2,3]", "coefficients = [1.0 : f32, 2.0 : f32, 3.0 : f32], intercepts "
		"= [0.5 : f32], "
		"targets = 1", NULL, NULL },
	{ "onnx.ai.onnx.ml::SVMRegressor", "f32[2,2]", "coefficients = [1.0 : f32, 2.0 : f32], kernel_params = [0.5 : "
		"f32, 0.5 : f32, "
		"2.0 : f32], kernel_type = \"RBF\", n_supports = 2, rho = [0.5 : f32], support_vectors = [1.0 : f32, 2.0 : "
		"f32, 3.0 : f32, "
		"4.0 : f32]", NULL, NULL },
	{ "onnx.ai.onnx.ml::SVMClassifier", "f32[2,2]", "classlabels_ints = [0, 1], coefficients = [1.0 : f32, -1.0 : "
		"f32], kernel_params = "
		"[0.5 : f32, 0.5 : f32, 2.0 : f32], kernel_type = \"LINEAR\", rho = [0.5 : f32], support_vectors = [1.0 : "
		"f32, 2.0 : f32, "
		"3.0 : f32, 4.0 : f32], vectors_per_class = [1, 1]", NULL, NULL },
	{ "onnx.ai.onnx.ml::TreeEnsembleRegressor", "f32[2,2]", "n_targets = 1, nodes_falsenodeids = [2, 0, 0], "
		"nodes_featureids = [0, 0, 0], "
		"nodes_modes = [\"BRANCH_LEQ\", \"LEAF\", \"LEAF\"], nodes_nodeids = [0, 1, 2], nodes_treeids = [0, 0, 0], "
		"nodes_truenodeids = "
		"[1, 0, 0], nodes_values = [0.5 : f32, 0.0 : f32, 0.0 : f32], target_ids = [0, 0], target_nodeids = [1, 2], "
		"target_treeids = "
		"[0, 0], target_weights = [1.0 : f32, 2.0 : f32]", NULL, NULL },
	{ "onnx.ai.onnx.ml::TreeEnsembleClassifier", "f32[2,2]", "class_ids = [0, 1], class_nodeids = [1, 2], "
		"class_treeids = [0, 0], "
		"class_weights = [1.0 : f32, 2.0 : f32], classlabels_int64s = [0, 1], nodes_falsenodeids = [2, 0, 0], "
		"nodes_featureids = "
		"[0, 0, 0], nodes_modes = [\"BRANCH_LT\", \"LEAF\", \"LEAF\"], nodes_nodeids = [0, 1, 2], nodes_treeids = "
		"[0, 0, 0], "
		"nodes_truenodeids = [1, 0, 0], nodes_values = [0.5 : f32, 0.0 : f32, 0.0 : f32]", NULL, NULL },
	{ "onnx.ai.onnx.ml::TreeEnsemble", "f32[2,2]", "aggregate_function = 1, leaf_targetids = [0, 0], leaf_weights = "
		"dense<[1.0, 2.0]> : "
		"tensor<2xf32>, n_targets = 1, nodes_falseleafs = [1], nodes_falsenodeids = [1], nodes_featureids = [0], "
		"nodes_modes = "
		"dense<[0]> : tensor<1xui8>, nodes_splits = dense<[0.5]> : tensor<1xf32>, nodes_trueleafs = [1], "
		"nodes_truenodeids = [0], "
		"tree_roots = [0]", NULL, NULL },
	{ "onnx.com.microsoft::BiasGelu", "f32[2,3] f32[3]", "", NULL, NULL },
	{ "onnx.com.microsoft::FusedMatMul", "f32[2,3] f32[4,3]", "alpha = 0.5 : f32, transB = 1", NULL, NULL },
	{ "onnx.com.microsoft::FusedGemm", "f32[2,3] f32[3,4] f32[4]", "activation = \"Relu\"", NULL, NULL },
	{ "onnx.com.microsoft::FusedConv", "f32[1,2,5,5] f32[2,2,3,3] f32[2]", "activation = \"Relu\", " CONV_WINDOW ", "
		"group = 1", NULL, NULL },
	{ "onnx.com.microsoft::SkipLayerNormalization", "f32[1,2,4] f32[1,2,4] f32[4] f32[4] f32[4]", "", "1", NULL },
	{ "onnx.com.microsoft::SkipSimplifiedLayerNormalization", "f32[1,2,4] f32[1,2,4] f32[4]", "", "1", NULL },
	{ "onnx.SimplifiedLayerNormalization", "f32[2,4] f32[4]", "", "1", NULL },
	{ "onnx.com.microsoft::EmbedLayerNormalization", "i32[1,3]=0,1,2 i32[1,3]=0,1,0 f32[5,4] f32[5,4] f32[2,4] "
		"f32[4] f32[4]",
		"", "1", NULL },
	{ "onnx.com.microsoft::Attention", "f32[1,3,4] f32[4,12] f32[12]", "num_heads = 2", NULL, NULL },
	{ "onnx.com.microsoft::MultiHeadAttention", "f32[1,3,4] f32[1,3,4] f32[1,3,4]", "num_heads = 2", "1", NULL },
	{ "!onnx.com.microsoft::GroupQueryAttention", "f32[1,3,8] f32[1,3,4] f32[1,3,4] f32[1,2,5,2] f32[1,2,5,2] "
		"i32[1]=2 i32[]=3",
		"num_heads = 4, kv_num_heads = 2", NULL, NULL },
	{ "onnx.com.microsoft::RotaryEmbedding", "f32[1,3,8] i64[1,3]=0,1,2 f32[5,2] f32[5,2]", "num_heads = 2", NULL,
		NULL },
	{ "onnx.com.microsoft::QLinearAdd", "ui8[2,3] f32[]=0.5 ui8[]=3 ui8[2,3] f32[]=0.5 ui8[]=2 f32[]=2 ui8[]=1", "",
		NULL, NULL },
	{ "onnx.com.microsoft::QLinearMul", "ui8[2,3] f32[]=0.5 ui8[]=3 ui8[2,3] f32[]=0.5 ui8[]=2 f32[]=2 ui8[]=1", "",
		NULL, NULL },
	{ "onnx.com.microsoft::QLinearSigmoid", "ui8[2,3] f32[]=0.5 ui8[]=3 f32[]=2 ui8[]=1", "", NULL, NULL },
	{ "onnx.com.microsoft::QLinearLeakyRelu", "ui8[2,3] f32[]=0.5 ui8[]=3 f32[]=2 ui8[]=1", "", NULL, NULL },
	{ "onnx.com.microsoft::QLinearGlobalAveragePool", "ui8[1,2,3,3] f32[]=0.5 ui8[]=3 f32[]=2 ui8[]=1", "", NULL,
		NULL },
	{ "onnx.com.microsoft::QLinearConcat", "f32[]=2 ui8[]=1 ui8[2,3] f32[]=0.5 ui8[]=2", "axis = 1", NULL, NULL },
	{ "onnx.com.microsoft::QuantizeLinear", "f32[2,4] f32[4]=1,2,3,4 ui8[4]=1,2,3,4", "axis = 1", NULL, NULL },
	{ "onnx.com.microsoft::DequantizeLinear", "ui8[2,4] f32[4]=1,2,3,4 ui8[4]=1,2,3,4", "axis = 1", NULL, NULL },
	{ "onnx.com.microsoft::DynamicQuantizeMatMul", "f32[2,3] ui8[3,4] f32[]=0.5 ui8[]=3 f32[4]", "", NULL, NULL },
	{ "onnx.com.microsoft::MatMulIntegerToFloat", "ui8[2,3] ui8[3,4] f32[]=0.5 f32[]=0.5 ui8[]=3 ui8[]=2 f32[4]",
		"", NULL, NULL },
	{ "onnx.com.microsoft::MatMulNBits", "f32[2,16] ui8[3,1,8] f32[3]", "K = 16, N = 3, bits = 4, block_size = 16",
		NULL, NULL },
	{ "onnx.com.microsoft::PackedAttention", "f32[3,4] f32[4,12] f32[12] i32[2,2]=0,1,2,3 i32[3]=0,1,3", "num_heads = 2", NULL, NULL },
	{ "onnx.com.microsoft::PackedMultiHeadAttention", "f32[3,4] f32[3,4] f32[3,4] f32[12] i32[2,2]=0,1,2,3 i32[3]=0,1,3",
		"num_heads = 2", NULL, NULL },
	{ "onnx.com.microsoft::DecoderMaskedSelfAttention", "f32[1,1,4] f32[4,12] f32[12] none f32[2,1,2,3,2]", "num_heads = 2", "1", NULL },
	{ "onnx.com.microsoft::GatedRelativePositionBias", "f32[1,3,4] f32[4] f32[1,2,3,3] f32[2,4] f32[4] f32[1,2,1,1]", "num_heads = 2",
		NULL, NULL },
	{ "onnx.com.microsoft::LinearAttention", "f32[1,3,8] f32[1,3,4] f32[1,3,4] f32[1,2,2,2] f32[1,3,2] f32[1,3,2]",
		"q_num_heads = 4, kv_num_heads = 2", NULL, NULL },
	{ "onnx.com.microsoft::LinearAttentionGate", "f32[1,3,4] f32[4] f32[4] f32[1,3,4]", "", "2", NULL },
	{ "onnx.com.microsoft::GatedDeltaNet", "f32[3,2,4] f32[3,2,4] f32[3,4,2] i32[3]=0,1,3 f32[3,4] f32[3,4] f32[2,4,2,4]", "", "2", NULL },
	{ "onnx.com.microsoft::EngramGate", "f32[1,2,2,4] f32[1,2,2,4] f32[1,2,4] f32[2,4] f32[2,4] f32[2,4]", "", "2", NULL },
	{ "onnx.com.microsoft::NGramHashMapping", "i64[1,4]=1,2,3,4 i64[2]=3,5 i64[2]=7,11", "max_ngram_size = 2, n_head_per_ngram = 2, "
		"pad_id = 0", "2", NULL },
	{ "onnx.com.microsoft::VarlenNGramHashMapping", "i64[3]=1,2,3 i64[2]=3,5 i64[2]=7,11 i32[3]=0,1,3", "max_ngram_size = 2, "
		"n_head_per_ngram = 2, pad_id = 0", "2", NULL },
	{ "onnx.com.microsoft::VarlenCausalConvWithState", "f32[3,2] f32[2,1,3] i32[3]=0,1,3 f32[2] f32[2,2,2]", "", "2", NULL },
	{ "onnx.com.microsoft::MatMulFpQ4", "f32[2,32] ui8[40] i64[2]=32,2", "blk_quant_type = 0", NULL, NULL },
	{ "onnx.com.microsoft::MatMulNBitsMlp", "f32[2,16] none f32[16] ui8[3,1,8] f32[3] none ui8[3,1,8] f32[3]",
		"K = 16, N = 3, bits = 4, block_size = 16, activation = \"silu\"", "1", NULL },
	{ "onnx.com.microsoft::MatMulNBitsQkv", "f32[2,16] none f32[16] ui8[3,1,8] f32[3] none ui8[2,1,8] f32[2] none ui8[2,1,8] f32[2]",
		"K = 16, Nq = 3, Nkv = 2, bits = 4, block_size = 16", "3", NULL },
	{ "onnx.com.microsoft::MatMulBlockQuantizedFp8Weight", "f32[2,4] f8E4M3FN[3,4] f32[3,2]", "block_size = 2", NULL, NULL },
	{ "onnx.com.microsoft::MatMulBlockQuantizedFp4Weight", "f32[2,4] ui8[3,2] ui8[3,2] f32[]=0.5", "block_size = 2", NULL, NULL },
	{ "onnx.com.microsoft::QOrderedMatMul", "i8[1,2,3] f32[]=0.5 i8[3,4] f32[]=0.5 f32[]=2", "order_A = 1, order_B = 0, order_Y = 1",
		NULL, NULL },
	{ "onnx.com.microsoft::GemmFloat8", "f32[2,3] f32[3,4] f32[4]", "beta = 1.0 : f32", NULL, NULL },
	{ "onnx.com.microsoft::SparseToDenseMatMul", "f32[2,3] f32[3,4]", "", NULL, NULL },
	{ "onnx.com.microsoft::QEmbedLayerNormalization", "i32[1,3]=0,1,2 none ui8[5,4] ui8[5,4] none ui8[4] ui8[4] none f32[]=0.5 f32[]=0.5 "
		"none f32[]=0.5 f32[]=0.5 ui8[]=1 ui8[]=1 none ui8[]=1 ui8[]=1", "", "2", NULL },
	{ "onnx.com.microsoft::Tokenizer", "str[2]", "mark = 0, mincharnum = 1, pad_value = \"0\", separators = [\" \"]", NULL, NULL },
	{ "onnx.com.microsoft::WordConvEmbedding", "i32[2,3]=1,2,0,1,0,0 f32[4,1,2,3] f32[4] f32[5,3]", "", NULL, NULL },
	{ "onnx.com.microsoft::BifurcationDetector", "i64[3]=1,2,3 i64[2]=4,1 i64[]=0", "", "2", NULL },
	{ "onnx.com.microsoft::AttnLSTM", "f32[2,1,3] f32[1,8,5] f32[1,8,2] none none none none none f32[1,2,3] f32[1,2,3] f32[1,3] f32[1,4,2]",
		"hidden_size = 2", "3", NULL },

	/* -- StableHLO: result types are stated -- */
	{ "stablehlo.convert", "f32[2,3]", "", "i32[2,3]", NULL },
	{ "stablehlo.count_leading_zeros", "i32[2,3]", "", NULL, NULL }, { "stablehlo.popcnt", "i32[2,3]", "", NULL, NULL },
	{ "stablehlo.is_finite", "f32[2,3]", "", "i1[2,3]", NULL }, { "stablehlo.not", "i1[2,3]", "", NULL, NULL },
	{ "stablehlo.real", "complex<f32>[2]", "", "f32[2]", NULL }, { "stablehlo.imag", "complex<f32>[2]", "",
		"f32[2]", NULL },
	{ "stablehlo.complex", "f32[2] f32[2]", "", "complex<f32>[2]", NULL },
	{ "stablehlo.reduce_precision", "f32[2,3]", "exponent_bits = 5 : i32, mantissa_bits = 10 : i32", NULL, NULL },
	{ "!stablehlo.bitcast_convert", "f32[2]", "", "ui8[2,4]", NULL },
	{ "stablehlo.and", "i1[2] i1[2]", "", NULL, NULL }, { "stablehlo.or", "i32[2] i32[2]", "", NULL, NULL },
	{ "stablehlo.xor", "i32[2] i32[2]", "", NULL, NULL }, { "stablehlo.shift_left", "i32[2] i32[2]", "", NULL, NULL },
	{ "stablehlo.shift_right_arithmetic", "i32[2] i32[2]", "", NULL, NULL },
	{ "stablehlo.shift_right_logical", "i32[2] i32[2]", "", NULL, NULL },
	{ "stablehlo.compare", "f32[2] f32[2]", "comparison_direction = #stablehlo<comparison_direction LT>", "i1[2]",
		NULL },
	{ "stablehlo.clamp", "f32[]=-1 f32[2,3] f32[]=1", "", "f32[2,3]", NULL },
	{ "stablehlo.select", "i1[2,3] f32[2,3] f32[2,3]", "", "f32[2,3]", NULL },
	{ "stablehlo.constant", "", "value = dense<[1.0, 2.0]> : tensor<2xf32>", "f32[2]", NULL },
	{ "stablehlo.iota", "", "iota_dimension = 1 : i64", "i32[2,3]", NULL },
	{ "stablehlo.dynamic_iota", "i64[2]=2,3", "iota_dimension = 1 : i64", "i32[?,?]", NULL },
	{ "stablehlo.get_dimension_size", "f32[2,3]", "dimension = 1 : i64", "i32[]", NULL },
	{ "!stablehlo.set_dimension_size", "f32[2,3] i32[]=2", "dimension = 1 : i64", "f32[2,?]", NULL },
	{ "stablehlo.broadcast", "f32[3]", "broadcast_sizes = array<i64: 2>", "f32[2,3]", NULL },
	{ "stablehlo.broadcast_in_dim", "f32[3,1]", "broadcast_dimensions = array<i64: 1, 2>", "f32[2,3,4]", NULL },
	{ "stablehlo.dynamic_broadcast_in_dim", "f32[3,1] i64[3]=2,3,4", "broadcast_dimensions = array<i64: 1, 2>",
		"f32[?,?,?]", NULL },
	{ "stablehlo.concatenate", "f32[2,3] f32[2,1]", "dimension = 1 : i64", "f32[2,4]", NULL },
	{ "stablehlo.reshape", "f32[2,3]", "", "f32[6]", NULL },
	{ "stablehlo.dynamic_reshape", "f32[2,3] i64[1]=6", "", "f32[?]", NULL },
	{ "stablehlo.transpose", "f32[2,3,4]", "permutation = array<i64: 2, 0, 1>", "f32[4,2,3]", NULL },
	{ "stablehlo.reverse", "f32[2,3]", "dimensions = array<i64: 1>", NULL, NULL },
	{ "stablehlo.slice", "f32[4,6]", "start_indices = array<i64: 0, 1>, limit_indices = array<i64: 4, 5>, strides = "
		"array<i64: 2, 1>",
		"f32[2,4]", NULL },
	{ "stablehlo.dynamic_slice", "f32[4,6] i64[]=1 i64[]=9", "slice_sizes = array<i64: 2, 3>", "f32[2,3]", NULL },
	{ "stablehlo.dynamic_update_slice", "f32[4,6] f32[2,3] i64[]=1 i64[]=9", "", NULL, NULL },
	{ "stablehlo.real_dynamic_slice", "f32[4,6] i64[2]=0,1 i64[2]=4,5 i64[2]=2,1", "", "f32[?,?]", NULL },
	{ "stablehlo.pad", "f32[2,3] f32[]=5", "edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 0, "
		"2>, "
		"interior_padding = array<i64: 0, 1>", "f32[3,6]", NULL },
	{ "stablehlo.dynamic_pad", "f32[2,3] f32[]=5 i64[2]=1,-1 i64[2]=0,2 i64[2]=0,1", "", "f32[?,?]", NULL },
	{ "stablehlo.gather", "f32[3,4] i64[2,1]=0,2", "dimension_numbers = #stablehlo.gather<offset_dims = [1], "
		"collapsed_slice_dims = [0], "
		"start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = false",
		"f32[2,4]", NULL },
	{ "stablehlo.dynamic_gather", "f32[3,4] i64[2,1]=0,2 i64[2]=1,4", "dimension_numbers = "
		"#stablehlo.gather<offset_dims = [1], "
		"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>", "f32[2,4]", NULL },
	{ "!stablehlo.torch_index_select", "f32[3,4] i64[2]=0,2", "dim = 0 : i64, batch_dims = 0 : i64", "f32[2,4]", NULL },
	{ "stablehlo.scatter", "f32[3,4] i64[2,1]=0,2 f32[2,4]", "scatter_dimension_numbers = "
		"#stablehlo.scatter<update_window_dims = [1], "
		"inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>", "f32[3,4]", "("
		FOLD_F32 ") " },
	{ "stablehlo.dot", "f32[2,3] f32[3,4]", "", "f32[2,4]", NULL },
	{ "stablehlo.dot_general", "f32[2,3,4] f32[2,4,5]", "dot_dimension_numbers = "
		"#stablehlo.dot<lhs_batching_dimensions = [0], "
		"rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>",
		"f32[2,3,5]", NULL },
	{ "stablehlo.einsum", "f32[2,3] f32[3,4]", "einsum_config = \"ij,jk->ik\"", "f32[2,4]", NULL },
	{ "stablehlo.unary_einsum", "f32[2,3]", "einsum_config = \"ij->i\"", "f32[2]", NULL },
	{ "stablehlo.convolution", "f32[1,2,5,5] f32[2,2,3,3]", SHLO_CONV ", padding = dense<1> : tensor<2x2xi64>",
		"f32[1,2,5,5]", NULL },
	{ "stablehlo.dynamic_conv", "f32[1,2,5,5] f32[2,2,3,3] i64[2,2]=1,1,1,1", SHLO_CONV, "f32[1,2,5,5]", NULL },
	{ "stablehlo.fft", "complex<f32>[2,4]", "fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>", NULL,
		NULL },
	{ "stablehlo.cholesky", "f32[1,1]=4", "lower = true", NULL, NULL },
	{ "stablehlo.triangular_solve", "f32[2,2]=1,0,2,3 f32[2,3]", "left_side = true, lower = true, unit_diagonal = "
		"false, transpose_a = "
		"#stablehlo<transpose NO_TRANSPOSE>", "f32[2,3]", NULL },
	{ "stablehlo.batch_norm_grad", "f32[2,3] f32[3] f32[3] f32[3]=1,2,3 f32[2,3]", "epsilon = 0.1 : f32, "
		"feature_index = 1 : i64",
		"f32[2,3] f32[3] f32[3]", NULL },
	{ "stablehlo.batch_norm_inference", "f32[2,3] f32[3] f32[3] f32[3] f32[3]=1,2,3", "epsilon = 0.1 : f32, "
		"feature_index = 1 : i64",
		"f32[2,3]", NULL },
	{ "stablehlo.batch_norm_training", "f32[2,3] f32[3] f32[3]", "epsilon = 0.1 : f32, feature_index = 1 : i64",
		"f32[2,3] f32[3] f32[3]", NULL },
	{ "stablehlo.case", "i32[]=1", "", "f32[2]", "(" GIVE_F32("stablehlo") ", " GIVE_F32("stablehlo") ") " },
	{ "stablehlo.if", "i1[]=1", "", "f32[2]", "(" GIVE_F32("stablehlo") ", " GIVE_F32("stablehlo") ") " },
	{ "stablehlo.while", "f32[]=1", "", "f32[]", "({\n^bb0(%s: tensor<f32>):\n%n = stablehlo.compare LT, %s, %s : "
		"(tensor<f32>, "
		"tensor<f32>) -> tensor<i1>\nstablehlo.return %n : tensor<i1>\n}, {\n^bb0(%s: "
		"tensor<f32>):\nstablehlo.return %s : "
		"tensor<f32>\n}) " },
	{ "stablehlo.map", "f32[2,3] f32[2,3]", "dimensions = array<i64: 0, 1>", NULL, "(" FOLD_F32 ") " },
	{ "stablehlo.reduce", "f32[2,3] f32[]=0", "dimensions = array<i64: 1>", "f32[2]", "(" FOLD_F32 ") " },
	{ "stablehlo.reduce_window", "f32[2,4] f32[]=0", "window_dimensions = array<i64: 1, 2>, window_strides = "
		"array<i64: 1, 2>, "
		"base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<0> : "
		"tensor<2x2xi64>", "f32[2,2]",
		"(" FOLD_F32 ") " },
	{ "stablehlo.select_and_scatter", "f32[4,4] f32[2,2] f32[]=0", "window_dimensions = array<i64: 2, 2>, "
		"window_strides = "
		"array<i64: 2, 2>, padding = dense<0> : tensor<2x2xi64>", "f32[4,4]", "(" LESS_F32 ", " FOLD_F32 ") " },
	{ "stablehlo.sort", "f32[2,3]", "dimension = 1 : i64, is_stable = true", NULL, "(" LESS_F32 ") " },
	{ "stablehlo.rng", "f32[]=0 f32[]=1 i64[2]=2,3", "rng_distribution = #stablehlo<rng_distribution UNIFORM>",
		"f32[2,3]", NULL },
	{ "stablehlo.rng_bit_generator", "ui64[2]", "rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>", "ui64[2] "
		"ui64[2,3]", NULL },
	{ "!stablehlo.custom_call", "f32[2]", "call_target_name = \"Sharding\"", "f32[2]", NULL },
	{ "stablehlo.optimization_barrier", "f32[2] f32[3]", "", "f32[2] f32[3]", NULL },
	{ "!stablehlo.all_gather", "f32[2,3]", "all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>",
		NULL, NULL },
	{ "!stablehlo.all_reduce", "f32[2,3]", "replica_groups = dense<0> : tensor<1x1xi64>", NULL, "(" FOLD_F32 ") " },
	{ "!stablehlo.reduce_scatter", "f32[2,3]", "scatter_dimension = 1 : i64, replica_groups = dense<0> : "
		"tensor<1x1xi64>", NULL,
		"(" FOLD_F32 ") " },
	{ "!stablehlo.all_to_all", "f32[2,3]", "split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : "
		"i64, "
		"replica_groups = dense<0> : tensor<1x1xi64>", NULL, NULL },
	{ "chlo.broadcast_add", "f32[2,3] f32[3]", "broadcast_dimensions = array<i64: 1>", NULL, NULL },
	{ "chlo.broadcast_select", "i1[2,3] f32[2,3] f32[2,3]", "", "f32[2,3]", NULL },
	{ "chlo.broadcast_compare", "f32[2,3] f32[3]", "broadcast_dimensions = array<i64: 1>, comparison_direction = "
		"#chlo<comparison_direction EQ>", "i1[2,3]", NULL },
	{ "chlo.constant_like", "f32[2,3]", "value = 2.0 : f32", NULL, NULL },
	{ "chlo.constant", "", "value = dense<[1.0, 2.0]> : tensor<2xf32>", "f32[2]", NULL },
	{ "chlo.mulhi", "i32[2] i32[2]", "", NULL, NULL },
	{ "chlo.is_inf", "f32[2]", "", "i1[2]", NULL },
	{ "chlo.top_k", "f32[2,5]", "k = 3 : i64", "f32[2,3] i32[2,3]", NULL },
	{ "!chlo.ragged_dot", "f32[4,3] f32[2,3,5] i64[2]=1,3", "ragged_dot_dimension_numbers = "
		"#chlo.ragged_dot<lhs_batching_dimensions = [], "
		"rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
		"lhs_ragged_dimensions = [0], "
		"rhs_group_dimensions = [0]>", "f32[4,5]", NULL },
	{ "check.expect_eq", "f32[2] f32[2]", "", "0", NULL },
	{ "check.expect_eq_const", "f32[2]", "value = dense<[0.5, 1.0]> : tensor<2xf32>", "0", NULL },
	{ "check.expect_close", "f32[2] f32[2]", "max_ulp_difference = 3 : i64, min_ulp_difference = 0 : i64", "0", NULL },
};

#endif

module @IrToHlo.21 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>, %arg3: tensor<6xf32>, %arg4: tensor<6xf32>, %arg5: tensor<6x3x5x5xf32>, %arg6: tensor<2x3x12x12xf32>) -> tensor<2x6x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x6x8x8xf32>
    %0 = stablehlo.convolution(%arg6, %arg5) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x12x12xf32>, tensor<6x3x5x5xf32>) -> tensor<2x6x8x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<6xf32>) -> tensor<2x6x8x8xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x6x8x8xf32>
    %3 = "stablehlo.batch_norm_inference"(%2, %arg3, %arg2, %arg1, %arg0) <{epsilon = 9.99999974E-6 : f32, feature_index = 1 : i64}> : (tensor<2x6x8x8xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x8x8xf32>
    %4 = stablehlo.maximum %3, %cst : tensor<2x6x8x8xf32>
    return %4 : tensor<2x6x8x8xf32>
  }
}

# StableHLO's own syntax, read and written.
# elementwise, constants and moving
# run: convert %s -o -
# file: input.mlir
---
#loc1 = loc("x.py":1:2)
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> {mhlo.sharding = "{replicated}"} loc("a"), %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32> {jax.result_info = ""}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32> loc(#loc1)
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<2x3xf32>
    %2 = stablehlo.compare  LT, %1, %arg1,  FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %3 = stablehlo.select %2, %1, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %5 = stablehlo.slice %4 [0:2, 0:2:1] : (tensor<3x2xf32>) -> tensor<2x2xf32>
    %6 = stablehlo.pad %5, %cst, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x3xf32>
    %7 = stablehlo.iota dim = 0 : tensor<4xi32>
    %8 = stablehlo.clamp %cst, %6, %cst : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %9 = call @relu(%8) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %9 : tensor<2x3xf32>
  }
  func.func private @relu(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
---
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%a: tensor<2x3xf32> {mhlo.sharding = "{replicated}"}, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32> {jax.result_info = ""}) {
    %cst = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %1 = stablehlo.add %a, %0 : tensor<2x3xf32>
    %2 = stablehlo.compare LT, %1, %arg1, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %3 = stablehlo.select %2, %1, %arg1 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %5 = stablehlo.slice %4 [0:2, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>
    %6 = stablehlo.pad %5, %cst, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x3xf32>
    %7 = stablehlo.iota dim = 0 : tensor<4xi32>
    %8 = stablehlo.clamp %cst, %6, %cst : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %9 = call @relu(%8) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %9 : tensor<2x3xf32>
  }
  func.func private @relu(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = stablehlo.tanh %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
====
# contraction and convolution
# run: convert %s -o -
# file: input.mlir
---
func.func @main(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>, %a: tensor<2x4x5xf32>, %b: tensor<2x5x6xf32>) -> (tensor<1x4x4x4xf32>, tensor<2x4x6xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
  %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x5xf32>, tensor<2x5x6xf32>) -> tensor<2x4x6xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<2x4x6xf32>
}
---
module {
  func.func @main(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>, %a: tensor<2x4x5xf32>, %b: tensor<2x5x6xf32>) -> (tensor<1x4x4x4xf32>, tensor<2x4x6xf32>) {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], rhs_dilate = [1, 1], reverse = [0, 0]} {batch_group_count = 1, feature_group_count = 1, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
    %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x5xf32>, tensor<2x5x6xf32>) -> tensor<2x4x6xf32>
    return %0, %1 : tensor<1x4x4x4xf32>, tensor<2x4x6xf32>
  }
}
====
# regions: reduce in both forms, while, generic ops with struct attributes
# run: convert %s -o -
# file: input.mlir
---
func.func @main(%x: tensor<2x3xf32>, %i: tensor<4x1xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<4x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    %5 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  %2 = stablehlo.while(%iterArg = %n) : tensor<i32>
   cond {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %5 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.add %iterArg, %c : tensor<i32>
    stablehlo.return %5 : tensor<i32>
  }
  %3 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = dense<[1, 3]> : tensor<2xi64>} : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<4x3xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<4x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %i: tensor<4x1xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<4x3xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.reduce"(%x, %z) ({
    ^bb0(%1: tensor<f32>, %2: tensor<f32>):
      %3 = stablehlo.add %1, %2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %4 = "stablehlo.reduce"(%x, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %5 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %6 = "stablehlo.while"(%n) ({
    ^bb0(%iterArg: tensor<i32>):
      %c = stablehlo.constant dense<3> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }, {
    ^bb0(%8: tensor<i32>):
      %9 = stablehlo.constant {hone.names = ["c"]} dense<1> : tensor<i32>
      %10 = stablehlo.add %8, %9 : tensor<i32>
      stablehlo.return %10 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %11 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<4x3xf32>
    return %0, %4, %6, %11 : tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<4x3xf32>
  }
}
====
# errors say what was expected
# run: convert %s -o -
# file: input.mlir
# stderr: expected an operand or a keyword of the op
# exit: 3
---
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.transpose %x, perm = [0] : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
---
====
# run: convert %s -o -
# file: input.mlir
# stderr: malformed dimension numbers
# exit: 3
---
func.func @main(%x: tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32> {
  %0 = stablehlo.convolution(%x, %x) dim_numbers = [b, f, 0, 0]x[o, i, 0, 1]->[b, f, 0, 1], window = {} : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}
---
====
# chlo.scan in its own syntax; counts of inputs and carried values come from it
# run: convert %s --generic -o -
# file: input.mlir
---
func.func @main(%x: tensor<2x3xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %0:2 = chlo.scan (%x) inits (%c) dimension = 0 attributes {scan_dim_size = 2 : i64} {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %1 = stablehlo.add %a, %b : tensor<3xf32>
    stablehlo.return %1, %1 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return %0#1 : tensor<3xf32>
}
---
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x3xf32>, %c: tensor<3xf32>):
    %0, %1 = "chlo.scan"(%x, %c) ({
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
      %2 = "stablehlo.add"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%2, %2) : (tensor<3xf32>, tensor<3xf32>) -> ()
    }) {dimension = 0, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>, scan_dim_size = 2} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
    "func.return"(%1) : (tensor<3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
====
# without inputs; a scan that captures nothing and one whose counts are not said
# run: convert %s -o -
# file: input.mlir
---
func.func @main(%a: tensor<f32>) -> (tensor<5xf32>, tensor<f32>) {
  %0, %1 = chlo.scan() inits(%a) dimension=0 attributes {scan_dim_size = 5 : i64} {
  ^bb0(%b: tensor<f32>):
    stablehlo.return %b, %b : tensor<f32>, tensor<f32>
  } : (tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
  %2, %3 = "chlo.scan"(%0, %1) <{dimension = 0 : i64}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    stablehlo.return %b, %c : tensor<f32>, tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
  return %2, %3 : tensor<5xf32>, tensor<f32>
}
---
module {
  func.func @main(%a: tensor<f32>) -> (tensor<5xf32>, tensor<f32>) {
    %0, %1 = chlo.scan() inits (%a) dimension=0 attributes {scan_dim_size = 5} {
    ^bb0(%b: tensor<f32>):
      stablehlo.return %b, %b : tensor<f32>, tensor<f32>
    } : (tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
    %2, %3 = "chlo.scan"(%0, %1) ({
    ^bb0(%4: tensor<f32>, %c: tensor<f32>):
      stablehlo.return %4, %c : tensor<f32>, tensor<f32>
    }) {dimension = 0} : (tensor<5xf32>, tensor<f32>) -> (tensor<5xf32>, tensor<f32>)
    return %2, %3 : tensor<5xf32>, tensor<f32>
  }
}
====
# run: convert %s -o -
# file: input.mlir
# stderr: 0 results, but 1 carried values
# exit: 3
---
func.func @main(%x: tensor<2xf32>, %c: tensor<f32>) {
  chlo.scan(%x) inits(%c) dimension=0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  } : (tensor<2xf32>, tensor<f32>) -> ()
  return
}
---
====
# StableHLO has complex numbers of f32 and f64 alone
# run: convert %s -o -
# file: input.mlir
# stderr: the parts of a complex type are "i32", expected f32 or f64
# exit: 3
---
func.func @main(%x: tensor<2xcomplex<i32>>) -> tensor<2xcomplex<i32>> {
  return %x : tensor<2xcomplex<i32>>
}
---

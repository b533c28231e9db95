# Optimised StableHLO stays StableHLO: weights folded, no batch norm left.
# the batch norm goes into the convolution
# run: opt %s -q -o -
# file: input.mlir
---
module @IrToHlo.20 attributes {mhlo.cross_program_prefetches = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<2x3x10x10xf32>) -> tensor<2x6x10x10xf32> {
    %w = stablehlo.constant dense<0.5> : tensor<6x3x1x1xf32>
    %b = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
    %s = stablehlo.constant dense<[1.0, 0.5, 0.25, 1.5, 2.0, 3.0]> : tensor<6xf32>
    %o = stablehlo.constant dense<[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]> : tensor<6xf32>
    %m = stablehlo.constant dense<[0.1, 0.3, 0.3, 0.4, 0.7, 0.6]> : tensor<6xf32>
    %v = stablehlo.constant dense<[1.1, 1.3, 0.3, 2.4, 0.7, 0.6]> : tensor<6xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.convolution(%arg0, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x10x10xf32>, tensor<6x3x1x1xf32>) -> tensor<2x6x10x10xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<2x6x10x10xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x6x10x10xf32>
    %3 = "stablehlo.batch_norm_inference"(%2, %s, %o, %m, %v) <{epsilon = 1.000000e-05 : f32, feature_index = 1 : i64}> : (tensor<2x6x10x10xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x10x10xf32>
    %4 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<2x6x10x10xf32>
    %5 = stablehlo.maximum %3, %4 : tensor<2x6x10x10xf32>
    return %5 : tensor<2x6x10x10xf32>
  }
}
---
module @IrToHlo.20 attributes {mhlo.cross_program_prefetches = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<2x3x10x10xf32>) -> (tensor<2x6x10x10xf32>) {
    %0 = stablehlo.constant dense<[[[[0.47672912]], [[0.47672912]], [[0.47672912]]], [[[0.21926367]], [[0.21926367]], [[0.21926367]]], [[[0.22821392]], [[0.22821392]], [[0.22821392]]], [[[0.4841219]], [[0.4841219]], [[0.4841219]]], [[[1.1952201]], [[1.1952201]], [[1.1952201]]], [[[1.9364755]], [[1.9364755]], [[1.9364755]]]]> : tensor<6x3x1x1xf32>
    %1 = stablehlo.constant dense<[0.9581124, 0.94549644, 1.5323552, 3.8856776, 10.7788925, 21.513935]> : tensor<6xf32>
    %2 = stablehlo.convolution(%arg0, %0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1, feature_group_count = 1} : (tensor<2x3x10x10xf32>, tensor<6x3x1x1xf32>) -> tensor<2x6x10x10xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<6xf32>) -> tensor<2x6x10x10xf32>
    %4 = stablehlo.add %2, %3 : tensor<2x6x10x10xf32>
    %5 = stablehlo.constant dense<0.0> : tensor<2x6x10x10xf32>
    %6 = stablehlo.maximum %4, %5 : tensor<2x6x10x10xf32>
    return %6 : tensor<2x6x10x10xf32>
  }
}
====
# a call goes inline, its function away; a dot of matrices stays one
# run: opt %s -q -o -
# file: input.mlir
---
module {
  func.func public @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
    %w = stablehlo.constant dense<2.0> : tensor<3x4xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = call @relu(%0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
  func.func private @relu(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %1 = stablehlo.maximum %a, %0 : tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
---
module {
  func.func public @main(%x: tensor<2x3xf32>) -> (tensor<2x4xf32>) {
    %w = stablehlo.constant dense<2.0> : tensor<3x4xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.constant dense<0.0> : tensor<2x4xf32>
    %2 = stablehlo.maximum %0, %1 : tensor<2x4xf32>
    return %2 : tensor<2x4xf32>
  }
}
====
# statistics of the batch are not folded, and that is said
# run: opt %s -q -o -
# file: input.mlir
# stderr: normalises by the statistics of its own batch
# stderr: exported without eval()
---
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.0e-05 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<2x3x4xf32>
}
---
module {
  func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) -> (tensor<2x3x4xf32>) {
    %0, %1, %2 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 1.0e-05 : f32, feature_index = 1} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    return %0 : tensor<2x3x4xf32>
  }
}
====
# calls are kept when asked for; what they call is optimised in its place
# run: opt %s -q --no-inline -o -
# file: input.mlir
---
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<2xf32>
  %a = stablehlo.subtract %x, %z : tensor<2xf32>
  %y = stablehlo.add %a, %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = func.call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}
---
module {
  func.func private @twice(%x: tensor<2xf32>) -> (tensor<2xf32>) {
    %y = stablehlo.add %x, %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }
  func.func public @main(%a: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
====
# a composite stays, its decomposition too
# run: opt %s -q -o -
# file: input.mlir
---
func.func private @my_impl(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.add %x, %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "my.op" %a {composite_attributes = {n = 1 : i64}, decomposition = @my_impl, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
---
module {
  func.func private @my_impl(%x: tensor<2xf32>) -> (tensor<2xf32>) {
    %y = stablehlo.add %x, %x : tensor<2xf32>
    return %y : tensor<2xf32>
  }
  func.func public @main(%a: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.composite"(%a) {composite_attributes = {n = 1}, decomposition = @my_impl, name = "my.op", version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
====
# quantised operations stay as they are
# run: opt %s -q -o -
# file: input.mlir
---
!q = !quant.uniform<i8:f32, 0.5:-2>
func.func public @main(%a: tensor<2x3xf32>, %b: tensor<3x2x!q>) -> tensor<2x2x!q> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!q>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<2x3x!q>, tensor<3x2x!q>) -> tensor<2x2x!q>
  %2 = stablehlo.add %1, %1 : tensor<2x2x!q>
  func.return %2 : tensor<2x2x!q>
}
---
module {
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<3x2x!quant.uniform<i8:f32, 0.5:-2>>) -> (tensor<2x2x!quant.uniform<i8:f32, 0.5:-2>>) {
    %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:-2>>
    %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:-2>>, tensor<3x2x!quant.uniform<i8:f32, 0.5:-2>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:-2>>
    %2 = stablehlo.add %1, %1 : tensor<2x2x!quant.uniform<i8:f32, 0.5:-2>>
    return %2 : tensor<2x2x!quant.uniform<i8:f32, 0.5:-2>>
  }
}
====
# one device: collectives go, an assertion that holds goes, an element of a tuple in sight is taken out
# run: opt %s -q -o -
# file: input.mlir
---
func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%t) {api_version = 2 : i32, error_message = "never", has_side_effect = true} : (tensor<i1>) -> ()
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.tuple %0, %t : tuple<tensor<2xf32>, tensor<i1>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<2xf32>, tensor<i1>>) -> tensor<2xf32>
  %3 = stablehlo.abs %2 : tensor<2xf32>
  func.return %3 : tensor<2xf32>
}
---
module {
  func.func public @main(%a: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = stablehlo.abs %a : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
====
# among two devices they stay
# run: opt %s -q -o -
# file: input.mlir
---
func.func public @main(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
---
module {
  func.func public @main(%a: tensor<2xf32>) -> (tensor<4xf32>) {
    %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
====
# what acts on the world stays though nobody looks at its result
# run: opt %s -q -o -
# file: input.mlir
---
func.func public @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> tensor<2xf32> {
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %1 = stablehlo.custom_call @foo(%a) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.custom_call @bar(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "other.op"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %4 = stablehlo.add %a, %a : tensor<2xf32>
  func.return %a : tensor<2xf32>
}
---
module {
  func.func public @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> (tensor<2xf32>) {
    %0 = "stablehlo.outfeed"(%a, %t) {outfeed_config = ""} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %1 = "stablehlo.custom_call"(%a) {call_target_name = "foo", has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = "other.op"(%a) : (tensor<2xf32>) -> tensor<2xf32>
    return %a : tensor<2xf32>
  }
}
====
Sizes that are computed are written with get_dimension_size, arithmetic, reshape and concatenate, which shape refinement of
other tools computes.
# run: opt -q %s -o - -t stablehlo
# file: input.mlir
---
func.func @main(%x: tensor<?x4xf32>, %y: tensor<3xf32>) -> (tensor<?x3xf32>, tensor<i32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<[3]> : tensor<1xi32>
  %s = stablehlo.concatenate %v, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %w = stablehlo.slice %s [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %k = stablehlo.reshape %w : (tensor<1xi32>) -> tensor<i32>
  %b = stablehlo.dynamic_broadcast_in_dim %y, %s, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %b, %k : tensor<?x3xf32>, tensor<i32>
}
---
module {
  func.func @main(%x: tensor<?x4xf32>, %y: tensor<3xf32>) -> (tensor<?x3xf32>, tensor<i32>) {
    %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %0 = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.constant dense<[3]> : tensor<1xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %b = stablehlo.dynamic_broadcast_in_dim %y, %2, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
    return %b, %k : tensor<?x3xf32>, tensor<i32>
  }
}

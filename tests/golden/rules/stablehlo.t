# window-max
# run: opt %s --passes legalise,shapes,rules,dce --only window-max -t mlir -o -
# file: input.mlir
# stderr: window-max 
---
func.func @main(%x: tensor<1x2x5x5xf32>) -> tensor<1x2x3x3xf32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<1x2x5x5xf32>) -> (tensor<1x2x3x3xf32>) {
    %0 = core.max_pool(%x) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x2x5x5xf32>) -> tensor<1x2x3x3xf32>
    return %0 : tensor<1x2x3x3xf32>
  }
}
====
# window-max: it starts at 0, so negative elements are lost
# run: opt %s --passes legalise,shapes,rules,dce --only window-max -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x5x5xf32>) -> tensor<1x2x3x3xf32> {
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x5x5xf32>) -> (tensor<1x2x3x3xf32>) {
    %i = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %i) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = core.max(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) {padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
    return %0 : tensor<1x2x3x3xf32>
  }
}
====
# window-mean: padding does not count, channels last
# run: opt %s --passes legalise,shapes,fold,rules,dce --only window-mean -t mlir -o -
# file: input.mlir
# stderr: window-mean 
---
func.func @main(%x: tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.constant dense<[[[[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]], [[3.0, 3.0], [3.0, 3.0], [3.0, 3.0]], [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]]]> : tensor<1x3x3x2xf32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 3, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x3x3x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
  %1 = stablehlo.divide %0, %c : tensor<1x3x3x2xf32>
  return %1 : tensor<1x3x3x2xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<1x3x3x2xf32>) -> (tensor<1x3x3x2xf32>) {
    %0 = core.transpose(%x) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32>
    %1 = core.avg_pool(%0) {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 1>, pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    %2 = core.transpose(%1) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x3xf32>) -> tensor<1x3x3x2xf32>
    return %2 : tensor<1x3x3x2xf32>
  }
}
====
# window-mean: divided by something else
# run: opt %s --passes legalise,shapes,fold,rules,dce --only window-mean -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.constant dense<2.0> : tensor<1x3x3x2xf32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 3, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x3x3x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
  %1 = stablehlo.divide %0, %c : tensor<1x3x3x2xf32>
  return %1 : tensor<1x3x3x2xf32>
}
---
module {
  func.func @main(%x: tensor<1x3x3x2xf32>) -> (tensor<1x3x3x2xf32>) {
    %z = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %c = core.constant() {value = dense<2.0> : tensor<1x3x3x2xf32>} : () -> tensor<1x3x3x2xf32>
    %0 = "stablehlo.reduce_window"(%x, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = core.add(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) {padding = dense<[[0, 0], [1, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 1, 1>} : (tensor<1x3x3x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
    %1 = core.div(%0, %c) : (tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
    return %1 : tensor<1x3x3x2xf32>
  }
}
====
# row-batch-norm
# run: opt %s --passes legalise,shapes,rules,dce --only row-batch-norm -t mlir -o -
# file: input.mlir
# stderr: row-batch-norm 
---
func.func @main(%x: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %s = stablehlo.constant dense<1.0> : tensor<4xf32>
  %o = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.0e-05 : f32, feature_index = 1 : i64}> : (tensor<1x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<1x4x8xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<1x4x8xf32>) -> (tensor<1x4x8xf32>) {
    %0 = core.constant() {value = dense<1.0> : tensor<8xf32>} : () -> tensor<8xf32>
    %1 = core.layer_norm(%x, %0) {axis = 2, epsilon = 1.0e-05 : f32} : (tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
    return %1 : tensor<1x4x8xf32>
  }
}
====
# row-batch-norm: two entries in the batch
# run: opt %s --passes legalise,shapes,rules,dce --only row-batch-norm -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %s = stablehlo.constant dense<1.0> : tensor<4xf32>
  %o = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.0e-05 : f32, feature_index = 1 : i64}> : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<2x4x8xf32>
}
---
module {
  func.func @main(%x: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>) {
    %s = core.constant() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %o = core.constant() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %0, %1, %2 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 1.0e-05 : f32, feature_index = 1} : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>)
    return %0 : tensor<2x4x8xf32>
  }
}
====
# gather-along-axis: places outside are moved inside
# run: opt %s --passes legalise,shapes,rules,dce --only gather-along-axis -t mlir -o -
# file: input.mlir
# stderr: gather-along-axis 
---
func.func @main(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>) -> (tensor<4x3xf32>) {
    %0 = core.constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.reshape(%i, %0) : (tensor<4x1xi32>, tensor<1xi64>) -> tensor<4xi32>
    %2 = core.constant() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %3 = core.constant() {value = dense<4> : tensor<i32>} : () -> tensor<i32>
    %4 = core.clamp(%1, %2, %3) : (tensor<4xi32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
    %5 = core.gather(%x, %4) {axis = 0} : (tensor<5x3xf32>, tensor<4xi32>) -> tensor<4x3xf32>
    return %5 : tensor<4x3xf32>
  }
}
====
# gather-along-axis: slices are cut
# run: opt %s --passes legalise,shapes,rules,dce --only gather-along-axis -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>) -> tensor<4x2xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
---
module {
  func.func @main(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>) -> (tensor<4x2xf32>) {
    %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>} : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
====
# real-of-complex
# run: opt %s --passes legalise,shapes,rules,dce --only real-of-complex -t mlir -o -
# file: input.mlir
# stderr: real-of-complex 
---
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>) {
    %0 = core.neg(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
====
# real-of-complex: of an argument
# run: opt %s --passes legalise,shapes,rules,dce --only real-of-complex -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %1 = stablehlo.real %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
---
module {
  func.func @main(%a: tensor<4xcomplex<f32>>) -> (tensor<4xf32>) {
    %0 = stablehlo.real %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %1 = core.neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
====
# imag-of-complex
# run: opt %s --passes legalise,shapes,rules,dce --only imag-of-complex -t mlir -o -
# file: input.mlir
# stderr: imag-of-complex 
---
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>
  %1 = stablehlo.imag %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>) {
    %0 = core.neg(%b) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
====
# imag-of-complex: of an argument
# run: opt %s --passes legalise,shapes,rules,dce --only imag-of-complex -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %1 = stablehlo.imag %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
---
module {
  func.func @main(%a: tensor<4xcomplex<f32>>) -> (tensor<4xf32>) {
    %0 = stablehlo.imag %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %1 = core.neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
====
# complex-of-parts
# run: opt %s --passes legalise,shapes,rules,dce --only complex-of-parts -t mlir -o -
# file: input.mlir
# stderr: complex-of-parts 
---
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.real %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.imag %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.complex %0, %1 : tensor<4xcomplex<f32>>
  %3 = stablehlo.add %2, %2 : tensor<4xcomplex<f32>>
  return %3 : tensor<4xcomplex<f32>>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%a: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>) {
    %0 = core.add(%a, %a) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    return %0 : tensor<4xcomplex<f32>>
  }
}
====
# complex-of-parts: of two values
# run: opt %s --passes legalise,shapes,rules,dce --only complex-of-parts -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.real %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.imag %b : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.complex %0, %1 : tensor<4xcomplex<f32>>
  %3 = stablehlo.add %2, %2 : tensor<4xcomplex<f32>>
  return %3 : tensor<4xcomplex<f32>>
}
---
module {
  func.func @main(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>) {
    %0 = stablehlo.real %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %1 = stablehlo.imag %b : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %2 = stablehlo.complex %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
    %3 = core.add(%2, %2) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    return %3 : tensor<4xcomplex<f32>>
  }
}
====
# element-of-tuple
# run: opt %s --passes legalise,shapes,rules,dce --only element-of-tuple -t mlir -o -
# file: input.mlir
# stderr: element-of-tuple 
---
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.tuple %a, %b : tuple<tensor<4xf32>, tensor<4xf32>>
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>) {
    %0 = core.neg(%b) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
====
# element-of-tuple: an argument
# run: opt %s --passes legalise,shapes,rules,dce --only element-of-tuple -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> {
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
---
module {
  func.func @main(%t: tuple<tensor<4xf32>, tensor<4xf32>>) -> (tensor<4xf32>) {
    %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %1 = core.neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
====
# update-slice: of everything
# run: opt %s --passes legalise,shapes,rules,dce --only update-slice -t mlir -o -
# file: input.mlir
# stderr: update-slice 
---
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %b, %i : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: tensor<i32>) -> (tensor<4xf32>) {
    %0 = core.neg(%b) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
====
# update-slice: of nothing
# run: opt %s --passes legalise,shapes,rules,dce --only update-slice -t mlir -o -
# file: input.mlir
# stderr: update-slice 
---
func.func @main(%a: tensor<4xf32>, %b: tensor<0xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %b, %i : (tensor<4xf32>, tensor<0xf32>, tensor<i32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%a: tensor<4xf32>, %b: tensor<0xf32>, %i: tensor<i32>) -> (tensor<4xf32>) {
    %0 = core.neg(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
====
# update-slice: of a part
# run: opt %s --passes legalise,shapes,rules,dce --only update-slice -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %b, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
---
module {
  func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %i: tensor<i32>) -> (tensor<4xf32>) {
    %0 = stablehlo.dynamic_update_slice %a, %b, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
    %1 = core.neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
====
# reduce-nothing
# run: opt %s --passes legalise,shapes,rules,dce --only reduce-nothing -t mlir -o -
# file: input.mlir
# stderr: reduce-nothing 
---
func.func @main(%x: tensor<0x3xf32>, %z: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.negate %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<0x3xf32>, %z: tensor<f32>) -> (tensor<3xf32>) {
    %0 = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.expand(%z, %0) : (tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
    %2 = core.neg(%1) : (tensor<3xf32>) -> tensor<3xf32>
    return %2 : tensor<3xf32>
  }
}
====
# reduce-nothing: there is something
# run: opt %s --passes shapes,rules,dce --only reduce-nothing -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.negate %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<2x3xf32>, %z: tensor<f32>) -> (tensor<3xf32>) {
    %0 = core.reduce(%x) {axes = array<i64: 0>, keepdims = 0, kind = "sum"} : (tensor<2x3xf32>) -> tensor<3xf32>
    %1 = core.add(%0, %z) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = core.neg(%1) : (tensor<3xf32>) -> tensor<3xf32>
    return %2 : tensor<3xf32>
  }
}

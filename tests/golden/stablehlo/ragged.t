# groups of rows, each with a matrix of its own
# run: opt -q %s -o %t/a.mlirbc && hone verify %s %t/a.mlirbc && hone opt -q %s -o %t/a.onnx && hone verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%l: tensor<6x3xf32>, %r: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %g = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
---
equal: 1 outputs over 3 input sets
equal: 1 outputs over 3 input sets
====
# groups of what is summed, a result for each
# run: opt -q %s -o %t/a.mlirbc && hone verify %s %t/a.mlirbc && hone opt -q %s -o %t/a.onnx && hone verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%l: tensor<3x6xf32>, %r: tensor<6x4xf32>) -> tensor<2x3x4xf32> {
  %g = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>} : (tensor<3x6xf32>, tensor<6x4xf32>, tensor<2xi64>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
---
equal: 1 outputs over 3 input sets
equal: 1 outputs over 3 input sets
====
# a batch of groups
# run: opt -q %s -o %t/a.mlirbc && hone verify %s %t/a.mlirbc && hone opt -q %s -o %t/a.onnx && hone verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%l: tensor<5x6x3xf32>, %r: tensor<5x3x4xf32>) -> tensor<5x6x4xf32> {
  %g = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>} : (tensor<5x6x3xf32>, tensor<5x3x4xf32>, tensor<2xi64>) -> tensor<5x6x4xf32>
  return %0 : tensor<5x6x4xf32>
}
---
equal: 1 outputs over 3 input sets
equal: 1 outputs over 3 input sets
====
# rows of a batch, groups of its own sizes
# run: opt -q %s -o %t/a.mlirbc && hone verify %s %t/a.mlirbc && hone opt -q %s -o %t/a.onnx && hone verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%l: tensor<6x2x3xf32>, %r: tensor<3x4x2x3xf32>) -> tensor<2x6x4xf32> {
  %g = stablehlo.constant dense<[[1, 2, 0], [3, 0, 3]]> : tensor<2x3xi32>
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<6x2x3xf32>, tensor<3x4x2x3xf32>, tensor<2x3xi32>) -> tensor<2x6x4xf32>
  return %0 : tensor<2x6x4xf32>
}
---
equal: 1 outputs over 3 input sets
equal: 1 outputs over 3 input sets
====
# sums of a batch, groups of its own sizes
# run: opt -q %s -o %t/a.mlirbc && hone verify %s %t/a.mlirbc && hone opt -q %s -o %t/a.onnx && hone verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%l: tensor<2x6x3xf32>, %r: tensor<2x6x4xf32>) -> tensor<3x2x3x4xf32> {
  %g = stablehlo.constant dense<[[1, 2, 0], [3, 0, 3]]> : tensor<2x3xi32>
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>} : (tensor<2x6x3xf32>, tensor<2x6x4xf32>, tensor<2x3xi32>) -> tensor<3x2x3x4xf32>
  return %0 : tensor<3x2x3x4xf32>
}
---
equal: 1 outputs over 3 input sets
equal: 1 outputs over 3 input sets

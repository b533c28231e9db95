# a broadcast of two open sizes has a size that the run computes: the other one where one is 1
# file: m.mlir
# run: opt %s -o %t/out.mlir -q
# run: verify %s %t/out.mlir
---
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %5 = stablehlo.dynamic_broadcast_in_dim %b, %4, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %6 = stablehlo.add %a, %5 : tensor<?x?xf32>
  return %6 : tensor<?x?xf32>
}
---
equal: 1 outputs over 3 input sets
====
# sizes that data says: an iota of one and of two dimensions
# file: m.mlir
# run: opt %s -o %t/out.mlir -q
# run: verify %s %t/out.mlir
---
func.func @main(%n: tensor<i32>, %m: tensor<2xi32>) -> (tensor<?xi32>, tensor<?x?xi32>) {
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %2 = stablehlo.dynamic_iota %m, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  return %1, %2 : tensor<?xi32>, tensor<?x?xi32>
}
---
equal: 2 outputs over 3 input sets

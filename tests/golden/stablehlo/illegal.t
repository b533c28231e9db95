# while: a condition that is no i1
# run: check %s
# file: input.mlir
# exit: 3
# stderr: input.mlir:2:8: error: stablehlo.while: the condition gives tensor<i32>, expected tensor<i1>
# stderr: hint: make it give one i1
---
func.func @main(%x: tensor<4xf32>, %k: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.while(%v = %x) : tensor<4xf32> cond {
    stablehlo.return %k : tensor<i32>
  } do {
    stablehlo.return %v : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
====
# while: a state that changes its type
# run: check %s
# file: input.mlir
# exit: 3
# stderr: value 0 of the body is tensor<4xi32>, expected tensor<4xf32>
---
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %0 = stablehlo.while(%v = %x) : tensor<4xf32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %w = stablehlo.convert %v : (tensor<4xf32>) -> tensor<4xi32>
    stablehlo.return %w : tensor<4xi32>
  }
  return %0 : tensor<4xf32>
}
====
# if: branches of other types, and a condition that is no i1
# run: check %s
# file: input.mlir
# exit: 3
# stderr: its condition is tensor<i32>, expected tensor<i1>
---
func.func @main(%x: tensor<4xf32>, %p: tensor<i32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
====
# case: a branch of another type
# run: check %s
# file: input.mlir
# exit: 3
# stderr: value 0 of the branch is tensor<i32>, expected tensor<4xf32>
---
func.func @main(%x: tensor<4xf32>, %p: tensor<i32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %p : tensor<i32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
====
# reduce: a body over other elements
# run: check %s
# file: input.mlir
# exit: 3
# stderr: argument 0 of its body is tensor<i32>, for an operand tensor<4xf32>
---
func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
====
# reduce: a dimension that is not there
# run: check %s
# file: input.mlir
# exit: 3
# stderr: dimension 1 is not in 0 .. 0
---
func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
====
# sort: a comparison that gives a number
# run: check %s
# file: input.mlir
# exit: 3
# stderr: the comparison gives tensor<f32>, expected tensor<i1>
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
====
# slice: past the end
# run: check %s
# file: input.mlir
# exit: 3
# stderr: input.mlir:2:8: error: stablehlo.slice: takes 1 to 7 of dimension 0, which has 4 elements
# stderr: hint: 0 <= start <= limit <= size must hold
---
func.func @main(%x: tensor<4xf32>) -> tensor<6xf32> {
  %0 = stablehlo.slice %x [1:7] : (tensor<4xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
====
# slice: a stride of 0
# run: check %s
# file: input.mlir
# exit: 3
# stderr: has stride 0 in dimension 0, expected at least 1
---
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %x [1:3:0] : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
====
# dynamic_slice: larger than its operand
# run: check %s
# file: input.mlir
# exit: 3
# stderr: takes 6 of the 4 elements of dimension 0
---
func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<6xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [6] : (tensor<4xf32>, tensor<i32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
====
# dynamic_update_slice: larger than its operand
# run: check %s
# file: input.mlir
# exit: 3
# stderr: the update has 5 elements in dimension 0, the operand 4
---
func.func @main(%x: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
====
# dot_general: sizes that do not belong together
# run: check %s
# file: input.mlir
# exit: 3
# stderr: contracting dimension 1 of the lhs has 4 elements, dimension 0 of the rhs 3
# stderr: hint: dimensions that belong together have the same size
---
func.func @main(%x: tensor<2x4xf32>, %y: tensor<3x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
====
# dot_general: a dimension that is not there
# run: check %s
# file: input.mlir
# exit: 3
# stderr: contracting dimension 2 of the lhs is not in 0 .. 1
---
func.func @main(%x: tensor<2x4xf32>, %y: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [2] x [0] : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
====
# concatenate: another size beside the joined one
# run: check %s
# file: input.mlir
# exit: 3
# stderr: operand 1 is tensor<3x5xf32>, the first is tensor<2x4xf32>
---
func.func @main(%x: tensor<2x4xf32>, %y: tensor<3x5xf32>) -> tensor<5x4xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x4xf32>, tensor<3x5xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
====
# reshape: another number of elements
# run: check %s
# file: input.mlir
# exit: 3
# stderr: makes tensor<9xf32> (9 elements) of tensor<2x4xf32> (8)
---
func.func @main(%x: tensor<2x4xf32>) -> tensor<9xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x4xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
====
# broadcast_in_dim: a size that is not 1
# run: check %s
# file: input.mlir
# exit: 3
# stderr: lays the 2 elements of dimension 0 along 4
---
func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
====
# transpose: a dimension twice
# run: check %s
# file: input.mlir
# exit: 3
# stderr: dimension 0 is named twice
---
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
====
# sizes that are not known pass, and a body that is wider than its operand
# run: check %s
# file: input.mlir
---
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
====
# reduce: the body computes in another type than the result has.
# run: run %s --reference
# stderr: stablehlo.reduce: result 0 is tensor<2xf8E8M0FNU>, but its body computes in f32
# file: input.mlir
# exit: 3
---
func.func @main(%x: tensor<2x3xf8E8M0FNU>, %i: tensor<f8E8M0FNU>) -> tensor<2xf8E8M0FNU> {
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<2x3xf8E8M0FNU>, tensor<f8E8M0FNU>) -> tensor<2xf8E8M0FNU>
  return %0 : tensor<2xf8E8M0FNU>
}
====
# The same of all_reduce.
# run: run %s --reference
# stderr: stablehlo.all_reduce: result 0 is tensor<4xf8E8M0FNU>, but its body computes in f32
# file: input.mlir
# exit: 3
---
func.func @main(%x: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU>
  return %0 : tensor<4xf8E8M0FNU>
}
====
# scatter: the body is narrower than the operand.
# run: run %s --reference
# stderr: stablehlo.scatter: its body computes in f32, which is narrower than operand 0, tensor<4xf64>
# file: input.mlir
# exit: 3
---
func.func @main(%x: tensor<4xf64>, %i: tensor<f64>, %k: tensor<1xi64>) -> tensor<4xf32> {
  %0 = "stablehlo.scatter"(%x, %k, %i) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4xf64>, tensor<1xi64>, tensor<f64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

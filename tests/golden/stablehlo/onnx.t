A loop with a test of its own.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %h = stablehlo.constant dense<100.0> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r:3 = stablehlo.while(%i = %c0, %v = %x, %m = %n) : tensor<i32>, tensor<4xf32>, tensor<i32>
  cond {
    %s = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %a = stablehlo.compare LT, %s, %h : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = stablehlo.and %a, %b : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %w = stablehlo.add %v, %v : tensor<4xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %w, %m : tensor<i32>, tensor<4xf32>, tensor<i32>
  }
  return %r#1, %r#0 : tensor<4xf32>, tensor<i32>
}
====
A loop of counted rounds, whose limit an argument gives.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %c0 = stablehlo.constant dense<2> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %r:3 = stablehlo.while(%i = %c0, %v = %x, %m = %n) : tensor<i32>, tensor<4xf32>, tensor<i32>
  cond {
    %b = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %b : tensor<i1>
  } do {
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %w = stablehlo.add %v, %g : tensor<4xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %w, %m : tensor<i32>, tensor<4xf32>, tensor<i32>
  }
  return %r#1, %r#0 : tensor<4xf32>, tensor<i32>
}
====
Loops inside loops; one counts up to a value of the other.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %k = stablehlo.constant dense<0.5> : tensor<4xf32>
  %r:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %b = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %b : tensor<i1>
  } do {
    %q:2 = stablehlo.while(%a = %c0, %u = %v) : tensor<i32>, tensor<4xf32>
    cond {
      %b = stablehlo.compare GE, %i, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %b : tensor<i1>
    } do {
      %w = stablehlo.multiply %u, %k : tensor<4xf32>
      %j = stablehlo.add %a, %c1 : tensor<i32>
      stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
    }
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %q#1 : tensor<i32>, tensor<4xf32>
  }
  return %r#1, %r#0 : tensor<4xf32>, tensor<i32>
}
====
case: a tree of ifs.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.case"(%i) ({
    %a = stablehlo.exponential %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %a = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }, {
    %a = stablehlo.tanh %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %a = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
====
if
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%i: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = "stablehlo.if"(%i) ({
    %a = stablehlo.exponential %x : tensor<4xf32>
    stablehlo.return %a, %x : tensor<4xf32>, tensor<4xf32>
  }, {
    %a = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %x, %a : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
====
argmax
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %v = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<3x5xi32>
  %r:2 = stablehlo.reduce(%x init: %v), (%i init: %z) across dimensions = [1] : (tensor<3x5xf32>, tensor<3x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %1 = stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %b, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %c : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi32>
}
====
argmin
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %v = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<3x5xi32>
  %r:2 = stablehlo.reduce(%x init: %v), (%i init: %z) across dimensions = [1] : (tensor<3x5xf32>, tensor<3x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %1 = stablehlo.compare LT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %b, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %c : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi32>
}
====
argmax xla
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<3x5xf32>) -> (tensor<5xf32>, tensor<5xi64>) {
  %v = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i64>
  %i = stablehlo.iota dim = 0 : tensor<3x5xi64>
  %r:2 = stablehlo.reduce(%x init: %v), (%i init: %z) across dimensions = [0] : (tensor<3x5xf32>, tensor<3x5xi64>, tensor<f32>, tensor<i64>) -> (tensor<5xf32>, tensor<5xi64>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i64>, %d: tensor<i64>) {
    %1 = stablehlo.compare GE, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<f32>
    %3 = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.minimum %b, %d : tensor<i64>
    %5 = stablehlo.select %1, %b, %d : tensor<i1>, tensor<i64>
    %6 = stablehlo.select %3, %4, %5 : tensor<i1>, tensor<i64>
    stablehlo.return %2, %6 : tensor<f32>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi64>
}
====
sort jax
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %r = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare EQ, %a, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %z, %a : tensor<i1>, tensor<f32>
    %3 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.select %3, %n, %2 : tensor<i1>, tensor<f32>
    %5 = stablehlo.compare EQ, %b, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.select %5, %z, %b : tensor<i1>, tensor<f32>
    %7 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.select %7, %n, %6 : tensor<i1>, tensor<f32>
    %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
====
sort pair
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x6xi32>, %y: tensor<4x6xf32>) -> (tensor<4x6xi32>, tensor<4x6xf32>) {
  %r:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
    %9 = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }) : (tensor<4x6xi32>, tensor<4x6xf32>) -> (tensor<4x6xi32>, tensor<4x6xf32>)
  return %r#0, %r#1 : tensor<4x6xi32>, tensor<4x6xf32>
}
====
topk
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>) {
  %v, %i = chlo.top_k(%x, k = 3) : tensor<4x6xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return %v, %i : tensor<4x3xf32>, tensor<4x3xi32>
}
====
gather nd
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) -> tensor<7x6xf32> {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return %r : tensor<7x6xf32>
}
====
gather window
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) -> tensor<2x7x3x4xf32> {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2, 3], start_index_map = [2, 0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2, 3, 4>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<2x7x3x4xf32>
  return %r : tensor<2x7x3x4xf32>
}
====
gather batch
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5x6xf32>, %i: tensor<4x7xi64>) -> tensor<4x7x6xf32> {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<4x7xi64>) -> tensor<4x7x6xf32>
  return %r : tensor<4x7x6xf32>
}
====
gather dyn
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<40x6xf32>, %i: tensor<?x7xi32>) -> tensor<?x7x6xf32> {
  %0 = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?x7xi32>) -> tensor<i32>
  %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.constant dense<[7, 1]> : tensor<2xi32>
  %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  %4 = stablehlo.dynamic_reshape %i, %3 : (tensor<?x7xi32>, tensor<3xi32>) -> tensor<?x7x1xi32>
  %r = "stablehlo.gather"(%x, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<40x6xf32>, tensor<?x7x1xi32>) -> tensor<?x7x6xf32>
  return %r : tensor<?x7x6xf32>
}
====
scatter set
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5x6xf32>, %i: tensor<3x2xi32>, %u: tensor<3x6xf32>) -> tensor<4x5x6xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x5x6xf32>, tensor<3x2xi32>, tensor<3x6xf32>) -> tensor<4x5x6xf32>
  return %r : tensor<4x5x6xf32>
}
====
scatter add
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5x6xf32>, %i: tensor<3x2xi32>, %u: tensor<3x6xf32>) -> tensor<4x5x6xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
 stablehlo.return %s : tensor<f32>
  }) : (tensor<4x5x6xf32>, tensor<3x2xi32>, tensor<3x6xf32>) -> tensor<4x5x6xf32>
  return %r : tensor<4x5x6xf32>
}
====
scatter max
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5x6xf32>, %i: tensor<3x2xi32>, %u: tensor<3x6xf32>) -> tensor<4x5x6xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
 stablehlo.return %s : tensor<f32>
  }) : (tensor<4x5x6xf32>, tensor<3x2xi32>, tensor<3x6xf32>) -> tensor<4x5x6xf32>
  return %r : tensor<4x5x6xf32>
}
====
scatter window
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5x6xf32>, %i: tensor<2xi32>, %u: tensor<2x3x2xf32>) -> tensor<4x5x6xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 2]>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x5x6xf32>, tensor<2xi32>, tensor<2x3x2xf32>) -> tensor<4x5x6xf32>
  return %r : tensor<4x5x6xf32>
}
====
scatter batch
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5xf32>, %i: tensor<4x2x1xi32>, %u: tensor<4x2xf32>) -> tensor<4x5xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<4x2x1xi32>, tensor<4x2xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
====
ds
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x3xf32> {
  %r = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 3] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
====
dus
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x5xf32>, %u: tensor<4x2xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<4x5xf32> {
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<4x5xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
====
pad inner
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<5x8xf32> {
  %r = stablehlo.pad %x, %v, low = [1, -1], high = [0, 2], interior = [2, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}
====
rw cumsum
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}
====
rw cumsum rev
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 3], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4x6xi32>, tensor<i32>) -> tensor<4x6xi32>
  return %r : tensor<4x6xi32>
}
====
rw cummax
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x6xf32>, tensor<f32>) -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}
====
rw maxpool i32
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<2x9x9x3xi32>) -> tensor<2x5x5x3xi32> {
  %z = stablehlo.constant dense<-2147483648> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x9x9x3xi32>, tensor<i32>) -> tensor<2x5x5x3xi32>
  return %r : tensor<2x5x5x3xi32>
}
====
rw sum7
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<20xf32>) -> tensor<10xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 7>, window_strides = array<i64: 2>, padding = dense<[[3, 2]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<20xf32>, tensor<f32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
}
====
rw sum6d
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<20xf32>) -> tensor<10xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 6>, window_strides = array<i64: 1>, padding = dense<[[0, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<20xf32>, tensor<f32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
}
====
rw base
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<5xf32>) -> tensor<9xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 1>, padding = dense<[[1, 1]]> : tensor<1x2xi64>, base_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}
====
rw min
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x3x8x8xf32>, tensor<f32>) -> tensor<1x3x4x4xf32>
  return %r : tensor<1x3x4x4xf32>
}
====
erfc
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erfc %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
====
composite
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.op" %x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
====
redprec
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
====
What ONNX has no form for is named, with its place.
# run: opt -q %s -o %t/a.onnx
# file: input.mlir
# stderr: input.mlir:2:8: error: stablehlo.partition_id: ONNX has no operator for it
# exit: 4
---
func.func @main() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}
====
Quantised values are their stored integers; what computes stands between dequantize and quantize.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %q = stablehlo.uniform_quantize %x : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 0.05:4>>
  %a = stablehlo.add %q, %q : (tensor<2x4x!quant.uniform<i8:f32, 0.05:4>>, tensor<2x4x!quant.uniform<i8:f32, 0.05:4>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.1:0>>
  %r = stablehlo.uniform_dequantize %a : (tensor<2x4x!quant.uniform<i8:f32, 0.1:0>>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
====
Per axis, as arguments and results, with a narrow range, in 32 bits.
# run: opt -q %s -o %t/a.onnx
# run: convert %t/a.onnx -t onnxtxt -o -
# file: input.mlir
---
func.func @main(%x: tensor<1x5x5x2xf32>, %s: tensor<1x5x5x2x!quant.uniform<u8:f32, 0.5:128>>) -> (tensor<1x3x3x3xf32>, tensor<1x50x!quant.uniform<u8:f32, 0.5:128>>, tensor<1x5x5x2x!quant.uniform<i8<-127:127>:f32, 0.25>>) {
  %w = "stablehlo.constant"() <{value = dense<3> : tensor<3x3x2x3xi8>}> : () -> tensor<3x3x2x3x!quant.uniform<i8<-127:127>:f32:3, {0.1, 0.2, 0.3}>>
  %q = stablehlo.uniform_quantize %x : (tensor<1x5x5x2xf32>) -> tensor<1x5x5x2x!quant.uniform<i8:f32, 0.05:4>>
  %c = stablehlo.convolution(%q, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x5x2x!quant.uniform<i8:f32, 0.05:4>>, tensor<3x3x2x3x!quant.uniform<i8<-127:127>:f32:3, {0.1, 0.2, 0.3}>>) -> tensor<1x3x3x3x!quant.uniform<i32:f32:3, {0.005, 0.01, 0.015}>>
  %d = stablehlo.uniform_quantize %c : (tensor<1x3x3x3x!quant.uniform<i32:f32:3, {0.005, 0.01, 0.015}>>) -> tensor<1x3x3x3x!quant.uniform<i8:f32, 0.5:-2>>
  %r = stablehlo.uniform_dequantize %d : (tensor<1x3x3x3x!quant.uniform<i8:f32, 0.5:-2>>) -> tensor<1x3x3x3xf32>
  %f = stablehlo.reshape %s : (tensor<1x5x5x2x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<1x50x!quant.uniform<u8:f32, 0.5:128>>
  %t = stablehlo.uniform_quantize %s : (tensor<1x5x5x2x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<1x5x5x2x!quant.uniform<i8<-127:127>:f32, 0.25>>
  return %r, %f, %t : tensor<1x3x3x3xf32>, tensor<1x50x!quant.uniform<u8:f32, 0.5:128>>, tensor<1x5x5x2x!quant.uniform<i8<-127:127>:f32, 0.25>>
}
---
<ir_version: 10, opset_import: ["" : 21]>
graph (float[1,5,5,2] x, uint8[1,5,5,2] s) => (float[1,3,3,3] r, uint8[1,50] f, int8[1,5,5,2] t) <float initializer_0 = {0.05}, int8 initializer_1 = {4}, float[3] initializer_2 = {0.005, 0.01, 0.015}, float[3,2,3,3] initializer_3 = {60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004, 60.000004}, float initializer_4 = {-2.1474836e+09}, float initializer_5 = {2.1474835e+09}, float initializer_6 = {0.5}, int8 initializer_7 = {-2}, int64[2] initializer_8 = {1, 50}, uint8 initializer_9 = {128}, float initializer_10 = {0.25}, int8 initializer_11 = {0}, int8 initializer_12 = {-127}, int8 initializer_13 = {127}> {
   q = QuantizeLinear (x, initializer_0, initializer_1)
   DequantizeLinear_0 = DequantizeLinear (q, initializer_0, initializer_1)
   Transpose_0 = Transpose <perm = [0, 3, 1, 2]> (DequantizeLinear_0)
   Conv_0 = Conv <dilations = [1, 1], group = 1, kernel_shape = [3, 3], pads = [0, 0, 0, 0], strides = [1, 1]> (Transpose_0, initializer_3)
   Transpose_1 = Transpose <perm = [0, 2, 3, 1]> (Conv_0)
   Round_0 = Round (Transpose_1)
   Clip_0 = Clip (Round_0, initializer_4, initializer_5)
   c = Cast <to = 6> (Clip_0)
   DequantizeLinear_1 = DequantizeLinear <axis = 3> (c, initializer_2)
   d = QuantizeLinear (DequantizeLinear_1, initializer_6, initializer_7)
   r = DequantizeLinear (d, initializer_6, initializer_7)
   f = Reshape <allowzero = 1> (s, initializer_8)
   DequantizeLinear_2 = DequantizeLinear (s, initializer_6, initializer_9)
   QuantizeLinear_0 = QuantizeLinear (DequantizeLinear_2, initializer_10, initializer_11)
   t = Clip (QuantizeLinear_0, initializer_12, initializer_13)
}
====
# reductions over a size that is not known, which may be none
# run: opt -q %s -o %t/a.onnx && hone verify -q %s %t/a.onnx --shape x=5,3 && hone verify -q %s %t/a.onnx --shape x=1,3 && hone run %t/a.onnx --shape x=0,3
# file: input.mlir
---
func.func @main(%x: tensor<?x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %o = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %h = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.reduce(%x init: %l) applies stablehlo.maximum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.reduce(%x init: %h) applies stablehlo.minimum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.reduce(%x init: %h) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
---
equal: 4 outputs over 3 input sets
equal: 4 outputs over 3 input sets
ReduceSum_0 float32[3] 0 0 0
ReduceMax_0 float32[3] -inf -inf -inf
Min_0 float32[3] 2 2 2
Mul_0 float32[3] 2 2 2
====
# shifts of signed integers, by any amount
# run: opt -q %s -o %t/a.onnx && hone verify -q %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<40xi32>, %k: tensor<40xi32>, %y: tensor<40xui64>, %z: tensor<40xi8>) -> (tensor<40xi32>, tensor<40xi32>, tensor<40xi32>, tensor<40xui64>, tensor<40xui64>, tensor<40xi8>, tensor<40xi8>) {
  %n = stablehlo.constant dense<12345678> : tensor<40xi32>
  %v = stablehlo.multiply %x, %n : tensor<40xi32>
  %0 = stablehlo.shift_left %v, %k : tensor<40xi32>
  %1 = stablehlo.shift_right_arithmetic %v, %k : tensor<40xi32>
  %2 = stablehlo.shift_right_logical %v, %k : tensor<40xi32>
  %3 = stablehlo.shift_left %y, %y : tensor<40xui64>
  %a = stablehlo.constant dense<3> : tensor<40xui64>
  %4 = stablehlo.shift_right_logical %y, %a : tensor<40xui64>
  %b = stablehlo.constant dense<2> : tensor<40xi8>
  %5 = stablehlo.shift_right_arithmetic %z, %b : tensor<40xi8>
  %c = stablehlo.constant dense<9> : tensor<40xi8>
  %6 = stablehlo.shift_right_arithmetic %z, %c : tensor<40xi8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<40xi32>, tensor<40xi32>, tensor<40xi32>, tensor<40xui64>, tensor<40xui64>, tensor<40xi8>, tensor<40xi8>
}
---
equal: 7 outputs over 3 input sets
====
# element types that ONNX's operators do not take are widened, as for another opset
# run: opt -q %s -o %t/a.onnx && hone verify -q %s %t/a.onnx && hone convert -q %t/a.onnx -t onnxtxt -o -
# file: input.mlir
---
func.func @main(%x: tensor<3x4xi8>, %y: tensor<3x4xui64>, %p: tensor<4xi1>, %q: tensor<4xi1>) -> (tensor<3xi8>, tensor<3x4xui64>, tensor<4xi1>) {
  %o = stablehlo.constant dense<0> : tensor<i8>
  %0 = stablehlo.reduce(%x init: %o) applies stablehlo.add across dimensions = [1] : (tensor<3x4xi8>, tensor<i8>) -> tensor<3xi8>
  %1 = stablehlo.negate %y : tensor<3x4xui64>
  %2 = stablehlo.compare LT, %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<3xi8>, tensor<3x4xui64>, tensor<4xi1>
}
---
equal: 3 outputs over 3 input sets
<ir_version: 10, opset_import: ["" : 21]>
graph (int8[3,4] x, uint64[3,4] y, bool[4] p, bool[4] q) => (int8[3] Cast_1, uint64[3,4] Sub_0, bool[4] Less_0) <int64[1] initializer_0 = {1}, uint64 initializer_1 = {0}> {
   Cast_0 = Cast <to = 6> (x)
   ReduceSum_0 = ReduceSum <keepdims = 0> (Cast_0, initializer_0)
   Cast_1 = Cast <to = 3> (ReduceSum_0)
   Sub_0 = Sub (initializer_1, y)
   Cast_2 = Cast <to = 2> (p)
   Cast_3 = Cast <to = 2> (q)
   Less_0 = Less (Cast_2, Cast_3)
}
====
# what has no wider type either is refused
# run: opt -q %s -o %t/a.onnx
# stderr: input.mlir:2:8: error: MaxPool cannot be written for ONNX opset 21: MaxPool-12 does not take its input 'X' of type int64
# file: input.mlir
# exit: 4
---
func.func @main(%x: tensor<1x1x6xi64>) -> tensor<1x1x5xi64> {
  %0 = core.max_pool(%x) {kernel = array<i64: 2>} : (tensor<1x1x6xi64>) -> tensor<1x1x5xi64>
  return %0 : tensor<1x1x5xi64>
}
====
# atan2 in every direction, with zeros of both signs, infinities and NaN
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-6 %s %t/a.onnx && hone run %s --print 36 | tail -n 2 | sed 's/.*36. //' > %t/x && hone run %t/a.onnx --print 36 | tail -n 2 | sed 's/.*36. //' > %t/y && cmp %t/x %t/y && cat %t/y
# file: input.mlir
---
func.func @main(%p: tensor<200xf32>, %q: tensor<200xf32>, %h: tensor<50xf16>, %d: tensor<50xf64>, %z: tensor<36xf32>) -> (tensor<200xf32>, tensor<50xf16>, tensor<50xf64>, tensor<36xf32>, tensor<36xi1>) {
  %0 = stablehlo.atan2 %p, %q : tensor<200xf32>
  %1 = stablehlo.atan2 %h, %h : tensor<50xf16>
  %2 = stablehlo.atan2 %d, %d : tensor<50xf64>
  %v = stablehlo.constant dense<[0.0, -0.0, 1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<6xf32>
  %a = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<6xf32>) -> tensor<6x6xf32>
  %b = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<6xf32>) -> tensor<6x6xf32>
  %a1 = stablehlo.reshape %a : (tensor<6x6xf32>) -> tensor<36xf32>
  %b1 = stablehlo.reshape %b : (tensor<6x6xf32>) -> tensor<36xf32>
  %o = stablehlo.constant dense<1.0> : tensor<36xf32>
  %ze = stablehlo.compare EQ, %z, %z : (tensor<36xf32>, tensor<36xf32>) -> tensor<36xi1>
  %a2 = stablehlo.select %ze, %a1, %o : tensor<36xi1>, tensor<36xf32>
  %3 = stablehlo.atan2 %a2, %b1 : tensor<36xf32>
  %r = stablehlo.divide %o, %3 : tensor<36xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<36xf32>
  %4 = stablehlo.compare LT, %r, %zero : (tensor<36xf32>, tensor<36xf32>) -> tensor<36xi1>
  return %0, %1, %2, %3, %4 : tensor<200xf32>, tensor<50xf16>, tensor<50xf64>, tensor<36xf32>, tensor<36xi1>
}
---
equal: 5 outputs over 3 input sets
0 3.14159 0 0 3.14159 nan -0 -3.14159 -0 -0 -3.14159 nan 1.5708 1.5708 0.785398 0 3.14159 nan 1.5708 1.5708 1.5708 0.785398 2.35619 nan -1.5708 -1.5708 -1.5708 -0.785398 -2.35619 nan nan nan nan nan nan nan
0 0 0 0 0 0 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 0 0 0 0 0 0 0
====
# the number of bits that are set
# run: opt -q %s -o %t/a.onnx && hone verify -q %s %t/a.onnx
# file: input.mlir
---
func.func @main(%a: tensor<50xi8>, %b: tensor<50xui16>, %c: tensor<50xi32>, %d: tensor<50xi64>, %e: tensor<50xui64>) -> (tensor<50xi8>, tensor<50xui16>, tensor<50xi32>, tensor<50xi64>, tensor<50xui64>) {
  %0 = stablehlo.popcnt %a : tensor<50xi8>
  %1 = stablehlo.popcnt %b : tensor<50xui16>
  %k = stablehlo.constant dense<-123456789> : tensor<50xi32>
  %cm = stablehlo.multiply %c, %k : tensor<50xi32>
  %2 = stablehlo.popcnt %cm : tensor<50xi32>
  %m = stablehlo.constant dense<-1234567890123456789> : tensor<50xi64>
  %dm = stablehlo.multiply %d, %m : tensor<50xi64>
  %3 = stablehlo.popcnt %dm : tensor<50xi64>
  %n = stablehlo.constant dense<12345678901234567890> : tensor<50xui64>
  %em = stablehlo.multiply %e, %n : tensor<50xui64>
  %4 = stablehlo.popcnt %em : tensor<50xui64>
  return %0, %1, %2, %3, %4 : tensor<50xi8>, tensor<50xui16>, tensor<50xi32>, tensor<50xi64>, tensor<50xui64>
}
====
# operands whose sizes are one, which no type says
# run: opt -q %s -o %t/a.onnx && hone verify -q %s %t/a.onnx --shape x=4,5 --shape y=4,5
# file: input.mlir
---
func.func @main(%x: tensor<?x5xf32>, %y: tensor<?x5xi32>) -> (tensor<?x5xf32>, tensor<?x5xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %l = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<?x5xf32>, tensor<?x5xi32>) -> (tensor<?x5xf32>, tensor<?x5xi32>)
  return %0#0, %0#1 : tensor<?x5xf32>, tensor<?x5xi32>
}
---
equal: 2 outputs over 3 input sets
====
# the ifs of a case in a loop: each limit stands before the if that it decides, so the loop can be copied
# file: m.mlir
# run: opt %s -o %t/m.onnx -q
# run: verify %s %t/m.onnx
---
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %r = "stablehlo.case"(%i) ({
      %t = stablehlo.add %y, %y : tensor<3xf32>
      stablehlo.return %t : tensor<3xf32>
    }, {
      %t = stablehlo.negate %y : tensor<3xf32>
      stablehlo.return %t : tensor<3xf32>
    }, {
      %t = stablehlo.sine %y : tensor<3xf32>
      stablehlo.return %t : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r : tensor<i32>, tensor<3xf32>
  }
  return %0#1 : tensor<3xf32>
}
---
equal: 1 outputs over 3 input sets

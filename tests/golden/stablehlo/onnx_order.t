A sort by two keys, the first up and the second down: the pair decides, the third operand follows.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<3x40xi32>, %y: tensor<3x40xf32>, %z: tensor<3x40xf64>) -> (tensor<3x40xi32>, tensor<3x40xf32>, tensor<3x40xf64>) {
  %two = stablehlo.constant dense<2> : tensor<3x40xi32>
  %k = stablehlo.remainder %x, %two : tensor<3x40xi32>
  %r:3 = "stablehlo.sort"(%k, %y, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<f64>, %f: tensor<f64>):
    %lt = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %gt = stablehlo.compare GT, %c, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = stablehlo.and %eq, %gt : tensor<i1>
    %o = stablehlo.or %lt, %n : tensor<i1>
    stablehlo.return %o : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x40xi32>, tensor<3x40xf32>, tensor<3x40xf64>) -> (tensor<3x40xi32>, tensor<3x40xf32>, tensor<3x40xf64>)
  return %r#0, %r#1, %r#2 : tensor<3x40xi32>, tensor<3x40xf32>, tensor<3x40xf64>
}
====
Keys that are neither first nor in order, by total order; NaN come last, elements that are alike keep their order.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%z: tensor<12x2xi64>, %s: tensor<12x2xi16>) -> (tensor<12x2xi64>, tensor<12x2xf32>, tensor<12x2xi16>) {
  %p = stablehlo.constant dense<[[1.0, 0x7FC00000], [0x7FC00000, 3.0], [-1.0, 0x7FC00000], [2.0, 2.0], [0x7FC00000, 1.0], [1.0, 3.0], [2.0, -4.0], [0x7F800000, 0xFF800000], [1.0, 1.0], [0x7FC00000, 3.0], [0xFF800000, 0x7F800000], [1.0, 1.0]]> : tensor<12x2xf32>
  %three = stablehlo.constant dense<3> : tensor<12x2xi16>
  %q = stablehlo.remainder %s, %three : tensor<12x2xi16>
  %r:3 = "stablehlo.sort"(%z, %p, %q) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<i16>, %f: tensor<i16>):
    %lt = stablehlo.compare LT, %c, %d, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %more = stablehlo.compare GT, %e, %f : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %less = stablehlo.compare LT, %e, %f : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %x = stablehlo.select %more, %more, %lt : tensor<i1>, tensor<i1>
    %no = stablehlo.not %less : tensor<i1>
    %o = stablehlo.and %x, %no : tensor<i1>
    stablehlo.return %o : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<12x2xi64>, tensor<12x2xf32>, tensor<12x2xi16>) -> (tensor<12x2xi64>, tensor<12x2xf32>, tensor<12x2xi16>)
  return %r#0, %r#1, %r#2 : tensor<12x2xi64>, tensor<12x2xf32>, tensor<12x2xi16>
}
====
A comparator that mixes its operands is no order by keys.
# run: opt -q %s -o %t/a.onnx
# exit: 4
# stderr: stablehlo.sort has no form of core ops: its comparator does more than compare elements by keys in turn
# file: input.mlir
---
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %r:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %lt = stablehlo.compare LT, %a, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}
====
The gradient of a max pool, windows that overlap and are padded, in the order of dimensions that JAX has.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<2x7x6x3xf32>, %g: tensor<2x4x3x3xf32>) -> tensor<2x7x6x3xf32> {
  %z = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %g, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x7x6x3xf32>, tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x7x6x3xf32>
  return %r : tensor<2x7x6x3xf32>
}
====
The same of a pool that takes the smallest, along one dimension, with elements that are alike.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<4x12xi32>, %g: tensor<4x4xf64>) -> tensor<4x12xf64> {
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %two = stablehlo.constant dense<2> : tensor<4x12xi32>
  %m = stablehlo.remainder %x, %two : tensor<4x12xi32>
  %f = stablehlo.convert %m : (tensor<4x12xi32>) -> tensor<4x12xf64>
  %r = "stablehlo.select_and_scatter"(%f, %g, %z) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %p = stablehlo.compare LE, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) {window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 3>} : (tensor<4x12xf64>, tensor<4x4xf64>, tensor<f64>) -> tensor<4x12xf64>
  return %r : tensor<4x12xf64>
}
====
A select that keeps the last of equal elements has no pool.
# run: opt -q %s -o %t/a.onnx
# exit: 4
# stderr: stablehlo.select_and_scatter has no form of core ops: its select does not keep the first
# file: input.mlir
---
func.func @main(%x: tensor<4x12xf32>, %g: tensor<4x4xf32>) -> tensor<4x12xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %g, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 3>} : (tensor<4x12xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x12xf32>
  return %r : tensor<4x12xf32>
}
====
# the place of the largest where the batch is open
# run: opt -q %s -o %t/a.onnx && hone verify -q %s %t/a.onnx --shape x=4,5 && hone convert -q %t/a.onnx -t onnxtxt -o - | grep ' = '
# file: input.mlir
---
func.func @main(%x: tensor<?x5xf32>) -> tensor<?xi32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5xf32>) -> tensor<i32>
  %k = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %s = stablehlo.concatenate %k, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<?x5xi32>
  %w = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %w), (%i init: %z) across dimensions = [1] : (tensor<?x5xf32>, tensor<?x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>)  {
    %1 = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<?xi32>
}
---
equal: 1 outputs over 3 input sets
   ArgMax_0 = ArgMax <axis = 1, keepdims = 0> (x)
   Cast_0 = Cast <to = 6> (ArgMax_0)
====
# numbers along another axis are no places
# run: opt -q %s -o %t/a.onnx
# stderr: stablehlo.reduce: ONNX has no operator for it
# exit: 4
# file: input.mlir
---
func.func @main(%x: tensor<4x5xf32>) -> tensor<4xi32> {
  %j = stablehlo.iota dim = 0 : tensor<4x5xi32>
  %w = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %w), (%j init: %z) across dimensions = [1] : (tensor<4x5xf32>, tensor<4x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>)  {
    %1 = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<4xi32>
}

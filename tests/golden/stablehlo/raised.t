# What ONNX becomes in StableHLO has no ops of constants that could be numbers.
# a bias that gets dimensions of size 1, a mean's count, a zero point of 0
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify -q %s %t/a.mlir && cat %t/a.mlir
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,4] x) => (float[1,4] y, float[1] m, float[1,4] q)
<float[4] b = {1, 2, 3, 4}, float s = {0.5}, uint8 z = {0}> {
  y = Add(x, b)
  m = ReduceMean<axes = [1], keepdims = 0>(x)
  i = QuantizeLinear(x, s, z)
  q = DequantizeLinear(i, s, z)
}
---
equal: 3 outputs over 3 input sets
module {
  func.func @main(%x: tensor<1x4xf32>) -> (tensor<1x4xf32> {hone.name = "y"}, tensor<1xf32> {hone.name = "m"}, tensor<1x4xf32> {hone.name = "q"}) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
    %y = stablehlo.add %x, %0 : tensor<1x4xf32>
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = "stablehlo.reduce"(%x, %1) ({
    ^bb0(%3: tensor<f32>, %4: tensor<f32>):
      %5 = stablehlo.add %3, %4 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) {dimensions = array<i64: 1>} : (tensor<1x4xf32>, tensor<f32>) -> tensor<1xf32>
    %6 = stablehlo.constant dense<4.0> : tensor<1xf32>
    %m = stablehlo.divide %2, %6 : tensor<1xf32>
    %7 = stablehlo.constant dense<0.5> : tensor<1x4xf32>
    %8 = stablehlo.divide %x, %7 : tensor<1x4xf32>
    %9 = stablehlo.round_nearest_even %8 : tensor<1x4xf32>
    %10 = stablehlo.constant dense<0.0> : tensor<1x4xf32>
    %11 = stablehlo.maximum %9, %10 : tensor<1x4xf32>
    %12 = stablehlo.constant dense<255.0> : tensor<1x4xf32>
    %13 = stablehlo.minimum %11, %12 : tensor<1x4xf32>
    %i = stablehlo.convert %13 : (tensor<1x4xf32>) -> tensor<1x4xui8>
    %14 = stablehlo.convert %i : (tensor<1x4xui8>) -> tensor<1x4xi32>
    %15 = stablehlo.convert %14 : (tensor<1x4xi32>) -> tensor<1x4xf32>
    %q = stablehlo.multiply %15, %7 : tensor<1x4xf32>
    return %y, %m, %q : tensor<1x4xf32>, tensor<1xf32>, tensor<1x4xf32>
  }
}
====
# a constant is used in parts, together no larger: they are constants
# run: opt %s --passes shapes,fold,dce --max-growth 0 -q -o %t/a.mlir && hone verify -q %s %t/a.mlir && cat %t/a.mlir
# file: input.mlir
---
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %0 = core.constant() {value = dense<0> : tensor<i64>}
  %1 = core.constant() {value = dense<1> : tensor<i64>}
  %p = core.gather(%w, %0) {axis = 0}
  %q = core.gather(%w, %1) {axis = 0}
  %a = core.add(%x, %p)
  %b = core.mul(%x, %q)
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}
---
equal: 2 outputs over 3 input sets
module {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %p = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %q = core.constant() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %a = core.add(%x, %p) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %b = core.mul(%x, %q) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %a, %b : tensor<2xf32>, tensor<2xf32>
  }
}
====
# parts that overlap are larger together: the constant stays
# run: opt %s --passes shapes,fold,dce --max-growth 0 -q -o -
# file: input.mlir
---
func.func @main(%x: tensor<14xf32>) -> (tensor<14xf32>, tensor<14xf32>) {
  %w = core.constant() {value = dense<[1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 5.0]> : tensor<16xf32>}
  %0 = core.constant() {value = dense<0> : tensor<1xi64>}
  %2 = core.constant() {value = dense<2> : tensor<1xi64>}
  %14 = core.constant() {value = dense<14> : tensor<1xi64>}
  %16 = core.constant() {value = dense<16> : tensor<1xi64>}
  %p = core.slice(%w, %0, %14)
  %q = core.slice(%w, %2, %16)
  %a = core.add(%x, %p)
  %b = core.mul(%x, %q)
  return %a, %b : tensor<14xf32>, tensor<14xf32>
}
---
module {
  func.func @main(%x: tensor<14xf32>) -> (tensor<14xf32>, tensor<14xf32>) {
    %w = core.constant() {value = dense<[1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 5.0]> : tensor<16xf32>} : () -> tensor<16xf32>
    %0 = core.constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
    %2 = core.constant() {value = dense<14> : tensor<1xi64>} : () -> tensor<1xi64>
    %3 = core.constant() {value = dense<16> : tensor<1xi64>} : () -> tensor<1xi64>
    %p = core.slice(%w, %0, %2) : (tensor<16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<14xf32>
    %q = core.slice(%w, %1, %3) : (tensor<16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<14xf32>
    %a = core.add(%x, %p) : (tensor<14xf32>, tensor<14xf32>) -> tensor<14xf32>
    %b = core.mul(%x, %q) : (tensor<14xf32>, tensor<14xf32>) -> tensor<14xf32>
    return %a, %b : tensor<14xf32>, tensor<14xf32>
  }
}
====
# the constant itself is used too: it stays, and so do its parts
# run: opt %s --passes shapes,fold,dce --max-growth 0 -q -o -
# file: input.mlir
---
func.func @main(%x: tensor<2x5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<2x5xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [3.0, 4.0, 7.0, 8.0, 9.0]]> : tensor<2x5xf32>}
  %0 = core.constant() {value = dense<0> : tensor<i64>}
  %p = core.gather(%w, %0) {axis = 0}
  %a = core.add(%y, %p)
  %b = core.mul(%x, %w)
  return %a, %b : tensor<5xf32>, tensor<2x5xf32>
}
---
module {
  func.func @main(%x: tensor<2x5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<2x5xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [3.0, 4.0, 7.0, 8.0, 9.0]]> : tensor<2x5xf32>} : () -> tensor<2x5xf32>
    %0 = core.constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %p = core.gather(%w, %0) {axis = 0} : (tensor<2x5xf32>, tensor<i64>) -> tensor<5xf32>
    %a = core.add(%y, %p) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %b = core.mul(%x, %w) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    return %a, %b : tensor<5xf32>, tensor<2x5xf32>
  }
}
====
# a loop that ends by its count carries no condition
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify -q %s %t/a.mlir && grep -c 'tensor<i1>, tensor<f32>' %t/a.mlir; grep while %t/a.mlir
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (int64 n, float x) => (float y) <bool go = {1}> {
  y = Loop(n, go, x) <body = b (int64 i, bool c, float v) => (bool d, float w) {
    d = Identity(c)
    f = Cast<to = 1>(i)
    w = Add(v, f)
  }>
}
---
equal: 1 outputs over 3 input sets
0
    %1, %y = "stablehlo.while"(%0, %x) ({
====
# one that its body ends does
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify -q %s %t/a.mlir && grep while %t/a.mlir
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (int64 n, float x) => (float y) <bool go = {1}, float most = {7}> {
  y = Loop(n, go, x) <body = b (int64 i, bool c, float v) => (bool d, float w) {
    f = Cast<to = 1>(i)
    w = Add(v, f)
    d = Less(w, most)
  }>
}
---
equal: 1 outputs over 3 input sets
    %1, %2, %y = "stablehlo.while"(%0, %go, %x) ({
====
# bytecode takes composite operators apart as text does
# run: opt -q %s -o %t/a.mlirbc && hone verify -q %s %t/a.mlirbc
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,4] x, float[1,3,3,2] grid) => (float[1,2,3,3] y) {
  y = GridSample<mode = "bilinear">(x, grid)
}
---
equal: 1 outputs over 3 input sets
====
# branches that give results of different sizes
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify -q %s %t/a.mlir && hone opt -q %s -t stablehlo -o -
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (bool c, float[4] x) => (float[n] y) {
  y = If(c) <then_branch = t () => (float[8] p) { p = Concat<axis = 0>(x, x) }, else_branch = e () => (float[4] q) { q = Neg(x) }>
}
---
equal: 1 outputs over 3 input sets
module {
  func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<?xf32> {hone.name = "y"}) {
    %y = "stablehlo.if"(%c) ({
      %p = stablehlo.concatenate %x, %x, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
      %0 = stablehlo.convert %p : (tensor<8xf32>) -> tensor<?xf32>
      stablehlo.return %0 : tensor<?xf32>
    }, {
      %q = stablehlo.negate %x : tensor<4xf32>
      %1 = stablehlo.convert %q : (tensor<4xf32>) -> tensor<?xf32>
      stablehlo.return %1 : tensor<?xf32>
    }) : (tensor<i1>) -> tensor<?xf32>
    return %y : tensor<?xf32>
  }
}

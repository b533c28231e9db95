# What draws random numbers in StableHLO and in ONNX. The first cases show forms, the others count: 4096 numbers lie in their range,
# come near both of its ends, and have mean and mean square within five deviations of what they should be.
# bounds that are numbers are attributes
# run: opt %s -o %t/a.onnx > %t/report && sed -n '/^random/,/same numbers/p' %t/report && hone convert -q %t/a.onnx -t onnxtxt -o -
# stderr: input.mlir:5:8: note: stablehlo.rng becomes RandomUniform: a runtime draws other numbers of the same distribution
# file: input.mlir
---
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = stablehlo.constant dense<-1.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %y = stablehlo.add %r, %x : tensor<2x3xf32>
  %z = stablehlo.multiply %y, %r : tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}
---
random numbers: 1 values are drawn by other operators and compared as samples; before and after them
  5 values equal on the same numbers (5 unchanged, 0 replayed)
<ir_version: 10, opset_import: ["" : 21]>
graph (float[2,3] x) => (float[2,3] z) {
   r = RandomUniform <dtype = 1, high = 3.0, low = -1.0, shape = [2, 3]> ()
   y = Add (r, x)
   z = Mul (y, r)
}
====
# others are computed with
# run: opt -q %s -t onnxtxt -o -
# file: input.mlir
---
func.func @main(%x: tensor<?x3xf32>, %m: tensor<f32>, %d: tensor<f32>) -> tensor<?x3xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %k = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<3> : tensor<1xi32>
  %s = stablehlo.concatenate %k, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r = stablehlo.rng %m, %d, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
---
<ir_version: 10, opset_import: ["" : 21]>
graph (float[?,3] x, float m, float d) => (float[?,3] r) <int64 v0 = {0}, int64[1] v1 = {1}, int32[1] c = {3}> {
   v2 = Shape <end = 1, start = 0> (x)
   v3 = Gather (v2, v0)
   n = Cast <to = 6> (v3)
   k = Reshape <allowzero = 1> (n, v1)
   s = Concat <axis = 0> (k, c)
   v4 = Cast <to = 7> (s)
   v5 = ConstantOfShape (v4)
   v6 = RandomNormalLike <dtype = 1, mean = 0.0, scale = 1.0> (v5)
   v7 = Mul (v6, d)
   r = Add (v7, m)
}
====
# a scalar is a vector of one
# run: opt -q %s -t onnxtxt -o -
# file: input.mlir
---
func.func @main() -> tensor<f64> {
  %a = stablehlo.constant dense<0.0> : tensor<f64>
  %b = stablehlo.constant dense<1.0> : tensor<f64>
  %s = stablehlo.constant dense<> : tensor<0xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<0xi64>) -> tensor<f64>
  return %r : tensor<f64>
}
---
<ir_version: 10, opset_import: ["" : 21]>
graph () => (double r) <int64[0] s = {}> {
   v0 = RandomUniform <dtype = 11, high = 1.0, low = 0.0, shape = [1]> ()
   r = Reshape <allowzero = 1> (v0, s)
}
====
# no elements
# run: opt -q %s -o %t/a.onnx && hone run %t/a.onnx
# file: input.mlir
---
func.func @main() -> tensor<0x3xi32> {
  %a = stablehlo.constant dense<0> : tensor<i32>
  %b = stablehlo.constant dense<9> : tensor<i32>
  %s = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<0x3xi32>
  return %r : tensor<0x3xi32>
}
---
r int32[0,3]
====
# an empty range gives its lower bound; of booleans there is only false below true
# run: opt -q %s -o %t/a.onnx && hone run %s && hone run %t/a.onnx
# file: input.mlir
---
func.func @main() -> (tensor<3xi32>, tensor<3xui64>, tensor<3xi1>, tensor<3xi1>) {
  %a = stablehlo.constant dense<7> : tensor<i32>
  %b = stablehlo.constant dense<-9> : tensor<i32>
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<3xi32>
  %c = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %q = stablehlo.rng %c, %c, %s, distribution = UNIFORM : (tensor<ui64>, tensor<ui64>, tensor<1xi64>) -> tensor<3xui64>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %t = stablehlo.constant dense<true> : tensor<i1>
  %u = stablehlo.rng %f, %t, %s, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<1xi64>) -> tensor<3xi1>
  %v = stablehlo.rng %t, %t, %s, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<1xi64>) -> tensor<3xi1>
  return %r, %q, %u, %v : tensor<3xi32>, tensor<3xui64>, tensor<3xi1>, tensor<3xi1>
}
---
r int32[3] 7 7 7
q uint64[3] -1 -1 -1
u bool[3] 0 0 0
v bool[3] 1 1 1
r int32[3] 7 7 7
q uint64[3] -1 -1 -1
u bool[3] 0 0 0
v bool[3] 1 1 1
====
# normal numbers are floats
# run: opt -q %s -o %t/a.onnx
# stderr: stablehlo.rng has no form of core ops: normal numbers are floats
# file: input.mlir
# exit: 4
---
func.func @main() -> tensor<3xi32> {
  %a = stablehlo.constant dense<7> : tensor<i32>
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  %r = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}
====
# in a loop and in a function that is called twice, numbers are drawn each time; nothing in the loop is computed once before it
# run: opt -q %s -o %t/a.onnx && hone run %s && hone run %t/a.onnx
# file: input.mlir
---
func.func @noise(%x: tensor<3000xf32>) -> tensor<3000xf32> {
  %s = stablehlo.constant dense<3000> : tensor<1xi32>
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi32>) -> tensor<3000xf32>
  %y = stablehlo.add %r, %x : tensor<3000xf32>
  return %y : tensor<3000xf32>
}
func.func @main(%x: tensor<3000xf32>) -> (tensor<i1>, tensor<i1>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %o = stablehlo.constant dense<0.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<3000xf32>
  %w:2 = stablehlo.while(%i = %z, %v = %zero) : tensor<i32>, tensor<3000xf32>
  cond {
    %c = stablehlo.compare LT, %i, %nine : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = func.call @noise(%v) : (tensor<3000xf32>) -> tensor<3000xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<3000xf32>
  }
  %p = func.call @noise(%zero) : (tensor<3000xf32>) -> tensor<3000xf32>
  %q = func.call @noise(%zero) : (tensor<3000xf32>) -> tensor<3000xf32>
  %d = stablehlo.multiply %p, %q : tensor<3000xf32>
  %m = stablehlo.reduce(%d init: %o) applies stablehlo.add across dimensions = [0] : (tensor<3000xf32>, tensor<f32>) -> tensor<f32>
  %k = stablehlo.multiply %w#1, %w#1 : tensor<3000xf32>
  %l = stablehlo.reduce(%k init: %o) applies stablehlo.add across dimensions = [0] : (tensor<3000xf32>, tensor<f32>) -> tensor<f32>
  %m0 = stablehlo.constant dense<300.0> : tensor<f32>
  %l0 = stablehlo.constant dense<24000.0> : tensor<f32>
  %l1 = stablehlo.constant dense<30000.0> : tensor<f32>
  %ma = stablehlo.abs %m : tensor<f32>
  %r0 = stablehlo.compare LT, %ma, %m0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r1 = stablehlo.compare GT, %l, %l0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r2 = stablehlo.compare LT, %l, %l1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r3 = stablehlo.and %r1, %r2 : tensor<i1>
  return %r0, %r3 : tensor<i1>, tensor<i1>
}
---
r0 bool[] 1
r3 bool[] 1
r0 bool[] 1
r3 bool[] 1
====
# ONNX draws: as StableHLO
# run: opt -q %s -t stablehlo -o -
# stderr: the seed is not kept: stablehlo.rng has none
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[n,3] x) => (float[n,3] w, double[2,3] z, int64[n,3] b) {
  y = RandomUniformLike<low = 1.0, high = 3.0, seed = 5.0>(x)
  z = RandomNormal<shape = [2, 3], dtype = 11, mean = 2.0>()
  b = Bernoulli<dtype = 7>(x)
  w = Add(y, x)
}
---
module {
  func.func @main(%x: tensor<?x3xf32> {hone.dims = ["n", ""]}) -> (tensor<?x3xf32> {hone.name = "w"}, tensor<2x3xf64> {hone.name = "z"}, tensor<?x3xi64> {hone.name = "b"}) {
    %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
    %2 = stablehlo.reshape %1 : (tensor<i64>) -> tensor<1xi64>
    %3 = stablehlo.constant dense<[3]> : tensor<1xi64>
    %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %5 = stablehlo.constant dense<1.0> : tensor<f32>
    %6 = stablehlo.constant dense<3.0> : tensor<f32>
    %y = stablehlo.rng %5, %6, %4, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x3xf32>
    %7 = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %8 = stablehlo.constant dense<2.0> : tensor<f64>
    %9 = stablehlo.constant dense<1.0> : tensor<f64>
    %z = stablehlo.rng %8, %9, %7, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<2xi64>) -> tensor<2x3xf64>
    %10 = stablehlo.constant dense<0.0> : tensor<f32>
    %11 = stablehlo.rng %10, %5, %4, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x3xf32>
    %12 = stablehlo.compare LT, %11, %x, FLOAT : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xi1>
    %b = stablehlo.convert %12 : (tensor<?x3xi1>) -> tensor<?x3xi64>
    %w = stablehlo.add %y, %x : tensor<?x3xf32>
    return %w, %z, %b : tensor<?x3xf32>, tensor<2x3xf64>, tensor<?x3xi64>
  }
}
====
uniform, f32 in [-1, 3)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<-1.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4096xf32>
  %q = stablehlo.convert %r : (tensor<4096xf32>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<1.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-1.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<3.0> : tensor<f64>
  %t2 = stablehlo.compare LT, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<0.909789020439121> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<1.090210979560879> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<2.152911374211576> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<2.513755292455092> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<-0.92> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<2.92> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, f64 in [0.1, 0.3)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<0.1> : tensor<f64>
  %b = stablehlo.constant dense<0.3> : tensor<f64>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<4096xf64>
  %q = stablehlo.add %r, %r : tensor<4096xf64>
  %rm = stablehlo.constant dense<0.4> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<0.2> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<0.6> : tensor<f64>
  %t2 = stablehlo.compare LT, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<0.3909789020439121> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<0.40902109795608793> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<0.16611645496846306> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<0.18055021169820368> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<0.20800000000000002> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<0.592> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, f16 in [0, 1)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<0.0> : tensor<f16>
  %b = stablehlo.constant dense<1.0> : tensor<f16>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f16>, tensor<f16>, tensor<1xi64>) -> tensor<4096xf16>
  %q = stablehlo.convert %r : (tensor<4096xf16>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<0.5> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<0.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<1.0> : tensor<f64>
  %t2 = stablehlo.compare LT, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<0.47744725510978026> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<0.5225527448902197> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<0.3107805884431136> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<0.3558860782235531> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<0.02> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<0.98> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, bf16 in [0, 1)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<0.0> : tensor<bf16>
  %b = stablehlo.constant dense<1.0> : tensor<bf16>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<bf16>, tensor<bf16>, tensor<1xi64>) -> tensor<4096xbf16>
  %q = stablehlo.convert %r : (tensor<4096xbf16>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<0.5> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<0.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<1.0> : tensor<f64>
  %t2 = stablehlo.compare LT, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<0.47744725510978026> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<0.5225527448902197> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<0.3107805884431136> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<0.3558860782235531> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<0.02> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<0.98> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, i8 in [-100, 100)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<-100> : tensor<i8>
  %b = stablehlo.constant dense<100> : tensor<i8>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<1xi64>) -> tensor<4096xi8>
  %q = stablehlo.convert %r : (tensor<4096xi8>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<-0.5> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-100.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<99.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<-5.0104925958293345> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<4.0104925958293345> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<2942.884765625> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<3724.115234375> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<-96.02> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<95.02> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, ui8 in [3, 250)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<3> : tensor<ui8>
  %b = stablehlo.constant dense<250> : tensor<ui8>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<ui8>, tensor<ui8>, tensor<1xi64>) -> tensor<4096xui8>
  %q = stablehlo.convert %r : (tensor<4096xui8>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<126.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<3.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<249.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<120.42951766563253> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<131.57048233436745> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<19556.2384517394> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<22363.7615482606> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<7.92> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<244.08> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, i32 in [-7, 2000000000)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<-7> : tensor<i32>
  %b = stablehlo.constant dense<2000000000> : tensor<i32>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<4096xi32>
  %q = stablehlo.convert %r : (tensor<4096xi32>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<999999996.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-7.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<1999999999.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<954894506.0616913> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<1045105485.9383087> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<1.2431223481508933e+18> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<1.4235443071824402e+18> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<39999993.12> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<1959999998.88> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, ui32 in [5, 4000000000)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<5> : tensor<ui32>
  %b = stablehlo.constant dense<4000000000> : tensor<ui32>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<ui32>, tensor<ui32>, tensor<1xi64>) -> tensor<4096xui32>
  %q = stablehlo.convert %r : (tensor<4096xui32>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<2000000002.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<5.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<3999999999.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<1909789022.5518847> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<2090210981.4481153> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<4.972489419846695e+18> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<5.694177256153305e+18> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<80000004.88> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<3919999999.12> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, i64 in [10, 20)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<10> : tensor<i64>
  %b = stablehlo.constant dense<20> : tensor<i64>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i64>, tensor<i64>, tensor<1xi64>) -> tensor<4096xi64>
  %q = stablehlo.convert %r : (tensor<4096xi64>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<14.5> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<10.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<19.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<14.275603021619608> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<14.724396978380392> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<211.99248762696863> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<225.00751237303137> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<10.18> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<18.82> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, i64 in [-4611686018427387904, 4611686018427387909)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<-4611686018427387904> : tensor<i64>
  %b = stablehlo.constant dense<4611686018427387909> : tensor<i64>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i64>, tensor<i64>, tensor<1xi64>) -> tensor<4096xi64>
  %q = stablehlo.convert %r : (tensor<4096xi64>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<0.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-4.611686018427388e+18> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<4.611686018427388e+18> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<-2.0801235657477232e+17> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<2.0801235657477232e+17> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<6.258448480153979e+36> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<7.919983474885123e+36> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<-4.427218577690292e+18> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<4.427218577690292e+18> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, ui64 in [5, 18446744073709551614)
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<5> : tensor<ui64>
  %b = stablehlo.constant dense<18446744073709551614> : tensor<ui64>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<ui64>, tensor<ui64>, tensor<1xi64>) -> tensor<4096xui64>
  %q = stablehlo.convert %r : (tensor<4096xui64>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<9.223372036854776e+18> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<5.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<1.8446744073709552e+19> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<8.807347323705231e+18> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<9.63939675000432e+18> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<1.0575315422850474e+38> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<1.2110175705212089e+38> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<3.6893488147419104e+17> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<1.807780919223536e+19> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, bounds and shape of the run, f32 in [-1, 3)
# run: opt -q %s -o %t/a.onnx
# run: run %s --shape x=7 --shape y=4096 --print 1
# run: run %t/a.onnx --shape x=7 --shape y=4096 --print 1
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i1> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ka = stablehlo.convert %k : (tensor<i32>) -> tensor<f32>
  %c = stablehlo.constant dense<-1.0> : tensor<f32>
  %d = stablehlo.constant dense<3.0> : tensor<f32>
  %zero = stablehlo.constant dense<7.0> : tensor<f32>
  %e = stablehlo.subtract %ka, %zero : tensor<f32>
  %a = stablehlo.add %c, %e : tensor<f32>
  %b = stablehlo.add %d, %e : tensor<f32>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %q = stablehlo.convert %r : (tensor<?xf32>) -> tensor<?xf64>
  %rm = stablehlo.constant dense<1.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<?xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-1.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<3.0> : tensor<f64>
  %t2 = stablehlo.compare LT, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<0.909789020439121> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<1.090210979560879> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<2.152911374211576> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<2.513755292455092> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<-0.92> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<2.92> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, bounds and shape of the run, f16 in [-2, 5)
# run: opt -q %s -o %t/a.onnx
# run: run %s --shape x=7 --shape y=4096 --print 1
# run: run %t/a.onnx --shape x=7 --shape y=4096 --print 1
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i1> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ka = stablehlo.convert %k : (tensor<i32>) -> tensor<f16>
  %c = stablehlo.constant dense<-2.0> : tensor<f16>
  %d = stablehlo.constant dense<5.0> : tensor<f16>
  %zero = stablehlo.constant dense<7.0> : tensor<f16>
  %e = stablehlo.subtract %ka, %zero : tensor<f16>
  %a = stablehlo.add %c, %e : tensor<f16>
  %b = stablehlo.add %d, %e : tensor<f16>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f16>, tensor<f16>, tensor<1xi32>) -> tensor<?xf16>
  %q = stablehlo.convert %r : (tensor<?xf16>) -> tensor<?xf64>
  %rm = stablehlo.constant dense<1.5> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<?xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-2.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<5.0> : tensor<f64>
  %t2 = stablehlo.compare LT, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<1.3421307857684617> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<1.6578692142315383> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<5.854817708333334> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<6.811848958333334> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<-1.8599999999999999> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<4.86> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, bounds and shape of the run, bf16 in [3, 4)
# run: opt -q %s -o %t/a.onnx
# run: run %s --shape x=7 --shape y=4096 --print 1
# run: run %t/a.onnx --shape x=7 --shape y=4096 --print 1
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i1> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ka = stablehlo.convert %k : (tensor<i32>) -> tensor<bf16>
  %c = stablehlo.constant dense<3.0> : tensor<bf16>
  %d = stablehlo.constant dense<4.0> : tensor<bf16>
  %zero = stablehlo.constant dense<7.0> : tensor<bf16>
  %e = stablehlo.subtract %ka, %zero : tensor<bf16>
  %a = stablehlo.add %c, %e : tensor<bf16>
  %b = stablehlo.add %d, %e : tensor<bf16>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<bf16>, tensor<bf16>, tensor<1xi32>) -> tensor<?xbf16>
  %q = stablehlo.convert %r : (tensor<?xbf16>) -> tensor<?xf64>
  %rm = stablehlo.constant dense<3.5> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<?xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<3.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<4.0> : tensor<f64>
  %t2 = stablehlo.compare LT, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<3.47744725510978> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<3.52255274489022> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<12.175464119101795> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<12.491202547564873> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<3.02> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<3.98> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, bounds and shape of the run, i8 in [-20, 30)
# run: opt -q %s -o %t/a.onnx
# run: run %s --shape x=7 --shape y=4096 --print 1
# run: run %t/a.onnx --shape x=7 --shape y=4096 --print 1
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i1> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ka = stablehlo.convert %k : (tensor<i32>) -> tensor<i8>
  %c = stablehlo.constant dense<-20> : tensor<i8>
  %d = stablehlo.constant dense<30> : tensor<i8>
  %zero = stablehlo.constant dense<7> : tensor<i8>
  %e = stablehlo.subtract %ka, %zero : tensor<i8>
  %a = stablehlo.add %c, %e : tensor<i8>
  %b = stablehlo.add %d, %e : tensor<i8>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<1xi32>) -> tensor<?xi8>
  %q = stablehlo.convert %r : (tensor<?xi8>) -> tensor<?xf64>
  %rm = stablehlo.constant dense<4.5> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<?xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-20.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<29.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<3.372588305495171> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<5.627411694504829> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<204.095703125> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<252.904296875> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<-19.02> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<28.02> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, bounds and shape of the run, ui32 in [1, 9)
# run: opt -q %s -o %t/a.onnx
# run: run %s --shape x=7 --shape y=4096 --print 1
# run: run %t/a.onnx --shape x=7 --shape y=4096 --print 1
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i1> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ka = stablehlo.convert %k : (tensor<i32>) -> tensor<ui32>
  %c = stablehlo.constant dense<1> : tensor<ui32>
  %d = stablehlo.constant dense<9> : tensor<ui32>
  %zero = stablehlo.constant dense<7> : tensor<ui32>
  %e = stablehlo.subtract %ka, %zero : tensor<ui32>
  %a = stablehlo.add %c, %e : tensor<ui32>
  %b = stablehlo.add %d, %e : tensor<ui32>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<ui32>, tensor<ui32>, tensor<1xi32>) -> tensor<?xui32>
  %q = stablehlo.convert %r : (tensor<?xui32>) -> tensor<?xf64>
  %rm = stablehlo.constant dense<4.5> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<?xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<1.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<8.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<4.320993136915788> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<4.679006863084212> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<23.888938232242086> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<27.111061767757914> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<1.1400000000000001> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<7.86> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, bounds and shape of the run, i64 in [-10, 20)
# run: opt -q %s -o %t/a.onnx
# run: run %s --shape x=7 --shape y=4096 --print 1
# run: run %t/a.onnx --shape x=7 --shape y=4096 --print 1
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i1> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ka = stablehlo.convert %k : (tensor<i32>) -> tensor<i64>
  %c = stablehlo.constant dense<-10> : tensor<i64>
  %d = stablehlo.constant dense<20> : tensor<i64>
  %zero = stablehlo.constant dense<7> : tensor<i64>
  %e = stablehlo.subtract %ka, %zero : tensor<i64>
  %a = stablehlo.add %c, %e : tensor<i64>
  %b = stablehlo.add %d, %e : tensor<i64>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i64>, tensor<i64>, tensor<1xi32>) -> tensor<?xi64>
  %q = stablehlo.convert %r : (tensor<?xi64>) -> tensor<?xf64>
  %rm = stablehlo.constant dense<4.5> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<?xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-10.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<19.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<3.8237936368438135> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<5.1762063631561865> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<86.38736979166666> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<103.94596354166666> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<-9.42> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<18.42> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
uniform, bounds and shape of the run, ui64 in [0, 9223372036854775816)
# run: opt -q %s -o %t/a.onnx
# run: run %s --shape x=7 --shape y=4096 --print 1
# run: run %t/a.onnx --shape x=7 --shape y=4096 --print 1
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i1> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ka = stablehlo.convert %k : (tensor<i32>) -> tensor<ui64>
  %c = stablehlo.constant dense<0> : tensor<ui64>
  %d = stablehlo.constant dense<9223372036854775816> : tensor<ui64>
  %zero = stablehlo.constant dense<7> : tensor<ui64>
  %e = stablehlo.subtract %ka, %zero : tensor<ui64>
  %a = stablehlo.add %c, %e : tensor<ui64>
  %b = stablehlo.add %d, %e : tensor<ui64>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<ui64>, tensor<ui64>, tensor<1xi32>) -> tensor<?xui64>
  %q = stablehlo.convert %r : (tensor<?xui64>) -> tensor<?xf64>
  %rm = stablehlo.constant dense<4.611686018427388e+18> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<?xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<0.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<9.223372036854776e+18> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<4.4036736618526157e+18> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<4.81969837500216e+18> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<2.6438288557126185e+37> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<3.0275439263030223e+37> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l7 = stablehlo.constant dense<1.8446744073709552e+17> : tensor<f64>
  %t7 = stablehlo.compare LE, %min, %l7 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l8 = stablehlo.constant dense<9.03890459611768e+18> : tensor<f64>
  %t8 = stablehlo.compare GE, %max, %l8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  %u7 = stablehlo.and %u6, %t7 : tensor<i1>
  %u8 = stablehlo.and %u7, %t8 : tensor<i1>
  return %u8 : tensor<i1>
}
---
u8 bool[] 1
u8 bool[] 1
====
normal, f32
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.constant dense<0.5> : tensor<f32>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4096xf32>
  %q = stablehlo.convert %r : (tensor<4096xf32>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<2.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-1.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<5.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<1.9609375> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<2.0390625> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<4.09375> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<4.40625> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  return %u6 : tensor<i1>
}
---
u6 bool[] 1
u6 bool[] 1
====
normal, f64
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<2.0> : tensor<f64>
  %b = stablehlo.constant dense<0.5> : tensor<f64>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<4096xf64>
  %q = stablehlo.add %r, %r : tensor<4096xf64>
  %rm = stablehlo.constant dense<4.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-2.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<10.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<3.921875> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<4.078125> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<16.375> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<17.625> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  return %u6 : tensor<i1>
}
---
u6 bool[] 1
u6 bool[] 1
====
normal, bf16
# run: opt -q %s -o %t/a.onnx
# run: run %s --print 1
# run: run %t/a.onnx --print 1
# file: input.mlir
---
func.func @main() -> tensor<i1> {
  %a = stablehlo.constant dense<2.0> : tensor<bf16>
  %b = stablehlo.constant dense<0.5> : tensor<bf16>
  %s = stablehlo.constant dense<4096> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<bf16>, tensor<bf16>, tensor<1xi64>) -> tensor<4096xbf16>
  %q = stablehlo.convert %r : (tensor<4096xbf16>) -> tensor<4096xf64>
  %rm = stablehlo.constant dense<2.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<4096xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-1.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<5.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<1.9609375> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<2.0390625> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<4.09375> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<4.40625> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  return %u6 : tensor<i1>
}
---
u6 bool[] 1
u6 bool[] 1
====
normal, bounds and shape of the run, f32
# run: opt -q %s -o %t/a.onnx
# run: run %s --shape x=7 --shape y=4096 --print 1
# run: run %t/a.onnx --shape x=7 --shape y=4096 --print 1
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i1> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ka = stablehlo.convert %k : (tensor<i32>) -> tensor<f32>
  %c = stablehlo.constant dense<-1.0> : tensor<f32>
  %d = stablehlo.constant dense<3.0> : tensor<f32>
  %zero = stablehlo.constant dense<7.0> : tensor<f32>
  %e = stablehlo.subtract %ka, %zero : tensor<f32>
  %a = stablehlo.add %c, %e : tensor<f32>
  %b = stablehlo.add %d, %e : tensor<f32>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %q = stablehlo.convert %r : (tensor<?xf32>) -> tensor<?xf64>
  %rm = stablehlo.constant dense<-1.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<?xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-19.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<17.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<-1.234375> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<-0.765625> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<8.9453125> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<11.0546875> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  return %u6 : tensor<i1>
}
---
u6 bool[] 1
u6 bool[] 1
====
normal, bounds and shape of the run, f16
# run: opt -q %s -o %t/a.onnx
# run: run %s --shape x=7 --shape y=4096 --print 1
# run: run %t/a.onnx --shape x=7 --shape y=4096 --print 1
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<i1> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ka = stablehlo.convert %k : (tensor<i32>) -> tensor<f16>
  %c = stablehlo.constant dense<-1.0> : tensor<f16>
  %d = stablehlo.constant dense<3.0> : tensor<f16>
  %zero = stablehlo.constant dense<7.0> : tensor<f16>
  %e = stablehlo.subtract %ka, %zero : tensor<f16>
  %a = stablehlo.add %c, %e : tensor<f16>
  %b = stablehlo.add %d, %e : tensor<f16>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f16>, tensor<f16>, tensor<1xi32>) -> tensor<?xf16>
  %q = stablehlo.convert %r : (tensor<?xf16>) -> tensor<?xf64>
  %rm = stablehlo.constant dense<-1.0> : tensor<f64>
  %o = stablehlo.constant dense<0.0> : tensor<f64>
  %pi = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %ni = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %sum = stablehlo.reduce(%q init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %sq = stablehlo.multiply %q, %q : tensor<?xf64>
  %sum2 = stablehlo.reduce(%sq init: %o) applies stablehlo.add across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %min = stablehlo.reduce(%q init: %pi) applies stablehlo.minimum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %max = stablehlo.reduce(%q init: %ni) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %inv = stablehlo.constant dense<0.000244140625> : tensor<f64>
  %mean = stablehlo.multiply %sum, %inv : tensor<f64>
  %mean2 = stablehlo.multiply %sum2, %inv : tensor<f64>
  %l1 = stablehlo.constant dense<-19.0> : tensor<f64>
  %t1 = stablehlo.compare GE, %min, %l1 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l2 = stablehlo.constant dense<17.0> : tensor<f64>
  %t2 = stablehlo.compare LE, %max, %l2 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l3 = stablehlo.constant dense<-1.234375> : tensor<f64>
  %t3 = stablehlo.compare GE, %mean, %l3 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l4 = stablehlo.constant dense<-0.765625> : tensor<f64>
  %t4 = stablehlo.compare LE, %mean, %l4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l5 = stablehlo.constant dense<8.9453125> : tensor<f64>
  %t5 = stablehlo.compare GE, %mean2, %l5 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %l6 = stablehlo.constant dense<11.0546875> : tensor<f64>
  %t6 = stablehlo.compare LE, %mean2, %l6 : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %u2 = stablehlo.and %t1, %t2 : tensor<i1>
  %u3 = stablehlo.and %u2, %t3 : tensor<i1>
  %u4 = stablehlo.and %u3, %t4 : tensor<i1>
  %u5 = stablehlo.and %u4, %t5 : tensor<i1>
  %u6 = stablehlo.and %u5, %t6 : tensor<i1>
  return %u6 : tensor<i1>
}
---
u6 bool[] 1
u6 bool[] 1

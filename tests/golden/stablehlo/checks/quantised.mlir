// Quantised tensors: real = (stored - zero point) * scale.
!q = !quant.uniform<i8:f32, 0.5:-2>

// Halves go to even, the range saturates, NaN is told nothing about.
func.func @quantize() {
  %x = stablehlo.constant dense<[0.0, 0.25, 0.75, -0.25, 1000.0, -1000.0]> : tensor<6xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<6xf32>) -> tensor<6x!q>
  %i = stablehlo.bitcast_convert %q : (tensor<6x!q>) -> tensor<6xi8>
  check.expect_eq_const %i, dense<[-2, -2, 0, -2, 127, -128]> : tensor<6xi8>
  func.return
}

// -----

// A narrow range and unsigned storage.
func.func @narrow() {
  %x = stablehlo.constant dense<[-9.0, 1.0, 9.0]> : tensor<3xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8<-3:4>:f32, 1.0>>
  %i = stablehlo.bitcast_convert %q : (tensor<3x!quant.uniform<i8<-3:4>:f32, 1.0>>) -> tensor<3xi8>
  check.expect_eq_const %i, dense<[-3, 1, 4]> : tensor<3xi8>
  %u = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<u8:f32, 0.0625:128>>
  %j = stablehlo.bitcast_convert %u : (tensor<3x!quant.uniform<u8:f32, 0.0625:128>>) -> tensor<3xui8>
  check.expect_eq_const %j, dense<[0, 144, 255]> : tensor<3xui8>
  func.return
}

// -----

// Four bits, sixteen bits, other expressed types.
func.func @widths() {
  %x = stablehlo.constant dense<[-100.0, -1.0, 3.0]> : tensor<3xf32>
  %a = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i4:f32, 1.0:1>>
  %ai = stablehlo.bitcast_convert %a : (tensor<3x!quant.uniform<i4:f32, 1.0:1>>) -> tensor<3xi4>
  check.expect_eq_const %ai, dense<[-8, 0, 4]> : tensor<3xi4>
  %h = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xbf16>
  %b = stablehlo.uniform_quantize %h : (tensor<3xbf16>) -> tensor<3x!quant.uniform<i16:bf16, 0.25>>
  %bf = stablehlo.uniform_dequantize %b : (tensor<3x!quant.uniform<i16:bf16, 0.25>>) -> tensor<3xbf16>
  check.expect_eq_const %bf, dense<[-100.0, -1.0, 3.0]> : tensor<3xbf16>
  %d = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xf64>
  %c = stablehlo.uniform_quantize %d : (tensor<3xf64>) -> tensor<3x!quant.uniform<i32:f64, 0.125:5>>
  %ci = stablehlo.bitcast_convert %c : (tensor<3x!quant.uniform<i32:f64, 0.125:5>>) -> tensor<3xi32>
  check.expect_eq_const %ci, dense<[-795, -3, 29]> : tensor<3xi32>
  func.return
}

// -----

// One pair an index of an axis; a transpose moves the axis.
func.func @per_axis() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:10}>>
  %i = stablehlo.bitcast_convert %q : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:10}>>) -> tensor<2x3xi8>
  check.expect_eq_const %i, dense<[[2, 4, 6], [14, 18, 22]]> : tensor<2x3xi8>
  %t = stablehlo.transpose %q, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25:10}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:10}>>
  %r = stablehlo.uniform_dequantize %t : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25:10}>>) -> tensor<3x2xf32>
  check.expect_eq_const %r, dense<[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]> : tensor<3x2xf32>
  func.return
}

// -----

!a = !quant.uniform<i8:f32, 0.5:-2>
!b = !quant.uniform<i8:f32, 0.25:4>

// Operands and result of different scales; comparison looks at the real numbers.
func.func @arithmetic() {
  %x = stablehlo.constant dense<[1.0, -2.0, 5.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[1.0, 3.0, -0.5]> : tensor<3xf32>
  %p = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!a>
  %q = stablehlo.uniform_quantize %y : (tensor<3xf32>) -> tensor<3x!b>
  %s = stablehlo.add %p, %q : (tensor<3x!a>, tensor<3x!b>) -> tensor<3x!a>
  %sf = stablehlo.uniform_dequantize %s : (tensor<3x!a>) -> tensor<3xf32>
  check.expect_eq_const %sf, dense<[2.0, 1.0, 4.5]> : tensor<3xf32>
  %m = stablehlo.multiply %p, %q : (tensor<3x!a>, tensor<3x!b>) -> tensor<3x!b>
  %mf = stablehlo.uniform_dequantize %m : (tensor<3x!b>) -> tensor<3xf32>
  check.expect_eq_const %mf, dense<[1.0, -6.0, -2.5]> : tensor<3xf32>
  %c = stablehlo.compare EQ, %p, %q : (tensor<3x!a>, tensor<3x!b>) -> tensor<3xi1>
  check.expect_eq_const %c, dense<[true, false, false]> : tensor<3xi1>
  %z = stablehlo.select %c, %p, %q : (tensor<3xi1>, tensor<3x!a>, tensor<3x!b>) -> tensor<3x!a>
  %zf = stablehlo.uniform_dequantize %z : (tensor<3x!a>) -> tensor<3xf32>
  check.expect_eq_const %zf, dense<[1.0, 3.0, -0.5]> : tensor<3xf32>
  %n = stablehlo.negate %p : tensor<3x!a>
  %nf = stablehlo.uniform_dequantize %n : (tensor<3x!a>) -> tensor<3xf32>
  check.expect_eq_const %nf, dense<[-1.0, 2.0, -5.0]> : tensor<3xf32>
  %w = stablehlo.uniform_quantize %p : (tensor<3x!a>) -> tensor<3x!b>
  %wi = stablehlo.bitcast_convert %w : (tensor<3x!b>) -> tensor<3xi8>
  check.expect_eq_const %wi, dense<[8, -4, 24]> : tensor<3xi8>
  func.return
}

// -----

!a = !quant.uniform<i8:f32, 0.5:1>

// Elements are moved as they are stored; a region sees quantised scalars.
func.func @moves() {
  %i = stablehlo.constant dense<[[1, 2, 3], [4, 5, 7]]> : tensor<2x3xi8>
  %x = stablehlo.bitcast_convert %i : (tensor<2x3xi8>) -> tensor<2x3x!a>
  %r = stablehlo.reshape %x : (tensor<2x3x!a>) -> tensor<3x2x!a>
  %v = stablehlo.reverse %r, dims = [0] : tensor<3x2x!a>
  %s = stablehlo.slice %v [0:2, 0:2] : (tensor<3x2x!a>) -> tensor<2x2x!a>
  %c = stablehlo.concatenate %s, %s, dim = 1 : (tensor<2x2x!a>, tensor<2x2x!a>) -> tensor<2x4x!a>
  %b = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<2x4x!a>) -> tensor<2x4x1x!a>
  %ci = stablehlo.bitcast_convert %b : (tensor<2x4x1x!a>) -> tensor<2x4x1xi8>
  check.expect_eq_const %ci, dense<[[[5], [7], [5], [7]], [[3], [4], [3], [4]]]> : tensor<2x4x1xi8>
  %zi = stablehlo.constant dense<1> : tensor<i8>
  %z = stablehlo.bitcast_convert %zi : (tensor<i8>) -> tensor<!a>
  %p = stablehlo.pad %s, %z, low = [0, 1], high = [0, 0], interior = [1, 0] : (tensor<2x2x!a>, tensor<!a>) -> tensor<3x3x!a>
  %pi = stablehlo.bitcast_convert %p : (tensor<3x3x!a>) -> tensor<3x3xi8>
  check.expect_eq_const %pi, dense<[[1, 5, 7], [1, 1, 1], [1, 3, 4]]> : tensor<3x3xi8>
  %sum = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3x!a>, tensor<!a>) -> tensor<2x!a>
  %sumf = stablehlo.uniform_dequantize %sum : (tensor<2x!a>) -> tensor<2xf32>
  check.expect_eq_const %sumf, dense<[1.5, 6.5]> : tensor<2xf32>
  %o = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<!a>, %m: tensor<!a>):
    %g = stablehlo.compare GT, %l, %m : (tensor<!a>, tensor<!a>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }) : (tensor<2x3x!a>) -> tensor<2x3x!a>
  %oi = stablehlo.bitcast_convert %o : (tensor<2x3x!a>) -> tensor<2x3xi8>
  check.expect_eq_const %oi, dense<[[3, 2, 1], [7, 5, 4]]> : tensor<2x3xi8>
  func.return
}

// -----

!a = !quant.uniform<i8:f32, 0.5:1>
!w = !quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25}>
!o = !quant.uniform<i32:f32, 0.125>

// Products: both quantised, and weights alone (hybrid).
func.func @products() {
  %x = stablehlo.constant dense<[[1.0, -2.0], [0.5, 3.0]]> : tensor<2x2xf32>
  %k = stablehlo.constant dense<[[1.0, 2.0], [-1.5, 0.25]]> : tensor<2x2xf32>
  %xq = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!a>
  %kq = stablehlo.uniform_quantize %k : (tensor<2x2xf32>) -> tensor<2x2x!w>
  %q = stablehlo.dot_general %xq, %kq, contracting_dims = [1] x [0] : (tensor<2x2x!a>, tensor<2x2x!w>) -> tensor<2x2x!o>
  %i = stablehlo.bitcast_convert %q : (tensor<2x2x!o>) -> tensor<2x2xi32>
  check.expect_eq_const %i, dense<[[32, 12], [-32, 14]]> : tensor<2x2xi32>
  %h = stablehlo.dot_general %x, %kq, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2x!w>) -> tensor<2x2xf32>
  check.expect_eq_const %h, dense<[[4.0, 1.5], [-4.0, 1.75]]> : tensor<2x2xf32>
  func.return
}

// -----

!a = !quant.uniform<i8:f32, 0.5:1>

// Through control flow and calls.
func.func private @twice(%x: tensor<2x!a>) -> tensor<2x!a> {
  %y = stablehlo.add %x, %x : tensor<2x!a>
  func.return %y : tensor<2x!a>
}
func.func @main() {
  %x = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!a>
  %p = stablehlo.constant dense<true> : tensor<i1>
  %z = "stablehlo.if"(%p) ({
    %t = func.call @twice(%q) : (tensor<2x!a>) -> tensor<2x!a>
    stablehlo.return %t : tensor<2x!a>
  }, {
    stablehlo.return %q : tensor<2x!a>
  }) : (tensor<i1>) -> tensor<2x!a>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %s = %z) : tensor<i32>, tensor<2x!a>
   cond {
    %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %i2 = stablehlo.add %i, %one : tensor<i32>
    %s2 = func.call @twice(%s) : (tensor<2x!a>) -> tensor<2x!a>
    stablehlo.return %i2, %s2 : tensor<i32>, tensor<2x!a>
  }
  %f = stablehlo.uniform_dequantize %r#1 : (tensor<2x!a>) -> tensor<2xf32>
  check.expect_eq_const %f, dense<[8.0, -16.0]> : tensor<2xf32>
  func.return
}

// -----

// Weights: stored integers under a quantised type.
func.func @constants() {
  %w = "stablehlo.constant"() <{value = dense<[1, -2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  %r = stablehlo.uniform_dequantize %w : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[0.0, -1.5]> : tensor<2xf32>
  func.return
}

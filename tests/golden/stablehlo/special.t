# Tolerances: hone's own fits against the C library's functions, both in f64, differ in the last bits; a form of f32 or worse shows.
# special functions of f32, sizes open
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && hone opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<?x9xf32>) -> (tensor<?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>) {
  %0 = chlo.lgamma %x : tensor<?x9xf32> -> tensor<?x9xf32>
  %1 = chlo.digamma %x : tensor<?x9xf32> -> tensor<?x9xf32>
  %2 = chlo.erf_inv %x : tensor<?x9xf32> -> tensor<?x9xf32>
  %3 = chlo.bessel_i1e %x : tensor<?x9xf32> -> tensor<?x9xf32>
  return %0, %1, %2, %3 : tensor<?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>, tensor<?x9xf32>
}
---
same
====
# special functions of f64, sizes open
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && hone opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<?x9xf64>) -> (tensor<?x9xf64>, tensor<?x9xf64>, tensor<?x9xf64>, tensor<?x9xf64>) {
  %0 = chlo.lgamma %x : tensor<?x9xf64> -> tensor<?x9xf64>
  %1 = chlo.digamma %x : tensor<?x9xf64> -> tensor<?x9xf64>
  %2 = chlo.erf_inv %x : tensor<?x9xf64> -> tensor<?x9xf64>
  %3 = chlo.bessel_i1e %x : tensor<?x9xf64> -> tensor<?x9xf64>
  return %0, %1, %2, %3 : tensor<?x9xf64>, tensor<?x9xf64>, tensor<?x9xf64>, tensor<?x9xf64>
}
---
same
====
# special functions of bf16, sizes open
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && hone opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<?x9xbf16>) -> (tensor<?x9xbf16>, tensor<?x9xbf16>, tensor<?x9xbf16>, tensor<?x9xbf16>) {
  %0 = chlo.lgamma %x : tensor<?x9xbf16> -> tensor<?x9xbf16>
  %1 = chlo.digamma %x : tensor<?x9xbf16> -> tensor<?x9xbf16>
  %2 = chlo.erf_inv %x : tensor<?x9xbf16> -> tensor<?x9xbf16>
  %3 = chlo.bessel_i1e %x : tensor<?x9xbf16> -> tensor<?x9xbf16>
  return %0, %1, %2, %3 : tensor<?x9xbf16>, tensor<?x9xbf16>, tensor<?x9xbf16>, tensor<?x9xbf16>
}
---
same
====
# zeta, polygamma
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && hone opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<30xf32>, %y: tensor<30xf32>) -> (tensor<30xf32>, tensor<30xf32>) {
  %0 = chlo.zeta %x, %y : tensor<30xf32>, tensor<30xf32> -> tensor<30xf32>
  %1 = chlo.polygamma %x, %y : tensor<30xf32>, tensor<30xf32> -> tensor<30xf32>
  return %0, %1 : tensor<30xf32>, tensor<30xf32>
}
---
same
====
# next_after has bits: no ONNX before opset 26
# run: opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<30xf32>, %y: tensor<30xf32>) -> tensor<30xf32> {
  %0 = chlo.next_after %x, %y : tensor<30xf32>, tensor<30xf32> -> tensor<30xf32>
  return %0 : tensor<30xf32>
}
---
same
====
# mulhi of i8
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && hone opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<30xi8>, %y: tensor<30xi8>) -> tensor<30xi8> {
  %0 = chlo.mulhi %x, %y : tensor<30xi8>, tensor<30xi8> -> tensor<30xi8>
  return %0 : tensor<30xi8>
}
---
same
====
# mulhi of ui32
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && hone opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<30xui32>, %y: tensor<30xui32>) -> tensor<30xui32> {
  %0 = chlo.mulhi %x, %y : tensor<30xui32>, tensor<30xui32> -> tensor<30xui32>
  return %0 : tensor<30xui32>
}
---
same
====
# mulhi of i64
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && hone opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<30xi64>, %y: tensor<30xi64>) -> tensor<30xi64> {
  %0 = chlo.mulhi %x, %y : tensor<30xi64>, tensor<30xi64> -> tensor<30xi64>
  return %0 : tensor<30xi64>
}
---
same
====
# scan
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && hone opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>, %c: tensor<4xf32>) -> (tensor<4x3xf32>, tensor<4xf32>) {
  %0:2 = chlo.scan(%x, %y) inits(%c) dimension=1 attributes {is_reverse = true} {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %s: tensor<4xf32>):
    %1 = stablehlo.multiply %a, %b : tensor<4xf32>
    %2 = stablehlo.add %1, %s : tensor<4xf32>
    %3 = stablehlo.tanh %2 : tensor<4xf32>
    stablehlo.return %3, %2 : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> (tensor<4x3xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<4xf32>
}
---
same
====
# rng_bit_generator, the same bits: THREE_FRY_ui32_3x5_2
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && echo same
# file: input.mlir
---
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  return %0, %1 : tensor<2xui64>, tensor<3x5xui32>
}
---
same
====
# rng_bit_generator, the same bits: THREE_FRY_ui64_7_3
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && echo same
# file: input.mlir
---
func.func @main(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui64>)
  return %0, %1 : tensor<3xui64>, tensor<7xui64>
}
---
same
====
# rng_bit_generator, the same bits: THREE_FRY_i8_4x3_2
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && echo same
# file: input.mlir
---
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xi8>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xi8>)
  return %0, %1 : tensor<2xui64>, tensor<4x3xi8>
}
---
same
====
# rng_bit_generator, the same bits: PHILOX_ui32_7x3_3
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && echo same
# file: input.mlir
---
func.func @main(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<7x3xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7x3xui32>)
  return %0, %1 : tensor<3xui64>, tensor<7x3xui32>
}
---
same
====
# rng_bit_generator, the same bits: DEFAULT_ui64_7_3
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && echo same
# file: input.mlir
---
func.func @main(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<7xui64>)
  return %0, %1 : tensor<3xui64>, tensor<7xui64>
}
---
same
====
# rng_bit_generator, the same bits: PHILOX_ui16__2
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && echo same
# file: input.mlir
---
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
  return %0, %1 : tensor<2xui64>, tensor<ui16>
}
---
same
====
# rng_bit_generator, the same bits: PHILOX_ui32_0x4_2
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && echo same
# file: input.mlir
---
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<0x4xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x4xui32>)
  return %0, %1 : tensor<2xui64>, tensor<0x4xui32>
}
---
same
====
# functions of two operands of different shapes
# run: opt -q %s -o %t/a.onnx && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.onnx > %t/v && hone opt -q %s -o %t/a.mlirbc && hone verify -q --rtol 1e-12 --atol 1e-14 %s %t/a.mlirbc > %t/v && echo same
# file: input.mlir
---
func.func @main(%x: tensor<4x3xf32>, %y: tensor<3xf32>, %z: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = chlo.broadcast_zeta %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = chlo.broadcast_polygamma %z, %x {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}
---
same
====
# complex numbers of parts of different shapes, and their conjugates, in bytecode
# run: opt -q %s -o %t/a.mlirbc && hone verify -q %s %t/a.mlirbc > %t/v && hone convert -q %t/a.mlirbc -t stablehlo -o -
# file: input.mlir
---
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %z: tensor<2xf32>, %s: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) {
  %0 = chlo.broadcast_complex %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  %1 = chlo.conj %0 : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %2 = chlo.broadcast_complex %z, %x {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  %3 = stablehlo.multiply %1, %2 : tensor<2x3xcomplex<f32>>
  %4 = chlo.broadcast_next_after %x, %s : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %4, %1, %3 : tensor<2x3xf32>, tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %z: tensor<2xf32>, %s: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) {
    %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.complex %x, %0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
    %2 = stablehlo.real %1 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %3 = stablehlo.imag %1 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %4 = stablehlo.negate %3 : tensor<2x3xf32>
    %5 = stablehlo.complex %2, %4 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
    %6 = stablehlo.broadcast_in_dim %z, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %7 = stablehlo.complex %6, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
    %8 = stablehlo.multiply %5, %7 : tensor<2x3xcomplex<f32>>
    %9 = stablehlo.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %10 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %11 = stablehlo.compare LT, %x, %10, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %12 = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %13 = stablehlo.compare GT, %x, %12, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %14 = stablehlo.compare EQ, %11, %13, UNSIGNED : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    %15 = stablehlo.constant dense<1> : tensor<2x3xi32>
    %16 = stablehlo.constant dense<-1> : tensor<2x3xi32>
    %17 = stablehlo.select %14, %15, %16 : (tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %18 = stablehlo.add %9, %17 : tensor<2x3xi32>
    %19 = stablehlo.bitcast_convert %18 : (tensor<2x3xi32>) -> tensor<2x3xf32>
    %20 = stablehlo.constant dense<1> : tensor<i32>
    %21 = stablehlo.constant dense<-2147483647> : tensor<i32>
    %22 = stablehlo.constant dense<0.0> : tensor<f32>
    %23 = stablehlo.compare LT, %s, %22, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %24 = stablehlo.select %23, %21, %20 : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %25 = stablehlo.bitcast_convert %24 : (tensor<i32>) -> tensor<f32>
    %26 = stablehlo.compare EQ, %x, %12, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %27 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %28 = stablehlo.select %26, %27, %19 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %29 = stablehlo.compare EQ, %x, %10, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %30 = stablehlo.select %29, %10, %28 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %31 = stablehlo.compare NE, %s, %s, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %32 = stablehlo.compare NE, %x, %x, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %33 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<i1>) -> tensor<2x3xi1>
    %34 = stablehlo.or %32, %33 : tensor<2x3xi1>
    %35 = stablehlo.constant dense<0x7FC00000> : tensor<2x3xf32>
    %36 = stablehlo.select %34, %35, %30 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %36, %5, %8 : tensor<2x3xf32>, tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>
  }
}
====
# a broadcast whose shapes do not go together
# run: run %s
# stderr: operands whose shapes do not go together
# file: input.mlir
# exit: 3
---
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2xf32>) -> tensor<2x3xcomplex<f32>> {
  %0 = chlo.broadcast_complex %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xcomplex<f32>>
  return %0 : tensor<2x3xcomplex<f32>>
}
====
# complex numbers
# file: m.mlir
# run: run %s
---
func.func @main() -> (tensor<2xcomplex<f32>>, tensor<complex<f64>>) {
  %0 = stablehlo.constant dense<[(1.5, -2.0), (0.0, 3.0)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<(-1.0, 0.25)> : tensor<complex<f64>>
  return %0, %1 : tensor<2xcomplex<f32>>, tensor<complex<f64>>
}
---
 complex64[2] 1.5-2i 0+3i
 complex128[] -1+0.25i
====
# zeta and polygamma far below zero, as ONNX and as bytecode
# run: opt -q %s -o %t/a.onnx && hone run %t/a.onnx --reference && hone opt -q %s -o %t/a.mlirbc && hone run %t/a.mlirbc --reference && hone run %s --reference
# file: input.mlir
---
func.func @main(%u: tensor<1xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<1xf32>
  %v = stablehlo.multiply %u, %z : tensor<1xf32>
  %w = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<1xf32>) -> tensor<3xf32>
  %c = stablehlo.constant dense<[2.0, 3.0, 4.0]> : tensor<3xf32>
  %x = stablehlo.add %w, %c : tensor<3xf32>
  %q = stablehlo.constant dense<[-1000.25, -10.25, -20.125]> : tensor<3xf32>
  %0 = chlo.zeta %x, %q : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %1 = chlo.polygamma %x, %q : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}
---
Cast_1 float32[3] 19.7382 -62.0082 4098.5
Cast_2 float32[3] 124.025 1558.54 786398
 float32[3] 19.7382 -62.0082 4098.5
 float32[3] 124.025 1558.54 786398
 float32[3] 19.7382 -62.0082 4098.5
 float32[3] 124.025 1558.54 786398

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

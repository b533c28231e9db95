# Bits of floats: the run in double, by which noise is measured, rounds where they are read.
# run: verify %s
---
func.func @main(%x: tensor<4xf32>, %z: tensor<2xcomplex<f32>>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<2xcomplex<f32>>, tensor<4x4xui8>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>
  %c = stablehlo.constant dense<2147483647> : tensor<4xi32>
  %1 = stablehlo.and %0, %c : tensor<4xi32>
  %2 = stablehlo.bitcast_convert %1 : (tensor<4xi32>) -> tensor<4xf32>
  %3 = stablehlo.add %2, %x : tensor<4xf32>
  %4 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f32>>) -> tensor<2x2xf32>
  %5 = stablehlo.bitcast_convert %4 : (tensor<2x2xf32>) -> tensor<2xcomplex<f32>>
  %6 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x4xui8>
  return %3, %4, %5, %6 : tensor<4xf32>, tensor<2x2xf32>, tensor<2xcomplex<f32>>, tensor<4x4xui8>
}
---
equal: 4 outputs over 3 input sets

func.func @main() {
  %x = stablehlo.constant dense<[0.25]> : tensor<1xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<1xf32>) -> tensor<1x!quant.uniform<i8:f32, 0.5>>
  %f = stablehlo.uniform_dequantize %q : (tensor<1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1xf32>
  check.expect_eq_const %f, dense<[0.5]> : tensor<1xf32>
  func.return
}

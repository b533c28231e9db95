// data of another size
func.func @w() {
  %d = stablehlo.constant dense<"0x1C00000000000000140028002700000020001C00180014001300040014000000000000000000F03F0000000000000001140000003000000044000000100000000000000101000000010000000200000002000000000000000300000000000000000000000200000030000000000000001000000000000000000000000200000030000000000000001000000000000000"> : tensor<144xui8>
  %c = stablehlo.constant dense<[[(0.13, 1.3), (-0.13, 0.95), (0.64, -0.7)], [(0.1, -1.27), (-0.54, -0.62), (0.36, 0.04)]]> : tensor<2x3xcomplex<f64>>
  %x = stablehlo.slice %c [0:2, 0:2] : (tensor<2x3xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
  %y = stablehlo.custom_call @ducc_fft(%d, %x) {api_version = 2 : i32} : (tensor<144xui8>, tensor<2x2xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[[(0.13, 1.3), (-0.13, 0.95), (0.64, -0.7)], [(0.1, -1.27), (-0.54, -0.62), (0.36, 0.04)]]> : tensor<2x3xcomplex<f64>>
  func.return
}

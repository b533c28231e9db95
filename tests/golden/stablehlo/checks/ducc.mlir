// Fourier transforms as JAX wrote them up to 2023, described by FlatBuffers tables. Expected values are NumPy's.
// complex, last axis
func.func @forward() {
  %d = stablehlo.constant dense<"0x1C0000000000000014002000000000001C001800140010000F00040014000000000000000000F03F00000001100000002C000000400000000C00000001000000010000000200000002000000000000000300000000000000000000000200000018000000000000000800000000000000000000000200000018000000000000000800000000000000"> : tensor<136xui8>
  %x = stablehlo.constant dense<[[(0.12999999523162842, 1.2999999523162842), (-0.12999999523162842, 0.949999988079071), (0.6399999856948853, -0.699999988079071)], [(0.10000000149011612, -1.2699999809265137), (-0.5400000214576721, -0.6200000047683716), (0.36000001430511475, 0.03999999910593033)]]> : tensor<2x3xcomplex<f32>>
  %y = stablehlo.custom_call @ducc_fft(%d, %x) {api_version = 2 : i32} : (tensor<136xui8>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  check.expect_almost_eq_const %y, dense<[[(0.6399999856948853, 1.5499999523162842), (1.3039418458938599, 1.8418395519256592), (-1.5539418458938599, 0.508160412311554)], [(-0.08000000566244125, -1.850000023841858), (-0.3815767765045166, -0.20057708024978638), (0.761576771736145, -1.7594228982925415)]]> : tensor<2x3xcomplex<f32>>
  func.return
}

// -----

// complex, both axes, back
func.func @backward() {
  %d = stablehlo.constant dense<"0x1C0000000000000014002400230000001C001800140010000000040014000000555555555555C53F0000000014000000340000004800000014000000000000010200000000000000010000000200000002000000000000000300000000000000000000000200000030000000000000001000000000000000000000000200000030000000000000001000000000000000"> : tensor<144xui8>
  %x = stablehlo.constant dense<[[(0.13, 1.3), (-0.13, 0.95), (0.64, -0.7)], [(0.1, -1.27), (-0.54, -0.62), (0.36, 0.04)]]> : tensor<2x3xcomplex<f64>>
  %y = stablehlo.custom_call @pocketfft(%d, %x) {api_version = 2 : i32} : (tensor<144xui8>, tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[[(0.09333333333333332, -0.050000000000000044), (-0.132060858291099, -0.2085437373866687), (0.15372752495776568, 0.27354373738666876)], [(0.12, 0.5666666666666667), (-0.3859197804570088, 0.37793055041532947), (0.2809197804570088, 0.3404027829180038)]]> : tensor<2x3xcomplex<f64>>
  func.return
}

// -----

// what is not divided by the number of elements
func.func @unscaled() {
  %d = stablehlo.constant dense<"0x1C00000000000000140020001F0000001800140010000C000000040014000000000000000000F03F140000003000000044000000100000000000000101000000010000000200000002000000000000000300000000000000000000000200000030000000000000001000000000000000000000000200000030000000000000001000000000000000"> : tensor<136xui8>
  %x = stablehlo.constant dense<[[(0.13, 1.3), (-0.13, 0.95), (0.64, -0.7)], [(0.1, -1.27), (-0.54, -0.62), (0.36, 0.04)]]> : tensor<2x3xcomplex<f64>>
  %y = stablehlo.custom_call @ducc_fft(%d, %x) {api_version = 2 : i32} : (tensor<136xui8>, tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[[(0.6399999999999999, 1.5499999999999998), (-1.5539419162443235, 0.5081604390859823), (1.3039419162443235, 1.8418395609140177)], [(-0.08000000000000004, -1.85), (0.7615767664977295, -1.7594228634059945), (-0.38157676649772937, -0.2005771365940052)]]> : tensor<2x3xcomplex<f64>>
  func.return
}

// -----

// half of the spectrum of real numbers
func.func @from_real() {
  %d = stablehlo.constant dense<"0x1C0000000000000014002400230022001C001800140010000F00040014000000000000000000F03F0000000114000000340000004800000014000000000002010200000000000000010000000200000002000000000000000500000000000000000000000200000030000000000000001000000000000000000000000200000028000000000000000800000000000000"> : tensor<144xui8>
  %x = stablehlo.constant dense<[[-2.33, -0.22, -1.25, -0.73, -0.54], [-0.32, 0.41, 1.04, -0.13, 1.37]]> : tensor<2x5xf64>
  %y = stablehlo.custom_call @ducc_fft(%d, %x) {api_version = 2 : i32} : (tensor<144xui8>, tensor<2x5xf64>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[[(-2.7, 0.0), (-1.4691544817563598, 0.22661575643879095), (-3.8058455182436406, 0.9943692970590328)], [(-7.44, 0.0), (-0.4568440519687682, -0.22399526448351725), (-0.8481559480312317, -2.359650635473175)]]> : tensor<2x3xcomplex<f64>>
  func.return
}

// -----

// and back; an odd size
func.func @to_real() {
  %d = stablehlo.constant dense<"0x1C0000000000000014002400230022001C0018001400100000000400140000009A9999999999B93F0000000014000000340000004800000014000000000001010200000000000000010000000200000002000000000000000500000000000000000000000200000028000000000000000800000000000000000000000200000030000000000000001000000000000000"> : tensor<144xui8>
  %x = stablehlo.constant dense<[[(-2.7, 0.0), (-1.4691544817563598, 0.22661575643879095), (-3.8058455182436406, 0.9943692970590328)], [(-7.44, 0.0), (-0.4568440519687682, -0.22399526448351725), (-0.8481559480312317, -2.359650635473175)]]> : tensor<2x3xcomplex<f64>>
  %y = stablehlo.custom_call @ducc_fft(%d, %x) {api_version = 2 : i32} : (tensor<144xui8>, tensor<2x3xcomplex<f64>>) -> tensor<2x5xf64>
  check.expect_almost_eq_const %y, dense<[[-2.33, -0.21999999999999997, -1.2500000000000002, -0.7300000000000003, -0.54], [-0.3200000000000001, 0.41, 1.04, -0.1299999999999999, 1.37]]> : tensor<2x5xf64>
  func.return
}

// -----

// sizes and strides as operands
func.func @dynamic_forward() {
  %d = stablehlo.constant dense<"0x1400000000000E00140010000F000000080007000E000000000000010C00000000000001020000000100000001000000"> : tensor<48xui8>
  %x = stablehlo.constant dense<[[(0.13, 1.3), (-0.13, 0.95), (0.64, -0.7)], [(0.1, -1.27), (-0.54, -0.62), (0.36, 0.04)]]> : tensor<2x3xcomplex<f64>>
  %n = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %i = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
  %o = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
  %s = stablehlo.constant dense<1.0> : tensor<1xf64>
  %r = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %y = stablehlo.custom_call @dynamic_ducc_fft(%d, %x, %n, %i, %o, %s, %r) {api_version = 2 : i32} : (tensor<48xui8>, tensor<2x3xcomplex<f64>>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1xf64>, tensor<2xi32>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[[(0.64, 1.55), (1.3039419162443235, 1.8418395609140177), (-1.5539419162443235, 0.5081604390859823)], [(-0.08000000000000004, -1.85), (-0.3815767664977294, -0.20057713659400522), (0.7615767664977295, -1.7594228634059947)]]> : tensor<2x3xcomplex<f64>>
  func.return
}

// -----

// half of a spectrum
func.func @dynamic_from_real() {
  %d = stablehlo.constant dense<"0x1400000000000E00140010000F000E00080007000E000000000000010C00000000000201020000000100000001000000"> : tensor<48xui8>
  %x = stablehlo.constant dense<[[-2.33, -0.22, -1.25, -0.73, -0.54], [-0.32, 0.41, 1.04, -0.13, 1.37]]> : tensor<2x5xf64>
  %n = stablehlo.constant dense<[2, 5]> : tensor<2xi32>
  %i = stablehlo.constant dense<[5, 1]> : tensor<2xi32>
  %o = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
  %s = stablehlo.constant dense<1.0> : tensor<1xf64>
  %r = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %y = stablehlo.custom_call @dynamic_ducc_fft(%d, %x, %n, %i, %o, %s, %r) {api_version = 2 : i32} : (tensor<48xui8>, tensor<2x5xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1xf64>, tensor<2xi32>) -> tensor<2x3xcomplex<f64>>
  check.expect_almost_eq_const %y, dense<[[(-5.07, 0.0), (-0.962999266862564, 0.001310245977636848), (-2.327000733137436, -0.6826406692070712)], [(2.37, 0.0), (-0.5061552148937958, 0.2253055104611541), (-1.4788447851062043, 1.677009966266104)]]> : tensor<2x3xcomplex<f64>>
  func.return
}

// -----

// and back, f32
func.func @dynamic_to_real() {
  %d = stablehlo.constant dense<"0x100000000C0010000C0000000B0004000C0000000C00000000000001020000000100000001000000"> : tensor<40xui8>
  %x = stablehlo.constant dense<[[(-5.070000171661377, 0.0), (-0.962999165058136, 0.0013102132361382246), (-2.327000617980957, -0.6826406717300415)], [(2.369999885559082, 0.0), (-0.5061551928520203, 0.22530554234981537), (-1.4788447618484497, 1.6770099401474)]]> : tensor<2x3xcomplex<f32>>
  %n = stablehlo.constant dense<[2, 5]> : tensor<2xi32>
  %i = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
  %o = stablehlo.constant dense<[5, 1]> : tensor<2xi32>
  %s = stablehlo.constant dense<0.2> : tensor<1xf64>
  %r = stablehlo.constant dense<[2, 5]> : tensor<2xi32>
  %y = stablehlo.custom_call @dynamic_ducc_fft(%d, %x, %n, %i, %o, %s, %r) {api_version = 2 : i32} : (tensor<40xui8>, tensor<2x3xcomplex<f32>>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1xf64>, tensor<2xi32>) -> tensor<2x5xf32>
  check.expect_almost_eq_const %y, dense<[[-2.3299999237060547, -0.2199999988079071, -1.25, -0.7300000190734863, -0.5400000214576721], [-0.3199999928474426, 0.4099999964237213, 1.0399999618530273, -0.12999999523162842, 1.3700000047683716]]> : tensor<2x5xf32>
  func.return
}

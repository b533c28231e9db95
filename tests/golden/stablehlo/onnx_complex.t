Fourier transforms of a real signal, there and back, over one dimension.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<3x10xf32>, %w: tensor<3x6xf32>) -> (tensor<3x6xf32>, tensor<3x6xf32>, tensor<3x10xf32>) {
  %f = stablehlo.fft %x, type = RFFT, length = [10] : (tensor<3x10xf32>) -> tensor<3x6xcomplex<f32>>
  %re = stablehlo.real %f : (tensor<3x6xcomplex<f32>>) -> tensor<3x6xf32>
  %im = stablehlo.imag %f : (tensor<3x6xcomplex<f32>>) -> tensor<3x6xf32>
  %z = stablehlo.constant dense<(0.5,-1.0)> : tensor<3x6xcomplex<f32>>
  %v = stablehlo.complex %w, %w : tensor<3x6xcomplex<f32>>
  %m = stablehlo.multiply %f, %v : tensor<3x6xcomplex<f32>>
  %n = stablehlo.multiply %m, %z : tensor<3x6xcomplex<f32>>
  %y = stablehlo.fft %n, type = IRFFT, length = [10] : (tensor<3x6xcomplex<f32>>) -> tensor<3x10xf32>
  return %re, %im, %y : tensor<3x6xf32>, tensor<3x6xf32>, tensor<3x10xf32>
}
====
Over two dimensions of odd and even sizes, as layers that mix by transforms have it.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<2x7x4xf64>, %y: tensor<2x7x4xf64>) -> (tensor<2x7x4xf64>, tensor<2x4x7xf64>, tensor<2x7x4xf64>) {
  %c = stablehlo.complex %x, %y : tensor<2x7x4xcomplex<f64>>
  %f = stablehlo.fft %c, type = FFT, length = [7, 4] : (tensor<2x7x4xcomplex<f64>>) -> tensor<2x7x4xcomplex<f64>>
  %t = stablehlo.transpose %f, dims = [0, 2, 1] : (tensor<2x7x4xcomplex<f64>>) -> tensor<2x4x7xcomplex<f64>>
  %re = stablehlo.real %f : (tensor<2x7x4xcomplex<f64>>) -> tensor<2x7x4xf64>
  %im = stablehlo.imag %t : (tensor<2x4x7xcomplex<f64>>) -> tensor<2x4x7xf64>
  %d = stablehlo.divide %f, %c : tensor<2x7x4xcomplex<f64>>
  %e = stablehlo.subtract %d, %c : tensor<2x7x4xcomplex<f64>>
  %i = stablehlo.fft %e, type = IFFT, length = [7, 4] : (tensor<2x7x4xcomplex<f64>>) -> tensor<2x7x4xcomplex<f64>>
  %a = stablehlo.abs %i : (tensor<2x7x4xcomplex<f64>>) -> tensor<2x7x4xf64>
  return %re, %im, %a : tensor<2x7x4xf64>, tensor<2x4x7xf64>, tensor<2x7x4xf64>
}
====
Over all dimensions of a tensor without others, and lengths of one.
# run: opt -q %s -o %t/a.onnx
# run: verify %s %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<9xf32>, %y: tensor<5x1xf32>, %z: tensor<4x6xf32>) -> (tensor<5xf32>, tensor<5x1xf32>, tensor<4x4xf32>, tensor<4x6xf32>) {
  %f = stablehlo.fft %x, type = RFFT, length = [9] : (tensor<9xf32>) -> tensor<5xcomplex<f32>>
  %re = stablehlo.imag %f : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  %g = stablehlo.fft %y, type = RFFT, length = [5, 1] : (tensor<5x1xf32>) -> tensor<5x1xcomplex<f32>>
  %im = stablehlo.imag %g : (tensor<5x1xcomplex<f32>>) -> tensor<5x1xf32>
  %h = stablehlo.fft %z, type = RFFT, length = [4, 6] : (tensor<4x6xf32>) -> tensor<4x4xcomplex<f32>>
  %s = stablehlo.real %h : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
  %b = stablehlo.fft %h, type = IRFFT, length = [4, 6] : (tensor<4x4xcomplex<f32>>) -> tensor<4x6xf32>
  return %re, %im, %s, %b : tensor<5xf32>, tensor<5x1xf32>, tensor<4x4xf32>, tensor<4x6xf32>
}
====
A size that is not known cannot be transformed.
# run: opt -q %s -o %t/a.onnx
# exit: 4
# stderr: stablehlo.fft has no form of core ops: a transformed size is 0 or not known
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>) -> tensor<4xf32> {
  %f = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<?xf32>) -> tensor<4xcomplex<f32>>
  %re = stablehlo.real %f : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %re : tensor<4xf32>
}

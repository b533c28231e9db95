# Models that optimisers are known to get wrong: what hone makes of them, and that results are unchanged.
# dynamic quantisation of a value
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %q, %s, %z = onnx.DynamicQuantizeLinear(%x)
    %y = onnx.DequantizeLinear(%q, %s, %z)
    return %y : tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %q, %s, %z = core.dynamic_quantize(%x) : (tensor<4xf32>) -> (tensor<4xui8>, tensor<f32>, tensor<ui8>)
    %y = core.dequantize(%q, %s, %z) : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# quantised and back: the rounding stays
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %s = onnx.Constant() {value = dense<0.5> : tensor<f32>}
    %z = onnx.Constant() {value = dense<0> : tensor<i8>}
    %q = onnx.QuantizeLinear(%x, %s, %z)
    %y = onnx.DequantizeLinear(%q, %s, %z)
    return %y : tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %s = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
    %q = core.quantize(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
    %y = core.dequantize(%q, %s, %z) : (tensor<4xi8>, tensor<f32>, tensor<i8>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
equal: 1 outputs over 3 input sets

# Models that optimisers are known to get wrong: what hone makes of them, and that results are unchanged.
# the scale of a batch norm is an input
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x1x3x3xf32>, %s: tensor<2xf32>) -> (tensor<1x2x3x3xf32>) {
    %w = onnx.Constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
    %b = onnx.Constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
    %m = onnx.Constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
    %v = onnx.Constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
    %c = onnx.Conv(%x, %w)
    %y = onnx.BatchNormalization(%c, %s, %b, %m, %v)
    return %y : tensor<1x2x3x3xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x1x3x3xf32>, %s: tensor<2xf32>) -> (tensor<1x2x3x3xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %b = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %m = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
    %v = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %c = core.conv(%x, %w) : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
    %y = core.batch_norm(%c, %s, %b, %m, %v) : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
    return %y : tensor<1x2x3x3xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# a batch norm that trains stays
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 15}} {
  func.func @main(%x: tensor<1x1x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>) {
    %w = onnx.Constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
    %b = onnx.Constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
    %m = onnx.Constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
    %v = onnx.Constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
    %s = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
    %c = onnx.Conv(%x, %w)
    %y, %p, %q = onnx.BatchNormalization(%c, %s, %b, %m, %v) {training_mode = 1}
    return %y, %p, %q : tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 15}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x1x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %b = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %m = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
    %v = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %s = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %c = core.conv(%x, %w) : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
    %y, %p, %q = core.batch_norm_training(%c, %s, %b, %m, %v) : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>)
    return %y, %p, %q : tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
equal: 3 outputs over 3 input sets
====
# a grouped ConvTranspose takes a batch norm
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x2x3x3xf32>) -> (tensor<1x2x3x3xf32>) {
    %w = onnx.Constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
    %b = onnx.Constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
    %m = onnx.Constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
    %v = onnx.Constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
    %s = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
    %c = onnx.ConvTranspose(%x, %w) {group = 2}
    %y = onnx.BatchNormalization(%c, %s, %b, %m, %v)
    return %y : tensor<1x2x3x3xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x2x3x3xf32>) -> (tensor<1x2x3x3xf32>) {
    %0 = core.constant() {value = dense<[0.4226536, -1.2886747]> : tensor<2xf32>} : () -> tensor<2xf32>
    %1 = core.constant() {value = dense<[[[[2.3093858]]], [[[3.4640958]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %y = core.conv_transpose(%x, %1, %0) {groups = 2} : (tensor<1x2x3x3xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
    return %y : tensor<1x2x3x3xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# a grouped ConvTranspose with one scale and a shift of each channel
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x4x2x4xf32>) -> (tensor<1x6x3x5xf32>) {
    %w = onnx.Constant() {value = dense<0.5> : tensor<4x3x2x2xf32>}
    %k = onnx.Constant() {value = dense<[[[6.0]], [[-0.5]], [[-1.0]], [[0.0]], [[-2.0]], [[3.0]]]> : tensor<6x1x1xf32>}
    %c = onnx.ConvTranspose(%x, %w) {group = 2}
    %y = onnx.Sub(%k, %c)
    return %y : tensor<1x6x3x5xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x4x2x4xf32>) -> (tensor<1x6x3x5xf32>) {
    %0 = core.constant() {value = dense<[6.0, -0.5, -1.0, 0.0, -2.0, 3.0]> : tensor<6xf32>} : () -> tensor<6xf32>
    %1 = core.constant() {value = dense<-0.5> : tensor<4x3x2x2xf32>} : () -> tensor<4x3x2x2xf32>
    %y = core.conv_transpose(%x, %1, %0) {groups = 2} : (tensor<1x4x2x4xf32>, tensor<4x3x2x2xf32>, tensor<6xf32>) -> tensor<1x6x3x5xf32>
    return %y : tensor<1x6x3x5xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# two convolutions share a weight, one batch norm
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x1x3x3xf32>, %z: tensor<1x1x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) {
    %w = onnx.Constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
    %b = onnx.Constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
    %m = onnx.Constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
    %v = onnx.Constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
    %s = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
    %c = onnx.Conv(%x, %w)
    %d = onnx.Conv(%z, %w)
    %y = onnx.BatchNormalization(%c, %s, %b, %m, %v)
    %u = onnx.Relu(%d)
    return %y, %u : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x1x3x3xf32>, %z: tensor<1x1x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %d = core.conv(%z, %w) : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
    %0 = core.constant() {value = dense<[0.4226536, -1.2886747]> : tensor<2xf32>} : () -> tensor<2xf32>
    %1 = core.constant() {value = dense<[[[[2.3093858]]], [[[3.4640958]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %y = core.conv(%x, %1, %0) : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
    %u = core.relu(%d) : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    return %y, %u : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
  }
}
equal: 2 outputs over 3 input sets
====
# the convolution before a batch norm is an output
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x1x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) {
    %w = onnx.Constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
    %b = onnx.Constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
    %m = onnx.Constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
    %v = onnx.Constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
    %s = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
    %c = onnx.Conv(%x, %w)
    %y = onnx.BatchNormalization(%c, %s, %b, %m, %v)
    return %y, %c : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x1x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %b = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %m = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
    %v = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %s = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %c = core.conv(%x, %w) : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
    %y = core.batch_norm(%c, %s, %b, %m, %v) : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
    return %y, %c : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
  }
}
equal: 2 outputs over 3 input sets
====
# pads that crop stay before a convolution
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x4x7xf32>) {
    %w = onnx.Constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
    %p = onnx.Constant() {value = dense<[0, 0, -1, 1, 0, 0, 0, 1]> : tensor<8xi64>}
    %a = onnx.Pad(%x, %p)
    %y = onnx.Conv(%a, %w)
    return %y : tensor<1x2x4x7xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x4x7xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %p = core.constant() {value = dense<[0, 0, -1, 1, 0, 0, 0, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
    %a = core.pad(%x, %p) : (tensor<1x1x5x5xf32>, tensor<8xi64>) -> tensor<1x1x4x7xf32>
    %y = core.conv(%a, %w) : (tensor<1x1x4x7xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x7xf32>
    return %y : tensor<1x2x4x7xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# padding with zeros stays before a maximum
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x5x5xf32>) {
    %p = onnx.Constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
    %a = onnx.Pad(%x, %p)
    %y = onnx.MaxPool(%a) {kernel_shape = [2, 2]}
    return %y : tensor<1x1x5x5xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x5x5xf32>) {
    %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
    %a = core.pad(%x, %p) : (tensor<1x1x4x4xf32>, tensor<8xi64>) -> tensor<1x1x6x6xf32>
    %y = core.max_pool(%a) {kernel = array<i64: 2, 2>} : (tensor<1x1x6x6xf32>) -> tensor<1x1x5x5xf32>
    return %y : tensor<1x1x5x5xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# Weights that the model computes, too large for fold: the proof takes them as a run does, each step rounded.
# run: opt %s -o %t/o.onnx
# run: info %t/o.onnx
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 32, 9, 9] x) => (float[1, 16, 1, 1] y) <float a = {0}, float b = {41472}, float d = {1}, float k = {0.05}, int64[4] s = {16, 32, 9, 9},
  float[16] c = {0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2}> {
  r = Range(a, b, d)
  m = Mul(r, k)
  w = Reshape(m, s)
  v = Conv(x, w)
  y = BatchNormalization(v, c, c, c, c)
}

# Models that optimisers are known to get wrong: what hone makes of them, and that results are unchanged.
# Conv and a sum along the width, which is as large as the channels
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x3x7x6xf32>) -> (tensor<1x4x5x4xf32>) {
    %w = onnx.Constant() {value = dense<0.5> : tensor<4x3x3x3xf32>}
    %c = onnx.Conv(%x, %w)
    %k = onnx.Constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}
    %y = onnx.Add(%c, %k)
    return %y : tensor<1x4x5x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x3x7x6xf32>) -> (tensor<1x4x5x4xf32>) {
    %w = core.constant() {value = dense<0.5> : tensor<4x3x3x3xf32>} : () -> tensor<4x3x3x3xf32>
    %c = core.conv(%x, %w) : (tensor<1x3x7x6xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x5x4xf32>
    %k = core.constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %y = core.add(%c, %k) : (tensor<1x4x5x4xf32>, tensor<4xf32>) -> tensor<1x4x5x4xf32>
    return %y : tensor<1x4x5x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# Conv and a product along the width, which is as large as the channels
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x3x7x6xf32>) -> (tensor<1x4x5x4xf32>) {
    %w = onnx.Constant() {value = dense<0.5> : tensor<4x3x3x3xf32>}
    %c = onnx.Conv(%x, %w)
    %k = onnx.Constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}
    %y = onnx.Mul(%c, %k)
    return %y : tensor<1x4x5x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x3x7x6xf32>) -> (tensor<1x4x5x4xf32>) {
    %w = core.constant() {value = dense<0.5> : tensor<4x3x3x3xf32>} : () -> tensor<4x3x3x3xf32>
    %c = core.conv(%x, %w) : (tensor<1x3x7x6xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x5x4xf32>
    %k = core.constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %y = core.mul(%c, %k) : (tensor<1x4x5x4xf32>, tensor<4xf32>) -> tensor<1x4x5x4xf32>
    return %y : tensor<1x4x5x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# Conv and a product along the height, which is as large as the channels
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x3x6x6xf32>) -> (tensor<1x4x4x4xf32>) {
    %w = onnx.Constant() {value = dense<0.5> : tensor<4x3x3x3xf32>}
    %c = onnx.Conv(%x, %w)
    %k = onnx.Constant() {value = dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>}
    %y = onnx.Mul(%c, %k)
    return %y : tensor<1x4x4x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x3x6x6xf32>) -> (tensor<1x4x4x4xf32>) {
    %w = core.constant() {value = dense<0.5> : tensor<4x3x3x3xf32>} : () -> tensor<4x3x3x3xf32>
    %c = core.conv(%x, %w) : (tensor<1x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32>
    %k = core.constant() {value = dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
    %y = core.mul(%c, %k) : (tensor<1x4x4x4xf32>, tensor<4x1xf32>) -> tensor<1x4x4x4xf32>
    return %y : tensor<1x4x4x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# Conv and a sum along the channels is a bias
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x3x7x6xf32>) -> (tensor<1x4x5x4xf32>) {
    %w = onnx.Constant() {value = dense<0.5> : tensor<4x3x3x3xf32>}
    %c = onnx.Conv(%x, %w)
    %k = onnx.Constant() {value = dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>}
    %y = onnx.Add(%c, %k)
    return %y : tensor<1x4x5x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x3x7x6xf32>) -> (tensor<1x4x5x4xf32>) {
    %w = core.constant() {value = dense<0.5> : tensor<4x3x3x3xf32>} : () -> tensor<4x3x3x3xf32>
    %0 = core.constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %y = core.conv(%x, %w, %0) : (tensor<1x3x7x6xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x5x4xf32>
    return %y : tensor<1x4x5x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# ConvTranspose and a sum along the width, which is as large as the channels
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x3x3x2xf32>) -> (tensor<1x4x5x4xf32>) {
    %w = onnx.Constant() {value = dense<0.5> : tensor<3x4x3x3xf32>}
    %c = onnx.ConvTranspose(%x, %w)
    %k = onnx.Constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}
    %y = onnx.Add(%c, %k)
    return %y : tensor<1x4x5x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x3x3x2xf32>) -> (tensor<1x4x5x4xf32>) {
    %w = core.constant() {value = dense<0.5> : tensor<3x4x3x3xf32>} : () -> tensor<3x4x3x3xf32>
    %c = core.conv_transpose(%x, %w) : (tensor<1x3x3x2xf32>, tensor<3x4x3x3xf32>) -> tensor<1x4x5x4xf32>
    %k = core.constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %y = core.add(%c, %k) : (tensor<1x4x5x4xf32>, tensor<4xf32>) -> tensor<1x4x5x4xf32>
    return %y : tensor<1x4x5x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# grouped Conv and a sum over the whole image
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x4x2x2xf32>) -> (tensor<1x4x2x2xf32>) {
    %w = onnx.Constant() {value = dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32>}
    %k = onnx.Constant() {value = dense<[[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]]> : tensor<1x4x2x2xf32>}
    %c = onnx.Conv(%x, %w) {group = 4}
    %y = onnx.Add(%c, %k)
    return %y : tensor<1x4x2x2xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x4x2x2xf32>) -> (tensor<1x4x2x2xf32>) {
    %w = core.constant() {value = dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32>} : () -> tensor<4x1x1x1xf32>
    %k = core.constant() {value = dense<[[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]]> : tensor<1x4x2x2xf32>} : () -> tensor<1x4x2x2xf32>
    %c = core.conv(%x, %w) {groups = 4} : (tensor<1x4x2x2xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x2x2xf32>
    %y = core.add(%c, %k) : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
    return %y : tensor<1x4x2x2xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# the weight is the left operand of the product
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
    %w = onnx.Constant() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<4x4xf32>}
    %k = onnx.Constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}
    %m = onnx.MatMul(%w, %x)
    %y = onnx.Add(%m, %k)
    return %y : tensor<4x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
    %k = core.constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %y = core.gemm(%w, %x, %k) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    return %y : tensor<4x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# the weight is the left operand of a product of batches
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>) {
    %w = onnx.Constant() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<4x4xf32>}
    %k = onnx.Constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}
    %m = onnx.MatMul(%w, %x)
    %y = onnx.Add(%m, %k)
    return %y : tensor<2x4x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
    %k = core.constant() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %m = core.matmul(%w, %x) : (tensor<4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %y = core.add(%m, %k) : (tensor<2x4x4xf32>, tensor<4xf32>) -> tensor<2x4x4xf32>
    return %y : tensor<2x4x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# a scale that enlarges the normalised value is no part of the norm
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1x1xf32>) -> (tensor<1x2xf32>) {
    %e = onnx.Constant() {value = dense<0.00001> : tensor<f32>}
    %g = onnx.Constant() {value = dense<[2.0, 3.0]> : tensor<2xf32>}
    %q = onnx.Mul(%x, %x)
    %m = onnx.ReduceMean(%q) {axes = [-1]}
    %a = onnx.Add(%m, %e)
    %s = onnx.Sqrt(%a)
    %n = onnx.Div(%x, %s)
    %y = onnx.Mul(%n, %g)
    return %y : tensor<1x2xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1x1xf32>) -> (tensor<1x2xf32>) {
    %e = core.constant() {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
    %g = core.constant() {value = dense<[2.0, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %q = core.mul(%x, %x) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %m = core.reduce(%q) {axes = array<i64: -1>, kind = "mean"} : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %a = core.add(%m, %e) : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>
    %s = core.sqrt(%a) : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %n = core.div(%x, %s) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %y = core.mul(%n, %g) : (tensor<1x1xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    return %y : tensor<1x2xf32>
  }
}
equal: 1 outputs over 3 input sets

# Models that optimisers are known to get wrong: what hone makes of them, and that results are unchanged.
# reshape to [0, -1] after a reshape: 0 means the first result
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<6x4xf32>) {
    %s = onnx.Constant() {value = dense<[6, 4]> : tensor<2xi64>}
    %t = onnx.Constant() {value = dense<[0, -1]> : tensor<2xi64>}
    %a = onnx.Reshape(%x, %s)
    %y = onnx.Reshape(%a, %t)
    return %y : tensor<6x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<6x4xf32>) {
    %s = core.constant() {value = dense<[6, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.reshape(%x, %s) : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
    return %y : tensor<6x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# a zero that allowzero makes a size
# run: opt %s --to mlir --disable no-elements -o -
# run: opt %s --disable no-elements -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 14}} {
  func.func @main(%x: tensor<0x3xf32>) -> (tensor<3x0x2xf32>) {
    %s = onnx.Constant() {value = dense<[3, 0, 2]> : tensor<3xi64>}
    %y = onnx.Reshape(%x, %s) {allowzero = 1}
    return %y : tensor<3x0x2xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 14}, hone.format = "onnx"} {
  func.func @main(%x: tensor<0x3xf32>) -> (tensor<3x0x2xf32>) {
    %s = core.constant() {value = dense<[3, 0, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
    %y = core.reshape(%x, %s) {allowzero = 1} : (tensor<0x3xf32>, tensor<3xi64>) -> tensor<3x0x2xf32>
    return %y : tensor<3x0x2xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# the first dim of a shape that starts at 1
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 15}} {
  func.func @main(%x: tensor<2x3x[n]xf32>) -> (tensor<1xi64>) {
    %a = onnx.Constant() {value = dense<[0]> : tensor<1xi64>}
    %b = onnx.Constant() {value = dense<[1]> : tensor<1xi64>}
    %s = onnx.Shape(%x) {start = 1}
    %y = onnx.Slice(%s, %a, %b)
    return %y : tensor<1xi64>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 15}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2x3x[n]xf32>) -> (tensor<1xi64>) {
    %y = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    return %y : tensor<1xi64>
  }
}
equal: 1 outputs over 3 input sets
====
# a reshape that gives the shape of the next one is no data
# run: opt %s --to mlir -o -
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<6xf32>, %d: tensor<1x2xi64>) -> (tensor<?x?xf32>) {
    %s = onnx.Constant() {value = dense<[2]> : tensor<1xi64>}
    %t = onnx.Reshape(%d, %s)
    %y = onnx.Reshape(%x, %t)
    return %y : tensor<?x?xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<6xf32>, %d: tensor<1x2xi64>) -> (tensor<[?5]x[?6]xf32> {hone.declared = tensor<[?1]x[?2]xf32>}) {
    %s = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %t = core.reshape(%d, %s) : (tensor<1x2xi64>, tensor<1xi64>) -> tensor<2xi64>
    %y = core.reshape(%x, %t) : (tensor<6xf32>, tensor<2xi64>) -> tensor<[?5]x[?6]xf32>
    return %y : tensor<[?5]x[?6]xf32>
  }
}
====
# two chains of reshapes with one shape constant
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<2x6xf32>, %w: tensor<4x3xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>) {
    %s = onnx.Constant() {value = dense<[3, -1]> : tensor<2xi64>}
    %t = onnx.Constant() {value = dense<[2, -1]> : tensor<2xi64>}
    %a = onnx.Reshape(%x, %s)
    %b = onnx.Reshape(%w, %s)
    %p = onnx.Reshape(%a, %t)
    %q = onnx.Reshape(%b, %t)
    %u = onnx.Relu(%p)
    %v = onnx.Relu(%q)
    return %u, %v : tensor<2x6xf32>, tensor<2x6xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2x6xf32>, %w: tensor<4x3xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>) {
    %0 = core.constant() {value = dense<[2, 6]> : tensor<2xi64>} : () -> tensor<2xi64>
    %q = core.reshape(%w, %0) : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x6xf32>
    %u = core.relu(%x) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %v = core.relu(%q) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    return %u, %v : tensor<2x6xf32>, tensor<2x6xf32>
  }
}
equal: 2 outputs over 3 input sets
====
# slices of axis 1 and of axis -1 of a matrix
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<2x8xf32>) -> (tensor<2x5xf32>) {
    %a = onnx.Constant() {value = dense<[1]> : tensor<1xi64>}
    %b = onnx.Constant() {value = dense<[7]> : tensor<1xi64>}
    %p = onnx.Constant() {value = dense<[1]> : tensor<1xi64>}
    %n = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>}
    %c = onnx.Slice(%x, %a, %b, %p)
    %d = onnx.Slice(%c, %a, %b, %n)
    %y = onnx.Relu(%d)
    return %y : tensor<2x5xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2x8xf32>) -> (tensor<2x5xf32>) {
    %0 = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[7]> : tensor<1xi64>} : () -> tensor<1xi64>
    %d = core.slice(%x, %0, %1) {axes = array<i64: 1>} : (tensor<2x8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x5xf32>
    %y = core.relu(%d) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    return %y : tensor<2x5xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# transposes without a permutation
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
    %a = onnx.Transpose(%x)
    %b = onnx.Transpose(%a)
    %y = onnx.Relu(%b)
    return %y : tensor<2x3x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
    %y = core.relu(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %y : tensor<2x3x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# squeezes of axes from the end
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<2x1x3x1xf32>) -> (tensor<2x3xf32>) {
    %a = onnx.Constant() {value = dense<[-1]> : tensor<1xi64>}
    %b = onnx.Constant() {value = dense<[-2]> : tensor<1xi64>}
    %p = onnx.Squeeze(%x, %a)
    %q = onnx.Squeeze(%p, %b)
    %y = onnx.Relu(%q)
    return %y : tensor<2x3xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2x1x3x1xf32>) -> (tensor<2x3xf32>) {
    %q = core.squeeze(%x) {axes = array<i64: 1, 3>} : (tensor<2x1x3x1xf32>) -> tensor<2x3xf32>
    %y = core.relu(%q) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# an expand of a constant does not make the file larger
# run: opt %s --to mlir -o -
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>) {
    %s = onnx.Constant() {value = dense<[1024, 1024]> : tensor<2xi64>}
    %k = onnx.Constant() {value = dense<[0.5]> : tensor<1xf32>}
    %e = onnx.Expand(%k, %s)
    %y = onnx.Add(%x, %e)
    return %y : tensor<1024x1024xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>) {
    %e = core.constant() {value = dense<0.5> : tensor<1024x1024xf32>} : () -> tensor<1024x1024xf32>
    %y = core.add(%x, %e) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %y : tensor<1024x1024xf32>
  }
}
====
# a part of size 0 in a concat
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %k = onnx.Constant() {value = dense<[]> : tensor<0xf32>}
    %a = onnx.Concat(%x, %k) {axis = 0}
    %y = onnx.Relu(%a)
    return %y : tensor<3xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
equal: 1 outputs over 3 input sets

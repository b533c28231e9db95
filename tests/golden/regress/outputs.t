# Models that optimisers are known to get wrong: what hone makes of them, and that results are unchanged.
# one value is two outputs by way of Identity
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %r = onnx.Relu(%x)
    %y = onnx.Identity(%r)
    %z = onnx.Identity(%r)
    return %y, %z : tensor<4xf32>, tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %y = core.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %z = core.identity(%y) : (tensor<4xf32>) -> tensor<4xf32>
    return %y, %z : tensor<4xf32>, tensor<4xf32>
  }
}
equal: 2 outputs over 3 input sets
====
# the interface lists one output twice, and it is an input in the end
# run: opt %s -o %t/out.onnx >/dev/null
# run: convert %t/out.onnx --to onnxtxt -o -
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[n,2] x) => (float[n,2] y, float[n,2] y, float[n,2] z, float[n,2] z) {
   a = Identity (x)
   y = Identity (a)
   z = Neg (x)
}
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[n,2] x) => (float[n,2] y, float[n,2] y, float[n,2] z, float[n,2] z) {
   y = Identity (x)
   z = Neg (x)
}
====
# the value between two ops that fuse is an output
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 24}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %s = onnx.Sigmoid(%x)
    %y = onnx.Mul(%x, %s)
    return %y, %s : tensor<4xf32>, tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 24}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %s = core.sigmoid(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %y = core.mul(%x, %s) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y, %s : tensor<4xf32>, tensor<4xf32>
  }
}
equal: 2 outputs over 3 input sets
====
# a constant is an output
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
    %y = onnx.Relu(%x)
    %k = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
    %z = onnx.Neg(%k)
    return %y, %z : tensor<4xf32>, tensor<2xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
    %y = core.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %z = core.constant() {value = dense<[-1.0, -2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    return %y, %z : tensor<4xf32>, tensor<2xf32>
  }
}
equal: 2 outputs over 3 input sets
====
# a Cast that does nothing feeds an output
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %c = onnx.Cast(%x) {to = 1}
    %y = onnx.Mul(%c, %c)
    return %y, %c : tensor<4xf32>, tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %c = core.cast(%x) {to = "f32"} : (tensor<4xf32>) -> tensor<4xf32>
    %y = core.mul(%c, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y, %c : tensor<4xf32>, tensor<4xf32>
  }
}
equal: 2 outputs over 3 input sets
====
# products that share an input, of rank 3
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
    %w = onnx.Constant() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<4x4xf32>}
    %a = onnx.MatMul(%x, %w)
    %b = onnx.MatMul(%x, %w)
    %y = onnx.Add(%a, %b)
    return %y : tensor<2x3x4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
    %a = core.matmul(%x, %w) : (tensor<2x3x4xf32>, tensor<4x4xf32>) -> tensor<2x3x4xf32>
    %y = core.add(%a, %a) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %y : tensor<2x3x4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# a branch gives out a constant
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>) {
    %y = onnx.If(%c) ({
          %k = onnx.Constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
          core.yield(%k)
        }, {
          %r = onnx.Relu(%x)
          core.yield(%r)
        }) {graph_names = ["then_branch", "else_branch"]}
    return %y : tensor<2xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>) {
    %y = core.if(%c) ({
      %k = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
      core.yield(%k) : (tensor<2xf32>) -> ()
    }, {
      %r = core.relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
      core.yield(%r) : (tensor<2xf32>) -> ()
    }) : (tensor<i1>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# a branch that is inlined brings its constants
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<2x1xf32>) -> (tensor<2xf32>) {
    %c = onnx.Constant() {value = dense<true> : tensor<i1>}
    %y = onnx.If(%c) ({
          %k = onnx.Constant() {value = dense<[1]> : tensor<1xi64>}
          %s = onnx.Squeeze(%x, %k)
          core.yield(%s)
        }, {
          core.yield(%x)
        }) {graph_names = ["then_branch", "else_branch"]}
    return %y : tensor<2xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<2x1xf32>) -> (tensor<2xf32>) {
    %y = core.squeeze(%x) {axes = array<i64: 1>} : (tensor<2x1xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
equal: 1 outputs over 3 input sets

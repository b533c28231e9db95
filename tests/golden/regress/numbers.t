# Models that optimisers are known to get wrong: what hone makes of them, and that results are unchanged.
# ties at infinity: the exponential stays before the position of the maximum
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<1xi64>) {
    %k = onnx.Constant() {value = dense<500.0> : tensor<f32>}
    %a = onnx.Mul(%x, %k)
    %e = onnx.Exp(%a)
    %y = onnx.ArgMax(%e)
    return %y : tensor<1xi64>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<1xi64>) {
    %k = core.constant() {value = dense<500.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.mul(%x, %k) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %e = core.exp(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %y = core.argmax(%e) : (tensor<4xf32>) -> tensor<1xi64>
    return %y : tensor<1xi64>
  }
}
equal: 1 outputs over 3 input sets
====
# random numbers are drawn twice
# run: opt %s --to mlir -o -
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %a = onnx.RandomUniformLike(%x)
    %b = onnx.RandomUniformLike(%x)
    %y = onnx.Sub(%a, %b)
    return %y : tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %0 = core.constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %a = core.random_uniform(%0) {to = "f32"} : (tensor<1xi64>) -> tensor<4xf32>
    %b = core.random_uniform(%0) {to = "f32"} : (tensor<1xi64>) -> tensor<4xf32>
    %y = core.sub(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
====
# Relu and Clip of float64
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf64>) -> (tensor<4xf64>) {
    %a = onnx.Constant() {value = dense<0.0> : tensor<f64>}
    %b = onnx.Constant() {value = dense<6.0> : tensor<f64>}
    %r = onnx.Relu(%x)
    %y = onnx.Clip(%r, %a, %b)
    return %y : tensor<4xf64>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf64>) -> (tensor<4xf64>) {
    %b = core.constant() {value = dense<6.0> : tensor<f64>} : () -> tensor<f64>
    %0 = core.constant() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
    %y = core.clamp(%x, %0, %b) : (tensor<4xf64>, tensor<f64>, tensor<f64>) -> tensor<4xf64>
    return %y : tensor<4xf64>
  }
}
equal: 1 outputs over 3 input sets
====
# Clip without an upper bound after Relu
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %a = onnx.Constant() {value = dense<1.0> : tensor<f32>}
    %r = onnx.Relu(%x)
    %y = onnx.Clip(%r, %a)
    return %y : tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %a = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %r = core.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %y = core.clamp(%r, %a) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# integers: half of a product is not the product of a half
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>) {
    %a = onnx.Constant() {value = dense<2> : tensor<i32>}
    %b = onnx.Constant() {value = dense<4> : tensor<i32>}
    %d = onnx.Div(%x, %a)
    %y = onnx.Mul(%d, %b)
    return %y : tensor<4xi32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>) {
    %a = core.constant() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
    %b = core.constant() {value = dense<4> : tensor<i32>} : () -> tensor<i32>
    %d = core.div(%x, %a) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %y = core.mul(%d, %b) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    return %y : tensor<4xi32>
  }
}
equal: 1 outputs over 3 input sets
====
# integers: 1 / b * a is not a / b
# run: opt %s --to mlir -o -
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xi32>, %w: tensor<4xi32>) -> (tensor<4xi32>) {
    %a = onnx.Constant() {value = dense<1> : tensor<i32>}
    %d = onnx.Div(%a, %x)
    %y = onnx.Mul(%d, %w)
    return %y : tensor<4xi32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xi32>, %w: tensor<4xi32>) -> (tensor<4xi32>) {
    %a = core.constant() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %d = core.div(%a, %x) : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
    %y = core.mul(%d, %w) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    return %y : tensor<4xi32>
  }
}
====
# x * 0 keeps NaN
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %z = onnx.Constant() {value = dense<0.0> : tensor<f32>}
    %y = onnx.Mul(%x, %z)
    return %y : tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %z = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.mul(%x, %z) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# two constants of one value
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>) {
    %a = onnx.Constant() {value = dense<2.0> : tensor<f32>}
    %b = onnx.Constant() {value = dense<4.0> : tensor<f32>}
    %p = onnx.Div(%x, %a)
    %q = onnx.Mul(%w, %b)
    %y = onnx.Add(%p, %q)
    return %y : tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>) {
    %a = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %b = core.constant() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
    %p = core.div(%x, %a) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %q = core.mul(%w, %b) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %y = core.add(%p, %q) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
equal: 1 outputs over 3 input sets
====
# a small constant that an integer would round to zero
# run: opt %s --to mlir -o -
# run: opt %s -o %t/out.onnx >/dev/null
# run: verify %s %t/out.onnx
# file: input.mlir
---
module attributes {hone.format = "onnx", ir_version = 8, opset_imports = {"" = 13}} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %e = onnx.Constant() {value = dense<0.1> : tensor<f32>}
    %y = onnx.Add(%x, %e)
    return %y : tensor<4xf32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 13}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %e = core.constant() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
    %y = core.add(%x, %e) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
equal: 1 outputs over 3 input sets

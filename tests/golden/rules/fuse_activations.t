# gelu-divided
# run: opt %s --passes shapes,rules,shapes,dce --only gelu-divided -o -
# file: input.mlir
# stderr: gelu-divided 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<1.4142135> : tensor<f32>}
  %d = core.div(%x, %r)
  %e = core.erf(%d)
  %one = core.constant() {value = dense<1.0> : tensor<f32>}
  %f = core.add(%e, %one)
  %g = core.mul(%x, %f)
  %two = core.constant() {value = dense<2.0> : tensor<f32>}
  %y = core.div(%g, %two)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.gelu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# gelu-divided: divided by another number
# run: opt %s --passes shapes,rules,shapes,dce --only gelu-divided -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<1.5> : tensor<f32>}
  %d = core.div(%x, %r)
  %e = core.erf(%d)
  %one = core.constant() {value = dense<1.0> : tensor<f32>}
  %f = core.add(%e, %one)
  %g = core.mul(%x, %f)
  %two = core.constant() {value = dense<2.0> : tensor<f32>}
  %y = core.div(%g, %two)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %r = core.constant() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
    %d = core.div(%x, %r) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %e = core.erf(%d) : (tensor<3xf32>) -> tensor<3xf32>
    %one = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %f = core.add(%e, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %g = core.mul(%x, %f) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %two = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.div(%g, %two) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# hard-sigmoid
# run: opt %s --passes shapes,rules,shapes,dce --only hard-sigmoid -o -
# file: input.mlir
# stderr: hard-sigmoid 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %three = core.constant() {value = dense<3.0> : tensor<f32>}
  %z = core.constant() {value = dense<0.0> : tensor<f32>}
  %six = core.constant() {value = dense<6.0> : tensor<f32>}
  %a = core.add(%x, %three)
  %c = core.clamp(%a, %z, %six)
  %f = core.constant() {value = dense<0.16666667> : tensor<f32>}
  %y = core.mul(%c, %f)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.hard_sigmoid(%x) {alpha = 0.16666667 : f32, beta = 0.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# hard-sigmoid: clamped to another range
# run: opt %s --passes shapes,rules,shapes,dce --only hard-sigmoid -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %three = core.constant() {value = dense<3.0> : tensor<f32>}
  %z = core.constant() {value = dense<0.0> : tensor<f32>}
  %six = core.constant() {value = dense<5.0> : tensor<f32>}
  %a = core.add(%x, %three)
  %c = core.clamp(%a, %z, %six)
  %f = core.constant() {value = dense<0.16666667> : tensor<f32>}
  %y = core.mul(%c, %f)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %three = core.constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %six = core.constant() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.add(%x, %three) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %c = core.clamp(%a, %z, %six) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    %f = core.constant() {value = dense<0.16666667> : tensor<f32>} : () -> tensor<f32>
    %y = core.mul(%c, %f) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# hard-sigmoid-divided
# run: opt %s --passes shapes,rules,shapes,dce --only hard-sigmoid-divided -o -
# file: input.mlir
# stderr: hard-sigmoid-divided 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %three = core.constant() {value = dense<3.0> : tensor<f32>}
  %z = core.constant() {value = dense<0.0> : tensor<f32>}
  %six = core.constant() {value = dense<6.0> : tensor<f32>}
  %a = core.add(%x, %three)
  %c = core.clamp(%a, %z, %six)
  %f = core.constant() {value = dense<6.0> : tensor<f32>}
  %y = core.div(%c, %f)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.hard_sigmoid(%x) {alpha = 0.16666667 : f32, beta = 0.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# hard-sigmoid-divided: divided by another number
# run: opt %s --passes shapes,rules,shapes,dce --only hard-sigmoid-divided -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %three = core.constant() {value = dense<3.0> : tensor<f32>}
  %z = core.constant() {value = dense<0.0> : tensor<f32>}
  %six = core.constant() {value = dense<6.0> : tensor<f32>}
  %a = core.add(%x, %three)
  %c = core.clamp(%a, %z, %six)
  %f = core.constant() {value = dense<5.0> : tensor<f32>}
  %y = core.div(%c, %f)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %three = core.constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %six = core.constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.add(%x, %three) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %c = core.clamp(%a, %z, %six) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    %f = core.constant() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.div(%c, %f) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# hard-swish-divided
# run: opt %s --passes shapes,rules,shapes,dce --only hard-swish-divided -o -
# file: input.mlir
# stderr: hard-swish-divided 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %three = core.constant() {value = dense<3.0> : tensor<f32>}
  %z = core.constant() {value = dense<0.0> : tensor<f32>}
  %six = core.constant() {value = dense<6.0> : tensor<f32>}
  %a = core.add(%x, %three)
  %c = core.clamp(%a, %z, %six)
  %m = core.mul(%x, %c)
  %y = core.div(%m, %six)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.hard_swish(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# hard-swish-divided: of another value
# run: opt %s --passes shapes,rules,shapes,dce --only hard-swish-divided -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>) {
  %three = core.constant() {value = dense<3.0> : tensor<f32>}
  %z = core.constant() {value = dense<0.0> : tensor<f32>}
  %six = core.constant() {value = dense<6.0> : tensor<f32>}
  %a = core.add(%x, %three)
  %c = core.clamp(%a, %z, %six)
  %m = core.mul(%w, %c)
  %y = core.div(%m, %six)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>) {
    %three = core.constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %six = core.constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.add(%x, %three) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %c = core.clamp(%a, %z, %six) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    %m = core.mul(%w, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %y = core.div(%m, %six) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# mish: of another value
# run: opt %s --passes shapes,rules,shapes,dce --only mish -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>) {
  %s = core.softplus(%w)
  %t = core.tanh(%s)
  %y = core.mul(%x, %t)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>) {
    %s = core.softplus(%w) : (tensor<3xf32>) -> tensor<3xf32>
    %t = core.tanh(%s) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.mul(%x, %t) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# softplus: another number than 1
# run: opt %s --passes shapes,rules,shapes,dce --only softplus --allow domain -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %e = core.exp(%x)
  %one = core.constant() {value = dense<2.0> : tensor<f32>}
  %a = core.add(%e, %one)
  %y = core.log(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %e = core.exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %one = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.add(%e, %one) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %y = core.log(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# softplus-log1p
# run: opt %s --passes shapes,rules,shapes,dce --only softplus-log1p --allow domain -o -
# file: input.mlir
# stderr: softplus-log1p 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %e = core.exp(%x)
  %y = core.log1p(%e)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.softplus(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# softplus-log1p: of another function
# run: opt %s --passes shapes,rules,shapes,dce --only softplus-log1p -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %e = core.sin(%x)
  %y = core.log1p(%e)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %e = core.sin(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.log1p(%e) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# softmax
# run: opt %s --passes shapes,rules,shapes,dce --only softmax -o -
# file: input.mlir
# stderr: softmax 
---
func.func @main(%x: tensor<[n]x4x5xf32>) -> (tensor<[n]x4x5xf32>) {
  %m = core.reduce(%x) {kind = "max", axes = [1]}
  %d = core.sub(%x, %m)
  %e = core.exp(%d)
  %s = core.reduce(%e) {kind = "sum", axes = [1]}
  %y = core.div(%e, %s)
  return %y : tensor<[n]x4x5xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x5xf32>) -> (tensor<[n]x4x5xf32>) {
    %y = core.softmax(%x) {axis = 1} : (tensor<[n]x4x5xf32>) -> tensor<[n]x4x5xf32>
    return %y : tensor<[n]x4x5xf32>
  }
}
====
# softmax: sum and maximum along different axes
# run: opt %s --passes shapes,rules,shapes,dce --only softmax -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x4x5xf32>) -> (tensor<[n]x4x5xf32>) {
  %m = core.reduce(%x) {kind = "max", axes = [1]}
  %d = core.sub(%x, %m)
  %e = core.exp(%d)
  %s = core.reduce(%e) {kind = "sum", axes = [2]}
  %y = core.div(%e, %s)
  return %y : tensor<[n]x4x5xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x5xf32>) -> (tensor<[n]x4x5xf32>) {
    %m = core.reduce(%x) {axes = array<i64: 1>, kind = "max"} : (tensor<[n]x4x5xf32>) -> tensor<[n]x1x5xf32>
    %d = core.sub(%x, %m) : (tensor<[n]x4x5xf32>, tensor<[n]x1x5xf32>) -> tensor<[n]x4x5xf32>
    %e = core.exp(%d) : (tensor<[n]x4x5xf32>) -> tensor<[n]x4x5xf32>
    %s = core.reduce(%e) {axes = array<i64: 2>, kind = "sum"} : (tensor<[n]x4x5xf32>) -> tensor<[n]x4x1xf32>
    %y = core.div(%e, %s) : (tensor<[n]x4x5xf32>, tensor<[n]x4x1xf32>) -> tensor<[n]x4x5xf32>
    return %y : tensor<[n]x4x5xf32>
  }
}
====
# softmax: without the maximum it overflows
# run: opt %s --passes shapes,rules,shapes,dce --only softmax -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x4x5xf32>) -> (tensor<[n]x4x5xf32>) {
  %e = core.exp(%x)
  %s = core.reduce(%e) {kind = "sum", axes = [2]}
  %y = core.div(%e, %s)
  return %y : tensor<[n]x4x5xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x5xf32>) -> (tensor<[n]x4x5xf32>) {
    %e = core.exp(%x) : (tensor<[n]x4x5xf32>) -> tensor<[n]x4x5xf32>
    %s = core.reduce(%e) {axes = array<i64: 2>, kind = "sum"} : (tensor<[n]x4x5xf32>) -> tensor<[n]x4x1xf32>
    %y = core.div(%e, %s) : (tensor<[n]x4x5xf32>, tensor<[n]x4x1xf32>) -> tensor<[n]x4x5xf32>
    return %y : tensor<[n]x4x5xf32>
  }
}
====
# log-softmax
# run: opt %s --passes shapes,rules,shapes,dce --only log-softmax --allow domain -o -
# file: input.mlir
# stderr: log-softmax 
---
func.func @main(%x: tensor<[n]x4xf32>) -> (tensor<[n]x4xf32>) {
  %s = core.softmax(%x)
  %y = core.log(%s)
  return %y : tensor<[n]x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4xf32>) -> (tensor<[n]x4xf32>) {
    %y = core.log_softmax(%x) : (tensor<[n]x4xf32>) -> tensor<[n]x4xf32>
    return %y : tensor<[n]x4xf32>
  }
}
====
# log-softmax: of another function
# run: opt %s --passes shapes,rules,shapes,dce --only log-softmax -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x4xf32>) -> (tensor<[n]x4xf32>) {
  %s = core.hardmax(%x)
  %y = core.log(%s)
  return %y : tensor<[n]x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4xf32>) -> (tensor<[n]x4xf32>) {
    %s = core.hardmax(%x) : (tensor<[n]x4xf32>) -> tensor<[n]x4xf32>
    %y = core.log(%s) : (tensor<[n]x4xf32>) -> tensor<[n]x4xf32>
    return %y : tensor<[n]x4xf32>
  }
}

# swish
# run: opt %s --passes shapes,rules,shapes,dce --only swish -o -
# file: input.mlir
# stderr: swish 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %s = core.sigmoid(%x)
  %y = core.mul(%x, %s)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.swish(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# swish: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only swish -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
  %s = core.sigmoid(%z)
  %y = core.mul(%x, %s)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
    %s = core.sigmoid(%z) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.mul(%x, %s) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# mish
# run: opt %s --passes shapes,rules,shapes,dce --only mish -o -
# file: input.mlir
# stderr: mish 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %s = core.softplus(%x)
  %t = core.tanh(%s)
  %y = core.mul(%x, %t)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.mish(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# gelu
# run: opt %s --passes shapes,rules,shapes,dce --only gelu -o -
# file: input.mlir
# stderr: gelu 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<1.41421354> : tensor<f32>}
  %o = core.constant() {value = dense<1.0> : tensor<f32>}
  %h = core.constant() {value = dense<0.5> : tensor<f32>}
  %a = core.div(%x, %r)
  %e = core.erf(%a)
  %b = core.add(%e, %o)
  %c = core.mul(%x, %b)
  %y = core.mul(%c, %h)
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
# gelu: divided by something else than the root of 2
# run: opt %s --passes shapes,rules,shapes,dce --only gelu -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<1.5> : tensor<f32>}
  %o = core.constant() {value = dense<1.0> : tensor<f32>}
  %h = core.constant() {value = dense<0.5> : tensor<f32>}
  %a = core.div(%x, %r)
  %e = core.erf(%a)
  %b = core.add(%e, %o)
  %c = core.mul(%x, %b)
  %y = core.mul(%c, %h)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %r = core.constant() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
    %o = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %h = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %a = core.div(%x, %r) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %e = core.erf(%a) : (tensor<3xf32>) -> tensor<3xf32>
    %b = core.add(%e, %o) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %c = core.mul(%x, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %y = core.mul(%c, %h) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# hard-swish
# run: opt %s --passes shapes,rules,shapes,dce --only hard-swish -o -
# file: input.mlir
# stderr: hard-swish 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.hard_sigmoid(%x) {alpha = 0.16666667, beta = 0.5}
  %y = core.mul(%x, %a)
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
# hard-swish: another slope
# run: opt %s --passes shapes,rules,shapes,dce --only hard-swish -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.hard_sigmoid(%x) {alpha = 0.2, beta = 0.5}
  %y = core.mul(%x, %a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.hard_sigmoid(%x) {alpha = 0.2 : f32, beta = 0.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.mul(%x, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# softplus
# run: opt %s --passes shapes,rules,shapes,dce --only softplus -o -
# file: input.mlir
# stderr: softplus 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %o = core.constant() {value = dense<1.0> : tensor<f32>}
  %e = core.exp(%x)
  %a = core.add(%e, %o)
  %y = core.log(%a)
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
# softplus: exp overflows where softplus does not: only by name or when allowed
# run: opt %s --passes shapes,rules,shapes,dce -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %o = core.constant() {value = dense<1.0> : tensor<f32>}
  %e = core.exp(%x)
  %a = core.add(%e, %o)
  %y = core.log(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %o = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %e = core.exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %a = core.add(%e, %o) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %y = core.log(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# reduce-elements
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-elements -o -
# file: input.mlir
# stderr: reduce-elements 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
  %s = core.mul(%x, %x)
  %y = core.reduce(%s) {kind = "sum", axes = [1]}
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 1>, kind = "sum_square"} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-l2
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-l2 -o -
# file: input.mlir
# stderr: reduce-l2 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
  %s = core.reduce(%x) {kind = "sum_square", axes = [1]}
  %y = core.sqrt(%s)
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 1>, kind = "l2"} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-squeeze
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-squeeze -o -
# file: input.mlir
# stderr: reduce-squeeze 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>) {
  %a = core.reduce(%x) {kind = "max", axes = [1]}
  %y = core.squeeze(%a) {axes = [1]}
  return %y : tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 1>, keepdims = 0, kind = "max"} : (tensor<2x3xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
====
# reduce-squeeze: the reduction is an output
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-squeeze -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x1xf32>) {
  %a = core.reduce(%x) {kind = "max", axes = [1]}
  %y = core.squeeze(%a) {axes = [1]}
  return %y, %a : tensor<2xf32>, tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x1xf32>) {
    %a = core.reduce(%x) {axes = array<i64: 1>, kind = "max"} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %y = core.squeeze(%a) {axes = array<i64: 1>} : (tensor<2x1xf32>) -> tensor<2xf32>
    return %y, %a : tensor<2xf32>, tensor<2x1xf32>
  }
}
====
# pool-flatten
# run: opt %s --passes shapes,rules,shapes,dce --only pool-flatten -o -
# file: input.mlir
# stderr: pool-flatten 
---
func.func @main(%x: tensor<[n]x2x3x3xf32>) -> (tensor<[n]x2xf32>) {
  %a = core.global_avg_pool(%x)
  %y = core.flatten(%a)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x3x3xf32>) -> (tensor<[n]x2xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 2, 3>, keepdims = 0, kind = "mean"} : (tensor<[n]x2x3x3xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}

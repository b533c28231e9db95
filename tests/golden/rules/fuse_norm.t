# layer-norm-divided
# run: opt %s --passes shapes,rules,shapes,dce --only layer-norm-divided -o -
# file: input.mlir
# stderr: layer-norm-divided 
---
func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
  %m = core.reduce(%x) {kind = "mean", axes = [-1]}
  %d = core.sub(%x, %m)
  %q = core.mul(%d, %d)
  %v = core.reduce(%q) {kind = "mean", axes = [-1]}
  %e = core.constant() {value = dense<0.00001> : tensor<f32>}
  %w = core.add(%v, %e)
  %s = core.sqrt(%w)
  %y = core.div(%d, %s)
  return %y : tensor<[n]x4x8xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
    %0 = core.constant() {value = dense<1.0> : tensor<8xf32>} : () -> tensor<8xf32>
    %y = core.layer_norm(%x, %0) {axis = 2, epsilon = 1.0e-05 : f32} : (tensor<[n]x4x8xf32>, tensor<8xf32>) -> tensor<[n]x4x8xf32>
    return %y : tensor<[n]x4x8xf32>
  }
}
====
# layer-norm-divided: not the last axis
# run: opt %s --passes shapes,rules,shapes,dce --only layer-norm-divided -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
  %m = core.reduce(%x) {kind = "mean", axes = [1]}
  %d = core.sub(%x, %m)
  %q = core.mul(%d, %d)
  %v = core.reduce(%q) {kind = "mean", axes = [1]}
  %e = core.constant() {value = dense<0.00001> : tensor<f32>}
  %w = core.add(%v, %e)
  %s = core.sqrt(%w)
  %y = core.div(%d, %s)
  return %y : tensor<[n]x4x8xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
    %m = core.reduce(%x) {axes = array<i64: 1>, kind = "mean"} : (tensor<[n]x4x8xf32>) -> tensor<[n]x1x8xf32>
    %d = core.sub(%x, %m) : (tensor<[n]x4x8xf32>, tensor<[n]x1x8xf32>) -> tensor<[n]x4x8xf32>
    %q = core.mul(%d, %d) : (tensor<[n]x4x8xf32>, tensor<[n]x4x8xf32>) -> tensor<[n]x4x8xf32>
    %v = core.reduce(%q) {axes = array<i64: 1>, kind = "mean"} : (tensor<[n]x4x8xf32>) -> tensor<[n]x1x8xf32>
    %e = core.constant() {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
    %w = core.add(%v, %e) : (tensor<[n]x1x8xf32>, tensor<f32>) -> tensor<[n]x1x8xf32>
    %s = core.sqrt(%w) : (tensor<[n]x1x8xf32>) -> tensor<[n]x1x8xf32>
    %y = core.div(%d, %s) : (tensor<[n]x4x8xf32>, tensor<[n]x1x8xf32>) -> tensor<[n]x4x8xf32>
    return %y : tensor<[n]x4x8xf32>
  }
}
====
# layer-norm-multiplied
# run: opt %s --passes shapes,rules,shapes,dce --only layer-norm-multiplied -o -
# file: input.mlir
# stderr: layer-norm-multiplied 
---
func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
  %m = core.reduce(%x) {kind = "mean", axes = [-1]}
  %d = core.sub(%x, %m)
  %q = core.mul(%d, %d)
  %v = core.reduce(%q) {kind = "mean", axes = [-1]}
  %e = core.constant() {value = dense<0.00001> : tensor<f32>}
  %w = core.add(%v, %e)
  %s = core.rsqrt(%w)
  %y = core.mul(%d, %s)
  return %y : tensor<[n]x4x8xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
    %0 = core.constant() {value = dense<1.0> : tensor<8xf32>} : () -> tensor<8xf32>
    %y = core.layer_norm(%x, %0) {axis = 2, epsilon = 1.0e-05 : f32} : (tensor<[n]x4x8xf32>, tensor<8xf32>) -> tensor<[n]x4x8xf32>
    return %y : tensor<[n]x4x8xf32>
  }
}
====
# layer-norm-multiplied: not the last axis
# run: opt %s --passes shapes,rules,shapes,dce --only layer-norm-multiplied -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
  %m = core.reduce(%x) {kind = "mean", axes = [1]}
  %d = core.sub(%x, %m)
  %q = core.mul(%d, %d)
  %v = core.reduce(%q) {kind = "mean", axes = [1]}
  %e = core.constant() {value = dense<0.00001> : tensor<f32>}
  %w = core.add(%v, %e)
  %s = core.rsqrt(%w)
  %y = core.mul(%d, %s)
  return %y : tensor<[n]x4x8xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
    %m = core.reduce(%x) {axes = array<i64: 1>, kind = "mean"} : (tensor<[n]x4x8xf32>) -> tensor<[n]x1x8xf32>
    %d = core.sub(%x, %m) : (tensor<[n]x4x8xf32>, tensor<[n]x1x8xf32>) -> tensor<[n]x4x8xf32>
    %q = core.mul(%d, %d) : (tensor<[n]x4x8xf32>, tensor<[n]x4x8xf32>) -> tensor<[n]x4x8xf32>
    %v = core.reduce(%q) {axes = array<i64: 1>, kind = "mean"} : (tensor<[n]x4x8xf32>) -> tensor<[n]x1x8xf32>
    %e = core.constant() {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
    %w = core.add(%v, %e) : (tensor<[n]x1x8xf32>, tensor<f32>) -> tensor<[n]x1x8xf32>
    %s = core.rsqrt(%w) : (tensor<[n]x1x8xf32>) -> tensor<[n]x1x8xf32>
    %y = core.mul(%d, %s) : (tensor<[n]x4x8xf32>, tensor<[n]x1x8xf32>) -> tensor<[n]x4x8xf32>
    return %y : tensor<[n]x4x8xf32>
  }
}
====
# rms-norm-divided
# run: opt %s --passes shapes,rules,shapes,dce --only rms-norm-divided -o -
# file: input.mlir
# stderr: rms-norm-divided 
---
func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
  %q = core.mul(%x, %x)
  %v = core.reduce(%q) {kind = "mean", axes = [-1]}
  %e = core.constant() {value = dense<0.00001> : tensor<f32>}
  %w = core.add(%v, %e)
  %s = core.sqrt(%w)
  %y = core.div(%x, %s)
  return %y : tensor<[n]x4x8xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
    %0 = core.constant() {value = dense<1.0> : tensor<8xf32>} : () -> tensor<8xf32>
    %y = core.rms_norm(%x, %0) {axis = 2, epsilon = 1.0e-05 : f32} : (tensor<[n]x4x8xf32>, tensor<8xf32>) -> tensor<[n]x4x8xf32>
    return %y : tensor<[n]x4x8xf32>
  }
}
====
# rms-norm-divided: not the last axis
# run: opt %s --passes shapes,rules,shapes,dce --only rms-norm-divided -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
  %q = core.mul(%x, %x)
  %v = core.reduce(%q) {kind = "mean", axes = [1]}
  %e = core.constant() {value = dense<0.00001> : tensor<f32>}
  %w = core.add(%v, %e)
  %s = core.sqrt(%w)
  %y = core.div(%x, %s)
  return %y : tensor<[n]x4x8xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
    %q = core.mul(%x, %x) : (tensor<[n]x4x8xf32>, tensor<[n]x4x8xf32>) -> tensor<[n]x4x8xf32>
    %v = core.reduce(%q) {axes = array<i64: 1>, kind = "mean"} : (tensor<[n]x4x8xf32>) -> tensor<[n]x1x8xf32>
    %e = core.constant() {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
    %w = core.add(%v, %e) : (tensor<[n]x1x8xf32>, tensor<f32>) -> tensor<[n]x1x8xf32>
    %s = core.sqrt(%w) : (tensor<[n]x1x8xf32>) -> tensor<[n]x1x8xf32>
    %y = core.div(%x, %s) : (tensor<[n]x4x8xf32>, tensor<[n]x1x8xf32>) -> tensor<[n]x4x8xf32>
    return %y : tensor<[n]x4x8xf32>
  }
}
====
# rms-norm-multiplied
# run: opt %s --passes shapes,rules,shapes,dce --only rms-norm-multiplied -o -
# file: input.mlir
# stderr: rms-norm-multiplied 
---
func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
  %q = core.mul(%x, %x)
  %v = core.reduce(%q) {kind = "mean", axes = [-1]}
  %e = core.constant() {value = dense<0.00001> : tensor<f32>}
  %w = core.add(%v, %e)
  %s = core.rsqrt(%w)
  %y = core.mul(%x, %s)
  return %y : tensor<[n]x4x8xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
    %0 = core.constant() {value = dense<1.0> : tensor<8xf32>} : () -> tensor<8xf32>
    %y = core.rms_norm(%x, %0) {axis = 2, epsilon = 1.0e-05 : f32} : (tensor<[n]x4x8xf32>, tensor<8xf32>) -> tensor<[n]x4x8xf32>
    return %y : tensor<[n]x4x8xf32>
  }
}
====
# rms-norm-multiplied: of another value
# run: opt %s --passes shapes,rules,shapes,dce --only rms-norm-multiplied -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x4x8xf32>, %z: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
  %q = core.mul(%x, %x)
  %v = core.reduce(%q) {kind = "mean", axes = [-1]}
  %e = core.constant() {value = dense<0.00001> : tensor<f32>}
  %w = core.add(%v, %e)
  %s = core.rsqrt(%w)
  %y = core.mul(%z, %s)
  return %y : tensor<[n]x4x8xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x8xf32>, %z: tensor<[n]x4x8xf32>) -> (tensor<[n]x4x8xf32>) {
    %q = core.mul(%x, %x) : (tensor<[n]x4x8xf32>, tensor<[n]x4x8xf32>) -> tensor<[n]x4x8xf32>
    %v = core.reduce(%q) {axes = array<i64: -1>, kind = "mean"} : (tensor<[n]x4x8xf32>) -> tensor<[n]x4x1xf32>
    %e = core.constant() {value = dense<1.0e-05> : tensor<f32>} : () -> tensor<f32>
    %w = core.add(%v, %e) : (tensor<[n]x4x1xf32>, tensor<f32>) -> tensor<[n]x4x1xf32>
    %s = core.rsqrt(%w) : (tensor<[n]x4x1xf32>) -> tensor<[n]x4x1xf32>
    %y = core.mul(%z, %s) : (tensor<[n]x4x8xf32>, tensor<[n]x4x1xf32>) -> tensor<[n]x4x8xf32>
    return %y : tensor<[n]x4x8xf32>
  }
}

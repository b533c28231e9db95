# known-elements
# run: opt %s --passes shapes,rules,shapes,dce --only known-elements -o -
# file: input.mlir
# stderr: known-elements 
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<i64>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<1> : tensor<i64>}
  %y = core.gather(%s, %i)
  return %y : tensor<i64>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<i64>) {
    %y = core.constant() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    return %y : tensor<i64>
  }
}
====
# no-elements
# run: opt %s --passes shapes,rules,shapes,dce --only no-elements -o -
# file: input.mlir
# stderr: no-elements 
---
func.func @main(%x: tensor<0x3xf32>, %y: tensor<4x2xf32>, %z: tensor<2x0xbf16>) -> (tensor<0x3xf32>, tensor<4x2xf32>, tensor<2x0xi1>) {
  %a = core.abs(%x)
  %b = core.tanh(%a)
  %c = core.abs(%y)
  %d = core.isnan(%z)
  return %b, %c, %d : tensor<0x3xf32>, tensor<4x2xf32>, tensor<2x0xi1>
}
---
module {
  func.func @main(%x: tensor<0x3xf32>, %y: tensor<4x2xf32>, %z: tensor<2x0xbf16>) -> (tensor<0x3xf32>, tensor<4x2xf32>, tensor<2x0xi1>) {
    %b = core.constant() {value = dense<> : tensor<0x3xf32>} : () -> tensor<0x3xf32>
    %c = core.abs(%y) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %d = core.constant() {value = dense<false> : tensor<2x0xi1>} : () -> tensor<2x0xi1>
    return %b, %c, %d : tensor<0x3xf32>, tensor<4x2xf32>, tensor<2x0xi1>
  }
}
====
# no-elements: a size that may be none; random numbers; a matrix product over none has elements
# run: opt %s --passes shapes,rules,shapes,dce --only no-elements -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x0xf32>, %y: tensor<0x3xf32>, %z: tensor<4x0xf32>) -> (tensor<[n]x0xf32>, tensor<4x3xf32>, tensor<0xf32>) {
  %a = core.abs(%x)
  %b = core.matmul(%z, %y)
  %s = core.constant() {value = dense<0> : tensor<1xi64>}
  %c = core.random_uniform(%s)
  return %a, %b, %c : tensor<[n]x0xf32>, tensor<4x3xf32>, tensor<0xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x0xf32>, %y: tensor<0x3xf32>, %z: tensor<4x0xf32>) -> (tensor<[n]x0xf32>, tensor<4x3xf32>, tensor<0xf32>) {
    %a = core.abs(%x) : (tensor<[n]x0xf32>) -> tensor<[n]x0xf32>
    %b = core.matmul(%z, %y) : (tensor<4x0xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
    %s = core.constant() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
    %c = core.random_uniform(%s) : (tensor<1xi64>) -> tensor<0xf32>
    return %a, %b, %c : tensor<[n]x0xf32>, tensor<4x3xf32>, tensor<0xf32>
  }
}
====
# known-elements: the size is only known at run time
# run: opt %s --passes shapes,rules,shapes,dce --only known-elements -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<i64>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<0> : tensor<i64>}
  %y = core.gather(%s, %i)
  return %y : tensor<i64>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<i64>) {
    %s = core.shape(%x) : (tensor<[n]x3xf32>) -> tensor<2xi64>
    %i = core.constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %y = core.gather(%s, %i) : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    return %y : tensor<i64>
  }
}
====
# shape-of-same
# run: opt %s --passes shapes,rules,shapes,dce --only shape-of-same -o -
# file: input.mlir
# stderr: shape-of-same 
---
func.func @main(%x: tensor<[n]x[m]xf32>) -> (tensor<2xi64>) {
  %a = core.relu(%x)
  %y = core.shape(%a)
  return %y : tensor<2xi64>
}
---
module {
  func.func @main(%x: tensor<[n]x[m]xf32>) -> (tensor<2xi64>) {
    %y = core.shape(%x) : (tensor<[n]x[m]xf32>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
}
====
# shape-window
# run: opt %s --passes shapes,rules,shapes,dce --only shape-window -o -
# file: input.mlir
# stderr: shape-window 
---
func.func @main(%x: tensor<[n]x[m]x3xf32>) -> (tensor<2xi64>) {
  %s = core.shape(%x)
  %b = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %e = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %y = core.slice(%s, %b, %e)
  return %y : tensor<2xi64>
}
---
module {
  func.func @main(%x: tensor<[n]x[m]x3xf32>) -> (tensor<2xi64>) {
    %y = core.shape(%x) {end = 3, start = 1} : (tensor<[n]x[m]x3xf32>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
}
====
# shape-of-same: the broadcast may be larger
# run: opt %s --passes shapes,rules,shapes,dce --only shape-of-same -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1xf32>, %w: tensor<1x[m]xf32>) -> (tensor<2xi64>) {
  %a = core.add(%x, %w)
  %y = core.shape(%a)
  return %y : tensor<2xi64>
}
---
module {
  func.func @main(%x: tensor<[n]x1xf32>, %w: tensor<1x[m]xf32>) -> (tensor<2xi64>) {
    %a = core.add(%x, %w) : (tensor<[n]x1xf32>, tensor<1x[m]xf32>) -> tensor<[n]x[m]xf32>
    %y = core.shape(%a) : (tensor<[n]x[m]xf32>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
}
====
# shape-run
# run: opt %s --passes shapes,rules,shapes,dce --only shape-run -o -
# file: input.mlir
# stderr: shape-run 
---
func.func @main(%x: tensor<[a]x[b]x[c]xf32>) -> (tensor<2xi64>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %j = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %p = core.gather(%s, %i) {axis = 0}
  %q = core.gather(%s, %j) {axis = 0}
  %y = core.concat(%p, %q) {axis = 0}
  return %y : tensor<2xi64>
}
---
module {
  func.func @main(%x: tensor<[a]x[b]x[c]xf32>) -> (tensor<2xi64>) {
    %s = core.shape(%x) : (tensor<[a]x[b]x[c]xf32>) -> tensor<3xi64>
    %0 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%s, %0, %1) {axes = array<i64: 0>} : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
}
====
# shape-run: the dims are not in a row
# run: opt %s --passes shapes,rules,shapes,dce --only shape-run -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[a]x[b]x[c]xf32>) -> (tensor<2xi64>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %j = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %p = core.gather(%s, %i) {axis = 0}
  %q = core.gather(%s, %j) {axis = 0}
  %y = core.concat(%p, %q) {axis = 0}
  return %y : tensor<2xi64>
}
---
module {
  func.func @main(%x: tensor<[a]x[b]x[c]xf32>) -> (tensor<2xi64>) {
    %s = core.shape(%x) : (tensor<[a]x[b]x[c]xf32>) -> tensor<3xi64>
    %i = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %j = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %p = core.gather(%s, %i) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %q = core.gather(%s, %j) {axis = 0} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %y = core.concat(%p, %q) {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
}
====
# shape-window: in steps of 2
# run: opt %s --passes shapes,rules,shapes,dce --only shape-window -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[a]x[b]x[c]x[d]xf32>) -> (tensor<2xi64>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %j = core.constant() {value = dense<[4]> : tensor<1xi64>}
  %k = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %y = core.slice(%s, %i, %j, %k)
  return %y : tensor<2xi64>
}
---
module {
  func.func @main(%x: tensor<[a]x[b]x[c]x[d]xf32>) -> (tensor<2xi64>) {
    %s = core.shape(%x) : (tensor<[a]x[b]x[c]x[d]xf32>) -> tensor<4xi64>
    %i = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %j = core.constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %k = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%s, %i, %j, %k) : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
}
====
# equal-elements
# run: opt %s --passes shapes,rules,shapes,dce --only equal-elements -o -
# file: input.mlir
# stderr: equal-elements 
---
func.func @main(%x: tensor<[a]x[b]xf32>) -> (tensor<i64>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<1> : tensor<i64>}
  %p = core.gather(%s, %i) {axis = 0}
  %t = core.shape(%x) {start = 1}
  %e = core.constant() {value = dense<[]> : tensor<0xi64>}
  %q = core.reshape(%t, %e)
  %y = core.add(%p, %q)
  return %y : tensor<i64>
}
---
module {
  func.func @main(%x: tensor<[a]x[b]xf32>) -> (tensor<i64>) {
    %s = core.shape(%x) : (tensor<[a]x[b]xf32>) -> tensor<2xi64>
    %i = core.constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %p = core.gather(%s, %i) {axis = 0} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    %y = core.add(%p, %p) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    return %y : tensor<i64>
  }
}
====
# equal-elements: dims that are equal by coincidence only
# run: opt %s --passes shapes,rules,shapes,dce --only equal-elements -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[a]x[b]xf32>) -> (tensor<i64>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<0> : tensor<i64>}
  %j = core.constant() {value = dense<1> : tensor<i64>}
  %p = core.gather(%s, %i) {axis = 0}
  %q = core.gather(%s, %j) {axis = 0}
  %y = core.add(%p, %q)
  return %y : tensor<i64>
}
---
module {
  func.func @main(%x: tensor<[a]x[b]xf32>) -> (tensor<i64>) {
    %s = core.shape(%x) : (tensor<[a]x[b]xf32>) -> tensor<2xi64>
    %i = core.constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %j = core.constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %p = core.gather(%s, %i) {axis = 0} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    %q = core.gather(%s, %j) {axis = 0} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    %y = core.add(%p, %q) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    return %y : tensor<i64>
  }
}

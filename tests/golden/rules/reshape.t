# reshape-noop
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-noop -o -
# file: input.mlir
# stderr: reshape-noop 
---
func.func @main(%x: tensor<[n]x6xf32>) -> (!unknown) {
  %s = core.constant() {value = dense<[-1, 6]> : tensor<2xi64>}
  %y = core.reshape(%x, %s)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x6xf32>) -> (tensor<[2*n]x6xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<[n]x6xf32>, tensor<[n]x6xf32>) -> tensor<[2*n]x6xf32>
    return %r0 : tensor<[2*n]x6xf32>
  }
}
====
# reshape-noop: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-noop -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x6xf32>) -> (!unknown) {
  %s = core.constant() {value = dense<[-1, 3]> : tensor<2xi64>}
  %y = core.reshape(%x, %s)
  return %y : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x6xf32>) -> (tensor<[2*n]x3xf32>) {
    %s = core.constant() {value = dense<[-1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.reshape(%x, %s) : (tensor<[n]x6xf32>, tensor<2xi64>) -> tensor<[2*n]x3xf32>
    return %y : tensor<[2*n]x3xf32>
  }
}
====
# reshape-reshape
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-reshape -o -
# file: input.mlir
# stderr: reshape-reshape 
---
func.func @main(%x: tensor<2x1x6xf32>) -> (tensor<12xf32>) {
  %s = core.constant() {value = dense<[12]> : tensor<1xi64>}
  %a = core.squeeze(%x) {axes = [1]}
  %y = core.reshape(%a, %s)
  return %y : tensor<12xf32>
}
---
module {
  func.func @main(%x: tensor<2x1x6xf32>) -> (tensor<12xf32>) {
    %0 = core.constant() {value = dense<[12]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.reshape(%x, %0) : (tensor<2x1x6xf32>, tensor<1xi64>) -> tensor<12xf32>
    return %y : tensor<12xf32>
  }
}
====
# reshape-around
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-around -o -
# file: input.mlir
# stderr: reshape-around 
---
func.func @main(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>) {
  %s = core.constant() {value = dense<[12]> : tensor<1xi64>}
  %t = core.constant() {value = dense<[2, 6]> : tensor<2xi64>}
  %a = core.reshape(%x, %s)
  %b = core.relu(%a)
  %y = core.reshape(%b, %t)
  return %y : tensor<2x6xf32>
}
---
module {
  func.func @main(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>) {
    %y = core.relu(%x) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    return %y : tensor<2x6xf32>
  }
}
====
# reduce-keepdims
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-keepdims -o -
# file: input.mlir
# stderr: reduce-keepdims 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>) {
  %a = core.reduce(%x) {kind = "sum", axes = [1]}
  %y = core.squeeze(%a) {axes = [1]}
  return %y : tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 1>, keepdims = 0, kind = "sum"} : (tensor<2x3xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
====
# reshape-constant
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-constant -o -
# file: input.mlir
# stderr: reshape-constant 
---
func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x32xf32>) {
  %s = core.shape(%x)
  %z = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %o = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %d = core.slice(%s, %z, %o)
  %k = core.constant() {value = dense<[32]> : tensor<1xi64>}
  %t = core.concat(%d, %k) {axis = 0}
  %y = core.reshape(%x, %t)
  return %y : tensor<[n]x32xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x4x8xf32>) -> (tensor<[n]x32xf32>) {
    %0 = core.constant() {value = dense<[-1, 32]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.reshape(%x, %0) : (tensor<[n]x4x8xf32>, tensor<2xi64>) -> tensor<[n]x32xf32>
    return %y : tensor<[n]x32xf32>
  }
}
====
# expand-noop
# run: opt %s --passes shapes,rules,shapes,dce --only expand-noop -o -
# file: input.mlir
# stderr: expand-noop 
---
func.func @main(%x: tensor<[n]x3xf32>) -> (!unknown) {
  %s = core.shape(%x)
  %y = core.expand(%x, %s)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[2*n]x3xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<[n]x3xf32>, tensor<[n]x3xf32>) -> tensor<[2*n]x3xf32>
    return %r0 : tensor<[2*n]x3xf32>
  }
}
====
# expand-noop: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only expand-noop -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x3xf32>) -> (tensor<2x3xf32>) {
  %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>}
  %y = core.expand(%x, %s)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<1x3xf32>) -> (tensor<2x3xf32>) {
    %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.expand(%x, %s) : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# expand-expand
# run: opt %s --passes shapes,rules,shapes,dce --only expand-expand -o -
# file: input.mlir
# stderr: expand-expand 
---
func.func @main(%x: tensor<1x3xf32>) -> (tensor<4x2x3xf32>) {
  %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>}
  %t = core.constant() {value = dense<[4, 2, 3]> : tensor<3xi64>}
  %a = core.expand(%x, %s)
  %y = core.expand(%a, %t)
  return %y : tensor<4x2x3xf32>
}
---
module {
  func.func @main(%x: tensor<1x3xf32>) -> (tensor<4x2x3xf32>) {
    %t = core.constant() {value = dense<[4, 2, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
    %y = core.expand(%x, %t) : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<4x2x3xf32>
    return %y : tensor<4x2x3xf32>
  }
}
====
# expand-broadcast
# run: opt %s --passes shapes,rules,shapes,dce --only expand-broadcast -o -
# file: input.mlir
# stderr: expand-broadcast 
---
func.func @main(%x: tensor<1x3xf32>, %z: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>}
  %a = core.expand(%x, %s)
  %y = core.add(%a, %z)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<1x3xf32>, %z: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %y = core.add(%x, %z) : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# expand-broadcast: the expanded size is needed
# run: opt %s --passes shapes,rules,shapes,dce --only expand-broadcast -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x3xf32>, %z: tensor<1x3xf32>) -> (tensor<2x3xf32>) {
  %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>}
  %a = core.expand(%x, %s)
  %y = core.add(%a, %z)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<1x3xf32>, %z: tensor<1x3xf32>) -> (tensor<2x3xf32>) {
    %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %a = core.expand(%x, %s) : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    %y = core.add(%a, %z) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# tile-ones
# run: opt %s --passes shapes,rules,shapes,dce --only tile-ones -o -
# file: input.mlir
# stderr: tile-ones 
---
func.func @main(%x: tensor<2x3xf32>) -> (!unknown) {
  %r = core.constant() {value = dense<1> : tensor<2xi64>}
  %y = core.tile(%x, %r)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<4x3xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    return %r0 : tensor<4x3xf32>
  }
}
====
# tile-tile
# run: opt %s --passes shapes,rules,shapes,dce --only tile-tile -o -
# file: input.mlir
# stderr: tile-tile 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<6x6xf32>) {
  %r = core.constant() {value = dense<[1, 2]> : tensor<2xi64>}
  %t = core.constant() {value = dense<[3, 1]> : tensor<2xi64>}
  %a = core.tile(%x, %r)
  %y = core.tile(%a, %t)
  return %y : tensor<6x6xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<6x6xf32>) {
    %0 = core.constant() {value = dense<[3, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.tile(%x, %0) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<6x6xf32>
    return %y : tensor<6x6xf32>
  }
}
====
# reshape-around-pair
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-around-pair -o -
# file: input.mlir
# stderr: reshape-around-pair 
---
func.func @main(%x: tensor<2x3x4x4xf32>, %c: tensor<1x3x1x4xf32>) -> (tensor<2x3x4x4xf32>) {
  %s = core.constant() {value = dense<[1, -1, 3, 4, 4]> : tensor<5xi64>}
  %t = core.constant() {value = dense<[2, 3, 4, 4]> : tensor<4xi64>}
  %a = core.reshape(%x, %s)
  %b = core.sub(%c, %a)
  %y = core.reshape(%b, %t)
  return %y : tensor<2x3x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<2x3x4x4xf32>, %c: tensor<1x3x1x4xf32>) -> (tensor<2x3x4x4xf32>) {
    %0 = core.constant() {value = dense<[1, 3, 1, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
    %1 = core.reshape(%c, %0) : (tensor<1x3x1x4xf32>, tensor<4xi64>) -> tensor<1x3x1x4xf32>
    %y = core.sub(%1, %x) : (tensor<1x3x1x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
    return %y : tensor<2x3x4x4xf32>
  }
}
====
# reshape-around-pair: dims are split
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-around-pair -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<6x4xf32>, %c: tensor<3x1xf32>) -> (tensor<6x4xf32>) {
  %s = core.constant() {value = dense<[2, 3, 4]> : tensor<3xi64>}
  %t = core.constant() {value = dense<[6, 4]> : tensor<2xi64>}
  %a = core.reshape(%x, %s)
  %b = core.add(%a, %c)
  %y = core.reshape(%b, %t)
  return %y : tensor<6x4xf32>
}
---
module {
  func.func @main(%x: tensor<6x4xf32>, %c: tensor<3x1xf32>) -> (tensor<6x4xf32>) {
    %s = core.constant() {value = dense<[2, 3, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
    %t = core.constant() {value = dense<[6, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %a = core.reshape(%x, %s) : (tensor<6x4xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
    %b = core.add(%a, %c) : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
    %y = core.reshape(%b, %t) : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
    return %y : tensor<6x4xf32>
  }
}
====
# reshape-around-pair: the other operand makes the result larger
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-around-pair -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xf32>, %c: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
  %s = core.constant() {value = dense<[1, 4]> : tensor<2xi64>}
  %t = core.constant() {value = dense<[2, 4]> : tensor<2xi64>}
  %a = core.reshape(%x, %s)
  %b = core.add(%a, %c)
  %y = core.reshape(%b, %t)
  return %y : tensor<2x4xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>, %c: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
    %s = core.constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %t = core.constant() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %a = core.reshape(%x, %s) : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %b = core.add(%a, %c) : (tensor<1x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %y = core.reshape(%b, %t) : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}
====
# reshape-around-pair: the sum is an output
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-around-pair -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3x4xf32>, %c: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1x3x4xf32>) {
  %s = core.constant() {value = dense<[1, 3, 4]> : tensor<3xi64>}
  %t = core.constant() {value = dense<[3, 4]> : tensor<2xi64>}
  %a = core.reshape(%x, %s)
  %b = core.add(%a, %c)
  %y = core.reshape(%b, %t)
  return %y, %b : tensor<3x4xf32>, tensor<1x3x4xf32>
}
---
module {
  func.func @main(%x: tensor<3x4xf32>, %c: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1x3x4xf32>) {
    %s = core.constant() {value = dense<[1, 3, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
    %t = core.constant() {value = dense<[3, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %a = core.reshape(%x, %s) : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<1x3x4xf32>
    %b = core.add(%a, %c) : (tensor<1x3x4xf32>, tensor<4xf32>) -> tensor<1x3x4xf32>
    %y = core.reshape(%b, %t) : (tensor<1x3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    return %y, %b : tensor<3x4xf32>, tensor<1x3x4xf32>
  }
}
====
# reshape-around: the dims do not come back
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-around -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x6xf32>) -> (tensor<3x4xf32>) {
  %s = core.constant() {value = dense<[12]> : tensor<1xi64>}
  %a = core.reshape(%x, %s)
  %r = core.relu(%a)
  %t = core.constant() {value = dense<[3, 4]> : tensor<2xi64>}
  %y = core.reshape(%r, %t)
  return %y : tensor<3x4xf32>
}
---
module {
  func.func @main(%x: tensor<2x6xf32>) -> (tensor<3x4xf32>) {
    %s = core.constant() {value = dense<[12]> : tensor<1xi64>} : () -> tensor<1xi64>
    %a = core.reshape(%x, %s) : (tensor<2x6xf32>, tensor<1xi64>) -> tensor<12xf32>
    %r = core.relu(%a) : (tensor<12xf32>) -> tensor<12xf32>
    %t = core.constant() {value = dense<[3, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.reshape(%r, %t) : (tensor<12xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    return %y : tensor<3x4xf32>
  }
}
====
# reshape-around: the reshaped value is an output
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-around -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<12xf32>) {
  %s = core.constant() {value = dense<[12]> : tensor<1xi64>}
  %a = core.reshape(%x, %s)
  %r = core.relu(%a)
  %t = core.constant() {value = dense<[2, 6]> : tensor<2xi64>}
  %y = core.reshape(%r, %t)
  return %y, %a : tensor<2x6xf32>, tensor<12xf32>
}
---
module {
  func.func @main(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<12xf32>) {
    %s = core.constant() {value = dense<[12]> : tensor<1xi64>} : () -> tensor<1xi64>
    %a = core.reshape(%x, %s) : (tensor<2x6xf32>, tensor<1xi64>) -> tensor<12xf32>
    %r = core.relu(%a) : (tensor<12xf32>) -> tensor<12xf32>
    %t = core.constant() {value = dense<[2, 6]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.reshape(%r, %t) : (tensor<12xf32>, tensor<2xi64>) -> tensor<2x6xf32>
    return %y, %a : tensor<2x6xf32>, tensor<12xf32>
  }
}
====
# reshape-reshape: two sizes are known to the run only
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-reshape -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]xf32>, %s: tensor<2xi64>, %t: tensor<2xi64>) -> (tensor<?x?xf32>) {
  %a = core.reshape(%x, %s)
  %y = core.reshape(%a, %t)
  return %y : tensor<?x?xf32>
}
---
module {
  func.func @main(%x: tensor<[n]xf32>, %s: tensor<2xi64>, %t: tensor<2xi64>) -> (tensor<[?9]x[?10]xf32> {hone.declared = tensor<[?1]x[?2]xf32>}) {
    %a = core.reshape(%x, %s) : (tensor<[n]xf32>, tensor<2xi64>) -> tensor<[?7]x[?8]xf32>
    %y = core.reshape(%a, %t) : (tensor<[?7]x[?8]xf32>, tensor<2xi64>) -> tensor<[?9]x[?10]xf32>
    return %y : tensor<[?9]x[?10]xf32>
  }
}
====
# reshape-constant: the sizes come from the data
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-constant -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]xf32>, %s: tensor<2xi64>) -> (tensor<?x?xf32>) {
  %y = core.reshape(%x, %s)
  return %y : tensor<?x?xf32>
}
---
module {
  func.func @main(%x: tensor<[n]xf32>, %s: tensor<2xi64>) -> (tensor<[?5]x[?6]xf32> {hone.declared = tensor<[?1]x[?2]xf32>}) {
    %y = core.reshape(%x, %s) : (tensor<[n]xf32>, tensor<2xi64>) -> tensor<[?5]x[?6]xf32>
    return %y : tensor<[?5]x[?6]xf32>
  }
}
====
# reshape-copy-dims
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-copy-dims -o -
# file: input.mlir
# stderr: reshape-copy-dims 
---
func.func @main(%x: tensor<[n]x[m]xf32>, %k: tensor<2xi64>) -> (tensor<[n]x?x?xf32>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %p = core.gather(%s, %i) {axis = 0}
  %q = core.concat(%p, %k) {axis = 0}
  %y = core.reshape(%x, %q)
  return %y : tensor<[n]x?x?xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x[m]xf32>, %k: tensor<2xi64>) -> (tensor<[n]x[?9]x[?10]xf32> {hone.declared = tensor<[n]x[?1]x[?2]xf32>}) {
    %0 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.concat(%0, %k) {axis = 0} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %y = core.reshape(%x, %1) : (tensor<[n]x[m]xf32>, tensor<3xi64>) -> tensor<[n]x[?9]x[?10]xf32>
    return %y : tensor<[n]x[?9]x[?10]xf32>
  }
}
====
# reshape-copy-dims: the size of another value
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-copy-dims -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x[m]xf32>, %z: tensor<[b]x[c]xf32>, %k: tensor<2xi64>) -> (tensor<[b]x?x?xf32>) {
  %s = core.shape(%z)
  %i = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %p = core.gather(%s, %i) {axis = 0}
  %q = core.concat(%p, %k) {axis = 0}
  %y = core.reshape(%x, %q)
  return %y : tensor<[b]x?x?xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x[m]xf32>, %z: tensor<[b]x[c]xf32>, %k: tensor<2xi64>) -> (tensor<[b]x[?9]x[?10]xf32> {hone.declared = tensor<[b]x[?1]x[?2]xf32>}) {
    %s = core.shape(%z) : (tensor<[b]x[c]xf32>) -> tensor<2xi64>
    %i = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %p = core.gather(%s, %i) {axis = 0} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %q = core.concat(%p, %k) {axis = 0} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %y = core.reshape(%x, %q) : (tensor<[n]x[m]xf32>, tensor<3xi64>) -> tensor<[b]x[?9]x[?10]xf32>
    return %y : tensor<[b]x[?9]x[?10]xf32>
  }
}
====
# reduce-keepdims: the value is used with its axes, too
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-keepdims -o -
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
# expand-constant
# run: opt %s --passes shapes,rules,shapes,dce --only expand-constant -o -
# file: input.mlir
# stderr: expand-constant 
---
func.func @main(%x: tensor<3x1xf32>, %z: tensor<3x8xf32>) -> (tensor<3x8xf32>) {
  %s = core.shape(%z)
  %y = core.expand(%x, %s)
  return %y : tensor<3x8xf32>
}
---
module {
  func.func @main(%x: tensor<3x1xf32>, %z: tensor<3x8xf32>) -> (tensor<3x8xf32>) {
    %0 = core.constant() {value = dense<[3, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.expand(%x, %0) : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<3x8xf32>
    return %y : tensor<3x8xf32>
  }
}
====
# expand-constant: the size is known to the run only
# run: opt %s --passes shapes,rules,shapes,dce --only expand-constant -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3x1xf32>, %z: tensor<3x[n]xf32>) -> (tensor<3x[n]xf32>) {
  %s = core.shape(%z)
  %y = core.expand(%x, %s)
  return %y : tensor<3x[n]xf32>
}
---
module {
  func.func @main(%x: tensor<3x1xf32>, %z: tensor<3x[n]xf32>) -> (tensor<3x[n]xf32>) {
    %s = core.shape(%z) : (tensor<3x[n]xf32>) -> tensor<2xi64>
    %y = core.expand(%x, %s) : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<3x[n]xf32>
    return %y : tensor<3x[n]xf32>
  }
}
====
# expand-expand: the inner shape takes part
# run: opt %s --passes shapes,rules,shapes,dce --only expand-expand -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x3xf32>) -> (tensor<2x4x3xf32>) {
  %s = core.constant() {value = dense<[4, 3]> : tensor<2xi64>}
  %t = core.constant() {value = dense<[2, 1, 3]> : tensor<3xi64>}
  %a = core.expand(%x, %s)
  %y = core.expand(%a, %t)
  return %y : tensor<2x4x3xf32>
}
---
module {
  func.func @main(%x: tensor<1x3xf32>) -> (tensor<2x4x3xf32>) {
    %s = core.constant() {value = dense<[4, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %t = core.constant() {value = dense<[2, 1, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
    %a = core.expand(%x, %s) : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<4x3xf32>
    %y = core.expand(%a, %t) : (tensor<4x3xf32>, tensor<3xi64>) -> tensor<2x4x3xf32>
    return %y : tensor<2x4x3xf32>
  }
}
====
# tile-ones: one axis repeats
# run: opt %s --passes shapes,rules,shapes,dce --only tile-ones -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x6xf32>) {
  %s = core.constant() {value = dense<[1, 2]> : tensor<2xi64>}
  %a = core.tile(%x, %s)
  %y = core.relu(%a)
  return %y : tensor<2x6xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x6xf32>) {
    %s = core.constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %a = core.tile(%x, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x6xf32>
    %y = core.relu(%a) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    return %y : tensor<2x6xf32>
  }
}
====
# tile-tile: the repeats are an input
# run: opt %s --passes shapes,rules,shapes,dce --only tile-tile -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>, %s: tensor<2xi64>) -> (tensor<?x?xf32>) {
  %k = core.constant() {value = dense<[1, 2]> : tensor<2xi64>}
  %a = core.tile(%x, %s)
  %y = core.tile(%a, %k)
  return %y : tensor<?x?xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %s: tensor<2xi64>) -> (tensor<[?7]x[2*?8]xf32> {hone.declared = tensor<[?5]x[2*?6]xf32>}) {
    %k = core.constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %a = core.tile(%x, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<[?7]x[?8]xf32>
    %y = core.tile(%a, %k) : (tensor<[?7]x[?8]xf32>, tensor<2xi64>) -> tensor<[?7]x[2*?8]xf32>
    return %y : tensor<[?7]x[2*?8]xf32>
  }
}

# transpose-identity
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-identity -o -
# file: input.mlir
# stderr: transpose-identity 
---
func.func @main(%x: tensor<2x3xf32>) -> (!unknown) {
  %y = core.transpose(%x) {perm = [0, 1]}
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
# transpose-identity: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-identity -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>) {
  %y = core.transpose(%x)
  return %y : tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>) {
    %y = core.transpose(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  }
}
====
# transpose-transpose
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-transpose -o -
# file: input.mlir
# stderr: transpose-transpose 
---
func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>) {
  %a = core.transpose(%x) {perm = [0, 2, 1]}
  %y = core.transpose(%a) {perm = [2, 0, 1]}
  return %y : tensor<3x2x4xf32>
}
---
module {
  func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>) {
    %y = core.transpose(%x) {perm = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
    return %y : tensor<3x2x4xf32>
  }
}
====
# transpose-cancel
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-cancel -o -
# file: input.mlir
# stderr: transpose-cancel 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %a = core.transpose(%x)
  %b = core.relu(%a)
  %y = core.transpose(%b)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %y = core.relu(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# transpose-cancel: the inner value is an output
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-cancel -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  %a = core.transpose(%x)
  %b = core.relu(%a)
  %y = core.transpose(%b)
  return %y, %b : tensor<2x3xf32>, tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
    %a = core.transpose(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %b = core.relu(%a) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %y = core.transpose(%b) : (tensor<3x2xf32>) -> tensor<2x3xf32>
    return %y, %b : tensor<2x3xf32>, tensor<3x2xf32>
  }
}
====
# transpose-sink
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-sink -o -
# file: input.mlir
# stderr: transpose-sink 
---
func.func @main(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>) -> (tensor<3x2xf32>) {
  %a = core.transpose(%x)
  %b = core.transpose(%z)
  %y = core.add(%a, %b)
  return %y : tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>) -> (tensor<3x2xf32>) {
    %0 = core.add(%x, %z) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %y = core.transpose(%0) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  }
}
====
# transpose-sink: one operand is not transposed
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-sink -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>, %z: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
  %a = core.transpose(%x)
  %y = core.add(%a, %z)
  return %y : tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %z: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
    %a = core.transpose(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %y = core.add(%a, %z) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  }
}
====
# transpose-reshape
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-reshape -o -
# file: input.mlir
# stderr: transpose-reshape 
---
func.func @main(%x: tensor<1x3x4xf32>) -> (tensor<3x1x4xf32>) {
  %y = core.transpose(%x) {perm = [1, 0, 2]}
  return %y : tensor<3x1x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x3x4xf32>) -> (tensor<3x1x4xf32>) {
    %0 = core.constant() {value = dense<[3, 1, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
    %y = core.reshape(%x, %0) : (tensor<1x3x4xf32>, tensor<3xi64>) -> tensor<3x1x4xf32>
    return %y : tensor<3x1x4xf32>
  }
}
====
# transpose-split
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-split -o -
# file: input.mlir
# stderr: transpose-split 
---
func.func @main(%x: tensor<4x2x3xf32>) -> (tensor<2x2x3xf32>, tensor<2x2x3xf32>) {
  %a = core.transpose(%x) {perm = [0, 2, 1]}
  %p, %q = core.split(%a) {axis = 0}
  %y = core.transpose(%p) {perm = [0, 2, 1]}
  %z = core.transpose(%q) {perm = [2, 0, 1]}
  return %y, %z : tensor<2x2x3xf32>, tensor<2x2x3xf32>
}
---
module {
  func.func @main(%x: tensor<4x2x3xf32>) -> (tensor<2x2x3xf32>, tensor<2x2x3xf32>) {
    %0, %1 = core.split(%x) {axis = 0} : (tensor<4x2x3xf32>) -> (tensor<2x2x3xf32>, tensor<2x2x3xf32>)
    %p = core.transpose(%0) {perm = array<i64: 0, 2, 1>} : (tensor<2x2x3xf32>) -> tensor<2x3x2xf32>
    %q = core.transpose(%1) {perm = array<i64: 0, 2, 1>} : (tensor<2x2x3xf32>) -> tensor<2x3x2xf32>
    %y = core.transpose(%p) {perm = array<i64: 0, 2, 1>} : (tensor<2x3x2xf32>) -> tensor<2x2x3xf32>
    %z = core.transpose(%q) {perm = array<i64: 2, 0, 1>} : (tensor<2x3x2xf32>) -> tensor<2x2x3xf32>
    return %y, %z : tensor<2x2x3xf32>, tensor<2x2x3xf32>
  }
}
====
# transpose-split: a part meets no transpose
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-split -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4x2x3xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x2xf32>) {
  %a = core.transpose(%x) {perm = [0, 2, 1]}
  %y, %z = core.split(%a) {axis = 0}
  return %y, %z : tensor<2x3x2xf32>, tensor<2x3x2xf32>
}
---
module {
  func.func @main(%x: tensor<4x2x3xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x2xf32>) {
    %a = core.transpose(%x) {perm = array<i64: 0, 2, 1>} : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
    %y, %z = core.split(%a) {axis = 0} : (tensor<4x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x2xf32>)
    return %y, %z : tensor<2x3x2xf32>, tensor<2x3x2xf32>
  }
}
====
# transpose-reshape: it moves an axis past another
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-reshape -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3x1xf32>) -> (tensor<3x[n]x1xf32>) {
  %y = core.transpose(%x) {perm = [1, 0, 2]}
  return %y : tensor<3x[n]x1xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3x1xf32>) -> (tensor<3x[n]x1xf32>) {
    %y = core.transpose(%x) {perm = array<i64: 1, 0, 2>} : (tensor<[n]x3x1xf32>) -> tensor<3x[n]x1xf32>
    return %y : tensor<3x[n]x1xf32>
  }
}
====
# transpose-transpose: an op that looks along an axis is between
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-transpose -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %a = core.transpose(%x) {perm = [1, 0]}
  %s = core.softmax(%a) {axis = 1}
  %y = core.transpose(%s) {perm = [1, 0]}
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %a = core.transpose(%x) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %s = core.softmax(%a) {axis = 1} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %y = core.transpose(%s) {perm = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}

# reduce-elements: the square is an output
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-elements -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>) {
  %a = core.mul(%x, %x)
  %y = core.reduce(%a) {kind = "sum", axes = [1]}
  return %y, %a : tensor<2x1xf32>, tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>) {
    %a = core.mul(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %y = core.reduce(%a) {axes = array<i64: 1>, kind = "sum"} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %y, %a : tensor<2x1xf32>, tensor<2x3xf32>
  }
}
====
# reduce-elements: a product of two values
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-elements -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
  %a = core.mul(%x, %w)
  %y = core.reduce(%a) {kind = "sum", axes = [1]}
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
    %a = core.mul(%x, %w) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %y = core.reduce(%a) {axes = array<i64: 1>, kind = "sum"} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-l2: of a plain sum
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-l2 -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
  %a = core.reduce(%x) {kind = "sum", axes = [1]}
  %y = core.sqrt(%a)
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
    %a = core.reduce(%x) {axes = array<i64: 1>, kind = "sum"} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %y = core.sqrt(%a) : (tensor<2x1xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-log-sum
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-log-sum -o -
# file: input.mlir
# stderr: reduce-log-sum 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
  %a = core.reduce(%x) {kind = "sum", axes = [1]}
  %y = core.log(%a)
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 1>, kind = "log_sum"} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-log-sum: of a mean
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-log-sum -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
  %a = core.reduce(%x) {kind = "mean", axes = [1]}
  %y = core.log(%a)
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
    %a = core.reduce(%x) {axes = array<i64: 1>, kind = "mean"} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %y = core.log(%a) : (tensor<2x1xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-mean-factor
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-mean-factor -o -
# file: input.mlir
# stderr: reduce-mean-factor 
---
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>) {
  %a = core.reduce(%x) {kind = "sum", axes = [1]}
  %k = core.constant() {value = dense<0.25> : tensor<f32>}
  %y = core.mul(%a, %k)
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 1>, kind = "mean"} : (tensor<2x4xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-mean-factor: not one over the count
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-mean-factor -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>) {
  %a = core.reduce(%x) {kind = "sum", axes = [1]}
  %k = core.constant() {value = dense<0.5> : tensor<f32>}
  %y = core.mul(%a, %k)
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>) {
    %a = core.reduce(%x) {axes = array<i64: 1>, kind = "sum"} : (tensor<2x4xf32>) -> tensor<2x1xf32>
    %k = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %y = core.mul(%a, %k) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-mean-divided
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-mean-divided -o -
# file: input.mlir
# stderr: reduce-mean-divided 
---
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>) {
  %a = core.reduce(%x) {kind = "sum", axes = [1]}
  %k = core.constant() {value = dense<4.0> : tensor<f32>}
  %y = core.div(%a, %k)
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 1>, kind = "mean"} : (tensor<2x4xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-mean-divided: the count is known to the run only
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-mean-divided -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x[n]xf32>) -> (tensor<2x1xf32>) {
  %a = core.reduce(%x) {kind = "sum", axes = [1]}
  %k = core.constant() {value = dense<4.0> : tensor<f32>}
  %y = core.div(%a, %k)
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x[n]xf32>) -> (tensor<2x1xf32>) {
    %a = core.reduce(%x) {axes = array<i64: 1>, kind = "sum"} : (tensor<2x[n]xf32>) -> tensor<2x1xf32>
    %k = core.constant() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.div(%a, %k) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-unsqueeze
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-unsqueeze -o -
# file: input.mlir
# stderr: reduce-unsqueeze 
---
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>) {
  %a = core.reduce(%x) {kind = "max", axes = [1], keepdims = 0}
  %y = core.unsqueeze(%a) {axes = [1]}
  return %y : tensor<2x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 1>, keepdims = 1, kind = "max"} : (tensor<2x4xf32>) -> tensor<2x1xf32>
    return %y : tensor<2x1xf32>
  }
}
====
# reduce-unsqueeze: another axis
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-unsqueeze -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x4xf32>) -> (tensor<1x2xf32>) {
  %a = core.reduce(%x) {kind = "max", axes = [1], keepdims = 0}
  %y = core.unsqueeze(%a) {axes = [0]}
  return %y : tensor<1x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<1x2xf32>) {
    %a = core.reduce(%x) {axes = array<i64: 1>, keepdims = 0, kind = "max"} : (tensor<2x4xf32>) -> tensor<2xf32>
    %y = core.unsqueeze(%a) {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<1x2xf32>
    return %y : tensor<1x2xf32>
  }
}
====
# reduce-reshape
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-reshape -o -
# file: input.mlir
# stderr: reduce-reshape 
---
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2xf32>) {
  %a = core.reduce(%x) {kind = "max", axes = [1]}
  %s = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %y = core.reshape(%a, %s)
  return %y : tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 1>, keepdims = 0, kind = "max"} : (tensor<2x4xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
====
# reduce-reshape: axes of its own
# run: opt %s --passes shapes,rules,shapes,dce --only reduce-reshape -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<6x4xf32>) -> (tensor<2x3xf32>) {
  %a = core.reduce(%x) {kind = "max", axes = [1]}
  %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>}
  %y = core.reshape(%a, %s)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<6x4xf32>) -> (tensor<2x3xf32>) {
    %a = core.reduce(%x) {axes = array<i64: 1>, kind = "max"} : (tensor<6x4xf32>) -> tensor<6x1xf32>
    %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.reshape(%a, %s) : (tensor<6x1xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# pool-flatten: from another axis on
# run: opt %s --passes shapes,rules,shapes,dce --only pool-flatten -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3x4x5xf32>) -> (tensor<6x1xf32>) {
  %p = core.global_avg_pool(%x)
  %y = core.flatten(%p) {axis = 2}
  return %y : tensor<6x1xf32>
}
---
module {
  func.func @main(%x: tensor<2x3x4x5xf32>) -> (tensor<6x1xf32>) {
    %p = core.global_avg_pool(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32>
    %y = core.flatten(%p) {axis = 2} : (tensor<2x3x1x1xf32>) -> tensor<6x1xf32>
    return %y : tensor<6x1xf32>
  }
}
====
# pool-squeeze
# run: opt %s --passes shapes,rules,shapes,dce --only pool-squeeze -o -
# file: input.mlir
# stderr: pool-squeeze 
---
func.func @main(%x: tensor<[n]x3x4x5xf32>) -> (tensor<[n]x3xf32>) {
  %p = core.global_avg_pool(%x)
  %y = core.squeeze(%p) {axes = [2, 3]}
  return %y : tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3x4x5xf32>) -> (tensor<[n]x3xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 2, 3>, keepdims = 0, kind = "mean"} : (tensor<[n]x3x4x5xf32>) -> tensor<[n]x3xf32>
    return %y : tensor<[n]x3xf32>
  }
}
====
# pool-squeeze: one axis stays
# run: opt %s --passes shapes,rules,shapes,dce --only pool-squeeze -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3x4x5xf32>) -> (tensor<[n]x3x1xf32>) {
  %p = core.global_avg_pool(%x)
  %y = core.squeeze(%p) {axes = [2]}
  return %y : tensor<[n]x3x1xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3x4x5xf32>) -> (tensor<[n]x3x1xf32>) {
    %p = core.global_avg_pool(%x) : (tensor<[n]x3x4x5xf32>) -> tensor<[n]x3x1x1xf32>
    %y = core.squeeze(%p) {axes = array<i64: 2>} : (tensor<[n]x3x1x1xf32>) -> tensor<[n]x3x1xf32>
    return %y : tensor<[n]x3x1xf32>
  }
}
====
# pool-reshape
# run: opt %s --passes shapes,rules,shapes,dce --only pool-reshape -o -
# file: input.mlir
# stderr: pool-reshape 
---
func.func @main(%x: tensor<2x3x4x5xf32>) -> (tensor<2x3xf32>) {
  %p = core.global_avg_pool(%x)
  %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>}
  %y = core.reshape(%p, %s)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3x4x5xf32>) -> (tensor<2x3xf32>) {
    %y = core.reduce(%x) {axes = array<i64: 2, 3>, keepdims = 0, kind = "mean"} : (tensor<2x3x4x5xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# pool-reshape: batch and channels change places
# run: opt %s --passes shapes,rules,shapes,dce --only pool-reshape -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3x4x5xf32>) -> (tensor<3x2xf32>) {
  %p = core.global_avg_pool(%x)
  %s = core.constant() {value = dense<[3, 2]> : tensor<2xi64>}
  %y = core.reshape(%p, %s)
  return %y : tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x3x4x5xf32>) -> (tensor<3x2xf32>) {
    %p = core.global_avg_pool(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32>
    %s = core.constant() {value = dense<[3, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.reshape(%p, %s) : (tensor<2x3x1x1xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  }
}
====
# depth-to-space
# run: opt %s --passes shapes,rules,shapes,dce --only depth-to-space -o -
# file: input.mlir
# stderr: depth-to-space 
---
func.func @main(%x: tensor<2x12x3x5xf32>) -> (tensor<2x3x6x10xf32>) {
  %s = core.constant() {value = dense<[2, 2, 2, 3, 3, 5]> : tensor<6xi64>}
  %a = core.reshape(%x, %s)
  %t = core.transpose(%a) {perm = [0, 3, 4, 1, 5, 2]}
  %u = core.constant() {value = dense<[2, 3, 6, 10]> : tensor<4xi64>}
  %y = core.reshape(%t, %u)
  return %y : tensor<2x3x6x10xf32>
}
---
module {
  func.func @main(%x: tensor<2x12x3x5xf32>) -> (tensor<2x3x6x10xf32>) {
    %y = core.depth_to_space(%x) {blocksize = 2, mode = "DCR"} : (tensor<2x12x3x5xf32>) -> tensor<2x3x6x10xf32>
    return %y : tensor<2x3x6x10xf32>
  }
}
====
# depth-to-space: blocks that are not square
# run: opt %s --passes shapes,rules,shapes,dce --only depth-to-space -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x12x3x5xf32>) -> (tensor<2x2x9x10xf32>) {
  %s = core.constant() {value = dense<[2, 2, 3, 2, 3, 5]> : tensor<6xi64>}
  %a = core.reshape(%x, %s)
  %t = core.transpose(%a) {perm = [0, 1, 4, 2, 5, 3]}
  %u = core.constant() {value = dense<[2, 2, 9, 10]> : tensor<4xi64>}
  %y = core.reshape(%t, %u)
  return %y : tensor<2x2x9x10xf32>
}
---
module {
  func.func @main(%x: tensor<2x12x3x5xf32>) -> (tensor<2x2x9x10xf32>) {
    %s = core.constant() {value = dense<[2, 2, 3, 2, 3, 5]> : tensor<6xi64>} : () -> tensor<6xi64>
    %a = core.reshape(%x, %s) : (tensor<2x12x3x5xf32>, tensor<6xi64>) -> tensor<2x2x3x2x3x5xf32>
    %t = core.transpose(%a) {perm = array<i64: 0, 1, 4, 2, 5, 3>} : (tensor<2x2x3x2x3x5xf32>) -> tensor<2x2x3x3x5x2xf32>
    %u = core.constant() {value = dense<[2, 2, 9, 10]> : tensor<4xi64>} : () -> tensor<4xi64>
    %y = core.reshape(%t, %u) : (tensor<2x2x3x3x5x2xf32>, tensor<4xi64>) -> tensor<2x2x9x10xf32>
    return %y : tensor<2x2x9x10xf32>
  }
}

# pad-conv
# run: opt %s --passes shapes,rules,shapes,dce --only pad-conv -o -
# file: input.mlir
# stderr: pad-conv 
---
func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %a = core.pad(%x, %p)
  %y = core.conv(%a, %w)
  return %y : tensor<[n]x2x6x6xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %y = core.conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<[n]x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x6x6xf32>
    return %y : tensor<[n]x2x6x6xf32>
  }
}
====
# pad-conv: padded with another value
# run: opt %s --passes shapes,rules,shapes,dce --only pad-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %k = core.constant() {value = dense<1.0> : tensor<f32>}
  %a = core.pad(%x, %p, %k)
  %y = core.conv(%a, %w)
  return %y : tensor<[n]x2x6x6xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
    %k = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.pad(%x, %p, %k) : (tensor<[n]x1x4x4xf32>, tensor<8xi64>, tensor<f32>) -> tensor<[n]x1x6x6xf32>
    %y = core.conv(%a, %w) : (tensor<[n]x1x6x6xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x6x6xf32>
    return %y : tensor<[n]x2x6x6xf32>
  }
}
====
# pad-conv: padded with the edge
# run: opt %s --passes shapes,rules,shapes,dce --only pad-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %a = core.pad(%x, %p) {mode = "edge"}
  %y = core.conv(%a, %w)
  return %y : tensor<[n]x2x6x6xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
    %a = core.pad(%x, %p) {mode = "edge"} : (tensor<[n]x1x4x4xf32>, tensor<8xi64>) -> tensor<[n]x1x6x6xf32>
    %y = core.conv(%a, %w) : (tensor<[n]x1x6x6xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x6x6xf32>
    return %y : tensor<[n]x2x6x6xf32>
  }
}
====
# pad-max-pool
# run: opt %s --passes shapes,rules,shapes,dce --only pad-max-pool -o -
# file: input.mlir
# stderr: pad-max-pool 
---
func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x1x5x5xf32>) {
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %k = core.constant() {value = dense<0xFF800000> : tensor<f32>}
  %a = core.pad(%x, %p, %k)
  %y = core.max_pool(%a) {kernel = [2, 2]}
  return %y : tensor<[n]x1x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x1x5x5xf32>) {
    %y = core.max_pool(%x) {kernel = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<[n]x1x4x4xf32>) -> tensor<[n]x1x5x5xf32>
    return %y : tensor<[n]x1x5x5xf32>
  }
}
====
# pad-max-pool: padded with 0
# run: opt %s --passes shapes,rules,shapes,dce --only pad-max-pool -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x1x5x5xf32>) {
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %a = core.pad(%x, %p)
  %y = core.max_pool(%a) {kernel = [2, 2]}
  return %y : tensor<[n]x1x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x1x5x5xf32>) {
    %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
    %a = core.pad(%x, %p) : (tensor<[n]x1x4x4xf32>, tensor<8xi64>) -> tensor<[n]x1x6x6xf32>
    %y = core.max_pool(%a) {kernel = array<i64: 2, 2>} : (tensor<[n]x1x6x6xf32>) -> tensor<[n]x1x5x5xf32>
    return %y : tensor<[n]x1x5x5xf32>
  }
}
====
# conv-zero-bias
# run: opt %s --passes shapes,rules,shapes,dce --only conv-zero-bias -o -
# file: input.mlir
# stderr: conv-zero-bias 
---
func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x4x4xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %b = core.constant() {value = dense<0.0> : tensor<2xf32>}
  %y = core.conv(%x, %w, %b)
  return %y : tensor<[n]x2x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x4x4xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %y = core.conv(%x, %w, _) : (tensor<[n]x1x4x4xf32>, tensor<2x1x1x1xf32>, none) -> tensor<[n]x2x4x4xf32>
    return %y : tensor<[n]x2x4x4xf32>
  }
}
====
# conv-zero-bias: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only conv-zero-bias -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x4x4xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %b = core.constant() {value = dense<[0.0, 1.0]> : tensor<2xf32>}
  %y = core.conv(%x, %w, %b)
  return %y : tensor<[n]x2x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x2x4x4xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %b = core.constant() {value = dense<[0.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.conv(%x, %w, %b) : (tensor<[n]x1x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<[n]x2x4x4xf32>
    return %y : tensor<[n]x2x4x4xf32>
  }
}
====
# conv-auto-pad
# run: opt %s --passes shapes,rules,shapes,dce --only conv-auto-pad -o -
# file: input.mlir
# stderr: conv-auto-pad 
---
func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x1x2x2xf32>) {
  %w = core.constant() {value = dense<1.0> : tensor<1x1x3x3xf32>}
  %y = core.conv(%x, %w) {auto_pad = "same_upper", strides = [2, 2]}
  return %y : tensor<[n]x1x2x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x4x4xf32>) -> (tensor<[n]x1x2x2xf32>) {
    %w = core.constant() {value = dense<1.0> : tensor<1x1x3x3xf32>} : () -> tensor<1x1x3x3xf32>
    %y = core.conv(%x, %w) {pads = array<i64: 0, 0, 1, 1>, strides = array<i64: 2, 2>} : (tensor<[n]x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<[n]x1x2x2xf32>
    return %y : tensor<[n]x1x2x2xf32>
  }
}
====
# conv-auto-pad: the pads depend on a size that is not known
# run: opt %s --passes shapes,rules,shapes,dce --only conv-auto-pad -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (!unknown) {
  %w = core.constant() {value = dense<1.0> : tensor<1x1x3x3xf32>}
  %y = core.conv(%x, %w) {auto_pad = "same_upper", strides = [2, 2]}
  return %y : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x1x[floordiv(h+1,2)]x[floordiv(h+1,2)]xf32>) {
    %w = core.constant() {value = dense<1.0> : tensor<1x1x3x3xf32>} : () -> tensor<1x1x3x3xf32>
    %y = core.conv(%x, %w) {auto_pad = "same_upper", strides = array<i64: 2, 2>} : (tensor<[n]x1x[h]x[h]xf32>, tensor<1x1x3x3xf32>) -> tensor<[n]x1x[floordiv(h+1,2)]x[floordiv(h+1,2)]xf32>
    return %y : tensor<[n]x1x[floordiv(h+1,2)]x[floordiv(h+1,2)]xf32>
  }
}
====
# max-pool-auto-pad
# run: opt %s --passes shapes,rules,shapes,dce --only max-pool-auto-pad -o -
# file: input.mlir
# stderr: max-pool-auto-pad 
---
func.func @main(%x: tensor<[n]x1x5x5xf32>) -> (tensor<[n]x1x3x3xf32>) {
  %y = core.max_pool(%x) {kernel = [2, 2], auto_pad = "same_lower", strides = [2, 2]}
  return %y : tensor<[n]x1x3x3xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x5x5xf32>) -> (tensor<[n]x1x3x3xf32>) {
    %y = core.max_pool(%x) {kernel = array<i64: 2, 2>, pads = array<i64: 1, 1, 0, 0>, strides = array<i64: 2, 2>} : (tensor<[n]x1x5x5xf32>) -> tensor<[n]x1x3x3xf32>
    return %y : tensor<[n]x1x3x3xf32>
  }
}

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
====
# conv-integer-auto-pad
# run: opt %s --passes shapes,rules,shapes,dce --only conv-integer-auto-pad -o -
# file: input.mlir
# stderr: conv-integer-auto-pad 
---
func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi32>) {
  %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>}
  %y = core.conv_integer(%x, %w) {auto_pad = "same_upper"}
  return %y : tensor<1x2x5x5xi32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi32>) {
    %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>} : () -> tensor<2x1x3x3xi8>
    %y = core.conv_integer(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x5x5xi8>, tensor<2x1x3x3xi8>) -> tensor<1x2x5x5xi32>
    return %y : tensor<1x2x5x5xi32>
  }
}
====
# conv-integer-auto-pad: the size is known to the run only
# run: opt %s --passes shapes,rules,shapes,dce --only conv-integer-auto-pad -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x[h]x[w]xi8>) -> (tensor<1x2x?x?xi32>) {
  %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>}
  %y = core.conv_integer(%x, %w) {auto_pad = "same_upper", strides = [2, 2]}
  return %y : tensor<1x2x?x?xi32>
}
---
module {
  func.func @main(%x: tensor<1x1x[h]x[w]xi8>) -> (tensor<1x2x[floordiv(h+1,2)]x[floordiv(w+1,2)]xi32>) {
    %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>} : () -> tensor<2x1x3x3xi8>
    %y = core.conv_integer(%x, %w) {auto_pad = "same_upper", strides = array<i64: 2, 2>} : (tensor<1x1x[h]x[w]xi8>, tensor<2x1x3x3xi8>) -> tensor<1x2x[floordiv(h+1,2)]x[floordiv(w+1,2)]xi32>
    return %y : tensor<1x2x[floordiv(h+1,2)]x[floordiv(w+1,2)]xi32>
  }
}
====
# quantized-conv-auto-pad
# run: opt %s --passes shapes,rules,shapes,dce --only quantized-conv-auto-pad -o -
# file: input.mlir
# stderr: quantized-conv-auto-pad 
---
func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi8>) {
  %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>}
  %s = core.constant() {value = dense<0.5> : tensor<f32>}
  %z = core.constant() {value = dense<0> : tensor<i8>}
  %y = core.quantized_conv(%x, %s, %z, %w, %s, %z, %s, %z) {auto_pad = "same_upper"}
  return %y : tensor<1x2x5x5xi8>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi8>) {
    %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>} : () -> tensor<2x1x3x3xi8>
    %s = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
    %y = core.quantized_conv(%x, %s, %z, %w, %s, %z, %s, %z) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x5x5xi8>, tensor<f32>, tensor<i8>, tensor<2x1x3x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x2x5x5xi8>
    return %y : tensor<1x2x5x5xi8>
  }
}
====
# quantized-conv-auto-pad: the size is known to the run only
# run: opt %s --passes shapes,rules,shapes,dce --only quantized-conv-auto-pad -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x[h]x[w]xi8>) -> (tensor<1x2x?x?xi8>) {
  %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>}
  %s = core.constant() {value = dense<0.5> : tensor<f32>}
  %z = core.constant() {value = dense<0> : tensor<i8>}
  %y = core.quantized_conv(%x, %s, %z, %w, %s, %z, %s, %z) {auto_pad = "same_upper", strides = [2, 2]}
  return %y : tensor<1x2x?x?xi8>
}
---
module {
  func.func @main(%x: tensor<1x1x[h]x[w]xi8>) -> (tensor<1x2x[floordiv(h+1,2)]x[floordiv(w+1,2)]xi8>) {
    %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>} : () -> tensor<2x1x3x3xi8>
    %s = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
    %y = core.quantized_conv(%x, %s, %z, %w, %s, %z, %s, %z) {auto_pad = "same_upper", strides = array<i64: 2, 2>} : (tensor<1x1x[h]x[w]xi8>, tensor<f32>, tensor<i8>, tensor<2x1x3x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x2x[floordiv(h+1,2)]x[floordiv(w+1,2)]xi8>
    return %y : tensor<1x2x[floordiv(h+1,2)]x[floordiv(w+1,2)]xi8>
  }
}
====
# avg-pool-auto-pad
# run: opt %s --passes shapes,rules,shapes,dce --only avg-pool-auto-pad -o -
# file: input.mlir
# stderr: avg-pool-auto-pad 
---
func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x5x5xf32>) {
  %y = core.avg_pool(%x) {auto_pad = "same_upper", kernel = [3, 3]}
  return %y : tensor<1x1x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x5x5xf32>) {
    %y = core.avg_pool(%x) {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x5x5xf32>
    return %y : tensor<1x1x5x5xf32>
  }
}
====
# avg-pool-auto-pad: the size is known to the run only
# run: opt %s --passes shapes,rules,shapes,dce --only avg-pool-auto-pad -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x[h]x[w]xf32>) -> (tensor<1x1x?x?xf32>) {
  %y = core.avg_pool(%x) {auto_pad = "same_upper", kernel = [3, 3], strides = [2, 2]}
  return %y : tensor<1x1x?x?xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x[h]x[w]xf32>) -> (tensor<1x1x[floordiv(h+1,2)]x[floordiv(w+1,2)]xf32>) {
    %y = core.avg_pool(%x) {auto_pad = "same_upper", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>} : (tensor<1x1x[h]x[w]xf32>) -> tensor<1x1x[floordiv(h+1,2)]x[floordiv(w+1,2)]xf32>
    return %y : tensor<1x1x[floordiv(h+1,2)]x[floordiv(w+1,2)]xf32>
  }
}
====
# lp-pool-auto-pad
# run: opt %s --passes shapes,rules,shapes,dce --only lp-pool-auto-pad -o -
# file: input.mlir
# stderr: lp-pool-auto-pad 
---
func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x5x5xf32>) {
  %y = core.lp_pool(%x) {auto_pad = "same_upper", kernel = [3, 3]}
  return %y : tensor<1x1x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x5x5xf32>) {
    %y = core.lp_pool(%x) {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x5x5xf32>
    return %y : tensor<1x1x5x5xf32>
  }
}
====
# lp-pool-auto-pad: the size is known to the run only
# run: opt %s --passes shapes,rules,shapes,dce --only lp-pool-auto-pad -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x[h]x[w]xf32>) -> (tensor<1x1x?x?xf32>) {
  %y = core.lp_pool(%x) {auto_pad = "same_upper", kernel = [3, 3], strides = [2, 2]}
  return %y : tensor<1x1x?x?xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x[h]x[w]xf32>) -> (tensor<1x1x[floordiv(h+1,2)]x[floordiv(w+1,2)]xf32>) {
    %y = core.lp_pool(%x) {auto_pad = "same_upper", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>} : (tensor<1x1x[h]x[w]xf32>) -> tensor<1x1x[floordiv(h+1,2)]x[floordiv(w+1,2)]xf32>
    return %y : tensor<1x1x[floordiv(h+1,2)]x[floordiv(w+1,2)]xf32>
  }
}
====
# max-pool-auto-pad: the size is known to the run only
# run: opt %s --passes shapes,rules,shapes,dce --only max-pool-auto-pad -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x[h]x[w]xf32>) -> (tensor<1x1x?x?xf32>) {
  %y = core.max_pool(%x) {auto_pad = "same_upper", kernel = [3, 3], strides = [2, 2]}
  return %y : tensor<1x1x?x?xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x[h]x[w]xf32>) -> (tensor<1x1x[floordiv(h+1,2)]x[floordiv(w+1,2)]xf32>) {
    %y = core.max_pool(%x) {auto_pad = "same_upper", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>} : (tensor<1x1x[h]x[w]xf32>) -> tensor<1x1x[floordiv(h+1,2)]x[floordiv(w+1,2)]xf32>
    return %y : tensor<1x1x[floordiv(h+1,2)]x[floordiv(w+1,2)]xf32>
  }
}
====
# pad-conv-integer
# run: opt %s --passes shapes,rules,shapes,dce --only pad-conv-integer -o -
# file: input.mlir
# stderr: pad-conv-integer 
---
func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi32>) {
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %v = core.constant() {value = dense<3> : tensor<i8>}
  %a = core.pad(%x, %p, %v)
  %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>}
  %z = core.constant() {value = dense<3> : tensor<i8>}
  %y = core.conv_integer(%a, %w, %z)
  return %y : tensor<1x2x5x5xi32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi32>) {
    %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>} : () -> tensor<2x1x3x3xi8>
    %z = core.constant() {value = dense<3> : tensor<i8>} : () -> tensor<i8>
    %y = core.conv_integer(%x, %w, %z) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x5x5xi8>, tensor<2x1x3x3xi8>, tensor<i8>) -> tensor<1x2x5x5xi32>
    return %y : tensor<1x2x5x5xi32>
  }
}
====
# pad-conv-integer: it fills with other than the zero point
# run: opt %s --passes shapes,rules,shapes,dce --only pad-conv-integer -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi32>) {
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %v = core.constant() {value = dense<0> : tensor<i8>}
  %a = core.pad(%x, %p, %v)
  %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>}
  %z = core.constant() {value = dense<3> : tensor<i8>}
  %y = core.conv_integer(%a, %w, %z)
  return %y : tensor<1x2x5x5xi32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi32>) {
    %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
    %v = core.constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
    %a = core.pad(%x, %p, %v) : (tensor<1x1x5x5xi8>, tensor<8xi64>, tensor<i8>) -> tensor<1x1x7x7xi8>
    %w = core.constant() {value = dense<1> : tensor<2x1x3x3xi8>} : () -> tensor<2x1x3x3xi8>
    %z = core.constant() {value = dense<3> : tensor<i8>} : () -> tensor<i8>
    %y = core.conv_integer(%a, %w, %z) : (tensor<1x1x7x7xi8>, tensor<2x1x3x3xi8>, tensor<i8>) -> tensor<1x2x5x5xi32>
    return %y : tensor<1x2x5x5xi32>
  }
}
====
# pad-avg-pool
# run: opt %s --passes shapes,rules,shapes,dce --only pad-avg-pool -o -
# file: input.mlir
# stderr: pad-avg-pool 
---
func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x5x5xf32>) {
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %v = core.constant() {value = dense<0.0> : tensor<f32>}
  %a = core.pad(%x, %p, %v)
  %y = core.avg_pool(%a) {kernel = [3, 3]}
  return %y : tensor<1x1x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x5x5xf32>) {
    %y = core.avg_pool(%x) {count_include_pad = 1, kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x5x5xf32>
    return %y : tensor<1x1x5x5xf32>
  }
}
====
# pad-avg-pool: it fills with ones
# run: opt %s --passes shapes,rules,shapes,dce --only pad-avg-pool -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x5x5xf32>) {
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %v = core.constant() {value = dense<1.0> : tensor<f32>}
  %a = core.pad(%x, %p, %v)
  %y = core.avg_pool(%a) {kernel = [3, 3]}
  return %y : tensor<1x1x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x5x5xf32>) {
    %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
    %v = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.pad(%x, %p, %v) : (tensor<1x1x5x5xf32>, tensor<8xi64>, tensor<f32>) -> tensor<1x1x7x7xf32>
    %y = core.avg_pool(%a) {kernel = array<i64: 3, 3>} : (tensor<1x1x7x7xf32>) -> tensor<1x1x5x5xf32>
    return %y : tensor<1x1x5x5xf32>
  }
}
====
# pad-avg-pool: the pool has padding of its own that does not count
# run: opt %s --passes shapes,rules,shapes,dce --only pad-avg-pool -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x7x7xf32>) {
  %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}
  %v = core.constant() {value = dense<0.0> : tensor<f32>}
  %a = core.pad(%x, %p, %v)
  %y = core.avg_pool(%a) {kernel = [3, 3], pads = [1, 1, 1, 1]}
  return %y : tensor<1x1x7x7xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x1x7x7xf32>) {
    %p = core.constant() {value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>} : () -> tensor<8xi64>
    %v = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.pad(%x, %p, %v) : (tensor<1x1x5x5xf32>, tensor<8xi64>, tensor<f32>) -> tensor<1x1x7x7xf32>
    %y = core.avg_pool(%a) {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x7x7xf32>) -> tensor<1x1x7x7xf32>
    return %y : tensor<1x1x7x7xf32>
  }
}
====
# conv-transpose-zero-bias
# run: opt %s --passes shapes,rules,shapes,dce --only conv-transpose-zero-bias -o -
# file: input.mlir
# stderr: conv-transpose-zero-bias 
---
func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
  %w = core.constant() {value = dense<1.0> : tensor<1x2x1x1xf32>}
  %b = core.constant() {value = dense<0.0> : tensor<2xf32>}
  %y = core.conv_transpose(%x, %w, %b)
  return %y : tensor<1x2x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
    %w = core.constant() {value = dense<1.0> : tensor<1x2x1x1xf32>} : () -> tensor<1x2x1x1xf32>
    %y = core.conv_transpose(%x, %w, _) : (tensor<1x1x5x5xf32>, tensor<1x2x1x1xf32>, none) -> tensor<1x2x5x5xf32>
    return %y : tensor<1x2x5x5xf32>
  }
}
====
# conv-transpose-zero-bias: one element is not zero
# run: opt %s --passes shapes,rules,shapes,dce --only conv-transpose-zero-bias -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
  %w = core.constant() {value = dense<1.0> : tensor<1x2x1x1xf32>}
  %b = core.constant() {value = dense<[0.0, 1.0]> : tensor<2xf32>}
  %y = core.conv_transpose(%x, %w, %b)
  return %y : tensor<1x2x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
    %w = core.constant() {value = dense<1.0> : tensor<1x2x1x1xf32>} : () -> tensor<1x2x1x1xf32>
    %b = core.constant() {value = dense<[0.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.conv_transpose(%x, %w, %b) : (tensor<1x1x5x5xf32>, tensor<1x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x5x5xf32>
    return %y : tensor<1x2x5x5xf32>
  }
}
====
# deform-conv-zero-bias
# run: opt %s --passes shapes,rules,shapes,dce --only deform-conv-zero-bias -o -
# file: input.mlir
# stderr: deform-conv-zero-bias 
---
func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
  %w = core.constant() {value = dense<1.0> : tensor<2x1x1x1xf32>}
  %o = core.constant() {value = dense<0.5> : tensor<1x2x5x5xf32>}
  %b = core.constant() {value = dense<0.0> : tensor<2xf32>}
  %y = core.deform_conv(%x, %w, %o, %b)
  return %y : tensor<1x2x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
    %w = core.constant() {value = dense<1.0> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %o = core.constant() {value = dense<0.5> : tensor<1x2x5x5xf32>} : () -> tensor<1x2x5x5xf32>
    %y = core.deform_conv(%x, %w, %o, _) : (tensor<1x1x5x5xf32>, tensor<2x1x1x1xf32>, tensor<1x2x5x5xf32>, none) -> tensor<1x2x5x5xf32>
    return %y : tensor<1x2x5x5xf32>
  }
}
====
# deform-conv-zero-bias: one element is not zero
# run: opt %s --passes shapes,rules,shapes,dce --only deform-conv-zero-bias -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
  %w = core.constant() {value = dense<1.0> : tensor<2x1x1x1xf32>}
  %o = core.constant() {value = dense<0.5> : tensor<1x2x5x5xf32>}
  %b = core.constant() {value = dense<[0.0, 1.0]> : tensor<2xf32>}
  %y = core.deform_conv(%x, %w, %o, %b)
  return %y : tensor<1x2x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xf32>) -> (tensor<1x2x5x5xf32>) {
    %w = core.constant() {value = dense<1.0> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %o = core.constant() {value = dense<0.5> : tensor<1x2x5x5xf32>} : () -> tensor<1x2x5x5xf32>
    %b = core.constant() {value = dense<[0.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.deform_conv(%x, %w, %o, %b) : (tensor<1x1x5x5xf32>, tensor<2x1x1x1xf32>, tensor<1x2x5x5xf32>, tensor<2xf32>) -> tensor<1x2x5x5xf32>
    return %y : tensor<1x2x5x5xf32>
  }
}
====
# quantized-conv-zero-bias
# run: opt %s --passes shapes,rules,shapes,dce --only quantized-conv-zero-bias -o -
# file: input.mlir
# stderr: quantized-conv-zero-bias 
---
func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi8>) {
  %w = core.constant() {value = dense<1> : tensor<2x1x1x1xi8>}
  %s = core.constant() {value = dense<0.5> : tensor<f32>}
  %z = core.constant() {value = dense<0> : tensor<i8>}
  %b = core.constant() {value = dense<0> : tensor<2xi32>}
  %y = core.quantized_conv(%x, %s, %z, %w, %s, %z, %s, %z, %b)
  return %y : tensor<1x2x5x5xi8>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi8>) {
    %w = core.constant() {value = dense<1> : tensor<2x1x1x1xi8>} : () -> tensor<2x1x1x1xi8>
    %s = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
    %y = core.quantized_conv(%x, %s, %z, %w, %s, %z, %s, %z, _) : (tensor<1x1x5x5xi8>, tensor<f32>, tensor<i8>, tensor<2x1x1x1xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>, none) -> tensor<1x2x5x5xi8>
    return %y : tensor<1x2x5x5xi8>
  }
}
====
# quantized-conv-zero-bias: one element is not zero
# run: opt %s --passes shapes,rules,shapes,dce --only quantized-conv-zero-bias -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi8>) {
  %w = core.constant() {value = dense<1> : tensor<2x1x1x1xi8>}
  %s = core.constant() {value = dense<0.5> : tensor<f32>}
  %z = core.constant() {value = dense<0> : tensor<i8>}
  %b = core.constant() {value = dense<[0, 1]> : tensor<2xi32>}
  %y = core.quantized_conv(%x, %s, %z, %w, %s, %z, %s, %z, %b)
  return %y : tensor<1x2x5x5xi8>
}
---
module {
  func.func @main(%x: tensor<1x1x5x5xi8>) -> (tensor<1x2x5x5xi8>) {
    %w = core.constant() {value = dense<1> : tensor<2x1x1x1xi8>} : () -> tensor<2x1x1x1xi8>
    %s = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
    %b = core.constant() {value = dense<[0, 1]> : tensor<2xi32>} : () -> tensor<2xi32>
    %y = core.quantized_conv(%x, %s, %z, %w, %s, %z, %s, %z, %b) : (tensor<1x1x5x5xi8>, tensor<f32>, tensor<i8>, tensor<2x1x1x1xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>, tensor<2xi32>) -> tensor<1x2x5x5xi8>
    return %y : tensor<1x2x5x5xi8>
  }
}

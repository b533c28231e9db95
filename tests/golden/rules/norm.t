# fold-batch-norm
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm -o -
# file: input.mlir
# stderr: fold-batch-norm 
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %s = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
  %b = core.constant() {value = dense<[0.5, 0.0]> : tensor<2xf32>}
  %m = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %v = core.constant() {value = dense<[4.0, 1.0]> : tensor<2xf32>}
  %c = core.conv(%x, %w)
  %y = core.batch_norm(%c, %s, %b, %m, %v) {epsilon = 0.0}
  return %y : tensor<[n]x2x[h]x[h]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
    %0 = core.constant() {value = dense<[0.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %1 = core.constant() {value = dense<[[[[1.0]]], [[[6.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %y = core.conv(%x, %1, %0) : (tensor<[n]x1x[h]x[h]xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    return %y : tensor<[n]x2x[h]x[h]xf32>
  }
}
====
# fold-batch-norm: relu stands between
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %s = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
  %b = core.constant() {value = dense<[0.5, 0.0]> : tensor<2xf32>}
  %m = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %v = core.constant() {value = dense<[4.0, 1.0]> : tensor<2xf32>}
  %c = core.conv(%x, %w)
  %r = core.relu(%c)
  %y = core.batch_norm(%r, %s, %b, %m, %v)
  return %y : tensor<[n]x2x[h]x[h]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %s = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %b = core.constant() {value = dense<[0.5, 0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %m = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %v = core.constant() {value = dense<[4.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %c = core.conv(%x, %w) : (tensor<[n]x1x[h]x[h]xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    %r = core.relu(%c) : (tensor<[n]x2x[h]x[h]xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    %y = core.batch_norm(%r, %s, %b, %m, %v) : (tensor<[n]x2x[h]x[h]xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    return %y : tensor<[n]x2x[h]x[h]xf32>
  }
}
====
# fold-batch-norm: a scale that is no constant
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>, %s: tensor<2xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %b = core.constant() {value = dense<[0.5, 0.0]> : tensor<2xf32>}
  %m = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %v = core.constant() {value = dense<[4.0, 1.0]> : tensor<2xf32>}
  %c = core.conv(%x, %w)
  %y = core.batch_norm(%c, %s, %b, %m, %v)
  return %y : tensor<[n]x2x[h]x[h]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>, %s: tensor<2xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %b = core.constant() {value = dense<[0.5, 0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %m = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %v = core.constant() {value = dense<[4.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %c = core.conv(%x, %w) : (tensor<[n]x1x[h]x[h]xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    %y = core.batch_norm(%c, %s, %b, %m, %v) : (tensor<[n]x2x[h]x[h]xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    return %y : tensor<[n]x2x[h]x[h]xf32>
  }
}
====
# fold-batch-norm: the convolution has another user
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>, tensor<[n]x2x[h]x[h]xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %s = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
  %b = core.constant() {value = dense<[0.5, 0.0]> : tensor<2xf32>}
  %m = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %v = core.constant() {value = dense<[4.0, 1.0]> : tensor<2xf32>}
  %c = core.conv(%x, %w)
  %y = core.batch_norm(%c, %s, %b, %m, %v)
  return %y, %c : tensor<[n]x2x[h]x[h]xf32>, tensor<[n]x2x[h]x[h]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>, tensor<[n]x2x[h]x[h]xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %s = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %b = core.constant() {value = dense<[0.5, 0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %m = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %v = core.constant() {value = dense<[4.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %c = core.conv(%x, %w) : (tensor<[n]x1x[h]x[h]xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    %y = core.batch_norm(%c, %s, %b, %m, %v) : (tensor<[n]x2x[h]x[h]xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    return %y, %c : tensor<[n]x2x[h]x[h]xf32>, tensor<[n]x2x[h]x[h]xf32>
  }
}
====
# fold-scale
# run: opt %s --passes shapes,rules,shapes,dce --only fold-scale -o -
# file: input.mlir
# stderr: fold-scale 
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %k = core.constant() {value = dense<[[[2.0]], [[0.5]]]> : tensor<2x1x1xf32>}
  %c = core.conv(%x, %w)
  %y = core.mul(%c, %k)
  return %y : tensor<[n]x2x[h]x[h]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
    %0 = core.constant() {value = dense<[[[[4.0]]], [[[1.5]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %y = core.conv(%x, %0) : (tensor<[n]x1x[h]x[h]xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    return %y : tensor<[n]x2x[h]x[h]xf32>
  }
}
====
# fold-scale: a factor along the width
# run: opt %s --passes shapes,rules,shapes,dce --only fold-scale -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x1x2x2xf32>) -> (tensor<[n]x2x2x2xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %k = core.constant() {value = dense<[2.0, 0.5]> : tensor<2xf32>}
  %c = core.conv(%x, %w)
  %y = core.mul(%c, %k)
  return %y : tensor<[n]x2x2x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x2x2xf32>) -> (tensor<[n]x2x2x2xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %k = core.constant() {value = dense<[2.0, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
    %c = core.conv(%x, %w) : (tensor<[n]x1x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x2x2xf32>
    %y = core.mul(%c, %k) : (tensor<[n]x2x2x2xf32>, tensor<2xf32>) -> tensor<[n]x2x2x2xf32>
    return %y : tensor<[n]x2x2x2xf32>
  }
}
====
# fold-shift
# run: opt %s --passes shapes,rules,shapes,dce --only fold-shift -o -
# file: input.mlir
# stderr: fold-shift 
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %k = core.constant() {value = dense<[[[2.0]], [[0.5]]]> : tensor<2x1x1xf32>}
  %c = core.conv(%x, %w)
  %y = core.add(%c, %k)
  return %y : tensor<[n]x2x[h]x[h]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %0 = core.constant() {value = dense<[2.0, 0.5]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.conv(%x, %w, %0) : (tensor<[n]x1x[h]x[h]xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    return %y : tensor<[n]x2x[h]x[h]xf32>
  }
}
====
# fold-divide
# run: opt %s --passes shapes,rules,shapes,dce --only fold-divide -o -
# file: input.mlir
# stderr: fold-divide 
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %c = core.conv(%x, %w)
  %y = core.div(%c, %k)
  return %y : tensor<[n]x2x[h]x[h]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
    %0 = core.constant() {value = dense<[[[[1.0]]], [[[1.5]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %y = core.conv(%x, %0) : (tensor<[n]x1x[h]x[h]xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    return %y : tensor<[n]x2x[h]x[h]xf32>
  }
}
====
# fold-subtract
# run: opt %s --passes shapes,rules,shapes,dce --only fold-subtract -o -
# file: input.mlir
# stderr: fold-subtract 
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %c = core.conv(%x, %w)
  %y = core.sub(%c, %k)
  return %y : tensor<[n]x2x[h]x[h]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
    %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %0 = core.constant() {value = dense<-2.0> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.conv(%x, %w, %0) : (tensor<[n]x1x[h]x[h]xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    return %y : tensor<[n]x2x[h]x[h]xf32>
  }
}
====
# fold-negate
# run: opt %s --passes shapes,rules,shapes,dce --only fold-negate -o -
# file: input.mlir
# stderr: fold-negate 
---
func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
  %w = core.constant() {value = dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>}
  %c = core.conv(%x, %w)
  %y = core.neg(%c)
  return %y : tensor<[n]x2x[h]x[h]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x1x[h]x[h]xf32>) -> (tensor<[n]x2x[h]x[h]xf32>) {
    %0 = core.constant() {value = dense<[[[[-2.0]]], [[[-3.0]]]]> : tensor<2x1x1x1xf32>} : () -> tensor<2x1x1x1xf32>
    %y = core.conv(%x, %0) : (tensor<[n]x1x[h]x[h]xf32>, tensor<2x1x1x1xf32>) -> tensor<[n]x2x[h]x[h]xf32>
    return %y : tensor<[n]x2x[h]x[h]xf32>
  }
}
====
# fold-batch-norm-scale
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale -o -
# file: input.mlir
# stderr: fold-batch-norm-scale 
---
func.func @main(%x: tensor<[n]x3x2xf32>) -> (tensor<[n]x2x2xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %v = core.constant() {value = dense<1.0> : tensor<2x3xf32>}
  %p = core.matmul(%v, %x)
  %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %y = core.batch_norm(%p, %sc, %bi, %me, %va) {epsilon = 0.25}
  return %y : tensor<[n]x2x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3x2xf32>) -> (tensor<[n]x2x2xf32>) {
    %0 = core.constant() {value = dense<[[2.0, 2.0, 2.0], [2.2188008, 2.2188008, 2.2188008]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %1 = core.matmul(%0, %x) : (tensor<2x3xf32>, tensor<[n]x3x2xf32>) -> tensor<[n]x2x2xf32>
    %2 = core.constant() {value = dense<[[0.0], [-1.5547003]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
    %y = core.add(%1, %2) : (tensor<[n]x2x2xf32>, tensor<2x1xf32>) -> tensor<[n]x2x2xf32>
    return %y : tensor<[n]x2x2xf32>
  }
}
====
# fold-batch-norm-scale: the mean is an input
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3x2xf32>, %me: tensor<2xf32>) -> (tensor<[n]x2x2xf32>) {
  %v = core.constant() {value = dense<1.0> : tensor<2x3xf32>}
  %p = core.matmul(%v, %x)
  %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %y = core.batch_norm(%p, %sc, %bi, %me, %va) {epsilon = 0.25}
  return %y : tensor<[n]x2x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3x2xf32>, %me: tensor<2xf32>) -> (tensor<[n]x2x2xf32>) {
    %v = core.constant() {value = dense<1.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %p = core.matmul(%v, %x) : (tensor<2x3xf32>, tensor<[n]x3x2xf32>) -> tensor<[n]x2x2xf32>
    %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.batch_norm(%p, %sc, %bi, %me, %va) {epsilon = 0.25 : f32} : (tensor<[n]x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<[n]x2x2xf32>
    return %y : tensor<[n]x2x2xf32>
  }
}
====
# fold-divide: along the width, which is as large as the channels
# run: opt %s --passes shapes,rules,shapes,dce --only fold-divide -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>) {
  %k = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %p = core.conv(%x, %w)
  %y = core.div(%p, %k)
  return %y : tensor<[n]x2x4x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>) {
    %k = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %p = core.conv(%x, %w) : (tensor<[n]x2x4x2xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x2xf32>
    %y = core.div(%p, %k) : (tensor<[n]x2x4x2xf32>, tensor<2xf32>) -> tensor<[n]x2x4x2xf32>
    return %y : tensor<[n]x2x4x2xf32>
  }
}
====
# fold-shift: along the width, which is as large as the channels
# run: opt %s --passes shapes,rules,shapes,dce --only fold-shift -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>) {
  %k = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %p = core.conv(%x, %w)
  %y = core.add(%p, %k)
  return %y : tensor<[n]x2x4x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>) {
    %k = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %p = core.conv(%x, %w) : (tensor<[n]x2x4x2xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x2xf32>
    %y = core.add(%p, %k) : (tensor<[n]x2x4x2xf32>, tensor<2xf32>) -> tensor<[n]x2x4x2xf32>
    return %y : tensor<[n]x2x4x2xf32>
  }
}
====
# fold-subtract: along the width, which is as large as the channels
# run: opt %s --passes shapes,rules,shapes,dce --only fold-subtract -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>) {
  %k = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %p = core.conv(%x, %w)
  %y = core.sub(%p, %k)
  return %y : tensor<[n]x2x4x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>) {
    %k = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %p = core.conv(%x, %w) : (tensor<[n]x2x4x2xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x2xf32>
    %y = core.sub(%p, %k) : (tensor<[n]x2x4x2xf32>, tensor<2xf32>) -> tensor<[n]x2x4x2xf32>
    return %y : tensor<[n]x2x4x2xf32>
  }
}
====
# fold-negate: the product is an output
# run: opt %s --passes shapes,rules,shapes,dce --only fold-negate -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>, tensor<[n]x2x4x2xf32>) {
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %p = core.conv(%x, %w)
  %y = core.neg(%p)
  return %y, %p : tensor<[n]x2x4x2xf32>, tensor<[n]x2x4x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>, tensor<[n]x2x4x2xf32>) {
    %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %p = core.conv(%x, %w) : (tensor<[n]x2x4x2xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x2xf32>
    %y = core.neg(%p) : (tensor<[n]x2x4x2xf32>) -> tensor<[n]x2x4x2xf32>
    return %y, %p : tensor<[n]x2x4x2xf32>, tensor<[n]x2x4x2xf32>
  }
}
====
# merge-factors
# run: opt %s --passes shapes,rules,shapes,dce --only merge-factors -o -
# file: input.mlir
# stderr: merge-factors 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %c = core.constant() {value = dense<3.0> : tensor<f32>}
  %p = core.mul(%x, %k)
  %y = core.mul(%p, %c)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = core.constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.mul(%x, %0) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# merge-factors: the first result is an output
# run: opt %s --passes shapes,rules,shapes,dce --only merge-factors -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %c = core.constant() {value = dense<3.0> : tensor<f32>}
  %p = core.mul(%x, %k)
  %y = core.mul(%p, %c)
  return %y, %p : tensor<2x3xf32>, tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %k = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %c = core.constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
    %p = core.mul(%x, %k) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %y = core.mul(%p, %c) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %y, %p : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
====
# merge-summands
# run: opt %s --passes shapes,rules,shapes,dce --only merge-summands -o -
# file: input.mlir
# stderr: merge-summands 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %c = core.constant() {value = dense<3.0> : tensor<f32>}
  %p = core.add(%x, %k)
  %y = core.add(%p, %c)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = core.constant() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.add(%x, %0) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# merge-summands: the first result is an output
# run: opt %s --passes shapes,rules,shapes,dce --only merge-summands -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %c = core.constant() {value = dense<3.0> : tensor<f32>}
  %p = core.add(%x, %k)
  %y = core.add(%p, %c)
  return %y, %p : tensor<2x3xf32>, tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %k = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %c = core.constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
    %p = core.add(%x, %k) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %y = core.add(%p, %c) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %y, %p : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
====
# merge-integer-factors
# run: opt %s --passes shapes,rules,shapes,dce --only merge-integer-factors -o -
# file: input.mlir
# stderr: merge-integer-factors 
---
func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %k = core.constant() {value = dense<2> : tensor<i32>}
  %c = core.constant() {value = dense<3> : tensor<i32>}
  %p = core.mul(%x, %k)
  %y = core.mul(%p, %c)
  return %y : tensor<2x3xi32>
}
---
module {
  func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = core.constant() {value = dense<6> : tensor<i32>} : () -> tensor<i32>
    %y = core.mul(%x, %0) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
    return %y : tensor<2x3xi32>
  }
}
====
# merge-integer-factors: the first result is an output
# run: opt %s --passes shapes,rules,shapes,dce --only merge-integer-factors -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %k = core.constant() {value = dense<2> : tensor<i32>}
  %c = core.constant() {value = dense<3> : tensor<i32>}
  %p = core.mul(%x, %k)
  %y = core.mul(%p, %c)
  return %y, %p : tensor<2x3xi32>, tensor<2x3xi32>
}
---
module {
  func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
    %k = core.constant() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
    %c = core.constant() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
    %p = core.mul(%x, %k) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
    %y = core.mul(%p, %c) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
    return %y, %p : tensor<2x3xi32>, tensor<2x3xi32>
  }
}
====
# merge-integer-summands
# run: opt %s --passes shapes,rules,shapes,dce --only merge-integer-summands -o -
# file: input.mlir
# stderr: merge-integer-summands 
---
func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %k = core.constant() {value = dense<2> : tensor<i32>}
  %c = core.constant() {value = dense<3> : tensor<i32>}
  %p = core.add(%x, %k)
  %y = core.add(%p, %c)
  return %y : tensor<2x3xi32>
}
---
module {
  func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = core.constant() {value = dense<5> : tensor<i32>} : () -> tensor<i32>
    %y = core.add(%x, %0) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
    return %y : tensor<2x3xi32>
  }
}
====
# merge-integer-summands: the first result is an output
# run: opt %s --passes shapes,rules,shapes,dce --only merge-integer-summands -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %k = core.constant() {value = dense<2> : tensor<i32>}
  %c = core.constant() {value = dense<3> : tensor<i32>}
  %p = core.add(%x, %k)
  %y = core.add(%p, %c)
  return %y, %p : tensor<2x3xi32>, tensor<2x3xi32>
}
---
module {
  func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
    %k = core.constant() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
    %c = core.constant() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
    %p = core.add(%x, %k) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
    %y = core.add(%p, %c) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
    return %y, %p : tensor<2x3xi32>, tensor<2x3xi32>
  }
}

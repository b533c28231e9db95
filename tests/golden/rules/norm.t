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

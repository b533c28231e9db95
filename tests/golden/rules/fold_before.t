# fold-before-conv
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-conv -o -
# file: input.mlir
# stderr: fold-before-conv 
---
func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x4x4xf32>) {
  %k = core.constant() {value = dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>}
  %a = core.mul(%x, %k)
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %y = core.conv(%a, %w)
  return %y : tensor<[n]x2x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x4x4xf32>) {
    %0 = core.constant() {value = dense<[[[[2.0]], [[6.0]]], [[[6.0]], [[12.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %y = core.conv(%x, %0) : (tensor<[n]x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x4xf32>
    return %y : tensor<[n]x2x4x4xf32>
  }
}
====
# fold-before-conv: a shift before padding with zeros
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
  %k = core.constant() {value = dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>}
  %a = core.add(%x, %k)
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %y = core.conv(%a, %w) {pads = [1, 1, 1, 1]}
  return %y : tensor<[n]x2x6x6xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
    %k = core.constant() {value = dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
    %a = core.add(%x, %k) : (tensor<[n]x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<[n]x2x4x4xf32>
    %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %y = core.conv(%a, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<[n]x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x6x6xf32>
    return %y : tensor<[n]x2x6x6xf32>
  }
}
====
# fold-before-conv: the scale is along the width, which is as large as the channels
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>) {
  %k = core.constant() {value = dense<[2.0, 3.0]> : tensor<2xf32>}
  %a = core.mul(%x, %k)
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %y = core.conv(%a, %w)
  return %y : tensor<[n]x2x4x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x2xf32>) -> (tensor<[n]x2x4x2xf32>) {
    %k = core.constant() {value = dense<[2.0, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %a = core.mul(%x, %k) : (tensor<[n]x2x4x2xf32>, tensor<2xf32>) -> tensor<[n]x2x4x2xf32>
    %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %y = core.conv(%a, %w) : (tensor<[n]x2x4x2xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x2xf32>
    return %y : tensor<[n]x2x4x2xf32>
  }
}
====
# fold-before-conv: the scaled value is an output
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x4x4xf32>, tensor<[n]x2x4x4xf32>) {
  %k = core.constant() {value = dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>}
  %a = core.mul(%x, %k)
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %y = core.conv(%a, %w)
  return %y, %a : tensor<[n]x2x4x4xf32>, tensor<[n]x2x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x4x4xf32>, tensor<[n]x2x4x4xf32>) {
    %k = core.constant() {value = dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
    %a = core.mul(%x, %k) : (tensor<[n]x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<[n]x2x4x4xf32>
    %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %y = core.conv(%a, %w) : (tensor<[n]x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x4xf32>
    return %y, %a : tensor<[n]x2x4x4xf32>, tensor<[n]x2x4x4xf32>
  }
}
====
# fold-before-conv-transpose
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-conv-transpose -o -
# file: input.mlir
# stderr: fold-before-conv-transpose 
---
func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x4x4xf32>) {
  %k = core.constant() {value = dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>}
  %a = core.mul(%x, %k)
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %y = core.conv_transpose(%a, %w)
  return %y : tensor<[n]x2x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x4x4xf32>) {
    %0 = core.constant() {value = dense<[[[[2.0]], [[4.0]]], [[[9.0]], [[12.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %y = core.conv_transpose(%x, %0) : (tensor<[n]x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x4xf32>
    return %y : tensor<[n]x2x4x4xf32>
  }
}
====
# fold-before-conv-transpose: the weight is an input
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-conv-transpose -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> (tensor<[n]x2x4x4xf32>) {
  %k = core.constant() {value = dense<[[[[2.0, 3.0, 4.0, 5.0]]]]> : tensor<1x1x1x4xf32>}
  %a = core.mul(%x, %k)
  %y = core.conv_transpose(%a, %w)
  return %y : tensor<[n]x2x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> (tensor<[n]x2x4x4xf32>) {
    %k = core.constant() {value = dense<[[[[2.0, 3.0, 4.0, 5.0]]]]> : tensor<1x1x1x4xf32>} : () -> tensor<1x1x1x4xf32>
    %a = core.mul(%x, %k) : (tensor<[n]x2x4x4xf32>, tensor<1x1x1x4xf32>) -> tensor<[n]x2x4x4xf32>
    %y = core.conv_transpose(%a, %w) : (tensor<[n]x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x4xf32>
    return %y : tensor<[n]x2x4x4xf32>
  }
}
====
# fold-batch-norm-scale-before-conv
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale-before-conv -o -
# file: input.mlir
# stderr: fold-batch-norm-scale-before-conv 
---
func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
  %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25}
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %y = core.conv(%a, %w) {pads = [1, 1, 1, 1]}
  return %y : tensor<[n]x2x6x6xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
    %0 = core.constant() {value = dense<[[[0.0]], [[-0.7006939]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
    %1 = core.add(%x, %0) : (tensor<[n]x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<[n]x2x4x4xf32>
    %2 = core.constant() {value = dense<[[[[2.0]], [[4.4376016]]], [[[6.0]], [[8.875203]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %y = core.conv(%1, %2) {pads = array<i64: 1, 1, 1, 1>} : (tensor<[n]x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x6x6xf32>
    return %y : tensor<[n]x2x6x6xf32>
  }
}
====
# fold-batch-norm-scale-before-conv: a scale is zero
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale-before-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
  %sc = core.constant() {value = dense<[2.0, 0.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25}
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %y = core.conv(%a, %w) {pads = [1, 1, 1, 1]}
  return %y : tensor<[n]x2x6x6xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x6x6xf32>) {
    %sc = core.constant() {value = dense<[2.0, 0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
    %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25 : f32} : (tensor<[n]x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<[n]x2x4x4xf32>
    %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %y = core.conv(%a, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<[n]x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x6x6xf32>
    return %y : tensor<[n]x2x6x6xf32>
  }
}
====
# fold-batch-norm-scale-before-conv-transpose
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale-before-conv-transpose -o -
# file: input.mlir
# stderr: fold-batch-norm-scale-before-conv-transpose 
---
func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x5x5xf32>) {
  %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25}
  %w = core.constant() {value = dense<1.0> : tensor<2x2x2x2xf32>}
  %y = core.conv_transpose(%a, %w)
  return %y : tensor<[n]x2x5x5xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x4xf32>) -> (tensor<[n]x2x5x5xf32>) {
    %0 = core.constant() {value = dense<[[[0.0]], [[-0.7006939]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
    %1 = core.add(%x, %0) : (tensor<[n]x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<[n]x2x4x4xf32>
    %2 = core.constant() {value = dense<[[[[2.0, 2.0], [2.0, 2.0]], [[2.0, 2.0], [2.0, 2.0]]], [[[2.2188008, 2.2188008], [2.2188008, 2.2188008]], [[2.2188008, 2.2188008], [2.2188008, 2.2188008]]]]> : tensor<2x2x2x2xf32>} : () -> tensor<2x2x2x2xf32>
    %y = core.conv_transpose(%1, %2) : (tensor<[n]x2x4x4xf32>, tensor<2x2x2x2xf32>) -> tensor<[n]x2x5x5xf32>
    return %y : tensor<[n]x2x5x5xf32>
  }
}
====
# fold-batch-norm-scale-before-conv-transpose: the scale is an input
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale-before-conv-transpose -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2x4x4xf32>, %sc: tensor<2xf32>) -> (tensor<[n]x2x4x4xf32>) {
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25}
  %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>}
  %y = core.conv_transpose(%a, %w)
  return %y : tensor<[n]x2x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2x4x4xf32>, %sc: tensor<2xf32>) -> (tensor<[n]x2x4x4xf32>) {
    %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
    %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25 : f32} : (tensor<[n]x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<[n]x2x4x4xf32>
    %w = core.constant() {value = dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>} : () -> tensor<2x2x1x1xf32>
    %y = core.conv_transpose(%a, %w) : (tensor<[n]x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<[n]x2x4x4xf32>
    return %y : tensor<[n]x2x4x4xf32>
  }
}
====
# fold-before-gemm
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-gemm -o -
# file: input.mlir
# stderr: fold-before-gemm 
---
func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
  %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25}
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %c = core.constant() {value = dense<[1.0, 1.0]> : tensor<2xf32>}
  %y = core.gemm(%a, %w, %c)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
    %0 = core.constant() {value = dense<[[2.0, 4.0], [6.6564026, 8.875203]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %1 = core.constant() {value = dense<[-3.6641006, -5.218801]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.gemm(%x, %0, %1) : (tensor<[n]x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# fold-before-gemm: along the rows
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-gemm -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>) {
  %k = core.constant() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>}
  %a = core.mul(%x, %k)
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %y = core.gemm(%a, %w)
  return %y : tensor<2x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>) {
    %k = core.constant() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
    %a = core.mul(%x, %k) : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %y = core.gemm(%a, %w) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
}
====
# fold-before-matmul
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-matmul -o -
# file: input.mlir
# stderr: fold-before-matmul 
---
func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
  %k = core.constant() {value = dense<[2.0, 3.0]> : tensor<2xf32>}
  %a = core.mul(%x, %k)
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %y = core.matmul(%a, %w)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
    %0 = core.constant() {value = dense<[[2.0, 4.0], [9.0, 12.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %y = core.matmul(%x, %0) : (tensor<[n]x2xf32>, tensor<2x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# fold-before-matmul: along the rows, of which there are as many
# run: opt %s --passes shapes,rules,shapes,dce --only fold-before-matmul -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>) {
  %k = core.constant() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>}
  %a = core.mul(%x, %k)
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %y = core.matmul(%a, %w)
  return %y : tensor<2x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>) {
    %k = core.constant() {value = dense<[[2.0], [3.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
    %a = core.mul(%x, %k) : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %y = core.matmul(%a, %w) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
}
====
# fold-batch-norm-scale-before-gemm
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale-before-gemm -o -
# file: input.mlir
# stderr: fold-batch-norm-scale-before-gemm 
---
func.func @main(%x: tensor<[n]x2xf32>, %c: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
  %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25}
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %y = core.gemm(%a, %w, %c)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>, %c: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
    %0 = core.constant() {value = dense<[0.0, -0.7006939]> : tensor<2xf32>} : () -> tensor<2xf32>
    %1 = core.add(%x, %0) : (tensor<[n]x2xf32>, tensor<2xf32>) -> tensor<[n]x2xf32>
    %2 = core.constant() {value = dense<[[2.0, 4.0], [6.6564026, 8.875203]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %y = core.gemm(%1, %2, %c) : (tensor<[n]x2xf32>, tensor<2x2xf32>, tensor<[n]x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# fold-batch-norm-scale-before-gemm: a scale is zero
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale-before-gemm -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2xf32>, %c: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
  %sc = core.constant() {value = dense<[2.0, 0.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25}
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %y = core.gemm(%a, %w, %c)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>, %c: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
    %sc = core.constant() {value = dense<[2.0, 0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
    %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25 : f32} : (tensor<[n]x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<[n]x2xf32>
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %y = core.gemm(%a, %w, %c) : (tensor<[n]x2xf32>, tensor<2x2xf32>, tensor<[n]x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# fold-batch-norm-scale-before-matmul
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale-before-matmul -o -
# file: input.mlir
# stderr: fold-batch-norm-scale-before-matmul 
---
func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
  %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25}
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %y = core.matmul(%a, %w)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
    %0 = core.constant() {value = dense<[0.0, -0.7006939]> : tensor<2xf32>} : () -> tensor<2xf32>
    %1 = core.add(%x, %0) : (tensor<[n]x2xf32>, tensor<2xf32>) -> tensor<[n]x2xf32>
    %2 = core.constant() {value = dense<[[2.0, 4.0], [6.6564026, 8.875203]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %y = core.matmul(%1, %2) : (tensor<[n]x2xf32>, tensor<2x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# fold-batch-norm-scale-before-matmul: the weight is an input
# run: opt %s --passes shapes,rules,shapes,dce --only fold-batch-norm-scale-before-matmul -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2xf32>, %w: tensor<2x2xf32>) -> (tensor<[n]x2xf32>) {
  %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>}
  %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>}
  %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>}
  %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>}
  %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25}
  %y = core.matmul(%a, %w)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>, %w: tensor<2x2xf32>) -> (tensor<[n]x2xf32>) {
    %sc = core.constant() {value = dense<[2.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %bi = core.constant() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %me = core.constant() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
    %va = core.constant() {value = dense<[0.75, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %a = core.batch_norm(%x, %sc, %bi, %me, %va) {epsilon = 0.25 : f32} : (tensor<[n]x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<[n]x2xf32>
    %y = core.matmul(%a, %w) : (tensor<[n]x2xf32>, tensor<2x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}

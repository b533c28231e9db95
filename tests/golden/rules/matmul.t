# matmul-add
# run: opt %s --passes shapes,rules,shapes,dce --only matmul-add -o -
# file: input.mlir
# stderr: matmul-add 
---
func.func @main(%a: tensor<[n]x3xf32>) -> (tensor<[n]x2xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}
  %b = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
  %m = core.matmul(%a, %w)
  %y = core.add(%m, %b)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%a: tensor<[n]x3xf32>) -> (tensor<[n]x2xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>} : () -> tensor<3x2xf32>
    %b = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.gemm(%a, %w, %b) : (tensor<[n]x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# matmul-add: gemm takes matrices only
# run: opt %s --passes shapes,rules,shapes,dce --only matmul-add -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<[b]x[n]x3xf32>) -> (tensor<[b]x[n]x2xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}
  %b = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
  %m = core.matmul(%a, %w)
  %y = core.add(%m, %b)
  return %y : tensor<[b]x[n]x2xf32>
}
---
module {
  func.func @main(%a: tensor<[b]x[n]x3xf32>) -> (tensor<[b]x[n]x2xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>} : () -> tensor<3x2xf32>
    %b = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %m = core.matmul(%a, %w) : (tensor<[b]x[n]x3xf32>, tensor<3x2xf32>) -> tensor<[b]x[n]x2xf32>
    %y = core.add(%m, %b) : (tensor<[b]x[n]x2xf32>, tensor<2xf32>) -> tensor<[b]x[n]x2xf32>
    return %y : tensor<[b]x[n]x2xf32>
  }
}
====
# gemm-zero-bias
# run: opt %s --passes shapes,rules,shapes,dce --only gemm-zero-bias -o -
# file: input.mlir
# stderr: gemm-zero-bias 
---
func.func @main(%a: tensor<[n]x3xf32>, %w: tensor<3x2xf32>) -> (tensor<[n]x2xf32>) {
  %b = core.constant() {value = dense<0.0> : tensor<2xf32>}
  %y = core.gemm(%a, %w, %b)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%a: tensor<[n]x3xf32>, %w: tensor<3x2xf32>) -> (tensor<[n]x2xf32>) {
    %y = core.gemm(%a, %w, _) : (tensor<[n]x3xf32>, tensor<3x2xf32>, none) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# gemm-zero-bias: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only gemm-zero-bias -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<[n]x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>) -> (tensor<[n]x2xf32>) {
  %y = core.gemm(%a, %w, %b)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%a: tensor<[n]x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>) -> (tensor<[n]x2xf32>) {
    %y = core.gemm(%a, %w, %b) : (tensor<[n]x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# gemm-alpha
# run: opt %s --passes shapes,rules,shapes,dce --only gemm-alpha -o -
# file: input.mlir
# stderr: gemm-alpha 
---
func.func @main(%a: tensor<[n]x3xf32>) -> (tensor<[n]x2xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}
  %y = core.gemm(%a, %w) {alpha = 2.0}
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%a: tensor<[n]x3xf32>) -> (tensor<[n]x2xf32>) {
    %0 = core.constant() {value = dense<[[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]]> : tensor<3x2xf32>} : () -> tensor<3x2xf32>
    %y = core.gemm(%a, %0) : (tensor<[n]x3xf32>, tensor<3x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# gemm-alpha: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only gemm-alpha -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<[n]x3xf32>, %w: tensor<3x2xf32>) -> (tensor<[n]x2xf32>) {
  %y = core.gemm(%a, %w) {alpha = 2.0}
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%a: tensor<[n]x3xf32>, %w: tensor<3x2xf32>) -> (tensor<[n]x2xf32>) {
    %y = core.gemm(%a, %w) {alpha = 2.0 : f32} : (tensor<[n]x3xf32>, tensor<3x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# transpose-gemm
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-gemm -o -
# file: input.mlir
# stderr: transpose-gemm 
---
func.func @main(%a: tensor<3x[n]xf32>, %w: tensor<3x2xf32>) -> (tensor<[n]x2xf32>) {
  %t = core.transpose(%a)
  %y = core.gemm(%t, %w)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%a: tensor<3x[n]xf32>, %w: tensor<3x2xf32>) -> (tensor<[n]x2xf32>) {
    %y = core.gemm(%a, %w) {trans_a = 1} : (tensor<3x[n]xf32>, tensor<3x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# transpose-matmul
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-matmul -o -
# file: input.mlir
# stderr: transpose-matmul 
---
func.func @main(%a: tensor<3x[n]xf32>, %w: tensor<3x2xf32>) -> (tensor<[n]x2xf32>) {
  %t = core.transpose(%a)
  %y = core.matmul(%t, %w)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%a: tensor<3x[n]xf32>, %w: tensor<3x2xf32>) -> (tensor<[n]x2xf32>) {
    %y = core.gemm(%a, %w) {trans_a = 1} : (tensor<3x[n]xf32>, tensor<3x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# plain-einsum
# run: opt %s --passes shapes,rules,shapes,dce --only plain-einsum -o -
# file: input.mlir
# stderr: plain-einsum 
---
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> (tensor<2x4xf32>) {
  %y = core.einsum(%a, %b) {equation = "ij,jk->ik"}
  return %y : tensor<2x4xf32>
}
---
module {
  func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> (tensor<2x4xf32>) {
    %y = core.matmul(%a, %b) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}
====
# plain-einsum: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only plain-einsum -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> (tensor<2xf32>) {
  %y = core.einsum(%a, %b) {equation = "ij,jk->i"}
  return %y : tensor<2xf32>
}
---
module {
  func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> (tensor<2xf32>) {
    %y = core.einsum(%a, %b) {equation = "ij,jk->i"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
====
# gemm-beta
# run: opt %s --passes shapes,rules,shapes,dce --only gemm-beta -o -
# file: input.mlir
# stderr: gemm-beta 
---
func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %c = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>}
  %y = core.gemm(%x, %w, %c) {beta = 0.5}
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %0 = core.constant() {value = dense<[0.5, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.gemm(%x, %w, %0) : (tensor<[n]x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# gemm-beta: the bias is an input
# run: opt %s --passes shapes,rules,shapes,dce --only gemm-beta -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2xf32>, %c: tensor<2xf32>) -> (tensor<[n]x2xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %y = core.gemm(%x, %w, %c) {beta = 0.5}
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>, %c: tensor<2xf32>) -> (tensor<[n]x2xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %y = core.gemm(%x, %w, %c) {beta = 0.5 : f32} : (tensor<[n]x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# gemm-transpose
# run: opt %s --passes shapes,rules,shapes,dce --only gemm-transpose -o -
# file: input.mlir
# stderr: gemm-transpose 
---
func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<2x[n]xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %g = core.gemm(%x, %w)
  %y = core.transpose(%g) {perm = [1, 0]}
  return %y : tensor<2x[n]xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<2x[n]xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %y = core.gemm(%w, %x) {trans_a = 1, trans_b = 1} : (tensor<2x2xf32>, tensor<[n]x2xf32>) -> tensor<2x[n]xf32>
    return %y : tensor<2x[n]xf32>
  }
}
====
# gemm-transpose: the product is an output
# run: opt %s --passes shapes,rules,shapes,dce --only gemm-transpose -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<2x[n]xf32>, tensor<[n]x2xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %g = core.gemm(%x, %w)
  %y = core.transpose(%g) {perm = [1, 0]}
  return %y, %g : tensor<2x[n]xf32>, tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<2x[n]xf32>, tensor<[n]x2xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %g = core.gemm(%x, %w) : (tensor<[n]x2xf32>, tensor<2x2xf32>) -> tensor<[n]x2xf32>
    %y = core.transpose(%g) {perm = array<i64: 1, 0>} : (tensor<[n]x2xf32>) -> tensor<2x[n]xf32>
    return %y, %g : tensor<2x[n]xf32>, tensor<[n]x2xf32>
  }
}
====
# transpose-gemm: no axes move
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-gemm -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %a = core.relu(%x)
  %y = core.gemm(%a, %w)
  return %y : tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x2xf32>) -> (tensor<[n]x2xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %a = core.relu(%x) : (tensor<[n]x2xf32>) -> tensor<[n]x2xf32>
    %y = core.gemm(%a, %w) : (tensor<[n]x2xf32>, tensor<2x2xf32>) -> tensor<[n]x2xf32>
    return %y : tensor<[n]x2xf32>
  }
}
====
# transpose-matmul: of batches
# run: opt %s --passes shapes,rules,shapes,dce --only transpose-matmul -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3x2x4xf32>) -> (tensor<3x4x2xf32>) {
  %w = core.constant() {value = dense<1.0> : tensor<3x2x2xf32>}
  %a = core.transpose(%x) {perm = [0, 2, 1]}
  %y = core.matmul(%a, %w)
  return %y : tensor<3x4x2xf32>
}
---
module {
  func.func @main(%x: tensor<3x2x4xf32>) -> (tensor<3x4x2xf32>) {
    %w = core.constant() {value = dense<1.0> : tensor<3x2x2xf32>} : () -> tensor<3x2x2xf32>
    %a = core.transpose(%x) {perm = array<i64: 0, 2, 1>} : (tensor<3x2x4xf32>) -> tensor<3x4x2xf32>
    %y = core.matmul(%a, %w) : (tensor<3x4x2xf32>, tensor<3x2x2xf32>) -> tensor<3x4x2xf32>
    return %y : tensor<3x4x2xf32>
  }
}
====
# reshape-matmul-reshape
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-matmul-reshape -o -
# file: input.mlir
# stderr: reshape-matmul-reshape 
---
func.func @main(%x: tensor<3x4x2xf32>) -> (tensor<3x4x2xf32>) {
  %s = core.constant() {value = dense<[-1, 2]> : tensor<2xi64>}
  %a = core.reshape(%x, %s)
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %m = core.matmul(%a, %w)
  %t = core.constant() {value = dense<[3, 4, 2]> : tensor<3xi64>}
  %y = core.reshape(%m, %t)
  return %y : tensor<3x4x2xf32>
}
---
module {
  func.func @main(%x: tensor<3x4x2xf32>) -> (tensor<3x4x2xf32>) {
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %y = core.matmul(%x, %w) : (tensor<3x4x2xf32>, tensor<2x2xf32>) -> tensor<3x4x2xf32>
    return %y : tensor<3x4x2xf32>
  }
}
====
# reshape-matmul-reshape: the leading axes do not come back
# run: opt %s --passes shapes,rules,shapes,dce --only reshape-matmul-reshape -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3x4x2xf32>) -> (tensor<4x3x2xf32>) {
  %s = core.constant() {value = dense<[-1, 2]> : tensor<2xi64>}
  %a = core.reshape(%x, %s)
  %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}
  %m = core.matmul(%a, %w)
  %t = core.constant() {value = dense<[4, 3, 2]> : tensor<3xi64>}
  %y = core.reshape(%m, %t)
  return %y : tensor<4x3x2xf32>
}
---
module {
  func.func @main(%x: tensor<3x4x2xf32>) -> (tensor<4x3x2xf32>) {
    %s = core.constant() {value = dense<[-1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %a = core.reshape(%x, %s) : (tensor<3x4x2xf32>, tensor<2xi64>) -> tensor<12x2xf32>
    %w = core.constant() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %m = core.matmul(%a, %w) : (tensor<12x2xf32>, tensor<2x2xf32>) -> tensor<12x2xf32>
    %t = core.constant() {value = dense<[4, 3, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
    %y = core.reshape(%m, %t) : (tensor<12x2xf32>, tensor<3xi64>) -> tensor<4x3x2xf32>
    return %y : tensor<4x3x2xf32>
  }
}

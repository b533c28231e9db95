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

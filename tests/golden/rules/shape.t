# known-elements
# run: opt %s --passes shapes,rules,shapes,dce --only known-elements -o -
# file: input.mlir
# stderr: known-elements 
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<i64>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<1> : tensor<i64>}
  %y = core.gather(%s, %i)
  return %y : tensor<i64>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<i64>) {
    %y = core.constant() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    return %y : tensor<i64>
  }
}
====
# known-elements: the size is only known at run time
# run: opt %s --passes shapes,rules,shapes,dce --only known-elements -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<i64>) {
  %s = core.shape(%x)
  %i = core.constant() {value = dense<0> : tensor<i64>}
  %y = core.gather(%s, %i)
  return %y : tensor<i64>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<i64>) {
    %s = core.shape(%x) : (tensor<[n]x3xf32>) -> tensor<2xi64>
    %i = core.constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %y = core.gather(%s, %i) : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    return %y : tensor<i64>
  }
}
====
# shape-of-same
# run: opt %s --passes shapes,rules,shapes,dce --only shape-of-same -o -
# file: input.mlir
# stderr: shape-of-same 
---
func.func @main(%x: tensor<[n]x[m]xf32>) -> (tensor<2xi64>) {
  %a = core.relu(%x)
  %y = core.shape(%a)
  return %y : tensor<2xi64>
}
---
module {
  func.func @main(%x: tensor<[n]x[m]xf32>) -> (tensor<2xi64>) {
    %y = core.shape(%x) : (tensor<[n]x[m]xf32>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
}
====
# shape-window
# run: opt %s --passes shapes,rules,shapes,dce --only shape-window -o -
# file: input.mlir
# stderr: shape-window 
---
func.func @main(%x: tensor<[n]x[m]x3xf32>) -> (tensor<2xi64>) {
  %s = core.shape(%x)
  %b = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %e = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %y = core.slice(%s, %b, %e)
  return %y : tensor<2xi64>
}
---
module {
  func.func @main(%x: tensor<[n]x[m]x3xf32>) -> (tensor<2xi64>) {
    %y = core.shape(%x) {end = 3, start = 1} : (tensor<[n]x[m]x3xf32>) -> tensor<2xi64>
    return %y : tensor<2xi64>
  }
}

# min-max-clamp
# run: opt %s --passes shapes,rules,shapes,dce --only min-max-clamp -o -
# file: input.mlir
# stderr: min-max-clamp 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<0.0> : tensor<f32>}
  %l = core.constant() {value = dense<6.0> : tensor<f32>}
  %a = core.max(%x, %k)
  %y = core.min(%a, %l)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %k = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %l = core.constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.clamp(%x, %k, %l) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# min-max-clamp: a bound that is no scalar
# run: opt %s --passes shapes,rules,shapes,dce --only min-max-clamp -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %k: tensor<3xf32>) -> (tensor<3xf32>) {
  %l = core.constant() {value = dense<6.0> : tensor<f32>}
  %a = core.max(%x, %k)
  %y = core.min(%a, %l)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %k: tensor<3xf32>) -> (tensor<3xf32>) {
    %l = core.constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.max(%x, %k) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %y = core.min(%a, %l) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# clamp-clamp
# run: opt %s --passes shapes,rules,shapes,dce --only clamp-clamp -o -
# file: input.mlir
# stderr: clamp-clamp 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<0.0> : tensor<f32>}
  %l = core.constant() {value = dense<6.0> : tensor<f32>}
  %m = core.constant() {value = dense<1.0> : tensor<f32>}
  %a = core.clamp(%x, %k, %l)
  %y = core.clamp(%a, %m, %l)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %l = core.constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    %m = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.clamp(%x, %m, %l) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# clamp-open
# run: opt %s --passes shapes,rules,shapes,dce --only clamp-open -o -
# file: input.mlir
# stderr: clamp-open 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %y = core.clamp(%x)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<6xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    return %r0 : tensor<6xf32>
  }
}
====
# clamp-open: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only clamp-open -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<0.0> : tensor<f32>}
  %y = core.clamp(%x, %k)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %k = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.clamp(%x, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# clamp-one-sided
# run: opt %s --passes shapes,rules,shapes,dce --only clamp-one-sided -o -
# file: input.mlir
# stderr: clamp-one-sided 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<0.0> : tensor<f32>}
  %l = core.constant() {value = dense<1.0> : tensor<f32>}
  %a = core.clamp(%x, %k)
  %y = core.max(%a, %l)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %l = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.clamp(%x, %l) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# relu-of-clamp
# run: opt %s --passes shapes,rules,shapes,dce --only relu-of-clamp -o -
# file: input.mlir
# stderr: relu-of-clamp 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<-1.0> : tensor<f32>}
  %l = core.constant() {value = dense<6.0> : tensor<f32>}
  %a = core.clamp(%x, %k, %l)
  %y = core.relu(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %l = core.constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    %0 = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.clamp(%x, %0, %l) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# clamp-of-relu
# run: opt %s --passes shapes,rules,shapes,dce --only clamp-of-relu -o -
# file: input.mlir
# stderr: clamp-of-relu 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<-1.0> : tensor<f32>}
  %l = core.constant() {value = dense<6.0> : tensor<f32>}
  %a = core.relu(%x)
  %y = core.clamp(%a, %k, %l)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %l = core.constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    %0 = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.clamp(%x, %0, %l) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# relu-of-nonnegative
# run: opt %s --passes shapes,rules,shapes,dce --only relu-of-nonnegative -o -
# file: input.mlir
# stderr: relu-of-nonnegative 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.sigmoid(%x)
  %y = core.relu(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.sigmoid(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# relu-of-nonnegative: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only relu-of-nonnegative -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.tanh(%x)
  %y = core.relu(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.tanh(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.relu(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# abs-of-nonnegative
# run: opt %s --passes shapes,rules,shapes,dce --only abs-of-nonnegative -o -
# file: input.mlir
# stderr: abs-of-nonnegative 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.exp(%x)
  %y = core.abs(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# abs-of-zero-or-more
# run: opt %s --passes shapes,rules,shapes,dce --only abs-of-zero-or-more -o -
# file: input.mlir
# stderr: abs-of-zero-or-more 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.relu(%x)
  %y = core.abs(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}

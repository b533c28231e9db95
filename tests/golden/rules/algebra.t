# add-zero
# run: opt %s --passes shapes,rules,shapes,dce --only add-zero -o -
# file: input.mlir
# stderr: add-zero 
---
func.func @main(%x: tensor<[n]x3xi32>) -> (!unknown) {
  %k = core.constant() {value = dense<0> : tensor<i32>}
  %y = core.add(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x3xi32>) -> (tensor<[2*n]x3xi32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<[n]x3xi32>, tensor<[n]x3xi32>) -> tensor<[2*n]x3xi32>
    return %r0 : tensor<[2*n]x3xi32>
  }
}
====
# add-zero
# run: opt %s --passes shapes,rules,shapes,dce --only add-zero -o -
# file: input.mlir
# stderr: add-zero 
---
func.func @main(%x: tensor<[n]x3xf32>) -> (!unknown) {
  %k = core.constant() {value = dense<-0.0> : tensor<f32>}
  %y = core.add(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[2*n]x3xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<[n]x3xf32>, tensor<[n]x3xf32>) -> tensor<[2*n]x3xf32>
    return %r0 : tensor<[2*n]x3xf32>
  }
}
====
# add-zero: -0 + 0 is 0
# run: opt %s --passes shapes,rules,shapes,dce --only add-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %k = core.constant() {value = dense<0.0> : tensor<f32>}
  %y = core.add(%x, %k)
  return %y : tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
    %k = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.add(%x, %k) : (tensor<[n]x3xf32>, tensor<f32>) -> tensor<[n]x3xf32>
    return %y : tensor<[n]x3xf32>
  }
}
====
# add-zero: the constant makes the result larger
# run: opt %s --passes shapes,rules,shapes,dce --only add-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x3xi32>) -> (tensor<2x3xi32>) {
  %k = core.constant() {value = dense<0> : tensor<2x1xi32>}
  %y = core.add(%x, %k)
  return %y : tensor<2x3xi32>
}
---
module {
  func.func @main(%x: tensor<1x3xi32>) -> (tensor<2x3xi32>) {
    %k = core.constant() {value = dense<0> : tensor<2x1xi32>} : () -> tensor<2x1xi32>
    %y = core.add(%x, %k) : (tensor<1x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
    return %y : tensor<2x3xi32>
  }
}
====
# add-positive-zero
# run: opt %s --passes shapes,rules,shapes,dce --only add-positive-zero -o -
# file: input.mlir
# stderr: add-positive-zero 
---
func.func @main(%x: tensor<[n]x3xf32>) -> (!unknown) {
  %k = core.constant() {value = dense<0.0> : tensor<f32>}
  %y = core.add(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[2*n]x3xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<[n]x3xf32>, tensor<[n]x3xf32>) -> tensor<[2*n]x3xf32>
    return %r0 : tensor<[2*n]x3xf32>
  }
}
====
# add-positive-zero: a rounding rule stays out at level 1
# run: opt %s --passes shapes,rules,shapes,dce --only add-positive-zero -O 1 -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %k = core.constant() {value = dense<0.0> : tensor<f32>}
  %y = core.add(%x, %k)
  return %y : tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
    %k = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.add(%x, %k) : (tensor<[n]x3xf32>, tensor<f32>) -> tensor<[n]x3xf32>
    return %y : tensor<[n]x3xf32>
  }
}
====
# sub-zero
# run: opt %s --passes shapes,rules,shapes,dce --only sub-zero -o -
# file: input.mlir
# stderr: sub-zero 
---
func.func @main(%x: tensor<3xi64>) -> (!unknown) {
  %k = core.constant() {value = dense<0> : tensor<i64>}
  %y = core.sub(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xi64>) -> (tensor<6xi64>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xi64>, tensor<3xi64>) -> tensor<6xi64>
    return %r0 : tensor<6xi64>
  }
}
====
# sub-zero
# run: opt %s --passes shapes,rules,shapes,dce --only sub-zero -o -
# file: input.mlir
# stderr: sub-zero 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %k = core.constant() {value = dense<0.0> : tensor<f32>}
  %y = core.sub(%x, %k)
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
# sub-zero: -0 - -0 is 0
# run: opt %s --passes shapes,rules,shapes,dce --only sub-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<-0.0> : tensor<f32>}
  %y = core.sub(%x, %k)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %k = core.constant() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.sub(%x, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# sub-negative-zero
# run: opt %s --passes shapes,rules,shapes,dce --only sub-negative-zero -o -
# file: input.mlir
# stderr: sub-negative-zero 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %k = core.constant() {value = dense<-0.0> : tensor<f32>}
  %y = core.sub(%x, %k)
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
# mul-one
# run: opt %s --passes shapes,rules,shapes,dce --only mul-one -o -
# file: input.mlir
# stderr: mul-one 
---
func.func @main(%x: tensor<[n]x3xf32>) -> (!unknown) {
  %k = core.constant() {value = dense<1.0> : tensor<f32>}
  %y = core.mul(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[2*n]x3xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<[n]x3xf32>, tensor<[n]x3xf32>) -> tensor<[2*n]x3xf32>
    return %r0 : tensor<[2*n]x3xf32>
  }
}
====
# mul-one: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only mul-one -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %y = core.mul(%x, %k)
  return %y : tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
    %k = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.mul(%x, %k) : (tensor<[n]x3xf32>, tensor<f32>) -> tensor<[n]x3xf32>
    return %y : tensor<[n]x3xf32>
  }
}
====
# mul-one: not every element is 1
# run: opt %s --passes shapes,rules,shapes,dce --only mul-one -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<[1.0, 1.0, 0.5]> : tensor<3xf32>}
  %y = core.mul(%x, %k)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %k = core.constant() {value = dense<[1.0, 1.0, 0.5]> : tensor<3xf32>} : () -> tensor<3xf32>
    %y = core.mul(%x, %k) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# div-one
# run: opt %s --passes shapes,rules,shapes,dce --only div-one -o -
# file: input.mlir
# stderr: div-one 
---
func.func @main(%x: tensor<3xi8>) -> (!unknown) {
  %k = core.constant() {value = dense<1> : tensor<i8>}
  %y = core.div(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xi8>) -> (tensor<6xi8>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xi8>, tensor<3xi8>) -> tensor<6xi8>
    return %r0 : tensor<6xi8>
  }
}
====
# div-one: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only div-one -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<-1.0> : tensor<f32>}
  %y = core.div(%x, %k)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %k = core.constant() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.div(%x, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# pow-one
# run: opt %s --passes shapes,rules,shapes,dce --only pow-one -o -
# file: input.mlir
# stderr: pow-one 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %k = core.constant() {value = dense<1.0> : tensor<f32>}
  %y = core.pow(%x, %k)
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
# pow-one: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only pow-one -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %y = core.pow(%x, %k)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %k = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.pow(%x, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# and-true
# run: opt %s --passes shapes,rules,shapes,dce --only and-true -o -
# file: input.mlir
# stderr: and-true 
---
func.func @main(%x: tensor<3xi1>) -> (!unknown) {
  %k = core.constant() {value = dense<true> : tensor<i1>}
  %y = core.and(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<6xi1>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xi1>, tensor<3xi1>) -> tensor<6xi1>
    return %r0 : tensor<6xi1>
  }
}
====
# and-true: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only and-true -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
  %k = core.constant() {value = dense<false> : tensor<i1>}
  %y = core.and(%x, %k)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
    %k = core.constant() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
    %y = core.and(%x, %k) : (tensor<3xi1>, tensor<i1>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# or-false
# run: opt %s --passes shapes,rules,shapes,dce --only or-false -o -
# file: input.mlir
# stderr: or-false 
---
func.func @main(%x: tensor<3xi1>) -> (!unknown) {
  %k = core.constant() {value = dense<false> : tensor<i1>}
  %y = core.or(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<6xi1>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xi1>, tensor<3xi1>) -> tensor<6xi1>
    return %r0 : tensor<6xi1>
  }
}
====
# xor-false
# run: opt %s --passes shapes,rules,shapes,dce --only xor-false -o -
# file: input.mlir
# stderr: xor-false 
---
func.func @main(%x: tensor<3xi1>) -> (!unknown) {
  %k = core.constant() {value = dense<false> : tensor<i1>}
  %y = core.xor(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<6xi1>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xi1>, tensor<3xi1>) -> tensor<6xi1>
    return %r0 : tensor<6xi1>
  }
}
====
# xor-false: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only xor-false -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
  %k = core.constant() {value = dense<true> : tensor<i1>}
  %y = core.xor(%x, %k)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
    %k = core.constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %y = core.xor(%x, %k) : (tensor<3xi1>, tensor<i1>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# bit-and-ones
# run: opt %s --passes shapes,rules,shapes,dce --only bit-and-ones -o -
# file: input.mlir
# stderr: bit-and-ones 
---
func.func @main(%x: tensor<3xui8>) -> (!unknown) {
  %k = core.constant() {value = dense<255> : tensor<ui8>}
  %y = core.bit_and(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xui8>) -> (tensor<6xui8>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xui8>, tensor<3xui8>) -> tensor<6xui8>
    return %r0 : tensor<6xui8>
  }
}
====
# bit-and-ones: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only bit-and-ones -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xui8>) -> (tensor<3xui8>) {
  %k = core.constant() {value = dense<254> : tensor<ui8>}
  %y = core.bit_and(%x, %k)
  return %y : tensor<3xui8>
}
---
module {
  func.func @main(%x: tensor<3xui8>) -> (tensor<3xui8>) {
    %k = core.constant() {value = dense<254> : tensor<ui8>} : () -> tensor<ui8>
    %y = core.bit_and(%x, %k) : (tensor<3xui8>, tensor<ui8>) -> tensor<3xui8>
    return %y : tensor<3xui8>
  }
}
====
# bit-or-zero
# run: opt %s --passes shapes,rules,shapes,dce --only bit-or-zero -o -
# file: input.mlir
# stderr: bit-or-zero 
---
func.func @main(%x: tensor<3xi32>) -> (!unknown) {
  %k = core.constant() {value = dense<0> : tensor<i32>}
  %y = core.bit_or(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<6xi32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
    return %r0 : tensor<6xi32>
  }
}
====
# bit-xor-zero
# run: opt %s --passes shapes,rules,shapes,dce --only bit-xor-zero -o -
# file: input.mlir
# stderr: bit-xor-zero 
---
func.func @main(%x: tensor<3xi32>) -> (!unknown) {
  %k = core.constant() {value = dense<0> : tensor<i32>}
  %y = core.bit_xor(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<6xi32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
    return %r0 : tensor<6xi32>
  }
}
====
# shift-zero
# run: opt %s --passes shapes,rules,shapes,dce --only shift-zero -o -
# file: input.mlir
# stderr: shift-zero 
---
func.func @main(%x: tensor<3xui32>) -> (!unknown) {
  %k = core.constant() {value = dense<0> : tensor<ui32>}
  %y = core.shift_left(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xui32>) -> (tensor<6xui32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xui32>, tensor<3xui32>) -> tensor<6xui32>
    return %r0 : tensor<6xui32>
  }
}
====
# shift-zero: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only shift-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xui32>) -> (tensor<3xui32>) {
  %k = core.constant() {value = dense<1> : tensor<ui32>}
  %y = core.shift_right(%x, %k)
  return %y : tensor<3xui32>
}
---
module {
  func.func @main(%x: tensor<3xui32>) -> (tensor<3xui32>) {
    %k = core.constant() {value = dense<1> : tensor<ui32>} : () -> tensor<ui32>
    %y = core.shift_right(%x, %k) : (tensor<3xui32>, tensor<ui32>) -> tensor<3xui32>
    return %y : tensor<3xui32>
  }
}
====
# min-limit
# run: opt %s --passes shapes,rules,shapes,dce --only min-limit -o -
# file: input.mlir
# stderr: min-limit 
---
func.func @main(%x: tensor<3xi8>) -> (!unknown) {
  %k = core.constant() {value = dense<127> : tensor<i8>}
  %y = core.min(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xi8>) -> (tensor<6xi8>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xi8>, tensor<3xi8>) -> tensor<6xi8>
    return %r0 : tensor<6xi8>
  }
}
====
# min-limit: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only min-limit -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi8>) -> (tensor<3xi8>) {
  %k = core.constant() {value = dense<126> : tensor<i8>}
  %y = core.min(%x, %k)
  return %y : tensor<3xi8>
}
---
module {
  func.func @main(%x: tensor<3xi8>) -> (tensor<3xi8>) {
    %k = core.constant() {value = dense<126> : tensor<i8>} : () -> tensor<i8>
    %y = core.min(%x, %k) : (tensor<3xi8>, tensor<i8>) -> tensor<3xi8>
    return %y : tensor<3xi8>
  }
}
====
# max-limit
# run: opt %s --passes shapes,rules,shapes,dce --only max-limit -o -
# file: input.mlir
# stderr: max-limit 
---
func.func @main(%x: tensor<3xui8>) -> (!unknown) {
  %k = core.constant() {value = dense<0> : tensor<ui8>}
  %y = core.max(%x, %k)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xui8>) -> (tensor<6xui8>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xui8>, tensor<3xui8>) -> tensor<6xui8>
    return %r0 : tensor<6xui8>
  }
}
====
# max-limit: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only max-limit -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi8>) -> (tensor<3xi8>) {
  %k = core.constant() {value = dense<0> : tensor<i8>}
  %y = core.max(%x, %k)
  return %y : tensor<3xi8>
}
---
module {
  func.func @main(%x: tensor<3xi8>) -> (tensor<3xi8>) {
    %k = core.constant() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
    %y = core.max(%x, %k) : (tensor<3xi8>, tensor<i8>) -> tensor<3xi8>
    return %y : tensor<3xi8>
  }
}
====
# mul-zero
# run: opt %s --passes shapes,rules,shapes,dce --only mul-zero -o -
# file: input.mlir
# stderr: mul-zero 
---
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
  %k = core.constant() {value = dense<0> : tensor<i32>}
  %y = core.mul(%x, %k)
  return %y : tensor<3xi32>
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
    %y = core.constant() {value = dense<0> : tensor<3xi32>} : () -> tensor<3xi32>
    return %y : tensor<3xi32>
  }
}
====
# mul-zero: NaN, infinities and -0
# run: opt %s --passes shapes,rules,shapes,dce --only mul-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<0.0> : tensor<f32>}
  %y = core.mul(%x, %k)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %k = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.mul(%x, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# and-false
# run: opt %s --passes shapes,rules,shapes,dce --only and-false -o -
# file: input.mlir
# stderr: and-false 
---
func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
  %k = core.constant() {value = dense<false> : tensor<i1>}
  %y = core.and(%x, %k)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
    %y = core.constant() {value = dense<false> : tensor<3xi1>} : () -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# or-true
# run: opt %s --passes shapes,rules,shapes,dce --only or-true -o -
# file: input.mlir
# stderr: or-true 
---
func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
  %k = core.constant() {value = dense<true> : tensor<i1>}
  %y = core.or(%x, %k)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
    %y = core.constant() {value = dense<true> : tensor<3xi1>} : () -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# bit-and-zero
# run: opt %s --passes shapes,rules,shapes,dce --only bit-and-zero -o -
# file: input.mlir
# stderr: bit-and-zero 
---
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
  %k = core.constant() {value = dense<0> : tensor<i32>}
  %y = core.bit_and(%x, %k)
  return %y : tensor<3xi32>
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
    %y = core.constant() {value = dense<0> : tensor<3xi32>} : () -> tensor<3xi32>
    return %y : tensor<3xi32>
  }
}
====
# self-sub
# run: opt %s --passes shapes,rules,shapes,dce --only self-sub -o -
# file: input.mlir
# stderr: self-sub 
---
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
  %y = core.sub(%x, %x)
  return %y : tensor<3xi32>
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
    %y = core.constant() {value = dense<0> : tensor<3xi32>} : () -> tensor<3xi32>
    return %y : tensor<3xi32>
  }
}
====
# self-sub: Inf - Inf is NaN
# run: opt %s --passes shapes,rules,shapes,dce --only self-sub -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %y = core.sub(%x, %x)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.sub(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# self-xor
# run: opt %s --passes shapes,rules,shapes,dce --only self-xor -o -
# file: input.mlir
# stderr: self-xor 
---
func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
  %y = core.xor(%x, %x)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
    %y = core.constant() {value = dense<false> : tensor<3xi1>} : () -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# self-xor: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only self-xor -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi1>, %z: tensor<3xi1>) -> (tensor<3xi1>) {
  %y = core.xor(%x, %z)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xi1>, %z: tensor<3xi1>) -> (tensor<3xi1>) {
    %y = core.xor(%x, %z) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# self-compare
# run: opt %s --passes shapes,rules,shapes,dce --only self-compare -o -
# file: input.mlir
# stderr: self-compare 
---
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi1>) {
  %y = core.le(%x, %x)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<3xi1>) {
    %y = core.constant() {value = dense<true> : tensor<3xi1>} : () -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# self-compare: NaN differs from itself
# run: opt %s --passes shapes,rules,shapes,dce --only self-compare -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xi1>) {
  %y = core.eq(%x, %x)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xi1>) {
    %y = core.eq(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# twice
# run: opt %s --passes shapes,rules,shapes,dce --only twice -o -
# file: input.mlir
# stderr: twice 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %a = core.neg(%x)
  %y = core.neg(%a)
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
# twice
# run: opt %s --passes shapes,rules,shapes,dce --only twice -o -
# file: input.mlir
# stderr: twice 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %a = core.relu(%x)
  %y = core.relu(%a)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<6xf32>) {
    %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %r0 = core.concat(%a, %a) {axis = 0} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    return %r0 : tensor<6xf32>
  }
}
====
# twice: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only twice -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.exp(%x)
  %y = core.exp(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.exp(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# join-constants
# run: opt %s --passes shapes,rules,shapes,dce --only join-constants -o -
# file: input.mlir
# stderr: join-constants 
---
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
  %k = core.constant() {value = dense<2> : tensor<i32>}
  %l = core.constant() {value = dense<5> : tensor<i32>}
  %a = core.add(%x, %k)
  %y = core.add(%a, %l)
  return %y : tensor<3xi32>
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
    %0 = core.constant() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
    %y = core.add(%x, %0) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %y : tensor<3xi32>
  }
}
====
# join-constants: the inner sum is needed anyway
# run: opt %s --passes shapes,rules,shapes,dce --only join-constants -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %k = core.constant() {value = dense<2> : tensor<i32>}
  %l = core.constant() {value = dense<5> : tensor<i32>}
  %a = core.add(%x, %k)
  %y = core.add(%a, %l)
  %z = core.neg(%a)
  return %y, %z : tensor<3xi32>, tensor<3xi32>
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
    %k = core.constant() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
    %l = core.constant() {value = dense<5> : tensor<i32>} : () -> tensor<i32>
    %a = core.add(%x, %k) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %y = core.add(%a, %l) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %z = core.neg(%a) : (tensor<3xi32>) -> tensor<3xi32>
    return %y, %z : tensor<3xi32>, tensor<3xi32>
  }
}
====
# join-constants: not exact for floats
# run: opt %s --passes shapes,rules,shapes,dce --only join-constants -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %l = core.constant() {value = dense<5.0> : tensor<f32>}
  %a = core.add(%x, %k)
  %y = core.add(%a, %l)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %k = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %l = core.constant() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.add(%x, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %y = core.add(%a, %l) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# join-float-constants
# run: opt %s --passes shapes,rules,shapes,dce --only join-float-constants -o -
# file: input.mlir
# stderr: join-float-constants 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %l = core.constant() {value = dense<5.0> : tensor<f32>}
  %a = core.mul(%x, %k)
  %y = core.mul(%a, %l)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %0 = core.constant() {value = dense<10.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.mul(%x, %0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# add-negated
# run: opt %s --passes shapes,rules,shapes,dce --only add-negated -o -
# file: input.mlir
# stderr: add-negated 
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %n = core.neg(%b)
  %y = core.add(%a, %n)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.sub(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# add-negated: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only add-negated -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %n = core.abs(%b)
  %y = core.add(%a, %n)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %n = core.abs(%b) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.add(%a, %n) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# mul-negated
# run: opt %s --passes shapes,rules,shapes,dce --only mul-negated -o -
# file: input.mlir
# stderr: mul-negated 
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %m = core.neg(%a)
  %n = core.neg(%b)
  %y = core.mul(%m, %n)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.mul(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# mul-negated: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only mul-negated -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %m = core.neg(%a)
  %y = core.mul(%m, %b)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %m = core.neg(%a) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.mul(%m, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# neg-of-product
# run: opt %s --passes shapes,rules,shapes,dce --only neg-of-product -o -
# file: input.mlir
# stderr: neg-of-product 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<2.0> : tensor<f32>}
  %a = core.mul(%x, %k)
  %y = core.neg(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %0 = core.constant() {value = dense<-2.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.mul(%x, %0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# neg-of-product: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only neg-of-product -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.mul(%x, %z)
  %y = core.neg(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.mul(%x, %z) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %y = core.neg(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# neg-of-sub
# run: opt %s --passes shapes,rules,shapes,dce --only neg-of-sub -o -
# file: input.mlir
# stderr: neg-of-sub 
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %d = core.sub(%a, %b)
  %y = core.neg(%d)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.sub(%b, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# mul-reciprocal
# run: opt %s --passes shapes,rules,shapes,dce --only mul-reciprocal -o -
# file: input.mlir
# stderr: mul-reciprocal 
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = core.reciprocal(%b)
  %y = core.mul(%a, %r)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.div(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# mul-reciprocal: 1 / b is an output
# run: opt %s --passes shapes,rules,shapes,dce --only mul-reciprocal -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %r = core.reciprocal(%b)
  %y = core.mul(%a, %r)
  return %y, %r : tensor<3xf32>, tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %r = core.reciprocal(%b) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.mul(%a, %r) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y, %r : tensor<3xf32>, tensor<3xf32>
  }
}
====
# select-known
# run: opt %s --passes shapes,rules,shapes,dce --only select-known -o -
# file: input.mlir
# stderr: select-known 
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (!unknown) {
  %c = core.constant() {value = dense<false> : tensor<i1>}
  %y = core.select(%c, %a, %b)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<6xf32>) {
    %r0 = core.concat(%b, %b) {axis = 0} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    return %r0 : tensor<6xf32>
  }
}
====
# select-known: a is smaller than the result
# run: opt %s --passes shapes,rules,shapes,dce --only select-known -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<1xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %c = core.constant() {value = dense<true> : tensor<i1>}
  %y = core.select(%c, %a, %b)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<1xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %c = core.constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %y = core.select(%c, %a, %b) : (tensor<i1>, tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# select-not
# run: opt %s --passes shapes,rules,shapes,dce --only select-not -o -
# file: input.mlir
# stderr: select-not 
---
func.func @main(%c: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %n = core.not(%c)
  %y = core.select(%n, %a, %b)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%c: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.select(%c, %b, %a) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# select-not: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only select-not -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%c: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %y = core.select(%c, %a, %b)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%c: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.select(%c, %a, %b) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# select-bool
# run: opt %s --passes shapes,rules,shapes,dce --only select-bool -o -
# file: input.mlir
# stderr: select-bool 
---
func.func @main(%c: tensor<3xi1>) -> (!unknown) {
  %t = core.constant() {value = dense<true> : tensor<i1>}
  %f = core.constant() {value = dense<false> : tensor<i1>}
  %y = core.select(%c, %t, %f)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%c: tensor<3xi1>) -> (tensor<6xi1>) {
    %r0 = core.concat(%c, %c) {axis = 0} : (tensor<3xi1>, tensor<3xi1>) -> tensor<6xi1>
    return %r0 : tensor<6xi1>
  }
}
====
# select-bool: floats
# run: opt %s --passes shapes,rules,shapes,dce --only select-bool -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%c: tensor<3xi1>) -> (tensor<3xf32>) {
  %t = core.constant() {value = dense<1.0> : tensor<f32>}
  %f = core.constant() {value = dense<0.0> : tensor<f32>}
  %y = core.select(%c, %t, %f)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%c: tensor<3xi1>) -> (tensor<3xf32>) {
    %t = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %f = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %y = core.select(%c, %t, %f) : (tensor<3xi1>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# compare-bool
# run: opt %s --passes shapes,rules,shapes,dce --only compare-bool -o -
# file: input.mlir
# stderr: compare-bool 
---
func.func @main(%b: tensor<3xi1>) -> (!unknown) {
  %t = core.constant() {value = dense<true> : tensor<i1>}
  %y = core.eq(%b, %t)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%b: tensor<3xi1>) -> (tensor<6xi1>) {
    %r0 = core.concat(%b, %b) {axis = 0} : (tensor<3xi1>, tensor<3xi1>) -> tensor<6xi1>
    return %r0 : tensor<6xi1>
  }
}
====
# compare-bool: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only compare-bool -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%b: tensor<3xi32>) -> (tensor<3xi1>) {
  %t = core.constant() {value = dense<1> : tensor<i32>}
  %y = core.eq(%b, %t)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%b: tensor<3xi32>) -> (tensor<3xi1>) {
    %t = core.constant() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %y = core.eq(%b, %t) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# not-compare
# run: opt %s --passes shapes,rules,shapes,dce --only not-compare -o -
# file: input.mlir
# stderr: not-compare 
---
func.func @main(%a: tensor<3xi32>, %b: tensor<3xi32>) -> (tensor<3xi1>) {
  %c = core.lt(%a, %b)
  %y = core.not(%c)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%a: tensor<3xi32>, %b: tensor<3xi32>) -> (tensor<3xi1>) {
    %y = core.ge(%a, %b) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# not-compare: NaN compares false both ways
# run: opt %s --passes shapes,rules,shapes,dce --only not-compare -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xi1>) {
  %c = core.lt(%a, %b)
  %y = core.not(%c)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xi1>) {
    %c = core.lt(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %y = core.not(%c) : (tensor<3xi1>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# nested-operands
# run: opt %s --passes shapes,rules,shapes,dce --only nested-operands -o -
# file: input.mlir
# stderr: nested-operands 
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<3xf32>) {
  %m = core.min_n(%a, %b, %c)
  %y = core.min_n(%m, %c, %a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.min_n(%a, %b, %c, %c, %a) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# nested-operands: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only nested-operands -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<3xf32>) {
  %m = core.max_n(%a, %b, %c)
  %y = core.min_n(%m, %c, %a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<3xf32>) {
    %m = core.max_n(%a, %b, %c) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %y = core.min_n(%m, %c, %a) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# few-operands
# run: opt %s --passes shapes,rules,shapes,dce --only few-operands -o -
# file: input.mlir
# stderr: few-operands 
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
  %y = core.add_n(%a, %b)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.add(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# few-operands: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only few-operands -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<3xf32>) {
  %y = core.min_n(%a, %b, %c)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.min_n(%a, %b, %c) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# rnn-zero-state
# run: opt %s --passes shapes,rules,shapes,dce --only rnn-zero-state -o -
# file: input.mlir
# stderr: rnn-zero-state 
---
func.func @main(%x: tensor<5x1x3xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>) {
  %w = core.constant() {value = dense<0.5> : tensor<1x2x3xf32>}
  %r = core.constant() {value = dense<0.25> : tensor<1x2x2xf32>}
  %h = core.constant() {value = dense<0.0> : tensor<1x1x2xf32>}
  %y, %l = core.rnn(%x, %w, %r, _, _, %h) {hidden_size = 2}
  return %y, %l : tensor<5x1x1x2xf32>, tensor<1x1x2xf32>
}
---
module {
  func.func @main(%x: tensor<5x1x3xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>) {
    %w = core.constant() {value = dense<0.5> : tensor<1x2x3xf32>} : () -> tensor<1x2x3xf32>
    %r = core.constant() {value = dense<0.25> : tensor<1x2x2xf32>} : () -> tensor<1x2x2xf32>
    %y, %l = core.rnn(%x, %w, %r, _, _, _) {hidden_size = 2} : (tensor<5x1x3xf32>, tensor<1x2x3xf32>, tensor<1x2x2xf32>, none, none, none) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>)
    return %y, %l : tensor<5x1x1x2xf32>, tensor<1x1x2xf32>
  }
}
====
# rnn-zero-state: the state is an input
# run: opt %s --passes shapes,rules,shapes,dce --only rnn-zero-state -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<5x1x3xf32>, %h: tensor<1x1x2xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>) {
  %w = core.constant() {value = dense<0.5> : tensor<1x2x3xf32>}
  %r = core.constant() {value = dense<0.25> : tensor<1x2x2xf32>}
  %y, %l = core.rnn(%x, %w, %r, _, _, %h) {hidden_size = 2}
  return %y, %l : tensor<5x1x1x2xf32>, tensor<1x1x2xf32>
}
---
module {
  func.func @main(%x: tensor<5x1x3xf32>, %h: tensor<1x1x2xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>) {
    %w = core.constant() {value = dense<0.5> : tensor<1x2x3xf32>} : () -> tensor<1x2x3xf32>
    %r = core.constant() {value = dense<0.25> : tensor<1x2x2xf32>} : () -> tensor<1x2x2xf32>
    %y, %l = core.rnn(%x, %w, %r, _, _, %h) {hidden_size = 2} : (tensor<5x1x3xf32>, tensor<1x2x3xf32>, tensor<1x2x2xf32>, none, none, tensor<1x1x2xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>)
    return %y, %l : tensor<5x1x1x2xf32>, tensor<1x1x2xf32>
  }
}
====
# rnn-zero-state: one element is not zero
# run: opt %s --passes shapes,rules,shapes,dce --only rnn-zero-state -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<5x1x3xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>) {
  %w = core.constant() {value = dense<0.5> : tensor<1x2x3xf32>}
  %r = core.constant() {value = dense<0.25> : tensor<1x2x2xf32>}
  %h = core.constant() {value = dense<[[[0.0, 1.0]]]> : tensor<1x1x2xf32>}
  %y, %l = core.rnn(%x, %w, %r, _, _, %h) {hidden_size = 2}
  return %y, %l : tensor<5x1x1x2xf32>, tensor<1x1x2xf32>
}
---
module {
  func.func @main(%x: tensor<5x1x3xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>) {
    %w = core.constant() {value = dense<0.5> : tensor<1x2x3xf32>} : () -> tensor<1x2x3xf32>
    %r = core.constant() {value = dense<0.25> : tensor<1x2x2xf32>} : () -> tensor<1x2x2xf32>
    %h = core.constant() {value = dense<[[[0.0, 1.0]]]> : tensor<1x1x2xf32>} : () -> tensor<1x1x2xf32>
    %y, %l = core.rnn(%x, %w, %r, _, _, %h) {hidden_size = 2} : (tensor<5x1x3xf32>, tensor<1x2x3xf32>, tensor<1x2x2xf32>, none, none, tensor<1x1x2xf32>) -> (tensor<5x1x1x2xf32>, tensor<1x1x2xf32>)
    return %y, %l : tensor<5x1x1x2xf32>, tensor<1x1x2xf32>
  }
}
====
# abs-of-nonnegative: tanh may be negative
# run: opt %s --passes shapes,rules,shapes,dce --only abs-of-nonnegative -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.tanh(%x)
  %y = core.abs(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.tanh(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.abs(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# abs-of-zero-or-more: elu may be negative
# run: opt %s --passes shapes,rules,shapes,dce --only abs-of-zero-or-more -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.elu(%x)
  %y = core.abs(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.elu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.abs(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# and-false: the constant is true
# run: opt %s --passes shapes,rules,shapes,dce --only and-false -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
  %k = core.constant() {value = dense<true> : tensor<3xi1>}
  %y = core.and(%x, %k)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
    %k = core.constant() {value = dense<true> : tensor<3xi1>} : () -> tensor<3xi1>
    %y = core.and(%x, %k) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# or-false: one element is true
# run: opt %s --passes shapes,rules,shapes,dce --only or-false -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2xi1>) -> (tensor<2xi1>) {
  %k = core.constant() {value = dense<[false, true]> : tensor<2xi1>}
  %y = core.or(%x, %k)
  return %y : tensor<2xi1>
}
---
module {
  func.func @main(%x: tensor<2xi1>) -> (tensor<2xi1>) {
    %k = core.constant() {value = dense<[false, true]> : tensor<2xi1>} : () -> tensor<2xi1>
    %y = core.or(%x, %k) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
    return %y : tensor<2xi1>
  }
}
====
# or-true: one element is false
# run: opt %s --passes shapes,rules,shapes,dce --only or-true -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2xi1>) -> (tensor<2xi1>) {
  %k = core.constant() {value = dense<[false, true]> : tensor<2xi1>}
  %y = core.or(%x, %k)
  return %y : tensor<2xi1>
}
---
module {
  func.func @main(%x: tensor<2xi1>) -> (tensor<2xi1>) {
    %k = core.constant() {value = dense<[false, true]> : tensor<2xi1>} : () -> tensor<2xi1>
    %y = core.or(%x, %k) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
    return %y : tensor<2xi1>
  }
}
====
# bit-and-zero: one bit
# run: opt %s --passes shapes,rules,shapes,dce --only bit-and-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
  %k = core.constant() {value = dense<1> : tensor<i32>}
  %y = core.bit_and(%x, %k)
  return %y : tensor<3xi32>
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
    %k = core.constant() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %y = core.bit_and(%x, %k) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %y : tensor<3xi32>
  }
}
====
# bit-or-zero: one bit
# run: opt %s --passes shapes,rules,shapes,dce --only bit-or-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
  %k = core.constant() {value = dense<1> : tensor<i32>}
  %y = core.bit_or(%x, %k)
  return %y : tensor<3xi32>
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
    %k = core.constant() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %y = core.bit_or(%x, %k) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %y : tensor<3xi32>
  }
}
====
# bit-xor-zero: one bit
# run: opt %s --passes shapes,rules,shapes,dce --only bit-xor-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
  %k = core.constant() {value = dense<1> : tensor<i32>}
  %y = core.bit_xor(%x, %k)
  return %y : tensor<3xi32>
}
---
module {
  func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
    %k = core.constant() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %y = core.bit_xor(%x, %k) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %y : tensor<3xi32>
  }
}
====
# clamp-clamp: a bound is an input
# run: opt %s --passes shapes,rules,shapes,dce --only clamp-clamp -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %k: tensor<f32>) -> (tensor<3xf32>) {
  %a = core.constant() {value = dense<0.0> : tensor<f32>}
  %c = core.clamp(%x, %a, %k)
  %y = core.clamp(%c, %a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %k: tensor<f32>) -> (tensor<3xf32>) {
    %a = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %c = core.clamp(%x, %a, %k) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    %y = core.clamp(%c, %a) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# clamp-clamp: the result is a zero, whose sign another zero could take
# run: opt %s --passes shapes,rules,shapes,dce --only clamp-clamp -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.constant() {value = dense<3.0> : tensor<f32>}
  %z = core.constant() {value = dense<0.0> : tensor<f32>}
  %c = core.clamp(%x, %a)
  %y = core.clamp(%c, _, %z)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %c = core.clamp(%x, %a) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %y = core.clamp(%c, _, %z) : (tensor<3xf32>, none, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# clamp-one-sided: the bounds are out of order
# run: opt %s --passes shapes,rules,shapes,dce --only clamp-one-sided -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.constant() {value = dense<0.0> : tensor<f32>}
  %b = core.constant() {value = dense<6.0> : tensor<f32>}
  %k = core.constant() {value = dense<7.0> : tensor<f32>}
  %c = core.clamp(%x, %a, %b)
  %y = core.max(%c, %k)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %b = core.constant() {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    %k = core.constant() {value = dense<7.0> : tensor<f32>} : () -> tensor<f32>
    %c = core.clamp(%x, %a, %b) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    %y = core.max(%c, %k) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# relu-of-clamp: the upper bound is negative
# run: opt %s --passes shapes,rules,shapes,dce --only relu-of-clamp -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.constant() {value = dense<-2.0> : tensor<f32>}
  %b = core.constant() {value = dense<-1.0> : tensor<f32>}
  %c = core.clamp(%x, %a, %b)
  %y = core.relu(%c)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.constant() {value = dense<-2.0> : tensor<f32>} : () -> tensor<f32>
    %b = core.constant() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
    %c = core.clamp(%x, %a, %b) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    %y = core.relu(%c) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# clamp-of-relu: the upper bound is negative
# run: opt %s --passes shapes,rules,shapes,dce --only clamp-of-relu -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.constant() {value = dense<-2.0> : tensor<f32>}
  %b = core.constant() {value = dense<-1.0> : tensor<f32>}
  %c = core.relu(%x)
  %y = core.clamp(%c, %a, %b)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.constant() {value = dense<-2.0> : tensor<f32>} : () -> tensor<f32>
    %b = core.constant() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
    %c = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.clamp(%c, %a, %b) : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# join-float-constants: the sum is an output
# run: opt %s --passes shapes,rules,shapes,dce --only join-float-constants -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %a = core.constant() {value = dense<1.0> : tensor<f32>}
  %b = core.constant() {value = dense<2.0> : tensor<f32>}
  %s = core.add(%x, %a)
  %y = core.add(%s, %b)
  return %y, %s : tensor<3xf32>, tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %a = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %b = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %s = core.add(%x, %a) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %y = core.add(%s, %b) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %y, %s : tensor<3xf32>, tensor<3xf32>
  }
}
====
# neg-of-sub: the difference is an output
# run: opt %s --passes shapes,rules,shapes,dce --only neg-of-sub -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %s = core.sub(%x, %w)
  %y = core.neg(%s)
  return %y, %s : tensor<3xf32>, tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %s = core.sub(%x, %w) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %y = core.neg(%s) : (tensor<3xf32>) -> tensor<3xf32>
    return %y, %s : tensor<3xf32>, tensor<3xf32>
  }
}
====
# sub-negative-zero: one element is not zero
# run: opt %s --passes shapes,rules,shapes,dce --only sub-negative-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>) {
  %k = core.constant() {value = dense<[-0.0, 1.0]> : tensor<2xf32>}
  %y = core.sub(%x, %k)
  return %y : tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>) {
    %k = core.constant() {value = dense<[-0.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.sub(%x, %k) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}

# slice-whole
# run: opt %s --passes shapes,rules,shapes,dce --only slice-whole -o -
# file: input.mlir
# stderr: slice-whole 
---
func.func @main(%x: tensor<[n]x4xf32>) -> (!unknown) {
  %b = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %e = core.constant() {value = dense<[9223372036854775807]> : tensor<1xi64>}
  %y = core.slice(%x, %b, %e)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x4xf32>) -> (tensor<[2*n]x4xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<[n]x4xf32>, tensor<[n]x4xf32>) -> tensor<[2*n]x4xf32>
    return %r0 : tensor<[2*n]x4xf32>
  }
}
====
# slice-whole: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only slice-whole -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x4xf32>) -> (!unknown) {
  %b = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %e = core.constant() {value = dense<[9223372036854775807]> : tensor<1xi64>}
  %y = core.slice(%x, %b, %e)
  return %y : !unknown
}
---
module {
  func.func @main(%x: tensor<[n]x4xf32>) -> (tensor<[n-min(n,1)]x4xf32>) {
    %b = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %e = core.constant() {value = dense<[9223372036854775807]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%x, %b, %e) : (tensor<[n]x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<[n-min(n,1)]x4xf32>
    return %y : tensor<[n-min(n,1)]x4xf32>
  }
}
====
# slice-slice
# run: opt %s --passes shapes,rules,shapes,dce --only slice-slice -o -
# file: input.mlir
# stderr: slice-slice 
---
func.func @main(%x: tensor<9xf32>) -> (tensor<2xf32>) {
  %b = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %e = core.constant() {value = dense<[8]> : tensor<1xi64>}
  %c = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %f = core.constant() {value = dense<[4]> : tensor<1xi64>}
  %a = core.slice(%x, %b, %e)
  %y = core.slice(%a, %c, %f)
  return %y : tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<9xf32>) -> (tensor<2xf32>) {
    %0 = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%x, %0, %1) {axes = array<i64: 0>} : (tensor<9xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
====
# slice-of-concat
# run: opt %s --passes shapes,rules,shapes,dce --only slice-of-concat -o -
# file: input.mlir
# stderr: slice-of-concat 
---
func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<2xf32>) {
  %b = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %e = core.constant() {value = dense<[4]> : tensor<1xi64>}
  %c = core.concat(%x, %z) {axis = 0}
  %y = core.slice(%c, %b, %e)
  return %y : tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<2xf32>) {
    %0 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%z, %0, %1) {axes = array<i64: 0>} : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
====
# slice-of-concat: it takes from both
# run: opt %s --passes shapes,rules,shapes,dce --only slice-of-concat -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
  %b = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %e = core.constant() {value = dense<[4]> : tensor<1xi64>}
  %c = core.concat(%x, %z) {axis = 0}
  %y = core.slice(%c, %b, %e)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
    %b = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %e = core.constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c = core.concat(%x, %z) {axis = 0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    %y = core.slice(%c, %b, %e) : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# split-one
# run: opt %s --passes shapes,rules,shapes,dce --only split-one -o -
# file: input.mlir
# stderr: split-one 
---
func.func @main(%x: tensor<4xf32>) -> (!unknown) {
  %y = core.split(%x)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<8xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    return %r0 : tensor<8xf32>
  }
}
====
# concat-one
# run: opt %s --passes shapes,rules,shapes,dce --only concat-one -o -
# file: input.mlir
# stderr: concat-one 
---
func.func @main(%x: tensor<4xf32>) -> (!unknown) {
  %y = core.concat(%x) {axis = 0}
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<8xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    return %r0 : tensor<8xf32>
  }
}
====
# split-of-concat
# run: opt %s --passes shapes,rules,shapes,dce --only split-of-concat -o -
# file: input.mlir
# stderr: split-of-concat 
---
func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (!unknown, !unknown) {
  %k = core.constant() {value = dense<[2, 3]> : tensor<2xi64>}
  %c = core.concat(%x, %z) {axis = 0}
  %a, %b = core.split(%c, %k)
  %r0 = core.concat(%a, %a) {axis = 0}
  %r1 = core.concat(%b, %b) {axis = 0}
  return %r0, %r1 : !unknown, !unknown
}
---
module {
  func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<4xf32>, tensor<6xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %r1 = core.concat(%z, %z) {axis = 0} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    return %r0, %r1 : tensor<4xf32>, tensor<6xf32>
  }
}
====
# split-of-concat: other parts
# run: opt %s --passes shapes,rules,shapes,dce --only split-of-concat -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
  %k = core.constant() {value = dense<[3, 2]> : tensor<2xi64>}
  %c = core.concat(%x, %z) {axis = 0}
  %a, %b = core.split(%c, %k)
  return %a, %b : tensor<3xf32>, tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
    %k = core.constant() {value = dense<[3, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %c = core.concat(%x, %z) {axis = 0} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    %a, %b = core.split(%c, %k) : (tensor<5xf32>, tensor<2xi64>) -> (tensor<3xf32>, tensor<2xf32>)
    return %a, %b : tensor<3xf32>, tensor<2xf32>
  }
}
====
# concat-empty
# run: opt %s --passes shapes,rules,shapes,dce --only concat-empty -o -
# file: input.mlir
# stderr: concat-empty 
---
func.func @main(%x: tensor<4xf32>, %z: tensor<0xf32>) -> (!unknown) {
  %y = core.concat(%x, %z) {axis = 0}
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<4xf32>, %z: tensor<0xf32>) -> (tensor<8xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    return %r0 : tensor<8xf32>
  }
}
====
# concat-concat
# run: opt %s --passes shapes,rules,shapes,dce --only concat-concat -o -
# file: input.mlir
# stderr: concat-concat 
---
func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<7xf32>) {
  %c = core.concat(%x, %z) {axis = 0}
  %y = core.concat(%c, %x) {axis = 0}
  return %y : tensor<7xf32>
}
---
module {
  func.func @main(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<7xf32>) {
    %y = core.concat(%x, %z, %x) {axis = 0} : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<7xf32>
    return %y : tensor<7xf32>
  }
}
====
# concat-of-split
# run: opt %s --passes shapes,rules,shapes,dce --only concat-of-split -o -
# file: input.mlir
# stderr: concat-of-split 
---
func.func @main(%x: tensor<6xf32>) -> (!unknown) {
  %a, %b = core.split(%x)
  %y = core.concat(%a, %b) {axis = 0}
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<6xf32>) -> (tensor<12xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
    return %r0 : tensor<12xf32>
  }
}
====
# concat-of-split: the other order
# run: opt %s --passes shapes,rules,shapes,dce --only concat-of-split -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<6xf32>) -> (tensor<6xf32>) {
  %a, %b = core.split(%x)
  %y = core.concat(%b, %a) {axis = 0}
  return %y : tensor<6xf32>
}
---
module {
  func.func @main(%x: tensor<6xf32>) -> (tensor<6xf32>) {
    %a, %b = core.split(%x) : (tensor<6xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %y = core.concat(%b, %a) {axis = 0} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    return %y : tensor<6xf32>
  }
}
====
# concat-constants
# run: opt %s --passes shapes,rules,shapes,dce --only concat-constants -o -
# file: input.mlir
# stderr: concat-constants 
---
func.func @main(%x: tensor<2xf32>) -> (tensor<4xf32>) {
  %k = core.constant() {value = dense<[1.0]> : tensor<1xf32>}
  %l = core.constant() {value = dense<[2.0]> : tensor<1xf32>}
  %y = core.concat(%x, %k, %l) {axis = 0}
  return %y : tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<2xf32>) -> (tensor<4xf32>) {
    %0 = core.constant() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = core.concat(%x, %0) {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
====
# gather-whole
# run: opt %s --passes shapes,rules,shapes,dce --only gather-whole -o -
# file: input.mlir
# stderr: gather-whole 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %i = core.constant() {value = dense<[0, 1, 2]> : tensor<3xi64>}
  %y = core.gather(%x, %i)
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
# gather-whole: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only gather-whole -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %i = core.constant() {value = dense<[0, 2, 1]> : tensor<3xi64>}
  %y = core.gather(%x, %i)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %i = core.constant() {value = dense<[0, 2, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %y = core.gather(%x, %i) : (tensor<3xf32>, tensor<3xi64>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# gather-gather
# run: opt %s --passes shapes,rules,shapes,dce --only gather-gather -o -
# file: input.mlir
# stderr: gather-gather 
---
func.func @main(%x: tensor<5xf32>) -> (tensor<2xf32>) {
  %i = core.constant() {value = dense<[0, 2, 4]> : tensor<3xi64>}
  %j = core.constant() {value = dense<[2, 0]> : tensor<2xi64>}
  %a = core.gather(%x, %i)
  %y = core.gather(%a, %j)
  return %y : tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<5xf32>) -> (tensor<2xf32>) {
    %0 = core.constant() {value = dense<[4, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.gather(%x, %0) {axis = 0} : (tensor<5xf32>, tensor<2xi64>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
====
# pad-zero
# run: opt %s --passes shapes,rules,shapes,dce --only pad-zero -o -
# file: input.mlir
# stderr: pad-zero 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %p = core.constant() {value = dense<0> : tensor<2xi64>}
  %y = core.pad(%x, %p)
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
# pad-pad
# run: opt %s --passes shapes,rules,shapes,dce --only pad-pad -o -
# file: input.mlir
# stderr: pad-pad 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<6xf32>) {
  %p = core.constant() {value = dense<[1, 0]> : tensor<2xi64>}
  %q = core.constant() {value = dense<[0, 2]> : tensor<2xi64>}
  %a = core.pad(%x, %p)
  %y = core.pad(%a, %q)
  return %y : tensor<6xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<6xf32>) {
    %0 = core.constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.pad(%x, %0) : (tensor<3xf32>, tensor<2xi64>) -> tensor<6xf32>
    return %y : tensor<6xf32>
  }
}
====
# pad-pad: another value
# run: opt %s --passes shapes,rules,shapes,dce --only pad-pad -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<6xf32>) {
  %p = core.constant() {value = dense<[1, 0]> : tensor<2xi64>}
  %q = core.constant() {value = dense<[0, 2]> : tensor<2xi64>}
  %v = core.constant() {value = dense<1.0> : tensor<f32>}
  %a = core.pad(%x, %p)
  %y = core.pad(%a, %q, %v)
  return %y : tensor<6xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<6xf32>) {
    %p = core.constant() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %q = core.constant() {value = dense<[0, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %v = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %a = core.pad(%x, %p) : (tensor<3xf32>, tensor<2xi64>) -> tensor<4xf32>
    %y = core.pad(%a, %q, %v) : (tensor<4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<6xf32>
    return %y : tensor<6xf32>
  }
}
====
# reverse-reverse
# run: opt %s --passes shapes,rules,shapes,dce --only reverse-reverse -o -
# file: input.mlir
# stderr: reverse-reverse 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %a = core.reverse(%x) {axes = [0]}
  %y = core.reverse(%a) {axes = [0]}
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
# space-depth-pair
# run: opt %s --passes shapes,rules,shapes,dce --only space-depth-pair -o -
# file: input.mlir
# stderr: space-depth-pair 
---
func.func @main(%x: tensor<1x2x4x4xf32>) -> (!unknown) {
  %a = core.space_to_depth(%x) {blocksize = 2}
  %y = core.depth_to_space(%a) {blocksize = 2}
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<1x2x4x4xf32>) -> (tensor<2x2x4x4xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    return %r0 : tensor<2x2x4x4xf32>
  }
}
====
# resize-unit
# run: opt %s --passes shapes,rules,shapes,dce --only resize-unit -o -
# file: input.mlir
# stderr: resize-unit 
---
func.func @main(%x: tensor<1x1x2x2xf32>) -> (!unknown) {
  %s = core.constant() {value = dense<1.0> : tensor<4xf32>}
  %y = core.resize(%x, _, %s)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<1x1x2x2xf32>) -> (tensor<2x1x2x2xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<2x1x2x2xf32>
    return %r0 : tensor<2x1x2x2xf32>
  }
}

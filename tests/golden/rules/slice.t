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
====
# slice-slice: in steps
# run: opt %s --passes shapes,rules,shapes,dce --only slice-slice -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]xf32>) -> (tensor<?xf32>) {
  %a = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %b = core.constant() {value = dense<[-1]> : tensor<1xi64>}
  %s = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %p = core.slice(%x, %a, %b, %s)
  %y = core.slice(%p, %a, %b, %s)
  return %y : tensor<?xf32>
}
---
module {
  func.func @main(%x: tensor<[n]xf32>) -> (tensor<[floordiv(max(floordiv(max(n,1),2),1),2)]xf32>) {
    %a = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %b = core.constant() {value = dense<[-1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %s = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %p = core.slice(%x, %a, %b, %s) : (tensor<[n]xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<[floordiv(max(n,1),2)]xf32>
    %y = core.slice(%p, %a, %b, %s) : (tensor<[floordiv(max(n,1),2)]xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<[floordiv(max(floordiv(max(n,1),2),1),2)]xf32>
    return %y : tensor<[floordiv(max(floordiv(max(n,1),2),1),2)]xf32>
  }
}
====
# slices-split
# run: opt %s --passes shapes,rules,shapes,dce --only slices-split -o -
# file: input.mlir
# stderr: slices-split 
---
func.func @main(%x: tensor<[n]x5xf32>) -> (tensor<[n]x2xf32>, tensor<[n]x3xf32>) {
  %a = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %b = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %c = core.constant() {value = dense<[5]> : tensor<1xi64>}
  %d = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %y = core.slice(%x, %a, %b) {axes = [1]}
  %z = core.slice(%x, %d, %c) {axes = [1]}
  return %y, %z : tensor<[n]x2xf32>, tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x5xf32>) -> (tensor<[n]x2xf32>, tensor<[n]x3xf32>) {
    %0 = core.constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y, %z = core.split(%x, %0) {axis = 1} : (tensor<[n]x5xf32>, tensor<2xi64>) -> (tensor<[n]x2xf32>, tensor<[n]x3xf32>)
    return %y, %z : tensor<[n]x2xf32>, tensor<[n]x3xf32>
  }
}
====
# slices-split: the slices overlap
# run: opt %s --passes shapes,rules,shapes,dce --only slices-split -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x5xf32>) -> (tensor<[n]x2xf32>, tensor<[n]x4xf32>) {
  %a = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %b = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %c = core.constant() {value = dense<[5]> : tensor<1xi64>}
  %d = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %y = core.slice(%x, %a, %b) {axes = [1]}
  %z = core.slice(%x, %d, %c) {axes = [1]}
  return %y, %z : tensor<[n]x2xf32>, tensor<[n]x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x5xf32>) -> (tensor<[n]x2xf32>, tensor<[n]x4xf32>) {
    %a = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %b = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c = core.constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
    %d = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%x, %a, %b) {axes = array<i64: 1>} : (tensor<[n]x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<[n]x2xf32>
    %z = core.slice(%x, %d, %c) {axes = array<i64: 1>} : (tensor<[n]x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<[n]x4xf32>
    return %y, %z : tensor<[n]x2xf32>, tensor<[n]x4xf32>
  }
}
====
# slices-split: something between is left out
# run: opt %s --passes shapes,rules,shapes,dce --only slices-split -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x5xf32>) -> (tensor<[n]x2xf32>, tensor<[n]x2xf32>) {
  %a = core.constant() {value = dense<[0]> : tensor<1xi64>}
  %b = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %c = core.constant() {value = dense<[5]> : tensor<1xi64>}
  %d = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %y = core.slice(%x, %a, %b) {axes = [1]}
  %z = core.slice(%x, %d, %c) {axes = [1]}
  return %y, %z : tensor<[n]x2xf32>, tensor<[n]x2xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x5xf32>) -> (tensor<[n]x2xf32>, tensor<[n]x2xf32>) {
    %a = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %b = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c = core.constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
    %d = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%x, %a, %b) {axes = array<i64: 1>} : (tensor<[n]x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<[n]x2xf32>
    %z = core.slice(%x, %d, %c) {axes = array<i64: 1>} : (tensor<[n]x5xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<[n]x2xf32>
    return %y, %z : tensor<[n]x2xf32>, tensor<[n]x2xf32>
  }
}
====
# split-one: two parts
# run: opt %s --passes shapes,rules,shapes,dce --only split-one -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %y, %z = core.split(%x) {axis = 0}
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %y, %z = core.split(%x) {axis = 0} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return %y, %z : tensor<2xf32>, tensor<2xf32>
  }
}
====
# concat-one: two parts
# run: opt %s --passes shapes,rules,shapes,dce --only concat-one -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xf32>) -> (tensor<8xf32>) {
  %y = core.concat(%x, %x) {axis = 0}
  return %y : tensor<8xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<8xf32>) {
    %y = core.concat(%x, %x) {axis = 0} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}
====
# concat-empty: a part that may be empty
# run: opt %s --passes shapes,rules,shapes,dce --only concat-empty -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xf32>, %z: tensor<[n]xf32>) -> (tensor<?xf32>) {
  %y = core.concat(%x, %z) {axis = 0}
  return %y : tensor<?xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>, %z: tensor<[n]xf32>) -> (tensor<[n+4]xf32>) {
    %y = core.concat(%x, %z) {axis = 0} : (tensor<4xf32>, tensor<[n]xf32>) -> tensor<[n+4]xf32>
    return %y : tensor<[n+4]xf32>
  }
}
====
# concat-concat: along another axis
# run: opt %s --passes shapes,rules,shapes,dce --only concat-concat -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x2xf32>, %z: tensor<2x4xf32>) -> (tensor<4x4xf32>) {
  %a = core.concat(%x, %x) {axis = 1}
  %y = core.concat(%a, %z) {axis = 0}
  return %y : tensor<4x4xf32>
}
---
module {
  func.func @main(%x: tensor<2x2xf32>, %z: tensor<2x4xf32>) -> (tensor<4x4xf32>) {
    %a = core.concat(%x, %x) {axis = 1} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
    %y = core.concat(%a, %z) {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    return %y : tensor<4x4xf32>
  }
}
====
# concat-concat: the inner one is an output
# run: opt %s --passes shapes,rules,shapes,dce --only concat-concat -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x2xf32>, %z: tensor<2x4xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>) {
  %a = core.concat(%x, %x) {axis = 1}
  %y = core.concat(%a, %z) {axis = 1}
  return %y, %a : tensor<2x8xf32>, tensor<2x4xf32>
}
---
module {
  func.func @main(%x: tensor<2x2xf32>, %z: tensor<2x4xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>) {
    %a = core.concat(%x, %x) {axis = 1} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
    %y = core.concat(%a, %z) {axis = 1} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
    return %y, %a : tensor<2x8xf32>, tensor<2x4xf32>
  }
}
====
# concat-slices
# run: opt %s --passes shapes,rules,shapes,dce --only concat-slices -o -
# file: input.mlir
# stderr: concat-slices 
---
func.func @main(%x: tensor<8xf32>) -> (tensor<5xf32>) {
  %a = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %b = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %d = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %c = core.constant() {value = dense<[6]> : tensor<1xi64>}
  %p = core.slice(%x, %a, %b) {axes = [0]}
  %q = core.slice(%x, %d, %c) {axes = [0]}
  %y = core.concat(%p, %q) {axis = 0}
  return %y : tensor<5xf32>
}
---
module {
  func.func @main(%x: tensor<8xf32>) -> (tensor<5xf32>) {
    %0 = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[6]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%x, %0, %1) {axes = array<i64: 0>} : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
    return %y : tensor<5xf32>
  }
}
====
# concat-slices: something between is left out
# run: opt %s --passes shapes,rules,shapes,dce --only concat-slices -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<8xf32>) -> (tensor<4xf32>) {
  %a = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %b = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %d = core.constant() {value = dense<[4]> : tensor<1xi64>}
  %c = core.constant() {value = dense<[6]> : tensor<1xi64>}
  %p = core.slice(%x, %a, %b) {axes = [0]}
  %q = core.slice(%x, %d, %c) {axes = [0]}
  %y = core.concat(%p, %q) {axis = 0}
  return %y : tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<8xf32>) -> (tensor<4xf32>) {
    %a = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %b = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %d = core.constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %c = core.constant() {value = dense<[6]> : tensor<1xi64>} : () -> tensor<1xi64>
    %p = core.slice(%x, %a, %b) {axes = array<i64: 0>} : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
    %q = core.slice(%x, %d, %c) {axes = array<i64: 0>} : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
    %y = core.concat(%p, %q) {axis = 0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
====
# concat-constants: the constants are not neighbours
# run: opt %s --passes shapes,rules,shapes,dce --only concat-constants -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2xf32>) -> (tensor<4xf32>) {
  %a = core.constant() {value = dense<[1.0]> : tensor<1xf32>}
  %b = core.constant() {value = dense<[2.0]> : tensor<1xf32>}
  %y = core.concat(%a, %x, %b) {axis = 0}
  return %y : tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<2xf32>) -> (tensor<4xf32>) {
    %a = core.constant() {value = dense<[1.0]> : tensor<1xf32>} : () -> tensor<1xf32>
    %b = core.constant() {value = dense<[2.0]> : tensor<1xf32>} : () -> tensor<1xf32>
    %y = core.concat(%a, %x, %b) {axis = 0} : (tensor<1xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
====
# gather-gather: from other axes
# run: opt %s --passes shapes,rules,shapes,dce --only gather-gather -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4x4xf32>) -> (tensor<2x2xf32>) {
  %a = core.constant() {value = dense<[1, 0]> : tensor<2xi64>}
  %b = core.constant() {value = dense<[2, 1]> : tensor<2xi64>}
  %p = core.gather(%x, %a) {axis = 0}
  %y = core.gather(%p, %b) {axis = 1}
  return %y : tensor<2x2xf32>
}
---
module {
  func.func @main(%x: tensor<4x4xf32>) -> (tensor<2x2xf32>) {
    %a = core.constant() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %b = core.constant() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
    %p = core.gather(%x, %a) {axis = 0} : (tensor<4x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    %y = core.gather(%p, %b) {axis = 1} : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
}
====
# gather-gather: an index that the run knows
# run: opt %s --passes shapes,rules,shapes,dce --only gather-gather -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4x4xf32>, %a: tensor<2xi64>) -> (tensor<2x4xf32>) {
  %b = core.constant() {value = dense<[1, 0]> : tensor<2xi64>}
  %p = core.gather(%x, %a) {axis = 0}
  %y = core.gather(%p, %b) {axis = 0}
  return %y : tensor<2x4xf32>
}
---
module {
  func.func @main(%x: tensor<4x4xf32>, %a: tensor<2xi64>) -> (tensor<2x4xf32>) {
    %b = core.constant() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %p = core.gather(%x, %a) {axis = 0} : (tensor<4x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    %y = core.gather(%p, %b) {axis = 0} : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}
====
# gather-unsqueeze
# run: opt %s --passes shapes,rules,shapes,dce --only gather-unsqueeze -o -
# file: input.mlir
# stderr: gather-unsqueeze 
---
func.func @main(%x: tensor<[n]x5x4xf32>) -> (tensor<[n]x1x4xf32>) {
  %i = core.constant() {value = dense<2> : tensor<i64>}
  %g = core.gather(%x, %i) {axis = 1}
  %y = core.unsqueeze(%g) {axes = [1]}
  return %y : tensor<[n]x1x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x5x4xf32>) -> (tensor<[n]x1x4xf32>) {
    %0 = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%x, %0, %1) {axes = array<i64: 1>} : (tensor<[n]x5x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<[n]x1x4xf32>
    return %y : tensor<[n]x1x4xf32>
  }
}
====
# gather-unsqueeze: the axis comes back elsewhere
# run: opt %s --passes shapes,rules,shapes,dce --only gather-unsqueeze -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x5x4xf32>) -> (tensor<1x[n]x4xf32>) {
  %i = core.constant() {value = dense<2> : tensor<i64>}
  %g = core.gather(%x, %i) {axis = 1}
  %y = core.unsqueeze(%g) {axes = [0]}
  return %y : tensor<1x[n]x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x5x4xf32>) -> (tensor<1x[n]x4xf32>) {
    %i = core.constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
    %g = core.gather(%x, %i) {axis = 1} : (tensor<[n]x5x4xf32>, tensor<i64>) -> tensor<[n]x4xf32>
    %y = core.unsqueeze(%g) {axes = array<i64: 0>} : (tensor<[n]x4xf32>) -> tensor<1x[n]x4xf32>
    return %y : tensor<1x[n]x4xf32>
  }
}
====
# slice-squeeze
# run: opt %s --passes shapes,rules,shapes,dce --only slice-squeeze -o -
# file: input.mlir
# stderr: slice-squeeze 
---
func.func @main(%x: tensor<[n]x5x4xf32>) -> (tensor<[n]x4xf32>) {
  %i = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %j = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %g = core.slice(%x, %i, %j) {axes = [1]}
  %y = core.squeeze(%g) {axes = [1]}
  return %y : tensor<[n]x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x5x4xf32>) -> (tensor<[n]x4xf32>) {
    %0 = core.constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
    %y = core.gather(%x, %0) {axis = 1} : (tensor<[n]x5x4xf32>, tensor<i64>) -> tensor<[n]x4xf32>
    return %y : tensor<[n]x4xf32>
  }
}
====
# slice-squeeze: another axis is dropped
# run: opt %s --passes shapes,rules,shapes,dce --only slice-squeeze -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x5x4xf32>) -> (tensor<1x4xf32>) {
  %i = core.constant() {value = dense<[2]> : tensor<1xi64>}
  %j = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %g = core.slice(%x, %i, %j) {axes = [1]}
  %y = core.squeeze(%g) {axes = [0]}
  return %y : tensor<1x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x5x4xf32>) -> (tensor<1x4xf32>) {
    %i = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %j = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %g = core.slice(%x, %i, %j) {axes = array<i64: 1>} : (tensor<1x5x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x1x4xf32>
    %y = core.squeeze(%g) {axes = array<i64: 0>} : (tensor<1x1x4xf32>) -> tensor<1x4xf32>
    return %y : tensor<1x4xf32>
  }
}
====
# pad-zero: it pads
# run: opt %s --passes shapes,rules,shapes,dce --only pad-zero -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<4xf32>) {
  %p = core.constant() {value = dense<[0, 1]> : tensor<2xi64>}
  %y = core.pad(%x, %p)
  return %y : tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<4xf32>) {
    %p = core.constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.pad(%x, %p) : (tensor<3xf32>, tensor<2xi64>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
====
# slice-of-pad
# run: opt %s --passes shapes,rules,shapes,dce --only slice-of-pad -o -
# file: input.mlir
# stderr: slice-of-pad 
---
func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>) {
  %p = core.constant() {value = dense<[2, 2]> : tensor<2xi64>}
  %v = core.constant() {value = dense<0.5> : tensor<f32>}
  %a = core.pad(%x, %p, %v)
  %i = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %j = core.constant() {value = dense<[5]> : tensor<1xi64>}
  %y = core.slice(%a, %i, %j)
  return %y : tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>) {
    %0 = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%x, %0, %1) {axes = array<i64: 0>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
====
# slice-of-pad: it sees some of the padding
# run: opt %s --passes shapes,rules,shapes,dce --only slice-of-pad -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %p = core.constant() {value = dense<[2, 2]> : tensor<2xi64>}
  %v = core.constant() {value = dense<0.5> : tensor<f32>}
  %a = core.pad(%x, %p, %v)
  %i = core.constant() {value = dense<[1]> : tensor<1xi64>}
  %j = core.constant() {value = dense<[5]> : tensor<1xi64>}
  %y = core.slice(%a, %i, %j)
  return %y : tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %p = core.constant() {value = dense<[2, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %v = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %a = core.pad(%x, %p, %v) : (tensor<4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<8xf32>
    %i = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %j = core.constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%a, %i, %j) : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
====
# scatter-all
# run: opt %s --passes shapes,rules,shapes,dce --only scatter-all -o -
# file: input.mlir
# stderr: scatter-all 
---
func.func @main(%x: tensor<3x2xf32>, %u: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
  %i = core.constant() {value = dense<[[0], [1], [2]]> : tensor<3x1xi64>}
  %a = core.scatter_nd(%x, %i, %u)
  %y = core.relu(%a)
  return %y : tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<3x2xf32>, %u: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
    %y = core.relu(%u) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  }
}
====
# scatter-all: a row stays
# run: opt %s --passes shapes,rules,shapes,dce --only scatter-all -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3x2xf32>, %u: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
  %i = core.constant() {value = dense<[[0], [0], [2]]> : tensor<3x1xi64>}
  %a = core.scatter_nd(%x, %i, %u)
  %y = core.relu(%a)
  return %y : tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<3x2xf32>, %u: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
    %i = core.constant() {value = dense<[[0], [0], [2]]> : tensor<3x1xi64>} : () -> tensor<3x1xi64>
    %a = core.scatter_nd(%x, %i, %u) : (tensor<3x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %y = core.relu(%a) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  }
}
====
# scatter-all: it adds
# run: opt %s --passes shapes,rules,shapes,dce --only scatter-all -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3x2xf32>, %u: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
  %i = core.constant() {value = dense<[[0], [1], [2]]> : tensor<3x1xi64>}
  %a = core.scatter_nd(%x, %i, %u) {reduction = "add"}
  %y = core.relu(%a)
  return %y : tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<3x2xf32>, %u: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
    %i = core.constant() {value = dense<[[0], [1], [2]]> : tensor<3x1xi64>} : () -> tensor<3x1xi64>
    %a = core.scatter_nd(%x, %i, %u) {reduction = "add"} : (tensor<3x2xf32>, tensor<3x1xi64>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %y = core.relu(%a) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  }
}
====
# reverse-reverse: a sum along the axis is between
# run: opt %s --passes shapes,rules,shapes,dce --only reverse-reverse -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
  %r = core.reverse(%x) {axes = [0]}
  %z = core.constant() {value = dense<0> : tensor<i64>}
  %a = core.cumsum(%r, %z)
  %y = core.reverse(%a) {axes = [0]}
  return %y : tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>) {
    %r = core.reverse(%x) {axes = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %z = core.constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %a = core.cumsum(%r, %z) : (tensor<3x2xf32>, tensor<i64>) -> tensor<3x2xf32>
    %y = core.reverse(%a) {axes = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    return %y : tensor<3x2xf32>
  }
}
====
# space-depth-pair: the blocks differ
# run: opt %s --passes shapes,rules,shapes,dce --only space-depth-pair -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x4x4x4xf32>) -> (tensor<1x1x8x8xf32>) {
  %a = core.space_to_depth(%x) {blocksize = 2}
  %y = core.depth_to_space(%a) {blocksize = 4}
  return %y : tensor<1x1x8x8xf32>
}
---
module {
  func.func @main(%x: tensor<1x4x4x4xf32>) -> (tensor<1x1x8x8xf32>) {
    %a = core.space_to_depth(%x) {blocksize = 2} : (tensor<1x4x4x4xf32>) -> tensor<1x16x2x2xf32>
    %y = core.depth_to_space(%a) {blocksize = 4} : (tensor<1x16x2x2xf32>) -> tensor<1x1x8x8xf32>
    return %y : tensor<1x1x8x8xf32>
  }
}
====
# space-depth-pair: the order of channels differs
# run: opt %s --passes shapes,rules,shapes,dce --only space-depth-pair -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>) {
  %a = core.space_to_depth(%x) {blocksize = 2}
  %y = core.depth_to_space(%a) {blocksize = 2, mode = "CRD"}
  return %y : tensor<1x4x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>) {
    %a = core.space_to_depth(%x) {blocksize = 2} : (tensor<1x4x4x4xf32>) -> tensor<1x16x2x2xf32>
    %y = core.depth_to_space(%a) {blocksize = 2, mode = "CRD"} : (tensor<1x16x2x2xf32>) -> tensor<1x4x4x4xf32>
    return %y : tensor<1x4x4x4xf32>
  }
}
====
# resize-unit: one axis doubles
# run: opt %s --passes shapes,rules,shapes,dce --only resize-unit -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x6x4xf32>) {
  %s = core.constant() {value = dense<[1.0, 1.0, 2.0, 1.0]> : tensor<4xf32>}
  %a = core.resize(%x, _, %s) {mode = "nearest"}
  %y = core.relu(%a)
  return %y : tensor<1x2x6x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x6x4xf32>) {
    %s = core.constant() {value = dense<[1.0, 1.0, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %a = core.resize(%x, _, %s) {mode = "nearest"} : (tensor<1x2x3x4xf32>, none, tensor<4xf32>) -> tensor<1x2x6x4xf32>
    %y = core.relu(%a) : (tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
    return %y : tensor<1x2x6x4xf32>
  }
}
====
# resize-unit: it interpolates
# run: opt %s --passes shapes,rules,shapes,dce --only resize-unit -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>) {
  %s = core.constant() {value = dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf32>}
  %a = core.resize(%x, _, %s) {mode = "linear"}
  %y = core.relu(%a)
  return %y : tensor<1x2x3x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>) {
    %s = core.constant() {value = dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %a = core.resize(%x, _, %s) {mode = "linear"} : (tensor<1x2x3x4xf32>, none, tensor<4xf32>) -> tensor<1x2x3x4xf32>
    %y = core.relu(%a) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    return %y : tensor<1x2x3x4xf32>
  }
}
====
# resize-unit-smooth
# run: opt %s --passes shapes,rules,shapes,dce --only resize-unit-smooth -o -
# file: input.mlir
# stderr: resize-unit-smooth 
---
func.func @main(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>) {
  %s = core.constant() {value = dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf32>}
  %a = core.resize(%x, _, %s) {mode = "linear"}
  %y = core.relu(%a)
  return %y : tensor<1x2x3x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>) {
    %y = core.relu(%x) : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    return %y : tensor<1x2x3x4xf32>
  }
}
====
# resize-unit-smooth: one axis doubles
# run: opt %s --passes shapes,rules,shapes,dce --only resize-unit-smooth -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x6x4xf32>) {
  %s = core.constant() {value = dense<[1.0, 1.0, 2.0, 1.0]> : tensor<4xf32>}
  %a = core.resize(%x, _, %s) {mode = "linear"}
  %y = core.relu(%a)
  return %y : tensor<1x2x6x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x6x4xf32>) {
    %s = core.constant() {value = dense<[1.0, 1.0, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %a = core.resize(%x, _, %s) {mode = "linear"} : (tensor<1x2x3x4xf32>, none, tensor<4xf32>) -> tensor<1x2x6x4xf32>
    %y = core.relu(%a) : (tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
    return %y : tensor<1x2x6x4xf32>
  }
}
====
# focus
# run: opt %s --passes shapes,rules,shapes,dce --only focus -o -
# file: input.mlir
# stderr: focus 
---
func.func @main(%x: tensor<[n]x3x8x8xf32>) -> (tensor<[n]x12x4x4xf32>) {
  %a = core.constant() {value = dense<[0, 0]> : tensor<2xi64>}
  %b = core.constant() {value = dense<[0, 1]> : tensor<2xi64>}
  %c = core.constant() {value = dense<[1, 0]> : tensor<2xi64>}
  %d = core.constant() {value = dense<[1, 1]> : tensor<2xi64>}
  %e = core.constant() {value = dense<[8, 8]> : tensor<2xi64>}
  %t = core.constant() {value = dense<[2, 2]> : tensor<2xi64>}
  %pa = core.slice(%x, %a, %e, %t) {axes = [2, 3]}
  %pb = core.slice(%x, %b, %e, %t) {axes = [2, 3]}
  %pc = core.slice(%x, %c, %e, %t) {axes = [2, 3]}
  %pd = core.slice(%x, %d, %e, %t) {axes = [2, 3]}
  %y = core.concat(%pa, %pb, %pc, %pd) {axis = 1}
  return %y : tensor<[n]x12x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3x8x8xf32>) -> (tensor<[n]x12x4x4xf32>) {
    %y = core.space_to_depth(%x) {blocksize = 2} : (tensor<[n]x3x8x8xf32>) -> tensor<[n]x12x4x4xf32>
    return %y : tensor<[n]x12x4x4xf32>
  }
}
====
# focus: one part twice
# run: opt %s --passes shapes,rules,shapes,dce --only focus -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3x8x8xf32>) -> (tensor<[n]x12x4x4xf32>) {
  %a = core.constant() {value = dense<[0, 0]> : tensor<2xi64>}
  %b = core.constant() {value = dense<[0, 1]> : tensor<2xi64>}
  %c = core.constant() {value = dense<[1, 0]> : tensor<2xi64>}
  %d = core.constant() {value = dense<[1, 1]> : tensor<2xi64>}
  %e = core.constant() {value = dense<[8, 8]> : tensor<2xi64>}
  %t = core.constant() {value = dense<[2, 2]> : tensor<2xi64>}
  %pa = core.slice(%x, %a, %e, %t) {axes = [2, 3]}
  %pb = core.slice(%x, %b, %e, %t) {axes = [2, 3]}
  %pc = core.slice(%x, %c, %e, %t) {axes = [2, 3]}
  %pd = core.slice(%x, %d, %e, %t) {axes = [2, 3]}
  %y = core.concat(%pa, %pb, %pc, %pa) {axis = 1}
  return %y : tensor<[n]x12x4x4xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3x8x8xf32>) -> (tensor<[n]x12x4x4xf32>) {
    %a = core.constant() {value = dense<[0, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %b = core.constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
    %c = core.constant() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %e = core.constant() {value = dense<[8, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
    %t = core.constant() {value = dense<[2, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %pa = core.slice(%x, %a, %e, %t) {axes = array<i64: 2, 3>} : (tensor<[n]x3x8x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<[n]x3x4x4xf32>
    %pb = core.slice(%x, %b, %e, %t) {axes = array<i64: 2, 3>} : (tensor<[n]x3x8x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<[n]x3x4x4xf32>
    %pc = core.slice(%x, %c, %e, %t) {axes = array<i64: 2, 3>} : (tensor<[n]x3x8x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<[n]x3x4x4xf32>
    %y = core.concat(%pa, %pb, %pc, %pa) {axis = 1} : (tensor<[n]x3x4x4xf32>, tensor<[n]x3x4x4xf32>, tensor<[n]x3x4x4xf32>, tensor<[n]x3x4x4xf32>) -> tensor<[n]x12x4x4xf32>
    return %y : tensor<[n]x12x4x4xf32>
  }
}
====
# focus: of integers, which runtimes do not take
# run: opt %s --passes shapes,rules,shapes,dce --only focus -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<[n]x3x8x8xi64>) -> (tensor<[n]x12x4x4xi64>) {
  %a = core.constant() {value = dense<[0, 0]> : tensor<2xi64>}
  %b = core.constant() {value = dense<[0, 1]> : tensor<2xi64>}
  %c = core.constant() {value = dense<[1, 0]> : tensor<2xi64>}
  %d = core.constant() {value = dense<[1, 1]> : tensor<2xi64>}
  %e = core.constant() {value = dense<[8, 8]> : tensor<2xi64>}
  %t = core.constant() {value = dense<[2, 2]> : tensor<2xi64>}
  %pa = core.slice(%x, %a, %e, %t) {axes = [2, 3]}
  %pb = core.slice(%x, %b, %e, %t) {axes = [2, 3]}
  %pc = core.slice(%x, %c, %e, %t) {axes = [2, 3]}
  %pd = core.slice(%x, %d, %e, %t) {axes = [2, 3]}
  %y = core.concat(%pa, %pb, %pc, %pd) {axis = 1}
  return %y : tensor<[n]x12x4x4xi64>
}
---
module {
  func.func @main(%x: tensor<[n]x3x8x8xi64>) -> (tensor<[n]x12x4x4xi64>) {
    %a = core.constant() {value = dense<[0, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %b = core.constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
    %c = core.constant() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %d = core.constant() {value = dense<[1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
    %e = core.constant() {value = dense<[8, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
    %t = core.constant() {value = dense<[2, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %pa = core.slice(%x, %a, %e, %t) {axes = array<i64: 2, 3>} : (tensor<[n]x3x8x8xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<[n]x3x4x4xi64>
    %pb = core.slice(%x, %b, %e, %t) {axes = array<i64: 2, 3>} : (tensor<[n]x3x8x8xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<[n]x3x4x4xi64>
    %pc = core.slice(%x, %c, %e, %t) {axes = array<i64: 2, 3>} : (tensor<[n]x3x8x8xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<[n]x3x4x4xi64>
    %pd = core.slice(%x, %d, %e, %t) {axes = array<i64: 2, 3>} : (tensor<[n]x3x8x8xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<[n]x3x4x4xi64>
    %y = core.concat(%pa, %pb, %pc, %pd) {axis = 1} : (tensor<[n]x3x4x4xi64>, tensor<[n]x3x4x4xi64>, tensor<[n]x3x4x4xi64>, tensor<[n]x3x4x4xi64>) -> tensor<[n]x12x4x4xi64>
    return %y : tensor<[n]x12x4x4xi64>
  }
}

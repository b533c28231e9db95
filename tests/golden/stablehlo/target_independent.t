# add, subtract, multiply: neutral elements, x - x, x * 0, constants to the right
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %z = stablehlo.constant dense<0> : tensor<4xi32>
    %o = stablehlo.constant dense<1> : tensor<4xi32>
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %f1 = stablehlo.constant dense<1.0> : tensor<4xf32>
    %fz = stablehlo.constant dense<-0.0> : tensor<4xf32>
    %fp = stablehlo.constant dense<0.0> : tensor<4xf32>
    %0 = stablehlo.add %i, %z : tensor<4xi32>
    %1 = stablehlo.subtract %i, %z : tensor<4xi32>
    %2 = stablehlo.subtract %i, %i : tensor<4xi32>
    %3 = stablehlo.multiply %i, %z : tensor<4xi32>
    %4 = stablehlo.multiply %i, %o : tensor<4xi32>
    %5 = stablehlo.add %c, %i : tensor<4xi32>
    %6 = stablehlo.multiply %c, %i : tensor<4xi32>
    %7 = stablehlo.multiply %x, %f1 : tensor<4xf32>
    %8 = stablehlo.add %x, %fz : tensor<4xf32>
    %9 = stablehlo.subtract %x, %fp : tensor<4xf32>
    %r0 = stablehlo.negate %0 : tensor<4xi32>
    %r1 = stablehlo.negate %1 : tensor<4xi32>
    %r2 = stablehlo.negate %2 : tensor<4xi32>
    %r3 = stablehlo.negate %3 : tensor<4xi32>
    %r4 = stablehlo.negate %4 : tensor<4xi32>
    %r5 = stablehlo.negate %5 : tensor<4xi32>
    %r6 = stablehlo.negate %6 : tensor<4xi32>
    %r7 = stablehlo.negate %7 : tensor<4xf32>
    %r8 = stablehlo.negate %8 : tensor<4xf32>
    %r9 = stablehlo.negate %9 : tensor<4xf32>
    return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %r2 = stablehlo.constant dense<0> : tensor<4xi32>
    %0 = stablehlo.add %c, %i : tensor<4xi32>
    %1 = stablehlo.multiply %c, %i : tensor<4xi32>
    %r0 = stablehlo.negate %i : tensor<4xi32>
    %r5 = stablehlo.negate %0 : tensor<4xi32>
    %r6 = stablehlo.negate %1 : tensor<4xi32>
    %r7 = stablehlo.negate %x : tensor<4xf32>
    return %r0, %r0, %r2, %r2, %r0, %r5, %r6, %r7, %r7, %r7 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
====
# and, or, xor: neutral and absorbing elements, x ^ x, constants to the right
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%p: tensor<4xi1>, %i: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
    %t = stablehlo.constant dense<true> : tensor<4xi1>
    %f = stablehlo.constant dense<false> : tensor<4xi1>
    %z = stablehlo.constant dense<0> : tensor<4xi32>
    %m = stablehlo.constant dense<-1> : tensor<4xi32>
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %0 = stablehlo.and %p, %f : tensor<4xi1>
    %1 = stablehlo.and %p, %t : tensor<4xi1>
    %2 = stablehlo.or %p, %t : tensor<4xi1>
    %3 = stablehlo.or %p, %f : tensor<4xi1>
    %4 = stablehlo.xor %p, %p : tensor<4xi1>
    %5 = stablehlo.xor %p, %f : tensor<4xi1>
    %6 = stablehlo.and %i, %z : tensor<4xi32>
    %7 = stablehlo.and %i, %m : tensor<4xi32>
    %8 = stablehlo.or %i, %m : tensor<4xi32>
    %9 = stablehlo.or %i, %z : tensor<4xi32>
    %10 = stablehlo.xor %i, %i : tensor<4xi32>
    %11 = stablehlo.xor %i, %z : tensor<4xi32>
    %12 = stablehlo.and %c, %i : tensor<4xi32>
    %13 = stablehlo.or %c, %i : tensor<4xi32>
    %14 = stablehlo.xor %c, %i : tensor<4xi32>
    %r0 = stablehlo.not %0 : tensor<4xi1>
    %r1 = stablehlo.not %1 : tensor<4xi1>
    %r2 = stablehlo.not %2 : tensor<4xi1>
    %r3 = stablehlo.not %3 : tensor<4xi1>
    %r4 = stablehlo.not %4 : tensor<4xi1>
    %r5 = stablehlo.not %5 : tensor<4xi1>
    %r6 = stablehlo.negate %6 : tensor<4xi32>
    %r7 = stablehlo.negate %7 : tensor<4xi32>
    %r8 = stablehlo.negate %8 : tensor<4xi32>
    %r9 = stablehlo.negate %9 : tensor<4xi32>
    %r10 = stablehlo.negate %10 : tensor<4xi32>
    %r11 = stablehlo.negate %11 : tensor<4xi32>
    %r12 = stablehlo.negate %12 : tensor<4xi32>
    %r13 = stablehlo.negate %13 : tensor<4xi32>
    %r14 = stablehlo.negate %14 : tensor<4xi32>
    return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
---
module {
  func.func @main(%p: tensor<4xi1>, %i: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %r2 = stablehlo.constant dense<false> : tensor<4xi1>
    %r0 = stablehlo.constant dense<true> : tensor<4xi1>
    %r6 = stablehlo.constant dense<0> : tensor<4xi32>
    %0 = stablehlo.and %c, %i : tensor<4xi32>
    %1 = stablehlo.or %c, %i : tensor<4xi32>
    %2 = stablehlo.xor %c, %i : tensor<4xi32>
    %r1 = stablehlo.not %p : tensor<4xi1>
    %r7 = stablehlo.negate %i : tensor<4xi32>
    %r8 = stablehlo.constant dense<1> : tensor<4xi32>
    %r12 = stablehlo.negate %0 : tensor<4xi32>
    %r13 = stablehlo.negate %1 : tensor<4xi32>
    %r14 = stablehlo.negate %2 : tensor<4xi32>
    return %r0, %r1, %r2, %r1, %r0, %r1, %r6, %r7, %r8, %r7, %r6, %r7, %r12, %r13, %r14 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
  }
}
====
# compare: with itself, constants to the right, with true and false; maximum and minimum of constants
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%p: tensor<4xi1>, %i: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) {
    %t = stablehlo.constant dense<true> : tensor<4xi1>
    %f = stablehlo.constant dense<false> : tensor<4xi1>
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %0 = stablehlo.compare EQ, %i, %i, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %1 = stablehlo.compare LT, %i, %i, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %2 = stablehlo.compare LT, %c, %i, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %3 = stablehlo.compare NE, %p, %f, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %4 = stablehlo.compare EQ, %p, %t, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %5 = stablehlo.maximum %c, %i : tensor<4xi32>
    %6 = stablehlo.minimum %c, %i : tensor<4xi32>
    %r0 = stablehlo.not %0 : tensor<4xi1>
    %r1 = stablehlo.not %1 : tensor<4xi1>
    %r2 = stablehlo.not %2 : tensor<4xi1>
    %r3 = stablehlo.not %3 : tensor<4xi1>
    %r4 = stablehlo.not %4 : tensor<4xi1>
    %r5 = stablehlo.negate %5 : tensor<4xi32>
    %r6 = stablehlo.negate %6 : tensor<4xi32>
    return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi32>
}
---
module {
  func.func @main(%p: tensor<4xi1>, %i: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) {
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %r1 = stablehlo.constant dense<true> : tensor<4xi1>
    %r0 = stablehlo.constant dense<false> : tensor<4xi1>
    %0 = stablehlo.maximum %c, %i : tensor<4xi32>
    %1 = stablehlo.minimum %c, %i : tensor<4xi32>
    %r2 = stablehlo.compare GE, %c, %i, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %r3 = stablehlo.not %p : tensor<4xi1>
    %r5 = stablehlo.negate %0 : tensor<4xi32>
    %r6 = stablehlo.negate %1 : tensor<4xi32>
    return %r0, %r1, %r2, %r3, %r3, %r5, %r6 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi32>
  }
}
====
# broadcast_in_dim: none, of another, as reshape, as transpose
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<2x3xf32>, %v: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>, tensor<1x2x3xf32>, tensor<3x2xf32>) {
    %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
    %3 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    %4 = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %r0 = stablehlo.negate %0 : tensor<2x3xf32>
    %r1 = stablehlo.negate %2 : tensor<4x2x3xf32>
    %r2 = stablehlo.negate %3 : tensor<1x2x3xf32>
    %r3 = stablehlo.negate %4 : tensor<3x2xf32>
    return %r0, %r1, %r2, %r3 : tensor<2x3xf32>, tensor<4x2x3xf32>, tensor<1x2x3xf32>, tensor<3x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %v: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>, tensor<1x2x3xf32>, tensor<3x2xf32>) {
    %0 = stablehlo.broadcast_in_dim %v, dims = [2] : (tensor<3xf32>) -> tensor<4x2x3xf32>
    %1 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %r0 = stablehlo.negate %x : tensor<2x3xf32>
    %r1 = stablehlo.negate %0 : tensor<4x2x3xf32>
    %r2 = stablehlo.negate %1 : tensor<1x2x3xf32>
    %r3 = stablehlo.negate %2 : tensor<3x2xf32>
    return %r0, %r1, %r2, %r3 : tensor<2x3xf32>, tensor<4x2x3xf32>, tensor<1x2x3xf32>, tensor<3x2xf32>
  }
}
====
# reshape, transpose, reverse, convert: none, merged, as one another
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<2x3xf32>, %o: tensor<1x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x1xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<4xf32>, tensor<2x3xf32>) {
    %c = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
    %1 = stablehlo.reshape %0 : (tensor<6xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.transpose %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %6 = stablehlo.transpose %o, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x1xf32>
    %7 = stablehlo.reverse %x, dims = [] : tensor<2x3xf32>
    %8 = stablehlo.reverse %o, dims = [0] : tensor<1x3xf32>
    %9 = stablehlo.reverse %c, dims = [0] : tensor<4xf32>
    %10 = stablehlo.convert %x : tensor<2x3xf32>
    %r0 = stablehlo.negate %1 : tensor<3x2xf32>
    %r1 = stablehlo.negate %2 : tensor<2x3xf32>
    %r2 = stablehlo.negate %3 : tensor<2x3xf32>
    %r3 = stablehlo.negate %5 : tensor<2x3xf32>
    %r4 = stablehlo.negate %6 : tensor<3x1xf32>
    %r5 = stablehlo.negate %7 : tensor<2x3xf32>
    %r6 = stablehlo.negate %8 : tensor<1x3xf32>
    %r7 = stablehlo.negate %9 : tensor<4xf32>
    %r8 = stablehlo.negate %10 : tensor<2x3xf32>
    return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8 : tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x1xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<4xf32>, tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %o: tensor<1x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x1xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<4xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.reshape %o : (tensor<1x3xf32>) -> tensor<3x1xf32>
    %r0 = stablehlo.negate %0 : tensor<3x2xf32>
    %r1 = stablehlo.negate %x : tensor<2x3xf32>
    %r4 = stablehlo.negate %1 : tensor<3x1xf32>
    %r6 = stablehlo.negate %o : tensor<1x3xf32>
    %r7 = stablehlo.constant dense<-1.0> : tensor<4xf32>
    return %r0, %r1, %r1, %r1, %r4, %r1, %r6, %r7, %r1 : tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x1xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<4xf32>, tensor<2x3xf32>
  }
}
====
# slices and updates: none, of a concatenation, at constant places, empty, of everything
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %e: tensor<0xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %a = stablehlo.constant dense<1> : tensor<1xi32>
    %b = stablehlo.constant dense<3> : tensor<1xi32>
    %0 = stablehlo.slice %x [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %2 = stablehlo.slice %1 [1:3] : (tensor<8xf32>) -> tensor<2xf32>
    %3 = stablehlo.dynamic_slice %x, %one, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
    %4 = stablehlo.dynamic_update_slice %x, %y, %z : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
    %5 = stablehlo.dynamic_update_slice %x, %e, %one : (tensor<4xf32>, tensor<0xf32>, tensor<i32>) -> tensor<4xf32>
    %6 = stablehlo.real_dynamic_slice %x, %a, %b, %a : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
    %r0 = stablehlo.negate %0 : tensor<4xf32>
    %r1 = stablehlo.negate %2 : tensor<2xf32>
    %r2 = stablehlo.negate %3 : tensor<2xf32>
    %r3 = stablehlo.negate %4 : tensor<4xf32>
    %r4 = stablehlo.negate %5 : tensor<4xf32>
    %r5 = stablehlo.negate %6 : tensor<2xf32>
    return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %e: tensor<0xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
    %0 = stablehlo.slice %x [1:3] : (tensor<4xf32>) -> tensor<2xf32>
    %r0 = stablehlo.negate %x : tensor<4xf32>
    %r1 = stablehlo.negate %0 : tensor<2xf32>
    %r3 = stablehlo.negate %y : tensor<4xf32>
    return %r0, %r1, %r1, %r3, %r0, %r1 : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
  }
}
====
# concatenate and pad: one operand, empty operands, nested, no padding, of nothing
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>, %e: tensor<0xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<12xf32>, tensor<4xf32>, tensor<3xf32>) {
    %0 = stablehlo.concatenate %x, dim = 0 : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.concatenate %x, %e, dim = 0 : (tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
    %2 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %3 = stablehlo.concatenate %2, %x, dim = 0 : (tensor<8xf32>, tensor<4xf32>) -> tensor<12xf32>
    %4 = stablehlo.pad %x, %s, low = [0], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.pad %e, %s, low = [1], high = [2], interior = [0] : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
    %r0 = stablehlo.negate %0 : tensor<4xf32>
    %r1 = stablehlo.negate %1 : tensor<4xf32>
    %r2 = stablehlo.negate %3 : tensor<12xf32>
    %r3 = stablehlo.negate %4 : tensor<4xf32>
    %r4 = stablehlo.negate %5 : tensor<3xf32>
    return %r0, %r1, %r2, %r3, %r4 : tensor<4xf32>, tensor<4xf32>, tensor<12xf32>, tensor<4xf32>, tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>, %e: tensor<0xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<12xf32>, tensor<4xf32>, tensor<3xf32>) {
    %0 = stablehlo.concatenate %x, %x, %x, dim = 0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<12xf32>
    %1 = stablehlo.pad %e, %s, low = [1], high = [2], interior = [0] : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
    %r0 = stablehlo.negate %x : tensor<4xf32>
    %r2 = stablehlo.negate %0 : tensor<12xf32>
    %r4 = stablehlo.negate %1 : tensor<3xf32>
    return %r0, %r0, %r2, %r0, %r4 : tensor<4xf32>, tensor<4xf32>, tensor<12xf32>, tensor<4xf32>, tensor<3xf32>
  }
}
====
# select: same branches, constant or negated predicate
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %q: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %t = stablehlo.constant dense<true> : tensor<4xi1>
    %m = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
    %a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = stablehlo.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
    %0 = stablehlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
    %1 = stablehlo.select %t, %x, %y : tensor<4xi1>, tensor<4xf32>
    %2 = stablehlo.select %m, %a, %b : tensor<4xi1>, tensor<4xf32>
    %n = stablehlo.not %p : tensor<4xi1>
    %3 = stablehlo.select %n, %x, %y : tensor<4xi1>, tensor<4xf32>
    %nq = stablehlo.not %q : tensor<i1>
    %bq = stablehlo.broadcast_in_dim %nq, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %4 = stablehlo.select %bq, %x, %y : tensor<4xi1>, tensor<4xf32>
    %r0 = stablehlo.negate %0 : tensor<4xf32>
    %r1 = stablehlo.negate %1 : tensor<4xf32>
    %r2 = stablehlo.negate %2 : tensor<4xf32>
    %r3 = stablehlo.negate %3 : tensor<4xf32>
    %r4 = stablehlo.negate %4 : tensor<4xf32>
    return %r0, %r1, %r2, %r3, %r4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
---
module {
  func.func @main(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %q: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.select %p, %y, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.select %q, %y, %x : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r0 = stablehlo.negate %x : tensor<4xf32>
    %r2 = stablehlo.constant dense<[-1.0, -6.0, -3.0, -8.0]> : tensor<4xf32>
    %r3 = stablehlo.negate %0 : tensor<4xf32>
    %r4 = stablehlo.negate %1 : tensor<4xf32>
    return %r0, %r0, %r2, %r3, %r4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
====
# iota, get_dimension_size, dynamic ops of known sizes
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<2x3xf32>, %s: tensor<f32>) -> (tensor<1x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>) {
    %d = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %l = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
    %z = stablehlo.constant dense<0> : tensor<2xi64>
    %0 = stablehlo.iota dim = 0 : tensor<1x3xi32>
    %1 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %2 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
    %3 = stablehlo.dynamic_iota %d, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi32>
    %4 = stablehlo.dynamic_broadcast_in_dim %s, %d, dims = [] : (tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    %5 = stablehlo.dynamic_reshape %x, %d : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    %6 = stablehlo.dynamic_pad %x, %s, %l, %z, %z : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x3xf32>
    %r0 = stablehlo.negate %0 : tensor<1x3xi32>
    %r1 = stablehlo.negate %1 : tensor<2x3xi32>
    %r2 = stablehlo.negate %2 : tensor<i32>
    %r3 = stablehlo.negate %3 : tensor<2x3xi32>
    %r4 = stablehlo.negate %4 : tensor<2x3xf32>
    %r5 = stablehlo.negate %5 : tensor<2x3xf32>
    %r6 = stablehlo.negate %6 : tensor<3x3xf32>
    return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<1x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %s: tensor<f32>) -> (tensor<1x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>) {
    %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %1 = stablehlo.pad %x, %s, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    %r0 = stablehlo.constant dense<[[0, 0, 0]]> : tensor<1x3xi32>
    %r1 = stablehlo.constant dense<[[0, -1, -2], [0, -1, -2]]> : tensor<2x3xi32>
    %r2 = stablehlo.constant dense<-3> : tensor<i32>
    %r4 = stablehlo.negate %0 : tensor<2x3xf32>
    %r5 = stablehlo.negate %x : tensor<2x3xf32>
    %r6 = stablehlo.negate %1 : tensor<3x3xf32>
    return %r0, %r1, %r2, %r1, %r4, %r5, %r6 : tensor<1x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>
  }
}
====
# gather: at one constant place, and dynamic_gather of constant sizes
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<5x3xf32>, %i: tensor<4x1xi64>) -> (tensor<2x3xf32>, tensor<4x3xf32>) {
    %c = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
    %z = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
    %0 = "stablehlo.gather"(%x, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 2, 3>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    %1 = "stablehlo.dynamic_gather"(%x, %i, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<4x1xi64>, tensor<2xi64>) -> tensor<4x3xf32>
    %r0 = stablehlo.negate %0 : tensor<2x3xf32>
    %r1 = stablehlo.negate %1 : tensor<4x3xf32>
    return %r0, %r1 : tensor<2x3xf32>, tensor<4x3xf32>
}
---
module {
  func.func @main(%x: tensor<5x3xf32>, %i: tensor<4x1xi64>) -> (tensor<2x3xf32>, tensor<4x3xf32>) {
    %0 = stablehlo.slice %x [1:3, 0:3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.reshape %i : (tensor<4x1xi64>) -> tensor<4xi64>
    %2 = "stablehlo.gather"(%x, %1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
    %r0 = stablehlo.negate %0 : tensor<2x3xf32>
    %r1 = stablehlo.negate %2 : tensor<4x3xf32>
    return %r0, %r1 : tensor<2x3xf32>, tensor<4x3xf32>
  }
}
====
# reduce over no dimension and of nothing; complex and tuples taken apart
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<2x3xf32>, %e: tensor<0x3xf32>, %y: tensor<2x3xf32>, %c: tensor<4xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xcomplex<f32>>, tensor<2x3xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %1 = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.complex %x, %y : tensor<2x3xcomplex<f32>>
    %3 = stablehlo.real %2 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %4 = stablehlo.imag %2 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %r = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %i = stablehlo.imag %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %5 = stablehlo.complex %r, %i : tensor<4xcomplex<f32>>
    %t = stablehlo.tuple %x, %y : tuple<tensor<2x3xf32>, tensor<2x3xf32>>
    %6 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2x3xf32>, tensor<2x3xf32>>) -> tensor<2x3xf32>
    %r0 = stablehlo.negate %0 : tensor<2x3xf32>
    %r1 = stablehlo.negate %1 : tensor<3xf32>
    %r2 = stablehlo.negate %3 : tensor<2x3xf32>
    %r3 = stablehlo.negate %4 : tensor<2x3xf32>
    %r4 = stablehlo.negate %5 : tensor<4xcomplex<f32>>
    %r5 = stablehlo.negate %6 : tensor<2x3xf32>
    return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xcomplex<f32>>, tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %e: tensor<0x3xf32>, %y: tensor<2x3xf32>, %c: tensor<4xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xcomplex<f32>>, tensor<2x3xf32>) {
    %r0 = stablehlo.negate %x : tensor<2x3xf32>
    %r1 = stablehlo.constant dense<-0.0> : tensor<3xf32>
    %r3 = stablehlo.negate %y : tensor<2x3xf32>
    %r4 = stablehlo.negate %c : tensor<4xcomplex<f32>>
    return %r0, %r1, %r0, %r3, %r4, %r3 : tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xcomplex<f32>>, tensor<2x3xf32>
  }
}
====
# sort of what is not used; case and while of constants
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %k = stablehlo.constant dense<1> : tensor<i32>
    %f = stablehlo.constant dense<false> : tensor<i1>
    %s:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %lt = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
    }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %1 = "stablehlo.case"(%k) ({
      stablehlo.return %x : tensor<4xf32>
    }, {
      %n = stablehlo.negate %x : tensor<4xf32>
      stablehlo.return %n : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %2 = stablehlo.while(%v = %x) : tensor<4xf32> cond {
      stablehlo.return %f : tensor<i1>
    } do {
      %w = stablehlo.add %v, %v : tensor<4xf32>
      stablehlo.return %w : tensor<4xf32>
    }
    %r0 = stablehlo.negate %s#0 : tensor<4xf32>
    %r1 = stablehlo.negate %1 : tensor<4xf32>
    %r2 = stablehlo.negate %2 : tensor<4xf32>
    return %r0, %r1, %r2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %lt = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
    }) {dimension = 0, is_stable = true} : (tensor<4xf32>) -> tensor<4xf32>
    %r0 = stablehlo.negate %0 : tensor<4xf32>
    %r2 = stablehlo.negate %x : tensor<4xf32>
    return %r0, %x, %r2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
====
# folded: unary and binary functions of constants
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %a = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
    %b = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
    %i = stablehlo.constant dense<[7, -2]> : tensor<2xi32>
    %j = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
    %0 = stablehlo.sqrt %a : tensor<2xf32>
    %1 = stablehlo.negate %a : tensor<2xf32>
    %2 = stablehlo.divide %a, %b : tensor<2xf32>
    %3 = stablehlo.maximum %a, %b : tensor<2xf32>
    %4 = stablehlo.remainder %i, %j : tensor<2xi32>
    %5 = stablehlo.divide %i, %j : tensor<2xi32>
    %6 = stablehlo.sign %i : tensor<2xi32>
    %7 = stablehlo.clamp %a, %b, %a : tensor<2xf32>
    %8 = stablehlo.convert %i : (tensor<2xi32>) -> tensor<2xf32>
    %9 = stablehlo.transpose %a, dims = [0] : (tensor<2xf32>) -> tensor<2xf32>
    %r0 = stablehlo.negate %0 : tensor<2xf32>
    %r1 = stablehlo.negate %1 : tensor<2xf32>
    %r2 = stablehlo.negate %2 : tensor<2xf32>
    %r3 = stablehlo.negate %3 : tensor<2xf32>
    %r4 = stablehlo.negate %4 : tensor<2xi32>
    %r5 = stablehlo.negate %5 : tensor<2xi32>
    %r6 = stablehlo.negate %6 : tensor<2xi32>
    %r7 = stablehlo.negate %7 : tensor<2xf32>
    %r8 = stablehlo.negate %8 : tensor<2xf32>
    %r9 = stablehlo.negate %9 : tensor<2xf32>
    return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
---
module {
  func.func @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %a = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
    %r0 = stablehlo.constant dense<[-1.0, -2.0]> : tensor<2xf32>
    %r2 = stablehlo.constant dense<[-0.5, -1.3333334]> : tensor<2xf32>
    %r3 = stablehlo.constant dense<[-2.0, -4.0]> : tensor<2xf32>
    %r4 = stablehlo.constant dense<[-1, 2]> : tensor<2xi32>
    %r5 = stablehlo.constant dense<[-3, 0]> : tensor<2xi32>
    %r6 = stablehlo.constant dense<[-1, 1]> : tensor<2xi32>
    %r7 = stablehlo.constant dense<[-1.0, -4.0]> : tensor<2xf32>
    %r8 = stablehlo.constant dense<[-7.0, 2.0]> : tensor<2xf32>
    return %r0, %a, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r7 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}

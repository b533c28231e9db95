# Attributes.
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main() {
    "a.b"() {i = 1, j = -9223372036854775808, k = -5 : i8, l = 18446744073709551615 : ui64, m = 1 : i1, n = 0 : index} : () -> ()
    "a.b"() {f = 0.1 : f32, g = -0.0 : f64, h = 1.0e+30 : f32, i = 0x7FC00000 : f32, j = 0xFF80 : bf16, k = 0.5 : f8E5M2, l = 5.0e-324 : f64} : () -> ()
    "a.b"() {a = true, b = false, c, d = [unit, []], e = array<i64>, f = array<f32: 0.5, 0xFF800000>, g = array<i8: -1>, h = array<i1: true, false>, i = array<!hone.str>} : () -> ()
    "a.b"() {s = "plain", t = "\"\\\0A\00", u = ["a", "b"], v = #hone.list<["a", "b"]>, w = ["a", 1], "odd key" = {}, x = {a = {b = {c}}}} : () -> ()
    "a.b"() {a = @f, b = @"f g", c = @a::@b, d = tensor<2xf32>, e = i32, f = (i32) -> i32, g = none} : () -> ()
    "a.b"() {a = #foo.bar, b = #foo<x + 1, ["}"]>, c = affine_map<(d0) -> (d0 mod 2)>, d = strided<[1, ?], offset: 2>, e = #hone.wire<"0x0A00FF">, f = #hone.text<"not an attribute">} : () -> ()
    return
  }
}
---
module {
  func.func @main() {
    "a.b"() {i = 1, j = -9223372036854775808, k = -5 : i8, l = 18446744073709551615 : ui64, m = true, n = 0 : index} : () -> ()
    "a.b"() {f = 0.1 : f32, g = -0.0 : f64, h = 1.0e+30 : f32, i = 0x7FC00000 : f32, j = 0xFF80 : bf16, k = 0.5 : f8E5M2, l = 5.0e-324 : f64} : () -> ()
    "a.b"() {a = true, b = false, c, d = [unit, []], e = array<i64>, f = array<f32: 0.5, 0xFF800000>, g = array<i8: -1>, h = array<i1: true, false>, i = array<!hone.str>} : () -> ()
    "a.b"() {"odd key" = {}, s = "plain", t = "\"\\\0A\00", u = ["a", "b"], v = #hone.list<["a", "b"]>, w = ["a", 1], x = {a = {b = {c}}}} : () -> ()
    "a.b"() {a = @f, b = @"f g", c = @a::@b, d = tensor<2xf32>, e = i32, f = (i32) -> i32, g = none} : () -> ()
    "a.b"() {a = #foo.bar, b = #foo<x + 1, ["}"]>, c = affine_map<(d0) -> (d0 mod 2)>, d = strided<[1, ?], offset: 2>, e = #hone.wire<"0x0A00FF">, f = #hone.text<"not an attribute">} : () -> ()
    return
  }
}
====
# a row of the tables gives bare literals their type
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main(%x: tensor<f32>, %y: tensor<2x3xf32>) {
    %a = core.elu(%x) {alpha = 0.1} : (tensor<f32>) -> tensor<f32>
    %b = core.elu(%x) {alpha = 2} : (tensor<f32>) -> tensor<f32>
    %c = core.transpose(%y) {perm = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %d = core.squeeze(%x) {axes = []} : (tensor<f32>) -> tensor<f32>
    return
  }
}
---
module {
  func.func @main(%x: tensor<f32>, %y: tensor<2x3xf32>) {
    %a = core.elu(%x) {alpha = 0.1 : f32} : (tensor<f32>) -> tensor<f32>
    %b = core.elu(%x) {alpha = 2.0 : f32} : (tensor<f32>) -> tensor<f32>
    %c = core.transpose(%y) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %d = core.squeeze(%x) {axes = array<i64>} : (tensor<f32>) -> tensor<f32>
    return
  }
}
====
# other spellings of the same
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main() {
    "a.b"() {a = 0xFF, b = 255 : i8, c = 5.000000e-01 : f32, d = 1.5, "e" = unit, f = "\t\n\41", g = "x\22"} : () -> ()
    return
  }
}
---
module {
  func.func @main() {
    "a.b"() {a = 255, b = -1 : i8, c = 0.5 : f32, d = 1.5 : f64, e, f = "\09\0AA", g = "x\""} : () -> ()
    return
  }
}

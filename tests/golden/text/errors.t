# Errors: where, what was found, what was expected, what to do.
# an empty file
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: input.mlir:2:1: error: found the end of the file, expected module or func.func
# exit: 3
---

---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: input.mlir:2:1: error: found the end of the file, expected func.func or '}'
# exit: 3
---
module {
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: input.mlir:2:8: error: unknown op "core.rleu"
# stderr: hint: did you mean core.relu?
# exit: 3
---
func.func @main() {
  %y = core.rleu(%x) : (tensor<f32>) -> tensor<f32>
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:8: error: unknown op "foo.bar"
# stderr: hint: ops that hone does not know are written in quotes
# exit: 3
---
func.func @main() {
  %y = foo.bar()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: input.mlir:2:18: error: value %imag is not defined
# stderr: hint: did you mean %image?
# exit: 3
---
func.func @main(%image: tensor<f32>) {
  %y = core.relu(%imag) : (tensor<f32>) -> tensor<f32>
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:3: error: value %x is already defined
# stderr: input.mlir:1:17: note: the first definition is here
# exit: 3
---
func.func @main(%x: tensor<f32>) {
  %x = core.relu(%x)
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:25: error: %x has type tensor<2xf32>, found tensor<3xf32>
# exit: 3
---
func.func @main(%x: tensor<2xf32>) {
  %y = core.relu(%x) : (tensor<3xf32>) -> tensor<2xf32>
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:8: error: core.add has 1 operands, expected 2
# exit: 3
---
func.func @main(%x: tensor<2xf32>) {
  %y = core.add(%x)
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: operand 1 of core.add may not be absent
# exit: 3
---
func.func @main(%x: tensor<2xf32>) {
  %y = core.add(%x, _)
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: core.concat lacks attribute axis (an integer)
# exit: 3
---
func.func @main(%x: tensor<2xf32>) {
  %y = core.concat(%x)
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: attribute axis of core.concat is a string, expected an integer
# exit: 3
---
func.func @main(%x: tensor<2xf32>) {
  %y = core.concat(%x) {axis = "0"}
  return
}
---
====
# a typing error in the name of an optional attribute
# run: convert %s -t mlir -o - >%t/out
# file: input.mlir
# stderr: 2:8: warning: core.conv has no attribute "stride"
# stderr: hint: did you mean strides?
---
func.func @main(%x: tensor<1x1x2x2xf32>) {
  %y = core.conv(%x, %x) {stride = [1, 1]}
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: core.if has 0 regions, expected 2
# exit: 3
---
func.func @main(%c: tensor<i1>) {
  %y = core.if(%c)
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:8: error: region 1 of core.if has 0 arguments and gives 0 values, expected 0 and 1
# exit: 3
---
func.func @main(%c: tensor<i1>) {
  %y = core.if(%c) ({
    core.yield(%c) : (tensor<i1>) -> ()
  }, {
    core.yield() : () -> ()
  }) : (tensor<i1>) -> tensor<i1>
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 3:1: error: the block does not end with a terminator
# stderr: hint: functions end with return
# exit: 3
---
func.func @main() {
  "a.b"() : () -> ()
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 3:3: error: op after the core.return that ends the block
# exit: 3
---
func.func @main() {
  return
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: the function returns 0 values, but its type has 1 results
# exit: 3
---
func.func @main() -> tensor<f32> {
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 1:39: error: result 0 has type tensor<3xf32>, but the returned value has type tensor<2xf32>
# exit: 3
---
func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  return %x : tensor<2xf32>
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:11: error: function "f" is already defined
# exit: 3
---
func.func @f() { return }
func.func @f() { return }
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: attribute "a" is given twice
# exit: 3
---
func.func @main() {
  "a.b"() {a = 1, a = 2} : () -> ()
  return
}
---
====
# an entry of a dictionary within an attribute
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:16: error: entry "c" of a dictionary is given twice
# exit: 3
---
func.func @main() {
  "a.b"() {a = {c = 1, b, c = 2}} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: unexpected attribute "hone.nmaes"
# exit: 3
---
func.func @main() {
  "a.b"() {hone.nmaes = ["x"]} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:29: error: more than 2 elements along dimension 0
# exit: 3
---
func.func @main() {
  "a.b"() {a = dense<[1, 2, 3]> : tensor<2xi8>} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: 1 elements along dimension 1, expected 2
# exit: 3
---
func.func @main() {
  "a.b"() {a = dense<[[1, 2], [3]]> : tensor<2x2xi8>} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:22: error: 300 does not fit in i8
# exit: 3
---
func.func @main() {
  "a.b"() {a = dense<300> : tensor<2xi8>} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: 2 bytes, but the type takes 6
# exit: 3
---
func.func @main() {
  "a.b"() {a = dense<"0x0102"> : tensor<3xi16>} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: constant of type tensor<[?1]xi16>, expected a tensor type with known sizes
# exit: 3
---
func.func @main() {
  "a.b"() {a = dense<1> : tensor<?xi16>} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:16: error: resource "__elided__" is not in the file
# stderr: hint: the text was printed with elided constants
# exit: 3
---
func.func @main() {
  "a.b"() {a = dense_resource<__elided__> : tensor<2xi8>} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:16: error: string is not closed on its line
# exit: 3
---
func.func @main() {
  "a.b"() {a = "no end
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:18: error: unknown escape in a string
# exit: 3
---
func.func @main() {
  "a.b"() {a = "x\q"} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 1:21: error: found "tensr", expected a type
# stderr: hint: types look like
# exit: 3
---
func.func @main(%x: tensr<2xf32>) {
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 1:31: error: found "n", expected a size such as n, seq+1 or floordiv(h,2)
# exit: 3
---
func.func @main(%x: tensor<2x[n+]xf32>) {
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 1:29: error: found ",", expected 'x' after a size
# exit: 3
---
func.func @main(%x: tensor<2,f32>) {
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: attribute alias "#nowhere" is not defined
# exit: 3
---
func.func @main() {
  "a.b"() {a = #nowhere} : () -> ()
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: location "#nowhere" is not defined
# exit: 3
---
func.func @main() {
  return loc(#nowhere)
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:13: error: ops with successor blocks are not supported
# exit: 4
---
func.func @main() {
  "cf.br"() [^bb1] : () -> ()
^bb1:
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 1:19: error: an argument of function "f" has no name
# exit: 3
---
func.func private @f(tensor<2xf32>) {
  return
}
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: found the end of the file, expected ',' or ')'
# exit: 3
---
func.func private @f(tensor<2xf32>
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 2:1: error: found "x", expected module, func.func or the end of the file
# exit: 3
---
func.func @main() { return }
x
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: found "}", expected '(' and the operands
# exit: 3
---
func.func @main() { "a" }
---
====
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 1:1: error: sym_visibility is none of "public", "private" and "nested"
# exit: 3
---
"builtin.module"() ({
}) {sym_visibility = ""} : () -> ()
---
====
# parts of a complex number are numbers
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: 1:31: error: the parts of a complex type are "index", expected f32 or f64
# exit: 3
---
func.func @main(%x: complex < index>) { return }
---
====
# a scale without a digit before its point; +0.25 and 0x1 are none either
# run: check %s
# file: input.mlir
# stderr: 1:30: error: "!quant.uniform<i8:f32:0, {0.5:3, .25}>": found a number with '.', expected one like -5 or 0.25
# exit: 3
---
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5:3, .25}>>) {
  return
}
---
====
# buffers have no negative sizes
# run: check %s
# file: input.mlir
# stderr: 1:27: error: "memref<-12xf32>": invalid element type of a memref
# exit: 3
---
func.func @main(%a: tuple<memref<-12xf32>>) {
  return
}
---

# Weights beside the text: read, written again, and put into the text where that goes to stdout.
# run: convert %s -o %t/a.onnxtxt && cat %t/a.onnxtxt && hone convert %t/a.onnxtxt -t onnxtxt -o - && cat %t/a.onnxtxt.data | od -An -c
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (int8[2] X, int8[3] D = ["location": "input.onnxtxt", "offset": "1", "length": "3"]) => (int8[2] Y) <int8[2] W = ["location": "input.onnxtxt"], int8 S = {5}> {
   T = Add (X, W)
   U = Mul (T, D)
   Y = Add (U, S)
}
---
<ir_version: 8, opset_import: ["" : 17]>
g (int8[2] X, int8[3] D = ["location": "a.onnxtxt.data", "offset": "0", "length": "3"]) => (int8[2] Y) <int8[2] W = ["location": "a.onnxtxt.data", "offset": "64", "length": "2"], int8 S = {5}> {
   T = Add (X, W)
   U = Mul (T, D)
   Y = Add (U, S)
}
<ir_version: 8, opset_import: ["" : 17]>
g (int8[2] X, int8[3] D = {105, 114, 95}) => (int8[2] Y) <int8[2] W = {60, 105}, int8 S = {5}> {
   T = Add (X, W)
   U = Mul (T, D)
   Y = Add (U, S)
}
   i   r   _  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0
  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0  \0
*
   <   i
====
# A digest that does not fit, and one that does.
# run: check %s 2>&1 | sed 's/.*error: //'
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] X) => (float[2] Y) <float[2] W = ["location": "input.onnxtxt", "offset": "8", "length": "8", "checksum": "0123456789012345678901234567890123456789"]> {
   Y = Add (X, W)
}
---
external data: the SHA1 digest of "input.onnxtxt" is 0bf47d46a64dfb2641c0ed75b283e44f4e1639fb, the text says 0123456789012345678901234567890123456789
  hint: docs/Syntax.md of the ONNX project describes the form
====
# run: check %s
# stderr: lie past the end of "input.onnxtxt"
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] X) => (float[2] Y) <float[2] W = ["location": "input.onnxtxt", "offset": "4000"]> { Y = Add (X, W) }
====
# run: check %s
# stderr: length is 4, the shape of "W" needs 8 bytes
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] X) => (float[2] Y) <float[2] W = ["location": "input.onnxtxt", "length": "4"]> { Y = Add (X, W) }
====
# Attributes of functions with defaults, of each kind; what a call says goes before.
# run: convert %s -o %t/a.onnx && hone convert %t/a.onnx -t onnxtxt -o %t/b.onnxtxt && cat %t/b.onnxtxt && hone run %t/b.onnxtxt
# file: input.onnxtxt
---
<ir_version: 9, opset_import: ["" : 18, "l" : 1]>
g () => (float[1] Y, float[1] Z) <float X = {1.0}> {
   Y = l.f (X)
   Z = l.f <beta = 10.0> (X)
}
<domain: "l", opset_import: ["" : 18]>
f <alpha, beta: float = 2, axes: ints = [0], names: strings = ["a", "b"], k = 7, text = "t", scales: floats = [1, 2]> (a) => (r) {
   b = Constant <value_float : float = @beta> ()
   m = Mul (a, b)
   x = Constant <value_ints : ints = @axes> ()
   r = Unsqueeze (m, x)
}
---
<ir_version: 9, opset_import: ["" : 18, "l" : 1]>
g () => (float[1] Y, float[1] Z) <float X = {1.0}> {
   Y = l.f (X)
   Z = l.f <beta = 10.0> (X)
}

<opset_import: ["" : 18], domain: "l">
f <alpha, beta = 2.0, axes = [0], names = ["a", "b"], k = 7, text = "t", scales = [1.0, 2.0]> (a) => (r) {
   b = Constant <value_float : float = @beta> ()
   m = Mul (a, b)
   x = Constant <value_ints : ints = @axes> ()
   r = Unsqueeze (m, x)
}
Y float32[1] 2
Z float32[1] 10
====
# run: check %s
# stderr: the default of attribute t is no number, text, or list of these
# file: input.onnxtxt
# exit: 3
---
<ir_version: 9, opset_import: ["" : 18, "l" : 1]>
g (float X) => (float Y) { Y = l.f (X) }
<domain: "l", opset_import: ["" : 18]>
f <t = float {1}> (a) => (r) { r = Abs (a) }
====
# Narrow floats are bit patterns where they are whole numbers, values where they have a point.
# run: convert %s -t onnxtxt -o -
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 21]>
g (float16 X) => (float16 Y) <float16[4] H = {15360, 1.5, -2.0, inf}, bfloat16[2] B = {16256, -1.0}, float8e4m3fn[2] Q = {56, 1.0}> { Y = Foo (X, H, B, Q) }
---
<ir_version: 10, opset_import: ["" : 21]>
g (float16 X) => (float16 Y) <float16[4] H = {15360, 15872, 49152, 31744}, bfloat16[2] B = {16256, 49024}, float8e4m3fn[2] Q = {56, 56}> {
   Y = Foo (X, H, B, Q)
}
====
# run: check %s
# stderr: 70000 is not among the bit patterns of float16
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float16 X) => (float16 Y) <float16 H = {70000}> { Y = Add (X, H) }
====
# An initializer of an input is its default; results that are not given out; overloads.
# run: convert %s -o %t/a.onnx && hone convert %t/a.onnx -t onnxtxt -o -
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 17, "l" : 1]>
g (float[4] X, float W) => (float Y, int64[1] I) <float W = {2}, int64[1] K = {1}> {
   "", I = TopK (X, K)
   Y = l.f:second (W)
}
<domain: "l", opset_import: ["" : 17], overload: "first">
f (a) => (r) { r = Abs (a) }
<domain: "l", opset_import: ["" : 17], overload: "second">
f (a) => (r) { r = Neg (a) }
---
<ir_version: 10, opset_import: ["" : 17, "l" : 1]>
g (float[4] X, float W = {2.0}) => (float Y, int64[1] I) <int64[1] K = {1}> {
   "", I = TopK (X, K)
   Y = l.f:second (W)
}

<opset_import: ["" : 17], domain: "l", overload: "first">
f (a) => (r) {
   r = Abs (a)
}

<opset_import: ["" : 17], domain: "l", overload: "second">
f (a) => (r) {
   r = Neg (a)
}
====
# Names of every kind that are no words, or words that mean something else here.
# run: convert %s -o %t/a.onnx && hone convert %t/a.onnx -t onnxtxt -o -
# file: input.onnxtxt
---
<ir_version: 9, opset_import: ["" : 17, "a-b.c" : 1]>
"float" (float["n-1",N] "seq", float "nan") => (float["n-1",N] "x y") <bool "inf" = {1}> {
   ["1/a"] "é" = "a-b.c"."f.g\"" ("seq")
   "x y" = If ("inf") <then_branch = "t h" () => (float[] "int64") { "int64" = Neg ("é") }, else_branch = "optional" () => (float[] "q") { q = Abs ("é") }>
}
<domain: "a-b.c", opset_import: ["" : 17]>
"f.g\"" ("a b") => ("map") { "map" = Abs ("a b") }
---
<ir_version: 9, opset_import: ["" : 17, "a-b.c" : 1]>
"float" (float["n-1",N] "seq", float "nan") => (float["n-1",N] "x y") <bool "inf" = {1}> {
   ["1/a"] "é" = "a-b.c"."f.g\"" ("seq")
   "x y" = If <then_branch = "t h" () => (float[] "int64") {
      "int64" = Neg ("é")
   }, else_branch = "optional" () => (float[] q) {
      q = Abs ("é")
   }> ("inf")
}

<opset_import: ["" : 17], domain: "a-b.c">
"f.g\"" ("a b") => ("map") {
   "map" = Abs ("a b")
}

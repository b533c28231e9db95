# Every part of the syntax, and back through protobuf.
# run: convert %s -o %t/a.onnx
# run: convert %t/a.onnx -t onnxtxt -o -
# file: input.onnxtxt
---
# a comment
<ir_version: 8, opset_import: ["" : 17, "local" : 1], producer_name: "me \"x\"">
agraph (float[N, 3] X, float[3] W = {1, 2, 3}) => (float[N, 3] Z) <float B = {0.5}, float[N,3] T> {
   [n1] T = Add (X, W)
   U = local.f <alpha = 2.5> (T, B)
   c = Constant <value = bool {1}> ()
   V = If (c) <then_branch = g1 () => (float[N,3] y) { y = Neg (U) }, else_branch = g2 () => (float[N,3] y2) { y2 = Relu (U) }>
   Z = Clip (V, , B)
}
<domain: "local", opset_import: ["" : 17]>
f <alpha> (a, b) => (r) {
   k = Constant <value_float : float = @alpha> ()
   m = Mul (a, k)
   r = Add (m, b)
}
---
<ir_version: 8, opset_import: ["" : 17, "local" : 1], producer_name: "me \"x\"">
agraph (float[N,3] X, float[3] W = {1.0, 2.0, 3.0}) => (float[N,3] Z) <float B = {0.5}, float[N,3] T> {
   [n1] T = Add (X, W)
   U = local.f <alpha = 2.5> (T, B)
   c = Constant <value = bool {1}> ()
   V = If <then_branch = g1 () => (float[N,3] y) {
      y = Neg (U)
   }, else_branch = g2 () => (float[N,3] y2) {
      y2 = Relu (U)
   }> (c)
   Z = Clip (V, , B)
}

<opset_import: ["" : 17], domain: "local">
f <alpha> (a, b) => (r) {
   k = Constant <value_float : float = @alpha> ()
   m = Mul (a, k)
   r = Add (m, b)
}
====
# Types, empty and negative values, names that are no identifiers.
# run: convert %s -t onnxtxt -o -
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17], metadata_props: ["k" : "v"]>
"a-b" (seq(float[?]) S, optional(int64) O, float[] "x/1", complex64[1] C = {1.5, -2}) => (Q) {
   P = ReduceSum <keepdims = 0, noop_with_empty_axes = 1> ("x/1")
   K = Constant <value = string[2] {"a\"", "b"}> ()
   L = Constant <value_floats = [inf, -1e-05, 3.0]> ()
   M = Constant <value_ints : ints = []> ()
   Q = com.acme.Foo <t = int4[3] {-8, 7, 0}, l : floats = []> (P, K, L, M, S, O, C)
}
---
<ir_version: 8, opset_import: ["" : 17], metadata_props: ["k" : "v"]>
"a-b" (seq(float[?]) S, optional(int64) O, float[] "x/1", complex64[1] C = {1.5, -2.0}) => (Q) {
   P = ReduceSum <keepdims = 0, noop_with_empty_axes = 1> ("x/1")
   K = Constant <value = string[2] {"a\"", "b"}> ()
   L = Constant <value_floats = [inf, -1e-05, 3.0]> ()
   M = Constant <value_ints : ints = []> ()
   Q = com.acme.Foo <l : floats = [], t = int4[3] {-8, 7, 0}> (P, K, L, M, S, O, C)
}
====
# run: check %s
# stderr: value "Y" is not defined
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float X) => (float Z) { Z = Add (X, Y) }
====
# run: check %s
# stderr: 2 elements, the type has 3
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float X) => (float Z) <float[3] W = {1, 2}> { Z = Add (X, W) }
====
# run: check %s
# stderr: calls itself
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17, "l" : 1]>
g (float X) => (float Z) { Z = l.f (X) }
<domain: "l", opset_import: ["" : 17]>
f (a) => (b) { b = l.h (a) }
<domain: "l", opset_import: ["" : 17, "l" : 1]>
h (a) => (b) { b = l.f (a) }
====
# run: check %s
# stderr: found the end of the file, expected '{'
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float X) => (float Z)

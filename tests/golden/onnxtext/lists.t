# Lists of tensors, types and graphs, empty ones, and names of tensors; names are free again after a graph.
# run: convert %s -o %t/a.onnx && hone convert %t/a.onnx -t onnxtxt -o -
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "d" : 1]>
g (float[2] x) => (float[2] y) {
   a = d.A <t : tensors = [float[2] "a b" {1, 2}, int64[1] {3}], s = int8[1] w {5}> (x)
   b = d.B <t = [float[2,N], seq(map(int64, string[?])), sparse_tensor(float[3])], u = optional(float[])> (a)
   c = d.C <i : ints = [], f : floats = [], s : strings = [], t : tensors = [], g : graphs = [], p : type_protos = []> (b)
   y = d.D <g : graphs = [one (float[1] p) => (float[1] q) { q = Relu (p) }, "t wo" (float[1] p) => (float[1] q) { q = Abs (p) }],
      h = last () => (p) { p = Neg (c) }> (c)
}
---
<ir_version: 8, opset_import: ["" : 17, "d" : 1]>
g (float[2] x) => (float[2] y) {
   a = d.A <s = int8[1] w {5}, t : tensors = [float[2] "a b" {1.0, 2.0}, int64[1] {3}]> (x)
   b = d.B <t : type_protos = [float[2,N], seq(map(int64, string[?])), sparse_tensor(float[3])], u = optional(float[])> (a)
   c = d.C <f : floats = [], g : graphs = [], i : ints = [], p : type_protos = [], s : strings = [], t : tensors = []> (b)
   y = d.D <g : graphs = [one (float[1] p) => (float[1] q) {
      q = Relu (p)
   }, "t wo" (float[1] p) => (float[1] q) {
      q = Abs (p)
   }], h = last () => (p) {
      p = Neg (c)
   }> (c)
}
====
# The same as MLIR and back.
# run: convert %s -o %t/a.mlir && hone convert %t/a.mlir -t onnxtxt -o - | sed -n 's/   y = //p'
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "d" : 1]>
g (float[2] x) => (float[2] y) { y = d.A <t = [float[2] n {1, 2}, int64[1] {3}], u = [float, seq(float)]> (x) }
---
d.A <t : tensors = [float[2] n {1.0, 2.0}, int64[1] {3}], u : type_protos = [float, seq(float)]> (x)
====
# A list of several kinds.
# run: convert %s -o %t/a.onnx
# stderr: error: a list holds numbers, strings, tensors, types or graphs, not several of these
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17, "d" : 1]>
g (float[2] x) => (float[2] y) { y = d.A <t = [float[2] {1, 2}, 3]> (x) }
====
# An empty list of what is no list.
# run: convert %s -o %t/a.onnx
# stderr: error: an empty list of type tensor
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17, "d" : 1]>
g (float[2] x) => (float[2] y) { y = d.A <t : tensor = []> (x) }

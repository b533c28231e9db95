# First and second derivative of x^3 at 3; that of y x by y at y = 7, another value than the graph has.
# run: run %s --reference --print 4
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 18, "ai.onnx.preview.training" : 1]>
g () => (y, d, dd, e) <float x = {3}, float h = {7}> {
   y = Mul (x, x)
   z = Mul (y, x)
   d = ai.onnx.preview.training.Gradient <xs = ["x"], y = "z"> (x)
   dd = ai.onnx.preview.training.Gradient <xs = ["x"], y = "d"> (x)
   e = ai.onnx.preview.training.Gradient <xs = ["y"], zs = ["x"], y = "z"> (h, x)
}
---
y float32[] 9
d float32[] 27
dd float32[] 18
e float32[] 3
====
# stderr: node "grad" (Gradient): y depends on node "sum_up" (CumSum), whose derivative is not known
# run: opt %s -o %t/a.onnx
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 18, "ai.onnx.preview.training" : 1]>
g (float[3] x) => (d) {
   axis = Constant <value_int = 0> ()
   [sum_up] c = CumSum (x, axis)
   [grad] d = ai.onnx.preview.training.Gradient <xs = ["x"], y = "c"> (x)
}
====
# stderr: node "grad" (Gradient): no value named "nothing" comes before this node
# run: opt %s -o %t/a.onnx
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 18, "ai.onnx.preview.training" : 1]>
g (float[3] x) => (d) {
   axis = Constant <value_int = 0> ()
   [sum_up] c = CumSum (x, axis)
   [grad] d = ai.onnx.preview.training.Gradient <xs = ["x"], y = "nothing"> (x)
}

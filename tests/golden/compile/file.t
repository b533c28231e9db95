# A compiled model gives what the model gives, and every verb takes it.
# run: compile %s -o %t/m.hone --isa v2 -q
# run: run %t/m.hone --reference
# run: run %t/m.hone -j 1
# run: run %s --check -q
# run: info %t/m.hone
# file: m.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 2, 4, 4] x) => (float[1, 3, 4, 4] y)
<float[3, 2, 3, 3] w = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, 0.9, 0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7, 0.8, -0.9,
  0.1, 0.2, 0.3, 0.4, -0.5, 0.6, 0.7, 0.8, 0.9, 0.1, -0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9,
  -0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.1, 0.2, -0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9},
 float[3] b = {0.6, -0.5, 0.25}>
{
	c = Conv<pads = [1, 1, 1, 1]>(x, w, b)
	s = Sigmoid(c)
	y = Mul(c, s)
}
---
y float32[1,3,4,4] 1.09848 0.397084 1.74291 2.19669 3.38263 5.57 2.77869 -0.0363186 ... (48 elements)
y float32[1,3,4,4] 1.09848 0.397084 1.74291 2.19669 3.38263 5.57 2.77869 -0.0363186 ... (48 elements)
format onnx
ir_version 8
opset ai.onnx 17
input x float32[1,2,4,4]
output y float32[1,3,4,4]
nodes 2, parameters 57, weights 228 B
  conv                                1
  swish                               1
====
# Sizes that are open stay open.
# run: compile %s -o %t/m.hone -q
# run: run %t/m.hone --shape x=2,3 -j 1 --print 0
# run: info %t/m.hone
# file: m.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[n, 3] x) => (float[n, 2] y)
<float[3, 2] w = {1, 2, 3, 4, 5, 6}>
{
	y = MatMul(x, w)
}
---
y float32[2,2] ... (4 elements)
format onnx
ir_version 8
opset ai.onnx 17
input x float32[n,3]
output y float32[n,2]
nodes 1, parameters 6, weights 24 B
  matmul                              1
====
# run: compile %s -q
# stderr: says where to write
# file: m.onnxtxt
# exit: 2
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1] x) => (float[1] y) { y = Relu(x) }
---
====
# run: compile %s -o %t/m.hone --isa v9
# stderr: not one that this machine has
# file: m.onnxtxt
# exit: 2
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1] x) => (float[1] y) { y = Relu(x) }
---
====
# A damaged file is refused.
# run: compile %s -o %t/m.hone -q
# run: run - <%s
# run: info %t/m.hone
# file: m.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1] x) => (float[1] y) { y = Relu(x) }
---
y float32[1] 0
format onnx
ir_version 8
opset ai.onnx 17
input x float32[1]
output y float32[1]
nodes 1, parameters 0, weights 0 B
  relu                                1

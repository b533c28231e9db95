# Only nodes whose operator changed are written anew.
# run: convert %s -o - -t onnxtxt --opset 17
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 21, "my" : 3]>
g (float[2,3] x) => (float[2] z) <int64[1] axes = {-1}> {
   [keep] y = Relu (x)
   [other] w = my.Op <a = 1> (y)
   [max] z = ReduceMax <keepdims = 0> (w, axes)
}
---
<ir_version: 8, opset_import: ["" : 17, "my" : 3]>
g (float[2,3] x) => (float[2] z) <int64[1] axes = {-1}> {
   [keep] y = Relu (x)
   [other] w = my.Op <a = 1> (y)
   [max] z = ReduceMax <axes = [-1], keepdims = 0> (w)
}
====
# Up: attributes become inputs, the old way to broadcast becomes the new one, withdrawn operators their successors.
# run: convert %s -o - -t onnxtxt --opset 21
# file: input.onnxtxt
---
<ir_version: 3, opset_import: ["" : 6]>
g (float[2,3,4,4] x, float[3] b) => (float[2,3,5,5] z) {
   a = Add <axis = 1, broadcast = 1> (x, b)
   c = Clip <min = 0.0, max = 6.0> (a)
   z = Pad <mode = "reflect", pads = [0, 0, 0, 0, 0, 0, 1, 1]> (c)
}
---
<ir_version: 10, opset_import: ["" : 21]>
g (float[2,3,4,4] x, float[3] b) => (float[2,3,5,5] z) <int64[2] v0 = {1, 2}, float v1 = {0.0}, float v2 = {6.0}, int64[8] v3 = {0, 0, 0, 0, 0, 0, 1, 1}> {
   v4 = Unsqueeze (b, v0)
   a = Add (x, v4)
   c = Clip (a, v1, v2)
   z = Pad <mode = "reflect"> (c, v3)
}
====
# Down: operators that the target lacks become simpler ones.
# run: convert %s -o - -t onnxtxt --opset 11
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 21]>
g (float[2,3] x, float[3] s) => (float[2,3] z) {
   h = HardSwish (x)
   z = LayerNormalization <epsilon = 0.5> (h, s)
}
---
<ir_version: 6, opset_import: ["" : 11]>
g (float[2,3] x, float[3] s) => (float[2,3] z) <float v0 = {0.5}> {
   v1 = HardSigmoid <alpha = 0.16666667, beta = 0.5> (x)
   h = Mul (x, v1)
   v2 = ReduceMean <axes = [1]> (h)
   v3 = Sub (h, v2)
   v4 = Mul (v3, v3)
   v5 = ReduceMean <axes = [1]> (v4)
   v6 = Add (v5, v0)
   v7 = Sqrt (v6)
   v8 = Reciprocal (v7)
   v9 = Mul (v3, v8)
   z = Mul (v9, s)
}
====
# A type that the older version does not take is computed in a wider one.
# run: convert %s -o - -t onnxtxt --opset 13
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 21]>
g (bfloat16[2] x, int8[2] k) => (bfloat16[2] y, int8[2] m) {
   y = Relu (x)
   m = Add (k, k)
}
---
<ir_version: 7, opset_import: ["" : 13]>
g (bfloat16[2] x, int8[2] k) => (bfloat16[2] y, int8[2] m) {
   y = Relu (x)
   v0 = Cast <to = 6> (k)
   v1 = Cast <to = 6> (k)
   v2 = Add (v0, v1)
   m = Cast <to = 3> (v2)
}
====
# What cannot be said is refused, with the input or attribute at fault and the opset that has it.
# run: convert %s -o %t/x.onnx --opset 12
# stderr: (ReduceSum): ReduceSum cannot be written for ONNX opset 12: input 'axes' is an attribute in ReduceSum-11 and must be constant
# stderr: hint: write the model for opset 13 or later (--opset 13)
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x, int64[1] axes) => (float[A,B] z) { [reduce] z = ReduceSum (x, axes) }
====
# run: convert %s -o %t/x.onnx --opset 17
# stderr: node "s" (StringConcat): StringConcat cannot be written for ONNX opset 17: the operator is not in it
# stderr: write the model for opset 20 or later
# file: input.onnxtxt
# exit: 4
---
<ir_version: 10, opset_import: ["" : 21]>
g (string[2] x) => (string[2] z) { [s] z = StringConcat (x, x) }
====
# run: convert %s -o %t/x.onnx --opset 9
# stderr: that opset lacks attribute 'dilations'
# stderr: write the model for opset 10 or later
# file: input.onnxtxt
# exit: 4
---
<ir_version: 10, opset_import: ["" : 21]>
g (float[1,1,9,9] x) => (float[1,1,A,B] z) { [p] z = MaxPool <kernel_shape = [2,2], dilations = [2,2]> (x) }
====
# run: convert %s -o %t/x.onnx --opset 18
# stderr: BitCast cannot be written for ONNX opset 18: the operator came with opset 26
# file: input.onnxtxt
# exit: 4
---
<ir_version: 10, opset_import: ["" : 26]>
g (float[2] x) => (int32[2] z) { z = BitCast <to = 6> (x) }
====
# run: convert %s -o %t/x.onnx --opset 18
# stderr: StringNormalizer-10 lacks the attribute 'colour' that it has
# file: input.onnxtxt
# exit: 4
---
<ir_version: 3, opset_import: ["" : 9]>
g (string[2] x) => (string[2] z) { z = StringNormalizer <colour = 3> (x) }
====
# run: convert %s -o %t/x.onnx --opset 99
# stderr: opset 99 is not one that hone knows: 1 to 28
# file: input.onnxtxt
# exit: 2
---
<ir_version: 10, opset_import: ["" : 21]>
g (float[2] x) => (float[2] z) { z = Relu (x) }
====
# Through the optimiser as well.
# run: opt %s -q -o - -t onnxtxt --opset 9
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 21]>
g (float[2,3] x) => (float[2,3] z) { z = Gelu (x) }
---
<ir_version: 4, opset_import: ["" : 9]>
g (float[2,3] x) => (float[2,3] z) <float v0 = {1.0}, float v1 = {0.5}, float v2 = {0.70710677}> {
   v3 = Mul (x, v2)
   v4 = Erf (v3)
   v5 = Mul (x, v1)
   v6 = Add (v4, v0)
   z = Mul (v5, v6)
}
====
# The first GroupNormalization has a scale a group.
# run: convert %s -o - -t onnxtxt --opset 21
# file: input.onnxtxt
---
<ir_version: 9, opset_import: ["" : 18]>
g (float[1,4,2] x, float[2] s, float[2] b) => (float[1,4,2] y) { y = GroupNormalization <num_groups = 2> (x, s, b) }
---
<ir_version: 10, opset_import: ["" : 21]>
g (float[1,4,2] x, float[2] s, float[2] b) => (float[1,4,2] y) <int64[1] v0 = {1}, int64[2] v1 = {2, 2}, int64[1] v2 = {4}, int64[2] v3 = {2, 2}, int64[1] v4 = {4}> {
   v5 = Unsqueeze (s, v0)
   v6 = Expand (v5, v1)
   v7 = Reshape (v6, v2)
   v8 = Unsqueeze (b, v0)
   v9 = Expand (v8, v3)
   v10 = Reshape (v9, v4)
   y = GroupNormalization <num_groups = 2> (x, v7, v10)
}

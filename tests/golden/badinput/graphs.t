# Graphs that are not valid: the op, what was found and what was expected.
# Conv: a stride of 0
# run: check %s
# file: input.onnxtxt
# stderr: strides
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,5,5] x, float[2,2,3,3] w) => (float[] y) {
  y = Conv <strides = [0, 1]> (x, w)
}
---
====
# a dilation beyond any size
# run: check %s
# file: input.onnxtxt
# stderr: Conv
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,5,5] x, float[2,2,3,3] w) => (float[] y) {
  y = Conv <dilations = [4611686018427387904, 1]> (x, w)
}
---
====
# no groups
# run: check %s
# file: input.onnxtxt
# stderr: group
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,5,5] x, float[2,2,3,3] w) => (float[] y) {
  y = Conv <group = 0> (x, w)
}
---
====
# groups that do not divide the channels
# run: check %s
# file: input.onnxtxt
# stderr: group
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,5,5] x, float[2,2,3,3] w) => (float[] y) {
  y = Conv <group = 3> (x, w)
}
---
====
# a weight of another rank
# run: check %s
# file: input.onnxtxt
# stderr: rank
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,5,5] x, float[2,2,3,3,3] w) => (float[] y) {
  y = Conv (x, w)
}
---
====
# one stride too many
# run: check %s
# file: input.onnxtxt
# stderr: strides
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,5,5] x, float[2,2,3,3] w) => (float[] y) {
  y = Conv <strides = [1, 1, 1]> (x, w)
}
---
====
# a kernel_shape that is not the weight's
# run: check %s
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,5,5] x, float[2,2,3,3] w) => (float[] y) {
  y = Conv <kernel_shape = [2, 2]> (x, w)
}
---
Conv -: its attributes, or the number or types of its inputs, are not what the operator takes; its inputs are float32[1,2,5,5], float32[2,2,3,3]; attributes kernel_shape = [2,2]
1 values of unknown rank
1 findings
====
# an odd number of pads
# run: check %s
# file: input.onnxtxt
# stderr: pads
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,5,5] x, float[2,2,3,3] w) => (float[] y) {
  y = Conv <pads = [1, 1, 1]> (x, w)
}
---
====
# Reshape: two sizes left open
# run: check %s
# file: input.onnxtxt
# stderr: -1
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  s = Constant <value = int64[2] {-1, -1}> ()
  y = Reshape (x, s)
}
---
====
# sizes whose product is another
# run: check %s
# file: input.onnxtxt
# stderr: Reshape
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  s = Constant <value = int64[2] {4, 2}> ()
  y = Reshape (x, s)
}
---
====
# a size that no number fills
# run: check %s
# file: input.onnxtxt
# stderr: Reshape
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  s = Constant <value = int64[2] {4, -1}> ()
  y = Reshape (x, s)
}
---
====
# a size of -2
# run: check %s
# file: input.onnxtxt
# stderr: Reshape
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  s = Constant <value = int64[2] {-2, 3}> ()
  y = Reshape (x, s)
}
---
====
# Transpose: an axis that there is not
# run: check %s
# file: input.onnxtxt
# stderr: perm
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  y = Transpose <perm = [5, -3]> (x)
}
---
====
# an axis twice
# run: check %s
# file: input.onnxtxt
# stderr: perm
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  y = Transpose <perm = [0, 0]> (x)
}
---
====
# Concat of nothing
# run: check %s
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  y = Concat <axis = 0> ()
}
---
Concat -: its attributes, or the number or types of its inputs, are not what the operator takes; its attributes are axis = 0
1 values of unknown rank
1 findings
====
# Concat along an axis that there is not
# run: check %s
# file: input.onnxtxt
# stderr: axis
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  y = Concat <axis = 9> (x, x)
}
---
====
# Concat of sizes that differ
# run: check %s
# file: input.onnxtxt
# stderr: Concat
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x, float[3,4] w) => (float[] y) {
  y = Concat <axis = 0> (x, w)
}
---
====
# Split: sizes that are not all
# run: check %s
# file: input.onnxtxt
# stderr: Split
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[4,3] x) => (float[] y) {
  s = Constant <value = int64[2] {1, 2}> ()
  y, z = Split <axis = 0> (x, s)
}
---
====
# Slice: a step of 0
# run: check %s
# file: input.onnxtxt
# stderr: step
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[4,3] x) => (float[] y) {
  a = Constant <value = int64[1] {0}> ()
  b = Constant <value = int64[1] {3}> ()
  y = Slice (x, a, b, a, a)
}
---
====
# Einsum: a term that ends nowhere
# run: check %s
# file: input.onnxtxt
# stderr: quation
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[4,3] x) => (float[] y) {
  y = Einsum <equation = "...i..,->"> (x, x)
}
---
====
# Einsum: a letter of two sizes
# run: check %s
# file: input.onnxtxt
# stderr: not defined
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[4,3] x) => (float[] y) {
  y = Einsum <equation = "ij,ij->i"> (x, t)

}
---
====
# MatMul of numbers
# run: check %s
# file: input.onnxtxt
# stderr: MatMul
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float x, float w) => (float[] y) {
  y = MatMul (x, w)
}
---
====
# MatMul of sizes that differ
# run: check %s
# file: input.onnxtxt
# stderr: MatMul
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x, float[4,5] w) => (float[] y) {
  y = MatMul (x, w)
}
---
====
# Gemm of other ranks
# run: check %s
# file: input.onnxtxt
# stderr: Gemm
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3,4] x, float[4,5] w) => (float[] y) {
  y = Gemm (x, w)
}
---
====
# Add of sizes that do not broadcast
# run: check %s
# file: input.onnxtxt
# stderr: Add
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x, float[4] w) => (float[] y) {
  y = Add (x, w)
}
---
====
# Gather along an axis that there is not
# run: check %s
# file: input.onnxtxt
# stderr: axis
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x, int64[2] i) => (float[] y) {
  y = Gather <axis = 2> (x, i)
}
---
====
# GRU of a vector
# run: check %s
# file: input.onnxtxt
# stderr: GRU
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[3] x, float[1,9,4] w, float[1,9,3] r) => (float[] y) {
  y, h = GRU <hidden_size = 3> (x, w, r)
}
---
====
# RNN: more activations than directions
# run: check %s
# file: input.onnxtxt
# stderr: activation
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3,4] x, float[1,3,4] w, float[1,3,3] r) => (float[] y) {
  y, h = RNN <hidden_size = 3, activations = ["Tanh", "Tanh", "Relu"]> (x, w, r)
}
---
====
# LSTM: weights of another hidden size
# run: check %s
# file: input.onnxtxt
# stderr: LSTM
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[3,2,4] x, float[1,12,4] w, float[1,12,5] r) => (float[] y) {
  y, h, k = LSTM <hidden_size = 3> (x, w, r)
}
---
====
# DepthToSpace: no blocks
# run: check %s
# file: input.onnxtxt
# stderr: block size
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,8,2,2] x) => (float[] y) {
  y = DepthToSpace <blocksize = 0> (x)
}
---
====
# Squeeze of a size that is not 1
# run: check %s
# file: input.onnxtxt
# stderr: Squeeze
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  s = Constant <value = int64[1] {0}> ()
  y = Squeeze (x, s)
}
---
====
# Expand to sizes that do not fit
# run: check %s
# file: input.onnxtxt
# stderr: Expand
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  s = Constant <value = int64[2] {2, 4}> ()
  y = Expand (x, s)
}
---
====
# MaxPool: a kernel of 0
# run: check %s
# file: input.onnxtxt
# stderr: kernel
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,1,4,4] x) => (float[] y) {
  y = MaxPool <kernel_shape = [0, 2]> (x)
}
---
====
# Pad: too few pads
# run: check %s
# file: input.onnxtxt
# stderr: Pad
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  s = Constant <value = int64[2] {1, 1}> ()
  y = Pad (x, s)
}
---
====
# Tile: one repeat for two axes
# run: check %s
# file: input.onnxtxt
# stderr: Tile
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  s = Constant <value = int64[1] {1}> ()
  y = Tile (x, s)
}
---
====
# TopK of more than there are
# run: check %s
# file: input.onnxtxt
# stderr: TopK
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[] y) {
  s = Constant <value = int64[1] {4}> ()
  y, i = TopK (x, s)
}
---
====
# LayerNormalization over an axis that there is not
# run: check %s
# file: input.onnxtxt
# stderr: axis
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x, float[3] w) => (float[] y) {
  y = LayerNormalization <axis = 5> (x, w)
}
---
====
# Scan: more scanned inputs than inputs
# run: check %s
# file: input.onnxtxt
# stderr: Scan
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] s, float[3,2] x) => (float[] y) {
  y, z = Scan <num_scan_inputs = 100, body = b (float[2] a, float[2] c) => (float[2] d, float[2] e) {
    d = Add (a, c)
    e = Identity (d)
  }> (s, x)
}
---
====
# factors of two element types
# run: check %s
# file: input.onnxtxt
# exit: 3
# stderr: node MatMul: operands 0 and 1 have the types int8 and float32, expected the same
---
<ir_version: 8, opset_import: ["" : 17]>
g (int8[n,2] x, float[2,2] w) => (float[n,2] y) {
  y = MatMul (x, w)
}
---
====
# a bound of another type
# run: check %s
# file: input.onnxtxt
# exit: 3
# stderr: operands 0 and 2 have the types float32 and float64
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[n,2] x, double hi) => (float[n,2] y) {
  y = Clip (x, , hi)
}
---
====
# a third part of another type
# run: check %s
# file: input.onnxtxt
# exit: 3
# stderr: operands 0 and 2 have the types float32 and int32
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x, float[2] y, int32[2] z) => (float[6] r) {
  r = Concat <axis = 0> (x, y, z)
}
---
====
# factors of quantised products may have two types
# run: check %s >/dev/null
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (uint8[n,2] x, float s, uint8 z, int8[2,2] w, float t, int8 v, float u, uint8 q) => (uint8[n,2] y) {
  y = QLinearMatMul (x, s, z, w, t, v, u, q)
}
---
====
# a state of a loop that is of another type than the body takes: nothing takes its place
# run: check %s
# file: input.onnxtxt
# exit: 3
# stderr: state 0 is bool at first, but the body takes float32
---
<ir_version: 8, opset_import: ["" : 17]>
g (bool s0) => (float y)
<int64 once = {1}, bool go = {1}>
{
  y = Loop (once, go, s0) <body = b (int64 i, bool c, float s) => (bool c2, float s2) {
    c2 = Identity (c)
    s2 = Add (s, s)
  }>
}
---

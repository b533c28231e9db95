# Operators of com.microsoft: types are inferred, sizes that are symbols too.
# run: opt %s -q -o - -t onnxtxt
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[1,6,6,4] x, float[8,4,3,3] w, float[2,3,8] t, float[8] b, uint8[5,6] q, int8[6,7] r, float[n,5] a, float[3,5] c, float[m,1,24] k)
   => (conv, split, gemm, dist, spectrum, attention, present) <float s = {0.5}, uint8 zq = {3}, int8 zr = {0}, int32[2] last = {0,0}, int32 total = {1}> {
   conv = com.microsoft.NhwcConv <pads = [1,1,1,1], strides = [2,2]> (x, w)
   split = com.microsoft.BiasSplitGelu (t, b)
   gemm = com.microsoft.QGemm (q, s, zq, r, s, zr)
   dist = com.microsoft.CDist <metric = "euclidean"> (a, c)
   spectrum = com.microsoft.Rfft (t)
   attention, present = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 1> (k, , , , , last, total)
}
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[1,6,6,4] x, float[8,4,3,3] w, float[2,3,8] t, float[8] b, uint8[5,6] q, int8[6,7] r, float[n,5] a, float[3,5] c, float[m,1,24] k) => (float[1,3,3,8] conv, float[2,3,4] split, float[5,7] gemm, float[n,3] dist, float[2,3,5,2] spectrum, float[m,1,16] attention, float[m,1,1,4] present) <float s = {0.5}, uint8 zq = {3}, int8 zr = {0}, int32[2] last = {0, 0}, int32 total = {1}> {
   conv = com.microsoft.NhwcConv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w)
   split = com.microsoft.BiasSplitGelu (t, b)
   gemm = com.microsoft.QGemm (q, s, zq, r, s, zr)
   dist = com.microsoft.CDist <metric = "euclidean"> (a, c)
   spectrum = com.microsoft.Rfft (t)
   attention, present = com.microsoft.GroupQueryAttention <kv_num_heads = 1, num_heads = 4> (k, , , , , last, total)
}
====
# Pairs of rows, their distances; an inverse; a table in blocks of 4 bits; rows of a unique list.
# run: run %s --reference --print 12
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g () => (d, i, u, f) <float[2,2] a = {0, 0, 3, 4}, float[1,2] b = {0, 0}, float[2,2] m = {2, 0, 0, 4}, float[5] v = {3, 1, 3, 2, 1}, float[1,4] s = {1, 2, 3, 4}> {
   d = com.microsoft.CDist <metric = "euclidean"> (a, b)
   i = com.microsoft.Inverse (m)
   u, places, counts = com.microsoft.Unique (v)
   f = com.microsoft.UnfoldTensor <dim = 1, size = 2, step = 1> (s)
}
---
d float32[2,1] 0 5
i float32[2,2] 0.5 0 0 0.25
u float32[3] 3 1 2
f float32[1,3,2] 1 2 2 3 3 4
====
# What cannot be is an error that names the node.
# run: run %s --reference
# stderr: matrix 0 has no inverse
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[1] unused) => (i) <float[2,2] m = {1, 2, 2, 4}> { [inv] i = com.microsoft.Inverse (m) }
====
# run: run %s --reference
# stderr: (MoE)
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[2,4] x, float[2,2] r, float[2,3,4] w, float[2,4,3] v) => (y) {
   [moe] y = com.microsoft.MoE <k = 1, use_sparse_mixer = 1> (x, r, w, , v)
}

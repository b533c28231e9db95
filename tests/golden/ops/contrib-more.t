# Biases with dropout outside of training, layouts with the channels last, tables, sums of narrow integers.
# run: run %s --reference --print 16
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g () => (a, d, e, f, h, k, l) <float[2,2] x = {1, 2, 3, 4}, float[2] bias = {10, 20}, float[2,2] rest = {100, 200, 300, 400}, float[1,2,2,2] image = {1, -1, 2, -2, 3, -3, 4, -4}, float[1,2,1,1] w = {1.5, 1}, float[1] wb = {0.25}, uint8[1,2,2,2] bytes = {1, 8, 2, 7, 3, 6, 4, 5}, float[3,2] table = {0, 1, 2, 3, 4, 5}, int64[2,2] ids = {2, 0, 1, 2}, int8[2,3] small = {100, 100, 100, -100, -100, -100}, uint8[2,2] big = {200, 200, 200, 200}> {
   a = com.microsoft.BiasDropout (x, bias, rest)
   d = com.microsoft.NhwcFusedConv <activation = "Relu"> (image, w, wb)
   e = com.microsoft.NhwcMaxPool <kernel_shape = [2, 2]> (bytes)
   f = com.microsoft.TorchEmbedding (table, ids)
   h = com.microsoft.ReduceSumInteger <axes = [1], keepdims = 0> (small)
   k = com.microsoft.ReduceSumInteger <axes = [0, 1], keepdims = 1> (big)
   l = com.microsoft.SampleOp (x)
}
---
a float32[2,2] 111 222 313 424
d float32[1,2,2,1] 0.75 1.25 1.75 2.25
e uint8[1,1,1,2] 4 8
f float32[2,2,2] 4 5 0 1 2 3 4 5
h int32[2] 300 -300
k int32[1,1] 800
l float32[2,2] 1 2 3 4
====
# A cache in blocks: two sequences, one of which goes on after three tokens that the blocks hold.
# run: run %s --reference --print 16
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g () => (y, ko, vo) <float[3,2] q = {1, 0, 0, 1, 1, 1}, float[3,2] k = {1, 0, 0, 1, 2, 0}, float[3,2] v = {1, 2, 3, 4, 5, 6}, float[3,2,1,2] kc = {1, 1, 2, 2, 3, 3, 0, 0, 0, 0, 0, 0}, float[3,2,1,2] vc = {9, 8, 7, 6, 5, 4, 0, 0, 0, 0, 0, 0}, int32[3] starts = {0, 1, 3}, int32[2] past = {3, 0}, int32[2,2] blocks = {0, 1, 2, -1}> {
   y, ko, vo = com.microsoft.PagedAttention <num_heads = 1, kv_num_heads = 1> (q, k, v, kc, vc, starts, past, blocks)
}
---
y float32[3,2] 5.49822 4.74388 3 4 4.33952 5.33952
ko float32[3,2,1,2] 1 1 2 2 3 3 1 0 0 1 2 0
vo float32[3,2,1,2] 9 8 7 6 5 4 1 2 3 4 5 6

# Gates, positions of images and text, carried states.
# run: run %s --reference --print 16
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g () => (a, b, c, d, e, h, m, q, k, y, s) <float[1,1,2] angle = {0, 3.14159265}, float[1,1,1,2] qk = {1, 2}, float[1,1,1,2] turned = {-2, 1}, float[2] bias = {10, 20}, float[2,2] x = {1, -2, 3, 4}, float[2,2] z = {10, 20, 30, 40}, float[2,1] gate = {0.5, 2}, float[2] scale = {1, 2}, float[1,2,4] t = {1, 2, 3, 4, 5, 6, 7, 8}, int64[3,1,2] place = {0, 1, 1, 0, 2, 2}, float[3,2] cosine = {1, 1, 0.5, 0.5, 0, 0}, float[3,2] sine = {0, 0, 0.5, 0.5, 1, 1}, float[1,1,4] signal = {1, 2, 3, 4}, float[1,1,2] taps = {10, 1}, float[1,1,1] before = {5}> {
   a = com.microsoft.GatedAdd (x, z, gate)
   b = com.microsoft.GatedRMSNorm (x, scale, z)
   c = com.microsoft.GatedRMSNorm <activation = "sigmoid"> (x, scale, z)
   d = com.microsoft.FusedMatMulActivation <activation = "Relu", alpha = 0.5, transB = 1> (x, z)
   e = com.microsoft.BitmaskDropout (x)
   h = com.microsoft.BitmaskBiasDropout (x, bias, z)
   q, k = com.microsoft.GemmaRotaryEmbedding (angle, qk, turned, turned, qk)
   m = com.microsoft.MRotaryEmbedding <mrope_section = [1, 1, 0], num_heads = 1> (t, place, cosine, sine)
   y, s = com.microsoft.CausalConvWithState (signal, taps, , before)
}
---
a float32[2,2] 6 8 63 84
b float32[2,2] 6.32426 -50.5963 25.4558 90.5096
c float32[2,2] 0.632426 -2.52982 0.848528 2.26274
d float32[2,2] 0 0 55 125
e float32[2,2] 1 -2 3 4
h float32[2,2] 21 38 43 64
m float32[1,2,4] 1 -1 3 3 -1 6 6 8
q float32[1,1,1,2] 1 -2
k float32[1,1,1,2] -2 -1
y float32[1,1,4] 51 12 23 34
s float32[1,1,1] 4
====
# Quantisation by rows.
# run: run %s --reference --print 16
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g () => (a, b, c, d) <float[4] x = {1, -2, 0.26, 400}, float s = {0.5}, int8[1,4] q = {1, -2, 3, 100}, float[4] w = {1, 1, 2, 2}> {
   a = com.microsoft.QuantizeWithOrder <order_input = 1, order_output = 1> (x, s)
   b = com.microsoft.DequantizeWithOrder <order_input = 1, order_output = 1, to = 1> (q, s)
   c = com.microsoft.QOrderedGelu (q, s, s)
   d = com.microsoft.QOrderedLayerNormalization (q, s, w, w, s)
}
---
a int8[4] 2 -4 1 127
b float32[1,4] 0.5 -1 1.5 50
c int8[1,4] 1 0 3 100
d int8[1,4] 1 1 2 11
====
# Orders that are places in a library's own memory have no meaning here.
# run: run %s --reference
# stderr: node "order" (QuantizeWithOrder): hone cannot run it in this form: inputs float32[4], float32[]; attributes order_input = 2, order_output = 1
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g () => (a) <float[4] x = {1, 2, 3, 4}, float s = {0.5}> {
   [order] a = com.microsoft.QuantizeWithOrder <order_input = 2, order_output = 1> (x, s)
}
====
# Tokens and images: hashes, repeated n-grams, the cheapest path, crops, padding, finite numbers.
# run: run %s --reference --print 24
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g () => (h1, h2, n, w, c, p, o, sum, most, r, f) <int32[2] x = {3, -4}, string[2] words = {"a", "hello"}, int64[1,5] ids = {0, 1, 2, 0, 1}, float[1,4] scores = {1, 2, 3, 4}, float[2,3] cost = {1, 5, 9, 5, 1, 1}, float[1,1,2,2] image = {1, 2, 3, 4}, float[1,4] box = {0, 0, 1, 1.5}, int32[1] which = {0}, int32[2] size = {2, 3}, float[2,3,1] padded = {1, 2, 3, 4, 5, 6}, int32[2] counts = {1, 3}, float[2] fine = {1, 2}, float[2] not = {1, inf}> {
   h1 = com.microsoft.MurmurHash3 <seed = 42> (x)
   h2 = com.microsoft.MurmurHash3 <positive = 0> (words)
   n = com.microsoft.NGramRepeatBlock <ngram_size = 3> (ids, scores)
   w = com.microsoft.DynamicTimeWarping (cost)
   c = com.microsoft.CropAndResize <extrapolation_value = -1.0> (image, box, which, size)
   p, o, sum, most = com.microsoft.RemovePadding (padded, counts)
   r = com.microsoft.RestorePadding (p, o)
   f = com.microsoft.IsAllFinite (fine, not)
}
---
h1 uint32[2] 2471885347 2990006007
h2 int32[2] 1009084850 613153351
n float32[1,4] 1 2 -inf 4
w int32[2,3] 0 1 1 0 1 2
c float32[1,1,2,3] 1 1.75 -1 3 3.75 -1
p float32[4,1] 1 4 5 6
o int32[2,3] 0 3 4 5 1 2
sum int32[3] 0 1 4
most int32[1] 3
r float32[2,3,1] 1 0 0 4 5 6
f bool[] 0
====
# run: run %s --reference
# stderr: 4 tokens of 3 in sequence 0
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g () => (p) <float[1,3,1] x = {1, 2, 3}, int32[1] n = {4}> { p, o, s, m = com.microsoft.RemovePadding (x, n) }
====
# Blocks of keys: the second block of queries sees the second block of keys only.
# run: run %s --reference --print 8
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g () => (y, ko, vo) <float[1,4,1] q = {1, 1, 1, 1}, float[1,4,1] k = {0, 0, 0, 0}, float[1,4,1] v = {1, 3, 5, 9}, float[1,1,4,1] none = {0, 0, 0, 0}, int32[1,3] rows = {0, 1, 2}, int32[1,2] columns = {0, 1}, int32 total = {4}, int32[1] lengths = {4}> {
   y, ko, vo = com.microsoft.SparseAttention <num_heads = 1, kv_num_heads = 1, sparse_block_size = 2> (q, k, v, none, none, rows, columns, total, lengths)
}
---
y float32[1,4,1] 1 2 5 7
ko float32[1,1,4,1] 0 0 0 0
vo float32[1,1,4,1] 1 3 5 9

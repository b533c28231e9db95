# Expansions give the same values as the operators.
# run: convert %s -o %t/a.onnx --opset 17
# run: verify %s %t/a.onnx
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 25]>
g (float[2,6,5,8] q, float[2,3,4,8] k, float[2,3,4,6] v, bool[5,6] m, float[2,3,2,8] pk, float[2,3,2,6] pv)
   => (float[A,B,C,D] y, float[E,F,G,H] nk, float[I,J,K,L] nv, float[M,N,O,P] s) {
   y, nk, nv, s = Attention <is_causal = 1, softcap = 2.0, qk_matmul_output_mode = 2, scale = 0.3> (q, k, v, m, pk, pv)
}
---
equal: 4 outputs over 3 input sets
====
# run: convert %s -o %t/a.onnx --opset 18
# run: verify %s %t/a.onnx
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 25]>
g (float[batch,5,48] q, float[batch,7,24] k, float[batch,7,24] v, float[7] m) => (float[A,B,C] y) {
   y = Attention <q_num_heads = 6, kv_num_heads = 3, left_window_size = 1, right_window_size = 2> (q, k, v, m)
}
---
equal: 1 outputs over 3 input sets
====
# run: convert %s -o %t/a.onnx --opset 14
# run: verify %s %t/a.onnx
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 23]>
g (float[2,3,24] x, float[2,3,3] c, float[2,3,3] s) => (float[A,B,C] y, float[D,E,F] z) {
   y = RotaryEmbedding <num_heads = 4> (x, c, s)
   z = RotaryEmbedding <num_heads = 3, rotary_embedding_dim = 4, interleaved = 1> (x, c, s)
}
---
equal: 2 outputs over 3 input sets
====
# run: convert %s -o %t/a.onnx --opset 9
# run: verify %s %t/a.onnx
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 21]>
g (float[3,4] x, float low, float high) => (float[3,4] y, float[3,4] u, float[A] r, int64[B] d) <float start = {3}, float limit = {-2}, float step = {-0.75}> {
   y = Clip (x, low, high)
   u = Trilu <upper = 0> (x)
   r = Range (start, limit, step)
   n = Shape (r)
   d = Mul (n, n)
}
---
equal: 4 outputs over 3 input sets
====
# run: convert %s -o %t/a.onnx --opset 8
# run: verify %s %t/a.onnx
# file: input.onnxtxt
---
<ir_version: 10, opset_import: ["" : 21]>
g (float[4] x) => (float[4] s, bool[4] i, bool[4] j) <float[4] w = {1, -inf, inf, 0}> {
   s = Sign (x)
   k = Mul (x, w)
   i = IsInf (k)
   j = IsInf <detect_negative = 0> (k)
}
---
equal: 3 outputs over 3 input sets
====
# run: convert %s -o %t/a.onnx --opset 7
# run: verify %s %t/a.onnx
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 14]>
g (float[3,2,4] x, float[1,12,4] w, float[1,12,3] r, float[3,1,3] h) => (float[A,B,C,D] y, float[E,F,G] yh) {
   b = Constant <value = float[1,24] {1,2,3,4,5,6,7,8,9,10,11,12,1,2,3,4,5,6,7,8,9,10,11,12}> ()
   y, yh = LSTM <hidden_size = 3, layout = 1> (x, w, r, b, , h)
}
---
equal: 2 outputs over 3 input sets

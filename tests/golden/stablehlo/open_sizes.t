# a broadcast of two open sizes has a size that the run computes: the other one where one is 1
# file: m.mlir
# run: opt %s -o %t/out.mlir -q
# run: verify %s %t/out.mlir
---
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %5 = stablehlo.dynamic_broadcast_in_dim %b, %4, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %6 = stablehlo.add %a, %5 : tensor<?x?xf32>
  return %6 : tensor<?x?xf32>
}
---
equal: 1 outputs over 3 input sets
====
# sizes that data says: an iota of one and of two dimensions
# file: m.mlir
# run: opt %s -o %t/out.mlir -q
# run: verify %s %t/out.mlir
---
func.func @main(%n: tensor<i32>, %m: tensor<2xi32>) -> (tensor<?xi32>, tensor<?x?xi32>) {
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %2 = stablehlo.dynamic_iota %m, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  return %1, %2 : tensor<?xi32>, tensor<?x?xi32>
}
---
equal: 2 outputs over 3 input sets
====
# padding by mirrored, repeated and following elements, amounts from arithmetic of sizes
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify %s %t/a.mlir && hone verify %s %t/a.mlir --dim n=1 --dim h=5
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 19]>
g (float[n,h,3] x) => (float[a,b,c] r, float[d,e,f] s, float[g1,i,j] w, float[n,k,3] z) <int64[6] p = {0, 1, 2, 0, 1, 1}, int64[6] q = {1, 3, 0, 2, 1, 2}, int64 m = {-4}, int64[1] none = {0}, int64[1] ax = {1}> {
   r = Pad <mode = "reflect"> (x, p)
   s = Pad <mode = "edge"> (x, q)
   w = Pad <mode = "wrap"> (x, p)
   all = Shape <start = 1, end = 2> (x)
   rest = Mod (all, m)
   more = Neg (rest)
   both = Concat <axis = 0> (none, more)
   z = Pad (x, both, , ax)
}
---
equal: 4 outputs over 3 input sets
equal: 4 outputs over 3 input sets
====
# a slice whose bounds are sizes that were rewritten
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify %s %t/a.mlir
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[p,3] x, float[s,3] y, float[64,2] table) => (float[k,2] z) <int64[1] ax = {0}> {
   both = Concat <axis = 0> (x, y)
   from = Shape <start = 0, end = 1> (x)
   to = Shape <start = 0, end = 1> (both)
   z = Slice (table, from, to, ax)
}
---
equal: 1 outputs over 3 input sets
====
# recurrent layers of any batch and length, both ways, with states and lengths of sequences
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify %s %t/a.mlir && hone verify %s %t/a.mlir --dim s=1 --dim b=3
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[s,b,3] x, float[2,b,4] h, float[b,s,3] t, float[2,16,3] w, float[2,16,4] r, float[2,32] bias, float[1,12,3] gw, float[1,12,4] gr, float[1,4,3] rw, float[1,4,4] rr) => (float[s,2,b,4] y, float[2,b,4] yh, float[2,b,4] yc, float[s,1,b,4] gy, float[1,b,4] gh, float[b,s,1,4] ry) <int64 one = {1}> {
   steps = Shape <start = 0, end = 1> (x)
   batch = Shape <start = 1, end = 2> (x)
   fewer = Sub (steps, one)
   all = Expand (fewer, batch)
   lens = Cast <to = 6> (all)
   y, yh, yc = LSTM <direction = "bidirectional", hidden_size = 4> (x, w, r, bias, lens, h, h)
   gy, gh = GRU <direction = "reverse", hidden_size = 4> (x, gw, gr)
   ry = RNN <layout = 1, hidden_size = 4> (t, rw, rr)
}
---
equal: 6 outputs over 3 input sets
equal: 6 outputs over 3 input sets
====
# resizing of axes whose sizes only the run knows
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify %s %t/a.mlir && hone verify %s %t/a.mlir --dim h=5 --dim w=7 --dim p=3 --dim q=11
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 19]>
g (float[1,2,h,w] x, float[1,2,p,q] like) => (float[1,2,a,b] y1, float[1,2,p,q] y2, float[1,2,p,q] y3, float[1,2,p,q] y4, float[1,2,c,d] y5, float[1,2,p,q] y6, float[1,2,e,f] y7) <float[4] up = {1, 1, 2, 3}, float[4] half = {1, 1, 0.5, 0.5}> {
   sizes = Shape (like)
   y1 = Resize <mode = "linear"> (x, , up)
   y2 = Resize <mode = "linear", coordinate_transformation_mode = "align_corners"> (x, , , sizes)
   y3 = Resize <mode = "cubic", coordinate_transformation_mode = "pytorch_half_pixel"> (x, , , sizes)
   y4 = Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"> (x, , , sizes)
   y5 = Resize <mode = "nearest", nearest_mode = "round_prefer_ceil"> (x, , half)
   y6 = Resize <mode = "nearest", nearest_mode = "ceil", coordinate_transformation_mode = "half_pixel_symmetric"> (x, , , sizes)
   y7 = Resize <mode = "nearest"> (x, , up)
}
---
equal: 7 outputs over 3 input sets
equal: 7 outputs over 3 input sets
====
# run: opt -q %s -t stablehlo -o -
# exit: 4
# stderr: node "r" (Resize): cannot be written as StableHLO: its shape is not known well enough
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 19]>
g (float[1,2,h,w] x) => (float[1,2,a,b] y) <float[4] s = {1, 1, 0.5, 0.5}> { [r] y = Resize <mode = "linear", antialias = 1> (x, , s) }
---
====
# sampling at points of any number of pictures
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify %s %t/a.mlir && hone verify %s %t/a.mlir --dim n=3
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 20]>
g (float[n,2,5,4] x, float[n,3,3,2] at) => (float[n,2,3,3] y, float[n,2,3,3] z) {
   y = GridSample <mode = "linear", padding_mode = "zeros"> (x, at)
   z = GridSample <mode = "nearest", padding_mode = "reflection", align_corners = 1> (x, at)
}
---
equal: 2 outputs over 3 input sets
equal: 2 outputs over 3 input sets
====
# a loop of as many rounds as an input has rows stacks a part for each; its condition passes through
# run: opt -q %s -t stablehlo -o %t/a.mlir && hone verify %s %t/a.mlir && hone verify %s %t/a.mlir --dim s=3 --dim b=1
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[s,b,3] x) => (float[b,3] last, float[s,b,3] all) <int64 zero = {0}, bool yes = {1}> {
   n = Shape <start = 0, end = 1> (x)
   trips = Squeeze (n)
   first = Gather (x, zero)
   last, all = Loop (trips, yes, first) <body = body (int64 i, bool c, float[b,3] h) => (bool c2, float[b,3] h2, float[b,3] y) {
      c2 = Identity (c)
      xi = Gather <axis = 0> (x, i)
      s1 = Add (h, xi)
      h2 = Tanh (s1)
      y = Neg (h2)
   }>
}
---
equal: 2 outputs over 3 input sets
equal: 2 outputs over 3 input sets

# Names with blanks, slashes, colons, points, hyphens and letters beyond ASCII, of the graph, values, weights and nodes, go through
# both MLIR forms and back.
# run: convert %s -t torch-onnx -o %t/a.mlir
# run: convert %t/a.mlir -t onnx -o %t/a.onnx
# run: verify %s %t/a.onnx
# run: convert %s -t mlir -o %t/b.mlir
# run: convert %t/b.mlir -t onnxtxt -o -
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "my dom" : 1]>
"g-r/a:p.h ü" (float[2] "x-1/a:b.c d", float[2] "日本") => (float[2] "out put") <float[2] "w ü" = {1, 2}> {
   ["no de/1"] "t:0" = Add ("x-1/a:b.c d", "w ü")
   "out put" = Mul ("t:0", "日本")
}
---
equal: 1 outputs over 3 input sets
<ir_version: 8, opset_import: ["" : 17, "my dom" : 1]>
"g-r/a:p.h ü" (float[2] "x-1/a:b.c d", float[2] "日本") => (float[2] "out put") <float[2] "w ü" = {1.0, 2.0}> {
   ["no de/1"] "t:0" = Add ("x-1/a:b.c d", "w ü")
   "out put" = Mul ("t:0", "日本")
}

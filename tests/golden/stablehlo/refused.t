# Mean and inverse deviation of a layer norm are results too.
# run: opt %s -q -t stablehlo -o %t/a.mlir && hone run %t/a.mlir && hone run %s --reference
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g () => (y, mean, inv) <float[2,4] x = {1, 2, 3, 4, 5, 5, 5, 9}, float[4] s = {1, 1, 1, 2}> {
   y, mean, inv = LayerNormalization (x, s)
}
---
y float32[2,4] -1.34164 -0.447212 0.447212 2.68327 -0.577349 -0.577349 -0.577349 3.4641
mean float32[2,1] 2.5 6
inv float32[2,1] 0.894424 0.577349
y float32[2,4] -1.34164 -0.447212 0.447212 2.68327 -0.577349 -0.577349 -0.577349 3.4641
mean float32[2,1] 2.5 6
inv float32[2,1] 0.894424 0.577349
====
# What has no simpler operators is refused, and what has no rank.
# run: opt %s -q -t stablehlo -o -
# stderr: node "own" (Frob): cannot be written as StableHLO: hone has no simpler operators for it
# stderr: hint: ONNX and torch-onnx can hold the model
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17, "acme" : 1]>
g (float[2] x) => (float[2] y) { [own] y = acme.Frob (x) }
====
# run: opt %s -q -t stablehlo -o -
# stderr: node "mm" (MatMul): cannot be written as StableHLO: the rank of its result is not known
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] a, float[4,5] b) => (float[] y) { [mm] y = MatMul (a, b) }

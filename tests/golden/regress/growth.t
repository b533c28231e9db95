# Files do not grow: a fill that the opset has no short form for stays computed, one that it has becomes ConstantOfShape.
# run: opt %s -q -o - --to onnxtxt
# file: input.onnxtxt
---
<ir_version: 3, opset_import: ["" : 8]>
g (float[100,1000] x) => (float[100,1000] y)
<float[1] one = {2.0}, int64[2] shape = {100, 1000}>
{
   e = Expand(one, shape)
   y = Pow(x, e)
}
---
<ir_version: 3, opset_import: ["" : 8]>
g (float[100,1000] x) => (float[100,1000] y) <float[1] one = {2.0}, int64[2] shape = {100, 1000}> {
   e = Expand (one, shape)
   y = Pow (x, e)
}
====
# run: opt %s -q -o - --to onnxtxt
# file: input.onnxtxt
---
<ir_version: 4, opset_import: ["" : 9]>
g (float[100,1000] x) => (float[100,1000] y, float[100,1000] e)
<float[1] one = {2.0}, int64[2] shape = {100, 1000}>
{
   e = Expand(one, shape)
   y = Add(x, e)
}
---
<ir_version: 4, opset_import: ["" : 9]>
g (float[100,1000] x) => (float[100,1000] y, float[100,1000] e) <int64[2] v0 = {100, 1000}> {
   e = ConstantOfShape <value = float[1] {2.0}> (v0)
   y = Add (x, e)
}

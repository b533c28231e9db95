# A node that cannot run: which, of what operator set, and what to do; said once though the shapes are looked at often.
# run: run %s --reference 2>&1 | sed 's/^[^ ]*input[^ ]* //'
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g () => (y) <float[2,3] a = {1, 2, 3, 4, 5, 6}, int64[1] i = {7}> { [pick] y = Gather (a, i) }
---
byte 109: warning: node "pick" (Gather): index 7 is out of range for 2 elements
byte 109: error: node "pick" (Gather): index 7 is out of range for 2 elements
  hint: if the inputs of the run are right, the model breaks the rules of opset 17 here: correct the node, or export it again; its inputs are float32[2,3], int64[1]
====
# The same, compiled: a result that is constant and cannot be computed.
# run: run %s
# stderr: error: node "pick" (Gather): index 7 is out of range for 2 elements
# stderr: hint: if the inputs of the run are right, the model breaks the rules of opset 17 here: correct the node, or export it again
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g () => (y) <float[2,3] a = {1, 2, 3, 4, 5, 6}, int64[1] i = {7}> { [pick] y = Gather (a, i) }
====
# Operators of other domains are called as in the model.
# run: run %s
# stderr: node "own" (Frob): hone does not know this operator
# stderr: hint: give it a body as a model-local function, or do this step outside of the model; `hone opt` keeps it as it is (acme 2)
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17, "acme" : 2]>
g (float[2] x) => (float[2] y) { [own] y = acme.Frob (x) }
====
# Options of the importers that change nothing here say so.
# run: import-onnx %s -o %t/a.mlir --param-gb-threshold 2 --no-data-prop --large-model
# stderr: note: --no-data-prop changes nothing: shapes that are computed from shapes are known all the same
# stderr: note: --param-gb-threshold changes nothing: weights go from file to file and are not collected in memory first
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) { y = Relu (x) }
---
====
# An attribute of another kind, and one that no operator has: what is at fault, and what to do.
# run: check %s | sed '/unknown rank/d'; hone run %s --reference; hone opt %s -t stablehlo -o %t/a.mlir
# stderr: error: node "turn" (Transpose): attribute perm is text, expected integers
# stderr: hint: if the inputs of the run are right, the model breaks the rules of opset 17 here: correct the node, or export it again; its inputs are float32[2,3]; attributes perm = "ab"
# stderr: error: node "turn" (Transpose): cannot be written as StableHLO: attribute perm is text, expected integers
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[3,2] y) { [turn] y = Transpose <perm = "ab"> (x) }
---
Transpose turn: attribute perm is text, expected integers
1 findings
====
# A form that hone does not take.
# run: check %s | sed '/unknown rank/d'; hone run %s --reference
# stderr: error: node "big" (Resize): hone cannot run it in this form: inputs float32[1,1,2,2], absent, float32[4]; attributes mode = "foo"
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1, 1, 2, 2}> { [big] y = Resize <mode = "foo"> (x, , s) }
---
Resize big: its attributes, or the number or types of its inputs, are not what the operator takes; its inputs are float32[1,1,2,2], absent, float32[4]; attributes mode = "foo"
1 findings
====
# No opset takes it so.
# run: convert %s --opset 10 -o %t/a.onnx
# stderr: error: node "both" (And): And cannot be written for ONNX opset 10: And-7 does not take its input 'A' of type float32
# stderr: hint: no opset takes it so: correct the node, or export it again; its inputs are float32[2], float32[2]
# file: input.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (bool[2] y) { [both] y = And (x, x) }
====
# Operators of one program, and what to do instead.
# run: run %s --reference; hone check %s | sed '/unknown rank/d'
# stderr: error: node "gen" (GreedySearch): hone does not know this operator
# stderr: hint: it is a whole generation loop around models in its attributes: run those models by themselves and choose the tokens outside; `hone opt` keeps it as it is (com.microsoft 1)
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1, "com.microsoft.nchwc" : 1]>
g (float[2] x) => (float[2] y) { [gen] u = com.microsoft.GreedySearch (x) [lay] y = com.microsoft.nchwc.Conv (u) }
---
GreedySearch of com.microsoft gen: not known to hone, left as it is; to run it: it is a whole generation loop around models in its attributes: run those models by themselves and choose the tokens outside
Conv of com.microsoft.nchwc lay: not known to hone, left as it is; to run it: ONNX Runtime's optimiser made it for the machine that it ran on: save the optimised model at level 'extended' or 'basic'
2 findings
====
# An axis that the operand does not have is known without a run.
# run: check %s
# exit: 3
# stderr: axis 2 is out of range for rank 2
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[n, 4] x) => (float[n, 4] y) {
  y = Softmax <axis = 2> (x)
}
====
# run: check %s
# exit: 3
# stderr: axis -3 is out of range for rank 2
---
<ir_version: 8, opset_import: ["" : 21]>
g (float[n, 4] x, int64[m, 4] i) => (float[m, 4] y) {
  y = GatherElements <axis = -3> (x, i)
}
====
# run: check %s
# exit: 3
# stderr: 3 scales for 4 elements along axis 1
---
<ir_version: 8, opset_import: ["" : 21]>
g (float[n, 4] x, float[3] s) => (uint8[n, 4] y) {
  y = QuantizeLinear(x, s)
}

# A node that cannot run: which, of what operator set, and what to do; said once though the shapes are looked at often.
# run: run %s --reference 2>&1 | sed 's/^[^ ]*input[^ ]* //'
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g () => (y) <float[2,3] a = {1, 2, 3, 4, 5, 6}, int64[1] i = {7}> { [pick] y = Gather (a, i) }
---
byte 109: warning: node "pick" (Gather): index 7 is out of range for 2 elements
byte 109: error: node "pick" (Gather): index 7 is out of range for 2 elements
  hint: if the inputs of the run are right, the model breaks the rules of opset 17 here: correct the node, or export it again
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

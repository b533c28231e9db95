# Outputs that are no files: nothing goes beside them, all is in the one stream.
# run: convert %s -o %t/w.onnx && mkfifo %t/p && (cat %t/p | hone convert - -t onnxtxt -o - & hone convert %t/w.onnx -t onnx -o %t/p; wait) && hone convert %t/w.onnx -t onnxtxt -o /dev/null && hone convert %t/w.onnx -t onnx -o /dev/null && ls %t && ls /dev | grep -c null
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (int8[2] x) => (int8[2] y) <int8[2] w = ["location": "input.onnxtxt", "offset": "1", "length": "2"]> { y = Add (x, w) }
---
<ir_version: 8, opset_import: ["" : 17]>
g (int8[2] x) => (int8[2] y) <int8[2] w = {105, 114}> {
   y = Add (x, w)
}
p
w.onnx
w.onnx.data
1
====
# And asking for it is an error.
# run: convert %s -o /dev/null -t onnx --external-data
# stderr: error: external data needs an output file to lie beside, not the standard output, a pipe or a device
# file: input.onnxtxt
# exit: 2
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add (x, w) }

# A line for each batch size and number of threads.
# run: bench %s --batch 1,3 -j 1,2 --seconds 0.001 --format csv | cut -d, -f 2,3
# file: m.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[n, 8] x, float[n, 8] z) => (float[n, 8] y) { a = Add(x, z) y = Relu(a) }
---
threads,batch
1,1
2,1
1,3
2,3
====
# The figures, by name.
# run: bench %s -j 1 --seconds 0.001 --json | sed -n 's/^ *"\([a-z0-9_]*\)": .*/\1/p' | sort
# file: m.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 8] x) => (float[2, 8] y) { y = Relu(x) }
---
batch
first_run_s
flops
load_s
max_s
mean_s
median_s
memory_bytes
min_s
model
outliers
p90_s
p99_s
packed_weight_bytes
peak_bytes
results
runs
schema
threads
====
# A fixed batch size becomes a symbol, in sizes of reshapes too.
# run: bench %s --batch 1,2,5 -j 1 --seconds 0.001 --format csv | cut -d, -f 2,3
# file: m.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 8, 4] x) => (float[2, 32] y, float[2, 2, 16] z)
<int64[2] flat = {2, 32}, int64[3] parts = {2, 2, -1}> { a = Relu(x) y = Reshape(a, flat) z = Reshape(y, parts) }
---
threads,batch
1,1
1,2
1,5
====
# A model that says its batch size elsewhere is refused, with the place.
# run: bench %s --batch 2 -j 1
# stderr: Reshape
# stderr: the batch size is fixed in the model: what becomes of tensor<[batch]x16xf32> is tensor<4x4xf32>
# stderr: dynamic batch dimension
# file: m.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 16] x) => (float[4, 4] y) <int64[2] s = {4, 4}> { a = Relu(x) y = Reshape(a, s) }
====
# An output that does not follow.
# run: bench %s --batch 2 -j 1
# stderr: output 0: the batch size is fixed in the model: it is tensor<16xf32>
# file: m.onnxtxt
# exit: 4
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 16] x) => (float[16] y) { y = ReduceSum<keepdims = 0, axes = [0]>(x) }
====
# No input has a first dimension.
# run: bench %s --batch 2 -j 1
# stderr: the first dimension of no input is symbolic
# file: m.onnxtxt
# exit: 2
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[] x) => (float[] y) { y = Relu(x) }
====
# run: bench %s --batch 1,x
# stderr: up to 16 numbers from 1
# file: m.onnxtxt
# exit: 2
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[n, 8] x) => (float[n, 8] y) { y = Relu(x) }
====
# A trace for the viewers of browsers.
# run: run %s -q -j 1 --trace %t/trace.json
# run: run %s -q -j 1 --trace %t/trace.json | cat %t/trace.json | sed 's/"\(ts\|dur\)": [0-9.e-]*/"\1": N/'
# file: m.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[4, 8] x) => (float[4] y) { a = Exp(x) y = ReduceMax<axes = [1], keepdims = 0>(a) }
---
{
 "displayTimeUnit": "ns",
 "traceEvents": [
  {
   "name": "tile",
   "cat": "step",
   "ph": "X",
   "ts": N,
   "dur": N,
   "pid": 1,
   "tid": 0,
   "args": {
    "what": "exp",
    "step": 0,
    "flops": 32.0,
    "bytes": 256.0,
    "parallel": false
   }
  },
  {
   "name": "reduce",
   "cat": "step",
   "ph": "X",
   "ts": N,
   "dur": N,
   "pid": 1,
   "tid": 0,
   "args": {
    "what": "core.reduce",
    "step": 1,
    "flops": 32.0,
    "bytes": 128.0,
    "parallel": false
   }
  }
 ]
}

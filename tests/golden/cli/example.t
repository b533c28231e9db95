# Reports about the example model.
# run: info %d/../../../examples/ocr-classifier/model.onnx
# file: input.mlir
---
---
format onnx
ir_version 8
opset ai.onnx 9
input x float32[p2o.DynamicDimension.0,3,p2o.DynamicDimension.1,p2o.DynamicDimension.2]
output softmax_0.tmp_0 float32[p2o.DynamicDimension.3,2]
nodes 221, parameters 134 k, weights 535 kB
  Add                                26
  BatchNormalization                 35
  Cast                                3
  Clip                               18
  Concat                              1
  Conv                               53
  Div                                18
  GlobalAveragePool                  10
  HardSigmoid                         9
  MatMul                              1
  MaxPool                             1
  Mul                                27
  Relu                               15
  Reshape                             1
  Shape                               1
  Slice                               1
  Softmax                             1
====
# run: check %d/../../../examples/ocr-classifier/model.onnx
# file: input.mlir
---
---
valid, nothing to report
====
# run: info %d/../../../examples/ocr-classifier/model.onnx --shapes --dim p2o.DynamicDimension.0=1 | head -n 6
# file: input.mlir
---
---
format onnx
ir_version 8
opset ai.onnx 9
input x float32[1,3,p2o.DynamicDimension.1,p2o.DynamicDimension.2]
output softmax_0.tmp_0 float32[1,2]
nodes 221, parameters 134 k, weights 535 kB
====
# run: passes | sed -n 1p
# file: input.mlir
---
---
passes
====
# run: info --json %d/../../../examples/ocr-classifier/model.onnx | head -n 3
# file: input.mlir
---
---
{
  "ir_version": 8,
  "opsets": {
====
# run: explain %d/../../../examples/ocr-classifier/model.onnx MaxPool | head -n 1
# file: input.mlir
---
---
p2o.MaxPool.0: max-pool-auto-pad: no auto_pad

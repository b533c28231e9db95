The models of examples/batch-norm, made by torch_xla, JAX with Flax and PyTorch's ONNX exporter. In eval mode one convolution is
left, in every format, with the results of the original.
# run: opt %d/../../../examples/batch-norm/torch-eval -q -o %t/a.mlir
# run: verify %d/../../../examples/batch-norm/torch-eval %t/a.mlir
# run: info %t/a.mlir
---
---
equal: 1 outputs over 3 input sets
format stablehlo
input p6.7 float32[2,3,12,12]
output  float32[2,6,8,8]
nodes 4, parameters 1.22 k, weights 1.83 kB
  add                                 1
  broadcast_in_dim                    1
  convolution                         1
  maximum                             1
====
# bytecode
# run: opt %d/../../../examples/batch-norm/torch-eval -q -o %t/a.mlirbc
# run: verify %d/../../../examples/batch-norm/torch-eval %t/a.mlirbc
# run: info %t/a.mlirbc | grep -c batch_norm || true
---
---
equal: 1 outputs over 3 input sets
0
====
# a bundle: the weights that were folded are new files, those that nothing needs are gone
# run: opt %d/../../../examples/batch-norm/torch-eval -q -o %t/out
# run: verify %d/../../../examples/batch-norm/torch-eval %t/out
# run: info %t/out | grep -c batch_norm; cd %t/out && find . -type f | sort && cut -c1-196 functions/forward.meta
---
---
equal: 1 outputs over 3 input sets
0
./data/conv.bias
./data/conv.weight
./functions/forward.bytecode
./functions/forward.meta
./functions/forward.mlir
{"name": "forward", "stablehlo_version": "0.0.0", "input_signature": [{"shape": [6], "dtype": "float32", "dynamic_dims": []}, {"shape": [6, 3, 5, 5], "dtype": "float32", "dynamic_dims": []}, {"sha
====
# ONNX; that PyTorch's own export gives the same is a check of the reader
# run: opt %d/../../../examples/batch-norm/torch-eval -q -o %t/a.onnx
# run: verify %d/../../../examples/batch-norm/onnx-eval.onnx %t/a.onnx -i x=%d/x.npy
# run: info %t/a.onnx | tail -2
---
---
equal: 1 outputs over 3 input sets
  Conv                                1
  Max                                 1
====
# converting changes nothing but the spelling: all files of data/ stay
# run: convert %d/../../../examples/batch-norm/torch-eval -o %t/out
# run: verify --structure %d/../../../examples/batch-norm/torch-eval %t/out && diff -r %d/../../../examples/batch-norm/torch-eval/data %t/out/data && diff %d/../../../examples/batch-norm/torch-eval/functions/forward.meta %t/out/functions/forward.meta && echo same
---
====
# weights by position, for the text alone
# run: opt %d/../../../examples/batch-norm/torch-eval/functions/forward.mlir --bind arg0=@%d/../../../examples/batch-norm/torch-eval/data/bn.running_var --bind 1=@%d/../../../examples/batch-norm/torch-eval/data/bn.running_mean --bind %arg2=@%d/../../../examples/batch-norm/torch-eval/data/bn.bias --bind arg3=@%d/../../../examples/batch-norm/torch-eval/data/bn.weight --bind arg4=@%d/../../../examples/batch-norm/torch-eval/data/conv.bias --bind arg5=@%d/../../../examples/batch-norm/torch-eval/data/conv.weight -q -o %t/a.mlir
# run: verify %d/../../../examples/batch-norm/torch-eval %t/a.mlir
# run: info %t/a.mlir | grep -c batch_norm || true
---
---
equal: 1 outputs over 3 input sets
0
====
# JAX: weights by name, from locations
# run: opt %d/../../../examples/batch-norm/jax-eval.mlir --weights %d/../../../examples/batch-norm/flax.safetensors -q -o %t/a.mlir
# run: verify %d/../../../examples/batch-norm/jax-eval.jaxexp %t/a.mlir --weights %d/../../../examples/batch-norm/flax.safetensors
# run: info %t/a.mlir | grep -e rsqrt -e convolution -e multiply -e subtract
---
---
equal: 1 outputs over 3 input sets
  convolution                         1
====
# a file of jax.export again, and ONNX
# run: opt %d/../../../examples/batch-norm/jax-eval.jaxexp --weights %d/../../../examples/batch-norm/flax.safetensors -q -o %t/a.jaxexp
# run: opt %d/../../../examples/batch-norm/jax-eval.jaxexp --weights %d/../../../examples/batch-norm/flax.safetensors -q -o %t/a.onnx
# run: verify %t/a.jaxexp %t/a.onnx
# run: info %t/a.onnx | grep Conv
---
---
equal: 1 outputs over 3 input sets
  Conv                                1
====
# weights stay arguments, in a file beside the model, under the names of what they came from
# run: opt %d/../../../examples/batch-norm/jax-eval.jaxexp --weights %d/../../../examples/batch-norm/flax.safetensors --keep-arguments -q -o %t/a.mlir
# run: opt %t/a.mlir --weights %t/a.mlir.safetensors -q -o %t/b.mlir
# run: verify %d/../../../examples/batch-norm/jax-eval.jaxexp %t/b.mlir --weights %d/../../../examples/batch-norm/flax.safetensors
# run: info %t/a.mlir | grep -e input
---
====
# in train mode nothing is folded, and it is said why
# run: opt %d/../../../examples/batch-norm/torch-train -q -o %t/a.mlir
# run: verify %d/../../../examples/batch-norm/torch-train %t/a.mlir
# run: info %t/a.mlir | grep batch_norm
# stderr: note: batch-norm-training.12: stablehlo.batch_norm_training with scale bn.weight normalises by the statistics of its own batch
# stderr: probably exported without eval()
---
---
equal: 1 outputs over 3 input sets
  batch_norm_training                 1
====
# check and explain say the same
# run: check %d/../../../examples/batch-norm/torch-train
# run: explain %d/../../../examples/batch-norm/torch-train batch_norm_training
# run: check %d/../../../examples/batch-norm/onnx-train.onnx
---
====
# frozen, it is what eval mode gives
# run: opt %d/../../../examples/batch-norm/torch-train --freeze-batch-norm -q -o %t/a.mlir
# run: verify %d/../../../examples/batch-norm/torch-eval %t/a.mlir
# run: info %t/a.mlir | grep -c batch_norm || true
# stderr: is frozen: it normalises by running statistics now; results change, as was asked
---
---
equal: 1 outputs over 3 input sets
0
====
# ONNX in training mode
# run: opt %d/../../../examples/batch-norm/onnx-train.onnx -q -o %t/a.onnx
# run: info %t/a.onnx | grep BatchNorm
# run: opt %d/../../../examples/batch-norm/onnx-train.onnx --freeze-batch-norm -q -o %t/b.onnx
# run: info %t/b.onnx | tail -2
# stderr: normalises by the statistics of its own batch
# stderr: is frozen
---
---
  BatchNormalization                  1
  Conv                                1
  Relu                                1
====
# in parts, as Flax writes it: the update of the running statistics says which they are
# run: opt %d/../../../examples/batch-norm/jax-train.jaxexp --weights %d/../../../examples/batch-norm/flax.safetensors -q -o %t/a.mlir
# run: info %t/a.mlir | grep rsqrt
# run: opt %d/../../../examples/batch-norm/jax-train.jaxexp --weights %d/../../../examples/batch-norm/flax.safetensors --freeze-batch-norm -q -o %t/b.mlir
# run: info %t/b.mlir | grep -e rsqrt -e convolution -e multiply -e reduce
# stderr: a batch norm in parts with scale params.BatchNorm_0.scale normalises by the statistics of its own batch
# stderr: is frozen
---
---
  rsqrt                               1
  convolution                         1
====
# without running statistics it cannot be frozen, and the hint says what to give
# run: opt %s --freeze-batch-norm -q -o -
# file: input.mlir
# stderr: cannot be frozen: the model carries no running statistics for it
# stderr: --bind bn.running_mean=@FILE --bind bn.running_var=@FILE
# exit: 3
---
func.func @main(%x: tensor<2x3x4xf32>, %bn.weight: tensor<3xf32>, %o: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0:3 = "stablehlo.batch_norm_training"(%x, %bn.weight, %o) <{epsilon = 1.0e-05 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<2x3x4xf32>
}

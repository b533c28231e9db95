# Tokens and tuples among the arguments are made up like other inputs.
# run: run %s -q --check && hone verify %s && hone compile %s -q -o %t/m.hone && hone run %t/m.hone
# file: input.mlir
---
func.func @main(%x: tensor<2xi32>, %t: !stablehlo.token, %p: tuple<tensor<3xi32>, tuple<tensor<2xf32>, !stablehlo.token>>) -> (tensor<2xi32>, !stablehlo.token, tensor<3xi32>) {
  %u = stablehlo.after_all %t : !stablehlo.token
  %y = stablehlo.get_tuple_element %p[0] : (tuple<tensor<3xi32>, tuple<tensor<2xf32>, !stablehlo.token>>) -> tensor<3xi32>
  return %x, %u, %y : tensor<2xi32>, !stablehlo.token, tensor<3xi32>
}
---
equal: 3 outputs over 3 input sets
x int32[2] 35 0
u sequence of 0
y int32[3] 10 26 51
====
# Inputs that are made up need not suit a model that is compiled: here a start beyond the end.
# run: compile %s -q -o %t/m.hone && hone info %t/m.hone > %t/info
# stderr: input.mlir:2:8: warning: not run while compiling, seeded inputs do not suit it: stablehlo.real_dynamic_slice: bounds
# stderr: hint: the file is whole; weights that are used from here on are packed when it is loaded and run
# file: input.mlir
---
func.func @main(%x: tensor<?xf32>, %s: tensor<1xi32>, %l: tensor<1xi32>, %st: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %st : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
---
====
# C sources have the sizes of their inputs: they need that run where sizes are open.
# run: compile %s -q -o %t/m.c
# stderr: stablehlo.real_dynamic_slice: bounds
# stderr: note: C sources are made for fixed sizes, which were taken from this run: bind open ones by --dim or --shape
# file: input.mlir
# exit: 3
---
func.func @main(%x: tensor<?xf32>, %s: tensor<1xi32>, %l: tensor<1xi32>, %st: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %st : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
---
====
# What no data can make right is an error as before.
# run: compile %s -q -o %t/m.hone
# stderr: error: node "mm" (MatMul): the inner dimensions differ: 3 and 4
# file: input.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] a, float[4,5] b) => (float[] y) { [mm] y = MatMul (a, b) }
---
====
# C has no types for quantised numbers and for tokens, which is the reason that is given.
# run: compile %s -q -o %t/m.c
# stderr: input.mlir:2:8: error: stablehlo.uniform_quantize: has no form in C: it gives elements of type !quant.uniform<i8:f32, 0.5:3>
# file: input.mlir
# exit: 4
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %d = stablehlo.uniform_dequantize %q : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
---
====
# run: compile %s -q -o %t/m.c
# stderr: stablehlo.after_all: has no form in C: it gives something other than a tensor
# file: input.mlir
# exit: 4
---
func.func @main(%x: tensor<4xf32>, %s: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
  %t = stablehlo.after_all %s : !stablehlo.token
  return %x, %t : tensor<4xf32>, !stablehlo.token
}
---
====
# A plain conversion does not translate; the verb that does is named.
# run: convert %s -o %t/m.onnx
# stderr: input.mlir:2:8: error: stablehlo.add: ONNX has no operator for it
# stderr: hint: `hone opt` translates what ONNX has a form for; -t stablehlo and -t mlir hold every operator
# file: input.mlir
# exit: 4
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
---
====
# An operand that is a tuple where a tensor is needed.
# run: run %s --reference
# stderr: input.mlir:2:8: error: chlo.broadcast_zeta: operands that are no tensors
# file: input.mlir
# exit: 3
---
func.func @main(%p: tuple<tensor<2xf32>>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "chlo.broadcast_zeta"(%p, %x) : (tuple<tensor<2xf32>>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
---
====
# run: opt %s -q -o %t/m.onnx --opset 8
# stderr: shift_right_logical cannot be written for ONNX opset 8: the operator came with opset 11
# file: input.mlir
# exit: 4
---
func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.shift_right_logical %x, %y : tensor<2xi32>
  return %0 : tensor<2xi32>
}
---

Bytecode is written and read again; without a version the lowest one that has everything is taken.
# run: convert %s -o %t/a.bc
# run: convert %t/a.bc -t mlir -o -
# file: input.mlir
---
module @m attributes {mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<?x3xf32> {jax.arg_info = "x"}, %arg1: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<?x3xf32> {jax.result_info = "y"}) {
    %0 = stablehlo.constant dense<[[1, 0], [0, 1]]> : tensor<2x2xi1>
    %1 = stablehlo.tan %arg0 : tensor<?x3xf32>
    %2 = call @g(%1) : (tensor<?x3xf32>) -> tensor<?x3xf32>
    return %2 : tensor<?x3xf32>
  }
  func.func private @g(%arg0: tensor<?x3xf32>) -> tensor<?x3xf32> {
    return %arg0 : tensor<?x3xf32>
  }
}
---
module @m attributes {mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<?x3xf32> {jax.arg_info = "x"}, %arg1: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<?x3xf32> {jax.result_info = "y"}) {
    %0 = stablehlo.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
    %1 = stablehlo.tan %arg0 : (tensor<?x3xf32>) -> tensor<?x3xf32>
    %2 = call @g(%1) : (tensor<?x3xf32>) -> tensor<?x3xf32>
    return %2 : tensor<?x3xf32>
  }
  func.func private @g(%arg0: tensor<?x3xf32>) -> (tensor<?x3xf32>) {
    return %arg0 : tensor<?x3xf32>
  }
}
====
# run: convert %s -o %t/a.bc --stablehlo-version 1.0.0
# file: input.mlir
# stderr: type f8E3M4 needs StableHLO 1.7.0 or later, the target is 1.0.0
# exit: 4
---
func.func @main(%x: tensor<2xf8E3M4>) -> tensor<2xf8E3M4> {
  return %x : tensor<2xf8E3M4>
}
---
====
# run: convert %s -o %t/a.bc
# file: input.mlir
# stderr: error: chlo.erf: the op is none of StableHLO and has no portable form
# exit: 4
---
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
---
====
# run: convert %s -o %t/a.bc --stablehlo-version 2.0
# file: input.mlir
# stderr: error: "2.0" is no version of StableHLO, expected numbers such as 1.4.0
# exit: 2
---
func.func @main() {
  return
}
---
====
# run: convert %s -o %t/a.bc --stablehlo-version 1.21.0
# file: input.mlir
# stderr: error: StableHLO 1.21.0 cannot be written, expected 0.9.0 to 1.20.0
# exit: 2
---
func.func @main() {
  return
}
---
====
An op that the version does not have is named; so is an attribute.
# run: convert %s -o %t/a.bc --stablehlo-version 1.3.0
# file: input.mlir
# stderr: error: stablehlo.tan: the op needs StableHLO 1.4.0 or later, the target is 1.3.0
# stderr: hint: without --stablehlo-version the lowest version that can hold the module is written
# exit: 4
---
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tan %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
---
====
# run: convert %s -o %t/a.bc --stablehlo-version 1.5.0
# file: input.mlir
# stderr: stablehlo.custom_call: attribute result_tilings needs StableHLO 1.18.0 or later, the target is 1.5.0
# exit: 4
---
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @f(%x) {result_tilings = [[1]]} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
---

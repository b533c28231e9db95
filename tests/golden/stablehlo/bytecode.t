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
# stderr: note: chlo.ragged_dot has no form of core ops: its sizes are not known
# stderr: error: chlo.ragged_dot: the op is none of StableHLO and has no portable form
# exit: 4
---
func.func @main(%x: tensor<?x3xf32>, %w: tensor<2x3x5xf32>, %n: tensor<2xi64>) -> tensor<?x5xf32> {
  %0 = "chlo.ragged_dot"(%x, %w, %n) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<?x3xf32>, tensor<2x3x5xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
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
====
chlo functions are expanded for bytecode; text keeps them.
# run: convert %s -o %t/a.bc
# run: convert %t/a.bc -t mlir -o -
# file: input.mlir
---
func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = chlo.atan %x : tensor<4xf64> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
---
module {
  func.func @main(%x: tensor<4xf64>) -> (tensor<4xf64>) {
    %0 = stablehlo.constant dense<0.0> : tensor<4xf64>
    %1 = stablehlo.constant dense<1.0> : tensor<4xf64>
    %2 = stablehlo.atan2 %x, %1 : tensor<4xf64>
    return %2 : tensor<4xf64>
  }
}
====
# run: opt -q %s -o %t/a.bc
# run: convert %t/a.bc -t mlir -o -
# file: input.mlir
---
func.func @main(%x: tensor<?xf16>) -> tensor<?xf16> {
  %0 = chlo.acosh %x : tensor<?xf16> -> tensor<?xf16>
  return %0 : tensor<?xf16>
}
---
module {
  func.func @main(%x: tensor<?xf16>) -> (tensor<?xf16>) {
    %0 = stablehlo.constant dense<0.0> : tensor<f16>
    %1 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf16>) -> tensor<i32>
    %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.dynamic_broadcast_in_dim %0, %2, dims = [] : (tensor<f16>, tensor<1xi32>) -> tensor<?xf16>
    %4 = stablehlo.convert %x : (tensor<?xf16>) -> tensor<?xf32>
    %5 = stablehlo.constant dense<1.0> : tensor<f32>
    %6 = stablehlo.dynamic_broadcast_in_dim %5, %2, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %7 = stablehlo.subtract %4, %6 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %8 = stablehlo.constant dense<2.0> : tensor<f32>
    %9 = stablehlo.dynamic_broadcast_in_dim %8, %2, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %10 = stablehlo.add %7, %9 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %11 = stablehlo.multiply %7, %10 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %12 = stablehlo.sqrt %11 : (tensor<?xf32>) -> tensor<?xf32>
    %13 = stablehlo.add %7, %12 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %14 = stablehlo.log_plus_one %13 : (tensor<?xf32>) -> tensor<?xf32>
    %15 = stablehlo.constant dense<0.6931472> : tensor<f32>
    %16 = stablehlo.dynamic_broadcast_in_dim %15, %2, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %17 = stablehlo.log %4 : (tensor<?xf32>) -> tensor<?xf32>
    %18 = stablehlo.add %17, %16 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %19 = stablehlo.constant dense<10000.0> : tensor<f32>
    %20 = stablehlo.dynamic_broadcast_in_dim %19, %2, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %21 = stablehlo.compare LT, %4, %20, FLOAT : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
    %22 = stablehlo.select %21, %14, %18 : (tensor<?xi1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %23 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %24 = stablehlo.dynamic_broadcast_in_dim %23, %2, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %25 = stablehlo.compare LT, %4, %6, FLOAT : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
    %26 = stablehlo.select %25, %24, %22 : (tensor<?xi1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %27 = stablehlo.convert %26 : (tensor<?xf32>) -> tensor<?xf16>
    return %27 : tensor<?xf16>
  }
}
====
There is none for these: the error says so.
# run: opt -q %s -o %t/a.bc
# file: input.mlir
# stderr: chlo.asin: cannot be written as portable bytecode: bytecode has no chlo ops
# exit: 4
---
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = chlo.asin %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
====
Meshes and shardings of Shardy come through bytecode.
# run: convert %s -o %t/a.bc
# run: convert %t/a.bc --stablehlo-version 1.20.0 -o %t/b.bc
# run: convert %t/b.bc -t mlir -o -
# file: input.mlir
---
module @m {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2}, {?}p1], replicated={"b":(2)2}>}) -> tensor<8x4xf32> {
    return %x : tensor<8x4xf32>
  }
}
---
module @m attributes {hone.format = "stablehlo"} {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func public @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2}, {?}p1], replicated={"b":(2)2}>}) -> (tensor<8x4xf32>) {
    return %x : tensor<8x4xf32>
  }
}
====
Other ops beside functions have no place in it.
# run: convert %s -o %t/a.bc
# file: input.mlir
# stderr: the module has ops beside functions that have no portable form
# exit: 4
---
module @m {
  other.thing @x = 1
  func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
====
Attributes of Shardy that jaxlib wrote in bytes of their own are read as text.
# run: convert %d/../../fuzz/seeds/fuzz_mlirbc/shardy -t mlir -o -
# file: input
---
---
module @m {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  sdy.mesh @ids = <["x"=2], device_ids=[1, 0]>
  func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2}, {?}p1], replicated={"b":(2)2}>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<mesh<["c"=3]>, [{"c", ?}, {}]>}) {
    %0 = "stablehlo.custom_call"(%arg0) {call_target_name = "f", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}], unreduced={"a"}>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([ij, l]) {i=2, j=4, k=4, l=4} reduction={k}, custom>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = "sdy.sharding_constraint"(%0) {sharding = #sdy.sharding<@mesh, [{"a"}, {}]>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}

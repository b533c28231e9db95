# What other tools print.
# generic form throughout
# run: convert %s -t mlir -o -
# file: input.mlir
---
"builtin.module"() <{sym_name = "jit_f"}> ({
  "func.func"() <{arg_attrs = [{mhlo.sharding = "{replicated}"}, {}], function_type = (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4xf32> loc("x"), %arg1: tensor<?xf32>):
    %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "foo", has_side_effect = true}> {backend_config = #x.y<1>} : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%0) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32} : () -> ()
---
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32> {mhlo.sharding = "{replicated}"}, %arg1: tensor<?xf32>) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = "stablehlo.custom_call"(%arg0) {backend_config = #x.y<1>, call_target_name = "foo", has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
====
# aliases are replaced where they stand
# run: convert %s -t mlir -o -
# file: input.mlir
---
// a comment
#map = affine_map<(d0, d1) -> (d1, d0)>
#list = [1, #map]
!t = tensor<2x?xf32>
module {
  func.func @main(%arg0: !t) -> !t {
    "linalg.thing"(%arg0) {maps = [#map, #foo.bar<#map>], l = #list, t = !t} : (!t) -> () // another
    return %arg0 : !t
  }
}
---
module {
  func.func @main(%arg0: tensor<2x[?1]xf32>) -> (tensor<2x[?1]xf32>) {
    "linalg.thing"(%arg0) {l = [1, affine_map<(d0, d1) -> (d1, d0)>], maps = [affine_map<(d0, d1) -> (d1, d0)>, #foo.bar<affine_map<(d0, d1) -> (d1, d0)>>], t = tensor<2x[?1]xf32>} : (tensor<2x[?1]xf32>) -> ()
    return %arg0 : tensor<2x[?1]xf32>
  }
}

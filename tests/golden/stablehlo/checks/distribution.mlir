// One device: collectives give what they get.
func.func @collectives() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = "stablehlo.all_reduce"(%g) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %t = "stablehlo.all_to_all"(%r) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %u = "stablehlo.reduce_scatter"(%t) <{scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %v = "stablehlo.collective_broadcast"(%u) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %w = "stablehlo.collective_permute"(%v) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq %w, %x : tensor<2x2xf32>
  %n = "stablehlo.collective_permute"(%v) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %n, dense<0.0> : tensor<2x2xf32>
  %p = stablehlo.partition_id : tensor<ui32>
  check.expect_eq_const %p, dense<0> : tensor<ui32>
  func.return
}

// -----

// Marks stay what they are.
func.func @marks() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
  %b = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %b, %x : tensor<2xf32>
  func.return
}

// -----

func.func @assertion() {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %n = stablehlo.constant dense<4> : tensor<i32>
  stablehlo.custom_call @shape_assertion(%t, %n) {api_version = 2 : i32, error_message = "n is {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  check.expect_eq_const %n, dense<4> : tensor<i32>
  func.return
}

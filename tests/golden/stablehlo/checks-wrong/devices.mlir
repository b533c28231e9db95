func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %r = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
  check.expect_eq_const %r, dense<1.0> : tensor<4xf32>
  func.return
}

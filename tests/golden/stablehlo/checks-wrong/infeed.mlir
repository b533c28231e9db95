func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  check.expect_eq_const %r#0, dense<1.0> : tensor<2xf32>
  func.return
}

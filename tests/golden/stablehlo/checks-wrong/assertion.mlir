func.func @main() {
  %f = stablehlo.constant dense<false> : tensor<i1>
  %n = stablehlo.constant dense<4> : tensor<i32>
  stablehlo.custom_call @shape_assertion(%f, %n) {api_version = 2 : i32, error_message = "expected n >= 5, n is {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  func.return
}

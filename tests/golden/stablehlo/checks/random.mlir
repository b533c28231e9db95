// Known answers of the generators (Salmon et al. 2011, the reference implementation's test vectors).
func.func @threefry_zero() {
  %s = stablehlo.constant dense<0> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %r, dense<[1797259609, 2579123966]> : tensor<2xui32>
  check.expect_eq_const %t, dense<[0, 1]> : tensor<2xui64>
  %u, %w = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
  check.expect_eq_const %w, dense<[11077253088097075545]> : tensor<1xui64>
  func.return
}

// -----

func.func @threefry_ones() {
  %s = stablehlo.constant dense<18446744073709551615> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %r, dense<[481924860, 3137350631]> : tensor<2xui32>
  check.expect_eq_const %t, dense<[18446744073709551615, 0]> : tensor<2xui64>
  // narrow types keep the low bits
  %u, %n = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui8>)
  check.expect_eq_const %n, dense<[252, 231]> : tensor<2xui8>
  func.return
}

// -----

// One count gives neighbours along the first even dimension.
func.func @threefry_split() {
  %s = stablehlo.constant dense<0> : tensor<2xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x2xui32>)
  check.expect_eq_const %r, dense<[[1797259609, 2579123966]]> : tensor<1x2xui32>
  %u, %v = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %w = stablehlo.slice %v [0:2] : (tensor<3xui32>) -> tensor<2xui32>
  check.expect_eq_const %w, dense<[1797259609, 2579123966]> : tensor<2xui32>
  check.expect_eq_const %u, dense<[0, 2]> : tensor<2xui64>
  func.return
}

// -----

func.func @philox() {
  %s = stablehlo.constant dense<0> : tensor<3xui64>
  %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  check.expect_eq_const %r, dense<[1713891541, 3781805453, 3159862348, 2600524760]> : tensor<4xui32>
  check.expect_eq_const %t, dense<[0, 1, 0]> : tensor<3xui64>
  %o = stablehlo.constant dense<18446744073709551615> : tensor<3xui64>
  %u, %q = stablehlo.rng_bit_generator %o, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2xui64>)
  check.expect_eq_const %q, dense<[4740103540206151533, 7878011797965096902]> : tensor<2xui64>
  check.expect_eq_const %u, dense<[18446744073709551615, 0, 0]> : tensor<3xui64>
  func.return
}

// -----

func.func @threefry_call() {
  %z = stablehlo.constant dense<[0, 4294967295]> : tensor<2xui32>
  %r:2 = stablehlo.custom_call @cu_threefry2x32_ffi(%z, %z, %z, %z) : (tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
  check.expect_eq_const %r#0, dense<[1797259609, 481924860]> : tensor<2xui32>
  check.expect_eq_const %r#1, dense<[2579123966, 3137350631]> : tensor<2xui32>
  // up to 2023: one tuple
  %t = stablehlo.custom_call @cu_threefry2x32(%z, %z, %z, %z) {api_version = 2 : i32} : (tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>) -> tuple<tensor<2xui32>, tensor<2xui32>>
  %a = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xui32>, tensor<2xui32>>) -> tensor<2xui32>
  check.expect_eq_const %a, dense<[2579123966, 3137350631]> : tensor<2xui32>
  func.return
}

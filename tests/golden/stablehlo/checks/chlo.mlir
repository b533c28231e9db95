// Scans: prefix sums forwards and backwards, along the second dimension, two inputs.
func.func @scan() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<0> : tensor<2xi32>
  %r:2 = "chlo.scan"(%x, %z) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<2xi32>, %c: tensor<2xi32>):
    %s = stablehlo.add %a, %c : tensor<2xi32>
    stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
  }) : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  check.expect_eq_const %r#0, dense<[[1, 3, 6], [4, 9, 15]]> : tensor<2x3xi32>
  check.expect_eq_const %r#1, dense<[6, 15]> : tensor<2xi32>
  %b:2 = "chlo.scan"(%x, %z) <{dimension = 1 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<2xi32>, %c: tensor<2xi32>):
    %s = stablehlo.add %a, %c : tensor<2xi32>
    stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
  }) : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  check.expect_eq_const %b#0, dense<[[6, 5, 3], [15, 11, 6]]> : tensor<2x3xi32>
  func.return
}

// -----

// Products over groups: each group of rows has a matrix of its own; rows beyond the groups are zero.
func.func @ragged_rows() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %w = stablehlo.constant dense<[[[1.0], [1.0]], [[2.0], [0.0]]]> : tensor<2x2x1xf32>
  %g = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %r = "chlo.ragged_dot"(%x, %w, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  check.expect_eq_const %r, dense<[[3.0], [6.0], [0.0]]> : tensor<3x1xf32>
  // groups of what is summed: one result each
  %k = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %c = "chlo.ragged_dot"(%k, %x, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>} : (tensor<1x3xf32>, tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x1x2xf32>
  check.expect_eq_const %c, dense<[[[1.0, 2.0]], [[6.0, 8.0]]]> : tensor<2x1x2xf32>
  func.return
}

// -----

// Special functions at points with closed forms.
func.func @special() {
  %x = stablehlo.constant dense<[1.0, 0.5, 2.0]> : tensor<3xf64>
  %d = chlo.digamma %x : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %d, dense<[-0.57721566490153286, -1.9635100260214235, 0.42278433509846714]> : tensor<3xf64>
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %two = stablehlo.constant dense<2.0> : tensor<3xf64>
  %z = chlo.zeta %two, %one : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %z, dense<1.6449340668482264> : tensor<3xf64>
  %p = chlo.polygamma %one, %one : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %p, dense<1.6449340668482264> : tensor<3xf64>
  %h = stablehlo.constant dense<[0.0, 0.5, -0.5]> : tensor<3xf64>
  %i = chlo.erf_inv %h : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %i, dense<[0.0, 0.47693627620446987, -0.47693627620446987]> : tensor<3xf64>
  %l = chlo.lgamma %x : tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %l, dense<[0.0, 0.57236494292470008, 0.0]> : tensor<3xf64>
  func.return
}

// -----

func.func @atan2_complex() {
  %y = stablehlo.constant dense<[(1.0, 0.0), (3.0, 0.0)]> : tensor<2xcomplex<f64>>
  %x = stablehlo.constant dense<[(1.0, 0.0), (-3.0, 0.0)]> : tensor<2xcomplex<f64>>
  %r = stablehlo.atan2 %y, %x : tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(0.78539816339744831, 0.0), (2.3561944901923448, 0.0)]> : tensor<2xcomplex<f64>>
  func.return
}

// -----

// far below zero, where poles lie at the whole numbers
func.func @zeta_below() {
  %x = stablehlo.constant dense<[2.0, 3.0, 2.0]> : tensor<3xf64>
  %q = stablehlo.constant dense<[-1000.25, -10.25, -1000000.5]> : tensor<3xf64>
  %z = chlo.zeta %x, %q : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %z, dense<[19.7382095516997849, -62.0082360107435525, 9.86960340109035862]> : tensor<3xf64>
  func.return
}

// Calls of LAPACK and BLAS as JAX wrote them up to 2024: numbers before the arrays. Expected values are SciPy's.
// left, lower, transposition, unit diagonal, rows, columns, batches, factor of the right-hand side
func.func @trsm_left() {
  %a = stablehlo.constant dense<[[2.0, 1.0, 0.5], [1.0, 3.0, -1.0], [4.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %s0 = stablehlo.constant dense<1> : tensor<i32>
  %s1 = stablehlo.constant dense<1> : tensor<i32>
  %s2 = stablehlo.constant dense<0> : tensor<i32>
  %s3 = stablehlo.constant dense<0> : tensor<i32>
  %s4 = stablehlo.constant dense<3> : tensor<i32>
  %s5 = stablehlo.constant dense<2> : tensor<i32>
  %s6 = stablehlo.constant dense<1> : tensor<i32>
  %s7 = stablehlo.constant dense<2.0> : tensor<f64>
  %x = stablehlo.custom_call @blas_dtrsm(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %a, %b) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f64>, tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %x, dense<[[1.0, 2.0], [1.6666666666666667, 2.0], [6.0, 4.0]]> : tensor<3x2xf64>
  func.return
}

// -----

func.func @trsm_right() {
  %a = stablehlo.constant dense<[[2.0, 1.0, 0.5], [1.0, 3.0, -1.0], [4.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %b = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %s0 = stablehlo.constant dense<0> : tensor<i32>
  %s1 = stablehlo.constant dense<0> : tensor<i32>
  %s2 = stablehlo.constant dense<1> : tensor<i32>
  %s3 = stablehlo.constant dense<1> : tensor<i32>
  %s4 = stablehlo.constant dense<2> : tensor<i32>
  %s5 = stablehlo.constant dense<3> : tensor<i32>
  %s6 = stablehlo.constant dense<1> : tensor<i32>
  %s7 = stablehlo.constant dense<2.0> : tensor<f64>
  %x = stablehlo.custom_call @blas_dtrsm(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %a, %b) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f64>, tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %x, dense<[[-11.0, 10.0, 6.0], [-20.0, 22.0, 12.0]]> : tensor<2x3xf64>
  func.return
}

// -----

// lower, batches, size
func.func @cholesky() {
  %a = stablehlo.constant dense<[[5.25, 4.5, 8.5], [4.5, 11.0, 3.0], [8.5, 3.0, 17.0]]> : tensor<3x3xf64>
  %s0 = stablehlo.constant dense<0> : tensor<i32>
  %s1 = stablehlo.constant dense<1> : tensor<i32>
  %s2 = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.custom_call @lapack_dpotrf(%s0, %s1, %s2, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  %u = stablehlo.slice %r#0 [0:1, 0:3] : (tensor<3x3xf64>) -> tensor<1x3xf64>
  check.expect_almost_eq_const %u, dense<[[2.29128784747792, 1.9639610121239315, 3.709704134011871]]> : tensor<1x3xf64>
  check.expect_eq_const %r#1, dense<0> : tensor<i32>
  func.return
}

// -----

func.func @lu() {
  %a = stablehlo.constant dense<[[2.0, 1.0, 0.5], [1.0, 3.0, -1.0], [4.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s0 = stablehlo.constant dense<1> : tensor<i32>
  %s1 = stablehlo.constant dense<3> : tensor<i32>
  %s2 = stablehlo.constant dense<3> : tensor<i32>
  %r:3 = stablehlo.custom_call @lapack_dgetrf(%s0, %s1, %s2, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xi32>, tensor<i32>)
  check.expect_almost_eq_const %r#0, dense<[[4.0, 0.0, 1.0], [0.25, 3.0, -1.25], [0.5, 0.33333333333333333, 0.41666666666666667]]> : tensor<3x3xf64>
  check.expect_eq_const %r#1, dense<[3, 2, 3]> : tensor<3xi32>
  func.return
}

// -----

// size, first and last row, leading dimension, batches, room to work in
func.func @hessenberg() {
  %a = stablehlo.constant dense<[[2.0, 1.0, 0.5], [1.0, 3.0, -1.0], [4.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s0 = stablehlo.constant dense<3> : tensor<i32>
  %s1 = stablehlo.constant dense<1> : tensor<i32>
  %s2 = stablehlo.constant dense<3> : tensor<i32>
  %s3 = stablehlo.constant dense<3> : tensor<i32>
  %s4 = stablehlo.constant dense<1> : tensor<i32>
  %s5 = stablehlo.constant dense<96> : tensor<i32>
  %r:4 = stablehlo.custom_call @lapack_dgehrd(%s0, %s1, %s2, %s3, %s4, %s5, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<2xf64>, tensor<i32>, tensor<96xf64>)
  check.expect_almost_eq_const %r#0, dense<[[2.0, -0.7276068751089992, -0.8488746876271657], [-4.123105625617661, 0.8823529411764708, 0.5294117647058831], [0.7807764064044151, -0.47058823529411764, 3.11764705882353]]> : tensor<3x3xf64>
  check.expect_almost_eq_const %r#1, dense<[1.242535625036333, 0.0]> : tensor<2xf64>
  %z = stablehlo.constant dense<0.0> : tensor<96xf64>
  check.expect_eq %r#3, %z : tensor<96xf64>
  func.return
}

// -----

func.func @tridiagonal() {
  %a = stablehlo.constant dense<[[5.25, 4.5, 8.5], [4.5, 11.0, 3.0], [8.5, 3.0, 17.0]]> : tensor<3x3xf64>
  %s0 = stablehlo.constant dense<3> : tensor<i32>
  %s1 = stablehlo.constant dense<1> : tensor<i32>
  %s2 = stablehlo.constant dense<3> : tensor<i32>
  %s3 = stablehlo.constant dense<1> : tensor<i32>
  %s4 = stablehlo.constant dense<96> : tensor<i32>
  %r:6 = stablehlo.custom_call @lapack_dsytrd(%s0, %s1, %s2, %s3, %s4, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i32>, tensor<96xf64>)
  check.expect_almost_eq_const %r#1, dense<[5.25, 18.167567567567573, 9.832432432432434]> : tensor<3xf64>
  check.expect_almost_eq_const %r#2, dense<[-9.617692030835672, -0.7945945945945917]> : tensor<2xf64>
  check.expect_almost_eq_const %r#3, dense<[1.4678877204190328, 0.0]> : tensor<2xf64>
  func.return
}

// -----

// One result, a tuple.
func.func @eigh() {
  %a = stablehlo.constant dense<[[5.25, 4.5, 8.5], [4.5, 11.0, 3.0], [8.5, 3.0, 17.0]]> : tensor<3x3xf64>
  %s0 = stablehlo.constant dense<1> : tensor<i32>
  %s1 = stablehlo.constant dense<1> : tensor<i32>
  %s2 = stablehlo.constant dense<3> : tensor<i32>
  %r = stablehlo.custom_call @lapack_dsyevd(%s0, %s1, %s2, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf64>) -> tuple<tensor<3x3xf64>, tensor<3xf64>, tensor<i32>, tensor<100xf64>, tensor<18xi32>>
  %v = stablehlo.get_tuple_element %r[0] : (tuple<tensor<3x3xf64>, tensor<3xf64>, tensor<i32>, tensor<100xf64>, tensor<18xi32>>) -> tensor<3x3xf64>
  %w = stablehlo.get_tuple_element %r[1] : (tuple<tensor<3x3xf64>, tensor<3xf64>, tensor<i32>, tensor<100xf64>, tensor<18xi32>>) -> tensor<3xf64>
  check.expect_almost_eq_const %w, dense<[0.10922748712636046, 9.81038744057023, 23.330385072303418]> : tensor<3xf64>
  %av = stablehlo.dot %a, %v : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %ww = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xf64>) -> tensor<3x3xf64>
  %vw = stablehlo.multiply %v, %ww : tensor<3x3xf64>
  check.expect_almost_eq %av, %vw : tensor<3x3xf64>
  func.return
}

// -----

func.func @qr() {
  %a = stablehlo.constant dense<[[2.0, 1.0, 0.5], [1.0, 3.0, -1.0], [4.0, 0.0, 1.0]]> : tensor<3x3xf64>
  %s0 = stablehlo.constant dense<1> : tensor<i32>
  %s1 = stablehlo.constant dense<3> : tensor<i32>
  %s2 = stablehlo.constant dense<3> : tensor<i32>
  %s3 = stablehlo.constant dense<96> : tensor<i32>
  %r = stablehlo.custom_call @lapack_dgeqrf(%s0, %s1, %s2, %s3, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf64>) -> tuple<tensor<3x3xf64>, tensor<3xf64>, tensor<i32>, tensor<96xf64>>
  %f = stablehlo.get_tuple_element %r[0] : (tuple<tensor<3x3xf64>, tensor<3xf64>, tensor<i32>, tensor<96xf64>>) -> tensor<3x3xf64>
  %tau = stablehlo.get_tuple_element %r[1] : (tuple<tensor<3x3xf64>, tensor<3xf64>, tensor<i32>, tensor<96xf64>>) -> tensor<3xf64>
  %s4 = stablehlo.constant dense<96> : tensor<i32>
  %o = stablehlo.custom_call @lapack_dorgqr(%s0, %s1, %s2, %s3, %s4, %f, %tau) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf64>, tensor<3xf64>) -> tuple<tensor<3x3xf64>, tensor<i32>, tensor<96xf64>>
  %q = stablehlo.get_tuple_element %o[0] : (tuple<tensor<3x3xf64>, tensor<i32>, tensor<96xf64>>) -> tensor<3x3xf64>
  %qa = stablehlo.dot_general %q, %a, contracting_dims = [0] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %up = stablehlo.slice %qa [0:1, 0:3] : (tensor<3x3xf64>) -> tensor<1x3xf64>
  %fu = stablehlo.slice %f [0:1, 0:3] : (tensor<3x3xf64>) -> tensor<1x3xf64>
  check.expect_almost_eq %up, %fu : tensor<1x3xf64>
  %lo = stablehlo.slice %qa [1:3, 0:1] : (tensor<3x3xf64>) -> tensor<2x1xf64>
  check.expect_almost_eq_const %lo, dense<0.0> : tensor<2x1xf64>
  func.return
}

// -----

func.func @svd() {
  %b = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %s0 = stablehlo.constant dense<1> : tensor<i32>
  %s1 = stablehlo.constant dense<1> : tensor<i32>
  %s2 = stablehlo.constant dense<1> : tensor<i32>
  %s3 = stablehlo.constant dense<3> : tensor<i32>
  %s4 = stablehlo.constant dense<2> : tensor<i32>
  %s5 = stablehlo.constant dense<300> : tensor<i32>
  %r:7 = stablehlo.custom_call @lapack_dgesdd(%s0, %s1, %s2, %s3, %s4, %s5, %b) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>, tensor<i32>, tensor<16xi32>, tensor<300xf64>)
  check.expect_almost_eq_const %r#1, dense<[9.52551809156511, 0.5143005806586441]> : tensor<2xf64>
  %u = stablehlo.slice %r#2 [0:3, 0:2] : (tensor<3x3xf64>) -> tensor<3x2xf64>
  %s = stablehlo.broadcast_in_dim %r#1, dims = [1] : (tensor<2xf64>) -> tensor<3x2xf64>
  %us = stablehlo.multiply %u, %s : tensor<3x2xf64>
  %back = stablehlo.dot %us, %r#3 : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq %back, %b : tensor<3x2xf64>
  func.return
}

// -----

func.func @eig() {
  %a = stablehlo.constant dense<[[0.0, 2.0], [-2.0, 0.0]]> : tensor<2x2xf64>
  %s0 = stablehlo.constant dense<1> : tensor<i32>
  %s1 = stablehlo.constant dense<2> : tensor<i32>
  %v = stablehlo.constant dense<86> : tensor<ui8>
  %r:8 = stablehlo.custom_call @lapack_dgeev(%s0, %s1, %v, %v, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<ui8>, tensor<ui8>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r#3, dense<0.0> : tensor<2xf64>
  %im = stablehlo.abs %r#4 : tensor<2xf64>
  check.expect_almost_eq_const %im, dense<2.0> : tensor<2xf64>
  func.return
}

// -----

func.func @schur() {
  %a = stablehlo.constant dense<[[1.0, 3.0], [0.0, 2.0]]> : tensor<2x2xf64>
  %s0 = stablehlo.constant dense<1> : tensor<i32>
  %s1 = stablehlo.constant dense<2> : tensor<i32>
  %v = stablehlo.constant dense<86> : tensor<ui8>
  %n = stablehlo.constant dense<78> : tensor<ui8>
  %r:6 = stablehlo.custom_call @lapack_dgees(%s0, %s1, %v, %n, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<ui8>, tensor<ui8>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<i32>, tensor<i32>)
  check.expect_almost_eq_const %r#1, dense<[1.0, 2.0]> : tensor<2xf64>
  check.expect_almost_eq_const %r#2, dense<0.0> : tensor<2xf64>
  %zt = stablehlo.dot %r#3, %r#0 : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %back = stablehlo.dot_general %zt, %r#3, contracting_dims = [1] x [1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq %back, %a : tensor<2x2xf64>
  func.return
}

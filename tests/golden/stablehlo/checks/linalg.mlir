// Custom calls of linear algebra. What is unique is compared; factors are multiplied back.
func.func @cholesky() {
  %a = stablehlo.constant dense<[[4.0, 9.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %l:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  check.expect_eq_const %l#0, dense<[[2.0, 9.0], [1.0, 2.0]]> : tensor<2x2xf32>
  check.expect_eq_const %l#1, dense<0> : tensor<i32>
  %n = stablehlo.constant dense<[[1.0, 0.0], [2.0, 1.0]]> : tensor<2x2xf32>
  %m:2 = stablehlo.custom_call @lapack_spotrf_ffi(%n) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  check.expect_eq_const %m#1, dense<2> : tensor<i32>
  func.return
}

// -----

func.func @lu() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [4.0, 4.0], [2.0, 6.0]]> : tensor<3x2xf64>
  %l:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xi32>, tensor<i32>)
  check.expect_eq_const %l#0, dense<[[4.0, 4.0], [0.5, 4.0], [0.25, 0.25]]> : tensor<3x2xf64>
  check.expect_eq_const %l#1, dense<[2, 3]> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<2xi32>
  %z = stablehlo.subtract %l#1, %one : tensor<2xi32>
  %p = stablehlo.custom_call @cu_lu_pivots_to_permutation(%z) {mhlo.backend_config = {}} : (tensor<2xi32>) -> tensor<3xi32>
  check.expect_eq_const %p, dense<[1, 2, 0]> : tensor<3xi32>
  func.return
}

// -----

// A batch; the first column's reflector makes a negative diagonal.
func.func @qr() {
  %a = stablehlo.constant dense<[[[3.0, 1.0], [4.0, 2.0]], [[0.0, 1.0], [2.0, 0.0]]]> : tensor<2x2x2xf64>
  %f:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2x2xf64>)
  %d = stablehlo.slice %f#0 [0:2, 0:1, 0:1] : (tensor<2x2x2xf64>) -> tensor<2x1x1xf64>
  check.expect_almost_eq_const %d, dense<[[[-5.0]], [[-2.0]]]> : tensor<2x1x1xf64>
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%f#0, %f#1) {mhlo.backend_config = {}} : (tensor<2x2x2xf64>, tensor<2x2xf64>) -> tensor<2x2x2xf64>
  %qa = stablehlo.dot_general %q, %a, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x2x2xf64>, tensor<2x2x2xf64>) -> tensor<2x2x2xf64>
  %u = stablehlo.slice %qa [0:2, 0:1, 0:2] : (tensor<2x2x2xf64>) -> tensor<2x1x2xf64>
  %v = stablehlo.slice %f#0 [0:2, 0:1, 0:2] : (tensor<2x2x2xf64>) -> tensor<2x1x2xf64>
  check.expect_almost_eq %u, %v : tensor<2x1x2xf64>
  %low = stablehlo.slice %qa [0:2, 1:2, 0:1] : (tensor<2x2x2xf64>) -> tensor<2x1x1xf64>
  check.expect_almost_eq_const %low, dense<0.0> : tensor<2x1x1xf64>
  func.return
}

// -----

// A v = v diag(w), ascending; only the named triangle is read.
func.func @eigh() {
  %a = stablehlo.constant dense<[[(2.0, 0.0), (9.0, 9.0), (9.0, 9.0)], [(0.0, 1.0), (3.0, 0.0), (9.0, 9.0)], [(1.0, -1.0), (0.5, 0.0), (-1.0, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %h = stablehlo.constant dense<[[(2.0, 0.0), (0.0, -1.0), (1.0, 1.0)], [(0.0, 1.0), (3.0, 0.0), (0.5, 0.0)], [(1.0, -1.0), (0.5, 0.0), (-1.0, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %r:3 = stablehlo.custom_call @lapack_zheevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<3xf64>, tensor<i32>)
  %l = stablehlo.dot_general %h, %r#0, contracting_dims = [1] x [0] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %w = stablehlo.convert %r#1 : (tensor<3xf64>) -> tensor<3xcomplex<f64>>
  %b = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %vw = stablehlo.multiply %r#0, %b : tensor<3x3xcomplex<f64>>
  check.expect_almost_eq %l, %vw : tensor<3x3xcomplex<f64>>
  %c = chlo.conj %r#0 : tensor<3x3xcomplex<f64>> -> tensor<3x3xcomplex<f64>>
  %i = stablehlo.dot_general %c, %r#0, contracting_dims = [0] x [0] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  check.expect_almost_eq_const %i, dense<[[(1.0, 0.0), (0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (1.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0), (1.0, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %lo = stablehlo.slice %r#1 [0:2] : (tensor<3xf64>) -> tensor<2xf64>
  %hi = stablehlo.slice %r#1 [1:3] : (tensor<3xf64>) -> tensor<2xf64>
  %o = stablehlo.compare LE, %lo, %hi : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
  check.expect_eq_const %o, dense<true> : tensor<2xi1>
  func.return
}

// -----

// Full factors of a wide matrix of rank one: u diag(s) vt = a, both unitary.
func.func @svd() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 2.0], [2.0, 4.0, 4.0]]> : tensor<2x3xf64>
  %r:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r#1, dense<[6.7082039324993694, 0.0]> : tensor<2xf64>
  %s = stablehlo.broadcast_in_dim %r#1, dims = [1] : (tensor<2xf64>) -> tensor<2x2xf64>
  %us = stablehlo.multiply %r#2, %s : tensor<2x2xf64>
  %v = stablehlo.slice %r#3 [0:2, 0:3] : (tensor<3x3xf64>) -> tensor<2x3xf64>
  %b = stablehlo.dot_general %us, %v, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq %b, %a : tensor<2x3xf64>
  %uu = stablehlo.dot_general %r#2, %r#2, contracting_dims = [0] x [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %uu, dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %vv = stablehlo.dot_general %r#3, %r#3, contracting_dims = [1] x [1] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  check.expect_almost_eq_const %vv, dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
  func.return
}

// -----

// A rotation: eigenvalues +i and -i. A v = v diag(w), and u^H A = diag(w) u^H.
func.func @eig() {
  %a = stablehlo.constant dense<[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 3.0]]> : tensor<3x3xf64>
  %r:5 = stablehlo.custom_call @lapack_dgeev_ffi(%a) {mhlo.backend_config = {compute_left = 86 : ui8, compute_right = 86 : ui8}} : (tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>, tensor<i32>)
  %w = stablehlo.complex %r#0, %r#1 : tensor<3xcomplex<f64>>
  %c = stablehlo.convert %a : (tensor<3x3xf64>) -> tensor<3x3xcomplex<f64>>
  %av = stablehlo.dot_general %c, %r#3, contracting_dims = [1] x [0] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %b = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %vw = stablehlo.multiply %r#3, %b : tensor<3x3xcomplex<f64>>
  check.expect_almost_eq %av, %vw : tensor<3x3xcomplex<f64>>
  %u = chlo.conj %r#2 : tensor<3x3xcomplex<f64>> -> tensor<3x3xcomplex<f64>>
  %ua = stablehlo.dot_general %u, %c, contracting_dims = [0] x [0] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %d = stablehlo.broadcast_in_dim %w, dims = [0] : (tensor<3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %ut = stablehlo.transpose %u, dims = [1, 0] : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %wu = stablehlo.multiply %ut, %d : tensor<3x3xcomplex<f64>>
  check.expect_almost_eq %ua, %wu : tensor<3x3xcomplex<f64>>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %im = stablehlo.abs %r#1 : tensor<3xf64>
  %sum = stablehlo.reduce(%im init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %sum, dense<2.0> : tensor<f64>
  func.return
}

// -----

func.func @solves() {
  %a = stablehlo.constant dense<[[2.0, 7.0], [1.0, 4.0]]> : tensor<2x2xf64>
  %b = stablehlo.constant dense<[[2.0], [9.0]]> : tensor<2x1xf64>
  %x = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  check.expect_eq_const %x, dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %y = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  check.expect_eq_const %y, dense<[[2.0], [-5.0]]> : tensor<2x1xf64>
  %dl = stablehlo.constant dense<[0.0, 4.0, 1.0]> : tensor<3xf64>
  %d = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %du = stablehlo.constant dense<[2.0, 1.0, 0.0]> : tensor<3xf64>
  %c = stablehlo.constant dense<[[5.0], [11.0], [11.0]]> : tensor<3x1xf64>
  %t = stablehlo.custom_call @cusparse_gtsv2_ffi(%dl, %d, %du, %c) {mhlo.backend_config = {}} : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  check.expect_almost_eq_const %t, dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf64>
  func.return
}

// -----

// The real Schur form of a matrix with conjugate eigenvalues: z t z^T is the matrix, z is orthogonal, and below the first
// subdiagonal there is nothing; the diagonal, that of blocks of two included, holds the real parts that are given.
func.func @real_schur() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 0.5, -1.0, 3.0], [-4.0, 1.5, 2.0, 0.0, 1.0], [0.25, -1.0, 2.0, 5.0, 0.5], [3.0, 0.0, -6.0, 1.0, 2.0], [1.0, -2.0, 0.5, 1.0, -3.0]]> : tensor<5x5xf64>
  %r:6 = stablehlo.custom_call @lapack_dgees_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<5x5xf64>) -> (tensor<5x5xf64>, tensor<5x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<i32>, tensor<i32>)
  %zt = stablehlo.dot_general %r#1, %r#0, contracting_dims = [1] x [0] : (tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x5xf64>
  %back = stablehlo.dot_general %zt, %r#1, contracting_dims = [1] x [1] : (tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x5xf64>
  check.expect_almost_eq %back, %a : tensor<5x5xf64>
  %i = stablehlo.iota dim = 0 : tensor<5x5xi32>
  %j = stablehlo.iota dim = 1 : tensor<5x5xi32>
  %same = stablehlo.compare EQ, %i, %j : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
  %one = stablehlo.convert %same : (tensor<5x5xi1>) -> tensor<5x5xf64>
  %zz = stablehlo.dot_general %r#1, %r#1, contracting_dims = [0] x [0] : (tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x5xf64>
  check.expect_almost_eq %zz, %one : tensor<5x5xf64>
  %c1 = stablehlo.constant dense<1> : tensor<5x5xi32>
  %j1 = stablehlo.add %j, %c1 : tensor<5x5xi32>
  %below = stablehlo.compare GT, %i, %j1 : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
  %none = stablehlo.constant dense<0.0> : tensor<5x5xf64>
  %low = stablehlo.select %below, %r#0, %none : tensor<5x5xi1>, tensor<5x5xf64>
  check.expect_eq %low, %none : tensor<5x5xf64>
  %diag = stablehlo.multiply %r#0, %one : tensor<5x5xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %d = stablehlo.reduce(%diag init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x5xf64>, tensor<f64>) -> tensor<5xf64>
  check.expect_almost_eq %d, %r#2 : tensor<5xf64>
  %turn = stablehlo.constant dense<[[0.0, -2.0], [2.0, 0.0]]> : tensor<2x2xf64>
  %s:6 = stablehlo.custom_call @lapack_dgees_ffi(%turn) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i32>, tensor<i32>)
  check.expect_almost_eq_const %s#2, dense<0.0> : tensor<2xf64>
  check.expect_almost_eq_const %s#3, dense<[2.0, -2.0]> : tensor<2xf64>
  func.return
}

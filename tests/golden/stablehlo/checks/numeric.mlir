// Batch norm: training, inference and the gradient (values by NumPy).
func.func @batch_norm() {
  %x = stablehlo.constant dense<[[[2.04, -2.56], [0.42, -0.57], [-0.45, -0.22]], [[-2.02, -0.23], [-0.87, 3.32], [0.23, -0.35]]]> : tensor<2x3x2xf64>
  %s = stablehlo.constant dense<[1.0, 2.0, 0.5]> : tensor<3xf64>
  %o = stablehlo.constant dense<[0.1, -0.2, 0.3]> : tensor<3xf64>
  %t:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %t#0, dense<[[[1.619564437221393, -0.9385312301961396], [-0.38725990974552904, -1.5833070752169727], [-0.18213456802288908, 0.25703751374053463]], [[-0.6382330431514728, 0.3571998361262193], [-1.9457456102083188, 3.116312595170821], [1.116287238929842, 0.008809815352512573]]]> : tensor<2x3x2xf64>
  check.expect_almost_eq_const %t#1, dense<[-0.6925, 0.575, -0.1975]> : tensor<3xf64>
  check.expect_almost_eq_const %t#2, dense<[3.2325687500000004, 2.7395250000000004, 0.06756875]> : tensor<3xf64>
  %i = "stablehlo.batch_norm_inference"(%x, %s, %o, %t#1, %t#2) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x2xf64>
  check.expect_almost_eq %i, %t#0 : tensor<2x3x2xf64>
  %g = stablehlo.constant dense<[[[-0.28, -0.67], [-1.06, -0.39], [0.48, -0.24]], [[0.96, -0.2], [0.02, 1.55], [0.55, -0.51]]]> : tensor<2x3x2xf64>
  %d:3 = "stablehlo.batch_norm_grad"(%x, %s, %t#1, %t#2, %g) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x3x2xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %d#0, dense<[[[-0.02581848625326411, -0.41689710891599224], [-1.234237154860035, 0.1029290811525015], [1.1293443931583025, -0.5610538083461964]], [[0.5100076956885797, -0.06729210051932336], [0.7581769500442697, 0.37313112366326384], [0.32993121796850555, -0.8982218027806116]]]> : tensor<2x3x2xf64>
  check.expect_almost_eq_const %d#1, dense<[-0.4898058068412342, 2.9216774369877436, 0.7527027592658333]> : tensor<3xf64>
  check.expect_almost_eq_const %d#2, dense<[-0.19000000000000006, 0.11999999999999988, 0.28]> : tensor<3xf64>
  func.return
}

// -----

// Transforms of all kinds, over one and two dimensions (values by NumPy).
func.func @fft() {
  %c = stablehlo.constant dense<[[(-0.18, -2.83), (0.54, 1.02), (1.94, -0.96), (-0.27, -1.67), (-0.24, 0.28), (1.0, 0.7)], [(-0.89, -0.44), (-0.29, -1.08), (0.88, 0.03), (0.58, -0.05), (0.09, 1.41), (0.67, 0.75)]]> : tensor<2x6xcomplex<f64>>
  %f = stablehlo.fft %c, type = FFT, length = [6] : (tensor<2x6xcomplex<f64>>) -> tensor<2x6xcomplex<f64>>
  check.expect_almost_eq_const %f, dense<[[(2.79, -3.46), (-0.7867433714816832, -1.4495636945092345), (-0.7190003700962759, -2.733692934009082), (0.24999999999999978, -3.5599999999999996), (-3.420999629903725, -7.306307065990917), (0.8067433714816834, 1.5295636945092337)], [(1.04, 0.6199999999999999), (-4.544941546148048, -1.1277756813566455), (-1.3747114317029976, 0.47054445662276767), (-0.8800000000000001, 1.3800000000000001), (-0.5952885682970026, -2.5605444566227673), (1.0149415461480482, -1.4222243186433545)]]> : tensor<2x6xcomplex<f64>>
  %i = stablehlo.fft %f, type = IFFT, length = [6] : (tensor<2x6xcomplex<f64>>) -> tensor<2x6xcomplex<f64>>
  check.expect_almost_eq %i, %c : tensor<2x6xcomplex<f64>>
  %r = stablehlo.constant dense<[[-0.18, 0.54, 1.94, -0.27, -0.24, 1.0], [-0.89, -0.29, 0.88, 0.58, 0.09, 0.67]]> : tensor<2x6xf64>
  %h = stablehlo.fft %r, type = RFFT, length = [2, 6] : (tensor<2x6xf64>) -> tensor<2x4xcomplex<f64>>
  check.expect_almost_eq_const %h, dense<[[(3.83, 0.0), (-1.755, -1.3423393758658793), (-3.0550000000000006, 3.8018515226136853), (-0.63, 0.0)], [(1.75, 0.0), (1.775, -1.636788013152589), (-1.0850000000000002, 0.7707626093681497), (1.13, 0.0)]]> : tensor<2x4xcomplex<f64>>
  %b = stablehlo.fft %h, type = IRFFT, length = [2, 6] : (tensor<2x4xcomplex<f64>>) -> tensor<2x6xf64>
  check.expect_almost_eq %b, %r : tensor<2x6xf64>
  func.return
}

// -----

func.func @factors() {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  check.expect_eq_const %l, dense<[[2.0, 0.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0], [5.0]]> : tensor<2x1xf32>
  %x = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_eq_const %x, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %y = "stablehlo.triangular_solve"(%l, %x) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_eq_const %y, dense<[[0.0], [1.0]]> : tensor<2x1xf32>
  func.return
}

// -----

// Windows: the largest gets what is scattered; gaps and negative padding.
func.func @windows() {
  %x = stablehlo.constant dense<[[1.0, 5.0, 2.0, 6.0]]> : tensor<1x4xf32>
  %s = stablehlo.constant dense<[[10.0, 20.0]]> : tensor<1x2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1x4xf32>, tensor<1x2xf32>, tensor<f32>) -> tensor<1x4xf32>
  check.expect_eq_const %r, dense<[[0.0, 10.0, 0.0, 20.0]]> : tensor<1x4xf32>
  %w = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 1, 3>, padding = dense<[[0, 0], [-1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  check.expect_eq_const %w, dense<[[2.0, 5.0, 6.0, 2.0]]> : tensor<1x4xf32>
  func.return
}

// -----

// Sizes at run time.
func.func @dynamic() {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %start = stablehlo.constant dense<[1]> : tensor<1xi32>
  %limit = stablehlo.constant dense<[6]> : tensor<1xi32>
  %step = stablehlo.constant dense<[2]> : tensor<1xi32>
  %s = stablehlo.real_dynamic_slice %x, %start, %limit, %step : (tensor<6xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %n = stablehlo.get_dimension_size %s, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  check.expect_eq_const %n, dense<3> : tensor<i32>
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %s, %shape, dims = [1] : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x?xi32>
  %f = stablehlo.constant dense<[6]> : tensor<1xi32>
  %r = stablehlo.dynamic_reshape %b, %f : (tensor<?x?xi32>, tensor<1xi32>) -> tensor<?xi32>
  %i = stablehlo.dynamic_iota %f, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %a = stablehlo.add %r, %i : tensor<?xi32>
  %low = stablehlo.constant dense<[1]> : tensor<1xi32>
  %none = stablehlo.constant dense<[0]> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.dynamic_pad %a, %zero, %low, %none, %none : (tensor<?xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %want = stablehlo.constant dense<[0, 2, 5, 8, 5, 8, 11]> : tensor<7xi32>
  %seven = stablehlo.constant dense<[7]> : tensor<1xi32>
  %all = stablehlo.dynamic_reshape %p, %seven : (tensor<?xi32>, tensor<1xi32>) -> tensor<7xi32>
  check.expect_eq %all, %want : tensor<7xi32>
  func.return
}

// -----

// A slice that leaves its operand is moved inside.
func.func @moved(%x: tensor<5xi32>, %i: tensor<i32>) -> tensor<?xi32> {
  %start = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<[2]> : tensor<1xi32>
  %one = stablehlo.constant dense<[1]> : tensor<1xi32>
  %limit = stablehlo.add %start, %two : tensor<1xi32>
  %s = stablehlo.real_dynamic_slice %x, %start, %limit, %one : (tensor<5xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  func.return %s : tensor<?xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %i = stablehlo.constant dense<4> : tensor<i32>
  %s = func.call @moved(%x, %i) : (tensor<5xi32>, tensor<i32>) -> tensor<?xi32>
  %two = stablehlo.constant dense<[2]> : tensor<1xi32>
  %r = stablehlo.dynamic_reshape %s, %two : (tensor<?xi32>, tensor<1xi32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[4, 5]> : tensor<2xi32>
  func.return
}

// -----

// A body of a wider type than what it reduces.
func.func @promotion() {
  %x = stablehlo.constant dense<[[127, 127], [127, 1]]> : tensor<2x2xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x2xi8>, tensor<i8>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[254, 128]> : tensor<2xi32>
  %w = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x2xi8>, tensor<i8>) -> tensor<2x1xi32>
  check.expect_eq_const %w, dense<[[254], [128]]> : tensor<2x1xi32>
  func.return
}

// -----

// Bounded sizes: what is behind the size is not there.
func.func @bounded() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %b = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  %c = stablehlo.add %b, %b : tensor<?xf32, #stablehlo.bounds<4>>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %s, dense<12.0> : tensor<f32>
  %m = stablehlo.get_dimension_size %c, dim = 0 : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<i32>
  check.expect_eq_const %m, dense<3> : tensor<i32>
  func.return
}

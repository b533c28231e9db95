# numbers of numpy.fft.irfftn: 2-d even
# run: opt -q %s -o %t/a.onnx && hone run --print 1 %s && hone run --print 1 %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<1xf64>) -> tensor<i1> {
  %o = stablehlo.constant dense<0.0> : tensor<1xf64>
  %x0 = stablehlo.multiply %x, %o : tensor<1xf64>
  %x1 = stablehlo.broadcast_in_dim %x0, dims = [0] : (tensor<1xf64>) -> tensor<1xf64>
  %x2 = stablehlo.reshape %x1 : (tensor<1xf64>) -> tensor<f64>
  %x3 = stablehlo.broadcast_in_dim %x2, dims = [] : (tensor<f64>) -> tensor<2x3x3xf64>
  %re = stablehlo.constant dense<[[[-0.802, -1.324, -0.248], [0.42, 1.136, 0.11], [-0.553, -0.785, 0.749]], [[1.635, 0.273, -1.233], [-0.958, 1.6, 0.203], [-1.732, -0.084, -1.163]]]> : tensor<2x3x3xf64>
  %im = stablehlo.constant dense<[[[-0.629, -0.488, -0.713], [0.553, -0.063, -0.589], [0.41, 0.83, -1.643]], [[-0.257, -0.981, -0.173], [-1.289, 0.021, -0.038], [-0.304, -1.048, -0.396]]]> : tensor<2x3x3xf64>
  %re1 = stablehlo.add %re, %x3 : tensor<2x3x3xf64>
  %c = stablehlo.complex %re1, %im : tensor<2x3x3xcomplex<f64>>
  %y = stablehlo.fft %c, type = IRFFT, length = [3, 4] : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x4xf64>
  %w = stablehlo.constant dense<[[[-0.18916666666666668, -0.1753333333333333, 0.13516666666666668, -0.08233333333333334], [-0.3251592530975805, -0.07111003820768247, -0.08311281495741502, 0.19293489534895303], [-0.41017408023575286, 0.35194337154101574, 0.3474461482907484, -0.4931015620156197]], [[0.027500000000000024, 0.4295, -0.5688333333333333, -0.23983333333333334], [-0.0042970320931905726, 0.24285821311137593, 0.465963353455331, 0.5731538064357076], [0.21379703209319054, 0.535141786888624, 0.06686997987800228, -0.10682047310237419]]]> : tensor<2x3x4xf64>
  %d = stablehlo.subtract %y, %w : tensor<2x3x4xf64>
  %a = stablehlo.abs %d : tensor<2x3x4xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<f64>
  %t = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %ok = stablehlo.compare LT, %m, %t : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %ok : tensor<i1>
}
---
ok bool[] 1
ok bool[] 1
====
# numbers of numpy.fft.irfftn: 2-d odd
# run: opt -q %s -o %t/a.onnx && hone run --print 1 %s && hone run --print 1 %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<1xf64>) -> tensor<i1> {
  %o = stablehlo.constant dense<0.0> : tensor<1xf64>
  %x0 = stablehlo.multiply %x, %o : tensor<1xf64>
  %x1 = stablehlo.broadcast_in_dim %x0, dims = [0] : (tensor<1xf64>) -> tensor<1xf64>
  %x2 = stablehlo.reshape %x1 : (tensor<1xf64>) -> tensor<f64>
  %x3 = stablehlo.broadcast_in_dim %x2, dims = [] : (tensor<f64>) -> tensor<4x3xf64>
  %re = stablehlo.constant dense<[[-1.091, -1.355, 0.225], [-1.109, 1.17, 0.717], [-1.998, 0.272, -1.102], [0.033, 0.044, -1.988]]> : tensor<4x3xf64>
  %im = stablehlo.constant dense<[[-0.233, -0.256, 0.962], [-1.181, 0.738, -1.099], [-0.331, -0.84, 1.449], [0.568, 2.432, 0.642]]> : tensor<4x3xf64>
  %re1 = stablehlo.add %re, %x3 : tensor<4x3xf64>
  %c = stablehlo.complex %re1, %im : tensor<4x3xcomplex<f64>>
  %y = stablehlo.fft %c, type = IRFFT, length = [4, 5] : (tensor<4x3xcomplex<f64>>) -> tensor<4x5xf64>
  %w = stablehlo.constant dense<[[-0.40995000000000004, -0.34252738675951355, -0.2212951910594364, -0.34915475497666465, 0.28167733279561463], [0.44630000000000014, -0.40633743325686356, 0.33261905718417395, 0.11175294283966966, 0.17966543323302006], [-0.29095, 0.03363742630773286, 0.6208686706877174, -0.4261557243151208, -0.4406503726803296], [-0.41559999999999997, 0.1279370754501575, -0.05793803906236379, 0.4855005195919582, -0.3503995559797519]]> : tensor<4x5xf64>
  %d = stablehlo.subtract %y, %w : tensor<4x5xf64>
  %a = stablehlo.abs %d : tensor<4x5xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x5xf64>, tensor<f64>) -> tensor<f64>
  %t = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %ok = stablehlo.compare LT, %m, %t : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %ok : tensor<i1>
}
---
ok bool[] 1
ok bool[] 1
====
# numbers of numpy.fft.irfftn: 3-d even
# run: opt -q %s -o %t/a.onnx && hone run --print 1 %s && hone run --print 1 %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<1xf64>) -> tensor<i1> {
  %o = stablehlo.constant dense<0.0> : tensor<1xf64>
  %x0 = stablehlo.multiply %x, %o : tensor<1xf64>
  %x1 = stablehlo.broadcast_in_dim %x0, dims = [0] : (tensor<1xf64>) -> tensor<1xf64>
  %x2 = stablehlo.reshape %x1 : (tensor<1xf64>) -> tensor<f64>
  %x3 = stablehlo.broadcast_in_dim %x2, dims = [] : (tensor<f64>) -> tensor<2x3x4xf64>
  %re = stablehlo.constant dense<[[[0.845, 0.841, -0.607, -0.07], [1.35, -0.397, 0.189, -0.021], [0.609, -0.365, -0.152, 0.242]], [[0.103, -0.865, 0.896, -1.298], [-1.201, -1.282, 0.967, -0.361], [-0.971, -1.136, 0.421, -1.055]]]> : tensor<2x3x4xf64>
  %im = stablehlo.constant dense<[[[-1.272, 0.614, -1.197, -0.322], [-0.007, -0.445, -0.054, 1.339], [-0.517, -1.259, -1.837, -0.205]], [[-0.352, 0.265, -0.464, -0.479], [-0.721, -0.52, 0.16, -0.38], [0.1, 1.901, 0.479, -1.576]]]> : tensor<2x3x4xf64>
  %re1 = stablehlo.add %re, %x3 : tensor<2x3x4xf64>
  %c = stablehlo.complex %re1, %im : tensor<2x3x4xcomplex<f64>>
  %y = stablehlo.fft %c, type = IRFFT, length = [2, 3, 6] : (tensor<2x3x4xcomplex<f64>>) -> tensor<2x3x6xf64>
  %w = stablehlo.constant dense<[[[-0.13355555555555554, 0.068401215373329, -0.1762912292071232, 0.36483333333333323, 0.15751345142934542, -0.15840121537332896], [0.019808543324720762, 0.22342447895907513, -0.1412024663789661, -0.13419123675271385, -0.030237385761788072, 0.28303705003916557], [0.1229136788975014, -0.012037050039165623, -0.10620705868265634, 0.014524570086047248, 0.18225802193452167, -0.07059114562574179]], [[0.24316666666666667, 0.5170714665168248, 0.17547803401142228, -0.28955555555555557, 0.2261886326552444, -0.060182577627935954], [-0.31975032813747695, -0.16447596907086237, -0.017494504051289234, -0.11202470574846014, 0.1399067777759268, 0.061142093825980584], [0.27458366147081026, -0.0702532049370917, -0.16690677777592677, -0.17375307202931758, -0.06267216261537743, 0.1705315246264179]]]> : tensor<2x3x6xf64>
  %d = stablehlo.subtract %y, %w : tensor<2x3x6xf64>
  %a = stablehlo.abs %d : tensor<2x3x6xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<2x3x6xf64>, tensor<f64>) -> tensor<f64>
  %t = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %ok = stablehlo.compare LT, %m, %t : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %ok : tensor<i1>
}
---
ok bool[] 1
ok bool[] 1
====
# numbers of numpy.fft.irfftn: 3-d odd
# run: opt -q %s -o %t/a.onnx && hone run --print 1 %s && hone run --print 1 %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<1xf64>) -> tensor<i1> {
  %o = stablehlo.constant dense<0.0> : tensor<1xf64>
  %x0 = stablehlo.multiply %x, %o : tensor<1xf64>
  %x1 = stablehlo.broadcast_in_dim %x0, dims = [0] : (tensor<1xf64>) -> tensor<1xf64>
  %x2 = stablehlo.reshape %x1 : (tensor<1xf64>) -> tensor<f64>
  %x3 = stablehlo.broadcast_in_dim %x2, dims = [] : (tensor<f64>) -> tensor<2x2x3x2xf64>
  %re = stablehlo.constant dense<[[[[1.734, 0.348], [-0.941, 0.907], [0.018, -0.615]], [[-0.634, -0.993], [0.048, 1.069], [-0.325, 0.421]]], [[[1.876, -1.215], [0.258, -0.306], [-1.059, -1.026]], [[-0.015, 0.434], [-0.532, 0.054], [0.722, 0.297]]]]> : tensor<2x2x3x2xf64>
  %im = stablehlo.constant dense<[[[[0.869, 0.461], [0.488, 1.827], [0.623, 0.129]], [[0.71, -0.919], [-0.338, 0.793], [0.631, 1.548]]], [[[0.01, -1.462], [1.947, 1.093], [-1.059, 1.376]], [[0.032, -1.814], [-0.42, -0.509], [1.591, -0.792]]]]> : tensor<2x2x3x2xf64>
  %re1 = stablehlo.add %re, %x3 : tensor<2x2x3x2xf64>
  %c = stablehlo.complex %re1, %im : tensor<2x2x3x2xcomplex<f64>>
  %y = stablehlo.fft %c, type = IRFFT, length = [2, 3, 3] : (tensor<2x2x3x2xcomplex<f64>>) -> tensor<2x2x3x3xf64>
  %w = stablehlo.constant dense<[[[[0.12077777777777778, -0.43813016945871774, 0.3006857250142734], [-0.11384621476441283, 0.3482413573041681, 0.20828686508991479], [-0.0385982296800316, 0.5129353571323074, -0.3503524684152791]], [[0.11155555555555555, -0.008021697418390705, 0.18346614186283516], [0.08888967679318457, -0.10453082034305851, 0.3437636124238369], [0.6412214343179264, -0.11465250131272586, 0.042308598120836316]]], [[[-0.12633333333333335, 0.3701757279086218, -0.03550906124195519], [0.04021137351302685, 0.4203067133583527, -0.2430506329989656], [0.13595529315363977, 0.5955506329989656, -0.2268067133583527]], [[-0.3202222222222222, -0.16152852382216176, 0.6317507460443839], [-0.14405603853903018, -0.02390477451807952, -0.15843076207397827], [0.22977826076125232, 0.6738196509628671, 0.21829366340696837]]]]> : tensor<2x2x3x3xf64>
  %d = stablehlo.subtract %y, %w : tensor<2x2x3x3xf64>
  %a = stablehlo.abs %d : tensor<2x2x3x3xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0, 1, 2, 3] : (tensor<2x2x3x3xf64>, tensor<f64>) -> tensor<f64>
  %t = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %ok = stablehlo.compare LT, %m, %t : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %ok : tensor<i1>
}
---
ok bool[] 1
ok bool[] 1
====
# numbers of numpy.fft.irfftn: 2-d, last size 1
# run: opt -q %s -o %t/a.onnx && hone run --print 1 %s && hone run --print 1 %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<1xf64>) -> tensor<i1> {
  %o = stablehlo.constant dense<0.0> : tensor<1xf64>
  %x0 = stablehlo.multiply %x, %o : tensor<1xf64>
  %x1 = stablehlo.broadcast_in_dim %x0, dims = [0] : (tensor<1xf64>) -> tensor<1xf64>
  %x2 = stablehlo.reshape %x1 : (tensor<1xf64>) -> tensor<f64>
  %x3 = stablehlo.broadcast_in_dim %x2, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
  %re = stablehlo.constant dense<[[-0.254], [-0.277], [-0.379]]> : tensor<3x1xf64>
  %im = stablehlo.constant dense<[[-0.914], [0.219], [1.077]]> : tensor<3x1xf64>
  %re1 = stablehlo.add %re, %x3 : tensor<3x1xf64>
  %c = stablehlo.complex %re1, %im : tensor<3x1xcomplex<f64>>
  %y = stablehlo.fft %c, type = IRFFT, length = [3, 1] : (tensor<3x1xcomplex<f64>>) -> tensor<3x1xf64>
  %w = stablehlo.constant dense<[[-0.30333333333333334], [0.27234993214901604], [-0.22301659881568275]]> : tensor<3x1xf64>
  %d = stablehlo.subtract %y, %w : tensor<3x1xf64>
  %a = stablehlo.abs %d : tensor<3x1xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<3x1xf64>, tensor<f64>) -> tensor<f64>
  %t = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %ok = stablehlo.compare LT, %m, %t : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %ok : tensor<i1>
}
---
ok bool[] 1
ok bool[] 1
====
# numbers of numpy.fft.irfftn: 3-d, last size 2
# run: opt -q %s -o %t/a.onnx && hone run --print 1 %s && hone run --print 1 %t/a.onnx
# file: input.mlir
---
func.func @main(%x: tensor<1xf64>) -> tensor<i1> {
  %o = stablehlo.constant dense<0.0> : tensor<1xf64>
  %x0 = stablehlo.multiply %x, %o : tensor<1xf64>
  %x1 = stablehlo.broadcast_in_dim %x0, dims = [0] : (tensor<1xf64>) -> tensor<1xf64>
  %x2 = stablehlo.reshape %x1 : (tensor<1xf64>) -> tensor<f64>
  %x3 = stablehlo.broadcast_in_dim %x2, dims = [] : (tensor<f64>) -> tensor<3x2x2xf64>
  %re = stablehlo.constant dense<[[[0.624, -0.927], [-1.15, 0.119]], [[-0.707, -0.63], [-1.68, 1.95]], [[0.917, -0.974], [0.908, 1.342]]]> : tensor<3x2x2xf64>
  %im = stablehlo.constant dense<[[[-2.39, -0.549], [-0.388, 0.648]], [[-0.121, -0.23], [-0.058, 1.853]], [[2.16, -0.525], [-0.926, 2.693]]]> : tensor<3x2x2xf64>
  %re1 = stablehlo.add %re, %x3 : tensor<3x2x2xf64>
  %c = stablehlo.complex %re1, %im : tensor<3x2x2xcomplex<f64>>
  %y = stablehlo.fft %c, type = IRFFT, length = [3, 2, 2] : (tensor<3x2x2xcomplex<f64>>) -> tensor<3x2x2xf64>
  %w = stablehlo.constant dense<[[[-0.01733333333333334, -0.1639999999999999], [-0.2655, 0.7248333333333332]], [[-0.016776854949172443, 0.17989250420707434], [0.3690979302684882, 0.2992544024843779]], [[-0.29938981171749424, 0.05460749579292558], [0.07840206973151172, -0.31908773581771127]]]> : tensor<3x2x2xf64>
  %d = stablehlo.subtract %y, %w : tensor<3x2x2xf64>
  %a = stablehlo.abs %d : tensor<3x2x2xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<3x2x2xf64>, tensor<f64>) -> tensor<f64>
  %t = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %ok = stablehlo.compare LT, %m, %t : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %ok : tensor<i1>
}
---
ok bool[] 1
ok bool[] 1

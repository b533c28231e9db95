# decompose-resize
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-resize -o -
# file: input.mlir
# stderr: decompose-resize 
---
func.func @main(%x: tensor<1x2x3xf32>) -> (tensor<1x2x6xf32>) {
  %s = core.constant() {value = dense<[1.0, 1.0, 2.0]> : tensor<3xf32>}
  %y = core.resize(%x, _, %s) {mode = "linear"}
  return %y : tensor<1x2x6xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x3xf32>) -> (tensor<1x2x6xf32>) {
    %0 = core.constant() {value = dense<[0, 0, 0, 1, 1, 2]> : tensor<6xi64>} : () -> tensor<6xi64>
    %1 = core.gather(%x, %0) {axis = 2} : (tensor<1x2x3xf32>, tensor<6xi64>) -> tensor<1x2x6xf32>
    %2 = core.constant() {value = dense<[[[0.25, 0.75, 0.25, 0.75, 0.25, 0.75]]]> : tensor<1x1x6xf32>} : () -> tensor<1x1x6xf32>
    %3 = core.mul(%1, %2) : (tensor<1x2x6xf32>, tensor<1x1x6xf32>) -> tensor<1x2x6xf32>
    %4 = core.constant() {value = dense<[0, 1, 1, 2, 2, 2]> : tensor<6xi64>} : () -> tensor<6xi64>
    %5 = core.gather(%x, %4) {axis = 2} : (tensor<1x2x3xf32>, tensor<6xi64>) -> tensor<1x2x6xf32>
    %6 = core.constant() {value = dense<[[[0.75, 0.25, 0.75, 0.25, 0.75, 0.25]]]> : tensor<1x1x6xf32>} : () -> tensor<1x1x6xf32>
    %7 = core.mul(%5, %6) : (tensor<1x2x6xf32>, tensor<1x1x6xf32>) -> tensor<1x2x6xf32>
    %y = core.add(%3, %7) : (tensor<1x2x6xf32>, tensor<1x2x6xf32>) -> tensor<1x2x6xf32>
    return %y : tensor<1x2x6xf32>
  }
}
====
# decompose-resize, nearest
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-resize -o -
# file: input.mlir
# stderr: decompose-resize 
---
func.func @main(%x: tensor<1x2x3xi32>) -> (tensor<1x2x2xi32>) {
  %s = core.constant() {value = dense<[1, 2, 2]> : tensor<3xi64>}
  %y = core.resize(%x, _, _, %s)
  return %y : tensor<1x2x2xi32>
}
---
module {
  func.func @main(%x: tensor<1x2x3xi32>) -> (tensor<1x2x2xi32>) {
    %0 = core.constant() {value = dense<[0, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.gather(%x, %0) {axis = 2} : (tensor<1x2x3xi32>, tensor<2xi64>) -> tensor<1x2x2xi32>
    return %y : tensor<1x2x2xi32>
  }
}
====
# decompose-resize, many inputs an output
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-resize -o -
# file: input.mlir
# stderr: decompose-resize 
---
func.func @main(%x: tensor<1x16xf32>) -> (tensor<1x4xf32>) {
  %s = core.constant() {value = dense<[1, 4]> : tensor<2xi64>}
  %y = core.resize(%x, _, _, %s) {antialias = 1, mode = "linear"}
  return %y : tensor<1x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x16xf32>) -> (tensor<1x4xf32>) {
    %0 = core.constant() {value = dense<[1, 16, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %1 = core.reshape(%x, %0) : (tensor<1x16xf32>, tensor<3xi64>) -> tensor<1x16x1xf32>
    %2 = core.constant() {value = dense<[[0.28125, 0.21875, 0.21875, 0.15625, 0.09375, 0.03125, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.03125, 0.09375, 0.15625, 0.21875, 0.21875, 0.15625, 0.09375, 0.03125, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.03125, 0.09375, 0.15625, 0.21875, 0.21875, 0.15625, 0.09375, 0.03125, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.03125, 0.09375, 0.15625, 0.21875, 0.21875, 0.28125]]> : tensor<4x16xf32>} : () -> tensor<4x16xf32>
    %3 = core.matmul(%2, %1) : (tensor<4x16xf32>, tensor<1x16x1xf32>) -> tensor<1x4x1xf32>
    %4 = core.constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.reshape(%3, %4) : (tensor<1x4x1xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    return %y : tensor<1x4xf32>
  }
}
====
# decompose-resize, outside the region
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-resize -o -
# file: input.mlir
# stderr: decompose-resize 
---
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x3xf32>) {
  %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>}
  %r = core.constant() {value = dense<[0.0, -0.5, 1.0, 1.5]> : tensor<4xf32>}
  %y = core.resize(%x, %r, _, %s) {coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 7.0, mode = "linear"}
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x3xf32>) {
    %0 = core.constant() {value = dense<[0, 1, 0]> : tensor<3xi64>} : () -> tensor<3xi64>
    %1 = core.gather(%x, %0) {axis = 1} : (tensor<2x4xf32>, tensor<3xi64>) -> tensor<2x3xf32>
    %2 = core.constant() {value = dense<[[0.0, 0.5, 0.0]]> : tensor<1x3xf32>} : () -> tensor<1x3xf32>
    %3 = core.mul(%1, %2) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    %4 = core.constant() {value = dense<[0, 2, 0]> : tensor<3xi64>} : () -> tensor<3xi64>
    %5 = core.gather(%x, %4) {axis = 1} : (tensor<2x4xf32>, tensor<3xi64>) -> tensor<2x3xf32>
    %6 = core.mul(%5, %2) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    %7 = core.add(%3, %6) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %8 = core.constant() {value = dense<7.0> : tensor<f32>} : () -> tensor<f32>
    %9 = core.constant() {value = dense<[[false, true, false]]> : tensor<1x3xi1>} : () -> tensor<1x3xi1>
    %y = core.select(%9, %7, %8) : (tensor<1x3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# decompose-resize: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-resize -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x[n]xf32>) -> (tensor<1x2x[2*n]xf32>) {
  %s = core.constant() {value = dense<[1.0, 1.0, 2.0]> : tensor<3xf32>}
  %y = core.resize(%x, _, %s) {mode = "linear"}
  return %y : tensor<1x2x[2*n]xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x[n]xf32>) -> (tensor<1x2x[2*n]xf32>) {
    %s = core.constant() {value = dense<[1.0, 1.0, 2.0]> : tensor<3xf32>} : () -> tensor<3xf32>
    %y = core.resize(%x, _, %s) {mode = "linear"} : (tensor<1x2x[n]xf32>, none, tensor<3xf32>) -> tensor<1x2x[2*n]xf32>
    return %y : tensor<1x2x[2*n]xf32>
  }
}
====
# decompose-grid-sample
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-grid-sample -o -
# file: input.mlir
# stderr: decompose-grid-sample 
---
func.func @main(%x: tensor<1x2x3xf32>, %g: tensor<1x4x1xf32>) -> (tensor<1x2x4xf32>) {
  %y = core.grid_sample(%x, %g)
  return %y : tensor<1x2x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x3xf32>, %g: tensor<1x4x1xf32>) -> (tensor<1x2x4xf32>) {
    %0 = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %2 = core.slice(%g, %1, %0) {axes = array<i64: 2>} : (tensor<1x4x1xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4x1xf32>
    %3 = core.constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %4 = core.reshape(%2, %3) : (tensor<1x4x1xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %5 = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %6 = core.add(%4, %5) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %7 = core.constant() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
    %8 = core.mul(%6, %7) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %9 = core.sub(%8, %5) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %10 = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %11 = core.mul(%9, %10) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %12 = core.floor(%11) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %13 = core.sub(%11, %12) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %14 = core.sub(%5, %13) : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %15 = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %16 = core.le(%12, %15) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xi1>
    %17 = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %18 = core.ge(%12, %17) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xi1>
    %19 = core.and(%18, %16) : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
    %20 = core.max(%12, %17) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %21 = core.min(%20, %15) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %22 = core.add(%12, %5) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %23 = core.le(%22, %15) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xi1>
    %24 = core.ge(%22, %17) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xi1>
    %25 = core.and(%24, %23) : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
    %26 = core.max(%22, %17) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %27 = core.min(%26, %15) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %28 = core.constant() {value = dense<[1, 2, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
    %29 = core.reshape(%x, %28) : (tensor<1x2x3xf32>, tensor<3xi64>) -> tensor<1x2x3xf32>
    %30 = core.cast(%21) {to = "i64"} : (tensor<1x4xf32>) -> tensor<1x4xi64>
    %31 = core.constant() {value = dense<[1, 2, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
    %32 = core.constant() {value = dense<[1, 1, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
    %33 = core.reshape(%30, %32) : (tensor<1x4xi64>, tensor<3xi64>) -> tensor<1x1x4xi64>
    %34 = core.expand(%33, %31) : (tensor<1x1x4xi64>, tensor<3xi64>) -> tensor<1x2x4xi64>
    %35 = core.gather_elements(%29, %34) {axis = 2} : (tensor<1x2x3xf32>, tensor<1x2x4xi64>) -> tensor<1x2x4xf32>
    %36 = core.reshape(%14, %32) : (tensor<1x4xf32>, tensor<3xi64>) -> tensor<1x1x4xf32>
    %37 = core.mul(%35, %36) : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x2x4xf32>
    %38 = core.reshape(%19, %32) : (tensor<1x4xi1>, tensor<3xi64>) -> tensor<1x1x4xi1>
    %39 = core.select(%38, %37, %17) : (tensor<1x1x4xi1>, tensor<1x2x4xf32>, tensor<f32>) -> tensor<1x2x4xf32>
    %40 = core.cast(%27) {to = "i64"} : (tensor<1x4xf32>) -> tensor<1x4xi64>
    %41 = core.reshape(%40, %32) : (tensor<1x4xi64>, tensor<3xi64>) -> tensor<1x1x4xi64>
    %42 = core.expand(%41, %31) : (tensor<1x1x4xi64>, tensor<3xi64>) -> tensor<1x2x4xi64>
    %43 = core.gather_elements(%29, %42) {axis = 2} : (tensor<1x2x3xf32>, tensor<1x2x4xi64>) -> tensor<1x2x4xf32>
    %44 = core.reshape(%13, %32) : (tensor<1x4xf32>, tensor<3xi64>) -> tensor<1x1x4xf32>
    %45 = core.mul(%43, %44) : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x2x4xf32>
    %46 = core.reshape(%25, %32) : (tensor<1x4xi1>, tensor<3xi64>) -> tensor<1x1x4xi1>
    %47 = core.select(%46, %45, %17) : (tensor<1x1x4xi1>, tensor<1x2x4xf32>, tensor<f32>) -> tensor<1x2x4xf32>
    %48 = core.add(%39, %47) : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
    %y = core.reshape(%48, %31) : (tensor<1x2x4xf32>, tensor<3xi64>) -> tensor<1x2x4xf32>
    return %y : tensor<1x2x4xf32>
  }
}
====
# decompose-grid-sample, reflection
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-grid-sample -o -
# file: input.mlir
# stderr: decompose-grid-sample 
---
func.func @main(%x: tensor<1x2x3xf32>, %g: tensor<1x4x1xf32>) -> (tensor<1x2x4xf32>) {
  %y = core.grid_sample(%x, %g) {align_corners = 1, mode = "nearest", padding_mode = "reflection"}
  return %y : tensor<1x2x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x3xf32>, %g: tensor<1x4x1xf32>) -> (tensor<1x2x4xf32>) {
    %0 = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %2 = core.slice(%g, %1, %0) {axes = array<i64: 2>} : (tensor<1x4x1xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4x1xf32>
    %3 = core.constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %4 = core.reshape(%2, %3) : (tensor<1x4x1xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %5 = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %6 = core.add(%4, %5) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %7 = core.mul(%6, %5) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %8 = core.round(%7) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %9 = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %10 = core.sub(%8, %9) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %11 = core.abs(%10) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %12 = core.constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
    %13 = core.mul(%11, %12) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %14 = core.floor(%13) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %15 = core.constant() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
    %16 = core.mul(%14, %15) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %17 = core.sub(%11, %16) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %18 = core.sub(%15, %17) : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %19 = core.min(%17, %18) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %20 = core.add(%19, %9) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %21 = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %22 = core.le(%8, %21) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xi1>
    %23 = core.ge(%8, %9) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xi1>
    %24 = core.and(%23, %22) : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<1x4xi1>
    %25 = core.select(%24, %8, %20) : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %26 = core.sub(%25, %9) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %27 = core.abs(%26) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %28 = core.mul(%27, %12) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %29 = core.floor(%28) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %30 = core.mul(%29, %15) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %31 = core.sub(%27, %30) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %32 = core.sub(%15, %31) : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %33 = core.min(%31, %32) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %34 = core.add(%33, %9) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %35 = core.max(%34, %9) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %36 = core.min(%35, %21) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %37 = core.constant() {value = dense<[1, 2, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
    %38 = core.reshape(%x, %37) : (tensor<1x2x3xf32>, tensor<3xi64>) -> tensor<1x2x3xf32>
    %39 = core.cast(%36) {to = "i64"} : (tensor<1x4xf32>) -> tensor<1x4xi64>
    %40 = core.constant() {value = dense<[1, 2, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
    %41 = core.constant() {value = dense<[1, 1, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
    %42 = core.reshape(%39, %41) : (tensor<1x4xi64>, tensor<3xi64>) -> tensor<1x1x4xi64>
    %43 = core.expand(%42, %40) : (tensor<1x1x4xi64>, tensor<3xi64>) -> tensor<1x2x4xi64>
    %44 = core.gather_elements(%38, %43) {axis = 2} : (tensor<1x2x3xf32>, tensor<1x2x4xi64>) -> tensor<1x2x4xf32>
    %y = core.reshape(%44, %40) : (tensor<1x2x4xf32>, tensor<3xi64>) -> tensor<1x2x4xf32>
    return %y : tensor<1x2x4xf32>
  }
}
====
# decompose-grid-sample: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-grid-sample -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x3xf32>, %g: tensor<1x[n]x1xf32>) -> (tensor<1x2x[n]xf32>) {
  %y = core.grid_sample(%x, %g)
  return %y : tensor<1x2x[n]xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x3xf32>, %g: tensor<1x[n]x1xf32>) -> (tensor<1x2x[n]xf32>) {
    %y = core.grid_sample(%x, %g) : (tensor<1x2x3xf32>, tensor<1x[n]x1xf32>) -> tensor<1x2x[n]xf32>
    return %y : tensor<1x2x[n]xf32>
  }
}
====
# decompose-quantize
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-quantize -o -
# file: input.mlir
# stderr: decompose-quantize 
---
func.func @main(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>, %z: tensor<2x2xi8>) -> (tensor<2x4xi8>) {
  %y = core.quantize(%x, %s, %z) {block_size = 2}
  return %y : tensor<2x4xi8>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>, %z: tensor<2x2xi8>) -> (tensor<2x4xi8>) {
    %0 = core.constant() {value = dense<[0, 0, 1, 1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %1 = core.gather(%s, %0) {axis = 1} : (tensor<2x2xf32>, tensor<4xi64>) -> tensor<2x4xf32>
    %2 = core.gather(%z, %0) {axis = 1} : (tensor<2x2xi8>, tensor<4xi64>) -> tensor<2x4xi8>
    %3 = core.div(%x, %1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = core.round(%3) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = core.cast(%2) {to = "i32"} : (tensor<2x4xi8>) -> tensor<2x4xi32>
    %6 = core.cast(%5) {to = "f32"} : (tensor<2x4xi32>) -> tensor<2x4xf32>
    %7 = core.add(%4, %6) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %8 = core.constant() {value = dense<127.0> : tensor<f32>} : () -> tensor<f32>
    %9 = core.constant() {value = dense<-128.0> : tensor<f32>} : () -> tensor<f32>
    %10 = core.clamp(%7, %9, %8) : (tensor<2x4xf32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
    %11 = core.cast(%10) {to = "i32"} : (tensor<2x4xf32>) -> tensor<2x4xi32>
    %y = core.cast(%11) {to = "i8"} : (tensor<2x4xi32>) -> tensor<2x4xi8>
    return %y : tensor<2x4xi8>
  }
}
====
# decompose-quantize, 16 bits
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-quantize -o -
# file: input.mlir
# stderr: decompose-quantize 
---
func.func @main(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> (tensor<2x4xi16>) {
  %y = core.quantize(%x, %s) {to = "i16"}
  return %y : tensor<2x4xi16>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> (tensor<2x4xi16>) {
    %0 = core.constant() {value = dense<[1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %1 = core.reshape(%s, %0) : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %2 = core.div(%x, %1) : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
    %3 = core.round(%2) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = core.constant() {value = dense<32767.0> : tensor<f32>} : () -> tensor<f32>
    %5 = core.constant() {value = dense<-32768.0> : tensor<f32>} : () -> tensor<f32>
    %6 = core.clamp(%3, %5, %4) : (tensor<2x4xf32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
    %7 = core.cast(%6) {to = "i32"} : (tensor<2x4xf32>) -> tensor<2x4xi32>
    %y = core.cast(%7) {to = "i16"} : (tensor<2x4xi32>) -> tensor<2x4xi16>
    return %y : tensor<2x4xi16>
  }
}
====
# decompose-quantize: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-quantize -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> (tensor<2x4xi8>) {
  %y = core.quantize(%x, %s, %z)
  return %y : tensor<2x4xi8>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> (tensor<2x4xi8>) {
    %y = core.quantize(%x, %s, %z) : (tensor<2x4xf32>, tensor<f32>, tensor<i8>) -> tensor<2x4xi8>
    return %y : tensor<2x4xi8>
  }
}
====
# decompose-dequantize
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-dequantize -o -
# file: input.mlir
# stderr: decompose-dequantize 
---
func.func @main(%x: tensor<2x4xi8>, %s: tensor<2x2xf32>, %z: tensor<2x2xi8>) -> (tensor<2x4xf32>) {
  %y = core.dequantize(%x, %s, %z) {block_size = 2}
  return %y : tensor<2x4xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xi8>, %s: tensor<2x2xf32>, %z: tensor<2x2xi8>) -> (tensor<2x4xf32>) {
    %0 = core.constant() {value = dense<[0, 0, 1, 1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %1 = core.gather(%s, %0) {axis = 1} : (tensor<2x2xf32>, tensor<4xi64>) -> tensor<2x4xf32>
    %2 = core.gather(%z, %0) {axis = 1} : (tensor<2x2xi8>, tensor<4xi64>) -> tensor<2x4xi8>
    %3 = core.cast(%x) {to = "i32"} : (tensor<2x4xi8>) -> tensor<2x4xi32>
    %4 = core.cast(%2) {to = "i32"} : (tensor<2x4xi8>) -> tensor<2x4xi32>
    %5 = core.sub(%3, %4) : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
    %6 = core.cast(%5) {to = "f32"} : (tensor<2x4xi32>) -> tensor<2x4xf32>
    %y = core.mul(%6, %1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}
====
# decompose-dequantize: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-dequantize -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x4xi32>, %s: tensor<f32>) -> (tensor<2x4xf32>) {
  %y = core.dequantize(%x, %s)
  return %y : tensor<2x4xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xi32>, %s: tensor<f32>) -> (tensor<2x4xf32>) {
    %y = core.dequantize(%x, %s) : (tensor<2x4xi32>, tensor<f32>) -> tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}
====
# decompose-dft
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-dft -o -
# file: input.mlir
# stderr: decompose-dft 
---
func.func @main(%x: tensor<1x4x1xf32>) -> (tensor<1x3x2xf32>) {
  %a = core.constant() {value = dense<1> : tensor<i64>}
  %y = core.dft(%x, _, %a) {onesided = 1}
  return %y : tensor<1x3x2xf32>
}
---
module {
  func.func @main(%x: tensor<1x4x1xf32>) -> (tensor<1x3x2xf32>) {
    %0 = core.constant() {value = dense<[1, 4, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %1 = core.reshape(%x, %0) : (tensor<1x4x1xf32>, tensor<3xi64>) -> tensor<1x4x1xf32>
    %2 = core.constant() {value = dense<[[1.0, 1.0, 1.0, 1.0], [1.0, 6.123234e-17, -1.0, -1.8369701e-16], [1.0, -1.0, 1.0, -1.0]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
    %3 = core.matmul(%2, %1) : (tensor<3x4xf32>, tensor<1x4x1xf32>) -> tensor<1x3x1xf32>
    %4 = core.constant() {value = dense<[1, 3, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %5 = core.reshape(%3, %4) : (tensor<1x3x1xf32>, tensor<3xi64>) -> tensor<1x3x1xf32>
    %6 = core.constant() {value = dense<[[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.2246469e-16, -1.0], [0.0, 1.2246469e-16, 0.0, 1.2246469e-16]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
    %7 = core.matmul(%6, %1) : (tensor<3x4xf32>, tensor<1x4x1xf32>) -> tensor<1x3x1xf32>
    %8 = core.reshape(%7, %4) : (tensor<1x3x1xf32>, tensor<3xi64>) -> tensor<1x3x1xf32>
    %9 = core.neg(%8) : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
    %y = core.concat(%5, %9) {axis = 2} : (tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<1x3x2xf32>
    return %y : tensor<1x3x2xf32>
  }
}
====
# decompose-dft, inverse of a part
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-dft -o -
# file: input.mlir
# stderr: decompose-dft 
---
func.func @main(%x: tensor<3x2x2xf32>) -> (tensor<2x2x2xf32>) {
  %n = core.constant() {value = dense<2> : tensor<i64>}
  %a = core.constant() {value = dense<0> : tensor<i64>}
  %y = core.dft(%x, %n, %a) {inverse = 1}
  return %y : tensor<2x2x2xf32>
}
---
module {
  func.func @main(%x: tensor<3x2x2xf32>) -> (tensor<2x2x2xf32>) {
    %0 = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %2 = core.slice(%x, %1, %0) {axes = array<i64: 0>} : (tensor<3x2x2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2x2xf32>
    %3 = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %4 = core.slice(%2, %1, %3) {axes = array<i64: 2>} : (tensor<2x2x2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2x1xf32>
    %5 = core.slice(%2, %3, %0) {axes = array<i64: 2>} : (tensor<2x2x2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2x1xf32>
    %6 = core.constant() {value = dense<[1, 2, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
    %7 = core.reshape(%4, %6) : (tensor<2x2x1xf32>, tensor<3xi64>) -> tensor<1x2x2xf32>
    %8 = core.constant() {value = dense<[[0.5, 0.5], [0.5, -0.5]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %9 = core.matmul(%8, %7) : (tensor<2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %10 = core.constant() {value = dense<[2, 2, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %11 = core.reshape(%9, %10) : (tensor<1x2x2xf32>, tensor<3xi64>) -> tensor<2x2x1xf32>
    %12 = core.constant() {value = dense<[[-0.0, -0.0], [-0.0, -6.123234e-17]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %13 = core.matmul(%12, %7) : (tensor<2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %14 = core.reshape(%13, %10) : (tensor<1x2x2xf32>, tensor<3xi64>) -> tensor<2x2x1xf32>
    %15 = core.neg(%14) : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    %16 = core.reshape(%5, %6) : (tensor<2x2x1xf32>, tensor<3xi64>) -> tensor<1x2x2xf32>
    %17 = core.matmul(%12, %16) : (tensor<2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %18 = core.reshape(%17, %10) : (tensor<1x2x2xf32>, tensor<3xi64>) -> tensor<2x2x1xf32>
    %19 = core.add(%11, %18) : (tensor<2x2x1xf32>, tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    %20 = core.matmul(%8, %16) : (tensor<2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    %21 = core.reshape(%20, %10) : (tensor<1x2x2xf32>, tensor<3xi64>) -> tensor<2x2x1xf32>
    %22 = core.add(%15, %21) : (tensor<2x2x1xf32>, tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
    %y = core.concat(%19, %22) {axis = 2} : (tensor<2x2x1xf32>, tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
    return %y : tensor<2x2x2xf32>
  }
}
====
# decompose-dft: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-dft -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x4x1xf32>, %n: tensor<i64>) -> (tensor<1x[m]x2xf32>) {
  %a = core.constant() {value = dense<1> : tensor<i64>}
  %y = core.dft(%x, %n, %a)
  return %y : tensor<1x[m]x2xf32>
}
---
module {
  func.func @main(%x: tensor<1x4x1xf32>, %n: tensor<i64>) -> (tensor<1x[?1]x2xf32> {hone.declared = tensor<1x[m]x2xf32>}) {
    %a = core.constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %y = core.dft(%x, %n, %a) : (tensor<1x4x1xf32>, tensor<i64>, tensor<i64>) -> tensor<1x[?1]x2xf32>
    return %y : tensor<1x[?1]x2xf32>
  }
}
====
# decompose-affine-grid
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-affine-grid -o -
# file: input.mlir
# stderr: decompose-affine-grid 
---
func.func @main(%t: tensor<2x2x3xf32>) -> (tensor<2x1x2x2xf32>) {
  %s = core.constant() {value = dense<[2, 3, 1, 2]> : tensor<4xi64>}
  %y = core.affine_grid(%t, %s)
  return %y : tensor<2x1x2x2xf32>
}
---
module {
  func.func @main(%t: tensor<2x2x3xf32>) -> (tensor<2x1x2x2xf32>) {
    %0 = core.constant() {value = dense<[[-0.5, 0.0, 1.0], [0.5, 0.0, 1.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %1 = core.transpose(%t) {perm = array<i64: 0, 2, 1>} : (tensor<2x2x3xf32>) -> tensor<2x3x2xf32>
    %2 = core.matmul(%0, %1) : (tensor<2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>
    %3 = core.constant() {value = dense<[2, 1, 2, 2]> : tensor<4xi64>} : () -> tensor<4xi64>
    %y = core.reshape(%2, %3) : (tensor<2x2x2xf32>, tensor<4xi64>) -> tensor<2x1x2x2xf32>
    return %y : tensor<2x1x2x2xf32>
  }
}
====
# decompose-affine-grid: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-affine-grid -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%t: tensor<2x2x3xf32>, %s: tensor<4xi64>) -> (tensor<[n]x[h]x[w]x2xf32>) {
  %y = core.affine_grid(%t, %s)
  return %y : tensor<[n]x[h]x[w]x2xf32>
}
---
module {
  func.func @main(%t: tensor<2x2x3xf32>, %s: tensor<4xi64>) -> (tensor<2x[?1]x[?2]x2xf32> {hone.declared = tensor<2x[h]x[w]x2xf32>}) {
    %y = core.affine_grid(%t, %s) : (tensor<2x2x3xf32>, tensor<4xi64>) -> tensor<2x[?1]x[?2]x2xf32>
    return %y : tensor<2x[?1]x[?2]x2xf32>
  }
}
====
# decompose-col2im
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-col2im -o -
# file: input.mlir
# stderr: decompose-col2im 
---
func.func @main(%x: tensor<1x4x4xf32>) -> (tensor<1x1x3x4xf32>) {
  %i = core.constant() {value = dense<[3, 4]> : tensor<2xi64>}
  %b = core.constant() {value = dense<[2, 2]> : tensor<2xi64>}
  %y = core.col2im(%x, %i, %b) {strides = [1, 2]}
  return %y : tensor<1x1x3x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x4x4xf32>) -> (tensor<1x1x3x4xf32>) {
    %0 = core.constant() {value = dense<[1, 4, 2, 2]> : tensor<4xi64>} : () -> tensor<4xi64>
    %1 = core.reshape(%x, %0) : (tensor<1x4x4xf32>, tensor<4xi64>) -> tensor<1x4x2x2xf32>
    %2 = core.constant() {value = dense<[[[[1.0, 0.0], [0.0, 0.0]]], [[[0.0, 1.0], [0.0, 0.0]]], [[[0.0, 0.0], [1.0, 0.0]]], [[[0.0, 0.0], [0.0, 1.0]]]]> : tensor<4x1x2x2xf32>} : () -> tensor<4x1x2x2xf32>
    %3 = core.conv_transpose(%1, %2) {output_padding = array<i64: 0, 0>, strides = array<i64: 1, 2>} : (tensor<1x4x2x2xf32>, tensor<4x1x2x2xf32>) -> tensor<1x1x3x4xf32>
    %4 = core.constant() {value = dense<[1, 1, 3, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
    %y = core.reshape(%3, %4) : (tensor<1x1x3x4xf32>, tensor<4xi64>) -> tensor<1x1x3x4xf32>
    return %y : tensor<1x1x3x4xf32>
  }
}
====
# decompose-col2im: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-col2im -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x4x4xf32>, %i: tensor<2xi64>) -> (tensor<1x1x[h]x[w]xf32>) {
  %b = core.constant() {value = dense<[2, 2]> : tensor<2xi64>}
  %y = core.col2im(%x, %i, %b)
  return %y : tensor<1x1x[h]x[w]xf32>
}
---
module {
  func.func @main(%x: tensor<1x4x4xf32>, %i: tensor<2xi64>) -> (tensor<1x1x[?1]x[?2]xf32> {hone.declared = tensor<1x1x[h]x[w]xf32>}) {
    %b = core.constant() {value = dense<[2, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.col2im(%x, %i, %b) : (tensor<1x4x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1x[?1]x[?2]xf32>
    return %y : tensor<1x1x[?1]x[?2]xf32>
  }
}
====
# decompose-conv-transpose
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-conv-transpose -o -
# file: input.mlir
# stderr: decompose-conv-transpose 
---
func.func @main(%x: tensor<1x4x3xf32>, %w: tensor<4x1x2xf32>, %b: tensor<2xf32>) -> (tensor<1x2x4xf32>) {
  %y = core.conv_transpose(%x, %w, %b) {groups = 2}
  return %y : tensor<1x2x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x4x3xf32>, %w: tensor<4x1x2xf32>, %b: tensor<2xf32>) -> (tensor<1x2x4xf32>) {
    %0 = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %2 = core.slice(%x, %1, %0) {axes = array<i64: 1>} : (tensor<1x4x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x3xf32>
    %3 = core.slice(%w, %1, %0) {axes = array<i64: 0>} : (tensor<4x1x2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x1x2xf32>
    %4 = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %5 = core.slice(%b, %1, %4) {axes = array<i64: 0>} : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
    %6 = core.conv_transpose(%2, %3, %5) : (tensor<1x2x3xf32>, tensor<2x1x2xf32>, tensor<1xf32>) -> tensor<1x1x4xf32>
    %7 = core.constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %8 = core.slice(%x, %0, %7) {axes = array<i64: 1>} : (tensor<1x4x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x3xf32>
    %9 = core.slice(%w, %0, %7) {axes = array<i64: 0>} : (tensor<4x1x2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x1x2xf32>
    %10 = core.slice(%b, %4, %0) {axes = array<i64: 0>} : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
    %11 = core.conv_transpose(%8, %9, %10) : (tensor<1x2x3xf32>, tensor<2x1x2xf32>, tensor<1xf32>) -> tensor<1x1x4xf32>
    %y = core.concat(%6, %11) {axis = 1} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x2x4xf32>
    return %y : tensor<1x2x4xf32>
  }
}
====
# decompose-conv-transpose: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-conv-transpose -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x4x3xf32>, %w: tensor<4x2x2xf32>) -> (tensor<1x2x4xf32>) {
  %y = core.conv_transpose(%x, %w)
  return %y : tensor<1x2x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x4x3xf32>, %w: tensor<4x2x2xf32>) -> (tensor<1x2x4xf32>) {
    %y = core.conv_transpose(%x, %w) : (tensor<1x4x3xf32>, tensor<4x2x2xf32>) -> tensor<1x2x4xf32>
    return %y : tensor<1x2x4xf32>
  }
}
====
# decompose-lp-pool
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-lp-pool -o -
# file: input.mlir
# stderr: decompose-lp-pool 
---
func.func @main(%x: tensor<1x2x5xf32>) -> (tensor<1x2x2xf32>) {
  %y = core.lp_pool(%x) {dilations = [2], kernel = [2], strides = [2]}
  return %y : tensor<1x2x2xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x5xf32>) -> (tensor<1x2x2xf32>) {
    %0 = core.mul(%x, %x) : (tensor<1x2x5xf32>, tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
    %1 = core.constant() {value = dense<1.0> : tensor<1x1x2xf32>} : () -> tensor<1x1x2xf32>
    %2 = core.constant() {value = dense<[2, 1, 5]> : tensor<3xi64>} : () -> tensor<3xi64>
    %3 = core.reshape(%0, %2) : (tensor<1x2x5xf32>, tensor<3xi64>) -> tensor<2x1x5xf32>
    %4 = core.conv(%3, %1) {dilations = array<i64: 2>, strides = array<i64: 2>} : (tensor<2x1x5xf32>, tensor<1x1x2xf32>) -> tensor<2x1x2xf32>
    %5 = core.constant() {value = dense<[1, 2, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
    %6 = core.reshape(%4, %5) : (tensor<2x1x2xf32>, tensor<3xi64>) -> tensor<1x2x2xf32>
    %y = core.sqrt(%6) : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
    return %y : tensor<1x2x2xf32>
  }
}
====
# decompose-lp-pool: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-lp-pool -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x5xf32>) -> (tensor<1x2x3xf32>) {
  %y = core.lp_pool(%x) {ceil_mode = 1, kernel = [2], strides = [2]}
  return %y : tensor<1x2x3xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x5xf32>) -> (tensor<1x2x3xf32>) {
    %y = core.lp_pool(%x) {ceil_mode = 1, kernel = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x2x5xf32>) -> tensor<1x2x3xf32>
    return %y : tensor<1x2x3xf32>
  }
}
====
# decompose-max-unpool
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-max-unpool -o -
# file: input.mlir
# stderr: decompose-max-unpool 
---
func.func @main(%x: tensor<1x1x2xf32>, %i: tensor<1x1x2xi64>) -> (tensor<1x1x5xf32>) {
  %s = core.constant() {value = dense<[1, 1, 5]> : tensor<3xi64>}
  %y = core.max_unpool(%x, %i, %s) {kernel = [2], strides = [2]}
  return %y : tensor<1x1x5xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x2xf32>, %i: tensor<1x1x2xi64>) -> (tensor<1x1x5xf32>) {
    %0 = core.constant() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %1 = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %2 = core.reshape(%i, %1) : (tensor<1x1x2xi64>, tensor<1xi64>) -> tensor<2xi64>
    %3 = core.reshape(%x, %1) : (tensor<1x1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
    %4 = core.scatter_elements(%0, %2, %3) : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
    %5 = core.constant() {value = dense<[1, 1, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
    %6 = core.reshape(%4, %5) : (tensor<4xf32>, tensor<3xi64>) -> tensor<1x1x4xf32>
    %7 = core.constant() {value = dense<[0, 0, 0, 0, 0, 1]> : tensor<6xi64>} : () -> tensor<6xi64>
    %y = core.pad(%6, %7) : (tensor<1x1x4xf32>, tensor<6xi64>) -> tensor<1x1x5xf32>
    return %y : tensor<1x1x5xf32>
  }
}
====
# decompose-max-unpool: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-max-unpool -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x[n]xf32>, %i: tensor<1x1x[n]xi64>) -> (tensor<1x1x[2*n]xf32>) {
  %y = core.max_unpool(%x, %i) {kernel = [2], strides = [2]}
  return %y : tensor<1x1x[2*n]xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x[n]xf32>, %i: tensor<1x1x[n]xi64>) -> (tensor<1x1x[2*n]xf32>) {
    %y = core.max_unpool(%x, %i) {kernel = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x1x[n]xf32>, tensor<1x1x[n]xi64>) -> tensor<1x1x[2*n]xf32>
    return %y : tensor<1x1x[2*n]xf32>
  }
}
====
# decompose-loop
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-loop -o -
# file: input.mlir
# stderr: decompose-loop 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2x3xf32>) {
  %n = core.constant() {value = dense<2> : tensor<i64>}
  %c = core.constant() {value = dense<true> : tensor<i1>}
  %a, %s = core.loop(%n, %c, %x) ({
  ^bb0(%i: tensor<i64>, %k: tensor<i1>, %v: tensor<3xf32>):
    %w = core.tanh(%v)
    core.yield(%k, %w, %w)
  }) : (tensor<i64>, tensor<i1>, tensor<3xf32>) -> (tensor<3xf32>, tensor<2x3xf32>)
  return %a, %s : tensor<3xf32>, tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2x3xf32>) {
    %w = core.tanh(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %0 = core.unsqueeze(%w) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<1x3xf32>
    %1 = core.tanh(%w) {hone.names = ["w"]} : (tensor<3xf32>) -> tensor<3xf32>
    %2 = core.unsqueeze(%1) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<1x3xf32>
    %a = core.identity(%1) : (tensor<3xf32>) -> tensor<3xf32>
    %s = core.concat(%0, %2) {axis = 0} : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    return %a, %s : tensor<3xf32>, tensor<2x3xf32>
  }
}
====
# decompose-loop: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-loop -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<?x3xf32>) {
  %n = core.constant() {value = dense<2> : tensor<i64>}
  %c = core.constant() {value = dense<true> : tensor<i1>}
  %a, %s = core.loop(%n, %c, %x) ({
  ^bb0(%i: tensor<i64>, %k: tensor<i1>, %v: tensor<3xf32>):
    %w = core.tanh(%v)
    %q = core.constant() {value = dense<1.0> : tensor<f32>}
    %u = core.reduce(%v) {keepdims = 0, kind = "sum"}
    %z = core.lt(%u, %q)
    core.yield(%z, %w, %w)
  }) : (tensor<i64>, tensor<i1>, tensor<3xf32>) -> (tensor<3xf32>, tensor<?x3xf32>)
  return %a, %s : tensor<3xf32>, tensor<?x3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<[?6]x3xf32> {hone.declared = tensor<[?2]x3xf32>}) {
    %n = core.constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
    %c = core.constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %a, %s = core.loop(%n, %c, %x) ({
    ^bb0(%i: tensor<i64>, %k: tensor<i1>, %v: tensor<3xf32>):
      %w = core.tanh(%v) : (tensor<3xf32>) -> tensor<3xf32>
      %q = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
      %u = core.reduce(%v) {keepdims = 0, kind = "sum"} : (tensor<3xf32>) -> tensor<f32>
      %z = core.lt(%u, %q) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      core.yield(%z, %w, %w) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> ()
    }) : (tensor<i64>, tensor<i1>, tensor<3xf32>) -> (tensor<3xf32>, tensor<[?6]x3xf32>)
    return %a, %s : tensor<3xf32>, tensor<[?6]x3xf32>
  }
}
====
# decompose-scatter-elements
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-scatter-elements -o -
# file: input.mlir
# stderr: decompose-scatter-elements 
---
func.func @main(%x: tensor<2x3xf32>, %i: tensor<1x2xi64>, %u: tensor<1x2xf32>) -> (tensor<2x3xf32>) {
  %y = core.scatter_elements(%x, %i, %u) {axis = 1, reduction = "max"}
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %i: tensor<1x2xi64>, %u: tensor<1x2xf32>) -> (tensor<2x3xf32>) {
    %0 = core.constant() {value = dense<0> : tensor<1x2x1xi64>} : () -> tensor<1x2x1xi64>
    %1 = core.constant() {value = dense<[1, 2, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %2 = core.reshape(%i, %1) : (tensor<1x2xi64>, tensor<3xi64>) -> tensor<1x2x1xi64>
    %3 = core.concat(%0, %2) {axis = 2} : (tensor<1x2x1xi64>, tensor<1x2x1xi64>) -> tensor<1x2x2xi64>
    %y = core.scatter_nd(%x, %3, %u) {reduction = "max"} : (tensor<2x3xf32>, tensor<1x2x2xi64>, tensor<1x2xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# decompose-scatter-elements: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-scatter-elements -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>, %i: tensor<1x2xi64>, %u: tensor<1x2xf32>) -> (tensor<2x3xf32>) {
  %y = core.scatter_elements(%x, %i, %u) {axis = 1}
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %i: tensor<1x2xi64>, %u: tensor<1x2xf32>) -> (tensor<2x3xf32>) {
    %y = core.scatter_elements(%x, %i, %u) {axis = 1} : (tensor<2x3xf32>, tensor<1x2xi64>, tensor<1x2xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# backend-max-pool
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-max-pool -o -
# file: input.mlir
# stderr: backend-max-pool 
---
func.func @main(%x: tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>) {
  %y = core.max_pool(%x) {kernel = [2], pads = [0, 1]}
  return %y : tensor<1x1x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>) {
    %0 = core.constant() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
    %1 = core.constant() {value = dense<[0, 0, 0, 0, 0, 1]> : tensor<6xi64>} : () -> tensor<6xi64>
    %2 = core.pad(%x, %1, %0) : (tensor<1x1x4xf32>, tensor<6xi64>, tensor<f32>) -> tensor<1x1x5xf32>
    %y = core.max_pool(%2) {kernel = array<i64: 2>} : (tensor<1x1x5xf32>) -> tensor<1x1x4xf32>
    return %y : tensor<1x1x4xf32>
  }
}
====
# backend-max-pool: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-max-pool -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>) {
  %y = core.max_pool(%x) {kernel = [3], pads = [1, 1]}
  return %y : tensor<1x1x4xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>) {
    %y = core.max_pool(%x) {kernel = array<i64: 3>, pads = array<i64: 1, 1>} : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    return %y : tensor<1x1x4xf32>
  }
}
====
# backend-slice
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-slice -o -
# file: input.mlir
# stderr: backend-slice 
---
func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x2xf32>) {
  %s = core.constant() {value = dense<[0, -1]> : tensor<2xi64>}
  %e = core.constant() {value = dense<[2, 0]> : tensor<2xi64>}
  %t = core.constant() {value = dense<[1, -2]> : tensor<2xi64>}
  %y = core.slice(%x, %s, %e, %t)
  return %y : tensor<2x2xf32>
}
---
module {
  func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x2xf32>) {
    %0 = core.constant() {value = dense<[4, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.gather(%x, %0) {axis = 1} : (tensor<2x5xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
}
====
# backend-slice: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-slice -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>) {
  %s = core.constant() {value = dense<[0, 0]> : tensor<2xi64>}
  %e = core.constant() {value = dense<[2, 5]> : tensor<2xi64>}
  %t = core.constant() {value = dense<[1, 2]> : tensor<2xi64>}
  %y = core.slice(%x, %s, %e, %t)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>) {
    %s = core.constant() {value = dense<[0, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %e = core.constant() {value = dense<[2, 5]> : tensor<2xi64>} : () -> tensor<2xi64>
    %t = core.constant() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.slice(%x, %s, %e, %t) : (tensor<2x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# backend-reverse
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-reverse -o -
# file: input.mlir
# stderr: backend-reverse 
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %y = core.reverse(%x) {axes = [0, 1]}
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = core.constant() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %1 = core.gather(%x, %0) {axis = 0} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    %2 = core.constant() {value = dense<[2, 1, 0]> : tensor<3xi64>} : () -> tensor<3xi64>
    %y = core.gather(%1, %2) {axis = 1} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# backend-reverse: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-reverse -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x[n]xf32>) -> (tensor<2x[n]xf32>) {
  %y = core.reverse(%x) {axes = [1]}
  return %y : tensor<2x[n]xf32>
}
---
module {
  func.func @main(%x: tensor<2x[n]xf32>) -> (tensor<2x[n]xf32>) {
    %y = core.reverse(%x) {axes = array<i64: 1>} : (tensor<2x[n]xf32>) -> tensor<2x[n]xf32>
    return %y : tensor<2x[n]xf32>
  }
}
====
# decompose-quantized-matmul
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-quantized-matmul -o -
# file: input.mlir
# stderr: decompose-quantized-matmul 
---
func.func @main(%x: tensor<2x3xui8>, %w: tensor<3x4xui8>, %a: tensor<f32>, %b: tensor<ui8>, %c: tensor<4xf32>, %d: tensor<ui8>) -> (tensor<2x4xui8>) {
  %y = core.quantized_matmul(%x, %a, %b, %w, %c, %d, %a, %b)
  return %y : tensor<2x4xui8>
}
---
module {
  func.func @main(%x: tensor<2x3xui8>, %w: tensor<3x4xui8>, %a: tensor<f32>, %b: tensor<ui8>, %c: tensor<4xf32>, %d: tensor<ui8>) -> (tensor<2x4xui8>) {
    %0 = core.constant() {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
    %1 = core.reshape(%b, %0) : (tensor<ui8>, tensor<0xi64>) -> tensor<ui8>
    %2 = core.reshape(%d, %0) : (tensor<ui8>, tensor<0xi64>) -> tensor<ui8>
    %3 = core.matmul_integer(%x, %w, %1, %2) : (tensor<2x3xui8>, tensor<3x4xui8>, tensor<ui8>, tensor<ui8>) -> tensor<2x4xi32>
    %4 = core.reshape(%a, %0) : (tensor<f32>, tensor<0xi64>) -> tensor<f32>
    %5 = core.mul(%4, %c) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %6 = core.div(%5, %4) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = core.cast(%3) {to = "f32"} : (tensor<2x4xi32>) -> tensor<2x4xf32>
    %8 = core.mul(%7, %6) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %9 = core.round(%8) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %10 = core.cast(%1) {to = "i32"} : (tensor<ui8>) -> tensor<i32>
    %11 = core.cast(%10) {to = "f32"} : (tensor<i32>) -> tensor<f32>
    %12 = core.add(%9, %11) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %13 = core.constant() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
    %14 = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %15 = core.clamp(%12, %14, %13) : (tensor<2x4xf32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
    %16 = core.cast(%15) {to = "i32"} : (tensor<2x4xf32>) -> tensor<2x4xi32>
    %y = core.cast(%16) {to = "ui8"} : (tensor<2x4xi32>) -> tensor<2x4xui8>
    return %y : tensor<2x4xui8>
  }
}
====
# decompose-quantized-matmul: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-quantized-matmul -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xui8>, %w: tensor<3x4xui8>, %a: tensor<f32>, %b: tensor<ui8>, %c: tensor<1x4xf32>, %d: tensor<ui8>) -> (tensor<2x4xui8>) {
  %y = core.quantized_matmul(%x, %a, %b, %w, %c, %d, %a, %b)
  return %y : tensor<2x4xui8>
}
---
module {
  func.func @main(%x: tensor<2x3xui8>, %w: tensor<3x4xui8>, %a: tensor<f32>, %b: tensor<ui8>, %c: tensor<1x4xf32>, %d: tensor<ui8>) -> (tensor<2x4xui8>) {
    %y = core.quantized_matmul(%x, %a, %b, %w, %c, %d, %a, %b) : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>, tensor<3x4xui8>, tensor<1x4xf32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<2x4xui8>
    return %y : tensor<2x4xui8>
  }
}
====
# decompose-quantized-conv
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-quantized-conv -o -
# file: input.mlir
# stderr: decompose-quantized-conv 
---
func.func @main(%x: tensor<1x2x4xui8>, %w: tensor<3x2x2xi8>, %a: tensor<f32>, %b: tensor<ui8>, %c: tensor<3xf32>, %k: tensor<3xi32>) -> (tensor<1x3x3xui8>) {
  %z = core.constant() {value = dense<0> : tensor<3xi8>}
  %y = core.quantized_conv(%x, %a, %b, %w, %c, %z, %a, %b, %k)
  return %y : tensor<1x3x3xui8>
}
---
module {
  func.func @main(%x: tensor<1x2x4xui8>, %w: tensor<3x2x2xi8>, %a: tensor<f32>, %b: tensor<ui8>, %c: tensor<3xf32>, %k: tensor<3xi32>) -> (tensor<1x3x3xui8>) {
    %0 = core.constant() {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
    %1 = core.reshape(%b, %0) : (tensor<ui8>, tensor<0xi64>) -> tensor<ui8>
    %2 = core.conv_integer(%x, %w, %1) : (tensor<1x2x4xui8>, tensor<3x2x2xi8>, tensor<ui8>) -> tensor<1x3x3xi32>
    %3 = core.constant() {value = dense<[1, 3, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %4 = core.reshape(%k, %3) : (tensor<3xi32>, tensor<3xi64>) -> tensor<1x3x1xi32>
    %5 = core.add(%2, %4) : (tensor<1x3x3xi32>, tensor<1x3x1xi32>) -> tensor<1x3x3xi32>
    %6 = core.reshape(%c, %3) : (tensor<3xf32>, tensor<3xi64>) -> tensor<1x3x1xf32>
    %7 = core.reshape(%a, %0) : (tensor<f32>, tensor<0xi64>) -> tensor<f32>
    %8 = core.mul(%7, %6) : (tensor<f32>, tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
    %9 = core.div(%8, %7) : (tensor<1x3x1xf32>, tensor<f32>) -> tensor<1x3x1xf32>
    %10 = core.cast(%5) {to = "f32"} : (tensor<1x3x3xi32>) -> tensor<1x3x3xf32>
    %11 = core.mul(%10, %9) : (tensor<1x3x3xf32>, tensor<1x3x1xf32>) -> tensor<1x3x3xf32>
    %12 = core.round(%11) : (tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
    %13 = core.cast(%1) {to = "i32"} : (tensor<ui8>) -> tensor<i32>
    %14 = core.cast(%13) {to = "f32"} : (tensor<i32>) -> tensor<f32>
    %15 = core.add(%12, %14) : (tensor<1x3x3xf32>, tensor<f32>) -> tensor<1x3x3xf32>
    %16 = core.constant() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
    %17 = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %18 = core.clamp(%15, %17, %16) : (tensor<1x3x3xf32>, tensor<f32>, tensor<f32>) -> tensor<1x3x3xf32>
    %19 = core.cast(%18) {to = "i32"} : (tensor<1x3x3xf32>) -> tensor<1x3x3xi32>
    %y = core.cast(%19) {to = "ui8"} : (tensor<1x3x3xi32>) -> tensor<1x3x3xui8>
    return %y : tensor<1x3x3xui8>
  }
}
====
# decompose-quantized-conv: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-quantized-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x4xui8>, %w: tensor<3x2x2xi8>, %a: tensor<2xf32>, %b: tensor<ui8>, %c: tensor<3xf32>, %k: tensor<3xi32>) -> (tensor<1x3x3xui8>) {
  %z = core.constant() {value = dense<0> : tensor<3xi8>}
  %y = core.quantized_conv(%x, %a, %b, %w, %c, %z, %a, %b, %k)
  return %y : tensor<1x3x3xui8>
}
---
module {
  func.func @main(%x: tensor<1x2x4xui8>, %w: tensor<3x2x2xi8>, %a: tensor<2xf32>, %b: tensor<ui8>, %c: tensor<3xf32>, %k: tensor<3xi32>) -> (tensor<1x3x3xui8>) {
    %z = core.constant() {value = dense<0> : tensor<3xi8>} : () -> tensor<3xi8>
    %y = core.quantized_conv(%x, %a, %b, %w, %c, %z, %a, %b, %k) : (tensor<1x2x4xui8>, tensor<2xf32>, tensor<ui8>, tensor<3x2x2xi8>, tensor<3xf32>, tensor<3xi8>, tensor<2xf32>, tensor<ui8>, tensor<3xi32>) -> tensor<1x3x3xui8>
    return %y : tensor<1x3x3xui8>
  }
}
====
# backend-pad
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-pad -o -
# file: input.mlir
# stderr: backend-pad 
---
func.func @main(%x: tensor<1x4xf32>) -> (tensor<1x9xf32>) {
  %p = core.constant() {value = dense<[0, 3, 0, 2]> : tensor<4xi64>}
  %y = core.pad(%x, %p) {mode = "reflect"}
  return %y : tensor<1x9xf32>
}
---
module {
  func.func @main(%x: tensor<1x4xf32>) -> (tensor<1x9xf32>) {
    %0 = core.constant() {value = dense<[3, 2, 1, 0, 1, 2, 3, 2, 1]> : tensor<9xi64>} : () -> tensor<9xi64>
    %y = core.gather(%x, %0) {axis = 1} : (tensor<1x4xf32>, tensor<9xi64>) -> tensor<1x9xf32>
    return %y : tensor<1x9xf32>
  }
}
====
# backend-pad: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-pad -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x9xf32>) {
  %p = core.constant() {value = dense<[0, 3, 0, 2]> : tensor<4xi64>}
  %y = core.pad(%x, %p)
  return %y : tensor<2x9xf32>
}
---
module {
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x9xf32>) {
    %p = core.constant() {value = dense<[0, 3, 0, 2]> : tensor<4xi64>} : () -> tensor<4xi64>
    %y = core.pad(%x, %p) : (tensor<2x4xf32>, tensor<4xi64>) -> tensor<2x9xf32>
    return %y : tensor<2x9xf32>
  }
}
====
# backend-conv
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-conv -o -
# file: input.mlir
# stderr: backend-conv 
---
func.func @main(%x: tensor<1x1x4x2xf32>, %w: tensor<1x1x1x3xf32>) -> (tensor<1x1x2x1xf32>) {
  %y = core.conv(%x, %w) {pads = [0, 1, 0, 1], strides = [3, 2]}
  return %y : tensor<1x1x2x1xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x4x2xf32>, %w: tensor<1x1x1x3xf32>) -> (tensor<1x1x2x1xf32>) {
    %y = core.conv(%x, %w) {pads = array<i64: 0, 1, 0, 0>, strides = array<i64: 3, 2>} : (tensor<1x1x4x2xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x2x1xf32>
    return %y : tensor<1x1x2x1xf32>
  }
}
====
# backend-conv, an element that it does not reach
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-conv -o -
# file: input.mlir
# stderr: backend-conv 
---
func.func @main(%x: tensor<1x1x6xf32>, %w: tensor<1x1x2xf32>) -> (tensor<1x1x2xf32>) {
  %y = core.conv(%x, %w) {strides = [3]}
  return %y : tensor<1x1x2xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x6xf32>, %w: tensor<1x1x2xf32>) -> (tensor<1x1x2xf32>) {
    %0 = core.constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %2 = core.slice(%x, %1, %0) {axes = array<i64: 2>} : (tensor<1x1x6xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x1x5xf32>
    %y = core.conv(%2, %w) {pads = array<i64: 0, 0>, strides = array<i64: 3>} : (tensor<1x1x5xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
    return %y : tensor<1x1x2xf32>
  }
}
====
# backend-conv: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only backend-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x1x5xf32>, %w: tensor<1x1x3xf32>) -> (tensor<1x1x3xf32>) {
  %y = core.conv(%x, %w) {pads = [1, 1], strides = [2]}
  return %y : tensor<1x1x3xf32>
}
---
module {
  func.func @main(%x: tensor<1x1x5xf32>, %w: tensor<1x1x3xf32>) -> (tensor<1x1x3xf32>) {
    %y = core.conv(%x, %w) {pads = array<i64: 1, 1>, strides = array<i64: 2>} : (tensor<1x1x5xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
    return %y : tensor<1x1x3xf32>
  }
}
====
# decompose-deform-conv
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-deform-conv -o -
# file: input.mlir
# stderr: decompose-deform-conv 
---
func.func @main(%x: tensor<1x2x5xf32>, %w: tensor<2x1x2xf32>, %o: tensor<1x2x3xf32>, %b: tensor<2xf32>, %m: tensor<1x2x3xf32>) -> (tensor<1x2x3xf32>) {
  %y = core.deform_conv(%x, %w, %o, %b, %m) {groups = 2, strides = [2], pads = [1, 0]}
  return %y : tensor<1x2x3xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x5xf32>, %w: tensor<2x1x2xf32>, %o: tensor<1x2x3xf32>, %b: tensor<2xf32>, %m: tensor<1x2x3xf32>) -> (tensor<1x2x3xf32>) {
    %0 = core.constant() {value = dense<[1, 1, 2, 1, 3]> : tensor<5xi64>} : () -> tensor<5xi64>
    %1 = core.reshape(%o, %0) : (tensor<1x2x3xf32>, tensor<5xi64>) -> tensor<1x1x2x1x3xf32>
    %2 = core.constant() {value = dense<[[[[[0.0, 2.0, 4.0]]]]]> : tensor<1x1x1x1x3xf32>} : () -> tensor<1x1x1x1x3xf32>
    %3 = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %4 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %5 = core.slice(%1, %4, %3) {axes = array<i64: 3>} : (tensor<1x1x2x1x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x1x2x1x3xf32>
    %6 = core.constant() {value = dense<[[[[[-1.0]], [[0.0]]]]]> : tensor<1x1x2x1x1xf32>} : () -> tensor<1x1x2x1x1xf32>
    %7 = core.add(%5, %6) : (tensor<1x1x2x1x3xf32>, tensor<1x1x2x1x1xf32>) -> tensor<1x1x2x1x3xf32>
    %8 = core.add(%7, %2) : (tensor<1x1x2x1x3xf32>, tensor<1x1x1x1x3xf32>) -> tensor<1x1x2x1x3xf32>
    %9 = core.constant() {value = dense<[1, 1, -1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %10 = core.reshape(%8, %9) : (tensor<1x1x2x1x3xf32>, tensor<3xi64>) -> tensor<1x1x6xf32>
    %11 = core.constant() {value = dense<[1, 1, 2, -1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %12 = core.reshape(%x, %11) : (tensor<1x2x5xf32>, tensor<4xi64>) -> tensor<1x1x2x5xf32>
    %13 = core.floor(%10) : (tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
    %14 = core.sub(%10, %13) : (tensor<1x1x6xf32>, tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
    %15 = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %16 = core.constant() {value = dense<[4.0]> : tensor<1xf32>} : () -> tensor<1xf32>
    %17 = core.le(%13, %16) : (tensor<1x1x6xf32>, tensor<1xf32>) -> tensor<1x1x6xi1>
    %18 = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %19 = core.ge(%13, %18) : (tensor<1x1x6xf32>, tensor<f32>) -> tensor<1x1x6xi1>
    %20 = core.and(%19, %17) : (tensor<1x1x6xi1>, tensor<1x1x6xi1>) -> tensor<1x1x6xi1>
    %21 = core.sub(%15, %14) : (tensor<f32>, tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
    %22 = core.select(%20, %21, %18) : (tensor<1x1x6xi1>, tensor<1x1x6xf32>, tensor<f32>) -> tensor<1x1x6xf32>
    %23 = core.max(%13, %18) : (tensor<1x1x6xf32>, tensor<f32>) -> tensor<1x1x6xf32>
    %24 = core.min(%23, %16) : (tensor<1x1x6xf32>, tensor<1xf32>) -> tensor<1x1x6xf32>
    %25 = core.cast(%24) {to = "i64"} : (tensor<1x1x6xf32>) -> tensor<1x1x6xi64>
    %26 = core.add(%13, %15) : (tensor<1x1x6xf32>, tensor<f32>) -> tensor<1x1x6xf32>
    %27 = core.le(%26, %16) : (tensor<1x1x6xf32>, tensor<1xf32>) -> tensor<1x1x6xi1>
    %28 = core.ge(%26, %18) : (tensor<1x1x6xf32>, tensor<f32>) -> tensor<1x1x6xi1>
    %29 = core.and(%28, %27) : (tensor<1x1x6xi1>, tensor<1x1x6xi1>) -> tensor<1x1x6xi1>
    %30 = core.select(%29, %14, %18) : (tensor<1x1x6xi1>, tensor<1x1x6xf32>, tensor<f32>) -> tensor<1x1x6xf32>
    %31 = core.max(%26, %18) : (tensor<1x1x6xf32>, tensor<f32>) -> tensor<1x1x6xf32>
    %32 = core.min(%31, %16) : (tensor<1x1x6xf32>, tensor<1xf32>) -> tensor<1x1x6xf32>
    %33 = core.cast(%32) {to = "i64"} : (tensor<1x1x6xf32>) -> tensor<1x1x6xi64>
    %34 = core.constant() {value = dense<[1, 1, 2, 1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %35 = core.unsqueeze(%25) {axes = array<i64: 2>} : (tensor<1x1x6xi64>) -> tensor<1x1x1x6xi64>
    %36 = core.expand(%35, %34) : (tensor<1x1x1x6xi64>, tensor<4xi64>) -> tensor<1x1x2x6xi64>
    %37 = core.gather_elements(%12, %36) {axis = 3} : (tensor<1x1x2x5xf32>, tensor<1x1x2x6xi64>) -> tensor<1x1x2x6xf32>
    %38 = core.unsqueeze(%22) {axes = array<i64: 2>} : (tensor<1x1x6xf32>) -> tensor<1x1x1x6xf32>
    %39 = core.mul(%37, %38) : (tensor<1x1x2x6xf32>, tensor<1x1x1x6xf32>) -> tensor<1x1x2x6xf32>
    %40 = core.unsqueeze(%33) {axes = array<i64: 2>} : (tensor<1x1x6xi64>) -> tensor<1x1x1x6xi64>
    %41 = core.expand(%40, %34) : (tensor<1x1x1x6xi64>, tensor<4xi64>) -> tensor<1x1x2x6xi64>
    %42 = core.gather_elements(%12, %41) {axis = 3} : (tensor<1x1x2x5xf32>, tensor<1x1x2x6xi64>) -> tensor<1x1x2x6xf32>
    %43 = core.unsqueeze(%30) {axes = array<i64: 2>} : (tensor<1x1x6xf32>) -> tensor<1x1x1x6xf32>
    %44 = core.mul(%42, %43) : (tensor<1x1x2x6xf32>, tensor<1x1x1x6xf32>) -> tensor<1x1x2x6xf32>
    %45 = core.add(%39, %44) : (tensor<1x1x2x6xf32>, tensor<1x1x2x6xf32>) -> tensor<1x1x2x6xf32>
    %46 = core.constant() {value = dense<[1, 1, 1, -1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %47 = core.reshape(%m, %46) : (tensor<1x2x3xf32>, tensor<4xi64>) -> tensor<1x1x1x6xf32>
    %48 = core.mul(%45, %47) : (tensor<1x1x2x6xf32>, tensor<1x1x1x6xf32>) -> tensor<1x1x2x6xf32>
    %49 = core.constant() {value = dense<[1, 2, 2, -1]> : tensor<4xi64>} : () -> tensor<4xi64>
    %50 = core.reshape(%48, %49) : (tensor<1x1x2x6xf32>, tensor<4xi64>) -> tensor<1x2x2x3xf32>
    %51 = core.constant() {value = dense<[2, 1, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
    %52 = core.reshape(%w, %51) : (tensor<2x1x2xf32>, tensor<3xi64>) -> tensor<2x1x2xf32>
    %53 = core.matmul(%52, %50) : (tensor<2x1x2xf32>, tensor<1x2x2x3xf32>) -> tensor<1x2x1x3xf32>
    %54 = core.constant() {value = dense<[1, 2, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
    %55 = core.reshape(%53, %54) : (tensor<1x2x1x3xf32>, tensor<3xi64>) -> tensor<1x2x3xf32>
    %56 = core.constant() {value = dense<[1, -1, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %57 = core.reshape(%b, %56) : (tensor<2xf32>, tensor<3xi64>) -> tensor<1x2x1xf32>
    %y = core.add(%55, %57) : (tensor<1x2x3xf32>, tensor<1x2x1xf32>) -> tensor<1x2x3xf32>
    return %y : tensor<1x2x3xf32>
  }
}
====
# decompose-deform-conv: sizes of the image and of the batch are open.
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-deform-conv -o - | grep -c "core.gather_elements"
# file: input.mlir
# stderr: decompose-deform-conv 
---
func.func @main(%x: tensor<[n]x2x[h]x[w]xf32>, %w: tensor<4x2x3x3xf32>, %o: tensor<[n]x36x[h-2]x[w-2]xf32>) -> (tensor<[n]x4x[h-2]x[w-2]xf32>) {
  %y = core.deform_conv(%x, %w, %o) {offset_group = 2}
  return %y : tensor<[n]x4x[h-2]x[w-2]xf32>
}
---
4
====
# decompose-deform-conv: must not fire where the offsets' own sizes are others.
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-deform-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x[h]x[w]xf32>, %w: tensor<4x2x3x3xf32>, %o: tensor<1x18x[p]x[q]xf32>) -> (tensor<1x4x[p]x[q]xf32>) {
  %y = core.deform_conv(%x, %w, %o)
  return %y : tensor<1x4x[p]x[q]xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x[h]x[w]xf32>, %w: tensor<4x2x3x3xf32>, %o: tensor<1x18x[p]x[q]xf32>) -> (tensor<1x4x[h-2]x[w-2]xf32>) {
    %y = core.deform_conv(%x, %w, %o) : (tensor<1x2x[h]x[w]xf32>, tensor<4x2x3x3xf32>, tensor<1x18x[p]x[q]xf32>) -> tensor<1x4x[h-2]x[w-2]xf32>
    return %y : tensor<1x4x[h-2]x[w-2]xf32>
  }
}
====
# decompose-deform-conv: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-deform-conv -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x5xf32>, %w: tensor<2x1x[k]xf32>, %o: tensor<1x2x2xf32>) -> (!unknown) {
  %y = core.deform_conv(%x, %w, %o) {groups = 2}
  return %y : !unknown
}
---
module {
  func.func @main(%x: tensor<1x2x5xf32>, %w: tensor<2x1x[k]xf32>, %o: tensor<1x2x2xf32>) -> (tensor<1x2x[-k+6]xf32>) {
    %y = core.deform_conv(%x, %w, %o) {groups = 2} : (tensor<1x2x5xf32>, tensor<2x1x[k]xf32>, tensor<1x2x2xf32>) -> tensor<1x2x[-k+6]xf32>
    return %y : tensor<1x2x[-k+6]xf32>
  }
}
====
# decompose-roi-align
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-roi-align -o -
# file: input.mlir
# stderr: decompose-roi-align 
---
func.func @main(%x: tensor<1x2x4x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) -> (tensor<3x2x2x2xf32>) {
  %y = core.roi_align(%x, %r, %b) {output_height = 2, output_width = 2, sampling_ratio = 1, mode = "max", coordinate_transformation_mode = "output_half_pixel"}
  return %y : tensor<3x2x2x2xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x4x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) -> (tensor<3x2x2x2xf32>) {
    %0 = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %2 = core.slice(%r, %1, %0) {axes = array<i64: 1>} : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x1xf32>
    %3 = core.constant() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %4 = core.mul(%2, %3) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %5 = core.constant() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %6 = core.sub(%4, %5) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %7 = core.constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %8 = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %9 = core.slice(%r, %8, %7) {axes = array<i64: 1>} : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x1xf32>
    %10 = core.mul(%9, %3) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %11 = core.sub(%10, %5) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %12 = core.sub(%11, %6) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %13 = core.max(%12, %3) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %14 = core.constant() {value = dense<[[0.5, 1.5]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
    %15 = core.mul(%13, %14) : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
    %16 = core.constant() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %17 = core.div(%15, %16) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %18 = core.add(%6, %17) : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %19 = core.constant() {value = dense<[4.0]> : tensor<1xf32>} : () -> tensor<1xf32>
    %20 = core.constant() {value = dense<[3.0]> : tensor<1xf32>} : () -> tensor<1xf32>
    %21 = core.le(%18, %19) : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xi1>
    %22 = core.constant() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
    %23 = core.ge(%18, %22) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xi1>
    %24 = core.and(%23, %21) : (tensor<3x2xi1>, tensor<3x2xi1>) -> tensor<3x2xi1>
    %25 = core.max(%18, %5) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %26 = core.min(%25, %20) : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
    %27 = core.floor(%26) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %28 = core.sub(%26, %27) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %29 = core.sub(%3, %28) : (tensor<f32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %30 = core.cast(%27) {to = "i64"} : (tensor<3x2xf32>) -> tensor<3x2xi64>
    %31 = core.add(%27, %3) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %32 = core.min(%31, %20) : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
    %33 = core.cast(%32) {to = "i64"} : (tensor<3x2xf32>) -> tensor<3x2xi64>
    %34 = core.select(%24, %29, %5) : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %35 = core.select(%24, %28, %5) : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %36 = core.constant() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %37 = core.slice(%r, %36, %1) {axes = array<i64: 1>} : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x1xf32>
    %38 = core.mul(%37, %3) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %39 = core.sub(%38, %5) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %40 = core.slice(%r, %0, %8) {axes = array<i64: 1>} : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x1xf32>
    %41 = core.mul(%40, %3) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %42 = core.sub(%41, %5) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %43 = core.sub(%42, %39) : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %44 = core.max(%43, %3) : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
    %45 = core.mul(%44, %14) : (tensor<3x1xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
    %46 = core.div(%45, %16) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %47 = core.add(%39, %46) : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %48 = core.constant() {value = dense<[5]> : tensor<1xi64>} : () -> tensor<1xi64>
    %49 = core.constant() {value = dense<[5.0]> : tensor<1xf32>} : () -> tensor<1xf32>
    %50 = core.le(%47, %49) : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xi1>
    %51 = core.ge(%47, %22) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xi1>
    %52 = core.and(%51, %50) : (tensor<3x2xi1>, tensor<3x2xi1>) -> tensor<3x2xi1>
    %53 = core.max(%47, %5) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %54 = core.min(%53, %19) : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
    %55 = core.floor(%54) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %56 = core.sub(%54, %55) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %57 = core.sub(%3, %56) : (tensor<f32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %58 = core.cast(%55) {to = "i64"} : (tensor<3x2xf32>) -> tensor<3x2xi64>
    %59 = core.add(%55, %3) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %60 = core.min(%59, %19) : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
    %61 = core.cast(%60) {to = "i64"} : (tensor<3x2xf32>) -> tensor<3x2xi64>
    %62 = core.select(%52, %57, %5) : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %63 = core.select(%52, %56, %5) : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    %64 = core.transpose(%x) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x5xf32>) -> tensor<1x4x5x2xf32>
    %65 = core.constant() {value = dense<[-1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %66 = core.reshape(%64, %65) : (tensor<1x4x5x2xf32>, tensor<2xi64>) -> tensor<20x2xf32>
    %67 = core.constant() {value = dense<[-1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
    %68 = core.reshape(%b, %67) : (tensor<3xi64>, tensor<2xi64>) -> tensor<3x1xi64>
    %69 = core.mul(%68, %7) : (tensor<3x1xi64>, tensor<1xi64>) -> tensor<3x1xi64>
    %70 = core.add(%69, %30) : (tensor<3x1xi64>, tensor<3x2xi64>) -> tensor<3x2xi64>
    %71 = core.mul(%70, %48) : (tensor<3x2xi64>, tensor<1xi64>) -> tensor<3x2xi64>
    %72 = core.unsqueeze(%58) {axes = array<i64: 1>} : (tensor<3x2xi64>) -> tensor<3x1x2xi64>
    %73 = core.unsqueeze(%71) {axes = array<i64: 2>} : (tensor<3x2xi64>) -> tensor<3x2x1xi64>
    %74 = core.add(%73, %72) : (tensor<3x2x1xi64>, tensor<3x1x2xi64>) -> tensor<3x2x2xi64>
    %75 = core.unsqueeze(%62) {axes = array<i64: 1>} : (tensor<3x2xf32>) -> tensor<3x1x2xf32>
    %76 = core.unsqueeze(%34) {axes = array<i64: 2>} : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
    %77 = core.mul(%76, %75) : (tensor<3x2x1xf32>, tensor<3x1x2xf32>) -> tensor<3x2x2xf32>
    %78 = core.gather(%66, %74) {axis = 0} : (tensor<20x2xf32>, tensor<3x2x2xi64>) -> tensor<3x2x2x2xf32>
    %79 = core.unsqueeze(%77) {axes = array<i64: 3>} : (tensor<3x2x2xf32>) -> tensor<3x2x2x1xf32>
    %80 = core.mul(%78, %79) : (tensor<3x2x2x2xf32>, tensor<3x2x2x1xf32>) -> tensor<3x2x2x2xf32>
    %81 = core.unsqueeze(%61) {axes = array<i64: 1>} : (tensor<3x2xi64>) -> tensor<3x1x2xi64>
    %82 = core.add(%73, %81) : (tensor<3x2x1xi64>, tensor<3x1x2xi64>) -> tensor<3x2x2xi64>
    %83 = core.unsqueeze(%63) {axes = array<i64: 1>} : (tensor<3x2xf32>) -> tensor<3x1x2xf32>
    %84 = core.mul(%76, %83) : (tensor<3x2x1xf32>, tensor<3x1x2xf32>) -> tensor<3x2x2xf32>
    %85 = core.gather(%66, %82) {axis = 0} : (tensor<20x2xf32>, tensor<3x2x2xi64>) -> tensor<3x2x2x2xf32>
    %86 = core.unsqueeze(%84) {axes = array<i64: 3>} : (tensor<3x2x2xf32>) -> tensor<3x2x2x1xf32>
    %87 = core.mul(%85, %86) : (tensor<3x2x2x2xf32>, tensor<3x2x2x1xf32>) -> tensor<3x2x2x2xf32>
    %88 = core.max(%80, %87) : (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>) -> tensor<3x2x2x2xf32>
    %89 = core.add(%69, %33) : (tensor<3x1xi64>, tensor<3x2xi64>) -> tensor<3x2xi64>
    %90 = core.mul(%89, %48) : (tensor<3x2xi64>, tensor<1xi64>) -> tensor<3x2xi64>
    %91 = core.unsqueeze(%90) {axes = array<i64: 2>} : (tensor<3x2xi64>) -> tensor<3x2x1xi64>
    %92 = core.add(%91, %72) : (tensor<3x2x1xi64>, tensor<3x1x2xi64>) -> tensor<3x2x2xi64>
    %93 = core.unsqueeze(%35) {axes = array<i64: 2>} : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
    %94 = core.mul(%93, %75) : (tensor<3x2x1xf32>, tensor<3x1x2xf32>) -> tensor<3x2x2xf32>
    %95 = core.gather(%66, %92) {axis = 0} : (tensor<20x2xf32>, tensor<3x2x2xi64>) -> tensor<3x2x2x2xf32>
    %96 = core.unsqueeze(%94) {axes = array<i64: 3>} : (tensor<3x2x2xf32>) -> tensor<3x2x2x1xf32>
    %97 = core.mul(%95, %96) : (tensor<3x2x2x2xf32>, tensor<3x2x2x1xf32>) -> tensor<3x2x2x2xf32>
    %98 = core.max(%88, %97) : (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>) -> tensor<3x2x2x2xf32>
    %99 = core.add(%91, %81) : (tensor<3x2x1xi64>, tensor<3x1x2xi64>) -> tensor<3x2x2xi64>
    %100 = core.mul(%93, %83) : (tensor<3x2x1xf32>, tensor<3x1x2xf32>) -> tensor<3x2x2xf32>
    %101 = core.gather(%66, %99) {axis = 0} : (tensor<20x2xf32>, tensor<3x2x2xi64>) -> tensor<3x2x2x2xf32>
    %102 = core.unsqueeze(%100) {axes = array<i64: 3>} : (tensor<3x2x2xf32>) -> tensor<3x2x2x1xf32>
    %103 = core.mul(%101, %102) : (tensor<3x2x2x2xf32>, tensor<3x2x2x1xf32>) -> tensor<3x2x2x2xf32>
    %104 = core.max(%98, %103) : (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>) -> tensor<3x2x2x2xf32>
    %105 = core.constant() {value = dense<[-1, 2, 1, 2, 1, 2]> : tensor<6xi64>} : () -> tensor<6xi64>
    %106 = core.reshape(%104, %105) : (tensor<3x2x2x2xf32>, tensor<6xi64>) -> tensor<3x2x1x2x1x2xf32>
    %107 = core.reduce(%106) {axes = array<i64: 2, 4>, keepdims = 0, kind = "max"} : (tensor<3x2x1x2x1x2xf32>) -> tensor<3x2x2x2xf32>
    %y = core.transpose(%107) {perm = array<i64: 0, 3, 1, 2>} : (tensor<3x2x2x2xf32>) -> tensor<3x2x2x2xf32>
    return %y : tensor<3x2x2x2xf32>
  }
}
====
# decompose-roi-align: sizes of the image and the number of regions are open.
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-roi-align -o - | grep -c "core.gather("
# file: input.mlir
# stderr: decompose-roi-align 
---
func.func @main(%x: tensor<[n]x2x[h]x[w]xf32>, %r: tensor<[r]x4xf32>, %b: tensor<[r]xi64>) -> (tensor<[r]x2x2x2xf32>) {
  %y = core.roi_align(%x, %r, %b) {output_height = 2, output_width = 2, sampling_ratio = 2}
  return %y : tensor<[r]x2x2x2xf32>
}
---
4
====
# decompose-roi-align: must not fire
# run: opt %s --passes shapes,rules,shapes,fold,dce --only decompose-roi-align -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x2x4x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) -> (tensor<3x2x2x2xf32>) {
  %y = core.roi_align(%x, %r, %b) {output_height = 2, output_width = 2}
  return %y : tensor<3x2x2x2xf32>
}
---
module {
  func.func @main(%x: tensor<1x2x4x5xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) -> (tensor<3x2x2x2xf32>) {
    %y = core.roi_align(%x, %r, %b) {output_height = 2, output_width = 2} : (tensor<1x2x4x5xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x2x2xf32>
    return %y : tensor<3x2x2x2xf32>
  }
}

# cast-noop
# run: opt %s --passes shapes,rules,shapes,dce --only cast-noop -o -
# file: input.mlir
# stderr: cast-noop 
---
func.func @main(%x: tensor<3xf32>) -> (!unknown) {
  %y = core.cast(%x) {to = "f32"}
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<6xf32>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    return %r0 : tensor<6xf32>
  }
}
====
# cast-noop: must not fire
# run: opt %s --passes shapes,rules,shapes,dce --only cast-noop -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf64>) {
  %y = core.cast(%x) {to = "f64"}
  return %y : tensor<3xf64>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf64>) {
    %y = core.cast(%x) {to = "f64"} : (tensor<3xf32>) -> tensor<3xf64>
    return %y : tensor<3xf64>
  }
}
====
# cast-cast
# run: opt %s --passes shapes,rules,shapes,dce --only cast-cast -o -
# file: input.mlir
# stderr: cast-cast 
---
func.func @main(%x: tensor<3xi8>) -> (tensor<3xi64>) {
  %a = core.cast(%x) {to = "i32"}
  %y = core.cast(%a) {to = "i64"}
  return %y : tensor<3xi64>
}
---
module {
  func.func @main(%x: tensor<3xi8>) -> (tensor<3xi64>) {
    %y = core.cast(%x) {to = "i64"} : (tensor<3xi8>) -> tensor<3xi64>
    return %y : tensor<3xi64>
  }
}
====
# cast-cast: the first one loses the fraction
# run: opt %s --passes shapes,rules,shapes,dce --only cast-cast -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.cast(%x) {to = "i32"}
  %y = core.cast(%a) {to = "f32"}
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.cast(%x) {to = "i32"} : (tensor<3xf32>) -> tensor<3xi32>
    %y = core.cast(%a) {to = "f32"} : (tensor<3xi32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# cast-moved
# run: opt %s --passes shapes,rules,shapes,dce --only cast-moved -o -
# file: input.mlir
# stderr: cast-moved 
---
func.func @main(%x: tensor<6xf16>) -> (tensor<2x3xf16>) {
  %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>}
  %a = core.cast(%x) {to = "f32"}
  %b = core.reshape(%a, %s)
  %y = core.cast(%b) {to = "f16"}
  return %y : tensor<2x3xf16>
}
---
module {
  func.func @main(%x: tensor<6xf16>) -> (tensor<2x3xf16>) {
    %s = core.constant() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = core.reshape(%x, %s) : (tensor<6xf16>, tensor<2xi64>) -> tensor<2x3xf16>
    return %y : tensor<2x3xf16>
  }
}
====
# cast-compare
# run: opt %s --passes shapes,rules,shapes,dce --only cast-compare -o -
# file: input.mlir
# stderr: cast-compare 
---
func.func @main(%a: tensor<3xi32>, %b: tensor<3xi32>) -> (tensor<3xi1>) {
  %c = core.cast(%a) {to = "i64"}
  %d = core.cast(%b) {to = "i64"}
  %y = core.lt(%c, %d)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%a: tensor<3xi32>, %b: tensor<3xi32>) -> (tensor<3xi1>) {
    %y = core.lt(%a, %b) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# cast-compare: f32 does not hold every i64
# run: opt %s --passes shapes,rules,shapes,dce --only cast-compare -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%a: tensor<3xi64>, %b: tensor<3xi64>) -> (tensor<3xi1>) {
  %c = core.cast(%a) {to = "f32"}
  %d = core.cast(%b) {to = "f32"}
  %y = core.lt(%c, %d)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%a: tensor<3xi64>, %b: tensor<3xi64>) -> (tensor<3xi1>) {
    %c = core.cast(%a) {to = "f32"} : (tensor<3xi64>) -> tensor<3xf32>
    %d = core.cast(%b) {to = "f32"} : (tensor<3xi64>) -> tensor<3xf32>
    %y = core.lt(%c, %d) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# cast-bool-compare
# run: opt %s --passes shapes,rules,shapes,dce --only cast-bool-compare -o -
# file: input.mlir
# stderr: cast-bool-compare 
---
func.func @main(%b: tensor<3xi1>) -> (tensor<3xi1>) {
  %z = core.constant() {value = dense<0> : tensor<i32>}
  %c = core.cast(%b) {to = "i32"}
  %y = core.eq(%c, %z)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%b: tensor<3xi1>) -> (tensor<3xi1>) {
    %y = core.not(%b) : (tensor<3xi1>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# quantize-dequantize
# run: opt %s --passes shapes,rules,shapes,dce --only quantize-dequantize -o -
# file: input.mlir
# stderr: quantize-dequantize 
---
func.func @main(%x: tensor<4xui8>) -> (!unknown) {
  %s = core.constant() {value = dense<0.5> : tensor<f32>}
  %z = core.constant() {value = dense<3> : tensor<ui8>}
  %f = core.dequantize(%x, %s, %z)
  %y = core.quantize(%f, %s, %z)
  %r0 = core.concat(%y, %y) {axis = 0}
  return %r0 : !unknown
}
---
module {
  func.func @main(%x: tensor<4xui8>) -> (tensor<8xui8>) {
    %r0 = core.concat(%x, %x) {axis = 0} : (tensor<4xui8>, tensor<4xui8>) -> tensor<8xui8>
    return %r0 : tensor<8xui8>
  }
}
====
# quantize-dequantize: another scale
# run: opt %s --passes shapes,rules,shapes,dce --only quantize-dequantize -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xui8>) -> (tensor<4xui8>) {
  %s = core.constant() {value = dense<0.5> : tensor<f32>}
  %t = core.constant() {value = dense<0.25> : tensor<f32>}
  %z = core.constant() {value = dense<3> : tensor<ui8>}
  %f = core.dequantize(%x, %s, %z)
  %y = core.quantize(%f, %t, %z)
  return %y : tensor<4xui8>
}
---
module {
  func.func @main(%x: tensor<4xui8>) -> (tensor<4xui8>) {
    %s = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %t = core.constant() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
    %z = core.constant() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
    %f = core.dequantize(%x, %s, %z) : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
    %y = core.quantize(%f, %t, %z) : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
    return %y : tensor<4xui8>
  }
}
====
# cast-bool-compare: compared with 2
# run: opt %s --passes shapes,rules,shapes,dce --only cast-bool-compare -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
  %a = core.cast(%x) {to = "i32"}
  %k = core.constant() {value = dense<2> : tensor<i32>}
  %y = core.eq(%a, %k)
  return %y : tensor<3xi1>
}
---
module {
  func.func @main(%x: tensor<3xi1>) -> (tensor<3xi1>) {
    %a = core.cast(%x) {to = "i32"} : (tensor<3xi1>) -> tensor<3xi32>
    %k = core.constant() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
    %y = core.eq(%a, %k) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi1>
    return %y : tensor<3xi1>
  }
}
====
# cast-moved: the inner type is narrower
# run: opt %s --passes shapes,rules,shapes,dce --only cast-moved -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>) {
  %a = core.cast(%x) {to = "f16"}
  %s = core.constant() {value = dense<[6]> : tensor<1xi64>}
  %r = core.reshape(%a, %s)
  %y = core.cast(%r) {to = "f32"}
  return %y : tensor<6xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<6xf32>) {
    %a = core.cast(%x) {to = "f16"} : (tensor<2x3xf32>) -> tensor<2x3xf16>
    %s = core.constant() {value = dense<[6]> : tensor<1xi64>} : () -> tensor<1xi64>
    %r = core.reshape(%a, %s) : (tensor<2x3xf16>, tensor<1xi64>) -> tensor<6xf16>
    %y = core.cast(%r) {to = "f32"} : (tensor<6xf16>) -> tensor<6xf32>
    return %y : tensor<6xf32>
  }
}

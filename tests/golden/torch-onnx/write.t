# Names, absent operands, symbolic sizes, attributes of each kind; what was written reads back as itself.
# run: convert %s -t torch-onnx -o %t/a.mlir
# run: convert %t/a.mlir -t torch-onnx -o %t/b.mlir
# run: info --quiet %t/b.mlir > /dev/null
# run: convert %t/b.mlir -t torch-onnx -o -
---
module attributes {ir_version = 8, opset_imports = {"" = 17, "com.microsoft" = 1}, producer_name = "a \"b\"\n\C3\A9", hone.format = "onnx"} {
  func.func @main(%x: tensor<[n]x3xf32>, %0: tensor<3xf32> {hone.name = "w/1"}) -> (tensor<[n]x3xf32> {hone.name = "out"}) attributes {hone.block = "torch-jit-export"} {
    %k = onnx.initializer() {value = dense<[0.1, 1.0e-05, -0.0]> : tensor<3xf32>} : () -> tensor<3xf32>
    %m = onnx.Constant() {value_floats = array<f32: 1.0, 0.3, 123456789.0>} : () -> tensor<3xf32>
    %c = onnx.Clip(%x, _, %k) : (tensor<[n]x3xf32>, none, tensor<3xf32>) -> tensor<[n]x3xf32>
    %a = onnx.Add(%c, %0) : (tensor<[n]x3xf32>, tensor<3xf32>) -> tensor<[n]x3xf32>
    %t = onnx.Transpose(%a) {perm = array<i64: 1, 0>} : (tensor<[n]x3xf32>) -> !unknown
    %u = onnx.Transpose(%t) {perm = array<i64: 1, 0>} : (!unknown) -> !unknown
    %g = "onnx.com.microsoft::Gelu"(%u) : (!unknown) -> !unknown
    %y = onnx.Mul(%g, %m) {hone.node = "last"} : (!unknown, tensor<3xf32>) -> tensor<[n]x3xf32>
    return %y : tensor<[n]x3xf32>
  }
}
---
module {
  func.func @"torch-jit-export"(%arg0: !torch.vtensor<[?,3],f32> {hone.dims = ["n", "3"], hone.name = "x"}, %arg1: !torch.vtensor<[3],f32> {hone.name = "w/1"}) -> (!torch.vtensor<[?,3],f32> {hone.dims = ["n", "3"], hone.name = "out"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.opset_versions = {com.microsoft = 1 : si64}, torch.onnx_meta.producer_name = "a \22b\22\0A\C3\A9", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[1.000000e-01, 9.99999974E-6, -0.000000e+00]> : tensor<3xf32>} : () -> !torch.vtensor<[3],f32> 
    %1 = torch.operator "onnx.Constant"() {torch.onnx.value_floats = [1.000000e+00 : f32, 3.000000e-01 : f32, 0x4CEB79A3 : f32]} : () -> !torch.vtensor<[3],f32> 
    %2 = torch.operator "onnx.Clip"(%arg0, %none, %0) : (!torch.vtensor<[?,3],f32>, !torch.none, !torch.vtensor<[3],f32>) -> !torch.vtensor<[?,3],f32> 
    %3 = torch.operator "onnx.Add"(%2, %arg1) : (!torch.vtensor<[?,3],f32>, !torch.vtensor<[3],f32>) -> !torch.vtensor<[?,3],f32> 
    %4 = torch.operator "onnx.Transpose"(%3) {torch.onnx.perm = [1 : si64, 0 : si64]} : (!torch.vtensor<[?,3],f32>) -> !torch.vtensor<[3,?],f32> 
    %5 = torch.operator "onnx.Transpose"(%4) {torch.onnx.perm = [1 : si64, 0 : si64]} : (!torch.vtensor<[3,?],f32>) -> !torch.vtensor<[?,3],f32> 
    %6 = torch.operator "onnx.Gelu"(%5) : (!torch.vtensor<[?,3],f32>) -> !torch.vtensor<[?,3],f32> 
    %7 = torch.operator "onnx.Mul"(%6, %1) : (!torch.vtensor<[?,3],f32>, !torch.vtensor<[3],f32>) -> !torch.vtensor<[?,3],f32> 
    return %7 : !torch.vtensor<[?,3],f32>
  }
}

====
# The importers' text and no more.
# run: import-onnx %s
---
module attributes {ir_version = 8, opset_imports = {"" = 17}, hone.format = "onnx"} {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32> {hone.name = "out"}) {
    %y = onnx.Relu(%x) : (tensor<[n]x3xf32>) -> tensor<[n]x3xf32>
    return %y : tensor<[n]x3xf32>
  }
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,3],f32>) -> !torch.vtensor<[?,3],f32> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.Relu"(%arg0) : (!torch.vtensor<[?,3],f32>) -> !torch.vtensor<[?,3],f32> 
    return %0 : !torch.vtensor<[?,3],f32>
  }
}

====
# The else branch comes first; the two branches number their values alike.
# run: import-onnx %s
---
module attributes {ir_version = 8, opset_imports = {"" = 17}, hone.format = "onnx"} {
  func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>) {
    %y = onnx.If(%c) ({
      %a = onnx.Relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
      core.yield(%a) : (tensor<2xf32>) -> ()
    }, {
      %b = onnx.Neg(%x) : (tensor<2xf32>) -> tensor<2xf32>
      core.yield(%b) : (tensor<2xf32>) -> ()
    }) {graph_names = ["then_branch", "else_branch"]} : (tensor<i1>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[],i1>, %arg1: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.If"(%arg0) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[2],f32> {
      %1 = torch.operator "onnx.Neg"(%arg1) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> 
      torch.operator_terminator %1 : !torch.vtensor<[2],f32>
    }, {
      %1 = torch.operator "onnx.Relu"(%arg1) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> 
      torch.operator_terminator %1 : !torch.vtensor<[2],f32>
    }
    return %0 : !torch.vtensor<[2],f32>
  }
}

====
# What the dialect cannot say is refused by name.
# run: import-onnx %s
# stderr: a constant of strings of op Constant, node "words"
# exit: 4
---
module attributes {ir_version = 8, opset_imports = {"" = 17}, hone.format = "onnx"} {
  func.func @main() -> (tensor<2x!hone.str>) {
    %y = onnx.Constant() {value = dense<["a", "b"]> : tensor<2x!hone.str>, hone.node = "words"} : () -> tensor<2x!hone.str>
    return %y : tensor<2x!hone.str>
  }
}
====
# Weights beside the text, and back.
# run: import-onnx %s -o %t/a.mlir --externalize-params --num-elements-threshold 4
# run: convert %t/a.mlir -t torch-onnx -o -
---
module attributes {ir_version = 8, opset_imports = {"" = 17}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xi64>) {
    %w = onnx.initializer() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %0 = onnx.initializer() {value = dense<7> : tensor<4xi64>, hone.names = ["a/b::c"]} : () -> tensor<4xi64>
    %s = onnx.initializer() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %y = onnx.Add(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = onnx.Mul(%y, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %j = onnx.Add(%i, %0) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    return %z, %j : tensor<4xf32>, tensor<4xi64>
  }
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[4],f32>, %arg1: !torch.vtensor<[4],si64>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],si64>) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>} : () -> !torch.vtensor<[4],f32> 
    %1 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<7> : tensor<4xsi64>} : () -> !torch.vtensor<[4],si64> 
    %none = torch.constant.none
    %2 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<2.000000e+00> : tensor<f32>} : () -> !torch.vtensor<[],f32> 
    %3 = torch.operator "onnx.Add"(%arg0, %0) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> 
    %4 = torch.operator "onnx.Mul"(%3, %2) : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32> 
    %5 = torch.operator "onnx.Add"(%arg1, %1) : (!torch.vtensor<[4],si64>, !torch.vtensor<[4],si64>) -> !torch.vtensor<[4],si64> 
    return %4, %5 : !torch.vtensor<[4],f32>, !torch.vtensor<[4],si64>
  }
}

====
# The text that names parameters.
# run: import-onnx %s --externalize-params --no-save-params --num-elements-threshold 4 --externalize-inputs-threshold 1 --params-scope s
---
module attributes {ir_version = 8, opset_imports = {"" = 17}, hone.format = "onnx"} {
  func.func @main(%x: tensor<4xf32>, %p: tensor<2xui8>) -> (tensor<4xf32>, tensor<2xui8>) {
    %w = onnx.initializer() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %y = onnx.Add(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y, %p : tensor<4xf32>, tensor<2xui8>
  }
}
---
module {
  util.global private @p = #stream.parameter.named<"s"::"p"> : tensor<2xi8>
  util.global private @w = #stream.parameter.named<"s"::"w"> : tensor<4xf32>
  func.func @main(%arg0: !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[2],ui8>) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = util.global.load @p : tensor<2xi8>
    %1 = torch_c.from_builtin_tensor %0 : tensor<2xi8> -> !torch.vtensor<[2],ui8>
    %2 = util.global.load @w : tensor<4xf32>
    %3 = torch_c.from_builtin_tensor %2 : tensor<4xf32> -> !torch.vtensor<[4],f32>
    %none = torch.constant.none
    %4 = torch.operator "onnx.Add"(%arg0, %3) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> 
    return %4, %1 : !torch.vtensor<[4],f32>, !torch.vtensor<[2],ui8>
  }
}

====
# run: import-onnx %s --externalize-params
# stderr: --save-params-to must name the archive
# exit: 2
---
module {
}
====
# an operand left out at the end of a list is not named
# run: opt -q %s -t torch-onnx -o -
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,1,3,3] x) => (float[1,1,3,3] y) <float[1,1,1,1] w = {2}> {
   y = Conv (x, w, )
}
---
module {
  func.func @g(%arg0: !torch.vtensor<[1,1,3,3],f32> {hone.name = "x"}) -> (!torch.vtensor<[1,1,3,3],f32> {hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<2.000000e+00> : tensor<1x1x1x1xf32>} : () -> !torch.vtensor<[1,1,1,1],f32> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Conv"(%arg0, %0) {torch.onnx.kernel_shape = [1 : si64, 1 : si64]} : (!torch.vtensor<[1,1,3,3],f32>, !torch.vtensor<[1,1,1,1],f32>) -> !torch.vtensor<[1,1,3,3],f32> 
    return %1 : !torch.vtensor<[1,1,3,3],f32>
  }
}

====
# An input with a default is the constant, of the constant's type; a size that the input leaves open is known.
# run: convert %s -o - -t torch-onnx
---
module attributes {ir_version = 8, opset_imports = {"" = 17}, hone.format = "onnx"} {
  func.func @main(%x: tensor<[N]x2xf32>, %w: tensor<[N]x2xf32> {hone.default = dense<[[1.0, 2.0]]> : tensor<1x2xf32>}) -> tensor<[N]x2xf32> {
    %y = onnx.Add(%x, %w) : (tensor<[N]x2xf32>, tensor<[N]x2xf32>) -> tensor<[N]x2xf32>
    return %y : tensor<[N]x2xf32>
  }
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,2],f32> {hone.dims = ["N", "2"], hone.name = "x"}) -> (!torch.vtensor<[?,2],f32> {hone.dims = ["N", "2"]}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[[1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>} : () -> !torch.vtensor<[1,2],f32> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Add"(%arg0, %0) : (!torch.vtensor<[?,2],f32>, !torch.vtensor<[1,2],f32>) -> !torch.vtensor<[?,2],f32> 
    return %1 : !torch.vtensor<[?,2],f32>
  }
}


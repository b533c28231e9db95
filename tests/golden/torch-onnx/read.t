# Both spellings of lists, typed numbers, the bits of floats, a domain that the text leaves out, a rank that is not known.
# run: convert %s -o - -t mlir
---
module {
  func.func @"torch-jit-export"(%arg0: !torch.vtensor<[?,3],f32>, %input_1: !torch.vtensor<[],si64>) -> (!torch.vtensor<[],f32>, !torch.list<vtensor<[2],ui8>>) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.opset_versions = {com.microsoft = 1 : si64}, torch.onnx_meta.producer_name = "p\0A", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.Foo"(%arg0, %none) {torch.onnx.axes = [1 : si64, -2 : si64], torch.onnx.empty = [], torch.onnx.f = 0x4CEB79A3 : f32, torch.onnx.g = 9.99999974E-6 : f32, torch.onnx.h = 0x7F800000 : f32, torch.onnx.names = ["a", "b\22"], "torch.onnx.my-attr" = [1.000000e+00 : f32]} : (!torch.vtensor<[?,3],f32>, !torch.none) -> !torch.none 
    %1 = torch.operator "onnx.SkipLayerNormalization"(%0, %0, %input_1) {} : (!torch.none, !torch.none, !torch.vtensor<[],si64>) -> !torch.vtensor<[],f32>
    %2 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<"0x0102"> : tensor<2xui8>} : () -> !torch.vtensor<[2],ui8> 
    %3 = torch.operator "onnx.Constant"() {torch.onnx.value = dense_resource<"a/b"> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> loc("three")
    %4 = torch.operator "onnx.SequenceConstruct"(%2) : (!torch.vtensor<[2],ui8>) -> !torch.list<vtensor<[2],ui8>> 
    return %1, %4 : !torch.vtensor<[],f32>, !torch.list<vtensor<[2],ui8>>
  }
}
{-#
  dialect_resources: {
    builtin: {
      "a/b": "0x0800000001000000000000000200000000000000"
    }
  }
#-}
---
module attributes {ir_version = 8, opset_imports = {"" = 17, com.microsoft = 1}, producer_name = "p\0A", producer_version = "", hone.format = "torch-onnx"} {
  func.func @main(%arg0: tensor<[?1]x3xf32>, %input_1: tensor<i64>) -> (tensor<*xf32>, !seq<tensor<2xui8>>) attributes {hone.block = "torch-jit-export"} {
    %0 = "onnx.Foo"(%arg0, _) {axes = array<i64: 1, -2>, empty = array<i64>, f = 1.2345679e+08 : f32, g = 1.0e-05 : f32, h = 0x7F800000 : f32, "my-attr" = array<f32: 1.0>, names = ["a", "b\""]} : (tensor<[?1]x3xf32>, none) -> !unknown
    %1 = "onnx.com.microsoft::SkipLayerNormalization"(%0, %0, %input_1) : (!unknown, !unknown, tensor<i64>) -> tensor<*xf32>
    %2 = onnx.Constant() {value = dense<[1, 2]> : tensor<2xui8>} : () -> tensor<2xui8>
    %3 = onnx.Constant() {value = dense<[1, 2]> : tensor<2xi64>, hone.node = "three"} : () -> tensor<2xi64>
    %4 = onnx.SequenceConstruct(%2) : (tensor<2xui8>) -> !seq<tensor<2xui8>>
    return %1, %4 : tensor<*xf32>, !seq<tensor<2xui8>>
  }
}
====
# Regions: the else branch stands first; %none of a region of its own; values from outside.
# run: convert %s -o - -t mlir
---
module {
  func.func @f(%arg0: !torch.vtensor<[],i1>, %arg1: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.If"(%arg0) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[2],f32> {
      %none_0 = torch.constant.none
      %1 = torch.operator "onnx.Neg"(%arg1) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> 
      torch.operator_terminator %1 : !torch.vtensor<[2],f32>
    }, {
      %none_0 = torch.constant.none
      %1 = torch.operator "onnx.Clip"(%arg1, %none_0, %none) : (!torch.vtensor<[2],f32>, !torch.none, !torch.none) -> !torch.vtensor<[2],f32> 
      torch.operator_terminator %1 : !torch.vtensor<[2],f32>
    }
    return %0 : !torch.vtensor<[2],f32>
  }
}
---
module attributes {ir_version = 8, opset_imports = {"" = 17}, hone.format = "torch-onnx"} {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<2xf32>) -> (tensor<2xf32>) attributes {hone.block = "f"} {
    %0 = onnx.If(%arg0) ({
      %1 = onnx.Clip(%arg1, _, _) : (tensor<2xf32>, none, none) -> tensor<2xf32>
      core.yield(%1) : (tensor<2xf32>) -> ()
    }, {
      %2 = onnx.Neg(%arg1) : (tensor<2xf32>) -> tensor<2xf32>
      core.yield(%2) : (tensor<2xf32>) -> ()
    }) {graph_names = ["then_branch", "else_branch"]} : (tensor<i1>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
====
# A private function is inlined.
# run: import-onnx %s
---
module {
  func.func private @"('F', '')"(%arg0: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64} {
    %0 = torch.operator "onnx.Relu"(%arg0) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> 
    return %0 : !torch.vtensor<[2],f32>
  }
  func.func @g(%arg0: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64} {
    %0 = call @"('F', '')"(%arg0) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    return %0 : !torch.vtensor<[2],f32>
  }
}
---
module {
  func.func @g(%arg0: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.Relu"(%arg0) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> 
    return %0 : !torch.vtensor<[2],f32>
  }
}

====
# As onnxruntime's plug-in for IREE writes it: other names, constants as builtin tensors, no %none.
# run: import-onnx %s
---
module {
  func.func @g(
      %input_1: !torch.vtensor<[2],si64>) -> (
      !torch.vtensor<[2],si64>) attributes {
        torch.onnx_meta.ir_version = 8 : si64,
        torch.onnx_meta.opset_version = 17 : si64} {
    %c = flow.tensor.constant dense<"0x05000000000000000600000000000000"> : tensor<2xi64>
    %w = torch_c.from_builtin_tensor %c : tensor<2xi64> -> !torch.vtensor<[2],si64>
    %y = torch.operator "onnx.Add"(%input_1, %w) {} : (!torch.vtensor<[2],si64>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64>
    return %y : !torch.vtensor<[2],si64>
  }
}
---
module {
  func.func @g(%arg0: !torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[5, 6]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Add"(%arg0, %0) : (!torch.vtensor<[2],si64>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[2],si64> 
    return %1 : !torch.vtensor<[2],si64>
  }
}

====
# run: convert %s -o %t/x.onnx
# stderr: resource "__elided__" is not in the file
# exit: 3
---
module {
  func.func @f() -> !torch.vtensor<[2],f32> {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense_resource<__elided__> : tensor<2xf32>} : () -> !torch.vtensor<[2],f32> 
    return %0 : !torch.vtensor<[2],f32>
  }
}
====
# run: convert %s -o %t/x.onnx
# stderr: no parameter file is there
# exit: 3
---
module {
  util.global private @w = #stream.parameter.named<"model"::"w"> : tensor<2xf32>
  func.func @f() -> !torch.vtensor<[2],f32> {
    %w = util.global.load @w : tensor<2xf32>
    %0 = torch_c.from_builtin_tensor %w : tensor<2xf32> -> !torch.vtensor<[2],f32>
    return %0 : !torch.vtensor<[2],f32>
  }
}
====
# run: convert %s -o %t/x.onnx
# stderr: op "torch.aten.relu" of the torch dialect
# exit: 4
---
module {
  func.func @f(%arg0: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
    %0 = torch.aten.relu %arg0 : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
    return %0 : !torch.vtensor<[2],f32>
  }
}
====
# MLIR's generic form, as --mlir-print-op-generic prints it.
# run: convert %s -t torch-onnx -o -
# file: input.mlir
---
"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[],i1>, !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32>, sym_name = "f"}> ({
  ^bb0(%arg0: !torch.vtensor<[],i1>, %arg1: !torch.vtensor<[2,3],f32>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1 = "torch.operator"(%arg0) <{name = "onnx.If"}> ({
      %3 = "torch.operator"(%arg1, %0, %0) <{name = "onnx.Clip"}> : (!torch.vtensor<[2,3],f32>, !torch.none, !torch.none) -> !torch.none
      "torch.operator_terminator"(%3) : (!torch.none) -> ()
    }, {
      %2 = "torch.operator"(%arg1) <{name = "onnx.LeakyRelu"}> {torch.onnx.alpha = 5.000000e-01 : f32} : (!torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32>
      "torch.operator_terminator"(%2) : (!torch.vtensor<[2,3],f32>) -> ()
    }) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[2,3],f32>
    "func.return"(%1) : (!torch.vtensor<[2,3],f32>) -> ()
  }) {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} : () -> ()
}) : () -> ()

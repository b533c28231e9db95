module {
  util.global private @w = #stream.parameter.named<"model"::"w"> : tensor<2xf32>
  func.func @"a-b"(%input_1: !torch.vtensor<[?,2],f32> {hone.dims = ["n", ""], hone.name = "x"}) -> (!torch.vtensor<[?,2],f32>, !torch.list<vtensor<[],si64>>)
      attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.opset_versions = {com.microsoft = 1 : si64}} {
    %c = flow.tensor.constant dense<"0x0000803f0000c07f"> : tensor<2xf32>
    %k = torch_c.from_builtin_tensor %c : tensor<2xf32> -> !torch.vtensor<[2],f32>
    %none = torch.constant.none
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value_ints = [1 : si64, -2 : si64]} : () -> !torch.vtensor<[2],si64>
    %1:2 = torch.operator "onnx.Split"(%0, %none) {torch.onnx.axis = 0 : si64, torch.onnx.num_outputs = 2 : si64} : (!torch.vtensor<[2],si64>, !torch.none) -> (!torch.vtensor<[],si64>, !torch.vtensor<[1],si64>)
    %2 = "torch.operator"(%input_1, %k) <{name = "onnx.LeakyRelu"}> {torch.onnx.alpha = 9.99999974E-6 : f32, "torch.onnx.my-attr" = "\C3\A9\22"} : (!torch.vtensor<[?,2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[?,2],f32> loc("n1")
    %3 = torch.operator "onnx.SequenceConstruct"(%1#0, %1#1) : (!torch.vtensor<[],si64>, !torch.vtensor<[1],si64>) -> !torch.list<vtensor<[],si64>>
    return %2, %3 : !torch.vtensor<[?,2],f32>, !torch.list<vtensor<[],si64>>
  }
}

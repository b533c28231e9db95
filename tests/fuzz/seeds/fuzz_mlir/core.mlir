module @m attributes {a = 1, "b c" = [1, "x"], hone.format = "onnx"} {
  func.func @main(%x: tensor<[n]x3x?xf32> {hone.default = dense<0.0> : tensor<1x3x2xf32>}, %0: tensor<i1> {hone.name = "a b"}) -> (tensor<[n]x3x?xf32> {hone.name = "y"}) {
    %w = core.constant() {value = dense<[[1.5, -2.0, 0x7FC00000]]> : tensor<1x3xf32>} : () -> tensor<1x3xf32>
    %1, %2 = core.topk(%x, %0) {axis = -1} : (tensor<[n]x3x?xf32>, tensor<i1>) -> (tensor<*xf32>, !unknown)
    %y = core.if(%0) ({
      core.yield(%x) : (tensor<[n]x3x?xf32>) -> ()
    }, {
      %3 = core.clamp(%x, _, %w) {hone.names = ["q"], hone.node = "c", hone.meta = {d = "e"}}
      core.yield(%3) : (!unknown) -> ()
    }) {hone.blocks = [unit, {name = "else"}]} : (tensor<i1>) -> tensor<[n]x3x?xf32> loc("f":1:2)
    return %y : tensor<[n]x3x?xf32>
  }
  func.func private @f() attributes {hone.library} {
    return
  }
}

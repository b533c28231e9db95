# identity
# run: opt %s --passes shapes,rules,shapes,dce --only identity -o -
# file: input.mlir
# stderr: identity 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.relu(%x)
  %y = core.identity(%a)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}

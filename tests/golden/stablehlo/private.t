# without a public function main is the first that no other names
# run: run %s --bind a=2 --print 4
# file: input.mlir
---
module {
  func.func private @f(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %x, %x : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @g(%a: tensor<f32>) -> tensor<f32> {
    %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>
    %1 = stablehlo.multiply %0, %0 : tensor<f32>
    return %1 : tensor<f32>
  }
}
---
 float32[] 16
====
# a decomposition and a called computation are named too
# run: info %s --json
# file: input.mlir
---
module {
  func.func private @part(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
  func.func nested @whole(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.composite "a.b" %a {decomposition = @part} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
---
{
  "opsets": {},
  "inputs": [
    {
      "name": "a",
      "type": "float32[]"
    },
    {
      "name": "b",
      "type": "float32[]"
    }
  ],
  "outputs": [
    {
      "name": "",
      "type": "float32[]"
    }
  ],
  "nodes": 1,
  "parameters": 0,
  "weight_bytes": 0
}
====
# functions that call each other in a ring: none is the first
# run: run %s
# file: input.mlir
# stderr: every function is private and called by others
# exit: 3
---
module {
  func.func private @f(%x: tensor<f32>) -> tensor<f32> {
    %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @g(%x: tensor<f32>) -> tensor<f32> {
    %0 = call @f(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
---
====
# run: verify %s %s
# file: input.mlir
# stderr: the module has no function with a body
# exit: 3
---
module {
  func.func private @f(tensor<f32>) -> tensor<f32>
}
---
====
# run: convert %s -o %t/x.onnx
# file: input.mlir
# stderr: the module has no function with a body
# exit: 3
---
module {
  func.func private @f(tensor<f32>) -> tensor<f32>
}
---

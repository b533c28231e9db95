# Exit codes of bad input, missing files and outputs that cannot be written.
# run: opt no-such-file.onnx
# file: input.mlir
# stderr: no-such-file.onnx
# exit: 7
---
---
====
# a directory
# run: opt %t
# file: input.mlir
# stderr: none that torch_xla saved
# exit: 3
---
====
# run: opt %s
# file: input.mlir
# stderr: found the end of the file, expected module or func.func
# exit: 3
---
====
# run: opt %s
# file: input.mlir
# stderr: error
# exit: 3
---
these are no tensors
---
====
# run: convert %s -o no/such/dir/out.mlir
# file: input.mlir
# stderr: no/such/dir
# exit: 7
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# a copy is equal
# run: convert %s -o %t/a.mlir
# run: convert %t/a.mlir -o - -t mlir
# run: verify %s %t/a.mlir >%t/log
# file: input.mlir
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
    %y = core.relu(%x) : (tensor<[n]x3xf32>) -> tensor<[n]x3xf32>
    return %y : tensor<[n]x3xf32>
  }
}
====
# run: check %s
# file: input.mlir
# stderr: input.mlir:2:18: error: value %z is not defined
# exit: 3
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%z)
  return %y : tensor<[n]x3xf32>
}
---
====
# standard input
# run: convert - -t mlir -o -
# file: input.mlir
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
    %y = core.relu(%x) : (tensor<[n]x3xf32>) -> tensor<[n]x3xf32>
    return %y : tensor<[n]x3xf32>
  }
}
====
# standard input and output
# run: opt - -q -o - <%s
# file: input.mlir
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
    %y = core.relu(%x) : (tensor<[n]x3xf32>) -> tensor<[n]x3xf32>
    return %y : tensor<[n]x3xf32>
  }
}

# Wrong command lines: exit code 2 and a hint.
# run: optt model.onnx
# file: input.mlir
# stderr: error: no verb "optt"
# stderr: hint: did you mean `hone opt`?
# exit: 2
---
---
====
# run: frobnicate
# file: input.mlir
# stderr: error: no verb "frobnicate"
# stderr: hint: `hone help` lists them
# exit: 2
---
---
====
# run: opt
# file: input.mlir
# stderr: error
# exit: 2
---
---
====
# run: opt %s extra
# file: input.mlir
# stderr: error
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s --levle 1
# file: input.mlir
# stderr: levle
# stderr: did you mean
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s --level
# file: input.mlir
# stderr: level
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s -O 9
# file: input.mlir
# stderr: level
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s -O fast
# file: input.mlir
# stderr: level
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s --passes nosuch
# file: input.mlir
# stderr: nosuch
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s --only no-such-rule
# file: input.mlir
# stderr: no-such-rule
# stderr: hone passes --rules
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s --allow everything
# file: input.mlir
# stderr: expected domain or statistical
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s --dim n
# file: input.mlir
# stderr: NAME=SIZE
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s --dim n=-1
# file: input.mlir
# stderr: NAME=SIZE
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s --shape x=1,,2
# file: input.mlir
# stderr: INPUT=D,D
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: opt %s -o %t/out -t onxn
# file: input.mlir
# stderr: unknown format 'onxn'
# stderr: did you mean onnx?
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: convert %s
# file: input.mlir
# stderr: no output
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
====
# run: explain %s
# file: input.mlir
# stderr: error
# exit: 2
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---

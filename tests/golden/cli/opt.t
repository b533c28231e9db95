# Options of opt on a small model.
# run: opt %s -q -o -
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
# run: opt %s -q -o - --dim n=2
# file: input.mlir
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %y = core.relu(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# run: opt %s -q -o - --shape x=4,3
# file: input.mlir
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
module {
  func.func @main(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>) {
    %y = core.relu(%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    return %y : tensor<4x3xf32>
  }
}
====
# run: opt %s -q -t mlir -o %t/out && head -n 1 scratch/out
# file: input.mlir
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  return %y : tensor<[n]x3xf32>
}
---
module {
====
# run: opt %s -q -O 0 -o -
# file: input.mlir
---
func.func @main(%x: tensor<[n]x3xf32>) -> (tensor<[n]x3xf32>) {
  %y = core.relu(%x)
  %u = core.exp(%x)
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
# run: opt %s -q -o - --rewrite-limit 1
# file: input.mlir
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %a = core.relu(%x)
  %b = core.relu(%a)
  %y = core.relu(%b)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.relu(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}

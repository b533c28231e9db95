# Names of values: an SSA name where it is one and free, else a number and the name beside it.
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main() {
    %conv1.weight = "a.b"() : () -> tensor<2xf32>
    %0 = "a.b"(%conv1.weight) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "a.b"(%0) {hone.names = ["/layer/Conv_output_0"]} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = "a.b"(%1) {hone.names = ["conv1.weight"]} : (tensor<2xf32>) -> tensor<2xf32>
    %3 = "a.b"(%2) {hone.names = [""]} : (tensor<2xf32>) -> tensor<2xf32>
    %4 = "a.b"(%3) {hone.names = ["\00\FF\0A größe"]} : (tensor<2xf32>) -> tensor<2xf32>
    %y-1, %5, %6 = "a.b"(%4) {hone.names = [unit, "7"], hone.node = "node 7"} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, none)
    return
  }
}
---
module {
  func.func @main() {
    %conv1.weight = "a.b"() : () -> tensor<2xf32>
    %0 = "a.b"(%conv1.weight) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "a.b"(%0) {hone.names = ["/layer/Conv_output_0"]} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = "a.b"(%1) {hone.names = ["conv1.weight"]} : (tensor<2xf32>) -> tensor<2xf32>
    %3 = "a.b"(%2) {hone.names = [""]} : (tensor<2xf32>) -> tensor<2xf32>
    %4 = "a.b"(%3) {hone.names = ["\00\FF\0A größe"]} : (tensor<2xf32>) -> tensor<2xf32>
    %y-1, %5, %6 = "a.b"(%4) {hone.names = [unit, "7"], hone.node = "node 7"} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, none)
    return
  }
}
====
# numbers are given anew, in order
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main() {
    %7 = "a.b"() : () -> i32
    %3 = "a.b"(%7) : (i32) -> i32
    return
  }
}
---
module {
  func.func @main() {
    %0 = "a.b"() : () -> i32
    %1 = "a.b"(%0) : (i32) -> i32
    return
  }
}
====
# result groups and results without names
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main() {
    %a:2, %b = "a.b"() : () -> (i32, i64, index)
    "a.b"(%a#1, %a#0, %b) : (i64, i32, index) -> (i32, i32)
    return
  }
}
---
module {
  func.func @main() {
    %0, %1, %b = "a.b"() : () -> (i32, i64, index)
    %2, %3 = "a.b"(%1, %0, %b) : (i64, i32, index) -> (i32, i32)
    return
  }
}
====
# optional operands that are absent
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main(%x: tensor<f32>) {
    %y = core.clamp(%x, _, %x) : (tensor<f32>, none, tensor<f32>) -> tensor<f32>
    return
  }
}
---
module {
  func.func @main(%x: tensor<f32>) {
    %y = core.clamp(%x, _, %x) : (tensor<f32>, none, tensor<f32>) -> tensor<f32>
    return
  }
}
====
# types may be left out of ops of the tables
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main(%x: tensor<f32>) -> (tensor<f32>) {
    %y = core.relu(%x)
    %z = core.relu(%y) : tensor<f32>
    %u, %v = core.split(%z) {axis = 0}
    return %z : tensor<f32>
  }
}
---
module {
  func.func @main(%x: tensor<f32>) -> (tensor<f32>) {
    %y = core.relu(%x) : (tensor<f32>) -> !unknown
    %z = core.relu(%y) : (!unknown) -> tensor<f32>
    %u, %v = core.split(%z) {axis = 0} : (tensor<f32>) -> (!unknown, !unknown)
    return %z : tensor<f32>
  }
}

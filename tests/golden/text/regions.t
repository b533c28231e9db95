# Ops with regions.
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>) {
    %y, %z = core.loop(%n, %c, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %0: tensor<4xf32>):
      %1 = core.if(%go) ({
        core.yield(%x) : (tensor<4xf32>) -> ()
      }, {
        %w = core.relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
        core.yield(%w) : (tensor<4xf32>) -> ()
      }) {hone.blocks = [{name = "then"}, {meta = {doc_string = "d"}, name = "else"}], hone.names = ["if then"]} : (tensor<i1>) -> tensor<4xf32>
      core.yield(%go, %1, %0) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> ()
    }) {hone.blocks = [{args = [unit, unit, "a/b"], name = "body"}]} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<[k]x4xf32>)
    return %y : tensor<4xf32>
  }
}
---
module {
  func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>) {
    %y, %z = core.loop(%n, %c, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %0: tensor<4xf32>):
      %1 = core.if(%go) ({
        core.yield(%x) : (tensor<4xf32>) -> ()
      }, {
        %w = core.relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
        core.yield(%w) : (tensor<4xf32>) -> ()
      }) {hone.blocks = [{name = "then"}, {meta = {doc_string = "d"}, name = "else"}], hone.names = ["if then"]} : (tensor<i1>) -> tensor<4xf32>
      core.yield(%go, %1, %0) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> ()
    }) {hone.blocks = [{args = [unit, unit, "a/b"], name = "body"}]} : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<[k]x4xf32>)
    return %y : tensor<4xf32>
  }
}
====
# names inside a region end with it
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main() {
    "a.b"() ({
      %a = "a.c"() : () -> i32
      core.yield(%a) : (i32) -> ()
    }, {
      %a = "a.c"() : () -> i64
      core.yield(%a) : (i64) -> ()
    }) : () -> ()
    return
  }
}
---
module {
  func.func @main() {
    "a.b"() ({
      %a = "a.c"() : () -> i32
      core.yield(%a) : (i32) -> ()
    }, {
      %0 = "a.c"() {hone.names = ["a"]} : () -> i64
      core.yield(%0) : (i64) -> ()
    }) : () -> ()
    return
  }
}

# a sort of what nobody reads goes along no more; what is compared stays
# run: opt %s -q --passes dce -o -
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %lt = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %t:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %lt = stablehlo.compare LT, %c, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %s#0, %t#0 : tensor<4xf32>, tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %lt = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
    }) {dimension = 0, is_stable = true} : (tensor<4xf32>) -> tensor<4xf32>
    %1, %2 = "stablehlo.sort"(%x, %y) ({
    ^bb0(%3: tensor<f32>, %4: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %5 = stablehlo.compare LT, %c, %d, FLOAT {hone.names = ["lt"]} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    }) {dimension = 0, is_stable = true} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}
====
# a reduction of several operands: the unused one goes, unless the used one reads it
# run: opt %s -q --passes dce -o -
# file: input.mlir
---
func.func @main(%n: tensor<2x6xi32>, %m: tensor<2x6xi32>, %z: tensor<i32>, %o: tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %r:2 = stablehlo.reduce(%n init: %z), (%m init: %o) across dimensions = [1] : (tensor<2x6xi32>, tensor<2x6xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%c: tensor<i32>, %d: tensor<i32>)  {
    %p = stablehlo.add %a, %b : tensor<i32>
    %q = stablehlo.multiply %c, %d : tensor<i32>
    stablehlo.return %p, %q : tensor<i32>, tensor<i32>
  }
  %s:2 = stablehlo.reduce(%n init: %z), (%m init: %o) across dimensions = [1] : (tensor<2x6xi32>, tensor<2x6xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%c: tensor<i32>, %d: tensor<i32>)  {
    %p = stablehlo.add %a, %d : tensor<i32>
    %q = stablehlo.multiply %c, %d : tensor<i32>
    stablehlo.return %p, %q : tensor<i32>, tensor<i32>
  }
  return %r#0, %s#0 : tensor<2xi32>, tensor<2xi32>
}
---
module {
  func.func @main(%n: tensor<2x6xi32>, %m: tensor<2x6xi32>, %z: tensor<i32>, %o: tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>) {
    %0 = "stablehlo.reduce"(%n, %z) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %p = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %p : tensor<i32>
    }) {dimensions = array<i64: 1>} : (tensor<2x6xi32>, tensor<i32>) -> tensor<2xi32>
    %1, %2 = "stablehlo.reduce"(%n, %m, %z, %o) ({
    ^bb0(%3: tensor<i32>, %c: tensor<i32>, %4: tensor<i32>, %d: tensor<i32>):
      %5 = stablehlo.add %3, %d {hone.names = ["p"]} : tensor<i32>
      %q = stablehlo.multiply %c, %d : tensor<i32>
      stablehlo.return %5, %q : tensor<i32>, tensor<i32>
    }) {dimensions = array<i64: 1>} : (tensor<2x6xi32>, tensor<2x6xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
    return %0, %1 : tensor<2xi32>, tensor<2xi32>
  }
}
====
# a state that the body hands through is read from outside; constants of loops are shared outside of them
# run: opt %s -q --passes stablehlo-target-independent -o -
# file: input.mlir
---
func.func @main(%x: tensor<4xf32>, %k: tensor<i32>, %e: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a:3 = stablehlo.while(%i = %k, %v = %x, %end = %e) : tensor<i32>, tensor<4xf32>, tensor<i32> cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %w = stablehlo.add %v, %v : tensor<4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %w, %end : tensor<i32>, tensor<4xf32>, tensor<i32>
  }
  %b:3 = stablehlo.while(%i = %k, %v = %x, %end = %e) : tensor<i32>, tensor<4xf32>, tensor<i32> cond {
    %p = stablehlo.compare NE, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %w = stablehlo.multiply %v, %v : tensor<4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %w, %end : tensor<i32>, tensor<4xf32>, tensor<i32>
  }
  return %a#1, %b#1 : tensor<4xf32>, tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>, %k: tensor<i32>, %e: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0, %1 = "stablehlo.while"(%k, %x) ({
    ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
      %p = stablehlo.compare LT, %i, %e, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%2: tensor<i32>, %3: tensor<4xf32>):
      %w = stablehlo.add %3, %3 : tensor<4xf32>
      %j = stablehlo.add %2, %one : tensor<i32>
      stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    %4, %5 = "stablehlo.while"(%k, %x) ({
    ^bb0(%6: tensor<i32>, %7: tensor<4xf32>):
      %8 = stablehlo.compare NE, %6, %e, SIGNED {hone.names = ["p"]} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }, {
    ^bb0(%9: tensor<i32>, %10: tensor<4xf32>):
      %11 = stablehlo.multiply %10, %10 {hone.names = ["w"]} : tensor<4xf32>
      %12 = stablehlo.add %9, %one {hone.names = ["j"]} : tensor<i32>
      stablehlo.return %12, %11 : tensor<i32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    return %1, %5 : tensor<4xf32>, tensor<4xf32>
  }
}

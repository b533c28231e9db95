# case-known
# run: opt %s --passes legalise,shapes,rules,dce --only case-known -t mlir -o -
# file: input.mlir
# stderr: case-known 
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.case"(%k) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %n = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %n = core.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }
}
====
# case-known: no branch has the number -1, so the last is taken
# run: opt %s --passes legalise,shapes,rules,dce --only case-known -t mlir -o -
# file: input.mlir
# stderr: case-known 
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.case"(%k) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %n = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %n = core.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }
}
====
# case-known: no branch has the number 3, so the last is taken
# run: opt %s --passes legalise,shapes,rules,dce --only case-known -t mlir -o -
# file: input.mlir
# stderr: case-known 
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = stablehlo.constant dense<3> : tensor<i32>
  %0 = "stablehlo.case"(%k) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %n = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %n = core.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %n : tensor<4xf32>
  }
}
====
# case-known: an index of the input
# run: opt %s --passes legalise,shapes,rules,dce --only case-known -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xf32>, %k: tensor<i32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%k) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %n = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
---
module {
  func.func @main(%x: tensor<4xf32>, %k: tensor<i32>) -> (tensor<4xf32>) {
    %0 = "stablehlo.case"(%k) ({
      stablehlo.return %x : tensor<4xf32>
    }, {
      %n = core.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %n : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
====
# while-never: false
# run: opt %s --passes legalise,shapes,rules,dce --only while-never -t mlir -o -
# file: input.mlir
# stderr: while-never 
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %w = stablehlo.add %v, %v : tensor<4xf32>
    %j = stablehlo.add %i, %n : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    return %x : tensor<4xf32>
  }
}
====
# while-never: the counter stands at its end
# run: opt %s --passes legalise,shapes,rules,dce --only while-never -t mlir -o -
# file: input.mlir
# stderr: while-never 
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %w = stablehlo.add %v, %v : tensor<4xf32>
    %j = stablehlo.add %i, %n : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    return %x : tensor<4xf32>
  }
}
====
# while-never: it runs
# run: opt %s --passes legalise,shapes,rules,dce --only while-never -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %w = stablehlo.add %v, %v : tensor<4xf32>
    %j = stablehlo.add %i, %n : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>) {
    %n = core.constant() {value = dense<5> : tensor<i32>} : () -> tensor<i32>
    %z = core.constant() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %0, %1 = core.while(%z, %x) ({
    ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
      %p = core.lt(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      core.yield(%p) : (tensor<i1>) -> ()
    }, {
    ^bb0(%2: tensor<i32>, %3: tensor<4xf32>):
      %w = core.add(%3, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %j = core.add(%2, %n) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      core.yield(%j, %w) : (tensor<i32>, tensor<4xf32>) -> ()
    }) {hone.blocks = [unit, {args = ["i", "v"]}]} : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    return %1 : tensor<4xf32>
  }
}
====
# while-never: the input says where the counter begins
# run: opt %s --passes legalise,shapes,rules,dce --only while-never -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xf32>, %k: tensor<i32>) -> tensor<4xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %k, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %w = stablehlo.add %v, %v : tensor<4xf32>
    %j = stablehlo.add %i, %n : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<4xf32>, %k: tensor<i32>) -> (tensor<4xf32>) {
    %n = core.constant() {value = dense<5> : tensor<i32>} : () -> tensor<i32>
    %0, %1 = core.while(%k, %x) ({
    ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
      %p = core.lt(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      core.yield(%p) : (tensor<i1>) -> ()
    }, {
    ^bb0(%2: tensor<i32>, %3: tensor<4xf32>):
      %w = core.add(%3, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %j = core.add(%2, %n) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      core.yield(%j, %w) : (tensor<i32>, tensor<4xf32>) -> ()
    }) {hone.blocks = [unit, {args = ["i", "v"]}]} : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    return %1 : tensor<4xf32>
  }
}
====
# gather-place: a place outside is moved inside
# run: opt %s --passes legalise,shapes,rules,dce --only gather-place -t mlir -o -
# file: input.mlir
# stderr: gather-place 
---
func.func @main(%x: tensor<5x3xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<[-7, 9]> : tensor<2xi64>
  %0 = "stablehlo.gather"(%x, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<5x3xf32>) -> (tensor<2xf32>) {
    %0 = core.constant() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
    %1 = core.constant() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %2 = core.slice(%x, %0, %1) {axes = array<i64: 0, 1>} : (tensor<5x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
    %3 = core.constant() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %4 = core.reshape(%2, %3) : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
    return %4 : tensor<2xf32>
  }
}
====
# gather-place: one place in a list
# run: opt %s --passes legalise,shapes,rules,dce --only gather-place -t mlir -o -
# file: input.mlir
# stderr: gather-place 
---
func.func @main(%x: tensor<5x3xf32>) -> tensor<2x1xf32> {
  %c = stablehlo.constant dense<[[3, 0]]> : tensor<1x2xi64>
  %0 = "stablehlo.gather"(%x, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<1x2xi64>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<5x3xf32>) -> (tensor<2x1xf32>) {
    %0 = core.constant() {value = dense<[3, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
    %1 = core.constant() {value = dense<[4, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %2 = core.slice(%x, %0, %1) {axes = array<i64: 0, 1>} : (tensor<5x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
    %3 = core.constant() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
    %4 = core.reshape(%2, %3) : (tensor<1x2xf32>, tensor<2xi64>) -> tensor<2x1xf32>
    return %4 : tensor<2x1xf32>
  }
}
====
# gather-place: whole slices, so that the place does not matter
# run: opt %s --passes legalise,shapes,rules,dce --only gather-place -t mlir -o -
# file: input.mlir
# stderr: gather-place 
---
func.func @main(%x: tensor<1x3xf32>, %i: tensor<1xi32>) -> tensor<3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}> : (tensor<1x3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<1x3xf32>, %i: tensor<1xi32>) -> (tensor<3xf32>) {
    %0 = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.reshape(%x, %0) : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
====
# gather-place: a place of the input
# run: opt %s --passes legalise,shapes,rules,dce --only gather-place -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<5x3xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
---
module {
  func.func @main(%x: tensor<5x3xf32>, %i: tensor<2xi64>) -> (tensor<2xf32>) {
    %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>} : (tensor<5x3xf32>, tensor<2xi64>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
====
# gather-place: two places
# run: opt %s --passes legalise,shapes,rules,dce --only gather-place -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<5x3xf32>) -> tensor<2x2xf32> {
  %c = stablehlo.constant dense<[[3, 0], [1, 1]]> : tensor<2x2xi64>
  %0 = "stablehlo.gather"(%x, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
---
module {
  func.func @main(%x: tensor<5x3xf32>) -> (tensor<2x2xf32>) {
    %c = core.constant() {value = dense<[[3, 0], [1, 1]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
    %0 = "stablehlo.gather"(%x, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>} : (tensor<5x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
====
# reverse-unit: only axes of one element
# run: opt %s --passes legalise,shapes,rules,dce --only reverse-unit -t mlir -o -
# file: input.mlir
# stderr: reverse-unit 
---
func.func @main(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<1x3xf32>
  %1 = stablehlo.negate %0 : tensor<1x3xf32>
  return %1 : tensor<1x3xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<1x3xf32>) -> (tensor<1x3xf32>) {
    %0 = core.neg(%x) : (tensor<1x3xf32>) -> tensor<1x3xf32>
    return %0 : tensor<1x3xf32>
  }
}
====
# reverse-unit: some axes
# run: opt %s --passes legalise,shapes,rules,dce --only reverse-unit -t mlir -o -
# file: input.mlir
# stderr: reverse-unit 
---
func.func @main(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = stablehlo.reverse %x, dims = [0, 1] : tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<1x3xf32>) -> (tensor<1x3xf32>) {
    %0 = core.reverse(%x) {axes = array<i64: 1>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
    return %0 : tensor<1x3xf32>
  }
}
====
# reverse-unit: no axis of one element
# run: opt %s --passes legalise,shapes,rules,dce --only reverse-unit -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<1x3xf32>, %y: tensor<?x3xf32>) -> (tensor<1x3xf32>, tensor<?x3xf32>) {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<1x3xf32>
  %1 = stablehlo.reverse %y, dims = [0] : tensor<?x3xf32>
  return %0, %1 : tensor<1x3xf32>, tensor<?x3xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<1x3xf32>, %y: tensor<[?1]x3xf32>) -> (tensor<1x3xf32>, tensor<[?1]x3xf32>) {
    %0 = core.reverse(%x) {axes = array<i64: 1>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %1 = core.reverse(%y) {axes = array<i64: 0>} : (tensor<[?1]x3xf32>) -> tensor<[?1]x3xf32>
    return %0, %1 : tensor<1x3xf32>, tensor<[?1]x3xf32>
  }
}
====
# expand-through: dims inserted between
# run: opt %s --passes legalise,shapes,rules,dce --only expand-through -t mlir -o -
# file: input.mlir
# stderr: expand-through 
---
func.func @main(%x: tensor<3xf32>) -> tensor<2x4x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
  return %1 : tensor<2x4x3xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<3xf32>) -> (tensor<2x4x3xf32>) {
    %0 = core.unsqueeze(%x) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<1x3xf32>
    %1 = core.constant() {value = dense<[2, 4, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
    %2 = core.unsqueeze(%0) {axes = array<i64: 0>} : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %3 = core.expand(%2, %1) : (tensor<1x1x3xf32>, tensor<3xi64>) -> tensor<2x4x3xf32>
    return %3 : tensor<2x4x3xf32>
  }
}
====
# expand-through: dims inserted in the middle and at the end
# run: opt %s --passes legalise,shapes,rules,dce --only expand-through -t mlir -o -
# file: input.mlir
# stderr: expand-through 
---
func.func @main(%x: tensor<1x3xf32>) -> tensor<4x2x3x5xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<4x3xf32>) -> tensor<4x2x3x5xf32>
  return %1 : tensor<4x2x3x5xf32>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<1x3xf32>) -> (tensor<4x2x3x5xf32>) {
    %0 = core.constant() {value = dense<[4, 2, 3, 5]> : tensor<4xi64>} : () -> tensor<4xi64>
    %1 = core.unsqueeze(%x) {axes = array<i64: 1, 3>} : (tensor<1x3xf32>) -> tensor<1x1x3x1xf32>
    %2 = core.expand(%1, %0) : (tensor<1x1x3x1xf32>, tensor<4xi64>) -> tensor<4x2x3x5xf32>
    return %2 : tensor<4x2x3x5xf32>
  }
}
====
# expand-through: the outer shape leaves the repeated dim to the inner one
# run: opt %s --passes legalise,shapes,rules,dce --only expand-through -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
module {
  func.func @main(%x: tensor<3x1xf32>) -> (tensor<3x4x2xf32>) {
    %a = core.constant() {value = dense<[3, 4]> : tensor<2xi64>}
    %b = core.constant() {value = dense<[1, 1, 2]> : tensor<3xi64>}
    %0 = core.expand(%x, %a)
    %1 = core.unsqueeze(%0) {axes = array<i64: 2>}
    %2 = core.expand(%1, %b)
    return %2 : tensor<3x4x2xf32>
  }
}
---
module {
  func.func @main(%x: tensor<3x1xf32>) -> (tensor<3x4x2xf32>) {
    %a = core.constant() {value = dense<[3, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %b = core.constant() {value = dense<[1, 1, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
    %0 = core.expand(%x, %a) : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    %1 = core.unsqueeze(%0) {axes = array<i64: 2>} : (tensor<3x4xf32>) -> tensor<3x4x1xf32>
    %2 = core.expand(%1, %b) : (tensor<3x4x1xf32>, tensor<3xi64>) -> tensor<3x4x2xf32>
    return %2 : tensor<3x4x2xf32>
  }
}
====
# bit-or-ones
# run: opt %s --passes legalise,shapes,rules,dce --only bit-or-ones -t mlir -o -
# file: input.mlir
# stderr: bit-or-ones 
---
func.func @main(%x: tensor<4xi32>, %y: tensor<4xui64>) -> (tensor<4xi32>, tensor<4xui64>) {
  %m = stablehlo.constant dense<-1> : tensor<4xi32>
  %0 = stablehlo.or %x, %m : tensor<4xi32>
  %1 = stablehlo.negate %0 : tensor<4xi32>
  return %1, %y : tensor<4xi32>, tensor<4xui64>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<4xi32>, %y: tensor<4xui64>) -> (tensor<4xi32>, tensor<4xui64>) {
    %0 = core.constant() {value = dense<1> : tensor<4xi32>} : () -> tensor<4xi32>
    return %0, %y : tensor<4xi32>, tensor<4xui64>
  }
}
====
# bit-or-ones: a bit is missing
# run: opt %s --passes legalise,shapes,rules,dce --only bit-or-ones -t mlir -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<4xi32>, %y: tensor<4xui8>) -> (tensor<4xi32>, tensor<4xui8>) {
  %m = stablehlo.constant dense<-2> : tensor<4xi32>
  %n = stablehlo.constant dense<127> : tensor<4xui8>
  %0 = stablehlo.or %x, %m : tensor<4xi32>
  %1 = stablehlo.or %y, %n : tensor<4xui8>
  return %0, %1 : tensor<4xi32>, tensor<4xui8>
}
---
module attributes {hone.format = "stablehlo"} {
  func.func @main(%x: tensor<4xi32>, %y: tensor<4xui8>) -> (tensor<4xi32>, tensor<4xui8>) {
    %m = core.constant() {value = dense<-2> : tensor<4xi32>} : () -> tensor<4xi32>
    %n = core.constant() {value = dense<127> : tensor<4xui8>} : () -> tensor<4xui8>
    %0 = core.bit_or(%x, %m) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %1 = core.bit_or(%y, %n) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
    return %0, %1 : tensor<4xi32>, tensor<4xui8>
  }
}

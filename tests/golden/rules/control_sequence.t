# dropout-inference
# run: opt %s --passes shapes,rules,shapes,dce --only dropout-inference -o -
# file: input.mlir
# stderr: dropout-inference 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<0.5> : tensor<f32>}
  %t = core.constant() {value = dense<false> : tensor<i1>}
  %d = core.dropout(%x, %r, %t)
  %y = core.relu(%d)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# dropout-inference: whether it trains is an input
# run: opt %s --passes shapes,rules,shapes,dce --only dropout-inference -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %t: tensor<i1>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<0.5> : tensor<f32>}
  %d = core.dropout(%x, %r, %t)
  %y = core.relu(%d)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %t: tensor<i1>) -> (tensor<3xf32>) {
    %r = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %d = core.dropout(%x, %r, %t) : (tensor<3xf32>, tensor<f32>, tensor<i1>) -> tensor<3xf32>
    %y = core.relu(%d) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# dropout-inference: it trains
# run: opt %s --passes shapes,rules,shapes,dce --only dropout-inference -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<0.5> : tensor<f32>}
  %t = core.constant() {value = dense<true> : tensor<i1>}
  %d = core.dropout(%x, %r, %t)
  %y = core.relu(%d)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %r = core.constant() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %t = core.constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %d = core.dropout(%x, %r, %t) : (tensor<3xf32>, tensor<f32>, tensor<i1>) -> tensor<3xf32>
    %y = core.relu(%d) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# dropout-inference: it trains, but drops nothing
# run: opt %s --passes shapes,rules,shapes,dce --only dropout-inference -o -
# file: input.mlir
# stderr: dropout-inference 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<0.0> : tensor<f32>}
  %t = core.constant() {value = dense<true> : tensor<i1>}
  %d = core.dropout(%x, %r, %t)
  %y = core.relu(%d)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# dropout-inference: nothing is dropped, whatever the flag
# run: opt %s --passes shapes,rules,shapes,dce --only dropout-inference -o -
# file: input.mlir
# stderr: dropout-inference 
---
func.func @main(%x: tensor<3xf32>, %t: tensor<i1>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<0.0> : tensor<f32>}
  %d = core.dropout(%x, %r, %t)
  %y = core.relu(%d)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %t: tensor<i1>) -> (tensor<3xf32>) {
    %y = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# dropout-inference: a ratio that is only small
# run: opt %s --passes shapes,rules,shapes,dce --only dropout-inference -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %r = core.constant() {value = dense<1.0e-30> : tensor<f32>}
  %t = core.constant() {value = dense<true> : tensor<i1>}
  %d = core.dropout(%x, %r, %t)
  %y = core.relu(%d)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %r = core.constant() {value = dense<1.0e-30> : tensor<f32>} : () -> tensor<f32>
    %t = core.constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %d = core.dropout(%x, %r, %t) : (tensor<3xf32>, tensor<f32>, tensor<i1>) -> tensor<3xf32>
    %y = core.relu(%d) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# identity: an input that is the output keeps its op
# run: opt %s --passes shapes,rules,shapes,dce --only identity -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %y = core.identity(%x)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.identity(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# seq-at-construct
# run: opt %s --passes shapes,rules,shapes,dce --only seq-at-construct -o -
# file: input.mlir
# stderr: seq-at-construct 
---
func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %s = core.seq_construct(%x, %w)
  %i = core.constant() {value = dense<-1> : tensor<i64>}
  %a = core.seq_at(%s, %i)
  %y = core.relu(%a)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %y = core.relu(%w) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# seq-at-construct: the index is an input
# run: opt %s --passes shapes,rules,shapes,dce --only seq-at-construct -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>, %i: tensor<i64>) -> (tensor<2x3xf32>) {
  %s = core.seq_construct(%x, %w)
  %a = core.seq_at(%s, %i)
  %y = core.relu(%a)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>, %i: tensor<i64>) -> (tensor<2x3xf32>) {
    %s = core.seq_construct(%x, %w) : (tensor<2x3xf32>, tensor<2x3xf32>) -> !seq<tensor<2x3xf32>>
    %a = core.seq_at(%s, %i) : (!seq<tensor<2x3xf32>>, tensor<i64>) -> tensor<2x3xf32>
    %y = core.relu(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# seq-at-split
# run: opt %s --passes shapes,rules,shapes,dce --only seq-at-split -o -
# file: input.mlir
# stderr: seq-at-split 
---
func.func @main(%x: tensor<6x3xf32>) -> (tensor<2x3xf32>) {
  %p = core.constant() {value = dense<4> : tensor<i64>}
  %s = core.seq_split(%x, %p) {axis = 0}
  %i = core.constant() {value = dense<1> : tensor<i64>}
  %y = core.seq_at(%s, %i)
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<6x3xf32>) -> (tensor<2x3xf32>) {
    %0 = core.constant() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
    %1 = core.constant() {value = dense<[6]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.slice(%x, %0, %1) {axes = array<i64: 0>} : (tensor<6x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
====
# seq-at-split: uneven parts at an index that only the run knows
# run: opt %s --passes shapes,rules,shapes,dce --only seq-at-split -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<6x3xf32>, %i: tensor<i64>) -> (tensor<?x3xf32>) {
  %p = core.constant() {value = dense<4> : tensor<i64>}
  %s = core.seq_split(%x, %p) {axis = 0}
  %y = core.seq_at(%s, %i)
  return %y : tensor<?x3xf32>
}
---
module {
  func.func @main(%x: tensor<6x3xf32>, %i: tensor<i64>) -> (tensor<[?3]x3xf32>) {
    %p = core.constant() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
    %s = core.seq_split(%x, %p) {axis = 0} : (tensor<6x3xf32>, tensor<i64>) -> !seq<tensor<[?3]x3xf32>>
    %y = core.seq_at(%s, %i) : (!seq<tensor<[?3]x3xf32>>, tensor<i64>) -> tensor<[?3]x3xf32>
    return %y : tensor<[?3]x3xf32>
  }
}
====
# seq-length
# run: opt %s --passes shapes,rules,shapes,dce --only seq-length -o -
# file: input.mlir
# stderr: seq-length 
---
func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<i64>) {
  %s = core.seq_construct(%x, %w)
  %y = core.seq_length(%s)
  return %y : tensor<i64>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<i64>) {
    %y = core.constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
    return %y : tensor<i64>
  }
}
====
# seq-length: of an input
# run: opt %s --passes shapes,rules,shapes,dce --only seq-length -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%s: !seq<tensor<2xf32>>) -> (tensor<i64>) {
  %y = core.seq_length(%s)
  return %y : tensor<i64>
}
---
module {
  func.func @main(%s: !seq<tensor<2xf32>>) -> (tensor<i64>) {
    %y = core.seq_length(%s) : (!seq<tensor<2xf32>>) -> tensor<i64>
    return %y : tensor<i64>
  }
}
====
# seq-concat-construct
# run: opt %s --passes shapes,rules,shapes,dce --only seq-concat-construct -o -
# file: input.mlir
# stderr: seq-concat-construct 
---
func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x6xf32>) {
  %s = core.seq_construct(%x, %w)
  %y = core.seq_concat(%s) {axis = 1}
  return %y : tensor<2x6xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x6xf32>) {
    %y = core.concat(%x, %w) {axis = 1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
    return %y : tensor<2x6xf32>
  }
}
====
# seq-concat-construct: of an input
# run: opt %s --passes shapes,rules,shapes,dce --only seq-concat-construct -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%s: !seq<tensor<2xf32>>) -> (tensor<?xf32>) {
  %y = core.seq_concat(%s) {axis = 0}
  return %y : tensor<?xf32>
}
---
module {
  func.func @main(%s: !seq<tensor<2xf32>>) -> (tensor<[?3]xf32> {hone.declared = tensor<[?1]xf32>}) {
    %y = core.seq_concat(%s) {axis = 0} : (!seq<tensor<2xf32>>) -> tensor<[?3]xf32>
    return %y : tensor<[?3]xf32>
  }
}
====
# seq-concat-split
# run: opt %s --passes shapes,rules,shapes,dce --only seq-concat-split -o -
# file: input.mlir
# stderr: seq-concat-split 
---
func.func @main(%x: tensor<6x3xf32>) -> (tensor<6x3xf32>) {
  %p = core.constant() {value = dense<4> : tensor<i64>}
  %s = core.seq_split(%x, %p) {axis = 0}
  %c = core.seq_concat(%s) {axis = 0}
  %y = core.relu(%c)
  return %y : tensor<6x3xf32>
}
---
module {
  func.func @main(%x: tensor<6x3xf32>) -> (tensor<6x3xf32>) {
    %y = core.relu(%x) : (tensor<6x3xf32>) -> tensor<6x3xf32>
    return %y : tensor<6x3xf32>
  }
}
====
# seq-concat-split: along another axis
# run: opt %s --passes shapes,rules,shapes,dce --only seq-concat-split -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<6x3xf32>) -> (tensor<3x6xf32>) {
  %p = core.constant() {value = dense<3> : tensor<i64>}
  %s = core.seq_split(%x, %p) {axis = 0}
  %y = core.seq_concat(%s) {axis = 1}
  return %y : tensor<3x6xf32>
}
---
module {
  func.func @main(%x: tensor<6x3xf32>) -> (tensor<[?1]x[?2]xf32> {hone.declared = tensor<3x6xf32>}) {
    %p = core.constant() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
    %s = core.seq_split(%x, %p) {axis = 0} : (tensor<6x3xf32>, tensor<i64>) -> !seq<tensor<[?1]x3xf32>>
    %y = core.seq_concat(%s) {axis = 1} : (!seq<tensor<[?1]x3xf32>>) -> tensor<[?1]x[?2]xf32>
    return %y : tensor<[?1]x[?2]xf32>
  }
}
====
# seq-insert-construct
# run: opt %s --passes shapes,rules,shapes,dce --only seq-insert-construct -o -
# file: input.mlir
# stderr: seq-insert-construct 
---
func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x6xf32>) {
  %s = core.seq_construct(%x)
  %i = core.seq_insert(%s, %w)
  %y = core.seq_concat(%i) {axis = 1}
  return %y : tensor<2x6xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x[?1]xf32> {hone.declared = tensor<2x6xf32>}) {
    %i = core.seq_construct(%x, %w) : (tensor<2x3xf32>, tensor<2x3xf32>) -> !seq<tensor<2x3xf32>>
    %y = core.seq_concat(%i) {axis = 1} : (!seq<tensor<2x3xf32>>) -> tensor<2x[?1]xf32>
    return %y : tensor<2x[?1]xf32>
  }
}
====
# seq-insert-construct: at an index that only the run knows
# run: opt %s --passes shapes,rules,shapes,dce --only seq-insert-construct -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>, %k: tensor<i64>) -> (tensor<2x6xf32>) {
  %s = core.seq_construct(%x)
  %i = core.seq_insert(%s, %w, %k)
  %y = core.seq_concat(%i) {axis = 1}
  return %y : tensor<2x6xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>, %k: tensor<i64>) -> (tensor<2x[?1]xf32> {hone.declared = tensor<2x6xf32>}) {
    %s = core.seq_construct(%x) : (tensor<2x3xf32>) -> !seq<tensor<2x3xf32>>
    %i = core.seq_insert(%s, %w, %k) : (!seq<tensor<2x3xf32>>, tensor<2x3xf32>, tensor<i64>) -> !seq<tensor<2x3xf32>>
    %y = core.seq_concat(%i) {axis = 1} : (!seq<tensor<2x3xf32>>) -> tensor<2x[?1]xf32>
    return %y : tensor<2x[?1]xf32>
  }
}
====
# seq-erase-construct
# run: opt %s --passes shapes,rules,shapes,dce --only seq-erase-construct -o -
# file: input.mlir
# stderr: seq-erase-construct 
---
func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %s = core.seq_construct(%x, %w)
  %k = core.constant() {value = dense<0> : tensor<i64>}
  %i = core.seq_erase(%s, %k)
  %y = core.seq_concat(%i) {axis = 1}
  return %y : tensor<2x3xf32>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<2x[?1]xf32> {hone.declared = tensor<2x3xf32>}) {
    %i = core.seq_construct(%w) : (tensor<2x3xf32>) -> !seq<tensor<2x3xf32>>
    %y = core.seq_concat(%i) {axis = 1} : (!seq<tensor<2x3xf32>>) -> tensor<2x[?1]xf32>
    return %y : tensor<2x[?1]xf32>
  }
}
====
# seq-erase-construct: no item would be left
# run: opt %s --passes shapes,rules,shapes,dce --only seq-erase-construct -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<i64>) {
  %s = core.seq_construct(%x)
  %k = core.constant() {value = dense<0> : tensor<i64>}
  %i = core.seq_erase(%s, %k)
  %y = core.seq_length(%i)
  return %y : tensor<i64>
}
---
module {
  func.func @main(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<i64>) {
    %s = core.seq_construct(%x) : (tensor<2x3xf32>) -> !seq<tensor<2x3xf32>>
    %k = core.constant() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %i = core.seq_erase(%s, %k) : (!seq<tensor<2x3xf32>>, tensor<i64>) -> !seq<tensor<2x3xf32>>
    %y = core.seq_length(%i) : (!seq<tensor<2x3xf32>>) -> tensor<i64>
    return %y : tensor<i64>
  }
}
====
# optional-get
# run: opt %s --passes shapes,rules,shapes,dce --only optional-get -o -
# file: input.mlir
# stderr: optional-get 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %o = core.optional(%x)
  %g = core.optional_get(%o)
  %y = core.relu(%g)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# optional-get: of an input
# run: opt %s --passes shapes,rules,shapes,dce --only optional-get -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%o: !opt<tensor<3xf32>>) -> (tensor<3xf32>) {
  %g = core.optional_get(%o)
  %y = core.relu(%g)
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%o: !opt<tensor<3xf32>>) -> (tensor<3xf32>) {
    %g = core.optional_get(%o) : (!opt<tensor<3xf32>>) -> tensor<3xf32>
    %y = core.relu(%g) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# optional-has
# run: opt %s --passes shapes,rules,shapes,dce --only optional-has -o -
# file: input.mlir
# stderr: optional-has 
---
func.func @main(%x: tensor<3xf32>, %b: tensor<i1>) -> (tensor<i1>) {
  %o = core.optional(%x)
  %g = core.optional_has(%o)
  %y = core.and(%g, %b)
  return %y : tensor<i1>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %b: tensor<i1>) -> (tensor<i1>) {
    %g = core.constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %y = core.and(%g, %b) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    return %y : tensor<i1>
  }
}
====
# optional-has: of an input
# run: opt %s --passes shapes,rules,shapes,dce --only optional-has -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%o: !opt<tensor<3xf32>>) -> (tensor<i1>) {
  %y = core.optional_has(%o)
  return %y : tensor<i1>
}
---
module {
  func.func @main(%o: !opt<tensor<3xf32>>) -> (tensor<i1>) {
    %y = core.optional_has(%o) : (!opt<tensor<3xf32>>) -> tensor<i1>
    return %y : tensor<i1>
  }
}

# loop-never
# run: opt %s --passes shapes,rules,shapes,dce --only loop-never -o -
# file: input.mlir
# stderr: loop-never 
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
  %n = core.constant() {value = dense<0> : tensor<i64>}
  %y = core.loop(%n, _, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
    %a = core.add(%s0, %z)
    core.yield(%go, %a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
    %y = core.identity(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-never: by the condition
# run: opt %s --passes shapes,rules,shapes,dce --only loop-never -o -
# file: input.mlir
# stderr: loop-never 
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
  %no = core.constant() {value = dense<false> : tensor<i1>}
  %y = core.loop(%n, %no, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
    %a = core.add(%s0, %z)
    core.yield(%go, %a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
    %y = core.identity(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-never: a trip count that only the run knows
# run: opt %s --passes shapes,rules,shapes,dce --only loop-never -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
  %y = core.loop(%n, _, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
    %a = core.add(%s0, %z)
    core.yield(%go, %a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
    %y = core.loop(%n, _, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
      %a = core.add(%s0, %z) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      core.yield(%go, %a) : (tensor<i1>, tensor<3xf32>) -> ()
    }) : (tensor<i64>, none, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-once
# run: opt %s --passes shapes,rules,shapes,dce --only loop-once -o -
# file: input.mlir
# stderr: loop-once 
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
  %n = core.constant() {value = dense<1> : tensor<i64>}
  %y = core.loop(%n, _, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
    %a = core.add(%s0, %z)
    core.yield(%go, %a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.add(%x, %z) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %y = core.identity(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-once: two iterations
# run: opt %s --passes shapes,rules,shapes,dce --only loop-once -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
  %n = core.constant() {value = dense<2> : tensor<i64>}
  %y = core.loop(%n, _, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
    %a = core.add(%s0, %z)
    core.yield(%go, %a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>) -> (tensor<3xf32>) {
    %n = core.constant() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
    %y = core.loop(%n, _, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
      %a = core.add(%s0, %z) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      core.yield(%go, %a) : (tensor<i1>, tensor<3xf32>) -> ()
    }) : (tensor<i64>, none, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-once: the condition may keep it from running
# run: opt %s --passes shapes,rules,shapes,dce --only loop-once -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %n = core.constant() {value = dense<1> : tensor<i64>}
  %y = core.loop(%n, %c, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
    %a = core.add(%s0, %z)
    core.yield(%go, %a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %n = core.constant() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %y = core.loop(%n, %c, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
      %a = core.add(%s0, %z) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      core.yield(%go, %a) : (tensor<i1>, tensor<3xf32>) -> ()
    }) : (tensor<i64>, tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-invariant
# run: opt %s --passes shapes,rules,shapes,dce --only loop-invariant -o -
# file: input.mlir
# stderr: loop-invariant 
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
  %y = core.loop(%n, _, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
    %e = core.exp(%z)
    %a = core.add(%s0, %e)
    core.yield(%go, %a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
    %e = core.exp(%z) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.loop(%n, _, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
      %a = core.add(%s0, %e) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      core.yield(%go, %a) : (tensor<i1>, tensor<3xf32>) -> ()
    }) : (tensor<i64>, none, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-invariant: of the state
# run: opt %s --passes shapes,rules,shapes,dce --only loop-invariant -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
  %y = core.loop(%n, _, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
    %e = core.exp(%s0)
    %a = core.add(%e, %z)
    core.yield(%go, %a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
    %y = core.loop(%n, _, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
      %e = core.exp(%s0) : (tensor<3xf32>) -> tensor<3xf32>
      %a = core.add(%e, %z) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      core.yield(%go, %a) : (tensor<i1>, tensor<3xf32>) -> ()
    }) : (tensor<i64>, none, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-invariant: random numbers are drawn anew
# run: opt %s --passes shapes,rules,shapes,dce --only loop-invariant -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
  %k = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %y = core.loop(%n, _, %x) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
    %e = core.random_uniform(%k)
    %a = core.add(%s0, %e)
    core.yield(%go, %a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
    %k = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.loop(%n, _, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
      %e = core.random_uniform(%k) : (tensor<1xi64>) -> tensor<3xf32>
      %a = core.add(%s0, %e) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      core.yield(%go, %a) : (tensor<i1>, tensor<3xf32>) -> ()
    }) : (tensor<i64>, none, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-constant-state
# run: opt %s --passes shapes,rules,shapes,dce --only loop-constant-state -o -
# file: input.mlir
# stderr: loop-constant-state 
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
  %y, %w = core.loop(%n, _, %x, %z) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>, %s1: tensor<3xf32>):
    %a = core.add(%s0, %s1)
    core.yield(%go, %a, %s1)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
    %y = core.loop(%n, _, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>):
      %a = core.add(%s0, %z) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      core.yield(%go, %a) : (tensor<i1>, tensor<3xf32>) -> ()
    }) : (tensor<i64>, none, tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# loop-constant-state: two states that change places
# run: opt %s --passes shapes,rules,shapes,dce --only loop-constant-state -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
  %y, %w = core.loop(%n, _, %x, %z) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>, %s1: tensor<3xf32>):
    core.yield(%go, %s1, %s0)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %z: tensor<3xf32>, %n: tensor<i64>) -> (tensor<3xf32>) {
    %y, %w = core.loop(%n, _, %x, %z) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s0: tensor<3xf32>, %s1: tensor<3xf32>):
      core.yield(%go, %s1, %s0) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> ()
    }) : (tensor<i64>, none, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    return %y : tensor<3xf32>
  }
}

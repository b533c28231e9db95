# if-known
# run: opt %s --passes shapes,rules,shapes,dce --only if-known -o -
# file: input.mlir
# stderr: if-known 
---
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
  %c = core.constant() {value = dense<true> : tensor<i1>}
  %y = core.if(%c) ({
    %a = core.relu(%x)
    core.yield(%a)
  }, {
    core.yield(%x)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>) {
    %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.identity(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-known: the condition is an input
# run: opt %s --passes shapes,rules,shapes,dce --only if-known -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %y = core.if(%c) ({
    %a = core.relu(%x)
    core.yield(%a)
  }, {
    %b = core.exp(%x)
    core.yield(%b)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %y = core.if(%c) ({
      %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%a) : (tensor<3xf32>) -> ()
    }, {
      %b = core.exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%b) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-not
# run: opt %s --passes shapes,rules,shapes,dce --only if-not -o -
# file: input.mlir
# stderr: if-not 
---
func.func @main(%x: tensor<3xf32>, %d: tensor<i1>) -> (tensor<3xf32>) {
  %c = core.not(%d)
  %y = core.if(%c) ({
    %a = core.relu(%x)
    core.yield(%a)
  }, {
    %b = core.exp(%x)
    core.yield(%b)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %d: tensor<i1>) -> (tensor<3xf32>) {
    %y = core.if(%d) ({
      %b = core.exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%b) : (tensor<3xf32>) -> ()
    }, {
      %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%a) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-not: no negation
# run: opt %s --passes shapes,rules,shapes,dce --only if-not -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %d: tensor<i1>, %e: tensor<i1>) -> (tensor<3xf32>) {
  %c = core.and(%d, %e)
  %y = core.if(%c) ({
    %a = core.relu(%x)
    core.yield(%a)
  }, {
    %b = core.exp(%x)
    core.yield(%b)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %d: tensor<i1>, %e: tensor<i1>) -> (tensor<3xf32>) {
    %c = core.and(%d, %e) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %y = core.if(%c) ({
      %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%a) : (tensor<3xf32>) -> ()
    }, {
      %b = core.exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%b) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-equal-branches
# run: opt %s --passes shapes,rules,shapes,dce --only if-equal-branches -o -
# file: input.mlir
# stderr: if-equal-branches 
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %y = core.if(%c) ({
    %a = core.neg(%x)
    %b = core.relu(%a)
    core.yield(%b)
  }, {
    %a = core.neg(%x)
    %b = core.relu(%a)
    core.yield(%b)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %a = core.neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %b = core.relu(%a) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.identity(%b) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-equal-branches: the last op differs
# run: opt %s --passes shapes,rules,shapes,dce --only if-equal-branches -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %y = core.if(%c) ({
    %a = core.neg(%x)
    %b = core.exp(%a)
    core.yield(%b)
  }, {
    %a = core.neg(%x)
    %b = core.relu(%a)
    core.yield(%b)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %y = core.if(%c) ({
      %a = core.neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
      %b = core.exp(%a) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%b) : (tensor<3xf32>) -> ()
    }, {
      %0 = core.neg(%x) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      %1 = core.relu(%0) {hone.names = ["b"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%1) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-equal-branches: random numbers are not the same twice
# run: opt %s --passes shapes,rules,shapes,dce --only if-equal-branches -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %s = core.constant() {value = dense<[3]> : tensor<1xi64>}
  %y = core.if(%c) ({
    %a = core.random_uniform(%s)
    core.yield(%a)
  }, {
    %a = core.random_uniform(%s)
    core.yield(%a)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %s = core.constant() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = core.if(%c) ({
      %a = core.random_uniform(%s) : (tensor<1xi64>) -> tensor<3xf32>
      core.yield(%a) : (tensor<3xf32>) -> ()
    }, {
      %0 = core.random_uniform(%s) {hone.names = ["a"]} : (tensor<1xi64>) -> tensor<3xf32>
      core.yield(%0) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-equal-results
# run: opt %s --passes shapes,rules,shapes,dce --only if-equal-results -o -
# file: input.mlir
# stderr: if-equal-results 
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {
  %z = core.neg(%x)
  %y, %w = core.if(%c) ({
    %a = core.relu(%x)
    core.yield(%z, %a)
  }, {
    %a = core.exp(%x)
    core.yield(%z, %a)
  })
  %v = core.sin(%y)
  return %v, %w : tensor<3xf32>, tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {
    %z = core.neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %w = core.if(%c) ({
      %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%a) : (tensor<3xf32>) -> ()
    }, {
      %0 = core.exp(%x) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%0) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    %v = core.sin(%z) : (tensor<3xf32>) -> tensor<3xf32>
    return %v, %w : tensor<3xf32>, tensor<3xf32>
  }
}
====
# if-equal-results: each branch gives another outer value
# run: opt %s --passes shapes,rules,shapes,dce --only if-equal-results -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %z = core.neg(%x)
  %y = core.if(%c) ({
    core.yield(%z)
  }, {
    core.yield(%x)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %z = core.neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.if(%c) ({
      core.yield(%z) : (tensor<3xf32>) -> ()
    }, {
      core.yield(%x) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-hoist
# run: opt %s --passes shapes,rules,shapes,dce --only if-hoist -o -
# file: input.mlir
# stderr: if-hoist 
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %y = core.if(%c) ({
    %a = core.neg(%x)
    %b = core.exp(%a)
    core.yield(%b)
  }, {
    %a = core.neg(%x)
    %b = core.relu(%a)
    core.yield(%b)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %a = core.neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.if(%c) ({
      %b = core.exp(%a) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%b) : (tensor<3xf32>) -> ()
    }, {
      %0 = core.relu(%a) {hone.names = ["b"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%0) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-hoist: the first ops differ
# run: opt %s --passes shapes,rules,shapes,dce --only if-hoist -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %y = core.if(%c) ({
    %a = core.relu(%x)
    core.yield(%a)
  }, {
    %b = core.exp(%x)
    core.yield(%b)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %y = core.if(%c) ({
      %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%a) : (tensor<3xf32>) -> ()
    }, {
      %b = core.exp(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%b) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-sink
# run: opt %s --passes shapes,rules,shapes,dce --only if-sink -o -
# file: input.mlir
# stderr: if-sink 
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %y = core.if(%c) ({
    %a = core.neg(%x)
    %b = core.relu(%a)
    core.yield(%b)
  }, {
    %a = core.exp(%x)
    %b = core.relu(%a)
    core.yield(%b)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %0 = core.if(%c) ({
      %a = core.neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%a) : (tensor<3xf32>) -> ()
    }, {
      %1 = core.exp(%x) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%1) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    %y = core.relu(%0) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-sink: the last ops have other attributes
# run: opt %s --passes shapes,rules,shapes,dce --only if-sink -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
  %y = core.if(%c) ({
    %a = core.neg(%x)
    %b = core.elu(%a) {alpha = 0.5}
    core.yield(%b)
  }, {
    %a = core.exp(%x)
    %b = core.elu(%a) {alpha = 0.25}
    core.yield(%b)
  })
  return %y : tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>) {
    %y = core.if(%c) ({
      %a = core.neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
      %b = core.elu(%a) {alpha = 0.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%b) : (tensor<3xf32>) -> ()
    }, {
      %0 = core.exp(%x) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      %1 = core.elu(%0) {alpha = 0.25 : f32, hone.names = ["b"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%1) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
====
# if-sink: the operands differ in type
# run: opt %s --passes shapes,rules,shapes,dce --only if-sink -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %w: tensor<3xf64>, %c: tensor<i1>) -> (tensor<3xi32>) {
  %y = core.if(%c) ({
    %a = core.neg(%x)
    %b = core.cast(%a) {to = "i32"}
    core.yield(%b)
  }, {
    %a = core.neg(%w)
    %b = core.cast(%a) {to = "i32"}
    core.yield(%b)
  })
  return %y : tensor<3xi32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %w: tensor<3xf64>, %c: tensor<i1>) -> (tensor<3xi32>) {
    %y = core.if(%c) ({
      %a = core.neg(%x) : (tensor<3xf32>) -> tensor<3xf32>
      %b = core.cast(%a) {to = "i32"} : (tensor<3xf32>) -> tensor<3xi32>
      core.yield(%b) : (tensor<3xi32>) -> ()
    }, {
      %0 = core.neg(%w) {hone.names = ["a"]} : (tensor<3xf64>) -> tensor<3xf64>
      %1 = core.cast(%0) {to = "i32", hone.names = ["b"]} : (tensor<3xf64>) -> tensor<3xi32>
      core.yield(%1) : (tensor<3xi32>) -> ()
    }) : (tensor<i1>) -> tensor<3xi32>
    return %y : tensor<3xi32>
  }
}
====
# if-merge
# run: opt %s --passes shapes,rules,shapes,dce --only if-merge -o -
# file: input.mlir
# stderr: if-merge 
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {
  %p = core.if(%c) ({
    %a = core.relu(%x)
    core.yield(%a)
  }, {
    %a = core.exp(%x)
    core.yield(%a)
  })
  %y = core.if(%c) ({
    %a = core.neg(%p)
    core.yield(%a)
  }, {
    %a = core.sin(%p)
    core.yield(%a)
  })
  return %y, %p : tensor<3xf32>, tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {
    %p, %y = core.if(%c) ({
      %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
      %0 = core.neg(%a) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%a, %0) : (tensor<3xf32>, tensor<3xf32>) -> ()
    }, {
      %1 = core.exp(%x) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      %2 = core.sin(%1) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%1, %2) : (tensor<3xf32>, tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
    return %y, %p : tensor<3xf32>, tensor<3xf32>
  }
}
====
# if-merge: other conditions
# run: opt %s --passes shapes,rules,shapes,dce --only if-merge -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>, %d: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {
  %p = core.if(%c) ({
    %a = core.relu(%x)
    core.yield(%a)
  }, {
    %a = core.exp(%x)
    core.yield(%a)
  })
  %y = core.if(%d) ({
    %a = core.neg(%p)
    core.yield(%a)
  }, {
    %a = core.sin(%p)
    core.yield(%a)
  })
  return %y, %p : tensor<3xf32>, tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>, %d: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {
    %p = core.if(%c) ({
      %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%a) : (tensor<3xf32>) -> ()
    }, {
      %0 = core.exp(%x) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%0) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    %y = core.if(%d) ({
      %1 = core.neg(%p) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%1) : (tensor<3xf32>) -> ()
    }, {
      %2 = core.sin(%p) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%2) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y, %p : tensor<3xf32>, tensor<3xf32>
  }
}
====
# if-merge: an op between the two needs the first
# run: opt %s --passes shapes,rules,shapes,dce --only if-merge -o -
# file: input.mlir
# stderr: rewrites: 0
---
func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {
  %p = core.if(%c) ({
    %a = core.relu(%x)
    core.yield(%a)
  }, {
    %a = core.exp(%x)
    core.yield(%a)
  })
  %t = core.tanh(%p)
  %y = core.if(%c) ({
    %a = core.neg(%t)
    core.yield(%a)
  }, {
    %a = core.sin(%p)
    core.yield(%a)
  })
  return %y, %p : tensor<3xf32>, tensor<3xf32>
}
---
module {
  func.func @main(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {
    %p = core.if(%c) ({
      %a = core.relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%a) : (tensor<3xf32>) -> ()
    }, {
      %0 = core.exp(%x) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%0) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    %t = core.tanh(%p) : (tensor<3xf32>) -> tensor<3xf32>
    %y = core.if(%c) ({
      %1 = core.neg(%t) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%1) : (tensor<3xf32>) -> ()
    }, {
      %2 = core.sin(%p) {hone.names = ["a"]} : (tensor<3xf32>) -> tensor<3xf32>
      core.yield(%2) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    return %y, %p : tensor<3xf32>, tensor<3xf32>
  }
}

What stands beside functions with a body: declarations and ops of other dialects; ops of other dialects in functions.
# run: convert %s -t mlir -o -
# file: input.mlir
---
module @m attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  "other.item"() <{x = 1 : i64}> {y = "z"} : () -> ()
  func.func private @ext(tensor<?xf32> {a.b = 1 : i32}, tensor<2xi8>) -> (tensor<?xf32> {c = true})
  func.func private @none()
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %c1 = arith.constant 1 : index
    %d = tensor.dim %x, %c1 : tensor<2xf32>
    %e = arith.index_cast %d : index to i32
    %s = shape.shape_of %x : tensor<2xf32> -> tensor<1xindex>
    %y = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<2xf32>
    %z = call @ext2(%y) : (tensor<2xf32>) -> tensor<2xf32>
    return %z : tensor<2xf32>
  }
  func.func private @ext2(tensor<2xf32>) -> tensor<2xf32>
}
---
module @m attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  "other.item"() {x = 1, y = "z"} : () -> ()
  func.func private @ext(tensor<[?1]xf32> {a.b = 1 : i32}, tensor<2xi8>) -> (tensor<[?2]xf32> {c = true})
  func.func private @none()
  func.func private @ext2(tensor<2xf32>) -> (tensor<2xf32>)
  func.func public @main(%x: tensor<2xf32>) -> (tensor<2xf32>) {
    %c1 = "arith.constant"() {value = 1 : index} : () -> index
    %d = "tensor.dim"(%x, %c1) : (tensor<2xf32>, index) -> index
    %e = "arith.index_cast"(%d) : (index) -> i32
    %s = "shape.shape_of"(%x) : (tensor<2xf32>) -> tensor<1xindex>
    %y = "sdy.sharding_constraint"(%x) {sharding = #sdy.sharding<@mesh, [{"a"}]>} : (tensor<2xf32>) -> tensor<2xf32>
    %z = call @ext2(%y) : (tensor<2xf32>) -> tensor<2xf32>
    return %z : tensor<2xf32>
  }
}
====
The same in the generic form.
# run: convert %s -t mlir --generic -o -
# file: input.mlir
---
module @m {
  sdy.mesh @mesh = <["a"=2]>
  func.func private @ext(tensor<?xf32> {a.b = 1 : i32}) -> (tensor<?xf32> {c = true})
  func.func public @main(%x: tensor<2xf32> {k = "v"}) -> tensor<2xf32> {
    %a = stablehlo.add %x, %x : tensor<2xf32>
    %c = stablehlo.compare LT, %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %r:2 = stablehlo.while(%p = %a, %q = %x) : tensor<2xf32>, tensor<2xf32> cond {
      %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      stablehlo.return %q, %p : tensor<2xf32>, tensor<2xf32>
    }
    %z = call @f(%r#0) : (tensor<2xf32>) -> tensor<2xf32>
    return %z : tensor<2xf32>
  }
  func.func private @f(%v: tensor<2xf32>) -> tensor<2xf32> {
    return %v : tensor<2xf32>
  }
}
---
"builtin.module"() ({
  sdy.mesh @mesh = <["a"=2]>
  "func.func"() <{arg_attrs = [{a.b = 1 : i32}], function_type = (tensor<?xf32>) -> (tensor<?xf32>), res_attrs = [{c = true}], sym_name = "ext", sym_visibility = "private"}> ({}) : () -> ()
  "func.func"() <{arg_attrs = [{k = "v"}], function_type = (tensor<2xf32>) -> (tensor<2xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%x: tensor<2xf32>):
    %a = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %c = "stablehlo.compare"(%a, %x) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %0, %1 = "stablehlo.while"(%a, %x) ({
    ^bb0(%p: tensor<2xf32>, %q: tensor<2xf32>):
      %t = "stablehlo.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
      "stablehlo.return"(%t) : (tensor<i1>) -> ()
    }, {
    ^bb0(%2: tensor<2xf32>, %3: tensor<2xf32>):
      "stablehlo.return"(%3, %2) : (tensor<2xf32>, tensor<2xf32>) -> ()
    }) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %z = "func.call"(%0) {callee = @f} : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%z) : (tensor<2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2xf32>) -> (tensor<2xf32>), sym_name = "f", sym_visibility = "private"}> ({
  ^bb0(%v: tensor<2xf32>):
    "func.return"(%v) : (tensor<2xf32>) -> ()
  }) : () -> ()
}) {sym_name = "m"} : () -> ()
====
And the generic form is read: it prints like the text that it was made of.
# run: convert %s -t mlir -o -
# file: input.mlir
---
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{arg_attrs = [{a.b = 1 : i32}], function_type = (tensor<?xf32>) -> tensor<?xf32>, sym_name = "ext", sym_visibility = "private"}> ({}) : () -> ()
  "func.func"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<2xf32>):
    %0 = "func.call"(%x) <{callee = @main2}> : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%0) : (tensor<2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = "main2", sym_visibility = "private"}> ({
  ^bb0(%x: tensor<2xf32>):
    "func.return"(%x) : (tensor<2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
---
module @m {
  func.func private @ext(tensor<[?3]xf32> {a.b = 1 : i32}) -> (tensor<[?4]xf32>)
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = call @main2(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @main2(%x: tensor<2xf32>) -> (tensor<2xf32>) {
    return %x : tensor<2xf32>
  }
}
====
A misspelt op beside functions is no op of another dialect.
# run: convert %s -t mlir -o -
# file: input.mlir
# stderr: error: found "func.fun", expected func.func or '}'
# exit: 3
---
module {
  func.fun @main() { return }
}
---

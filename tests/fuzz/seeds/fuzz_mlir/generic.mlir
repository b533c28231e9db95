"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (tensor<?x4xf32>) -> tensor<?x4xf32>, sym_name = "f", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<?x4xf32>):
    %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    "func.return"(%0) : (tensor<?x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()

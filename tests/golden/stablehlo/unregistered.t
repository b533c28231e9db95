# what mlir-opt writes of ops that it does not know: their attributes are one dictionary; newer properties of functions
# run: info --version > /dev/null; base64 -d %s > %t/a.bc && hone convert %t/a.bc -t mlir --generic -o -
# file: input.b64
---
TUzvUg1NTElSMjIuMS44AAEhBwEFCQsBAw8DBwcTFwUDGQMxHwcBHwsLCxMLEwsTExMTEwsTEwEHExcHAnUFDw0DBREXAQMDBRMX
AQUHBRUXAREHFwETERcBFQsXAQcRFwEJFQkFFwELFRcBDQsbAxEFBQMBAwELBIEFAVAHAQcEcQMBCQNQCwMHBDcDBw8DAxUACQYX
AwEDAQdGGwUDAQMDBQQdAwUDUA8HBwQZAwMHAwMRAAUEEwMBBgMBBQEArRcRCwUbCQsPDxULEWJ1aWx0aW4AZnVuYwBzdGFibGVo
bG8AbW9kdWxlAHJldHVybgBjYWxsAGFicwAuLi9zcC90Lm1saXIAZgBtYWluAHByaXZhdGUACC8JBQEBDQEDAQEJAQkBGQEBDQED
AQEFGw==
---
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> (tensor<4xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "stablehlo.abs"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "func.call"(%0) {callee = @f} : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%1) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xf32>) -> (tensor<4xf32>), sym_name = "f", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4xf32>):
    "func.return"(%arg0) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()

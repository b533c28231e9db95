# Types.
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main() {
    "a.b"() : () -> (tensor<f32>, tensor<1x3x[batch]x[seq+1]x[floordiv(h-3,2)+1]xf32>, tensor<*xbf16>, tensor<0x["two words"]xi1>, tensor<2xcomplex<f64>>, tensor<2x!hone.str>, tensor<4xnone>, tensor<4xui8, #foo.encoding<{dims = [1, 2]}>>, tensor<4x!quant.uniform<i8:f32, 0.5:-3>>, tensor<4xindex>, tensor<8xf8E4M3FN>, tensor<8xf4E2M1FN>, tensor<8xi4>, !sparse<3x3xf32>, !seq<!opt<tensor<*xf16>>>, !map<i64, tensor<f32>>, tuple<>, tuple<tensor<f32>, i32>, !token, !unknown, none, !foo.bar, !foo<"x>", [1]>, !hone.opaque<"any \22text\22">, index, vector<4xf32>, memref<2x?xf32, strided<[1, 2]>>, (tensor<f32>) -> (i32, i32))
    return
  }
}
---
module {
  func.func @main() {
    %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27 = "a.b"() : () -> (tensor<f32>, tensor<1x3x[batch]x[seq+1]x[floordiv(h+1,2)-1]xf32>, tensor<*xbf16>, tensor<0x["two words"]xi1>, tensor<2xcomplex<f64>>, tensor<2x!hone.str>, tensor<4xnone>, tensor<4xui8, #foo.encoding<{dims = [1, 2]}>>, tensor<4x!quant.uniform<i8:f32, 0.5:-3>>, tensor<4xindex>, tensor<8xf8E4M3FN>, tensor<8xf4E2M1FN>, tensor<8xi4>, !sparse<3x3xf32>, !seq<!opt<tensor<*xf16>>>, !map<i64, tensor<f32>>, tuple<>, tuple<tensor<f32>, i32>, !stablehlo.token, !unknown, none, !foo.bar, !foo<"x>", [1]>, !hone.opaque<"any \"text\"">, index, vector<4xf32>, memref<2x?xf32, strided<[1, 2]>>, (tensor<f32>) -> (i32, i32))
    return
  }
}
====
# unknown sizes get numbers; each ? is another one
# run: convert %s -t mlir -o -
# file: input.mlir
---
module {
  func.func @main(%x: tensor<?x3x?xf32>) {
    %y = core.relu(%x) : (tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
    return
  }
}
---
module {
  func.func @main(%x: tensor<[?1]x3x[?2]xf32>) {
    %y = core.relu(%x) : (tensor<[?1]x3x[?2]xf32>) -> tensor<[?5]x3x[?6]xf32>
    return
  }
}

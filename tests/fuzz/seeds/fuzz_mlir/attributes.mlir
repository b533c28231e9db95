#map = affine_map<(d0, d1) -> (d0 + 1)>
#x = #foo.bar<#map, [1]>
!t = tuple<tensor<2x[floordiv(n,2)+1]xi4>, !seq<!opt<tensor<*xf16>>>, !map<i64, tensor<f32>>, !foo<"x">>
func.func @main(%a: !t) {
  "any.op"(%a) {i = -5 : i8, u = 255 : ui8, h = 0xFF : i8, f = 1.5e+3 : bf16, g = 0x3FF0000000000000 : f16, b = true, n,
    s = "a\0Ab\"\\", v = array<i32: 1, 2>, w = array<f32: 0.1, -0.0>, l = [1, [2.0, {a = @x::@y}]], d = dense<"0x0102"> : tensor<2xi8>,
    e = dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>, k = dense<["p", "q"]> : tensor<2x!hone.str>, m = #x, q = @f, o = #hone.wire<"0x0A">,
    p = dense_resource<blob0> : tensor<3xi16>, r = dense<> : tensor<0x2xf32>, z = tensor<2xf32, #map>, y = (i32) -> (), t = #hone.text<"?">} : (!t) -> ()
  %0:2 = "a.b"() <{p}> : () -> (i32, index) loc(fused<3>["f":1:2, unknown])
  "a.c"(%0#1) : (index) -> () loc(#loc)
  return
}
#loc = loc(callsite("a"("b":1:2) at "c"))
{-# dialect_resources: { builtin: { blob0: "0x02000000010002000300" } }, external_resources: { x: { y: 1 } } #-}

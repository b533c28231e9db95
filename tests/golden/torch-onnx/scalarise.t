# index_select, cat: sizes picked by constants and joined
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?] y) <int64[1] i = {0}, int64[1] m = {-1}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, i)
   t = Concat <axis = 0> (a, m)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
    return %1 : !torch.vtensor<[?,24],f32>
  }
}

====
# select.int, unsqueeze, mul: a product of two sizes
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?] y) <int64 i = {1}, int64 j = {2}, int64[1] z = {0}, int64[1] m = {-1}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, i)
   b = Gather <axis = 0> (s, j)
   c = Mul (a, b)
   d = Unsqueeze (c, z)
   t = Concat <axis = 0> (m, d)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
    return %1 : !torch.vtensor<[?,24],f32>
  }
}

====
# slice.Tensor: a part of the shape, expanded elsewhere
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x, float[1, 4] e) => (float[?, ?] y) <int64[1] z = {0}, int64[1] o = {2}> {
   s = Shape (x)
   t = Slice (s, z, o)
   y = Expand (e, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}, %arg1: !torch.vtensor<[1,4],f32> {hone.name = "e"}) -> (!torch.vtensor<[?,4],f32> {hone.dims = ["n", "4"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.Shape"(%arg0) {torch.onnx.end = 2 : si64, torch.onnx.start = 0 : si64} : (!torch.vtensor<[?,4,6],f32>) -> !torch.vtensor<[2],si64> 
    %1 = torch.operator "onnx.Expand"(%arg1, %0) : (!torch.vtensor<[1,4],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,4],f32> 
    return %1 : !torch.vtensor<[?,4],f32>
  }
}

====
# broadcast_to: one number for two sizes
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?] y) <int64[1] one = {1}, int64[1] k = {2}, int64[1] z = {0}, int64[1] f = {24}> {
   s = Shape (x)
   a = Expand (one, k)
   b = Gather <axis = 0> (s, z)
   c = Slice (a, z, one)
   d = Mul (b, c)
   t = Concat <axis = 0> (d, f)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
    return %1 : !torch.vtensor<[?,24],f32>
  }
}

====
# where.self, eq.Tensor: sizes chosen by comparison
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?] y) <int64[2] want = {-1, 24}, int64[2] none = {-1, -1}, int64[2] other = {0, 1}, int64[2] i = {0, 2}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, i)
   e = Equal (want, none)
   t = Where (e, a, want)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
    return %1 : !torch.vtensor<[?,24],f32>
  }
}

====
# div, sub, remainder: halves and rests
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?] y) <int64 i = {0}, int64 two = {2}, int64[1] z = {0}, int64[1] m = {-1}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, i)
   h = Div (a, two)
   r = Sub (a, h)
   q = Mod (r, r)
   u = Add (q, h)
   v = Add (u, r)
   d = Unsqueeze (v, z)
   t = Concat <axis = 0> (d, m)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
    return %1 : !torch.vtensor<[?,24],f32>
  }
}

====
# neg: a size that comes back
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?] y) <int64 i = {0}, int64[1] z = {0}, int64[1] m = {-1}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, i)
   b = Neg (a)
   c = Neg (b)
   d = Unsqueeze (c, z)
   t = Concat <axis = 0> (d, m)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
    return %1 : !torch.vtensor<[?,24],f32>
  }
}

====
# to.dtype, Int.Scalar(Float.Scalar(size)): through floats and back
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?] y) <int64 i = {0}, int64[1] z = {0}, int64[1] m = {-1}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, i)
   f = Cast <to = 1> (a)
   g = Floor (f)
   b = Cast <to = 7> (g)
   d = Unsqueeze (b, z)
   t = Concat <axis = 0> (d, m)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
    return %1 : !torch.vtensor<[?,24],f32>
  }
}

====
# transpose.int: sizes through a transposed table
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?] y) <int64[2] w = {1, 3}, int64[1] mm = {-1}, int64[2] v = {3, 1}, int64[1] z = {0}, int64[1] m = {24}> {
   s = Shape (x)
   a = Reshape (s, w)
   b = Transpose <perm = [1, 0]> (a)
   c = Reshape (b, mm)
   d = Gather <axis = 0> (c, z)
   t = Concat <axis = 0> (d, m)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
    return %1 : !torch.vtensor<[?,24],f32>
  }
}

====
# view, flatten, unflatten: the shape reshaped
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?] y) <int64[2] w = {3, 1}, int64[1] mm = {-1}, int64[1] z = {0}, int64[1] m = {24}> {
   s = Shape (x)
   a = Reshape (s, w)
   c = Reshape (a, mm)
   d = Gather <axis = 0> (c, z)
   t = Concat <axis = 0> (d, m)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
    return %1 : !torch.vtensor<[?,24],f32>
  }
}

====
# eq.int(size, 0) is false: the other branch
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?, ?] y) <int64 i = {1}, int64 zero = {0}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, i)
   c = Equal (a, zero)
   y = If (c) <then_branch = g1 () => (float[n, 4, 6] p) { p = Neg (x) }, else_branch = g2 () => (float[n, 4, 6] q) { q = Abs (x) }>
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.Abs"(%arg0) : (!torch.vtensor<[?,4,6],f32>) -> !torch.vtensor<[?,4,6],f32> 
    return %0 : !torch.vtensor<[?,4,6],f32>
  }
}

====
# squeeze and unsqueeze of full, splat to full
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?, ?] y) <int64[1] z = {0}, int64[1] o = {1}> {
   s = Shape (x)
   a = ConstantOfShape <value = float[1] {2.0}> (s)
   b = Unsqueeze (a, z)
   c = Squeeze (b, z)
   y = Mul (x, c)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.Shape"(%arg0) : (!torch.vtensor<[?,4,6],f32>) -> !torch.vtensor<[3],si64> 
    %1 = torch.operator "onnx.ConstantOfShape"(%0) {torch.onnx.value = dense<2.000000e+00> : tensor<1xf32>} : (!torch.vtensor<[3],si64>) -> !torch.vtensor<[?,4,6],f32> 
    %2 = torch.operator "onnx.Mul"(%arg0, %1) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[?,4,6],f32>) -> !torch.vtensor<[?,4,6],f32> 
    return %2 : !torch.vtensor<[?,4,6],f32>
  }
}

====
# view to flatten: two sizes joined
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, m] x) => (float[?, ?] y) <int64[1] z = {0}, int64[1] e = {4}, int64[1] l = {2}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, z)
   b = Gather <axis = 0> (s, l)
   c = Mul (b, e)
   t = Concat <axis = 0> (a, c)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,?],f32> {hone.dims = ["n", "4", "m"], hone.name = "x"}) -> (!torch.vtensor<[?,?],f32> {hone.dims = ["n", "4*m"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[0, -1]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,?],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,?],f32> 
    return %1 : !torch.vtensor<[?,?],f32>
  }
}

====
# view to unflatten: one size split, the unknown factor becomes -1
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 24] x) => (float[?, ?, ?] y) <int64[1] z = {0}, int64[2] p = {4, 6}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, z)
   t = Concat <axis = 0> (a, p)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "x"}) -> (!torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 4, 6]> : tensor<3xsi64>} : () -> !torch.vtensor<[3],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,24],f32>, !torch.vtensor<[3],si64>) -> !torch.vtensor<[?,4,6],f32> 
    return %1 : !torch.vtensor<[?,4,6],f32>
  }
}

====
# view to a static cast: the same shape again
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (float[?, ?, ?] y)  {
   s = Shape (x)
   y = Reshape (x, s)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 4, 6]> : tensor<3xsi64>} : () -> !torch.vtensor<[3],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[3],si64>) -> !torch.vtensor<[?,4,6],f32> 
    return %1 : !torch.vtensor<[?,4,6],f32>
  }
}

====
# more than 16 elements: no limit
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6] x) => (float[?, ?] y) <int64[1] i = {0}, int64[1] j = {17}> {
   s = Shape (x)
   a = Gather <axis = 0> (s, i)
   b = Gather <axis = 0> (s, j)
   t = Concat <axis = 0> (a, b)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6],f32> {hone.dims = ["n", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "6"], hone.name = "x"}) -> (!torch.vtensor<[?,6],f32> {hone.dims = ["n", "6"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 6]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,6],f32> 
    return %1 : !torch.vtensor<[?,6],f32>
  }
}

====
# division of negative numbers rounds to zero
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4] x) => (float[?, ?] y) <int64[1] a = {-7}, int64[1] b = {2}, int64[1] c = {-3}, int64[1] m = {-1}, int64[1] f = {4}> {
   d = Div (a, b)
   e = Sub (d, c)
   g = Add (e, m)
   t = Concat <axis = 0> (g, f)
   y = Reshape (x, t)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4],f32> {hone.dims = ["n", "4"], hone.name = "x"}) -> (!torch.vtensor<[?,4],f32> {hone.dims = ["n", "4"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 4]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Reshape"(%arg0, %0) : (!torch.vtensor<[?,4],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,4],f32> 
    return %1 : !torch.vtensor<[?,4],f32>
  }
}

====
# inside of a branch
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x, bool c) => (float[?, ?] y) <int64[1] i = {0}, int64[1] m = {-1}> {
   y = If (c) <then_branch = g1 () => (float[?, ?] p) { s = Shape (x) a = Gather <axis = 0> (s, i) t = Concat <axis = 0> (a, m) p = Reshape (x, t) }, else_branch = g2 () => (float[?, ?] q) { r = Abs (x) q = Flatten <axis = 1> (r) }>
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}, %arg1: !torch.vtensor<[],i1> {hone.name = "c"}) -> (!torch.vtensor<[?,24],f32> {hone.dims = ["n", "24"], hone.name = "y"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %none = torch.constant.none
    %0 = torch.operator "onnx.If"(%arg1) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[?,24],f32> {
      %1 = torch.operator "onnx.Abs"(%arg0) : (!torch.vtensor<[?,4,6],f32>) -> !torch.vtensor<[?,4,6],f32> 
      %2 = torch.operator "onnx.Flatten"(%1) {torch.onnx.axis = 1 : si64} : (!torch.vtensor<[?,4,6],f32>) -> !torch.vtensor<[?,24],f32> 
      torch.operator_terminator %2 : !torch.vtensor<[?,24],f32>
    }, {
      %1 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 24]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
      %2 = torch.operator "onnx.Reshape"(%arg0, %1) : (!torch.vtensor<[?,4,6],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,24],f32> 
      torch.operator_terminator %2 : !torch.vtensor<[?,24],f32>
    }
    return %0 : !torch.vtensor<[?,24],f32>
  }
}

====
# results of the function: sizes that are known
# run: opt %s -t torch-onnx -o - -q
# file: input.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
main (float[n, 4, 6] x) => (int64[?] y, float[?, ?, ?] z) <int64[1] i = {1}, int64[1] o = {1}, int64[1] q = {3}> {
   s = Shape (x)
   y = Slice (s, i, q)
   z = Relu (x)
}
---
module {
  func.func @main(%arg0: !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "x"}) -> (!torch.vtensor<[2],si64> {hone.name = "y"}, !torch.vtensor<[?,4,6],f32> {hone.dims = ["n", "4", "6"], hone.name = "z"}) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 17 : si64, torch.onnx_meta.producer_name = "", torch.onnx_meta.producer_version = ""} {
    %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[4, 6]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64> 
    %none = torch.constant.none
    %1 = torch.operator "onnx.Relu"(%arg0) : (!torch.vtensor<[?,4,6],f32>) -> !torch.vtensor<[?,4,6],f32> 
    return %0, %1 : !torch.vtensor<[2],si64>, !torch.vtensor<[?,4,6],f32>
  }
}


# The plan names each step.
# run: run %s --profile -j 1 --print 2 | sed 's/^ *[0-9.]* *[0-9.]* *[0-9.]* *[0-9.]* *[0-9.]* *[0-9.]*  //; s/memory of a run.*//; s/ [0-9.]* % of the time.*//; s/^ *us.*//'
# file: m.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[4, 8] x, float[4, 8] z) => (float[4, 8] y, float[4] m)
<float[8, 8] w = {1,0,0,0,0,0,0,0, 0,1,0,0,0,0,0,0, 0,0,1,0,0,0,0,0, 0,0,0,1,0,0,0,0,
  0,0,0,0,1,0,0,0, 0,0,0,0,0,1,0,0, 0,0,0,0,0,0,1,0, 0,0,0,0,0,0,0,2}>
{
	a = MatMul(x, w)
	b = Add(a, z)
	y = Relu(b)
	m = ReduceMax<axes = [1], keepdims = 0>(y)
}
---
y float32[4,8] 0 0 ... (32 elements)
m float32[4] 1.44789 3.97332 ... (4 elements)

dense          1x1x4x8 -> 1x1x4x8, kernel 1x1x1 + relu  [one thread]
reduce         core.reduce  [one thread]
2 steps, 0.000 GFLOP;

====
# A bad index is told, with the operator.
# run: run %s -j 1
# stderr: index number 1 is out of range
# file: m.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x) => (float[3, 3] y)
<int64[1] five = {5}, int64[1] one = {1}, int64[1] shape = {1}>
{
	s = Shape(x)
	t = Cast<to = 7>(x)
	r = ReduceMax<axes = [0, 1], keepdims = 0>(t)
	z = Sub(r, r)
	q = Reshape(z, shape)
	u = Add(q, five)
	i = Concat<axis = 0>(q, u, q)
	y = Gather(x, i)
}
---
====
# Results whose sizes depend on data.
# run: run %s --check -q
# run: run %s --reference
# run: run %s -j 1
# file: m.onnxtxt
---
<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 5] x) => (float[n] y, int64[1] count)
<float zero = {0}>
{
	p = Greater(x, zero)
	flat = Flatten<axis = 0>(p)
	q = Squeeze(flat)
	y = Compress(x, q)
	count = Shape(y)
}
---
y float32[8] 0.563888 1.02805 0.741985 0.198806 0.108667 0.889101 0.742367 1.90191
count int64[1] 8
y float32[8] 0.563888 1.02805 0.741985 0.198806 0.108667 0.889101 0.742367 1.90191
count int64[1] 8
====
# A constant that cannot be computed is told.
# run: run %s -j 1
# stderr: matrix 0 has no inverse
# file: m.onnxtxt
# exit: 3
---
<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[1] unused) => (i) <float[2,2] m = {1, 2, 2, 4}> { [inv] i = com.microsoft.Inverse (m) }
---

/* Plans against the evaluator on graphs where views, places and fusion could go wrong; one run after the other with other sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan_case.h"

typedef struct Case {
	const char *name, *text;
	const char *sizes[3]; /* values of the symbol n, one run each; NULL: sizes are fixed */
	int joints;           /* results that lie inside of chains of convolutions */
} Case;

/* Weights whose elements differ: "name" of `dims` elements. */
#define WEIGHTS(name, count, dims) \
	"r" name " = Range(zero, " count ", one) s" name " = Sin(r" name ") d" name " = Mul(s" name ", scale) " \
	name " = Reshape(d" name ", " dims ") "
#define BLOCK_HEAD "<float zero = {0}, float one = {1}, float scale = {0.2}, float n1 = {512}, float n2 = {288}, float n3 = {512},\n" \
	"int64[4] k1 = {32, 16, 1, 1}, int64[4] k2 = {32, 1, 3, 3}, int64[4] k3 = {16, 32, 1, 1}, float top = {6}>\n"
#define BLOCK_WEIGHTS WEIGHTS("w1", "n1", "k1") WEIGHTS("w2", "n2", "k2") WEIGHTS("w3", "n3", "k3")

static const Case CASES[] = {
	{ "an input that is an output, twice",
		"g (float[2, 3] x) => (float[2, 3] x, float[2, 3] y, float[2, 3] z) { y = Identity(x) z = Relu(x) }", { NULL } },
	{ "a value that is an output and goes on",
		"g (float[4, 4] x) => (float[4, 4] y, float[4, 4] z) { y = Relu(x) t = Neg(y) z = Exp(t) }", { NULL } },
	{ "parts of a value, joined in another order", "g (float[2, 6, 4, 4] x) => (float[2, 6, 4, 4] y)\n"
		"<int64[3] s = {2, 2, 2}> { a, b, c = Split<axis = 1>(x, s) r = Relu(b) y = Concat<axis = 1>(c, r, a) }", { NULL } },
	{ "a value joined with itself",
		"g (float[2, 3] x) => (float[2, 9] y) { r = Relu(x) n = Neg(x) y = Concat<axis = 1>(r, n, r) }", { NULL } },
	{ "joined parts that grow", "g (float[1, 4, 5, 5] x) => (float[1, 12, 5, 5] y, float[1, 8, 5, 5] z)\n"
		"{ a = Relu(x) z = Concat<axis = 1>(x, a) b = Sigmoid(z) c, d = Split<axis = 1, num_outputs = 2>(b) y = Concat<axis = 1>(x, a, d) }", { NULL } },
	{ "two convolutions added", "g (float[1, 4, 6, 6] x) => (float[1, 8, 6, 6] y)\n"
		"<int64[4] ws = {8, 4, 3, 3}, int64[4] vs = {8, 4, 1, 1}> {\n"
		"w = ConstantOfShape<value = float[1] {0.1}>(ws) v = ConstantOfShape<value = float[1] {-0.3}>(vs)\n"
		"a = Conv<pads = [1, 1, 1, 1]>(x, w) b = Conv(x, v) c = Add(a, b) y = Relu(c) }", { NULL } },
	{ "a convolution that two use", "g (float[1, 4, 6, 6] x) => (float[1, 8, 6, 6] y, float[1, 8] m)\n"
		"<int64[4] ws = {8, 4, 3, 3}, int64[2] ax = {2, 3}> {\n"
		"w = ConstantOfShape<value = float[1] {0.1}>(ws) a = Conv<pads = [1, 1, 1, 1]>(x, w) s = Sigmoid(a) y = Mul(a, s)\n"
		"m = ReduceMean<keepdims = 0>(a, ax) }", { NULL } },
	{ "a scale by channel and one by pixel",
		"g (float[2, 4, 6, 6] x, float[1, 4, 1, 1] c, float[2, 1, 6, 6] p) => (float[2, 4, 6, 6] y)\n"
		"<int64[4] ws = {4, 4, 3, 3}> { w = ConstantOfShape<value = float[1] {0.2}>(ws) a = Conv<pads = [1, 1, 1, 1]>(x, w)\n"
		"b = Mul(a, c) d = Add(b, p) y = Tanh(d) }", { NULL } },
	{ "layouts meet", "g (float[2, 4, 6, 6] x, float[2, 6, 6, 4] z) => (float[2, 6, 6, 4] y, float[2, 144] f)\n"
		"<int64[4] ws = {4, 4, 3, 3}> { w = ConstantOfShape<value = float[1] {0.2}>(ws) a = Conv<pads = [1, 1, 1, 1]>(x, w)\n"
		"t = Transpose<perm = [0, 2, 3, 1]>(a) y = Add(t, z) r = Relu(a) f = Flatten(r) }", { NULL } },
	{ "attention", "g (float[2, 5, 12] q, float[2, 7, 12] k, float[2, 1, 5, 7] m) => (float[2, 5, 12] y)\n"
		"<int64[4] s = {0, 0, 3, 4}, int64[3] o = {0, 0, 12}, float scale = {0.5}> { q4 = Reshape(q, s) k4 = Reshape(k, s) qt = Transpose<perm = [0, 2, 1, 3]>(q4)\n"
		"kt = Transpose<perm = [0, 2, 3, 1]>(k4) a = MatMul(qt, kt) b = Mul(a, scale) c = Add(b, m) p = Softmax(c)\n"
		"v = Transpose<perm = [0, 2, 1, 3]>(k4) e = MatMul(p, v) f = Transpose<perm = [0, 2, 1, 3]>(e) y = Reshape(f, o) }", { NULL } },
	{ "attention with shared heads, a mask of bools and one of numbers",
		"g (float[2, 4, 5, 8] q, float[2, 1, 9, 8] k, float[2, 1, 9, 6] v, float[5, 9] m, float[2, 4, 5, 9] z) => (float[2, 5, 4, 6] y)\n"
		"<float zero = {0}, float low = {-1e9}, float d = {3}> { kt = Transpose<perm = [0, 1, 3, 2]>(k) a = MatMul(q, kt) b = Div(a, d)\n"
		"keep = Less(m, zero) c = Where(keep, b, low) e = Add(c, z) p = Softmax(e) o = MatMul(p, v) y = Transpose<perm = [0, 2, 1, 3]>(o) }", { NULL } },
	{ "rows that see nothing, and some that see little", "g (float[3, 6, 4] q, float[3, 7, 4] k, float[3, 7, 4] v) => (float[3, 6, 4] y)\n"
		"<float[6, 1] far = {-inf, 0, -inf, 0, 0, 0}, float[6, 7] some = {0, 0, 0, 0, 0, 0, 0, -inf, -inf, -inf, -inf, -inf, -inf, -inf, "
		"-inf, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -inf, 0, 0, -inf, 0, 0, -inf, 0, -inf, -inf, -inf, -inf, -inf, -inf, 1}> {\n"
		"kt = Transpose<perm = [0, 2, 1]>(k) a = MatMul(q, kt) b = Add(a, some) p = Softmax(b) y = MatMul(p, v) }", { NULL } },
	{ "scores and probabilities that are outputs",
		"g (float[2, 5, 4] q, float[2, 5, 4] k, float[2, 5, 4] v) => (float[2, 5, 4] y, float[2, 5, 4] z, float[2, 5, 5] a, float[2, 5, 5] f)\n"
		"{ kt = Transpose<perm = [0, 2, 1]>(k) a = MatMul(q, kt) p = Softmax(a) y = MatMul(p, v) b = MatMul(k, kt) f = Softmax(b) z = MatMul(f, v) }", { NULL } },
	{ "probabilities that two use", "g (float[2, 5, 4] q, float[2, 5, 4] k, float[2, 5, 4] v) => (float[2, 5, 4] y, float[2, 5, 4] z)\n"
		"{ kt = Transpose<perm = [0, 2, 1]>(k) a = MatMul(q, kt) p = Softmax(a) y = MatMul(p, v) z = MatMul(p, k) }", { NULL } },
	{ "probabilities on both sides, and a softmax of columns", "g (float[2, 5, 5] q, float[2, 5, 5] k) => (float[2, 5, 5] y, float[2, 5, 5] z)\n"
		"{ a = MatMul(q, k) p = Softmax(a) y = MatMul(p, p) b = MatMul(k, q) c = Softmax<axis = 1>(b) z = MatMul(c, q) }", { NULL } },
	{ "attention that goes on, joined", "g (float[2, 5, 4] q, float[2, 5, 4] k, float[2, 5, 4] r) => (float[2, 5, 8] y)\n"
		"{ kt = Transpose<perm = [0, 2, 1]>(k) a = MatMul(q, kt) p = Softmax(a) o = MatMul(p, k) t = Add(o, r) u = Tanh(t) y = Concat<axis = 2>(o, u) }", { NULL } },
	{ "attention of matrices", "g (float[5, 4] q, float[6, 4] k, float[4, 6] v) => (float[5, 4] y)\n"
		"{ a = Gemm<transB = 1, alpha = 0.5>(q, k) p = Softmax(a) y = Gemm<transB = 1>(p, v) }", { NULL } },
	{ "a cache that grows",
		"g (float[1, 2, n, 4] past, float[1, 2, n, 4] old, float[1, 2, 1, 4] q, float[1, 2, 1, 4] k, float[1, 2, 1, 4] v) => "
		"(float[1, 2, 1, 4] y, float[1, 2, m, 4] now, float[1, 2, m, 4] new)\n"
		"{ now = Concat<axis = 2>(past, k) new = Concat<axis = 2>(old, v) kt = Transpose<perm = [0, 1, 3, 2]>(now)\n"
		"a = MatMul(q, kt) p = Softmax(a) y = MatMul(p, new) }", { "3", "600", "0" } },
	{ "keys of unknown number", "g (float[1, 2, 3, 4] q, float[1, 2, n, 4] k, float[1, 1, 1, n] m) => (float[1, 2, 3, 4] y)\n"
		"{ kt = Transpose<perm = [0, 1, 3, 2]>(k) a = MatMul(q, kt) b = Add(a, m) p = Softmax(b) y = MatMul(p, k) }", { "17", "1500", "0" } },
	{ "weights that are no numbers, at the padding",
		"g (float[1, 2, 9, 9] x, float[1, 2, 4] z) => (float[1, 16, 9, 9] y, float[1, 16, 7, 7] n, float[1, 16, 19, 19] t, float[1, 2, 9, 9] d, float[1, 3, 4] o)\n"
		"<float[1, 1, 1, 3] edge = {inf, 1, 2}, float[1, 1, 3, 1] row = {1, nan, 1}, int64[4] ws = {16, 2, 3, 3}, int64[4] ts = {2, 16, 3, 3}, "
		"int64[4] ds = {2, 1, 3, 3}, float[3, 2, 3] v = {1, 2, 3, 4, 5, 6, -inf, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, nan}> {\n"
		"a = ConstantOfShape<value = float[1] {0.5}>(ws) w = Mul(a, edge) y = Conv<pads = [1, 1, 1, 1]>(x, w) n = Conv(x, w)\n"
		"b = ConstantOfShape<value = float[1] {0.5}>(ts) u = Mul(b, row) t = ConvTranspose<strides = [2, 2]>(x, u)\n"
		"c = ConstantOfShape<value = float[1] {0.5}>(ds) e = Mul(c, edge) d = Conv<group = 2, pads = [1, 1, 1, 1]>(x, e)\n"
		"o = Conv<pads = [1, 1]>(z, v) }", { NULL } },
	{ "convolutions of small groups", "g (float[2, 24, 9, 11] x) => (float[2, 24, 9, 11] y, float[2, 24, 5, 6] s)\n"
		"<int64[4] ws = {24, 4, 3, 3}, int64[4] vs = {24, 8, 3, 3}, float[24, 1, 1, 1] f = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}, "
		"float[1, 1, 3, 3] k = {1, 2, 3, 4, 5, 6, 7, 8, 9}> {\n"
		"a = ConstantOfShape<value = float[1] {0.0005}>(ws) b = Mul(a, f) w = Mul(b, k) c = Conv<group = 6, pads = [1, 1, 1, 1]>(x, w) y = Relu(c)\n"
		"d = ConstantOfShape<value = float[1] {0.0005}>(vs) e = Mul(d, f) v = Mul(e, k) g = Conv<group = 3, pads = [1, 1, 1, 1], strides = [2, 2]>(x, v) s = Add(g, g) }", { NULL } },
	{ "borders", "g (float[2, 3, 4, 5] x) => (float[2, 3, 9, 8] y, float[2, 3, 9, 8] z, float[2, 3, 9, 8] w, float[2, 4, 1, 10] c, float[2, 3, 7, 5] u)\n"
		"<int64[8] p = {0, 0, 2, 1, 0, 0, 3, 2}, int64[8] q = {0, 1, -2, 3, 0, 0, -1, 2}, int64[1] ax = {-2}, int64[2] r = {3, 0}> {\n"
		"a = Relu(x) y = Pad<mode = \"reflect\">(a, p) z = Pad<mode = \"edge\">(a, p) w = Pad<mode = \"wrap\">(a, p) c = Pad(a, q) u = Pad<mode = \"wrap\">(a, r, , ax) }", { NULL } },
	{ "repeats, triangles, mirrors", "g (float[2, 1, 3] x, float[2, 4, 5] m, int64[4, 6] i) => (float[4, 3, 9] y, float[2, 7, 3] z, float[2, 4, 5] u, float[2, 4, 5] l, int64[4, 6] k)\n"
		"<int64[3] r = {2, 3, 3}, int64[3] s = {1, 7, 1}, int64 one = {1}, int64 two = {-2}> {\n"
		"a = Neg(x) y = Tile(a, r) t = Tile(a, s) z = Exp(t) u = Trilu(m, one) l = Trilu<upper = 0>(m, two) k = Trilu(i) }", { NULL } },
	{ "where the largest are, and the best", "g (float[3, 7, 4] x, int64[5, 6] i) => (int64[3, 4] a, int64[3, 7, 1] b, float[3, 2, 4] v, int64[3, 2, 4] w, int64[5, 3] iv, int64[5, 3] ii, "
		"float[3, 7, 4] s, int64[5, 6] t)\n<int64[1] two = {2}, int64[1] three = {3}, int64 one = {1}, int64 last = {-1}> {\n"
		"a = ArgMax<axis = 1, keepdims = 0>(x) b = ArgMin<axis = -1, select_last_index = 1>(x) v, w = TopK<axis = 1>(x, two) iv, ii = TopK<largest = 0>(i, three)\n"
		"s = CumSum<exclusive = 1>(x, one) t = CumSum<reverse = 1>(i, last) }", { NULL } },
	{ "by index", "g (float[4, 5] x, int64[3, 5] i, float[3, 5] u, int64[2, 2] t, float[2] f, int64[6] h) => (float[3, 5] a, float[4, 5] b, float[4, 5] c, float[2] d, float[4, 5] e, float[6, 3] o)\n"
		"<int64 depth = {3}, float[2] values = {-1, 5}, int64[3, 5] ia = {0, 1, 2, 3, -1, -4, 1, 1, 2, 0, 3, 3, 3, 3, 3}, int64[2, 2] ta = {1, -2, 3, 4}> {\n"
		"a = GatherElements(x, ia) b = ScatterElements(x, ia, u) c = ScatterElements<reduction = \"add\">(x, ia, u) d = GatherND(x, ta)\n"
		"e = ScatterND<reduction = \"max\">(x, ta, f) o = OneHot(h, depth, values) }", { NULL } },
	{ "samples of images", "g (float[2, 3, 6, 7] x, float[2, 4, 5, 2] at, float[3, 4] r) => (float[2, 3, 4, 5] y, float[2, 3, 4, 5] z, float[2, 3, 4, 5] w, float[3, 3, 2, 2] o, float[3, 3, 2, 3] m)\n"
		"<int64[3] b = {0, 1, 1}> { y = GridSample(x, at) z = GridSample<mode = \"bicubic\", padding_mode = \"reflection\", align_corners = 1>(x, at)\n"
		"w = GridSample<mode = \"nearest\", padding_mode = \"border\">(x, at) o = RoiAlign<output_height = 2, output_width = 2, sampling_ratio = 2>(x, r, b)\n"
		"m = RoiAlign<mode = \"max\", output_height = 2, output_width = 3, spatial_scale = 0.5, coordinate_transformation_mode = \"output_half_pixel\">(x, r, b) }", { NULL } },
	{ "sums of products by letters", "g (float[2, 3, 4] a, float[5, 6, 4] b, float[2, 4, 3] c, float[3, 3] s, float[2, 3, 4] d) => "
		"(float[2, 5, 6, 3] y, float[3, 2] z, float[2, 3, 4, 4] o, float[3] t, float[4, 2, 3] p, float[2] q)\n"
		"{ d2 = Transpose<perm = [0, 2, 1]>(c) y = Einsum<equation = \"nij,hwj->nhwi\">(a, b) z = Einsum<equation = \"abc,acb -> ba\">(a, c) o = Einsum<equation = \"bij,bik->bijk\">(a, d2)\n"
		"t = Einsum<equation = \"ii->i\">(s) p = Einsum<equation = \"abc->cab\">(a) q = Einsum<equation = \"abc,abc->a\">(a, d) }", { NULL } },
	{ "a product with a bias, a residual and an activation", "g (float[3, 5, 8] x, float[3, 5, 4] r) => (float[3, 5, 4] y)\n"
		"<int64[2] ws = {8, 4}, float[4] b = {1, -2, 3, -4}> { w = ConstantOfShape<value = float[1] {0.3}>(ws)\n"
		"m = MatMul(x, w) a = Add(m, b) c = Add(a, r) y = Sigmoid(c) }", { NULL } },
	{ "backwards and with steps", "g (float[9, 5] x) => (float[4, 5] y, float[9, 5] z)\n"
		"<int64[1] a = {7}, int64[1] b = {0}, int64[1] c = {-2}, int64[1] d = {0}, int64[1] e = {-1}, int64[1] f = {-9223372036854775807}, int64[1] one = {-1}>\n"
		"{ s = Slice(x, a, b, d, c) y = Exp(s) t = Slice(x, e, f, d, one) z = Add(t, x) }", { NULL } },
	{ "nothing at all", "g (float[0, 3] x) => (float[0, 3] y, float[3] s) <int64[1] a = {0}> { y = Relu(x) s = ReduceSum<keepdims = 0>(y, a) }", { NULL } },
	{ "expand, depthwise, project, add", "g (float[2, 16, 96, 96] x) => (float[2, 16, 96, 96] y)\n" BLOCK_HEAD "{" BLOCK_WEIGHTS
		"a = Conv(x, w1) b = Clip(a, zero, top) c = Conv<group = 32, pads = [1, 1, 1, 1]>(b, w2) d = HardSwish(c)\n"
		"e = Conv(d, w3) y = Add(e, x) }", { NULL }, 2 },
	{ "the same for any batch, with a stride", "g (float[n, 16, 96, 97] x) => (float[n, 16, 32, 33] y)\n" BLOCK_HEAD "{" BLOCK_WEIGHTS
		"a = Conv(x, w1) b = HardSwish(a) c = Conv<group = 32, pads = [0, 1, 1, 2], strides = [3, 3]>(b, w2) d = Sigmoid(c)\n"
		"y = Conv(d, w3) }", { "1", "3", "1" }, 1 },
	{ "a value inside that is an output too", "g (float[1, 16, 96, 96] x) => (float[1, 16, 96, 96] y, float[1, 32, 96, 96] b)\n"
		BLOCK_HEAD "{" BLOCK_WEIGHTS "a = Conv(x, w1) b = Clip(a, zero, top) c = Conv<group = 32, pads = [1, 1, 1, 1]>(b, w2)\n"
		"y = Conv(c, w3) }", { NULL }, 1 },
	{ "a value inside that two use", "g (float[1, 16, 96, 96] x) => (float[1, 16, 96, 96] y)\n"
		BLOCK_HEAD "{" BLOCK_WEIGHTS "a = Conv(x, w1) b = Clip(a, zero, top) c = Conv<group = 32, pads = [1, 1, 1, 1]>(b, w2)\n"
		"p = GlobalAveragePool(c) s = Sigmoid(p) d = Mul(c, s) y = Conv(d, w3) }", { NULL }, 1 },
	{ "a residual that lies inside", "g (float[1, 16, 96, 96] x) => (float[1, 16, 96, 96] y)\n"
		BLOCK_HEAD "{" BLOCK_WEIGHTS "a = Conv(x, w1) b = Clip(a, zero, top) c = Conv<group = 32, pads = [1, 1, 1, 1]>(b, w2)\n"
		"d = Add(c, b) y = Conv(d, w3) }", { NULL }, 1 },
	{ "weights that two stages share", "g (float[1, 32, 96, 96] x) => (float[1, 32, 96, 96] y)\n"
		BLOCK_HEAD "{" BLOCK_WEIGHTS "a = Conv<group = 32, pads = [1, 1, 1, 1]>(x, w2)\n"
		"y = Conv<group = 32, dilations = [2, 2], pads = [2, 2, 2, 2]>(a, w2) }", { NULL }, 1 },
	{ "images that fit in cache", "g (float[1, 16, 20, 20] x) => (float[1, 16, 20, 20] y)\n" BLOCK_HEAD "{" BLOCK_WEIGHTS
		"a = Conv(x, w1) b = Clip(a, zero, top) c = Conv<group = 32, pads = [1, 1, 1, 1]>(b, w2) y = Conv(c, w3) }", { NULL }, 0 },
	{ "sizes that change", "g (float[n, 3, 8] x) => (float[n, 4, 8] y, float[n, 12] z)\n"
		"<int64[3] ws = {4, 3, 3}, int64[1] st = {0}, int64[1] en = {6}, int64[1] ax = {1}> {\n"
		"w = ConstantOfShape<value = float[1] {0.2}>(ws) c = Conv<pads = [1, 1]>(x, w) y = Relu(c)\n"
		"p = MaxPool<kernel_shape = [3], strides = [3]>(y) f = Flatten(p) d = Add(f, f) e = Slice(d, st, en, ax)\n"
		"z = Concat<axis = 1>(e, e) }", { "2", "5", "2" } },
	{ "large weights and few rows", "g (float[3, 300] x, float[3, 450] r) => (float[3, 450] y, float[3, 450] z)\n"
		"<float o = {0}, float e = {135000}, float one = {1}, float small = {0.05}, int64[2] s = {300, 450}, int64[2] t = {450, 300}, float[1] b = {0.25}> {\n"
		"i = Range(o, e, one) q = Sin(i) v = Mul(q, small) w = Reshape(v, s) u = Reshape(v, t) a = MatMul(x, w) c = Add(a, r) y = Relu(c)\n"
		"d = Gemm<transB = 1, alpha = 0.5>(x, u) f = Sigmoid(d) z = Add(f, b) }", { NULL } },
	{ "large weights and rows that grow", "g (float[n, 300] x) => (float[n, 450] y)\n"
		"<float o = {0}, float e = {135000}, float one = {1}, float small = {0.05}, int64[2] s = {300, 450}> {\n"
		"i = Range(o, e, one) q = Sin(i) v = Mul(q, small) w = Reshape(v, s) y = MatMul(x, w) }", { "1", "5", "1" } },
	{ "products and what is added, both of the run", "g (float[3, 5] a, float[5, 4] b, float[4] c, float[3, 1] d, float[3, 4] e, float s, float[4, 5] f) => (float[3, 4] y, float[3, 4] z, float[3, 4] u, "
		"float[3, 4] v, float[3, 8] w)\n{ y = Gemm(a, b, c) z = Gemm<alpha = 0.5, beta = -2.0>(a, b, d) g1 = Gemm<transB = 1>(a, f, e) u = Tanh(g1) v = Gemm<beta = 0.25>(a, b, s)\n"
		"h = Gemm<transB = 1>(a, f, c) w = Concat<axis = 1>(h, u) }", { NULL } },
	{ "products of doubles and what is added", "g (double[3, 5] a, double[5, 4] b, double[4] c, double[3, 1] d) => (double[3, 4] y, double[3, 4] z)\n"
		"{ y = Gemm(a, b, c) z = Gemm<alpha = 0.5>(a, b, d) }", { NULL } },
	{ "transposed convolutions with weights of the run", "g (float[2, 4, 5, 6] x, float[4, 3, 3, 2] w, float[3] b, float[4, 2, 3, 3] v, float[1, 2, 7] s, float[2, 3, 4] u, float[4, 3, 1, 1] o) => "
		"(float[2, 3, 7, 7] y, float[2, 4, 10, 12] z, float[1, 3, 20] t, float[2, 3, 9, 11] p)\n"
		"{ y = ConvTranspose(x, w, b) z = ConvTranspose<group = 2, strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [1, 1]>(x, v)\n"
		"t = ConvTranspose<strides = [3], dilations = [1], pads = [1, 1]>(s, u) q = ConvTranspose<strides = [2, 2]>(x, o) p = Relu(q) }", { NULL } },
	{ "doubles", "g (double[3, 5] x, double[5] b, int64[3, 5] i, float[3, 5] f, double[3, 1] q) => (double[3, 5] y, double[3, 5] z, bool[3, 5] t, double[3, 5] u, "
		"int64[3, 5] j, int32[3, 5] k, double[3, 5] w, bool[3, 5] v)\n{ a = Add(x, b) c = Mul(a, q) d = Tanh(c) e = Sub(d, x) y = Div(e, b)\n"
		"g1 = Abs(x) g2 = Sqrt(g1) g3 = Exp(g2) g4 = Log(g3) g5 = Sigmoid(g4) g6 = Sin(g5) g7 = Cos(g6) g8 = Erf(g7) z = Reciprocal(g8)\n"
		"t = Greater(x, b) h1 = Max(x, q) h2 = Min(h1, b) h3 = Where(t, h2, x) h4 = Neg(h3) h5 = Relu(h4) h6 = Floor(h5) h7 = Ceil(x) h8 = Round(x) h9 = Sign(x)\n"
		"m1 = Add(h6, h7) m2 = Add(h8, h9) u = Add(m1, m2) n1 = Mul(x, b) j = Cast<to = 7>(n1) k = Cast<to = 6>(u) o1 = Cast<to = 11>(i) o2 = Cast<to = 11>(f)\n"
		"o3 = Cast<to = 11>(t) o4 = Pow(g1, o2) o5 = Mod<fmod = 1>(o4, g1) o6 = Add(o1, o3) w = Sub(o5, o6) v = Cast<to = 9>(h6) }", { NULL } },
	{ "sizes that data decide", "g (float[n] x) => (float[m] y, int64[1] k)\n"
		"<float zero = {0}> { p = Greater(x, zero) c = Compress(x, p) r = Neg(c) y = Exp(r) k = Shape(y) }", { "4",
			"9", "4" } },
};

/* A run, for messages. */
typedef struct PlanRun {
	const Case *t;
	Isa isa;
	int threads;
} PlanRun;

static void compare(const void *arg, uint32_t output, const Tensor *got, const Tensor *want)
{
	const PlanRun *run = arg;
	CompareRule rule = { .rtol = 1e-5, .atol = 1e-6 };
	CompareResult r;
	if (!tensors_compare(got, want, &rule, &r))
		fail_msg("%s, %s, %d threads, output %u: %s", run->t->name, isa_name(run->isa), run->threads, output, r.why);
}

static int count_joints(const Exec *x, Arena *a)
{
	PlanStepInfo *steps;
	size_t n = exec_steps(x, a, &steps);
	int joints = 0;
	for (size_t i = 0; i < n; i++)
		for (const char *s = strcmp(steps[i].kernel, "chain") ? "" : steps[i].text; *s; s++)
			joints += *s == ';';
	return joints;
}

static void run_case(const void *one, Isa isa, int threads)
{
	const Case *t = one;
	Arena *a = arena_new();
	PlanCase c;
	PlanRun run = { t, isa, threads };
	const char *text = arena_printf(a, "<ir_version: 8, opset_import: [\"\" : 18]>\n%s", t->text);
	plan_case_begin(&c, text, isa, threads);
	for (size_t i = 0; i < ARRAY_LEN(t->sizes) && (!t->sizes[0] || t->sizes[i]); i++) /* a plan changes with its second run */
		plan_case_run(&c, t->sizes[0] ? atoi(t->sizes[i]) : 1, compare, &run);
	int joints = count_joints(c.exec, a);
	if (joints != t->joints)
		fail_msg("%s: %d results inside of chains, not %d", t->name, joints, t->joints);
	plan_case_end(&c);
	arena_free(a);
}

static void plans_agree_with_the_evaluator(void **state)
{
	(void)state;
	plan_cases_run(CASES, ARRAY_LEN(CASES), sizeof *CASES, run_case);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(plans_agree_with_the_evaluator) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

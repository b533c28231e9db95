/* Every version of an ONNX operator means the same in core, and is written again in the form of its opset.
 * A check builds one operator at one opset, legalises, compares the core ops and (where given) the numbers, raises,
 * compares the operators, legalises once more and compares the numbers again. Inputs hold 1, 2, 3, ... */
#include "build.h"

#include <math.h>
#include <string.h>

static PassCtx *context(Build *b)
{
	PassCtx *p = NEW(b->arena, PassCtx);
	p->ctx = b->ctx;
	p->module = b->module;
	p->arena = b->arena;
	return p;
}

static void finish(Build *b)
{
	OpSpec s = { .def = op_def(b->ctx, OP_return), .operands = b->out, .noperands = b->nout };
	op_new(b->func->body, NULL, &s);
}

static void no_error(Build *b)
{
	Diags *d = &b->ctx->diags;
	if (d->status != HONE_OK)
		fail_msg("%s", d->list.len ? d->list.data[0].message : "failed");
	assert_true(module_verify(b->module, d));
}

/* First output of the function on 1, 2, 3, ... */
static void compare(Build *b, const double *want, size_t n)
{
	EvalCtx e;
	Tensor *in[8], *out[8] = { 0 };
	Block *body = b->func->body;
	eval_init(&e, b->ctx, &b->ctx->diags);
	eval_enable_dialects(&e, b->module);
	for (uint32_t i = 0; i < body->nargs; i++) {
		int64_t dims[MAX_RANK];
		const Type *t = body->args[i]->type;
		assert_true(type_has_rank(t));
		for (int d = 0; d < t->rank; d++)
			if (!sym_const(t->dims[d], &dims[d]))
				dims[d] = 2;
		in[i] = tensor_new(&e, t->dtype, t->rank, dims);
		for (int64_t k = 0; k < in[i]->count; k++)
			tensor_set_f64(in[i], k, (double)(k + 1));
	}
	eval_func(&e, b->func, in, body->nargs, out, b->nout);
	no_error(b);
	assert_int_equal(out[0]->count, n);
	for (size_t i = 0; i < n; i++) {
		double got = tensor_get_f64(out[0], (int64_t)i);
		if (!(fabs(got - want[i]) <= 1e-5 * fabs(want[i]) + 1e-6))
			fail_msg("element %zu: got %g, want %g", i, got, want[i]);
	}
	eval_release(&e);
}

/* Steps after the one operator was built; want may be NULL. Frees b. */
static void check_n(Build *b, const char *core, const char *onnx, const double *want, size_t n)
{
	PassCtx *p = context(b);
	finish(b);
	pass_legalise(b->module, p);
	no_error(b);
	assert_string_equal(b_kinds(b), core);
	if (want)
		compare(b, want, n);
	pass_raise_onnx(b->module, p);
	no_error(b);
	assert_string_equal(b_kinds(b), onnx);
	pass_legalise(b->module, p);
	no_error(b);
	if (want)
		compare(b, want, n);
	build_free(b);
}

#define CHECK_OP(b, core, onnx, ...) \
	check_n((b), (core), (onnx), (const double[]){ __VA_ARGS__ }, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double))

/* A new function that applies the operator to an input of this shape and more operands. */
#define UNARY(opset, kind, attrs, dims) \
	Build *b = build_new(opset); \
	b_output(b, B_OP(b, kind, attrs, b_input(b, DT_F32, dims)))

static void old_broadcast(void **state)
{
	(void)state;
	Build *b = build_new(6); /* b's dim is a's dim 1 */
	Value *x = b_input(b, DT_F32, "1,2,2");
	b_output(b, B_OP(b, ONNX_Add, "broadcast=1 axis=1", x, b_floats(b, DT_F32, "2", (double[]){ 10, 20 })));
	CHECK_OP(b, "add", "Add", 11, 12, 23, 24);
	b = build_new(6); /* suffix */
	x = b_input(b, DT_F32, "2,2");
	b_output(b, B_OP(b, ONNX_Mul, "broadcast=1", x, b_floats(b, DT_F32, "2", (double[]){ 10, 20 })));
	CHECK_OP(b, "mul", "Mul", 10, 40, 30, 80);
	b = build_new(6); /* not a constant: reshaped, and the reshape goes away again */
	x = b_input(b, DT_F32, "2,2");
	b_output(b, B_OP(b, ONNX_Sub, "broadcast=1 axis=0", x, b_input(b, DT_F32, "2")));
	CHECK_OP(b, "unsqueeze sub", "Sub", 0, 1, 1, 2);
	b = build_new(1); /* equal shapes */
	x = b_input(b, DT_F32, "2");
	b_output(b, B_OP(b, ONNX_Div, "", x, x));
	CHECK_OP(b, "div", "Div", 1, 1);
	b = build_new(7);
	x = b_input(b, DT_F32, "2,2");
	b_output(b, B_OP(b, ONNX_Add, "", x, b_floats(b, DT_F32, "2,1", (double[]){ 10, 20 })));
	CHECK_OP(b, "add", "Add", 11, 12, 23, 24);
}

static void old_broadcast_attrs(void **state)
{
	(void)state;
	Build *b = build_new(6);
	Value *x = b_input(b, DT_F32, "1,2,2");
	b_output(b, B_OP(b, ONNX_Add, "broadcast=1 axis=1", x, b_floats(b, DT_F32, "2", (double[]){ 10, 20 })));
	finish(b);
	pass_legalise(b->module, context(b));
	pass_raise_onnx(b->module, context(b));
	Op *add = b_find(b, ONNX_Add);
	assert_int_equal(op_attr_int(add, A_broadcast, 0), 1);
	assert_int_equal(op_attr_int(add, A_axis, -9), 1);
	assert_int_equal(op_operand(add, 1)->type->rank, 1);
	build_free(b);
}

static void prelu(void **state)
{
	(void)state;
	Build *b = build_new(6);
	Value *x = B_OP(b, ONNX_Neg, "", b_input(b, DT_F32, "1,2,2"));
	b_output(b, B_OP(b, ONNX_PRelu, "", x, b_floats(b, DT_F32, "2", (double[]){ 2, 3 })));
	CHECK_OP(b, "neg prelu", "Neg PRelu", -2, -4, -9, -12);
	b = build_new(9);
	x = B_OP(b, ONNX_Neg, "", b_input(b, DT_F32, "1,2,2"));
	b_output(b, B_OP(b, ONNX_PRelu, "", x, b_floats(b, DT_F32, "2", (double[]){ 2, 3 })));
	CHECK_OP(b, "neg prelu", "Neg PRelu", -2, -6, -6, -12);
}

static void clip(void **state)
{
	(void)state;
	UNARY(6, ONNX_Clip, "min=2 max=3", "4");
	CHECK_OP(b, "clamp", "Clip", 2, 2, 3, 3);
	b = build_new(10);
	b_output(b, B_OP(b, ONNX_Clip, "max=3", b_input(b, DT_F32, "4")));
	CHECK_OP(b, "clamp", "Clip", 1, 2, 3, 3);
	b = build_new(11);
	b_output(b, B_OP(b, ONNX_Clip, "", b_input(b, DT_F32, "4"), NULL, b_fill(b, DT_F32, "", 3)));
	CHECK_OP(b, "clamp", "Clip", 1, 2, 3, 3);
}

static void casts(void **state)
{
	(void)state;
	Build *b = build_new(9);
	Value *x = b_input(b, DT_F32, "2");
	Op *op = b_op_multi(b, ONNX_Cast, "to=7", 1, &x, 1);
	b_output(b, op->results[0]);
	CHECK_OP(b, "cast", "Cast", 1, 2);
	b = build_new(1); /* named by text */
	x = b_input(b, DT_F32, "2");
	op = b_op_multi(b, ONNX_Cast, "", 1, &x, 1);
	op_set_attr(op, b->ctx->attr_names[A_to], attr_str(b->ctx, str(b->ctx, "INT64")));
	b_output(b, op->results[0]);
	CHECK_OP(b, "cast", "Cast", 1, 2);
	b = build_new(9); /* no such type */
	x = b_input(b, DT_F32, "2");
	b_output(b, B_OP(b, ONNX_Cast, "to=99", x));
	check_n(b, "Cast", "Cast", NULL, 0);
	b = build_new(15);
	x = b_input(b, DT_F32, "2");
	b_output(b, B_OP(b, ONNX_CastLike, "", x, b_input(b, DT_I64, "1")));
	CHECK_OP(b, "cast", "Cast", 1, 2);
}

static void softmax(void **state)
{
	(void)state;
	const double e = 0.2689414213699951, f = 0.7310585786300049;
	UNARY(13, ONNX_Softmax, "", "2,2");
	CHECK_OP(b, "softmax", "Softmax", e, f, e, f);
	b = build_new(11); /* axis 1 by default, the last one here */
	b_output(b, B_OP(b, ONNX_Softmax, "", b_input(b, DT_F32, "2,2")));
	CHECK_OP(b, "softmax", "Softmax", e, f, e, f);
	b = build_new(11); /* what follows the axis is of size 1 */
	b_output(b, B_OP(b, ONNX_Softmax, "axis=1", b_input(b, DT_F32, "2,2,1,1")));
	CHECK_OP(b, "softmax", "Softmax", e, f, e, f);
	b = build_new(11); /* over both inner axes */
	b_output(b, B_OP(b, ONNX_Softmax, "axis=1", b_input(b, DT_F32, "1,2,2")));
	CHECK_OP(b, "flatten softmax reshape", "Softmax", 0.0320586, 0.0871443, 0.236883, 0.643914);
	b = build_new(11); /* of unknown sizes */
	b_output(b, B_OP(b, ONNX_Softmax, "axis=1", b_input(b, DT_F32, "1,n,2")));
	CHECK_OP(b, "flatten softmax shape reshape", "Softmax", 0.0320586, 0.0871443, 0.236883, 0.643914);
	b = build_new(11); /* core's softmax over an inner axis has no operator yet */
	b_output(b, B_OP(b, OP_softmax, "axis=0", b_input(b, DT_F32, "2,2")));
	const double g = 0.11920292202211755, h = 0.8807970779778823;
	CHECK_OP(b, "softmax", "Transpose Softmax Transpose", g, g, h, h);
}

static void reductions(void **state)
{
	(void)state;
	UNARY(11, ONNX_ReduceSum, "axes=-1 keepdims=0", "2,2");
	CHECK_OP(b, "reduce", "ReduceSum", 3, 7);
	b = build_new(13);
	b_output(b, B_OP(b, ONNX_ReduceSum, "keepdims=0", b_input(b, DT_F32, "2,2"), B_INTS(b, 1)));
	CHECK_OP(b, "reduce", "ReduceSum", 3, 7);
	b = build_new(13); /* the others kept their attribute until 18 */
	b_output(b, B_OP(b, ONNX_ReduceMax, "keepdims=0 axes=0", b_input(b, DT_F32, "2,2")));
	CHECK_OP(b, "reduce", "ReduceMax", 3, 4);
	b = build_new(18);
	b_output(b, B_OP(b, ONNX_ReduceMax, "keepdims=0", b_input(b, DT_F32, "2,2"), B_INTS(b, 0)));
	CHECK_OP(b, "reduce", "ReduceMax", 3, 4);
	b = build_new(18);
	b_output(b, B_OP(b, ONNX_ReduceMean, "", b_input(b, DT_F32, "2,2")));
	CHECK_OP(b, "reduce", "ReduceMean", 2.5);
	b = build_new(18);
	b_output(b, B_OP(b, ONNX_ReduceSumSquare, "noop_with_empty_axes=1", b_input(b, DT_F32, "2")));
	CHECK_OP(b, "mul", "Mul", 1, 4);
	b = build_new(18);
	b_output(b, B_OP(b, ONNX_ReduceSum, "noop_with_empty_axes=1", b_input(b, DT_F32, "2")));
	CHECK_OP(b, "identity", "Identity", 1, 2);
	b = build_new(18); /* axes that are not constant: stays, and runs all the same */
	Value *axes = B_OP(b, ONNX_Sub, "", b_input(b, DT_I64, "1"), B_INTS(b, 1));
	b_output(b, B_OP(b, ONNX_ReduceSum, "keepdims=0", b_floats(b, DT_F32, "2,1", (double[]){ 3, 4 }), axes));
	CHECK_OP(b, "sub ReduceSum", "Sub ReduceSum", 7);
}

static void squeezes(void **state)
{
	(void)state;
	UNARY(11, ONNX_Squeeze, "axes=0", "1,2");
	CHECK_OP(b, "squeeze", "Squeeze", 1, 2);
	b = build_new(13);
	b_output(b, B_OP(b, ONNX_Squeeze, "", b_input(b, DT_F32, "1,2"), B_INTS(b, -2)));
	CHECK_OP(b, "squeeze", "Squeeze", 1, 2);
	b = build_new(13);
	b_output(b, B_OP(b, ONNX_Unsqueeze, "", b_input(b, DT_F32, "2"), B_INTS(b, 0)));
	CHECK_OP(b, "unsqueeze", "Unsqueeze", 1, 2);
	b = build_new(5);
	b_output(b, B_OP(b, ONNX_Unsqueeze, "axes=0,2", b_input(b, DT_F32, "2")));
	CHECK_OP(b, "unsqueeze", "Unsqueeze", 1, 2);
	b = build_new(5); /* negative axes were not allowed */
	b_output(b, B_OP(b, OP_unsqueeze, "axes=-1", b_input(b, DT_F32, "2")));
	CHECK_OP(b, "unsqueeze", "Unsqueeze", 1, 2);
}

static void shapes(void **state)
{
	(void)state;
	UNARY(1, ONNX_Reshape, "shape=2,1", "2");
	CHECK_OP(b, "reshape", "Reshape", 1, 2);
	b = build_new(5);
	b_output(b, B_OP(b, ONNX_Reshape, "", b_input(b, DT_F32, "2"), B_INTS(b, 2, 1)));
	CHECK_OP(b, "reshape", "Reshape", 1, 2);
	b = build_new(1);
	b_output(b, B_OP(b, ONNX_Concat, "", b_input(b, DT_F32, "1,2"), b_input(b, DT_F32, "1,1")));
	CHECK_OP(b, "concat", "Concat", 1, 2, 1);
	b = build_new(15);
	b_output(b, B_OP(b, ONNX_Shape, "start=1", b_input(b, DT_F32, "3,2")));
	CHECK_OP(b, "shape", "Shape", 2);
	b = build_new(14); /* a part of a shape has no operator yet */
	b_output(b, B_OP(b, OP_shape, "start=1", b_input(b, DT_F32, "3,2")));
	CHECK_OP(b, "shape", "Shape Slice", 2);
}

static void slices(void **state)
{
	(void)state;
	UNARY(1, ONNX_Slice, "starts=1 ends=3 axes=0", "4");
	CHECK_OP(b, "slice", "Slice", 2, 3);
	b = build_new(10);
	b_output(b, B_OP(b, ONNX_Slice, "", b_input(b, DT_F32, "4"), B_INTS(b, 3), B_INTS(b, -9), B_INTS(b, 0), B_INTS(b, -2)));
	CHECK_OP(b, "slice", "Slice", 4, 2);
	b = build_new(2);
	Value *x = b_input(b, DT_F32, "4");
	b_output(b, b_op_multi(b, ONNX_Split, "split=1,3", 1, &x, 2)->results[1]);
	CHECK_OP(b, "split", "Split", 2, 3, 4);
	b = build_new(13);
	Value *in[2] = { b_input(b, DT_F32, "4"), B_INTS(b, 1, 3) };
	b_output(b, b_op_multi(b, ONNX_Split, "", 2, in, 2)->results[1]);
	CHECK_OP(b, "split", "Split", 2, 3, 4);
	b = build_new(18); /* the last one is smaller */
	x = b_input(b, DT_F32, "5");
	b_output(b, b_op_multi(b, ONNX_Split, "num_outputs=3", 1, &x, 3)->results[2]);
	CHECK_OP(b, "split", "Split", 5);
	b = build_new(13); /* which opset 13 needs sizes for */
	x = b_input(b, DT_F32, "5");
	b_output(b, b_op_multi(b, OP_split, "", 1, &x, 3)->results[2]);
	CHECK_OP(b, "split", "Split", 5);
}

static void pads(void **state)
{
	(void)state;
	UNARY(1, ONNX_Pad, "paddings=1,0 value=7", "2");
	CHECK_OP(b, "pad", "Pad", 7, 1, 2);
	b = build_new(2);
	b_output(b, B_OP(b, ONNX_Pad, "pads=1,1", b_input(b, DT_F32, "2")));
	CHECK_OP(b, "pad", "Pad", 0, 1, 2, 0);
	b = build_new(11);
	b_output(b, B_OP(b, ONNX_Pad, "mode=edge", b_input(b, DT_F32, "2"), B_INTS(b, 1, 1)));
	CHECK_OP(b, "pad", "Pad", 1, 1, 2, 2);
	b = build_new(18);
	b_output(b, B_OP(b, ONNX_Pad, "", b_input(b, DT_F32, "1,2"), B_INTS(b, 1, 0), b_fill(b, DT_F32, "", 5), B_INTS(b, -1)));
	CHECK_OP(b, "pad", "Pad", 5, 1, 2);
	b = build_new(13); /* opset 13 pads every axis */
	b_output(b, B_OP(b, OP_pad, "axes=1", b_input(b, DT_F32, "1,2"), B_INTS(b, 1, 0)));
	CHECK_OP(b, "pad", "Pad", 0, 1, 2);
}

static void tiles(void **state)
{
	(void)state;
	Build *b = build_new(1);
	b_output(b, B_OP(b, ONNX_Tile, "", b_input(b, DT_F32, "1,2"), b_fill(b, DT_F32, "", 2), b_fill(b, DT_F32, "", 1)));
	CHECK_OP(b, "tile", "Tile", 1, 2, 1, 2);
	b = build_new(6);
	b_output(b, B_OP(b, ONNX_Tile, "", b_input(b, DT_F32, "2"), B_INTS(b, 2)));
	CHECK_OP(b, "tile", "Tile", 1, 2, 1, 2);
	b = build_new(1); /* two axes take two nodes there */
	b_output(b, B_OP(b, OP_tile, "", b_input(b, DT_F32, "1,2"), B_INTS(b, 2, 2)));
	check_n(b, "tile", "Tile Tile", (double[]){ 1, 2, 1, 2, 1, 2, 1, 2 }, 8);
}

static void topk(void **state)
{
	(void)state;
	Build *b = build_new(1);
	Value *x = b_input(b, DT_F32, "4");
	b_output(b, b_op_multi(b, ONNX_TopK, "k=2", 1, &x, 2)->results[0]);
	CHECK_OP(b, "topk", "TopK", 4, 3);
	b = build_new(11);
	Value *in[2] = { b_input(b, DT_F32, "4"), B_INTS(b, 2) };
	b_output(b, b_op_multi(b, ONNX_TopK, "largest=0", 2, in, 2)->results[0]);
	CHECK_OP(b, "topk", "TopK", 1, 2);
}

static void resizes(void **state)
{
	(void)state;
	UNARY(1, ONNX_Upsample, "height_scale=1 width_scale=2", "1,1,1,2");
	CHECK_OP(b, "resize", "Upsample", 1, 1, 2, 2);
	b = build_new(7);
	b_output(b, B_OP(b, ONNX_Upsample, "scales=2", b_input(b, DT_F32, "2")));
	CHECK_OP(b, "resize", "Upsample", 1, 1, 2, 2);
	b = build_new(9);
	b_output(b, B_OP(b, ONNX_Upsample, "", b_input(b, DT_F32, "2"), b_fill(b, DT_F32, "1", 2)));
	CHECK_OP(b, "resize", "Upsample", 1, 1, 2, 2);
	b = build_new(10); /* shrinking rounds up */
	b_output(b, B_OP(b, ONNX_Resize, "", b_input(b, DT_F32, "4"), b_fill(b, DT_F32, "1", 0.6)));
	CHECK_OP(b, "resize", "Resize", 1, 3);
	b = build_new(10);
	b_output(b, B_OP(b, ONNX_Resize, "", b_input(b, DT_F32, "2"), b_fill(b, DT_F32, "1", 2)));
	CHECK_OP(b, "resize", "Resize", 1, 1, 2, 2);
	b = build_new(11); /* empty tensors stand for nothing */
	Value *none = b_floats(b, DT_F32, "0", NULL);
	b_output(b, B_OP(b, ONNX_Resize, "", b_input(b, DT_F32, "2"), none, none, B_INTS(b, 4)));
	CHECK_OP(b, "resize", "Resize", 1, 1, 2, 2);
	b = build_new(13);
	b_output(b, B_OP(b, ONNX_Resize, "", b_input(b, DT_F32, "2"), NULL, b_fill(b, DT_F32, "1", 2)));
	CHECK_OP(b, "resize", "Resize", 1, 1, 2, 2);
}

static void convolutions(void **state)
{
	(void)state;
	Build *b = build_new(11);
	Value *w = b_fill(b, DT_F32, "1,1,3,1", 1);
	b_output(b, B_OP(b, ONNX_Conv, "auto_pad=SAME_UPPER kernel_shape=3,1", b_input(b, DT_F32, "1,1,3,1"), w));
	CHECK_OP(b, "conv", "Conv", 3, 6, 5);
	b = build_new(11); /* the odd pad goes first */
	w = b_fill(b, DT_F32, "1,1,2", 1);
	b_output(b, B_OP(b, ONNX_Conv, "auto_pad=SAME_LOWER", b_input(b, DT_F32, "1,1,3"), w));
	CHECK_OP(b, "conv", "Conv", 1, 3, 5);
	b = build_new(11); /* of a size that only the run tells */
	w = b_fill(b, DT_F32, "1,1,2", 1);
	b_output(b, B_OP(b, ONNX_Conv, "auto_pad=SAME_UPPER", b_input(b, DT_F32, "1,1,n"), w));
	CHECK_OP(b, "conv", "Conv", 3, 2);
	b = build_new(11); /* a kernel that contradicts the weight */
	w = b_fill(b, DT_F32, "1,1,2", 1);
	b_output(b, B_OP(b, ONNX_Conv, "kernel_shape=5", b_input(b, DT_F32, "1,1,3"), w));
	check_n(b, "Conv", "Conv", NULL, 0);
	b = build_new(11);
	w = b_fill(b, DT_F32, "1,1,2", 1);
	b_output(b, B_OP(b, ONNX_ConvTranspose, "strides=2 output_shape=3", b_input(b, DT_F32, "1,1,2"), w));
	CHECK_OP(b, "conv_transpose", "ConvTranspose", 1, 2, 2);
	b = build_new(11);
	b_output(b, B_OP(b, ONNX_MaxPool, "kernel_shape=2 auto_pad=VALID", b_input(b, DT_F32, "1,1,3")));
	CHECK_OP(b, "max_pool", "MaxPool", 2, 3);
	b = build_new(11);
	b_output(b, B_OP(b, ONNX_AveragePool, "kernel_shape=2 strides=2 ceil_mode=1", b_input(b, DT_F32, "1,1,3")));
	CHECK_OP(b, "avg_pool", "AveragePool", 1.5, 3);
	b = build_new(1); /* a float then */
	Op *op = b_op_multi(b, ONNX_GlobalLpPool, "", 1, (Value *[]){ b_input(b, DT_F32, "1,1,2") }, 1);
	op_set_attr(op, b->ctx->attr_names[A_p], attr_float(b->ctx, 1));
	b_output(b, op->results[0]);
	CHECK_OP(b, "global_lp_pool", "GlobalLpPool", 3);
}

static Value *batch_norm(Build *b, const char *attrs, size_t nresults, Op **op)
{
	Value *in[5] = { b_input(b, DT_F32, "1,2"), b_fill(b, DT_F32, "2", 2), b_fill(b, DT_F32, "2", 1),
		b_fill(b, DT_F32, "2", 1), b_fill(b, DT_F32, "2", 1) };
	*op = b_op_multi(b, ONNX_BatchNormalization, attrs, 5, in, nresults);
	return (*op)->results[0];
}

static void batch_norms(void **state)
{
	(void)state;
	Op *op;
	Build *b = build_new(6);
	b_output(b, batch_norm(b, "is_test=1 epsilon=0", 1, &op));
	CHECK_OP(b, "batch_norm", "BatchNormalization", 1, 3);
	b = build_new(9); /* results of training that nothing uses */
	b_output(b, batch_norm(b, "epsilon=0", 5, &op));
	CHECK_OP(b, "batch_norm", "BatchNormalization", 1, 3);
	b = build_new(9); /* training */
	b_output(b, batch_norm(b, "epsilon=0", 5, &op));
	b_output(b, op->results[1]);
	check_n(b, "BatchNormalization", "BatchNormalization", NULL, 0);
	b = build_new(14);
	b_output(b, batch_norm(b, "training_mode=1", 3, &op));
	check_n(b, "batch_norm_training", "BatchNormalization", NULL, 0);
	b = build_new(14);
	b_output(b, batch_norm(b, "epsilon=0", 1, &op));
	CHECK_OP(b, "batch_norm", "BatchNormalization", 1, 3);
}

static void dropouts(void **state)
{
	(void)state;
	UNARY(6, ONNX_Dropout, "is_test=1", "2");
	CHECK_OP(b, "identity", "Identity", 1, 2);
	b = build_new(6); /* trains by default */
	b_output(b, B_OP(b, ONNX_Dropout, "", b_input(b, DT_F32, "2")));
	check_n(b, "Dropout", "Dropout", NULL, 0);
	b = build_new(7);
	b_output(b, B_OP(b, ONNX_Dropout, "ratio=0.3", b_input(b, DT_F32, "2")));
	CHECK_OP(b, "identity", "Identity", 1, 2);
	b = build_new(12);
	b_output(b, B_OP(b, ONNX_Dropout, "", b_input(b, DT_F32, "2"), NULL, b_fill(b, DT_BOOL, "", 0)));
	CHECK_OP(b, "identity", "Identity", 1, 2);
	b = build_new(12);
	b_output(b, B_OP(b, ONNX_Dropout, "", b_input(b, DT_F32, "2"), NULL, b_fill(b, DT_BOOL, "", 1)));
	check_n(b, "dropout", "Dropout", NULL, 0);
}

static void group_norms(void **state)
{
	(void)state;
	Build *b = build_new(18); /* one scale a group */
	Value *scale = b_fill(b, DT_F32, "1", 2), *bias = b_fill(b, DT_F32, "1", 1);
	b_output(b, B_OP(b, ONNX_GroupNormalization, "num_groups=1 epsilon=0", b_input(b, DT_F32, "1,2,1"), scale, bias));
	CHECK_OP(b, "group_norm", "GroupNormalization", -1, 3);
	b = build_new(21); /* one a channel */
	scale = b_floats(b, DT_F32, "2", (double[]){ 2, 3 });
	b_output(b, B_OP(b, ONNX_GroupNormalization, "num_groups=1 epsilon=0", b_input(b, DT_F32, "1,2,1"), scale,
			b_fill(b, DT_F32, "2", 1)));
	CHECK_OP(b, "group_norm", "GroupNormalization", -1, 4);
	b = build_new(18); /* which opset 18 does not have */
	scale = b_floats(b, DT_F32, "2", (double[]){ 2, 3 });
	b_output(b, B_OP(b, OP_group_norm, "num_groups=1 epsilon=0", b_input(b, DT_F32, "1,2,1"), scale,
			b_fill(b, DT_F32, "2", 1)));
	CHECK_OP(b, "group_norm", "Reshape ReduceMean Sub Mul ReduceMean Add Sqrt Reciprocal Mul Shape Reshape Mul Add", -1, 4);
}

static void many_operands(void **state)
{
	(void)state;
	UNARY(8, ONNX_Max, "", "2");
	CHECK_OP(b, "identity", "Identity", 1, 2);
	b = build_new(8);
	Value *x = b_input(b, DT_F32, "2");
	b_output(b, B_OP(b, ONNX_Sum, "", x, x));
	CHECK_OP(b, "add", "Add", 2, 4);
	b = build_new(8);
	x = b_input(b, DT_F32, "2");
	b_output(b, B_OP(b, ONNX_Mean, "", x, x, x));
	CHECK_OP(b, "mean_n", "Mean", 1, 2);
	b = build_new(8);
	x = b_input(b, DT_F32, "2");
	b_output(b, B_OP(b, ONNX_Min, "", x, x));
	CHECK_OP(b, "min", "Min", 1, 2);
}

static void quantised(void **state)
{
	(void)state;
	Build *b = build_new(10);
	Value *scale = b_fill(b, DT_F32, "", 0.5);
	b_output(b, B_OP(b, ONNX_QuantizeLinear, "", b_input(b, DT_F32, "2"), scale, b_fill(b, DT_U8, "", 3)));
	CHECK_OP(b, "quantize", "QuantizeLinear", 5, 7);
	b = build_new(21);
	b_output(b, B_OP(b, ONNX_QuantizeLinear, "output_dtype=3", b_input(b, DT_F32, "2"), b_fill(b, DT_F32, "", 0.5)));
	CHECK_OP(b, "quantize", "QuantizeLinear", 2, 4);
	b = build_new(13); /* where the type comes from a zero point */
	b_output(b, B_OP(b, OP_quantize, "to=i8", b_input(b, DT_F32, "2"), b_fill(b, DT_F32, "", 0.5)));
	CHECK_OP(b, "quantize", "QuantizeLinear", 2, 4);
	b = build_new(13);
	scale = b_floats(b, DT_F32, "2", (double[]){ 2, 3 });
	b_output(b, B_OP(b, ONNX_DequantizeLinear, "axis=0", b_input(b, DT_U8, "2"), scale));
	CHECK_OP(b, "dequantize", "DequantizeLinear", 2, 6);
}

static void grids(void **state)
{
	(void)state;
	static const int64_t opsets[] = { 16, 20 };
	static const char *const modes[] = { "mode=bilinear", "mode=linear" };
	for (int i = 0; i < 2; i++) {
		Build *b = build_new(opsets[i]);
		Value *grid = b_floats(b, DT_F32, "1,1,2,2", (double[]){ -1, -1, 1, 1 });
		b_output(b, B_OP(b, ONNX_GridSample, i ? "mode=linear align_corners=1" : "mode=bilinear align_corners=1",
				b_input(b, DT_F32, "1,1,2,2"), grid));
		finish(b);
		pass_legalise(b->module, context(b));
		assert_true(op_attr_is(b_find(b, OP_grid_sample), A_mode, "linear"));
		pass_raise_onnx(b->module, context(b));
		assert_true(op_attr_is(b_find(b, ONNX_GridSample), A_mode, modes[i] + strlen("mode=")));
		build_free(b);
	}
}

static void missing_operators(void **state)
{
	(void)state;
	UNARY(13, OP_gelu, "", "1");
	CHECK_OP(b, "gelu", "Mul Erf Mul Add Mul", 0.8413447);
	b = build_new(20);
	b_output(b, B_OP(b, OP_gelu, "", b_input(b, DT_F32, "1")));
	CHECK_OP(b, "gelu", "Gelu", 0.8413447);
	b = build_new(13);
	b_output(b, B_OP(b, OP_hard_swish, "", b_input(b, DT_F32, "1")));
	CHECK_OP(b, "hard_swish", "HardSigmoid Mul", 0.6666667);
	b = build_new(13);
	b_output(b, B_OP(b, OP_swish, "", b_input(b, DT_F32, "1")));
	CHECK_OP(b, "swish", "Sigmoid Mul", 0.7310586);
	b = build_new(13);
	b_output(b, B_OP(b, OP_rsqrt, "", b_input(b, DT_F32, "4")));
	CHECK_OP(b, "rsqrt", "Sqrt Reciprocal", 1, 0.7071068, 0.5773503, 0.5);
	b = build_new(13);
	Value *x = b_input(b, DT_F32, "1,2");
	b_output(b, B_OP(b, OP_layer_norm, "epsilon=0", x, b_fill(b, DT_F32, "2", 2), b_fill(b, DT_F32, "2", 1)));
	CHECK_OP(b, "layer_norm", "ReduceMean Sub Mul ReduceMean Add Sqrt Reciprocal Mul Mul Add", -1, 3);
	b = build_new(13);
	b_output(b, B_OP(b, OP_reverse, "axes=0", b_input(b, DT_F32, "3")));
	CHECK_OP(b, "reverse", "Slice", 3, 2, 1);
	b = build_new(13);
	x = b_input(b, DT_F32, "1,2");
	b_output(b, B_OP(b, OP_dot_general, "lhs_contract=1 rhs_contract=1", x, b_input(b, DT_F32, "2,2")));
	CHECK_OP(b, "dot_general", "Einsum", 5, 11);
	b = build_new(13);
	x = b_input(b, DT_F32, "2");
	b_output(b, B_OP(b, OP_round_away, "", B_OP(b, OP_mul, "", x, b_fill(b, DT_F32, "", -0.5))));
	CHECK_OP(b, "mul round_away", "Mul Abs Floor Sub GreaterOrEqual Cast Sign Add Mul", -1, -1);
}

static void no_operator(void **state)
{
	(void)state;
	UNARY(7, OP_asinh, "", "2");
	finish(b);
	pass_raise_onnx(b->module, context(b));
	assert_int_equal(b->ctx->diags.status, HONE_UNSUPPORTED);
	assert_non_null(strstr(b->ctx->diags.list.data[0].message, "Asinh cannot be written for ONNX opset 7"));
	build_free(b);
}

/* An operator of a runtime's own, before ONNX had it, is that operator again. */
static void early_operator(void **state)
{
	(void)state;
	Build *b = build_new(13);
	b_output(b, B_OP(b, ONNX_LayerNormalization, "epsilon=0", b_input(b, DT_F32, "1,2"), b_fill(b, DT_F32, "2", 2)));
	CHECK_OP(b, "layer_norm", "LayerNormalization", -2, 2);
}

static void unknown_attribute(void **state)
{
	(void)state;
	UNARY(13, ONNX_Relu, "", "2");
	op_set_attr(b_find(b, ONNX_Relu), str(b->ctx, "slope"), attr_int(b->ctx, 1));
	check_n(b, "Relu", "Relu", NULL, 0);
}

static void constants(void **state)
{
	(void)state;
	static const char *const forms[] = { "value_int=5", "value_ints=5", "value_float=5", "value_floats=5" };
	for (size_t i = 0; i < 4; i++) {
		Build *b = build_new(13);
		b_output(b, b_op(b, ONNX_Constant, forms[i], 0, NULL));
		finish(b);
		pass_legalise(b->module, context(b));
		const Attr *t = value_constant(b->out[0]);
		assert_non_null(t);
		assert_true(op_is(b->out[0]->def, OP_constant));
		assert_int_equal(t->u.tensor.type->dtype, i < 2 ? DT_I64 : DT_F32);
		assert_int_equal(t->u.tensor.type->rank, i % 2);
		compare(b, (double[]){ 5 }, 1);
		build_free(b);
	}
}

/* Axes that two nodes name are one constant; an equal one of the model is used. */
static void shared_axes(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "2"), *axes = B_INTS(b, 0);
	value_set_name(axes, str(b->ctx, "my_axes"));
	Value *y = B_OP(b, ONNX_Unsqueeze, "", x, axes);
	b_output(b, B_OP(b, ONNX_Squeeze, "", y, axes));
	b_output(b, B_OP(b, ONNX_Unsqueeze, "", x, B_INTS(b, 0)));
	finish(b);
	pass_legalise(b->module, context(b));
	pass_raise_onnx(b->module, context(b));
	no_error(b);
	Op *squeeze = b_find(b, ONNX_Squeeze), *unsqueeze = b_find(b, ONNX_Unsqueeze);
	assert_ptr_equal(op_operand(squeeze, 1), op_operand(unsqueeze, 1));
	assert_true(op_is(op_operand(squeeze, 1)->def, ONNX_initializer));
	build_free(b);
}

/* Scan of opset 8 over [batch, sequence]: running sums; results are the final sums and all of them. */
static void batched_scan(void **state)
{
	(void)state;
	Build *b = build_new(8);
	Context *c = b->ctx;
	Value *in[3] = { NULL, b_fill(b, DT_F32, "2", 10), b_input(b, DT_F32, "2,2") };
	Op *op = b_op_multi(b, ONNX_Scan, "num_scan_inputs=1", 3, in, 2);
	OpSpec spec = { .def = op->def, .operands = in, .noperands = 3, .nresults = 2, .attrs = op->attrs, .nattrs = op->nattrs,
		.nblocks = 1 };
	Op *scan = op_new(b->func->body, NULL, &spec);
	op_erase(op);
	Block *body = block_new(b->func, scan);
	const Type *scalar = type_tensor(c, DT_F32, 0, NULL);
	Value *both[2] = { block_add_arg(body, scalar, NULL), block_add_arg(body, scalar, NULL) };
	OpSpec add = { .def = op_def(c, ONNX_Add), .operands = both, .noperands = 2, .nresults = 1 };
	Value *sum = op_new(body, NULL, &add)->results[0];
	OpSpec yield = { .def = op_def(c, OP_yield), .operands = (Value *[]){ sum, sum }, .noperands = 2 };
	op_new(body, NULL, &yield);
	op_set_block(scan, 0, body);
	b_output(b, scan->results[1]);
	CHECK_OP(b, "scan", "Scan", 11, 13, 13, 17);
}

static void freezing(void **state)
{
	(void)state;
	for (int64_t ir = 3; ir <= 4; ir++) {
		Build *b = build_new(13);
		Value *x = b_input(b, DT_F32, "2"), *w = b_input(b, DT_F32, "2");
		const Attr *value = value_constant(b_floats(b, DT_F32, "2", (double[]){ 10, 20 }));
		b->func->arg_default = NEW_ARRAY(b->module->arena, const Attr *, 2);
		b->func->arg_default[1] = value;
		module_set_attr(b->module, "ir_version", attr_int(b->ctx, ir));
		b_output(b, B_OP(b, ONNX_Add, "", x, w));
		finish(b);
		assert_int_equal(pass_freeze(b->module, context(b)), ir < 4);
		if (ir == 4) { /* a default that may be overridden, unless told otherwise */
			PassCtx *p = context(b);
			p->freeze_inputs = true;
			assert_true(pass_freeze(b->module, p));
		}
		no_error(b);
		assert_int_equal(b->func->body->nargs, 1);
		pass_legalise(b->module, context(b));
		compare(b, (double[]){ 11, 22 }, 2);
		build_free(b);
	}
}

/* A function of another opset with an attribute, an optional argument that is absent, and a call inside. */
static void inlining(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Context *c = b->ctx;
	Module *m = b->module;
	const Attr *version = attr_int(c, 6);
	Func *f = func_new(m, str(c, "local::scaled"));
	f->is_library = true;
	f->attrs = NEW_ARRAY(m->arena, NamedAttr, 1);
	f->attrs[0] = (NamedAttr){ c->attr_names[A_opset_imports],
		attr_make(c, (Attr){ .kind = ATTR_DICT, .u.list = { &version, (const Str *const *)&c->empty, 1 } }) };
	f->nattrs = 1;
	Value *x = block_add_arg(f->body, NULL, str(c, "x"));
	block_add_arg(f->body, NULL, str(c, "unused"));
	/* alpha: a reference to the function's attribute "a" (name, ref_attr_name, type FLOAT) */
	static const char reference[] = "\x0a\x05" "alpha" "\xaa\x01\x01" "a" "\xa0\x01\x01";
	NamedAttr alpha = { c->attr_names[A_alpha],
		attr_make(c, (Attr){ .kind = ATTR_WIRE, .u.str = str_n(c, reference, sizeof reference - 1) }) };
	OpSpec relu = { .def = op_def(c, ONNX_LeakyRelu), .operands = &x, .noperands = 1, .nresults = 1, .attrs = &alpha,
		.nattrs = 1 };
	Value *y = op_new(f->body, NULL, &relu)->results[0];
	OpSpec end = { .def = op_def(c, OP_return), .operands = &y, .noperands = 1 };
	op_new(f->body, NULL, &end);
	NamedAttr a = { str(c, "a"), attr_float(c, 0.5) };
	Value *arg = B_OP(b, ONNX_Neg, "", b_input(b, DT_F32, "2"));
	OpSpec call = { .def = op_def_find(c, "onnx.local::scaled", 18), .operands = &arg, .noperands = 1, .nresults = 1,
		.attrs = &a, .nattrs = 1 };
	b_output(b, op_new(b->func->body, NULL, &call)->results[0]);
	finish(b);
	assert_true(pass_inline(m, context(b)));
	no_error(b);
	assert_null(m->funcs->next);
	pass_legalise(m, context(b));
	assert_string_equal(b_kinds(b), "neg leaky_relu");
	compare(b, (double[]){ -0.5, -1 }, 2);
	build_free(b);
}

/* Ops that stay in the model run all the same. */
static void runs_without_core_form(void **state)
{
	(void)state;
	Build *b = build_new(18);
	b_output(b, B_OP(b, ONNX_CenterCropPad, "", b_input(b, DT_F32, "4"), B_INTS(b, 2)));
	CHECK_OP(b, "CenterCropPad", "CenterCropPad", 2, 3);
	b = build_new(13);
	Value *target = B_OP(b, ONNX_Sub, "", b_input(b, DT_I64, "1"), B_INTS(b, 1));
	b_output(b, B_OP(b, ONNX_NegativeLogLikelihoodLoss, "", b_floats(b, DT_F32, "1,2", (double[]){ -3, -4 }), target));
	CHECK_OP(b, "sub NegativeLogLikelihoodLoss", "Sub NegativeLogLikelihoodLoss", 3);
}

static void newer_opset(void **state)
{
	(void)state;
	UNARY(99, ONNX_Relu, "", "2");
	CHECK_OP(b, "relu", "Relu", 1, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_broadcast), cmocka_unit_test(old_broadcast_attrs), cmocka_unit_test(prelu),
		cmocka_unit_test(clip), cmocka_unit_test(casts), cmocka_unit_test(softmax), cmocka_unit_test(reductions),
		cmocka_unit_test(squeezes), cmocka_unit_test(shapes), cmocka_unit_test(slices), cmocka_unit_test(pads),
		cmocka_unit_test(tiles), cmocka_unit_test(topk), cmocka_unit_test(resizes), cmocka_unit_test(convolutions),
		cmocka_unit_test(batch_norms), cmocka_unit_test(dropouts), cmocka_unit_test(group_norms),
		cmocka_unit_test(many_operands), cmocka_unit_test(quantised), cmocka_unit_test(grids),
		cmocka_unit_test(missing_operators), cmocka_unit_test(no_operator), cmocka_unit_test(early_operator),
		cmocka_unit_test(unknown_attribute), cmocka_unit_test(constants), cmocka_unit_test(shared_axes),
		cmocka_unit_test(batched_scan), cmocka_unit_test(freezing), cmocka_unit_test(inlining),
		cmocka_unit_test(runs_without_core_form), cmocka_unit_test(newer_opset),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

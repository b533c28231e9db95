/* The proof must notice wrong rewrites: each rule here has a bug of a kind that real optimisers had, runs as the only rule on
 * a function that holds an instance of what it rewrites, and must be caught. The same function with no wrong rule must pass. */
#include "build.h"

#include "driver/driver.h"

#include <stdio.h>
#include <string.h>

/* ---- wrong rules ---- */

#define NO_ATTRS ((const RwAttr[]){ { A_NONE, NULL } })

/* A copy of the root with other operands and one attribute replaced. */
static Value *copy_with(Rw *rw, Op *op, Value *const *operands, size_t n, AttrName name, const Attr *value)
{
	RwAttr attrs[24];
	size_t k = 0;
	for (size_t i = 0; i < op->nattrs; i++)
		if (op->attrs[i].name->known != name)
			attrs[k++] = (RwAttr){ (AttrName)op->attrs[i].name->known, op->attrs[i].value };
	if (name)
		attrs[k++] = (RwAttr){ name, value };
	attrs[k] = (RwAttr){ A_NONE, NULL };
	return rw_op(rw, op_kind(op), operands, n, attrs);
}

static bool with_attr(Rw *rw, Op *op, AttrName name, const Attr *value)
{
	Value *in[8];
	if (op->made)
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		in[i] = op->operands[i].value;
	return rw_replace_op(rw, op, copy_with(rw, op, in, op->noperands, name, value));
}

static bool with_operand(Rw *rw, Op *op, size_t slot, Value *v)
{
	Value *in[8];
	if (op->made)
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		in[i] = i == slot ? v : op->operands[i].value;
	return rw_replace_op(rw, op, copy_with(rw, op, in, op->noperands, A_NONE, NULL));
}

static bool swapped(Rw *rw, Op *op, size_t i, size_t j)
{
	Value *in[8];
	if (op->made)
		return false;
	for (size_t k = 0; k < op->noperands; k++)
		in[k] = op->operands[k == i ? j : k == j ? i : k].value;
	return rw_replace_op(rw, op, copy_with(rw, op, in, op->noperands, A_NONE, NULL));
}

static bool as_kind(Rw *rw, Op *op, OpKind kind, const RwAttr *attrs)
{
	Value *in[8];
	if (op->made)
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		in[i] = op->operands[i].value;
	return rw_replace_op(rw, op, rw_op(rw, kind, in, op->noperands, attrs));
}

static bool dropped(Rw *rw, Op *op)
{
	return rw_replace_op(rw, op, op_operand(op, 0));
}

static const Attr *ints(Rw *rw, size_t n, const int64_t *v)
{
	return attr_ints(rw->ctx, v, n);
}

static bool bn_no_epsilon(Rw *rw, Op *op) { return with_attr(rw, op, A_epsilon, attr_float(rw->ctx, 0)); }
static bool bn_other_epsilon(Rw *rw, Op *op) { return with_attr(rw, op, A_epsilon, attr_float(rw->ctx, 0.01)); }
static bool bn_mean_for_bias(Rw *rw, Op *op) { return swapped(rw, op, 2, 3); }
static bool bn_var_for_scale(Rw *rw, Op *op) { return swapped(rw, op, 1, 4); }
static bool bn_no_shift(Rw *rw, Op *op) { return with_operand(rw, op, 2, op_operand(op, 3)); }

static bool conv_no_bias(Rw *rw, Op *op)
{
	Value *in[] = { op_operand(op, 0), op_operand(op, 1) };
	if (op->made || op->noperands < 3)
		return false;
	return rw_replace_op(rw, op, copy_with(rw, op, in, 2, A_NONE, NULL));
}

static bool conv_shifted_pads(Rw *rw, Op *op) { return with_attr(rw, op, A_pads, ints(rw, 4, (int64_t[]){ 2, 1, 0, 1 })); }

static Value *channel_vector(Rw *rw, Op *op, const int64_t *dims)
{
	return rw_reshape_to(rw, op_operand(op, 2), 4, dims); /* the bias stands in for a scale */
}

static bool conv_scale_wrong_side(Rw *rw, Op *op)
{
	if (op->made || op->noperands < 3)
		return false;
	return with_operand(rw, op, 1, rw_op2(rw, OP_mul, op_operand(op, 1), channel_vector(rw, op, (int64_t[]){ 1, 4, 1, 1 }),
			NO_ATTRS));
}

static bool conv_weight_transposed(Rw *rw, Op *op)
{
	const RwAttr perm[] = { { A_perm, ints(rw, 4, (int64_t[]){ 1, 0, 2, 3 }) }, { A_NONE, NULL } };
	return !op->made && with_operand(rw, op, 1, rw_op1(rw, OP_transpose, op_operand(op, 1), perm));
}

static bool conv_weight_flipped(Rw *rw, Op *op)
{
	const RwAttr axes[] = { { A_axes, ints(rw, 1, (int64_t[]){ 3 }) }, { A_NONE, NULL } };
	return !op->made && with_operand(rw, op, 1, rw_op1(rw, OP_reverse, op_operand(op, 1), axes));
}

static bool add_wrong_axis(Rw *rw, Op *op)
{
	return !op->made && with_operand(rw, op, 1, rw_reshape_to(rw, op_operand(op, 1), 3, (int64_t[]){ 1, 1, 4 }));
}

static bool add_one_channel_lost(Rw *rw, Op *op)
{
	static const double KEEP[] = { 1, 1, 0, 1 };
	if (op->made)
		return false;
	Value *mask = constant_from_floats(op->block, op, DT_F32, 3, (int64_t[]){ 4, 1, 1 }, KEEP);
	return with_operand(rw, op, 1, rw_op2(rw, OP_mul, op_operand(op, 1), mask, NO_ATTRS));
}

static bool mul_slightly_off(Rw *rw, Op *op)
{
	return !op->made && with_operand(rw, op, 1, rw_op2(rw, OP_mul, op_operand(op, 1), rw_float(rw, DT_F32, 1.000001),
			NO_ATTRS));
}

static bool first_two_swapped(Rw *rw, Op *op) { return swapped(rw, op, 0, 1); }
static bool last_two_swapped(Rw *rw, Op *op) { return swapped(rw, op, 1, 2); }
static bool gemm_transposed(Rw *rw, Op *op) { return with_attr(rw, op, A_trans_b, attr_int(rw->ctx, 1)); }
static bool gemm_no_alpha(Rw *rw, Op *op) { return with_attr(rw, op, A_alpha, attr_float(rw->ctx, 1)); }
static bool gemm_no_beta(Rw *rw, Op *op) { return with_attr(rw, op, A_beta, attr_float(rw->ctx, 1)); }

static bool gemm_bias_as_column(Rw *rw, Op *op)
{
	return !op->made && with_operand(rw, op, 2, rw_reshape_to(rw, op_operand(op, 2), 2, (int64_t[]){ 4, 1 }));
}

static bool transpose_inverse(Rw *rw, Op *op) { return with_attr(rw, op, A_perm, ints(rw, 3, (int64_t[]){ 2, 0, 1 })); }

static bool transpose_as_reshape(Rw *rw, Op *op)
{
	return !op->made && rw_replace_op(rw, op, rw_reshape_to(rw, op_operand(op, 0), 3, (int64_t[]){ 4, 4, 4 }));
}

static bool relu_leaks(Rw *rw, Op *op)
{
	return as_kind(rw, op, OP_leaky_relu, (const RwAttr[]){ { A_alpha, attr_float(rw->ctx, 1e-3) }, { A_NONE, NULL } });
}

static bool leaky_other_slope(Rw *rw, Op *op) { return with_attr(rw, op, A_alpha, attr_float(rw->ctx, 0.02)); }

static bool clamp_no_maximum(Rw *rw, Op *op)
{
	Value *in[] = { op_operand(op, 0), op_operand(op, 1) };
	return !op->made && rw_replace_op(rw, op, copy_with(rw, op, in, 2, A_NONE, NULL));
}

static bool clamp_as_relu(Rw *rw, Op *op)
{
	return !op->made && rw_replace_op(rw, op, rw_op1(rw, OP_relu, op_operand(op, 0), NO_ATTRS));
}

static bool other_axis(Rw *rw, Op *op) { return with_attr(rw, op, A_axis, attr_int(rw->ctx, 2)); }

static bool slice_off_by_one(Rw *rw, Op *op)
{
	return !op->made && with_operand(rw, op, 1, rw_ints(rw, (int64_t[]){ 0 }, 1)) ;
}

static bool gather_stale_row(Rw *rw, Op *op)
{
	return !op->made && with_operand(rw, op, 1, rw_ints(rw, (int64_t[]){ 0, 1, 1 }, 3));
}

static bool max_as_average(Rw *rw, Op *op)
{
	return as_kind(rw, op, OP_avg_pool, (const RwAttr[]){ { A_kernel, op_attr(op, A_kernel) }, { A_NONE, NULL } });
}

static bool average_counts_padding(Rw *rw, Op *op) { return with_attr(rw, op, A_count_include_pad, attr_int(rw->ctx, 1)); }
static bool mean_as_sum(Rw *rw, Op *op) { return with_attr(rw, op, A_kind, attr_str(rw->ctx, str(rw->ctx, "sum"))); }
static bool reduce_other_axis(Rw *rw, Op *op) { return with_attr(rw, op, A_axes, ints(rw, 1, (int64_t[]){ 2 })); }

static bool gelu_other_form(Rw *rw, Op *op)
{
	return with_attr(rw, op, A_approximate, attr_str(rw->ctx, str(rw->ctx, "tanh")));
}

static bool sigmoid_as_hard(Rw *rw, Op *op) { return as_kind(rw, op, OP_hard_sigmoid, NO_ATTRS); }
static bool min_as_max(Rw *rw, Op *op) { return as_kind(rw, op, OP_max, NO_ATTRS); }
static bool layer_norm_epsilon(Rw *rw, Op *op) { return with_attr(rw, op, A_epsilon, attr_float(rw->ctx, 1e-12)); }
static bool pad_other_value(Rw *rw, Op *op) { return with_operand(rw, op, 2, rw_float(rw, DT_F32, 1)); }

static bool cast_chain_keeps_fraction(Rw *rw, Op *op)
{
	Op *inner = def_of(op_operand(op, 0), OP_cast);
	return inner && rw_replace_op(rw, op, op_operand(inner, 0));
}

static bool reshape_stale_shape(Rw *rw, Op *op)
{
	if (op->made)
		return false;
	Value *v = rw_reshape_to(rw, op_operand(op, 0), 2, (int64_t[]){ 8, 8 });
	v->def->made = true;
	return rw_replace_op(rw, op, v);
}

static bool sum_loses_term(Rw *rw, Op *op)
{
	Value *in[] = { op_operand(op, 0), op_operand(op, 1) };
	return !op->made && rw_replace_op(rw, op, copy_with(rw, op, in, 2, A_NONE, NULL));
}

static bool sub_for_its_mirror(Rw *rw, Op *op) /* a - b shared with b - a */
{
	Value *a = op_operand(op, 0), *b = op_operand(op, 1);
	for (Use *u = a->uses; u; u = u->next)
		if (op_is(u->user, OP_sub) && u->user != op && op_operand(u->user, 0) == b && u->user->next == op)
			return rw_replace_op(rw, op, u->user->results[0]);
	return false;
}

/* ---- the function that holds an instance of everything ---- */

static void everything(Build *b)
{
	Value *x = b_input(b, DT_F32, "1,4,6,4"), *cube = b_input(b, DT_F32, "4,4,4"), *square = b_input(b, DT_F32, "4,4");
	Value *flag = b_input(b, DT_BOOL, "4,4"), *other = b_input(b, DT_F32, "4,4");
	Value *w = b_random(b, DT_F32, "4,4,3,3"), *bias = b_random(b, DT_F32, "4"), *m = b_random(b, DT_F32, "4,4");
	b_output(b, b_batch_norm(b, x, "4"));
	b_output(b, B_OP(b, OP_conv, "pads=1,1,1,1", x, w, bias));
	b_output(b, B_OP(b, OP_add, "", x, b_random(b, DT_F32, "4,1,1")));
	b_output(b, B_OP(b, OP_mul, "", square, b_random(b, DT_F32, "4")));
	b_output(b, B_OP(b, OP_sub, "", square, other));
	b_output(b, B_OP(b, OP_sub, "", other, square));
	b_output(b, B_OP(b, OP_div, "", square, other));
	b_output(b, B_OP(b, OP_matmul, "", square, m));
	b_output(b, B_OP(b, OP_gemm, "alpha=0.5 beta=2", square, m, bias));
	b_output(b, B_OP(b, OP_transpose, "perm=1,2,0", cube));
	b_output(b, B_OP(b, OP_relu, "", x));
	b_output(b, B_OP(b, OP_leaky_relu, "alpha=0.01", x));
	b_output(b, B_OP(b, OP_clamp, "", x, b_fill(b, DT_F32, "", 0), b_fill(b, DT_F32, "", 1)));
	b_output(b, B_OP(b, OP_softmax, "axis=1", cube));
	b_output(b, B_OP(b, OP_select, "", flag, square, other));
}

static void everything_else(Build *b)
{
	Value *x = b_input(b, DT_F32, "1,4,6,4"), *cube = b_input(b, DT_F32, "4,4,4"), *square = b_input(b, DT_F32, "4,4");
	Value *other = b_input(b, DT_F32, "4,4"), *third = b_input(b, DT_F32, "4,4");
	b_output(b, B_OP(b, OP_concat, "axis=0", square, other));
	b_output(b, B_OP(b, OP_slice, "axes=1", cube, B_INTS(b, 1), B_INTS(b, 3)));
	b_output(b, B_OP(b, OP_gather, "axis=0", square, B_INTS(b, 0, 1, 2)));
	b_output(b, B_OP(b, OP_max_pool, "kernel=2,2", x));
	b_output(b, B_OP(b, OP_avg_pool, "kernel=2,2 pads=1,1,1,1", x));
	b_output(b, B_OP(b, OP_reduce, "kind=mean axes=1", cube));
	b_output(b, B_OP(b, OP_gelu, "", square));
	b_output(b, B_OP(b, OP_sigmoid, "", square));
	b_output(b, B_OP(b, OP_min, "", square, other));
	b_output(b, B_OP(b, OP_layer_norm, "epsilon=0.001", square, b_random(b, DT_F32, "4")));
	b_output(b, B_OP(b, OP_pad, "", square, B_INTS(b, 1, 1, 1, 1), b_fill(b, DT_F32, "", 0)));
	b_output(b, B_OP(b, OP_cast, "to=f32", B_OP(b, OP_cast, "to=i32", square)));
	b_output(b, B_OP(b, OP_reshape, "", cube, B_INTS(b, 4, 16)));
	b_output(b, B_OP(b, OP_add_n, "", square, other, third));
}

typedef struct Bug {
	Rule rule;
	void (*model)(Build *b);
} Bug;

#define BUG_ROW(text, kind, fn, where) { { text, NULL, NULL, kind, CLASS_EXACT, 1, fn, 0 }, where }
static const Bug BUGS[] = {
	BUG_ROW("bn: epsilon missing", OP_batch_norm, bn_no_epsilon, everything),
	BUG_ROW("bn: another epsilon", OP_batch_norm, bn_other_epsilon, everything),
	BUG_ROW("bn: mean and bias swapped", OP_batch_norm, bn_mean_for_bias, everything),
	BUG_ROW("bn: variance and scale swapped", OP_batch_norm, bn_var_for_scale, everything),
	BUG_ROW("bn: shift dropped", OP_batch_norm, bn_no_shift, everything),
	BUG_ROW("conv: bias dropped", OP_conv, conv_no_bias, everything),
	BUG_ROW("conv: padding shifted", OP_conv, conv_shifted_pads, everything),
	BUG_ROW("conv: scale on input channels", OP_conv, conv_scale_wrong_side, everything),
	BUG_ROW("conv: weight transposed", OP_conv, conv_weight_transposed, everything),
	BUG_ROW("conv: kernel flipped", OP_conv, conv_weight_flipped, everything),
	BUG_ROW("add: broadcast on the wrong axis", OP_add, add_wrong_axis, everything),
	BUG_ROW("add: one channel lost", OP_add, add_one_channel_lost, everything),
	BUG_ROW("mul: constant off by 1e-6", OP_mul, mul_slightly_off, everything),
	BUG_ROW("sub: operands swapped", OP_sub, first_two_swapped, everything),
	BUG_ROW("sub: shared with its mirror", OP_sub, sub_for_its_mirror, everything),
	BUG_ROW("div: operands swapped", OP_div, first_two_swapped, everything),
	BUG_ROW("matmul: operands swapped", OP_matmul, first_two_swapped, everything),
	BUG_ROW("gemm: transposed", OP_gemm, gemm_transposed, everything),
	BUG_ROW("gemm: alpha lost", OP_gemm, gemm_no_alpha, everything),
	BUG_ROW("gemm: beta lost", OP_gemm, gemm_no_beta, everything),
	BUG_ROW("gemm: bias along rows", OP_gemm, gemm_bias_as_column, everything),
	BUG_ROW("transpose: inverse permutation", OP_transpose, transpose_inverse, everything),
	BUG_ROW("transpose: taken for a reshape", OP_transpose, transpose_as_reshape, everything),
	BUG_ROW("relu: dropped", OP_relu, dropped, everything),
	BUG_ROW("relu: leaks", OP_relu, relu_leaks, everything),
	BUG_ROW("leaky relu: another slope", OP_leaky_relu, leaky_other_slope, everything),
	BUG_ROW("clamp: maximum lost", OP_clamp, clamp_no_maximum, everything),
	BUG_ROW("clamp: taken for relu", OP_clamp, clamp_as_relu, everything),
	BUG_ROW("softmax: other axis", OP_softmax, other_axis, everything),
	BUG_ROW("select: branches swapped", OP_select, last_two_swapped, everything),
	BUG_ROW("concat: order swapped", OP_concat, first_two_swapped, everything_else),
	BUG_ROW("slice: off by one", OP_slice, slice_off_by_one, everything_else),
	BUG_ROW("gather: stale row", OP_gather, gather_stale_row, everything_else),
	BUG_ROW("max pool: taken for average", OP_max_pool, max_as_average, everything_else),
	BUG_ROW("average pool: counts padding", OP_avg_pool, average_counts_padding, everything_else),
	BUG_ROW("mean: taken for sum", OP_reduce, mean_as_sum, everything_else),
	BUG_ROW("mean: other axis", OP_reduce, reduce_other_axis, everything_else),
	BUG_ROW("gelu: tanh for erf", OP_gelu, gelu_other_form, everything_else),
	BUG_ROW("sigmoid: hard one", OP_sigmoid, sigmoid_as_hard, everything_else),
	BUG_ROW("min: max", OP_min, min_as_max, everything_else),
	BUG_ROW("layer norm: another epsilon", OP_layer_norm, layer_norm_epsilon, everything_else),
	BUG_ROW("pad: another value", OP_pad, pad_other_value, everything_else),
	BUG_ROW("cast chain: fraction kept", OP_cast, cast_chain_keeps_fraction, everything_else),
	BUG_ROW("reshape: stale shape", OP_reshape, reshape_stale_shape, everything_else),
	BUG_ROW("sum: a term lost", OP_add_n, sum_loses_term, everything_else),
};

static HoneStatus run(const Bug *bug, void (*model)(Build *b), int64_t *rewrites)
{
	static const char *const NONE[] = { "no such rule", NULL };
	Build *b = build_new(20);
	OptimiseOptions o;
	OptimiseReport r;
	model(b);
	OpSpec ret = { .def = op_def(b->ctx, OP_return), .operands = b->out, .noperands = b->nout };
	op_new(b->func->body, NULL, &ret);
	optimise_options_init(&o);
	o.rewrite.only = NONE;
	o.rewrite.extra = bug ? &bug->rule : NULL;
	o.rewrite.nextra = bug ? 1 : 0;
	o.passes = "shapes,rules,dce";
	bool ok = optimise(b->module, &o, b->arena, &r);
	HoneStatus s = ok ? HONE_OK : b->ctx->diags.status;
	*rewrites = r.log.rewrites;
	build_free(b);
	return s;
}

static void test_honest_functions_pass(void **state)
{
	int64_t n;
	(void)state;
	assert_int_equal(run(NULL, everything, &n), HONE_OK);
	assert_int_equal(run(NULL, everything_else, &n), HONE_OK);
}

static void test_every_seeded_bug_is_caught(void **state)
{
	int missed = 0;
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(BUGS); i++) {
		int64_t rewrites = 0;
		HoneStatus s = run(&BUGS[i], BUGS[i].model, &rewrites);
		if (s == HONE_VERIFY_FAILED && rewrites > 0)
			continue;
		print_message("not caught: %s (status %d, %lld rewrites)\n", BUGS[i].rule.name, s, (long long)rewrites);
		missed++;
	}
	assert_int_equal(missed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest_functions_pass),
		cmocka_unit_test(test_every_seeded_bug_is_caught),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Batch norms, scales and shifts: into the weights of what computes their operand, and into one another. */
#include "affine_int.h"
#include "rules.h"

/* op(op(x, k), c) with constants k and c is op(x, op(k, c)) when no constant grows and the types agree. */
static bool merge_constants(Rw *rw, Op *op, bool integers)
{
	int side = constant_side(op);
	DType d = value_dtype(op->results[0]);
	if (integers != dtype_is_integer(d) || integers == dtype_is_float(d))
		return rw_no(rw, "a rule for another element type");
	if (side < 0)
		return rw_no(rw, "no operand is constant");
	Value *v = op_operand(op, (size_t)!side), *outer = op_operand(op, (size_t)side);
	Op *inner = live_def(v, op_kind(op));
	int inner_side = inner ? constant_side(inner) : -1;
	if (inner_side < 0)
		return rw_no(rw, "the other operand is no such op with a constant");
	if (!rw_may_rebuild(rw, v))
		return false;
	Value *k = op_operand(inner, (size_t)inner_side), *x = op_operand(inner, (size_t)!inner_side);
	Value *big = value_count(k) >= value_count(outer) ? k : outer, *small = big == k ? outer : k;
	int rank = value_rank(big), tail = value_rank(small);
	if (value_count(small) < 1 || tail < 0 || tail > rank)
		return rw_no(rw, "a constant's shape is not known");
	for (int i = 1; i <= tail; i++)
		if (value_dim(small, tail - i) != 1 && value_dim(small, tail - i) != value_dim(big, rank - i))
			return rw_no(rw, "the merged constant would grow");
	return rw_replace_op(rw, op, rw_op2(rw, op_kind(op), x, rw_op2(rw, op_kind(op), k, outer, NULL), NULL));
}

static bool merge_float_constants(Rw *rw, Op *op)
{
	return merge_constants(rw, op, false);
}

static bool merge_integer_constants(Rw *rw, Op *op)
{
	return merge_constants(rw, op, true);
}

static const Rule rules[] = {
	{ "fold-batch-norm", "batch_norm(conv(x, w, b))", "conv(x, w*s, b*s+t)", OP_batch_norm, CLASS_ROUNDING, 2,
		affine_fold_up },
	{ "fold-batch-norm-scale", "batch_norm(matmul(x, w))", "add(matmul(x, w*s), t)", OP_batch_norm, CLASS_ROUNDING, 2,
		affine_fold_scale_up },
	{ "fold-scale", "mul(conv(x, w, b), s)", "conv(x, w*s, b*s)", OP_mul, CLASS_ROUNDING, 2, affine_fold_up },
	{ "fold-divide", "div(conv(x, w, b), s)", "conv(x, w/s, b/s)", OP_div, CLASS_ROUNDING, 2, affine_fold_up },
	{ "fold-shift", "add(conv(x, w, b), t)", "conv(x, w, b+t)", OP_add, CLASS_ROUNDING, 2, affine_fold_up },
	{ "fold-subtract", "sub(conv(x, w, b), t)", "conv(x, w, b-t)", OP_sub, CLASS_ROUNDING, 2, affine_fold_up },
	{ "fold-negate", "neg(conv(x, w, b))", "conv(x, -w, -b)", OP_neg, CLASS_ROUNDING, 2, affine_fold_up },
	{ "merge-factors", "mul(mul(x, k), c)", "mul(x, k*c)", OP_mul, CLASS_ROUNDING, 2, merge_float_constants },
	{ "merge-summands", "add(add(x, k), c)", "add(x, k+c)", OP_add, CLASS_ROUNDING, 2, merge_float_constants },
	{ "merge-integer-factors", "mul(mul(x, k), c)", "mul(x, k*c)", OP_mul, CLASS_EXACT, 1, merge_integer_constants },
	{ "merge-integer-summands", "add(add(x, k), c)", "add(x, k+c)", OP_add, CLASS_EXACT, 1, merge_integer_constants },
};

const RuleSet RULES_NORM = { "norm", rules, ARRAY_LEN(rules) };

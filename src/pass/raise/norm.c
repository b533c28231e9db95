#include "raise_int.h"

#include <string.h>

typedef struct ReduceOp {
	const char *kind;
	OpKind onnx;
} ReduceOp;

static const ReduceOp reduce_ops[] = {
	{ "sum", ONNX_ReduceSum }, { "mean", ONNX_ReduceMean }, { "max", ONNX_ReduceMax }, { "min", ONNX_ReduceMin },
	{ "prod", ONNX_ReduceProd }, { "l1", ONNX_ReduceL1 }, { "l2", ONNX_ReduceL2 }, { "sum_square", ONNX_ReduceSumSquare },
	{ "log_sum", ONNX_ReduceLogSum }, { "log_sum_exp", ONNX_ReduceLogSumExp },
};

/* Axes are an operand since opset 13 (ReduceSum) or 18 (the others). */
bool rz_reduce(Lg *l, OpKind onnx)
{
	const char *kind = op_text(l->op, A_kind);
	const int64_t *axes;
	const Attr *attr = NULL, *keep = lg_attr(l, A_keepdims);
	Value *x = lg_in(l, 0);
	size_t n = op_attr_ints(l->op, A_axes, &axes);
	onnx = OP_UNKNOWN;
	for (size_t i = 0; i < ARRAY_LEN(reduce_ops); i++)
		if (!strcmp(reduce_ops[i].kind, kind))
			onnx = reduce_ops[i].onnx;
	if (onnx == OP_UNKNOWN)
		return ex_reduce_bool(l, onnx);
	RwAttr attrs[] = { { A_axes, NULL }, { A_keepdims, keep }, { A_NONE, NULL } };
	if (n == 0)
		return lg_become_same(l, onnx, attrs);
	if (l->opset >= (onnx == ONNX_ReduceSum ? 13 : 18))
		return lg_become(l, onnx, (Value *[]){ x, rz_ints(l, axes, n) }, 2, attrs);
	if (!rz_axes_attr(l, axes, n, lg_rank(x), &attr))
		return false;
	attrs[0].value = attr;
	return lg_become_same(l, onnx, attrs);
}

bool rz_arg(Lg *l, OpKind onnx)
{
	if (l->opset < 12) {
		if (op_int(l->op, A_select_last_index))
			return rz_no(l, "that opset lacks attribute 'select_last_index' and finds the first index only");
		op_set_attr(l->op, l->c->attr_names[A_select_last_index], NULL);
	}
	return rz_axis_op(l, onnx);
}

/* Before opset 13 the operator ran over all axes from `axis` on: the same when they are of size 1 but for the first. */
bool rz_softmax(Lg *l, OpKind onnx)
{
	Value *x = lg_in(l, 0);
	int64_t axis = op_int(l->op, A_axis);
	int at;
	if (l->opset >= 13)
		return lg_copy(l, onnx);
	if (axis == -1 && lg_rank(x) < 0 && l->opset >= 11)
		return lg_become_same(l, onnx, (RwAttr[]){ { A_axis, lg_int(l, -1) }, { A_NONE, NULL } });
	if (lg_rank(x) < 0 || !axis_norm(axis, lg_rank(x), &at))
		return rz_no(l, "that opset needs the rank of its input to be known");
	for (int i = at + 1; i < lg_rank(x); i++)
		if (!sym_is(x->type->dims[i], 1))
			return ex_softmax_axis(l, onnx);
	bool keep = axis >= 0 || l->opset >= 11;
	return lg_become_same(l, onnx, (RwAttr[]){ { A_axis, lg_int(l, keep ? axis : at) }, { A_NONE, NULL } });
}

/* Opset 1 to 5 require a list of consumed operands; is_test (until 6) asks for inference. */
bool rz_batch_norm(Lg *l, OpKind onnx)
{
	static const int64_t consumed[] = { 0, 0, 0, 1, 1 };
	return lg_become_same(l, onnx, (RwAttr[]){ { A_epsilon, lg_attr(l, A_epsilon) },
			{ A_is_test, l->opset < 7 ? lg_int(l, 1) : NULL },
			{ A_consumed_inputs, l->opset < 6 ? lg_ints_attr(l, consumed, 5) : NULL }, { A_NONE, NULL } });
}

bool rz_batch_norm_training(Lg *l, OpKind onnx)
{
	return lg_become_same(l, onnx, (RwAttr[]){ { A_epsilon, lg_attr(l, A_epsilon) }, { A_momentum, lg_attr(l, A_momentum) },
			{ A_training_mode, lg_int(l, 1) }, { A_NONE, NULL } });
}

/* The operand with one element a group, when v repeats each of its elements size times: a constant that does, or what
 * legalise makes of the operator of opset 18: reshape(expand(unsqueeze(x, 1))). NULL when it does not. */
static Value *per_group(Lg *l, Value *v, int64_t groups, int64_t size)
{
	size_t n;
	const double *f = constant_floats(l->a, v, 0, &n);
	if (f && n == (size_t)(groups * size)) {
		double *one = NEW_ARRAY(l->a, double, groups + 1);
		for (size_t i = 0; i < n; i++) {
			one[i / (size_t)size] = f[i];
			if (memcmp(&f[i], &f[i - i % (size_t)size], sizeof *f))
				return NULL;
		}
		return rz_floats(l, lg_dtype(v), 1, &groups, one);
	}
	static const OpKind chain[][2] = { { OP_reshape, ONNX_Reshape }, { OP_expand, ONNX_Expand } };
	for (size_t i = 0; i < ARRAY_LEN(chain); i++) {
		if (!op_is(v->def, chain[i][0]) && !op_is(v->def, chain[i][1]))
			return NULL;
		v = op_operand(v->def, 0);
	}
	bool column = lg_rank(v) == 2 && sym_is(v->type->dims[0], groups) && sym_is(v->type->dims[1], 1);
	return column ? rz_with_dims(l, v, 1, &groups) : NULL;
}

/* Opset 18 had one scale a group; 21 has one a channel. */
bool rz_group_norm(Lg *l, OpKind onnx)
{
	Value *x = lg_in(l, 0), *scale = lg_in(l, 1), *bias = lg_in(l, 2);
	int64_t groups = op_int(l->op, A_num_groups), channels;
	if (l->opset >= 21)
		return lg_copy(l, onnx);
	if (lg_rank(x) < 2 || !sym_const(x->type->dims[1], &channels) || groups < 1 || channels % groups)
		return rz_no(l, "the number of channels is not known");
	if (channels != groups) {
		scale = per_group(l, scale, groups, channels / groups);
		bias = scale ? per_group(l, bias, groups, channels / groups) : NULL;
	}
	if (!scale || !bias || op_int(l->op, A_stash_type) != 1)
		return ex_group_norm(l, onnx);
	return lg_become(l, onnx, (Value *[]){ x, scale, bias }, 3, (RwAttr[]){ { A_num_groups, lg_attr(l, A_num_groups) },
			{ A_epsilon, lg_attr(l, A_epsilon) }, { A_NONE, NULL } });
}

/* The experimental operator of before opset 9 took no axes. */
bool rz_mvn(Lg *l, OpKind onnx)
{
	const int64_t *axes;
	size_t n = op_attr_ints(l->op, A_axes, &axes);
	bool usual = n == 3 && axes[0] == 0 && axes[1] == 2 && axes[2] == 3;
	if (l->opset >= 9)
		return lg_copy(l, onnx);
	return usual ? lg_become_same(l, onnx, NULL) : ex_mvn(l, onnx);
}

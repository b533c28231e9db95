#include "legalise_int.h"

#include <string.h>

/* ---- reductions ---- */

typedef struct ReduceKind {
	OpKind onnx;
	const char *kind;
} ReduceKind;

static const ReduceKind reduce_kinds[] = {
	{ ONNX_ReduceSum, "sum" }, { ONNX_ReduceMean, "mean" }, { ONNX_ReduceMax, "max" }, { ONNX_ReduceMin, "min" },
	{ ONNX_ReduceProd, "prod" }, { ONNX_ReduceL1, "l1" }, { ONNX_ReduceL2, "l2" }, { ONNX_ReduceSumSquare, "sum_square" },
	{ ONNX_ReduceLogSum, "log_sum" }, { ONNX_ReduceLogSumExp, "log_sum_exp" },
};

static const char *reduce_kind(OpKind k)
{
	for (size_t i = 0; i < ARRAY_LEN(reduce_kinds); i++)
		if (reduce_kinds[i].onnx == k)
			return reduce_kinds[i].kind;
	return NULL;
}

/* A reduction over no axes: only the work around the sum remains. */
static bool reduce_nothing(Lg *l, const char *kind)
{
	Value *x = lg_in(l, 0);
	if (!strcmp(kind, "l1"))
		return lg_become(l, OP_abs, &x, 1, NULL);
	if (!strcmp(kind, "l2"))
		return lg_become(l, OP_sqrt, (Value *[]){ lg_new2(l, OP_mul, x, x, NULL) }, 1, NULL);
	if (!strcmp(kind, "sum_square"))
		return lg_become(l, OP_mul, (Value *[]){ x, x }, 2, NULL);
	if (!strcmp(kind, "log_sum"))
		return lg_become(l, OP_log, &x, 1, NULL);
	return lg_become(l, OP_identity, &x, 1, NULL);
}

bool lg_reduce(Lg *l, OpKind core)
{
	const int64_t *axes;
	size_t n;
	const char *kind = reduce_kind(op_kind(l->op));
	if (!kind || !lg_attr_or_operand(l, A_axes, 1, &axes, &n))
		return false;
	if (n == 0 && op_attr_int(l->op, A_noop_with_empty_axes, 0))
		return reduce_nothing(l, kind);
	return lg_become(l, core, (Value *[]){ lg_in(l, 0) }, 1, (RwAttr[]){ { A_kind, lg_text(l, kind) },
			{ A_axes, n ? lg_ints_attr(l, axes, n) : NULL }, { A_keepdims, lg_attr(l, A_keepdims) }, { A_NONE, NULL } });
}

/* ---- softmax family ---- */

/* The one axis that softmax over all of [axis, rank) really runs over: false when two or more of these dims may differ
 * from 1. */
static bool single_axis(const Type *t, int64_t axis, int64_t *out)
{
	int at, found = -1;
	if (axis == -1) {
		*out = -1;
		return true;
	}
	if (!type_has_rank(t) || !axis_norm(axis, t->rank, &at))
		return false;
	for (int i = at; i < t->rank; i++) {
		if (sym_is(t->dims[i], 1))
			continue;
		if (found >= 0)
			return false;
		found = i;
	}
	*out = found >= 0 ? found : at;
	return true;
}

/* Before opset 13 the operand was seen as a matrix [dims before axis, dims from axis on]. */
bool lg_softmax(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0);
	if (l->opset >= 13)
		return lg_become_same(l, core, (RwAttr[]){ { A_axis, lg_attr(l, A_axis) }, { A_NONE, NULL } });
	int64_t axis = op_attr_int(l->op, A_axis, 1), single, dims[MAX_RANK];
	if (single_axis(x->type, axis, &single))
		return lg_become_same(l, core, (RwAttr[]){ { A_axis, lg_int(l, single) }, { A_NONE, NULL } });
	Value *rows = lg_new1(l, OP_flatten, x, (RwAttr[]){ { A_axis, lg_int(l, axis) }, { A_NONE, NULL } });
	Value *y = lg_new1(l, core, rows, (RwAttr[]){ { A_axis, lg_int(l, 1) }, { A_NONE, NULL } });
	bool is_static = type_has_rank(x->type) && x->type->rank <= MAX_RANK && type_static_dims(x->type, dims);
	for (int i = 0; is_static && i < x->type->rank; i++)
		is_static = dims[i] > 0;
	Value *shape = is_static ? lg_const_ints(l, dims, (size_t)x->type->rank) : lg_new1(l, OP_shape, x, NULL);
	return lg_become(l, OP_reshape, (Value *[]){ y, shape }, 2, NULL);
}

/* ---- normalisation ---- */

/* Training is asked for by training_mode since opset 14. Before, more than one result meant it; when nothing uses these,
 * every runtime takes the op as inference. */
bool lg_batch_norm(Lg *l, OpKind core)
{
	RwAttr attrs[] = { { A_epsilon, lg_attr(l, A_epsilon) }, { A_NONE, NULL }, { A_NONE, NULL } };
	if (l->opset >= 14 && op_attr_int(l->op, A_training_mode, 0)) {
		if (l->op->nresults > op_def(l->c, OP_batch_norm_training)->max_results) /* as of an older opset */
			return false;
		attrs[1] = (RwAttr){ A_momentum, lg_attr(l, A_momentum) };
		return lg_become_same(l, OP_batch_norm_training, attrs);
	}
	if (!lg_unused_results(l, 1))
		return false;
	if (l->opset < 9 && !op_attr_int(l->op, A_spatial, 1) && lg_rank(lg_in(l, 0)) != 2)
		return false;
	op_drop_results(l->op, 1);
	return lg_become_same(l, core, attrs);
}

bool lg_instance_norm(Lg *l, OpKind core)
{
	return lg_become_same(l, core, (RwAttr[]){ { A_epsilon, lg_attr(l, A_epsilon) }, { A_NONE, NULL } });
}

/* One scale a group (opset 18) becomes one a channel: [G] -> [G,1] -> [G, C/G] -> [C]. */
static Value *scale_per_channel(Lg *l, Value *v, int64_t groups, int64_t channels)
{
	Value *column = lg_unsqueeze(l, v, (int64_t[]){ 1 }, 1);
	Value *shape = lg_const_ints(l, (int64_t[]){ groups, channels / groups }, 2);
	Value *wide = lg_new2(l, OP_expand, column, shape, NULL);
	return lg_new2(l, OP_reshape, wide, lg_const_ints(l, &channels, 1), NULL);
}

bool lg_group_norm(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0), *scale = lg_in(l, 1), *bias = lg_in(l, 2);
	int64_t groups = op_attr_int(l->op, A_num_groups, 0), channels;
	if (groups < 1)
		return false;
	if (l->opset < 21) {
		if (lg_rank(x) < 2 || !sym_const(x->type->dims[1], &channels) || channels % groups)
			return false;
		if (channels != groups) {
			if (lg_rank(scale) != 1 || !sym_is(scale->type->dims[0], groups)) /* some write one a channel */
				return false;
			scale = scale_per_channel(l, scale, groups, channels);
			bias = scale_per_channel(l, bias, groups, channels);
		}
	}
	return lg_become(l, core, (Value *[]){ x, scale, bias }, 3, (RwAttr[]){ { A_num_groups, lg_attr(l, A_num_groups) },
			{ A_epsilon, lg_attr(l, A_epsilon) }, { A_stash_type, lg_attr(l, A_stash_type) }, { A_NONE, NULL } });
}

bool lg_mvn(Lg *l, OpKind core)
{
	static const int64_t usual[] = { 0, 2, 3 };
	const Attr *axes = lg_attr(l, A_axes);
	return lg_become_same(l, core, (RwAttr[]){ { A_axes, axes ? axes : lg_ints_attr(l, usual, 3) }, { A_NONE, NULL } });
}

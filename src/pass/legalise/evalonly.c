#include "legalise_int.h"

#include <string.h>

/* Operators that stay as they are in a model (training losses and the like: taken apart, they could not be written as
 * themselves again), but can be run: the evaluator's fallback takes a copy apart whose types are all known. */

typedef struct Loss {
	Lg *l;
	Value *target, *weight; /* weight: one a class, or NULL */
	Value *ignored;         /* bool like target, or NULL */
	DType d;
	const char *reduction;
} Loss;

static Value *zero_of(Lg *l, DType d)
{
	if (dtype_is_float(d))
		return lg_const_float(l, d, 0);
	int64_t none = 0;
	return constant_from_ints(l->op->block, l->op, d, 0, NULL, &none);
}

static Value *axes_op(Lg *l, OpKind k, Value *x)
{
	return lg_new1(l, k, x, (RwAttr[]){ { A_axes, lg_ints_attr(l, (int64_t[]){ 1 }, 1) }, { A_NONE, NULL } });
}

static Value *sum_all(Lg *l, Value *x, const char *kind)
{
	return lg_new1(l, OP_reduce, x,
			(RwAttr[]){ { A_kind, lg_text(l, kind) }, { A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } });
}

/* What a target counts: its class weight, 0 when ignored; NULL: 1 everywhere. */
static Value *weights_of(Loss *s, Value *classes)
{
	Lg *l = s->l;
	if (s->weight) {
		Value *w = lg_new2(l, OP_gather, s->weight, classes, NULL);
		return s->ignored ? lg_new(l, OP_select, (Value *[]){ s->ignored, zero_of(l, s->d), w }, 3, NULL) : w;
	}
	if (!s->ignored)
		return NULL;
	Value *kept = lg_new1(l, OP_not, s->ignored, NULL);
	return lg_new1(l, OP_cast, kept, (RwAttr[]){ { A_to, attr_dtype(l->c, s->d) }, { A_NONE, NULL } });
}

/* The loss over log probabilities [N, C, ...]: minus that of the target class, weighted, then reduced. */
static bool become_loss(Loss *s, Value *log_prob)
{
	Lg *l = s->l;
	Value *classes = s->target;
	if (s->ignored)
		classes = lg_new(l, OP_select, (Value *[]){ s->ignored, zero_of(l, lg_dtype(classes)), classes }, 3, NULL);
	Value *picked = lg_new(l, OP_gather_elements, (Value *[]){ log_prob, axes_op(l, OP_unsqueeze, classes) }, 2,
			(RwAttr[]){ { A_axis, lg_int(l, 1) }, { A_NONE, NULL } });
	Value *loss = lg_new1(l, OP_neg, axes_op(l, OP_squeeze, picked), NULL);
	if (s->ignored)
		loss = lg_new(l, OP_select, (Value *[]){ s->ignored, zero_of(l, s->d), loss }, 3, NULL);
	Value *weights = weights_of(s, classes);
	if (weights)
		loss = lg_new2(l, OP_mul, loss, weights, NULL);
	if (!strcmp(s->reduction, "none"))
		return lg_become(l, OP_identity, &loss, 1, NULL);
	if (!strcmp(s->reduction, "sum"))
		return lg_become(l, OP_identity, (Value *[]){ sum_all(l, loss, "sum") }, 1, NULL);
	if (!weights)
		return lg_become(l, OP_identity, (Value *[]){ sum_all(l, loss, "mean") }, 1, NULL);
	Value *total = sum_all(l, loss, "sum");
	return lg_become(l, OP_div, (Value *[]){ total, sum_all(l, weights, "sum") }, 2, NULL);
}

static bool loss_of(Lg *l, Loss *s)
{
	const Str *reduction = op_attr_str(l->op, A_reduction);
	const Attr *ignore = lg_attr(l, A_ignore_index);
	*s = (Loss){ .l = l, .target = lg_in(l, 1), .weight = lg_in(l, 2), .d = lg_dtype(lg_in(l, 0)),
		.reduction = reduction ? reduction->s : "mean" };
	DType index = lg_dtype(s->target);
	bool known = !strcmp(s->reduction, "none") || !strcmp(s->reduction, "sum") || !strcmp(s->reduction, "mean");
	if (!known || !dtype_is_float(s->d) || !dtype_is_integer(index) || lg_rank(lg_in(l, 0)) < 2)
		return false;
	if (ignore) {
		Value *v = constant_from_ints(l->op->block, l->op, index, 0, NULL, &ignore->u.i);
		s->ignored = lg_new2(l, OP_eq, s->target, v, NULL);
	}
	return true;
}

bool lg_nll_loss(Lg *l, OpKind core)
{
	Loss s;
	(void)core;
	return loss_of(l, &s) && become_loss(&s, lg_in(l, 0));
}

bool lg_cross_entropy(Lg *l, OpKind core)
{
	Loss s;
	(void)core;
	if (!loss_of(l, &s))
		return false;
	Value *log_prob = lg_new1(l, OP_log_softmax, lg_in(l, 0), (RwAttr[]){ { A_axis, lg_int(l, 1) }, { A_NONE, NULL } });
	if (l->op->nresults > 1) {
		value_replace_uses(l->op->results[1], log_prob);
		op_drop_results(l->op, 1);
	}
	return become_loss(&s, log_prob);
}

/* Each axis is cropped from the middle or padded around it; the odd element goes to the end. */
bool lg_center_crop_pad(Lg *l, OpKind core)
{
	const int64_t *sizes, *axes;
	size_t n, na = op_attr_ints(l->op, A_axes, &axes);
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x);
	int64_t starts[MAX_RANK], ends[MAX_RANK], pads[2 * MAX_RANK], dims[MAX_RANK];
	(void)core;
	if (!lg_operand_ints(l, 1, &sizes, &n) || rank < 0 || rank > MAX_RANK || !type_static_dims(x->type, dims))
		return false;
	if (n != (na ? na : (size_t)rank))
		return false;
	for (int i = 0; i < rank; i++) {
		starts[i] = pads[i] = pads[rank + i] = 0;
		ends[i] = dims[i];
	}
	for (size_t i = 0; i < n; i++) {
		int at = (int)i;
		if ((na && !axis_norm(axes[i], rank, &at)) || sizes[i] < 0)
			return false;
		int64_t more = sizes[i] - dims[at];
		if (more >= 0) {
			pads[at] = more / 2;
			pads[rank + at] = more - more / 2;
		} else {
			starts[at] = -more / 2;
			ends[at] = starts[at] + sizes[i];
		}
	}
	Value *first = lg_const_ints(l, starts, (size_t)rank), *last = lg_const_ints(l, ends, (size_t)rank);
	Value *part = lg_new(l, OP_slice, (Value *[]){ x, first, last }, 3, NULL);
	return lg_become(l, OP_pad, (Value *[]){ part, lg_const_ints(l, pads, 2 * (size_t)rank) }, 2, NULL);
}

/* A depthwise convolution over what came before and the operand; the last k - 1 positions are carried on. */
bool lg_causal_conv(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0), *w = lg_in(l, 1), *past = lg_in(l, 3);
	const Str *act = op_attr_str(l->op, A_activation);
	bool swish = act && (!strcmp(act->s, "silu") || !strcmp(act->s, "swish"));
	int64_t xd[MAX_RANK], wd[MAX_RANK];
	(void)core;
	if (lg_rank(x) != 3 || lg_rank(w) != 3 || !type_static_dims(x->type, xd) || !type_static_dims(w->type, wd) || wd[2] < 1)
		return false;
	if (act && !swish && strcmp(act->s, "none"))
		return false;
	RwAttr last_axis[] = { { A_axis, lg_int(l, 2) }, { A_NONE, NULL } };
	Value *all = past ? lg_new(l, OP_concat, (Value *[]){ past, x }, 2, last_axis)
		: lg_new2(l, OP_pad, x, lg_const_ints(l, (int64_t[]){ 0, 0, wd[2] - 1, 0, 0, 0 }, 6), NULL);
	if (l->op->nresults > 1) {
		Value *first = lg_const_ints(l, &xd[2], 1), *last = lg_const_ints(l, (int64_t[]){ xd[2] + wd[2] - 1 }, 1);
		Value *state = lg_new(l, OP_slice, (Value *[]){ all, first, last }, 3,
				(RwAttr[]){ { A_axes, lg_ints_attr(l, (int64_t[]){ 2 }, 1) }, { A_NONE, NULL } });
		value_replace_uses(l->op->results[1], state);
		op_drop_results(l->op, 1);
	}
	Value *in[3] = { all, w, lg_in(l, 2) };
	RwAttr groups[] = { { A_groups, lg_int(l, xd[1]) }, { A_NONE, NULL } };
	if (!swish)
		return lg_become(l, OP_conv, in, 3, groups);
	Value *y = lg_new(l, OP_conv, in, in[2] ? 3 : 2, groups);
	return lg_become(l, OP_swish, &y, 1, NULL);
}

const LegaliseRow evaluate_rows[] = {
	{ ONNX_CausalConvWithState, OP_conv, lg_causal_conv },
	{ ONNX_CenterCropPad, OP_pad, lg_center_crop_pad },
	{ ONNX_NegativeLogLikelihoodLoss, OP_mul, lg_nll_loss },
	{ ONNX_SoftmaxCrossEntropyLoss, OP_mul, lg_cross_entropy },
};
const size_t evaluate_nrows = ARRAY_LEN(evaluate_rows);

#include "legalise_int.h"

#include <float.h>
#include <string.h>

/* Before opset 7 the operands had equal shapes unless `broadcast` was set; then b's dims stood at `axis` of a's (default:
 * at the end). NumPy rules give the same once b has as many trailing dims of size 1 as are missing on the right. */
static bool align_old_broadcast(Lg *l)
{
	const Attr *axis = lg_attr(l, A_axis);
	if (l->opset >= 7 || !axis || !op_attr_int(l->op, A_broadcast, 0))
		return true;
	Value *a = lg_in(l, 0), *b = lg_in(l, 1);
	int ra = lg_rank(a), rb = lg_rank(b), at;
	if (ra < 0 || rb < 0 || rb > ra)
		return false;
	if (rb == 0)
		return true;
	int64_t count;
	if (!axis_norm(axis->u.i, ra, &at) || at + rb > ra) {
		/* A suffix match is also written as axis -1; one element fits anywhere. */
		return axis->u.i == -1 || (type_static_numel(b->type, &count) && count == 1);
	}
	size_t missing = (size_t)(ra - at - rb);
	if (missing == 0)
		return true;
	int64_t *axes = NEW_ARRAY(l->a, int64_t, missing);
	for (size_t i = 0; i < missing; i++)
		axes[i] = rb + (int64_t)i;
	op_set_operand(l->op, 1, lg_unsqueeze(l, b, axes, missing));
	return true;
}

bool lg_binary(Lg *l, OpKind core)
{
	return align_old_broadcast(l) && lg_become_same(l, core, NULL);
}

/* One operand: the value itself; two: the binary op, where there is one. */
bool lg_nary(Lg *l, OpKind core)
{
	size_t n = l->op->noperands;
	if (n == 0)
		return false;
	if (n == 1)
		return lg_become_same(l, OP_identity, NULL);
	if (n == 2 && core == OP_add_n)
		return lg_become_same(l, OP_add, NULL);
	if (n == 2 && core == OP_max_n)
		return lg_become_same(l, OP_max, NULL);
	if (n == 2 && core == OP_min_n)
		return lg_become_same(l, OP_min, NULL);
	return lg_become_same(l, core, NULL);
}

/* Before opset 7 a slope of C elements belonged to axis 1. */
bool lg_prelu(Lg *l, OpKind core)
{
	int64_t count;
	Value *slope = lg_in(l, 1);
	if (l->opset >= 7 || (type_static_numel(slope->type, &count) && count == 1))
		return lg_become_same(l, core, NULL);
	int rx = lg_rank(lg_in(l, 0)), rs = lg_rank(slope);
	if (rx < 0 || rs < 0 || rx > MAX_RANK)
		return false;
	if (rs == 1 && rx > 2) {
		int64_t axes[MAX_RANK];
		for (int i = 0; i < rx - 2; i++)
			axes[i] = 1 + i;
		op_set_operand(l->op, 1, lg_unsqueeze(l, slope, axes, (size_t)rx - 2));
	}
	return lg_become_same(l, core, NULL);
}

bool lg_mod(Lg *l, OpKind core)
{
	return lg_become_same(l, op_attr_int(l->op, A_fmod, 0) ? OP_fmod : core, NULL);
}

bool lg_bit_shift(Lg *l, OpKind core)
{
	(void)core;
	if (op_attr_is(l->op, A_direction, "LEFT"))
		return lg_become_same(l, OP_shift_left, NULL);
	if (op_attr_is(l->op, A_direction, "RIGHT"))
		return lg_become_same(l, OP_shift_right, NULL);
	return false;
}

/* Bounds were attributes before opset 11; opset 6 gave them the float range as default, which matters for infinities. */
static Value *clip_bound(Lg *l, AttrName a, double fallback)
{
	const Attr *v = lg_attr(l, a);
	if (!v && l->opset < 6)
		return NULL;
	return lg_const_float(l, lg_dtype(lg_in(l, 0)), v ? op_attr_float(l->op, a, 0) : fallback);
}

bool lg_clip(Lg *l, OpKind core)
{
	if (l->opset >= 11)
		return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) }, 3, NULL);
	if (lg_dtype(lg_in(l, 0)) == DT_NONE)
		return false;
	Value *in[] = { lg_in(l, 0), clip_bound(l, A_min, -FLT_MAX), NULL };
	in[2] = clip_bound(l, A_max, FLT_MAX);
	return lg_become(l, core, in, 3, NULL);
}

/* The rounding mode says how to reach f8E8M0; only the default one has a core meaning. */
static bool round_mode_known(Lg *l, DType to)
{
	const Str *mode = op_attr_str(l->op, A_round_mode);
	return !mode || to != DT_F8E8M0 || !strcmp(mode->s, "up");
}

bool lg_cast(Lg *l, OpKind core)
{
	DType to;
	if (!lg_type_attr(l, A_to, DT_NONE, &to) || to == DT_NONE || !round_mode_known(l, to))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_to, attr_dtype(l->c, to) },
			{ A_saturate, core == OP_cast ? lg_attr(l, A_saturate) : NULL }, { A_NONE, NULL } });
}

bool lg_cast_like(Lg *l, OpKind core)
{
	DType to = lg_dtype(lg_in(l, 1));
	if (to == DT_NONE || !round_mode_known(l, to))
		return false;
	return lg_become(l, core, (Value *[]){ lg_in(l, 0) }, 1, (RwAttr[]){ { A_to, attr_dtype(l->c, to) },
			{ A_saturate, lg_attr(l, A_saturate) }, { A_NONE, NULL } });
}

bool lg_selu(Lg *l, OpKind core)
{
	const Attr *alpha = lg_attr(l, A_alpha), *gamma = lg_attr(l, A_gamma);
	if (l->opset < 6 && !alpha)
		alpha = lg_float(l, 1.6732);
	if (l->opset < 6 && !gamma)
		gamma = lg_float(l, 1.0507);
	return lg_become_same(l, core, (RwAttr[]){ { A_alpha, alpha }, { A_gamma, gamma }, { A_NONE, NULL } });
}

/* `broadcast` of opset < 7 only allowed what is always allowed now. */
bool lg_gemm(Lg *l, OpKind core)
{
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) }, 3,
			(RwAttr[]){ { A_alpha, lg_attr(l, A_alpha) }, { A_beta, lg_attr(l, A_beta) },
			{ A_trans_a, lg_attr(l, A_transA) }, { A_trans_b, lg_attr(l, A_transB) }, { A_NONE, NULL } });
}

bool lg_swiglu(Lg *l, OpKind core)
{
	DType a = lg_dtype(lg_in(l, 0)), b = lg_dtype(lg_in(l, 1));
	if (a != b && a != DT_NONE && b != DT_NONE)
		return false;
	Value *gate = lg_new1(l, OP_swish, lg_in(l, 0), (RwAttr[]){ { A_alpha, lg_attr(l, A_alpha) }, { A_NONE, NULL } });
	return lg_become(l, core, (Value *[]){ gate, lg_in(l, 1) }, 2, NULL);
}

/* stash_type only matters for 16-bit floats; core counts in more precision than those have. */
bool lg_range(Lg *l, OpKind core)
{
	if (op_attr_int(l->op, A_stash_type, 1) != 1)
		return false;
	return lg_become_same(l, core, NULL);
}

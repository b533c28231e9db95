#include "legalise_int.h"

#include <string.h>

/* The axis became required with opset 4; before, it was 1. */
bool lg_concat(Lg *l, OpKind core)
{
	const Attr *axis = lg_attr(l, A_axis);
	if (!axis && l->opset >= 4)
		return false;
	if (l->op->noperands == 0)
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_axis, axis ? axis : lg_int(l, 1) }, { A_NONE, NULL } });
}

bool lg_reshape(Lg *l, OpKind core)
{
	const int64_t *v;
	if (op_attr(l->op, A_shape)) {
		size_t n = op_attr_ints(l->op, A_shape, &v);
		return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_const_ints(l, v, n) }, 2, NULL);
	}
	if (!lg_in(l, 1))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_allowzero, lg_attr(l, A_allowzero) }, { A_NONE, NULL } });
}

/* Axes: attribute before opset 13, operand since. An empty list among the attributes means none was given; what an empty
 * operand means, implementations disagree on: such an op stays as it is. */
bool lg_squeeze(Lg *l, OpKind core)
{
	const int64_t *v;
	size_t n;
	if (!lg_attr_or_operand(l, A_axes, 1, &v, &n) || (lg_in(l, 1) && n == 0))
		return false;
	return lg_become(l, core, (Value *[]){ lg_in(l, 0) }, 1,
			(RwAttr[]){ { A_axes, n ? lg_ints_attr(l, v, n) : NULL }, { A_NONE, NULL } });
}

bool lg_unsqueeze_op(Lg *l, OpKind core)
{
	const int64_t *v;
	size_t n;
	if (!lg_attr_or_operand(l, A_axes, 1, &v, &n) || (!op_attr(l->op, A_axes) && !lg_in(l, 1)))
		return false;
	return lg_become(l, core, (Value *[]){ lg_in(l, 0) }, 1,
			(RwAttr[]){ { A_axes, lg_ints_attr(l, v, n) }, { A_NONE, NULL } });
}

/* Opset 1: all attributes. Opset 10: operands; only the axes must be constant here. */
bool lg_slice(Lg *l, OpKind core)
{
	const int64_t *starts, *ends, *axes;
	size_t ns, ne, na;
	if (op_attr(l->op, A_starts) || op_attr(l->op, A_ends)) {
		ns = op_attr_ints(l->op, A_starts, &starts);
		ne = op_attr_ints(l->op, A_ends, &ends);
		if (ns != ne)
			return false;
		Value *first = lg_const_ints(l, starts, ns), *last = lg_const_ints(l, ends, ne);
		return lg_become(l, core, (Value *[]){ lg_in(l, 0), first, last }, 3,
				(RwAttr[]){ { A_axes, lg_attr(l, A_axes) }, { A_NONE, NULL } });
	}
	if (!lg_in(l, 1) || !lg_in(l, 2) || !lg_operand_ints(l, 3, &axes, &na))
		return false;
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_in(l, 1), lg_in(l, 2), lg_in(l, 4) }, 4,
			(RwAttr[]){ { A_axes, axes ? lg_ints_attr(l, axes, na) : NULL }, { A_NONE, NULL } });
}

/* Equal parts unless sizes are given. Before opset 18 they had to be equal; since, num_outputs names the number of
 * results, which the op has anyway. */
bool lg_split(Lg *l, OpKind core)
{
	const int64_t *sizes;
	Value *in[2] = { lg_in(l, 0), lg_in(l, 1) };
	if (op_attr(l->op, A_split)) {
		size_t n = op_attr_ints(l->op, A_split, &sizes);
		in[1] = lg_const_ints(l, sizes, n);
	}
	int64_t parts = op_attr_int(l->op, A_num_outputs, l->op->nresults);
	if (parts != l->op->nresults || parts < 1)
		return false;
	return lg_become(l, core, in, 2, (RwAttr[]){ { A_axis, lg_attr(l, A_axis) }, { A_NONE, NULL } });
}

/* Opset 1 and 2: attributes; 11: operands; 18: axes too. */
bool lg_pad(Lg *l, OpKind core)
{
	const int64_t *v, *axes;
	size_t n, na;
	Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) };
	if (l->opset < 11) {
		AttrName name = op_attr(l->op, A_pads) ? A_pads : A_paddings;
		if (!op_attr(l->op, name))
			return false;
		n = op_attr_ints(l->op, name, &v);
		in[1] = lg_const_ints(l, v, n);
		double value = op_attr_float(l->op, A_value, 0);
		if (value != 0 && lg_dtype(in[0]) == DT_NONE)
			return false;
		in[2] = value != 0 ? lg_const_float(l, lg_dtype(in[0]), value) : NULL;
	}
	if (!in[1] || !lg_operand_ints(l, 3, &axes, &na))
		return false;
	return lg_become(l, core, in, 3, (RwAttr[]){ { A_mode, lg_attr(l, A_mode) },
			{ A_axes, axes ? lg_ints_attr(l, axes, na) : NULL }, { A_NONE, NULL } });
}

/* Opset 1 repeated one axis: operands input, tiles, axis. */
bool lg_tile(Lg *l, OpKind core)
{
	if (l->opset >= 6)
		return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_in(l, 1) }, 2, NULL);
	int64_t repeats[MAX_RANK], times, axis;
	int rank = lg_rank(lg_in(l, 0)), at;
	if (rank < 1 || rank > MAX_RANK || !lg_in(l, 2))
		return false;
	double times_float, axis_float; /* both were float tensors */
	if (!constant_float(lg_in(l, 1), &times_float) || !constant_float(lg_in(l, 2), &axis_float))
		return false;
	if (!(times_float >= 0 && times_float < 9e15 && axis_float >= -MAX_RANK && axis_float < MAX_RANK))
		return false;
	times = (int64_t)times_float;
	axis = (int64_t)axis_float;
	if (!axis_norm(axis, rank, &at))
		return false;
	for (int i = 0; i < rank; i++)
		repeats[i] = i == at ? times : 1;
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_const_ints(l, repeats, (size_t)rank) }, 2, NULL);
}

bool lg_topk(Lg *l, OpKind core)
{
	Value *k = lg_in(l, 1);
	if (!k) {
		const Attr *attr = lg_attr(l, A_k);
		if (!attr)
			return false;
		k = lg_const_ints(l, &attr->u.i, 1);
	}
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), k }, 2, (RwAttr[]){ { A_axis, lg_attr(l, A_axis) },
			{ A_largest, lg_attr(l, A_largest) }, { A_sorted, lg_attr(l, A_sorted) }, { A_NONE, NULL } });
}

bool lg_eye_like(Lg *l, OpKind core)
{
	DType d;
	if (!lg_type_attr(l, A_dtype, DT_NONE, &d))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_dtype, d != DT_NONE ? attr_dtype(l->c, d) : NULL },
			{ A_k, lg_attr(l, A_k) }, { A_NONE, NULL } });
}

static const char *const reductions[] = { "none", "add", "mul", "max", "min" };

bool lg_scatter(Lg *l, OpKind core)
{
	const Str *mode = op_attr_str(l->op, A_reduction);
	bool known = !mode;
	for (size_t i = 0; mode && i < ARRAY_LEN(reductions); i++)
		known |= !strcmp(mode->s, reductions[i]);
	return known && lg_copy(l, core);
}

/* CRD order (opset 28) has no core form. */
bool lg_space_to_depth(Lg *l, OpKind core)
{
	if (op_attr(l->op, A_mode) && !op_attr_is(l->op, A_mode, "DCR"))
		return false;
	return lg_become_same(l, core, (RwAttr[]){ { A_blocksize, lg_attr(l, A_blocksize) }, { A_NONE, NULL } });
}

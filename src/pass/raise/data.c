#include "raise_int.h"

#include <string.h>

/* Ops whose `axis` attribute may be negative since opset 11; everything else is taken over. */
bool rz_axis_op(Lg *l, OpKind onnx)
{
	const Attr *axis = lg_attr(l, A_axis);
	int64_t v;
	if (axis && axis->kind == ATTR_INT) {
		if (!rz_axis(l, axis->u.i, lg_rank(lg_in(l, 0)), 11, &v))
			return false;
		op_set_attr(l->op, l->c->attr_names[A_axis], lg_int(l, v));
	}
	return lg_copy(l, onnx);
}


/* Whether a reshape may be read with or without allowzero: no dim of the target is 0. */
static bool has_no_zero(Lg *l, Value *shape)
{
	size_t n;
	const int64_t *v = constant_ints(l->a, shape, 0, &n);
	for (size_t i = 0; v && i < n; i++)
		if (v[i] == 0)
			return false;
	return v != NULL;
}

/* Softmax over a flattened operand, as it was before opset 13 and as legalise takes it apart: reshape(softmax(flatten(x)))
 * back to the shape of x. */
static bool is_flat_softmax(Lg *l, Op **softmax)
{
	static const OpKind kinds[][2] = { { OP_softmax, ONNX_Softmax }, { OP_log_softmax, ONNX_LogSoftmax },
		{ OP_hardmax, ONNX_Hardmax } };
	Value *v = lg_in(l, 0), *shape = lg_in(l, 1);
	Op *s = v->def;
	for (size_t i = 0; s && i < ARRAY_LEN(kinds); i++)
		if (op_is(s, kinds[i][0]) || op_is(s, kinds[i][1])) {
			Op *flat = op_operand(s, 0)->def;
			bool is_flatten = op_is(flat, OP_flatten) || op_is(flat, ONNX_Flatten);
			if (!is_flatten || !value_has_one_use(v) || !value_has_one_use(flat->results[0]))
				return false;
			Value *x = op_operand(flat, 0);
			bool of_x = (op_is(shape->def, OP_shape) || op_is(shape->def, ONNX_Shape)) && shape->def->nattrs == 0 &&
					op_operand(shape->def, 0) == x;
			size_t n;
			const int64_t *dims = of_x ? NULL : constant_ints(l->a, shape, MAX_RANK, &n);
			if (dims && type_has_rank(x->type) && n == (size_t)x->type->rank) {
				of_x = true;
				for (size_t k = 0; k < n; k++)
					of_x &= sym_is(x->type->dims[k], dims[k]);
			}
			*softmax = s;
			return of_x;
		}
	return false;
}

static bool raise_flat_softmax(Lg *l, Op *s)
{
	Op *flat = op_operand(s, 0)->def;
	OpKind k = op_is(s, OP_log_softmax) || op_is(s, ONNX_LogSoftmax) ? ONNX_LogSoftmax :
			op_is(s, OP_hardmax) || op_is(s, ONNX_Hardmax) ? ONNX_Hardmax : ONNX_Softmax;
	Value *x = op_operand(flat, 0);
	int64_t axis;
	if (!rz_axis(l, op_attr_int(flat, A_axis, 1), lg_rank(x), 11, &axis))
		return false;
	lg_become(l, k, &x, 1, (RwAttr[]){ { A_axis, lg_int(l, axis) }, { A_NONE, NULL } });
	op_erase(s);
	op_erase(flat);
	return true;
}

/* The shape was an attribute before opset 5; allowzero came with 14. */
bool rz_reshape(Lg *l, OpKind onnx)
{
	Value *shape = lg_in(l, 1);
	Op *softmax;
	size_t n;
	bool zero = op_attr_int(l->op, A_allowzero, 0) != 0;
	if (l->opset < 13 && is_flat_softmax(l, &softmax))
		return raise_flat_softmax(l, softmax);
	if (zero && l->opset < 14 && !has_no_zero(l, shape))
		return rz_no(l, "that opset lacks attribute 'allowzero' and cannot reshape to sizes of 0");
	if (l->opset >= 5)
		return lg_become_same(l, onnx,
				(RwAttr[]){ { A_allowzero, l->opset >= 14 ? lg_attr(l, A_allowzero) : NULL }, { A_NONE, NULL } });
	const int64_t *v = constant_ints(l->a, shape, 0, &n);
	if (!v)
		return rz_no(l, "input 'shape' is an attribute in that opset and must be constant");
	return lg_become(l, onnx, (Value *[]){ lg_in(l, 0) }, 1,
			(RwAttr[]){ { A_shape, lg_ints_attr(l, v, n) }, { A_NONE, NULL } });
}

/* Squeeze and Unsqueeze: axes are an operand since opset 13. */
bool rz_squeeze(Lg *l, OpKind onnx)
{
	const int64_t *axes;
	const Attr *attr = NULL;
	size_t n = op_attr_ints(l->op, A_axes, &axes);
	Value *x = lg_in(l, 0);
	if (onnx == ONNX_Squeeze && !op_attr(l->op, A_axes))
		return lg_become_same(l, onnx, NULL);
	if (l->opset >= 13)
		return lg_become(l, onnx, (Value *[]){ x, rz_ints(l, axes, n) }, 2, NULL);
	int rank = lg_rank(x);
	if (rank >= 0 && onnx == ONNX_Unsqueeze)
		rank += (int)n;
	if (!rz_axes_attr(l, axes, n, rank, &attr))
		return false;
	return lg_become_same(l, onnx, (RwAttr[]){ { A_axes, attr }, { A_NONE, NULL } });
}

/* Attributes before opset 10. */
static bool old_slice(Lg *l, OpKind onnx)
{
	size_t ns, ne, nsteps;
	const int64_t *axes;
	const int64_t *starts = constant_ints(l->a, lg_in(l, 1), 0, &ns), *ends = constant_ints(l->a, lg_in(l, 2), 0, &ne);
	if (!starts || !ends || ns != ne)
		return rz_no(l, "inputs 'starts' and 'ends' are attributes in that opset and must be constant");
	if (lg_in(l, 3)) {
		const int64_t *steps = constant_ints(l->a, lg_in(l, 3), 0, &nsteps);
		for (size_t i = 0; !steps || i < nsteps; i++)
			if (!steps || steps[i] != 1)
				return rz_no(l, "that opset lacks input 'steps'");
	}
	const Attr *axes_attr = NULL;
	size_t n = op_attr_ints(l->op, A_axes, &axes);
	if (n && !rz_axes_attr(l, axes, n, lg_rank(lg_in(l, 0)), &axes_attr))
		return false;
	return lg_become(l, onnx, (Value *[]){ lg_in(l, 0) }, 1, (RwAttr[]){ { A_starts, lg_ints_attr(l, starts, ns) },
			{ A_ends, lg_ints_attr(l, ends, ne) }, { A_axes, axes_attr }, { A_NONE, NULL } });
}

/* All index operands are of one integer type. */
bool rz_slice(Lg *l, OpKind onnx)
{
	const int64_t *axes;
	Value *in[5] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2), NULL, lg_in(l, 3) };
	if (l->opset < 10)
		return old_slice(l, onnx);
	DType d = lg_dtype(in[1]);
	if (d != DT_I32)
		d = DT_I64;
	if (op_attr(l->op, A_axes)) {
		int64_t n = (int64_t)op_attr_ints(l->op, A_axes, &axes);
		in[3] = rz_ints_of(l, d, 1, &n, axes);
	}
	return lg_become(l, onnx, in, 5, NULL);
}

/* Sizes that core means when none are given: equal parts, the last smaller. NULL: the axis is not known, or the parts are
 * equal anyway. */
static Value *unequal_sizes(Lg *l, int64_t axis)
{
	Value *x = lg_in(l, 0);
	int at;
	int64_t dim, n = l->op->nresults;
	if (n < 1 || !type_has_rank(x->type) || !axis_norm(axis, x->type->rank, &at) ||
			!sym_const(x->type->dims[at], &dim) || dim % n == 0)
		return NULL;
	int64_t part = dim / n + 1, *sizes = NEW_ARRAY(l->a, int64_t, n);
	for (int64_t i = 0; i < n; i++) {
		sizes[i] = dim > part ? part : dim;
		dim -= sizes[i];
	}
	return rz_ints(l, sizes, (size_t)n);
}

bool rz_split(Lg *l, OpKind onnx)
{
	Value *x = lg_in(l, 0), *sizes = lg_in(l, 1);
	int64_t axis;
	size_t n;
	const Attr *list = NULL, *axis_attr = lg_attr(l, A_axis);
	if (!rz_axis(l, op_attr_int(l->op, A_axis, 0), lg_rank(x), 11, &axis))
		return false;
	if (axis_attr || axis != 0)
		axis_attr = lg_int(l, axis);
	if (!sizes && l->opset < 18)
		sizes = unequal_sizes(l, axis);
	if (sizes && l->opset < 13) {
		const int64_t *v = constant_ints(l->a, sizes, 0, &n);
		if (!v)
			return rz_no(l, "input 'split' is an attribute in that opset and must be constant");
		list = lg_ints_attr(l, v, n);
		sizes = NULL;
	}
	const Attr *parts = l->opset >= 18 && !sizes ? lg_int(l, l->op->nresults) : NULL;
	return lg_become(l, onnx, (Value *[]){ x, sizes }, 2, (RwAttr[]){ { A_axis, axis_attr }, { A_split, list },
			{ A_num_outputs, parts }, { A_NONE, NULL } });
}

/* Pads for every axis in place of pads for some (opset < 18). */
static Value *full_pads(Lg *l)
{
	const int64_t *axes;
	size_t n, na = op_attr_ints(l->op, A_axes, &axes);
	const int64_t *v = constant_ints(l->a, lg_in(l, 1), 0, &n);
	int rank = lg_rank(lg_in(l, 0)), at;
	if (!v || rank < 0 || n != 2 * na)
		return NULL;
	int64_t *full = NEW_ARRAY(l->a, int64_t, 2 * (size_t)rank + 1);
	for (size_t i = 0; i < na; i++) {
		if (!axis_norm(axes[i], rank, &at))
			return NULL;
		full[at] = v[i];
		full[at + rank] = v[i + na];
	}
	return rz_ints(l, full, 2 * (size_t)rank);
}

static bool old_pad(Lg *l, OpKind onnx, Value *pads)
{
	size_t n;
	double value = 0;
	const int64_t *v = constant_ints(l->a, pads, 0, &n);
	if (!v || (lg_in(l, 2) && !constant_float(lg_in(l, 2), &value)))
		return rz_no(l, "inputs 'pads' and 'constant_value' are attributes in that opset and must be constant");
	const Attr *list = lg_ints_attr(l, v, n);
	return lg_become(l, onnx, (Value *[]){ lg_in(l, 0) }, 1, (RwAttr[]){ { A_mode, lg_attr(l, A_mode) },
			{ A_pads, l->opset >= 2 ? list : NULL }, { A_paddings, l->opset < 2 ? list : NULL },
			{ A_value, value != 0 ? lg_float(l, value) : NULL }, { A_NONE, NULL } });
}

bool rz_pad(Lg *l, OpKind onnx)
{
	const int64_t *axes;
	Value *in[4] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2), NULL };
	if (l->opset < 19 && op_attr_is(l->op, A_mode, "wrap"))
		return rz_no(l, "attribute 'mode' has a value that came later");
	if (op_attr(l->op, A_axes) && l->opset < 18) {
		in[1] = full_pads(l);
		if (!in[1])
			return rz_no(l, "that opset lacks input 'axes'; to pad all axes, 'pads' and the rank of the data must be known");
	} else if (op_attr(l->op, A_axes)) {
		size_t n = op_attr_ints(l->op, A_axes, &axes);
		in[3] = rz_ints(l, axes, n);
	}
	if (l->opset < 11)
		return old_pad(l, onnx, in[1]);
	return lg_become(l, onnx, in, 4, (RwAttr[]){ { A_mode, lg_attr(l, A_mode) }, { A_NONE, NULL } });
}

static Value *tile_once(Lg *l, Value *x, DType d, int64_t times, int64_t axis)
{
	Value *in[3] = { x, rz_float(l, d, (double)times), NULL };
	in[2] = rz_float(l, d, (double)axis);
	return lg_new(l, ONNX_Tile, in, 3, NULL);
}

/* Opset 1 repeats one axis a node; both numbers were float tensors. */
bool rz_tile(Lg *l, OpKind onnx)
{
	size_t n;
	if (l->opset >= 6)
		return lg_become_same(l, onnx, NULL);
	const int64_t *v = constant_ints(l->a, lg_in(l, 1), 0, &n);
	if (!v)
		return rz_no(l, "input 'repeats' must be constant in that opset");
	DType d = lg_dtype(lg_in(l, 0));
	if (!dtype_is_float(d))
		d = DT_F32;
	Value *x = lg_in(l, 0);
	for (size_t i = 0; i < n; i++)
		if (v[i] != 1)
			x = tile_once(l, x, d, v[i], (int64_t)i);
	Op *last = x->def;
	if (x != lg_in(l, 0)) { /* the last of them is the op itself */
		lg_become(l, onnx, (Value *[]){ op_operand(last, 0), op_operand(last, 1), op_operand(last, 2) }, 3, NULL);
		op_erase(last);
		return true;
	}
	return lg_become(l, ONNX_Identity, &x, 1, NULL);
}

bool rz_topk(Lg *l, OpKind onnx)
{
	int64_t k;
	const Attr *axis = lg_attr(l, A_axis);
	if (l->opset < 11 && !op_int(l->op, A_largest))
		return rz_no(l, "that opset lacks attribute 'largest' and finds the largest only");
	if (l->opset >= 10)
		return lg_become_same(l, onnx, (RwAttr[]){ { A_axis, axis },
				{ A_largest, l->opset >= 11 ? lg_attr(l, A_largest) : NULL },
				{ A_sorted, l->opset >= 11 ? lg_attr(l, A_sorted) : NULL }, { A_NONE, NULL } });
	if (!constant_int(lg_in(l, 1), &k))
		return rz_no(l, "input 'K' is an attribute in that opset and must be constant");
	return lg_become(l, onnx, (Value *[]){ lg_in(l, 0) }, 1, (RwAttr[]){ { A_axis, axis }, { A_k, lg_int(l, k) },
			{ A_NONE, NULL } });
}

/* Parts of a shape: opset 15. */
bool rz_shape(Lg *l, OpKind onnx)
{
	if (l->opset >= 15)
		return lg_copy(l, onnx);
	if (op_attr_int(l->op, A_start, 0) == 0 && !op_attr(l->op, A_end))
		return lg_become_same(l, onnx, NULL);
	int64_t start = op_attr_int(l->op, A_start, 0), end = op_attr_int(l->op, A_end, INT64_MAX);
	Value *whole = lg_new1(l, OP_shape, lg_in(l, 0), NULL);
	Value *in[3] = { whole, rz_ints(l, &start, 1), NULL };
	in[2] = rz_ints(l, &end, 1);
	return lg_become(l, OP_slice, in, 3, (RwAttr[]){ { A_axes, lg_ints_attr(l, (int64_t[]){ 0 }, 1) }, { A_NONE, NULL } });
}

bool rz_depth_to_space(Lg *l, OpKind onnx)
{
	if (l->opset < 11 && strcmp(op_text(l->op, A_mode), "DCR"))
		return rz_no(l, "that opset lacks attribute 'mode' and has the order DCR only");
	return lg_become_same(l, onnx, (RwAttr[]){ { A_blocksize, lg_attr(l, A_blocksize) },
			{ A_mode, l->opset >= 11 ? lg_attr(l, A_mode) : NULL }, { A_NONE, NULL } });
}

bool rz_gather_nd(Lg *l, OpKind onnx)
{
	if (l->opset < 12 && op_int(l->op, A_batch_dims))
		return rz_no(l, "that opset lacks attribute 'batch_dims'");
	return lg_become_same(l, onnx,
			(RwAttr[]){ { A_batch_dims, l->opset >= 12 ? lg_attr(l, A_batch_dims) : NULL }, { A_NONE, NULL } });
}

/* ScatterElements was called Scatter before opset 11; reductions came with 16 (add, mul) and 18 (min, max). */
bool rz_scatter(Lg *l, OpKind onnx)
{
	const char *mode = op_text(l->op, A_reduction);
	bool none = !strcmp(mode, "none"), sum = !strcmp(mode, "add") || !strcmp(mode, "mul");
	if (!none && l->opset < (sum ? 16 : 18))
		return rz_no(l, "attribute 'reduction' has a value that came later");
	if (l->opset < 16)
		op_set_attr(l->op, l->c->attr_names[A_reduction], NULL);
	if (onnx == ONNX_ScatterElements && l->opset < 11)
		onnx = ONNX_Scatter;
	return rz_axis_op(l, onnx);
}

/* Ops that move elements: nearly all are a change of the view. */
#include "plan/plan_int.h"

#include <string.h>

bool pl_settle(Planner *p, const Value *v, View view)
{
	if (p->places[v->id].set) {
		View place = p->places[v->id].view;
		pl_copy(p, &view, &place);
		view = place;
	}
	pl_set(p, v, view);
	return true;
}

bool plan_identity(Planner *p, const Op *op)
{
	return pl_settle(p, op->results[0], pl_view(p, op_operand(op, 0)));
}

/* Whether x, to become a result of shape s, has what becomes the channels (dim 1) inside of what becomes the pixels. */
static bool channels_innermost(const View *x, const Shape *s)
{
	int64_t lead = 1;
	if (s->rank < 3 || s->rank > 5 || s->dims[1] == 1)
		return false;
	for (int i = 0; i < x->rank; i++) {
		if (lead >= s->dims[0] * s->dims[1] && x->dims[i] != 1 && x->stride[i] < s->dims[1])
			return false;
		lead *= x->dims[i];
	}
	return true;
}

/* Elements in another order: copied to where the result is to lie, images with their channels innermost if they were. */
static bool reshape_copied(Planner *p, const Op *op, View x)
{
	const Value *v = op->results[0];
	const Shape *s = pl_shape(p, v);
	int order[VIEW_RANK];
	pl_order(p, v, order);
	if (channels_innermost(&x, s))
		for (int i = 1; i < s->rank; i++)
			order[i] = i + 1 < s->rank ? i + 1 : 1;
	View y = p->places[v->id].set ? p->places[v->id].view : shape_view(s), as_x;
	if (!p->places[v->id].set)
		view_order(&y, order);
	if (view_reshape(&y, x.rank, x.dims, &as_x)) {
		if (!p->places[v->id].set)
			as_x.buffer = y.buffer = pl_buffer(p, s->count * (int64_t)dtype_size(y.dtype));
		pl_copy(p, &x, &as_x);
		pl_set(p, v, y);
		return true;
	}
	x = pl_plain(p, x);
	return view_reshape(&x, s->rank, s->dims, &y) && pl_settle(p, v, y);
}

bool plan_reshape(Planner *p, const Op *op)
{
	const Shape *s = pl_shape(p, op->results[0]);
	View x = pl_view(p, op_operand(op, 0)), y;
	if (view_count(&x) != s->count)
		return false; /* the evaluator says what is wrong */
	if (!view_reshape(&x, s->rank, s->dims, &y))
		return reshape_copied(p, op, x);
	return pl_settle(p, op->results[0], y);
}

bool plan_transpose(Planner *p, const Op *op)
{
	View x = pl_view(p, op_operand(op, 0)), y = x;
	int perm[MAX_RANK];
	if (!op_perm(op, x.rank, perm))
		return false;
	for (int i = 0; i < x.rank; i++) {
		y.dims[i] = x.dims[perm[i]];
		y.stride[i] = x.stride[perm[i]];
	}
	return pl_settle(p, op->results[0], y);
}

bool plan_expand(Planner *p, const Op *op)
{
	const Shape *s = pl_shape(p, op->results[0]);
	View x = pl_view(p, op_operand(op, 0));
	return pl_settle(p, op->results[0], view_broadcast(&x, s->rank, s->dims));
}

/* One start and step of a slice, ONNX clamping; the size is that of the result. */
static void cut(View *v, int d, int64_t start, int64_t step, int64_t size)
{
	int64_t n = v->dims[d];
	if (start < 0)
		start += n;
	start = step > 0 ? (start < 0 ? 0 : start > n ? n : start) : start < 0 ? 0 : start > n - 1 ? n - 1 : start;
	v->offset += start * v->stride[d];
	v->stride[d] *= step;
	v->dims[d] = size;
}

bool plan_slice(Planner *p, const Op *op)
{
	int64_t nstarts, nsteps = 0;
	const int64_t *axes, *starts = pl_known_ints(p, op_operand(op, 1), &nstarts), *steps = NULL;
	size_t naxes = op_attr_ints(op, A_axes, &axes);
	const Shape *s = pl_shape(p, op->results[0]);
	View y = pl_view(p, op_operand(op, 0));
	if (op_operand(op, 3) && !(steps = pl_known_ints(p, op_operand(op, 3), &nsteps)))
		return false;
	if (!starts || (naxes && (int64_t)naxes != nstarts) || (steps && nsteps != nstarts) || nstarts > y.rank)
		return false;
	for (int64_t i = 0; i < nstarts; i++) {
		int d;
		if (!axis_norm(naxes ? axes[i] : i, y.rank, &d) || (steps && !steps[i]) || y.dims[d] == 0)
			return false;
		cut(&y, d, starts[i], steps ? steps[i] : 1, s->dims[d]);
	}
	return pl_settle(p, op->results[0], y);
}

bool plan_split(Planner *p, const Op *op)
{
	View x = pl_view(p, op_operand(op, 0));
	int axis;
	int64_t at = 0;
	if (!axis_norm(op_int(op, A_axis), x.rank, &axis))
		return false;
	for (size_t i = 0; i < op->nresults; i++) {
		const Shape *s = pl_shape(p, op->results[i]);
		if (!s)
			return false;
		View y = x;
		y.offset += at * x.stride[axis];
		y.dims[axis] = s->dims[axis];
		at += s->dims[axis];
		pl_settle(p, op->results[i], y);
	}
	return at == x.dims[axis];
}

/* Parts that were written in place are there already. */
bool plan_concat(Planner *p, const Op *op)
{
	const Value *v = op->results[0];
	int axis, order[VIEW_RANK];
	int64_t at = 0;
	if (!axis_norm(op_int(op, A_axis), pl_shape(p, v)->rank, &axis))
		return false;
	pl_order(p, v, order);
	View y = pl_result(p, v, order);
	for (size_t i = 0; i < op->noperands; i++) {
		View x = pl_view(p, op_operand(op, i)), part = y;
		part.offset += at * y.stride[axis];
		part.dims[axis] = x.dims[axis];
		if (view_count(&x) && !view_same(&x, &part))
			pl_copy(p, &x, &part);
		at += x.dims[axis];
	}
	pl_set(p, v, y);
	return at == y.dims[axis];
}

/* Elements at the beginning of each dim; all axes without a list. */
static bool pads_begin(const Op *op, const View *x, const int64_t *pads, int64_t npads, int64_t *begin)
{
	const int64_t *axes;
	size_t naxes = op_attr_ints(op, A_axes, &axes);
	memset(begin, 0, VIEW_RANK * sizeof(*begin));
	if (!pads || npads != 2 * (naxes ? (int64_t)naxes : x->rank))
		return false;
	for (int64_t i = 0; i < npads / 2; i++) {
		int d;
		if (!axis_norm(naxes ? axes[i] : i, x->rank, &d))
			return false;
		begin[d] = pads[i];
	}
	return true;
}

bool plan_pad(Planner *p, const Op *op)
{
	static const uint64_t ZERO[2] = { 0, 0 };
	const Value *v = op->results[0];
	int64_t npads, begin[VIEW_RANK];
	const int64_t *pads = pl_known_ints(p, op_operand(op, 1), &npads);
	View x = pl_view(p, op_operand(op, 0)), inner, border;
	int order[VIEW_RANK];
	if (!pads_begin(op, &x, pads, npads, begin))
		return false;
	if (strcmp(op_text(op, A_mode), "constant") != 0)
		return plan_border(p, op, &x, begin);
	pl_order(p, v, order);
	View y = pl_result(p, v, order);
	inner = y;
	for (int d = 0; d < x.rank; d++) { /* negative pads cut x */
		int64_t from = begin[d] < 0 ? -begin[d] : 0, to = begin[d] < 0 ? 0 : begin[d], n = x.dims[d] - from;
		n = n < y.dims[d] - to ? n : y.dims[d] - to;
		x.offset += from * x.stride[d];
		inner.offset += to * y.stride[d];
		x.dims[d] = inner.dims[d] = n < 0 ? 0 : n;
	}
	if (op_operand(op, 2)) {
		View value = pl_view(p, op_operand(op, 2));
		if (view_count(&value) != 1)
			return false;
		border = value;
		border.rank = 0;
	} else {
		border = view_dense(y.dtype, 0, NULL);
		border.buffer = pl_const_buffer(p, y.dtype, ZERO, (int64_t)dtype_size(y.dtype));
	}
	border = view_broadcast(&border, y.rank, y.dims);
	pl_copy(p, &border, &y);
	if (view_count(&x))
		pl_copy(p, &x, &inner);
	pl_set(p, v, y);
	return true;
}

/* Rows are copied as bytes: a table of the model is read where its file has it, at any address. */
static View gather_table(Planner *p, const Value *v)
{
	const Attr *a = value_constant(v);
	const void *data = a && !p->views[v->id] && !a->u.tensor.blob->splat ? pl_elements(p, v) : NULL;
	if (!data)
		return pl_plain(p, pl_view(p, v));
	View x = shape_view(pl_shape(p, v));
	x.buffer = pl_const_buffer(p, x.dtype, data, view_count(&x) * (int64_t)dtype_size(x.dtype));
	return x;
}

/* An index that is known is a slice; else whole rows are copied by index. */
bool plan_gather(Planner *p, const Op *op)
{
	const Value *v = op->results[0], *iv = op_operand(op, 1);
	const Shape *xs = pl_shape(p, op_operand(op, 0));
	int axis;
	int64_t n;
	const int64_t *known = pl_known_ints(p, iv, &n);
	if (!axis_norm(op_int(op, A_axis), xs->rank, &axis))
		return false;
	if (known && n == 1 && known[0] >= -xs->dims[axis] && known[0] < xs->dims[axis]) {
		const Shape *s = pl_shape(p, v);
		View x = pl_view(p, op_operand(op, 0)), y = x, shaped;
		y.offset += (known[0] < 0 ? known[0] + x.dims[axis] : known[0]) * x.stride[axis];
		y.dims[axis] = 1;
		if (view_reshape(&y, s->rank, s->dims, &shaped))
			return pl_settle(p, v, shaped);
	}
	if (pl_shape(p, iv)->dtype != DT_I64 && pl_shape(p, iv)->dtype != DT_I32)
		return false;
	View x = gather_table(p, op_operand(op, 0)), index = pl_from_start(p, iv), y = shape_view(pl_shape(p, v));
	GatherParam *g = NEW(p->arena, GatherParam);
	int64_t inner = (int64_t)dtype_size(x.dtype), outer = 1;
	for (int i = 0; i < x.rank; i++) {
		if (i < axis)
			outer *= x.dims[i];
		if (i > axis)
			inner *= x.dims[i];
	}
	*g = (GatherParam){ .outer = outer, .n = view_count(&index), .rows = x.dims[axis], .inner = inner,
		.x_outer = x.dims[axis] * inner, .y_outer = view_count(&index) * inner, .index64 = index.dtype == DT_I64 };
	if (x.offset)
		return false;
	y.buffer = pl_buffer(p, view_count(&y) * (int64_t)dtype_size(y.dtype));
	pl_step(p, "gather", p->prog->kernels->gather, g, NULL);
	pl_ptr(p, y.buffer);
	pl_ptr(p, x.buffer);
	pl_ptr(p, index.buffer);
	pl_ptr(p, pl_fault(p, op));
	pl_work(p, 0, 2.0 * (double)view_count(&y) * (double)dtype_size(y.dtype));
	return pl_settle(p, v, y);
}

/* depth_to_space and space_to_depth as a change of view of rank 6. */
bool plan_depth_space(Planner *p, const Op *op)
{
	bool to_space = op_is(op, OP_depth_to_space), crd = to_space && !strcmp(op_text(op, A_mode), "CRD");
	View x = pl_view(p, op_operand(op, 0)), six, y;
	int64_t b = op_int(op, A_blocksize);
	if (x.rank != 4 || b < 1)
		return false;
	int64_t n = x.dims[0], c = x.dims[1], h = x.dims[2], w = x.dims[3];
	int64_t split_crd[] = { n, c / (b * b), b, b, h, w }, split_dcr[] = { n, b, b, c / (b * b), h, w };
	int64_t split_space[] = { n, c, h / b, b, w / b, b };
	static const int CRD[] = { 0, 1, 4, 2, 5, 3 }, DCR[] = { 0, 3, 4, 1, 5, 2 }, DEPTH[] = { 0, 3, 5, 1, 2, 4 };
	const int *perm = !to_space ? DEPTH : crd ? CRD : DCR;
	if (!view_reshape(&x, 6, !to_space ? split_space : crd ? split_crd : split_dcr, &six))
		return false;
	View moved = six;
	for (int i = 0; i < 6; i++) {
		moved.dims[i] = six.dims[perm[i]];
		moved.stride[i] = six.stride[perm[i]];
	}
	moved = pl_plain(p, moved);
	const Shape *s = pl_shape(p, op->results[0]);
	return view_reshape(&moved, s->rank, s->dims, &y) && pl_settle(p, op->results[0], y);
}

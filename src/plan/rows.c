/* Reductions, pools, softmax and normalisation. */
#include "plan/plan_int.h"

#include <string.h>

/* ---- reductions ---- */

static bool emit_reduce(Planner *p, const Op *op, Combine combine, const bool *reduced, bool mean)
{
	const Value *v = op->results[0];
	View x = pl_view(p, op_operand(op, 0)), out;
	ReduceParam *r = NEW(p->arena, ReduceParam);
	int order[VIEW_RANK], out_order[VIEW_RANK];
	int64_t kept_dims[VIEW_RANK], count = 1;
	if (x.dtype != DT_F32 || pl_shape(p, v)->dtype != DT_F32 || view_count(&x) == 0)
		return false;
	pl_order(p, v, out_order);
	View y = pl_result(p, v, out_order);
	/* y with a dim of size 1 for each that was reduced */
	for (int i = 0; i < x.rank; i++)
		kept_dims[i] = reduced[i] ? 1 : x.dims[i];
	if (!view_reshape(&y, x.rank, kept_dims, &out))
		return false;
	*r = (ReduceParam){ .combine = combine, .x_offset = x.offset, .y_offset = y.offset };
	view_memory_order(&x, order);
	for (int i = 0; i < x.rank; i++) {
		int d = order[i];
		if (x.dims[d] == 1)
			continue;
		if ((reduced[d] ? r->nreduced : r->nkept) == REDUCE_RANK)
			return false;
		if (reduced[d]) {
			count *= x.dims[d];
			r->reduced[r->nreduced] = x.dims[d];
			r->x_reduced[r->nreduced++] = x.stride[d];
		} else {
			r->kept[r->nkept] = x.dims[d];
			r->x_kept[r->nkept] = x.stride[d];
			r->y_kept[r->nkept++] = out.stride[d];
		}
	}
	r->scale = mean ? 1.0f / (float)count : 1.0f;
	pl_step(p, "reduce", p->prog->kernels->reduce, r, op->def->name->s);
	pl_ptr(p, y.buffer);
	pl_ptr(p, x.buffer);
	pl_work(p, (double)view_count(&x), 4.0 * (double)view_count(&x));
	pl_set(p, v, y);
	return true;
}

/* One instruction over a result that lies there already: f(y), or f(y, a, b) with a and b one element a channel (dim 1). */
static bool finish(Planner *p, const Value *v, TileOp f, const View *a, const View *b)
{
	View y = pl_view(p, v);
	TileProgram *t = NEW(p->arena, TileProgram);
	const View *operands[3] = { &y, a, b };
	int n = a ? 3 : 1, order[VIEW_RANK];
	*t = (TileProgram){ .rank = y.rank ? y.rank : 1, .cost = 0.5 };
	if (t->rank > TILE_RANK)
		return false;
	view_memory_order(&y, order);
	for (int i = 0; i < t->rank; i++)
		t->dims[i] = y.rank ? y.dims[order[i]] : 1;
	for (int k = 0; k < n; k++) {
		TileOperand *o = &t->operands[k];
		*o = (TileOperand){ .ptr = k, .dtype = DT_F32, .offset = operands[k]->offset };
		for (int i = 0; i < y.rank; i++)
			o->stride[i] = k == 0 ? y.stride[order[i]] : order[i] == 1 ? operands[k]->stride[0] : 0;
		t->code[t->ncode++] = (TileInstr){ .op = TILE_LOAD, .dtype = DT_F32, .dst = (uint8_t)k, .operand = (uint16_t)k };
	}
	t->noperands = n;
	t->code[t->ncode++] = (TileInstr){ .op = (uint8_t)f, .dtype = DT_F32, .dst = 3, .a = 0, .b = 1, .c = 2, .operand = 1 };
	t->code[t->ncode++] = (TileInstr){ .op = TILE_STORE, .dtype = DT_F32, .a = 3, .operand = 0 };
	program_merge(t);
	pl_step(p, "tile", p->prog->kernels->tile, t, a ? "scale shift" : "sqrt");
	for (int k = 0; k < n; k++)
		pl_ptr(p, operands[k]->buffer);
	pl_work(p, (double)view_count(&y), 8.0 * (double)view_count(&y));
	return true;
}

bool plan_reduce(Planner *p, const Op *op)
{
	static const struct { const char *name; Combine combine; bool mean; } KINDS[] = {
		{ "sum", COMBINE_SUM, false }, { "mean", COMBINE_SUM, true }, { "max", COMBINE_MAX, false },
		{ "min", COMBINE_MIN, false }, { "prod", COMBINE_PROD, false }, { "l1", COMBINE_L1, false },
		{ "sum_square", COMBINE_SUM_SQUARE, false },
	};
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	int rank = pl_shape(p, op_operand(op, 0))->rank;
	bool reduced[VIEW_RANK] = { false };
	for (int i = 0; i < rank && !op_attr(op, A_axes); i++)
		reduced[i] = true;
	for (size_t i = 0; i < n; i++) {
		int d;
		if (!axis_norm(axes[i], rank, &d))
			return false;
		reduced[d] = true;
	}
	if (!strcmp(op_text(op, A_kind), "l2"))
		return emit_reduce(p, op, COMBINE_SUM_SQUARE, reduced, false) && finish(p, op->results[0], TILE_SQRT, NULL, NULL);
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (!strcmp(op_text(op, A_kind), KINDS[i].name))
			return emit_reduce(p, op, KINDS[i].combine, reduced, KINDS[i].mean);
	return false;
}

bool plan_global_pool(Planner *p, const Op *op)
{
	bool reduced[VIEW_RANK] = { false }, average = op_is(op, OP_global_avg_pool);
	for (int i = 2; i < pl_shape(p, op_operand(op, 0))->rank; i++)
		reduced[i] = true;
	return emit_reduce(p, op, average ? COMBINE_SUM : COMBINE_MAX, reduced, average);
}

/* ---- pools ---- */

bool plan_pool(Planner *p, const Op *op)
{
	const Value *v = op->results[0];
	View x = pl_view(p, op_operand(op, 0));
	const Shape *ys = pl_shape(p, v);
	const int64_t *kernel, *list;
	size_t n = (size_t)x.rank - 2;
	int order[VIEW_RANK];
	PoolParam *c = NEW(p->arena, PoolParam);
	bool bytes = op_is(op, OP_max_pool) && (x.dtype == DT_U8 || x.dtype == DT_I8);
	if ((x.dtype != DT_F32 && !bytes) || x.rank < 3 || x.rank > 5 || op_attr_str(op, A_auto_pad) || ys->rank != x.rank ||
			op_attr_ints(op, A_kernel, &kernel) != n || (op->nresults > 1 && value_has_uses(op->results[1])))
		return false;
	*c = (PoolParam){ .batch = x.dims[0], .channels = x.dims[1], .average = op_is(op, OP_avg_pool) };
	c->count_padding = c->average && op_int(op, A_count_include_pad);
	pl_spatial(x.dims + 2, n, 1, c->in);
	pl_spatial(ys->dims + 2, n, 1, c->out);
	pl_spatial(kernel, n, 1, c->kernel);
	op_attr_ints(op, A_strides, &list);
	pl_spatial(list, n, 1, c->stride);
	op_attr_ints(op, A_dilations, &list);
	pl_spatial(list, n, 1, c->dilation);
	size_t npads = op_attr_ints(op, A_pads, &list);
	pl_spatial(npads ? list : NULL, n, 0, c->pad);
	pl_spatial(npads ? list + n : NULL, n, 0, c->pad_end);
	order[0] = 0;
	for (int i = 1; i < x.rank; i++)
		order[i] = i + 1 < x.rank ? i + 1 : 1;
	View y = pl_result(p, v, order), place = y;
	if (y.dims[1] != 1 && y.stride[1] != 1)
		return false;
	x = pl_channels_last(p, x);
	if (bytes) { /* as floats, which hold them exactly */
		x = pl_converted(p, &x, DT_F32);
		y = shape_view(ys);
		y.dtype = DT_F32;
		view_order(&y, order);
		y.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(float));
	}
	pl_spatial_strides(&x, c->x_stride);
	pl_spatial_strides(&y, c->y_stride);
	c->x_offset = x.offset;
	c->y_offset = y.offset;
	pl_step(p, c->average ? "avg-pool" : "max-pool", p->prog->kernels->pool, c, NULL);
	pl_ptr(p, y.buffer);
	pl_ptr(p, x.buffer);
	pl_work(p, (double)view_count(&y) * (double)(c->kernel[0] * c->kernel[1] * c->kernel[2]),
		4.0 * (double)(view_count(&x) + view_count(&y)));
	if (bytes)
		pl_convert(p, &y, &place);
	pl_set(p, v, place);
	return true;
}

/* ---- rows ---- */

static bool row_kind(const Op *op, RowKind *out)
{
	switch (op_kind(op)) {
	case OP_softmax: *out = ROW_SOFTMAX; return true;
	case OP_log_softmax: *out = ROW_LOG_SOFTMAX; return true;
	case OP_layer_norm: *out = ROW_LAYER_NORM; return true;
	case OP_rms_norm: *out = ROW_RMS_NORM; return true;
	default: return false;
	}
}

/* Outer dims of x and y together: at most four after merging. */
static bool outer_dims(RowParam *r, const View *x, const View *y, int n, const int *dims)
{
	int k = 0;
	int64_t size[VIEW_RANK], sx[VIEW_RANK], sy[VIEW_RANK];
	for (int i = 0; i < n; i++) {
		int d = dims[i];
		if (x->dims[d] == 1)
			continue;
		if (k && sx[k - 1] == x->stride[d] * x->dims[d] && sy[k - 1] == y->stride[d] * x->dims[d]) {
			size[k - 1] *= x->dims[d];
			sx[k - 1] = x->stride[d];
			sy[k - 1] = y->stride[d];
			continue;
		}
		size[k] = x->dims[d];
		sx[k] = x->stride[d];
		sy[k++] = y->stride[d];
	}
	if (k > 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int from = i - (4 - k);
		r->outer[i] = from < 0 ? 1 : size[from];
		r->x_outer[i] = from < 0 ? 0 : sx[from];
		r->y_outer[i] = from < 0 ? 0 : sy[from];
	}
	return true;
}

static bool is_row_vector(Planner *p, const Value *v, int64_t n)
{
	const Shape *s = pl_shape(p, v);
	return s && pl_shape(p, v)->dtype == DT_F32 && s->count == n;
}

/* Normalised dims (from the axis on) as one line. */
static bool norm_line(View *v, int axis)
{
	int64_t dims[VIEW_RANK], n = 1;
	View w;
	for (int i = 0; i < axis; i++)
		dims[i] = v->dims[i];
	for (int i = axis; i < v->rank; i++)
		n *= v->dims[i];
	dims[axis] = n;
	if (!view_reshape(v, axis + 1, dims, &w))
		return false;
	*v = w;
	return true;
}

bool plan_row(Planner *p, const Op *op)
{
	const Value *v = op->results[0], *scale = NULL, *bias = NULL;
	RowParam *r = NEW(p->arena, RowParam);
	View x = pl_view(p, op_operand(op, 0));
	int axis, order[VIEW_RANK], dims[VIEW_RANK], n = 0;
	RowKind kind;
	if (x.dtype != DT_F32 || !row_kind(op, &kind) || !axis_norm(op_int(op, A_axis), x.rank, &axis))
		return false;
	for (size_t i = 1; i < op->nresults; i++)
		if (value_has_uses(op->results[i]))
			return false;
	bool norm = kind == ROW_LAYER_NORM || kind == ROW_RMS_NORM;
	if (norm) {
		scale = op_operand(op, 1);
		bias = kind == ROW_LAYER_NORM ? op_operand(op, 2) : NULL;
	}
	view_memory_order(&x, order);
	View y = pl_result(p, v, order), yl = y;
	if (norm && axis + 1 < x.rank) {
		if (!norm_line(&x, axis)) {
			x = pl_plain(p, x);
			norm_line(&x, axis);
		}
		if (!norm_line(&yl, axis)) {
			if (p->places[v->id].set)
				return false;
			y = yl = pl_result(p, v, NULL);
			norm_line(&yl, axis);
		}
	}
	*r = (RowParam){ .kind = kind, .n = x.dims[axis], .x_stride = x.stride[axis], .y_stride = yl.stride[axis],
		.x_offset = x.offset, .y_offset = yl.offset, .epsilon = norm ? (float)op_float(op, A_epsilon) : 0 };
	if ((scale && !is_row_vector(p, scale, r->n)) || (bias && !is_row_vector(p, bias, r->n)))
		return false;
	view_memory_order(&x, order);
	for (int i = 0; i < x.rank; i++)
		if (order[i] != axis)
			dims[n++] = order[i];
	if (!outer_dims(r, &x, &yl, n, dims))
		return false;
	View s = { .buffer = -1 }, b = s;
	if (scale)
		s = pl_plain(p, pl_view(p, scale));
	if (bias)
		b = pl_plain(p, pl_view(p, bias));
	r->has_scale = scale != NULL;
	r->has_bias = bias != NULL;
	r->scale_offset = s.offset;
	r->bias_offset = b.offset;
	pl_step(p, strchr(op->def->name->s, '.') + 1, p->prog->kernels->row, r, arena_printf(p->arena, "%lld rows of %lld",
		(long long)(view_count(&x) / (r->n ? r->n : 1)), (long long)r->n));
	pl_ptr(p, y.buffer);
	pl_ptr(p, x.buffer);
	if (scale)
		pl_ptr(p, s.buffer);
	if (bias)
		pl_ptr(p, b.buffer);
	pl_work(p, 8.0 * (double)view_count(&x), 8.0 * (double)view_count(&x));
	pl_set(p, v, y);
	return true;
}

/* Instance and group norm: rows are the elements that share a mean, contiguous when the channel is not innermost; then one
 * multiply-add a channel. */
bool plan_group_norm(Planner *p, const Op *op)
{
	const Value *v = op->results[0], *scale = op_operand(op, 1), *bias = op_operand(op, 2);
	const Shape *xs = pl_shape(p, op_operand(op, 0));
	if (xs->dtype != DT_F32 || xs->rank < 3 || !is_row_vector(p, scale, xs->dims[1]) || !is_row_vector(p, bias,
		xs->dims[1]) ||
			!xs->count)
		return false;
	int64_t groups = op_is(op, OP_instance_norm) ? xs->dims[1] : op_int(op, A_num_groups);
	if (groups < 1 || xs->dims[1] % groups)
		return false;
	View x = pl_plain(p, pl_view(p, op_operand(op, 0))), y = shape_view(pl_shape(p, v));
	RowParam *r = NEW(p->arena, RowParam);
	int64_t n = xs->count / (xs->dims[0] * groups);
	y.buffer = pl_buffer(p, xs->count * (int64_t)sizeof(float));
	*r = (RowParam){ .kind = ROW_LAYER_NORM, .outer = { 1, 1, 1, xs->dims[0] * groups }, .n = n, .x_outer = { 0, 0, 0, n },
		.y_outer = { 0, 0, 0, n }, .x_stride = 1, .y_stride = 1, .x_offset = x.offset, .epsilon = (float)op_float(op,
			A_epsilon) };
	pl_step(p, strchr(op->def->name->s, '.') + 1, p->prog->kernels->row, r, NULL);
	pl_ptr(p, y.buffer);
	pl_ptr(p, x.buffer);
	pl_work(p, 8.0 * (double)xs->count, 8.0 * (double)xs->count);
	pl_set(p, v, y);
	View s = pl_plain(p, pl_view(p, scale)), b = pl_plain(p, pl_view(p, bias));
	return finish(p, v, TILE_MUL_ADD, &s, &b);
}

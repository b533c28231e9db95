/* Ops that repeat, mirror, select and look up elements: by views and copies where the places are known, by masks made while
 * planning, or by indices that the run brings. */
#include "plan/plan_int.h"

#include <string.h>

enum { MAX_MASK = 1 << 24 }; /* bytes of a mask that is made while planning */

static View dense_result(Planner *p, const Value *v)
{
	View y = shape_view(pl_shape(p, v));
	y.buffer = pl_buffer(p, view_count(&y) * (int64_t)dtype_size(y.dtype));
	return y;
}

/* ---- repeats and mirrors ---- */

bool plan_reverse(Planner *p, const Op *op)
{
	View y = pl_view(p, op_operand(op, 0));
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	bool seen[VIEW_RANK] = { false };
	for (size_t i = 0; i < n; i++) {
		int d;
		if (!axis_norm(axes[i], y.rank, &d) || seen[d])
			return false;
		seen[d] = true;
		y.offset += (y.dims[d] - 1) * y.stride[d];
		y.stride[d] = -y.stride[d];
	}
	return pl_settle(p, op->results[0], y);
}

/* A dim of size 1 that is repeated is a broadcast; each other is cut in two, repeats outside. */
bool plan_tile(Planner *p, const Op *op)
{
	const Value *v = op->results[0];
	int64_t n;
	const int64_t *repeats = pl_known_ints(p, op_operand(op, 1), &n);
	View x = pl_view(p, op_operand(op, 0)), from = { .buffer = x.buffer, .dtype = x.dtype, .offset = x.offset }, to, y;
	int order[VIEW_RANK], parts = 0;
	bool copies = false;
	if (!repeats || n != x.rank)
		return false;
	for (int d = 0; d < x.rank; d++) {
		if (x.dims[d] * repeats[d] != pl_shape(p, v)->dims[d])
			return false;
		copies |= repeats[d] > 1 && x.dims[d] > 1;
		parts += (repeats[d] > 1) + (x.dims[d] > 1);
	}
	if (!copies) {
		y = view_broadcast(&x, x.rank, pl_shape(p, v)->dims);
		return pl_settle(p, v, y);
	}
	if (parts > VIEW_RANK || parts > COPY_RANK)
		return false;
	pl_order(p, v, order);
	y = to = pl_result(p, v, order);
	to.rank = 0;
	for (int d = 0; d < x.rank; d++)
		for (int inside = 0; inside < 2; inside++) {
			int64_t size = inside ? x.dims[d] : repeats[d];
			if (size == 1)
				continue;
			from.dims[to.rank] = to.dims[to.rank] = size;
			from.stride[to.rank] = inside ? x.stride[d] : 0;
			to.stride[to.rank++] = inside ? y.stride[d] : y.stride[d] * x.dims[d];
		}
	from.rank = to.rank;
	pl_copy(p, &from, &to);
	pl_set(p, v, y);
	return true;
}

/* ---- borders ---- */

/* n positions of dim d from `at` on, in steps. */
static View part_of(const View *v, int d, int64_t at, int64_t n, int64_t step)
{
	View w = *v;
	w.offset += at * v->stride[d];
	w.dims[d] = n;
	w.stride[d] = v->stride[d] * step;
	return w;
}

/* Borders of dim d of y, whose inner part begins at `begin` and has n elements; `band`: y with other dims as far as they are
 * filled. */
static void fill_borders(Planner *p, const View *band, int d, int64_t begin, int64_t n, int64_t end, char mode)
{
	View to, from;
	if (begin) {
		to = part_of(band, d, 0, begin, 1);
		from = mode == 'e' ? part_of(band, d, begin, begin, 0) : mode == 'w' ? part_of(band, d, n, begin, 1)
			: part_of(band, d, 2 * begin, begin, -1);
		pl_copy(p, &from, &to);
	}
	if (end) {
		to = part_of(band, d, begin + n, end, 1);
		from = mode == 'e' ? part_of(band, d, begin + n - 1, end, 0) : mode == 'w' ? part_of(band, d, begin, end, 1)
			: part_of(band, d, begin + n - 2, end, -1);
		pl_copy(p, &from, &to);
	}
}

bool plan_border(Planner *p, const Op *op, const View *x, const int64_t *begin)
{
	const Value *v = op->results[0];
	const Shape *s = pl_shape(p, v);
	char mode = op_text(op, A_mode)[0];
	int order[VIEW_RANK];
	for (int d = 0; d < x->rank; d++) {
		int64_t end = s->dims[d] - begin[d] - x->dims[d], most = mode == 'r' ? x->dims[d] - 1 : mode == 'w' ? x->dims[d] : INT64_MAX;
		if (begin[d] < 0 || end < 0 || begin[d] > most || end > most || x->dims[d] == 0)
			return false;
	}
	pl_order(p, v, order);
	View y = pl_result(p, v, order), band = y;
	for (int d = 0; d < x->rank; d++)
		band = part_of(&band, d, begin[d], x->dims[d], 1);
	pl_copy(p, x, &band);
	for (int d = 0; d < x->rank; d++) {
		band.offset -= begin[d] * y.stride[d];
		band.dims[d] = s->dims[d];
		fill_borders(p, &band, d, begin[d], x->dims[d], s->dims[d] - begin[d] - x->dims[d], mode);
	}
	pl_set(p, v, y);
	return true;
}

/* ---- masks ---- */

static int put_load(TileProgram *t, int ptr, const View *v, int dst)
{
	TileOperand *o = &t->operands[t->noperands];
	*o = (TileOperand){ .ptr = ptr, .dtype = (uint8_t)v->dtype, .offset = v->offset };
	memcpy(o->stride, v->stride, (size_t)t->rank * sizeof(*o->stride));
	t->code[t->ncode++] = (TileInstr){ .op = TILE_LOAD, .dtype = (uint8_t)v->dtype, .dst = (uint8_t)dst,
		.operand = (uint16_t)t->noperands };
	return t->noperands++;
}

static void put_op(TileProgram *t, TileOp op, DType d, int dst, int a, int b, int c)
{
	t->code[t->ncode++] = (TileInstr){ .op = (uint8_t)op, .dtype = (uint8_t)d, .dst = (uint8_t)dst, .a = (uint8_t)a,
		.b = (uint8_t)b, .c = (uint8_t)c };
}

/* Stores `reg` to y, and makes the step; views: what pointers 1 .. are. */
static bool finish_program(Planner *p, const Op *op, TileProgram *t, const View *y, int reg, const View *views, int nviews)
{
	TileOperand *o = &t->operands[t->noperands];
	*o = (TileOperand){ .dtype = (uint8_t)y->dtype, .offset = y->offset };
	memcpy(o->stride, y->stride, (size_t)t->rank * sizeof(*o->stride));
	put_op(t, TILE_STORE, y->dtype, 0, reg, 0, 0);
	t->code[t->ncode - 1].operand = (uint16_t)t->noperands++;
	for (int i = 0; i < t->ncode; i++)
		if (!p->prog->kernels->tile_supports(&t->code[i]))
			return false;
	program_merge(t);
	pl_step(p, "tile", p->prog->kernels->tile, t, strchr(op->def->name->s, '.') + 1);
	pl_ptr(p, y->buffer);
	for (int i = 0; i < nviews; i++)
		pl_ptr(p, views[i].buffer);
	pl_work(p, (double)view_count(y), (double)view_count(y) * (double)dtype_size(y->dtype) * 2);
	pl_set(p, op->results[0], *y);
	return true;
}

static View element_view(Planner *p, DType d, const void *data)
{
	View w = { .dtype = d };
	w.buffer = pl_const_buffer(p, d, data, (int64_t)dtype_size(d));
	return w;
}

/* select(mask, x, 0), the mask being a constant of the last two dims. */
bool plan_trilu(Planner *p, const Op *op)
{
	static const uint64_t ZERO[2] = { 0, 0 };
	const Value *v = op->results[0];
	View views[3] = { pl_view(p, op_operand(op, 0)) };
	int64_t count = 1, zero = 0, rows, cols;
	const int64_t *k = op_operand(op, 1) ? pl_known_ints(p, op_operand(op, 1), &count) : &zero;
	int rank = views[0].rank, order[VIEW_RANK];
	if (!k || count != 1 || rank < 2 || rank > TILE_RANK)
		return false;
	rows = views[0].dims[rank - 2];
	cols = views[0].dims[rank - 1];
	if (rows * cols > MAX_MASK || k[0] < -MAX_MASK || k[0] > MAX_MASK)
		return false;
	uint8_t *mask = arena_alloc(p->arena, (size_t)(rows * cols) + 1);
	for (int64_t i = 0; i < rows * cols; i++) {
		int64_t past = i % cols - i / cols - k[0]; /* columns beyond the diagonal */
		mask[i] = op_int(op, A_upper) ? past >= 0 : past <= 0;
	}
	views[1] = (View){ .dtype = DT_BOOL };
	views[1].buffer = pl_const_buffer(p, DT_BOOL, mask, rows * cols);
	views[1].stride[rank - 1] = 1;
	views[1].stride[rank - 2] = cols;
	views[2] = element_view(p, views[0].dtype, ZERO);
	pl_order(p, v, order);
	View y = pl_result(p, v, order);
	TileProgram *t = NEW(p->arena, TileProgram);
	*t = (TileProgram){ .rank = rank, .cost = 0.3 };
	memcpy(t->dims, y.dims, (size_t)rank * sizeof(*t->dims));
	for (int i = 0; i < 3; i++)
		put_load(t, i + 1, &views[i], i);
	put_op(t, TILE_SELECT, y.dtype, 3, 1, 0, 2);
	return finish_program(p, op, t, &y, 3, views, 3);
}

/* select(index == i or index == i - depth, on, off), i being the place along the axis. */
bool plan_one_hot(Planner *p, const Op *op)
{
	const Value *v = op->results[0];
	const Shape *s = pl_shape(p, v);
	View index = pl_view(p, op_operand(op, 0)), values = pl_view(p, op_operand(op, 2)), views[5];
	int axis, order[VIEW_RANK];
	if ((index.dtype != DT_I64 && index.dtype != DT_I32) || s->rank > TILE_RANK || view_count(&values) != 2 ||
			!axis_norm(op_int(op, A_axis), s->rank, &axis) || index.rank + 1 != s->rank || s->dims[axis] > MAX_MASK)
		return false;
	int64_t depth = s->dims[axis], size = (int64_t)dtype_size(index.dtype);
	char *places[2];
	for (int side = 0; side < 2; side++) {
		places[side] = arena_alloc(p->arena, (size_t)(depth * size) + 8);
		for (int64_t i = 0; i < depth; i++) {
			int64_t place = i - side * depth;
			dtype_store_i64(index.dtype, places[side] + i * size, 1, &place);
		}
		views[1 + side] = (View){ .dtype = index.dtype };
		views[1 + side].buffer = pl_const_buffer(p, index.dtype, places[side], depth * size);
		views[1 + side].stride[axis] = 1;
	}
	views[0] = index;
	for (int d = s->rank - 1; d >= 0; d--)
		views[0].stride[d] = d == axis ? 0 : index.stride[d - (d > axis)];
	for (int i = 0; i < 2; i++) {
		views[3 + i] = (View){ .dtype = values.dtype, .buffer = values.buffer };
		views[3 + i].offset = values.offset + i * values.stride[values.rank - 1];
	}
	pl_order(p, v, order);
	View y = pl_result(p, v, order);
	TileProgram *t = NEW(p->arena, TileProgram);
	*t = (TileProgram){ .rank = s->rank, .cost = 0.5 };
	memcpy(t->dims, y.dims, (size_t)s->rank * sizeof(*t->dims));
	for (int i = 0; i < 5; i++)
		put_load(t, i + 1, &views[i], i);
	put_op(t, TILE_EQ, index.dtype, 5, 0, 1, 0);
	put_op(t, TILE_EQ, index.dtype, 6, 0, 2, 0);
	put_op(t, TILE_OR, DT_BOOL, 7, 5, 6, 0);
	put_op(t, TILE_SELECT, y.dtype, 8, 7, 4, 3);
	return finish_program(p, op, t, &y, 8, views, 5);
}

/* ---- along one axis ---- */

static bool lane_type(const Op *op, DType d)
{
	if (op_is(op, OP_cumsum) || op_is(op, OP_cumprod))
		return d == DT_F32 || d == DT_I32 || d == DT_I64;
	switch (d) {
	case DT_F32: case DT_F64: case DT_I64: case DT_U64: case DT_I32: case DT_U32: case DT_I16: case DT_U16: case DT_I8: case DT_U8:
	case DT_BOOL:
		return true;
	default:
		return false;
	}
}

static bool lane_axis(Planner *p, const Op *op, int rank, int *axis)
{
	bool running = op_is(op, OP_cumsum) || op_is(op, OP_cumprod);
	int64_t n = 1, at = running ? 0 : op_int(op, A_axis);
	const int64_t *known = running ? pl_known_ints(p, op_operand(op, 1), &n) : &at;
	return known && n == 1 && axis_norm(known[0], rank, axis);
}

bool plan_lanes(Planner *p, const Op *op)
{
	const Shape *s = pl_shape(p, op_operand(op, 0));
	LaneParam *l = NEW(p->arena, LaneParam);
	bool top = op_is(op, OP_topk), running = op_is(op, OP_cumsum) || op_is(op, OP_cumprod);
	int axis;
	if (!lane_type(op, s->dtype) || !lane_axis(p, op, s->rank, &axis) || s->count == 0)
		return false;
	*l = (LaneParam){ .kind = top ? LANE_TOP : op_is(op, OP_cumsum) ? LANE_SUM : op_is(op, OP_cumprod) ? LANE_PRODUCT : LANE_ARG,
		.dtype = (uint8_t)s->dtype, .outer = 1, .inner = 1, .size = s->dims[axis] };
	for (int d = 0; d < s->rank; d++)
		*(d < axis ? &l->outer : d > axis ? &l->inner : &l->k) *= s->dims[d];
	l->k = top ? pl_shape(p, op->results[0])->dims[axis] : 0;
	l->smallest = top ? !op_int(op, A_largest) : op_is(op, OP_argmin);
	l->last = l->kind == LANE_ARG && op_int(op, A_select_last_index);
	l->exclusive = running && op_int(op, A_exclusive);
	l->reverse = running && op_int(op, A_reverse);
	if (l->k > l->size)
		return false;
	View x = pl_from_start(p, op_operand(op, 0)), y = dense_result(p, op->results[0]), where = y;
	if (top && op->nresults > 1 && pl_shape(p, op->results[1]))
		where = dense_result(p, op->results[1]);
	else if (top)
		where.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(int64_t));
	pl_step(p, strchr(op->def->name->s, '.') + 1, p->prog->kernels->lanes, l, arena_printf(p->arena, "%lld of %lld",
		(long long)(l->outer * l->inner), (long long)l->size));
	pl_ptr(p, y.buffer);
	if (top)
		pl_ptr(p, where.buffer);
	pl_ptr(p, x.buffer);
	pl_work(p, 2 * (double)s->count, (double)s->count * (double)dtype_size(s->dtype));
	if (top && op->nresults > 1 && pl_shape(p, op->results[1]))
		pl_settle(p, op->results[1], where);
	return pl_settle(p, op->results[0], y);
}

/* ---- by index ---- */

static bool is_index(const Shape *s)
{
	return s->dtype == DT_I64 || s->dtype == DT_I32;
}

static void row_major(const Shape *s, int64_t *stride)
{
	int64_t step = 1;
	for (int d = s->rank - 1; d >= 0; d--) {
		stride[d] = step;
		step *= s->dims[d];
	}
}

/* y[i, j, ..] at x[i, index[i, j, ..], ..] */
static bool by_element(const Op *op, const Shape *x, const Shape *index, IndexParam *g)
{
	int axis;
	int64_t stride[INDEX_RANK];
	if (x->rank > INDEX_RANK || index->rank != x->rank || !axis_norm(op_int(op, A_axis), x->rank, &axis))
		return false;
	row_major(x, stride);
	g->rank = x->rank;
	g->depth = 1;
	g->rows = index->count;
	g->inner = 1;
	g->index_size[0] = x->dims[axis];
	g->index_stride[0] = stride[axis];
	for (int d = 0; d < x->rank; d++) {
		if (d != axis && index->dims[d] > x->dims[d])
			return false;
		g->at[d] = index->dims[d];
		g->stride[d] = d == axis ? 0 : stride[d];
	}
	return true;
}

/* Rows by tuples of indices, after `batch` dims that both have. */
static bool by_tuple(const Shape *x, const Shape *index, int64_t batch, IndexParam *g)
{
	int64_t stride[INDEX_RANK], depth = index->rank ? index->dims[index->rank - 1] : 0;
	if (x->rank > INDEX_RANK || index->rank < 1 || batch < 0 || batch >= index->rank || batch + depth > x->rank || depth < 1 ||
			index->rank - 1 > INDEX_RANK)
		return false;
	row_major(x, stride);
	g->depth = (int)depth;
	g->rows = index->count / depth;
	g->inner = 1;
	for (int d = 0; d < x->rank; d++)
		if (d >= batch + depth)
			g->inner *= x->dims[d];
		else if (d < batch && x->dims[d] != index->dims[d])
			return false;
	for (int d = 0; d < (int)depth; d++) {
		g->index_size[d] = x->dims[batch + d];
		g->index_stride[d] = stride[batch + d];
	}
	g->rank = index->rank - 1;
	for (int d = 0; d < g->rank; d++) {
		g->at[d] = index->dims[d];
		g->stride[d] = d < batch ? stride[d] : 0;
	}
	return true;
}

static bool combine_kind(const Op *op, DType d, Scatter *out)
{
	static const char *const NAMES[] = { "none", "add", "mul", "min", "max" };
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++)
		if (!strcmp(op_text(op, A_reduction), NAMES[i])) {
			*out = (Scatter)i;
			return i == SCATTER_SET || d == DT_F32 || d == DT_F64 || d == DT_I32 || d == DT_I64;
		}
	return false;
}

bool plan_index(Planner *p, const Op *op)
{
	const Shape *x = pl_shape(p, op_operand(op, 0)), *index = pl_shape(p, op_operand(op, 1));
	IndexParam *g = NEW(p->arena, IndexParam);
	bool scatter = op_is(op, OP_scatter_elements) || op_is(op, OP_scatter_nd);
	bool elements = op_is(op, OP_scatter_elements) || op_is(op, OP_gather_elements);
	*g = (IndexParam){ .scatter = scatter, .index64 = index->dtype == DT_I64, .dtype = (uint8_t)x->dtype,
		.elem = (int64_t)dtype_size(x->dtype) };
	if (!is_index(index) || x->count == 0 || index->count == 0 || (scatter && !combine_kind(op, x->dtype, &g->combine)) ||
			!(elements ? by_element(op, x, index, g) : by_tuple(x, index, scatter ? 0 : op_int(op, A_batch_dims), g)))
		return false;
	const Shape *u = pl_shape(p, op_operand(op, scatter ? 2 : 0));
	if (scatter && (u->dtype != x->dtype || u->count != g->rows * g->inner))
		return false;
	View from = pl_from_start(p, op_operand(op, scatter ? 2 : 0)), at = pl_from_start(p, op_operand(op, 1));
	View y = dense_result(p, op->results[0]);
	if (scatter) {
		View all = pl_view(p, op_operand(op, 0));
		pl_copy(p, &all, &y);
	}
	pl_step(p, strchr(op->def->name->s, '.') + 1, p->prog->kernels->index, g, arena_printf(p->arena, "%lld rows of %lld",
		(long long)g->rows, (long long)g->inner));
	pl_ptr(p, y.buffer);
	pl_ptr(p, from.buffer);
	pl_ptr(p, at.buffer);
	pl_ptr(p, pl_fault(p, op));
	pl_work(p, 0, 2.0 * (double)(g->rows * g->inner * g->elem));
	return pl_settle(p, op->results[0], y);
}

/* ---- samples ---- */

static int text_index(const char *s, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(s, names[i]))
			return i;
	return -1;
}

bool plan_grid_sample(Planner *p, const Op *op)
{
	static const char *const MODES[] = { "nearest", "linear", "cubic" }, *const PADS[] = { "zeros", "border", "reflection" };
	const Shape *x = pl_shape(p, op_operand(op, 0)), *grid = pl_shape(p, op_operand(op, 1));
	GridParam *g = NEW(p->arena, GridParam);
	*g = (GridParam){ .form = { .mode = text_index(op_text(op, A_mode), MODES, 3),
		.pad = text_index(op_text(op, A_padding_mode), PADS, 3), .align = op_int(op, A_align_corners) != 0 }, .rank = x->rank - 2 };
	if (g->form.mode < 0 || g->form.pad < 0 || x->rank < 3 || x->rank > 5 || grid->rank != x->rank || x->dtype != DT_F32 ||
			grid->dtype != DT_F32 || grid->dims[x->rank - 1] != g->rank || grid->dims[0] != x->dims[0] || !x->count)
		return false;
	g->batch = x->dims[0];
	g->channels = x->dims[1];
	g->points = grid->count / (g->rank * g->batch);
	for (int d = 0; d < g->rank; d++)
		g->in[d] = x->dims[d + 2];
	View image = pl_from_start(p, op_operand(op, 0)), at = pl_from_start(p, op_operand(op, 1)), y = dense_result(p, op->results[0]);
	pl_step(p, "grid_sample", p->prog->kernels->grid, g, NULL);
	pl_ptr(p, y.buffer);
	pl_ptr(p, image.buffer);
	pl_ptr(p, at.buffer);
	pl_work(p, 8.0 * (double)view_count(&y), 8.0 * (double)view_count(&y));
	return pl_settle(p, op->results[0], y);
}

bool plan_roi_align(Planner *p, const Op *op)
{
	const Shape *x = pl_shape(p, op_operand(op, 0)), *rois = pl_shape(p, op_operand(op, 1)), *batch = pl_shape(p, op_operand(op, 2));
	const char *mode = op_text(op, A_mode), *place = op_text(op, A_coordinate_transformation_mode);
	RoiParam *r = NEW(p->arena, RoiParam);
	if (x->rank != 4 || rois->rank != 2 || rois->dims[1] != 4 || batch->count != rois->dims[0] || x->dtype != DT_F32 ||
			rois->dtype != DT_F32 || !is_index(batch) || !x->count || !rois->count)
		return false;
	*r = (RoiParam){ .rois = rois->dims[0], .batch = x->dims[0], .channels = x->dims[1], .index64 = batch->dtype == DT_I64,
		.form = { .h = x->dims[2], .w = x->dims[3], .out_h = op_int(op, A_output_height), .out_w = op_int(op, A_output_width),
			.ratio = op_int(op, A_sampling_ratio), .scale = op_float(op, A_spatial_scale), .max = !strcmp(mode, "max"),
			.half_pixel = !strcmp(place, "half_pixel") } };
	const RoiForm *f = &r->form;
	if ((!f->max && strcmp(mode, "avg") != 0) || (!f->half_pixel && strcmp(place, "output_half_pixel") != 0) || f->out_h < 1 ||
			f->out_w < 1 || f->ratio < 0 || f->ratio > 1 << 15)
		return false;
	View y = dense_result(p, op->results[0]);
	View in[] = { pl_from_start(p, op_operand(op, 0)), pl_from_start(p, op_operand(op, 1)), pl_from_start(p, op_operand(op, 2)) };
	pl_step(p, "roi_align", p->prog->kernels->roi, r, NULL);
	pl_ptr(p, y.buffer);
	for (int i = 0; i < 3; i++)
		pl_ptr(p, in[i].buffer);
	pl_ptr(p, pl_fault(p, op));
	pl_work(p, 16.0 * (double)view_count(&y), 16.0 * (double)view_count(&y));
	return pl_settle(p, op->results[0], y);
}

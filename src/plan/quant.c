/* Quantisation in plans: quantize and dequantize as members of elementwise groups. */
#include "plan/plan_int.h"

#include <math.h>
#include <string.h>

bool pl_is_grid_op(const Op *op)
{
	return op_is(op, OP_quantize) || op_is(op, OP_dequantize);
}

static bool is_scalar(const Planner *p, const Value *v)
{
	return !v || (pl_shape(p, v) && pl_shape(p, v)->count == 1);
}

/* One number, or one along the axis. */
static bool grid_fits(const Planner *p, const Op *op, const Value *v)
{
	const Shape *s = pl_shape(p, v), *x = pl_shape(p, op_operand(op, 0));
	int axis;
	if (is_scalar(p, v))
		return true;
	return s && x && s->rank == 1 && op_int(op, A_block_size) == 0 && axis_norm(op_int(op, A_axis), x->rank, &axis) &&
		s->count == x->dims[axis];
}

static bool grid_types(const Planner *p, const Op *op, DType *q)
{
	const Shape *x = pl_shape(p, op_operand(op, 0)), *s = pl_shape(p, op_operand(op, 1)), *y = pl_shape(p, op->results[0]);
	const Value *zero = op_operand(op, 2);
	if (!x || !s || !y || s->dtype != DT_F32 || (zero && !pl_shape(p, zero)))
		return false;
	bool quantize = op_is(op, OP_quantize);
	int64_t precision = op_attr_int(op, A_precision, 0);
	*q = quantize ? y->dtype : x->dtype;
	if ((quantize ? x : y)->dtype != DT_F32 || (precision && dtype_from_onnx(precision) != DT_F32))
		return false;
	return !zero || pl_shape(p, zero)->dtype == *q;
}

/* The number of a known scale or zero point. */
static bool known_number(Planner *p, const Value *v, float *out)
{
	Tensor *t = v ? pl_known(p, v) : NULL;
	double x = 0;
	if (v && (!t || t->kind != TYPE_TENSOR || t->count != 1))
		return false;
	if (t)
		tensor_load_f64(t, 0, 1, &x);
	*out = (float)x;
	return (double)*out == x || x != x;
}

bool pl_grid_instr(Planner *p, const Op *op, TileInstr *in)
{
	DType q;
	const Value *scale = op_operand(op, 1), *zero = op_operand(op, 2);
	bool quantize = op_is(op, OP_quantize);
	if (!grid_types(p, op, &q) || !grid_fits(p, op, scale) || !grid_fits(p, op, zero))
		return false;
	in->dtype = (uint8_t)(quantize ? DT_F32 : q);
	in->to = (uint8_t)(quantize ? q : DT_F32);
	in->op = quantize ? TILE_QUANTIZE : TILE_DEQUANTIZE;
	if (is_scalar(p, scale) && is_scalar(p, zero) && known_number(p, scale, &in->f0) && known_number(p, zero, &in->f1))
		return true;
	in->op = quantize ? TILE_QUANTIZE_BY : TILE_DEQUANTIZE_BY;
	TileInstr cast = { .op = TILE_CAST, .dtype = (uint8_t)q, .to = DT_F32 };
	return !zero || p->prog->kernels->tile_supports(&cast);
}

View pl_grid_view(Planner *p, const Op *op, bool zero)
{
	const Value *v = op_operand(op, zero ? 2 : 1);
	const Shape *x = pl_shape(p, op_operand(op, 0));
	View from = pl_view(p, v), w = { .dtype = from.dtype, .buffer = from.buffer, .offset = from.offset };
	int axis = 0;
	if (is_scalar(p, v))
		return w;
	axis_norm(op_int(op, A_axis), x->rank, &axis);
	w.rank = x->rank;
	for (int i = 0; i < x->rank; i++)
		w.dims[i] = 1;
	w.dims[axis] = from.dims[0];
	w.stride[axis] = from.stride[0];
	return w;
}

bool pl_is_cheap_grid(Planner *p, const Op *op)
{
	const Value *scale = op_operand(op, 1), *zero = op_operand(op, 2);
	return op_is(op, OP_dequantize) && pl_known(p, scale) && (!zero || pl_known(p, zero));
}

/* Whole numbers to floats or back. */
void pl_convert(Planner *p, const View *from, const View *to)
{
	TileProgram *t = NEW(p->arena, TileProgram);
	int order[VIEW_RANK];
	bool back = from->dtype == DT_F32;
	view_memory_order(to, order);
	*t = (TileProgram){ .rank = to->rank, .ncode = 3, .noperands = 2, .cost = 0.2,
		.operands = { { .ptr = 1, .dtype = (uint8_t)from->dtype, .offset = from->offset },
			{ .ptr = 0, .dtype = (uint8_t)to->dtype, .offset = to->offset } },
		.code = { { .op = TILE_LOAD, .dtype = (uint8_t)from->dtype, .dst = 0, .operand = 0 },
			{ .op = back ? TILE_QUANTIZE : TILE_DEQUANTIZE, .dtype = (uint8_t)from->dtype, .to = (uint8_t)to->dtype, .dst = 1, .a = 0,
				.f0 = 1, .operand = 2 },
			{ .op = TILE_STORE, .dtype = (uint8_t)to->dtype, .a = 1, .operand = 1 } } };
	for (int i = 0; i < to->rank; i++) {
		t->dims[i] = to->dims[order[i]];
		t->operands[0].stride[i] = from->stride[order[i]];
		t->operands[1].stride[i] = to->stride[order[i]];
	}
	program_merge(t);
	pl_step(p, "tile", p->prog->kernels->tile, t, "convert");
	pl_ptr(p, to->buffer);
	pl_ptr(p, from->buffer);
	pl_work(p, (double)view_count(to), (double)view_count(to) * 5);
}

View pl_converted(Planner *p, const View *from, DType to)
{
	View w = *from;
	int order[VIEW_RANK];
	view_memory_order(from, order);
	view_order(&w, order);
	w.dtype = to;
	w.offset = 0;
	w.buffer = pl_buffer(p, view_count(&w) * (int64_t)dtype_size(to));
	pl_convert(p, from, &w);
	return w;
}

View pl_lazy_view(Planner *p, const Value *v)
{
	Group g = { .ops = (const Op *[]){ v->def }, .n = 1, .root = v->def };
	pl_view(p, op_operand(v->def, 0));
	VEC_PUSH(p->scratch, &p->lazy_views, ((LazyView){ v, p->plan->steps.len }));
	p->lazy[v->id] = 0; /* the group computes it */
	bool ok = plan_group(p, &g);
	p->lazy[v->id] = 1;
	if (!ok) {
		p->failed = true;
		pl_set(p, v, pl_result(p, v, NULL));
	}
	return *p->views[v->id];
}

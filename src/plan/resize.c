/* Resize as tables of inputs and weights, one a spatial dim. */
#include "plan/plan_int.h"

#include <string.h>

/* The table of one dim; false when an output lies outside or has a varying number of inputs that cannot be padded. */
static bool dim_table(Planner *p, const ResizeAxis *a, int *taps, const int32_t **index, const float **weight)
{
	int64_t n = a->out, max = a->identity ? 1 : a->max;
	if (max > 64 || n > INT32_MAX || a->in > INT32_MAX)
		return false;
	int32_t *i = NEW_ARRAY(p->arena, int32_t, n * max + 1);
	float *w = NEW_ARRAY(p->arena, float, n * max + 1);
	for (int64_t o = 0; o < n; o++) {
		if (a->identity) {
			i[o] = (int32_t)o;
			w[o] = 1;
			continue;
		}
		if (a->count[o] < 1)
			return false;
		for (int64_t k = 0; k < max; k++) {
			bool have = k < a->count[o];
			i[o * max + k] = (int32_t)a->index[o * max + (have ? k : 0)];
			w[o * max + k] = have ? (float)a->weight[o * max + k] : 0;
		}
	}
	*taps = (int)max;
	*index = i;
	*weight = w;
	return true;
}

bool plan_resize(Planner *p, const Op *op)
{
	static const int32_t ZERO = 0;
	static const float ONE = 1;
	const Value *v = op->results[0];
	const Shape *xs = pl_shape(p, op_operand(op, 0)), *ys = pl_shape(p, v);
	int order[VIEW_RANK];
	if (xs->dtype != DT_F32 || xs->rank < 3 || xs->rank > 5 || ys->rank != xs->rank || xs->dims[0] != ys->dims[0] ||
			xs->dims[1] != ys->dims[1])
		return false;
	Tensor x_only = { .kind = TYPE_TENSOR, .dtype = DT_F32, .store = DT_F32, .rank = xs->rank, .count = xs->count };
	memcpy(x_only.dims, xs->dims, (size_t)xs->rank * sizeof(*xs->dims));
	Tensor *in[4] = { &x_only, NULL, NULL, NULL };
	for (size_t i = 1; i < op->noperands && i < 4; i++)
		if (op_operand(op, i) && !(in[i] = pl_known(p, op_operand(op, i))))
			return false;
	ResizeParam *r = NEW(p->arena, ResizeParam);
	*r = (ResizeParam){ .batch = xs->dims[0], .channels = xs->dims[1] };
	for (int k = 0; k < 3; k++) {
		int d = xs->rank - 3 + k;
		ResizeAxis a;
		r->out[k] = 1;
		r->taps[k] = 1;
		r->index[k] = &ZERO;
		r->weight[k] = &ONE;
		if (d < 2)
			continue;
		size_t before = p->plan->eval.diags->list.len;
		if (!resize_axis(&p->plan->eval, op, in, d, p->arena, &a)) {
			p->plan->eval.diags->list.len = before;
			p->plan->eval.diags->status = HONE_OK;
			return false;
		}
		r->out[k] = a.out;
		if (a.out != ys->dims[d] || !dim_table(p, &a, &r->taps[k], &r->index[k], &r->weight[k]))
			return false;
	}
	View x = pl_channels_last(p, pl_view(p, op_operand(op, 0)));
	order[0] = 0;
	for (int i = 1; i < x.rank; i++)
		order[i] = i + 1 < x.rank ? i + 1 : 1;
	View y = pl_result(p, v, order);
	if (y.dims[1] != 1 && y.stride[1] != 1)
		return false;
	pl_spatial_strides(&x, r->x_stride);
	pl_spatial_strides(&y, r->y_stride);
	r->x_offset = x.offset;
	r->y_offset = y.offset;
	pl_step(p, "resize", p->prog->kernels->resize, r, op_text(op, A_mode));
	pl_ptr(p, y.buffer);
	pl_ptr(p, x.buffer);
	pl_work(p, 2.0 * (double)view_count(&y) * r->taps[0] * r->taps[1] * r->taps[2],
		4.0 * (double)(view_count(&x) + view_count(&y)));
	pl_set(p, v, y);
	return true;
}

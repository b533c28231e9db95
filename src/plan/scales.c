/* Squeeze and excite: a product with one number a channel, whose result only a 1x1 convolution reads. The numbers scale the
 * convolution's weights instead, which are fewer than the pixels, and the step goes away. This looks at the steps of a
 * finished plan. */
#include "plan/plan_int.h"

#include <string.h>

typedef struct Scale {
	const TileOperand *x, *by, *y;
} Scale;

static int step_buffer(const Plan *p, const Step *s, int i)
{
	return p->table.data[s->ptr + (uint32_t)i];
}

/* y = x * by, by along the last dim alone. */
static bool is_scale(const TileProgram *t, Scale *out)
{
	const TileInstr *c = t->code;
	if (t->ncode != 4 || t->noperands != 3 || c[0].op != TILE_LOAD || c[1].op != TILE_LOAD || c[2].op != TILE_MUL ||
			c[3].op != TILE_STORE || c[2].dtype != DT_F32 || c[2].a == c[2].b || c[0].dtype != DT_F32 || c[1].dtype != DT_F32)
		return false;
	for (int swap = 0; swap < 2; swap++) {
		Scale s = { &t->operands[c[swap].operand], &t->operands[c[1 - swap].operand], &t->operands[c[3].operand] };
		int last = t->rank - 1;
		bool ok = s.by->stride[last] == 1 && s.x->stride[last] == 1 && s.x->dtype == DT_F32 && s.by->dtype == DT_F32;
		for (int d = 0; d <= last; d++)
			ok &= s.x->stride[d] == s.y->stride[d] && (d == last || s.by->stride[d] == 0);
		if (ok && t->rank > 1) {
			*out = s;
			return true;
		}
	}
	return false;
}

/* The convolution reads all that the product gives, one image, and scaling its weights is less work. */
static bool suits(const TileProgram *t, const ConvParam *c)
{
	enum { LEAST_ROWS = 16 };
	int64_t rows = c->out[0] * c->out[1] * c->out[2], count = 1;
	for (int d = 0; d < t->rank; d++)
		count *= t->dims[d];
	for (int d = 0; d < 3; d++)
		if (c->kernel[d] != 1 || c->pad[d] != 0)
			return false;
	return c->batch == 1 && c->groups == 1 && t->dims[t->rank - 1] == c->ic && rows >= LEAST_ROWS && c->oc <= rows &&
		count == c->in[0] * c->in[1] * c->in[2] * c->ic;
}

static void stay_until(Plan *p, int buffer, int step)
{
	PlanBuffer *b = &p->buffers.data[buffer];
	b->last = b->last < step ? step : b->last;
}

/* Step i, a product, goes into the convolution after it. */
static bool fold(Planner *planner, size_t i)
{
	Plan *p = planner->plan;
	const KernelSet *k = planner->prog->kernels;
	Step *mul = &p->steps.data[i], *conv = mul + 1;
	Scale s;
	if (i + 1 >= p->steps.len || mul->kernel != k->tile || conv->kernel != k->conv[CONV_DIRECT] || !is_scale(mul->param, &s) ||
			!suits(mul->param, conv->param))
		return false;
	const ConvParam *c = conv->param;
	int between = step_buffer(p, mul, s.y->ptr), x = step_buffer(p, mul, s.x->ptr), n = conv_pointers(c);
	PlanBuffer *b = &p->buffers.data[between];
	if (b->kind != BUFFER_ARENA || b->last != (int)i + 1 || (x != between && b->first != (int)i) || step_buffer(p, conv, 1) != between)
		return false;
	for (int q = 0; q < n; q++)
		if (q != 1 && step_buffer(p, conv, q) == between)
			return false;
	int by = step_buffer(p, mul, s.by->ptr);
	if (by == between || (x != between && step_buffer(p, conv, 0) == x))
		return false;
	ScaledParam *param = NEW(p->arena, ScaledParam);
	*param = (ScaledParam){ .conv = c, .x_offset = s.x->offset - s.y->offset, .scale_ptr = n, .scale_offset = s.by->offset };
	uint32_t ptr = (uint32_t)p->table.len;
	for (int q = 0; q < n; q++) {
		int buffer = q == 1 ? x : step_buffer(p, conv, q);
		VEC_PUSH(p->arena, &p->table, buffer);
	}
	VEC_PUSH(p->arena, &p->table, by);
	stay_until(p, x, (int)i + 1);
	stay_until(p, by, (int)i + 1);
	if (x != between)
		b->first = b->last = -1;
	PlanStepInfo *info = &p->info.data[i + 1];
	conv->kernel = k->scaled;
	conv->param = param;
	conv->ptr = ptr;
	info->text = arena_printf(p->arena, "%s, scaled", info->text ? info->text : "");
	size_t scratch = k->scaled->scratch_bytes(param);
	p->scratch_bytes = scratch > p->scratch_bytes ? scratch : p->scratch_bytes;
	return true;
}

void plan_scales(Planner *planner)
{
	Plan *p = planner->plan;
	int *moved = NEW_ARRAY(planner->scratch, int, p->steps.len + 1);
	size_t done = 0;
	for (size_t i = 0; i < p->steps.len; i++) {
		moved[i] = (int)done;
		if (fold(planner, i))
			continue;
		p->info.data[done] = p->info.data[i];
		p->steps.data[done++] = p->steps.data[i];
	}
	plan_renumber(p, moved);
	p->steps.len = p->info.len = done;
}

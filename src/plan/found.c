/* Ops that find an unknown number of things, the last ones of a part of a plan: a kernel writes them to the memory of the plan, with
 * room for as many as there can be, and a call makes the tensor once their number is known. */
#include "plan/plan_int.h"

#include <string.h>

enum { NONZERO_PART = 16384 };
#define MOST_ROOM (INT64_C(1) << 30) /* bytes; beyond it the evaluator counts first */

/* places as (rank, n), one row a dim. */
static void take_places(const FoundStep *f, const int64_t *found, const int64_t *count, int64_t n, int64_t *out)
{
	int64_t stride[MAX_RANK], at = 0;
	strides_of(f->places->rank, f->places->dims, stride);
	for (int64_t i = 0; i < f->parts; i++)
		for (int64_t k = 0; k < count[i]; k++, at++) {
			int64_t rest = found[i * f->room + k];
			for (int d = 0; d < f->places->rank; d++) {
				out[d * n + at] = rest / stride[d];
				rest %= stride[d];
			}
		}
}

bool found_take(void *step, Run *r)
{
	const FoundStep *f = step;
	const int64_t *found = r->table[f->ptr], *count = r->table[f->ptr + 1];
	int64_t n = 0, at = 0;
	for (int64_t i = 0; i < f->parts; i++)
		n += count[i];
	Tensor *t = exec_slot_new(r->user, f->value, DT_I64, f->places ? (int64_t[]){ f->places->rank, n } : (int64_t[]){ n, FOUND_ROW });
	if (!t)
		return false;
	if (f->places)
		take_places(f, found, count, n, t->data);
	for (int64_t i = 0; i < f->parts && !f->places; at += count[i++] * FOUND_ROW)
		memcpy((int64_t *)t->data + at, found + i * f->room * FOUND_ROW, (size_t)count[i] * FOUND_ROW * sizeof(*found));
	return true;
}

/* Buffers of what is found; the kernel's step and its other pointers follow. */
static FoundStep *found_new(Planner *p, const Op *op, int64_t parts, int64_t room, int64_t numbers, int buffers[2])
{
	FoundStep *f = NEW(p->arena, FoundStep);
	*f = (FoundStep){ .value = op->results[0], .parts = parts, .room = room };
	buffers[0] = pl_buffer(p, numbers * (int64_t)sizeof(int64_t));
	buffers[1] = pl_buffer(p, parts * (int64_t)sizeof(int64_t));
	return f;
}

static void emit_take(Planner *p, FoundStep *f, const int buffers[2])
{
	Step *s = pl_step(p, "take", NULL, f, NULL);
	s->call = found_take;
	f->ptr = (uint32_t)p->plan->table.len;
	pl_ptr(p, buffers[0]);
	pl_ptr(p, buffers[1]);
}

static bool is_number_or_absent(Planner *p, const Value *v, DType d)
{
	return !v || (pl_shape(p, v)->dtype == d && pl_shape(p, v)->count > 0);
}

static bool plan_nms(Planner *p, const Op *op)
{
	const Value *most = op_operand(op, 2), *iou = op_operand(op, 3), *least = op_operand(op, 4);
	const Shape *b = pl_shape(p, op_operand(op, 0)), *s = pl_shape(p, op_operand(op, 1));
	int64_t n, parts, numbers;
	int buffers[2];
	if (b->rank != 3 || s->rank != 3 || b->dims[2] != 4 || b->dims[0] != s->dims[0] || b->dims[1] != s->dims[2] || !s->count ||
			b->dtype != DT_F32 || s->dtype != DT_F32 || !most || !is_number_or_absent(p, most, DT_I64) ||
			!is_number_or_absent(p, iou, DT_F32) || !is_number_or_absent(p, least, DT_F32))
		return false;
	NmsParam *k = NEW(p->arena, NmsParam);
	*k = (NmsParam){ .batches = s->dims[0], .classes = s->dims[1], .boxes = s->dims[2], .most = s->dims[2],
		.centre = op_int(op, A_center_point_box) != 0, .has_iou = iou != NULL, .has_score = least != NULL };
	const int64_t *known = pl_known_ints(p, most, &n);
	if (known && known[0] < k->most)
		k->most = known[0] > 0 ? known[0] : 0;
	if (!mul_ok(k->batches, k->classes, &parts) || !mul_ok(parts, k->most * FOUND_ROW, &numbers) || numbers > MOST_ROOM / 8)
		return false;
	FoundStep *f = found_new(p, op, parts, k->most, numbers, buffers);
	View in[5];
	for (uint32_t i = 0; i < 5; i++)
		if (op_operand(op, i))
			in[i] = pl_from_start(p, op_operand(op, i));
	pl_step(p, "nms", p->prog->kernels->nms, k, arena_printf(p->arena, "%lld classes of %lld boxes", (long long)parts,
		(long long)k->boxes));
	pl_ptr(p, buffers[0]);
	pl_ptr(p, buffers[1]);
	for (uint32_t i = 0; i < 5; i++)
		pl_ptr(p, op_operand(op, i) ? in[i].buffer : buffers[1]);
	pl_work(p, 0, 4.0 * (double)(b->count + s->count));
	emit_take(p, f, buffers);
	return true;
}

static bool plan_nonzero(Planner *p, const Op *op)
{
	const Shape *x = pl_shape(p, op_operand(op, 0));
	int buffers[2];
	if (x->rank < 1 || x->rank > MAX_RANK || !x->count || x->count > MOST_ROOM / 8 || dtype_bits(x->dtype) < 8 ||
			!(dtype_is_integer(x->dtype) || x->dtype == DT_BOOL || x->dtype == DT_F32 || x->dtype == DT_F64 || x->dtype == DT_F16 ||
			x->dtype == DT_BF16))
		return false;
	NonzeroParam *k = NEW(p->arena, NonzeroParam);
	*k = (NonzeroParam){ .n = x->count, .part = NONZERO_PART, .elem = (int64_t)dtype_size(x->dtype), .sign = dtype_is_float(x->dtype) };
	FoundStep *f = found_new(p, op, (x->count - 1) / NONZERO_PART + 1, NONZERO_PART, x->count, buffers);
	f->places = x;
	View in = pl_from_start(p, op_operand(op, 0));
	pl_step(p, "nonzero", p->prog->kernels->nonzero, k, NULL);
	pl_ptr(p, buffers[0]);
	pl_ptr(p, buffers[1]);
	pl_ptr(p, in.buffer);
	pl_work(p, 0, (double)x->count * (double)(k->elem + 8));
	emit_take(p, f, buffers);
	return true;
}

bool plan_found(Planner *p, const Op *op)
{
	if (!op_is(op, OP_nms) && !op_is(op, OP_nonzero))
		return false;
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		if (v && (!pl_shape(p, v) || pl_shape(p, v)->rank > VIEW_RANK || (value_is_constant(v) && !pl_constant(p, v))))
			return false;
	}
	return op_is(op, OP_nms) ? plan_nms(p, op) : plan_nonzero(p, op);
}

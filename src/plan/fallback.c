/* Ops without a kernel: a step that lets the evaluator run the op on the run's memory. */
#include "plan/plan_int.h"

#include <string.h>

/* An operand, or an outer value that a block of the op uses. */
static EvalOperand operand_of(Planner *p, const Value *v)
{
	EvalOperand o = { .kind = OPERAND_ABSENT, .value = v };
	if (!v)
		return o;
	if (p->known[v->id] || value_is_constant(v)) {
		o.kind = OPERAND_KNOWN;
		o.tensor = p->known[v->id] ? p->known[v->id] : pl_constant(p, v);
		return o;
	}
	if (!pl_shape(p, v)) {
		o.kind = OPERAND_SLOT;
		return o;
	}
	o.kind = OPERAND_BUFFER;
	o.view = pl_plain(p, pl_view(p, v));
	o.shape = pl_shape(p, v);
	return o;
}

typedef struct Capture {
	Planner *p;
	const Op *op;
	VEC(const Value *) values;
	Map seen;
} Capture;

static bool is_inside(const Value *v, const Op *op)
{
	const Block *b = v->def ? v->def->block : v->block;
	while (b && b->parent && b->parent != op)
		b = b->parent->block;
	return b && b->parent == op;
}

static bool capture_op(void *arg, Op *inner)
{
	Capture *c = arg;
	for (size_t i = 0; i < inner->noperands; i++) {
		const Value *v = op_operand(inner, i);
		if (!v || is_inside(v, c->op) || map_has(&c->seen, v->id))
			continue;
		map_put(&c->seen, v->id, c);
		VEC_PUSH(c->p->scratch, &c->values, v);
	}
	return true;
}

static void find_captured(Planner *p, const Op *op, EvalStep *s)
{
	Capture c = { .p = p, .op = op };
	map_init(&c.seen, p->scratch);
	for (size_t i = 0; i < op->nblocks; i++)
		if (op->blocks[i])
			block_walk(op->blocks[i], capture_op, &c);
	s->ncaptured = c.values.len;
	s->captured = NEW_ARRAY(p->arena, EvalOperand, c.values.len + 1);
	for (size_t i = 0; i < c.values.len; i++)
		s->captured[i] = operand_of(p, c.values.data[i]);
}

static void point(Planner *p, EvalOperand *o, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (o[i].kind == OPERAND_BUFFER) {
			o[i].ptr = (uint32_t)p->plan->table.len;
			pl_ptr(p, o[i].view.buffer);
		}
}

bool plan_fallback(Planner *p, const Op *op)
{
	EvalStep *s = NEW(p->arena, EvalStep);
	*s = (EvalStep){ .op = op, .nin = op->noperands, .nout = op->nresults };
	s->in = NEW_ARRAY(p->arena, EvalOperand, s->nin + 1);
	s->out = NEW_ARRAY(p->arena, EvalOperand, s->nout + 1);
	for (size_t i = 0; i < s->nin; i++) {
		s->in[i] = operand_of(p, op_operand(op, i));
		if (s->in[i].kind == OPERAND_KNOWN && !s->in[i].tensor)
			return false;
	}
	find_captured(p, op, s);
	View placed[4];
	size_t nplaced = 0;
	for (size_t i = 0; i < s->nout; i++) {
		const Value *v = op->results[i];
		s->out[i] = (EvalOperand){ .kind = OPERAND_SLOT, .value = v };
		if (!pl_shape(p, v))
			continue;
		View w = shape_view(pl_shape(p, v));
		w.buffer = pl_buffer(p, pl_shape(p, v)->count * (int64_t)dtype_size(w.dtype));
		s->out[i].kind = OPERAND_BUFFER;
		s->out[i].view = w;
		s->out[i].shape = pl_shape(p, v);
	}
	Step *step = pl_step(p, "evaluator", NULL, s, op->def->name->s);
	step->call = exec_call_op;
	point(p, s->in, s->nin);
	point(p, s->captured, s->ncaptured);
	point(p, s->out, s->nout);
	for (size_t i = 0; i < s->nout; i++) {
		const Value *v = op->results[i];
		if (s->out[i].kind != OPERAND_BUFFER)
			continue;
		pl_set(p, v, s->out[i].view);
		if (p->places[v->id].set && nplaced < ARRAY_LEN(placed)) {
			placed[nplaced] = p->places[v->id].view;
			pl_copy(p, &s->out[i].view, &placed[nplaced]);
			pl_set(p, v, placed[nplaced++]);
		}
	}
	return true;
}

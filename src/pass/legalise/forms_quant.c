#include "legalise_int.h"
#include "ops/quant.h"

#include <math.h>

/* Quantised StableHLO in the form that ONNX has: values are their stored integers; what computes stands between dequantize and
 * quantize. ONNX rounds before it adds the zero point, StableHLO after: with an odd one, ties may go the other way. */

/* One number for all, or one for each index of the axis. */
static Value *floats_of(Lg *l, const ShloQuant *q)
{
	return constant_from_floats(l->op->block, l->op, q->expressed, q->axis < 0 ? 0 : 1, &q->n, q->scales);
}

static bool has_zeros(const ShloQuant *q)
{
	for (int64_t i = 0; i < q->n; i++)
		if (q->zeros[i])
			return true;
	return false;
}

/* Zero points as numbers of that type that fit x: of its rank when there are several. */
static Value *spread_numbers(Lg *l, const Value *x, const ShloQuant *q, const double *v, DType d)
{
	int64_t dims[MAX_RANK];
	int rank = q->axis < 0 ? 0 : lg_rank(x);
	for (int i = 0; i < rank; i++)
		dims[i] = i == q->axis ? q->n : 1;
	return constant_from_floats(l->op->block, l->op, d, rank, dims, v);
}

static const double *zeros_as_floats(Lg *l, const ShloQuant *q)
{
	double *v = NEW_ARRAY(l->a, double, (size_t)q->n + 1);
	for (int64_t i = 0; i < q->n; i++)
		v[i] = (double)q->zeros[i];
	return v;
}

static Value *zero_points(Lg *l, const ShloQuant *q)
{
	return constant_from_ints(l->op->block, l->op, q->storage, q->axis < 0 ? 0 : 1, &q->n, q->zeros);
}

static RwAttr *axis_attr(Lg *l, const ShloQuant *q)
{
	return q->axis < 0 ? NULL : fm_attr(l, A_axis, lg_int(l, q->axis));
}

static Value *to_real(Lg *l, Value *x, const ShloQuant *q)
{
	if (q->storage != DT_I32 || !has_zeros(q)) {
		Value *in[3] = { x, floats_of(l, q), has_zeros(q) ? zero_points(l, q) : NULL };
		return fm_op(l, OP_dequantize, in, in[2] ? 3 : 2, axis_attr(l, q));
	}
	Value *y = fm_cast(l, x, q->expressed); /* ONNX wants no zero point there */
	y = fm_op2(l, OP_sub, y, spread_numbers(l, y, q, zeros_as_floats(l, q), q->expressed), NULL);
	return fm_op2(l, OP_mul, y, spread_numbers(l, y, q, q->scales, q->expressed), NULL);
}

static Value *clamped(Lg *l, Value *y, DType d, double lo, double hi)
{
	Value *in[3] = { y, constant_from_floats(l->op->block, l->op, d, 0, NULL, &lo),
		constant_from_floats(l->op->block, l->op, d, 0, NULL, &hi) };
	return fm_op(l, OP_clamp, in, 3, NULL);
}

static Value *clamped_ints(Lg *l, Value *y, const ShloQuant *q)
{
	Value *in[3] = { y, constant_from_ints(l->op->block, l->op, q->storage, 0, NULL, &q->min),
		constant_from_ints(l->op->block, l->op, q->storage, 0, NULL, &q->max) };
	return fm_op(l, OP_clamp, in, 3, NULL);
}

static Value *to_stored(Lg *l, Value *x, const ShloQuant *q)
{
	if (q->storage != DT_I32) {
		Value *y = fm_op(l, OP_quantize, (Value *[]){ x, floats_of(l, q), zero_points(l, q) }, 3, axis_attr(l, q));
		bool whole = q->min == dtype_int_min(q->storage) && q->max == (int64_t)dtype_int_max(q->storage);
		return whole ? y : clamped_ints(l, y, q);
	}
	/* ONNX does not quantise to 32 bits. */
	double most = q->expressed == DT_F64 || q->max < (1 << 24) ? (double)q->max : 2147483520.0; /* the last float below 2^31 */
	Value *y = fm_op2(l, OP_div, x, spread_numbers(l, x, q, q->scales, q->expressed), NULL);
	if (has_zeros(q))
		y = fm_op2(l, OP_add, y, spread_numbers(l, y, q, zeros_as_floats(l, q), q->expressed), NULL);
	y = clamped(l, fm_op1(l, OP_round, y, NULL), q->expressed, (double)q->min, most);
	return fm_cast(l, y, DT_I32);
}

/* ---- ops ---- */

typedef struct Quantised {
	PassCtx *p;
	Arena *scratch;
	VEC(Value *) values; /* of quantised types: they become integers at the end */
	bool ok;
} Quantised;

static bool note_value(Quantised *w, Value *v)
{
	ShloQuant q;
	if (!shlo_type_is_quantised(v->type))
		return false;
	w->ok &= shlo_quant_parse(v->type, w->p->arena, &q) && (q.storage == DT_I32 || dtype_bits(q.storage) >= 4) &&
		dtype_bits(q.storage) <= 32 && (q.axis < 0 || (q.axis < lg_rank(v) && sym_is(v->type->dims[q.axis], q.n)));
	VEC_PUSH(w->p->arena, &w->values, v);
	return true;
}

static bool note_op(void *arg, Op *op)
{
	Quantised *w = arg;
	bool any = false;
	for (size_t i = 0; i < op->nresults; i++)
		any |= note_value(w, op->results[i]);
	for (size_t i = 0; i < op->nblocks; i++)
		for (uint32_t k = 0; op->blocks[i] && k < op->blocks[i]->nargs; k++)
			any |= note_value(w, op->blocks[i]->args[k]);
	for (size_t i = 0; i < op->noperands; i++)
		any |= op_operand(op, i) && shlo_type_is_quantised(op_operand(op, i)->type);
	/* Bodies see stored numbers as well as real ones, and calls want both sides changed. */
	w->ok &= !any || !(op->nblocks || (op->nresults != 1 && op_is_shlo(op)) || op_is(op, OP_call) || op_is(op, SHLO_composite) || op_is(op, SHLO_custom_call));
	return true;
}

/* The op on real numbers. */
static void compute_real(Quantised *w, Lg *l)
{
	Op *op = l->op;
	ShloQuant q;
	for (size_t i = 0; i < op->noperands; i++)
		if (op_operand(op, i) && shlo_quant_parse(op_operand(op, i)->type, l->a, &q)) {
			Value *x = op_operand(op, i), *y = to_real(l, x, &q);
			value_set_type(y, type_tensor(l->c, q.expressed, x->type->rank, x->type->dims));
			op_set_operand(op, i, y);
		}
	for (size_t i = 0; i < op->nresults; i++) {
		Value *y = op->results[i];
		if (!shlo_quant_parse(y->type, l->a, &q))
			continue;
		/* A copy computes; the old result is what others see. */
		const Type *real = type_tensor(l->c, q.expressed, y->type->rank, y->type->dims);
		NamedAttr *attrs = op->attrs;
		Value **in = NEW_ARRAY(l->a, Value *, op->noperands + 1u);
		for (size_t k = 0; k < op->noperands; k++)
			in[k] = op_operand(op, k);
		bool only = op_is(op, SHLO_uniform_quantize);
		OpSpec s = { .def = op->def, .operands = in, .noperands = op->noperands, .types = &real, .nresults = 1, .attrs = attrs,
			.nattrs = op->nattrs, .loc = op->loc, .name = op->name };
		Value *x = only ? in[0] : op_new(op->block, op, &s)->results[0];
		Value *stored = to_stored(l, x, &q);
		value_set_type(stored, y->type); /* until all are done: users look there */
		VEC_PUSH(w->p->arena, &w->values, stored);
		lg_replace(l, &stored, 1);
	}
	if (op_is(op, SHLO_uniform_dequantize))
		lg_replace(l, (Value *[]){ op_operand(op, 0) }, 1);
}

static bool is_concerned(const Op *op)
{
	for (size_t i = 0; i < op->noperands; i++)
		if (op_operand(op, i) && shlo_type_is_quantised(op_operand(op, i)->type))
			return true;
	return op->nresults == 1 && shlo_type_is_quantised(op->results[0]->type);
}

static void change_block(Quantised *w, Block *b)
{
	Module *m = b->func->module;
	FOR_EACH_OP(op, b) {
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				change_block(w, op->blocks[i]);
		if (!op_is_shlo(op) || !is_concerned(op) || op_is(op, SHLO_constant) || shlo_moves_stored(op))
			continue;
		Lg l = { .c = m->ctx, .m = m, .op = op, .d = &m->ctx->diags, .facts = w->p->infer, .a = w->scratch };
		compute_real(w, &l);
		if (l.gone)
			op_erase(op);
		arena_reset(w->scratch);
	}
}

bool pass_quantised_forms(Module *m, PassCtx *p)
{
	Quantised w = { .p = p, .ok = true };
	ShloQuant q;
	for (Func *f = m->funcs; f; f = f->next)
		for (uint32_t i = 0; i < f->body->nargs; i++)
			note_value(&w, f->body->args[i]);
	module_walk(m, note_op, &w);
	if (!w.ok || !w.values.len)
		return false;
	w.scratch = arena_new();
	shape_infer(p->infer, m);
	for (Func *f = m->funcs; f; f = f->next)
		change_block(&w, f->body);
	for (size_t i = 0; i < w.values.len; i++) {
		Value *v = w.values.data[i];
		if (shlo_quant_parse(v->type, w.scratch, &q))
			value_set_type(v, type_tensor(m->ctx, q.storage, v->type->rank, v->type->dims));
	}
	arena_free(w.scratch);
	return true;
}

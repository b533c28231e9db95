/* widen: models in f16 and bf16 for kernels of f32.
 *
 *   %y = conv %x, %w : f16     ->     %y = cast(conv(cast %x, cast %w) : f32) : f16
 *
 * A value that one widened op hands to another is handed on as f32 (unless results must be exact): of the two casts in between
 * only those remain that something else reads, and the results are nearer to exact arithmetic than those of the model; numbers
 * beyond the range of f16 stay numbers there. Ops that move elements of constants (tables of embeddings) keep their type, so that
 * the table is not doubled.
 * Keeps: types of inputs, outputs and nested blocks' arguments; constants. */
#include "driver/driver_int.h"

typedef struct Widener {
	Context *c;
	InferCtx infer;
	Map wide;            /* f16 Value -> f32 Value */
	Arena *a;
	bool exact, changed;
} Widener;

static bool is_half(const Value *v)
{
	return v && type_is_tensor(v->type) && (v->type->dtype == DT_F16 || v->type->dtype == DT_BF16);
}

static Value *cast_value(Widener *w, Block *b, Op *before, Value *v, DType d)
{
	NamedAttr to = { w->c->attr_names[A_to], attr_dtype(w->c, d) };
	const Type *t = type_with_dtype(w->c, v->type, d);
	OpSpec s = { .def = op_def(w->c, OP_cast), .operands = &v, .noperands = 1, .types = &t, .nresults = 1, .attrs = &to,
		.nattrs = 1, .loc = v->def ? v->def->loc : NULL };
	return op_new(b, before, &s)->results[0];
}

static Value *wide_of(Widener *w, Value *v)
{
	Value *known = map_get(&w->wide, MAP_PTR(v));
	if (known || !is_half(v))
		return known ? known : v;
	Block *b = v->def ? v->def->block : v->block;
	Value *y = cast_value(w, b, v->def ? v->def->next : b->first, v, DT_F32);
	map_put(&w->wide, MAP_PTR(v), y);
	return y;
}

static bool wanted(const Op *op)
{
	bool half = false;
	switch (op_kind(op)) {
	case OP_cast: case OP_bitcast: case OP_quantize: case OP_dynamic_quantize: case OP_constant:
		return false;
	default:
		break;
	}
	if (op->nblocks || op->constant || !op->nresults || !op_is_pure(op) || (op->def->traits & TRAIT_TERMINATOR) ||
			!(op_is_core(op) || op_is(op, OWN_MS_MatMulNBits)))
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		half |= is_half(op_operand(op, i));
	return half && !((op->def->traits & TRAIT_MOVES) && value_is_constant(op_operand(op, 0)));
}

/* Every half result becomes f32, and no other changes. */
static bool has_wide_results(const Op *wide, const Op *op)
{
	for (size_t i = 0; i < op->nresults; i++) {
		const Type *old = op->results[i]->type, *now = wide->results[i]->type;
		if (!type_is_tensor(old) || !type_is_tensor(now) || now->dtype != (is_half(op->results[i]) ? DT_F32 : old->dtype))
			return false;
	}
	return true;
}

static void widen_op(Widener *w, Op *op)
{
	if (!wanted(op))
		return;
	Value **in = NEW_ARRAY(w->a, Value *, op->noperands + 1u);
	for (size_t i = 0; i < op->noperands; i++)
		in[i] = op_operand(op, i) ? wide_of(w, op->operands[i].value) : NULL;
	OpSpec s = { .def = op->def, .operands = in, .noperands = op->noperands, .nresults = op->nresults, .attrs = op->attrs,
		.nattrs = op->nattrs, .loc = op->loc, .name = op->name };
	Op *wide = op_new(op->block, op, &s);
	if (!infer_op(&w->infer, wide) || !has_wide_results(wide, op)) {
		op_erase(wide);
		return;
	}
	for (size_t i = 0; i < op->nresults; i++) {
		Value *old = op->results[i], *now = wide->results[i];
		value_set_type(now, type_with_dtype(w->c, old->type, now->type->dtype));
		Value *back = is_half(old) ? cast_value(w, op->block, op, now, old->type->dtype) : now;
		if (back != now && !w->exact)
			map_put(&w->wide, MAP_PTR(back), now);
		if (old->name)
			value_set_name(back, old->name);
		value_replace_uses(old, back);
	}
	op_erase(op);
	w->changed = true;
}

static void widen_block(Widener *w, Block *b)
{
	FOR_EACH_OP(op, b) {
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				widen_block(w, op->blocks[i]);
		widen_op(w, op);
	}
}

bool widen_halves(Module *m, Arena *a, bool exact)
{
	Diags quiet;
	Widener w = { .c = m->ctx, .a = a, .exact = exact };
	diags_init(&quiet, a);
	map_init(&w.wide, a);
	infer_init(&w.infer, m, a, &quiet);
	for (Func *f = m->funcs; f; f = f->next)
		widen_block(&w, f->body);
	return w.changed;
}

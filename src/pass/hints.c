/* forget-hints: the types that a file declares for inner values and outputs are dropped before shape analysis.
 *
 * They are hints: exporters and other tools leave stale ones behind (a batch size from before it was made dynamic), and a
 * rewrite that trusts one changes results. Inputs are binding and stay; so do results of ops that hone cannot infer. What
 * was declared for the outputs is kept in Func.result_types, so that a writer can tell users as much as the source did.
 * Needs: legalise. Keeps: everything but types. */
#include "pass/pass.h"

static void keep_declared_outputs(Module *m, Func *f)
{
	const Op *ret = block_terminator(f->body);
	if (!ret || f->result_types)
		return;
	f->result_types = NEW_ARRAY(m->arena, const Type *, ret->noperands + 1u);
	for (size_t i = 0; i < ret->noperands; i++)
		f->result_types[i] = ret->operands[i].value ? ret->operands[i].value->type : type_unknown(m->ctx);
}

static bool forget(void *arg, Op *op)
{
	Module *m = arg;
	if (!op->def->infer || op_is(op, OP_constant) || op_is_shlo(op)) /* StableHLO's types are binding */
		return true;
	for (size_t i = 0; i < op->nresults; i++)
		if (op->results[i]->type->kind == TYPE_TENSOR)
			value_set_type(op->results[i], type_unknown(m->ctx));
	return true;
}

bool pass_forget_hints(Module *m, PassCtx *p)
{
	(void)p;
	for (Func *f = m->funcs; f; f = f->next)
		keep_declared_outputs(m, f);
	module_walk(m, forget, m);
	return true;
}

bool pass_declared_outputs(Module *m, PassCtx *p)
{
	bool changed = false;
	for (Func *f = m->funcs; f; f = f->next) {
		const Op *ret = block_terminator(f->body);
		for (size_t i = 0; ret && f->result_types && i < ret->noperands; i++) {
			bool conflict = false;
			Value *v = ret->operands[i].value;
			const Type *t = v ? type_refine(p->ctx, v->type, f->result_types[i], &conflict) : NULL;
			if (!v || conflict || t == v->type)
				continue;
			value_set_type(v, t);
			changed = true;
		}
	}
	return changed;
}

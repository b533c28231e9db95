/* dce: removes ops whose results nobody uses.
 *
 * One backward walk: when an op goes, its operands' producers, which come earlier, are seen after it. Nested blocks are
 * walked where their op stands. An ONNX graph has no effects, so ops of unknown meaning go as well when they have results
 * and none is used. Keeps: types, order. */
#include "pass/pass.h"

static bool removable(const Op *op)
{
	if (op->def->traits & TRAIT_TERMINATOR || !op->nresults)
		return false;
	for (size_t i = 0; i < op->nresults; i++)
		if (value_has_uses(op->results[i]))
			return false;
	return true;
}

static bool sweep(Block *b)
{
	bool changed = false;
	for (Op *op = b->last, *prev; op; op = prev) {
		prev = op->prev;
		if (removable(op)) {
			op_erase(op);
			changed = true;
			continue;
		}
		for (size_t i = 0; i < op->nblocks; i++)
			changed |= sweep(op->blocks[i]);
	}
	return changed;
}

/* Library functions that no op names any more are dropped by the inliner; unused ones stay as the author wrote them. */
bool pass_dce(Module *m, PassCtx *p)
{
	(void)p;
	bool changed = false;
	for (Func *f = m->funcs; f; f = f->next)
		changed |= sweep(f->body);
	return changed;
}

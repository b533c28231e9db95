#include "legalise_int.h"

/* Before IR version 4 every initializer had to be listed as an input, so that its being one says nothing: it becomes a
 * constant. Since then such an input is a default that the caller may override, and only freeze_inputs makes it constant. */
bool pass_freeze(Module *m, PassCtx *p)
{
	Func *f = m->main;
	const Attr *ir = module_attr(m, "ir_version");
	bool old = ir && ir->kind == ATTR_INT && ir->u.i < 4, changed = false;
	if (!f || !f->arg_default || (!old && !p->freeze_inputs))
		return false;
	for (uint32_t i = f->body->nargs; i-- > 0;) {
		if (!f->arg_default[i])
			continue;
		Value *arg = f->body->args[i];
		Value *v = constant_from_attr(f->body, NULL, f->arg_default[i]);
		value_set_name(v, arg->name);
		value_replace_uses(arg, v);
		block_erase_arg(f->body, i);
		changed = true;
	}
	return changed;
}

/* The module as a list of ops to plan, and its constants made ready. */
#include "plan/plan_int.h"

#include <string.h>

Program *program_new(Module *m, const ProgramOptions *o)
{
	Arena *a = arena_new();
	Program *p = NEW(a, Program);
	*p = (Program){ .module = m, .arena = a, .options = *o };
	if (p->options.isa >= ISA_COUNT || !isa_available(p->options.isa))
		p->options.isa = isa_best();
	p->kernels = kernels_for(p->options.isa);
	diags_init(&p->diags, a);
	eval_init(&p->eval, m->ctx, &p->diags);
	if (o->enable)
		o->enable(&p->eval, m);
	map_init(&p->constants, a);
	map_init(&p->packed, a);
	map_init(&p->expressions, a);
	map_init(&p->settled, a);
	map_init(&p->bodies, a);
	pthread_mutex_init(&p->own_lock, NULL);
	p->lock = o->lock ? o->lock : &p->own_lock;
	const Block *b = m->main->body;
	size_t n = 0;
	FOR_EACH_OP(op, b)
		n++;
	p->ops = NEW_ARRAY(a, const Op *, n + 1);
	FOR_EACH_OP(op, b)
		if (!op->constant && !(op->def->traits & TRAIT_TERMINATOR) && (op->nresults || !op_is_pure(op)))
			p->ops[p->nops++] = op;
	for (uint32_t i = 0; i < b->nargs; i++)
		if (m->main->arg_default && m->main->arg_default[i])
			map_put(&p->constants, MAP_PTR(b->args[i]), tensor_from_attr(&p->eval, m->main->arg_default[i]));
	return p;
}

void program_free(Program *p)
{
	if (!p)
		return;
	program_free_bodies(p);
	for (size_t i = 0; i < p->ready.len; i++)
		pages_free(p->ready.data[i].data, p->ready.data[i].bytes);
	eval_release(&p->eval);
	pthread_mutex_destroy(&p->own_lock);
	arena_free(p->arena);
}

size_t program_weight_bytes(const Program *p)
{
	return p->weight_bytes;
}

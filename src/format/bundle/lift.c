/* Constants of main become arguments again, so that the weights can lie in files beside the code. All arguments are made
 * anew in the order that the caller gives, and the old ones go. */
#include "format/bundle/bundle.h"

#include <string.h>

typedef struct Weight {
	Op *op;
	const Str *name;
	const Attr *value;
	bool placed;
} Weight;

typedef struct Lift {
	Module *m;
	Arena *arena;
	bool (*can_hold)(DType d);
	VEC(Weight) list;
	VEC(const Attr *) values; /* of the new arguments so far; NULL: an input */
	Map names;       /* Str -> itself: taken */
	uint32_t nold;   /* arguments that main had */
	uint32_t next;   /* of these, to be made anew */
} Lift;

/* Data that came from a file of weights, and what was computed from it: anything but single numbers and fills. */
static bool is_weight(const Lift *l, const Attr *t)
{
	const Blob *b = t->u.tensor.blob;
	int64_t n;
	if (l->can_hold && !l->can_hold(t->u.tensor.type->dtype))
		return false;
	if (b->weight)
		return true;
	return !b->splat && dtype_is_float(t->u.tensor.type->dtype) && type_static_numel(t->u.tensor.type, &n) && n > 1;
}

/* Its own name where that is free, else with a number. */
static const Str *fresh_name(Lift *l, const Str *wish)
{
	Context *c = l->m->ctx;
	const Str *name = wish;
	for (int i = 1; map_has(&l->names, MAP_PTR(name)); i++)
		name = str_fmt(c, "%s.%d", wish->s, i);
	map_put(&l->names, MAP_PTR(name), (void *)(uintptr_t)name);
	return name;
}

static const Attr *constant_of(const Op *op)
{
	const Attr *t = op->nresults == 1 && op_is(op, SHLO_constant) ? op_attr(op, A_value) : NULL;
	if (!t && op->nresults == 1)
		t = value_constant(op->results[0]);
	return t && t->kind == ATTR_TENSOR ? t : NULL;
}

static void collect(Lift *l, Op *op)
{
	const Attr *t = constant_of(op);
	if (!t || !value_has_uses(op->results[0]) || !is_weight(l, t))
		return;
	const Str *wish = t->u.tensor.blob->weight;
	Weight w = {.op = op, .name = wish ? wish : str(l->m->ctx, "folded"), .value = t};
	VEC_PUSH(l->arena, &l->list, w);
}

static void move_argument(Lift *l, Value *old)
{
	Func *f = l->m->main;
	NamedAttr *meta = f->arg_meta ? f->arg_meta[old->index] : NULL;
	const Attr *fallback = f->arg_default ? f->arg_default[old->index] : NULL;
	Value *v = block_add_arg(f->body, old->type, old->name);
	VEC_PUSH(l->arena, &l->values, NULL);
	if (meta)
		f->arg_meta[v->index] = meta;
	if (fallback)
		f->arg_default[v->index] = fallback;
	value_replace_uses(old, v);
}

static void place_weight(Lift *l, Weight *w)
{
	Value *v = block_add_arg(l->m->main->body, w->value->u.tensor.type, w->name);
	value_replace_uses(w->op->results[0], v);
	op_erase(w->op);
	VEC_PUSH(l->arena, &l->values, w->value);
	w->placed = true;
}

static void place_order(Lift *l, const Str *const *order, size_t norder)
{
	Block *body = l->m->main->body;
	for (size_t i = 0; i < norder; i++) {
		if (!order[i] && l->next < l->nold)
			move_argument(l, body->args[l->next++]);
		for (size_t k = 0; order[i] && k < l->list.len; k++)
			if (l->list.data[k].name == order[i] && !l->list.data[k].placed)
				place_weight(l, &l->list.data[k]);
	}
	while (l->next < l->nold)
		move_argument(l, body->args[l->next++]);
	for (size_t k = 0; k < l->list.len; k++)
		if (!l->list.data[k].placed)
			place_weight(l, &l->list.data[k]);
}

void lift_weights(Module *m, const Str *const *order, size_t norder, bool (*can_hold)(DType d), Arena *a,
		const Attr ***out)
{
	Lift l = {.m = m, .arena = a, .can_hold = can_hold, .nold = m->main->body->nargs};
	map_init(&l.names, a);
	FOR_EACH_OP(op, m->main->body)
		collect(&l, op);
	for (size_t i = 0; i < l.list.len; i++)
		l.list.data[i].name = fresh_name(&l, l.list.data[i].name);
	place_order(&l, order, norder);
	for (uint32_t i = l.nold; i-- > 0;)
		block_erase_arg(m->main->body, i);
	*out = l.values.data;
}

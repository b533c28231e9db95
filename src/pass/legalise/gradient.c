#include "gradient_int.h"
#include "ops/label.h"

#include <string.h>

/* Gradient of ai.onnx.preview.training: the derivatives of the value named y by the values named xs, at given values of xs
 * and zs. What y needs of the graph is copied with the given values in place of the named ones, each copy becomes core ops,
 * and these are gone through backwards. Copies that equal the graph's own ops are shared again later. */

typedef struct Plan {
	Lg *l;
	const Str *const *xs, *const *zs;
	size_t nx, nz;
	Value **named;  /* those of xs, then those of zs */
	Value *y;
	Map copy;       /* Value of the graph -> what stands for it */
	Map depends;    /* Value of the graph -> itself, when it depends on a named one */
	VEC(Op *) ops;  /* core ops of the copy in order */
} Plan;

/* ---- names ---- */

static Value *named_in(const Block *b, const Op *before, const Str *name)
{
	for (const Op *op = before ? before->prev : b->last; op; op = op->prev)
		for (size_t i = 0; i < op->nresults; i++)
			if (op->results[i]->name == name)
				return op->results[i];
	for (uint32_t i = 0; i < b->nargs; i++)
		if (b->args[i]->name == name)
			return b->args[i];
	return NULL;
}

static Value *value_named(const Op *op, const Str *name)
{
	Value *v = NULL;
	for (const Op *at = op; at && !v; at = at->block->parent)
		v = named_in(at->block, at, name);
	return v;
}

static bool refuse(Lg *l, HoneStatus status, const char *what, const char *hint)
{
	diag_error(l->d, status, l->op->loc, "%s", what);
	diag_hint(l->d, "%s", hint);
	return false;
}

static bool find_named(Plan *p)
{
	Lg *l = p->l;
	const Attr *xs = op_attr(l->op, A_xs), *zs = op_attr(l->op, A_zs);
	const Str *y = op_attr_str(l->op, A_y);
	p->xs = xs ? xs->u.strs.v : NULL;
	p->nx = xs ? xs->u.strs.n : 0;
	p->zs = zs ? zs->u.strs.v : NULL;
	p->nz = zs ? zs->u.strs.n : 0;
	if (!y || !p->nx || p->nx + p->nz != l->op->noperands || l->op->nresults > p->nx)
		return refuse(l, HONE_BAD_INPUT, arena_printf(l->a, "%zu names in xs and %zu in zs for %u inputs and %u outputs, y %s", p->nx,
			p->nz, l->op->noperands, l->op->nresults, y ? "given" : "missing"),
			"Gradient has an input for each name of xs and zs, and an output for each of xs");
	p->named = NEW_ARRAY(l->a, Value *, p->nx + p->nz);
	for (size_t i = 0; i < p->nx + p->nz; i++) {
		const Str *name = i < p->nx ? p->xs[i] : p->zs[i - p->nx];
		if (!(p->named[i] = value_named(l->op, name)))
			return refuse(l, HONE_BAD_INPUT, arena_printf(l->a, "no value named %s comes before this node", quote(l->a, name->s, name->len)),
				"xs, zs and y of Gradient name values of the graph that the node stands in");
	}
	p->y = value_named(l->op, y);
	return p->y || refuse(l, HONE_BAD_INPUT, arena_printf(l->a, "no value named %s comes before this node", quote(l->a, y->s, y->len)),
		"xs, zs and y of Gradient name values of the graph that the node stands in");
}

/* ---- the copy ---- */

static bool uses_one(const Map *set, const Op *op)
{
	for (size_t i = 0; i < op->noperands; i++)
		if (op->operands[i].value && map_has(set, MAP_PTR(op->operands[i].value)))
			return true;
	return false;
}

typedef struct Capture {
	const Map *set;
	bool found;
} Capture;

static bool look_inside(void *arg, Op *op)
{
	Capture *c = arg;
	c->found |= uses_one(c->set, op);
	return !c->found;
}

static bool depends(const Map *set, const Op *op)
{
	Capture c = { set, uses_one(set, op) };
	for (size_t i = 0; i < op->nblocks && !c.found; i++)
		if (op->blocks[i])
			block_walk(op->blocks[i], look_inside, &c);
	return c.found;
}

/* A copy of op before the Gradient node, as core ops; they join the list. */
static bool copy_op(Plan *p, const Op *op)
{
	Lg *l = p->l;
	Op *last = l->op->prev;
	Value **in = NEW_ARRAY(l->a, Value *, op->noperands + 1u);
	const Type **types = NEW_ARRAY(l->a, const Type *, op->nresults + 1u);
	for (size_t i = 0; i < op->noperands; i++) {
		Value *v = op->operands[i].value, *other = v ? map_get(&p->copy, MAP_PTR(v)) : NULL;
		in[i] = other ? other : v;
	}
	for (size_t i = 0; i < op->nresults; i++)
		types[i] = op->results[i]->type;
	OpSpec s = { .def = op->def, .operands = in, .noperands = op->noperands, .types = types, .nresults = op->nresults,
		.attrs = op->attrs, .nattrs = op->nattrs, .loc = op->loc, .name = op->name };
	Op *copy = op_new(l->op->block, l->op, &s);
	copy->made = true;
	/* Legalising may put other values in the place of its results: these follow. */
	Op **follow = NEW_ARRAY(l->a, Op *, op->nresults + 1u);
	for (size_t i = 0; i < op->nresults; i++)
		follow[i] = op_new(l->op->block, l->op, &(OpSpec){ .def = op_def(l->c, OP_identity), .operands = &copy->results[i], .noperands = 1,
			.nresults = 1 });
	bool ok = op_is_core(copy) || legalise_onnx_op(copy, l->opset, l->d);
	for (size_t i = 0; i < op->nresults; i++) {
		map_put(&p->copy, MAP_PTR(op->results[i]), follow[i]->operands[0].value);
		op_erase(follow[i]);
	}
	if (!ok)
		return refuse(l, HONE_UNSUPPORTED, arena_printf(l->a, "y depends on %s, which has no derivative here",
			op->loc && op->loc->what ? op->loc->what : op_said_name(l->a, op)), "take the derivative of a value before that operator");
	for (Op *o = last ? last->next : l->op->block->first; o != l->op; o = o->next) {
		if (l->facts)
			infer_op(l->facts, o);
		VEC_PUSH(l->a, &p->ops, o);
	}
	return true;
}

/* Which values depend on the named ones, in program order; named values themselves depend on nothing. */
static void find_dependent(Plan *p, const Block *b, const Op *end)
{
	for (const Op *op = b->first; op && op != end; op = op->next) {
		bool named = false;
		for (size_t i = 0; i < op->nresults; i++)
			named |= map_has(&p->copy, MAP_PTR(op->results[i]));
		if (!named && depends(&p->depends, op))
			for (size_t i = 0; i < op->nresults; i++)
				map_put(&p->depends, MAP_PTR(op->results[i]), op->results[i]);
	}
}

static bool copy_graph(Plan *p)
{
	Lg *l = p->l;
	Map needed;
	for (size_t i = 0; i < p->nx + p->nz; i++) {
		Value *own = lg_new1(l, OP_identity, lg_in(l, i), NULL);
		value_set_type(own, lg_in(l, i)->type);
		map_put(&p->copy, MAP_PTR(p->named[i]), own);
		map_put(&p->depends, MAP_PTR(p->named[i]), p->named[i]);
	}
	if (!p->y->def) /* an input of the graph */
		return true;
	const Block *b = p->y->def->block;
	const Op *stop = p->y->def->next;
	find_dependent(p, b, stop);
	map_init(&needed, l->a);
	map_put(&needed, MAP_PTR(p->y), p->y);
	VEC(Op *) list = { 0 };
	for (Op *op = p->y->def; op; op = op->prev) {
		bool wanted = false;
		for (size_t i = 0; i < op->nresults; i++)
			wanted |= map_has(&needed, MAP_PTR(op->results[i])) && map_has(&p->depends, MAP_PTR(op->results[i])) &&
				!map_has(&p->copy, MAP_PTR(op->results[i]));
		if (!wanted)
			continue;
		if (op->nblocks)
			return refuse(l, HONE_UNSUPPORTED, arena_printf(l->a, "y depends on %s, and derivatives do not go through nested graphs",
				op->loc && op->loc->what ? op->loc->what : op_said_name(l->a, op)), "unroll the loop, or take the branch, before the derivative");
		VEC_PUSH(l->a, &list, op);
		for (size_t i = 0; i < op->noperands; i++)
			if (op->operands[i].value)
				map_put(&needed, MAP_PTR(op->operands[i].value), op->operands[i].value);
	}
	for (size_t i = list.len; i-- > 0;)
		if (!copy_op(p, list.data[i]))
			return false;
	return true;
}

/* ---- backwards ---- */

bool gradient_wants(const Grad *g, const Value *x)
{
	return x && map_has(&g->wanted, MAP_PTR(x)) && dtype_is_float(lg_dtype(x));
}

void gradient_add(Grad *g, Value *x, Value *dx)
{
	if (!gradient_wants(g, x))
		return;
	void **slot = map_slot(&g->sums, MAP_PTR(x));
	Value *sum = *slot ? gr_add(g, *slot, dx) : dx;
	*map_slot(&g->sums, MAP_PTR(x)) = sum;
}

static bool go_back(Plan *p, Grad *g)
{
	Lg *l = p->l;
	for (size_t i = p->ops.len; i-- > 0;) {
		Op *op = p->ops.data[i];
		Value *dy = op->nresults ? map_get(&g->sums, MAP_PTR(op->results[0])) : NULL;
		bool wanted = false;
		for (size_t k = 0; k < op->noperands; k++)
			wanted |= gradient_wants(g, op->operands[k].value);
		for (size_t k = 1; k < op->nresults && wanted; k++)
			if (map_get(&g->sums, MAP_PTR(op->results[k])) && !op_is(op, OP_split))
				return refuse(l, HONE_UNSUPPORTED, arena_printf(l->a, "y depends on result %zu of %s, which has no derivative here", k + 1,
					op->loc && op->loc->what ? op->loc->what : op_said_name(l->a, op)), "take the derivative of a value before that operator");
		if (!wanted || (!dy && !op_is(op, OP_split)))
			continue;
		GradFn *fn = gradient_of(op_kind(op));
		g->why = NULL;
		if (!fn || !fn(g, op, dy))
			return refuse(l, HONE_UNSUPPORTED, arena_printf(l->a, "y depends on %s, whose derivative is not known%s%s",
				op->loc && op->loc->what ? op->loc->what : op_said_name(l->a, op), g->why ? ": " : "", g->why ? g->why : ""),
				"take the derivative of a value before that operator, or give sizes that are open (--shape NAME=1,3,224,224)");
	}
	return true;
}

bool lg_gradient(Lg *l, OpKind core)
{
	Plan p = { .l = l };
	Grad g = { .l = l };
	(void)core;
	map_init(&p.copy, l->a);
	map_init(&p.depends, l->a);
	map_init(&g.sums, l->a);
	map_init(&g.wanted, l->a);
	if (!find_named(&p) || !copy_graph(&p))
		return false;
	Value *y = map_get(&p.copy, MAP_PTR(p.y));
	for (size_t i = 0; i < p.nx; i++)
		map_put(&g.wanted, MAP_PTR(map_get(&p.copy, MAP_PTR(p.named[i]))), p.named[i]);
	for (size_t i = 0; i < p.ops.len; i++)
		if (uses_one(&g.wanted, p.ops.data[i]))
			for (size_t k = 0; k < p.ops.data[i]->nresults; k++)
				map_put(&g.wanted, MAP_PTR(p.ops.data[i]->results[k]), y);
	if (y && gradient_wants(&g, y))
		gradient_add(&g, y, gr_plus(&g, gradient_zeros(&g, y), 1));
	if (!go_back(&p, &g))
		return false;
	Value **out = NEW_ARRAY(l->a, Value *, l->op->nresults + 1u);
	for (size_t i = 0; i < l->op->nresults; i++) {
		Value *x = map_get(&p.copy, MAP_PTR(p.named[i]));
		out[i] = map_get(&g.sums, MAP_PTR(x));
		if (!out[i])
			out[i] = gradient_zeros(&g, x);
	}
	return lg_replace(l, out, l->op->nresults);
}

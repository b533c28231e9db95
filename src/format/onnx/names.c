#include "onnx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Graphs are named from the outside in: a graph's values first, then its nested graphs, whose names must differ from all
 * names of the graphs around them. Siblings may share names. Interface names of the function are settled before. */

typedef struct NameScope {
	struct NameScope *outer;
	const Block *block;
	Map taken;
} NameScope;

typedef struct Capture {
	const Names *names;
	const Block *block;
	const Str *name;
	bool found;
} Capture;

static bool look_for_capture(void *arg, Op *op)
{
	Capture *k = arg;
	for (size_t i = 0; i < op->noperands && !k->found; i++) {
		const Value *v = op->operands[i].value;
		k->found = v && k->names->of[v->id] == k->name &&
			!block_is_ancestor(k->block, v->def ? v->def->block : v->block);
	}
	return !k->found;
}

/* Operators of other domains may ask for the inputs and outputs of their graphs by name: such graphs keep their names even
 * where they hide a name from outside, unless the outer value is used inside. */
static bool is_taken(const Names *n, const NameScope *s, const Str *name)
{
	for (; s; s = s->outer) {
		if (map_has(&s->taken, MAP_PTR(name)))
			return true;
		if (s->block->parent && op_kind(s->block->parent) == OP_UNKNOWN) {
			Capture k = { .names = n, .block = s->block, .name = name };
			bool hidden = false;
			for (const NameScope *o = s->outer; o && !hidden; o = o->outer)
				hidden = map_has(&o->taken, MAP_PTR(name));
			if (hidden)
				block_walk((Block *)(uintptr_t)s->block, look_for_capture, &k);
			return k.found;
		}
	}
	return false;
}

static void settle(Names *n, NameScope *s, const Value *v, const Str *name)
{
	map_put(&s->taken, MAP_PTR(name), n);
	map_put(&n->used, MAP_PTR(name), n);
	n->of[v->id] = name;
}

const Str *names_fresh(Names *n, const char *prefix)
{
	void **counter = map_slot(&n->counters, MAP_PTR(str(n->c, prefix)));
	uint64_t i = (uint64_t)(uintptr_t)*counter;
	const Str *name;
	do
		name = str_fmt(n->c, "%s_%" PRIu64, prefix, i++);
	while (map_has(&n->used, MAP_PTR(name)));
	*counter = (void *)(uintptr_t)i;
	map_put(&n->used, MAP_PTR(name), n);
	return name;
}

/* Last part of the op's name: "Conv", "Gelu", "constant". */
static const char *prefix_of(const Value *v)
{
	if (!v->def)
		return "arg";
	const char *last = strchr(v->def->def->name->s, '.');
	last = last ? last + 1 : v->def->def->name->s;
	for (const char *p = strstr(last, "::"); p; p = strstr(last, "::"))
		last = p + 2;
	return last;
}

/* Whether the operator has no way to leave the result out, of an op that hone made: readers refuse "" there. */
static bool is_wanted(const Value *v)
{
	const Op *op = v->def;
	const char *list = op->def->results;
	if (!op->made || op->nblocks || !list)
		return op->made;
	for (uint32_t i = 0; i < v->index && *list; i++) {
		list += strcspn(list, " ");
		list += strspn(list, " ");
	}
	size_t len = strcspn(list, " ");
	return len && list[len - 1] != '?' && list[len - 1] != '*';
}

static void name_value(Names *n, NameScope *s, const Value *v)
{
	if (n->of[v->id])
		return;
	bool named = v->name && v->name->len;
	/* A block argument is part of the signature and always needs a name. */
	if (!named && v->def && !v->uses && !is_wanted(v))
		return;
	if (named && !is_taken(n, s, v->name))
		settle(n, s, v, v->name);
	else
		settle(n, s, v, names_fresh(n, named ? v->name->s : prefix_of(v)));
}

static void name_block(Names *n, NameScope *outer, NameScope *own, const Block *b)
{
	NameScope scope = { .outer = outer, .block = b };
	NameScope *s = own ? own : &scope;
	if (!own)
		map_init(&scope.taken, n->arena);
	for (uint32_t i = 0; i < b->nargs; i++)
		name_value(n, s, b->args[i]);
	for (const Op *op = b->first; op; op = op->next)
		for (size_t i = 0; i < op->nresults; i++)
			name_value(n, s, op->results[i]);
	for (const Op *op = b->first; op; op = op->next)
		for (size_t i = 0; i < op->nblocks; i++)
			name_block(n, s, NULL, op->blocks[i]);
}

/* Every name that occurs in the function counts as used: generated ones avoid them all. */
static void collect_names(Names *n, const Block *b)
{
	for (uint32_t i = 0; i < b->nargs; i++)
		if (b->args[i]->name)
			map_put(&n->used, MAP_PTR(b->args[i]->name), n);
	for (const Op *op = b->first; op; op = op->next) {
		for (size_t i = 0; i < op->nresults; i++)
			if (op->results[i]->name)
				map_put(&n->used, MAP_PTR(op->results[i]->name), n);
		for (size_t i = 0; i < op->nblocks; i++)
			collect_names(n, op->blocks[i]);
	}
}

/* Inputs keep their names. An output's value takes the name that the interface has for it, when it is produced here and
 * has none yet; otherwise an Identity will. */
static void name_interface(Names *n, NameScope *s, const Func *f)
{
	const Block *b = f->body;
	for (uint32_t i = 0; i < b->nargs; i++)
		if (b->args[i]->name && b->args[i]->name->len && !is_taken(n, s, b->args[i]->name))
			settle(n, s, b->args[i], b->args[i]->name);
	for (size_t i = 0; f->result_names && i < b->last->noperands; i++) {
		const Str *name = f->result_names[i];
		const Value *v = b->last->operands[i].value;
		if (!name || !name->len)
			continue;
		map_put(&n->used, MAP_PTR(name), n);
		if (v && v->def && v->def->block == b && !n->of[v->id] && !is_taken(n, s, name))
			settle(n, s, v, name);
	}
	for (size_t i = 0; f->result_names && i < b->last->noperands; i++) /* nobody else may have them */
		if (f->result_names[i] && f->result_names[i]->len)
			map_put(&s->taken, MAP_PTR(f->result_names[i]), n);
}

void names_assign(Names *n, Context *c, Arena *a, const Func *f)
{
	NameScope s = { .block = f->body };
	*n = (Names){ .c = c, .arena = a, .of = NEW_ARRAY(a, const Str *, f->module->next_value + 1) };
	map_init(&n->used, a);
	map_init(&n->counters, a);
	map_init(&s.taken, a);
	collect_names(n, f->body);
	name_interface(n, &s, f);
	name_block(n, NULL, &s, f->body);
}

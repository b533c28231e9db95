#include "intern.h"
#include "ops/ops.h"

#include <string.h>

/* Types, attributes, strings and locations are shared through the context; only structure is copied. Values that the map
 * does not know stay as they are: captured from around the copied block. */

static Value *mapped(const Map *map, Value *v)
{
	Value *to = v ? map_get(map, MAP_PTR(v)) : NULL;
	return to ? to : v;
}

static NamedAttr *copy_named(Arena *a, const NamedAttr *list, size_t n)
{
	return n ? arena_dup(a, list, n * sizeof *list) : NULL;
}

static Block *clone_region(const Block *src, Func *f, Op *parent, Map *map)
{
	Block *b = block_new(f, parent);
	b->name = src->name;
	b->meta = copy_named(f->module->arena, src->meta, src->nmeta);
	b->nmeta = src->nmeta;
	for (uint32_t i = 0; i < src->nargs; i++)
		map_put(map, MAP_PTR(src->args[i]), block_add_arg(b, src->args[i]->type, src->args[i]->name));
	return b;
}

/* The blocks are filled after the op exists, as a reader does, so that the constant flags follow by themselves. */
static void clone_op(const Op *src, Block *dst, Op *at, Map *map)
{
	Arena *a = dst->func->module->arena;
	Value *operands_small[16];
	const Type *types_small[16];
	Value **operands = src->noperands > 16 ? NEW_ARRAY(a, Value *, src->noperands) : operands_small;
	const Type **types = src->nresults > 16 ? NEW_ARRAY(a, const Type *, src->nresults) : types_small;
	for (size_t i = 0; i < src->noperands; i++)
		operands[i] = mapped(map, src->operands[i].value);
	for (size_t i = 0; i < src->nresults; i++)
		types[i] = src->results[i]->type;
	OpSpec spec = { .def = src->def, .operands = operands, .noperands = src->noperands, .types = types,
		        .nresults = src->nresults, .attrs = src->attrs, .nattrs = src->nattrs, .nblocks = src->nblocks,
		        .loc = src->loc, .name = src->name };
	Op *op = op_new(dst, at, &spec);
	op->meta = copy_named(a, src->meta, src->nmeta);
	op->nmeta = src->nmeta;
	op->made = src->made;
	for (size_t i = 0; i < src->nresults; i++) {
		op->results[i]->name = src->results[i]->name;
		map_put(map, MAP_PTR(src->results[i]), op->results[i]);
	}
	for (size_t i = 0; i < src->nblocks; i++) {
		if (!src->blocks[i])
			continue;
		Block *b = clone_region(src->blocks[i], dst->func, op, map);
		op_set_block(op, i, b);
		block_clone_into(src->blocks[i], b, NULL, map, true);
	}
}

void block_clone_into(const Block *src, Block *dst, Op *at, Map *map, bool with_terminator)
{
	const Op *last = src->last; /* fixed first: dst may be src */
	for (const Op *op = src->first, *next; op; op = next) {
		next = op == last ? NULL : op->next;
		if (with_terminator || !(op->def->traits & TRAIT_TERMINATOR))
			clone_op(op, dst, at, map);
	}
}

/* Lists that end with a NULL name. */
static NamedAttr **copy_meta_lists(Arena *a, NamedAttr *const *lists, size_t n)
{
	if (!lists)
		return NULL;
	NamedAttr **copy = NEW_ARRAY(a, NamedAttr *, n);
	for (size_t i = 0; i < n; i++)
		copy[i] = lists[i] ? copy_named(a, lists[i], named_attr_count(lists[i]) + 1) : NULL;
	return copy;
}

static Func *clone_func(Module *m, const Func *src, Map *map)
{
	Arena *a = m->arena;
	Func *f = func_new(m, src->name);
	const Block *b = src->body;
	size_t nresults = b->last && (b->last->def->traits & TRAIT_TERMINATOR) ? b->last->noperands : 0;
	f->body = clone_region(b, f, NULL, map);
	f->attrs = copy_named(a, src->attrs, src->nattrs);
	f->nattrs = src->nattrs;
	f->is_library = src->is_library;
	if (src->arg_default && b->nargs)
		f->arg_default = arena_dup(a, src->arg_default, b->nargs * sizeof *src->arg_default);
	if (src->result_names && nresults)
		f->result_names = arena_dup(a, src->result_names, nresults * sizeof *src->result_names);
	f->arg_meta = copy_meta_lists(a, src->arg_meta, b->nargs);
	f->result_meta = copy_meta_lists(a, src->result_meta, nresults);
	block_clone_into(b, f->body, NULL, map, true);
	return f;
}

static void clone_declaration(Module *m, const Func *src, Map *map)
{
	Func *f = clone_func(m, src, map);
	f->result_meta = copy_meta_lists(m->arena, src->result_meta, src->nresults);
	func_declare(f, src->result_types, src->nresults);
}

Module *module_clone(const Module *src, Map *value_map)
{
	Module *m = module_new(src->ctx);
	Arena *scratch = NULL;
	Map own;
	if (!value_map) {
		scratch = arena_new();
		map_init(&own, scratch);
		value_map = &own;
	}
	for (const Func *f = src->funcs; f; f = f->next) {
		Func *copy = clone_func(m, f, value_map);
		if (f == src->main)
			m->main = copy;
	}
	for (const Func *f = src->decls; f; f = f->next)
		clone_declaration(m, f, value_map);
	m->attrs = copy_named(m->arena, src->attrs, src->nattrs);
	m->nattrs = src->nattrs;
	m->format = src->format;
	m->path = src->path ? arena_strdup(m->arena, src->path) : NULL;
	m->bundle = src->bundle;
	m->weights = src->nweights ? arena_dup(m->arena, src->weights, src->nweights * sizeof(*src->weights)) : NULL;
	m->nweights = src->nweights;
	arena_free(scratch);
	return m;
}

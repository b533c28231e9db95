#include "format.h"

#include <string.h>

static bool is_private(const Func *f)
{
	for (size_t i = 0; i < f->nattrs; i++)
		if (!strcmp(f->attrs[i].name->s, "sym_visibility"))
			return f->attrs[i].value->kind == ATTR_STR && strcmp(f->attrs[i].value->u.str->s, "public") != 0;
	return false;
}

/* Symbols in an attribute, in lists too. */
static void note_symbols(Map *named, const Attr *a, bool callee)
{
	if (a->kind == ATTR_SYMREF || (callee && a->kind == ATTR_STR))
		map_put(named, MAP_PTR(a->u.str), (void *)(uintptr_t)1);
	for (size_t i = 0; (a->kind == ATTR_LIST || a->kind == ATTR_DICT) && i < a->u.list.n; i++)
		note_symbols(named, a->u.list.v[i], false);
}

/* Names of functions that ops of the block use. */
static void note_calls(Map *named, const Block *b)
{
	for (const Op *op = b->first; op; op = op->next) {
		for (size_t i = 0; i < op->nattrs; i++)
			note_symbols(named, op->attrs[i].value, op_is(op, OP_call) && op->attrs[i].name->known == A_callee);
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				note_calls(named, op->blocks[i]);
	}
}

static Func *uncalled(const Module *m)
{
	Arena *a = arena_new();
	Map named;
	Func *f = m->funcs;
	map_init(&named, a);
	for (const Func *g = m->funcs; g; g = g->next)
		note_calls(&named, g->body);
	while (f && (f->is_library || map_has(&named, MAP_PTR(f->name))))
		f = f->next;
	arena_free(a);
	return f;
}

Func *module_default_main(const Module *m)
{
	for (Func *f = m->funcs; f; f = f->next)
		if (f->name && !strcmp(f->name->s, "main"))
			return f;
	for (Func *f = m->funcs; f; f = f->next)
		if (!f->is_library && !is_private(f))
			return f;
	return uncalled(m);
}

bool module_needs_main(const Module *m)
{
	if (m->main)
		return true;
	Diags *d = &m->ctx->diags;
	Loc loc = { .file = m->path, .offset = -1 };
	diag_error(d, HONE_BAD_INPUT, m->path ? &loc : NULL, m->funcs ?
		"every function is private and called by others: none is the one to run" : "the module has no function with a body");
	diag_hint(d, "the function to run is @main, or the first that is not private");
	return false;
}

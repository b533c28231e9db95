#include "intern.h"
#include "ops/ops.h"

#include <string.h>

Module *module_new(Context *c)
{
	Arena *a = arena_new();
	Module *m = NEW(a, Module);
	m->ctx = c;
	m->arena = a;
	m->last_func = &m->funcs;
	m->last_decl = &m->decls;
	m->link = &c->modules;
	m->next = c->modules;
	if (m->next)
		m->next->link = &m->next;
	c->modules = m;
	return m;
}

void module_free(Module *m)
{
	if (!m)
		return;
	*m->link = m->next;
	if (m->next)
		m->next->link = m->link;
	arena_free(m->arena); /* holds the module itself */
}

Func *func_new(Module *m, const Str *name)
{
	Func *f = NEW(m->arena, Func);
	f->module = m;
	f->name = name;
	f->body = block_new(f, NULL);
	*m->last_func = f;
	m->last_func = &f->next;
	m->edits++;
	return f;
}

/* Found from the front: modules with declarations have few functions, and the last one is asked for. */
void func_declare(Func *f, const Type *const *results, uint32_t n)
{
	Module *m = f->module;
	Func **link = &m->funcs;
	while (*link != f)
		link = &(*link)->next;
	CHECK(!f->next && !f->body->first);
	*link = NULL;
	m->last_func = link;
	if (m->main == f)
		m->main = NULL;
	f->is_declaration = true;
	f->nresults = n;
	f->result_types = n ? arena_dup(m->arena, results, n * sizeof *results) : NULL;
	*m->last_decl = f;
	m->last_decl = &f->next;
	m->edits++;
}

Block *block_new(Func *f, Op *parent)
{
	Block *b = NEW(f->module->arena, Block);
	b->func = f;
	b->parent = parent;
	return b;
}

/* Arrays without a capacity field hold room for a power of two entries (at least 4) and grow when the count reaches it. */
#define ARGS_FIRST 4

static bool array_is_full(uint32_t n)
{
	return n == 0 || (n >= ARGS_FIRST && (n & (n - 1)) == 0);
}

static void *array_grown(Arena *a, const void *old, uint32_t n, size_t elem)
{
	void *p = arena_alloc_array(a, elem, n == 0 ? ARGS_FIRST : 2 * (size_t)n);
	if (n)
		memcpy(p, old, n * elem);
	return p;
}

/* Per-input arrays of the function follow its arguments. */
static void func_add_arg_slot(Func *f, uint32_t n)
{
	Arena *a = f->module->arena;
	if (f->arg_default) {
		const Attr **d = NEW_ARRAY(a, const Attr *, n + 1);
		memcpy(d, f->arg_default, n * sizeof *d);
		f->arg_default = d;
	}
	if (f->arg_meta) {
		NamedAttr **d = NEW_ARRAY(a, NamedAttr *, n + 1);
		memcpy(d, f->arg_meta, n * sizeof *d);
		f->arg_meta = d;
	}
}

Value *block_add_arg(Block *b, const Type *t, const Str *name)
{
	Module *m = b->func->module;
	if (array_is_full(b->nargs))
		b->args = array_grown(m->arena, b->args, b->nargs, sizeof *b->args);
	if (b == b->func->body)
		func_add_arg_slot(b->func, b->nargs);
	Value *v = NEW(m->arena, Value);
	v->type = t ? t : type_unknown(m->ctx);
	v->block = b;
	v->index = b->nargs;
	v->id = m->next_value++;
	v->name = name;
	b->args[b->nargs++] = v;
	m->edits++;
	return v;
}

void block_erase_arg(Block *b, uint32_t index)
{
	CHECK(index < b->nargs && !b->args[index]->uses);
	Func *f = b->func;
	uint32_t after = b->nargs - index - 1;
	memmove(b->args + index, b->args + index + 1, after * sizeof *b->args);
	if (b == f->body && f->arg_default)
		memmove(f->arg_default + index, f->arg_default + index + 1, after * sizeof *f->arg_default);
	if (b == f->body && f->arg_meta)
		memmove(f->arg_meta + index, f->arg_meta + index + 1, after * sizeof *f->arg_meta);
	b->nargs--;
	for (uint32_t i = index; i < b->nargs; i++)
		b->args[i]->index = i;
	f->module->edits++;
}

size_t named_attr_count(const NamedAttr *list)
{
	size_t n = 0;
	while (list && list[n].name)
		n++;
	return n;
}

const Attr *named_attr(const NamedAttr *list, size_t n, const Str *name)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].name == name)
			return list[i].value;
	return NULL;
}

const Attr *module_attr(const Module *m, const char *name)
{
	return named_attr(m->attrs, m->nattrs, str(m->ctx, name));
}

void module_set_attr(Module *m, const char *name, const Attr *v)
{
	named_attr_set(m->arena, &m->attrs, &m->nattrs, str(m->ctx, name), v);
	m->edits++;
}

bool block_walk(Block *b, bool (*fn)(void *arg, Op *op), void *arg)
{
	FOR_EACH_OP(op, b) {
		if (!fn(arg, op))
			return false;
		if (op->erased)
			continue;
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i] && !block_walk(op->blocks[i], fn, arg))
				return false;
	}
	return true;
}

bool module_walk(Module *m, bool (*fn)(void *arg, Op *op), void *arg)
{
	for (Func *f = m->funcs; f; f = f->next)
		if (!block_walk(f->body, fn, arg))
			return false;
	return true;
}

/* ---- queries ---- */

bool op_attrs_equal(const Op *a, const Op *b)
{
	if (a->nattrs != b->nattrs)
		return false;
	for (size_t i = 0; i < a->nattrs; i++)
		if (a->attrs[i].name != b->attrs[i].name || !attr_equal(a->attrs[i].value, b->attrs[i].value))
			return false;
	return true;
}

const Attr *op_attr(const Op *op, AttrName a)
{
	for (size_t i = 0; i < op->nattrs; i++)
		if (op->attrs[i].name->known == a)
			return op->attrs[i].value;
	return NULL;
}

const Attr *op_attr_named(const Op *op, const Str *name)
{
	return named_attr(op->attrs, op->nattrs, name);
}

int64_t op_attr_int(const Op *op, AttrName a, int64_t fallback)
{
	const Attr *v = op_attr(op, a);
	return v && (v->kind == ATTR_INT || v->kind == ATTR_BOOL) ? v->u.i : fallback;
}

double op_attr_float(const Op *op, AttrName a, double fallback)
{
	const Attr *v = op_attr(op, a);
	if (v && v->kind == ATTR_FLOAT)
		return v->u.f;
	return v && v->kind == ATTR_INT ? (double)v->u.i : fallback;
}

const Str *op_attr_str(const Op *op, AttrName a)
{
	const Attr *v = op_attr(op, a);
	return v && v->kind == ATTR_STR ? v->u.str : NULL;
}

bool op_attr_is(const Op *op, AttrName a, const char *text)
{
	const Str *s = op_attr_str(op, a);
	return s && s->len == strlen(text) && memcmp(s->s, text, s->len) == 0;
}

size_t op_attr_ints(const Op *op, AttrName a, const int64_t **out)
{
	const Attr *v = op_attr(op, a);
	bool found = v && v->kind == ATTR_INTS;
	*out = found ? v->u.ints.v : NULL;
	return found ? v->u.ints.n : 0;
}

int64_t op_list_entry(const Op *op, AttrName a, size_t i, int64_t fallback)
{
	const int64_t *v;
	return i < op_attr_ints(op, a, &v) ? v[i] : fallback;
}

static const Attr *tensor_value(const Op *op)
{
	const Attr *v = op_attr(op, A_value);
	return v && v->kind == ATTR_TENSOR ? v : NULL;
}

const Attr *op_constant_attr(const Op *op)
{
	return op_is(op, OP_constant) ? tensor_value(op) : NULL;
}

const Attr *value_constant(const Value *v)
{
	if (!v || !v->def)
		return NULL;
	OpKind k = op_kind(v->def);
	return k == OP_constant || k == ONNX_initializer || k == ONNX_Constant ? tensor_value(v->def) : NULL;
}

Func *op_func(const Op *op)
{
	return op->block ? op->block->func : NULL;
}

bool block_is_ancestor(const Block *outer, const Block *inner)
{
	while (inner && inner != outer)
		inner = inner->parent ? inner->parent->block : NULL;
	return inner != NULL;
}

Op *op_ancestor_in(const Op *op, const Block *b)
{
	while (op && op->block != b)
		op = op->block ? op->block->parent : NULL;
	return (Op *)op;
}

/* Ops carry no order numbers: walks forward from both at once, so that the cost is the distance between them. */
static bool op_is_before(const Op *a, const Op *b)
{
	const Op *from_a = a, *from_b = b;
	while (from_a || from_b) {
		if (from_a && (from_a = from_a->next) == b && b)
			return true;
		if (from_b && (from_b = from_b->next) == a && a)
			return false;
	}
	return false;
}

bool value_dominates(const Value *v, const Op *op)
{
	if (!v->def)
		return block_is_ancestor(v->block, op->block);
	if (v->def->erased || !v->def->block)
		return false;
	const Op *at = op_ancestor_in(op, v->def->block);
	return at && at != v->def && op_is_before(v->def, at);
}

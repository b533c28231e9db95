#include "shape.h"

#include <string.h>

typedef const Sym *FindSym(void *arg, const Sym *symbol);

/* ---- substitution ---- */

typedef struct Subst {
	Context *ctx;
	Arena *arena;
	FindSym *find;
	void *arg;
	Map types; /* Type -> Type: modules have few distinct types */
} Subst;

static const Type *subst_type(Subst *s, const Type *t)
{
	if (!t || (t->rank <= 0 && t->nelem == 0))
		return t;
	void **slot = map_slot(&s->types, MAP_PTR(t));
	if (*slot)
		return *slot;
	Type r = *t;
	if (t->rank > 0 && t->dims) {
		const Sym **dims = NEW_ARRAY(s->arena, const Sym *, t->rank);
		for (int d = 0; d < t->rank; d++)
			dims[d] = sym_substitute(s->ctx, t->dims[d], s->find, s->arg);
		r.dims = dims;
	}
	if (t->nelem > 0) {
		const Type **elem = NEW_ARRAY(s->arena, const Type *, t->nelem);
		for (int i = 0; i < t->nelem; i++)
			elem[i] = subst_type(s, t->elem[i]);
		r.elem = elem;
	}
	const Type *made = type_make(s->ctx, r);
	*map_slot(&s->types, MAP_PTR(t)) = (void *)made; /* nested types may have moved the slot */
	return made;
}

static const Attr *subst_attr(Subst *s, const Attr *a)
{
	if (a->kind == ATTR_TYPE) {
		const Type *t = subst_type(s, a->u.type);
		return t == a->u.type ? a : attr_type(s->ctx, t);
	}
	if ((a->kind != ATTR_LIST && a->kind != ATTR_DICT) || a->u.list.n == 0)
		return a;
	const Attr **items = NEW_ARRAY(s->arena, const Attr *, a->u.list.n);
	bool same = true;
	for (size_t i = 0; i < a->u.list.n; i++) {
		items[i] = subst_attr(s, a->u.list.v[i]);
		same &= items[i] == a->u.list.v[i];
	}
	Attr r = *a;
	r.u.list.v = items;
	return same ? a : attr_make(s->ctx, r);
}

static void subst_value(Subst *s, Value *v)
{
	const Type *t = subst_type(s, v->type);
	if (t != v->type)
		value_set_type(v, t);
}

static bool subst_op(void *arg, Op *op)
{
	Subst *s = arg;
	for (size_t i = 0; i < op->nresults; i++)
		subst_value(s, op->results[i]);
	for (size_t i = 0; i < op->nblocks; i++)
		for (uint32_t k = 0; op->blocks[i] && k < op->blocks[i]->nargs; k++)
			subst_value(s, op->blocks[i]->args[k]);
	for (size_t i = 0; i < op->nattrs; i++) {
		const Attr *a = subst_attr(s, op->attrs[i].value);
		if (a != op->attrs[i].value)
			op_set_attr(op, op->attrs[i].name, a); /* replaces in place: the order stays */
	}
	return true;
}

void shape_substitute(Module *m, const Sym *(*find)(void *arg, const Sym *symbol), void *arg)
{
	Arena *a = arena_new();
	Subst s = { .ctx = m->ctx, .arena = a, .find = find, .arg = arg };
	map_init(&s.types, a);
	for (Func *f = m->funcs; f; f = f->next)
		for (uint32_t i = 0; i < f->body->nargs; i++)
			subst_value(&s, f->body->args[i]);
	module_walk(m, subst_op, &s);
	arena_free(a);
}

/* ---- binding ---- */

typedef struct Bind {
	Context *ctx;
	Module *module;
	Arena *arena;
	Map to;                    /* symbol -> replacement */
	Map known;                 /* every symbol of the module */
	VEC(const char *) names;   /* of the named ones */
} Bind;

static void note_symbol(void *arg, const Sym *s)
{
	Bind *b = arg;
	void **slot = map_slot(&b->known, MAP_PTR(s));
	if (!*slot && !sym_is_unknown(s))
		VEC_PUSH(b->arena, &b->names, sym_name(s)->s);
	*slot = b;
}

static void note_type(Bind *b, const Type *t)
{
	for (int d = 0; t->dims && d < t->rank; d++)
		sym_symbols(t->dims[d], note_symbol, b);
	for (int i = 0; i < t->nelem; i++)
		note_type(b, t->elem[i]);
}

static bool note_op(void *arg, Op *op)
{
	for (size_t i = 0; i < op->nresults; i++)
		note_type(arg, op->results[i]->type);
	for (size_t i = 0; i < op->nblocks; i++)
		for (uint32_t k = 0; op->blocks[i] && k < op->blocks[i]->nargs; k++)
			note_type(arg, op->blocks[i]->args[k]->type);
	return true;
}

static const Sym *replacement(void *arg, const Sym *symbol)
{
	const Bind *b = arg;
	return map_get(&b->to, MAP_PTR(symbol));
}

static bool usage(Bind *b, const char *name, const char *const *names, size_t n, const char *what)
{
	diag_error(&b->ctx->diags, HONE_USAGE, NULL, "the model has no %s %s", what, quote(b->arena, name, strlen(name)));
	const char *near = nearest_name(name, names, n);
	if (near)
		diag_hint(&b->ctx->diags, "did you mean %s?", quote(b->arena, near, strlen(near)));
	return false;
}

/* Records symbol = to; the same symbol may be bound twice to the same size only. */
static bool bind_symbol(Bind *b, const Sym *symbol, const Sym *to)
{
	int64_t v;
	Buf old = { 0 }, new_ = { 0 };
	const Sym *had = map_get(&b->to, MAP_PTR(symbol));
	if (symbol == to || had == to)
		return true;
	if (sym_const(to, &v) && v < 0)
		return diag_error(&b->ctx->diags, HONE_USAGE, NULL, "size %lld of dimension %s is negative", (long long)v,
			quote(b->arena, sym_name(symbol)->s, sym_name(symbol)->len));
	if (!had) {
		map_put(&b->to, MAP_PTR(symbol), (void *)to);
		return true;
	}
	sym_print(had, &old);
	sym_print(to, &new_);
	diag_error(&b->ctx->diags, HONE_USAGE, NULL, "dimension %s is given two sizes, %s and %s",
		quote(b->arena, sym_name(symbol)->s, sym_name(symbol)->len), old.data, new_.data);
	buf_free(&old);
	buf_free(&new_);
	return false;
}

/* One dim of an input: a lone symbol becomes the size everywhere; a number must agree. */
static bool bind_dim(Bind *b, const Value *input, int d, const Sym *declared, const Sym *given)
{
	if (declared == given)
		return true;
	if (sym_kind(declared) == SYM_SYMBOL)
		return bind_symbol(b, declared, given);
	const Sym *now = sym_substitute(b->ctx, declared, replacement, b);
	if (!sym_known_ne(b->ctx, now, given))
		return true;
	Buf is = { 0 }, want = { 0 };
	sym_print(declared, &is);
	sym_print(given, &want);
	diag_error(&b->ctx->diags, HONE_USAGE, NULL, "dimension %d of input %s is %s and cannot become %s", d,
		quote(b->arena, input->name->s, input->name->len), is.data, want.data);
	buf_free(&is);
	buf_free(&want);
	return false;
}

static Value *find_input(const Bind *b, const Str *name)
{
	const Block *body = b->module->main ? b->module->main->body : NULL;
	for (uint32_t i = 0; body && i < body->nargs; i++)
		if (body->args[i]->name == name)
			return body->args[i];
	return NULL;
}

static bool bind_input(Bind *b, const ShapeBinding *s)
{
	Value *v = find_input(b, s->input);
	if (!v) {
		VEC(const char *) names = { 0 };
		const Block *body = b->module->main ? b->module->main->body : NULL;
		for (uint32_t i = 0; body && i < body->nargs; i++)
			if (body->args[i]->name)
				VEC_PUSH(b->arena, &names, body->args[i]->name->s);
		return usage(b, s->input->s, names.data, names.len, "input");
	}
	if (v->type->kind != TYPE_TENSOR && v->type->kind != TYPE_UNKNOWN)
		return diag_error(&b->ctx->diags, HONE_USAGE, NULL, "input %s is not a tensor and has no shape",
			quote(b->arena, v->name->s, v->name->len));
	if (v->type->kind == TYPE_TENSOR && v->type->rank >= 0 && v->type->rank != s->rank)
		return diag_error(&b->ctx->diags, HONE_USAGE, NULL, "input %s has %d dimensions, but %d are given",
			quote(b->arena, v->name->s, v->name->len), v->type->rank, s->rank);
	bool ok = true;
	for (int d = 0; ok && v->type->kind == TYPE_TENSOR && v->type->rank >= 0 && d < s->rank; d++)
		ok = bind_dim(b, v, d, v->type->dims[d], s->dims[d]);
	for (int d = 0; ok && d < s->rank; d++) {
		int64_t size;
		if (sym_const(s->dims[d], &size) && size < 0)
			ok = diag_error(&b->ctx->diags, HONE_USAGE, NULL, "dimension %d of input %s is negative", d,
				quote(b->arena, v->name->s, v->name->len));
	}
	return ok;
}

static bool bind_one(Bind *b, const ShapeBinding *s)
{
	if (s->input)
		return bind_input(b, s);
	const Sym *symbol = sym_symbol(b->ctx, s->symbol);
	if (!map_has(&b->known, MAP_PTR(symbol)))
		return usage(b, s->symbol->s, b->names.data, b->names.len, "dimension");
	return bind_symbol(b, symbol, s->dims[0]);
}

/* First everything is checked and collected, then applied at once; inputs keep the given sizes where their own were
 * expressions or not declared at all. */
bool shape_bind(Module *m, const ShapeBinding *list, size_t n)
{
	Bind b = { .ctx = m->ctx, .module = m, .arena = arena_new() };
	map_init(&b.to, b.arena);
	map_init(&b.known, b.arena);
	for (Func *f = m->funcs; f; f = f->next)
		for (uint32_t i = 0; i < f->body->nargs; i++)
			note_type(&b, f->body->args[i]->type);
	module_walk(m, note_op, &b);
	bool ok = true;
	for (size_t i = 0; ok && i < n; i++)
		ok = bind_one(&b, &list[i]);
	if (ok && b.to.len > 0)
		shape_substitute(m, replacement, &b);
	for (size_t i = 0; ok && i < n; i++) {
		if (!list[i].input)
			continue;
		Value *v = find_input(&b, list[i].input);
		Type t = { .kind = TYPE_TENSOR, .dtype = v->type->kind == TYPE_TENSOR ? v->type->dtype : DT_NONE,
			.rank = list[i].rank, .dims = list[i].dims, .text = v->type->text };
		value_set_type(v, type_make(m->ctx, t));
	}
	arena_free(b.arena);
	return ok;
}

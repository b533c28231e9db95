#include "legalise_int.h"
#include "ops/label.h"

#include <string.h>

/* Outline: calls are found by name (the op "onnx.domain::name" calls the function "domain::name", with an overload
 * "domain::name:overload"). The body is copied before the call, arguments by operands, references to attributes by the
 * call's attributes or the function's defaults; calls inside the copy are inlined in turn. Functions cannot be recursive
 * (the reader checks), but a depth limit guards other sources. At last functions that nothing calls are dropped. */

#define INLINE_MAX_DEPTH 100

typedef struct Inliner {
	Module *m;
	Context *c;
	PassCtx *p;
	Arena *a;
	Map funcs;  /* MAP_PTR(name) -> Func: library functions */
	Map others; /* those that core.call names */
	bool changed;
} Inliner;

/* ---- attributes ---- */

/* Default that the function gives attribute `name`; *found also when it is of a kind that cannot be read. */
static const Attr *default_of(Inliner *n, const Func *f, const Str *name, bool *found)
{
	const Attr *list = named_attr(f->attrs, f->nattrs, str(n->c, "attribute_proto"));
	for (size_t i = 0; list && list->kind == ATTR_LIST && i < list->u.list.n; i++) {
		const Attr *entry = list->u.list.v[i];
		ProtoAttr a = entry->kind == ATTR_WIRE ? proto_attr(n->c, n->a, entry->u.str) : (ProtoAttr){ 0 };
		if (a.name == name) {
			*found = true;
			return a.value;
		}
	}
	return NULL;
}

/* ---- one call ---- */

typedef struct Binding {
	Inliner *n;
	const Op *call;
	const Func *f;
	bool ok;
} Binding;

/* Attributes of a copied op that refer to attributes of the function. An attribute that the call leaves out and that has
 * no default is absent in the copy as well. */
static bool bind_attrs(void *arg, Op *op)
{
	Binding *b = arg;
	for (size_t i = op->nattrs; i-- > 0;) {
		const Str *name = op->attrs[i].name;
		const Attr *v = op->attrs[i].value;
		ProtoAttr a = v->kind == ATTR_WIRE ? proto_attr(b->n->c, b->n->a, v->u.str) : (ProtoAttr){ 0 };
		if (!a.ref)
			continue;
		const Attr *given = op_attr_named(b->call, a.ref);
		bool found = given != NULL;
		if (!given)
			given = default_of(b->n, b->f, a.ref, &found);
		if (found && !given) {
			diag_error(&b->n->c->diags, HONE_UNSUPPORTED, op->loc, "attribute %s takes its value from the default of %s of "
					"function %s, which is neither a number nor text", name->s, a.ref->s, b->f->name->s);
			b->ok = false;
			return false;
		}
		op_set_attr(op, name, given);
	}
	return true;
}

/* Translates the copy at the opset of the function when that is not the caller's. */
typedef struct Translate {
	Inliner *n;
	InferCtx infer;
	int64_t opset;
} Translate;

static bool translate_op(void *arg, Op *op)
{
	Translate *t = arg;
	if (legalise_onnx_op(op, t->opset, &t->n->c->diags))
		infer_op(&t->infer, op);
	else if (op_kind(op) > OP_CORE_END)
		diag_warn(&t->n->c->diags, op->loc, "%s is from a function of opset %lld and is taken as of the model's",
				op_said_name(t->n->a, op), (long long)t->opset);
	return true;
}

static bool has_import(const Attr *imports, const Str *domain)
{
	bool standard = domain->len == 0 || !strcmp(domain->s, "ai.onnx");
	for (size_t i = 0; imports && imports->kind == ATTR_DICT && i < imports->u.list.n; i++) {
		const Str *name = imports->u.list.names[i];
		if (name == domain || (standard && (name->len == 0 || !strcmp(name->s, "ai.onnx"))))
			return true;
	}
	return false;
}

/* The model imports what its function does: ops of these domains move into it. Versions it has are not touched. */
static void add_imports(Inliner *n, const Func *f)
{
	Module *m = f->module;
	const Attr *own = named_attr(f->attrs, f->nattrs, n->c->attr_names[A_opset_imports]);
	const Attr *have = module_attr(m, "opset_imports");
	size_t count = have && have->kind == ATTR_DICT ? have->u.list.n : 0;
	if (!own || own->kind != ATTR_DICT)
		return;
	for (size_t i = 0; i < own->u.list.n; i++) {
		if (has_import(have, own->u.list.names[i]))
			continue;
		const Str **names = NEW_ARRAY(n->a, const Str *, count + 1);
		const Attr **versions = NEW_ARRAY(n->a, const Attr *, count + 1);
		for (size_t k = 0; k < count; k++) {
			names[k] = have->u.list.names[k];
			versions[k] = have->u.list.v[k];
		}
		names[count] = own->u.list.names[i];
		versions[count++] = own->u.list.v[i];
		have = attr_make(n->c, (Attr){ .kind = ATTR_DICT, .u.list = { versions, names, count } });
		module_set_attr(m, "opset_imports", have);
	}
}

static void translate_between(Inliner *n, Op *before, Op *call, int64_t opset)
{
	Diags quiet;
	Translate t = { .n = n, .opset = opset };
	diags_init(&quiet, n->a);
	infer_init(&t.infer, n->m, n->a, &quiet);
	for (Op *op = before ? before->next : call->block->first, *next; op != call; op = next) {
		next = op->next;
		for (size_t i = 0; i < op->nblocks; i++)
			if (op->blocks[i])
				block_walk(op->blocks[i], translate_op, &t);
		translate_op(&t, op);
	}
}

/* Stands for an absent argument while the body is copied. */
static Value *placeholder(Inliner *n, Op *call)
{
	const Type *t = type_unknown(n->c);
	OpSpec s = { .def = op_def(n->c, OP_optional), .types = &t, .nresults = 1 };
	return op_new(call->block, call, &s)->results[0];
}

/* Uses of argument i, which the call leaves out, become absent operands. False + diagnostic where an op needs it. */
static bool make_absent(Inliner *n, const Op *call, const Func *f, uint32_t i, Value *v)
{
	while (v->uses) {
		Op *user = v->uses->user;
		for (size_t k = 0; k < user->noperands; k++) {
			if (op_operand(user, k) != v)
				continue;
			op_set_operand(user, k, NULL);
			if (op_operand_optional(user->def, k))
				continue;
			const Str *name = f->body->args[i]->name;
			return diag_error(&n->c->diags, HONE_BAD_INPUT, call->loc, "function %s is called without input %u (%s), "
					"which %s in it needs", f->name->s, i, name ? name->s : "", op_said_name(n->a, user));
		}
	}
	return true;
}

/* Results of the call take over: uses, and names where the copy defines the value. */
static void replace_results(Op *call, const Func *f, const Map *map, uint32_t mark)
{
	const Op *end = block_terminator(f->body);
	for (size_t i = 0; i < call->nresults && i < end->noperands; i++) {
		Value *inner = op_operand(end, i), *old = call->results[i];
		Value *v = inner ? map_get(map, MAP_PTR(inner)) : NULL;
		if (!v)
			continue;
		if (v->def && v->def->id >= mark && old->name && old->name->len)
			value_set_name(v, old->name);
		value_replace_uses(old, v);
	}
}

/* Copies the body before the call and replaces it. False + diagnostic when an attribute cannot be bound. */
static bool inline_call(Inliner *n, Op *call, const Func *f)
{
	Map map;
	Op *before = call->prev;
	uint32_t mark = n->m->next_op;
	Value **absent = NEW_ARRAY(n->a, Value *, f->body->nargs + 1);
	map_init(&map, n->a);
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		Value *v = op_operand(call, i);
		if (!v)
			v = absent[i] = placeholder(n, call);
		map_put(&map, MAP_PTR(f->body->args[i]), v);
	}
	block_clone_into(f->body, call->block, call, &map, false);
	Binding b = { .n = n, .call = call, .f = f, .ok = true };
	for (Op *op = before ? before->next : call->block->first; b.ok && op != call; op = op->next) {
		if (!bind_attrs(&b, op))
			break;
		for (size_t i = 0; b.ok && i < op->nblocks; i++)
			if (op->blocks[i])
				block_walk(op->blocks[i], bind_attrs, &b);
	}
	for (uint32_t i = 0; i < f->body->nargs; i++)
		b.ok = (!absent[i] || make_absent(n, call, f, i, absent[i])) && b.ok;
	if (!b.ok)
		return false;
	int64_t opset = func_onnx_opset(f);
	add_imports(n, f);
	if (opset != func_onnx_opset(op_func(call)))
		translate_between(n, before, call, opset);
	replace_results(call, f, &map, mark);
	for (uint32_t i = 0; i < f->body->nargs; i++) { /* a result may be an argument as it is */
		b.ok = (!absent[i] || make_absent(n, call, f, i, absent[i])) && b.ok;
		if (absent[i] && !value_has_uses(absent[i]))
			op_erase(absent[i]->def);
	}
	n->changed = true;
	return b.ok;
}

/* ---- the pass ---- */

static const Func *callee_of(Inliner *n, const Op *op)
{
	const Str *name = op_is(op, OP_call) ? op_attr_str(op, A_callee) : op->def->name;
	if (!name || (op_kind(op) != OP_UNKNOWN && !op_is(op, OP_call) && op_kind(op) < OP_CORE_END))
		return NULL;
	const char *text = name->s;
	const Func *own = op_is(op, OP_call) ? map_get(&n->others, MAP_PTR(name)) : NULL;
	if (own && own->body->nargs == op->noperands)
		return own;
	if (!op_is(op, OP_call)) {
		if (strncmp(text, "onnx.", 5))
			return NULL;
		text += 5;
	}
	const Attr *overload = named_attr(op->meta, op->nmeta, n->c->attr_names[A_overload]);
	bool plain = !overload || overload->kind != ATTR_STR || overload->u.str->len == 0;
	const char *domain = strstr(text, "::") ? "" : "::"; /* of the default domain */
	const Str *key = plain ? str_fmt(n->c, "%s%s", domain, text)
		: str_fmt(n->c, "%s%s:%s", domain, text, overload->u.str->s);
	return map_get(&n->funcs, MAP_PTR(key));
}

static bool inline_block(Inliner *n, Block *b, int depth);

static bool inline_op(Inliner *n, Op *op, int depth)
{
	for (size_t i = 0; i < op->nblocks; i++)
		if (op->blocks[i] && !inline_block(n, op->blocks[i], depth))
			return false;
	const Func *f = callee_of(n, op);
	if (!f)
		return true;
	if (depth >= INLINE_MAX_DEPTH)
		return diag_error(&n->c->diags, HONE_LIMIT, op->loc, "functions call each other more than %d deep",
				INLINE_MAX_DEPTH);
	Op *before = op->prev;
	if (!inline_call(n, op, f))
		return true;
	for (Op *o = before ? before->next : op->block->first, *next; o != op; o = next) {
		next = o->next;
		if (!inline_op(n, o, depth + 1))
			return false;
	}
	op_erase(op);
	return true;
}

static bool inline_block(Inliner *n, Block *b, int depth)
{
	FOR_EACH_OP(op, b)
		if (!inline_op(n, op, depth))
			return false;
	return true;
}

typedef struct Reach {
	Inliner *n;
	Map *seen;
} Reach;

static bool mark_called(void *arg, Op *op);

static void mark(Reach *r, const Func *f)
{
	if (!f || map_has(r->seen, MAP_PTR(f)))
		return;
	map_put(r->seen, MAP_PTR(f), r->n);
	block_walk(f->body, mark_called, r);
}

/* Functions that an attribute names: the decomposition of a composite and the like. */
static void mark_named(Reach *r, const Attr *a)
{
	if (a->kind == ATTR_SYMREF)
		mark(r, map_get(&r->n->others, MAP_PTR(a->u.str)));
	for (size_t i = 0; a->kind == ATTR_LIST && i < a->u.list.n; i++)
		if (a->u.list.v[i]->kind == ATTR_SYMREF)
			mark(r, map_get(&r->n->others, MAP_PTR(a->u.list.v[i]->u.str)));
}

static bool mark_called(void *arg, Op *op)
{
	Reach *r = arg;
	mark(r, callee_of(r->n, op));
	for (size_t i = 0; i < op->nattrs; i++)
		mark_named(r, op->attrs[i].value);
	return true;
}

/* Not callable from outside. */
static bool is_inner(const Func *f)
{
	const Attr *v = named_attr(f->attrs, f->nattrs, str(f->module->ctx, "sym_visibility"));
	bool hidden = v && v->kind == ATTR_STR && !strcmp(v->u.str->s, "private");
	return f->is_library || (hidden && f != f->module->main);
}

/* Unlinks inner functions that nothing reaches any more. */
static void drop_uncalled(Inliner *n)
{
	Map seen;
	Reach r = { .n = n, .seen = &seen };
	map_init(&seen, n->a);
	for (Func *f = n->m->funcs; f; f = f->next)
		if (!is_inner(f))
			block_walk(f->body, mark_called, &r);
	Func **link = &n->m->funcs;
	while (*link) {
		Func *f = *link;
		if (is_inner(f) && !map_has(&seen, MAP_PTR(f)))
			*link = f->next;
		else
			link = &f->next;
	}
	n->m->last_func = link;
}

bool pass_inline(Module *m, PassCtx *p)
{
	Inliner n = { .m = m, .c = m->ctx, .p = p, .a = arena_new() };
	map_init(&n.funcs, n.a);
	map_init(&n.others, n.a);
	for (Func *f = m->funcs; f; f = f->next)
		if (f->name && f != m->main)
			map_put(f->is_library ? &n.funcs : &n.others, MAP_PTR(f->name), f);
	for (Func *f = m->funcs; n.funcs.len + n.others.len && f; f = f->next)
		if (!is_inner(f) && !inline_block(&n, f->body, 0))
			break;
	if (n.changed)
		drop_uncalled(&n);
	arena_free(n.a);
	return n.changed;
}

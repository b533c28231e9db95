#include "mlir.h"

#include <string.h>

#define MAX_ENTRIES 65535 /* of a list of named attributes: their counts are 16 bits wide */

/* ---- reserved attributes ---- */

static bool starts_with(const Str *s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s->len >= n && memcmp(s->s, prefix, n) == 0;
}

bool take_reserved(Parser *p, AttrVec *attrs, const char *name, AttrKind kind, const Attr **out)
{
	*out = NULL;
	for (size_t i = 0; i < attrs->len; i++) {
		const Attr *a = attrs->data[i].value;
		if (strcmp(attrs->data[i].name->s, name) != 0)
			continue;
		if (a->kind != kind && !(kind == ATTR_STRS && a->kind == ATTR_LIST))
			return parse_error(p, &p->tok, "malformed value of %s", name);
		*out = a;
		memmove(attrs->data + i, attrs->data + i + 1, (attrs->len - i - 1) * sizeof *attrs->data);
		attrs->len--;
		return true;
	}
	return true;
}

bool attrs_finish(Parser *p, AttrVec *attrs, const Token *at)
{
	const Str **names = NEW_ARRAY(p->scratch, const Str *, attrs->len + 1);
	for (size_t i = 0; i < attrs->len; i++) {
		const Str **name = &attrs->data[i].name;
		if (starts_with(*name, ESCAPED_PREFIX))
			*name = str_n(p->c, (*name)->s + strlen(ESCAPED_PREFIX), (*name)->len - strlen(ESCAPED_PREFIX));
		else if (starts_with(*name, RESERVED_PREFIX))
			return parse_error(p, at, "unexpected attribute %s", quote(p->scratch, (*name)->s, (*name)->len));
		names[i] = *name;
	}
	const Str *twice = name_given_twice(names, attrs->len, p->scratch);
	if (twice)
		return parse_error(p, at, "attribute %s is given twice", quote(p->scratch, twice->s, twice->len));
	return attrs->len <= MAX_ENTRIES || parse_limit(p, at, "more than %d attributes", MAX_ENTRIES);
}

NamedAttr *dict_entries(Module *m, const Attr *dict, uint16_t *n)
{
	size_t len = dict->u.list.n;
	NamedAttr *v = len ? NEW_ARRAY(m->arena, NamedAttr, len) : NULL;
	CHECK(len <= MAX_ENTRIES);
	for (size_t i = 0; i < len; i++)
		v[i] = (NamedAttr){ dict->u.list.names[i], dict->u.list.v[i] };
	*n = (uint16_t)len;
	return v;
}

/* The form of Func.arg_meta: ended by a NULL name; NULL when empty. */
static NamedAttr *terminated(Module *m, const AttrVec *v)
{
	if (!v->len)
		return NULL;
	NamedAttr *list = NEW_ARRAY(m->arena, NamedAttr, v->len + 1);
	memcpy(list, v->data, v->len * sizeof *list);
	return list;
}

static int name_order(const Str *a, const Str *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int d = memcmp(a->s, b->s, n);
	return d ? d : (a->len > b->len) - (a->len < b->len);
}

/* Merge sort by name: n may come from hostile text. */
static void sort_entries(NamedAttr *v, NamedAttr *tmp, size_t n)
{
	if (n < 2)
		return;
	size_t half = n / 2, i = 0, k = half, at = 0;
	sort_entries(v, tmp, half);
	sort_entries(v + half, tmp, n - half);
	memcpy(tmp, v, n * sizeof *v);
	while (i < half || k < n)
		v[at++] = k == n || (i < half && name_order(tmp[i].name, tmp[k].name) <= 0) ? tmp[i++] : tmp[k++];
}

static NamedAttr *sorted(Parser *p, const AttrVec *v, uint16_t *n)
{
	*n = (uint16_t)v->len;
	if (!v->len)
		return NULL;
	NamedAttr *list = arena_dup(p->m->arena, v->data, v->len * sizeof *list);
	sort_entries(list, NEW_ARRAY(p->scratch, NamedAttr, v->len), v->len);
	return list;
}

static void attr_add(Parser *p, AttrVec *v, const char *name, const Str *value)
{
	VEC_PUSH(p->scratch, v, ((NamedAttr){ str(p->c, name), attr_str(p->c, value) }));
}

static bool skip_loc(Parser *p)
{
	const Loc *l;
	const Str *alias;
	return !tok_at_word(p, "loc") || parse_loc(p, &l, &alias);
}

/* ---- blocks ---- */

/* `%x: type`, in blocks and functions alike. */
static bool parse_arg(Parser *p, Block *b)
{
	Token name = p->tok;
	if (!at(p, T_VALUE))
		return tok_expected(p, "an argument such as %x: tensor<2xf32>");
	tok_next(p);
	if (!tok_expect(p, T_COLON, "':' and the type"))
		return false;
	const Type *t = parse_type(p);
	if (!t)
		return false;
	Value *v = block_add_arg(b, t, NULL);
	Value **one = NEW(p->scratch, Value *);
	*one = v;
	return define_value(p, &name, one, 1);
}

bool parse_block_args(Parser *p, Block *b)
{
	if (!tok_expect(p, T_LPAREN, "'(' and the arguments"))
		return false;
	if (tok_accept(p, T_RPAREN))
		return true;
	do
		if (!parse_arg(p, b) || !skip_loc(p))
			return false;
	while (tok_accept(p, T_COMMA));
	return tok_expect(p, T_RPAREN, "',' or ')'");
}

/* `^bb0(%a: type, ...):`. */
static bool parse_label(Parser *p, Block *b)
{
	tok_next(p);
	if (at(p, T_LPAREN) && !parse_block_args(p, b))
		return false;
	return tok_expect(p, T_COLON, "':'");
}

bool parse_block(Parser *p, Block *b)
{
	while (!at(p, T_RBRACE)) {
		Token t = p->tok;
		if (at(p, T_BLOCK))
			return parse_unsupported(p, &t, "regions with more than one block are not supported");
		if (b->last && (b->last->def->traits & TRAIT_TERMINATOR))
			return parse_error(p, &t, "op after the %s that ends the block", b->last->def->name->s);
		if (!parse_op(p, b))
			return false;
	}
	if (b->last && (b->last->def->traits & TRAIT_TERMINATOR))
		return true;
	if (b->last && b->last->def->kind == OP_UNKNOWN && b != b->func->body) { /* it may be one */
		op_new(b, NULL, &(OpSpec){ .def = op_def(p->c, OP_yield), .loc = b->last->loc });
		return true;
	}
	parse_error(p, &p->tok, "the block does not end with a terminator");
	diag_hint(p->d, "functions end with return, other blocks with core.yield");
	return false;
}

bool parse_region(Parser *p, Block *b)
{
	size_t mark = scope_mark(p);
	if (!tok_expect(p, T_LBRACE, "'{'") || (at(p, T_BLOCK) && !parse_label(p, b)) || !parse_block(p, b))
		return false;
	tok_next(p);
	scope_pop(p, mark);
	return true;
}

/* ---- functions ---- */

typedef struct ResultText { /* a result as the signature has it */
	const Type *type;        /* NULL: not given */
	const Type *declared;    /* hone.declared */
	const Str *name;
	NamedAttr *meta;
	Token at;
} ResultText;

typedef struct FuncText {
	Token at;
	Func *f;
	VEC(const Attr *) defaults;
	VEC(NamedAttr *) arg_meta;
	VEC(ResultText) results;
	bool has_default, has_arg_meta;
	bool nameless;           /* some argument has only a type */
	AttrVec attrs;
} FuncText;

/* Attributes of an argument: its name, its default, and metadata. */
static bool finish_arg(Parser *p, FuncText *ft, Value *v, AttrVec *attrs, const Token *at)
{
	const Attr *name, *value;
	if (!take_reserved(p, attrs, "hone.name", ATTR_STR, &name) ||
		!take_reserved(p, attrs, "hone.default", ATTR_TENSOR, &value) || !torch_dims(p, attrs, v) ||
		!attrs_finish(p, attrs, at))
		return false;
	if (name)
		value_set_name(v, name->u.str);
	NamedAttr *meta = terminated(p->m, attrs);
	ft->has_default |= value != NULL;
	ft->has_arg_meta |= meta != NULL;
	VEC_PUSH(p->scratch, &ft->defaults, value);
	VEC_PUSH(p->scratch, &ft->arg_meta, meta);
	return true;
}

/* "arg0", "0": what printers call an argument that has no name. */
static bool is_numbered(const Value *v)
{
	int64_t n;
	const char *s = v->name ? v->name->s : "0";
	s = strncmp(s, "arg", 3) ? s : s + 3;
	return parse_int64(s, strlen(s), &n);
}

/* A location that is only a name says what the argument is called: so do JAX and hone. */
static bool parse_arg_loc(Parser *p, Value *v, bool named)
{
	const Loc *l = NULL;
	const Str *alias;
	if (!tok_at_word(p, "loc"))
		return true;
	if (!parse_loc(p, &l, &alias))
		return false;
	if (l && l->what && *l->what && !l->file && !l->line && !alias && !named && !p->torch && is_numbered(v))
		value_set_name(v, str(p->c, l->what));
	return true;
}

/* Of a declaration. */
static bool parse_nameless_arg(Parser *p, FuncText *ft)
{
	const Type *t = parse_type(p);
	if (t)
		block_add_arg(ft->f->body, t, str_arg(p->c, ft->f->body->nargs));
	ft->nameless = true;
	return t != NULL;
}

static bool parse_func_args(Parser *p, FuncText *ft)
{
	if (!tok_expect(p, T_LPAREN, "'(' and the arguments"))
		return false;
	if (tok_accept(p, T_RPAREN))
		return true;
	do {
		AttrVec attrs = { 0 };
		Token t = p->tok;
		if (!(at(p, T_VALUE) ? parse_arg(p, ft->f->body) : parse_nameless_arg(p, ft)) || (at(p, T_LBRACE) && !parse_dict(p, NULL, &attrs)))
			return false;
		Value *v = ft->f->body->args[ft->f->body->nargs - 1];
		const Str *name = v->name;
		if (!finish_arg(p, ft, v, &attrs, &t) || !parse_arg_loc(p, v, v->name != name))
			return false;
	} while (tok_accept(p, T_COMMA));
	return tok_expect(p, T_RPAREN, "',' or ')'");
}

static bool finish_result(Parser *p, FuncText *ft, const Type *t, AttrVec *attrs, const Token *at)
{
	const Attr *name, *declared;
	if (!torch_dims(p, attrs, NULL) || !take_reserved(p, attrs, "hone.name", ATTR_STR, &name) ||
		!take_reserved(p, attrs, "hone.declared", ATTR_TYPE, &declared) || !attrs_finish(p, attrs, at))
		return false;
	ResultText r = { t, declared ? declared->u.type : NULL, name ? name->u.str : NULL, terminated(p->m, attrs), *at };
	VEC_PUSH(p->scratch, &ft->results, r);
	return true;
}

static bool parse_func_results(Parser *p, FuncText *ft)
{
	if (!tok_accept(p, T_ARROW))
		return true;
	bool many = tok_accept(p, T_LPAREN);
	if (many && tok_accept(p, T_RPAREN))
		return true;
	do {
		AttrVec attrs = { 0 };
		Token t = p->tok;
		const Type *type = parse_type(p);
		if (!type || (many && at(p, T_LBRACE) && !parse_dict(p, NULL, &attrs)) || !finish_result(p, ft, type, &attrs, &t))
			return false;
	} while (many && tok_accept(p, T_COMMA));
	return !many || tok_expect(p, T_RPAREN, "',' or ')'");
}

/* Names and metadata of the results; the types must be those of the returned values. */
static bool set_results(Parser *p, FuncText *ft)
{
	Func *f = ft->f;
	const Op *ret = f->body->last;
	size_t n = ret->noperands;
	bool names = false, meta = false, types = false;
	if (!op_is(ret, OP_return))
		return parse_error(p, &ft->at, "the function ends with %s, expected return", ret->def->name->s);
	if (ft->results.len != n)
		return parse_error(p, &ft->at, "the function returns %zu values, but its type has %zu results", n, ft->results.len);
	for (size_t i = 0; i < n; i++) {
		const ResultText *r = &ft->results.data[i];
		Value *v = ret->operands[i].value;
		if (!v)
			return parse_error(p, &ft->at, "result %zu is absent", i);
		if (r->type && r->type->kind != TYPE_NONE && v->type->kind == TYPE_UNKNOWN) { /* of an op without types */
			value_set_type(v, r->type);
			p->nsound = 0;
		}
		if (r->type && !type_fits(v->type, r->type))
			return parse_error(p, &r->at, "result %zu has type %s, but the returned value has type %s", i,
				type_name(p, r->type), type_name(p, v->type));
		names |= r->name != NULL;
		meta |= r->meta != NULL;
		types |= r->declared != NULL;
	}
	if (names)
		f->result_names = NEW_ARRAY(p->m->arena, const Str *, n);
	if (meta)
		f->result_meta = NEW_ARRAY(p->m->arena, NamedAttr *, n);
	if (types)
		f->result_types = NEW_ARRAY(p->m->arena, const Type *, n);
	for (size_t i = 0; i < n; i++) {
		if (types)
			f->result_types[i] = ft->results.data[i].declared;
		if (names)
			f->result_names[i] = ft->results.data[i].name;
		if (meta)
			f->result_meta[i] = ft->results.data[i].meta;
	}
	return true;
}

static bool check_visibility(Parser *p, const AttrVec *v, const Token *at)
{
	for (size_t i = 0; i < v->len; i++)
		if (!strcmp(v->data[i].name->s, "sym_visibility") && !is_visibility(v->data[i].value))
			return parse_error(p, at, "sym_visibility is none of \"public\", \"private\" and \"nested\"");
	return true;
}

static bool set_func_attrs(Parser *p, FuncText *ft)
{
	const Attr *main, *library, *name, *meta;
	AttrVec *v = &ft->attrs;
	Func *f = ft->f;
	if (!take_reserved(p, v, "hone.main", ATTR_UNIT, &main) || !take_reserved(p, v, "hone.library", ATTR_UNIT, &library) ||
		!take_reserved(p, v, "hone.block", ATTR_STR, &name) || !take_reserved(p, v, "hone.block_meta", ATTR_DICT, &meta) ||
		!attrs_finish(p, v, &ft->at) || !check_visibility(p, v, &ft->at))
		return false;
	if (meta && meta->u.list.n > MAX_ENTRIES)
		return parse_limit(p, &ft->at, "more than %d metadata entries", MAX_ENTRIES);
	if (main && p->m->main)
		return parse_error(p, &ft->at, "a second function is marked hone.main");
	if (main)
		p->m->main = f;
	f->is_library = library != NULL;
	f->body->name = name ? name->u.str : NULL;
	if (meta)
		f->body->meta = dict_entries(p->m, meta, &f->body->nmeta);
	f->attrs = sorted(p, v, &f->nattrs);
	return true;
}

static bool finish_func(Parser *p, FuncText *ft)
{
	Func *f = ft->f;
	size_t n = f->body->nargs;
	if (ft->has_default)
		f->arg_default = arena_dup(p->m->arena, ft->defaults.data, n * sizeof *f->arg_default);
	if (ft->has_arg_meta)
		f->arg_meta = arena_dup(p->m->arena, ft->arg_meta.data, n * sizeof *f->arg_meta);
	return set_func_attrs(p, ft) && set_results(p, ft);
}

/* A function without a body. */
static bool finish_declaration(Parser *p, FuncText *ft)
{
	Func *f = ft->f;
	size_t n = ft->results.len;
	const Type **types = NEW_ARRAY(p->scratch, const Type *, n);
	if (ft->has_default)
		return parse_error(p, &ft->at, "a declaration has a default value");
	if (ft->has_arg_meta)
		f->arg_meta = arena_dup(p->m->arena, ft->arg_meta.data, f->body->nargs * sizeof *f->arg_meta);
	for (size_t i = 0; i < n; i++) {
		types[i] = ft->results.data[i].type;
		if (ft->results.data[i].meta && !f->result_meta)
			f->result_meta = NEW_ARRAY(p->m->arena, NamedAttr *, n);
		if (f->result_meta)
			f->result_meta[i] = ft->results.data[i].meta;
	}
	if (!set_func_attrs(p, ft))
		return false;
	func_declare(f, types, (uint32_t)n);
	return true;
}

static bool new_func(Parser *p, FuncText *ft, const Str *name, const Token *at)
{
	if (map_has(&p->funcs, MAP_PTR(name)))
		return parse_error(p, at, "function %s is already defined", quote(p->scratch, name->s, name->len));
	ft->at = *at;
	ft->f = p->func = func_new(p->m, name);
	map_put(&p->funcs, MAP_PTR(name), ft->f);
	return true;
}

/* func.func [visibility] @name(args) -> results [attributes {...}] { body }. */
static bool parse_func(Parser *p)
{
	FuncText ft = { 0 };
	const Str *name;
	size_t mark = scope_mark(p);
	tok_next(p);
	if (tok_at_word(p, "private") || tok_at_word(p, "public") || tok_at_word(p, "nested")) {
		attr_add(p, &ft.attrs, "sym_visibility", str_n(p->c, p->tok.s, p->tok.len));
		tok_next(p);
	}
	Token where = p->tok;
	if (!parse_symbol(p, &name) || !new_func(p, &ft, name, &where) || !parse_func_args(p, &ft) ||
		!parse_func_results(p, &ft))
		return false;
	if (tok_accept_word(p, "attributes") && !parse_dict(p, NULL, &ft.attrs))
		return false;
	if (!at(p, T_LBRACE)) {
		if (at(p, T_BAD))
			return tok_expected(p, "'{'");
		scope_pop(p, mark);
		return skip_loc(p) && finish_declaration(p, &ft);
	}
	if (ft.nameless)
		return parse_error(p, &where, "an argument of function %s has no name", quote(p->scratch, name->s, name->len));
	tok_next(p);
	if (!parse_block(p, ft.f->body))
		return false;
	tok_next(p);
	scope_pop(p, mark);
	return skip_loc(p) && finish_func(p, &ft);
}

/* ---- generic form of functions and modules ---- */

static const Attr *list_entry(const Attr *list, size_t i)
{
	return list && i < list->u.list.n && list->u.list.v[i]->kind == ATTR_DICT ? list->u.list.v[i] : NULL;
}

static void dict_to_vec(Parser *p, const Attr *dict, AttrVec *out)
{
	for (size_t i = 0; dict && i < dict->u.list.n; i++)
		VEC_PUSH(p->scratch, out, ((NamedAttr){ dict->u.list.names[i], dict->u.list.v[i] }));
}

bool parse_generic_head(Parser *p, AttrVec *attrs)
{
	if (!tok_expect(p, T_LPAREN, "'('") || !tok_expect(p, T_RPAREN, "')'"))
		return false;
	return !tok_accept(p, T_LESS) || (parse_dict(p, NULL, attrs) && tok_expect(p, T_GREATER, "'>'"));
}

/* The rest after the regions: attributes and `: () -> ()`. */
bool parse_generic_tail(Parser *p, AttrVec *attrs)
{
	if (at(p, T_LBRACE) && !parse_dict(p, NULL, attrs))
		return false;
	return tok_expect(p, T_COLON, "':'") && tok_expect(p, T_LPAREN, "'('") && tok_expect(p, T_RPAREN, "')'") &&
		tok_expect(p, T_ARROW, "'->'") && tok_expect(p, T_LPAREN, "'('") && tok_expect(p, T_RPAREN, "')'") && skip_loc(p);
}

/* `{}` is the body of a declaration. */
static bool parse_generic_body(Parser *p, Block *b, bool *declared)
{
	Lexer ahead = p->lex;
	*declared = at(p, T_LBRACE) && lex_next(&ahead).kind == T_RBRACE;
	if (!*declared)
		return parse_region(p, b);
	tok_next(p);
	tok_next(p);
	return true;
}

/* "func.func"() <{sym_name = "f", function_type = ..., arg_attrs = [...], ...}> ({ ... }) : () -> (). The name stands in
 * attributes that may come last, so the function gets it at the end. */
static bool parse_generic_func(Parser *p)
{
	FuncText ft = { .at = p->tok };
	const Attr *name, *type, *arg_attrs, *res_attrs;
	AttrVec *v = &ft.attrs;
	TypeVec in = { 0 }, out = { 0 };
	bool declared;
	tok_next(p);
	ft.f = p->func = func_new(p->m, p->c->empty);
	if (!parse_generic_head(p, v) || !tok_expect(p, T_LPAREN, "'(' and the body") ||
		!parse_generic_body(p, ft.f->body, &declared) || !tok_expect(p, T_RPAREN, "')'") || !parse_generic_tail(p, v) || !take_reserved(p, v, "sym_name", ATTR_STR, &name) ||
		!take_reserved(p, v, "function_type", ATTR_TYPE, &type) || !take_reserved(p, v, "arg_attrs", ATTR_LIST, &arg_attrs) ||
		!take_reserved(p, v, "res_attrs", ATTR_LIST, &res_attrs))
		return false;
	if (!name)
		return parse_error(p, &ft.at, "the function has no sym_name");
	if (map_has(&p->funcs, MAP_PTR(name->u.str)))
		return parse_error(p, &ft.at, "function %s is already defined", quote(p->scratch, name->u.str->s, name->u.str->len));
	ft.f->name = name->u.str;
	map_put(&p->funcs, MAP_PTR(ft.f->name), ft.f);
	if (declared && (!type || type->u.type->kind != TYPE_OPAQUE))
		return parse_error(p, &ft.at, "the declaration has no function_type");
	if (declared && !parse_signature(p, &ft.at, type->u.type->text, &in, &out))
		return false;
	for (size_t i = 0; i < in.len; i++)
		block_add_arg(ft.f->body, in.data[i], str_arg(p->c, i));
	for (uint32_t i = 0; i < ft.f->body->nargs; i++) {
		AttrVec attrs = { 0 };
		dict_to_vec(p, list_entry(arg_attrs, i), &attrs);
		if (!finish_arg(p, &ft, ft.f->body->args[i], &attrs, &ft.at))
			return false;
	}
	for (size_t i = 0; i < (declared ? out.len : ft.f->body->last->noperands); i++) {
		AttrVec attrs = { 0 };
		dict_to_vec(p, list_entry(res_attrs, i), &attrs);
		if (!finish_result(p, &ft, declared ? out.data[i] : NULL, &attrs, &ft.at))
			return false;
	}
	return declared ? finish_declaration(p, &ft) : finish_func(p, &ft);
}

/* ---- modules ---- */

/* `#map = attribute`, `#loc1 = loc(...)`, `!t = type`. */
static bool parse_alias(Parser *p)
{
	Token t = p->tok;
	const Str *later;
	Alias *a = NEW(p->scratch, Alias);
	const Str *name = str_n(p->c, t.s, t.len);
	tok_next(p);
	if (!tok_expect(p, T_EQUAL, "'='"))
		return false;
	if (map_has(&p->aliases, MAP_PTR(name)))
		return parse_error(p, &t, "alias %s is already defined", quote(p->scratch, t.s, t.len));
	if (memchr(t.s, '.', t.len))
		return parse_error(p, &t, "the name of an alias holds no point: that is how dialect attributes look");
	const char *start = p->tok.s;
	size_t expanded = p->expanded;
	p->deepest = p->depth;
	if (t.kind == T_BANG)
		a->type = parse_type(p);
	else if (!tok_at_word(p, "loc"))
		a->attr = parse_attr(p, NULL);
	else if (!parse_loc(p, &a->loc, &later))
		return false;
	if (!a->type && !a->attr && !a->loc)
		return false;
	a->weight = (size_t)(p->last_end - start) + (p->expanded - expanded);
	a->depth = p->deepest - p->depth;
	map_put(&p->aliases, MAP_PTR(name), a);
	seen_forget(p);
	return true;
}

static bool at_generic(const Parser *p, const char *name)
{
	return at(p, T_STRING) && p->tok.len == strlen(name) + 2 && !memcmp(p->tok.s + 1, name, strlen(name));
}

/* Functions, aliases and resources up to `end`. */
static bool parse_items(Parser *p, TokenKind end)
{
	while (!at(p, end)) {
		bool ok;
		if (tok_at_word(p, "func.func") || tok_at_word(p, "func"))
			ok = parse_func(p);
		else if (at_generic(p, "func.func"))
			ok = parse_generic_func(p);
		else if (at(p, T_HASH) || at(p, T_BANG))
			ok = parse_alias(p);
		else if (at(p, T_META_BEGIN))
			ok = parse_resources(p);
		else if (p->torch && tok_at_word(p, "util.global"))
			ok = parse_torch_global(p);
		else if (tok_at_word(p, "module") || tok_at_word(p, "builtin.module") || at_generic(p, "builtin.module"))
			ok = parse_unsupported(p, &p->tok, "a module inside another or beside it is not supported");
		else if (at(p, T_STRING))
			ok = parse_generic_item(p);
		else if (at_line_item(p))
			ok = parse_line_item(p);
		else
			ok = tok_expected(p, end == T_END ? "module, func.func or the end of the file" : "func.func or '}'");
		if (!ok)
			return false;
	}
	return true;
}

static bool set_module_attrs(Parser *p, AttrVec *v, const Token *at)
{
	const Attr *format, *no_main;
	if (!take_reserved(p, v, "hone.format", ATTR_STR, &format) ||
		!take_reserved(p, v, "hone.no_main", ATTR_UNIT, &no_main) || !attrs_finish(p, v, at) ||
		!check_visibility(p, v, at))
		return false;
	if (format)
		p->m->format = format->u.str;
	if (!no_main && !p->m->main)
		p->m->main = module_default_main(p->m);
	set_items(p, v);
	p->m->attrs = sorted(p, v, &p->m->nattrs);
	return true;
}

/* module [@name] [attributes {...}] { ... }. */
static bool parse_module(Parser *p, AttrVec *attrs)
{
	const Str *name;
	tok_next(p);
	if (at(p, T_SYMBOL)) {
		if (!parse_symbol(p, &name))
			return false;
		attr_add(p, attrs, "sym_name", name);
	}
	if (tok_accept_word(p, "attributes") && !parse_dict(p, NULL, attrs))
		return false;
	return tok_expect(p, T_LBRACE, "'{'") && parse_items(p, T_RBRACE) && tok_expect(p, T_RBRACE, "'}'") && skip_loc(p);
}

static bool parse_generic_module(Parser *p, AttrVec *attrs)
{
	tok_next(p);
	return parse_generic_head(p, attrs) && tok_expect(p, T_LPAREN, "'(' and the body") && tok_expect(p, T_LBRACE, "'{'") &&
		(!at(p, T_BLOCK) || (tok_next(p), tok_expect(p, T_COLON, "':'"))) && parse_items(p, T_RBRACE) &&
		tok_expect(p, T_RBRACE, "'}'") && tok_expect(p, T_RPAREN, "')'") && parse_generic_tail(p, attrs);
}

static bool apply_fixups(Parser *p)
{
	for (size_t i = 0; i < p->fixups.len; i++) {
		const LocFixup *f = &p->fixups.data[i];
		const Alias *a = map_get(&p->aliases, MAP_PTR(f->alias));
		if (!a || !a->loc)
			return parse_error(p, &f->at, "location %s is not defined", quote(p->scratch, f->alias->s, f->alias->len));
		f->op->loc = a->loc;
	}
	return true;
}

static bool parse_file(Parser *p)
{
	AttrVec attrs = { 0 };
	if (!text_scan(p))
		return false;
	if (p->lex.end - p->lex.start >= 3 && !memcmp(p->lex.start, "\xEF\xBB\xBF", 3)) {
		p->lex.p = p->lex.start + 3;
		tok_next(p);
	}
	while (at(p, T_HASH) || at(p, T_BANG))
		if (!parse_alias(p))
			return false;
	Token t = p->tok;
	bool ok = true;
	if (tok_at_word(p, "module") || tok_at_word(p, "builtin.module"))
		ok = parse_module(p, &attrs);
	else if (at_generic(p, "builtin.module"))
		ok = parse_generic_module(p, &attrs);
	else if (at(p, T_END))
		ok = tok_expected(p, "module or func.func");
	return ok && parse_items(p, T_END) && apply_fixups(p) && resources_finish(p) &&
		torch_finish(p, &attrs) && set_module_attrs(p, &attrs, &t);
}

/* mapped: the text is a mapped file. */
static Module *read_text(Context *c, const char *name, Bytes text, bool mapped, const ReadOptions *o)
{
	Arena *scratch = arena_new();
	Parser p;
	Module *m = module_new(c);
	parser_init(&p, c, &c->diags, scratch, str(c, name)->s, text);
	if (o && o->max_depth > 0)
		p.max_depth = o->max_depth;
	if (o && o->max_nodes > 0)
		p.max_ops = o->max_nodes;
	p.m = m;
	p.options = o;
	p.lex.resident = mapped ? p.lex.start : NULL;
	m->path = arena_strdup(m->arena, name);
	m->format = str(c, "mlir");
	bool ok = parse_file(&p);
	m->sound_at = !p.torch && p.nsound == m->next_op ? m->edits : 0;
	torch_params_close(&p);
	arena_free(scratch);
	if (!ok) {
		module_free(m);
		return NULL;
	}
	return m;
}

Module *mlir_parse(Context *c, const char *name, Bytes text)
{
	return read_text(c, name, text, false, NULL);
}

Module *mlir_read(Context *c, MappedFile *f, const ReadOptions *o)
{
	return read_text(c, f->path, (Bytes){ f->data, f->len }, f->mapped, o);
}

/* The first word decides; aliases, which other texts may begin with too, say less. Bytecode is another format. */
int mlir_sniff(Bytes head, const char *path)
{
	Lexer l = { .line = 1 };
	l.start = l.p = l.line_start = head.len ? (const char *)head.data : "";
	l.end = l.start + head.len;
	if (head.len >= 3 && !memcmp(l.p, "\xEF\xBB\xBF", 3))
		l.p += 3;
	Token t = lex_next(&l), after = lex_next(&l);
	if (t.kind == T_WORD && (token_is(&t, "module") || token_is(&t, "builtin.module") || token_is(&t, "func.func")))
		return 95;
	if (t.kind == T_STRING && (token_is(&t, "\"builtin.module\"") || token_is(&t, "\"func.func\"")))
		return 95;
	if ((t.kind == T_HASH || t.kind == T_BANG) && after.kind == T_EQUAL)
		return 80;
	size_t n = path ? strlen(path) : 0;
	bool text = head.len == 0 || !memchr(head.data, 0, head.len);
	return n > 5 && !strcmp(path + n - 5, ".mlir") && text ? 40 : 0;
}

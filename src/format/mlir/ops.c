#include "shlo.h"
#include "ops/stablehlo.h"

#include <string.h>

#define MAX_ATTRS 4096   /* of one op */

/* ---- the parts of an op ---- */

/* `%a, %b:2 =`. */
static bool parse_results(Parser *p, OpText *o)
{
	if (!at(p, T_VALUE))
		return true;
	do {
		int64_t n = 1;
		Token t = p->tok;
		if (!at(p, T_VALUE))
			return tok_expected(p, "a result such as %y");
		tok_next(p);
		if (tok_accept(p, T_COLON)) {
			Token count = p->tok;
			if (!parse_size(p, &n))
				return false;
			if (n < 1 || n > MAX_OPERANDS)
				return parse_error(p, &count, "a result group has 1 to %u results", MAX_OPERANDS);
		}
		VEC_PUSH(p->scratch, &o->names, t);
		VEC_PUSH(p->scratch, &o->counts, (uint32_t)n);
		o->nresults += (size_t)n;
		if (o->nresults > MAX_OPERANDS)
			return parse_limit(p, &t, "more than %u results", MAX_OPERANDS);
	} while (tok_accept(p, T_COMMA));
	return tok_expect(p, T_EQUAL, "'='");
}

bool parse_operand(Parser *p, OpText *o)
{
	Token t = p->tok;
	Value *v = NULL;
	if (!tok_accept_word(p, "_") && !parse_use(p, &v))
		return false;
	if (o->operands.len == MAX_OPERANDS)
		return parse_limit(p, &t, "more than %u operands", MAX_OPERANDS);
	VEC_PUSH(p->scratch, &o->operands, v);
	VEC_PUSH(p->scratch, &o->operand_at, t);
	return true;
}

bool parse_operands(Parser *p, OpText *o)
{
	if (!tok_expect(p, T_LPAREN, "'(' and the operands"))
		return false;
	if (!at(p, T_RPAREN))
		do
			if (!parse_operand(p, o))
				return false;
		while (tok_accept(p, T_COMMA));
	return tok_expect(p, T_RPAREN, "',' or ')'");
}

static bool parse_regions(Parser *p, OpText *o)
{
	if (!tok_accept(p, T_LPAREN))
		return true;
	do {
		Block *b = block_new(p->func, NULL);
		if (o->blocks.len == UINT16_MAX)
			return parse_limit(p, &p->tok, "more than %d regions", UINT16_MAX);
		if (!parse_region(p, b))
			return false;
		VEC_PUSH(p->scratch, &o->blocks, b);
	} while (tok_accept(p, T_COMMA));
	return tok_expect(p, T_RPAREN, "',' or ')'");
}

bool type_fits(const Type *a, const Type *b)
{
	if (a == b || a->kind == TYPE_UNKNOWN || b->kind == TYPE_UNKNOWN)
		return true;
	if (a->kind != b->kind || a->dtype != b->dtype || a->rank != b->rank || a->nelem != b->nelem || a->text != b->text)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i] && !sym_is_unknown(a->dims[i]) && !sym_is_unknown(b->dims[i]))
			return false;
	for (int i = 0; i < a->nelem; i++)
		if (!type_fits(a->elem[i], b->elem[i]))
			return false;
	return true;
}

const char *type_name(Parser *p, const Type *t)
{
	Buf b = { 0 };
	print_type(p->c, t, &b);
	const char *s = arena_strdup(p->scratch, b.data);
	buf_free(&b);
	return s;
}

static bool check_operand_type(Parser *p, const OpText *o, size_t i, const Type *t, const Token *where)
{
	const Value *v = o->operands.data[i];
	const Token *use = &o->operand_at.data[i];
	if (v ? type_fits(v->type, t) : t->kind == TYPE_NONE)
		return true;
	if (!v)
		return parse_error(p, where, "operand %zu is absent: its type is none, found %s", i, type_name(p, t));
	return parse_error(p, where, "%.*s has type %s, found %s", (int)(use->len < 100 ? use->len : 100), use->s,
		type_name(p, v->type), type_name(p, t));
}

/* The types of all operands, separated by commas. */
bool parse_operand_types(Parser *p, OpText *o, TokenKind end)
{
	for (size_t i = 0; i < o->operands.len; i++) {
		if (i > 0 && !tok_expect(p, T_COMMA, "',' and the next operand's type"))
			return false;
		Token where = p->tok;
		const Type *t = parse_type(p);
		if (!t || !check_operand_type(p, o, i, t, &where))
			return false;
	}
	return end == T_END || tok_expect(p, end, "')' after the operands' types");
}

bool parse_result_types(Parser *p, OpText *o)
{
	bool many = tok_accept(p, T_LPAREN);
	if (many && tok_accept(p, T_RPAREN))
		return true;
	do {
		const Type *t = parse_type(p);
		if (!t)
			return false;
		VEC_PUSH(p->scratch, &o->types, t);
	} while (many && tok_accept(p, T_COMMA));
	return !many || tok_expect(p, T_RPAREN, "',' or ')'");
}

/* `: (operand types) -> result types`; after a bare name also `: result type` or nothing. */
static bool parse_op_types(Parser *p, OpText *o)
{
	if (!o->quoted && !at(p, T_COLON))
		return true;
	if (!tok_expect(p, T_COLON, "':' and the types"))
		return false;
	o->typed = true;
	if (at(p, T_LPAREN)) {
		tok_next(p);
		if (!parse_operand_types(p, o, T_RPAREN) || !tok_expect(p, T_ARROW, "'->'"))
			return false;
	} else if (o->quoted) {
		return tok_expected(p, "'(' and the operands' types");
	}
	return parse_result_types(p, o);
}

/* <{...}> and {...} hold attributes alike. */
bool parse_op_attrs(Parser *p, OpText *o)
{
	if (at(p, T_LESS)) {
		tok_next(p);
		if (!parse_dict(p, o->def, &o->attrs) || !tok_expect(p, T_GREATER, "'>'"))
			return false;
	}
	if (!parse_regions(p, o))
		return false;
	return !at(p, T_LBRACE) || parse_dict(p, o->def, &o->attrs);
}

/* ---- names and metadata ---- */

/* Entry i of a list of names: a string, or unit for "as the SSA name says". */
static const Str *listed_name(const Attr *list, size_t i)
{
	if (list->kind == ATTR_STRS)
		return list->u.strs.v[i];
	return list->u.list.v[i]->kind == ATTR_STR ? list->u.list.v[i]->u.str : NULL;
}

static bool set_names(Parser *p, const Attr *list, Value **values, size_t n, const Token *at)
{
	size_t len = list->kind == ATTR_STRS ? list->u.strs.n : list->kind == ATTR_LIST ? list->u.list.n : n + 1;
	if (len > n)
		return parse_error(p, at, "expected a list of at most %zu names", n);
	for (size_t i = 0; i < len; i++) {
		const Str *s = listed_name(list, i);
		if (s)
			value_set_name(values[i], s);
	}
	return true;
}

/* One entry of hone.blocks: unit or {args = [names], meta = {...}, name = "..."}. */
static bool set_block(Parser *p, Block *b, const Attr *a, const Token *at)
{
	if (a->kind == ATTR_UNIT)
		return true;
	for (size_t i = 0; a->kind == ATTR_DICT && i < a->u.list.n; i++) {
		const char *key = a->u.list.names[i]->s;
		const Attr *v = a->u.list.v[i];
		if (!strcmp(key, "args")) {
			if (!set_names(p, v, b->args, b->nargs, at))
				return false;
		} else if (!strcmp(key, "name") && v->kind == ATTR_STR) {
			b->name = v->u.str;
		} else if (!strcmp(key, "meta") && v->kind == ATTR_DICT && v->u.list.n <= MAX_ATTRS) {
			b->meta = dict_entries(p->m, v, &b->nmeta);
		} else {
			return parse_error(p, at, "malformed entry %s of hone.blocks", quote(p->scratch, key, strlen(key)));
		}
	}
	return a->kind == ATTR_DICT || parse_error(p, at, "malformed hone.blocks");
}

static bool finish_blocks(Parser *p, OpText *o, const Attr *list)
{
	size_t n = list ? list->u.list.n : 0;
	if (n > o->blocks.len)
		return parse_error(p, &o->at, "hone.blocks has %zu entries for %zu regions", n, o->blocks.len);
	for (size_t i = 0; i < n; i++)
		if (!set_block(p, o->blocks.data[i], list->u.list.v[i], &o->at))
			return false;
	return true;
}

/* ---- building ---- */

static bool result_types(Parser *p, OpText *o, OpSpec *s)
{
	size_t n = o->types.len;
	if (!o->typed)
		n = o->nresults ? o->nresults : o->def->min_results;
	if (o->typed && o->nresults && o->nresults != n)
		return parse_error(p, &o->at, "%zu results have names, but %zu types are given", o->nresults, n);
	if (!o->typed && n > UINT16_MAX) /* a few bytes of text must not ask for gigabytes */
		return parse_limit(p, &o->at, "more than %d results without types", UINT16_MAX);
	s->nresults = n;
	s->types = o->typed ? o->types.data : NULL;
	return true;
}

static bool define_results(Parser *p, OpText *o, Op *op)
{
	size_t first = 0;
	for (size_t i = 0; i < o->names.len; i++) {
		if (!define_value(p, &o->names.data[i], op->results + first, o->counts.data[i]))
			return false;
		first += o->counts.data[i];
	}
	return true;
}

static bool has_reserved(const AttrVec *v)
{
	for (size_t i = 0; i < v->len; i++)
		if (!strncmp(v->data[i].name->s, RESERVED_PREFIX, sizeof RESERVED_PREFIX - 1))
			return true;
	return false;
}

bool build_op(Parser *p, Block *b, OpText *o)
{
	const Attr *name, *names, *meta, *blocks;
	AttrVec *v = &o->attrs;
	if (o->def->kind >= SHLO_abs || o->def->kind == OP_call)
		shlo_normalise(p, o);
	if (v->len > MAX_ATTRS)
		return parse_limit(p, &o->at, "%zu attributes, at most %d are supported", v->len, MAX_ATTRS);
	name = names = meta = blocks = NULL;
	if (has_reserved(v) && (!take_reserved(p, v, "hone.node", ATTR_STR, &name) || !take_reserved(p, v, "hone.names", ATTR_STRS, &names) ||
		!take_reserved(p, v, "hone.meta", ATTR_DICT, &meta) || !take_reserved(p, v, "hone.blocks", ATTR_LIST, &blocks)))
		return false;
	if (!attrs_finish(p, v, &o->at))
		return false;
	OpSpec s = { .def = o->def, .operands = o->operands.data, .noperands = o->operands.len, .attrs = v->data,
		.nattrs = v->len, .nblocks = o->blocks.len, .loc = o->loc, .name = name ? name->u.str : NULL };
	if (!result_types(p, o, &s))
		return false;
	if (++p->nops > p->max_ops)
		return parse_limit(p, &o->at, "more than %lld ops", (long long)p->max_ops);
	if (meta && meta->u.list.n > MAX_ATTRS)
		return parse_limit(p, &o->at, "more than %d metadata entries", MAX_ATTRS);
	Op *op = op_new(b, NULL, &s);
	if (meta)
		op->meta = dict_entries(p->m, meta, &op->nmeta);
	if (o->loc_alias)
		VEC_PUSH(p->scratch, &p->fixups, ((LocFixup){ op, o->loc_alias, o->at }));
	if (!finish_blocks(p, o, blocks))
		return false;
	for (size_t i = 0; i < o->blocks.len; i++)
		op_set_block(op, i, o->blocks.data[i]);
	p->nsound += shlo_op_fits(op);
	return define_results(p, o, op) && (!names || set_names(p, names, op->results, op->nresults, &o->at)) &&
		op_check(p, op, &o->at);
}

bool parse_trailing_loc(Parser *p, OpText *o)
{
	Loc l = token_loc(p, &o->at);
	o->loc = NULL;
	if (tok_at_word(p, "loc")) {
		if (!parse_loc(p, &o->loc, &o->loc_alias))
			return false;
	} else {
		l.offset = -1;
		o->loc = arena_dup(p->c->arena, &l, sizeof l); /* no other op stands there; the file's name is interned */
	}
	return true;
}

/* `return %a, %b : t, u`. */
static bool parse_return(Parser *p, Block *b, OpText *o)
{
	tok_next(p);
	o->def = op_def(p->c, OP_return);
	o->typed = true;
	if (at(p, T_VALUE)) {
		do
			if (!parse_operand(p, o))
				return false;
		while (tok_accept(p, T_COMMA));
		if (!tok_expect(p, T_COLON, "',' or ':'") || !parse_operand_types(p, o, T_END))
			return false;
	}
	return parse_trailing_loc(p, o) && build_op(p, b, o);
}

bool unknown_op(Parser *p, const Token *t)
{
	VEC(const char *) names = { 0 };
	parse_error(p, t, "unknown op %s", quote(p->scratch, t->s, t->len));
	VEC_RESERVE(p->scratch, &names, OP_KIND_COUNT);
	for (int k = 0; k < OP_KIND_COUNT; k++) {
		const OpDef *d = k == OP_UNKNOWN || k == OP_CORE_END ? NULL : op_def(p->c, (OpKind)k);
		if (d && d->name)
			VEC_PUSH(p->scratch, &names, d->name->s);
	}
	const char *near = nearest_name(str_n(p->c, t->s, t->len)->s, names.data, names.len);
	if (near)
		diag_hint(p->d, "did you mean %s?", near);
	else
		diag_hint(p->d, "ops that hone does not know are written in quotes: \"dialect.op\"(...)");
	return false;
}

static bool parse_quoted_name(Parser *p, OpText *o)
{
	const Str *name;
	if (!parse_string(p, &name))
		return false;
	if (name->len == 0)
		return parse_error(p, &o->at, "empty name of an op");
	if (!strcmp(name->s, "func.return"))
		o->def = op_def(p->c, OP_return);
	else if (!strcmp(name->s, "func.call"))
		o->def = op_def(p->c, OP_call);
	else
		o->def = op_def_find(p->c, name->s, name->len);
	seen_put(p, SEEN_OP, o->at.s, o->at.len, o->def);
	return true;
}

/* A bare name must be in the tables; a quoted one may be anything. */
static bool parse_op_name(Parser *p, OpText *o)
{
	o->at = p->tok;
	o->quoted = at(p, T_STRING);
	if (o->quoted) {
		o->def = seen_find(p, SEEN_OP, p->tok.s, p->tok.len);
		if (!o->def)
			return parse_quoted_name(p, o);
		tok_next(p);
		return true;
	}
	if (!at(p, T_WORD))
		return tok_expected(p, "an op");
	o->def = op_def_find(p->c, p->tok.s, p->tok.len);
	if (o->def->kind == OP_UNKNOWN)
		return unknown_op(p, &p->tok);
	tok_next(p);
	return true;
}

static bool parse_op_here(Parser *p, Block *b, OpText *o)
{
	if (!parse_results(p, o))
		return false;
	o->at = p->tok;
	const DialectSyntax *syntax = at(p, T_WORD) ? dialect_syntax(p, &p->tok) : NULL;
	if (syntax)
		return syntax->parse(p, b, o);
	if (!o->names.len && (tok_at_word(p, "return") || tok_at_word(p, "func.return")))
		return parse_return(p, b, o);
	if (!parse_op_name(p, o) || !parse_operands(p, o))
		return false;
	if (at(p, T_LBRACKET))
		return parse_unsupported(p, &p->tok, "ops with successor blocks are not supported");
	if (!parse_op_attrs(p, o) || !parse_op_types(p, o) || !parse_trailing_loc(p, o))
		return false;
	bool ok;
	return o->quoted && build_torch_generic(p, b, o, &ok) ? ok : build_op(p, b, o);
}

/* An empty one, with the memory of one that is done where there is such. */
static OpText *take_op_text(Parser *p)
{
	OpText *o = p->spare;
	if (!o)
		return NEW(p->scratch, OpText);
	OpText old = *o;
	*o = (OpText){ .names = old.names, .counts = old.counts, .operands = old.operands, .operand_at = old.operand_at,
		.blocks = old.blocks, .types = old.types, .attrs = old.attrs };
	o->names.len = o->counts.len = o->operands.len = o->operand_at.len = o->blocks.len = o->types.len = o->attrs.len = 0;
	p->spare = old.next;
	return o;
}

bool parse_op(Parser *p, Block *b)
{
	if (!parser_enter(p))
		return false;
	OpText *o = take_op_text(p);
	bool ok = parse_op_here(p, b, o);
	o->next = p->spare;
	p->spare = o;
	parser_leave(p);
	text_passed(&p->lex, p->tok.s);
	return ok;
}

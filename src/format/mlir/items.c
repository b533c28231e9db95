#include "mlir.h"

#include <string.h>

/* What stands beside functions with a body: declarations, and ops that hone does not know, such as meshes of devices. Those
 * are kept in the module's attribute hone.items: a text as it came, or {attrs = {...}, op = "name"} of a generic one. */

#define MAX_ITEMS 65535

static void add_item(Parser *p, const Attr *item)
{
	VEC_PUSH(p->scratch, &p->items, item);
}

/* "sdy.mesh"() <{...}> {...} : () -> (). */
bool parse_generic_item(Parser *p)
{
	AttrVec v = { 0 };
	const Str *name;
	Token t = p->tok;
	if (p->items.len == MAX_ITEMS)
		return parse_limit(p, &t, "more than %d ops beside functions", MAX_ITEMS);
	if (!parse_string(p, &name) || !parse_generic_head(p, &v))
		return false;
	if (at(p, T_LPAREN))
		return parse_unsupported(p, &t, "%s, an op with regions beside functions, is not supported",
			quote(p->scratch, name->s, name->len));
	if (!parse_generic_tail(p, &v) || !attrs_finish(p, &v, &t))
		return false;
	const Str **names = NEW_ARRAY(p->scratch, const Str *, v.len);
	const Attr **values = NEW_ARRAY(p->scratch, const Attr *, v.len);
	for (size_t i = 0; i < v.len; i++) {
		names[i] = v.data[i].name;
		values[i] = v.data[i].value;
	}
	const Attr *attrs = attr_make(p->c, (Attr){ .kind = ATTR_DICT, .u.list = { values, names, v.len } });
	const Str *const keys[] = { str(p->c, "attrs"), str(p->c, "op") };
	const Attr *const entries[] = { attrs, attr_str(p->c, name) };
	add_item(p, attr_make(p->c, (Attr){ .kind = ATTR_DICT, .u.list = { entries, keys, 2 } }));
	return true;
}

/* A dialect whose ops are all known cannot have one more. */
bool at_line_item(const Parser *p)
{
	static const char *const known[] = { "builtin", "check", "chlo", "core", "func", "hone", "onnx", "stablehlo", "torch", "util" };
	const char *dot = at(p, T_WORD) ? memchr(p->tok.s, '.', p->tok.len) : NULL;
	size_t len = dot ? (size_t)(dot - p->tok.s) : 0;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strlen(known[i]) == len && !memcmp(known[i], p->tok.s, len))
			return false;
	return len > 0;
}

/* sdy.mesh @mesh = <["x"=2]>: to the end of the line. */
bool parse_line_item(Parser *p)
{
	const Str *text;
	if (p->items.len == MAX_ITEMS)
		return parse_limit(p, &p->tok, "more than %d ops beside functions", MAX_ITEMS);
	if (!parse_line_text(p, &text))
		return false;
	add_item(p, attr_make(p->c, (Attr){ .kind = ATTR_TEXT, .u.str = text }));
	const Loc *l;
	const Str *alias;
	return !tok_at_word(p, "loc") || parse_loc(p, &l, &alias);
}

void set_items(Parser *p, AttrVec *v)
{
	if (p->items.len)
		VEC_PUSH(p->scratch, v, ((NamedAttr){ str(p->c, MODULE_ITEMS), attr_make(p->c, (Attr){ .kind = ATTR_LIST,
			.u.list = { p->items.data, NULL, p->items.len } }) }));
}

/* `(T, U) -> (V)` as types; the text is one of a function type. */
bool parse_signature(Parser *p, const Token *where, const Str *text, TypeVec *in, TypeVec *out)
{
	Parser sub;
	TypeVec *list[] = { in, out };
	parser_init(&sub, p->c, p->d, p->scratch, p->file, (Bytes){ (const uint8_t *)text->s, text->len });
	sub.max_depth = p->max_depth;
	for (size_t i = 0; i < 2; i++) {
		bool many = tok_accept(&sub, T_LPAREN), empty = many && tok_accept(&sub, T_RPAREN);
		if (i == 0 && !many)
			return parse_error(p, where, "malformed function type");
		while (!empty) {
			const Type *t = parse_type(&sub);
			if (!t)
				return false;
			VEC_PUSH(p->scratch, list[i], t);
			if (!many || !tok_accept(&sub, T_COMMA))
				break;
		}
		if ((many && !empty && !tok_expect(&sub, T_RPAREN, "')'")) || (i == 0 && !tok_expect(&sub, T_ARROW, "'->'")))
			return false;
	}
	return at(&sub, T_END) || parse_error(p, where, "malformed function type");
}

/* ---- printing ---- */

static void print_generic_item(Printer *w, const Attr *a)
{
	const Attr *attrs = a->u.list.v[0];
	bool first = true;
	print_string(w->out, a->u.list.v[1]->u.str);
	buf_puts(w->out, "() ");
	for (size_t i = 0; i < attrs->u.list.n; i++)
		print_entry(w, attrs->u.list.names[i], attrs->u.list.v[i], NULL, &first);
	buf_puts(w->out, first ? ": () -> ()" : "} : () -> ()");
}

static bool is_generic_item(const Attr *a)
{
	return a->kind == ATTR_DICT && a->u.list.n == 2 && a->u.list.v[0]->kind == ATTR_DICT && a->u.list.v[1]->kind == ATTR_STR;
}

void print_items(Printer *w, const Module *m)
{
	const Attr *items = module_attr(m, MODULE_ITEMS);
	for (size_t i = 0; items && items->kind == ATTR_LIST && i < items->u.list.n; i++) {
		const Attr *a = items->u.list.v[i];
		if (a->kind != ATTR_TEXT && !is_generic_item(a))
			continue;
		buf_puts(w->out, "  ");
		if (a->kind == ATTR_TEXT)
			buf_put(w->out, a->u.str->s, a->u.str->len);
		else
			print_generic_item(w, a);
		buf_puts(w->out, "\n");
	}
}

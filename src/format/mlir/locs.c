#include "mlir.h"

#include <string.h>

/* A location of hone is a file with line and column, a byte offset and a text that says what stood there. In MLIR's terms
 * the text is a name location around the rest, and the offset is the metadata of a fused one:
 *   loc("conv1"(fused<120>["model.onnx":0:0])). */

/* ---- printing ---- */

static void print_place(const Loc *l, Buf *out)
{
	if (!l->file && !l->line && !l->col) {
		buf_puts(out, "unknown");
		return;
	}
	print_bytes(out, l->file ? l->file : "", l->file ? strlen(l->file) : 0);
	buf_printf(out, ":%u:%u", (unsigned)l->line, (unsigned)l->col);
}

static void print_anonymous(const Loc *l, Buf *out)
{
	if (l->offset != -1)
		buf_printf(out, "fused<%lld>[", (long long)l->offset);
	print_place(l, out);
	if (l->offset != -1)
		buf_puts(out, "]");
}

void print_loc(const Loc *l, Buf *out)
{
	buf_puts(out, "loc(");
	if (l->what) {
		bool alone = !l->file && !l->line && !l->col && l->offset == -1;
		print_bytes(out, l->what, strlen(l->what));
		if (!alone) {
			buf_puts(out, "(");
			print_anonymous(l, out);
			buf_puts(out, ")");
		}
	} else {
		print_anonymous(l, out);
	}
	buf_puts(out, ")");
}

/* ---- parsing ---- */

static bool parse_body(Parser *p, Loc *l);

static bool parse_number32(Parser *p, uint32_t *out)
{
	int64_t v;
	Token t = p->tok;
	if (!parse_size(p, &v))
		return false;
	if (v > UINT32_MAX)
		return parse_error(p, &t, "line or column %lld is out of range", (long long)v);
	*out = (uint32_t)v;
	return true;
}

/* "file":line:col, with MLIR's optional ` to [line]:col` dropped; or "name" with an optional location in parentheses. */
static bool parse_string_loc(Parser *p, Loc *l)
{
	const Str *s;
	uint32_t ignored;
	if (!parse_string(p, &s))
		return false;
	if (tok_accept(p, T_COLON)) {
		l->file = s->len ? s->s : NULL;
		if (!parse_number32(p, &l->line) || !tok_expect(p, T_COLON, "':'") || !parse_number32(p, &l->col))
			return false;
		if (!tok_accept_word(p, "to"))
			return true;
		if (at(p, T_INT) && !parse_number32(p, &ignored))
			return false;
		return tok_expect(p, T_COLON, "':'") && parse_number32(p, &ignored);
	}
	if (tok_accept(p, T_LPAREN) && (!parse_body(p, l) || !tok_expect(p, T_RPAREN, "')'")))
		return false;
	l->what = s->s;
	return true;
}

static bool loc_is_empty(const Loc *l)
{
	return !l->file && !l->line && !l->col && !l->what && l->offset == -1;
}

/* fused<metadata>[a, b]: the first that says something; a number as metadata is our byte offset. */
static bool parse_fused(Parser *p, Loc *l)
{
	int64_t offset = -1;
	if (tok_accept(p, T_LESS)) {
		const Attr *a = parse_attr(p, NULL);
		if (!a || !tok_expect(p, T_GREATER, "'>'"))
			return false;
		offset = a->kind == ATTR_INT ? a->u.i : -1;
	}
	if (!tok_expect(p, T_LBRACKET, "'['"))
		return false;
	for (bool first = true; !tok_accept(p, T_RBRACKET); first = false) {
		Loc one = { .offset = -1 };
		if ((!first && !tok_expect(p, T_COMMA, "',' or ']'")) || !parse_body(p, &one))
			return false;
		if (loc_is_empty(l))
			*l = one;
	}
	if (offset != -1)
		l->offset = offset;
	return true;
}

static bool parse_callsite(Parser *p, Loc *l)
{
	Loc caller = { .offset = -1 };
	if (!tok_expect(p, T_LPAREN, "'('") || !parse_body(p, l))
		return false;
	if (!tok_accept_word(p, "at"))
		return tok_expected(p, "'at'");
	return parse_body(p, &caller) && tok_expect(p, T_RPAREN, "')'");
}

static bool parse_body_here(Parser *p, Loc *l)
{
	if (at(p, T_STRING))
		return parse_string_loc(p, l);
	if (tok_accept_word(p, "unknown"))
		return true;
	if (tok_accept_word(p, "fused"))
		return parse_fused(p, l);
	if (tok_accept_word(p, "callsite"))
		return parse_callsite(p, l);
	if (tok_at_word(p, "loc")) {
		tok_next(p);
		return tok_expect(p, T_LPAREN, "'('") && parse_body(p, l) && tok_expect(p, T_RPAREN, "')'");
	}
	if (!at(p, T_HASH))
		return tok_expected(p, "a location");
	const Alias *a = alias_find(p, &p->tok);
	if (a && a->loc)
		*l = *a->loc;
	tok_next(p);
	return true;
}

static bool parse_body(Parser *p, Loc *l)
{
	if (!parser_enter(p))
		return false;
	bool ok = parse_body_here(p, l);
	parser_leave(p);
	return ok;
}

bool parse_loc(Parser *p, const Loc **out, const Str **alias)
{
	Loc l = { .offset = -1 };
	tok_next(p);
	*alias = NULL;
	if (!tok_expect(p, T_LPAREN, "'('"))
		return false;
	if (at(p, T_HASH) && !alias_find(p, &p->tok))
		*alias = str_n(p->c, p->tok.s, p->tok.len);
	if (!parse_body(p, &l) || !tok_expect(p, T_RPAREN, "')'"))
		return false;
	*out = loc_new(p->c, l);
	return true;
}

#include "mlir.h"

#include <string.h>

/* Bytes that aliases may stand for in all: so many, and this many times the size of the text. */
#define EXPANSION_BYTES ((size_t)16 << 20)
#define EXPANSION_FACTOR 16
#define DEFAULT_DEPTH 256
#define DEFAULT_OPS 5000000

void parser_init(Parser *p, Context *c, Diags *d, Arena *scratch, const char *file, Bytes text)
{
	*p = (Parser){ .c = c, .d = d, .scratch = scratch, .file = file, .max_depth = DEFAULT_DEPTH, .max_ops = DEFAULT_OPS };
	const char *s = text.len ? (const char *)text.data : "";
	p->lex = (Lexer){ .start = s, .p = s, .end = s + text.len, .line_start = s, .line = 1 };
	p->last_end = s;
	map_init(&p->values, scratch);
	map_init(&p->aliases, scratch);
	map_init(&p->funcs, scratch);
	map_init(&p->resources, scratch);
	p->tok = lex_next(&p->lex);
}

void tok_next(Parser *p)
{
	p->last_end = p->tok.s + p->tok.len;
	p->tok = lex_next(&p->lex);
}

/* ---- errors ---- */

Loc token_loc(const Parser *p, const Token *t)
{
	return (Loc){ .file = p->file, .line = t->line, .col = t->col, .offset = t->s - p->lex.start };
}

static bool report(Parser *p, HoneStatus status, const Token *at, const char *fmt, va_list ap)
{
	Loc loc = token_loc(p, at);
	return diag_error(p->d, status, &loc, "%s", arena_vprintf(p->scratch, fmt, ap));
}

bool parse_error(Parser *p, const Token *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(p, HONE_BAD_INPUT, at, fmt, ap);
	va_end(ap);
	return false;
}

bool parse_limit(Parser *p, const Token *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(p, HONE_LIMIT, at, fmt, ap);
	va_end(ap);
	return false;
}

bool parse_unsupported(Parser *p, const Token *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(p, HONE_UNSUPPORTED, at, fmt, ap);
	va_end(ap);
	return false;
}

bool tok_expected(Parser *p, const char *what)
{
	if (at(p, T_BAD))
		return parse_error(p, &p->tok, "%s", p->lex.bad);
	if (at(p, T_END))
		return parse_error(p, &p->tok, "found the end of the file, expected %s", what);
	return parse_error(p, &p->tok, "found %s, expected %s", quote(p->scratch, p->tok.s, p->tok.len), what);
}

/* ---- tokens ---- */

bool tok_expect(Parser *p, TokenKind kind, const char *what)
{
	return tok_accept(p, kind) || tok_expected(p, what);
}

bool token_is(const Token *t, const char *text)
{
	return strlen(text) == t->len && memcmp(t->s, text, t->len) == 0;
}

bool tok_at_word(const Parser *p, const char *word)
{
	return at(p, T_WORD) && token_is(&p->tok, word);
}

bool tok_accept_word(Parser *p, const char *word)
{
	if (!tok_at_word(p, word))
		return false;
	tok_next(p);
	return true;
}

bool tok_adjacent(const Parser *p)
{
	return p->tok.s == p->last_end;
}

bool parser_enter(Parser *p)
{
	if (p->depth >= p->max_depth)
		return parse_limit(p, &p->tok, "nested more than %d deep", p->max_depth);
	if (++p->depth > p->deepest)
		p->deepest = p->depth;
	return true;
}

void parser_leave(Parser *p)
{
	p->depth--;
}

/* ---- strings, numbers, symbols ---- */

/* One escape at s, which stands behind the backslash; the bytes that it took, 0 when it is none. */
static size_t unescape(const char *s, size_t len, char *out)
{
	if (len >= 2 && hex_value(s[0]) >= 0 && hex_value(s[1]) >= 0) {
		*out = (char)(hex_value(s[0]) * 16 + hex_value(s[1]));
		return 2;
	}
	if (len == 0)
		return 0;
	*out = s[0] == 'n' ? '\n' : s[0] == 't' ? '\t' : s[0];
	return s[0] == 'n' || s[0] == 't' || s[0] == '"' || s[0] == '\\';
}

/* s: text with its quotes. */
static bool unquote(Parser *p, const Token *at, const char *s, size_t len, const Str **out)
{
	s++;
	len -= 2;
	if (!memchr(s, '\\', len)) {
		*out = str_n(p->c, s, len);
		return true;
	}
	char *text = arena_alloc(p->scratch, len + 1);
	size_t n = 0;
	for (size_t i = 0; i < len; n++) {
		if (s[i] != '\\') {
			text[n] = s[i++];
			continue;
		}
		size_t step = unescape(s + i + 1, len - i - 1, &text[n]);
		if (step == 0) {
			Token where = *at;
			where.col += (uint32_t)(s + i - at->s);
			where.s = s + i;
			parse_error(p, &where, "unknown escape in a string");
			diag_hint(p->d, "escapes are \\\" \\\\ \\n \\t and two hexadecimal digits");
			return false;
		}
		i += 1 + step;
	}
	*out = str_n(p->c, text, n);
	return true;
}

bool parse_string(Parser *p, const Str **out)
{
	if (!at(p, T_STRING))
		return tok_expected(p, "a string");
	Token t = p->tok;
	tok_next(p);
	return unquote(p, &t, t.s, t.len, out);
}

bool parse_symbol(Parser *p, const Str **out)
{
	if (!at(p, T_SYMBOL))
		return tok_expected(p, "a symbol such as @main");
	Token t = p->tok;
	tok_next(p);
	if (t.s[1] == '"')
		return unquote(p, &t, t.s + 1, t.len - 1, out);
	*out = str_n(p->c, t.s + 1, t.len - 1);
	return true;
}

bool parse_size(Parser *p, int64_t *out)
{
	if (!at(p, T_INT))
		return tok_expected(p, "a number");
	if (!parse_int64(p->tok.s, p->tok.len, out))
		return parse_error(p, &p->tok, "number %s is out of range", quote(p->scratch, p->tok.s, p->tok.len));
	tok_next(p);
	return true;
}

/* ---- verbatim text ---- */

const Str *source_text(Parser *p, const char *start)
{
	return str_n(p->c, start, (size_t)(p->last_end - start));
}

Alias *alias_find(const Parser *p, const Token *t)
{
	return p->aliases.len ? map_get(&p->aliases, MAP_PTR(str_n(p->c, t->s, t->len))) : NULL;
}

bool alias_use(Parser *p, const Alias *a)
{
	size_t limit = EXPANSION_BYTES + EXPANSION_FACTOR * (size_t)(p->lex.end - p->lex.start);
	if (a->depth > p->max_depth - p->depth)
		return parse_limit(p, &p->tok, "aliases nest more than %d deep", p->max_depth);
	if (p->expanded > limit || a->weight > limit - p->expanded)
		return parse_limit(p, &p->tok, "aliases expand to more than %zu bytes", limit);
	p->expanded += a->weight;
	if (p->depth + a->depth > p->deepest)
		p->deepest = p->depth + a->depth;
	tok_next(p);
	return true;
}

const Str *alias_text(Parser *p, Alias *a)
{
	if (!a->text && a->attr)
		a->text = attr_spelling(p->c, a->attr);
	else if (!a->text && a->type)
		a->text = type_spelling(p->c, a->type);
	return a->text;
}

typedef struct Verbatim {
	const char *from;     /* source text not copied yet */
	VEC(char) text;
	bool replaced;
} Verbatim;

static void verbatim_add(Parser *p, Verbatim *v, const char *s, size_t n)
{
	if (n == 0)
		return;
	VEC_RESERVE(p->scratch, &v->text, v->text.len + n);
	memcpy(v->text.data + v->text.len, s, n);
	v->text.len += n;
}

/* Consumes the current token; an alias is replaced by its text. */
static bool verbatim_token(Parser *p, Verbatim *v)
{
	Alias *a = at(p, T_HASH) || at(p, T_BANG) ? alias_find(p, &p->tok) : NULL;
	const Str *text = a ? alias_text(p, a) : NULL;
	if (!text) {
		tok_next(p);
		return true;
	}
	verbatim_add(p, v, v->from, (size_t)(p->tok.s - v->from));
	verbatim_add(p, v, text->s, text->len);
	v->from = p->tok.s + p->tok.len;
	v->replaced = true;
	if (v->from < p->lex.end && *v->from == '=') /* a bracket at the end of the alias would become >= */
		verbatim_add(p, v, " ", 1);
	return alias_use(p, a);
}

static const Str *verbatim_end(Parser *p, Verbatim *v, const char *end)
{
	if (!v->replaced)
		return str_n(p->c, v->from, (size_t)(end - v->from));
	verbatim_add(p, v, v->from, (size_t)(end - v->from));
	return str_n(p->c, v->text.data, v->text.len);
}

static TokenKind closing(TokenKind open)
{
	switch (open) {
	case T_LPAREN: return T_RPAREN;
	case T_LBRACE: return T_RBRACE;
	case T_LBRACKET: return T_RBRACKET;
	case T_LESS: return T_GREATER;
	default: return T_END;
	}
}

static bool is_closing(TokenKind k)
{
	return k == T_RPAREN || k == T_RBRACE || k == T_RBRACKET || k == T_GREATER;
}

/* ">=" and "<=" in affine constraints are no brackets. */
static bool is_comparison(const Parser *p)
{
	const char *e = p->tok.s + p->tok.len;
	return (at(p, T_GREATER) || at(p, T_LESS)) && e < p->lex.end && *e == '=';
}

/* Skips balanced tokens. With `whole` the current token opens the group and the one that closes it is consumed; else the
 * first closing bracket without a partner ends the text and stays. */
static bool skip_group(Parser *p, Verbatim *v, bool whole)
{
	TokenKind stack[DEFAULT_DEPTH];
	size_t n = 0;
	do {
		if (at(p, T_END) || at(p, T_BAD))
			return tok_expected(p, "the end of a bracketed text");
		TokenKind close = is_comparison(p) ? T_END : closing(p->tok.kind);
		if (close != T_END) {
			if (n == ARRAY_LEN(stack))
				return parse_limit(p, &p->tok, "brackets are nested more than %d deep", DEFAULT_DEPTH);
			stack[n++] = close;
		} else if (is_closing(p->tok.kind) && !is_comparison(p)) {
			if (n == 0)
				return true;
			if (stack[n - 1] != p->tok.kind)
				return tok_expected(p, stack[n - 1] == T_RPAREN ? "')'" : stack[n - 1] == T_RBRACE ? "'}'" :
					stack[n - 1] == T_RBRACKET ? "']'" : "'>'");
			n--;
		}
		if (!verbatim_token(p, v))
			return false;
	} while (n > 0 || !whole);
	return true;
}

bool parse_group_text(Parser *p, const char *start, const Str **out)
{
	Verbatim v = { .from = start };
	if (!skip_group(p, &v, true))
		return false;
	*out = verbatim_end(p, &v, p->last_end);
	return true;
}

bool parse_group_skip(Parser *p)
{
	Verbatim v = { .from = p->tok.s };
	return skip_group(p, &v, true);
}

bool parse_line_text(Parser *p, const Str **out)
{
	Verbatim v = { .from = p->tok.s };
	do {
		if (at(p, T_BAD))
			return tok_expected(p, "the rest of an op");
		if (closing(p->tok.kind) != T_END ? !skip_group(p, &v, true) : !verbatim_token(p, &v))
			return false;
	} while (!at(p, T_END) && !is_closing(p->tok.kind) && !tok_at_word(p, "loc") &&
		!memchr(p->last_end, '\n', (size_t)(p->tok.s - p->last_end)));
	*out = verbatim_end(p, &v, p->last_end);
	return true;
}

bool parse_rest_text(Parser *p, const Str **out)
{
	Verbatim v = { .from = p->tok.s };
	if (is_closing(p->tok.kind))
		return tok_expected(p, "an attribute");
	if (!skip_group(p, &v, false))
		return false;
	*out = verbatim_end(p, &v, p->last_end);
	return true;
}

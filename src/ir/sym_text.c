#include "sym_poly.h"

#include <string.h>

/* sum    = ["-"] product { ("+" | "-") product }
 * product = factor { "*" factor }
 * factor = number | name | "?" [["i"] number] | ("floordiv" | "mod" | "min" | "max") "(" sum { "," sum } ")" | "(" sum ")"
 * name   = [A-Za-z_] [A-Za-z0-9_.$]* | a quoted text with \" \\ \xx escapes */

static bool is_name_start(unsigned char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

static bool is_digit(unsigned char ch)
{
	return ch >= '0' && ch <= '9';
}

static bool is_name_char(unsigned char ch)
{
	return is_name_start(ch) || is_digit(ch) || ch == '.' || ch == '$';
}

static void print_name(const Str *name, Buf *out)
{
	bool plain = name->len > 0 && is_name_start((unsigned char)name->s[0]);
	for (uint32_t i = 0; i < name->len && plain; i++)
		plain = is_name_char((unsigned char)name->s[i]);
	if (plain) {
		buf_put(out, name->s, name->len);
		return;
	}
	buf_puts(out, "\"");
	for (uint32_t i = 0; i < name->len;) {
		unsigned char ch = (unsigned char)name->s[i];
		size_t step = utf8_length((const uint8_t *)name->s + i, name->len - i);
		if (ch == '"' || ch == '\\')
			buf_printf(out, "\\%c", ch);
		else if (ch < 0x20 || ch == 0x7f || step == 0)
			buf_printf(out, "\\%02x", ch);
		else
			buf_put(out, &name->s[i], step);
		i += step ? (uint32_t)step : 1;
	}
	buf_puts(out, "\"");
}

static void print_function(const Sym *s, Buf *out)
{
	static const char *const names[] = {
		[TAG_FLOORDIV] = "floordiv", [TAG_MOD] = "mod", [TAG_MIN] = "min", [TAG_MAX] = "max"
	};
	buf_puts(out, names[s->tag]);
	for (uint32_t i = 0; i < s->nargs; i++) {
		buf_puts(out, i == 0 ? "(" : ",");
		sym_print(s->args[i], out);
	}
	buf_puts(out, ")");
}

static void print_term(const Term *t, bool first, Buf *out)
{
	uint64_t size = abs_u64(t->coef);
	if (t->coef < 0)
		buf_puts(out, "-");
	else if (!first)
		buf_puts(out, "+");
	if (size != 1)
		buf_printf(out, "%llu*", (unsigned long long)size);
	bool star = false;
	for (uint32_t i = 0; i < t->nfactors; i++)
		for (uint32_t k = 0; k < t->factors[i].power; k++) {
			if (star)
				buf_puts(out, "*");
			sym_print(t->factors[i].atom, out);
			star = true;
		}
}

void sym_print(const Sym *s, Buf *out)
{
	switch (s->tag) {
	case TAG_CONST:
		buf_printf(out, "%lld", (long long)s->value);
		break;
	case TAG_SYMBOL:
		print_name(s->name, out);
		break;
	case TAG_UNKNOWN:
	case TAG_UNKNOWN_INT:
		buf_put(out, s->name->s, s->name->len);
		break;
	case TAG_SUM:
		for (uint32_t i = 0; i < s->nterms; i++)
			print_term(&s->terms[i], i == 0, out);
		if (s->value)
			buf_printf(out, "%+lld", (long long)s->value);
		break;
	default:
		print_function(s, out);
	}
}

/* ---- parser: recursive descent with a depth limit; a failure makes every level return NULL ---- */

typedef struct Parser {
	Context *ctx;
	const char *s;
	size_t len, pos;
	int depth;
} Parser;

#define PARSE_MAX_DEPTH 100

static void skip_space(Parser *p)
{
	while (p->pos < p->len && (p->s[p->pos] == ' ' || p->s[p->pos] == '\t'))
		p->pos++;
}

/* The next character that is not a space; 0 at the end. */
static unsigned char peek(Parser *p)
{
	skip_space(p);
	return p->pos < p->len ? (unsigned char)p->s[p->pos] : 0;
}

static bool accept(Parser *p, char ch)
{
	if (peek(p) != (unsigned char)ch || ch == 0)
		return false;
	p->pos++;
	return true;
}

static const Sym *parse_sum(Parser *p);

/* Digits with the sign that stood before them, so that the smallest number can be read. */
static const Sym *parse_number(Parser *p, bool negative)
{
	int64_t v = 0;
	while (p->pos < p->len && is_digit((unsigned char)p->s[p->pos])) {
		int64_t digit = p->s[p->pos++] - '0';
		if (!mul_ok(v, 10, &v) || !add_ok(v, negative ? -digit : digit, &v))
			return NULL;
	}
	return sym_int(p->ctx, v);
}

static int hex_digit(unsigned char ch)
{
	return is_digit(ch) ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

static const Sym *parse_quoted(Parser *p)
{
	char *text = arena_alloc(p->ctx->arena, p->len - p->pos + 1);
	size_t n = 0;
	while (p->pos < p->len && p->s[p->pos] != '"') {
		char ch = p->s[p->pos++];
		if (ch == '\\') {
			if (p->pos >= p->len)
				return NULL;
			ch = p->s[p->pos++];
			if (ch != '"' && ch != '\\') {
				int hi = hex_digit((unsigned char)ch), lo = p->pos < p->len ? hex_digit((unsigned char)p->s[p->pos++]) : -1;
				if (hi < 0 || lo < 0)
					return NULL;
				ch = (char)(hi * 16 + lo);
			}
		}
		text[n++] = ch;
	}
	if (p->pos++ >= p->len)
		return NULL;
	return sym_symbol(p->ctx, str_n(p->ctx, text, n));
}

/* "?" is a fresh unknown; with a serial it is the same one wherever it stands. */
static const Sym *parse_unknown(Parser *p)
{
	bool any_sign = p->pos + 1 < p->len && p->s[p->pos] == 'i' && is_digit((unsigned char)p->s[p->pos + 1]);
	if (any_sign)
		p->pos++;
	if (p->pos >= p->len || !is_digit((unsigned char)p->s[p->pos]))
		return sym_unknown(p->ctx);
	int64_t serial;
	const Sym *n = parse_number(p, false);
	if (!n || !sym_const(n, &serial) || serial == INT64_MAX)
		return NULL;
	return sym_unknown_serial(p->ctx, any_sign ? TAG_UNKNOWN_INT : TAG_UNKNOWN, (uint64_t)serial);
}

typedef const Sym *BinaryFn(Context *c, const Sym *a, const Sym *b);

static const Sym *parse_call(Parser *p, BinaryFn *fn, bool many)
{
	const Sym *r = parse_sum(p);
	int n = 1;
	for (; r && accept(p, ','); n++) {
		const Sym *b = parse_sum(p);
		r = b ? fn(p->ctx, r, b) : NULL;
	}
	return r && accept(p, ')') && (many ? n >= 2 : n == 2) ? r : NULL;
}

static const Sym *parse_name(Parser *p)
{
	static const struct {
		const char *name;
		BinaryFn *fn;
		bool many;
	} functions[] = {
		{ "floordiv", sym_floordiv, false }, { "mod", sym_mod, false }, { "min", sym_min, true }, { "max", sym_max, true }
	};
	size_t start = p->pos;
	while (p->pos < p->len && is_name_char((unsigned char)p->s[p->pos]))
		p->pos++;
	const char *name = p->s + start;
	size_t n = p->pos - start;
	if (p->pos < p->len && p->s[p->pos] == '(') {
		p->pos++;
		for (size_t i = 0; i < ARRAY_LEN(functions); i++)
			if (strlen(functions[i].name) == n && memcmp(functions[i].name, name, n) == 0)
				return parse_call(p, functions[i].fn, functions[i].many);
		return NULL;
	}
	return sym_symbol(p->ctx, str_n(p->ctx, name, n));
}

static const Sym *parse_factor(Parser *p, bool negative)
{
	unsigned char ch = peek(p);
	if (is_digit(ch))
		return parse_number(p, negative);
	const Sym *r = NULL;
	if (is_name_start(ch)) {
		r = parse_name(p);
	} else if (accept(p, '?')) {
		r = parse_unknown(p);
	} else if (accept(p, '"')) {
		r = parse_quoted(p);
	} else if (accept(p, '(')) {
		r = parse_sum(p);
		r = r && accept(p, ')') ? r : NULL;
	}
	return r && negative ? sym_neg(p->ctx, r) : r;
}

static const Sym *parse_product(Parser *p, bool negative)
{
	const Sym *r = parse_factor(p, negative);
	while (r && accept(p, '*')) {
		const Sym *b = parse_factor(p, false);
		r = b ? sym_mul(p->ctx, r, b) : NULL;
	}
	return r;
}

static const Sym *parse_sum(Parser *p)
{
	if (++p->depth > PARSE_MAX_DEPTH)
		return NULL;
	const Sym *r = parse_product(p, accept(p, '-'));
	while (r && (peek(p) == '+' || peek(p) == '-')) {
		bool negative = p->s[p->pos++] == '-';
		const Sym *b = parse_product(p, negative);
		r = b ? sym_add(p->ctx, r, b) : NULL;
	}
	p->depth--;
	return r;
}

const Sym *sym_parse(Context *c, const char *s, size_t len, size_t *used)
{
	Parser p = { .ctx = c, .s = s, .len = len };
	const Sym *r = parse_sum(&p);
	if (r && used)
		*used = p.pos;
	else if (r && (skip_space(&p), p.pos < len))
		return NULL; /* no place to say how much was read: all of it must be */
	return r;
}

#include "mlir.h"

#include <string.h>

/* ---- tensors ----
 * Sizes are read character by character, because `1x3xf32` is no sequence of MLIR tokens: 12, ? (a fresh unknown) or a
 * symbolic expression in brackets, each followed by x; `*x` means that the rank is not known. */

static bool dim_error(Parser *p, const char *q, const char *what)
{
	Token t = { .s = q, .len = 1, .line = p->lex.line, .col = (uint32_t)(q - p->lex.line_start) + 1 };
	if (q >= p->lex.end)
		return parse_error(p, &t, "found the end of the file, expected %s", what);
	return parse_error(p, &t, "found %s, expected %s", quote(p->scratch, q, 1), what);
}

/* [expression]; *q stands behind the bracket and is moved behind the closing one. */
static const Sym *parse_symbolic(Parser *p, const char **q)
{
	const char *start = *q, *s = start;
	for (bool quoted = false; s < p->lex.end && *s != '\n' && (quoted || *s != ']'); s++) {
		if (*s == '"')
			quoted = !quoted;
		else if (quoted && *s == '\\' && s + 1 < p->lex.end)
			s++;
	}
	if (s >= p->lex.end || *s != ']')
		return dim_error(p, s, "']'"), NULL;
	const Sym *sym = sym_parse(p->c, start, (size_t)(s - start), NULL);
	int64_t v;
	if (!sym || (sym_const(sym, &v) && v < 0)) {
		dim_error(p, start, "a size such as n, seq+1 or floordiv(h,2)");
		return NULL;
	}
	*q = s + 1;
	return sym;
}

static const Sym *parse_constant_dim(Parser *p, const char **q)
{
	const char *start = *q;
	int64_t v;
	while (*q < p->lex.end && **q >= '0' && **q <= '9')
		++*q;
	if (!parse_int64(start, (size_t)(*q - start), &v))
		return dim_error(p, start, "a size below 2^63"), NULL;
	return sym_int(p->c, v);
}

/* The lexer stands behind the "<", the current token is not used. Ends with the element type as the current token. */
static bool parse_dims(Parser *p, int *rank, const Sym *const **out)
{
	VEC(const Sym *) dims = { 0 };
	const char *q = p->lex.p;
	*rank = 0;
	while (q < p->lex.end && *q == ' ')
		q++;
	if (p->lex.end - q >= 2 && q[0] == '*' && q[1] == 'x') {
		*rank = RANK_UNKNOWN;
		q += 2;
	}
	while (*rank >= 0 && q < p->lex.end && (*q == '?' || *q == '[' || (*q >= '0' && *q <= '9'))) {
		char first = *q;
		q += first == '?' || first == '[';
		const Sym *d = first == '?' ? sym_unknown(p->c) : first == '[' ? parse_symbolic(p, &q) : parse_constant_dim(p, &q);
		if (!d)
			return false;
		if (q >= p->lex.end || *q != 'x')
			return dim_error(p, q, "'x' after a size");
		q++;
		if (dims.len == MAX_RANK)
			return parse_limit(p, &p->tok, "rank above %d is not supported", MAX_RANK);
		VEC_PUSH(p->scratch, &dims, d);
	}
	p->lex.p = q;
	tok_next(p);
	if (*rank >= 0)
		*rank = (int)dims.len;
	*out = dims.data;
	return true;
}

/* i1 to i16777215, signed or not; other words are no business of this. */
static bool check_width(Parser *p)
{
	enum { WIDEST = (1 << 24) - 1 };
	const char *s = p->tok.s, *end = s + p->tok.len;
	int64_t width;
	s += p->tok.len > 1 && (*s == 's' || *s == 'u') && s[1] == 'i';
	if (end - s < 2 || *s != 'i' || s[1] < '0' || s[1] > '9')
		return true;
	for (const char *d = s + 1; d < end; d++)
		if (*d < '0' || *d > '9')
			return true;
	return (parse_int64(s + 1, (size_t)(end - s - 1), &width) && width >= 1 && width <= WIDEST) ||
		parse_error(p, &p->tok, "%s: integers have 1 to %d bits", quote(p->scratch, p->tok.s, p->tok.len), WIDEST);
}

static bool parse_named_text(Parser *p, const Str **out);

/* <f32> */
static bool parse_complex(Parser *p, const Str **out)
{
	Token t;
	const Str *part;
	if (!tok_expect(p, T_LESS, "'<'"))
		return false;
	t = p->tok;
	if (!parse_named_text(p, &part))
		return false;
	if (!is_complex_part(part->s, part->len))
		return parse_error(p, &t, "the parts of a complex type are %s, expected f32 or f64",
			quote(p->scratch, part->s, part->len));
	*out = str_fmt(p->c, "complex<%s>", part->s);
	return tok_expect(p, T_GREATER, "'>'");
}

/* The numbers of a quantised type are kept as they are written. MLIR has none that begins with a point or a plus sign, and no
 * hexadecimal one there. */
static bool check_scales(Parser *p, const Token *at, const Str *text)
{
	static const char start[] = "!quant.";
	if (strncmp(text->s, start, sizeof start - 1))
		return true;
	for (const char *s = text->s + sizeof start - 1; *s; s++)
		if ((*s == '.' && !(s[-1] >= '0' && s[-1] <= '9')) || (*s == '+' && s[-1] != 'e' && s[-1] != 'E') ||
			(*s == 'x' && s[-1] == '0'))
			return parse_error(p, at, "%s: found a number with '%c', expected one like -5 or 0.25",
				quote(p->scratch, text->s, text->len), *s);
	return true;
}

/* f32, complex<f32>, !quant.uniform<...>: a word or dialect type with the group that follows it at once. */
static bool parse_named_text(Parser *p, const Str **out)
{
	Token t = p->tok;
	Alias *alias = at(p, T_BANG) ? alias_find(p, &p->tok) : NULL;
	if (!at(p, T_WORD) && !at(p, T_BANG))
		return tok_expected(p, "an element type");
	if (at(p, T_WORD) && !check_width(p))
		return false;
	if (alias) {
		*out = alias_text(p, alias);
		return alias_use(p, alias);
	}
	if (tok_accept_word(p, "complex"))
		return parse_complex(p, out);
	tok_next(p);
	if (at(p, T_LESS) && tok_adjacent(p))
		return parse_group_text(p, t.s, out) && check_scales(p, &t, *out);
	*out = source_text(p, t.s);
	return true;
}

/* The type of elements; "none": not known. */
static bool parse_element_text(Parser *p, const Str **out)
{
	Token t = p->tok;
	if (!parse_named_text(p, out))
		return false;
	return is_element_type((*out)->s, (*out)->len) || !strcmp((*out)->s, "none") ||
		parse_error(p, &t, "%s is no type of elements", quote(p->scratch, (*out)->s, (*out)->len));
}

/* memref<4x?xf32, ...> as it is written: the element type is looked at, nothing else. */
static bool check_buffer(Parser *p, const Token *at, const Str *text)
{
	const char *s = text->s + strlen("memref<"), *end = text->s + text->len;
	for (const char *d = s; d < end && (*d == '*' || *d == '?' || (*d >= '0' && *d <= '9') || *d == 'x'); d++)
		s = *d == 'x' ? d + 1 : s;
	size_t len = 0;
	while (len < (size_t)(end - s) && s[len] != ',' && s[len] != '>')
		len++;
	return is_element_type(s, len) ||
		parse_error(p, at, "%s: invalid element type of a memref", quote(p->scratch, text->s, text->len));
}

static const Type *parse_tensor(Parser *p, TypeKind kind)
{
	Type t = { .kind = kind };
	const Str *elem, *encoding = NULL;
	if (!at(p, T_LESS))
		return tok_expected(p, "'<'"), NULL;
	if (!parse_dims(p, &t.rank, &t.dims) || !parse_element_text(p, &elem))
		return NULL;
	bool plain = p->torch ? torch_dtype(elem->s, elem->len, &t.dtype) : dtype_parse(elem->s, elem->len, &t.dtype);
	if (!plain && strcmp(elem->s, "none") != 0)
		t.text = elem;
	if (at(p, T_COMMA) && t.dtype == DT_NONE && !t.text)
		return parse_error(p, &p->tok, "a tensor whose elements have no type has an encoding"), NULL;
	if (tok_accept(p, T_COMMA) && !parse_rest_text(p, &encoding))
		return NULL;
	if (encoding)
		t.text = t.text ? str_fmt(p->c, "%s, %s", t.text->s, encoding->s) : encoding;
	if (!tok_expect(p, T_GREATER, "'>'"))
		return NULL;
	return type_make(p->c, t);
}

/* ---- others ---- */

/* The types between angle brackets; map: the first is the element type of the keys. */
static const Type *parse_composite(Parser *p, TypeKind kind)
{
	Type t = { .kind = kind, .rank = RANK_UNKNOWN };
	VEC(const Type *) elem = { 0 };
	size_t want = kind == TYPE_TUPLE ? 0 : 1;
	Token start = p->tok;
	if (!tok_expect(p, T_LESS, "'<'"))
		return NULL;
	if (kind == TYPE_MAP) {
		const Str *key;
		if (!parse_named_text(p, &key))
			return NULL;
		if (!dtype_parse(key->s, key->len, &t.dtype) && strcmp(key->s, "none") != 0)
			return parse_error(p, &start, "%s is no key type of a map", quote(p->scratch, key->s, key->len)), NULL;
		if (!tok_expect(p, T_COMMA, "','"))
			return NULL;
	}
	while (!at(p, T_GREATER)) {
		if (elem.len && !tok_expect(p, T_COMMA, "',' or '>'"))
			return NULL;
		const Type *e = parse_type(p);
		if (!e)
			return NULL;
		VEC_PUSH(p->scratch, &elem, e);
	}
	tok_next(p);
	if (want && elem.len != want)
		return parse_error(p, &start, "%zu types, expected %zu", elem.len, want), NULL;
	if (elem.len > INT32_MAX)
		return parse_limit(p, &start, "too many types in a tuple"), NULL;
	t.elem = elem.data;
	t.nelem = (int)elem.len;
	return type_make(p->c, t);
}

static const Type *opaque(Parser *p, const Str *text)
{
	return type_make(p->c, (Type){ .kind = TYPE_OPAQUE, .rank = RANK_UNKNOWN, .text = text });
}

/* !hone.opaque<"any bytes">. */
static const Type *parse_opaque_text(Parser *p)
{
	const Str *text;
	if (!tok_expect(p, T_LESS, "'<'") || !parse_string(p, &text) || !tok_expect(p, T_GREATER, "'>'"))
		return NULL;
	return opaque(p, text);
}

static const Type *parse_bang(Parser *p)
{
	static const struct { const char *name; TypeKind kind; } names[] = {
		{ "!unknown", TYPE_UNKNOWN }, { "!token", TYPE_TOKEN }, { "!stablehlo.token", TYPE_TOKEN },
		{ "!seq", TYPE_SEQUENCE }, { "!opt", TYPE_OPTIONAL }, { "!map", TYPE_MAP }, { "!sparse", TYPE_SPARSE },
	};
	Token t = p->tok;
	const Alias *alias = alias_find(p, &t);
	if (alias)
		return alias_use(p, alias) ? alias->type : NULL;
	size_t errors = p->d->list.len + p->d->dropped;
	const Type *torch = p->torch ? parse_torch_type(p) : NULL;
	if (torch || errors != p->d->list.len + p->d->dropped)
		return torch;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!token_is(&t, names[i].name))
			continue;
		tok_next(p);
		if (names[i].kind == TYPE_UNKNOWN || names[i].kind == TYPE_TOKEN)
			return type_make(p->c, (Type){ .kind = names[i].kind, .rank = RANK_UNKNOWN });
		return names[i].kind == TYPE_SPARSE ? parse_tensor(p, TYPE_SPARSE) : parse_composite(p, names[i].kind);
	}
	tok_next(p);
	if (token_is(&t, "!hone.opaque"))
		return parse_opaque_text(p);
	bool group = at(p, T_LESS) && tok_adjacent(p);
	if (!group && !memchr(t.s, '.', t.len))
		return parse_error(p, &t, "type alias %s is not defined", quote(p->scratch, t.s, t.len)), NULL;
	const Str *text = source_text(p, t.s);
	return !group || parse_group_text(p, t.s, &text) ? opaque(p, text) : NULL;
}

/* Builtin types that are no tensors are kept as they are written. */
static bool is_builtin(const Token *t)
{
	static const char *const names[] = { "index", "complex", "vector", "memref", "bf16", "tf32" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (token_is(t, names[i]))
			return true;
	const char *s = t->s, *end = s + t->len;
	bool is_float = *s == 'f';
	if (t->len > 1 && (*s == 's' || *s == 'u') && s[1] == 'i')
		s++;
	return end - s > 1 && (*s == 'i' || is_float) && s[1] >= '0' && s[1] <= '9';
}

static const Type *parse_word_type(Parser *p)
{
	Token t = p->tok;
	if (token_is(&t, "tensor")) {
		tok_next(p);
		return parse_tensor(p, TYPE_TENSOR);
	}
	if (token_is(&t, "tuple")) {
		tok_next(p);
		return parse_composite(p, TYPE_TUPLE);
	}
	if (tok_accept_word(p, "none"))
		return type_make(p->c, (Type){ .kind = TYPE_NONE, .rank = RANK_UNKNOWN });
	if (!is_builtin(&t)) {
		tok_expected(p, "a type");
		diag_hint(p->d, "types look like tensor<1x[batch]x?xf32>");
		return NULL;
	}
	const Str *text;
	if (!parse_named_text(p, &text) || (!strncmp(text->s, "memref<", 7) && !check_buffer(p, &t, text)))
		return NULL;
	return opaque(p, text);
}

static bool parse_type_list(Parser *p, TypeVec *out)
{
	if (!tok_expect(p, T_LPAREN, "'('"))
		return false;
	if (tok_accept(p, T_RPAREN))
		return true;
	do {
		const Type *t = parse_type(p);
		if (!t)
			return false;
		VEC_PUSH(p->scratch, out, t);
	} while (tok_accept(p, T_COMMA));
	return tok_expect(p, T_RPAREN, "',' or ')'");
}

/* (a, b) -> c. Aliases of aliases can stand for texts without end. */
static const Type *parse_function_type(Parser *p)
{
	enum { LONGEST = 1 << 24 };
	Token start = p->tok;
	TypeVec in = { 0 }, out = { 0 };
	Buf b = { 0 };
	if (!parse_type_list(p, &in) || !tok_expect(p, T_ARROW, "'->'"))
		return NULL;
	if (at(p, T_LPAREN)) {
		if (!parse_type_list(p, &out))
			return NULL;
	} else {
		const Type *t = parse_type(p);
		if (!t)
			return NULL;
		VEC_PUSH(p->scratch, &out, t);
	}
	function_type_print(in.data, in.len, out.data, out.len, &b);
	const Type *t = NULL;
	if (b.len <= LONGEST)
		t = opaque(p, str_n(p->c, b.data, b.len));
	else
		parse_limit(p, &start, "a function type of more than %d bytes", LONGEST);
	buf_free(&b);
	return t;
}

const Type *parse_type(Parser *p)
{
	size_t len = seen_type_text(p);
	const char *start = p->tok.s;
	const Type *t = seen_find(p, SEEN_TYPE, start, len);
	if (t) {
		seen_take(p, len);
		return t;
	}
	if (!parser_enter(p))
		return NULL;
	if (at(p, T_WORD))
		t = parse_word_type(p);
	else if (at(p, T_BANG))
		t = parse_bang(p);
	else if (at(p, T_LPAREN))
		t = parse_function_type(p);
	else
		tok_expected(p, "a type");
	parser_leave(p);
	if (t && len && p->last_end == start + len)
		seen_put(p, SEEN_TYPE, start, len, t);
	return t;
}

bool type_scalar_dtype(const Type *t, DType *out)
{
	if (t->kind == TYPE_NONE) {
		*out = DT_NONE;
		return true;
	}
	return t->kind == TYPE_OPAQUE && dtype_parse(t->text->s, t->text->len, out);
}

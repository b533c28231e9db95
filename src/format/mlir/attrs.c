#include "mlir.h"

#include <math.h>
#include <string.h>

static const Attr *attr_text_of(Parser *p, const Str *text)
{
	return attr_make(p->c, (Attr){ .kind = ATTR_TEXT, .u.str = text });
}

/* ---- numbers ---- */

uint64_t double_to_bits(DType d, double x)
{
	uint64_t bits = 0;
	if (d == DT_F64) {
		memcpy(&bits, &x, sizeof x);
	} else if (d == DT_F32) {
		float f = (float)x;
		memcpy(&bits, &f, sizeof f);
	} else {
		bits = dtype_encode_float(d, x, false);
	}
	return bits;
}

bool bits_to_double(DType d, uint64_t bits, double *out)
{
	if (d == DT_F64) {
		memcpy(out, &bits, sizeof *out);
	} else if (d == DT_F32) {
		float f;
		uint32_t low = (uint32_t)bits;
		memcpy(&f, &low, sizeof f);
		*out = (double)f;
	} else if (dtype_is_float(d)) {
		*out = dtype_decode_float(d, bits);
	} else {
		return false;
	}
	return true;
}

/* A literal before its type is known: sign and token. */
typedef struct Literal {
	bool minus;
	Token t;
} Literal;

static bool is_hex(const Token *t)
{
	return t->kind == T_INT && t->len > 2 && t->s[1] == 'x';
}

static bool parse_literal(Parser *p, Literal *l)
{
	l->minus = tok_accept(p, T_MINUS);
	l->t = p->tok;
	if (!at(p, T_INT) && !at(p, T_FLOAT))
		return tok_expected(p, "a number");
	tok_next(p);
	return true;
}

static bool out_of_range(Parser *p, const Literal *l, DType d)
{
	return parse_error(p, &l->t, "%s%.*s does not fit in %s", l->minus ? "-" : "", (int)(l->t.len < 40 ? l->t.len : 40), l->t.s,
		dtype_name(d));
}

static bool literal_magnitude(const Literal *l, uint64_t *out)
{
	bool hex = is_hex(&l->t);
	uint64_t v = 0, base = hex ? 16 : 10;
	for (size_t i = hex ? 2 : 0; i < l->t.len; i++)
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, (uint64_t)hex_value(l->t.s[i]), &v))
			return false;
	*out = v;
	return true;
}

/* Signless integers take the range of both readings, as in MLIR: 255 : i8 is -1. */
static bool literal_int(Parser *p, const Literal *l, DType d, int64_t *out)
{
	uint64_t v, most = d == DT_I64 ? UINT64_MAX : dtype_class(d) == DC_INT ? 2 * dtype_int_max(d) + 1 : dtype_int_max(d);
	if (d == DT_BOOL)
		most = 1;
	if (l->t.kind != T_INT) {
		parse_error(p, &l->t, "found %s, expected an integer of type %s", quote(p->scratch, l->t.s, l->t.len), dtype_name(d));
		return false;
	}
	if (!literal_magnitude(l, &v))
		return out_of_range(p, l, d);
	bool fits = v <= most;
	if (l->minus)
		fits = d == DT_BOOL ? v <= 1 : v <= (uint64_t)-(dtype_int_min(d) + 1) + 1 && (dtype_int_min(d) != 0 || v == 0);
	else if (d == DT_I64)
		fits = v <= INT64_MAX || is_hex(&l->t);
	if (!fits)
		return out_of_range(p, l, d);
	int64_t r = (int64_t)(l->minus ? 0 - v : v);
	if (d == DT_BOOL)
		r = v != 0;
	else if (dtype_class(d) == DC_INT && d != DT_I64 && !l->minus && v > dtype_int_max(d))
		r = (int64_t)v - (int64_t)(most + 1);
	*out = r;
	return true;
}

/* Decimal text is rounded to the type; hexadecimal text is the bits. `wide`: 16 digits are the bits of a double. */
static bool literal_float(Parser *p, const Literal *l, DType d, bool wide, double *out, uint64_t *bits)
{
	if (is_hex(&l->t)) {
		int width = wide && l->t.len == 18 ? 64 : dtype_bits(d);
		if (l->minus || !literal_magnitude(l, bits) || (width < 64 && *bits >> width))
			return out_of_range(p, l, d);
		return bits_to_double(width == 64 ? DT_F64 : d, *bits, out);
	}
	double x;
	if (!parse_double(l->t.s, l->t.len, &x))
		return parse_error(p, &l->t, "%s is no number", quote(p->scratch, l->t.s, l->t.len));
	*bits = double_to_bits(d, l->minus ? -x : x);
	return bits_to_double(d, *bits, out);
}

/* `true` and `false` stand for integers of one bit. */
static bool parse_bool_word(Parser *p, int64_t *out)
{
	*out = tok_at_word(p, "true");
	return tok_accept_word(p, "true") || tok_accept_word(p, "false");
}

static bool parse_real(Parser *p, DType d, void *dst)
{
	Literal l;
	double x;
	uint64_t bits;
	if (!parse_literal(p, &l) || !literal_float(p, &l, d, false, &x, &bits))
		return false;
	memcpy(dst, &bits, dtype_size(d)); /* little-endian machines only, as the blobs */
	return true;
}

static bool parse_complex(Parser *p, DType d, uint8_t *dst)
{
	DType part = d == DT_C64 ? DT_F32 : DT_F64;
	return tok_expect(p, T_LPAREN, "'('") && parse_real(p, part, dst) && tok_expect(p, T_COMMA, "','") &&
		parse_real(p, part, dst + dtype_size(part)) && tok_expect(p, T_RPAREN, "')'");
}

bool parse_number(Parser *p, DType d, void *element)
{
	Literal l;
	int64_t v;
	switch (dtype_class(d)) {
	case DC_STRING:
		return parse_string(p, (const Str **)element);
	case DC_COMPLEX:
		return parse_complex(p, d, element);
	case DC_FLOAT:
		return parse_real(p, d, element);
	case DC_BOOL:
		if (parse_bool_word(p, &v)) {
			dtype_store_i64(d, element, 1, &v);
			return true;
		}
		break;
	case DC_NONE:
		return parse_error(p, &p->tok, "the elements have no known type");
	default:
		break;
	}
	if (!parse_literal(p, &l) || !literal_int(p, &l, d, &v))
		return false;
	dtype_store_i64(d, element, 1, &v);
	return true;
}

/* A number with its type, or with the one that the row wants. MLIR's own defaults are i64 and f64. */
static const Attr *parse_numeric(Parser *p, const AttrDef *hint)
{
	const char *start = p->tok.s;
	Literal l;
	if (!parse_literal(p, &l))
		return NULL;
	DType d = l.t.kind == T_FLOAT ? DT_F64 : DT_I64;
	bool plain = true;
	if (hint && hint->kind == ATTR_FLOAT && !is_hex(&l.t))
		d = DT_F32;
	if (tok_accept(p, T_COLON)) {
		const Type *t = parse_type(p);
		if (!t)
			return NULL;
		plain = type_scalar_dtype(t, &d) || (p->torch && t->text && torch_dtype(t->text->s, t->text->len, &d));
	}
	if (!plain) /* index and the like */
		return attr_text_of(p, source_text(p, start));
	if (d == DT_C64 || d == DT_C128 || d == DT_STR)
		return parse_error(p, &l.t, "a number of type %s", dtype_name(d)), NULL;
	Attr a = { .kind = ATTR_FLOAT, .width = d };
	uint64_t bits;
	if (dtype_is_float(d))
		return literal_float(p, &l, d, true, &a.u.f, &bits) ? attr_make(p->c, a) : NULL;
	a.kind = ATTR_INT;
	if (d == DT_NONE ? !literal_int(p, &l, DT_I64, &a.u.i) : !literal_int(p, &l, d, &a.u.i))
		return NULL;
	return d == DT_BOOL ? attr_bool(p->c, a.u.i != 0) : attr_make(p->c, a); /* 1 : i1 is true */
}

/* ---- arrays and lists ---- */

/* array<i64: 1, 2>, array<f32>, array<!hone.str>. */
static const Attr *parse_array(Parser *p)
{
	Token start = p->tok;
	DType d;
	if (!tok_expect(p, T_LESS, "'<'"))
		return NULL;
	const Type *t = at(p, T_BANG) && token_is(&p->tok, "!hone.str") ? NULL : parse_type(p);
	if (!t) {
		if (!at(p, T_BANG))
			return NULL;
		tok_next(p);
		return tok_expect(p, T_GREATER, "'>'") ? attr_strs(p->c, NULL, 0) : NULL;
	}
	if (!type_scalar_dtype(t, &d) || !(dtype_is_float(d) || dtype_is_integer(d) || d == DT_BOOL))
		return parse_error(p, &start, "an array holds integers or floats"), NULL;
	bool is_float = dtype_is_float(d);
	VEC(int64_t) ints = { 0 };
	VEC(double) floats = { 0 };
	for (bool more = tok_accept(p, T_COLON); more; more = tok_accept(p, T_COMMA)) {
		Literal l;
		int64_t v;
		double x;
		uint64_t bits;
		if (d == DT_BOOL && parse_bool_word(p, &v)) {
			VEC_PUSH(p->scratch, &ints, v);
			continue;
		}
		if (!parse_literal(p, &l) || !(is_float ? literal_float(p, &l, d, true, &x, &bits) : literal_int(p, &l, d, &v)))
			return NULL;
		if (is_float)
			VEC_PUSH(p->scratch, &floats, x);
		else
			VEC_PUSH(p->scratch, &ints, v);
	}
	if (!tok_expect(p, T_GREATER, "',' or '>'"))
		return NULL;
	Attr a = { .kind = is_float ? ATTR_FLOATS : ATTR_INTS };
	a.width = d == DT_I64 || d == DT_F32 ? DT_NONE : d;
	if (is_float) {
		a.u.floats.v = floats.data;
		a.u.floats.n = floats.len;
	} else {
		a.u.ints.v = ints.data;
		a.u.ints.n = ints.len;
	}
	return attr_make(p->c, a);
}

static const Attr *list_of_strs(Parser *p, const Attr *const *v, size_t n)
{
	const Str **s = NEW_ARRAY(p->scratch, const Str *, n);
	for (size_t i = 0; i < n; i++)
		s[i] = v[i]->u.str;
	return attr_strs(p->c, s, n);
}

/* [1, 2] where the row wants integers or floats. */
static const Attr *list_of_numbers(Parser *p, AttrKind kind, const Attr *const *v, size_t n)
{
	int64_t *ints = NEW_ARRAY(p->scratch, int64_t, n);
	double *floats = NEW_ARRAY(p->scratch, double, n);
	for (size_t i = 0; i < n; i++) {
		bool is_int = v[i]->kind == ATTR_INT;
		if (!is_int && (v[i]->kind != ATTR_FLOAT || kind == ATTR_INTS))
			return NULL;
		ints[i] = is_int ? v[i]->u.i : 0;
		floats[i] = (double)(float)(is_int ? (double)v[i]->u.i : v[i]->u.f);
	}
	return kind == ATTR_INTS ? attr_ints(p->c, ints, n) : attr_floats(p->c, floats, n);
}

static bool parse_items(Parser *p, const Attr *const **out, size_t *n)
{
	VEC(const Attr *) v = { 0 };
	tok_next(p);
	while (!at(p, T_RBRACKET)) {
		if (v.len && !tok_expect(p, T_COMMA, "',' or ']'"))
			return false;
		const Attr *a = parse_attr(p, NULL);
		if (!a)
			return false;
		VEC_PUSH(p->scratch, &v, a);
	}
	tok_next(p);
	*out = v.data;
	*n = v.len;
	return true;
}

/* Strings alone make a list of strings; so do numbers where the row says so. plain: a list whatever is in it. */
static const Attr *parse_list(Parser *p, const AttrDef *hint, bool plain)
{
	const Attr *const *v;
	size_t n, strs = 0;
	if (!parse_items(p, &v, &n))
		return NULL;
	while (strs < n && v[strs]->kind == ATTR_STR)
		strs++;
	AttrKind kind = hint ? hint->kind : ATTR_LIST;
	if (!plain && strs == n && (n > 0 || kind == ATTR_STRS))
		return list_of_strs(p, v, n);
	if (!plain && (kind == ATTR_INTS || kind == ATTR_FLOATS)) {
		const Attr *a = list_of_numbers(p, kind, v, n);
		if (a)
			return a;
	}
	return attr_make(p->c, (Attr){ .kind = ATTR_LIST, .u.list = { v, NULL, n } });
}

/* ---- dictionaries ---- */

static bool parse_key(Parser *p, const Str **out)
{
	if (at(p, T_STRING))
		return parse_string(p, out);
	if (!at(p, T_WORD))
		return tok_expected(p, "the name of an attribute or '}'");
	*out = str_n(p->c, p->tok.s, p->tok.len);
	tok_next(p);
	return true;
}

static const AttrDef *hint_for(const OpDef *def, const Str *name)
{
	return def && name->known ? op_attr_def(def, (AttrName)name->known) : NULL;
}

bool parse_dict(Parser *p, const OpDef *def, AttrVec *out)
{
	size_t before = out->len;
	if (!tok_expect(p, T_LBRACE, "'{'"))
		return false;
	while (!at(p, T_RBRACE)) {
		NamedAttr e = { 0 };
		if (out->len > before && !tok_expect(p, T_COMMA, "',' or '}'"))
			return false;
		if (!parse_key(p, &e.name))
			return false;
		if (tok_accept(p, T_EQUAL))
			e.value = parse_attr(p, hint_for(def, e.name));
		else
			e.value = attr_make(p->c, (Attr){ .kind = ATTR_UNIT });
		if (!e.value)
			return false;
		VEC_PUSH(p->scratch, out, e);
	}
	tok_next(p);
	return true;
}

static const Attr *dict_make(Parser *p, const AttrVec *v, const Token *open)
{
	const Str **names = NEW_ARRAY(p->scratch, const Str *, v->len);
	const Attr **values = NEW_ARRAY(p->scratch, const Attr *, v->len);
	for (size_t i = 0; i < v->len; i++) {
		names[i] = v->data[i].name;
		values[i] = v->data[i].value;
	}
	const Str *twice = name_given_twice(names, v->len, p->scratch);
	if (twice) {
		parse_error(p, open, "entry %s of a dictionary is given twice", quote(p->scratch, twice->s, twice->len));
		return NULL;
	}
	return attr_make(p->c, (Attr){ .kind = ATTR_DICT, .u.list = { values, names, v->len } });
}

/* ---- dialect attributes ---- */

bool parse_hex_string(Parser *p, const Token *t, uint8_t *head, size_t skip, uint8_t **out, size_t *n)
{
	const char *s = t->s + 1;
	size_t len = t->len - 2;
	if (t->kind != T_STRING || len < 2 || s[0] != '0' || s[1] != 'x' || len % 2)
		return parse_error(p, t, "expected \"0x\" and an even number of hexadecimal digits");
	size_t all = (len - 2) / 2, first = skip < all ? skip : all;
	uint8_t *bytes = mem_alloc(all - first);
	Lexer pass = p->lex;
	pass.resident = pass.resident ? s : NULL; /* it is looked at once more */
	size_t good = hex_decode(&pass, s + 2, first, head);
	if (good == first)
		good += hex_decode(&pass, s + 2 + 2 * first, all - first, bytes);
	if (good < all) {
		mem_free(bytes);
		return parse_error(p, t, "byte %zu of the hexadecimal string is malformed", good);
	}
	*out = bytes;
	*n = all - first;
	return true;
}

static const Attr *parse_wire(Parser *p)
{
	uint8_t *bytes;
	size_t n;
	if (!tok_expect(p, T_LESS, "'<'"))
		return NULL;
	Token t = p->tok;
	if (!parse_hex_string(p, &t, NULL, 0, &bytes, &n))
		return NULL;
	tok_next(p);
	const Str *s = str_n(p->c, (const char *)bytes, n);
	mem_free(bytes);
	return tok_expect(p, T_GREATER, "'>'") ? attr_make(p->c, (Attr){ .kind = ATTR_WIRE, .u.str = s }) : NULL;
}

/* #hone.list<[...]>, #hone.text<"...">, #hone.wire<"0x...">. */
static const Attr *parse_hone_attr(Parser *p)
{
	Token t = p->tok;
	const Attr *a = NULL;
	const Str *text;
	tok_next(p);
	if (token_is(&t, "#hone.wire"))
		return parse_wire(p);
	if (!tok_expect(p, T_LESS, "'<'"))
		return NULL;
	if (token_is(&t, "#hone.text"))
		a = parse_string(p, &text) ? attr_text_of(p, text) : NULL;
	else if (!token_is(&t, "#hone.list"))
		parse_error(p, &t, "unknown attribute %s", quote(p->scratch, t.s, t.len));
	else if (!at(p, T_LBRACKET))
		tok_expected(p, "'['");
	else
		a = parse_list(p, NULL, true);
	return a && tok_expect(p, T_GREATER, "'>'") ? a : NULL;
}

static const Attr *parse_hash(Parser *p)
{
	Token t = p->tok;
	const Alias *alias = alias_find(p, &t);
	const Str *text;
	if (alias && !alias->attr)
		return parse_error(p, &t, "%s is a location, expected an attribute", quote(p->scratch, t.s, t.len)), NULL;
	if (alias)
		return alias_use(p, alias) ? alias->attr : NULL;
	if (t.len > 6 && !memcmp(t.s, "#hone.", 6))
		return parse_hone_attr(p);
	tok_next(p);
	bool group = at(p, T_LESS) && tok_adjacent(p);
	if (!group && !memchr(t.s, '.', t.len)) {
		parse_error(p, &t, "attribute alias %s is not defined", quote(p->scratch, t.s, t.len));
		diag_hint(p->d, "aliases are defined before their use: %.*s = ...", (int)(t.len < 40 ? t.len : 40), t.s);
		return NULL;
	}
	if (!group)
		text = source_text(p, t.s);
	else if (!parse_group_text(p, t.s, &text))
		return NULL;
	return attr_text_of(p, text);
}

/* affine_map<...>, strided<...>, distinct[0]<>: a word and the groups that follow it at once, then its type if any. */
static const Attr *parse_word_text(Parser *p)
{
	const Str *text, *part;
	const char *start = p->tok.s;
	tok_next(p);
	text = source_text(p, start);
	while ((at(p, T_LESS) || at(p, T_LBRACKET) || at(p, T_LPAREN)) && tok_adjacent(p)) {
		if (!parse_group_text(p, p->tok.s, &part))
			return NULL;
		text = str_fmt(p->c, "%s%s", text->s, part->s);
	}
	if (tok_accept(p, T_COLON)) {
		const Type *t = parse_type(p);
		if (!t)
			return NULL;
		text = str_fmt(p->c, "%s : %s", text->s, type_spelling(p->c, t)->s);
	}
	return attr_text_of(p, text);
}

static const Attr *parse_word_attr(Parser *p)
{
	static const char *const verbatim[] = { "affine_map", "affine_set", "strided", "distinct", "sparse", "loc", "opaque" };
	int64_t v;
	if (parse_bool_word(p, &v))
		return attr_bool(p->c, v);
	if (tok_accept_word(p, "unit"))
		return attr_make(p->c, (Attr){ .kind = ATTR_UNIT });
	if (tok_at_word(p, "dense") || tok_at_word(p, "dense_resource"))
		return parse_dense(p);
	if (tok_accept_word(p, "array"))
		return parse_array(p);
	for (size_t i = 0; i < ARRAY_LEN(verbatim); i++)
		if (tok_at_word(p, verbatim[i]))
			return parse_word_text(p);
	const Type *t = parse_type(p);
	return t ? attr_type(p->c, t) : NULL;
}

/* @a, or @a::@b kept as it is written. */
static const Attr *parse_symref(Parser *p)
{
	const char *start = p->tok.s;
	const Str *name;
	if (!parse_symbol(p, &name))
		return NULL;
	if (!at(p, T_DCOLON))
		return attr_make(p->c, (Attr){ .kind = ATTR_SYMREF, .u.str = name });
	while (tok_accept(p, T_DCOLON))
		if (!parse_symbol(p, &name))
			return NULL;
	return attr_text_of(p, source_text(p, start));
}

static const Attr *parse_any(Parser *p, const AttrDef *hint)
{
	const Str *s;
	AttrVec entries = { 0 };
	Token open = p->tok;
	switch (p->tok.kind) {
	case T_STRING:
		return parse_string(p, &s) ? attr_str(p->c, s) : NULL;
	case T_INT:
	case T_FLOAT:
	case T_MINUS:
		return parse_numeric(p, hint);
	case T_LBRACKET:
		return parse_list(p, hint, false);
	case T_LBRACE:
		return parse_dict(p, NULL, &entries) ? dict_make(p, &entries, &open) : NULL;
	case T_SYMBOL:
		return parse_symref(p);
	case T_HASH:
		return parse_hash(p);
	case T_WORD:
		return parse_word_attr(p);
	case T_BANG:
	case T_LPAREN: {
		const Type *t = parse_type(p);
		return t ? attr_type(p->c, t) : NULL;
	}
	default:
		tok_expected(p, "an attribute");
		return NULL;
	}
}

const Attr *parse_attr(Parser *p, const AttrDef *hint)
{
	size_t len = seen_attr_text(p);
	const char *start = p->tok.s;
	const Attr *a = seen_find(p, SEEN_ATTR, start, len);
	if (a) {
		seen_take(p, len);
		return a;
	}
	if (!parser_enter(p))
		return NULL;
	a = parse_any(p, hint);
	parser_leave(p);
	if (a && len && p->last_end == start + len)
		seen_put(p, SEEN_ATTR, start, len, a);
	return a;
}

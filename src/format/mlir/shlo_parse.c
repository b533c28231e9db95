#include "shlo.h"

#include <string.h>

/* Outline: operands, then the keywords of the row's form, attributes, types, location. Forms that are more than that have a
 * function each; the others differ by their rows only. */

/* ---- types ---- */

/* A lone list of types: those of all results where any number may come, of no result for terminators, else the last is that
 * of the result. */
static void short_types(Parser *p, OpText *o, const Type *const *list, size_t n)
{
	if (o->def->max_results == 0)
		return;
	for (size_t i = o->def->max_results == UINT16_MAX ? 0 : n - 1; i < n; i++)
		VEC_PUSH(p->scratch, &o->types, list[i]);
}

/* `: (T, U) -> R`, `: T -> R`, `: T, U`. */
bool shlo_parse_types(Parser *p, OpText *o)
{
	VEC(const Type *) list = { 0 };
	o->typed = true;
	if (!tok_accept(p, T_COLON))
		return o->def->min_results == 0 || tok_expected(p, "':' and the types");
	if (at(p, T_LPAREN)) {
		tok_next(p);
		return parse_operand_types(p, o, T_RPAREN) && tok_expect(p, T_ARROW, "'->'") && parse_result_types(p, o);
	}
	do {
		const Type *t = parse_type(p);
		if (!t)
			return false;
		VEC_PUSH(p->scratch, &list, t);
	} while (tok_accept(p, T_COMMA));
	if (tok_accept(p, T_ARROW))
		return parse_result_types(p, o);
	short_types(p, o, list.data, list.len);
	return true;
}

/* ---- keywords ---- */

static const Attr *parse_words(Parser *p)
{
	VEC(const Str *) v = { 0 };
	if (!tok_expect(p, T_LBRACKET, "'['"))
		return NULL;
	while (!at(p, T_RBRACKET)) {
		if (v.len && !tok_expect(p, T_COMMA, "','"))
			return NULL;
		if (!at(p, T_WORD))
			return tok_expected(p, "a word"), NULL;
		VEC_PUSH(p->scratch, &v, str_n(p->c, p->tok.s, p->tok.len));
		tok_next(p);
	}
	tok_next(p);
	return attr_strs(p->c, v.data, v.len);
}

/* The value of `key = value`, by the kind that the row gives. */
static const Attr *parse_value(Parser *p, const AttrDef *want)
{
	if (want->kind == ATTR_STRS && at(p, T_LBRACKET))
		return parse_words(p);
	if (want->kind == ATTR_STR && at(p, T_WORD)) {
		const Attr *a = attr_str(p->c, str_n(p->c, p->tok.s, p->tok.len));
		tok_next(p);
		return a;
	}
	if (want->kind == ATTR_INT && at(p, T_INT)) {
		int64_t v;
		return parse_size(p, &v) ? attr_int(p->c, v) : NULL;
	}
	return parse_attr(p, want);
}

/* The attribute that `key` of the form stands for, A_NONE when it has no such key. */
static AttrName key_attr(Parser *p, const char *form, const Token *key)
{
	for (const char *s = form ? form : ""; *s;) { /* none: the op is only written in the generic form */
		size_t len = strcspn(s, " ");
		const char *eq = memchr(s, '=', len);
		if (eq && (size_t)(eq - s) == key->len && !memcmp(s, key->s, key->len))
			return (AttrName)str_n(p->c, eq + 1, len - (size_t)(eq + 1 - s))->known;
		s += len;
		s += strspn(s, " ");
	}
	return A_NONE;
}

static bool parse_key_value(Parser *p, OpText *o)
{
	Token key = p->tok;
	AttrName a = at(p, T_WORD) ? key_attr(p, o->def->form, &key) : A_NONE;
	if (a == A_NONE)
		return tok_expected(p, "an operand or a keyword of the op");
	tok_next(p);
	const Attr *v = tok_expect(p, T_EQUAL, "'='") ? parse_value(p, op_attr_def(o->def, a)) : NULL;
	if (v)
		shlo_set(p, o, a, v);
	return v != NULL;
}

static bool at_end_of_operands(const Parser *p)
{
	return at(p, T_COLON) || at(p, T_LBRACE) || at(p, T_LESS) || at(p, T_RPAREN) || at(p, T_RBRACE) ||
		at(p, T_LBRACKET) || tok_at_word(p, "loc");
}

/* `%a, %b, key = value, ...`. */
static bool parse_plain(Parser *p, OpText *o)
{
	if (at_end_of_operands(p))
		return true;
	do {
		if (at(p, T_VALUE) ? !parse_operand(p, o) : !parse_key_value(p, o))
			return false;
	} while (tok_accept(p, T_COMMA));
	return true;
}

/* ---- forms of their own ---- */

/* `LT, %a, %b, SIGNED`. */
static bool parse_compare(Parser *p, OpText *o)
{
	if (!at(p, T_WORD))
		return tok_expected(p, "a comparison such as LT");
	shlo_set(p, o, A_comparison_direction, attr_str(p->c, str_n(p->c, p->tok.s, p->tok.len)));
	tok_next(p);
	if (!tok_expect(p, T_COMMA, "','") || !parse_operand(p, o) || !tok_expect(p, T_COMMA, "','") || !parse_operand(p,
		o))
		return false;
	if (!tok_accept(p, T_COMMA))
		return true;
	if (!at(p, T_WORD))
		return tok_expected(p, "FLOAT, TOTALORDER, SIGNED or UNSIGNED");
	shlo_set(p, o, A_compare_type, attr_str(p->c, str_n(p->c, p->tok.s, p->tok.len)));
	tok_next(p);
	return true;
}

/* `{attrs} dense<...> : T`. */
static bool parse_constant(Parser *p, OpText *o)
{
	if (at(p, T_LBRACE) && !parse_dict(p, o->def, &o->attrs))
		return false;
	const Attr *a = parse_attr(p, NULL);
	if (!a)
		return false;
	if (a->kind != ATTR_TENSOR)
		return parse_error(p, &o->at, "the value of a constant is not a tensor");
	shlo_set(p, o, A_value, a);
	VEC_PUSH(p->scratch, &o->types, a->u.tensor.type);
	o->typed = true;
	return true;
}

/* `%a, dense<...> : T`. */
static bool parse_operand_and_value(Parser *p, OpText *o)
{
	if (!parse_operand(p, o) || !tok_expect(p, T_COMMA, "','"))
		return false;
	const Attr *a = parse_attr(p, NULL);
	if (!a)
		return false;
	shlo_set(p, o, A_value, a);
	while (tok_accept(p, T_COMMA))
		if (!parse_key_value(p, o))
			return false;
	o->typed = true;
	return true;
}

/* `%a [0:4:2, 1:3]`. */
static bool parse_slice(Parser *p, OpText *o)
{
	VEC(int64_t) v[3] = { { 0 } };
	if (!parse_operand(p, o) || !tok_expect(p, T_LBRACKET, "'['"))
		return false;
	while (!at(p, T_RBRACKET)) {
		int64_t part[3] = { 0, 0, 1 };
		if (v[0].len && !tok_expect(p, T_COMMA, "','"))
			return false;
		if (!parse_size(p, &part[0]) || !tok_expect(p, T_COLON, "':'") || !parse_size(p, &part[1]))
			return false;
		if (tok_accept(p, T_COLON) && !parse_size(p, &part[2]))
			return false;
		for (int i = 0; i < 3; i++)
			VEC_PUSH(p->scratch, &v[i], part[i]);
	}
	tok_next(p);
	static const AttrName names[] = { A_start_indices, A_limit_indices, A_strides };
	for (int i = 0; i < 3; i++)
		shlo_set(p, o, names[i], attr_ints(p->c, v[i].data, v[i].len));
	return true;
}

/* `%t[0]`. */
static bool parse_index(Parser *p, OpText *o)
{
	int64_t v;
	if (!parse_operand(p, o) || !tok_expect(p, T_LBRACKET, "'['") || !parse_size(p, &v) ||
		!tok_expect(p, T_RBRACKET, "']'"))
		return false;
	shlo_set(p, o, A_index, attr_make(p->c, (Attr){ .kind = ATTR_INT, .width = DT_I32, .u.i = v }));
	return true;
}

/* `%a, format = e5m10`. */
static bool parse_precision(Parser *p, OpText *o)
{
	int64_t e, m;
	if (!parse_operand(p, o) || !tok_expect(p, T_COMMA, "','") || !tok_accept_word(p, "format") ||
		!tok_expect(p, T_EQUAL, "'='"))
		return tok_expected(p, "format =");
	const char *s = p->tok.s, *mark = at(p, T_WORD) ? memchr(s, 'm', p->tok.len) : NULL;
	if (!mark || *s != 'e' || !parse_int64(s + 1, (size_t)(mark - s - 1), &e) ||
		!parse_int64(mark + 1, p->tok.len - (size_t)(mark + 1 - s), &m))
		return tok_expected(p, "a format such as e5m10");
	tok_next(p);
	shlo_set(p, o, A_exponent_bits, attr_make(p->c, (Attr){ .kind = ATTR_INT, .width = DT_I32, .u.i = e }));
	shlo_set(p, o, A_mantissa_bits, attr_make(p->c, (Attr){ .kind = ATTR_INT, .width = DT_I32, .u.i = m }));
	return true;
}

static const Attr *parse_int_list(Parser *p)
{
	static const AttrDef hint = { .kind = ATTR_INTS };
	const Attr *a = parse_attr(p, &hint);
	if (a && a->kind != ATTR_INTS)
		return parse_error(p, &p->tok, "expected a list of integers"), NULL;
	return a;
}

/* `[0] x [1]` into two fields. */
static bool parse_pair(Parser *p, const Attr **a, const Attr **b)
{
	if (!tok_expect(p, T_EQUAL, "'='") || !(*a = parse_int_list(p)))
		return false;
	if (!tok_accept_word(p, "x"))
		return tok_expected(p, "'x'");
	return (*b = parse_int_list(p)) != NULL;
}

/* `%a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT], algorithm = <...>`. */
static bool parse_dot(Parser *p, OpText *o)
{
	static const char *const keys[] = { "lhs_batching_dimensions", "rhs_batching_dimensions",
		"lhs_contracting_dimensions", "rhs_contracting_dimensions" };
	const Attr *v[4], *empty = attr_ints(p->c, NULL, 0), *a;
	const Str *names[4], *text;
	for (int i = 0; i < 4; i++) {
		v[i] = empty;
		names[i] = str(p->c, keys[i]);
	}
	if (!parse_operand(p, o) || !tok_expect(p, T_COMMA, "','") || !parse_operand(p, o))
		return false;
	while (tok_accept(p, T_COMMA)) {
		if (tok_accept_word(p, "batching_dims")) {
			if (!parse_pair(p, &v[0], &v[1]))
				return false;
		} else if (tok_accept_word(p, "contracting_dims")) {
			if (!parse_pair(p, &v[2], &v[3]))
				return false;
		} else if (tok_accept_word(p, "precision")) {
			if (!tok_expect(p, T_EQUAL, "'='") || !(a = parse_words(p)))
				return false;
			shlo_set(p, o, A_precision_config, a);
		} else if (tok_accept_word(p, "algorithm")) {
			if (!tok_expect(p, T_EQUAL, "'='") || !at(p, T_LESS) || !parse_group_text(p, p->tok.s, &text))
				return false;
			text = str_fmt(p->c, "#stablehlo.dot_algorithm%s", text->s);
			shlo_set(p, o, A_algorithm, attr_make(p->c, (Attr){ .kind = ATTR_TEXT, .u.str = text }));
		} else {
			return tok_expected(p, "batching_dims, contracting_dims, precision or algorithm");
		}
	}
	shlo_set(p, o, A_dot_dimension_numbers,
		attr_make(p->c, (Attr){ .kind = ATTR_DICT, .u.list = { v, names, 4 } }));
	return true;
}

typedef struct Form {
	const char *name;
	bool (*parse)(Parser *p, OpText *o);
	bool typed; /* the function reads the types */
} Form;

static const Form forms[] = {
	{ "COMPARE", parse_compare, false }, { "CONSTANT", parse_constant, true }, { "VALUE", parse_operand_and_value,
		true },
	{ "SLICE", parse_slice, false }, { "INDEX", parse_index, false }, { "PRECISION", parse_precision, false },
	{ "DOT", parse_dot, false }, { "CONV", shlo_parse_conv, false }, { "CUSTOM_CALL", shlo_parse_custom_call, false },
};

static const Form *form_of(const OpDef *d)
{
	size_t len = strcspn(d->form, " ");
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (strlen(forms[i].name) == len && !memcmp(forms[i].name, d->form, len))
			return &forms[i];
	return NULL;
}

static bool finish(Parser *p, Block *b, OpText *o, bool typed)
{
	if (at(p, T_LBRACE) && !parse_dict(p, o->def, &o->attrs))
		return false;
	if (!typed && !shlo_parse_types(p, o))
		return false;
	return parse_trailing_loc(p, o) && build_op(p, b, o);
}

/* `(%a, k = 8) {attrs} : types` and hone's own form with a bare name, `(%a) <{...}> ({...}) {...} : types`. */
static bool parse_with_parentheses(Parser *p, Block *b, OpText *o)
{
	tok_next(p);
	if (!parse_plain(p, o) || !tok_expect(p, T_RPAREN, "')'"))
		return false;
	if (o->def->form && !strcmp(o->def->form, "SCAN") && tok_accept_word(p, "inits"))
		return shlo_parse_scan(p, b, o);
	if (!parse_op_attrs(p, o))
		return false;
	return shlo_parse_types(p, o) && parse_trailing_loc(p, o) && build_op(p, b, o);
}

/* `composite "name" %a, %b {composite_attributes = ..., decomposition = @f} : types`. */
static bool parse_composite(Parser *p, OpText *o)
{
	const Str *name;
	if (!at(p, T_STRING) || !parse_string(p, &name))
		return tok_expected(p, "the name of the composite");
	shlo_set(p, o, A_name, attr_str(p->c, name));
	return parse_plain(p, o);
}

bool shlo_parse_op(Parser *p, Block *b, OpText *o)
{
	o->at = p->tok;
	o->def = op_def_find(p->c, p->tok.s, p->tok.len);
	if (o->def->kind == OP_UNKNOWN)
		return unknown_op(p, &p->tok);
	tok_next(p);
	const char *form = o->def->form;
	if (form && !strcmp(form, "WHILE") && at(p, T_LPAREN))
		return shlo_parse_while(p, b, o);
	if (form && !strcmp(form, "REDUCE") && at(p, T_LPAREN))
		return shlo_parse_reduce(p, b, o);
	if (form && !strcmp(form, "COMPOSITE"))
		return parse_composite(p, o) && finish(p, b, o, false);
	if (at(p, T_LPAREN) && (!form || strcmp(form, "CONV") != 0))
		return parse_with_parentheses(p, b, o);
	const Form *f = form ? form_of(o->def) : NULL;
	if (f)
		return f->parse(p, o) && finish(p, b, o, f->typed);
	return parse_plain(p, o) && finish(p, b, o, false);
}

/* `call @f(%a, %b) : (T, U) -> R`. */
bool shlo_parse_call(Parser *p, Block *b, OpText *o)
{
	const Str *name;
	o->at = p->tok;
	o->def = op_def(p->c, OP_call);
	tok_next(p);
	if (!parse_symbol(p, &name) || !parse_operands(p, o))
		return false;
	shlo_set(p, o, A_callee, attr_str(p->c, name));
	return finish(p, b, o, false);
}

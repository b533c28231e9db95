#include "shlo.h"
#include "ops/stablehlo.h"

#include <string.h>

/* ---- while ---- */

/* `%name = %init` pairs: the names are arguments of both regions. */
static bool parse_carried(Parser *p, OpText *o, Token **names)
{
	VEC(Token) v = { 0 };
	tok_next(p);
	while (!at(p, T_RPAREN)) {
		if (v.len && !tok_expect(p, T_COMMA, "','"))
			return false;
		if (!at(p, T_VALUE))
			return tok_expected(p, "an argument such as %x = %init");
		VEC_PUSH(p->scratch, &v, p->tok);
		tok_next(p);
		if (!tok_expect(p, T_EQUAL, "'='") || !parse_operand(p, o))
			return false;
	}
	tok_next(p);
	*names = v.data;
	return true;
}

static bool define_arg(Parser *p, Block *b, const Token *name, const Type *t)
{
	Value **one = NEW(p->scratch, Value *);
	*one = block_add_arg(b, t, NULL);
	return define_value(p, name, one, 1);
}

/* `{ ops }` with arguments that were named before it. */
static bool parse_body(Parser *p, Block *b)
{
	if (!tok_expect(p, T_LBRACE, "'{'") || !parse_block(p, b))
		return false;
	tok_next(p);
	return true;
}

static bool parse_while_region(Parser *p, OpText *o, const Token *names)
{
	Block *b = block_new(p->func, NULL);
	size_t mark = scope_mark(p);
	for (size_t i = 0; i < o->operands.len; i++)
		if (!define_arg(p, b, &names[i], o->types.data[i]))
			return false;
	if (!parse_body(p, b))
		return false;
	scope_pop(p, mark);
	VEC_PUSH(p->scratch, &o->blocks, b);
	return true;
}

/* `(%a = %x, ...) : T, ... attributes {...} cond { } do { }`. hone's own form has values without `=`. */
bool shlo_parse_while(Parser *p, Block *b, OpText *o)
{
	Token *names = NULL;
	o->typed = true;
	if (!parse_carried(p, o, &names))
		return false;
	if (tok_accept(p, T_COLON))
		do {
			const Type *t = parse_type(p);
			if (!t)
				return false;
			VEC_PUSH(p->scratch, &o->types, t);
		} while (tok_accept(p, T_COMMA));
	if (o->types.len != o->operands.len)
		return parse_error(p, &o->at, "%zu types for %zu operands", o->types.len, o->operands.len);
	if (tok_accept_word(p, "attributes") && !parse_dict(p, o->def, &o->attrs))
		return false;
	if (!tok_accept_word(p, "cond"))
		return tok_expected(p, "cond");
	if (!parse_while_region(p, o, names))
		return false;
	if (!tok_accept_word(p, "do"))
		return tok_expected(p, "do");
	return parse_while_region(p, o, names) && parse_trailing_loc(p, o) && build_op(p, b, o);
}

/* ---- reduce ---- */

/* `(%x init: %i), (%y init: %j)`: inputs first, then the initial values. */
static bool parse_reduce_operands(Parser *p, OpText *o, size_t *n)
{
	VEC(Value *) init = { 0 };
	VEC(Token) where = { 0 };
	do {
		Token t;
		Value *v;
		if (!tok_expect(p, T_LPAREN, "'('") || !parse_operand(p, o))
			return false;
		if (!tok_accept_word(p, "init") || !tok_expect(p, T_COLON, "':'"))
			return tok_expected(p, "init:");
		t = p->tok;
		if (!parse_use(p, &v) || !tok_expect(p, T_RPAREN, "')'"))
			return false;
		VEC_PUSH(p->scratch, &init, v);
		VEC_PUSH(p->scratch, &where, t);
	} while (tok_accept(p, T_COMMA));
	*n = init.len;
	for (size_t i = 0; i < init.len; i++) {
		VEC_PUSH(p->scratch, &o->operands, init.data[i]);
		VEC_PUSH(p->scratch, &o->operand_at, where.data[i]);
	}
	return true;
}

static bool parse_across(Parser *p, OpText *o)
{
	static const AttrDef hint = { .kind = ATTR_INTS };
	if (!tok_accept_word(p, "across") || !tok_accept_word(p, "dimensions") || !tok_expect(p, T_EQUAL, "'='"))
		return tok_expected(p, "across dimensions =");
	const Attr *a = parse_attr(p, &hint);
	if (a)
		shlo_set(p, o, A_dimensions, a);
	return a && (!at(p, T_LBRACE) || parse_dict(p, o->def, &o->attrs)) && shlo_parse_types(p, o);
}

/* The body that `applies op` stands for: args lhs, rhs of one element; returns op(lhs, rhs). */
static bool applied_body(Parser *p, OpText *o, const OpDef *def)
{
	Block *b = block_new(p->func, NULL);
	const Type *of = o->operands.data[o->operands.len - 1]->type;
	const Type *t = type_is_tensor(of) ? type_make(p->c, (Type){ .kind = TYPE_TENSOR, .dtype = of->dtype,
		.text = of->text }) : of;
	Value *in[2] = { block_add_arg(b, t, NULL), block_add_arg(b, t, NULL) };
	OpSpec s = { .def = def, .operands = in, .noperands = 2, .types = &t, .nresults = 1, .loc = o->loc };
	Op *op = op_new(b, NULL, &s);
	Op *end = op_new(b, NULL, &(OpSpec){ .def = op_def(p->c, SHLO_return), .operands = op->results, .noperands = 1,
		.loc = o->loc });
	p->nsound += shlo_op_fits(op) + shlo_op_fits(end);
	VEC_PUSH(p->scratch, &o->blocks, b);
	return true;
}

/* ` (%a: T, %c: T)`: two more arguments of the reducer, kept for the order lhs..., rhs.... */
static bool parse_reducer_pair(Parser *p, Token *names, const Type **types)
{
	if (!tok_expect(p, T_LPAREN, "'('"))
		return false;
	for (int i = 0; i < 2; i++) {
		if (i && !tok_expect(p, T_COMMA, "','"))
			return false;
		names[i] = p->tok;
		if (!at(p, T_VALUE))
			return tok_expected(p, "an argument");
		tok_next(p);
		if (!tok_expect(p, T_COLON, "':'") || !(types[i] = parse_type(p)))
			return false;
		const Loc *l;
		const Str *alias;
		if (tok_at_word(p, "loc") && !parse_loc(p, &l, &alias))
			return false;
	}
	return tok_expect(p, T_RPAREN, "')'");
}

static bool parse_reducer(Parser *p, OpText *o, size_t n)
{
	Token *names = NEW_ARRAY(p->scratch, Token, 2 * n);
	const Type **types = NEW_ARRAY(p->scratch, const Type *, 2 * n);
	Block *b = block_new(p->func, NULL);
	size_t mark = scope_mark(p);
	for (size_t i = 0; i < n; i++)
		if (!parse_reducer_pair(p, names + 2 * i, types + 2 * i))
			return false;
	for (size_t half = 0; half < 2; half++)
		for (size_t i = 0; i < n; i++)
			if (!define_arg(p, b, &names[2 * i + half], types[2 * i + half]))
				return false;
	if (!parse_body(p, b))
		return false;
	scope_pop(p, mark);
	VEC_PUSH(p->scratch, &o->blocks, b);
	return true;
}

/* `(...) applies op across dimensions = [1] : types`, or `(...) across dimensions = [1] : types reducer(...) { }`. */
bool shlo_parse_reduce(Parser *p, Block *b, OpText *o)
{
	size_t n = 0;
	const OpDef *applied = NULL;
	if (!parse_reduce_operands(p, o, &n))
		return false;
	if (tok_accept_word(p, "applies")) {
		Token t = p->tok;
		applied = at(p, T_WORD) ? op_def_find(p->c, t.s, t.len) : NULL;
		if (!applied || applied->kind < SHLO_abs || applied->max_operands != 2 || applied->max_results != 1)
			return tok_expected(p, "an op of two operands");
		tok_next(p);
	}
	if (!parse_across(p, o))
		return false;
	if (tok_accept_word(p, "reducer")) {
		if (!parse_reducer(p, o, n))
			return false;
	} else if (!applied) {
		return tok_expected(p, "reducer");
	}
	return parse_trailing_loc(p, o) && (!applied || applied_body(p, o, applied)) && build_op(p, b, o);
}

/* ---- scan ---- */

/* How many of the operands, or results, are of the first group and of the second. */
static void set_segments(Parser *p, OpText *o, const char *name, size_t first, size_t second)
{
	const int64_t v[2] = { (int64_t)first, (int64_t)second };
	const Attr *a = attr_make(p->c, (Attr){ .kind = ATTR_INTS, .width = DT_I32, .u.ints = { v, 2 } });
	VEC_PUSH(p->scratch, &o->attrs, ((NamedAttr){ str(p->c, name), a }));
}

/* `(%x, ...) inits (%c, ...) dimension = 0 attributes {...} { ^bb0(...): ops } : types`. */
bool shlo_parse_scan(Parser *p, Block *b, OpText *o)
{
	static const AttrDef hint = { .kind = ATTR_INT };
	size_t inputs = o->operands.len;
	if (!parse_operands(p, o))
		return false;
	size_t carries = o->operands.len - inputs;
	if (!tok_accept_word(p, "dimension") || !tok_expect(p, T_EQUAL, "'='"))
		return tok_expected(p, "dimension =");
	const Attr *dimension = parse_attr(p, &hint);
	if (!dimension)
		return false;
	shlo_set(p, o, A_dimension, dimension);
	if (tok_accept_word(p, "attributes") && !parse_dict(p, o->def, &o->attrs))
		return false;
	Block *body = block_new(p->func, NULL);
	if (!parse_region(p, body))
		return false;
	VEC_PUSH(p->scratch, &o->blocks, body);
	if (!shlo_parse_types(p, o) || !parse_trailing_loc(p, o))
		return false;
	if (o->types.len < carries)
		return parse_error(p, &o->at, "%zu results, but %zu carried values", o->types.len, carries);
	set_segments(p, o, "operandSegmentSizes", inputs, carries);
	set_segments(p, o, "resultSegmentSizes", o->types.len - carries, carries);
	return build_op(p, b, o);
}

/* ---- convolution ---- */

/* `[[1, 1], [1, 1]]` or `[1, 2]` as one list; booleans as 0 and 1. */
static bool parse_nested(Parser *p, const Attr **out)
{
	VEC(int64_t) v = { 0 };
	int depth = 0;
	do {
		if (tok_accept(p, T_LBRACKET)) {
			depth++;
		} else if (tok_accept(p, T_RBRACKET)) {
			depth--;
		} else if (!tok_accept(p, T_COMMA)) {
			bool minus = tok_accept(p, T_MINUS), yes = tok_at_word(p, "true");
			int64_t x = yes;
			if (!tok_accept_word(p, "true") && !tok_accept_word(p, "false") && !parse_size(p, &x))
				return false;
			VEC_PUSH(p->scratch, &v, minus ? -x : x);
		}
	} while (depth > 0);
	*out = attr_ints(p->c, v.data, v.len);
	return true;
}

static bool parse_window(Parser *p, OpText *o)
{
	static const struct { const char *key; AttrName attr; } keys[] = { { "stride", A_window_strides }, { "pad",
		A_padding },
		{ "lhs_dilate", A_lhs_dilation }, { "rhs_dilate", A_rhs_dilation }, { "reverse", A_window_reversal } };
	bool first = true;
	if (!tok_accept_word(p, "window") || !tok_expect(p, T_EQUAL, "'='") || !tok_expect(p, T_LBRACE, "'{'"))
		return tok_expected(p, "window = {");
	while (!at(p, T_RBRACE)) {
		size_t i = 0;
		const Attr *v;
		if (!first && !tok_expect(p, T_COMMA, "','"))
			return false;
		first = false;
		while (i < ARRAY_LEN(keys) && !tok_at_word(p, keys[i].key))
			i++;
		if (i == ARRAY_LEN(keys))
			return tok_expected(p, "stride, pad, lhs_dilate, rhs_dilate or reverse");
		tok_next(p);
		if (!tok_expect(p, T_EQUAL, "'='") || !parse_nested(p, &v))
			return false;
		shlo_set(p, o, keys[i].attr, v);
	}
	tok_next(p);
	return true;
}

/* `(%x, %w) dim_numbers = [...]x[...]->[...], window = {...}`. */
bool shlo_parse_conv(Parser *p, OpText *o)
{
	const Attr *dims;
	if (!parse_operands(p, o))
		return false;
	if (!at(p, T_WORD) || !tok_accept_word(p, "dim_numbers")) /* hone's own form */
		return parse_op_attrs(p, o);
	if (!tok_expect(p, T_EQUAL, "'='") || !(dims = shlo_conv_dims(p)))
		return false;
	shlo_set(p, o, A_dimension_numbers, dims);
	return !tok_accept(p, T_COMMA) || parse_window(p, o);
}

/* ---- custom_call ---- */

/* `@target(%a, %b)`. */
bool shlo_parse_custom_call(Parser *p, OpText *o)
{
	const Str *name;
	if (!parse_symbol(p, &name) || !parse_operands(p, o))
		return false;
	shlo_set(p, o, A_call_target_name, attr_str(p->c, name));
	return true;
}

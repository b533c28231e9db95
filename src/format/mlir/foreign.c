#include "mlir.h"

#include <string.h>

/* The own syntax of ops of other dialects that stand among StableHLO's: arith, tensor and shape, which compute sizes, sdy's
 * shardings, and the interpreter's. They become what the generic form would give, and are printed in that. */

typedef enum Form {
	F_SAME,       /* %a, %b : T              one result of that type */
	F_CAST,       /* %a : T to U */
	F_ARROW,      /* %a, %b : T, U -> R */
	F_INDEX,      /* %a, %b : T              the result is an index */
	F_CONSTANT,   /* value : T */
	F_COMPARE,    /* predicate, %a, %b : T */
	F_SELECT,     /* %c, %a, %b : T  or  C, T */
	F_ELEMENTS,   /* %a, %b : T              the operands are elements */
	F_EXTRACT,    /* %a[%i, %j] : T */
	F_INSERT,     /* %x into %a[%i, %j] : T */
	F_EMPTY,      /* (%d) : T */
	F_SHAPE,      /* [1, 2] : T */
	F_PROBE,      /* %a, probe_id = "x" : T */
	F_PROBED,     /* the same without a result, with or without `iter = 1` */
	F_PRINT,      /* %a : T                  no result */
	F_SHARDING,   /* %a <@mesh, [{"a"}]> : T */
	F_MANUAL,     /* sdy.manual_computation */
	F_FOR,        /* scf.for */
	F_RETURN      /* %a, %b : T, U */
} Form;

static const struct { const char *name; Form form; } forms[] = {
	{ "arith.addf", F_SAME }, { "arith.addi", F_SAME }, { "arith.andi", F_SAME }, { "arith.bitcast", F_CAST },
	{ "arith.ceildivsi", F_SAME }, { "arith.ceildivui", F_SAME }, { "arith.cmpf", F_COMPARE }, { "arith.cmpi", F_COMPARE },
	{ "arith.constant", F_CONSTANT }, { "arith.divf", F_SAME }, { "arith.divsi", F_SAME }, { "arith.divui", F_SAME },
	{ "arith.extf", F_CAST }, { "arith.extsi", F_CAST }, { "arith.extui", F_CAST }, { "arith.floordivsi", F_SAME },
	{ "arith.fptosi", F_CAST }, { "arith.fptoui", F_CAST }, { "arith.index_cast", F_CAST },
	{ "arith.index_castui", F_CAST }, { "arith.maximumf", F_SAME }, { "arith.maxnumf", F_SAME }, { "arith.maxsi", F_SAME },
	{ "arith.maxui", F_SAME }, { "arith.minimumf", F_SAME }, { "arith.minnumf", F_SAME }, { "arith.minsi", F_SAME },
	{ "arith.minui", F_SAME }, { "arith.mulf", F_SAME }, { "arith.muli", F_SAME }, { "arith.negf", F_SAME },
	{ "arith.ori", F_SAME }, { "arith.remf", F_SAME }, { "arith.remsi", F_SAME }, { "arith.remui", F_SAME },
	{ "arith.select", F_SELECT }, { "arith.shli", F_SAME }, { "arith.shrsi", F_SAME }, { "arith.shrui", F_SAME },
	{ "arith.sitofp", F_CAST }, { "arith.subf", F_SAME }, { "arith.subi", F_SAME }, { "arith.truncf", F_CAST },
	{ "arith.trunci", F_CAST }, { "arith.uitofp", F_CAST }, { "arith.xori", F_SAME },
	{ "check.expect_serialized_eq", F_PROBED }, { "interpreter.print", F_PRINT }, { "interpreter.probe", F_PROBE },
	{ "scf.for", F_FOR }, { "scf.yield", F_RETURN }, { "sdy.manual_computation", F_MANUAL }, { "sdy.return", F_RETURN }, { "sdy.sharding_constraint", F_SHARDING },
	{ "shape.broadcast", F_ARROW }, { "shape.const_shape", F_SHAPE }, { "shape.num_elements", F_ARROW },
	{ "shape.shape_of", F_ARROW },
	{ "tensor.cast", F_CAST }, { "tensor.dim", F_INDEX }, { "tensor.empty", F_EMPTY }, { "tensor.extract", F_EXTRACT },
	{ "tensor.from_elements", F_ELEMENTS }, { "tensor.insert", F_INSERT },
};

static void add_attr(Parser *p, OpText *o, const char *name, const Attr *a)
{
	VEC_PUSH(p->scratch, &o->attrs, ((NamedAttr){ str(p->c, name), a }));
}

static const Attr *text_attr(Parser *p, const Str *text)
{
	return attr_make(p->c, (Attr){ .kind = ATTR_TEXT, .u.str = text });
}

static const Type *opaque(Parser *p, const char *text)
{
	return type_make(p->c, (Type){ .kind = TYPE_OPAQUE, .rank = RANK_UNKNOWN, .text = str(p->c, text) });
}

static bool add_type(Parser *p, OpText *o, const Type *t)
{
	VEC_PUSH(p->scratch, &o->types, t);
	return true;
}

static bool operands(Parser *p, OpText *o)
{
	while (at(p, T_VALUE))
		if (!parse_operand(p, o) || !tok_accept(p, T_COMMA))
			break;
	return true;
}

/* `fastmath<contract>` and `overflow<nsw>` promise things that nothing here makes use of. */
static bool flags(Parser *p, OpText *o)
{
	const Str *text;
	const char *start = p->tok.s;
	if (at(p, T_LBRACE) && !parse_dict(p, NULL, &o->attrs))
		return false;
	if (!tok_at_word(p, "fastmath") && !tok_at_word(p, "overflow"))
		return true;
	const char *name = tok_at_word(p, "fastmath") ? "fastmath" : "overflowFlags";
	tok_next(p);
	if (!at(p, T_LESS) || !parse_group_text(p, start, &text))
		return tok_expected(p, "'<'");
	add_attr(p, o, name, text_attr(p, str_fmt(p->c, "#arith.%s", text->s)));
	return true;
}

static const Type *type_after_colon(Parser *p)
{
	return tok_expect(p, T_COLON, "':' and the type") ? parse_type(p) : NULL;
}

/* i1, or the tensor of it that is like t. */
static const Type *bool_like(Parser *p, const Type *t)
{
	return type_is_tensor(t) ? type_with_dtype(p->c, t, DT_BOOL) : opaque(p, "i1");
}

static const Type *element_type(Parser *p, const Type *t)
{
	return opaque(p, t->dtype != DT_NONE ? dtype_name(t->dtype) : t->text ? t->text->s : "none");
}

/* ---- forms ---- */

static bool parse_same(Parser *p, OpText *o, Form form)
{
	const Type *t;
	if (!operands(p, o) || !flags(p, o) || !(t = type_after_colon(p)))
		return false;
	if (form == F_INDEX)
		return add_type(p, o, opaque(p, "index"));
	return form == F_PRINT || add_type(p, o, t);
}

static bool parse_cast(Parser *p, OpText *o)
{
	const Type *to;
	if (!operands(p, o) || !flags(p, o) || !type_after_colon(p))
		return false;
	if (!tok_accept_word(p, "to"))
		return tok_expected(p, "'to' and the type of the result");
	return (to = parse_type(p)) && add_type(p, o, to);
}

static bool parse_arrow(Parser *p, OpText *o)
{
	if (!operands(p, o) || !flags(p, o) || !tok_expect(p, T_COLON, "':' and the types"))
		return false;
	return parse_operand_types(p, o, T_END) && tok_expect(p, T_ARROW, "'->'") && parse_result_types(p, o);
}

/* The type that an attribute's text ends with: 5 : index, dense<[1]> : tensor<1xindex>. */
static const Type *type_of_text(Parser *p, const Str *text)
{
	Parser sub;
	const char *colon = NULL;
	for (const char *s = text->s; (s = strchr(s, ':')); s++)
		colon = s;
	if (!colon)
		return NULL;
	parser_init(&sub, p->c, p->d, p->scratch, p->file, (Bytes){ (const uint8_t *)colon + 1, strlen(colon + 1) });
	return parse_type(&sub);
}

static bool parse_constant(Parser *p, OpText *o)
{
	if (at(p, T_LBRACE) && !parse_dict(p, NULL, &o->attrs))
		return false;
	const Attr *a = parse_attr(p, NULL);
	const Type *t = NULL;
	if (!a)
		return false;
	if (a->kind == ATTR_TENSOR)
		t = a->u.tensor.type;
	else if (a->kind == ATTR_TEXT)
		t = type_of_text(p, a->u.str);
	else if (a->kind == ATTR_BOOL || a->kind == ATTR_INT || a->kind == ATTR_FLOAT)
		t = opaque(p, a->kind == ATTR_BOOL ? "i1" : dtype_name(a->width));
	if (!t)
		return parse_error(p, &o->at, "the constant has no value with a type");
	add_attr(p, o, "value", a);
	return add_type(p, o, t);
}

static bool parse_compare(Parser *p, OpText *o)
{
	static const char *const ints[] = { "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge" };
	static const char *const floats[] = { "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
		"ule", "une", "uno", "true" };
	bool is_float = !strcmp(o->def->name->s, "arith.cmpf");
	const char *const *names = is_float ? floats : ints;
	size_t n = is_float ? ARRAY_LEN(floats) : ARRAY_LEN(ints), i = 0;
	while (i < n && !tok_at_word(p, names[i]))
		i++;
	if (i == n)
		return tok_expected(p, "a comparison such as slt");
	tok_next(p);
	add_attr(p, o, "predicate", attr_int(p->c, (int64_t)i));
	const Type *t;
	return tok_expect(p, T_COMMA, "','") && operands(p, o) && flags(p, o) && (t = type_after_colon(p)) &&
		add_type(p, o, bool_like(p, t));
}

static bool parse_select(Parser *p, OpText *o)
{
	const Type *t;
	if (!operands(p, o) || !flags(p, o) || !(t = type_after_colon(p)))
		return false;
	if (tok_accept(p, T_COMMA) && !(t = parse_type(p)))
		return false;
	return add_type(p, o, t);
}

static bool parse_extract(Parser *p, OpText *o)
{
	const Type *t;
	if (!parse_operand(p, o) || !tok_expect(p, T_LBRACKET, "'['") || !operands(p, o) || !tok_expect(p, T_RBRACKET, "']'"))
		return false;
	return flags(p, o) && (t = type_after_colon(p)) && add_type(p, o, element_type(p, t));
}

static bool parse_insert(Parser *p, OpText *o)
{
	const Type *t;
	if (!parse_operand(p, o))
		return false;
	if (!tok_accept_word(p, "into"))
		return tok_expected(p, "'into'");
	return parse_operand(p, o) && tok_expect(p, T_LBRACKET, "'['") && operands(p, o) && tok_expect(p, T_RBRACKET, "']'") &&
		flags(p, o) && (t = type_after_colon(p)) && add_type(p, o, t);
}

static bool parse_empty(Parser *p, OpText *o)
{
	const Type *t;
	return tok_expect(p, T_LPAREN, "'('") && operands(p, o) && tok_expect(p, T_RPAREN, "')'") && flags(p, o) &&
		(t = type_after_colon(p)) && add_type(p, o, t);
}

static bool parse_shape(Parser *p, OpText *o)
{
	static const AttrDef hint = { .kind = ATTR_INTS };
	const Attr *a = parse_attr(p, &hint);
	const Type *t = a ? type_after_colon(p) : NULL;
	if (!t)
		return false;
	add_attr(p, o, "shape", a);
	return add_type(p, o, t);
}

static bool parse_probe(Parser *p, OpText *o, bool result)
{
	const Str *id;
	const Type *t;
	int64_t iteration;
	if (!operands(p, o))
		return false;
	if (!tok_accept_word(p, "probe_id"))
		return tok_expected(p, "probe_id");
	if (!tok_expect(p, T_EQUAL, "'='") || !parse_string(p, &id))
		return false;
	add_attr(p, o, "probe_id", attr_str(p->c, id));
	if (tok_accept(p, T_COMMA)) {
		if (!tok_accept_word(p, "iter"))
			return tok_expected(p, "iter");
		if (!tok_expect(p, T_EQUAL, "'='") || !parse_size(p, &iteration))
			return false;
		add_attr(p, o, "iteration", attr_make(p->c, (Attr){ .kind = ATTR_INT, .width = DT_I32, .u.i = iteration }));
	}
	return (t = type_after_colon(p)) && (!result || add_type(p, o, t));
}

static bool parse_sharding(Parser *p, OpText *o)
{
	const Str *text;
	const Type *t;
	if (!operands(p, o))
		return false;
	if (!at(p, T_LESS))
		return tok_expected(p, "'<' and a sharding");
	if (!parse_group_text(p, p->tok.s, &text) || !(t = type_after_colon(p)))
		return false;
	add_attr(p, o, "sharding", text_attr(p, str_fmt(p->c, "#sdy.sharding%s", text->s)));
	return add_type(p, o, t);
}

/* `key=[...]` as the attribute of that name, between `before` and `after`. */
static bool parse_group(Parser *p, OpText *o, const char *key, const char *before, const char *after)
{
	const Str *text;
	if (!tok_accept_word(p, key))
		return tok_expected(p, key);
	if (!tok_expect(p, T_EQUAL, "'='"))
		return false;
	if (!at(p, T_LBRACKET) && !at(p, T_LBRACE))
		return tok_expected(p, "'[' or '{'");
	if (!parse_group_text(p, p->tok.s, &text))
		return false;
	add_attr(p, o, key, text_attr(p, str_fmt(p->c, "%s%s%s", before, text->s, after)));
	return true;
}

/* (%a) in_shardings=[...] out_shardings=[...] manual_axes={...} (%x: T) { ... } : (T) -> U. */
static bool parse_manual(Parser *p, OpText *o)
{
	if (!parse_operands(p, o) || !parse_group(p, o, "in_shardings", "#sdy.sharding_per_value<", ">") ||
		!parse_group(p, o, "out_shardings", "#sdy.sharding_per_value<", ">") ||
		!parse_group(p, o, "manual_axes", "#sdy<manual_axes", ">"))
		return false;
	Block *b = block_new(p->func, NULL);
	size_t mark = scope_mark(p);
	if (!parse_block_args(p, b) || !tok_expect(p, T_LBRACE, "'{'") || !parse_block(p, b))
		return false;
	tok_next(p);
	scope_pop(p, mark);
	VEC_PUSH(p->scratch, &o->blocks, b);
	if (at(p, T_LBRACE) && !parse_dict(p, NULL, &o->attrs))
		return false;
	return tok_expect(p, T_COLON, "':' and the types") && tok_expect(p, T_LPAREN, "'('") &&
		parse_operand_types(p, o, T_RPAREN) && tok_expect(p, T_ARROW, "'->'") && parse_result_types(p, o);
}

/* A new argument of the block, of a type that is set later. */
static bool loop_arg(Parser *p, Block *b, const Type *t)
{
	Token name = p->tok;
	Value **v = NEW(p->scratch, Value *);
	if (!at(p, T_VALUE))
		return tok_expected(p, "an argument of the loop");
	tok_next(p);
	*v = block_add_arg(b, t, NULL);
	return define_value(p, &name, v, 1);
}

/* iter_args(%x = %a, ...) -> (T, ...). */
static bool loop_carried(Parser *p, OpText *o, Block *b)
{
	if (!tok_expect(p, T_LPAREN, "'('"))
		return false;
	do
		if (!loop_arg(p, b, type_unknown(p->c)) || !tok_expect(p, T_EQUAL, "'='") || !parse_operand(p, o))
			return false;
	while (tok_accept(p, T_COMMA));
	if (!tok_expect(p, T_RPAREN, "')'") || !tok_expect(p, T_ARROW, "'->'") || !parse_result_types(p, o))
		return false;
	if (o->types.len + 1 != b->nargs)
		return parse_error(p, &o->at, "%zu types for %u values of the loop", o->types.len, (unsigned)b->nargs - 1);
	for (size_t i = 0; i < o->types.len; i++)
		value_set_type(b->args[i + 1], o->types.data[i]);
	return true;
}

/* %i = %low to %high step %s iter_args(%x = %a) -> (T) : i32 { ... }. */
static bool parse_for(Parser *p, OpText *o)
{
	static const char *const words[] = { "to", "step" };
	Block *b = block_new(p->func, NULL);
	size_t mark = scope_mark(p);
	if (!loop_arg(p, b, opaque(p, "index")) || !tok_expect(p, T_EQUAL, "'='") || !parse_operand(p, o))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (!tok_accept_word(p, words[i]))
			return tok_expected(p, words[i]);
		if (!parse_operand(p, o))
			return false;
	}
	if (tok_accept_word(p, "iter_args") && !loop_carried(p, o, b))
		return false;
	if (at(p, T_COLON)) {
		const Type *t = type_after_colon(p);
		if (!t)
			return false;
		value_set_type(b->args[0], t);
	}
	if (!tok_expect(p, T_LBRACE, "'{'") || !parse_block(p, b))
		return false;
	tok_next(p);
	scope_pop(p, mark);
	VEC_PUSH(p->scratch, &o->blocks, b);
	return !at(p, T_LBRACE) || parse_dict(p, NULL, &o->attrs);
}

static bool parse_return(Parser *p, OpText *o)
{
	return operands(p, o) && (!o->operands.len || (tok_expect(p, T_COLON, "':' and the types") &&
		parse_operand_types(p, o, T_END)));
}

static bool parse_form(Parser *p, OpText *o, Form form)
{
	switch (form) {
	case F_SAME:
	case F_ELEMENTS:
	case F_INDEX:
	case F_PRINT: return parse_same(p, o, form);
	case F_CAST: return parse_cast(p, o);
	case F_ARROW: return parse_arrow(p, o);
	case F_CONSTANT: return parse_constant(p, o);
	case F_COMPARE: return parse_compare(p, o);
	case F_SELECT: return parse_select(p, o);
	case F_EXTRACT: return parse_extract(p, o);
	case F_INSERT: return parse_insert(p, o);
	case F_EMPTY: return parse_empty(p, o);
	case F_SHAPE: return parse_shape(p, o);
	case F_PROBE:
	case F_PROBED: return parse_probe(p, o, form == F_PROBE);
	case F_FOR: return parse_for(p, o);
	case F_SHARDING: return parse_sharding(p, o);
	case F_MANUAL: return parse_manual(p, o);
	case F_RETURN: return parse_return(p, o);
	}
	return false;
}

bool parse_foreign_op(Parser *p, Block *b, OpText *o)
{
	o->at = p->tok;
	o->typed = true;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (!token_is(&o->at, forms[i].name))
			continue;
		tok_next(p);
		o->def = op_def_find(p->c, forms[i].name, strlen(forms[i].name));
		return parse_form(p, o, forms[i].form) && parse_trailing_loc(p, o) && build_op(p, b, o);
	}
	return unknown_op(p, &o->at);
}

#include "mlir.h"

#include <string.h>

/* torch-onnx: ONNX nodes as the importers of torch-mlir and IREE write them.
 *
 *   %0 = torch.operator "onnx.Add"(%arg0, %none) {torch.onnx.axis = 1 : si64} : (types) -> !torch.vtensor<[2,?],f32>
 *
 * They become the ops that the ONNX reader makes: the prefix of attributes goes, lists of numbers become INTS and FLOATS,
 * %none an absent operand, regions come in the order that hone has. Domains are not in the text: a name that ai.onnx lacks
 * is looked for in the others. A result whose type has no sizes, `!torch.vtensor<[],f32>`, may be a scalar or of a rank that
 * the importer did not know, so nothing is known of its rank. Once all is read, torch_finish moves what the text says about
 * the model from the function to the module, as the ONNX reader has it. */

#define ONNX_PREFIX "torch.onnx."
#define META_PREFIX "torch.onnx_meta."
#define CALL_DOMAIN "func" /* of private functions: "onnx.func::NAME" calls the function "func::NAME" */

static bool starts_with(const Str *s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s->len >= n && !memcmp(s->s, prefix, n);
}

static const Str *without(Context *c, const Str *s, const char *prefix)
{
	size_t n = strlen(prefix);
	return str_n(c, s->s + n, s->len - n);
}

bool torch_sniff(Bytes text)
{
	static const char *const marks[] = { "torch.operator", META_PREFIX, "!torch.vtensor" }; /* text_scan looks for "torch." */
	for (size_t i = 0; text.len && i < ARRAY_LEN(marks); i++)
		if (memmem(text.data, text.len, marks[i], strlen(marks[i])))
			return true;
	return false;
}

/* ---- types ---- */

/* si64, ui8, i1, f32, complex<f32>. */
bool torch_dtype(const char *s, size_t len, DType *out)
{
	bool is_signed = len > 2 && s[0] == 's' && s[1] == 'i';
	return dtype_parse(s + is_signed, len - is_signed, out);
}

static bool parse_element(Parser *p, DType *out)
{
	Token t = p->tok;
	const Str *text;
	*out = DT_NONE;
	if (tok_accept_word(p, "unk"))
		return true;
	if (at(p, T_BANG) && token_is(&t, "!torch.str")) {
		tok_next(p);
		*out = DT_STR;
		return true;
	}
	if (!at(p, T_WORD))
		return tok_expected(p, "an element type");
	tok_next(p);
	if (!at(p, T_LESS) || !tok_adjacent(p))
		text = source_text(p, t.s);
	else if (!parse_group_text(p, t.s, &text))
		return false;
	return torch_dtype(text->s, text->len, out) ||
		parse_unsupported(p, &t, "element type %s", quote(p->scratch, text->s, text->len));
}

/* `<[2,?],f32>`; `<*,f32>` has no known rank. */
static const Type *parse_vtensor(Parser *p)
{
	VEC(const Sym *) dims = { 0 };
	const Str *rest;
	DType d;
	bool ranked = true;
	if (!at(p, T_LESS)) /* !torch.vtensor alone */
		return type_unranked(p->c, DT_NONE);
	tok_next(p);
	if (at(p, T_OTHER) && *p->tok.s == '*') {
		tok_next(p);
		ranked = false;
	} else if (!tok_expect(p, T_LBRACKET, "'[' and the sizes")) {
		return NULL;
	}
	while (ranked && !at(p, T_RBRACKET)) {
		int64_t v;
		if (dims.len && !tok_expect(p, T_COMMA, "',' or ']'"))
			return NULL;
		if (dims.len == MAX_RANK)
			return parse_limit(p, &p->tok, "rank above %d is not supported", MAX_RANK), NULL;
		if (at(p, T_OTHER) && *p->tok.s == '?') {
			tok_next(p);
			VEC_PUSH(p->scratch, &dims, sym_unknown(p->c));
		} else if (parse_size(p, &v)) {
			VEC_PUSH(p->scratch, &dims, sym_int(p->c, v));
		} else {
			return NULL;
		}
	}
	if ((ranked && !tok_expect(p, T_RBRACKET, "']'")) || !tok_expect(p, T_COMMA, "','") || !parse_element(p, &d))
		return NULL;
	if (tok_accept(p, T_COMMA) && !parse_rest_text(p, &rest)) /* a sparse encoding: how it is stored, not what it is */
		return NULL;
	if (!tok_expect(p, T_GREATER, "'>'"))
		return NULL;
	return ranked ? type_tensor(p->c, d, (int)dims.len, dims.data) : type_unranked(p->c, d);
}

static const Type *parse_inner(Parser *p);

static const Type *parse_container(Parser *p, TypeKind kind)
{
	if (!tok_expect(p, T_LESS, "'<'"))
		return NULL;
	const Type *elem = parse_inner(p);
	if (!elem || !tok_expect(p, T_GREATER, "'>'"))
		return NULL;
	return type_make(p->c, (Type){ .kind = kind, .rank = RANK_UNKNOWN, .elem = &elem, .nelem = 1 });
}

/* A type of the dialect, inside others also without its prefix. NULL and no error when it is none that is known here. */
static const Type *parse_named(Parser *p)
{
	const char *s = p->tok.s;
	size_t len = p->tok.len, skip = at(p, T_BANG) ? strlen("!torch.") : 0;
	Token name = { .s = s + (len > skip ? skip : 0), .len = len > skip ? len - skip : len };
	bool tensor = token_is(&name, "vtensor") || token_is(&name, "tensor");
	TypeKind kind = token_is(&name, "list") ? TYPE_SEQUENCE : TYPE_OPTIONAL;
	if (tensor || kind == TYPE_SEQUENCE || token_is(&name, "optional")) {
		tok_next(p);
		return tensor ? parse_vtensor(p) : parse_container(p, kind);
	}
	if (!token_is(&name, "none"))
		return NULL;
	tok_next(p);
	return type_make(p->c, (Type){ .kind = TYPE_NONE, .rank = RANK_UNKNOWN });
}

static const Type *parse_inner(Parser *p)
{
	size_t errors = p->d->list.len + p->d->dropped;
	if (!parser_enter(p))
		return NULL;
	const Type *t = parse_named(p);
	if (!t && errors == p->d->list.len + p->d->dropped)
		tok_expected(p, "a type of a list, such as vtensor<[2],f32>");
	parser_leave(p);
	return t;
}

const Type *parse_torch_type(Parser *p)
{
	return p->tok.len > 7 && !memcmp(p->tok.s, "!torch.", 7) ? parse_named(p) : NULL;
}

bool torch_dims(Parser *p, AttrVec *attrs, Value *v)
{
	const Attr *list;
	if (!take_reserved(p, attrs, "hone.dims", ATTR_STRS, &list))
		return false;
	if (!list || !v)
		return true;
	const Type *t = v->type;
	if (list->kind != ATTR_STRS || t->kind != TYPE_TENSOR || t->rank < 0 || list->u.strs.n != (size_t)t->rank)
		return parse_error(p, &p->tok, "hone.dims has not one string for each size");
	const Sym **dims = NEW_ARRAY(p->scratch, const Sym *, (size_t)t->rank + 1);
	for (int i = 0; i < t->rank; i++) {
		const Str *s = list->u.strs.v[i];
		size_t used = 0;
		const Sym *d = s->len ? sym_parse(p->c, s->s, s->len, &used) : t->dims[i];
		if (!d || (s->len && used != s->len))
			return parse_error(p, &p->tok, "%s in hone.dims is no size", quote(p->scratch, s->s, s->len));
		dims[i] = sym_is_unknown(t->dims[i]) ? d : t->dims[i];
	}
	value_set_type(v, type_tensor(p->c, t->dtype, t->rank, dims));
	return true;
}

/* ---- attributes ---- */

static const Attr *numbers(Parser *p, const Attr *list, bool floats)
{
	size_t n = list->u.list.n;
	int64_t *ints = NEW_ARRAY(p->scratch, int64_t, n);
	double *reals = NEW_ARRAY(p->scratch, double, n);
	for (size_t i = 0; i < n; i++) {
		const Attr *a = list->u.list.v[i];
		if (a->kind != (floats ? ATTR_FLOAT : ATTR_INT))
			return list;
		ints[i] = floats ? 0 : a->u.i;
		reals[i] = floats ? (double)(float)a->u.f : 0;
	}
	return floats ? attr_floats(p->c, reals, n) : attr_ints(p->c, ints, n);
}

static const Attr *onnx_value(Parser *p, const OpDef *def, const Str *name, const Attr *a)
{
	const AttrDef *row = name->known ? op_attr_def(def, (AttrName)name->known) : NULL;
	if (a->kind == ATTR_INT)
		return attr_int(p->c, a->u.i);
	if (a->kind == ATTR_FLOAT)
		return attr_float(p->c, (double)(float)a->u.f);
	if (a->kind == ATTR_STRS && a->u.strs.n == 0)
		return row && row->kind == ATTR_FLOATS ? attr_floats(p->c, NULL, 0) : attr_ints(p->c, NULL, 0);
	if (a->kind != ATTR_LIST)
		return a;
	if (a->u.list.n)
		return numbers(p, a, a->u.list.v[0]->kind == ATTR_FLOAT);
	return row && row->kind == ATTR_FLOATS ? attr_floats(p->c, NULL, 0) :
		row && row->kind == ATTR_STRS ? attr_strs(p->c, NULL, 0) : attr_ints(p->c, NULL, 0);
}

/* Attributes of the node lose their prefix; others, such as "name" of the generic form, stay. */
static void onnx_attrs(Parser *p, OpText *o)
{
	for (size_t i = 0; i < o->attrs.len; i++) {
		NamedAttr *a = &o->attrs.data[i];
		if (!starts_with(a->name, ONNX_PREFIX))
			continue;
		a->name = without(p->c, a->name, ONNX_PREFIX);
		a->value = onnx_value(p, o->def, a->name, a->value);
	}
}

/* ---- ops ---- */

/* Domains that the importers drop. */
static const OpDef *find_row(Parser *p, const Str *name)
{
	static const char *const domains[] = { "com.microsoft", "ai.onnx.ml", "ai.onnx.preview.training", "ai.onnx.training" };
	const OpDef *d = op_def_find(p->c, name->s, name->len);
	if (d->kind != OP_UNKNOWN || !starts_with(name, "onnx."))
		return d;
	for (size_t i = 0; i < ARRAY_LEN(domains); i++) {
		const Str *full = str_fmt(p->c, "onnx.%s::%s", domains[i], name->s + 5);
		const OpDef *other = op_def_find(p->c, full->s, full->len);
		if (other->kind != OP_UNKNOWN)
			return other;
	}
	return d;
}

/* Regions are in the order of the attributes' names: the else branch of an If comes first. */
static void name_regions(Parser *p, OpText *o)
{
	if (!o->blocks.len)
		return;
	const Str **names = NEW_ARRAY(p->scratch, const Str *, o->blocks.len);
	bool is_if = o->def->kind == ONNX_If && o->blocks.len == 2;
	for (size_t i = 0; i < o->blocks.len; i++)
		names[i] = is_if ? str(p->c, i ? "else_branch" : "then_branch") : o->blocks.len == 1 ? str(p->c, "body") :
			str_fmt(p->c, "graph%zu", i);
	if (is_if) {
		Block *first = o->blocks.data[0];
		o->blocks.data[0] = o->blocks.data[1];
		o->blocks.data[1] = first;
	}
	const Attr *list = attr_strs(p->c, names, o->blocks.len);
	VEC_PUSH(p->scratch, &o->attrs, ((NamedAttr){ p->c->attr_names[A_graph_names], list }));
}

/* `{ ... }, { ... }`. */
static bool parse_node_regions(Parser *p, OpText *o)
{
	if (!at(p, T_LBRACE))
		return true;
	do {
		Block *b = block_new(p->func, NULL);
		if (o->blocks.len == UINT16_MAX)
			return parse_limit(p, &p->tok, "more than %d regions", UINT16_MAX);
		if (!parse_region(p, b))
			return false;
		VEC_PUSH(p->scratch, &o->blocks, b);
	} while (tok_accept(p, T_COMMA));
	name_regions(p, o);
	return true;
}

/* A result of type none has one that the importer did not know. */
static void untype_nones(Parser *p, OpText *o)
{
	for (size_t i = 0; i < o->types.len; i++)
		if (o->types.data[i]->kind == TYPE_NONE)
			o->types.data[i] = type_unknown(p->c);
}

/* `: (types) -> types`. */
static bool parse_node_types(Parser *p, OpText *o)
{
	if (!tok_expect(p, T_COLON, "':' and the types") || !tok_expect(p, T_LPAREN, "'('") ||
		!parse_operand_types(p, o, T_RPAREN) || !tok_expect(p, T_ARROW, "'->'") || !parse_result_types(p, o))
		return false;
	untype_nones(p, o);
	o->typed = true;
	return true;
}

static bool build_node(Parser *p, Block *b, OpText *o)
{
	if (!build_op(p, b, o))
		return false;
	Op *op = b->last;
	if (!op->name && op->loc && op->loc->what && !op->loc->file) /* loc("conv1"): importers keep names of nodes there */
		op->name = str(p->c, op->loc->what);
	return true;
}

static bool parse_operator(Parser *p, Block *b, OpText *o)
{
	const Str *name;
	o->at = p->tok;
	if (!parse_string(p, &name))
		return false;
	if (name->len == 0)
		return parse_error(p, &o->at, "empty name of an operator");
	o->def = find_row(p, name);
	o->quoted = true;
	if (!parse_operands(p, o) || (at(p, T_LBRACE) && !parse_dict(p, NULL, &o->attrs)))
		return false;
	onnx_attrs(p, o);
	return parse_node_types(p, o) && parse_node_regions(p, o) && parse_trailing_loc(p, o) && build_node(p, b, o);
}

/* `torch.operator_terminator %a, %b : t, u`. */
static bool parse_terminator(Parser *p, Block *b, OpText *o)
{
	o->def = op_def(p->c, OP_yield);
	o->typed = true;
	if (at(p, T_VALUE))
		do
			if (!parse_operand(p, o))
				return false;
		while (tok_accept(p, T_COMMA));
	if (at(p, T_LBRACE) && !parse_dict(p, NULL, &o->attrs))
		return false;
	if (tok_accept(p, T_COLON) && o->operands.len && !parse_operand_types(p, o, T_END))
		return false;
	return parse_trailing_loc(p, o) && build_op(p, b, o);
}

/* One name for a value that is there already, or for none. */
static bool define_alias(Parser *p, OpText *o, Value *v)
{
	Value **one = NEW(p->scratch, Value *);
	const Str *name = v ? v->name : NULL;
	*one = v;
	if (o->names.len != 1 || o->counts.data[0] != 1)
		return parse_error(p, &o->at, "one result with a name is expected here");
	if (!define_value(p, &o->names.data[0], one, 1))
		return false;
	if (v && name)
		value_set_name(v, name); /* not that of the alias */
	return true;
}

static bool parse_none(Parser *p, OpText *o)
{
	return (!at(p, T_LBRACE) || parse_dict(p, NULL, &o->attrs)) && parse_trailing_loc(p, o) && define_alias(p, o, NULL);
}

/* A constant that stands in the text as a signless tensor, or in a parameter file. */
static bool build_constant(Parser *p, Block *b, OpText *o, const Attr *value, const Str *name)
{
	if (value->kind != ATTR_TENSOR)
		return parse_error(p, &o->at, "expected a tensor");
	o->def = op_def(p->c, ONNX_initializer);
	o->typed = true;
	VEC_PUSH(p->scratch, &o->types, value->u.tensor.type);
	VEC_PUSH(p->scratch, &o->attrs, ((NamedAttr){ str(p->c, "value"), value }));
	if (!parse_trailing_loc(p, o) || !build_op(p, b, o))
		return false;
	if (name && b->last->nresults)
		value_set_name(b->last->results[0], name);
	return true;
}

/* torch_c.from_builtin_tensor: the same tensor, whose element type now has a sign. */
static bool parse_conversion(Parser *p, OpText *o)
{
	Value *v;
	if (!parse_use(p, &v) || !tok_expect(p, T_COLON, "':'"))
		return false;
	const Type *from = parse_type(p);
	if (!from || !tok_expect(p, T_ARROW, "'->'"))
		return false;
	const Type *to = parse_type(p);
	if (!to || !parse_trailing_loc(p, o))
		return false;
	if (!v || !type_is_tensor(to))
		return parse_error(p, &o->at, "a tensor is expected here");
	const Attr *value = v->def ? op_attr_named(v->def, str(p->c, "value")) : NULL;
	if (op_is(v->def, ONNX_initializer) && value && to->dtype != v->type->dtype) {
		const Type *had = value->u.tensor.type;
		if (dtype_bits(to->dtype) != dtype_bits(had->dtype) || !dtype_is_integer(to->dtype) || !dtype_is_integer(had->dtype))
			return parse_error(p, &o->at, "a tensor of %s cannot become one of %s", dtype_name(had->dtype),
				dtype_name(to->dtype));
		const Type *t = type_with_dtype(p->c, had, to->dtype);
		op_set_attr(v->def, str(p->c, "value"), attr_tensor(p->c, t, blob_ref(value->u.tensor.blob)));
		value_set_type(v, t);
	}
	return define_alias(p, o, v);
}

static bool parse_global_load(Parser *p, Block *b, OpText *o)
{
	const Str *name;
	Token at = p->tok;
	if (tok_accept_word(p, "immutable"))
		at = p->tok;
	if (!parse_symbol(p, &name))
		return false;
	const Attr *value = p->globals.arena ? map_get(&p->globals, MAP_PTR(name)) : NULL;
	if (!value)
		return parse_error(p, &at, "global %s is not defined", quote(p->scratch, name->s, name->len));
	if (!tok_expect(p, T_COLON, "':' and the type"))
		return false;
	return parse_type(p) && build_constant(p, b, o, value, name);
}

/* `call @name(%a) : (types) -> types`. */
static bool parse_call(Parser *p, Block *b, OpText *o)
{
	const Str *name;
	o->at = p->tok;
	if (!parse_symbol(p, &name))
		return false;
	const Str *full = str_fmt(p->c, "onnx." CALL_DOMAIN "::%s", name->s);
	o->def = op_def_find(p->c, full->s, full->len);
	o->quoted = true;
	return parse_operands(p, o) && (!at(p, T_LBRACE) || parse_dict(p, NULL, &o->attrs)) && parse_node_types(p, o) &&
		parse_trailing_loc(p, o) && build_op(p, b, o);
}

/* `"torch.operator"(%a) <{name = "onnx.Abs"}> ({...}) {...} : (types) -> types`, already taken apart. */
static bool build_generic_operator(Parser *p, Block *b, OpText *o)
{
	const Attr *name = NULL;
	for (size_t i = 0; i < o->attrs.len && !name; i++) {
		if (strcmp(o->attrs.data[i].name->s, "name"))
			continue;
		name = o->attrs.data[i].value;
		o->attrs.data[i] = o->attrs.data[--o->attrs.len];
	}
	if (!name || name->kind != ATTR_STR || !name->u.str->len)
		return parse_error(p, &o->at, "torch.operator has no name: <{name = \"onnx.Abs\"}> is expected");
	o->def = find_row(p, name->u.str);
	onnx_attrs(p, o);
	untype_nones(p, o);
	name_regions(p, o);
	return build_node(p, b, o);
}

bool build_torch_generic(Parser *p, Block *b, OpText *o, bool *ok)
{
	const char *name = o->def->name->s;
	if (!strcmp(name, "torch.operator")) {
		*ok = build_generic_operator(p, b, o);
	} else if (!strcmp(name, "torch.operator_terminator")) {
		o->def = op_def(p->c, OP_yield);
		*ok = build_op(p, b, o);
	} else if (!strcmp(name, "torch.constant.none")) {
		*ok = define_alias(p, o, NULL);
	} else {
		return false;
	}
	return true;
}

bool parse_torch_op(Parser *p, Block *b, OpText *o)
{
	Token t = o->at = p->tok;
	tok_next(p);
	if (token_is(&t, "torch.operator"))
		return parse_operator(p, b, o);
	if (token_is(&t, "torch.operator_terminator"))
		return parse_terminator(p, b, o);
	if (token_is(&t, "torch.constant.none"))
		return parse_none(p, o);
	if (token_is(&t, "torch_c.from_builtin_tensor") || token_is(&t, "torch_c.to_builtin_tensor"))
		return parse_conversion(p, o);
	if (token_is(&t, "util.global.load"))
		return parse_global_load(p, b, o);
	if (token_is(&t, "call") || token_is(&t, "func.call"))
		return parse_call(p, b, o);
	if (token_is(&t, "flow.tensor.constant")) {
		const Attr *a = parse_torch_constant(p);
		return a && build_constant(p, b, o, a, NULL);
	}
	return parse_unsupported(p, &t, "op %s of the torch dialect; ONNX nodes are torch.operator \"onnx.Name\"",
		quote(p->scratch, t.s, t.len));
}

/* ---- the module ---- */

static void take(Func *f, size_t i)
{
	memmove(f->attrs + i, f->attrs + i + 1, ((size_t)f->nattrs - i - 1) * sizeof *f->attrs);
	f->nattrs--;
}

/* What the function says about the model goes to the module; opset versions of all domains become one dictionary. */
static void move_meta(Parser *p, Func *f, AttrVec *module, const Attr **imports)
{
	VEC(const Str *) domains = { 0 };
	VEC(const Attr *) versions = { 0 };
	const Str *opset = str(p->c, META_PREFIX "opset_version"), *others = str(p->c, META_PREFIX "opset_versions");
	for (size_t i = 0; i < f->nattrs;) {
		NamedAttr a = f->attrs[i];
		if (!starts_with(a.name, META_PREFIX)) {
			i++;
			continue;
		}
		take(f, i);
		if (a.name == opset && a.value->kind == ATTR_INT) {
			VEC_PUSH(p->scratch, &domains, p->c->empty);
			VEC_PUSH(p->scratch, &versions, attr_int(p->c, a.value->u.i));
		} else if (a.name == others && a.value->kind == ATTR_DICT) {
			for (size_t k = 0; k < a.value->u.list.n; k++) {
				if (a.value->u.list.v[k]->kind != ATTR_INT)
					continue;
				VEC_PUSH(p->scratch, &domains, a.value->u.list.names[k]);
				VEC_PUSH(p->scratch, &versions, attr_int(p->c, a.value->u.list.v[k]->u.i));
			}
		} else if (module) {
			const Attr *v = a.value->kind == ATTR_INT ? attr_int(p->c, a.value->u.i) : a.value;
			VEC_PUSH(p->scratch, module, ((NamedAttr){ without(p->c, a.name, META_PREFIX), v }));
		}
	}
	*imports = domains.len ? attr_make(p->c, (Attr){ .kind = ATTR_DICT,
		.u.list = { versions.data, domains.data, domains.len } }) : NULL;
}

static void forget_ranks(Parser *p, Value *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i]->type->kind == TYPE_TENSOR && v[i]->type->rank == 0)
			value_set_type(v[i], type_unranked(p->c, v[i]->type->dtype));
}

static bool forget_op_ranks(void *arg, Op *op)
{
	if (!op_is(op, ONNX_Constant) && !op_is(op, ONNX_initializer))
		forget_ranks(arg, op->results, op->nresults);
	for (size_t i = 0; i < op->nblocks; i++)
		forget_ranks(arg, op->blocks[i]->args, op->blocks[i]->nargs);
	return true;
}

static bool is_private(Context *c, const Func *f)
{
	const Attr *a = named_attr(f->attrs, f->nattrs, str(c, "sym_visibility"));
	return a && a->kind == ATTR_STR && !strcmp(a->u.str->s, "private");
}

/* A function that others call: model-local, as the ONNX reader has them. */
static bool make_library(Parser *p, Func *f, const Attr *imports)
{
	const Str *full = str_fmt(p->c, CALL_DOMAIN "::%s", f->name->s);
	if (map_has(&p->funcs, MAP_PTR(full)))
		return parse_error(p, &p->tok, "function %s is already defined", quote(p->scratch, full->s, full->len));
	NamedAttr *v = NEW_ARRAY(p->m->arena, NamedAttr, 3);
	size_t n = 0;
	v[n++] = (NamedAttr){ str(p->c, "domain"), attr_str(p->c, str(p->c, CALL_DOMAIN)) };
	v[n++] = (NamedAttr){ str(p->c, "name"), attr_str(p->c, f->name) };
	if (imports)
		v[n++] = (NamedAttr){ str(p->c, "opset_imports"), imports };
	f->attrs = v;
	f->nattrs = (uint16_t)n;
	f->name = full;
	f->is_library = true;
	return true;
}

bool torch_finish(Parser *p, AttrVec *module)
{
	Module *m = p->m;
	const Attr *imports;
	if (!p->torch)
		return true;
	if (!m->main)
		m->main = module_default_main(m);
	for (Func *f = m->funcs; f; f = f->next) {
		bool library = f != m->main && is_private(p->c, f);
		move_meta(p, f, f == m->main ? module : NULL, &imports);
		if (f == m->main && imports)
			VEC_PUSH(p->scratch, module, ((NamedAttr){ str(p->c, "opset_imports"), imports }));
		block_walk(f->body, forget_op_ranks, p);
		if (library && !make_library(p, f, imports))
			return false;
	}
	if (!m->main)
		return true;
	if (!m->main->body->name)
		m->main->body->name = m->main->name;
	if (!map_has(&p->funcs, MAP_PTR(str(p->c, "main")))) /* a declaration may have the name */
		m->main->name = str(p->c, "main");
	m->format = str(p->c, "torch-onnx");
	return true;
}

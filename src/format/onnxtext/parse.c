#include "onnxtext.h"

#include <string.h>

/* The textual syntax of ONNX, read into what the protobuf reader makes of the same model: a model is
 *
 *   <ir_version: 8, opset_import: ["" : 17]>
 *   agraph (float[N] X) => (float[N] Y) <float W = {1.0}> { Y = Add (X, W) }
 *
 * followed by functions. Values are defined before they are used. */

#define DEFAULT_DEPTH 100
#define DEFAULT_NODES 5000000
#define MAX_ATTRS 4096
#define MAX_TENSOR_NAMES 4096 /* of one node; further ones are forgotten */

typedef VEC(NamedAttr) Attrs;

static bool parse_graph(Text *t, Block *b, Scope *outer, bool is_main);

static Value *lookup(const Scope *s, const Str *name)
{
	for (; s; s = s->outer) {
		Value *v = map_get(&s->values, MAP_PTR(name));
		if (v)
			return v;
	}
	return NULL;
}

static bool define(Text *t, Scope *s, const Str *name, Value *v)
{
	if (map_has(&s->values, MAP_PTR(name)))
		return text_error(t, "value %s is already defined", quote(t->scratch, name->s, name->len));
	map_put(&s->values, MAP_PTR(name), v);
	return true;
}

static void scope_init(Text *t, Scope *s, Scope *outer)
{
	*s = (Scope){ .outer = outer };
	map_init(&s->values, t->scratch);
	map_init(&s->types, t->scratch);
}

/* ---- attributes ---- */

static bool number_attr(Text *t, const Attr **out)
{
	double x;
	int64_t i;
	bool is_float;
	if (!text_number(t, &x, &i, &is_float))
		return false;
	*out = is_float ? attr_float(t->c, (double)(float)x) : attr_int(t->c, i);
	return true;
}

typedef struct NodeText {
	const Str *label, *domain, *name, *overload;
	VEC(const Str *) out, in;
	Attrs attrs, meta;     /* meta: names of tensors, as "tensor.ATTRIBUTE" */
	VEC(const Str *) graph_names;
	VEC(Block *) graphs;
} NodeText;

/* float[2] {1, 2}, float[2] name = {1, 2}, or a type alone; key: the attribute, with the place in a list in brackets. */
static bool typed_attr(Text *t, NodeText *n, const Str *key, const Attr **out)
{
	const Str *name;
	const Type *type = text_type(t);
	if (!type)
		return false;
	if (text_at_name(t)) {
		if (!text_name(t, &name))
			return false;
		if (n->meta.len < MAX_TENSOR_NAMES)
			VEC_PUSH(t->scratch, &n->meta, ((NamedAttr){ str_fmt(t->c, "tensor.%s", key->s), wire_of_tensor_name(t->c, name) }));
		text_accept(t, "=");
	}
	*out = text_at(t, "{") ? text_tensor_data(t, type) : text_at(t, "[") ? text_external(t, type, t->c->empty)
		: attr_type(t->c, type);
	return *out != NULL;
}

/* @name in a function: kept as the protobuf message that the other reader keeps. */
static bool reference_attr(Text *t, const Str *name, const char *kind, const Attr **out)
{
	const Str *ref;
	if (!t->in_function)
		return text_error(t, "a reference to an attribute outside a function");
	if (!text_name(t, &ref))
		return false;
	if (!wire_kind(kind))
		return text_error(t, "a reference needs its type: %s : int = @%s", name->s, ref->s);
	*out = wire_reference(t->c, name, wire_kind(kind), ref);
	return true;
}

static bool graph_attr(Text *t, NodeText *n, const Str *name, Scope *s)
{
	Block *b = block_new(t->func, NULL);
	VEC_PUSH(t->scratch, &n->graph_names, name);
	VEC_PUSH(t->scratch, &n->graphs, b);
	return parse_graph(t, b, s, false);
}

/* A name that begins a graph, and not a number. */
static bool text_at_graph(Text *t)
{
	return text_at_name(t) && !text_word_at(t, "inf") && !text_word_at(t, "nan") && !text_word_at(t, "infinity");
}

/* A value of a list: a number, a text, a tensor or a type; *out stays NULL for a graph, which goes to the node. */
static bool list_item(Text *t, NodeText *n, const Str *key, Scope *s, const Attr **out)
{
	const Str *word;
	if (text_at(t, "\"")) {
		const char *start = t->p;
		if (!text_string(t, &word))
			return false;
		if (text_at(t, "(")) { /* the name of a graph */
			t->p = start;
			return graph_attr(t, n, key, s);
		}
		*out = attr_str(t->c, word);
		return true;
	}
	if (text_at_type(t))
		return typed_attr(t, n, key, out);
	if (text_at_graph(t))
		return graph_attr(t, n, key, s);
	return number_attr(t, out);
}

/* Numbers, or texts, in one attribute; whole numbers among others become these. */
static const Attr *plain_list(Text *t, const Attr *const *v, size_t n, const char *kind)
{
	bool floats = !strcmp(kind, "floats"), texts = !strcmp(kind, "strings");
	const Str **s = NEW_ARRAY(t->scratch, const Str *, n);
	double *x = NEW_ARRAY(t->scratch, double, n);
	int64_t *whole = NEW_ARRAY(t->scratch, int64_t, n);
	for (size_t i = 0; i < n; i++) {
		floats |= v[i]->kind == ATTR_FLOAT;
		texts |= v[i]->kind == ATTR_STR;
		s[i] = v[i]->kind == ATTR_STR ? v[i]->u.str : NULL;
		x[i] = v[i]->kind == ATTR_FLOAT ? v[i]->u.f : v[i]->kind == ATTR_INT ? (double)v[i]->u.i : 0;
		whole[i] = v[i]->kind == ATTR_INT ? v[i]->u.i : 0;
	}
	return texts ? attr_strs(t->c, s, n) : floats ? attr_floats(t->c, x, n) : attr_ints(t->c, whole, n);
}

enum { ITEM_NUMBER, ITEM_TEXT, ITEM_TENSOR, ITEM_TYPE, ITEM_GRAPH };

static int item_kind(const Attr *a)
{
	return !a ? ITEM_GRAPH : a->kind == ATTR_STR ? ITEM_TEXT : a->kind == ATTR_TENSOR ? ITEM_TENSOR : a->kind == ATTR_TYPE ? ITEM_TYPE
		: ITEM_NUMBER;
}

/* [...], all of one kind. Graphs are known by the name of the attribute and their place in brackets, *out stays NULL. */
static bool list_attr(Text *t, NodeText *n, const Str *name, Scope *s, const char *kind, const Attr **out)
{
	VEC(const Attr *) v = { 0 };
	if (!text_expect(t, "["))
		return false;
	while (!text_at(t, "]")) {
		const Attr *a = NULL;
		if ((v.len && !text_expect(t, ",")) || !list_item(t, n, str_fmt(t->c, "%s[%zu]", name->s, v.len), s, &a))
			return false;
		if (v.len && item_kind(a) != item_kind(v.data[0]))
			return text_error(t, "a list holds numbers, strings, tensors, types or graphs, not several of these");
		VEC_PUSH(t->scratch, &v, a);
	}
	t->p++;
	bool plain = !*kind || !strcmp(kind, "ints") || !strcmp(kind, "floats") || !strcmp(kind, "strings");
	int first = v.len ? item_kind(v.data[0]) : plain ? ITEM_NUMBER : ITEM_TENSOR;
	if (v.len == 0 && !plain) {
		uint64_t type = wire_kind(kind);
		if (!type || kind[strlen(kind) - 1] != 's')
			return text_error(t, "an empty list of type %s", kind);
		*out = wire_empty(t->c, name, type);
	} else if (first == ITEM_NUMBER || first == ITEM_TEXT) {
		*out = plain_list(t, v.data, v.len, kind);
	} else if (first != ITEM_GRAPH) {
		*out = attr_make(t->c, (Attr){ .kind = ATTR_LIST, .u.list = { v.data, NULL, v.len } });
	}
	return true;
}

/* name [: type] = value */
static bool parse_attr(Text *t, NodeText *n, Scope *s)
{
	const Str *name, *kind = t->c->empty, *word;
	const Attr *a = NULL;
	if (!text_name(t, &name) || (text_accept(t, ":") && !text_name(t, &kind)) || !text_expect(t, "="))
		return false;
	bool ok;
	if (text_accept(t, "@")) {
		ok = reference_attr(t, name, kind->s, &a);
	} else if (text_at(t, "\"")) {
		const char *start = t->p;
		ok = text_string(t, &word);
		if (ok && text_at(t, "(")) { /* the name of a graph */
			t->p = start;
			return graph_attr(t, n, name, s);
		}
		a = ok ? attr_str(t->c, word) : NULL;
	} else if (text_at(t, "[")) {
		size_t graphs = n->graphs.len;
		ok = list_attr(t, n, name, s, kind->s, &a);
		if (ok && !a && n->graphs.len > graphs)
			return true;
	} else if (text_at_type(t)) {
		ok = typed_attr(t, n, name, &a);
	} else if (text_at_graph(t)) {
		return graph_attr(t, n, name, s);
	} else {
		ok = number_attr(t, &a);
		if (ok && a->kind == ATTR_INT && !strcmp(kind->s, "float"))
			a = attr_float(t->c, (double)a->u.i);
	}
	if (!ok || !a)
		return false;
	for (size_t i = 0; i < n->attrs.len; i++)
		if (n->attrs.data[i].name == name)
			return text_error(t, "attribute %s is given twice", name->s);
	if (n->attrs.len >= MAX_ATTRS)
		return text_error(t, "more than %d attributes", MAX_ATTRS);
	VEC_PUSH(t->scratch, &n->attrs, ((NamedAttr){ name, a }));
	return true;
}

static bool parse_attrs(Text *t, NodeText *n, Scope *s)
{
	if (!text_accept(t, "<"))
		return true;
	for (bool first = true; !text_accept(t, ">"); first = false)
		if ((!first && !text_expect(t, ",")) || !parse_attr(t, n, s))
			return false;
	return true;
}

/* ---- nodes ---- */

/* Names between commas up to `end`, which is consumed; an omitted one is empty. */
static bool name_list(Text *t, const char *end, const Str ***out, size_t *n)
{
	VEC(const Str *) v = { 0 };
	bool more = !text_accept(t, end);
	while (more) {
		const Str *s = t->c->empty;
		if (text_at_name(t) && !text_name(t, &s))
			return false;
		VEC_PUSH(t->scratch, &v, s);
		more = text_accept(t, ",");
		if (!more && !text_expect(t, end))
			return false;
	}
	*out = v.data;
	*n = v.len;
	return true;
}

/* domain.with.points.Op:overload */
static bool parse_op_name(Text *t, NodeText *n)
{
	const Str *word;
	if (!text_name(t, &word))
		return false;
	n->name = word;
	while (text_accept(t, ".")) {
		n->domain = n->domain ? str_fmt(t->c, "%s.%s", n->domain->s, n->name->s) : n->name;
		if (!text_name(t, &n->name))
			return false;
	}
	return !text_accept(t, ":") || text_name(t, &n->overload);
}

static bool order_branches(Text *t, NodeText *n, const OpDef *d)
{
	if (d->kind == ONNX_If) {
		if (n->graphs.len != 2)
			return text_error(t, "If needs the graphs then_branch and else_branch");
		if (!strcmp(n->graph_names.data[0]->s, "else_branch")) {
			const Str *name = n->graph_names.data[0];
			Block *b = n->graphs.data[0];
			n->graph_names.data[0] = n->graph_names.data[1];
			n->graphs.data[0] = n->graphs.data[1];
			n->graph_names.data[1] = name;
			n->graphs.data[1] = b;
		}
		return !strcmp(n->graph_names.data[0]->s, "then_branch") || text_error(t, "If needs the graph then_branch");
	}
	bool loop = d->kind == ONNX_Loop || d->kind == ONNX_Scan || d->kind == ONNX_SequenceMap;
	return !loop || n->graphs.len == 1 || text_error(t, "%s needs the graph body", n->name->s);
}

static bool check_counts(Text *t, const NodeText *n, const OpDef *d, Value *const *in)
{
	if (n->in.len < d->min_operands || (d->max_operands != UINT16_MAX && n->in.len > d->max_operands))
		return text_error(t, "%s has %zu inputs", n->name->s, n->in.len);
	if (d->max_results != UINT16_MAX && n->out.len > d->max_results)
		return text_error(t, "%s has %zu outputs", n->name->s, n->out.len);
	const char *s = d->operands;
	for (size_t i = 0; d->kind != OP_UNKNOWN && i < n->in.len; i++) {
		size_t len = strcspn(s, " ");
		char mark = len ? s[len - 1] : '*';
		if (!in[i] && mark != '?')
			return text_error(t, "input %zu of %s is absent, but required", i, n->name->s);
		if (mark != '*' && s[len])
			s += len + 1;
	}
	return true;
}

/* Inputs and outputs of a body that the node asks for. */
static bool check_body(Text *t, const Op *op)
{
	for (size_t i = 0; i < op->nblocks; i++) {
		size_t args = op->blocks[i]->nargs, gives = op->blocks[i]->last->noperands, want_args = args, want = op->nresults;
		if (op_is(op, ONNX_Loop)) {
			want_args = op->noperands < 2 ? 2 : op->noperands;
			want++;
		} else if (op_is(op, ONNX_Scan) || op_is(op, ONNX_SequenceMap)) {
			want_args = op_is(op, ONNX_Scan) && args + 1u == op->noperands ? args : op->noperands;
			want = op_is(op, ONNX_Scan) ? want : gives;
		} else if (op_is(op, ONNX_If)) {
			want_args = 0;
		} else {
			want = gives;
		}
		if (args != want_args || gives != want)
			return text_error(t, "the graph has %zu inputs and %zu outputs, the node needs %zu and %zu", args, gives,
				want_args, want);
	}
	return true;
}

static bool build_node(Text *t, Block *b, Scope *s, NodeText *n, const char *start)
{
	const OpDef *d = op_def_onnx(t->c, n->domain, n->name);
	size_t nout = n->out.len < d->min_results ? d->min_results : n->out.len;
	Value **in = NEW_ARRAY(t->scratch, Value *, n->in.len + 1);
	const Type **types = NEW_ARRAY(t->scratch, const Type *, nout + 1);
	for (size_t i = 0; i < n->in.len; i++) {
		const Str *name = n->in.data[i];
		in[i] = name->len ? lookup(s, name) : NULL;
		if (name->len && !in[i])
			return text_error(t, "value %s is not defined", quote(t->scratch, name->s, name->len));
	}
	if (d->kind == ONNX_initializer)
		return text_error(t, "ONNX has no operator initializer");
	if (!check_counts(t, n, d, in) || !order_branches(t, n, d))
		return false;
	for (size_t i = 0; i < n->out.len; i++)
		types[i] = map_get(&s->types, MAP_PTR(n->out.data[i]));
	if (n->graphs.len)
		VEC_PUSH(t->scratch, &n->attrs, ((NamedAttr){ t->c->attr_names[A_graph_names],
			attr_strs(t->c, n->graph_names.data, n->graph_names.len) }));
	const char *label = n->label ? quote(t->scratch, n->label->s, n->label->len) : NULL;
	const Str *what = label ? str_fmt(t->c, "node %s (%s)", label, n->name->s) : str_fmt(t->c, "node %s", n->name->s);
	Loc loc = { .file = t->file, .offset = start - t->start, .what = what->s };
	OpSpec spec = { .def = d, .operands = in, .noperands = n->in.len, .types = types, .nresults = nout,
		.attrs = n->attrs.data, .nattrs = n->attrs.len, .nblocks = n->graphs.len, .loc = loc_new(t->c, loc), .name = n->label };
	Op *op = op_new(b, NULL, &spec);
	op->meta = n->overload || n->meta.len ? NEW_ARRAY(t->m->arena, NamedAttr, n->meta.len + 1) : NULL;
	if (n->overload)
		op->meta[op->nmeta++] = (NamedAttr){ str(t->c, "overload"), attr_str(t->c, n->overload) };
	for (size_t i = 0; i < n->meta.len; i++)
		op->meta[op->nmeta++] = n->meta.data[i];
	for (size_t i = 0; i < n->graphs.len; i++)
		op_set_block(op, i, n->graphs.data[i]);
	for (size_t i = 0; i < n->out.len; i++) {
		if (!n->out.data[i]->len)
			continue;
		value_set_name(op->results[i], n->out.data[i]);
		if (!define(t, s, n->out.data[i], op->results[i]))
			return false;
	}
	return check_body(t, op);
}

/* [label] Y, Z = domain.Op <attrs> (X, , W) <attrs> */
static bool parse_node(Text *t, Block *b, Scope *s)
{
	NodeText n = { 0 };
	const char *start = t->p;
	if (text_accept(t, "[") && (!text_name(t, &n.label) || !text_expect(t, "]")))
		return false;
	if (++t->nodes > t->max_nodes)
		return text_error(t, "more than %lld nodes", (long long)t->max_nodes);
	if (!text_accept(t, "=") && !name_list(t, "=", (const Str ***)&n.out.data, &n.out.len))
		return false;
	return parse_op_name(t, &n) && parse_attrs(t, &n, s) && text_expect(t, "(") &&
		name_list(t, ")", (const Str ***)&n.in.data, &n.in.len) && parse_attrs(t, &n, s) && build_node(t, b, s, &n, start);
}

static bool parse_nodes(Text *t, Block *b, Scope *s)
{
	if (!text_expect(t, "{"))
		return false;
	while (!text_accept(t, "}"))
		if (!parse_node(t, b, s))
			return false;
	return true;
}

/* ---- graphs ---- */

typedef struct Info {
	const Str *name;
	const Type *type;      /* NULL: not given */
	const Attr *value;     /* NULL: none */
} Info;
typedef VEC(Info) Infos;

/* type name [= {data}], the type optional. */
static bool parse_info(Text *t, Info *out)
{
	*out = (Info){ 0 };
	if (text_at_type(t)) {
		out->type = text_type(t);
		if (!out->type)
			return false;
	}
	if (!text_name(t, &out->name))
		return false;
	if (!text_accept(t, "="))
		return true;
	if (!out->type)
		return text_error(t, "data need a type before the name");
	out->value = text_at(t, "[") ? text_external(t, out->type, out->name) : text_tensor_data(t, out->type);
	return out->value != NULL;
}

static bool parse_infos(Text *t, const char *end, Infos *out)
{
	for (bool first = true; !text_accept(t, end); first = false) {
		Info i;
		if ((!first && !text_expect(t, ",")) || !parse_info(t, &i))
			return false;
		VEC_PUSH(t->scratch, out, i);
	}
	return true;
}

static bool add_inputs(Text *t, Block *b, Scope *s, const Infos *in, bool is_main)
{
	const Attr **defaults = NEW_ARRAY(t->m->arena, const Attr *, in->len + 1);
	bool any = false;
	for (size_t i = 0; i < in->len; i++) {
		const Info *f = &in->data[i];
		Value *v = block_add_arg(b, f->type ? f->type : type_unknown(t->c), f->name);
		defaults[i] = f->value;
		any |= f->value != NULL;
		if (!define(t, s, f->name, v))
			return false;
	}
	if (any && !is_main)
		return text_error(t, "only inputs of the model have defaults");
	if (any)
		t->func->arg_default = defaults;
	return true;
}

/* An initializer with the name of an input is what the input is when it is not given. */
static bool default_of(Text *t, const Block *b, const Value *arg, const Info *f)
{
	if (!t->func->arg_default)
		t->func->arg_default = NEW_ARRAY(t->m->arena, const Attr *, b->nargs + 1u);
	for (uint32_t i = 0; i < b->nargs; i++) {
		if (b->args[i] != arg)
			continue;
		if (t->func->arg_default[i])
			return text_error(t, "value %s is already defined", quote(t->scratch, f->name->s, f->name->len));
		t->func->arg_default[i] = f->value;
	}
	return true;
}

/* Initializers and types of inner values. */
static bool add_values(Text *t, Block *b, Scope *s, const Infos *in, bool is_main)
{
	for (size_t i = 0; i < in->len; i++) {
		const Info *f = &in->data[i];
		if (!f->value) {
			map_put(&s->types, MAP_PTR(f->name), (void *)(uintptr_t)f->type);
			continue;
		}
		Value *arg = is_main ? map_get(&s->values, MAP_PTR(f->name)) : NULL;
		if (arg && !arg->def) {
			if (!default_of(t, b, arg, f))
				return false;
			continue;
		}
		NamedAttr value = { str(t->c, "value"), f->value };
		Loc loc = { .file = t->file, .offset = t->p - t->start, .what = "initializer" };
		OpSpec spec = { .def = op_def(t->c, ONNX_initializer), .types = &f->type, .nresults = 1, .attrs = &value, .nattrs = 1,
			.loc = loc_new(t->c, loc) };
		Op *op = op_new(b, NULL, &spec);
		value_set_name(op->results[0], f->name);
		if (!define(t, s, f->name, op->results[0]))
			return false;
	}
	return true;
}

/* Which inner values have a declared type: for writers. */
static void keep_infos(Text *t, Block *b, const Scope *s, const Infos *in)
{
	VEC(const Str *) names = { 0 };
	VEC(const Attr *) infos = { 0 };
	const Attr *none = attr_make(t->c, (Attr){ .kind = ATTR_WIRE, .u.str = t->c->empty });
	for (size_t i = 0; i < in->len; i++)
		if (!in->data[i].value && in->data[i].type && map_has(&s->values, MAP_PTR(in->data[i].name))) {
			VEC_PUSH(t->scratch, &names, in->data[i].name);
			VEC_PUSH(t->scratch, &infos, none);
		}
	if (!names.len)
		return;
	b->meta = NEW(t->m->arena, NamedAttr);
	b->meta[0] = (NamedAttr){ str(t->c, "value_info"),
		attr_make(t->c, (Attr){ .kind = ATTR_DICT, .u.list = { infos.data, names.data, names.len } }) };
	b->nmeta = 1;
}

static bool add_end(Text *t, Block *b, Scope *s, const Str *const *names, size_t n, OpKind kind)
{
	Value **v = NEW_ARRAY(t->scratch, Value *, n + 1);
	for (size_t i = 0; i < n; i++) {
		v[i] = lookup(s, names[i]);
		if (!v[i])
			return text_error(t, "output %s is not defined", quote(t->scratch, names[i]->s, names[i]->len));
	}
	Loc loc = { .file = t->file, .offset = -1 };
	op_new(b, NULL, &(OpSpec){ .def = op_def(t->c, kind), .operands = v, .noperands = n, .loc = loc_new(t->c, loc) });
	return true;
}

static const Str **names_of(Text *t, const Infos *v)
{
	const Str **names = NEW_ARRAY(t->m->arena, const Str *, v->len + 1);
	for (size_t i = 0; i < v->len; i++)
		names[i] = v->data[i].name;
	return names;
}

/* name (inputs) => (outputs) <values> { nodes } */
static bool parse_graph(Text *t, Block *b, Scope *outer, bool is_main)
{
	Scope s;
	Infos in = { 0 }, out = { 0 }, values = { 0 };
	scope_init(t, &s, outer);
	if (++t->depth > t->max_depth)
		return text_error(t, "nested more than %d deep", t->max_depth);
	if (!text_name(t, &b->name) || !text_expect(t, "(") || !parse_infos(t, ")", &in) || !text_expect(t, "=>") ||
		!text_expect(t, "(") || !parse_infos(t, ")", &out) || (text_accept(t, "<") && !parse_infos(t, ">", &values)))
		return false;
	for (size_t i = 0; i < out.len; i++)
		map_put(&s.types, MAP_PTR(out.data[i].name), (void *)(uintptr_t)out.data[i].type);
	const Str **names = names_of(t, &out);
	if (!add_inputs(t, b, &s, &in, is_main) || !add_values(t, b, &s, &values, is_main) || !parse_nodes(t, b, &s) ||
		!add_end(t, b, &s, names, out.len, is_main ? OP_return : OP_yield))
		return false;
	keep_infos(t, b, &s, &values);
	if (is_main)
		t->func->result_names = names;
	t->depth--;
	return true;
}

/* ---- functions ---- */

/* [ "" : 17, "com.microsoft" : 1 ]; strings for metadata_props. */
static bool parse_pairs(Text *t, const Attr **out)
{
	VEC(const Str *) names = { 0 };
	VEC(const Attr *) values = { 0 };
	if (!text_expect(t, "["))
		return false;
	while (!text_accept(t, "]")) {
		const Str *name, *word;
		int64_t v;
		if ((names.len && !text_expect(t, ",")) || !text_string(t, &name) || !text_expect(t, ":"))
			return false;
		const Attr *a;
		if (text_at(t, "\"")) {
			if (!text_string(t, &word))
				return false;
			a = attr_str(t->c, word);
		} else if (text_int(t, &v)) {
			a = attr_int(t->c, v);
		} else {
			return false;
		}
		VEC_PUSH(t->scratch, &names, name);
		VEC_PUSH(t->scratch, &values, a);
	}
	*out = attr_make(t->c, (Attr){ .kind = ATTR_DICT, .u.list = { values.data, names.data, names.len } });
	return true;
}

/* <key: value, ...> of a model or function. */
static bool parse_header(Text *t, Attrs *out)
{
	if (!text_accept(t, "<"))
		return true;
	for (bool first = true; !text_accept(t, ">"); first = false) {
		const Str *key, *word;
		const Attr *a = NULL;
		int64_t v;
		if ((!first && !text_expect(t, ",")) || !text_name(t, &key) || !text_expect(t, ":"))
			return false;
		if (text_at(t, "[") ? !parse_pairs(t, &a) : text_at(t, "\"") ? !text_string(t, &word) : !text_int(t, &v))
			return false;
		if (!a)
			a = t->p[-1] == '"' ? attr_str(t->c, word) : attr_int(t->c, v);
		if (!strcmp(key->s, "opset_import"))
			key = str(t->c, "opset_imports");
		VEC_PUSH(t->scratch, out, ((NamedAttr){ key, a }));
	}
	return true;
}

static void insert(Text *t, Attrs *v, const char *name, const Attr *a)
{
	VEC_PUSH(t->scratch, v, ((NamedAttr){ str(t->c, name), a }));
}

static const Attr *header_get(const Attrs *v, const char *name)
{
	for (size_t i = 0; i < v->len; i++)
		if (!strcmp(v->data[i].name->s, name))
			return v->data[i].value;
	return NULL;
}

/* Sorted, in the module's arena. */
static NamedAttr *attrs_done(Text *t, Attrs *v, uint16_t *n)
{
	for (size_t i = 1; i < v->len; i++)
		for (size_t k = i; k > 0 && strcmp(v->data[k].name->s, v->data[k - 1].name->s) < 0; k--) {
			NamedAttr x = v->data[k];
			v->data[k] = v->data[k - 1];
			v->data[k - 1] = x;
		}
	*n = (uint16_t)v->len;
	return v->len ? arena_dup(t->m->arena, v->data, v->len * sizeof *v->data) : NULL;
}

/* <alpha, beta : float = 1.0>: attributes without and with a default. */
static bool parse_attributes(Text *t, Attrs *head)
{
	VEC(const Str *) names = { 0 };
	VEC(const Attr *) defaults = { 0 };
	NodeText with = { 0 };
	for (bool first = true; !text_accept(t, ">"); first = false) {
		const Str *name;
		if ((!first && !text_expect(t, ",")) || !text_at_name(t))
			return text_expect(t, "a name");
		const char *start = t->p;
		if (!text_name(t, &name))
			return false;
		if (!text_at(t, ":") && !text_at(t, "=")) {
			VEC_PUSH(t->scratch, &names, name);
			continue;
		}
		t->p = start;
		size_t had = with.attrs.len;
		if (!parse_attr(t, &with, NULL))
			return false;
		const Attr *a = with.attrs.len > had ? wire_value(t->c, name, with.attrs.data[had].value) : NULL;
		if (!a)
			return text_error(t, "the default of attribute %s is no number, text, or list of these", name->s);
		VEC_PUSH(t->scratch, &defaults, a);
	}
	if (names.len)
		insert(t, head, "attribute", attr_strs(t->c, names.data, names.len));
	if (defaults.len)
		insert(t, head, "attribute_proto",
			attr_make(t->c, (Attr){ .kind = ATTR_LIST, .u.list = { defaults.data, NULL, defaults.len } }));
	return true;
}

/* <domain: "d", opset_import: [...]> name <attributes> (inputs) => (outputs) <types> { nodes } */
static bool parse_function(Text *t, Map *seen)
{
	Attrs head = { 0 };
	Scope s;
	Infos types = { 0 };
	const Str *name, **in, **out;
	size_t nin, nout;
	scope_init(t, &s, NULL);
	if (!parse_header(t, &head) || !text_name(t, &name))
		return false;
	if (text_accept(t, "<") && !parse_attributes(t, &head))
		return false;
	const Attr *domain = header_get(&head, "domain");
	const Attr *overload = header_get(&head, "overload");
	const Str *full = str_fmt(t->c, "%s::%s", domain && domain->kind == ATTR_STR ? domain->u.str->s : "", name->s);
	if (overload && overload->kind == ATTR_STR && overload->u.str->len)
		full = str_fmt(t->c, "%s:%s", full->s, overload->u.str->s);
	if (map_has(seen, MAP_PTR(full)))
		return text_error(t, "function %s is already defined", full->s);
	map_put(seen, MAP_PTR(full), t);
	Func *f = t->func = func_new(t->m, full);
	f->is_library = true;
	if (!text_expect(t, "(") || !name_list(t, ")", &in, &nin) || !text_expect(t, "=>") || !text_expect(t, "(") ||
		!name_list(t, ")", &out, &nout) || (text_accept(t, "<") && !parse_infos(t, ">", &types)))
		return false;
	for (size_t i = 0; i < nin; i++)
		if (!define(t, &s, in[i], block_add_arg(f->body, NULL, in[i])))
			return false;
	for (size_t i = 0; i < types.len; i++)
		map_put(&s.types, MAP_PTR(types.data[i].name), (void *)(uintptr_t)types.data[i].type);
	t->in_function = true;
	if (!parse_nodes(t, f->body, &s) || !add_end(t, f->body, &s, out, nout, OP_return))
		return false;
	t->in_function = false;
	f->result_names = arena_dup(t->m->arena, out, (nout + 1) * sizeof *out);
	if (!domain)
		insert(t, &head, "domain", attr_str(t->c, t->c->empty));
	insert(t, &head, "name", attr_str(t->c, name));
	f->attrs = attrs_done(t, &head, &f->nattrs);
	return true;
}

/* ---- calls ---- */

typedef struct Calls {
	Text *t;
	Map funcs, state;     /* Str -> Func; Func -> 1 open, 2 done */
	int depth;
	bool ok;
} Calls;

static bool visit(Calls *k, Func *f);

static bool visit_op(void *arg, Op *op)
{
	Calls *k = arg;
	const Str *name = op->def->name;
	if (op->def->kind != OP_UNKNOWN || name->len < 6 || strncmp(name->s, "onnx.", 5) != 0)
		return true;
	const char *rest = name->s + 5;
	const Str *key = strstr(rest, "::") ? str(k->t->c, rest) : str_fmt(k->t->c, "::%s", rest);
	if (op->nmeta && op->meta[0].value->kind == ATTR_STR) /* the overload */
		key = str_fmt(k->t->c, "%s:%s", key->s, op->meta[0].value->u.str->s);
	Func *f = map_get(&k->funcs, MAP_PTR(key));
	if (f && (op->noperands > f->body->nargs || op->nresults > f->body->last->noperands))
		k->ok = diag_error(&k->t->c->diags, HONE_BAD_INPUT, op->loc, "%u inputs and %u outputs, function %s has %u and %u",
			op->noperands, op->nresults, key->s, f->body->nargs, f->body->last->noperands);
	else if (f)
		k->ok = visit(k, f);
	return k->ok;
}

/* Calls fit their functions, and following them comes to an end. */
static bool visit(Calls *k, Func *f)
{
	void *state = map_get(&k->state, MAP_PTR(f));
	if (state)
		return state == (void *)2 || diag_error(&k->t->c->diags, HONE_BAD_INPUT, NULL, "function %s calls itself", f->name->s);
	if (++k->depth > k->t->max_depth)
		return diag_error(&k->t->c->diags, HONE_LIMIT, NULL, "calls nest more than %d deep", k->t->max_depth);
	map_put(&k->state, MAP_PTR(f), (void *)1);
	block_walk(f->body, visit_op, k);
	map_put(&k->state, MAP_PTR(f), (void *)2);
	k->depth--;
	return k->ok;
}

static bool check_calls(Text *t)
{
	Calls k = { .t = t, .ok = true };
	map_init(&k.funcs, t->scratch);
	map_init(&k.state, t->scratch);
	for (Func *f = t->m->funcs; f; f = f->next)
		map_put(&k.funcs, MAP_PTR(f->name), f);
	for (Func *f = t->m->funcs; f && k.ok; f = f->next)
		k.ok = visit(&k, f);
	return k.ok;
}

static bool parse_model(Text *t)
{
	Attrs head = { 0 };
	Map seen;
	Module *m = t->m;
	map_init(&seen, t->scratch);
	if (!parse_header(t, &head))
		return false;
	if (!header_get(&head, "ir_version") || !header_get(&head, "opset_imports"))
		return text_error(t, "a model begins with <ir_version: N, opset_import: [\"\" : N]>");
	m->main = t->func = func_new(m, str(t->c, "main"));
	if (!parse_graph(t, m->main->body, NULL, true))
		return false;
	m->attrs = attrs_done(t, &head, &m->nattrs);
	for (text_skip(t); t->p < t->end; text_skip(t))
		if (!parse_function(t, &seen))
			return false;
	return check_calls(t);
}

Module *onnxtext_read(Context *c, MappedFile *f, const ReadOptions *o)
{
	Text t = { .c = c, .m = module_new(c), .scratch = arena_new(), .file = str(c, f->path)->s };
	t.start = t.p = f->len ? (const char *)f->data : "";
	t.end = t.start + f->len;
	t.max_depth = o && o->max_depth > 0 ? o->max_depth : DEFAULT_DEPTH;
	t.max_nodes = o && o->max_nodes > 0 ? o->max_nodes : DEFAULT_NODES;
	t.data_dir = o && o->data_dir ? o->data_dir : f->fd >= 0 ? path_dir(t.scratch, f->path) : NULL;
	t.anywhere = o && o->allow_external_dir;
	map_init(&t.externals, t.scratch);
	map_init(&t.summed, t.scratch);
	t.m->path = arena_strdup(t.m->arena, f->path);
	t.m->format = str(c, "onnx");
	bool ok = parse_model(&t);
	if (!ok && c->diags.list.len && !c->diags.list.data[c->diags.list.len - 1].hint)
		diag_hint(&c->diags, "docs/Syntax.md of the ONNX project describes the form");
	text_close_files(&t);
	arena_free(t.scratch);
	if (ok)
		return t.m;
	module_free(t.m);
	return NULL;
}

/* "<", then a word and a colon. */
int onnxtext_sniff(Bytes head, const char *path)
{
	Text t = { .start = head.len ? (const char *)head.data : "" };
	size_t n = path ? strlen(path) : 0;
	bool named = n > 8 && !strcmp(path + n - 8, ".onnxtxt");
	t.p = t.start;
	t.end = t.start + head.len;
	if (!text_accept(&t, "<"))
		return named ? 40 : 0;
	return text_word_at(&t, "ir_version") || text_word_at(&t, "opset_import") ? 95 : named ? 80 : 0;
}

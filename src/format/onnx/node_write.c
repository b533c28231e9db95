#include "onnx.h"
#include "ops/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const Attr *meta_get(Context *c, const NamedAttr *list, size_t n, const char *name)
{
	return n ? named_attr(list, n, str(c, name)) : NULL;
}

static const Str *meta_text(Context *c, const NamedAttr *list, size_t n, const char *name)
{
	const Attr *a = meta_get(c, list, n, name);
	return a && a->kind == ATTR_STR ? a->u.str : NULL;
}

void pairs_write(Wire *parent, uint32_t number, const Attr *dict)
{
	if (!dict || dict->kind != ATTR_DICT)
		return;
	for (size_t i = 0; i < dict->u.list.n; i++) {
		const Attr *v = dict->u.list.v[i];
		if (v->kind != ATTR_STR)
			continue;
		Wire *pair = wire_new(parent->arena);
		wire_str(pair, PAIR_key, dict->u.list.names[i]);
		wire_str(pair, PAIR_value, v->u.str);
		wire_message(parent, number, pair);
	}
}

/* ---- attributes ---- */

/* name: as in read_tensor of attribute.c. */
static bool put_tensor(Writer *w, Wire *a, const Op *op, uint32_t field, const char *name, const Attr *v)
{
	Wire *t = wire_new(a->arena);
	TensorOut how = { .wire = meta_get(w->c, op->meta, op->nmeta, arena_printf(w->arena, "tensor.%s", name)) };
	if (!tensor_msg_write(w->d, t, v, &how))
		return false;
	wire_message(a, field, t);
	return true;
}

static void put_type(Wire *a, uint32_t field, const Type *type)
{
	Wire *t = wire_new(a->arena);
	type_msg_write(t, type, (Bytes){ 0 });
	wire_message(a, field, t);
}

static bool list_of(const Attr *v, AttrKind kind)
{
	for (size_t i = 0; v->kind == ATTR_LIST && i < v->u.list.n; i++)
		if (v->u.list.v[i]->kind != kind)
			return false;
	return v->kind == ATTR_LIST && v->u.list.n > 0;
}

/* Lists of tensors, or of types. */
static bool put_list(Writer *w, Wire *a, const Op *op, const Str *name, const Attr *v, OnnxAttrType *type)
{
	bool tensors = list_of(v, ATTR_TENSOR);
	*type = tensors ? AT_TENSORS : AT_TYPE_PROTOS;
	for (size_t i = 0; i < v->u.list.n; i++) {
		const Attr *one = v->u.list.v[i];
		if (!tensors)
			put_type(a, ATTRIBUTE_type_protos, one->u.type);
		else if (!put_tensor(w, a, op, ATTRIBUTE_tensors, arena_printf(w->arena, "%s[%zu]", name->s, i), one))
			return false;
	}
	return true;
}

static bool put_value(Writer *w, Wire *a, const Op *op, const Str *name, const Attr *v, OnnxAttrType *type)
{
	switch (v->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		*type = AT_INT;
		wire_int(a, ATTRIBUTE_i, v->u.i);
		return true;
	case ATTR_FLOAT:
		*type = AT_FLOAT;
		wire_float(a, ATTRIBUTE_f, (float)v->u.f);
		return true;
	case ATTR_STR:
		*type = AT_STRING;
		wire_str(a, ATTRIBUTE_s, v->u.str);
		return true;
	case ATTR_INTS:
		*type = AT_INTS;
		for (size_t i = 0; i < v->u.ints.n; i++)
			wire_int(a, ATTRIBUTE_ints, v->u.ints.v[i]);
		return true;
	case ATTR_FLOATS:
		*type = AT_FLOATS;
		for (size_t i = 0; i < v->u.floats.n; i++)
			wire_float(a, ATTRIBUTE_floats, (float)v->u.floats.v[i]);
		return true;
	case ATTR_STRS:
		*type = AT_STRINGS;
		for (size_t i = 0; i < v->u.strs.n; i++)
			wire_str(a, ATTRIBUTE_strings, v->u.strs.v[i]);
		return true;
	case ATTR_TENSOR:
		*type = AT_TENSOR;
		return put_tensor(w, a, op, ATTRIBUTE_t, name->s, v);
	case ATTR_TYPE:
		*type = AT_TYPE_PROTO;
		put_type(a, ATTRIBUTE_tp, v->u.type);
		return true;
	default:
		if (list_of(v, ATTR_TENSOR) || list_of(v, ATTR_TYPE))
			return put_list(w, a, op, name, v, type);
		diag_error(w->d, HONE_BAD_INPUT, op->loc, "%sattribute %s holds a value of a kind that ONNX's attributes do not have",
			op_label(w->arena, op), name->s);
		op_hint(w->d, HONE_BAD_INPUT, op, false);
		return false;
	}
}

static bool put_attribute(Writer *w, Wire *node, const Op *op, const Str *name, const Attr *v)
{
	if (v->kind == ATTR_WIRE) {
		wire_str(node, NODE_attribute, v->u.str);
		return true;
	}
	Wire *a = wire_new(node->arena);
	OnnxAttrType type = AT_UNDEFINED;
	wire_str(a, ATTRIBUTE_name, name);
	if (!put_value(w, a, op, name, v, &type))
		return false;
	wire_int(a, ATTRIBUTE_type, type);
	Bytes left = { 0 };
	if (op->nmeta)
		left = wire_attr_bytes(meta_get(w->c, op->meta, op->nmeta, arena_printf(w->arena, "attribute.%s", name->s)));
	wire_put(a, left.data, left.len);
	wire_message(node, NODE_attribute, a);
	return true;
}

/* Attribute name of block i: what it was read with, else what the operator calls it. */
static const char *graph_name(const Op *op, size_t i)
{
	const Attr *names = op_attr(op, A_graph_names);
	if (names && names->kind == ATTR_STRS && i < names->u.strs.n)
		return names->u.strs.v[i]->s;
	if (op_is(op, ONNX_If))
		return i == 0 ? "then_branch" : "else_branch";
	return "body";
}

/* Entries "x[0]", "x[1]" ... are one attribute of type GRAPHS. */
static bool put_graphs(Writer *w, Wire *node, const Op *op)
{
	for (size_t i = 0; i < op->nblocks;) {
		const char *name = graph_name(op, i), *bracket = strrchr(name, '[');
		size_t len = bracket ? (size_t)(bracket - name) + 1 : strlen(name) + 1;
		Wire *a = wire_new(node->arena);
		wire_bytes(a, ATTRIBUTE_name, name, len - 1);
		do {
			Wire *g = wire_new(a->arena);
			if (!graph_write(w, g, op->blocks[i]))
				return false;
			wire_message(a, bracket ? ATTRIBUTE_graphs : ATTRIBUTE_g, g);
			i++;
		} while (bracket && i < op->nblocks && strncmp(graph_name(op, i), name, len) == 0);
		wire_int(a, ATTRIBUTE_type, bracket ? AT_GRAPHS : AT_GRAPH);
		Bytes left = wire_attr_bytes(meta_get(w->c, op->meta, op->nmeta,
			arena_printf(w->arena, "attribute.%.*s", (int)len - 1, name)));
		wire_put(a, left.data, left.len);
		wire_message(node, NODE_attribute, a);
	}
	return true;
}

/* ---- nodes ---- */

static bool put_no_form(Writer *w, const Op *op)
{
	diag_error(w->d, op_is_core(op) ? HONE_INTERNAL : HONE_UNSUPPORTED, op->loc, "%sONNX has no operator for it",
		op_label(w->arena, op));
	if (op_is_shlo(op))
		diag_hint(w->d, "`hone opt` translates what ONNX has a form for; -t stablehlo and -t mlir hold every operator");
	else
		diag_hint(w->d, "StableHLO and MLIR can hold the model (-t stablehlo, -t mlir)");
	return false;
}

/* "onnx.Conv" or "onnx.domain::Type" into domain and type; the spelling that was read decides in doubt. */
static bool split_name(Writer *w, const Op *op, Bytes *domain, Bytes *type)
{
	const Str *name = op->def->name;
	const char *prefix = "onnx.";
	size_t skip = strlen(prefix);
	if (name->len <= skip || memcmp(name->s, prefix, skip) != 0)
		return put_no_form(w, op);
	const char *rest = name->s + skip, *end = name->s + name->len, *sep = NULL;
	for (const char *p = strstr(rest, "::"); p; p = strstr(p + 1, "::"))
		sep = p;
	const Str *spelled = meta_text(w->c, op->meta, op->nmeta, "domain");
	if (spelled) {
		bool prefixed = spelled->len && (size_t)(end - rest) > spelled->len + 2 &&
			memcmp(rest, spelled->s, spelled->len) == 0 && memcmp(rest + spelled->len, "::", 2) == 0;
		*domain = str_bytes(spelled);
		const char *t = prefixed ? rest + spelled->len + 2 : rest;
		*type = (Bytes){ (const uint8_t *)t, (size_t)(end - t) };
		return true;
	}
	*domain = sep ? (Bytes){ (const uint8_t *)rest, (size_t)(sep - rest) } : (Bytes){ 0 };
	rest = sep ? sep + 2 : rest;
	*type = (Bytes){ (const uint8_t *)rest, (size_t)(end - rest) };
	return true;
}

static void put_operands(Writer *w, Wire *node, const Op *op)
{
	size_t n = op->noperands;
	while (op->made && n > 0 && !op->operands[n - 1].value)
		n--;
	for (size_t i = 0; i < n; i++) {
		const Value *v = op->operands[i].value;
		wire_str(node, NODE_input, v ? w->names.of[v->id] : w->c->empty);
	}
}

/* Outputs that nobody wants are written as "", or not at all at the end of the list, unless a graph counts them. */
static void put_results(Writer *w, Wire *node, const Op *op)
{
	size_t n = op->nresults;
	while (op->nblocks == 0 && n > op->def->min_results && !w->names.of[op->results[n - 1]->id])
		n--;
	if (n == 0 && op->nresults)
		n = 1;
	for (size_t i = 0; i < n; i++) {
		const Str *name = w->names.of[op->results[i]->id];
		wire_str(node, NODE_output, name ? name : w->c->empty);
	}
}

bool node_write(Writer *w, Wire *parent, uint32_t number, const Op *op)
{
	Bytes domain = { 0 }, type = { 0 };
	Wire *node = wire_new(parent->arena);
	if (!split_name(w, op, &domain, &type))
		return false;
	put_operands(w, node, op);
	put_results(w, node, op);
	if (op->name)
		wire_str(node, NODE_name, op->name);
	wire_bytes(node, NODE_op_type, type.data, type.len);
	for (size_t i = 0; i < op->nattrs; i++)
		if (op->attrs[i].name->known != A_graph_names &&
			!put_attribute(w, node, op, op->attrs[i].name, op->attrs[i].value))
			return false;
	if (!put_graphs(w, node, op))
		return false;
	const Str *doc = meta_text(w->c, op->meta, op->nmeta, "doc_string");
	if (doc)
		wire_str(node, NODE_doc_string, doc);
	if (domain.len)
		wire_bytes(node, NODE_domain, domain.data, domain.len);
	const Str *overload = meta_text(w->c, op->meta, op->nmeta, "overload");
	if (overload)
		wire_str(node, NODE_overload, overload);
	pairs_write(node, NODE_metadata_props, meta_get(w->c, op->meta, op->nmeta, "metadata_props"));
	Bytes left = wire_attr_bytes(meta_get(w->c, op->meta, op->nmeta, "wire"));
	wire_put(node, left.data, left.len);
	wire_message(parent, number, node);
	return true;
}

void identity_write(Writer *w, Wire *parent, uint32_t number, const Str *from, const Str *to)
{
	Wire *node = wire_new(parent->arena);
	wire_str(node, NODE_input, from);
	wire_str(node, NODE_output, to);
	wire_text(node, NODE_op_type, "Identity");
	wire_message(parent, number, node);
	w->needs_default_opset = true;
}

#include "onnx.h"

#include <inttypes.h>
#include <string.h>

bool is_initializer(const Op *op)
{
	return op_is(op, ONNX_initializer) || op_is(op, OP_constant);
}

static bool is_main(const Writer *w, const Block *b)
{
	return !b->parent && !w->func->is_library;
}

static const Str *name_of(const Writer *w, const Value *v)
{
	return w->names.of[v->id] ? w->names.of[v->id] : w->c->empty;
}

/* Entry i of a list attribute in the block's metadata, when the list still has one entry for each of n things. */
static Bytes block_info(Writer *w, const Block *b, const char *list, size_t i, size_t n)
{
	const Attr *a = meta_get(w->c, b->meta, b->nmeta, list);
	return a && a->kind == ATTR_LIST && a->u.list.n == n ? wire_attr_bytes(a->u.list.v[i]) : (Bytes){ 0 };
}

/* "value_info" or "tensor" of an input or output of main. */
static const Attr *interface_meta(Writer *w, NamedAttr *const *meta, size_t i, const char *name)
{
	const Str *s = str(w->c, name);
	for (const NamedAttr *a = meta ? meta[i] : NULL; a && a->name; a++)
		if (a->name == s)
			return a->value;
	return NULL;
}

/* ---- initializers ---- */

#define DATA_ALIGN 4096

/* Decides whether the tensor goes to the data file, and where. */
static void place_tensor(Writer *w, const Attr *value, TensorOut *how)
{
	const Blob *b = value->u.tensor.blob;
	int64_t threshold = w->o->external_threshold > 0 ? w->o->external_threshold : 1024;
	Splice s;
	if (w->external == EXTERNAL_NONE || !tensor_splice(value, &s) || s.len == 0)
		return;
	if (w->external == EXTERNAL_KEEP ? !b->external : s.len < (uint64_t)threshold)
		return;
	how->location = w->data_name;
	void **slot = b->splat ? NULL : map_slot(&w->data_offsets, MAP_PTR(b));
	if (slot && *slot) {
		how->offset = (uint64_t)(uintptr_t)*slot - 1;
		return;
	}
	uint64_t at = (w->data_size + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
	s.at = at;
	VEC_PUSH(w->arena, &w->data, s);
	w->data_size = at + s.len;
	if (slot)
		*slot = (void *)(uintptr_t)(at + 1);
	how->offset = at;
}

static bool put_tensor(Writer *w, Wire *parent, uint32_t number, const Attr *value, const Str *name, const Attr *left)
{
	TensorOut how = { .name = name, .wire = left };
	Wire *t = wire_new(parent->arena);
	place_tensor(w, value, &how);
	if (!tensor_msg_write(w->d, t, value, &how))
		return false;
	wire_message(parent, number, t);
	return true;
}

/* A sparse tensor is named through its values. */
static void put_sparse(Wire *parent, uint32_t number, Bytes msg, const Str *name)
{
	Cursor c = cursor_of(msg);
	Field f, part;
	Wire *sparse = wire_new(parent->arena);
	while (field_next(&c, &f)) {
		if (f.number != SPARSE_values) {
			wire_put(sparse, f.whole.data, f.whole.len);
			continue;
		}
		Wire *values = wire_new(parent->arena);
		Cursor inner = cursor_of(f.bytes);
		while (field_next(&inner, &part))
			if (part.number != TENSOR_name)
				wire_put(values, part.whole.data, part.whole.len);
		wire_str(values, TENSOR_name, name);
		wire_message(sparse, SPARSE_values, values);
	}
	wire_message(parent, number, sparse);
}

static bool put_initializer(Writer *w, Wire *g, const Op *op)
{
	const Str *name = w->names.of[op->results[0]->id];
	const Attr *sparse = op_attr_named(op, str(w->c, "sparse_value")), *value = op_attr(op, A_value);
	if (!name)
		return true; /* no name and no use */
	if (sparse && sparse->kind == ATTR_WIRE) {
		put_sparse(g, GRAPH_sparse_initializer, wire_attr_bytes(sparse), name);
		return true;
	}
	if (!value || value->kind != ATTR_TENSOR)
		return diag_error(w->d, HONE_INTERNAL, op->loc, "op %s has no value", op->def->name->s);
	return put_tensor(w, g, GRAPH_initializer, value, name, meta_get(w->c, op->meta, op->nmeta, "tensor"));
}

static bool put_initializers(Writer *w, Wire *g, const Block *b)
{
	if (is_main(w, b) && w->func->arg_default)
		for (uint32_t i = 0; i < b->nargs; i++) {
			const Attr *value = w->func->arg_default[i];
			const Attr *left = interface_meta(w, w->func->arg_meta, i, "tensor");
			if (value && !put_tensor(w, g, GRAPH_initializer, value, name_of(w, b->args[i]), left))
				return false;
		}
	for (const Op *op = b->first; op; op = op->next)
		if (is_initializer(op) && !put_initializer(w, g, op))
			return false;
	return true;
}

/* ---- inputs, outputs, value_info ---- */

static void put_info(Writer *w, Wire *parent, uint32_t number, const Str *name, const Type *t, Bytes old)
{
	Wire *info = wire_new(parent->arena);
	info_msg_write(w->c, info, name, t, old);
	wire_message(parent, number, info);
}

static void put_inputs(Writer *w, Wire *g, const Block *b)
{
	for (uint32_t i = 0; i < b->nargs; i++) {
		Bytes old = is_main(w, b) ? wire_attr_bytes(interface_meta(w, w->func->arg_meta, i, "value_info"))
		                          : block_info(w, b, "input_info", i, b->nargs);
		put_info(w, g, GRAPH_input, name_of(w, b->args[i]), b->args[i]->type, old);
	}
}

static void put_outputs(Writer *w, Wire *g, const Block *b, const Str *const *names)
{
	size_t n = b->last->noperands;
	for (size_t i = 0; i < n; i++) {
		Bytes old = is_main(w, b) ? wire_attr_bytes(interface_meta(w, w->func->result_meta, i, "value_info"))
		                          : block_info(w, b, "output_info", i, n);
		put_info(w, g, GRAPH_output, names[i], b->last->operands[i].value->type, old);
	}
}

const Str **outputs_write(Writer *w, Wire *parent, uint32_t number, const Block *b)
{
	size_t n = b->last->noperands;
	const Str **names = NEW_ARRAY(w->arena, const Str *, n + 1);
	const Str *const *wanted = b->parent ? NULL : w->func->result_names;
	Map seen;
	map_init(&seen, w->arena);
	for (size_t i = 0; i < n; i++) {
		const Value *v = b->last->operands[i].value;
		if (!v) {
			diag_error(w->d, HONE_INTERNAL, b->last->loc, "output %zu has no value", i);
			return NULL;
		}
		const Str *name = name_of(w, v);
		bool interface_name = wanted && wanted[i] && wanted[i]->len;
		const Value *earlier = interface_name ? map_get(&seen, MAP_PTR(wanted[i])) : NULL;
		if (earlier == v) { /* the interface lists one output twice */
			names[i] = wanted[i];
			continue;
		}
		interface_name = interface_name && !earlier;
		/* A nested graph must produce its outputs itself, each under a name of its own. */
		bool direct = interface_name ? name == wanted[i]
		                             : !map_has(&seen, MAP_PTR(name)) && (v->def ? v->def->block : v->block) == b;
		names[i] = direct ? name : interface_name ? wanted[i] : names_fresh(&w->names, "output");
		if (!direct)
			identity_write(w, parent, number, name, names[i]);
		map_put(&seen, MAP_PTR(names[i]), (void *)(uintptr_t)v);
	}
	return names;
}

/* Values that had an entry keep it; others get one only when asked for. */
void value_infos_write(Writer *w, Wire *parent, uint32_t number, const Block *b)
{
	const Attr *infos = meta_get(w->c, b->meta, b->nmeta, "value_info");
	const Attr *extra = meta_get(w->c, b->meta, b->nmeta, "extra_info");
	for (size_t i = 0; extra && extra->kind == ATTR_LIST && i < extra->u.list.n; i++) {
		Bytes info = wire_attr_bytes(extra->u.list.v[i]);
		wire_bytes(parent, number, info.data, info.len);
	}
	bool have = infos && infos->kind == ATTR_DICT;
	Map values, done;
	if (!have && !w->o->keep_value_info)
		return;
	map_init(&values, w->arena);
	map_init(&done, w->arena);
	for (uint32_t i = 0; i < b->nargs; i++)
		map_put(&values, MAP_PTR(b->args[i]->name), b->args[i]);
	for (const Op *op = b->first; op; op = op->next)
		for (size_t i = 0; i < op->nresults; i++)
			map_put(&values, MAP_PTR(op->results[i]->name), op->results[i]);
	for (size_t i = 0; have && i < infos->u.list.n; i++) {
		const Value *v = infos->u.list.names[i] ? map_get(&values, MAP_PTR(infos->u.list.names[i])) : NULL;
		if (!v || !w->names.of[v->id])
			continue;
		put_info(w, parent, number, w->names.of[v->id], v->type, wire_attr_bytes(infos->u.list.v[i]));
		map_put(&done, MAP_PTR(v), w);
	}
	if (!w->o->keep_value_info)
		return;
	for (size_t i = 0; b->last && i < b->last->noperands; i++)
		map_put(&done, MAP_PTR(b->last->operands[i].value), w);
	for (const Op *op = b->first; op; op = op->next)
		for (size_t i = 0; i < op->nresults && !is_initializer(op); i++) {
			const Value *v = op->results[i];
			if (w->names.of[v->id] && !map_has(&done, MAP_PTR(v)) && type_has_onnx(v->type))
				put_info(w, parent, number, w->names.of[v->id], v->type, (Bytes){ 0 });
		}
}

/* ---- graphs ---- */

bool graph_write(Writer *w, Wire *g, const Block *b)
{
	for (const Op *op = b->first; op; op = op->next)
		if (op != b->last && !is_initializer(op) && !node_write(w, g, GRAPH_node, op))
			return false;
	const Str **outputs = outputs_write(w, g, GRAPH_node, b);
	if (!outputs)
		return false;
	if (b->name)
		wire_str(g, GRAPH_name, b->name);
	else if (b->parent || !module_attr(w->m, "ir_version")) /* a new graph must have a name */
		wire_text(g, GRAPH_name, b->parent ? "graph" : "main");
	if (!put_initializers(w, g, b))
		return false;
	const Attr *doc = meta_get(w->c, b->meta, b->nmeta, "doc_string");
	if (doc && doc->kind == ATTR_STR)
		wire_str(g, GRAPH_doc_string, doc->u.str);
	put_inputs(w, g, b);
	put_outputs(w, g, b, outputs);
	value_infos_write(w, g, GRAPH_value_info, b);
	pairs_write(g, GRAPH_metadata_props, meta_get(w->c, b->meta, b->nmeta, "metadata_props"));
	Bytes left = wire_attr_bytes(meta_get(w->c, b->meta, b->nmeta, "wire"));
	wire_put(g, left.data, left.len);
	return true;
}

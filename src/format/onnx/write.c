#include "onnx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_PROTOBUF INT32_MAX /* what other readers accept */
#define DEFAULT_IR 10
#define DEFAULT_OPSET 21

static void put_text(Writer *w, Wire *out, uint32_t number, const NamedAttr *list, size_t n, const char *name)
{
	const Attr *a = meta_get(w->c, list, n, name);
	if (a && a->kind == ATTR_STR)
		wire_str(out, number, a->u.str);
}

static void put_opset(Wire *out, uint32_t number, const Str *domain, int64_t version)
{
	Wire *o = wire_new(out->arena);
	wire_str(o, OPSET_domain, domain);
	wire_int(o, OPSET_version, version);
	wire_message(out, number, o);
}

static void put_opsets(Writer *w, Wire *out, uint32_t number, const NamedAttr *list, size_t n, int64_t missing_default)
{
	const Attr *dict = meta_get(w->c, list, n, "opset_imports"), *spelling = meta_get(w->c, list, n, "default_domain");
	bool have_default = false;
	for (size_t i = 0; dict && dict->kind == ATTR_DICT && i < dict->u.list.n; i++) {
		const Str *domain = dict->u.list.names[i];
		have_default = have_default || domain->len == 0;
		if (domain->len == 0 && spelling && spelling->kind == ATTR_STR)
			domain = spelling->u.str;
		put_opset(out, number, domain, dict->u.list.v[i]->u.i);
	}
	if (!have_default && missing_default)
		put_opset(out, number, w->c->empty, missing_default);
}

static void begin_function(Writer *w, const Func *f)
{
	w->func = f;
	w->needs_default_opset = false;
	names_assign(&w->names, w->c, w->arena, f);
}

/* ---- local functions ---- */

/* Functions have no initializers: constants become Constant nodes. */
static bool put_constant_node(Writer *w, Wire *out, const Op *op)
{
	const Str *name = w->names.of[op->results[0]->id];
	const Attr *value = op_attr(op, A_value);
	if (!name)
		return true;
	if (!value || value->kind != ATTR_TENSOR)
		return diag_error(w->d, HONE_INTERNAL, op->loc, "op %s has no value", op->def->name->s);
	Wire *node = wire_new(out->arena), *a = wire_new(out->arena), *t = wire_new(out->arena);
	TensorOut how = { 0 };
	if (!tensor_msg_write(w->d, t, value, &how))
		return false;
	wire_text(a, ATTRIBUTE_name, "value");
	wire_message(a, ATTRIBUTE_t, t);
	wire_int(a, ATTRIBUTE_type, AT_TENSOR);
	wire_str(node, NODE_output, name);
	wire_text(node, NODE_op_type, "Constant");
	wire_message(node, NODE_attribute, a);
	wire_message(out, FUNCTION_node, node);
	w->needs_default_opset = true;
	return true;
}

static bool put_function_nodes(Writer *w, Wire *out, const Block *b)
{
	for (const Op *op = b->first; op != b->last; op = op->next)
		if (!(is_initializer(op) ? put_constant_node(w, out, op) : node_write(w, out, FUNCTION_node, op)))
			return false;
	return true;
}

static bool function_write(Writer *w, Wire *model, const Func *f)
{
	Wire *out = wire_new(w->arena);
	const Block *b = f->body;
	begin_function(w, f);
	put_text(w, out, FUNCTION_name, f->attrs, f->nattrs, "name");
	for (uint32_t i = 0; i < b->nargs; i++)
		wire_str(out, FUNCTION_input, w->names.of[b->args[i]->id]);
	Wire *nodes = wire_new(w->arena);
	if (!put_function_nodes(w, nodes, b))
		return false;
	const Str **outputs = outputs_write(w, nodes, FUNCTION_node, b);
	if (!outputs)
		return false;
	for (size_t i = 0; i < b->last->noperands; i++)
		wire_str(out, FUNCTION_output, outputs[i]);
	const Attr *names = meta_get(w->c, f->attrs, f->nattrs, "attribute");
	for (size_t i = 0; names && names->kind == ATTR_STRS && i < names->u.strs.n; i++)
		wire_str(out, FUNCTION_attribute, names->u.strs.v[i]);
	wire_append(out, nodes);
	put_text(w, out, FUNCTION_doc_string, f->attrs, f->nattrs, "doc_string");
	put_opsets(w, out, FUNCTION_opset_import, f->attrs, f->nattrs, w->needs_default_opset ? DEFAULT_OPSET : 0);
	put_text(w, out, FUNCTION_domain, f->attrs, f->nattrs, "domain");
	const Attr *defaults = meta_get(w->c, f->attrs, f->nattrs, "attribute_proto");
	for (size_t i = 0; defaults && defaults->kind == ATTR_LIST && i < defaults->u.list.n; i++) {
		Bytes msg = wire_attr_bytes(defaults->u.list.v[i]);
		wire_bytes(out, FUNCTION_attribute_proto, msg.data, msg.len);
	}
	value_infos_write(w, out, FUNCTION_value_info, b);
	put_text(w, out, FUNCTION_overload, f->attrs, f->nattrs, "overload");
	pairs_write(out, FUNCTION_metadata_props, meta_get(w->c, f->attrs, f->nattrs, "metadata_props"));
	Bytes left = wire_attr_bytes(meta_get(w->c, f->attrs, f->nattrs, "wire"));
	wire_put(out, left.data, left.len);
	wire_message(model, MODEL_functions, out);
	return true;
}

/* ---- the model ---- */

static int64_t ir_version(const Writer *w)
{
	const Attr *a = module_attr(w->m, "ir_version");
	int64_t v = a && a->kind == ATTR_INT ? a->u.i : DEFAULT_IR;
	bool allowed = module_attr(w->m, "free_initializers") != NULL;
	for (const Op *op = w->m->main->body->first; op && !allowed && v < IR_FREE_INITIALIZERS; op = op->next)
		if (is_initializer(op))
			v = IR_FREE_INITIALIZERS;
	return v;
}

/* The whole model as a message; the data file's contents are planned on the way. */
static Wire *model_build(Writer *w)
{
	const NamedAttr *attrs = w->m->attrs;
	size_t n = w->m->nattrs;
	Wire *out = wire_new(w->arena), *graph = wire_new(w->arena);
	int64_t version = ir_version(w);
	wire_int(out, MODEL_ir_version, version);
	put_text(w, out, MODEL_producer_name, attrs, n, "producer_name");
	if (!meta_get(w->c, attrs, n, "producer_name") && !meta_get(w->c, attrs, n, "ir_version"))
		wire_text(out, MODEL_producer_name, "hone");
	put_text(w, out, MODEL_producer_version, attrs, n, "producer_version");
	put_text(w, out, MODEL_domain, attrs, n, "domain");
	const Attr *model_version = meta_get(w->c, attrs, n, "model_version");
	if (model_version && model_version->kind == ATTR_INT)
		wire_int(out, MODEL_model_version, model_version->u.i);
	put_text(w, out, MODEL_doc_string, attrs, n, "doc_string");
	begin_function(w, w->m->main);
	if (!graph_write(w, graph, w->m->main->body))
		return NULL;
	wire_message(out, MODEL_graph, graph);
	bool opsets = meta_get(w->c, attrs, n, "opset_imports") != NULL;
	if (version >= IR_OPSETS)
		put_opsets(w, out, MODEL_opset_import, attrs, n, w->needs_default_opset || !opsets ? DEFAULT_OPSET : 0);
	pairs_write(out, MODEL_metadata_props, meta_get(w->c, attrs, n, "metadata_props"));
	for (const Func *f = w->m->funcs; f; f = f->next)
		if (f->is_library && !function_write(w, out, f))
			return NULL;
	Bytes left = wire_attr_bytes(meta_get(w->c, attrs, n, "wire"));
	wire_put(out, left.data, left.len);
	return out;
}

/* ---- files ---- */

static bool has_external(const Module *m)
{
	for (uint32_t i = 0; m->main->arg_default && i < m->main->body->nargs; i++)
		if (m->main->arg_default[i] && m->main->arg_default[i]->u.tensor.blob->external)
			return true;
	for (const Op *op = m->main->body->first; op; op = op->next) {
		const Attr *v = is_initializer(op) ? op_attr(op, A_value) : NULL;
		if (v && v->kind == ATTR_TENSOR && v->u.tensor.blob->external)
			return true;
	}
	return false;
}

static void writer_reset(Writer *w)
{
	w->data.len = 0;
	w->data_size = 0;
	map_init(&w->data_offsets, w->arena);
}

/* Builds the model, moving weights out of it when it would be too large otherwise. */
static Wire *build_within_limit(Writer *w, const char *path)
{
	writer_reset(w);
	Wire *model = model_build(w);
	if (!model || wire_size(model) <= MAX_PROTOBUF)
		return model;
	if (w->external != EXTERNAL_LARGE && out_has_place(path)) {
		diag_note(w->d, NULL, "the model would have %" PRIu64 " bytes, more than a protobuf file can: weights go to %s",
			wire_size(model), w->data_name);
		w->external = EXTERNAL_LARGE;
		writer_reset(w);
		model = model_build(w);
		if (!model || wire_size(model) <= MAX_PROTOBUF)
			return model;
	}
	diag_error(w->d, HONE_LIMIT, NULL, "the model has %" PRIu64 " bytes, more than a protobuf file can%s", wire_size(model),
		out_has_place(path) ? "" : "; weights can only go to a data file when the output is a file");
	return NULL;
}

static bool write_data(Writer *w, const char *path)
{
	static const uint8_t zeros[4096];
	OutFile *o = out_open(path, w->d);
	if (!o)
		return false;
	bool ok = true;
	for (size_t i = 0; ok && i < w->data.len; i++) {
		const Splice *s = &w->data.data[i];
		ok = out_write(o, zeros, (size_t)(s->at - out_offset(o))) && splice_write(s, o);
	}
	return out_commit(o, w->d); /* reports a failure of the above too */
}

static bool write_model(Writer *w, const Wire *model, const char *path)
{
	OutFile *o = out_open(path, w->d);
	if (!o)
		return false;
	(void)wire_write(model, o);
	return out_commit(o, w->d);
}

static bool write_all(Writer *w, const char *path)
{
	const char *slash = strrchr(path, '/');
	w->data_name = arena_printf(w->arena, "%s.data", slash ? slash + 1 : path);
	if (!out_has_place(path) && w->o->external_data)
		return diag_error(w->d, HONE_USAGE, NULL, "external data needs an output file to lie beside, not the standard output, a pipe or a device");
	w->external = w->o->external_data ? EXTERNAL_LARGE
	              : has_external(w->m) && out_has_place(path) ? EXTERNAL_KEEP : EXTERNAL_NONE;
	if (!w->m->main || !w->m->main->body->last)
		return diag_error(w->d, HONE_INTERNAL, NULL, "the module has no main function");
	Wire *model = build_within_limit(w, path);
	if (!model)
		return false;
	/* The data first: a model is never there without its weights. */
	if (w->data.len && !write_data(w, arena_printf(w->arena, "%s.data", path)))
		return false;
	return write_model(w, model, path);
}

/* The message as bytes in memory, weights and all. */
static bool write_buffer(Writer *w, Buf *out)
{
	writer_reset(w);
	Wire *model = model_build(w);
	size_t at = 0;
	if (!model)
		return false;
	for (size_t i = 0; i < model->splices.len; i++) {
		const Splice *s = &model->splices.data[i];
		buf_put(out, model->bytes.data + at, s->at - at);
		for (size_t k = 0; s->kind == SPLICE_SPLAT && k < s->len; k += s->unit_len)
			buf_put(out, s->unit, s->unit_len);
		if (s->kind == SPLICE_BYTES)
			buf_put(out, s->blob->data, s->len);
		at = s->at;
	}
	buf_put(out, model->bytes.data + at, model->bytes.len - at);
	return true;
}

static bool write_with(Module *m, const char *path, Buf *out, const WriteOptions *o)
{
	static const WriteOptions defaults = { 0 };
	Arena *a = arena_new();
	Writer *w = NEW(a, Writer);
	*w = (Writer){ .m = m, .c = m->ctx, .d = &m->ctx->diags, .arena = a, .o = o ? o : &defaults };
	MemGuard guard;
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		mem_guard_pop(&guard);
		arena_free(a);
		mem_fail();
	}
	bool ok = out ? write_buffer(w, out) : write_all(w, path);
	mem_guard_pop(&guard);
	arena_free(a);
	return ok;
}

bool onnx_write(Module *m, const char *path, const WriteOptions *o)
{
	return write_with(m, path, NULL, o);
}

bool onnx_write_memory(Module *m, Buf *out)
{
	return write_with(m, NULL, out, NULL);
}

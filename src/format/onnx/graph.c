#include "onnx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One graph being read. Steps: fields apart, arguments, initializers, nodes parsed and ordered, ops built (nested graphs
 * with them), terminator, metadata. Names resolve through the chain of graphs, innermost first. */
typedef struct Graph {
	Reader *r;
	struct Graph *outer;
	Func *func;
	Block *block;
	Body parts;
	Map values;             /* name -> Value: defined so far */
	Map infos;              /* name -> InfoMsg from outputs and value_info */
	Map producers;          /* name -> node index + 1 */
	Node *nodes;
	MetaList meta;
	Pairs props;
	Left left;
	bool is_main, is_branch;
	const Attr **defaults;  /* of main: by argument, NULL when none has one */
	MetaList *arg_meta;
} Graph;

static void graph_init(Graph *g, Reader *r, Graph *outer, Func *f, Block *b)
{
	*g = (Graph){ .r = r, .outer = outer, .func = f, .block = b };
	map_init(&g->values, r->scratch);
	map_init(&g->infos, r->scratch);
	map_init(&g->producers, r->scratch);
}

static const char *quoted(const Graph *g, const Str *s)
{
	return reader_quote(g->r, str_bytes(s));
}

/* ---- fields ---- */

static void collect(Graph *g, Bytes msg)
{
	Reader *r = g->r;
	Arena *a = r->scratch;
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f)) {
		switch (f.number) {
		case GRAPH_node: VEC_PUSH(a, &g->parts.nodes, f.bytes); break;
		case GRAPH_initializer: VEC_PUSH(a, &g->parts.initializers, f.bytes); break;
		case GRAPH_sparse_initializer: VEC_PUSH(a, &g->parts.sparse, f.bytes); break;
		case GRAPH_input: VEC_PUSH(a, &g->parts.inputs, f.bytes); break;
		case GRAPH_output: VEC_PUSH(a, &g->parts.outputs, f.bytes); break;
		case GRAPH_value_info: VEC_PUSH(a, &g->parts.infos, f.bytes); break;
		case GRAPH_name: g->block->name = reader_str(r, f.bytes); break;
		case GRAPH_doc_string: meta_str(r, &g->meta, "doc_string", f.bytes); break;
		case GRAPH_metadata_props:
			if (!pairs_add(r, &g->props, f.bytes))
				left_add(r, &g->left, f.whole);
			break;
		default: left_add(r, &g->left, f.whole);
		}
	}
}

/* ---- names ---- */

static Value *lookup(const Graph *g, const Str *name)
{
	for (; g; g = g->outer) {
		Value *v = map_get(&g->values, MAP_PTR(name));
		if (v)
			return v;
	}
	return NULL;
}

/* Nothing may hide a name of an enclosing graph, but exporters do it; the writer renames. */
static void warn_shadow(Graph *g, const Str *name, const void *at)
{
	if (g->r->warned_shadow)
		return;
	for (const Graph *o = g->outer; o; o = o->outer)
		if (map_has(&o->values, MAP_PTR(name)) || map_has(&o->producers, MAP_PTR(name))) {
			Loc loc = reader_loc(g->r, at, NULL);
			diag_warn(g->r->d, &loc, "value %s of a nested graph hides one of an enclosing graph", quoted(g, name));
			g->r->warned_shadow = true;
			return;
		}
}

static const char *value_origin(const Graph *g, const Value *v)
{
	if (!v->def)
		return "a graph input";
	return op_is(v->def, ONNX_initializer) ? "an initializer" : v->def->loc && v->def->loc->what ? v->def->loc->what
	                                                                                              : quoted(g, v->name);
}

static bool define(Graph *g, const Str *name, Value *v, const void *at, const char *what)
{
	const Value *old = map_get(&g->values, MAP_PTR(name));
	if (old)
		return reader_error(g->r, HONE_BAD_INPUT, at, what, "value %s is already defined: it is %s", quoted(g, name),
			value_origin(g, old));
	warn_shadow(g, name, at);
	map_put(&g->values, MAP_PTR(name), v);
	return true;
}

/* More names than this are not searched for a similar one. */
#define MAX_SUGGESTIONS 4096

static bool undefined(Graph *g, const Str *name, const void *at, const char *what)
{
	VEC(const char *) names = { 0 };
	for (const Graph *o = g; o; o = o->outer)
		for (uint32_t i = 0; i < o->values.len && names.len < MAX_SUGGESTIONS; i++)
			VEC_PUSH(g->r->scratch, &names, ((const Str *)(uintptr_t)o->values.entries[i].key)->s);
	reader_error(g->r, HONE_BAD_INPUT, at, what, "value %s is not defined", quoted(g, name));
	const char *near = names.len ? nearest_name(name->s, names.data, names.len) : NULL;
	if (near)
		diag_hint(g->r->d, "did you mean %s?", quote(g->r->scratch, near, strlen(near)));
	return false;
}

/* ---- inputs, initializers, types ---- */

/* The graphs of an If take no inputs. Some exporters list captured values as such all the same. */
static bool capture_input(Graph *g, const InfoMsg *info, const char *what)
{
	Reader *r = g->r;
	if (!lookup(g->outer, info->name))
		return reader_error(r, HONE_BAD_INPUT, info->msg.data, what,
			"a branch of If takes no inputs, and %s is no value outside", quoted(g, info->name));
	if (!r->warned_branch) {
		Loc loc = reader_loc(r, info->msg.data, what);
		diag_warn(r->d, &loc, "a branch of If takes no inputs; %s is taken from outside", quoted(g, info->name));
		r->warned_branch = true;
	}
	return true;
}

static bool read_inputs(Graph *g)
{
	Reader *r = g->r;
	size_t n = g->parts.inputs.len;
	VEC(const Attr *) infos = { 0 };
	if (g->is_main)
		g->arg_meta = NEW_ARRAY(r->scratch, MetaList, n + 1);
	for (size_t i = 0; i < n; i++) {
		Bytes msg = g->parts.inputs.data[i];
		const char *what = arena_printf(r->scratch, "input %zu", i);
		InfoMsg info;
		if (!info_msg_read(r, msg, what, &info))
			return false;
		bool named = info.name->len != 0;
		if (g->is_branch) {
			if (!capture_input(g, &info, what))
				return false;
			continue;
		}
		if (!named && g->is_main)
			return reader_error(r, HONE_BAD_INPUT, msg.data, what, "the graph input has no name");
		Value *v = block_add_arg(g->block, info.type, named ? info.name : NULL);
		if (named && !define(g, info.name, v, msg.data, what))
			return false;
		const Attr *wire = attr_wire(r->c, msg);
		if (g->is_main)
			meta_put(r, &g->arg_meta[i], "value_info", wire);
		else
			VEC_PUSH(r->scratch, &infos, wire);
	}
	if (infos.len)
		meta_put(r, &g->meta, "input_info",
			attr_make(r->c, (Attr){ .kind = ATTR_LIST, .u.list = { infos.data, NULL, infos.len } }));
	return true;
}

static Op *add_initializer(Graph *g, const Attr *value, const Attr *sparse, const Type *type, const Loc *loc)
{
	Context *c = g->r->c;
	NamedAttr attrs[2];
	size_t n = 0;
	if (sparse)
		attrs[n++] = (NamedAttr){ str(c, "sparse_value"), sparse };
	if (value)
		attrs[n++] = (NamedAttr){ str(c, "value"), value };
	OpSpec s = {
		.def = op_def(c, ONNX_initializer), .types = &type, .nresults = 1, .attrs = attrs, .nattrs = n, .loc = loc
	};
	return op_new(g->block, NULL, &s);
}

/* The tensor of an argument: its default in the main graph. In nested graphs, where arguments are always given, it means
 * nothing and is only kept. */
static bool initialize_arg(Graph *g, Value *arg, const TensorMsg *t, Bytes msg, const char *what)
{
	Reader *r = g->r;
	if (!g->is_main) {
		Wire *w = wire_new(r->scratch);
		wire_bytes(w, GRAPH_initializer, msg.data, msg.len);
		left_add(r, &g->left, (Bytes){ w->bytes.data, w->bytes.len });
		return true;
	}
	if (!g->defaults)
		g->defaults = NEW_ARRAY(r->m->arena, const Attr *, g->block->nargs);
	if (g->defaults[arg->index])
		return reader_error(r, HONE_BAD_INPUT, msg.data, what, "initializer occurs twice");
	g->defaults[arg->index] = t->value;
	meta_put(r, &g->arg_meta[arg->index], "tensor", left_attr(r, &t->left));
	/* What overrides the default may have other sizes: the declared type counts. */
	bool conflict = false;
	const Type *both = type_refine(r->c, arg->type, t->value->u.tensor.type, &conflict);
	if (arg->type->kind == TYPE_UNKNOWN)
		value_set_type(arg, both);
	if (conflict)
		return reader_error(r, HONE_BAD_INPUT, msg.data, what, "its type differs from that of the input of this name");
	return true;
}

static const Str *peek_name(Reader *r, Bytes msg)
{
	Cursor c = cursor_of(msg);
	Field f;
	const Str *name = r->c->empty;
	while (field_next(&c, &f))
		if (f.number == TENSOR_name)
			name = reader_str(r, f.bytes);
	return name;
}

static bool read_initializer(Graph *g, Bytes msg)
{
	Reader *r = g->r;
	const Str *name = peek_name(r, msg);
	const char *what = arena_printf(r->scratch, "initializer %s", quoted(g, name));
	TensorMsg t;
	if (name->len == 0)
		return reader_error(r, HONE_BAD_INPUT, msg.data, what, "the initializer has no name");
	if (!tensor_msg_read(r, msg, what, &t))
		return false;
	Value *arg = map_get(&g->values, MAP_PTR(name));
	if (arg && !arg->def)
		return initialize_arg(g, arg, &t, msg, what);
	const Loc loc = reader_loc(r, msg.data, what);
	Op *op = add_initializer(g, t.value, NULL, t.value->u.tensor.type, loc_new(r->c, loc));
	op->results[0]->name = name;
	MetaList meta = { 0 };
	meta_put(r, &meta, "tensor", left_attr(r, &t.left));
	meta_finish(r, &meta, &op->meta, &op->nmeta);
	return define(g, name, op->results[0], msg.data, what);
}

static bool read_sparse(Graph *g, Bytes msg)
{
	Reader *r = g->r;
	const Str *name;
	const Type *type;
	const Attr *dense;
	if (!sparse_msg_read(r, msg, "sparse initializer", &name, &type, &dense))
		return false;
	if (name->len == 0)
		return reader_error(r, HONE_BAD_INPUT, msg.data, "sparse initializer", "the values have no name");
	const char *what = arena_printf(r->scratch, "sparse initializer %s", quoted(g, name));
	const Loc loc = reader_loc(r, msg.data, what);
	Op *op = add_initializer(g, dense, attr_wire(r->c, msg), type, loc_new(r->c, loc));
	op->results[0]->name = name;
	return define(g, name, op->results[0], msg.data, what);
}

static bool read_constants(Graph *g)
{
	for (size_t i = 0; i < g->parts.initializers.len; i++)
		if (!read_initializer(g, g->parts.initializers.data[i]))
			return false;
	for (size_t i = 0; i < g->parts.sparse.len; i++)
		if (!read_sparse(g, g->parts.sparse.data[i]))
			return false;
	return true;
}

static bool add_info(Graph *g, Bytes msg, const char *what)
{
	Reader *r = g->r;
	InfoMsg *info = NEW(r->scratch, InfoMsg);
	if (!info_msg_read(r, msg, what, info))
		return false;
	const InfoMsg *old = map_get(&g->infos, MAP_PTR(info->name));
	if (!old || old->type->kind == TYPE_UNKNOWN)
		map_put(&g->infos, MAP_PTR(info->name), info);
	return true;
}

/* Outputs first: where both speak of a value, the interface counts. */
static bool read_infos(Graph *g)
{
	for (size_t i = 0; i < g->parts.outputs.len; i++)
		if (!add_info(g, g->parts.outputs.data[i], arena_printf(g->r->scratch, "output %zu", i)))
			return false;
	for (size_t i = 0; i < g->parts.infos.len; i++)
		if (!add_info(g, g->parts.infos.data[i], "value_info"))
			return false;
	return true;
}

/* ---- nodes ---- */

static bool index_outputs(Graph *g, const Node *n)
{
	Reader *r = g->r;
	for (size_t i = 0; i < n->out.len; i++) {
		const Str *name = n->out.data[i];
		if (name->len == 0)
			continue;
		const Value *v = map_get(&g->values, MAP_PTR(name));
		if (v)
			return reader_error(r, HONE_BAD_INPUT, n->msg.data, n->what, "value %s is produced here, but is %s already",
				quoted(g, name), value_origin(g, v));
		void **slot = map_slot(&g->producers, MAP_PTR(name));
		if (*slot) {
			size_t other = (size_t)(uintptr_t)*slot - 1;
			return reader_error(r, HONE_BAD_INPUT, n->msg.data, n->what,
				"value %s is produced by nodes %zu and %zu, the first being %s", quoted(g, name), other, n->index,
				g->nodes[other].what);
		}
		*slot = (void *)(uintptr_t)(n->index + 1);
		warn_shadow(g, name, n->msg.data);
	}
	return true;
}

static bool read_nodes(Graph *g)
{
	size_t n = g->parts.nodes.len;
	g->nodes = NEW_ARRAY(g->r->scratch, Node, n + 1);
	for (size_t i = 0; i < n; i++)
		if (!node_read(g->r, g->parts.nodes.data[i], i, &g->nodes[i]) || !index_outputs(g, &g->nodes[i]))
			return false;
	return nodes_sort(g->r, g->nodes, n, &g->producers);
}

static bool check_domain(Graph *g, const Node *n)
{
	Reader *r = g->r;
	const Str *domain = n->domain ? n->domain : r->c->empty;
	if (strcmp(domain->s, "ai.onnx") == 0)
		domain = r->c->empty;
	uint64_t key = MAP_PTR(domain);
	if (r->local_opsets ? map_has(r->local_opsets, key) : map_has(r->opsets, key))
		return true;
	if (domain->len == 0)
		return reader_error(r, HONE_BAD_INPUT, n->msg.data, n->what, "no opset for domain \"\": opset_import lacks it");
	if (!map_has(&r->warned_domains, key)) {
		Loc loc = reader_loc(r, n->msg.data, n->what);
		diag_warn(r->d, &loc, "no opset for domain %s: opset_import lacks it", quoted(g, domain));
		map_put(&r->warned_domains, key, r);
	}
	return true;
}

static const char *range_text(Reader *r, uint16_t min, uint16_t max)
{
	if (max == UINT16_MAX)
		return arena_printf(r->scratch, "at least %u", min);
	return min == max ? arena_printf(r->scratch, "%u", min) : arena_printf(r->scratch, "%u to %u", min, max);
}

/* A row's operand text is a list of names: "b?" may be absent, "xs*" takes the rest. */
static bool check_operands(Graph *g, const Node *n, const OpDef *d, Value *const *operands)
{
	Reader *r = g->r;
	if (n->in.len < d->min_operands || (d->max_operands != UINT16_MAX && n->in.len > d->max_operands))
		return reader_error(r, HONE_BAD_INPUT, n->msg.data, n->what, "%zu inputs, expected %s", n->in.len,
			range_text(r, d->min_operands, d->max_operands));
	if (d->max_results != UINT16_MAX && n->out.len > d->max_results)
		return reader_error(r, HONE_BAD_INPUT, n->msg.data, n->what, "%zu outputs, expected at most %u", n->out.len,
			d->max_results);
	if (d->kind == OP_UNKNOWN)
		return true;
	const char *t = d->operands;
	for (size_t i = 0; i < n->in.len; i++) {
		size_t len = strcspn(t, " ");
		char mark = len ? t[len - 1] : '*';
		if (!operands[i] && mark != '?')
			return reader_error(r, HONE_BAD_INPUT, n->msg.data, n->what, "input %zu is absent, but required", i);
		if (mark != '*' && t[len])
			t += len + 1;
	}
	return true;
}

/* The operands, or NULL and an error. */
static Value **find_operands(Graph *g, const Node *n)
{
	Value **v = NEW_ARRAY(g->r->scratch, Value *, n->in.len + 1);
	for (size_t i = 0; i < n->in.len; i++) {
		const Str *name = n->in.data[i];
		if (name->len == 0)
			continue;
		v[i] = lookup(g, name);
		if (!v[i]) {
			undefined(g, name, n->msg.data, arena_printf(g->r->scratch, "%s, input %zu", n->what, i));
			return NULL;
		}
	}
	return v;
}

static const Type *result_type(const Graph *g, const Node *n, size_t i)
{
	if (i >= n->out.len || n->out.data[i]->len == 0)
		return NULL;
	const InfoMsg *info = map_get(&g->infos, MAP_PTR(n->out.data[i]));
	return info ? info->type : NULL;
}

static Op *build_op(Graph *g, const Node *n, const OpDef *d, Value **operands)
{
	Reader *r = g->r;
	size_t nresults = n->out.len < d->min_results ? d->min_results : n->out.len;
	const Type **types = NEW_ARRAY(r->scratch, const Type *, nresults + 1);
	for (size_t i = 0; i < nresults; i++)
		types[i] = result_type(g, n, i);
	VEC(NamedAttr) attrs = { 0 };
	for (size_t i = 0; i < n->attrs.attrs.len; i++)
		VEC_PUSH(r->scratch, &attrs, n->attrs.attrs.data[i]);
	size_t ngraphs = n->attrs.graphs.len;
	if (ngraphs) {
		const Str **names = NEW_ARRAY(r->scratch, const Str *, ngraphs);
		for (size_t i = 0; i < ngraphs; i++)
			names[i] = n->attrs.graphs.data[i].name;
		VEC_PUSH(r->scratch, &attrs, ((NamedAttr){ r->c->attr_names[A_graph_names], attr_strs(r->c, names, ngraphs) }));
	}
	const Loc loc = reader_loc(r, n->msg.data, n->what);
	OpSpec s = {
		.def = d, .operands = operands, .noperands = n->in.len, .types = types, .nresults = nresults,
		.attrs = attrs.data, .nattrs = attrs.len, .nblocks = ngraphs, .loc = loc_new(r->c, loc),
		.name = n->name && n->name->len ? n->name : NULL
	};
	return op_new(g->block, NULL, &s);
}

/* Control flow has fixed regions: If has then_branch before else_branch, Loop and Scan have a body. */
static bool order_graphs(Graph *g, Node *n, const OpDef *d)
{
	size_t count = n->attrs.graphs.len;
	GraphAttr *v = n->attrs.graphs.data;
	if (d->kind == ONNX_If) {
		if (count == 2 && strcmp(v[0].name->s, "else_branch") == 0) {
			GraphAttr t = v[0];
			v[0] = v[1];
			v[1] = t;
		}
		if (count != 2 || strcmp(v[0].name->s, "then_branch") != 0 || strcmp(v[1].name->s, "else_branch") != 0)
			return reader_error(g->r, HONE_BAD_INPUT, n->msg.data, n->what,
				"If needs the graphs then_branch and else_branch and no other");
	} else if (d->kind == ONNX_Loop || d->kind == ONNX_Scan || d->kind == ONNX_SequenceMap) {
		if (count != 1 || strcmp(v[0].name->s, "body") != 0)
			return reader_error(g->r, HONE_BAD_INPUT, n->msg.data, n->what, "needs the graph body and no other");
	}
	for (size_t i = 0; i < n->attrs.attrs.len; i++)
		if (n->attrs.attrs.data[i].name->known == A_graph_names)
			return reader_error(g->r, HONE_UNSUPPORTED, n->msg.data, n->what, "attribute graph_names is reserved");
	return true;
}

static bool read_nested(Graph *g, const Node *n, Op *op, size_t i);

static bool build_node(Graph *g, Node *n)
{
	Reader *r = g->r;
	const OpDef *d = op_def_onnx(r->c, n->domain, n->op_type);
	if (d->kind == ONNX_initializer)
		return reader_error(r, HONE_UNSUPPORTED, n->msg.data, n->what, "ONNX has no operator initializer");
	if (!check_domain(g, n))
		return false;
	Value **operands = find_operands(g, n);
	if (!operands || !check_operands(g, n, d, operands) || !order_graphs(g, n, d))
		return false;
	Op *op = build_op(g, n, d, operands);
	meta_finish(r, &n->meta, &op->meta, &op->nmeta);
	for (size_t i = 0; i < op->nblocks; i++)
		if (!read_nested(g, n, op, i))
			return false;
	for (size_t i = 0; i < n->out.len; i++) {
		if (n->out.data[i]->len == 0)
			continue;
		op->results[i]->name = n->out.data[i];
		map_put(&g->values, MAP_PTR(n->out.data[i]), op->results[i]);
	}
	return true;
}

static bool build_nodes(Graph *g)
{
	for (size_t i = 0; i < g->parts.nodes.len; i++)
		if (!build_node(g, &g->nodes[i]))
			return false;
	return true;
}

/* ---- end of a graph ---- */

static bool add_terminator(Graph *g, const Str *const *names, size_t n, bool is_yield)
{
	Reader *r = g->r;
	if (n > MAX_OPERANDS)
		return reader_error(r, HONE_LIMIT, r->file->data, NULL, "%zu graph outputs, at most %u are supported", n,
			MAX_OPERANDS);
	Value **v = NEW_ARRAY(r->scratch, Value *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const void *at = i < g->parts.outputs.len ? g->parts.outputs.data[i].data : r->file->data;
		const char *what = arena_printf(r->scratch, "output %zu", i);
		if (names[i]->len == 0)
			return reader_error(r, HONE_BAD_INPUT, at, what, "the graph output has no name");
		v[i] = lookup(g, names[i]);
		if (!v[i])
			return undefined(g, names[i], at, arena_printf(r->scratch, "output %zu: nothing produces it", i));
	}
	const Loc loc = reader_loc(r, NULL, NULL);
	OpSpec s = {
		.def = op_def(r->c, is_yield ? OP_yield : OP_return), .operands = v, .noperands = n, .loc = loc_new(r->c, loc)
	};
	op_new(g->block, NULL, &s);
	return true;
}

/* value_info of names that something defines goes into a dictionary, for the writer; the rest is only kept. */
static void keep_infos(Graph *g)
{
	Reader *r = g->r;
	VEC(const Str *) names = { 0 };
	VEC(const Attr *) infos = { 0 }, extra = { 0 };
	for (size_t i = 0; i < g->parts.infos.len; i++) {
		Bytes msg = g->parts.infos.data[i];
		InfoMsg info;
		if (!info_msg_read(r, msg, NULL, &info))
			continue;
		const Attr *wire = attr_wire(r->c, msg);
		if (map_has(&g->values, MAP_PTR(info.name))) {
			VEC_PUSH(r->scratch, &names, info.name);
			VEC_PUSH(r->scratch, &infos, wire);
		} else {
			VEC_PUSH(r->scratch, &extra, wire);
		}
	}
	if (names.len)
		meta_put(r, &g->meta, "value_info",
			attr_make(r->c, (Attr){ .kind = ATTR_DICT, .u.list = { infos.data, names.data, names.len } }));
	if (extra.len)
		meta_put(r, &g->meta, "extra_info",
			attr_make(r->c, (Attr){ .kind = ATTR_LIST, .u.list = { extra.data, NULL, extra.len } }));
}

static void finish_meta(Graph *g)
{
	Reader *r = g->r;
	keep_infos(g);
	meta_put(r, &g->meta, "metadata_props", pairs_attr(r, &g->props));
	meta_put(r, &g->meta, "wire", left_attr(r, &g->left));
	meta_finish(r, &g->meta, &g->block->meta, &g->block->nmeta);
}

static bool output_names(Graph *g, const Str ***names, const Attr ***infos)
{
	Reader *r = g->r;
	size_t n = g->parts.outputs.len;
	*names = NEW_ARRAY(r->m->arena, const Str *, n + 1);
	*infos = NEW_ARRAY(r->scratch, const Attr *, n + 1);
	for (size_t i = 0; i < n; i++) {
		InfoMsg info;
		if (!info_msg_read(r, g->parts.outputs.data[i], NULL, &info))
			return false;
		(*names)[i] = info.name;
		(*infos)[i] = attr_wire(r->c, g->parts.outputs.data[i]);
	}
	return true;
}

/* Everything between the fields and the metadata. */
static bool read_contents(Graph *g, bool is_yield, const Str ***names, const Attr ***infos)
{
	return read_inputs(g) && read_infos(g) && read_constants(g) && read_nodes(g) && build_nodes(g) &&
		output_names(g, names, infos) && add_terminator(g, *names, g->parts.outputs.len, is_yield);
}

/* Numbers of a body's inputs and outputs that the node asks for. The first version of Scan has one more operand. */
static bool check_body(Graph *g, const Node *n, const Op *op, size_t i)
{
	const Block *b = op->blocks[i];
	size_t args = b->nargs, outputs = b->last->noperands;
	size_t want_args = args, want_outputs = op->nresults;
	if (op_is(op, ONNX_Loop)) {
		want_args = op->noperands < 2 ? 2 : op->noperands;
		want_outputs++;
	} else if (op_is(op, ONNX_Scan)) {
		want_args = args + 1u == op->noperands ? args : op->noperands;
	} else if (!op_is(op, ONNX_If) && !op_is(op, ONNX_SequenceMap)) {
		return true;
	}
	if (args != want_args || outputs != want_outputs)
		return reader_error(g->r, HONE_BAD_INPUT, n->msg.data, n->what,
			"%s has %zu inputs and %zu outputs, the node needs %zu and %zu", n->attrs.graphs.data[i].name->s, args,
			outputs, want_args, want_outputs);
	return true;
}

static bool read_nested(Graph *g, const Node *n, Op *op, size_t i)
{
	Reader *r = g->r;
	Graph inner;
	const Str **names;
	const Attr **infos;
	graph_init(&inner, r, g, g->func, block_new(g->func, op));
	inner.is_branch = op_is(op, ONNX_If);
	collect(&inner, n->attrs.graphs.data[i].msg);
	if (!read_contents(&inner, true, &names, &infos))
		return false;
	if (inner.parts.outputs.len)
		meta_put(r, &inner.meta, "output_info",
			attr_make(r->c, (Attr){ .kind = ATTR_LIST, .u.list = { infos, NULL, inner.parts.outputs.len } }));
	finish_meta(&inner);
	op_set_block(op, i, inner.block);
	return check_body(g, n, op, i);
}

bool graph_read_main(Reader *r, Func *f, Bytes msg)
{
	Graph g;
	const Str **names;
	const Attr **infos;
	graph_init(&g, r, NULL, f, f->body);
	g.is_main = true;
	collect(&g, msg);
	if (!read_contents(&g, false, &names, &infos))
		return false;
	finish_meta(&g);
	r->free_initializers = g.block->first && op_is(g.block->first, ONNX_initializer);
	size_t nargs = f->body->nargs, nresults = g.parts.outputs.len;
	f->arg_default = g.defaults;
	f->result_names = names;
	f->arg_meta = NEW_ARRAY(r->m->arena, NamedAttr *, nargs + 1);
	f->result_meta = NEW_ARRAY(r->m->arena, NamedAttr *, nresults + 1);
	for (size_t i = 0; i < nargs; i++)
		f->arg_meta[i] = meta_terminated(r, &g.arg_meta[i]);
	for (size_t i = 0; i < nresults; i++) {
		MetaList meta = { 0 };
		meta_put(r, &meta, "value_info", infos[i]);
		f->result_meta[i] = meta_terminated(r, &meta);
	}
	return true;
}

bool graph_read_function(Reader *r, Func *f, const Body *p, const Str *const *outputs, size_t noutputs)
{
	Graph g;
	graph_init(&g, r, NULL, f, f->body);
	g.parts = *p;
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		Value *arg = f->body->args[i];
		if (arg->name && !define(&g, arg->name, arg, r->file->data, f->name->s))
			return false;
	}
	if (!read_infos(&g) || !read_nodes(&g) || !build_nodes(&g) || !add_terminator(&g, outputs, noutputs, false))
		return false;
	finish_meta(&g);
	return true;
}

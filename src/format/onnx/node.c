#include "onnx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- names that nested graphs capture ---- */

typedef struct Capture {
	Map defined;
	VEC(const Str *) used;
} Capture;

static void capture_graph(Reader *r, Bytes msg, Node *out);

static void capture_attribute(Reader *r, Bytes msg, Node *out)
{
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f))
		if (f.number == ATTRIBUTE_g || f.number == ATTRIBUTE_graphs)
			capture_graph(r, f.bytes, out);
}

static void capture_node(Reader *r, Bytes msg, Capture *k, Node *inner)
{
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f)) {
		if (f.number == NODE_input && f.bytes.len)
			VEC_PUSH(r->scratch, &k->used, reader_str(r, f.bytes));
		else if (f.number == NODE_output && f.bytes.len)
			map_put(&k->defined, MAP_PTR(reader_str(r, f.bytes)), k);
		else if (f.number == NODE_attribute)
			capture_attribute(r, f.bytes, inner);
	}
}

static const Str *name_in(Reader *r, Bytes msg, uint32_t number)
{
	Cursor c = cursor_of(msg);
	Field f;
	const Str *s = r->c->empty;
	while (field_next(&c, &f))
		if (f.number == number)
			s = reader_str(r, f.bytes);
	return s;
}

static const Str *sparse_name(Reader *r, Bytes msg)
{
	Cursor c = cursor_of(msg);
	Field f;
	const Str *s = r->c->empty;
	while (field_next(&c, &f))
		if (f.number == SPARSE_values)
			s = name_in(r, f.bytes, TENSOR_name);
	return s;
}

/* Adds the names that the graph uses and does not define to out->captured. */
static void capture_graph(Reader *r, Bytes msg, Node *out)
{
	Capture k = { 0 };
	Node inner = { 0 };
	map_init(&k.defined, r->scratch);
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f)) {
		if (f.number == GRAPH_node)
			capture_node(r, f.bytes, &k, &inner);
		else if (f.number == GRAPH_input)
			map_put(&k.defined, MAP_PTR(name_in(r, f.bytes, INFO_name)), &k);
		else if (f.number == GRAPH_initializer)
			map_put(&k.defined, MAP_PTR(name_in(r, f.bytes, TENSOR_name)), &k);
		else if (f.number == GRAPH_sparse_initializer)
			map_put(&k.defined, MAP_PTR(sparse_name(r, f.bytes)), &k);
		else if (f.number == GRAPH_output)
			VEC_PUSH(r->scratch, &k.used, name_in(r, f.bytes, INFO_name));
	}
	for (size_t i = 0; i < inner.captured.len; i++)
		VEC_PUSH(r->scratch, &k.used, inner.captured.data[i]);
	for (size_t i = 0; i < k.used.len; i++)
		if (k.used.data[i]->len && !map_has(&k.defined, MAP_PTR(k.used.data[i]))) {
			map_put(&k.defined, MAP_PTR(k.used.data[i]), &k); /* once is enough */
			VEC_PUSH(r->scratch, &out->captured, k.used.data[i]);
		}
}

/* ---- one node ---- */

static const char *describe(Reader *r, const Node *n)
{
	const char *type = n->op_type ? reader_quote(r, str_bytes(n->op_type)) : "\"\"";
	size_t len = strlen(type);
	if (len >= 2) /* without the quotes: operator types are identifiers */
		type = arena_printf(r->scratch, "%.*s", (int)len - 2, type + 1);
	if (n->name && n->name->len)
		return arena_printf(r->scratch, "node %s (%s)", reader_quote(r, str_bytes(n->name)), type);
	return arena_printf(r->scratch, "node #%zu (%s)", n->index, type);
}

static bool is_clean(const Str *s)
{
	return !s || strlen(s->s) == s->len;
}

static bool check_node(Reader *r, const Node *n)
{
	if (!n->op_type || n->op_type->len == 0)
		return reader_error(r, HONE_BAD_INPUT, n->msg.data, n->what, "no op_type");
	if (!is_clean(n->op_type) || !is_clean(n->domain) || !is_clean(n->overload))
		return reader_error(r, HONE_BAD_INPUT, n->msg.data, n->what, "NUL byte in op_type, domain or overload");
	if (n->in.len > MAX_OPERANDS || n->out.len > MAX_OPERANDS)
		return reader_error(r, HONE_LIMIT, n->msg.data, n->what, "%zu inputs and %zu outputs, at most %u are supported",
			n->in.len, n->out.len, MAX_OPERANDS);
	return true;
}

static bool read_attributes(Reader *r, Node *n, const Bytes *attrs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!attribute_read(r, attrs[i], n->what, &n->attrs))
			return false;
	for (size_t i = 0; i < n->attrs.graphs.len; i++)
		capture_graph(r, n->attrs.graphs.data[i].msg, n);
	for (size_t i = 0; i < n->attrs.meta.len; i++)
		VEC_PUSH(r->scratch, &n->meta, n->attrs.meta.data[i]);
	return true;
}

/* The spelling of the domain is kept where the op's name does not tell it. */
static void keep_domain(Reader *r, Node *n)
{
	bool spelled = n->domain && strcmp(n->domain->s, "ai.onnx") == 0;
	if (spelled || strstr(n->op_type->s, "::") || n->op_type->s[0] == ':')
		meta_put(r, &n->meta, "domain", attr_str(r->c, n->domain ? n->domain : r->c->empty));
}

bool node_read(Reader *r, Bytes msg, size_t index, Node *n)
{
	Cursor c = cursor_of(msg);
	Field f;
	VEC(Bytes) attrs = { 0 };
	Left left = { 0 };
	Pairs props = { 0 };
	*n = (Node){ .msg = msg, .index = index };
	while (field_next(&c, &f)) {
		switch (f.number) {
		case NODE_input: VEC_PUSH(r->scratch, &n->in, reader_str(r, f.bytes)); break;
		case NODE_output: VEC_PUSH(r->scratch, &n->out, reader_str(r, f.bytes)); break;
		case NODE_name: n->name = reader_str(r, f.bytes); break;
		case NODE_op_type: n->op_type = reader_str(r, f.bytes); break;
		case NODE_domain: n->domain = reader_str(r, f.bytes); break;
		case NODE_overload: n->overload = reader_str(r, f.bytes); break;
		case NODE_attribute: VEC_PUSH(r->scratch, &attrs, f.bytes); break;
		case NODE_doc_string: meta_str(r, &n->meta, "doc_string", f.bytes); break;
		case NODE_metadata_props:
			if (!pairs_add(r, &props, f.bytes))
				left_add(r, &left, f.whole);
			break;
		default: left_add(r, &left, f.whole);
		}
	}
	n->what = describe(r, n);
	if (++r->nodes > r->max_nodes)
		return reader_error(r, HONE_LIMIT, msg.data, NULL, "more than %" PRId64 " nodes", r->max_nodes);
	if (!check_node(r, n) || !read_attributes(r, n, attrs.data, attrs.len))
		return false;
	keep_domain(r, n);
	if (n->overload && n->overload->len)
		meta_put(r, &n->meta, "overload", attr_str(r->c, n->overload));
	meta_put(r, &n->meta, "metadata_props", pairs_attr(r, &props));
	meta_put(r, &n->meta, "wire", left_attr(r, &left));
	return true;
}

/* ---- order ---- */

typedef struct Sorter {
	Reader *r;
	Node *nodes;
	size_t n;
	const Map *producers;
	uint8_t *state;         /* 0 new, 1 on the path, 2 done */
	VEC(size_t) order, path;
	size_t *next_ref;       /* by node: references looked at so far */
} Sorter;

static const Str *node_ref(const Node *n, size_t i)
{
	return i < n->in.len ? n->in.data[i] : n->captured.data[i - n->in.len];
}

/* Index of the node that produces reference i, or SIZE_MAX when none of this graph does. */
static size_t ref_producer(const Sorter *s, const Node *n, size_t i)
{
	return (size_t)(uintptr_t)map_get(s->producers, MAP_PTR(node_ref(n, i))) - 1;
}

static size_t node_refs(const Node *n)
{
	return n->in.len + n->captured.len;
}

static bool is_sorted(const Sorter *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < node_refs(&s->nodes[i]); k++) {
			size_t p = ref_producer(s, &s->nodes[i], k);
			if (p != SIZE_MAX && p >= i)
				return false;
		}
	return true;
}

static const char *node_label(const Sorter *s, size_t i)
{
	const Node *n = &s->nodes[i];
	if (n->name && n->name->len)
		return reader_quote(s->r, str_bytes(n->name));
	return n->out.len ? reader_quote(s->r, str_bytes(n->out.data[0])) : n->what;
}

/* Longest cycle that is spelled out. */
#define SHOWN_CYCLE 12

/* The path ends in a node that needs `again`, which is on the path: data flows the other way round. */
static bool report_cycle(Sorter *s, size_t again)
{
	Buf b = { 0 };
	size_t from = s->path.len;
	do
		from--;
	while (s->path.data[from] != again);
	size_t len = s->path.len - from;
	buf_puts(&b, node_label(s, again));
	for (size_t i = s->path.len; i-- > from + 1;) {
		if (s->path.len - i > SHOWN_CYCLE) {
			buf_printf(&b, " -> ... (%zu nodes)", len);
			break;
		}
		buf_printf(&b, " -> %s", node_label(s, s->path.data[i]));
	}
	buf_printf(&b, " -> %s", node_label(s, again));
	const char *text = arena_strdup(s->r->scratch, b.data);
	buf_free(&b);
	return reader_error(s->r, HONE_BAD_INPUT, s->nodes[again].msg.data, NULL, "the nodes form a cycle: %s", text);
}

/* Depth first, without recursion: what a node needs comes before it, in file order otherwise. */
static bool visit(Sorter *s, size_t root)
{
	VEC_PUSH(s->r->scratch, &s->path, root);
	s->state[root] = 1;
	while (s->path.len) {
		size_t i = s->path.data[s->path.len - 1];
		const Node *n = &s->nodes[i];
		if (s->next_ref[i] == node_refs(n)) {
			s->state[i] = 2;
			s->path.len--;
			VEC_PUSH(s->r->scratch, &s->order, i);
			continue;
		}
		size_t p = ref_producer(s, n, s->next_ref[i]++);
		if (p == SIZE_MAX || s->state[p] == 2)
			continue;
		if (s->state[p] == 1)
			return report_cycle(s, p);
		s->state[p] = 1;
		VEC_PUSH(s->r->scratch, &s->path, p);
	}
	return true;
}

bool nodes_sort(Reader *r, Node *nodes, size_t n, const Map *producers)
{
	Sorter s = { .r = r, .nodes = nodes, .n = n, .producers = producers };
	if (is_sorted(&s))
		return true;
	s.state = NEW_ARRAY(r->scratch, uint8_t, n);
	s.next_ref = NEW_ARRAY(r->scratch, size_t, n);
	for (size_t i = 0; i < n; i++)
		if (!s.state[i] && !visit(&s, i))
			return false;
	if (!r->warned_sort) {
		Loc loc = reader_loc(r, nodes[0].msg.data, NULL);
		diag_warn(r->d, &loc, "nodes are not in topological order; they were sorted");
		r->warned_sort = true;
	}
	Node *sorted = NEW_ARRAY(r->scratch, Node, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = nodes[s.order.data[i]];
	memcpy(nodes, sorted, n * sizeof *nodes);
	return true;
}

#include "onnx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_DEPTH 100
#define DEFAULT_NODES 5000000
#define NEWEST_IR 14
#define MAX_OPSET 1000

/* ---- recognising files ---- */

typedef struct Magic {
	size_t at, len;
	const char *bytes, *name;
} Magic;

static const Magic magics[] = {
	{ 4, 4, "ORTM", "an ONNX Runtime (.ort) FlatBuffer" },
	{ 0, 4, "PK\3\4", "a zip archive" },
	{ 0, 4, "GGUF", "a GGUF file" },
	{ 0, 4, "\x89PNG", "a PNG image" },
	{ 0, 4, "\x7f" "ELF", "an ELF object" },
	{ 0, 2, "\x1f\x8b", "a gzip file" },
	{ 0, 6, "\x93NUMPY", "a NumPy array" },
	{ 0, 8, "\x89HDF\r\n\x1a\n", "an HDF5 file" },
	{ 4, 4, "TFL3", "a TensorFlow Lite model" },
	{ 0, 4, "ML\xefR", "MLIR bytecode" },
	{ 8, 2, "{\"", "a safetensors file" },
	{ 0, 23, "version https://git-lfs", "a Git LFS pointer, not the file itself" },
};

static bool all_text(Bytes b)
{
	size_t n = b.len < 256 ? b.len : 256;
	if (n && b.data[0] >= 0x80)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((b.data[i] < 0x20 && b.data[i] != '\n' && b.data[i] != '\r' && b.data[i] != '\t') || b.data[i] == 0x7f)
			return false;
	return n > 0;
}

/* What the bytes look like instead of ONNX, or NULL. */
static const char *foreign(Bytes b)
{
	for (size_t i = 0; i < ARRAY_LEN(magics); i++) {
		const Magic *m = &magics[i];
		if (b.len >= m->at + m->len && memcmp(b.data + m->at, m->bytes, m->len) == 0)
			return m->name;
	}
	return all_text(b) ? "text" : NULL;
}

/* Whether the fields of the outermost message fill the bytes exactly and one is a field of a model: then it is one, whatever
 * its first bytes resemble. */
static bool is_message(Bytes b)
{
	Cursor c = cursor_of(b);
	Field f = { 0 };
	bool known = false;
	for (;;) {
		WireFault fault = field_read(&c, &f, 0);
		if (fault)
			return fault == WIRE_END && known;
		const FieldDef *d = field_def(MSG_MODEL, f.number);
		known |= d && f.wire == (d->kind == FIELD_INT ? WIRE_VARINT : WIRE_BYTES);
	}
}

/* The fields that fit in the head must all be ones of a model; ir_version and the graph make it likely. */
int onnx_sniff(Bytes head, const char *path)
{
	(void)path;
	Cursor c = cursor_of(head);
	Field f = { 0 };
	int known = 0;
	bool version = false;
	if (all_text(head))
		return 0;
	for (;;) {
		WireFault fault = field_read(&c, &f, 0);
		if (fault == WIRE_END)
			break;
		if (fault && fault != WIRE_LONG_FIELD && fault != WIRE_CUT)
			return 0;
		const FieldDef *d = field_def(MSG_MODEL, f.number);
		if (!d || f.wire != (d->kind == FIELD_INT ? WIRE_VARINT : WIRE_BYTES))
			return known > 1 && d == NULL && !fault ? 40 : 0;
		version = version || (f.number == MODEL_ir_version && f.value > 0 && f.value <= 64);
		known++;
		if (fault)
			break;
	}
	return known == 0 ? 0 : version ? 90 : 50;
}

static bool check_kind(Reader *r)
{
	Bytes b = { r->file->data, r->file->len };
	Loc loc = { .file = r->path, .offset = -1 };
	Diags *d = r->d;
	const char *other = foreign(b);
	uint8_t wire = b.len ? b.data[0] & 7 : 0;
	if (b.len == 0)
		diag_error(d, HONE_BAD_INPUT, &loc, "file is empty; not an ONNX model");
	else if (other && !is_message(b))
		diag_error(d, HONE_BAD_INPUT, &loc, "looks like %s, not ONNX", other);
	else if (wire == 3 || wire == 4 || wire > 5 || b.data[0] < 8)
		diag_error(d, HONE_BAD_INPUT, &(Loc){ .file = r->path, .offset = 0 },
			"not an ONNX model: bad protobuf tag 0x%02x at byte 0", b.data[0]);
	else
		return true;
	diag_hint(d, "give the .onnx file that an exporter wrote");
	return false;
}

/* ---- operator sets ---- */

typedef struct Opsets {
	VEC(const Str *) domains;
	VEC(const Attr *) versions;
	const Attr *spelling;   /* of the default domain when not "" */
	Map present;
} Opsets;

static bool add_opset(Reader *r, Opsets *o, const Str *domain, int64_t version, const void *at)
{
	bool standard = domain->len == 0;
	const char *shown = reader_quote(r, str_bytes(domain));
	if (version < (standard ? 1 : 0) || version > (standard ? MAX_OPSET : INT32_MAX))
		return reader_error(r, HONE_BAD_INPUT, at, NULL, "opset_import: version %" PRId64 " of domain %s does not exist",
			version, shown);
	for (size_t i = 0; i < o->domains.len; i++)
		if (o->domains.data[i] == domain) {
			if (o->versions.data[i]->u.i == version)
				return true;
			return reader_error(r, HONE_BAD_INPUT, at, NULL,
				"opset_import: versions %" PRId64 " and %" PRId64 " of domain %s", o->versions.data[i]->u.i, version, shown);
		}
	VEC_PUSH(r->scratch, &o->domains, domain);
	VEC_PUSH(r->scratch, &o->versions, attr_int(r->c, version));
	map_put(&o->present, MAP_PTR(domain), r);
	return true;
}

static bool read_opset(Reader *r, Opsets *o, Bytes msg)
{
	Cursor c = cursor_of(msg);
	Field f;
	const Str *domain = r->c->empty;
	int64_t version = 0;
	while (field_next(&c, &f)) {
		if (f.number == OPSET_domain)
			domain = reader_str(r, f.bytes);
		else if (f.number == OPSET_version)
			version = field_int(&f);
	}
	if (strcmp(domain->s, "ai.onnx") == 0) {
		o->spelling = attr_str(r->c, domain);
		domain = r->c->empty;
	}
	return add_opset(r, o, domain, version, msg.data);
}

static void opsets_init(Reader *r, Opsets *o)
{
	*o = (Opsets){ 0 };
	map_init(&o->present, r->scratch);
}

static const Attr *opsets_attr(Reader *r, const Opsets *o)
{
	Attr a = { .kind = ATTR_DICT, .u.list = { o->versions.data, o->domains.data, o->domains.len } };
	return attr_make(r->c, a);
}

/* ---- model-local functions ---- */

typedef struct FunctionMsg {
	const Str *name, *domain, *overload;
	VEC(const Str *) inputs, outputs, attributes;
	VEC(const Attr *) defaults; /* AttributeProtos */
	Body body;
	Opsets opsets;
	MetaList meta;
	Pairs props;
	Left left;
} FunctionMsg;

static bool scan_function(Reader *r, Bytes msg, FunctionMsg *fn)
{
	Arena *a = r->scratch;
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f)) {
		switch (f.number) {
		case FUNCTION_name: fn->name = reader_str(r, f.bytes); break;
		case FUNCTION_domain: fn->domain = reader_str(r, f.bytes); break;
		case FUNCTION_overload: fn->overload = reader_str(r, f.bytes); break;
		case FUNCTION_input: VEC_PUSH(a, &fn->inputs, reader_str(r, f.bytes)); break;
		case FUNCTION_output: VEC_PUSH(a, &fn->outputs, reader_str(r, f.bytes)); break;
		case FUNCTION_attribute: VEC_PUSH(a, &fn->attributes, reader_str(r, f.bytes)); break;
		case FUNCTION_attribute_proto: VEC_PUSH(a, &fn->defaults, attr_wire(r->c, f.bytes)); break;
		case FUNCTION_node: VEC_PUSH(a, &fn->body.nodes, f.bytes); break;
		case FUNCTION_value_info: VEC_PUSH(a, &fn->body.infos, f.bytes); break;
		case FUNCTION_doc_string: meta_str(r, &fn->meta, "doc_string", f.bytes); break;
		case FUNCTION_opset_import:
			if (!read_opset(r, &fn->opsets, f.bytes))
				return false;
			break;
		case FUNCTION_metadata_props:
			if (!pairs_add(r, &fn->props, f.bytes))
				left_add(r, &fn->left, f.whole);
			break;
		default: left_add(r, &fn->left, f.whole);
		}
	}
	return true;
}

static const Str *function_key(Context *c, const Str *domain, const Str *name, const Str *overload)
{
	if (overload && overload->len)
		return str_fmt(c, "%s::%s:%s", domain ? domain->s : "", name->s, overload->s);
	return str_fmt(c, "%s::%s", domain ? domain->s : "", name->s);
}

static void function_attrs(Reader *r, FunctionMsg *fn, Func *f)
{
	Context *c = r->c;
	MetaList *m = &fn->meta;
	meta_put(r, m, "domain", attr_str(c, fn->domain ? fn->domain : c->empty));
	meta_put(r, m, "name", attr_str(c, fn->name));
	if (fn->overload && fn->overload->len)
		meta_put(r, m, "overload", attr_str(c, fn->overload));
	if (fn->attributes.len)
		meta_put(r, m, "attribute", attr_strs(c, fn->attributes.data, fn->attributes.len));
	if (fn->defaults.len)
		meta_put(r, m, "attribute_proto",
			attr_make(c, (Attr){ .kind = ATTR_LIST, .u.list = { fn->defaults.data, NULL, fn->defaults.len } }));
	meta_put(r, m, "opset_imports", opsets_attr(r, &fn->opsets));
	meta_put(r, m, "default_domain", fn->opsets.spelling);
	meta_put(r, m, "metadata_props", pairs_attr(r, &fn->props));
	meta_put(r, m, "wire", left_attr(r, &fn->left));
	meta_finish(r, m, &f->attrs, &f->nattrs);
}

static bool read_function(Reader *r, Bytes msg, Map *functions)
{
	FunctionMsg fn = { 0 };
	opsets_init(r, &fn.opsets);
	if (!scan_function(r, msg, &fn))
		return false;
	if (!fn.name || fn.name->len == 0 || strlen(fn.name->s) != fn.name->len)
		return reader_error(r, HONE_BAD_INPUT, msg.data, NULL, "function without a proper name");
	const Str *key = function_key(r->c, fn.domain, fn.name, fn.overload);
	const char *what = arena_printf(r->scratch, "function %s", reader_quote(r, str_bytes(key)));
	if (map_has(functions, MAP_PTR(key)))
		return reader_error(r, HONE_BAD_INPUT, msg.data, what, "occurs twice");
	Func *f = func_new(r->m, key);
	map_put(functions, MAP_PTR(key), f);
	f->is_library = true;
	for (size_t i = 0; i < fn.inputs.len; i++)
		block_add_arg(f->body, NULL, fn.inputs.data[i]->len ? fn.inputs.data[i] : NULL);
	f->result_names = NEW_ARRAY(r->m->arena, const Str *, fn.outputs.len + 1);
	for (size_t i = 0; i < fn.outputs.len; i++)
		f->result_names[i] = fn.outputs.data[i];
	r->in_function = true;
	/* Before functions had imports of their own, those of the model counted. */
	r->local_opsets = fn.opsets.domains.len ? &fn.opsets.present : NULL;
	bool ok = graph_read_function(r, f, &fn.body, fn.outputs.data, fn.outputs.len);
	r->in_function = false;
	r->local_opsets = NULL;
	function_attrs(r, &fn, f);
	if (!ok)
		diag_note(r->d, NULL, "in %s", what);
	return ok;
}

/* ---- calls between functions ---- */

typedef VEC(const Func *) FuncList;
typedef struct Calls {
	Reader *r;
	const Map *functions;
	const Func *caller;
	FuncList from, to; /* edges */
	bool ok;
} Calls;

static bool add_call(void *arg, Op *op)
{
	Calls *k = arg;
	const Str *name = op->def->name;
	const char *prefix = "onnx.";
	if (strncmp(name->s, prefix, strlen(prefix)) != 0)
		return true;
	const char *rest = name->s + strlen(prefix);
	const Attr *overload = named_attr(op->meta, op->nmeta, str(k->r->c, "overload"));
	const Str *base = strstr(rest, "::") ? str(k->r->c, rest) : str_fmt(k->r->c, "::%s", rest);
	bool plain = !overload || overload->kind != ATTR_STR;
	const Str *key = plain ? base : str_fmt(k->r->c, "%s:%s", base->s, overload->u.str->s);
	const Func *callee = map_get(k->functions, MAP_PTR(key));
	if (!callee)
		return true;
	if (op->noperands > callee->body->nargs || op->nresults > callee->body->last->noperands) {
		k->ok = diag_error(k->r->d, HONE_BAD_INPUT, op->loc, "%u inputs and %u outputs, the function has %u and %u",
			op->noperands, op->nresults, callee->body->nargs, callee->body->last->noperands);
		return false;
	}
	if (k->caller->is_library) {
		VEC_PUSH(k->r->scratch, &k->from, k->caller);
		VEC_PUSH(k->r->scratch, &k->to, callee);
	}
	return true;
}

/* Every function that is left calls another one that is left: following such calls must come back. */
static bool report_call_cycle(Calls *k, const Map *left)
{
	const Func *at = NULL;
	for (uint32_t i = 0; i < left->len && !at; i++)
		if (left->entries[i].value)
			at = (const Func *)(uintptr_t)left->entries[i].key;
	Map seen;
	map_init(&seen, k->r->scratch);
	VEC(const Func *) path = { 0 };
	while (at && !map_has(&seen, MAP_PTR(at))) {
		map_put(&seen, MAP_PTR(at), k);
		VEC_PUSH(k->r->scratch, &path, at);
		const Func *next = NULL;
		for (size_t i = 0; i < k->from.len && !next; i++)
			if (k->from.data[i] == at && map_get(left, MAP_PTR(k->to.data[i])))
				next = k->to.data[i];
		at = next;
	}
	Buf b = { 0 };
	size_t from = 0;
	while (from < path.len && path.data[from] != at)
		from++;
	for (size_t i = from; i < path.len && i < from + 8; i++)
		buf_printf(&b, "%s -> ", reader_quote(k->r, str_bytes(path.data[i]->name)));
	const char *text = arena_strdup(k->r->scratch, b.data ? b.data : "");
	buf_free(&b);
	return reader_error(k->r, HONE_BAD_INPUT, k->r->file->data, NULL,
		"functions call each other in a cycle: %s%s", text, at ? reader_quote(k->r, str_bytes(at->name)) : "");
}

/* Takes away functions that call none of the remaining ones until nothing moves. */
static bool check_acyclic(Calls *k, const Map *functions)
{
	Arena *a = k->r->scratch;
	Map index, left;
	map_init(&index, a);
	map_init(&left, a);
	size_t n = functions->len;
	size_t *out = NEW_ARRAY(a, size_t, n + 1);
	const Func **stack = NEW_ARRAY(a, const Func *, n + 1);
	FuncList *callers = NEW_ARRAY(a, FuncList, n + 1);
	for (size_t i = 0; i < n; i++) {
		map_put(&index, MAP_PTR(functions->entries[i].value), (void *)(uintptr_t)i);
		map_put(&left, MAP_PTR(functions->entries[i].value), k);
	}
	for (size_t i = 0; i < k->from.len; i++) {
		out[(size_t)(uintptr_t)map_get(&index, MAP_PTR(k->from.data[i]))]++;
		VEC_PUSH(a, &callers[(size_t)(uintptr_t)map_get(&index, MAP_PTR(k->to.data[i]))], k->from.data[i]);
	}
	size_t top = 0, done = 0;
	for (size_t i = 0; i < n; i++)
		if (out[i] == 0)
			stack[top++] = functions->entries[i].value;
	while (top) {
		const Func *f = stack[--top];
		size_t at = (size_t)(uintptr_t)map_get(&index, MAP_PTR(f));
		map_put(&left, MAP_PTR(f), NULL);
		done++;
		for (size_t i = 0; i < callers[at].len; i++) {
			const Func *caller = callers[at].data[i];
			if (--out[(size_t)(uintptr_t)map_get(&index, MAP_PTR(caller))] == 0)
				stack[top++] = caller;
		}
	}
	return done == n || report_call_cycle(k, &left);
}

static bool check_calls(Reader *r, const Map *functions)
{
	Calls k = { .r = r, .functions = functions, .ok = true };
	if (functions->len == 0)
		return true;
	for (Func *f = r->m->funcs; f && k.ok; f = f->next) {
		k.caller = f;
		block_walk(f->body, add_call, &k);
	}
	return k.ok && check_acyclic(&k, functions);
}

/* ---- the model ---- */

typedef struct ModelMsg {
	VEC(Bytes) functions;
	Bytes graph;
	bool has_graph;
	Opsets opsets;
	MetaList attrs;
	Pairs props;
	Left left;
} ModelMsg;

static bool scan_model(Reader *r, Bytes msg, ModelMsg *m)
{
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f)) {
		switch (f.number) {
		case MODEL_ir_version:
			r->ir_version = field_int(&f);
			meta_put(r, &m->attrs, "ir_version", attr_int(r->c, r->ir_version));
			break;
		case MODEL_producer_name: meta_str(r, &m->attrs, "producer_name", f.bytes); break;
		case MODEL_producer_version: meta_str(r, &m->attrs, "producer_version", f.bytes); break;
		case MODEL_domain: meta_str(r, &m->attrs, "domain", f.bytes); break;
		case MODEL_doc_string: meta_str(r, &m->attrs, "doc_string", f.bytes); break;
		case MODEL_model_version: meta_put(r, &m->attrs, "model_version", attr_int(r->c, field_int(&f))); break;
		case MODEL_graph:
			if (m->has_graph)
				return reader_error(r, HONE_BAD_INPUT, f.whole.data, NULL, "model.graph occurs twice");
			m->has_graph = true;
			m->graph = f.bytes;
			break;
		case MODEL_opset_import:
			if (!read_opset(r, &m->opsets, f.bytes))
				return false;
			break;
		case MODEL_metadata_props:
			if (!pairs_add(r, &m->props, f.bytes))
				left_add(r, &m->left, f.whole);
			break;
		case MODEL_functions: VEC_PUSH(r->scratch, &m->functions, f.bytes); break;
		default: left_add(r, &m->left, f.whole);
		}
	}
	return true;
}

static bool check_model(Reader *r, ModelMsg *m)
{
	const void *at = r->file->data;
	if (r->ir_version < 1)
		return reader_error(r, HONE_BAD_INPUT, at, NULL,
			"ir_version is %" PRId64 ", expected 1 to %d: not an ONNX model", r->ir_version, NEWEST_IR);
	if (r->ir_version > NEWEST_IR)
		return reader_error(r, HONE_UNSUPPORTED, at, NULL,
			"ir_version %" PRId64 " is newer than %d, the newest that is known", r->ir_version, NEWEST_IR);
	if (!m->has_graph)
		return reader_error(r, HONE_BAD_INPUT, at, NULL, "the model has no graph");
	/* Before operator sets had versions, there was one. */
	if (m->opsets.domains.len == 0 && r->ir_version < IR_OPSETS)
		return add_opset(r, &m->opsets, r->c->empty, 1, at);
	return true;
}

static bool read_model(Reader *r)
{
	ModelMsg m = { 0 };
	Bytes msg = { r->file->data, r->file->len };
	Map functions;
	int depth = r->o->max_depth > 0 ? r->o->max_depth : DEFAULT_DEPTH;
	opsets_init(r, &m.opsets);
	map_init(&functions, r->scratch);
	if (!check_kind(r) || !wire_check(r->d, r->file, MSG_MODEL, msg, depth) || !scan_model(r, msg, &m) ||
		!check_model(r, &m))
		return false;
	r->opsets = &m.opsets.present;
	for (size_t i = 0; i < m.opsets.domains.len; i++)
		if (m.opsets.domains.data[i]->len == 0)
			r->opset = m.opsets.versions.data[i]->u.i;
	meta_put(r, &m.attrs, "opset_imports", opsets_attr(r, &m.opsets));
	meta_put(r, &m.attrs, "default_domain", m.opsets.spelling);
	meta_put(r, &m.attrs, "metadata_props", pairs_attr(r, &m.props));
	meta_put(r, &m.attrs, "wire", left_attr(r, &m.left));
	r->m->format = str(r->c, "onnx");
	r->m->path = arena_strdup(r->m->arena, r->file->path);
	r->m->main = func_new(r->m, str(r->c, "main"));
	if (!graph_read_main(r, r->m->main, m.graph))
		return false;
	if (r->free_initializers && r->ir_version < IR_FREE_INITIALIZERS)
		meta_put(r, &m.attrs, "free_initializers", attr_bool(r->c, true));
	meta_finish(r, &m.attrs, &r->m->attrs, &r->m->nattrs);
	for (size_t i = 0; i < m.functions.len; i++)
		if (!read_function(r, m.functions.data[i], &functions))
			return false;
	return check_calls(r, &functions);
}

static void release(Reader *r)
{
	for (uint32_t i = 0; i < r->externals.len; i++)
		file_unref(r->externals.entries[i].value);
	arena_free(r->scratch);
}

/* What to do about each refusal that does not say so itself. */
static void add_advice(Reader *r, size_t first)
{
	const char *of = r->opset ? arena_printf(r->d->arena, " of opset %" PRId64, r->opset) : "";
	for (size_t i = first; i < r->d->list.len; i++) {
		Diag *d = &r->d->list.data[i];
		if (d->severity != SEV_ERROR || d->hint)
			continue;
		if (d->status == HONE_BAD_INPUT)
			d->hint = arena_printf(r->d->arena, "no valid model%s has this: export it again, or look at it with onnx.checker", of);
		else
			d->hint = arena_printf(r->d->arena, "this model%s is beyond what hone reads", of);
	}
}

Module *onnx_read(Context *c, MappedFile *f, const ReadOptions *o)
{
	static const ReadOptions defaults = { 0 };
	Reader *r = NEW(c->arena, Reader);
	r->c = c;
	r->d = &c->diags;
	r->file = f;
	r->path = str(c, f->path)->s;
	r->o = o ? o : &defaults;
	r->scratch = arena_new();
	r->m = module_new(c);
	r->max_nodes = r->o->max_nodes > 0 ? r->o->max_nodes : DEFAULT_NODES;
	map_init(&r->externals, r->scratch);
	map_init(&r->sums, r->scratch);
	map_init(&r->warned_domains, r->scratch);
	r->data_dir = r->o->data_dir;
	if (!r->data_dir && f->fd >= 0)
		r->data_dir = path_dir(r->scratch, f->path);
	/* Running out of memory passes through here, so that the scratch memory and files are released. */
	MemGuard guard;
	size_t first = r->d->list.len;
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		mem_guard_pop(&guard);
		release(r);
		module_free(r->m);
		mem_fail();
	}
	bool ok = read_model(r);
	mem_guard_pop(&guard);
	if (!ok)
		add_advice(r, first);
	release(r);
	if (ok)
		return r->m;
	module_free(r->m);
	return NULL;
}

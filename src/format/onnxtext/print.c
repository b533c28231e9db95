#include "onnxtext.h"
#include "ops/label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Writes a module of ONNX ops in the textual syntax. Names of values are kept where no other of their graph, or of one around it, has them;
 * others, and those of values without a name, are v0, v1, ... Names that are no identifiers stand in quotes. */
typedef struct Writer {
	Module *m;
	Context *c;
	Arena *arena;
	Buf *out;
	const Str **names;   /* by value id */
	Map used;            /* names of the function: NULL once their graph has ended, others may have them again */
	VEC(const Str *) taken; /* all that were used, in order */
	uint32_t next;
	const Op *user;
	const char *data_path; /* of large tensors; NULL: all stand in the text */
	size_t threshold;      /* bytes of those */
	bool all_large;        /* not only those that came from elsewhere */
	OutFile *data;
	uint64_t data_at;
} Writer;

static bool unsupported(Writer *w, const char *what)
{
	diag_error(&w->c->diags, HONE_UNSUPPORTED, w->user ? w->user->loc : NULL, "%sthe textual syntax of ONNX has no form for %s",
		w->user ? op_label(w->c->diags.arena, w->user) : "", what);
	diag_hint(&w->c->diags, "write .onnx or .mlir instead");
	return false;
}

static void indent(Writer *w, int depth)
{
	for (int i = 0; i < depth; i++)
		buf_puts(w->out, "   ");
}

static void quoted(Writer *w, const Str *s)
{
	buf_puts(w->out, "\"");
	for (size_t i = 0; i < s->len; i++) {
		if (s->s[i] == '"' || s->s[i] == '\\')
			buf_puts(w->out, "\\");
		buf_put(w->out, s->s + i, 1);
	}
	buf_puts(w->out, "\"");
}

static bool is_word(const char *s, size_t n)
{
	bool word = n > 0 && !(s[0] >= '0' && s[0] <= '9');
	for (size_t i = 0; i < n; i++)
		word &= s[i] == '_' || (s[i] >= '0' && s[i] <= '9') || ((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z');
	return word;
}

static void name(Writer *w, const Str *s)
{
	if (is_word(s->s, s->len) && !text_is_reserved(s))
		buf_put(w->out, s->s, s->len);
	else
		quoted(w, s);
}

static bool is_used(Writer *w, const Str *s)
{
	return map_get(&w->used, MAP_PTR(s)) != NULL;
}

static void use(Writer *w, const Str *s)
{
	map_put(&w->used, MAP_PTR(s), w);
	VEC_PUSH(w->arena, &w->taken, s);
}

static const Str *fresh(Writer *w)
{
	const Str *s;
	do
		s = str_fmt(w->c, "v%u", (unsigned)w->next++);
	while (is_used(w, s));
	use(w, s);
	return s;
}

static void name_value(Writer *w, const Value *v)
{
	const Str *s = v->name;
	if (!s || !s->len || is_used(w, s))
		s = fresh(w);
	else
		use(w, s);
	w->names[v->id] = s;
}

static void print_value(Writer *w, const Value *v)
{
	if (v && w->names[v->id])
		name(w, w->names[v->id]);
}

/* ---- types ---- */

static bool tensor_type(Writer *w, const Type *t)
{
	const char *d = text_dtype_name(t->dtype);
	if (!d || t->text)
		return unsupported(w, "an element type that ONNX lacks");
	buf_puts(w->out, d);
	if (t->rank == 0)
		return true;
	buf_puts(w->out, "[");
	for (int i = 0; i < t->rank; i++) {
		int64_t v;
		buf_puts(w->out, i ? "," : "");
		if (sym_const(t->dims[i], &v)) {
			buf_printf(w->out, "%lld", (long long)v);
		} else if (sym_kind(t->dims[i]) == SYM_SYMBOL && !sym_is_unknown(t->dims[i])) {
			const Str *s = sym_name(t->dims[i]);
			if (is_word(s->s, s->len))
				buf_put(w->out, s->s, s->len);
			else
				quoted(w, s);
		} else {
			buf_puts(w->out, "?");
		}
	}
	buf_puts(w->out, "]");
	return true;
}

static bool print_type(Writer *w, const Type *t)
{
	const char *d;
	switch (t->kind) {
	case TYPE_TENSOR:
		return tensor_type(w, t);
	case TYPE_SPARSE:
		buf_puts(w->out, "sparse_tensor(");
		break;
	case TYPE_SEQUENCE:
		buf_puts(w->out, "seq(");
		break;
	case TYPE_OPTIONAL:
		buf_puts(w->out, "optional(");
		break;
	case TYPE_MAP:
		d = text_dtype_name(t->dtype);
		if (!d)
			return unsupported(w, "a map without a type of keys");
		buf_printf(w->out, "map(%s, ", d);
		break;
	default:
		return unsupported(w, "a type that ONNX lacks");
	}
	if (!(t->kind == TYPE_SPARSE ? tensor_type(w, t) : print_type(w, t->elem[0])))
		return false;
	buf_puts(w->out, ")");
	return true;
}

static bool type_is_known(const Type *t)
{
	return t->kind != TYPE_UNKNOWN && (t->kind != TYPE_TENSOR || t->dtype != DT_NONE);
}

/* The type and a blank; nothing when it is not known. */
static bool print_known_type(Writer *w, const Type *t)
{
	if (!type_is_known(t))
		return true;
	if (!print_type(w, t))
		return false;
	buf_puts(w->out, " ");
	return true;
}

/* ---- numbers ---- */

static void print_float(Writer *w, const char *s)
{
	buf_puts(w->out, s);
	if (!strpbrk(s, ".eEn"))
		buf_puts(w->out, ".0");
}

static void print_real(Writer *w, double x, bool is_double)
{
	if (isnan(x))
		buf_puts(w->out, "nan");
	else if (isinf(x))
		buf_puts(w->out, x < 0 ? "-inf" : "inf");
	else
		print_float(w, is_double ? format_double(w->arena, x) : format_float(w->arena, (float)x));
}

static void print_element(Writer *w, DType d, const uint8_t *e)
{
	const Str *s;
	int64_t v;
	double x;
	switch (dtype_class(d)) {
	case DC_STRING:
		memcpy(&s, e, sizeof s);
		quoted(w, s ? s : w->c->empty);
		break;
	case DC_COMPLEX:
		print_element(w, d == DT_C64 ? DT_F32 : DT_F64, e);
		buf_puts(w->out, ", ");
		print_element(w, d == DT_C64 ? DT_F32 : DT_F64, e + dtype_size(d) / 2);
		break;
	case DC_FLOAT:
		if (d != DT_F32 && d != DT_F64) { /* bit patterns stand for narrow floats */
			buf_printf(w->out, "%u", dtype_size(d) == 2 ? e[0] | (unsigned)e[1] << 8 : e[0]);
			break;
		}
		dtype_load_f64(d, e, 1, &x);
		print_real(w, x, d == DT_F64);
		break;
	default:
		dtype_load_i64(d, e, 1, &v);
		if (d == DT_U64)
			buf_printf(w->out, "%llu", (unsigned long long)v);
		else
			buf_printf(w->out, "%lld", (long long)v);
	}
}

static void print_data(Writer *w, const Attr *a)
{
	const Blob *b = a->u.tensor.blob;
	DType d = a->u.tensor.type->dtype;
	int64_t n = 0;
	type_static_numel(a->u.tensor.type, &n);
	uint8_t *wide = NULL;
	const uint8_t *e = b->data;
	size_t size = dtype_size(d);
	if (!b->splat && d != DT_STR && dtype_bits(d) < 8) {
		wide = mem_alloc(n ? (size_t)n : 1);
		dtype_unpack(d, b->data, n, wide);
		e = wide;
	}
	buf_puts(w->out, "{");
	for (int64_t i = 0; i < n; i++) {
		buf_puts(w->out, i ? ", " : "");
		print_element(w, d, b->splat ? e : e + (size_t)i * size);
	}
	buf_puts(w->out, "}");
	mem_free(wide);
}

/* The data of an initializer: in the text, or beside it. */
static bool print_stored(Writer *w, const Attr *a)
{
	enum { ALIGN = 64 };
	static const uint8_t none[ALIGN];
	const Blob *b = a->u.tensor.blob;
	bool large = w->all_large && b->len >= w->threshold;
	bool outside = w->data_path && !b->splat && a->u.tensor.type->dtype != DT_STR && (large || b->external);
	if (!outside) {
		print_data(w, a);
		return true;
	}
	if (!w->data && !(w->data = out_open(w->data_path, &w->c->diags)))
		return false;
	size_t pad = (size_t)(-w->data_at % ALIGN);
	const char *slash = strrchr(w->data_path, '/');
	out_write(w->data, none, pad);
	if (b->kind == BLOB_MAPPED)
		out_copy(w->data, b->file, b->file_offset, b->len);
	else
		out_write(w->data, b->data, b->len);
	w->data_at += pad;
	buf_puts(w->out, "[\"location\": ");
	quoted(w, str(w->c, slash ? slash + 1 : w->data_path));
	buf_printf(w->out, ", \"offset\": \"%llu\", \"length\": \"%zu\"]", (unsigned long long)w->data_at, b->len);
	w->data_at += b->len;
	return true;
}

/* ---- attributes ---- */

/* A reference, a list without elements; other attributes that are kept as they came have no form. */
static bool print_wire(Writer *w, const NamedAttr *attr)
{
	WireAttr a;
	bool read = wire_read(w->c, w->arena, attr->value->u.str, &a) && wire_kind_name(a.type);
	if (read && a.ref) {
		buf_printf(w->out, " : %s = @", wire_kind_name(a.type));
		name(w, a.ref);
		return true;
	}
	if (read && wire_empty(w->c, a.name, a.type)->u.str->len >= attr->value->u.str->len) {
		buf_printf(w->out, " : %s = []", wire_kind_name(a.type));
		return true;
	}
	return unsupported(w, arena_printf(w->arena, "attribute %s%s%s", quote(w->arena, attr->name->s, attr->name->len), read ? ", a " : "",
		read ? wire_kind_name(a.type) : ""));
}

/* key: of the attribute, with the place in a list in brackets; under it the node keeps the tensor's name. */
static bool print_tensor_attr(Writer *w, const char *key, const Attr *v)
{
	const Attr *kept = w->user ? named_attr(w->user->meta, w->user->nmeta, str_fmt(w->c, "tensor.%s", key)) : NULL;
	const Str *title = wire_tensor_name(w->c, kept);
	if (!print_type(w, v->u.tensor.type))
		return false;
	buf_puts(w->out, " ");
	if (title && title->len) {
		name(w, title);
		buf_puts(w->out, " ");
	}
	print_data(w, v);
	return true;
}

/* The elements of a list of tensors or types. */
static bool print_values(Writer *w, const Str *key, const Attr *v)
{
	for (size_t i = 0; i < v->u.list.n; i++) {
		const Attr *one = v->u.list.v[i];
		buf_puts(w->out, i ? ", " : "");
		if (one->kind == ATTR_TYPE ? !print_type(w, one->u.type) : one->kind == ATTR_TENSOR
				? !print_tensor_attr(w, arena_printf(w->arena, "%s[%zu]", key->s, i), one) : true)
			return one->kind != ATTR_TYPE && one->kind != ATTR_TENSOR ? unsupported(w, "a list of lists") : false;
	}
	return true;
}

static bool print_numbers(Writer *w, const Attr *v)
{
	size_t n = v->kind == ATTR_INTS ? v->u.ints.n : v->kind == ATTR_FLOATS ? v->u.floats.n : v->u.strs.n;
	for (size_t i = 0; i < n; i++) {
		buf_puts(w->out, i ? ", " : "");
		if (v->kind == ATTR_INTS)
			buf_printf(w->out, "%lld", (long long)v->u.ints.v[i]);
		else if (v->kind == ATTR_FLOATS)
			print_real(w, v->u.floats.v[i], false);
		else
			quoted(w, v->u.strs.v[i]);
	}
	return true;
}

/* The kind of a list that has to be told: an empty one, one of tensors or types; NULL: none. */
static const char *told_kind(const Attr *v)
{
	switch (v->kind) {
	case ATTR_INTS: return v->u.ints.n ? NULL : "ints";
	case ATTR_FLOATS: return v->u.floats.n ? NULL : "floats";
	case ATTR_STRS: return v->u.strs.n ? NULL : "strings";
	case ATTR_LIST: return v->u.list.n && v->u.list.v[0]->kind == ATTR_TYPE ? "type_protos" : "tensors";
	default: return NULL;
	}
}

static bool print_attr(Writer *w, const NamedAttr *a)
{
	const Attr *v = a->value;
	const char *kind = told_kind(v);
	name(w, a->name);
	if (v->kind == ATTR_WIRE)
		return print_wire(w, a);
	if (kind)
		buf_printf(w->out, " : %s", kind);
	buf_puts(w->out, " = ");
	switch (v->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		buf_printf(w->out, "%lld", (long long)v->u.i);
		return true;
	case ATTR_FLOAT:
		print_real(w, v->u.f, false);
		return true;
	case ATTR_STR:
		quoted(w, v->u.str);
		return true;
	case ATTR_TYPE:
		return print_type(w, v->u.type);
	case ATTR_TENSOR:
		return print_tensor_attr(w, a->name->s, v);
	case ATTR_INTS:
	case ATTR_FLOATS:
	case ATTR_STRS:
	case ATTR_LIST:
		break;
	default:
		return unsupported(w, arena_printf(w->arena, "attribute %s of this kind", quote(w->arena, a->name->s, a->name->len)));
	}
	buf_puts(w->out, "[");
	if (v->kind == ATTR_LIST ? !print_values(w, a->name, v) : !print_numbers(w, v))
		return false;
	buf_puts(w->out, "]");
	return true;
}

/* ---- nodes and graphs ---- */

static bool print_graph(Writer *w, const Block *b, const Str *title, int depth);

static bool is_initializer(const Op *op)
{
	return op_is(op, ONNX_initializer) || op_is(op, OP_constant);
}

/* The attribute that graph i is; one of a list has its place in brackets. */
static const Str *graph_key(Writer *w, const Op *op, size_t i)
{
	const Attr *names = op_attr(op, A_graph_names);
	return names && names->kind == ATTR_STRS && i < names->u.strs.n ? names->u.strs.v[i] : str(w->c, "body");
}

static bool same_list(const Str *a, const Str *b)
{
	const char *at = strrchr(a->s, '['), *bt = strrchr(b->s, '[');
	return at && bt && at - a->s == bt - b->s && !strncmp(a->s, b->s, (size_t)(at - a->s));
}

static bool print_attrs(Writer *w, const Op *op, int depth)
{
	bool any = false;
	for (size_t i = 0; i < op->nattrs; i++) {
		if (op->attrs[i].name->known == A_graph_names)
			continue;
		buf_puts(w->out, any ? ", " : " <");
		any = true;
		if (!print_attr(w, &op->attrs[i]))
			return false;
	}
	for (size_t i = 0; i < op->nblocks; i++) {
		const Str *key = graph_key(w, op, i);
		const char *bracket = strrchr(key->s, '[');
		bool follows = bracket && i > 0 && same_list(graph_key(w, op, i - 1), key);
		buf_puts(w->out, any ? ", " : " <");
		any = true;
		if (!follows) {
			name(w, bracket ? str_n(w->c, key->s, (size_t)(bracket - key->s)) : key);
			buf_puts(w->out, bracket ? " : graphs = [" : " = ");
		}
		if (!print_graph(w, op->blocks[i], op->blocks[i]->name, depth))
			return false;
		if (bracket && !(i + 1 < op->nblocks && same_list(key, graph_key(w, op, i + 1))))
			buf_puts(w->out, "]");
	}
	buf_puts(w->out, any ? ">" : "");
	return true;
}

/* a.b of a.b.Op; in quotes where a part is no word. */
static void print_domain(Writer *w, const char *s, size_t n)
{
	bool words = true;
	for (size_t at = 0, len; at <= n; at += len + 1) {
		const char *dot = memchr(s + at, '.', n - at);
		len = dot ? (size_t)(dot - s) - at : n - at;
		words &= is_word(s + at, len);
	}
	if (words)
		buf_put(w->out, s, n);
	else
		quoted(w, str_n(w->c, s, n));
	buf_puts(w->out, ".");
}

/* A result that the node does not give out. */
static bool is_absent(const Value *v)
{
	return (!v->name || !v->name->len) && !value_has_uses(v);
}

static bool print_node(Writer *w, const Op *op, int depth)
{
	const char *full = op->def->name->s;
	w->user = op;
	if (strncmp(full, "onnx.", 5) != 0)
		return unsupported(w, arena_printf(w->arena, "op %s", op_said_name(w->arena, op)));
	const char *sep = strstr(full, "::");
	const Attr *overload = named_attr(op->meta, op->nmeta, str(w->c, "overload"));
	indent(w, depth);
	if (op->name && op->name->len) {
		buf_puts(w->out, "[");
		name(w, op->name);
		buf_puts(w->out, "] ");
	}
	size_t nresults = op->nresults;
	while (nresults > 1 && is_absent(op->results[nresults - 1]))
		nresults--;
	for (size_t i = 0; i < nresults; i++) {
		buf_puts(w->out, i ? ", " : "");
		if (is_absent(op->results[i])) {
			buf_puts(w->out, "\"\"");
			continue;
		}
		name_value(w, op->results[i]);
		print_value(w, op->results[i]);
	}
	buf_puts(w->out, " = ");
	if (sep)
		print_domain(w, full + 5, (size_t)(sep - full - 5));
	const char *type = sep ? sep + 2 : full + 5;
	if (is_word(type, strlen(type)))
		buf_puts(w->out, type);
	else
		quoted(w, str(w->c, type));
	if (overload && overload->kind == ATTR_STR) {
		buf_puts(w->out, ":");
		name(w, overload->u.str);
	}
	if (!print_attrs(w, op, depth))
		return false;
	buf_puts(w->out, " (");
	for (size_t i = 0; i < op->noperands; i++) {
		buf_puts(w->out, i ? ", " : "");
		print_value(w, op->operands[i].value);
	}
	buf_puts(w->out, ")\n");
	return true;
}

/* Types of inner values that the graph declared. */
static bool print_infos(Writer *w, const Block *b, bool *any)
{
	const Attr *infos = named_attr(b->meta, b->nmeta, str(w->c, "value_info"));
	Map values;
	if (!infos || infos->kind != ATTR_DICT)
		return true;
	map_init(&values, w->arena);
	for (const Op *op = b->first; op; op = op->next)
		for (size_t i = 0; i < op->nresults && !is_initializer(op); i++)
			map_put(&values, MAP_PTR(op->results[i]->name), op->results[i]);
	for (size_t i = 0; i < infos->u.list.n; i++) {
		const Str *s = infos->u.list.names[i];
		const Value *v = s && s->len ? map_get(&values, MAP_PTR(s)) : NULL;
		if (!v || !type_is_known(v->type))
			continue;
		buf_puts(w->out, *any ? ", " : " <");
		*any = true;
		if (!print_known_type(w, v->type))
			return false;
		name(w, s);
	}
	return true;
}

static bool print_initializers(Writer *w, const Block *b)
{
	bool any = false;
	for (const Op *op = b->first; op; op = op->next) {
		if (!is_initializer(op))
			continue;
		const Attr *a = op_attr_named(op, str(w->c, "value"));
		w->user = op;
		if (!a || a->kind != ATTR_TENSOR)
			return unsupported(w, "a sparse initializer");
		buf_puts(w->out, any ? ", " : " <");
		any = true;
		if (!print_type(w, a->u.tensor.type))
			return false;
		buf_puts(w->out, " ");
		name_value(w, op->results[0]);
		print_value(w, op->results[0]);
		buf_puts(w->out, " = ");
		if (!print_stored(w, a))
			return false;
	}
	if (!print_infos(w, b, &any))
		return false;
	buf_puts(w->out, any ? ">" : "");
	return true;
}

/* Names of a graph's outputs: those of the values, or new ones, that an Identity gives, where a value is no node's result
 * of this graph, is given out twice, or has another name outside. */
static const Str **output_names(Writer *w, const Block *b, const Str *const *want)
{
	const Op *end = b->last;
	const Str **names = NEW_ARRAY(w->arena, const Str *, end->noperands + 1u);
	Map listed; /* names of the interface, with the outputs that have them */
	map_init(&listed, w->arena);
	for (size_t i = 0; i < end->noperands; i++) {
		const Value *v = end->operands[i].value;
		uintptr_t before = want && want[i] && want[i]->len ? (uintptr_t)map_get(&listed, MAP_PTR(want[i])) : 0;
		if (before && end->operands[before - 1].value == v) { /* the interface lists one output twice */
			names[i] = names[before - 1];
			continue;
		}
		if (want && want[i] && want[i]->len && !before)
			map_put(&listed, MAP_PTR(want[i]), (void *)(i + 1));
		bool own = v->def && v->def->block == b && !is_initializer(v->def) && (!want || !want[i] || want[i] == v->name);
		for (size_t k = 0; k < i && own; k++)
			own = end->operands[k].value != v;
		const Str *s = own ? v->name : want ? want[i] : NULL;
		bool taken = s && s->len && is_used(w, s);
		if (own && s && s->len && !taken)
			continue; /* takes its own name when its node is printed */
		names[i] = s && s->len && !taken ? s : fresh(w);
		use(w, names[i]);
	}
	return names;
}

static bool print_signature(Writer *w, const Block *b, const Str *const *outputs, const Func *f)
{
	const Op *end = b->last;
	buf_puts(w->out, " (");
	for (uint32_t i = 0; i < b->nargs; i++) {
		buf_puts(w->out, i ? ", " : "");
		name_value(w, b->args[i]);
		if (!print_known_type(w, b->args[i]->type))
			return false;
		print_value(w, b->args[i]);
		if (f && f->arg_default && f->arg_default[i]) {
			buf_puts(w->out, " = ");
			if (!print_stored(w, f->arg_default[i]))
				return false;
		}
	}
	buf_puts(w->out, ") => (");
	for (size_t i = 0; i < end->noperands; i++) {
		buf_puts(w->out, i ? ", " : "");
		if (!print_known_type(w, end->operands[i].value->type))
			return false;
		name(w, outputs[i] ? outputs[i] : end->operands[i].value->name);
	}
	buf_puts(w->out, ")");
	return true;
}

static bool print_body(Writer *w, const Block *b, const Str *const *outputs, int depth)
{
	buf_puts(w->out, " {\n");
	for (const Op *op = b->first; op && op != b->last; op = op->next)
		if (!is_initializer(op) && !print_node(w, op, depth + 1))
			return false;
	Map done;
	map_init(&done, w->arena);
	for (size_t i = 0; i < b->last->noperands; i++) {
		if (!outputs[i] || map_has(&done, MAP_PTR(outputs[i])))
			continue;
		map_put(&done, MAP_PTR(outputs[i]), w);
		indent(w, depth + 1);
		name(w, outputs[i]);
		buf_puts(w->out, " = Identity (");
		print_value(w, b->last->operands[i].value);
		buf_puts(w->out, ")\n");
	}
	indent(w, depth);
	buf_puts(w->out, "}");
	return true;
}

static bool print_graph(Writer *w, const Block *b, const Str *title, int depth)
{
	const Func *f = b->parent ? NULL : b->func;
	size_t before = w->taken.len;
	const Str **outputs = output_names(w, b, f ? f->result_names : NULL);
	name(w, title && title->len ? title : str(w->c, "graph"));
	if (!print_signature(w, b, outputs, f) || !print_initializers(w, b) || !print_body(w, b, outputs, depth))
		return false;
	for (; b->parent && w->taken.len > before; w->taken.len--)
		map_put(&w->used, MAP_PTR(w->taken.data[w->taken.len - 1]), NULL);
	return true;
}

/* ---- the model ---- */

static bool header_entry(Writer *w, const char *key, const Attr *a, bool first)
{
	if (a->kind != ATTR_INT && a->kind != ATTR_STR && a->kind != ATTR_DICT)
		return false;
	buf_printf(w->out, "%s%s: ", first ? "" : ", ", key);
	if (a->kind == ATTR_INT)
		buf_printf(w->out, "%lld", (long long)a->u.i);
	else if (a->kind == ATTR_STR)
		quoted(w, a->u.str);
	for (size_t i = 0; a->kind == ATTR_DICT && i < a->u.list.n; i++) {
		const Attr *v = a->u.list.v[i];
		buf_puts(w->out, i ? ", " : "[");
		quoted(w, a->u.list.names[i]);
		buf_puts(w->out, " : ");
		if (v->kind == ATTR_STR)
			quoted(w, v->u.str);
		else
			buf_printf(w->out, "%lld", (long long)(v->kind == ATTR_INT ? v->u.i : 0));
	}
	buf_puts(w->out, a->kind != ATTR_DICT ? "" : a->u.list.n ? "]" : "[]");
	return true;
}

static void print_header(Writer *w, const NamedAttr *list, size_t n, bool function)
{
	static const char *const keys[] = { "ir_version", "opset_imports", "producer_name", "producer_version", "domain",
		"model_version", "doc_string", "metadata_props", "overload" };
	bool first = true;
	buf_puts(w->out, "<");
	for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
		const Attr *a = named_attr(list, n, str(w->c, keys[k]));
		if (k == 0 && !a && !function)
			a = attr_int(w->c, 8);
		if (a && header_entry(w, k == 1 ? "opset_import" : keys[k], a, first))
			first = false;
	}
	buf_puts(w->out, ">\n");
}

static void start_function(Writer *w)
{
	map_init(&w->used, w->arena);
	w->taken.len = 0;
	w->next = 0;
	w->user = NULL;
}

/* <alpha, beta : float = 1.0> */
static bool print_attributes(Writer *w, const Func *f)
{
	const Attr *plain = named_attr(f->attrs, f->nattrs, str(w->c, "attribute"));
	const Attr *with = named_attr(f->attrs, f->nattrs, str(w->c, "attribute_proto"));
	bool any = false;
	for (size_t i = 0; plain && plain->kind == ATTR_STRS && i < plain->u.strs.n; i++) {
		buf_puts(w->out, any ? ", " : " <");
		any = true;
		name(w, plain->u.strs.v[i]);
	}
	for (size_t i = 0; with && with->kind == ATTR_LIST && i < with->u.list.n; i++) {
		WireAttr a = { 0 };
		const Attr *wire = with->u.list.v[i];
		if (wire->kind != ATTR_WIRE || !wire_read(w->c, w->arena, wire->u.str, &a) || !a.value)
			return unsupported(w, "a default of a function's attribute that is no number, text, or list of these");
		buf_puts(w->out, any ? ", " : " <");
		any = true;
		if (!print_attr(w, &(NamedAttr){ a.name, a.value }))
			return false;
	}
	buf_puts(w->out, any ? ">" : "");
	return true;
}

static bool print_function(Writer *w, const Func *f)
{
	const Attr *title = named_attr(f->attrs, f->nattrs, str(w->c, "name"));
	const Op *end = f->body->last;
	start_function(w);
	buf_puts(w->out, "\n");
	print_header(w, f->attrs, f->nattrs, true);
	name(w, title && title->kind == ATTR_STR ? title->u.str : f->name);
	if (!print_attributes(w, f))
		return false;
	buf_puts(w->out, " (");
	const Str **outputs = output_names(w, f->body, f->result_names);
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		buf_puts(w->out, i ? ", " : "");
		name_value(w, f->body->args[i]);
		print_value(w, f->body->args[i]);
	}
	buf_puts(w->out, ") => (");
	for (size_t i = 0; i < end->noperands; i++) {
		buf_puts(w->out, i ? ", " : "");
		name(w, outputs[i] ? outputs[i] : end->operands[i].value->name);
	}
	buf_puts(w->out, ")");
	if (!print_body(w, f->body, outputs, 0))
		return false;
	buf_puts(w->out, "\n");
	return true;
}

static bool print_model(Writer *w)
{
	const Func *main = w->m->main;
	if (!main || !main->body->last || !op_is(main->body->last, OP_return))
		return unsupported(w, "a module without a main function");
	w->names = NEW_ARRAY(w->arena, const Str *, w->m->next_value + 1u);
	start_function(w);
	print_header(w, w->m->attrs, w->m->nattrs, false);
	if (!print_graph(w, main->body, main->body->name, 0))
		return false;
	buf_puts(w->out, "\n");
	for (const Func *f = w->m->funcs; f; f = f->next)
		if (f->is_library && !print_function(w, f))
			return false;
	return true;
}

bool onnxtext_write(Module *m, const char *path, const WriteOptions *o)
{
	Buf b = { 0 };
	Writer w = { .m = m, .c = m->ctx, .arena = arena_new(), .out = &b, .all_large = o && o->external_data,
		.threshold = o && o->external_threshold > 0 ? (size_t)o->external_threshold : 1024 };
	if (out_has_place(path))
		w.data_path = arena_printf(w.arena, "%s.data", path);
	bool ok = print_model(&w);
	if (w.data && !ok)
		out_discard(w.data);
	else if (w.data)
		ok = out_commit(w.data, &m->ctx->diags);
	OutFile *file = ok ? out_open(path, &m->ctx->diags) : NULL;
	ok = file != NULL;
	if (ok) {
		out_write(file, b.data, b.len);
		ok = out_commit(file, &m->ctx->diags);
	}
	buf_free(&b);
	arena_free(w.arena);
	return ok;
}

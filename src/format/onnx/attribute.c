#include "onnx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* More attributes than any operator has; bounds the time that checks for repeated names take. */
#define MAX_ATTRS 4096

/* Fields of an AttributeProto, unparsed. */
typedef struct Parts {
	Bytes msg;
	const Str *name;
	int64_t type;
	uint32_t present;       /* bit for each OnnxAttrType whose field occurs */
	bool is_reference;
	Bytes ref;
	float f;
	int64_t i;
	Bytes s, t, g, tp;
	Ints ints;
	VEC(double) floats;
	VEC(const Str *) strings;
	VEC(Bytes) graphs, tensors, types;
	Left left;
} Parts;

static const char *const type_names[AT_COUNT] = {
	"UNDEFINED", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS", "TENSORS", "GRAPHS",
	"SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"
};

/* Attribute type that a field belongs to. */
static OnnxAttrType field_type(uint32_t number)
{
	switch (number) {
	case ATTRIBUTE_f: return AT_FLOAT;
	case ATTRIBUTE_i: return AT_INT;
	case ATTRIBUTE_s: return AT_STRING;
	case ATTRIBUTE_t: return AT_TENSOR;
	case ATTRIBUTE_g: return AT_GRAPH;
	case ATTRIBUTE_floats: return AT_FLOATS;
	case ATTRIBUTE_ints: return AT_INTS;
	case ATTRIBUTE_strings: return AT_STRINGS;
	case ATTRIBUTE_tensors: return AT_TENSORS;
	case ATTRIBUTE_graphs: return AT_GRAPHS;
	case ATTRIBUTE_tp: return AT_TYPE_PROTO;
	case ATTRIBUTE_type_protos: return AT_TYPE_PROTOS;
	case ATTRIBUTE_sparse_tensor: return AT_SPARSE_TENSOR;
	case ATTRIBUTE_sparse_tensors: return AT_SPARSE_TENSORS;
	default: return AT_UNDEFINED;
	}
}

static void add_floats(Reader *r, Parts *p, const Field *f)
{
	Field one = { 0 };
	if (f->wire != WIRE_BYTES) {
		VEC_PUSH(r->scratch, &p->floats, field_float(f));
		return;
	}
	for (size_t i = 0; i + 4 <= f->bytes.len; i += 4) {
		const uint8_t *b = f->bytes.data + i;
		one.value = (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24;
		VEC_PUSH(r->scratch, &p->floats, field_float(&one));
	}
}

static void scan_field(Reader *r, Parts *p, const Field *f)
{
	switch (f->number) {
	case ATTRIBUTE_name: p->name = reader_str(r, f->bytes); break;
	case ATTRIBUTE_type: p->type = field_int(f); break;
	case ATTRIBUTE_ref_attr_name:
		p->ref = f->bytes;
		p->is_reference = f->bytes.len != 0;
		break;
	case ATTRIBUTE_f: p->f = field_float(f); break;
	case ATTRIBUTE_i: p->i = field_int(f); break;
	case ATTRIBUTE_s: p->s = f->bytes; break;
	case ATTRIBUTE_t: p->t = f->bytes; break;
	case ATTRIBUTE_g: p->g = f->bytes; break;
	case ATTRIBUTE_tp: p->tp = f->bytes; break;
	case ATTRIBUTE_ints: ints_add(r, &p->ints, f); break;
	case ATTRIBUTE_floats: add_floats(r, p, f); break;
	case ATTRIBUTE_strings: VEC_PUSH(r->scratch, &p->strings, reader_str(r, f->bytes)); break;
	case ATTRIBUTE_graphs: VEC_PUSH(r->scratch, &p->graphs, f->bytes); break;
	case ATTRIBUTE_tensors: VEC_PUSH(r->scratch, &p->tensors, f->bytes); break;
	case ATTRIBUTE_type_protos: VEC_PUSH(r->scratch, &p->types, f->bytes); break;
	case ATTRIBUTE_sparse_tensor:
	case ATTRIBUTE_sparse_tensors: break;
	default: left_add(r, &p->left, f->whole);
	}
	if (field_type(f->number))
		p->present |= 1u << field_type(f->number);
}

/* Attributes of the first IR version carry no type; then the field that is there tells. A stray field of another type is
 * an error, as nobody can know which one is meant; scalar zeros that some writers always emit are not. */
static bool settle_type(Reader *r, Parts *p, const char *what)
{
	if (p->type < 0 || p->type >= AT_COUNT)
		return reader_error(r, HONE_BAD_INPUT, p->msg.data, what, "attribute %s: type %" PRId64 " does not exist",
			p->name->s, p->type);
	if (p->type == AT_UNDEFINED) {
		if (p->present == 0 || (p->present & (p->present - 1)))
			return reader_error(r, HONE_BAD_INPUT, p->msg.data, what, "attribute %s has no type and %s", p->name->s,
				p->present ? "several values" : "no value");
		p->type = __builtin_ctz(p->present);
	}
	uint32_t stray = p->present & ~(1u << p->type);
	if (p->i == 0)
		stray &= ~(1u << AT_INT);
	if (p->f == 0)
		stray &= ~(1u << AT_FLOAT);
	if (p->s.len == 0)
		stray &= ~(1u << AT_STRING);
	if (stray)
		return reader_error(r, HONE_BAD_INPUT, p->msg.data, what, "attribute %s says type %s, but holds a %s",
			p->name->s, type_names[p->type], type_names[__builtin_ctz(stray)]);
	bool needs_value = p->type == AT_TENSOR || p->type == AT_GRAPH || p->type == AT_SPARSE_TENSOR ||
		p->type == AT_TYPE_PROTO;
	if (needs_value && !(p->present & 1u << p->type))
		return reader_error(r, HONE_BAD_INPUT, p->msg.data, what, "attribute %s of type %s has no value", p->name->s,
			type_names[p->type]);
	return true;
}

/* name: of the attribute, with the place in a list in brackets. */
static bool read_tensor(Reader *r, Bytes msg, const char *name, const char *what, AttrList *out, const Attr **value)
{
	TensorMsg t;
	const char *where = arena_printf(r->scratch, "%s, attribute %s", what, name);
	if (!tensor_msg_read(r, msg, where, &t))
		return false;
	*value = t.value;
	if (t.name) {
		Wire *w = wire_new(r->scratch);
		wire_str(w, TENSOR_name, t.name);
		left_add(r, &t.left, (Bytes){ w->bytes.data, w->bytes.len });
	}
	meta_put(r, &out->meta, arena_printf(r->scratch, "tensor.%s", name), left_attr(r, &t.left));
	return true;
}

/* Tensors, or types, as a list. An empty one is kept as it is, for nothing else tells of what it is a list, and so are very long
 * ones: what each tensor has beside its data would be too many entries for a node. */
static bool read_list(Reader *r, const Parts *p, const char *what, AttrList *out, const Attr **value)
{
	bool tensors = p->type == AT_TENSORS;
	size_t n = tensors ? p->tensors.len : p->types.len;
	if (n == 0 || n > MAX_ATTRS) {
		*value = attr_wire(r->c, p->msg);
		return true;
	}
	const Attr **v = NEW_ARRAY(r->scratch, const Attr *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const char *name = arena_printf(r->scratch, "%s[%zu]", p->name->s, i);
		const Type *type;
		if (tensors ? !read_tensor(r, p->tensors.data[i], name, what, out, &v[i]) : !type_msg_read(r, p->types.data[i], what, &type))
			return false;
		if (!tensors)
			v[i] = attr_type(r->c, type);
	}
	*value = attr_make(r->c, (Attr){ .kind = ATTR_LIST, .u.list = { v, NULL, n } });
	return true;
}

static bool check_sparse(Reader *r, Bytes msg, const char *what)
{
	Cursor c = cursor_of(msg);
	Field f;
	const Str *name;
	const Type *type;
	const Attr *dense;
	while (field_next(&c, &f))
		if ((f.number == ATTRIBUTE_sparse_tensor || f.number == ATTRIBUTE_sparse_tensors) &&
			!sparse_msg_read(r, f.bytes, what, &name, &type, &dense))
			return false;
	return true;
}

/* One of several graphs is known by the name of the attribute and its place in brackets. */
static bool add_graphs(Reader *r, const Parts *p, const char *what, AttrList *out)
{
	if (memchr(p->name->s, '[', p->name->len))
		return reader_error(r, HONE_UNSUPPORTED, p->msg.data, what, "graph attribute %s: a bracket in the name",
			reader_quote(r, str_bytes(p->name)));
	if (p->type == AT_GRAPH)
		VEC_PUSH(r->scratch, &out->graphs, ((GraphAttr){ p->name, p->g }));
	for (size_t i = 0; i < p->graphs.len; i++)
		VEC_PUSH(r->scratch, &out->graphs, ((GraphAttr){ str_fmt(r->c, "%s[%zu]", p->name->s, i), p->graphs.data[i] }));
	return true;
}

/* The value of one attribute, NULL when it is (or has become) nested graphs. */
static bool read_value(Reader *r, Parts *p, const char *what, AttrList *out, const Attr **value)
{
	Context *c = r->c;
	const Type *type;
	*value = NULL;
	switch ((OnnxAttrType)p->type) {
	case AT_FLOAT:
		*value = attr_float(c, p->f);
		return true;
	case AT_INT:
		*value = attr_int(c, p->i);
		return true;
	case AT_STRING:
		*value = attr_str(c, reader_str(r, p->s));
		return true;
	case AT_TENSOR:
		return read_tensor(r, p->t, p->name->s, what, out, value);
	case AT_TENSORS:
	case AT_TYPE_PROTOS:
		return read_list(r, p, what, out, value);
	case AT_FLOATS:
		*value = attr_floats(c, p->floats.data, p->floats.len);
		return true;
	case AT_INTS:
		*value = attr_ints(c, p->ints.data, p->ints.len);
		return true;
	case AT_STRINGS:
		*value = attr_strs(c, p->strings.data, p->strings.len);
		return true;
	case AT_TYPE_PROTO:
		if (!type_msg_read(r, p->tp, what, &type))
			return false;
		*value = attr_type(c, type);
		return true;
	case AT_GRAPHS:
		if (p->graphs.len == 0) {
			*value = attr_wire(c, p->msg);
			return true;
		}
		return add_graphs(r, p, what, out);
	case AT_GRAPH:
		return add_graphs(r, p, what, out);
	default: /* sparse tensors: kept as they are */
		if (!check_sparse(r, p->msg, what))
			return false;
		*value = attr_wire(c, p->msg);
		return true;
	}
}

static bool check_name(Reader *r, const Parts *p, const char *what, const AttrList *out)
{
	if (!p->name || p->name->len == 0)
		return reader_error(r, HONE_BAD_INPUT, p->msg.data, what, "attribute without a name");
	if (memchr(p->name->s, 0, p->name->len))
		return reader_error(r, HONE_BAD_INPUT, p->msg.data, what, "attribute with a zero byte in its name");
	for (size_t i = 0; i < out->names.len; i++)
		if (out->names.data[i] == p->name)
			return reader_error(r, HONE_BAD_INPUT, p->msg.data, what, "attribute %s occurs twice",
				reader_quote(r, str_bytes(p->name)));
	if (out->names.len >= MAX_ATTRS)
		return reader_error(r, HONE_LIMIT, p->msg.data, what, "more than %d attributes", MAX_ATTRS);
	return true;
}

bool attribute_read(Reader *r, Bytes msg, const char *what, AttrList *out)
{
	Parts p = { .msg = msg };
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f))
		scan_field(r, &p, &f);
	if (!check_name(r, &p, what, out))
		return false;
	VEC_PUSH(r->scratch, &out->names, p.name);
	const Attr *value;
	if (p.is_reference) {
		if (!r->in_function)
			return reader_error(r, HONE_BAD_INPUT, msg.data, what, "attribute %s refers to %s, but this is not a function",
				p.name->s, reader_quote(r, p.ref));
		value = attr_wire(r->c, msg);
	} else if (!settle_type(r, &p, what) || !read_value(r, &p, what, out, &value)) {
		return false;
	}
	if (value)
		VEC_PUSH(r->scratch, &out->attrs, ((NamedAttr){ p.name, value }));
	if (value == NULL || value->kind != ATTR_WIRE)
		meta_put(r, &out->meta, arena_printf(r->scratch, "attribute.%s", p.name->s), left_attr(r, &p.left));
	return true;
}

#include "onnxtext.h"

#include <string.h>

/* AttributeProto messages, in which the protobuf reader keeps what has no other form: references of nodes inside functions to
 * the function's attributes, and defaults of those attributes. */

enum { FIELD_NAME = 1, FIELD_FLOAT = 2, FIELD_INT = 3, FIELD_STRING = 4, FIELD_FLOATS = 7, FIELD_INTS = 8, FIELD_STRINGS = 9,
	FIELD_TYPE = 20, FIELD_REF = 21, TENSOR_NAME = 8 };
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* By number of AttributeProto.AttributeType. */
static const char *const kinds[] = { "", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings",
	"tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos" };
enum { KIND_FLOAT = 1, KIND_INT = 2, KIND_STRING = 3, KIND_FLOATS = 6, KIND_INTS = 7, KIND_STRINGS = 8 };

const char *wire_kind_name(uint64_t type)
{
	return type > 0 && type < ARRAY_LEN(kinds) ? kinds[type] : NULL;
}

uint64_t wire_kind(const char *name)
{
	uint64_t type = 0;
	for (size_t i = 1; i < ARRAY_LEN(kinds); i++)
		type = !strcmp(name, kinds[i]) ? i : type;
	return type;
}

/* ---- writing ---- */

static void put_varint(Buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_put(b, (uint8_t[]){ (uint8_t)(v | 0x80) }, 1);
	buf_put(b, (uint8_t[]){ (uint8_t)v }, 1);
}

static void put_int(Buf *b, uint32_t field, uint64_t v)
{
	put_varint(b, field << 3 | WIRE_VARINT);
	put_varint(b, v);
}

static void put_text(Buf *b, uint32_t field, const Str *s)
{
	put_varint(b, field << 3 | WIRE_BYTES);
	put_varint(b, s->len);
	buf_put(b, s->s, s->len);
}

static void put_float(Buf *b, uint32_t field, double x)
{
	float f = (float)x;
	put_varint(b, field << 3 | WIRE_32);
	buf_put(b, &f, sizeof f);
}

static const Attr *finish(Context *c, Buf *b)
{
	const Attr *a = attr_make(c, (Attr){ .kind = ATTR_WIRE, .u.str = str_n(c, b->data, b->len) });
	buf_free(b);
	return a;
}

const Attr *wire_reference(Context *c, const Str *name, uint64_t type, const Str *ref)
{
	Buf b = { 0 };
	put_text(&b, FIELD_NAME, name);
	put_int(&b, FIELD_TYPE, type);
	put_text(&b, FIELD_REF, ref);
	return finish(c, &b);
}

const Attr *wire_empty(Context *c, const Str *name, uint64_t type)
{
	Buf b = { 0 };
	put_text(&b, FIELD_NAME, name);
	put_int(&b, FIELD_TYPE, type);
	return finish(c, &b);
}

const Attr *wire_of_tensor_name(Context *c, const Str *name)
{
	Buf b = { 0 };
	put_text(&b, TENSOR_NAME, name);
	return finish(c, &b);
}

const Attr *wire_value(Context *c, const Str *name, const Attr *v)
{
	Buf b = { 0 };
	uint64_t type = 0;
	put_text(&b, FIELD_NAME, name);
	switch (v->kind) {
	case ATTR_FLOAT:
		type = KIND_FLOAT;
		put_float(&b, FIELD_FLOAT, v->u.f);
		break;
	case ATTR_INT:
		type = KIND_INT;
		put_int(&b, FIELD_INT, (uint64_t)v->u.i);
		break;
	case ATTR_STR:
		type = KIND_STRING;
		put_text(&b, FIELD_STRING, v->u.str);
		break;
	case ATTR_FLOATS:
		type = KIND_FLOATS;
		for (size_t i = 0; i < v->u.floats.n; i++)
			put_float(&b, FIELD_FLOATS, v->u.floats.v[i]);
		break;
	case ATTR_INTS:
		type = KIND_INTS;
		for (size_t i = 0; i < v->u.ints.n; i++)
			put_int(&b, FIELD_INTS, (uint64_t)v->u.ints.v[i]);
		break;
	case ATTR_STRS:
		type = KIND_STRINGS;
		for (size_t i = 0; i < v->u.strs.n; i++)
			put_text(&b, FIELD_STRINGS, v->u.strs.v[i]);
		break;
	default:
		buf_free(&b);
		return NULL;
	}
	put_int(&b, FIELD_TYPE, type);
	return finish(c, &b);
}

/* ---- reading ---- */

typedef struct Field {
	uint32_t number, wire;
	uint64_t value;      /* of a varint; the bits of a fixed one */
	const uint8_t *at;   /* of bytes */
	size_t len;
} Field;

static bool get_varint(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
	*v = 0;
	for (int shift = 0; shift < 64 && *p < end; shift += 7) {
		uint8_t byte = *(*p)++;
		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* The next field; false at the end or where the message is broken. */
static bool get_field(const uint8_t **p, const uint8_t *end, Field *f)
{
	uint64_t key;
	*f = (Field){ 0 };
	if (!get_varint(p, end, &key))
		return false;
	f->number = (uint32_t)(key >> 3);
	f->wire = key & 7;
	if (f->wire == WIRE_VARINT)
		return get_varint(p, end, &f->value);
	size_t left = (size_t)(end - *p), n = f->wire == WIRE_32 ? 4 : f->wire == WIRE_64 ? 8 : 0;
	if (f->wire == WIRE_BYTES) {
		uint64_t len;
		if (!get_varint(p, end, &len) || len > (size_t)(end - *p))
			return false;
		f->at = *p;
		f->len = (size_t)len;
		*p += f->len;
		return true;
	}
	if (!n || left < n)
		return false;
	memcpy(&f->value, *p, n);
	*p += n;
	return true;
}

const Str *wire_tensor_name(Context *c, const Attr *kept)
{
	Field f;
	if (!kept || kept->kind != ATTR_WIRE)
		return NULL;
	const uint8_t *p = (const uint8_t *)kept->u.str->s, *end = p + kept->u.str->len;
	while (p < end && get_field(&p, end, &f))
		if (f.number == TENSOR_NAME && f.wire == WIRE_BYTES)
			return str_n(c, (const char *)f.at, f.len);
	return NULL;
}

static double float_of(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float x;
	memcpy(&x, &low, sizeof x);
	return x;
}

/* Values of a list of numbers, each a field of its own or all packed in one. */
typedef struct Lists {
	VEC(double) floats;
	VEC(int64_t) ints;
	VEC(const Str *) strs;
} Lists;

static void add_packed(Arena *a, Lists *l, const Field *f)
{
	const uint8_t *p = f->at, *end = f->at + f->len;
	uint64_t v;
	if (f->number == FIELD_FLOATS)
		for (; end - p >= 4; p += 4) {
			uint32_t bits;
			memcpy(&bits, p, sizeof bits);
			VEC_PUSH(a, &l->floats, float_of(bits));
		}
	else
		while (p < end && get_varint(&p, end, &v))
			VEC_PUSH(a, &l->ints, (int64_t)v);
}

static const Attr *value_of(Context *c, uint64_t type, const Field *single, const Lists *l)
{
	switch (type) {
	case KIND_FLOAT: return attr_float(c, float_of(single->value));
	case KIND_INT: return attr_int(c, (int64_t)single->value);
	case KIND_STRING: return attr_str(c, str_n(c, (const char *)single->at, single->len));
	case KIND_FLOATS: return attr_floats(c, l->floats.data, l->floats.len);
	case KIND_INTS: return attr_ints(c, l->ints.data, l->ints.len);
	case KIND_STRINGS: return attr_strs(c, l->strs.data, l->strs.len);
	default: return NULL;
	}
}

bool wire_read(Context *c, Arena *a, const Str *bytes, WireAttr *out)
{
	const uint8_t *p = (const uint8_t *)bytes->s, *end = p + bytes->len;
	Field f, single = { 0 };
	Lists l = { 0 };
	*out = (WireAttr){ 0 };
	while (p < end) {
		if (!get_field(&p, end, &f))
			return false;
		switch (f.number) {
		case FIELD_NAME: out->name = str_n(c, (const char *)f.at, f.len); break;
		case FIELD_TYPE: out->type = f.value; break;
		case FIELD_REF: out->ref = str_n(c, (const char *)f.at, f.len); break;
		case FIELD_FLOAT: case FIELD_INT: case FIELD_STRING: single = f; break;
		case FIELD_STRINGS: VEC_PUSH(a, &l.strs, str_n(c, (const char *)f.at, f.len)); break;
		case FIELD_FLOATS: case FIELD_INTS:
			if (f.wire == WIRE_BYTES)
				add_packed(a, &l, &f);
			else if (f.number == FIELD_FLOATS)
				VEC_PUSH(a, &l.floats, float_of(f.value));
			else
				VEC_PUSH(a, &l.ints, (int64_t)f.value);
			break;
		default: break;
		}
	}
	if (!out->ref)
		out->value = value_of(c, out->type, &single, &l);
	return out->name != NULL;
}

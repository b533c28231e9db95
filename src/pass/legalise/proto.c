#include "legalise_int.h"

#include <string.h>

/* ---- attributes of functions, as the reader keeps them: AttributeProto fields ---- */

typedef struct ProtoField {
	uint32_t number;
	uint32_t wire;
	uint64_t value;
	const char *data;
	size_t len;
} ProtoField;

static bool proto_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t b = *(*at)++;
		*out |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

static bool proto_next(const uint8_t **at, const uint8_t *end, ProtoField *f)
{
	uint64_t tag;
	size_t fixed;
	if (*at >= end || !proto_varint(at, end, &tag))
		return false;
	f->number = (uint32_t)(tag >> 3);
	f->wire = (uint32_t)(tag & 7);
	f->value = 0;
	switch (f->wire) {
	case 0:
		return proto_varint(at, end, &f->value);
	case 1:
	case 5:
		fixed = f->wire == 1 ? 8 : 4;
		if ((size_t)(end - *at) < fixed)
			return false;
		for (size_t i = 0; i < fixed; i++)
			f->value |= (uint64_t)(*at)[i] << (8 * i);
		*at += fixed;
		return true;
	case 2:
		if (!proto_varint(at, end, &f->value) || f->value > (size_t)(end - *at))
			return false;
		f->data = (const char *)*at;
		f->len = (size_t)f->value;
		*at += f->len;
		return true;
	default:
		return false;
	}
}

enum { ATTR_name = 1, ATTR_f = 2, ATTR_i = 3, ATTR_s = 4, ATTR_floats = 7, ATTR_ints = 8, ATTR_strings = 9, ATTR_type = 20,
	ATTR_ref = 21 };
enum { TYPE_FLOAT = 1, TYPE_INT = 2, TYPE_STRING = 3, TYPE_FLOATS = 6, TYPE_INTS = 7, TYPE_STRINGS = 8 };

static double float_of_bits(uint64_t bits)
{
	uint32_t b = (uint32_t)bits;
	float f;
	memcpy(&f, &b, sizeof f);
	return f;
}

typedef VEC(uint64_t) Numbers;

/* A repeated number field: one element, or packed. */
static void proto_numbers(Arena *a, const ProtoField *f, uint32_t wire, Numbers *v)
{
	if (f->wire != 2) {
		VEC_PUSH(a, v, f->value);
		return;
	}
	const uint8_t *at = (const uint8_t *)f->data, *end = at + f->len;
	uint64_t x;
	if (wire == 0)
		while (at < end && proto_varint(&at, end, &x))
			VEC_PUSH(a, v, x);
	for (; wire == 5 && end - at >= 4; at += 4)
		VEC_PUSH(a, v, (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24);
}

/* Numbers, texts and lists of them, and references. */
ProtoAttr proto_attr(Context *c, Arena *a, const Str *bytes)
{
	ProtoAttr out = { 0 };
	const uint8_t *at = (const uint8_t *)bytes->s, *end = at + bytes->len;
	ProtoField f = { 0 };
	Numbers numbers = { 0 };
	VEC(const Str *) strings = { 0 };
	const Str *s = c->empty;
	uint64_t type = 0, i = 0, bits = 0;
	while (proto_next(&at, end, &f)) {
		switch (f.number) {
		case ATTR_name: out.name = str_n(c, f.data, f.len); break;
		case ATTR_ref: out.ref = str_n(c, f.data, f.len); break;
		case ATTR_type: type = f.value; break;
		case ATTR_f: bits = f.value; break;
		case ATTR_i: i = f.value; break;
		case ATTR_s: s = str_n(c, f.data, f.len); break;
		case ATTR_floats: proto_numbers(a, &f, 5, &numbers); break;
		case ATTR_ints: proto_numbers(a, &f, 0, &numbers); break;
		case ATTR_strings: VEC_PUSH(a, &strings, str_n(c, f.data, f.len)); break;
		default: break;
		}
	}
	double *floats = NEW_ARRAY(a, double, numbers.len + 1);
	for (size_t k = 0; k < numbers.len; k++)
		floats[k] = float_of_bits(numbers.data[k]);
	switch (type) {
	case TYPE_FLOAT: out.value = attr_float(c, float_of_bits(bits)); break;
	case TYPE_INT: out.value = attr_int(c, (int64_t)i); break;
	case TYPE_STRING: out.value = attr_str(c, s); break;
	case TYPE_FLOATS: out.value = attr_floats(c, floats, numbers.len); break;
	case TYPE_INTS: out.value = attr_ints(c, (const int64_t *)numbers.data, numbers.len); break;
	case TYPE_STRINGS: out.value = attr_strs(c, strings.data, strings.len); break;
	default: break;
	}
	return out;
}

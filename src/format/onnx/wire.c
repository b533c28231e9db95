#include "onnx.h"

#include <string.h>

/* ---- reading ---- */

static WireFault varint_read(Cursor *c, uint64_t *out)
{
	uint64_t v = 0;
	for (int shift = 0; shift < 70; shift += 7) {
		if (c->at == c->end)
			return WIRE_CUT;
		uint8_t b = *c->at++;
		if (shift == 63 && b > 1)
			return WIRE_LONG_VARINT;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*out = v;
			return WIRE_OK;
		}
	}
	return WIRE_LONG_VARINT;
}

static WireFault fixed_read(Cursor *c, size_t n, uint64_t *out)
{
	if ((size_t)(c->end - c->at) < n)
		return WIRE_CUT;
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)c->at[i] << (8 * i);
	c->at += n;
	*out = v;
	return WIRE_OK;
}

/* Steps to behind the end tag of group `number`. */
static WireFault group_skip(Cursor *c, uint32_t number, int depth)
{
	if (depth <= 0)
		return WIRE_DEEP;
	for (;;) {
		Cursor before = *c;
		uint64_t tag;
		if (c->at == c->end)
			return WIRE_CUT;
		WireFault fault = varint_read(c, &tag);
		if (fault)
			return fault;
		if ((tag & 7) == WIRE_GROUP_END)
			return tag >> 3 == number ? WIRE_OK : WIRE_STRAY_END;
		*c = before;
		Field inner;
		fault = field_read(c, &inner, depth - 1);
		if (fault)
			return fault == WIRE_END ? WIRE_CUT : fault;
	}
}

WireFault field_read(Cursor *c, Field *f, int depth)
{
	if (c->at == c->end)
		return WIRE_END;
	const uint8_t *start = c->at;
	uint64_t tag;
	WireFault fault = varint_read(c, &tag);
	if (fault)
		return fault;
	if (tag >> 3 == 0)
		return WIRE_FIELD_ZERO;
	if (tag >> 3 > 0x1fffffff)
		return WIRE_LONG_VARINT;
	*f = (Field){ .number = (uint32_t)(tag >> 3), .wire = (WireType)(tag & 7) };
	switch (tag & 7) {
	case WIRE_VARINT:
		fault = varint_read(c, &f->value);
		break;
	case WIRE_FIXED64:
		fault = fixed_read(c, 8, &f->value);
		break;
	case WIRE_FIXED32:
		fault = fixed_read(c, 4, &f->value);
		break;
	case WIRE_BYTES:
		fault = varint_read(c, &f->value);
		if (!fault && f->value > (uint64_t)(c->end - c->at))
			fault = WIRE_LONG_FIELD;
		if (!fault) {
			f->bytes = (Bytes){ c->at, (size_t)f->value };
			c->at += f->value;
		}
		break;
	case WIRE_GROUP:
		fault = group_skip(c, f->number, depth);
		break;
	case WIRE_GROUP_END:
		fault = WIRE_STRAY_END;
		break;
	default:
		fault = WIRE_BAD_TYPE;
	}
	f->whole = (Bytes){ start, (size_t)(c->at - start) };
	return fault;
}

#define MAX_GROUP_DEPTH 100

bool field_next(Cursor *c, Field *f)
{
	return field_read(c, f, MAX_GROUP_DEPTH) == WIRE_OK;
}

bool varint_next(Cursor *c, uint64_t *out)
{
	return c->at != c->end && varint_read(c, out) == WIRE_OK;
}

size_t varint_count(Bytes packed)
{
	size_t n = 0;
	for (size_t i = 0; i < packed.len; i++)
		n += packed.data[i] < 0x80;
	return n;
}

float field_float(const Field *f)
{
	uint32_t bits = (uint32_t)f->value;
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* ---- writing ---- */

Wire *wire_new(Arena *a)
{
	Wire *w = NEW(a, Wire);
	w->arena = a;
	return w;
}

void wire_put(Wire *w, const void *p, size_t n)
{
	if (n == 0)
		return;
	VEC_RESERVE(w->arena, &w->bytes, w->bytes.len + n);
	memcpy(w->bytes.data + w->bytes.len, p, n);
	w->bytes.len += n;
}

void wire_varint(Wire *w, uint64_t v)
{
	uint8_t b[10];
	size_t n = 0;
	while (v >= 0x80) {
		b[n++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	b[n++] = (uint8_t)v;
	wire_put(w, b, n);
}

void wire_tag(Wire *w, uint32_t number, WireType t)
{
	wire_varint(w, (uint64_t)number << 3 | (uint64_t)t);
}

void wire_int(Wire *w, uint32_t number, int64_t v)
{
	wire_tag(w, number, WIRE_VARINT);
	wire_varint(w, (uint64_t)v);
}

static void put_float(Wire *w, float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	uint8_t b[4] = { (uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24) };
	wire_put(w, b, sizeof b);
}

void wire_float(Wire *w, uint32_t number, float v)
{
	wire_tag(w, number, WIRE_FIXED32);
	put_float(w, v);
}

void wire_bytes(Wire *w, uint32_t number, const void *p, size_t n)
{
	wire_tag(w, number, WIRE_BYTES);
	wire_varint(w, n);
	wire_put(w, p, n);
}

void wire_str(Wire *w, uint32_t number, const Str *s)
{
	wire_bytes(w, number, s->s, s->len);
}

void wire_text(Wire *w, uint32_t number, const char *s)
{
	wire_bytes(w, number, s, strlen(s));
}

void wire_append(Wire *w, const Wire *child)
{
	for (size_t i = 0; i < child->splices.len; i++) {
		Splice s = child->splices.data[i];
		s.at += w->bytes.len;
		VEC_PUSH(w->arena, &w->splices, s);
	}
	w->spliced += child->spliced;
	wire_put(w, child->bytes.data, child->bytes.len);
}

void wire_message(Wire *w, uint32_t number, const Wire *child)
{
	wire_tag(w, number, WIRE_BYTES);
	wire_varint(w, wire_size(child));
	wire_append(w, child);
}

void wire_splice(Wire *w, uint32_t number, const Splice *s)
{
	wire_tag(w, number, WIRE_BYTES);
	wire_varint(w, s->len);
	Splice here = *s;
	here.at = w->bytes.len;
	VEC_PUSH(w->arena, &w->splices, here);
	w->spliced += s->len;
}

static bool write_splat(const Splice *s, OutFile *o)
{
	uint8_t block[4096];
	size_t whole = sizeof block / s->unit_len * s->unit_len;
	for (size_t i = 0; i < whole; i += s->unit_len)
		memcpy(block + i, s->unit, s->unit_len);
	for (size_t left = s->len; left;) {
		size_t n = left < whole ? left : whole;
		if (!out_write(o, block, n))
			return false;
		left -= n;
	}
	return true;
}

bool splice_write(const Splice *s, OutFile *o)
{
	if (s->kind == SPLICE_SPLAT)
		return write_splat(s, o);
	if (s->blob->kind == BLOB_MAPPED)
		return out_copy(o, s->blob->file, s->blob->file_offset, s->len);
	return out_write(o, s->blob->data, s->len);
}

bool wire_write(const Wire *w, OutFile *o)
{
	size_t at = 0;
	for (size_t i = 0; i < w->splices.len; i++) {
		const Splice *s = &w->splices.data[i];
		if (!out_write(o, w->bytes.data + at, s->at - at) || !splice_write(s, o))
			return false;
		at = s->at;
	}
	return w->bytes.len == at || out_write(o, w->bytes.data + at, w->bytes.len - at);
}

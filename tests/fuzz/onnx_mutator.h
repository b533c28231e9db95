/* onnx_mutator: how libFuzzer changes an ONNX model: fields of the messages that the schema knows, so that most changes get
 * past the checks of the wire format. For the one source file of a fuzz target. */
#ifndef HONE_ONNX_MUTATOR_H
#define HONE_ONNX_MUTATOR_H

#include "format/onnx/onnx.h"

#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

#define MAX_PARTS 256

typedef struct Parts {
	Field f[MAX_PARTS];
	size_t n;
} Parts;

static void put_varint(Buf *b, uint64_t v)
{
	do {
		uint8_t byte = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		buf_put(b, &byte, 1);
		v >>= 7;
	} while (v);
}

static void put_bytes(Buf *b, uint32_t number, const void *p, size_t n)
{
	put_varint(b, (uint64_t)number << 3 | WIRE_BYTES);
	put_varint(b, n);
	buf_put(b, p, n);
}

static void put_field(Buf *b, const Field *f)
{
	buf_put(b, f->whole.data, f->whole.len);
}

static void put_number(Buf *b, const Field *f, Rng *r)
{
	static const int64_t interesting[] = { 0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 13, 16, 17, 22, 64, 127, 128, 255, 256, 65536,
		INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, -1, (int64_t)1 << 32, (int64_t)1 << 62 };
	int64_t v = (int64_t)f->value;
	switch (rng_below(r, 3)) {
	case 0: v = (int64_t)((uint64_t)v + (uint64_t)(rng_below(r, 5) - 2)); break;
	case 1: v = interesting[rng_below(r, (int64_t)ARRAY_LEN(interesting))]; break;
	default: v ^= (int64_t)1 << rng_below(r, 63);
	}
	put_varint(b, (uint64_t)f->number << 3 | WIRE_VARINT);
	put_varint(b, (uint64_t)v);
}

/* Names matter most: take the text of another field, or change a byte or the length. */
static void put_text(Buf *b, const Field *f, const Parts *p, Rng *r)
{
	const Field *other = &p->f[rng_below(r, (int64_t)p->n)];
	size_t n = f->bytes.len;
	if (other->wire == WIRE_BYTES && rng_below(r, 2)) {
		put_bytes(b, f->number, other->bytes.data, other->bytes.len);
		return;
	}
	uint8_t *copy = mem_alloc(n + 9);
	if (n)
		memcpy(copy, f->bytes.data, n);
	memset(copy + n, 'a', 9);
	if (n && rng_below(r, 2))
		copy[rng_below(r, (int64_t)n)] ^= (uint8_t)(1u << rng_below(r, 8));
	else
		n = (size_t)rng_below(r, (int64_t)n + 9);
	put_bytes(b, f->number, copy, n);
	mem_free(copy);
}

static void mutate_message(MessageKind k, Bytes msg, Buf *out, Rng *r);

static void mutate_field(MessageKind k, const Parts *p, size_t i, Buf *out, Rng *r)
{
	const Field *f = &p->f[i];
	const FieldDef *d = field_def(k, f->number);
	if (d && d->kind == FIELD_MESSAGE && rng_below(r, 8)) {
		Buf inner = { 0 };
		mutate_message(d->message, f->bytes, &inner, r);
		put_bytes(out, f->number, inner.data, inner.len);
		buf_free(&inner);
		return;
	}
	switch (rng_below(r, 6)) {
	case 0: /* gone */
		break;
	case 1: /* twice */
		put_field(out, f);
		put_field(out, f);
		break;
	case 2: /* another one instead, under this number */
		if (f->wire == WIRE_BYTES && p->f[(i + 1) % p->n].wire == WIRE_BYTES)
			put_bytes(out, f->number, p->f[(i + 1) % p->n].bytes.data, p->f[(i + 1) % p->n].bytes.len);
		break;
	default:
		if (f->wire == WIRE_VARINT)
			put_number(out, f, r);
		else if (f->wire == WIRE_BYTES)
			put_text(out, f, p, r);
		else
			put_field(out, f);
	}
}

static void mutate_message(MessageKind k, Bytes msg, Buf *out, Rng *r)
{
	Parts *p = mem_zalloc(sizeof *p);
	Cursor c = cursor_of(msg);
	while (p->n < MAX_PARTS && field_next(&c, &p->f[p->n]))
		p->n++;
	size_t at = p->n ? (size_t)rng_below(r, (int64_t)p->n) : 0;
	size_t swap = p->n && rng_below(r, 8) == 0 ? (size_t)rng_below(r, (int64_t)p->n) : at;
	for (size_t i = 0; i < p->n; i++) {
		if (swap != at && (i == at || i == swap))
			put_field(out, &p->f[i == at ? swap : at]);
		else if (i == at)
			mutate_field(k, p, i, out, r);
		else
			put_field(out, &p->f[i]);
	}
	const FieldDef *fields = message_def(k)->fields;
	size_t nfields = 0;
	while (fields[nfields].name)
		nfields++;
	if (rng_below(r, 6) == 0 && nfields) { /* a field that may not be there yet */
		const FieldDef *d = &fields[rng_below(r, (int64_t)nfields)];
		Field f = { .number = d->number, .wire = d->kind == FIELD_INT || d->kind == FIELD_INTS ? WIRE_VARINT : WIRE_BYTES };
		if (f.wire == WIRE_VARINT)
			put_number(out, &f, r);
		else
			put_bytes(out, f.number, "x", 1);
	}
	mem_free(p);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	Rng r = { seed };
	Buf out = { 0 };
	if (LLVMFuzzerMutate && rng_below(&r, 16) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	for (int64_t i = rng_below(&r, 3); i >= 0; i--) {
		Buf next = { 0 };
		Bytes from = out.data ? (Bytes){ (const uint8_t *)out.data, out.len } : (Bytes){ data, size };
		mutate_message(MSG_MODEL, from, &next, &r);
		buf_free(&out);
		out = next;
	}
	size_t n = out.len < max_size ? out.len : max_size;
	if (n)
		memcpy(data, out.data, n);
	buf_free(&out);
	return n;
}

#endif

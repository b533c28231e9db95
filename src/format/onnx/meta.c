#include "onnx.h"

#include <stdio.h>
#include <string.h>

Loc reader_loc(const Reader *r, const void *at, const char *what)
{
	Loc l = { .file = r->path, .offset = -1, .what = what ? str(r->c, what)->s : NULL };
	const uint8_t *p = at;
	if (p >= r->file->data && p <= r->file->data + r->file->len)
		l.offset = p - r->file->data;
	return l;
}

bool reader_error(Reader *r, HoneStatus status, const void *at, const char *what, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(r->scratch, fmt, ap);
	va_end(ap);
	Loc loc = reader_loc(r, at, NULL);
	return what ? diag_error(r->d, status, &loc, "%s: %s", what, text)
	            : diag_error(r->d, status, &loc, "%s", text);
}

const char *reader_quote(Reader *r, Bytes b)
{
	return quote(r->scratch, (const char *)b.data, b.len);
}

void meta_put(Reader *r, MetaList *l, const char *name, const Attr *v)
{
	if (!v)
		return;
	const Str *s = str(r->c, name);
	for (size_t i = 0; i < l->len; i++)
		if (l->data[i].name == s) {
			l->data[i].value = v;
			return;
		}
	VEC_PUSH(r->scratch, l, ((NamedAttr){ s, v }));
}

void meta_str(Reader *r, MetaList *l, const char *name, Bytes text)
{
	meta_put(r, l, name, attr_str(r->c, reader_str(r, text)));
}

void left_add(Reader *r, Left *l, Bytes field)
{
	VEC_RESERVE(r->scratch, l, l->len + field.len);
	memcpy(l->data + l->len, field.data, field.len);
	l->len += field.len;
}

void ints_add(Reader *r, Ints *v, const Field *f)
{
	Cursor c = cursor_of(f->bytes);
	uint64_t x;
	if (f->wire == WIRE_VARINT)
		VEC_PUSH(r->scratch, v, field_int(f));
	else
		while (varint_next(&c, &x))
			VEC_PUSH(r->scratch, v, (int64_t)x);
}

const Attr *attr_wire(Context *c, Bytes b)
{
	return attr_make(c, (Attr){ .kind = ATTR_WIRE, .u.str = str_n(c, (const char *)b.data, b.len) });
}

const Attr *left_attr(Reader *r, const Left *l)
{
	return l->len ? attr_wire(r->c, (Bytes){ l->data, l->len }) : NULL;
}

bool pairs_add(Reader *r, Pairs *p, Bytes entry)
{
	Cursor c = cursor_of(entry);
	Field f;
	Bytes key = { 0 }, value = { 0 };
	int keys = 0, values = 0;
	while (field_next(&c, &f)) {
		if (f.number == PAIR_key) {
			key = f.bytes;
			keys++;
		} else if (f.number == PAIR_value) {
			value = f.bytes;
			values++;
		} else {
			return false;
		}
	}
	if (keys != 1 || values != 1)
		return false;
	VEC_PUSH(r->scratch, &p->keys, reader_str(r, key));
	VEC_PUSH(r->scratch, &p->values, attr_str(r->c, reader_str(r, value)));
	return true;
}

const Attr *pairs_attr(Reader *r, const Pairs *p)
{
	if (!p->keys.len)
		return NULL;
	return attr_make(r->c, (Attr){ .kind = ATTR_DICT, .u.list = { p->values.data, p->keys.data, p->keys.len } });
}

static bool comes_before(const Str *a, const Str *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int d = memcmp(a->s, b->s, n);
	return d ? d < 0 : a->len < b->len;
}

void meta_finish(Reader *r, MetaList *l, NamedAttr **out, uint16_t *n)
{
	for (size_t i = 1; i < l->len; i++)
		for (size_t k = i; k > 0 && comes_before(l->data[k].name, l->data[k - 1].name); k--) {
			NamedAttr t = l->data[k];
			l->data[k] = l->data[k - 1];
			l->data[k - 1] = t;
		}
	CHECK(l->len <= UINT16_MAX);
	*n = (uint16_t)l->len;
	*out = l->len ? arena_dup(r->m->arena, l->data, l->len * sizeof *l->data) : NULL;
}

NamedAttr *meta_terminated(Reader *r, MetaList *l)
{
	uint16_t n;
	NamedAttr *sorted;
	meta_finish(r, l, &sorted, &n);
	if (n == 0)
		return NULL;
	NamedAttr *t = NEW_ARRAY(r->m->arena, NamedAttr, n + 1u);
	memcpy(t, sorted, n * sizeof *t);
	return t;
}

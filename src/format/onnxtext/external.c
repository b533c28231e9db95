#include "onnxtext.h"
#include "format/sha1.h"

#include <string.h>
#include <strings.h>

/* Data beside the text: `float[2] W = ["location": "w.bin", "offset": "0", "length": "8"]`, the entries of a TensorProto. */

/* ---- reading ---- */

typedef struct Place {
	const Str *location, *offset, *length, *checksum;
} Place;

static bool parse_place(Text *t, Place *out)
{
	if (!text_expect(t, "["))
		return false;
	for (bool first = true; !text_accept(t, "]"); first = false) {
		const Str *key, *value;
		if ((!first && !text_expect(t, ",")) || !text_string(t, &key) || !text_expect(t, ":") || !text_string(t, &value))
			return false;
		const Str **slot = !strcmp(key->s, "location") ? &out->location : !strcmp(key->s, "offset") ? &out->offset
			: !strcmp(key->s, "length") ? &out->length : !strcmp(key->s, "checksum") ? &out->checksum : NULL;
		if (slot && *slot)
			return text_error(t, "external data: key %s twice", key->s);
		if (slot)
			*slot = value;
	}
	return (out->location && out->location->len && strlen(out->location->s) == out->location->len) ||
		text_error(t, "external data: no location");
}

static bool number(Text *t, const Str *s, const char *key, size_t absent, uint64_t *out)
{
	enum { DIGITS = 19 };
	*out = absent;
	if (!s)
		return true;
	if (!s->len || s->len > DIGITS || strspn(s->s, "0123456789") != s->len)
		return text_error(t, "external data: %s is %s, expected a decimal number", key, quote(t->scratch, s->s, s->len));
	*out = 0;
	for (uint32_t i = 0; i < s->len; i++)
		*out = *out * 10 + (uint64_t)(s->s[i] - '0');
	return true;
}

static MappedFile *open_file(Text *t, const Str *location)
{
	MappedFile *f = map_get(&t->externals, MAP_PTR(location));
	if (f)
		return f;
	if (!t->data_dir)
		return text_error(t, "external data %s, but the text has no directory: name one with --data-dir",
			quote(t->scratch, location->s, location->len)), NULL;
	if (t->anywhere)
		f = file_map(location->s[0] == '/' ? location->s : path_join(t->scratch, t->data_dir, location->s), &t->c->diags);
	else
		f = file_map_beneath(t->data_dir, location->s, &t->c->diags);
	if (f)
		map_put(&t->externals, MAP_PTR(location), f);
	return f;
}

static bool check_sum(Text *t, const MappedFile *f, const Place *x)
{
	enum { DIGITS = 40 };
	char have[DIGITS + 1];
	if (!x->checksum || map_has(&t->summed, MAP_PTR(f)))
		return true;
	map_put(&t->summed, MAP_PTR(f), t);
	sha1_text((Bytes){ f->data, f->len }, have);
	return !strcasecmp(have, x->checksum->s) || text_error(t, "external data: the SHA1 digest of %s is %s, the text says %s",
		quote(t->scratch, x->location->s, x->location->len), have, x->checksum->s);
}

const Attr *text_external(Text *t, const Type *type, const Str *name)
{
	Place x = { 0 };
	int64_t n;
	size_t need;
	uint64_t offset, length;
	if (!parse_place(t, &x))
		return NULL;
	if (type->kind != TYPE_TENSOR || type->dtype == DT_STR || !type_static_numel(type, &n) ||
			!dtype_packed_bytes(type->dtype, n, &need))
		return text_error(t, "external data need a tensor type of numbers with known sizes"), NULL;
	if (!number(t, x.offset, "offset", 0, &offset) || !number(t, x.length, "length", need, &length))
		return NULL;
	if (length != need)
		return text_error(t, "external data: length is %llu, the shape of %s needs %zu bytes", (unsigned long long)length,
			quote(t->scratch, name->s, name->len), need), NULL;
	MappedFile *f = open_file(t, x.location);
	if (!f || !check_sum(t, f, &x))
		return NULL;
	if (offset > f->len || need > f->len - offset)
		return text_error(t, "external data: bytes %llu to %llu lie past the end of %s (%zu bytes)", (unsigned long long)offset,
			(unsigned long long)(offset + need), quote(t->scratch, x.location->s, x.location->len), f->len), NULL;
	Blob *b = blob_mapped(t->c, f, (size_t)offset, need);
	b->external = x.location;
	return attr_tensor(t->c, type, b);
}

void text_close_files(Text *t)
{
	for (uint32_t i = 0; i < t->externals.len; i++)
		file_unref(t->externals.entries[i].value);
}

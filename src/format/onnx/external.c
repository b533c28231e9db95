#include "onnx.h"
#include "format/sha1.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

bool external_entry(Reader *r, Bytes pair, const char *what, ExternalRef *x)
{
	Cursor c = cursor_of(pair);
	Field f;
	Bytes key = { 0 }, value = { 0 };
	while (field_next(&c, &f)) {
		if (f.number == PAIR_key)
			key = f.bytes;
		else if (f.number == PAIR_value)
			value = f.bytes;
	}
	const Str *k = reader_str(r, key), *v = reader_str(r, value);
	const Str **slot = NULL;
	if (strcmp(k->s, "location") == 0)
		slot = &x->location;
	else if (strcmp(k->s, "offset") == 0)
		slot = &x->offset;
	else if (strcmp(k->s, "length") == 0)
		slot = &x->length;
	else if (strcmp(k->s, "checksum") == 0)
		slot = &x->checksum;
	x->used = true;
	if (slot && *slot)
		return reader_error(r, HONE_BAD_INPUT, pair.data, what, "external data: key %s twice", k->s);
	if (slot) {
		*slot = v;
	} else if (!r->warned_key && strcmp(k->s, "basepath") != 0) {
		Loc loc = reader_loc(r, pair.data, what);
		diag_warn(r->d, &loc, "external data: unknown key %s is ignored", reader_quote(r, key));
		r->warned_key = true;
	}
	return true;
}

/* Digits only: no sign, space, exponent or base prefix. */
static bool parse_size(const Str *s, uint64_t *out)
{
	uint64_t v = 0;
	if (s->len == 0 || s->len > 19)
		return false;
	for (uint32_t i = 0; i < s->len; i++) {
		if (s->s[i] < '0' || s->s[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(s->s[i] - '0');
	}
	*out = v;
	return v <= INT64_MAX;
}

static bool number_entry(Reader *r, const Str *text, const char *key, const char *what, const Loc *loc, uint64_t *out)
{
	if (!text || parse_size(text, out))
		return true;
	return diag_error(r->d, HONE_BAD_INPUT, loc, "%s: external data: %s is %s, expected a decimal number", what, key,
		reader_quote(r, str_bytes(text)));
}

static MappedFile *open_file(Reader *r, const Str *location, const char *what, const Loc *loc)
{
	MappedFile *f = map_get(&r->externals, MAP_PTR(location));
	if (f)
		return f;
	if (!location || location->len == 0 || strlen(location->s) != location->len) {
		diag_error(r->d, HONE_BAD_INPUT, loc, "%s: external data: %s", what,
			!location || location->len == 0 ? "no location" : "location with a NUL byte");
		return NULL;
	}
	if (!r->data_dir) {
		diag_error(r->d, HONE_BAD_INPUT, loc, "%s: external data %s, but the model has no directory", what,
			reader_quote(r, str_bytes(location)));
		diag_hint(r->d, "name the directory of the data, or read the model from a file");
		return NULL;
	}
	if (r->o->allow_external_dir) {
		const char *path = location->s[0] == '/' ? location->s : path_join(r->scratch, r->data_dir, location->s);
		f = file_map(path, r->d);
	} else {
		f = file_map_beneath(r->data_dir, location->s, r->d);
	}
	if (!f) {
		diag_note(r->d, loc, "%s has its data there", what);
		return NULL;
	}
	map_put(&r->externals, MAP_PTR(location), f);
	return f;
}

/* The entry is the SHA1 digest of the whole file, in hexadecimal. A file is summed once. */
static bool check_sum(Reader *r, const ExternalRef *x, MappedFile *f, const char *what, const Loc *loc)
{
	enum { DIGITS = 40 };
	const Str *want = x->checksum;
	const char *name = quote(r->scratch, x->location->s, x->location->len);
	if (!want)
		return true;
	if (want->len != DIGITS || strspn(want->s, "0123456789abcdefABCDEF") != DIGITS) {
		if (!r->warned_sum)
			diag_warn(r->d, loc, "%s: external data: checksum %s of %s is no SHA1 digest of 40 digits and is not checked", what,
				quote(r->scratch, want->s, want->len), name);
		r->warned_sum = true;
		return true;
	}
	char *have = map_get(&r->sums, MAP_PTR(f));
	if (!have) {
		have = arena_alloc(r->scratch, DIGITS + 1);
		sha1_text((Bytes){ f->data, f->len }, have);
		map_put(&r->sums, MAP_PTR(f), have);
	}
	if (!strcasecmp(have, want->s))
		return true;
	diag_error(r->d, HONE_BAD_INPUT, loc, "%s: external data: the SHA1 digest of %s is %s, the model says %s", what, name, have,
		want->s);
	diag_hint(r->d, "the file is damaged or belongs to another model; without the entry \"checksum\" it is not checked");
	return false;
}

Blob *external_blob(Reader *r, const ExternalRef *x, size_t need, const char *what, const Loc *loc)
{
	uint64_t offset = 0, length = need;
	Diags *d = r->d;
	if (!number_entry(r, x->offset, "offset", what, loc, &offset) ||
		!number_entry(r, x->length, "length", what, loc, &length))
		return NULL;
	if (length != need) {
		diag_error(d, HONE_BAD_INPUT, loc, "%s: external data: length is %" PRIu64 ", the shape needs %zu bytes", what,
			length, need);
		return NULL;
	}
	MappedFile *f = open_file(r, x->location, what, loc);
	if (!f)
		return NULL;
	if (offset > f->len || need > f->len - offset) {
		diag_error(d, HONE_BAD_INPUT, loc,
			"%s: external data: bytes %" PRIu64 " to %" PRIu64 " lie past the end of %s (%zu bytes)", what, offset,
			offset + need, quote(r->scratch, x->location->s, x->location->len), f->len);
		return NULL;
	}
	if (!check_sum(r, x, f, what, loc))
		return NULL;
	Blob *b = blob_mapped(r->c, f, (size_t)offset, need);
	b->external = x->location;
	return b;
}

/* The header of a .npy file: magic, version, length, and a Python dictionary literal with three keys.
 * Only the plain form that numpy writes is read: no expression is evaluated and nothing is unpickled. */
#include "format/tensor/tensor_int.h"

#include <string.h>

enum {
	MAGIC_BYTES = 6,
	HEADER_LIMIT = 64 << 10 /* numpy refuses more than 10,000 without being told; no plain header comes near */
};

static const struct {
	const char *descr;
	DType dtype;
} descrs[] = {
	{"|b1", DT_BOOL}, {"|i1", DT_I8}, {"<i2", DT_I16}, {"<i4", DT_I32}, {"<i8", DT_I64}, {"|u1", DT_U8},
	{"<u2", DT_U16}, {"<u4", DT_U32}, {"<u8", DT_U64}, {"<f2", DT_F16}, {"<f4", DT_F32}, {"<f8", DT_F64},
	{"<c8", DT_C64}, {"<c16", DT_C128},
};

const char *npy_descr(DType d)
{
	for (size_t i = 0; i < ARRAY_LEN(descrs); i++)
		if (descrs[i].dtype == d)
			return descrs[i].descr;
	return NULL;
}

/* A cursor over the dictionary text; positions are byte offsets in the file. */
typedef struct Cursor {
	const uint8_t *data;
	size_t at, end;
	const char *file;
	Diags *diags;
} Cursor;

static bool error_at(Cursor *c, size_t at, HoneStatus status, const char *message)
{
	Loc loc = {.file = c->file, .offset = (int64_t)at};
	return diag_error(c->diags, status, &loc, "npy: %s at byte %zu", message, at);
}

static bool not_plain(Cursor *c)
{
	return error_at(c, c->at, HONE_BAD_INPUT, "header is not a plain dictionary");
}

static void skip_blanks(Cursor *c)
{
	while (c->at < c->end && (c->data[c->at] == ' ' || (c->data[c->at] >= '\t' && c->data[c->at] <= '\r')))
		c->at++;
}

/* Skips blanks, then takes `ch` when it is next. */
static bool take(Cursor *c, char ch)
{
	skip_blanks(c);
	if (c->at == c->end || c->data[c->at] != (uint8_t)ch)
		return false;
	c->at++;
	return true;
}

static bool take_word(Cursor *c, const char *word)
{
	skip_blanks(c);
	size_t n = strlen(word);
	if (c->end - c->at < n || memcmp(c->data + c->at, word, n) != 0)
		return false;
	c->at += n;
	return true;
}

/* A quoted string without escapes. */
static bool take_string(Cursor *c, Bytes *out)
{
	skip_blanks(c);
	size_t start = c->at;
	if (start == c->end || (c->data[start] != '\'' && c->data[start] != '"'))
		return not_plain(c);
	uint8_t quote_char = c->data[start];
	for (c->at++; c->at < c->end; c->at++) {
		if (c->data[c->at] == quote_char) {
			*out = (Bytes){c->data + start + 1, c->at - start - 1};
			c->at++;
			return true;
		}
		if (c->data[c->at] == '\\' || c->data[c->at] < ' ' || c->data[c->at] > '~')
			break;
	}
	return not_plain(c);
}

static bool bytes_are(Bytes b, const char *text)
{
	return b.len == strlen(text) && memcmp(b.data, text, b.len) == 0;
}

/* A decimal dimension; Python 2's trailing L is allowed. */
static bool take_dim(Cursor *c, int64_t *out)
{
	skip_blanks(c);
	size_t start = c->at;
	if (start < c->end && c->data[start] == '-')
		return error_at(c, start, HONE_BAD_INPUT, "negative dimension");
	while (c->at < c->end && c->data[c->at] >= '0' && c->data[c->at] <= '9')
		c->at++;
	if (c->at == start)
		return not_plain(c);
	if (!parse_int64((const char *)c->data + start, c->at - start, out))
		return error_at(c, start, HONE_BAD_INPUT, "dimension out of range");
	if (c->at < c->end && c->data[c->at] == 'L')
		c->at++;
	return true;
}

/* A tuple of dimensions: (), (3,), (3, 4) or (3, 4,). */
static bool take_shape(Cursor *c, NpyHeader *h)
{
	if (!take(c, '('))
		return not_plain(c);
	h->rank = 0;
	bool comma = true;
	while (!take(c, ')')) {
		if (!comma)
			return not_plain(c);
		if (h->rank == MAX_RANK)
			return error_at(c, c->at, HONE_LIMIT, "more than 32 dimensions");
		if (!take_dim(c, &h->dims[h->rank]))
			return false;
		h->rank++;
		comma = take(c, ',');
	}
	if (h->rank == 1 && !comma)
		return not_plain(c); /* "(3)" is a number, not a tuple */
	return true;
}

/* The element type: byte order, kind, bytes. */
static bool take_descr(Cursor *c, NpyHeader *h)
{
	skip_blanks(c);
	size_t start = c->at;
	if (start < c->end && (c->data[start] == '[' || c->data[start] == '('))
		return error_at(c, start, HONE_UNSUPPORTED, "structured dtypes are not supported");
	Bytes text;
	if (!take_string(c, &text))
		return false;
	if (memchr(text.data, 'O', text.len) != NULL)
		return error_at(c, start, HONE_UNSUPPORTED, "pickled objects are never loaded; dtype object");
	char normal[8] = {0};
	if (text.len >= 3 && text.len < sizeof normal) {
		memcpy(normal, text.data, text.len);
		h->big_endian = normal[0] == '>';
		bool one_byte = normal[2] == '1' && normal[3] == '\0';
		/* One-byte types have no byte order; numpy writes '|' but reads any. */
		if (one_byte && (normal[0] == '<' || normal[0] == '>'))
			normal[0] = '|';
		else if (normal[0] == '>')
			normal[0] = '<';
		for (size_t i = 0; i < ARRAY_LEN(descrs); i++)
			if (strcmp(descrs[i].descr, normal) == 0) {
				h->dtype = descrs[i].dtype;
				return true;
			}
	}
	Loc loc = {.file = c->file, .offset = (int64_t)start};
	return diag_error(c->diags, HONE_UNSUPPORTED, &loc,
		"npy: unsupported dtype %s at byte %zu; expected bool, integers, f2, f4, f8, c8 or c16 with '<', '>' or '|'",
		quote(c->diags->arena, (const char *)text.data, text.len), start);
}

static bool take_order(Cursor *c, NpyHeader *h)
{
	if (take_word(c, "True"))
		h->fortran_order = true;
	else if (take_word(c, "False"))
		h->fortran_order = false;
	else
		return error_at(c, c->at, HONE_BAD_INPUT, "fortran_order is neither True nor False");
	return true;
}

/* {'descr': ..., 'fortran_order': ..., 'shape': ...} in any order, each key exactly once, then only blanks. */
static bool take_dictionary(Cursor *c, NpyHeader *h)
{
	static const char *const keys[] = {"descr", "fortran_order", "shape"};
	static bool (*const readers[])(Cursor *, NpyHeader *) = {take_descr, take_order, take_shape};
	bool seen[ARRAY_LEN(keys)] = {false};
	if (!take(c, '{'))
		return not_plain(c);
	bool comma = true;
	while (!take(c, '}')) {
		Bytes key;
		size_t i = 0;
		if (!comma)
			return not_plain(c);
		skip_blanks(c);
		size_t start = c->at;
		if (!take_string(c, &key))
			return false;
		while (i < ARRAY_LEN(keys) && !bytes_are(key, keys[i]))
			i++;
		if (i == ARRAY_LEN(keys))
			return error_at(c, start, HONE_BAD_INPUT, "unknown header key");
		if (seen[i])
			return error_at(c, start, HONE_BAD_INPUT, "duplicate header key");
		seen[i] = true;
		if (!take(c, ':'))
			return not_plain(c);
		if (!readers[i](c, h))
			return false;
		comma = take(c, ',');
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!seen[i]) {
			Loc loc = {.file = c->file, .offset = -1};
			return diag_error(c->diags, HONE_BAD_INPUT, &loc, "npy: header lacks the key '%s'", keys[i]);
		}
	skip_blanks(c);
	return c->at == c->end || not_plain(c);
}

static bool header_error(Diags *d, const char *file, HoneStatus status, const char *message)
{
	Loc loc = {.file = file, .offset = 0};
	return diag_error(d, status, &loc, "npy: %s", message);
}

bool npy_header_parse(Bytes b, const char *file, NpyHeader *out, Diags *d)
{
	if (b.len == 0)
		return header_error(d, file, HONE_BAD_INPUT, "the file is empty");
	if (b.len >= 4 && memcmp(b.data, "PK\3\4", 4) == 0)
		return header_error(d, file, HONE_BAD_INPUT, "this is a zip archive (.npz), not a .npy file");
	size_t known = b.len < MAGIC_BYTES ? b.len : MAGIC_BYTES;
	if (memcmp(b.data, "\x93NUMPY", known) != 0)
		return header_error(d, file, HONE_BAD_INPUT, "wrong magic bytes; expected \\x93NUMPY");
	if (b.len < MAGIC_BYTES + 4)
		return header_error(d, file, HONE_BAD_INPUT, "the file ends inside the first ten bytes");
	unsigned major = b.data[6], minor = b.data[7];
	if (major < 1 || major > 3 || minor != 0) {
		Loc loc = {.file = file, .offset = MAGIC_BYTES};
		return diag_error(d, HONE_UNSUPPORTED, &loc, "npy: format version %u.%u; expected 1.0, 2.0 or 3.0", major, minor);
	}
	size_t start = major == 1 ? 10 : 12;
	if (b.len < start)
		return header_error(d, file, HONE_BAD_INPUT, "the file ends inside the header length");
	size_t length = b.data[8] | (size_t)b.data[9] << 8;
	if (major > 1)
		length |= (size_t)b.data[10] << 16 | (size_t)b.data[11] << 24;
	Loc loc = {.file = file, .offset = 8};
	if (length > HEADER_LIMIT)
		return diag_error(d, HONE_LIMIT, &loc, "npy: header of %zu bytes; the limit is %d", length, HEADER_LIMIT);
	if (length > b.len - start)
		return diag_error(d, HONE_BAD_INPUT, &loc, "npy: header needs %zu bytes, %zu present", length, b.len - start);
	*out = (NpyHeader){.data_offset = start + length};
	Cursor c = {.data = b.data, .at = start, .end = start + length, .file = file, .diags = d};
	return take_dictionary(&c, out);
}

#include "mlirbc.h"

#include <string.h>

static void report(BcReader *r, HoneStatus status, const uint8_t *at, const char *fmt, va_list ap)
{
	Loc loc = { .file = str(r->c, r->file->path)->s, .offset = at ? (int64_t)(at - r->file->data) : -1 };
	diag_error(r->d, status, &loc, "%s", arena_vprintf(r->scratch, fmt, ap));
}

bool bc_error(BcReader *r, const uint8_t *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(r, HONE_BAD_INPUT, at, fmt, ap);
	va_end(ap);
	return false;
}

bool bc_fail(BcReader *r, HoneStatus status, const uint8_t *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(r, status, at, fmt, ap);
	va_end(ap);
	return false;
}

void cur_no_byte(Cursor *c)
{
	bc_error(c->r, c->p, "found the end of the data, expected a byte");
}

bool cur_long_varint(Cursor *c, uint64_t *out)
{
	uint8_t first = 0;
	if (!cur_byte(c, &first))
		return false;
	size_t more = first ? (size_t)__builtin_ctz(first) : 8;
	if (more > cur_left(c))
		return bc_error(c->r, c->p - 1, "found the end of the data in a number of %zu bytes", more + 1);
	uint64_t v = 0;
	memcpy(&v, c->p, more);
	c->p += more;
	if (more < 8) /* seven bits less for each byte, the bits of the first one below the others */
		v = (v << (7 - more)) | (uint64_t)(first >> (more + 1));
	*out = v;
	return true;
}

bool cur_peek(Cursor *c, uint64_t *out)
{
	size_t n = c->p < c->end ? *c->p ? (size_t)__builtin_ctz(*c->p) + 1 : 9 : 0;
	return n && n <= cur_left(c) && cur_varint(c, out);
}

bool cur_signed(Cursor *c, int64_t *out)
{
	uint64_t v;
	if (!cur_varint(c, &v))
		return false;
	*out = (int64_t)((v >> 1) ^ (~(v & 1) + 1));
	return true;
}

bool cur_bytes(Cursor *c, uint64_t n, Bytes *out)
{
	if (n > cur_left(c))
		return bc_error(c->r, c->p, "%llu bytes are needed, but only %zu remain", (unsigned long long)n, cur_left(c));
	*out = (Bytes){ c->p, (size_t)n };
	c->p += n;
	return true;
}

bool cur_blob(Cursor *c, Bytes *out)
{
	uint64_t n;
	return cur_varint(c, &n) && cur_bytes(c, n, out);
}

void cur_bad_count(Cursor *c, const uint8_t *at, const char *what, uint64_t n)
{
	bc_error(c->r, at, "%llu %s cannot stand in the %zu bytes that remain", (unsigned long long)n, what, cur_left(c));
}

void cur_bad_index(Cursor *c, const uint8_t *at, const char *what, size_t n, uint64_t v)
{
	bc_error(c->r, at, "number %llu of a %s is out of range, the file has %zu", (unsigned long long)v, what, n);
}

bool cur_string(Cursor *c, const Str **out)
{
	size_t i = 0;
	if (!cur_index(c, "string", c->r->nstrings, &i))
		return false;
	*out = c->r->strings[i];
	return true;
}

bool cur_ints(Cursor *c, int64_t **out, size_t *n)
{
	if (!cur_count(c, "integers", n))
		return false;
	*out = NEW_ARRAY(c->r->scratch, int64_t, *n);
	for (size_t i = 0; i < *n; i++)
		if (!cur_signed(c, &(*out)[i]))
			return false;
	return true;
}

bool cur_end(Cursor *c, const char *what)
{
	return c->p == c->end || bc_error(c->r, c->p, "%zu bytes follow the end of %s", cur_left(c), what);
}

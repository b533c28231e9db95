#include "mlir.h"

#include <string.h>

/* Lists of plain numbers, read character by character: what most long literals are. Nothing here reports an error: a literal
 * that is not plain, or wrong, is read again token by token, which knows what to say. */

typedef struct ListReader {
	const char *p, *end;
	Lexer *pass;           /* lets go of what lies behind */
	DType d;
	DTypeClass cls;
	size_t size;           /* bytes of an element */
	const int64_t *dims;
	int rank;
	uint8_t *out;
} ListReader;

static bool is_plain(char ch)
{
	return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '.' || ch == ',' ||
		ch == '-' || ch == '+' || ch == ' ' || ch == '\t' || ch == '\r';
}

/* A ">" behind "-" or before "=" is part of another token. */
bool list_skip(Lexer *l)
{
	enum { DEEPEST = 64 };
	Lexer at = *l;
	int depth = 0;
	for (; at.p < at.end; at.p++) {
		char ch = *at.p;
		if (is_plain(ch))
			continue;
		if (ch == '[' && depth < DEEPEST) {
			depth++;
		} else if (ch == ']' && depth > 0) {
			depth--;
		} else if (ch == '\n') {
			at.line++;
			at.line_start = at.p + 1;
			text_passed(&at, at.p);
		} else {
			break;
		}
	}
	if (at.p >= at.end || *at.p != '>' || depth > 0 || at.p[-1] == '-' || (at.p + 1 < at.end && at.p[1] == '='))
		return false;
	at.p++;
	*l = at;
	return true;
}

static void skip_blanks(ListReader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
		r->p++;
}

static bool take(ListReader *r, char ch)
{
	skip_blanks(r);
	if (r->p == r->end || *r->p != ch)
		return false;
	r->p++;
	return true;
}

static bool at_digit(const ListReader *r)
{
	return r->p < r->end && *r->p >= '0' && *r->p <= '9';
}

/* 0x7F: the bits of a float. */
static bool take_bits(ListReader *r, uint64_t *bits)
{
	int n = 0;
	*bits = 0;
	for (; r->p < r->end && hex_value(*r->p) >= 0 && n <= 16; r->p++, n++)
		*bits = *bits << 4 | (uint64_t)hex_value(*r->p);
	int width = dtype_bits(r->d);
	return n > 0 && n <= 16 && (width == 64 || *bits >> width == 0);
}

static bool skip_digits(ListReader *r)
{
	const char *start = r->p;
	while (at_digit(r))
		r->p++;
	return r->p > start;
}

/* A point makes a float; an exponent counts only behind one. */
static bool take_float(ListReader *r, double *out)
{
	const char *start = r->p;
	if (!skip_digits(r))
		return false;
	if (r->p < r->end && *r->p == '.') {
		r->p++;
		skip_digits(r);
		if (r->p < r->end && (*r->p | 0x20) == 'e') {
			r->p++;
			r->p += r->p < r->end && (*r->p == '-' || *r->p == '+');
			if (!skip_digits(r))
				return false;
		}
	}
	return parse_double(start, (size_t)(r->p - start), out);
}

static bool read_float(ListReader *r)
{
	uint64_t bits;
	double x;
	bool minus = r->p < r->end && *r->p == '-';
	r->p += minus;
	if (r->end - r->p > 2 && r->p[0] == '0' && r->p[1] == 'x') {
		r->p += 2;
		if (minus || !take_bits(r, &bits))
			return false;
	} else {
		if (!take_float(r, &x))
			return false;
		bits = double_to_bits(r->d, minus ? -x : x);
	}
	memcpy(r->out, &bits, r->size); /* little-endian machines only, as the blobs */
	return true;
}

/* As in MLIR, signless integers take the range of both readings. */
static bool read_int(ListReader *r)
{
	uint64_t v = 0;
	bool minus = r->p < r->end && *r->p == '-';
	r->p += minus;
	const char *start = r->p;
	for (; at_digit(r) && r->p - start < 18; r->p++)
		v = v * 10 + (uint64_t)(*r->p - '0');
	if (r->p == start)
		return false;
	uint64_t most = dtype_int_max(r->d), least = (uint64_t)-(dtype_int_min(r->d) + 1) + 1;
	if (dtype_class(r->d) == DC_INT && r->d != DT_I64)
		most = 2 * most + 1;
	if (minus ? v > least || dtype_int_min(r->d) == 0 : v > most)
		return false;
	int64_t x = (int64_t)(minus ? 0 - v : v);
	if (r->size == 8)
		memcpy(r->out, &x, 8);
	else
		dtype_store_i64(r->d, r->out, 1, &x);
	return true;
}

static bool read_bool(ListReader *r)
{
	int64_t v = r->end - r->p >= 4 && !memcmp(r->p, "true", 4);
	size_t n = v ? 4 : r->end - r->p >= 5 && !memcmp(r->p, "false", 5) ? 5 : 0;
	r->p += n;
	dtype_store_i64(r->d, r->out, 1, &v);
	return n > 0;
}

static bool ends_here(const ListReader *r)
{
	return r->p < r->end && (*r->p == ',' || *r->p == ']' || *r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r');
}

static bool read_element(ListReader *r)
{
	skip_blanks(r);
	bool ok = r->cls == DC_FLOAT ? read_float(r) : r->cls == DC_BOOL ? read_bool(r) : read_int(r);
	r->out += r->size;
	return ok && ends_here(r);
}

static bool read_dim(ListReader *r, int dim)
{
	if (!take(r, '['))
		return false;
	for (int64_t i = 0; i < r->dims[dim]; i++)
		if ((i > 0 && !take(r, ',')) || !(dim + 1 == r->rank ? read_element(r) : read_dim(r, dim + 1)))
			return false;
	text_passed(r->pass, r->p);
	return take(r, ']');
}

bool list_read(Lexer *pass, const char *s, const char *end, const Type *t, uint8_t *out)
{
	int64_t dims[MAX_RANK];
	ListReader r = { .p = s, .end = end, .pass = pass, .d = t->dtype, .cls = dtype_class(t->dtype),
		.size = dtype_size(t->dtype), .dims = dims, .rank = t->rank, .out = out };
	bool fits = r.cls == DC_FLOAT || r.cls == DC_BOOL || r.cls == DC_INT || r.cls == DC_UINT;
	if (!fits || t->rank < 1 || !type_static_dims(t, dims) || !read_dim(&r, 0))
		return false;
	skip_blanks(&r);
	return r.p == r.end;
}

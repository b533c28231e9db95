#include "write.h"
#include "ops/label.h"

#include <string.h>

/* ---- numbers ---- */

void put_byte(Buf *b, uint8_t v)
{
	buf_put(b, &v, 1);
}

/* See cur_varint: seven bits a byte, and the zeros at the low end of the first one say how many bytes follow. */
void put_varint(Buf *b, uint64_t v)
{
	uint8_t bytes[9] = { 0 };
	size_t n = 1;
	while (n < 9 && v >> (7 * n))
		n++;
	if (n == 9) {
		memcpy(bytes + 1, &v, sizeof v);
	} else {
		v = ((v << 1) | 1) << (n - 1);
		memcpy(bytes, &v, sizeof v);
	}
	buf_put(b, bytes, n);
}

void put_signed(Buf *b, int64_t v)
{
	put_varint(b, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

void put_flagged(Buf *b, uint64_t v, bool flag)
{
	put_varint(b, v << 1 | flag);
}

void put_bits(Buf *b, int width, uint64_t v)
{
	if (width < 64)
		v &= (UINT64_C(1) << width) - 1;
	if (width <= 8)
		put_byte(b, (uint8_t)v);
	else
		put_signed(b, (int64_t)v);
}

void put_double(Buf *b, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	put_bits(b, 64, bits);
}

void put_signed_list(Buf *b, const int64_t *v, size_t n)
{
	put_varint(b, n);
	for (size_t i = 0; i < n; i++)
		put_signed(b, v[i]);
}

/* ---- tables ---- */

/* The number of a key, `next` when it is new. */
static uint64_t number_of(Map *m, const void *key, uint64_t next, bool *is_new)
{
	void **slot = map_slot(m, MAP_PTR(key));
	*is_new = *slot == NULL;
	if (*is_new)
		*slot = (void *)(uintptr_t)(next + 1);
	return (uint64_t)(uintptr_t)*slot - 1;
}

uint64_t string_number(BcWriter *w, const Str *s)
{
	bool is_new;
	uint64_t n = number_of(&w->string_ids, s, w->strings.len, &is_new);
	if (is_new)
		VEC_PUSH(w->scratch, &w->strings, s);
	return n;
}

uint32_t dialect_number(BcWriter *w, const char *name, size_t len)
{
	bool is_new;
	const Str *s = str_n(w->c, name, len);
	uint64_t n = number_of(&w->dialect_ids, s, w->dialects.len, &is_new);
	if (is_new)
		VEC_PUSH(w->scratch, &w->dialects, s);
	return (uint32_t)n;
}

uint64_t op_name_number(BcWriter *w, const char *dialect, const char *name)
{
	bool is_new;
	const Str *full = str_fmt(w->c, "%s.%s", dialect, name);
	uint64_t n = number_of(&w->op_ids, full, w->ops.len, &is_new);
	if (is_new)
		VEC_PUSH(w->scratch, &w->ops, ((BcOpName){ dialect_number(w, dialect, strlen(dialect)),
			string_number(w, str(w->c, name)) }));
	return n;
}

static const Str *bytes_of(BcWriter *w, const Buf *b)
{
	return str_n(w->c, b->len ? b->data : "", b->len);
}

uint64_t properties_number(BcWriter *w, const Buf *b)
{
	bool is_new;
	const Str *s = bytes_of(w, b);
	uint64_t n = number_of(&w->property_ids, s, w->properties.len, &is_new);
	if (is_new)
		VEC_PUSH(w->scratch, &w->properties, s);
	return n;
}

uint64_t entry_number(BcWriter *w, BcTable *t, const char *dialect, bool custom, Buf *b)
{
	bool is_new;
	BcEntry e = { .bytes = bytes_of(w, b), .len = b->len, .dialect = dialect_number(w, dialect, strlen(dialect)),
		.custom = custom };
	size_t map = custom ? !strcmp(dialect, "vhlo") : 2; /* text begins with its dialect's name */
	uint64_t n = number_of(&t->by_bytes[map], e.bytes, t->list.len, &is_new);
	if (is_new)
		VEC_PUSH(w->scratch, &t->list, e);
	buf_free(b);
	*b = (Buf){ 0 };
	return n;
}

uint64_t tensor_number(BcWriter *w, const Attr *a, uint64_t len, Buf *b)
{
	BcEntry e = { .bytes = bytes_of(w, b), .tensor = a, .len = b->len + len, .dialect = dialect_number(w, "vhlo", 4),
		.custom = true };
	VEC_PUSH(w->scratch, &w->attrs.list, e);
	buf_free(b);
	*b = (Buf){ 0 };
	return w->attrs.list.len - 1;
}

/* ---- diagnostics ---- */

static const char *where(BcWriter *w)
{
	if (w->op)
		return op_label(w->scratch, w->op);
	return w->func ? arena_printf(w->scratch, "function %s: ", quote(w->scratch, w->func->name->s, w->func->name->len)) : "";
}

bool write_error(BcWriter *w, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(w->scratch, fmt, ap);
	va_end(ap);
	return diag_error(w->d, HONE_UNSUPPORTED, w->op ? w->op->loc : NULL, "%s%s", where(w), text);
}

bool write_needs(BcWriter *w, int version, const char *fmt, ...)
{
	va_list ap;
	if (version > w->need)
		w->need = version;
	if (version <= w->target || !w->chosen)
		return true;
	va_start(ap, fmt);
	const char *text = arena_vprintf(w->scratch, fmt, ap);
	va_end(ap);
	write_error(w, "%s needs StableHLO %d.%d.0 or later, the target is %d.%d.%d", text, version / 1000, version % 1000,
		w->target / 1000, w->target % 1000, w->patch);
	diag_hint(w->d, "without --stablehlo-version the lowest version that can hold the module is written");
	return false;
}

bool write_enter(BcWriter *w)
{
	if (w->depth == BC_MAX_DEPTH)
		return diag_error(w->d, HONE_LIMIT, w->op ? w->op->loc : NULL, "attributes, types or regions are nested deeper than %d "
			"levels", BC_MAX_DEPTH);
	w->depth++;
	return true;
}

void write_leave(BcWriter *w)
{
	w->depth--;
}

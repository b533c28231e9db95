/* FlatBuffers, as far as one schema needs them: tables, strings, and vectors of numbers, strings and tables.
 *
 * All numbers are little-endian. The buffer begins with the offset of the root table. A table begins with the signed
 * distance back to its vtable; the vtable is its own size, the table's size, and for each field of the schema where in the
 * table it stands, 0 when it is absent. References are unsigned distances forward, so nothing can contain itself; but two
 * may lead to one place, and a small buffer could stand for an endless tree: what is visited may not exceed what there is
 * room for. Vectors are a 32-bit count and elements, strings vectors of bytes with a NUL behind. */
#include "format/bundle/bundle.h"

#include <string.h>

enum { DEPTH_LIMIT = 64, VTABLE_HEAD = 4, WORD = 4 };
#define WRITE_LIMIT ((size_t)INT32_MAX)

typedef struct Flat {
	Bytes b;
	const char *file;
	Arena *arena;
	Diags *d;
	size_t left;    /* elements that may still be visited */
	int depth;
} Flat;

static bool fault(const Flat *f, size_t at, const char *what, const char *field)
{
	Loc loc = {.file = f->file, .offset = (int64_t)at};
	return diag_error(f->d, HONE_BAD_INPUT, &loc, "FlatBuffers: %s at byte %zu%s%s", what, at, field ? " in field " : "",
		field ? field : "");
}

static uint64_t get(const Flat *f, size_t at, size_t bytes)
{
	uint64_t v = 0;
	for (size_t i = bytes; i-- > 0;)
		v = v << 8 | f->b.data[at + i];
	return v;
}

static bool has(const Flat *f, size_t at, size_t bytes)
{
	return at <= f->b.len && bytes <= f->b.len - at;
}

/* Follows the reference at `at`. */
static bool follow(const Flat *f, size_t at, size_t *to, const char *field)
{
	if (!has(f, at, WORD))
		return fault(f, at, "a reference lies outside the file", field);
	uint64_t distance = get(f, at, WORD);
	if (distance < WORD || distance > f->b.len - at)
		return fault(f, at, "a reference leads outside the file", field);
	*to = at + (size_t)distance;
	return true;
}

/* A vector of elements of `bytes` each: where they start and how many. */
static bool vector(Flat *f, size_t at, size_t bytes, size_t *first, size_t *n, const char *field)
{
	if (!has(f, at, WORD))
		return fault(f, at, "a list lies outside the file", field);
	*n = (size_t)get(f, at, WORD);
	*first = at + WORD;
	if (*n > (f->b.len - *first) / bytes)
		return fault(f, at, "a list is longer than the file", field);
	if (*n > f->left)
		return fault(f, at, "lists overlap", field);
	f->left -= *n;
	return true;
}

static bool read_string(Flat *f, size_t at, Bytes *out, const char *field)
{
	size_t first, n, to;
	if (!follow(f, at, &to, field) || !vector(f, to, 1, &first, &n, field))
		return false;
	*out = (Bytes){f->b.data + first, n};
	return true;
}

static FlatTable *read_table(Flat *f, size_t at, const FlatField *schema);

static bool read_strings(Flat *f, size_t at, FlatValue *v, const char *field)
{
	size_t first, to;
	if (!follow(f, at, &to, field) || !vector(f, to, WORD, &first, &v->n, field))
		return false;
	Bytes *list = NEW_ARRAY(f->arena, Bytes, v->n + 1);
	v->strings = list;
	for (size_t i = 0; i < v->n; i++)
		if (!read_string(f, first + i * WORD, &list[i], field))
			return false;
	return true;
}

static bool read_tables(Flat *f, size_t at, const FlatField *field, FlatValue *v)
{
	size_t first, to;
	if (!follow(f, at, &to, field->name))
		return false;
	first = at;
	v->n = 1;
	if (field->kind == FLAT_TABLES && !vector(f, to, WORD, &first, &v->n, field->name))
		return false;
	v->tables = NEW_ARRAY(f->arena, FlatTable *, v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		if (!follow(f, first + i * WORD, &to, field->name))
			return false;
		v->tables[i] = read_table(f, to, field->of);
		if (!v->tables[i])
			return false;
	}
	return true;
}

static bool read_field(Flat *f, size_t at, const FlatField *field, FlatValue *v)
{
	size_t first, to;
	v->present = true;
	switch (field->kind) {
	case FLAT_NUMBER:
		if (!has(f, at, field->bytes))
			return fault(f, at, "a number lies outside the file", field->name);
		v->number = get(f, at, field->bytes);
		return true;
	case FLAT_STRING:
		return read_string(f, at, &v->bytes, field->name);
	case FLAT_NUMBERS:
		if (!follow(f, at, &to, field->name) || !vector(f, to, field->bytes, &first, &v->n, field->name))
			return false;
		v->bytes = (Bytes){f->b.data + first, v->n * field->bytes};
		return true;
	case FLAT_STRINGS:
		return read_strings(f, at, v, field->name);
	default:
		return read_tables(f, at, field, v);
	}
}

static size_t field_count(const FlatField *schema)
{
	size_t n = 0;
	while (schema[n].kind != FLAT_END)
		n++;
	return n;
}

/* Where the vtable is, checked to lie in the file; NULL-free: false + diagnostic. */
static bool find_vtable(const Flat *f, size_t at, size_t *vtable, size_t *slots)
{
	if (!has(f, at, WORD))
		return fault(f, at, "a table lies outside the file", NULL);
	int64_t back = (int32_t)(uint32_t)get(f, at, WORD), where = (int64_t)at - back;
	if (where < 0 || !has(f, (size_t)where, VTABLE_HEAD))
		return fault(f, at, "the layout of a table lies outside the file", NULL);
	*vtable = (size_t)where;
	size_t bytes = (size_t)get(f, *vtable, 2);
	if (bytes < VTABLE_HEAD || bytes % 2 || !has(f, *vtable, bytes))
		return fault(f, *vtable, "the layout of a table is malformed", NULL);
	*slots = (bytes - VTABLE_HEAD) / 2;
	return true;
}

static FlatTable *read_table(Flat *f, size_t at, const FlatField *schema)
{
	size_t vtable = 0, slots = 0, n = field_count(schema);
	if (f->depth >= DEPTH_LIMIT || !f->left) {
		fault(f, at, f->left ? "tables are nested too deep" : "tables overlap", NULL);
		return NULL;
	}
	f->left--;
	if (!find_vtable(f, at, &vtable, &slots))
		return NULL;
	FlatTable *t = NEW(f->arena, FlatTable);
	*t = (FlatTable){.fields = schema, .nfields = n, .values = NEW_ARRAY(f->arena, FlatValue, n + 1)};
	f->depth++;
	bool ok = true;
	for (size_t i = 0; ok && i < n && i < slots; i++) {
		size_t offset = (size_t)get(f, vtable + VTABLE_HEAD + 2 * i, 2);
		if (offset && !has(f, at, offset))
			ok = fault(f, at, "a field lies outside the file", schema[i].name);
		else if (offset)
			ok = read_field(f, at + offset, &schema[i], &t->values[i]);
	}
	f->depth--;
	return ok ? t : NULL;
}

FlatTable *flat_read(Bytes b, const FlatField *schema, const char *file, Arena *a, Diags *d)
{
	Flat f = {.b = b, .file = file, .arena = a, .d = d, .left = b.len};
	size_t root;
	return follow(&f, 0, &root, NULL) ? read_table(&f, root, schema) : NULL;
}

/* ---- writing: parents before what they refer to, so that every reference leads forward ---- */

static void pad_to(Buf *out, size_t align)
{
	while (out->len % align)
		buf_put(out, "", 1);
}

static void put(Buf *out, uint64_t v, size_t bytes)
{
	uint8_t le[8];
	for (size_t i = 0; i < bytes; i++)
		le[i] = (uint8_t)(v >> 8 * i);
	buf_put(out, le, bytes);
}

static void patch(Buf *out, size_t at, size_t target)
{
	uint32_t distance = (uint32_t)(target - at);
	for (size_t i = 0; i < WORD; i++)
		out->data[at + i] = (char)(distance >> 8 * i);
}

/* Everything begins at a multiple of four bytes. A string ends with a NUL that it does not count. */
static void put_bytes(Buf *out, size_t ref, Bytes b, size_t n, bool string)
{
	pad_to(out, WORD);
	patch(out, ref, out->len);
	put(out, n, WORD);
	buf_put(out, b.data, b.len);
	if (string)
		buf_put(out, "", 1);
}

static size_t slot_bytes(const FlatField *f)
{
	return f->kind == FLAT_NUMBER ? f->bytes : WORD;
}

/* Vtable and table, with fields in the order of the schema, widest alignment first within; slots[i] gets where field i is. */
static size_t put_table_head(Buf *out, const FlatTable *t, size_t *slots)
{
	size_t used = 0, at = WORD;
	for (size_t i = 0; i < t->nfields; i++)
		if (t->values[i].present)
			used = i + 1;
	for (size_t width = WORD; width > 0; width /= 2) /* wide ones first: no gaps */
		for (size_t i = 0; i < used; i++)
			if (t->values[i].present && slot_bytes(&t->fields[i]) == width) {
				slots[i] = at;
				at += width;
			}
	pad_to(out, WORD);
	if ((out->len + VTABLE_HEAD + 2 * used) % WORD)
		put(out, 0, 2);
	size_t vtable = out->len;
	put(out, VTABLE_HEAD + 2 * used, 2);
	put(out, at, 2);
	for (size_t i = 0; i < used; i++)
		put(out, t->values[i].present ? slots[i] : 0, 2);
	size_t table = out->len;
	put(out, table - vtable, WORD);
	for (size_t i = WORD; i < at; i++)
		put(out, 0, 1);
	return table;
}

static void put_table(Buf *out, size_t ref, const FlatTable *t);

static void put_list(Buf *out, size_t ref, const FlatValue *v, bool tables)
{
	pad_to(out, WORD);
	patch(out, ref, out->len);
	put(out, v->n, WORD);
	size_t first = out->len;
	for (size_t i = 0; i < v->n; i++)
		put(out, 0, WORD);
	for (size_t i = 0; i < v->n; i++) {
		if (tables)
			put_table(out, first + i * WORD, v->tables[i]);
		else
			put_bytes(out, first + i * WORD, v->strings[i], v->strings[i].len, true);
	}
}

static void put_field(Buf *out, size_t at, const FlatField *field, const FlatValue *v)
{
	switch (field->kind) {
	case FLAT_NUMBER:
		for (size_t i = 0; i < field->bytes; i++)
			out->data[at + i] = (char)(v->number >> 8 * i);
		return;
	case FLAT_STRING:
		put_bytes(out, at, v->bytes, v->bytes.len, true);
		return;
	case FLAT_NUMBERS:
		put_bytes(out, at, v->bytes, v->n, false);
		return;
	case FLAT_TABLE:
		put_table(out, at, v->tables[0]);
		return;
	default:
		put_list(out, at, v, field->kind == FLAT_TABLES);
	}
}

static void put_table(Buf *out, size_t ref, const FlatTable *t)
{
	size_t slots[64] = {0};
	CHECK(t->nfields <= ARRAY_LEN(slots));
	size_t table = put_table_head(out, t, slots);
	patch(out, ref, table);
	for (size_t i = 0; i < t->nfields; i++)
		if (t->values[i].present)
			put_field(out, table + slots[i], &t->fields[i], &t->values[i]);
}

bool flat_write(const FlatTable *t, Buf *out)
{
	put(out, 0, WORD);
	put_table(out, 0, t);
	pad_to(out, WORD);
	return out->len <= WRITE_LIMIT;
}

#include "write.h"

#include <stdlib.h>
#include <string.h>

/* Version of the container that StableHLO had. */
static int container_version(int target)
{
	static const struct { int before, version; } versions[] = { { 10, 0 }, { 12, 1 }, { 14, 3 }, { 15, 4 } };
	for (size_t i = 0; i < ARRAY_LEN(versions); i++)
		if (target < versions[i].before)
			return versions[i].version;
	return BC_MAX_VERSION;
}

/* "1.4.0" to 1004 and 0. */
static bool parse_version(const char *s, int *target, int *patch)
{
	int64_t v[3];
	for (int i = 0; i < 3; i++) {
		size_t len = strspn(s, "0123456789");
		if (!len || len > 3 || !parse_int64(s, len, &v[i]) || s[len] != (i < 2 ? '.' : '\0'))
			return false;
		s += len + 1;
	}
	*target = (int)(v[0] * 1000 + v[1]);
	*patch = (int)v[2];
	return true;
}

static bool choose_version(BcWriter *w, const WriteOptions *o)
{
	w->target = STABLEHLO_DEFAULT;
	w->chosen = o->stablehlo_version != NULL;
	if (!w->chosen)
		return true;
	if (!parse_version(o->stablehlo_version, &w->target, &w->patch))
		return diag_error(w->d, HONE_USAGE, NULL, "%s is no version of StableHLO, expected numbers such as 1.4.0",
			quote(w->scratch, o->stablehlo_version, strlen(o->stablehlo_version)));
	if (w->target < STABLEHLO_FIRST || w->target > STABLEHLO_LAST)
		return diag_error(w->d, HONE_USAGE, NULL, "StableHLO %s cannot be written, expected 0.9.0 to %d.%d.0",
			o->stablehlo_version, STABLEHLO_LAST / 1000, STABLEHLO_LAST % 1000);
	return true;
}

static void table_init(BcTable *t, Arena *a)
{
	*t = (BcTable){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(t->by_bytes); i++)
		map_init(&t->by_bytes[i], a);
	map_init(&t->vhlo, a);
	map_init(&t->builtin, a);
}

static void begin(BcWriter *w)
{
	Arena *a = w->scratch;
	w->version = container_version(w->target);
	w->strings.len = w->dialects.len = w->ops.len = w->properties.len = 0;
	map_init(&w->string_ids, a);
	map_init(&w->dialect_ids, a);
	map_init(&w->op_ids, a);
	map_init(&w->property_ids, a);
	table_init(&w->attrs, a);
	table_init(&w->types, a);
	w->need = STABLEHLO_FIRST;
	w->depth = 0;
	w->op = NULL;
	w->func = NULL;
	w->values = NEW_ARRAY(a, uint32_t, w->m->next_value);
}

/* Names of dialects, and those of ops in groups of one dialect. */
static void dialect_section(BcWriter *w, Buf *b)
{
	uint64_t *names = NEW_ARRAY(w->scratch, uint64_t, w->dialects.len);
	for (size_t i = 0; i < w->dialects.len; i++)
		names[i] = string_number(w, w->dialects.data[i]);
	put_varint(b, w->dialects.len);
	for (size_t i = 0; i < w->dialects.len; i++)
		if (w->version >= 1)
			put_flagged(b, names[i], false);
		else
			put_varint(b, names[i]);
	if (w->version >= 4)
		put_varint(b, w->ops.len);
	for (size_t i = 0, n; i < w->ops.len; i += n) {
		for (n = 1; i + n < w->ops.len && w->ops.data[i + n].dialect == w->ops.data[i].dialect;)
			n++;
		put_varint(b, w->ops.data[i].dialect);
		put_varint(b, n);
		for (size_t k = i; k < i + n; k++)
			if (w->version >= 5)
				put_flagged(b, w->ops.data[k].name, true);
			else
				put_varint(b, w->ops.data[k].name);
	}
}

static void put_groups(const BcTable *t, Buf *b)
{
	for (size_t i = 0, n; i < t->list.len; i += n) {
		const BcEntry *e = &t->list.data[i];
		for (n = 1; i + n < t->list.len && e[n].dialect == e->dialect;)
			n++;
		put_varint(b, e->dialect);
		put_varint(b, n);
		for (size_t k = 0; k < n; k++)
			put_flagged(b, e[k].len, e[k].custom);
	}
}

static void string_section(BcWriter *w, Buf *b)
{
	put_varint(b, w->strings.len);
	for (size_t i = w->strings.len; i > 0; i--)
		put_varint(b, (uint64_t)w->strings.data[i - 1]->len + 1);
	for (size_t i = 0; i < w->strings.len; i++)
		buf_put(b, w->strings.data[i]->s, (size_t)w->strings.data[i]->len + 1);
}

static void property_section(BcWriter *w, Buf *b)
{
	put_varint(b, w->properties.len);
	for (size_t i = 0; i < w->properties.len; i++) {
		const Str *s = w->properties.data[i];
		put_varint(b, s->len);
		if (s->len)
			buf_put(b, s->s, s->len);
	}
}

/* ---- output ---- */

#define CHUNK 16384 /* elements that are converted at once */

typedef struct Sink { /* a file, or else a buffer */
	OutFile *file;
	Buf *buf;
	bool failed;
} Sink;

static void put(Sink *s, const void *p, size_t n)
{
	if (!n || s->failed)
		return;
	if (s->file)
		s->failed = !out_write(s->file, p, n);
	else
		buf_put(s->buf, p, n);
}

/* Elements of one bit or of less than a byte, a piece at a time. */
static void put_converted(Sink *s, const Attr *a)
{
	DType d = a->u.tensor.type->dtype;
	const uint8_t *p = a->u.tensor.blob->data;
	int64_t n = 0;
	uint8_t bytes[CHUNK];
	type_static_numel(a->u.tensor.type, &n);
	for (int64_t i = 0; i < n; i += CHUNK) {
		int64_t count = n - i < CHUNK ? n - i : CHUNK;
		if (d == DT_BOOL) {
			Buf b = { 0 };
			put_bools(&b, p + i, count);
			put(s, b.data, b.len);
			buf_free(&b);
		} else {
			narrow_bytes(d, p + i / 8 * dtype_bits(d), count, bytes);
			put(s, bytes, (size_t)count);
		}
	}
}

/* What was mapped goes from file to file. */
static void put_elements(Sink *s, const Attr *a)
{
	const Blob *b = a->u.tensor.blob;
	if (a->u.tensor.type->dtype == DT_BOOL || dtype_bits(a->u.tensor.type->dtype) % 8)
		put_converted(s, a);
	else if (s->file && b->kind == BLOB_MAPPED && b->file && b->file->mapped)
		s->failed |= !out_copy(s->file, b->file, b->file_offset, b->len);
	else
		put(s, b->data, b->len);
}

static void put_entries(Sink *s, const BcTable *t)
{
	for (size_t i = 0; i < t->list.len; i++) {
		const BcEntry *e = &t->list.data[i];
		put(s, e->bytes->s, e->bytes->len);
		if (e->tensor)
			put_elements(s, e->tensor);
	}
}

static void end_section(Sink *s, BcSection id, Buf *data)
{
	Buf head = { 0 };
	put_byte(&head, (uint8_t)id);
	put_varint(&head, data->len);
	put(s, head.data, head.len);
	put(s, data->data, data->len);
	buf_free(&head);
	buf_free(data);
	*data = (Buf){ 0 };
}

static void entry_section(BcWriter *w, Sink *s)
{
	uint64_t len = 0;
	Buf b = { 0 };
	const BcTable *const tables[] = { &w->attrs, &w->types };
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		for (size_t k = 0; k < tables[i]->list.len; k++)
			len += tables[i]->list.data[k].len;
	put_byte(&b, SEC_ENTRIES);
	put_varint(&b, len);
	put(s, b.data, b.len);
	buf_free(&b);
	b = (Buf){ 0 };
	put_entries(s, &w->attrs);
	put_entries(s, &w->types);
	put_varint(&b, w->attrs.list.len);
	put_varint(&b, w->types.list.len);
	put_groups(&w->attrs, &b);
	put_groups(&w->types, &b);
	end_section(s, SEC_OFFSETS, &b);
}

static void put_file(BcWriter *w, Sink *s, Buf *ir)
{
	Buf b = { 0 };
	buf_puts(&b, "ML\xefR");
	put_varint(&b, (uint64_t)w->version);
	buf_printf(&b, "StableHLO_v%d.%d.%d", w->target / 1000, w->target % 1000, w->patch);
	put_byte(&b, 0);
	put(s, b.data, b.len);
	buf_free(&b);
	b = (Buf){ 0 };
	dialect_section(w, &b);
	end_section(s, SEC_DIALECT, &b);
	entry_section(w, s);
	end_section(s, SEC_IR, ir);
	string_section(w, &b);
	end_section(s, SEC_STRING, &b);
	if (w->version >= 5) {
		property_section(w, &b);
		end_section(s, SEC_PROPERTIES, &b);
	}
}

/* Encodes the module, again with a later version when something needs one and the user named none. */
static bool encode(BcWriter *w, Buf *ir)
{
	for (;;) {
		begin(w);
		if (!ir_write(w, ir))
			return false;
		if (w->need <= w->target)
			return true;
		CHECK(!w->chosen);
		w->target = w->need;
		buf_free(ir);
		*ir = (Buf){ 0 };
	}
}

bool mlirbc_encode(Module *m, Buf *out, const WriteOptions *o, Diags *d)
{
	BcWriter w = { .c = m->ctx, .d = d, .scratch = arena_new(), .m = m };
	Buf ir = { 0 };
	bool ok = choose_version(&w, o) && encode(&w, &ir);
	if (ok)
		put_file(&w, &(Sink){ .buf = out }, &ir);
	buf_free(&ir);
	arena_free(w.scratch);
	return ok;
}

bool mlirbc_write(Module *m, const char *path, const WriteOptions *o)
{
	BcWriter w = { .c = m->ctx, .d = &m->ctx->diags, .scratch = arena_new(), .m = m };
	Buf ir = { 0 };
	OutFile *file = choose_version(&w, o) && encode(&w, &ir) ? out_open(path, w.d) : NULL;
	if (file)
		put_file(&w, &(Sink){ .file = file }, &ir);
	buf_free(&ir);
	arena_free(w.scratch);
	return file && out_commit(file, &m->ctx->diags);
}

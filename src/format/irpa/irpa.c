/* IREE parameter archives: tensors by name in a file that can be mapped, without their types.
 *
 * A file holds a chain of archives. Each has a header, a table of entries (their sizes tell where the next one begins), a
 * segment for names and one for data; offsets count from the header, those in entries from the segment. All numbers are
 * little-endian, structures have no padding. */
#include "format/format.h"

#include <string.h>

#define MAGIC 0x41505249u /* "IRPA" */
enum { HEADER_SIZE = 88, ENTRY_SIZE = 60, DATA_ENTRY = 76, SPLAT_ENTRY = 85 };
enum { ENTRY_ALIGN = 16, DATA_ALIGN = 64, FILE_ALIGN = 4096 };
enum { ENTRY_SKIP, ENTRY_SPLAT, ENTRY_DATA, ENTRY_EXTERNAL };

/* ---- reading ---- */

static uint64_t get(const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

typedef struct Range { uint64_t at, len; } Range;

/* A range relative to base, inside limit bytes. */
static bool range_get(const uint8_t *p, uint64_t base, uint64_t limit, Range *out)
{
	*out = (Range){ get(p, 8), get(p + 8, 8) };
	return !__builtin_add_overflow(out->at, base, &out->at) && out->at <= limit && out->len <= limit - out->at;
}

static bool bad(Context *c, const MappedFile *f, uint64_t offset, HoneStatus s, const char *what)
{
	Loc loc = { .file = str(c, f->path)->s, .offset = (int64_t)offset };
	return diag_error(&c->diags, s, &loc, "%s", what);
}

static bool add_entry(Context *c, MappedFile *f, uint64_t at, uint64_t size, Range meta, Range storage, Arena *a, Map *out)
{
	const uint8_t *e = f->data + at;
	uint64_t type = get(e + 8, 4);
	Range name, data;
	if (type == ENTRY_SKIP)
		return true;
	if (size < ENTRY_SIZE || !range_get(e + 20, meta.at, meta.at + meta.len, &name))
		return bad(c, f, at, HONE_BAD_INPUT, "the name of a parameter lies outside its segment");
	const Str *key = str_n(c, (const char *)f->data + name.at, (size_t)name.len);
	Param *p = NEW(a, Param);
	*p = (Param){ .name = key };
	if (type == ENTRY_DATA && size >= DATA_ENTRY) {
		if (!range_get(e + ENTRY_SIZE, storage.at, storage.at + storage.len, &data))
			return bad(c, f, at, HONE_BAD_INPUT, "the data of a parameter lie outside their segment");
		p->offset = (size_t)data.at;
		p->len = data.len;
	} else if (type == ENTRY_SPLAT && size >= SPLAT_ENTRY) {
		p->len = get(e + ENTRY_SIZE, 8);
		p->unit_len = e[ENTRY_SIZE + 24];
		if (p->unit_len < 1 || p->unit_len > sizeof p->unit || p->len % p->unit_len)
			return bad(c, f, at, HONE_BAD_INPUT, "a repeated value has 1 to 16 bytes and fills its parameter");
		memcpy(p->unit, e + ENTRY_SIZE + 8, p->unit_len);
	} else if (type == ENTRY_EXTERNAL) {
		return bad(c, f, at, HONE_UNSUPPORTED, "parameters in a further file are not supported");
	} else {
		return bad(c, f, at, HONE_BAD_INPUT, "malformed entry of a parameter archive");
	}
	map_put(out, MAP_PTR(key), p); /* the last one of a name counts */
	return true;
}

static bool read_table(Context *c, MappedFile *f, uint64_t base, Arena *a, Map *out)
{
	const uint8_t *h = f->data + base;
	Range table, meta, storage;
	uint64_t count = get(h + 32, 8);
	if (!range_get(h + 40, base, f->len, &table) || !range_get(h + 56, base, f->len, &meta) ||
		!range_get(h + 72, base, f->len, &storage))
		return bad(c, f, base, HONE_BAD_INPUT, "a segment of the parameter archive lies outside the file");
	uint64_t at = table.at, end = table.at + table.len;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t size = end - at >= ENTRY_SIZE ? get(f->data + at, 8) : 0;
		if (size < ENTRY_SIZE || size > end - at)
			return bad(c, f, at, HONE_BAD_INPUT, "the table of parameters is cut off");
		if (!add_entry(c, f, at, size, meta, storage, a, out))
			return false;
		uint64_t step = (size + ENTRY_ALIGN - 1) / ENTRY_ALIGN * ENTRY_ALIGN;
		at = step < end - at ? at + step : end;
	}
	return true;
}

bool irpa_index(Context *c, MappedFile *f, Arena *a, Map *out)
{
	uint64_t base = 0, next = 1;
	while (next) {
		if (base > f->len || f->len - base < HEADER_SIZE || get(f->data + base, 4) != MAGIC)
			return bad(c, f, base, HONE_BAD_INPUT, "not a parameter archive");
		if (get(f->data + base + 4, 2) != 0)
			return bad(c, f, base, HONE_UNSUPPORTED, "the version of the parameter archive is not known");
		if (!read_table(c, f, base, a, out))
			return false;
		next = get(f->data + base + 16, 8);
		if (next && (next < HEADER_SIZE || __builtin_add_overflow(base, next, &base)))
			return bad(c, f, base, HONE_BAD_INPUT, "the chain of archives is malformed");
	}
	return true;
}

const Attr *param_tensor(Context *c, MappedFile *f, const Param *p, const Type *t)
{
	int64_t count;
	size_t bytes;
	Blob *b;
	if (t->kind != TYPE_TENSOR || t->dtype == DT_STR || t->dtype == DT_NONE || !type_static_numel(t, &count) ||
		!dtype_packed_bytes(t->dtype, count, &bytes))
		return NULL;
	if (p->unit_len) {
		if (p->len != bytes || p->unit_len != dtype_size(t->dtype) || dtype_bits(t->dtype) < 8)
			return NULL;
		b = blob_splat(c, t->dtype, p->unit);
	} else if (p->len == bytes) {
		b = blob_mapped(c, f, p->offset, bytes);
	} else if (p->len == (uint64_t)count) { /* narrow integers, one a byte */
		void *packed = mem_alloc(bytes ? bytes : 1);
		dtype_pack(t->dtype, f->data + p->offset, count, packed);
		b = blob_heap(c, packed, bytes);
	} else {
		return NULL;
	}
	return attr_tensor(c, t, b);
}

/* ---- writing ---- */

static void put(uint8_t *p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t align_up(uint64_t v, uint64_t a)
{
	return (v + a - 1) / a * a;
}

/* A tensor of one value that becomes a splat entry: IREE's loader fills with patterns of up to 4 bytes. */
static bool is_splat(const Attr *a)
{
	int bits = dtype_bits(a->u.tensor.type->dtype);
	return a->u.tensor.blob->splat && bits >= 8 && bits <= 32;
}

static size_t tensor_bytes(const Attr *a)
{
	int64_t count = 0;
	size_t bytes = 0;
	if (type_static_numel(a->u.tensor.type, &count))
		dtype_packed_bytes(a->u.tensor.type->dtype, count, &bytes);
	return bytes;
}

static void zeros(OutFile *o, uint64_t n)
{
	static const uint8_t none[4096];
	for (; n; n -= n < sizeof none ? n : sizeof none)
		out_write(o, none, n < sizeof none ? (size_t)n : sizeof none);
}

static void write_bytes(OutFile *o, const Attr *a)
{
	const Blob *b = a->u.tensor.blob;
	if (b->splat) {
		uint8_t unit[64];
		DType d = a->u.tensor.type->dtype;
		size_t size = dtype_size(d), bytes = tensor_bytes(a);
		for (size_t i = 0; i < sizeof unit / size; i++)
			memcpy(unit + i * size, b->data, size);
		if (dtype_bits(d) < 8) /* any whole number of bytes repeats: 64 elements are */
			dtype_pack(d, memcpy((uint8_t[64]){ 0 }, unit, sizeof unit), sizeof unit, unit);
		size_t period = dtype_bits(d) < 8 ? 8 * (size_t)dtype_bits(d) : sizeof unit;
		for (; bytes; bytes -= bytes < period ? bytes : period)
			out_write(o, unit, bytes < period ? bytes : period);
	} else if (b->kind == BLOB_MAPPED) {
		out_copy(o, b->file, b->file_offset, b->len);
	} else {
		out_write(o, b->data, b->len);
	}
}

static void write_entry(OutFile *o, const NamedAttr *p, uint64_t *name_at, uint64_t *data_at)
{
	uint8_t e[96] = { 0 };
	bool splat = is_splat(p->value);
	uint64_t size = splat ? SPLAT_ENTRY : DATA_ENTRY, bytes = tensor_bytes(p->value);
	put(e, size, 8);
	put(e + 8, splat ? ENTRY_SPLAT : ENTRY_DATA, 4);
	put(e + 20, *name_at, 8);
	put(e + 28, p->name->len, 8);
	*name_at += p->name->len;
	if (splat) {
		size_t unit = dtype_size(p->value->u.tensor.type->dtype);
		put(e + ENTRY_SIZE, bytes, 8);
		memcpy(e + ENTRY_SIZE + 8, p->value->u.tensor.blob->data, unit);
		e[ENTRY_SIZE + 24] = (uint8_t)unit;
	} else {
		put(e + 52, DATA_ALIGN, 8);
		put(e + ENTRY_SIZE, *data_at, 8);
		put(e + ENTRY_SIZE + 8, bytes, 8);
		*data_at = align_up(*data_at + bytes, DATA_ALIGN);
	}
	out_write(o, e, (size_t)align_up(size, ENTRY_ALIGN));
}

bool irpa_write(const NamedAttr *params, size_t n, const char *path, Diags *d)
{
	OutFile *o = out_open(path, d);
	uint8_t h[96] = { 0 };
	uint64_t table = 0, names = 0, data = 0, name_at = 0, data_at = 0;
	if (!o)
		return false;
	for (size_t i = 0; i < n; i++) {
		table += is_splat(params[i].value) ? align_up(SPLAT_ENTRY, ENTRY_ALIGN) : align_up(DATA_ENTRY, ENTRY_ALIGN);
		names += params[i].name->len;
		data = is_splat(params[i].value) ? data : align_up(data + tensor_bytes(params[i].value), DATA_ALIGN);
	}
	uint64_t names_from = sizeof h + table, data_from = align_up(names_from + names, FILE_ALIGN);
	put(h, MAGIC, 4);
	put(h + 8, HEADER_SIZE, 8);
	put(h + 32, n, 8);
	put(h + 40, sizeof h, 8);
	put(h + 48, table, 8);
	put(h + 56, names_from, 8);
	put(h + 64, names, 8);
	put(h + 72, data_from, 8);
	put(h + 80, data, 8);
	out_write(o, h, sizeof h);
	for (size_t i = 0; i < n; i++)
		write_entry(o, &params[i], &name_at, &data_at);
	for (size_t i = 0; i < n; i++)
		out_write(o, params[i].name->s, params[i].name->len);
	zeros(o, data_from - (names_from + names));
	for (size_t i = 0; i < n; i++) {
		if (is_splat(params[i].value))
			continue;
		size_t bytes = tensor_bytes(params[i].value);
		write_bytes(o, params[i].value);
		zeros(o, align_up(bytes, DATA_ALIGN) - bytes);
	}
	zeros(o, align_up(data_from + data, FILE_ALIGN) - (data_from + data));
	return out_commit(o, d);
}

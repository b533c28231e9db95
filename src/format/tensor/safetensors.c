/* .safetensors: eight bytes with the length of a JSON header, the header, the elements.
 * The header gives type, shape and place of each tensor; together they must cover the data exactly, as the format
 * demands. Elements are never copied: they stay in the mapped file. */
#include "format/tensor/tensor_int.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = 8, HEADER_LIMIT = 100 << 20 /* the format's own limit */ };

static const struct {
	const char *name;
	DType dtype;
} types[] = {
	{"BOOL", DT_BOOL}, {"U8", DT_U8}, {"I8", DT_I8}, {"I16", DT_I16}, {"U16", DT_U16}, {"I32", DT_I32}, {"U32", DT_U32},
	{"I64", DT_I64}, {"U64", DT_U64}, {"F16", DT_F16}, {"BF16", DT_BF16}, {"F32", DT_F32}, {"F64", DT_F64},
	{"C64", DT_C64}, {"F8_E4M3", DT_F8E4M3FN}, {"F8_E5M2", DT_F8E5M2}, {"F8_E8M0", DT_F8E8M0}, {"F4", DT_F4E2M1},
};

typedef struct Header {
	Context *c;
	MappedFile *file;
	Diags *d;
	size_t data;   /* where the elements start */
	Arena *arena;
} Header;

/* Where the bytes of one tensor are, to find gaps and overlaps. */
typedef struct Span {
	uint64_t begin, end;
	const Str *name;
} Span;

static bool fault(const Header *h, const char *name, HoneStatus status, const char *fmt, ...) PRINTF_LIKE(4, 5);

static bool fault(const Header *h, const char *name, HoneStatus status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(h->d->arena, fmt, ap);
	va_end(ap);
	Loc loc = {.file = str(h->c, h->file->path)->s, .offset = name ? -1 : 0};
	if (!name)
		return diag_error(h->d, status, &loc, "safetensors: %s", text);
	return diag_error(h->d, status, &loc, "safetensors: tensor %s: %s", quote(h->d->arena, name, strlen(name)), text);
}

static bool read_shape(const Header *h, const char *name, const json_t *shape, int64_t *dims, int *rank)
{
	size_t n = json_array_size(shape);
	if (!json_is_array(shape))
		return fault(h, name, HONE_BAD_INPUT, "no list called shape");
	if (n > MAX_RANK)
		return fault(h, name, HONE_LIMIT, "%zu dimensions; the limit is %d", n, MAX_RANK);
	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_array_get(shape, i);
		if (!json_is_integer(v) || json_integer_value(v) < 0)
			return fault(h, name, HONE_BAD_INPUT, "size %zu of the shape is no number of 0 or more", i);
		dims[i] = json_integer_value(v);
	}
	*rank = (int)n;
	return true;
}

static bool read_dtype(const Header *h, const char *name, const json_t *v, DType *out)
{
	const char *text = json_string_value(v);
	for (size_t i = 0; text && i < ARRAY_LEN(types); i++)
		if (!strcmp(types[i].name, text)) {
			*out = types[i].dtype;
			return true;
		}
	if (!text)
		return fault(h, name, HONE_BAD_INPUT, "no string called dtype");
	return fault(h, name, HONE_UNSUPPORTED, "unknown dtype %s; expected BOOL, I8 to I64, U8 to U64, F16, BF16, F32, F64, "
		"C64, F8_E4M3, F8_E5M2, F8_E8M0 or F4", quote(h->d->arena, text, strlen(text)));
}

static bool read_span(const Header *h, const char *name, const json_t *v, Span *out)
{
	const json_t *b = json_array_get(v, 0), *e = json_array_get(v, 1);
	if (json_array_size(v) != 2 || !json_is_integer(b) || !json_is_integer(e) || json_integer_value(b) < 0 ||
			json_integer_value(e) < json_integer_value(b))
		return fault(h, name, HONE_BAD_INPUT, "data_offsets are not two numbers that ascend");
	out->begin = (uint64_t)json_integer_value(b);
	out->end = (uint64_t)json_integer_value(e);
	if (out->end > h->file->len - h->data)
		return fault(h, name, HONE_BAD_INPUT, "data ends at byte %llu of %llu: the file is cut",
			(unsigned long long)out->end, (unsigned long long)(h->file->len - h->data));
	return true;
}

static bool read_tensor(const Header *h, const char *name, const json_t *v, NamedAttr *out, Span *span)
{
	DType dtype = DT_NONE;
	int rank = 0;
	int64_t dims[MAX_RANK], count;
	size_t need;
	if (!json_is_object(v))
		return fault(h, name, HONE_BAD_INPUT, "its entry in the header is no object");
	if (!read_dtype(h, name, json_object_get(v, "dtype"), &dtype) ||
			!read_shape(h, name, json_object_get(v, "shape"), dims, &rank) ||
			!read_span(h, name, json_object_get(v, "data_offsets"), span))
		return false;
	if (!dims_count(dims, rank, &count) || !dtype_packed_bytes(dtype, count, &need))
		return fault(h, name, HONE_BAD_INPUT, "the number of elements overflows");
	if (need != span->end - span->begin)
		return fault(h, name, HONE_BAD_INPUT, "%zu bytes of %s expected, data_offsets give %llu", need, dtype_name(dtype),
			(unsigned long long)(span->end - span->begin));
	span->name = out->name = str(h->c, name);
	out->value = mapped_tensor(h->c, h->file, h->data + span->begin, dtype, rank, dims);
	return true;
}

static int span_order(const void *a, const void *b)
{
	const Span *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static bool covers_data(const Header *h, Span *spans, size_t n)
{
	uint64_t at = 0;
	if (n)
		qsort(spans, n, sizeof(*spans), span_order);
	for (size_t i = 0; i < n; i++) {
		if (spans[i].begin != at)
			return fault(h, spans[i].name->s, HONE_BAD_INPUT, "data begins at byte %llu, the one before ends at %llu",
				(unsigned long long)spans[i].begin, (unsigned long long)at);
		at = spans[i].end;
	}
	uint64_t have = h->file->len - h->data;
	return at == have || fault(h, NULL, HONE_BAD_INPUT, "tensors have %llu bytes, the file %llu", (unsigned long long)at,
		(unsigned long long)have);
}

static bool read_tensors(const Header *h, json_t *root, NamedAttr **out, size_t *n)
{
	size_t most = json_object_size(root);
	Span *spans = NEW_ARRAY(h->arena, Span, most + 1);
	*out = NEW_ARRAY(h->arena, NamedAttr, most + 1);
	*n = 0;
	const char *name;
	json_t *v;
	json_object_foreach(root, name, v) {
		if (!strcmp(name, "__metadata__"))
			continue;
		if (!read_tensor(h, name, v, &(*out)[*n], &spans[*n]))
			return false;
		++*n;
	}
	return covers_data(h, spans, *n);
}

bool safetensors_read(Context *c, MappedFile *f, Arena *a, NamedAttr **out, size_t *n)
{
	Header h = {.c = c, .file = f, .d = &c->diags, .arena = a};
	uint64_t length = 0;
	if (f->len < LENGTH_BYTES)
		return fault(&h, NULL, HONE_BAD_INPUT, "%zu bytes are no safetensors file", f->len);
	for (int i = LENGTH_BYTES; i-- > 0;)
		length = length << 8 | f->data[i];
	if (length > HEADER_LIMIT)
		return fault(&h, NULL, HONE_LIMIT, "header of %llu bytes; the limit is %d", (unsigned long long)length, HEADER_LIMIT);
	if (length > f->len - LENGTH_BYTES)
		return fault(&h, NULL, HONE_BAD_INPUT, "header of %llu bytes, %zu present: the file is cut",
			(unsigned long long)length, f->len - LENGTH_BYTES);
	json_error_t e;
	json_t *root = json_loadb((const char *)f->data + LENGTH_BYTES, (size_t)length, JSON_REJECT_DUPLICATES, &e);
	if (!root)
		return fault(&h, NULL, HONE_BAD_INPUT, "header is no JSON: %s, at byte %d", e.text, e.position);
	h.data = LENGTH_BYTES + (size_t)length;
	bool ok = json_is_object(root) ? read_tensors(&h, root, out, n)
		: fault(&h, NULL, HONE_BAD_INPUT, "header is no JSON object");
	json_decref(root);
	return ok;
}

bool safetensors_sniff(Bytes head)
{
	return head.len > LENGTH_BYTES && head.data[LENGTH_BYTES] == '{' && head.data[5] == 0 && head.data[6] == 0 &&
		head.data[7] == 0;
}

/* ---- writing ---- */

static const char *type_name(DType d)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (types[i].dtype == d)
			return types[i].name;
	return NULL;
}

static json_t *entry_of(const Type *t, uint64_t begin, uint64_t end)
{
	json_t *shape = json_array();
	int64_t dims[MAX_RANK];
	type_static_dims(t, dims);
	for (int i = 0; i < t->rank; i++)
		json_array_append_new(shape, json_integer((json_int_t)dims[i]));
	return json_pack("{s:s s:o s:[I,I]}", "dtype", type_name(t->dtype), "shape", shape, "data_offsets", (json_int_t)begin,
		(json_int_t)end);
}

/* Header text, padded so that the elements begin at a multiple of eight bytes; NULL + diagnostic. malloc. */
static char *format_header(const NamedAttr *w, size_t n, Diags *d)
{
	json_t *root = json_object();
	uint64_t at = 0;
	for (size_t i = 0; i < n; i++) {
		const Type *t = w[i].value->u.tensor.type;
		int64_t count = 0;
		size_t bytes = 0;
		if (!type_name(t->dtype) || !type_static_numel(t, &count) || !dtype_packed_bytes(t->dtype, count, &bytes)) {
			diag_error(d, HONE_UNSUPPORTED, NULL, "safetensors: tensor %s: no form for %s",
				quote(d->arena, w[i].name->s, w[i].name->len), dtype_friendly_name(t->dtype));
			json_decref(root);
			return NULL;
		}
		json_object_set_new(root, w[i].name->s, entry_of(t, at, at + bytes));
		at += bytes;
	}
	char *text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	if (!text)
		mem_fail();
	size_t len = strlen(text), padded = (len + 7) / 8 * 8;
	text = mem_realloc(text, padded + 1);
	memset(text + len, ' ', padded - len);
	text[padded] = '\0';
	return text;
}

bool safetensors_write(const NamedAttr *w, size_t n, const char *path, Diags *d)
{
	char *header = format_header(w, n, d);
	OutFile *out = header ? out_open(path, d) : NULL;
	if (out) {
		uint64_t len = strlen(header);
		uint8_t length[LENGTH_BYTES];
		for (int i = 0; i < LENGTH_BYTES; i++)
			length[i] = (uint8_t)(len >> 8 * i);
		out_write(out, length, sizeof(length));
		out_write(out, header, len);
		for (size_t i = 0; i < n; i++)
			put_elements(out, w[i].value);
	}
	free(header);
	return out && out_commit(out, d);
}

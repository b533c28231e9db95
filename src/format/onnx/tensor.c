#include "onnx.h"

#include <inttypes.h>
#include <string.h>

/* Payloads up to this size are copied, so that small constants do not touch the mapping again. */
#define COPY_BELOW 64
/* Largest dense form of a sparse initializer that is worth having. */
#define DENSE_LIMIT (16 << 20)

/* Fields of a TensorProto, unparsed. */
typedef struct Parts {
	Bytes msg;
	const char *what;
	Ints dims;
	int64_t data_type, location;
	bool has_raw;
	Bytes raw;
	uint32_t typed_field;   /* the typed data field in use, 0 = none */
	size_t typed_count;     /* how often it occurs */
	ExternalRef external;
} Parts;

static const char *data_field_name(uint32_t number)
{
	const FieldDef *d = field_def(MSG_TENSOR, number);
	return d ? d->name : "?";
}

static bool scan_data_field(Reader *r, Parts *p, const Field *f)
{
	if (f->wire == WIRE_BYTES && f->bytes.len == 0 && f->number != TENSOR_string_data)
		return true;
	if (p->typed_field && p->typed_field != f->number)
		return reader_error(r, HONE_BAD_INPUT, f->whole.data, p->what, "both %s and %s hold data, expected one of them",
			data_field_name(p->typed_field), data_field_name(f->number));
	p->typed_field = f->number;
	p->typed_count++;
	return true;
}

/* Next occurrence of the typed data field; the cursor starts at the message. */
static bool typed_next(const Parts *p, Cursor *c, Field *f)
{
	while (field_next(c, f))
		if (f->number == p->typed_field)
			return true;
	return false;
}

static bool scan_parts(Reader *r, Parts *p, TensorMsg *out)
{
	Cursor c = cursor_of(p->msg);
	Field f;
	while (field_next(&c, &f)) {
		switch (f.number) {
		case TENSOR_dims:
			ints_add(r, &p->dims, &f);
			break;
		case TENSOR_data_type:
			p->data_type = field_int(&f);
			break;
		case TENSOR_data_location:
			p->location = field_int(&f);
			break;
		case TENSOR_name:
			out->name = reader_str(r, f.bytes);
			break;
		case TENSOR_raw_data:
			p->has_raw = true;
			p->raw = f.bytes;
			break;
		case TENSOR_external_data:
			if (!external_entry(r, f.bytes, p->what, &p->external))
				return false;
			break;
		case TENSOR_float_data:
		case TENSOR_int32_data:
		case TENSOR_string_data:
		case TENSOR_int64_data:
		case TENSOR_double_data:
		case TENSOR_uint64_data:
			if (!scan_data_field(r, p, &f))
				return false;
			break;
		default:
			left_add(r, &out->left, f.whole);
		}
	}
	return true;
}

static const char *shape_text(Reader *r, DType d, const Parts *p)
{
	Buf b = { 0 };
	buf_puts(&b, dtype_name(d));
	buf_puts(&b, "[");
	for (size_t i = 0; i < p->dims.len && i < MAX_RANK; i++)
		buf_printf(&b, "%s%" PRId64, i ? "," : "", p->dims.data[i]);
	buf_puts(&b, "]");
	const char *text = arena_strdup(r->scratch, b.data);
	buf_free(&b);
	return text;
}

/* ---- data ---- */

static uint32_t expected_field(DType d)
{
	switch (d) {
	case DT_F32:
	case DT_C64:
		return TENSOR_float_data;
	case DT_F64:
	case DT_C128:
		return TENSOR_double_data;
	case DT_I64:
		return TENSOR_int64_data;
	case DT_U32:
	case DT_U64:
		return TENSOR_uint64_data;
	case DT_STR:
		return TENSOR_string_data;
	default:
		return TENSOR_int32_data;
	}
}

static Blob *bytes_blob(Reader *r, Bytes b)
{
	if (b.len < COPY_BELOW)
		return blob_copy(r->c, b.data, b.len);
	return blob_mapped(r->c, r->file, (size_t)(b.data - r->file->data), b.len);
}

/* Booleans are 0 or 1 everywhere in hone; a file may hold other bytes. */
static Blob *normalise_bools(Reader *r, Blob *b)
{
	const uint8_t *p = b->data;
	size_t at = 0;
	while (at < b->len && p[at] <= 1)
		at++;
	if (at == b->len)
		return b;
	uint8_t *q = mem_alloc(b->len);
	for (size_t i = 0; i < b->len; i++)
		q[i] = p[i] != 0;
	Blob *fresh = blob_heap(r->c, q, b->len);
	fresh->external = b->external;
	blob_unref(b);
	return fresh;
}

/* Floats and doubles of typed fields have the layout of raw data; one packed chunk is used in place. */
static Blob *read_fixed(Reader *r, const Parts *p, size_t need)
{
	Cursor c = cursor_of(p->msg);
	Field f;
	if (p->typed_count == 1 && typed_next(p, &c, &f) && f.wire == WIRE_BYTES)
		return bytes_blob(r, f.bytes);
	c = cursor_of(p->msg);
	uint8_t *data = arena_alloc(r->scratch, need), *to = data;
	while (typed_next(p, &c, &f)) {
		size_t n = f.wire == WIRE_BYTES ? f.bytes.len : f.wire == WIRE_FIXED32 ? 4 : 8;
		if (n > need - (size_t)(to - data))
			return NULL; /* the file changed since its entries were counted */
		for (size_t k = 0; k < n; k++)
			to[k] = f.wire == WIRE_BYTES ? f.bytes.data[k] : (uint8_t)(f.value >> (8 * k));
		to += n;
	}
	return blob_copy(r->c, data, need);
}

/* Signed or unsigned, for writers differ in how they extend. */
static bool entry_fits(uint64_t v, int bits)
{
	int64_t s = (int64_t)v;
	return bits == 64 || (s >= -((int64_t)1 << (bits - 1)) && s < (int64_t)1 << bits);
}

static bool put_entry(Reader *r, const Parts *p, DType d, uint64_t v, uint8_t **to, size_t width)
{
	if (d == DT_BOOL)
		v = v != 0;
	if (!entry_fits(v, (int)width * 8))
		return reader_error(r, HONE_BAD_INPUT, p->msg.data, p->what,
			"%s holds %" PRId64 ", which is out of range for %s", data_field_name(p->typed_field), (int64_t)v,
			dtype_name(d));
	for (size_t k = 0; k < width; k++)
		*(*to)++ = (uint8_t)(v >> (8 * k));
	return true;
}

static Blob *read_varints(Reader *r, const Parts *p, DType d, size_t need, size_t width)
{
	uint8_t *data = arena_alloc(r->scratch, need), *to = data;
	Cursor c = cursor_of(p->msg);
	Field f;
	while (typed_next(p, &c, &f)) {
		Cursor packed = cursor_of(f.bytes);
		uint64_t v = f.value;
		bool more = f.wire == WIRE_VARINT || varint_next(&packed, &v);
		while (more) {
			if (width > need - (size_t)(to - data) || !put_entry(r, p, d, v, &to, width))
				return NULL;
			more = varint_next(&packed, &v);
		}
	}
	return blob_copy(r->c, data, need);
}

static Blob *read_strings(Reader *r, const Parts *p)
{
	const Str **v = NEW_ARRAY(r->scratch, const Str *, p->typed_count);
	Cursor c = cursor_of(p->msg);
	Field f;
	size_t n = 0;
	while (n < p->typed_count && typed_next(p, &c, &f))
		v[n++] = reader_str(r, f.bytes);
	return n == p->typed_count ? blob_copy(r->c, v, n * sizeof *v) : NULL;
}

/* 6-bit floats take an entry each, where narrower types are packed. */
static Blob *read_six_bits(Reader *r, const Parts *p, DType d, size_t count, size_t need)
{
	Blob *wide = read_varints(r, p, DT_U8, count, 1);
	if (!wide)
		return NULL;
	const uint8_t *v = wide->data;
	for (size_t i = 0; i < count; i++)
		if (v[i] > 63) {
			reader_error(r, HONE_BAD_INPUT, p->msg.data, p->what, "int32_data holds %u, which is out of range for %s", v[i],
				dtype_name(d));
			blob_unref(wide);
			return NULL;
		}
	uint8_t *packed = mem_alloc(need + 1);
	dtype_pack(d, v, (int64_t)count, packed);
	blob_unref(wide);
	return blob_heap(r->c, packed, need);
}

static size_t count_entries(const Parts *p)
{
	size_t n = 0;
	Cursor c = cursor_of(p->msg);
	Field f;
	while (typed_next(p, &c, &f)) {
		if (f.wire != WIRE_BYTES || f.number == TENSOR_string_data)
			n++;
		else if (f.number == TENSOR_float_data)
			n += f.bytes.len / 4;
		else if (f.number == TENSOR_double_data)
			n += f.bytes.len / 8;
		else
			n += varint_count(f.bytes);
	}
	return n;
}

static Blob *read_typed(Reader *r, const Parts *p, DType d, int64_t count, size_t need)
{
	uint32_t field = expected_field(d);
	if (p->typed_field && p->typed_field != field) {
		reader_error(r, HONE_BAD_INPUT, p->msg.data, p->what, "data of type %s in %s, expected %s",
			dtype_name(d), data_field_name(p->typed_field), data_field_name(field));
		return NULL;
	}
	DTypeClass cls = dtype_class(d);
	bool six = d == DT_F6E2M3 || d == DT_F6E3M2, sub_byte = cls != DC_STRING && dtype_bits(d) < 8 && !six;
	uint64_t want = sub_byte ? need : cls == DC_COMPLEX ? 2 * (uint64_t)count : (uint64_t)count;
	size_t n = count_entries(p);
	if (n != want) {
		reader_error(r, HONE_BAD_INPUT, p->msg.data, p->what, "%s has %zu entries, %s needs %" PRIu64,
			data_field_name(field), n, shape_text(r, d, p), want);
		return NULL;
	}
	if (cls == DC_STRING)
		return read_strings(r, p);
	if (field == TENSOR_float_data || field == TENSOR_double_data)
		return p->typed_count ? read_fixed(r, p, need) : blob_copy(r->c, NULL, 0);
	if (six)
		return read_six_bits(r, p, d, (size_t)count, need);
	return read_varints(r, p, d, need, sub_byte ? 1 : (size_t)dtype_bits(d) / 8);
}

static Blob *read_raw(Reader *r, const Parts *p, DType d, size_t need)
{
	if (d == DT_STR) {
		reader_error(r, HONE_BAD_INPUT, p->raw.data, p->what, "strings in raw_data, expected string_data");
		return NULL;
	}
	if (p->typed_field) {
		reader_error(r, HONE_BAD_INPUT, p->raw.data, p->what, "both raw_data and %s hold data, expected one of them",
			data_field_name(p->typed_field));
		return NULL;
	}
	if (p->raw.len != need) {
		reader_error(r, HONE_BAD_INPUT, p->raw.data, p->what, "raw_data has %zu bytes, %s needs %zu", p->raw.len,
			shape_text(r, d, p), need);
		return NULL;
	}
	return bytes_blob(r, p->raw);
}

static Blob *read_external(Reader *r, const Parts *p, DType d, size_t need)
{
	if (d == DT_STR || p->typed_field || (p->has_raw && p->raw.len)) {
		reader_error(r, HONE_BAD_INPUT, p->msg.data, p->what,
			d == DT_STR ? "strings cannot be external data" : "external tensor that also holds data inline");
		return NULL;
	}
	Loc loc = reader_loc(r, p->msg.data, NULL);
	return external_blob(r, &p->external, need, p->what, &loc);
}

/* Checks element type and dims; *need is the exact payload in bytes. */
static bool check_shape(Reader *r, const Parts *p, DType *d, int64_t *count, size_t *need)
{
	*d = dtype_from_onnx(p->data_type);
	if (*d == DT_NONE)
		return reader_error(r, HONE_BAD_INPUT, p->msg.data, p->what,
			"data_type %" PRId64 " is not an element type of ONNX", p->data_type);
	if (p->dims.len > MAX_RANK)
		return reader_error(r, HONE_LIMIT, p->msg.data, p->what, "rank %zu, at most %d is supported", p->dims.len,
			MAX_RANK);
	for (size_t i = 0; i < p->dims.len; i++)
		if (p->dims.data[i] < 0)
			return reader_error(r, HONE_BAD_INPUT, p->msg.data, p->what,
				"dimension %zu is %" PRId64 ", expected 0 or more", i, p->dims.data[i]);
	if (!dims_count(p->dims.data, (int)p->dims.len, count) || !dtype_packed_bytes(*d, *count, need) ||
		*count > INT64_MAX / 16)
		return reader_error(r, HONE_BAD_INPUT, p->msg.data, p->what, "element count of %s overflows",
			shape_text(r, *d, p));
	return true;
}

static bool read_parts(Reader *r, Parts *p, TensorMsg *out)
{
	DType d;
	int64_t count;
	size_t need;
	if (!scan_parts(r, p, out) || !check_shape(r, p, &d, &count, &need))
		return false;
	Blob *b;
	if (p->location == 1)
		b = read_external(r, p, d, need);
	else if (p->location != 0)
		return reader_error(r, HONE_BAD_INPUT, p->msg.data, p->what, "data_location %" PRId64 ", expected 0 or 1",
			p->location);
	else if (p->has_raw && (p->raw.len || !p->typed_field))
		b = read_raw(r, p, d, need);
	else
		b = read_typed(r, p, d, count, need);
	if (!b) /* without a diagnostic only when the file changes under the reader */
		return r->d->status == HONE_OK && reader_error(r, HONE_IO, p->msg.data, p->what,
			"the file changed while it was read");
	if (d == DT_BOOL)
		b = normalise_bools(r, b);
	out->value = attr_tensor(r->c, type_tensor_of(r->c, d, (int)p->dims.len, p->dims.data), b);
	return true;
}

bool tensor_msg_read(Reader *r, Bytes msg, const char *what, TensorMsg *out)
{
	Parts p = { .msg = msg, .what = what };
	*out = (TensorMsg){ 0 };
	return read_parts(r, &p, out);
}

/* ---- sparse tensors ---- */

typedef struct Sparse {
	Bytes msg;
	const char *what;
	TensorMsg values, indices;
	Ints dims;
	int64_t nnz;
} Sparse;

/* Flat position of entry i; false when an index is out of range. */
static bool sparse_position(const Sparse *s, const uint8_t *idx, bool flat, int64_t count, int64_t i, int64_t *out)
{
	if (flat) {
		memcpy(out, idx + (size_t)i * sizeof *out, sizeof *out);
		return *out >= 0 && *out < count;
	}
	int64_t pos = 0;
	for (size_t k = 0; k < s->dims.len; k++) {
		int64_t x;
		memcpy(&x, idx + ((size_t)i * s->dims.len + k) * sizeof x, sizeof x);
		if (x < 0 || x >= s->dims.data[k])
			return false;
		pos = pos * s->dims.data[k] + x;
	}
	*out = pos;
	return true;
}

/* Indices are either flat positions [nnz] or coordinates [nnz, rank], strictly ascending. Fills positions. */
static bool sparse_check(Reader *r, Sparse *s, int64_t count, int64_t *positions)
{
	const Type *t = s->indices.value->u.tensor.type;
	int64_t dims[MAX_RANK];
	type_static_dims(t, dims);
	bool flat = t->rank == 1;
	if (t->dtype != DT_I64 || !(flat || (t->rank == 2 && dims[1] == (int64_t)s->dims.len)) || dims[0] != s->nnz)
		return reader_error(r, HONE_BAD_INPUT, s->msg.data, s->what,
			"sparse indices must be i64[%" PRId64 "] or i64[%" PRId64 ",%zu]", s->nnz, s->nnz, s->dims.len);
	const uint8_t *idx = s->indices.value->u.tensor.blob->data;
	for (int64_t i = 0; i < s->nnz; i++) {
		if (!sparse_position(s, idx, flat, count, i, &positions[i]))
			return reader_error(r, HONE_BAD_INPUT, s->msg.data, s->what, "sparse index %" PRId64 " is out of range", i);
		if (i && positions[i] <= positions[i - 1])
			return reader_error(r, HONE_BAD_INPUT, s->msg.data, s->what,
				"sparse indices must ascend without repetition, entry %" PRId64 " does not", i);
	}
	return true;
}

static const Attr *sparse_expand(Reader *r, const Sparse *s, const Type *type, int64_t count, const int64_t *positions)
{
	DType d = type->dtype;
	size_t unit = d == DT_STR ? sizeof(Str *) : dtype_size(d), packed;
	if (count > DENSE_LIMIT / (int64_t)unit || !dtype_packed_bytes(d, count, &packed))
		return NULL;
	uint8_t *full = arena_alloc(r->scratch, (size_t)count * unit + 1);
	uint8_t *given = arena_alloc(r->scratch, (size_t)s->nnz * unit + 1);
	if (d == DT_STR)
		for (int64_t i = 0; i < count; i++)
			memcpy(full + (size_t)i * unit, &r->c->empty, unit);
	const Blob *b = s->values.value->u.tensor.blob;
	if (d == DT_STR)
		memcpy(given, b->data, (size_t)s->nnz * unit);
	else
		dtype_unpack(d, b->data, s->nnz, given);
	for (int64_t i = 0; i < s->nnz; i++)
		memcpy(full + (size_t)positions[i] * unit, given + (size_t)i * unit, unit);
	if (d == DT_STR)
		return attr_tensor(r->c, type, blob_copy(r->c, full, (size_t)count * unit));
	uint8_t *out = arena_alloc(r->scratch, packed + 1);
	dtype_pack(d, full, count, out);
	return attr_tensor(r->c, type, blob_copy(r->c, out, packed));
}

bool sparse_msg_read(Reader *r, Bytes msg, const char *what, const Str **name, const Type **type, const Attr **dense)
{
	Sparse s = { .msg = msg, .what = what };
	Cursor c = cursor_of(msg);
	Field f;
	while (field_next(&c, &f)) {
		if (f.number == SPARSE_dims)
			ints_add(r, &s.dims, &f);
		else if (f.number == SPARSE_values && !tensor_msg_read(r, f.bytes, what, &s.values))
			return false;
		else if (f.number == SPARSE_indices && !tensor_msg_read(r, f.bytes, what, &s.indices))
			return false;
	}
	int64_t count;
	if (!s.values.value || !s.indices.value)
		return reader_error(r, HONE_BAD_INPUT, msg.data, what, "sparse tensor without values or indices");
	const Type *vt = s.values.value->u.tensor.type;
	if (vt->rank != 1 || !type_static_numel(vt, &s.nnz))
		return reader_error(r, HONE_BAD_INPUT, msg.data, what, "sparse values of rank %d, expected 1", vt->rank);
	if (s.dims.len == 0 || s.dims.len > MAX_RANK || !dims_count(s.dims.data, (int)s.dims.len, &count))
		return reader_error(r, HONE_BAD_INPUT, msg.data, what, "bad dimensions of a sparse tensor");
	int64_t *positions = NEW_ARRAY(r->scratch, int64_t, s.nnz ? s.nnz : 1);
	if (!sparse_check(r, &s, count, positions))
		return false;
	*name = s.values.name ? s.values.name : r->c->empty;
	*type = type_tensor_of(r->c, vt->dtype, (int)s.dims.len, s.dims.data);
	*dense = sparse_expand(r, &s, *type, count, positions);
	return true;
}

/* ---- writing ---- */

/* Inline data from this size on is spliced instead of copied into the message. */
#define SPLICE_FROM 1024

bool tensor_splice(const Attr *value, Splice *out)
{
	const Type *t = value->u.tensor.type;
	const Blob *b = value->u.tensor.blob;
	int64_t count;
	size_t packed;
	if (t->dtype == DT_STR || !type_static_numel(t, &count) || !dtype_packed_bytes(t->dtype, count, &packed))
		return false;
	*out = (Splice){ .kind = SPLICE_BYTES, .blob = b, .len = packed };
	if (!b->splat) {
		CHECK(b->len == packed);
		return true;
	}
	out->kind = SPLICE_SPLAT;
	out->unit_len = dtype_size(t->dtype);
	if (dtype_bits(t->dtype) < 8) {
		uint8_t same[8];
		memset(same, *(const uint8_t *)b->data, sizeof same);
		dtype_pack(t->dtype, same, 8 / dtype_bits(t->dtype), out->unit);
		out->unit_len = 1;
	} else {
		memcpy(out->unit, b->data, out->unit_len);
	}
	return true;
}

static void put_pair(Wire *w, uint32_t number, const char *key, const char *value)
{
	Wire *pair = wire_new(w->arena);
	wire_text(pair, PAIR_key, key);
	wire_text(pair, PAIR_value, value);
	wire_message(w, number, pair);
}

/* Whether the strings fit a file: they cannot lie outside of it. */
static bool strings_fit(Diags *d, const Attr *value, int64_t count, const TensorOut *how)
{
	enum { FRAME = 2 }; /* tag and length of a short string */
	const Blob *b = value->u.tensor.blob;
	int64_t bytes = 0;
	bool fits = true;
	if (b->splat)
		fits = mul_ok(count, (int64_t)(*(const Str *const *)b->data)->len + FRAME, &bytes);
	for (int64_t i = 0; !b->splat && i < count; i++)
		bytes += (int64_t)((const Str *const *)b->data)[i]->len + FRAME;
	if (fits && bytes <= INT32_MAX)
		return true;
	diag_error(d, HONE_LIMIT, NULL, "%lld strings are more than an ONNX file can hold, which is 2 GiB (tensor %s)", (long long)count,
		how->name ? how->name->s : "without a name");
	diag_hint(d, "MLIR has no such limit (-t mlir); only numbers can lie in files of their own beside an ONNX file");
	return false;
}

static void put_strings(Wire *w, const Attr *value, int64_t count)
{
	const Blob *b = value->u.tensor.blob;
	for (int64_t i = 0; i < count; i++)
		wire_str(w, TENSOR_string_data, ((const Str *const *)b->data)[b->splat ? 0 : i]);
}

static void put_raw(Wire *w, const Splice *s)
{
	if (s->len >= SPLICE_FROM) {
		wire_splice(w, TENSOR_raw_data, s);
	} else if (s->kind == SPLICE_BYTES) {
		wire_bytes(w, TENSOR_raw_data, s->blob->data, s->len);
	} else {
		wire_tag(w, TENSOR_raw_data, WIRE_BYTES);
		wire_varint(w, s->len);
		for (size_t i = 0; i < s->len; i += s->unit_len)
			wire_put(w, s->unit, s->unit_len);
	}
}

bool tensor_msg_write(Diags *d, Wire *w, const Attr *value, const TensorOut *how)
{
	const Type *t = value->u.tensor.type;
	int code = dtype_onnx(t->dtype);
	int64_t count;
	Splice s;
	if (code == 0) {
		diag_error(d, HONE_UNSUPPORTED, NULL, "ONNX has no element type %s (tensor %s)", dtype_name(t->dtype),
			how->name ? how->name->s : "without a name");
		diag_hint(d, "MLIR has it (-t mlir); a cast to another type before the model is written makes it ONNX");
		return false;
	}
	if (!type_static_numel(t, &count) || (t->dtype != DT_STR && !tensor_splice(value, &s)))
		return diag_error(d, HONE_INTERNAL, NULL, "constant of a type that is not static");
	if (t->dtype == DT_STR && !strings_fit(d, value, count, how))
		return false;
	for (int i = 0; i < t->rank; i++) {
		int64_t v = 0;
		sym_const(t->dims[i], &v);
		wire_int(w, TENSOR_dims, v);
	}
	wire_int(w, TENSOR_data_type, code);
	if (t->dtype == DT_STR)
		put_strings(w, value, count);
	if (how->name)
		wire_str(w, TENSOR_name, how->name);
	if (how->location) {
		put_pair(w, TENSOR_external_data, "location", how->location);
		put_pair(w, TENSOR_external_data, "offset", arena_printf(w->arena, "%" PRIu64, how->offset));
		put_pair(w, TENSOR_external_data, "length", arena_printf(w->arena, "%zu", s.len));
		wire_int(w, TENSOR_data_location, 1);
	} else if (t->dtype != DT_STR) {
		put_raw(w, &s);
	}
	Bytes left = wire_attr_bytes(how->wire);
	wire_put(w, left.data, left.len);
	return true;
}

#include "mlirbc.h"

#include <string.h>

#define MAX_INDEX_ELEMENTS 65536
#define FILE_LOC 11 /* code of a location that is a file, a line and a column */

/* ---- making attributes and types ---- */

const Type *scalar_type(BcReader *r, const char *text)
{
	return type_make(r->c, (Type){ .kind = TYPE_OPAQUE, .rank = RANK_UNKNOWN, .text = str(r->c, text) });
}

DType scalar_dtype(const Type *t)
{
	DType d;
	return t->kind == TYPE_OPAQUE && dtype_parse(t->text->s, t->text->len, &d) ? d : DT_NONE;
}

const Attr *make_text(BcReader *r, const Str *text)
{
	return attr_make(r->c, (Attr){ .kind = ATTR_TEXT, .u.str = text });
}

const Attr *make_dict(BcReader *r, const Str *const *names, const Attr *const *v, size_t n)
{
	return attr_make(r->c, (Attr){ .kind = ATTR_DICT, .u.list = { v, names, n } });
}

const Attr *make_list(BcReader *r, const Attr *const *v, size_t n)
{
	size_t strs = 0;
	while (strs < n && v[strs]->kind == ATTR_STR)
		strs++;
	if (n == 0 || strs < n)
		return attr_make(r->c, (Attr){ .kind = ATTR_LIST, .u.list = { v, NULL, n } });
	const Str **s = NEW_ARRAY(r->scratch, const Str *, n);
	for (size_t i = 0; i < n; i++)
		s[i] = v[i]->u.str;
	return attr_strs(r->c, s, n);
}

const Attr *opaque_text(BcReader *r, Bytes b, uint32_t dialect, bool custom, bool is_type)
{
	static const char digits[] = "0123456789abcdef";
	const char *name = r->dialects[dialect].name->s;
	if (!custom && b.len > 1 && is_plain_text((const char *)b.data, b.len - 1))
		return make_text(r, str_n(r->c, (const char *)b.data, b.len - 1));
	char *hex = arena_alloc(r->scratch, 2 * b.len + 1);
	for (size_t i = 0; i < b.len; i++) {
		hex[2 * i] = digits[b.data[i] >> 4];
		hex[2 * i + 1] = digits[b.data[i] & 15];
	}
	return make_text(r, str_fmt(r->c, "%cbytecode.%s<%s, \"0x%s\">", is_type ? '!' : '#', is_type ? "type" : "attr",
		quote(r->scratch, name, strlen(name)), hex));
}

const Attr *opaque_entry(BcReader *r, const Entry *e)
{
	return opaque_text(r, entry_bytes(e), e->dialect, e->custom, e->is_type);
}

/* ---- numbers ---- */

/* An integer whose width is known: one byte up to 8 bits, else a signed varint. */
bool read_bits(Cursor *c, int width, uint64_t *out)
{
	int64_t v;
	uint8_t b;
	if (width <= 8) {
		if (!cur_byte(c, &b))
			return false;
		*out = b;
	} else {
		if (!cur_signed(c, &v))
			return false;
		*out = (uint64_t)v;
	}
	if (width < 64)
		*out &= (UINT64_C(1) << width) - 1;
	return true;
}

/* Integers of more than 64 bits: a count of words and the words. */
static bool skip_wide(Cursor *c)
{
	int64_t *words;
	size_t n;
	return cur_ints(c, &words, &n);
}

const Attr *make_int(BcReader *r, const Type *t, uint64_t bits)
{
	DType d = scalar_dtype(t);
	if (d == DT_BOOL)
		return attr_bool(r->c, bits & 1);
	int width = d == DT_NONE ? 64 : dtype_bits(d);
	Attr a = { .kind = ATTR_INT, .width = d == DT_NONE ? DT_I64 : d, .u.i = (int64_t)bits };
	if (dtype_class(d) == DC_INT && width < 64)
		a.u.i = (int64_t)(bits << (64 - width)) >> (64 - width);
	return attr_make(r->c, a);
}

const Attr *make_index(BcReader *r, int64_t v)
{
	return make_text(r, str_fmt(r->c, "%lld : index", (long long)v));
}

const Attr *make_float(BcReader *r, DType t, uint64_t bits)
{
	Attr a = { .kind = ATTR_FLOAT, .width = t };
	if (t == DT_F64) {
		memcpy(&a.u.f, &bits, sizeof a.u.f);
	} else if (t == DT_F32) {
		float f;
		uint32_t low = (uint32_t)bits;
		memcpy(&f, &low, sizeof f);
		a.u.f = (double)f;
	} else {
		a.u.f = dtype_decode_float(t, bits);
	}
	return attr_make(r->c, a);
}

/* Bits of an integer type that hone has no element type for, from its text: i17, si8, ui3. */
static int integer_width(const Type *t)
{
	int64_t w;
	if (t->kind != TYPE_OPAQUE)
		return 0;
	const char *s = t->text->s;
	s += *s == 's' || *s == 'u';
	if (!strcmp(s, "index"))
		return 64;
	return *s == 'i' && parse_int64(s + 1, strlen(s + 1), &w) && w > 0 && w < 1 << 24 ? (int)w : 0;
}

static bool decode_int(Decoder *d)
{
	BcReader *r = d->c.r;
	const uint8_t *at = d->c.p;
	const Type *t;
	uint64_t bits;
	if (!ref_type(d, &t) || d->missing)
		return d->missing;
	int width = integer_width(t);
	if (width == 0)
		return bc_error(r, at, "the type of an integer is no integer type");
	if (width > 64) {
		const uint8_t *start = d->c.p;
		if (!skip_wide(&d->c))
			return false;
		d->self->attr = make_text(r, str_fmt(r->c, "#bytecode.wide<%zu>", (size_t)(d->c.p - start)));
		return true;
	}
	if (!read_bits(&d->c, width, &bits))
		return false;
	if (!strcmp(t->text->s, "index"))
		d->self->attr = make_index(r, (int64_t)bits);
	else if (scalar_dtype(t) == DT_NONE)
		d->self->attr = make_text(r, str_fmt(r->c, "%lld : %s", (long long)bits, t->text->s));
	else
		d->self->attr = make_int(r, t, bits);
	return true;
}

static bool decode_float(Decoder *d)
{
	BcReader *r = d->c.r;
	const uint8_t *at = d->c.p;
	const Type *t;
	uint64_t bits;
	if (!ref_type(d, &t) || d->missing)
		return d->missing;
	DType f = scalar_dtype(t);
	bool wide = t->kind == TYPE_OPAQUE && (!strcmp(t->text->s, "f80") || !strcmp(t->text->s, "f128"));
	if (wide) {
		d->self->attr = make_text(r, str_fmt(r->c, "#bytecode.wide<%s>", t->text->s));
		return skip_wide(&d->c);
	}
	if (!dtype_is_float(f))
		return bc_error(r, at, "the type of a float is no float type");
	if (!read_bits(&d->c, dtype_bits(f), &bits))
		return false;
	d->self->attr = make_float(r, f, bits);
	return true;
}

/* ---- tensors ---- */

bool read_dims(Decoder *d, int64_t **out, size_t *rank)
{
	const uint8_t *at = d->c.p;
	if (!cur_ints(&d->c, out, rank))
		return false;
	for (size_t i = 0; i < *rank; i++)
		if ((*out)[i] < 0 && (*out)[i] != INT64_MIN)
			return bc_error(d->c.r, at, "size %lld of dimension %zu is negative", (long long)(*out)[i], i);
	return true;
}

bool is_element(const Type *t)
{
	return t->kind == TYPE_OPAQUE && is_element_type(t->text->s, t->text->len);
}

/* None: the type of the elements is not known. */
static bool is_tensor_element(const Type *t)
{
	return t->kind == TYPE_NONE || is_element(t);
}

const Type *make_tensor(Decoder *d, size_t rank, const int64_t *dims, const Type *elem, const Str *encoding)
{
	BcReader *r = d->c.r;
	if (rank > MAX_RANK) {
		bc_fail(r, HONE_LIMIT, d->self->data, "rank %zu is above %d", rank, MAX_RANK);
		return NULL;
	}
	if (!is_tensor_element(elem)) {
		bc_error(r, d->self->data, "the element type of a tensor is no scalar type");
		return NULL;
	}
	const Sym **syms = NEW_ARRAY(r->scratch, const Sym *, rank);
	for (size_t i = 0; i < rank; i++) {
		syms[i] = dims[i] < 0 ? sym_unknown(r->c) : sym_int(r->c, dims[i]);
		d->self->dynamic |= dims[i] < 0;
	}
	Type t = { .kind = TYPE_TENSOR, .dtype = scalar_dtype(elem), .rank = (int)rank, .dims = syms, .text = encoding };
	if (t.dtype == DT_NONE && elem->kind == TYPE_OPAQUE)
		t.text = encoding ? str_fmt(r->c, "%s, %s", elem->text->s, encoding->s) : elem->text;
	return type_make(r->c, t);
}

static Blob *file_blob(BcReader *r, Bytes raw)
{
	return blob_mapped(r->c, r->file, (size_t)(raw.data - r->file->data), raw.len);
}

/* Elements of one bit: eight a byte, or one byte for all when it is all zeros or ones, or one a byte. */
static const Attr *bool_elements(Decoder *d, const Type *t, Bytes raw, int64_t n)
{
	BcReader *r = d->c.r;
	size_t packed = (size_t)(n / 8 + (n % 8 != 0));
	uint8_t all = raw.len ? raw.data[0] & 1 : 0;
	bool splat = raw.len == 1 && (n == 1 || n > 8 || raw.data[0] == 0 || raw.data[0] == 0xFF);
	if (n > 0 && splat)
		return attr_tensor(r->c, t, blob_splat(r->c, DT_BOOL, &all));
	bool bytes = raw.len == (size_t)n;
	if (!bytes && raw.len != packed) {
		bc_error(r, raw.data, "%zu bytes for %lld elements of one bit, expected %zu", raw.len, (long long)n, packed);
		return NULL;
	}
	uint8_t *v = mem_alloc(n ? (size_t)n : 1);
	for (size_t i = 0; i < (size_t)n; i++)
		v[i] = bytes && raw.len != packed ? raw.data[i] & 1 : (raw.data[i / 8] >> (i % 8)) & 1;
	return attr_tensor(r->c, t, blob_heap(r->c, v, (size_t)n));
}

/* Lists in lists: [[1, 2], [3, 4]]. A bracket opens or closes where a number begins or ends a row. */
static void put_nested(Buf *b, const Type *t, const int64_t *dims, const int64_t *v, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t row = 1;
		int opens = 0, closes = 0;
		for (int k = t->rank - 1; k >= 0; k--) {
			row *= dims[k];
			opens += i % row == 0;
			closes += (i + 1) % row == 0;
		}
		buf_puts(b, i ? ", " : "");
		for (int k = 0; k < opens; k++)
			buf_puts(b, "[");
		buf_printf(b, "%lld", (long long)v[i]);
		for (int k = 0; k < closes; k++)
			buf_puts(b, "]");
	}
}

/* hone has no element type for index: the text of the attribute is kept, dense<[1, 0]> : tensor<2xindex>. */
static const Attr *index_elements(Decoder *d, const Type *t, Bytes raw, int64_t n)
{
	BcReader *r = d->c.r;
	int64_t *v = NEW_ARRAY(r->scratch, int64_t, n), dims[MAX_RANK];
	bool splat = n > 0 && raw.len == sizeof *v;
	Buf b = { 0 };
	if (!splat && raw.len != (size_t)n * sizeof *v) {
		bc_error(r, d->self->data, "%zu bytes for %lld elements of index, expected %zu", raw.len, (long long)n,
			(size_t)n * sizeof *v);
		return NULL;
	}
	if (raw.len)
		memcpy(v, raw.data, raw.len);
	buf_puts(&b, "dense<");
	type_static_dims(t, dims);
	if (splat)
		buf_printf(&b, "%lld", (long long)v[0]);
	else
		put_nested(&b, t, dims, v, n);
	buf_puts(&b, "> : ");
	type_print(t, &b);
	const Attr *a = make_text(r, str_n(r->c, b.data, b.len));
	buf_free(&b);
	return a;
}

/* Below 8 bits the other bits of the byte say nothing; the IR has the sign there. */
static Blob *splat_of(BcReader *r, DType d, const uint8_t *element)
{
	uint8_t packed = 0, flat = 0;
	if (dtype_bits(d) % 8 == 0)
		return blob_splat(r->c, d, element);
	dtype_pack(d, element, 1, &packed);
	dtype_unpack(d, &packed, 1, &flat);
	return blob_splat(r->c, d, &flat);
}

const Attr *make_elements(Decoder *d, const Type *t, Bytes raw)
{
	BcReader *r = d->c.r;
	size_t need = 0;
	int64_t n;
	if (!type_is_tensor(t) || !type_static_numel(t, &n)) {
		bc_error(r, d->self->data, "the type of constant elements is no tensor of known size");
		return NULL;
	}
	if (t->dtype == DT_NONE && t->text && !strcmp(t->text->s, "index") && n <= MAX_INDEX_ELEMENTS)
		return index_elements(d, t, raw, n);
	if (t->dtype == DT_NONE || t->dtype == DT_STR) /* quantised and the like */
		return make_text(r, str_fmt(r->c, "#bytecode.elements<%zu>", raw.len));
	size_t size = dtype_size(t->dtype);
	if (t->dtype == DT_BOOL)
		return bool_elements(d, t, raw, n);
	bool fits = !__builtin_mul_overflow((size_t)n, size, &need);
	if (raw.len == size && n != 0) /* a single element is written like one that stands for all */
		return attr_tensor(r->c, t, splat_of(r, t->dtype, raw.data));
	if (n == 0 && raw.len == size)
		raw.len = 0;
	if (!fits || raw.len != need) {
		bc_error(r, d->self->data, "%zu bytes for %lld elements of %s, expected %s%zu", raw.len, (long long)n,
			dtype_name(t->dtype), fits ? "" : "more than ", need);
		return NULL;
	}
	size_t packed;
	if (dtype_bits(t->dtype) % 8 && dtype_packed_bytes(t->dtype, n, &packed)) {
		void *v = mem_zalloc(packed ? packed : 1);
		dtype_pack(t->dtype, raw.data, n, v);
		return attr_tensor(r->c, t, blob_heap(r->c, v, packed));
	}
	return attr_tensor(r->c, t, file_blob(r, raw));
}

bool decode_elements(Decoder *d)
{
	const Type *t;
	Bytes raw;
	if (!ref_type(d, &t) || !cur_blob(&d->c, &raw))
		return false;
	if (d->missing)
		return true;
	d->self->attr = make_elements(d, t, raw);
	return d->self->attr != NULL;
}

static bool decode_resource_elements(Decoder *d)
{
	BcReader *r = d->c.r;
	const Type *t;
	size_t i;
	if (!ref_type(d, &t) || !cur_index(&d->c, "resource", r->resources.len, &i))
		return false;
	if (d->missing)
		return true;
	const Resource *s = &r->resources.data[i];
	if (!s->found)
		return bc_error(r, d->self->data, "resource %s has no data", quote(r->scratch, s->key->s, s->key->len));
	d->self->attr = make_elements(d, t, s->data);
	return d->self->attr != NULL;
}

/* array<i64: ...>: element type, count, bytes. */
static bool decode_array(Decoder *d)
{
	BcReader *r = d->c.r;
	const Type *t;
	uint64_t n;
	Bytes raw;
	if (!ref_type(d, &t) || !cur_varint(&d->c, &n) || !cur_blob(&d->c, &raw))
		return false;
	if (d->missing)
		return true;
	DType e = scalar_dtype(t);
	if (e == DT_NONE || dtype_class(e) == DC_COMPLEX || n > raw.len || n * dtype_size(e) != raw.len)
		return bc_error(r, d->self->data, "an array of %llu elements has %zu bytes", (unsigned long long)n, raw.len);
	Attr a = { .kind = dtype_is_float(e) ? ATTR_FLOATS : ATTR_INTS, .width = e == DT_I64 || e == DT_F32 ? DT_NONE : e };
	if (dtype_is_float(e)) {
		double *v = NEW_ARRAY(r->scratch, double, n);
		dtype_load_f64(e, raw.data, (int64_t)n, v);
		a.u.floats.v = v;
		a.u.floats.n = (size_t)n;
	} else {
		int64_t *v = NEW_ARRAY(r->scratch, int64_t, n);
		dtype_load_i64(e, raw.data, (int64_t)n, v);
		a.u.ints.v = v;
		a.u.ints.n = (size_t)n;
	}
	d->self->attr = attr_make(r->c, a);
	return true;
}

static bool decode_string_elements(Decoder *d)
{
	BcReader *r = d->c.r;
	const Type *t;
	uint64_t splat;
	size_t n;
	if (!ref_type(d, &t) || !cur_varint(&d->c, &splat) || !cur_count(&d->c, "strings", &n))
		return false;
	const Attr **v = NEW_ARRAY(r->scratch, const Attr *, n);
	for (size_t i = 0; i < n; i++) {
		const Str *s;
		if (!cur_string(&d->c, &s))
			return false;
		v[i] = attr_str(r->c, s);
	}
	if (!d->missing)
		d->self->attr = make_list(r, v, n);
	return true;
}

/* ---- containers and names ---- */

bool decode_dict(Decoder *d)
{
	BcReader *r = d->c.r;
	const uint8_t *at = d->c.p;
	size_t n;
	if (!cur_count(&d->c, "entries of a dictionary", &n))
		return false;
	const Str **names = NEW_ARRAY(r->scratch, const Str *, n);
	const Attr **v = NEW_ARRAY(r->scratch, const Attr *, n);
	for (size_t i = 0; i < n; i++)
		if (!ref_str(d, &names[i]) || !ref_attr(d, &v[i]))
			return false;
	if (d->missing)
		return true;
	const Str *twice = name_given_twice(names, n, r->scratch);
	if (twice)
		return bc_error(r, at, "entry %s of a dictionary is there twice", quote(r->scratch, twice->s, twice->len));
	d->self->attr = make_dict(r, names, v, n);
	return true;
}

bool decode_list(Decoder *d)
{
	const Attr **v;
	size_t n;
	if (!ref_attrs(d, &v, &n))
		return false;
	if (!d->missing)
		d->self->attr = make_list(d->c.r, v, n);
	return true;
}

static bool decode_string(Decoder *d, bool typed)
{
	const Str *s;
	const Type *t;
	if (!cur_string(&d->c, &s) || (typed && !ref_type(d, &t)))
		return false;
	if (!d->missing)
		d->self->attr = attr_str(d->c.r->c, s);
	return true;
}

static bool decode_symbol(Decoder *d)
{
	const Str *s;
	if (!ref_str(d, &s))
		return false;
	if (!d->missing && s->len == 0)
		return bc_error(d->c.r, d->self->data, "a symbol has no name");
	if (!d->missing)
		d->self->attr = attr_make(d->c.r->c, (Attr){ .kind = ATTR_SYMREF, .u.str = s });
	return true;
}

/* @a::@b. */
static bool decode_symbol_path(Decoder *d)
{
	BcReader *r = d->c.r;
	const Str *root;
	const Attr **v;
	size_t n;
	const uint8_t *at = d->c.p;
	if (!ref_str(d, &root) || !ref_attrs(d, &v, &n))
		return false;
	if (d->missing)
		return true;
	Buf b = { 0 };
	put_symbol(&b, root);
	for (size_t i = 0; i < n; i++) {
		if (v[i]->kind != ATTR_SYMREF)
			continue;
		buf_puts(&b, "::");
		put_symbol(&b, v[i]->u.str);
	}
	const Str *text = str_n(r->c, b.data, b.len);
	buf_free(&b);
	for (size_t i = 0; i < n; i++)
		if (v[i]->kind != ATTR_SYMREF)
			return bc_error(r, at, "a part of a symbol is no symbol");
	d->self->attr = make_text(r, text);
	return true;
}

bool set_type_attr(Decoder *d, const Entry *e)
{
	BcReader *r = d->c.r;
	d->self->attr = attr_type(r->c, e->type);
	if (e->function)
		map_put(&r->signatures, MAP_PTR(d->self->attr), (void *)(uintptr_t)(e - r->entries + 1));
	return true;
}

static bool decode_type_attr(Decoder *d)
{
	const Entry *e;
	if (!ref_entry(d, true, &e))
		return false;
	return d->missing || set_type_attr(d, e);
}

/* ---- locations ---- */

/* Locations are about as many as ops and hardly ever equal: not worth a look-up, nor an allocation each. */
static Loc *new_loc(BcReader *r)
{
	enum { LOCS = 64 };
	if (r->locs == r->locs_end) {
		r->locs = NEW_ARRAY(r->c->arena, Loc, LOCS);
		r->locs_end = r->locs + LOCS;
	}
	return r->locs++;
}

static bool set_loc(BcReader *r, Entry *e, const Loc *l)
{
	if (!r->loc_text)
		r->loc_text = make_text(r, str(r->c, "loc(unknown)"));
	e->loc = l;
	e->attr = r->loc_text;
	e->depth = 0; /* they are flat */
	e->weight = 1;
	return true;
}

static bool set_file_loc(BcReader *r, Entry *e, const Str *file, uint64_t line, uint64_t col)
{
	Loc *l = new_loc(r);
	l->file = file->s[0] ? file->s : NULL;
	l->line = (uint32_t)line;
	l->col = (uint32_t)col;
	l->offset = -1;
	return set_loc(r, e, l);
}

static bool set_unknown_loc(BcReader *r, Entry *e)
{
	Loc *l = new_loc(r);
	l->offset = -1;
	return set_loc(r, e, l);
}

/* A location; *out stays NULL when it is missing. */
static bool ref_loc(Decoder *d, const Loc **out)
{
	const uint8_t *at = d->c.p;
	const Entry *e;
	*out = NULL;
	if (!ref_entry(d, false, &e))
		return false;
	if (e && !e->loc)
		return bc_error(d->c.r, at, "found another attribute, expected a location");
	if (e) {
		*out = e->loc;
		d->self->depth = 0;
	}
	return true;
}

static bool decode_file_loc(Decoder *d, bool range)
{
	const Str *file;
	uint64_t v[4] = { 0 };
	size_t n = 2;
	if (!ref_str(d, &file) || (range && !cur_count(&d->c, "numbers of a location", &n)))
		return false;
	if (n > ARRAY_LEN(v))
		return bc_error(d->c.r, d->c.p, "a location has %zu numbers", n);
	for (size_t i = 0; i < n; i++)
		if (!cur_varint(&d->c, &v[i]))
			return false;
	if (d->missing)
		return true;
	return set_file_loc(d->c.r, d->self, file, v[0], v[1]);
}

/* Nearly all entries of a file: short, and all that they need is the name of a file that is there already. */
bool builtin_file_loc(BcReader *r, Entry *e)
{
	const uint8_t *p = e->data, *end = e[1].data;
	uint64_t v[3];
	if (end - p < 4 || end > r->last_wide || *p++ != (FILE_LOC << 1 | 1))
		return false;
	for (int i = 0; i < 3; i++) {
		if (p >= end || !*p)
			return false;
		p += wide_varint(p, &v[i]);
	}
	uint64_t file = v[0];
	if (p != end || file >= r->nattrs)
		return false;
	const Entry *name = &r->entries[file];
	if (name->state != ENTRY_DONE || name->attr->kind != ATTR_STR)
		return false;
	e->state = ENTRY_DONE;
	return set_file_loc(r, e, name->attr->u.str, v[1], v[2]);
}

static bool decode_name_loc(Decoder *d)
{
	const Str *name;
	const Loc *child;
	if (!ref_str(d, &name) || !ref_loc(d, &child))
		return false;
	if (d->missing)
		return true;
	Loc *l = new_loc(d->c.r);
	*l = *child;
	l->what = name->s[0] ? name->s : NULL;
	return set_loc(d->c.r, d->self, l);
}

/* Of several places the first that says something. */
static bool decode_loc_list(Decoder *d, size_t n, bool metadata)
{
	const Loc *l, *best = NULL;
	const Attr *ignored;
	for (size_t i = 0; i < n; i++) {
		if (!ref_loc(d, &l))
			return false;
		if (l && (!best || (!best->file && !best->what)))
			best = l;
	}
	if (metadata && !ref_attr(d, &ignored))
		return false;
	if (d->missing)
		return true;
	return best ? set_loc(d->c.r, d->self, best) : set_unknown_loc(d->c.r, d->self);
}

static bool decode_fused_loc(Decoder *d, bool metadata)
{
	size_t n;
	return cur_count(&d->c, "locations", &n) && decode_loc_list(d, n, metadata);
}

/* ---- attributes ---- */

static bool decode_sparse(Decoder *d)
{
	const Type *t;
	const Attr *indices, *values;
	if (!ref_type(d, &t) || !ref_attr(d, &indices) || !ref_attr(d, &values))
		return false;
	if (!d->missing) {
		const Attr *const v[] = { indices, values };
		d->self->attr = make_list(d->c.r, v, 2);
	}
	return true;
}

static bool decode_attr(Decoder *d, uint64_t code)
{
	switch (code) {
	case 0: return decode_list(d);
	case 1: return decode_dict(d);
	case 2: return decode_string(d, false);
	case 3: return decode_string(d, true);
	case 4: return decode_symbol(d);
	case 5: return decode_symbol_path(d);
	case 6: return decode_type_attr(d);
	case 7:
		d->self->attr = attr_make(d->c.r->c, (Attr){ .kind = ATTR_UNIT });
		return true;
	case 8: return decode_int(d);
	case 9: return decode_float(d);
	case 10: return decode_loc_list(d, 2, false); /* callee, caller */
	case FILE_LOC: return decode_file_loc(d, false);
	case 12: return decode_fused_loc(d, false);
	case 13: return decode_fused_loc(d, true);
	case 14: return decode_name_loc(d);
	case 15: return set_unknown_loc(d->c.r, d->self);
	case 16: return decode_resource_elements(d);
	case 17: return decode_array(d);
	case 18: return decode_elements(d);
	case 19: return decode_string_elements(d);
	case 20: return decode_sparse(d);
	case 21: return ref_attr(d, &d->self->attr);
	case 22: return decode_file_loc(d, true);
	default:
		return bc_error(d->c.r, d->self->data, "unknown builtin attribute %llu", (unsigned long long)code);
	}
}

/* ---- types ---- */

static bool set_type(Decoder *d, const Type *t)
{
	d->self->type = t;
	return t != NULL;
}

static bool set_scalar(Decoder *d, const char *text)
{
	return set_type(d, scalar_type(d->c.r, text));
}

static bool decode_integer_type(Decoder *d)
{
	static const char *const signs[] = { "", "s", "u" };
	uint64_t v;
	if (!cur_varint(&d->c, &v))
		return false;
	if ((v & 3) > 2 || v >> 2 == 0 || v >> 2 >= 1 << 24)
		return bc_error(d->c.r, d->self->data, "malformed integer type %llu", (unsigned long long)v);
	return set_scalar(d, arena_printf(d->c.r->scratch, "%si%u", signs[v & 3], (unsigned)(v >> 2)));
}

/* Texts of types can be long: only small ones are written out, the others are named. */
bool set_function_type(Decoder *d, const Type **in, size_t nin, const Type **out, size_t nout)
{
	Entry *e = d->self;
	BcReader *r = d->c.r;
	Buf b = { 0 };
	FunctionParts parts = { in, out, nin, nout };
	e->function = arena_dup(r->scratch, &parts, sizeof parts);
	if (e->weight < 256)
		function_type_print(in, nin, out, nout, &b);
	else
		buf_printf(&b, "() -> () /* type %zu */", (size_t)(e - r->entries) - r->nattrs);
	e->type = type_make(r->c, (Type){ .kind = TYPE_OPAQUE, .rank = RANK_UNKNOWN, .text = str_n(r->c, b.data, b.len) });
	buf_free(&b);
	return true;
}

bool decode_function_type(Decoder *d)
{
	const Type **in, **out;
	size_t nin, nout;
	if (!ref_types(d, &in, &nin) || !ref_types(d, &out, &nout))
		return false;
	return d->missing || set_function_type(d, in, nin, out, nout);
}

bool decode_complex(Decoder *d)
{
	const Type *t;
	if (!ref_type(d, &t))
		return false;
	if (d->missing)
		return true;
	if (t->kind != TYPE_OPAQUE || !is_complex_part(t->text->s, t->text->len))
		return bc_error(d->c.r, d->self->data, "the parts of a complex type are %s, expected f32 or f64",
			t->kind == TYPE_OPAQUE ? quote(d->c.r->scratch, t->text->s, t->text->len) : "no numbers");
	return set_scalar(d, arena_printf(d->c.r->scratch, "complex<%s>", t->text->s));
}

static bool decode_ranked(Decoder *d, bool encoded)
{
	const Attr *encoding = NULL;
	int64_t *dims;
	size_t rank;
	const Type *elem;
	if ((encoded && !ref_attr(d, &encoding)) || !read_dims(d, &dims, &rank) || !ref_type(d, &elem))
		return false;
	if (d->missing)
		return true;
	if (encoding && encoding->kind != ATTR_TEXT)
		return bc_fail(d->c.r, HONE_UNSUPPORTED, d->self->data, "the encoding of a tensor type is not supported");
	return set_type(d, make_tensor(d, rank, dims, elem, encoding ? encoding->u.str : NULL));
}

bool decode_unranked(Decoder *d)
{
	const Type *elem;
	if (!ref_type(d, &elem))
		return false;
	if (d->missing)
		return true;
	if (!is_tensor_element(elem))
		return bc_error(d->c.r, d->self->data, "the element type of a tensor is no scalar type");
	Type t = { .kind = TYPE_TENSOR, .dtype = scalar_dtype(elem), .rank = RANK_UNKNOWN };
	if (t.dtype == DT_NONE && elem->kind == TYPE_OPAQUE)
		t.text = elem->text;
	return set_type(d, type_make(d->c.r->c, t));
}

bool decode_tuple(Decoder *d)
{
	const Type **v;
	size_t n;
	if (!ref_types(d, &v, &n))
		return false;
	if (d->missing)
		return true;
	return set_type(d, type_make(d->c.r->c,
		(Type){ .kind = TYPE_TUPLE, .rank = RANK_UNKNOWN, .elem = v, .nelem = (int)n }));
}

/* memref, vector and the like: nothing computes with them. */
static bool decode_text_type(Decoder *d)
{
	Entry *e = d->self;
	const Str *text = opaque_entry(d->c.r, e)->u.str;
	d->c.p = d->c.end;
	e->type = type_make(d->c.r->c, (Type){ .kind = TYPE_OPAQUE, .rank = RANK_UNKNOWN, .text = text });
	return true;
}

static bool decode_type(Decoder *d, uint64_t code)
{
	static const char *const floats[] = { "tf32", "f8E5M2", "f8E4M3", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ",
		"f8E4M3B11FNUZ", "f8E3M4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU" }; /* from 21 on */
	switch (code) {
	case 0: return decode_integer_type(d);
	case 1: return set_scalar(d, "index");
	case 2: return decode_function_type(d);
	case 3: return set_scalar(d, "bf16");
	case 4: return set_scalar(d, "f16");
	case 5: return set_scalar(d, "f32");
	case 6: return set_scalar(d, "f64");
	case 7: return set_scalar(d, "f80");
	case 8: return set_scalar(d, "f128");
	case 9: return decode_complex(d);
	case 12: return set_type(d, type_make(d->c.r->c, (Type){ .kind = TYPE_NONE, .rank = RANK_UNKNOWN }));
	case 13: return decode_ranked(d, false);
	case 14: return decode_ranked(d, true);
	case 15: return decode_tuple(d);
	case 18: return decode_unranked(d);
	case 10: case 11: case 16: case 17: case 19: case 20:
		return decode_text_type(d);
	default:
		if (code >= 21 && code - 21 < ARRAY_LEN(floats))
			return set_scalar(d, floats[code - 21]);
		return bc_error(d->c.r, d->self->data, "unknown builtin type %llu", (unsigned long long)code);
	}
}

bool builtin_decode(Decoder *d)
{
	uint64_t code;
	if (!cur_varint(&d->c, &code))
		return false;
	return d->self->is_type ? decode_type(d, code) : decode_attr(d, code);
}

#include "mlir.h"

#include <math.h>
#include <string.h>

/* ---- words ---- */

void print_string(Buf *out, const Str *s)
{
	print_bytes(out, s->s, s->len);
}

void print_symbol(Buf *out, const Str *s)
{
	buf_puts(out, "@");
	if (s && is_word(s->s, s->len))
		buf_put(out, s->s, s->len);
	else
		print_bytes(out, s ? s->s : "", s ? s->len : 0);
}

void print_key(Buf *out, const Str *s)
{
	if (is_word(s->s, s->len))
		buf_put(out, s->s, s->len);
	else
		print_string(out, s);
}

/* ---- numbers ---- */

static void print_hex(Buf *out, int bits, uint64_t v)
{
	buf_printf(out, "0x%0*llX", (bits + 3) / 4, (unsigned long long)v);
}

/* MLIR wants a point in a float: 1 becomes 1.0, 1e+10 becomes 1.0e+10. */
static size_t float_text(Arena *a, DType d, double x, char *out)
{
	const char *s = d == DT_F64 ? format_double(a, x) : format_float(a, (float)x);
	size_t n = strcspn(s, "eE"), len = strlen(s);
	memcpy(out, s, n);
	size_t at = n;
	if (!memchr(s, '.', n)) {
		out[at++] = '.';
		out[at++] = '0';
	}
	memcpy(out + at, s + n, len - n);
	return at + len - n;
}

/* Decimal text when it reads back to the same bits, else the bits. */
static void print_float_bits(Buf *out, Arena *a, DType d, uint64_t bits)
{
	char text[64];
	double x = 0, back;
	bits_to_double(d, bits, &x);
	if (isfinite(x)) {
		size_t n = float_text(a, d, x, text);
		if (parse_double(text, n, &back) && double_to_bits(d, back) == bits && signbit(back) == signbit(x)) {
			buf_put(out, text, n);
			return;
		}
	}
	print_hex(out, dtype_bits(d), bits);
}

/* A value that the type does not hold exactly is given as the 16 digits of a double. */
static void print_float_in(Buf *out, Arena *a, DType d, double x)
{
	uint64_t bits = double_to_bits(d, x), wide = double_to_bits(DT_F64, x);
	double back = 0;
	bits_to_double(d, bits, &back);
	if (double_to_bits(DT_F64, back) == wide)
		print_float_bits(out, a, d, bits);
	else
		print_hex(out, 64, wide);
}

static void print_int(Buf *out, DType d, int64_t v)
{
	if (dtype_class(d) == DC_UINT)
		buf_printf(out, "%llu", (unsigned long long)v);
	else
		buf_printf(out, "%lld", (long long)v);
}

/* ---- types ---- */

static bool type_is_plain(Context *c, const Type *t)
{
	Arena *scratch = arena_new();
	Diags d;
	Parser p;
	diags_init(&d, scratch);
	parser_init(&p, c, &d, scratch, NULL, (Bytes){ (const uint8_t *)t->text->s, t->text->len });
	bool plain = !memchr(t->text->s, 0, t->text->len) && parse_type(&p) == t && at(&p, T_END);
	arena_free(scratch);
	return plain;
}

static void print_sized(Context *c, const Type *t, bool plain, Buf *out);

static void print_types(Context *c, const Type *const *v, int n, bool plain, Buf *out)
{
	for (int i = 0; i < n; i++) {
		if (i > 0)
			buf_puts(out, ", ");
		print_sized(c, v[i], plain, out);
	}
	buf_puts(out, ">");
}

/* As type_print, or with plain sizes type_print_plain, but the text of an opaque type may hold anything. */
static void print_sized(Context *c, const Type *t, bool plain, Buf *out)
{
	switch (t->kind) {
	case TYPE_SEQUENCE:
		buf_puts(out, "!seq<");
		break;
	case TYPE_OPTIONAL:
		buf_puts(out, "!opt<");
		break;
	case TYPE_MAP:
		buf_printf(out, "!map<%s, ", dtype_name(t->dtype));
		break;
	case TYPE_TUPLE:
		buf_puts(out, "tuple<");
		break;
	case TYPE_OPAQUE:
		if (!t->text || !type_is_plain(c, t)) {
			buf_puts(out, "!hone.opaque<");
			print_bytes(out, t->text ? t->text->s : "", t->text ? t->text->len : 0);
			buf_puts(out, ">");
			return;
		}
		type_print(t, out);
		return;
	default:
		(plain ? type_print_plain : type_print)(t, out);
		return;
	}
	print_types(c, t->elem, t->nelem, plain, out);
}

void print_type(Context *c, const Type *t, Buf *out)
{
	print_sized(c, t, false, out);
}

const Str *type_spelling(Context *c, const Type *t)
{
	Buf b = { 0 };
	print_type(c, t, &b);
	const Str *s = str_n(c, b.data, b.len);
	buf_free(&b);
	return s;
}

/* ---- tensors ---- */

static void print_element(Printer *w, DType d, const uint8_t *e)
{
	int64_t v;
	uint64_t bits = 0;
	switch (dtype_class(d)) {
	case DC_STRING: {
		const Str *s;
		memcpy(&s, e, sizeof s);
		print_bytes(w->out, s ? s->s : "", s ? s->len : 0);
		break;
	}
	case DC_COMPLEX: {
		DType part = d == DT_C64 ? DT_F32 : DT_F64;
		buf_puts(w->out, "(");
		print_element(w, part, e);
		buf_puts(w->out, ", ");
		print_element(w, part, e + dtype_size(part));
		buf_puts(w->out, ")");
		break;
	}
	case DC_FLOAT:
		memcpy(&bits, e, dtype_size(d));
		print_float_bits(w->out, w->arena, d, bits);
		break;
	case DC_BOOL:
		buf_puts(w->out, *e ? "true" : "false");
		break;
	default:
		dtype_load_i64(d, e, 1, &v);
		print_int(w->out, d, v);
		break;
	}
}

static const uint8_t *print_nested(Printer *w, const Type *t, int dim, const uint8_t *e)
{
	int64_t n = 0;
	if (dim == t->rank) {
		print_element(w, t->dtype, e);
		return e + dtype_size(t->dtype);
	}
	sym_const(t->dims[dim], &n);
	buf_puts(w->out, "[");
	for (int64_t i = 0; i < n; i++) {
		if (i > 0)
			buf_puts(w->out, ", ");
		e = print_nested(w, t, dim + 1, e);
	}
	buf_puts(w->out, "]");
	printer_flush(w, BLOB_INLINE_BYTES * 16);
	return e;
}

static void print_hex_bytes(Printer *w, const uint8_t *s, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";
	char chunk[1024];
	while (n > 0) {
		size_t part = n < sizeof chunk / 2 ? n : sizeof chunk / 2;
		for (size_t i = 0; i < part; i++) {
			chunk[2 * i] = digits[s[i] >> 4];
			chunk[2 * i + 1] = digits[s[i] & 15];
		}
		buf_put(w->out, chunk, 2 * part);
		s += part;
		n -= part;
		printer_flush(w, (size_t)1 << 20);
	}
}

/* Elements as MLIR has them in hexadecimal strings: one a byte below 8 bits, but for i1 eight a byte in dense<...>. */
static void print_blob_bytes(Printer *w, DType d, const Blob *b, int64_t count, bool resource)
{
	uint8_t chunk[1024];
	const uint8_t *s = b->data;
	if (d == DT_BOOL && !resource) {
		for (int64_t i = 0; i < count; i += 8) {
			uint8_t byte = 0;
			for (int64_t k = 0; k < 8 && i + k < count; k++)
				byte |= (uint8_t)((s[i + k] != 0) << k);
			print_hex_bytes(w, &byte, 1);
		}
	} else if (dtype_bits(d) < 8) {
		for (int64_t i = 0; i < count; i += (int64_t)sizeof chunk) { /* a multiple of 8 elements: whole bytes */
			int64_t n = count - i < (int64_t)sizeof chunk ? count - i : (int64_t)sizeof chunk;
			dtype_unpack(d, s + (size_t)(i / 8) * (size_t)dtype_bits(d), n, chunk);
			print_hex_bytes(w, chunk, (size_t)n);
		}
	} else {
		print_hex_bytes(w, s, b->len);
	}
}

/* Bytes other than 0 and 1 in a bool tensor can only be kept as bytes. */
static bool has_odd_bools(DType d, const Blob *b)
{
	const uint8_t *s = b->data;
	for (size_t i = 0; d == DT_BOOL && i < b->len; i++)
		if (s[i] > 1)
			return true;
	return false;
}

static void print_resource_name(Printer *w, const Attr *a)
{
	void **slot = map_slot(&w->resources, MAP_PTR(a->u.tensor.blob) << 8 | a->u.tensor.type->dtype);
	if (!*slot) {
		VEC_PUSH(w->arena, &w->blobs, a);
		*slot = (void *)(uintptr_t)w->blobs.len;
	}
	buf_printf(w->out, "dense_resource<blob%zu> : ", (size_t)(uintptr_t)*slot - 1);
}

static void print_dense_literal(Printer *w, const Attr *a, int64_t count)
{
	const Blob *b = a->u.tensor.blob;
	const Type *t = a->u.tensor.type;
	size_t size = dtype_size(t->dtype);
	if (b->splat) {
		print_element(w, t->dtype, b->data);
	} else if (has_odd_bools(t->dtype, b)) {
		buf_puts(w->out, "\"0x");
		print_hex_bytes(w, b->data, b->len);
		buf_puts(w->out, "\"");
	} else if (t->dtype == DT_BOOL && w->in_place) {
		print_nested(w, t, 0, b->data);
	} else if (t->dtype != DT_STR && count > BLOB_INLINE_ELEMENTS) {
		buf_puts(w->out, "\"0x");
		print_blob_bytes(w, t->dtype, b, count, false);
		buf_puts(w->out, "\"");
	} else if (dtype_bits(t->dtype) < 8 && t->dtype != DT_STR) {
		uint8_t elements[BLOB_INLINE_ELEMENTS];
		dtype_unpack(t->dtype, b->data, count, elements);
		if (count)
			print_nested(w, t, 0, elements);
	} else if (count || size == 0) {
		print_nested(w, t, 0, b->data);
	}
}

void print_dense(Printer *w, const Attr *a)
{
	const Blob *b = a->u.tensor.blob;
	const Type *t = a->u.tensor.type;
	int64_t count;
	size_t bytes = 0;
	bool valid = t->kind == TYPE_TENSOR && t->dtype != DT_NONE && type_static_numel(t, &count) &&
		dtype_packed_bytes(t->dtype, count, &bytes) && b->len >= (b->splat ? dtype_size(t->dtype) : bytes);
	if (!valid) { /* broken already: shown as it is, for whoever looks for the fault */
		buf_puts(w->out, "dense<\"0x");
		print_hex_bytes(w, b->data, b->len);
		buf_puts(w->out, "\"> : ");
	} else if (!b->splat && t->dtype != DT_STR && bytes > BLOB_INLINE_BYTES && !w->in_place) {
		print_resource_name(w, a);
	} else {
		buf_puts(w->out, "dense<");
		print_dense_literal(w, a, count);
		buf_puts(w->out, "> : ");
	}
	print_type_of(w, t);
}

void print_resources(Printer *w)
{
	if (!w->blobs.len)
		return;
	buf_puts(w->out, "\n{-#\n  dialect_resources: {\n    builtin: {\n");
	for (size_t i = 0; i < w->blobs.len; i++) {
		const Attr *a = w->blobs.data[i];
		DType d = a->u.tensor.type->dtype;
		int64_t count = 0;
		type_static_numel(a->u.tensor.type, &count);
		buf_printf(w->out, "      blob%zu: \"0x%02X000000", i, (unsigned)dtype_size(d));
		print_blob_bytes(w, d, a->u.tensor.blob, count, true);
		buf_puts(w->out, i + 1 < w->blobs.len ? "\",\n" : "\"\n");
	}
	buf_puts(w->out, "    }\n  }\n#-}\n");
}

void print_type_of(Printer *w, const Type *t)
{
	print_sized(w->c, t, w->plain_sizes, w->out);
}

bool types_print_alike(const Printer *w, const Type *a, const Type *b)
{
	Buf x = { 0 }, y = { 0 };
	print_sized(w->c, a, w->plain_sizes, &x);
	print_sized(w->c, b, w->plain_sizes, &y);
	bool alike = x.len == y.len && !memcmp(x.data, y.data, x.len);
	buf_free(&x);
	buf_free(&y);
	return alike;
}

/* ---- attributes ---- */

/* Verbatim text must read back as itself; else it is quoted. */
static bool text_is_plain(Context *c, const Attr *a)
{
	const Str *s = a->u.str;
	Arena *scratch = arena_new();
	Diags d;
	Parser p;
	diags_init(&d, scratch);
	parser_init(&p, c, &d, scratch, NULL, (Bytes){ (const uint8_t *)s->s, s->len });
	bool plain = !memchr(s->s, 0, s->len);
	for (size_t i = 0; plain && i < s->len;) {
		size_t step = utf8_length((const uint8_t *)s->s + i, s->len - i);
		plain = step != 0;
		i += step;
	}
	plain = plain && parse_attr(&p, NULL) == a && at(&p, T_END);
	arena_free(scratch);
	return plain;
}

static void print_text(Printer *w, const Attr *a)
{
	if (text_is_plain(w->c, a)) {
		buf_put(w->out, a->u.str->s, a->u.str->len);
		return;
	}
	buf_puts(w->out, "#hone.text<");
	print_string(w->out, a->u.str);
	buf_puts(w->out, ">");
}

/* i64 is what a bare number has, unless the row wants a float. */
static void print_int_attr(Printer *w, const Attr *a, const AttrDef *hint)
{
	print_int(w->out, a->width, a->u.i);
	if (a->width != DT_I64 || (hint && hint->kind == ATTR_FLOAT))
		buf_printf(w->out, " : %s", dtype_name(a->width));
}

static void print_float_attr(Printer *w, const Attr *a)
{
	DType d = dtype_is_float(a->width) ? a->width : DT_F64;
	print_float_in(w->out, w->arena, d, a->u.f);
	buf_printf(w->out, " : %s", dtype_name(d));
}

static void print_ints(Printer *w, const Attr *a)
{
	DType d = a->width == DT_NONE ? DT_I64 : a->width;
	buf_printf(w->out, "array<%s", dtype_name(d));
	for (size_t i = 0; i < a->u.ints.n; i++) {
		buf_puts(w->out, i ? ", " : ": ");
		if (d == DT_BOOL)
			buf_puts(w->out, a->u.ints.v[i] ? "true" : "false");
		else
			print_int(w->out, d, a->u.ints.v[i]);
	}
	buf_puts(w->out, ">");
}

static void print_floats(Printer *w, const Attr *a)
{
	DType d = dtype_is_float(a->width) ? a->width : DT_F32;
	buf_printf(w->out, "array<%s", dtype_name(d));
	for (size_t i = 0; i < a->u.floats.n; i++) {
		buf_puts(w->out, i ? ", " : ": ");
		print_float_in(w->out, w->arena, d, a->u.floats.v[i]);
	}
	buf_puts(w->out, ">");
}

static void print_strs(Printer *w, const Attr *a)
{
	if (a->u.strs.n == 0) {
		buf_puts(w->out, "array<!hone.str>");
		return;
	}
	for (size_t i = 0; i < a->u.strs.n; i++) {
		buf_puts(w->out, i ? ", " : "[");
		print_string(w->out, a->u.strs.v[i]);
	}
	buf_puts(w->out, "]");
}

/* Whether [..] would read back as something else than a list. */
static bool list_is_ambiguous(const Attr *a, const AttrDef *hint)
{
	AttrKind want = hint ? hint->kind : ATTR_LIST;
	if (want == ATTR_INTS || want == ATTR_FLOATS || want == ATTR_STRS)
		return true;
	for (size_t i = 0; i < a->u.list.n; i++)
		if (a->u.list.v[i]->kind != ATTR_STR)
			return false;
	return a->u.list.n > 0;
}

static void print_list(Printer *w, const Attr *a, const AttrDef *hint)
{
	bool quoted = list_is_ambiguous(a, hint);
	buf_puts(w->out, quoted ? "#hone.list<[" : "[");
	for (size_t i = 0; i < a->u.list.n; i++) {
		if (i > 0)
			buf_puts(w->out, ", ");
		print_attr(w, a->u.list.v[i], NULL);
	}
	buf_puts(w->out, quoted ? "]>" : "]");
}

void print_entry(Printer *w, const Str *key, const Attr *a, const AttrDef *hint, bool *first)
{
	buf_puts(w->out, *first ? "{" : ", ");
	*first = false;
	print_key(w->out, key);
	if (a->kind == ATTR_UNIT)
		return;
	buf_puts(w->out, " = ");
	print_attr(w, a, hint);
}

static void print_dict(Printer *w, const Attr *a)
{
	bool first = true;
	for (size_t i = 0; i < a->u.list.n; i++)
		print_entry(w, a->u.list.names[i], a->u.list.v[i], NULL, &first);
	buf_puts(w->out, first ? "{}" : "}");
}

void print_attr(Printer *w, const Attr *a, const AttrDef *hint)
{
	switch (a->kind) {
	case ATTR_INT:
		print_int_attr(w, a, hint);
		break;
	case ATTR_FLOAT:
		print_float_attr(w, a);
		break;
	case ATTR_STR:
		print_string(w->out, a->u.str);
		break;
	case ATTR_BOOL:
		buf_puts(w->out, a->u.i ? "true" : "false");
		break;
	case ATTR_INTS:
		print_ints(w, a);
		break;
	case ATTR_FLOATS:
		print_floats(w, a);
		break;
	case ATTR_STRS:
		print_strs(w, a);
		break;
	case ATTR_TENSOR:
		print_dense(w, a);
		break;
	case ATTR_TYPE:
		print_type_of(w, a->u.type);
		break;
	case ATTR_LIST:
		print_list(w, a, hint);
		break;
	case ATTR_DICT:
		print_dict(w, a);
		break;
	case ATTR_SYMREF:
		print_symbol(w->out, a->u.str);
		break;
	case ATTR_UNIT:
		buf_puts(w->out, "unit");
		break;
	case ATTR_TEXT:
		print_text(w, a);
		break;
	case ATTR_WIRE:
		buf_puts(w->out, "#hone.wire<\"0x");
		print_hex_bytes(w, (const uint8_t *)a->u.str->s, a->u.str->len);
		buf_puts(w->out, "\">");
		break;
	}
}

const Str *attr_spelling(Context *c, const Attr *a)
{
	Buf b = { 0 };
	Printer w = { .c = c, .arena = arena_new(), .out = &b };
	map_init(&w.resources, w.arena);
	print_attr(&w, a, NULL);
	const Str *s = str_n(c, b.data, b.len);
	buf_free(&b);
	arena_free(w.arena);
	return s;
}

#include "write.h"

#include <stdlib.h>
#include <string.h>

/* Attributes of modules, locations, and what VHLO has no attribute for are builtin ones. */

enum {
	BA_ARRAY, BA_DICT, BA_STRING, BA_SYMBOL = 4, BA_TYPE = 6, BA_UNIT, BA_INTEGER, BA_FLOAT, BA_FILE_LOC = 11,
	BA_NAME_LOC = 14, BA_UNKNOWN_LOC, BA_DENSE_ARRAY = 17, BA_ELEMENTS
};
enum { BT_INTEGER, BT_INDEX, BT_BF16 = 3, BT_F16, BT_F32, BT_F64, BT_TENSOR = 13 };

static uint64_t add_attr(BcWriter *w, Buf *b)
{
	return entry_number(w, &w->attrs, "builtin", true, b);
}

static uint64_t add_type(BcWriter *w, Buf *b)
{
	return entry_number(w, &w->types, "builtin", true, b);
}

uint64_t builtin_string_number(BcWriter *w, const Str *s)
{
	Buf b = { 0 };
	put_varint(&b, BA_STRING);
	put_varint(&b, string_number(w, s));
	return add_attr(w, &b);
}

/* ---- types ---- */

/* Types without a code of their own stand as text. */
static uint64_t text_type(BcWriter *w, const char *text)
{
	Buf b = { 0 };
	buf_puts(&b, text);
	put_byte(&b, 0);
	return entry_number(w, &w->types, "builtin", false, &b);
}

static uint64_t dtype_number(BcWriter *w, DType d)
{
	Buf b = { 0 };
	switch (d) {
	case DT_BF16: put_varint(&b, BT_BF16); break;
	case DT_F16: put_varint(&b, BT_F16); break;
	case DT_F32: put_varint(&b, BT_F32); break;
	case DT_F64: put_varint(&b, BT_F64); break;
	case DT_BOOL:
		put_varint(&b, BT_INTEGER);
		put_varint(&b, 1 << 2);
		break;
	default:
		if (!dtype_is_integer(d))
			return text_type(w, dtype_name(d));
		put_varint(&b, BT_INTEGER);
		put_varint(&b, (uint64_t)dtype_bits(d) << 2 | (dtype_class(d) == DC_UINT ? 2 : 0));
	}
	return add_type(w, &b);
}

static bool builtin_type_number(BcWriter *w, const Type *t, uint64_t *out)
{
	Buf b = { 0 }, text = { 0 };
	int64_t dims[MAX_RANK];
	if (type_is_tensor(t) && t->dtype != DT_NONE && t->dtype != DT_STR && !t->text && type_static_dims(t, dims)) {
		uint64_t elem = dtype_number(w, t->dtype);
		put_varint(&b, BT_TENSOR);
		put_signed_list(&b, dims, (size_t)t->rank);
		put_varint(&b, elem);
		*out = add_type(w, &b);
		return true;
	}
	if (t->kind != TYPE_OPAQUE)
		return write_error(w, "a type in an attribute has no portable form");
	buf_put(&text, t->text->s, t->text->len);
	put_byte(&text, 0);
	*out = entry_number(w, &w->types, "builtin", false, &text);
	return true;
}

/* ---- attributes ---- */

static bool int_number(BcWriter *w, DType d, uint64_t v, uint64_t *out)
{
	Buf b = { 0 };
	d = d == DT_NONE ? DT_I64 : d;
	uint64_t t = dtype_number(w, d);
	put_varint(&b, BA_INTEGER);
	put_varint(&b, t);
	put_bits(&b, d == DT_BOOL ? 1 : dtype_bits(d), v);
	*out = add_attr(w, &b);
	return true;
}

static bool float_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	DType d = dtype_is_float(a->width) ? a->width : DT_F32;
	uint64_t t = dtype_number(w, d), bits = 0;
	float f = (float)a->u.f;
	Buf b = { 0 };
	if (d == DT_F64)
		memcpy(&bits, &a->u.f, sizeof bits);
	else if (d == DT_F32)
		memcpy(&bits, &f, sizeof f);
	else
		bits = dtype_encode_float(d, a->u.f, false);
	put_varint(&b, BA_FLOAT);
	put_varint(&b, t);
	put_bits(&b, dtype_bits(d), bits);
	*out = add_attr(w, &b);
	return true;
}

/* array<i32: 1, 2>. */
static bool dense_array(BcWriter *w, const Attr *a, uint64_t *out)
{
	bool floats = a->kind == ATTR_FLOATS;
	size_t n = floats ? a->u.floats.n : a->u.ints.n;
	DType d = a->width == DT_NONE ? floats ? DT_F32 : DT_I64 : a->width;
	uint64_t t = dtype_number(w, d);
	uint8_t *bytes = arena_alloc(w->scratch, n * dtype_size(d) + 1);
	Buf b = { 0 };
	if (floats)
		dtype_store_f64(d, bytes, (int64_t)n, a->u.floats.v);
	else
		dtype_store_i64(d, bytes, (int64_t)n, a->u.ints.v);
	put_varint(&b, BA_DENSE_ARRAY);
	put_varint(&b, t);
	put_varint(&b, n);
	put_varint(&b, n * dtype_size(d));
	if (n)
		buf_put(&b, bytes, n * dtype_size(d));
	*out = add_attr(w, &b);
	return true;
}

/* Small tensors: modules have no large ones. */
static bool elements(BcWriter *w, const Attr *a, uint64_t *out)
{
	uint64_t t, len;
	bool inline_bytes;
	Buf head = { 0 }, data = { 0 };
	bool ok = builtin_type_number(w, a->u.tensor.type, &t) && tensor_bytes(w, a, &data, &inline_bytes, &len);
	if (ok && !inline_bytes)
		ok = write_error(w, "a large tensor as attribute of the module has no portable form");
	if (ok) {
		put_varint(&head, BA_ELEMENTS);
		put_varint(&head, t);
		put_varint(&head, len);
		if (len)
			buf_put(&head, data.data, data.len);
		*out = add_attr(w, &head);
	}
	buf_free(&data);
	return ok;
}

/* What is no builtin attribute stands as its text, with the dialect that it begins with. */
static bool text_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	Scan s = scan_of(a->u.str);
	const char *word = "builtin";
	size_t len = strlen(word);
	bool dialect = scan_is(&s, "#");
	if (a->u.str->len == 0 || !is_plain_text(a->u.str->s, a->u.str->len) || !strncmp(a->u.str->s, "#bytecode.", 10) ||
		(dialect && !scan_word(&s, &word, &len)))
		return write_error(w, "attribute %s has no portable form", quote(w->scratch, a->u.str->s, a->u.str->len));
	const char *dot = dialect ? memchr(word, '.', len) : NULL;
	Buf b = { 0 };
	buf_put(&b, a->u.str->s, a->u.str->len);
	put_byte(&b, 0);
	*out = entry_number(w, &w->attrs, str_n(w->c, word, dot ? (size_t)(dot - word) : len)->s, false, &b);
	return true;
}

static bool list_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	bool strings = a->kind == ATTR_STRS;
	size_t n = strings ? a->u.strs.n : a->u.list.n;
	uint64_t *v = NEW_ARRAY(w->scratch, uint64_t, n);
	Buf b = { 0 };
	for (size_t i = 0; i < n; i++) {
		if (strings)
			v[i] = builtin_string_number(w, a->u.strs.v[i]);
		else if (!builtin_attr_number(w, a->u.list.v[i], &v[i]))
			return false;
	}
	put_varint(&b, BA_ARRAY);
	put_varint(&b, n);
	for (size_t i = 0; i < n; i++)
		put_varint(&b, v[i]);
	*out = add_attr(w, &b);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const NamedAttr *)a)->name->s, ((const NamedAttr *)b)->name->s);
}

bool builtin_dict_number(BcWriter *w, const NamedAttr *list, size_t n, bool vhlo, uint64_t *out)
{
	NamedAttr *v = arena_dup(w->scratch, list, n * sizeof *v);
	uint64_t *numbers = NEW_ARRAY(w->scratch, uint64_t, 2 * n);
	Buf b = { 0 };
	if (n)
		qsort(v, n, sizeof *v, by_name);
	for (size_t i = 0; i < n; i++) {
		numbers[2 * i] = builtin_string_number(w, v[i].name);
		if (!(vhlo ? attr_number : builtin_attr_number)(w, v[i].value, &numbers[2 * i + 1]))
			return false;
	}
	put_varint(&b, BA_DICT);
	put_varint(&b, n);
	for (size_t i = 0; i < 2 * n; i++)
		put_varint(&b, numbers[i]);
	*out = add_attr(w, &b);
	return true;
}

static bool dict_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	NamedAttr *v = NEW_ARRAY(w->scratch, NamedAttr, a->u.list.n);
	for (size_t i = 0; i < a->u.list.n; i++)
		v[i] = (NamedAttr){ a->u.list.names[i], a->u.list.v[i] };
	return builtin_dict_number(w, v, a->u.list.n, false, out);
}

static bool symbol_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	Buf b = { 0 };
	uint64_t name = builtin_string_number(w, a->u.str);
	if (a->u.str->len == 0)
		return write_error(w, "a symbol without a name has no portable form");
	put_varint(&b, BA_SYMBOL);
	put_varint(&b, name);
	*out = add_attr(w, &b);
	return true;
}

static bool type_attr(BcWriter *w, const Attr *a, uint64_t *out)
{
	uint64_t t;
	Buf b = { 0 };
	if (!builtin_type_number(w, a->u.type, &t))
		return false;
	put_varint(&b, BA_TYPE);
	put_varint(&b, t);
	*out = add_attr(w, &b);
	return true;
}

static bool attr_here(BcWriter *w, const Attr *a, uint64_t *out)
{
	Buf b = { 0 };
	switch (a->kind) {
	case ATTR_INT: return int_number(w, a->width, (uint64_t)a->u.i, out);
	case ATTR_BOOL: return int_number(w, DT_BOOL, a->u.i != 0, out);
	case ATTR_FLOAT: return float_number(w, a, out);
	case ATTR_STR: *out = builtin_string_number(w, a->u.str); return true;
	case ATTR_SYMREF: return symbol_number(w, a, out);
	case ATTR_INTS:
	case ATTR_FLOATS: return dense_array(w, a, out);
	case ATTR_LIST:
	case ATTR_STRS: return list_number(w, a, out);
	case ATTR_DICT: return dict_number(w, a, out);
	case ATTR_TYPE: return type_attr(w, a, out);
	case ATTR_TENSOR: return elements(w, a, out);
	case ATTR_TEXT: return text_number(w, a, out);
	case ATTR_UNIT:
		put_varint(&b, BA_UNIT);
		*out = add_attr(w, &b);
		return true;
	default: return write_error(w, "an attribute has no portable form");
	}
}

bool builtin_attr_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	void *known = map_get(&w->attrs.builtin, MAP_PTR(a));
	if (known) {
		*out = (uint64_t)(uintptr_t)known - 1;
		return true;
	}
	if (!write_enter(w))
		return false;
	bool ok = attr_here(w, a, out);
	write_leave(w);
	if (ok)
		map_put(&w->attrs.builtin, MAP_PTR(a), (void *)(uintptr_t)(*out + 1));
	return ok;
}

/* ---- locations ---- */

/* Places in the file that was read say nothing about where the model came from. */
static bool is_own_place(const BcWriter *w, const Loc *l)
{
	return !l->file || !l->line || (w->m->path && !strcmp(l->file, w->m->path));
}

bool loc_is_unknown(BcWriter *w, const Loc *l)
{
	return !l || (is_own_place(w, l) && !l->what);
}

uint64_t loc_number(BcWriter *w, const Loc *l, const Str *name)
{
	Buf b = { 0 };
	uint64_t place;
	if (!l || is_own_place(w, l)) {
		put_varint(&b, BA_UNKNOWN_LOC);
	} else {
		uint64_t file = builtin_string_number(w, str(w->c, l->file));
		put_varint(&b, BA_FILE_LOC);
		put_varint(&b, file);
		put_varint(&b, l->line);
		put_varint(&b, l->col);
	}
	place = add_attr(w, &b);
	const Str *what = name ? name : l && l->what ? str(w->c, l->what) : NULL;
	if (!what)
		return place;
	uint64_t text = builtin_string_number(w, what);
	put_varint(&b, BA_NAME_LOC);
	put_varint(&b, text);
	put_varint(&b, place);
	return add_attr(w, &b);
}

#include "write.h"

#include <stdlib.h>
#include <string.h>

/* Attributes of VHLO. */

static uint64_t add_attr(BcWriter *w, Buf *b)
{
	return entry_number(w, &w->attrs, "vhlo", true, b);
}

uint64_t vhlo_string_number(BcWriter *w, const Str *s)
{
	Buf b = { 0 };
	put_varint(&b, VA_STRING);
	put_varint(&b, string_number(w, s));
	return add_attr(w, &b);
}

uint64_t vhlo_bool_number(BcWriter *w, bool v)
{
	Buf b = { 0 };
	put_varint(&b, VA_BOOL);
	put_varint(&b, v);
	return add_attr(w, &b);
}

bool vhlo_list_number(BcWriter *w, const uint64_t *v, size_t n, uint64_t *out)
{
	Buf b = { 0 };
	put_varint(&b, VA_ARRAY);
	put_varint(&b, n);
	for (size_t i = 0; i < n; i++)
		put_varint(&b, v[i]);
	*out = add_attr(w, &b);
	return true;
}

bool vhlo_enum_number(BcWriter *w, const char *name, const char *word, size_t len, uint64_t *out)
{
	uint64_t code, number;
	Buf b = { 0 };
	if (!vhlo_enum(name, word, len, &code, &number))
		return write_error(w, "%s is no %s", quote(w->scratch, word, len), name);
	put_varint(&b, code);
	put_varint(&b, number);
	*out = add_attr(w, &b);
	return true;
}

static bool scalar_type_number(BcWriter *w, const char *name, uint64_t *out)
{
	Scan s = { name, name + strlen(name) };
	return type_text_number(w, &s, out);
}

static bool int_of_type(BcWriter *w, const char *type, int width, int64_t v, uint64_t *out)
{
	uint64_t t;
	Buf b = { 0 };
	if (!scalar_type_number(w, type, &t))
		return false;
	put_varint(&b, VA_INTEGER);
	put_varint(&b, t);
	put_bits(&b, width, (uint64_t)v);
	*out = add_attr(w, &b);
	return true;
}

bool vhlo_int_number(BcWriter *w, DType d, int64_t v, uint64_t *out)
{
	d = d == DT_NONE ? DT_I64 : d;
	return int_of_type(w, dtype_name(d), dtype_bits(d), v, out);
}

uint64_t vhlo_none_number(BcWriter *w)
{
	Buf b = { 0 };
	put_varint(&b, VT_NONE);
	uint64_t none = entry_number(w, &w->types, "vhlo", true, &b);
	put_varint(&b, VA_TYPE);
	put_varint(&b, none);
	return add_attr(w, &b);
}

static bool float_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	DType d = dtype_is_float(a->width) ? a->width : DT_F32;
	uint64_t t, bits = 0;
	float f = (float)a->u.f;
	Buf b = { 0 };
	if (!scalar_type_number(w, dtype_name(d), &t))
		return false;
	if (d == DT_F64)
		memcpy(&bits, &a->u.f, sizeof bits);
	else if (d == DT_F32)
		memcpy(&bits, &f, sizeof f);
	else
		bits = dtype_encode_float(d, a->u.f, false);
	put_varint(&b, VA_FLOAT);
	put_varint(&b, t);
	put_bits(&b, dtype_bits(d), bits);
	*out = add_attr(w, &b);
	return true;
}

/* ---- tensors ---- */

#define INLINE_BYTES 256      /* tensors up to this size stand among the bytes of their entry, so that equal ones are one */

/* Whether all elements have the bytes of the first: then one stands for all. */
static bool all_alike(const uint8_t *p, size_t len, size_t size)
{
	return len > size && memcmp(p, p + size, len - size) == 0;
}

void put_bools(Buf *b, const uint8_t *v, int64_t n)
{
	for (int64_t i = 0; i < n; i += 8) {
		unsigned byte = 0;
		for (int64_t k = i; k < n && k < i + 8; k++)
			byte |= (unsigned)(v[k] & 1) << (k - i);
		put_byte(b, (uint8_t)byte);
	}
}

static uint8_t narrow_mask(DType d)
{
	return (uint8_t)((1u << dtype_bits(d)) - 1);
}

void narrow_bytes(DType d, const void *packed, int64_t n, uint8_t *out)
{
	dtype_unpack(d, packed, n, out);
	for (int64_t i = 0; i < n; i++)
		out[i] &= narrow_mask(d);
}

bool tensor_bytes(BcWriter *w, const Attr *a, Buf *b, bool *inline_bytes, uint64_t *len)
{
	const Type *t = a->u.tensor.type;
	const Blob *blob = a->u.tensor.blob;
	int64_t n;
	size_t size = dtype_size(t->dtype);
	if (t->dtype == DT_NONE || t->dtype == DT_STR || !type_static_numel(t, &n))
		return write_error(w, "a constant of strings or of an unknown type has no portable form");
	const uint8_t *p = blob->data;
	bool narrow = dtype_bits(t->dtype) % 8 != 0, splat = n > 0 && (blob->splat || (!narrow && all_alike(p, blob->len, size)));
	*inline_bytes = true;
	if (splat && t->dtype == DT_BOOL) {
		put_byte(b, p[0] & 1 ? 0xFF : 0);
	} else if (splat && narrow) {
		put_byte(b, p[0] & narrow_mask(t->dtype));
	} else if (splat) {
		buf_put(b, p, size);
	} else if (t->dtype == DT_BOOL && n == 1) {
		put_byte(b, p[0] & 1 ? 0xFF : 0);
	} else if (n <= INLINE_BYTES && t->dtype == DT_BOOL) {
		put_bools(b, p, n);
	} else if (narrow && n <= INLINE_BYTES) {
		uint8_t flat[INLINE_BYTES];
		narrow_bytes(t->dtype, p, n, flat);
		buf_put(b, flat, (size_t)n);
	} else if (!narrow && t->dtype != DT_BOOL && blob->len <= INLINE_BYTES) {
		buf_put(b, p, blob->len);
	} else {
		*inline_bytes = false;
		*len = t->dtype == DT_BOOL ? ((uint64_t)n + 7) / 8 : (uint64_t)n * size;
		return true;
	}
	*len = b->len;
	return true;
}

static bool tensor_attr(BcWriter *w, const Attr *a, uint64_t *out)
{
	uint64_t t, len;
	bool inline_bytes;
	Buf head = { 0 }, data = { 0 };
	if (!type_number(w, a->u.tensor.type, &t) || !tensor_bytes(w, a, &data, &inline_bytes, &len)) {
		buf_free(&data);
		return false;
	}
	put_varint(&head, VA_TENSOR);
	put_varint(&head, t);
	put_varint(&head, len);
	if (inline_bytes && len)
		buf_put(&head, data.data, data.len);
	*out = inline_bytes ? add_attr(w, &head) : tensor_number(w, a, len, &head);
	buf_free(&data);
	return true;
}

/* Bytes of a list of n integers, one when all are alike. */
static void put_words(Buf *b, const int64_t *v, size_t n)
{
	size_t len = n * sizeof *v;
	if (n && all_alike((const uint8_t *)v, len, sizeof *v))
		len = sizeof *v;
	put_varint(b, len);
	if (len)
		buf_put(b, v, len);
}

static bool words_number(BcWriter *w, const int64_t *v, size_t n, const int64_t *dims, size_t rank, const char *elem,
	uint64_t *out)
{
	uint64_t t;
	Buf b = { 0 };
	if (!tensor_type_number(w, dims, rank, elem, &t))
		return false;
	put_varint(&b, VA_TENSOR);
	put_varint(&b, t);
	put_words(&b, v, n);
	*out = add_attr(w, &b);
	return true;
}

bool ints_number(BcWriter *w, const int64_t *v, size_t n, bool pairs, bool bools, uint64_t *out)
{
	int64_t dims[2] = { pairs ? (int64_t)(n / 2) : (int64_t)n, 2 };
	if (!bools)
		return words_number(w, v, n, dims, pairs ? 2 : 1, "i64", out);
	uint64_t t;
	Buf b = { 0 };
	uint8_t *bits = arena_alloc(w->scratch, n + 1);
	for (size_t i = 0; i < n; i++)
		bits[i] = v[i] != 0;
	if (!tensor_type_number(w, dims, 1, "i1", &t))
		return false;
	put_varint(&b, VA_TENSOR);
	put_varint(&b, t);
	if (n == 1 || (n && all_alike(bits, n, 1))) {
		put_varint(&b, 1);
		put_byte(&b, bits[0] ? 0xFF : 0);
	} else {
		put_varint(&b, (n + 7) / 8);
		put_bools(&b, bits, (int64_t)n);
	}
	*out = add_attr(w, &b);
	return true;
}

/* ---- texts ---- */

static bool malformed(BcWriter *w, const Attr *a)
{
	return write_error(w, "malformed attribute %s", quote(w->scratch, a->u.str->s, a->u.str->len));
}

/* Numbers of dense<...>, whatever their nesting. */
static bool dense_words(BcWriter *w, Scan *s, int64_t **out, size_t *n)
{
	VEC(int64_t) v = { 0 };
	int depth = 0;
	while (depth > 0 || !scan_is(s, ">")) {
		int64_t x;
		if (scan_is(s, "["))
			depth++;
		else if (scan_is(s, "]"))
			depth--;
		else if (scan_is(s, ","))
			continue;
		else if (!scan_int(s, &x))
			return false;
		else
			VEC_PUSH(w->scratch, &v, x);
	}
	*out = v.data;
	*n = v.len;
	return true;
}

/* dense<[1, 0]> : tensor<2xindex>: hone has no element type index. */
static bool index_tensor(BcWriter *w, const Attr *a, Scan s, uint64_t *out)
{
	VEC(int64_t) dims = { 0 };
	int64_t *v, x, count = 1;
	size_t n;
	if (!dense_words(w, &s, &v, &n) || !scan_is(&s, ":") || !scan_is(&s, "tensor<"))
		return malformed(w, a);
	while (!scan_is(&s, "index>")) {
		if (!scan_int(&s, &x) || x < 0 || !scan_is(&s, "x") || __builtin_mul_overflow(count, x, &count))
			return malformed(w, a);
		VEC_PUSH(w->scratch, &dims, x);
	}
	if (!scan_end(&s) || ((int64_t)n != count && n != 1))
		return malformed(w, a);
	return words_number(w, v, n, dims.data, dims.len, "index", out);
}

static bool alias_number(BcWriter *w, const Attr *a, Scan s, uint64_t *out)
{
	int64_t *outputs, *operands, index;
	size_t noutputs, noperands;
	Buf b = { 0 };
	if (!scan_is(&s, "output_tuple_indices =") || !scan_ints(&s, w->scratch, &outputs, &noutputs) ||
		!scan_is(&s, ", operand_index =") || !scan_int(&s, &index) || !scan_is(&s, ",") ||
		!scan_is(&s, "operand_tuple_indices =") || !scan_ints(&s, w->scratch, &operands, &noperands) || !scan_is(&s, ">"))
		return malformed(w, a);
	put_varint(&b, VA_ALIAS);
	put_signed_list(&b, outputs, noutputs);
	put_signed(&b, index);
	put_signed_list(&b, operands, noperands);
	*out = add_attr(w, &b);
	return true;
}

static bool accuracy_number(BcWriter *w, const Attr *a, Scan s, uint64_t *out)
{
	double atol = 0, rtol = 0;
	int64_t ulps = 0;
	uint64_t mode = 0;
	bool has_mode = false;
	Buf b = { 0 };
	for (bool first = true; !scan_is(&s, ">"); first = false) {
		const char *word;
		size_t len;
		bool ok = first || scan_is(&s, ",");
		if (ok && scan_is(&s, "atol ="))
			ok = scan_double(&s, &atol);
		else if (ok && scan_is(&s, "rtol ="))
			ok = scan_double(&s, &rtol);
		else if (ok && scan_is(&s, "ulps ="))
			ok = scan_int(&s, &ulps);
		else if (ok && scan_is(&s, "mode ="))
			ok = (scan_is(&s, "#stablehlo.result_accuracy_mode<") || scan_is(&s, "#stablehlo<result_accuracy_mode ")) &&
				scan_word(&s, &word, &len) && (has_mode = vhlo_enum_number(w, "result_accuracy_mode", word, len, &mode)) &&
				scan_is(&s, ">");
		else
			ok = false;
		if (!ok)
			return malformed(w, a);
	}
	if (!has_mode && !vhlo_enum_number(w, "result_accuracy_mode", "DEFAULT", 7, &mode))
		return false;
	put_varint(&b, VA_ACCURACY);
	put_double(&b, atol);
	put_double(&b, rtol);
	put_signed(&b, ulps);
	put_varint(&b, mode);
	*out = add_attr(w, &b);
	bool plain = !has_mode && atol == 0 && rtol == 0 && ulps == 0; /* what ops of earlier versions mean */
	return plain || write_needs(w, 1009, "result_accuracy");
}

/* (4)2: sizes before and of a part of an axis. */
static bool sub_axis_number(BcWriter *w, Scan *s, uint64_t *out)
{
	int64_t before, size;
	Buf b = { 0 };
	scan_is(s, "#stablehlo.sub_axis_info<"); /* spelt out or bare */
	if (!scan_is(s, "(") || !scan_int(s, &before) || !scan_is(s, ")") || !scan_int(s, &size))
		return false;
	put_varint(&b, VA_SUB_AXIS);
	put_signed(&b, before);
	put_signed(&b, size);
	*out = add_attr(w, &b);
	return true;
}

static bool axis_number(BcWriter *w, Scan *s, uint64_t *out)
{
	const char *name;
	size_t len;
	uint64_t sub;
	Buf b = { 0 };
	if (!scan_is(s, "#stablehlo.axis_ref<name =") || !scan_string(s, w->scratch, &name, &len))
		return false;
	bool has_sub = scan_is(s, ", sub_axis_info =");
	if ((has_sub && !sub_axis_number(w, s, &sub)) || !scan_is(s, ">"))
		return false;
	uint64_t text = vhlo_string_number(w, str_n(w->c, name, len));
	put_varint(&b, VA_AXIS);
	put_varint(&b, text);
	put_varint(&b, has_sub);
	if (has_sub)
		put_varint(&b, sub);
	*out = add_attr(w, &b);
	return true;
}

static bool mesh_symbol(BcWriter *w, Scan *s, uint64_t *out)
{
	const char *name;
	size_t len;
	if (!scan_is(s, "@") || (!scan_string(s, w->scratch, &name, &len) && !scan_word(s, &name, &len)))
		return false;
	*out = vhlo_string_number(w, str_n(w->c, name, len));
	return true;
}

static bool mesh_axes_number(BcWriter *w, const Attr *a, Scan s, uint64_t *out)
{
	VEC(uint64_t) axes = { 0 };
	uint64_t mesh, list, axis;
	Buf b = { 0 };
	if (!scan_is(&s, "mesh =") || !mesh_symbol(w, &s, &mesh) || !scan_is(&s, ", axes = ["))
		return malformed(w, a);
	while (!scan_is(&s, "]")) {
		if ((axes.len && !scan_is(&s, ",")) || !axis_number(w, &s, &axis))
			return malformed(w, a);
		VEC_PUSH(w->scratch, &axes, axis);
	}
	if (!scan_is(&s, ">") || !vhlo_list_number(w, axes.data, axes.len, &list))
		return malformed(w, a);
	put_varint(&b, VA_MESH_AXES);
	put_varint(&b, mesh);
	put_varint(&b, list);
	*out = add_attr(w, &b);
	return write_needs(w, 1016, "a mesh of axes");
}

static bool extensions_number(BcWriter *w, const Attr *a, Scan s, uint64_t *out)
{
	int64_t *v;
	size_t n;
	Buf b = { 0 };
	if (!scan_is(&s, "bounds =") || !scan_ints(&s, w->scratch, &v, &n) || !scan_is(&s, ">"))
		return malformed(w, a);
	put_varint(&b, VA_EXTENSIONS);
	put_signed_list(&b, v, n);
	*out = add_attr(w, &b);
	return true;
}

/* #stablehlo<precision HIGH>, #stablehlo.result_accuracy_mode<HIGHEST>. */
static bool enum_text(BcWriter *w, const Attr *a, Scan s, uint64_t *out)
{
	const char *name, *word;
	size_t n, len;
	bool braced = scan_is(&s, "<");
	if (!(braced || scan_is(&s, ".")) || !scan_word(&s, &name, &n) || (!braced && !scan_is(&s, "<")) ||
		!scan_word(&s, &word, &len) || !scan_is(&s, ">") || !scan_end(&s))
		return malformed(w, a);
	return vhlo_enum_number(w, str_n(w->c, name, n)->s, word, len, out);
}

/* Another dialect's, or a builtin one that VHLO lacks. */
static bool foreign_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	return builtin_attr_number(w, a, out) && write_needs(w, STABLEHLO_MIXED, "an attribute of another dialect");
}

/* 12 : index. */
static bool index_text(BcWriter *w, const Attr *a, Scan s, uint64_t *out)
{
	int64_t v;
	if (!scan_int(&s, &v) || !scan_is(&s, ": index") || !scan_end(&s))
		return foreign_number(w, a, out);
	return int_of_type(w, "index", 64, v, out);
}

static bool text_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	Scan s = scan_of(a->u.str);
	if (scan_is(&s, "dense<"))
		return index_tensor(w, a, s, out);
	if (scan_is(&s, "#stablehlo.output_operand_alias<"))
		return alias_number(w, a, s, out);
	if (scan_is(&s, "#stablehlo.result_accuracy<"))
		return accuracy_number(w, a, s, out);
	if (scan_is(&s, "#stablehlo.type_extensions<"))
		return extensions_number(w, a, s, out);
	if (scan_is(&s, "#stablehlo.replica_group_mesh_axes<"))
		return mesh_axes_number(w, a, s, out);
	Scan axis = s;
	if (scan_is(&s, "#stablehlo.axis_ref<"))
		return axis_number(w, &axis, out) || malformed(w, a);
	if (scan_is(&s, "#stablehlo"))
		return enum_text(w, a, s, out);
	if (s.s < s.end && (*s.s == '-' || (*s.s >= '0' && *s.s <= '9')))
		return index_text(w, a, s, out);
	return foreign_number(w, a, out);
}

/* ---- any attribute ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const NamedAttr *)a)->name->s, ((const NamedAttr *)b)->name->s);
}

static bool list_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	uint64_t *v = NEW_ARRAY(w->scratch, uint64_t, a->u.list.n);
	for (size_t i = 0; i < a->u.list.n; i++)
		if (!attr_number(w, a->u.list.v[i], &v[i]))
			return false;
	return vhlo_list_number(w, v, a->u.list.n, out);
}

static bool strings_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	uint64_t *v = NEW_ARRAY(w->scratch, uint64_t, a->u.strs.n);
	for (size_t i = 0; i < a->u.strs.n; i++)
		v[i] = vhlo_string_number(w, a->u.strs.v[i]);
	return vhlo_list_number(w, v, a->u.strs.n, out);
}

static bool dict_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	size_t n = a->u.list.n;
	NamedAttr *v = NEW_ARRAY(w->scratch, NamedAttr, n);
	uint64_t *numbers = NEW_ARRAY(w->scratch, uint64_t, 2 * n);
	Buf b = { 0 };
	for (size_t i = 0; i < n; i++)
		v[i] = (NamedAttr){ a->u.list.names[i], a->u.list.v[i] };
	if (n)
		qsort(v, n, sizeof *v, by_name);
	for (size_t i = 0; i < n; i++) {
		numbers[2 * i] = vhlo_string_number(w, v[i].name);
		if (!attr_number(w, v[i].value, &numbers[2 * i + 1]))
			return false;
	}
	put_varint(&b, VA_DICT);
	put_varint(&b, n);
	for (size_t i = 0; i < 2 * n; i++)
		put_varint(&b, numbers[i]);
	*out = add_attr(w, &b);
	return true;
}

static bool type_attr(BcWriter *w, const Attr *a, uint64_t *out)
{
	uint64_t t;
	Buf b = { 0 };
	if (!type_number(w, a->u.type, &t))
		return false;
	put_varint(&b, VA_TYPE);
	put_varint(&b, t);
	*out = add_attr(w, &b);
	return true;
}

static bool attr_number_here(BcWriter *w, const Attr *a, uint64_t *out)
{
	switch (a->kind) {
	case ATTR_INT: return vhlo_int_number(w, a->width, a->u.i, out);
	case ATTR_BOOL: *out = vhlo_bool_number(w, a->u.i != 0); return true;
	case ATTR_FLOAT: return float_number(w, a, out);
	case ATTR_STR:
	case ATTR_SYMREF:
		*out = vhlo_string_number(w, a->u.str);
		return a->kind == ATTR_STR || a->u.str->len || write_error(w, "a symbol without a name has no portable form");
	case ATTR_INTS:
		if (a->width == DT_NONE || a->width == DT_BOOL)
			return ints_number(w, a->u.ints.v, a->u.ints.n, false, a->width == DT_BOOL, out);
		return foreign_number(w, a, out);
	case ATTR_STRS: return strings_number(w, a, out);
	case ATTR_TENSOR: return tensor_attr(w, a, out);
	case ATTR_TYPE: return type_attr(w, a, out);
	case ATTR_LIST: return list_number(w, a, out);
	case ATTR_DICT: return dict_number(w, a, out);
	case ATTR_TEXT: return text_number(w, a, out);
	default: return foreign_number(w, a, out);
	}
}

bool attr_number(BcWriter *w, const Attr *a, uint64_t *out)
{
	void *known = map_get(&w->attrs.vhlo, MAP_PTR(a));
	if (known) {
		*out = (uint64_t)(uintptr_t)known - 1;
		return true;
	}
	if (!write_enter(w))
		return false;
	bool ok = attr_number_here(w, a, out);
	write_leave(w);
	if (ok)
		map_put(&w->attrs.vhlo, MAP_PTR(a), (void *)(uintptr_t)(*out + 1));
	return ok;
}

#include "mlirbc.h"
#include "write.h"

#include <math.h>
#include <string.h>

/* Attributes and types of VHLO. Each entry begins with its code; the tables below have the names of enum values in the
 * order of their numbers. */

typedef struct EnumNames {
	uint8_t code, first, n;       /* of the attribute; number of the first name */
	const char *name;
	const char *names[6];
} EnumNames;

static const EnumNames enums[] = {
	{ VA_DIRECTION, 0, 6, "comparison_direction", { "EQ", "NE", "GE", "GT", "LE", "LT" } },
	{ VA_COMPARE_TYPE, 0, 5, "comparison_type", { "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" } },
	{ VA_FFT, 0, 4, "fft_type", { "FFT", "IFFT", "RFFT", "IRFFT" } },
	{ VA_PRECISION, 0, 3, "precision", { "DEFAULT", "HIGH", "HIGHEST" } },
	{ VA_RNG_ALGORITHM, 0, 3, "rng_algorithm", { "DEFAULT", "THREE_FRY", "PHILOX" } },
	{ VA_RNG_DISTRIBUTION, 1, 2, "rng_distribution", { "UNIFORM", "NORMAL" } },
	{ VA_TRANSPOSE, 0, 4, "transpose", { "TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" } },
	{ VA_ACCURACY_MODE, 0, 3, "result_accuracy_mode", { "DEFAULT", "HIGHEST", "TOLERANCE" } },
};

const Attr *enum_words(BcReader *r, const Attr *a)
{
	if (a->kind == ATTR_LIST && a->u.list.n) {
		const Attr **v = NEW_ARRAY(r->scratch, const Attr *, a->u.list.n);
		for (size_t i = 0; i < a->u.list.n; i++)
			v[i] = a->u.list.v[i]->kind == ATTR_TEXT ? enum_words(r, a->u.list.v[i]) : a->u.list.v[i];
		return make_list(r, v, a->u.list.n);
	}
	if (a->kind != ATTR_TEXT || (strncmp(a->u.str->s, "#stablehlo<", 11) != 0 && strncmp(a->u.str->s, "#chlo<", 6) != 0))
		return a;
	const char *word = strchr(a->u.str->s, ' ');
	size_t len = word ? strlen(word + 1) : 0;
	return len ? attr_str(r->c, str_n(r->c, word + 1, len - 1)) : a;
}

bool vhlo_enum(const char *name, const char *word, size_t len, uint64_t *code, uint64_t *number)
{
	for (size_t i = 0; i < ARRAY_LEN(enums); i++) {
		const EnumNames *e = &enums[i];
		for (size_t k = 0; k < e->n && !strcmp(e->name, name); k++) {
			if (strlen(e->names[k]) != len || memcmp(e->names[k], word, len) != 0)
				continue;
			*code = e->code;
			*number = k + e->first;
			return true;
		}
	}
	return false;
}

static bool decode_enum(Decoder *d, uint64_t code, bool *found)
{
	BcReader *r = d->c.r;
	uint64_t v;
	for (size_t i = 0; i < ARRAY_LEN(enums); i++) {
		const EnumNames *e = &enums[i];
		if (e->code != code)
			continue;
		*found = true;
		if (!cur_varint(&d->c, &v))
			return false;
		if (v < e->first || v - e->first >= e->n)
			return bc_error(r, d->self->data, "number %llu of an enum is out of range", (unsigned long long)v);
		d->self->attr = make_text(r, str_fmt(r->c, "#stablehlo<%s %s>", e->name, e->names[v - e->first]));
		return true;
	}
	return true;
}

/* ---- numbers ---- */

static bool decode_bool(Decoder *d)
{
	uint64_t v;
	if (!cur_varint(&d->c, &v))
		return false;
	if (v > 1)
		return bc_error(d->c.r, d->self->data, "a boolean is %llu", (unsigned long long)v);
	d->self->attr = attr_bool(d->c.r->c, v != 0);
	return true;
}

static bool decode_api_version(Decoder *d)
{
	uint64_t v;
	if (!cur_varint(&d->c, &v))
		return false;
	if (v > 4)
		return bc_error(d->c.r, d->self->data, "API version %llu is out of range", (unsigned long long)v);
	d->self->attr = attr_make(d->c.r->c, (Attr){ .kind = ATTR_INT, .width = DT_I32, .u.i = (int64_t)v });
	return true;
}

static bool decode_integer(Decoder *d)
{
	const Type *t;
	uint64_t bits;
	if (!ref_type(d, &t) || d->missing)
		return d->missing;
	DType e = scalar_dtype(t);
	bool index = t->kind == TYPE_OPAQUE && !strcmp(t->text->s, "index");
	if (!index && e != DT_BOOL && !dtype_is_integer(e))
		return bc_error(d->c.r, d->self->data, "the type of an integer is no integer type");
	if (!read_bits(&d->c, index ? 64 : e == DT_BOOL ? 1 : dtype_bits(e), &bits))
		return false;
	d->self->attr = index ? make_index(d->c.r, (int64_t)bits) : make_int(d->c.r, t, bits);
	return true;
}

static bool decode_float(Decoder *d)
{
	const Type *t;
	uint64_t bits;
	if (!ref_type(d, &t) || d->missing)
		return d->missing;
	DType e = scalar_dtype(t);
	if (!dtype_is_float(e))
		return bc_error(d->c.r, d->self->data, "the type of a float is no float type");
	if (!read_bits(&d->c, dtype_bits(e), &bits))
		return false;
	d->self->attr = make_float(d->c.r, e, bits);
	return true;
}

static bool read_double(Cursor *c, double *out)
{
	uint64_t bits;
	if (!read_bits(c, 64, &bits))
		return false;
	memcpy(out, &bits, sizeof bits);
	return true;
}

/* As MLIR writes doubles, six digits after the point when they say it all. */
static const char *double_text(BcReader *r, double x)
{
	double back;
	const char *s = arena_printf(r->scratch, "%e", x);
	return parse_double(s, strlen(s), &back) && back == x ? s : format_double(r->scratch, x);
}

/* ---- structs, as text ---- */

void put_int_list(Buf *b, const int64_t *v, size_t n)
{
	buf_puts(b, "[");
	for (size_t i = 0; i < n; i++) {
		buf_puts(b, i ? ", " : "");
		if (v[i] == INT64_MIN)
			buf_puts(b, "?");
		else
			buf_printf(b, "%lld", (long long)v[i]);
	}
	buf_puts(b, "]");
}

static bool set_text(Decoder *d, Buf *b)
{
	BcReader *r = d->c.r;
	d->self->attr = make_text(r, str_n(r->c, b->data, b->len));
	buf_free(b);
	return true;
}

static bool decode_alias(Decoder *d)
{
	int64_t *outputs, *operands, index;
	size_t noutputs, noperands;
	Buf b = { 0 };
	if (!cur_ints(&d->c, &outputs, &noutputs) || !cur_signed(&d->c, &index) || !cur_ints(&d->c, &operands, &noperands))
		return false;
	buf_puts(&b, "#stablehlo.output_operand_alias<output_tuple_indices = ");
	put_int_list(&b, outputs, noutputs);
	buf_printf(&b, ", operand_index = %lld, operand_tuple_indices = ", (long long)index);
	put_int_list(&b, operands, noperands);
	buf_puts(&b, ">");
	return set_text(d, &b);
}

static bool decode_extensions(Decoder *d)
{
	int64_t *bounds;
	size_t n;
	Buf b = { 0 };
	if (!cur_ints(&d->c, &bounds, &n))
		return false;
	buf_puts(&b, "#stablehlo.type_extensions<bounds = ");
	put_int_list(&b, bounds, n);
	buf_puts(&b, ">");
	return set_text(d, &b);
}

static bool decode_accuracy(Decoder *d)
{
	double atol, rtol;
	int64_t ulps;
	const Attr *mode;
	Buf b = { 0 };
	if (!read_double(&d->c, &atol) || !read_double(&d->c, &rtol) || !cur_signed(&d->c, &ulps) || !ref_attr(d, &mode))
		return false;
	if (d->missing)
		return true;
	mode = enum_words(d->c.r, mode);
	if (mode->kind != ATTR_STR)
		return bc_error(d->c.r, d->self->data, "the mode of an accuracy is another attribute");
	buf_printf(&b, "#stablehlo.result_accuracy<atol = %s, rtol = %s, ulps = %lld, mode = "
		"#stablehlo.result_accuracy_mode<%s>>", double_text(d->c.r, atol), double_text(d->c.r, rtol), (long long)ulps,
		mode->u.str->s);
	return set_text(d, &b);
}

static bool decode_sub_axis(Decoder *d)
{
	int64_t before, size;
	Buf b = { 0 };
	if (!cur_signed(&d->c, &before) || !cur_signed(&d->c, &size))
		return false;
	buf_printf(&b, "(%lld)%lld", (long long)before, (long long)size);
	return set_text(d, &b);
}

static void put_attr(Buf *b, const Attr *a)
{
	if (a->kind == ATTR_STR)
		print_bytes(b, a->u.str->s, a->u.str->len);
	else
		buf_puts(b, a->kind == ATTR_TEXT ? a->u.str->s : "unit");
}

static bool decode_axis(Decoder *d)
{
	const Str *name;
	const Attr *sub = NULL;
	uint64_t there;
	Buf b = { 0 };
	if (!ref_str(d, &name) || !cur_varint(&d->c, &there) || (there && !ref_attr(d, &sub)))
		return false;
	if (d->missing)
		return true;
	buf_puts(&b, "#stablehlo.axis_ref<name = ");
	print_bytes(&b, name->s, name->len);
	if (sub) {
		buf_puts(&b, ", sub_axis_info = ");
		put_attr(&b, sub);
	}
	buf_puts(&b, ">");
	return set_text(d, &b);
}

void put_symbol(Buf *b, const Str *name)
{
	Scan s = scan_of(name);
	const char *word;
	size_t len;
	buf_puts(b, "@");
	if (scan_word(&s, &word, &len) && len == name->len && !(*word >= '0' && *word <= '9') && *word != '.')
		buf_put(b, word, len);
	else
		print_bytes(b, name->s, name->len);
}

static bool decode_mesh_axes(Decoder *d)
{
	const Attr *mesh, *axes;
	Buf b = { 0 };
	if (!ref_attr(d, &mesh) || !ref_attr(d, &axes))
		return false;
	if (d->missing)
		return true;
	buf_puts(&b, "#stablehlo.replica_group_mesh_axes<mesh = ");
	if (mesh->kind == ATTR_STR)
		put_symbol(&b, mesh->u.str);
	else
		put_attr(&b, mesh);
	buf_puts(&b, ", axes = [");
	for (size_t i = 0; axes->kind == ATTR_LIST && i < axes->u.list.n; i++) {
		buf_puts(&b, i ? ", " : "");
		put_attr(&b, axes->u.list.v[i]);
	}
	buf_puts(&b, "]>");
	return set_text(d, &b);
}

/* ---- attributes ---- */

static bool decode_string(Decoder *d)
{
	const Str *s;
	if (!cur_string(&d->c, &s))
		return false;
	d->self->attr = attr_str(d->c.r->c, s);
	return true;
}

static bool decode_type_attr(Decoder *d)
{
	const Entry *e;
	if (!ref_entry(d, true, &e))
		return false;
	return d->missing || set_type_attr(d, e);
}

bool vhlo_decode_attr(Decoder *d, uint64_t code)
{
	bool found = false;
	if (!decode_enum(d, code, &found) || found)
		return found && d->self->attr;
	switch (code) {
	case VA_ARRAY: return decode_list(d);
	case VA_BOOL: return decode_bool(d);
	case VA_API_VERSION: return decode_api_version(d);
	case VA_DICT: return decode_dict(d);
	case VA_FLOAT: return decode_float(d);
	case VA_INTEGER: return decode_integer(d);
	case VA_ALIAS: return decode_alias(d);
	case VA_STRING: return decode_string(d);
	case VA_TENSOR: return decode_elements(d);
	case VA_TYPE: return decode_type_attr(d);
	case VA_EXTENSIONS: return decode_extensions(d);
	case VA_ACCURACY: return decode_accuracy(d);
	case VA_SUB_AXIS: return decode_sub_axis(d);
	case VA_AXIS: return decode_axis(d);
	case VA_MESH_AXES: return decode_mesh_axes(d);
	default: /* of a later version: its bytes */
		d->c.p = d->c.end;
		d->self->attr = opaque_entry(d->c.r, d->self);
		return true;
	}
}

/* ---- types ---- */

static const char *const scalars[] = {
	[0] = "i1", [2] = "bf16", [3] = "f16", [4] = "f32", [5] = "f64", [6] = "f8E4M3FN", [7] = "f8E5M2", [9] = "index",
	[10] = "i4", [11] = "i8", [12] = "i16", [13] = "i32", [14] = "i64", [15] = "ui4", [16] = "ui8", [17] = "ui16",
	[18] = "ui32", [19] = "ui64", [VT_WITNESS] = "!shape.witness", [27] = "f8E4M3FNUZ", [28] = "f8E5M2FNUZ",
	[29] = "f8E4M3B11FNUZ", [31] = "i2", [32] = "ui2", [34] = "tf32", [35] = "f8E4M3", [36] = "f8E3M4",
	[37] = "f4E2M1FN", [38] = "f6E2M3FN", [39] = "f6E3M2FN", [40] = "f8E8M0FNU",
};

int vhlo_scalar(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(scalars); i++)
		if (scalars[i] && strlen(scalars[i]) == len && !memcmp(scalars[i], text, len))
			return (int)i;
	return -1;
}

static bool set_type(Decoder *d, const Type *t)
{
	d->self->type = t;
	return t != NULL;
}

static bool set_opaque(Decoder *d, Buf *b)
{
	BcReader *r = d->c.r;
	const Str *text = str_n(r->c, b->data, b->len);
	buf_free(b);
	return set_type(d, type_make(r->c, (Type){ .kind = TYPE_OPAQUE, .rank = RANK_UNKNOWN, .text = text }));
}

static bool decode_ranked(Decoder *d, bool encoded)
{
	BcReader *r = d->c.r;
	const Attr *encoding = NULL;
	const Type *elem;
	int64_t *dims;
	size_t rank;
	if ((encoded && !ref_attr(d, &encoding)) || !read_dims(d, &dims, &rank) || !ref_type(d, &elem))
		return false;
	if (d->missing)
		return true;
	if (encoding && encoding->kind != ATTR_TEXT)
		return bc_fail(r, HONE_UNSUPPORTED, d->self->data, "the encoding of a tensor type is not supported");
	return set_type(d, make_tensor(d, rank, dims, elem, encoding ? encoding->u.str : NULL));
}

bool vhlo_decode_future(Decoder *d)
{
	const Type **v;
	size_t n;
	Buf b = { 0 };
	if (!ref_types(d, &v, &n))
		return false;
	if (d->missing)
		return true;
	buf_puts(&b, "!stablehlo.future<");
	for (size_t i = 0; i < n; i++) {
		buf_puts(&b, i ? ", " : "");
		type_print_plain(v[i], &b);
	}
	buf_puts(&b, ">");
	return set_opaque(d, &b);
}

static bool decode_buffer(Decoder *d)
{
	const Type *elem;
	int64_t *dims;
	size_t rank;
	Buf b = { 0 };
	if (!read_dims(d, &dims, &rank) || !ref_type(d, &elem))
		return false;
	if (d->missing)
		return true;
	if (!is_element(elem))
		return bc_error(d->c.r, d->self->data, "the element type of a buffer is no scalar type");
	buf_puts(&b, "memref<");
	for (size_t i = 0; i < rank; i++)
		if (dims[i] < 0)
			buf_puts(&b, "?x");
		else
			buf_printf(&b, "%lldx", (long long)dims[i]);
	buf_printf(&b, "%s>", elem->text->s);
	return set_opaque(d, &b);
}

/* ---- quantised element types: !quant.uniform<i8<-127:127>:f32:0, {34.0:16, 2.0}> ---- */

typedef struct Quant {
	uint64_t is_signed, axis;
	const Type *storage, *expressed;
	int64_t min, max, *zeros;
	double *scales;
	size_t n;
	bool per_axis;
} Quant;

bool quant_scale_legal(double scale)
{
	return scale > 0 && isfinite(scale);
}

static bool read_scale(Cursor *c, double *out)
{
	const uint8_t *at = c->p;
	return read_double(c, out) && (quant_scale_legal(*out) ||
		bc_error(c->r, at, "the scale of a quantised type is %s, expected a number above 0", format_double(c->r->scratch, *out)));
}

static bool read_quant(Decoder *d, Quant *q)
{
	Cursor *c = &d->c;
	if (!cur_varint(c, &q->is_signed) || !ref_type(d, &q->storage) || !ref_type(d, &q->expressed))
		return false;
	if (!q->per_axis) {
		q->n = 1;
		q->scales = NEW(c->r->scratch, double);
		q->zeros = NEW(c->r->scratch, int64_t);
		return read_scale(c, q->scales) && cur_signed(c, q->zeros) && cur_signed(c, &q->min) &&
			cur_signed(c, &q->max);
	}
	size_t nzeros;
	if (!cur_varint(c, &q->axis) || !cur_signed(c, &q->min) || !cur_signed(c, &q->max) || !cur_count(c, "scales", &q->n))
		return false;
	q->scales = NEW_ARRAY(c->r->scratch, double, q->n);
	for (size_t i = 0; i < q->n; i++)
		if (!read_scale(c, &q->scales[i]))
			return false;
	const uint8_t *at = c->p;
	if (!cur_ints(c, &q->zeros, &nzeros))
		return false;
	return nzeros == q->n || bc_error(c->r, at, "%zu zero points for %zu scales", nzeros, q->n);
}

/* MLIR's floats have a point: 34.0, 1.0e-05. */
static const char *float_text(BcReader *r, double x)
{
	const char *s = format_double(r->scratch, x);
	size_t digits = strcspn(s, "e");
	if (memchr(s, '.', digits))
		return s;
	return arena_printf(r->scratch, "%.*s.0%s", (int)digits, s, s + digits);
}

static void put_quant(BcReader *r, const Quant *q, Buf *b)
{
	DType s = scalar_dtype(q->storage);
	int bits = dtype_bits(s);
	int64_t low = q->is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
	int64_t high = q->is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
	buf_printf(b, "!quant.uniform<%c%d", q->is_signed ? 'i' : 'u', bits);
	if (q->min != low || q->max != high)
		buf_printf(b, "<%lld:%lld>", (long long)q->min, (long long)q->max);
	buf_printf(b, ":%s", q->expressed->text->s);
	if (q->per_axis)
		buf_printf(b, ":%llu", (unsigned long long)q->axis);
	buf_puts(b, q->per_axis ? ", {" : ", ");
	for (size_t i = 0; i < q->n; i++) {
		buf_printf(b, "%s%s", i ? ", " : "", float_text(r, q->scales[i]));
		if (q->zeros[i])
			buf_printf(b, ":%lld", (long long)q->zeros[i]);
	}
	buf_puts(b, q->per_axis ? "}>" : ">");
}

static bool decode_quant(Decoder *d, bool per_axis)
{
	Quant q = { .per_axis = per_axis };
	Buf b = { 0 };
	if (!read_quant(d, &q))
		return false;
	if (d->missing)
		return true;
	DType s = scalar_dtype(q.storage);
	if (!dtype_is_integer(s) || dtype_bits(s) > 32 || q.expressed->kind != TYPE_OPAQUE)
		return bc_error(d->c.r, d->self->data, "a quantised type that is not stored in integers of up to 32 bits");
	put_quant(d->c.r, &q, &b);
	return set_opaque(d, &b);
}

static bool decode_type(Decoder *d, uint64_t code)
{
	BcReader *r = d->c.r;
	if (code < ARRAY_LEN(scalars) && scalars[code])
		return set_type(d, scalar_type(r, scalars[code]));
	switch (code) {
	case VT_COMPLEX: return decode_complex(d);
	case VT_FUNCTION: return decode_function_type(d);
	case VT_RANKED: return decode_ranked(d, false);
	case VT_RANKED_ENCODED: return decode_ranked(d, true);
	case VT_TOKEN: return set_type(d, type_make(r->c, (Type){ .kind = TYPE_TOKEN, .rank = RANK_UNKNOWN }));
	case VT_TUPLE: return decode_tuple(d);
	case VT_QUANT: return decode_quant(d, false);
	case VT_UNRANKED: return decode_unranked(d);
	case VT_QUANT_AXIS: return decode_quant(d, true);
	case VT_NONE: return set_type(d, type_make(r->c, (Type){ .kind = TYPE_NONE, .rank = RANK_UNKNOWN }));
	case VT_BUFFER: return decode_buffer(d);
	case VT_FUTURE: return vhlo_decode_future(d);
	default:
		return bc_fail(r, HONE_UNSUPPORTED, d->self->data, "VHLO type %llu of a later version than is known",
			(unsigned long long)code);
	}
}

bool vhlo_decode(Decoder *d)
{
	uint64_t code;
	if (!cur_varint(&d->c, &code))
		return false;
	return d->self->is_type ? decode_type(d, code) : vhlo_decode_attr(d, code);
}

#include "write.h"

#include <string.h>

/* Types of VHLO. Those that the IR has no form for (quantised ones, buffers, futures ...) are read from their text. */

static uint64_t add_type(BcWriter *w, Buf *b)
{
	return entry_number(w, &w->types, "vhlo", true, b);
}

static uint64_t plain_type(BcWriter *w, int code)
{
	Buf b = { 0 };
	put_varint(&b, (uint64_t)code);
	return add_type(w, &b);
}

/* Versions of StableHLO that brought element types. */
static int type_since(const char *text, size_t len)
{
	static const struct { const char *name; int since; } since[] = {
		{ "f8E4M3FNUZ", 10 }, { "f8E5M2FNUZ", 10 }, { "f8E4M3B11FNUZ", 11 }, { "i2", 1002 }, { "ui2", 1002 }, { "tf32", 1006 },
		{ "f8E4M3", 1007 }, { "f8E3M4", 1007 }, { "f4E2M1FN", 1008 }, { "f6E2M3FN", 1008 }, { "f6E3M2FN", 1008 },
		{ "f8E8M0FNU", 1008 },
	};
	for (size_t i = 0; i < ARRAY_LEN(since); i++)
		if (strlen(since[i].name) == len && !memcmp(since[i].name, text, len))
			return since[i].since;
	return STABLEHLO_FIRST;
}

static bool scalar_number(BcWriter *w, const char *text, size_t len, uint64_t *out)
{
	int code = vhlo_scalar(text, len);
	if (code < 0)
		return write_error(w, "type %s is none of StableHLO", quote(w->scratch, text, len));
	*out = plain_type(w, code);
	return write_needs(w, type_since(text, len), "type %.*s", (int)len, text);
}

/* ---- texts ---- */

/* Types up to the bracket `close`, separated by commas. */
static bool type_texts(BcWriter *w, Scan *s, const char *close, uint64_t **out, size_t *n)
{
	VEC(uint64_t) v = { 0 };
	while (!scan_is(s, close)) {
		uint64_t t;
		if (v.len && !scan_is(s, ","))
			return write_error(w, "malformed list of types");
		if (!type_text_number(w, s, &t))
			return false;
		VEC_PUSH(w->scratch, &v, t);
	}
	*out = v.data;
	*n = v.len;
	return true;
}

static void put_numbers(Buf *b, const uint64_t *v, size_t n)
{
	put_varint(b, n);
	for (size_t i = 0; i < n; i++)
		put_varint(b, v[i]);
}

static bool list_type(BcWriter *w, Scan *s, int code, uint64_t *out)
{
	uint64_t *v;
	size_t n;
	Buf b = { 0 };
	if (!type_texts(w, s, ">", &v, &n))
		return false;
	put_varint(&b, (uint64_t)code);
	put_numbers(&b, v, n);
	*out = add_type(w, &b);
	return code != VT_FUTURE || write_needs(w, 1015, "type future");
}

typedef struct QuantText {
	bool is_signed, per_axis;
	int64_t min, max, axis;
	uint64_t storage, expressed;
	VEC(double) scales;
	VEC(int64_t) zeros;
} QuantText;

/* i8<-127:127> : storage and its range. */
static bool quant_storage(BcWriter *w, Scan *s, QuantText *q)
{
	const char *word;
	size_t len;
	int64_t bits;
	if (!scan_word(s, &word, &len) || len < 2)
		return false;
	q->is_signed = *word == 'i' || *word == 's';
	size_t skip = (*word == 's' || (*word == 'u' && word[1] == 'i')) ? 2 : 1;
	if ((*word != 'i' && *word != 'u' && *word != 's') || !parse_int64(word + skip, len - skip, &bits) || bits < 2 || bits > 32)
		return false;
	q->min = q->is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
	q->max = q->is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
	if (scan_is(s, "<") && (!scan_int(s, &q->min) || !scan_is(s, ":") || !scan_int(s, &q->max) || !scan_is(s, ">")))
		return false;
	const char *name = arena_printf(w->scratch, "i%lld", (long long)bits); /* the sign is a flag */
	return scalar_number(w, name, strlen(name), &q->storage);
}

/* 0.5:16, or 0.5. */
static bool quant_pair(BcWriter *w, Scan *s, QuantText *q)
{
	double scale;
	int64_t zero = 0;
	if (!scan_double(s, &scale) || (scan_is(s, ":") && !scan_int(s, &zero)))
		return false;
	if (!quant_scale_legal(scale))
		return write_error(w, "the scale %s of a quantised type is not above 0", format_double(w->scratch, scale));
	VEC_PUSH(w->scratch, &q->scales, scale);
	VEC_PUSH(w->scratch, &q->zeros, zero);
	return true;
}

static bool quant_parameters(BcWriter *w, Scan *s, QuantText *q)
{
	const char *word;
	size_t len;
	if (!scan_is(s, ":") || !scan_word(s, &word, &len) || !scalar_number(w, word, len, &q->expressed))
		return false;
	q->per_axis = scan_is(s, ":");
	if ((q->per_axis && !scan_int(s, &q->axis)) || !scan_is(s, ","))
		return false;
	bool list = scan_is(s, "{");
	do
		if (!quant_pair(w, s, q))
			return false;
	while (list && scan_is(s, ","));
	return (!list || scan_is(s, "}")) && scan_is(s, ">") && list == q->per_axis;
}

/* !quant.uniform<i8<-127:127>:f32:0, {34.0:16, 2.0}>; the scanner stands behind the first bracket. */
static bool quant_type(BcWriter *w, Scan *s, uint64_t *out)
{
	QuantText q = { .axis = -1 };
	Buf b = { 0 };
	if (!quant_storage(w, s, &q) || !quant_parameters(w, s, &q))
		return w->d->status != HONE_OK ? false : write_error(w, "malformed quantised type");
	put_varint(&b, q.per_axis ? VT_QUANT_AXIS : VT_QUANT);
	put_varint(&b, q.is_signed);
	put_varint(&b, q.storage);
	put_varint(&b, q.expressed);
	if (q.per_axis) {
		put_varint(&b, (uint64_t)q.axis);
		put_signed(&b, q.min);
		put_signed(&b, q.max);
		put_varint(&b, q.scales.len);
		for (size_t i = 0; i < q.scales.len; i++)
			put_double(&b, q.scales.data[i]);
		put_signed_list(&b, q.zeros.data, q.zeros.len);
	} else {
		put_double(&b, q.scales.data[0]);
		put_signed(&b, q.zeros.data[0]);
		put_signed(&b, q.min);
		put_signed(&b, q.max);
	}
	*out = add_type(w, &b);
	return !q.per_axis || write_needs(w, 18, "a type that is quantised per axis");
}

/* #stablehlo.bounds<4, ?> or #stablehlo.type_extensions<bounds = [4, ?]>. */
static bool encoding_number(BcWriter *w, Scan *s, uint64_t *out)
{
	VEC(int64_t) v = { 0 };
	int64_t *list, x;
	size_t n;
	Buf b = { 0 };
	Scan all = *s;
	if (scan_is(s, "#stablehlo.type_extensions<bounds = ")) {
		if (!scan_ints(s, w->scratch, &list, &n) || !scan_is(s, ">"))
			return write_error(w, "malformed bounds of a type");
	} else if (scan_is(s, "#stablehlo.bounds<")) {
		do {
			if (!scan_int(s, &x))
				return write_error(w, "malformed bounds of a type");
			VEC_PUSH(w->scratch, &v, x);
		} while (scan_is(s, ","));
		if (!scan_is(s, ">"))
			return write_error(w, "malformed bounds of a type");
		list = v.data;
		n = v.len;
	} else {
		return write_error(w, "encoding %s of a tensor type has no portable form",
			quote(w->scratch, all.s, (size_t)(all.end - all.s)));
	}
	put_varint(&b, VA_EXTENSIONS);
	put_signed_list(&b, list, n);
	*out = entry_number(w, &w->attrs, "vhlo", true, &b);
	return true;
}

static uint64_t ranked_type(BcWriter *w, const int64_t *dims, size_t rank, uint64_t elem, const uint64_t *encoding)
{
	Buf b = { 0 };
	put_varint(&b, encoding ? VT_RANKED_ENCODED : VT_RANKED);
	if (encoding)
		put_varint(&b, *encoding);
	put_signed_list(&b, dims, rank);
	put_varint(&b, elem);
	return add_type(w, &b);
}

static uint64_t unranked_type(BcWriter *w, uint64_t elem)
{
	Buf b = { 0 };
	put_varint(&b, VT_UNRANKED);
	put_varint(&b, elem);
	return add_type(w, &b);
}

bool tensor_type_number(BcWriter *w, const int64_t *dims, size_t rank, const char *elem, uint64_t *out)
{
	uint64_t e;
	if (!scalar_number(w, elem, strlen(elem), &e))
		return false;
	*out = ranked_type(w, dims, rank, e, NULL);
	return true;
}

/* 4x?x: sizes of a tensor or buffer; -1 as the rank: *x. */
static bool text_dims(BcWriter *w, Scan *s, int64_t **out, int *rank)
{
	VEC(int64_t) v = { 0 };
	*rank = -1;
	if (scan_is(s, "*x"))
		return true;
	scan_is(s, "");
	while (s->s < s->end && (*s->s == '?' || *s->s == '-' || (*s->s >= '0' && *s->s <= '9'))) {
		int64_t x;
		if (!scan_int(s, &x) || !scan_is(s, "x"))
			return write_error(w, "malformed sizes of a type");
		VEC_PUSH(w->scratch, &v, x);
	}
	*out = v.data;
	*rank = (int)v.len;
	return true;
}

static bool shaped_text(BcWriter *w, Scan *s, bool buffer, uint64_t *out)
{
	int64_t *dims = NULL;
	int rank;
	uint64_t elem, encoding;
	if (!text_dims(w, s, &dims, &rank))
		return false;
	bool unknown = !buffer && scan_is(&(Scan){ s->s, s->end }, "none");
	if (!unknown && !is_element_type(s->s, (size_t)(s->end - s->s)))
		return write_error(w, "malformed type: tensors and buffers hold numbers");
	if (!type_text_number(w, s, &elem))
		return false;
	bool encoded = !buffer && scan_is(s, ",");
	if ((encoded && !encoding_number(w, s, &encoding)) || !scan_is(s, ">") || (buffer && rank < 0))
		return w->d->status != HONE_OK ? false : write_error(w, "malformed type");
	if (!buffer) {
		*out = rank < 0 ? unranked_type(w, elem) : ranked_type(w, dims, (size_t)rank, elem, encoded ? &encoding : NULL);
		return true;
	}
	Buf b = { 0 };
	put_varint(&b, VT_BUFFER);
	put_signed_list(&b, dims, (size_t)rank);
	put_varint(&b, elem);
	*out = add_type(w, &b);
	return write_needs(w, 1013, "a buffer");
}

static bool complex_text(BcWriter *w, Scan *s, uint64_t *out)
{
	const char *word;
	size_t len;
	uint64_t part;
	Buf b = { 0 };
	Scan from = *s;
	if (!scan_word(&from, &word, &len) || !is_complex_part(word, len))
		return write_error(w, "complex numbers whose parts are not f32 or f64 have no portable form");
	if (!type_text_number(w, s, &part))
		return false;
	if (!scan_is(s, ">"))
		return write_error(w, "malformed complex type");
	put_varint(&b, VT_COMPLEX);
	put_varint(&b, part);
	*out = add_type(w, &b);
	return true;
}

static bool function_text(BcWriter *w, Scan *s, uint64_t *out)
{
	uint64_t *in, *results = NULL, one;
	size_t nin, nresults = 1;
	Buf b = { 0 };
	if (!type_texts(w, s, ")", &in, &nin))
		return false;
	if (!scan_is(s, "->"))
		return write_error(w, "malformed function type");
	if (scan_is(s, "(")) {
		if (!type_texts(w, s, ")", &results, &nresults))
			return false;
	} else if (!type_text_number(w, s, &one)) {
		return false;
	}
	put_varint(&b, VT_FUNCTION);
	put_numbers(&b, in, nin);
	put_numbers(&b, results ? results : &one, nresults);
	*out = add_type(w, &b);
	return true;
}

/* A type of a dialect that StableHLO does not know stands in the file as its text. */
static bool foreign_type(BcWriter *w, Scan *s, uint64_t *out)
{
	Scan text, all = *s;
	const char *word;
	size_t len;
	Buf b = { 0 };
	if (!scan_is(s, "!") || !scan_word(s, &word, &len) || !memchr(word, '.', len) || !scan_until(&all, ",)]}>", &text))
		return write_error(w, "type %s has no portable form", quote(w->scratch, all.s, (size_t)(all.end - all.s)));
	*s = all;
	if (!is_plain_text(text.s, (size_t)(text.end - text.s)))
		return write_error(w, "type %s has no portable form", quote(w->scratch, text.s, (size_t)(text.end - text.s)));
	size_t dialect = (size_t)((const char *)memchr(word, '.', len) - word);
	buf_put(&b, text.s, (size_t)(text.end - text.s));
	put_byte(&b, 0);
	*out = entry_number(w, &w->types, str_n(w->c, word, dialect)->s, false, &b);
	return write_needs(w, STABLEHLO_MIXED, "a type of dialect %.*s", (int)dialect, word);
}

static bool type_text_here(BcWriter *w, Scan *s, uint64_t *out)
{
	const char *word;
	size_t len;
	Scan before = *s;
	if (scan_is(s, "("))
		return function_text(w, s, out);
	if (scan_is(s, "tensor<"))
		return shaped_text(w, s, false, out);
	if (scan_is(s, "memref<"))
		return shaped_text(w, s, true, out);
	if (scan_is(s, "complex<"))
		return complex_text(w, s, out);
	if (scan_is(s, "tuple<"))
		return list_type(w, s, VT_TUPLE, out);
	if (scan_is(s, "!stablehlo.future<"))
		return list_type(w, s, VT_FUTURE, out);
	if (scan_is(s, "!quant.uniform<"))
		return quant_type(w, s, out);
	if (scan_is(s, "!stablehlo.token")) {
		*out = plain_type(w, VT_TOKEN);
		return true;
	}
	if (scan_is(s, "!shape.witness"))
		return scalar_number(w, "!shape.witness", strlen("!shape.witness"), out);
	if (!scan_word(s, &word, &len)) {
		*s = before;
		return foreign_type(w, s, out);
	}
	if (len == 4 && !memcmp(word, "none", 4)) {
		*out = plain_type(w, VT_NONE);
		return write_needs(w, 1006, "type none");
	}
	return scalar_number(w, word, len, out);
}

bool type_text_number(BcWriter *w, Scan *s, uint64_t *out)
{
	if (!write_enter(w))
		return false;
	bool ok = type_text_here(w, s, out);
	write_leave(w);
	return ok;
}

/* ---- types of the IR ---- */

/* The element type, and where the text has one, the encoding. */
static bool element_number(BcWriter *w, const Type *t, uint64_t *out, bool *encoded, uint64_t *encoding)
{
	Scan s = t->text ? scan_of(t->text) : (Scan){ "", "" };
	Scan elem = { 0 };
	if (t->dtype == DT_STR)
		return write_error(w, "StableHLO has no strings");
	if (t->dtype != DT_NONE) {
		const char *name = dtype_name(t->dtype);
		elem = (Scan){ name, name + strlen(name) };
	} else if (!t->text) {
		return write_error(w, "the element type of a tensor is not known");
	} else if (!scan_until(&s, ",", &elem)) {
		return write_error(w, "malformed element type %s", quote(w->scratch, t->text->s, t->text->len));
	}
	if (!type_text_number(w, &elem, out))
		return false;
	if (!scan_end(&elem))
		return write_error(w, "malformed element type %s", quote(w->scratch, elem.s, (size_t)(elem.end - elem.s)));
	*encoded = t->text && (t->dtype != DT_NONE || scan_is(&s, ","));
	if (*encoded && !encoding_number(w, &s, encoding))
		return false;
	return (!*encoded && t->dtype != DT_NONE) || scan_end(&s) ||
		write_error(w, "malformed element type or encoding %s", quote(w->scratch, t->text->s, t->text->len));
}

static bool tensor_number_of_type(BcWriter *w, const Type *t, uint64_t *out)
{
	int64_t dims[MAX_RANK];
	uint64_t elem, encoding;
	bool encoded = false;
	if (!element_number(w, t, &elem, &encoded, &encoding))
		return false;
	if (t->rank < 0) {
		*out = unranked_type(w, elem);
		return !encoded || write_error(w, "a tensor without a rank has an encoding");
	}
	for (int i = 0; i < t->rank; i++)
		if (!sym_const(t->dims[i], &dims[i]))
			dims[i] = INT64_MIN;
	*out = ranked_type(w, dims, (size_t)t->rank, elem, encoded ? &encoding : NULL);
	return true;
}

static bool tuple_number(BcWriter *w, const Type *t, uint64_t *out)
{
	uint64_t *v = NEW_ARRAY(w->scratch, uint64_t, (size_t)t->nelem);
	Buf b = { 0 };
	for (int i = 0; i < t->nelem; i++)
		if (!type_number(w, t->elem[i], &v[i]))
			return false;
	put_varint(&b, VT_TUPLE);
	put_numbers(&b, v, (size_t)t->nelem);
	*out = add_type(w, &b);
	return true;
}

static bool type_number_here(BcWriter *w, const Type *t, uint64_t *out)
{
	Scan s;
	switch (t->kind) {
	case TYPE_TENSOR:
		return tensor_number_of_type(w, t, out);
	case TYPE_TUPLE:
		return tuple_number(w, t, out);
	case TYPE_TOKEN:
		*out = plain_type(w, VT_TOKEN);
		return true;
	case TYPE_NONE:
		*out = plain_type(w, VT_NONE);
		return write_needs(w, 1006, "type none");
	case TYPE_OPAQUE:
		s = scan_of(t->text);
		return type_text_number(w, &s, out) && (scan_end(&s) ||
			write_error(w, "malformed type %s", quote(w->scratch, t->text->s, t->text->len)));
	case TYPE_UNKNOWN:
		return write_error(w, "the type of a value is not known");
	default:
		return write_error(w, "StableHLO has no sequences, maps, optional or sparse values");
	}
}

bool type_number(BcWriter *w, const Type *t, uint64_t *out)
{
	void *known = map_get(&w->types.vhlo, MAP_PTR(t));
	if (known) {
		*out = (uint64_t)(uintptr_t)known - 1;
		return true;
	}
	if (!write_enter(w))
		return false;
	bool ok = type_number_here(w, t, out);
	write_leave(w);
	if (ok)
		map_put(&w->types.vhlo, MAP_PTR(t), (void *)(uintptr_t)(*out + 1));
	return ok;
}

bool function_type_number(BcWriter *w, const Type *const *in, size_t nin, const Type *const *out, size_t nout,
	uint64_t *number)
{
	uint64_t *v = NEW_ARRAY(w->scratch, uint64_t, nin + nout);
	Buf b = { 0 };
	for (size_t i = 0; i < nin + nout; i++)
		if (!type_number(w, i < nin ? in[i] : out[i - nin], &v[i]))
			return false;
	put_varint(&b, VT_FUNCTION);
	put_numbers(&b, v, nin);
	put_numbers(&b, v + nin, nout);
	*number = add_type(w, &b);
	return true;
}

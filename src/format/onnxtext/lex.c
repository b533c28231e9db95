#include "onnxtext.h"

#include <math.h>
#include <string.h>
#include <strings.h>

bool text_error(Text *t, const char *fmt, ...)
{
	Loc loc = { .file = t->file, .line = 1, .col = 1, .offset = t->p - t->start };
	va_list ap;
	for (const char *s = t->start; s < t->p; s++) {
		loc.line += *s == '\n';
		loc.col = *s == '\n' ? 1 : loc.col + 1;
	}
	va_start(ap, fmt);
	diag_error(&t->c->diags, HONE_BAD_INPUT, &loc, "%s", arena_vprintf(t->scratch, fmt, ap));
	va_end(ap);
	return false;
}

static bool is_letter(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

void text_skip(Text *t)
{
	while (t->p < t->end) {
		if (*t->p == ' ' || *t->p == '\t' || *t->p == '\n' || *t->p == '\r') {
			t->p++;
		} else if (*t->p == '#') {
			const char *eol = memchr(t->p, '\n', (size_t)(t->end - t->p));
			t->p = eol ? eol : t->end;
		} else {
			return;
		}
	}
}

bool text_at(Text *t, const char *mark)
{
	size_t n = strlen(mark);
	text_skip(t);
	return (size_t)(t->end - t->p) >= n && !memcmp(t->p, mark, n);
}

bool text_accept(Text *t, const char *mark)
{
	if (!text_at(t, mark))
		return false;
	t->p += strlen(mark);
	return true;
}

/* What stands here, for messages. */
static const char *found(Text *t)
{
	size_t n = (size_t)(t->end - t->p), len = 0;
	if (n == 0)
		return "the end of the file";
	while (len < n && len < 20 && (is_letter(t->p[len]) || is_digit(t->p[len])))
		len++;
	return quote(t->scratch, t->p, len ? len : 1);
}

bool text_expect(Text *t, const char *mark)
{
	return text_accept(t, mark) || text_error(t, "found %s, expected '%s'", found(t), mark);
}

static size_t word_len(const Text *t)
{
	size_t n = (size_t)(t->end - t->p), len = 0;
	while (len < n && (is_letter(t->p[len]) || (len && is_digit(t->p[len]))))
		len++;
	return len;
}

bool text_word_at(Text *t, const char *word)
{
	text_skip(t);
	return word_len(t) == strlen(word) && !memcmp(t->p, word, strlen(word));
}

bool text_at_name(Text *t)
{
	text_skip(t);
	return word_len(t) > 0 || (t->p < t->end && *t->p == '"');
}

bool text_name(Text *t, const Str **out)
{
	text_skip(t);
	size_t n = word_len(t);
	if (n == 0 && t->p < t->end && *t->p == '"')
		return text_string(t, out);
	if (n == 0)
		return text_error(t, "found %s, expected a name", found(t));
	*out = str_n(t->c, t->p, n);
	t->p += n;
	return true;
}

/* A backslash stands before a quote or a backslash, and before any other character that is then taken as it is. */
bool text_string(Text *t, const Str **out)
{
	if (!text_expect(t, "\""))
		return false;
	const char *open = t->p, *s = open;
	while (s < t->end && *s != '"')
		s += *s == '\\' ? 2 : 1;
	if (s >= t->end)
		return text_error(t, "the string is not closed");
	char *text = arena_alloc(t->scratch, (size_t)(s - open) + 1);
	size_t n = 0;
	for (const char *q = open; q < s; q++) {
		q += *q == '\\';
		text[n++] = *q;
	}
	*out = str_n(t->c, text, n);
	t->p = s + 1;
	return true;
}

bool text_number(Text *t, double *x, int64_t *i, bool *is_float)
{
	static const struct { const char *text; double value; } words[] = {
		{ "inf", INFINITY }, { "infinity", INFINITY }, { "nan", NAN }
	};
	text_skip(t);
	const char *s = t->p;
	bool minus = s < t->end && *s == '-';
	s += minus || (s < t->end && *s == '+');
	t->p = s;
	for (size_t k = 0; k < ARRAY_LEN(words); k++)
		if (text_word_at(t, words[k].text)) {
			t->p += strlen(words[k].text);
			*x = minus ? -words[k].value : words[k].value;
			*is_float = true;
			return true;
		}
	*is_float = false;
	while (s < t->end && (is_digit(*s) || *s == '.' || *s == 'e' || *s == 'E' || ((*s == '-' || *s == '+') && (s[-1] | 32) == 'e'))) {
		*is_float |= !is_digit(*s);
		s++;
	}
	size_t n = (size_t)(s - t->p);
	char *text = arena_printf(t->scratch, "%s%.*s", minus ? "-" : "", (int)(n < 400 ? n : 400), t->p);
	bool ok = n > 0 && n < 400 && (*is_float ? parse_double(text, strlen(text), x) : true);
	if (ok && !*is_float) {
		uint64_t u = 0;
		for (size_t k = 0; k < n && ok; k++)
			ok = !__builtin_mul_overflow(u, 10, &u) && !__builtin_add_overflow(u, (uint64_t)(t->p[k] - '0'), &u);
		ok = ok && (!minus || u <= (uint64_t)INT64_MAX + 1);
		*i = (int64_t)(minus ? 0 - u : u);
		*x = minus ? -(double)u : (double)u;
	}
	if (!ok)
		return text_error(t, "found %s, expected a number", found(t));
	t->p = s;
	return true;
}

bool text_int(Text *t, int64_t *out)
{
	double x;
	bool is_float;
	const char *at = t->p;
	if (!text_number(t, &x, out, &is_float))
		return false;
	t->p = is_float ? at : t->p;
	return !is_float || text_error(t, "expected a whole number");
}

/* ---- types ---- */

const char *text_dtype_name(DType d)
{
	static const char *const names[] = { NULL, "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string",
		"bool", "float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn",
		"float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2" };
	int code = dtype_onnx(d);
	return code > 0 && code < (int)ARRAY_LEN(names) ? names[code] : NULL;
}

bool text_is_reserved(const Str *s)
{
	static const char *const types[] = { "seq", "map", "optional", "sparse_tensor" }, *const numbers[] = { "inf", "infinity", "nan" };
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (!strcmp(s->s, types[i]))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (!strcasecmp(s->s, numbers[i])) /* in any case of letters */
			return true;
	for (int k = 1; k < DT_COUNT; k++) {
		const char *name = text_dtype_name((DType)k);
		if (name && !strcmp(s->s, name))
			return true;
	}
	return false;
}

static bool element_at(Text *t, DType *d)
{
	text_skip(t);
	for (int k = 1; k < DT_COUNT; k++) {
		const char *name = text_dtype_name((DType)k);
		if (name && text_word_at(t, name)) {
			*d = (DType)k;
			return true;
		}
	}
	return false;
}

bool text_at_type(Text *t)
{
	DType d;
	return element_at(t, &d) || text_word_at(t, "seq") || text_word_at(t, "map") || text_word_at(t, "optional") ||
		text_word_at(t, "sparse_tensor");
}

/* `float` is a scalar, `float[]` has no known rank, `float[2,N,?]` three sizes. */
static const Type *tensor_type(Text *t, TypeKind kind)
{
	Type r = { .kind = kind };
	VEC(const Sym *) dims = { 0 };
	if (!element_at(t, &r.dtype))
		return text_error(t, "found %s, expected an element type", found(t)), NULL;
	t->p += word_len(t);
	if (text_accept(t, "[")) {
		r.rank = text_at(t, "]") ? RANK_UNKNOWN : 0;
		while (!text_at(t, "]")) {
			int64_t v;
			const Str *name;
			if (dims.len && !text_expect(t, ","))
				return NULL;
			if (dims.len == MAX_RANK)
				return text_error(t, "rank above %d is not supported", MAX_RANK), NULL;
			if (text_accept(t, "?")) {
				VEC_PUSH(t->scratch, &dims, sym_unknown(t->c));
			} else if (text_at_name(t)) {
				if (!text_name(t, &name))
					return NULL;
				VEC_PUSH(t->scratch, &dims, sym_symbol(t->c, name));
			} else if (!text_int(t, &v)) {
				return NULL;
			} else if (v < 0) {
				return text_error(t, "a size is 0 or more"), NULL;
			} else {
				VEC_PUSH(t->scratch, &dims, sym_int(t->c, v));
			}
		}
		t->p++;
		r.rank = r.rank < 0 ? r.rank : (int)dims.len;
	}
	r.dims = dims.data;
	return type_make(t->c, r);
}

const Type *text_type(Text *t)
{
	static const struct { const char *name; TypeKind kind; } kinds[] = {
		{ "seq", TYPE_SEQUENCE }, { "optional", TYPE_OPTIONAL }, { "map", TYPE_MAP }, { "sparse_tensor", TYPE_SPARSE }
	};
	Type r = { .rank = RANK_UNKNOWN, .nelem = 1 };
	if (++t->depth > t->max_depth)
		return text_error(t, "nested more than %d deep", t->max_depth), NULL;
	const Type *result = NULL, *elem;
	size_t k = 0;
	while (k < ARRAY_LEN(kinds) && !text_word_at(t, kinds[k].name))
		k++;
	if (k == ARRAY_LEN(kinds)) {
		result = tensor_type(t, TYPE_TENSOR);
	} else {
		t->p += strlen(kinds[k].name);
		r.kind = kinds[k].kind;
		bool ok = text_expect(t, "(");
		if (ok && r.kind == TYPE_MAP) {
			ok = element_at(t, &r.dtype) || text_error(t, "found %s, expected the type of the keys", found(t));
			t->p += ok ? word_len(t) : 0;
			ok = ok && text_expect(t, ",");
		}
		elem = !ok ? NULL : r.kind == TYPE_SPARSE ? tensor_type(t, TYPE_SPARSE) : text_type(t);
		r.elem = &elem;
		if (elem && text_expect(t, ")"))
			result = r.kind == TYPE_SPARSE ? elem : type_make(t->c, r);
	}
	t->depth--;
	return result;
}

/* ---- data ---- */

static bool bits_of(Text *t, DType d, int64_t bits, uint8_t *e)
{
	if (bits < 0 || bits >> dtype_bits(d))
		return text_error(t, "%lld is not among the bit patterns of %s", (long long)bits, text_dtype_name(d));
	for (size_t k = 0; k < dtype_size(d); k++)
		e[k] = (uint8_t)(bits >> (8 * k));
	return true;
}

static bool element(Text *t, DType d, uint8_t *e)
{
	double x;
	int64_t i = 0;
	bool is_float;
	if (d == DT_STR)
		return text_string(t, (const Str **)(void *)e);
	if (dtype_class(d) == DC_COMPLEX) {
		DType part = d == DT_C64 ? DT_F32 : DT_F64;
		return element(t, part, e) && text_expect(t, ",") && element(t, part, e + dtype_size(part));
	}
	if (!text_number(t, &x, &i, &is_float))
		return false;
	if (dtype_is_float(d) && (is_float || d == DT_F32 || d == DT_F64))
		dtype_store_f64(d, e, 1, &x);
	else if (dtype_is_float(d)) /* a whole number stands for the bits of a narrow float */
		return bits_of(t, d, i, e);
	else if (is_float)
		return text_error(t, "expected a whole number");
	else
		dtype_store_i64(d, e, 1, &i);
	return true;
}

/* `{1, 2, 3}`: all elements in order. Each takes a character, so the text bounds what is allocated. */
const Attr *text_tensor_data(Text *t, const Type *type)
{
	int64_t n, i = 0;
	size_t packed, size;
	if (!text_expect(t, "{"))
		return NULL;
	if (type->kind != TYPE_TENSOR || !type_static_numel(type, &n) || !dtype_packed_bytes(type->dtype, n, &packed))
		return text_error(t, "data need a tensor type with known sizes"), NULL;
	if (n > t->end - t->p)
		return text_error(t, "fewer elements than the type has"), NULL;
	size = dtype_size(type->dtype);
	uint8_t *data = arena_alloc(t->scratch, (size_t)n * size + 1);
	for (; !text_at(t, "}"); i++) {
		if (i && !text_expect(t, ","))
			return NULL;
		if (i == n)
			return text_error(t, "more than %lld elements", (long long)n), NULL;
		if (!element(t, type->dtype, data + (size_t)i * size))
			return NULL;
	}
	t->p++;
	if (i != n)
		return text_error(t, "%lld elements, the type has %lld", (long long)i, (long long)n), NULL;
	uint8_t *bytes = mem_alloc(packed ? packed : 1);
	if (type->dtype == DT_STR)
		memcpy(bytes, data, packed);
	else
		dtype_pack(type->dtype, data, n, bytes);
	return attr_tensor(t->c, type, blob_heap(t->c, bytes, packed));
}

#include "torch_write.h"
#include "ops/label.h"

#include <string.h>

#define INLINE_ELEMENTS 64 /* more of a tensor go to the end of the file */

bool torch_unsupported(TorchWriter *w, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *what = arena_vprintf(w->arena, fmt, ap);
	va_end(ap);
	if (!w->user)
		return diag_error(w->d, HONE_UNSUPPORTED, NULL, "torch-onnx has no form for %s", what);
	return diag_error(w->d, HONE_UNSUPPORTED, w->user->loc, "torch-onnx has no form for %s of op %s%s%s", what,
		op_said_name(w->arena, w->user), w->user->name ? ", node " : "",
		w->user->name ? quote(w->arena, w->user->name->s, w->user->name->len) : "");
}

void torch_flush(TorchWriter *w, size_t limit)
{
	if (!w->file || w->out->len <= limit)
		return;
	w->failed |= !out_write(w->file, w->out->data, w->out->len);
	w->out->len = 0;
}

/* ---- words ---- */

void torch_escaped(Buf *out, const char *s, size_t len)
{
	buf_puts(out, "\"");
	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)s[i];
		if (ch == '\\')
			buf_puts(out, "\\\\");
		else if (ch >= 0x20 && ch < 0x7f && ch != '"')
			buf_put(out, s + i, 1);
		else
			buf_printf(out, "\\%02X", ch);
	}
	buf_puts(out, "\"");
}

static void word_or_string(Buf *out, const char *s, size_t len)
{
	if (is_word(s, len))
		buf_put(out, s, len);
	else
		torch_escaped(out, s, len);
}

void torch_symbol(Buf *out, const Str *s)
{
	buf_puts(out, "@");
	word_or_string(out, s->s, s->len);
}

/* As the importers make keys of blobs: a letter or underscore first, other characters than letters, digits, "_" and "."
 * replaced. */
static const char *sanitised(Arena *a, const char *s)
{
	size_t n = strlen(s);
	bool word = n > 0 && is_word(s, n) && !strpbrk(s, ".$");
	char *t = arena_printf(a, "%s%s", word ? "" : "_", s);
	for (char *p = t; *p; p++)
		if (!(is_word(p, 1) || (*p >= '0' && *p <= '9') || *p == '.'))
			*p = '_';
	return t;
}

const Str *torch_unique(TorchWriter *w, Map *taken, const char *wish)
{
	const Str *s = str(w->c, wish);
	void **counter = map_slot(taken, MAP_PTR(s));
	if (!*counter) {
		*counter = (void *)(uintptr_t)1;
		return s;
	}
	for (;;) {
		counter = map_slot(taken, MAP_PTR(s));
		uintptr_t k = (uintptr_t)*counter;
		*counter = (void *)(k + 1);
		const Str *t = str_fmt(w->c, "%s_%zu", s->s, (size_t)k);
		void **slot = map_slot(taken, MAP_PTR(t));
		if (!*slot) {
			*slot = (void *)(uintptr_t)1;
			return t;
		}
	}
}

/* ---- types ---- */

static void element(Buf *out, DType d, bool signless)
{
	const char *name = dtype_name(d);
	if (dtype_class(d) == DC_INT && !signless)
		buf_printf(out, "s%s", name);
	else if (dtype_class(d) == DC_UINT && signless)
		buf_puts(out, name + 1);
	else
		buf_puts(out, d == DT_STR ? "!torch.str" : name);
}

static bool inner_type(TorchWriter *w, const Type *t, const char *prefix)
{
	switch (t->kind) {
	case TYPE_TENSOR:
		if (t->text || t->dtype == DT_NONE)
			break;
		buf_printf(w->out, "%svtensor<[", prefix);
		for (int i = 0; i < t->rank; i++) {
			int64_t v;
			buf_puts(w->out, i ? "," : "");
			if (sym_const(t->dims[i], &v) && v >= 0)
				buf_printf(w->out, "%lld", (long long)v);
			else
				buf_puts(w->out, "?");
		}
		buf_puts(w->out, "],");
		element(w->out, t->dtype, false);
		buf_puts(w->out, ">");
		return true;
	case TYPE_SEQUENCE:
	case TYPE_OPTIONAL:
		buf_printf(w->out, "%s%s<", prefix, t->kind == TYPE_SEQUENCE ? "list" : "optional");
		if (!t->nelem || !inner_type(w, t->elem[0], ""))
			return false;
		buf_puts(w->out, ">");
		return true;
	default:
		break;
	}
	return torch_unsupported(w, "type %s", type_spelling(w->c, t)->s);
}

/* A value of which nothing is known has type !torch.none, as the importers have it. */
bool torch_type(TorchWriter *w, const Type *t)
{
	if (t->kind == TYPE_UNKNOWN || t->kind == TYPE_NONE || (t->kind == TYPE_TENSOR && t->dtype == DT_NONE && !t->text)) {
		buf_puts(w->out, "!torch.none");
		return true;
	}
	return inner_type(w, t, "!torch.");
}

void torch_builtin_type(TorchWriter *w, const Type *t, bool signless)
{
	buf_puts(w->out, "tensor<");
	for (int i = 0; i < t->rank; i++) {
		int64_t v = 0;
		sym_const(t->dims[i], &v);
		buf_printf(w->out, "%lldx", (long long)v);
	}
	element(w->out, t->dtype, signless);
	buf_puts(w->out, ">");
}

/* ---- tensors ---- */

static void print_element(TorchWriter *w, DType d, const uint8_t *e)
{
	uint64_t bits = 0;
	int64_t v;
	switch (dtype_class(d)) {
	case DC_STRING: {
		const Str *s;
		memcpy(&s, e, sizeof s);
		torch_escaped(w->out, s ? s->s : "", s ? s->len : 0);
		break;
	}
	case DC_COMPLEX: {
		DType part = d == DT_C64 ? DT_F32 : DT_F64;
		buf_puts(w->out, "(");
		print_element(w, part, e);
		buf_puts(w->out, ",");
		print_element(w, part, e + dtype_size(part));
		buf_puts(w->out, ")");
		break;
	}
	case DC_FLOAT:
		memcpy(&bits, e, dtype_size(d));
		torch_float(w->out, d, bits);
		break;
	case DC_BOOL:
		buf_puts(w->out, *e ? "true" : "false");
		break;
	default:
		dtype_load_i64(d, e, 1, &v);
		if (dtype_class(d) == DC_UINT)
			buf_printf(w->out, "%llu", (unsigned long long)v);
		else
			buf_printf(w->out, "%lld", (long long)v);
	}
}

static const uint8_t *print_nested(TorchWriter *w, const Type *t, int dim, const uint8_t *e)
{
	int64_t n = 0;
	if (dim == t->rank) {
		print_element(w, t->dtype, e);
		return e + dtype_size(t->dtype);
	}
	sym_const(t->dims[dim], &n);
	buf_puts(w->out, "[");
	for (int64_t i = 0; i < n; i++) {
		buf_puts(w->out, i ? ", " : "");
		e = print_nested(w, t, dim + 1, e);
	}
	buf_puts(w->out, "]");
	return e;
}

static bool all_equal(const uint8_t *e, size_t size, int64_t n)
{
	for (int64_t i = 1; i < n; i++)
		if (memcmp(e, e + (size_t)i * size, size) != 0)
			return false;
	return n > 0;
}

/* Most of a large file is written here: two characters at a time. */
static void print_hex(TorchWriter *w, const uint8_t *s, size_t n)
{
	enum { CHUNK = 1 << 16 };
	static const char digits[] = "0123456789ABCDEF";
	char pairs[256][2];
	char *chunk = mem_alloc(2 * CHUNK);
	for (int i = 0; i < 256; i++) {
		pairs[i][0] = digits[i >> 4];
		pairs[i][1] = digits[i & 15];
	}
	while (n) {
		size_t part = n < CHUNK ? n : CHUNK;
		for (size_t i = 0; i < part; i++)
			memcpy(chunk + 2 * i, pairs[s[i]], 2);
		if (w->file && part == CHUNK) { /* no need to gather more */
			torch_flush(w, 0);
			w->failed |= !out_write(w->file, chunk, 2 * part);
		} else {
			buf_put(w->out, chunk, 2 * part);
		}
		s += part;
		n -= part;
	}
	mem_free(chunk);
}

/* Elements in full: unpacked where they are narrower than a byte. */
static void print_listed(TorchWriter *w, const Type *t, const Blob *b, int64_t count)
{
	size_t size = dtype_size(t->dtype);
	uint8_t *wide = NULL;
	const uint8_t *e = b->data;
	if (t->dtype != DT_STR && dtype_bits(t->dtype) < 8) {
		wide = mem_alloc(count ? (size_t)count : 1);
		dtype_unpack(t->dtype, b->data, count, wide);
		e = wide;
	}
	if (all_equal(e, size, count))
		print_element(w, t->dtype, e);
	else if (count > INLINE_ELEMENTS && wide) { /* as narrow integers have no agreed form at the end of the file */
		buf_puts(w->out, "\"0x");
		print_hex(w, e, (size_t)count);
		buf_puts(w->out, "\"");
	} else if (count) {
		print_nested(w, t, 0, e);
	}
	mem_free(wide);
}

static bool print_tensor(TorchWriter *w, const Attr *a, const Str *key)
{
	const Type *t = a->u.tensor.type;
	const Blob *b = a->u.tensor.blob;
	int64_t count;
	if (t->kind != TYPE_TENSOR || t->text || !type_static_numel(t, &count))
		return torch_unsupported(w, "a constant of type %s", type_spelling(w->c, t)->s);
	if (t->dtype == DT_STR)
		return torch_unsupported(w, "a constant of strings");
	if (b->splat) {
		buf_puts(w->out, "dense<");
		if (count)
			print_element(w, t->dtype, b->data);
	} else if (count <= INLINE_ELEMENTS || dtype_bits(t->dtype) < 8) {
		buf_puts(w->out, "dense<");
		print_listed(w, t, b, count);
	} else {
		const Str *name = torch_unique(w, &w->keys, sanitised(w->arena, key ? key->s : ""));
		VEC_PUSH(w->arena, &w->blobs, ((TorchBlob){ name, a }));
		buf_puts(w->out, "dense_resource<");
		word_or_string(w->out, name->s, name->len);
	}
	buf_puts(w->out, "> : ");
	torch_builtin_type(w, t, false);
	return true;
}

void torch_blobs(TorchWriter *w)
{
	for (size_t i = 0; i < w->blobs.len; i++) {
		const Blob *b = w->blobs.data[i].value->u.tensor.blob;
		buf_puts(w->out, i ? ",\n      " : "\n{-#\n  dialect_resources: {\n    builtin: {\n      ");
		word_or_string(w->out, w->blobs.data[i].key->s, w->blobs.data[i].key->len);
		buf_puts(w->out, ": \"0x08000000");
		print_hex(w, b->data, b->len);
		buf_puts(w->out, "\"");
		blob_forget_pages(b);
	}
	if (w->blobs.len)
		buf_puts(w->out, "\n    }\n  }\n#-}\n");
}

/* ---- attributes ---- */

static void print_floats(TorchWriter *w, const Attr *a)
{
	for (size_t i = 0; i < a->u.floats.n; i++) {
		buf_puts(w->out, i ? ", " : "");
		torch_float(w->out, DT_F32, double_to_bits(DT_F32, a->u.floats.v[i]));
		buf_puts(w->out, " : f32");
	}
}

static bool print_value(TorchWriter *w, const Attr *a, const Str *key)
{
	switch (a->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		buf_printf(w->out, "%lld : si64", (long long)a->u.i);
		return true;
	case ATTR_FLOAT:
		torch_float(w->out, DT_F32, double_to_bits(DT_F32, a->u.f));
		buf_puts(w->out, " : f32");
		return true;
	case ATTR_STR:
		torch_escaped(w->out, a->u.str->s, a->u.str->len);
		return true;
	case ATTR_TENSOR:
		return print_tensor(w, a, key);
	case ATTR_INTS:
		buf_puts(w->out, "[");
		for (size_t i = 0; i < a->u.ints.n; i++)
			buf_printf(w->out, "%s%lld : si64", i ? ", " : "", (long long)a->u.ints.v[i]);
		buf_puts(w->out, "]");
		return true;
	case ATTR_FLOATS:
		buf_puts(w->out, "[");
		print_floats(w, a);
		buf_puts(w->out, "]");
		return true;
	case ATTR_STRS:
		buf_puts(w->out, "[");
		for (size_t i = 0; i < a->u.strs.n; i++) {
			buf_puts(w->out, i ? ", " : "");
			torch_escaped(w->out, a->u.strs.v[i]->s, a->u.strs.v[i]->len);
		}
		buf_puts(w->out, "]");
		return true;
	case ATTR_LIST:
		buf_puts(w->out, "[");
		for (size_t i = 0; i < a->u.list.n; i++) {
			buf_puts(w->out, i ? ", " : "");
			if (!print_value(w, a->u.list.v[i], key))
				return false;
		}
		buf_puts(w->out, "]");
		return true;
	case ATTR_TYPE:
		return torch_type(w, a->u.type);
	default:
		return false;
	}
}

bool torch_attr(TorchWriter *w, const Str *name, const Attr *a, const Str *key)
{
	size_t errors = w->d->list.len + w->d->dropped;
	const char *full = arena_printf(w->arena, "torch.onnx.%s", name->s);
	word_or_string(w->out, full, strlen(full));
	buf_puts(w->out, " = ");
	if (print_value(w, a, key))
		return true;
	return errors != w->d->list.len + w->d->dropped ? false : torch_unsupported(w, "attribute %s", name->s);
}

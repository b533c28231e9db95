/* Whether two modules say the same.
 *
 * Functions, blocks, ops and attributes are compared in order; a map keeps which value of one module is which of the other.
 * Names of values and locations do not count, nor do attributes that say what their absence means, nor how an attribute that
 * is kept as text is spelt: blanks, and the form of numbers. Sizes that are not known are alike. */
#include "format.h"

#include <string.h>

typedef struct Pairing {
	Context *c;
	Arena *arena;
	Map values;               /* of the first module -> of the second */
	const Func *func;
	const char **why;
} Pairing;

static bool attrs_alike(Pairing *p, const Attr *a, const Attr *b);

static bool differ(Pairing *p, const Op *op, const char *fmt, ...) PRINTF_LIKE(3, 4);

static bool differ(Pairing *p, const Op *op, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(p->arena, fmt, ap);
	va_end(ap);
	const char *where = "";
	if (op && op->loc && op->loc->line)
		where = arena_printf(p->arena, "%s at %s:%u:%u: ", op->def->name->s, op->loc->file ? op->loc->file : "", op->loc->line,
			op->loc->col);
	else if (op)
		where = arena_printf(p->arena, "%s: ", op->def->name->s);
	*p->why = p->func ? arena_printf(p->arena, "function %s: %s%s", quote(p->arena, p->func->name->s, p->func->name->len), where,
		text) : text;
	return false;
}

/* ---- texts ---- */

static bool is_blank(char ch)
{
	return ch == ' ' || ch == '\n' || ch == '\t' || ch == '\r';
}

static size_t number_length(const char *s)
{
	size_t n = *s == '-';
	size_t digits = strspn(s + n, "0123456789");
	if (!digits)
		return 0;
	n += digits;
	if (s[n] == '.')
		n += 1 + strspn(s + n + 1, "0123456789");
	if (s[n] == 'e' || s[n] == 'E') {
		size_t e = n + 1 + (s[n + 1] == '-' || s[n + 1] == '+');
		n = strspn(s + e, "0123456789") ? e + strspn(s + e, "0123456789") : n;
	}
	return n;
}

static bool is_word_char(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

/* Spellings with and without names of fields: bounds<4, ?> and type_extensions<bounds = [4, ?]>. */
static const char *spelling(Pairing *p, const Str *s)
{
	static const char bounds[] = "#stablehlo.bounds<";
	const char *rest = s->s, *at, *end;
	Buf b = { 0 };
	while ((at = strstr(rest, bounds)) && (end = strchr(at, '>'))) {
		buf_put(&b, rest, (size_t)(at - rest));
		at += sizeof bounds - 1;
		buf_printf(&b, "#stablehlo.type_extensions<bounds = [%.*s]", (int)(end - at), at);
		rest = end;
	}
	if (rest == s->s)
		return rest;
	buf_puts(&b, rest);
	const char *text = arena_strdup(p->arena, b.data);
	buf_free(&b);
	return text;
}

static bool texts_alike(const char *a, const char *b)
{
	for (bool quoted = false, in_word = false; *a || *b;) {
		while (!quoted && is_blank(*a))
			a++;
		while (!quoted && is_blank(*b))
			b++;
		size_t na = quoted || in_word ? 0 : number_length(a), nb = quoted || in_word ? 0 : number_length(b);
		double x, y;
		if (na && nb && parse_double(a, na, &x) && parse_double(b, nb, &y) && x == y) {
			a += na;
			b += nb;
			continue;
		}
		if (*a != *b)
			return false;
		in_word = is_word_char(*a);
		if (quoted && *a == '\\' && a[1] && a[1] == b[1]) {
			a++;
			b++;
		} else if (*a == '"') {
			quoted = !quoted;
		}
		a += *a != 0;
		b += *b != 0;
	}
	return true;
}

/* ---- types ---- */

static bool types_alike(Pairing *p, const Type *a, const Type *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || a->dtype != b->dtype || a->rank != b->rank || a->nelem != b->nelem || !a->text != !b->text)
		return false;
	if (a->text && a->text != b->text && !texts_alike(spelling(p, a->text), spelling(p, b->text)))
		return false;
	for (int i = 0; i < a->rank; i++) {
		int64_t x, y;
		bool known = sym_const(a->dims[i], &x);
		if (known != sym_const(b->dims[i], &y) || (known && x != y))
			return false;
	}
	for (int i = 0; i < a->nelem; i++)
		if (!types_alike(p, a->elem[i], b->elem[i]))
			return false;
	return true;
}

static const char *type_text(Pairing *p, const Type *t)
{
	Buf b = { 0 };
	type_print(t, &b);
	const char *s = arena_strdup(p->arena, b.data ? b.data : "");
	buf_free(&b);
	return s;
}

/* ---- attributes ---- */

/* A splat is like the tensor that has all its elements. */
static bool tensors_alike(const Attr *a, const Attr *b)
{
	const Blob *x = a->u.tensor.blob, *y = b->u.tensor.blob;
	DType d = a->u.tensor.type->dtype;
	int64_t n;
	if (a->u.tensor.type != b->u.tensor.type)
		return false;
	if (attr_equal(a, b))
		return true;
	if (x->splat == y->splat || d == DT_NONE || d == DT_STR || !type_static_numel(a->u.tensor.type, &n))
		return false;
	const Blob *one = x->splat ? x : y, *all = x->splat ? y : x;
	size_t size = dtype_size(d);
	uint8_t eight[8];
	for (int64_t i = 0; i < n; i++) {
		const uint8_t *at = (const uint8_t *)all->data + (size_t)i * size;
		if (dtype_bits(d) % 8) { /* eight packed elements end with a byte */
			int64_t first = i - i % 8;
			dtype_unpack(d, (const uint8_t *)all->data + first / 8 * dtype_bits(d), n - first < 8 ? n - first : 8, eight);
			at = eight + i % 8;
		}
		if (memcmp(at, one->data, size) != 0)
			return false;
	}
	return true;
}

static DType int_width(const Attr *a)
{
	return a->width == DT_NONE ? DT_I64 : a->width;
}

/* array<i64: 1, 2> and dense<[1, 2]> : tensor<2xi64>. */
static bool ints_alike(const Attr *list, const Attr *tensor)
{
	const Type *t = tensor->u.tensor.type;
	const Blob *blob = tensor->u.tensor.blob;
	int64_t n, v;
	if (!type_static_numel(t, &n) || (size_t)n != list->u.ints.n || t->dtype != int_width(list) || (n && dtype_bits(t->dtype) % 8))
		return false;
	for (int64_t i = 0; i < n; i++) {
		dtype_load_i64(t->dtype, (const uint8_t *)blob->data + (blob->splat ? 0 : i * (int64_t)dtype_size(t->dtype)), 1, &v);
		if (v != list->u.ints.v[i])
			return false;
	}
	return true;
}

static const Attr *entry(const Attr *dict, const Str *name)
{
	for (size_t i = 0; i < dict->u.list.n; i++)
		if (dict->u.list.names[i] == name)
			return dict->u.list.v[i];
	return NULL;
}

static bool lists_alike(Pairing *p, const Attr *a, const Attr *b)
{
	if (a->u.list.n != b->u.list.n)
		return false;
	for (size_t i = 0; i < a->u.list.n; i++) {
		const Attr *other = a->kind == ATTR_DICT ? entry(b, a->u.list.names[i]) : b->u.list.v[i];
		if (!other || !attrs_alike(p, a->u.list.v[i], other))
			return false;
	}
	return true;
}

static bool is_text(const Attr *a)
{
	return a->kind == ATTR_STR || a->kind == ATTR_SYMREF;
}

static bool mixed_alike(const Attr *a, const Attr *b)
{
	if (is_text(a) && is_text(b))
		return a->u.str == b->u.str;
	if (a->kind == ATTR_INTS && b->kind == ATTR_TENSOR)
		return ints_alike(a, b);
	if (b->kind == ATTR_INTS && a->kind == ATTR_TENSOR)
		return ints_alike(b, a);
	if (a->kind == ATTR_UNIT || b->kind == ATTR_UNIT) /* true, where a boolean is meant */
		return (a->kind == ATTR_BOOL && a->u.i) || (b->kind == ATTR_BOOL && b->u.i);
	const Attr *strs = a->kind == ATTR_STRS ? a : b, *list = a->kind == ATTR_STRS ? b : a;
	if (strs->kind != ATTR_STRS || list->kind != ATTR_LIST || strs->u.strs.n != list->u.list.n)
		return false;
	for (size_t i = 0; i < list->u.list.n; i++)
		if (!is_text(list->u.list.v[i]) || list->u.list.v[i]->u.str != strs->u.strs.v[i])
			return false;
	return true;
}

static bool attrs_alike(Pairing *p, const Attr *a, const Attr *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return mixed_alike(a, b);
	switch (a->kind) {
	case ATTR_TENSOR: return tensors_alike(a, b);
	case ATTR_LIST:
	case ATTR_DICT: return lists_alike(p, a, b);
	case ATTR_TYPE: return types_alike(p, a->u.type, b->u.type);
	case ATTR_TEXT: return texts_alike(a->u.str->s, b->u.str->s);
	case ATTR_INT: return a->u.i == b->u.i && int_width(a) == int_width(b);
	case ATTR_INTS:
		return a->u.ints.n == b->u.ints.n && !memcmp(a->u.ints.v, b->u.ints.v, a->u.ints.n * sizeof *a->u.ints.v) &&
			int_width(a) == int_width(b);
	default: return false;
	}
}

static const Attr *find(const NamedAttr *v, size_t n, const Str *name)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].name == name)
			return v[i].value;
	return NULL;
}

/* The attributes of x that y lacks or has otherwise. op: NULL or the op whose defaults count. */
static bool half_alike(Pairing *p, const Op *op, const NamedAttr *x, size_t nx, const NamedAttr *y, size_t ny)
{
	const char *name = op ? strchr(op->def->name->s, '.') : NULL;
	for (size_t i = 0; i < nx; i++) {
		const Attr *other = find(y, ny, x[i].name);
		bool fine = other ? attrs_alike(p, x[i].value, other) :
			(name && op_is_shlo(op) && shlo_attr_is_default(name + 1, x[i].name->s, x[i].value)) || !strncmp(x[i].name->s, "hone.", 5);
		if (!fine)
			return differ(p, op, "attribute %s differs", quote(p->arena, x[i].name->s, x[i].name->len));
	}
	return true;
}

static bool named_alike(Pairing *p, const Op *op, const NamedAttr *a, size_t na, const NamedAttr *b, size_t nb)
{
	return half_alike(p, op, a, na, b, nb) && half_alike(p, op, b, nb, a, na);
}

/* ---- ops and blocks ---- */

static bool blocks_alike(Pairing *p, const Block *a, const Block *b);

static bool op_alike(Pairing *p, const Op *a, const Op *b)
{
	if (a->def != b->def)
		return differ(p, a, "the other module has %s", b->def->name->s);
	if (a->noperands != b->noperands || a->nresults != b->nresults || a->nblocks != b->nblocks)
		return differ(p, a, "%u operands, %u results and %u regions, the other has %u, %u and %u", a->noperands, a->nresults,
			a->nblocks, b->noperands, b->nresults, b->nblocks);
	for (uint32_t i = 0; i < a->noperands; i++) {
		const Value *x = a->operands[i].value, *y = b->operands[i].value;
		if (!x != !y || (x && map_get(&p->values, MAP_PTR(x)) != (const void *)y))
			return differ(p, a, "operand %u is another value", (unsigned)i);
	}
	for (uint32_t i = 0; i < a->nresults; i++) {
		if (!types_alike(p, a->results[i]->type, b->results[i]->type))
			return differ(p, a, "result %u has type %s and %s", (unsigned)i, type_text(p, a->results[i]->type),
				type_text(p, b->results[i]->type));
		map_put(&p->values, MAP_PTR(a->results[i]), b->results[i]);
	}
	if (!named_alike(p, a, a->attrs, a->nattrs, b->attrs, b->nattrs))
		return false;
	for (uint32_t i = 0; i < a->nblocks; i++)
		if (!blocks_alike(p, a->blocks[i], b->blocks[i]))
			return false;
	return true;
}

static bool blocks_alike(Pairing *p, const Block *a, const Block *b)
{
	if (a->nargs != b->nargs)
		return differ(p, a->parent, "%u and %u arguments", (unsigned)a->nargs, (unsigned)b->nargs);
	for (uint32_t i = 0; i < a->nargs; i++) {
		if (!types_alike(p, a->args[i]->type, b->args[i]->type))
			return differ(p, a->parent, "argument %u has type %s and %s", (unsigned)i, type_text(p, a->args[i]->type),
				type_text(p, b->args[i]->type));
		map_put(&p->values, MAP_PTR(a->args[i]), b->args[i]);
	}
	const Op *x = a->first, *y = b->first;
	for (; x && y; x = x->next, y = y->next)
		if (!op_alike(p, x, y))
			return false;
	if (x || y)
		return differ(p, x ? x : y, "only one module has the op");
	return true;
}

/* ---- functions ---- */

static bool lists_of_named(Pairing *p, NamedAttr *const *a, NamedAttr *const *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const NamedAttr *x = a ? a[i] : NULL, *y = b ? b[i] : NULL;
		if (!named_alike(p, NULL, x, named_attr_count(x), y, named_attr_count(y)))
			return false;
	}
	return true;
}

static bool func_alike(Pairing *p, const Func *a, const Func *b)
{
	p->func = a;
	if (a->name != b->name)
		return differ(p, NULL, "the other module has %s here", quote(p->arena, b->name->s, b->name->len));
	if (a->nresults != b->nresults)
		return differ(p, NULL, "%u and %u results", (unsigned)a->nresults, (unsigned)b->nresults);
	for (uint32_t i = 0; i < a->nresults; i++)
		if (!types_alike(p, a->result_types[i], b->result_types[i]))
			return differ(p, NULL, "result %u has another type", (unsigned)i);
	const Op *ret = a->body->last;
	size_t nresults = a->is_declaration ? a->nresults : ret ? ret->noperands : 0;
	return blocks_alike(p, a->body, b->body) && named_alike(p, NULL, a->attrs, a->nattrs, b->attrs, b->nattrs) &&
		lists_of_named(p, a->arg_meta, b->arg_meta, a->body->nargs) &&
		lists_of_named(p, a->result_meta, b->result_meta, nresults);
}

static bool func_lists_alike(Pairing *p, const Func *a, const Func *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (!func_alike(p, a, b))
			return false;
	p->func = a ? a : b;
	return !p->func || differ(p, NULL, "only one module has it");
}

bool modules_alike(const Module *a, const Module *b, Arena *arena, const char **why)
{
	Pairing p = { .c = a->ctx, .arena = arena, .why = why };
	*why = NULL;
	CHECK(a->ctx == b->ctx);
	map_init(&p.values, arena);
	return named_alike(&p, NULL, a->attrs, a->nattrs, b->attrs, b->nattrs) && func_lists_alike(&p, a->decls, b->decls) &&
		func_lists_alike(&p, a->funcs, b->funcs);
}

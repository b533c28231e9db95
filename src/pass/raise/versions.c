#include "pass/raise/versions.h"

#include <string.h>

#define MANY VERSION_MANY
static const OpVersion VERSIONS[] = {
#define VERSION(op, since, min_in, max_in, min_out, max_out, operands, results, attrs, types) \
	{ #op, since, min_in, max_in, min_out, max_out, operands, results, attrs, types },
#include "pass/raise/versions.def"
#undef VERSION
};
#undef MANY

/* Containers are bits beyond those of element types. */
enum { BIT_SEQUENCE = 60, BIT_OPTIONAL, BIT_MAP, BIT_SPARSE };

typedef struct TypeWord {
	const char *word;
	DType d;
} TypeWord;

static const TypeWord WORDS[] = {
	{ "bool", DT_BOOL }, { "str", DT_STR }, { "f16", DT_F16 }, { "f32", DT_F32 }, { "f64", DT_F64 }, { "bf16", DT_BF16 },
	{ "c64", DT_C64 }, { "c128", DT_C128 }, { "i2", DT_I2 }, { "i4", DT_I4 }, { "i8", DT_I8 }, { "i16", DT_I16 },
	{ "i32", DT_I32 }, { "i64", DT_I64 }, { "u2", DT_U2 }, { "u4", DT_U4 }, { "u8", DT_U8 }, { "u16", DT_U16 },
	{ "u32", DT_U32 }, { "u64", DT_U64 }, { "f4", DT_F4E2M1 }, { "f8e8m0", DT_F8E8M0 }, { "f8e4m3fn", DT_F8E4M3FN },
	{ "f8e4m3fnuz", DT_F8E4M3FNUZ }, { "f8e5m2", DT_F8E5M2 }, { "f8e5m2fnuz", DT_F8E5M2FNUZ },
};

typedef struct TypeGroup {
	const char *word, *members;
} TypeGroup;

static const TypeGroup GROUPS[] = {
	{ "all", "bool,str,f16,f32,f64,c64,c128,i8,i16,i32,i64,u8,u16,u32,u64" },
	{ "num", "f16,f32,f64,i8,i16,i32,i64,u8,u16,u32,u64" },
	{ "int", "i8,i16,i32,i64" },
	{ "uint", "u8,u16,u32,u64" },
	{ "float", "f16,f32,f64" },
	{ "f8", "f8e4m3fn,f8e4m3fnuz,f8e5m2,f8e5m2fnuz" },
};

static bool is_word(const char *word, const char *s, size_t n)
{
	return strlen(word) == n && !memcmp(word, s, n);
}

static uint64_t set_bits(const char *s, size_t len);

static uint64_t word_bits(const char *s, size_t n)
{
	static const char *const CONTAINERS[] = { "seq", "optional", "map", "sparse" };
	for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
		if (is_word(WORDS[i].word, s, n))
			return UINT64_C(1) << WORDS[i].d;
	for (size_t i = 0; i < ARRAY_LEN(CONTAINERS); i++)
		if (is_word(CONTAINERS[i], s, n))
			return UINT64_C(1) << (BIT_SEQUENCE + i);
	for (size_t i = 0; i < ARRAY_LEN(GROUPS); i++)
		if (is_word(GROUPS[i].word, s, n))
			return set_bits(GROUPS[i].members, strlen(GROUPS[i].members));
	return 0;
}

/* Words separated by commas. */
static uint64_t set_bits(const char *s, size_t len)
{
	uint64_t bits = 0;
	for (size_t at = 0; at < len;) {
		size_t n = 0;
		while (at + n < len && s[at + n] != ',')
			n++;
		bits |= word_bits(s + at, n);
		at += n + 1;
	}
	return bits;
}

/* ---- the table ---- */

static size_t first_version(const char *name)
{
	size_t lo = 0, hi = ARRAY_LEN(VERSIONS);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcmp(VERSIONS[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const OpVersion *version_nth(const char *name, size_t i)
{
	size_t at = first_version(name) + i;
	return at < ARRAY_LEN(VERSIONS) && !strcmp(VERSIONS[at].name, name) ? &VERSIONS[at] : NULL;
}

const OpVersion *version_at(const char *name, int64_t opset)
{
	const OpVersion *best = NULL, *v;
	int best_since = 0;
	for (size_t i = 0; (v = version_nth(name, i)); i++) { /* a withdrawal sorts first */
		int since = v->since < 0 ? -v->since : v->since;
		if (since <= opset && since > best_since) {
			best = v;
			best_since = since;
		}
	}
	return best;
}

const char *version_op_name(const Op *op)
{
	const char *name = op->def->name->s;
	if (strncmp(name, "onnx.", 5) || strstr(name, "::") || !version_nth(name + 5, 0))
		return NULL;
	return name + 5;
}

/* ---- fields of a row ---- */

typedef struct Span {
	const char *s;
	size_t n;
} Span;

/* The i-th word of a list separated by blanks, the last one repeated when the list is variadic. */
static Span nth_word(const char *list, size_t i, bool variadic)
{
	Span word = { list, strcspn(list, " ") };
	while (i > 0 && word.s[word.n]) {
		word.s += word.n + 1;
		word.n = strcspn(word.s, " ");
		i--;
	}
	return i == 0 || (variadic && word.n) ? word : (Span){ "", 0 };
}

static Span param_of(const OpVersion *v, bool result, size_t i)
{
	int most = result ? v->max_results : v->max_operands;
	Span w = nth_word(result ? v->results : v->operands, i, most == VERSION_MANY);
	const char *colon = memchr(w.s, ':', w.n);
	return colon ? (Span){ colon + 1, w.n - (size_t)(colon + 1 - w.s) } : (Span){ "", 0 };
}

/* The set that a letter stands for; the word itself when it is none. */
static Span set_of(const OpVersion *v, Span param)
{
	for (const char *at = v->types; *at;) {
		size_t n = strcspn(at, " ");
		const char *equals = memchr(at, '=', n);
		if (equals && (size_t)(equals - at) == param.n && !memcmp(at, param.s, param.n))
			return (Span){ equals + 1, n - (size_t)(equals + 1 - at) };
		at += n + (at[n] == ' ');
	}
	return param;
}

uint64_t version_types(const OpVersion *v, bool result, size_t i)
{
	Span set = set_of(v, param_of(v, result, i));
	return set_bits(set.s, set.n);
}

const char *version_param(const OpVersion *v, bool result, size_t i, Arena *a)
{
	Span p = param_of(v, result, i);
	return arena_printf(a, "%.*s", (int)p.n, p.s);
}

/* ---- a node against a row ---- */

static size_t count_operands(const Op *op)
{
	size_t n = op->noperands;
	while (n > 0 && !op->operands[n - 1].value)
		n--;
	return n;
}

static bool has_attr(const OpVersion *v, const char *name)
{
	size_t len = strlen(name);
	for (const char *at = v->attrs; *at;) {
		size_t n = strcspn(at, " "), bare = n && at[n - 1] == '!' ? n - 1 : n;
		if (bare == len && !memcmp(at, name, len))
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

bool version_has_attr(const OpVersion *v, const char *name)
{
	return has_attr(v, name);
}

const char *version_operand_name(const OpVersion *v, size_t i, Arena *a)
{
	Span w = nth_word(v->operands, i, v->max_operands == VERSION_MANY);
	return arena_printf(a, "%.*s", (int)strcspn(w.s, ": "), w.s);
}

static Misfit attr_misfit(const OpVersion *v, const Op *op, Arena *a)
{
	for (size_t i = 0; i < op->nattrs; i++) {
		const Str *name = op->attrs[i].name;
		if (name->known != A_graph_names && !has_attr(v, name->s))
			return (Misfit){ .kind = MISFIT_ATTR, .what = arena_printf(a, "attribute '%s'", name->s) };
	}
	return (Misfit){ .kind = FITS };
}

static uint64_t type_bits(const Type *t)
{
	switch (t->kind) {
	case TYPE_TENSOR: return t->dtype != DT_NONE ? UINT64_C(1) << t->dtype : 0;
	case TYPE_SEQUENCE: return UINT64_C(1) << BIT_SEQUENCE;
	case TYPE_OPTIONAL: return UINT64_C(1) << BIT_OPTIONAL;
	case TYPE_MAP: return UINT64_C(1) << BIT_MAP;
	default: return 0; /* sparse tensors are taken where dense ones are */
	}
}

static Misfit type_misfit(const OpVersion *v, const Op *op, bool result, size_t i, Arena *a)
{
	const Value *x = result ? op->results[i] : op->operands[i].value;
	uint64_t bits = x ? type_bits(x->type) : 0, allowed = version_types(v, result, i);
	if (!bits || (allowed & bits))
		return (Misfit){ .kind = FITS };
	Span w = nth_word(result ? v->results : v->operands, i, true);
	Buf text = { 0 };
	if (x->type->kind == TYPE_TENSOR)
		buf_printf(&text, "%s", dtype_friendly_name(x->type->dtype));
	else
		type_print(x->type, &text);
	const char *what = arena_printf(a, "%s '%.*s' of type %s", result ? "output" : "input", (int)strcspn(w.s, ": "), w.s,
			text.data ? text.data : "");
	buf_free(&text);
	return (Misfit){ .kind = result ? MISFIT_RESULT : MISFIT_OPERAND, .index = i, .what = what, .allowed = allowed,
		.param = version_param(v, result, i, a) };
}

static Misfit count_misfit(Arena *a, const char *kind, size_t n, int min, int max)
{
	if (max == VERSION_MANY)
		return (Misfit){ .kind = MISFIT_COUNT, .what = arena_printf(a, "%zu %ss, %d or more are wanted", n, kind, min) };
	return (Misfit){ .kind = MISFIT_COUNT, .what = min == max ? arena_printf(a, "%zu %ss, %d wanted", n, kind, min) :
		arena_printf(a, "%zu %ss, %d to %d wanted", n, kind, min, max) };
}

Misfit version_misfit(const OpVersion *v, const Op *op, Arena *a)
{
	size_t n = count_operands(op);
	if (v->since < 0)
		return (Misfit){ .kind = MISFIT_WITHDRAWN };
	if (n < (size_t)v->min_operands || n > (size_t)v->max_operands)
		return count_misfit(a, "input", n, v->min_operands, v->max_operands);
	if (op->nresults < (uint32_t)v->min_results || op->nresults > (uint32_t)v->max_results)
		return count_misfit(a, "output", op->nresults, v->min_results, v->max_results);
	Misfit m = attr_misfit(v, op, a);
	for (size_t i = 0; m.kind == FITS && i < n; i++)
		m = type_misfit(v, op, false, i, a);
	for (size_t i = 0; m.kind == FITS && i < op->nresults; i++)
		m = type_misfit(v, op, true, i, a);
	return m;
}

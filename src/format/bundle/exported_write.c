/* Writing a jax.export file: what the one that was read says, around the new code.
 *
 * Inputs that became constants stay in the argument trees, so that callers need not change; they are only no longer kept:
 * JAX then does not pass them on. Shapes that are known better than before replace the abstract values. */
#include "format/bundle/bundle.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AVAL_SHAPE = 1, AVAL_DTYPE = 2 };

static const struct {
	DType dtype;
	uint8_t code;
} dtypes[] = {
	{DT_BOOL, 0}, {DT_I8, 1}, {DT_I16, 2}, {DT_I32, 3}, {DT_I64, 4}, {DT_U8, 5}, {DT_U16, 6}, {DT_U32, 7}, {DT_U64, 8},
	{DT_F16, 9}, {DT_F32, 10}, {DT_F64, 11}, {DT_C64, 12}, {DT_C128, 13}, {DT_BF16, 14}, {DT_I4, 15}, {DT_U4, 16},
	{DT_F8E4M3B11FNUZ, 17}, {DT_F8E4M3FN, 18}, {DT_F8E4M3FNUZ, 19}, {DT_F8E5M2, 20}, {DT_F8E5M2FNUZ, 21},
	{DT_F8E4M3, 23}, {DT_F8E3M4, 24}, {DT_F8E8M0, 25}, {DT_F4E2M1, 26},
};

typedef struct Rewriter {
	Module *m;
	Arena *arena;
	FlatTable *root;
} Rewriter;

bool exported_is(const Module *m)
{
	return m->bundle && m->bundle->len && m->bundle->s[0] != '{';
}

static FlatTable *parse(const Module *m, Arena *a)
{
	return flat_read((Bytes){(const uint8_t *)m->bundle->s, m->bundle->len}, EXPORTED_SCHEMA, m->path, a, &m->ctx->diags);
}

static uint32_t number_at(const FlatValue *v, size_t i, size_t bytes)
{
	uint32_t x = 0;
	for (size_t k = bytes; k-- > 0;)
		x = x << 8 | v->bytes.data[i * bytes + k];
	return x;
}

static void set_numbers(Arena *a, FlatValue *v, const uint32_t *list, size_t n, size_t bytes)
{
	uint8_t *p = arena_alloc(a, n * bytes + 1);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < bytes; k++)
			p[i * bytes + k] = (uint8_t)(list[i] >> 8 * k);
	*v = (FlatValue){.present = true, .bytes = {p, n * bytes}, .n = n};
}

void exported_drop_inputs(Module *m, const Binding *b)
{
	Arena *a = arena_new();
	FlatTable *root = parse(m, a);
	FlatValue *kept = root ? &root->values[EXP_KEPT] : NULL;
	if (kept && kept->n <= b->n) {
		size_t first = b->n - kept->n, n = 0;
		uint32_t *left = NEW_ARRAY(a, uint32_t, kept->n + 1);
		for (size_t i = 0; i < kept->n; i++)
			if (!b->value[first + i])
				left[n++] = number_at(kept, i, 2);
		if (n < kept->n)
			root->values[EXP_VJP].present = false; /* it differentiates the function of all inputs */
		set_numbers(a, kept, left, n, 2);
		Buf out = {0};
		if (flat_write(root, &out))
			m->bundle = str_n(m->ctx, out.data, out.len);
		buf_free(&out);
	}
	arena_free(a);
}

/* ---- abstract values ---- */

static bool dtype_agrees(const FlatTable *aval, DType d)
{
	for (size_t i = 0; i < ARRAY_LEN(dtypes); i++)
		if (dtypes[i].dtype == d)
			return flat_get(aval, AVAL_DTYPE)->number == dtypes[i].code;
	return false;
}

/* Whether the code knows a size that the abstract value leaves open or has otherwise. */
static bool shape_differs(const FlatTable *aval, const Type *t)
{
	const FlatValue *shape = flat_get(aval, AVAL_SHAPE);
	int64_t want, have;
	if ((size_t)t->rank != shape->n)
		return true;
	for (int i = 0; i < t->rank; i++) {
		const Bytes *s = &shape->strings[i];
		if (sym_const(t->dims[i], &want) && (!parse_int64((const char *)s->data, s->len, &have) || have != want))
			return true;
	}
	return false;
}

static FlatTable *aval_of(const Rewriter *r, const FlatTable *old, const Type *t)
{
	const FlatValue *shape = flat_get(old, AVAL_SHAPE);
	FlatTable *copy = arena_dup(r->arena, old, sizeof(*old));
	copy->values = arena_dup(r->arena, old->values, old->nfields * sizeof(*old->values));
	Bytes *dims = NEW_ARRAY(r->arena, Bytes, (size_t)t->rank + 1);
	for (int i = 0; i < t->rank; i++) {
		int64_t v;
		const char *s = sym_const(t->dims[i], &v) ? arena_printf(r->arena, "%lld", (long long)v) : NULL;
		dims[i] = s ? (Bytes){(const uint8_t *)s, strlen(s)} : (size_t)i < shape->n ? shape->strings[i] : (Bytes){NULL, 0};
	}
	copy->values[AVAL_SHAPE] = (FlatValue){.present = true, .strings = dims, .n = (size_t)t->rank};
	return copy;
}

static void append_table(const Rewriter *r, FlatValue *list, FlatTable *t)
{
	FlatTable **grown = NEW_ARRAY(r->arena, FlatTable *, list->n + 1);
	if (list->n)
		memcpy(grown, list->tables, list->n * sizeof(FlatTable *));
	grown[list->n] = t;
	list->tables = grown;
	list->n++;
	list->present = true;
}

/* Input or output `at` of the JAX function has type t in the code. Since version 10 the file has each abstract value once,
 * and numbers; before, a list of them. */
static bool refresh(const Rewriter *r, size_t list_field, size_t idx_field, size_t at, const Type *t, const char *what)
{
	FlatValue *list = &r->root->values[list_field], *idx = &r->root->values[idx_field];
	FlatValue *unique = &r->root->values[EXP_UNIQUE_AVALS];
	uint32_t number = at < idx->n ? number_at(idx, at, 4) : UINT32_MAX;
	const FlatTable *aval = number < unique->n ? unique->tables[number] : at < list->n ? list->tables[at] : NULL;
	if (!aval || !type_has_rank(t))
		return true;
	if (!dtype_agrees(aval, t->dtype) && t->dtype != DT_NONE)
		return diag_error(&r->m->ctx->diags, HONE_UNSUPPORTED, NULL, "jax.export: %s %zu is %s now, the file says otherwise",
			what, at, dtype_friendly_name(t->dtype));
	if (!shape_differs(aval, t))
		return true;
	FlatTable *fresh = aval_of(r, aval, t);
	if (at < list->n)
		list->tables[at] = fresh;
	if (at < idx->n) {
		uint32_t *numbers = NEW_ARRAY(r->arena, uint32_t, idx->n + 1);
		for (size_t i = 0; i < idx->n; i++)
			numbers[i] = i == at ? (uint32_t)unique->n : number_at(idx, i, 4);
		set_numbers(r->arena, idx, numbers, idx->n, 4);
		append_table(r, unique, fresh);
	}
	return true;
}

static bool refresh_signature(const Rewriter *r)
{
	const Block *body = r->m->main->body;
	const Op *ret = block_terminator(body);
	const FlatValue *kept = flat_get(r->root, EXP_KEPT);
	if (kept->n > body->nargs)
		return diag_error(&r->m->ctx->diags, HONE_UNSUPPORTED, NULL, "jax.export: main takes %u arguments, the file speaks of %zu",
			body->nargs, kept->n);
	size_t first = body->nargs - kept->n;
	for (size_t i = 0; i < kept->n; i++)
		if (!refresh(r, EXP_IN_AVALS, EXP_IN_AVALS_IDXS, number_at(kept, i, 2), body->args[first + i]->type, "input"))
			return false;
	size_t nout = flat_get(r->root, EXP_OUT_AVALS)->n, idx = flat_get(r->root, EXP_OUT_AVALS_IDXS)->n;
	nout = nout > idx ? nout : idx;
	if (nout > ret->noperands)
		return diag_error(&r->m->ctx->diags, HONE_UNSUPPORTED, NULL, "jax.export: main gives %u results, the file speaks of %zu",
			ret->noperands, nout);
	for (size_t i = 0; i < nout; i++)
		if (!refresh(r, EXP_OUT_AVALS, EXP_OUT_AVALS_IDXS, i, ret->operands[ret->noperands - nout + i].value->type, "result"))
			return false;
	return true;
}

/* ---- the file ---- */

/* The code as bytes, through the writer of bytecode and a file beside the target. */
static MappedFile *code_of(const Rewriter *r, const char *path, const WriteOptions *o)
{
	const char *temp = arena_printf(r->arena, "%s.%d.mlirbc.tmp", strcmp(path, "-") ? path : "stdout", (int)getpid());
	MappedFile *f = mlirbc_write(r->m, temp, o) ? file_map(temp, &r->m->ctx->diags) : NULL;
	unlink(temp);
	return f;
}

static bool put_file(const Rewriter *r, const MappedFile *code, const char *path)
{
	Diags *d = &r->m->ctx->diags;
	Buf b = {0};
	r->root->values[EXP_MODULE] = (FlatValue){.present = true, .bytes = {code->data, code->len}, .n = code->len};
	if (!flat_write(r->root, &b)) {
		buf_free(&b);
		return diag_error(d, HONE_LIMIT, NULL, "jax.export: a FlatBuffer holds 2 GiB at most; write the bytecode alone (-t mlirbc)");
	}
	OutFile *out = out_open(path, d);
	if (out)
		out_write(out, b.data, b.len);
	buf_free(&b);
	return out && out_commit(out, d);
}

bool exported_write(Module *m, const char *path, const WriteOptions *o)
{
	Diags *d = &m->ctx->diags;
	if (!m->main || !exported_is(m)) {
		diag_error(d, HONE_UNSUPPORTED, NULL, "only a model that was read from a jax.export file can be written as one");
		diag_hint(d, "-t mlirbc writes the portable artifact that such a file holds");
		return false;
	}
	Rewriter r = {.m = m, .arena = arena_new()};
	r.root = parse(m, r.arena);
	MappedFile *code = r.root && refresh_signature(&r) ? code_of(&r, path, o) : NULL;
	bool ok = code && put_file(&r, code, path);
	file_unref(code);
	arena_free(r.arena);
	return ok;
}

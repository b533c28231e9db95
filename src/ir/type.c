#include "intern.h"

#include <string.h>

bool type_intern_equal(const void *key, const void *item)
{
	const Type *a = key, *b = item;
	if (a->kind != b->kind || a->dtype != b->dtype || a->rank != b->rank || a->nelem != b->nelem || a->text != b->text)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i])
			return false;
	for (int i = 0; i < a->nelem; i++)
		if (a->elem[i] != b->elem[i])
			return false;
	return true;
}

static bool has_dims(const Type *t)
{
	return t->kind == TYPE_TENSOR || t->kind == TYPE_SPARSE;
}

/* Fields that the kind does not use are cleared first, so that they cannot tell equal types apart. */
const Type *type_make(Context *c, Type t)
{
	if (!has_dims(&t))
		t.rank = RANK_UNKNOWN;
	if (t.rank <= 0)
		t.dims = NULL;
	if (t.nelem == 0)
		t.elem = NULL;
	uint64_t h = hash_mix(hash_mix(t.kind, t.dtype), (uint64_t)(int64_t)t.rank);
	for (int i = 0; i < t.rank; i++)
		h = hash_ptr(h, t.dims[i]);
	for (int i = 0; i < t.nelem; i++)
		h = hash_ptr(h, t.elem[i]);
	h = hash_ptr(h, t.text);
	const Type *found = interner_find(c->types, h, &t);
	if (found)
		return found;
	if (t.rank > 0)
		t.dims = arena_dup(c->arena, t.dims, (size_t)t.rank * sizeof *t.dims);
	if (t.nelem > 0)
		t.elem = arena_dup(c->arena, t.elem, (size_t)t.nelem * sizeof *t.elem);
	found = arena_dup(c->arena, &t, sizeof t);
	interner_add(c->types, h, found);
	return found;
}

const Type *type_unknown(Context *c)
{
	return type_make(c, (Type){ .kind = TYPE_UNKNOWN, .rank = RANK_UNKNOWN });
}

const Type *type_tensor(Context *c, DType dtype, int rank, const Sym *const *dims)
{
	return type_make(c, (Type){ .kind = TYPE_TENSOR, .dtype = dtype, .rank = rank, .dims = dims });
}

/* Ranks that models have fit on the stack. */
#define SMALL_RANK 32

static const Sym **dims_scratch(Context *c, const Sym **small, int rank)
{
	return rank <= SMALL_RANK ? small : NEW_ARRAY(c->arena, const Sym *, rank);
}

const Type *type_tensor_of(Context *c, DType dtype, int rank, const int64_t *dims)
{
	const Sym *small[SMALL_RANK];
	const Sym **syms = dims_scratch(c, small, rank);
	for (int i = 0; i < rank; i++)
		syms[i] = dims[i] < 0 ? sym_unknown(c) : sym_int(c, dims[i]);
	return type_tensor(c, dtype, rank, syms);
}

const Type *type_unranked(Context *c, DType dtype)
{
	return type_make(c, (Type){ .kind = TYPE_TENSOR, .dtype = dtype, .rank = RANK_UNKNOWN });
}

/* An unknown type becomes an unranked tensor; the verbatim spelling no longer holds. */
const Type *type_with_dtype(Context *c, const Type *t, DType dtype)
{
	if (t->kind == TYPE_UNKNOWN)
		return type_unranked(c, dtype);
	if (t->dtype == dtype)
		return t;
	Type n = *t;
	n.dtype = dtype;
	if (has_dims(t))
		n.text = NULL;
	return type_make(c, n);
}

bool type_dims_equal(const Type *a, const Type *b)
{
	if (!type_has_rank(a) || !type_has_rank(b) || a->rank != b->rank)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (!sym_known_eq(a->dims[i], b->dims[i]))
			return false;
	return true;
}

bool type_static_dims(const Type *t, int64_t *dims_out)
{
	if (!type_has_rank(t))
		return false;
	for (int i = 0; i < t->rank; i++) {
		int64_t v;
		if (!sym_const(t->dims[i], &v))
			return false;
		if (dims_out)
			dims_out[i] = v;
	}
	return true;
}

bool type_is_static(const Type *t)
{
	return type_static_dims(t, NULL);
}

const Sym *type_numel(Context *c, const Type *t)
{
	return type_has_rank(t) ? sym_product(c, t->dims, t->rank) : NULL;
}

/* A zero anywhere makes the count zero even when the other sizes would overflow. */
bool type_static_numel(const Type *t, int64_t *out)
{
	if (!type_is_static(t))
		return false;
	int64_t n = 1;
	bool zero = false, ok = true;
	for (int i = 0; i < t->rank; i++) {
		int64_t v;
		sym_const(t->dims[i], &v);
		if (v < 0)
			return false;
		if (v == 0)
			zero = true;
		else
			ok = ok && mul_ok(n, v, &n);
	}
	if (!zero && !ok)
		return false;
	*out = zero ? 0 : n;
	return true;
}

/* ---- refinement ---- */

static int dim_precision(const Sym *s)
{
	int64_t v;
	return sym_const(s, &v) ? 2 : sym_is_unknown(s) ? 0 : 1;
}

static const Sym *dim_refine(Context *c, const Sym *a, const Sym *b, bool *conflict)
{
	if (a == b)
		return a;
	int pa = dim_precision(a), pb = dim_precision(b);
	if (pa > 0 && pb > 0 && sym_known_ne(c, a, b))
		*conflict = true;
	return pb > pa && !*conflict ? b : a;
}

static const Type *refine_tensor(Context *c, const Type *a, const Type *b, bool *conflict)
{
	Type t = *a;
	if (a->dtype == DT_NONE && !a->text) {
		t.dtype = b->dtype;
		t.text = b->text;
	} else if (b->dtype != DT_NONE && b->dtype != a->dtype) {
		*conflict = true;
	} else if (!t.text && b->dtype == a->dtype) {
		t.text = b->text;
	}
	if (b->rank < 0)
		return type_make(c, t);
	if (a->rank < 0) {
		t.rank = b->rank;
		t.dims = b->dims;
		return type_make(c, t);
	}
	if (a->rank != b->rank) {
		*conflict = true;
		return type_make(c, t);
	}
	const Sym *small[SMALL_RANK];
	const Sym **dims = dims_scratch(c, small, a->rank);
	for (int i = 0; i < a->rank; i++) {
		bool bad = false;
		dims[i] = dim_refine(c, a->dims[i], b->dims[i], &bad);
		*conflict = *conflict || bad;
	}
	t.dims = dims;
	return type_make(c, t);
}

const Type *type_refine(Context *c, const Type *a, const Type *b, bool *conflict)
{
	bool bad = false;
	const Type *r = a;
	if (a == b || b->kind == TYPE_UNKNOWN) {
		r = a;
	} else if (a->kind == TYPE_UNKNOWN) {
		r = b;
	} else if (a->kind != b->kind) {
		bad = true;
	} else if (has_dims(a)) {
		r = refine_tensor(c, a, b, &bad);
	} else if (a->nelem != b->nelem || a->dtype != b->dtype || a->text != b->text) {
		bad = true;
	} else if (a->nelem > 0) {
		Type t = *a;
		const Type **elem = NEW_ARRAY(c->arena, const Type *, a->nelem);
		for (int i = 0; i < a->nelem; i++) {
			bool inner = false;
			elem[i] = type_refine(c, a->elem[i], b->elem[i], &inner);
			bad = bad || inner;
		}
		t.elem = elem;
		r = type_make(c, t);
	}
	if (bad && conflict)
		*conflict = true;
	return r;
}

/* ---- printing ---- */

static void print_sized(const Type *t, bool plain, Buf *out);

static void print_elem_list(const Type *t, bool plain, Buf *out)
{
	for (int i = 0; i < t->nelem; i++) {
		if (i > 0)
			buf_puts(out, ", ");
		print_sized(t->elem[i], plain, out);
	}
}

/* Sizes are printed by the thousand when functions are read. */
static void print_size(int64_t v, Buf *out)
{
	char text[24], *p = text + sizeof text;
	uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	do
		*--p = (char)('0' + left % 10);
	while (left /= 10);
	if (v < 0)
		*--p = '-';
	buf_put(out, p, (size_t)(text + sizeof text - p));
}

static void print_tensor(const Type *t, bool plain, Buf *out)
{
	buf_puts(out, t->kind == TYPE_SPARSE ? "!sparse<" : "tensor<");
	if (t->rank < 0)
		buf_puts(out, "*x");
	for (int i = 0; i < t->rank; i++) {
		int64_t v;
		if (sym_const(t->dims[i], &v)) {
			print_size(v, out);
		} else if (plain) {
			buf_puts(out, "?");
		} else {
			buf_puts(out, "[");
			sym_print(t->dims[i], out);
			buf_puts(out, "]");
		}
		buf_puts(out, "x");
	}
	/* `text` is either the whole element type (no dtype) or what follows it: an encoding after a comma. */
	if (t->dtype != DT_NONE || !t->text)
		buf_puts(out, dtype_name(t->dtype));
	if (t->text) {
		if (t->dtype != DT_NONE)
			buf_puts(out, ", ");
		buf_put(out, t->text->s, t->text->len);
	}
	buf_puts(out, ">");
}

static void print_sized(const Type *t, bool plain, Buf *out)
{
	switch (t->kind) {
	case TYPE_UNKNOWN:
		buf_puts(out, "!unknown");
		return;
	case TYPE_TENSOR:
	case TYPE_SPARSE:
		print_tensor(t, plain, out);
		return;
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
	case TYPE_TOKEN:
		buf_puts(out, "!stablehlo.token");
		return;
	case TYPE_NONE:
		buf_puts(out, "none");
		return;
	case TYPE_OPAQUE:
		if (t->text)
			buf_put(out, t->text->s, t->text->len);
		return;
	}
	print_elem_list(t, plain, out);
	buf_puts(out, ">");
}

void type_print(const Type *t, Buf *out)
{
	print_sized(t, false, out);
}

void type_print_plain(const Type *t, Buf *out)
{
	print_sized(t, true, out);
}

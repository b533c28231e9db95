#include "intern.h"

#include <string.h>

static uint64_t hash_pointers(uint64_t h, const void *const *v, size_t n)
{
	h = hash_mix(h, n);
	for (size_t i = 0; i < n; i++)
		h = hash_ptr(h, v[i]);
	return h;
}

static uint64_t attr_hash(const Attr *a)
{
	uint64_t h = hash_mix(a->kind, a->width);
	uint64_t bits;
	switch (a->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		return hash_mix(h, (uint64_t)a->u.i);
	case ATTR_FLOAT:
		memcpy(&bits, &a->u.f, sizeof bits);
		return hash_mix(h, bits);
	case ATTR_STR:
	case ATTR_SYMREF:
	case ATTR_TEXT:
	case ATTR_WIRE:
		return hash_ptr(h, a->u.str);
	case ATTR_TYPE:
		return hash_ptr(h, a->u.type);
	case ATTR_INTS:
		return a->u.ints.n ? hash_bytes(a->u.ints.v, a->u.ints.n * sizeof *a->u.ints.v, h) : h;
	case ATTR_FLOATS:
		return a->u.floats.n ? hash_bytes(a->u.floats.v, a->u.floats.n * sizeof *a->u.floats.v, h) : h;
	case ATTR_STRS:
		return hash_pointers(h, (const void *const *)a->u.strs.v, a->u.strs.n);
	case ATTR_TENSOR:
		return hash_ptr(hash_ptr(h, a->u.tensor.type), a->u.tensor.blob);
	case ATTR_LIST:
		return hash_pointers(h, (const void *const *)a->u.list.v, a->u.list.n);
	case ATTR_DICT:
		h = hash_pointers(h, (const void *const *)a->u.list.v, a->u.list.n);
		return hash_pointers(h, (const void *const *)a->u.list.names, a->u.list.n);
	case ATTR_UNIT:
		break;
	}
	return h;
}

static bool same_bytes(const void *a, size_t na, const void *b, size_t nb, size_t elem)
{
	return na == nb && (na == 0 || memcmp(a, b, na * elem) == 0);
}

/* Floats compare by their bits: NaN equals itself and -0 differs from 0. */
bool attr_intern_equal(const void *key, const void *item)
{
	const Attr *a = key, *b = item;
	if (a->kind != b->kind || a->width != b->width)
		return false;
	switch (a->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		return a->u.i == b->u.i;
	case ATTR_FLOAT:
		return memcmp(&a->u.f, &b->u.f, sizeof a->u.f) == 0;
	case ATTR_STR:
	case ATTR_SYMREF:
	case ATTR_TEXT:
	case ATTR_WIRE:
		return a->u.str == b->u.str;
	case ATTR_TYPE:
		return a->u.type == b->u.type;
	case ATTR_INTS:
		return same_bytes(a->u.ints.v, a->u.ints.n, b->u.ints.v, b->u.ints.n, sizeof *a->u.ints.v);
	case ATTR_FLOATS:
		return same_bytes(a->u.floats.v, a->u.floats.n, b->u.floats.v, b->u.floats.n, sizeof *a->u.floats.v);
	case ATTR_STRS:
		return same_bytes(a->u.strs.v, a->u.strs.n, b->u.strs.v, b->u.strs.n, sizeof *a->u.strs.v);
	case ATTR_TENSOR:
		return a->u.tensor.type == b->u.tensor.type && a->u.tensor.blob == b->u.tensor.blob;
	case ATTR_DICT:
		if (!same_bytes(a->u.list.names, a->u.list.n, b->u.list.names, b->u.list.n, sizeof *a->u.list.names))
			return false;
		return same_bytes(a->u.list.v, a->u.list.n, b->u.list.v, b->u.list.n, sizeof *a->u.list.v);
	case ATTR_LIST:
		return same_bytes(a->u.list.v, a->u.list.n, b->u.list.v, b->u.list.n, sizeof *a->u.list.v);
	case ATTR_UNIT:
		return true;
	}
	return false;
}

static const void *dup_array(Context *c, const void *v, size_t n, size_t elem)
{
	if (n == 0)
		return NULL;
	void *p = arena_alloc_array(c->arena, elem, n); /* checks the multiplication */
	memcpy(p, v, n * elem);
	return p;
}

/* The interned copy owns its arrays. */
const Attr *attr_make(Context *c, Attr a)
{
	uint64_t h = attr_hash(&a);
	const Attr *found = interner_find(c->attrs, h, &a);
	if (found) {
		if (a.kind == ATTR_TENSOR)
			blob_unref(a.u.tensor.blob); /* the one that is there holds its own reference */
		return found;
	}
	switch (a.kind) {
	case ATTR_INTS:
		a.u.ints.v = dup_array(c, a.u.ints.v, a.u.ints.n, sizeof *a.u.ints.v);
		break;
	case ATTR_FLOATS:
		a.u.floats.v = dup_array(c, a.u.floats.v, a.u.floats.n, sizeof *a.u.floats.v);
		break;
	case ATTR_STRS:
		a.u.strs.v = dup_array(c, a.u.strs.v, a.u.strs.n, sizeof *a.u.strs.v);
		break;
	case ATTR_DICT:
		a.u.list.names = dup_array(c, a.u.list.names, a.u.list.n, sizeof *a.u.list.names);
		a.u.list.v = dup_array(c, a.u.list.v, a.u.list.n, sizeof *a.u.list.v);
		break;
	case ATTR_LIST:
		a.u.list.v = dup_array(c, a.u.list.v, a.u.list.n, sizeof *a.u.list.v);
		a.u.list.names = NULL;
		break;
	default:
		break;
	}
	found = arena_dup(c->arena, &a, sizeof a);
	interner_add(c->attrs, h, found);
	return found;
}

const Attr *attr_int(Context *c, int64_t v)
{
	return attr_make(c, (Attr){ .kind = ATTR_INT, .width = DT_I64, .u.i = v });
}

const Attr *attr_bool(Context *c, bool v)
{
	return attr_make(c, (Attr){ .kind = ATTR_BOOL, .u.i = v });
}

const Attr *attr_float(Context *c, double v)
{
	return attr_make(c, (Attr){ .kind = ATTR_FLOAT, .width = DT_F32, .u.f = v });
}

const Attr *attr_str(Context *c, const Str *s)
{
	return attr_make(c, (Attr){ .kind = ATTR_STR, .u.str = s });
}

const Attr *attr_ints(Context *c, const int64_t *v, size_t n)
{
	return attr_make(c, (Attr){ .kind = ATTR_INTS, .u.ints = { v, n } });
}

const Attr *attr_floats(Context *c, const double *v, size_t n)
{
	return attr_make(c, (Attr){ .kind = ATTR_FLOATS, .u.floats = { v, n } });
}

const Attr *attr_strs(Context *c, const Str *const *v, size_t n)
{
	return attr_make(c, (Attr){ .kind = ATTR_STRS, .u.strs = { v, n } });
}

const Attr *attr_type(Context *c, const Type *t)
{
	return attr_make(c, (Attr){ .kind = ATTR_TYPE, .u.type = t });
}

const Attr *attr_tensor(Context *c, const Type *t, Blob *b)
{
	CHECK(t && b);
	return attr_make(c, (Attr){ .kind = ATTR_TENSOR, .u.tensor = { t, b } });
}

bool attr_equal(const Attr *a, const Attr *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->kind != ATTR_TENSOR || b->kind != ATTR_TENSOR)
		return false;
	return a->u.tensor.type == b->u.tensor.type && blob_equal(a->u.tensor.blob, b->u.tensor.blob);
}

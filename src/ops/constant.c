#include "ops.h"

#include <string.h>

#define DEFAULT_LIMIT 65536
#define BLOCK 512 /* elements decoded at a time */

static Context *value_context(const Value *v)
{
	return v->def->block->func->module->ctx;
}

/* ---- elements of a tensor attribute ---- */

typedef void LoadFn(DType d, const void *src, int64_t n, void *dst);

static void load_ints(DType d, const void *src, int64_t n, void *dst)
{
	dtype_load_i64(d, src, n, dst);
}

static void load_floats(DType d, const void *src, int64_t n, void *dst)
{
	dtype_load_f64(d, src, n, dst);
}

/* Decodes elements [0, n) of the attribute into dst, 8 bytes each; scratch memory comes from `a`. False when the blob is
 * shorter than its type says (a reader checks that; a broken one must not make this read outside). */
static bool tensor_decode(Arena *a, const Attr *t, int64_t n, LoadFn *load, void *dst)
{
	const Blob *b = t->u.tensor.blob;
	DType d = t->u.tensor.type->dtype;
	size_t need;
	if (n == 0)
		return true;
	if (b->splat) {
		uint8_t one[16] = { 0 };
		if (b->len > sizeof one)
			return false;
		memcpy(one, b->data, b->len);
		load(d, one, 1, dst);
		uint64_t *words = dst;
		for (int64_t i = 1; i < n; i++)
			words[i] = words[0];
		return true;
	}
	if (!dtype_packed_bytes(d, n, &need) || need > b->len)
		return false;
	if (dtype_bits(d) >= 8) {
		load(d, b->data, n, dst);
		return true;
	}
	uint8_t *bytes = arena_alloc(a, (size_t)n);
	dtype_unpack(d, b->data, n, bytes);
	load(d, bytes, n, dst);
	return true;
}

static bool wanted_dtype(DType d, bool floats)
{
	return dtype_is_integer(d) || d == DT_BOOL || (floats && dtype_is_float(d));
}

enum { MANY = 256, REMEMBERED = 4096 };

/* Rules ask for the numbers of expressions that they make longer step by step: each step starts at the one before. Edits
 * keep the value of an expression. */
static void remember(const Value *v, const Attr *numbers)
{
	Module *m = v->def->block->func->module;
	if (!numbers)
		return;
	if (!m->numbers) {
		m->numbers = NEW(m->arena, Map);
		map_init(m->numbers, m->arena);
	}
	map_put(m->numbers, v->id, (void *)numbers);
}

/* Evaluates a constant expression; errors are nobody's business here. Elements go to dst through f64 or i64. */
static bool evaluate(const Value *v, int64_t n, bool floats, void *dst)
{
	Context *c = value_context(v);
	Arena *a = arena_new();
	Diags d;
	diags_init(&d, a);
	EvalCtx e;
	eval_init(&e, c, &d);
	e.threads = n < MANY ? 1 : 0;
	e.max_bytes = EVAL_FAIR_BYTES;
	e.numbers = v->def->block->func->module->numbers;
	Tensor *t = eval_constant_value(&e, v);
	bool ok = t && t->kind == TYPE_TENSOR && t->count == n && wanted_dtype(t->dtype, floats);
	if (ok && floats)
		tensor_load_f64(t, 0, n, dst);
	else if (ok)
		tensor_load_i64(t, 0, n, dst);
	if (ok && n <= REMEMBERED)
		remember(v, tensor_to_attr(c, t));
	tensor_unref(t);
	eval_release(&e);
	arena_free(a);
	return ok;
}

/* Number of elements of a constant that may be read as numbers, or -1. */
static int64_t readable_count(const Value *v, size_t limit, bool floats)
{
	int64_t n;
	if (!value_is_constant(v))
		return -1;
	const Attr *t = value_constant(v);
	const Type *type = t ? t->u.tensor.type : v->type;
	if (!type_is_tensor(type) || !wanted_dtype(type->dtype, floats) || !type_static_numel(type, &n))
		return -1;
	return (uint64_t)n <= (limit ? limit : DEFAULT_LIMIT) ? n : -1;
}

static void *read_constant(Arena *a, const Value *v, size_t limit, bool floats, size_t *n)
{
	int64_t count = readable_count(v, limit, floats);
	if (count < 0)
		return NULL;
	const Attr *t = value_constant(v);
	const Map *numbers = v->def->block->func->module->numbers;
	if (!t && numbers)
		t = map_get(numbers, v->id);
	void *dst = arena_alloc_array(a, 8, (size_t)count + 1); /* not NULL for no elements */
	bool ok = t ? tensor_decode(a, t, count, floats ? load_floats : load_ints, dst) : evaluate(v, count, floats, dst);
	if (!ok)
		return NULL;
	*n = (size_t)count;
	return dst;
}

const int64_t *constant_ints(Arena *a, const Value *v, size_t limit, size_t *n)
{
	return read_constant(a, v, limit, false, n);
}

const double *constant_floats(Arena *a, const Value *v, size_t limit, size_t *n)
{
	return read_constant(a, v, limit, true, n);
}

static bool read_one(const Value *v, bool floats, void *out)
{
	uint8_t one[16] = { 0 };
	if (readable_count(v, 1, floats) != 1)
		return false;
	const Attr *t = value_constant(v);
	if (!t)
		return evaluate(v, 1, floats, out);
	const Blob *b = t->u.tensor.blob;
	DType d = t->u.tensor.type->dtype;
	if (b->len == 0 || b->len > sizeof one)
		return false;
	memcpy(one, b->data, b->len);
	if (!b->splat && dtype_bits(d) < 8) {
		uint8_t packed = one[0];
		dtype_unpack(d, &packed, 1, one);
	}
	(floats ? load_floats : load_ints)(d, one, 1, out);
	return true;
}

bool constant_int(const Value *v, int64_t *out)
{
	return read_one(v, false, out);
}

bool constant_float(const Value *v, double *out)
{
	return read_one(v, true, out);
}

/* ---- all elements equal ---- */

static bool same_double(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0 && a == b;
}

/* Integers that a double cannot hold exactly never equal x. */
static bool block_is(DType d, const uint8_t *unpacked, int64_t n, double x)
{
	if (dtype_is_float(d)) {
		double v[BLOCK];
		dtype_load_f64(d, unpacked, n, v);
		for (int64_t i = 0; i < n; i++)
			if (!same_double(v[i], x))
				return false;
		return true;
	}
	if (!(x >= -9007199254740992.0 && x <= 9007199254740992.0) || x != (double)(int64_t)x)
		return false;
	int64_t v[BLOCK];
	dtype_load_i64(d, unpacked, n, v);
	for (int64_t i = 0; i < n; i++)
		if (v[i] != (int64_t)x)
			return false;
	return true;
}

static bool attr_all(const Attr *t, double x)
{
	const Blob *b = t->u.tensor.blob;
	const Type *type = t->u.tensor.type;
	DType d = type->dtype;
	int64_t n;
	size_t need;
	if (!wanted_dtype(d, true) || !type_static_numel(type, &n))
		return false;
	if (n == 0)
		return true;
	if (b->splat) {
		uint8_t one[16] = { 0 };
		if (b->len > sizeof one)
			return false;
		memcpy(one, b->data, b->len);
		return block_is(d, one, 1, x);
	}
	if (!dtype_packed_bytes(d, n, &need) || need > b->len)
		return false;
	const uint8_t *p = b->data;
	for (int64_t at = 0; at < n; at += BLOCK) { /* BLOCK is a multiple of 8: blocks of packed types start at a byte */
		int64_t k = n - at < BLOCK ? n - at : BLOCK;
		uint8_t bytes[BLOCK];
		const uint8_t *src = p + (size_t)at * (size_t)dtype_bits(d) / 8;
		if (dtype_bits(d) < 8) {
			dtype_unpack(d, src, k, bytes);
			src = bytes;
		}
		if (!block_is(d, src, k, x))
			return false;
	}
	return true;
}

/* Copies of x are x: looks through ops that only move the elements of one operand; the rest is evaluated when small. */
bool constant_all(const Value *v, double x)
{
	if (!value_is_constant(v))
		return false;
	const Value *p = v;
	for (int depth = 0; depth < 64; depth++) {
		const Attr *t = value_constant(p);
		const Op *op = p->def;
		if (!t && op_is(op, OP_fill))
			t = op_attr(op, A_value);
		if (t && t->kind == ATTR_TENSOR)
			return attr_all(t, x);
		if (!op || !(op->def->traits & TRAIT_MOVES) || op_is(op, OP_concat) || !op_operand(op, 0))
			break;
		p = op_operand(op, 0);
	}
	Arena *a = arena_new();
	size_t n;
	const double *f = constant_floats(a, v, 0, &n);
	bool all = f != NULL;
	for (size_t i = 0; all && i < n; i++)
		all = same_double(f[i], x) || (f[i] == x && !dtype_is_float(v->type->dtype));
	arena_free(a);
	return all;
}

/* ---- new constants ---- */

Value *constant_from_attr(Block *b, Op *at, const Attr *tensor)
{
	Context *c = b->func->module->ctx;
	NamedAttr attr = { c->attr_names[A_value], tensor };
	OpSpec s = {
		.def = op_def(c, OP_constant), .types = &tensor->u.tensor.type, .nresults = 1, .attrs = &attr, .nattrs = 1,
	};
	return op_new(b, at ? at : b->first, &s)->results[0];
}

/* A constant of n unpacked elements of 8 bytes each at `words`; equal elements are kept as a splat. */
static Value *constant_new(Block *b, Op *at, DType d, int rank, const int64_t *dims, const void *words, bool floats)
{
	Context *c = b->func->module->ctx;
	int64_t n;
	size_t packed;
	CHECK(dims_count(dims, rank, &n) && dtype_packed_bytes(d, n, &packed));
	const uint64_t *w = words;
	bool splat = n > 1;
	for (int64_t i = 1; splat && i < n; i++)
		splat = w[i] == w[0];
	int64_t kept = splat ? 1 : n;
	size_t bytes;
	CHECK(dims_count((int64_t[]){ kept, (int64_t)dtype_size(d) }, 2, (int64_t *)&bytes));
	uint8_t *unpacked = mem_zalloc(bytes + 1);
	if (floats)
		dtype_store_f64(d, unpacked, kept, words);
	else
		dtype_store_i64(d, unpacked, kept, words);
	Blob *blob;
	if (splat) {
		blob = blob_splat(c, d, unpacked);
		mem_free(unpacked);
	} else if (dtype_bits(d) < 8) {
		uint8_t *bits = mem_zalloc(packed + 1);
		dtype_pack(d, unpacked, n, bits);
		mem_free(unpacked);
		blob = blob_heap(c, bits, packed);
	} else {
		blob = blob_heap(c, unpacked, packed);
	}
	return constant_from_attr(b, at, attr_tensor(c, type_tensor_of(c, d, rank, dims), blob));
}

Value *constant_from_ints(Block *b, Op *at, DType d, int rank, const int64_t *dims, const int64_t *v)
{
	return constant_new(b, at, d, rank, dims, v, false);
}

Value *constant_from_floats(Block *b, Op *at, DType d, int rank, const int64_t *dims, const double *v)
{
	return constant_new(b, at, d, rank, dims, v, true);
}

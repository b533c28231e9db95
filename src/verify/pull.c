/* Values on demand: the driver. Cut values, constants, elementwise ops and ops computed as a whole are here; index maps and
 * contractions are in pull_ops.c. */
#include "verify/pull.h"

#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 200, MAX_WHOLE = 1 << 20, MIN_DISTINCT = 32 };

void pull_init(Pull *p, Context *c)
{
	memset(p, 0, sizeof(*p));
	p->ctx = c;
	p->arena = arena_new();
	p->lasting = arena_new();
	p->work_limit = 1 << 24;
	diags_init(&p->quiet, p->lasting);
	eval_init(&p->oracle, c, &p->quiet);
	eval_init(&p->native, c, &p->quiet);
	p->oracle.oracle = true;
	p->oracle.max_bytes = p->native.max_bytes = eval_fair_memory(c);
	p->oracle.threads = p->native.threads = 1;
	map_init(&p->full, p->arena);
	map_init(&p->constants, p->lasting);
	map_init(&p->expressions, p->lasting);
	p->native.known = &p->expressions;
}

void pull_release(Pull *p)
{
	eval_release(&p->oracle);
	eval_release(&p->native);
	arena_free(p->arena);
	arena_free(p->lasting);
}

void pull_reset(Pull *p, uint64_t seed, int round)
{
	for (uint32_t i = 0; i < p->full.len; i++)
		tensor_unref(p->full.entries[i].value);
	arena_reset(p->arena);
	map_init(&p->full, p->arena);
	p->seed = seed;
	p->round = round;
	p->work = 0;
	p->why = NULL;
	p->rounded = p->ran = false;
	p->depth = 0;
	p->quiet.list.len = 0;
	p->quiet.status = HONE_OK;
}

bool pull_no(Pull *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return false;
}

bool pull_as_whole(Pull *p)
{
	p->as_whole = true;
	return false;
}

bool pull_dims(Pull *p, const Value *v, int *rank, int64_t *dims)
{
	const Tensor *t = map_get(&p->full, MAP_PTR(v));
	if (t) {
		*rank = t->rank;
		memcpy(dims, t->dims, sizeof(*dims) * (size_t)t->rank);
		return true;
	}
	const Type *type = p->type(p->arg, v);
	if (!type_has_rank(type) || type->rank > MAX_RANK)
		return pull_no(p, "a rank is not known");
	*rank = type->rank;
	for (int i = 0; i < type->rank; i++)
		if (!sym_eval(type->dims[i], p->symbol, p->arg, &dims[i]) || dims[i] < 0)
			return pull_no(p, "a size is not known");
	return true;
}

/* ---- cut values: the same number on both sides for the same cut and element ---- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Round 0: both signs, a scale a value; round 1: positive (roots, logarithms); round 2: wide. */
static double random_float(int round, uint64_t key, uint64_t h)
{
	static const double SCALES[] = { 1.0, 0.1, 3.0, 1.0 };
	double u = (double)(h >> 11) * 0x1p-53;
	if (round == 1)
		return 0.05 + 1.95 * u;
	double s = SCALES[mix(key) & 3] * (round == 2 ? 10 : 1);
	return s * (3.4 * u - 1.7);
}

static bool is_narrow(DType d)
{
	return dtype_is_float(d) && dtype_bits(d) < 32;
}

static double cut_element(Pull *p, const Value *v, const Type *t, uint64_t key, int64_t i)
{
	uint64_t h = mix(key + mix((uint64_t)i + 0x632be59bd9b4e019u));
	switch (dtype_class(t->dtype)) {
	case DC_BOOL:
		return (double)(h >> 40 & 1);
	case DC_INT:
	case DC_UINT:
		if (p->is_index(p->arg, v))
			return (double)(h >> 40 & 1);
		if (dtype_class(t->dtype) == DC_UINT)
			return (double)(h >> 20 & 63);
		return dtype_bits(t->dtype) <= 4 ? (double)(h >> 20 & 7) - 4 : (double)(h >> 20 & 63) - 32;
	default: { /* a number that the type can hold */
		double x = random_float(p->round, key, h);
		return is_narrow(t->dtype) ? dtype_decode_float(t->dtype, dtype_encode_float(t->dtype, x, true)) : x;
	}
	}
}

static bool pull_cut(Pull *p, const Value *v, int64_t cut, const int64_t *idx, int64_t n, double *out)
{
	const Type *t = p->type(p->arg, v);
	const Elems *facts = p->facts(p->arg, v);
	uint64_t key = mix(p->seed * 3 + (uint64_t)p->round) ^ mix((uint64_t)cut + 0x9e3779b97f4a7c15u);
	if (!type_is_tensor(t) || t->dtype == DT_NONE)
		return pull_no(p, "an element type is not known");
	if (dtype_class(t->dtype) == DC_STRING || dtype_class(t->dtype) == DC_COMPLEX)
		return pull_no(p, "strings and complex numbers");
	for (int64_t i = 0; i < n; i++) {
		int64_t k;
		if (facts && idx[i] < facts->n && sym_eval(facts->v[idx[i]], p->symbol, p->arg, &k))
			out[i] = (double)k;
		else
			out[i] = cut_element(p, v, t, key, idx[i]);
	}
	return true;
}

/* ---- tensors that are there as a whole ---- */

static bool read_elements(Pull *p, const Tensor *t, const int64_t *idx, int64_t n, double *out)
{
	if (t->kind != TYPE_TENSOR)
		return pull_no(p, "sequences and optionals");
	if (dtype_class(t->dtype) == DC_STRING || dtype_class(t->dtype) == DC_COMPLEX)
		return pull_no(p, "strings and complex numbers");
	for (int64_t i = 0; i < n; i++) {
		if (idx[i] < 0 || idx[i] >= t->count)
			return pull_no(p, "shapes of both sides differ");
		out[i] = tensor_get_f64(t, idx[i]);
	}
	return true;
}

/* Some elements of a large constant, straight from its bytes; false when they need more than that. */
static bool read_few(const Attr *a, const int64_t *idx, int64_t n, double *out)
{
	enum { LARGE = 1 << 16 };
	const Blob *b = a->u.tensor.blob;
	DType d = a->u.tensor.type->dtype;
	DTypeClass class = dtype_class(d);
	size_t size = dtype_size(d);
	if (b->splat || b->len < LARGE || dtype_bits(d) < 8 || class == DC_STRING || class == DC_COMPLEX)
		return false;
	for (int64_t i = 0; i < n; i++) {
		if (idx[i] < 0 || (uint64_t)idx[i] >= b->len / size)
			return false;
		dtype_load_f64(d, (const char *)b->data + (size_t)idx[i] * size, 1, &out[i]);
	}
	return true;
}

static bool pull_constant(Pull *p, const Op *op, const int64_t *idx, int64_t n, double *out)
{
	const Attr *a = op_constant_attr(op);
	Tensor *t = map_get(&p->constants, MAP_PTR(op->results[0]));
	if (!a)
		return pull_no(p, "a constant without data");
	if (read_few(a, idx, n, out))
		return true;
	if (!t) {
		const Type *type = a->u.tensor.type;
		if (a->u.tensor.blob->splat)
			type = type_tensor_of(p->ctx, type->dtype, 0, NULL);
		const Attr *one = a->u.tensor.blob->splat ? attr_tensor(p->ctx, type, blob_ref(a->u.tensor.blob)) : a;
		t = tensor_from_attr(&p->native, one);
		if (!t)
			return pull_no(p, "a constant that cannot be read");
		map_put(&p->constants, MAP_PTR(op->results[0]), t);
	}
	if (!a->u.tensor.blob->splat)
		return read_elements(p, t, idx, n, out);
	int64_t zero = 0;
	double x;
	if (!read_elements(p, t, &zero, 1, &x))
		return false;
	for (int64_t i = 0; i < n; i++)
		out[i] = x;
	return true;
}

bool pull_ints(Pull *p, const Value *v, int64_t *out, int64_t max, int64_t *n)
{
	int rank;
	int64_t dims[MAX_RANK], idx[MAX_RANK * 2];
	double x[MAX_RANK * 2];
	if (!pull_dims(p, v, &rank, dims) || !dims_count(dims, rank, n) || *n > max || *n > MAX_RANK * 2)
		return pull_no(p, "a long integer operand");
	for (int64_t i = 0; i < *n; i++)
		idx[i] = i;
	if (!pull(p, v, idx, *n, x))
		return false;
	for (int64_t i = 0; i < *n; i++)
		out[i] = (int64_t)x[i];
	return true;
}

/* Numbers travel as doubles, which do not hold every integer of 64 bits. */
static bool store_operand(Pull *p, Tensor *t, const double *x, int64_t n)
{
	bool wide = dtype_is_integer(t->dtype) && dtype_bits(t->dtype) == 64;
	for (int64_t i = 0; wide && i < n; i++)
		if (x[i] < -0x1p53 || x[i] > 0x1p53)
			return pull_no(p, "integers beyond 2^53");
	tensor_store_f64(t, 0, n, x);
	return true;
}

/* ---- ops computed as a whole: operands pulled in full, then one evaluator step ---- */

static Tensor *whole_operand(Pull *p, EvalCtx *e, const Value *v)
{
	int rank;
	int64_t dims[MAX_RANK], n;
	Tensor *done = map_get(&p->full, MAP_PTR(v));
	if (done && done->owner == e)
		return tensor_ref(done);
	if (!pull_dims(p, v, &rank, dims))
		return NULL;
	if (!dims_count(dims, rank, &n) || n > MAX_WHOLE) {
		pull_no(p, "an op that must be computed as a whole is too large");
		return NULL;
	}
	int64_t *idx = NEW_ARRAY(p->arena, int64_t, n + 1);
	double *x = NEW_ARRAY(p->arena, double, n + 1);
	for (int64_t i = 0; i < n; i++)
		idx[i] = i;
	if (!pull(p, v, idx, n, x))
		return NULL;
	if (!pull_dims(p, v, &rank, dims)) /* known better now when v was computed as a whole */
		return NULL;
	Tensor *t = tensor_new(e, p->type(p->arg, v)->dtype, rank, dims);
	if (t && !store_operand(p, t, x, n)) {
		tensor_unref(t);
		return NULL;
	}
	return t;
}

static bool pull_whole(Pull *p, EvalCtx *e, const Op *op)
{
	Tensor *in[32] = { 0 }, *out[32] = { 0 };
	bool ok = op->noperands <= ARRAY_LEN(in) && op->nresults <= ARRAY_LEN(out) && !op->nblocks;
	if (!ok)
		return pull_no(p, op->nblocks ? "a loop" : "an op with many operands");
	if (!op->def->eval)
		return pull_no(p, "an op without a core meaning");
	for (size_t i = 0; i < op->noperands && ok; i++)
		if (op->operands[i].value)
			ok = (in[i] = whole_operand(p, e, op->operands[i].value)) != NULL;
	if (ok && !eval_op(e, op, in, out))
		ok = pull_no(p, "an op that does not run on the seeded inputs");
	for (size_t i = 0; ok && i < op->nresults; i++)
		if (out[i])
			map_put(&p->full, MAP_PTR(op->results[i]), out[i]);
	for (size_t i = 0; i < op->noperands; i++)
		tensor_unref(in[i]);
	return ok;
}

/* ---- elementwise: the same op on vectors of the wanted elements ---- */

static void broadcast_index(int rank, const int64_t *dims, int orank, const int64_t *odims, const int64_t *idx, int64_t n,
		int64_t *out)
{
	int64_t step[MAX_RANK], stride = 1;
	for (int d = orank - 1; d >= 0; d--) {
		int from = d - (orank - rank);
		step[d] = from < 0 || dims[from] == 1 ? 0 : stride;
		if (from >= 0)
			stride *= dims[from];
	}
	for (int64_t i = 0; i < n; i++) {
		int64_t rest = idx[i], at = 0;
		for (int d = orank - 1; d >= 0; d--) {
			at += odims[d] ? rest % odims[d] * step[d] : 0;
			rest = odims[d] ? rest / odims[d] : 0;
		}
		out[i] = at;
	}
}

static bool eltwise_shape(Pull *p, const Op *op, int *rank, int64_t *dims)
{
	*rank = 0;
	for (size_t i = 0; i < op->noperands; i++) {
		int r;
		int64_t d[MAX_RANK];
		if (!op->operands[i].value)
			continue;
		if (!pull_dims(p, op->operands[i].value, &r, d))
			return false;
		for (int k = 1; k <= r; k++) {
			int64_t old = k <= *rank ? dims[MAX_RANK - k] : 1;
			if (old != d[r - k] && old != 1 && d[r - k] != 1)
				return pull_no(p, "shapes that do not broadcast");
			dims[MAX_RANK - k] = old == 1 ? d[r - k] : old;
		}
		if (r > *rank)
			*rank = r;
	}
	memmove(dims, dims + MAX_RANK - *rank, sizeof(*dims) * (size_t)*rank);
	return true;
}

static bool pull_eltwise(Pull *p, EvalCtx *e, const Op *op, const int64_t *idx, int64_t n, double *out)
{
	int orank, rank;
	int64_t odims[MAX_RANK], dims[MAX_RANK], count;
	Tensor *in[16] = { 0 }, *res = NULL;
	int64_t *at = NEW_ARRAY(p->arena, int64_t, n);
	double *x = NEW_ARRAY(p->arena, double, n);
	bool ok = op->noperands <= ARRAY_LEN(in) && eltwise_shape(p, op, &orank, odims);
	if (!ok)
		return pull_no(p, "an op with many operands");
	for (size_t i = 0; i < op->noperands && ok; i++) {
		const Value *v = op->operands[i].value;
		if (!v)
			continue;
		ok = pull_dims(p, v, &rank, dims) && dims_count(dims, rank, &count);
		if (!ok)
			break;
		/* Scalars stay scalars: the bounds of clamp must be. */
		int64_t m = count == 1 && op->noperands > 1 ? 1 : n;
		broadcast_index(rank, dims, orank, odims, idx, m, at);
		ok = pull(p, v, at, m, x) && (in[i] = tensor_new(e, p->type(p->arg, v)->dtype, m == 1 && n != 1 ? 0 : 1, &m));
		ok = ok && store_operand(p, in[i], x, m);
	}
	if (ok && !eval_op(e, op, in, &res))
		ok = pull_no(p, "an op that does not run on the seeded inputs");
	for (int64_t i = 0; ok && i < n; i++)
		out[i] = tensor_get_f64(res, res->count == 1 ? 0 : i);
	tensor_unref(res);
	for (size_t i = 0; i < op->noperands; i++)
		tensor_unref(in[i]);
	return ok;
}

/* A constant expression of the source model, natively. Big ones go element by element. */
static bool pull_native(Pull *p, const Value *v, const int64_t *idx, int64_t n, double *out, bool *done)
{
	Tensor *t = map_get(&p->expressions, MAP_PTR(v));
	int64_t count;
	*done = true;
	if (!t) {
		if (!type_static_numel(v->type, &count) || count > 1 << 16) {
			*done = false;
			return true;
		}
		t = eval_constant_value(&p->native, v);
		if (!t)
			return pull_no(p, "a constant expression that does not run");
		map_put(&p->expressions, MAP_PTR(v), t);
	}
	return read_elements(p, t, idx, n, out);
}

static size_t result_index(const Op *op, const Value *v)
{
	return v->def == op ? v->index : 0;
}

static bool pull_op(Pull *p, const Value *v, const int64_t *idx, int64_t n, double *out)
{
	const Op *op = v->def;
	if (op_is(op, OP_constant))
		return pull_constant(p, op, idx, n, out);
	bool native = op->constant && !op->made, done = false;
	p->ran |= native && type_is_tensor(v->type) && dtype_is_float(v->type->dtype);
	if (native && !pull_native(p, v, idx, n, out, &done))
		return false;
	if (done)
		return true;
	if ((op_is(op, OP_cast) || op_is(op, OP_quantize)) && is_narrow(op_dtype(op, A_to)))
		p->rounded = true;
	EvalCtx *e = native || p->all_native ? &p->native : &p->oracle;
	PullFn *fn = pull_function(op);
	const Tensor *t = map_get(&p->full, MAP_PTR(v));
	if (!t && fn) {
		if (fn(p, op, result_index(op, v), idx, n, out))
			return true;
		if (!p->as_whole)
			return false;
		p->as_whole = false;
	}
	if (!t && !fn && op->def->traits & TRAIT_ELTWISE && op->nresults == 1)
		return pull_eltwise(p, e, op, idx, n, out);
	if (!t && !pull_whole(p, e, op))
		return false;
	t = map_get(&p->full, MAP_PTR(v));
	return t ? read_elements(p, t, idx, n, out) : pull_no(p, "an absent result");
}

/* Contractions ask for the same elements again and again: each is computed once. */
static bool pull_distinct(Pull *p, const Value *v, const int64_t *idx, int64_t n, double *out)
{
	int64_t slots = 64, m = 0;
	while (slots < 2 * n)
		slots *= 2;
	uint32_t *slot = NEW_ARRAY(p->arena, uint32_t, slots), *which = NEW_ARRAY(p->arena, uint32_t, n);
	int64_t *distinct = NEW_ARRAY(p->arena, int64_t, n);
	for (int64_t i = 0; i < n; i++) {
		uint64_t at = mix((uint64_t)idx[i]) & (uint64_t)(slots - 1);
		while (slot[at] && distinct[slot[at] - 1] != idx[i])
			at = (at + 1) & (uint64_t)(slots - 1);
		if (!slot[at]) {
			distinct[m] = idx[i];
			slot[at] = (uint32_t)++m;
		}
		which[i] = slot[at] - 1;
	}
	if (m == n)
		return pull_op(p, v, idx, n, out);
	double *x = NEW_ARRAY(p->arena, double, m);
	if (!pull_op(p, v, distinct, m, x))
		return false;
	for (int64_t i = 0; i < n; i++)
		out[i] = x[which[i]];
	return true;
}

bool pull(Pull *p, const Value *v, const int64_t *idx, int64_t n, double *out)
{
	p->work += n;
	if (p->work > p->work_limit)
		return pull_no(p, "the region costs too much");
	const Value *same = p->instead ? p->instead(p->arg, v) : NULL;
	if (same)
		return pull(p->other, same, idx, n, out) || pull_no(p, p->other->why);
	int64_t cut = p->cut(p->arg, v);
	if (cut >= 0 && !value_is_constant(v))
		return pull_cut(p, v, cut, idx, n, out);
	if (!v->def)
		return pull_no(p, "an argument of a nested block without counterpart");
	if (++p->depth > MAX_DEPTH)
		return pull_no(p, "the region is too deep");
	bool ok = n >= MIN_DISTINCT ? pull_distinct(p, v, idx, n, out) : pull_op(p, v, idx, n, out);
	p->depth--;
	return ok;
}

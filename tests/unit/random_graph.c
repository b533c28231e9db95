/* One generator an op or group of ops: it picks operands that fit from the pool of values there are, or makes constants.
 * Sizes are 0 to 5 and symbols; operands repeat, and values have several users. */
#include "random_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COUNT = 2000, MAX_GRAPH_RANK = 5 };

/* ---- choices ---- */

static int64_t below(Gen *g, int64_t n)
{
	return rng_below(&g->rng, n);
}

static bool chance(Gen *g, int percent)
{
	return below(g, 100) < percent;
}

typedef bool Wanted(Gen *g, const Value *v);

static bool is_float(Gen *g, const Value *v)
{
	(void)g;
	return dtype_is_float(v->type->dtype);
}

static bool is_bool(Gen *g, const Value *v)
{
	(void)g;
	return v->type->dtype == DT_BOOL;
}

static bool is_number(Gen *g, const Value *v)
{
	return !is_bool(g, v);
}

static bool is_any(Gen *g, const Value *v)
{
	(void)g;
	(void)v;
	return true;
}

static bool has_dims(Gen *g, const Value *v)
{
	(void)g;
	return v->type->rank > 0;
}

static bool is_static(Gen *g, const Value *v)
{
	(void)g;
	return type_is_static(v->type);
}

/* Jumps (comparison, rounding) after different rounding would be no fault of a rule. */
static bool is_firm(Gen *g, const Value *v)
{
	return g->exact || !g->rough[v->id];
}

/* A random value of the pool, later ones more often; NULL when none is wanted. */
static Value *pick(Gen *g, Wanted *a, Wanted *b)
{
	Value *fit[MAX_POOL];
	size_t n = 0;
	for (size_t i = 0; i < g->n; i++)
		if (a(g, g->pool[i]) && b(g, g->pool[i]))
			fit[n++] = g->pool[i];
	if (!n)
		return NULL;
	int64_t i = below(g, (int64_t)n), j = below(g, (int64_t)n);
	return fit[i > j ? i : j];
}

static int64_t dim_of(const Value *v, int i) /* -1: not a number */
{
	int64_t d;
	return sym_const(v->type->dims[i], &d) ? d : -1;
}

/* An axis, from the end half of the time. */
static int any_axis(Gen *g, const Value *v)
{
	return (int)below(g, v->type->rank);
}

static int64_t signed_axis(Gen *g, const Value *v, int axis)
{
	return chance(g, 30) ? axis - v->type->rank : axis;
}

/* ---- constants ---- */

static double a_float(Gen *g)
{
	static const double PLAIN[] = { 0, -0.0, 1, -1, 2, 0.5, 3, 6, -2, 0.25 };
	static const double WILD[] = { NAN, INFINITY, -INFINITY, 1e30, 1e-42, -0.0 };
	if (g->exact && chance(g, 15))
		return WILD[below(g, ARRAY_LEN(WILD))];
	return chance(g, 50) ? PLAIN[below(g, ARRAY_LEN(PLAIN))] : (double)(float)rng_normal(&g->rng);
}

static Value *constant_of(Gen *g, DType d, int rank, const int64_t *dims)
{
	int64_t n = 1;
	for (int i = 0; i < rank; i++)
		n *= dims[i];
	bool same = chance(g, 40);
	if (dtype_is_float(d)) {
		double *v = NEW_ARRAY(g->b->arena, double, n + 1);
		for (int64_t i = 0; i < n; i++)
			v[i] = same && i ? v[0] : a_float(g);
		return constant_from_floats(g->b->func->body, NULL, d, rank, dims, v);
	}
	int64_t *v = NEW_ARRAY(g->b->arena, int64_t, n + 1);
	for (int64_t i = 0; i < n; i++)
		v[i] = same && i ? v[0] : d == DT_BOOL ? below(g, 2) : dtype_class(d) == DC_UINT ? below(g, 5) : below(g, 7) - 2;
	return constant_from_ints(g->b->func->body, NULL, d, rank, dims, v);
}

static Value *weights(Gen *g, DType d, const char *dims)
{
	return b_random(g->b, d, dims);
}

/* A constant that broadcasts to v without making it larger. */
static Value *constant_beside(Gen *g, const Value *v)
{
	int64_t dims[MAX_RANK];
	int rank = v->type->rank, skip = (int)below(g, rank + 1), n = 0;
	for (int i = skip; i < rank; i++) {
		int64_t d = dim_of(v, i);
		dims[n++] = d >= 0 && chance(g, 60) ? d : 1;
	}
	return constant_of(g, v->type->dtype, n, dims);
}

static bool broadcasts(const Value *a, const Value *b)
{
	int ra = a->type->rank, rb = b->type->rank;
	for (int i = 1; i <= ra && i <= rb; i++) {
		const Sym *x = a->type->dims[ra - i], *y = b->type->dims[rb - i];
		if (x != y && !sym_is(x, 1) && !sym_is(y, 1))
			return false;
	}
	return true;
}

/* Another operand for v: of the pool, v itself, or a constant. */
static Value *partner(Gen *g, Value *v)
{
	if (chance(g, 5))
		return v;
	for (int tries = 0; tries < 6 && chance(g, 60); tries++) {
		Value *o = g->pool[below(g, (int64_t)g->n)];
		if (o->type->dtype == v->type->dtype && broadcasts(v, o))
			return o;
	}
	return constant_beside(g, v);
}

/* ---- ops: each generator returns the value, or NULL when nothing fits ---- */

static Value *gen_unary(Gen *g)
{
	/* The last three have no form of their own in the opset, so that raising them rounds otherwise. */
	static const OpKind SMOOTH[] = { OP_relu, OP_neg, OP_abs, OP_sigmoid, OP_tanh, OP_erf, OP_leaky_relu, OP_hard_sigmoid,
		OP_hard_swish, OP_softplus, OP_mish, OP_softsign, OP_elu, OP_sin, OP_identity, OP_relu, OP_neg, OP_gelu, OP_swish,
		OP_rsqrt };
	static const OpKind ANY[] = { OP_exp, OP_log, OP_sqrt, OP_reciprocal, OP_floor, OP_ceil, OP_round, OP_sign };
	static const OpKind JUMPS[] = { OP_floor, OP_ceil, OP_round, OP_sign };
	static const OpKind INTS[] = { OP_neg, OP_abs, OP_sign, OP_bit_not, OP_identity };
	Value *v = pick(g, is_any, is_any);
	if (is_bool(g, v))
		return B_OP(g->b, chance(g, 80) ? OP_not : OP_identity, "", v);
	if (!is_float(g, v))
		return dtype_class(v->type->dtype) == DC_INT ? B_OP(g->b, INTS[below(g, ARRAY_LEN(INTS))], "", v) : NULL;
	if (g->exact && chance(g, 30))
		return B_OP(g->b, ANY[below(g, ARRAY_LEN(ANY))], "", v);
	if (is_firm(g, v) && chance(g, 20))
		return B_OP(g->b, JUMPS[below(g, ARRAY_LEN(JUMPS))], "", v);
	return B_OP(g->b, SMOOTH[below(g, (int64_t)ARRAY_LEN(SMOOTH) - (g->exact ? 3 : 1))], "", v);
}

static Value *gen_arith(Gen *g)
{
	static const OpKind FLOATS[] = { OP_add, OP_sub, OP_mul, OP_min, OP_max, OP_add, OP_mul, OP_prelu };
	static const OpKind INTS[] = { OP_add, OP_sub, OP_mul, OP_min, OP_max, OP_bit_and, OP_bit_or, OP_bit_xor };
	static const OpKind BOOLS[] = { OP_and, OP_or, OP_xor, OP_eq, OP_ne };
	Value *v = pick(g, is_any, is_any), *o = partner(g, v);
	OpKind k = is_float(g, v) ? FLOATS[below(g, ARRAY_LEN(FLOATS))] : is_bool(g, v) ? BOOLS[below(g, ARRAY_LEN(BOOLS))]
			: INTS[below(g, ARRAY_LEN(INTS))];
	if (k == OP_prelu && (o->type->rank > v->type->rank || !value_is_constant(o)))
		k = OP_mul;
	return k != OP_prelu && chance(g, 50) ? B_OP(g->b, k, "", o, v) : B_OP(g->b, k, "", v, o);
}

static Value *gen_div(Gen *g)
{
	Value *v = pick(g, is_number, is_any);
	int64_t one = 1;
	if (!v)
		return NULL;
	if (g->exact && is_float(g, v) && chance(g, 50))
		return B_OP(g->b, chance(g, 70) ? OP_div : OP_pow, "", v, partner(g, v));
	double by[] = { 2, -4, 3, 0.3 };
	double d = by[below(g, is_float(g, v) ? 4 : dtype_class(v->type->dtype) == DC_UINT ? 1 : 3)];
	Value *c = is_float(g, v) ? constant_from_floats(g->b->func->body, NULL, v->type->dtype, 0, &one, &d)
			: constant_from_ints(g->b->func->body, NULL, v->type->dtype, 0, &one, &(int64_t){ (int64_t)d });
	return B_OP(g->b, is_float(g, v) || chance(g, 70) ? OP_div : OP_mod, "", v, c);
}

static Value *gen_compare(Gen *g)
{
	static const OpKind KINDS[] = { OP_eq, OP_ne, OP_lt, OP_le, OP_gt, OP_ge };
	Value *v = pick(g, is_number, is_firm);
	if (!v)
		return NULL;
	Value *o = partner(g, v);
	return is_firm(g, o) ? B_OP(g->b, KINDS[below(g, ARRAY_LEN(KINDS))], "", v, o) : NULL;
}

static Value *gen_select(Gen *g)
{
	Value *c = pick(g, is_bool, is_any), *a = pick(g, is_any, is_any);
	if (!c)
		return NULL;
	Value *o = partner(g, a);
	return broadcasts(c, a) && broadcasts(c, o) ? B_OP(g->b, OP_select, "", c, a, o) : NULL;
}

static Value *gen_clamp(Gen *g)
{
	Value *v = pick(g, is_number, is_any);
	if (!v)
		return NULL;
	Value *lo = chance(g, 70) ? constant_of(g, v->type->dtype, 0, NULL) : NULL;
	Value *hi = chance(g, 70) ? constant_of(g, v->type->dtype, 0, NULL) : NULL;
	return B_OP(g->b, OP_clamp, "", v, lo, hi);
}

static Value *gen_cast(Gen *g)
{
	static const char *const TO[] = { "f32", "f64", "i32", "i64", "i1", "f16", "u8", "i8" };
	char attrs[32];
	Value *v = pick(g, is_any, is_firm);
	if (!v)
		return NULL;
	const char *to = TO[below(g, ARRAY_LEN(TO))];
	if (is_float(g, v) && strchr("iu", to[0]) && strcmp(to, "i1") != 0) /* out of range is undefined */
		v = B_OP(g->b, OP_clamp, "", B_OP(g->b, OP_select, "", B_OP(g->b, OP_isnan, "", v),
				constant_from_floats(g->b->func->body, NULL, v->type->dtype, 0, NULL, &(double){ 0 }), v),
				constant_from_floats(g->b->func->body, NULL, v->type->dtype, 0, NULL, &(double){ 0 }),
				constant_from_floats(g->b->func->body, NULL, v->type->dtype, 0, NULL, &(double){ 100 }));
	snprintf(attrs, sizeof attrs, "to=%s", to);
	return B_OP(g->b, OP_cast, attrs, v);
}

static Value *gen_transpose(Gen *g)
{
	char attrs[64] = "perm=";
	int perm[MAX_RANK];
	Value *v = pick(g, has_dims, is_any);
	if (!v || chance(g, 20))
		return v ? B_OP(g->b, OP_transpose, "", v) : NULL;
	for (int i = 0; i < v->type->rank; i++) {
		int j = (int)below(g, i + 1);
		perm[i] = perm[j];
		perm[j] = i;
	}
	for (int i = 0; i < v->type->rank; i++)
		snprintf(attrs + strlen(attrs), 8, "%s%d", i ? "," : "", perm[i]);
	return B_OP(g->b, OP_transpose, attrs, v);
}

/* Dims with the same count; now and then one is -1, and dims that stay are 0. */
static Value *gen_reshape(Gen *g)
{
	int64_t n, dims[MAX_RANK];
	Value *v = pick(g, is_any, is_static);
	if (!v || !type_static_numel(v->type, &n) || n == 0)
		return NULL;
	int rank = 0;
	for (int64_t rest = n; rank < 4; rank++) {
		int64_t f = 1 + below(g, 6);
		if (rank == 3 || f > rest || rest % f)
			f = rest;
		dims[rank] = f;
		rest /= f;
		if (rest == 1 && chance(g, 60)) {
			rank++;
			break;
		}
	}
	for (int i = 0; i < rank && i < v->type->rank; i++)
		if (dims[i] == dim_of(v, i) && chance(g, 40))
			dims[i] = 0;
	if (chance(g, 40))
		dims[below(g, rank)] = -1;
	return B_OP(g->b, OP_reshape, "", v, b_ints(g->b, (size_t)rank, dims));
}

/* The shape arithmetic of exporters: [dim 0 of x, -1], or the dims of another value. */
static Value *gen_dynamic_reshape(Gen *g)
{
	Value *v = pick(g, has_dims, is_any);
	if (!v)
		return NULL;
	for (int i = 0; i < v->type->rank; i++)
		if (dim_of(v, i) == 0)
			return NULL;
	Value *s = B_OP(g->b, OP_shape, "", v);
	if (chance(g, 30)) {
		Value *flat = B_OP(g->b, OP_reshape, "", v, B_INTS(g->b, -1));
		return B_OP(g->b, OP_reshape, "", chance(g, 50) ? B_OP(g->b, OP_identity, "", flat) : flat, s);
	}
	int axis = 0; /* another, of size 0, would mean a copy of the size at its place */
	if (chance(g, 30))
		return B_OP(g->b, OP_gather, "axis=0", s,
				constant_from_ints(g->b->func->body, NULL, DT_I64, 0, NULL, &(int64_t){ axis }));
	Value *one = B_OP(g->b, OP_gather, "axis=0", s, B_INTS(g->b, axis));
	return B_OP(g->b, OP_reshape, "", v, B_OP(g->b, OP_concat, "axis=0", one, B_INTS(g->b, -1)));
}

static Value *gen_rank(Gen *g)
{
	char attrs[48];
	Value *v = pick(g, is_any, is_any);
	int rank = v->type->rank;
	switch (below(g, 3)) {
	case 0:
		if (rank >= MAX_GRAPH_RANK)
			return NULL;
		snprintf(attrs, sizeof attrs, "axes=%d", (int)below(g, rank + 1) - (chance(g, 30) ? rank + 1 : 0));
		return B_OP(g->b, OP_unsqueeze, attrs, v);
	case 1:
		for (int i = 0; i < rank; i++)
			if (dim_of(v, i) == 1) {
				snprintf(attrs, sizeof attrs, "axes=%d", (int)signed_axis(g, v, i));
				return B_OP(g->b, OP_squeeze, attrs, v);
			}
		return NULL;
	default:
		snprintf(attrs, sizeof attrs, "axis=%d", (int)below(g, rank + 1));
		return B_OP(g->b, OP_flatten, attrs, v);
	}
}

static Value *gen_slice(Gen *g)
{
	char attrs[48];
	Value *v = pick(g, has_dims, is_any);
	if (!v)
		return NULL;
	int axis = any_axis(g, v);
	int64_t d = dim_of(v, axis) < 0 ? 3 : dim_of(v, axis);
	int64_t start = below(g, d + 2) - 1, end = below(g, d + 3) - 1, step = chance(g, 70) ? 1 : chance(g, 50) ? 2 : -1;
	snprintf(attrs, sizeof attrs, "axes=%lld", (long long)signed_axis(g, v, axis));
	if (chance(g, 20))
		end = INT64_MAX;
	if (step == 1 && chance(g, 50))
		return B_OP(g->b, OP_slice, attrs, v, B_INTS(g->b, start), B_INTS(g->b, end));
	return B_OP(g->b, OP_slice, attrs, v, B_INTS(g->b, start), B_INTS(g->b, end), B_INTS(g->b, step));
}

static bool same_but(const Value *a, const Value *b, int axis)
{
	if (a->type->dtype != b->type->dtype || a->type->rank != b->type->rank)
		return false;
	for (int i = 0; i < a->type->rank; i++)
		if (i != axis && a->type->dims[i] != b->type->dims[i])
			return false;
	return true;
}

static Value *gen_concat(Gen *g)
{
	char attrs[48];
	Value *parts[4], *v = pick(g, has_dims, is_any);
	if (!v)
		return NULL;
	int axis = any_axis(g, v);
	size_t n = 0, most = 1 + (size_t)below(g, 4);
	while (n < most) {
		Value *o = g->pool[below(g, (int64_t)g->n)];
		parts[n++] = same_but(v, o, axis) ? o : v;
	}
	snprintf(attrs, sizeof attrs, "axis=%lld", (long long)signed_axis(g, v, axis));
	return b_op(g->b, OP_concat, attrs, n, parts);
}

static void add(Gen *g, Value *v);

static Value *gen_split(Gen *g)
{
	char attrs[48];
	Value *v = pick(g, has_dims, is_any);
	if (!v)
		return NULL;
	int axis = any_axis(g, v);
	int64_t d = dim_of(v, axis);
	if (d < 2)
		return NULL;
	int64_t first = 1 + below(g, d - 1);
	snprintf(attrs, sizeof attrs, "axis=%d", axis);
	Op *op = b_op_multi(g->b, OP_split, attrs, 2, (Value *[]){ v, B_INTS(g->b, first, d - first) }, 2);
	add(g, op->results[0]);
	if (chance(g, 30)) {
		char again[48];
		snprintf(again, sizeof again, "axis=%d", axis);
		return B_OP(g->b, OP_concat, again, op->results[chance(g, 20)], op->results[!chance(g, 20)]);
	}
	return op->results[1];
}

static Value *gen_gather(Gen *g)
{
	char attrs[48];
	int64_t index[3];
	Value *v = pick(g, has_dims, is_any);
	if (!v)
		return NULL;
	int axis = any_axis(g, v);
	int64_t d = dim_of(v, axis);
	if (d < 1)
		return NULL;
	int64_t n = 1 + below(g, 3);
	for (int64_t i = 0; i < n; i++)
		index[i] = below(g, 2 * d) - d;
	snprintf(attrs, sizeof attrs, "axis=%lld", (long long)signed_axis(g, v, axis));
	Value *at = chance(g, 30) ? constant_from_ints(g->b->func->body, NULL, DT_I64, 0, NULL, index)
			: b_ints(g->b, (size_t)n, index);
	return B_OP(g->b, OP_gather, attrs, v, at);
}

static Value *gen_pad(Gen *g)
{
	static const char *const MODES[] = { "", "", "", "mode=edge", "mode=reflect" };
	int64_t pads[2 * MAX_RANK] = { 0 };
	Value *v = pick(g, has_dims, is_number);
	if (!v)
		return NULL;
	const char *mode = MODES[below(g, ARRAY_LEN(MODES))];
	for (int i = 0; i < v->type->rank; i++)
		if (dim_of(v, i) >= 2 && chance(g, 50)) {
			pads[i] = below(g, 3) - (*mode ? 0 : 1);
			pads[i + v->type->rank] = below(g, 2);
			if (*mode && dim_of(v, i) < 3)
				pads[i] = 0;
		}
	Value *p = b_ints(g->b, 2 * (size_t)v->type->rank, pads);
	if (*mode || chance(g, 50))
		return B_OP(g->b, OP_pad, mode, v, p);
	return B_OP(g->b, OP_pad, mode, v, p, constant_of(g, v->type->dtype, 0, NULL));
}

static Value *gen_expand(Gen *g)
{
	int64_t dims[MAX_RANK];
	Value *v = pick(g, is_any, is_any);
	int rank = v->type->rank, extra = rank < MAX_GRAPH_RANK && chance(g, 30);
	for (int i = 0; i < rank + extra; i++) {
		int64_t d = i < extra ? 1 : dim_of(v, i - extra);
		dims[i] = d == 1 && chance(g, 50) ? 1 + below(g, 3) : d < 0 ? 1 : d;
	}
	if (chance(g, 70))
		return B_OP(g->b, OP_expand, "", v, b_ints(g->b, (size_t)(rank + extra), dims));
	for (int i = 0; i < rank; i++)
		dims[i] = chance(g, 70) ? 1 : 2;
	return rank ? B_OP(g->b, OP_tile, "", v, b_ints(g->b, (size_t)rank, dims)) : NULL;
}

static Value *gen_reduce(Gen *g)
{
	static const char *const KINDS[] = { "sum", "mean", "max", "min", "sum_square", "l1", "prod" };
	char attrs[96];
	Value *v = pick(g, is_number, is_any);
	if (!v)
		return NULL;
	bool is_real = is_float(g, v);
	const char *kind = KINDS[below(g, is_real ? 6 : 4)];
	if (!is_real && !strcmp(kind, "mean"))
		kind = "sum";
	snprintf(attrs, sizeof attrs, "kind=%s keepdims=%d", kind, (int)below(g, 2));
	if (v->type->rank > 0 && chance(g, 85)) {
		int axis = any_axis(g, v);
		snprintf(attrs + strlen(attrs), 40, " axes=%lld", (long long)signed_axis(g, v, axis));
		if (v->type->rank > 2 && chance(g, 40))
			snprintf(attrs + strlen(attrs), 20, ",%d", (axis + 1) % v->type->rank);
	}
	return B_OP(g->b, OP_reduce, attrs, v);
}

static Value *gen_argmax(Gen *g)
{
	char attrs[64];
	Value *v = pick(g, is_number, is_firm);
	if (!v || !v->type->rank)
		return NULL;
	snprintf(attrs, sizeof attrs, "axis=%d keepdims=%d select_last_index=%d", any_axis(g, v), (int)below(g, 2),
			(int)below(g, 2));
	return B_OP(g->b, chance(g, 50) ? OP_argmax : OP_argmin, attrs, v);
}

static Value *gen_axis_op(Gen *g)
{
	static const OpKind KINDS[] = { OP_softmax, OP_log_softmax, OP_softmax, OP_reverse };
	char attrs[48];
	OpKind k = KINDS[below(g, ARRAY_LEN(KINDS))];
	Value *v = pick(g, has_dims, is_float);
	if (!v)
		return NULL;
	if (k != OP_reverse && v->type->dtype == DT_I64)
		return NULL;
	snprintf(attrs, sizeof attrs, k == OP_reverse ? "axes=%d" : "axis=%d", any_axis(g, v));
	return B_OP(g->b, k, attrs, v);
}

static Value *gen_matmul(Gen *g)
{
	char dims[48];
	Value *v = pick(g, has_dims, is_float);
	if (!v || v->type->dtype == DT_F16)
		return NULL;
	DType d = v->type->dtype;
	int64_t k = dim_of(v, v->type->rank - 1), m = v->type->rank >= 2 ? dim_of(v, v->type->rank - 2) : -1;
	if (m > 0 && chance(g, 25)) {
		snprintf(dims, sizeof dims, "%d,%lld", (int)below(g, 4) + 1, (long long)m);
		return B_OP(g->b, OP_matmul, "", weights(g, d, dims), v);
	}
	if (k < 0)
		return NULL;
	int n = 1 + (int)below(g, 4);
	if (v->type->rank == 2 && chance(g, 50)) {
		bool trans = chance(g, 40), scaled = chance(g, 30);
				if (trans)
			snprintf(dims, sizeof dims, "%d,%lld", n, (long long)k);
		else
			snprintf(dims, sizeof dims, "%lld,%d", (long long)k, n);
		Value *w = weights(g, d, dims);
		snprintf(dims, sizeof dims, "%s%d", chance(g, 50) ? "1," : "", n);
		char attrs[64];
		snprintf(attrs, sizeof attrs, "trans_b=%d%s", trans, scaled ? " alpha=0.5 beta=2" : "");
		return chance(g, 30) ? B_OP(g->b, OP_gemm, attrs, v, w) : B_OP(g->b, OP_gemm, attrs, v, w, weights(g, d, dims));
	}
	snprintf(dims, sizeof dims, "%lld,%d", (long long)k, n);
	return B_OP(g->b, OP_matmul, "", v, weights(g, d, dims));
}

static bool is_image(Gen *g, const Value *v)
{
	DType d = v->type->dtype;
	(void)g;
	return (d == DT_F32 || d == DT_F64) && v->type->rank == 4 && dim_of(v, 1) > 0;
}

static Value *gen_conv(Gen *g)
{
	char dims[64], attrs[96];
	Value *v = pick(g, is_image, is_any);
	if (!v)
		return NULL;
	int64_t h = dim_of(v, 2), w = dim_of(v, 3), c = dim_of(v, 1);
	if (h < 0 || w < 0)
		return NULL;
	DType d = v->type->dtype;
	int k = 1 + (int)below(g, 3), pad = (int)below(g, k);
	int groups = c % 2 == 0 && chance(g, 30) ? 2 : 1, out = groups * (1 + (int)below(g, 3));
	if (k > h + 2 * pad || k > w + 2 * pad)
		k = 1;
	snprintf(attrs, sizeof attrs, "pads=%d,%d,%d,%d groups=%d strides=%s", pad, pad, pad, pad, groups,
			chance(g, 30) ? "2,2" : "1,1");
	bool up = chance(g, 25);
	if (up)
		snprintf(dims, sizeof dims, "%lld,%d,%d,%d", (long long)c, out / groups, k, k);
	else
		snprintf(dims, sizeof dims, "%d,%lld,%d,%d", out, (long long)c / groups, k, k);
	if (up && (h - 1 + k - 2 * pad < 1 || w - 1 + k - 2 * pad < 1))
		return NULL;
	Value *weight = weights(g, d, dims);
	snprintf(dims, sizeof dims, "%d", out);
	OpKind kind = up ? OP_conv_transpose : OP_conv;
	return chance(g, 50) ? B_OP(g->b, kind, attrs, v, weight) : B_OP(g->b, kind, attrs, v, weight, weights(g, d, dims));
}

static Value *gen_norm(Gen *g)
{
	char dims[24];
	Value *v = pick(g, is_float, has_dims);
	if (!v || v->type->rank < 2 || v->type->dtype == DT_F16)
		return NULL;
	int64_t c = dim_of(v, 1), last = dim_of(v, v->type->rank - 1);
	if (c > 0 && chance(g, 70)) {
		snprintf(dims, sizeof dims, "%lld", (long long)c);
		return b_batch_norm(g->b, v, dims);
	}
	if (last < 2)
		return NULL;
	snprintf(dims, sizeof dims, "%lld", (long long)last);
	return B_OP(g->b, OP_layer_norm, "axis=-1 epsilon=0.01", v, b_positive(g->b, v->type->dtype, dims),
			weights(g, v->type->dtype, dims));
}

static Value *gen_pool(Gen *g)
{
	Value *v = pick(g, is_image, is_any);
	if (!v || dim_of(v, 2) < 2 || dim_of(v, 3) < 2)
		return NULL;
	if (chance(g, 30))
		return B_OP(g->b, OP_global_avg_pool, "", v);
	const char *attrs = chance(g, 50) ? "kernel=2,2 strides=2,2" : chance(g, 50) ? "kernel=2,2 pads=1,1,1,1" :
			"kernel=2,2 pads=0,1,1,0 ceil_mode=1 strides=2,1";
	return B_OP(g->b, chance(g, 50) ? OP_max_pool : OP_avg_pool, attrs, v);
}

/* ---- regions ---- */

static Value *nested(Gen *g, Block *at, OpKind k, Value *a, Value *b)
{
	OpSpec s = { .def = op_def(g->b->ctx, k), .operands = (Value *[]){ a, b }, .noperands = b ? 2 : 1, .nresults = 1 };
	InferCtx x;
	infer_init(&x, g->b->module, g->b->arena, &g->b->ctx->diags);
	Op *op = op_new(at, NULL, &s);
	infer_op(&x, op);
	return op->results[0];
}

static void yield(Gen *g, Block *at, Value *const *v, size_t n)
{
	OpSpec s = { .def = op_def(g->b->ctx, OP_yield), .operands = v, .noperands = n };
	op_new(at, NULL, &s);
}

static Value *branch(Gen *g, Block *at, Value *v)
{
	static const OpKind KINDS[] = { OP_relu, OP_neg, OP_abs };
	if (chance(g, 25))
		return v;
	Value *w = chance(g, 60) ? nested(g, at, KINDS[below(g, 3)], v, NULL) : nested(g, at, OP_add, v, v);
	return chance(g, 30) ? nested(g, at, OP_neg, w, NULL) : w;
}

static bool is_signed(Gen *g, const Value *v)
{
	return is_float(g, v) || dtype_class(v->type->dtype) == DC_INT;
}

static Value *finish_region(Gen *g, Op *op)
{
	InferCtx x;
	infer_init(&x, g->b->module, g->b->arena, &g->b->ctx->diags);
	infer_op(&x, op);
	return op->results[0];
}

static Value *gen_if(Gen *g)
{
	Value *v = pick(g, is_signed, is_any), *c = g->pool[0];
	if (!v)
		return NULL;
	if (chance(g, 20))
		c = constant_of(g, DT_BOOL, 0, NULL);
	else if (chance(g, 20))
		c = B_OP(g->b, OP_not, "", c);
	size_t n = 1 + (size_t)below(g, 2);
	OpSpec s = { .def = op_def(g->b->ctx, OP_if), .operands = &c, .noperands = 1, .nresults = n, .nblocks = 2 };
	Op *op = op_new(g->b->func->body, NULL, &s);
	for (size_t i = 0; i < 2; i++) {
		Block *at = block_new(g->b->func, op);
		Value *out[2] = { branch(g, at, v), NULL };
		if (n > 1)
			out[1] = branch(g, at, chance(g, 50) ? v : out[0]);
		yield(g, at, out, n);
		op_set_block(op, i, at);
	}
	Value *first = finish_region(g, op);
	if (n > 1)
		add(g, op->results[1]);
	return first;
}

static Value *gen_loop(Gen *g)
{
	Value *v = pick(g, is_signed, is_any), *other = v ? partner(g, v) : NULL;
	if (!v || !same_but(v, other, -1))
		return NULL;
	Value *in[3] = { constant_from_ints(g->b->func->body, NULL, DT_I64, 0, NULL, &(int64_t){ below(g, 4) }), NULL, v };
	OpSpec s = { .def = op_def(g->b->ctx, OP_loop), .operands = in, .noperands = 3, .nresults = 1, .nblocks = 1 };
	Op *op = op_new(g->b->func->body, NULL, &s);
	Block *at = block_new(g->b->func, op);
	block_add_arg(at, type_tensor(g->b->ctx, DT_I64, 0, NULL), NULL);
	Value *cond = block_add_arg(at, type_tensor(g->b->ctx, DT_BOOL, 0, NULL), NULL);
	Value *state = block_add_arg(at, v->type, NULL);
	Value *kept = nested(g, at, OP_neg, other, NULL);
	Value *next = chance(g, 20) ? state : nested(g, at, chance(g, 50) ? OP_add : OP_max, state, kept);
	yield(g, at, (Value *[]){ cond, next }, 2);
	op_set_block(op, 0, at);
	return finish_region(g, op);
}

/* ---- whole graphs ---- */

typedef Value *Generator(Gen *g);

static Generator *const GENERATORS[] = {
	gen_unary, gen_unary, gen_unary, gen_arith, gen_arith, gen_arith, gen_div, gen_compare, gen_select, gen_clamp, gen_cast,
	gen_transpose, gen_transpose, gen_reshape, gen_reshape, gen_dynamic_reshape, gen_rank, gen_rank, gen_slice, gen_slice,
	gen_concat, gen_concat, gen_split, gen_gather, gen_pad, gen_expand, gen_reduce, gen_argmax, gen_axis_op, gen_matmul,
	gen_matmul, gen_conv, gen_conv, gen_conv, gen_norm, gen_norm, gen_pool, gen_if, gen_loop,
};

static bool computes_floats(const Op *op)
{
	static const OpKind EXACT[] = { OP_relu, OP_neg, OP_abs, OP_min, OP_max, OP_clamp, OP_select, OP_pad, OP_floor, OP_ceil,
		OP_round, OP_sign, OP_max_pool };
	for (size_t i = 0; i < ARRAY_LEN(EXACT); i++)
		if (op_is(op, EXACT[i]))
			return false;
	return !(op->def->traits & TRAIT_MOVES) && dtype_is_float(op->results[0]->type->dtype);
}

/* Into the pool, unless it is too large to work with. */
static void add(Gen *g, Value *v)
{
	int64_t count = 1;
	if (v->id >= MAX_IDS)
		return;
	if (!type_has_rank(v->type) || v->type->dtype == DT_NONE)
		fail_msg("no type for a result of %s", v->def->def->name->s);
	if (v->def) {
		bool rough = computes_floats(v->def);
		for (size_t i = 0; i < v->def->noperands; i++)
			rough |= v->def->operands[i].value && g->rough[v->def->operands[i].value->id];
		g->rough[v->id] = rough;
	}
	for (int i = 0; i < v->type->rank; i++)
		count *= dim_of(v, i) < 0 ? 4 : dim_of(v, i);
	if (g->n < MAX_POOL && v->type->rank <= MAX_GRAPH_RANK && count <= MAX_COUNT)
		g->pool[g->n++] = v;
}

static void add_inputs(Gen *g)
{
	static const DType KINDS[] = { DT_F32, DT_F32, DT_F32, DT_F32, DT_F64, DT_F16, DT_I64, DT_I32, DT_I8, DT_U8, DT_BOOL };
	static const char *const DIMS[] = { "2,3", "n,3", "2,4,4,4", "n,2,4,4", "1,4,3,4", "4", "", "n", "3,n", "1,3,1", "n,m,2",
		"0,3", "2,3,4", "4,4", "n,4,4", "1,2,0,3" };
	add(g, b_input(g->b, DT_BOOL, ""));
	for (int64_t n = 1 + below(g, 3); n > 0; n--)
		add(g, b_input(g->b, KINDS[below(g, ARRAY_LEN(KINDS))], DIMS[below(g, ARRAY_LEN(DIMS))]));
	if (chance(g, 60))
		add(g, b_input(g->b, DT_F32, chance(g, 50) ? "n,4,4,4" : "1,3,5,5"));
}

/* only: the one output to keep, -1 for all. */
static void choose_outputs(Gen *g, int only)
{
	Build *b = g->b;
	for (size_t i = 0; i < g->n && b->nout < 12; i++)
		if (!value_has_uses(g->pool[i]) && g->pool[i]->def)
			b_output(b, g->pool[i]);
	for (int i = 0; i < 3; i++)
		if (chance(g, 30))
			b_output(b, g->pool[below(g, (int64_t)g->n)]);
	if (!b->nout)
		b_output(b, g->pool[g->n - 1]);
	if (only >= 0 && (size_t)only < b->nout) {
		b->out[0] = b->out[only];
		b->nout = 1;
	}
	OpSpec s = { .def = op_def(b->ctx, OP_return), .operands = b->out, .noperands = b->nout };
	op_new(b->func->body, NULL, &s);
	b->func->result_names = NEW_ARRAY(b->module->arena, const Str *, b->nout + 1);
	for (size_t i = 0; i < b->nout; i++)
		b->func->result_names[i] = str_fmt(b->ctx, "out%zu", i);
}

Gen *random_graph(uint64_t seed, int64_t max_ops, int only)
{
	Gen *g = calloc(1, sizeof *g);
	g->b = build_new(18);
	g->rng.state = seed * 0x9E3779B97F4A7C15u + 1;
	rng_u64(&g->rng);
	g->b->rng.state = rng_u64(&g->rng);
	g->exact = chance(g, 40);
	module_set_attr(g->b->module, "ir_version", attr_int(g->b->ctx, 8));
	add_inputs(g);
	int64_t ops = 2 + below(g, MAX_OPS - 1);
	for (int64_t i = 0, tries = 0; i < ops && i < max_ops && tries < 200; tries++) {
		Value *v = GENERATORS[below(g, ARRAY_LEN(GENERATORS))](g);
		if (v) {
			add(g, v);
			i++;
		}
	}
	choose_outputs(g, only);
	return g;
}

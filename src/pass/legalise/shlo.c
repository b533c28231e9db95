#include "legalise_int.h"

#include <string.h>

/* StableHLO and chlo ops to core ops. Ops that no row has, or whose function declines, stay and are run as they are. */

static const Type *result_type(const Lg *l)
{
	return l->op->results[0]->type;
}

/* Static dims of the first result. */
static bool result_dims(const Lg *l, int64_t *dims, int *rank)
{
	const Type *t = result_type(l);
	*rank = type_has_rank(t) ? t->rank : 0;
	return type_has_rank(t) && t->rank <= MAX_RANK && type_static_dims(t, dims);
}

static RwAttr *one_attr(Lg *l, AttrName a, const Attr *v)
{
	RwAttr *list = NEW_ARRAY(l->a, RwAttr, 2);
	list[0] = (RwAttr){ a, v };
	list[1] = (RwAttr){ A_NONE, NULL };
	return list;
}

static RwAttr *ints_attr(Lg *l, AttrName a, const int64_t *v, size_t n)
{
	return one_attr(l, a, lg_ints_attr(l, v, n));
}

static Value *to_type(Lg *l, Value *x, DType d)
{
	return lg_dtype(x) == d ? x : lg_new1(l, OP_cast, x, one_attr(l, A_to, attr_dtype(l->c, d)));
}

Value *lg_shlo_transpose(Lg *l, Value *x, const int64_t *perm, size_t n)
{
	bool same = true;
	for (size_t i = 0; i < n; i++)
		same &= perm[i] == (int64_t)i;
	return same ? x : lg_new1(l, OP_transpose, x, ints_attr(l, A_perm, perm, n));
}

static bool is_complex(const Value *v)
{
	return dtype_class(lg_dtype(v)) == DC_COMPLEX;
}

/* ---- elementwise ---- */

static bool same_operands(Lg *l, OpKind core)
{
	return lg_become_same(l, core, NULL);
}

static bool logical(Lg *l, OpKind core)
{
	OpKind bits = core == OP_and ? OP_bit_and : core == OP_or ? OP_bit_or : core == OP_xor ? OP_bit_xor : OP_bit_not;
	return lg_become_same(l, lg_dtype(lg_in(l, 0)) == DT_BOOL ? core : bits, NULL);
}

/* Of the bits, whatever the type says: unsigned ones are read as signed for it. */
static bool shift_arithmetic(Lg *l, OpKind core)
{
	static const struct { DType from, to; } same_width[] = { { DT_U8, DT_I8 }, { DT_U16, DT_I16 }, { DT_U32, DT_I32 },
		{ DT_U64, DT_I64 } };
	DType d = lg_dtype(lg_in(l, 0));
	if (dtype_class(d) == DC_INT)
		return lg_become_same(l, core, NULL);
	for (size_t i = 0; i < ARRAY_LEN(same_width); i++)
		if (same_width[i].from == d) {
			RwAttr *to = one_attr(l, A_to, attr_dtype(l->c, same_width[i].to));
			Value *a = lg_new1(l, OP_cast, lg_in(l, 0), to), *b = lg_new1(l, OP_cast, lg_in(l, 1), to);
			Value *y = lg_new2(l, core, a, b, NULL);
			return lg_become(l, OP_cast, &y, 1, one_attr(l, A_to, attr_dtype(l->c, d)));
		}
	return false;
}

static bool ordered(Lg *l, OpKind core)
{
	return !is_complex(lg_in(l, 0)) && lg_become_same(l, core, NULL);
}

static bool convert(Lg *l, OpKind core)
{
	return lg_become_same(l, core, one_attr(l, A_to, attr_dtype(l->c, result_type(l)->dtype)));
}

static bool compare(Lg *l, OpKind core)
{
	static const struct { const char *name; OpKind kind; } directions[] = { { "EQ", OP_eq }, { "NE", OP_ne }, { "LT",
		OP_lt },
		{ "LE", OP_le }, { "GT", OP_gt }, { "GE", OP_ge } };
	const Str *d = op_attr_str(l->op, A_comparison_direction);
	(void)core;
	if (!d || op_attr_is(l->op, A_compare_type, "TOTALORDER"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(directions); i++)
		if (!strcmp(d->s, directions[i].name))
			return (i < 2 || !is_complex(lg_in(l, 0))) && lg_become_same(l, directions[i].kind, NULL);
	return false;
}

/* Bounds come first here; core wants scalars. */
static bool clamp(Lg *l, OpKind core)
{
	Value *lo = lg_in(l, 0), *x = lg_in(l, 1), *hi = lg_in(l, 2);
	if (is_complex(x) || lg_dtype(x) == DT_BOOL)
		return false;
	if (lg_rank(lo) == 0 && lg_rank(hi) == 0)
		return lg_become(l, core, (Value *[]){ x, lo, hi }, 3, NULL);
	return lg_become(l, OP_min, (Value *[]){ lg_new2(l, OP_max, x, lo, NULL), hi }, 2, NULL);
}

static bool square(Lg *l, OpKind core)
{
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_in(l, 0) }, 2, NULL);
}

static bool is_inf(Lg *l, OpKind core)
{
	OpKind k = op_kind(l->op);
	RwAttr attrs[] = { { A_detect_positive, k == CHLO_is_neg_inf ? lg_int(l, 0) : NULL },
		{ A_detect_negative, k == CHLO_is_pos_inf ? lg_int(l, 0) : NULL }, { A_NONE, NULL } };
	return dtype_is_float(lg_dtype(lg_in(l, 0))) && lg_become_same(l, core, attrs);
}

/* chlo.broadcast_*: NumPy's rules, when the operand of lower rank is aligned at the end. */
static bool broadcasting(Lg *l, OpKind core)
{
	const int64_t *dims;
	size_t n = op_attr_ints(l->op, A_broadcast_dimensions, &dims);
	int rank = type_has_rank(result_type(l)) ? result_type(l)->rank : -1;
	if (lg_rank(lg_in(l, 0)) < 0 || lg_rank(lg_in(l, 1)) < 0 || rank < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (dims[i] != rank - (int64_t)n + (int64_t)i)
			return false;
	switch (op_kind(l->op)) {
	case CHLO_broadcast_and: case CHLO_broadcast_or: case CHLO_broadcast_xor:
		return logical(l, core);
	case CHLO_broadcast_compare:
		return compare(l, core);
	case CHLO_broadcast_shift_right_arithmetic:
		return shift_arithmetic(l, core);
	default:
		return lg_become_same(l, core, NULL);
	}
}

/* ---- constants and shapes ---- */

static bool constant(Lg *l, OpKind core)
{
	const Attr *v = op_attr(l->op, A_value);
	return v && v->kind == ATTR_TENSOR && v->u.tensor.type->dtype != DT_NONE && lg_become_same(l, core, one_attr(l,
		A_value, v));
}

static bool constant_like(Lg *l, OpKind core)
{
	int64_t dims[MAX_RANK];
	int rank;
	(void)core;
	if (!result_dims(l, dims, &rank) || !dtype_is_float(result_type(l)->dtype))
		return false;
	Value *v = lg_const_float(l, result_type(l)->dtype, op_attr_float(l->op, A_value, 0));
	return lg_become(l, OP_expand, (Value *[]){ v, lg_const_ints(l, dims, (size_t)rank) }, 2, NULL);
}

/* A range along the dimension, the others broadcast. */
static bool iota(Lg *l, OpKind core)
{
	int64_t dims[MAX_RANK], shape[MAX_RANK];
	int rank;
	int64_t axis = op_attr_int(l->op, A_iota_dimension, 0);
	(void)core;
	if (!result_dims(l, dims, &rank) || axis < 0 || axis >= rank || is_complex(l->op->results[0]))
		return false;
	Value *v = lg_new(l, OP_range, (Value *[]){ lg_const_int(l, 0), lg_const_int(l, dims[axis]), lg_const_int(l, 1) },
		3, NULL);
	v = lg_new1(l, OP_cast, v, one_attr(l, A_to, attr_dtype(l->c, result_type(l)->dtype)));
	if (rank == 1)
		return lg_become(l, OP_identity, &v, 1, NULL);
	for (int d = 0; d < rank; d++)
		shape[d] = d == axis ? dims[axis] : 1;
	v = lg_new(l, OP_reshape, (Value *[]){ v, lg_const_ints(l, shape, (size_t)rank) }, 2, one_attr(l, A_allowzero,
		lg_int(l, 1)));
	return lg_become(l, OP_expand, (Value *[]){ v, lg_const_ints(l, dims, (size_t)rank) }, 2, NULL);
}

/* The same with a shape that an operand gives. */
static bool dynamic_iota(Lg *l, OpKind core)
{
	int64_t axis = op_attr_int(l->op, A_iota_dimension, 0), ones[MAX_RANK];
	const Type *t = result_type(l);
	Value *dims = lg_in(l, 0);
	if (!type_has_rank(t) || t->rank > MAX_RANK || axis < 0 || axis >= t->rank || is_complex(l->op->results[0]))
		return false;
	dims = to_type(l, dims, DT_I64);
	Value *size = lg_new(l, OP_gather, (Value *[]){ dims, lg_const_int(l, axis) }, 2, one_attr(l, A_axis, lg_int(l, 0)));
	Value *v = lg_new(l, core, (Value *[]){ lg_const_int(l, 0), size, lg_const_int(l, 1) }, 3, NULL);
	RwAttr *to = one_attr(l, A_to, attr_dtype(l->c, t->dtype));
	if (t->rank == 1)
		return lg_become(l, OP_cast, &v, 1, to);
	v = lg_new1(l, OP_cast, v, to);
	size_t n = 0;
	for (int64_t d = 0; d < t->rank; d++)
		if (d != axis)
			ones[n++] = d;
	return lg_become(l, OP_expand, (Value *[]){ lg_unsqueeze(l, v, ones, n), dims }, 2, NULL);
}

/* The result's shape as a value: constant, or the operand that says it. */
static Value *shape_value(Lg *l, size_t operand)
{
	int64_t dims[MAX_RANK];
	int rank;
	if (result_dims(l, dims, &rank))
		return lg_const_ints(l, dims, (size_t)rank);
	Value *v = lg_in(l, operand);
	return v && lg_rank(v) == 1 ? to_type(l, v, DT_I64) : NULL;
}

static bool reshape(Lg *l, OpKind core)
{
	Value *shape = shape_value(l, 1);
	return shape && lg_become(l, core, (Value *[]){ lg_in(l, 0), shape }, 2, one_attr(l, A_allowzero, lg_int(l, 1)));
}

/* Operand dimensions in the order of the result, ones between them, then NumPy's broadcast. */
static bool broadcast_in_dim(Lg *l, OpKind core)
{
	const int64_t *at;
	size_t n = op_attr_ints(l->op, A_broadcast_dimensions, &at);
	const Type *t = result_type(l);
	Value *x = lg_in(l, 0);
	int64_t perm[MAX_RANK], axes[MAX_RANK];
	size_t naxes = 0, from = 0;
	if (!type_has_rank(t) || lg_rank(x) != (int)n || n > MAX_RANK || t->rank > MAX_RANK)
		return false;
	for (int64_t d = 0; d < t->rank; d++) {
		size_t i = 0;
		while (i < n && at[i] != d)
			i++;
		if (i < n)
			perm[from++] = (int64_t)i;
		else
			axes[naxes++] = d;
	}
	Value *shape = from == n ? shape_value(l, 1) : NULL;
	if (!shape)
		return false;
	x = lg_shlo_transpose(l, x, perm, n);
	if (naxes && n)
		x = lg_unsqueeze(l, x, axes, naxes);
	return lg_become(l, core, (Value *[]){ x, shape }, 2, NULL);
}

/* broadcast: new dimensions in front. */
static bool broadcast(Lg *l, OpKind core)
{
	Value *shape = shape_value(l, 1);
	return shape && lg_become(l, core, (Value *[]){ lg_in(l, 0), shape }, 2, NULL);
}

static bool transpose(Lg *l, OpKind core)
{
	return lg_become_same(l, core, one_attr(l, A_perm, op_attr(l->op, A_permutation)));
}

static bool reverse(Lg *l, OpKind core)
{
	const int64_t *axes;
	size_t n = op_attr_ints(l->op, A_dimensions, &axes);
	return lg_become_same(l, n ? core : OP_identity, n ? ints_attr(l, A_axes, axes, n) : NULL);
}

static bool concatenate(Lg *l, OpKind core)
{
	if (l->op->noperands == 1)
		return lg_become_same(l, OP_identity, NULL);
	return lg_become_same(l, core, one_attr(l, A_axis, lg_int(l, op_attr_int(l->op, A_dimension, 0))));
}

static bool become_slice(Lg *l, size_t n, const int64_t *start, const int64_t *end, const int64_t *step)
{
	if (n == 0)
		return lg_become(l, OP_identity, (Value *[]){ lg_in(l, 0) }, 1, NULL);
	Value *in[4] = { lg_in(l, 0), lg_const_ints(l, start, n), lg_const_ints(l, end, n), NULL };
	for (size_t i = 0; step && i < n && !in[3]; i++)
		if (step[i] != 1)
			in[3] = lg_const_ints(l, step, n);
	return lg_become(l, OP_slice, in, 4, NULL);
}

static bool slice(Lg *l, OpKind core)
{
	const int64_t *a, *b, *s;
	size_t n = op_attr_ints(l->op, A_start_indices, &a), m = op_attr_ints(l->op, A_limit_indices, &b),
		k = op_attr_ints(l->op, A_strides, &s);
	(void)core;
	if (n != m || (k && k != n) || lg_rank(lg_in(l, 0)) != (int)n)
		return false;
	return become_slice(l, n, a, b, k ? s : NULL);
}

/* At constant places: they are moved inside as upstream says. */
static bool dynamic_slice(Lg *l, OpKind core)
{
	const int64_t *size;
	int64_t dims[MAX_RANK], start[MAX_RANK], end[MAX_RANK];
	size_t n = op_attr_ints(l->op, A_slice_sizes, &size);
	const Type *t = lg_in(l, 0)->type;
	(void)core;
	if (!type_has_rank(t) || (size_t)t->rank != n || n > MAX_RANK || !type_static_dims(t, dims) ||
		l->op->noperands != n + 1)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!constant_int(lg_in(l, i + 1), &start[i]) || size[i] > dims[i])
			return false;
		int64_t most = dims[i] - size[i];
		start[i] = start[i] < 0 ? 0 : start[i] > most ? most : start[i];
		end[i] = start[i] + size[i];
	}
	return become_slice(l, n, start, end, NULL);
}

/* Without interior padding. */
static bool pad(Lg *l, OpKind core)
{
	const int64_t *low, *high, *interior;
	size_t n = op_attr_ints(l->op, A_edge_padding_low, &low), m = op_attr_ints(l->op, A_edge_padding_high, &high),
		k = op_attr_ints(l->op, A_interior_padding, &interior);
	int64_t pads[2 * MAX_RANK];
	if (n != m || n > MAX_RANK || lg_rank(lg_in(l, 0)) != (int)n || n == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (k && interior[i])
			return false;
		pads[i] = low[i];
		pads[n + i] = high[i];
	}
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_const_ints(l, pads, 2 * n), lg_in(l, 1) }, 3, NULL);
}

static bool dimension_size(Lg *l, OpKind core)
{
	int64_t d = op_attr_int(l->op, A_dimension, 0);
	(void)core;
	if (lg_rank(lg_in(l, 0)) <= d || d < 0)
		return false;
	Value *v = lg_new1(l, OP_shape, lg_in(l, 0), (RwAttr[]){ { A_start, lg_int(l, d) }, { A_end, lg_int(l, d + 1) },
		{ A_NONE, NULL } });
	v = lg_new2(l, OP_reshape, v, lg_const_ints(l, NULL, 0), NULL);
	return lg_become(l, OP_cast, &v, 1, one_attr(l, A_to, attr_dtype(l->c, DT_I32)));
}

/* Only the one value it is about. */
static bool barrier(Lg *l, OpKind core)
{
	return l->op->noperands == 1 && l->op->nresults == 1 && lg_become_same(l, core, NULL);
}

/* Among one device a collective gives what it gets. */
static bool collective(Lg *l, OpKind core)
{
	Op *op = l->op;
	if (!shlo_is_alone(op) || op->noperands < op->nresults || op->nresults == 0)
		return false;
	for (size_t i = 0; i < op->nresults; i++) {
		const Value *x = op_operand(op, i);
		if (x->type->kind != TYPE_TENSOR || !type_dims_equal(x->type, op->results[i]->type))
			return false;
	}
	if (op->nresults == 1 && op->noperands == 1 && op->nblocks == 0)
		return lg_become_same(l, core, NULL);
	Value **v = NEW_ARRAY(l->a, Value *, op->nresults);
	for (size_t i = 0; i < op->nresults; i++)
		v[i] = lg_new1(l, OP_identity, op_operand(op, i), NULL);
	return lg_replace(l, v, op->nresults);
}

/* Custom calls that older exporters wrote for elementwise functions, and assertions that hold. */
static bool custom_call(Lg *l, OpKind core)
{
	static const struct { const char *name; OpKind kind; } names[] = { { "mhlo.erf", OP_erf }, { "mhlo.tan", OP_tan },
		{ "mhlo.asin", OP_asin }, { "mhlo.acos", OP_acos }, { "mhlo.atan", OP_atan }, { "mhlo.sinh", OP_sinh },
		{ "mhlo.cosh", OP_cosh }, { "mhlo.asinh", OP_asinh }, { "mhlo.acosh", OP_acosh }, { "mhlo.atanh", OP_atanh } };
	const Str *target = op_attr_str(l->op, A_call_target_name);
	int64_t holds;
	(void)core;
	if (!target)
		return false;
	if (!strcmp(target->s, "shape_assertion") && l->op->nresults == 0 && l->op->noperands >= 1) {
		const Elems *f = l->facts ? infer_elems(l->facts, lg_in(l, 0)) : NULL;
		l->gone = (constant_int(lg_in(l, 0), &holds) && holds) || (f && f->n == 1 && sym_is(f->v[0], 1));
		return l->gone;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(target->s, names[i].name))
			return l->op->noperands == 1 && l->op->nresults == 1 && dtype_is_float(lg_dtype(lg_in(l, 0))) &&
				lg_become_same(l, names[i].kind, NULL);
	return false;
}

/* ---- contraction ---- */

static bool is_run(const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] != (int64_t)i)
			return false;
	return true;
}

typedef struct Dot {
	const int64_t *lb, *rb, *lc, *rc;
	size_t nb, nc;
} Dot;

static const Attr *dict_ints(const Attr *d, size_t i)
{
	return d && d->kind == ATTR_DICT && i < d->u.list.n && d->u.list.v[i]->kind == ATTR_INTS ? d->u.list.v[i] : NULL;
}

/* Products are made in the result's type. A plain matrix product, with or without leading batch dimensions, is a matmul. */
static bool become_dot(Lg *l, const Dot *d)
{
	Value *a = lg_in(l, 0), *b = lg_in(l, 1);
	DType to = result_type(l)->dtype;
	int ra = lg_rank(a), rb = lg_rank(b);
	if (ra < 0 || rb < 0 || is_complex(a) || is_complex(b))
		return false;
	a = to_type(l, a, to);
	b = to_type(l, b, to);
	bool plain = d->nc == 1 && ra == (int)d->nb + 2 && rb == ra && is_run(d->lb, d->nb) && is_run(d->rb, d->nb);
	if (plain && d->lc[0] == ra - 1 && d->rc[0] == ra - 2)
		return lg_become(l, OP_matmul, (Value *[]){ a, b }, 2, NULL);
	return lg_become(l, OP_dot_general, (Value *[]){ a, b }, 2, (RwAttr[]){
		{ A_lhs_batch, lg_ints_attr(l, d->lb, d->nb) }, { A_rhs_batch, lg_ints_attr(l, d->rb, d->nb) },
		{ A_lhs_contract, lg_ints_attr(l, d->lc, d->nc) }, { A_rhs_contract, lg_ints_attr(l, d->rc, d->nc) },
		{ A_NONE, NULL } });
}

static bool dot_general(Lg *l, OpKind core)
{
	const Attr *n = op_attr(l->op, A_dot_dimension_numbers);
	const Attr *v[4] = { dict_ints(n, 0), dict_ints(n, 1), dict_ints(n, 2), dict_ints(n, 3) };
	(void)core;
	if (!v[0] || !v[1] || !v[2] || !v[3] || v[0]->u.ints.n != v[1]->u.ints.n || v[2]->u.ints.n != v[3]->u.ints.n)
		return false;
	Dot d = { v[0]->u.ints.v, v[1]->u.ints.v, v[2]->u.ints.v, v[3]->u.ints.v, v[0]->u.ints.n, v[2]->u.ints.n };
	return become_dot(l, &d);
}

/* The last dimension of the one with the first of the other. */
static bool dot(Lg *l, OpKind core)
{
	static const int64_t zero = 0;
	int64_t last = lg_rank(lg_in(l, 0)) - 1;
	Dot d = { NULL, NULL, &last, &zero, 0, 1 };
	(void)core;
	return last >= 0 && become_dot(l, &d);
}

static bool einsum(Lg *l, OpKind core)
{
	return op_attr_str(l->op, A_einsum_config) && lg_become_same(l, core, one_attr(l, A_equation, op_attr(l->op,
		A_einsum_config)));
}

/* ---- reductions ---- */

typedef struct ReduceKind {
	OpKind body;
	const char *kind;
	double start; /* of floats, and 0, 1 of integers */
} ReduceKind;

static const ReduceKind reduce_kinds[] = {
	{ OP_add, "sum", 0 }, { OP_mul, "prod", 1 }, { OP_max, "max", -__builtin_inf() }, { OP_min, "min",
		__builtin_inf() },
	{ OP_and, "and", 1 }, { OP_or, "or", 0 },
};

/* The one op of `return op(arg0, arg1)`. */
static const ReduceKind *standard_body(const Op *op)
{
	const Block *b = op->nblocks == 1 ? op->blocks[0] : NULL;
	const Op *body = b ? b->first : NULL, *end = b ? block_terminator(b) : NULL;
	if (!body || body == end || body->next != end || b->nargs != 2 || end->noperands != 1 || body->noperands != 2 ||
		op_operand(end, 0) != body->results[0])
		return NULL;
	const Value *x = op_operand(body, 0), *y = op_operand(body, 1);
	if (!((x == b->args[0] && y == b->args[1]) || (x == b->args[1] && y == b->args[0])))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(reduce_kinds); i++)
		if (reduce_kinds[i].body == op_kind(body))
			return &reduce_kinds[i];
	return NULL;
}

/* The initial value changes nothing: a sum from 0 (of either sign: an empty sum is 0), a maximum from -Inf. */
static bool starts_neutral(const Value *init, const ReduceKind *k)
{
	const Attr *c = value_constant(init);
	double v;
	if (!c || c->u.tensor.type->dtype == DT_NONE || !constant_float(init, &v))
		return false;
	DType d = c->u.tensor.type->dtype;
	if (dtype_is_float(d) || (k->start == 0 && k->body == OP_add) || k->body == OP_mul || k->body == OP_and ||
		k->body == OP_or)
		return v == k->start;
	return dtype_bits(d) <= 32 &&
		(k->body == OP_max ? v == (double)dtype_int_min(d) : v == (double)dtype_int_max(d));
}

/* No elements are for rules of StableHLO. Where they may be none, what reducing them gives is the neutral value, as in core, unless
 * the type lacks the infinities that maxima start from. */
static bool axes_fit(const Value *x, const int64_t *axes, size_t n)
{
	bool infinite = !dtype_is_float(x->type->dtype) || dtype_bits(x->type->dtype) >= 16;
	for (size_t i = 0; i < n; i++) {
		int64_t v;
		if (axes[i] < 0 || axes[i] >= x->type->rank || (sym_const(x->type->dims[axes[i]], &v) ? v == 0 : !infinite))
			return false;
	}
	return true;
}

/* What the body of a reduction returns. */
static DType body_dtype(const Op *op)
{
	const Op *end = block_terminator(op->blocks[0]);
	return end && end->noperands == 1 ? lg_dtype(end->operands[0].value) : DT_NONE;
}

/* New ops replace it: a core reduction has no region. */
static bool reduce(Lg *l, OpKind core)
{
	const ReduceKind *k = l->op->noperands == 2 ? standard_body(l->op) : NULL;
	const int64_t *axes;
	size_t n = op_attr_ints(l->op, A_dimensions, &axes);
	Value *x = lg_in(l, 0);
	if (!k || l->op->nresults != 1 || lg_rank(x) < 0 || is_complex(x) || !axes_fit(x, axes, n))
		return false;
	if (body_dtype(l->op) != result_type(l)->dtype) /* invalid: told where types are inferred */
		return false;
	if ((k->body == OP_and || k->body == OP_or) != (lg_dtype(x) == DT_BOOL))
		return false;
	x = to_type(l, x, result_type(l)->dtype); /* a body may be of a wider type than what it reduces */
	Value *y = n == 0 ? x : lg_new1(l, core, x, (RwAttr[]){ { A_kind, lg_text(l, k->kind) }, { A_axes, lg_ints_attr(l,
		axes, n) },
		{ A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } });
	if (!starts_neutral(lg_in(l, 1), k))
		y = lg_new2(l, k->body, y, to_type(l, lg_in(l, 1), result_type(l)->dtype), NULL);
	value_set_type(y, result_type(l));
	return lg_replace(l, &y, 1);
}

/* ---- control flow: the same regions, ended by core.yield ---- */

static void end_with_yield(Lg *l, Op *op)
{
	for (size_t i = 0; i < op->nblocks; i++) {
		Op *end = op->blocks[i] ? block_terminator(op->blocks[i]) : NULL;
		if (end && op_is(end, SHLO_return))
			op_set_def(end, op_def(l->c, OP_yield));
	}
}

static bool control(Lg *l, OpKind core)
{
	size_t want = 2;
	if (l->op->nblocks != want)
		return false;
	if (core == OP_while && l->op->noperands != l->op->nresults)
		return false;
	if (core == OP_if && (lg_dtype(lg_in(l, 0)) != DT_BOOL || l->op->blocks[0]->nargs || l->op->blocks[1]->nargs))
		return false;
	end_with_yield(l, l->op);
	return lg_become_same(l, core, NULL);
}

/* ---- normalisation ---- */

static bool batch_norm(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x);
	int64_t axis = op_attr_int(l->op, A_feature_index, 1), perm[MAX_RANK];
	RwAttr *eps = one_attr(l, A_epsilon, op_attr(l->op, A_epsilon));
	if (rank < 1 || rank > MAX_RANK || axis < 0 || axis >= rank || (rank == 1 && axis != 0))
		return false;
	Value *in[5] = { x, lg_in(l, 1), lg_in(l, 2), lg_in(l, 3), lg_in(l, 4) };
	if (axis == 1)
		return lg_become(l, core, in, 5, eps);
	if (rank == 1)
		return false;
	/* The feature axis and axis 1 change places: the way back is the same. */
	for (int d = 0; d < rank; d++)
		perm[d] = d;
	perm[1] = axis;
	perm[axis] = 1;
	in[0] = lg_shlo_transpose(l, x, perm, (size_t)rank);
	Value *y = lg_new(l, core, in, 5, eps);
	return lg_become(l, OP_transpose, &y, 1, ints_attr(l, A_perm, perm, (size_t)rank));
}

static bool top_k(Lg *l, OpKind core)
{
	int64_t k = op_attr_int(l->op, A_k, -1);
	Value *x = lg_in(l, 0);
	if (k < 0 || l->op->nresults != 2 || lg_rank(x) < 1 || dtype_is_float(lg_dtype(x)))
		return false;
	OpSpec s = { .def = op_def(l->c, core), .operands = (Value *[]){ x, lg_const_ints(l, &k, 1) }, .noperands = 2,
		.nresults = 2,
		.loc = l->op->loc };
	Op *op = op_new(l->op->block, l->op, &s);
	op->made = true;
	Value *y[2] = { op->results[0], to_type(l, op->results[1], DT_I32) };
	value_set_type(y[0], l->op->results[0]->type);
	return lg_replace(l, y, 2);
}

/* ---- the table ---- */

#define SAME(id, core) { id, core, same_operands }

const LegaliseRow shlo_rows[] = {
	SAME(SHLO_abs, OP_abs), SAME(SHLO_cbrt, OP_cbrt), SAME(SHLO_ceil, OP_ceil), { SHLO_convert, OP_cast, convert },
	SAME(SHLO_count_leading_zeros, OP_count_leading_zeros), SAME(SHLO_cosine, OP_cos), SAME(SHLO_exponential, OP_exp),
	SAME(SHLO_exponential_minus_one, OP_expm1), SAME(SHLO_floor, OP_floor), SAME(SHLO_is_finite, OP_isfinite),
	SAME(SHLO_log, OP_log), SAME(SHLO_log_plus_one, OP_log1p), SAME(SHLO_logistic, OP_sigmoid), SAME(SHLO_negate,
		OP_neg),
	{ SHLO_not, OP_not, logical }, SAME(SHLO_popcnt, OP_popcnt), SAME(SHLO_round_nearest_afz, OP_round_away),
	SAME(SHLO_round_nearest_even, OP_round), SAME(SHLO_rsqrt, OP_rsqrt), SAME(SHLO_sign, OP_sign), SAME(SHLO_sine,
		OP_sin),
	SAME(SHLO_sqrt, OP_sqrt), SAME(SHLO_tan, OP_tan), SAME(SHLO_tanh, OP_tanh),
	SAME(SHLO_add, OP_add), { SHLO_and, OP_and, logical }, { SHLO_atan2, OP_atan2, ordered }, SAME(SHLO_divide, OP_div),
	{ SHLO_maximum, OP_max, ordered }, { SHLO_minimum, OP_min, ordered }, SAME(SHLO_multiply, OP_mul),
	{ SHLO_or, OP_or, logical }, SAME(SHLO_power, OP_pow), { SHLO_remainder, OP_fmod, ordered },
	SAME(SHLO_shift_left, OP_shift_left), { SHLO_shift_right_arithmetic, OP_shift_right, shift_arithmetic },
	SAME(SHLO_shift_right_logical, OP_shift_right_logical), SAME(SHLO_subtract, OP_sub), { SHLO_xor, OP_xor, logical },
	{ SHLO_compare, OP_eq, compare }, { SHLO_clamp, OP_clamp, clamp }, SAME(SHLO_select, OP_select),
	{ SHLO_constant, OP_constant, constant }, { SHLO_iota, OP_range, iota },
	{ SHLO_dynamic_iota, OP_range, dynamic_iota },
	{ SHLO_get_dimension_size, OP_shape, dimension_size }, { SHLO_broadcast, OP_expand, broadcast },
	{ SHLO_broadcast_in_dim, OP_expand, broadcast_in_dim }, { SHLO_dynamic_broadcast_in_dim, OP_expand,
		broadcast_in_dim },
	{ SHLO_concatenate, OP_concat, concatenate }, { SHLO_reshape, OP_reshape, reshape },
	{ SHLO_dynamic_reshape, OP_reshape, reshape }, { SHLO_transpose, OP_transpose, transpose },
	{ SHLO_reverse, OP_reverse, reverse }, { SHLO_slice, OP_slice, slice },
	{ SHLO_dynamic_slice, OP_slice, dynamic_slice }, { SHLO_real_dynamic_slice, OP_slice, lg_shlo_real_dynamic_slice },
	{ SHLO_pad, OP_pad, pad }, { SHLO_dynamic_pad, OP_pad, lg_shlo_dynamic_pad },
	{ SHLO_dynamic_gather, OP_gather, lg_shlo_dynamic_gather }, { SHLO_dynamic_conv, OP_conv, lg_shlo_dynamic_conv },
	{ SHLO_set_dimension_size, OP_identity, lg_shlo_set_dimension_size }, { SHLO_dot, OP_matmul, dot },
	{ SHLO_dot_general, OP_dot_general, dot_general },
	{ SHLO_einsum, OP_einsum, einsum }, { SHLO_unary_einsum, OP_einsum, einsum },
	{ SHLO_convolution, OP_conv, lg_shlo_conv }, { SHLO_batch_norm_inference, OP_batch_norm, batch_norm },
	{ SHLO_if, OP_if, control }, { SHLO_while, OP_while, control }, { SHLO_reduce, OP_reduce, reduce },
	{ SHLO_all_gather, OP_identity, collective }, { SHLO_all_reduce, OP_identity, collective },
	{ SHLO_all_to_all, OP_identity, collective }, { SHLO_collective_broadcast, OP_identity, collective },
	{ SHLO_collective_reduce, OP_identity, collective }, { SHLO_cross_replica_sum, OP_identity, collective },
	{ SHLO_reduce_scatter, OP_identity, collective }, { SHLO_custom_call, OP_identity, custom_call },
	{ SHLO_optimization_barrier, OP_identity, barrier },
	SAME(CHLO_acos, OP_acos), SAME(CHLO_acosh, OP_acosh), SAME(CHLO_asin, OP_asin), SAME(CHLO_asinh, OP_asinh),
	SAME(CHLO_atan, OP_atan), SAME(CHLO_atanh, OP_atanh), SAME(CHLO_cosh, OP_cosh), SAME(CHLO_erf, OP_erf),
	SAME(CHLO_sinh, OP_sinh), SAME(CHLO_tan, OP_tan), { CHLO_square, OP_mul, square }, { CHLO_is_inf, OP_isinf,
		is_inf },
	{ CHLO_is_neg_inf, OP_isinf, is_inf }, { CHLO_is_pos_inf, OP_isinf, is_inf }, { CHLO_constant, OP_constant,
		constant },
	{ CHLO_constant_like, OP_constant, constant_like }, { CHLO_top_k, OP_topk, top_k },
	{ CHLO_broadcast_add, OP_add, broadcasting }, { CHLO_broadcast_and, OP_and, broadcasting },
	{ CHLO_broadcast_atan2, OP_atan2, broadcasting }, { CHLO_broadcast_compare, OP_eq, broadcasting },
	{ CHLO_broadcast_divide, OP_div, broadcasting }, { CHLO_broadcast_maximum, OP_max, broadcasting },
	{ CHLO_broadcast_minimum, OP_min, broadcasting }, { CHLO_broadcast_multiply, OP_mul, broadcasting },
	{ CHLO_broadcast_or, OP_or, broadcasting }, { CHLO_broadcast_power, OP_pow, broadcasting },
	{ CHLO_broadcast_remainder, OP_fmod, broadcasting }, SAME(CHLO_broadcast_select, OP_select),
	{ CHLO_broadcast_shift_left, OP_shift_left, broadcasting },
	{ CHLO_broadcast_shift_right_arithmetic, OP_shift_right, broadcasting },
	{ CHLO_broadcast_shift_right_logical, OP_shift_right_logical, broadcasting },
	{ CHLO_broadcast_subtract, OP_sub, broadcasting }, { CHLO_broadcast_xor, OP_xor, broadcasting },
};
const size_t shlo_nrows = ARRAY_LEN(shlo_rows);

/* Quantised and unknown element types have no core meaning, nor do shapes that are bounded. */
bool shlo_types_known(const Op *op)
{
	for (size_t i = 0; i < op->noperands + op->nresults; i++) {
		const Value *v = i < op->noperands ? op->operands[i].value : op->results[i - op->noperands];
		const Type *t = v ? v->type : NULL;
		if (!t || (t->kind == TYPE_TENSOR && (t->dtype == DT_NONE || t->text)))
			return false;
		if (t->kind != TYPE_TENSOR && !op_is(op, SHLO_while) && !op_is(op, SHLO_optimization_barrier) &&
			!op_is(op, SHLO_if))
			return false;
	}
	return true;
}

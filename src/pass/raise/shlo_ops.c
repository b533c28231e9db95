#include "shlo_int.h"

#include <math.h>
#include <string.h>

bool sh_constant(Lg *l, OpKind to)
{
	if (sh_result(l)->dtype == DT_STR)
		return rz_no(l, "it holds strings");
	return sh_become(l, to, NULL, 0, sh_attr(l, A_value, op_attr(l->op, A_value)));
}

bool sh_identity(Lg *l, OpKind to)
{
	(void)to;
	return lg_replace(l, (Value *[]){ lg_in(l, 0) }, 1);
}

static bool has_element(DType d)
{
	return d != DT_NONE && d != DT_STR;
}

bool sh_cast(Lg *l, OpKind to)
{
	DType d = lg_dtype(lg_in(l, 0));
	if (!has_element(d) || !has_element(op_dtype(l->op, A_to)))
		return rz_no(l, "its element types are not numbers");
	if (d == op_dtype(l->op, A_to))
		return sh_identity(l, to);
	/* i32 to i64 (as sizes are made) and back */
	Op *wide = def_of(lg_in(l, 0), SHLO_convert);
	if (wide && d == DT_I64 && op_dtype(l->op, A_to) == DT_I32 && lg_dtype(op_operand(wide, 0)) == DT_I32)
		return lg_replace(l, (Value *[]){ op_operand(wide, 0) }, 1);
	return lg_become_same(l, to, NULL);
}

bool sh_bitcast(Lg *l, OpKind to)
{
	return lg_become_same(l, to, NULL);
}

/* ---- elementwise with operands of one shape ---- */

static bool fit_all(Lg *l, Value **in, size_t n, const Type *like)
{
	for (size_t i = 0; i < n; i++)
		if (!(in[i] = sh_fit(l, lg_in(l, i), like)))
			return sh_needs_shape(l);
	return true;
}

bool sh_binary(Lg *l, OpKind to)
{
	Value *in[2];
	if (op_is(l->op, OP_shift_right) && dtype_class(lg_dtype(lg_in(l, 0))) == DC_UINT)
		to = SHLO_shift_right_logical;
	if (lg_dtype(lg_in(l, 0)) != lg_dtype(lg_in(l, 1)))
		return rz_no(l, "its operands have different element types");
	return fit_all(l, in, 2, sh_result(l)) && sh_become(l, to, in, 2, NULL);
}

/* The result has the type of the first operand, whatever the exponent's. */
bool sh_power(Lg *l, OpKind to)
{
	Value *in[2];
	DType a = lg_dtype(lg_in(l, 0)), b = lg_dtype(lg_in(l, 1));
	if (a == DT_NONE || b == DT_NONE || !fit_all(l, in, 2, sh_result(l)))
		return sh_needs_shape(l);
	DType work = !dtype_is_float(a) && dtype_is_float(b) ? b : a;
	for (int i = 0; i < 2; i++)
		in[i] = sh_convert(l, in[i], work);
	if (work == a)
		return sh_become(l, to, in, 2, NULL);
	Value *y = sh_convert(l, sh_new2(l, to, in[0], in[1]), a);
	return lg_replace(l, &y, 1);
}

static const char *direction(OpKind k)
{
	switch (k) {
	case OP_eq: return "EQ";
	case OP_ne: return "NE";
	case OP_lt: return "LT";
	case OP_le: return "LE";
	case OP_gt: return "GT";
	default: return "GE";
	}
}

bool sh_compare(Lg *l, OpKind to)
{
	Value *in[2];
	(void)to;
	if (!has_element(lg_dtype(lg_in(l, 0))))
		return rz_no(l, "its operands are not numbers");
	if (!fit_all(l, in, 2, sh_result(l)))
		return false;
	Value *y = sh_compare_to(l, in[0], in[1], direction(op_kind(l->op)));
	return lg_replace(l, &y, 1);
}

bool sh_select(Lg *l, OpKind to)
{
	Value *in[3];
	if (!fit_all(l, in, 3, sh_result(l)))
		return false;
	if (lg_rank(lg_in(l, 0)) == 0)
		in[0] = lg_in(l, 0);
	return sh_become(l, to, in, 3, NULL);
}

bool sh_clamp(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *lo = lg_in(l, 1), *hi = lg_in(l, 2);
	if (lo && hi) {
		Value *flat[2] = { lo, hi };
		for (int i = 0; i < 2; i++)
			if (!(flat[i] = sh_reshape(l, flat[i], 0, NULL)))
				return sh_needs_shape(l);
		return sh_become(l, to, (Value *[]){ flat[0], x, flat[1] }, 3, NULL);
	}
	Value *bound = lo ? lo : hi;
	if (!bound)
		return sh_identity(l, to);
	Value *flat = sh_reshape(l, bound, 0, NULL), *fit = flat ? sh_fit(l, flat, sh_result(l)) : NULL;
	return fit ? sh_become(l, lo ? SHLO_maximum : SHLO_minimum, (Value *[]){ x, fit }, 2, NULL) : sh_needs_shape(l);
}

/* ---- shapes ---- */

static bool become_value(Lg *l, Value *v)
{
	return v ? lg_replace(l, &v, 1) : sh_needs_shape(l);
}

/* The shape operand itself, where the result's sizes are known only when it runs: a 1 in it keeps x's own size. */
static Value *expand_by_operand(Lg *l)
{
	Value *x = lg_in(l, 0), *shape = lg_in(l, 1), *part[MAX_RANK];
	const Type *t = sh_result(l);
	int64_t n, one = 1, at[MAX_RANK];
	int rank;
	if (!sh_ranked(x, &rank) || !type_has_rank(t) || !type_static_numel(shape->type, &n) || n != t->rank || rank > n ||
		n < 1)
		return NULL;
	for (int d = 0; d < n; d++) {
		int own = d - ((int)n - rank);
		int64_t axis = own;
		Value *size = own < 0 ? sh_int(l, shape->type->dtype, 1) : sh_count(l, x, &axis, 1, shape->type->dtype);
		if (!size)
			return NULL;
		part[d] = sh_reshape(l, size, 1, &one);
		if (own >= 0)
			at[own] = d;
	}
	Value *sizes = n == 1 ? part[0] : sh_new(l, SHLO_concatenate, part, (size_t)n, shape->type,
		sh_attr(l, A_dimension, lg_int(l, 0)));
	Value *is_one = sh_compare_to(l, shape, sh_full(l, shape->type, 1), "EQ");
	return sh_new(l, SHLO_dynamic_broadcast_in_dim, (Value *[]){ x, sh_select_of(l, is_one, sizes, shape) }, 2, t,
		sh_attr(l, A_broadcast_dimensions, sh_ints(l, at, (size_t)rank)));
}

bool sh_expand(Lg *l, OpKind to)
{
	Value *y = sh_fit(l, lg_in(l, 0), sh_result(l));
	(void)to;
	return become_value(l, y ? y : expand_by_operand(l));
}

bool sh_fill(Lg *l, OpKind to)
{
	const Attr *a = op_attr(l->op, A_value);
	const Type *t = sh_result(l);
	uint64_t zero = 0;
	if (!type_has_rank(t) || t->dtype == DT_NONE || (a && a->kind != ATTR_TENSOR))
		return sh_needs_shape(l);
	const Type *own = type_is_static(t) ? t : sh_type(l, t->dtype, 0, NULL);
	Blob *b = blob_splat(l->c, t->dtype, a ? a->u.tensor.blob->data : &zero);
	Value *v = sh_new(l, to, NULL, 0, own, sh_attr(l, A_value, attr_tensor(l->c, own, b)));
	return become_value(l, own == t ? v : sh_broadcast(l, v, t, NULL));
}

/* From 0 by 1 to a limit that only the run knows. */
static bool range_by_limit(Lg *l)
{
	double start, step;
	int64_t one = 1;
	Value *limit = lg_in(l, 1);
	if (!constant_float(lg_in(l, 0), &start) || !constant_float(lg_in(l, 2), &step) || start != 0 || step != 1 ||
		!dtype_is_integer(lg_dtype(limit)) || lg_rank(limit) != 0 || !type_has_rank(sh_result(l)))
		return sh_needs_shape(l);
	limit = sh_new2(l, SHLO_maximum, limit, sh_int(l, lg_dtype(limit), 0));
	limit = sh_reshape(l, limit, 1, &one);
	return sh_become(l, SHLO_dynamic_iota, &limit, 1, sh_attr(l, A_iota_dimension, lg_int(l, 0)));
}

bool sh_range(Lg *l, OpKind to)
{
	const Type *t = sh_result(l);
	double start, step;
	Value *i = sh_iota(l, t, 0);
	(void)to;
	if (!i)
		return range_by_limit(l);
	if (!constant_float(lg_in(l, 2), &step) || step != 1)
		i = sh_new2(l, SHLO_multiply, i, sh_fit(l, sh_reshape(l, lg_in(l, 2), 0, NULL), t));
	if (!constant_float(lg_in(l, 0), &start) || start != 0)
		i = sh_new2(l, SHLO_add, i, sh_fit(l, sh_reshape(l, lg_in(l, 0), 0, NULL), t));
	return lg_replace(l, &i, 1);
}

bool sh_reshape_op(Lg *l, OpKind to)
{
	(void)to;
	return become_value(l, sh_reshape_to(l, lg_in(l, 0), sh_result(l)));
}

bool sh_transpose(Lg *l, OpKind to)
{
	int perm[MAX_RANK], rank = lg_rank(lg_in(l, 0));
	int64_t v[MAX_RANK];
	if (rank < 0 || !op_perm(l->op, rank, perm))
		return sh_needs_shape(l);
	for (int i = 0; i < rank; i++)
		v[i] = perm[i];
	return sh_become(l, to, (Value *[]){ lg_in(l, 0) }, 1, sh_attr(l, A_permutation, sh_ints(l, v, (size_t)rank)));
}

bool sh_concat(Lg *l, OpKind to)
{
	int axis, rank = lg_rank(l->op->results[0]);
	if (rank < 0 || !axis_norm(op_int(l->op, A_axis), rank, &axis))
		return sh_needs_shape(l);
	return lg_become_same(l, to, sh_attr(l, A_dimension, lg_int(l, axis)));
}

bool sh_reverse(Lg *l, OpKind to)
{
	const int64_t *axes;
	int64_t v[MAX_RANK];
	size_t n = op_attr_ints(l->op, A_axes, &axes);
	int rank = lg_rank(lg_in(l, 0)), at;
	for (size_t i = 0; i < n; i++) {
		if (n > MAX_RANK || !axis_norm(axes[i], rank, &at))
			return sh_needs_shape(l);
		v[i] = at;
	}
	return lg_become_same(l, to, sh_attr(l, A_dimensions, sh_ints(l, v, n)));
}

/* ---- slices ---- */

typedef struct Span {
	int64_t start[MAX_RANK], end[MAX_RANK], step[MAX_RANK], back[MAX_RANK];
	size_t nback;
} Span;

/* Places counted from the end and beyond the ends become plain ones; a negative step reads the reversed operand. */
static bool span_axis(Span *s, int at, int64_t size, int64_t a, int64_t b, int64_t k)
{
	bool all = b < -size;
	if (k == 0 || k == INT64_MIN)
		return false;
	a = a < 0 ? a + size : a;
	b = b < 0 ? b + size : b;
	if (k < 0) { /* b, a from the other end */
		a = a < -1 ? -1 : a > size - 1 ? size - 1 : a;
		b = b < -1 || all ? -1 : b > size - 1 ? size - 1 : b;
		a = size - 1 - a;
		b = size - 1 - b;
		k = -k;
		s->back[s->nback++] = at;
	}
	s->start[at] = a < 0 ? 0 : a > size ? size : a;
	s->end[at] = b < s->start[at] ? s->start[at] : b > size ? size : b;
	s->step[at] = k;
	return true;
}

/* Where a slice of symbolic places begins; NULL when it cannot be told. */
static const Sym *span_start(Lg *l, const Sym *size, const Sym *a)
{
	const Sym *zero = sym_int(l->c, 0);
	if (sym_upper(a) < 0)
		return sym_max(l->c, sym_add(l->c, size, a), zero);
	return sym_nonneg(a) ? sym_min(l->c, a, size) : NULL;
}

/* dynamic_slice when each part has a fixed size: its places are moved inside, where core's are by definition. */
static bool slice_at_runtime(Lg *l, Value *x, const int *axes, size_t n)
{
	int64_t size[MAX_RANK];
	int rank = x->type->rank;
	Value *in[MAX_RANK + 1] = { x }, *starts = lg_in(l, 1);
	if (!type_static_dims(sh_result(l), size) || !type_has_rank(starts->type))
		return sh_needs_shape(l);
	for (int d = 0; d < rank; d++)
		in[d + 1] = sh_int(l, starts->type->dtype, 0);
	for (size_t i = 0; i < n; i++) {
		int64_t from = (int64_t)i, to = from + 1;
		Value *v = sh_reshape(l, sh_slice_of(l, starts, &from, &to, NULL), 0, NULL);
		if (size[axes[i]] == 0)
			return rz_no(l, "its places are not known and it may be empty");
		const Elems *e = infer_elems(l->infer, starts);
		if (!e || !sym_nonneg(e->v[i])) { /* counted from the end */
			Value *all = sh_size(l, x->type->dims[axes[i]]);
			if (!all)
				return sh_needs_shape(l);
			Value *below = sh_compare_to(l, v, sh_int(l, v->type->dtype, 0), "LT");
			v = sh_select_of(l, below, sh_new2(l, SHLO_add, v, sh_convert(l, all, v->type->dtype)), v);
		}
		in[axes[i] + 1] = v;
	}
	return sh_become(l, SHLO_dynamic_slice, in, (size_t)rank + 1,
		sh_attr(l, A_slice_sizes, sh_ints(l, size, (size_t)rank)));
}

static bool slice_dynamic(Lg *l, Value *x, const int *axes, size_t n, const int64_t *step)
{
	const Elems *a = infer_elems(l->infer, lg_in(l, 1));
	const Type *t = sh_result(l);
	int64_t rank = x->type->rank, one = 1, strides[MAX_RANK];
	Value *from[MAX_RANK], *until[MAX_RANK];
	for (int d = 0; d < rank; d++) {
		const Sym *start = sym_int(l->c, 0);
		strides[d] = 1;
		for (size_t i = 0; i < n; i++)
			if (axes[i] == d) {
				start = a ? span_start(l, x->type->dims[d], a->v[i]) : NULL;
				strides[d] = step ? step[i] : 1;
			}
		const Sym *k = sym_int(l->c, strides[d]);
		const Sym *span = sym_mul(l->c, sym_sub(l->c, t->dims[d], sym_int(l->c, 1)), k);
		span = strides[d] == 1 ? t->dims[d] : sym_add(l->c, span, sym_int(l->c, 1));
		Value *v = start ? sh_size(l, start) : NULL, *w = start ? sh_size(l, sym_add(l->c, start, span)) : NULL;
		if (!v || !w || strides[d] < 1)
			return slice_at_runtime(l, x, axes, n);
		from[d] = sh_reshape(l, v, 1, &one);
		until[d] = sh_reshape(l, w, 1, &one);
	}
	const Type *places = sh_type(l, DT_I32, 1, &rank);
	RwAttr *first = sh_attr(l, A_dimension, lg_int(l, 0));
	Value *in[4] = { x, sh_new(l, SHLO_concatenate, from, (size_t)rank, places, first),
		sh_new(l, SHLO_concatenate, until, (size_t)rank, places, first),
		sh_ints_value(l, DT_I32, strides, (size_t)rank) };
	return sh_become(l, SHLO_real_dynamic_slice, in, 4, NULL);
}

bool sh_slice(Lg *l, OpKind to)
{
	const int64_t *s, *e, *step, *axes;
	size_t n, ne, ns, na = op_attr_ints(l->op, A_axes, &axes);
	int64_t dims[MAX_RANK];
	int rank, at[MAX_RANK];
	Span v = { .nback = 0 };
	Value *x = lg_in(l, 0);
	bool fixed = lg_operand_ints(l, 1, &s, &n) && lg_operand_ints(l, 2, &e, &ne);
	int64_t places;
	if (!fixed && (!type_static_numel(lg_in(l, 1)->type, &places) || (n = ne = (size_t)places) > MAX_RANK))
		return sh_needs_shape(l);
	if (!sh_ranked(x, &rank) || !type_has_rank(sh_result(l)) || !lg_operand_ints(l, 3, &step, &ns) || ne != n ||
		(ns && ns != n) || (na && na != n) || n > (size_t)rank)
		return rz_no(l, "its steps are not constant");
	bool is_static = type_static_dims(x->type, dims);
	for (size_t i = 0; i < n; i++)
		if (!axis_norm(na ? axes[i] : (int64_t)i, rank, &at[i]))
			return false;
	if (!fixed || !is_static)
		return slice_dynamic(l, x, at, n, ns ? step : NULL);
	for (int d = 0; d < rank; d++) {
		v.end[d] = dims[d];
		v.step[d] = 1;
	}
	for (size_t i = 0; i < n; i++)
		if (!span_axis(&v, at[i], dims[at[i]], s[i], e[i], ns ? step[i] : 1))
			return false;
	if (v.nback)
		x = sh_new(l, SHLO_reverse, &x, 1, x->type, sh_attr(l, A_dimensions, sh_ints(l, v.back, v.nback)));
	return sh_become(l, to, &x, 1, (RwAttr[]){ { A_start_indices, sh_ints(l, v.start, (size_t)rank) },
		{ A_limit_indices, sh_ints(l, v.end, (size_t)rank) }, { A_strides, sh_ints(l, v.step, (size_t)rank) },
		{ A_NONE, NULL } });
}

/* ---- padding ---- */

/* Where the elements of a padded axis come from: mirrored, repeated at the edge, or around. */
static int64_t pad_source(char mode, int64_t i, int64_t size)
{
	int64_t period = mode == 'r' && size > 1 ? 2 * (size - 1) : size;
	if (mode == 'e' || size == 1)
		return i < 0 ? 0 : i >= size ? size - 1 : i;
	i %= period;
	i += i < 0 ? period : 0;
	return i < size ? i : period - i;
}

/* The same as arithmetic on the places of the result, where only the run tells the size. */
static Value *pad_places(Lg *l, char mode, const Sym *size, int64_t low, const Sym *out)
{
	const Type *t = type_tensor(l->c, DT_I64, 1, &out);
	Value *at = sh_iota(l, t, 0), *n = sh_size(l, size), *zero = sh_full(l, t, 0), *first = sh_full(l, t, (double)-low);
	if (!at || !n || !zero || !first)
		return NULL;
	n = sh_convert(l, n, DT_I64);
	at = sh_new2(l, SHLO_add, at, first);
	Value *one = sh_int(l, DT_I64, 1), *last = sh_new2(l, SHLO_subtract, n, one);
	if (mode == 'e')
		return sh_new2(l, SHLO_maximum, sh_new2(l, SHLO_minimum, at, sh_fit(l, last, t)), zero);
	Value *period = mode == 'r' ? sh_new2(l, SHLO_maximum, sh_new2(l, SHLO_add, last, last), one) : n;
	period = sh_fit(l, period, t);
	at = sh_new2(l, SHLO_add, sh_new2(l, SHLO_remainder, at, period), period);
	at = sh_new2(l, SHLO_remainder, at, period);
	return mode == 'r' ? sh_new2(l, SHLO_minimum, at, sh_new2(l, SHLO_subtract, period, at)) : at;
}

static bool pad_by_gather(Lg *l, char mode, const int64_t *low, const int64_t *high)
{
	Value *x = lg_in(l, 0);
	int rank = x->type->rank;
	for (int d = 0; d < rank; d++) {
		const Sym *dim = x->type->dims[d], *out = sym_add(l->c, dim, sym_int(l->c, low[d] + high[d]));
		int64_t size, n = 0;
		bool known = sym_const(dim, &size) && sym_const(out, &n);
		if ((low[d] == 0 && high[d] == 0) || (known && (n < 0 || n > INT32_MAX || size == 0)))
			continue;
		Value *from = NULL;
		if (known) {
			int64_t *at = NEW_ARRAY(l->a, int64_t, (size_t)n + 1);
			for (int64_t i = 0; i < n; i++)
				at[i] = pad_source(mode, i - low[d], size);
			from = lg_const_ints(l, at, (size_t)n);
		} else if (!(from = pad_places(l, mode, dim, low[d], out))) {
			return sh_needs_shape(l);
		}
		x = sh_core2(l, OP_gather, x, from, sh_attr(l, A_axis, lg_int(l, d)));
	}
	return lg_replace(l, &x, 1);
}

static bool pad_dynamic(Lg *l, Value *x, Value *v, const int *axes, size_t k)
{
	const Elems *e = infer_elems(l->infer, lg_in(l, 1));
	Value *part[2][MAX_RANK];
	int64_t rank = x->type->rank, one = 1, zero[MAX_RANK] = { 0 };
	RwAttr *first = sh_attr(l, A_dimension, lg_int(l, 0));
	for (int side = 0; side < 2; side++)
		for (int d = 0; d < rank; d++) {
			const Sym *amount = sym_int(l->c, 0);
			for (size_t i = 0; i < k; i++)
				if (axes[i] == d)
					amount = e && e->n == (int64_t)(2 * k) ? e->v[(size_t)side * k + i] : NULL;
			Value *size = amount ? sh_size(l, amount) : NULL;
			if (!size)
				return rz_no(l, "its amounts are known only when it runs");
			part[side][d] = sh_reshape(l, size, 1, &one);
		}
	const Type *t = sh_type(l, DT_I32, 1, &rank);
	Value *in[5] = { x, v, sh_new(l, SHLO_concatenate, part[0], (size_t)rank, t, first),
		sh_new(l, SHLO_concatenate, part[1], (size_t)rank, t, first), sh_ints_value(l, DT_I32, zero, (size_t)rank) };
	return sh_become(l, SHLO_dynamic_pad, in, 5, NULL);
}

bool sh_pad(Lg *l, OpKind to)
{
	const int64_t *p, *axes;
	size_t n, na = op_attr_ints(l->op, A_axes, &axes);
	int64_t low[MAX_RANK] = { 0 }, high[MAX_RANK] = { 0 }, zero[MAX_RANK] = { 0 };
	int rank, at[MAX_RANK];
	char mode = op_text(l->op, A_mode)[0];
	Value *x = lg_in(l, 0), *v = lg_in(l, 2);
	if (!sh_ranked(x, &rank))
		return sh_needs_shape(l);
	size_t k = na ? na : (size_t)rank;
	for (size_t i = 0; i < k; i++)
		if (k > MAX_RANK || !axis_norm(na ? axes[i] : (int64_t)i, rank, &at[i]))
			return false;
	v = v ? sh_reshape(l, v, 0, NULL) : sh_number(l, lg_dtype(x), 0);
	bool fixed = lg_operand_ints(l, 1, &p, &n);
	if (!v || (fixed && n != 2 * k))
		return sh_needs_shape(l);
	if (!fixed)
		return mode == 'c' ? pad_dynamic(l, x, v, at, k) : rz_no(l, "its amounts are not constant");
	for (size_t i = 0; i < k; i++) {
		low[at[i]] = p[i];
		high[at[i]] = p[k + i];
	}
	if (mode != 'c')
		return pad_by_gather(l, mode, low, high);
	return sh_become(l, to, (Value *[]){ x, v }, 2, (RwAttr[]){
		{ A_edge_padding_low, sh_ints(l, low, (size_t)rank) },
		{ A_edge_padding_high, sh_ints(l, high, (size_t)rank) },
		{ A_interior_padding, sh_ints(l, zero, (size_t)rank) }, { A_NONE, NULL } });
}

/* ---- contraction ---- */

static RwAttr *dot_attrs(Lg *l, const int64_t *lb, const int64_t *rb, size_t nb, const int64_t *lc, const int64_t *rc,
	size_t nc)
{
	ShField f[] = { { "lhs_batching_dimensions", lb, nb, true }, { "rhs_batching_dimensions", rb, nb, true },
		{ "lhs_contracting_dimensions", lc, nc, true }, { "rhs_contracting_dimensions", rc, nc, true } };
	return sh_attr(l, A_dot_dimension_numbers, sh_struct(l, f, 4));
}

bool sh_dot_general(Lg *l, OpKind to)
{
	const int64_t *v[4];
	size_t nb = op_attr_ints(l->op, A_lhs_batch, &v[0]), nc = op_attr_ints(l->op, A_lhs_contract, &v[2]);
	op_attr_ints(l->op, A_rhs_batch, &v[1]);
	op_attr_ints(l->op, A_rhs_contract, &v[3]);
	return lg_become_same(l, to, dot_attrs(l, v[0], v[1], nb, v[2], v[3], nc));
}

/* Both operands have batch dimensions: they get those of the result. */
static bool matmul_batches(Lg *l, OpKind to, Value *a, Value *b, int n)
{
	const Sym *dims[MAX_RANK];
	const Type *t = sh_result(l);
	int64_t batch[MAX_RANK], lc = n + 1, rc = n;
	Value *in[2] = { a, b };
	if (!type_has_rank(t) || t->rank < n || n + 2 > MAX_RANK)
		return sh_needs_shape(l);
	for (int i = 0; i < n; i++) {
		batch[i] = i;
		dims[i] = t->dims[i];
	}
	for (int i = 0; i < 2; i++) {
		const Type *own = in[i]->type;
		dims[n] = own->dims[own->rank - 2];
		dims[n + 1] = own->dims[own->rank - 1];
		if (!(in[i] = sh_fit(l, in[i], sh_type_of(l, in[i], n + 2, dims))))
			return sh_needs_shape(l);
	}
	return sh_become(l, to, in, 2, dot_attrs(l, batch, batch, (size_t)n, &lc, &rc, 1));
}

/* NumPy's product: leading dimensions broadcast, vectors as they are. */
bool sh_matmul(Lg *l, OpKind to)
{
	Value *a = lg_in(l, 0), *b = lg_in(l, 1);
	int ra, rb;
	if (!sh_ranked(a, &ra) || !sh_ranked(b, &rb) || ra < 1 || rb < 1)
		return sh_needs_shape(l);
	int na = ra > 2 ? ra - 2 : 0, nb = rb > 2 ? rb - 2 : 0;
	if (na && nb)
		return matmul_batches(l, to, a, b, na > nb ? na : nb);
	int64_t lc = ra - 1, rc = rb == 1 ? 0 : rb - 2, perm[MAX_RANK];
	RwAttr *attrs = dot_attrs(l, NULL, NULL, 0, &lc, &rc, 1);
	if (nb == 0)
		return sh_become(l, to, (Value *[]){ a, b }, 2, attrs);
	/* batch dimensions of b alone: the result has a's rows in front, they move behind the batch */
	const Sym *dims[MAX_RANK];
	int rank = 0, rows = ra - 1;
	for (int i = 0; i < rows; i++)
		dims[rank++] = a->type->dims[i];
	for (int i = 0; i < rb; i++)
		if (i != rb - 2)
			dims[rank++] = b->type->dims[i];
	Value *y = sh_new(l, to, (Value *[]){ a, b }, 2, sh_type_of(l, a, rank, dims), attrs);
	for (int i = 0; i < nb; i++)
		perm[i] = rows + i;
	for (int i = 0; i < rows; i++)
		perm[nb + i] = i;
	perm[rank - 1] = rank - 1;
	return sh_become(l, SHLO_transpose, &y, 1, sh_attr(l, A_permutation, sh_ints(l, perm, (size_t)rank)));
}

bool sh_batch_norm(Lg *l, OpKind to)
{
	DType d = lg_dtype(lg_in(l, 0));
	Value *in[5];
	for (size_t i = 0; i < 5; i++) {
		in[i] = lg_in(l, i);
		if (lg_dtype(in[i]) == DT_NONE || d == DT_NONE)
			return sh_needs_shape(l);
		in[i] = sh_convert(l, in[i], d);
	}
	return sh_become(l, to, in, 5, (RwAttr[]){ { A_epsilon, lg_float(l, op_float(l->op, A_epsilon)) },
		{ A_feature_index, lg_int(l, 1) }, { A_NONE, NULL } });
}

/* ---- reductions ---- */

/* log of the sum of exponentials, from the largest where that is finite. */
static Value *log_sum_exp(Lg *l, Value *x, const int64_t *axes, size_t n, bool keep)
{
	Value *top = sh_reduce(l, x, SHLO_maximum, NULL, axes, n, true);
	if (!top)
		return NULL;
	Value *finite = sh_new(l, SHLO_is_finite, &top, 1, type_with_dtype(l->c, top->type, DT_BOOL), NULL);
	Value *zero = sh_full(l, top->type, 0), *from = zero ? sh_select_of(l, finite, top, zero) : NULL;
	Value *fit = from ? sh_fit(l, from, x->type) : NULL;
	if (!fit)
		return NULL;
	Value *sum = sh_reduce(l, sh_new1(l, SHLO_exponential, sh_new2(l, SHLO_subtract, x, fit)), SHLO_add, NULL, axes, n,
		true);
	Value *y = sh_new2(l, SHLO_add, sh_new1(l, SHLO_log, sum), from);
	return keep ? y : sh_reshape_to(l, y, sh_result(l));
}

/* y with the reduced dimensions of x as ones. */
static Value *kept(Lg *l, Value *y, const Value *x, const int64_t *axes, size_t n)
{
	const Sym *dims[MAX_RANK];
	for (int d = 0; d < x->type->rank; d++)
		dims[d] = x->type->dims[d];
	for (size_t i = 0; i < n; i++)
		dims[axes[i]] = sym_int(l->c, 1);
	return sh_reshape_to(l, y, sh_type_of(l, y, x->type->rank, dims));
}

static Value *reduce_kind(Lg *l, const char *kind, Value *x, const int64_t *axes, size_t n, bool keep)
{
	static const struct { const char *kind; OpKind body; } kinds[] = { { "sum", SHLO_add }, { "mean", SHLO_add },
		{ "prod", SHLO_multiply }, { "max", SHLO_maximum }, { "min", SHLO_minimum }, { "and", SHLO_and },
		{ "or", SHLO_or }, { "sum_square", SHLO_add }, { "l1", SHLO_add }, { "l2", SHLO_add },
		{ "log_sum", SHLO_add } };
	size_t i = 0;
	while (i < ARRAY_LEN(kinds) && strcmp(kinds[i].kind, kind) != 0)
		i++;
	if (i == ARRAY_LEN(kinds))
		return NULL;
	if (!strcmp(kind, "sum_square") || !strcmp(kind, "l2"))
		x = sh_new2(l, SHLO_multiply, x, x);
	if (!strcmp(kind, "l1"))
		x = sh_new1(l, SHLO_abs, x);
	Value *y = n ? sh_reduce(l, x, kinds[i].body, NULL, axes, n, false) : x;
	if (y && !strcmp(kind, "mean")) {
		Value *count = sh_count(l, x, axes, n, x->type->dtype), *fit = count ? sh_fit(l, count, y->type) : NULL;
		y = fit ? sh_new2(l, SHLO_divide, y, fit) : NULL;
	}
	if (y && !strcmp(kind, "l2"))
		y = sh_new1(l, SHLO_sqrt, y);
	if (y && !strcmp(kind, "log_sum"))
		y = sh_new1(l, SHLO_log, y);
	return y && keep && n ? kept(l, y, x, axes, n) : y;
}

bool sh_reduce_op(Lg *l, OpKind to)
{
	const char *kind = op_text(l->op, A_kind);
	const int64_t *axes;
	int64_t all[MAX_RANK];
	int rank, at;
	size_t n = op_attr_ints(l->op, A_axes, &axes);
	Value *x = lg_in(l, 0);
	bool keep = op_int(l->op, A_keepdims) != 0, every = !op_attr(l->op, A_axes);
	(void)to;
	if (!sh_ranked(x, &rank))
		return sh_needs_shape(l);
	size_t k = every ? (size_t)rank : n;
	for (size_t a = 0; a < k; a++) {
		if (!axis_norm(every ? (int64_t)a : axes[a], rank, &at))
			return false;
		all[a] = at;
	}
	Value *y = !strcmp(kind, "log_sum_exp") ? log_sum_exp(l, x, all, k, keep) : reduce_kind(l, kind, x, all, k, keep);
	return become_value(l, y);
}

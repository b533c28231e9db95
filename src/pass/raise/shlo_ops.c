#include "shlo_int.h"

#include <math.h>
#include <string.h>

static const Type *result(const Lg *l)
{
	return l->op->results[0]->type;
}

static RwAttr *attr1(Lg *l, AttrName a, const Attr *v)
{
	RwAttr *list = NEW_ARRAY(l->a, RwAttr, 2);
	list[0] = (RwAttr){ a, v };
	list[1] = (RwAttr){ A_NONE, NULL };
	return list;
}

static bool needs_static(Lg *l)
{
	return rz_no(l, "its shape is not known");
}

bool sh_constant(Lg *l, OpKind to)
{
	return sh_become(l, to, NULL, 0, attr1(l, A_value, op_attr(l->op, A_value)));
}

bool sh_identity(Lg *l, OpKind to)
{
	(void)to;
	return lg_replace(l, (Value *[]){ lg_in(l, 0) }, 1);
}

bool sh_cast(Lg *l, OpKind to)
{
	return lg_become_same(l, to, NULL);
}

/* ---- elementwise with operands of one shape ---- */

static bool fit_all(Lg *l, Value **in, size_t n, const Type *like)
{
	for (size_t i = 0; i < n; i++)
		if (!(in[i] = sh_fit(l, lg_in(l, i), like)))
			return needs_static(l);
	return true;
}

bool sh_binary(Lg *l, OpKind to)
{
	Value *in[2];
	if (op_is(l->op, OP_shift_right) && dtype_class(lg_dtype(lg_in(l, 0))) == DC_UINT)
		to = SHLO_shift_right_logical;
	if (lg_dtype(lg_in(l, 0)) != lg_dtype(lg_in(l, 1)))
		return rz_no(l, "its operands have different element types");
	return fit_all(l, in, 2, result(l)) && sh_become(l, to, in, 2, NULL);
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

static const char *compare_type(DType d)
{
	DTypeClass c = dtype_class(d);
	return c == DC_FLOAT || c == DC_COMPLEX ? "FLOAT" : c == DC_INT ? "SIGNED" : "UNSIGNED";
}

bool sh_compare(Lg *l, OpKind to)
{
	Value *in[2];
	OpKind k = op_kind(l->op);
	DType d = lg_dtype(lg_in(l, 0));
	if (d == DT_STR || !fit_all(l, in, 2, result(l)))
		return false;
	return sh_become(l, to, in, 2, (RwAttr[]){ { A_comparison_direction, lg_text(l, direction(k)) },
		{ A_compare_type, lg_text(l, compare_type(d)) }, { A_NONE, NULL } });
}

bool sh_select(Lg *l, OpKind to)
{
	Value *in[3];
	if (!fit_all(l, in, 3, result(l)))
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
			flat[i] = sh_reshape(l, flat[i], 0, NULL);
		return sh_become(l, to, (Value *[]){ flat[0], x, flat[1] }, 3, NULL);
	}
	Value *bound = lo ? lo : hi;
	if (!bound)
		return sh_identity(l, to);
	Value *fit = sh_fit(l, bound, result(l));
	return fit ? sh_become(l, lo ? SHLO_maximum : SHLO_minimum, (Value *[]){ x, fit }, 2, NULL) : needs_static(l);
}

/* ---- shapes ---- */

bool sh_expand(Lg *l, OpKind to)
{
	(void)to;
	Value *v = sh_fit(l, lg_in(l, 0), result(l));
	return v ? lg_replace(l, &v, 1) : needs_static(l);
}

bool sh_fill(Lg *l, OpKind to)
{
	const Attr *a = op_attr(l->op, A_value);
	const Type *t = result(l);
	uint64_t zero = 0;
	if (!type_has_rank(t) || !type_is_static(t) || t->dtype == DT_NONE || (a && a->kind != ATTR_TENSOR))
		return needs_static(l);
	Blob *b = blob_splat(l->c, t->dtype, a ? a->u.tensor.blob->data : &zero);
	return sh_become(l, to, NULL, 0, attr1(l, A_value, attr_tensor(l->c, t, b)));
}

bool sh_range(Lg *l, OpKind to)
{
	const Type *t = result(l);
	if (!type_has_rank(t) || !type_is_static(t))
		return needs_static(l);
	int64_t zero = 0;
	Value *i = sh_new(l, to, NULL, 0, t, attr1(l, A_iota_dimension, lg_int(l, 0)));
	Value *step = sh_broadcast(l, lg_in(l, 2), t, &zero), *start = sh_broadcast(l, lg_in(l, 0), t, &zero);
	return sh_become(l, SHLO_add, (Value *[]){ sh_new2(l, SHLO_multiply, i, step), start }, 2, NULL);
}

bool sh_reshape_op(Lg *l, OpKind to)
{
	const Type *t = result(l);
	return type_has_rank(t) && type_is_static(t) ? sh_become(l, to, (Value *[]){ lg_in(l, 0) }, 1,
		NULL) : needs_static(l);
}

bool sh_transpose(Lg *l, OpKind to)
{
	int perm[MAX_RANK], rank = lg_rank(lg_in(l, 0));
	int64_t v[MAX_RANK];
	if (rank < 0 || !op_perm(l->op, rank, perm))
		return needs_static(l);
	for (int i = 0; i < rank; i++)
		v[i] = perm[i];
	return sh_become(l, to, (Value *[]){ lg_in(l, 0) }, 1, attr1(l, A_permutation, sh_ints(l, v, (size_t)rank)));
}

bool sh_concat(Lg *l, OpKind to)
{
	int axis, rank = lg_rank(l->op->results[0]);
	if (rank < 0 || !axis_norm(op_int(l->op, A_axis), rank, &axis))
		return needs_static(l);
	return lg_become_same(l, to, attr1(l, A_dimension, lg_int(l, axis)));
}

bool sh_reverse(Lg *l, OpKind to)
{
	const int64_t *axes;
	int64_t v[MAX_RANK];
	size_t n = op_attr_ints(l->op, A_axes, &axes);
	int rank = lg_rank(lg_in(l, 0)), at;
	for (size_t i = 0; i < n; i++) {
		if (n > MAX_RANK || !axis_norm(axes[i], rank, &at))
			return needs_static(l);
		v[i] = at;
	}
	return lg_become_same(l, to, attr1(l, A_dimensions, sh_ints(l, v, n)));
}

/* Places counted from the end and beyond the ends become plain ones; a negative step reads the reversed operand. */
bool sh_slice(Lg *l, OpKind to)
{
	const int64_t *s, *e, *step, *axes;
	size_t n, ne, ns;
	int64_t dims[MAX_RANK], v[3][MAX_RANK], back[MAX_RANK];
	size_t nback = 0;
	int rank, at;
	Value *x = lg_in(l, 0);
	size_t na = op_attr_ints(l->op, A_axes, &axes);
	if (!sh_dims(x, dims, &rank) || !lg_operand_ints(l, 1, &s, &n) || !lg_operand_ints(l, 2, &e, &ne) ||
		!lg_operand_ints(l, 3, &step, &ns) || ne != n || (ns && ns != n) || (na && na != n) || n > (size_t)rank)
		return rz_no(l, "its places are not constant");
	for (int d = 0; d < rank; d++) {
		v[0][d] = 0;
		v[1][d] = dims[d];
		v[2][d] = 1;
	}
	for (size_t i = 0; i < n; i++) {
		if (!axis_norm(na ? axes[i] : (int64_t)i, rank, &at))
			return false;
		int64_t size = dims[at], a = s[i], b = e[i], k = ns ? step[i] : 1;
		if (k == 0 || k == INT64_MIN)
			return false;
		a = a < 0 ? a + size : a;
		b = b < 0 ? b + size : b;
		if (k < 0) { /* b, a from the other end */
			a = a < -1 ? -1 : a > size - 1 ? size - 1 : a;
			b = b < -1 ? -1 : b > size - 1 ? size - 1 : b;
			if (e[i] < -size)
				b = -1;
			a = size - 1 - a;
			b = size - 1 - b;
			k = -k;
			back[nback++] = at;
		}
		v[0][at] = a < 0 ? 0 : a > size ? size : a;
		v[1][at] = b < v[0][at] ? v[0][at] : b > size ? size : b;
		v[2][at] = k;
	}
	if (nback)
		x = sh_new(l, SHLO_reverse, &x, 1, x->type, attr1(l, A_dimensions, sh_ints(l, back, nback)));
	return sh_become(l, to, &x, 1, (RwAttr[]){ { A_start_indices, sh_ints(l, v[0], (size_t)rank) },
		{ A_limit_indices, sh_ints(l, v[1], (size_t)rank) }, { A_strides, sh_ints(l, v[2], (size_t)rank) }, { A_NONE,
			NULL } });
}

bool sh_pad(Lg *l, OpKind to)
{
	const int64_t *p, *axes;
	size_t n, na = op_attr_ints(l->op, A_axes, &axes);
	int64_t low[MAX_RANK] = { 0 }, high[MAX_RANK] = { 0 }, zero[MAX_RANK] = { 0 };
	int rank = lg_rank(lg_in(l, 0)), at;
	if (strcmp(op_text(l->op, A_mode), "constant") || !lg_operand_ints(l, 1, &p, &n) || rank < 0 || rank > MAX_RANK)
		return rz_no(l, "its mode is not constant, or its amounts are not");
	size_t k = na ? na : (size_t)rank;
	if (n != 2 * k)
		return false;
	for (size_t i = 0; i < k; i++) {
		if (!axis_norm(na ? axes[i] : (int64_t)i, rank, &at))
			return false;
		low[at] = p[i];
		high[at] = p[k + i];
	}
	Value *v = lg_in(l, 2);
	v = v ? sh_reshape(l, v, 0, NULL) : sh_number(l, lg_dtype(lg_in(l, 0)), 0);
	return sh_become(l, to, (Value *[]){ lg_in(l, 0), v }, 2, (RwAttr[]){ { A_edge_padding_low, sh_ints(l, low,
		(size_t)rank) },
		{ A_edge_padding_high, sh_ints(l, high, (size_t)rank) }, { A_interior_padding, sh_ints(l, zero, (size_t)rank) },
		{ A_NONE, NULL } });
}

/* ---- contraction ---- */

static RwAttr *dot_attrs(Lg *l, const int64_t *lb, const int64_t *rb, size_t nb, const int64_t *lc, const int64_t *rc,
	size_t nc)
{
	ShField f[] = { { "lhs_batching_dimensions", lb, nb, true }, { "rhs_batching_dimensions", rb, nb, true },
		{ "lhs_contracting_dimensions", lc, nc, true }, { "rhs_contracting_dimensions", rc, nc, true } };
	return attr1(l, A_dot_dimension_numbers, sh_struct(l, f, 4));
}

bool sh_dot_general(Lg *l, OpKind to)
{
	const int64_t *v[4];
	size_t nb = op_attr_ints(l->op, A_lhs_batch, &v[0]), nc = op_attr_ints(l->op, A_lhs_contract, &v[2]);
	op_attr_ints(l->op, A_rhs_batch, &v[1]);
	op_attr_ints(l->op, A_rhs_contract, &v[3]);
	return lg_become_same(l, to, dot_attrs(l, v[0], v[1], nb, v[2], v[3], nc));
}

/* NumPy's product: leading dimensions broadcast, vectors as they are. */
bool sh_matmul(Lg *l, OpKind to)
{
	Value *a = lg_in(l, 0), *b = lg_in(l, 1);
	int64_t da[MAX_RANK], db[MAX_RANK], batch[MAX_RANK];
	int ra, rb;
	if (!sh_dims(a, da, &ra) || !sh_dims(b, db, &rb) || ra < 1 || rb < 1)
		return needs_static(l);
	int na = ra > 2 ? ra - 2 : 0, nb = rb > 2 ? rb - 2 : 0, n = na > nb ? na : nb;
	if (na && nb) { /* both to the broadcast batch shape */
		const Type *t = result(l);
		int64_t dims[MAX_RANK], shape[MAX_RANK];
		if (!type_static_dims(t, dims))
			return needs_static(l);
		memcpy(shape, dims, (size_t)n * sizeof *shape);
		memcpy(shape + n, da + na, 2 * sizeof *shape);
		a = sh_fit(l, a, sh_type(l, a->type->dtype, n + 2, shape));
		memcpy(shape + n, db + nb, 2 * sizeof *shape);
		b = sh_fit(l, b, sh_type(l, b->type->dtype, n + 2, shape));
		for (int i = 0; i < n; i++)
			batch[i] = i;
		int64_t lc = n + 1, rc = n;
		return sh_become(l, to, (Value *[]){ a, b }, 2, dot_attrs(l, batch, batch, (size_t)n, &lc, &rc, 1));
	}
	int64_t lc = ra - 1, rc = rb == 1 ? 0 : rb - 2;
	RwAttr *attrs = dot_attrs(l, NULL, NULL, 0, &lc, &rc, 1);
	if (nb == 0)
		return sh_become(l, to, (Value *[]){ a, b }, 2, attrs);
	/* batch dimensions of b alone: the result has a's rows in front, they move behind the batch */
	int64_t dims[MAX_RANK], perm[MAX_RANK];
	int rank = 0, rows = ra - 1;
	for (int i = 0; i < rows; i++)
		dims[rank++] = da[i];
	for (int i = 0; i < rb; i++)
		if (i != rb - 2)
			dims[rank++] = db[i];
	Value *y = sh_new(l, to, (Value *[]){ a, b }, 2, sh_type(l, result(l)->dtype, rank, dims), attrs);
	for (int i = 0; i < nb; i++)
		perm[i] = rows + i;
	for (int i = 0; i < rows; i++)
		perm[nb + i] = i;
	perm[rank - 1] = rank - 1;
	return sh_become(l, SHLO_transpose, &y, 1, attr1(l, A_permutation, sh_ints(l, perm, (size_t)rank)));
}

/* N C spatial and O I spatial; a bias is broadcast along axis 1. */
bool sh_conv(Lg *l, OpKind to)
{
	static const int64_t zero = 0, one = 1;
	const int64_t *s, *p, *d;
	Value *x = lg_in(l, 0), *w = lg_in(l, 1), *bias = lg_in(l, 2);
	int n = lg_rank(x) - 2;
	int64_t spatial[MAX_RANK], pads[2 * MAX_RANK] = { 0 }, ones[MAX_RANK];
	size_t ns = op_attr_ints(l->op, A_strides, &s), np = op_attr_ints(l->op, A_pads, &p), nd = op_attr_ints(l->op,
		A_dilations, &d);
	const Str *mode = op_attr_str(l->op, A_auto_pad);
	if (n < 1 || n + 2 > MAX_RANK || (np && np != 2 * (size_t)n) || (mode && strcmp(mode->s, "notset")))
		return needs_static(l);
	for (int i = 0; i < n; i++) {
		spatial[i] = 2 + i;
		ones[i] = 1;
		pads[2 * i] = np ? p[i] : 0;
		pads[2 * i + 1] = np ? p[n + i] : 0;
	}
	size_t m = (size_t)n;
	ShField f[] = { { "input_batch_dimension", &zero, 1, false }, { "input_feature_dimension", &one, 1, false },
		{ "input_spatial_dimensions", spatial, m, true }, { "kernel_input_feature_dimension", &one, 1, false },
		{ "kernel_output_feature_dimension", &zero, 1, false }, { "kernel_spatial_dimensions", spatial, m, true },
		{ "output_batch_dimension", &zero, 1, false }, { "output_feature_dimension", &one, 1, false },
		{ "output_spatial_dimensions", spatial, m, true } };
	RwAttr attrs[] = { { A_dimension_numbers, sh_struct(l, f, 9) }, { A_window_strides, sh_ints(l, ns ? s : ones, m) },
		{ A_padding, sh_ints(l, pads, 2 * m) }, { A_rhs_dilation, sh_ints(l, nd ? d : ones, m) },
		{ A_feature_group_count, lg_int(l, op_int(l->op, A_groups)) }, { A_batch_group_count, lg_int(l, 1) },
			{ A_NONE, NULL } };
	if (!bias)
		return sh_become(l, to, (Value *[]){ x, w }, 2, attrs);
	if (!type_is_static(result(l)))
		return needs_static(l);
	Value *y = sh_new(l, to, (Value *[]){ x, w }, 2, result(l), attrs);
	return sh_become(l, SHLO_add, (Value *[]){ y, sh_broadcast(l, bias, result(l), &one) }, 2, NULL);
}

bool sh_batch_norm(Lg *l, OpKind to)
{
	return lg_become_same(l, to, (RwAttr[]){ { A_epsilon, lg_float(l, op_float(l->op, A_epsilon)) },
		{ A_feature_index, lg_int(l, 1) }, { A_NONE, NULL } });
}

/* ---- reductions ---- */

bool sh_reduce_op(Lg *l, OpKind to)
{
	static const struct { const char *kind; OpKind body; } kinds[] = { { "sum", SHLO_add }, { "mean", SHLO_add },
		{ "prod", SHLO_multiply }, { "max", SHLO_maximum }, { "min", SHLO_minimum }, { "and", SHLO_and }, { "or",
			SHLO_or },
		{ "sum_square", SHLO_add }, { "l1", SHLO_add }, { "l2", SHLO_add }, { "log_sum", SHLO_add } };
	const char *kind = op_text(l->op, A_kind);
	const int64_t *axes;
	int64_t dims[MAX_RANK], all[MAX_RANK];
	int rank, at;
	size_t n = op_attr_ints(l->op, A_axes, &axes);
	Value *x = lg_in(l, 0);
	(void)to;
	if (!sh_dims(x, dims, &rank))
		return needs_static(l);
	bool every = !op_attr(l->op, A_axes);
	size_t k = every ? (size_t)rank : n, i = 0;
	double count = 1;
	for (size_t a = 0; a < k; a++) {
		if (!axis_norm(every ? (int64_t)a : axes[a], rank, &at))
			return false;
		all[a] = at;
		count *= (double)dims[at];
	}
	while (i < ARRAY_LEN(kinds) && strcmp(kinds[i].kind, kind) != 0)
		i++;
	if (i == ARRAY_LEN(kinds))
		return rz_no(l, "of its kind of reduction");
	DType d = x->type->dtype;
	bool is_float = dtype_is_float(d);
	OpKind body = kinds[i].body;
	double start = body == SHLO_multiply || body == SHLO_and ? 1 : body == SHLO_maximum ? (is_float ? -INFINITY :
		(double)dtype_int_min(d)) : body == SHLO_minimum ? (is_float ? INFINITY : (double)dtype_int_max(d)) : 0;
	if (body >= SHLO_maximum && !is_float && dtype_bits(d) > 32 && (body == SHLO_maximum || body == SHLO_minimum))
		return rz_no(l, "64-bit integers");
	if (!strcmp(kind, "sum_square") || !strcmp(kind, "l2"))
		x = sh_new2(l, SHLO_multiply, x, x);
	if (!strcmp(kind, "l1"))
		x = sh_new1(l, SHLO_abs, x);
	Value *y = k ? sh_reduce(l, x, body, start, all, k, op_int(l->op, A_keepdims) != 0) : x;
	if (!strcmp(kind, "mean"))
		y = sh_new2(l, SHLO_divide, y, sh_full(l, y->type, count));
	if (!strcmp(kind, "l2"))
		y = sh_new1(l, SHLO_sqrt, y);
	if (!strcmp(kind, "log_sum"))
		y = sh_new1(l, SHLO_log, y);
	return lg_replace(l, &y, 1);
}

/* ---- control flow ---- */

bool sh_control(Lg *l, OpKind to)
{
	return lg_become_same(l, to, NULL);
}

bool sh_yield(Lg *l, OpKind to)
{
	return lg_become_same(l, to, NULL);
}

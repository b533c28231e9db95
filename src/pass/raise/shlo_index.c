#include "shlo_int.h"

#include <math.h>
#include <string.h>

/* Gathers, scatters, sorts, and what compares places. */

/* Indices counted from the end get the size added first; size has the indices' type and broadcasts to them. */
static Value *plain_indices(Lg *l, Value *index, Value *size)
{
	size_t n;
	const int64_t *v = constant_ints(l->a, index, 0, &n);
	bool plain = v != NULL || dtype_class(index->type->dtype) == DC_UINT;
	for (size_t i = 0; v && i < n; i++)
		plain &= v[i] >= 0;
	if (plain)
		return index;
	Value *zero = sh_full(l, index->type, 0);
	size = size ? sh_fit(l, size, index->type) : NULL;
	if (!zero || !size)
		return NULL;
	return sh_select_of(l, sh_compare_to(l, index, zero, "LT"), sh_new2(l, SHLO_add, index, size), index);
}

/* Indices that are moved inside first: gather does so itself. NULL: they are not. */
static Value *unclamped(const Value *index, const Sym *size)
{
	const Op *c = def_of(index, SHLO_clamp);
	int64_t lo, hi, n;
	bool inside = c && constant_int(op_operand(c, 0), &lo) && constant_int(op_operand(c, 2), &hi) && sym_const(size, &n) &&
		lo == 0 && hi == n - 1;
	return inside ? op_operand(c, 1) : NULL;
}

static Value *size_as(Lg *l, const Value *x, int dim, DType d)
{
	int64_t axis = dim;
	return sh_count(l, x, &axis, 1, d);
}

static RwAttr *gather_attrs(Lg *l, const ShField *f, const int64_t *size, int rank)
{
	RwAttr *list = NEW_ARRAY(l->a, RwAttr, 4);
	list[0] = (RwAttr){ A_dimension_numbers, sh_struct(l, f, 6) };
	list[1] = (RwAttr){ A_indices_are_sorted, attr_bool(l->c, false) };
	list[2] = (RwAttr){ size ? A_slice_sizes : A_NONE, size ? sh_ints(l, size, (size_t)rank) : NULL };
	list[3] = (RwAttr){ A_NONE, NULL };
	return list;
}

/* Whole slices but along the indexed axes; where their sizes are not known they are an operand. */
static bool become_gather(Lg *l, Value *x, Value *index, const ShField *f, const bool *single)
{
	const Sym *dims[MAX_RANK];
	int64_t size[MAX_RANK];
	int rank = x->type->rank;
	for (int d = 0; d < rank; d++)
		dims[d] = single[d] ? sym_int(l->c, 1) : x->type->dims[d];
	const Type *slice = sh_type_of(l, x, rank, dims);
	if (type_static_dims(slice, size))
		return sh_become(l, SHLO_gather, (Value *[]){ x, index }, 2, gather_attrs(l, f, size, rank));
	Value *sizes = sh_shape(l, slice);
	return sizes ? sh_become(l, SHLO_dynamic_gather, (Value *[]){ x, index, sh_convert(l, sizes, index->type->dtype) }, 3,
		gather_attrs(l, f, NULL, 0)) : sh_needs_shape(l);
}

bool sh_gather(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *index = lg_in(l, 1);
	int64_t offset[MAX_RANK];
	bool single[MAX_RANK] = { false };
	int rank, ri, at;
	size_t n = 0;
	(void)to;
	if (!sh_ranked(x, &rank) || !sh_ranked(index, &ri) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return sh_needs_shape(l);
	Value *free = unclamped(index, x->type->dims[at]);
	index = free ? free : plain_indices(l, index, size_as(l, x, at, index->type->dtype));
	if (!index)
		return sh_needs_shape(l);
	for (int d = 0; d < rank; d++)
		if (d != at)
			offset[n++] = d < at ? d : d - 1 + ri;
	int64_t axis = at, depth = ri;
	single[at] = true;
	ShField f[] = { { "offset_dims", offset, n, true }, { "collapsed_slice_dims", &axis, 1, true },
		{ "operand_batching_dims", NULL, 0, true }, { "start_indices_batching_dims", NULL, 0, true },
		{ "start_index_map", &axis, 1, true }, { "index_vector_dim", &depth, 1, false } };
	return become_gather(l, x, index, f, single);
}

/* x cut to the sizes of `like` but for one axis; NULL when they are not known. */
static Value *cut_to(Lg *l, Value *x, const Type *like, int but)
{
	int64_t start[MAX_RANK] = { 0 }, end[MAX_RANK], want[MAX_RANK];
	bool same = true;
	for (int d = 0; d < x->type->rank; d++)
		same &= d == but || x->type->dims[d] == like->dims[d];
	if (same)
		return x;
	if (!type_static_dims(x->type, end) || !type_static_dims(like, want))
		return NULL;
	for (int d = 0; d < x->type->rank; d++)
		end[d] = d == but ? end[d] : want[d];
	return sh_slice_of(l, x, start, end, NULL);
}

/* All dimensions but the axis are batch dimensions. */
bool sh_gather_elements(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *index = lg_in(l, 1);
	const Sym *dims[MAX_RANK];
	int64_t batch[MAX_RANK];
	bool single[MAX_RANK];
	int rank, ri, at;
	size_t n = 0;
	(void)to;
	if (!sh_ranked(x, &rank) || !sh_ranked(index, &ri) || ri != rank || !axis_norm(op_int(l->op, A_axis), rank, &at) ||
		rank + 1 > MAX_RANK)
		return sh_needs_shape(l);
	index = plain_indices(l, index, size_as(l, x, at, index->type->dtype));
	x = cut_to(l, x, lg_in(l, 1)->type, at);
	if (!x || !index)
		return sh_needs_shape(l);
	for (int d = 0; d < rank; d++) {
		dims[d] = index->type->dims[d];
		single[d] = true;
		if (d != at)
			batch[n++] = d;
	}
	dims[rank] = sym_int(l->c, 1);
	index = sh_reshape_to(l, index, sh_type_of(l, index, rank + 1, dims));
	if (!index)
		return sh_needs_shape(l);
	int64_t axis = at, depth = rank;
	ShField f[] = { { "offset_dims", NULL, 0, true }, { "collapsed_slice_dims", &axis, 1, true },
		{ "operand_batching_dims", batch, n, true }, { "start_indices_batching_dims", batch, n, true },
		{ "start_index_map", &axis, 1, true }, { "index_vector_dim", &depth, 1, false } };
	return become_gather(l, x, index, f, single);
}

/* The sizes that the parts of an index vector count from, as a vector. */
static Value *index_sizes(Lg *l, const Value *x, int first, int64_t n, DType d)
{
	Value *v = sh_shape(l, type_tensor(l->c, x->type->dtype, (int)n, x->type->dims + first));
	return v ? sh_convert(l, v, d) : NULL;
}

bool sh_gather_nd(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *index = lg_in(l, 1);
	int64_t batch[MAX_RANK], map[MAX_RANK], offset[MAX_RANK], depth, nb = op_int(l->op, A_batch_dims), k;
	bool single[MAX_RANK] = { false };
	int rank, ri;
	size_t n = 0;
	(void)to;
	if (!sh_ranked(x, &rank) || !sh_ranked(index, &ri) || ri < 1 || !sym_const(index->type->dims[ri - 1], &k) ||
		nb < 0 || k < 0 || nb + k > rank || nb >= ri)
		return sh_needs_shape(l);
	index = plain_indices(l, index, index_sizes(l, x, (int)nb, k, index->type->dtype));
	if (!index)
		return sh_needs_shape(l);
	for (int64_t i = 0; i < nb; i++)
		batch[i] = i;
	for (int64_t i = 0; i < k; i++)
		map[i] = nb + i;
	for (int64_t d = 0; d < rank; d++)
		single[d] = d < nb + k;
	for (int64_t d = nb + k; d < rank; d++, n++)
		offset[n] = ri - 1 + (int64_t)n;
	depth = ri - 1;
	ShField f[] = { { "offset_dims", offset, n, true }, { "collapsed_slice_dims", map, (size_t)k, true },
		{ "operand_batching_dims", batch, (size_t)nb, true },
		{ "start_indices_batching_dims", batch, (size_t)nb, true }, { "start_index_map", map, (size_t)k, true },
		{ "index_vector_dim", &depth, 1, false } };
	return become_gather(l, x, index, f, single);
}

/* ---- scatter ---- */

static bool become_scatter(Lg *l, Value *x, Value *index, Value *updates, const ShField *f)
{
	static const struct { const char *name; OpKind op; } kinds[] = { { "add", SHLO_add }, { "mul", SHLO_multiply },
		{ "max", SHLO_maximum }, { "min", SHLO_minimum } };
	const char *kind = op_text(l->op, A_reduction);
	DType d = x->type->dtype;
	const Type *scalar = sh_type(l, d, 0, NULL), *args[2] = { scalar, scalar };
	Block *b;
	OpKind body = OP_UNKNOWN;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].name, kind))
			body = kinds[i].op;
	if (body == OP_UNKNOWN && strcmp(kind, "none"))
		return rz_no(l, "of its kind of reduction");
	RwAttr attrs[] = { { A_scatter_dimension_numbers, sh_struct(l, f, 6) },
		{ A_indices_are_sorted, attr_bool(l->c, false) }, { A_unique_indices, attr_bool(l->c, false) }, { A_NONE, NULL } };
	Op *op = sh_region_op(l, SHLO_scatter, (Value *[]){ x, index, updates }, 3, &x->type, 1, attrs, args, 2, &b);
	if (body == OP_UNKNOWN)
		sh_end(l, b, &b->args[1], 1);
	else
		sh_body(l, b, body, d);
	return lg_replace(l, op->results, 1);
}

/* Places in all dimensions: the index along the axis, counters along the others. */
bool sh_scatter_elements(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *index = lg_in(l, 1), *part[MAX_RANK];
	const Sym *dims[MAX_RANK];
	int64_t all[MAX_RANK], depth;
	int rank, ri, at;
	(void)to;
	if (!sh_ranked(x, &rank) || !sh_ranked(index, &ri) || ri != rank || rank + 1 > MAX_RANK ||
		!axis_norm(op_int(l->op, A_axis), rank, &at))
		return sh_needs_shape(l);
	index = plain_indices(l, index, size_as(l, x, at, index->type->dtype));
	if (!index)
		return sh_needs_shape(l);
	for (int d = 0; d < rank; d++) {
		dims[d] = index->type->dims[d];
		all[d] = d;
	}
	dims[rank] = sym_int(l->c, 1);
	const Type *column = sh_type_of(l, index, rank + 1, dims);
	for (int d = 0; d < rank; d++) {
		part[d] = d == at ? sh_reshape_to(l, index, column) : sh_iota(l, column, d);
		if (!part[d])
			return sh_needs_shape(l);
	}
	dims[rank] = sym_int(l->c, rank);
	index = sh_new(l, SHLO_concatenate, part, (size_t)rank, sh_type_of(l, index, rank + 1, dims),
		sh_attr(l, A_dimension, lg_int(l, rank)));
	depth = rank;
	ShField f[] = { { "update_window_dims", NULL, 0, true }, { "inserted_window_dims", all, (size_t)rank, true },
		{ "input_batching_dims", NULL, 0, true }, { "scatter_indices_batching_dims", NULL, 0, true },
		{ "scatter_dims_to_operand_dims", all, (size_t)rank, true }, { "index_vector_dim", &depth, 1, false } };
	return become_scatter(l, x, index, lg_in(l, 2), f);
}

bool sh_scatter_nd(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *index = lg_in(l, 1);
	int64_t map[MAX_RANK], window[MAX_RANK], depth, k;
	int rank, ri;
	size_t n = 0;
	(void)to;
	if (!sh_ranked(x, &rank) || !sh_ranked(index, &ri) || ri < 1 || !sym_const(index->type->dims[ri - 1], &k) ||
		k < 0 || k > rank)
		return sh_needs_shape(l);
	index = plain_indices(l, index, index_sizes(l, x, 0, k, index->type->dtype));
	if (!index)
		return sh_needs_shape(l);
	for (int64_t i = 0; i < k; i++)
		map[i] = i;
	for (int64_t d = k; d < rank; d++, n++)
		window[n] = ri - 1 + (int64_t)n;
	depth = ri - 1;
	ShField f[] = { { "update_window_dims", window, n, true }, { "inserted_window_dims", map, (size_t)k, true },
		{ "input_batching_dims", NULL, 0, true }, { "scatter_indices_batching_dims", NULL, 0, true },
		{ "scatter_dims_to_operand_dims", map, (size_t)k, true }, { "index_vector_dim", &depth, 1, false } };
	return become_scatter(l, x, index, lg_in(l, 2), f);
}

/* ---- the largest and the order ---- */

/* Value and place together: the better value, NaN best of all, of equal ones the place that comes first (or last). */
static void arg_body(Lg *l, Block *b, DType d, bool max, bool last)
{
	Value **a = b->args;
	const Type *flag = sh_type(l, DT_BOOL, 0, NULL), *t = sh_type(l, d, 0, NULL), *place = sh_type(l, DT_I64, 0, NULL);
	const char *kind = dtype_is_float(d) ? "FLOAT" : dtype_class(d) == DC_INT ? "SIGNED" : "UNSIGNED";
	RwAttr better[] = { { A_comparison_direction, lg_text(l, max ? "GT" : "LT") },
		{ A_compare_type, lg_text(l, kind) }, { A_NONE, NULL } };
	RwAttr same[] = { { A_comparison_direction, lg_text(l, "EQ") }, { A_compare_type, lg_text(l, kind) }, { A_NONE, NULL } };
	RwAttr other[] = { { A_comparison_direction, lg_text(l, "NE") }, { A_compare_type, lg_text(l, kind) },
		{ A_NONE, NULL } };
	RwAttr before[] = { { A_comparison_direction, lg_text(l, last ? "GT" : "LT") },
		{ A_compare_type, lg_text(l, "SIGNED") }, { A_NONE, NULL } };
	Value *wins = sh_in(l, b, SHLO_compare, (Value *[]){ a[0], a[2] }, 2, flag, better);
	Value *nan = sh_in(l, b, SHLO_compare, (Value *[]){ a[0], a[0] }, 2, flag, other);
	wins = sh_in(l, b, SHLO_or, (Value *[]){ wins, nan }, 2, flag, NULL);
	Value *tie = sh_in(l, b, SHLO_compare, (Value *[]){ a[0], a[2] }, 2, flag, same);
	Value *sooner = sh_in(l, b, SHLO_compare, (Value *[]){ a[1], a[3] }, 2, flag, before);
	Value *keeps = sh_in(l, b, SHLO_or, (Value *[]){ wins, sh_in(l, b, SHLO_and, (Value *[]){ tie, sooner }, 2, flag,
		NULL) }, 2, flag, NULL);
	Value *y[2] = { sh_in(l, b, SHLO_select, (Value *[]){ wins, a[0], a[2] }, 3, t, NULL),
		sh_in(l, b, SHLO_select, (Value *[]){ keeps, a[1], a[3] }, 3, place, NULL) };
	sh_end(l, b, y, 2);
}

bool sh_arg(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	bool max = op_is(l->op, OP_argmax), keep = op_int(l->op, A_keepdims) != 0;
	const Sym *kept[MAX_RANK];
	int rank, at, m = 0;
	Block *b;
	(void)to;
	if (!sh_ranked(x, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return sh_needs_shape(l);
	DType d = x->type->dtype;
	for (int i = 0; i < rank; i++)
		if (i != at)
			kept[m++] = x->type->dims[i];
	Value *place = sh_iota(l, type_with_dtype(l->c, x->type, DT_I64), at);
	if (!place)
		return sh_needs_shape(l);
	const Type *value = sh_type(l, d, 0, NULL), *index = sh_type(l, DT_I64, 0, NULL);
	const Type *types[2] = { sh_type_of(l, x, m, kept), type_tensor(l->c, DT_I64, m, kept) };
	const Type *args[4] = { value, index, value, index };
	Value *in[4] = { x, place, sh_neutral_value(l, max ? SHLO_maximum : SHLO_minimum, d), sh_int(l, DT_I64, 0) };
	int64_t axis = at;
	Op *op = sh_region_op(l, SHLO_reduce, in, 4, types, 2, sh_attr(l, A_dimensions, sh_ints(l, &axis, 1)), args, 4, &b);
	arg_body(l, b, d, max, op_int(l->op, A_select_last_index) != 0);
	Value *y = keep ? sh_reshape_to(l, op->results[1], sh_result(l)) : op->results[1];
	return y ? lg_replace(l, &y, 1) : sh_needs_shape(l);
}

/* A stable sort of values and places, cut to the first k. */
bool sh_topk(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int64_t start[MAX_RANK] = { 0 }, end[MAX_RANK];
	int rank, at;
	Block *b;
	(void)to;
	if (!sh_dims(x, end, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at) || !type_has_rank(sh_result(l)) ||
		!sym_const(sh_result(l)->dims[at], &end[at]))
		return sh_needs_shape(l);
	DType d = x->type->dtype;
	bool sign = dtype_class(d) == DC_INT;
	Value *place = sh_iota(l, type_with_dtype(l->c, x->type, DT_I64), at);
	const Type *types[2] = { x->type, place->type }, *value = sh_type(l, d, 0, NULL), *index = sh_type(l, DT_I64, 0, NULL);
	const Type *args[4] = { value, value, index, index };
	RwAttr attrs[] = { { A_dimension, lg_int(l, at) }, { A_is_stable, attr_bool(l->c, true) }, { A_NONE, NULL } };
	Op *op = sh_region_op(l, SHLO_sort, (Value *[]){ x, place }, 2, types, 2, attrs, args, 4, &b);
	RwAttr order[] = { { A_comparison_direction, lg_text(l, op_int(l->op, A_largest) ? "GT" : "LT") },
		{ A_compare_type, lg_text(l, dtype_is_float(d) ? "FLOAT" : sign ? "SIGNED" : "UNSIGNED") }, { A_NONE, NULL } };
	Value *before = sh_in(l, b, SHLO_compare, b->args, 2, sh_type(l, DT_BOOL, 0, NULL), order);
	sh_end(l, b, &before, 1);
	Value *y[2] = { sh_slice_of(l, op->results[0], start, end, NULL), sh_slice_of(l, op->results[1], start, end, NULL) };
	return lg_replace(l, y, 2);
}

/* ---- places compared ---- */

bool sh_one_hot(Lg *l, OpKind to)
{
	Value *index = lg_in(l, 0), *values = lg_in(l, 2), *pair[2];
	const Type *t = sh_result(l);
	int64_t around[MAX_RANK];
	int ri, at, n = 0;
	(void)to;
	if (!sh_ranked(index, &ri) || !type_has_rank(t) || t->rank != ri + 1 || !axis_norm(op_int(l->op, A_axis), t->rank, &at))
		return sh_needs_shape(l);
	DType d = index->type->dtype;
	const Type *wide = type_with_dtype(l->c, t, d);
	int64_t axis = at;
	for (int i = 0; i < t->rank; i++)
		if (i != at)
			around[n++] = i;
	Value *place = sh_iota(l, wide, axis), *depth = sh_size(l, t->dims[at]);
	index = depth ? plain_indices(l, index, sh_convert(l, depth, d)) : NULL;
	index = index ? sh_broadcast(l, index, wide, around) : NULL;
	for (int64_t i = 0; i < 2; i++) {
		int64_t end = i + 1;
		pair[i] = sh_reshape(l, sh_slice_of(l, values, &i, &end, NULL), 0, NULL);
		pair[i] = pair[i] ? sh_fit(l, pair[i], t) : NULL;
	}
	if (!place || !index || !pair[0] || !pair[1])
		return sh_needs_shape(l);
	Value *y = sh_select_of(l, sh_compare_to(l, place, index, "EQ"), pair[1], pair[0]);
	return lg_replace(l, &y, 1);
}

/* Column less row of the last two dimensions, compared with k. */
static Value *diagonal(Lg *l, const Type *t, Value *k, const char *direction)
{
	const Type *place = type_with_dtype(l->c, t, DT_I64);
	Value *row = sh_iota(l, place, t->rank - 2), *column = sh_iota(l, place, t->rank - 1);
	k = k ? sh_fit(l, sh_convert(l, sh_reshape(l, k, 0, NULL), DT_I64), place) : NULL;
	if (!row || !column)
		return NULL;
	return sh_compare_to(l, column, k ? sh_new2(l, SHLO_add, row, k) : row, direction);
}

bool sh_trilu(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *k = lg_in(l, 1);
	int rank;
	(void)to;
	if (!sh_ranked(x, &rank) || rank < 2)
		return sh_needs_shape(l);
	Value *keep = diagonal(l, x->type, k, op_int(l->op, A_upper) ? "GE" : "LE"), *zero = sh_full(l, x->type, 0);
	if (!keep || !zero)
		return sh_needs_shape(l);
	Value *y = sh_select_of(l, keep, x, zero);
	return lg_replace(l, &y, 1);
}

bool sh_eye_like(Lg *l, OpKind to)
{
	const Type *t = sh_result(l);
	int64_t k = op_int(l->op, A_k);
	(void)to;
	if (!type_has_rank(t) || t->rank != 2)
		return sh_needs_shape(l);
	Value *on = diagonal(l, t, k ? sh_int(l, DT_I64, k) : NULL, "EQ");
	if (!on)
		return sh_needs_shape(l);
	on = sh_convert(l, on, t->dtype);
	return lg_replace(l, &on, 1);
}

/* A window that reaches back to the first element; an exclusive one is moved by one. */
bool sh_cumulate(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int64_t axis, size[MAX_RANK], ones[MAX_RANK], pads[2 * MAX_RANK] = { 0 }, n, shift[2][MAX_RANK] = { { 0 } },
		zero[MAX_RANK] = { 0 };
	int rank, at;
	Block *b;
	OpKind body = op_is(l->op, OP_cumsum) ? SHLO_add : SHLO_multiply;
	bool back = op_int(l->op, A_reverse) != 0;
	(void)to;
	if (!sh_ranked(x, &rank) || !constant_int(lg_in(l, 1), &axis) || !axis_norm(axis, rank, &at) ||
		!sym_const(x->type->dims[at], &n))
		return sh_needs_shape(l);
	if (n == 0)
		return lg_replace(l, &x, 1);
	for (int d = 0; d < rank; d++)
		size[d] = ones[d] = 1;
	size[at] = n;
	pads[2 * at + back] = n - 1;
	size_t r = (size_t)rank;
	DType d = x->type->dtype;
	const Type *scalar = sh_type(l, d, 0, NULL), *args[2] = { scalar, scalar };
	Value *start = sh_neutral_value(l, body, d);
	RwAttr attrs[] = { { A_window_dimensions, sh_ints(l, size, r) }, { A_window_strides, sh_ints(l, ones, r) },
		{ A_padding, sh_ints(l, pads, 2 * r) }, { A_NONE, NULL } };
	Op *op = sh_region_op(l, SHLO_reduce_window, (Value *[]){ x, start }, 2, &x->type, 1, attrs, args, 2, &b);
	sh_body(l, b, body, d);
	Value *y = op->results[0];
	if (op_int(l->op, A_exclusive)) {
		shift[back][at] = 1;
		shift[!back][at] = -1;
		y = sh_new(l, SHLO_pad, (Value *[]){ y, start }, 2, x->type, (RwAttr[]){
			{ A_edge_padding_low, sh_ints(l, shift[0], r) }, { A_edge_padding_high, sh_ints(l, shift[1], r) },
			{ A_interior_padding, sh_ints(l, zero, r) }, { A_NONE, NULL } });
	}
	return lg_replace(l, &y, 1);
}

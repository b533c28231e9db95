#include "shlo_int.h"

#include <math.h>
#include <string.h>

static const Type *result(const Lg *l)
{
	return l->op->results[0]->type;
}

static bool needs_static(Lg *l)
{
	return rz_no(l, "its shape is not known");
}

static Value *full_like(Lg *l, const Value *x, double v)
{
	return sh_full(l, x->type, v);
}

static bool is_static(const Value *v)
{
	return type_has_rank(v->type) && v->type->dtype != DT_NONE && type_is_static(v->type);
}

bool sh_relu(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	return is_static(x) ? sh_become(l, to, (Value *[]){ x, full_like(l, x, 0) }, 2, NULL) : needs_static(l);
}

bool sh_reciprocal(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	return is_static(x) ? sh_become(l, to, (Value *[]){ full_like(l, x, 1), x }, 2, NULL) : needs_static(l);
}

bool sh_isnan(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	return sh_become(l, to, (Value *[]){ x, x }, 2, (RwAttr[]){ { A_comparison_direction, lg_text(l, "NE") },
		{ A_compare_type, lg_text(l, "FLOAT") }, { A_NONE, NULL } });
}

bool sh_swish(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *z = x;
	double alpha = op_float(l->op, A_alpha);
	if (!is_static(x))
		return needs_static(l);
	if (alpha != 1)
		z = sh_new2(l, SHLO_multiply, x, full_like(l, x, alpha));
	return sh_become(l, to, (Value *[]){ x, sh_new1(l, SHLO_logistic, z) }, 2, NULL);
}

/* x/2 (1 + erf(x/sqrt 2)), or with tanh(sqrt(2/pi) (x + 0.044715 x^3)). */
bool sh_gelu(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *z;
	const double cubic = 0.044715;
	if (!is_static(x))
		return needs_static(l);
	if (strcmp(op_text(l->op, A_approximate), "tanh")) {
		z = sh_new1(l, CHLO_erf, sh_new2(l, SHLO_multiply, x, full_like(l, x, M_SQRT1_2)));
	} else {
		Value *cube = sh_new2(l, SHLO_multiply, x, sh_new2(l, SHLO_multiply, x, x));
		z = sh_new2(l, SHLO_add, x, sh_new2(l, SHLO_multiply, cube, full_like(l, x, cubic)));
		z = sh_new1(l, SHLO_tanh, sh_new2(l, SHLO_multiply, z, full_like(l, x, M_2_SQRTPI * M_SQRT1_2)));
	}
	z = sh_new2(l, SHLO_add, z, full_like(l, x, 1));
	Value *half = sh_new2(l, SHLO_multiply, x, full_like(l, x, 0.5));
	return sh_become(l, to, (Value *[]){ half, z }, 2, NULL);
}

bool sh_leaky_relu(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int64_t dims[MAX_RANK];
	int rank;
	if (!sh_dims(x, dims, &rank))
		return needs_static(l);
	RwAttr lt[] = { { A_comparison_direction, lg_text(l, "LT") }, { A_compare_type, lg_text(l, "FLOAT") }, { A_NONE,
		NULL } };
	Value *below = sh_new(l, SHLO_compare, (Value *[]){ x, full_like(l, x, 0) }, 2, sh_type(l, DT_BOOL, rank, dims),
		lt);
	Value *scaled = sh_new2(l, SHLO_multiply, x, full_like(l, x, op_float(l->op, A_alpha)));
	return sh_become(l, to, (Value *[]){ below, scaled, x }, 3, NULL);
}

bool sh_nary(Lg *l, OpKind to)
{
	Value *y = NULL;
	for (size_t i = 0; i < l->op->noperands; i++) {
		Value *x = sh_fit(l, lg_in(l, i), result(l));
		if (!x)
			return needs_static(l);
		y = y ? sh_new2(l, to, y, x) : x;
	}
	return y && lg_replace(l, &y, 1);
}

/* ---- contraction ---- */

bool sh_gemm(Lg *l, OpKind to)
{
	int64_t lc = op_int(l->op, A_trans_a) ? 0 : 1, rc = op_int(l->op, A_trans_b) ? 1 : 0;
	double alpha = op_float(l->op, A_alpha), beta = op_float(l->op, A_beta);
	Value *c = lg_in(l, 2);
	if (!type_has_rank(result(l)) || !type_is_static(result(l)))
		return needs_static(l);
	ShField f[] = { { "lhs_batching_dimensions", NULL, 0, true }, { "rhs_batching_dimensions", NULL, 0, true },
		{ "lhs_contracting_dimensions", &lc, 1, true }, { "rhs_contracting_dimensions", &rc, 1, true } };
	RwAttr attrs[] = { { A_dot_dimension_numbers, sh_struct(l, f, 4) }, { A_NONE, NULL } };
	Value *y = sh_new(l, to, (Value *[]){ lg_in(l, 0), lg_in(l, 1) }, 2, result(l), attrs);
	if (alpha != 1)
		y = sh_new2(l, SHLO_multiply, y, full_like(l, y, alpha));
	if (c) {
		c = sh_fit(l, c, result(l));
		if (!c)
			return needs_static(l);
		y = sh_new2(l, SHLO_add, y, beta == 1 ? c : sh_new2(l, SHLO_multiply, c, full_like(l, c, beta)));
	}
	return lg_replace(l, &y, 1);
}

/* ---- normalisation ---- */

/* exp(x - max) over its sum; the logarithm of it. */
bool sh_softmax(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int64_t dims[MAX_RANK], axis;
	int rank, at;
	if (!sh_dims(x, dims, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return needs_static(l);
	axis = at;
	Value *top = sh_fit(l, sh_reduce(l, x, SHLO_maximum, -INFINITY, &axis, 1, true), x->type);
	Value *z = sh_new2(l, SHLO_subtract, x, top), *e = sh_new1(l, SHLO_exponential, z);
	Value *sum = sh_reduce(l, e, SHLO_add, 0, &axis, 1, true);
	if (to == SHLO_divide)
		return sh_become(l, to, (Value *[]){ e, sh_fit(l, sum, x->type) }, 2, NULL);
	return sh_become(l, to, (Value *[]){ z, sh_fit(l, sh_new1(l, SHLO_log, sum), x->type) }, 2, NULL);
}

bool sh_layer_norm(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *scale = lg_in(l, 1), *bias = lg_in(l, 2);
	int64_t dims[MAX_RANK], axes[MAX_RANK];
	int rank, at;
	size_t n = 0;
	double count = 1;
	(void)to;
	if (!sh_dims(x, dims, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at) || !lg_unused_results(l, 1))
		return needs_static(l);
	for (int d = at; d < rank; d++) {
		axes[n++] = d;
		count *= (double)dims[d];
	}
	Value *mean = sh_reduce(l, x, SHLO_add, 0, axes, n, true);
	mean = sh_fit(l, sh_new2(l, SHLO_divide, mean, full_like(l, mean, count)), x->type);
	Value *z = sh_new2(l, SHLO_subtract, x, mean);
	Value *var = sh_reduce(l, sh_new2(l, SHLO_multiply, z, z), SHLO_add, 0, axes, n, true);
	var = sh_new2(l, SHLO_divide, var, full_like(l, var, count));
	var = sh_new1(l, SHLO_rsqrt, sh_new2(l, SHLO_add, var, full_like(l, var, op_float(l->op, A_epsilon))));
	Value *y = sh_new2(l, SHLO_multiply, z, sh_fit(l, var, x->type));
	if (!(scale = sh_fit(l, scale, x->type)))
		return needs_static(l);
	y = sh_new2(l, SHLO_multiply, y, scale);
	if (bias) {
		if (!(bias = sh_fit(l, bias, x->type)))
			return needs_static(l);
		y = sh_new2(l, SHLO_add, y, bias);
	}
	op_drop_results(l->op, 1);
	return lg_replace(l, &y, 1);
}

/* ---- data movement ---- */

bool sh_split(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int64_t dims[MAX_RANK], start[MAX_RANK] = { 0 }, end[MAX_RANK], step[MAX_RANK], part[MAX_RANK];
	int rank, at, r;
	size_t n = l->op->nresults;
	Value **y = NEW_ARRAY(l->a, Value *, n + 1);
	if (!sh_dims(x, dims, &rank) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return needs_static(l);
	for (int d = 0; d < rank; d++) {
		end[d] = dims[d];
		step[d] = 1;
	}
	for (size_t i = 0; i < n; i++) {
		if (!sh_dims(l->op->results[i], part, &r) || r != rank)
			return needs_static(l);
		end[at] = start[at] + part[at];
		y[i] = sh_new(l, to, &x, 1, l->op->results[i]->type, (RwAttr[]){ { A_start_indices, sh_ints(l, start,
			(size_t)rank) },
			{ A_limit_indices, sh_ints(l, end, (size_t)rank) }, { A_strides, sh_ints(l, step, (size_t)rank) },
				{ A_NONE, NULL } });
		start[at] = end[at];
	}
	return lg_replace(l, y, n);
}

/* Indices counted from the end get the size added first. */
static Value *plain_indices(Lg *l, Value *index, int64_t size)
{
	size_t n;
	const int64_t *v = constant_ints(l->a, index, 0, &n);
	bool plain = v != NULL || dtype_class(index->type->dtype) == DC_UINT;
	for (size_t i = 0; v && i < n; i++)
		plain &= v[i] >= 0;
	if (plain)
		return index;
	RwAttr lt[] = { { A_comparison_direction, lg_text(l, "LT") }, { A_compare_type, lg_text(l, "SIGNED") }, { A_NONE,
		NULL } };
	Value *below = sh_new(l, SHLO_compare, (Value *[]){ index, full_like(l, index, 0) }, 2,
		type_with_dtype(l->c, index->type, DT_BOOL), lt);
	Value *moved = sh_new2(l, SHLO_add, index, full_like(l, index, (double)size));
	return sh_new(l, SHLO_select, (Value *[]){ below, moved, index }, 3, index->type, NULL);
}

bool sh_gather(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *index = lg_in(l, 1);
	int64_t dims[MAX_RANK], di[MAX_RANK], offset[MAX_RANK], size[MAX_RANK];
	int rank, ri, at;
	size_t n = 0;
	if (!sh_dims(x, dims, &rank) || !sh_dims(index, di, &ri) || !axis_norm(op_int(l->op, A_axis), rank, &at))
		return needs_static(l);
	index = plain_indices(l, index, dims[at]);
	for (int d = 0; d < rank; d++) {
		size[d] = d == at ? 1 : dims[d];
		if (d != at)
			offset[n++] = d < at ? d : d - 1 + ri;
	}
	int64_t axis = at, depth = ri;
	ShField f[] = { { "offset_dims", offset, n, true }, { "collapsed_slice_dims", &axis, 1, true },
		{ "operand_batching_dims", NULL, 0, true }, { "start_indices_batching_dims", NULL, 0, true },
		{ "start_index_map", &axis, 1, true }, { "index_vector_dim", &depth, 1, false } };
	return sh_become(l, to, (Value *[]){ x, index }, 2, (RwAttr[]){ { A_dimension_numbers, sh_struct(l, f, 6) },
		{ A_slice_sizes, sh_ints(l, size, (size_t)rank) }, { A_indices_are_sorted, attr_bool(l->c, false) }, { A_NONE,
			NULL } });
}

/* ---- pooling ---- */

/* A window reduction over the spatial dimensions of x. */
static Value *window(Lg *l, Value *x, OpKind body, double start, const Type *t, const RwAttr *attrs)
{
	DType d = x->type->dtype;
	const Type *scalar = sh_type(l, d, 0, NULL);
	NamedAttr named[8];
	size_t n = 0;
	for (; attrs[n].name != A_NONE; n++)
		named[n] = (NamedAttr){ l->c->attr_names[attrs[n].name], attrs[n].value };
	Value *in[2] = { x, sh_number(l, d, start) };
	OpSpec s = { .def = op_def(l->c, SHLO_reduce_window), .operands = in, .noperands = 2, .types = &t, .nresults = 1,
		.attrs = named, .nattrs = n, .nblocks = 1, .loc = l->op->loc };
	Op *op = op_new(l->op->block, l->op, &s);
	Block *b = block_new(l->op->block->func, op);
	Value *args[2] = { block_add_arg(b, scalar, NULL), block_add_arg(b, scalar, NULL) };
	OpSpec inner = { .def = op_def(l->c, body), .operands = args, .noperands = 2, .types = &scalar, .nresults = 1,
		.loc = l->op->loc };
	Op *sum = op_new(b, NULL, &inner);
	op_new(b, NULL, &(OpSpec){ .def = op_def(l->c, SHLO_return), .operands = sum->results, .noperands = 1,
		.loc = l->op->loc });
	op_set_block(op, 0, b);
	return op->results[0];
}

bool sh_pool(Lg *l, OpKind to)
{
	const int64_t *k, *s, *p, *d;
	Value *x = lg_in(l, 0);
	int n = lg_rank(x) - 2;
	int64_t size[MAX_RANK], stride[MAX_RANK], pads[2 * MAX_RANK] = { 0 }, dilation[MAX_RANK];
	size_t nk = op_attr_ints(l->op, A_kernel, &k), ns = op_attr_ints(l->op, A_strides, &s), np = op_attr_ints(l->op,
		A_pads, &p),
		nd = op_attr_ints(l->op, A_dilations, &d);
	bool max = op_is(l->op, OP_max_pool);
	(void)to;
	if (n < 1 || n + 2 > MAX_RANK || nk != (size_t)n || (np && np != 2 * nk) || !is_static(x) ||
		!type_is_static(result(l)) ||
		op_attr_str(l->op, A_auto_pad) || op_int(l->op, A_ceil_mode) || !lg_unused_results(l, 1) ||
		!dtype_is_float(x->type->dtype))
		return rz_no(l, "of its rounding up, second result or unknown sizes");
	for (int i = 0; i < n + 2; i++) {
		bool spatial = i >= 2;
		size[i] = spatial ? k[i - 2] : 1;
		stride[i] = spatial && ns ? s[i - 2] : 1;
		dilation[i] = spatial && nd ? d[i - 2] : 1;
		pads[2 * i] = spatial && np ? p[i - 2] : 0;
		pads[2 * i + 1] = spatial && np ? p[n + i - 2] : 0;
	}
	size_t r = (size_t)n + 2;
	RwAttr attrs[] = { { A_window_dimensions, sh_ints(l, size, r) }, { A_window_strides, sh_ints(l, stride, r) },
		{ A_window_dilations, sh_ints(l, dilation, r) }, { A_padding, sh_ints(l, pads, 2 * r) }, { A_NONE, NULL } };
	Value *y = window(l, x, max ? SHLO_maximum : SHLO_add, max ? -INFINITY : 0, result(l), attrs);
	double count = 1;
	bool padded = false;
	for (int i = 0; i < n; i++)
		count *= (double)k[i];
	for (size_t i = 0; i < np; i++)
		padded |= p[i] != 0;
	if (!max && padded && !op_int(l->op, A_count_include_pad))
		y = sh_new2(l, SHLO_divide, y, window(l, full_like(l, x, 1), SHLO_add, 0, result(l), attrs));
	else if (!max)
		y = sh_new2(l, SHLO_divide, y, full_like(l, y, count));
	if (l->op->nresults > 1)
		op_drop_results(l->op, 1);
	return lg_replace(l, &y, 1);
}

bool sh_global_pool(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	int64_t dims[MAX_RANK], axes[MAX_RANK];
	int rank;
	size_t n = 0;
	double count = 1;
	bool max = op_is(l->op, OP_global_max_pool);
	(void)to;
	if (!sh_dims(x, dims, &rank) || rank < 3 || !dtype_is_float(x->type->dtype))
		return needs_static(l);
	for (int d = 2; d < rank; d++) {
		axes[n++] = d;
		count *= (double)dims[d];
	}
	Value *y = sh_reduce(l, x, max ? SHLO_maximum : SHLO_add, max ? -INFINITY : 0, axes, n, true);
	if (!max)
		y = sh_new2(l, SHLO_divide, y, full_like(l, y, count));
	return lg_replace(l, &y, 1);
}

#include "shlo_int.h"

#include <math.h>
#include <string.h>

/* ---- pooling ---- */

typedef struct Window {
	int n;                        /* spatial dimensions */
	int64_t kernel[MAX_RANK], stride[MAX_RANK], dilation[MAX_RANK], low[MAX_RANK], high[MAX_RANK], plain_high[MAX_RANK];
} Window;

/* The window of a pool; rounding up makes the padding behind longer, so that the last windows fit. */
static bool window_of(Lg *l, Window *w)
{
	const int64_t *k, *s, *p, *d;
	const Value *x = lg_in(l, 0);
	const Type *t = sh_result(l);
	int rank;
	size_t nk = op_attr_ints(l->op, A_kernel, &k), ns = op_attr_ints(l->op, A_strides, &s),
		np = op_attr_ints(l->op, A_pads, &p), nd = op_attr_ints(l->op, A_dilations, &d);
	const Str *mode = op_attr_str(l->op, A_auto_pad);
	if (!sh_ranked(x, &rank) || rank < 3 || nk != (size_t)rank - 2 || (ns && ns != nk) || (nd && nd != nk) ||
		(np && np != 2 * nk) || !type_has_rank(t) || t->rank != rank)
		return sh_needs_shape(l);
	if (mode && strcmp(mode->s, "notset"))
		return rz_no(l, "its padding depends on sizes that are not known; bind them with --shape or --dim");
	w->n = rank - 2;
	for (int i = 0; i < w->n; i++) {
		int64_t in, out;
		w->kernel[i] = k[i];
		w->stride[i] = ns ? s[i] : 1;
		w->dilation[i] = nd ? d[i] : 1;
		w->low[i] = np ? p[i] : 0;
		w->high[i] = w->plain_high[i] = np ? p[w->n + i] : 0;
		if (!op_attr(l->op, A_ceil_mode) || !op_int(l->op, A_ceil_mode))
			continue;
		if (!sym_const(x->type->dims[2 + i], &in) || !sym_const(t->dims[2 + i], &out))
			return sh_needs_shape(l);
		w->high[i] = (out - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - in - w->low[i];
	}
	return true;
}

static RwAttr *window_attrs(Lg *l, const Window *w)
{
	int64_t size[MAX_RANK], stride[MAX_RANK], pads[2 * MAX_RANK] = { 0 }, dilation[MAX_RANK];
	RwAttr *list = NEW_ARRAY(l->a, RwAttr, 5);
	size_t r = (size_t)w->n + 2;
	for (int i = 0; i < w->n + 2; i++) {
		bool spatial = i >= 2;
		size[i] = spatial ? w->kernel[i - 2] : 1;
		stride[i] = spatial ? w->stride[i - 2] : 1;
		dilation[i] = spatial ? w->dilation[i - 2] : 1;
		pads[2 * i] = spatial ? w->low[i - 2] : 0;
		pads[2 * i + 1] = spatial ? w->high[i - 2] : 0;
	}
	list[0] = (RwAttr){ A_window_dimensions, sh_ints(l, size, r) };
	list[1] = (RwAttr){ A_window_strides, sh_ints(l, stride, r) };
	list[2] = (RwAttr){ A_window_dilations, sh_ints(l, dilation, r) };
	list[3] = (RwAttr){ A_padding, sh_ints(l, pads, 2 * r) };
	list[4] = (RwAttr){ A_NONE, NULL };
	return list;
}

static Value *window_reduce(Lg *l, Value *x, OpKind body, const Window *w)
{
	DType d = x->type->dtype;
	const Type *scalar = sh_type(l, d, 0, NULL), *args[2] = { scalar, scalar };
	const Type *t = type_with_dtype(l->c, sh_result(l), d);
	Block *b;
	Value *in[2] = { x, sh_neutral_value(l, body, d) };
	Op *op = sh_region_op(l, SHLO_reduce_window, in, 2, &t, 1, window_attrs(l, w), args, 2, &b);
	sh_body(l, b, body, d);
	return op->results[0];
}

/* How many elements a window covers at place o; with padding, the padding that the model names counts too. */
static int64_t covered(const Window *w, int i, int64_t o, int64_t in, bool padded)
{
	int64_t n = 0, begin = padded ? -w->low[i] : 0, end = in + (padded ? w->plain_high[i] : 0);
	for (int64_t k = 0; k < w->kernel[i]; k++) {
		int64_t at = o * w->stride[i] - w->low[i] + k * w->dilation[i];
		n += at >= begin && at < end;
	}
	return n;
}

/* The number of elements of each window as [1, 1, spatial], or a count of ones where sizes are not known. */
static Value *divisors(Lg *l, const Window *w, DType d, bool padded)
{
	const Type *t = sh_result(l), *from = lg_in(l, 0)->type;
	int64_t dims[MAX_RANK], in[MAX_RANK], count = 1, at[MAX_RANK] = { 0 };
	double *v;
	dims[0] = dims[1] = 1;
	for (int i = 0; i < w->n; i++)
		if (!sym_const(t->dims[2 + i], &dims[2 + i]) || !sym_const(from->dims[2 + i], &in[i]) ||
			!mul_ok(count, dims[2 + i], &count)) {
			Value *ones = sh_full(l, type_with_dtype(l->c, from, d), 1);
			return ones ? window_reduce(l, ones, SHLO_add, w) : NULL;
		}
	v = NEW_ARRAY(l->a, double, (size_t)count + 1);
	bool same = true;
	for (int64_t j = 0; j < count; j++) {
		v[j] = 1;
		for (int i = 0; i < w->n; i++)
			v[j] *= (double)covered(w, i, at[i], in[i], padded);
		same &= v[j] == v[0];
		for (int i = w->n - 1; i >= 0 && ++at[i] == dims[2 + i]; i--)
			at[i] = 0;
	}
	if (same)
		return count ? lg_const_float(l, d, v[0]) : lg_const_float(l, d, 1);
	return constant_from_floats(l->op->block, l->op, d, w->n + 2, dims, v);
}

/* Places of the elements in the flattened operand, and the place of the largest of each window. */
static bool pool_with_places(Lg *l, const Window *w)
{
	int64_t dims[MAX_RANK], n;
	int rank;
	Block *b;
	Value *x = lg_in(l, 0);
	if (!sh_dims(x, dims, &rank) || !dims_count(dims, rank, &n) || op_int(l->op, A_storage_order))
		return rz_no(l, "of its order of places");
	Value *place = sh_reshape_to(l, sh_iota(l, sh_type(l, DT_I64, 1, &n), 0), x->type);
	DType d = x->type->dtype;
	const Type *value = sh_type(l, d, 0, NULL), *index = sh_type(l, DT_I64, 0, NULL), *flag = sh_type(l, DT_BOOL, 0, NULL);
	const Type *args[4] = { value, index, value, index }, *types[2] = { sh_result(l),
		type_with_dtype(l->c, sh_result(l), DT_I64) };
	Value *in[4] = { x, place, sh_neutral_value(l, SHLO_maximum, d), sh_int(l, DT_I64, INT64_MAX) };
	Op *op = sh_region_op(l, SHLO_reduce_window, in, 4, types, 2, window_attrs(l, w), args, 4, &b);
	RwAttr gt[] = { { A_comparison_direction, lg_text(l, "GT") }, { A_NONE, NULL } },
		eq[] = { { A_comparison_direction, lg_text(l, "EQ") }, { A_NONE, NULL } },
		lt[] = { { A_comparison_direction, lg_text(l, "LT") }, { A_NONE, NULL } };
	Value **a = b->args, *wins = sh_in(l, b, SHLO_compare, (Value *[]){ a[0], a[2] }, 2, flag, gt);
	Value *tie = sh_in(l, b, SHLO_compare, (Value *[]){ a[0], a[2] }, 2, flag, eq);
	Value *sooner = sh_in(l, b, SHLO_compare, (Value *[]){ a[1], a[3] }, 2, flag, lt);
	tie = sh_in(l, b, SHLO_and, (Value *[]){ tie, sooner }, 2, flag, NULL);
	wins = sh_in(l, b, SHLO_or, (Value *[]){ wins, tie }, 2, flag, NULL);
	Value *y[2] = { sh_in(l, b, SHLO_select, (Value *[]){ wins, a[0], a[2] }, 3, value, NULL),
		sh_in(l, b, SHLO_select, (Value *[]){ wins, a[1], a[3] }, 3, index, NULL) };
	sh_end(l, b, y, 2);
	return lg_replace(l, op->results, l->op->nresults);
}

bool sh_pool(Lg *l, OpKind to)
{
	Window w;
	Value *x = lg_in(l, 0);
	(void)to;
	if (!window_of(l, &w))
		return false;
	if (op_is(l->op, OP_max_pool)) {
		if (!lg_unused_results(l, 1))
			return pool_with_places(l, &w);
		Value *y = window_reduce(l, x, SHLO_maximum, &w);
		return lg_replace(l, (Value *[]){ y, y }, l->op->nresults);
	}
	if (op_is(l->op, OP_lp_pool)) {
		double p = (double)op_int(l->op, A_p);
		Value *power = sh_core2(l, OP_pow, sh_core1(l, OP_abs, x, NULL), lg_const_float(l, x->type->dtype, p), NULL);
		Value *y = sh_core2(l, OP_pow, window_reduce(l, power, SHLO_add, &w), lg_const_float(l, x->type->dtype, 1 / p),
			NULL);
		return lg_replace(l, &y, 1);
	}
	Value *count = divisors(l, &w, x->type->dtype, op_int(l->op, A_count_include_pad) != 0);
	if (!count)
		return sh_needs_shape(l);
	Value *y = sh_core2(l, OP_div, window_reduce(l, x, SHLO_add, &w), count, NULL);
	return lg_replace(l, &y, 1);
}

/* ---- convolution ---- */

typedef struct ConvForm {
	int n;
	int64_t stride[MAX_RANK], pads[2 * MAX_RANK], lhs[MAX_RANK], rhs[MAX_RANK];
	int64_t groups;
	bool flipped;                 /* kernel is I O spatial, and read backwards */
} ConvForm;

static RwAttr *conv_attrs(Lg *l, const ConvForm *c)
{
	static const int64_t zero = 0, one = 1;
	int64_t spatial[MAX_RANK], ones[MAX_RANK];
	size_t m = (size_t)c->n;
	RwAttr *list = NEW_ARRAY(l->a, RwAttr, 9);
	for (int i = 0; i < c->n; i++) {
		spatial[i] = 2 + i;
		ones[i] = 1;
	}
	ShField f[] = { { "input_batch_dimension", &zero, 1, false }, { "input_feature_dimension", &one, 1, false },
		{ "input_spatial_dimensions", spatial, m, true },
		{ "kernel_input_feature_dimension", c->flipped ? &zero : &one, 1, false },
		{ "kernel_output_feature_dimension", c->flipped ? &one : &zero, 1, false },
		{ "kernel_spatial_dimensions", spatial, m, true }, { "output_batch_dimension", &zero, 1, false },
		{ "output_feature_dimension", &one, 1, false }, { "output_spatial_dimensions", spatial, m, true } };
	RwAttr all[] = { { A_dimension_numbers, sh_struct(l, f, ARRAY_LEN(f)) },
		{ A_window_strides, sh_ints(l, c->stride, m) }, { A_padding, sh_ints(l, c->pads, 2 * m) },
		{ A_lhs_dilation, c->flipped ? sh_ints(l, c->lhs, m) : NULL }, { A_rhs_dilation, sh_ints(l, c->rhs, m) },
		{ A_window_reversal, c->flipped ? sh_ints(l, ones, m) : NULL }, { A_feature_group_count, lg_int(l, c->groups) },
		{ A_batch_group_count, lg_int(l, 1) }, { A_NONE, NULL } };
	memcpy(list, all, sizeof all);
	return list;
}

static bool conv_done(Lg *l, Value *x, Value *w, Value *bias, const ConvForm *c)
{
	static const int64_t one = 1;
	if (!bias)
		return sh_become(l, SHLO_convolution, (Value *[]){ x, w }, 2, conv_attrs(l, c));
	Value *y = sh_new(l, SHLO_convolution, (Value *[]){ x, w }, 2, sh_result(l), conv_attrs(l, c));
	Value *fit = sh_broadcast(l, bias, sh_result(l), &one);
	return fit ? sh_become(l, SHLO_add, (Value *[]){ y, fit }, 2, NULL) : sh_needs_shape(l);
}

/* N C spatial and O I spatial; a bias is broadcast along axis 1. */
bool sh_conv(Lg *l, OpKind to)
{
	const int64_t *s, *p, *d;
	Value *x = lg_in(l, 0), *w = lg_in(l, 1);
	ConvForm c = { .n = lg_rank(x) - 2, .groups = op_int(l->op, A_groups) };
	size_t ns = op_attr_ints(l->op, A_strides, &s), np = op_attr_ints(l->op, A_pads, &p),
		nd = op_attr_ints(l->op, A_dilations, &d);
	const Str *mode = op_attr_str(l->op, A_auto_pad);
	(void)to;
	if (c.n < 1 || c.n + 2 > MAX_RANK || (np && np != 2 * (size_t)c.n) || !type_has_rank(sh_result(l)))
		return sh_needs_shape(l);
	if (mode && strcmp(mode->s, "notset"))
		return rz_no(l, "its padding depends on sizes that are not known; bind them with --shape or --dim");
	for (int i = 0; i < c.n; i++) {
		c.stride[i] = ns ? s[i] : 1;
		c.rhs[i] = nd ? d[i] : 1;
		c.pads[2 * i] = np ? p[i] : 0;
		c.pads[2 * i + 1] = np ? p[c.n + i] : 0;
	}
	return conv_done(l, x, w, lg_in(l, 2), &c);
}

/* Weights [C, O/g, ...] of g groups become [C/g, O, ...]. */
static Value *group_weights(Lg *l, Value *w, int64_t groups)
{
	int64_t dims[MAX_RANK + 1], wide[MAX_RANK + 1], perm[MAX_RANK + 1];
	int rank;
	if (groups == 1)
		return w;
	if (!sh_dims(w, dims, &rank) || rank + 1 > MAX_RANK || dims[0] % groups)
		return NULL;
	wide[0] = groups;
	wide[1] = dims[0] / groups;
	for (int d = 1; d < rank; d++)
		wide[d + 1] = dims[d];
	for (int d = 0; d <= rank; d++)
		perm[d] = d;
	perm[0] = 1;
	perm[1] = 0;
	w = sh_transpose_of(l, sh_reshape(l, w, rank + 1, wide), perm);
	dims[0] /= groups;
	dims[1] *= groups;
	return sh_reshape(l, w, rank, dims);
}

/* How much of the full result of a transposed convolution is cut off at both ends. */
static bool transpose_pads(Lg *l, const ConvForm *c, const int64_t *kernel, const int64_t *extra, int64_t *low,
	int64_t *high)
{
	const int64_t *p;
	size_t np = op_attr_ints(l->op, A_pads, &p);
	const Str *mode = op_attr_str(l->op, A_auto_pad);
	bool same = mode && (!strcmp(mode->s, "same_upper") || !strcmp(mode->s, "same_lower"));
	bool upper = mode && !strcmp(mode->s, "same_upper");
	for (int i = 0; i < c->n; i++) {
		int64_t in, out;
		low[i] = np ? p[i] : 0;
		high[i] = np ? p[c->n + i] : 0;
		if (!same && !op_attr(l->op, A_output_shape))
			continue;
		if (!sym_const(lg_in(l, 0)->type->dims[2 + i], &in) || !sym_const(sh_result(l)->dims[2 + i], &out))
			return false;
		int64_t all = (in - 1) * c->lhs[i] + extra[i] + (kernel[i] - 1) * c->rhs[i] + 1 - out;
		low[i] = upper ? all / 2 : all - all / 2;
		high[i] = all - low[i];
	}
	return true;
}

bool sh_conv_transpose(Lg *l, OpKind to)
{
	const int64_t *s, *d, *o;
	Value *x = lg_in(l, 0), *w = lg_in(l, 1);
	ConvForm c = { .n = lg_rank(x) - 2, .groups = op_int(l->op, A_groups), .flipped = true };
	size_t ns = op_attr_ints(l->op, A_strides, &s), nd = op_attr_ints(l->op, A_dilations, &d),
		no = op_attr_ints(l->op, A_output_padding, &o);
	int64_t kernel[MAX_RANK], extra[MAX_RANK], low[MAX_RANK], high[MAX_RANK];
	(void)to;
	if (c.n < 1 || c.n + 2 > MAX_RANK || !type_has_rank(w->type) || w->type->rank != c.n + 2 ||
		!type_has_rank(sh_result(l)))
		return sh_needs_shape(l);
	for (int i = 0; i < c.n; i++) {
		c.stride[i] = 1;
		c.lhs[i] = ns ? s[i] : 1;
		c.rhs[i] = nd ? d[i] : 1;
		extra[i] = no ? o[i] : 0;
		if (!sym_const(w->type->dims[2 + i], &kernel[i]))
			return sh_needs_shape(l);
	}
	w = group_weights(l, w, c.groups);
	if (!w || !transpose_pads(l, &c, kernel, extra, low, high))
		return sh_needs_shape(l);
	for (int i = 0; i < c.n; i++) {
		c.pads[2 * i] = (kernel[i] - 1) * c.rhs[i] - low[i];
		c.pads[2 * i + 1] = (kernel[i] - 1) * c.rhs[i] - high[i] + extra[i];
	}
	return conv_done(l, x, w, lg_in(l, 2), &c);
}

/* ---- resize ---- */

/* What one axis of n elements becomes: rows are the elements, columns the places of the result. Found by resizing the unit
 * matrix, so that every mode is right by construction. */
static const double *resize_matrix(Lg *l, int64_t n, int64_t out, double scale, int64_t *rows)
{
	int64_t dims[2] = { n, n }, axis = 1;
	double *unit;
	size_t count;
	if (n < 1 || out < 1 || n > INT16_MAX || out > INT16_MAX)
		return NULL;
	unit = NEW_ARRAY(l->a, double, (size_t)(n * n));
	for (int64_t i = 0; i < n; i++)
		unit[i * n + i] = 1;
	Value *x = constant_from_floats(l->op->block, l->op, DT_F64, 2, dims, unit);
	float by = (float)scale;
	const Attr *t = attr_tensor(l->c, sh_type(l, DT_F32, 1, &(int64_t){ 1 }), blob_copy(l->c, &by, sizeof by));
	Value *in[4] = { x, NULL, scale > 0 ? constant_from_attr(l->op->block, l->op, t) : NULL,
		scale > 0 ? NULL : lg_const_ints(l, &out, 1) };
	RwAttr attrs[16];
	size_t na = 0;
	for (size_t i = 0; i < l->op->nattrs && na < ARRAY_LEN(attrs) - 2; i++)
		if (l->op->attrs[i].name->known != A_axes)
			attrs[na++] = (RwAttr){ (AttrName)l->op->attrs[i].name->known, l->op->attrs[i].value };
	attrs[na++] = (RwAttr){ A_axes, sh_ints(l, &axis, 1) };
	attrs[na] = (RwAttr){ A_NONE, NULL };
	Value *y = sh_core(l, OP_resize, in, scale > 0 ? 3 : 4, attrs);
	const double *m = constant_floats(l->a, y, (size_t)(n * out) + 1, &count);
	op_erase(y->def);
	*rows = n;
	return m && count == (size_t)(n * out) ? m : NULL;
}

enum { MOST_TAPS = 4 };

/* Every place of the result reads at most MOST_TAPS elements: that many gathers, each with its weights. */
static Value *resize_by_taps(Lg *l, Value *x, int at, const double *m, int64_t n, int64_t out, int taps)
{
	int64_t *from = NEW_ARRAY(l->a, int64_t, (size_t)out * MOST_TAPS), shape[MAX_RANK];
	double *weight = NEW_ARRAY(l->a, double, (size_t)out * MOST_TAPS);
	int rank = x->type->rank;
	Value *y = NULL;
	for (int64_t o = 0; o < out; o++)
		for (int64_t i = 0, k = 0; i < n; i++)
			if (m[i * out + o] != 0) {
				from[k * out + o] = i;
				weight[k++ * out + o] = m[i * out + o];
			}
	for (int d = 0; d < rank; d++)
		shape[d] = d == at ? out : 1;
	for (int k = 0; k < taps; k++) {
		Value *part = sh_core2(l, OP_gather, x, lg_const_ints(l, from + k * out, (size_t)out),
			sh_attr(l, A_axis, lg_int(l, at)));
		bool ones = true;
		for (int64_t o = 0; o < out; o++)
			ones &= weight[k * out + o] == 1;
		if (!ones)
			part = sh_core2(l, OP_mul, part, constant_from_floats(l->op->block, l->op, x->type->dtype, rank, shape,
				weight + k * out), NULL);
		y = y ? sh_core2(l, OP_add, y, part, NULL) : part;
	}
	return y;
}

static Value *resize_along(Lg *l, Value *x, int at, int64_t out, double scale)
{
	int64_t n, rows, dims[2], perm[MAX_RANK], axis = at, zero = 0;
	int most = 0, rank = x->type->rank;
	if (!sym_const(x->type->dims[at], &n))
		return NULL;
	const double *m = resize_matrix(l, n, out, scale, &rows);
	if (!m)
		return NULL;
	for (int64_t o = 0; o < out; o++) {
		int taps = 0;
		for (int64_t i = 0; i < n; i++)
			taps += m[i * out + o] != 0;
		most = taps > most ? taps : most;
	}
	if (most <= MOST_TAPS)
		return resize_by_taps(l, x, at, m, n, out, most ? most : 1);
	dims[0] = n;
	dims[1] = out;
	Value *w = constant_from_floats(l->op->block, l->op, x->type->dtype, 2, dims, m);
	Value *y = sh_core2(l, OP_dot_general, x, w, (RwAttr[]){ { A_lhs_contract, sh_ints(l, &axis, 1) },
		{ A_rhs_contract, sh_ints(l, &zero, 1) }, { A_NONE, NULL } });
	for (int d = 0; d < rank; d++)
		perm[d] = d < at ? d : d == at ? rank - 1 : d - 1;
	return sh_core1(l, OP_transpose, y, sh_attr(l, A_perm, sh_ints(l, perm, (size_t)rank)));
}

/* Axis by axis; the scale that the model gives decides where elements are read, not the rounded size. */
bool sh_resize(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *y = x;
	const int64_t *axes;
	const double *scales = NULL;
	size_t na = op_attr_ints(l->op, A_axes, &axes), ns = 0;
	int rank, at;
	DType d = lg_dtype(x), work = dtype_is_float(d) ? d : DT_F32;
	(void)to;
	if (!sh_ranked(x, &rank) || !type_has_rank(sh_result(l)))
		return sh_needs_shape(l);
	if (!strcmp(op_text(l->op, A_coordinate_transformation_mode), "tf_crop_and_resize"))
		return rz_no(l, "it crops; a region of interest has no form here");
	if (lg_in(l, 2) && !(scales = constant_floats(l->a, lg_in(l, 2), 0, &ns)))
		return rz_no(l, "its scales are not constant");
	if (work != d)
		y = sh_core1(l, OP_cast, y, sh_attr(l, A_to, attr_dtype(l->c, work)));
	for (int i = 0; i < rank; i++) {
		double scale = -1;
		int64_t out, in;
		for (size_t k = 0; k < (na ? na : (size_t)rank); k++)
			if (axis_norm(na ? axes[k] : (int64_t)k, rank, &at) && at == i && ns > k)
				scale = scales[k];
		if (sh_result(l)->dims[i] == x->type->dims[i] && (scale < 0 || scale == 1))
			continue;
		const Sym *size = sh_result(l)->dims[i];
		bool fixed = sym_const(size, &out) && sym_const(y->type->dims[i], &in);
		y = fixed ? resize_along(l, y, i, out, scale) : sh_resize_open(l, y, i, size, scale);
		if (!y)
			return sh_needs_shape(l);
	}
	if (work != d)
		y = sh_core1(l, OP_cast, y, sh_attr(l, A_to, attr_dtype(l->c, d)));
	return lg_replace(l, &y, 1);
}

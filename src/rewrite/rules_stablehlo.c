/* StableHLO ops with windows, regions or dimension numbers that say what a core op says. */
#include "move_int.h"
#include "rules.h"

#include <math.h>
#include <string.h>

/* The one op of a body `return op(lhs, rhs)`, else OP_UNKNOWN. */
static OpKind body_kind(const Op *op)
{
	const Block *b = op->nblocks == 1 ? op->blocks[0] : NULL;
	const Op *body = b ? b->first : NULL, *end = b ? block_terminator(b) : NULL;
	if (!body || body == end || body->next != end || b->nargs != 2 || end->noperands != 1 || body->noperands != 2 ||
		op_operand(end, 0) != body->results[0])
		return OP_UNKNOWN;
	const Value *x = op_operand(body, 0), *y = op_operand(body, 1);
	bool both = (x == b->args[0] && y == b->args[1]) || (x == b->args[1] && y == b->args[0]);
	return both ? op_kind(body) : OP_UNKNOWN;
}

/* ---- windows ---- */

typedef struct Window {
	int rank, n;                  /* n spatial dimensions: the last ones, or those between batch and channels */
	bool channels_last;
	int64_t kernel[MAX_RANK], stride[MAX_RANK], dilation[MAX_RANK], low[MAX_RANK], high[MAX_RANK];
} Window;

/* A window of one operand, without holes in it, that is 1 along the batch and the channels. */
static bool window_of(Rw *rw, const Op *op, Window *w)
{
	int rank = value_rank(op_operand(op, 0));
	if (op->noperands != 2 || op->nresults != 1 || rank < 3 || rank > MAX_RANK / 2)
		return rw_no(rw, "several operands, or less than three dimensions");
	*w = (Window){ .rank = rank, .n = rank - 2 };
	bool last_is_one = true;
	for (int d = 0; d < rank; d++) {
		size_t i = (size_t)d;
		bool plain = list_at(op, A_window_dimensions, i, 0) == 1 && list_at(op, A_window_strides, i, 1) == 1 &&
			list_at(op, A_padding, 2 * i, 0) == 0 && list_at(op, A_padding, 2 * i + 1, 0) == 0;
		if (list_at(op, A_base_dilations, i, 1) != 1 || (d == 0 && !plain))
			return rw_no(rw, "the window reaches over the batch, or the operand has holes");
		if (d == 1)
			w->channels_last = !plain;
		if (d == rank - 1)
			last_is_one = plain;
	}
	if (w->channels_last && !last_is_one)
		return rw_no(rw, "the window reaches over the channels");
	for (int i = 0; i < w->n; i++) {
		size_t d = (size_t)i + (w->channels_last ? 1 : 2);
		w->kernel[i] = list_at(op, A_window_dimensions, d, 0);
		w->stride[i] = list_at(op, A_window_strides, d, 1);
		w->dilation[i] = list_at(op, A_window_dilations, d, 1);
		w->low[i] = list_at(op, A_padding, 2 * d, 0);
		w->high[i] = list_at(op, A_padding, 2 * d + 1, 0);
		int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
		if (w->kernel[i] < 1 || w->low[i] < 0 || w->high[i] < 0 || w->low[i] >= reach || w->high[i] >= reach)
			return rw_no(rw, "padding is negative or wider than the window");
	}
	return true;
}

/* The pool of x with this window, channels moved to their place and back. */
static Value *pool(Rw *rw, OpKind kind, Value *x, const Window *w, bool count_padding)
{
	int64_t pads[2 * MAX_RANK];
	int there[MAX_RANK], back[MAX_RANK];
	size_t n = (size_t)w->n;
	for (int i = 0; i < w->n; i++) {
		pads[i] = w->low[i];
		pads[w->n + i] = w->high[i];
	}
	for (int d = 0; d < w->rank; d++) {
		there[d] = d == 0 ? 0 : d == 1 ? w->rank - 1 : d - 1;
		back[d] = d == 0 ? 0 : d == w->rank - 1 ? 1 : d + 1;
	}
	if (w->channels_last)
		x = rw_transpose(rw, x, there, w->rank);
	Value *y = rw_op1(rw, kind, x, (RwAttr[]){ { A_kernel, rw_attr_ints(rw, w->kernel, n) },
		{ A_strides, rw_attr_ints(rw, w->stride, n) }, { A_pads, rw_attr_ints(rw, pads, 2 * n) },
		{ A_dilations, rw_attr_ints(rw, w->dilation, n) },
		{ A_count_include_pad, count_padding ? attr_int(rw->ctx, 1) : NULL }, { A_NONE, NULL } });
	return w->channels_last ? rw_transpose(rw, y, back, w->rank) : y;
}

static bool starts_at(const Value *init, double x)
{
	double v;
	return constant_float(init, &v) && v == x;
}

static bool window_max(Rw *rw, Op *op)
{
	Window w;
	OpKind k = body_kind(op);
	if (k != OP_max && k != SHLO_maximum)
		return rw_no(rw, "the body is no maximum");
	if (!value_is_float(op_operand(op, 0)) || !starts_at(op_operand(op, 1), -INFINITY))
		return rw_no(rw, "it does not start at minus infinity");
	if (!window_of(rw, op, &w))
		return false;
	Value *y = pool(rw, OP_max_pool, op_operand(op, 0), &w, false);
	return rw_same_type(rw, y, op->results[0]) && rw_replace_op(rw, op, y);
}

/* How many elements of the operand a window covers at place o. */
static int64_t covered(const Window *w, int i, int64_t o, int64_t in)
{
	int64_t n = 0;
	for (int64_t k = 0; k < w->kernel[i]; k++) {
		int64_t at = o * w->stride[i] - w->low[i] + k * w->dilation[i];
		n += at >= 0 && at < in;
	}
	return n;
}

/* The divisor is the number of elements that each window covers, padding not counted. */
static bool counts_elements(Rw *rw, const Window *w, const Op *op, const Value *by)
{
	int64_t out[MAX_RANK], in[MAX_RANK], at[MAX_RANK] = { 0 };
	size_t n;
	int rank = value_rank(by);
	if (rank != w->rank || !type_static_dims(by->type, out) || !rw_static_shape(rw, op_operand(op, 0), in))
		return false;
	const double *v = constant_floats(rw->scratch, by, 0, &n);
	for (size_t j = 0; v && j < n; j++) {
		int64_t want = 1;
		for (int i = 0; i < w->n; i++) {
			int d = i + (w->channels_last ? 1 : 2);
			want *= covered(w, i, at[d], in[d]);
		}
		if (v[j] != (double)want)
			return false;
		for (int d = rank - 1; d >= 0 && ++at[d] == out[d]; d--)
			at[d] = 0;
	}
	return v != NULL;
}

static bool window_mean(Rw *rw, Op *root)
{
	Window w;
	Value *sum = op_operand(root, 0), *by = op_operand(root, 1);
	Op *op = live_def(sum, SHLO_reduce_window);
	OpKind k = op ? body_kind(op) : OP_UNKNOWN;
	double count = 1;
	if (k != OP_add && k != SHLO_add)
		return rw_no(rw, "the dividend is no sum over a window");
	if (!value_is_float(op_operand(op, 0)) || !starts_at(op_operand(op, 1), 0) || !window_of(rw, op, &w))
		return rw_no(rw, "the sum does not start at 0, or its window is not that of a pool");
	for (int i = 0; i < w.n; i++)
		count *= (double)w.kernel[i];
	bool all = constant_all(by, count);
	if (!all && !counts_elements(rw, &w, op, by))
		return rw_no(rw, "the divisor is not the number of elements");
	Value *y = pool(rw, OP_avg_pool, op_operand(op, 0), &w, all);
	return rw_same_type(rw, y, root->results[0]) && rw_replace_op(rw, root, y);
}

/* ---- batch norm over rows ---- */

/* torch_xla writes layer norm as the batch norm of one batch entry whose features are the rows, with scale 1 and offset 0. */
static bool row_batch_norm(Rw *rw, Op *op)
{
	Value *x = op_operand(op, 0);
	int64_t axis = op_attr_int(op, A_feature_index, -1), dims[MAX_RANK];
	int rank = value_rank(x), n = 0;
	if (op->noperands != 3 || rank < 1 || axis < 0 || axis + 1 >= rank || value_dtype(x) != DT_F32)
		return rw_no(rw, "nothing comes after the features, or the type is not f32");
	if (value_has_uses(op->results[1]) || value_has_uses(op->results[2]))
		return rw_no(rw, "its statistics are used");
	if (!constant_all(op_operand(op, 1), 1) || !constant_all(op_operand(op, 2), 0))
		return rw_no(rw, "scale is not 1, or offset not 0");
	for (int d = 0; d < axis; d++)
		if (value_dim(x, d) != 1)
			return rw_no(rw, "the batch has several entries: these are statistics of a batch");
	for (int d = (int)axis + 1; d < rank; d++)
		if ((dims[n++] = value_dim(x, d)) < 1)
			return rw_no(rw, "the size of a normalised axis is unknown");
	Value *ones = rw_splat(rw, DT_F32, n, dims, 1);
	Value *y = rw_op2(rw, OP_layer_norm, x, ones, (RwAttr[]){ { A_axis, attr_int(rw->ctx, axis + 1) },
		{ A_epsilon, attr_float(rw->ctx, op_attr_float(op, A_epsilon, 0)) }, { A_NONE, NULL } });
	return rw_same_type(rw, y, op->results[0]) && rw_replace(rw, op->results[0], y);
}

/* ---- gather ---- */

/* Fields of the dimension numbers, in their order. */
enum { G_OFFSET, G_COLLAPSED, G_BATCH, G_INDEX_BATCH, G_MAP, G_VECTOR, G_FIELDS };

static bool gather_fields(const Op *op, const Attr **f)
{
	const Attr *d = op_attr(op, A_dimension_numbers);
	if (!d || d->kind != ATTR_DICT || d->u.list.n != G_FIELDS)
		return false;
	for (int i = 0; i < G_FIELDS; i++) {
		f[i] = d->u.list.v[i];
		if (f[i]->kind != (i == G_VECTOR ? ATTR_INT : ATTR_INTS))
			return false;
	}
	return f[G_BATCH]->u.ints.n == 0 && f[G_INDEX_BATCH]->u.ints.n == 0;
}

/* Whole slices but for one axis, put where core puts them. Places outside are moved inside, as StableHLO says. */
static bool gather_along_axis(Rw *rw, Op *op)
{
	Value *x = op_operand(op, 0), *index = op_operand(op, 1);
	const Attr *f[G_FIELDS];
	const int64_t *size;
	int rank = value_rank(x), ri = value_rank(index), n = 0;
	size_t ns = op_attr_ints(op, A_slice_sizes, &size);
	if (rank < 1 || ri < 0 || !gather_fields(op, f) || ns != (size_t)rank || f[G_MAP]->u.ints.n != 1 ||
		f[G_COLLAPSED]->u.ints.n != 1 || f[G_MAP]->u.ints.v[0] != f[G_COLLAPSED]->u.ints.v[0])
		return rw_no(rw, "it indexes several dimensions, or none");
	int64_t axis = f[G_MAP]->u.ints.v[0], vector = f[G_VECTOR]->u.i, shape[MAX_RANK];
	if (axis < 0 || axis >= rank || value_dim(x, (int)axis) < 1 || (vector != ri && vector != ri - 1))
		return rw_no(rw, "the size of the axis is unknown");
	bool column = vector == ri - 1;
	int places = column ? ri - 1 : ri;
	if (f[G_OFFSET]->u.ints.n != (size_t)rank - 1 || (column && value_dim(index, ri - 1) != 1))
		return rw_no(rw, "slices are cut, or the index has several parts");
	for (int d = 0; d < rank; d++) {
		if (size[d] != (d == axis ? 1 : value_dim(x, d)))
			return rw_no(rw, "slices are cut");
		if (d != axis && f[G_OFFSET]->u.ints.v[n++] != (d < axis ? d : d - 1 + places))
			return rw_no(rw, "the dimensions of the slices lie elsewhere");
	}
	for (int d = 0; d < places; d++)
		if ((shape[d] = value_dim(index, d)) < 0)
			return rw_no(rw, "the shape of the indices is unknown");
	if (column)
		index = rw_reshape_to(rw, index, places, shape);
	int64_t first = 0, last = value_dim(x, (int)axis) - 1;
	DType d = value_dtype(index);
	if (d != DT_I32 && d != DT_I64) {
		index = rw_op1(rw, OP_cast, index, (RwAttr[]){ { A_to, attr_dtype(rw->ctx, DT_I64) }, { A_NONE, NULL } });
		d = DT_I64;
	}
	Value *lo = constant_from_ints(rw->root->block, rw->root, d, 0, NULL, &first);
	Value *hi = constant_from_ints(rw->root->block, rw->root, d, 0, NULL, &last);
	index = rw_op3(rw, OP_clamp, index, lo, hi, NULL);
	Value *y = rw_op2(rw, OP_gather, x, index, (RwAttr[]){ { A_axis, attr_int(rw->ctx, axis) }, { A_NONE, NULL } });
	return rw_same_type(rw, y, op->results[0]) && rw_replace_op(rw, op, y);
}

/* One place that is known, or does not matter: a slice; a reshape puts its collapsed dimensions and the index's own right.
 * Places outside are moved inside first. */
static bool gather_place(Rw *rw, Op *op)
{
	Value *x = op_operand(op, 0), *index = op_operand(op, 1);
	const Attr *f[G_FIELDS];
	const int64_t *size;
	int rank = value_rank(x);
	int64_t dims[MAX_RANK], shape[MAX_RANK];
	size_t ns = op_attr_ints(op, A_slice_sizes, &size), n;
	Span s = { .rank = rank };
	if (rank < 1 || rank > MAX_RANK || ns != (size_t)rank || !gather_fields(op, f))
		return rw_no(rw, "its dimensions are not known, or some are batches");
	const int64_t *at = rw_const_ints(rw, index, &n);
	n = f[G_MAP]->u.ints.n;
	if (value_count(index) != (int64_t)n)
		return rw_no(rw, "it takes several places");
	if (!rw_static_shape(rw, x, dims) || !rw_static_shape(rw, op->results[0], shape))
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t d = f[G_MAP]->u.ints.v[i];
		if (d < 0 || d >= rank || size[d] < 0 || size[d] > dims[d])
			return rw_no(rw, "a slice is larger than the operand");
		if (size[d] == dims[d]) /* wherever the place is, it is moved to 0 */
			continue;
		if (!at)
			return rw_no(rw, "the place is known only when it runs");
		s.start[d] = at[i] < 0 ? 0 : at[i] > dims[d] - size[d] ? dims[d] - size[d] : at[i];
	}
	bool cut = false;
	for (int d = 0; d < rank; d++) {
		s.on[d] = size[d] != dims[d];
		s.end[d] = s.start[d] + size[d];
		s.step[d] = 1;
		cut |= s.on[d];
	}
	Value *y = cut ? rw_slice(rw, x, &s) : x;
	y = rw_reshape_to(rw, y, value_rank(op->results[0]), shape);
	return rw_same_type(rw, y, op->results[0]) && rw_replace_op(rw, op, y);
}

/* ---- what is put together and taken apart ---- */

static bool part_of_complex(Rw *rw, Op *op)
{
	Op *whole = def_of(op_operand(op, 0), SHLO_complex);
	if (!whole)
		return rw_no(rw, "the operand is not made of parts");
	return rw_replace_op(rw, op, op_operand(whole, op_is(op, SHLO_imag) ? 1 : 0));
}

static bool complex_of_parts(Rw *rw, Op *op)
{
	Op *re = def_of(op_operand(op, 0), SHLO_real), *im = def_of(op_operand(op, 1), SHLO_imag);
	if (!re || !im || op_operand(re, 0) != op_operand(im, 0))
		return rw_no(rw, "the operands are not the parts of one value");
	return rw_same_type(rw, op_operand(re, 0), op->results[0]) && rw_replace_op(rw, op, op_operand(re, 0));
}

static bool element_of_tuple(Rw *rw, Op *op)
{
	Op *tuple = def_of(op_operand(op, 0), SHLO_tuple);
	int64_t i = op_attr_int(op, A_index, -1);
	if (!tuple || i < 0 || i >= tuple->noperands)
		return rw_no(rw, "the operand is no tuple that is made here");
	return rw_replace_op(rw, op, op_operand(tuple, (size_t)i));
}

/* Places are moved inside, so that an update of the whole size starts at 0 wherever it is told to. */
static bool update_slice(Rw *rw, Op *op)
{
	Value *x = op_operand(op, 0), *update = op_operand(op, 1);
	if (value_count(update) == 0)
		return rw_same_type(rw, x, op->results[0]) && rw_replace_op(rw, op, x);
	if (value_count(update) < 0 || update->type != x->type)
		return rw_no(rw, "the update is neither empty nor of the whole size");
	return rw_same_type(rw, update, op->results[0]) && rw_replace_op(rw, op, update);
}

static bool reduce_nothing(Rw *rw, Op *op)
{
	int64_t dims[MAX_RANK];
	if (op->noperands != 2 || op->nresults != 1 || value_count(op_operand(op, 0)) != 0)
		return rw_no(rw, "there are elements to reduce");
	if (!rw_static_shape(rw, op->results[0], dims))
		return false;
	Value *shape = rw_ints(rw, dims, (size_t)value_rank(op->results[0]));
	return rw_replace_op(rw, op, rw_op2(rw, OP_expand, op_operand(op, 1), shape, NULL));
}

static const Rule rules[] = {
	{ "real-of-complex", "real(complex(a, b))", "a", SHLO_real, CLASS_EXACT, 1, part_of_complex },
	{ "imag-of-complex", "imag(complex(a, b))", "b", SHLO_imag, CLASS_EXACT, 1, part_of_complex },
	{ "complex-of-parts", "complex(real(x), imag(x))", "x", SHLO_complex, CLASS_EXACT, 1, complex_of_parts },
	{ "element-of-tuple", "get_tuple_element(tuple(a, b), 1)", "b", SHLO_get_tuple_element, CLASS_EXACT, 1,
		element_of_tuple },
	{ "update-slice", "dynamic_update_slice(x, whole update, i)", "update", SHLO_dynamic_update_slice, CLASS_EXACT, 1,
		update_slice },
	{ "reduce-nothing", "reduce(x without elements, init)", "expand(init)", SHLO_reduce, CLASS_EXACT, 1, reduce_nothing },
	{ "window-max", "reduce_window(x, -inf, max)", "max_pool(x)", SHLO_reduce_window, CLASS_EXACT, 1, window_max },
	{ "window-mean", "reduce_window(x, 0, add) / count", "avg_pool(x)", OP_div, CLASS_ROUNDING, 2, window_mean },
	{ "row-batch-norm", "batch_norm_training(x[1, rows, ...], 1, 0)", "layer_norm(x)", SHLO_batch_norm_training,
		CLASS_ROUNDING, 2, row_batch_norm },
	{ "gather-place", "gather(x, constant place)", "reshape(slice(x))", SHLO_gather, CLASS_EXACT, 1, gather_place },
	{ "gather-along-axis", "gather(x, i) of whole slices", "gather(x, clamp(i), axis)", SHLO_gather, CLASS_EXACT, 1,
		gather_along_axis },
};

const RuleSet RULES_STABLEHLO = { "stablehlo", rules, ARRAY_LEN(rules) };

/* Convolutions whose windows are pulled apart, and regions of an image, as gathers, products and sums. Sizes other than those of
 * the kernel, channels and bins may be open. */
#include "decompose_int.h"

#include <string.h>

/* ---- sizes ---- */

/* Dims [from, to) of v as a vector: constant where they are known. */
static Value *sizes_of(Rw *rw, Value *v, int from, int to)
{
	int64_t dims[MAX_RANK];
	bool known = true;
	for (int i = from; i < to; i++)
		known &= (dims[i - from] = value_dim(v, i)) >= 0;
	if (known)
		return rw_ints(rw, dims, (size_t)(to - from));
	return rw_op1(rw, OP_shape, v,
		(RwAttr[]){ { A_start, attr_int(rw->ctx, from) }, { A_end, attr_int(rw->ctx, to) }, { A_NONE, NULL } });
}

static Value *reshaped(Rw *rw, Value *x, Value *const *parts, size_t n)
{
	return rw_op2(rw, OP_reshape, x, dc_concat(rw, parts, n, 0), NULL);
}

/* x as (first size of v, the others); one of these may be -1. */
static Value *with_rows_of(Rw *rw, Value *x, Value *v, const int64_t *others, size_t n)
{
	Value *parts[2] = { sizes_of(rw, v, 0, 1), rw_ints(rw, others, n) };
	return reshaped(rw, x, parts, 2);
}

/* Size i of x as a number of x's kind of coordinates, of one element. */
static Value *size_number(Rw *rw, Value *x, int i, DType d)
{
	return dc_cast(rw, sizes_of(rw, x, i, i + 1), d);
}

static Value *limited_to(Rw *rw, Value *x, Value *last)
{
	return rw_op2(rw, OP_min, dc_number(rw, OP_max, x, 0), last, NULL);
}

/* Places are worked out in the type of the data, so that it must be fine enough: halves end at a sixteenth of a pixel. */
static bool type_is_fine(Rw *rw, const Value *x, const Value *places)
{
	DType d = value_dtype(x);
	return ((d == DT_F32 || d == DT_F64) && value_dtype(places) == d) || rw_no(rw, "it is not over floats of 32 or 64 bits");
}

/* ---- deform_conv ---- */

enum { MOST_SPATIAL = 3 };

typedef struct Deform {
	Rw *rw;
	Op *root;
	Value *x, *w, *offset;
	int spatial;
	int64_t kernel[MOST_SPATIAL], elements, channels, offset_groups, groups, out_channels;
	int64_t stride[MOST_SPATIAL], begin[MOST_SPATIAL], dilation[MOST_SPATIAL];
	DType d;
} Deform;

static bool window_attr(const Op *op, AttrName a, int from, int n, int64_t fallback, int64_t *out)
{
	const int64_t *v;
	size_t have = op_attr_ints(op, a, &v);
	if (have && have < (size_t)(from + n))
		return false;
	for (int i = 0; i < n; i++)
		out[i] = have ? v[from + i] : fallback;
	return true;
}

/* How many windows there are along dim d. */
static const Sym *windows_along(const Deform *f, int d, int64_t end)
{
	Context *c = f->rw->ctx;
	if (f->stride[d] < 1)
		return NULL;
	int64_t more = f->begin[d] + end - f->dilation[d] * (f->kernel[d] - 1) - 1;
	const Sym *last = sym_add(c, f->x->type->dims[d + 2], sym_int(c, more));
	return sym_add(c, sym_floordiv(c, last, sym_int(c, f->stride[d])), sym_int(c, 1));
}

static bool deform_read(Rw *rw, Op *root, Deform *f)
{
	*f = (Deform){ .rw = rw, .root = root, .x = op_operand(root, 0), .w = op_operand(root, 1), .offset = op_operand(root, 2),
		.groups = op_int(root, A_groups), .offset_groups = op_int(root, A_offset_group) };
	int64_t w[MAX_RANK];
	int rank = value_rank(f->x);
	f->spatial = rank - 2;
	if (rank < 3 || f->spatial > MOST_SPATIAL || value_rank(f->w) != rank || value_rank(f->offset) != rank || !type_static_dims(f->w->type, w))
		return rw_no(rw, "the sizes of the weight, or the ranks, are not known");
	if (!type_is_fine(rw, f->x, f->offset))
		return false;
	f->channels = value_dim(f->x, 1);
	f->out_channels = w[0];
	f->elements = 1;
	for (int i = 0; i < f->spatial; i++) {
		f->kernel[i] = w[i + 2];
		f->elements *= w[i + 2];
		if (value_dim(f->x, i + 2) == 0 || value_dim(f->offset, i + 2) == 0)
			return rw_no(rw, "it has no elements");
	}
	if (f->channels < 1 || f->groups < 1 || f->offset_groups < 1 || f->channels != w[1] * f->groups || f->channels % f->offset_groups ||
			f->out_channels % f->groups || f->elements < 1 || value_dim(f->x, 0) == 0)
		return rw_no(rw, "the number of channels is not known, or does not divide into its groups");
	f->d = value_dtype(f->x);
	int64_t end[MOST_SPATIAL];
	if (!window_attr(root, A_strides, 0, f->spatial, 1, f->stride) || !window_attr(root, A_pads, 0, f->spatial, 0, f->begin) ||
			!window_attr(root, A_pads, f->spatial, f->spatial, 0, end) || !window_attr(root, A_dilations, 0, f->spatial, 1, f->dilation))
		return rw_no(rw, "strides, pads or dilations are malformed");
	for (int i = 0; i < f->spatial; i++)
		if (f->offset->type->dims[i + 2] != windows_along(f, i, end[i]))
			return rw_no(rw, "the offsets are not known to be as many as there are windows");
	return f->x->type->dims[0] == f->offset->type->dims[0] || rw_no(rw, "the offsets are not known to be those of the same batch");
}

/* v along axis `axis` of `rank`, the other sizes 1. */
static Value *along(Rw *rw, Value *v, int axis, int rank)
{
	int64_t dims[MAX_RANK];
	for (int i = 0; i < rank; i++)
		dims[i] = i == axis ? -1 : 1;
	return rw_reshape_to(rw, v, rank, dims);
}

/* Where the windows' elements lie along dim d: [batch, offset groups, elements * points], flat. */
static Value *deform_places(const Deform *f, Value *offsets, int d)
{
	Rw *rw = f->rw;
	int rank = 4 + f->spatial; /* batch, groups, elements, dims, and the points' own dims */
	double *element = NEW_ARRAY(rw->scratch, double, f->elements);
	for (int64_t e = 0; e < f->elements; e++) {
		int64_t rest = e;
		for (int i = f->spatial - 1; i > d; i--)
			rest /= f->kernel[i];
		element[e] = (double)(rest % f->kernel[d] * f->dilation[d] - f->begin[d]);
	}
	int64_t points = value_dim(f->offset, d + 2);
	Value *zero = rw_splat(rw, DT_I64, 0, NULL, 0), *one = rw_splat(rw, DT_I64, 0, NULL, 1);
	Value *count = points >= 0 ? rw_splat(rw, DT_I64, 0, NULL, (double)points)
		: rw_reshape_to(rw, sizes_of(rw, f->offset, d + 2, d + 3), 0, NULL);
	Value *point = dc_cast(rw, rw_op3(rw, OP_range, zero, count, one, NULL), f->d);
	point = along(rw, dc_number(rw, OP_mul, point, (double)f->stride[d]), 4 + d, rank);
	Value *place = dc_slice(rw, offsets, 3, d, d + 1);
	place = rw_op2(rw, OP_add, place, dc_along(rw, f->d, rank, 2, element, f->elements), NULL);
	place = rw_op2(rw, OP_add, place, point, NULL);
	return with_rows_of(rw, place, f->x, (int64_t[]){ f->offset_groups, -1 }, 2);
}

/* The neighbour of each place below or above it along a dim: an index within the image, and its weight, 0 outside. */
static Value *neighbour(const Deform *f, Value *place, int d, bool above, Value **weight)
{
	Rw *rw = f->rw;
	Value *low = rw_op1(rw, OP_floor, place, NULL), *part = rw_op2(rw, OP_sub, place, low, NULL);
	Value *last = dc_number(rw, OP_sub, size_number(rw, f->x, d + 2, f->d), 1);
	Value *index = above ? dc_number(rw, OP_add, low, 1) : low;
	Value *inside = rw_op2(rw, OP_and, dc_number(rw, OP_ge, index, 0), rw_op2(rw, OP_le, index, last, NULL), NULL);
	Value *share = above ? part : rw_op2(rw, OP_sub, rw_splat(rw, f->d, 0, NULL, 1), part, NULL);
	*weight = rw_op3(rw, OP_select, inside, share, rw_splat(rw, f->d, 0, NULL, 0), NULL);
	return dc_cast(rw, limited_to(rw, index, last), DT_I64);
}

/* Samples of all windows: [batch, offset groups, channels of a group, elements * points]. */
static Value *deform_samples(const Deform *f, Value *const *places)
{
	Rw *rw = f->rw;
	int64_t each = f->channels / f->offset_groups;
	Value *flat = with_rows_of(rw, f->x, f->x, (int64_t[]){ f->offset_groups, each, -1 }, 3), *sum = NULL;
	Value *near[MOST_SPATIAL][2], *weight[MOST_SPATIAL][2];
	for (int d = 0; d < f->spatial; d++)
		for (int up = 0; up < 2; up++)
			near[d][up] = neighbour(f, places[d], d, up, &weight[d][up]);
	for (int corner = 0; corner < 1 << f->spatial; corner++) {
		Value *index = NULL, *share = NULL;
		for (int d = 0; d < f->spatial; d++) {
			int up = corner >> d & 1;
			index = index ? rw_op2(rw, OP_add, rw_op2(rw, OP_mul, index, sizes_of(rw, f->x, d + 2, d + 3), NULL), near[d][up], NULL)
				: near[d][up];
			share = share ? rw_op2(rw, OP_mul, share, weight[d][up], NULL) : weight[d][up];
		}
		const int64_t axis = 2, wide[4] = { 1, 1, each, 1 };
		RwAttr axes[] = { { A_axes, attr_ints(rw->ctx, &axis, 1) }, { A_NONE, NULL } };
		index = rw_op2(rw, OP_expand, rw_op1(rw, OP_unsqueeze, index, axes), rw_ints(rw, wide, 4), NULL);
		Value *term = rw_op2(rw, OP_gather_elements, flat, index, (RwAttr[]){ { A_axis, attr_int(rw->ctx, 3) }, { A_NONE, NULL } });
		term = rw_op2(rw, OP_mul, term, rw_op1(rw, OP_unsqueeze, share, axes), NULL);
		sum = sum ? rw_op2(rw, OP_add, sum, term, NULL) : term;
	}
	return sum;
}

/* The result in the shape of the windows, with its bias. */
static Value *deform_result(const Deform *f, Value *y)
{
	Rw *rw = f->rw;
	Value *bias = op_operand(f->root, 3), *parts[3] = { sizes_of(rw, f->x, 0, 1), rw_ints(rw, &f->out_channels, 1),
		sizes_of(rw, f->offset, 2, f->spatial + 2) };
	y = reshaped(rw, y, parts, 3);
	return bias ? rw_op2(rw, OP_add, y, along(rw, bias, 1, f->spatial + 2), NULL) : y;
}

bool dc_deform_conv(Rw *rw, Op *root)
{
	Deform f;
	Value *places[MOST_SPATIAL], *mask = op_operand(root, 4);
	if (!deform_read(rw, root, &f))
		return false;
	const int64_t windows[3] = { f.offset_groups, f.elements, f.spatial };
	Value *parts[3] = { sizes_of(rw, f.x, 0, 1), rw_ints(rw, windows, 3), sizes_of(rw, f.offset, 2, f.spatial + 2) };
	Value *offsets = reshaped(rw, f.offset, parts, 3);
	for (int d = 0; d < f.spatial; d++)
		places[d] = deform_places(&f, offsets, d);
	Value *samples = deform_samples(&f, places);
	if (mask)
		samples = rw_op2(rw, OP_mul, samples, with_rows_of(rw, mask, f.x, (int64_t[]){ f.offset_groups, 1, -1 }, 3), NULL);
	int64_t depth = f.channels / f.groups * f.elements;
	samples = with_rows_of(rw, samples, f.x, (int64_t[]){ f.groups, depth, -1 }, 3);
	Value *weights = rw_reshape_to(rw, f.w, 3, (int64_t[]){ f.groups, f.out_channels / f.groups, depth });
	return rw_replace_op(rw, root, deform_result(&f, rw_op2(rw, OP_matmul, weights, samples, NULL)));
}

/* ---- roi_align ---- */

typedef struct Roi {
	Rw *rw;
	Value *x, *rois;
	int64_t out[2], ratio, channels; /* bins along y and x; samples of a bin in each direction */
	double scale, shift;
	bool max, whole;                 /* whole: a region is at least a pixel wide */
	DType d;
} Roi;

/* Of samples along an axis: the two rows or columns that each lies between, and their weights; [regions, bins * samples]. */
typedef struct RoiAxis {
	Value *index[2], *weight[2];
} RoiAxis;

static bool roi_read(Rw *rw, Op *root, Roi *r)
{
	const char *mode = op_text(root, A_mode), *coordinates = op_text(root, A_coordinate_transformation_mode);
	bool half = !strcmp(coordinates, "half_pixel");
	*r = (Roi){ .rw = rw, .x = op_operand(root, 0), .rois = op_operand(root, 1), .out = { op_int(root, A_output_height), op_int(root, A_output_width) },
		.ratio = op_int(root, A_sampling_ratio), .scale = op_float(root, A_spatial_scale), .shift = half ? 0.5 : 0, .whole = !half,
		.max = !strcmp(mode, "max") };
	if ((!r->max && strcmp(mode, "avg")) || (!half && strcmp(coordinates, "output_half_pixel")))
		return rw_no(rw, "a mode that is not known");
	if (value_rank(r->x) != 4 || value_rank(r->rois) != 2 || value_rank(op_operand(root, 2)) != 1)
		return rw_no(rw, "the ranks are not known");
	if (!type_is_fine(rw, r->x, r->rois))
		return false;
	r->channels = value_dim(r->x, 1);
	if (r->channels < 1 || value_dim(r->x, 2) == 0 || value_dim(r->x, 3) == 0 || value_dim(r->rois, 0) == 0)
		return rw_no(rw, "the number of channels is not known, or there are no elements");
	if (r->ratio < 1 || r->ratio > 64 || r->out[0] < 1 || r->out[1] < 1 || r->out[0] > 1 << 12 || r->out[1] > 1 << 12)
		return rw_no(rw, "sampling_ratio 0: how many samples there are depends on the regions");
	r->d = value_dtype(r->x);
	return true;
}

/* along: 0 for y (dim 2 of the image), 1 for x. */
static RoiAxis roi_axis(const Roi *r, int along)
{
	Rw *rw = r->rw;
	int64_t n = r->out[along] * r->ratio, from = along ? 0 : 1;
	double *step = NEW_ARRAY(rw->scratch, double, n);
	RoiAxis a;
	Value *rois = r->rois;
	Value *first = dc_number(rw, OP_sub, dc_number(rw, OP_mul, dc_slice(rw, rois, 1, from, from + 1), r->scale), r->shift);
	Value *end = dc_number(rw, OP_sub, dc_number(rw, OP_mul, dc_slice(rw, rois, 1, from + 2, from + 3), r->scale), r->shift);
	Value *size = rw_op2(rw, OP_sub, end, first, NULL);
	if (r->whole)
		size = dc_number(rw, OP_max, size, 1);
	for (int64_t i = 0; i < n; i++)
		step[i] = (double)i + 0.5;
	Value *at = rw_op2(rw, OP_mul, size, dc_along(rw, r->d, 2, 1, step, n), NULL);
	at = rw_op2(rw, OP_add, first, dc_number(rw, OP_div, at, (double)n), NULL);
	Value *extent = size_number(rw, r->x, 2 + along, r->d), *last = dc_number(rw, OP_sub, extent, 1);
	Value *inside = rw_op2(rw, OP_and, dc_number(rw, OP_ge, at, -1), rw_op2(rw, OP_le, at, extent, NULL), NULL);
	at = limited_to(rw, at, last);
	Value *low = rw_op1(rw, OP_floor, at, NULL), *part = rw_op2(rw, OP_sub, at, low, NULL);
	Value *rest = rw_op2(rw, OP_sub, rw_splat(rw, r->d, 0, NULL, 1), part, NULL), *none = rw_splat(rw, r->d, 0, NULL, 0);
	a.index[0] = dc_cast(rw, low, DT_I64);
	a.index[1] = dc_cast(rw, rw_op2(rw, OP_min, dc_number(rw, OP_add, low, 1), last, NULL), DT_I64);
	a.weight[0] = rw_op3(rw, OP_select, inside, rest, none, NULL);
	a.weight[1] = rw_op3(rw, OP_select, inside, part, none, NULL);
	return a;
}

/* v of rank 2 (or 3, the last axis new) with axes of size 1 inserted. */
static Value *spread(Rw *rw, Value *v, const int64_t *axes, size_t n)
{
	return rw_op1(rw, OP_unsqueeze, v, (RwAttr[]){ { A_axes, attr_ints(rw->ctx, axes, n) }, { A_NONE, NULL } });
}

/* The neighbours of all samples in one direction: pixels of all channels, weighted; [regions, samples y, samples x, channels]. */
static Value *roi_term(const Roi *r, Value *pixels, Value *image, const RoiAxis *y, const RoiAxis *x, int corner)
{
	Rw *rw = r->rw;
	int below = corner >> 1, right = corner & 1;
	static const int64_t as_row[] = { 2 }, as_column[] = { 1 }, last[] = { 3 };
	Value *row = rw_op2(rw, OP_add, rw_op2(rw, OP_mul, image, sizes_of(rw, r->x, 2, 3), NULL), y->index[below], NULL);
	Value *start = rw_op2(rw, OP_mul, row, sizes_of(rw, r->x, 3, 4), NULL);
	Value *index = rw_op2(rw, OP_add, spread(rw, start, as_row, 1), spread(rw, x->index[right], as_column, 1), NULL);
	Value *weight = rw_op2(rw, OP_mul, spread(rw, y->weight[below], as_row, 1), spread(rw, x->weight[right], as_column, 1), NULL);
	Value *term = rw_op2(rw, OP_gather, pixels, index, (RwAttr[]){ { A_axis, attr_int(rw->ctx, 0) }, { A_NONE, NULL } });
	return rw_op2(rw, OP_mul, term, spread(rw, weight, last, 1), NULL);
}

bool dc_roi_align(Rw *rw, Op *root)
{
	Roi r;
	if (!roi_read(rw, root, &r))
		return false;
	RoiAxis y = roi_axis(&r, 0), x = roi_axis(&r, 1);
	Value *pixels = rw_transpose(rw, r.x, (int[]){ 0, 2, 3, 1 }, 4), *sum = NULL;
	pixels = rw_reshape_to(rw, pixels, 2, (int64_t[]){ -1, r.channels });
	Value *image = rw_reshape_to(rw, dc_cast(rw, op_operand(root, 2), DT_I64), 2, (int64_t[]){ -1, 1 });
	for (int corner = 0; corner < 4; corner++) {
		Value *term = roi_term(&r, pixels, image, &y, &x, corner);
		sum = sum ? rw_op2(rw, r.max ? OP_max : OP_add, sum, term, NULL) : term;
	}
	const int64_t bins[6] = { -1, r.out[0], r.ratio, r.out[1], r.ratio, r.channels }, axes[2] = { 2, 4 };
	Value *v = rw_op1(rw, OP_reduce, rw_reshape_to(rw, sum, 6, bins), (RwAttr[]){ { A_kind, attr_str(rw->ctx, str(rw->ctx, r.max ? "max" : "mean")) },
		{ A_axes, attr_ints(rw->ctx, axes, 2) }, { A_keepdims, attr_int(rw->ctx, 0) }, { A_NONE, NULL } });
	return rw_replace_op(rw, root, rw_transpose(rw, v, (int[]){ 0, 3, 1, 2 }, 4));
}

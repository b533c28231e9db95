/* Transforms, grids, transposed convolutions, pools and loops in simpler ops. */
#include "decompose_int.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MATRIX_MAX = 1 << 22 }; /* elements of a constant matrix */
enum { PARTS_MAX = 64 };       /* copies of an op for its groups or iterations */

static bool static_operand(Rw *rw, const Op *op, size_t i, int64_t *dims)
{
	const Value *v = op_operand(op, i);
	int rank = value_rank(v);
	return (rank >= 0 && rank <= MAX_RANK && type_static_dims(v->type, dims)) || rw_no(rw, "the sizes are not known");
}

/* ---- discrete Fourier transform: products with matrices of cosines and sines ---- */

typedef struct Dft {
	Rw *rw;
	int axis, rank;
	int64_t n, from, to; /* length, elements used, elements of the result */
	double *cos, *sin;   /* [to, from] */
} Dft;

static bool dft_read(Rw *rw, Op *root, Dft *t)
{
	int64_t dims[MAX_RANK], axis = -2;
	const Value *length = op_operand(root, 1), *where = op_operand(root, 2);
	bool inverse = op_int(root, A_inverse) != 0, onesided = op_int(root, A_onesided) != 0;
	if (!static_operand(rw, root, 0, dims) || !value_is_float(op_operand(root, 0)))
		return false;
	*t = (Dft){ .rw = rw, .rank = value_rank(op_operand(root, 0)) };
	if ((where && !constant_int(where, &axis)) || !axis_norm(axis, t->rank, &t->axis) || t->axis == t->rank - 1)
		return rw_no(rw, "the axis is not constant");
	t->n = dims[t->axis];
	if ((length && !constant_int(length, &t->n)) || t->n < 1)
		return rw_no(rw, "the length is not constant");
	if (inverse && onesided)
		return rw_no(rw, "it completes half a spectrum");
	t->from = dims[t->axis] < t->n ? dims[t->axis] : t->n;
	t->to = onesided ? t->n / 2 + 1 : t->n;
	if (t->from < 1 || t->to > MATRIX_MAX / t->from)
		return rw_no(rw, "its matrix would be too large");
	t->cos = NEW_ARRAY(rw->scratch, double, t->from * t->to);
	t->sin = NEW_ARRAY(rw->scratch, double, t->from * t->to);
	for (int64_t k = 0; k < t->to; k++)
		for (int64_t i = 0; i < t->from; i++) {
			double angle = 2 * PI * (double)(k * i % t->n) / (double)t->n, scale = inverse ? 1 / (double)t->n : 1;
			t->cos[k * t->from + i] = cos(angle) * scale;
			t->sin[k * t->from + i] = (inverse ? -sin(angle) : sin(angle)) * scale;
		}
	return true;
}

/* (re + i im) (cos - i sin), summed. */
bool dc_dft(Rw *rw, Op *root)
{
	Dft t;
	if (!dft_read(rw, root, &t))
		return false;
	Value *x = op_operand(root, 0);
	int last = t.rank - 1;
	int64_t parts = value_dim(x, last);
	if (parts != 1 && parts != 2)
		return rw_no(rw, "neither real nor complex");
	if (t.from < value_dim(x, t.axis))
		x = dc_slice(rw, x, t.axis, 0, t.from);
	Value *re = parts == 2 ? dc_slice(rw, x, last, 0, 1) : x, *im = parts == 2 ? dc_slice(rw, x, last, 1, 2) : NULL;
	Value *y[2] = { dc_matrix(rw, re, t.axis, t.cos, t.to),
		rw_op1(rw, OP_neg, dc_matrix(rw, re, t.axis, t.sin, t.to), NULL) };
	if (im) {
		y[0] = rw_op2(rw, OP_add, y[0], dc_matrix(rw, im, t.axis, t.sin, t.to), NULL);
		y[1] = rw_op2(rw, OP_add, y[1], dc_matrix(rw, im, t.axis, t.cos, t.to), NULL);
	}
	return rw_replace_op(rw, root, dc_concat(rw, y, 2, last));
}

/* ---- affine grid: the points as a constant matrix ---- */

static double grid_position(int64_t i, int64_t n, bool align)
{
	if (align)
		return n > 1 ? -1 + 2 * (double)i / (double)(n - 1) : 0;
	return (double)(2 * i + 1) / (double)n - 1;
}

bool dc_affine_grid(Rw *rw, Op *root)
{
	Value *theta = op_operand(root, 0);
	int64_t out[MAX_RANK], points = 1, at[3] = { 0 };
	bool align = op_int(root, A_align_corners) != 0;
	int rank = value_rank(root->results[0]) - 2;
	if (rank < 2 || rank > 3 || value_rank(theta) != 3 || !type_static_dims(root->results[0]->type, out) ||
		!value_is_float(theta))
		return rw_no(rw, "the sizes are not known");
	for (int d = 0; d < rank; d++)
		points *= out[d + 1];
	if (points > MATRIX_MAX)
		return rw_no(rw, "its matrix would be too large");
	double *m = NEW_ARRAY(rw->scratch, double, points * (rank + 1) + 1);
	for (int64_t i = 0; i < points; i++) {
		for (int d = 0; d < rank; d++) /* the last dim's position first */
			m[i * (rank + 1) + d] = grid_position(at[rank - 1 - d], out[rank - d], align);
		m[i * (rank + 1) + rank] = 1;
		for (int d = rank; d-- > 0 && ++at[d] == out[d + 1];)
			at[d] = 0;
	}
	const int perm[3] = { 0, 2, 1 };
	Value *base = dc_floats(rw, value_dtype(theta), 2, (int64_t[]){ points, rank + 1 }, m);
	Value *y = rw_op2(rw, OP_matmul, base, rw_transpose(rw, theta, perm, 3), NULL);
	return rw_replace_op(rw, root, rw_reshape_to(rw, y, rank + 2, out));
}

/* ---- convolutions ---- */

/* The root's attributes with one of them set. */
static RwAttr *attrs_with(Rw *rw, const Op *op, AttrName name, const Attr *value)
{
	RwAttr *list = NEW_ARRAY(rw->scratch, RwAttr, op->nattrs + 2u);
	size_t n = 0;
	for (size_t i = 0; i < op->nattrs; i++)
		if (op->attrs[i].name->known != name)
			list[n++] = (RwAttr){ (AttrName)op->attrs[i].name->known, op->attrs[i].value };
	list[n] = (RwAttr){ name, value };
	list[n + 1] = (RwAttr){ A_NONE, NULL };
	return list;
}

/* One for each group, side by side. */
bool dc_conv_transpose(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *w = op_operand(root, 1), *bias = op_operand(root, 2), *part[PARTS_MAX];
	int64_t groups = op_int(root, A_groups), in = value_dim(x, 1), out = value_dim(w, 1);
	if (groups < 2 || groups > PARTS_MAX)
		return rw_no(rw, groups < 2 ? "it has one group" : "it has very many groups");
	if (in < 1 || out < 1 || in % groups)
		return rw_no(rw, "the number of channels is not known");
	int64_t step = in / groups;
	RwAttr *attrs = attrs_with(rw, root, A_groups, NULL);
	for (int64_t g = 0; g < groups; g++) {
		Value *v[3] = { dc_slice(rw, x, 1, g * step, (g + 1) * step), dc_slice(rw, w, 0, g * step, (g + 1) * step),
			bias ? dc_slice(rw, bias, 0, g * out, (g + 1) * out) : NULL };
		part[g] = rw_op(rw, OP_conv_transpose, v, bias ? 3 : 2, attrs);
	}
	return rw_replace_op(rw, root, dc_concat(rw, part, (size_t)groups, 1));
}

/* Sizes of an image that a transposed convolution gives from blocks, and what is missing of them. */
static bool col2im_missing(const Op *op, int n, const int64_t *image, const int64_t *block, int64_t *positions,
	int64_t *missing)
{
	for (int d = 0; d < n; d++) {
		int64_t stride = list_at(op, A_strides, (size_t)d, 1), dilation = list_at(op, A_dilations, (size_t)d, 1);
		int64_t pads = list_at(op, A_pads, (size_t)d, 0) + list_at(op, A_pads, (size_t)(d + n), 0);
		int64_t reach = (block[d] - 1) * dilation + 1, room = image[d] + pads - reach;
		if (room < 0 || stride < 1)
			return false;
		positions[d] = room / stride + 1;
		missing[d] = room % stride;
	}
	return true;
}

/* A transposed convolution whose kernel puts entry k of a block at place k. */
bool dc_col2im(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0);
	size_t n, nb;
	int64_t dims[MAX_RANK], positions[MAX_RANK], missing[MAX_RANK], area = 1, out[MAX_RANK];
	const int64_t *image = rw_const_ints(rw, op_operand(root, 1), &n), *block = rw_const_ints(rw, op_operand(root, 2), &nb);
	if (!image || !block || n != nb || n < 1 || n > 3 || !static_operand(rw, root, 0, dims) || value_rank(x) != 3 ||
		!value_is_float(x))
		return rw_no(rw, "sizes of image or block are not constant");
	for (size_t d = 0; d < n; d++)
		area *= block[d];
	if (area < 1 || area > 1024 || dims[1] % area || !col2im_missing(root, (int)n, image, block, positions, missing))
		return rw_no(rw, "the blocks do not fit");
	int64_t in[MAX_RANK] = { dims[0] * (dims[1] / area), area }, kernel[MAX_RANK] = { area, 1 };
	out[0] = dims[0];
	out[1] = dims[1] / area;
	for (size_t d = 0; d < n; d++) {
		in[d + 2] = positions[d];
		kernel[d + 2] = block[d];
		out[d + 2] = image[d];
	}
	double *w = NEW_ARRAY(rw->scratch, double, area * area);
	for (int64_t k = 0; k < area; k++)
		w[k * area + k] = 1;
	Value *v[2] = { rw_reshape_to(rw, x, (int)n + 2, in), dc_floats(rw, value_dtype(x), (int)n + 2, kernel, w) };
	Value *y = rw_op(rw, OP_conv_transpose, v, 2, attrs_with(rw, root, A_output_padding, attr_ints(rw->ctx, missing, n)));
	return rw_replace_op(rw, root, rw_reshape_to(rw, y, (int)n + 2, out));
}

/* (sum of |x|^p)^(1/p): the sum is a convolution of each channel with ones. */
bool dc_lp_pool(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0);
	const int64_t *kernel;
	size_t n = op_attr_ints(root, A_kernel, &kernel);
	int64_t dims[MAX_RANK], out[MAX_RANK], p = op_int(root, A_p), shape[MAX_RANK] = { 1, 1 };
	if (!static_operand(rw, root, 0, dims) || !type_static_dims(root->results[0]->type, out) || !value_is_float(x))
		return false;
	if (op_int(root, A_ceil_mode) || op_attr(root, A_auto_pad) || p < 1 || n + 2 != (size_t)value_rank(x) || n > 3)
		return rw_no(rw, "its windows may end outside");
	memcpy(shape + 2, kernel, n * sizeof *kernel);
	Value *power = p == 1 ? rw_op1(rw, OP_abs, x, NULL) : p == 2 ? rw_op2(rw, OP_mul, x, x, NULL) :
		dc_number(rw, OP_pow, rw_op1(rw, OP_abs, x, NULL), (double)p);
	int64_t one_channel[MAX_RANK] = { dims[0] * dims[1], 1 };
	memcpy(one_channel + 2, dims + 2, n * sizeof *dims);
	RwAttr attrs[] = { { A_strides, op_attr(root, A_strides) }, { A_pads, op_attr(root, A_pads) },
		{ A_dilations, op_attr(root, A_dilations) }, { A_NONE, NULL } };
	Value *sum = rw_op2(rw, OP_conv, rw_reshape_to(rw, power, (int)n + 2, one_channel),
		rw_splat(rw, value_dtype(x), (int)n + 2, shape, 1), attrs);
	sum = rw_reshape_to(rw, sum, (int)n + 2, out);
	if (p == 2)
		sum = rw_op1(rw, OP_sqrt, sum, NULL);
	else if (p > 2)
		sum = dc_number(rw, OP_pow, sum, 1 / (double)p);
	return rw_replace_op(rw, root, p == 1 ? rw_op1(rw, OP_identity, sum, NULL) : sum);
}

/* Padding that differs from side to side, by an op of its own. */
bool dc_max_pool(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0);
	DType d = value_dtype(x);
	int rank = value_rank(x), n = rank - 2;
	int64_t pads[2 * MAX_RANK] = { 0 };
	bool uneven = false;
	if (rank < 3 || rank > MAX_RANK || !op_attr(root, A_pads) || (!dtype_is_float(d) && !dtype_is_integer(d)))
		return rw_no(rw, "it has no pads");
	if (op_int(root, A_ceil_mode) || (root->nresults > 1 && value_has_uses(root->results[1])))
		return rw_no(rw, "its windows may end outside, or its places are used");
	for (int i = 0; i < n; i++) {
		pads[i + 2] = list_at(root, A_pads, (size_t)i, 0);
		pads[rank + i + 2] = list_at(root, A_pads, (size_t)(i + n), 0);
		uneven |= pads[i + 2] != pads[rank + i + 2];
	}
	if (!uneven)
		return rw_no(rw, "both sides have the same pads");
	Value *least = rw_splat(rw, d, 0, NULL, dtype_is_float(d) ? -INFINITY : (double)dtype_int_min(d));
	Value *padded = rw_op3(rw, OP_pad, x, rw_ints(rw, pads, 2 * (size_t)rank), least, NULL);
	return rw_replace(rw, root->results[0], rw_op1(rw, OP_max_pool, padded, attrs_with(rw, root, A_pads, NULL)));
}

/* The places of the updates in full: for each of them its own coordinates, but along the axis what the index says. */
bool dc_scatter_elements(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *index = op_operand(root, 1);
	int64_t dims[MAX_RANK], one[MAX_RANK];
	int rank = value_rank(index), axis;
	Value *part[MAX_RANK];
	if (op_attr_is(root, A_reduction, "none") || !op_attr(root, A_reduction))
		return rw_no(rw, "nothing is combined");
	if (!static_operand(rw, root, 1, dims) || rank < 1 || rank >= MAX_RANK || !axis_norm(op_int(root, A_axis), rank, &axis) ||
		value_count(index) < 1)
		return rw_no(rw, "the sizes are not known");
	for (int i = 0; i < rank; i++)
		one[i] = dims[i];
	one[rank] = 1;
	for (int d = 0; d < rank; d++) {
		int64_t shape[MAX_RANK], *v = NEW_ARRAY(rw->scratch, int64_t, dims[d] + 1);
		for (int i = 0; i <= rank; i++)
			shape[i] = i == d ? dims[d] : 1;
		for (int64_t i = 0; i < dims[d]; i++)
			v[i] = i;
		if (d == axis) {
			part[d] = rw_reshape_to(rw, dc_cast(rw, index, DT_I64), rank + 1, one);
			continue;
		}
		Value *c = constant_from_ints(rw->root->block, rw->root, DT_I64, rank + 1, shape, v);
		shape_update(rw->infer, c->def, false);
		c->def->made = true;
		part[d] = rw_op2(rw, OP_expand, c, rw_ints(rw, one, (size_t)rank + 1), NULL);
	}
	Value *place = dc_concat(rw, part, (size_t)rank, rank);
	return rw_replace_op(rw, root, rw_op3(rw, OP_scatter_nd, x, place, op_operand(root, 2),
		(RwAttr[]){ { A_reduction, op_attr(root, A_reduction) }, { A_NONE, NULL } }));
}

/* Elements scattered into zeros of the shape that the pool was taken of, which output_shape may extend. */
bool dc_max_unpool(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *index = op_operand(root, 1);
	const int64_t *kernel;
	size_t n = op_attr_ints(root, A_kernel, &kernel);
	int64_t dims[MAX_RANK], inner[MAX_RANK], out[MAX_RANK], pads[2 * MAX_RANK] = { 0 }, count, total = 1;
	int rank = value_rank(x);
	if (!static_operand(rw, root, 0, dims) || !type_static_dims(root->results[0]->type, out) || n + 2 != (size_t)rank)
		return false;
	bool larger = false;
	count = value_count(x);
	for (int d = 0; d < rank; d++) {
		inner[d] = d < 2 ? dims[d] : (dims[d] - 1) * list_at(root, A_strides, (size_t)d - 2, 1) + kernel[d - 2] -
			list_at(root, A_pads, (size_t)d - 2, 0) - list_at(root, A_pads, (size_t)d - 2 + n, 0);
		if (inner[d] < 0 || out[d] < inner[d])
			return rw_no(rw, "the result is smaller than what was pooled");
		total *= inner[d];
		pads[rank + d] = out[d] - inner[d];
		larger |= out[d] > inner[d];
	}
	Value *v[3] = { rw_splat(rw, value_dtype(x), 1, &total, 0), rw_reshape_to(rw, index, 1, &count),
		rw_reshape_to(rw, x, 1, &count) };
	Value *y = rw_op(rw, OP_scatter_elements, v, 3, NULL);
	y = rw_reshape_to(rw, y, rank, inner);
	if (larger)
		y = rw_op2(rw, OP_pad, y, rw_ints(rw, pads, 2 * (size_t)rank), NULL);
	return rw_replace_op(rw, root, y);
}

/* ---- backwards ---- */

/* Elements in falling order by a constant list of places, axis by axis. */
static Value *taken_back(Rw *rw, Value *x, int axis, int64_t start, int64_t step, int64_t n)
{
	int64_t *index = NEW_ARRAY(rw->scratch, int64_t, n + 1);
	for (int64_t i = 0; i < n; i++)
		index[i] = start + i * step;
	return dc_take(rw, x, index, n, axis);
}

bool dc_reverse(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0);
	const int64_t *axes;
	size_t n = op_attr_ints(root, A_axes, &axes);
	int64_t dims[MAX_RANK];
	int axis;
	if (!static_operand(rw, root, 0, dims))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!axis_norm(axes[i], value_rank(x), &axis) || dims[axis] < 1)
			return rw_no(rw, "it has no elements");
		x = taken_back(rw, x, axis, dims[axis] - 1, -1, dims[axis]);
	}
	return n ? rw_replace_op(rw, root, x) : rw_no(rw, "no axis");
}

/* Backwards axes of a slice; the others stay with it. */
bool dc_slice_back(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *y = x;
	size_t n, ne, ns, na;
	const int64_t *axes, *start = rw_const_ints(rw, op_operand(root, 1), &n), *end = rw_const_ints(rw, op_operand(root, 2), &ne);
	const int64_t *step = op_operand(root, 3) ? rw_const_ints(rw, op_operand(root, 3), &ns) : NULL;
	int64_t dims[MAX_RANK], out[MAX_RANK];
	na = op_attr_ints(root, A_axes, &axes);
	if (!start || !end || !step || n != ne || n != ns || (op_attr(root, A_axes) && na != n) || n > MAX_RANK)
		return rw_no(rw, "its bounds are not constant");
	if (!static_operand(rw, root, 0, dims) || !type_static_dims(root->results[0]->type, out) || value_count(root->results[0]) < 1)
		return rw_no(rw, "the sizes are not known");
	bool back = false;
	for (size_t i = 0; i < n; i++) {
		int axis;
		if (!axis_norm(op_attr(root, A_axes) ? axes[i] : (int64_t)i, value_rank(x), &axis))
			return false;
		back |= step[i] < 0;
		int64_t size = dims[axis], from = start[i] < 0 ? start[i] + size : start[i], last = step[i] < 0 ? size - 1 : size;
		from = from < 0 ? 0 : from > last ? last : from;
		if (step[i] < 0)
			y = taken_back(rw, y, axis, from, step[i], out[axis]);
		else if (out[axis] != size || step[i] != 1)
			y = step[i] == 1 ? dc_slice(rw, y, axis, from, from + out[axis]) :
				taken_back(rw, y, axis, from, step[i], out[axis]);
	}
	return back ? rw_replace_op(rw, root, y) : rw_no(rw, "it goes forwards");
}

/* ---- padding ---- */

/* Where element p of an axis of n, inside or outside, comes from. */
static int64_t mirrored(const char *mode, int64_t p, int64_t n)
{
	if (!strcmp(mode, "edge"))
		return p < 0 ? 0 : p >= n ? n - 1 : p;
	int64_t period = !strcmp(mode, "wrap") ? n : 2 * (n - 1), rest = ((p % period) + period) % period;
	return rest < n ? rest : period - rest;
}

/* Padding with elements of the tensor itself takes them by constant lists of places, axis by axis. */
bool dc_pad(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *y = x;
	const char *mode = op_text(root, A_mode);
	size_t n, na;
	const int64_t *axes, *pads = rw_const_ints(rw, op_operand(root, 1), &n);
	int64_t dims[MAX_RANK];
	int rank = value_rank(x);
	bool listed = op_attr(root, A_axes) != NULL;
	na = op_attr_ints(root, A_axes, &axes);
	if (strcmp(mode, "reflect") && strcmp(mode, "edge") && strcmp(mode, "wrap"))
		return rw_no(rw, "it pads with a constant");
	if (!pads || !static_operand(rw, root, 0, dims) || n != 2 * (listed ? na : (size_t)rank) || n == 0)
		return rw_no(rw, "the pads are not constant");
	for (size_t i = 0; i < n / 2; i++) {
		int axis;
		if (!pads[i] && !pads[i + n / 2])
			continue;
		if (!axis_norm(listed ? axes[i] : (int64_t)i, rank, &axis) || dims[axis] < (strcmp(mode, "reflect") ? 1 : 2) ||
			dims[axis] + pads[i] + pads[i + n / 2] < 0)
			return rw_no(rw, "an axis is too short");
		int64_t out = dims[axis] + pads[i] + pads[i + n / 2], *index = NEW_ARRAY(rw->scratch, int64_t, out + 1);
		for (int64_t k = 0; k < out; k++)
			index[k] = mirrored(mode, k - pads[i], dims[axis]);
		y = dc_take(rw, y, index, out, axis);
	}
	return y != x ? rw_replace_op(rw, root, y) : rw_no(rw, "it pads nothing");
}

/* What the last window of a convolution does not reach is neither padded nor given to it. */
bool dc_conv(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *w = op_operand(root, 1), *in[3] = { x, w, op_operand(root, 2) };
	int64_t dims[MAX_RANK], out[MAX_RANK], pads[2 * MAX_RANK];
	int64_t axes[MAX_RANK], from[MAX_RANK] = { 0 }, to[MAX_RANK];
	int rank = value_rank(x), n = rank - 2;
	size_t cut = 0;
	bool less = false;
	if (rank < 3 || value_rank(w) != rank || op_attr(root, A_auto_pad) || !static_operand(rw, root, 0, dims) ||
		!type_static_dims(root->results[0]->type, out) || value_count(root->results[0]) < 1)
		return rw_no(rw, "the sizes are not known");
	for (int d = 0; d < n; d++) {
		int64_t reach = (value_dim(w, d + 2) - 1) * list_at(root, A_dilations, (size_t)d, 1) + 1;
		int64_t used = (out[d + 2] - 1) * list_at(root, A_strides, (size_t)d, 1) + reach;
		int64_t begin = list_at(root, A_pads, (size_t)d, 0), end = list_at(root, A_pads, (size_t)(d + n), 0);
		int64_t spare = begin + dims[d + 2] + end - used;
		if (value_dim(w, d + 2) < 1 || begin < 0 || end < 0 || spare < 0)
			return rw_no(rw, "its windows are not known");
		pads[d] = begin;
		pads[d + n] = end > spare ? end - spare : 0;
		less |= spare > 0;
		spare -= end < spare ? end : spare;
		if (spare >= dims[d + 2])
			return rw_no(rw, "it sees padding alone");
		if (spare > 0) {
			axes[cut] = d + 2;
			to[cut++] = dims[d + 2] - spare;
		}
	}
	if (!less)
		return rw_no(rw, "its windows reach the end");
	if (cut)
		in[0] = rw_op3(rw, OP_slice, x, rw_ints(rw, from, cut), rw_ints(rw, to, cut),
			(RwAttr[]){ { A_axes, attr_ints(rw->ctx, axes, cut) }, { A_NONE, NULL } });
	const Attr *trimmed = attr_ints(rw->ctx, pads, 2 * (size_t)n);
	return rw_replace_op(rw, root, rw_op(rw, OP_conv, in, in[2] ? 3 : 2, attrs_with(rw, root, A_pads, trimmed)));
}

/* ---- loops ---- */

enum { LOOP_MAX = 16, LOOP_OPS_MAX = 512 }; /* iterations, and ops that unrolling may give */

/* The loop goes on whatever happens in it. */
static bool goes_on(const Op *op, const Block *body)
{
	const Value *cond = op_operand(body->last, 0);
	int64_t v;
	while (cond && op_is(cond->def, OP_identity))
		cond = op_operand(cond->def, 0);
	bool enters = !op_operand(op, 1) || (constant_int(op_operand(op, 1), &v) && v);
	return enters && cond && (cond == body->args[1] || (value_is_constant(cond) && constant_int(cond, &v) && v));
}

static Value *mapped(const Map *map, Value *v)
{
	Value *to = map_get(map, MAP_PTR(v));
	return to ? to : v;
}

/* One iteration before the root: `state` is replaced by the new one, scans get what it yields for them. */
static void unroll_once(Rw *rw, Op *root, int64_t i, Value **state, size_t nstate, Value **scans)
{
	Block *body = root->blocks[0];
	Op *before = root->prev;
	Map map;
	const int64_t yes = 1;
	map_init(&map, rw->scratch);
	Value *count = constant_from_ints(root->block, root, DT_I64, value_rank(body->args[0]) == 1, &yes, &i);
	Value *cond = constant_from_ints(root->block, root, DT_BOOL, value_rank(body->args[1]) == 1, &yes, &yes);
	map_put(&map, MAP_PTR(body->args[0]), count);
	map_put(&map, MAP_PTR(body->args[1]), cond);
	for (size_t k = 0; k < nstate; k++)
		map_put(&map, MAP_PTR(body->args[k + 2]), state[k]);
	block_clone_into(body, root->block, root, &map, false);
	for (Op *op = before ? before->next : root->block->first; op != root; op = op->next) {
		op->made = true;
		shape_update(rw->infer, op, false);
	}
	for (size_t k = 0; k < nstate; k++)
		state[k] = mapped(&map, op_operand(body->last, k + 1));
	for (size_t k = nstate; k < root->nresults; k++)
		scans[k - nstate] = mapped(&map, op_operand(body->last, k + 1));
}

bool dc_loop(Rw *rw, Op *root)
{
	Block *body = root->nblocks == 1 ? root->blocks[0] : NULL;
	size_t nstate = root->noperands > 2 ? root->noperands - 2u : 0, nscan, nops = 0;
	int64_t trips;
	if (!body || !op_operand(root, 0) || !constant_int(op_operand(root, 0), &trips) || trips < 1 || trips > LOOP_MAX)
		return rw_no(rw, "the number of iterations is not a small constant");
	if (root->nresults < nstate || body->nargs != nstate + 2 || body->last->noperands != root->nresults + 1u ||
		!goes_on(root, body))
		return rw_no(rw, "it may stop earlier");
	FOR_EACH_OP(op, body)
		nops++;
	if (nops * (size_t)trips > LOOP_OPS_MAX)
		return rw_no(rw, "its body is large");
	size_t used = 0;
	for (size_t k = 0; k < root->nresults; k++)
		used += value_num_uses(root->results[k]);
	if (!used)
		return rw_no(rw, "nothing uses it");
	nscan = root->nresults - nstate;
	Value **state = NEW_ARRAY(rw->scratch, Value *, nstate + 1), **rows = NEW_ARRAY(rw->scratch, Value *, nscan + 1);
	Value **scans = NEW_ARRAY(rw->scratch, Value *, nscan * (size_t)trips + 1);
	const int64_t front = 0;
	for (size_t k = 0; k < nstate; k++)
		state[k] = op_operand(root, k + 2);
	for (int64_t i = 0; i < trips; i++) {
		unroll_once(rw, root, i, state, nstate, rows);
		for (size_t k = 0; k < nscan; k++)
			scans[k * (size_t)trips + (size_t)i] = rw_op1(rw, OP_unsqueeze, rows[k],
				(RwAttr[]){ { A_axes, attr_ints(rw->ctx, &front, 1) }, { A_NONE, NULL } });
	}
	for (size_t k = 0; k < root->nresults; k++) {
		if (!value_has_uses(root->results[k]))
			continue;
		Value *v = k < nstate ? state[k] : dc_concat(rw, scans + (k - nstate) * (size_t)trips, (size_t)trips, 0);
		if (value_is_output(root->results[k]) && (!v->def || k < nstate))
			v = rw_op1(rw, OP_identity, v, NULL);
		rw_replace(rw, root->results[k], v);
	}
	return true;
}

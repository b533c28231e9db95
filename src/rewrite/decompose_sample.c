/* Resize and grid_sample as gathers, products and sums. */
#include "decompose_int.h"

#include <math.h>
#include <string.h>

/* ---- resize: one axis after the other, as the evaluator does it ---- */

enum { FEW_TAPS = 4 };           /* up to so many inputs an output: gathers; more: a matrix */
enum { MATRIX_MAX = 1 << 22 };   /* elements of a matrix */

/* 1 where an output of the axis lies inside the region, as a condition along the axis. */
static Value *inside_mask(Rw *rw, const ResizeAxis *x, int rank, int axis)
{
	int64_t *v = NEW_ARRAY(rw->scratch, int64_t, x->out + 1), dims[MAX_RANK];
	for (int64_t o = 0; o < x->out; o++)
		v[o] = x->count[o] >= 0;
	for (int i = 0; i < rank; i++)
		dims[i] = i == axis ? x->out : 1;
	Value *c = constant_from_ints(rw->root->block, rw->root, DT_BOOL, rank, dims, v);
	shape_update(rw->infer, c->def, false);
	c->def->made = true;
	return c;
}

/* Tap k of every output; outputs with fewer taps take any input with weight 0. */
static Value *resize_tap(Rw *rw, Value *x, const ResizeAxis *r, int axis, int64_t k, bool weighted)
{
	int64_t *index = NEW_ARRAY(rw->scratch, int64_t, r->out + 1);
	double *weight = NEW_ARRAY(rw->scratch, double, r->out + 1);
	for (int64_t o = 0; o < r->out; o++) {
		bool has = k < r->count[o];
		index[o] = has ? r->index[o * r->max + k] : r->count[o] > 0 ? r->index[o * r->max] : 0;
		weight[o] = has ? r->weight[o * r->max + k] : 0;
	}
	Value *y = dc_take(rw, x, index, r->out, axis);
	return weighted ? rw_op2(rw, OP_mul, y, dc_along(rw, value_dtype(x), value_rank(x), axis, weight, r->out), NULL) : y;
}

static Value *resize_matrix(Rw *rw, Value *x, const ResizeAxis *r, int axis)
{
	double *m = NEW_ARRAY(rw->scratch, double, r->in * r->out + 1);
	for (int64_t o = 0; o < r->out; o++)
		for (int64_t k = 0; k < r->count[o]; k++)
			m[o * r->in + r->index[o * r->max + k]] += r->weight[o * r->max + k];
	return dc_matrix(rw, x, axis, m, r->out);
}

static Value *resize_along(Rw *rw, Value *x, const ResizeAxis *r, int axis, bool nearest, double outside)
{
	int64_t most = 1;
	bool all_inside = true;
	for (int64_t o = 0; o < r->out; o++) {
		most = r->count[o] > most ? r->count[o] : most;
		all_inside &= r->count[o] >= 0;
	}
	Value *y;
	if (nearest) {
		y = resize_tap(rw, x, r, axis, 0, false);
	} else if (most > FEW_TAPS && r->in <= MATRIX_MAX / r->out) {
		y = resize_matrix(rw, x, r, axis);
	} else {
		y = resize_tap(rw, x, r, axis, 0, true);
		for (int64_t k = 1; k < most; k++)
			y = rw_op2(rw, OP_add, y, resize_tap(rw, x, r, axis, k, true), NULL);
	}
	if (all_inside)
		return y;
	Value *other = rw_splat(rw, value_dtype(y), 0, NULL, outside);
	return rw_op3(rw, OP_select, inside_mask(rw, r, value_rank(y), axis), y, other, NULL);
}

/* The plans of all axes; false when an operand that they depend on is not constant. */
static bool resize_plans(Rw *rw, const Op *root, const int64_t *dims, int rank, ResizeAxis *axes)
{
	Tensor x = { .kind = TYPE_TENSOR, .dtype = value_dtype(op_operand(root, 0)), .rank = rank }, *in[4] = { &x };
	EvalCtx e;
	Diags quiet;
	bool ok = true;
	diags_init(&quiet, rw->scratch);
	eval_init(&e, rw->ctx, &quiet);
	memcpy(x.dims, dims, (size_t)rank * sizeof *dims);
	for (size_t i = 1; i < root->noperands && i < ARRAY_LEN(in); i++) {
		Value *v = op_operand(root, i);
		bool used = i > 1 || op_attr_is(root, A_coordinate_transformation_mode, "tf_crop_and_resize");
		if (!v || !used)
			continue;
		in[i] = value_is_constant(v) ? eval_constant_value(&e, v) : NULL;
		ok = ok && in[i];
	}
	for (int d = 0; ok && d < rank; d++)
		ok = resize_axis(&e, root, in, d, rw->scratch, &axes[d]);
	eval_release(&e);
	return ok || rw_no(rw, "scales, sizes or region are not constant");
}

bool dc_resize(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0);
	int rank = value_rank(x);
	int64_t dims[MAX_RANK];
	ResizeAxis axes[MAX_RANK];
	bool nearest = !strcmp(op_text(root, A_mode), "nearest");
	if (rank < 1 || rank > MAX_RANK || !type_static_dims(x->type, dims))
		return rw_no(rw, "the sizes are not known");
	if (!nearest && !value_is_float(x))
		return rw_no(rw, "it rounds to integers");
	for (int d = 0; d < rank; d++)
		if (dims[d] == 0)
			return rw_no(rw, "it has no elements");
	if (!resize_plans(rw, root, dims, rank, axes))
		return false;
	for (int d = 0; d < rank; d++)
		if (!axes[d].identity)
			x = resize_along(rw, x, &axes[d], d, nearest, op_float(root, A_extrapolation_value));
	if (x == op_operand(root, 0))
		x = rw_op1(rw, OP_identity, x, NULL);
	return rw_replace_op(rw, root, x);
}

/* ---- grid_sample ---- */

typedef struct Grid {
	Rw *rw;
	int spatial;
	bool align, zeros, border, reflection;
	const char *mode;
	int64_t in[MAX_RANK], channels, batch, points;
} Grid;

typedef struct GridTap {
	Value *index, *weight, *inside; /* [batch, points]; index of floats; weight NULL: 1; inside NULL: always */
} GridTap;

/* x folded into [low, high]: a triangle wave. */
static Value *reflected(Rw *rw, Value *x, double low, double high)
{
	double range = high - low;
	if (!(range > 0))
		return dc_number(rw, OP_add, dc_number(rw, OP_mul, x, 0), low);
	Value *away = rw_op1(rw, OP_abs, dc_number(rw, OP_sub, x, low), NULL);
	Value *turns = rw_op1(rw, OP_floor, dc_number(rw, OP_mul, away, 1 / (2 * range)), NULL);
	Value *t = rw_op2(rw, OP_sub, away, dc_number(rw, OP_mul, turns, 2 * range), NULL);
	Value *back = rw_op2(rw, OP_sub, rw_splat(rw, value_dtype(x), 0, NULL, 2 * range), t, NULL);
	Value *folded = rw_op2(rw, OP_min, t, back, NULL);
	return dc_number(rw, OP_add, folded, low);
}

static Value *limited(Rw *rw, Value *x, double low, double high)
{
	return dc_number(rw, OP_min, dc_number(rw, OP_max, x, low), high);
}

/* The coordinate along dim d in pixels, brought inside as the padding mode says. */
static Value *grid_coordinate(const Grid *g, Value *v, int d)
{
	Rw *rw = g->rw;
	double n = (double)g->in[d], low = g->align ? 0 : -0.5, high = g->align ? n - 1 : n - 0.5;
	Value *x = dc_number(rw, OP_add, v, 1);
	if (g->align)
		x = dc_number(rw, OP_mul, x, (n - 1) / 2);
	else
		x = dc_number(rw, OP_mul, dc_number(rw, OP_sub, dc_number(rw, OP_mul, x, n), 1), 0.5);
	if (!strcmp(g->mode, "nearest"))
		x = rw_op1(rw, OP_round, x, NULL);
	if (g->zeros)
		return x;
	Value *other = g->border ? limited(rw, x, 0, n - 1) : reflected(rw, x, low, high);
	return rw_op3(rw, OP_select, dc_within(rw, x, low, high), x, other, NULL);
}

static GridTap grid_tap(const Grid *g, int d, Value *index, Value *weight)
{
	Rw *rw = g->rw;
	double last = (double)g->in[d] - 1;
	GridTap t = { .weight = weight };
	if (g->zeros)
		t.inside = dc_within(rw, index, 0, last);
	else if (g->reflection) /* at -0.5 and n - 0.5 an index may still lie one beyond */
		index = reflected(rw, index, g->align ? 0 : -0.5, g->align ? last : last + 0.5);
	t.index = limited(rw, index, 0, last);
	return t;
}

/* Keys' kernel with a = -3/4 at distance `far` (1 to 2) or `near` (0 to 1). */
static Value *cubic_far(Rw *rw, Value *t)
{
	Value *w = dc_number(rw, OP_add, dc_number(rw, OP_mul, t, -0.75), 3.75);
	w = dc_number(rw, OP_sub, rw_op2(rw, OP_mul, w, t, NULL), 6);
	return dc_number(rw, OP_add, rw_op2(rw, OP_mul, w, t, NULL), 3);
}

static Value *cubic_near(Rw *rw, Value *t)
{
	Value *w = dc_number(rw, OP_sub, dc_number(rw, OP_mul, t, 1.25), 2.25);
	w = rw_op2(rw, OP_mul, rw_op2(rw, OP_mul, w, t, NULL), t, NULL);
	return dc_number(rw, OP_add, w, 1);
}

static int grid_taps(const Grid *g, int d, Value *v, GridTap *taps)
{
	Rw *rw = g->rw;
	Value *x = grid_coordinate(g, v, d);
	if (!strcmp(g->mode, "nearest")) {
		taps[0] = grid_tap(g, d, x, NULL);
		return 1;
	}
	Value *base = rw_op1(rw, OP_floor, x, NULL), *f = rw_op2(rw, OP_sub, x, base, NULL);
	Value *rest = rw_op2(rw, OP_sub, rw_splat(rw, value_dtype(f), 0, NULL, 1), f, NULL);
	if (!strcmp(g->mode, "linear")) {
		taps[0] = grid_tap(g, d, base, rest);
		taps[1] = grid_tap(g, d, dc_number(rw, OP_add, base, 1), f);
		return 2;
	}
	Value *w[4] = { cubic_far(rw, dc_number(rw, OP_add, f, 1)), cubic_near(rw, f), cubic_near(rw, rest),
		cubic_far(rw, dc_number(rw, OP_add, rest, 1)) };
	for (int i = 0; i < 4; i++)
		taps[i] = grid_tap(g, d, dc_number(rw, OP_add, base, i - 1), w[i]);
	return 4;
}

/* One pick of a tap for each dim: its elements [batch, channels, points], weighted. */
static Value *grid_term(const Grid *g, Value *flat, GridTap (*taps)[4], const int *at)
{
	Rw *rw = g->rw;
	Value *place = NULL, *weight = NULL, *inside = NULL;
	int64_t row[3] = { g->batch, 1, g->points }, shape[3] = { 1, g->channels, g->points };
	for (int d = 0; d < g->spatial; d++) {
		const GridTap *t = &taps[d][at[d]];
		Value *i = dc_cast(rw, t->index, DT_I64);
		place = place ? rw_op2(rw, OP_add, dc_number(rw, OP_mul, place, (double)g->in[d]), i, NULL) : i;
		if (t->weight)
			weight = weight ? rw_op2(rw, OP_mul, weight, t->weight, NULL) : t->weight;
		if (t->inside)
			inside = inside ? rw_op2(rw, OP_and, inside, t->inside, NULL) : t->inside;
	}
	place = rw_op2(rw, OP_expand, rw_reshape_to(rw, place, 3, row), rw_ints(rw, shape, 3), NULL);
	Value *y = rw_op2(rw, OP_gather_elements, flat, place,
		(RwAttr[]){ { A_axis, attr_int(rw->ctx, 2) }, { A_NONE, NULL } });
	if (weight)
		y = rw_op2(rw, OP_mul, y, dc_cast(rw, rw_reshape_to(rw, weight, 3, row), value_dtype(y)), NULL);
	if (!inside)
		return y;
	return rw_op3(rw, OP_select, rw_reshape_to(rw, inside, 3, row), y, rw_splat(rw, value_dtype(y), 0, NULL, 0), NULL);
}

/* Sizes of t; the batch may be open, -1 then: reshapes find it from the others. */
static bool dims_of_batch(const Type *t, int64_t *dims)
{
	bool open = t->rank > 0 && !sym_const(t->dims[0], &dims[0]);
	if (open)
		dims[0] = -1;
	for (int d = 1; d < t->rank; d++)
		if (!sym_const(t->dims[d], &dims[d]) || (open && dims[d] == 0))
			return false;
	return true;
}

static bool grid_read(Rw *rw, const Op *root, Grid *g)
{
	const Value *x = op_operand(root, 0), *grid = op_operand(root, 1);
	int64_t xd[MAX_RANK], gd[MAX_RANK];
	const char *pad = op_text(root, A_padding_mode);
	int rank = value_rank(x);
	if (rank < 3 || rank > 5 || value_rank(grid) != rank || !dims_of_batch(x->type, xd) ||
		!dims_of_batch(grid->type, gd) || !value_is_float(x) || !value_is_float(grid))
		return rw_no(rw, "the sizes are not known");
	*g = (Grid){ .rw = rw, .spatial = rank - 2, .align = op_int(root, A_align_corners) != 0, .zeros = !strcmp(pad, "zeros"),
		.border = !strcmp(pad, "border"), .reflection = !strcmp(pad, "reflection"), .mode = op_text(root, A_mode),
		.channels = xd[1], .batch = xd[0] < 0 ? gd[0] : xd[0], .points = 1 };
	for (int d = 0; d < g->spatial; d++) {
		g->in[d] = xd[d + 2];
		g->points *= gd[d + 1];
		if (xd[d + 2] == 0)
			return rw_no(rw, "it has no elements");
	}
	if (!g->zeros && !g->border && !g->reflection)
		return rw_no(rw, "a padding mode that is not known");
	return strcmp(g->mode, "cubic") || g->spatial <= 2 || rw_no(rw, "cubic in three dimensions takes 64 samples");
}

bool dc_grid_sample(Rw *rw, Op *root)
{
	Grid g;
	GridTap taps[MAX_RANK][4];
	int ntaps = 1, at[MAX_RANK] = { 0 };
	int64_t size = 1, row[2], out[MAX_RANK];
	if (!grid_read(rw, root, &g) || !dims_of_batch(root->results[0]->type, out))
		return false;
	row[0] = g.batch;
	row[1] = g.points;
	for (int d = 0; d < g.spatial; d++) { /* the last dim's coordinate comes first */
		int64_t part = g.spatial - 1 - d;
		Value *v = dc_slice(rw, op_operand(root, 1), g.spatial + 1, part, part + 1);
		ntaps = grid_taps(&g, d, rw_reshape_to(rw, v, 2, row), taps[d]);
		size *= g.in[d];
	}
	Value *flat = rw_reshape_to(rw, op_operand(root, 0), 3, (int64_t[]){ g.batch, g.channels, size }), *sum = NULL;
	for (;;) {
		Value *term = grid_term(&g, flat, taps, at);
		sum = sum ? rw_op2(rw, OP_add, sum, term, NULL) : term;
		int d = g.spatial;
		while (d-- > 0 && ++at[d] == ntaps)
			at[d] = 0;
		if (d < 0)
			break;
	}
	return rw_replace_op(rw, root, rw_reshape_to(rw, sum, g.spatial + 2, out));
}

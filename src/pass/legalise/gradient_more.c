#include "gradient_int.h"

/* Derivatives of convolutions, pools, norms, softmax and gathers. Spatial sizes must be numbers. */

typedef struct Window {
	int n;                                  /* spatial axes */
	int64_t x[MAX_RANK], y[MAX_RANK];       /* shapes of operand and result */
	int64_t size[MAX_RANK], stride[MAX_RANK], spread[MAX_RANK], pads[2 * MAX_RANK];
	int64_t extra[MAX_RANK];                /* elements past the padding that windows reach, less when they reach fewer */
} Window;

static Value *typed(Grad *g, Value *v)
{
	if (g->l->facts)
		infer_op(g->l->facts, v->def);
	return v;
}

/* Numbers that do not fit 32 bits count as -1. */
static void fill_ints(const Op *op, AttrName a, size_t n, int64_t fallback, int64_t *out)
{
	const int64_t *v;
	size_t have = op_attr_ints(op, a, &v);
	for (size_t i = 0; i < n; i++)
		out[i] = have != n ? fallback : v[i] > INT32_MAX || v[i] < 0 ? -1 : v[i];
}

static bool read_window(Grad *g, const Op *op, const int64_t *kernel, Window *w)
{
	const Value *x = op_operand(op, 0), *y = op->results[0];
	int rank = lg_rank(x);
	if (rank < 3 || rank > MAX_RANK || lg_rank(y) != rank || !type_static_dims(x->type, w->x) || !type_static_dims(y->type, w->y) ||
			op_attr(op, A_auto_pad))
		return g->why = "a size is not known", false;
	w->n = rank - 2;
	fill_ints(op, A_strides, (size_t)w->n, 1, w->stride);
	fill_ints(op, A_dilations, (size_t)w->n, 1, w->spread);
	fill_ints(op, A_pads, 2 * (size_t)w->n, 0, w->pads);
	for (int i = 0; i < w->n; i++) {
		const int64_t all[] = { kernel[i], w->stride[i], w->spread[i], w->pads[i] + 1, w->pads[w->n + i] + 1 };
		for (size_t k = 0; k < ARRAY_LEN(all); k++)
			if (all[k] < 1 || all[k] > INT32_MAX)
				return g->why = "a size, stride or padding is out of range", false;
		w->size[i] = kernel[i];
		int64_t reach = (w->y[2 + i] - 1) * w->stride[i] + (kernel[i] - 1) * w->spread[i] + 1;
		w->extra[i] = reach - (w->x[2 + i] + w->pads[i] + w->pads[w->n + i]);
	}
	return true;
}

static Value *swapped01(Grad *g, Value *x, int rank)
{
	int64_t perm[MAX_RANK];
	for (int i = 0; i < rank; i++)
		perm[i] = i;
	perm[0] = 1;
	perm[1] = 0;
	return gr_transpose(g, x, perm, rank);
}

/* The transposed convolution that spreads dy over windows of w; groups of weights. */
static Value *spread_over(Grad *g, const Window *w, Value *dy, Value *weights, int64_t groups)
{
	Lg *l = g->l;
	int64_t pads[2 * MAX_RANK], more[MAX_RANK];
	for (int i = 0; i < w->n; i++) {
		pads[i] = w->pads[i];
		pads[w->n + i] = w->pads[w->n + i] + (w->extra[i] > 0 ? w->extra[i] : 0);
		more[i] = w->extra[i] < 0 ? -w->extra[i] : 0;
	}
	return typed(g, lg_new2(l, OP_conv_transpose, dy, weights, (RwAttr[]){ { A_strides, lg_ints_attr(l, w->stride, (size_t)w->n) },
			{ A_dilations, lg_ints_attr(l, w->spread, (size_t)w->n) }, { A_pads, lg_ints_attr(l, pads, 2 * (size_t)w->n) },
			{ A_output_padding, lg_ints_attr(l, more, (size_t)w->n) }, { A_groups, lg_int(l, groups) }, { A_NONE, NULL } }));
}

/* By the weights: a convolution in which batch and channels change places. x [N, G I, ..] becomes [I, G N, ..], dy [N, G O, ..]
 * becomes the weights [G O, N, ..]; steps of one are dilations of the other. */
static Value *by_weights(Grad *g, const Window *w, Value *x, Value *dy, const int64_t *k, int64_t groups)
{
	Lg *l = g->l;
	int64_t batch = w->x[0], in = w->x[1] / groups, shape[MAX_RANK + 1], perm[MAX_RANK + 1], pads[2 * MAX_RANK];
	int rank = w->n + 2;
	shape[0] = batch, shape[1] = groups, shape[2] = in;
	perm[0] = 2, perm[1] = 1, perm[2] = 0;
	for (int i = 0; i < w->n; i++) {
		shape[3 + i] = w->x[2 + i];
		perm[3 + i] = 3 + i;
		pads[i] = w->pads[i];
		pads[w->n + i] = w->pads[w->n + i] + w->extra[i]; /* less where windows leave a rest */
	}
	Value *turned = gr_transpose(g, gr_reshape(g, x, shape, (size_t)rank + 1), perm, rank + 1);
	shape[0] = in, shape[1] = groups * batch;
	for (int i = 0; i < w->n; i++)
		shape[2 + i] = w->x[2 + i];
	turned = gr_reshape(g, turned, shape, (size_t)rank);
	/* Negative padding is a cut. */
	int64_t cut[2 * MAX_RANK] = { 0 };
	bool cuts = false;
	for (int i = 0; i < w->n; i++)
		if (pads[w->n + i] < 0) {
			cut[rank + 2 + i] = pads[w->n + i];
			pads[w->n + i] = 0;
			cuts = true;
		}
	if (cuts)
		turned = gr_2(g, OP_pad, turned, lg_const_ints(l, cut, 2 * (size_t)rank));
	Value *d = typed(g, lg_new2(l, OP_conv, turned, swapped01(g, dy, rank), (RwAttr[]){
			{ A_strides, lg_ints_attr(l, w->spread, (size_t)w->n) }, { A_dilations, lg_ints_attr(l, w->stride, (size_t)w->n) },
			{ A_pads, lg_ints_attr(l, pads, 2 * (size_t)w->n) }, { A_groups, lg_int(l, groups) }, { A_NONE, NULL } }));
	(void)k;
	return swapped01(g, d, rank);
}

bool gr_conv(Grad *g, Op *op, Value *dy)
{
	Value *x = op_operand(op, 0), *k = op_operand(op, 1), *bias = op_operand(op, 2);
	int64_t dims[MAX_RANK], groups = op_int(op, A_groups), axes[MAX_RANK];
	Window w;
	if (lg_rank(k) != lg_rank(x) || lg_rank(k) < 3 || !type_static_dims(k->type, dims) || groups < 1)
		return g->why = "a size is not known", false;
	if (!read_window(g, op, dims + 2, &w))
		return false;
	if (gradient_wants(g, x))
		gradient_add(g, x, spread_over(g, &w, dy, k, groups));
	if (gradient_wants(g, k))
		gradient_add(g, k, by_weights(g, &w, x, dy, dims, groups));
	axes[0] = 0;
	for (int i = 0; i < w.n; i++)
		axes[1 + i] = 2 + i;
	if (gradient_wants(g, bias))
		gradient_add(g, bias, gr_sum(g, dy, axes, (size_t)w.n + 1, false));
	return true;
}

/* ---- pools ---- */

/* How many elements each window averages, [1, 1, ..]. */
static Value *window_counts(Grad *g, const Op *op, const Window *w)
{
	Lg *l = g->l;
	int64_t ones[MAX_RANK] = { 1, 1 }, kernel[MAX_RANK] = { 1, 1 }, pads[2 * MAX_RANK];
	bool padding = op_int(op, A_count_include_pad) != 0;
	for (int i = 0; i < w->n; i++) {
		ones[2 + i] = w->x[2 + i] + (padding ? w->pads[i] + w->pads[w->n + i] : 0);
		kernel[2 + i] = w->size[i];
		pads[i] = padding ? 0 : w->pads[i];
		pads[w->n + i] = (padding ? 0 : w->pads[w->n + i]) + (w->extra[i] > 0 ? w->extra[i] : 0);
	}
	Value *one = gr_c(g, op_operand(op, 0), 1);
	Value *plane = gr_2(g, OP_expand, one, lg_const_ints(l, ones, (size_t)w->n + 2));
	Value *weights = gr_2(g, OP_expand, one, lg_const_ints(l, kernel, (size_t)w->n + 2));
	return typed(g, lg_new2(l, OP_conv, plane, weights, (RwAttr[]){ { A_strides, lg_ints_attr(l, w->stride, (size_t)w->n) },
			{ A_dilations, lg_ints_attr(l, w->spread, (size_t)w->n) }, { A_pads, lg_ints_attr(l, pads, 2 * (size_t)w->n) }, { A_NONE, NULL } }));
}

bool gr_avg_pool(Grad *g, Op *op, Value *dy)
{
	Value *x = op_operand(op, 0);
	const int64_t *kernel;
	int64_t each[MAX_RANK];
	Window w;
	if (op_attr_ints(op, A_kernel, &kernel) != (size_t)(lg_rank(x) - 2) || !read_window(g, op, kernel, &w))
		return false;
	each[0] = w.x[1];
	each[1] = 1;
	for (int i = 0; i < w.n; i++)
		each[2 + i] = kernel[i];
	Value *weights = gr_2(g, OP_expand, gr_c(g, x, 1), lg_const_ints(g->l, each, (size_t)w.n + 2));
	gradient_add(g, x, spread_over(g, &w, gr_div(g, dy, window_counts(g, op, &w)), weights, w.x[1]));
	return true;
}

/* The places of the largest elements, among all of x in order, get what their windows give. */
bool gr_max_pool(Grad *g, Op *op, Value *dy)
{
	Lg *l = g->l;
	Value *x = op_operand(op, 0), *in[1] = { x };
	int64_t count, flat = -1;
	NamedAttr *attrs = NEW_ARRAY(l->a, NamedAttr, op->nattrs + 1u);
	size_t n = 0;
	if (!type_static_numel(x->type, &count))
		return g->why = "a size is not known", false;
	for (size_t i = 0; i < op->nattrs; i++)
		if (op->attrs[i].name->known != A_storage_order)
			attrs[n++] = op->attrs[i];
	OpSpec s = { .def = op->def, .operands = in, .noperands = 1, .nresults = 2, .attrs = attrs, .nattrs = n, .loc = op->loc };
	Op *pool = op_new(l->op->block, l->op, &s);
	pool->made = true;
	typed(g, pool->results[0]);
	Value *zeros = gr_2(g, OP_expand, gr_c(g, x, 0), lg_const_ints(l, &count, 1));
	Value *places = gr_reshape(g, pool->results[1], &flat, 1), *what = gr_reshape(g, dy, &flat, 1);
	Value *d = typed(g, lg_new(l, OP_scatter_elements, (Value *[]){ zeros, places, what }, 3,
			(RwAttr[]){ { A_axis, lg_int(l, 0) }, { A_reduction, lg_text(l, "add") }, { A_NONE, NULL } }));
	gradient_add(g, x, gr_like(g, d, x));
	return true;
}

bool gr_global_avg_pool(Grad *g, Op *op, Value *dy)
{
	Value *x = op_operand(op, 0);
	int64_t dims[MAX_RANK], n = 1;
	if (lg_rank(x) < 3 || lg_rank(x) > MAX_RANK || !type_static_dims(x->type, dims))
		return g->why = "a size is not known", false;
	for (int i = 2; i < lg_rank(x); i++)
		n *= dims[i];
	gradient_add(g, x, gr_add(g, gr_times(g, dy, 1.0 / (double)n), gradient_zeros(g, x)));
	return true;
}

/* ---- norms ---- */

/* v, one a channel, so that it broadcasts over axis 1. */
static Value *per_channel(Grad *g, Value *v, int rank)
{
	int64_t dims[MAX_RANK];
	for (int i = 0; i < rank; i++)
		dims[i] = i == 0 ? -1 : 1;
	return gr_reshape(g, v, dims, (size_t)rank - 1);
}

bool gr_batch_norm(Grad *g, Op *op, Value *dy)
{
	Value *x = op_operand(op, 0), *scale = op_operand(op, 1), *bias = op_operand(op, 2), *mean = op_operand(op, 3), *var = op_operand(op, 4);
	int rank = lg_rank(x);
	int64_t axes[MAX_RANK];
	size_t n = 0;
	if (rank < 2 || rank > MAX_RANK)
		return g->why = "a rank is not known", false;
	if (gradient_wants(g, mean) || gradient_wants(g, var))
		return g->why = "its statistics depend on xs", false;
	for (int i = 0; i < rank; i++)
		if (i != 1)
			axes[n++] = i;
	Value *factor = gr_1(g, OP_rsqrt, gr_plus(g, var, op_float(op, A_epsilon)));
	if (gradient_wants(g, x))
		gradient_add(g, x, gr_mul(g, dy, per_channel(g, gr_mul(g, scale, factor), rank)));
	if (gradient_wants(g, scale)) {
		Value *normal = gr_mul(g, gr_sub(g, x, per_channel(g, mean, rank)), per_channel(g, factor, rank));
		gradient_add(g, scale, gr_sum(g, gr_mul(g, dy, normal), axes, n, false));
	}
	if (gradient_wants(g, bias))
		gradient_add(g, bias, gr_sum(g, dy, axes, n, false));
	return true;
}

static Value *mean_of(Grad *g, Value *x, const int64_t *axes, size_t n, double count)
{
	return gr_times(g, gr_sum(g, x, axes, n, true), 1 / count);
}

bool gr_layer_norm(Grad *g, Op *op, Value *dy)
{
	Value *x = op_operand(op, 0), *scale = op_operand(op, 1), *bias = op_operand(op, 2);
	int rank = lg_rank(x), axis;
	int64_t dims[MAX_RANK], axes[MAX_RANK];
	double count = 1;
	size_t n = 0;
	if (rank < 1 || rank > MAX_RANK || !type_static_dims(x->type, dims) || !axis_norm(op_int(op, A_axis), rank, &axis))
		return g->why = "a size is not known", false;
	for (int i = axis; i < rank; i++) {
		axes[n++] = i;
		count *= (double)dims[i];
	}
	Value *centred = gr_sub(g, x, mean_of(g, x, axes, n, count));
	Value *var = mean_of(g, gr_mul(g, centred, centred), axes, n, count);
	Value *factor = gr_1(g, OP_rsqrt, gr_plus(g, var, op_float(op, A_epsilon))), *normal = gr_mul(g, centred, factor);
	if (gradient_wants(g, x)) {
		Value *d = gr_mul(g, dy, scale), *part = gr_mul(g, normal, mean_of(g, gr_mul(g, d, normal), axes, n, count));
		gradient_add(g, x, gr_mul(g, factor, gr_sub(g, gr_sub(g, d, mean_of(g, d, axes, n, count)), part)));
	}
	const struct { Value *of, *d; } params[] = { { scale, gradient_wants(g, scale) ? gr_mul(g, dy, normal) : NULL }, { bias, dy } };
	for (size_t i = 0; i < ARRAY_LEN(params); i++) {
		if (!gradient_wants(g, params[i].of))
			continue;
		Value *d = gradient_fit(g, params[i].d, x->type, params[i].of);
		if (!d)
			return false;
		gradient_add(g, params[i].of, d);
	}
	return true;
}

bool gr_softmax(Grad *g, Op *op, Value *dy)
{
	int64_t axis = op_int(op, A_axis);
	Value *y = op->results[0], *sum = gr_sum(g, gr_mul(g, dy, y), &axis, 1, true);
	gradient_add(g, op_operand(op, 0), gr_mul(g, y, gr_sub(g, dy, sum)));
	return true;
}

bool gr_log_softmax(Grad *g, Op *op, Value *dy)
{
	int64_t axis = op_int(op, A_axis);
	Value *sum = gr_sum(g, dy, &axis, 1, true);
	gradient_add(g, op_operand(op, 0), gr_sub(g, dy, gr_mul(g, gr_1(g, OP_exp, op->results[0]), sum)));
	return true;
}

/* ---- gathers ---- */

/* Rows that were taken more than once get the sum. The axis comes first for that, and goes back. */
bool gr_gather(Grad *g, Op *op, Value *dy)
{
	Lg *l = g->l;
	Value *x = op_operand(op, 0), *at = op_operand(op, 1), *zeros = gradient_zeros(g, x);
	int rank = lg_rank(x), many = lg_rank(at), axis;
	int64_t perm[MAX_RANK], back[MAX_RANK], last = many;
	if (rank < 1 || many < 0 || rank + many > MAX_RANK || !axis_norm(op_int(op, A_axis), rank, &axis))
		return g->why = "a rank is not known", false;
	if (axis) {
		for (int i = 0; i < rank; i++)
			perm[i] = i == 0 ? axis : i <= axis ? i - 1 : i;
		zeros = gr_transpose(g, zeros, perm, rank);
		for (int i = 0; i < rank + many - 1; i++)
			back[i] = i < many ? axis + i : i < many + axis ? i - many : i;
		dy = gr_transpose(g, dy, back, rank + many - 1);
	}
	Value *in[3] = { zeros, typed(g, lg_unsqueeze(l, at, &last, 1)), dy };
	Value *d = typed(g, lg_new(l, OP_scatter_nd, in, 3, (RwAttr[]){ { A_reduction, lg_text(l, "add") }, { A_NONE, NULL } }));
	if (axis) {
		for (int i = 0; i < rank; i++)
			back[i] = i < axis ? i + 1 : i == axis ? 0 : i;
		d = gr_transpose(g, d, back, rank);
	}
	gradient_add(g, x, d);
	return true;
}

bool gr_gather_elements(Grad *g, Op *op, Value *dy)
{
	Lg *l = g->l;
	Value *x = op_operand(op, 0);
	gradient_add(g, x, typed(g, lg_new(l, OP_scatter_elements, (Value *[]){ gradient_zeros(g, x), op_operand(op, 1), dy }, 3,
			(RwAttr[]){ { A_axis, lg_int(l, op_int(op, A_axis)) }, { A_reduction, lg_text(l, "add") }, { A_NONE, NULL } })));
	return true;
}

/* Convolutions and products of 8-bit integers: as the model says them (conv_integer, quantized_conv, ...), or dequantised operands
 * of a float op, which runs on the integers that they came from. In the second case the sums are exact and are rounded once, so
 * that results are nearer to exact arithmetic than those of the float op; a quantize that follows is part of the kernel. */
#include "plan/plan_int.h"

#include <math.h>
#include <string.h>

/* Operands of a product: integers with their grids. Grids of the result are of EXACT. */
typedef struct Integers {
	const Value *x, *w;      /* 8-bit; w is a constant */
	const Value *x_zero;     /* one that the run computes; NULL: x_at */
	double x_scale;
	int32_t x_at;
	Tensor *w_scale, *w_zero; /* one number or one an output channel; NULL: none, 0 */
	QFinish finish;          /* FLOAT, INT or EXACT */
	float y_scale;
	int32_t y_zero;
	Tensor *exact_bias;      /* i32 */
	const float *bias;       /* of FLOAT */
	double factor;           /* of FLOAT */
} Integers;

static bool is_byte(DType d)
{
	return d == DT_U8 || d == DT_I8;
}

/* One known number; an absent one is 0. */
static bool known_one(Planner *p, const Value *v, double *out)
{
	Tensor *t = v ? pl_known(p, v) : NULL;
	*out = 0;
	if (!v)
		return true;
	if (!t || t->kind != TYPE_TENSOR || t->count != 1)
		return false;
	tensor_load_f64(t, 0, 1, out);
	return isfinite(*out);
}

static bool known_zero(Planner *p, const Value *v, int32_t *out)
{
	double x;
	bool ok = known_one(p, v, &x) && (!v || is_byte(pl_shape(p, v)->dtype));
	*out = ok ? (int32_t)x : 0;
	return ok;
}

static bool known_scale(Planner *p, const Value *v, double *out)
{
	return v && pl_shape(p, v) && pl_shape(p, v)->dtype == DT_F32 && known_one(p, v, out) && *out > 0;
}

/* A constant of 1 or n numbers; f32 scales must be normal numbers. */
static bool constant_list(Planner *p, const Value *v, int64_t n, bool scale, Tensor **out)
{
	*out = v ? pl_known(p, v) : NULL;
	if (!v)
		return !scale;
	const Tensor *t = *out;
	if (!t || t->kind != TYPE_TENSOR || (t->count != 1 && t->count != n) || (scale ? t->store != DT_F32 : !is_byte(t->dtype)))
		return false;
	for (int64_t i = 0; scale && i < t->count; i++)
		if (!(((const float *)t->data)[i] > 0 && isfinite(((const float *)t->data)[i])))
			return false;
	return true;
}

static double number_of(const Tensor *t, int64_t i)
{
	double x = 0;
	if (t)
		tensor_load_f64(t, t->count == 1 ? 0 : i, 1, &x);
	return x;
}

/* v as integers that were dequantised with one scale and zero point. */
static bool dequantized(Planner *p, const Value *v, Integers *n)
{
	const Op *d = v ? v->def : NULL;
	if (!d || !op_is(d, OP_dequantize) || !pl_shape(p, v) || pl_shape(p, v)->dtype != DT_F32)
		return false;
	n->x = op_operand(d, 0);
	return pl_shape(p, n->x) && is_byte(pl_shape(p, n->x)->dtype) && known_scale(p, op_operand(d, 1), &n->x_scale) &&
		known_zero(p, op_operand(d, 2), &n->x_at);
}

/* Constant weights with one grid, or one for each of n channels along `axis`. */
static bool dequantized_weights(Planner *p, const Value *v, int axis, int64_t n, Integers *out)
{
	const Op *d = v && value_is_constant(v) ? v->def : NULL;
	int at;
	if (!d || !op_is(d, OP_dequantize) || !pl_shape(p, v) || pl_shape(p, v)->dtype != DT_F32)
		return false;
	out->w = op_operand(d, 0);
	const Value *scale = op_operand(d, 1), *zero = op_operand(d, 2);
	if (!pl_shape(p, out->w) || !is_byte(pl_shape(p, out->w)->dtype) || !constant_list(p, scale, n, true, &out->w_scale) ||
			!constant_list(p, zero, n, false, &out->w_zero))
		return false;
	if (out->w_scale->count == 1 && (!out->w_zero || out->w_zero->count == 1))
		return true;
	return op_int(d, A_block_size) == 0 && axis_norm(op_int(d, A_axis), pl_shape(p, out->w)->rank, &at) && at == axis;
}

/* Operands of quantized_conv and quantized_matmul. */
static bool quantized_operands(Planner *p, const Op *op, int64_t channels, Integers *n)
{
	double y_scale;
	*n = (Integers){ .x = op_operand(op, 0), .w = op_operand(op, 3), .finish = QFINISH_EXACT };
	const Value *bias = op_operand(op, 8);
	if (!known_scale(p, op_operand(op, 1), &n->x_scale) || !known_zero(p, op_operand(op, 2), &n->x_at) ||
			!constant_list(p, op_operand(op, 4), channels, true, &n->w_scale) ||
			!constant_list(p, op_operand(op, 5), channels, false, &n->w_zero) ||
			!known_scale(p, op_operand(op, 6), &y_scale) || !known_zero(p, op_operand(op, 7), &n->y_zero))
		return false;
	n->y_scale = (float)y_scale;
	n->exact_bias = bias ? pl_known(p, bias) : NULL;
	return !bias || (n->exact_bias && n->exact_bias->dtype == DT_I32 && n->exact_bias->count == channels);
}

/* Operands of conv_integer and matmul_integer. */
static bool integer_operands(Planner *p, const Op *op, int64_t channels, Integers *n)
{
	const Value *zero = op_operand(op, 2);
	*n = (Integers){ .x = op_operand(op, 0), .w = op_operand(op, 1), .finish = QFINISH_INT };
	if (!known_zero(p, zero, &n->x_at)) {
		const Shape *s = pl_shape(p, zero);
		if (!s || s->count != 1 || !pl_shape(p, n->x) || s->dtype != pl_shape(p, n->x)->dtype)
			return false;
		n->x_zero = zero;
	}
	return constant_list(p, op_operand(op, 3), channels, false, &n->w_zero);
}

static bool types_fit(Planner *p, const Op *op, const Integers *n)
{
	const Shape *x = pl_shape(p, n->x), *w = pl_shape(p, n->w), *y = pl_shape(p, op->results[0]);
	Tensor *t = value_is_constant(n->w) && w && is_byte(w->dtype) ? pl_constant(p, n->w) : NULL;
	return x && y && is_byte(x->dtype) && t && t->store == w->dtype && x->count && w->count &&
		(n->finish != QFINISH_EXACT || is_byte(y->dtype)) && (n->finish != QFINISH_INT || y->dtype == DT_I32);
}

/* ---- what the kernel does with the sums ---- */

typedef struct Ending {
	Group *group;            /* finished with the op; NULL: none */
	const Value *result;
	const float *bias;
	float lo, hi;            /* before quantize */
	const Op *quantize;      /* NULL: none */
	bool simple;             /* that is all; else a program does the group from op `begin` on */
	size_t begin;
} Ending;

static bool is_plain_quantize(Planner *p, const Op *op)
{
	double scale;
	int32_t zero;
	return op_is(op, OP_quantize) && is_byte(pl_shape(p, op->results[0])->dtype) && known_scale(p, op_operand(op, 1), &scale) &&
		known_zero(p, op_operand(op, 2), &zero);
}

/* [bias] [bounds] [quantize] */
static Ending ending_of(Planner *p, const Op *op, const Integers *n)
{
	Group *g = p->groups[op->id];
	Ending e = { .result = op->results[0], .lo = -INFINITY, .hi = INFINITY, .simple = true };
	if (!g || g->anchor != op || n->finish == QFINISH_EXACT)
		return e;
	e.group = g;
	e.result = g->root->results[0];
	e.simple = false;
	if (n->finish == QFINISH_INT)
		return e;
	e.bias = n->bias ? NULL : pl_last_dim_bias(p, op, g);
	size_t i = e.begin = e.bias != NULL;
	if (i < g->n && pl_bounds(p, g->ops[i], &e.lo, &e.hi))
		i++;
	if (i < g->n && is_plain_quantize(p, g->ops[i]))
		e.quantize = g->ops[i++];
	e.simple = i == g->n && (e.quantize || pl_shape(p, e.result)->dtype == DT_F32);
	return e;
}

/* Scales and addends of the channels. */
static void fill_scales(Planner *p, const Integers *n, const Ending *e, int64_t channels, QConvParam *q)
{
	if (n->finish == QFINISH_INT)
		return;
	float *scale = NEW_ARRAY(p->arena, float, channels), *add = NEW_ARRAY(p->arena, float, channels);
	double y_scale = 1, y_zero = 0, at[2] = { q->y_signed ? -128 : 0, q->y_signed ? 127 : 255 };
	const float *bias = n->bias ? n->bias : e->bias;
	if (e->simple && e->quantize) {
		known_scale(p, op_operand(e->quantize, 1), &y_scale);
		known_one(p, op_operand(e->quantize, 2), &y_zero);
	}
	q->scale = scale;
	for (int64_t i = 0; i < channels; i++) {
		if (n->finish == QFINISH_EXACT) {
			scale[i] = (float)n->x_scale * (float)number_of(n->w_scale, i) / n->y_scale;
			continue;
		}
		scale[i] = (float)(n->x_scale * number_of(n->w_scale, i) * n->factor / y_scale);
		add[i] = bias ? (float)(bias[i] / y_scale) : 0;
	}
	q->add = bias && n->finish == QFINISH_FLOAT ? add : NULL;
	q->lo = -INFINITY;
	q->hi = INFINITY;
	if (!e->simple || n->finish == QFINISH_EXACT)
		return;
	q->lo = (float)(e->lo / y_scale);
	q->hi = (float)(e->hi / y_scale);
	if (e->quantize) {
		q->y_zero = (int32_t)y_zero;
		q->lo = fminf(fmaxf(q->lo, (float)(at[0] - y_zero)), (float)(at[1] - y_zero));
		q->hi = fmaxf(fminf(q->hi, (float)(at[1] - y_zero)), (float)(at[0] - y_zero));
	}
}

/* Zero points of the weights; whether dot products must look at them. */
static const int32_t *weight_zeros(Planner *p, const Integers *n, int64_t channels, bool *any)
{
	int32_t *zero = NEW_ARRAY(p->arena, int32_t, channels);
	int32_t middle = pl_shape(p, n->w)->dtype == DT_I8 ? 0 : 128;
	*any = false;
	for (int64_t i = 0; i < channels; i++) {
		zero[i] = (int32_t)number_of(n->w_zero, i);
		*any |= zero[i] != middle;
	}
	return zero;
}

/* Everything but sizes: what is summed, how sums are finished, packed weights. False: no kernel. */
static bool prepare(Planner *p, const Integers *n, const Ending *e, QConvParam *q, QConvKind *kind, QWeights *w)
{
	const KernelSet *k = p->prog->kernels;
	int64_t channels = q->c.groups * q->c.oc;
	DType y = pl_shape(p, e->result)->dtype;
	q->dot = k->has_dot();
	q->x_signed = pl_shape(p, n->x)->dtype == DT_I8;
	q->y_signed = y == DT_I8;
	q->x_zero = n->x_at;
	q->finish = n->finish == QFINISH_FLOAT && e->simple && e->quantize ? QFINISH_NARROW : n->finish;
	q->y_zero = n->y_zero;
	w->data = pl_constant(p, n->w)->data;
	w->is_signed = pl_shape(p, n->w)->dtype == DT_I8;
	w->zero = weight_zeros(p, n, channels, &q->w_zeros);
	if (k->qconv_plan[QCONV_DEPTHWISE](q, p->threads))
		*kind = QCONV_DEPTHWISE;
	else if (k->qconv_plan[QCONV_PRODUCT](q, p->threads))
		*kind = QCONV_PRODUCT;
	else
		return false;
	q->bias = n->exact_bias ? n->exact_bias->data : NULL;
	fill_scales(p, n, e, channels, q);
	return true;
}

/* The finished sums as the post program sees them: rows of `pitch`. order: dims of y from the outermost to the innermost one. */
static AnchorView block_view(const Integers *n, const QConvParam *q, const View *y, const int *order)
{
	AnchorView a = { .view = *y, .ptr = 1 };
	int64_t step = q->pitch;
	a.view.dtype = n->finish == QFINISH_INT ? DT_I32 : DT_F32;
	a.view.offset = 0;
	for (int i = y->rank - 1; i >= 0; i--) {
		a.view.stride[order[i]] = i == y->rank - 1 ? 1 : step;
		step *= i == y->rank - 1 ? 1 : y->dims[order[i]];
	}
	return a;
}

static const char *const KIND_NAMES[QCONV_KINDS] = { "int8", "int8-depthwise" };

static void emit(Planner *p, QConvKind kind, QConvParam *q, const Ending *e, const Integers *n, const View *x, const View *y,
	const IntList *posts)
{
	const ConvParam *c = &q->c;
	double out = (double)c->batch * (double)(c->out[0] * c->out[1] * c->out[2]) * (double)(c->groups * c->oc);
	double taps = (double)(c->kernel[0] * c->kernel[1] * c->kernel[2]);
	pl_step(p, KIND_NAMES[kind], p->prog->kernels->qconv[kind], q,
		arena_printf(p->arena, "%lldx%lldx%lldx%lld -> %lldx%lldx%lldx%lld, kernel %lldx%lldx%lld%s%s%s", (long long)c->in[0],
			(long long)c->in[1], (long long)c->in[2], (long long)(c->ic * c->groups), (long long)c->out[0], (long long)c->out[1],
			(long long)c->out[2], (long long)(c->oc * c->groups), (long long)c->kernel[0], (long long)c->kernel[1],
			(long long)c->kernel[2], c->groups > 1 ? ", groups" : "", e->group ? " + " : "",
			e->group ? group_text(p, e->group) : ""));
	pl_ptr(p, y->buffer);
	pl_ptr(p, x->buffer);
	if (n->x_zero)
		pl_ptr(p, pl_view(p, n->x_zero).buffer);
	for (size_t i = 0; i < posts->len; i++)
		pl_ptr(p, posts->data[i]);
	pl_work(p, 2 * out * taps * (double)c->ic, out * (double)dtype_size(y->dtype) +
		(double)c->batch * (double)(c->in[0] * c->in[1] * c->in[2] * c->ic * c->groups) +
		(double)(c->groups * c->oc * c->ic) * taps);
	pl_set(p, e->result, *y);
}

/* The group goes on by itself after the op. */
static void drop_ending(const Op *op, Ending *e)
{
	*e = (Ending){ .result = op->results[0], .lo = -INFINITY, .hi = INFINITY, .simple = true };
}

static bool runtime_zero(Planner *p, const Integers *n, QConvParam *q)
{
	if (!n->x_zero)
		return true;
	q->zero_ptr = 2;
	return pl_view(p, n->x_zero).offset == 0;
}

/* Sets the post program. box: logical dim of each dim of the box; order: dims of y in memory, channels last. */
static bool post_of(Planner *p, const Op *op, const Integers *n, const Ending *e, const View *y, const int *order, const int *box,
	QConvParam *q, IntList *posts)
{
	TileProgram *t = NEW(p->arena, TileProgram);
	AnchorView from = block_view(n, q, y, order);
	q->c.post_ptr = n->x_zero ? 3 : 2;
	if (!group_program(p, e->group, e->begin, op->results[0], &from, y, box, 5, q->c.post_ptr, t, posts))
		return false;
	q->c.post = t;
	return true;
}

/* ---- convolutions ---- */

static bool conv_integers(Planner *p, const Op *op, Integers *n)
{
	const Shape *y = pl_shape(p, op->results[0]);
	int64_t channels = y && y->rank > 1 ? y->dims[1] : 0;
	if (channels < 1)
		return false;
	if (op_is(op, OP_quantized_conv))
		return quantized_operands(p, op, channels, n);
	if (op_is(op, OP_conv_integer))
		return integer_operands(p, op, channels, n);
	*n = (Integers){ .finish = QFINISH_FLOAT, .factor = 1 };
	if (!op_is(op, OP_conv) || !dequantized(p, op_operand(op, 0), n) || !dequantized_weights(p, op_operand(op, 1), 0, channels, n))
		return false;
	Tensor *bias = op_operand(op, 2) ? pl_known(p, op_operand(op, 2)) : NULL;
	n->bias = bias && bias->store == DT_F32 && bias->count == channels ? bias->data : NULL;
	return !op_operand(op, 2) || n->bias;
}

bool plan_integer_conv(Planner *p, const Op *op)
{
	Integers n;
	QConvParam *q = NEW(p->arena, QConvParam);
	QConvKind kind;
	QWeights w = { 0 };
	int order[VIEW_RANK], box[5] = { 0, 0, 0, 0, 1 };
	if (!conv_integers(p, op, &n) || !types_fit(p, op, &n) || !pl_conv_param(p, op, n.x, n.w, &q->c))
		return false;
	Ending e = ending_of(p, op, &n);
	if (!runtime_zero(p, &n, q) || !prepare(p, &n, &e, q, &kind, &w))
		return false;
	View x = pl_channels_last(p, pl_view(p, n.x));
	order[0] = 0;
	for (int i = 1; i < x.rank; i++)
		order[i] = i + 1 < x.rank ? i + 1 : 1;
	for (int i = 0; i < 3; i++)
		box[1 + i] = x.rank - 3 + i >= 2 ? x.rank - 3 + i : -1;
	View y = pl_result(p, e.result, order), place = y;
	if (y.stride[1] != 1 && y.dims[1] != 1) {
		view_order(&y, order);
		y.offset = 0;
		y.buffer = pl_buffer(p, view_count(&y) * (int64_t)dtype_size(y.dtype));
	}
	IntList posts = { 0 };
	if (!e.simple && !post_of(p, op, &n, &e, &y, order, box, q, &posts)) {
		drop_ending(op, &e);
		posts.len = 0;
		y = place = pl_result(p, e.result, order);
		fill_scales(p, &n, &e, q->c.groups * q->c.oc, q);
	}
	pl_spatial_strides(&x, q->c.x_stride);
	pl_spatial_strides(&y, q->c.y_stride);
	q->c.x_offset = x.offset;
	q->c.y_offset = y.offset;
	int64_t dense[VIEW_RANK];
	strides_of(pl_shape(p, n.w)->rank, pl_shape(p, n.w)->dims, dense);
	w.stride[0] = dense[0];
	w.stride[1] = dense[1];
	for (int i = 0; i < 3; i++)
		w.stride[2 + i] = box[1 + i] < 0 ? 0 : dense[box[1 + i]];
	pl_pack_integers(p, n.w, kind, q, &w);
	emit(p, kind, q, &e, &n, &x, &y, &posts);
	if (!view_same(&y, &place)) {
		pl_copy(p, &y, &place);
		pl_set(p, e.result, place);
	}
	return true;
}

/* ---- products ---- */

typedef struct Matrix {
	int64_t k, n, w_k, w_n;  /* strides of the weights along k and n */
	bool trans_a;
} Matrix;

static bool gemm_integers(Planner *p, const Op *op, Integers *n, Matrix *m)
{
	const Shape *w = pl_shape(p, op_operand(op, 1));
	const Value *c = op_operand(op, 2);
	bool trans = op_int(op, A_trans_b) != 0;
	if (!w || w->rank != 2 || (c && op_float(op, A_beta) != 1.0))
		return false;
	*m = (Matrix){ .k = w->dims[trans], .n = w->dims[!trans], .w_k = trans ? 1 : w->dims[1], .w_n = trans ? w->dims[1] : 1,
		.trans_a = op_int(op, A_trans_a) != 0 };
	*n = (Integers){ .finish = QFINISH_FLOAT, .factor = op_float(op, A_alpha) };
	Tensor *bias = c ? pl_known(p, c) : NULL;
	n->bias = bias && bias->store == DT_F32 && bias->count == m->n && bias->dims[bias->rank - 1] == m->n ? bias->data : NULL;
	return (!c || n->bias) && isfinite(n->factor) && dequantized(p, op_operand(op, 0), n) &&
		dequantized_weights(p, op_operand(op, 1), trans ? 0 : 1, m->n, n);
}

static bool dense_integers(Planner *p, const Op *op, Integers *n, Matrix *m)
{
	if (op_is(op, OP_gemm))
		return gemm_integers(p, op, n, m);
	const Value *wv = op_operand(op, op_is(op, OP_quantized_matmul) ? 3 : 1);
	const Shape *w = pl_shape(p, wv);
	if (!w || w->rank != 2 || !value_is_constant(wv))
		return false;
	*m = (Matrix){ .k = w->dims[0], .n = w->dims[1], .w_k = w->dims[1], .w_n = 1 };
	if (op_is(op, OP_quantized_matmul))
		return quantized_operands(p, op, m->n, n);
	if (op_is(op, OP_matmul_integer))
		return integer_operands(p, op, m->n, n);
	*n = (Integers){ .finish = QFINISH_FLOAT, .factor = 1 };
	return op_is(op, OP_matmul) && dequantized(p, op_operand(op, 0), n) && dequantized_weights(p, wv, 1, m->n, n);
}

static void swap_first(View *v)
{
	int64_t n = v->dims[0], s = v->stride[0];
	v->dims[0] = v->dims[1];
	v->stride[0] = v->stride[1];
	v->dims[1] = n;
	v->stride[1] = s;
}

/* Rows as pixels: of x and y as they lie, or of plain copies. */
static bool rows_of_views(Planner *p, View *x, View *y, ConvParam *c, bool *merged)
{
	*merged = pl_lead_dims(x, y, true, c);
	if (*merged || pl_lead_dims(x, y, false, c))
		return true;
	*x = pl_plain(p, *x);
	*y = view_dense(y->dtype, y->rank, y->dims);
	y->buffer = pl_buffer(p, view_count(y) * (int64_t)dtype_size(y->dtype));
	*merged = pl_lead_dims(x, y, true, c);
	return *merged;
}

/* A group that ends in another size than one of the product's own stays behind it. */
static View dense_result(Planner *p, const Ending *e, View *place)
{
	int order[VIEW_RANK];
	pl_order(p, e->result, order);
	View y = pl_result(p, e->result, order);
	*place = y;
	if (y.rank && y.dims[y.rank - 1] != 1 && y.stride[y.rank - 1] != 1) {
		y = view_dense(y.dtype, y.rank, y.dims);
		y.buffer = pl_buffer(p, view_count(&y) * (int64_t)dtype_size(y.dtype));
	}
	return y;
}

bool plan_integer_dense(Planner *p, const Op *op)
{
	Integers n;
	Matrix m;
	QConvParam *q = NEW(p->arena, QConvParam);
	QConvKind kind;
	bool merged;
	int order[VIEW_RANK], box[5];
	if (!dense_integers(p, op, &n, &m) || !types_fit(p, op, &n))
		return false;
	const Shape *xs = pl_shape(p, n.x), *ys = pl_shape(p, op->results[0]);
	if (xs->rank < 2 || ys->rank != xs->rank || xs->rank > VIEW_RANK || xs->dims[xs->rank - 1 - m.trans_a] != m.k)
		return false;
	Ending e = ending_of(p, op, &n);
	if (!e.simple && ys->rank > 5)
		drop_ending(op, &e);
	q->c.groups = 1;
	q->c.ic = m.k;
	q->c.oc = m.n;
	View x = pl_view(p, n.x), place;
	if (m.trans_a)
		swap_first(&x);
	x = pl_last_dense(p, x);
	View y = dense_result(p, &e, &place);
	QWeights w = { .stride = { m.w_n, m.w_k } };
	if (!rows_of_views(p, &x, &y, &q->c, &merged) || !runtime_zero(p, &n, q) || !prepare(p, &n, &e, q, &kind, &w))
		return false;
	IntList posts = { 0 };
	for (int i = 0; i < y.rank; i++)
		order[i] = i;
	for (int i = 0; i < 5; i++)
		box[i] = i - (5 - y.rank) < 0 ? -1 : i - (5 - y.rank);
	if (!e.simple && (!post_of(p, op, &n, &e, &y, order, box, q, &posts) ||
			(merged && !program_rows((TileProgram *)(uintptr_t)q->c.post)))) {
		drop_ending(op, &e);
		q->c.post = NULL;
		posts.len = 0;
		y = dense_result(p, &e, &place);
		if (!rows_of_views(p, &x, &y, &q->c, &merged))
			return false;
		fill_scales(p, &n, &e, m.n, q);
	}
	q->c.x_offset = x.offset;
	q->c.y_offset = y.offset;
	pl_pack_integers(p, n.w, kind, q, &w);
	emit(p, kind, q, &e, &n, &x, &y, &posts);
	if (!view_same(&y, &place)) {
		pl_copy(p, &y, &place);
		pl_set(p, e.result, place);
	}
	return true;
}

/* ---- dynamic_quantize ---- */

/* In whatever order x lies, without gaps. */
static View gapless(Planner *p, View x, int *order)
{
	View dense = x;
	view_memory_order(&x, order);
	view_order(&dense, order);
	for (int i = 0; i < x.rank; i++)
		if (x.dims[i] != 1 && x.stride[i] != dense.stride[i]) {
			x = pl_plain(p, x);
			view_memory_order(&x, order);
			return x;
		}
	return x;
}

bool plan_dynamic_quantize(Planner *p, const Op *op)
{
	const Value *xv = op_operand(op, 0);
	int order[VIEW_RANK];
	if (pl_shape(p, xv)->dtype != DT_F32 || pl_shape(p, xv)->count == 0)
		return false;
	View x = gapless(p, pl_view(p, xv), order), out[3];
	for (int i = 0; i < 3; i++) {
		out[i] = shape_view(pl_shape(p, op->results[i]));
		if (i == 0)
			view_order(&out[i], order);
		out[i].buffer = pl_buffer(p, view_count(&out[i]) * (int64_t)dtype_size(out[i].dtype));
	}
	RangeParam *r = NEW(p->arena, RangeParam);
	*r = (RangeParam){ .n = view_count(&x), .x_offset = x.offset };
	pl_step(p, "range", p->prog->kernels->range, r, NULL);
	pl_ptr(p, out[1].buffer);
	pl_ptr(p, out[2].buffer);
	pl_ptr(p, x.buffer);
	pl_work(p, 0, 4.0 * (double)r->n);
	TileProgram *t = NEW(p->arena, TileProgram);
	*t = (TileProgram){ .rank = 1, .dims = { r->n }, .ncode = 6, .noperands = 4, .cost = 0.4,
		.operands = { { .ptr = 1, .dtype = DT_F32, .stride = { 1 }, .offset = x.offset }, { .ptr = 2, .dtype = DT_F32 },
			{ .ptr = 3, .dtype = DT_U8 }, { .ptr = 0, .dtype = DT_U8, .stride = { 1 } } },
		.code = { { .op = TILE_LOAD, .dtype = DT_F32, .dst = 0, .operand = 0 },
			{ .op = TILE_LOAD, .dtype = DT_F32, .dst = 1, .operand = 1 },
			{ .op = TILE_LOAD, .dtype = DT_U8, .dst = 2, .operand = 2 },
			{ .op = TILE_CAST, .dtype = DT_U8, .to = DT_F32, .dst = 3, .a = 2 },
			{ .op = TILE_QUANTIZE_BY, .dtype = DT_F32, .to = DT_U8, .dst = 4, .a = 0, .b = 1, .c = 3, .operand = 4 },
			{ .op = TILE_STORE, .dtype = DT_U8, .a = 4, .operand = 3 } } };
	pl_step(p, "tile", p->prog->kernels->tile, t, "dynamic_quantize");
	pl_ptr(p, out[0].buffer);
	pl_ptr(p, x.buffer);
	pl_ptr(p, out[1].buffer);
	pl_ptr(p, out[2].buffer);
	pl_work(p, (double)r->n, 5.0 * (double)r->n);
	for (int i = 0; i < 3; i++) {
		const Value *v = op->results[i];
		pl_set(p, v, out[i]);
		if (p->places[v->id].set) {
			View place = p->places[v->id].view;
			pl_copy(p, &out[i], &place);
			pl_set(p, v, place);
		}
	}
	return true;
}

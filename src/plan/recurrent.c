/* Recurrent layers: the part that the input gives is one dense layer over all steps, then a kernel walks the steps. */
#include "plan/plan_int.h"

#include <math.h>
#include <string.h>

typedef struct Layer {
	RnnKind kind;
	int64_t dirs, gates, hidden, input, steps, batch;
	bool batch_first, relu;
	const float *bias;       /* dirs x (2 * gates * hidden), or NULL */
} Layer;

static bool default_activations(const Op *op, Layer *l)
{
	const Attr *a = op_attr(op, A_activations);
	static const char *const LSTM[] = { "Sigmoid", "Tanh", "Tanh" }, *const GRU[] = { "Sigmoid", "Tanh" };
	size_t each = l->kind == RNN_LSTM ? 3 : l->kind == RNN_GRU ? 2 : 1;
	if (!a)
		return true;
	if (a->kind != ATTR_STRS || a->u.strs.n != each * (size_t)l->dirs)
		return false;
	for (size_t i = 0; i < a->u.strs.n; i++) {
		const char *name = a->u.strs.v[i]->s;
		if (l->kind == RNN_PLAIN) {
			bool relu = !strcasecmp(name, "Relu");
			if ((!relu && strcasecmp(name, "Tanh") != 0) || (i && relu != l->relu))
				return false;
			l->relu = relu;
		} else if (strcasecmp(name, l->kind == RNN_LSTM ? LSTM[i % 3] : GRU[i % 2]) != 0) {
			return false;
		}
	}
	return true;
}

static bool read_layer(Planner *p, const Op *op, Layer *l)
{
	const Shape *x = pl_shape(p, op_operand(op, 0)), *w = pl_shape(p, op_operand(op, 1)), *r = pl_shape(p,
		op_operand(op, 2));
	*l = (Layer){ .kind = op_is(op, OP_lstm) ? RNN_LSTM : op_is(op, OP_gru) ? RNN_GRU : RNN_PLAIN };
	l->gates = l->kind == RNN_LSTM ? 4 : l->kind == RNN_GRU ? 3 : 1;
	l->batch_first = op_int(op, A_layout) != 0;
	if (x->rank != 3 || w->rank != 3 || r->rank != 3 || x->dtype != DT_F32 || !value_is_constant(op_operand(op, 1)) ||
			!value_is_constant(op_operand(op, 2)))
		return false;
	l->dirs = w->dims[0];
	l->hidden = r->dims[2];
	l->input = w->dims[2];
	l->steps = x->dims[l->batch_first ? 1 : 0];
	l->batch = x->dims[l->batch_first ? 0 : 1];
	if (w->dims[1] != l->gates * l->hidden || r->dims[1] != l->gates * l->hidden || x->dims[2] != l->input ||
			r->dims[0] != l->dirs || op_operand(op, 4) || op_operand(op, 7) || op_attr(op, A_clip) || op_int(op,
				A_input_forget))
		return false;
	const Value *b = op_operand(op, 3);
	Tensor *t = b ? pl_constant(p, b) : NULL;
	if (b && (!t || t->store != DT_F32 || t->count != l->dirs * 2 * l->gates * l->hidden))
		return false;
	l->bias = t ? t->data : NULL;
	return default_activations(op, l);
}

/* Rows of a dense layer: the case of a 1x1 convolution of `rows` pixels. */
static void dense_param(ConvParam *c, int64_t rows, int64_t k, int64_t n, int64_t x_row, int64_t y_row)
{
	*c = (ConvParam){ .batch = 1, .groups = 1, .ic = k, .oc = n, .in = { 1, 1, rows }, .out = { 1, 1, rows }, .kernel = { 1, 1, 1 },
		.stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }, .lo = -INFINITY, .hi = INFINITY };
	c->x_stride[3] = x_row;
	c->y_stride[3] = y_row;
}

/* Biases that are added together before the gates; the GRU's recurrent ones go with the recurrent product. */
static const float *input_bias(Planner *p, const Layer *l, int64_t dir)
{
	int64_t n = l->gates * l->hidden;
	float *b = NEW_ARRAY(p->arena, float, n);
	for (int64_t i = 0; i < n && l->bias; i++)
		b[i] = l->bias[dir * 2 * n + i] + (l->kind == RNN_GRU ? 0 : l->bias[dir * 2 * n + n + i]);
	return b;
}

static const float *recurrent_bias(Planner *p, const Layer *l, int64_t dir)
{
	int64_t n = l->gates * l->hidden;
	float *b = NEW_ARRAY(p->arena, float, n);
	for (int64_t i = 0; i < n && l->bias; i++)
		b[i] = l->bias[dir * 2 * n + n + i];
	return b;
}

/* What the input gives, for all steps: z (rows of steps and batch as x has them, gates * hidden). */
static bool input_product(Planner *p, const Op *op, const Layer *l, int64_t dir, View *z)
{
	int64_t n = l->gates * l->hidden, rows = l->steps * l->batch, flat[2] = { rows, l->input }, dims[3];
	View x = pl_view(p, op_operand(op, 0)), lines;
	ConvParam *c = NEW(p->arena, ConvParam);
	if (!view_reshape(&x, 2, flat, &lines) || (l->input != 1 && lines.stride[1] != 1)) {
		x = pl_plain(p, x);
		view_reshape(&x, 2, flat, &lines);
	}
	dims[0] = l->batch_first ? l->batch : l->steps;
	dims[1] = l->batch_first ? l->steps : l->batch;
	dims[2] = n;
	*z = view_dense(DT_F32, 3, dims);
	z->buffer = pl_buffer(p, rows * n * (int64_t)sizeof(float));
	dense_param(c, rows, l->input, n, lines.stride[0], n);
	c->x_offset = lines.offset;
	c->bias = input_bias(p, l, dir);
	const int64_t ws[5] = { l->input, 1, 0, 0, 0 };
	if (!pl_pack(p, op_operand(op, 1), dir * n * l->input, c, ws))
		return false;
	pl_step(p, "dense", p->prog->kernels->conv[CONV_DIRECT], c, "input of a recurrent layer");
	pl_ptr(p, z->buffer);
	pl_ptr(p, lines.buffer);
	pl_work(p, 2.0 * (double)(rows * n * l->input), 4.0 * (double)(rows * n + rows * l->input + n * l->input));
	return true;
}

static bool recurrent_product(Planner *p, const Op *op, const Layer *l, int64_t dir, RnnParam *r)
{
	int64_t n = l->gates * l->hidden, h = l->hidden;
	const int64_t ws[5] = { h, 1, 0, 0, 0 };
	bool split = l->kind == RNN_GRU && !r->linear_before_reset;
	dense_param(&r->product, l->batch, h, split ? 2 * h : n, h, n);
	if (l->kind == RNN_GRU) {
		r->product.bias = recurrent_bias(p, l, dir);
	} else {
		r->product.has_residual = true;
		r->product.r_stride[3] = r->z_batch;
	}
	if (!pl_pack(p, op_operand(op, 2), dir * n * h, &r->product, ws))
		return false;
	if (!split)
		return true;
	dense_param(&r->reset_product, l->batch, h, h, h, n);
	r->reset_product.bias = recurrent_bias(p, l, dir) + 2 * h;
	return pl_pack(p, op_operand(op, 2), dir * n * h + 2 * h * h, &r->reset_product, ws);
}

/* A state (dirs, batch, hidden), or with the batch first: stride of the batch, and where the direction begins. */
static bool state_view(const Layer *l, const View *v, int64_t dir, int64_t *batch, int64_t *offset)
{
	int b = l->batch_first ? 0 : 1, d = 1 - b;
	if (v->rank != 3 || (v->dims[2] != 1 && v->stride[2] != 1))
		return false;
	*batch = v->stride[b];
	*offset = v->offset + dir * v->stride[d];
	return true;
}

static bool initial_state(Planner *p, const Op *op, const Layer *l, size_t operand, int64_t dir, bool *has, int64_t *batch,
		int64_t *offset, int *buffer)
{
	const Value *v = op_operand(op, operand);
	*has = v != NULL;
	if (!v)
		return true;
	View w = pl_last_dense(p, pl_view(p, v));
	*buffer = w.buffer;
	return w.dtype == DT_F32 && state_view(l, &w, dir, batch, offset);
}

/* Results have places made once for all directions. */
static bool result_view(Planner *p, const Op *op, size_t i, View *out)
{
	const Value *v = op_result(op, i);
	if (!v || !value_has_uses(v))
		return false;
	*out = shape_view(pl_shape(p, v));
	out->buffer = pl_buffer(p, view_count(out) * (int64_t)sizeof(float));
	return true;
}

/* ---- an LSTM step by step, so that threads share each product ---- */

#define SPREAD_WORK (256 * 1024) /* multiply-adds of a step */
enum { SPREAD_STEPS = 1024 };

static bool is_spread(const Planner *p, const Layer *l)
{
	return p->threads > 1 && l->kind == RNN_LSTM && l->steps <= SPREAD_STEPS &&
		l->batch * l->gates * l->hidden * l->hidden >= SPREAD_WORK;
}

static View state_buffer(Planner *p, const Layer *l, int64_t width)
{
	const int64_t dims[2] = { l->batch, width };
	View v = view_dense(DT_F32, 2, dims);
	v.buffer = pl_buffer(p, l->batch * width * (int64_t)sizeof(float));
	return v;
}

/* A state of the op's operands or results as (batch, hidden); buffer -1: zeros. */
static View given_state(Planner *p, const Layer *l, bool has, int buffer, int64_t batch, int64_t offset)
{
	static const float ZERO = 0;
	View v = { .buffer = buffer, .dtype = DT_F32, .rank = 2, .dims = { l->batch, l->hidden }, .stride = { batch, 1 },
		.offset = offset };
	if (!has) {
		v.buffer = pl_const_buffer(p, DT_F32, &ZERO, sizeof(ZERO));
		v.stride[0] = v.stride[1] = v.offset = 0;
	}
	return v;
}

static bool emit_spread(Planner *p, const Op *op, const Layer *l, int64_t dir, const RnnParam *r, const View *z, const int *buffers)
{
	int64_t n = l->gates * l->hidden;
	const int64_t ws[5] = { l->hidden, 1, 0, 0, 0 };
	View h = state_buffer(p, l, l->hidden), c = state_buffer(p, l, l->hidden), g = state_buffer(p, l, n);
	View h0 = given_state(p, l, r->has_h0, buffers[0], r->h0_batch, r->h0_offset);
	View c0 = given_state(p, l, r->has_c0, buffers[1], r->c0_batch, r->c0_offset);
	pl_copy(p, &h0, &h);
	pl_copy(p, &c0, &c);
	for (int64_t s = 0; s < l->steps; s++) {
		int64_t t = r->reverse ? l->steps - 1 - s : s;
		ConvParam *product = NEW(p->arena, ConvParam);
		RnnParam *cell = NEW(p->arena, RnnParam);
		dense_param(product, l->batch, l->hidden, n, l->hidden, n);
		product->has_residual = true;
		product->r_stride[3] = r->z_batch;
		product->r_offset = z->offset + t * r->z_step;
		product->backward = s % 2;
		if (!pl_pack(p, op_operand(op, 2), dir * n * l->hidden, product, ws))
			return false;
		pl_step(p, "dense", p->prog->kernels->conv[CONV_DIRECT], product, "a step of a recurrent layer");
		pl_ptr(p, g.buffer);
		pl_ptr(p, h.buffer);
		pl_ptr(p, z->buffer);
		pl_work(p, 2.0 * (double)(l->batch * n * l->hidden), 4.0 * (double)(n * l->hidden));
		*cell = (RnnParam){ .kind = RNN_LSTM, .cell_only = true, .steps = 1, .batch = l->batch, .hidden = l->hidden,
			.has_y = r->has_y, .y_batch = r->y_batch, .y_offset = r->y_offset + t * r->y_step };
		pl_step(p, "lstm", p->prog->kernels->rnn, cell, "cell");
		pl_ptr(p, r->has_y ? buffers[2] : g.buffer);
		pl_ptr(p, g.buffer);
		pl_ptr(p, h.buffer);
		pl_ptr(p, c.buffer);
	}
	if (r->has_y_h) {
		View to = given_state(p, l, true, buffers[3], r->h_batch, r->h_offset);
		pl_copy(p, &h, &to);
	}
	if (r->has_y_c) {
		View to = given_state(p, l, true, buffers[4], r->c_batch, r->c_offset);
		pl_copy(p, &c, &to);
	}
	return true;
}

static bool emit_direction(Planner *p, const Op *op, const Layer *l, int64_t dir, const View *y, const View *h,
	const View *c)
{
	RnnParam *r = NEW(p->arena, RnnParam);
	const char *direction = op_text(op, A_direction);
	int h0 = -1, c0 = -1;
	View z;
	*r = (RnnParam){ .kind = l->kind, .steps = l->steps, .batch = l->batch, .hidden = l->hidden, .relu = l->relu,
		.reverse = dir == 1 || !strcmp(direction, "reverse"), .has_y = y->buffer >= 0, .has_y_h = h->buffer >= 0,
		.has_y_c = c->buffer >= 0, .linear_before_reset = l->kind == RNN_GRU && op_int(op, A_linear_before_reset) };
	if (!input_product(p, op, l, dir, &z))
		return false;
	int s = l->batch_first ? 1 : 0, b = 1 - s;
	r->z_step = z.stride[s];
	r->z_batch = z.stride[b];
	if (r->has_y) { /* (steps, dirs, batch, hidden), or (batch, steps, dirs, hidden) */
		r->y_step = y->stride[l->batch_first ? 1 : 0];
		r->y_batch = y->stride[l->batch_first ? 0 : 2];
		r->y_offset = y->offset + dir * y->stride[l->batch_first ? 2 : 1];
	}
	if ((r->has_y_h && !state_view(l, h, dir, &r->h_batch, &r->h_offset)) ||
			(r->has_y_c && !state_view(l, c, dir, &r->c_batch, &r->c_offset)) ||
			!initial_state(p, op, l, 5, dir, &r->has_h0, &r->h0_batch, &r->h0_offset, &h0) ||
			(l->kind == RNN_LSTM && !initial_state(p, op, l, 6, dir, &r->has_c0, &r->c0_batch, &r->c0_offset, &c0)) ||
			(!is_spread(p, l) && !recurrent_product(p, op, l, dir, r)))
		return false;
	if (is_spread(p, l))
		return emit_spread(p, op, l, dir, r, &z, (const int[]){ h0, c0, y->buffer, h->buffer, c->buffer });
	pl_step(p, strchr(op->def->name->s, '.') + 1, p->prog->kernels->rnn, r, arena_printf(p->arena,
		"%lld steps, batch %lld, hidden %lld", (long long)l->steps, (long long)l->batch, (long long)l->hidden));
	int any = z.buffer;
	pl_ptr(p, r->has_y ? y->buffer : any);
	pl_ptr(p, z.buffer);
	pl_ptr(p, r->has_h0 ? h0 : any);
	pl_ptr(p, r->has_c0 ? c0 : any);
	pl_ptr(p, r->has_y_h ? h->buffer : any);
	pl_ptr(p, r->has_y_c ? c->buffer : any);
	pl_work(p, 2.0 * (double)(l->steps * l->batch * l->gates * l->hidden * l->hidden),
		4.0 * (double)(l->steps * (l->gates * l->hidden * l->hidden + l->batch * l->gates * l->hidden)));
	return true;
}

bool plan_recurrent(Planner *p, const Op *op)
{
	Layer l;
	View y = { .buffer = -1 }, h = y, c = y;
	if (!read_layer(p, op, &l))
		return false;
	bool has_y = result_view(p, op, 0, &y), has_h = result_view(p, op, 1, &h), has_c = result_view(p, op, 2, &c);
	for (int64_t d = 0; d < l.dirs; d++)
		if (!emit_direction(p, op, &l, d, &y, &h, &c))
			return false;
	if (has_y)
		pl_set(p, op->results[0], y);
	if (has_h)
		pl_set(p, op->results[1], h);
	if (has_c)
		pl_set(p, op->results[2], c);
	return true;
}

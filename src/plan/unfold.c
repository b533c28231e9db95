/* Convolutions whose weights the run brings: a product of matrices. What each output pixel reads becomes a row, by a copy through
 * strides, unless rows lie that way already; so do the weights of each output channel. Padding is zeros, and counts as products:
 * an infinite weight gives NaN there. Transposed ones are convolutions of an image with zeros between its elements. */
#include "plan/plan_int.h"

#include <string.h>

static View with_dims(const View *v, int rank, const int64_t *dims, const int64_t *stride)
{
	View w = { .buffer = v->buffer, .dtype = v->dtype, .offset = v->offset, .rank = rank };
	memcpy(w.dims, dims, (size_t)rank * sizeof(*dims));
	memcpy(w.stride, stride, (size_t)rank * sizeof(*stride));
	return w;
}

/* Image as (batch, depth, height, width, channels). */
static View as_image(const View *x, const ConvParam *c)
{
	int64_t stride[5];
	pl_spatial_strides(x, stride);
	stride[4] = x->stride[1];
	return with_dims(x, 5, (int64_t[]){ c->batch, c->in[0], c->in[1], c->in[2], c->groups * c->ic }, stride);
}

/* The image with borders of zeros, as far as the windows reach, and step - 1 of them between its elements. */
static View with_padding(Planner *p, const View *x, const ConvParam *c, const int64_t step[3])
{
	static const uint64_t ZERO[2] = { 0, 0 };
	int64_t dims[5];
	bool any = false;
	memcpy(dims, x->dims, sizeof(dims));
	for (int d = 0; d < 3; d++) {
		int64_t reach = (c->out[d] - 1) * c->stride[d] + (c->kernel[d] - 1) * c->dilation[d] + 1;
		any |= c->pad[d] > 0 || reach > c->in[d] || step[d] > 1;
		dims[d + 1] = reach > c->in[d] + c->pad[d] ? reach : c->in[d] + c->pad[d];
	}
	if (!any)
		return *x;
	View y = view_dense(DT_F32, 5, dims), inner, zero = view_dense(DT_F32, 0, NULL);
	y.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(float));
	zero.buffer = pl_const_buffer(p, DT_F32, ZERO, sizeof(float));
	zero = view_broadcast(&zero, 5, dims);
	pl_copy(p, &zero, &y);
	inner = y;
	memcpy(inner.dims, x->dims, sizeof(dims));
	for (int d = 0; d < 3; d++) {
		inner.offset += c->pad[d] * y.stride[d + 1];
		inner.stride[d + 1] *= step[d];
	}
	pl_copy(p, x, &inner);
	return y;
}

/* v as (groups, rows, depth), the dims of rows and depth merged; a copy where strides do not allow it. */
static bool as_matrices(Planner *p, const View *v, int64_t groups, int64_t rows, int64_t depth, View *out)
{
	int64_t dims[] = { groups, rows, depth };
	int places = 0;
	if (view_reshape(v, 3, dims, out))
		return true;
	for (int d = 0; d < v->rank; d++)
		places += v->dims[d] > 1;
	if (places > COPY_RANK)
		return false;
	View w = pl_plain(p, *v);
	return view_reshape(&w, 3, dims, out);
}

/* (groups, output pixels, taps). */
static bool image_rows(Planner *p, const View *x, const ConvParam *c, View *out)
{
	int64_t dims[9] = { c->groups, c->batch }, stride[9] = { c->ic * x->stride[4], x->stride[0] };
	for (int d = 0; d < 3; d++) {
		dims[2 + d] = c->out[d];
		stride[2 + d] = c->stride[d] * x->stride[1 + d];
		dims[5 + d] = c->kernel[d];
		stride[5 + d] = c->dilation[d] * x->stride[1 + d];
	}
	dims[8] = c->ic;
	stride[8] = x->stride[4];
	View all = with_dims(x, 9, dims, stride);
	return as_matrices(p, &all, c->groups, c->batch * c->out[0] * c->out[1] * c->out[2],
		c->kernel[0] * c->kernel[1] * c->kernel[2] * c->ic, out);
}

/* (groups, output channels, taps); transposed: weights (groups * ic, oc, ...), whose taps are walked from the last to the first. */
static bool weight_rows(Planner *p, const View *w, const ConvParam *c, bool transposed, View *out)
{
	int64_t in = w->stride[transposed ? 0 : 1], o = w->stride[transposed ? 1 : 0], spatial[4];
	int64_t dims[6] = { c->groups, c->oc }, stride[6] = { transposed ? c->ic * in : c->oc * o, o }, last = 0;
	pl_spatial_strides(w, spatial);
	for (int d = 0; d < 3; d++) {
		dims[2 + d] = c->kernel[d];
		stride[2 + d] = transposed ? -spatial[1 + d] : spatial[1 + d];
		last += transposed ? (c->kernel[d] - 1) * spatial[1 + d] : 0;
	}
	dims[5] = c->ic;
	stride[5] = in;
	View all = with_dims(w, 6, dims, stride);
	all.offset += last;
	return as_matrices(p, &all, c->groups, c->oc, c->kernel[0] * c->kernel[1] * c->kernel[2] * c->ic, out);
}

/* y, rows of `channels` floats, += bias. */
static void add_bias(Planner *p, const View *bias, int y, int64_t rows, int64_t channels)
{
	TileProgram *t = NEW(p->arena, TileProgram);
	*t = (TileProgram){ .rank = 2, .dims = { rows, channels }, .ncode = 4, .noperands = 2, .cost = 0.3,
		.operands = { { .ptr = 0, .dtype = DT_F32, .stride = { channels, 1 } },
			{ .ptr = 1, .dtype = DT_F32, .stride = { 0, bias->stride[0] }, .offset = bias->offset } },
		.code = { { .op = TILE_LOAD, .dtype = DT_F32, .dst = 0, .operand = 0 },
			{ .op = TILE_LOAD, .dtype = DT_F32, .dst = 1, .operand = 1 },
			{ .op = TILE_ADD, .dtype = DT_F32, .dst = 2, .a = 0, .b = 1 },
			{ .op = TILE_STORE, .dtype = DT_F32, .a = 2, .operand = 0 } } };
	pl_step(p, "tile", p->prog->kernels->tile, t, "bias");
	pl_ptr(p, y);
	pl_ptr(p, bias->buffer);
	pl_work(p, (double)(rows * channels), 8.0 * (double)(rows * channels));
}

/* A transposed convolution as one of the image with zeros between its elements: step tells how far these are apart. */
static bool as_plain(ConvParam *c, int64_t step[3])
{
	for (int d = 0; d < 3; d++) {
		step[d] = c->stride[d];
		c->in[d] = (c->in[d] - 1) * step[d] + 1;
		c->pad[d] = (c->kernel[d] - 1) * c->dilation[d] - c->pad[d];
		c->stride[d] = 1;
		if (c->pad[d] < 0)
			return false;
	}
	return true;
}

bool plan_unfolded_conv(Planner *p, const Op *op)
{
	bool transposed = op_is(op, OP_conv_transpose);
	int64_t apart[3] = { 1, 1, 1 };
	const Value *xv = op_operand(op, 0), *wv = op_operand(op, 1), *bv = op_operand(op, 2);
	const Shape *s = pl_shape(p, op->results[0]);
	ConvParam c = { 0 };
	View a, b, y;
	if ((!op_is(op, OP_conv) && !transposed) || value_is_constant(wv) || s->dtype != DT_F32 || pl_shape(p, xv)->dtype != DT_F32 ||
			pl_shape(p, wv)->dtype != DT_F32 || (bv && (pl_shape(p, bv)->dtype != DT_F32 || pl_shape(p, bv)->rank != 1)) ||
			!pl_conv_param(p, op, xv, wv, &c) || !pl_shape(p, xv)->count || !pl_shape(p, wv)->count ||
			(bv && pl_shape(p, bv)->count != c.groups * c.oc) || c.pad[0] < 0 || c.pad[1] < 0 || c.pad[2] < 0)
		return false;
	View x = pl_view(p, xv), w = pl_view(p, wv);
	x = as_image(&x, &c);
	if (transposed && !as_plain(&c, apart))
		return false;
	x = with_padding(p, &x, &c, apart);
	if (!image_rows(p, &x, &c, &a) || !weight_rows(p, &w, &c, transposed, &b))
		return false;
	int64_t pixels = a.dims[1], channels = c.groups * c.oc, stride[VIEW_RANK], dims[VIEW_RANK];
	y = with_dims(&a, 3, (int64_t[]){ c.groups, pixels, c.oc }, (int64_t[]){ c.oc, channels, 1 });
	y.offset = 0;
	MatmulParam *m = NEW(p->arena, MatmulParam);
	*m = (MatmulParam){ .m = pixels, .n = c.oc, .k = a.dims[2], .alpha = 1, .a_row = a.stride[1], .a_col = a.stride[2],
		.a_offset = a.offset, .b_row = b.stride[2], .b_col = b.stride[1], .b_offset = b.offset, .c_row = channels };
	if (!pl_matmul_batch(&a, &b, &y, m) || !p->prog->kernels->matmul_plan(m, p->threads))
		return false;
	y.buffer = pl_buffer(p, pixels * channels * (int64_t)sizeof(float));
	pl_step(p, "matmul", p->prog->kernels->matmul, m, arena_printf(p->arena, "convolution %lldx%lldx%lld x%lld", (long long)m->m,
		(long long)m->k, (long long)m->n, (long long)c.groups));
	pl_ptr(p, y.buffer);
	pl_ptr(p, a.buffer);
	pl_ptr(p, b.buffer);
	pl_work(p, 2.0 * (double)(pixels * channels) * (double)m->k,
		4.0 * (double)(pixels * (channels + c.groups * m->k) + channels * m->k));
	if (bv) {
		View bias = pl_view(p, bv);
		add_bias(p, &bias, y.buffer, pixels, channels);
	}
	/* (batch, spatial dims, channels) in memory. */
	int64_t step = 1;
	for (int i = 0; i < s->rank; i++) {
		int d = i == 0 ? 1 : i + 1 == s->rank ? 0 : s->rank - i;
		stride[d] = step;
		step *= dims[d] = s->dims[d];
	}
	View out = with_dims(&y, s->rank, dims, stride);
	return pl_settle(p, op->results[0], out);
}

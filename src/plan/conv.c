/* Convolutions, and products with constant matrices as their 1x1 case: parameters, what is fused. */
#include "plan/plan_int.h"

#include <math.h>
#include <string.h>

/* ---- what is fused ---- */

/* Finished values of the kernel's result: the root of the group, or the op's own result. */
typedef struct Fusion {
	Group *group;       /* NULL: nothing */
	const Value *result;
	bool simple;        /* bias, residual, bounds and hard swish say all */
	const float *bias;  /* the first op of the group, when it adds a constant along the last dim */
	size_t begin;       /* ops of the group that the bias stands for */
	const Value *residual;
	float lo, hi;
	bool hard_swish;
} Fusion;

bool pl_bounds(Planner *p, const Op *op, float *lo, float *hi)
{
	if (op_is(op, OP_relu)) {
		*lo = 0;
		return true;
	}
	return op_is(op, OP_clamp) && (!op_operand(op, 1) || pl_uniform(p, op_operand(op, 1), lo)) &&
		(!op_operand(op, 2) || pl_uniform(p, op_operand(op, 2), hi));
}

static const Value *other_operand(const Op *op, const Value *v)
{
	const Value *a = op_operand(op, 0), *b = op_operand(op, 1);
	return a == v && b != v ? b : b == v && a != v ? a : NULL;
}

const float *pl_last_dim_bias(Planner *p, const Op *op, const Group *g)
{
	const Value *b = op_is(g->ops[0], OP_add) ? other_operand(g->ops[0], op->results[0]) : NULL;
	const Shape *s = pl_shape(p, b), *y = pl_shape(p, op->results[0]);
	if (!b || !value_is_constant(b) || s->dtype != DT_F32 || !s->rank || s->rank > y->rank ||
		s->count != y->dims[y->rank - 1] ||
			s->dims[s->rank - 1] != s->count || (!op_is(op, OP_matmul) && !op_is(op, OP_gemm)) || op_operand(op, 2) ||
			!value_is_constant(op_operand(op, 1)))
		return NULL;
	Tensor *t = pl_constant(p, b);
	return t ? t->data : NULL;
}

/* [bias] [residual] [bounds] [hard swish]: the kernel does these in registers. */
static Fusion fusion_of(Planner *p, const Op *op)
{
	Group *g = p->groups[op->id];
	Fusion f = { .result = op->results[0], .lo = -INFINITY, .hi = INFINITY };
	if (!g || g->anchor != op || pl_shape(p, g->root->results[0])->dtype != DT_F32)
		return f; /* the kernel finishes its floats where they lie */
	f.group = g;
	f.result = g->root->results[0];
	const Value *v = op->results[0];
	f.bias = pl_last_dim_bias(p, op, g);
	size_t i = f.begin = f.bias != NULL;
	if (f.bias)
		v = g->ops[0]->results[0];
	if (i < g->n && op_is(g->ops[i], OP_add)) {
		const Value *r = other_operand(g->ops[i], v);
		const Shape *s = pl_shape(p, r), *want = pl_shape(p, v);
		if (r && s->rank == want->rank && !memcmp(s->dims, want->dims, (size_t)s->rank * sizeof(*s->dims)) &&
				pl_shape(p, r)->dtype == DT_F32) {
			f.residual = r;
			i++;
		}
	}
	if (i < g->n && pl_bounds(p, g->ops[i], &f.lo, &f.hi))
		i++;
	if (i < g->n && op_is(g->ops[i], OP_hard_swish)) {
		f.hard_swish = true;
		i++;
	}
	f.simple = i == g->n;
	return f;
}

/* Lets the kernel finish the group by a tile program. order: logical dim of each dim of the box (-1: none). */
static const TileProgram *post_program(Planner *p, const Op *op, const Fusion *f, const View *y, const int *order, int first,
		IntList *buffers)
{
	TileProgram *t = NEW(p->arena, TileProgram);
	return group_program(p, f->group, f->begin, op->results[0], NULL, y, order, 5, first, t, buffers) ? t : NULL;
}

/* ---- convolutions ---- */

void pl_spatial_strides(const View *v, int64_t *out)
{
	out[0] = v->stride[0];
	for (int i = 0; i < 3; i++) {
		int d = v->rank - 3 + i;
		out[1 + i] = d >= 2 ? v->stride[d] : 0;
	}
}

void pl_spatial(const int64_t *from, size_t n, int64_t fallback, int64_t *to)
{
	for (int i = 0; i < 3; i++) {
		int k = i - (3 - (int)n);
		to[i] = k >= 0 && from ? from[k] : fallback;
	}
}

/* Padding at the beginning of each spatial dim, from `pads` or auto_pad. */
static bool find_pads(const Op *op, size_t n, const ConvParam *c, int64_t *pad)
{
	const int64_t *pads = NULL;
	const Str *mode = op_attr_str(op, A_auto_pad);
	op_attr_ints(op, A_pads, &pads);
	pl_spatial(pads, n, 0, pad);
	if (!mode || !mode->len)
		return true;
	bool upper = !strcmp(mode->s, "same_upper"), lower = !strcmp(mode->s, "same_lower");
	for (int i = 0; i < 3 && (upper || lower); i++) {
		int64_t all = (c->out[i] - 1) * c->stride[i] + (c->kernel[i] - 1) * c->dilation[i] + 1 - c->in[i];
		pad[i] = all <= 0 ? 0 : upper ? all / 2 : all - all / 2;
	}
	return upper || lower;
}

/* x with the channel innermost, when it has several. */
View pl_channels_last(Planner *p, View x)
{
	int order[VIEW_RANK];
	if (x.dims[1] == 1 || x.stride[1] == 1)
		return x;
	View y = x;
	order[0] = 0;
	for (int i = 1; i < x.rank; i++)
		order[i] = i + 1 < x.rank ? i + 1 : 1;
	view_order(&y, order);
	y.offset = 0;
	y.buffer = pl_buffer(p, view_count(&y) * (int64_t)dtype_size(y.dtype));
	pl_copy(p, &x, &y);
	return y;
}

bool pl_conv_param(Planner *p, const Op *op, const Value *xv, const Value *wv, ConvParam *c)
{
	const int64_t *list;
	const Shape *x = pl_shape(p, xv), *w = pl_shape(p, wv), *y = pl_shape(p, op->results[0]);
	size_t n = (size_t)x->rank - 2;
	if (x->rank < 3 || x->rank > 5 || w->rank != x->rank || y->rank != x->rank)
		return false;
	c->batch = x->dims[0];
	c->groups = op_int(op, A_groups);
	if (c->groups < 1 || x->dims[1] % c->groups || y->dims[1] % c->groups)
		return false;
	c->ic = x->dims[1] / c->groups;
	c->oc = y->dims[1] / c->groups;
	pl_spatial(x->dims + 2, n, 1, c->in);
	pl_spatial(y->dims + 2, n, 1, c->out);
	pl_spatial(w->dims + 2, n, 1, c->kernel);
	op_attr_ints(op, A_strides, &list);
	pl_spatial(list, n, 1, c->stride);
	op_attr_ints(op, A_dilations, &list);
	pl_spatial(list, n, 1, c->dilation);
	c->lo = -INFINITY;
	c->hi = INFINITY;
	if (op_is(op, OP_conv_transpose) && (op_attr_str(op, A_auto_pad) || op_attr(op, A_output_shape)))
		return false;
	return find_pads(op, n, c, c->pad);
}

static bool choose_kind(Planner *p, ConvParam *c, bool transposed, ConvKind *out)
{
	static const ConvKind ORDER[] = { CONV_DEPTHWISE, CONV_GROUPED, CONV_WINOGRAD, CONV_DIRECT };
	const KernelSet *k = p->prog->kernels;
	if (transposed) {
		*out = CONV_TRANSPOSE;
		return k->conv_plan[CONV_TRANSPOSE] && k->conv_plan[CONV_TRANSPOSE](c, p->threads);
	}
	for (size_t i = 0; i < ARRAY_LEN(ORDER); i++)
		if (k->conv_plan[ORDER[i]] && k->conv_plan[ORDER[i]](c, p->threads)) {
			*out = ORDER[i];
			return true;
		}
	return false;
}

/* An input of few channels whose planes can be read where they lie; c has its strides then. */
static bool choose_planes(Planner *p, const View *x, ConvParam *c)
{
	const KernelSet *k = p->prog->kernels;
	c->x_channel = x->stride[1];
	pl_spatial_strides(x, c->x_stride);
	if ((x->dims[1] == 1 || x->stride[1] != 1) && !k->conv_plan[CONV_WINOGRAD](c, p->threads) &&
			k->conv_plan[CONV_PLANES](c, p->threads))
		return true;
	c->x_channel = 1;
	return false;
}

static const char *const KIND_NAMES[CONV_KINDS] = { [CONV_DIRECT] = "conv", [CONV_WINOGRAD] = "winograd",
	[CONV_DEPTHWISE] = "depthwise", [CONV_TRANSPOSE] = "conv-transpose", [CONV_GROUPED] = "grouped", [CONV_STREAM] = "conv",
	[CONV_BLOCKS] = "blocks", [CONV_PLANES] = "conv-planes" };

static char *conv_text(Planner *p, const ConvParam *c, const Fusion *f)
{
	return arena_printf(p->arena, "%lldx%lldx%lldx%lld -> %lldx%lldx%lldx%lld, kernel %lldx%lldx%lld%s%s%s%s",
		(long long)c->in[0], (long long)c->in[1], (long long)c->in[2], (long long)(c->ic * c->groups), (long long)c->out[0],
		(long long)c->out[1], (long long)c->out[2], (long long)(c->oc * c->groups), (long long)c->kernel[0],
		(long long)c->kernel[1], (long long)c->kernel[2], c->groups > 1 ? ", groups" : "", c->bias ? " + bias" : "",
		f->group ? " + " : "", f->group ? group_text(p, f->group) : "");
}

static double conv_flops(const ConvParam *c)
{
	return 2.0 * (double)c->batch * (double)(c->groups * c->oc * c->ic) *
		(double)(c->out[0] * c->out[1] * c->out[2]) * (double)(c->kernel[0] * c->kernel[1] * c->kernel[2]);
}

static double conv_bytes(const ConvParam *c)
{
	return 4.0 * ((double)c->batch * (double)(c->in[0] * c->in[1] * c->in[2] * c->ic * c->groups) +
		(double)c->batch * (double)(c->out[0] * c->out[1] * c->out[2] * c->oc * c->groups) +
		(double)(c->groups * c->oc * c->ic * c->kernel[0] * c->kernel[1] * c->kernel[2]));
}

/* Emits the step; y is where f->result lies. */
static void emit_conv(Planner *p, ConvKind kind, ConvParam *c, const Fusion *f, const View *x, View y, const View *residual, const TileProgram *post, const IntList *posts)
{
	c->post = post;
	c->post_ptr = c->has_residual ? 3 : 2;
	pl_step(p, KIND_NAMES[kind], p->prog->kernels->conv[kind], c, conv_text(p, c, f));
	pl_ptr(p, y.buffer);
	pl_ptr(p, x->buffer);
	if (residual)
		pl_ptr(p, residual->buffer);
	for (size_t i = 0; post && i < posts->len; i++)
		pl_ptr(p, posts->data[i]);
	pl_work(p, conv_flops(c), conv_bytes(c));
	pl_set(p, f->result, y);
}

static bool is_float_list(Planner *p, const Value *v, int64_t n)
{
	Tensor *t = v ? pl_constant(p, v) : NULL;
	return t && t->store == DT_F32 && t->count == n;
}

/* Without the fusion after all: the group follows by itself. */
static void drop_fusion(const Op *op, Fusion *f)
{
	*f = (Fusion){ .result = op->results[0], .lo = -INFINITY, .hi = INFINITY };
}

/* Whether only depthwise convolutions read v, an image of so many channels. */
static bool read_by_depthwise(const Value *v, int64_t channels)
{
	for (const Use *u = v->uses; u; u = u->next)
		if (!op_is(u->user, OP_conv) || u != &u->user->operands[0] || op_int(u->user, A_groups) != channels)
			return false;
	return v->uses != NULL;
}

/* Where a convolution's result goes, channels innermost. Pixels whose channels end within a cache line would make a depthwise
 * convolution load from two lines at once: so they begin a line each, where little room is lost by it. Larger images may be part
 * of a chain, which wants them dense. */
static View conv_result(Planner *p, const Value *v, const int *order)
{
	enum { LINE = 64 / sizeof(float), LEAST_PARTS = 8, MOST_BYTES = 1 << 20 };
	View y = pl_result(p, v, order), apart = y;
	if (p->places[v->id].set || value_is_output(v) || y.dtype != DT_F32 || y.stride[1] != 1)
		return y;
	int64_t channels = y.dims[1], gap = (LINE - channels % LINE) % LINE, step = channels + gap;
	if (!gap || gap * LEAST_PARTS > channels || !read_by_depthwise(v, channels))
		return y;
	for (int i = y.rank - 1; i > 1; i--) {
		apart.stride[i] = step;
		step *= y.dims[i];
	}
	apart.stride[0] = step;
	step *= y.dims[0];
	if (step * (int64_t)sizeof(float) > y.dims[0] * (int64_t)MOST_BYTES)
		return y;
	apart.buffer = pl_buffer(p, step * (int64_t)sizeof(float));
	return apart;
}

static bool plan_any_conv(Planner *p, const Op *op, bool transposed)
{
	const Value *wv = op_operand(op, 1), *bv = op_operand(op, 2);
	ConvParam *c = NEW(p->arena, ConvParam);
	ConvKind kind;
	int order[VIEW_RANK], box[5];
	if (pl_shape(p, op->results[0])->dtype != DT_F32 || !value_is_constant(wv) || !pl_conv_param(p, op, op_operand(op, 0), wv, c))
		return false;
	if (bv && !is_float_list(p, bv, c->groups * c->oc))
		return false;
	c->bias = bv ? pl_constant(p, bv)->data : NULL;
	Fusion f = fusion_of(p, op);
	View x = pl_view(p, op_operand(op, 0)), residual;
	bool planes = !transposed && choose_planes(p, &x, c);
	if (!planes)
		x = pl_channels_last(p, x);
	kind = CONV_PLANES;
	order[0] = 0;
	for (int i = 1; i < x.rank; i++)
		order[i] = i + 1 < x.rank ? i + 1 : 1;
	box[0] = 0;
	box[4] = 1;
	for (int i = 0; i < 3; i++)
		box[1 + i] = x.rank - 3 + i >= 2 ? x.rank - 3 + i : -1;
	View y = conv_result(p, f.result, order), place = y;
	if (y.stride[1] != 1 && y.dims[1] != 1) {
		y = view_dense(y.dtype, y.rank, y.dims);
		view_order(&y, order);
		y.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(float));
	}
	if (f.residual) {
		residual = pl_view(p, f.residual);
		if (residual.dims[1] != 1 && residual.stride[1] != 1)
			f.simple = false;
	}
	pl_spatial_strides(&x, c->x_stride);
	c->x_offset = x.offset;
	c->y_offset = y.offset;
	pl_spatial_strides(&y, c->y_stride);
	if (!planes && !choose_kind(p, c, transposed, &kind))
		return false;
	if (f.hard_swish && kind != CONV_DIRECT && kind != CONV_DEPTHWISE && kind != CONV_PLANES)
		f.simple = false;
	IntList posts = { 0 };
	const TileProgram *post = NULL;
	if (f.group && !f.simple) {
		f.residual = NULL;
		post = post_program(p, op, &f, &y, box, 2, &posts);
		if (!post) {
			drop_fusion(op, &f);
			y = place = pl_result(p, f.result, order);
		}
	}
	if (f.simple) {
		c->lo = f.lo;
		c->hi = f.hi;
		c->hard_swish = f.hard_swish;
		c->has_residual = f.residual != NULL;
		if (f.residual) {
			pl_spatial_strides(&residual, c->r_stride);
			c->r_offset = residual.offset;
		}
	}
	int64_t ws[5] = { 0 }, dense[VIEW_RANK];
	strides_of(pl_shape(p, wv)->rank, pl_shape(p, wv)->dims, dense);
	ws[0] = dense[0];
	ws[1] = dense[1];
	for (int i = 0; i < 3; i++)
		ws[2 + i] = box[1 + i] < 0 ? 0 : dense[box[1 + i]];
	if (!pl_pack_weights(p, wv, 0, kind, c, ws, 1.0f))
		return false;
	emit_conv(p, kind, c, &f, &x, y, c->has_residual ? &residual : NULL, post, &posts);
	if (!view_same(&y, &place)) {
		pl_copy(p, &y, &place);
		pl_set(p, f.result, place);
	}
	return true;
}

bool plan_conv(Planner *p, const Op *op)
{
	return plan_integer_conv(p, op) || plan_any_conv(p, op, op_is(op, OP_conv_transpose)) || plan_unfolded_conv(p, op);
}

/* ---- products with a constant matrix ---- */

/* a [..., K] times w: rows as pixels of a 1x1 convolution. w_k, w_n: strides of the weights. */
enum { STREAM_FROM = 1 << 17 }; /* elements */

typedef struct DenseOp {
	const Value *a, *w, *bias, *add; /* add: broadcast to the result */
	int64_t k, n, w_k, w_n;
	float alpha;
	bool trans_a;
	int64_t bits, block;    /* of weights in blocks; 0: w is of floats */
	BlockWeights blocks;
} DenseOp;

bool pl_lead_dims(const View *x, const View *y, bool merge, ConvParam *c)
{
	View mx, my;
	int64_t flat[2] = { 1, x->rank ? x->dims[x->rank - 1] : 1 }, out[2];
	for (int i = 0; i + 1 < x->rank; i++)
		flat[0] *= x->dims[i];
	out[0] = flat[0];
	out[1] = y->dims[y->rank - 1];
	c->batch = 1;
	for (int i = 0; i < 3; i++)
		c->in[i] = c->out[i] = c->kernel[i] = c->stride[i] = c->dilation[i] = 1;
	if (merge && view_reshape(x, 2, flat, &mx) && view_reshape(y, 2, out, &my)) {
		c->in[2] = c->out[2] = flat[0];
		c->x_stride[3] = mx.stride[0];
		c->y_stride[3] = my.stride[0];
		return true;
	}
	if (x->rank > 5 || y->rank != x->rank)
		return false;
	for (int i = 0; i + 1 < x->rank; i++) {
		int to = 4 - (x->rank - 1) + i;
		if (to == 0)
			c->batch = x->dims[i];
		else
			c->in[to - 1] = c->out[to - 1] = x->dims[i];
		c->x_stride[to] = x->stride[i];
		c->y_stride[to] = y->stride[i];
	}
	return true;
}

static bool residual_rows(const View *r, const View *x, const View *y, bool merged, ConvParam *c)
{
	ConvParam t = *c;
	View w = *r;
	if (r->rank != y->rank || (r->dims[r->rank - 1] != 1 && r->stride[r->rank - 1] != 1))
		return false;
	if (!pl_lead_dims(x, &w, merged, &t))
		return false;
	if (memcmp(t.in, c->in, sizeof(t.in)) != 0 || t.batch != c->batch)
		return false;
	memcpy(c->r_stride, t.y_stride, sizeof(t.y_stride));
	c->r_offset = r->offset;
	return true;
}

/* Whether the fusion can be done with rows merged; sets what the kernel needs for it. */
static bool fuse_dense(Planner *p, const Op *op, Fusion *f, const View *x, const View *y, bool merged, int first,
	ConvParam *c,
		View *residual, TileProgram **post, IntList *posts)
{
	int order[5];
	if (!f->group)
		return true;
	f->simple &= !f->hard_swish; /* not every kind of dense layer has it */
	if (f->simple) {
		if (f->residual) {
			*residual = pl_view(p, f->residual);
			if (!residual_rows(residual, x, y, merged, c))
				f->simple = false;
		}
		if (f->simple) {
			c->lo = f->lo;
			c->hi = f->hi;
			c->has_residual = f->residual != NULL;
			return true;
		}
	}
	if (y->rank > 5)
		return false;
	posts->len = 0;
	*post = NEW(p->arena, TileProgram);
	for (int i = 0; i < 5; i++)
		order[i] = i - (5 - y->rank) < 0 ? -1 : i - (5 - y->rank);
	return group_program(p, f->group, f->begin, op->results[0], NULL, y, order, 5, first, *post, posts) && (!merged ||
		program_rows(*post));
}

/* What a gemm adds, with the dims of the result and contiguous along the last one. */
static bool added_view(Planner *p, const DenseOp *d, const View *y, View *out)
{
	View v = pl_view(p, d->add);
	if (v.dtype != DT_F32 || v.rank > y->rank)
		return false;
	v = view_broadcast(&v, y->rank, y->dims);
	*out = v.stride[v.rank - 1] == 1 || v.dims[v.rank - 1] == 1 ? v : pl_plain(p, v);
	return true;
}

static bool pack_blocks(Planner *p, const DenseOp *d, ConvParam *c, ConvKind *kind)
{
	int64_t key[16];
	bool fill;
	*kind = CONV_BLOCKS;
	c->plan[0] = d->bits;
	c->plan[1] = d->block;
	if (!p->prog->kernels->conv_plan[CONV_BLOCKS](c, p->threads))
		return false;
	pl_packed_key(c, key);
	size_t scales = (size_t)(d->n * ((d->k - 1) / d->block + 1)) * sizeof(float);
	uint64_t grid = hash_bytes(d->blocks.scale, scales, d->blocks.zero != NULL);
	key[13] = (int64_t)(d->blocks.zero ? hash_bytes(d->blocks.zero, scales, grid) : grid); /* the same integers may have several */
	key[14] = d->bits;
	key[15] = d->block;
	if (p->prog->separate)
		VEC_PUSH(p->arena, &p->plan->blocks, ((BlockSource){ c, d->blocks }));
	c->weights = pl_packed_room(p, d->w, CONV_BLOCKS, key, 1.0f, p->prog->kernels->conv_pack_bytes[CONV_BLOCKS](c), &fill);
	if (fill)
		VEC_PUSH(p->scratch, &p->packs, ((PackJob){ .param = *c, .kind = CONV_BLOCKS, .to = (void *)(uintptr_t)c->weights,
			.blocks = d->blocks, .blob = value_constant(d->w) ? value_constant(d->w)->u.tensor.blob : NULL }));
	return true;
}

/* Large weights that few rows go through are read where they lie: packing them would cost more than many runs. */
static bool stream_weights(Planner *p, const DenseOp *d, ConvParam *c, const int64_t stride[5])
{
	const KernelSet *k = p->prog->kernels;
	if (d->k * d->n < STREAM_FROM || !pl_source(p, d->w, 0, c, stride, d->alpha) || !k->conv_plan[CONV_STREAM] ||
			!k->conv_plan[CONV_STREAM](c, p->threads))
		return false;
	const float *settled = map_get(&p->prog->settled, MAP_PTR(d->w));
	if (c->source)
		VEC_PUSH(p->arena, &p->plan->loans, ((Loan){ c, d->w, d->k * d->n }));
	else if (!settled)
		settled = pl_settle_computed(p, d->w);
	if (settled)
		c->source = settled;
	return true;
}

/* Whether only dense layers read v, row by row. */
static bool read_by_dense(const Value *v)
{
	for (const Use *u = v->uses; u; u = u->next) {
		const Op *op = u->user;
		if ((!op_is(op, OP_matmul) && !op_is(op, OP_gemm)) || u != &op->operands[0] || !value_is_constant(op_operand(op, 1)) ||
				(op_is(op, OP_gemm) && op_int(op, A_trans_a)))
			return false;
	}
	return v->uses != NULL;
}

/* Where a dense layer's result goes. Rows a power of two apart would fall into one set of the cache, and the layer that reads
 * them would copy them first: so they lie a little further apart. */
static View dense_result(Planner *p, const Value *v, const int *order)
{
	enum { ALIAS = 4096, APART = 16, LEAST_ROWS = 16 };
	View y = pl_result(p, v, order);
	int64_t row = y.rank ? y.dims[y.rank - 1] : 0, step = row + APART;
	if (p->places[v->id].set || !view_plain(&y) || !row || row * (int64_t)sizeof(float) % ALIAS ||
			view_count(&y) / row < LEAST_ROWS || !read_by_dense(v))
		return y;
	for (int i = y.rank - 1; i-- > 0; step *= y.dims[i])
		y.stride[i] = step;
	y.buffer = pl_buffer(p, step * (int64_t)sizeof(float));
	return y;
}

static bool emit_dense(Planner *p, const Op *op, const DenseOp *d)
{
	ConvParam *c = NEW(p->arena, ConvParam);
	ConvKind kind = CONV_STREAM;
	*c = (ConvParam){ .groups = 1, .ic = d->k, .oc = d->n, .lo = -INFINITY, .hi = INFINITY };
	c->bias = d->bias ? pl_constant(p, d->bias)->data : NULL;
	Fusion f = fusion_of(p, op);
	if (d->add && f.residual) {
		f.residual = NULL; /* there is room for one */
		f.simple = false;
	}
	View x = pl_view(p, d->a), residual, added;
	if (d->trans_a) {
		int64_t n = x.dims[0], s = x.stride[0];
		x.dims[0] = x.dims[1];
		x.stride[0] = x.stride[1];
		x.dims[1] = n;
		x.stride[1] = s;
	}
	x = pl_last_dense(p, x);
	int order[VIEW_RANK];
	pl_order(p, f.result, order);
	View y = dense_result(p, f.result, order), place = y;
	if (y.rank && y.dims[y.rank - 1] != 1 && y.stride[y.rank - 1] != 1) {
		y = view_dense(y.dtype, y.rank, y.dims);
		y.buffer = pl_buffer(p, view_count(&y) * (int64_t)sizeof(float));
	}
	if (y.rank != x.rank || !y.rank)
		return false;
	TileProgram *post = NULL;
	IntList posts = { 0 };
	if (d->add && !added_view(p, d, &y, &added))
		return false;
	bool merged = pl_lead_dims(&x, &y, true, c) && fuse_dense(p, op, &f, &x, &y, true, d->add ? 3 : 2, c, &residual,
		&post, &posts);
	if (!merged) {
		f = fusion_of(p, op);
		post = NULL;
		c->has_residual = false;
		if (d->add && f.residual) {
			f.residual = NULL;
			f.simple = false;
		}
		if (!pl_lead_dims(&x, &y, false, c) || !fuse_dense(p, op, &f, &x, &y, false, d->add ? 3 : 2, c, &residual, &post,
			&posts)) {
			drop_fusion(op, &f);
			post = NULL;
			x = pl_plain(p, x);
			y = place = pl_result(p, f.result, NULL);
			if (!pl_lead_dims(&x, &y, true, c))
				return false;
		}
	}
	if (d->add) {
		residual = added;
		c->has_residual = residual_rows(&residual, &x, &y, c->batch == 1 && c->in[0] == 1 && c->in[1] == 1, c);
		if (!c->has_residual)
			return false;
	}
	if (f.bias)
		c->bias = f.bias;
	c->x_offset = x.offset;
	c->y_offset = y.offset;
	int64_t ws[5] = { d->w_n, d->w_k, 0, 0, 0 };
	bool ready = d->bits ? pack_blocks(p, d, c, &kind) : stream_weights(p, d, c, ws) ||
		(choose_kind(p, c, false, &kind) && pl_pack_weights(p, d->w, 0, kind, c, ws, d->alpha));
	if (!ready)
		return false;
	emit_conv(p, kind, c, &f, &x, y, c->has_residual ? &residual : NULL, post, &posts);
	p->plan->steps.data[p->plan->steps.len - 1].name = p->plan->info.data[p->plan->info.len - 1].kernel = d->bits ? "blocks" : "dense";
	if (!view_same(&y, &place)) {
		pl_copy(p, &y, &place);
		pl_set(p, f.result, place);
	}
	return true;
}

static bool plan_gemm(Planner *p, const Op *op)
{
	const Value *c = op_operand(op, 2);
	const Shape *w = pl_shape(p, op_operand(op, 1));
	bool trans_b = op_int(op, A_trans_b) != 0;
	if (!value_is_constant(op_operand(op, 1)) || (c && op_float(op, A_beta) != 1.0))
		return c ? plan_gemm_sum(p, op) : plan_matmul(p, op);
	bool vector = c && is_float_list(p, c, w->dims[trans_b ? 0 : 1]);
	DenseOp d = { .a = op_operand(op, 0), .w = op_operand(op, 1), .bias = vector ? c : NULL, .add = vector ? NULL : c,
		.k = w->dims[trans_b ? 1 : 0],
		.n = w->dims[trans_b ? 0 : 1], .w_k = trans_b ? 1 : w->dims[1], .w_n = trans_b ? w->dims[1] : 1,
		.alpha = (float)op_float(op, A_alpha), .trans_a = op_int(op, A_trans_a) != 0 };
	return emit_dense(p, op, &d);
}

bool plan_dense(Planner *p, const Op *op)
{
	if (plan_integer_dense(p, op))
		return true;
	if (pl_shape(p, op->results[0])->dtype == DT_F64)
		return plan_matmul64(p, op);
	if (pl_shape(p, op->results[0])->dtype != DT_F32)
		return false;
	if (op_is(op, OP_gemm))
		return plan_gemm(p, op);
	const Value *w = op_operand(op, 1);
	const Shape *a = pl_shape(p, op_operand(op, 0)), *b = pl_shape(p, w);
	if (value_is_constant(w) && b->rank == 2 && a->rank >= 2) {
		DenseOp d = { .a = op_operand(op, 0), .w = w, .k = b->dims[0], .n = b->dims[1], .w_k = b->dims[1], .w_n = 1,
			.alpha = 1 };
		if (emit_dense(p, op, &d))
			return true;
	}
	return plan_matmul(p, op);
}

/* ---- products with weights of few bits ---- */

/* Where scales and zero points are kept until they are packed; sources in C take them from the finished plan. */
static Arena *block_arena(Planner *p)
{
	return p->prog->separate ? p->arena : p->scratch;
}

static const float *block_floats(Planner *p, const Tensor *t)
{
	float *out = NEW_ARRAY(block_arena(p), float, t->count + 1);
	for (int64_t i = 0; i < t->count; i++) {
		double x;
		tensor_load_f64(t, i, 1, &x);
		out[i] = (float)x;
	}
	return out;
}

/* Zero points of each column's blocks, packed like the weights or as floats. */
static bool block_zeros(Planner *p, const Value *v, int64_t n, int64_t blocks, int64_t bits, const float **out)
{
	Tensor *t = v ? pl_constant(p, v) : NULL;
	int64_t row = (blocks * bits + 7) / 8;
	*out = NULL;
	if (!v)
		return true;
	if (!t || t->count != n * (t->dtype == DT_U8 ? row : blocks) || (t->dtype != DT_U8 && !dtype_is_float(t->dtype)))
		return false;
	if (t->dtype != DT_U8) {
		*out = block_floats(p, t);
		return true;
	}
	float *zero = NEW_ARRAY(block_arena(p), float, n * blocks);
	for (int64_t i = 0; i < n * blocks; i++) {
		int64_t at = i % blocks * bits;
		zero[i] = (float)(((const uint8_t *)t->data)[i / blocks * row + at / 8] >> at % 8 & ((1 << bits) - 1));
	}
	*out = zero;
	return true;
}

bool plan_blocks(Planner *p, const Op *op)
{
	int64_t k = op_attr_int(op, A_K, 0), n = op_attr_int(op, A_N, 0), bits = op_attr_int(op, A_bits, 4);
	int64_t block = op_attr_int(op, A_block_size, 0), bytes;
	const Value *bias = op_operand(op, 5);
	const Shape *x = pl_shape(p, op_operand(op, 0)), *y = pl_shape(p, op->results[0]);
	if ((bits != 4 && bits != 8) || block < 16 || k < 1 || n < 1 || op_operand(op, 4) || x->dtype != DT_F32 || y->dtype != DT_F32 ||
			x->rank < 1 || x->dims[x->rank - 1] != k || x->count == 0)
		return false;
	int64_t blocks = (k - 1) / block + 1;
	Tensor *w = value_is_constant(op_operand(op, 1)) ? pl_constant(p, op_operand(op, 1)) : NULL;
	Tensor *scale = value_is_constant(op_operand(op, 2)) ? pl_constant(p, op_operand(op, 2)) : NULL;
	if (!w || !scale || w->dtype != DT_U8 || !mul_ok(n * blocks, block * bits / 8, &bytes) || w->count != bytes ||
			scale->count != n * blocks || !dtype_is_float(scale->dtype) || (bias && !is_float_list(p, bias, n)))
		return false;
	DenseOp d = { .a = op_operand(op, 0), .w = op_operand(op, 1), .bias = bias, .k = k, .n = n, .alpha = 1, .bits = bits,
		.block = block, .blocks = { .data = w->data, .scale = block_floats(p, scale) } };
	return block_zeros(p, op_operand(op, 3), n, blocks, bits, &d.blocks.zero) && emit_dense(p, op, &d);
}

#include "contrib_int.h"

/* Operators of com.microsoft for biases, layouts, images and data: see contrib.c. */

static const RwAttr *axis_attr(Lg *l, int64_t axis, RwAttr *a)
{
	a[0] = (RwAttr){ A_axis, lg_int(l, axis) };
	a[1] = (RwAttr){ A_NONE, NULL };
	return a;
}

static Value *unsqueezed(Lg *l, Value *x, int64_t axis)
{
	return lg_new1(l, OP_unsqueeze, x, (RwAttr[]){ { A_axes, lg_ints_attr(l, &axis, 1) }, { A_NONE, NULL } });
}

/* ---- biases ---- */

bool contrib_bias_add(Lg *l, OpKind core)
{
	return lg_become(l, core, (Value *[]){ lg_new2(l, core, lg_in(l, 0), lg_in(l, 1), NULL), lg_in(l, 2) }, 2, NULL);
}

/* Softmax of scores and bias over all dims from the axis on. The bias lacks the dims before the axis, or those between the
 * first one and the axis, where it has dims of size 1. */
bool contrib_bias_softmax(Lg *l, OpKind core)
{
	int64_t x[MAX_RANK], b[MAX_RANK], rows = 1, shape[MAX_RANK];
	Value *data = lg_in(l, 0), *bias = lg_in(l, 1);
	int rank = lg_rank(data), bias_rank = lg_rank(bias), at;
	RwAttr axis[2];
	if (rank < 1 || rank > MAX_RANK || bias_rank < 0 || bias_rank > rank || !type_static_dims(data->type, x) ||
			!type_static_dims(bias->type, b) || !axis_norm(op_attr_int(l->op, A_axis, 1), rank, &at))
		return false;
	for (int i = 0; i < rank; i++)
		shape[i] = i < rank - bias_rank ? 1 : b[i - (rank - bias_rank)];
	for (int i = 0; i < at; i++)
		rows *= x[i];
	Value *sum = lg_new2(l, OP_add, data, ct_shaped(l, bias, shape, (size_t)rank), NULL);
	Value *y = lg_new1(l, core, ct_shaped(l, sum, (int64_t[]){ rows, -1 }, 2), axis_attr(l, 1, axis));
	return ct_become(l, ct_shaped(l, y, x, (size_t)rank));
}

/* The first half of the last dim times gelu of the second. */
bool contrib_bias_split_gelu(Lg *l, OpKind core)
{
	int64_t width;
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x);
	if (rank < 1 || !sym_const(x->type->dims[rank - 1], &width) || width % 2)
		return false;
	Value *sum = ct_plus(l, x, lg_in(l, 1));
	Value *gate = lg_new1(l, core, ct_sliced(l, sum, rank - 1, width / 2, width), NULL);
	return lg_become(l, OP_mul, (Value *[]){ ct_sliced(l, sum, rank - 1, 0, width / 2), gate }, 2, NULL);
}

/* Outside training nothing is dropped. */
bool contrib_bias_dropout(Lg *l, OpKind core)
{
	int64_t training = 0;
	if ((lg_in(l, 4) && (!constant_int(lg_in(l, 4), &training) || training)) || !lg_unused_results(l, 1))
		return false;
	op_drop_results(l->op, 1);
	Value *sum = lg_new2(l, core, lg_in(l, 0), lg_in(l, 1), NULL);
	return ct_become(l, ct_plus(l, sum, lg_in(l, 2)));
}

bool contrib_gemm_gelu(Lg *l, OpKind core)
{
	Value *y = ct_plus(l, lg_new2(l, OP_matmul, lg_in(l, 0), lg_in(l, 1), NULL), lg_in(l, 2));
	return lg_become(l, core, &y, 1, (RwAttr[]){ { A_approximate, lg_text(l, "tanh") }, { A_NONE, NULL } });
}

/* ---- normalisation ---- */

/* GroupNorm, and SkipGroupNorm, whose second result is the sum. The skip may be one row a batch entry. */
bool contrib_group_norm(Lg *l, OpKind core)
{
	const Op *op = l->op;
	bool last = op_int(op, A_channels_last) != 0, silu = op_attr_int(op, A_activation, 0) == 1;
	bool skip = op_is(op, OWN_MS_SkipGroupNorm);
	Value *x = lg_in(l, 0);
	int64_t dims[MAX_RANK], s[MAX_RANK], groups = op_attr_int(op, A_groups, 0);
	int rank = lg_rank(x);
	if (rank != 4 || !type_static_dims(x->type, dims) || groups < 1)
		return false;
	if (skip) {
		Value *more = lg_in(l, 3), *bias = lg_in(l, 4);
		int64_t channels = last ? dims[3] : dims[1];
		if (ct_dims_of(l, 3, 2, s))
			more = ct_shaped(l, more, (int64_t[]){ dims[0], last ? 1 : channels, 1, last ? channels : 1 }, 4);
		if (bias && !last)
			bias = ct_shaped(l, bias, (int64_t[]){ channels, 1, 1 }, 3);
		x = ct_plus(l, lg_new2(l, OP_add, x, more, NULL), bias);
		ct_give(l, 1, x);
		op_drop_results(l->op, 1);
	}
	if (last)
		x = ct_turned(l, x, (int64_t[]){ 0, 3, 1, 2 }, 4);
	DType d = lg_dtype(lg_in(l, 0));
	Value *in[3] = { x, ct_as_type(l, lg_in(l, 1), d), ct_as_type(l, lg_in(l, 2), d) };
	Value *y = lg_new(l, core, in, 3, (RwAttr[]){ { A_num_groups, lg_int(l, groups) },
			{ A_epsilon, lg_float(l, op_float(op, A_epsilon)) }, { A_NONE, NULL } });
	if (silu)
		y = lg_new1(l, OP_swish, y, NULL);
	return ct_become(l, last ? ct_turned(l, y, (int64_t[]){ 0, 2, 3, 1 }, 4) : y);
}

/* The bucket of the distance from a query to a key, as T5 has it: near ones each their own, far ones by logarithm. */
static int64_t bucket_of(int64_t distance, int64_t buckets, int64_t most, bool both_ways)
{
	int64_t base = 0;
	if (both_ways) {
		buckets /= 2;
		base = distance > 0 ? buckets : 0;
		distance = distance < 0 ? -distance : distance;
	} else {
		distance = distance < 0 ? -distance : 0;
	}
	int64_t exact = buckets / 2;
	if (distance < exact)
		return base + distance;
	double log_ratio = log((double)distance / (double)exact) / log((double)most / (double)exact);
	int64_t far = exact + (int64_t)(log_ratio * (double)(buckets - exact));
	return base + (far < buckets - 1 ? far : buckets - 1);
}

bool contrib_relative_bias(Lg *l, OpKind core)
{
	int64_t table[MAX_RANK], queries, keys, count, most = op_attr_int(l->op, A_max_distance, 0);
	if (!ct_dims_of(l, 0, 2, table) || !constant_int(lg_in(l, 1), &queries) || !constant_int(lg_in(l, 2), &keys) ||
			queries < 0 || keys < 0 || !mul_ok(queries, keys, &count) || count > 1 << 24 || table[0] < 4 || most < table[0])
		return false;
	int64_t *index = NEW_ARRAY(l->a, int64_t, count + 1);
	for (int64_t i = 0; i < count; i++)
		index[i] = bucket_of(i % keys - i / keys, table[0], most, op_attr_int(l->op, A_is_bidirectional, 0) != 0);
	Value *places = ct_shaped(l, lg_const_ints(l, index, (size_t)count), (int64_t[]){ queries, keys }, 2);
	Value *picked = lg_new2(l, core, lg_in(l, 0), places, NULL);
	Value *turned = ct_turned(l, picked, (int64_t[]){ 2, 0, 1 }, 3);
	return ct_become(l, unsqueezed(l, turned, 0));
}

/* ---- windows ---- */

bool contrib_nhwc_pool(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x);
	if (rank < 3)
		return false;
	Value *y = lg_new1(l, core, ct_channels_first(l, x, true), (RwAttr[]){ { A_kernel, lg_attr(l, A_kernel_shape) },
			{ A_strides, lg_attr(l, A_strides) }, { A_pads, lg_attr(l, A_pads) }, { A_dilations, lg_attr(l, A_dilations) },
			{ A_auto_pad, ct_auto_pad(l) }, { A_ceil_mode, lg_attr(l, A_ceil_mode) }, { A_NONE, NULL } });
	return ct_become(l, ct_channels_last(l, y, rank, true));
}

/* ConvTransposeWithDynamicPads: the pads are an operand. */
bool contrib_conv_pads(Lg *l, OpKind core)
{
	const int64_t *pads;
	size_t n;
	Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 3) };
	if (!lg_operand_ints(l, 2, &pads, &n))
		return false;
	return lg_become(l, core, in, 3, (RwAttr[]){ { A_strides, lg_attr(l, A_strides) },
			{ A_pads, n ? lg_ints_attr(l, pads, n) : NULL }, { A_dilations, lg_attr(l, A_dilations) },
			{ A_groups, lg_attr(l, A_group) }, { A_output_padding, lg_attr(l, A_output_padding) },
			{ A_auto_pad, ct_auto_pad(l) }, { A_NONE, NULL } });
}

/* ---- data ---- */

bool contrib_expand_dims(Lg *l, OpKind core)
{
	int64_t axis;
	int rank = lg_rank(lg_in(l, 0)), at;
	if (!constant_int(lg_in(l, 1), &axis) || rank < 0 || !axis_norm(axis, rank + 1, &at))
		return false;
	return lg_become(l, core, (Value *[]){ lg_in(l, 0) }, 1,
			(RwAttr[]){ { A_axes, lg_ints_attr(l, (int64_t[]){ at }, 1) }, { A_NONE, NULL } });
}

/* The step is 1 when it is absent; the operands may be vectors of one element. */
bool contrib_range(Lg *l, OpKind core)
{
	Value *in[3];
	DType d = lg_dtype(lg_in(l, 0));
	int64_t one = 1;
	for (size_t i = 0; i < 3; i++) {
		in[i] = lg_in(l, i);
		if (in[i] && lg_rank(in[i]) != 0)
			in[i] = lg_new2(l, OP_reshape, in[i], lg_const_ints(l, &one, 0), NULL);
	}
	if (!in[2])
		in[2] = dtype_is_float(d) ? lg_const_float(l, d, 1) : constant_from_ints(l->op->block, l->op, d, 0, NULL, &one);
	return lg_become(l, core, in, 3, NULL);
}

bool contrib_pad(Lg *l, OpKind core)
{
	Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) };
	int64_t one = 1;
	if (in[2] && lg_rank(in[2]) != 0)
		in[2] = lg_new2(l, OP_reshape, in[2], lg_const_ints(l, &one, 0), NULL);
	if (lg_rank(in[1]) == 2)
		in[1] = ct_shaped(l, in[1], (int64_t[]){ -1 }, 1);
	return lg_become(l, core, in, 3, (RwAttr[]){ { A_mode, lg_attr(l, A_mode) }, { A_NONE, NULL } });
}

/* In the order of first occurrence: results are the values, the place of each element's value, and counts. */
bool contrib_unique(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0);
	OpSpec s = { .def = op_def(l->c, core), .operands = &x, .noperands = 1, .nresults = 4, .loc = l->op->loc };
	Op *u = op_new(l->op->block, l->op, &s);
	op_set_attr(u, l->c->attr_names[A_sorted], lg_int(l, 0));
	ct_give(l, 1, u->results[2]);
	ct_give(l, 2, u->results[3]);
	op_drop_results(l->op, 1);
	return ct_become(l, u->results[0]);
}

bool contrib_embedding(Lg *l, OpKind core)
{
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_in(l, 1) }, 2, NULL);
}

/* All slices of `size` elements along a dim, `step` apart; their elements become the last dim. */
bool contrib_unfold(Lg *l, OpKind core)
{
	int64_t dims[MAX_RANK], size = op_attr_int(l->op, A_size, 0), step = op_int(l->op, A_step), perm[MAX_RANK + 1];
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x), at;
	RwAttr axis[2];
	if (rank < 1 || rank >= MAX_RANK || !type_static_dims(x->type, dims) || !axis_norm(op_int(l->op, A_dim), rank, &at) ||
			size < 1 || step < 1 || size > dims[at])
		return false;
	int64_t n = (dims[at] - size) / step + 1, count;
	if (!mul_ok(n, size, &count) || count > 1 << 24)
		return false;
	int64_t *places = NEW_ARRAY(l->a, int64_t, count + 1);
	for (int64_t i = 0; i < count; i++)
		places[i] = i / size * step + i % size;
	Value *index = ct_shaped(l, lg_const_ints(l, places, (size_t)count), (int64_t[]){ n, size }, 2);
	Value *y = lg_new2(l, core, x, index, axis_attr(l, at, axis));
	for (int i = 0, k = 0; i <= rank; i++)
		if (i != at + 1)
			perm[k++] = i;
	perm[rank] = at + 1;
	return ct_become(l, ct_turned(l, y, perm, (size_t)rank + 1));
}

/* Distances of the rows of two matrices. */
bool contrib_distance(Lg *l, OpKind core)
{
	const Str *metric = op_attr_str(l->op, A_metric);
	bool root = metric && !strcmp(metric->s, "euclidean");
	if (metric && !root && strcmp(metric->s, "sqeuclidean"))
		return false;
	Value *d = lg_new2(l, OP_sub, unsqueezed(l, lg_in(l, 0), 1), unsqueezed(l, lg_in(l, 1), 0), NULL);
	Value *y = lg_new1(l, core, lg_new2(l, OP_mul, d, d, NULL), (RwAttr[]){ { A_kind, lg_text(l, "sum") },
			{ A_axes, lg_ints_attr(l, (int64_t[]){ 2 }, 1) }, { A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } });
	return lg_become(l, root ? OP_sqrt : OP_identity, &y, 1, NULL);
}

/* Pairs of real and imaginary parts in the last dim; ComplexMulConj takes the conjugate of the second. */
bool contrib_complex_mul(Lg *l, OpKind core)
{
	Value *a = lg_in(l, 0), *b = lg_in(l, 1);
	int ra = lg_rank(a), rb = lg_rank(b);
	bool conjugate = op_is(l->op, OWN_MS_ComplexMulConj);
	RwAttr axis[2];
	if (ra < 1 || rb < 1)
		return false;
	Value *ar = ct_sliced(l, a, ra - 1, 0, 1), *ai = ct_sliced(l, a, ra - 1, 1, 2);
	Value *br = ct_sliced(l, b, rb - 1, 0, 1), *bi = ct_sliced(l, b, rb - 1, 1, 2);
	Value *re = lg_new2(l, conjugate ? OP_add : OP_sub, lg_new2(l, OP_mul, ar, br, NULL), lg_new2(l, OP_mul, ai, bi, NULL),
			NULL);
	Value *im = lg_new2(l, conjugate ? OP_sub : OP_add, lg_new2(l, OP_mul, ai, br, NULL), lg_new2(l, OP_mul, ar, bi, NULL),
			NULL);
	return lg_become(l, core, (Value *[]){ re, im }, 2, axis_attr(l, (ra > rb ? ra : rb) - 1, axis));
}

/* Over the last dim: real numbers to the first half of the spectrum. */
bool contrib_rfft(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x);
	if (rank < 1 || op_attr_int(l->op, A_signal_ndim, 1) != 1 || op_attr_int(l->op, A_normalized, 0) ||
			!op_attr_int(l->op, A_onesided, 1))
		return false;
	Value *in[3] = { unsqueezed(l, x, rank), NULL, lg_const_int(l, rank - 1) };
	return lg_become(l, core, in, 3, (RwAttr[]){ { A_onesided, lg_int(l, 1) }, { A_NONE, NULL } });
}

bool contrib_sample(Lg *l, OpKind core)
{
	return lg_become(l, core, (Value *[]){ lg_in(l, 0) }, 1, NULL);
}

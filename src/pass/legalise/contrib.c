#include "contrib_int.h"

/* Operators of com.microsoft, taken apart to be run: see evalonly.c. Here: helpers, activations, products, norms. */

Value *ct_shaped(Lg *l, Value *x, const int64_t *dims, size_t n)
{
	return lg_new2(l, OP_reshape, x, lg_const_ints(l, dims, n), NULL);
}

Value *ct_turned(Lg *l, Value *x, const int64_t *perm, size_t n)
{
	return lg_new1(l, OP_transpose, x, (RwAttr[]){ { A_perm, lg_ints_attr(l, perm, n) }, { A_NONE, NULL } });
}

Value *ct_sliced(Lg *l, Value *x, int64_t axis, int64_t first, int64_t last)
{
	return lg_new(l, OP_slice, (Value *[]){ x, lg_const_ints(l, &first, 1), lg_const_ints(l, &last, 1) }, 3,
			(RwAttr[]){ { A_axes, lg_ints_attr(l, &axis, 1) }, { A_NONE, NULL } });
}

Value *ct_plus(Lg *l, Value *x, Value *more)
{
	return more ? lg_new2(l, OP_add, x, more, NULL) : x;
}

Value *ct_as_type(Lg *l, Value *x, DType d)
{
	return lg_new1(l, OP_cast, x, (RwAttr[]){ { A_to, attr_dtype(l->c, d) }, { A_NONE, NULL } });
}

bool ct_become(Lg *l, Value *y)
{
	return lg_become(l, OP_identity, &y, 1, NULL);
}

/* Dims of operand i with the given rank; false when it is absent or of another. */
bool ct_dims_of(const Lg *l, size_t i, int rank, int64_t *dims)
{
	const Value *v = lg_in(l, i);
	return v && lg_rank(v) == rank && type_static_dims(v->type, dims);
}

/* A result other than the first: v stands for it, and the op keeps its first result only once all are taken. */
void ct_give(Lg *l, size_t i, Value *v)
{
	if (i < l->op->nresults)
		value_replace_uses(l->op->results[i], v);
}

Value *ct_channels_first(Lg *l, Value *x, bool last)
{
	int64_t perm[MAX_RANK];
	int rank = lg_rank(x);
	if (!last || rank < 2 || rank > MAX_RANK)
		return x;
	perm[0] = 0;
	perm[1] = rank - 1;
	for (int i = 2; i < rank; i++)
		perm[i] = i - 1;
	return ct_turned(l, x, perm, (size_t)rank);
}

Value *ct_channels_last(Lg *l, Value *x, int rank, bool last)
{
	int64_t perm[MAX_RANK];
	if (!last || rank < 2 || rank > MAX_RANK)
		return x;
	perm[0] = 0;
	perm[rank - 1] = 1;
	for (int i = 1; i < rank - 1; i++)
		perm[i] = i + 1;
	return ct_turned(l, x, perm, (size_t)rank);
}

const Attr *ct_auto_pad(Lg *l)
{
	const Str *s = op_attr_str(l->op, A_auto_pad);
	return s && strcmp(s->s, "NOTSET") ? lg_attr(l, A_auto_pad) : NULL;
}

/* ---- activations ---- */

bool contrib_gelu(Lg *l, OpKind core)
{
	bool fast = op_is(l->op, OWN_MS_FastGelu);
	Value *x = ct_plus(l, lg_in(l, 0), lg_in(l, 1));
	return lg_become(l, core, &x, 1,
			(RwAttr[]){ { A_approximate, fast ? lg_text(l, "tanh") : NULL }, { A_NONE, NULL } });
}

bool contrib_quick_gelu(Lg *l, OpKind core)
{
	return lg_become_same(l, core, (RwAttr[]){ { A_alpha, lg_float(l, op_float(l->op, A_alpha)) }, { A_NONE, NULL } });
}

/* The op becomes the activation of that name over x. */
bool ct_activate(Lg *l, Value *x, const Str *name, const Attr *alpha, const Attr *beta)
{
	static const struct { const char *name; OpKind kind; bool alpha, beta; } KINDS[] = {
		{ "Relu", OP_relu, false, false }, { "Tanh", OP_tanh, false, false }, { "Sigmoid", OP_sigmoid, false, false },
		{ "LeakyRelu", OP_leaky_relu, true, false }, { "HardSigmoid", OP_hard_sigmoid, true, true },
	};
	if (!name)
		return lg_become(l, OP_identity, &x, 1, NULL);
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (!strcmp(KINDS[i].name, name->s))
			return lg_become(l, KINDS[i].kind, &x, 1, (RwAttr[]){ { A_alpha, KINDS[i].alpha ? alpha : NULL },
					{ A_beta, KINDS[i].beta ? beta : NULL }, { A_NONE, NULL } });
	if (strcmp(name->s, "Clip") || !alpha || !beta)
		return false;
	DType d = lg_dtype(lg_in(l, 0));
	return lg_become(l, OP_clamp, (Value *[]){ x, lg_const_float(l, d, alpha->u.f), lg_const_float(l, d, beta->u.f) }, 3,
			NULL);
}

/* ---- products ---- */

/* x with its last two axes exchanged, and with `batch` the first one moved before the last. */
static Value *matrix_view(Lg *l, Value *x, bool exchange, bool batch)
{
	int64_t perm[MAX_RANK], first;
	int rank = lg_rank(x);
	if (rank < 2 || rank > MAX_RANK || (!exchange && !batch))
		return x;
	for (int i = 0; i < rank; i++)
		perm[i] = i;
	first = perm[0];
	for (int i = 0; batch && i < rank - 2; i++)
		perm[i] = perm[i + 1];
	if (batch)
		perm[rank - 2] = first;
	if (exchange) {
		int64_t t = perm[rank - 2];
		perm[rank - 2] = perm[rank - 1];
		perm[rank - 1] = t;
	}
	return ct_turned(l, x, perm, (size_t)rank);
}

Value *ct_matrix(Lg *l, Value *x, bool exchange)
{
	return matrix_view(l, x, exchange, false);
}

bool contrib_matmul(Lg *l, OpKind core)
{
	const Op *op = l->op;
	double alpha = op_float(op, A_alpha);
	Value *a = matrix_view(l, lg_in(l, 0), op_int(op, A_transA) != 0, op_int(op, A_transBatchA) != 0);
	Value *b = matrix_view(l, lg_in(l, 1), op_int(op, A_transB) != 0, op_int(op, A_transBatchB) != 0);
	if (lg_rank(lg_in(l, 0)) < 0 || lg_rank(lg_in(l, 1)) < 0)
		return false;
	if (alpha == 1)
		return lg_become(l, core, (Value *[]){ a, b }, 2, NULL);
	Value *y = lg_new2(l, core, a, b, NULL);
	return lg_become(l, OP_mul, (Value *[]){ y, lg_const_float(l, lg_dtype(lg_in(l, 0)), alpha) }, 2, NULL);
}

bool contrib_gemm(Lg *l, OpKind core)
{
	const Op *op = l->op;
	Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) };
	Value *y = lg_new(l, core, in, in[2] ? 3 : 2, (RwAttr[]){ { A_alpha, lg_float(l, op_float(op, A_alpha)) },
			{ A_beta, lg_float(l, op_float(op, A_beta)) }, { A_trans_a, lg_int(l, op_int(op, A_transA)) },
			{ A_trans_b, lg_int(l, op_int(op, A_transB)) }, { A_NONE, NULL } });
	return ct_activate(l, y, op_attr_str(op, A_activation), lg_attr(l, A_activation_alpha), lg_attr(l, A_activation_beta));
}

bool contrib_conv(Lg *l, OpKind core)
{
	const Op *op = l->op;
	const Attr *p = lg_attr(l, A_activation_params);
	Value *in[3] = { lg_in(l, 0), lg_in(l, 1), lg_in(l, 2) };
	bool last = op_is(op, OWN_MS_NhwcConv) || op_is(op, OWN_MS_NhwcFusedConv);
	int rank = lg_rank(in[0]);
	if (rank < 3)
		return false;
	in[0] = ct_channels_first(l, in[0], last);
	Value *y = lg_new(l, core, in, in[2] ? 3 : 2, (RwAttr[]){ { A_strides, lg_attr(l, A_strides) },
			{ A_pads, lg_attr(l, A_pads) }, { A_auto_pad, ct_auto_pad(l) }, { A_dilations, lg_attr(l, A_dilations) }, { A_groups, lg_attr(l, A_group) },
			{ A_NONE, NULL } });
	bool some = p && p->kind == ATTR_FLOATS;
	y = ct_channels_last(l, y, rank, last);
	return ct_activate(l, ct_plus(l, y, lg_in(l, 3)), op_attr_str(op, A_activation),
			some && p->u.floats.n > 0 ? lg_float(l, p->u.floats.v[0]) : NULL,
			some && p->u.floats.n > 1 ? lg_float(l, p->u.floats.v[1]) : NULL);
}

/* ---- normalisation ---- */

/* Normalises sum over its last axis; results 1 and 2 are not to be had. */
static bool become_norm(Lg *l, OpKind core, Value *sum, Value *gamma, Value *beta)
{
	const Attr *epsilon = lg_float(l, op_float(l->op, A_epsilon));
	op_drop_results(l->op, 1);
	return lg_become(l, core, (Value *[]){ sum, gamma, beta }, beta ? 3 : 2,
			(RwAttr[]){ { A_epsilon, epsilon }, { A_NONE, NULL } });
}

bool contrib_skip_norm(Lg *l, OpKind core)
{
	bool rms = core == OP_rms_norm;
	Value *sum = ct_plus(l, lg_new2(l, OP_add, lg_in(l, 0), lg_in(l, 1), NULL), lg_in(l, rms ? 3 : 4));
	for (size_t i = 1; i < l->op->nresults && i < 3; i++)
		if (value_has_uses(l->op->results[i]))
			return false;
	ct_give(l, 3, sum);
	return become_norm(l, core, sum, lg_in(l, 2), rms ? NULL : lg_in(l, 3));
}

bool contrib_rms(Lg *l, OpKind core)
{
	if (!lg_unused_results(l, 1))
		return false;
	const Attr *axis = lg_int(l, op_int(l->op, A_axis)), *epsilon = lg_float(l, op_float(l->op, A_epsilon));
	op_drop_results(l->op, 1);
	return lg_become_same(l, core, (RwAttr[]){ { A_axis, axis }, { A_epsilon, epsilon }, { A_NONE, NULL } });
}

/* Embeddings of words, places and segments, added and normalised; the mask index is the number of ones of each row. */
bool contrib_embed(Lg *l, OpKind core)
{
	int64_t ids[2];
	Value *segments = lg_in(l, 1), *segment_table = lg_in(l, 4), *mask = lg_in(l, 7), *places = lg_in(l, 8);
	if (!ct_dims_of(l, 0, 2, ids))
		return false;
	Value *sum = lg_new2(l, OP_gather, lg_in(l, 2), lg_in(l, 0), NULL);
	Value *place = places ? lg_new2(l, OP_gather, lg_in(l, 3), places, NULL) : ct_sliced(l, lg_in(l, 3), 0, 0, ids[1]);
	sum = ct_plus(l, sum, place);
	if (segments && segment_table)
		sum = ct_plus(l, sum, lg_new2(l, OP_gather, segment_table, segments, NULL));
	if (l->op->nresults > 1 && value_has_uses(l->op->results[1])) {
		if (!mask || op_int(l->op, A_mask_index_type) > 1)
			return false;
		ct_give(l, 1, lg_new1(l, OP_reduce, mask, (RwAttr[]){ { A_kind, lg_text(l, "sum") },
				{ A_axes, lg_ints_attr(l, (int64_t[]){ 1 }, 1) }, { A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } }));
	}
	ct_give(l, 2, sum);
	return become_norm(l, core, sum, lg_in(l, 5), lg_in(l, 6));
}

/* ---- rotary embedding ---- */

/* One place: all rows start there; (batch, length): given; core has the caches first. */
bool contrib_rotary(Lg *l, OpKind core)
{
	const Op *op = l->op;
	int64_t x[MAX_RANK], first, cache[MAX_RANK];
	int rank = lg_rank(lg_in(l, 0));
	Value *places = lg_in(l, 1);
	if ((rank != 3 && rank != 4) || !ct_dims_of(l, 0, rank, x) || op_int(op, A_is_packed_batching) ||
			op_float(op, A_scale) != 1 || !ct_dims_of(l, 2, 2, cache))
		return false;
	int64_t batch = x[0], length = x[rank - 2], heads = op_int(op, A_num_heads), turn = op_int(op, A_rotary_embedding_dim);
	if (constant_int(places, &first) && length * batch > 0) {
		int64_t count, *all;
		if (!mul_ok(batch, length, &count) || count > 1 << 20)
			return false;
		all = NEW_ARRAY(l->a, int64_t, count + 1);
		for (int64_t i = 0; i < count; i++)
			all[i] = first + i % length;
		places = ct_shaped(l, lg_const_ints(l, all, (size_t)count), (int64_t[]){ batch, length }, 2);
	}
	if (rank == 3 && !heads)
		heads = cache[1] > 0 ? x[2] / (2 * cache[1]) : 0;
	return lg_become(l, core, (Value *[]){ lg_in(l, 0), lg_in(l, 2), lg_in(l, 3), places }, 4,
			(RwAttr[]){ { A_interleaved, lg_int(l, op_int(op, A_interleaved)) }, { A_num_heads, lg_int(l, heads) },
			{ A_rotary_embedding_dim, lg_int(l, turn) }, { A_NONE, NULL } });
}

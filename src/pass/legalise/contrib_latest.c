#include "contrib_int.h"

/* Operators of com.microsoft for gates, products with weights in blocks or of 8 bits, embeddings of integers: see contrib.c. */

/* x over the root of the mean of its squares along the last axis, times the scale. */
static Value *rms(Lg *l, Value *x, Value *scale, double epsilon)
{
	Value *mean = lg_new1(l, OP_reduce, lg_new2(l, OP_mul, x, x, NULL), (RwAttr[]){ { A_kind, lg_text(l, "mean") },
			{ A_axes, lg_ints_attr(l, (int64_t[]){ -1 }, 1) }, { A_keepdims, lg_int(l, 1) }, { A_NONE, NULL } });
	Value *root = lg_new1(l, OP_sqrt, lg_new2(l, OP_add, mean, lg_const_float(l, DT_F32, epsilon), NULL), NULL);
	return lg_new2(l, OP_mul, lg_new2(l, OP_div, x, root, NULL), scale, NULL);
}

static Value *single(Lg *l, size_t i)
{
	return lg_in(l, i) ? ct_as_type(l, lg_in(l, i), DT_F32) : NULL;
}

/* ---- gates ---- */

bool contrib_linear_gate(Lg *l, OpKind core)
{
	DType d = lg_dtype(lg_in(l, 0));
	Value *x = lg_new1(l, OP_softplus, lg_new2(l, OP_add, single(l, 0), single(l, 1), NULL), NULL), *out[2];
	out[0] = ct_as_type(l, lg_new2(l, core, x, single(l, 2), NULL), d);
	if (l->op->nresults < 2)
		return ct_become(l, out[0]);
	if (!lg_in(l, 3))
		return false;
	out[1] = ct_as_type(l, lg_new1(l, OP_sigmoid, single(l, 3), NULL), d);
	return lg_replace(l, out, 2);
}

/* How well keys and queries agree decides how much of the value each copy of the hidden state gets. */
bool contrib_engram_gate(Lg *l, OpKind core)
{
	int64_t key[4];
	double epsilon = op_float(l->op, A_epsilon);
	DType d = lg_dtype(lg_in(l, 0));
	if (!ct_dims_of(l, 0, 4, key) || key[3] < 1)
		return false;
	Value *k = rms(l, single(l, 0), single(l, 3), epsilon), *q = rms(l, single(l, 1), single(l, 4), epsilon), *out[2];
	Value *dot = lg_new1(l, OP_reduce, lg_new2(l, OP_mul, k, q, NULL), (RwAttr[]){ { A_kind, lg_text(l, "sum") },
			{ A_axes, lg_ints_attr(l, (int64_t[]){ -1 }, 1) }, { A_keepdims, lg_int(l, 1) }, { A_NONE, NULL } });
	dot = lg_new2(l, OP_div, dot, lg_const_float(l, DT_F32, sqrt((double)key[3])), NULL);
	Value *size = lg_new2(l, OP_max, lg_new1(l, OP_abs, dot, NULL), lg_const_float(l, DT_F32, 1e-6), NULL);
	Value *gate = lg_new2(l, OP_mul, lg_new1(l, OP_sign, dot, NULL), lg_new1(l, OP_sqrt, size, NULL), NULL);
	Value *value = lg_unsqueeze(l, single(l, 2), (int64_t[]){ 2 }, 1);
	Value *y = lg_new2(l, core, lg_new1(l, OP_sigmoid, gate, NULL), value, NULL);
	out[0] = ct_as_type(l, y, d);
	if (l->op->nresults < 2)
		return ct_become(l, out[0]);
	if (!lg_in(l, 5))
		return false;
	out[1] = ct_as_type(l, rms(l, y, single(l, 5), epsilon), d);
	return lg_replace(l, out, 2);
}

/* Half of (batch, heads, length, 2), as (batch, heads, length, 1). */
static Value *half(Lg *l, Value *x, int64_t i)
{
	return ct_sliced(l, x, 3, i, i + 1);
}

bool contrib_gated_bias(Lg *l, OpKind core)
{
	int64_t x[3], w[2], heads = op_attr_int(l->op, A_num_heads, 0);
	DType d = lg_dtype(lg_in(l, 0));
	if (!ct_dims_of(l, 0, 3, x) || !ct_dims_of(l, 3, 2, w) || lg_in(l, 6) || heads < 1 || x[2] % heads || w[1] % 2)
		return false;
	Value *q = ct_shaped(l, ct_plus(l, lg_in(l, 0), lg_in(l, 1)), (int64_t[]){ x[0], x[1], heads, x[2] / heads }, 4);
	q = ct_plus(l, lg_new2(l, OP_matmul, ct_turned(l, q, (int64_t[]){ 0, 2, 1, 3 }, 4), lg_in(l, 3), NULL), lg_in(l, 4));
	q = ct_shaped(l, q, (int64_t[]){ x[0], heads, x[1], 2, w[1] / 2 }, 5);
	q = lg_new1(l, OP_reduce, q, (RwAttr[]){ { A_kind, lg_text(l, "sum") },
			{ A_axes, lg_ints_attr(l, (int64_t[]){ 4 }, 1) }, { A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } });
	q = lg_new1(l, OP_sigmoid, q, NULL);
	Value *r = lg_new2(l, OP_sub, lg_new2(l, OP_mul, half(l, q, 1), lg_in(l, 5), NULL), lg_const_float(l, d, 1), NULL);
	Value *gate = lg_new2(l, OP_add, lg_new2(l, OP_mul, half(l, q, 0), r, NULL), lg_const_float(l, d, 2), NULL);
	return lg_become(l, core, (Value *[]){ gate, lg_in(l, 2) }, 2, NULL);
}

/* ---- weights of few bits in blocks ---- */

/* MatMulNBits of x with the weights, scales and bias of operands i, i + 1, i + 2. */
static Value *nbits(Lg *l, Value *x, size_t i, AttrName columns)
{
	Value *in[6] = { x, lg_in(l, i), lg_in(l, i + 1), NULL, NULL, lg_in(l, i + 2) };
	return lg_new(l, OWN_MS_MatMulNBits, in, in[5] ? 6 : 3, (RwAttr[]){ { A_K, lg_attr(l, A_K) }, { A_N, lg_attr(l, columns) },
			{ A_bits, lg_int(l, op_int(l->op, A_bits)) }, { A_block_size, lg_attr(l, A_block_size) }, { A_NONE, NULL } });
}

/* Operand 0, with operand 1 added, normalised by operand 2, where they are there; the sum is result `sum`. */
static Value *normed_input(Lg *l, size_t sum)
{
	Value *x = ct_plus(l, lg_in(l, 0), lg_in(l, 1));
	ct_give(l, sum, x);
	if (!lg_in(l, 2))
		return x;
	return lg_new2(l, OP_rms_norm, x, lg_in(l, 2), (RwAttr[]){ { A_epsilon, lg_float(l, op_float(l->op, A_epsilon)) }, { A_NONE, NULL } });
}

bool contrib_nbits_mlp(Lg *l, OpKind core)
{
	const Str *name = op_attr_str(l->op, A_activation);
	static const struct { const char *name; OpKind kind; } KINDS[] = { { "silu", OP_swish }, { "swish", OP_swish },
		{ "gelu", OP_gelu }, { "relu", OP_relu }, { "sigmoid", OP_sigmoid }, { "tanh", OP_tanh } };
	OpKind kind = OP_UNKNOWN;
	for (size_t i = 0; name && i < ARRAY_LEN(KINDS); i++)
		if (!strcmp(KINDS[i].name, name->s))
			kind = KINDS[i].kind;
	if (kind == OP_UNKNOWN || (lg_in(l, 1) && !lg_in(l, 2)))
		return false;
	Value *x = normed_input(l, 1), *gate = lg_new1(l, kind, nbits(l, x, 3, A_N), NULL), *up = nbits(l, x, 6, A_N);
	op_drop_results(l->op, 1);
	return lg_become(l, core, (Value *[]){ gate, up }, 2, NULL);
}

bool contrib_nbits_qkv(Lg *l, OpKind core)
{
	(void)core;
	Value *x = normed_input(l, 3), *q = nbits(l, x, 3, A_Nq);
	ct_give(l, 1, nbits(l, x, 6, A_Nkv));
	ct_give(l, 2, nbits(l, x, 9, A_Nkv));
	op_drop_results(l->op, 1);
	return ct_become(l, q);
}

enum { MOST_COLUMNS = 1 << 24 };

/* Scales (rows, blocks) as (rows, k), each for `block` neighbours. */
static Value *spread(Lg *l, Value *scales, int64_t k, int64_t block)
{
	int64_t *which = NEW_ARRAY(l->a, int64_t, k + 1);
	for (int64_t i = 0; i < k; i++)
		which[i] = i / block;
	return lg_new2(l, OP_gather, scales, lg_const_ints(l, which, (size_t)k), (RwAttr[]){ { A_axis, lg_int(l, 1) }, { A_NONE, NULL } });
}

/* The op becomes x times the transpose of w, plus a bias, in x's type d. */
static bool become_product(Lg *l, OpKind core, Value *x, Value *w, Value *bias, DType d)
{
	Value *y = lg_new2(l, core, x, ct_turned(l, w, (int64_t[]){ 1, 0 }, 2), NULL);
	return ct_become(l, ct_as_type(l, ct_plus(l, y, bias), d));
}

bool contrib_fp8_weight(Lg *l, OpKind core)
{
	int64_t w[2], s[2], block = op_int(l->op, A_block_size);
	Value *x = single(l, 0), *scale = lg_in(l, 3);
	if (!ct_dims_of(l, 1, 2, w) || !ct_dims_of(l, 2, 2, s) || block < 1 || w[1] > MOST_COLUMNS || s[0] != w[0] ||
			s[1] != w[1] / block + (w[1] % block != 0))
		return false;
	if (scale)
		x = lg_new2(l, OP_mul, ct_as_type(l, ct_as_type(l, lg_new2(l, OP_div, x, scale, NULL), DT_F8E4M3FN), DT_F32), scale, NULL);
	Value *weights = lg_new2(l, OP_mul, single(l, 1), spread(l, lg_in(l, 2), w[1], block), NULL);
	return become_product(l, core, x, weights, single(l, 4), lg_dtype(lg_in(l, 0)));
}

/* Numbers that the bytes stand for: a constant (256, each) of what each byte holds. */
static Value *looked_up(Lg *l, Value *bytes, DType d, int64_t each)
{
	double table[512];
	int bits = (int)(8 / each);
	for (int64_t i = 0; i < 256 * each; i++)
		table[i] = dtype_decode_float(d, (uint64_t)(i / each) >> (i % each * bits) & ((1u << bits) - 1));
	Value *t = constant_from_floats(l->op->block, l->op, DT_F32, 2, (int64_t[]){ 256, each }, table);
	return lg_new2(l, OP_gather, t, ct_as_type(l, bytes, DT_I64), NULL);
}

bool contrib_fp4_weight(Lg *l, OpKind core)
{
	int64_t w[2], s[2], block = op_int(l->op, A_block_size), k;
	if (!ct_dims_of(l, 1, 2, w) || !ct_dims_of(l, 2, 2, s) || block < 1 || w[1] > MOST_COLUMNS / 2)
		return false;
	k = 2 * w[1];
	if (s[0] != w[0] || s[1] != k / block + (k % block != 0))
		return false;
	Value *weights = ct_shaped(l, looked_up(l, lg_in(l, 1), DT_F4E2M1, 2), (int64_t[]){ w[0], k }, 2);
	Value *scales = ct_shaped(l, looked_up(l, lg_in(l, 2), DT_F8E4M3FN, 1), s, 2);
	weights = lg_new2(l, OP_mul, weights, lg_new2(l, OP_mul, spread(l, scales, k, block), lg_in(l, 3), NULL), NULL);
	return become_product(l, core, single(l, 0), weights, single(l, 5), lg_dtype(lg_in(l, 0)));
}

/* ---- products ---- */

/* int8 without zero points; the second factor lies column by column. Only this order has a meaning outside of the library that
 * the orders are named after. */
bool contrib_ordered_matmul(Lg *l, OpKind core)
{
	enum { ORDER_COL, ORDER_ROW };
	int64_t b[2];
	const Op *op = l->op;
	Value *c = lg_in(l, 6);
	if (op_attr_int(op, A_order_A, ORDER_ROW) != ORDER_ROW || op_attr_int(op, A_order_Y, ORDER_ROW) != ORDER_ROW ||
			op_attr_int(op, A_order_B, ORDER_COL) != ORDER_COL || !ct_dims_of(l, 2, 2, b) || (c && !lg_in(l, 7)))
		return false;
	Value *w = ct_turned(l, ct_shaped(l, single(l, 2), (int64_t[]){ b[1], b[0] }, 2), (int64_t[]){ 1, 0 }, 2);
	Value *y = lg_new2(l, OP_mul, lg_new2(l, core, single(l, 0), w, NULL), lg_new2(l, OP_mul, lg_in(l, 1), lg_in(l, 3), NULL), NULL);
	y = ct_plus(l, y, lg_in(l, 5));
	if (c)
		y = ct_plus(l, y, lg_new2(l, OP_mul, single(l, 6), lg_in(l, 7), NULL));
	return lg_become(l, OP_quantize, (Value *[]){ y, lg_in(l, 4), ct_as_type(l, lg_const_int(l, 0), DT_I8) }, 3, NULL);
}

/* In f32; what a scale of the result would mean is not documented. */
bool contrib_gemm_float8(Lg *l, OpKind core)
{
	const Op *op = l->op;
	const Str *name = op_attr_str(op, A_activation);
	bool relu = name && !strcmp(name->s, "RELU"), gelu = name && !strcmp(name->s, "GELU");
	Value *in[3] = { single(l, 0), single(l, 1), single(l, 2) };
	DType d = dtype_from_onnx(op_int(op, A_dtype));
	if (!dtype_is_float(d) || lg_in(l, 5) || (name && name->len && !relu && !gelu && strcmp(name->s, "NONE")))
		return false;
	for (size_t i = 0; i < 2; i++)
		if (lg_in(l, 3 + i))
			in[i] = lg_new2(l, OP_mul, in[i], lg_in(l, 3 + i), NULL);
	Value *y = lg_new(l, core, in, in[2] ? 3 : 2, (RwAttr[]){ { A_alpha, lg_float(l, op_float(op, A_alpha)) },
			{ A_beta, lg_float(l, op_float(op, A_beta)) }, { A_trans_a, lg_int(l, op_int(op, A_transA)) },
			{ A_trans_b, lg_int(l, op_int(op, A_transB)) }, { A_NONE, NULL } });
	if (relu || gelu)
		y = lg_new1(l, relu ? OP_relu : OP_gelu, y, NULL);
	return ct_become(l, ct_as_type(l, y, d));
}

/* A sparse constant is dense by now. */
bool contrib_sparse_matmul(Lg *l, OpKind core)
{
	const Op *op = l->op;
	DType d = lg_dtype(lg_in(l, 1));
	double alpha = op_float(op, A_alpha);
	int64_t whole = (int64_t)alpha;
	if (lg_rank(lg_in(l, 0)) != 2 || lg_rank(lg_in(l, 1)) != 2)
		return false;
	Value *y = lg_new2(l, core, ct_matrix(l, lg_in(l, 0), op_int(op, A_transA) != 0), ct_matrix(l, lg_in(l, 1), op_int(op, A_transB) != 0), NULL);
	if (alpha != 1)
		y = lg_new2(l, OP_mul, y, dtype_is_float(d) ? lg_const_float(l, d, alpha) : constant_from_ints(l->op->block, l->op, d, 0, NULL, &whole), NULL);
	return ct_become(l, y);
}

/* ---- embeddings ---- */

/* Rows `ids` of the table of operand i (or its first `length` rows), as numbers. */
static Value *embedded(Lg *l, size_t i, Value *ids, int64_t length, size_t scale, size_t zero)
{
	Value *rows = ids ? lg_new2(l, OP_gather, lg_in(l, i), ids, NULL) : ct_sliced(l, lg_in(l, i), 0, 0, length);
	return lg_new(l, OP_dequantize, (Value *[]){ rows, lg_in(l, scale), lg_in(l, zero) }, 3, NULL);
}

/* As contrib_embed, of integer tables. */
bool contrib_q_embed(Lg *l, OpKind core)
{
	int64_t ids[2], mask[2];
	if (!ct_dims_of(l, 0, 2, ids))
		return false;
	Value *sum = ct_plus(l, embedded(l, 2, lg_in(l, 0), 0, 8, 13), embedded(l, 3, NULL, ids[1], 9, 14));
	if (lg_in(l, 1) && lg_in(l, 4) && lg_in(l, 10) && lg_in(l, 15))
		sum = ct_plus(l, sum, embedded(l, 4, lg_in(l, 1), 0, 10, 15));
	Value *gamma = lg_new(l, OP_dequantize, (Value *[]){ lg_in(l, 5), lg_in(l, 11), lg_in(l, 16) }, 3, NULL);
	Value *beta = lg_new(l, OP_dequantize, (Value *[]){ lg_in(l, 6), lg_in(l, 12), lg_in(l, 17) }, 3, NULL);
	if (l->op->nresults > 1 && value_has_uses(l->op->results[1])) {
		int64_t none = 0;
		Value *count = lg_new2(l, OP_expand, constant_from_ints(l->op->block, l->op, DT_I32, 0, NULL, &none), lg_const_ints(l, ids, 1), NULL);
		if (ct_dims_of(l, 7, 2, mask))
			count = lg_new1(l, OP_reduce, lg_in(l, 7), (RwAttr[]){ { A_kind, lg_text(l, "sum") },
					{ A_axes, lg_ints_attr(l, (int64_t[]){ 1 }, 1) }, { A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } });
		ct_give(l, 1, count);
	}
	const Attr *epsilon = lg_float(l, op_float(l->op, A_epsilon));
	op_drop_results(l->op, 1);
	return lg_become(l, core, (Value *[]){ sum, gamma, beta }, 3, (RwAttr[]){ { A_epsilon, epsilon }, { A_NONE, NULL } });
}

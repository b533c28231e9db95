/* Operators of com.microsoft: types of those that are taken apart to be run, and those whose weights are packed in a form of
 * their own. */
#include "eval_int.h"
#include "ops/gemm.h"

#include <string.h>

/* ---- types ---- */

static bool infer_unranked(InferCtx *x, Op *op, DType d)
{
	return infer_tensor(x, op, 0, d, RANK_UNKNOWN, NULL);
}

/* (batch, length, width) with the first two of operand 0. */
static bool infer_tokens(InferCtx *x, Op *op, DType d, const Sym *width)
{
	const Value *v = op_operand(op, 0);
	if (value_rank(v) < 2 || !width)
		return infer_unranked(x, op, d);
	return infer_tensor(x, op, 0, d, 3, (const Sym *[]){v->type->dims[0], v->type->dims[1], width});
}

bool infer_ms_attention(InferCtx *x, Op *op)
{
	const Value *w = op_operand(op, 1);
	const int64_t *sizes;
	const Sym *width = NULL;
	if (op_attr_ints(op, A_qkv_hidden_sizes, &sizes) == 3)
		width = sym_int(x->ctx, sizes[2]);
	else if (value_rank(w) == 2)
		width = sym_floordiv(x->ctx, w->type->dims[1], sym_int(x->ctx, 3));
	return infer_tokens(x, op, value_dtype(op_operand(op, 0)), width);
}

bool infer_ms_mha(InferCtx *x, Op *op)
{
	const Value *q = op_operand(op, 0), *v = op_operand(op, 2);
	if (value_rank(q) != 3)
		return infer_unranked(x, op, value_dtype(q));
	return infer_tokens(x, op, value_dtype(q), value_rank(v) == 3 ? v->type->dims[2] : NULL);
}

bool infer_ms_embed(InferCtx *x, Op *op)
{
	const Value *gamma = op_operand(op, 5);
	return infer_tokens(x, op, value_dtype(gamma), value_rank(gamma) == 1 ? gamma->type->dims[0] : NULL);
}

/* Every result is like operand 0. */
bool infer_ms_alike(InferCtx *x, Op *op)
{
	for (size_t i = 0; i < op->nresults; i++)
		infer_result(x, op, i, op_operand(op, 0)->type);
	return true;
}

/* The values, the place of each element's value, counts. */
bool infer_ms_unique(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	for (size_t i = 0; i < op->nresults; i++) {
		const Sym *n = i == 1 && value_rank(v) == 1 ? v->type->dims[0] : infer_unknown(x, op, i, 0);
		infer_tensor(x, op, i, i ? DT_I64 : value_dtype(v), 1, &n);
	}
	return true;
}

bool infer_ms_q_binary(InferCtx *x, Op *op)
{
	const Value *a = op_operand(op, 0), *b = op_operand(op, 3);
	bool ok;
	if (!a || !b || value_rank(a) < 0 || value_rank(b) < 0)
		return infer_unranked(x, op, value_dtype(a));
	const Type *t = infer_broadcast(x, op, a->type->dtype, (const Type *[]){a->type, b->type}, 2, &ok);
	if (!ok)
		return infer_error(x, op, "the operands' shapes do not broadcast");
	if (t)
		infer_result(x, op, 0, t);
	return true;
}

/* Same shape; numbers of the scale's type, or those of the zero point (absent: u8). */
bool infer_ms_dequantize(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	int rank = value_rank(v);
	return infer_tensor(x, op, 0, value_dtype(op_operand(op, 1)), rank, rank < 0 ? NULL : v->type->dims);
}

bool infer_ms_quantize(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0), *zero = op_operand(op, 2);
	int rank = value_rank(v);
	return infer_tensor(x, op, 0, zero ? value_dtype(zero) : DT_U8, rank, rank < 0 ? NULL : v->type->dims);
}

/* Products of matrices by the rules of matmul where at most the last two axes are exchanged. */
bool infer_ms_matmul(InferCtx *x, Op *op)
{
	const Value *a = op_operand(op, 0), *b = op_operand(op, 1);
	int ra = value_rank(a), rb = value_rank(b);
	bool ok, ta = op_int(op, A_transA) != 0, tb = op_int(op, A_transB) != 0, ints = dtype_is_integer(value_dtype(a));
	DType d = ints ? DT_F32 : value_dtype(a);
	if (ra < 2 || rb < 2 || ra > MAX_RANK || rb > MAX_RANK || op_int(op, A_transBatchA) || op_int(op, A_transBatchB))
		return infer_unranked(x, op, d);
	const Type *outer[2] = {type_tensor(x->ctx, d, ra - 2, a->type->dims), type_tensor(x->ctx, d, rb - 2, b->type->dims)};
	const Type *batch = infer_broadcast(x, op, d, outer, 2, &ok);
	const Sym *dims[MAX_RANK];
	if (!ok || !batch || batch->rank + 2 > MAX_RANK)
		return ok ? infer_unranked(x, op, d) : infer_error(x, op, "the batch dimensions do not broadcast");
	for (int i = 0; i < batch->rank; i++)
		dims[i] = batch->dims[i];
	dims[batch->rank] = a->type->dims[ta ? ra - 1 : ra - 2];
	dims[batch->rank + 1] = b->type->dims[tb ? rb - 2 : rb - 1];
	return infer_tensor(x, op, 0, d, batch->rank + 2, dims);
}

/* ---- packed weights ---- */

/* Weights of MatMulNBits: for each of N columns, ceil(K / block) blocks of `block` numbers of `bits` bits, low bits first;
 * a number is (q - zero) * scale with one scale, and one zero point, a block. */
typedef struct Blocks {
	int64_t k, n, bits, size, count; /* count: blocks a column */
	const uint8_t *weights;
	const double *scales;
	const Tensor *zeros;             /* packed like the weights, or of the scales' type; NULL: the middle */
} Blocks;

bool infer_matmul_nbits(InferCtx *x, Op *op)
{
	const Value *a = op_operand(op, 0);
	int rank = value_rank(a);
	const Sym *dims[MAX_RANK];
	int64_t n = op_attr_int(op, A_N, 0);
	if (rank < 1 || rank > MAX_RANK || n < 1)
		return infer_tensor(x, op, 0, value_dtype(a), RANK_UNKNOWN, NULL);
	for (int d = 0; d < rank - 1; d++)
		dims[d] = a->type->dims[d];
	dims[rank - 1] = sym_int(x->ctx, n);
	return infer_tensor(x, op, 0, value_dtype(a), rank, dims);
}

/* The i-th number of packed bytes. */
static int64_t unpacked(const uint8_t *p, int64_t bits, int64_t i)
{
	int64_t each = 8 / bits;
	return p[i / each] >> (i % each * bits) & ((1 << bits) - 1);
}

static double zero_of(const Blocks *b, int64_t column, int64_t block)
{
	if (!b->zeros)
		return (double)((int64_t)1 << (b->bits - 1));
	if (b->zeros->dtype != DT_U8)
		return tensor_get_f64(b->zeros, column * b->count + block);
	int64_t row = (b->count * b->bits + 7) / 8;
	return (double)unpacked((const uint8_t *)b->zeros->data + column * row, b->bits, block);
}

/* A column of the weights as numbers. */
static void unpack_column(const Blocks *b, int64_t column, double *out)
{
	const uint8_t *p = b->weights + column * b->count * (b->size * b->bits / 8);
	for (int64_t i = 0; i < b->k; i++) {
		int64_t block = i / b->size;
		out[i] = ((double)unpacked(p, b->bits, i) - zero_of(b, column, block)) * b->scales[column * b->count + block];
	}
}

static bool blocks_read(EvalCtx *e, const Op *op, Tensor *const *in, Blocks *b)
{
	const Tensor *a = in[0], *w = in[1];
	*b = (Blocks){.k = op_attr_int(op, A_K, 0), .n = op_attr_int(op, A_N, 0), .bits = op_int(op, A_bits),
		.size = op_attr_int(op, A_block_size, 0), .weights = w->data, .zeros = op->noperands > 3 ? in[3] : NULL};
	if ((b->bits != 2 && b->bits != 4 && b->bits != 8) || b->size < 16 || b->size > INT32_MAX || b->k < 1 || b->n < 1 ||
		b->k > INT32_MAX || b->n > INT32_MAX)
		return eval_unsupported(e, op, "%lld x %lld weights of %lld bits in blocks of %lld", (long long)b->k,
			(long long)b->n, (long long)b->bits, (long long)b->size);
	if (op->noperands > 4 && in[4])
		return eval_unsupported(e, op, "weights in groups of another order");
	b->count = (b->k + b->size - 1) / b->size;
	int64_t row = (b->count * b->bits + 7) / 8;
	if (w->dtype != DT_U8 || w->count != b->n * b->count * (b->size * b->bits / 8) || in[2]->count != b->n * b->count)
		return eval_error(e, op, "weights %s and scales %s do not fit", tensor_shape_text(e, w),
			tensor_shape_text(e, in[2]));
	if (b->zeros && b->zeros->count != b->n * (b->zeros->dtype == DT_U8 ? row : b->count))
		return eval_error(e, op, "zero points of shape %s", tensor_shape_text(e, b->zeros));
	return (a->rank > 0 && a->dims[a->rank - 1] == b->k) || eval_error(e, op, "an operand of shape %s for %lld rows",
		tensor_shape_text(e, a), (long long)b->k);
}

bool eval_matmul_nbits(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Blocks b;
	Dense a = {0}, scales = {0}, bias = {0}, column = {0};
	int64_t dims[MAX_RANK];
	if (!dense_operands(e, op, in, false) || !blocks_read(e, op, in, &b))
		return false;
	memcpy(dims, in[0]->dims, sizeof dims);
	dims[in[0]->rank - 1] = b.n;
	out[0] = tensor_new(e, in[0]->dtype, in[0]->rank, dims);
	Tensor *more = op->noperands > 5 ? in[5] : NULL;
	if (!out[0] || (more && more->count != b.n))
		return out[0] && eval_error(e, op, "a bias of shape %s", tensor_shape_text(e, more));
	bool ok = dense_load(e, in[0], DT_F64, &a) && dense_load(e, in[2], DT_F64, &scales) &&
		dense_load(e, more, DT_F64, &bias) && dense_scratch(e, DT_F64, b.k, &column);
	b.scales = scales.data;
	for (int64_t n = 0; ok && n < b.n; n++) {
		const double *x = a.data;
		double *w = column.data;
		unpack_column(&b, n, w);
		for (int64_t r = 0; r < in[0]->count / b.k; r++, x += b.k) {
			double sum = bias.data ? ((const double *)bias.data)[n] : 0;
			for (int64_t k = 0; k < b.k; k++)
				sum += x[k] * w[k];
			tensor_set_f64(out[0], r * b.n + n, sum);
		}
	}
	dense_release(&a);
	dense_release(&scales);
	dense_release(&bias);
	dense_release(&column);
	return ok;
}

/* ---- MatMulFpQ4 ---- */

/* Columns of the weights, one after another, in blocks: an f32 scale, for some types a zero point in a byte, then 4-bit
 * numbers, of each 32 the first 16 in the low halves of 16 bytes, the others in the high ones. */
typedef struct Q4 {
	int64_t k, n, block, bytes;         /* bytes of a block */
	bool zero;
	const uint8_t *data;
} Q4;

static bool q4_read(EvalCtx *e, const Op *op, Tensor *const *in, Q4 *q)
{
	enum { PLAIN_32, ZERO_32, PLAIN_64, PLAIN_128 = 4 };
	int64_t type = op_int(op, A_blk_quant_type), dims[2], count;
	const Tensor *b = in[1];
	if (tensor_ints(in[2], dims, 2) != 2 || dims[0] < 1 || dims[1] < 1 || dims[0] > INT32_MAX || dims[1] > INT32_MAX)
		return eval_error(e, op, "B_shape must hold the two sizes of the weights");
	if (type != PLAIN_32 && type != ZERO_32 && type != PLAIN_64 && type != PLAIN_128)
		return eval_unsupported(e, op, "blk_quant_type %lld, known are 0, 1, 2 and 4", (long long)type);
	*q = (Q4){ dims[0], dims[1], type == PLAIN_128 ? 128 : type == PLAIN_64 ? 64 : 32, 0, type == ZERO_32, b->data };
	q->bytes = (int64_t)sizeof(float) + q->zero + q->block / 2;
	if (b->dtype != DT_U8 || !mul_ok(q->n * ((q->k + q->block - 1) / q->block), q->bytes, &count) || b->count != count)
		return eval_error(e, op, "weights of shape %s for %lld x %lld numbers in blocks of %lld", tensor_shape_text(e, b), (long long)q->k,
			(long long)q->n, (long long)q->block);
	const Tensor *x = in[0];
	return (x->rank > 0 && x->dims[x->rank - 1] == q->k) || eval_error(e, op, "an operand of shape %s for %lld rows",
		tensor_shape_text(e, x), (long long)q->k);
}

static void q4_column(const Q4 *q, int64_t column, double *out)
{
	const uint8_t *p = q->data + column * ((q->k + q->block - 1) / q->block) * q->bytes;
	for (int64_t i = 0; i < q->k; i++) {
		const uint8_t *block = p + i / q->block * q->bytes;
		int64_t at = i % q->block;
		float scale;
		memcpy(&scale, block, sizeof scale);
		int zero = q->zero ? block[sizeof scale] : 8;
		uint8_t byte = block[sizeof scale + q->zero + (size_t)(at / 32 * 16 + at % 16)];
		out[i] = (at % 32 < 16 ? (byte & 15) - zero : (byte >> 4) - zero) * (double)scale;
	}
}

bool eval_matmul_fpq4(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Q4 q = {0};
	Dense a = {0}, column = {0};
	int64_t dims[MAX_RANK];
	if (!dense_operands(e, op, in, false) || !q4_read(e, op, in, &q))
		return false;
	memcpy(dims, in[0]->dims, sizeof dims);
	dims[in[0]->rank - 1] = q.n;
	out[0] = tensor_new(e, in[0]->dtype, in[0]->rank, dims);
	bool ok = out[0] && dense_load(e, in[0], DT_F64, &a) && dense_scratch(e, DT_F64, q.k, &column);
	for (int64_t n = 0; ok && n < q.n; n++) {
		const double *x = a.data, *w = column.data;
		q4_column(&q, n, column.data);
		for (int64_t r = 0; r < in[0]->count / q.k; r++, x += q.k) {
			double sum = 0;
			for (int64_t k = 0; k < q.k; k++)
				sum += x[k] * w[k];
			tensor_set_f64(out[0], r * q.n + n, sum);
		}
	}
	dense_release(&a);
	dense_release(&column);
	return ok;
}

/* Operand 0 with its last dim n; NULL: unknown. */
static void infer_columns(InferCtx *x, Op *op, size_t i, const Sym *n)
{
	const Value *a = op_operand(op, 0);
	int rank = value_rank(a);
	const Sym *dims[MAX_RANK];
	if (rank < 1 || rank > MAX_RANK) {
		infer_tensor(x, op, i, value_dtype(a), RANK_UNKNOWN, NULL);
		return;
	}
	for (int d = 0; d < rank - 1; d++)
		dims[d] = a->type->dims[d];
	dims[rank - 1] = n ? n : infer_unknown(x, op, i, rank - 1);
	infer_tensor(x, op, i, value_dtype(a), rank, dims);
}

bool infer_matmul_fpq4(InferCtx *x, Op *op)
{
	const Elems *shape = op_operand(op, 2) ? infer_elems(x, op_operand(op, 2)) : NULL;
	infer_columns(x, op, 0, shape && shape->n == 2 ? shape->v[1] : NULL);
	return true;
}

/* The products, then the input (with its skip added) as it was normalised. */
bool infer_ms_nbits_fused(InferCtx *x, Op *op)
{
	bool qkv = op_is(op, OWN_MS_MatMulNBitsQkv);
	size_t products = qkv ? 3 : 1;
	for (size_t i = 0; i < op->nresults; i++) {
		int64_t n = op_attr_int(op, !qkv ? A_N : i ? A_Nkv : A_Nq, 0);
		if (i < products)
			infer_columns(x, op, i, n > 0 ? sym_int(x->ctx, n) : NULL);
		else
			infer_result(x, op, i, op_operand(op, 0)->type);
	}
	return true;
}

/* Mixtures of experts of com.microsoft (MoE, QMoE): every token goes through its k best experts, two or three products each,
 * and their results are mixed. Weights are numbers, or integers of 2, 4 or 8 bits with scales (and zero points). */
#include "eval_int.h"
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

enum { ACT_RELU, ACT_GELU, ACT_SILU, ACT_IDENTITY, ACT_SWIGLU };
enum { FC1, FC2, FC3, LAYERS };

/* One product of every expert: [experts, rows, columns]. */
typedef struct Layer {
	bool there;
	int64_t rows, columns, bits, block; /* block 0: one scale a row */
	const uint8_t *packed;              /* bits > 0 */
	const double *numbers, *scales, *bias;
	const Tensor *zeros;
} Layer;

typedef struct Experts {
	int64_t tokens, width, experts, k, inter;
	int activation, fusion;
	bool normalize, limited;
	double alpha, beta, limit;
	Layer layer[LAYERS];
	const double *x, *logits, *weights;  /* weights: [tokens, experts] for the mix, or NULL */
	double *row, *hidden, *second, *sum; /* scratch: weights of one row, results of the layers */
	Dense loaded[16];
	size_t nloaded;
} Experts;

static const Tensor *operand(const Op *op, Tensor *const *in, size_t i)
{
	return i < op->noperands ? in[i] : NULL;
}

static bool load(EvalCtx *e, const Op *op, Tensor *const *in, size_t i, Experts *x, const double **out)
{
	*out = NULL;
	if (!operand(op, in, i))
		return true;
	CHECK(x->nloaded < ARRAY_LEN(x->loaded));
	if (!dense_load(e, in[i], DT_F64, &x->loaded[x->nloaded]))
		return false;
	*out = x->loaded[x->nloaded++].data;
	return true;
}

static double *scratch(EvalCtx *e, Experts *x, int64_t n)
{
	CHECK(x->nloaded < ARRAY_LEN(x->loaded));
	return dense_scratch(e, DT_F64, n, &x->loaded[x->nloaded]) ? x->loaded[x->nloaded++].data : NULL;
}

static int64_t bits_at(const uint8_t *p, int64_t bits, int64_t i)
{
	int64_t each = 8 / bits;
	return p[i / each] >> (i % each * bits) & ((1 << bits) - 1);
}

/* Zero points are packed along the rows, or with blocks along the blocks of a row. */
static double zero_of(const Layer *w, int64_t expert, int64_t row, int64_t block)
{
	if (!w->zeros)
		return (double)(INT64_C(1) << (w->bits - 1));
	const uint8_t *p = w->zeros->data;
	if (!w->block)
		return (double)bits_at(p + expert * ((w->rows * w->bits + 7) / 8), w->bits, row);
	int64_t blocks = w->columns / w->block, bytes = (blocks * w->bits + 7) / 8;
	return (double)bits_at(p + (expert * w->rows + row) * bytes, w->bits, block);
}

/* A row of weights as numbers. */
static const double *weights_row(const Layer *w, int64_t expert, int64_t row, double *out)
{
	int64_t at = expert * w->rows + row;
	if (!w->bits)
		return w->numbers + at * w->columns;
	const uint8_t *p = w->packed + at * (w->columns * w->bits / 8);
	int64_t blocks = w->block ? w->columns / w->block : 1;
	for (int64_t i = 0; i < w->columns; i++) {
		int64_t b = w->block ? i / w->block : 0;
		out[i] = ((double)bits_at(p, w->bits, i) - zero_of(w, expert, row, b)) * w->scales[at * blocks + b];
	}
	return out;
}

static void multiply(const Experts *x, int layer, int64_t expert, const double *v, double *y)
{
	const Layer *w = &x->layer[layer];
	for (int64_t r = 0; r < w->rows; r++) {
		const double *row = weights_row(w, expert, r, x->row);
		double sum = w->bias ? w->bias[expert * w->rows + r] : 0;
		for (int64_t i = 0; i < w->columns; i++)
			sum += v[i] * row[i];
		y[r] = sum;
	}
}

static double activated(const Experts *x, double v)
{
	switch (x->activation) {
	case ACT_RELU: return v > 0 ? v : 0;
	case ACT_GELU: return 0.5 * v * (1 + tanh(0.79788456080286535588 * (v + 0.044715 * v * v * v)));
	case ACT_SILU: return v / (1 + exp(-v));
	default: return v;
	}
}

static double swiglu(const Experts *x, double gate, double linear)
{
	if (x->limited) {
		gate = gate < x->limit ? gate : x->limit;
		linear = linear > x->limit ? x->limit : linear < -x->limit ? -x->limit : linear;
	}
	return gate / (1 + exp(-x->alpha * gate)) * (linear + x->beta);
}

/* The gate and what it lets through, as the weights have them: in two layers, or every other row, or in halves. */
static void between_layers(const Experts *x, int64_t expert, const double *token)
{
	double *h = x->hidden;
	multiply(x, FC1, expert, token, h);
	if (x->layer[FC3].there)
		multiply(x, FC3, expert, token, x->second);
	for (int64_t i = 0; i < x->inter; i++) {
		if (x->activation != ACT_SWIGLU)
			h[i] = activated(x, h[i]) * (x->layer[FC3].there ? x->second[i] : 1);
		else if (x->fusion == 0)
			h[i] = swiglu(x, h[i], x->second[i]);
		else
			x->second[i] = x->fusion == 1 ? swiglu(x, h[2 * i], h[2 * i + 1]) : swiglu(x, h[i], h[x->inter + i]);
	}
	if (x->activation == ACT_SWIGLU && x->fusion != 0)
		memcpy(h, x->second, (size_t)x->inter * sizeof *h);
}

/* The k largest logits, first ones on ties; their share of the mix. */
static void route(const Experts *x, int64_t token, int64_t *best, double *share)
{
	const double *logits = x->logits + token * x->experts;
	double top = -INFINITY, all = 0, sum = 0;
	for (int64_t i = 0; i < x->experts; i++)
		top = logits[i] > top ? logits[i] : top;
	for (int64_t i = 0; i < x->experts; i++)
		all += exp(logits[i] - top);
	for (int64_t n = 0; n < x->k; n++) {
		int64_t found = -1;
		for (int64_t i = 0; i < x->experts; i++) {
			bool taken = false;
			for (int64_t m = 0; m < n; m++)
				taken |= best[m] == i;
			if (!taken && (found < 0 || logits[i] > logits[found]))
				found = i;
		}
		best[n] = found;
		share[n] = x->weights ? x->weights[token * x->experts + found] : exp(logits[found] - top) / all;
		sum += share[n];
	}
	for (int64_t n = 0; x->normalize && sum != 0 && n < x->k; n++)
		share[n] /= sum;
}

static void run_token(const Experts *x, int64_t token, int64_t *best, double *share)
{
	route(x, token, best, share);
	memset(x->sum, 0, (size_t)x->width * sizeof *x->sum);
	for (int64_t n = 0; n < x->k; n++) {
		double *y = x->second; /* free once the layers between are done */
		between_layers(x, best[n], x->x + token * x->width);
		multiply(x, FC2, best[n], x->hidden, y);
		for (int64_t i = 0; i < x->width; i++)
			x->sum[i] += share[n] * y[i];
	}
}

/* ---- operands and attributes ---- */

static bool read_layer(EvalCtx *e, const Op *op, Tensor *const *in, Experts *x, int layer, const size_t *at, int64_t bits)
{
	const Tensor *w = operand(op, in, at[0]), *scales = bits ? operand(op, in, at[1]) : NULL, *bias = operand(op, in, at[2]),
				 *zeros = bits ? operand(op, in, at[3]) : NULL;
	Layer *y = &x->layer[layer];
	if (!w)
		return layer == FC3 || eval_error(e, op, "the weights of fc%d are absent", layer + 1);
	if (w->rank != 3 || w->dims[0] != x->experts || (bits && (w->dtype != DT_U8 || !scales)))
		return eval_error(e, op, "weights of fc%d of shape %s for %lld experts", layer + 1, tensor_shape_text(e, w),
			(long long)x->experts);
	*y = (Layer){ .there = true, .rows = w->dims[1], .columns = bits ? w->dims[2] * 8 / bits : w->dims[2], .bits = bits,
		.block = bits ? op_attr_int(op, A_block_size, 0) : 0, .packed = bits ? w->data : NULL, .zeros = zeros };
	if (y->block < 0 || (y->block && y->columns % y->block))
		return eval_error(e, op, "blocks of %lld for rows of %lld", (long long)y->block, (long long)y->columns);
	int64_t blocks = y->block ? y->columns / y->block : 1, rows = x->experts * y->rows;
	int64_t zero_bytes = y->block ? rows * ((blocks * bits + 7) / 8) : x->experts * ((y->rows * bits + 7) / 8);
	if ((scales && scales->count != rows * blocks) || (bias && bias->count != rows) ||
		(zeros && (zeros->dtype != DT_U8 || zeros->count != zero_bytes)))
		return eval_error(e, op, "scales, zero points or bias of fc%d do not fit weights of shape %s", layer + 1,
			tensor_shape_text(e, w));
	return (bits ? load(e, op, in, at[1], x, &y->scales) : load(e, op, in, at[0], x, &y->numbers)) &&
		load(e, op, in, at[2], x, &y->bias);
}

static bool read_activation(EvalCtx *e, const Op *op, Experts *x)
{
	static const char *const NAMES[] = { "relu", "gelu", "silu", "identity", "swiglu" };
	const Str *name = op_attr_str(op, A_activation_type);
	x->activation = name ? -1 : ACT_RELU;
	for (int i = 0; name && i < (int)ARRAY_LEN(NAMES); i++)
		if (!strcmp(NAMES[i], name->s))
			x->activation = i;
	if (x->activation < 0)
		return eval_unsupported(e, op, "activation_type %s", quote(e->diags->arena, name->s, name->len));
	if (op_attr_int(op, A_use_sparse_mixer, 0) || op_attr_int(op, A_swiglu_limit_after_activation, 0))
		return eval_unsupported(e, op, "use_sparse_mixer or swiglu_limit_after_activation");
	x->fusion = (int)op_attr_int(op, A_swiglu_fusion, 0);
	x->normalize = op_attr_int(op, A_normalize_routing_weights, 0) != 0;
	x->alpha = op_attr_float(op, A_activation_alpha, 1);
	x->beta = op_attr_float(op, A_activation_beta, 0);
	x->limited = op_attr(op, A_swiglu_limit) != NULL;
	x->limit = op_attr_float(op, A_swiglu_limit, 0);
	x->k = op_attr_int(op, A_k, 1);
	return x->fusion >= 0 && x->fusion <= 2 && x->k >= 1;
}

static bool shapes_fit(EvalCtx *e, const Op *op, Experts *x)
{
	const Layer *a = &x->layer[FC1], *b = &x->layer[FC2], *c = &x->layer[FC3];
	bool fused = x->activation == ACT_SWIGLU && x->fusion != 0;
	x->inter = fused ? a->rows / 2 : a->rows;
	bool ok = a->columns == x->width && b->rows == x->width && b->columns == x->inter && (!fused || a->rows % 2 == 0) &&
		(!c->there || (c->rows == x->inter && c->columns == x->width)) &&
		!(x->activation == ACT_SWIGLU && x->fusion == 0 && !c->there) && !(fused && c->there);
	return ok || eval_error(e, op, "the weights of fc1, fc2 and fc3 do not go together");
}

static int64_t layer_bits(const Op *op, AttrName own)
{
	return op_attr_int(op, own, op_attr_int(op, A_expert_weight_bits, 4));
}

static bool read_experts(EvalCtx *e, const Op *op, Tensor *const *in, Experts *x)
{
	static const size_t PLAIN[LAYERS][4] = { { 2, 0, 3, 0 }, { 4, 0, 5, 0 }, { 6, 0, 7, 0 } };
	static const size_t QUANTISED[LAYERS][4] = { { 2, 3, 4, 11 }, { 5, 6, 7, 12 }, { 8, 9, 10, 13 } };
	static const AttrName BITS[LAYERS] = { A_fc1_expert_weight_bits, A_fc2_expert_weight_bits, A_fc3_expert_weight_bits };
	bool quantised = op_is(op, OWN_MS_QMoE);
	const Tensor *t = in[0], *logits = in[1], *mix = quantised ? operand(op, in, 14) : NULL;
	if ((t->rank != 2 && t->rank != 3) || logits->rank != 2 || !dtype_is_float(t->dtype))
		return eval_error(e, op, "an input of shape %s, router_probs of shape %s", tensor_shape_text(e, t), tensor_shape_text(e, logits));
	x->width = t->dims[t->rank - 1];
	x->tokens = logits->dims[0];
	x->experts = logits->dims[1];
	if (t->count != x->tokens * x->width || (mix && !tensor_same_shape(mix, logits)))
		return eval_error(e, op, "router_probs of shape %s for an input of shape %s", tensor_shape_text(e, logits), tensor_shape_text(e, t));
	if (!read_activation(e, op, x))
		return e->diags->status != HONE_OK ? false : eval_error(e, op, "swiglu_fusion is 0, 1 or 2, and k at least 1");
	if (x->k > x->experts)
		return eval_error(e, op, "k %lld of %lld experts", (long long)x->k, (long long)x->experts);
	if (quantised && op_attr(op, A_quant_type) && !op_attr_is(op, A_quant_type, "int"))
		return eval_unsupported(e, op, "a quant_type other than int");
	for (int i = 0; i < LAYERS; i++) {
		int64_t bits = quantised ? layer_bits(op, BITS[i]) : 0;
		if (quantised && bits != 2 && bits != 4 && bits != 8)
			return eval_unsupported(e, op, "weights of %lld bits", (long long)bits);
		if (!read_layer(e, op, in, x, i, quantised ? QUANTISED[i] : PLAIN[i], bits))
			return false;
	}
	return shapes_fit(e, op, x) && load(e, op, in, 0, x, &x->x) && load(e, op, in, 1, x, &x->logits) &&
		(!mix || load(e, op, in, 14, x, &x->weights));
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

bool eval_ms_experts(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Experts x = {0};
	bool ok = dense_operands(e, op, in, false) && read_experts(e, op, in, &x);
	int64_t widest = larger(x.width, larger(x.layer[FC1].rows, x.inter));
	x.row = ok ? scratch(e, &x, larger(x.width, x.inter)) : NULL;
	x.hidden = x.row ? scratch(e, &x, widest) : NULL;
	x.second = x.hidden ? scratch(e, &x, widest) : NULL;
	x.sum = x.second ? scratch(e, &x, x.width) : NULL;
	double *share = x.sum ? scratch(e, &x, 2 * x.k) : NULL;
	out[0] = share ? tensor_like(e, in[0]) : NULL;
	ok = out[0] != NULL;
	for (int64_t t = 0; ok && t < x.tokens; t++) {
		run_token(&x, t, (int64_t *)(void *)(share + x.k), share);
		tensor_store_f64(out[0], t * x.width, x.width, x.sum);
	}
	for (size_t i = 0; i < x.nloaded; i++)
		dense_release(&x.loaded[i]);
	return ok;
}

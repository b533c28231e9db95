/* Operators of com.microsoft on tokens that are generated: hashes of n-grams, convolutions with a state over sequences of lengths
 * of their own, guesses of what follows. */
#include "eval_int.h"
#include "ops/gemm.h"
#include "ops/label.h"

#include <math.h>
#include <string.h>

static Tensor *operand(const Op *op, Tensor *const *in, size_t i)
{
	return i < op->noperands ? in[i] : NULL;
}

/* starts must rise from 0 to `tokens`. */
static bool starts_fit(EvalCtx *e, const Op *op, const Tensor *starts, int64_t tokens)
{
	bool ok = starts->rank == 1 && starts->count >= 1 && dtype_is_integer(starts->dtype);
	for (int64_t b = 0, at = 0; ok && b < starts->count; b++) {
		int64_t end = tensor_get_i64(starts, b);
		ok = end >= at && (b > 0 || end == 0) && (b + 1 < starts->count || end == tokens);
		at = end;
	}
	return ok || eval_error(e, op, "cumulative_sequence_length must rise from 0 to the %lld tokens", (long long)tokens);
}

/* ---- NGramHashMapping, VarlenNGramHashMapping ---- */

enum { MOST_NGRAM = 1 << 16 };

/* Sequences of tokens, and what hashes are made of. Of the token before the first there are past ids or the filler. */
typedef struct Hash {
	int64_t order, each, heads, batch, tokens;
	const Tensor *ids, *factors, *sizes, *past, *offsets, *segments, *past_segments, *starts;
	int64_t filler, end;
	bool stops;            /* at tokens that are `end` */
} Hash;

static bool hash_shapes(EvalCtx *e, const Op *op, Hash *h)
{
	bool varlen = op_is(op, OWN_MS_VarlenNGramHashMapping);
	if (h->order < 2 || h->order > MOST_NGRAM || h->each < 1 || h->each > MOST_NGRAM || h->ids->rank != (varlen ? 1 : 2))
		return eval_error(e, op, "max_ngram_size %lld, n_head_per_ngram %lld, tokens of shape %s", (long long)h->order, (long long)h->each,
			tensor_shape_text(e, h->ids));
	h->heads = (h->order - 1) * h->each;
	h->tokens = h->ids->count;
	h->batch = varlen ? h->starts->count - 1 : h->ids->dims[0];
	if (h->factors->count < h->order || h->sizes->count != h->heads || (h->offsets && h->offsets->count != h->heads))
		return eval_error(e, op, "multipliers %s, vocab_sizes %s for n-grams of %lld tokens, %lld heads", tensor_shape_text(e, h->factors),
			tensor_shape_text(e, h->sizes), (long long)h->order, (long long)h->heads);
	if ((h->past && h->past->count != h->batch * (h->order - 1)) || (h->past_segments && h->past_segments->count != h->batch * (h->order - 1)) ||
			(h->segments && h->segments->count != h->tokens))
		return eval_error(e, op, "past_ids and segment_ids must have an element for each of %lld tokens before, and of the tokens",
			(long long)(h->order - 1));
	for (int64_t i = 0; i < h->heads; i++)
		if (tensor_get_i64(h->sizes, i) < 1)
			return eval_error(e, op, "vocab_sizes must be positive, entry %lld is not", (long long)i);
	return true;
}

static bool hash_read(EvalCtx *e, const Op *op, Tensor *const *in, Hash *h)
{
	bool varlen = op_is(op, OWN_MS_VarlenNGramHashMapping);
	size_t at = varlen ? 4 : 3;
	const Tensor *end = operand(op, in, at + 2);
	for (size_t i = 0; i < op->noperands; i++)
		if (in[i] && (in[i]->kind != TYPE_TENSOR || !dtype_is_integer(in[i]->dtype)))
			return eval_error(e, op, "%s does not hold integers", op_operand_said(e, op, i));
	*h = (Hash){ .order = op_attr_int(op, A_max_ngram_size, 0), .each = op_attr_int(op, A_n_head_per_ngram, 0), .ids = in[0], .factors = in[1],
		.sizes = in[2], .starts = varlen ? in[3] : NULL, .past = operand(op, in, at), .offsets = operand(op, in, at + 1),
		.segments = operand(op, in, at + 3), .past_segments = varlen ? operand(op, in, at + 4) : NULL };
	if (op_attr_int(op, A_state_update_capacity, 0))
		return eval_unsupported(e, op, "state_update_capacity: only the last state is kept");
	if (end && end->count != 1)
		return eval_error(e, op, "eos_token_id of shape %s", tensor_shape_text(e, end));
	h->filler = end ? tensor_get_i64(end, 0) : op_attr_int(op, A_pad_id, 0);
	h->end = h->filler;
	h->stops = end && op_int(op, A_reset_on_eos);
	return (!varlen || starts_fit(e, op, in[3], in[0]->count)) && hash_shapes(e, op, h);
}

/* The token `back` places before the one at `at` of the sequence that begins at `first`; *segment gets its segment where both are
 * known. */
static int64_t token_before(const Hash *h, int64_t b, int64_t first, int64_t at, int64_t back, bool *known, int64_t *segment)
{
	int64_t place = at - back, past = h->order - 1 + place - first;
	*known = true;
	if (place >= first) {
		*segment = h->segments ? tensor_get_i64(h->segments, place) : 0;
		return tensor_get_i64(h->ids, place);
	}
	*known = h->past_segments != NULL && past >= 0;
	*segment = *known ? tensor_get_i64(h->past_segments, b * (h->order - 1) + past) : 0;
	return h->past && past >= 0 ? tensor_get_i64(h->past, b * (h->order - 1) + past) : h->filler;
}

static int64_t wrapped(DType d, uint64_t v)
{
	return d == DT_I32 ? (int64_t)(int32_t)(uint32_t)v : (int64_t)v;
}

/* All hashes of one token: products of the tokens before it, exclusively or-ed. */
static void hash_token(const Hash *h, int64_t b, int64_t first, int64_t at, Tensor *y)
{
	DType d = h->ids->dtype;
	uint64_t mix = 0;
	bool cut = false;
	int64_t after = h->segments ? tensor_get_i64(h->segments, at) : 0;
	for (int64_t k = 0; k < h->order; k++) {
		bool known;
		int64_t segment, token = token_before(h, b, first, at, k, &known, &segment);
		cut = cut || (k > 0 && h->stops && token == h->end) || (k > 0 && h->segments && known && segment != after);
		after = known ? segment : after;
		uint64_t product = (uint64_t)(cut ? h->filler : token) * (uint64_t)tensor_get_i64(h->factors, k);
		mix = (uint64_t)wrapped(d, mix ^ product);
		for (int64_t i = (k - 1) * h->each; k > 0 && i < k * h->each; i++) {
			int64_t size = tensor_get_i64(h->sizes, i), rest = (int64_t)mix % size;
			rest += rest < 0 ? size : 0;
			uint64_t more = h->offsets ? (uint64_t)tensor_get_i64(h->offsets, i) : 0;
			tensor_set_i64(y, at * h->heads + i, wrapped(d, (uint64_t)rest + more));
		}
	}
}

/* The last ids (or segments) of a sequence and what was before it. */
static void hash_state(const Hash *h, int64_t b, int64_t first, int64_t last, bool segments, Tensor *y)
{
	for (int64_t i = 0; i < h->order - 1; i++) {
		bool known;
		int64_t segment, token = token_before(h, b, first, last, h->order - 1 - i, &known, &segment);
		tensor_set_i64(y, b * (h->order - 1) + i, segments ? segment : token);
	}
}

bool eval_ms_ngram_hash(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Hash h = { 0 };
	if (!hash_read(e, op, in, &h))
		return false;
	const int64_t dims[3] = { in[0]->dims[0], h.starts ? h.heads : in[0]->dims[1], h.heads }, state[2] = { h.batch, h.order - 1 };
	out[0] = tensor_new(e, in[0]->dtype, h.starts ? 2 : 3, dims);
	bool ok = out[0] != NULL;
	for (size_t i = 1; ok && i < op->nresults && i < 3; i++)
		ok = (out[i] = tensor_new(e, i == 1 ? in[0]->dtype : DT_I32, 2, state)) != NULL;
	for (int64_t b = 0; ok && b < h.batch; b++) {
		int64_t first = h.starts ? tensor_get_i64(h.starts, b) : b * in[0]->dims[1];
		int64_t last = h.starts ? tensor_get_i64(h.starts, b + 1) : first + in[0]->dims[1];
		for (int64_t t = first; t < last; t++)
			hash_token(&h, b, first, t, out[0]);
		for (size_t i = 1; i < op->nresults && i < 3; i++)
			hash_state(&h, b, first, last, i == 2, out[i]);
	}
	return ok;
}

bool infer_ms_ngram_hash(InferCtx *x, Op *op)
{
	const Value *ids = op_operand(op, 0), *starts = op_is(op, OWN_MS_VarlenNGramHashMapping) ? op_operand(op, 3) : NULL;
	int64_t order = op_attr_int(op, A_max_ngram_size, 0), each = op_attr_int(op, A_n_head_per_ngram, 0);
	int rank = value_rank(ids);
	if (order < 2 || order > MOST_NGRAM || each < 1 || each > MOST_NGRAM || (rank != 1 && rank != 2))
		return infer_tensor(x, op, 0, value_dtype(ids), RANK_UNKNOWN, NULL);
	const Sym *dims[3] = { ids->type->dims[0], rank == 2 ? ids->type->dims[1] : NULL }, *before = sym_int(x->ctx, order - 1);
	dims[rank] = sym_int(x->ctx, (order - 1) * each);
	for (size_t i = 1; i < op->nresults && i < 3; i++) {
		const Sym *n = !starts ? ids->type->dims[0] : value_rank(starts) == 1 ? sym_sub(x->ctx, starts->type->dims[0], sym_int(x->ctx, 1)) :
				infer_unknown(x, op, i, 0);
		infer_tensor(x, op, i, i == 1 ? value_dtype(ids) : DT_I32, 2, (const Sym *[]){ n, before });
	}
	return infer_tensor(x, op, 0, value_dtype(ids), rank + 1, dims);
}

/* ---- VarlenCausalConvWithState ---- */

typedef struct Varlen {
	int64_t channels, taps, step, room;   /* room: places of the state */
	const double *x, *w, *bias, *state;
	bool silu;
} Varlen;

static bool varlen_read(EvalCtx *e, const Op *op, Tensor *const *in, Varlen *v)
{
	const Tensor *x = in[0], *w = in[1], *bias = operand(op, in, 3), *state = operand(op, in, 4);
	const Str *name = op_attr_str(op, A_activation);
	v->silu = name && (!strcmp(name->s, "silu") || !strcmp(name->s, "swish"));
	v->step = op_attr_int(op, A_dilation, 1);
	if (name && name->len && !v->silu && strcmp(name->s, "none"))
		return eval_error(e, op, "activation \"%s\" is none of none, silu, swish", name->s);
	if (operand(op, in, 5) || operand(op, in, 6) || operand(op, in, 7) || op_int(op, A_state_update_capacity))
		return eval_unsupported(e, op, "captured states and kernels of each token");
	if (x->rank != 2 || w->rank != 3 || w->dims[0] != x->dims[1] || w->dims[1] != 1 || w->dims[2] < 1 || v->step < 1 || v->step > 1 << 20 ||
			(bias && bias->count != w->dims[0]))
		return eval_error(e, op, "an input of shape %s, weights %s", tensor_shape_text(e, x), tensor_shape_text(e, w));
	v->channels = w->dims[0];
	v->taps = w->dims[2];
	if (!mul_ok(v->taps - 1, v->step, &v->room) || !state || state->rank != 3 || state->dims[0] != in[2]->count - 1 || state->dims[1] != v->channels ||
			state->dims[2] != v->room)
		return eval_error(e, op, "initial_state must be [batch, channels, (kernel size - 1) * dilation]");
	return starts_fit(e, op, in[2], x->dims[0]);
}

/* What channel c of sequence b had `back` places before its token t. */
static double sample_before(const Varlen *v, int64_t b, int64_t c, int64_t first, int64_t t, int64_t back)
{
	int64_t at = t - back;
	return at >= first ? v->x[at * v->channels + c] : v->state[(b * v->channels + c) * v->room + v->room + at - first];
}

bool eval_ms_varlen_conv(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Varlen v = { 0 };
	Dense part[4] = { 0 };
	static const size_t which[4] = { 0, 1, 3, 4 };
	if (!dense_operands(e, op, in, false) || !varlen_read(e, op, in, &v))
		return false;
	out[0] = tensor_like(e, in[0]);
	bool ok = out[0] != NULL;
	if (ok && op->nresults > 1)
		ok = (out[1] = tensor_like(e, in[4])) != NULL;
	for (size_t i = 0; ok && i < 4; i++)
		ok = dense_load(e, operand(op, in, which[i]), DT_F64, &part[i]);
	v.x = part[0].data, v.w = part[1].data, v.bias = part[2].data, v.state = part[3].data;
	for (int64_t b = 0; ok && b + 1 < in[2]->count; b++) {
		int64_t first = tensor_get_i64(in[2], b), last = tensor_get_i64(in[2], b + 1);
		for (int64_t t = first; t < last; t++)
			for (int64_t c = 0; c < v.channels; c++) {
				double sum = v.bias ? v.bias[c] : 0;
				for (int64_t k = 0; k < v.taps; k++)
					sum += v.w[c * v.taps + k] * sample_before(&v, b, c, first, t, (v.taps - 1 - k) * v.step);
				tensor_set_f64(out[0], t * v.channels + c, v.silu ? sum / (1 + exp(-sum)) : sum);
			}
		for (int64_t i = 0; op->nresults > 1 && i < v.channels * v.room; i++)
			tensor_set_f64(out[1], b * v.channels * v.room + i, sample_before(&v, b, i / v.room, first, last, v.room - i % v.room));
	}
	for (size_t i = 0; i < 4; i++)
		dense_release(&part[i]);
	return ok;
}

bool infer_ms_varlen_conv(InferCtx *x, Op *op)
{
	infer_result(x, op, 0, op_operand(op, 0)->type);
	if (op->nresults > 1 && op_operand(op, 4))
		infer_result(x, op, 1, op_operand(op, 4)->type);
	return true;
}

/* ---- BifurcationDetector ---- */

/* The first place at or after `from` where the n numbers are found, -1: none. */
static int64_t find_run(const Tensor *in, int64_t from, const Tensor *what, int64_t at, int64_t n)
{
	for (int64_t i = from; i + n <= in->count; i++) {
		int64_t k = 0;
		while (k < n && tensor_get_i64(in, i + k) == tensor_get_i64(what, at + k))
			k++;
		if (k == n)
			return i;
	}
	return -1;
}

/* The place in the source after the only occurrence of the longest run of last tokens that occurs once; -1: none. */
static int64_t suffix_place(const Op *op, const Tensor *source, const Tensor *tokens)
{
	int64_t place = -1;
	for (int64_t n = op_int(op, A_min_ngram_size); n <= op_int(op, A_max_ngram_size) && n <= tokens->count; n++) {
		int64_t at = find_run(source, 0, tokens, tokens->count - n, n);
		if (at < 0)
			break;
		place = at + n;
		if (place >= source->count)
			break;
		if (find_run(source, at + 1, tokens, tokens->count - n, n) >= 0)
			place = -1;
	}
	return place;
}

/* What was predicted is taken as far as it is what the source has after the last match, and one token more. */
bool eval_ms_bifurcation(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *source = in[0], *current = in[1], *predicted = operand(op, in, 3);
	for (size_t i = 0; i < op->noperands; i++)
		if (in[i] && (in[i]->kind != TYPE_TENSOR || !dtype_is_integer(in[i]->dtype) || in[i]->rank > 1))
			return eval_error(e, op, "%s is not a vector of integers", op_operand_said(e, op, i));
	if (op_int(op, A_min_ngram_size) < 1 || op_int(op, A_max_ngram_size) < op_int(op, A_min_ngram_size) || in[2]->count != 1)
		return eval_error(e, op, "min_ngram_size and max_ngram_size must be positive and in this order");
	int64_t from = tensor_get_i64(in[2], 0), taken = 0;
	if (predicted) {
		if (from < 0 || from > source->count || predicted->count != source->count + 1 - from)
			return eval_error(e, op, "pred_tokens must be one more than the %lld source tokens from %lld on", (long long)source->count,
				(long long)from);
		while (taken < source->count - from && tensor_get_i64(predicted, taken) == tensor_get_i64(source, from + taken))
			taken++;
		taken++;
	}
	int64_t count = current->count + taken;
	out[0] = tensor_new(e, DT_I64, 1, &count);
	out[1] = out[0] ? tensor_new(e, DT_I64, in[2]->rank, in[2]->dims) : NULL;
	if (!out[1])
		return false;
	for (int64_t i = 0; i < count; i++)
		tensor_set_i64(out[0], i, i < current->count ? tensor_get_i64(current, i) : tensor_get_i64(predicted, i - current->count));
	tensor_set_i64(out[1], 0, suffix_place(op, source, out[0]));
	return true;
}

bool infer_ms_bifurcation(InferCtx *x, Op *op)
{
	const Value *current = op_operand(op, 1);
	const Sym *n = !op_operand(op, 3) && value_rank(current) == 1 ? current->type->dims[0] : infer_unknown(x, op, 0, 0);
	infer_tensor(x, op, 0, DT_I64, 1, &n);
	infer_result(x, op, 1, op_operand(op, 2)->type);
	return true;
}

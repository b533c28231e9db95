/* GatedDeltaNet of com.microsoft: linear attention over sequences of lengths of their own, its gates computed inside. */
#include "eval_int.h"
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

typedef enum Gate { GATE_PLAIN, GATE_SOFTPLUS, GATE_SIGMOID } Gate;

typedef struct Delta {
	int64_t tokens, batch, heads, values, key, value; /* heads of queries and keys, of values; sizes of a head */
	bool gated, delta, beta_sigmoid, unit;
	Gate gate;
	double scale, bound;
	const double *q, *k, *v;               /* of the first token */
	int64_t qk_step, v_step;               /* from token to token */
	const double *decay, *beta, *log_rate, *shift;
	int64_t decay_width, shift_width;
	const Tensor *starts;                  /* NULL: equal lengths */
	double *state;                         /* batch values value key */
} Delta;

static Tensor *operand(const Op *op, Tensor *const *in, size_t i)
{
	return i < op->noperands ? in[i] : NULL;
}

static bool same_text(const Op *op, AttrName a, const char *s)
{
	const Str *t = op_attr_str(op, a);
	return t && !strcmp(t->s, s);
}

static bool delta_options(EvalCtx *e, const Op *op, Delta *d)
{
	const char *rule = op_text(op, A_update_rule);
	d->gated = !strncmp(rule, "gated", 5);
	d->delta = !strcmp(rule, "delta") || !strcmp(rule, "gated_delta");
	if (!d->delta && strcmp(rule, "linear") && strcmp(rule, "gated"))
		return eval_error(e, op, "update_rule \"%s\" is none of linear, gated, delta, gated_delta", rule);
	if (op_int(op, A_state_update_capacity))
		return eval_unsupported(e, op, "state_update_capacity %lld: only the last state is kept", (long long)op_int(op, A_state_update_capacity));
	bool softplus = same_text(op, A_gate_activation, "softplus") || same_text(op, A_gate_activation, "qwen");
	bool sigmoid = same_text(op, A_gate_activation, "sigmoid") || same_text(op, A_gate_activation, "kda");
	if (!softplus && !sigmoid && op_attr(op, A_gate_activation) && !same_text(op, A_gate_activation, "none"))
		return eval_error(e, op, "gate_activation is none of none, softplus, sigmoid");
	d->gate = softplus ? GATE_SOFTPLUS : sigmoid ? GATE_SIGMOID : GATE_PLAIN;
	d->beta_sigmoid = same_text(op, A_beta_activation, "sigmoid");
	if (!d->beta_sigmoid && op_attr(op, A_beta_activation) && !same_text(op, A_beta_activation, "none"))
		return eval_error(e, op, "beta_activation is none of none, sigmoid");
	d->unit = op_int(op, A_qk_l2_norm) != 0;
	d->bound = op_float(op, A_gate_lower_bound);
	return true;
}

/* Sizes from query, key and value, or from a query that holds all three and the state. The tokens have one dim or two. */
static bool delta_sizes(EvalCtx *e, const Op *op, Tensor *const *in, Delta *d)
{
	const Tensor *q = in[0], *k = operand(op, in, 1), *v = operand(op, in, 2), *state = operand(op, in, 6);
	int outer = k ? q->rank - 2 : q->rank - 1;
	if (!k != !v || (outer != 1 && outer != 2) || (!k && !state) || (state && state->rank != 4))
		return eval_error(e, op, "query %s: with key and value it has axes of tokens, heads and elements; alone it needs initial_state",
			tensor_shape_text(e, q));
	d->tokens = q->dims[0] * (outer == 2 ? q->dims[1] : 1);
	if (k) {
		if (k->rank != q->rank || v->rank != q->rank || !tensor_same_shape(q, k) || memcmp(q->dims, v->dims, (size_t)outer * sizeof *q->dims))
			return eval_error(e, op, "query %s, key %s and value %s do not go together", tensor_shape_text(e, q), tensor_shape_text(e, k),
				tensor_shape_text(e, v));
		d->heads = q->dims[outer];
		d->key = q->dims[outer + 1];
		d->values = v->dims[outer];
		d->value = v->dims[outer + 1];
	} else {
		d->values = state->dims[1];
		d->value = state->dims[2];
		d->key = state->dims[3];
		int64_t rest = q->dims[outer] - d->values * d->value;
		d->heads = d->key > 0 && rest > 0 && rest % (2 * d->key) == 0 ? rest / (2 * d->key) : 0;
	}
	d->batch = state ? state->dims[0] : outer == 2 ? q->dims[0] : -1; /* -1: cu_seqlens says it */
	if (d->heads < 1 || d->values < 1 || d->values % d->heads || d->key < 1 || (state && (state->dims[1] != d->values ||
			state->dims[2] != d->value || state->dims[3] != d->key)))
		return eval_error(e, op, "%lld heads of %lld elements for %lld heads of %lld values", (long long)d->heads, (long long)d->key,
			(long long)d->values, (long long)d->value);
	d->scale = op_float(op, A_scale) != 0 ? op_float(op, A_scale) : 1 / sqrt((double)d->key);
	return true;
}

static bool delta_sequences(EvalCtx *e, const Op *op, const Tensor *starts, Delta *d)
{
	d->starts = starts;
	if (!starts)
		return (d->batch > 0 && d->tokens % d->batch == 0) || eval_error(e, op, "without cu_seqlens, initial_state must tell how many sequences "
			"the %lld tokens are", (long long)d->tokens);
	if (starts->rank != 1 || starts->count < 1 || !dtype_is_integer(starts->dtype) || (d->batch >= 0 && starts->count != d->batch + 1))
		return eval_error(e, op, "cu_seqlens of shape %s for %lld sequences", tensor_shape_text(e, starts), (long long)d->batch);
	d->batch = starts->count - 1;
	for (int64_t b = 0, at = 0; b <= d->batch; b++) {
		int64_t end = tensor_get_i64(starts, b);
		if (end < at || (b == 0 && end != 0) || (b == d->batch && end != d->tokens))
			return eval_error(e, op, "cu_seqlens must rise from 0 to the %lld tokens", (long long)d->tokens);
		at = end;
	}
	return true;
}

/* Operands of the gates: how many entries a token, or a head, has. */
static bool delta_gates(EvalCtx *e, const Op *op, Tensor *const *in, Delta *d)
{
	const Tensor *decay = operand(op, in, 4), *beta = operand(op, in, 5), *rate = operand(op, in, 7), *shift = operand(op, in, 8);
	d->decay_width = decay && d->tokens ? decay->count / d->tokens : d->values;
	d->shift_width = shift ? shift->count / d->values : 1;
	if (d->gated && (!decay || (d->decay_width != d->values && d->decay_width != d->values * d->key) || decay->count != d->decay_width * d->tokens))
		return eval_error(e, op, "the update rule needs a decay for each of %lld heads, or each of its %lld rows", (long long)d->values,
			(long long)d->key);
	if ((d->delta && !beta) || (beta && beta->count != d->tokens * d->values))
		return eval_error(e, op, "the update rule needs a beta for each of %lld heads", (long long)d->values);
	if (d->gate != GATE_PLAIN && (!rate || rate->count != d->values || (shift && shift->count != d->values && shift->count != d->values * d->key)))
		return eval_error(e, op, "gate_activation needs an a_log for each of %lld heads", (long long)d->values);
	return true;
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

/* What is left of row i of the state of head h after token t. */
static double fade_of(const Delta *d, int64_t t, int64_t h, int64_t i)
{
	double g = d->decay[t * d->decay_width + (d->decay_width == d->values ? h : h * d->key + i)];
	if (d->gate != GATE_PLAIN) {
		double x = g + (d->shift ? d->shift[d->shift_width == 1 ? h : h * d->key + i] : 0), rate = exp(d->log_rate[h]);
		g = d->gate == GATE_SOFTPLUS ? -rate * (x > 30 ? x : log1p(exp(x))) : d->bound * sigmoid(rate * x);
	}
	return exp(g);
}

static double length_of(const Delta *d, const double *x)
{
	const double least = 1e-6;
	double sum = least;
	for (int64_t i = 0; i < d->key; i++)
		sum += x[i] * x[i];
	return d->unit ? sqrt(sum) : 1;
}

/* Token t for head h of the values, whose state is s; y gets the answer. */
static void delta_step(const Delta *d, int64_t t, int64_t h, double *s, double *y)
{
	int64_t shared = h / (d->values / d->heads);
	const double *q = d->q + t * d->qk_step + shared * d->key, *k = d->k + t * d->qk_step + shared * d->key;
	const double *v = d->v + t * d->v_step + h * d->value;
	double rate = d->beta ? d->beta[t * d->values + h] : 1, key_length = length_of(d, k), query_length = length_of(d, q);
	rate = d->beta && d->beta_sigmoid ? sigmoid(rate) : rate;
	for (int64_t i = 0; d->gated && i < d->key; i++) {
		double fade = fade_of(d, t, h, i);
		for (int64_t j = 0; j < d->value; j++)
			s[j * d->key + i] *= fade;
	}
	for (int64_t j = 0; j < d->value; j++) {
		double *row = s + j * d->key, seen = 0, sum = 0;
		for (int64_t i = 0; d->delta && i < d->key; i++)
			seen += row[i] * k[i] / key_length;
		for (int64_t i = 0; i < d->key; i++)
			row[i] += (d->delta ? rate : 1) * k[i] / key_length * (v[j] - seen);
		for (int64_t i = 0; i < d->key; i++)
			sum += row[i] * q[i] / query_length;
		y[j] = d->scale * sum;
	}
}

static void delta_run(const Delta *d, double *y)
{
	for (int64_t b = 0; b < d->batch; b++) {
		int64_t each = d->starts ? 0 : d->tokens / d->batch, from = d->starts ? tensor_get_i64(d->starts, b) : b * each;
		int64_t to = d->starts ? tensor_get_i64(d->starts, b + 1) : from + each;
		for (int64_t t = from; t < to; t++)
			for (int64_t h = 0; h < d->values; h++)
				delta_step(d, t, h, d->state + (b * d->values + h) * d->value * d->key, y + (t * d->values + h) * d->value);
	}
}

bool eval_ms_delta(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { LOADED = 9, STATE = LOADED, RESULT, PARTS };
	Delta d = { 0 };
	Dense part[PARTS] = { 0 };
	if (!dense_operands(e, op, in, false) || !delta_options(e, op, &d) || !delta_sizes(e, op, in, &d) ||
			!delta_sequences(e, op, operand(op, in, 3), &d) || !delta_gates(e, op, in, &d))
		return false;
	int outer = operand(op, in, 1) ? in[0]->rank - 2 : in[0]->rank - 1;
	const int64_t state[4] = { d.batch, d.values, d.value, d.key };
	int64_t dims[4] = { in[0]->dims[0], in[0]->dims[1] };
	dims[outer] = d.values;
	dims[outer + 1] = d.value;
	out[0] = tensor_new(e, in[0]->dtype, outer + 2, dims);
	Tensor *last = out[0] ? tensor_new(e, DT_F32, 4, state) : NULL;
	bool ok = last && dense_scratch(e, DT_F64, last->count, &part[STATE]) && dense_scratch(e, DT_F64, out[0]->count, &part[RESULT]);
	for (size_t i = 0; ok && i < LOADED; i++)
		ok = i == 3 || dense_load(e, operand(op, in, i), DT_F64, &part[i]);
	if (ok) {
		bool one = !operand(op, in, 1);
		d.q = part[0].data;
		d.k = one ? d.q + d.heads * d.key : part[1].data;
		d.v = one ? d.k + d.heads * d.key : part[2].data;
		d.qk_step = one ? 2 * d.heads * d.key + d.values * d.value : d.heads * d.key;
		d.v_step = one ? d.qk_step : d.values * d.value;
		d.decay = part[4].data, d.beta = part[5].data, d.log_rate = part[7].data, d.shift = part[8].data;
		d.state = part[STATE].data;
		if (part[6].data)
			memcpy(d.state, part[6].data, (size_t)last->count * sizeof(double));
		delta_run(&d, part[RESULT].data);
		tensor_store_f64(out[0], 0, out[0]->count, part[RESULT].data);
		tensor_store_f64(last, 0, last->count, d.state);
	}
	for (size_t i = 0; i < PARTS; i++)
		dense_release(&part[i]);
	if (op->nresults > 1)
		out[1] = last;
	else
		tensor_unref(last);
	return ok;
}

bool infer_ms_delta(InferCtx *x, Op *op)
{
	const Value *q = op_operand(op, 0), *v = op_operand(op, 2), *state = op_operand(op, 6);
	int outer = op_operand(op, 1) ? value_rank(q) - 2 : value_rank(q) - 1;
	if (op->nresults > 1 && state)
		infer_result(x, op, 1, state->type);
	bool known = (outer == 1 || outer == 2) && (v ? value_rank(v) == outer + 2 : value_rank(state) == 4);
	if (!known)
		return infer_tensor(x, op, 0, value_dtype(q), RANK_UNKNOWN, NULL);
	const Sym *dims[4] = { q->type->dims[0], outer == 2 ? q->type->dims[1] : NULL };
	dims[outer] = v ? v->type->dims[outer] : state->type->dims[1];
	dims[outer + 1] = v ? v->type->dims[outer + 1] : state->type->dims[2];
	return infer_tensor(x, op, 0, value_dtype(q), outer + 2, dims);
}

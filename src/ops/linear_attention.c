/* Attention whose past is one matrix (a recurrence over the tokens), and attention with nested graphs on its scores. */
#include "eval_int.h"
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

/* ---- linear attention ---- */

typedef struct Recurrence {
	int64_t batch, tokens, heads, kv_heads, key, value; /* key, value: sizes of a head */
	bool gated, delta;
	int64_t decay_width, beta_width;                    /* entries a token; decay: one a head or one a row of its state */
	double scale;
	const double *q, *k, *v, *decay, *beta;
	double *state, *seen, *y;                           /* seen: scratch of `value` entries */
} Recurrence;

bool infer_linear_attention(InferCtx *x, Op *op)
{
	const Value *q = op_operand(op, 0), *k = op_operand(op, 1), *v = op_operand(op, 2), *past = op_operand(op, 3);
	int64_t heads = op_attr_int(op, A_q_num_heads, 0), kv = op_attr_int(op, A_kv_num_heads, 0);
	bool known = value_rank(q) == 3 && value_rank(k) == 3 && value_rank(v) == 3 && heads > 0 && kv > 0;
	if (!known) {
		if (op->nresults > 1)
			infer_tensor(x, op, 1, value_dtype(past), RANK_UNKNOWN, NULL);
		return infer_tensor(x, op, 0, value_dtype(q), RANK_UNKNOWN, NULL);
	}
	Context *c = x->ctx;
	const Sym *per_kv = sym_int(c, kv), *size = sym_floordiv(c, v->type->dims[2], per_kv);
	const Sym *y[3] = {q->type->dims[0], q->type->dims[1], sym_mul(c, size, sym_int(c, heads > kv ? heads : kv))};
	const Sym *s[4] = {q->type->dims[0], per_kv, sym_floordiv(c, k->type->dims[2], per_kv), size};
	if (op->nresults > 1 && !op_attr_int(op, A_state_window, 0))
		infer_tensor(x, op, 1, past ? value_dtype(past) : DT_NONE, 4, s);
	return infer_tensor(x, op, 0, value_dtype(q), 3, y);
}

static bool has_shape(const Tensor *t, int rank, const int64_t *dims)
{
	return t->rank == rank && !memcmp(t->dims, dims, (size_t)rank * sizeof *dims);
}

static bool recurrence_sizes(EvalCtx *e, const Op *op, Tensor *const *in, Recurrence *r)
{
	const Tensor *q = in[0], *k = in[1], *v = in[2];
	r->heads = op_attr_int(op, A_q_num_heads, 0);
	r->kv_heads = op_attr_int(op, A_kv_num_heads, 0);
	if (q->rank != 3 || k->rank != 3 || v->rank != 3)
		return eval_error(e, op, "query, key and value must have rank 3");
	bool shared = op_is(op, OWN_MS_LinearAttention) && r->heads > 0 && r->kv_heads > r->heads && r->kv_heads % r->heads == 0;
	if (r->heads < 1 || r->kv_heads < 1 || (r->heads % r->kv_heads && !shared))
		return eval_error(e, op, "%lld heads of queries for %lld of keys", (long long)r->heads, (long long)r->kv_heads);
	r->batch = q->dims[0];
	r->tokens = q->dims[1];
	r->key = k->dims[2] / r->kv_heads;
	r->value = v->dims[2] / r->kv_heads;
	const int64_t qd[3] = {r->batch, r->tokens, r->key * r->heads}, kd[3] = {r->batch, r->tokens, r->key * r->kv_heads},
				  vd[3] = {r->batch, r->tokens, r->value * r->kv_heads};
	if (!has_shape(q, 3, qd) || !has_shape(k, 3, kd) || !has_shape(v, 3, vd))
		return eval_error(e, op, "query %s, key %s and value %s do not go together", tensor_shape_text(e, q),
			tensor_shape_text(e, k), tensor_shape_text(e, v));
	return true;
}

static bool per_token(EvalCtx *e, const Op *op, const Tensor *t, const Recurrence *r, const char *what, int64_t *width)
{
	if (!t)
		return eval_error(e, op, "the update rule needs %s", what);
	*width = t->rank == 3 ? t->dims[2] : 0;
	const int64_t dims[3] = {r->batch, r->tokens, *width};
	return has_shape(t, 3, dims) || eval_error(e, op, "%s of shape %s", what, tensor_shape_text(e, t));
}

static bool recurrence_plan(EvalCtx *e, const Op *op, Tensor *const *in, Recurrence *r)
{
	const char *rule = op_text(op, A_update_rule);
	r->gated = !strncmp(rule, "gated", 5);
	r->delta = !strcmp(rule, "delta") || !strcmp(rule, "gated_delta");
	if (!r->delta && strcmp(rule, "linear") && strcmp(rule, "gated"))
		return eval_error(e, op, "update_rule \"%s\" is none of linear, gated, delta, gated_delta", rule);
	if (op_attr_int(op, A_state_window, 0))
		return eval_unsupported(e, op, "state_window %lld: only the last state is kept", (long long)op_attr_int(op, A_state_window, 0));
	if (!recurrence_sizes(e, op, in, r))
		return false;
	const Tensor *past = op->noperands > 3 ? in[3] : NULL;
	const int64_t state[4] = {r->batch, r->kv_heads, r->key, r->value};
	if (past && !has_shape(past, 4, state))
		return eval_error(e, op, "a past state of shape %s", tensor_shape_text(e, past));
	if (r->gated && !per_token(e, op, op->noperands > 4 ? in[4] : NULL, r, "decay", &r->decay_width))
		return false;
	if (r->delta && !per_token(e, op, op->noperands > 5 ? in[5] : NULL, r, "beta", &r->beta_width))
		return false;
	if (r->gated && r->decay_width != r->kv_heads && r->decay_width != r->kv_heads * r->key)
		return eval_error(e, op, "decay has %lld entries a token", (long long)r->decay_width);
	if (r->delta && r->beta_width != 1 && r->beta_width != r->kv_heads)
		return eval_error(e, op, "beta has %lld entries a token", (long long)r->beta_width);
	r->scale = op_float(op, A_scale);
	if (r->scale == 0)
		r->scale = r->key > 0 ? 1 / sqrt((double)r->key) : 1;
	return true;
}

/* One token of one head of keys: the state fades, takes up key x (value - what the key already recalls), and answers the
 * queries of the heads that share it, or the query that it shares with others. */
static void recurrence_step(const Recurrence *r, int64_t b, int64_t t, int64_t h)
{
	int64_t at = b * r->tokens + t, share = r->heads > r->kv_heads ? r->heads / r->kv_heads : 1;
	int64_t each = r->kv_heads > r->heads ? r->kv_heads / r->heads : 1, answers = r->heads > r->kv_heads ? r->heads : r->kv_heads;
	const double *k = r->k + (at * r->kv_heads + h) * r->key, *v = r->v + (at * r->kv_heads + h) * r->value;
	double *s = r->state + (b * r->kv_heads + h) * r->key * r->value;
	for (int64_t i = 0; r->gated && i < r->key; i++) {
		bool rows = r->decay_width != r->kv_heads;
		double fade = exp(r->decay[at * r->decay_width + (rows ? h * r->key + i : h)]);
		for (int64_t j = 0; j < r->value; j++)
			s[i * r->value + j] *= fade;
	}
	double rate = r->delta ? r->beta[at * r->beta_width + (r->beta_width == 1 ? 0 : h)] : 1;
	memset(r->seen, 0, (size_t)r->value * sizeof(double));
	for (int64_t i = 0; r->delta && i < r->key; i++)
		for (int64_t j = 0; j < r->value; j++)
			r->seen[j] += s[i * r->value + j] * k[i];
	for (int64_t i = 0; i < r->key; i++)
		for (int64_t j = 0; j < r->value; j++)
			s[i * r->value + j] += rate * k[i] * (v[j] - r->seen[j]);
	for (int64_t g = h * share; g < (h + 1) * share; g++) {
		const double *q = r->q + (at * r->heads + g / each) * r->key;
		double *y = r->y + (at * answers + g) * r->value;
		for (int64_t i = 0; i < r->key; i++)
			for (int64_t j = 0; j < r->value; j++)
				y[j] += r->scale * q[i] * s[i * r->value + j];
	}
}

bool eval_linear_attention(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Recurrence r = {0};
	Dense d[6] = {{0}}, state = {0}, y = {0}, seen = {0};
	if (!dense_operands(e, op, in, false) || !recurrence_plan(e, op, in, &r))
		return false;
	Tensor *past = op->noperands > 3 ? in[3] : NULL;
	const int64_t yd[3] = {r.batch, r.tokens, (r.heads > r.kv_heads ? r.heads : r.kv_heads) * r.value}, sd[4] = {r.batch, r.kv_heads, r.key, r.value};
	DType declared = op->nresults > 1 ? value_dtype(op->results[1]) : DT_NONE;
	out[0] = tensor_new(e, in[0]->dtype, 3, yd);
	Tensor *last = out[0] ? tensor_new(e, past ? past->dtype : declared ? declared : in[0]->dtype, 4, sd) : NULL;
	if (!last)
		return false;
	if (op->nresults > 1)
		out[1] = last;
	bool ok = dense_scratch(e, DT_F64, last->count, &state) && dense_scratch(e, DT_F64, out[0]->count, &y) &&
		dense_scratch(e, DT_F64, r.value, &seen);
	for (size_t i = 0; ok && i < 6; i++)
		ok = dense_load(e, i < op->noperands ? in[i] : NULL, DT_F64, &d[i]);
	if (ok) {
		r.q = d[0].data, r.k = d[1].data, r.v = d[2].data, r.decay = d[4].data, r.beta = d[5].data;
		r.state = state.data, r.y = y.data, r.seen = seen.data;
		if (past)
			memcpy(r.state, d[3].data, (size_t)last->count * sizeof(double));
		for (int64_t b = 0; b < r.batch; b++)
			for (int64_t t = 0; t < r.tokens; t++)
				for (int64_t h = 0; h < r.kv_heads; h++)
					recurrence_step(&r, b, t, h);
		tensor_store_f64(out[0], 0, out[0]->count, r.y);
		tensor_store_f64(last, 0, last->count, r.state);
	}
	for (size_t i = 0; i < 6; i++)
		dense_release(&d[i]);
	dense_release(&state);
	dense_release(&y);
	dense_release(&seen);
	if (op->nresults < 2)
		tensor_unref(last);
	return ok;
}

/* ---- attention with graphs on its scores and probabilities ---- */

bool infer_flex_attention(InferCtx *x, Op *op)
{
	const Value *q = op_operand(op, 0), *v = op_operand(op, 2);
	bool ok = true;
	for (size_t i = 0; i < op->nblocks; i++)
		ok &= infer_block(x, op->blocks[i]);
	if (value_rank(q) != 4 || value_rank(v) != 4)
		return infer_tensor(x, op, 0, value_dtype(q), RANK_UNKNOWN, NULL) && ok;
	const Sym *dims[4] = {q->type->dims[0], q->type->dims[1], q->type->dims[2], v->type->dims[3]};
	return infer_tensor(x, op, 0, value_dtype(q), 4, dims) && ok;
}

typedef struct Flex {
	int64_t batch, heads, share, queries, keys, size, value;
	const double *q, *k, *v;
	double scale;
} Flex;

static bool flex_plan(EvalCtx *e, const Op *op, Tensor *const *in, Flex *f)
{
	const Tensor *q = in[0], *k = in[1], *v = in[2];
	if (q->rank != 4 || k->rank != 4 || v->rank != 4)
		return eval_error(e, op, "query, key and value must have rank 4");
	int64_t kv = k->dims[1];
	*f = (Flex){.batch = q->dims[0], .heads = q->dims[1], .queries = q->dims[2], .keys = k->dims[2], .size = q->dims[3],
		.value = v->dims[3]};
	const int64_t kd[4] = {f->batch, kv, f->keys, f->size}, vd[4] = {f->batch, kv, f->keys, f->value};
	if (!has_shape(k, 4, kd) || !has_shape(v, 4, vd) || kv < 1 || f->heads % kv)
		return eval_error(e, op, "query %s, key %s and value %s do not go together", tensor_shape_text(e, q),
			tensor_shape_text(e, k), tensor_shape_text(e, v));
	f->share = f->heads / kv;
	f->scale = op_attr_float(op, A_scale, f->size > 0 ? 1 / sqrt((double)f->size) : 1);
	return true;
}

/* The scores q k^T * scale as (batch, heads, queries, keys). */
static void flex_scores(const Flex *f, Tensor *scores)
{
	int64_t at = 0;
	for (int64_t h = 0; h < f->batch * f->heads; h++) {
		const double *k = f->k + (h / f->share) * f->keys * f->size;
		for (int64_t i = 0; i < f->queries; i++)
			for (int64_t j = 0; j < f->keys; j++) {
				const double *q = f->q + (h * f->queries + i) * f->size;
				double sum = 0;
				for (int64_t c = 0; c < f->size; c++)
					sum += q[c] * k[j * f->size + c];
				tensor_set_f64(scores, at++, sum * f->scale);
			}
	}
}

/* Rows of the scores become probabilities, in place. */
static void flex_softmax(const Flex *f, Tensor *scores)
{
	for (int64_t r = 0; r < f->batch * f->heads * f->queries; r++) {
		double top = -INFINITY, sum = 0;
		for (int64_t j = 0; j < f->keys; j++)
			top = fmax(top, tensor_get_f64(scores, r * f->keys + j));
		for (int64_t j = 0; j < f->keys; j++)
			sum += exp(tensor_get_f64(scores, r * f->keys + j) - top);
		for (int64_t j = 0; j < f->keys; j++)
			tensor_set_f64(scores, r * f->keys + j, exp(tensor_get_f64(scores, r * f->keys + j) - top) / sum);
	}
}

static void flex_values(const Flex *f, const Tensor *p, Tensor *y)
{
	for (int64_t h = 0; h < f->batch * f->heads; h++) {
		const double *v = f->v + (h / f->share) * f->keys * f->value;
		for (int64_t i = 0; i < f->queries; i++)
			for (int64_t c = 0; c < f->value; c++) {
				double sum = 0;
				for (int64_t j = 0; j < f->keys; j++)
					sum += tensor_get_f64(p, (h * f->queries + i) * f->keys + j) * v[j * f->value + c];
				tensor_set_f64(y, (h * f->queries + i) * f->value + c, sum);
			}
	}
}

/* Runs the nested graph of that attribute name, if there is one, on *t and puts its result there. */
static bool flex_modify(EvalCtx *e, const Op *op, const char *name, Tensor **t)
{
	const Attr *names = op_attr(op, A_graph_names);
	for (size_t i = 0; i < op->nblocks; i++) {
		if (!names || names->kind != ATTR_STRS || i >= names->u.strs.n || strcmp(names->u.strs.v[i]->s, name))
			continue;
		Tensor *y = NULL;
		if (op->blocks[i]->nargs != 1 || !block_terminator(op->blocks[i]) ||
			block_terminator(op->blocks[i])->noperands != 1)
			return eval_error(e, op, "%s must have one input and one output", name);
		if (!eval_block(e, op->blocks[i], t, 1, &y, 1))
			return false;
		if (y->kind != TYPE_TENSOR || !tensor_same_shape(y, *t) || !dtype_is_float(y->dtype)) {
			tensor_unref(y);
			return eval_error(e, op, "%s changes the shape or type of the scores", name);
		}
		tensor_unref(*t);
		*t = y;
	}
	return true;
}

/* A graph may hand out a tensor that others hold: softmax works on a copy. */
static bool own_copy(EvalCtx *e, Tensor **t)
{
	Tensor *y = tensor_like(e, *t);
	if (!y)
		return false;
	for (int64_t i = 0; i < y->count; i++)
		tensor_set_f64(y, i, tensor_get_f64(*t, i));
	tensor_unref(*t);
	*t = y;
	return true;
}

bool eval_flex_attention(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Flex f = {0};
	Dense q = {0}, k = {0}, v = {0};
	if (!dense_operands(e, op, in, false) || !flex_plan(e, op, in, &f))
		return false;
	DType inner = dtype_from_onnx(op_attr_int(op, A_softmax_precision, 0));
	if (!dtype_is_float(inner))
		inner = in[0]->dtype == DT_F64 ? DT_F64 : DT_F32;
	const int64_t sd[4] = {f.batch, f.heads, f.queries, f.keys}, yd[4] = {f.batch, f.heads, f.queries, f.value};
	Tensor *scores = tensor_new(e, inner, 4, sd);
	out[0] = scores ? tensor_new(e, in[0]->dtype, 4, yd) : NULL;
	bool ok = out[0] && dense_load(e, in[0], DT_F64, &q) && dense_load(e, in[1], DT_F64, &k) &&
		dense_load(e, in[2], DT_F64, &v);
	f.q = q.data, f.k = k.data, f.v = v.data;
	if (ok)
		flex_scores(&f, scores);
	ok = ok && flex_modify(e, op, "score_mod", &scores) && own_copy(e, &scores);
	if (ok)
		flex_softmax(&f, scores);
	ok = ok && flex_modify(e, op, "prob_mod", &scores);
	if (ok)
		flex_values(&f, scores, out[0]);
	dense_release(&q);
	dense_release(&k);
	dense_release(&v);
	tensor_unref(scores);
	return ok;
}

/* Scaled dot-product attention and rotary position embedding. */
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

/* ---- inference ---- */

typedef struct AttentionDims {
	const Sym *batch, *heads, *kv_heads, *queries, *keys, *size, *value_size; /* keys: without the past */
} AttentionDims;

/* Dims of one operand as (batch, heads, length, size); rank 3 holds heads and size in its last dim. */
static bool infer_heads(InferCtx *x, const Op *op, const Value *v, int64_t heads, const Sym **dims)
{
	if (v->type->rank == 4) {
		memcpy(dims, v->type->dims, 4 * sizeof(*dims));
		return true;
	}
	if (v->type->rank != 3 || heads < 1)
		return infer_error(x, op, "queries, keys and values have rank 4, or rank 3 and numbers of heads");
	dims[0] = v->type->dims[0];
	dims[1] = sym_int(x->ctx, heads);
	dims[2] = v->type->dims[1];
	dims[3] = sym_floordiv(x->ctx, v->type->dims[2], dims[1]);
	return true;
}

bool infer_attention(InferCtx *x, Op *op)
{
	Context *c = x->ctx;
	const Value *q = op_operand(op, 0), *k = op_operand(op, 1), *v = op_operand(op, 2), *past = op_operand(op, 4);
	DType d = value_dtype(q);
	const Sym *qd[4], *kd[4], *vd[4];
	if (value_rank(q) < 0 || value_rank(k) < 0 || value_rank(v) < 0) {
		for (size_t i = 0; i < op->nresults; i++)
			infer_tensor(x, op, i, i == 2 && value_dtype(v) != DT_NONE ? value_dtype(v) : d, RANK_UNKNOWN, NULL);
		return true;
	}
	int64_t heads = op_int(op, A_q_num_heads), kv_heads = op_int(op, A_kv_num_heads);
	if (!infer_heads(x, op, q, heads, qd) || !infer_heads(x, op, k, kv_heads, kd) ||
		!infer_heads(x, op, v, kv_heads, vd))
		return false;
	if (sym_known_ne(c, qd[0], kd[0]) || sym_known_ne(c, qd[3], kd[3]) || sym_known_ne(c, kd[2], vd[2]))
		return infer_error(x, op, "queries, keys and values do not go together");
	const Sym *total = kd[2];
	if (past)
		total = value_rank(past) == 4 ? sym_add(c, past->type->dims[2], kd[2]) : infer_unknown(x, op, 1, 2);
	const Sym *y4[4] = {qd[0], qd[1], qd[2], vd[3]}, *y3[3] = {qd[0], qd[2], sym_mul(c, qd[1], vd[3])};
	bool flat = q->type->rank == 3;
	infer_tensor(x, op, 0, d, flat ? 3 : 4, flat ? y3 : y4);
	const Sym *key[4] = {kd[0], kd[1], total, kd[3]}, *value[4] = {vd[0], vd[1], total, vd[3]},
			  *qk[4] = {qd[0], qd[1], qd[2], total};
	if (op->nresults > 1)
		infer_tensor(x, op, 1, value_dtype(k), 4, key);
	if (op->nresults > 2)
		infer_tensor(x, op, 2, value_dtype(v), 4, value);
	if (op->nresults > 3)
		infer_tensor(x, op, 3, d, 4, qk);
	return true;
}

/* ---- attention ---- */

typedef struct Attention {
	DType kind; /* DT_F32 or DT_F64 */
	int64_t batch, heads, kv_heads, queries, keys, past, total, size, value_size;
	bool flat; /* operands of rank 3 */
	bool causal;
	int64_t left, right; /* window; -1: open */
	double scale, softcap;
	int output_mode;
	const Tensor *mask;    /* NULL: none */
	const double *bias;    /* its elements as what is added */
	const int64_t *nonpad; /* valid keys of each batch entry, or NULL */
	void *q;               /* batch heads queries size, scaled */
	void *k, *v;           /* batch kv_heads total size */
	void *scores;          /* batch heads queries total: logits, then probabilities */
	void *qk;              /* likewise: what the fourth result shows, or NULL */
	void *y;
} Attention;

static double element(DType kind, const void *p, int64_t i)
{
	return kind == DT_F32 ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

static void set_element(DType kind, void *p, int64_t i, double v)
{
	if (kind == DT_F32)
		((float *)p)[i] = (float)v;
	else
		((double *)p)[i] = v;
}

/* Copies (batch, heads, length, size) or the flat form (batch, length, heads*size) to rows first.. of (batch, heads,
 * rows, size). */
static void copy_heads(DType kind, const void *src, bool flat, int64_t batch, int64_t heads, int64_t length,
	int64_t size, void *dst, int64_t rows, int64_t first)
{
	size_t bytes = (size_t)size * dense_size(kind);
	for (int64_t b = 0; b < batch; b++)
		for (int64_t h = 0; h < heads; h++)
			for (int64_t t = 0; t < length; t++) {
				int64_t from = flat ? ((b * length + t) * heads + h) * size : ((b * heads + h) * length + t) * size;
				memcpy(
					dense_at(kind, dst, ((b * heads + h) * rows + first + t) * size), dense_at(kind, src, from), bytes);
			}
}

static void bind_scores(void *arg, int64_t i, Gemm *g)
{
	const Attention *a = arg;
	int64_t kv = i / a->heads * a->kv_heads + i % a->heads / (a->heads / a->kv_heads);
	g->a = dense_at(a->kind, a->q, i * a->queries * a->size);
	g->b = dense_at(a->kind, a->k, kv * a->total * a->size);
	g->c = dense_at(a->kind, a->scores, i * a->queries * a->total);
}

static void bind_values(void *arg, int64_t i, Gemm *g)
{
	const Attention *a = arg;
	int64_t b = i / a->heads, h = i % a->heads, kv = b * a->kv_heads + h / (a->heads / a->kv_heads);
	g->a = dense_at(a->kind, a->scores, i * a->queries * a->total);
	g->b = dense_at(a->kind, a->v, kv * a->total * a->value_size);
	g->c = dense_at(
		a->kind, a->y, a->flat ? (b * a->queries * a->heads + h) * a->value_size : i * a->queries * a->value_size);
}

/* Flat index into the mask, whose dims align to the right with (batch, heads, queries, keys); the last may be shorter.
 */
static int64_t mask_index(const Tensor *m, const int64_t *at)
{
	int64_t index = 0;
	for (int d = 0; d < m->rank; d++) {
		int64_t i = at[4 - m->rank + d];
		index = index * m->dims[d] + (m->dims[d] == 1 ? 0 : i);
	}
	return index;
}

/* What is added to the score of query i and key t. Keys past the end of the mask are masked. */
static double bias_of(const Attention *a, int64_t b, int64_t h, int64_t i, int64_t t)
{
	if (!a->mask)
		return 0;
	if (a->mask->rank > 0 && t >= a->mask->dims[a->mask->rank - 1])
		return -INFINITY;
	return a->bias[mask_index(a->mask, (int64_t[]){b, h, i, t})];
}

static bool key_allowed(const Attention *a, int64_t b, int64_t i, int64_t t)
{
	int64_t place = (a->past > 0 ? a->past : a->nonpad ? a->nonpad[b] - a->queries : 0) + i;
	return !(a->causal && t > place) && !(a->left >= 0 && t < place - a->left) &&
		!(a->right >= 0 && t > place + a->right) && !(a->nonpad && t >= a->nonpad[b]);
}

/* Softcap, bias and softmax of one row of scores. A row whose every key is masked becomes zeros. */
static void softmax_row(void *arg, int64_t row)
{
	const Attention *a = arg;
	int64_t i = row % a->queries, h = row / a->queries % a->heads, b = row / a->queries / a->heads, at = row * a->total;
	double largest = -INFINITY, sum = 0;
	bool open = false;
	for (int64_t t = 0; t < a->total; t++) {
		double s = element(a->kind, a->scores, at + t);
		if (a->qk && a->output_mode == 0)
			set_element(a->kind, a->qk, at + t, s);
		if (a->softcap > 0)
			s = tanh(s / a->softcap) * a->softcap;
		if (a->qk && a->output_mode == 1)
			set_element(a->kind, a->qk, at + t, s);
		double bias = key_allowed(a, b, i, t) ? bias_of(a, b, h, i, t) : -INFINITY;
		open = open || bias != -INFINITY;
		s += bias;
		if (a->qk && a->output_mode == 2)
			set_element(a->kind, a->qk, at + t, s);
		set_element(a->kind, a->scores, at + t, s);
		if (s > largest || isnan(s))
			largest = isnan(largest) ? largest : s;
	}
	for (int64_t t = 0; t < a->total; t++) {
		double p = open && largest != -INFINITY ? exp(element(a->kind, a->scores, at + t) - largest) : 0;
		set_element(a->kind, a->scores, at + t, p);
		sum += element(a->kind, a->scores, at + t);
	}
	for (int64_t t = 0; t < a->total; t++) {
		double p = sum == 0 ? 0 : element(a->kind, a->scores, at + t) / sum;
		set_element(a->kind, a->scores, at + t, p);
		if (a->qk && a->output_mode == 3)
			set_element(a->kind, a->qk, at + t, p);
	}
}

static void attention_run(EvalCtx *e, Attention *a)
{
	int64_t pairs = a->batch * a->heads;
	Gemm scores = {.type = a->kind,
		.m = a->queries,
		.n = a->total,
		.k = a->size,
		.a_row = a->size,
		.a_col = 1,
		.b_row = 1,
		.b_col = a->size,
		.c_row = a->total,
		.c_col = 1};
	gemm_run_many(e->threads, &scores, pairs, bind_scores, a);
	parallel_for(dense_threads(e, 20.0 * (double)pairs * (double)a->queries * (double)a->total), pairs * a->queries,
		softmax_row, a);
	Gemm values = {.type = a->kind, .m = a->queries, .n = a->value_size, .k = a->total, .a_row = a->total, .a_col = 1,
		.b_row = a->value_size, .b_col = 1, .c_row = a->flat ? a->heads * a->value_size : a->value_size, .c_col = 1};
	gemm_run_many(e->threads, &values, pairs, bind_values, a);
}

/* One operand's heads, length and size; false when its shape does not fit. */
static bool read_heads(const Tensor *t, int64_t batch, int64_t heads, int64_t *nheads, int64_t *length, int64_t *size)
{
	if ((t->rank != 3 && t->rank != 4) || t->dims[0] != batch ||
		(t->rank == 3 && (heads < 1 || t->dims[2] % heads != 0)))
		return false;
	*nheads = t->rank == 4 ? t->dims[1] : heads;
	*length = t->rank == 4 ? t->dims[2] : t->dims[1];
	*size = t->rank == 4 ? t->dims[3] : t->dims[2] / heads;
	return true;
}

static bool past_fits(const Tensor *t, const Attention *a, int64_t size)
{
	return !t ||
		(t->rank == 4 && t->dims[0] == a->batch && t->dims[1] == a->kv_heads && t->dims[2] == a->past &&
			t->dims[3] == size);
}

static bool mask_fits(const Tensor *m, const Attention *a)
{
	if (!m)
		return true;
	const int64_t full[4] = {a->batch, a->heads, a->queries, a->total};
	if (m->rank > 4)
		return false;
	for (int d = 0; d < m->rank; d++) {
		int64_t want = full[4 - m->rank + d];
		if (m->dims[d] != want && m->dims[d] != 1 && !(d == m->rank - 1 && m->dims[d] < want))
			return false;
	}
	return m->rank == 0 || m->dims[m->rank - 1] > 0 || a->total == 0;
}

static bool attention_plan(EvalCtx *e, const Op *op, Tensor *const *in, Attention *a)
{
	const Tensor *q = in[0], *k = in[1], *v = in[2], *past_key = op->noperands > 4 ? in[4] : NULL,
				 *past_value = op->noperands > 5 ? in[5] : NULL, *nonpad = op->noperands > 6 ? in[6] : NULL;
	int64_t heads = op_int(op, A_q_num_heads), kv_heads = op_int(op, A_kv_num_heads), value_heads, value_keys, key_size;
	const Attr *scale = op_attr(op, A_scale);
	a->batch = q->rank > 0 ? q->dims[0] : 0;
	a->flat = q->rank == 3;
	if (!read_heads(q, a->batch, heads, &a->heads, &a->queries, &a->size) ||
		!read_heads(k, a->batch, kv_heads, &a->kv_heads, &a->keys, &key_size) ||
		!read_heads(v, a->batch, kv_heads, &value_heads, &value_keys, &a->value_size) || key_size != a->size ||
		value_heads != a->kv_heads || value_keys != a->keys || a->kv_heads < 1 || a->heads % a->kv_heads != 0)
		return eval_error(e, op, "queries, keys and values do not go together");
	a->past = past_key ? past_key->rank == 4 ? past_key->dims[2] : -1 : 0;
	a->total = a->past + a->keys;
	a->mask = op->noperands > 3 ? in[3] : NULL;
	if (!past_key != !past_value || !past_fits(past_key, a, a->size) || !past_fits(past_value, a, a->value_size))
		return eval_error(e, op, "the past keys and values do not fit the new ones");
	if (!mask_fits(a->mask, a) || (a->mask && a->mask->dtype != DT_BOOL && !dtype_is_float(a->mask->dtype)))
		return eval_error(e, op, "the mask does not broadcast to the scores");
	if (nonpad && (nonpad->count != a->batch || !dtype_is_integer(nonpad->dtype) || past_key))
		return eval_error(e, op, "there must be one count of valid keys for each batch entry, and no past");
	a->causal = op_int(op, A_is_causal) != 0;
	a->left = op_int(op, A_left_window_size);
	a->right = op_int(op, A_right_window_size);
	a->softcap = op_float(op, A_softcap);
	a->output_mode = (int)op_int(op, A_qk_matmul_output_mode);
	a->scale = scale && scale->kind == ATTR_FLOAT ? scale->u.f : a->size > 0 ? 1 / sqrt((double)a->size) : 1;
	return true;
}

/* Present keys or values: a result tensor when asked for, else scratch; holds the past, then the new ones. */
static bool join_past(
	EvalCtx *e, const Attention *a, Tensor *past, Tensor *now, int64_t size, Tensor *result, Dense *out)
{
	Dense dp, dn;
	int64_t dims[4] = {a->batch, a->kv_heads, a->total, size}, count;
	if (!dims_count(dims, 4, &count))
		return diag_error(e->diags, HONE_LIMIT, NULL, "an attention of too many elements");
	if (!dense_load(e, past, a->kind, &dp) || !dense_load(e, now, a->kind, &dn) ||
		!dense_scratch(e, a->kind, count, out))
		return false;
	if (past)
		copy_heads(a->kind, dp.data, false, a->batch, a->kv_heads, a->past, size, out->data, a->total, 0);
	copy_heads(a->kind, dn.data, now->rank == 3, a->batch, a->kv_heads, a->keys, size, out->data, a->total, a->past);
	dense_release(&dp);
	dense_release(&dn);
	if (result) {
		Dense d;
		if (!dense_result(e, result, a->kind, &d))
			return false;
		memcpy(d.data, out->data, (size_t)count * dense_size(a->kind));
		dense_store(result, a->kind, &d);
	}
	return true;
}

/* The mask as numbers to add: a false bool forbids. */
static bool load_mask(EvalCtx *e, Attention *a, Tensor *mask, Dense *out)
{
	if (!mask)
		return true;
	if (!dense_scratch(e, DT_F64, mask->count, out))
		return false;
	double *p = out->data;
	tensor_load_f64(mask, 0, mask->count, p);
	for (int64_t i = 0; mask->dtype == DT_BOOL && i < mask->count; i++)
		p[i] = p[i] != 0 ? 0 : -INFINITY;
	a->bias = p;
	return true;
}

/* Queries as (batch, heads, queries, size), times the scale. */
static bool load_queries(EvalCtx *e, Attention *a, Tensor *q, Dense *out)
{
	Dense d;
	if (!dense_load(e, q, a->kind, &d) || !dense_scratch(e, a->kind, q->count, out))
		return false;
	copy_heads(a->kind, d.data, a->flat, a->batch, a->heads, a->queries, a->size, out->data, a->queries, 0);
	for (int64_t i = 0; i < q->count; i++)
		set_element(a->kind, out->data, i, element(a->kind, out->data, i) * a->scale);
	dense_release(&d);
	a->q = out->data;
	return true;
}

static bool attention_results(EvalCtx *e, const Op *op, Tensor *const *in, const Attention *a, Tensor **out)
{
	const int64_t y3[3] = {a->batch, a->queries, a->heads * a->value_size},
				  y4[4] = {a->batch, a->heads, a->queries, a->value_size};
	const int64_t key[4] = {a->batch, a->kv_heads, a->total, a->size},
				  value[4] = {a->batch, a->kv_heads, a->total, a->value_size};
	const int64_t qk[4] = {a->batch, a->heads, a->queries, a->total};
	out[0] = tensor_new(e, in[0]->dtype, a->flat ? 3 : 4, a->flat ? y3 : y4);
	if (op->nresults > 1)
		out[1] = tensor_new(e, in[1]->dtype, 4, key);
	if (op->nresults > 2)
		out[2] = tensor_new(e, in[2]->dtype, 4, value);
	if (op->nresults > 3)
		out[3] = tensor_new(e, in[0]->dtype, 4, qk);
	for (size_t i = 0; i < op->nresults && i < 4; i++)
		if (!out[i])
			return false;
	return true;
}

bool eval_attention(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Attention a = {0};
	Dense q = {0}, k = {0}, v = {0}, scores = {0}, qk = {0}, y = {0}, nonpad = {0}, mask = {0};
	int64_t count;
	if (!dense_operands(e, op, in, false) || !attention_plan(e, op, in, &a) || !attention_results(e, op, in, &a, out))
		return false;
	a.kind = dense_kind(in, 3) == DT_F32 ? DT_F32 : DT_F64;
	if (!dims_count((int64_t[]){a.batch, a.heads, a.queries, a.total}, 4, &count))
		return eval_error(e, op, "an attention of too many elements");
	bool ok = load_queries(e, &a, in[0], &q) && load_mask(e, &a, op->noperands > 3 ? in[3] : NULL, &mask) &&
		join_past(e, &a, op->noperands > 4 ? in[4] : NULL, in[1], a.size, op->nresults > 1 ? out[1] : NULL, &k) &&
		join_past(e, &a, op->noperands > 5 ? in[5] : NULL, in[2], a.value_size, op->nresults > 2 ? out[2] : NULL, &v) &&
		dense_load(e, op->noperands > 6 ? in[6] : NULL, DT_I64, &nonpad) && dense_scratch(e, a.kind, count, &scores) &&
		dense_result(e, out[0], a.kind, &y) && (op->nresults < 4 || dense_result(e, out[3], a.kind, &qk));
	if (ok) {
		a.k = k.data, a.v = v.data, a.scores = scores.data, a.qk = qk.data, a.y = y.data, a.nonpad = nonpad.data;
		attention_run(e, &a);
		dense_store(out[0], a.kind, &y);
		if (op->nresults > 3)
			dense_store(out[3], a.kind, &qk);
	}
	dense_release(&q);
	dense_release(&k);
	dense_release(&v);
	dense_release(&scores);
	dense_release(&nonpad);
	dense_release(&mask);
	return ok;
}

/* ---- rotary embedding ---- */

typedef struct Rotary {
	int64_t batch, heads, length, size, turned; /* turned: leading elements of a head that rotate */
	bool flat, interleaved;
	int64_t width;               /* of a cache row: turned/2 or more */
	const double *cosine, *sine;
	const int64_t *position;     /* row of each (batch, place), or NULL: rows are in that order */
} Rotary;

static bool rotary_plan(EvalCtx *e, const Op *op, Tensor *const *in, Rotary *r)
{
	const Tensor *x = in[0], *c = in[1], *s = in[2], *position = op->noperands > 3 ? in[3] : NULL;
	int64_t heads = op_int(op, A_num_heads);
	if (x->rank == 4)
		r->heads = x->dims[1], r->length = x->dims[2], r->size = x->dims[3];
	else if (x->rank == 3 && heads > 0 && x->dims[2] % heads == 0)
		r->heads = heads, r->length = x->dims[1], r->size = x->dims[2] / heads;
	else
		return eval_error(
			e, op, "the input must have rank 4, or rank 3 and a number of heads that divides its last dimension");
	r->batch = x->dims[0];
	r->flat = x->rank == 3;
	r->interleaved = op_int(op, A_interleaved) != 0;
	r->turned = op_int(op, A_rotary_embedding_dim);
	if (r->turned == 0)
		r->turned = r->size;
	if (r->turned < 0 || r->turned > r->size || r->turned % 2 != 0)
		return eval_error(e, op, "cannot rotate %lld of %lld elements", (long long)r->turned, (long long)r->size);
	int64_t half = r->turned / 2, places;
	r->width = c->rank > 0 ? c->dims[c->rank - 1] : 0;
	if (c->count != s->count || r->width < half || s->rank != c->rank ||
		(c->rank > 0 && s->dims[s->rank - 1] != r->width))
		return eval_error(e, op, "the caches must hold rows of %lld elements", (long long)half);
	int64_t rows = r->width > 0 ? c->count / r->width : 0;
	if (!mul_ok(r->batch, r->length, &places) ||
		(position ? position->count != places || !dtype_is_integer(position->dtype) : half > 0 && rows != places))
		return eval_error(
			e, op, "positions or caches do not fit %lld x %lld places", (long long)r->batch, (long long)r->length);
	for (int64_t i = 0; position && half > 0 && i < places; i++) {
		int64_t at = tensor_get_i64(position, i);
		if (at < 0 || at >= rows)
			return eval_error(e, op, "position %lld in caches of %lld rows", (long long)at, (long long)rows);
	}
	return true;
}

static void rotate_head(const Rotary *r, int64_t row, const double *x, double *y)
{
	int64_t half = r->turned / 2;
	const double *c = r->cosine + row * r->width, *s = r->sine + row * r->width;
	memcpy(y, x, (size_t)r->size * sizeof(double));
	for (int64_t i = 0; i < half; i++) {
		int64_t a = r->interleaved ? 2 * i : i, b = r->interleaved ? 2 * i + 1 : half + i;
		y[a] = c[i] * x[a] - s[i] * x[b];
		y[b] = s[i] * x[a] + c[i] * x[b];
	}
}

bool eval_rotary_embedding(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Rotary r = {0};
	Dense x, c, s, position, y;
	if (!dense_operands(e, op, in, false) || !rotary_plan(e, op, in, &r))
		return false;
	out[0] = tensor_new(e, in[0]->dtype, in[0]->rank, in[0]->dims);
	if (!out[0] || !dense_load(e, in[0], DT_F64, &x) || !dense_load(e, in[1], DT_F64, &c) ||
		!dense_load(e, in[2], DT_F64, &s) || !dense_load(e, op->noperands > 3 ? in[3] : NULL, DT_I64, &position) ||
		!dense_result(e, out[0], DT_F64, &y))
		return false;
	r.cosine = c.data, r.sine = s.data, r.position = position.data;
	for (int64_t b = 0; b < r.batch; b++)
		for (int64_t h = 0; h < r.heads; h++)
			for (int64_t t = 0; t < r.length; t++) {
				int64_t at =
					r.flat ? ((b * r.length + t) * r.heads + h) * r.size : ((b * r.heads + h) * r.length + t) * r.size;
				int64_t place = b * r.length + t;
				rotate_head(
					&r, r.position ? r.position[place] : place, (const double *)x.data + at, (double *)y.data + at);
			}
	dense_release(&x);
	dense_release(&c);
	dense_release(&s);
	dense_release(&position);
	dense_store(out[0], DT_F64, &y);
	return true;
}

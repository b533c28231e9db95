/* Attention of com.microsoft whose batch entries have lengths of their own: GroupQueryAttention over states, PagedAttention over
 * a cache of blocks. Plain loops in double; shapes and lengths are checked before. */
#include "eval_int.h"
#include "ops/gemm.h"
#include "ops/label.h"

#include <math.h>
#include <string.h>

/* What all tokens have in common. Numbers of operands are for the error messages of the callers. */
typedef struct Decode {
	int64_t heads, kv_heads, size;
	int64_t value;           /* elements of a row of values; 0: size */
	double scale, softcap;
	int64_t window;          /* keys that a query sees, itself included; -1: all */
	bool causal, interleaved;
	int64_t half, rows;      /* of the caches: angles a row, rows; half 0: no rotation */
	const double *cosine, *sine, *query_norm, *key_norm;
	double epsilon;
	const double *sink;      /* one a head, or NULL */
	bool smooth;             /* a sink of 0 for all heads */
} Decode;

/* A head of x at a place: normalised, then rotated. */
static void place_head(const Decode *d, const double *x, const double *norm, int64_t place, double *y)
{
	double mean = 0, factor = 1;
	for (int64_t i = 0; norm && i < d->size; i++)
		mean += x[i] * x[i];
	if (norm)
		factor = 1 / sqrt(mean / (double)d->size + d->epsilon);
	for (int64_t i = 0; i < d->size; i++)
		y[i] = norm ? x[i] * factor * norm[i] : x[i];
	const double *c = d->cosine + place * d->half, *s = d->sine + place * d->half;
	for (int64_t i = 0; i < d->half; i++) {
		int64_t a = d->interleaved ? 2 * i : i, b = d->interleaved ? 2 * i + 1 : d->half + i;
		double p = y[a], q = y[b];
		y[a] = p * c[i] - q * s[i];
		y[b] = p * s[i] + q * c[i];
	}
}

/* Keys or values of one head: row t begins at data + place[t], or data + t * step. */
typedef struct Rows {
	const double *data;
	int64_t step;
	const int64_t *place;
} Rows;

static const double *row_of(const Rows *r, int64_t t)
{
	return r->data + (r->place ? r->place[t] : t * r->step);
}

/* One query of head h over keys [from, to): softmax of the scaled products, then the mix of the values. */
static void attend(const Decode *d, int64_t h, const double *q, const Rows *k, const Rows *v, int64_t from, int64_t to,
	const double *bias, double *scores, double *y)
{
	bool extra = d->smooth || d->sink;
	int64_t width = d->value ? d->value : d->size;
	double sink = d->sink ? d->sink[h] : 0, top = extra ? sink : -INFINITY, sum = 0;
	for (int64_t t = from; t < to; t++) {
		const double *row = row_of(k, t);
		double dot = 0;
		for (int64_t i = 0; i < d->size; i++)
			dot += q[i] * row[i];
		dot *= d->scale;
		if (d->softcap > 0)
			dot = tanh(dot / d->softcap) * d->softcap;
		scores[t] = dot + (bias ? bias[t] : 0);
		top = scores[t] > top ? scores[t] : top;
	}
	for (int64_t t = from; t < to; t++) {
		scores[t] = top == -INFINITY ? 0 : exp(scores[t] - top);
		sum += scores[t];
	}
	sum += extra ? exp(sink - top) : 0;
	memset(y, 0, (size_t)width * sizeof *y);
	for (int64_t t = from; sum > 0 && t < to; t++) {
		const double *row = row_of(v, t);
		double p = scores[t] / sum;
		for (int64_t i = 0; i < width; i++)
			y[i] += p * row[i];
	}
}

/* ---- operands ---- */

enum { MOST = 20 };

typedef struct Loaded {
	Dense d[MOST];
	size_t n;
} Loaded;

static Tensor *operand(const Op *op, Tensor *const *in, size_t i)
{
	return i < op->noperands ? in[i] : NULL;
}

/* Elements of operand i as doubles; NULL when it is absent. */
static bool load(EvalCtx *e, const Op *op, Tensor *const *in, size_t i, Loaded *l, const double **out)
{
	*out = NULL;
	if (!operand(op, in, i))
		return true;
	CHECK(l->n < MOST);
	if (!dense_load(e, in[i], DT_F64, &l->d[l->n]))
		return false;
	*out = l->d[l->n++].data;
	return true;
}

static double *scratch(EvalCtx *e, Loaded *l, int64_t n)
{
	CHECK(l->n < MOST);
	return dense_scratch(e, DT_F64, n, &l->d[l->n]) ? l->d[l->n++].data : NULL;
}

static void release(Loaded *l)
{
	for (size_t i = 0; i < l->n; i++)
		dense_release(&l->d[i]);
}

/* Attributes and the operands from `cosine` on: caches; `sink`; `norm`: weights of queries, then keys. */
static bool decode_init(EvalCtx *e, const Op *op, Tensor *const *in, size_t cosine, size_t sink, size_t norm, Loaded *l, Decode *d)
{
	const Tensor *c = operand(op, in, cosine), *s = operand(op, in, cosine + 1), *k = operand(op, in, sink),
				 *qn = operand(op, in, norm), *kn = operand(op, in, norm + 1);
	d->heads = op_attr_int(op, A_num_heads, 0);
	d->kv_heads = op_attr_int(op, A_kv_num_heads, 0);
	d->softcap = op_float(op, A_softcap);
	d->window = op_int(op, A_local_window_size);
	d->interleaved = op_int(op, A_rotary_interleaved) != 0;
	d->epsilon = op_float(op, A_qk_norm_epsilon);
	if (d->heads < 1 || d->kv_heads < 1 || d->heads > INT32_MAX || d->heads % d->kv_heads != 0 || d->size < 1)
		return eval_error(e, op, "%lld heads of %lld elements for %lld of keys", (long long)d->heads, (long long)d->size,
			(long long)d->kv_heads);
	d->scale = op_attr_float(op, A_scale, 0) != 0 ? op_attr_float(op, A_scale, 0) : 1 / sqrt((double)d->size);
	if (op_int(op, A_do_rotary)) {
		if (!c || !s || c->rank != 2 || !tensor_same_shape(c, s) || 2 * c->dims[1] > d->size)
			return eval_error(e, op, "rotation needs cos_cache and sin_cache with rows of at most half a head");
		d->half = c->dims[1];
		d->rows = c->dims[0];
	}
	if ((k && k->count != d->heads) || (qn && qn->count != d->size) || (kn && kn->count != d->size) || !qn != !kn)
		return eval_error(e, op, "head_sink has an element a head, q_norm_weight and k_norm_weight one an element of a head");
	return load(e, op, in, cosine, l, &d->cosine) && load(e, op, in, cosine + 1, l, &d->sine) &&
		load(e, op, in, sink, l, &d->sink) && load(e, op, in, norm, l, &d->query_norm) &&
		load(e, op, in, norm + 1, l, &d->key_norm);
}

/* Queries, keys and values of n tokens: where head 0 of token 0 begins, and how far the next token is. */
typedef struct Tokens {
	const double *q, *k, *v;
	int64_t q_step, kv_step;
} Tokens;

/* Operands 0 to 2, or operand 0 with all three side by side. Sets d->size. */
static bool read_tokens(EvalCtx *e, const Op *op, Tensor *const *in, int rank, Loaded *l, Decode *d, Tokens *t)
{
	const Tensor *q = in[0], *k = operand(op, in, 1), *v = operand(op, in, 2);
	int64_t heads = op_attr_int(op, A_num_heads, 0), kv = op_attr_int(op, A_kv_num_heads, 0), all = heads + 2 * kv;
	if (q->rank != rank || heads < 1 || kv < 1 || heads > INT32_MAX || kv > INT32_MAX || !k != !v)
		return eval_error(e, op, "a query of shape %s for %lld heads, key and value both or none", tensor_shape_text(e, q),
			(long long)heads);
	int64_t width = q->dims[rank - 1];
	if (width % (k ? heads : all) != 0)
		return eval_error(e, op, "a query of shape %s does not have %lld heads", tensor_shape_text(e, q), (long long)(k ? heads : all));
	d->size = width / (k ? heads : all);
	if (k && (k->rank != rank || !tensor_same_shape(k, v) || k->dims[rank - 1] != kv * d->size || k->dims[0] != q->dims[0] ||
				 (rank == 3 && k->dims[1] != q->dims[1])))
		return eval_error(e, op, "a key of shape %s for a query of shape %s", tensor_shape_text(e, k), tensor_shape_text(e, q));
	if (!load(e, op, in, 0, l, &t->q) || !load(e, op, in, 1, l, &t->k) || !load(e, op, in, 2, l, &t->v))
		return false;
	t->q_step = width;
	t->kv_step = k ? kv * d->size : width;
	if (!k) {
		t->k = t->q + heads * d->size;
		t->v = t->k + kv * d->size;
	}
	return true;
}

/* Whether a place can be rotated. */
static bool place_ok(EvalCtx *e, const Op *op, const Decode *d, int64_t place)
{
	return d->half == 0 || (place >= 0 && place < d->rows) ||
		eval_error(e, op, "position %lld in caches of %lld rows", (long long)place, (long long)d->rows);
}

/* ---- GroupQueryAttention ---- */

typedef struct Group {
	Decode d;
	Tokens t;
	int64_t batch, length, present;     /* present: places of the state that is given out */
	bool prompt;
	const double *past_key, *past_value, *bias;
	int64_t past_room, bias_dims[4];
	double *keys, *values;              /* batch kv_heads present size */
	const Tensor *lengths, *places;
} Group;

static bool group_shapes(EvalCtx *e, const Op *op, Tensor *const *in, Group *g)
{
	const Tensor *past = operand(op, in, 3), *past_v = operand(op, in, 4), *total = operand(op, in, 6), *bias = operand(op, in, 10);
	static const size_t ABSENT[] = { 12, 13, 16 };
	g->batch = in[0]->dims[0];
	g->length = in[0]->dims[1];
	g->lengths = operand(op, in, 5);
	g->places = operand(op, in, 9);
	for (size_t i = 0; i < ARRAY_LEN(ABSENT); i++)
		if (operand(op, in, ABSENT[i]))
			return eval_unsupported(e, op, "a quantised state, or lengths of queries");
	if (op_attr_int(op, A_sliding_window_cache, 0) || op_attr_int(op, A_kv_cache_bit_width, 0))
		return eval_unsupported(e, op, "a state that is quantised or slides");
	if (!g->lengths || !total || total->count != 1 || g->lengths->count != g->batch || !dtype_is_integer(total->dtype) ||
		!dtype_is_integer(g->lengths->dtype))
		return eval_error(e, op, "seqlens_k must have one integer a batch entry, total_sequence_length one in all");
	if (!past != !past_v || (past && (past->rank != 4 || !tensor_same_shape(past, past_v) || past->dims[0] != g->batch ||
								 past->dims[1] != g->d.kv_heads || past->dims[3] != g->d.size)))
		return eval_error(e, op, "past_key and past_value must be [batch, kv_num_heads, length, head size]");
	if (g->places && (!dtype_is_integer(g->places->dtype) || g->places->count < 1))
		return eval_error(e, op, "position_ids must be integers");
	int64_t all = tensor_get_i64(total, 0);
	g->past_room = past ? past->dims[2] : 0;
	g->prompt = all == g->length;
	if (all < 0 || all > INT32_MAX)
		return eval_error(e, op, "total_sequence_length %lld", (long long)all);
	g->present = all > g->past_room ? all : g->past_room;
	for (int i = 0; bias && i < 4; i++)
		g->bias_dims[i] = bias->rank == 4 ? bias->dims[i] : 0;
	return !bias || ((g->bias_dims[0] == g->batch || g->bias_dims[0] == 1) && (g->bias_dims[1] == g->d.heads || g->bias_dims[1] == 1) &&
		g->bias_dims[2] == g->length && g->bias_dims[3] >= all) ||
		eval_error(e, op, "attention_bias must be [batch or 1, num_heads or 1, length, total length]");
}

/* Past and new keys and values of a batch entry, into the state; *past gets what was there. */
static bool group_state(EvalCtx *e, const Op *op, Group *g, int64_t b, int64_t *past)
{
	const Decode *d = &g->d;
	int64_t total = tensor_get_i64(g->lengths, b) + 1;
	*past = g->prompt ? 0 : total - g->length;
	if (total < (g->prompt ? 0 : g->length) || *past > g->past_room || *past + g->length > g->present)
		return eval_error(e, op, "seqlens_k says %lld keys for entry %lld, the state has room for %lld", (long long)total,
			(long long)b, (long long)g->present);
	for (int64_t h = 0; h < d->kv_heads; h++) {
		double *k = g->keys + (b * d->kv_heads + h) * g->present * d->size;
		double *v = g->values + (b * d->kv_heads + h) * g->present * d->size;
		size_t old = (size_t)(g->past_room * d->size) * sizeof *k;
		if (g->past_key && old) {
			memcpy(k, g->past_key + (b * d->kv_heads + h) * g->past_room * d->size, old);
			memcpy(v, g->past_value + (b * d->kv_heads + h) * g->past_room * d->size, old);
		}
		for (int64_t i = 0; i < g->length; i++) {
			int64_t at = (b * g->length + i) * g->t.kv_step + h * d->size, place = *past + i;
			if (g->places && g->places->count == g->batch * g->length)
				place = tensor_get_i64(g->places, b * g->length + i);
			if (!place_ok(e, op, d, place))
				return false;
			place_head(d, g->t.k + at, d->key_norm, place, k + (*past + i) * d->size);
			memcpy(v + (*past + i) * d->size, g->t.v + at, (size_t)d->size * sizeof *v);
		}
	}
	return true;
}

static const double *bias_row(const Group *g, int64_t b, int64_t h, int64_t i)
{
	if (!g->bias)
		return NULL;
	int64_t at = (g->bias_dims[0] == 1 ? 0 : b) * g->bias_dims[1] + (g->bias_dims[1] == 1 ? 0 : h);
	return g->bias + (at * g->length + i) * g->bias_dims[3];
}

static bool group_entry(EvalCtx *e, const Op *op, Group *g, int64_t b, double *work, Tensor *y)
{
	const Decode *d = &g->d;
	int64_t past;
	if (!group_state(e, op, g, b, &past))
		return false;
	double *q = work, *row = work + d->size, *scores = row + d->size;
	for (int64_t i = 0; i < g->length; i++)
		for (int64_t h = 0; h < d->heads; h++) {
			int64_t kv = b * d->kv_heads + h / (d->heads / d->kv_heads), to = d->causal ? past + i + 1 : past + g->length;
			int64_t from = d->window > 0 && past + i + 1 > d->window ? past + i + 1 - d->window : 0, place = past + i;
			if (g->places && g->places->count == g->batch * g->length)
				place = tensor_get_i64(g->places, b * g->length + i);
			Rows k = { g->keys + kv * g->present * d->size, d->size, NULL };
			Rows v = { g->values + kv * g->present * d->size, d->size, NULL };
			place_head(d, g->t.q + (b * g->length + i) * g->t.q_step + h * d->size, d->query_norm, place, q);
			attend(d, h, q, &k, &v, from, to, bias_row(g, b, h, i), scores, row);
			tensor_store_f64(y, ((b * g->length + i) * d->heads + h) * d->size, d->size, row);
		}
	return true;
}

bool eval_ms_gqa(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Group g = {0};
	Loaded l = {0};
	int64_t count;
	if (!dense_operands(e, op, in, false))
		return false;
	g.d.causal = op_attr_int(op, A_causal, 1) != 0;
	g.d.smooth = op_attr_int(op, A_smooth_softmax, 0) == 1;
	bool ok = read_tokens(e, op, in, 3, &l, &g.d, &g.t) && decode_init(e, op, in, 7, 11, 14, &l, &g.d) && group_shapes(e, op, in, &g);
	if (ok && op->nresults > 3)
		ok = eval_unsupported(e, op, "the scores as a result");
	const int64_t y[3] = { g.batch, g.length, g.d.heads * g.d.size }, state[4] = { g.batch, g.d.kv_heads, g.present, g.d.size };
	ok = ok && (dims_count(state, 4, &count) || eval_error(e, op, "a state of too many elements"));
	ok = ok && load(e, op, in, 3, &l, &g.past_key) && load(e, op, in, 4, &l, &g.past_value) && load(e, op, in, 10, &l, &g.bias);
	g.keys = ok ? scratch(e, &l, count) : NULL;
	g.values = g.keys ? scratch(e, &l, count) : NULL;
	double *work = g.values ? scratch(e, &l, 2 * g.d.size + g.present) : NULL;
	out[0] = work ? tensor_new(e, in[0]->dtype, 3, y) : NULL;
	ok = out[0] != NULL;
	for (size_t i = 1; ok && i < op->nresults && i < 3; i++)
		ok = (out[i] = tensor_new(e, in[0]->dtype, 4, state)) != NULL;
	for (int64_t b = 0; ok && b < g.batch; b++)
		ok = group_entry(e, op, &g, b, work, out[0]);
	for (size_t i = 1; ok && i < op->nresults && i < 3; i++)
		tensor_store_f64(out[i], 0, count, i == 1 ? g.keys : g.values);
	release(&l);
	return ok;
}

/* ---- PagedAttention ---- */

typedef struct Paged {
	Decode d;
	Tokens t;
	const Tensor *starts, *past, *table, *slots;
	int64_t batch, blocks, block_size, columns;
	double *keys, *values;              /* blocks block_size kv_heads size */
} Paged;

static bool paged_shapes(EvalCtx *e, const Op *op, Tensor *const *in, Paged *p)
{
	const Tensor *cache = operand(op, in, 3), *values = operand(op, in, 4);
	p->starts = operand(op, in, 5);
	p->past = operand(op, in, 6);
	p->table = operand(op, in, 7);
	p->slots = operand(op, in, 10);
	if (!op_attr_is(op, A_kv_cache_layout, "SEPARATE") && op_attr(op, A_kv_cache_layout))
		return eval_unsupported(e, op, "a cache that is not SEPARATE");
	if (operand(op, in, 14) || operand(op, in, 15) || op_attr_int(op, A_rotary_offset, 0))
		return eval_unsupported(e, op, "a quantised cache, or a rotation that begins inside a head");
	if (!cache || !values || cache->rank != 4 || !tensor_same_shape(cache, values) || cache->dims[2] != p->d.kv_heads ||
		cache->dims[3] != p->d.size || cache->dims[1] < 1)
		return eval_error(e, op, "key_cache and value_cache must be [blocks, block size, kv_num_heads, head size]");
	if (!p->starts || !p->past || !p->table || p->starts->rank != 1 || p->past->rank != 1 || p->table->rank != 2 ||
		p->starts->count != p->past->count + 1 || p->table->dims[0] != p->past->count || !dtype_is_integer(p->starts->dtype) ||
		!dtype_is_integer(p->past->dtype) || !dtype_is_integer(p->table->dtype))
		return eval_error(e, op, "cumulative_sequence_length, past_seqlens and block_table do not go together");
	if (p->slots && (p->slots->count != in[0]->dims[0] || !dtype_is_integer(p->slots->dtype)))
		return eval_error(e, op, "slot_mapping must have one integer a token");
	p->batch = p->past->count;
	p->blocks = cache->dims[0];
	p->block_size = cache->dims[1];
	p->columns = p->table->dims[1];
	return true;
}

/* The slot of place t of a sequence; -1 when it is not mapped. */
static int64_t slot_of(const Paged *p, int64_t b, int64_t t)
{
	int64_t column = t / p->block_size;
	if (t < 0 || column >= p->columns)
		return -1;
	int64_t block = tensor_get_i64(p->table, b * p->columns + column);
	return block < 0 || block >= p->blocks ? -1 : block * p->block_size + t % p->block_size;
}

static bool paged_write(EvalCtx *e, const Op *op, Paged *p, int64_t b, int64_t first, int64_t n, int64_t past)
{
	const Decode *d = &p->d;
	for (int64_t i = 0; i < n; i++) {
		int64_t slot = p->slots ? tensor_get_i64(p->slots, first + i) : slot_of(p, b, past + i);
		if (!place_ok(e, op, d, past + i))
			return false;
		if (slot < 0 || slot >= p->blocks * p->block_size)
			continue;
		for (int64_t h = 0; h < d->kv_heads; h++) {
			int64_t from = (first + i) * p->t.kv_step + h * d->size, to = (slot * d->kv_heads + h) * d->size;
			place_head(d, p->t.k + from, d->key_norm, past + i, p->keys + to);
			memcpy(p->values + to, p->t.v + from, (size_t)d->size * sizeof(double));
		}
	}
	return true;
}

static bool paged_sequence(EvalCtx *e, const Op *op, Paged *p, int64_t b, int64_t tokens, Loaded *l, Tensor *y)
{
	const Decode *d = &p->d;
	int64_t first = tensor_get_i64(p->starts, b), n = tensor_get_i64(p->starts, b + 1) - first, past = tensor_get_i64(p->past, b);
	if (first < 0 || n < 0 || n > tokens - first || past < 0 || past > INT32_MAX || past + n > p->columns * p->block_size)
		return eval_error(e, op, "sequence %lld: tokens %lld to %lld after %lld", (long long)b, (long long)first,
			(long long)(first + n), (long long)past);
	if (!paged_write(e, op, p, b, first, n, past))
		return false;
	Loaded own = {0};
	double *work = scratch(e, &own, 2 * d->size + past + n);
	int64_t *place = work ? (int64_t *)(void *)scratch(e, &own, past + n) : NULL;
	(void)l;
	for (int64_t h = 0; place && h < d->heads; h++) {
		int64_t kv = h / (d->heads / d->kv_heads);
		bool mapped = true;
		for (int64_t t = 0; t < past + n; t++) {
			int64_t slot = slot_of(p, b, t);
			mapped = mapped && slot >= 0;
			place[t] = ((slot < 0 ? 0 : slot) * d->kv_heads + kv) * d->size;
		}
		Rows k = { p->keys, 0, place }, v = { p->values, 0, place };
		for (int64_t i = 0; mapped && i < n; i++) {
			int64_t at = past + i, from = d->window > 0 && at + 1 > d->window ? at + 1 - d->window : 0;
			place_head(d, p->t.q + (first + i) * p->t.q_step + h * d->size, d->query_norm, at, work);
			attend(d, h, work, &k, &v, from, d->causal ? at + 1 : past + n, NULL, work + 2 * d->size, work + d->size);
			tensor_store_f64(y, ((first + i) * d->heads + h) * d->size, d->size, work + d->size);
		}
	}
	release(&own);
	return place != NULL;
}

bool eval_ms_paged(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Paged p = {0};
	Loaded l = {0};
	Dense keys = {0}, values = {0};
	if (!dense_operands(e, op, in, false))
		return false;
	p.d.causal = op_attr_int(op, A_is_causal, 1) != 0;
	bool ok = read_tokens(e, op, in, 2, &l, &p.d, &p.t) && decode_init(e, op, in, 8, 11, 12, &l, &p.d) && paged_shapes(e, op, in, &p);
	int64_t tokens = in[0]->rank == 2 ? in[0]->dims[0] : 0;
	ok = ok && dense_scratch(e, DT_F64, in[3]->count, &keys) && dense_scratch(e, DT_F64, in[4]->count, &values);
	if (ok) {
		p.keys = keys.data;
		p.values = values.data;
		tensor_load_f64(in[3], 0, in[3]->count, p.keys);
		tensor_load_f64(in[4], 0, in[4]->count, p.values);
		out[0] = tensor_new(e, in[0]->dtype, 2, (int64_t[]){ tokens, p.d.heads * p.d.size });
		ok = out[0] != NULL;
	}
	for (int64_t b = 0; ok && b < p.batch; b++)
		ok = paged_sequence(e, op, &p, b, tokens, &l, out[0]);
	for (size_t i = 1; ok && i < op->nresults && i < 3; i++) {
		out[i] = tensor_like(e, in[2 + i]);
		ok = out[i] != NULL;
		if (ok)
			tensor_store_f64(out[i], 0, out[i]->count, i == 1 ? p.keys : p.values);
	}
	dense_release(&keys);
	dense_release(&values);
	release(&l);
	return ok;
}

/* ---- PackedAttention, PackedMultiHeadAttention ---- */

/* The tokens of all sequences, one after another, without padding. */
typedef struct Packed {
	Decode d;
	int64_t tokens, batch, most, bias_dims[4];
	double *q, *k, *v;                  /* tokens heads size; values: tokens heads value */
	const double *bias;                 /* of the scores */
	const Tensor *ends;
} Packed;

static bool packed_shapes(EvalCtx *e, const Op *op, const Tensor *places, const Tensor *ends, const Tensor *bias, Packed *p)
{
	p->ends = ends;
	if (places->rank != 2 || ends->rank != 1 || ends->count != places->dims[0] + 1 || !dtype_is_integer(ends->dtype))
		return eval_error(e, op, "token_offset must be [batch, length], cumulative_sequence_length [batch + 1]");
	p->batch = places->dims[0];
	p->most = places->dims[1];
	for (int64_t b = 0, at = 0; b <= p->batch; b++) {
		int64_t end = tensor_get_i64(ends, b);
		if (end < at || end - at > (b ? p->most : 0) || (b == p->batch && end != p->tokens))
			return eval_error(e, op, "cumulative_sequence_length must rise from 0 to the %lld tokens, by %lld at most", (long long)p->tokens,
				(long long)p->most);
		at = end;
	}
	for (int i = 0; bias && i < 4; i++)
		p->bias_dims[i] = bias->rank == 4 ? bias->dims[i] : 0;
	return !bias || ((p->bias_dims[0] == p->batch || p->bias_dims[0] == 1) && (p->bias_dims[1] == p->d.heads || p->bias_dims[1] == 1) &&
		p->bias_dims[2] == p->most && p->bias_dims[3] == p->most) ||
		eval_error(e, op, "attention_bias must be [batch or 1, num_heads or 1, length, length]");
}

/* heads is num_heads; widths of a token's queries and of its values. */
static bool packed_heads(EvalCtx *e, const Op *op, int64_t width, int64_t values, Packed *p)
{
	int64_t heads = op_attr_int(op, A_num_heads, 0);
	if (heads < 1 || width < heads || width % heads || values < heads || values % heads)
		return eval_error(e, op, "rows of %lld and %lld elements do not have %lld heads", (long long)width, (long long)values,
			(long long)heads);
	p->d.heads = p->d.kv_heads = heads;
	p->d.size = width / heads;
	p->d.value = values / heads;
	p->d.scale = op_attr_float(op, A_scale, 0) != 0 ? op_attr_float(op, A_scale, 0) : 1 / sqrt((double)p->d.size);
	return true;
}

/* Columns [first, first + n) of x times w, plus bias, as rows of y. */
static void project(const double *x, int64_t rows, int64_t depth, const double *w, int64_t columns, const double *bias, int64_t first,
	int64_t n, double *y)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < n; c++) {
			double sum = bias[first + c];
			for (int64_t i = 0; i < depth; i++)
				sum += x[r * depth + i] * w[i * columns + first + c];
			y[r * n + c] = sum;
		}
}

static bool packed_arrays(EvalCtx *e, Loaded *l, Packed *p)
{
	int64_t n = p->d.heads * p->d.size, m = p->d.heads * p->d.value, count, more;
	if (!mul_ok(p->tokens, n, &count) || !mul_ok(p->tokens, m, &more))
		return false;
	p->q = scratch(e, l, count);
	p->k = p->q ? scratch(e, l, count) : NULL;
	p->v = p->k ? scratch(e, l, more) : NULL;
	return p->v != NULL;
}

static bool packed_projected(EvalCtx *e, const Op *op, Tensor *const *in, Loaded *l, Packed *p)
{
	const Tensor *x = in[0], *w = in[1], *bias = in[2];
	const int64_t *sizes;
	const double *xd, *wd, *bd;
	bool given = op_attr_ints(op, A_qkv_hidden_sizes, &sizes) == 3;
	if (x->rank != 2 || w->rank != 2 || w->dims[0] != x->dims[1] || bias->rank != 1 || bias->count != w->dims[1])
		return eval_error(e, op, "an input of shape %s, weights %s and bias %s do not go together", tensor_shape_text(e, x),
			tensor_shape_text(e, w), tensor_shape_text(e, bias));
	int64_t columns = w->dims[1], width = given ? sizes[0] : columns / 3, values = given ? sizes[2] : columns / 3;
	if (width < 1 || values < 1 || width > columns || values > columns || (given && sizes[1] != width) || 2 * width + values != columns)
		return eval_error(e, op, "weights of %lld columns do not hold queries, keys and values", (long long)columns);
	p->tokens = x->dims[0];
	if (!packed_heads(e, op, width, values, p) || !load(e, op, in, 0, l, &xd) || !load(e, op, in, 1, l, &wd) || !load(e, op, in, 2, l, &bd) ||
			!packed_arrays(e, l, p))
		return false;
	project(xd, p->tokens, x->dims[1], wd, columns, bd, 0, width, p->q);
	project(xd, p->tokens, x->dims[1], wd, columns, bd, width, width, p->k);
	project(xd, p->tokens, x->dims[1], wd, columns, bd, 2 * width, values, p->v);
	return true;
}

/* n rows of x, `step` apart, plus bias. */
static void with_bias(const double *x, int64_t rows, int64_t n, const double *bias, double *y)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < n; c++)
			y[r * n + c] = x[r * n + c] + (bias ? bias[c] : 0);
}

/* Queries, keys and values as operands, or all in one as (tokens, heads, 3, size). */
static bool packed_given(EvalCtx *e, const Op *op, Tensor *const *in, Loaded *l, Packed *p)
{
	const Tensor *q = in[0], *k = in[1], *v = in[2], *bias = in[3];
	const double *qd, *kd, *vd, *bd;
	bool one = q->rank == 4 && !k && !v && q->dims[2] == 3;
	if (!one && (q->rank != 2 || !k || !v || !tensor_same_shape(q, k) || v->rank != 2 || v->dims[0] != q->dims[0]))
		return eval_error(e, op, "a query of shape %s: with key and value it must be [tokens, hidden size], alone [tokens, num_heads, 3, head "
			"size]", tensor_shape_text(e, q));
	p->tokens = q->dims[0];
	int64_t width = one ? q->dims[1] * q->dims[3] : q->dims[1], values = one ? width : v->dims[1];
	if ((one && q->dims[1] != op_attr_int(op, A_num_heads, 0)) || !packed_heads(e, op, width, values, p))
		return one ? eval_error(e, op, "a query of shape %s for other heads", tensor_shape_text(e, q)) : false;
	if (bias && bias->count != 2 * width + values)
		return eval_error(e, op, "a bias of shape %s", tensor_shape_text(e, bias));
	if (!load(e, op, in, 0, l, &qd) || !load(e, op, in, 1, l, &kd) || !load(e, op, in, 2, l, &vd) || !load(e, op, in, 3, l, &bd) ||
			!packed_arrays(e, l, p))
		return false;
	for (int64_t r = 0; one && r < p->tokens * p->d.heads; r++) {
		size_t bytes = (size_t)p->d.size * sizeof *qd;
		memcpy(p->q + r * p->d.size, qd + 3 * r * p->d.size, bytes);
		memcpy(p->k + r * p->d.size, qd + (3 * r + 1) * p->d.size, bytes);
		memcpy(p->v + r * p->d.size, qd + (3 * r + 2) * p->d.size, bytes);
	}
	with_bias(one ? p->q : qd, p->tokens, width, bd, p->q);
	with_bias(one ? p->k : kd, p->tokens, width, bd ? bd + width : NULL, p->k);
	with_bias(one ? p->v : vd, p->tokens, values, bd ? bd + 2 * width : NULL, p->v);
	return true;
}

static void packed_sequence(const Packed *p, int64_t b, double *work, Tensor *y)
{
	const Decode *d = &p->d;
	int64_t first = tensor_get_i64(p->ends, b), n = tensor_get_i64(p->ends, b + 1) - first;
	for (int64_t h = 0; h < d->heads; h++) {
		Rows k = { p->k + (first * d->heads + h) * d->size, d->heads * d->size, NULL };
		Rows v = { p->v + (first * d->heads + h) * d->value, d->heads * d->value, NULL };
		int64_t at = (p->bias_dims[0] == 1 ? 0 : b) * p->bias_dims[1] + (p->bias_dims[1] == 1 ? 0 : h);
		for (int64_t i = 0; i < n; i++) {
			const double *bias = p->bias ? p->bias + (at * p->most + i) * p->most : NULL;
			int64_t row = (first + i) * d->heads + h;
			attend(d, h, p->q + row * d->size, &k, &v, 0, n, bias, work + d->value, work);
			tensor_store_f64(y, row * d->value, d->value, work);
		}
	}
}

bool eval_ms_packed(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Packed p = {0};
	Loaded l = {0};
	bool projected = op_is(op, OWN_MS_PackedAttention);
	size_t places = projected ? 3 : 4;
	if (!dense_operands(e, op, in, false))
		return false;
	bool ok = projected ? packed_projected(e, op, in, &l, &p) : packed_given(e, op, in, &l, &p);
	ok = ok && packed_shapes(e, op, in[places], in[places + 1], operand(op, in, places + 2), &p) && load(e, op, in, places + 2, &l, &p.bias);
	double *work = ok ? scratch(e, &l, p.d.value + p.most) : NULL;
	out[0] = work ? tensor_new(e, in[0]->dtype, 2, (int64_t[]){ p.tokens, p.d.heads * p.d.value }) : NULL;
	for (int64_t b = 0; out[0] && b < p.batch; b++)
		packed_sequence(&p, b, work, out[0]);
	release(&l);
	return out[0] != NULL;
}

/* ---- types ---- */

bool infer_ms_packed(InferCtx *x, Op *op)
{
	const Value *q = op_operand(op, 0), *w = op_operand(op, op_is(op, OWN_MS_PackedAttention) ? 1 : 2);
	DType d = value_dtype(q);
	const int64_t *sizes;
	const Sym *width = NULL;
	if (op_is(op, OWN_MS_PackedAttention) && op_attr_ints(op, A_qkv_hidden_sizes, &sizes) == 3 && sizes[2] > 0)
		width = sym_int(x->ctx, sizes[2]);
	else if (op_is(op, OWN_MS_PackedAttention) && value_rank(w) == 2)
		width = sym_floordiv(x->ctx, w->type->dims[1], sym_int(x->ctx, 3));
	else if (!op_is(op, OWN_MS_PackedAttention) && value_rank(w) == 2)
		width = w->type->dims[1];
	else if (value_rank(q) == 4)
		width = sym_mul(x->ctx, q->type->dims[1], q->type->dims[3]);
	if (value_rank(q) < 1 || !width)
		return infer_tensor(x, op, 0, d, RANK_UNKNOWN, NULL);
	return infer_tensor(x, op, 0, d, 2, (const Sym *[]){ q->type->dims[0], width });
}

bool infer_ms_gqa(InferCtx *x, Op *op)
{
	const Value *q = op_operand(op, 0), *past = op_operand(op, 3);
	int64_t heads = op_attr_int(op, A_num_heads, 0), kv = op_attr_int(op, A_kv_num_heads, 0);
	DType d = value_dtype(q);
	if (value_rank(q) != 3 || heads < 1 || kv < 1 || heads > INT32_MAX || kv > INT32_MAX)
		return infer_tensor(x, op, 0, d, RANK_UNKNOWN, NULL);
	const Sym *parts = sym_int(x->ctx, op_operand(op, 1) ? heads : heads + 2 * kv), *const *dims = q->type->dims;
	const Sym *size = sym_floordiv(x->ctx, dims[2], parts), *width = sym_mul(x->ctx, size, sym_int(x->ctx, heads));
	infer_tensor(x, op, 0, d, 3, (const Sym *[]){ dims[0], dims[1], width });
	for (size_t i = 1; i < 3 && i < op->nresults; i++) {
		const Sym *room = past ? infer_unknown(x, op, i, 2) : dims[1];
		infer_tensor(x, op, i, d, 4, (const Sym *[]){ dims[0], sym_int(x->ctx, kv), room, size });
	}
	return true;
}

bool infer_ms_paged(InferCtx *x, Op *op)
{
	const Value *q = op_operand(op, 0);
	int64_t heads = op_attr_int(op, A_num_heads, 0), kv = op_attr_int(op, A_kv_num_heads, 0);
	for (size_t i = 1; i < 3 && i < op->nresults; i++)
		if (op_operand(op, 2 + i))
			infer_result(x, op, i, op_operand(op, 2 + i)->type);
	if (value_rank(q) != 2 || heads < 1 || kv < 1 || heads > INT32_MAX || kv > INT32_MAX)
		return infer_tensor(x, op, 0, value_dtype(q), RANK_UNKNOWN, NULL);
	const Sym *parts = sym_int(x->ctx, op_operand(op, 1) ? heads : heads + 2 * kv);
	const Sym *width = sym_mul(x->ctx, sym_floordiv(x->ctx, q->type->dims[1], parts), sym_int(x->ctx, heads));
	return infer_tensor(x, op, 0, value_dtype(q), 2, (const Sym *[]){ q->type->dims[0], width });
}

/* ---- SparseAttention ---- */

/* Which blocks of keys a block of queries sees, by layout: rows of CSR. Head h has layout h modulo their number. */
typedef struct Sparse {
	Group g;
	const Tensor *row_ends, *columns;
	int64_t block, layouts, all;       /* all: total_sequence_length */
} Sparse;

static bool sparse_shapes(EvalCtx *e, const Op *op, Tensor *const *in, Sparse *s)
{
	Group *g = &s->g;
	const Tensor *past = in[3], *values = in[4], *total = in[7];
	s->row_ends = in[5];
	s->columns = in[6];
	g->lengths = in[8];
	s->block = op_attr_int(op, A_sparse_block_size, 0);
	g->batch = in[0]->dims[0];
	g->length = in[0]->dims[1];
	for (size_t i = 5; i < 9; i++)
		if (!dtype_is_integer(in[i]->dtype))
			return eval_error(e, op, "%s does not hold integers", op_operand_said(e, op, i));
	if (past->rank != 4 || !tensor_same_shape(past, values) || past->dims[0] != g->batch || past->dims[1] != g->d.kv_heads ||
			past->dims[3] != g->d.size)
		return eval_error(e, op, "past_key and past_value must be [batch, kv_num_heads, places, head size]");
	if (s->row_ends->rank != 2 || s->columns->rank != 2 || s->row_ends->dims[0] != s->columns->dims[0] || s->row_ends->dims[0] < 1 ||
			s->block < 1 || total->count != 1 || g->lengths->count != g->batch)
		return eval_error(e, op, "block_row_indices, block_col_indices, total lengths and sparse_block_size do not go together");
	s->layouts = s->row_ends->dims[0];
	s->all = tensor_get_i64(total, 0);
	g->present = g->past_room = past->dims[2];
	if (s->all < g->length || s->all > g->present)
		return eval_error(e, op, "total_sequence_length %lld for %lld tokens and a state of %lld places", (long long)s->all,
			(long long)g->length, (long long)g->present);
	return true;
}

/* 0 for keys that the query at `place` sees, -inf for others. */
static bool sparse_mask(EvalCtx *e, const Op *op, const Sparse *s, int64_t layout, int64_t place, double *mask)
{
	int64_t width = s->row_ends->dims[1], row = place / s->block;
	if (row + 1 >= width)
		return eval_error(e, op, "the block mask has %lld rows, the query at %lld needs more", (long long)(width - 1), (long long)place);
	int64_t from = tensor_get_i64(s->row_ends, layout * width + row), to = tensor_get_i64(s->row_ends, layout * width + row + 1);
	if (from < 0 || to < from || to > s->columns->dims[1])
		return eval_error(e, op, "row %lld of the block mask has entries %lld to %lld", (long long)row, (long long)from, (long long)to);
	for (int64_t t = 0; t <= place; t++)
		mask[t] = -INFINITY;
	for (int64_t i = from; i < to; i++) {
		int64_t column = tensor_get_i64(s->columns, layout * s->columns->dims[1] + i);
		if (column < 0 || column > row)
			continue;
		for (int64_t t = column * s->block; t < (column + 1) * s->block && t <= place; t++)
			mask[t] = 0;
	}
	return true;
}

static bool sparse_entry(EvalCtx *e, const Op *op, Sparse *s, int64_t b, double *work, Tensor *y)
{
	Group *g = &s->g;
	const Decode *d = &g->d;
	int64_t past;
	if (!group_state(e, op, g, b, &past))
		return false;
	double *q = work, *row = q + d->size, *scores = row + d->size, *mask = scores + g->present;
	for (int64_t i = 0; i < g->length; i++)
		for (int64_t h = 0; h < d->heads; h++) {
			int64_t kv = b * d->kv_heads + h / (d->heads / d->kv_heads), place = past + i;
			Rows k = { g->keys + kv * g->present * d->size, d->size, NULL };
			Rows v = { g->values + kv * g->present * d->size, d->size, NULL };
			if (!sparse_mask(e, op, s, h % s->layouts, place, mask))
				return false;
			place_head(d, g->t.q + (b * g->length + i) * g->t.q_step + h * d->size, NULL, place, q);
			attend(d, h, q, &k, &v, 0, place + 1, mask, scores, row);
			tensor_store_f64(y, ((b * g->length + i) * d->heads + h) * d->size, d->size, row);
		}
	return true;
}

/* The lengths as GroupQueryAttention has them: one less than the number of keys. */
static Tensor *lengths_less_one(EvalCtx *e, const Tensor *lengths)
{
	Tensor *t = tensor_new(e, DT_I64, 1, &lengths->count);
	for (int64_t i = 0; t && i < lengths->count; i++)
		tensor_set_i64(t, i, tensor_get_i64(lengths, i) - 1);
	return t;
}

bool eval_ms_sparse(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Sparse s = { 0 };
	Group *g = &s.g;
	Loaded l = { 0 };
	Tensor *lengths = NULL;
	if (!dense_operands(e, op, in, false))
		return false;
	g->d.causal = true;
	bool ok = read_tokens(e, op, in, 3, &l, &g->d, &g->t) && decode_init(e, op, in, 9, MOST, MOST, &l, &g->d) &&
		sparse_shapes(e, op, in, &s) && load(e, op, in, 3, &l, &g->past_key) && load(e, op, in, 4, &l, &g->past_value);
	if (ok) {
		g->prompt = s.all == g->length;
		g->lengths = lengths = lengths_less_one(e, g->lengths);
	}
	double *work = lengths ? scratch(e, &l, 2 * g->d.size + 2 * g->present) : NULL;
	g->keys = work ? scratch(e, &l, in[3]->count) : NULL;
	g->values = g->keys ? scratch(e, &l, in[4]->count) : NULL;
	out[0] = g->values ? tensor_new(e, in[0]->dtype, 3, (int64_t[]){ g->batch, g->length, g->d.heads * g->d.size }) : NULL;
	ok = out[0] != NULL;
	for (int64_t b = 0; ok && b < g->batch; b++)
		ok = sparse_entry(e, op, &s, b, work, out[0]);
	for (size_t i = 1; ok && i < op->nresults && i < 3; i++) {
		ok = (out[i] = tensor_like(e, in[2 + i])) != NULL;
		if (ok)
			tensor_store_f64(out[i], 0, in[2 + i]->count, i == 1 ? g->keys : g->values);
	}
	tensor_unref(lengths);
	release(&l);
	return ok;
}

bool infer_ms_sparse(InferCtx *x, Op *op)
{
	const Value *q = op_operand(op, 0);
	int64_t heads = op_attr_int(op, A_num_heads, 0), kv = op_attr_int(op, A_kv_num_heads, 0);
	for (size_t i = 1; i < 3 && i < op->nresults; i++)
		infer_result(x, op, i, op_operand(op, 2 + i)->type);
	if (value_rank(q) != 3 || heads < 1 || kv < 1 || heads > INT32_MAX || kv > INT32_MAX)
		return infer_tensor(x, op, 0, value_dtype(q), RANK_UNKNOWN, NULL);
	const Sym *parts = sym_int(x->ctx, op_operand(op, 1) ? heads : heads + 2 * kv), *const *dims = q->type->dims;
	const Sym *width = sym_mul(x->ctx, sym_floordiv(x->ctx, dims[2], parts), sym_int(x->ctx, heads));
	return infer_tensor(x, op, 0, value_dtype(q), 3, (const Sym *[]){ dims[0], dims[1], width });
}

/* Attention: softmax(q k^T) v by tiles of rows and blocks of keys, so that scores stay in cache.  A row keeps the largest
 * score and the sum of its exponentials so far; what it summed before is scaled down when a later block holds a larger
 * score.  Tasks are ranges of tiles of one batch entry; keys and values of a block are packed once a task. */
#include "conv.h"
#include "row_math.h"

enum { BLOCK_BYTES = 512 << 10, MIN_BLOCK = 64, MAX_BLOCK = 1024, ROW_PAD = 16, MOST_POINTERS = TILE_OPERANDS + 8 };

/* plan[]: tiles of a task, how keys and values are read. */
enum { PLAN_TILES, PLAN_DOTS, PLAN_IN_PLACE };

static int64_t batches_of(const AttentionParam *p)
{
	return p->batch[0] * p->batch[1] * p->batch[2];
}

static int64_t task_tiles(int64_t batches, int64_t tiles, int threads)
{
	if (threads < 2 || batches % threads == 0 || batches >= 8 * threads)
		return tiles;
	int64_t parts = min_i64(tiles, ceil_div(4 * threads, batches));
	return ceil_div(tiles, parts);
}

bool K(attention_plan)(AttentionParam *p, int threads)
{
	int64_t most = BLOCK_BYTES / ((p->size + p->value_size + MICRO_ROWS) * (int64_t)sizeof(float));
	most = max_i64(MIN_BLOCK, min_i64(most, MAX_BLOCK));
	int64_t blocks = ceil_div(p->n, most);
	p->block = ceil_div(ceil_div(p->n, blocks), PANEL) * PANEL;
	p->score_row = p->block + ROW_PAD;
	p->plan[PLAN_DOTS] = p->m <= DOT_ROWS && p->k_col == 1 && p->size >= LANES;
	p->plan[PLAN_IN_PLACE] = p->m <= MICRO_ROWS && p->v_col == 1 && p->value_size % LANES == 0;
	p->plan[PLAN_TILES] = task_tiles(batches_of(p), rows_tiles(p->m), threads);
	return true;
}

static int64_t attention_tasks(const void *param)
{
	const AttentionParam *p = param;
	return batches_of(p) * ceil_div(rows_tiles(p->m), p->plan[PLAN_TILES]);
}

/* ---- scratch ---- */

typedef struct Areas {
	float *k, *v;               /* packed panels of a block */
	float *scores, *q;          /* of a tile */
	float *max, *sum;           /* of each row of the task */
	const float **rows, **residual;
	float **to;
	void *post;
} Areas;

static size_t take(char *base, size_t *at, void *to, int64_t bytes)
{
	void *here = base ? base + *at : NULL;
	memcpy(to, &here, sizeof(here));
	return *at += align64((size_t)bytes);
}

static size_t areas_of(const AttentionParam *p, void *scratch, Areas *s)
{
	const int64_t f = sizeof(float), row = sizeof(void *);
	int64_t rows = p->plan[PLAN_TILES] * MICRO_ROWS;
	size_t at = 0;
	take(scratch, &at, &s->k, p->plan[PLAN_DOTS] ? 0 : p->block * p->size * f);
	take(scratch, &at, &s->v, p->plan[PLAN_IN_PLACE] ? 0 : panels_of(p->value_size) * PANEL * p->block * f);
	take(scratch, &at, &s->scores, MICRO_ROWS * p->score_row * f);
	take(scratch, &at, &s->q, MICRO_ROWS * (p->size + ROW_PAD) * f);
	take(scratch, &at, &s->max, rows * f);
	take(scratch, &at, &s->sum, rows * f);
	take(scratch, &at, &s->rows, MICRO_ROWS * row);
	take(scratch, &at, &s->residual, MICRO_ROWS * row);
	take(scratch, &at, &s->to, MICRO_ROWS * row);
	take(scratch, &at, &s->post, 0);
	return at + K(conv_post_scratch)(p->post);
}

static size_t attention_scratch(const void *param)
{
	Areas s;
	return areas_of(param, NULL, &s);
}

/* ---- one task ---- */

typedef struct Job {
	const AttentionParam *p;
	MatmulParam keys, values;   /* strides, for packing and dot products */
	const float *q, *k, *v, *bias;
	float *y;
	int64_t index[MATMUL_BATCH];
	int64_t tile, tile_end;
	void *const *ptr;
	Areas s;
} Job;

/* A tile of rows and a block of keys. */
typedef struct Spot {
	int64_t first, rows, row0;  /* row0: first, counted from the task's first row */
	int64_t key, keys;
	bool begun;                 /* not the first block */
} Spot;

static void pack_block(const Job *j, int64_t key, int64_t keys)
{
	const AttentionParam *p = j->p;
	for (int64_t c = 0; c < keys && !p->plan[PLAN_DOTS]; c += PANEL)
		K(pack_panel)(&j->keys, j->k + (key + c) * p->k_row, p->size, min_i64(PANEL, keys - c), j->s.k + c * p->size);
	for (int64_t c = 0; c < p->value_size && !p->plan[PLAN_IN_PLACE]; c += PANEL)
		K(pack_panel)(&j->values, j->v + key * p->v_row + c * p->v_col, keys, min_i64(PANEL, p->value_size - c),
			j->s.v + c * p->block);
}

/* scores[rows][keys] = scale * q k^T */
static void tile_scores(const Job *j, const Spot *t)
{
	const AttentionParam *p = j->p;
	int64_t q_row = p->size + ROW_PAD;
	for (int64_t i = 0; i < t->rows; i++) {
		const float *from = j->q + (t->first + i) * p->q_row;
		float *to = j->s.q + i * q_row;
		if (p->q_col == 1)
			memcpy(to, from, (size_t)p->size * sizeof(float));
		else
			for (int64_t k = 0; k < p->size; k++)
				to[k] = from[k * p->q_col];
		j->s.rows[i] = to;
		j->s.to[i] = j->s.scores + i * p->score_row;
	}
	if (p->plan[PLAN_DOTS]) {
		K(dot_rows)(&j->keys, j->s.q, j->k + t->key * p->k_row, j->s.scores, t->keys);
		return;
	}
	Micro m = {.a = j->s.rows, .runs = 1, .len = p->size, .y = j->s.to, .alpha = p->scale, .lo = -INFINITY,
		.hi = INFINITY, .ahead = j->s.q};
	for (int64_t c = 0; c < t->keys; c += PANEL) {
		int64_t cols = min_i64(PANEL, t->keys - c);
		m.w_step = packed_cols(cols);
		K(micro_for)(t->rows, cols, false)(&m, j->s.k + c * p->size, NULL, c, cols);
	}
}

/* The program works on whole score matrices: its base pointer is put so that this tile and block come to lie where the
 * scores are. */
static void tile_post(const Job *j, const Spot *t)
{
	const AttentionParam *p = j->p;
	void *ptr[MOST_POINTERS];
	int64_t lo[MATMUL_BATCH + 2], hi[MATMUL_BATCH + 2];
	int most = 0;
	for (int k = 0; k < p->post->noperands; k++)
		most = p->post->operands[k].ptr > most ? p->post->operands[k].ptr : most;
	memcpy(ptr, j->ptr, (size_t)(most + 1) * sizeof(*ptr));
	ptr[0] = (void *)((uintptr_t)j->s.scores - (uintptr_t)(t->first * p->score_row + t->key) * sizeof(float));
	for (int d = 0; d < MATMUL_BATCH; d++) {
		lo[d] = j->index[d];
		hi[d] = lo[d] + 1;
	}
	lo[MATMUL_BATCH] = t->first;
	hi[MATMUL_BATCH] = t->first + t->rows;
	lo[MATMUL_BATCH + 1] = t->key;
	hi[MATMUL_BATCH + 1] = t->key + t->keys;
	K(tile_box)(p->post, ptr, lo, hi, j->s.post);
}

static void add_bias(const Job *j, float *s, int64_t row, const Spot *t)
{
	const AttentionParam *p = j->p;
	const float *b = j->bias + row * p->bias_row + t->key * p->bias_col;
	if (p->bias_col)
		for (int64_t k = 0; k < t->keys; k++)
			s[k] += b[k];
	else
		for (int64_t k = 0; k < t->keys; k++)
			s[k] += *b;
}

/* Minus infinity is added to keys outside of the row's window; NaN stays. */
static void mask_window(const AttentionParam *p, float *s, int64_t row, const Spot *t)
{
	int64_t begin = p->first_key == INT64_MIN ? 0 : row + p->first_key - t->key;
	int64_t end = p->last_key == INT64_MAX ? t->keys : row + p->last_key + 1 - t->key;
	for (int64_t k = 0; k < min_i64(begin, t->keys); k++)
		s[k] -= INFINITY;
	for (int64_t k = max_i64(max_i64(0, begin), end); k < t->keys; k++)
		s[k] -= INFINITY;
}

/* Scores become exponentials; what the rows summed before is scaled to the new largest score. */
static void tile_softmax(const Job *j, const Spot *t)
{
	const AttentionParam *p = j->p;
	bool window = p->first_key != INT64_MIN || p->last_key != INT64_MAX;
	for (int64_t i = 0; i < t->rows; i++) {
		float *s = j->s.scores + i * p->score_row, *max = j->s.max + t->row0 + i, *sum = j->s.sum + t->row0 + i;
		if (j->bias)
			add_bias(j, s, t->first + i, t);
		if (window)
			mask_window(p, s, t->first + i, t);
		float m = largest(s, t->keys);
		m = t->begun && *max > m ? *max : m;
		float base = m == -INFINITY ? 0 : m, part = exponentials(s, s, t->keys, base);
		if (t->begun) {
			float factor = math_exp(*max - base), *y = j->y + (t->first + i) * p->y_row;
			part += *sum * factor;
			if (factor != 1.0f)
				for (int64_t c = 0; c < p->value_size; c++)
					y[c] *= factor;
		}
		*max = m;
		*sum = part;
	}
}

/* y += scores v */
static void tile_values(const Job *j, const Spot *t)
{
	const AttentionParam *p = j->p;
	for (int64_t i = 0; i < t->rows; i++) {
		j->s.rows[i] = j->s.scores + i * p->score_row;
		j->s.residual[i] = j->s.to[i] = j->y + (t->first + i) * p->y_row;
	}
	Micro m = {.a = j->s.rows, .runs = 1, .len = t->keys, .y = j->s.to, .residual = t->begun ? j->s.residual : NULL,
		.alpha = 1, .lo = -INFINITY, .hi = INFINITY, .ahead = j->s.scores};
	for (int64_t c = 0; c < p->value_size; c += PANEL) {
		int64_t cols = min_i64(PANEL, p->value_size - c);
		const float *w = p->plan[PLAN_IN_PLACE] ? j->v + t->key * p->v_row + c : j->s.v + c * p->block;
		m.w_step = p->plan[PLAN_IN_PLACE] ? p->v_row : packed_cols(cols);
		K(micro_for)(t->rows, cols, p->m <= 3)(&m, w, NULL, c, cols);
	}
}

static Spot spot_of(const Job *j, int64_t tile, int64_t key)
{
	const AttentionParam *p = j->p;
	int64_t tiles = rows_tiles(p->m), first = p->m * tile / tiles;
	Spot t = {.first = first, .rows = p->m * (tile + 1) / tiles - first, .row0 = first - p->m * j->tile / tiles, .key = key,
		.keys = min_i64(p->block, p->n - key), .begun = key > 0};
	return t;
}

/* Divides by the sum, which is 0 where every score was minus infinity. */
static void finish_tile(const Job *j, const Spot *t)
{
	const AttentionParam *p = j->p;
	for (int64_t i = 0; i < t->rows; i++) {
		float sum = j->s.sum[t->row0 + i], factor = 1.0f / sum, *y = j->y + (t->first + i) * p->y_row;
		if (sum == 0)
			factor = p->zero_masked ? 0 : NAN;
		for (int64_t c = 0; c < p->value_size; c++)
			y[c] *= factor;
	}
}

static void run_job(const Job *j)
{
	const AttentionParam *p = j->p;
	for (int64_t key = 0; key < p->n; key += p->block) {
		pack_block(j, key, min_i64(p->block, p->n - key));
		for (int64_t tile = j->tile; tile < j->tile_end; tile++) {
			Spot t = spot_of(j, tile, key);
			tile_scores(j, &t);
			if (p->post)
				tile_post(j, &t);
			tile_softmax(j, &t);
			tile_values(j, &t);
			if (key + p->block >= p->n)
				finish_tile(j, &t);
		}
	}
}

static void attention_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const AttentionParam *p = param;
	int64_t tiles = rows_tiles(p->m), parts = ceil_div(tiles, p->plan[PLAN_TILES]);
	Job j = {.p = p, .ptr = ptr,
		.keys = {.m = p->m, .k = p->size, .a_row = p->size + ROW_PAD, .b_row = p->k_col, .b_col = p->k_row,
			.c_row = p->score_row, .alpha = p->scale},
		.values = {.b_row = p->v_row, .b_col = p->v_col}};
	areas_of(p, scratch, &j.s);
	for (int64_t task = begin; task < end; task++) {
		int64_t rest = task / parts, q = p->q_offset, k = p->k_offset, v = p->v_offset, y = p->y_offset, b = p->bias_offset;
		for (int d = MATMUL_BATCH - 1; d >= 0; d--) {
			int64_t at = j.index[d] = rest % p->batch[d];
			rest /= p->batch[d];
			q += at * p->q_batch[d];
			k += at * p->k_batch[d];
			v += at * p->v_batch[d];
			y += at * p->y_batch[d];
			b += at * p->bias_batch[d];
		}
		j.y = (float *)ptr[0] + y;
		j.q = (const float *)ptr[1] + q;
		j.k = (const float *)ptr[2] + k;
		j.v = (const float *)ptr[3] + v;
		j.bias = p->has_bias ? (const float *)ptr[4] + b : NULL;
		j.tile = task % parts * p->plan[PLAN_TILES];
		j.tile_end = min_i64(j.tile + p->plan[PLAN_TILES], tiles);
		run_job(&j);
	}
}

const Kernel K(kernel_attention) = {attention_tasks, attention_run, attention_scratch};

/* Attention on every instruction set, against its definition in double: strides, blocks of keys, masks, windows, rows that see
 * nothing, NaN and infinities. */
#include "kernel_case.h"

typedef struct Case {
	AttentionParam p;
	float *q, *k, *v, *bias, *y;
	uint8_t *mask;             /* of the post program: batch, m, n */
	size_t y_floats;
	TileProgram post;
	double *score;             /* of one row */
} Case;

/* Strides of rows x cols matrices in batches; returns the floats up to the last one. transposed: the row's stride is 1. */
static int64_t strides(Rng *r, const int64_t *batch, int64_t rows, int64_t cols, bool transposed, int64_t *bs, int64_t *row,
	int64_t *col, int64_t *offset)
{
	int64_t extra = rng_below(r, 3) ? 0 : between(r, 1, 5), size;
	*offset = rng_below(r, 3);
	*row = transposed ? 1 : cols + extra;
	*col = transposed ? rows + extra : 1;
	size = transposed ? *col * cols : *row * rows;
	int64_t last = *offset + (rows - 1) * *row + (cols - 1) * *col;
	for (int d = MATMUL_BATCH - 1; d >= 0; d--) {
		bs[d] = size;
		size *= batch[d];
		last += (batch[d] - 1) * bs[d];
	}
	return last + 1;
}

static double score_of(const Case *c, const int64_t *at, const float *q, const float *k, int64_t i, int64_t t)
{
	const AttentionParam *p = &c->p;
	double s = 0;
	for (int64_t e = 0; e < p->size; e++)
		s += (double)q[i * p->q_row + e * p->q_col] * (double)k[t * p->k_row + e * p->k_col];
	s *= (double)p->scale;
	if (p->post && !c->mask[((at[0] * p->batch[1] + at[1]) * p->batch[2] + at[2]) * p->m * p->n + i * p->n + t])
		s = -INFINITY;
	if (p->has_bias)
		s += (double)c->bias[p->bias_offset + at[0] * p->bias_batch[0] + at[1] * p->bias_batch[1] + at[2] * p->bias_batch[2] +
			i * p->bias_row + t * p->bias_col];
	bool open = (p->first_key == INT64_MIN || t >= i + p->first_key) && (p->last_key == INT64_MAX || t <= i + p->last_key);
	return open ? s : s + -(double)INFINITY;
}

static void check_row(const Case *c, const int64_t *at, int64_t i, const char *isa, char *seen)
{
	const AttentionParam *p = &c->p;
	int64_t o[4] = {p->q_offset, p->k_offset, p->v_offset, p->y_offset + i * p->y_row};
	for (int d = 0; d < MATMUL_BATCH; d++) {
		o[0] += at[d] * p->q_batch[d];
		o[1] += at[d] * p->k_batch[d];
		o[2] += at[d] * p->v_batch[d];
		o[3] += at[d] * p->y_batch[d];
	}
	double largest = -INFINITY, sum = 0;
	for (int64_t t = 0; t < p->n; t++) {
		double s = c->score[t] = score_of(c, at, c->q + o[0], c->k + o[1], i, t);
		largest = isnan(s) || s > largest ? s : largest;
	}
	bool none = largest == -INFINITY;
	for (int64_t t = 0; t < p->n; t++) {
		c->score[t] = none && p->zero_masked ? 0 : exp(c->score[t] - largest);
		sum += c->score[t];
	}
	for (int64_t e = 0; e < p->value_size; e++) {
		double y = 0, size = 0;
		for (int64_t t = 0; t < p->n; t++) {
			double v = c->score[t] * (double)c->v[o[2] + t * p->v_row + e * p->v_col];
			y += v;
			size += fabs(v);
		}
		bool zero = none && p->zero_masked;
		double want = zero ? y : y / sum;
		seen[o[3] + e] = 1;
		if (!float_near(c->y[o[3] + e], want, 64 + 2 * (double)p->size, zero ? 1e-30 : size / sum))
			fail_msg("%s: m %d n %d size %d value %d, block %d: [%d][%d] is %.9g, not %.9g", isa, (int)p->m, (int)p->n,
				(int)p->size, (int)p->value_size, (int)p->block, (int)i, (int)e, (double)c->y[o[3] + e], want);
	}
}

static void check_all(const Case *c, const char *isa)
{
	const AttentionParam *p = &c->p;
	char *seen = calloc(c->y_floats, 1);
	assert_non_null(seen);
	for (int64_t e = 0; e < p->batch[0] * p->batch[1] * p->batch[2] * p->m; e++) {
		int64_t rest = e / p->m, at[MATMUL_BATCH];
		for (int d = MATMUL_BATCH - 1; d >= 0; d--) {
			at[d] = rest % p->batch[d];
			rest /= p->batch[d];
		}
		check_row(c, at, e % p->m, isa, seen);
	}
	for (size_t i = 0; i < c->y_floats; i++)
		if (!seen[i] && !guard_intact(c->y[i]))
			fail_msg("%s: a stray write at %zu", isa, i);
	free(seen);
}

/* score = select(mask, score, -inf), mask being plain. */
static void make_post(Case *c)
{
	AttentionParam *p = &c->p;
	int64_t m = p->m, n = p->n;
	c->post = (TileProgram){.rank = MATMUL_BATCH + 2, .dims = {p->batch[0], p->batch[1], p->batch[2], m, n}, .ncode = 5,
		.code = {{.op = TILE_LOAD, .dtype = DT_F32, .dst = 0}, {.op = TILE_LOAD, .dtype = DT_BOOL, .dst = 1, .operand = 1},
			{.op = TILE_CONST, .dtype = DT_F32, .dst = 2, .f0 = -INFINITY},
			{.op = TILE_SELECT, .dtype = DT_F32, .dst = 3, .a = 1, .b = 0, .c = 2},
			{.op = TILE_STORE, .dtype = DT_F32, .a = 3}},
		.noperands = 2, .cost = 1, .operands = {{.dtype = DT_F32, .stride = {0, 0, 0, p->score_row, 1}},
			{.ptr = 5, .dtype = DT_BOOL, .stride = {p->batch[1] * p->batch[2] * m * n, p->batch[2] * m * n, m * n, n, 1}}}};
	p->post = &c->post;
	p->post_ptr = 5;
}

static void make_operands(Rng *r, Case *c, int trial)
{
	AttentionParam *p = &c->p;
	int64_t one;
	c->q = floats_random(r, (size_t)strides(r, p->batch, p->m, p->size, trial % 4 == 3, p->q_batch, &p->q_row, &p->q_col,
		&p->q_offset));
	c->k = floats_random(r, (size_t)strides(r, p->batch, p->n, p->size, trial % 3 == 2, p->k_batch, &p->k_row, &p->k_col,
		&p->k_offset));
	c->v = floats_random(r, (size_t)strides(r, p->batch, p->n, p->value_size, trial % 5 == 4, p->v_batch, &p->v_row,
		&p->v_col, &p->v_offset));
	c->y_floats = (size_t)strides(r, p->batch, p->m, p->value_size, false, p->y_batch, &p->y_row, &one, &p->y_offset);
	if (trial % 7 == 1) /* heads that share keys and values */
		p->k_batch[2] = p->v_batch[2] = 0;
	p->has_bias = trial % 2;
	c->bias = floats_random(r, (size_t)(p->m * p->n));
	p->bias_col = trial % 4 == 1;
	p->bias_row = trial % 8 == 1 ? p->n : 0;
	for (int64_t i = 0; i < p->m * p->n; i++)
		c->bias[i] = rng_below(r, 4) ? c->bias[i] : -INFINITY;
	c->mask = malloc((size_t)(p->batch[0] * p->batch[1] * p->batch[2] * p->m * p->n));
	assert_non_null(c->mask);
	for (int64_t i = 0; i < p->batch[0] * p->batch[1] * p->batch[2] * p->m * p->n; i++)
		c->mask[i] = rng_below(r, 3) != 0;
	p->first_key = trial % 6 == 5 ? -(int64_t)rng_below(r, 9) : INT64_MIN;
	p->last_key = trial % 6 >= 4 ? (int64_t)rng_below(r, 9) - 2 : INT64_MAX;
	p->zero_masked = trial % 3 == 1;
}

static void run_case(Rng *r, int64_t m, int64_t n, int64_t size, int64_t value_size, int trial, bool special)
{
	Case c = {.p = {.m = m, .n = n, .size = size, .value_size = value_size, .scale = 0.25f, .batch = {1, 1, 1}}};
	AttentionParam *p = &c.p;
	for (int d = (int)between(r, 0, MATMUL_BATCH); d < MATMUL_BATCH; d++)
		p->batch[d] = between(r, 1, 2);
	make_operands(r, &c, trial);
	if (special) {
		c.q[p->q_offset] = trial % 2 ? NAN : INFINITY;
		c.k[p->k_offset + (n - 1) * p->k_row] = NAN;
		c.v[p->v_offset] = INFINITY;
	}
	c.y = floats_new(c.y_floats);
	c.score = malloc((size_t)n * sizeof(*c.score));
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *set = kernels_for((Isa)isa);
		if (!set)
			continue;
		p->post = NULL;
		assert_true(set->attention_plan(p, (int)between(r, 1, 3)));
		if (trial % 5 == 2)
			make_post(&c);
		guard_fill(c.y, c.y_floats * sizeof(float));
		void *ptr[] = {c.y, c.q, c.k, c.v, c.bias, c.mask};
		kernel_run(set->attention, p, ptr, r);
		check_all(&c, isa_name((Isa)isa));
	}
	free(c.score);
	free(c.q);
	free(c.k);
	free(c.v);
	free(c.y);
	free(c.bias);
	free(c.mask);
}

static void shapes_and_masks(void **state)
{
	(void)state;
	static const int64_t SHAPES[][4] = {{1, 1, 1, 1}, {1, 129, 64, 64}, {3, 5, 16, 7}, {4, 40, 33, 32}, {5, 17, 3, 1},
		{16, 16, 64, 64}, {31, 49, 32, 32}, {2, 3000, 24, 16}, {17, 1100, 300, 20}, {40, 70, 8, 100}};
	Rng r = {11};
	for (size_t s = 0; s < ARRAY_LEN(SHAPES); s++)
		for (int trial = 0; trial < 24; trial++)
			run_case(&r, SHAPES[s][0], SHAPES[s][1], SHAPES[s][2], SHAPES[s][3], trial, false);
}

static void nan_and_infinity(void **state)
{
	(void)state;
	Rng r = {12};
	for (int trial = 0; trial < 24; trial++) {
		run_case(&r, 6, 20, 8, 8, trial, true);
		run_case(&r, 2, 2500, 16, 5, trial, true);
	}
}

/* The first block of keys is masked as a whole: later ones decide. */
static void masked_blocks(void **state)
{
	(void)state;
	enum { N = 3000, D = 16 };
	float *k = calloc(N * D, sizeof(*k)), *v = calloc(N * D, sizeof(*v)), *bias = calloc(N, sizeof(*bias)), q[D] = {0}, y[D];
	Rng r = {13};
	for (int i = 0; i < N; i++) {
		v[i * D] = (float)i;
		bias[i] = i < N - 2 ? -INFINITY : 0;
	}
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *set = kernels_for((Isa)isa);
		AttentionParam p = {.batch = {1, 1, 1}, .m = 1, .n = N, .size = D, .value_size = D, .q_row = D, .q_col = 1, .k_row = D,
			.k_col = 1, .v_row = D, .v_col = 1, .y_row = D, .scale = 1, .has_bias = true, .bias_col = 1,
			.first_key = INT64_MIN, .last_key = INT64_MAX};
		if (!set)
			continue;
		assert_true(set->attention_plan(&p, 1));
		assert_true(p.block < N);
		kernel_run(set->attention, &p, (void *[]){y, q, k, v, bias}, &r);
		assert_true(y[0] == N - 1.5f && y[1] == 0);
	}
	free(k);
	free(v);
	free(bias);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_and_masks), cmocka_unit_test(nan_and_infinity),
		cmocka_unit_test(masked_blocks)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

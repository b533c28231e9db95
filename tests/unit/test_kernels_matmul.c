/* Products of two computed matrices, and pools, on every instruction set, against their definition in double. */
#include "kernel_case.h"

/* ---- products ---- */

typedef struct Case {
	MatmulParam p;
	float *a, *b, *c;
	size_t c_floats;
	TileProgram post; /* c *= POST_FACTOR: a box that is left out, or done twice, shows */
} Case;

static const float POST_FACTOR = -3;

/* Strides of a matrix (rows x cols) in batches; returns the floats up to the last one. transposed: the row's stride
 * is 1. */
static int64_t matrix_strides(Rng *r, const int64_t *batch, int64_t rows, int64_t cols, int layout, int64_t *bs,
	int64_t *row, int64_t *col, int64_t *offset)
{
	int64_t extra = rng_below(r, 3) ? 0 : between(r, 1, 5), size;
	*offset = rng_below(r, 3);
	if (layout == 1) { /* transposed */
		*row = 1;
		*col = rows + extra;
		size = *col * cols;
	} else {
		*col = layout == 2 ? 2 : 1;
		*row = cols * *col + extra;
		size = *row * rows;
	}
	int64_t last = *offset + (rows - 1) * *row + (cols - 1) * *col;
	for (int d = MATMUL_BATCH - 1; d >= 0; d--) {
		bs[d] = size;
		size *= batch[d];
		last += (batch[d] - 1) * bs[d];
	}
	return rows && cols ? last + 1 : 1;
}

static void check_product(const Case *c, const char *isa)
{
	const MatmulParam *p = &c->p;
	char *seen = calloc(c->c_floats, 1);
	assert_non_null(seen);
	for (int64_t e = 0; e < p->batch[0] * p->batch[1] * p->batch[2] * p->m * p->n; e++) {
		int64_t j = e % p->n, i = e / p->n % p->m, rest = e / (p->n * p->m);
		int64_t a = p->a_offset + i * p->a_row, b = p->b_offset + j * p->b_col, at = p->c_offset + i * p->c_row + j;
		for (int d = MATMUL_BATCH - 1; d >= 0; d--) {
			int64_t n = rest % p->batch[d];
			rest /= p->batch[d];
			a += n * p->a_batch[d];
			b += n * p->b_batch[d];
			at += n * p->c_batch[d];
		}
		double sum = 0, size = 0;
		for (int64_t k = 0; k < p->k; k++) {
			double v = (double)p->alpha * (double)c->a[a + k * p->a_col] * (double)c->b[b + k * p->b_row];
			sum += v;
			size += fabs(v);
		}
		if (p->post) {
			sum *= (double)POST_FACTOR;
			size *= fabs((double)POST_FACTOR);
		}
		if (!float_near(c->c[at], sum, (double)p->k, size))
			fail_msg("%s: m %d n %d k %d, a %d %d, b %d %d: [%d][%d] is %.9g, not %.9g", isa, (int)p->m, (int)p->n,
				(int)p->k, (int)p->a_row,
				(int)p->a_col, (int)p->b_row, (int)p->b_col, (int)i, (int)j, (double)c->c[at], sum);
		seen[at] = 1;
	}
	for (size_t i = 0; i < c->c_floats; i++)
		if (!seen[i] && !guard_intact(c->c[i]))
			fail_msg("%s: a stray write at %zu", isa, i);
	free(seen);
}

static void add_post(Case *c)
{
	MatmulParam *p = &c->p;
	c->post = (TileProgram){.rank = MATMUL_BATCH + 2, .dims = {p->batch[0], p->batch[1], p->batch[2], p->m, p->n},
		.ncode = 4,
		.code = {{.op = TILE_LOAD, .dtype = DT_F32, .dst = 0},
			{.op = TILE_CONST, .dtype = DT_F32, .dst = 1, .f0 = POST_FACTOR},
			{.op = TILE_MUL, .dtype = DT_F32, .dst = 0, .a = 0, .b = 1}, {.op = TILE_STORE, .dtype = DT_F32, .a = 0}},
		.noperands = 1, .operands = {{.dtype = DT_F32, .offset = p->c_offset,
			.stride = {p->c_batch[0], p->c_batch[1], p->c_batch[2], p->c_row, 1}}}};
	p->post = &c->post;
	p->post_ptr = 3;
}

static void run_product(Rng *r, int64_t m, int64_t n, int64_t k, int trial)
{
	Case c = {.p = {.m = m, .n = n, .k = k, .alpha = trial % 3 ? 1 : 0.125f, .batch = {1, 1, 1}}};
	MatmulParam *p = &c.p;
	int64_t one;
	for (int d = (int)between(r, 0, MATMUL_BATCH); d < MATMUL_BATCH; d++)
		p->batch[d] = between(r, 1, 2);
	c.a = floats_random(r, (size_t)matrix_strides(r, p->batch, m, k, trial / 3 % 2, p->a_batch, &p->a_row, &p->a_col,
		&p->a_offset));
	c.b = floats_random(r, (size_t)matrix_strides(r, p->batch, k, n, trial % 3, p->b_batch, &p->b_row, &p->b_col,
		&p->b_offset));
	c.c_floats = (size_t)matrix_strides(r, p->batch, m, n, 0, p->c_batch, &p->c_row, &one, &p->c_offset);
	c.c = floats_new(c.c_floats);
	if (trial % 5 == 2)
		add_post(&c);
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *set = kernels_for((Isa)isa);
		if (!set)
			continue;
		assert_true(set->matmul_plan(p, (int)between(r, 1, 3)));
		guard_fill(c.c, c.c_floats * sizeof(float));
		void *ptr[] = {c.c, c.a, c.b};
		kernel_run(set->matmul, p, ptr, r);
		check_product(&c, isa_name((Isa)isa));
	}
	free(c.a);
	free(c.b);
	free(c.c);
}

static void test_products(void **state)
{
	(void)state;
	Rng r = {21};
	for (int i = 0; i < 400; i++)
		run_product(&r, i % 3 ? between(&r, 1, 40) : between(&r, 1, 4), between(&r, 1, 80), between(&r, 0, 50), i);
	for (int i = 0; i < 6; i++) {
		run_product(&r, 15, 40, 4500, i);  /* several blocks of k */
		run_product(&r, 30, 150, 1024, i); /* several chunks of columns, rows that fall into one set of the cache */
		run_product(&r, 1, 200, 300, i);
	}
}

/* ---- pools ---- */

static double pooled(const PoolParam *p, const float *x, int64_t n, const int64_t *out, int64_t ch, double *size)
{
	double sum = 0, most = -INFINITY, count = 0, all = 0;
	for (int64_t k = 0; k < p->kernel[0] * p->kernel[1] * p->kernel[2]; k++) {
		int64_t tap[3] = {k / (p->kernel[2] * p->kernel[1]), k / p->kernel[2] % p->kernel[1], k % p->kernel[2]};
		int64_t at = p->x_offset + n * p->x_stride[0] + ch;
		bool inside = true, padded = true;
		for (int d = 0; d < 3; d++) {
			int64_t i = out[d] * p->stride[d] + tap[d] * p->dilation[d] - p->pad[d];
			inside &= i >= 0 && i < p->in[d];
			padded &= i < p->in[d] + p->pad_end[d];
			at += i * p->x_stride[d + 1];
		}
		all += padded;
		if (!inside)
			continue;
		double v = (double)x[at];
		count++;
		sum += v;
		*size += fabs(v);
		most = isnan(v) || isnan(most) ? NAN : v > most ? v : most;
	}
	double by = p->count_padding ? all : count;
	*size /= by;
	return p->average ? sum / by : most;
}

static bool random_pool(Rng *r, PoolParam *p, int rank)
{
	p->batch = between(r, 1, 2);
	p->channels = between(r, 1, 150);
	p->average = rng_below(r, 2);
	p->count_padding = rng_below(r, 2);
	for (int d = 0; d < 3; d++) {
		bool used = d >= 3 - rank;
		p->in[d] = used ? between(r, 1, rank == 1 ? 40 : 12) : 1;
		p->kernel[d] = used ? between(r, 1, 4) : 1;
		p->stride[d] = used ? between(r, 1, 3) : 1;
		p->dilation[d] = used && !rng_below(r, 3) ? between(r, 1, 3) : 1;
		p->pad[d] = used ? rng_below(r, p->kernel[d]) : 0;
		p->pad_end[d] = used ? rng_below(r, p->kernel[d]) : 0;
		int64_t room = p->in[d] + p->pad[d] + p->pad_end[d] - (p->kernel[d] - 1) * p->dilation[d] - 1;
		if (room < 0)
			return false;
		bool ceil_mode = used && rng_below(r, 2);
		p->out[d] = (ceil_mode ? (room + p->stride[d] - 1) / p->stride[d] : room / p->stride[d]) + 1;
		if ((p->out[d] - 1) * p->stride[d] >= p->in[d] + p->pad[d])
			return false;
	}
	p->x_stride[3] = p->channels + rng_below(r, 4);
	p->y_stride[3] = p->channels + rng_below(r, 4);
	for (int d = 2; d >= 0; d--) {
		p->x_stride[d] = p->x_stride[d + 1] * p->in[d];
		p->y_stride[d] = p->y_stride[d + 1] * p->out[d];
	}
	return true;
}

static void run_pool(Rng *r, PoolParam *p, int trial)
{
	size_t nx = (size_t)(p->batch * p->x_stride[0] - p->x_stride[3] + p->channels);
	size_t ny = (size_t)(p->batch * p->y_stride[0] - p->y_stride[3] + p->channels);
	float *x = floats_random(r, nx), *y = floats_new(ny);
	if (trial % 8 == 0)
		for (size_t i = 0; i < nx; i += 7)
			x[i] = (float[]){NAN, INFINITY, -INFINITY}[rng_below(r, 3)];
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		const KernelSet *set = kernels_for((Isa)isa);
		if (!set)
			continue;
		guard_fill(y, ny * sizeof(float));
		void *ptr[] = {y, x};
		kernel_run(set->pool, p, ptr, r);
		for (size_t i = 0; i < ny; i++) {
			int64_t ch = (int64_t)i % p->y_stride[3], pixel = (int64_t)i / p->y_stride[3];
			int64_t w = pixel % p->out[2], h = pixel / p->out[2] % p->out[1];
			int64_t d = pixel / (p->out[2] * p->out[1]) % p->out[0], n = pixel / (p->out[2] * p->out[1] * p->out[0]);
			if (ch >= p->channels) {
				assert_true(guard_intact(y[i]));
				continue;
			}
			double size = 0, want = pooled(p, x, n, (int64_t[]){d, h, w}, ch, &size);
			if (!float_near(y[i], want, p->average ? 64 : 0, p->average ? size : 0))
				fail_msg("%s: pool %s, channel %d of %d at (%d %d %d): %.9g, not %.9g", isa_name((Isa)isa),
					p->average ? "average" : "max",
					(int)ch, (int)p->channels, (int)d, (int)h, (int)w, (double)y[i], want);
		}
	}
	free(x);
	free(y);
}

static void test_pools(void **state)
{
	(void)state;
	Rng r = {22};
	for (int i = 0; i < 300; i++) {
		PoolParam p = {0};
		if (random_pool(&r, &p, 1 + i % 3))
			run_pool(&r, &p, i);
	}
}

/* Doubles: any strides, alpha, several pieces of depth. */
static void doubles(void **state)
{
	static const int64_t SHAPES[][3] = {{1, 1, 1}, {4, 16, 8}, {5, 17, 3}, {33, 31, 600}, {2, 40, 257}, {70, 3, 1}};
	Rng r = {77};
	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(SHAPES); s++)
		for (int mode = 0; mode < 8; mode++) {
			int64_t m = SHAPES[s][0], n = SHAPES[s][1], k = SHAPES[s][2], batch = 1 + mode / 2 % 2, wide = n + mode / 4;
			MatmulParam p = {.batch = {1, 1, batch}, .m = m, .n = n, .k = k, .a_row = mode & 1 ? 1 : k, .a_col = mode & 1 ? m : 1,
				.b_row = mode & 2 ? 1 : n, .b_col = mode & 2 ? k : 1, .c_row = wide, .alpha = mode & 4 ? 0.5f : 1,
				.a_batch = {0, 0, m * k}, .b_batch = {0, 0, mode & 1 ? 0 : k * n}, .c_batch = {0, 0, m * wide}};
			double *a = malloc((size_t)(batch * m * k) * sizeof(*a)), *b = malloc((size_t)(batch * k * n) * sizeof(*b));
			double *c = malloc((size_t)(batch * m * wide) * sizeof(*c));
			for (int64_t i = 0; i < batch * m * k; i++)
				a[i] = rng_normal(&r);
			for (int64_t i = 0; i < batch * k * n; i++)
				b[i] = rng_normal(&r);
			a[0] = mode == 7 ? (double)NAN : a[0];
			for (int isa = 0; isa < ISA_COUNT; isa++) {
				const KernelSet *set = kernels_for((Isa)isa);
				if (!set)
					continue;
				for (int64_t i = 0; i < batch * m * wide; i++)
					c[i] = 1e300;
				kernel_run(set->matmul64, &p, (void *[]){c, a, b}, &r);
				for (int64_t q = 0; q < batch; q++)
					for (int64_t i = 0; i < m; i++)
						for (int64_t j = 0; j < wide; j++) {
							double sum = 0, got = c[q * p.c_batch[2] + i * wide + j];
							for (int64_t t = 0; t < k && j < n; t++)
								sum += a[q * p.a_batch[2] + i * p.a_row + t * p.a_col] * b[q * p.b_batch[2] + t * p.b_row + j * p.b_col];
							sum *= (double)p.alpha;
							assert_true(j >= n ? got == 1e300 : isnan(sum) ? isnan(got) : fabs(got - sum) < 1e-12 * (1 + (double)k));
						}
			}
			free(a);
			free(b);
			free(c);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_pools),
		cmocka_unit_test(doubles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Batches of matrix products, of floats through the blocked loop, of integers and complex numbers around it. */
#include "ops/gemm.h"

static int64_t batch_count(const Product *p)
{
	uint64_t n = 1; /* wraps only when another size is zero */
	for (int i = 0; i < p->nbatch; i++)
		n *= (uint64_t)p->batch[i];
	return (int64_t)n;
}

/* Element offsets of A and B of batch entry i. */
static void batch_offsets(const Product *p, int64_t i, int64_t *a, int64_t *b)
{
	*a = *b = 0;
	for (int d = p->nbatch; d-- > 0;) {
		int64_t at = i % p->batch[d];
		i /= p->batch[d];
		*a += at * p->a_step[d];
		*b += at * p->b_step[d];
	}
}

static void bind_float(void *arg, int64_t i, Gemm *g)
{
	const Product *p = arg;
	int64_t a, b;
	batch_offsets(p, i, &a, &b);
	g->a = dense_at(p->kind, p->a, a);
	g->b = dense_at(p->kind, p->b, b);
	g->c = dense_at(p->kind, p->c, i * p->m * p->n);
}

/* Products too small to be worth packing, such as elementwise ones. */
static void run_tiny(const Product *p)
{
	int64_t count = batch_count(p), at = 0;
	for (int64_t i = 0; i < count; i++) {
		int64_t a, b;
		batch_offsets(p, i, &a, &b);
		for (int64_t r = 0; r < p->m; r++)
			for (int64_t c = 0; c < p->n; c++, at++)
				for (int64_t k = 0; k < p->k; k++) {
					int64_t ia = a + r * p->a_row + k * p->a_col, ib = b + k * p->b_row + c * p->b_col;
					if (p->kind == DT_F32)
						((float *)p->c)[at] += ((const float *)p->a)[ia] * ((const float *)p->b)[ib];
					else
						((double *)p->c)[at] += ((const double *)p->a)[ia] * ((const double *)p->b)[ib];
				}
	}
}

static void run_float(EvalCtx *e, const Product *p)
{
	if (p->m * p->n <= 64 && p->m * p->n * p->k <= 64) {
		run_tiny(p);
		return;
	}
	Gemm g = {.type = p->kind, .m = p->m, .n = p->n, .k = p->k, .a_row = p->a_row, .a_col = p->a_col, .b_row = p->b_row,
		.b_col = p->b_col, .c_row = p->n, .c_col = 1};
	gemm_run_many(e->threads, &g, batch_count(p), bind_float, (void *)(uintptr_t)p);
}

/* One row of one integer product; modulo 2^64, which is exact modulo any smaller power of two. */
static void integer_row(void *arg, int64_t i)
{
	const Product *p = arg;
	int64_t a, b, row = i % p->m;
	batch_offsets(p, i / p->m, &a, &b);
	const uint64_t *pa = (const uint64_t *)p->a + a + row * p->a_row, *pb = (const uint64_t *)p->b + b;
	uint64_t *c = (uint64_t *)p->c + i * p->n;
	for (int64_t k = 0; k < p->k; k++) {
		uint64_t x = pa[k * p->a_col];
		const uint64_t *y = pb + k * p->b_row;
		for (int64_t j = 0; j < p->n; j++)
			c[j] += x * y[j * p->b_col];
	}
}

/* The parts of A and B lie interleaved: strides double. */
typedef struct ComplexBind {
	const Product *p;
	int a_part, b_part; /* 0 real, 1 imaginary */
	double *out;        /* plane of the products */
} ComplexBind;

static void bind_complex(void *arg, int64_t i, Gemm *g)
{
	const ComplexBind *c = arg;
	int64_t a, b;
	batch_offsets(c->p, i, &a, &b);
	g->a = (const double *)c->p->a + 2 * a + c->a_part;
	g->b = (const double *)c->p->b + 2 * b + c->b_part;
	g->c = c->out + i * c->p->m * c->p->n;
}

/* (Ar + i Ai)(Br + i Bi): four real products into planes, then combined. */
static bool run_complex(EvalCtx *e, const Product *p)
{
	int64_t count = batch_count(p), n = count * p->m * p->n;
	Dense planes;
	int64_t four;
	if (!mul_ok(n, 4, &four))
		return diag_error(e->diags, HONE_LIMIT, NULL, "a product of too many elements");
	if (!dense_scratch(e, DT_F64, four, &planes))
		return false;
	double *plane = planes.data;
	Gemm g = {.type = DT_F64, .m = p->m, .n = p->n, .k = p->k, .a_row = 2 * p->a_row, .a_col = 2 * p->a_col,
		.b_row = 2 * p->b_row, .b_col = 2 * p->b_col, .c_row = p->n, .c_col = 1};
	for (int part = 0; part < 4; part++) {
		ComplexBind bind = {p, part >> 1, part & 1, plane + part * n};
		gemm_run_many(e->threads, &g, count, bind_complex, &bind);
	}
	double *c = p->c;
	for (int64_t i = 0; i < n; i++) {
		c[2 * i] = plane[i] - plane[3 * n + i];
		c[2 * i + 1] = plane[n + i] + plane[2 * n + i];
	}
	dense_release(&planes);
	return true;
}

bool product_run(EvalCtx *e, const Product *p)
{
	int64_t count = batch_count(p);
	if (count == 0 || p->m == 0 || p->n == 0 || p->k == 0)
		return true;
	if (p->kind == DT_C128)
		return run_complex(e, p);
	if (p->kind == DT_I64)
		parallel_for(dense_threads(e, (double)count * (double)p->m * (double)p->n * (double)p->k), count * p->m,
			integer_row, (void *)(uintptr_t)p);
	else
		run_float(e, p);
	return true;
}

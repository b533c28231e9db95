/* Kernels of rows, reductions, copies, resampling and tile programs on every instruction set, against plain loops in double. */
#include "kernels/kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void run(const Kernel *k, const void *param, void *const *ptr)
{
	size_t bytes = k->scratch_bytes ? k->scratch_bytes(param) : 0;
	void *scratch = aligned_alloc(64, (bytes + 127) / 64 * 64);
	/* In pieces, the last one first: tasks may not depend on one another. */
	int64_t n = k->tasks(param), half = n / 2;
	k->run(param, ptr, scratch, half, n);
	k->run(param, ptr, scratch, 0, half);
	free(scratch);
}

static float number(int i)
{
	return (float)sin(i * 1.7) * (float)(1 + i % 7);
}

#define FOR_EACH_ISA(set) \
	for (int isa_ = 0; isa_ < ISA_COUNT; isa_++) \
		for (const KernelSet *set = kernels_for((Isa)isa_); set; set = NULL)

/* ---- elementary functions ---- */

typedef struct Function {
	TileOp op;
	double (*exact)(double x);
	double low, high, tolerance; /* relative, and absolute times it near 0 */
	float f0, f1;
} Function;

static double d_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double d_gelu(double x) { return 0.5 * x * (1 + erf(x * 0.70710678118654752440)); }
static double d_gelu_tanh(double x) { return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))); }
static double d_softplus(double x) { return x > 30 ? x : log1p(exp(x)); }
static double d_mish(double x) { return x * tanh(d_softplus(x)); }
static double d_swish(double x) { return x * d_sigmoid(x); }
static double d_rsqrt(double x) { return 1 / sqrt(x); }
static double d_square(double x) { return x * x; }
static double d_hard_swish(double x) { return x * fmax(0, fmin(1, x / 6 + 0.5)); }
static double d_softsign(double x) { return x / (1 + fabs(x)); }
static double d_relu(double x) { return x < 0 ? 0 : x; }
static double d_elu(double x) { return x < 0 ? exp(x) - 1 : x; }

static const Function FUNCTIONS[] = {
	{ TILE_EXP, exp, -100, 88, 3e-7, 0, 0 }, { TILE_LOG, log, 1e-38, 1e30, 3e-7, 0, 0 }, { TILE_TANH, tanh, -12, 12,
		3e-7, 0, 0 },
	{ TILE_ERF, erf, -5, 5, 3e-7, 0, 0 }, { TILE_SIGMOID, d_sigmoid, -80, 80, 4e-7, 0, 0 },
	{ TILE_SIN, sin, -100, 100, 4e-7, 0, 0 }, { TILE_COS, cos, -100, 100, 4e-7, 0, 0 }, { TILE_SIN, sin, 1e4, 1e6,
		4e-7, 0, 0 },
	{ TILE_GELU, d_gelu, -6, 6, 1e-6, 0, 0 }, { TILE_GELU_TANH, d_gelu_tanh, -6, 6, 1e-6, 0, 0 },
	{ TILE_SOFTPLUS, d_softplus, -80, 80, 5e-7, 0, 0 }, { TILE_MISH, d_mish, -20, 20, 1e-6, 0, 0 },
	{ TILE_SWISH, d_swish, -40, 40, 5e-7, 1, 0 }, { TILE_SQRT, sqrt, 0, 1e20, 2e-7, 0, 0 },
	{ TILE_RSQRT, d_rsqrt, 1e-20, 1e20, 3e-7, 0, 0 }, { TILE_SQUARE, d_square, -9, 9, 2e-7, 0, 0 },
	{ TILE_HARD_SWISH, d_hard_swish, -9, 9, 4e-7, 0, 0 }, { TILE_SOFTSIGN, d_softsign, -9, 9, 2e-7, 0, 0 },
	{ TILE_RELU, d_relu, -9, 9, 0, 0, 0 }, { TILE_FLOOR, floor, -9, 9, 0, 0, 0 }, { TILE_CEIL, ceil, -9, 9, 0, 0, 0 },
	{ TILE_ROUND, nearbyint, -9, 9, 0, 0, 0 }, { TILE_ABS, fabs, -9, 9, 0, 0, 0 }, { TILE_ELU, d_elu, -9, 9, 6e-7, 1, 0 },
};

static TileProgram unary(TileOp op, float f0, float f1, int64_t n)
{
	TileProgram p = { .rank = 1, .dims = { n }, .ncode = 3, .noperands = 2, .cost = 0.3 };
	p.code[0] = (TileInstr){ .op = TILE_LOAD, .dtype = DT_F32, .dst = 0, .operand = 0 };
	p.code[1] = (TileInstr){ .op = (uint8_t)op, .dtype = DT_F32, .dst = 1, .a = 0, .operand = 2, .f0 = f0, .f1 = f1 };
	p.code[2] = (TileInstr){ .op = TILE_STORE, .dtype = DT_F32, .a = 1, .operand = 1 };
	p.operands[0] = (TileOperand){ .ptr = 1, .dtype = DT_F32, .stride = { 1 } };
	p.operands[1] = (TileOperand){ .ptr = 0, .dtype = DT_F32, .stride = { 1 } };
	return p;
}

static void functions_are_accurate(void **state)
{
	enum { N = 5003 };
	(void)state;
	float x[N], y[N];
	FOR_EACH_ISA(set)
		for (size_t f = 0; f < ARRAY_LEN(FUNCTIONS); f++) {
			const Function *g = &FUNCTIONS[f];
			for (int i = 0; i < N; i++) {
				double t = (double)i / (N - 1);
				x[i] = (float)(g->high / g->low > 1e6 && g->low > 0 ? g->low * pow(g->high / g->low, t)
					: g->low + (g->high - g->low) * t);
			}
			TileProgram p = unary(g->op, g->f0, g->f1, N);
			run(set->tile, &p, (void *[]){ y, x });
			for (int i = 0; i < N; i++) {
				double want = g->exact(x[i]), slack = g->tolerance * fmax(fabs(want), g->low < 0 ? 0.3 : 1e-37);
				if (fabs(y[i] - want) > slack + 1.5e-45)
					fail_msg("%s, function %d: f(%.9g) = %.9g, exact %.9g", isa_name(set->isa), g->op, (double)x[i],
						(double)y[i], want);
			}
		}
}

static void special_values_pass_through(void **state)
{
	(void)state;
	static const float IN[] = { NAN, INFINITY, -INFINITY, 0.0f, -0.0f };
	static const struct { TileOp op; float want[5]; } CASES[] = {
		{ TILE_EXP, { NAN, INFINITY, 0, 1, 1 } }, { TILE_LOG, { NAN, INFINITY, NAN, -INFINITY, -INFINITY } },
		{ TILE_TANH, { NAN, 1, -1, 0, 0 } }, { TILE_SIGMOID, { NAN, 1, 0, 0.5f, 0.5f } }, { TILE_ERF, { NAN, 1, -1, 0, 0 } },
		{ TILE_RELU, { NAN, INFINITY, 0, 0, 0 } }, { TILE_SQRT, { NAN, INFINITY, NAN, 0, 0 } },
		{ TILE_SOFTPLUS, { NAN, INFINITY, 0, 0.6931472f, 0.6931472f } }, { TILE_SIN, { NAN, NAN, NAN, 0, 0 } },
	};
	FOR_EACH_ISA(set)
		for (size_t c = 0; c < ARRAY_LEN(CASES); c++) {
			float y[5];
			TileProgram p = unary(CASES[c].op, 0, 0, 5);
			run(set->tile, &p, (void *[]){ y, (void *)(uintptr_t)IN });
			for (int i = 0; i < 5; i++)
				if (isnan(CASES[c].want[i]) ? !isnan(y[i]) : fabsf(y[i] - CASES[c].want[i]) > 1e-6f &&
					y[i] != CASES[c].want[i])
					fail_msg("%s, function %d of %g is %g", isa_name(set->isa), CASES[c].op, (double)IN[i], (double)y[i]);
		}
}

/* y[i][j] = select(a[i][j] < b[j], a[i][j] * s, b[j]): broadcasts along both dims, in place, strided, of any length. */
static void programs_broadcast(void **state)
{
	(void)state;
	static const int64_t LENGTHS[] = { 1, 7, 16, 511, 512, 513, 1300 };
	FOR_EACH_ISA(set)
		for (size_t l = 0; l < ARRAY_LEN(LENGTHS); l++) {
			int64_t n = LENGTHS[l], rows = 3, wide = n + 5;
			float *a = malloc((size_t)(rows * wide) * sizeof(*a)), *b = malloc((size_t)n * sizeof(*b)), s = 1.5f;
			for (int i = 0; i < rows * wide; i++)
				a[i] = number(i);
			for (int i = 0; i < n; i++)
				b[i] = number(i + 99);
			float *was = malloc((size_t)(rows * wide) * sizeof(*a));
			memcpy(was, a, (size_t)(rows * wide) * sizeof(*a));
			TileProgram p = { .rank = 2, .dims = { rows, n }, .ncode = 7, .noperands = 4, .cost = 1 };
			const TileInstr code[] = {
				{ .op = TILE_LOAD, .dtype = DT_F32, .dst = 0, .operand = 0 }, { .op = TILE_LOAD, .dtype = DT_F32,
					.dst = 1, .operand = 1 },
				{ .op = TILE_LOAD, .dtype = DT_F32, .dst = 2, .operand = 2 }, { .op = TILE_LT, .dtype = DT_F32,
					.dst = 3, .a = 0, .b = 1 },
				{ .op = TILE_MUL, .dtype = DT_F32, .dst = 4, .a = 0, .b = 2 },
				{ .op = TILE_SELECT, .dtype = DT_F32, .dst = 5, .a = 3, .b = 4, .c = 1, .operand = 4 },
				{ .op = TILE_STORE, .dtype = DT_F32, .a = 5, .operand = 3 },
			};
			memcpy(p.code, code, sizeof(code));
			p.operands[0] = p.operands[3] = (TileOperand){ .ptr = 0, .dtype = DT_F32, .stride = { wide, 1 }, .offset = 2 };
			p.operands[1] = (TileOperand){ .ptr = 1, .dtype = DT_F32, .stride = { 0, 1 } };
			p.operands[2] = (TileOperand){ .ptr = 2, .dtype = DT_F32, .stride = { 0, 0 } };
			run(set->tile, &p, (void *[]){ a, b, &s });
			for (int64_t i = 0; i < rows; i++)
				for (int64_t j = 0; j < wide; j++) {
					float old = was[i * wide + j], *now = &a[i * wide + j];
					bool inside = j >= 2 && j < n + 2;
					assert_true(*now == (!inside ? old : old < b[j - 2] ? old * s : b[j - 2]));
				}
			free(was);
			free(a);
			free(b);
		}
}

/* y[a][i][j] = x[a][i][j] * s[a][j] + p[a][i]: short rows, which are done several at a time: one operand that all rows of
 * an outer index share, one element a row, rows with gaps, in place. */
static void short_rows_go_together(void **state)
{
	(void)state;
	static const int64_t SIZES[][2] = { { 1, 5 }, { 40, 1 }, { 7, 3 }, { 100, 16 }, { 33, 24 }, { 9, 256 }, { 5, 257 }, { 3, 200 } };
	FOR_EACH_ISA(set)
		for (size_t t = 0; t < 4 * ARRAY_LEN(SIZES); t++) {
			int64_t rows = SIZES[t / 4][0], n = SIZES[t / 4][1], gap = t % 2 ? 3 : 0, wide = n + gap, outer = 3;
			int64_t all = outer * rows * wide;
			bool in_place = t % 4 > 1;
			float *x = malloc((size_t)all * sizeof(*x)), *y = malloc((size_t)all * sizeof(*y));
			float *s = malloc((size_t)(outer * n) * sizeof(*s)), *p = malloc((size_t)(outer * rows) * sizeof(*p));
			float *want = malloc((size_t)all * sizeof(*want));
			for (int64_t i = 0; i < all; i++) {
				x[i] = number((int)i);
				want[i] = y[i] = in_place ? x[i] : 77;
			}
			for (int64_t i = 0; i < outer * n; i++)
				s[i] = number((int)i + 50);
			for (int64_t i = 0; i < outer * rows; i++)
				p[i] = number((int)i + 9);
			TileProgram g = { .rank = 3, .dims = { outer, rows, n }, .ncode = 5, .noperands = 4, .cost = 1,
				.code = { { .op = TILE_LOAD, .dtype = DT_F32, .dst = 0, .operand = 1 },
					{ .op = TILE_LOAD, .dtype = DT_F32, .dst = 1, .operand = 2 },
					{ .op = TILE_LOAD, .dtype = DT_F32, .dst = 2, .operand = 3 },
					{ .op = TILE_MUL_ADD, .dtype = DT_F32, .dst = 3, .a = 0, .b = 1, .c = 2, .operand = 1 },
					{ .op = TILE_STORE, .dtype = DT_F32, .a = 3, .operand = 0 } } };
			g.operands[0] = (TileOperand){ .ptr = 0, .dtype = DT_F32, .stride = { rows * wide, wide, 1 } };
			g.operands[1] = g.operands[0];
			g.operands[1].ptr = in_place ? 0 : 1;
			g.operands[2] = (TileOperand){ .ptr = 2, .dtype = DT_F32, .stride = { n, 0, 1 } };
			g.operands[3] = (TileOperand){ .ptr = 3, .dtype = DT_F32, .stride = { rows, 1, 0 } };
			run(set->tile, &g, (void *[]){ y, x, s, p });
			for (int64_t i = 0; i < outer * rows * n; i++) {
				int64_t a = i / (rows * n), r = i / n % rows, j = i % n, at = (a * rows + r) * wide + j;
				want[at] = x[at] * s[a * n + j] + p[a * rows + r];
			}
			for (int64_t i = 0; i < all; i++)
				if (fabsf(y[i] - want[i]) > 1e-4f)
					fail_msg("%s, %d rows of %d, case %d: element %d is %g, not %g", isa_name(set->isa), (int)rows, (int)n,
						(int)t, (int)i, (double)y[i], (double)want[i]);
			free(x);
			free(y);
			free(s);
			free(p);
			free(want);
		}
}

static void integers_wrap_and_casts_saturate(void **state)
{
	(void)state;
	FOR_EACH_ISA(set) {
		static const float IN[] = { 1.9f, -1.9f, 3e9f, -3e9f, NAN, 0 };
		int32_t y[6];
		TileProgram p = unary(TILE_CAST, 0, 0, 6);
		p.code[1].to = DT_I32;
		p.code[2].dtype = DT_I32;
		p.operands[1].dtype = DT_I32;
		assert_true(set->tile_supports(&p.code[1]));
		run(set->tile, &p, (void *[]){ y, (void *)(uintptr_t)IN });
		static const int32_t WANT[] = { 1, -1, INT32_MAX, INT32_MIN, 0, 0 };
		assert_memory_equal(y, WANT, sizeof(WANT));
		int64_t a[] = { INT64_MAX, 5, -7 }, z[3];
		p = unary(TILE_ADD, 0, 0, 3);
		p.code[0].dtype = p.code[1].dtype = p.code[2].dtype = DT_I64;
		p.operands[0].dtype = p.operands[1].dtype = DT_I64;
		run(set->tile, &p, (void *[]){ z, a });
		assert_true(z[0] == -2 && z[1] == 10 && z[2] == -14);
		assert_false(set->tile_supports(&(TileInstr){ .op = TILE_EXP, .dtype = DT_I32 }));
	}
}

/* ---- rows ---- */

static void check_row(const KernelSet *set, RowKind kind, int64_t n, int64_t stride)
{
	int64_t rows = 5;
	float *x = malloc((size_t)(rows * n * stride) * sizeof(*x)), *y = malloc((size_t)(rows * n * stride) * sizeof(*y));
	float *scale = malloc((size_t)n * sizeof(*scale)), *bias = malloc((size_t)n * sizeof(*bias));
	for (int i = 0; i < rows * n * stride; i++)
		x[i] = number(i);
	for (int i = 0; i < n; i++) {
		scale[i] = number(i + 1);
		bias[i] = number(i + 2);
	}
	bool norm = kind == ROW_LAYER_NORM || kind == ROW_RMS_NORM;
	RowParam p = { .kind = kind, .outer = { 1, 1, 1, rows }, .n = n, .x_outer = { 0, 0, 0, n * stride },
		.y_outer = { 0, 0, 0, n * stride },
		.x_stride = stride, .y_stride = stride, .has_scale = norm, .has_bias = kind == ROW_LAYER_NORM, .epsilon = 1e-5f };
	run(set->row, &p, (void *[]){ y, x, scale, bias });
	for (int64_t r = 0; r < rows; r++) {
		const float *v = x + r * n * stride, *got = y + r * n * stride;
		double max = -INFINITY, sum = 0, mean = 0, var = 0;
		for (int64_t i = 0; i < n; i++) {
			max = fmax(max, v[i * stride]);
			mean += v[i * stride] / (double)n;
		}
		for (int64_t i = 0; i < n; i++) {
			double d = v[i * stride] - (kind == ROW_LAYER_NORM ? mean : 0);
			sum += exp(v[i * stride] - max);
			var += d * d / (double)n;
		}
		for (int64_t i = 0; i < n; i++) {
			double t = v[i * stride],
				want = kind == ROW_SOFTMAX ? exp(t - max) / sum : kind == ROW_LOG_SOFTMAX ? t - max - log(sum)
				: (t - (kind == ROW_LAYER_NORM ? mean : 0)) / sqrt(var + 1e-5) * scale[i] + (p.has_bias ? bias[i] : 0);
			assert_true(fabs(got[i * stride] - want) <= 2e-6 * fmax(1, fabs(want)));
		}
	}
	free(x);
	free(y);
	free(scale);
	free(bias);
}

static void rows_agree(void **state)
{
	(void)state;
	static const int64_t LENGTHS[] = { 1, 2, 10, 15, 16, 33, 64, 95, 1000 };
	FOR_EACH_ISA(set)
		for (int k = ROW_SOFTMAX; k <= ROW_RMS_NORM; k++)
			for (size_t l = 0; l < ARRAY_LEN(LENGTHS); l++)
				for (int64_t stride = 1; stride <= 3; stride += 2)
					check_row(set, (RowKind)k, LENGTHS[l], stride);
}

/* Masked elements are 0, a row with NaN is NaN, one of minus infinities too; neighbours are what they are. */
static void softmax_of_odd_numbers(void **state)
{
	(void)state;
	static const int64_t LENGTHS[] = { 1, 3, 16, 21, 64, 70 };
	static const float ODD[] = { -3.4e38f, -INFINITY, -90, NAN };
	FOR_EACH_ISA(set)
		for (size_t l = 0; l < ARRAY_LEN(LENGTHS); l++)
			for (size_t k = 0; k < ARRAY_LEN(ODD); k++) {
				int64_t n = LENGTHS[l];
				float x[3 * 70], y[3 * 70];
				for (int64_t i = 0; i < 3 * n; i++)
					x[i] = i % n == n / 2 && i / n == 1 ? ODD[k] : 0.5f;
				RowParam p = { .kind = ROW_SOFTMAX, .outer = { 1, 1, 1, 3 }, .n = n, .x_outer = { 0, 0, 0, n },
					.y_outer = { 0, 0, 0, n }, .x_stride = 1, .y_stride = 1 };
				run(set->row, &p, (void *[]){ y, x });
				bool nan = isnan(ODD[k]) || (n == 1 && isinf(ODD[k]));
				for (int64_t i = 0; i < 3 * n; i++) {
					bool odd = i / n == 1;
					double want = !odd ? 1.0 / (double)n : n == 1 ? 1 : i % n == n / 2 ? 0 : 1 / (double)(n - 1);
					assert_true(odd && nan ? isnan(y[i]) : fabs(y[i] - want) <= 1e-6);
				}
			}
}

/* ---- reductions ---- */

static double combine(Combine c, double a, double x)
{
	switch (c) {
	case COMBINE_SUM: return a + x;
	case COMBINE_SUM_SQUARE: return a + x * x;
	case COMBINE_L1: return a + fabs(x);
	case COMBINE_PROD: return a * x;
	case COMBINE_MAX: return fmax(a, x);
	default: return fmin(a, x);
	}
}

/* x is (kept, reduced) or (reduced, kept) in memory. */
static void check_reduce(const KernelSet *set, Combine c, int64_t kept, int64_t reduced, bool inner)
{
	float *x = malloc((size_t)(kept * reduced) * sizeof(*x)), *y = malloc((size_t)kept * sizeof(*y));
	for (int i = 0; i < kept * reduced; i++)
		x[i] = number(i) * 0.5f;
	ReduceParam p = { .combine = c, .nkept = 1, .nreduced = 1, .kept = { kept }, .reduced = { reduced }, .y_kept = { 1 },
		.x_kept = { inner ? reduced : 1 }, .x_reduced = { inner ? 1 : kept }, .scale = 0.25f };
	run(set->reduce, &p, (void *[]){ y, x });
	for (int64_t k = 0; k < kept; k++) {
		double acc = c == COMBINE_MAX ? -INFINITY : c == COMBINE_MIN ? INFINITY : c == COMBINE_PROD ? 1 : 0, size = 0;
		for (int64_t i = 0; i < reduced; i++) {
			double v = x[inner ? k * reduced + i : i * kept + k];
			acc = combine(c, acc, v);
			size += c == COMBINE_SUM_SQUARE ? v * v : fabs(v);
		}
		double slack = c == COMBINE_PROD ? 1e-5 * fabs(acc) : 1e-6 * size;
		assert_true(fabs(y[k] - acc * 0.25) <= slack + 1e-30);
	}
	free(x);
	free(y);
}

static void reductions_agree(void **state)
{
	(void)state;
	static const int64_t SIZES[][2] = { { 1, 1 }, { 3, 5 }, { 4, 64 }, { 65, 7 }, { 130, 129 }, { 1, 1000 } };
	FOR_EACH_ISA(set)
		for (int c = COMBINE_SUM; c <= COMBINE_L1; c++)
			for (size_t s = 0; s < ARRAY_LEN(SIZES); s++)
				for (int inner = 0; inner < 2; inner++)
					check_reduce(set, (Combine)c, SIZES[s][0], SIZES[s][1], inner);
}

static void nan_wins_in_extremes(void **state)
{
	(void)state;
	FOR_EACH_ISA(set)
		for (int inner = 0; inner < 2; inner++) {
			float x[64], y[8] = { 0 };
			for (int i = 0; i < 64; i++)
				x[i] = (float)i;
			x[inner ? 10 : 9] = NAN; /* row 1 */
			ReduceParam p = { .combine = COMBINE_MAX, .nkept = 1, .nreduced = 1, .kept = { 8 }, .reduced = { 8 },
				.y_kept = { 1 },
				.x_kept = { inner ? 8 : 1 }, .x_reduced = { inner ? 1 : 8 }, .scale = 1 };
			run(set->reduce, &p, (void *[]){ y, x });
			assert_true(isnan(y[1]));
			assert_false(isnan(y[0]) || isnan(y[2]));
		}
}

/* ---- copies ---- */

static void check_copy(const KernelSet *set, int elem, const int64_t *dims, const int *perm)
{
	int64_t n = dims[0] * dims[1] * dims[2], xs[3], ys[3];
	uint8_t *x = malloc((size_t)(n * elem)), *y = calloc((size_t)n, (size_t)elem);
	CopyParam p = { .rank = 3, .elem = elem };
	int64_t step = 1;
	for (int i = 0; i < n * elem; i++)
		x[i] = (uint8_t)(i * 31 + i / 256);
	for (int d = 3; d-- > 0;) {
		xs[perm[d]] = step;
		step *= dims[perm[d]];
	}
	for (int d = 3; d-- > 0;)
		ys[d] = d == 2 ? 1 : ys[d + 1] * dims[d + 1];
	memcpy(p.dims, dims, 3 * sizeof(*dims));
	memcpy(p.x_stride, xs, sizeof(xs));
	memcpy(p.y_stride, ys, sizeof(ys));
	run(set->copy, &p, (void *[]){ y, x });
	for (int64_t i = 0; i < dims[0]; i++)
		for (int64_t j = 0; j < dims[1]; j++)
			for (int64_t k = 0; k < dims[2]; k++)
				assert_memory_equal(y + (i * ys[0] + j * ys[1] + k * ys[2]) * elem,
					x + (i * xs[0] + j * xs[1] + k * xs[2]) * elem,
					(size_t)elem);
	free(x);
	free(y);
}

static void copies_move_every_element(void **state)
{
	(void)state;
	static const int PERMS[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	static const int64_t DIMS[][3] = { { 1, 1, 1 }, { 3, 5, 7 }, { 2, 16, 33 }, { 17, 40, 31 },
		{ 6, 75, 2 }, { 2, 2100, 3 }, { 3, 19, 4 }, { 4, 600, 1 }, { 1, 3, 530 } };
	static const int ELEMS[] = { 1, 2, 4, 8, 16 };
	FOR_EACH_ISA(set)
		for (size_t e = 0; e < ARRAY_LEN(ELEMS); e++)
			for (size_t d = 0; d < ARRAY_LEN(DIMS); d++)
				for (size_t p = 0; p < ARRAY_LEN(PERMS); p++)
					check_copy(set, ELEMS[e], DIMS[d], PERMS[p]);
}

static void bad_indices_are_reported(void **state)
{
	(void)state;
	FOR_EACH_ISA(set) {
		float x[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } }, y[4][2];
		int64_t index[] = { 2, -3, 0, -1 }, fault = 0;
		GatherParam p = { .outer = 1, .n = 4, .rows = 3, .inner = 8, .x_outer = 24, .y_outer = 32, .index64 = true };
		run(set->gather, &p, (void *[]){ y, x, index, &fault });
		assert_true(fault == 0 && y[0][0] == 5 && y[1][1] == 2 && y[2][0] == 1 && y[3][1] == 6);
		index[1] = 3;
		run(set->gather, &p, (void *[]){ y, x, index, &fault });
		assert_int_equal(fault, 2);
		assert_true(y[1][0] == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_accurate), cmocka_unit_test(special_values_pass_through),
		cmocka_unit_test(programs_broadcast), cmocka_unit_test(short_rows_go_together), cmocka_unit_test(integers_wrap_and_casts_saturate),
			cmocka_unit_test(rows_agree),
		cmocka_unit_test(softmax_of_odd_numbers),
		cmocka_unit_test(reductions_agree), cmocka_unit_test(nan_wins_in_extremes),
			cmocka_unit_test(copies_move_every_element),
		cmocka_unit_test(bad_indices_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

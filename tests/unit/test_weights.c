/* Arithmetic on weights, computed in pieces: what the evaluator's double gives, rounded once; and what is no such expression. */
#include "ops/weights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Bench {
	Context *c;
	Module *m;
	Block *b;
	Arena *a;
	Diags d;
	EvalCtx oracle;
} Bench;

static void bench_init(Bench *x)
{
	x->c = context_new();
	x->m = module_new(x->c);
	x->m->main = func_new(x->m, str(x->c, "main"));
	x->b = x->m->main->body;
	x->a = arena_new();
	diags_init(&x->d, x->a);
	eval_init(&x->oracle, x->c, &x->d);
	x->oracle.oracle = true;
}

static void bench_free(Bench *x)
{
	eval_release(&x->oracle);
	arena_free(x->a);
	module_free(x->m);
	context_free(x->c);
}

static const Type *floats(Bench *x, int rank, const int64_t *dims)
{
	return type_tensor_of(x->c, DT_F32, rank, dims);
}

static Value *weights(Bench *x, int rank, const int64_t *dims, uint32_t seed)
{
	int64_t n = 1;
	for (int i = 0; i < rank; i++)
		n *= dims[i];
	float *data = malloc((size_t)n * sizeof(float));
	for (int64_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		data[i] = (float)(int32_t)seed * 1e-9f + 0.1f;
	}
	Value *v = constant_from_attr(x->b, NULL, attr_tensor(x->c, floats(x, rank, dims), blob_copy(x->c, data, (size_t)n * sizeof(float))));
	free(data);
	return v;
}

static Value *splat(Bench *x, int rank, const int64_t *dims, float value)
{
	return constant_from_attr(x->b, NULL, attr_tensor(x->c, floats(x, rank, dims), blob_splat(x->c, DT_F32, &value)));
}

static Value *apply(Bench *x, OpKind kind, Value *a, Value *b, const Type *t)
{
	Value *in[] = { a, b };
	OpSpec s = { .def = op_def(x->c, kind), .operands = in, .noperands = b ? 2 : 1, .types = &t, .nresults = 1 };
	return op_new(x->b, NULL, &s)->results[0];
}

/* As a whole, in pieces at odd places, and times a factor. */
static void check(Bench *x, const Value *v)
{
	assert_true(is_weight_expr(v));
	WeightExpr *w = weight_expr_new(&x->oracle, v, x->a);
	assert_non_null(w);
	int64_t n = weight_expr_count(w), at = 0;
	Tensor *want = eval_constant_value(&x->oracle, v);
	assert_non_null(want);
	assert_int_equal(want->count, n);
	float *got = malloc((size_t)n * sizeof(float)), *piece = malloc((size_t)n * sizeof(float));
	weight_expr_all(w, 2, 1.0f, got);
	for (int64_t i = 0; i < n; i++) {
		float one = (float)((const double *)want->data)[i];
		assert_memory_equal(&got[i], &one, sizeof(one));
	}
	for (int64_t step = 1; at < n; at += step, step = step * 3 + 1) {
		int64_t end = at + step < n ? at + step : n;
		weight_expr_part(w, at, end, piece);
		assert_memory_equal(piece, got + at, (size_t)(end - at) * sizeof(float));
	}
	weight_expr_all(w, 1, 0.5f, piece);
	for (int64_t i = 0; i < n; i++)
		assert_true(piece[i] == got[i] * 0.5f);
	assert_true(weight_expr_finite(w, 2));
	free(got);
	free(piece);
	tensor_unref(want);
}

static void scales_of_rows_columns_and_channels(void **state)
{
	(void)state;
	Bench x;
	bench_init(&x);
	const int64_t matrix[] = { 130, 257 }, row[] = { 257 }, column[] = { 130, 1 }, filter[] = { 64, 33, 3, 3 }, channel[] = { 64, 1, 1, 1 };
	Value *w = weights(&x, 2, matrix, 1);
	check(&x, apply(&x, OP_mul, w, weights(&x, 1, row, 2), floats(&x, 2, matrix)));
	check(&x, apply(&x, OP_div, w, weights(&x, 2, column, 3), floats(&x, 2, matrix)));
	check(&x, apply(&x, OP_sub, weights(&x, 2, column, 3), w, floats(&x, 2, matrix)));
	check(&x, apply(&x, OP_mul, weights(&x, 4, filter, 4), weights(&x, 4, channel, 5), floats(&x, 4, filter)));
	check(&x, apply(&x, OP_add, splat(&x, 2, matrix, 0.3f), w, floats(&x, 2, matrix)));
	check(&x, apply(&x, OP_neg, w, NULL, floats(&x, 2, matrix)));
	bench_free(&x);
}

static void small_expressions_of_any_kind_inside(void **state)
{
	(void)state;
	Bench x;
	bench_init(&x);
	const int64_t matrix[] = { 160, 128 }, row[] = { 128 };
	Value *scale = apply(&x, OP_sqrt, apply(&x, OP_mul, weights(&x, 1, row, 6), weights(&x, 1, row, 6), floats(&x, 1, row)), NULL,
		floats(&x, 1, row));
	Value *y = apply(&x, OP_mul, weights(&x, 2, matrix, 7), apply(&x, OP_reciprocal, scale, NULL, floats(&x, 1, row)),
		floats(&x, 2, matrix));
	check(&x, y);
	check(&x, apply(&x, OP_add, y, y, floats(&x, 2, matrix)));
	bench_free(&x);
}

static void what_is_none(void **state)
{
	(void)state;
	Bench x;
	bench_init(&x);
	const int64_t matrix[] = { 256, 257 }, small[] = { 4, 4 }, empty[] = { 0, 4 };
	const Type *t = floats(&x, 2, matrix);
	Value *w = weights(&x, 2, matrix, 1), *s = weights(&x, 2, small, 1);
	Value *arg = block_add_arg(x.b, t, NULL);
	assert_false(is_weight_expr(w));
	assert_false(is_weight_expr(arg));
	assert_false(is_weight_expr(apply(&x, OP_mul, w, arg, t)));
	assert_false(is_weight_expr(apply(&x, OP_sqrt, w, NULL, t)));
	assert_false(is_weight_expr(apply(&x, OP_neg, apply(&x, OP_sqrt, w, NULL, t), NULL, t)));
	assert_false(is_weight_expr(apply(&x, OP_mul, s, s, floats(&x, 2, small))));
	assert_false(is_weight_expr(apply(&x, OP_neg, splat(&x, 2, empty, 1), NULL, floats(&x, 2, empty))));
	Value *deep = w;
	for (int i = 0; i < 40; i++)
		deep = apply(&x, OP_add, deep, deep, t);
	assert_false(is_weight_expr(deep));
	WeightExpr *overflow = weight_expr_new(&x.oracle, apply(&x, OP_mul, splat(&x, 2, matrix, 3e38f), splat(&x, 2, matrix, -3e38f), t), x.a);
	assert_non_null(overflow);
	assert_false(weight_expr_finite(overflow, 2));
	bench_free(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scales_of_rows_columns_and_channels),
		cmocka_unit_test(small_expressions_of_any_kind_inside),
		cmocka_unit_test(what_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The evaluator: elementwise ops, casts, reductions, normalisation, quantisation, control flow, and its limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ops/ops.h"

typedef struct Fix {
	Context *c;
	Module *m;
	Func *f;
	EvalCtx e;
} Fix;

static int setup(void **state)
{
	Fix *x = mem_zalloc(sizeof(*x));
	x->c = context_new();
	x->m = module_new(x->c);
	x->f = func_new(x->m, str(x->c, "main"));
	x->m->main = x->f;
	eval_init(&x->e, x->c, &x->c->diags);
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	Fix *x = *state;
	eval_release(&x->e);
	assert_int_equal(x->e.live_bytes, 0);
	module_free(x->m);
	context_free(x->c);
	mem_free(x);
	return 0;
}

/* ---- building ---- */

static Tensor *floats(Fix *x, DType d, int rank, const int64_t *dims, const double *v)
{
	Tensor *t = tensor_new(&x->e, d, rank, dims);
	assert_non_null(t);
	tensor_store_f64(t, 0, t->count, v);
	return t;
}

static Tensor *ints(Fix *x, DType d, int rank, const int64_t *dims, const int64_t *v)
{
	Tensor *t = tensor_new(&x->e, d, rank, dims);
	assert_non_null(t);
	tensor_store_i64(t, 0, t->count, v);
	return t;
}

#define DIMS(...) ((int64_t[]){__VA_ARGS__})
#define VALUES(...) ((double[]){__VA_ARGS__})
#define INTS(...) ((int64_t[]){__VA_ARGS__})
#define VEC_OF(...) floats(x, DT_F32, 1, DIMS((int64_t)ARRAY_LEN(VALUES(__VA_ARGS__))), VALUES(__VA_ARGS__))
#define IVEC_OF(d, ...) ints(x, d, 1, DIMS((int64_t)ARRAY_LEN(INTS(__VA_ARGS__))), INTS(__VA_ARGS__))

static Op *make_op(Fix *x, Block *b, OpKind k, Value *const *in, size_t n, size_t nresults, size_t nblocks)
{
	OpSpec s = {.def = op_def(x->c, k), .operands = in, .noperands = n, .nresults = nresults, .nblocks = nblocks};
	return op_new(b, NULL, &s);
}

/* An op on function arguments, one an operand (none where `in` is NULL). */
static Op *loose_op(Fix *x, OpKind k, Tensor *const *in, size_t n, size_t nresults)
{
	Value *v[8] = {0};
	for (size_t i = 0; i < n; i++)
		v[i] = in[i] ? block_add_arg(x->f->body, type_unknown(x->c), NULL) : NULL;
	return make_op(x, x->f->body, k, v, n, nresults, 0);
}

static void set_int(Fix *x, Op *op, AttrName a, int64_t v)
{
	op_set_attr(op, x->c->attr_names[a], attr_int(x->c, v));
}

static void set_text(Fix *x, Op *op, AttrName a, const char *v)
{
	op_set_attr(op, x->c->attr_names[a], attr_str(x->c, str(x->c, v)));
}

static Tensor *run1(Fix *x, Op *op, Tensor *const *in)
{
	Tensor *out[4] = {0};
	assert_true(eval_op(&x->e, op, in, out));
	assert_non_null(out[0]);
	for (size_t i = 1; i < op->nresults; i++)
		tensor_unref(out[i]);
	return out[0];
}

static Tensor *unary(Fix *x, OpKind k, Tensor *a)
{
	return run1(x, loose_op(x, k, &a, 1, 1), &a);
}

static Tensor *binary(Fix *x, OpKind k, Tensor *a, Tensor *b)
{
	Tensor *in[] = {a, b};
	return run1(x, loose_op(x, k, in, 2, 1), in);
}

static void fails(Fix *x, Op *op, Tensor *const *in, HoneStatus status)
{
	Tensor *out[4] = {0};
	x->c->diags.status = HONE_OK;
	assert_false(eval_op(&x->e, op, in, out));
	assert_int_equal(x->c->diags.status, status);
	assert_null(out[0]);
}

static void binary_fails(Fix *x, OpKind k, Tensor *a, Tensor *b)
{
	Tensor *in[] = {a, b};
	fails(x, loose_op(x, k, in, 2, 1), in, HONE_BAD_INPUT);
}

/* ---- looking ---- */

static void shape_is(const Tensor *t, int rank, const int64_t *dims)
{
	assert_int_equal(t->rank, rank);
	for (int i = 0; i < rank; i++)
		assert_int_equal(t->dims[i], dims[i]);
}

static void same_double(double got, double want)
{
	if (isnan(want)) {
		assert_true(isnan(got));
		return;
	}
	assert_int_equal(signbit(got), signbit(want));
	assert_true(got == want || fabs(got - want) <= 1e-6 * fabs(want));
}

static void is_floats(const Tensor *t, size_t n, const double *want)
{
	assert_int_equal(t->count, n);
	for (size_t i = 0; i < n; i++)
		same_double(tensor_get_f64(t, (int64_t)i), want[i]);
}

static void is_ints(const Tensor *t, size_t n, const int64_t *want)
{
	assert_int_equal(t->count, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(tensor_get_i64(t, (int64_t)i), want[i]);
}

#define IS_FLOATS(t, ...) is_floats(t, ARRAY_LEN(VALUES(__VA_ARGS__)), VALUES(__VA_ARGS__))
#define IS_INTS(t, ...) is_ints(t, ARRAY_LEN(INTS(__VA_ARGS__)), INTS(__VA_ARGS__))

/* ---- elementwise ---- */

static void test_special_floats(void **state)
{
	Fix *x = *state;
	Tensor *a = VEC_OF(NAN, INFINITY, -INFINITY, -0.0, 0.0);
	IS_FLOATS(unary(x, OP_neg, a), NAN, -INFINITY, INFINITY, 0.0, -0.0);
	IS_FLOATS(unary(x, OP_abs, a), NAN, INFINITY, INFINITY, 0.0, 0.0);
	IS_FLOATS(unary(x, OP_sigmoid, a), NAN, 1, 0, 0.5, 0.5);
	IS_FLOATS(unary(x, OP_softplus, a), NAN, INFINITY, 0, M_LN2, M_LN2);
	IS_FLOATS(unary(x, OP_reciprocal, a), NAN, 0, -0.0, -INFINITY, INFINITY);
	IS_INTS(unary(x, OP_isnan, a), 1, 0, 0, 0, 0);
	IS_INTS(unary(x, OP_isinf, a), 0, 1, 1, 0, 0);
	IS_INTS(unary(x, OP_isfinite, a), 0, 0, 0, 1, 1);
	Tensor *b = VEC_OF(1, NAN, 1, 1, 1);
	IS_FLOATS(binary(x, OP_max, a, b), NAN, NAN, 1, 1, 1);
	IS_FLOATS(binary(x, OP_min, a, b), NAN, NAN, -INFINITY, -0.0, 0.0);
	IS_INTS(binary(x, OP_eq, a, a), 0, 1, 1, 1, 1);
	IS_INTS(binary(x, OP_ne, a, a), 1, 0, 0, 0, 0);
}

static void test_activations(void **state)
{
	Fix *x = *state;
	Tensor *a = VEC_OF(-800, -2, 2.5, 800);
	IS_FLOATS(unary(x, OP_sigmoid, a), 0, 0.11920292, 0.92414182, 1);
	IS_FLOATS(unary(x, OP_round, a), -800, -2, 2, 800);
	IS_FLOATS(unary(x, OP_round_away, a), -800, -2, 3, 800);
	IS_FLOATS(unary(x, OP_mish, VEC_OF(-2, 2.5)), -0.25250148, 2.4713923);
	IS_FLOATS(unary(x, OP_gelu, VEC_OF(-2, 2.5)), -0.04550026, 2.4844759);
	IS_FLOATS(unary(x, OP_hard_swish, VEC_OF(-4, 1, 4)), -0.0, 0.66666667, 4);
	IS_FLOATS(unary(x, OP_elu, VEC_OF(-1, 2)), -0.63212056, 2);
	IS_FLOATS(unary(x, OP_shrink, VEC_OF(-1, 0.25, 2)), -1, 0, 2);
}

static void test_integers_wrap(void **state)
{
	Fix *x = *state;
	IS_INTS(binary(x, OP_add, IVEC_OF(DT_I8, 127, -128), IVEC_OF(DT_I8, 1, -1)), -128, 127);
	IS_INTS(binary(x, OP_mul, IVEC_OF(DT_U8, 16), IVEC_OF(DT_U8, 16)), 0);
	IS_INTS(binary(x, OP_add, IVEC_OF(DT_I64, INT64_MAX), IVEC_OF(DT_I64, 1)), INT64_MIN);
	IS_INTS(binary(x, OP_add, IVEC_OF(DT_I4, 7), IVEC_OF(DT_I4, 1)), -8);
	IS_INTS(binary(x, OP_div, IVEC_OF(DT_I32, 7, -7, INT32_MIN), IVEC_OF(DT_I32, -2, 2, -1)), -3, -3, INT32_MIN);
	IS_INTS(binary(x, OP_div, IVEC_OF(DT_I64, INT64_MIN), IVEC_OF(DT_I64, -1)), INT64_MIN);
	IS_INTS(binary(x, OP_mod, IVEC_OF(DT_I64, 7, -7, INT64_MIN), IVEC_OF(DT_I64, -3, 3, -1)), -2, 2, 0);
	IS_INTS(binary(x, OP_fmod, IVEC_OF(DT_I64, 7, -7), IVEC_OF(DT_I64, -3, 3)), 1, -1);
	IS_INTS(binary(x, OP_pow, IVEC_OF(DT_I32, 2, -3, 2, -1), IVEC_OF(DT_I32, 31, 3, -1, -3)), INT32_MIN, -27, 0, -1);
	IS_INTS(unary(x, OP_abs, IVEC_OF(DT_I8, -128, -1)), -128, 1);
	IS_INTS(unary(x, OP_popcnt, IVEC_OF(DT_I8, -1, 3)), 8, 2);
	IS_INTS(unary(x, OP_count_leading_zeros, IVEC_OF(DT_U16, 0, 1, 0x8000)), 16, 15, 0);
	IS_INTS(binary(x, OP_max, IVEC_OF(DT_U64, -1), IVEC_OF(DT_U64, 1)), -1); /* 2^64 - 1 */
	IS_INTS(binary(x, OP_lt, IVEC_OF(DT_U64, 1), IVEC_OF(DT_U64, -1)), 1);
	binary_fails(x, OP_div, IVEC_OF(DT_I32, 1), IVEC_OF(DT_I32, 0));
	binary_fails(x, OP_mod, IVEC_OF(DT_U8, 1), IVEC_OF(DT_U8, 0));
}

static void test_shifts(void **state)
{
	Fix *x = *state;
	IS_INTS(binary(x, OP_shift_left, IVEC_OF(DT_U8, 1, 1, 255), IVEC_OF(DT_U8, 7, 8, 4)), 128, 0, 240);
	IS_INTS(binary(x, OP_shift_right, IVEC_OF(DT_U8, 255, 255), IVEC_OF(DT_U8, 4, 200)), 15, 0);
	IS_INTS(binary(x, OP_shift_right, IVEC_OF(DT_I8, -128, -1), IVEC_OF(DT_I8, 7, 100)), -1, -1);
	IS_INTS(binary(x, OP_shift_right_logical, IVEC_OF(DT_I8, -128, -128), IVEC_OF(DT_I8, 7, 8)), 1, 0);
	IS_INTS(binary(x, OP_shift_right, IVEC_OF(DT_U64, -1), IVEC_OF(DT_U64, 63)), 1);
}

static void test_broadcast(void **state)
{
	Fix *x = *state;
	Tensor *col = floats(x, DT_F32, 2, DIMS(2, 1), VALUES(10, 20)), *row = VEC_OF(1, 2, 3);
	Tensor *y = binary(x, OP_add, col, row);
	shape_is(y, 2, DIMS(2, 3));
	IS_FLOATS(y, 11, 12, 13, 21, 22, 23);
	Tensor *scalar = floats(x, DT_F32, 0, NULL, VALUES(2));
	IS_FLOATS(binary(x, OP_mul, row, scalar), 2, 4, 6);
	shape_is(binary(x, OP_mul, scalar, scalar), 0, NULL);
	Tensor *mid = floats(x, DT_F32, 3, DIMS(1, 2, 1), VALUES(1, -1));
	y = binary(x, OP_mul, mid, floats(x, DT_F32, 3, DIMS(2, 1, 2), VALUES(1, 2, 3, 4)));
	shape_is(y, 3, DIMS(2, 2, 2));
	IS_FLOATS(y, 1, 2, -1, -2, 3, 4, -3, -4);
	Tensor *none = tensor_new(&x->e, DT_F32, 2, DIMS(0, 3));
	shape_is(binary(x, OP_add, none, row), 2, DIMS(0, 3));
	shape_is(binary(x, OP_add, none, floats(x, DT_F32, 2, DIMS(1, 1), VALUES(1))), 2, DIMS(0, 3));
	binary_fails(x, OP_add, none, floats(x, DT_F32, 2, DIMS(2, 3), VALUES(1, 2, 3, 4, 5, 6)));
	binary_fails(x, OP_add, row, VEC_OF(1, 2));
	binary_fails(x, OP_add, row, IVEC_OF(DT_I32, 1, 2, 3));
	binary_fails(x, OP_prelu, VEC_OF(1), row);
}

/* The result of a large broadcast against a plain loop: the blocks and threads must not show. */
static void test_large_broadcast(void **state)
{
	Fix *x = *state;
	enum { A = 7, B = 13, C = 1031 };
	Tensor *a = tensor_new(&x->e, DT_F32, 3, DIMS(A, 1, C)), *b = tensor_new(&x->e, DT_F32, 2, DIMS(B, 1));
	for (int64_t i = 0; i < a->count; i++)
		tensor_set_f64(a, i, (double)i);
	for (int64_t i = 0; i < b->count; i++)
		tensor_set_f64(b, i, (double)(i * 100000));
	x->e.threads = 3;
	Tensor *y = binary(x, OP_sub, a, b);
	for (int64_t i = 0; i < A; i++)
		for (int64_t j = 0; j < B; j++)
			for (int64_t k = 0; k < C; k++)
				assert_true(tensor_get_f64(y, (i * B + j) * C + k) == (double)(i * C + k - j * 100000));
}

static const DType numeric[] = {DT_I2, DT_I4, DT_I8, DT_I16, DT_I32, DT_I64, DT_U2, DT_U4, DT_U8, DT_U16, DT_U32, DT_U64,
	DT_F16, DT_BF16, DT_F32, DT_F64, DT_F8E4M3FN, DT_F8E4M3FNUZ, DT_F8E5M2, DT_F8E5M2FNUZ, DT_F4E2M1, DT_F6E2M3,
	DT_F6E3M2, DT_C64, DT_C128};

static void test_add_every_type(void **state)
{
	Fix *x = *state;
	for (size_t i = 0; i < ARRAY_LEN(numeric); i++) {
		Tensor *one = floats(x, numeric[i], 1, DIMS(2), VALUES(1, 0));
		Tensor *y = binary(x, OP_add, one, floats(x, numeric[i], 1, DIMS(2), VALUES(0, 1)));
		assert_int_equal(y->dtype, numeric[i]);
		IS_FLOATS(y, 1, 1);
	}
}

static void test_narrow_floats_round_once(void **state)
{
	Fix *x = *state;
	Tensor *a = floats(x, DT_F16, 1, DIMS(2), VALUES(2048, 60000)), *b = floats(x, DT_F16, 1, DIMS(2), VALUES(1, 60000));
	IS_FLOATS(binary(x, OP_add, a, b), 2048, INFINITY); /* a tie to even, an overflow */
	IS_FLOATS(unary(x, OP_exp, floats(x, DT_BF16, 0, NULL, VALUES(1))), 2.71875);
}

static void test_select_clamp_nary(void **state)
{
	Fix *x = *state;
	Tensor *in[] = {IVEC_OF(DT_BOOL, 1, 0), floats(x, DT_F32, 0, NULL, VALUES(-0.0)),
		floats(x, DT_F32, 2, DIMS(2, 1), VALUES(5, 6))};
	Tensor *y = run1(x, loose_op(x, OP_select, in, 3, 1), in);
	shape_is(y, 2, DIMS(2, 2));
	IS_FLOATS(y, -0.0, 5, -0.0, 6);
	Tensor *cl[] = {VEC_OF(-5, NAN, 5), floats(x, DT_F32, 0, NULL, VALUES(3)), floats(x, DT_F32, 0, NULL, VALUES(1))};
	IS_FLOATS(run1(x, loose_op(x, OP_clamp, cl, 3, 1), cl), 1, NAN, 1);
	cl[1] = NULL;
	IS_FLOATS(run1(x, loose_op(x, OP_clamp, cl, 3, 1), cl), -5, NAN, 1);
	Tensor *ns[] = {VEC_OF(1, 8), VEC_OF(5), VEC_OF(NAN, 2)};
	IS_FLOATS(run1(x, loose_op(x, OP_max_n, ns, 3, 1), ns), NAN, 8);
	IS_FLOATS(run1(x, loose_op(x, OP_mean_n, ns, 2, 1), ns), 3, 6.5);
}

/* ---- cast ---- */

static Tensor *cast(Fix *x, Tensor *a, DType to)
{
	Op *op = loose_op(x, OP_cast, &a, 1, 1);
	op_set_attr(op, x->c->attr_names[A_to], attr_dtype(x->c, to));
	return run1(x, op, &a);
}

static void test_cast_pairs(void **state)
{
	Fix *x = *state;
	for (size_t i = 0; i < ARRAY_LEN(numeric); i++) {
		for (size_t k = 0; k < ARRAY_LEN(numeric); k++) {
			Tensor *y = cast(x, floats(x, numeric[i], 1, DIMS(2), VALUES(1, 0)), numeric[k]);
			assert_int_equal(y->dtype, numeric[k]);
			IS_FLOATS(y, 1, 0);
		}
		IS_INTS(cast(x, floats(x, numeric[i], 1, DIMS(2), VALUES(1, 0)), DT_BOOL), 1, 0);
		IS_FLOATS(cast(x, IVEC_OF(DT_BOOL, 1, 0), numeric[i]), 1, 0);
	}
}

static void test_cast_limits(void **state)
{
	Fix *x = *state;
	Tensor *a = VEC_OF(NAN, INFINITY, -INFINITY, 300.7, -300.7, -0.9);
	IS_INTS(cast(x, a, DT_U8), 0, 255, 0, 255, 0, 0);
	IS_INTS(cast(x, a, DT_I8), 0, 127, -128, 127, -128, 0);
	IS_INTS(cast(x, a, DT_I64), 0, INT64_MAX, INT64_MIN, 300, -300, 0);
	IS_INTS(cast(x, VEC_OF(0x1p63, 0x1p64, -1), DT_U64), INT64_MIN, -1, 0);
	IS_INTS(cast(x, a, DT_BOOL), 1, 1, 1, 1, 1, 1);
	IS_INTS(cast(x, IVEC_OF(DT_I64, 300, -1), DT_U8), 44, 255);
	IS_FLOATS(cast(x, IVEC_OF(DT_U64, -1), DT_F32), 0x1p64);
	IS_FLOATS(cast(x, IVEC_OF(DT_I64, (1 << 24) + 1), DT_F32), 1 << 24);
	IS_FLOATS(cast(x, VEC_OF(1e9, -1e9, NAN), DT_F8E4M3FN), 448, -448, NAN);
	Tensor *big = VEC_OF(1e9, 1);
	Op *op = loose_op(x, OP_cast, &big, 1, 1);
	op_set_attr(op, x->c->attr_names[A_to], attr_dtype(x->c, DT_F8E5M2));
	set_int(x, op, A_saturate, 0);
	IS_FLOATS(run1(x, op, &big), INFINITY, 1);
}

static void test_cast_text(void **state)
{
	Fix *x = *state;
	Tensor *s = tensor_new(&x->e, DT_STR, 1, DIMS(4));
	const char *text[] = {"3.5", "-7", "inf", "NaN"};
	for (int i = 0; i < 4; i++)
		((const Str **)s->data)[i] = str(x->c, text[i]);
	IS_FLOATS(cast(x, s, DT_F32), 3.5, -7, INFINITY, NAN);
	IS_INTS(cast(x, s, DT_I8), 3, -7, 127, 0);
	Tensor *back = cast(x, VEC_OF(0.1, NAN, -INFINITY), DT_STR);
	assert_string_equal(((const Str **)back->data)[0]->s, "0.1");
	assert_string_equal(((const Str **)back->data)[1]->s, "NaN");
	assert_string_equal(((const Str **)back->data)[2]->s, "-INF");
	((const Str **)s->data)[1] = str(x->c, "seven");
	Op *op = loose_op(x, OP_cast, &s, 1, 1);
	set_text(x, op, A_to, "f32");
	fails(x, op, &s, HONE_BAD_INPUT);
	Tensor *in[] = {s, s};
	fails(x, loose_op(x, OP_add, in, 2, 1), in, HONE_BAD_INPUT); /* no arithmetic on text */
}

static void test_bitcast(void **state)
{
	Fix *x = *state;
	Tensor *a = VEC_OF(1, -0.0);
	Op *op = loose_op(x, OP_bitcast, &a, 1, 1);
	set_text(x, op, A_to, "i32");
	IS_INTS(run1(x, op, &a), 0x3F800000, INT32_MIN);
	set_text(x, op, A_to, "ui8");
	Tensor *y = run1(x, op, &a);
	shape_is(y, 2, DIMS(2, 4));
	IS_INTS(y, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x80);
}

/* ---- reductions ---- */

static Tensor *reduce(Fix *x, const char *kind, Tensor *a, const int64_t *axes, size_t n, bool keepdims)
{
	Op *op = loose_op(x, OP_reduce, &a, 1, 1);
	set_text(x, op, A_kind, kind);
	set_int(x, op, A_keepdims, keepdims);
	if (axes)
		op_set_attr(op, x->c->attr_names[A_axes], attr_ints(x->c, axes, n));
	return run1(x, op, &a);
}

static void test_reduce(void **state)
{
	Fix *x = *state;
	Tensor *a = floats(x, DT_F32, 3, DIMS(2, 2, 2), VALUES(1, 2, 3, 4, 5, 6, 7, 8));
	Tensor *y = reduce(x, "sum", a, DIMS(-1), 1, false);
	shape_is(y, 2, DIMS(2, 2));
	IS_FLOATS(y, 3, 7, 11, 15);
	y = reduce(x, "sum", a, DIMS(0, 2), 2, true);
	shape_is(y, 3, DIMS(1, 2, 1));
	IS_FLOATS(y, 14, 22);
	IS_FLOATS(reduce(x, "max", a, DIMS(1), 1, false), 3, 4, 7, 8);
	IS_FLOATS(reduce(x, "mean", a, DIMS(0), 1, false), 3, 4, 5, 6);
	IS_FLOATS(reduce(x, "log_sum_exp", VEC_OF(1000, 1000), NULL, 0, false), 1000 + M_LN2);
	IS_FLOATS(reduce(x, "log_sum_exp", VEC_OF(-INFINITY, -INFINITY), NULL, 0, false), -INFINITY);
	IS_FLOATS(reduce(x, "l2", VEC_OF(3, 4), NULL, 0, false), 5);
	IS_FLOATS(reduce(x, "max", VEC_OF(1, NAN, 2), NULL, 0, false), NAN);
	IS_FLOATS(reduce(x, "sum", a, DIMS(0), 0, false), 1, 2, 3, 4, 5, 6, 7, 8);
	shape_is(reduce(x, "prod", a, NULL, 0, false), 0, NULL);
	IS_INTS(reduce(x, "sum", IVEC_OF(DT_I8, 100, 100), NULL, 0, false), -56);
	IS_INTS(reduce(x, "and", IVEC_OF(DT_BOOL, 1, 0), NULL, 0, false), 0);
	Op *op = loose_op(x, OP_reduce, &a, 1, 1);
	set_text(x, op, A_kind, "sum");
	op_set_attr(op, x->c->attr_names[A_axes], attr_ints(x->c, DIMS(1, -2), 2));
	fails(x, op, &a, HONE_BAD_INPUT);
}

static void test_reduce_nothing(void **state)
{
	Fix *x = *state;
	Tensor *none = tensor_new(&x->e, DT_F32, 2, DIMS(2, 0));
	IS_FLOATS(reduce(x, "sum", none, DIMS(1), 1, false), 0, 0);
	IS_FLOATS(reduce(x, "prod", none, DIMS(1), 1, false), 1, 1);
	IS_FLOATS(reduce(x, "max", none, DIMS(1), 1, false), -INFINITY, -INFINITY);
	IS_FLOATS(reduce(x, "mean", none, DIMS(1), 1, false), NAN, NAN);
	shape_is(reduce(x, "sum", none, DIMS(0), 1, false), 1, DIMS(0));
	IS_INTS(reduce(x, "max", tensor_new(&x->e, DT_I8, 1, DIMS(0)), NULL, 0, false), -128);
	IS_INTS(reduce(x, "min", tensor_new(&x->e, DT_U8, 1, DIMS(0)), NULL, 0, false), 255);
}

static void test_order(void **state)
{
	Fix *x = *state;
	Tensor *a = floats(x, DT_F32, 2, DIMS(2, 3), VALUES(1, 3, 3, 5, NAN, 6));
	Op *op = loose_op(x, OP_argmax, &a, 1, 1);
	set_int(x, op, A_axis, 1);
	set_int(x, op, A_keepdims, 0);
	IS_INTS(run1(x, op, &a), 1, 1);
	set_int(x, op, A_select_last_index, 1);
	IS_INTS(run1(x, op, &a), 2, 1);
	set_int(x, op, A_axis, 0);
	IS_INTS(run1(x, op, &a), 1, 1, 1);
	Tensor *in[] = {VEC_OF(1, 9, -0.0, 9, 4), tensor_scalar_i64(&x->e, 3)}, *out[2];
	Op *top = loose_op(x, OP_topk, in, 2, 2);
	assert_true(eval_op(&x->e, top, in, out));
	IS_FLOATS(out[0], 9, 9, 4);
	IS_INTS(out[1], 1, 3, 4);
	set_int(x, top, A_largest, 0);
	assert_true(eval_op(&x->e, top, in, out));
	IS_INTS(out[1], 2, 0, 4);
	in[1] = tensor_scalar_i64(&x->e, 6);
	fails(x, top, in, HONE_BAD_INPUT);
	Tensor *cum[] = {VEC_OF(1, 2, 3), tensor_scalar_i64(&x->e, 0)};
	Op *sum = loose_op(x, OP_cumsum, cum, 2, 1);
	IS_FLOATS(run1(x, sum, cum), 1, 3, 6);
	set_int(x, sum, A_exclusive, 1);
	set_int(x, sum, A_reverse, 1);
	IS_FLOATS(run1(x, sum, cum), 5, 3, 0);
}

/* ---- normalisation, quantisation ---- */

static void test_norms(void **state)
{
	Fix *x = *state;
	Tensor *a = floats(x, DT_F32, 2, DIMS(2, 2), VALUES(1000, 1001, -INFINITY, 0));
	IS_FLOATS(unary(x, OP_softmax, a), 0.26894142, 0.73105858, 0, 1);
	IS_FLOATS(unary(x, OP_log_softmax, a), -1.31326169, -0.31326169, -INFINITY, 0);
	IS_FLOATS(unary(x, OP_hardmax, a), 0, 1, 0, 1);
	Tensor *two = VEC_OF(2, 3), *bn[] = {floats(x, DT_F32, 3, DIMS(1, 2, 2), VALUES(1, 2, 3, 4)), two, VEC_OF(1, 0),
		VEC_OF(1, 3), VEC_OF(4, 1)};
	Op *op = loose_op(x, OP_batch_norm, bn, 5, 1);
	op_set_attr(op, x->c->attr_names[A_epsilon], attr_float(x->c, 0));
	IS_FLOATS(run1(x, op, bn), 1, 2, 0, 3);
	bn[1] = VEC_OF(2, 3, 4);
	fails(x, op, bn, HONE_BAD_INPUT);
	Tensor *ln[] = {floats(x, DT_F32, 2, DIMS(2, 2), VALUES(1, 3, 10, 14)), VEC_OF(1, 2), VEC_OF(0, 1)}, *out[3];
	op = loose_op(x, OP_layer_norm, ln, 3, 3);
	op_set_attr(op, x->c->attr_names[A_epsilon], attr_float(x->c, 0));
	assert_true(eval_op(&x->e, op, ln, out));
	IS_FLOATS(out[0], -1, 3, -1, 3);
	shape_is(out[1], 2, DIMS(2, 1));
	IS_FLOATS(out[1], 2, 12);
	IS_FLOATS(out[2], 1, 0.5);
}

static void test_quantize(void **state)
{
	Fix *x = *state;
	Tensor *in[] = {VEC_OF(-1000, 1, 1.5, 2.5, 1000), floats(x, DT_F32, 0, NULL, VALUES(1)),
		ints(x, DT_U8, 0, NULL, INTS(3))};
	IS_INTS(run1(x, loose_op(x, OP_quantize, in, 3, 1), in), 0, 4, 5, 5, 255);
	Tensor *back[] = {ints(x, DT_I8, 2, DIMS(2, 3), INTS(1, 2, 3, 4, 5, 6)),
		floats(x, DT_F32, 2, DIMS(2, 2), VALUES(1, 10, 2, 20)),
		ints(x, DT_I8, 2, DIMS(2, 2), INTS(0, 1, 0, 1))};
	Op *op = loose_op(x, OP_dequantize, back, 3, 1);
	set_int(x, op, A_axis, 1);
	set_int(x, op, A_block_size, 2); /* blocks that do not divide the axis */
	IS_FLOATS(run1(x, op, back), 1, 2, 20, 8, 10, 100);
	set_int(x, op, A_block_size, 0);
	fails(x, op, back, HONE_BAD_INPUT);
}

/* ---- control flow ---- */

static Block *sub_block(Fix *x, Op *op, size_t i, size_t nargs)
{
	Block *b = block_new(x->f, op);
	for (size_t k = 0; k < nargs; k++)
		block_add_arg(b, type_unknown(x->c), NULL);
	op_set_block(op, i, b);
	return b;
}

static Value *constant_scalar(Block *b, DType d, int64_t v)
{
	return constant_from_ints(b, NULL, d, 0, NULL, &v);
}

/* loop(trips, true, s) { yield cond, s + i, i }: the sum of 0 .. trips - 1 and the counters. */
static Op *counting_loop(Fix *x, Tensor *const *in)
{
	Value *v[3];
	for (int i = 0; i < 3; i++)
		v[i] = in[i] ? block_add_arg(x->f->body, type_unknown(x->c), NULL) : NULL;
	Op *op = make_op(x, x->f->body, OP_loop, v, 3, 2, 1);
	Block *b = sub_block(x, op, 0, 3);
	value_set_type(b->args[0], type_tensor(x->c, DT_I64, 0, NULL));
	Op *add = make_op(x, b, OP_add, (Value *[]){b->args[2], b->args[0]}, 2, 1, 0);
	make_op(x, b, OP_yield, (Value *[]){b->args[1], add->results[0], b->args[0]}, 3, 0, 0);
	return op;
}

static void test_loop(void **state)
{
	Fix *x = *state;
	Tensor *in[] = {tensor_scalar_i64(&x->e, 4), NULL, tensor_scalar_i64(&x->e, 100)}, *out[2];
	Op *op = counting_loop(x, in);
	assert_true(eval_op(&x->e, op, in, out));
	IS_INTS(out[0], 106);
	shape_is(out[1], 1, DIMS(4));
	IS_INTS(out[1], 0, 1, 2, 3);
	in[0] = tensor_scalar_i64(&x->e, 0);
	assert_true(eval_op(&x->e, op, in, out));
	IS_INTS(out[0], 100);
	shape_is(out[1], 1, DIMS(0));
	assert_int_equal(out[1]->dtype, DT_I64);
	in[0] = NULL; /* endless */
	x->e.max_steps = x->e.steps + 1000;
	fails(x, op, in, HONE_LIMIT);
}

static void test_if_captures(void **state)
{
	Fix *x = *state;
	Value *outer = block_add_arg(x->f->body, type_unknown(x->c), NULL);
	Value *cond = block_add_arg(x->f->body, type_unknown(x->c), NULL);
	Op *twice = make_op(x, x->f->body, OP_add, (Value *[]){outer, outer}, 2, 1, 0);
	Op *op = make_op(x, x->f->body, OP_if, &cond, 1, 1, 2);
	Block *yes = sub_block(x, op, 0, 0), *no = sub_block(x, op, 1, 0);
	Op *sum = make_op(x, yes, OP_add, (Value *[]){twice->results[0], outer}, 2, 1, 0);
	make_op(x, yes, OP_yield, &sum->results[0], 1, 0, 0);
	make_op(x, no, OP_yield, &outer, 1, 0, 0);
	make_op(x, x->f->body, OP_return, &op->results[0], 1, 0, 0);
	Tensor *in[] = {VEC_OF(1, 2), ints(x, DT_BOOL, 0, NULL, INTS(1))}, *out[1];
	assert_true(eval_func(&x->e, x->f, in, 2, out, 1));
	IS_FLOATS(out[0], 3, 6);
	in[1] = ints(x, DT_BOOL, 0, NULL, INTS(0));
	assert_true(eval_func(&x->e, x->f, in, 2, out, 1));
	IS_FLOATS(out[0], 1, 2);
	x->c->diags.status = HONE_OK;
	assert_false(eval_func(&x->e, x->f, in, 1, out, 1)); /* an input is missing */
	assert_int_equal(x->c->diags.status, HONE_BAD_INPUT);
}

static void test_scan(void **state)
{
	Fix *x = *state;
	Tensor *in[] = {floats(x, DT_F32, 0, NULL, VALUES(0)), floats(x, DT_F32, 1, DIMS(3), VALUES(1, 2, 3))}, *out[2];
	Value *v[2];
	for (int i = 0; i < 2; i++)
		v[i] = block_add_arg(x->f->body, type_unknown(x->c), NULL);
	Op *op = make_op(x, x->f->body, OP_scan, v, 2, 2, 1);
	set_int(x, op, A_num_scan_inputs, 1);
	op_set_attr(op, x->c->attr_names[A_scan_input_directions], attr_ints(x->c, INTS(1), 1));
	Block *b = sub_block(x, op, 0, 2);
	Op *add = make_op(x, b, OP_add, (Value *[]){b->args[0], b->args[1]}, 2, 1, 0);
	make_op(x, b, OP_yield, (Value *[]){add->results[0], add->results[0]}, 2, 0, 0);
	assert_true(eval_op(&x->e, op, in, out));
	IS_FLOATS(out[0], 6);
	IS_FLOATS(out[1], 3, 5, 6);
}

/* ---- the interpreter ---- */

static void test_frees_dead_values(void **state)
{
	Fix *x = *state;
	enum { N = 1000, STEPS = 20 };
	Value *v = block_add_arg(x->f->body, type_unknown(x->c), NULL);
	for (int i = 0; i < STEPS; i++)
		v = make_op(x, x->f->body, OP_add, (Value *[]){v, v}, 2, 1, 0)->results[0];
	make_op(x, x->f->body, OP_return, &v, 1, 0, 0);
	Tensor *in = tensor_new(&x->e, DT_F32, 1, DIMS(N)), *out;
	assert_true(eval_func(&x->e, x->f, &in, 1, &out, 1));
	assert_true(x->e.peak_bytes <= 4 * N * (int64_t)sizeof(float)); /* input, operand, result, and some slack */
	assert_int_equal(x->e.live_bytes, 2 * N * (int64_t)sizeof(float));
}

static void test_memory_limit(void **state)
{
	Fix *x = *state;
	x->e.max_bytes = 1000;
	assert_null(tensor_new(&x->e, DT_F32, 1, DIMS(1000)));
	assert_int_equal(x->c->diags.status, HONE_LIMIT);
	assert_null(tensor_new(&x->e, DT_F32, 2, DIMS(INT64_MAX, INT64_MAX)));
	assert_null(tensor_new(&x->e, DT_F32, 1, DIMS(-1)));
	assert_non_null(tensor_new(&x->e, DT_F32, 1, DIMS(250)));
}

static void test_oracle(void **state)
{
	Fix *x = *state;
	x->e.oracle = true;
	Tensor *third = binary(x, OP_div, VEC_OF(1), VEC_OF(3));
	assert_int_equal(third->dtype, DT_F32);
	assert_int_equal(third->store, DT_F64);
	assert_true(tensor_get_f64(third, 0) == 1.0 / 3.0); /* not rounded to f32 */
	assert_true(tensor_get_f64(cast(x, cast(x, third, DT_F64), DT_F32), 0) == 1.0 / 3.0);
	assert_true(tensor_get_f64(cast(x, third, DT_BF16), 0) == 0.333984375);
	const Attr *a = tensor_to_attr(x->c, third);
	assert_true(*(const float *)a->u.tensor.blob->data == 1.0f / 3.0f); /* constants are in the logical type */
	Tensor *half = floats(x, DT_F16, 1, DIMS(1), VALUES(2048));
	IS_FLOATS(binary(x, OP_add, half, floats(x, DT_F16, 1, DIMS(1), VALUES(1))), 2049);
}

static void test_constants(void **state)
{
	Fix *x = *state;
	const int64_t four[] = {1, 2, 3, 4}, same[] = {7, 7, 7};
	Value *a = constant_from_ints(x->f->body, NULL, DT_I4, 1, DIMS(4), four);
	Value *b = constant_scalar(x->f->body, DT_I4, 2);
	Op *op = make_op(x, x->f->body, OP_add, (Value *[]){a, b}, 2, 1, 0);
	Op *neg = make_op(x, x->f->body, OP_neg, &op->results[0], 1, 1, 0);
	Tensor *t = eval_constant_value(&x->e, neg->results[0]); /* through packed constants and a chain of ops */
	IS_INTS(t, -3, -4, -5, -6);
	const Attr *attr = tensor_to_attr(x->c, t);
	assert_int_equal(attr->u.tensor.blob->len, 2);
	IS_INTS(tensor_from_attr(&x->e, attr), -3, -4, -5, -6);
	attr = tensor_to_attr(x->c, ints(x, DT_I64, 1, DIMS(3), same));
	assert_true(attr->u.tensor.blob->splat);
	IS_INTS(tensor_from_attr(&x->e, attr), 7, 7, 7);
	Value *arg = block_add_arg(x->f->body, type_unknown(x->c), NULL);
	assert_null(eval_constant_value(&x->e, make_op(x, x->f->body, OP_neg, &arg, 1, 1, 0)->results[0]));
}

static void test_wrong_operands(void **state)
{
	Fix *x = *state;
	Tensor *seq = tensor_sequence(&x->e, TYPE_SEQUENCE, NULL, 0), *in[] = {seq, seq};
	fails(x, loose_op(x, OP_add, in, 2, 1), in, HONE_BAD_INPUT);
	in[1] = NULL;
	in[0] = VEC_OF(1);
	fails(x, loose_op(x, OP_add, in, 2, 1), in, HONE_BAD_INPUT);
	Tensor *index[] = {seq, tensor_scalar_i64(&x->e, 0)};
	fails(x, loose_op(x, OP_seq_at, index, 2, 1), index, HONE_BAD_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(test_special_floats), TEST(test_activations), TEST(test_integers_wrap), TEST(test_shifts),
		TEST(test_broadcast), TEST(test_large_broadcast), TEST(test_add_every_type),
		TEST(test_narrow_floats_round_once), TEST(test_select_clamp_nary), TEST(test_cast_pairs),
		TEST(test_cast_limits), TEST(test_cast_text), TEST(test_bitcast), TEST(test_reduce), TEST(test_reduce_nothing),
		TEST(test_order), TEST(test_norms), TEST(test_quantize), TEST(test_loop), TEST(test_if_captures),
		TEST(test_scan), TEST(test_frees_dead_values), TEST(test_memory_limit), TEST(test_oracle), TEST(test_constants),
		TEST(test_wrong_operands)
#undef TEST
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

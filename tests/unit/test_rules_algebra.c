/* Rules of plain algebra and clamps. Exact ones are compared bit for bit (NaN equals NaN) on zeros of both signs,
 * infinities, NaN and numbers at the ends of the range. */
#include "build.h"

#include <math.h>
#include <string.h>

static const double SPECIAL[] = {
	0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 6.0, 7.5, 1e-40, -1e-40, 3e38, -3e38, INFINITY, -INFINITY, NAN, 3.0};
enum { N_SPECIAL = sizeof SPECIAL / sizeof *SPECIAL };

static Tensor *special(EvalCtx *e, DType d, const Type *t, size_t shift)
{
	int64_t dims[MAX_RANK];
	assert_true(type_static_dims(t, dims));
	Tensor *x = tensor_new(e, d, t->rank, dims);
	for (int64_t i = 0; i < x->count; i++) {
		double v = SPECIAL[((size_t)i + shift * (size_t)i / N_SPECIAL + shift) % N_SPECIAL];
		if (dtype_is_float(d))
			tensor_set_f64(x, i, v);
		else if (d == DT_BOOL)
			tensor_set_i64(x, i, (i >> shift) & 1);
		else
			tensor_set_i64(x, i, i % 3 == 0 ? dtype_int_min(d) : i % 3 == 1 ? (int64_t)dtype_int_max(d) : i - 8);
	}
	return x;
}

static void same_bits(const Tensor *a, const Tensor *b)
{
	assert_true(a->dtype == b->dtype && tensor_same_shape(a, b));
	size_t size = tensor_elem_size(a);
	for (int64_t i = 0; i < a->count; i++) {
		bool nan = dtype_is_float(a->dtype) && isnan(tensor_get_f64(a, i)) && isnan(tensor_get_f64(b, i));
		if (!nan && memcmp((char *)a->data + i * (int64_t)size, (char *)b->data + i * (int64_t)size, size))
			fail_msg("element %lld: %g and %g", (long long)i, tensor_get_f64(a, i), tensor_get_f64(b, i));
	}
}

/* Only exact rules run; the first result before and after has the same bits. */
static void expect_exact(Build *b, Value *y, const char *kinds)
{
	b->level = 1;
	b->oracle_tolerance = 1e-6;
	b_output(b, y);
	b_expect(b, kinds);
	EvalCtx e;
	Tensor *in[16], *got[16] = { 0 }, *want[16] = { 0 };
	eval_init(&e, b->ctx, &b->ctx->diags);
	const Block *body = b->before->main->body;
	for (uint32_t i = 0; i < body->nargs; i++)
		in[i] = special(&e, body->args[i]->type->dtype, body->args[i]->type, i);
	assert_true(eval_func(&e, b->before->main, in, body->nargs, want, 1));
	assert_true(eval_func(&e, b->func, in, body->nargs, got, 1));
	same_bits(got[0], want[0]);
	eval_release(&e);
	build_free(b);
}

static void expect(Build *b, Value *y, const char *kinds)
{
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

static Build *b;
static Value *x, *y;

/* A fresh function of two inputs of a type. */
static void fresh(DType d)
{
	b = build_new(17);
	x = b_input(b, d, "4,16");
	y = b_input(b, d, "4,16");
}

static Value *num(double v)
{
	return b_fill(b, x->type->dtype, "", v);
}

static void units(void **state)
{
	(void)state;
	static const struct { OpKind k; double c; bool left; } rows[] = {
		{ OP_add, -0.0, true }, { OP_sub, 0.0, false }, { OP_mul, 1, true }, { OP_div, 1, false }, { OP_pow, 1, false },
		{ OP_min, INFINITY, true }, { OP_max, -INFINITY, true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int left = 0; left <= rows[i].left; left++) {
			fresh(DT_F32);
			Value *c = num(rows[i].c);
			expect_exact(
				b, B_OP(b, OP_tanh, "", left ? B_OP(b, rows[i].k, "", c, x) : B_OP(b, rows[i].k, "", x, c)), "tanh");
		}
	fresh(DT_I32);
	expect_exact(b, B_OP(b, OP_neg, "", B_OP(b, OP_add, "", num(0), x)), "neg");
	fresh(DT_I32);
	expect_exact(b, B_OP(b, OP_neg, "", B_OP(b, OP_max, "", x, num(-2147483648.0))), "neg");
	fresh(DT_U8);
	expect_exact(b, B_OP(b, OP_bit_not, "", B_OP(b, OP_bit_and, "", x, num(255))), "bit_not");
	fresh(DT_BOOL);
	expect_exact(b, B_OP(b, OP_not, "", B_OP(b, OP_and, "", x, num(1))), "not");
	fresh(DT_BOOL);
	expect_exact(b, B_OP(b, OP_not, "", B_OP(b, OP_xor, "", num(0), x)), "not");
}

static void not_units(void **state)
{
	(void)state;
	fresh(DT_F32); /* -0 + 0 is 0: not at level 1 */
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_add, "", x, num(0))), "add tanh");
	fresh(DT_F32); /* but at level 2 */
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_add, "", x, num(0))), "tanh");
	fresh(DT_F32);
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_sub, "", num(0), x)), "sub tanh");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_mul, "", x, num(0))), "mul tanh");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_min, "", x, num(3e38))), "min tanh");
	b = build_new(17); /* a unit that broadcasts to a larger result */
	x = b_input(b, DT_F32, "4,1");
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_mul, "", x, b_fill(b, DT_F32, "4,3", 1))), "mul tanh");
	b = build_new(17); /* the other operand may be of size 1 */
	x = b_input(b, DT_F32, "n");
	expect(b, B_OP(b, OP_tanh, "", B_OP(b, OP_mul, "", x, b_fill(b, DT_F32, "2,1", 1))), "mul tanh");
}

static void absorbing(void **state)
{
	(void)state;
	fresh(DT_I64);
	expect_exact(b, B_OP(b, OP_neg, "", B_OP(b, OP_add, "", y, B_OP(b, OP_mul, "", x, num(0)))), "neg");
	fresh(DT_BOOL);
	expect_exact(b, B_OP(b, OP_xor, "", y, B_OP(b, OP_or, "", x, num(1))), "xor");
	fresh(DT_BOOL);
	expect_exact(b, B_OP(b, OP_not, "", B_OP(b, OP_and, "", y, B_OP(b, OP_and, "", x, num(0)))), "");
	fresh(DT_I32);
	expect_exact(b, B_OP(b, OP_neg, "", B_OP(b, OP_sub, "", y, B_OP(b, OP_sub, "", x, x))), "neg");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_sub, "", y, B_OP(b, OP_sub, "", x, x)), "sub sub");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_not, "", B_OP(b, OP_eq, "", x, x)), "eq not");
}

static void pairs(void **state)
{
	(void)state;
	static const OpKind once[] = { OP_relu, OP_abs, OP_floor, OP_ceil, OP_round, OP_sign };
	for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
		fresh(DT_F32);
		Value *v = B_OP(b, once[i], "", B_OP(b, once[i], "", x));
		b_output(b, B_OP(b, OP_tanh, "", v));
		b->level = 1;
		b_optimise(b);
		const char *blank = strchr(b_kinds(b), ' '); /* two ops are left: one of them, and tanh */
		assert_non_null(blank);
		assert_string_equal(blank, " tanh");
		build_free(b);
	}
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_neg, "", B_OP(b, OP_neg, "", x))), "tanh");
	fresh(DT_BOOL);
	expect_exact(b, B_OP(b, OP_xor, "", y, B_OP(b, OP_not, "", B_OP(b, OP_not, "", x))), "xor");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_max, "", x, x)), "tanh");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_min, "", B_OP(b, OP_min, "", x, y), x), "min");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_reciprocal, "", B_OP(b, OP_reciprocal, "", x)), "reciprocal reciprocal");
}

static void joined(void **state)
{
	(void)state;
	fresh(DT_I32);
	expect_exact(b, B_OP(b, OP_add, "", B_OP(b, OP_add, "", num(3), x), num(4)), "add");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_min, "", B_OP(b, OP_min, "", num(3), x), num(1)), "min");
	fresh(DT_F32); /* rounding: not at level 1 */
	expect_exact(b, B_OP(b, OP_mul, "", B_OP(b, OP_mul, "", num(3), x), num(1.5)), "mul mul");
	fresh(DT_F32);
	expect(b, B_OP(b, OP_mul, "", B_OP(b, OP_mul, "", num(3), x), num(1.5)), "mul");
	static const char *const only[] = { "algebra", NULL };
	fresh(DT_F32); /* 1e30 * 1e30 overflows */
	b->only = only;
	expect(b, B_OP(b, OP_mul, "", B_OP(b, OP_mul, "", num(1e30), x), num(1e-30)), "mul mul");
	fresh(DT_I32); /* a larger constant */
	Value *row = b_random(b, DT_I32, "1,16"), *column = b_random(b, DT_I32, "4,1");
	expect_exact(b, B_OP(b, OP_add, "", B_OP(b, OP_add, "", row, x), column), "add add");
}

static void signs(void **state)
{
	(void)state;
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_add, "", x, B_OP(b, OP_neg, "", y)), "sub");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_add, "", B_OP(b, OP_neg, "", x), y), "sub");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_sub, "", x, B_OP(b, OP_neg, "", y)), "add");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_mul, "", B_OP(b, OP_neg, "", x), B_OP(b, OP_neg, "", y)), "mul");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_div, "", B_OP(b, OP_neg, "", x), num(3)), "div");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_neg, "", B_OP(b, OP_mul, "", x, num(3))), "mul");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_neg, "", B_OP(b, OP_sub, "", x, y)), "sub neg");
	fresh(DT_F32);
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_sub, "", x, y)), "sub");
	fresh(DT_F32);
	b->lo = 1, b->hi = 2;
	expect(b, B_OP(b, OP_mul, "", x, B_OP(b, OP_reciprocal, "", y)), "div");
	fresh(DT_F32);
	b->lo = 1, b->hi = 2;
	expect(b, B_OP(b, OP_mul, "", B_OP(b, OP_div, "", num(1), y), x), "div");
	fresh(DT_I32); /* integers have no reciprocal */
	Value *one = B_OP(b, OP_add, "", B_OP(b, OP_mul, "", y, y), num(1));
	expect(b, B_OP(b, OP_mul, "", B_OP(b, OP_div, "", num(1), one), x), "mul add div mul");
}

static void conditions(void **state)
{
	(void)state;
	fresh(DT_F32);
	Value *c = b_input(b, DT_BOOL, "4,16");
	expect_exact(b, B_OP(b, OP_select, "", B_OP(b, OP_not, "", c), x, y), "select");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_select, "", b_fill(b, DT_BOOL, "1", 1), x, y)), "tanh");
	fresh(DT_F32);
	c = b_input(b, DT_BOOL, "4,16");
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_select, "", c, x, x)), "tanh");
	fresh(DT_F32); /* broadcast by the condition */
	c = b_input(b, DT_BOOL, "2,4,16");
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_select, "", c, x, x)), "select tanh");
	fresh(DT_BOOL);
	expect_exact(b, B_OP(b, OP_and, "", y, B_OP(b, OP_select, "", x, num(0), num(1))), "not and");
	fresh(DT_BOOL);
	expect_exact(b, B_OP(b, OP_and, "", y, B_OP(b, OP_eq, "", num(1), x)), "and");
	fresh(DT_I32);
	expect_exact(b, B_OP(b, OP_not, "", B_OP(b, OP_lt, "", x, y)), "ge");
	fresh(DT_F32); /* NaN */
	expect_exact(b, B_OP(b, OP_not, "", B_OP(b, OP_lt, "", x, y)), "lt not");
}

static void many(void **state)
{
	(void)state;
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_add_n, "", x, y), "add");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_add_n, "", B_OP(b, OP_add_n, "", x, y, x), y), "add_n");
	fresh(DT_F32); /* another order of sums */
	expect_exact(b, B_OP(b, OP_add_n, "", x, y, B_OP(b, OP_add_n, "", x, y, x)), "add_n add_n");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_max_n, "", x, y, B_OP(b, OP_max, "", x, num(2))), "max_n");
}

static void clamps(void **state)
{
	(void)state;
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_min, "", B_OP(b, OP_max, "", x, num(-1)), num(6)), "clamp");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_max, "", num(-1), B_OP(b, OP_min, "", num(6), x)), "clamp");
	fresh(DT_F32); /* crossed bounds: max wins, in a clamp min wins */
	expect_exact(b, B_OP(b, OP_max, "", B_OP(b, OP_min, "", x, num(-1)), num(6)), "min max");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_min, "", B_OP(b, OP_relu, "", x), num(6)), "clamp");
	fresh(DT_F32); /* a bound for each column */
	expect_exact(b, B_OP(b, OP_min, "", B_OP(b, OP_max, "", x, b_random(b, DT_F32, "16")), num(6)), "max min");
	fresh(DT_F64);
	expect_exact(b, B_OP(b, OP_clamp, "", B_OP(b, OP_clamp, "", x, num(-1), num(6)), num(0.5), num(9)), "clamp");
	fresh(DT_F32); /* ranges that do not meet */
	expect_exact(b, B_OP(b, OP_clamp, "", B_OP(b, OP_clamp, "", x, num(-1), num(1)), num(3), num(6)), "clamp");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_clamp, "", B_OP(b, OP_clamp, "", x, num(-1)), NULL, num(6)), "clamp");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_relu, "", B_OP(b, OP_clamp, "", x, num(-1), num(6))), "clamp");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_relu, "", B_OP(b, OP_clamp, "", x, num(0), num(6))), "clamp");
	fresh(DT_F64);
	expect_exact(b, B_OP(b, OP_clamp, "", B_OP(b, OP_relu, "", x), num(-3), num(6)), "clamp");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_clamp, "", B_OP(b, OP_relu, "", x), num(-3), num(-1)), "relu clamp");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_max, "", B_OP(b, OP_clamp, "", x, num(-3), num(6)), num(1)), "clamp");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_clamp, "", x, num(-INFINITY), num(INFINITY))), "tanh");
	fresh(DT_F32); /* the largest float is a bound for infinity */
	expect_exact(b, B_OP(b, OP_tanh, "", B_OP(b, OP_clamp, "", x, num(-3.4028234663852886e38))), "clamp tanh");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_relu, "", B_OP(b, OP_sigmoid, "", x)), "sigmoid");
	fresh(DT_F32);
	expect_exact(b, B_OP(b, OP_relu, "", B_OP(b, OP_tanh, "", x)), "tanh relu");
	fresh(DT_F32);
	expect(b, B_OP(b, OP_abs, "", B_OP(b, OP_relu, "", x)), "relu");
	fresh(DT_I32);
	expect_exact(b, B_OP(b, OP_min, "", B_OP(b, OP_max, "", x, num(-1)), num(6)), "clamp");
	b = build_new(11); /* Clip takes no integers yet */
	x = b_input(b, DT_I32, "4,16");
	expect_exact(b, B_OP(b, OP_min, "", B_OP(b, OP_max, "", x, num(-1)), num(6)), "max min");
}

/* An initial state of zeros, of a size that only the run knows. */
static void zero_states(void **state)
{
	(void)state;
	for (int zero = 1; zero >= 0; zero--) {
		b = build_new(17);
		x = b_input(b, DT_F32, "4,n,3");
		int64_t one[1] = { 1 };
		Value *n = B_OP(b, OP_slice, "axes=0", B_OP(b, OP_shape, "", x), B_INTS(b, 1), B_INTS(b, 2));
		Value *shape = B_OP(b, OP_concat, "axis=0", b_ints(b, 1, one), n, B_INTS(b, 5));
		Value *h = B_OP(b, OP_fill, "", shape);
		if (!zero)
			h = B_OP(b, OP_exp, "", h);
		Value *in[6] = { x, b_random(b, DT_F32, "1,20,3"), b_random(b, DT_F32, "1,20,5"), NULL, NULL, h };
		b_output(b, b_op(b, OP_lstm, "hidden_size=5", 6, in));
		b_optimise(b);
		assert_true(b_fired(b, "rnn-zero-state") == zero);
		assert_true((b_find(b, OP_fill) == NULL) == zero);
		build_free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units), cmocka_unit_test(not_units), cmocka_unit_test(absorbing), cmocka_unit_test(pairs),
		cmocka_unit_test(joined), cmocka_unit_test(signs), cmocka_unit_test(conditions), cmocka_unit_test(many),
		cmocka_unit_test(clamps), cmocka_unit_test(zero_states),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

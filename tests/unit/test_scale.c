/* Scale: modules of tens of thousands of ops go through the whole job, proof included. Each case takes well under a second
 * where every pass is near linear and does not recurse along the graph; what is quadratic runs into the time limit of the
 * test, and what recurses into the end of the stack. bench/scale has the measurements. */
#include "driver/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 20000 };

typedef struct Scale {
	Context *c;
	Module *m;
	Arena *arena;
	Block *body;
	VEC(Value *) outputs;
} Scale;

static Scale *scale_new(void)
{
	Context *c = context_new();
	Arena *a = arena_new();
	Scale *s = NEW(a, Scale);
	*s = (Scale){ .c = c, .arena = a, .m = module_new(c) };
	s->m->main = func_new(s->m, str(c, "main"));
	s->body = s->m->main->body;
	return s;
}

static void scale_free(Scale *s)
{
	module_free(s->m);
	context_free(s->c);
	arena_free(s->arena);
}

static Value *input(Scale *s, int rank, const int64_t *dims)
{
	return block_add_arg(s->body, type_tensor_of(s->c, DT_F32, rank, dims), str(s->c, "x"));
}

static Value *vector(Scale *s)
{
	return input(s, 1, (int64_t[]){ 4 });
}

static Value *numbers(Scale *s, double first)
{
	double v[4] = { first, first + 0.25, first + 0.5, first + 0.75 };
	return constant_from_floats(s->body, NULL, DT_F32, 1, (int64_t[]){ 4 }, v);
}

static Value *op(Scale *s, OpKind kind, Value *const *in, size_t n, const NamedAttr *attrs, size_t nattrs)
{
	OpSpec spec = { .def = op_def(s->c, kind), .operands = in, .noperands = n, .nresults = 1, .attrs = attrs,
		.nattrs = nattrs };
	return op_new(s->body, NULL, &spec)->results[0];
}

static Value *unary(Scale *s, OpKind kind, Value *x)
{
	return op(s, kind, &x, 1, NULL, 0);
}

static Value *binary(Scale *s, OpKind kind, Value *x, Value *y)
{
	return op(s, kind, (Value *[]){ x, y }, 2, NULL, 0);
}

static void output(Scale *s, Value *v)
{
	VEC_PUSH(s->arena, &s->outputs, v);
}

/* Runs the job; nothing may be wrong or unproved. Gives the number of ops that are left. */
static int64_t optimised(Scale *s)
{
	OptimiseOptions o;
	OptimiseReport r;
	ModelFigures f;
	OpSpec end = { .def = op_def(s->c, OP_return), .operands = s->outputs.data, .noperands = s->outputs.len };
	op_new(s->body, NULL, &end);
	optimise_options_init(&o);
	o.threads = 1;
	assert_true(optimise(s->m, &o, s->arena, &r));
	assert_true(r.proved);
	assert_int_equal(r.proof.failed, 0);
	assert_int_equal(r.proof.skipped, 0);
	assert_int_equal(r.constants.failed, 0);
	assert_true(module_verify(s->m, &s->c->diags));
	assert_int_equal(block_terminator(s->m->main->body)->noperands, s->outputs.len);
	model_figures(s->m, &f);
	return f.nodes;
}

static void chain(void **state)
{
	Scale *s = scale_new();
	Value *x = vector(s), *k[5];
	(void)state;
	for (int i = 0; i < 5; i++)
		k[i] = numbers(s, i + 1);
	for (int i = 0; i < N; i++)
		x = i % 3 == 1 ? unary(s, OP_relu, x) : binary(s, i % 3 ? OP_mul : OP_add, x, k[i % 5]);
	output(s, x);
	assert_in_range(optimised(s), N / 2, N - N / 5);
	scale_free(s);
}

/* More operands of one op than 16 bits count. */
static void star(void **state)
{
	enum { OUTPUTS = 70000 };
	Scale *s = scale_new();
	Value *x = unary(s, OP_sigmoid, vector(s));
	(void)state;
	for (int i = 0; i < OUTPUTS; i++)
		output(s, binary(s, OP_max, x, numbers(s, i / 64.0)));
	assert_int_equal(optimised(s), OUTPUTS + 1);
	scale_free(s);
}

static void wide_concat(void **state)
{
	Scale *s = scale_new();
	Value *x = vector(s), **parts = NEW_ARRAY(s->arena, Value *, N);
	NamedAttr axis = { s->c->attr_names[A_axis], attr_int(s->c, 0) };
	(void)state;
	for (int i = 0; i < N; i++)
		parts[i] = x = unary(s, i % 2 ? OP_tanh : OP_sigmoid, x);
	output(s, op(s, OP_concat, parts, N, &axis, 1));
	assert_int_equal(optimised(s), N + 1);
	scale_free(s);
}

static void constant_chain(void **state)
{
	Scale *s = scale_new();
	Value *x = vector(s), *v = numbers(s, 1), *k[5];
	(void)state;
	for (int i = 0; i < 5; i++)
		k[i] = numbers(s, i);
	for (int i = 0; i < N; i++)
		v = binary(s, i % 2 ? OP_sub : OP_add, v, k[i % 5]);
	output(s, binary(s, OP_add, x, v));
	assert_int_equal(optimised(s), 1);
	scale_free(s);
}

/* Constant expressions that would make the model larger stay as they are: each of them is asked. */
static void constant_chain_that_stays(void **state)
{
	Scale *s = scale_new();
	Value *x = input(s, 1, (int64_t[]){ 3000 }), *k[3];
	double step[] = { 0, 3000, 1 };
	(void)state;
	for (int i = 0; i < 3; i++)
		k[i] = constant_from_floats(s->body, NULL, DT_F32, 0, NULL, &step[i]);
	Value *v = op(s, OP_range, k, 3, NULL, 0);
	for (int i = 0; i < N / 4; i++)
		v = binary(s, i % 2 ? OP_max : OP_add, v, k[1 + i / 2 % 2]);
	output(s, binary(s, OP_add, x, v));
	assert_int_equal(optimised(s), N / 4 + 2);
	scale_free(s);
}

/* Each step of the expression has a user of its own. */
static void constant_chain_with_users(void **state)
{
	Scale *s = scale_new();
	Value *x = unary(s, OP_sigmoid, vector(s)), *v = numbers(s, 1), *k[2] = { numbers(s, 1), numbers(s, 2) };
	(void)state;
	for (int i = 0; i < N; i++) {
		v = binary(s, OP_add, v, k[i % 2]);
		output(s, binary(s, OP_max, x, v));
	}
	assert_int_equal(optimised(s), N + 1);
	scale_free(s);
}

static void duplicates(void **state)
{
	enum { LEAVES = 1 << 14 };
	Scale *s = scale_new();
	Value *x = vector(s), **v = NEW_ARRAY(s->arena, Value *, LEAVES);
	(void)state;
	for (int i = 0; i < LEAVES; i++)
		v[i] = unary(s, OP_sigmoid, x);
	for (int n = LEAVES; n > 1; n /= 2)
		for (int i = 0; i < n / 2; i++)
			v[i] = binary(s, OP_pow, v[2 * i], v[2 * i + 1]);
	output(s, v[0]);
	assert_int_equal(optimised(s), 15);
	scale_free(s);
}

/* 2^N paths. */
static void doubling(void **state)
{
	Scale *s = scale_new();
	Value *x = vector(s);
	(void)state;
	for (int i = 0; i < N; i++)
		x = binary(s, i % 2 ? OP_atan2 : OP_pow, x, x);
	output(s, x);
	assert_int_equal(optimised(s), N);
	scale_free(s);
}

/* Every other one of the values is the input again. */
static void values_that_become_one(void **state)
{
	Scale *s = scale_new();
	Value *x = vector(s);
	(void)state;
	for (int i = 0; i < N; i++)
		output(s, x = unary(s, OP_neg, i ? x : unary(s, OP_sigmoid, x)));
	assert_in_range(optimised(s), 2, N + 1);
	scale_free(s);
}

static void transposes(void **state)
{
	Scale *s = scale_new();
	Value *x = input(s, 3, (int64_t[]){ 2, 3, 4 });
	NamedAttr perm = { s->c->attr_names[A_perm], attr_ints(s->c, (int64_t[]){ 1, 2, 0 }, 3) };
	(void)state;
	for (int i = 0; i < N; i++)
		x = i % 2 ? unary(s, i % 4 == 1 ? OP_sigmoid : OP_tanh, x) : op(s, OP_transpose, &x, 1, &perm, 1);
	output(s, x);
	assert_in_range(optimised(s), N / 2, N / 2 + 1);
	scale_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain), cmocka_unit_test(star), cmocka_unit_test(wide_concat),
		cmocka_unit_test(constant_chain), cmocka_unit_test(constant_chain_that_stays),
		cmocka_unit_test(constant_chain_with_users), cmocka_unit_test(duplicates), cmocka_unit_test(doubling),
		cmocka_unit_test(values_that_become_one), cmocka_unit_test(transposes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

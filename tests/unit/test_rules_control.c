/* Rules for if, loop, sequences, optionals, identities and dropout, and what dce trims from them. */
#include "build.h"

#include <string.h>

static void expect(Build *b, Value *y, const char *kinds)
{
	b_output(b, y);
	b_expect(b, kinds);
	build_free(b);
}

static Value *scalar(Build *b, DType d, int64_t v)
{
	return constant_from_ints(b->func->body, NULL, d, 0, NULL, &v);
}

/* An op at the end of any block. */
static Op *add_op(Build *b, Block *at, OpKind k, size_t n, Value *const *in, size_t nresults)
{
	OpSpec s = { .def = op_def(b->ctx, k), .operands = in, .noperands = n, .nresults = nresults };
	return op_new(at, NULL, &s);
}

static Value *add1(Build *b, Block *at, OpKind k, Value *x)
{
	return add_op(b, at, k, 1, &x, 1)->results[0];
}

static Value *add2(Build *b, Block *at, OpKind k, Value *x, Value *y)
{
	return add_op(b, at, k, 2, (Value *[]){ x, y }, 1)->results[0];
}

static void yield(Build *b, Block *at, size_t n, Value *const *v)
{
	add_op(b, at, OP_yield, n, v, 0);
}

static Op *region_op(Build *b, OpKind k, size_t n, Value *const *in, size_t nresults, size_t nblocks)
{
	NamedAttr none[1];
	OpSpec s = { .def = op_def(b->ctx, k), .operands = in, .noperands = n, .nresults = nresults, .nblocks = nblocks,
		.attrs = none, .nattrs = 0 };
	Op *op = op_new(b->func->body, NULL, &s);
	for (size_t i = 0; i < nblocks; i++)
		op_set_block(op, i, block_new(b->func, op));
	return op;
}

static Op *new_if(Build *b, Value *cond, size_t nresults)
{
	return region_op(b, OP_if, 1, &cond, nresults, 2);
}

/* if(cond) {relu x} else {exp x} */
static Value *if_relu_exp(Build *b, Value *cond, Value *x)
{
	Op *op = new_if(b, cond, 1);
	Value *t = add1(b, op->blocks[0], OP_relu, x), *e = add1(b, op->blocks[1], OP_exp, x);
	yield(b, op->blocks[0], 1, &t);
	yield(b, op->blocks[1], 1, &e);
	return op->results[0];
}

static void if_known(void **state)
{
	(void)state;
	Build *b = build_new(13);
	expect(b, if_relu_exp(b, scalar(b, DT_BOOL, 1), b_input(b, DT_F32, "n,3")), "relu");
	b = build_new(13);
	expect(b, if_relu_exp(b, scalar(b, DT_BOOL, 0), b_input(b, DT_F32, "n,3")), "exp");
	/* known by the rank of an operand */
	b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,m");
	Value *rank = B_OP(b, OP_gather, "", B_OP(b, OP_shape, "", B_OP(b, OP_shape, "", x)), scalar(b, DT_I64, 0));
	expect(b, if_relu_exp(b, B_OP(b, OP_eq, "", rank, scalar(b, DT_I64, 2)), x), "relu");
	b = build_new(13);
	x = b_input(b, DT_F32, "n,m");
	expect(b, if_relu_exp(b, b_input(b, DT_BOOL, ""), x), "if");
}

static void if_nested(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3"), *yes = scalar(b, DT_BOOL, 1);
	Op *outer = new_if(b, yes, 1);
	Value *t = add1(b, outer->blocks[0], OP_neg, x);
	OpSpec s = { .def = op_def(b->ctx, OP_if), .operands = &yes, .noperands = 1, .nresults = 1, .nblocks = 2 };
	Op *inner = op_new(outer->blocks[0], NULL, &s);
	for (size_t i = 0; i < 2; i++)
		op_set_block(inner, i, block_new(b->func, inner));
	Value *deep = add1(b, inner->blocks[0], OP_relu, t), *other = add1(b, inner->blocks[1], OP_exp, t);
	yield(b, inner->blocks[0], 1, &deep);
	yield(b, inner->blocks[1], 1, &other);
	yield(b, outer->blocks[0], 1, inner->results);
	Value *e = add1(b, outer->blocks[1], OP_exp, x);
	yield(b, outer->blocks[1], 1, &e);
	expect(b, outer->results[0], "neg relu");
}

static void if_same(void **state)
{
	(void)state;
	Build *b = build_new(13); /* the same computation in both branches */
	Value *x = b_input(b, DT_F32, "n,3");
	Op *op = new_if(b, b_input(b, DT_BOOL, ""), 1);
	for (size_t i = 0; i < 2; i++) {
		Value *v = add1(b, op->blocks[i], OP_relu, add1(b, op->blocks[i], OP_neg, x));
		yield(b, op->blocks[i], 1, &v);
	}
	expect(b, op->results[0], "neg relu");
	b = build_new(13); /* an outer value, and equal constants */
	x = B_OP(b, OP_exp, "", b_input(b, DT_F32, "3"));
	op = new_if(b, b_input(b, DT_BOOL, ""), 2);
	for (size_t i = 0; i < 2; i++) {
		double five = 5;
		Value *v[2] = { add1(b, op->blocks[i], OP_identity, x),
			constant_from_floats(op->blocks[i], NULL, DT_F32, 0, NULL, &five) };
		yield(b, op->blocks[i], 2, v);
	}
	expect(b, B_OP(b, OP_mul, "", op->results[0], op->results[1]), "exp mul");
	b = build_new(13); /* random numbers are not the same */
	op = new_if(b, b_input(b, DT_BOOL, ""), 1);
	for (size_t i = 0; i < 2; i++) {
		Value *shape = constant_from_ints(op->blocks[i], NULL, DT_I64, 1, (int64_t[]){ 1 }, (int64_t[]){ 2 });
		Value *v = add1(b, op->blocks[i], OP_random_uniform, shape);
		yield(b, op->blocks[i], 1, &v);
	}
	b_output(b, op->results[0]);
	b_output(b, B_OP(b, OP_neg, "", b_input(b, DT_F32, "2")));
	b->nout = 2;
	Value *keep = b->out[1];
	(void)keep;
	OpSpec s = { .def = op_def(b->ctx, OP_return), .operands = b->out, .noperands = 2 };
	op_new(b->func->body, NULL, &s);
	RewriteLog log;
	InferCtx infer;
	infer_init(&infer, b->module, b->arena, &b->ctx->diags);
	rewrite_log_init(&log, b->arena);
	rewrite_run(b->module, &infer, &(RewriteOptions){ .level = 2, .limit = -1 }, &log, NULL);
	assert_non_null(b_find(b, OP_if));
	build_free(b);
}

static void if_hoist_sink(void **state)
{
	(void)state;
	Build *b = build_new(13); /* neg x in both */
	Value *x = b_input(b, DT_F32, "n,3");
	Op *op = new_if(b, b_input(b, DT_BOOL, ""), 1);
	Value *t = add1(b, op->blocks[0], OP_relu, add1(b, op->blocks[0], OP_neg, x));
	Value *e = add1(b, op->blocks[1], OP_exp, add1(b, op->blocks[1], OP_neg, x));
	yield(b, op->blocks[0], 1, &t);
	yield(b, op->blocks[1], 1, &e);
	expect(b, op->results[0], "neg if");
	b = build_new(13); /* relu at the end of both */
	x = b_input(b, DT_F32, "n,3");
	op = new_if(b, b_input(b, DT_BOOL, ""), 1);
	t = add1(b, op->blocks[0], OP_relu, add1(b, op->blocks[0], OP_neg, x));
	e = add1(b, op->blocks[1], OP_relu, add1(b, op->blocks[1], OP_exp, x));
	yield(b, op->blocks[0], 1, &t);
	yield(b, op->blocks[1], 1, &e);
	b_output(b, op->results[0]);
	b_expect(b, "if relu");
	Op *left = b_find(b, OP_if);
	assert_int_equal(left->nresults, 1); /* dce took the old result and its yield */
	assert_int_equal(block_terminator(left->blocks[0])->noperands, 1);
	build_free(b);
}

static void if_not_and_unused(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n,3"), *c = B_OP(b, OP_not, "", b_input(b, DT_BOOL, ""));
	expect(b, if_relu_exp(b, c, x), "if");
	b = build_new(13); /* the first of two results is unused */
	x = b_input(b, DT_F32, "n,3");
	Op *op = new_if(b, b_input(b, DT_BOOL, ""), 2);
	for (size_t i = 0; i < 2; i++) {
		Value *v[2] = {add1(b, op->blocks[i], i ? OP_tanh : OP_sin, x), add1(b, op->blocks[i], i ? OP_exp : OP_cos, x)};
		yield(b, op->blocks[i], 2, v);
	}
	b_output(b, op->results[1]);
	b_expect(b, "if");
	op = b_find(b, OP_if);
	assert_int_equal(op->nresults, 1);
	assert_true(op_is(op->blocks[0]->first, OP_cos) && op_is(op->blocks[1]->first, OP_exp));
	build_free(b);
}

static void infer_now(Build *b, Op *op)
{
	InferCtx x;
	Diags quiet;
	diags_init(&quiet, b->arena);
	infer_init(&x, b->module, b->arena, &quiet);
	infer_op(&x, op);
}

static void if_merge(void **state)
{
	(void)state;
	Build *b = build_new(13); /* the second uses the first */
	Value *x = b_input(b, DT_F32, "n,3"), *c = b_input(b, DT_BOOL, "");
	Value *first = if_relu_exp(b, c, x);
	Op *second = new_if(b, c, 1);
	Value *t = add1(b, second->blocks[0], OP_neg, first), *e = add1(b, second->blocks[1], OP_sin, first);
	yield(b, second->blocks[0], 1, &t);
	yield(b, second->blocks[1], 1, &e);
	b_output(b, first);
	b_output(b, second->results[0]);
	b_expect(b, "if");
	assert_int_equal(b_find(b, OP_if)->nresults, 2);
	build_free(b);
	b = build_new(13); /* by way of an op between */
	x = b_input(b, DT_F32, "n,3"), c = b_input(b, DT_BOOL, "");
	first = if_relu_exp(b, c, x);
	expect(b, if_relu_exp(b, c, B_OP(b, OP_tanh, "", first)), "if tanh if");
	b = build_new(13); /* other conditions */
	x = b_input(b, DT_F32, "n,3"), c = b_input(b, DT_BOOL, "");
	first = if_relu_exp(b, c, x);
	expect(b, if_relu_exp(b, b_input(b, DT_BOOL, ""), first), "if if");
}

/* loop over two states: a += x, c = -c; collects a */
static Op *new_loop(Build *b, Value *trips, Value *cond, Value *x, Value *a, Value *c)
{
	Op *op = region_op(b, OP_loop, 4, (Value *[]){ trips, cond, a, c }, 3, 1);
	Block *body = op->blocks[0];
	block_add_arg(body, type_tensor_of(b->ctx, DT_I64, 0, NULL), NULL);
	Value *go = block_add_arg(body, type_tensor_of(b->ctx, DT_BOOL, 0, NULL), NULL);
	Value *p = block_add_arg(body, a->type, NULL), *q = block_add_arg(body, c->type, NULL);
	Value *sum = add2(b, body, OP_add, p, x), *minus = add1(b, body, OP_neg, q), *copy = add1(b, body, OP_exp, sum);
	Value *again = add1(b, body, OP_identity, go);
	yield(b, body, 4, (Value *[]){ again, sum, minus, copy });
	infer_now(b, op);
	return op;
}

static void loops(void **state)
{
	(void)state;
	Build *b = build_new(13); /* once */
	Value *x = b_input(b, DT_F32, "3"), *a = b_input(b, DT_F32, "3"), *c = b_input(b, DT_F32, "2");
	Op *op = new_loop(b, scalar(b, DT_I64, 1), NULL, x, a, c);
	b_output(b, op->results[0]);
	b_output(b, op->results[1]);
	b_output(b, op->results[2]);
	b_expect(b, "add neg exp unsqueeze");
	build_free(b);
	b = build_new(13); /* never */
	x = b_input(b, DT_F32, "3"), a = b_input(b, DT_F32, "3"), c = b_input(b, DT_F32, "2");
	op = new_loop(b, b_input(b, DT_I64, ""), scalar(b, DT_BOOL, 0), x, a, c);
	expect(b, B_OP(b, OP_neg, "", op->results[0]), "neg");
	b = build_new(13); /* five times; the second state and what is collected are unused */
	x = b_input(b, DT_F32, "3"), a = b_input(b, DT_F32, "3"), c = b_input(b, DT_F32, "2");
	op = new_loop(b, scalar(b, DT_I64, 5), scalar(b, DT_BOOL, 1), x, a, c);
	b_output(b, op->results[0]);
	b_expect(b, "loop");
	op = b_find(b, OP_loop);
	assert_int_equal(op->nresults, 1);
	assert_int_equal(op->noperands, 3);
	assert_int_equal(op->blocks[0]->nargs, 3);
	build_free(b);
	b = build_new(13); /* a runtime trip count */
	x = b_input(b, DT_F32, "3"), a = b_input(b, DT_F32, "3"), c = b_input(b, DT_F32, "2");
	op = new_loop(b, b_input(b, DT_I64, ""), NULL, x, a, c);
	expect(b, op->results[2], "loop");
}

static void loop_invariant(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "3"), *a = b_input(b, DT_F32, "3"), *same = b_input(b, DT_F32, "3");
	Op *op = region_op(b, OP_loop, 4, (Value *[]){ scalar(b, DT_I64, 3), NULL, a, same }, 2, 1);
	Block *body = op->blocks[0];
	block_add_arg(body, type_tensor_of(b->ctx, DT_I64, 0, NULL), NULL);
	Value *go = block_add_arg(body, type_tensor_of(b->ctx, DT_BOOL, 0, NULL), NULL);
	Value *p = block_add_arg(body, a->type, NULL), *q = block_add_arg(body, a->type, NULL);
	Value *sum = add2(b, body, OP_add, p, add1(b, body, OP_exp, x));
	Value *more = add2(b, body, OP_add, sum, add1(b, body, OP_cos, q));
	yield(b, body, 3, (Value *[]){ add1(b, body, OP_identity, go), more, add1(b, body, OP_identity, q) });
	b_output(b, op->results[0]);
	b_output(b, B_OP(b, OP_sin, "", op->results[1]));
	b_optimise(b);
	assert_string_equal(b_kinds(b), "exp cos loop sin");
	op = b_find(b, OP_loop);
	assert_int_equal(op->nresults, 1); /* the state that never changes is gone */
	build_free(b);
}

static void identities(void **state)
{
	(void)state;
	Build *b = build_new(13);
	Value *x = b_input(b, DT_F32, "n");
	expect(b, B_OP(b, OP_relu, "", B_OP(b, OP_identity, "", B_OP(b, OP_identity, "", x))), "relu");
	b = build_new(13); /* an output that is an input keeps its op */
	expect(b, B_OP(b, OP_identity, "", b_input(b, DT_F32, "n")), "identity");
	b = build_new(13); /* so do two outputs of one value */
	x = B_OP(b, OP_exp, "", b_input(b, DT_F32, "n"));
	b_output(b, B_OP(b, OP_identity, "", x));
	b_output(b, B_OP(b, OP_identity, "", x));
	b_expect(b, "exp identity");
	build_free(b);
	b = build_new(13);
	x = b_input(b, DT_F32, "n");
	expect(b, B_OP(b, OP_relu, "", B_OP(b, OP_dropout, "", x, scalar(b, DT_F32, 0), scalar(b, DT_BOOL, 0))), "relu");
	b = build_new(13); /* it trains, but drops nothing */
	x = b_input(b, DT_F32, "n");
	expect(b, B_OP(b, OP_relu, "", B_OP(b, OP_dropout, "", x, scalar(b, DT_F32, 0), scalar(b, DT_BOOL, 1))), "relu");
	b = build_new(13); /* whether it trains is an input: kept; results are not comparable, so only the rule is asked */
	x = b_input(b, DT_F32, "n");
	b_output(b, B_OP(b, OP_dropout, "", x, NULL, b_input(b, DT_BOOL, "")));
	OpSpec s = { .def = op_def(b->ctx, OP_return), .operands = b->out, .noperands = 1 };
	op_new(b->func->body, NULL, &s);
	RewriteLog log;
	InferCtx infer;
	infer_init(&infer, b->module, b->arena, &b->ctx->diags);
	rewrite_log_init(&log, b->arena);
	rewrite_run(b->module, &infer, &(RewriteOptions){ .level = 2, .limit = -1 }, &log, NULL);
	assert_int_equal(log.rewrites, 0);
	build_free(b);
}

static void sequences(void **state)
{
	(void)state;
	Build *b = build_new(17);
	Value *x = b_input(b, DT_F32, "2,3"), *y = b_input(b, DT_F32, "2,3");
	Value *s = B_OP(b, OP_seq_construct, "", x, y);
	expect(b, B_OP(b, OP_relu, "", B_OP(b, OP_seq_at, "", s, scalar(b, DT_I64, -1))), "relu");
	b = build_new(17);
	x = b_input(b, DT_F32, "2,3"), y = b_input(b, DT_F32, "2,3");
	s = B_OP(
		b, OP_seq_insert, "", B_OP(b, OP_seq_insert, "", B_OP(b, OP_seq_construct, "", x), y), x, scalar(b, DT_I64, 0));
	expect(b, B_OP(b, OP_seq_concat, "axis=1", s), "concat");
	b = build_new(17);
	x = b_input(b, DT_F32, "6,3");
	s = B_OP(b, OP_seq_split, "axis=0", x, scalar(b, DT_I64, 4));
	expect(b, B_OP(b, OP_seq_at, "", s, scalar(b, DT_I64, 1)), "slice");
	b = build_new(17);
	x = b_input(b, DT_F32, "6,3");
	s = B_OP(b, OP_seq_split, "axis=0 keepdims=0", x);
	expect(b, B_OP(b, OP_seq_at, "", s, scalar(b, DT_I64, 5)), "gather");
	b = build_new(17);
	x = b_input(b, DT_F32, "6,3");
	s = B_OP(b, OP_seq_split, "axis=1", x, scalar(b, DT_I64, 2));
	expect(b, B_OP(b, OP_neg, "", B_OP(b, OP_seq_concat, "axis=-1", s)), "neg");
	b = build_new(17);
	x = b_input(b, DT_F32, "6,3");
	s = B_OP(b, OP_seq_split, "axis=1", x, scalar(b, DT_I64, 2));
	Value *n = B_OP(b, OP_seq_length, "", s);
	expect(b, B_OP(b, OP_add, "", n, b_input(b, DT_I64, "")), "add");
	b = build_new(17); /* a runtime index */
	x = b_input(b, DT_F32, "2,3"), y = b_input(b, DT_F32, "2,3");
	s = B_OP(b, OP_seq_construct, "", x, y, x, y, x);
	expect(b, B_OP(b, OP_seq_at, "", s, b_input(b, DT_I64, "")), "seq_construct seq_at");
}

static void optionals(void **state)
{
	(void)state;
	Build *b = build_new(17);
	Value *x = b_input(b, DT_F32, "2,3");
	Value *o = B_OP(b, OP_optional, "", x);
	b_output(b, B_OP(b, OP_relu, "", B_OP(b, OP_optional_get, "", o)));
	b_output(b, B_OP(b, OP_and, "", B_OP(b, OP_optional_has, "", o), b_input(b, DT_BOOL, "")));
	b_optimise(b);
	assert_null(b_find(b, OP_optional));
	assert_null(b_find(b, OP_optional_has));
	build_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(if_known),
		cmocka_unit_test(if_nested),
		cmocka_unit_test(if_same),
		cmocka_unit_test(if_hoist_sink),
		cmocka_unit_test(if_not_and_unused),
		cmocka_unit_test(if_merge),
		cmocka_unit_test(loops),
		cmocka_unit_test(loop_invariant),
		cmocka_unit_test(identities),
		cmocka_unit_test(sequences),
		cmocka_unit_test(optionals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

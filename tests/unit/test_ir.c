/* The IR: interning, structural edits with their use lists and constant flags, cloning, and what the verifier catches. */
#include "ir/ir.h"
#include "ops/ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static Context *c;
static Module *m;
static Func *f;
static Block *body;
static const Type *f32;

static int setup(void **state)
{
	(void)state;
	c = context_new();
	m = module_new(c);
	f = func_new(m, str(c, "main"));
	m->main = f;
	body = f->body;
	f32 = type_tensor_of(c, DT_F32, 1, (int64_t[]){ 4 });
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	module_free(m);
	context_free(c);
	return 0;
}

static Op *add_op(Block *b, OpKind kind, Value *x, Value *y, size_t nresults)
{
	Value *operands[2] = { x, y };
	const Type *types[2] = { f32, f32 };
	OpSpec s = { .def = op_def(c, kind), .operands = operands, .noperands = y ? 2 : x ? 1 : 0, .types = types, .nresults = nresults };
	return op_new(b, NULL, &s);
}

static Value *unary(Block *b, OpKind kind, Value *x)
{
	return op_result(add_op(b, kind, x, NULL, 1), 0);
}

static Value *binary(Block *b, OpKind kind, Value *x, Value *y)
{
	return op_result(add_op(b, kind, x, y, 1), 0);
}

static const Attr *tensor4(float x)
{
	float v[4] = { x, x + 1, x + 2, x + 3 };
	return attr_tensor(c, f32, blob_copy(c, v, sizeof v));
}

static Value *constant(Block *b, float x)
{
	Op *op = add_op(b, OP_constant, NULL, NULL, 1);
	op_set_attr(op, c->attr_names[A_value], tensor4(x));
	return op_result(op, 0);
}

static size_t count_errors(void)
{
	Arena *a = arena_new();
	Diags d;
	diags_init(&d, a);
	bool ok = module_verify(m, &d);
	size_t n = d.list.len;
	assert_true(ok == (n == 0));
	arena_free(a);
	return n;
}

static void assert_valid(void)
{
	Arena *a = arena_new();
	Diags d;
	diags_init(&d, a);
	if (!module_verify(m, &d))
		fail_msg("%s", d.list.data[0].message);
	arena_free(a);
}

/* if cond then { yield then_value } else { yield else_value } */
static Op *add_if(Block *b, Value *cond, Block **then_block, Block **else_block)
{
	OpSpec s = { .def = op_def(c, OP_if), .operands = &cond, .noperands = 1, .types = &f32, .nresults = 1, .nblocks = 2 };
	Op *op = op_new(b, NULL, &s);
	*then_block = block_new(f, op);
	*else_block = block_new(f, op);
	op_set_block(op, 0, *then_block);
	op_set_block(op, 1, *else_block);
	return op;
}

/* ---- interning ---- */

static void test_context(void **state)
{
	(void)state;
	assert_ptr_equal(str(c, "axes"), c->attr_names[A_axes]);
	assert_int_equal(str(c, "axes")->known, A_axes);
	assert_int_equal(str(c, "no such attribute")->known, A_NONE);
	assert_ptr_equal(str_fmt(c, "%s%d", "x", 12), str(c, "x12"));
	char big[1000];
	memset(big, 'a', sizeof big);
	assert_int_equal(str_fmt(c, "%.1000s", big)->len, 1000);
	Loc l = { .file = "m.onnx", .line = 3, .offset = -1, .what = "node" };
	char file[] = "m.onnx";
	const Loc *a = loc_new(c, l);
	l.file = file;
	assert_ptr_equal(a, loc_new(c, l));
	assert_ptr_not_equal(a->file, file);
	l.line = 4;
	assert_ptr_not_equal(a, loc_new(c, l));
}

static void expect_type(const Type *t, const char *want)
{
	Buf b = { 0 };
	type_print(t, &b);
	assert_string_equal(b.data, want);
	buf_free(&b);
}

static void test_types(void **state)
{
	(void)state;
	const Sym *n = sym_symbol(c, str(c, "batch")), *one = sym_int(c, 1);
	const Sym *dims[] = { n, sym_add(c, n, one), sym_int(c, 3) };
	const Type *t = type_tensor(c, DT_F32, 3, dims);
	assert_ptr_equal(t, type_tensor(c, DT_F32, 3, (const Sym *[]){ dims[0], dims[1], dims[2] }));
	expect_type(t, "tensor<[batch]x[batch+1]x3xf32>");
	expect_type(type_unranked(c, DT_I64), "tensor<*xi64>");
	expect_type(type_tensor(c, DT_BOOL, 0, NULL), "tensor<i1>");
	expect_type(type_tensor_of(c, DT_F16, 2, (int64_t[]){ -1, 2 }), "tensor<[?1]x2xf16>");
	expect_type(type_make(c, (Type){ .kind = TYPE_SEQUENCE, .elem = &t, .nelem = 1 }), "!seq<tensor<[batch]x[batch+1]x3xf32>>");
	expect_type(type_make(c, (Type){ .kind = TYPE_TUPLE }), "tuple<>");
	const Type *key = type_make(c, (Type){ .kind = TYPE_MAP, .dtype = DT_I64, .elem = &f32, .nelem = 1 });
	expect_type(key, "!map<i64, tensor<4xf32>>");
	int64_t v, d[3];
	assert_false(type_static_dims(t, d) || type_static_numel(t, &v));
	assert_true(type_static_dims(f32, d) && d[0] == 4);
	assert_true(type_static_numel(type_tensor_of(c, DT_F32, 3, (int64_t[]){ INT64_MAX, 8, 0 }), &v) && v == 0);
	assert_false(type_static_numel(type_tensor_of(c, DT_F32, 2, (int64_t[]){ INT64_MAX, 8 }), &v));
	assert_null(type_numel(c, type_unranked(c, DT_F32)));
	assert_ptr_equal(type_numel(c, t), sym_product(c, dims, 3));
	expect_type(type_with_dtype(c, t, DT_I8), "tensor<[batch]x[batch+1]x3xi8>");
}

static void test_refine(void **state)
{
	(void)state;
	const Sym *n = sym_symbol(c, str(c, "n")), *u = sym_unknown(c), *four = sym_int(c, 4), *five = sym_int(c, 5);
	const Type *a = type_tensor(c, DT_NONE, 2, (const Sym *[]){ u, n });
	const Type *b = type_tensor(c, DT_F32, 2, (const Sym *[]){ n, four });
	bool conflict = false;
	assert_ptr_equal(type_refine(c, a, b, &conflict), b);
	assert_ptr_equal(type_refine(c, b, a, &conflict), b);
	assert_ptr_equal(type_refine(c, type_unknown(c), b, &conflict), b);
	assert_ptr_equal(type_refine(c, type_unranked(c, DT_F32), b, &conflict), b);
	assert_false(conflict);
	const Type *other = type_tensor(c, DT_F32, 2, (const Sym *[]){ four, five });
	assert_ptr_equal(type_refine(c, b, other, &conflict), type_tensor(c, DT_F32, 2, (const Sym *[]){ four, four }));
	assert_true(conflict);
	conflict = false;
	assert_ptr_equal(type_refine(c, b, f32, &conflict), b);
	assert_true(conflict);
}

static void test_attrs_and_blobs(void **state)
{
	(void)state;
	assert_ptr_equal(attr_int(c, 3), attr_int(c, 3));
	assert_ptr_not_equal(attr_float(c, 0.0), attr_float(c, -0.0));
	assert_ptr_equal(attr_float(c, NAN), attr_float(c, NAN));
	assert_ptr_equal(attr_ints(c, (int64_t[]){ 1, 2 }, 2), attr_ints(c, (int64_t[]){ 1, 2 }, 2));
	assert_ptr_not_equal(attr_ints(c, NULL, 0), attr_floats(c, NULL, 0));
	const Str *names[] = { str(c, "a"), str(c, "b") };
	const Attr *items[] = { attr_int(c, 1), attr_bool(c, true) };
	Attr dict = { .kind = ATTR_DICT, .u.list = { items, names, 2 } };
	assert_ptr_equal(attr_make(c, dict), attr_make(c, dict));
	assert_ptr_not_equal(items[0], items[1]);
	const Attr *x = tensor4(1), *y = tensor4(1), *z = tensor4(2);
	assert_ptr_not_equal(x, y);
	assert_true(attr_equal(x, y));
	assert_false(attr_equal(x, z));
	Blob *b = blob_ref(x->u.tensor.blob);
	assert_int_equal(b->refs, 2);
	assert_ptr_equal(attr_tensor(c, f32, b), x); /* the reference is given away */
	assert_int_equal(b->refs, 1);
	assert_true(blob_hash(b) == blob_hash(y->u.tensor.blob) && blob_hash(b) != blob_hash(z->u.tensor.blob));
	float one = 1;
	Blob *splat = blob_splat(c, DT_F32, &one);
	Blob *plain = blob_copy(c, &one, sizeof one);
	assert_int_equal(splat->len, 4);
	assert_false(blob_equal(splat, plain));
	blob_unref(splat); /* `plain` goes with the context */
}

/* ---- edits ---- */

static void test_use_lists(void **state)
{
	(void)state;
	Value *x = block_add_arg(body, f32, str(c, "x")), *y = block_add_arg(body, f32, NULL);
	Value *r = unary(body, OP_relu, x);
	Value *s = binary(body, OP_add, r, r);
	Op *ret = add_op(body, OP_return, s, NULL, 0);
	assert_valid();
	assert_int_equal(value_num_uses(r), 2);
	assert_true(value_has_one_use(x) && !value_has_one_use(r) && value_is_output(s) && !value_is_output(r));
	value_replace_uses(r, y);
	assert_int_equal(value_num_uses(y), 2);
	assert_false(value_has_uses(r));
	op_erase(r->def);
	assert_false(value_has_uses(x));
	assert_valid();
	op_set_operand(s->def, 1, NULL);
	op_set_operand(s->def, 1, x);
	/* a list that grows past its slots, with values that are in use already */
	Value *many[] = { s, y, s, x };
	op_set_operands(ret, many, 4);
	assert_valid();
	assert_int_equal(value_num_uses(s), 2);
	op_set_operands(ret, &many[1], 1);
	assert_false(value_has_uses(s));
	assert_valid();
	op_erase(s->def);
	block_erase_arg(body, 0);
	assert_int_equal(body->nargs, 1);
	assert_int_equal(y->index, 0);
	assert_valid();
	Op *first = add_op(body, OP_relu, y, NULL, 1);
	assert_int_equal(count_errors(), 2); /* behind the terminator: both it and the new last op are wrong */
	op_move_before(first, ret);
	assert_valid();
	assert_true(value_dominates(op_result(first, 0), ret));
	assert_false(value_dominates(op_result(first, 0), first));
}

static void test_many_args(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
		block_add_arg(body, f32, NULL);
	for (uint32_t i = 0; i < 90; i++)
		block_erase_arg(body, i % body->nargs);
	for (int i = 0; i < 50; i++)
		block_add_arg(body, f32, NULL);
	assert_int_equal(body->nargs, 60);
	add_op(body, OP_return, body->args[59], NULL, 0);
	assert_valid();
}

static void test_attr_lists(void **state)
{
	(void)state;
	NamedAttr attrs[] = { { str(c, "b"), attr_int(c, 1) }, { str(c, "a"), attr_int(c, 2) }, { str(c, "b"), attr_int(c, 3) } };
	OpSpec s = { .def = op_def(c, OP_constant), .types = &f32, .nresults = 1, .attrs = attrs, .nattrs = 3 };
	Op *op = op_new(body, NULL, &s);
	assert_int_equal(op->nattrs, 2);
	assert_string_equal(op->attrs[0].name->s, "a");
	assert_int_equal(op_attr_named(op, str(c, "b"))->u.i, 3);
	op_set_attr(op, str(c, "axis"), attr_int(c, -1));
	op_set_attr(op, str(c, "a"), NULL);
	assert_int_equal(op_attr_int(op, A_axis, 7), -1);
	assert_int_equal(op_attr_int(op, A_axes, 7), 7);
	assert_true(op_attr_float(op, A_axis, 0) == -1.0);
	op_set_attr(op, c->attr_names[A_mode], attr_str(c, str(c, "linear")));
	assert_true(op_attr_is(op, A_mode, "linear") && !op_attr_is(op, A_mode, "line") && !op_attr_is(op, A_axis, ""));
	const int64_t *v;
	assert_int_equal(op_attr_ints(op, A_pads, &v), 0);
	assert_null(v);
	assert_null(value_constant(op_result(op, 0)));
	op_set_attr(op, c->attr_names[A_value], tensor4(0));
	assert_ptr_equal(value_constant(op_result(op, 0)), op_constant_attr(op));
	module_set_attr(m, "ir_version", attr_int(c, 8));
	module_set_attr(m, "ir_version", attr_int(c, 9));
	assert_int_equal(module_attr(m, "ir_version")->u.i, 9);
	module_set_attr(m, "ir_version", NULL);
	assert_null(module_attr(m, "ir_version"));
}

static void test_constant_flag(void **state)
{
	(void)state;
	Value *x = block_add_arg(body, f32, NULL), *k = constant(body, 1);
	Value *v = binary(body, OP_add, k, k);
	Op *first = v->def;
	for (int i = 0; i < 100; i++)
		v = unary(body, OP_neg, v);
	Op *ret = add_op(body, OP_return, v, NULL, 0);
	assert_true(value_is_constant(k) && value_is_constant(v));
	assert_false(ret->constant || value_is_constant(x));
	op_set_operand(first, 0, x);
	assert_false(value_is_constant(v) || first->constant);
	op_set_operand(first, 1, x);
	op_set_operand(first, 0, k);
	assert_false(value_is_constant(v));
	value_replace_uses(x, k);
	assert_true(value_is_constant(v));
	op_set_def(first, op_def_find(c, "onnx.some.domain::Thing", 23));
	assert_false(value_is_constant(v));
	op_set_def(first, op_def(c, OP_mul));
	assert_true(value_is_constant(v));
	assert_valid();
}

static void test_constant_regions(void **state)
{
	(void)state;
	Block *then_block, *else_block;
	Value *x = block_add_arg(body, f32, NULL), *k = constant(body, 1);
	Op *op = add_if(body, k, &then_block, &else_block);
	assert_false(op->constant); /* not complete */
	Value *t = unary(then_block, OP_neg, k);
	Value *t2 = unary(then_block, OP_relu, t);
	add_op(then_block, OP_yield, t2, NULL, 0);
	add_op(else_block, OP_yield, k, NULL, 0);
	assert_true(op->constant);
	Op *user = add_op(body, OP_neg, op_result(op, 0), NULL, 1);
	add_op(body, OP_return, op_result(user, 0), NULL, 0);
	assert_true(user->constant);
	op_set_operand(t->def, 0, x); /* the block captures a value that is not constant */
	assert_false(op->constant || user->constant);
	assert_valid();
	value_replace_uses(x, k);
	assert_true(op->constant && user->constant);
	op_set_operand(op, 0, x);
	assert_false(op->constant || user->constant);
	op_set_operand(op, 0, k);
	assert_true(user->constant);
	Op *effect = op_new(then_block, t->def, &(OpSpec){ .def = op_def_find(c, "onnx.x::Print", 13) });
	assert_false(user->constant);
	op_erase(effect);
	assert_true(user->constant);
	assert_valid();
}

static void test_loop_arguments(void **state)
{
	(void)state;
	Value *k = constant(body, 1);
	OpSpec s = { .def = op_def(c, OP_while), .operands = &k, .noperands = 1, .types = &f32, .nresults = 1, .nblocks = 2 };
	Op *loop = op_new(body, NULL, &s);
	for (size_t i = 0; i < 2; i++) {
		Block *b = block_new(f, loop);
		op_set_block(loop, i, b);
		Value *arg = block_add_arg(b, f32, NULL);
		Value *next = unary(b, OP_neg, arg);
		assert_false(value_is_constant(next)); /* a block argument is not constant on its own */
		add_op(b, OP_yield, next, NULL, 0);
	}
	assert_true(loop->constant);
	add_op(body, OP_return, op_result(loop, 0), NULL, 0);
	assert_valid();
	op_erase(body->last);
	op_erase(loop);
	assert_false(value_has_uses(k));
}

static void test_moves(void **state)
{
	(void)state;
	Block *then_block, *else_block;
	Value *x = block_add_arg(body, f32, NULL);
	Op *op = add_if(body, x, &then_block, &else_block);
	Value *t = unary(then_block, OP_neg, x);
	Op *yield = add_op(then_block, OP_yield, t, NULL, 0);
	add_op(else_block, OP_yield, x, NULL, 0);
	add_op(body, OP_return, op_result(op, 0), NULL, 0);
	assert_true(block_is_ancestor(body, then_block) && !block_is_ancestor(then_block, else_block));
	assert_ptr_equal(op_ancestor_in(t->def, body), op);
	assert_null(op_ancestor_in(op, then_block));
	assert_false(value_dominates(t, else_block->last) || value_dominates(op_result(op, 0), yield));
	op_move_before(t->def, op); /* hoisted out of the block */
	assert_valid();
	assert_true(value_dominates(t, else_block->last));
	op_move_before(t->def, yield);
	assert_valid();
	op_move_to_end(yield, then_block);
	assert_valid();
	value_replace_uses(op_result(op, 0), x);
	op_erase(op);
	assert_true(t->def->erased && yield->erased);
	assert_int_equal(value_num_uses(x), 1);
	assert_valid();
}

static void test_results(void **state)
{
	(void)state;
	Value *x = block_add_arg(body, f32, NULL);
	OpSpec s = { .def = op_def(c, OP_split), .operands = &x, .noperands = 1, .types = &f32, .nresults = 1 };
	Op *op = op_new(body, NULL, &s);
	Value *second = op_add_result(op, f32);
	assert_int_equal(second->index, 1);
	add_op(body, OP_return, op_result(op, 0), NULL, 0);
	assert_valid();
	op_drop_results(op, 1);
	assert_int_equal(op->nresults, 1);
	value_set_type(op_result(op, 0), type_unknown(c));
	assert_valid();
}

/* ---- clone ---- */

static bool count_op(void *arg, Op *op)
{
	(void)op;
	++*(int *)arg;
	return true;
}

static bool stop_at_yield(void *arg, Op *op)
{
	++*(int *)arg;
	return !op_is(op, OP_yield);
}

static void test_clone(void **state)
{
	(void)state;
	Block *then_block, *else_block;
	Value *x = block_add_arg(body, f32, str(c, "x")), *k = constant(body, 2);
	Op *op = add_if(body, k, &then_block, &else_block);
	add_op(then_block, OP_yield, unary(then_block, OP_neg, k), NULL, 0);
	add_op(else_block, OP_yield, k, NULL, 0);
	Value *sum = binary(body, OP_add, op_result(op, 0), x);
	value_set_name(sum, str(c, "sum"));
	add_op(body, OP_return, sum, NULL, 0);
	f->arg_default = NEW_ARRAY(m->arena, const Attr *, 1);
	f->arg_default[0] = tensor4(5);
	f->result_names = NEW_ARRAY(m->arena, const Str *, 1);
	f->result_names[0] = str(c, "out");
	module_set_attr(m, "producer_name", attr_str(c, str(c, "test")));
	int n = 0, copied = 0;
	module_walk(m, count_op, &n);
	Module *old = m;
	m = module_clone(old, NULL);
	module_free(old);
	assert_valid();
	module_walk(m, count_op, &copied);
	assert_int_equal(n, copied);
	assert_ptr_equal(m->main, m->funcs);
	const Func *g = m->main;
	assert_string_equal(g->body->args[0]->name->s, "x");
	assert_string_equal(op_operand(g->body->last, 0)->name->s, "sum");
	assert_non_null(g->arg_default[0]);
	assert_string_equal(g->result_names[0]->s, "out");
	assert_non_null(module_attr(m, "producer_name"));
	assert_true(op_operand(op_operand(g->body->last, 0)->def, 0)->def->constant); /* the if */
	int steps = 0;
	assert_false(module_walk(m, stop_at_yield, &steps));
	assert_int_equal(steps, 4); /* constant, if, neg, yield */
}

/* Inlining: the block of an if goes in front of it. */
static void test_clone_into(void **state)
{
	(void)state;
	Block *then_block, *else_block;
	Value *x = block_add_arg(body, f32, NULL);
	Op *op = add_if(body, x, &then_block, &else_block);
	add_op(then_block, OP_yield, unary(then_block, OP_neg, x), NULL, 0);
	add_op(else_block, OP_yield, x, NULL, 0);
	add_op(body, OP_return, op_result(op, 0), NULL, 0);
	Map map;
	map_init(&map, m->arena);
	block_clone_into(then_block, body, op, &map, false);
	Value *copy = map_get(&map, MAP_PTR(op_operand(then_block->last, 0)));
	assert_ptr_equal(copy->def->block, body);
	value_replace_uses(op_result(op, 0), copy);
	op_erase(op);
	assert_valid();
	block_clone_into(body, body, body->last, &map, false); /* into itself: once, not for ever */
	assert_valid();
	int n = 0;
	block_walk(body, count_op, &n);
	assert_int_equal(n, 3);
}

/* ---- what the verifier catches: each corruption is undone before the next ---- */

static void test_verify(void **state)
{
	(void)state;
	Block *then_block, *else_block;
	Value *x = block_add_arg(body, f32, NULL);
	Op *branch = add_if(body, x, &then_block, &else_block);
	Value *inner = unary(then_block, OP_neg, x);
	add_op(then_block, OP_yield, inner, NULL, 0);
	add_op(else_block, OP_yield, x, NULL, 0);
	Value *a = binary(body, OP_add, op_result(branch, 0), x), *b = unary(body, OP_relu, a);
	Op *ret = add_op(body, OP_return, b, NULL, 0);
	assert_valid();

	op_set_operand(a->def, 0, b); /* before its definition */
	assert_true(count_errors() > 0);
	op_set_operand(a->def, 0, a); /* itself */
	assert_true(count_errors() > 0);
	op_set_operand(a->def, 0, inner); /* out of its block */
	assert_true(count_errors() > 0);
	op_set_operand(a->def, 0, op_result(branch, 0));
	op_set_operand(else_block->last, 0, inner); /* from a sibling block */
	assert_true(count_errors() > 0);
	op_set_operand(else_block->last, 0, op_result(branch, 0)); /* from the op around it */
	assert_true(count_errors() > 0);
	op_set_operand(else_block->last, 0, x);
	assert_valid();

	Use *kept = b->uses;
	b->uses = NULL; /* lost use list */
	assert_true(count_errors() > 0);
	b->uses = kept;
	ret->operands[0].value = a; /* slot changed behind the list */
	assert_true(count_errors() > 0);
	ret->operands[0].value = b;
	assert_valid();

	uint32_t id = a->id;
	a->id = b->id;
	assert_true(count_errors() > 0);
	a->id = m->next_value;
	assert_true(count_errors() > 0);
	a->id = id;
	id = ret->id;
	ret->id = branch->id;
	assert_true(count_errors() > 0);
	ret->id = id;
	a->index = 1;
	assert_true(count_errors() > 0);
	a->index = 0;
	then_block->parent = ret;
	assert_true(count_errors() > 0);
	then_block->parent = branch;
	branch->blocks[1] = NULL;
	assert_true(count_errors() > 0);
	branch->blocks[1] = else_block;
	a->def->erased = true;
	assert_true(count_errors() > 0);
	a->def->erased = false;
	assert_valid();

	op_set_operands(a->def, NULL, 0); /* too few operands */
	assert_true(count_errors() > 0);
	op_set_operands(a->def, (Value *[]){ x, x, x }, 3);
	assert_true(count_errors() > 0);
	op_set_operands(a->def, (Value *[]){ x, x }, 2);
	op_erase(then_block->last); /* no terminator */
	assert_true(count_errors() > 0);
	add_op(then_block, OP_yield, inner, NULL, 0);
	assert_valid();
	func_new(m, str(c, "empty"));
	assert_true(count_errors() > 0);
}

/* A long random history of edits must keep every invariant, and every flag must be what a recomputation gives. */
static bool flag_is_right(void *arg, Op *op)
{
	(void)arg;
	bool was = op->constant;
	op_update_constant(op);
	assert_true(was == op->constant);
	return true;
}

static void test_random_edits(void **state)
{
	(void)state;
	enum { N = 60 };
	Rng r = { 7 };
	Block *then_block, *else_block;
	Value *pool[N];
	pool[0] = block_add_arg(body, f32, NULL);
	pool[1] = constant(body, 3);
	for (size_t i = 2; i < N / 2; i++)
		pool[i] = binary(body, OP_add, pool[rng_below(&r, (int64_t)i)], pool[rng_below(&r, (int64_t)i)]);
	Op *branch = add_if(body, pool[1], &then_block, &else_block);
	for (size_t i = N / 2; i < N; i++)
		pool[i] = binary(then_block, OP_add, pool[rng_below(&r, (int64_t)i)], pool[rng_below(&r, (int64_t)i)]);
	add_op(then_block, OP_yield, pool[N - 1], NULL, 0);
	add_op(else_block, OP_yield, pool[1], NULL, 0);
	Op *tail = add_op(body, OP_neg, op_result(branch, 0), NULL, 1);
	add_op(body, OP_return, op_result(tail, 0), NULL, 0);
	for (int i = 0; i < 3000; i++) {
		size_t user = 2 + (size_t)rng_below(&r, N - 2), from = (size_t)rng_below(&r, (int64_t)user);
		if (i % 7 == 6)
			value_replace_uses(pool[user], pool[from]);
		else if (i % 3)
			op_set_operand(pool[user]->def, (size_t)rng_below(&r, 2), pool[from]);
		else
			op_set_operands(pool[user]->def, (Value *[]){ pool[from], pool[rng_below(&r, (int64_t)user)] }, 2);
		if (i % 50 == 0 && i % 7 != 6)
			op_set_operand(then_block->last, 0, pool[N - 1]);
		if (i % 10 == 0) {
			assert_valid();
			module_walk(m, flag_is_right, NULL);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_context), TEST(test_types), TEST(test_refine), TEST(test_attrs_and_blobs), TEST(test_use_lists),
		TEST(test_many_args), TEST(test_attr_lists), TEST(test_constant_flag), TEST(test_constant_regions),
		TEST(test_loop_arguments), TEST(test_moves), TEST(test_results), TEST(test_clone), TEST(test_clone_into),
		TEST(test_verify), TEST(test_random_edits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Whatever the analysis claims must hold at run time: random programs of shape arithmetic are run on inputs of several
 * sizes, and every size and element that was inferred is compared with what the evaluator computes. */
#include "build.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 60, PROGRAMS = 150, POOL = 128, LONGEST = 8 };

/* ---- programs ---- */

typedef struct Program {
	Build *b;
	Value *ints[POOL];  /* i64 vectors with 1 .. LONGEST elements */
	int nints;
	Value *data[POOL];  /* f32 tensors */
	int ndata;
} Program;

static int64_t pick(Program *p, int64_t low, int64_t high)
{
	return low + rng_below(&p->b->rng, high - low + 1);
}

static Value *any_ints(Program *p)
{
	return p->ints[pick(p, 0, p->nints - 1)];
}

static Value *any_data(Program *p)
{
	return p->data[pick(p, 0, p->ndata - 1)];
}

static int64_t length(const Value *v)
{
	int64_t n = 0;
	assert_true(v->type->rank == 1 && sym_const(v->type->dims[0], &n));
	return n;
}

static void add_ints(Program *p, Value *v)
{
	if (p->nints < POOL && length(v) >= 1 && length(v) <= LONGEST)
		p->ints[p->nints++] = v;
}

static void add_data(Program *p, Value *v)
{
	if (p->ndata < POOL)
		p->data[p->ndata++] = v;
}

static Value *number(Program *p, int64_t low, int64_t high)
{
	return B_INTS(p->b, pick(p, low, high));
}

static Value *bounded(Program *p, Value *v)
{
	return B_OP(p->b, OP_mod, "", v, number(p, 50, 99)); /* keeps products far from overflow */
}

static Value *one_of(Program *p, Value *v)
{
	return B_OP(p->b, OP_gather, "axis=0", v, number(p, 0, length(v) - 1));
}

static void step_arithmetic(Program *p)
{
	static const OpKind kinds[] = { OP_add, OP_sub, OP_mul, OP_min, OP_max };
	static const OpKind ones[] = { OP_neg, OP_abs, OP_sign, OP_relu };
	Build *b = p->b;
	Value *a = any_ints(p), *c = pick(p, 0, 1) ? number(p, -9, 9) : one_of(p, any_ints(p));
	switch (pick(p, 0, 4)) {
	case 0: case 1: {
		OpKind k = kinds[pick(p, 0, (int64_t)ARRAY_LEN(kinds) - 1)];
		Value *y = B_OP(b, k, "", a, c);
		add_ints(p, k == OP_mul ? bounded(p, y) : y);
		break;
	}
	case 2:
		add_ints(p, B_OP(b, ones[pick(p, 0, (int64_t)ARRAY_LEN(ones) - 1)], "", a));
		break;
	case 3: { /* the divisor is never 0 */
		Value *d = pick(p, 0, 1) ? number(p, 1, 9) : B_OP(b, OP_max, "", c, number(p, 1, 3));
		add_ints(p, B_OP(b, pick(p, 0, 1) ? OP_div : OP_mod, "", a, d));
		break;
	}
	default: {
		static const OpKind compare[] = { OP_eq, OP_ne, OP_lt, OP_le, OP_gt, OP_ge };
		Value *cond = B_OP(b, compare[pick(p, 0, 5)], "", a, c);
		if (pick(p, 0, 1))
			cond = B_OP(b, OP_not, "", cond);
		add_ints(p, B_OP(b, OP_select, "", cond, pick(p, 0, 1) ? a : c, number(p, -2, 20)));
	}
	}
}

static void step_float(Program *p)
{
	Build *b = p->b;
	double d = (double)pick(p, 1, 8), f = pick(p, 0, 1) ? 0.5 : 0.75;
	Value *v = B_OP(b, OP_cast, "to=f32", B_OP(b, OP_abs, "", any_ints(p)));
	Value *q = pick(p, 0, 1) ? B_OP(b, OP_div, "", v, b_fill(b, DT_F32, "1", d)) : B_OP(b, OP_mul, "", v, b_fill(b, DT_F32, "1", f));
	if (pick(p, 0, 2))
		q = B_OP(b, pick(p, 0, 1) ? OP_floor : OP_ceil, "", q);
	add_ints(p, B_OP(b, OP_cast, "to=i64", q));
}

static void step_movement(Program *p)
{
	Build *b = p->b;
	Value *a = any_ints(p), *c = any_ints(p);
	int64_t n = length(a);
	switch (pick(p, 0, 8)) {
	case 0: add_ints(p, B_OP(b, OP_concat, "axis=0", a, c)); break;
	case 1: add_ints(p, B_OP(b, OP_slice, "", a, number(p, -n, n), number(p, -n, n + 1), number(p, 1, 2))); break;
	case 2: add_ints(p, B_OP(b, OP_slice, "", a, number(p, -n, n), number(p, -n - 1, n), number(p, -2, -1))); break;
	case 3: add_ints(p, B_OP(b, OP_gather, "axis=0", a, B_INTS(b, pick(p, 0, n - 1), pick(p, -n, -1)))); break;
	case 4: add_ints(p, B_OP(b, OP_reverse, "axes=0", a)); break;
	case 5: add_ints(p, B_OP(b, OP_tile, "", a, number(p, 1, 2))); break;
	case 6: add_ints(p, B_OP(b, OP_pad, pick(p, 0, 1) ? "" : "mode=edge", a, B_INTS(b, pick(p, 0, 2), pick(p, 0, 2)))); break;
	case 7: add_ints(p, B_OP(b, OP_scatter_elements, "axis=0", a, number(p, 0, n - 1), one_of(p, c))); break;
	default: add_ints(p, B_OP(b, OP_cumsum, pick(p, 0, 1) ? "" : "reverse=1 exclusive=1", a, number(p, 0, 0)));
	}
}

static void step_reduce(Program *p)
{
	static const char *const attrs[] = { "kind=sum axes=0", "kind=min axes=0", "kind=max axes=0", "kind=prod axes=0" };
	Value *v = B_OP(p->b, OP_reduce, attrs[pick(p, 0, 3)], bounded(p, any_ints(p)));
	add_ints(p, bounded(p, v));
}

/* Tensors whose shapes the numbers decide; sizes stay small. */
static void step_data(Program *p)
{
	Build *b = p->b;
	Value *x = any_data(p), *at = one_of(p, any_ints(p)), *to = one_of(p, any_ints(p));
	Value *size = B_OP(b, OP_abs, "", B_OP(b, OP_fmod, "", at, B_INTS(b, 7)));
	int rank = x->type->rank;
	char attrs[32];
	snprintf(attrs, sizeof attrs, "axes=%d", (int)pick(p, 0, rank - 1));
	switch (pick(p, 0, 6)) {
	case 0: add_data(p, B_OP(b, OP_slice, attrs, x, at, to)); break;
	case 1: add_data(p, B_OP(b, OP_slice, attrs, x, at, to, number(p, 2, 3))); break;
	case 2: add_data(p, B_OP(b, OP_slice, attrs, x, at, to, number(p, -3, -1))); break;
	case 3: add_data(p, B_OP(b, OP_fill, "", B_OP(b, OP_concat, "axis=0", size, B_INTS(b, 2), size))); break;
	case 4: add_data(p, B_OP(b, OP_reshape, "allowzero=1", x, B_INTS(b, -1))); break;
	case 5: {
		Value *scalar[3] = { B_INTS(b, 0), to, number(p, 1, 3) };
		for (int i = 0; i < 3; i++)
			scalar[i] = B_OP(b, OP_squeeze, "axes=0", i == 1 ? B_OP(b, OP_min, "", to, B_INTS(b, 50)) : scalar[i]);
		add_data(p, B_OP(b, OP_cast, "to=f32", B_OP(b, OP_range, "", scalar[0], scalar[1], scalar[2])));
		break;
	}
	default: add_data(p, B_OP(b, OP_transpose, "", x));
	}
	Value *s = B_OP(b, OP_shape, "", any_data(p));
	add_ints(p, s);
}

static void program_init(Program *p, uint64_t seed)
{
	memset(p, 0, sizeof *p);
	p->b = build_new(17);
	p->b->rng.state = seed;
	add_data(p, b_input(p->b, DT_F32, "n,3,h,w"));
	add_data(p, b_input(p->b, DT_F32, "h,?"));
	add_ints(p, B_OP(p->b, OP_shape, "", p->data[0]));
	add_ints(p, B_OP(p->b, OP_shape, "", p->data[1]));
	void (*const steps[])(Program *) = { step_arithmetic, step_arithmetic, step_movement, step_float, step_reduce, step_data };
	for (int i = 0; i < STEPS; i++)
		steps[pick(p, 0, (int64_t)ARRAY_LEN(steps) - 1)](p);
	OpSpec s = { .def = op_def(p->b->ctx, OP_return), .operands = &p->ints[p->nints - 1], .noperands = 1 };
	op_new(p->b->func->body, NULL, &s);
}

/* ---- checking ---- */

typedef struct Checker {
	InferCtx x;
	Arena *arena;
	Map sizes;        /* symbol -> its number in this run */
	int64_t checked;
} Checker;

static bool size_of(void *arg, const Sym *symbol, int64_t *out)
{
	const Checker *c = arg;
	const int64_t *v = map_get(&c->sizes, MAP_PTR(symbol));
	if (v)
		*out = *v;
	return v != NULL;
}

/* A symbol gets its number where it first appears alone; from then on it must agree. */
static void check_number(Checker *c, const Sym *s, int64_t is, const Op *op, const char *what, int i)
{
	int64_t claimed;
	if (sym_eval(s, size_of, c, &claimed)) {
		c->checked++;
		if (claimed == is)
			return;
		Buf text = { 0 };
		sym_print(s, &text);
		fail_msg("%s: %s %d is claimed to be %s = %lld but is %lld", op ? op->def->name->s : "input", what, i, text.data,
			(long long)claimed, (long long)is);
	}
	if (sym_kind(s) == SYM_SYMBOL)
		map_put(&c->sizes, MAP_PTR(s), arena_dup(c->arena, &is, sizeof is));
}

static void check_result(Checker *c, const Op *op, const Value *v, const Tensor *t)
{
	if (type_has_rank(v->type)) {
		assert_int_equal(v->type->rank, t->rank);
		for (int d = 0; d < t->rank; d++)
			check_number(c, v->type->dims[d], t->dims[d], op, "size", d);
	}
	const Elems *e = infer_elems(&c->x, v);
	if (!e)
		return;
	assert_int_equal(e->n, t->count);
	for (int i = 0; i < (int)e->n; i++) {
		double f = tensor_get_f64(t, i);
		if (f != (double)(int64_t)f)
			fail_msg("%s: element %d is %g but has a fact", op->def->name->s, i, f);
		check_number(c, e->v[i], (int64_t)f, op, "element", i);
	}
}

static void watch(void *arg, const Op *op, Tensor *const *out)
{
	for (size_t i = 0; i < op->nresults; i++)
		if (out[i])
			check_result(arg, op, op->results[i], out[i]);
}

static int64_t run_program(Program *p, Checker *c, int64_t n, int64_t h, int64_t w, int64_t last)
{
	int64_t dims[2][4] = { { n, 3, h, w }, { h, last } };
	EvalCtx e;
	Tensor *in[2], *out = NULL;
	map_init(&c->sizes, c->arena);
	c->checked = 0;
	eval_init(&e, p->b->ctx, &p->b->ctx->diags);
	e.watch = watch;
	e.watch_arg = c;
	for (int i = 0; i < 2; i++) {
		in[i] = tensor_new(&e, DT_F32, i ? 2 : 4, dims[i]);
		const Type *t = p->b->func->body->args[i]->type;
		for (int d = 0; d < t->rank; d++)
			check_number(c, t->dims[d], dims[i][d], NULL, "size", d);
	}
	if (!eval_func(&e, p->b->func, in, 2, &out, 1))
		fail_msg("running: %s", p->b->ctx->diags.list.data[0].message);
	eval_release(&e);
	return c->checked;
}

static void facts_hold_at_run_time(void **state)
{
	(void)state;
	int64_t checked = 0, known = 0, all = 0;
	for (int i = 0; i < PROGRAMS; i++) {
		Program p;
		Checker c;
		program_init(&p, (uint64_t)i * 7919 + 1);
		c.arena = arena_new();
		infer_init(&c.x, p.b->module, c.arena, &p.b->ctx->diags);
		assert_true(shape_infer(&c.x, p.b->module));
		for (int k = 0; k < p.nints; k++, all++)
			known += infer_elems(&c.x, p.ints[k]) != NULL;
		static const int64_t sizes[][4] = { { 1, 1, 1, 1 }, { 2, 5, 7, 3 }, { 0, 4, 1, 0 }, { 9, 32, 6, 11 } };
		for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
			checked += run_program(&p, &c, sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3]);
		arena_free(c.arena);
		build_free(p.b);
	}
	print_message("%lld claims checked, %lld of %lld vectors have facts\n", (long long)checked, (long long)known, (long long)all);
	assert_true(checked > 100 * PROGRAMS); /* the test means something only while there are facts */
	assert_true(known > all / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(facts_hold_at_run_time) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

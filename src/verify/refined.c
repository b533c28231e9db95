/* Models of dynamic sizes without stored results: the model as it is must agree with itself after its sizes are bound.
 *
 * Leading scalar integers of the interface are sizes themselves, as exporters pass the values of named dims; the unknown
 * sizes of other inputs are taken from them. Which is which nothing says, so that assignments are tried until the model
 * runs: one that does not fit is found out by the evaluator. Then the same sizes are bound in a second copy (--shape, and
 * the scalars become constants): every size inside must be a number afterwards, and the results must be the same. */
#include "verify/suite_int.h"
#include "ops/label.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SIZES = 8, MAX_UNKNOWN = 8, MAX_TRIES = 300, WANTED = 3 };

typedef struct Try {
	Context *c;
	Arena *a;
	const char *path;
	const SuiteOptions *o;
	int64_t size[MAX_SIZES];  /* of the scalars that are sizes; without any, the one size of all */
	int nscalars, nsizes;
	int64_t which;            /* number of the assignment: digits in base nsizes */
	char *why;
} Try;

static bool is_scalar_size(const Value *v)
{
	return type_has_rank(v->type) && v->type->rank == 0 && (v->type->dtype == DT_I64 || v->type->dtype == DT_I32);
}

static int count_scalars(const Func *f)
{
	uint32_t n = 0;
	while (n < f->body->nargs && n < MAX_SIZES && is_scalar_size(f->body->args[n]))
		n++;
	return (int)n;
}

static int count_unknown(const Func *f)
{
	int n = 0;
	int64_t v;
	for (uint32_t i = 0; i < f->body->nargs; i++)
		for (int d = 0; type_has_rank(f->body->args[i]->type) && d < f->body->args[i]->type->rank; d++)
			n += !sym_const(f->body->args[i]->type->dims[d], &v);
	return n;
}

/* ---- one attempt ---- */

/* Binds the unknown sizes of the inputs as the assignment says. */
static bool bind_inputs(const Try *t, Module *m)
{
	Func *f = m->main;
	int64_t digits = t->which;
	for (uint32_t i = 0; i < f->body->nargs; i++) {
		Value *v = f->body->args[i];
		const Sym *dims[MAX_RANK];
		bool any = false;
		if (!type_has_rank(v->type) || v->type->rank > MAX_RANK)
			return diag_error(&t->c->diags, HONE_UNSUPPORTED, NULL, "input %u has no known rank", i);
		for (int d = 0; d < v->type->rank; d++) {
			int64_t n;
			dims[d] = v->type->dims[d];
			if (sym_const(dims[d], &n))
				continue;
			dims[d] = sym_int(t->c, t->size[digits % t->nsizes]);
			digits /= t->nsizes;
			any = true;
		}
		ShapeBinding b = { .input = v->name, .rank = v->type->rank, .dims = dims };
		if (any && !shape_bind(m, &b, 1))
			return false;
	}
	return true;
}

/* The scalars become numbers; they stay in the interface. */
static void bind_scalars(const Try *t, Module *m)
{
	Block *b = m->main->body;
	for (int i = 0; i < t->nscalars; i++)
		value_replace_uses(b->args[i], constant_from_ints(b, b->first, b->args[i]->type->dtype, 0, NULL, &t->size[i]));
}

typedef struct Dynamic {
	const Op *op;
	size_t result;
} Dynamic;

static bool is_static(void *arg, Op *op)
{
	Dynamic *d = arg;
	for (size_t i = 0; i < op->nresults; i++) {
		const Type *t = op->results[i]->type;
		if (t->kind == TYPE_TENSOR && value_has_uses(op->results[i]) && (!type_has_rank(t) || !type_is_static(t))) {
			*d = (Dynamic){ op, i };
			return false;
		}
	}
	return true;
}

static bool all_static(const Try *t, Module *m, char **why)
{
	Dynamic d = { 0 };
	Buf b = { 0 };
	if (block_walk(m->main->body, is_static, &d))
		return true;
	type_print(d.op->results[d.result]->type, &b);
	*why = arena_printf(t->a, "refined, a result of %s is still %.*s", op_said_name(t->a, d.op), (int)b.len, (const char *)b.data);
	buf_free(&b);
	return false;
}

static bool run(EvalCtx *e, Module *m, Tensor *const *in, Tensor **out, size_t nout)
{
	eval_enable_dialects(e, m);
	e->threads = 1;
	return eval_func(e, m->main, in, m->main->body->nargs, out, nout);
}

static size_t count_outputs(const Module *m)
{
	const Op *ret = block_terminator(m->main->body);
	return ret ? ret->noperands : 0;
}

/* Inputs of the bound copy; the scalars are given. */
static bool inputs(const Try *t, EvalCtx *e, const Module *m, Tensor **in)
{
	Tensor **given = NEW_ARRAY(t->a, Tensor *, m->main->body->nargs + 1u);
	for (int i = 0; i < t->nscalars; i++) {
		if (!(given[i] = tensor_new(e, m->main->body->args[i]->type->dtype, 0, NULL)))
			return false;
		tensor_set_i64(given[i], 0, t->size[i]);
	}
	return make_inputs(e, m->main, 1, 0, 1, given, in);
}

/* 1: agrees, 0: does not (why), -1: the model does not run with these sizes. */
static int attempt_with(Try *t, EvalCtx *e, EvalCtx *r)
{
	const CompareRule rule = { .rtol = 1e-5, .atol = 1e-7, .ulps = 2, .slice_rtol = 1e-6 };
	Module *dynamic = model_read(t->c, t->path, &(ReadOptions){ 0 }), *bound = model_read(t->c, t->path, &(ReadOptions){ 0 });
	if (!dynamic || !bound || !bound->main || !bind_inputs(t, bound))
		return -1;
	uint32_t nargs = bound->main->body->nargs;
	Tensor **in = NEW_ARRAY(t->a, Tensor *, nargs + 1u), **in2 = NEW_ARRAY(t->a, Tensor *, nargs + 1u);
	dynamic = inputs(t, e, bound, in) ? t->o->plain(t->c, dynamic, t->a) : NULL;
	if (!dynamic)
		return -1;
	size_t n = count_outputs(dynamic);
	Tensor **want = NEW_ARRAY(t->a, Tensor *, n + 1), **got = NEW_ARRAY(t->a, Tensor *, n + 1);
	if (!run(e, dynamic, in, want, n))
		return -1;
	bind_scalars(t, bound);
	bound = t->o->prepare(t->c, bound, t->a);
	bool ok = bound && all_static(t, bound, &t->why) && count_outputs(bound) == n;
	for (uint32_t i = 0; ok && i < nargs; i++)
		ok = (in2[i] = tensor_copy_into(r, in[i])) != NULL;
	ok = ok && run(r, bound, in2, got, n);
	for (size_t i = 0; ok && i < n; i++) {
		CompareResult c;
		ok = tensors_compare(got[i], want[i], &rule, &c);
		if (!ok)
			t->why = arena_printf(t->a, "refined, result %zu is another: %s", i, c.why);
	}
	return ok;
}

static int attempt(Try *t)
{
	EvalCtx e, r;
	eval_init(&e, t->c, &t->c->diags);
	eval_init(&r, t->c, &t->c->diags);
	int verdict = attempt_with(t, &e, &r);
	eval_release(&e);
	eval_release(&r);
	return verdict;
}

/* ---- the sizes ---- */

static const char *last_error(const Context *c)
{
	for (size_t i = 0; i < c->diags.list.len; i++)
		if (c->diags.list.data[i].severity == SEV_ERROR)
			return c->diags.list.data[i].message;
	return "failed without a message";
}

/* One base size with every assignment until one runs. */
static int run_size(Try *t, int64_t base, int64_t tries, HoneStatus *status, char **why)
{
	int verdict = -1;
	for (int k = 0; k < MAX_SIZES; k++)
		t->size[k] = base + k;
	for (t->which = 0; t->which < tries && verdict < 0; t->which++) {
		t->c = context_new();
		t->why = NULL;
		verdict = attempt(t);
		*status = t->c->diags.status;
		if (verdict <= 0)
			*why = arena_printf(t->a, "size %lld: %s", (long long)base, t->why ? t->why : last_error(t->c));
		context_free(t->c);
		t->c = NULL;
		if (verdict < 0 && *status != HONE_BAD_INPUT)
			return verdict;
	}
	return verdict;
}

int suite_run_refined(const char *path, const SuiteOptions *o, Arena *a, char **why, HoneStatus *status)
{
	static const int64_t bases[] = { 3, 5, 8, 2, 4, 6, 10, 16, 1 };
	Try t = { .a = a, .path = path, .o = o, .c = context_new() };
	Module *m = model_read(t.c, path, &(ReadOptions){ 0 });
	*status = t.c->diags.status;
	bool ok = m && m->main;
	if (!ok)
		*why = arena_printf(a, "%s", last_error(t.c));
	int64_t tries = 1;
	if (ok) {
		t.nscalars = count_scalars(m->main);
		t.nsizes = t.nscalars ? t.nscalars : 1;
		for (int i = 0, n = count_unknown(m->main); i < n && i < MAX_UNKNOWN; i++)
			tries *= t.nsizes;
	}
	context_free(t.c);
	if (tries > MAX_TRIES)
		tries = MAX_TRIES;
	int good = 0;
	for (size_t i = 0; ok && i < ARRAY_LEN(bases) && good < WANTED; i++) {
		int verdict = run_size(&t, bases[i], tries, status, why);
		if (verdict == 0 || (verdict < 0 && *status != HONE_BAD_INPUT))
			return verdict;
		good += verdict > 0;
	}
	return good == WANTED ? 1 : -1;
}

/* op_case: one op run on seeded tensors, with its inferred types checked against what it gave.  For tests that compare
 * a heavy op with the plain loops of its definition. */
#ifndef HONE_TEST_OP_CASE_H
#define HONE_TEST_OP_CASE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "build.h"

typedef struct OpCase {
	Build *b;
	EvalCtx e;
	size_t nin;
	Tensor *in[8], *out[4];
	bool data_dependent; /* result sizes depend on the data: not all dims can be inferred */
} OpCase;

static inline void case_begin(OpCase *c, bool oracle, uint64_t seed)
{
	memset(c, 0, sizeof(*c));
	c->b = build_new(21);
	c->b->rng.state = seed;
	eval_init(&c->e, c->b->ctx, &c->b->ctx->diags);
	c->e.oracle = oracle;
	c->e.threads = 2;
}

static inline void case_end(OpCase *c)
{
	eval_release(&c->e);
	build_free(c->b);
}

/* A seeded operand: normal floats, or integers in [lo, hi]. */
static inline Tensor *case_tensor(OpCase *c, DType d, int rank, const int64_t *dims, int64_t lo, int64_t hi)
{
	Tensor *t = tensor_new(&c->e, d, rank, dims);
	assert_non_null(t);
	for (int64_t i = 0; i < t->count; i++) {
		if (dtype_is_float(d))
			tensor_set_f64(t, i, (double)(float)rng_normal(&c->b->rng));
		else
			tensor_set_i64(t, i, lo + rng_below(&c->b->rng, hi - lo + 1));
	}
	c->in[c->nin++] = t;
	return t;
}

typedef struct CaseSymbols {
	int64_t value[64];
	int n;
} CaseSymbols;

static inline bool case_symbol(void *arg, const Sym *s, int64_t *out)
{
	const CaseSymbols *all = arg;
	const char *name = sym_name(s)->s;
	int64_t i;
	if (name[0] != 'd' || !parse_int64(name + 1, strlen(name + 1), &i) || i >= all->n)
		return false;
	*out = all->value[i];
	return true;
}

/* The inferred type holds for the tensor; every dim must be known when `all` is set. */
static inline void case_check_type(const Type *t, const Tensor *y, CaseSymbols *symbols, bool all)
{
	assert_int_equal(t->kind, TYPE_TENSOR);
	assert_int_equal(t->dtype, y->dtype);
	assert_int_equal(t->rank, y->rank);
	for (int d = 0; d < y->rank; d++) {
		int64_t n;
		if (sym_eval(t->dims[d], case_symbol, symbols, &n))
			assert_int_equal(n, y->dims[d]);
		else
			assert_false(all);
	}
}

static inline Op *case_op(OpCase *c, OpKind k, const char *attrs, size_t nresults, bool symbolic, CaseSymbols *symbols)
{
	Value *v[8] = {0};
	symbols->n = 0;
	for (size_t i = 0; i < c->nin; i++) {
		if (!symbolic && c->in[i] && c->in[i]->rank <= 1 && c->in[i]->count <= 8 && dtype_is_integer(c->in[i]->dtype)) {
			int64_t n[8]; /* shapes, sizes, axes: as a model has them */
			tensor_load_i64(c->in[i], 0, c->in[i]->count, n);
			v[i] = constant_from_ints(c->b->func->body, NULL, c->in[i]->dtype, c->in[i]->rank, c->in[i]->dims, n);
			continue;
		}
		char text[256] = "";
		size_t len = 0;
		for (int d = 0; c->in[i] && d < c->in[i]->rank; d++) {
			const char *comma = d ? "," : "";
			if (symbolic) {
				symbols->value[symbols->n] = c->in[i]->dims[d];
				len += (size_t)snprintf(text + len, sizeof(text) - len, "%sd%d", comma, symbols->n++);
			} else {
				len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%lld", comma, (long long)c->in[i]->dims[d]);
			}
		}
		if (c->in[i])
			v[i] = b_input(c->b, c->in[i]->dtype, text);
	}
	return b_op_multi(c->b, k, attrs, c->nin, v, nresults);
}

/* Evaluates; then the types inferred from static and from symbolic operands must both describe the results. */
static inline void case_run(OpCase *c, OpKind k, const char *attrs, size_t nresults)
{
	CaseSymbols symbols;
	Op *op = case_op(c, k, attrs, nresults, false, &symbols);
	if (!eval_op(&c->e, op, c->in, c->out))
		fail_msg("%s %s: %s", op->def->name->s, attrs,
			c->b->ctx->diags.list.len ? c->b->ctx->diags.list.data[0].message : "failed");
	for (size_t i = 0; i < nresults; i++)
		case_check_type(op_result(op, i)->type, c->out[i], &symbols, !c->data_dependent);
	op = case_op(c, k, attrs, nresults, true, &symbols);
	for (size_t i = 0; i < nresults; i++)
		if (type_has_rank(op_result(op, i)->type))
			case_check_type(op_result(op, i)->type, c->out[i], &symbols, false);
}

/* The evaluator refuses the operands with a diagnostic. */
static inline void case_refused(OpCase *c, OpKind k, const char *attrs)
{
	CaseSymbols symbols;
	Op *op = case_op(c, k, attrs, 1, false, &symbols);
	size_t before = c->b->ctx->diags.list.len;
	assert_false(eval_op(&c->e, op, c->in, c->out));
	assert_true(c->b->ctx->diags.list.len > before);
}

/* Inference finds the contradiction. */
static inline void case_contradiction(OpCase *c, OpKind k, const char *attrs)
{
	CaseSymbols symbols;
	Op *op = case_op(c, k, attrs, 1, false, &symbols);
	InferCtx x;
	infer_init(&x, c->b->module, c->b->arena, &c->b->ctx->diags);
	x.strict = true;
	assert_false(infer_op(&x, op));
}

/* got against the plain result, relative to the largest element. */
static inline void case_near(const Tensor *got, const double *want, double tolerance, const char *what)
{
	double top = 1;
	for (int64_t i = 0; i < got->count; i++)
		top = fmax(top, fabs(want[i]));
	for (int64_t i = 0; i < got->count; i++) {
		double g = tensor_get_f64(got, i);
		if (!(g == want[i] || fabs(g - want[i]) <= tolerance * top))
			fail_msg("%s: element %lld is %.17g, not %.17g", what, (long long)i, g, want[i]);
	}
}

static inline double case_tolerance(DType d, bool oracle)
{
	return oracle || d == DT_F64 ? 1e-12 : d == DT_F32 ? 2e-5 : d == DT_F16 ? 2e-3 : 2e-2;
}

/* Steps idx through dims, last fastest; false when it wrapped around. */
static inline bool case_next(int64_t *idx, const int64_t *dims, int n)
{
	for (int d = n; d-- > 0;) {
		if (++idx[d] < dims[d])
			return true;
		idx[d] = 0;
	}
	return false;
}

#endif

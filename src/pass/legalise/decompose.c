#include "legalise_int.h"

/* decompose: for models that are written for a compiler, composite operators become simpler ones. Operators that stay as they
 * are in a model (training losses, fused operators of other domains) are taken apart as the evaluator takes them apart, then
 * the rules of the topic `decompose` run. After it: shapes, fold, cse. Keeps: types and names of results.
 * backend-forms: the rules of the topic `backend`, whose results other rules would undo; so it comes last. */

typedef struct Apart {
	Context *c;
	int64_t opset;
	bool changed;
} Apart;

static bool has_row(OpKind k, const LegaliseRow *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].onnx == k)
			return true;
	return false;
}

static bool take_apart(void *arg, Op *op)
{
	Apart *a = arg;
	OpKind k = op_kind(op);
	if (has_row(k, evaluate_rows, evaluate_nrows) || has_row(k, contrib_rows, contrib_nrows))
		a->changed |= legalise_onnx_op(op, a->opset, &a->c->diags);
	return true;
}

static bool run_topic(Module *m, PassCtx *p, const char *name)
{
	const char *topic[] = { name, NULL };
	RewriteOptions o = p->rewrite;
	o.only = topic;
	return rewrite_run(m, p->infer, &o, p->log, p->explain);
}

bool pass_decompose(Module *m, PassCtx *p)
{
	Apart a = { .c = m->ctx };
	for (Func *f = m->funcs; f; f = f->next) {
		a.opset = func_onnx_opset(f);
		block_walk(f->body, take_apart, &a);
	}
	if (a.changed)
		pass_shapes(m, p);
	return run_topic(m, p, "decompose") || a.changed;
}

bool pass_backend_forms(Module *m, PassCtx *p)
{
	return run_topic(m, p, "backend");
}

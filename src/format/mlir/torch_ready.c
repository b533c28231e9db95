#include "torch_write.h"

#include "pass/pass.h"

#include <string.h>

static bool run_passes(Module *m, const char *text, Arena *a)
{
	RewriteLog *log = NEW(a, RewriteLog);
	PassCtx *p = NEW(a, PassCtx);
	rewrite_log_init(log, a);
	*p = (PassCtx){ .ctx = m->ctx, .module = m, .arena = a, .log = log, .max_fold_bytes = 4096 };
	p->infer = NEW(a, InferCtx);
	infer_init(p->infer, m, a, &m->ctx->diags);
	return pipeline_run(text, m, p);
}

static bool is_vague(const Type *t)
{
	if (t->kind == TYPE_UNKNOWN)
		return true;
	if (t->kind != TYPE_TENSOR)
		return false;
	bool vague = t->dtype == DT_NONE || t->rank < 0;
	for (int i = 0; i < t->rank && !vague; i++)
		vague = sym_is_unknown(t->dims[i]);
	return vague;
}

typedef struct Needs {
	bool core, types;
} Needs;

static bool look(void *arg, Op *op)
{
	Needs *n = arg;
	n->core |= op_is_core(op) && !op_is(op, OP_constant) && !op_is(op, OP_yield) && !op_is(op, OP_return);
	for (size_t i = 0; i < op->nresults; i++)
		n->types |= is_vague(op->results[i]->type);
	return true;
}

static bool copy_types(void *arg, Op *op)
{
	const Map *map = arg;
	for (size_t i = 0; i < op->nresults; i++) {
		const Value *v = map_get(map, MAP_PTR(op->results[i]));
		if (v && v->type != op->results[i]->type && v->type->kind != TYPE_UNKNOWN)
			value_set_type(op->results[i], v->type);
	}
	for (size_t i = 0; i < op->nblocks; i++)
		for (size_t k = 0; op->blocks[i] && k < op->blocks[i]->nargs; k++) {
			Value *arg_value = op->blocks[i]->args[k];
			const Value *v = map_get(map, MAP_PTR(arg_value));
			if (v && v->type->kind != TYPE_UNKNOWN)
				value_set_type(arg_value, v->type);
		}
	return true;
}

/* Reductions over axes that only the run knows stay operators: of their results the element type is known, and, when sizes
 * of 1 are kept, the rank. */
static bool type_reduction(void *arg, Op *op)
{
	static const OpKind kinds[] = { ONNX_ReduceSum, ONNX_ReduceMean, ONNX_ReduceMax, ONNX_ReduceMin, ONNX_ReduceProd,
		ONNX_ReduceL1, ONNX_ReduceL2, ONNX_ReduceSumSquare, ONNX_ReduceLogSum, ONNX_ReduceLogSumExp };
	const Value *x = op_operand(op, 0);
	bool found = false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		found |= op_is(op, kinds[i]);
	if (!found || !x || !type_is_tensor(x->type) || op->nresults != 1 || op->results[0]->type->kind != TYPE_UNKNOWN)
		return true;
	const Attr *keep = op_attr(op, A_keepdims);
	Context *c = op_func(op)->module->ctx;
	const Sym *dims[MAX_RANK];
	bool kept = (!keep || keep->u.i) && type_has_rank(x->type) && x->type->rank <= MAX_RANK;
	for (int i = 0; kept && i < x->type->rank; i++)
		dims[i] = sym_unknown(c);
	value_set_type(op->results[0], kept ? type_tensor(c, x->type->dtype, x->type->rank, dims) :
		type_unranked(c, x->type->dtype));
	*(bool *)arg = true;
	return true;
}

/* Types come from a second copy, which is translated to core ops: those have inference. Results keep their identity there,
 * or, where an op went away, the type that was found before. */
static bool infer_types(Module *m, Arena *a)
{
	Map map;
	map_init(&map, a);
	Module *copy = module_clone(m, &map);
	bool ok = run_passes(copy, "freeze,legalise,fix(shapes,legalise)", a), more = false;
	module_walk(copy, type_reduction, &more);
	ok = ok && (!more || run_passes(copy, "fix(shapes,legalise)", a));
	if (ok)
		module_walk(m, copy_types, &map);
	module_free(copy);
	return ok;
}

static bool has_library(const Module *m)
{
	for (const Func *f = m->funcs; f; f = f->next)
		if (f->is_library)
			return true;
	return false;
}

Module *torch_ready(Module *m, bool infer, Arena *a)
{
	Needs n = { 0 };
	bool library = has_library(m);
	module_walk(m, look, &n);
	if (!library && !n.core && !(infer && n.types))
		return m;
	Module *copy = module_clone(m, NULL);
	copy->format = str(m->ctx, "onnx");
	bool ok = !library || run_passes(copy, "inline", a);
	if (library) /* a body of another operator set is translated */
		module_walk(copy, look, &n);
	ok = ok && (!n.core || run_passes(copy, "shapes,raise-onnx", a));
	if (ok && infer) {
		n.types |= library || n.core;
		ok = !n.types || infer_types(copy, a);
	}
	if (ok)
		return copy;
	module_free(copy);
	return NULL;
}

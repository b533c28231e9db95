#include "contrib_int.h"

/* Types of operators that core ops can say: of the ops that a copy is taken apart into. */

/* A one-op function with the operands' types, and small constants as constants. */
static Op *copy_alone(Module *m, Func *f, const Op *op)
{
	Value **operands = NEW_ARRAY(m->arena, Value *, op->noperands + 1u);
	const Type **types = NEW_ARRAY(m->arena, const Type *, op->nresults + 1u);
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		const Attr *data = value_constant(v);
		int64_t n;
		if (v && data && type_static_numel(data->u.tensor.type, &n) && n <= 64)
			operands[i] = constant_from_attr(f->body, NULL, data);
		else if (v)
			operands[i] = block_add_arg(f->body, v->type, NULL);
	}
	for (size_t i = 0; i < op->nresults; i++)
		types[i] = type_unknown(m->ctx);
	OpSpec s = { .def = op->def, .operands = operands, .noperands = op->noperands, .types = types, .nresults = op->nresults,
		.attrs = op->attrs, .nattrs = op->nattrs, .loc = op->loc };
	return op_new(f->body, NULL, &s);
}

/* Values that stand for the results once the op is taken apart: users of the results keep them. */
static void infer_copy(InferCtx *x, Op *op, Module *m, Arena *a)
{
	Diags quiet;
	InferCtx inner;
	Func *f = func_new(m, str(m->ctx, "main"));
	m->main = f;
	Op *copy = copy_alone(m, f, op);
	OpSpec end = { .def = op_def(m->ctx, OP_return), .operands = copy->results, .noperands = copy->nresults };
	Op *ret = op_new(f->body, NULL, &end);
	diags_init(&quiet, a);
	if (!legalise_onnx_op(copy, ONNX_NEWEST, &quiet))
		return;
	infer_init(&inner, m, a, &quiet);
	if (!infer_block(&inner, f->body))
		return;
	for (size_t i = 0; i < op->nresults && i < ret->noperands; i++)
		infer_result(x, op, i, ret->operands[i].value->type);
}

bool infer_by_parts(InferCtx *x, Op *op)
{
	for (size_t i = 0; i < op->noperands; i++)
		if (op_operand(op, i) && !type_has_rank(op_operand(op, i)->type))
			return true;
	Module *m = module_new(x->ctx);
	Arena *a = arena_new();
	infer_copy(x, op, m, a);
	arena_free(a);
	module_free(m);
	return true;
}

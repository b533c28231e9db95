#include "legalise_int.h"
#include "ops/label.h"

#include <string.h>

/* Runs one dialect op: a module with that op alone, small operands as constants and the others as arguments of exact
 * types, is legalised and evaluated. So axes and sizes that were not constant in the model are constant here. */

#define CONSTANT_MAX 4096 /* elements of an operand that is bound as a constant */

static const Type *type_of_tensor(Context *c, const Tensor *t)
{
	if (t->kind == TYPE_TENSOR)
		return type_tensor_of(c, t->dtype, t->rank, t->dims);
	const Type *elem = t->nitems && t->items[0] ? type_of_tensor(c, t->items[0]) : type_unknown(c);
	return t->kind == TYPE_SEQUENCE || t->kind == TYPE_OPTIONAL ?
			type_make(c, (Type){ .kind = t->kind, .elem = &elem, .nelem = 1 }) : type_unknown(c);
}

/* Floats only where the operator reads sizes from them: as a constant they are rounded to their type. */
static bool bind_as_constant(const Op *op, const Tensor *t)
{
	if (t->kind != TYPE_TENSOR || t->count > CONSTANT_MAX)
		return false;
	bool scales = op_is(op, ONNX_Resize) || op_is(op, ONNX_Upsample) || op_is(op, ONNX_Tile);
	return dtype_is_integer(t->dtype) || t->dtype == DT_BOOL || (scales && t->rank == 1 && dtype_is_float(t->dtype));
}

/* The one-op function; args[i] gets the operand of each argument. */
static Op *build(Module *m, Func *f, const Op *op, Tensor *const *in, Tensor **args, size_t *nargs)
{
	Value **operands = NEW_ARRAY(m->arena, Value *, op->noperands + 1u);
	const Type **types = NEW_ARRAY(m->arena, const Type *, op->nresults + 1u);
	*nargs = 0;
	for (size_t i = 0; i < op->noperands; i++) {
		if (!in[i]) /* absent */
			continue;
		const Attr *value = bind_as_constant(op, in[i]) ? tensor_to_attr(m->ctx, in[i]) : NULL;
		if (value) {
			operands[i] = constant_from_attr(f->body, NULL, value);
			continue;
		}
		operands[i] = block_add_arg(f->body, type_of_tensor(m->ctx, in[i]), NULL);
		args[(*nargs)++] = in[i];
	}
	for (size_t i = 0; i < op->nresults; i++)
		types[i] = op->results[i]->type;
	OpSpec s = { .def = op->def, .operands = operands, .noperands = op->noperands, .types = types, .nresults = op->nresults,
		.attrs = op->attrs, .nattrs = op->nattrs, .loc = op->loc, .name = op->name };
	return op_new(f->body, NULL, &s);
}

static bool run_module(EvalCtx *e, const Op *op, int64_t opset, Module *m, Tensor *const *in, Tensor **out)
{
	Func *f = func_new(m, str(m->ctx, "main"));
	m->main = f;
	Tensor **args = NEW_ARRAY(m->arena, Tensor *, op->noperands + 1u);
	size_t nargs;
	Op *copy = build(m, f, op, in, args, &nargs);
	size_t n = 0;
	Value **results = NEW_ARRAY(m->arena, Value *, op->nresults + 1u);
	size_t *which = NEW_ARRAY(m->arena, size_t, op->nresults + 1u);
	for (size_t i = 0; i < copy->nresults; i++)
		if (value_has_uses(op->results[i]) || op->nresults == 1) {
			results[n] = copy->results[i];
			which[n++] = i;
		}
	OpSpec end = { .def = op_def(m->ctx, OP_return), .operands = results, .noperands = n };
	op_new(f->body, NULL, &end);
	if (!legalise_onnx_op(copy, opset, e->diags))
		return eval_cannot_run(e, op, in);
	Tensor **got = NEW_ARRAY(m->arena, Tensor *, n + 1);
	if (!eval_func(e, f, args, nargs, got, n))
		return false;
	for (size_t i = 0; i < n; i++)
		out[which[i]] = got[i];
	return true;
}

/* A call of a function of the module that was not inlined and whose ops need no attributes of the call. */
static const Func *library_func(const Op *op)
{
	const char *name = op->def->name->s;
	if (strncmp(name, "onnx.", 5) || op->nattrs)
		return NULL;
	for (const Func *f = op_func(op)->module->funcs; f; f = f->next)
		if (f->is_library && f->name && !strcmp(f->name->s, name + 5))
			return f;
	return NULL;
}

/* An op of a dialect around StableHLO that only says something of its operand: where it lies, or that it is the same value
 * under another dialect's name. */
static bool is_mark(const Op *op)
{
	const char *name = op->def->name->s;
	bool named = !strncmp(name, "sdy.", 4) || !strcmp(name, "builtin.unrealized_conversion_cast");
	return named && op->noperands >= 1 && op->nresults == 1 && op->nblocks == 0 &&
		op->operands[0].value && op->operands[0].value->type == op->results[0]->type;
}

static bool run_dialect_op(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Func *f = library_func(op);
	if (op_is(op, OP_UNKNOWN) && is_mark(op)) {
		out[0] = tensor_ref(in[0]);
		return true;
	}
	if (f)
		return eval_func(e, f, in, op->noperands, out, op->nresults);
	if (op_kind(op) <= OP_CORE_END || op->nblocks)
		return eval_cannot_run(e, op, in);
	void (*watch)(void *, const Op *, Tensor *const *) = e->watch;
	bool keep = e->keep_constants; /* those of the copy are not needed again */
	Module *m = module_new(e->ctx);
	const Attr *imports = module_attr(op_func(op)->module, "opset_imports");
	if (imports) /* messages name the operator set */
		module_set_attr(m, "opset_imports", imports);
	e->watch = NULL;
	e->keep_constants = false;
	bool ok = run_module(e, op, func_onnx_opset(op_func(op)), m, in, out);
	e->watch = watch;
	e->keep_constants = keep;
	module_free(m);
	return ok;
}

void eval_enable_dialects(EvalCtx *e, Module *m)
{
	e->fallback = run_dialect_op;
	e->fallback_arg = m;
}

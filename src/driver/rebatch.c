/* rebatch: a model exported for one batch size, for any.
 *
 *   x: 1x3x224x224, reshape(%y, [1, 512])     ->     x: batch x3x224x224, reshape(%y, [0, 512])
 *
 * The first dim of the inputs becomes a symbol, and so does the first size of a reshape that says the batch size where its operand
 * begins with the symbol. Then shape analysis shows whether the model allows other sizes: each reshape keeps its number of
 * elements, and each output begins with the symbol.
 * Needs: legalise, for the reshapes; nothing for the inputs. Keeps: everything, at the batch size that the model had. */
#include "driver/driver_int.h"
#include "ops/label.h"

static bool leading_size(const Value *v, int64_t *out)
{
	const Type *t = v->type;
	return t->kind == TYPE_TENSOR && t->rank > 0 && sym_const(t->dims[0], out);
}

static const Type *with_leading(Context *c, const Type *t, const Sym *first)
{
	const Sym *dims[MAX_RANK];
	for (int i = 0; i < t->rank; i++)
		dims[i] = i ? t->dims[i] : first;
	return type_tensor(c, t->dtype, t->rank, dims);
}

const Sym *batch_open(Module *m, int64_t *size)
{
	const Block *b = m->main->body;
	const Sym *symbol = sym_symbol(m->ctx, str(m->ctx, "batch"));
	bool found = false;
	int64_t n;
	for (uint32_t i = 0; i < b->nargs; i++) {
		const Type *t = b->args[i]->type;
		if (t->kind == TYPE_TENSOR && t->rank > 0 && t->rank <= MAX_RANK && !sym_const(t->dims[0], &n))
			return NULL;
		if (t->rank > MAX_RANK || !leading_size(b->args[i], &n) || (found && n != *size) || n < 1)
			continue;
		found = true;
		*size = n;
		value_set_type(b->args[i], with_leading(m->ctx, t, symbol));
	}
	return found ? symbol : NULL;
}

/* The sizes of a reshape as a constant whose first is `size`, rewritten to copy that of the operand. */
static void open_reshape(Op *op, const Sym *symbol, int64_t size, Arena *a)
{
	const Value *x = op_operand(op, 0);
	size_t n = 0;
	const int64_t *old = x ? constant_ints(a, op_operand(op, 1), MAX_RANK, &n) : NULL;
	if (!old || n < 1 || old[0] != size || !type_has_rank(x->type) || x->type->rank < 1 || x->type->dims[0] != symbol)
		return;
	int64_t *sizes = arena_dup(a, old, n * sizeof(*old)), count = (int64_t)n;
	for (size_t i = 0; i < n; i++)
		if (sizes[i] == 0 && op_int(op, A_allowzero))
			return;
	sizes[0] = 0;
	op_set_operand(op, 1, constant_from_ints(op->block, op, DT_I64, 1, &count, sizes));
	op_set_attr(op, op->block->func->module->ctx->attr_names[A_allowzero], NULL);
}

void batch_open_sizes(Module *m, const Sym *symbol, int64_t size)
{
	InferCtx x;
	Diags quiet;
	Arena *a = arena_new();
	diags_init(&quiet, a);
	infer_init(&x, m, a, &quiet);
	FOR_EACH_OP(op, m->main->body) {
		if (op_is(op, OP_reshape))
			open_reshape(op, symbol, size, a);
		if (op->def->infer && !op_is(op, OP_constant))
			shape_update(&x, op, false);
	}
	arena_free(a);
}

/* op: that does not follow; NULL: an output. */
static bool refuse(Module *m, const Op *op, const char *what, const Type *from, const Type *to)
{
	Buf is = { 0 }, was = { 0 };
	if (from)
		type_print(from, &was);
	type_print(to, &is);
	diag_error(&m->ctx->diags, HONE_UNSUPPORTED, op ? op->loc : NULL, "%sthe batch size is fixed in the model: %s%s%s is %s", what,
		op ? "what becomes of " : "", was.data ? was.data : "", op ? "" : "it", is.data);
	diag_hint(&m->ctx->diags, "export the model with a dynamic batch dimension");
	buf_free(&is);
	buf_free(&was);
	return false;
}

bool batch_is_open(Module *m, const Sym *symbol, Arena *a)
{
	const Op *ret = block_terminator(m->main->body);
	FOR_EACH_OP(op, m->main->body) {
		if (!op_is(op, OP_reshape) || !op_operand(op, 0))
			continue;
		const Type *from = op_operand(op, 0)->type, *to = op->results[0]->type;
		const Sym *before = type_has_rank(from) ? type_numel(m->ctx, from) : NULL;
		const Sym *after = type_has_rank(to) ? type_numel(m->ctx, to) : NULL;
		if (before && after && before != after)
			return refuse(m, op, op_label(a, op), from, to);
	}
	for (uint32_t i = 0; i < ret->noperands; i++) {
		const Value *v = op_operand(ret, i);
		if (v && (v->type->kind != TYPE_TENSOR || v->type->rank < 1 || v->type->dims[0] != symbol))
			return refuse(m, NULL, arena_printf(a, "output %u: ", i), NULL, v->type);
	}
	return true;
}

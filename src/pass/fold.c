/* fold and materialise: constant expressions become data.
 *
 * fold evaluates constant expressions that the model holds, natively: the same bits that running the op would give.
 * Expressions that rules made (a weight times a scale) wait: the proof compares them in double, and materialise computes
 * each as a whole in double and rounds once, so that a folded batch norm costs one rounding and not four.
 * Growth policy: a root is replaced when the data it becomes is at most what its leaves held plus max_fold_bytes; else its
 * operands are tried as roots. Splats (ConstantOfShape) stay splats: one element, whatever the shape.
 * Keeps: types, names of outputs. */
#include "pass/pass.h"

#include <string.h>

typedef struct Folder {
	PassCtx *p;
	Arena *arena;
	const char *pass;
	bool oracle;        /* evaluate in double, round once */
	bool made_too;      /* also float arithmetic that rules made */
	bool changed;
	Map leaves;         /* op -> seen, for one root */
} Folder;

static bool is_leaf(const Op *op)
{
	return op_is(op, OP_constant);
}

/* Bytes that the constants below v hold; each counted once. Shared leaves stay in the model, so they count nothing. */
static int64_t leaf_bytes(Folder *f, const Value *v, int depth)
{
	const Op *op = v->def;
	if (!op || map_has(&f->leaves, MAP_PTR(op)))
		return 0;
	map_put(&f->leaves, MAP_PTR(op), (void *)op);
	if (is_leaf(op)) {
		const Attr *t = op_constant_attr(op);
		return t && value_has_one_use(v) ? (int64_t)t->u.tensor.blob->len : 0;
	}
	int64_t sum = 0;
	for (size_t i = 0; i < op->noperands && depth < 1000; i++)
		if (op->operands[i].value)
			sum += leaf_bytes(f, op->operands[i].value, depth + 1);
	return sum;
}

static int64_t result_bytes(const Value *v)
{
	int64_t n;
	size_t bytes;
	const Type *t = v->type;
	if (!type_is_tensor(t) || t->dtype == DT_NONE || !type_static_numel(t, &n) || !dtype_packed_bytes(t->dtype, n, &bytes))
		return -1;
	return (int64_t)bytes;
}

/* ---- splats: one element computed for all ---- */

static const Attr *splat_of(const Value *v)
{
	const Op *op = v ? v->def : NULL;
	const Attr *a = op ? op_constant_attr(op) : NULL;
	int64_t n;
	if (!a || !type_static_numel(a->u.tensor.type, &n))
		return NULL;
	return a->u.tensor.blob->splat || n == 1 ? a : NULL;
}

static Tensor *splat_element(EvalCtx *e, const Attr *a)
{
	const Type *one = type_tensor_of(e->ctx, a->u.tensor.type->dtype, 0, NULL);
	const Attr *scalar = attr_tensor(e->ctx, one, blob_ref(a->u.tensor.blob));
	return tensor_from_attr(e, scalar);
}

/* fill of a known shape, elementwise ops and data movement on splats: NULL when op is none of these. */
static const Attr *fold_splat(EvalCtx *e, const Op *op)
{
	const Value *y = op->results[0];
	int64_t n;
	if (op->nresults != 1 || !type_is_static(y->type) || !type_static_numel(y->type, &n) || n < 2)
		return NULL;
	if (op_is(op, OP_fill)) {
		const Attr *value = op_attr(op, A_value);
		double zero = 0;
		if (!value)
			return attr_tensor(e->ctx, y->type, blob_splat(e->ctx, y->type->dtype, &zero));
		if (!value->u.tensor.blob->splat && value->u.tensor.blob->len != dtype_size(y->type->dtype))
			return NULL;
		return attr_tensor(e->ctx, y->type, blob_splat(e->ctx, y->type->dtype, value->u.tensor.blob->data));
	}
	bool moves = op->def->traits & TRAIT_MOVES && !op_is(op, OP_concat);
	bool eltwise = op->def->traits & TRAIT_ELTWISE;
	if (!moves && !eltwise)
		return NULL;
	size_t need = moves ? 1 : op->noperands;
	bool any_big = false;
	Tensor *in[8] = { 0 }, *out = NULL;
	if (need > ARRAY_LEN(in))
		return NULL;
	for (size_t i = 0; i < need; i++) {
		const Attr *a = splat_of(op->operands[i].value);
		if (op->operands[i].value && !a)
			return NULL;
		any_big |= a && a->u.tensor.blob->splat;
	}
	if (!any_big)
		return NULL;
	for (size_t i = 0; i < need; i++)
		if (op->operands[i].value && !(in[i] = splat_element(e, splat_of(op->operands[i].value))))
			return NULL;
	if (moves)
		out = tensor_ref(in[0]);
	else if (!eval_op(e, op, in, &out))
		return NULL;
	const Attr *one = tensor_to_attr(e->ctx, out);
	if (!one || one->u.tensor.type->dtype != y->type->dtype)
		return NULL;
	Blob *b = blob_splat(e->ctx, y->type->dtype, one->u.tensor.blob->data);
	return attr_tensor(e->ctx, y->type, b);
}

/* ---- one root ---- */

static void replace_by(Folder *f, Value *v, const Attr *data)
{
	Op *op = v->def;
	Value *c = constant_from_attr(op->block, op, data);
	bool conflict = false;
	c->def->made = op->made;
	c->def->loc = op->loc;
	value_set_type(c, type_refine(f->p->ctx, data->u.tensor.type, v->type, &conflict));
	if (v->name)
		value_set_name(c, v->name);
	rewrite_log_claim(f->p->log, f->pass, v, c);
	value_replace_uses(v, c);
	f->changed = true;
}

static void folder_eval_init(Folder *f, EvalCtx *e, Diags *quiet)
{
	diags_init(quiet, f->arena);
	eval_init(e, f->p->ctx, quiet);
	e->oracle = f->oracle;
	e->threads = f->p->threads;
	eval_enable_dialects(e, f->p->module);
}

static bool fold_as_splat(Folder *f, Op *op)
{
	Diags quiet;
	EvalCtx e;
	folder_eval_init(f, &e, &quiet);
	const Attr *splat = fold_splat(&e, op);
	if (splat)
		replace_by(f, op->results[0], splat);
	eval_release(&e);
	if (splat)
		rewrite_log_count(f->p->log, f->pass, 1);
	return splat != NULL;
}

/* Evaluates op and replaces its results; false when it cannot be evaluated (it stays as it is). */
static bool fold_by_running(Folder *f, Op *op)
{
	Diags quiet;
	EvalCtx e;
	bool ok = true;
	folder_eval_init(f, &e, &quiet);
	for (size_t i = 0; i < op->nresults && ok; i++) {
		if (!value_has_uses(op->results[i]))
			continue;
		Tensor *t = eval_constant_value(&e, op->results[i]);
		const Attr *data = t ? tensor_to_attr(f->p->ctx, t) : NULL;
		tensor_unref(t);
		ok = data != NULL;
		if (ok)
			replace_by(f, op->results[i], data);
	}
	eval_release(&e);
	if (ok)
		rewrite_log_count(f->p->log, f->pass, 1);
	return ok;
}

static bool pays(Folder *f, Op *op)
{
	int64_t grown = 0, held = 0;
	map_init(&f->leaves, f->arena);
	for (size_t i = 0; i < op->nresults; i++) {
		if (!value_has_uses(op->results[i]))
			continue;
		int64_t bytes = result_bytes(op->results[i]);
		if (bytes < 0)
			return false; /* not known to be small; fold_splat has had its chance */
		grown += bytes;
	}
	for (size_t i = 0; i < op->noperands; i++)
		if (op->operands[i].value)
			held += leaf_bytes(f, op->operands[i].value, 0);
	return grown <= held + f->p->max_fold_bytes;
}

/* Float arithmetic that a rule made waits for materialise; moves of elements and integers are exact at once. */
static bool is_deferred(const Folder *f, const Op *op)
{
	if (f->made_too || !op->made || op->def->traits & TRAIT_MOVES)
		return false;
	const Type *t = op->results[0]->type;
	return !(type_is_tensor(t) && (dtype_is_integer(t->dtype) || t->dtype == DT_BOOL));
}

/* Some op of the expression waits: depth-first over the DAG, each op once. */
static bool holds_deferred(Folder *f, Op *root)
{
	VEC(Op *) stack = { 0 };
	map_init(&f->leaves, f->arena);
	VEC_PUSH(f->arena, &stack, root);
	while (stack.len) {
		Op *op = stack.data[--stack.len];
		if (is_leaf(op) || map_has(&f->leaves, MAP_PTR(op)))
			continue;
		map_put(&f->leaves, MAP_PTR(op), op);
		if (is_deferred(f, op))
			return true;
		for (size_t i = 0; i < op->noperands; i++)
			if (op->operands[i].value && op->operands[i].value->def)
				VEC_PUSH(f->arena, &stack, op->operands[i].value->def);
	}
	return false;
}

static bool has_plain_use(const Op *op)
{
	for (size_t i = 0; i < op->nresults; i++)
		for (const Use *u = op->results[i]->uses; u; u = u->next)
			if (!u->user->constant)
				return true;
	return false;
}

static void fold_root(Folder *f, Op *op, int depth)
{
	if (op->erased || !op->constant || is_leaf(op) || depth > 1000)
		return;
	if (f->p->rewrite.limit >= 0 && f->p->log->rewrites >= f->p->rewrite.limit)
		return;
	bool wait = !f->made_too && holds_deferred(f, op);
	if (!wait && (fold_as_splat(f, op) || (pays(f, op) && fold_by_running(f, op))))
		return;
	for (size_t i = 0; i < op->noperands; i++)
		if (op->operands[i].value && op->operands[i].value->def)
			fold_root(f, op->operands[i].value->def, depth + 1);
}

static void fold_block(Folder *f, Block *b)
{
	FOR_EACH_OP(op, b) {
		if (op->constant) {
			if (has_plain_use(op)) {
				arena_reset(f->arena);
				fold_root(f, op, 0);
			}
			continue; /* what is inside is folded with it */
		}
		for (size_t i = 0; i < op->nblocks; i++)
			fold_block(f, op->blocks[i]);
	}
}

static bool run(Module *m, PassCtx *p, const char *name, bool oracle, bool made_too)
{
	Folder f = { .p = p, .arena = arena_new(), .pass = name, .oracle = oracle, .made_too = made_too };
	for (Func *fn = m->funcs; fn; fn = fn->next)
		fold_block(&f, fn->body);
	arena_free(f.arena);
	return f.changed;
}

bool pass_fold(Module *m, PassCtx *p)
{
	return run(m, p, "fold", false, false);
}

bool pass_materialise(Module *m, PassCtx *p)
{
	return run(m, p, "materialise", true, true);
}

/* fold and materialise: constant expressions become data.
 *
 * fold evaluates constant expressions that the model holds, natively: the same bits that running the op would give.
 * Expressions that rules made (a weight times a scale) wait: the proof compares them in double, and materialise computes
 * each as a whole in double and rounds once, so that a folded batch norm costs one rounding and not four.
 * Growth policy: a root is replaced when the data it becomes is at most what vanishes with its expression (constants that
 * nothing else needs) plus max_fold_bytes; else its operands are tried as roots. Splats
 * (ConstantOfShape) stay splats: one element, whatever the shape.
 * In a model that is compiled, weights that are only packed stay expressions: they are computed as they are packed.
 * Keeps: types, names of outputs. */
#include "ops/weights.h"
#include "pass/pass.h"

#include <string.h>

/* What is known of an op before anything is folded; by op id. An op's keeper is the nearest op that all its users lead
 * to: what the op holds vanishes exactly when its keeper is replaced. */
typedef struct Node {
	uint32_t keeper;   /* NONE: something that is not constant uses it, directly or not by one way alone */
	uint32_t jump;     /* a keeper of keepers, chosen so that walks up take logarithmic time */
	uint32_t depth;    /* keepers above */
	bool waits;        /* the op or one below it is arithmetic that rules made */
	bool tried;
	int64_t held;      /* bytes of constants that vanish with it */
} Node;

enum { NONE = 0 }; /* index of the node above all; op id i has index i + 1 */

typedef struct Folder {
	PassCtx *p;
	const Module *m;
	Arena *arena;
	const char *pass;
	bool oracle;        /* evaluate in double, round once */
	bool made_too;      /* also float arithmetic that rules made */
	bool changed;
	Node *nodes;
	uint32_t nnodes;
	EvalCtx eval;
	Diags quiet;
	Map splats;         /* value -> its one Tensor, or NULL */
} Folder;

static bool is_leaf(const Op *op)
{
	return op_is(op, OP_constant) || op_is(op, SHLO_constant);
}

static const Attr *leaf_data(const Op *op)
{
	const Attr *a = op_attr(op, A_value);
	return a && a->kind == ATTR_TENSOR ? a : NULL;
}

/* ---- what each constant op holds ---- */

static uint32_t lift(const Node *n, uint32_t i, uint32_t depth)
{
	while (n[i].depth > depth)
		i = n[n[i].jump].depth >= depth ? n[i].jump : n[i].keeper;
	return i;
}

static uint32_t common_keeper(const Node *n, uint32_t a, uint32_t b)
{
	a = lift(n, a, n[b].depth);
	b = lift(n, b, n[a].depth);
	while (a != b) {
		bool far = n[a].jump != n[b].jump;
		a = far ? n[a].jump : n[a].keeper;
		b = far ? n[b].jump : n[b].keeper;
	}
	return a;
}

static void set_keeper(Node *n, uint32_t i, uint32_t keeper)
{
	const Node *k = &n[keeper];
	n[i].keeper = keeper;
	n[i].depth = k->depth + 1;
	bool even = k->depth - n[k->jump].depth == n[k->jump].depth - n[n[k->jump].jump].depth;
	n[i].jump = even ? n[k->jump].jump : keeper;
}

/* Users come after the op; those in nested blocks count as the op around them. */
static void find_keeper(Folder *f, const Op *op)
{
	uint32_t keeper = NONE;
	bool first = true;
	for (size_t r = 0; r < op->nresults; r++)
		for (const Use *u = op->results[r]->uses; u && (first || keeper != NONE); u = u->next) {
			const Op *user = op_ancestor_in(u->user, op->block);
			uint32_t at = user && user->constant ? user->id + 1 : NONE;
			keeper = first ? at : common_keeper(f->nodes, keeper, at);
			first = false;
		}
	set_keeper(f->nodes, op->id + 1, keeper);
}

static void find_keepers(Folder *f, const Block *b)
{
	for (const Op *op = b->last; op; op = op->prev) {
		if (op->constant)
			find_keeper(f, op);
		for (size_t i = 0; i < op->nblocks; i++)
			find_keepers(f, op->blocks[i]);
	}
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

static Tensor *splat_value(Folder *f, const Value *v);

static Tensor *splat_of_tensor(EvalCtx *e, const Attr *a)
{
	int64_t n;
	bool alike = a && type_static_numel(a->u.tensor.type, &n) && (a->u.tensor.blob->splat || n == 1);
	if (!alike)
		return NULL;
	const Type *one = type_tensor_of(e->ctx, a->u.tensor.type->dtype, 0, NULL);
	return tensor_from_attr(e, attr_tensor(e->ctx, one, blob_ref(a->u.tensor.blob)));
}

static Tensor *splat_of_fill(EvalCtx *e, const Op *op)
{
	const Attr *value = op_attr(op, A_value);
	return value ? splat_of_tensor(e, value) : tensor_new(e, DT_F32, 0, NULL);
}

/* StableHLO ops state the types of their results: those that move elements, and those with one element. */
static Tensor *splat_of_shlo(Folder *f, const Op *op)
{
	int64_t n;
	if (op_is(op, SHLO_reshape) || op_is(op, SHLO_broadcast_in_dim) || op_is(op, SHLO_transpose))
		return tensor_ref(splat_value(f, op_operand(op, 0)));
	if (op->nresults != 1 || !type_static_numel(op->results[0]->type, &n) || n != 1)
		return NULL;
	return eval_constant_value(&f->eval, op->results[0]);
}

/* The element that all of op's result are alike to: data movement keeps it, elementwise ops compute it once. */
static Tensor *splat_of_op(Folder *f, const Op *op)
{
	EvalCtx *e = &f->eval;
	Tensor *in[8] = { 0 }, *out = NULL;
	if (is_leaf(op))
		return splat_of_tensor(e, leaf_data(op));
	if (op_is_shlo(op))
		return splat_of_shlo(f, op);
	if (op_is(op, OP_fill))
		return splat_of_fill(e, op);
	if (op->def->traits & TRAIT_MOVES && !op_is(op, OP_concat))
		return tensor_ref(splat_value(f, op_operand(op, 0)));
	if (!(op->def->traits & TRAIT_ELTWISE) || op->nresults != 1 || op->noperands > ARRAY_LEN(in))
		return NULL;
	for (size_t i = 0; i < op->noperands; i++)
		if (op->operands[i].value && !(in[i] = splat_value(f, op->operands[i].value)))
			return NULL;
	return eval_op(e, op, in, &out) ? out : NULL;
}

/* One element that stands for all of a constant v, unrounded in double where the fold is; NULL when they differ or that is
 * not known. Remembered, so that a walk in order of execution costs one step an op. */
static Tensor *splat_value(Folder *f, const Value *v)
{
	if (!v || !value_is_constant(v))
		return NULL;
	if (map_has(&f->splats, MAP_PTR(v)))
		return map_get(&f->splats, MAP_PTR(v));
	map_put(&f->splats, MAP_PTR(v), NULL); /* an expression that refers to itself does not exist; depth is one in order */
	Tensor *t = v->def->nresults == 1 || v->def->def->traits & TRAIT_MOVES ? splat_of_op(f, v->def) : NULL;
	map_put(&f->splats, MAP_PTR(v), t);
	return t;
}

static const Attr *fold_splat(Folder *f, const Op *op)
{
	const Value *y = op->results[0];
	int64_t n;
	if (op->nresults != 1 || !type_is_static(y->type) || !type_static_numel(y->type, &n) || n < 2)
		return NULL;
	Tensor *t = splat_value(f, y);
	const Attr *one = t ? tensor_to_attr(f->p->ctx, t) : NULL;
	if (!one || one->u.tensor.type->dtype != y->type->dtype)
		return NULL;
	Blob *b = blob_splat(f->p->ctx, y->type->dtype, one->u.tensor.blob->data);
	return attr_tensor(f->p->ctx, y->type, b);
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

static bool fold_as_splat(Folder *f, Op *op)
{
	const Attr *splat = fold_splat(f, op);
	if (splat)
		replace_by(f, op->results[0], splat);
	if (splat)
		rewrite_log_count(f->p->log, f->pass, 1);
	return splat != NULL;
}

/* What the source held as data stays data, though all of it may be alike: only what the source wrote as one number is
 * written as one again. */
static const Attr *as_data(Context *c, const Attr *a)
{
	const Type *t = a->u.tensor.type;
	const Blob *b = a->u.tensor.blob;
	size_t size = dtype_size(t->dtype), bytes;
	int64_t n;
	if (!b->splat || dtype_bits(t->dtype) < 8 || !type_static_numel(t, &n) || !dtype_packed_bytes(t->dtype, n, &bytes))
		return a;
	uint8_t *data = mem_alloc(bytes ? bytes : 1);
	for (int64_t i = 0; i < n; i++)
		memcpy(data + (size_t)i * size, b->data, size);
	return attr_tensor(c, t, blob_heap(c, data, bytes));
}

/* The name under which the largest weight of an expression was given: what is computed from it takes its place. */
static const Str *weight_behind(Folder *f, const Op *root)
{
	enum { FAR = 200 };
	VEC(const Op *) stack = { 0 };
	const Blob *best = NULL;
	VEC_PUSH(f->arena, &stack, root);
	for (size_t i = 0; i < stack.len; i++) {
		const Op *op = stack.data[i];
		const Attr *t = op_constant_attr(op);
		const Blob *b = t ? t->u.tensor.blob : NULL;
		if (b && b->weight && (!best || b->len > best->len))
			best = b;
		for (size_t k = 0; k < op->noperands && stack.len < FAR; k++)
			if (op->operands[k].value && op->operands[k].value->def)
				VEC_PUSH(f->arena, &stack, op->operands[k].value->def);
	}
	return best ? best->weight : NULL;
}

/* NULL: it is no arithmetic on weights. */
static const Attr *fold_weights(Folder *f, const Value *v)
{
	Arena *a = arena_new();
	WeightExpr *w = f->oracle ? weight_expr_new(&f->eval, v, a) : NULL;
	const Attr *data = NULL;
	size_t bytes = w ? (size_t)weight_expr_count(w) * sizeof(float) : 0;
	if (w && bytes <= (size_t)f->eval.max_bytes) {
		float *out = mem_alloc(bytes);
		weight_expr_all(w, f->p->threads, 1.0f, out);
		data = attr_tensor(f->p->ctx, v->type, blob_heap(f->p->ctx, out, bytes));
	}
	arena_free(a);
	return data;
}

static const Attr *fold_value(Folder *f, const Value *v)
{
	const Attr *data = fold_weights(f, v);
	if (data)
		return data;
	Tensor *t = eval_constant_value(&f->eval, v);
	data = t ? tensor_to_attr(f->p->ctx, t) : NULL;
	tensor_unref(t);
	return data ? as_data(f->p->ctx, data) : NULL;
}

/* Evaluates op and replaces its results; false when it cannot be evaluated (it stays as it is). */
static bool fold_by_running(Folder *f, Op *op)
{
	bool ok = true;
	for (size_t i = 0; i < op->nresults && ok; i++) {
		if (!value_has_uses(op->results[i]))
			continue;
		const Attr *data = fold_value(f, op->results[i]);
		ok = data != NULL;
		if (ok && f->m->nweights && !data->u.tensor.blob->weight)
			data->u.tensor.blob->weight = weight_behind(f, op);
		if (ok)
			replace_by(f, op->results[i], data);
	}
	if (ok)
		rewrite_log_count(f->p->log, f->pass, 1);
	return ok;
}

/* Weights in 8 bits stay that: kernels of plans take them as they are. */
static bool is_kernel_form(const Folder *f, const Op *op)
{
	const Value *q = op_operand(op, 0);
	return f->p->rewrite.planned && op_is(op, OP_dequantize) && !op->made && type_is_tensor(q->type) && q->type->rank >= 2 &&
		q->type->dtype != DT_NONE && dtype_bits(q->type->dtype) == 8;
}

/* Weights of ops that pack them. */
static bool is_computed_late(const Folder *f, const Op *op)
{
	if (!f->made_too || !f->p->rewrite.planned || op->nresults != 1 || !op->made || !is_weight_expr(op->results[0]))
		return false;
	for (const Use *u = op->results[0]->uses; u; u = u->next) {
		if (u->user->block != f->m->main->body || op_operand(u->user, 1) != op->results[0] || op_operand(u->user, 0) == op->results[0])
			return false;
		switch (op_kind(u->user)) {
		case OP_conv: case OP_conv_transpose: case OP_matmul: case OP_gemm:
			break;
		default:
			return false;
		}
	}
	return !value_is_output(op->results[0]);
}

static bool pays(const Folder *f, const Op *op)
{
	int64_t grown = 0;
	if (is_kernel_form(f, op))
		return false;
	for (size_t i = 0; i < op->nresults; i++) {
		if (!value_has_uses(op->results[i]))
			continue;
		int64_t bytes = result_bytes(op->results[i]);
		if (bytes < 0)
			return false; /* not known to be small; fold_splat has had its chance */
		grown += bytes;
	}
	/* A weight that rules changed must become data, or its arithmetic would run with the model. */
	if (f->made_too && op->made)
		return true;
	return grown <= f->nodes[op->id + 1].held + f->p->max_fold_bytes;
}

/* Float arithmetic that a rule made waits for materialise; moves of elements and integers are exact at once. */
static bool is_deferred(const Folder *f, const Op *op)
{
	if (f->made_too || !op->made || op->def->traits & TRAIT_MOVES)
		return false;
	const Type *t = op->results[0]->type;
	return !(type_is_tensor(t) && (dtype_is_integer(t->dtype) || t->dtype == DT_BOOL));
}

static bool has_plain_use(const Op *op)
{
	for (size_t i = 0; i < op->nresults; i++)
		for (const Use *u = op->results[i]->uses; u; u = u->next)
			if (!u->user->constant)
				return true;
	return false;
}

/* What uses a constant are parts of it, together no larger: each takes its share of what vanishes. */
static void share_out(Folder *f, const Op *leaf)
{
	int64_t all = 0;
	for (int share = 0; share < 2; share++)
		for (const Use *u = leaf->results[0]->uses; u; u = u->next) {
			Op *user = u->user;
			bool folds = user->constant && user->nresults == 1 && op_operand(user, 0) == leaf->results[0] && !is_deferred(f, user);
			int64_t part = folds ? result_bytes(user->results[0]) : -1;
			if (part < 0 || (!share && (all += part) > f->nodes[leaf->id + 1].held))
				return;
			if (share)
				f->nodes[user->id + 1].held += part;
		}
}

/* In program order, so that operands are done first. */
static bool sum_up(void *arg, Op *op)
{
	Folder *f = arg;
	Node *n = &f->nodes[op->id + 1];
	if (!op->constant)
		return true;
	const Attr *t = is_leaf(op) ? leaf_data(op) : NULL;
	if (t)
		n->held = (int64_t)t->u.tensor.blob->len;
	n->waits = !is_leaf(op) && is_deferred(f, op);
	for (size_t i = 0; i < op->noperands && !n->waits; i++) {
		const Value *v = op->operands[i].value;
		n->waits = v && v->def && f->nodes[v->def->id + 1].waits;
	}
	if (n->keeper != NONE)
		f->nodes[n->keeper].held += n->held;
	else if (t)
		share_out(f, op);
	return true;
}

/* Tries op, and where it stays the ops of its operands; each op once. */
static void fold_root(Folder *f, Op *root)
{
	VEC(Op *) stack = { 0 };
	arena_reset(f->arena);
	VEC_PUSH(f->arena, &stack, root);
	while (stack.len) {
		Op *op = stack.data[--stack.len];
		if (op->erased || !op->constant || is_leaf(op) || op->id + 1 >= f->nnodes || f->nodes[op->id + 1].tried)
			continue;
		if (f->p->rewrite.limit >= 0 && f->p->log->rewrites >= f->p->rewrite.limit)
			return;
		Node *n = &f->nodes[op->id + 1];
		n->tried = true;
		if (is_computed_late(f, op))
			continue;
		bool wait = !f->made_too && n->waits;
		bool compact = op->nresults == 1 && (op_is_shlo(op) || writes_repeated(f->m, op->results[0]->type->dtype));
		if (!wait && (((compact || pays(f, op)) && fold_as_splat(f, op)) || (pays(f, op) && fold_by_running(f, op))))
			continue;
		for (size_t i = op->noperands; i-- > 0;)
			if (op->operands[i].value && op->operands[i].value->def)
				VEC_PUSH(f->arena, &stack, op->operands[i].value->def);
	}
}

static void fold_block(Folder *f, Block *b)
{
	FOR_EACH_OP(op, b) {
		if (op->constant) {
			if (op->nresults == 1)
				splat_value(f, op->results[0]);
			if (!is_leaf(op) && has_plain_use(op))
				fold_root(f, op);
			continue; /* what is inside is folded with it */
		}
		for (size_t i = 0; i < op->nblocks; i++)
			fold_block(f, op->blocks[i]);
	}
}

static bool any_work(void *arg, Op *op)
{
	(void)arg;
	return !op->constant || is_leaf(op);
}

static bool run(Module *m, PassCtx *p, const char *name, bool oracle, bool made_too)
{
	if (module_walk(m, any_work, NULL))
		return false;
	Arena *lasting = arena_new();
	Folder f = { .p = p, .m = m, .arena = arena_new(), .pass = name, .oracle = oracle, .made_too = made_too };
	map_init(&f.splats, lasting);
	f.nnodes = m->next_op + 1;
	f.nodes = NEW_ARRAY(lasting, Node, f.nnodes);
	for (Func *fn = m->funcs; fn; fn = fn->next)
		find_keepers(&f, fn->body);
	module_walk(m, sum_up, &f);
	diags_init(&f.quiet, lasting);
	eval_init(&f.eval, p->ctx, &f.quiet);
	f.eval.oracle = oracle;
	f.eval.threads = p->threads;
	f.eval.keep_constants = false;
	f.eval.max_bytes = eval_fair_memory(p->ctx);
	eval_enable_dialects(&f.eval, m);
	for (Func *fn = m->funcs; fn; fn = fn->next)
		fold_block(&f, fn->body);
	eval_release(&f.eval);
	arena_free(f.arena);
	arena_free(lasting);
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

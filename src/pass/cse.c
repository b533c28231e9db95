/* cse: equal pure ops on the same operands are shared, and so are equal constants.
 *
 *   %a = add %x, %y   %b = add %y, %x   use %b      ->   %a = add %x, %y   use %a
 *
 * One forward walk with a hash table; a value found in an enclosing or the same block is visible to the op. A constant
 * of another block is made visible: it moves out of branches and loops to the block around both. Ops with
 * blocks, random ops and ops of unknown meaning are never shared. Keeps: types, order. Needs: nothing. */
#include "pass/pass.h"

#include <string.h>

typedef struct Cse {
	PassCtx *p;
	Arena *arena;
	Map table;      /* hash -> Bucket */
	bool changed;
} Cse;

typedef struct Bucket {
	Op *op;
	struct Bucket *next;
} Bucket;

static int by_id(const Value *a, const Value *b)
{
	return (a ? a->id + 1 : 0) < (b ? b->id + 1 : 0);
}

/* Operands of a commutative op in an order that does not depend on the source. */
static void operand_order(const Op *op, const Value **out)
{
	for (size_t i = 0; i < op->noperands; i++)
		out[i] = op->operands[i].value;
	if (!(op->def->traits & TRAIT_COMMUTES))
		return;
	for (size_t i = 1; i < op->noperands; i++)
		for (size_t j = i; j > 0 && by_id(out[j], out[j - 1]); j--) {
			const Value *t = out[j];
			out[j] = out[j - 1];
			out[j - 1] = t;
		}
}

/* Big weights are not read here: some of their bytes and their size decide which ones are compared. */
static uint64_t tensor_hash(const Attr *a)
{
	enum { PROBE = 64, SMALL = 1024 };
	const Blob *b = a->u.tensor.blob;
	const uint8_t *data = b->data;
	int64_t n;
	bool one = type_static_numel(a->u.tensor.type, &n) && n == 1; /* which is repeated or not, as one likes */
	uint64_t h = MAP_PTR(a->u.tensor.type) + (b->splat && !one);
	if (b->len <= SMALL)
		return hash_bytes(data, b->len, h) ^ b->len;
	h = hash_bytes(data, PROBE, h);
	h = hash_bytes(data + b->len / 2, PROBE, h);
	return hash_bytes(data + b->len - PROBE, PROBE, h) ^ b->len;
}

/* Several large constants that look alike: each is hashed once, so that they are not compared with each other. */
static bool attrs_equal(const Attr *a, const Attr *b)
{
	int64_t n;
	if (a == b)
		return true;
	if (a->kind == ATTR_TENSOR && b->kind == ATTR_TENSOR && a->u.tensor.type == b->u.tensor.type &&
			type_static_numel(a->u.tensor.type, &n) && n == 1)
		return a->u.tensor.blob->len == b->u.tensor.blob->len &&
			!memcmp(a->u.tensor.blob->data, b->u.tensor.blob->data, a->u.tensor.blob->len);
	if (a->kind == ATTR_TENSOR && b->kind == ATTR_TENSOR && a->u.tensor.blob->len == b->u.tensor.blob->len &&
			a->u.tensor.blob->data != b->u.tensor.blob->data &&
			blob_hash(a->u.tensor.blob) != blob_hash(b->u.tensor.blob))
		return false;
	return attr_equal(a, b);
}

static uint64_t op_hash(Arena *a, const Op *op)
{
	uint64_t h = MAP_PTR(op->def) * 31 + op->nresults;
	const Value **v = NEW_ARRAY(a, const Value *, op->noperands + 1u);
	operand_order(op, v);
	for (size_t i = 0; i < op->noperands; i++)
		h = h * 0x9e3779b97f4a7c15u + (v[i] ? v[i]->id + 1 : 0);
	for (size_t i = 0; i < op->nattrs; i++) {
		const Attr *t = op->attrs[i].value;
		h = h * 0xff51afd7ed558ccdu + (t->kind == ATTR_TENSOR ? tensor_hash(t) : MAP_PTR(t));
		h += MAP_PTR(op->attrs[i].name);
	}
	return h ^ h >> 29;
}

static bool ops_equal(Arena *a, const Op *x, const Op *y)
{
	if (x->def != y->def || x->noperands != y->noperands || x->nresults != y->nresults || x->nattrs != y->nattrs)
		return false;
	for (size_t i = 0; i < x->nattrs; i++)
		if (x->attrs[i].name != y->attrs[i].name || !attrs_equal(x->attrs[i].value, y->attrs[i].value))
			return false;
	const Value **v = NEW_ARRAY(a, const Value *, x->noperands + 1u);
	const Value **w = NEW_ARRAY(a, const Value *, x->noperands + 1u);
	operand_order(x, v);
	operand_order(y, w);
	return !memcmp(v, w, x->noperands * sizeof(*v)) && op_types_agree(x, y);
}

/* Both are outputs, which have names of their own; not so in StableHLO. */
static bool both_outputs(const Op *x, const Op *y)
{
	const Module *m = op_func(x)->module;
	if (m->format && !strcmp(m->format->s, "stablehlo"))
		return false;
	for (size_t i = 0; i < x->nresults; i++)
		if (value_is_output(x->results[i]) && value_is_output(y->results[i]))
			return true;
	return false;
}

static void share(Cse *c, Op *keep, Op *drop)
{
	for (size_t i = 0; i < drop->nresults; i++) {
		Value *old = drop->results[i], *new_ = keep->results[i];
		bool conflict = false;
		rewrite_inherit_names(old, new_);
		rewrite_log_claim(c->p->log, "cse", old, new_);
		value_set_type(new_, type_refine(c->p->ctx, new_->type, old->type, &conflict));
		value_replace_uses(old, new_);
	}
	op_erase(drop);
	rewrite_log_count(c->p->log, "cse", 1);
	c->changed = true;
}

/* The innermost block around both, or NULL: other functions, or a block between that has to stand for itself (the body
 * of a reduction, say). */
static Block *block_around(const Op *x, const Op *y)
{
	Block *b = x->block;
	while (b && !block_is_ancestor(b, y->block)) {
		switch (b->parent ? op_kind(b->parent) : OP_UNKNOWN) {
		case OP_if: case OP_while: case OP_loop: case OP_scan: case SHLO_if: case SHLO_case: case SHLO_while:
			b = b->parent->block;
			break;
		default:
			return NULL;
		}
	}
	return b;
}

/* Equal constants of different blocks are shared where both see them: x, the earlier one, moves out. */
static bool lift_constant(Op *x, const Op *y)
{
	if (x->noperands || x->nresults != 1 || !x->constant || x->results[0]->nyields || y->results[0]->nyields)
		return false;
	Block *b = block_around(x, y);
	Op *before = b ? op_ancestor_in(x, b) : NULL;
	if (!before)
		return false;
	op_move_before(x, before);
	return true;
}

static bool visit(void *arg, Op *op)
{
	Cse *c = arg;
	if (c->p->rewrite.limit >= 0 && c->p->log->rewrites >= c->p->rewrite.limit)
		return false;
	if (!op_is_pure(op) || op->nblocks || !op->nresults)
		return true;
	arena_reset(c->arena);
	void **slot = map_slot(&c->table, op_hash(c->arena, op));
	for (Bucket *b = *slot; b; b = b->next) {
		if (b->op->erased || !ops_equal(c->arena, b->op, op))
			continue;
		if (!block_is_ancestor(b->op->block, op->block) && !lift_constant(b->op, op))
			continue;
		if (both_outputs(b->op, op))
			continue;
		share(c, b->op, op);
		return true;
	}
	Bucket *b = NEW(c->table.arena, Bucket);
	b->op = op;
	b->next = *slot;
	*slot = b;
	return true;
}

bool pass_cse(Module *m, PassCtx *p)
{
	Arena *a = arena_new();
	Cse c = { .p = p, .arena = arena_new() };
	map_init(&c.table, a);
	module_walk(m, visit, &c);
	arena_free(c.arena);
	arena_free(a);
	return c.changed;
}

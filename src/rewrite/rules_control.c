/* Rules for identities, dropout, if, loop and what is computed in their blocks. Sequences and optionals:
 * rules_sequence.c. */
#include "rewrite/move_int.h"
#include "rewrite/rules.h"
#include "rewrite/rules_control.h"

#include <string.h>

static bool identity_drop(Rw *rw, Op *root)
{
	return replace_by_existing(rw, root->results[0], op_operand(root, 0));
}

/* Dropout at inference, or of no element, hands its operand through. */
static bool dropout_inference(Rw *rw, Op *root)
{
	int64_t training = 0;
	Value *ratio = op_operand(root, 1), *flag = op_operand(root, 2), *mask = op_result(root, 1);
	bool none = ratio && constant_near(ratio, 0);
	if (!none && flag && !fact_int(rw, flag, &training))
		return rw_no(rw, "whether it trains is a runtime value");
	if (!none && training)
		return rw_no(rw, "it trains");
	if (mask && value_has_uses(mask)) {
		Value *ones =
			type_is_static(mask->type) && value_dtype(mask) == DT_BOOL ? rw_constant_all(rw, mask->type, 1) : NULL;
		return ones ? rw_replace(rw, mask, ones) : rw_no(rw, "its mask is used and has no static shape");
	}
	if (!value_has_uses(root->results[0]))
		return false;
	return replace_by_existing(rw, root->results[0], op_operand(root, 0));
}

/* ---- blocks ---- */

static Value *yielded(const Block *b, size_t i)
{
	return op_operand(block_terminator(b), i);
}

/* All ops of the block but its terminator go before the root. */
static void move_out(Rw *rw, Block *b)
{
	FOR_EACH_OP(op, b)
		if (!(op->def->traits & TRAIT_TERMINATOR))
			op_move_before(op, rw->root);
}

/* Results of the root become these values. A value that is an output of the block around keeps an op of its own where
 * the writer needs one. */
static bool replace_results(Rw *rw, Op *root, Value *const *v)
{
	size_t n = root->nresults;
	bool fired = false;
	Value **results = arena_dup(rw->scratch, root->results, n * sizeof(*results));
	for (size_t i = 0; i < n; i++) {
		if (!value_has_uses(results[i]))
			continue;
		Value *by = v[i];
		if (output_needs_op(results[i], by))
			by = rw_op1(rw, OP_identity, by, NULL);
		fired |= rw_replace(rw, results[i], by);
	}
	return fired;
}

static bool any_used(const Op *op)
{
	for (size_t i = 0; i < op->nresults; i++)
		if (value_has_uses(op->results[i]))
			return true;
	return false;
}

/* ---- if ---- */

/* The root becomes what one of its branches does, moved to where the root stands. */
static bool take_branch(Rw *rw, Op *root, Block *taken)
{
	Value **v = NEW_ARRAY(rw->scratch, Value *, root->nresults + 1u);
	for (size_t i = 0; i < root->nresults; i++)
		v[i] = yielded(taken, i);
	move_out(rw, taken);
	return replace_results(rw, root, v);
}

/* if(true) {a} else {b} -> a */
static bool if_known(Rw *rw, Op *root)
{
	int64_t cond;
	if (root->nblocks != 2 || !any_used(root))
		return rw_no(rw, "nothing uses it");
	if (!fact_int(rw, op_operand(root, 0), &cond))
		return rw_no(rw, "the condition is a runtime value");
	return take_branch(rw, root, root->blocks[cond ? 0 : 1]);
}

/* case(1) {a} {b} {c} -> b; any number that is no branch's means the last one. */
static bool case_known(Rw *rw, Op *root)
{
	int64_t at;
	if (root->nblocks == 0 || root->noperands != 1 || !any_used(root))
		return rw_no(rw, "nothing uses it");
	if (root->nblocks == 1)
		at = 0;
	else if (!fact_int(rw, op_operand(root, 0), &at))
		return rw_no(rw, "the index is a runtime value");
	Block *taken = root->blocks[at >= 0 && at < (int64_t)root->nblocks ? (size_t)at : root->nblocks - 1u];
	const Op *end = block_terminator(taken);
	if (taken->nargs || !end || end->noperands != root->nresults)
		return rw_no(rw, "the branch has arguments, or gives another number of results");
	return take_branch(rw, root, taken);
}

/* if(not(c)) {a} else {b} -> if(c) {b} else {a} */
static bool if_not(Rw *rw, Op *root)
{
	Op *negation = live_def(op_operand(root, 0), OP_not);
	if (!negation || root->nblocks != 2)
		return rw_no(rw, "the condition is no negation");
	Block *then = root->blocks[0], *other = root->blocks[1];
	op_set_block(root, 0, other);
	op_set_block(root, 1, then);
	return rw_set_operand(rw, root, 0, op_operand(negation, 0));
}

/* Ops and values of one block that stand for those of another. */
typedef struct Twins {
	Rw *rw;
	Map values; /* value of the second block -> value of the first */
} Twins;

/* Constant expressions of the same form, however deep within reason. */
static bool twin_constants(const Value *a, const Value *b, int depth)
{
	if (a == b)
		return true;
	if (!value_is_constant(a) || !value_is_constant(b) || depth > 8)
		return false;
	const Op *p = a->def, *q = b->def;
	if (p->def != q->def || p->noperands != q->noperands || p->nblocks || a->index != b->index || !op_attrs_equal(p, q) ||
		!op_types_agree(p, q))
		return false;
	for (size_t i = 0; i < p->noperands; i++)
		if (!twin_constants(op_operand(p, i), op_operand(q, i), depth + 1))
			return false;
	return true;
}

static bool twin_values(const Twins *t, Value *a, Value *b)
{
	if (!a || !b)
		return a == b;
	return a == b || map_get(&t->values, MAP_PTR(b)) == a || twin_constants(a, b, 0);
}

static bool twin_blocks(Twins *t, const Block *a, const Block *b);

static bool twin_ops(Twins *t, const Op *a, const Op *b)
{
	bool pure = op_is_pure(a) || a->def->traits & TRAIT_TERMINATOR;
	if (a->def != b->def || !pure || a->noperands != b->noperands || a->nresults != b->nresults ||
			a->nblocks != b->nblocks || op_is(a, OP_UNKNOWN) || !op_attrs_equal(a, b) || !op_types_agree(a, b))
		return false;
	for (size_t i = 0; i < a->noperands; i++)
		if (!twin_values(t, op_operand(a, i), op_operand(b, i)))
			return false;
	for (size_t i = 0; i < a->nblocks; i++)
		if (!twin_blocks(t, a->blocks[i], b->blocks[i]))
			return false;
	for (size_t i = 0; i < a->nresults; i++)
		map_put(&t->values, MAP_PTR(b->results[i]), a->results[i]);
	return true;
}

static bool twin_blocks(Twins *t, const Block *a, const Block *b)
{
	if (a->nargs != b->nargs)
		return false;
	for (uint32_t i = 0; i < a->nargs; i++)
		map_put(&t->values, MAP_PTR(b->args[i]), a->args[i]);
	const Op *p = a->first, *q = b->first;
	for (; p && q; p = p->next, q = q->next)
		if (!twin_ops(t, p, q))
			return false;
	return !p && !q;
}

/* if(c) {a} else {a} -> a */
static bool if_equal_branches(Rw *rw, Op *root)
{
	Twins t = { .rw = rw };
	if (root->nblocks != 2 || !any_used(root))
		return false;
	map_init(&t.values, rw->scratch);
	if (!twin_blocks(&t, root->blocks[0], root->blocks[1]))
		return rw_no(rw, "the branches compute different things");
	Value **v = NEW_ARRAY(rw->scratch, Value *, root->nresults + 1u);
	for (size_t i = 0; i < root->nresults; i++)
		v[i] = yielded(root->blocks[0], i);
	move_out(rw, root->blocks[0]);
	return replace_results(rw, root, v);
}

static bool value_is_within(const Value *v, const Op *region)
{
	const Block *at = v->def ? v->def->block : v->block;
	for (; at; at = at->parent ? at->parent->block : NULL)
		if (at->parent == region)
			return true;
	return false;
}

/* Both branches yield the same outer value, or equal constants. */
static bool if_equal_results(Rw *rw, Op *root)
{
	bool fired = false;
	if (root->nblocks != 2)
		return false;
	for (size_t i = 0; i < root->nresults && !root->erased; i++) {
		Value *y = root->results[i];
		if (!value_has_uses(y))
			continue;
		Value *a = through_identity(yielded(root->blocks[0], i)), *b = through_identity(yielded(root->blocks[1], i));
		const Attr *x = value_constant(a), *z = value_constant(b);
		if (a == b && !value_is_within(a, root)) {
			fired |= replace_by_existing(rw, y, a);
		} else if (x && z && attr_equal(x, z)) {
			Value *c = constant_from_attr(root->block, root, x);
			shape_update(rw->infer, c->def, false);
			if (replace_by_existing(rw, y, c))
				fired = true;
			else
				rw_erase_dead(rw, c->def); /* or every round would find it new */
		}
	}
	return fired || rw_no(rw, "the branches give different values");
}

/* The constant expressions that op uses come along where they are made inside the root: operands first, from a stack. */
static void hoist(Rw *rw, Op *op)
{
	typedef struct Step {
		Op *op;
		size_t next; /* operand to look at */
	} Step;
	VEC(Step) stack = { 0 };
	VEC_PUSH(rw->scratch, &stack, ((Step){ op, 0 }));
	while (stack.len) {
		Step *top = &stack.data[stack.len - 1];
		if (top->next == top->op->noperands) {
			op_move_before(top->op, rw->root);
			stack.len--;
			continue;
		}
		Value *c = op_operand(top->op, top->next++);
		if (value_is_constant(c) && value_is_within(c, rw->root))
			VEC_PUSH(rw->scratch, &stack, ((Step){ c->def, 0 }));
	}
}

static bool may_hoist(const Op *op, const Op *region)
{
	if (op->constant || !op_is_pure(op) || op->nblocks || op->def->traits & TRAIT_TERMINATOR)
		return false;
	for (size_t i = 0; i < op->noperands; i++) {
		Value *v = op_operand(op, i);
		if (v && !value_is_constant(v) && value_is_within(v, region))
			return false;
	}
	return true;
}

static int64_t yield_index(const Value *v, size_t *uses)
{
	int64_t at = -1;
	*uses = 0;
	for (const Use *u = v->uses; u; u = u->next)
		if (u->user->def->traits & TRAIT_TERMINATOR) {
			at = u - u->user->operands;
			++*uses;
		}
	return at;
}

/* Neither op gives a result of its branch, or both give the same one (which then needs no if). */
static bool yielded_alike(const Op *a, const Op *b)
{
	for (size_t i = 0; i < a->nresults; i++) {
		size_t n, m;
		if (yield_index(a->results[i], &n) != yield_index(b->results[i], &m) || n > 1 || m > 1)
			return false;
	}
	return true;
}

/* Ops of the second branch that could stand before the if, by what the first branch must have to match. */
typedef struct Ready {
	Op *op;
	struct Ready *next;
} Ready;

/* Kind and first operand that is no constant: outer values both, so that twins have the same key. */
static uint64_t twin_key(const Op *op)
{
	const void *parts[2] = { op->def, NULL };
	for (size_t i = 0; i < op->noperands && !parts[1]; i++)
		if (!value_is_constant(op_operand(op, i)))
			parts[1] = op_operand(op, i);
	return hash_bytes(parts, sizeof parts, 0);
}

static void make_ready(Rw *rw, Map *ready, Op *op)
{
	Ready *r = NEW(rw->scratch, Ready);
	Ready **slot = (Ready **)map_slot(ready, twin_key(op));
	*r = (Ready){ op, *slot };
	*slot = r;
}

static Op *twin_of(Twins *t, Op *a, const Map *ready, const Block *other)
{
	enum { MAX_TRIES = 64 };
	int tries = 0;
	for (Ready *r = map_get(ready, twin_key(a)); r && tries++ < MAX_TRIES; r = r->next)
		if (!r->op->erased && r->op->block == other && a->def == r->op->def && yielded_alike(a, r->op) && twin_ops(t, a, r->op))
			return r->op;
	return NULL;
}

/* Ops that both branches begin with are done once before the if. Each that moves out makes others ready that use it. */
static bool if_hoist(Rw *rw, Op *root)
{
	Twins t = { .rw = rw };
	Map ready;
	bool fired = false;
	if (root->nblocks != 2)
		return false;
	map_init(&t.values, rw->scratch);
	map_init(&ready, rw->scratch);
	FOR_EACH_OP(b, root->blocks[1])
		if (may_hoist(b, root))
			make_ready(rw, &ready, b);
	FOR_EACH_OP(a, root->blocks[0]) {
		Op *b = may_hoist(a, root) ? twin_of(&t, a, &ready, root->blocks[1]) : NULL;
		if (!b)
			continue;
		hoist(rw, a);
		fired = true;
		for (size_t i = 0; i < a->nresults; i++) {
			rw_replace(rw, b->results[i], a->results[i]);
			for (const Use *u = a->results[i]->uses; u; u = u->next)
				if (u->user->block == root->blocks[1] && may_hoist(u->user, root))
					make_ready(rw, &ready, u->user);
		}
	}
	return fired || rw_no(rw, "the branches have no first op in common");
}

/* The op that yields result i of a branch and nothing else does with it. */
static Op *yield_op(const Block *b, size_t i)
{
	Value *v = yielded(b, i);
	bool own = v && v->def && v->def->block == b && !v->def->constant && v->def->nresults == 1 && value_has_one_use(v);
	return own && op_is_pure(v->def) && !v->def->nblocks ? v->def : NULL;
}

/* Result i yields operand 0 of a and b; the op itself follows the if. */
static bool sink_result(Rw *rw, Op *root, size_t i, Op *a, Op *b)
{
	Value *old = root->results[i];
	Value *p = op_operand(a, 0), *q = op_operand(b, 0);
	if (p->type->kind != q->type->kind || p->type->dtype != q->type->dtype || root->next == NULL)
		return rw_no(rw, "the operands of the last ops differ in type");
	/* An output must come from the branch's own ops. */
	if (p->def == NULL || q->def == NULL || p->def->block != root->blocks[0] || q->def->block != root->blocks[1] ||
			value_is_output(p) || value_is_output(q))
		return rw_no(rw, "a branch would hand an outer value through");
	Value **in = NEW_ARRAY(rw->scratch, Value *, a->noperands);
	Op *after = root->next;
	for (size_t k = 1; k < a->noperands; k++) {
		in[k] = op_operand(a, k);
		if (value_is_constant(in[k]) && value_is_within(in[k], root))
			hoist(rw, in[k]->def);
	}
	Value *middle = op_add_result(root, NULL);
	in[0] = middle;
	OpSpec s = { .def = a->def, .operands = in, .noperands = a->noperands, .nresults = 1, .attrs = a->attrs,
		.nattrs = a->nattrs, .loc = a->loc, .name = a->name };
	Op *sunk = op_new(root->block, after, &s);
	sunk->made = true;
	for (int k = 0; k < 2; k++) {
		Op *yield = block_terminator(root->blocks[k]);
		Value **y = NEW_ARRAY(rw->scratch, Value *, yield->noperands + 1u);
		for (size_t j = 0; j < yield->noperands; j++)
			y[j] = op_operand(yield, j);
		y[yield->noperands] = k == 0 ? p : q;
		op_set_operands(yield, y, yield->noperands + 1u);
	}
	shape_update(rw->infer, root, false);
	shape_update(rw->infer, sunk, false);
	return rw_replace(rw, old, sunk->results[0]);
}

/* if {yield f(a)} else {yield f(b)} -> f(if {yield a} else {yield b}) */
static bool if_sink(Rw *rw, Op *root)
{
	if (root->nblocks != 2)
		return false;
	Twins t = { .rw = rw };
	map_init(&t.values, rw->scratch);
	for (size_t i = 0; i < root->nresults; i++) {
		Op *a = yield_op(root->blocks[0], i), *b = yield_op(root->blocks[1], i);
		if (!a || !b || a->def != b->def || a->noperands == 0 || a->noperands != b->noperands ||
			a->nattrs != b->nattrs || !value_has_uses(root->results[i]) || op_is(a, OP_identity))
			continue;
		bool same = op_attrs_equal(a, b) && op_types_agree(a, b);
		for (size_t k = 1; k < a->noperands; k++) {
			Value *v = op_operand(a, k);
			same &= twin_values(&t, v, op_operand(b, k)) && (!v || value_is_constant(v) || !value_is_within(v, root));
		}
		Value *p = op_operand(a, 0), *q = op_operand(b, 0);
		if (!same || !p || !q || value_is_constant(p) || value_is_constant(q))
			continue;
		return sink_result(rw, root, i, a, b);
	}
	return rw_no(rw, "the branches have no last op in common");
}

/* What the blocks of b use from outside is there before `at`, or is a result of at. */
static bool captures_before(const Block *b, const Op *region, const Op *at)
{
	for (const Op *op = b->first; op; op = op->next) {
		for (size_t i = 0; i < op->noperands; i++) {
			const Value *v = op_operand(op, i);
			if (v && v->def != at && !value_is_within(v, region) && !value_is_constant(v) && !value_dominates(v, at))
				return false;
		}
		for (size_t i = 0; i < op->nblocks; i++)
			if (!captures_before(op->blocks[i], region, at))
				return false;
	}
	return true;
}

/* Constants that stand between two ifs move before the first. */
static void hoist_captured(const Block *b, const Op *region, Op *at)
{
	for (const Op *op = b->first; op; op = op->next) {
		for (size_t i = 0; i < op->noperands; i++) {
			Value *v = op_operand(op, i);
			if (!value_is_constant(v) || value_is_within(v, region) || value_dominates(v, at))
				continue;
			op_move_before(v->def, at);
		}
		for (size_t i = 0; i < op->nblocks; i++)
			hoist_captured(op->blocks[i], region, at);
	}
}

/* A constant that the second if uses and that is one op, so that it can be moved. */
static bool captured_constants_move(const Block *b, const Op *region, const Op *at)
{
	for (const Op *op = b->first; op; op = op->next) {
		for (size_t i = 0; i < op->noperands; i++) {
			const Value *v = op_operand(op, i);
			if (value_is_constant(v) && !value_is_within(v, region) && !value_dominates(v, at) && !value_constant(v))
				return false;
		}
		for (size_t i = 0; i < op->nblocks; i++)
			if (!captured_constants_move(op->blocks[i], region, at))
				return false;
	}
	return true;
}

static Op *earlier_if(Op *root)
{
	enum { MAX_BACK = 200 };
	int steps = 0;
	for (Op *op = root->prev; op && steps < MAX_BACK; op = op->prev, steps++) {
		if (!op_is(op, OP_if) || op->nblocks != 2 || op_operand(op, 0) != op_operand(root, 0))
			continue;
		bool fits = true;
		for (size_t k = 0; k < 2; k++)
			fits = fits && captures_before(root->blocks[k], root, op) &&
				   captured_constants_move(root->blocks[k], root, op);
		if (fits)
			return op;
	}
	return NULL;
}

/* Branch k of `from` goes to the end of branch k of `into`, whose results it sees as what that branch yields. */
static void append_branch(Rw *rw, Op *into, Op *from, size_t k)
{
	Block *to = into->blocks[k], *b = from->blocks[k];
	Op *end = block_terminator(to), *yield = block_terminator(b);
	size_t n = end->noperands, more = yield->noperands;
	for (size_t i = 0; i < into->nresults; i++)
		for (Use *u = into->results[i]->uses, *next; u; u = next) {
			next = u->next;
			if (op_ancestor_in(u->user, b))
				op_set_operand(u->user, (size_t)(u - u->user->operands), op_operand(end, i));
		}
	Value **v = NEW_ARRAY(rw->scratch, Value *, n + more + 1u);
	for (size_t i = 0; i < n + more; i++)
		v[i] = i < n ? op_operand(end, i) : op_operand(yield, i - n);
	FOR_EACH_OP(op, b)
		if (op != yield)
			op_move_before(op, end);
	op_set_operands(end, v, n + more);
}

/* Two ifs on one condition are one, when nothing between them is needed by the second. */
static bool if_merge(Rw *rw, Op *root)
{
	Op *first = root->nblocks == 2 ? earlier_if(root) : NULL;
	if (!first || !any_used(root))
		return rw_no(rw, "no if before it has the same condition and could do its work too");
	size_t n = first->nresults, more = root->nresults;
	for (size_t k = 0; k < 2; k++)
		hoist_captured(root->blocks[k], root, first);
	for (size_t k = 0; k < 2; k++)
		append_branch(rw, first, root, k);
	for (size_t i = 0; i < more; i++)
		op_add_result(first, root->results[i]->type);
	shape_update(rw->infer, first, false);
	Value **v = NEW_ARRAY(rw->scratch, Value *, more + 1u);
	for (size_t i = 0; i < more; i++)
		v[i] = first->results[n + i];
	return replace_results(rw, root, v);
}

/* ---- loop ---- */

static bool state_fits(const Op *root)
{
	size_t i;
	const Value *inside;
	return loop_state_fits(root, &i, &inside);
}

/* Trip count and entry condition of a core.loop: true when they are known to be 0 or more. */
static bool loop_enters(Rw *rw, const Op *op, bool *never)
{
	int64_t trips, cond;
	bool trips_known = op_operand(op, 0) && fact_int(rw, op_operand(op, 0), &trips);
	bool cond_known = op_operand(op, 1) && fact_int(rw, op_operand(op, 1), &cond);
	*never = (trips_known && trips <= 0) || (cond_known && !cond);
	return *never || ((!op_operand(op, 1) || cond_known) && trips_known);
}

/* A loop that never runs gives its initial state. */
static bool loop_never(Rw *rw, Op *root)
{
	bool never;
	size_t nstate = root->noperands > 2 ? root->noperands - 2u : 0;
	if (root->nblocks != 1 || !state_fits(root) || !loop_enters(rw, root, &never) || !never)
		return rw_no(rw, "it is not known that the loop never runs");
	for (size_t i = nstate; i < root->nresults; i++)
		if (value_has_uses(root->results[i]))
			return rw_no(rw, "what it collects is used");
	Value **v = NEW_ARRAY(rw->scratch, Value *, root->nresults + 1u);
	for (size_t i = 0; i < nstate && i < root->nresults; i++)
		v[i] = op_operand(root, 2 + i);
	return any_used(root) && replace_results(rw, root, v);
}

/* A loop that runs once is its body. */
static bool loop_once(Rw *rw, Op *root)
{
	bool never;
	int64_t trips = 0;
	Block *body = root->nblocks == 1 ? root->blocks[0] : NULL;
	size_t nstate = root->noperands > 2 ? root->noperands - 2u : 0;
	if (!body || !state_fits(root) || !loop_enters(rw, root, &never) || never || !fact_int(rw, op_operand(root, 0), &trips) || trips != 1)
		return rw_no(rw, "it is not known that the loop runs once");
	if (!any_used(root) || body->nargs != nstate + 2)
		return false;
	Value **v = NEW_ARRAY(rw->scratch, Value *, root->nresults + 1u);
	int64_t zero = 0, one = 1;
	if (value_has_uses(body->args[0]))
		value_replace_uses(body->args[0], rw_constant_ints(rw, DT_I64, value_rank(body->args[0]) == 1, &one, &zero));
	if (value_has_uses(body->args[1]))
		value_replace_uses(body->args[1], rw_constant_ints(rw, DT_BOOL, value_rank(body->args[1]) == 1, &one, &one));
	for (size_t i = 0; i < nstate; i++)
		value_replace_uses(body->args[2 + i], op_operand(root, 2 + i));
	for (size_t i = 0; i < root->nresults; i++)
		v[i] = yielded(body, i + 1);
	move_out(rw, body);
	const int64_t front[1] = { 0 };
	for (size_t i = nstate; i < root->nresults; i++)
		if (value_has_uses(root->results[i]))
			v[i] = rw_op1(rw, OP_unsqueeze, v[i], (RwAttr[]){{A_axes, attr_ints(rw->ctx, front, 1)}, {A_NONE, NULL}});
	return replace_results(rw, root, v);
}

/* ---- while ---- */

/* What a value of the condition is before the first iteration. */
static bool known_at_entry(Rw *rw, const Op *root, const Value *v, int64_t *out)
{
	if (v && !v->def && v->block == root->blocks[0] && v->index < root->noperands)
		v = op_operand(root, v->index);
	return v && fact_int(rw, v, out);
}

static bool compares(OpKind k, int64_t a, int64_t b, bool *out)
{
	switch (k) {
	case OP_lt: *out = a < b; return true;
	case OP_le: *out = a <= b; return true;
	case OP_gt: *out = a > b; return true;
	case OP_ge: *out = a >= b; return true;
	case OP_eq: *out = a == b; return true;
	case OP_ne: *out = a != b; return true;
	default: return false;
	}
}

/* The condition is false at once: it is constant, or compares numbers that are known before the first iteration. */
static bool while_never(Rw *rw, Op *root)
{
	Op *end = root->nblocks == 2 ? block_terminator(root->blocks[0]) : NULL;
	Value *cond = end && end->noperands == 1 ? through_identity(op_operand(end, 0)) : NULL;
	int64_t v, a, b;
	bool holds = true;
	if (!cond || !state_fits(root) || root->noperands != root->nresults || !any_used(root))
		return rw_no(rw, "nothing uses it");
	if (known_at_entry(rw, root, cond, &v))
		holds = v != 0;
	else if (cond->def && cond->def->noperands == 2 && dtype_is_integer(value_dtype(op_operand(cond->def, 0))) &&
			value_dtype(op_operand(cond->def, 0)) != DT_U64 && known_at_entry(rw, root, op_operand(cond->def, 0), &a) &&
			known_at_entry(rw, root, op_operand(cond->def, 1), &b))
		holds = !compares(op_kind(cond->def), a, b, &holds) || holds;
	if (holds)
		return rw_no(rw, "it is not known that its condition is false at once");
	Value **init = NEW_ARRAY(rw->scratch, Value *, root->nresults + 1u);
	for (size_t i = 0; i < root->nresults; i++)
		init[i] = op_operand(root, i);
	return replace_results(rw, root, init);
}

/* Ops that cannot fail whatever the elements are, so that they may run though the loop might not. */
static bool never_fails(const Op *op)
{
	switch (op_kind(op)) {
	case OP_shape: case OP_size: case OP_transpose: case OP_cast: case OP_unsqueeze:
		return true;
	default:
		return op->def->traits & TRAIT_ELTWISE && op->noperands == 1 && op->nblocks == 0;
	}
}

/* What does not change from one iteration to the next is computed before the loop. */
static bool loop_invariant(Rw *rw, Op *root)
{
	for (size_t k = 0; k < root->nblocks; k++) {
		FOR_EACH_OP(op, root->blocks[k]) {
			if (!may_hoist(op, root) || !never_fails(op) || value_is_output(op->results[0]))
				continue;
			hoist(rw, op);
			rw->fired = true;
			return true;
		}
	}
	return rw_no(rw, "everything in it depends on the iteration");
}

/* Readers of an argument read another value instead; what hands the argument on stays, for dce to see. */
static bool read_instead(Value *arg, Value *by)
{
	bool any = false;
	for (Use *u = arg->uses, *next; u; u = next) {
		next = u->next;
		if (u->user->def->traits & TRAIT_TERMINATOR || op_is(u->user, OP_identity))
			continue;
		op_set_operand(u->user, (size_t)(u - u->user->operands), by);
		any = true;
	}
	return any;
}

/* A state that the body hands through is its initial value. */
static bool loop_constant_state(Rw *rw, Op *root)
{
	LoopStates s = loop_states(root);
	Block *body = root->nblocks ? root->blocks[root->nblocks - 1u] : NULL;
	Block *cond = root->nblocks == 2 ? root->blocks[0] : NULL;
	bool fired = false;
	for (size_t i = 0; body && state_fits(root) && i < s.n && s.arg + i < body->nargs && i < root->nresults; i++) {
		Value *arg = body->args[s.arg + i], *init = op_operand(root, s.operand + i);
		if (!init || s.yield + i >= block_terminator(body)->noperands ||
				through_identity(yielded(body, s.yield + i)) != arg || (cond && i >= cond->nargs))
			continue;
		bool read = read_instead(arg, init);
		read |= cond && read_instead(cond->args[i], init);
		if (read)
			rw->fired = fired = true;
		if (value_has_uses(root->results[i]) && !output_needs_op(root->results[i], init))
			fired |= rw_replace(rw, root->results[i], init);
		if (root->erased)
			return true;
	}
	return fired || rw_no(rw, "the body changes every state");
}

static const Rule RULES[] = {{"identity", "identity(x)", "x", OP_identity, CLASS_EXACT, 1, identity_drop},
	{"dropout-inference", "dropout(x) that does not train, or of ratio 0", "x", OP_dropout, CLASS_EXACT, 1, dropout_inference},
	{"if-known", "if(true) {a} else {b}", "a", OP_if, CLASS_EXACT, 1, if_known},
	{"case-known", "case(1) {a} {b}", "b", SHLO_case, CLASS_EXACT, 1, case_known},
	{"while-never", "while whose condition is false at once", "its initial state", OP_while, CLASS_EXACT, 1, while_never},
	{"if-not", "if(not(c)) {a} else {b}", "if(c) {b} else {a}", OP_if, CLASS_EXACT, 1, if_not},
	{"if-equal-branches", "if(c) {a} else {a}", "a", OP_if, CLASS_EXACT, 1, if_equal_branches},
	{"if-equal-results", "if(c) {yield x} else {yield x}", "x", OP_if, CLASS_EXACT, 1, if_equal_results},
	{"if-hoist", "if(c) {f(x), a} else {f(x), b}", "f(x), if(c) {a} else {b}", OP_if, CLASS_EXACT, 1, if_hoist},
	{"if-sink", "if(c) {yield f(a)} else {yield f(b)}", "f(if(c) {yield a} else {yield b})", OP_if, CLASS_EXACT, 1,
		if_sink},
	{"if-merge", "if(c) {a}, if(c) {b}", "if(c) {a, b}", OP_if, CLASS_EXACT, 1, if_merge},
	{"loop-never", "loop of no iteration", "its initial state", OP_loop, CLASS_EXACT, 1, loop_never},
	{"loop-once", "loop of one iteration", "its body", OP_loop, CLASS_EXACT, 1, loop_once},
	{"loop-invariant", "loop {f(x)} of an outer x", "f(x), loop", OP_loop, CLASS_EXACT, 2, loop_invariant},
	{"loop-invariant", "scan {f(x)} of an outer x", "f(x), scan", OP_scan, CLASS_EXACT, 2, loop_invariant},
	{"loop-invariant", "while {f(x)} of an outer x", "f(x), while", OP_while, CLASS_EXACT, 2, loop_invariant},
	{"loop-constant-state", "loop whose body yields a state unchanged", "its initial value", OP_loop, CLASS_EXACT, 1,
		loop_constant_state},
	{"loop-constant-state", "while whose body yields a state unchanged", "its initial value", OP_while, CLASS_EXACT, 1,
		loop_constant_state},
	{"loop-constant-state", "scan whose body yields a state unchanged", "its initial value", OP_scan, CLASS_EXACT, 1,
		loop_constant_state},
	RULES_SEQUENCE_ROWS};

const RuleSet RULES_CONTROL = { "control", RULES, ARRAY_LEN(RULES) };

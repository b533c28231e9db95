/* dce: removes ops whose results nobody uses, and what ifs, loops, sorts and reductions carry for nobody.
 *
 *   %a, %b = if %c {yield %x, %y} ...   use %b      ->   %b = if %c {yield %y} ...   use %b
 *
 * One backward walk: when an op goes, its operands' producers, which come earlier, are seen after it. Nested blocks are
 * walked where their op stands. A loop state is needed when its result is used, or when the condition, what the loop
 * collects or another needed state depends on it. An ONNX graph has no effects, so ops of unknown meaning go as well
 * when they have results and none is used; ops of other dialects, and those of StableHLO that act on the world, stay.
 * Keeps: types, order. */
#include "pass/pass.h"

#include <string.h>

typedef struct Dce {
	PassCtx *p;
	Arena *arena;
} Dce;

static bool has_effect(const Op *op, int depth);

static bool block_has_effect(const Block *b, int depth)
{
	FOR_EACH_OP(op, b)
		if (has_effect(op, depth))
			return true;
	return false;
}

static const Func *callee_of(const Op *op)
{
	const Str *name = op_attr_str(op, A_callee);
	for (const Func *f = op_func(op)->module->funcs; name && f; f = f->next)
		if (f->name == name)
			return f;
	return NULL;
}

/* What an op does besides giving results. Assertions are for a reader to see: they count. */
static bool has_effect(const Op *op, int depth)
{
	enum { MAX_DEPTH = 32 };
	const Str *target = op_attr_str(op, A_call_target_name);
	const Func *f;
	switch (op_kind(op)) {
	case OP_UNKNOWN:
		return strncmp(op->def->name->s, "onnx.", 5) != 0;
	case SHLO_custom_call:
		return op_attr_int(op, A_has_side_effect, 0) || (target && !strncmp(target->s, "check.", 6));
	case SHLO_infeed: case SHLO_outfeed: case SHLO_send: case SHLO_recv:
		return true;
	case OP_call:
		f = callee_of(op);
		return depth >= MAX_DEPTH || (f && block_has_effect(f->body, depth + 1));
	default:
		break;
	}
	if (op_is_shlo(op) && !op->nresults && !(op->def->traits & TRAIT_TERMINATOR)) /* check.* */
		return true;
	for (size_t i = 0; i < op->nblocks; i++)
		if (op->blocks[i] && (depth >= MAX_DEPTH || block_has_effect(op->blocks[i], depth + 1)))
			return true;
	return false;
}

static bool removable(const Op *op)
{
	if (op->def->traits & TRAIT_TERMINATOR || !op->nresults)
		return false;
	for (size_t i = 0; i < op->nresults; i++)
		if (value_has_uses(op->results[i]))
			return false;
	return !has_effect(op, 0);
}

static void remove_operand(Dce *d, Op *op, size_t at)
{
	Value **v = NEW_ARRAY(d->arena, Value *, op->noperands);
	size_t n = 0;
	for (size_t i = 0; i < op->noperands; i++)
		if (i != at)
			v[n++] = op->operands[i].value;
	op_set_operands(op, v, n);
}

static bool sweep(Dce *d, Block *b);

/* ---- if ---- */

static bool trim_if(Dce *d, Op *op)
{
	bool changed = false;
	for (size_t k = 0; k < op->nblocks; k++)
		if (!block_terminator(op->blocks[k]) || block_terminator(op->blocks[k])->noperands != op->nresults)
			return false;
	for (size_t i = op->nresults; i-- > 0;) {
		if (value_has_uses(op->results[i]))
			continue;
		for (size_t k = 0; k < op->nblocks; k++)
			remove_operand(d, block_terminator(op->blocks[k]), i);
		op_remove_result(op, i);
		changed = true;
	}
	return changed;
}

/* ---- loops ---- */

/* Where the state and the collected values of a loop op stand. */
typedef struct Carried {
	Op *op;
	Block *body, *cond;                /* cond: of a while */
	size_t nstate, ncollected;
	size_t operand, arg, yield;        /* index of the first state */
	bool *needed;                      /* by result */
	Map seen;                          /* ops whose operands were followed */
	Arena *arena;
	VEC(const Value *) todo;           /* values to follow */
} Carried;

static bool carried_of(Dce *d, Op *op, Carried *c)
{
	memset(c, 0, sizeof *c);
	c->op = op;
	c->body = op->nblocks ? op->blocks[op->nblocks - 1] : NULL;
	if (!c->body || !block_terminator(c->body))
		return false;
	if (op_is(op, OP_loop) && op->nblocks == 1) {
		c->operand = c->arg = 2;
		c->yield = 1;
		c->nstate = op->noperands > 2 ? op->noperands - 2u : 0;
	} else if (op_is(op, OP_scan) && op->nblocks == 1) {
		int64_t scans = op_int(op, A_num_scan_inputs);
		if (scans < 0 || scans > op->noperands)
			return false;
		c->nstate = op->noperands - (size_t)scans;
	} else if (op_is(op, OP_while) && op->nblocks == 2) {
		c->cond = op->blocks[0];
		c->nstate = op->noperands;
	} else {
		return false;
	}
	size_t nyield = block_terminator(c->body)->noperands;
	if (op->nresults < c->nstate || nyield != c->yield + op->nresults || c->body->nargs < c->arg + c->nstate ||
			(c->cond && (c->cond->nargs != c->nstate || !block_terminator(c->cond))))
		return false;
	c->ncollected = op->nresults - c->nstate;
	c->needed = NEW_ARRAY(d->arena, bool, op->nresults + 1u);
	map_init(&c->seen, d->arena);
	c->arena = d->arena;
	return true;
}

static void need_value(Carried *c, const Value *v)
{
	if (v)
		VEC_PUSH(c->arena, &c->todo, v);
}

static bool need_operands(void *arg, Op *op)
{
	for (size_t i = 0; i < op->noperands; i++)
		need_value(arg, op->operands[i].value);
	return true;
}

static void need_result(Carried *c, size_t i)
{
	if (c->needed[i])
		return;
	c->needed[i] = true;
	need_value(c, op_operand(block_terminator(c->body), c->yield + i));
}

static void follow(Carried *c, const Value *v)
{
	if (!v->def) {
		size_t first = v->block == c->cond ? 0 : c->arg;
		if ((v->block == c->body || v->block == c->cond) && v->index >= first && v->index - first < c->nstate)
			need_result(c, v->index - first);
		return;
	}
	Op *op = op_ancestor_in(v->def, c->body);
	if (!op && c->cond)
		op = op_ancestor_in(v->def, c->cond);
	if (!op || map_has(&c->seen, MAP_PTR(op)))
		return;
	map_put(&c->seen, MAP_PTR(op), op);
	need_operands(c, op);
	for (size_t i = 0; i < op->nblocks; i++)
		block_walk(op->blocks[i], need_operands, c);
}

/* Marks the states that the values to follow depend on. A list, not recursion: bodies may be long chains. */
static void follow_all(Carried *c)
{
	while (c->todo.len)
		follow(c, c->todo.data[--c->todo.len]);
}

/* Entry i goes from a list attribute that has one entry a collected value. */
static void trim_list(Dce *d, Op *op, AttrName name, size_t at)
{
	const int64_t *v;
	size_t n = op_attr_ints(op, name, &v), m = 0;
	int64_t *kept = NEW_ARRAY(d->arena, int64_t, n + 1);
	if (at >= n)
		return;
	for (size_t i = 0; i < n; i++)
		if (i != at)
			kept[m++] = v[i];
	Context *c = d->p->ctx;
	op_set_attr(op, c->attr_names[name], m ? attr_ints(c, kept, m) : NULL);
}

/* First all results and what the body yields for them; then, once nothing in the body reads them, arguments and
 * operands. */
static bool trim_loop(Dce *d, Op *op)
{
	Carried c;
	if (!carried_of(d, op, &c))
		return false;
	for (size_t i = 0; i < op->nresults; i++)
		if (value_has_uses(op->results[i]))
			need_result(&c, i);
	for (size_t i = 0; i < c.yield; i++)
		need_value(&c, op_operand(block_terminator(c.body), i));
	if (c.cond)
		need_operands(&c, block_terminator(c.cond));
	follow_all(&c);
	bool changed = false;
	for (size_t i = op->nresults; i-- > 0;) {
		if (c.needed[i])
			continue;
		remove_operand(d, block_terminator(c.body), c.yield + i);
		op_remove_result(op, i);
		if (i >= c.nstate) {
			trim_list(d, op, A_scan_output_axes, i - c.nstate);
			trim_list(d, op, A_scan_output_directions, i - c.nstate);
		}
		changed = true;
	}
	if (!changed)
		return false;
	sweep(d, c.body);
	if (c.cond)
		sweep(d, c.cond);
	for (size_t i = c.nstate; i-- > 0;) {
		if (c.needed[i])
			continue;
		remove_operand(d, op, c.operand + i);
		block_erase_arg(c.body, (uint32_t)(c.arg + i));
		if (c.cond)
			block_erase_arg(c.cond, (uint32_t)i);
	}
	return true;
}

/* ---- sorts and reductions ---- */

/* Arguments of the body come in pairs in a sort; in a reduction, first all of one kind. */

/* Which of the n operands the body needs for the results that are used: for a sort, those it compares by. */
static bool *columns_needed(Dce *d, const Op *op, size_t n)
{
	Carried c = { .arena = d->arena };
	Block *body = op->blocks[0];
	Op *end = block_terminator(body);
	bool *needed = NEW_ARRAY(d->arena, bool, n), sort = op_is(op, SHLO_sort);
	map_init(&c.seen, d->arena);
	if (sort)
		need_value(&c, op_operand(end, 0));
	for (size_t i = 0; i < n; i++) {
		needed[i] = value_has_uses(op->results[i]);
		if (!sort && needed[i])
			need_value(&c, op_operand(end, i));
	}
	while (c.todo.len) {
		const Value *v = c.todo.data[--c.todo.len];
		Op *def = v->def ? op_ancestor_in(v->def, body) : NULL;
		if (!v->def && v->block == body) {
			size_t i = sort ? v->index / 2 : v->index % n;
			if (!sort && !needed[i])
				need_value(&c, op_operand(end, i));
			needed[i] = true;
		} else if (def && !map_has(&c.seen, MAP_PTR(def))) {
			map_put(&c.seen, MAP_PTR(def), def);
			need_operands(&c, def);
			for (size_t i = 0; i < def->nblocks; i++)
				block_walk(def->blocks[i], need_operands, &c);
		}
	}
	return needed;
}

/* What is sorted or reduced along for nobody goes, with its arguments and initial values. */
static bool trim_columns(Dce *d, Op *op)
{
	size_t n = op->nresults, rows = op_is(op, SHLO_sort) ? 1 : 2;
	Block *body = op->nblocks == 1 ? op->blocks[0] : NULL;
	Op *end = body ? block_terminator(body) : NULL;
	if (!end || n < 2 || op->noperands != rows * n || body->nargs != 2 * n || end->noperands != (rows == 1 ? 1 : n))
		return false;
	bool *needed = columns_needed(d, op, n);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		kept += needed[i];
	if (kept == n || kept == 0)
		return false;
	for (size_t i = n; rows == 2 && i-- > 0;)
		if (!needed[i])
			remove_operand(d, end, i);
	sweep(d, body);
	for (size_t k = 2 * n; k-- > 0;) {
		size_t i = rows == 1 ? k / 2 : k % n;
		if (!needed[i])
			block_erase_arg(body, (uint32_t)k);
	}
	for (size_t k = rows * n; k-- > 0;)
		if (!needed[k % n])
			remove_operand(d, op, k);
	for (size_t i = n; i-- > 0;)
		if (!needed[i])
			op_remove_result(op, i);
	return true;
}

/* ---- walk ---- */

static bool sweep(Dce *d, Block *b)
{
	bool changed = false;
	for (Op *op = b->last, *prev; op; op = prev) {
		prev = op->prev;
		if (removable(op)) {
			op_erase(op);
			changed = true;
			continue;
		}
		if (op->nblocks && op_is(op, OP_if))
			changed |= trim_if(d, op);
		else if (op_is(op, SHLO_sort) || op_is(op, SHLO_reduce))
			changed |= trim_columns(d, op);
		else if (op->nblocks)
			changed |= trim_loop(d, op);
		for (size_t i = 0; i < op->nblocks; i++)
			changed |= sweep(d, op->blocks[i]);
	}
	return changed;
}

/* Library functions that no op names any more are dropped by the inliner; unused ones stay as the author wrote them. */
bool pass_dce(Module *m, PassCtx *p)
{
	Dce d = { .p = p, .arena = arena_new() };
	bool changed = false;
	for (Func *f = m->funcs; f; f = f->next)
		changed |= sweep(&d, f->body);
	arena_free(d.arena);
	return changed;
}

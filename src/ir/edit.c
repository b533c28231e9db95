#include "intern.h"
#include "ops/ops.h"

#include <string.h>

/* Outline: every change relinks use lists first and then queues the ops whose `constant` flag the change can touch;
 * queue_run recomputes them and goes on to the users of what flipped. An op in a nested block counts for the ops around
 * it too: the region op is constant only when everything that its blocks capture is. */

static Module *op_module(const Op *op)
{
	return op->block->func->module;
}

/* ---- use lists ---- */

static bool is_terminator(const OpDef *d)
{
	return (d->traits & TRAIT_TERMINATOR) != 0;
}

static void use_unlink(Use *u)
{
	if (!u->value)
		return;
	u->value->nuses--;
	u->value->nyields -= is_terminator(u->user->def);
	*u->prev = u->next;
	if (u->next)
		u->next->prev = u->prev;
	u->value = NULL;
	u->next = NULL;
	u->prev = NULL;
}

static void use_link(Use *u, Op *user, Value *v)
{
	u->user = user;
	u->value = v;
	if (!v)
		return;
	v->nuses++;
	v->nyields += is_terminator(user->def);
	u->next = v->uses;
	u->prev = &v->uses;
	if (u->next)
		u->next->prev = &u->next;
	v->uses = u;
}

/* ---- the constant flag ---- */

static bool def_is_pure(const OpDef *d)
{
	return (d->traits & TRAIT_PURE) && !(d->traits & TRAIT_RANDOM);
}

static bool value_is_inside(const Value *v, const Op *region)
{
	const Block *b = v->def ? v->def->block : v->block;
	while (b && b->parent != region)
		b = b->parent ? b->parent->block : NULL;
	return b != NULL;
}

/* v, used inside region, keeps region from being constant. */
static bool value_blocks(const Value *v, const Op *region)
{
	return v && !value_is_constant(v) && !value_is_inside(v, region);
}

static bool op_blocks(const Op *op, const Op *region)
{
	if (!def_is_pure(op->def) && !(op->def->traits & TRAIT_TERMINATOR))
		return true;
	for (size_t i = 0; i < op->noperands; i++)
		if (value_blocks(op->operands[i].value, region))
			return true;
	return false;
}

static bool nested_op_is_fine(void *arg, Op *op)
{
	return !op_blocks(op, arg);
}

static bool compute_constant(Op *op)
{
	if (!def_is_pure(op->def))
		return false;
	for (size_t i = 0; i < op->noperands; i++)
		if (op->operands[i].value && !value_is_constant(op->operands[i].value))
			return false;
	for (size_t i = 0; i < op->nblocks; i++) {
		const Block *b = op->blocks[i];
		if (!b || !b->last || !(b->last->def->traits & TRAIT_TERMINATOR))
			return false; /* still under construction: its terminator asks again */
	}
	for (size_t i = 0; i < op->nblocks; i++)
		if (!block_walk(op->blocks[i], nested_op_is_fine, op))
			return false;
	return true;
}

/* Ops to recompute. Starts on the stack; only a long cascade takes arena memory. */
typedef struct Queue {
	Arena *arena;
	VEC(Op *) ops;
	Op *small[32];
} Queue;

static void queue_init(Queue *q, Module *m)
{
	q->arena = m->arena;
	q->ops.data = q->small;
	q->ops.len = 0;
	q->ops.cap = ARRAY_LEN(q->small);
}

static void queue_op(Queue *q, Op *op)
{
	if (q->ops.len && q->ops.data[q->ops.len - 1] == op)
		return;
	if (q->ops.len == q->ops.cap) {
		Op **grown = NEW_ARRAY(q->arena, Op *, 2 * q->ops.cap);
		memcpy(grown, q->ops.data, q->ops.len * sizeof *grown);
		q->ops.data = grown;
		q->ops.cap *= 2;
	}
	q->ops.data[q->ops.len++] = op;
}

/* An operand of `user` changed from `from` to `to` (either may be NULL, which is as good as constant). */
static void queue_use_change(Queue *q, Op *user, const Value *from, const Value *to)
{
	bool was = !from || value_is_constant(from), is = !to || value_is_constant(to);
	if (was != is)
		queue_op(q, user);
	if (was && is)
		return;
	for (Op *a = user->block->parent; a && a->block; a = a->block->parent)
		if (value_blocks(from, a) != value_blocks(to, a))
			queue_op(q, a);
}

/* Ops around the users of a result of `op` that just flipped, out to the block of `op`. */
static void queue_result_users(Queue *q, const Op *op)
{
	for (size_t i = 0; i < op->nresults; i++)
		for (Use *u = op->results[i]->uses; u; u = u->next)
			for (Op *a = u->user; a && a->block; a = a->block->parent) {
				queue_op(q, a);
				if (a->block == op->block)
					break;
			}
}

static void queue_run(Queue *q)
{
	while (q->ops.len) {
		Op *op = q->ops.data[--q->ops.len];
		if (op->erased || !op->block)
			continue;
		bool now = compute_constant(op);
		if (now == op->constant)
			continue;
		op->constant = now;
		queue_result_users(q, op);
	}
}

/* `op` arrives in its block (or its meaning or blocks changed): what it does to the ops around it. The end of a block is
 * where a region op under construction becomes complete. */
static void queue_around(Queue *q, const Op *op)
{
	bool terminator = op->def->traits & TRAIT_TERMINATOR;
	for (Op *a = op->block->parent; a && a->block; a = a->block->parent)
		if (a->constant ? !terminator && op_blocks(op, a) : terminator || op->nblocks)
			queue_op(q, a);
}

/* `op` leaves: ops around it that it may have kept from being constant. */
static void queue_without(Queue *q, const Op *op, const Block *b)
{
	for (Op *a = b->parent; a && a->block; a = a->block->parent)
		if (a->constant ? (op->def->traits & TRAIT_TERMINATOR) != 0 : op->nblocks || op_blocks(op, a))
			queue_op(q, a);
}

void op_update_constant(Op *op)
{
	Queue q;
	queue_init(&q, op_module(op));
	queue_op(&q, op);
	queue_run(&q);
}

/* ---- attribute lists ---- */

int str_order(const Str *a, const Str *b)
{
	if (a == b)
		return 0;
	size_t n = a->len < b->len ? a->len : b->len;
	int d = memcmp(a->s, b->s, n);
	return d ? d : (a->len > b->len) - (a->len < b->len);
}

/* Keeps the list sorted; a list that grows is copied, for it may be shared with whoever made it. */
void named_attr_set(Arena *a, NamedAttr **list, uint16_t *n, const Str *name, const Attr *v)
{
	size_t at = 0;
	while (at < *n && (*list)[at].name != name && str_order((*list)[at].name, name) < 0)
		at++;
	bool found = at < *n && (*list)[at].name == name;
	if (found && v) {
		(*list)[at].value = v;
	} else if (found) {
		memmove(*list + at, *list + at + 1, (*n - at - 1u) * sizeof **list);
		(*n)--;
	} else if (v) {
		CHECK(*n < UINT16_MAX);
		NamedAttr *grown = NEW_ARRAY(a, NamedAttr, *n + 1u);
		if (at)
			memcpy(grown, *list, at * sizeof *grown);
		grown[at] = (NamedAttr){ name, v };
		if (at < *n)
			memcpy(grown + at + 1, *list + at, (*n - at) * sizeof *grown);
		*list = grown;
		(*n)++;
	}
}

/* Insertion sort: lists are short and mostly sorted. A name given twice keeps the later value. */
static void set_attrs(Op *op, const NamedAttr *attrs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = op->nattrs;
		while (at > 0 && str_order(op->attrs[at - 1].name, attrs[i].name) > 0)
			at--;
		if (at > 0 && op->attrs[at - 1].name == attrs[i].name) {
			op->attrs[at - 1].value = attrs[i].value;
			continue;
		}
		if (at < op->nattrs)
			memmove(op->attrs + at + 1, op->attrs + at, (op->nattrs - at) * sizeof *op->attrs);
		op->attrs[at] = attrs[i];
		op->nattrs++;
	}
}

/* ---- op lists of blocks ---- */

static void block_insert(Block *b, Op *op, Op *before)
{
	op->block = b;
	op->next = before;
	op->prev = before ? before->prev : b->last;
	if (op->prev)
		op->prev->next = op;
	else
		b->first = op;
	if (before)
		before->prev = op;
	else
		b->last = op;
}

static void block_remove(Op *op)
{
	Block *b = op->block;
	if (op->prev)
		op->prev->next = op->next;
	else
		b->first = op->next;
	if (op->next)
		op->next->prev = op->prev;
	else
		b->last = op->prev;
	op->prev = op->next = NULL;
	op->block = NULL;
}

/* ---- ops ---- */

static void result_init(Value *v, Module *m, Op *op, size_t index, const Type *t)
{
	v->type = t ? t : type_unknown(m->ctx);
	v->def = op;
	v->index = (uint32_t)index;
	v->id = m->next_value++;
}

/* An op and all that it needs lie side by side: one allocation, little memory, few cache lines. */
typedef struct OpRoom {
	Op op;
	char rest[]; /* uses, pointers to results, results, blocks, attributes: all aligned like pointers */
} OpRoom;

static void room_add(size_t *bytes, size_t size, size_t n)
{
	size_t more;
	if (__builtin_mul_overflow(size, n, &more) || __builtin_add_overflow(*bytes, more, bytes))
		mem_fail();
}

static void *room_take(char **at, size_t size, size_t n)
{
	void *p = *at;
	*at += size * n;
	return p;
}

static Op *op_alloc(Arena *a, const OpSpec *s)
{
	size_t bytes = sizeof(OpRoom);
	room_add(&bytes, sizeof(Use), s->noperands);
	room_add(&bytes, sizeof(Value *) + sizeof(Value), s->nresults);
	room_add(&bytes, sizeof(Block *), s->nblocks);
	room_add(&bytes, sizeof(NamedAttr), s->nattrs);
	OpRoom *room = arena_alloc(a, bytes);
	char *at = room->rest;
	Op *op = &room->op;
	op->operands = room_take(&at, sizeof(Use), s->noperands);
	op->results = room_take(&at, sizeof(Value *), s->nresults);
	Value *results = room_take(&at, sizeof(Value), s->nresults);
	for (size_t i = 0; i < s->nresults; i++)
		op->results[i] = &results[i];
	op->blocks = room_take(&at, sizeof(Block *), s->nblocks);
	op->attrs = room_take(&at, sizeof(NamedAttr), s->nattrs);
	return op;
}

Op *op_new(Block *b, Op *before, const OpSpec *s)
{
	Module *m = b->func->module;
	CHECK(s->def && (!before || before->block == b));
	CHECK(s->noperands <= MAX_OPERANDS && s->nresults <= MAX_OPERANDS && s->nattrs <= UINT16_MAX && s->nblocks <= UINT16_MAX);
	Op *op = op_alloc(m->arena, s);
	op->def = s->def;
	op->id = m->next_op++;
	op->noperands = (uint32_t)s->noperands;
	op->nresults = (uint32_t)s->nresults;
	op->nblocks = (uint16_t)s->nblocks;
	for (size_t i = 0; i < s->noperands; i++)
		use_link(&op->operands[i], op, s->operands[i]);
	for (size_t i = 0; i < s->nresults; i++)
		result_init(op->results[i], m, op, i, s->types ? s->types[i] : NULL);
	set_attrs(op, s->attrs, s->nattrs);
	op->loc = s->loc;
	op->name = s->name;
	block_insert(b, op, before);
	op->constant = compute_constant(op); /* nobody uses it yet */
	m->edits++;
	if (b->parent) {
		Queue q;
		queue_init(&q, m);
		queue_around(&q, op);
		queue_run(&q);
	}
	return op;
}

void op_set_block(Op *op, size_t i, Block *b)
{
	CHECK(i < op->nblocks && b);
	op->blocks[i] = b;
	b->parent = op;
	op_module(op)->edits++;
	Queue q;
	queue_init(&q, op_module(op));
	queue_op(&q, op);
	queue_around(&q, op);
	queue_run(&q);
}

void op_set_operand(Op *op, size_t i, Value *v)
{
	CHECK(i < op->noperands);
	Value *old = op->operands[i].value;
	if (old == v)
		return;
	use_unlink(&op->operands[i]);
	use_link(&op->operands[i], op, v);
	op_module(op)->edits++;
	Queue q;
	queue_init(&q, op_module(op));
	queue_use_change(&q, op, old, v);
	queue_run(&q);
}

/* All old slots are unlinked before the new ones are linked, so `v` may point to values that op uses already; it must
 * not point into op->operands. */
void op_set_operands(Op *op, Value *const *v, size_t n)
{
	CHECK(n <= MAX_OPERANDS);
	Module *m = op_module(op);
	Queue q;
	queue_init(&q, m);
	for (size_t i = 0; i < op->noperands; i++) {
		queue_use_change(&q, op, op->operands[i].value, NULL);
		use_unlink(&op->operands[i]);
	}
	if (n > op->noperands)
		op->operands = NEW_ARRAY(m->arena, Use, n);
	op->noperands = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		use_link(&op->operands[i], op, v[i]);
		queue_use_change(&q, op, NULL, v[i]);
	}
	m->edits++;
	queue_run(&q);
}

void op_set_attr(Op *op, const Str *name, const Attr *v)
{
	named_attr_set(op_module(op)->arena, &op->attrs, &op->nattrs, name, v);
	op_module(op)->edits++;
}

void op_set_def(Op *op, const OpDef *def)
{
	if (op->def == def)
		return;
	Queue q;
	queue_init(&q, op_module(op));
	queue_without(&q, op, op->block);
	int step = is_terminator(def) - is_terminator(op->def);
	for (size_t i = 0; step && i < op->noperands; i++)
		if (op->operands[i].value)
			op->operands[i].value->nyields += (uint32_t)step;
	op->def = def;
	op_module(op)->edits++;
	queue_op(&q, op);
	queue_around(&q, op);
	queue_run(&q);
}

Value *op_add_result(Op *op, const Type *t)
{
	CHECK(op->nresults < MAX_OPERANDS);
	Module *m = op_module(op);
	Value **grown = NEW_ARRAY(m->arena, Value *, op->nresults + 1u);
	if (op->nresults)
		memcpy(grown, op->results, op->nresults * sizeof *grown);
	op->results = grown;
	Value *v = NEW(m->arena, Value);
	result_init(v, m, op, op->nresults, t);
	op->results[op->nresults++] = v;
	m->edits++;
	return v;
}

void op_drop_results(Op *op, size_t n)
{
	if (n >= op->nresults)
		return;
	for (size_t i = n; i < op->nresults; i++)
		CHECK(!op->results[i]->uses);
	op->nresults = (uint32_t)n;
	op_module(op)->edits++;
}

void op_remove_result(Op *op, size_t i)
{
	CHECK(i < op->nresults && !op->results[i]->uses);
	for (size_t k = i + 1; k < op->nresults; k++) {
		op->results[k - 1] = op->results[k];
		op->results[k - 1]->index--;
	}
	op->nresults--;
	op_module(op)->edits++;
}

static bool unlink_operands(void *arg, Op *op)
{
	(void)arg;
	for (size_t i = 0; i < op->noperands; i++)
		use_unlink(&op->operands[i]);
	return true;
}

/* Takes the nested ops apart from the inside; their operands are unlinked already. */
static void erase_nested(Op *op)
{
	for (size_t i = 0; i < op->nblocks; i++) {
		if (!op->blocks[i])
			continue;
		FOR_EACH_OP(inner, op->blocks[i]) {
			erase_nested(inner);
			for (size_t k = 0; k < inner->nresults; k++)
				CHECK(!inner->results[k]->uses);
			block_remove(inner);
			inner->erased = true;
		}
	}
}

void op_erase(Op *op)
{
	if (op->erased)
		return;
	for (size_t i = 0; i < op->nresults; i++)
		CHECK(!op->results[i]->uses);
	Module *m = op_module(op);
	Queue q;
	queue_init(&q, m);
	queue_without(&q, op, op->block);
	unlink_operands(NULL, op);
	for (size_t i = 0; i < op->nblocks; i++)
		if (op->blocks[i])
			block_walk(op->blocks[i], unlink_operands, NULL);
	erase_nested(op);
	block_remove(op);
	op->erased = true;
	m->edits++;
	queue_run(&q);
}

/* A move within a block changes no flag. */
static void op_move(Op *op, Block *b, Op *before)
{
	CHECK(!before || before->block == b);
	if (before == op)
		return;
	Module *m = op_module(op);
	Block *from = op->block;
	Queue q;
	queue_init(&q, m);
	if (from != b)
		queue_without(&q, op, from);
	block_remove(op);
	block_insert(b, op, before);
	m->edits++;
	if (from == b)
		return;
	queue_around(&q, op);
	/* Results that were inside a region op and are captured by it from now on, or the other way round. */
	if (!op->constant)
		queue_result_users(&q, op);
	queue_run(&q);
}

void op_move_before(Op *op, Op *where)
{
	op_move(op, where->block, where);
}

void op_move_to_end(Op *op, Block *b)
{
	op_move(op, b, NULL);
}

/* ---- values ---- */

void value_replace_uses(Value *from, Value *to)
{
	if (from == to || !from->uses)
		return;
	Module *m = op_module(from->uses->user);
	Queue q;
	queue_init(&q, m);
	Use *last = NULL;
	for (Use *u = from->uses; u; u = u->next) {
		queue_use_change(&q, u->user, from, to);
		u->value = to;
		last = u;
	}
	last->next = to->uses;
	if (to->uses)
		to->uses->prev = &last->next;
	to->uses = from->uses;
	to->uses->prev = &to->uses;
	from->uses = NULL;
	to->nuses += from->nuses;
	to->nyields += from->nyields;
	from->nuses = from->nyields = 0;
	m->edits++;
	queue_run(&q);
}

static Module *value_module(const Value *v)
{
	return v->def ? (v->def->block ? op_module(v->def) : NULL) : v->block->func->module;
}

void value_set_type(Value *v, const Type *t)
{
	CHECK(t);
	if (v->type == t)
		return;
	v->type = t;
	Module *m = value_module(v);
	if (m)
		m->edits++;
}

void value_set_name(Value *v, const Str *name)
{
	v->name = name;
}

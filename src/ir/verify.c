#include "intern.h"
#include "ops/ops.h"

#include <string.h>

/* One walk in program order. Dominance needs no search: a value may be used when it was seen already and its block is
 * still open, that is one of the blocks around the current op. Use lists are counted from both sides: each slot must be
 * in the list of its value (its back link points to itself), and each list must be as long as the slots that were seen. */

typedef struct Verifier {
	Module *m;
	Diags *d;
	Arena *arena;
	const Value **values;  /* by id: seen */
	const Op **ops;        /* by id: seen */
	uint32_t *slots;       /* by value id: operand slots that use it */
	bool *closed;          /* by value id: its block was left */
	VEC(const Value *) all;
	bool ok;
} Verifier;

#define VERIFY_MAX_DEPTH 1024

static void fail(Verifier *v, const Op *op, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void fail(Verifier *v, const Op *op, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *what = arena_vprintf(v->arena, fmt, ap);
	va_end(ap);
	v->ok = false;
	if (!op)
		diag_error(v->d, HONE_INTERNAL, NULL, "invalid IR: %s", what);
	else
		diag_error(v->d, HONE_INTERNAL, op->loc, "invalid IR: op #%u %s: %s", op->id,
		           op->def && op->def->name ? op->def->name->s : "(no definition)", what);
}

static bool value_seen(const Verifier *v, const Value *x)
{
	return x->id < v->m->next_value && v->values[x->id] == x;
}

static void see_value(Verifier *v, const Op *op, const Value *x, size_t index)
{
	if (!x->type)
		fail(v, op, "value #%u has no type", x->id);
	if (x->index != index)
		fail(v, op, "value #%u has index %u, expected %zu", x->id, x->index, index);
	if (x->id >= v->m->next_value) {
		fail(v, op, "value id %u is out of range", x->id);
	} else if (v->values[x->id]) {
		fail(v, op, "value id %u is taken twice", x->id);
	} else {
		v->values[x->id] = x;
		VEC_PUSH(v->arena, &v->all, x);
	}
}

static void check_arity(Verifier *v, const Op *op)
{
	const OpDef *d = op->def;
	if (op->noperands < d->min_operands || (d->max_operands != UINT16_MAX && op->noperands > d->max_operands))
		fail(v, op, "%u operands, expected %u to %u", op->noperands, d->min_operands, d->max_operands);
	if (op->nresults < d->min_results || (d->max_results != UINT16_MAX && op->nresults > d->max_results))
		fail(v, op, "%u results, expected %u to %u", op->nresults, d->min_results, d->max_results);
}

static void check_operand(Verifier *v, const Op *op, size_t i)
{
	const Use *u = &op->operands[i];
	const Value *x = u->value;
	if (u->user != op && (x || u->user))
		fail(v, op, "operand %zu belongs to another op", i);
	if (!x)
		return;
	if (!u->prev || *u->prev != u || (u->next && u->next->prev != &u->next))
		fail(v, op, "operand %zu is not linked into the uses of value #%u", i, x->id);
	if (x->def && x->def->erased) {
		fail(v, op, "operand %zu is a result of an erased op", i);
	} else if (!value_seen(v, x)) {
		fail(v, op, "operand %zu (value #%u) is used before its definition", i, x->id);
	} else {
		if (v->closed[x->id])
			fail(v, op, "operand %zu (value #%u) is defined in a block that does not enclose the use", i, x->id);
		v->slots[x->id]++;
	}
}

static void check_attrs(Verifier *v, const Op *op)
{
	for (size_t i = 0; i < op->nattrs; i++) {
		if (!op->attrs[i].name || !op->attrs[i].value)
			fail(v, op, "attribute %zu has no name or value", i);
		else if (i > 0 && op->attrs[i - 1].name && str_order(op->attrs[i - 1].name, op->attrs[i].name) >= 0)
			fail(v, op, "attribute '%s' is out of order or double", op->attrs[i].name->s);
	}
}

static void check_block(Verifier *v, const Block *b, const Func *f, int depth);

static void check_regions(Verifier *v, const Op *op, int depth)
{
	for (size_t i = 0; i < op->nblocks; i++) {
		const Block *b = op->blocks[i];
		if (!b)
			fail(v, op, "block %zu is missing", i);
		else if (b->parent != op)
			fail(v, op, "block %zu has another parent", i);
		else
			check_block(v, b, op->block->func, depth + 1);
	}
}

/* Operands first, then nested blocks, then results: an op cannot use its own results. */
static void check_op(Verifier *v, const Op *op, int depth)
{
	if (!op->def) {
		fail(v, op, "no definition");
		return;
	}
	if (op->erased)
		fail(v, op, "erased, but still in a block");
	if (op->id >= v->m->next_op)
		fail(v, op, "op id is out of range");
	else if (v->ops[op->id])
		fail(v, op, "op id is taken twice");
	else
		v->ops[op->id] = op;
	check_arity(v, op);
	check_attrs(v, op);
	for (size_t i = 0; i < op->noperands; i++)
		check_operand(v, op, i);
	check_regions(v, op, depth);
	for (size_t i = 0; i < op->nresults; i++) {
		if (!op->results[i] || op->results[i]->def != op || op->results[i]->block) {
			fail(v, op, "result %zu does not point back to the op", i);
			continue;
		}
		see_value(v, op, op->results[i], i);
	}
}

static void close_values(Verifier *v, const Block *b)
{
	for (uint32_t i = 0; i < b->nargs; i++)
		if (value_seen(v, b->args[i]))
			v->closed[b->args[i]->id] = true;
	for (const Op *op = b->first; op; op = op->next)
		for (size_t i = 0; i < op->nresults; i++)
			if (op->results[i] && value_seen(v, op->results[i]))
				v->closed[op->results[i]->id] = true;
}

static void check_block(Verifier *v, const Block *b, const Func *f, int depth)
{
	const Op *owner = b->parent, *prev = NULL;
	if (depth > VERIFY_MAX_DEPTH) {
		fail(v, owner, "blocks are nested more than %d deep", VERIFY_MAX_DEPTH);
		return;
	}
	if (b->func != f)
		fail(v, owner, "block belongs to another function");
	for (uint32_t i = 0; i < b->nargs; i++) {
		if (b->args[i]->block != b || b->args[i]->def)
			fail(v, owner, "argument %u does not point back to its block", i);
		see_value(v, owner, b->args[i], i);
	}
	for (const Op *op = b->first; op; prev = op, op = op->next) {
		if (op->block != b || op->prev != prev) {
			fail(v, op, "wrong links to its block or its predecessor");
			return; /* the list may be a ring */
		}
		check_op(v, op, depth);
		if (op->def && (op->def->traits & TRAIT_TERMINATOR) && op->next)
			fail(v, op, "terminator is not the last op of its block");
	}
	if (b->last != prev)
		fail(v, owner, "last op of the block is not the end of its list");
	if (!prev)
		fail(v, owner, "block has no terminator");
	else if (prev->def && !(prev->def->traits & TRAIT_TERMINATOR))
		fail(v, prev, "last op of its block, but not a terminator");
	close_values(v, b);
}

/* Slots that were seen are all linked; a list that is longer holds slots of ops that are gone. */
static void check_uses(Verifier *v)
{
	for (size_t i = 0; i < v->all.len; i++) {
		const Value *x = v->all.data[i];
		uint32_t n = 0, yields = 0, want = v->slots[x->id];
		const Use *const *link = (const Use *const *)&x->uses;
		for (const Use *u = x->uses; u && n <= want; u = u->next, n++) {
			if (u->value != x || (const Use *const *)u->prev != link)
				fail(v, x->def, "use list of value #%u is broken", x->id);
			link = (const Use *const *)&u->next;
			yields += (u->user->def->traits & TRAIT_TERMINATOR) != 0;
		}
		if (n != want)
			fail(v, x->def, "value #%u has %s entries in its use list than operand slots", x->id,
			     n > want ? "more" : "fewer");
		else if (x->nuses != n || x->nyields != yields)
			fail(v, x->def, "value #%u has wrong counts of its uses", x->id);
	}
}

static void check_func(Verifier *v, const Func *f)
{
	if (f->module != v->m)
		fail(v, NULL, "function '%s' belongs to another module", f->name ? f->name->s : "");
	if (!f->body || f->body->parent)
		fail(v, NULL, "function '%s' has no body of its own", f->name ? f->name->s : "");
	else
		check_block(v, f->body, f, 0);
}

bool module_verify(Module *m, Diags *d)
{
	Arena *a = arena_new();
	Verifier v = { .m = m, .d = d, .arena = a, .ok = true };
	v.values = NEW_ARRAY(a, const Value *, m->next_value);
	v.ops = NEW_ARRAY(a, const Op *, m->next_op);
	v.slots = NEW_ARRAY(a, uint32_t, m->next_value);
	v.closed = NEW_ARRAY(a, bool, m->next_value);
	bool main_found = !m->main;
	for (const Func *f = m->funcs; f; f = f->next) {
		main_found = main_found || f == m->main;
		check_func(&v, f);
	}
	if (!main_found)
		fail(&v, NULL, "the main function is not in the module");
	check_uses(&v);
	arena_free(a);
	return v.ok;
}

/* The local proof: every value of the original that survives is shown equal, region by region.
 *
 * A value b of the original corresponds to the value a of the result that took its place (the rewrite log says which).
 * Corresponding values are cuts: both sides see the same seeded random elements there. For each pair (b, a) the region
 * between a and the cuts before it is evaluated on both sides, in double, for sampled elements. Equal regions all along
 * the order of the result make equal outputs. A pair whose ops are the same on corresponding operands needs no replay.
 * What is drawn at random is a cut as well: what depends on it is compared on the same numbers (drawn.c has the draws). */
#include "verify/local_int.h"
#include "ops/label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	NO_EVENT = -1, MORE_ROUNDS = 8 /* to take a branch */, MAX_TRIES = 6,
	FEW = 4,           /* samples of a region where one costs more than COSTLY elements */
	COSTLY = 1 << 13
};

/* ---- correspondence ---- */

/* Order of execution: what is nested in an op comes before the op's results. */
static void number_block(Proof *p, const Block *b)
{
	for (const Op *op = b->first; op; op = op->next) {
		for (size_t i = 0; i < op->nblocks; i++)
			number_block(p, op->blocks[i]);
		p->position[op->id] = ++p->numbered;
	}
}

/* Follows replacements to the value that stands for `id` in the end. */
static uint32_t final_id(uint32_t *next, uint32_t id)
{
	uint32_t end = id;
	while (next[end] != end)
		end = next[end];
	while (next[id] != end) { /* path compression */
		uint32_t step = next[id];
		next[id] = end;
		id = step;
	}
	return end;
}

static double *slack_by_name(const Proof *p)
{
	double *s = NEW_ARRAY(p->arena, double, p->log->names.len + 1);
	for (size_t i = 0; i < p->log->names.len; i++) {
		const Rule *r = rule_find(p->log->names.data[i]);
		s[i] = r ? r->slack : 0;
	}
	return s;
}

/* m: the result as the log knows it; its copies are what the proof works on. */
static void correspond(Proof *p, Module *m, Value *const *to_before, uint32_t n)
{
	Value **by_id = NEW_ARRAY(p->arena, Value *, m->next_value + 1u);
	uint32_t *next = NEW_ARRAY(p->arena, uint32_t, m->next_value + 1u);
	int64_t *event = NEW_ARRAY(p->arena, int64_t, m->next_value + 1u);
	double *slack = NEW_ARRAY(p->arena, double, m->next_value + 1u), *granted = slack_by_name(p);
	for (uint32_t i = 0; i < p->copies[1].len; i++) {
		const Value *v = (const Value *)(uintptr_t)p->copies[1].entries[i].key;
		by_id[v->id] = p->copies[1].entries[i].value;
	}
	for (Func *f = p->after->funcs; f; f = f->next)
		number_block(p, f->body);
	for (uint32_t i = 0; i < m->next_value; i++) {
		next[i] = i;
		event[i] = NO_EVENT;
	}
	for (size_t i = 0; i < p->log->events.len; i++) {
		const RewriteEvent *e = &p->log->events.data[i];
		if (e->old_value >= m->next_value || e->new_value >= m->next_value)
			continue;
		uint32_t to = final_id(next, e->new_value);
		if (to != e->old_value)
			next[e->old_value] = to;
		event[to] = (int64_t)i;
		slack[to] = fmax(fmax(slack[to], slack[e->old_value]), granted[e->rule]);
	}
	for (uint32_t i = 0; i < p->after->next_value; i++)
		p->event[i] = NO_EVENT;
	for (uint32_t i = 0; i < m->next_value; i++)
		if (by_id[i]) {
			p->event[by_id[i]->id] = event[i];
			p->slack[by_id[i]->id] = slack[i];
		}
	for (uint32_t i = 0; i < n; i++) {
		Value *b = to_before[i] ? map_get(&p->copies[0], MAP_PTR(to_before[i])) : NULL;
		Value *a = b ? by_id[final_id(next, i)] : NULL;
		if (!a)
			continue;
		p->image[b->id] = a;
		p->is_image[a->id] = 1;
		p->draw[a->id] |= is_drawn(b);
	}
}

static uint32_t position_of(const Proof *p, const Value *v)
{
	return v->def ? p->position[v->def->id] : 0; /* arguments are there before anything runs */
}

/* ---- callbacks of pull ---- */

/* Values that no replay computes: arguments, and what a random op draws. */
static bool is_given(const Value *v)
{
	return !v->def || is_drawn(v);
}

/* And what stands for drawn numbers of the original, but for the one whose drawing is under proof. */
static bool given_after(const Proof *p, const Value *v)
{
	bool inside = p->drawing && (v == p->self || !p->is_image[v->id]);
	return !v->def || (!inside && (p->draw[v->id] || is_drawn(v)));
}

/* A loop is computed by no replay: it is cut at in every mode. */
static bool is_loop(const Value *v)
{
	return v->def && v->def->nblocks && !op_is(v->def, OP_if);
}

static int64_t cut_after(Proof *p, const Value *v)
{
	if (!given_after(p, v) && (v == p->self || !p->is_image[v->id] || (p->mode == CUT_INPUTS && !is_loop(v)) ||
			position_of(p, v) > position_of(p, p->self) || position_of(p, v) > p->limit))
		return -1;
	p->hit[v->id] = p->stamp;
	if (position_of(p, v) > p->latest)
		p->latest = position_of(p, v);
	return v->id;
}

static int64_t cut_before(const Proof *p, const Value *v)
{
	const Value *a = p->image[v->id];
	if (!a || (p->drawing && a == p->self))
		return -1;
	if (is_given(v))
		return a->id;
	if (a == p->self || p->mode == CUT_INPUTS || (p->mode == CUT_COMMON && p->hit[a->id] != p->stamp))
		return -1;
	return position_of(p, a) < position_of(p, p->self) ? (int64_t)a->id : -1;
}

static int64_t cut(void *arg, const Value *v)
{
	const Side *s = arg;
	return s->after ? cut_after(s->proof, v) : cut_before(s->proof, v);
}

/* What became constant in the result has one value, not a random one. And where several values of the original became one,
 * an earlier one of them cannot be cut at; what it was shown to equal gives its value, so that no region grows with the
 * number of such values. */
static const Value *known_image(void *arg, const Value *v)
{
	const Proof *p = ((const Side *)arg)->proof;
	const Value *a = p->image[v->id];
	if (!a)
		return NULL;
	if (a != p->self && value_is_constant(a))
		return a;
	if (a != p->self && is_loop(v) && position_of(p, a) <= position_of(p, p->self))
		return a;
	bool earlier = p->mode == CUT_ALL && p->seen[v->id] && !is_given(v);
	return earlier && position_of(p, a) >= position_of(p, p->self) ? a : NULL;
}

static const Type *type_of(void *arg, const Value *v)
{
	const Side *s = arg;
	const Value *a = s->after ? v : s->proof->image[v->id];
	return a && type_has_rank(a->type) && a->type->dtype != DT_NONE ? a->type : v->type;
}

static const Elems *facts_of(void *arg, const Value *v)
{
	Side *s = arg;
	Value *a = s->after ? NULL : s->proof->image[v->id];
	const Elems *e = a ? infer_elems(&s->proof->sides[1].infer, a) : NULL;
	return e ? e : infer_elems(&s->infer, v);
}

/* Sizes for symbols: small ones first; where a window or a slice needs more, larger ones. */
static bool symbol_size(void *arg, const Sym *sym, int64_t *out)
{
	static const int64_t BASE[] = { 3, 8, 32, 64, 224 };
	const Proof *p = ((Side *)arg)->proof;
	const Str *name = sym_name(sym);
	uint64_t h = p->tied && sym_is_unknown(sym) ? 0 : hash_bytes(name->s, name->len, 7);
	*out = p->strategy < 2 ? BASE[p->strategy] + (int64_t)(h % 5) : BASE[p->strategy] + 32 * (int64_t)(h % 2);
	return true;
}

static bool selects(void *arg, const Value *v)
{
	const Side *s = arg;
	const Value *a = s->after ? v : s->proof->image[v->id];
	return a && s->proof->index_like[a->id];
}

/* ---- which integers select elements: one backward walk over each module ---- */

static bool takes_index(const Op *op, size_t operand)
{
	switch (op_kind(op)) {
	case OP_gather: case OP_gather_elements: case OP_gather_nd: case OP_scatter_elements: case OP_scatter_nd:
		return operand == 1;
	case OP_one_hot:
		return operand == 0;
	default:
		return false;
	}
}

static void mark_index(Proof *p, const Side *s, const Value *v)
{
	const Value *a = !v ? NULL : s->after ? v : p->image[v->id];
	if (a && type_is_tensor(a->type) && dtype_is_integer(a->type->dtype))
		p->index_like[a->id] = 1;
}

static void mark_block(Proof *p, const Side *s, Block *b)
{
	for (Op *op = b->last; op; op = op->prev) {
		bool from_result = false;
		for (size_t i = 0; i < op->nresults; i++)
			from_result |= selects((void *)s, op->results[i]);
		for (size_t i = 0; i < op->noperands; i++)
			if (takes_index(op, i) || (from_result && op->nblocks == 0))
				mark_index(p, s, op->operands[i].value);
		for (size_t i = 0; i < op->nblocks; i++)
			mark_block(p, s, op->blocks[i]);
	}
}

/* ---- symbol assignment: the first under which every size of both modules is positive ---- */

typedef struct SizeTest {
	Side *side;
	int64_t bad;
} SizeTest;

static void test_type(SizeTest *t, const Type *type)
{
	for (int i = 0; type_has_rank(type) && i < type->rank; i++) {
		int64_t v;
		if (!sym_eval(type->dims[i], symbol_size, t->side, &v) || v < 0 || (v == 0 && !sym_is(type->dims[i], 0)))
			t->bad++;
	}
}

static bool test_op(void *arg, Op *op)
{
	for (size_t i = 0; i < op->nresults; i++)
		test_type(arg, op->results[i]->type);
	return true;
}

static void choose_sizes(Proof *p, const Module *before, const Module *after)
{
	int64_t best = INT64_MAX;
	int choice = 0;
	for (p->strategy = 0; p->strategy < 5; p->strategy++) {
		SizeTest t = { .side = &p->sides[1] };
		module_walk((Module *)after, test_op, &t);
		module_walk((Module *)before, test_op, &t);
		if (t.bad < best) {
			best = t.bad;
			choice = p->strategy;
		}
		if (!t.bad)
			break;
	}
	p->strategy = choice;
}

/* ---- proof by structure ---- */

static bool corresponds(const Proof *p, const Value *b, const Value *a)
{
	return b == NULL ? a == NULL : p->image[b->id] == a && a != NULL;
}

static bool same_blocks(const Proof *p, const Op *b, const Op *a)
{
	if (b->nblocks != a->nblocks)
		return false;
	for (size_t i = 0; i < b->nblocks; i++) {
		const Block *x = b->blocks[i], *y = a->blocks[i];
		const Op *s = block_terminator(x), *t = block_terminator(y);
		if (x->nargs != y->nargs || !s || !t || s->noperands != t->noperands)
			return false;
		for (uint32_t k = 0; k < x->nargs; k++)
			if (!corresponds(p, x->args[k], y->args[k]))
				return false;
		for (size_t k = 0; k < s->noperands; k++)
			if (!corresponds(p, s->operands[k].value, t->operands[k].value))
				return false;
	}
	return true;
}

static bool same_by_structure(const Proof *p, const Value *b, const Value *a)
{
	const Op *x = b->def, *y = a->def;
	if (!x || !y)
		return !x && !y;
	if (x->def != y->def || b->index != a->index || x->noperands != y->noperands || !op_attrs_equal(x, y) ||
		!op_types_agree(x, y))
		return false;
	for (size_t i = 0; i < x->noperands; i++)
		if (!corresponds(p, x->operands[i].value, y->operands[i].value))
			return false;
	return same_blocks(p, x, y);
}

/* ---- proof by replay ---- */

void proof_skip(Proof *p, const char *reason)
{
	p->report->skipped++;
	for (size_t i = 0; i < p->report->skips.len; i++) {
		if (!strcmp(p->report->skips.data[i].reason, reason)) {
			p->report->skips.data[i].count++;
			return;
		}
	}
	LocalSkip s = { .reason = reason, .count = 1 };
	VEC_PUSH(p->arena, &p->report->skips, s);
}

void proof_fail(Proof *p, const Value *b, const Value *a, double got, double want, char *detail)
{
	const Op *op = b->def ? b->def : a->def;
	LocalFailure f = { .rule = "", .rewrite = -1, .got = got, .want = want, .detail = detail };
	int64_t e = p->event[a->id];
	if (e != NO_EVENT) {
		f.rule = p->log->names.data[p->log->events.data[e].rule];
		f.rewrite = p->log->events.data[e].serial;
	}
	f.value = b->name ? quote(p->arena, b->name->s, b->name->len) : arena_printf(p->arena, "%%%u", b->id);
	f.op = op ? arena_printf(p->arena, "%s%s%s", op_said_name(p->arena, op), op->name ? " " : "",
			op->name ? quote(p->arena, op->name->s, op->name->len) : "") : "argument";
	p->report->failed++;
	if (p->report->failures.len < 50)
		VEC_PUSH(p->arena, &p->report->failures, f);
}

/* Sampled element numbers: all of a small value, else both ends and one of each stretch. */
static int64_t sample(Proof *p, int64_t count, int64_t want, int64_t *idx)
{
	if (count <= want) {
		for (int64_t i = 0; i < count; i++)
			idx[i] = i;
		return count;
	}
	for (int64_t i = 0; i < want; i++) {
		int64_t lo = (int64_t)((double)count * (double)i / (double)want);
		int64_t hi = (int64_t)((double)count * (double)(i + 1) / (double)want);
		idx[i] = lo + rng_below(&p->rng, hi > lo ? hi - lo : 1);
	}
	idx[0] = 0;
	idx[want - 1] = count - 1;
	return want;
}

static double half_ulp(DType d, double x)
{
	static const struct { DType d; int bits; } MANTISSA[] = {
		{ DT_F64, 52 }, { DT_F32, 23 }, { DT_F16, 10 }, { DT_BF16, 7 },
	};
	int bits = 2;
	for (size_t i = 0; i < ARRAY_LEN(MANTISSA); i++)
		if (MANTISSA[i].d == d)
			bits = MANTISSA[i].bits;
	int e;
	frexp(x, &e);
	return ldexp(0.5000001, e - 1 - bits) + (d == DT_F16 ? 0x1p-25 : 0x1p-150);
}

static bool elements_agree(double got, double want, double slack)
{
	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want);
	if (isinf(got) || isinf(want))
		return got == want;
	return fabs(got - want) <= slack;
}

/* Folded from the source's own ops: what a run computes, rounding of every step included. */
static bool was_folded(const Value *a)
{
	return op_is(a->def, OP_constant) && !a->def->made;
}

/* The first sampled element that differs, or -1. A computed weight may be off by one rounding, by some where the source
 * computes what it is made of; all else by the tolerance relative to the largest sampled element. */
static int64_t first_difference(const Proof *p, const Value *a, const double *want, const double *got, int64_t n)
{
	bool inexact = dtype_is_float(a->type->dtype);
	bool rounded = op_is(a->def, OP_constant);
	/* One side rounds to a narrow type on the way where the other carries the double. */
	bool narrow = dtype_bits(a->type->dtype) < 32 && (p->pulls[0].rounded || p->pulls[1].rounded);
	double top = 0;
	for (int64_t i = 0; i < n; i++)
		if (isfinite(want[i]) && fabs(want[i]) > top)
			top = fabs(want[i]);
	for (int64_t i = 0; i < n; i++) {
		double slack = inexact ? fmax(p->opt->tolerance, p->slack[a->id]) * top + 1e-300 : 0;
		if (inexact && narrow)
			slack += 2 * half_ulp(a->type->dtype, want[i]);
		if (rounded && inexact)
			slack += half_ulp(a->type->dtype, want[i]);
		if (inexact && (was_folded(a) || (rounded && (p->pulls[0].ran || p->pulls[1].ran))))
			slack += 16 * half_ulp(a->type->dtype, top);
		if (!elements_agree(got[i], want[i], slack))
			return i;
	}
	return -1;
}

/* The model itself fails for these sizes: they belong together in a way that no type says. */
static bool misfit_reshape(const Value *b)
{
	int64_t n, m;
	return def_of(b, OP_reshape) && type_static_numel(b->type, &n) &&
		type_static_numel(op_operand(b->def, 0)->type, &m) && n != m;
}

/* Likewise: operands that the op wants alike are not. */
static bool misfit_operands(const Proof *p, const Value *b)
{
	const Op *op = b->def;
	if (!op || !(op_is(op, SHLO_sort) || op->def->traits & TRAIT_SAME_SHAPE))
		return false;
	for (size_t i = 1; i < op->noperands; i++) {
		const Type *s = op->operands[0].value ? op->operands[0].value->type : NULL, *t = op->operands[i].value ? op->operands[i].value->type : NULL;
		for (int d = 0; s && t && type_has_rank(s) && type_has_rank(t) && s->rank == t->rank && d < s->rank; d++)
			if (sym_known_ne(p->ctx, s->dims[d], t->dims[d]))
				return true;
	}
	return false;
}

/* Both sides must agree on the shape as far as each side knows it by itself. */
bool proof_same_shape(Proof *p, const Value *b, const Value *a)
{
	const Type *s = b->type, *t = a->type;
	bool differs = s->dtype != DT_NONE && s->dtype != t->dtype;
	if (type_has_rank(s) && type_has_rank(t)) {
		differs |= s->rank != t->rank;
		for (int i = 0; !differs && i < s->rank; i++)
			differs = sym_known_ne(p->ctx, s->dims[i], t->dims[i]);
	}
	if (!differs)
		return true;
	if (misfit_reshape(b) || misfit_operands(p, b)) {
		proof_skip(p, misfit_reshape(b) ? "a reshape that does not fit the seeded sizes" : "operands that do not fit the seeded sizes");
		return false;
	}
	Buf text = { 0 };
	type_print(s, &text);
	buf_puts(&text, " became ");
	type_print(t, &text);
	proof_fail(p, b, a, 0, 0, arena_printf(p->arena, "type %s", text.data));
	buf_free(&text);
	return false;
}

bool proof_element_count(Pull *p, const Value *v, int64_t *count)
{
	int rank;
	int64_t dims[MAX_RANK];
	return pull_dims(p, v, &rank, dims) && (dims_count(dims, rank, count) || pull_no(p, "a size overflows"));
}

typedef enum Verdict { EQUAL, DIFFERENT, NOT_COMPUTED, IDLE /* in a branch that these inputs do not take */ } Verdict;

typedef struct Outcome {
	const char *why;   /* NOT_COMPUTED */
	int64_t element;   /* DIFFERENT */
	double got, want;
} Outcome;

/* The result first: it says which cuts are common. */
static bool pull_both(Proof *p, const Value *a, const Value *b, const int64_t *idx, int64_t n, double *got, double *want)
{
	return pull(&p->pulls[1], a, idx, n, got) && pull(&p->pulls[0], b, idx, n, want);
}

/* Brings the last sample and two from between to the front, beside the first: what a costly region is judged by. */
static void spread_first(int64_t *idx, int64_t n)
{
	const int64_t from[FEW] = { 0, n - 1, n / 3, 2 * n / 3 };
	for (int k = 1; k < FEW; k++) {
		int64_t t = idx[k];
		idx[k] = idx[from[k]];
		idx[from[k]] = t;
	}
}

static Verdict replay_in_mode(Proof *p, const Value *b, const Value *a, int round, CutMode mode, Outcome *out)
{
	int64_t count, want = p->opt->samples;
	p->pulls[0].all_native = was_folded(a);
	for (int s = 0; s < 2; s++)
		pull_reset(&p->pulls[s], p->opt->seed, round);
	p->rng.state = (p->opt->seed + a->id) * 31 + (uint64_t)round;
	p->mode = mode;
	p->latest = 0;
	p->stamp++;
	if (!proof_element_count(&p->pulls[1], a, &count)) {
		out->why = p->pulls[1].why;
		return NOT_COMPUTED;
	}
	int64_t *idx = NEW_ARRAY(p->pulls[1].arena, int64_t, want + 1);
	double *x = NEW_ARRAY(p->pulls[1].arena, double, want + 1), *y = NEW_ARRAY(p->pulls[1].arena, double, want + 1);
	int64_t n = sample(p, count, want, idx);
	if (!n)
		return EQUAL;
	int64_t done = n <= FEW ? n : FEW;
	if (done < n)
		spread_first(idx, n);
	bool ok = pull_both(p, a, b, idx, done, y, x);
	if (ok && done < n && p->pulls[0].work / FEW < COSTLY && p->pulls[1].work / FEW < COSTLY) {
		ok = pull_both(p, a, b, idx + done, n - done, y + done, x + done);
		done = n;
	}
	if (!ok) {
		out->why = p->pulls[1].why ? p->pulls[1].why : p->pulls[0].why;
		return NOT_COMPUTED;
	}
	n = done;
	int64_t i = first_difference(p, a, x, y, n);
	if (i < 0)
		return EQUAL;
	*out = (Outcome){ .element = idx[i], .got = y[i], .want = x[i] };
	return DIFFERENT;
}

/* Whether b lies in a branch of an if that the inputs of the last replay do not take: there nobody sees it, and a rule may
 * have used what holds in the branch. To be asked after CUT_INPUTS. */
static bool in_idle_branch(Proof *p, const Value *b)
{
	int64_t first = 0;
	for (const Block *at = b->def ? b->def->block : b->block; at && at->parent; at = at->parent->block) {
		double cond;
		if (!op_is(at->parent, OP_if) || !pull(&p->pulls[0], op_operand(at->parent, 0), &first, 1, &cond))
			continue;
		if ((cond != 0) != (at->parent->blocks[0] == at))
			return true;
	}
	return false;
}

/* Equality in any mode is proof. A difference counts when no mode shows equality. */
static Verdict replay_round(Proof *p, const Value *b, const Value *a, int round, Outcome *out)
{
	Outcome first = { 0 };
	bool differed = false;
	const char *lost = NULL; /* why the last mode computed nothing: loops that still stand are cut at in every mode */
	p->limit = UINT32_MAX;
	int tries = 0;
	for (CutMode mode = CUT_ALL; mode <= CUT_INPUTS;) {
		Outcome o = { 0 };
		Verdict v = replay_in_mode(p, b, a, round, mode, &o);
		if (v == EQUAL)
			return EQUAL;
		if (v == DIFFERENT || (mode == CUT_ALL && !differed))
			first = o;
		differed |= v == DIFFERENT;
		lost = v == NOT_COMPUTED ? o.why : NULL;
		bool again = mode == CUT_COMMON && v == DIFFERENT && p->latest > 0 && ++tries < MAX_TRIES;
		p->limit = again ? p->latest - 1 : UINT32_MAX;
		mode += !again;
	}
	*out = first;
	if (differed && lost && !strcmp(lost, "a loop")) {
		out->why = "after a loop that was computed away";
		return NOT_COMPUTED;
	}
	if (differed && in_idle_branch(p, b)) {
		out->why = "in a branch that the seeded inputs do not take";
		return IDLE;
	}
	return differed ? DIFFERENT : NOT_COMPUTED;
}

static void prove(Proof *p, const Value *b, const Value *a)
{
	bool any = false;
	Outcome o = { 0 };
	if (is_drawn(b)) {
		prove_drawn(p, b, a);
		return;
	}
	p->self = a;
	if (!type_is_tensor(type_of(&p->sides[0], b)) || !type_is_tensor(a->type) || a->type->dtype == DT_NONE) {
		proof_skip(p, "not a tensor of known element type");
		return;
	}
	if (!proof_same_shape(p, b, a))
		return;
	for (int round = 0, idle = 0; round < p->opt->rounds + idle; round++) {
		Verdict v = replay_round(p, b, a, round, &o);
		idle += v == IDLE && idle < MORE_ROUNDS;
		if (v == DIFFERENT) {
			proof_fail(p, b, a, o.got, o.want, arena_printf(p->arena, "element %lld differs", (long long)o.element));
			return;
		}
		any |= v == EQUAL;
	}
	if (any)
		p->report->checked++;
	else
		proof_skip(p, o.why ? o.why : "not computed");
}

typedef struct Walk {
	Proof *p;
	double deadline;
} Walk;

static bool prove_op(void *arg, Op *op)
{
	Walk *w = arg;
	Proof *p = w->p;
	for (size_t i = 0; i < op->nresults; i++) {
		const Value *b = op->results[i], *a = p->image[b->id];
		if (!a)
			continue;
		p->report->values++;
		if (same_by_structure(p, b, a))
			p->report->unchanged++;
		else if (clock_seconds() > w->deadline)
			proof_skip(p, "the time budget is used up");
		else
			prove(p, b, a);
		p->seen[b->id] = 1;
	}
	return true;
}

/* Every output of the result must stand for the same output of the original. */
static void check_outputs(Proof *p)
{
	const Op *s = p->before->main ? block_terminator(p->before->main->body) : NULL;
	const Op *t = p->after->main ? block_terminator(p->after->main->body) : NULL;
	if (!s || !t || s->noperands != t->noperands) {
		if (s && s->noperands)
			proof_fail(p, s->operands[0].value, s->operands[0].value, 0, 0, arena_strdup(p->arena, "outputs are missing"));
		return;
	}
	for (size_t i = 0; i < s->noperands; i++) {
		const Value *b = s->operands[i].value, *a = t->operands[i].value;
		if (!b || !a || p->image[b->id] == a)
			continue;
		p->report->values++; /* taken over by edits that no log names: replay the whole way to the nearest cuts */
		prove(p, b, a);
	}
}

static void note_symbol(void *arg, const Sym *symbol)
{
	map_put(arg, MAP_PTR(symbol), (void *)symbol);
}

static void note_input_symbols(Proof *p, const Module *m)
{
	for (const Func *f = m->funcs; f; f = f->next)
		for (uint32_t i = 0; i < f->body->nargs; i++)
			for (int d = 0; type_has_rank(f->body->args[i]->type) && d < f->body->args[i]->type->rank; d++)
				sym_symbols(f->body->args[i]->type->dims[d], note_symbol, &p->sizes);
}

static const Sym *size_of(void *arg, const Sym *symbol)
{
	Proof *p = arg;
	int64_t v;
	if (!map_has(&p->sizes, MAP_PTR(symbol)) || !symbol_size(&p->sides[1], symbol, &v))
		return NULL;
	return sym_int(p->ctx, v);
}

/* The proof works on copies with every input size bound to a number, so that both sides agree on all sizes that inputs
 * determine; what is known only at run time keeps its symbol. */
static void proof_copies(Proof *p, const Module *before, const Module *after, Arena *a)
{
	p->sides[0] = (Side){ .proof = p };
	p->sides[1] = (Side){ .proof = p, .after = true };
	map_init(&p->sizes, a);
	map_init(&p->copies[0], a);
	map_init(&p->copies[1], a);
	note_input_symbols(p, after);
	note_input_symbols(p, before);
	p->tied = sizes_are_inputs(before, a);
	choose_sizes(p, before, after);
	p->before = module_clone(before, &p->copies[0]);
	p->after = module_clone(after, &p->copies[1]);
	shape_substitute(p->before, size_of, p);
	shape_substitute(p->after, size_of, p);
}

static void proof_init(Proof *p, Arena *a)
{
	Module *m = p->after;
	p->image = NEW_ARRAY(a, Value *, p->before->next_value + 1u);
	p->is_image = NEW_ARRAY(a, uint8_t, m->next_value + 1u);
	p->seen = NEW_ARRAY(a, uint8_t, p->before->next_value + 1u);
	p->index_like = NEW_ARRAY(a, uint8_t, m->next_value + 1u);
	p->hit = NEW_ARRAY(a, uint32_t, m->next_value + 1u);
	p->event = NEW_ARRAY(a, int64_t, m->next_value + 1u);
	p->slack = NEW_ARRAY(a, double, m->next_value + 1u);
	p->draw = NEW_ARRAY(a, uint8_t, m->next_value + 1u);
	p->owner = NEW_ARRAY(a, uint32_t, m->next_op + 1u);
	p->position = NEW_ARRAY(a, uint32_t, m->next_op + 1u);
	for (int s = 0; s < 2; s++) {
		Module *side = s ? p->after : p->before;
		Diags *quiet = NEW(a, Diags);
		diags_init(quiet, a);
		infer_init(&p->sides[s].infer, side, a, quiet);
		shape_infer(&p->sides[s].infer, side);
		pull_init(&p->pulls[s], p->ctx);
		p->pulls[s].cut = cut;
		p->pulls[s].type = type_of;
		p->pulls[s].facts = facts_of;
		p->pulls[s].symbol = symbol_size;
		p->pulls[s].is_index = selects;
		p->pulls[s].arg = &p->sides[s];
		p->pulls[s].instead = s == 0 ? known_image : NULL;
		p->pulls[s].other = &p->pulls[1 - s];
		eval_enable_dialects(&p->pulls[s].oracle, side);
		eval_enable_dialects(&p->pulls[s].native, side);
	}
}

bool verify_local(Module *before, Value *const *to_before, uint32_t nto_before, Module *after, const RewriteLog *log,
		const LocalOptions *o, Arena *a, LocalReport *out)
{
	double start = clock_seconds();
	Proof *p = NEW(a, Proof);
	LocalOptions *opt = arena_dup(a, o, sizeof(*o));
	opt->samples = o->samples > 0 ? o->samples : 16;
	opt->rounds = o->rounds > 0 ? o->rounds : 2;
	opt->tolerance = o->tolerance > 0 ? o->tolerance : 1e-10;
	opt->seconds = o->seconds > 0 ? o->seconds : 1e9;
	memset(out, 0, sizeof(*out));
	*p = (Proof){ .arena = a, .ctx = after->ctx, .log = log, .opt = opt, .report = out };
	proof_copies(p, before, after, a);
	proof_init(p, a);
	correspond(p, after, to_before, nto_before);
	for (int s = 0; s < 2; s++)
		for (Func *f = (s ? p->after : p->before)->funcs; f; f = f->next)
			mark_block(p, &p->sides[s], f->body);
	Walk w = { .p = p, .deadline = start + opt->seconds };
	module_walk(p->before, prove_op, &w);
	check_outputs(p);
	for (int s = 0; s < 2; s++)
		pull_release(&p->pulls[s]);
	module_free(p->before);
	module_free(p->after);
	out->seconds = clock_seconds() - start;
	return out->failed == 0;
}

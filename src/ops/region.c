#include "ops.h"

#include <string.h>

#define MAX_ROUNDS 16 /* of a loop; every round widens something, and few things can be widened */

bool infer_block(InferCtx *x, Block *b)
{
	bool ok = true;
	FOR_EACH_OP(op, b)
		ok &= infer_op(x, op);
	return ok;
}

/* A block that may never run. */
static bool infer_maybe(InferCtx *x, Block *b)
{
	x->maybe++;
	infer_block(x, b);
	x->maybe--;
	return true;
}

/* ---- joins ---- */

const Type *infer_join(InferCtx *x, const Type *a, const Type *b, const Type *keep)
{
	if (a == b)
		return a;
	if (!a || !b || a->kind != b->kind)
		return type_unknown(x->ctx);
	Type r = *a;
	if (a->kind == TYPE_TENSOR || a->kind == TYPE_SPARSE) {
		r.dtype = a->dtype == b->dtype ? a->dtype : DT_NONE;
		r.text = a->text == b->text ? a->text : NULL;
		if (a->rank < 0 || a->rank != b->rank) {
			r.rank = RANK_UNKNOWN;
			r.dims = NULL;
			return type_make(x->ctx, r);
		}
		const Sym **dims = NEW_ARRAY(x->arena, const Sym *, r.rank + 1);
		bool kept = keep && type_has_rank(keep) && keep->rank == r.rank;
		for (int i = 0; i < r.rank; i++) {
			dims[i] = a->dims[i] == b->dims[i] ? a->dims[i] : sym_unknown(x->ctx);
			if (a->dims[i] != b->dims[i] && kept && infer_is_vague(keep->dims[i]))
				dims[i] = keep->dims[i];
		}
		r.dims = dims;
		return type_make(x->ctx, r);
	}
	if (a->nelem != b->nelem || a->dtype != b->dtype || a->nelem != 1)
		return type_unknown(x->ctx);
	const Type *elem = infer_join(x, a->elem[0], b->elem[0], NULL);
	r.elem = &elem;
	return type_make(x->ctx, r);
}

/* What two facts about the same tensor agree on; NULL when nothing. */
static const Elems *join_elems(InferCtx *x, const Elems *a, const Elems *b)
{
	if (!a || !b || a->n != b->n)
		return NULL;
	const Sym **v = NEW_ARRAY(x->arena, const Sym *, a->n + 1);
	bool any = a->n == 0;
	for (int64_t i = 0; i < a->n; i++) {
		v[i] = a->v[i] == b->v[i] ? a->v[i] : sym_unknown_int(x->ctx);
		any |= a->v[i] == b->v[i];
	}
	if (!any)
		return NULL;
	Elems *e = NEW(x->arena, Elems);
	*e = (Elems){ a->n, v };
	return e;
}

/* ---- if ---- */

static Value *yielded(const Block *b, size_t i)
{
	Op *y = b ? block_terminator(b) : NULL;
	return y && (y->def->traits & TRAIT_TERMINATOR) ? op_operand(y, i) : NULL;
}

/* A branch that may not run may be invalid: exporters guard ops that hold for some ranks only. */
bool infer_if(InferCtx *x, Op *op)
{
	if (op->nblocks != 2)
		return infer_error(x, op, "%d blocks, not 2", op->nblocks);
	int64_t cond = -1, n;
	const int64_t *known = infer_ints(x, op_operand(op, 0), &n);
	if (known && n == 1)
		cond = known[0] != 0;
	bool ok = true;
	for (int i = 0; i < 2; i++) {
		bool taken = cond == (i == 0);
		x->maybe += !taken;
		ok &= infer_block(x, op->blocks[i]) || !taken;
		x->maybe -= !taken;
	}
	for (size_t i = 0; i < op->nresults; i++) {
		Value *a = yielded(op->blocks[0], i), *b = yielded(op->blocks[1], i);
		Value *y = op->results[i];
		if (cond >= 0)
			a = b = cond ? a : b;
		if (!a || !b)
			continue;
		infer_result(x, op, i, infer_join(x, a->type, b->type, y->type));
		const Elems *e = a == b ? infer_elems(x, a) : join_elems(x, infer_elems(x, a), infer_elems(x, b));
		infer_set_elems(x, y, e);
	}
	return ok;
}

/* ---- loops ----
 * State types are found optimistically: a body is inferred with the types and facts of the initial values; what the body
 * does not give back alike is widened to what both have in common, everything computed inside is forgotten, and the body
 * is inferred again. A symbol made by widening stands for another size in each iteration. */

typedef struct Saved {
	Value *value;
	const Type *type;
} Saved;
typedef struct LoopRecord { /* what was found last time, so that repeated inference comes to rest */
	size_t nstate;
	const Type **init, **state;
	const Elems **init_facts, **facts;
	Map widened;
} LoopRecord;
typedef struct Loop {
	InferCtx *x;
	Op *op;
	VEC(Saved) inside;       /* types of all values in the blocks before this inference */
	size_t nstate;
	const Type **state;      /* current assumption about each state value */
	const Elems **facts;
	LoopRecord *record;
} Loop;

static void save_value(Loop *l, Value *v)
{
	VEC_PUSH(l->x->arena, &l->inside, ((Saved){ v, v->type }));
}

static void save_block(Loop *l, Block *b)
{
	for (uint32_t i = 0; i < b->nargs; i++)
		save_value(l, b->args[i]);
	FOR_EACH_OP(op, b) {
		for (size_t i = 0; i < op->nresults; i++)
			save_value(l, op->results[i]);
		for (size_t i = 0; i < op->nblocks; i++)
			save_block(l, op->blocks[i]);
	}
}

static void forget_inside(Loop *l)
{
	for (size_t i = 0; i < l->inside.len; i++) {
		Saved *s = &l->inside.data[i];
		infer_forget(l->x, s->value);
		if (s->value->type != s->type)
			value_set_type(s->value, s->type);
	}
}

static bool same_facts(const Elems *a, const Elems *b)
{
	if (!a || !b)
		return a == b;
	return a->n == b->n && (a->n == 0 || !memcmp(a->v, b->v, (size_t)a->n * sizeof(*a->v)));
}

static LoopRecord *record_new(Loop *l)
{
	Arena *a = l->x->arena;
	LoopRecord *r = NEW(a, LoopRecord);
	r->nstate = l->nstate;
	r->init = NEW_ARRAY(a, const Type *, l->nstate + 1);
	r->state = NEW_ARRAY(a, const Type *, l->nstate + 1);
	r->init_facts = NEW_ARRAY(a, const Elems *, l->nstate + 1);
	r->facts = NEW_ARRAY(a, const Elems *, l->nstate + 1);
	map_init(&r->widened, a);
	return r;
}

/* Starts from the initial values, or from what was found last time when these have not changed. */
static void loop_init(Loop *l, InferCtx *x, Op *op, size_t first, size_t nstate)
{
	*l = (Loop){ .x = x, .op = op, .nstate = nstate };
	for (size_t i = 0; i < op->nblocks; i++)
		save_block(l, op->blocks[i]);
	if (!x->loops.arena)
		map_init(&x->loops, x->arena);
	LoopRecord **slot = (LoopRecord **)map_slot(&x->loops, MAP_PTR(op));
	LoopRecord *old = *slot, *r = record_new(l);
	bool same = old && old->nstate == nstate;
	for (size_t i = 0; i < nstate; i++) {
		Value *v = op_operand(op, first + i);
		r->state[i] = r->init[i] = v ? v->type : type_unknown(x->ctx);
		r->facts[i] = r->init_facts[i] = v ? infer_elems(x, v) : NULL;
		same = same && old->init[i] == r->init[i] && same_facts(old->init_facts[i], r->init_facts[i]);
	}
	if (old && !same)
		forget_inside(l);
	*slot = l->record = same ? old : r;
	l->state = l->record->state;
	l->facts = l->record->facts;
}

LoopStates loop_states(const Op *op)
{
	if (op_is(op, OP_while))
		return (LoopStates){ .n = op->nblocks == 2 ? op->noperands : 0 };
	if (op_is(op, OP_scan))
		return (LoopStates){ .n = op->nblocks == 1 ? op->noperands - (size_t)op_int(op, A_num_scan_inputs) : 0 };
	return (LoopStates){ .n = op->nblocks == 1 && op->noperands > 2 ? op->noperands - 2u : 0, 2, 2, 1 };
}

bool loop_state_fits(const Op *op, size_t *state, const Value **inside)
{
	LoopStates s = loop_states(op);
	for (size_t k = 0; k < op->nblocks; k++)
		for (size_t i = 0; i < s.n && s.arg + i < op->blocks[k]->nargs; i++) {
			const Value *arg = op->blocks[k]->args[s.arg + i];
			DType init = value_dtype(op_operand(op, s.operand + i)), in_body = value_dtype(arg);
			if (init != DT_NONE && in_body != DT_NONE && init != in_body) {
				*state = i;
				*inside = arg;
				return false;
			}
		}
	return true;
}

static bool check_states(InferCtx *x, const Op *op)
{
	size_t i;
	const Value *arg;
	return loop_state_fits(op, &i, &arg) || infer_error(x, op, "state %zu is %s at first, but the body takes %s", i,
		dtype_friendly_name(value_dtype(op_operand(op, loop_states(op).operand + i))), dtype_friendly_name(value_dtype(arg)));
}

/* The declared type of an argument is a hint at first; once a state value was seen to vary, the hint is no longer heard. */
static void set_args(Loop *l, const Block *b, size_t first_arg, int round)
{
	for (size_t i = 0; i < l->nstate && first_arg + i < b->nargs; i++) {
		Value *arg = b->args[first_arg + i];
		const Type *t = l->state[i];
		if (round > 0 && type_is_tensor(t) && t->dtype == DT_NONE && type_is_tensor(arg->type))
			t = type_with_dtype(l->x->ctx, t, arg->type->dtype);
		if (round > 0 && t->kind != TYPE_UNKNOWN && arg->type != t)
			value_set_type(arg, t);
		infer_set_arg(l->x, arg, t);
		infer_set_elems(l->x, arg, l->facts[i]);
	}
}

static const Sym *widen_sym(Loop *l, const Sym *assumed, const Sym *next, bool is_dim)
{
	if (assumed == next || map_has(&l->record->widened, MAP_PTR(assumed)))
		return assumed;
	const Sym *s = is_dim ? sym_unknown(l->x->ctx) : sym_unknown_int(l->x->ctx);
	map_put(&l->record->widened, MAP_PTR(s), l);
	return s;
}

static const Type *widen_type(Loop *l, const Type *assumed, const Type *next)
{
	if (!type_has_rank(assumed) || !type_has_rank(next) || assumed->rank != next->rank || assumed->dtype != next->dtype)
		return infer_join(l->x, assumed, next, NULL);
	Type r = *assumed;
	const Sym **dims = NEW_ARRAY(l->x->arena, const Sym *, r.rank + 1);
	for (int d = 0; d < r.rank; d++)
		dims[d] = widen_sym(l, assumed->dims[d], next->dims[d], true);
	r.dims = dims;
	return type_make(l->x->ctx, r);
}

static const Elems *widen_facts(Loop *l, const Elems *assumed, const Elems *next)
{
	if (!assumed || !next || assumed->n != next->n)
		return NULL;
	const Sym **v = NEW_ARRAY(l->x->arena, const Sym *, assumed->n + 1);
	bool any = false;
	for (int64_t i = 0; i < assumed->n; i++) {
		v[i] = widen_sym(l, assumed->v[i], next->v[i], false);
		any |= !map_has(&l->record->widened, MAP_PTR(v[i]));
	}
	if (!any)
		return NULL;
	Elems *e = NEW(l->x->arena, Elems);
	*e = (Elems){ assumed->n, v };
	return e;
}

/* After the body ran: widens each assumption by what the body yields; false when one had to change. An assumption that
 * the argument's own (declared) type made more precise holds when the body gives back the argument's type. */
static bool settle_state(Loop *l, const Block *b, size_t first_arg, size_t first_yield)
{
	bool stable = true;
	for (size_t i = 0; i < l->nstate && first_arg + i < b->nargs; i++) {
		Value *next = yielded(b, first_yield + i);
		if (!next)
			continue;
		const Value *arg = b->args[first_arg + i];
		const Type *t = next->type == arg->type ? l->state[i] : widen_type(l, l->state[i], next->type);
		const Elems *now = infer_elems(l->x, next), *assumed = infer_elems(l->x, arg);
		const Elems *f = same_facts(now, assumed) ? l->facts[i] : widen_facts(l, l->facts[i], now);
		if (t != l->state[i] || !same_facts(f, l->facts[i]))
			stable = false;
		l->state[i] = t;
		l->facts[i] = f;
	}
	return stable;
}

/* Gives up on everything that moves. */
static void widen_all(Loop *l)
{
	for (size_t i = 0; i < l->nstate; i++) {
		if (type_is_tensor(l->state[i]))
			l->state[i] = type_unranked(l->x->ctx, DT_NONE);
		else
			l->state[i] = type_unknown(l->x->ctx);
		l->facts[i] = NULL;
	}
}

/* Prepares another round; false when the assumptions hold. */
static bool loop_again(Loop *l, bool stable, int round)
{
	if (stable)
		return false;
	if (round >= MAX_ROUNDS)
		widen_all(l);
	forget_inside(l);
	return true;
}

static void note_symbol(void *arg, const Sym *s)
{
	Map *m = arg;
	map_put(m, MAP_PTR(s), m);
}

typedef struct OuterTest {
	const Map *outer;
	bool inner;
} OuterTest;

static void test_symbol(void *arg, const Sym *s)
{
	OuterTest *t = arg;
	if (sym_is_unknown(s) && !map_has(t->outer, MAP_PTR(s)))
		t->inner = true;
}

static bool is_inner(const Sym *s, const Map *outer)
{
	OuterTest t = { outer, false };
	sym_symbols(s, test_symbol, &t);
	return t.inner;
}

/* Anonymous symbols made inside a body stand for another size in each iteration and must not leave it. */
static const Sym *leave_dim(Loop *l, const Sym *s, const Map *outer, size_t result, int d)
{
	if (!is_inner(s, outer))
		return s;
	Value *y = op_result(l->op, result);
	if (y && type_has_rank(y->type) && d < y->type->rank)
		return y->type->dims[d];
	return sym_unknown(l->x->ctx);
}

static void outer_symbols(Loop *l, Map *outer)
{
	map_init(outer, l->x->arena);
	for (size_t i = 0; i < l->op->noperands; i++) {
		Value *v = op_operand(l->op, i);
		for (int d = 0; v && type_has_rank(v->type) && d < v->type->rank; d++)
			sym_symbols(v->type->dims[d], note_symbol, outer);
		const Elems *e = infer_elems(l->x, v);
		for (int64_t k = 0; e && k < e->n; k++)
			sym_symbols(e->v[k], note_symbol, outer);
	}
}

static const Type *leave_type(Loop *l, const Type *t, const Map *outer, size_t result)
{
	if (!type_has_rank(t) || t->rank == 0)
		return t;
	const Sym **dims = NEW_ARRAY(l->x->arena, const Sym *, t->rank);
	for (int d = 0; d < t->rank; d++)
		dims[d] = leave_dim(l, t->dims[d], outer, result, d);
	Type r = *t;
	r.dims = dims;
	return type_make(l->x->ctx, r);
}

/* Final state: the initial value (no iteration) or what an iteration gives. */
static void set_state_results(Loop *l, const Map *outer)
{
	for (size_t i = 0; i < l->nstate && i < l->op->nresults; i++) {
		infer_result(l->x, l->op, i, leave_type(l, l->state[i], outer, i));
		const Elems *f = l->facts[i];
		if (!f)
			continue;
		const Sym **v = NEW_ARRAY(l->x->arena, const Sym *, f->n + 1);
		for (int64_t k = 0; k < f->n; k++)
			v[k] = is_inner(f->v[k], outer) ? sym_unknown_int(l->x->ctx) : f->v[k];
		Elems *e = NEW(l->x->arena, Elems);
		*e = (Elems){ f->n, v };
		infer_set_elems(l->x, l->op->results[i], e);
	}
}

/* Inserts dim n at `axis` of an element type. */
static const Type *stacked(Loop *l, const Type *t, int64_t axis, const Sym *n, const Map *outer, size_t result)
{
	int at;
	if (!type_has_rank(t))
		return type_unranked(l->x->ctx, type_is_tensor(t) ? t->dtype : DT_NONE);
	if (!axis_norm(axis, t->rank + 1, &at))
		return type_unranked(l->x->ctx, t->dtype);
	const Sym **dims = NEW_ARRAY(l->x->arena, const Sym *, t->rank + 1);
	for (int d = 0; d <= t->rank; d++)
		dims[d] = d == at ? n : leave_dim(l, t->dims[d < at ? d : d - 1], outer, result, d);
	return type_tensor(l->x->ctx, t->dtype, t->rank + 1, dims);
}

static const Value *through_identity(const Value *v)
{
	while (v && v->def && op_is(v->def, OP_identity))
		v = op_operand(v->def, 0);
	return v;
}

/* Number of iterations of core.loop when nothing but the trip count ends it, else NULL. */
static const Sym *loop_trips(InferCtx *x, const Op *op, const Block *body)
{
	const Elems *trips = infer_elems(x, op_operand(op, 0));
	const Value *cond = op_operand(op, 1), *again = yielded(body, 0);
	int64_t n;
	if (!trips || trips->n != 1)
		return NULL;
	if (cond) {
		const int64_t *go = infer_ints(x, cond, &n);
		if (go && n == 1 && !go[0])
			return sym_int(x->ctx, 0);
		if (!go || n != 1)
			return NULL;
	}
	const int64_t *go = infer_ints(x, again, &n);
	bool forever = (go && n == 1 && go[0]) || (body->nargs > 1 && through_identity(again) == body->args[1]);
	return forever ? sym_max(x->ctx, trips->v[0], sym_int(x->ctx, 0)) : NULL;
}

static const Sym *result_dim(InferCtx *x, const Op *op, size_t i, int d, const Sym *known)
{
	return known ? known : infer_unknown(x, op, i, d);
}

/* Iteration number and condition of a core.loop body. */
static void set_counters(InferCtx *x, Block *body)
{
	if (body->nargs > 0) {
		Value *i = body->args[0];
		if (i->type->kind == TYPE_UNKNOWN)
			infer_set_arg(x, i, type_tensor(x->ctx, DT_I64, 0, NULL));
		if (type_has_rank(i->type) && i->type->rank == 0 && !infer_elems(x, i)) {
			const Sym **v = NEW_ARRAY(x->arena, const Sym *, 1);
			v[0] = sym_unknown(x->ctx);
			Elems *e = NEW(x->arena, Elems);
			*e = (Elems){ 1, v };
			infer_set_elems(x, i, e);
		}
	}
	if (body->nargs > 1 && body->args[1]->type->kind == TYPE_UNKNOWN)
		infer_set_arg(x, body->args[1], type_tensor(x->ctx, DT_BOOL, 0, NULL));
}

/* core.loop: operands trip_count, cond, state; body arguments i, cond, state; yields cond, state, scans. */
bool infer_loop(InferCtx *x, Op *op)
{
	if (op->nblocks != 1)
		return infer_error(x, op, "%d blocks, not 1", op->nblocks);
	Block *body = op->blocks[0];
	size_t nstate = op->noperands > 2 ? op->noperands - 2u : 0;
	Loop l;
	loop_init(&l, x, op, 2, nstate);
	if (!check_states(x, op))
		return false;
	bool ok = true;
	for (int round = 0;; round++) {
		set_counters(x, body);
		set_args(&l, body, 2, round);
		ok = infer_maybe(x, body);
		if (!loop_again(&l, settle_state(&l, body, 2, 1), round))
			break;
	}
	Map outer;
	outer_symbols(&l, &outer);
	const Sym *trips = loop_trips(x, op, body);
	set_state_results(&l, &outer);
	for (size_t i = nstate; i < op->nresults; i++) {
		Value *v = yielded(body, 1 + i);
		if (v)
			infer_result(x, op, i, stacked(&l, v->type, 0, result_dim(x, op, i, 0, trips), &outer, i));
	}
	return ok;
}

/* core.while: two blocks over the same state. */
bool infer_while(InferCtx *x, Op *op)
{
	if (op->nblocks != 2)
		return infer_error(x, op, "%d blocks, not 2", op->nblocks);
	Loop l;
	loop_init(&l, x, op, 0, op->noperands);
	if (!check_states(x, op))
		return false;
	bool ok = true;
	for (int round = 0;; round++) {
		set_args(&l, op->blocks[0], 0, round);
		set_args(&l, op->blocks[1], 0, round);
		ok = infer_block(x, op->blocks[0]);
		ok = infer_maybe(x, op->blocks[1]) && ok;
		if (!loop_again(&l, settle_state(&l, op->blocks[1], 0, 0), round))
			break;
	}
	Map outer;
	outer_symbols(&l, &outer);
	set_state_results(&l, &outer);
	return ok;
}

/* The type of one slice of a scan input; *length gets the number of slices when it is known better than before. */
static const Type *scan_slice(InferCtx *x, const Type *t, int64_t axis, const Sym **length)
{
	int at;
	int64_t n;
	if (!type_is_tensor(t))
		return type_unknown(x->ctx);
	if (!type_has_rank(t) || !axis_norm(axis, t->rank, &at))
		return type_unranked(x->ctx, t->dtype);
	if (!*length || !sym_const(*length, &n))
		*length = t->dims[at];
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank);
	for (int d = 0, k = 0; d < t->rank; d++)
		if (d != at)
			dims[k++] = t->dims[d];
	return type_tensor(x->ctx, t->dtype, t->rank - 1, dims);
}

bool infer_scan(InferCtx *x, Op *op)
{
	if (op->nblocks != 1)
		return infer_error(x, op, "%d blocks, not 1", op->nblocks);
	Block *body = op->blocks[0];
	int64_t ninputs = op_int(op, A_num_scan_inputs);
	if (ninputs < 0 || ninputs > op->noperands)
		return infer_error(x, op, "num_scan_inputs is %lld, but there are %d operands", (long long)ninputs, op->noperands);
	size_t nscan = (size_t)ninputs, nstate = op->noperands - nscan;
	Loop l;
	loop_init(&l, x, op, 0, nstate);
	if (!check_states(x, op))
		return false;
	const Sym *length = NULL;
	bool ok = true;
	for (int round = 0;; round++) {
		set_args(&l, body, 0, round);
		for (size_t i = 0; i < nscan && nstate + i < body->nargs; i++) {
			Value *v = op_operand(op, nstate + i);
			if (v)
				infer_set_arg(x, body->args[nstate + i],
					scan_slice(x, v->type, op_list_entry(op, A_scan_input_axes, i, 0), &length));
		}
		ok = infer_maybe(x, body);
		if (!loop_again(&l, settle_state(&l, body, 0, 0), round))
			break;
	}
	Map outer;
	outer_symbols(&l, &outer);
	set_state_results(&l, &outer);
	for (size_t i = nstate; i < op->nresults; i++) {
		Value *v = yielded(body, i);
		int64_t axis = op_list_entry(op, A_scan_output_axes, i - nstate, 0);
		int at = 0;
		if (v && type_has_rank(v->type))
			(void)axis_norm(axis, v->type->rank + 1, &at);
		if (v)
			infer_result(x, op, i, stacked(&l, v->type, axis, result_dim(x, op, i, at, length), &outer, i));
	}
	return ok;
}

/* ---- calls ---- */

static Func *callee_of(const InferCtx *x, const Op *op)
{
	const Str *name = op_attr_str(op, A_callee);
	for (Func *f = name ? x->module->funcs : NULL; f; f = f->next)
		if (f->name == name)
			return f;
	return NULL;
}

/* The result types of the callee hold for each of its calls; sizes that are anonymous there may differ between calls. */
bool infer_call(InferCtx *x, Op *op)
{
	const Func *f = callee_of(x, op);
	if (!f)
		return true;
	for (size_t i = 0; i < op->nresults; i++) {
		Value *v = yielded(f->body, i);
		if (!v)
			continue;
		const Type *t = v->type;
		if (type_has_rank(t) && t->rank > 0) {
			const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank);
			for (int d = 0; d < t->rank; d++)
				dims[d] = infer_is_vague(t->dims[d]) ? infer_unknown(x, op, i, d) : t->dims[d];
			Type r = *t;
			r.dims = dims;
			t = type_make(x->ctx, r);
		}
		infer_result(x, op, i, t);
		const Elems *e = infer_elems(x, v);
		bool vague = false;
		for (int64_t k = 0; e && k < e->n; k++)
			vague |= infer_is_vague(e->v[k]);
		if (!vague)
			infer_set_elems(x, op->results[i], e);
	}
	return true;
}

/* The rewrite engine: a worklist of ops, rules indexed by root kind, run until nothing fires.
 *
 * An op is tried when it is new, when an operand changed, or when one of its results lost or gained a use (rules ask for
 * single uses). Constant expressions are not visited: they are data that pass_materialise computes once. */
#include "rewrite/rewrite.h"

#include <stdio.h>
#include <string.h>

enum { CYCLE_WINDOW = 64 };

typedef struct Worklist {
	Arena *arena;
	VEC(Op *) queue;      /* processed from `at`; compacted when it runs empty */
	size_t at;
	uint8_t *queued;      /* by op id */
	uint32_t nqueued;
} Worklist;

typedef struct RuleIndex {
	VEC(const Rule *) by_kind[OP_KIND_COUNT];
	VEC(const Rule *) generic;
} RuleIndex;

static bool queued_bit(Worklist *w, const Op *op, bool set)
{
	if (op->id >= w->nqueued) {
		uint32_t n = op->id + op->id / 2 + 64;
		uint8_t *p = arena_alloc(w->arena, n);
		if (w->nqueued)
			memcpy(p, w->queued, w->nqueued);
		w->queued = p;
		w->nqueued = n;
	}
	bool was = w->queued[op->id];
	w->queued[op->id] = set;
	return was;
}

static void work_push(Worklist *w, Op *op)
{
	if (!op || op->erased || queued_bit(w, op, true))
		return;
	VEC_PUSH(w->arena, &w->queue, op);
}

static Op *work_pop(Worklist *w)
{
	if (w->at == w->queue.len) {
		w->at = w->queue.len = 0;
		return NULL;
	}
	Op *op = w->queue.data[w->at++];
	queued_bit(w, op, false);
	return op;
}

static bool push_walk(void *arg, Op *op)
{
	work_push(arg, op);
	return true;
}

static void push_users(Worklist *w, const Value *v)
{
	for (const Use *u = v->uses; u; u = u->next)
		work_push(w, u->user);
}

/* The producer may have become single-use; so may its other users' view of it. */
static void push_producer(Worklist *w, const Value *v)
{
	if (!v || !v->def)
		return;
	work_push(w, v->def);
	if (value_has_one_use(v))
		push_users(w, v);
}

/* ---- which rules run ---- */

static bool listed(const char *const *names, const Rule *r, const char *topic)
{
	for (; names && *names; names++)
		if (!strcmp(*names, r->name) || !strcmp(*names, topic))
			return true;
	return false;
}

static bool rule_enabled(const RewriteOptions *o, const Rule *r, const char *topic)
{
	if (listed(o->disable, r, topic))
		return false;
	if (o->only)
		return listed(o->only, r, topic);
	if (r->class >= CLASS_DOMAIN)
		return o->allow & (1u << r->class);
	return r->level <= o->level && (r->class == CLASS_EXACT || o->level >= 2);
}

static void index_rules(RuleIndex *ix, Arena *a, const RewriteOptions *o)
{
	for (size_t i = 0; i < o->nextra; i++)
		VEC_PUSH(a, &ix->by_kind[o->extra[i].root], &o->extra[i]);
	for (size_t s = 0; s < rule_set_count(); s++) {
		const RuleSet *set = rule_set_at(s);
		for (size_t i = 0; i < set->n; i++) {
			const Rule *r = &set->rules[i];
			if (!rule_enabled(o, r, set->topic))
				continue;
			if (r->root == OP_UNKNOWN)
				VEC_PUSH(a, &ix->generic, r);
			else
				VEC_PUSH(a, &ix->by_kind[r->root], r);
		}
	}
}

/* ---- log ---- */

void rewrite_log_init(RewriteLog *log, Arena *a)
{
	memset(log, 0, sizeof(*log));
	log->arena = a;
}

static uint32_t log_name(RewriteLog *log, const char *name)
{
	for (size_t i = 0; i < log->names.len; i++)
		if (log->names.data[i] == name || !strcmp(log->names.data[i], name))
			return (uint32_t)i;
	VEC_PUSH(log->arena, &log->names, name);
	VEC_PUSH(log->arena, &log->counts, 0);
	return (uint32_t)(log->names.len - 1);
}

void rewrite_log_claim(RewriteLog *log, const char *name, const Value *old, const Value *new_)
{
	RewriteEvent e = { .rule = log_name(log, name), .old_value = old->id, .new_value = new_->id,
		.serial = log->rewrites };
	VEC_PUSH(log->arena, &log->events, e);
}

void rewrite_log_count(RewriteLog *log, const char *name, int64_t n)
{
	uint32_t at = log_name(log, name); /* may move counts */
	log->counts.data[at] += n;
	log->rewrites += n;
}

/* ---- explain ---- */

static void explain_add(Rw *rw, bool fired, char *reason)
{
	Explain *x = rw->explain;
	const Op *op = rw->root;
	const Str *name = op->name ? op->name : op->nresults ? op->results[0]->name : NULL;
	ExplainRow row = { .op = op, .rule = rw->rule->name, .reason = reason, .fired = fired, .op_name = name ? name->s : "" };
	for (size_t i = 0; i < x->rows.len; i++) {
		ExplainRow *old = &x->rows.data[i];
		bool same = *row.op_name ? !strcmp(old->op_name, row.op_name) : old->op == op;
		if (same && old->rule == row.rule) { /* the last answer counts, but that it fired stays */
			if (!old->fired)
				*old = row;
			return;
		}
	}
	VEC_PUSH(x->arena, &x->rows, row);
}

bool rw_no(Rw *rw, const char *fmt, ...)
{
	if (!rw->explain || !rw->explain->wants(rw->explain->arg, rw->root))
		return false;
	va_list ap;
	va_start(ap, fmt);
	char *text = arena_vprintf(rw->explain->arena, fmt, ap);
	va_end(ap);
	explain_add(rw, false, text);
	return false;
}

/* ---- the loop ---- */

static bool try_rule(Rw *rw, Op *op, const Rule *r)
{
	rw->rule = r;
	rw->root = op;
	rw->fired = false;
	arena_reset(rw->scratch);
	bool wanted = rw->explain && rw->explain->wants(rw->explain->arg, op); /* the action may erase op */
	if (!r->action(rw, op))
		return false;
	if (!rw->fired)
		BUG("rule %s says that it fired but replaced nothing", r->name);
	rewrite_log_count(rw->log, r->name, 1);
	if (wanted)
		explain_add(rw, true, NULL);
	return true;
}

static bool try_op(Rw *rw, const RuleIndex *ix, Op *op)
{
	OpKind k = op_kind(op);
	for (size_t i = 0; i < ix->by_kind[k].len; i++)
		if (try_rule(rw, op, ix->by_kind[k].data[i]))
			return true;
	for (size_t i = 0; i < ix->generic.len; i++)
		if (try_rule(rw, op, ix->generic.data[i]))
			return true;
	return false;
}

/* A correct rule set needs a small multiple of the ops; more means that rules undo each other. */
static _Noreturn void report_cycle(const char *const *window, int64_t n)
{
	Buf b = { 0 };
	for (int64_t i = 0; i < CYCLE_WINDOW && i < n; i++) {
		bool seen = false;
		for (int64_t j = 0; j < i; j++)
			seen |= window[j] == window[i];
		if (!seen)
			buf_printf(&b, " %s", window[i]);
	}
	BUG("rules do not terminate after %lld rewrites; firing in turn:%s", (long long)n, b.data ? b.data : "");
}

bool rewrite_run(Module *m, InferCtx *x, const RewriteOptions *opt, RewriteLog *log, Explain *explain)
{
	Arena *a = arena_new();
	Worklist work = { .arena = a };
	RuleIndex *ix = NEW(a, RuleIndex);
	const char *window[CYCLE_WINDOW];
	int64_t fired = 0, bound = 10000 + 64 * (int64_t)m->next_op;
	index_rules(ix, a, opt);
	Rw rw = { .ctx = m->ctx, .module = m, .infer = x, .scratch = arena_new(), .opt = opt, .log = log,
		.explain = explain, .work = &work };
	module_walk(m, push_walk, &work);
	for (Op *op = work_pop(&work); op; op = work_pop(&work)) {
		while (!op->erased && !op->constant && (opt->limit < 0 || log->rewrites < opt->limit) &&
				try_op(&rw, ix, op)) {
			window[fired++ % CYCLE_WINDOW] = rw.rule->name;
			if (fired > bound)
				report_cycle(window, fired);
		}
	}
	arena_free(rw.scratch);
	arena_free(a);
	return fired > 0;
}

/* ---- building ---- */

static Op *build(Rw *rw, OpKind kind, Value *const *operands, size_t n, size_t nresults, const RwAttr *attrs)
{
	NamedAttr list[24];
	size_t na = 0;
	for (; attrs && attrs->name; attrs++) {
		if (!attrs->value)
			continue;
		CHECK(na < ARRAY_LEN(list));
		list[na++] = (NamedAttr){ rw->ctx->attr_names[attrs->name], attrs->value };
	}
	OpSpec s = { .def = op_def(rw->ctx, kind), .operands = operands, .noperands = n, .nresults = nresults,
		.attrs = list, .nattrs = na, .loc = rw->root->loc };
	Op *op = op_new(rw->root->block, rw->root, &s);
	op->made = true;
	shape_update(rw->infer, op, false);
	work_push(rw->work, op);
	return op;
}

Value *rw_op(Rw *rw, OpKind kind, Value *const *operands, size_t n, const RwAttr *attrs)
{
	return build(rw, kind, operands, n, 1, attrs)->results[0];
}

Value *rw_op1(Rw *rw, OpKind kind, Value *a, const RwAttr *attrs)
{
	return rw_op(rw, kind, (Value *[]){ a }, 1, attrs);
}

Value *rw_op2(Rw *rw, OpKind kind, Value *a, Value *b, const RwAttr *attrs)
{
	return rw_op(rw, kind, (Value *[]){ a, b }, 2, attrs);
}

Value *rw_op3(Rw *rw, OpKind kind, Value *a, Value *b, Value *c, const RwAttr *attrs)
{
	return rw_op(rw, kind, (Value *[]){ a, b, c }, c ? 3 : 2, attrs);
}

Op *rw_op_multi(Rw *rw, OpKind kind, Value *const *operands, size_t n, size_t nresults, const RwAttr *attrs)
{
	return build(rw, kind, operands, n, nresults, attrs);
}

static Value *typed(Rw *rw, Value *constant)
{
	shape_update(rw->infer, constant->def, false);
	constant->def->made = true;
	return constant;
}

Value *rw_ints(Rw *rw, const int64_t *v, size_t n)
{
	int64_t dims[1] = { (int64_t)n };
	return typed(rw, constant_from_ints(rw->root->block, rw->root, DT_I64, 1, dims, v));
}

Value *rw_float(Rw *rw, DType d, double v)
{
	return typed(rw, constant_from_floats(rw->root->block, rw->root, d, 0, NULL, &v));
}

Value *rw_reshape_to(Rw *rw, Value *v, int rank, const int64_t *dims)
{
	bool zero = false;
	for (int i = 0; i < rank; i++)
		zero |= dims[i] == 0;
	const RwAttr attrs[] = { { A_allowzero, zero ? attr_int(rw->ctx, 1) : NULL }, { A_NONE, NULL } };
	return rw_op2(rw, OP_reshape, v, rw_ints(rw, dims, (size_t)rank), attrs);
}

/* ---- replacing ---- */

static bool is_function_output(const Value *v)
{
	for (const Use *u = v->nyields ? v->uses : NULL; u; u = u->next)
		if (op_is(u->user, OP_return))
			return true;
	return false;
}

/* The replacement inherits what users know the old value by. The name of a function's output must survive; other names
 * go to new values that have none. */
void rewrite_inherit_names(Value *old, Value *new_)
{
	bool output = is_function_output(old) && new_->def && !new_->def->constant && !is_function_output(new_);
	if (old->name && (!new_->name || output))
		value_set_name(new_, old->name);
	if (new_->def && new_->def->made && !new_->def->name && old->def)
		new_->def->name = old->def->name;
}

bool rw_erase_dead(Rw *rw, Op *op)
{
	VEC(Op *) stack = { 0 };
	bool any = false;
	VEC_PUSH(rw->scratch, &stack, op);
	while (stack.len) {
		Op *o = stack.data[--stack.len];
		if (o->erased || !op_is_pure(o))
			continue;
		bool used = false;
		for (size_t i = 0; i < o->nresults; i++)
			used |= value_has_uses(o->results[i]);
		if (used)
			continue;
		Value **in = NEW_ARRAY(rw->scratch, Value *, o->noperands + 1u);
		size_t n = o->noperands;
		for (size_t i = 0; i < n; i++)
			in[i] = o->operands[i].value;
		op_erase(o);
		any = true;
		for (size_t i = 0; i < n; i++) {
			if (!in[i] || !in[i]->def)
				continue;
			if (!value_has_uses(in[i]))
				VEC_PUSH(rw->scratch, &stack, in[i]->def);
			push_producer(rw->work, in[i]);
		}
	}
	return any;
}

bool rw_replace(Rw *rw, Value *old, Value *new_)
{
	CHECK(old != new_);
	rw->fired = true;
	rewrite_inherit_names(old, new_);
	rewrite_log_claim(rw->log, rw->rule->name, old, new_);
	bool conflict = false;
	const Type *t = type_refine(rw->ctx, new_->type, old->type, &conflict);
	bool better = t != old->type;
	if (!conflict && t != new_->type)
		value_set_type(new_, t);
	push_users(rw->work, old);
	value_replace_uses(old, new_);
	if (better) {
		for (Use *u = new_->uses, *next; u; u = next) {
			next = u->next;
			shape_update(rw->infer, u->user, true);
		}
	}
	push_producer(rw->work, new_);
	if (old->def)
		rw_erase_dead(rw, old->def);
	return true;
}

bool rw_replace_op(Rw *rw, Op *op, Value *new_)
{
	CHECK(op->nresults == 1);
	return rw_replace(rw, op->results[0], new_);
}

bool rw_set_operand(Rw *rw, Op *op, size_t i, Value *v)
{
	Value *old = op_operand(op, i);
	rw->fired = true;
	op_set_operand(op, i, v);
	shape_update(rw->infer, op, true);
	work_push(rw->work, op);
	for (size_t r = 0; r < op->nresults; r++)
		push_users(rw->work, op->results[r]);
	if (old && old->def) {
		push_producer(rw->work, old);
		rw_erase_dead(rw, old->def);
	}
	return true;
}

bool rw_set_attr(Rw *rw, Op *op, AttrName a, const Attr *v)
{
	rw->fired = true;
	op_set_attr(op, rw->ctx->attr_names[a], v);
	shape_update(rw->infer, op, true);
	work_push(rw->work, op);
	for (size_t r = 0; r < op->nresults; r++)
		push_users(rw->work, op->results[r]);
	return true;
}

/* ---- common questions ---- */

bool rw_single_use(Rw *rw, Value *v)
{
	if (value_is_output(v))
		return rw_no(rw, "%s is an output", v->name ? quote(rw->scratch, v->name->s, v->name->len) : "a value between");
	if (!value_has_one_use(v))
		return rw_no(rw, "%s has %zu users", v->name ? quote(rw->scratch, v->name->s, v->name->len) : "a value between",
				value_num_uses(v));
	return true;
}

bool rw_is_constant(Rw *rw, Value *v, const char *what)
{
	return value_is_constant(v) || rw_no(rw, "%s is not constant", what);
}

bool rw_static_shape(Rw *rw, Value *v, int64_t *dims)
{
	if (type_has_rank(v->type) && v->type->rank <= MAX_RANK && type_static_dims(v->type, dims))
		return true;
	return rw_no(rw, "the shape of %s is not static", v->name ? quote(rw->scratch, v->name->s, v->name->len) : "a value");
}

bool rw_same_type(Rw *rw, const Value *a, const Value *b)
{
	const Type *s = a->type, *t = b->type;
	if (!type_has_rank(s) || !type_has_rank(t))
		return rw_no(rw, "a rank is unknown");
	if (s->dtype != t->dtype || s->dtype == DT_NONE || s->rank != t->rank)
		return rw_no(rw, "element type or rank differs");
	for (int i = 0; i < s->rank; i++)
		if (!sym_known_eq(s->dims[i], t->dims[i]))
			return rw_no(rw, "dimension %d may differ", i);
	return true;
}

/* Transposes: merged, cancelled across other ops, moved below them when that pays. A rule either lowers the number of
 * transposes, or moves one towards the outputs without adding any, when it will meet another or a product there. So they
 * end. */
#include "move_int.h"
#include "permute_int.h"
#include "rules.h"

enum { MAX_DEPTH = 24, MAX_VISITS = 128 };

static bool merge_transposes(Rw *rw, Op *root)
{
	Op *inner = live_def(op_operand(root, 0), OP_transpose);
	Perm p, q;
	if (!inner)
		return rw_no(rw, "the operand is no transpose");
	if (!perm_of(inner, &p) || !perm_of(root, &q))
		return rw_no(rw, "the rank is unknown");
	Perm r = perm_compose(&p, &q);
	Value *x = op_operand(inner, 0);
	if (perm_is_identity(&r))
		return replace_by_existing(rw, root->results[0], x);
	return rw_replace_op(rw, root, rw_transpose(rw, x, r.a, r.n));
}

static bool drop_identity(Rw *rw, Op *root)
{
	Perm p;
	if (!perm_of(root, &p))
		return rw_no(rw, "the rank is unknown");
	if (!perm_is_identity(&p))
		return rw_no(rw, "it moves axes");
	return replace_by_existing(rw, root->results[0], op_operand(root, 0));
}

/* Axes of size 1 may go anywhere: a transpose that keeps the order of the others is a reshape. */
static bool transpose_to_reshape(Rw *rw, Op *root)
{
	Perm p;
	Value *x = op_operand(root, 0), *y = root->results[0];
	int last = -1;
	if (!perm_of(root, &p))
		return rw_no(rw, "the rank is unknown");
	for (int i = 0; i < p.n; i++) {
		if (sym_is(x->type->dims[p.a[i]], 1))
			continue;
		if (p.a[i] < last)
			return rw_no(rw, "it moves axes that are not of size 1");
		last = p.a[i];
	}
	if (def_of(x, OP_transpose))
		return rw_no(rw, "it merges with the transpose before it");
	for (const Use *u = y->uses; u; u = u->next)
		if (op_is(u->user, OP_transpose))
			return rw_no(rw, "it merges with the transpose after it");
	Value *z = reshape_like_to(rw, x, y->type, false, false);
	return z && z != x && rw_replace_op(rw, root, z);
}

/* ---- upwards, against a transpose or constants ---- */

typedef struct Pull {
	Rw *rw;
	int visits;
} Pull;

static bool may_rebuild(const Rw *rw, const Value *v)
{
	return v->def && !v->def->constant && v->def->block == rw->root->block && value_has_one_use(v) &&
			!value_is_output(v);
}

/* How many transposes more there are when v is needed transposed by q instead of as it is. */
static int pull_cost(Pull *u, Value *v, const Perm *q, int depth)
{
	Perm p;
	if (perm_is_identity(q) || value_is_constant(v))
		return 0;
	Op *t = live_def(v, OP_transpose);
	if (t && perm_of(t, &p)) {
		Perm r = perm_compose(&p, q);
		int saved = may_rebuild(u->rw, v) ? 1 : 0;
		return (perm_is_identity(&r) ? 0 : 1) - saved;
	}
	if (depth > MAX_DEPTH || ++u->visits > MAX_VISITS || !may_rebuild(u->rw, v) || !perm_can_move(u->rw, v->def, q))
		return 1;
	int sum = 0;
	for (size_t i = 0; i < v->def->noperands; i++)
		if (perm_of_operand(v->def, i, q, &p))
			sum += pull_cost(u, op_operand(v->def, i), &p, depth + 1);
	return sum < 1 ? sum : 1;
}

/* v transposed by q, built as pull_cost counted. */
static Value *pull_build(Pull *u, Value *v, const Perm *q, int depth)
{
	Perm p;
	Op *t = live_def(v, OP_transpose);
	if (perm_is_identity(q) || value_is_constant(v))
		return perm_apply(u->rw, v, q);
	if (t && perm_of(t, &p)) {
		Perm r = perm_compose(&p, q);
		return perm_apply(u->rw, op_operand(t, 0), &r);
	}
	Pull again = { .rw = u->rw };
	if (!may_rebuild(u->rw, v) || pull_cost(&again, v, q, depth) >= 1)
		return perm_apply(u->rw, v, q);
	Op *op = v->def;
	Value **in = NEW_ARRAY(u->rw->scratch, Value *, op->noperands);
	for (size_t i = 0; i < op->noperands; i++) {
		in[i] = op_operand(op, i);
		if (perm_of_operand(op, i, q, &p))
			in[i] = pull_build(u, in[i], &p, depth + 1);
	}
	return perm_rebuild(u->rw, op, q, in);
}

static bool cancel_upwards(Rw *rw, Op *root)
{
	Perm q;
	Pull u = { .rw = rw };
	Value *v = op_operand(root, 0);
	if (!perm_of(root, &q) || def_of(v, OP_transpose))
		return rw_no(rw, "the rank is unknown");
	if (pull_cost(&u, v, &q, 0) > 0) /* the root itself goes away */
		return rw_no(rw, "no transpose above would cancel with it");
	return rw_replace_op(rw, root, pull_build(&u, v, &q, 0));
}

/* ---- downwards ---- */

/* A product of rank 2 takes a transposed operand as it is. */
static bool absorbs(const Use *u)
{
	bool product = op_is(u->user, OP_gemm) || op_is(u->user, OP_matmul);
	return product && value_rank(op_operand(u->user, 0)) == 2 && value_rank(op_operand(u->user, 1)) == 2 &&
			u - u->user->operands < 2;
}

/* All operands that op permutes are constants or transposes by p; *saved of these are used by op alone. */
static bool transposed_alike(const Op *op, const Perm *p, int *saved)
{
	*saved = 0;
	for (size_t i = 0; i < op->noperands; i++) {
		Value *v = op_operand(op, i);
		if (!perm_touches(op, i) || value_is_constant(v))
			continue;
		Op *t = live_def(v, OP_transpose);
		Perm own;
		if (!t || !perm_of(t, &own) || !perm_equal(&own, p))
			return false;
		bool alone = !value_is_output(v), first = true;
		for (const Use *u = v->uses; u && alone; u = u->next)
			alone &= u->user == op;
		for (size_t k = 0; k < i; k++)
			first &= op_operand(op, k) != v;
		*saved += alone && first;
	}
	return true;
}

/* A transpose by p put right on v would vanish: against its users, or after it has moved below the only one. */
static bool pays_below(Rw *rw, const Value *v, const Perm *p, int depth)
{
	enum { MANY = 64 };
	bool all = value_has_uses(v) && !value_is_output(v) && v->nuses <= MANY, cancels = false;
	size_t left = MANY;
	for (const Use *u = v->uses; u && left-- > 0; u = u->next) {
		Perm q;
		if (op_is(u->user, OP_transpose) && perm_of(u->user, &q)) {
			Perm r = perm_compose(p, &q);
			cancels |= perm_is_identity(&r);
		} else {
			all &= absorbs(u);
		}
	}
	if (all || cancels)
		return true;
	if (depth > MAX_DEPTH || !value_has_one_use(v) || value_is_output(v))
		return false;
	const Op *op = v->uses->user;
	Perm below, q;
	if (op->block != rw->root->block || op->nresults != 1 || !perm_touches(op, (size_t)(v->uses - op->operands)) ||
			!perm_below(rw, op, p, &below))
		return false;
	q = perm_inverse(&below);
	if (!perm_can_move(rw, op, &q))
		return false;
	for (size_t i = 0; i < op->noperands; i++) {
		Value *w = op_operand(op, i);
		Perm own;
		Op *t = live_def(w, OP_transpose);
		if (w != v && perm_touches(op, i) && !value_is_constant(w) && !(t && perm_of(t, &own) && perm_equal(&own, p)))
			return false;
	}
	return perm_is_identity(&below) || pays_below(rw, op->results[0], &below, depth + 1);
}

static Value *sink_build(Rw *rw, Op *op, const Perm *p, const Perm *q)
{
	if (perm_drops(op))
		return perm_drop(rw, op, p, op_operand(op_operand(op, 0)->def, 0));
	Value **in = NEW_ARRAY(rw->scratch, Value *, op->noperands);
	for (size_t i = 0; i < op->noperands; i++) {
		Perm own;
		in[i] = op_operand(op, i);
		if (!perm_of_operand(op, i, q, &own))
			continue;
		in[i] = value_is_constant(in[i]) ? perm_apply(rw, in[i], &own) : op_operand(in[i]->def, 0);
	}
	return perm_rebuild(rw, op, q, in);
}

/* op(transpose(x, p), transpose(y, p)) = transpose(op'(x, y), below) */
static bool sink(Rw *rw, Op *op)
{
	Perm p = { .n = -1 }, below;
	for (size_t i = 0; i < op->noperands && p.n < 0; i++) {
		Op *t = live_def(op_operand(op, i), OP_transpose);
		if (t && perm_touches(op, i) && !perm_of(t, &p))
			p.n = -1;
	}
	if (p.n < 0 || op_is(op, OP_transpose))
		return false;
	int saved;
	if (!transposed_alike(op, &p, &saved))
		return rw_no(rw, "not all operands are transposed alike");
	if (!perm_below(rw, op, &p, &below))
		return false;
	Perm q = perm_inverse(&below);
	if (!perm_can_move(rw, op, &q))
		return false;
	bool gone = perm_is_identity(&below);
	int more = (gone ? 0 : 1) - saved;
	if (more > 0 || (more == 0 && (gone || !pays_below(rw, op->results[0], &below, 0))))
		return rw_no(rw, "no transpose would be saved below");
	Value *y = perm_apply(rw, sink_build(rw, op, &p, &q), &below);
	return rw_replace_op(rw, op, y);
}

/* split(transpose(x, p)) whose parts all meet transposes. */
static bool sink_split(Rw *rw, Op *split)
{
	Op *t = live_def(op_operand(split, 0), OP_transpose);
	Perm p;
	int axis;
	if (!t || !perm_of(t, &p) || !axis_norm(op_int(split, A_axis), p.n, &axis))
		return rw_no(rw, "the operand is no transpose");
	if (!rw_single_use(rw, t->results[0]))
		return false;
	for (size_t i = 0; i < split->nresults; i++)
		if (!pays_below(rw, split->results[i], &p, 0))
			return rw_no(rw, "a part meets no transpose");
	Value *in[2] = { op_operand(t, 0), op_operand(split, 1) };
	Op *moved = rw_op_multi(rw, OP_split, in, split->noperands, split->nresults,
			(RwAttr[]){ { A_axis, attr_int(rw->ctx, p.a[axis]) }, { A_NONE, NULL } });
	moved->name = split->name;
	Value **parts = NEW_ARRAY(rw->scratch, Value *, split->nresults);
	for (size_t i = 0; i < split->nresults; i++)
		parts[i] = perm_apply(rw, moved->results[i], &p);
	for (size_t i = 0; i < moved->nresults; i++)
		rw_replace(rw, split->results[i], parts[i]);
	return true;
}

static const Rule rules[] = {
	{ "transpose-identity", "transpose(x) 0,1,2", "x", OP_transpose, CLASS_EXACT, 1, drop_identity },
	{ "transpose-transpose", "transpose(transpose(x))", "transpose(x)", OP_transpose, CLASS_EXACT, 1,
		merge_transposes },
	{ "transpose-cancel", "transpose(relu(transpose(x)))", "relu(x)", OP_transpose, CLASS_EXACT, 1, cancel_upwards },
	{ "transpose-split", "split(transpose(x))", "transpose(split(x))...", OP_split, CLASS_EXACT, 1, sink_split },
	{ "transpose-sink", "add(transpose(x), transpose(y))", "transpose(add(x, y))", OP_UNKNOWN, CLASS_EXACT, 1, sink },
	{ "transpose-reshape", "transpose(x) of axes of size 1", "reshape(x)", OP_transpose, CLASS_EXACT, 1,
		transpose_to_reshape },
};

const RuleSet RULES_TRANSPOSE = { "transpose", rules, ARRAY_LEN(rules) };

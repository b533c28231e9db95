/* Norms that normalise by the statistics of the batch they are given, as models in training mode do. Nothing folds them: the
 * results of one sample depend on the others. They are told apart from layer norms, which never mix samples, and reported;
 * on demand they are frozen: the running statistics of the training take the place of the batch's.
 *
 * Forms: core.batch_norm_training and onnx.BatchNormalization (which carry running statistics as operands), StableHLO's
 * batch_norm_training, and the same in parts: (x - mean(x)) * rsqrt(var(x) + eps), with both over all axes but one, the batch
 * among them. For the last two, running statistics are what the update of them starts from (0.9 * running + 0.1 * mean), or
 * the weights, given with the model, whose names belong to that of the scale: bn.weight -> bn.running_mean. */
#include "pass/pass.h"
#include "rewrite/help_int.h"

#include <math.h>
#include <string.h>

enum { STRIP_LIMIT = 16, SCAN_LIMIT = 64, STEP_LIMIT = 32 };

typedef struct Search {
	Module *m;
	Arena *arena;
	VEC(TrainingNorm) list;
} Search;

/* ---- walking through what changes shapes only ---- */

static bool is_shape_op(const Op *op)
{
	return op_is(op, OP_reshape) || op_is(op, OP_unsqueeze) || op_is(op, OP_squeeze) || op_is(op, OP_expand) ||
		op_is(op, OP_cast);
}

static Value *strip(Value *v)
{
	for (int i = 0; v && v->def && is_shape_op(v->def) && i < STRIP_LIMIT; i++)
		v = op_operand(v->def, 0);
	return v;
}

static bool number_of(Value *v, double *out)
{
	v = strip(v);
	return v && value_is_constant(v) && constant_float(v, out);
}

static Op *made_by(Value *v, OpKind k)
{
	v = strip(v);
	return v && op_is(v->def, k) ? v->def : NULL;
}

/* The other operand of a commutative op when one of them is a number. */
static Value *times_number(Op *op, double *k)
{
	for (size_t i = 0; i < 2; i++)
		if (number_of(op_operand(op, i), k))
			return op_operand(op, 1 - i);
	return NULL;
}

/* ---- statistics ---- */

/* All axes but one, the first among those that go; *axis is the one that stays. */
static bool keeps_one_axis(const Op *reduce, int *axis)
{
	const int64_t *axes;
	const Type *t = op_operand(reduce, 0)->type;
	size_t n = op_attr_ints(reduce, A_axes, &axes);
	uint64_t gone = 0;
	if (!type_has_rank(t) || t->rank < 2 || t->rank > MAX_RANK || n + 1 != (size_t)t->rank)
		return false;
	for (size_t i = 0; i < n; i++)
		gone |= UINT64_C(1) << (axes[i] < 0 ? axes[i] + t->rank : axes[i]);
	for (int i = 0; i < t->rank; i++)
		if (!(gone >> i & 1))
			*axis = i;
	return gone & 1;
}

static bool is_reduce(const Op *op, const char *kind)
{
	return op_is(op, OP_reduce) && !strcmp(op_text(op, A_kind), kind);
}

/* Elements that a sum adds up, when that is known. */
static bool divides_by_count(const Op *reduce, double k)
{
	int64_t all, kept;
	if (!type_static_numel(op_operand(reduce, 0)->type, &all) || !type_static_numel(reduce->results[0]->type, &kept) || !kept)
		return true;
	return fabs(k * (double)kept / (double)all - 1) < 1e-5;
}

/* What v is the mean of: mean(x), sum(x) / n or sum(x) * (1 / n). A count that is computed is believed. */
static Value *mean_of(Value *v, int *axis)
{
	Op *mean = made_by(v, OP_reduce), *div = made_by(v, OP_div), *mul = made_by(v, OP_mul);
	double k = 1;
	if (mean && is_reduce(mean, "mean"))
		return keeps_one_axis(mean, axis) ? op_operand(mean, 0) : NULL;
	Op *sum = div ? made_by(op_operand(div, 0), OP_reduce) : NULL;
	if (sum && number_of(op_operand(div, 1), &k) && !divides_by_count(sum, k))
		return NULL;
	Value *factor = !sum && mul ? times_number(mul, &k) : NULL;
	if (factor) {
		sum = made_by(factor, OP_reduce);
		if (sum && (k <= 0 || !divides_by_count(sum, 1 / k)))
			return NULL;
	}
	return sum && is_reduce(sum, "sum") && keeps_one_axis(sum, axis) ? op_operand(sum, 0) : NULL;
}

static Value *square_of(Value *v)
{
	Op *mul = made_by(v, OP_mul), *pow = made_by(v, OP_pow);
	double k;
	if (mul && op_operand(mul, 0) == op_operand(mul, 1))
		return op_operand(mul, 0);
	return pow && number_of(op_operand(pow, 1), &k) && k == 2 ? op_operand(pow, 0) : NULL;
}

/* v = var(x): mean(x * x) - mean(x)^2 or mean((x - mean(x))^2), perhaps kept from below 0. */
static Value *variance_of(Value *v, int *axis)
{
	double k;
	Op *max = made_by(v, OP_max), *sub;
	if (max) {
		Value *inner = max->noperands == 2 ? times_number(max, &k) : NULL;
		v = inner && k == 0 ? inner : v;
	}
	sub = made_by(v, OP_sub);
	if (sub) {
		Value *square = mean_of(op_operand(sub, 0), axis), *mean = square_of(op_operand(sub, 1));
		Value *x = square ? square_of(square) : NULL;
		return x && mean && mean_of(mean, axis) == x ? x : NULL;
	}
	Value *square = mean_of(v, axis), *centred = square ? square_of(square) : NULL;
	Op *from = made_by(centred, OP_sub);
	return from && mean_of(op_operand(from, 1), axis) == op_operand(from, 0) ? op_operand(from, 0) : NULL;
}

/* The value that is the mean of x where x is centred: x - mean. */
static Value *mean_used(Value *x)
{
	int axis;
	for (const Use *u = x->uses; u; u = u->next)
		if (op_is(u->user, OP_sub) && op_operand(u->user, 0) == x && mean_of(op_operand(u->user, 1), &axis) == x)
			return strip(op_operand(u->user, 1));
	return NULL;
}

/* ---- running statistics ---- */

/* R of R * a + stat * b, which is an update of running statistics; *sum is its result. */
static Value *updated_from(Value *stat, Value **sum)
{
	VEC(Value *) seen = {0};
	Arena *a = arena_new();
	Value *found = NULL;
	double k;
	VEC_PUSH(a, &seen, stat);
	for (size_t i = 0; i < seen.len && seen.len < SCAN_LIMIT && !found; i++)
		for (const Use *u = seen.data[i]->uses; u && !found; u = u->next) {
			Op *op = u->user;
			if ((is_shape_op(op) || (op_is(op, OP_mul) && times_number(op, &k) == seen.data[i])) && op->nresults == 1)
				VEC_PUSH(a, &seen, op->results[0]);
			if (!op_is(op, OP_add) || i == 0)
				continue;
			Value *other = op_operand(op, op_operand(op, 0) == seen.data[i] ? 1 : 0);
			Op *mul = made_by(other, OP_mul);
			Value *r = mul ? strip(times_number(mul, &k)) : NULL;
			if (r && (!r->def || value_is_constant(r))) {
				found = r;
				*sum = op->results[0];
			}
		}
	arena_free(a);
	return found;
}

/* Steps of a path between dots, slashes, brackets and quotes. */
typedef struct Path {
	const char *step[STEP_LIMIT];
	size_t len[STEP_LIMIT], n;
} Path;

static Path path_of(const Str *name)
{
	Path p = {0};
	const char *s = name->s;
	while (*s && p.n < STEP_LIMIT) {
		s += strspn(s, "./[]'\"");
		size_t len = strcspn(s, "./[]'\"");
		bool group = (len == 6 && !memcmp(s, "params", 6)) || (len == 11 && !memcmp(s, "batch_stats", 11));
		if (len && !group) {
			p.step[p.n] = s;
			p.len[p.n++] = len;
		}
		s += len;
	}
	return p;
}

static bool last_step_is(const Path *p, const char *const *words, size_t n)
{
	for (size_t i = 0; p->n && i < n; i++)
		if (strlen(words[i]) == p->len[p->n - 1] && !memcmp(words[i], p->step[p->n - 1], p->len[p->n - 1]))
			return true;
	return false;
}

/* Both lie in the same place: their steps but the last are alike, as far as both have them. */
static bool same_place(const Path *a, const Path *b)
{
	size_t n = (a->n < b->n ? a->n : b->n), i = 1;
	for (; i < n; i++) {
		size_t x = a->n - 1 - i, y = b->n - 1 - i;
		if (a->len[x] != b->len[y] || memcmp(a->step[x], b->step[y], a->len[x]) != 0)
			return false;
	}
	return i > 1;
}

static const Str *name_of(Value *v)
{
	v = v ? strip(v) : NULL;
	const Attr *t = v ? value_constant(v) : NULL;
	if (t && t->u.tensor.blob->weight)
		return t->u.tensor.blob->weight;
	return v ? v->name : NULL;
}

/* The value that is called as a running statistic of the norm with this scale; `only`: there is but one norm, so that any
 * such name will do. A weight that nothing used becomes a constant. */
static Value *named_statistic(Module *m, const Str *scale, bool mean, bool only)
{
	static const char *const MEANS[] = {"running_mean", "mean", "moving_mean"};
	static const char *const VARIANCES[] = {"running_var", "var", "moving_variance", "moving_var", "running_variance"};
	const char *const *words = mean ? MEANS : VARIANCES;
	size_t nwords = mean ? ARRAY_LEN(MEANS) : ARRAY_LEN(VARIANCES);
	Path of = scale ? path_of(scale) : (Path){0};
	for (uint32_t i = 0; i < m->main->body->nargs; i++) {
		Value *arg = m->main->body->args[i];
		Path p = arg->name ? path_of(arg->name) : (Path){0};
		if (last_step_is(&p, words, nwords) && (same_place(&p, &of) || (only && (p.n == 1 || of.n == 0))))
			return arg;
	}
	for (size_t i = 0; i < m->nweights; i++) {
		Path p = path_of(m->weights[i].name);
		if (last_step_is(&p, words, nwords) && (same_place(&p, &of) || (only && (p.n == 1 || of.n == 0))))
			return constant_from_attr(m->main->body, NULL, m->weights[i].value);
	}
	return NULL;
}

/* The scale of a norm in parts: what its root is multiplied with. */
static Value *scale_of_root(const Op *root)
{
	for (const Use *u = root->results[0]->uses; u; u = u->next)
		if (op_is(u->user, OP_mul)) {
			Value *other = op_operand(u->user, op_operand(u->user, 0) == root->results[0] ? 1 : 0);
			if (other && name_of(other))
				return other;
		}
	return NULL;
}

/* ---- the search ---- */

/* Fills given beside the op, not weights by name: how a layer norm is written with this op. */
static bool is_plain_fill(const Value *v, double x)
{
	return v && constant_all(v, x) && !name_of((Value *)(uintptr_t)v);
}

static void add(Search *s, TrainingNorm n)
{
	VEC_PUSH(s->arena, &s->list, n);
}

static bool visit(void *arg, Op *op)
{
	Search *s = arg;
	int axis;
	double eps;
	if (op_is(op, OP_batch_norm_training))
		add(s, (TrainingNorm){.op = op, .scale = op_operand(op, 1), .axis = 1});
	else if (op_is(op, ONNX_BatchNormalization) && op->nresults > 1)
		add(s, (TrainingNorm){.op = op, .scale = op_operand(op, 1), .axis = 1});
	else if (op_is(op, SHLO_batch_norm_training) && op->noperands == 3 &&
			!(is_plain_fill(op_operand(op, 1), 1) && is_plain_fill(op_operand(op, 2), 0)))
		add(s, (TrainingNorm){.op = op, .scale = op_operand(op, 1), .axis = (int)op_attr_int(op, A_feature_index, 1)});
	if (!op_is(op, OP_rsqrt) && !op_is(op, OP_sqrt))
		return true;
	Op *plus = made_by(op_operand(op, 0), OP_add);
	Value *var = plus ? times_number(plus, &eps) : NULL, *x = var ? variance_of(var, &axis) : NULL;
	Value *mean = x ? mean_used(x) : NULL;
	if (mean)
		add(s, (TrainingNorm){.op = op, .scale = scale_of_root(op), .axis = axis, .mean = mean, .var = strip(var)});
	return true;
}

size_t training_norms(Module *m, Arena *a, TrainingNorm **out)
{
	Search s = {.m = m, .arena = a};
	if (m->main)
		block_walk(m->main->body, visit, &s);
	*out = s.list.data;
	return s.list.len;
}

/* ---- freezing ---- */

/* v in the shape of `like`, which has as many elements. */
static Value *shaped_like(Module *m, Op *at, Value *v, const Type *like)
{
	int64_t dims[MAX_RANK], n = like->rank;
	if (v->type == like || !type_has_rank(like) || !type_static_dims(like, dims))
		return v;
	Value *shape = constant_from_ints(at->block, at, DT_I64, 1, &n, dims);
	OpSpec spec = {.def = op_def(m->ctx, OP_reshape), .operands = (Value *[]){v, shape}, .noperands = 2, .types = &like,
		.nresults = 1, .loc = at->loc};
	return op_new(at->block, at, &spec)->results[0];
}

/* Where a value is defined; what takes its place must stand there or before. */
static Op *place_of(const Module *m, const Value *v)
{
	return v->def ? v->def : m->main->body->first;
}

static bool fits(const Value *running, const Value *like)
{
	int64_t a, b;
	return running->type->dtype == like->type->dtype && type_static_numel(running->type, &a) &&
		type_static_numel(like->type, &b) && a == b;
}

/* One statistic of a norm in parts: the update of the running one gives that itself, everything else takes it. */
static void replace_statistic(Module *m, Value *stat, Value *running, Value *updated)
{
	if (updated && updated->type == running->type)
		value_replace_uses(updated, running);
	value_replace_uses(stat, shaped_like(m, place_of(m, stat), running, stat->type));
}

static const Attr *epsilon_of(const Op *op)
{
	return op_attr(op, A_epsilon);
}

/* An op of the inference kind in front of op, whose results it takes over. */
static void become_inference(Module *m, Op *op, OpKind kind, Value *mean, Value *var)
{
	Value *in[5] = {op_operand(op, 0), op_operand(op, 1), op_operand(op, 2), mean, var};
	NamedAttr attrs[2];
	size_t n = 0;
	if (epsilon_of(op))
		attrs[n++] = (NamedAttr){m->ctx->attr_names[A_epsilon], epsilon_of(op)};
	if (op_attr(op, A_feature_index))
		attrs[n++] = (NamedAttr){m->ctx->attr_names[A_feature_index], op_attr(op, A_feature_index)};
	OpSpec spec = {.def = op_def(m->ctx, kind), .operands = in, .noperands = 5, .types = &op->results[0]->type, .nresults = 1,
		.attrs = attrs, .nattrs = n, .loc = op->loc, .name = op->name};
	Value *y = op_new(op->block, op, &spec)->results[0];
	Value *stats[2] = {mean, var};
	value_set_name(y, op->results[0]->name);
	value_replace_uses(op->results[0], y);
	for (size_t i = 1; i < op->nresults && i < 3; i++)
		if (value_has_uses(op->results[i]))
			value_replace_uses(op->results[i], stats[i - 1]);
	for (size_t i = 3; i < op->nresults; i++) /* saved statistics of old opsets */
		if (value_has_uses(op->results[i]))
			value_replace_uses(op->results[i], stats[(i - 3) % 2]);
	op_erase(op);
}

static bool freeze(Module *m, TrainingNorm *n, bool only)
{
	Value *mean = n->mean, *var = n->var, *new_mean = NULL, *new_var = NULL;
	if (!mean && !op_is(n->op, SHLO_batch_norm_training)) {
		OpKind kind = op_is(n->op, ONNX_BatchNormalization) ? ONNX_BatchNormalization : OP_batch_norm;
		become_inference(m, n->op, kind, op_operand(n->op, 3), op_operand(n->op, 4));
		return true;
	}
	if (!mean) {
		mean = n->op->results[1];
		var = n->op->results[2];
	}
	Value *r_mean = updated_from(mean, &new_mean), *r_var = updated_from(var, &new_var);
	r_mean = r_mean ? r_mean : named_statistic(m, name_of(n->scale), true, only);
	r_var = r_var ? r_var : named_statistic(m, name_of(n->scale), false, only);
	if (!r_mean || !r_var || !fits(r_mean, mean) || !fits(r_var, var))
		return false;
	if (n->mean) {
		replace_statistic(m, mean, r_mean, new_mean);
		replace_statistic(m, var, r_var, new_var);
		return true;
	}
	if (new_mean && new_mean->type == r_mean->type)
		value_replace_uses(new_mean, r_mean);
	if (new_var && new_var->type == r_var->type)
		value_replace_uses(new_var, r_var);
	become_inference(m, n->op, SHLO_batch_norm_inference, r_mean, r_var);
	return true;
}

/* ---- the pass ---- */

const char *training_norm_name(const TrainingNorm *n, Arena *a)
{
	const Str *scale = name_of(n->scale);
	const Op *op = n->op;
	const char *kind = n->mean ? "a batch norm in parts" : op->def->name->s;
	const char *node = op->name ? op->name->s : op->results[0]->name ? op->results[0]->name->s : "";
	if (*node && !(op->loc && op->loc->what))
		return arena_printf(a, "%s %s", kind, node);
	return scale ? arena_printf(a, "%s with scale %s", kind, scale->s) : kind;
}

static void explain(PassCtx *p, const TrainingNorm *n, const char *rule, const char *why, bool fired)
{
	Explain *x = p->explain;
	if (!x || (x->wants && !x->wants(x->arg, n->op)))
		return;
	ExplainRow row = {.op = n->op, .rule = rule, .reason = arena_strdup(x->arena, why), .fired = fired,
		.op_name = arena_strdup(x->arena, n->op->name ? n->op->name->s : n->op->results[0]->name
			? n->op->results[0]->name->s : "")};
	VEC_PUSH(x->arena, &x->rows, row);
}

static const char *stem_of(const TrainingNorm *n, Arena *a)
{
	const Str *scale = name_of(n->scale);
	const char *end = scale ? strrchr(scale->s, '.') : NULL;
	return end ? arena_printf(a, "%.*s.", (int)(end - scale->s), scale->s) : "";
}

static void tell(PassCtx *p, const TrainingNorm *n)
{
	Diags *d = &p->ctx->diags;
	const char *name = training_norm_name(n, p->arena);
	diag_note(d, n->op->loc, "%s normalises by the statistics of its own batch, as in training: it is not folded", name);
	diag_hint(d, "the model was probably exported without eval(): export it again after eval() (PyTorch) or with "
		"use_running_average=True (Flax), or let --freeze-batch-norm take its running statistics");
	explain(p, n, "freeze-batch-norm", "normalises by the statistics of its own batch: the model was probably exported "
		"without eval(); --freeze-batch-norm takes running statistics instead", false);
}

bool pass_batch_statistics(Module *m, PassCtx *p)
{
	TrainingNorm *list;
	Diags *d = &p->ctx->diags;
	size_t n = training_norms(m, p->arena, &list);
	bool changed = false;
	for (size_t i = 0; i < n; i++) {
		if (!p->freeze_batch_norm) {
			tell(p, &list[i]);
			continue;
		}
		const char *name = training_norm_name(&list[i], p->arena), *stem = stem_of(&list[i], p->arena);
		const Loc *loc = list[i].op->loc;
		explain(p, &list[i], "freeze-batch-norm", "", true);
		if (freeze(m, &list[i], n == 1)) {
			diag_note(d, loc, "%s is frozen: it normalises by running statistics now; results change, as was asked, and "
				"the proof begins behind that", name);
			rewrite_log_count(p->log, "freeze-batch-norm", 1);
			changed = true;
			continue;
		}
		diag_error(d, HONE_BAD_INPUT, loc, "%s cannot be frozen: the model carries no running statistics for it", name);
		diag_hint(d, "--bind %srunning_mean=@FILE --bind %srunning_var=@FILE gives them", stem, stem);
	}
	return changed;
}

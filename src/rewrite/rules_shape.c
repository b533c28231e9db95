/* Rules for shape arithmetic: integer tensors whose elements the analysis knows, as numbers or as the same symbols that
 * another value holds. They make the ops that compute shapes unused; dce removes these. */
#include "rewrite/move_int.h"
#include "rewrite/rules.h"

#include <string.h>

enum {
	MAX_CONSTANT_BYTES = 4096, /* what a computed tensor may add to the model */
	MAX_SHARED_ELEMS = 64,
	MAX_SEARCH = 64            /* ops looked at for the shape that an element comes from */
};

static bool is_whole_number(DType d)
{
	return d == DT_BOOL || dtype_is_integer(d);
}

/* ---- known elements ---- */

static bool constant_result(Rw *rw, Value *v)
{
	size_t n, bytes;
	int64_t dims[MAX_RANK];
	DType d = value_dtype(v);
	if (!value_has_uses(v) || !is_whole_number(d))
		return false;
	const int64_t *e = fact_ints(rw, v, &n);
	if (!e)
		return rw_no(rw, "its elements are not all known");
	if (!infer_static_dims(v->type, dims) || !dtype_packed_bytes(d, (int64_t)n, &bytes))
		return rw_no(rw, "its shape is not static");
	if (bytes > MAX_CONSTANT_BYTES)
		return rw_no(rw, "as a constant it would add %zu bytes to the model", bytes);
	return rw_replace(rw, v, rw_constant_ints(rw, d, v->type->rank, dims, e));
}

/* Any op: an integer result whose elements are numbers is a constant. */
static bool known_elements(Rw *rw, Op *root)
{
	bool fired = false;
	if (!(root->def->traits & TRAIT_PURE) || root->def->traits & (TRAIT_RANDOM | TRAIT_TERMINATOR))
		return false;
	for (size_t i = 0; i < root->nresults && !root->erased; i++)
		fired |= constant_result(rw, root->results[i]);
	return fired;
}

static bool empty_result(Rw *rw, Value *v)
{
	int64_t n;
	if (!type_is_tensor(v->type) || !value_has_uses(v) || !type_static_numel(v->type, &n) || n > 0)
		return rw_no(rw, "it has, or may have, elements");
	DTypeClass class = dtype_class(v->type->dtype);
	if (v->type->dtype == DT_NONE || class == DC_STRING || class == DC_COMPLEX)
		return rw_no(rw, "its element type is not known, or not of numbers");
	Value *none = rw_constant_all(rw, v->type, 0);
	return none && rw_replace(rw, v, none);
}

/* Any op: of a result without elements nothing need be computed. */
static bool no_elements(Rw *rw, Op *root)
{
	bool fired = false;
	if (!op_is_pure(root) || root->nblocks || (root->def->traits & TRAIT_TERMINATOR))
		return false;
	for (size_t i = 0; i < root->nresults && !root->erased; i++)
		fired |= empty_result(rw, root->results[i]);
	return fired;
}

/* ---- where a shape is taken from ---- */

/* The op keeps the dims of an operand: the first such operand. */
static Value *same_dims_operand(Value *v)
{
	Op *op = v->def;
	if (!op || op->constant || op->nblocks || !op_is_pure(op))
		return NULL;
	for (size_t i = 0; i < op->noperands && i < 3; i++) {
		Value *x = op_operand(op, i);
		if (x && !value_is_constant(x) && dims_equal(x, v))
			return x;
	}
	return NULL;
}

/* shape(f(x)) -> shape(x) where f keeps dims: f need not be computed for its shape, and equal shapes become one op. */
static bool shape_of_same(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *from = x;
	for (Value *v = x; (v = same_dims_operand(v)) != NULL;)
		from = v;
	if (from == x)
		return rw_no(rw, "no operand of its producer has certainly the same dims");
	return rw_set_operand(rw, root, 0, from);
}

/* Position of want[0..n) in a row among have, or -1. */
static int64_t find_run(const Elems *have, const Elems *want)
{
	for (int64_t i = 0; i + want->n <= have->n; i++)
		if (!memcmp(have->v + i, want->v, (size_t)want->n * sizeof(*want->v)))
			return i;
	return -1;
}

/* The nearest shape op among the ops that compute v, with want in its elements. */
static Op *find_shape(Rw *rw, Value *v, const Elems *want, int64_t *at)
{
	Op *queue[MAX_SEARCH];
	size_t n = 0;
	if (v->def)
		queue[n++] = v->def;
	for (size_t i = 0; i < n; i++) {
		Op *op = queue[i];
		if (op_is(op, OP_shape)) {
			const Elems *e = shape_elems(rw->infer, op->results[0]);
			if (e && (*at = find_run(e, want)) >= 0)
				return op;
			continue;
		}
		for (size_t k = 0; k < op->noperands; k++) {
			Value *x = op_operand(op, k);
			bool seen = !x || !x->def || x->def->constant || !is_whole_number(value_dtype(x)) || value_rank(x) > 1;
			for (size_t j = 0; j < n && !seen; j++)
				seen = queue[j] == x->def;
			if (!seen && n < MAX_SEARCH)
				queue[n++] = x->def;
		}
	}
	return NULL;
}

/* Holds a number that data decides and that may be anything: a cast may have changed it. */
static bool holds_data(const Elems *e)
{
	for (int64_t i = 0; i < e->n; i++)
		if (sym_is_unknown(e->v[i]) && sym_lower(e->v[i]) < 0)
			return true;
	return false;
}

/* concat(gather(shape, 0), gather(shape, 1)) -> slice(shape, 0, 2), and a single size -> gather(shape, i): dims in a
 * row need no putting together. */
static bool shape_run(Rw *rw, Op *root)
{
	if (root->nresults != 1 || root->nblocks || !op_is_pure(root) || op_is(root, OP_shape))
		return false;
	Value *y = root->results[0];
	const Elems *want = value_dtype(y) == DT_I64 && value_rank(y) >= 0 && value_rank(y) <= 1
		? shape_elems(rw->infer, y) : NULL;
	int64_t at;
	if (!want || want->n == 0 || want->n > MAX_RANK || elems_are_numbers(want))
		return false;
	Op *direct = op_operand(root, 0) ? op_operand(root, 0)->def : NULL;
	if (op_is(direct, OP_shape) && (op_is(root, OP_slice) || op_is(root, OP_gather)))
		return false;
	Op *shape = find_shape(rw, y, want, &at);
	if (!shape)
		return rw_no(rw, "its elements are no dims in a row of one shape");
	Value *s = shape->results[0];
	if (value_rank(y) == 0) {
		int64_t index[1] = { at };
		return rw_replace(rw, y, rw_op2(rw, OP_gather, s, rw_constant_ints(rw, DT_I64, 0, NULL, index), NULL));
	}
	if (value_count(s) == want->n)
		return replace_by_existing(rw, y, s);
	Span span = { .rank = 1, .on = { true }, .start = { at }, .end = { at + want->n }, .step = { 1 } };
	return rw_replace(rw, y, rw_slice(rw, s, &span));
}

/* slice(shape(x), a, b) -> shape(x) of dims a to b */
static bool shape_window_rule(Rw *rw, Op *root)
{
	Op *shape = live_def(op_operand(root, 0), OP_shape);
	Span s;
	int64_t from, to, n;
	if (!shape)
		return rw_no(rw, "the operand is no shape");
	if (!rw_opset_at_least(rw, 15))
		return rw_no(rw, "a part of a shape needs opset 15");
	if (!rw_may_rebuild(rw, shape->results[0]) || !slice_span(rw, root, &s))
		return false;
	n = value_count(shape->results[0]);
	if (n < 0 || s.step[0] != 1)
		return rw_no(rw, "the slice has steps or the rank is unknown");
	span_clamp(&s, 0, n, &from, &to);
	int64_t base = op_int(shape, A_start), rank = value_rank(op_operand(shape, 0));
	base = base < 0 ? base + rank : base;
	base = base < 0 ? 0 : base;
	const RwAttr attrs[] = { { A_start, attr_int(rw->ctx, base + from) }, { A_end, attr_int(rw->ctx, base + to) },
		{ A_NONE, NULL } };
	return rw_replace(rw, root->results[0], rw_op1(rw, OP_shape, op_operand(shape, 0), attrs));
}

/* ---- equal elements: one value for all ---- */

typedef struct Known {
	Value *value;
	const Elems *e;
	struct Known *next;
} Known;
typedef struct Sharing {
	Rw *rw;
	Map table; /* hash of the elements -> Known list */
	bool fired;
} Sharing;

static bool same_known(const Known *k, const Value *v, const Elems *e)
{
	return k->value->type->dtype == v->type->dtype && dims_equal(k->value, v) && k->e->n == e->n &&
		!memcmp(k->e->v, e->v, (size_t)e->n * sizeof(*e->v));
}

/* The earlier value is seen by the later one when its block is the same or around it. A shape is the cheapest form: it
 * is not replaced by arithmetic. */
static bool may_stand_for(const Known *k, const Value *v)
{
	if (k->value->def->erased || !block_is_ancestor(k->value->def->block, v->def->block))
		return false;
	if (op_is(v->def, OP_shape) && !op_is(k->value->def, OP_shape))
		return false;
	return !(value_is_output(k->value) && value_is_output(v)) && !output_needs_op(v, k->value);
}

static void share_value(Sharing *s, Value *v)
{
	const Elems *e = shape_elems(s->rw->infer, v);
	if (!e || e->n == 0 || e->n > MAX_SHARED_ELEMS || elems_are_numbers(e) || holds_data(e) ||
			!value_has_uses(v))
		return;
	uint64_t h = hash_bytes(e->v, (size_t)e->n * sizeof(*e->v), (uint64_t)v->type->dtype);
	Known **slot = (Known **)map_slot(&s->table, h);
	for (Known *k = *slot; k; k = k->next)
		if (same_known(k, v, e) && may_stand_for(k, v)) {
			s->fired |= rw_replace(s->rw, v, k->value);
			return;
		}
	Known *k = NEW(s->rw->scratch, Known);
	*k = (Known){ v, e, *slot };
	*slot = k;
}

static void share_block(Sharing *s, Block *b)
{
	FOR_EACH_OP(op, b) { /* what dies with op stands before it */
		bool plain = !op->constant && op_is_pure(op) && !op->nblocks && !(op->def->traits & TRAIT_TERMINATOR);
		for (size_t i = 0; plain && i < op->nresults && !op->erased; i++)
			if (is_whole_number(value_dtype(op->results[i])) && type_has_rank(op->results[i]->type))
				share_value(s, op->results[i]);
		for (size_t i = 0; i < op->nblocks && !op->erased; i++)
			share_block(s, op->blocks[i]);
	}
}

/* Over a whole function: values with the same symbolic elements are the first of them. */
static bool equal_elements(Rw *rw, Op *root)
{
	Sharing s = { .rw = rw };
	map_init(&s.table, rw->scratch);
	share_block(&s, root->block);
	return s.fired;
}

static const Rule RULES[] = {
	{"known-elements", "gather(shape(x), 1) of a known size", "constant", OP_UNKNOWN, CLASS_EXACT, 1, known_elements},
	{"no-elements", "abs(x) of shape [0, 3]", "constant", OP_UNKNOWN, CLASS_EXACT, 1, no_elements},
	{"shape-of-same", "shape(relu(x))", "shape(x)", OP_shape, CLASS_EXACT, 1, shape_of_same},
	{"shape-run", "concat(gather(shape(x), 0), gather(shape(x), 1))", "slice(shape(x), 0, 2)", OP_UNKNOWN, CLASS_EXACT,
		1, shape_run},
	{"shape-window", "slice(shape(x), 1, 3)", "shape(x) from 1 to 3", OP_slice, CLASS_EXACT, 1, shape_window_rule},
	{"equal-elements", "two values with the same symbolic elements", "the first for both", OP_return, CLASS_EXACT, 1,
		equal_elements},
};

const RuleSet RULES_SHAPE = { "shape", RULES, ARRAY_LEN(RULES) };

/* Rules for reshape, flatten, squeeze, unsqueeze, expand and tile. Dims come from the analysis: what a shape operand
 * computes at run time is not looked at when the types say it already. */
#include "rewrite/move_int.h"
#include "rewrite/rules.h"

#include <string.h>

static Value *data_of(const Op *op)
{
	return op_operand(op, 0);
}

/* The shape operand leaves a dim to infer. */
static bool infers_dim(Rw *rw, const Op *op)
{
	if (!op_is(op, OP_reshape))
		return false;
	const Elems *e = shape_elems(rw->infer, op_operand(op, 1));
	for (int64_t i = 0; e && i < e->n; i++)
		if (sym_is(e->v[i], -1))
			return true;
	return false;
}

static bool reshape_noop(Rw *rw, Op *root)
{
	Value *x = data_of(root), *y = root->results[0];
	return rw_same_type(rw, x, y) && replace_by_existing(rw, y, x);
}

/* A shape operand that means the same for every operand of as many elements: no copied dims. */
static bool shape_stands_alone(Rw *rw, const Op *op)
{
	const Elems *e = shape_elems(rw->infer, op_operand(op, 1));
	bool keeps_zero = op_int(op, A_allowzero) != 0;
	if (!e)
		return false;
	for (int64_t i = 0; i < e->n; i++)
		if (!sym_is(e->v[i], -1) && sym_lower(e->v[i]) < (keeps_zero ? 0 : 1))
			return false;
	return true;
}

/* f(g(x)) -> h(x), all of them reshapes of some kind. */
static bool reshape_reshape(Rw *rw, Op *root)
{
	Op *inner = data_of(root)->def;
	if (!is_reshape_like(inner) || inner->constant)
		return rw_no(rw, "the operand is no reshape");
	Value *x = data_of(inner), *y = root->results[0];
	if (type_has_rank(y->type) && type_has_rank(x->type)) {
		bool ones = !op_is(root, OP_reshape) && !op_is(root, OP_flatten) && !op_is(inner, OP_reshape) &&
			!op_is(inner, OP_flatten);
		bool inferred = infers_dim(rw, root) || infers_dim(rw, inner);
		Value *to = dims_equal(x, y) ? x : reshape_like_to(rw, x, y->type, inferred, ones);
		if (!to && ones)
			to = reshape_like_to(rw, x, y->type, inferred, false);
		if (to == x)
			return replace_by_existing(rw, y, x);
		if (to)
			return rw_replace(rw, y, to);
	}
	if (op_is(root, OP_reshape) && shape_stands_alone(rw, root))
		return rw_set_operand(rw, root, 0, x);
	return rw_no(rw, "the dims of both reshapes together cannot be written as one constant shape");
}

/* reshape(x, computed) -> reshape(x, constant): the types say what the shape arithmetic gives. */
static bool reshape_constant(Rw *rw, Op *root)
{
	Value *x = data_of(root), *shape = op_operand(root, 1), *y = root->results[0];
	int64_t dims[MAX_RANK + 1];
	bool allowzero;
	if (value_is_constant(shape))
		return rw_no(rw, "the shape is constant already");
	if (value_rank(x) < 0 || value_rank(y) < 0 || value_rank(y) > MAX_RANK)
		return rw_no(rw, "the rank of the result is unknown");
	if (!reshape_dims(rw, x->type, y->type, infers_dim(rw, root), dims, &allowzero))
		return false;
	Value *in[2] = { x, rw_ints(rw, dims, (size_t)value_rank(y)) };
	const RwAttr attrs[] = { { A_allowzero, allowzero ? attr_int(rw->ctx, 1) : NULL }, { A_NONE, NULL } };
	Value *to = rw_op(rw, OP_reshape, in, 2, attrs);
	rw_take_name(to, root);
	return rw_replace(rw, y, to);
}

/* Whether dim `at` of a computed shape may be left to infer: nothing else is, and no size beside it may be zero. */
static bool may_infer(Rw *rw, const Elems *e, const Type *y, int64_t at)
{
	for (int64_t i = 0; i < e->n; i++)
		if (sym_lower(e->v[i]) < 0 || (i != at && (sym_is(e->v[i], 0) || dim_may_be_zero(rw, y->dims[i]))))
			return false;
	return true;
}

/* reshape(x, concat(dim0, n * m, k)) -> reshape(x, concat(0, -1, k)): what is copied or inferred need not be computed.
 */
static bool reshape_copy_dims(Rw *rw, Op *root)
{
	Op *parts = live_def(op_operand(root, 1), OP_concat);
	Value *x = data_of(root), *y = root->results[0];
	if (!parts)
		return rw_no(rw, "the shape is not put together by a concat");
	const Elems *e = shape_elems(rw->infer, parts->results[0]);
	if (!e || value_rank(x) < 0 || value_rank(y) < 0 || e->n != value_rank(y) || op_int(root, A_allowzero))
		return rw_no(rw, "the dims are not known well enough");
	if (!rw_may_rebuild(rw, parts->results[0]))
		return false;
	bool any = false, inferred = false;
	Value **in = NEW_ARRAY(rw->scratch, Value *, parts->noperands);
	int64_t at = 0, count;
	for (size_t k = 0; k < parts->noperands; k++, at += count) {
		in[k] = op_operand(parts, k);
		count = value_count(in[k]);
		if (count < 0 || at + count > e->n)
			return rw_no(rw, "a part of the shape has an unknown length");
		if (count != 1 || value_is_constant(in[k]))
			continue;
		const Sym *want = y->type->dims[at];
		bool copied = e->v[at] == want && at < value_rank(x) && x->type->dims[at] == want && sym_lower(want) >= 0;
		if (!copied && (inferred || !may_infer(rw, e, y->type, at)))
			continue;
		inferred |= !copied;
		in[k] = rw_ints(rw, (int64_t[]){ copied ? 0 : -1 }, 1);
		any = true;
	}
	if (!any)
		return rw_no(rw, "no computed dim can be copied or inferred");
	return rw_set_operand(rw, root, 1, rw_copy(rw, parts, in));
}

/* Steps from the root over elementwise ops with one varying operand that keep the shape; NULL when there is none. */
static Op *unary_step(Rw *rw, Op *op)
{
	if (!op || op->constant || !(op->def->traits & TRAIT_ELTWISE) || op->nresults != 1 || op->noperands == 0)
		return NULL;
	Value *x = op_operand(op, 0);
	if (!dims_equal(x, op->results[0]) || op->block != rw->root->block)
		return NULL;
	for (size_t i = 1; i < op->noperands; i++) {
		Value *c = op_operand(op, i);
		if (c && (!value_is_constant(c) || value_count(c) != 1 || value_rank(c) != 0))
			return NULL;
	}
	return value_has_one_use(op->results[0]) && !value_is_output(op->results[0]) ? op : NULL;
}

/* reshape(f(reshape(x))) -> f(x) when the dims come back. */
static bool reshape_around(Rw *rw, Op *root)
{
	enum { MAX_CHAIN = 8 };
	Op *chain[MAX_CHAIN], *op = data_of(root)->def;
	size_t n = 0;
	for (; n < MAX_CHAIN && (chain[n] = unary_step(rw, op)); op = data_of(chain[n - 1])->def)
		n++;
	if (n == 0 || !is_reshape_like(op) || op->constant)
		return rw_no(rw, "no elementwise op on a reshaped value");
	Value *x = data_of(op);
	if (!dims_equal(x, root->results[0]))
		return rw_no(rw, "the dims do not come back");
	if (!value_has_one_use(op->results[0]))
		return rw_no(rw, "the reshaped value has other users");
	for (size_t i = n; i-- > 0;)
		x = rw_copy_with(rw, chain[i], 0, x);
	return rw_replace(rw, root->results[0], x);
}

/* Sizes of c as an operand of an op over dims `over`, for the same op over dims `to` (the same elements, equal but for dims of
 * size 1). */
static bool broadcast_over(const Value *c, const Type *over, const Type *to, int64_t *dims)
{
	int from = 0, lead = over->rank - value_rank(c);
	for (int i = 0; i < to->rank; i++) {
		dims[i] = 1;
		if (sym_is(to->dims[i], 1))
			continue;
		while (from < over->rank && sym_is(over->dims[from], 1))
			from++;
		if (from == over->rank || over->dims[from] != to->dims[i])
			return false;
		if (from >= lead && !sym_const(c->type->dims[from - lead], &dims[i]))
			return false;
		from++;
	}
	while (from < over->rank && sym_is(over->dims[from], 1))
		from++;
	return from == over->rank;
}

/* reshape(f(reshape(x), c)) -> f(x, reshape(c)) when only dims of size 1 came and went. */
static bool reshape_around_pair(Rw *rw, Op *root)
{
	Op *f = data_of(root)->def;
	Value *y = root->results[0];
	if (!f || f->constant || !(f->def->traits & TRAIT_ELTWISE) || f->noperands != 2 || f->nresults != 1 ||
			!value_has_one_use(f->results[0]) || f->block != root->block)
		return rw_no(rw, "no elementwise op of two operands that nothing else uses");
	for (size_t i = 0; i < 2; i++) {
		Value *a = op_operand(f, i), *c = op_operand(f, 1 - i);
		int64_t dims[MAX_RANK];
		if (!a->def || !is_reshape_like(a->def) || a->def->constant || !value_has_one_use(a) ||
				!dims_equal(a, f->results[0]) || value_rank(c) < 0 || value_rank(c) > value_rank(a) ||
				!dims_equal(data_of(a->def), y) || !broadcast_over(c, a->type, y->type, dims))
			continue;
		Value *in[2];
		in[i] = data_of(a->def);
		in[1 - i] = rw_reshape_to(rw, c, value_rank(y), dims);
		return rw_replace(rw, y, rw_copy(rw, f, in));
	}
	return rw_no(rw, "the other operand does not broadcast over the dims before");
}

/* ---- expand and tile ---- */

static bool expand_noop(Rw *rw, Op *root)
{
	return reshape_noop(rw, root);
}

/* Size `axis` of the result of an expand as its shape operand may give it: the number, or 1 to keep the operand's. */
static bool expand_entry(const Type *from, const Type *to, int i, int64_t *out)
{
	int k = i - (to->rank - from->rank);
	if (sym_const(to->dims[i], out))
		return true;
	*out = 1;
	return k >= 0 && from->dims[k] == to->dims[i];
}

static bool expand_constant(Rw *rw, Op *root)
{
	Value *x = data_of(root), *y = root->results[0];
	int64_t dims[MAX_RANK + 1];
	if (value_is_constant(op_operand(root, 1)))
		return rw_no(rw, "the shape is constant already");
	if (value_rank(x) < 0 || value_rank(y) < 0 || value_rank(y) > MAX_RANK || value_rank(x) > value_rank(y))
		return rw_no(rw, "a rank is unknown");
	for (int i = 0; i < value_rank(y); i++)
		if (!expand_entry(x->type, y->type, i, &dims[i]))
			return rw_no(rw, "dim %d of the result is not known", i);
	return rw_set_operand(rw, root, 1, rw_ints(rw, dims, (size_t)value_rank(y)));
}

/* The shape operand alone decides the dims of the result. */
static bool shape_is_result(Rw *rw, const Op *expand, const Value *y)
{
	const Elems *e = shape_elems(rw->infer, op_operand(expand, 1));
	if (!e || value_rank(y) != e->n)
		return false;
	for (int i = 0; i < y->type->rank; i++)
		if (e->v[i] != y->type->dims[i])
			return false;
	return true;
}

static bool expand_expand(Rw *rw, Op *root)
{
	Op *inner = live_def(data_of(root), OP_expand);
	if (!inner)
		return rw_no(rw, "the operand is no expand");
	if (!shape_is_result(rw, root, root->results[0]))
		return rw_no(rw, "the inner shape takes part in the result");
	return rw_set_operand(rw, root, 0, data_of(inner));
}

static bool axes_mask(const Op *op, AttrName a, int rank, bool *mask)
{
	const int64_t *v;
	size_t n = op_attr_ints(op, a, &v);
	memset(mask, 0, MAX_RANK);
	for (size_t i = 0; i < n; i++) {
		int axis;
		if (rank > MAX_RANK || !axis_norm(v[i], rank, &axis))
			return false;
		mask[axis] = true;
	}
	return true;
}

/* expand(unsqueeze(expand(x, a)), b) -> expand(unsqueeze(x), b): x gets ones where the inner expand or the unsqueeze made
 * dims. A dim of x that the inner expand repeated is repeated by the outer one, which names every dim of its result. */
static bool expand_through(Rw *rw, Op *root)
{
	Op *between = live_def(data_of(root), OP_unsqueeze), *inner = between ? live_def(data_of(between), OP_expand) : NULL;
	bool added[MAX_RANK];
	int64_t axes[MAX_RANK];
	size_t n = 0;
	if (!inner)
		return rw_no(rw, "the operand is no expand with dims inserted");
	Value *x = data_of(inner), *wide = data_of(root);
	int rank = value_rank(wide), missing = value_rank(data_of(between)) - value_rank(x);
	if (rank < 0 || rank > MAX_RANK || value_rank(x) < 0 || missing < 0 || !axes_mask(between, A_axes, rank, added))
		return rw_no(rw, "a rank is unknown");
	if (!shape_is_result(rw, root, root->results[0]))
		return rw_no(rw, "the inner shape takes part in the result");
	if (!rw_single_use(rw, wide))
		return false;
	for (int i = 0; i < rank; i++)
		if (added[i] || missing-- > 0)
			axes[n++] = i;
	return rw_set_operand(rw, root, 0, n ? rw_op1(rw, OP_unsqueeze, x,
		(RwAttr[]){ { A_axes, rw_attr_ints(rw, axes, n) }, { A_NONE, NULL } }) : x);
}

/* expand, or a tile that repeats dims of size 1 only. */
static bool is_broadcast(Rw *rw, const Op *op)
{
	if (!op || op->constant)
		return false;
	if (op_is(op, OP_expand))
		return true;
	size_t n;
	const int64_t *times = op_is(op, OP_tile) ? fact_ints(rw, op_operand(op, 1), &n) : NULL;
	if (!times || value_rank(data_of(op)) != (int)n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (times[i] != 1 && (times[i] == 0 || value_dim(data_of(op), (int)i) != 1))
			return false;
	return true;
}

/* Operands of op with operand `at` replaced by x still broadcast to the dims of the result. */
static bool still_broadcasts(const Op *op, size_t at, const Value *x)
{
	const Type *y = op->results[0]->type;
	if (!type_has_rank(y) || !type_has_rank(x->type))
		return false;
	for (int d = 0; d < y->rank; d++) {
		bool found = false;
		for (size_t i = 0; i < op->noperands && !found; i++) {
			const Value *v = i == at ? x : op_operand(op, i);
			if (!v || !type_has_rank(v->type))
				return false;
			int k = d - (y->rank - v->type->rank);
			found = k >= 0 && sym_known_eq(v->type->dims[k], y->dims[d]);
		}
		if (!found)
			return false;
	}
	return true;
}

/* f(expand(x), y) -> f(x, y) when the broadcast of f gives the same dims. */
static bool broadcast_drop(Rw *rw, Op *root)
{
	if (!(root->def->traits & TRAIT_ELTWISE) || root->noperands < 2 || root->nresults != 1 || op_is(root, OP_clamp))
		return false;
	for (size_t i = op_is(root, OP_prelu) ? 1 : 0; i < root->noperands; i++) {
		Op *e = op_operand(root, i) ? op_operand(root, i)->def : NULL;
		if (!is_broadcast(rw, e))
			continue;
		if (still_broadcasts(root, i, data_of(e)))
			return rw_set_operand(rw, root, i, data_of(e));
		rw_no(rw, "without the expand the result would be smaller");
	}
	return false;
}

static bool tile_ones(Rw *rw, Op *root)
{
	size_t n;
	const int64_t *times = fact_ints(rw, op_operand(root, 1), &n);
	if (!times)
		return rw_no(rw, "the repeats are not known");
	for (size_t i = 0; i < n; i++)
		if (times[i] != 1)
			return rw_no(rw, "an axis is repeated %lld times", (long long)times[i]);
	return replace_by_existing(rw, root->results[0], data_of(root));
}

/* tile(tile(x, a), b) -> tile(x, a * b) */
static bool tile_tile(Rw *rw, Op *root)
{
	Op *inner = live_def(data_of(root), OP_tile);
	size_t n, m;
	if (!inner)
		return rw_no(rw, "the operand is no tile");
	const int64_t *a = fact_ints(rw, op_operand(inner, 1), &n), *b = fact_ints(rw, op_operand(root, 1), &m);
	if (!a || !b || n != m)
		return rw_no(rw, "the repeats are not known");
	int64_t *both = NEW_ARRAY(rw->scratch, int64_t, n + 1);
	for (size_t i = 0; i < n; i++)
		if (a[i] < 0 || b[i] < 0 || !mul_ok(a[i], b[i], &both[i]))
			return rw_no(rw, "the repeats are out of range");
	return rw_replace(rw, root->results[0], rw_op2(rw, OP_tile, data_of(inner), rw_ints(rw, both, n), NULL));
}

/* ---- reductions that keep or drop their axes ---- */

static bool reduced_mask(const Op *reduce, int rank, bool *mask)
{
	if (!op_is(reduce, OP_reduce)) { /* argmax, argmin */
		int axis;
		memset(mask, 0, MAX_RANK);
		if (rank > MAX_RANK || !axis_norm(op_int(reduce, A_axis), rank, &axis))
			return false;
		mask[axis] = true;
		return true;
	}
	if (op_attr(reduce, A_axes))
		return axes_mask(reduce, A_axes, rank, mask);
	for (int i = 0; i < rank && i < MAX_RANK; i++)
		mask[i] = true;
	return rank <= MAX_RANK;
}

static Op *reduction_of(const Value *v)
{
	Op *op = v->def;
	bool is = op && !op->constant && (op_is(op, OP_reduce) || op_is(op, OP_argmax) || op_is(op, OP_argmin));
	return is ? op : NULL;
}

static Value *reduce_with(Rw *rw, const Op *reduce, int64_t keepdims)
{
	Value **in = NEW_ARRAY(rw->scratch, Value *, reduce->noperands);
	RwAttr *attrs = NEW_ARRAY(rw->scratch, RwAttr, reduce->nattrs + 2u);
	size_t n = 0;
	for (size_t i = 0; i < reduce->noperands; i++)
		in[i] = op_operand(reduce, i);
	attrs[n++] = (RwAttr){ A_keepdims, attr_int(rw->ctx, keepdims) };
	for (size_t i = 0; i < reduce->nattrs; i++)
		if (reduce->attrs[i].name->known != A_keepdims)
			attrs[n++] = (RwAttr){ (AttrName)reduce->attrs[i].name->known, reduce->attrs[i].value };
	Value *y = rw_op(rw, op_kind(reduce), in, reduce->noperands, attrs);
	rw_take_name(y, reduce);
	return y;
}

/* squeeze(reduce(x, axes, keepdims=1), axes) -> reduce(x, axes, keepdims=0), and the other way round with unsqueeze; a
 * reshape to the same dims counts as one of them. */
static bool reduce_keepdims(Rw *rw, Op *root)
{
	Op *reduce = reduction_of(data_of(root));
	Value *y = root->results[0];
	bool mask[MAX_RANK];
	if (!reduce)
		return rw_no(rw, "the operand is no reduction");
	int rank = value_rank(data_of(reduce));
	if (rank < 0 || value_rank(y) < 0 || !reduced_mask(reduce, rank, mask))
		return rw_no(rw, "a rank is unknown");
	bool keep = op_int(reduce, A_keepdims) != 0;
	const Type *x = data_of(reduce)->type;
	int k = 0;
	for (int i = 0; i < rank; i++) {
		bool there = !mask[i] || !keep;
		if (!there)
			continue;
		const Sym *want = mask[i] ? sym_int(rw->ctx, 1) : x->dims[i];
		if (k >= value_rank(y) || !sym_known_eq(y->type->dims[k++], want))
			return rw_no(rw, "other axes are reshaped than were reduced");
	}
	if (k != value_rank(y) || !rw_may_rebuild(rw, data_of(root)))
		return rw_no(rw, "other axes are reshaped than were reduced, or the reduction has other users");
	return rw_replace(rw, y, reduce_with(rw, reduce, !keep));
}

#define RESHAPE_LIKE(name, before, after, action) \
	{ name, before, after, OP_reshape, CLASS_EXACT, 1, action }, \
	{ name, before, after, OP_flatten, CLASS_EXACT, 1, action }, \
	{ name, before, after, OP_squeeze, CLASS_EXACT, 1, action }, \
	{ name, before, after, OP_unsqueeze, CLASS_EXACT, 1, action }

static const Rule RULES[] = {
	RESHAPE_LIKE("reshape-noop", "reshape(x) of the same dims", "x", reshape_noop),
	RESHAPE_LIKE("reshape-reshape", "reshape(squeeze(x))", "reshape(x)", reshape_reshape),
	RESHAPE_LIKE("reshape-around", "reshape(relu(reshape(x))) with the dims of x", "relu(x)", reshape_around),
	RESHAPE_LIKE("reshape-around-pair", "reshape(add(reshape(x), c)) with the dims of x", "add(x, reshape(c))",
		reshape_around_pair),
	RESHAPE_LIKE("reduce-keepdims", "squeeze(reduce(x, keepdims=1))", "reduce(x, keepdims=0)", reduce_keepdims),
	{"reshape-constant", "reshape(x, computed)", "reshape(x, [0, -1, 64])", OP_reshape, CLASS_EXACT, 1,
		reshape_constant},
	{"reshape-copy-dims", "reshape(x, concat(dim 0 of x, n))", "reshape(x, concat(0, n))", OP_reshape, CLASS_EXACT, 1,
		reshape_copy_dims},
	{"expand-noop", "expand(x) to the same dims", "x", OP_expand, CLASS_EXACT, 1, expand_noop},
	{"expand-constant", "expand(x, computed)", "expand(x, [1, 8])", OP_expand, CLASS_EXACT, 1, expand_constant},
	{"expand-expand", "expand(expand(x, a), b)", "expand(x, b)", OP_expand, CLASS_EXACT, 1, expand_expand},
	{"expand-through", "expand(unsqueeze(expand(x, a)), b)", "expand(unsqueeze(x), b)", OP_expand, CLASS_EXACT, 1,
		expand_through},
	{"expand-broadcast", "add(expand(x), y)", "add(x, y)", OP_UNKNOWN, CLASS_EXACT, 1, broadcast_drop},
	{"tile-ones", "tile(x, [1, 1])", "x", OP_tile, CLASS_EXACT, 1, tile_ones},
	{"tile-tile", "tile(tile(x, a), b)", "tile(x, a * b)", OP_tile, CLASS_EXACT, 1, tile_tile},
};

const RuleSet RULES_RESHAPE = { "reshape", RULES, ARRAY_LEN(RULES) };

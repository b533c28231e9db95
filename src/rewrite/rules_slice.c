/* Rules for slice, split and concat. Bounds that the analysis knows count as constant. Others of the topic (gather,
 * pad, scatter, resize ...): rules_gather.c. */
#include "rewrite/rules_slice.h"
#include "rewrite/move_int.h"
#include "rewrite/rules.h"

#include <string.h>

static Value *data_of(const Op *op)
{
	return op_operand(op, 0);
}

/* ---- slice ---- */

static bool unit_steps(Rw *rw, const Op *slice)
{
	size_t n;
	Value *steps = op_operand(slice, 3);
	const int64_t *v = steps ? fact_ints(rw, steps, &n) : NULL;
	if (steps && !v)
		return rw_no(rw, "the steps are not known");
	for (size_t i = 0; v && i < n; i++)
		if (v[i] != 1)
			return rw_no(rw, "an axis is sliced in steps of %lld", (long long)v[i]);
	return true;
}

/* With unit steps a result as large as the operand is the operand. */
static bool slice_whole(Rw *rw, Op *root)
{
	Value *x = data_of(root), *y = root->results[0];
	return rw_same_type(rw, x, y) && unit_steps(rw, root) && replace_by_existing(rw, y, x);
}

/* What a slice of a slice takes of one axis: positions count from the front only, so that no size need be known. */
static bool merge_axis(Span *in, const Span *out, int i, int64_t size)
{
	if (!out->on[i])
		return true;
	if (!in->on[i]) {
		in->on[i] = true;
		in->start[i] = out->start[i];
		in->end[i] = out->end[i];
		in->step[i] = out->step[i];
		return true;
	}
	if (in->step[i] != 1 || out->step[i] < 1)
		return false;
	int64_t s1 = in->start[i], e1 = in->end[i], s2 = out->start[i], e2 = out->end[i], end;
	if (size >= 0) {
		span_clamp(in, i, size, &s1, &e1);
		span_clamp(out, i, e1 - s1, &s2, &e2);
	}
	if (s1 < 0 || s2 < 0 || !add_ok(s1, s2, &in->start[i]))
		return false;
	bool to_end = e2 >= INT32_MAX;
	if (e1 < 0 && !to_end)
		return false; /* counted from the back */
	if (e2 < 0)
		return false;
	if (!add_ok(s1, e2, &end))
		end = SPAN_END;
	in->end[i] = to_end ? e1 : end < e1 ? end : e1;
	in->step[i] = out->step[i];
	return true;
}

static bool slice_slice(Rw *rw, Op *root)
{
	Op *inner = live_def(data_of(root), OP_slice);
	Span in, out;
	if (!inner)
		return rw_no(rw, "the operand is no slice");
	if (!slice_span(rw, inner, &in) || !slice_span(rw, root, &out) || in.rank != out.rank)
		return false;
	for (int i = 0; i < in.rank; i++)
		if (!merge_axis(&in, &out, i, value_dim(data_of(inner), i)))
			return rw_no(rw, "both slices cut axis %d in a way that needs its size", i);
	return rw_replace(rw, root->results[0], rw_slice(rw, data_of(inner), &in));
}

/* Axis of a concat or split, normalised by the rank of its first operand. */
static bool op_axis(Rw *rw, const Op *op, int *axis)
{
	return axis_norm(op_int(op, A_axis), value_rank(data_of(op)), axis) || rw_no(rw, "the rank is unknown");
}

/* slice(concat(a, b, c)) inside b -> slice(b) */
static bool slice_of_concat(Rw *rw, Op *root)
{
	Op *concat = live_def(data_of(root), OP_concat);
	Span s;
	int axis;
	if (!concat)
		return rw_no(rw, "the operand is no concat");
	if (!slice_span(rw, root, &s) || !op_axis(rw, concat, &axis) || !s.on[axis])
		return rw_no(rw, "it does not cut the axis of the concat");
	int64_t total = value_dim(data_of(root), axis), start = s.start[axis], end = s.end[axis], at = 0;
	if (total >= 0 && s.step[axis] > 0)
		span_clamp(&s, axis, total, &start, &end);
	if (s.step[axis] < 1 || start < 0 || end < start)
		return rw_no(rw, "where it cuts is not known");
	for (size_t k = 0; k < concat->noperands; k++) {
		Value *part = op_operand(concat, k);
		int64_t n = value_dim(part, axis);
		if (n < 0)
			return rw_no(rw, "the size of a part is not known");
		if (start >= at && end <= at + n && end > start) {
			s.start[axis] = start - at;
			s.end[axis] = end - at;
			s.on[axis] = s.start[axis] != 0 || s.end[axis] != n || s.step[axis] != 1;
			bool any = false;
			for (int i = 0; i < s.rank; i++)
				any |= s.on[i];
			if (!any)
				return replace_by_existing(rw, root->results[0], part);
			return rw_replace(rw, root->results[0], rw_slice(rw, part, &s));
		}
		at += n;
	}
	return rw_no(rw, "it needs more than one part of the concat");
}

/* ---- several slices of one value ---- */

typedef struct Cut {
	Op *op;
	int64_t start, end;
} Cut;

/* Root comes before op in the same block. */
static bool comes_first(const Op *root, const Op *op)
{
	for (const Op *p = root->next; p; p = p->next)
		if (p == op)
			return true;
	return false;
}

/* Slices of x along one axis only, in order of their starts; false when one of them stands before the root or they
 * overlap or leave a gap. */
static bool collect_cuts(Rw *rw, Op *root, int axis, Cut *cuts, size_t max, size_t *n)
{
	Value *x = data_of(root);
	int64_t size = value_dim(x, axis), at = 0;
	size_t seen = 0;
	*n = 0;
	for (const Use *u = x->uses; u; u = u->next) {
		Op *op = u->user;
		Span s;
		Cut c = { .op = op };
		if (++seen > 4 * max)
			return rw_no(rw, "the value has too many users");
		if (!op_is(op, OP_slice) || data_of(op) != x || op->block != root->block || !slice_span(rw, op, &s) ||
				span_axis(&s) != axis || s.step[axis] != 1)
			continue;
		span_clamp(&s, axis, size, &c.start, &c.end);
		size_t k = (*n)++;
		if (*n > max)
			return rw_no(rw, "there are more than %zu slices", max);
		for (; k > 0 && cuts[k - 1].start > c.start; k--)
			cuts[k] = cuts[k - 1];
		cuts[k] = c;
	}
	for (size_t k = 0; k < *n; at = cuts[k++].end)
		if (cuts[k].start != at || cuts[k].end <= at)
			return rw_no(rw, "the slices of this value do not cut it into parts");
	if (*n < 2 || at != size)
		return rw_no(rw, "the slices of this value do not cut it into parts");
	for (size_t k = 0; k < *n; k++)
		if (cuts[k].op != root && !comes_first(root, cuts[k].op))
			return rw_no(rw, "it is not the first of the slices");
	return true;
}

/* slice(x, 0, 2), slice(x, 2, 5) of 5 -> split(x, [2, 3]) */
static bool slices_split(Rw *rw, Op *root)
{
	enum { MAX_CUTS = 64 };
	Cut cuts[MAX_CUTS];
	int64_t sizes[MAX_CUTS];
	Span s;
	size_t n;
	if (!slice_span(rw, root, &s))
		return false;
	int axis = span_axis(&s);
	if (axis < 0 || value_dim(data_of(root), axis) < 0)
		return rw_no(rw, "it cuts more than one axis, or the size of the axis is not known");
	if (!collect_cuts(rw, root, axis, cuts, MAX_CUTS, &n))
		return false;
	for (size_t k = 0; k < n; k++)
		sizes[k] = cuts[k].end - cuts[k].start;
	Value *in[2] = { data_of(root), rw_ints(rw, sizes, n) };
	Op *split = rw_op_multi(rw, OP_split, in, 2, n, (RwAttr[]){{A_axis, attr_int(rw->ctx, axis)}, {A_NONE, NULL}});
	for (size_t k = 0; k < n; k++)
		rw_replace(rw, cuts[k].op->results[0], split->results[k]);
	return true;
}

/* ---- split ---- */

static bool split_one(Rw *rw, Op *root)
{
	if (root->nresults != 1)
		return rw_no(rw, "it has %d results", root->nresults);
	return rw_same_type(rw, data_of(root), root->results[0]) &&
		   replace_by_existing(rw, root->results[0], data_of(root));
}

/* split(concat(a, b)) into parts of the sizes of a and b -> a, b */
static bool split_of_concat(Rw *rw, Op *root)
{
	Op *concat = live_def(data_of(root), OP_concat);
	int a, b;
	if (!concat || !op_axis(rw, concat, &a) || !op_axis(rw, root, &b) || a != b || concat->noperands != root->nresults)
		return rw_no(rw, "it does not undo a concat");
	for (size_t i = 0; i < root->nresults; i++)
		if (value_dim(root->results[i], a) < 0 ||
			value_dim(root->results[i], a) != value_dim(op_operand(concat, i), a) ||
			output_needs_op(root->results[i], op_operand(concat, i)))
			return rw_no(rw, "part %zu differs from what was joined", i);
	for (size_t i = 0; i < root->nresults; i++)
		if (value_has_uses(root->results[i]))
			rw_replace(rw, root->results[i], op_operand(concat, i));
	return rw->fired;
}

/* ---- concat ---- */

static Value *concat_with(Rw *rw, const Op *root, Value *const *in, size_t n)
{
	return rw_op(rw, OP_concat, in, n, (RwAttr[]){ { A_axis, op_attr(root, A_axis) }, { A_NONE, NULL } });
}

static bool concat_one(Rw *rw, Op *root)
{
	if (root->noperands != 1)
		return rw_no(rw, "it has %d operands", root->noperands);
	return replace_by_existing(rw, root->results[0], data_of(root));
}

/* Parts without elements along the axis are left out. */
static bool concat_empty(Rw *rw, Op *root)
{
	Value **in = NEW_ARRAY(rw->scratch, Value *, root->noperands + 1u);
	size_t n = 0;
	int axis;
	if (!op_axis(rw, root, &axis))
		return false;
	for (size_t i = 0; i < root->noperands; i++)
		if (value_dim(op_operand(root, i), axis) != 0)
			in[n++] = op_operand(root, i);
	if (n == root->noperands)
		return rw_no(rw, "no part is known to be empty");
	if (n == 0) {
		in[n++] = data_of(root);
		if (root->noperands == 1)
			return false;
	}
	if (n == 1)
		return replace_by_existing(rw, root->results[0], in[0]);
	return rw_replace(rw, root->results[0], concat_with(rw, root, in, n));
}

static bool same_axis(Rw *rw, const Op *a, const Op *b, int *axis)
{
	int other;
	return op_axis(rw, a, axis) && op_axis(rw, b, &other) && *axis == other;
}

/* concat(a, concat(b, c)) -> concat(a, b, c) */
static bool concat_concat(Rw *rw, Op *root)
{
	enum { MAX_PARTS = 1024 };
	Value **in = NEW_ARRAY(rw->scratch, Value *, MAX_PARTS);
	size_t n = 0;
	bool any = false;
	int axis;
	for (size_t i = 0; i < root->noperands; i++) {
		Value *v = op_operand(root, i);
		Op *inner = live_def(v, OP_concat);
		bool flat = inner && value_has_one_use(v) && !value_is_output(v) && same_axis(rw, root, inner, &axis);
		size_t more = flat ? inner->noperands : 1;
		if (n + more > MAX_PARTS)
			return rw_no(rw, "there would be more than %d parts", MAX_PARTS);
		for (size_t k = 0; k < more; k++)
			in[n++] = flat ? op_operand(inner, k) : v;
		any |= flat;
	}
	if (!any)
		return rw_no(rw, "no operand is a concat along the same axis with this use only");
	return rw_replace(rw, root->results[0], concat_with(rw, root, in, n));
}

/* concat(split(x)) of all parts in order -> x */
static bool concat_of_split(Rw *rw, Op *root)
{
	Op *split = live_def(data_of(root), OP_split);
	int axis;
	if (!split || split->nresults != root->noperands || !same_axis(rw, root, split, &axis))
		return rw_no(rw, "it does not join all parts of a split");
	for (size_t i = 0; i < root->noperands; i++)
		if (op_operand(root, i) != split->results[i])
			return rw_no(rw, "the parts are in another order");
	return replace_by_existing(rw, root->results[0], data_of(split));
}

/* The part of some value that an operand of a concat is: a slice along the axis only. */
static bool slice_part(Rw *rw, Value *v, int axis, Value **x, Cut *c)
{
	Op *slice = live_def(v, OP_slice);
	Span s;
	if (!slice || !slice_span(rw, slice, &s) || span_axis(&s) != axis || s.step[axis] != 1)
		return false;
	int64_t size = value_dim(data_of(slice), axis);
	*x = data_of(slice);
	c->op = slice;
	c->start = s.start[axis];
	c->end = s.end[axis];
	if (size >= 0)
		span_clamp(&s, axis, size, &c->start, &c->end);
	return c->start >= 0 && c->end >= c->start;
}

/* concat(.., slice(x, 1, 3), slice(x, 3, 6), ..) -> concat(.., slice(x, 1, 6), ..) */
static bool concat_slices(Rw *rw, Op *root)
{
	int axis;
	if (!op_axis(rw, root, &axis))
		return false;
	for (size_t i = 0; i + 1 < root->noperands; i++) {
		Value *x, *y;
		Cut a, b;
		if (!slice_part(rw, op_operand(root, i), axis, &x, &a) ||
			!slice_part(rw, op_operand(root, i + 1), axis, &y, &b) || x != y || a.end != b.start ||
			value_rank(x) != value_rank(root->results[0]))
			continue;
		int64_t size = value_dim(x, axis);
		if (size < 0 && a.end >= INT32_MAX)
			continue;
		/* With an unknown size the first slice may be shorter than its bounds; then the second is empty. */
		Span s = { .rank = value_rank(x) };
		s.on[axis] = true;
		s.start[axis] = a.start;
		s.end[axis] = b.end;
		s.step[axis] = 1;
		Value **in = NEW_ARRAY(rw->scratch, Value *, root->noperands);
		size_t n = 0;
		for (size_t k = 0; k < root->noperands; k++)
			if (k != i + 1)
				in[n++] = op_operand(root, k);
		if (n > 1 && !value_has_one_use(op_operand(root, i)) && !value_has_one_use(op_operand(root, i + 1)))
			continue;
		in[i] = a.start == 0 && b.end == size ? x : rw_slice(rw, x, &s);
		if (n == 1)
			return replace_by_existing(rw, root->results[0], in[0]);
		return rw_replace(rw, root->results[0], concat_with(rw, root, in, n));
	}
	return rw_no(rw, "no two neighbours are slices that adjoin");
}

/* Neighbouring constants are joined, for folding to compute. */
static bool concat_constants(Rw *rw, Op *root)
{
	Value **in = NEW_ARRAY(rw->scratch, Value *, root->noperands + 1u),
		  **run = NEW_ARRAY(rw->scratch, Value *, root->noperands + 1u);
	size_t n = 0;
	bool any = false;
	if (value_rank(root->results[0]) < 0)
		return rw_no(rw, "the rank is unknown");
	for (size_t i = 0; i < root->noperands;) {
		size_t m = 0;
		while (i < root->noperands && value_is_constant(op_operand(root, i)) && value_count(op_operand(root, i)) >= 0 &&
				value_count(op_operand(root, i)) <= 4096)
			run[m++] = op_operand(root, i++);
		if (m == 0)
			in[n++] = op_operand(root, i++);
		else
			in[n++] = m == 1 ? run[0] : concat_with(rw, root, run, m);
		any |= m > 1;
	}
	if (!any)
		return rw_no(rw, "no two neighbours are constant");
	return rw_replace(rw, root->results[0], concat_with(rw, root, in, n));
}

static const Rule RULES[] = {{"slice-whole", "slice(x) of all of x", "x", OP_slice, CLASS_EXACT, 1, slice_whole},
	{"slice-slice", "slice(slice(x))", "slice(x)", OP_slice, CLASS_EXACT, 1, slice_slice},
	{"slice-of-concat", "slice(concat(a, b)) inside b", "slice(b)", OP_slice, CLASS_EXACT, 1, slice_of_concat},
	{"slices-split", "slice(x, 0, 2), slice(x, 2, 5)", "split(x, [2, 3])", OP_slice, CLASS_EXACT, 1, slices_split},
	{"split-one", "split(x) into one part", "x", OP_split, CLASS_EXACT, 1, split_one},
	{"split-of-concat", "split(concat(a, b))", "a, b", OP_split, CLASS_EXACT, 1, split_of_concat},
	{"concat-one", "concat(x)", "x", OP_concat, CLASS_EXACT, 1, concat_one},
	{"concat-empty", "concat(x, empty)", "x", OP_concat, CLASS_EXACT, 1, concat_empty},
	{"concat-concat", "concat(a, concat(b, c))", "concat(a, b, c)", OP_concat, CLASS_EXACT, 1, concat_concat},
	{"concat-of-split", "concat(split(x))", "x", OP_concat, CLASS_EXACT, 1, concat_of_split},
	{"concat-slices", "concat(slice(x, 1, 3), slice(x, 3, 6))", "slice(x, 1, 6)", OP_concat, CLASS_EXACT, 1,
		concat_slices},
	{"concat-constants", "concat(x, 1, 2)", "concat(x, [1, 2])", OP_concat, CLASS_EXACT, 1, concat_constants},
	RULES_GATHER_ROWS};

const RuleSet RULES_SLICE = { "slice", RULES, ARRAY_LEN(RULES) };

#include "move_int.h"

#include <string.h>

const int64_t *fact_ints(Rw *rw, const Value *v, size_t *n)
{
	const Elems *e = shape_elems(rw->infer, v);
	if (!e || dtype_is_float(value_dtype(v)))
		return NULL;
	int64_t *out = NEW_ARRAY(rw->scratch, int64_t, e->n + 1);
	for (int64_t i = 0; i < e->n; i++)
		if (!sym_const(e->v[i], &out[i]))
			return NULL;
	*n = (size_t)e->n;
	return out;
}

bool fact_int(Rw *rw, const Value *v, int64_t *out)
{
	size_t n;
	const int64_t *p = v ? fact_ints(rw, v, &n) : NULL;
	if (!p || n != 1)
		return false;
	*out = p[0];
	return true;
}

bool dims_equal(const Value *a, const Value *b)
{
	return type_dims_equal(a->type, b->type);
}

/* Where v is handed on from an outer block already, nothing changes. StableHLO returns arguments and constants as they are,
 * and one value several times. */
bool output_needs_op(const Value *v, const Value *by)
{
	const Module *m = v->def ? op_func(v->def)->module : NULL;
	if (m && m->format && !strcmp(m->format->s, "stablehlo"))
		return false;
	for (const Use *u = v->nyields ? v->uses : NULL; u; u = u->next) {
		const Op *end = u->user;
		if (!(end->def->traits & TRAIT_TERMINATOR) || (v->def && v->def->block != end->block))
			continue;
		if (!by->def || by->def->constant || by->def->block != end->block || value_is_output(by))
			return true;
	}
	return false;
}

bool replace_by_existing(Rw *rw, Value *old, Value *by)
{
	if (output_needs_op(old, by))
		return rw_no(rw, "the result is an output, and its operand cannot stand for it without a copy");
	bool conflict = false;
	if (!by->def && !by->block->parent && type_refine(rw->ctx, by->type, old->type, &conflict) != by->type)
		return rw_no(rw, "the result has a more precise type than the input that would stand for it");
	return rw_replace(rw, old, by);
}

Value *through_identity(Value *v)
{
	while (def_of(v, OP_identity))
		v = op_operand(v->def, 0);
	return v;
}

Value *rw_constant_ints(Rw *rw, DType d, int rank, const int64_t *dims, const int64_t *v)
{
	Value *c = constant_from_ints(rw->root->block, rw->root, d, rank, dims, v);
	shape_update(rw->infer, c->def, false);
	c->def->made = true;
	return c;
}

Value *rw_constant_all(Rw *rw, const Type *t, double x)
{
	int64_t dims[MAX_RANK];
	if (!type_has_rank(t) || t->rank > MAX_RANK || !type_static_dims(t, dims))
		return NULL;
	return rw_splat(rw, t->dtype, t->rank, dims, x);
}

/* ---- reshape family ---- */

bool is_reshape_like(const Op *op)
{
	return op && (op_is(op, OP_reshape) || op_is(op, OP_flatten) || op_is(op, OP_squeeze) || op_is(op, OP_unsqueeze));
}

static void note_vague(void *arg, const Sym *s)
{
	if (sym_is_unknown(s))
		*(bool *)arg = true;
}

static const Sym *one_more(void *arg, const Sym *symbol)
{
	return sym_add(arg, symbol, sym_int(arg, 1));
}

bool dim_may_be_zero(Rw *rw, const Sym *s)
{
	bool vague = rw->opt->level < 2;
	if (sym_lower(s) >= 1)
		return false;
	sym_symbols(s, note_vague, &vague);
	return vague || sym_lower(sym_substitute(rw->ctx, s, one_more, rw->ctx)) < 1;
}

/* A -1 is ambiguous when the sizes beside it multiply to zero. Sizes that are equal at the same position are copied. */
bool reshape_dims(Rw *rw, const Type *from, const Type *to, bool inferred, int64_t *out, bool *allowzero)
{
	int nvague = 0, unknown = -1;
	bool copies = false, zero = false, empty = false;
	*allowzero = false;
	for (int i = 0; i < to->rank; i++)
		nvague += !sym_const(to->dims[i], &out[i]) || out[i] == 0;
	for (int i = 0; i < to->rank; i++) {
		const Sym *d = to->dims[i];
		bool same = i < from->rank && from->dims[i] == d;
		if (sym_const(d, &out[i])) {
			empty |= out[i] == 0;
			zero |= out[i] == 0 && !same;
			continue;
		}
		if (same && nvague > 1) {
			out[i] = 0;
			copies = true;
			empty |= !inferred && dim_may_be_zero(rw, d);
			continue;
		}
		if (unknown >= 0)
			return rw_no(rw, "dims %d and %d of the result are unknown and not dims of the operand", unknown, i);
		unknown = i;
		out[i] = -1;
	}
	if (unknown >= 0 && empty)
		return rw_no(rw, "a dim may be zero, so that another cannot be left to infer");
	if (zero && (copies || unknown >= 0))
		return rw_no(rw, "a dim is zero");
	*allowzero = zero;
	return !zero || rw_opset_at_least(rw, 14) || rw_no(rw, "a dim is zero, which needs opset 14");
}

static Value *build_reshape(Rw *rw, Value *x, const int64_t *dims, int rank, bool allowzero)
{
	const RwAttr attrs[] = { { A_allowzero, allowzero ? attr_int(rw->ctx, 1) : NULL }, { A_NONE, NULL } };
	return rw_op2(rw, OP_reshape, x, rw_ints(rw, dims, (size_t)rank), attrs);
}

/* Positions of `wide` that are 1 and are left over when the dims of `narrow` are taken out of it in order; -1 when it
 * is no such pair. The leftmost match finds one if there is any. */
static int extra_ones(const Type *wide, const Type *narrow, int64_t *axes)
{
	int n = 0, k = 0;
	for (int i = 0; i < wide->rank; i++) {
		if (k < narrow->rank && wide->dims[i] == narrow->dims[k])
			k++;
		else if (sym_is(wide->dims[i], 1))
			axes[n++] = i;
		else
			return -1;
	}
	return k == narrow->rank ? n : -1;
}

static Value *by_ones(Rw *rw, Value *x, const Type *to)
{
	int64_t *axes = NEW_ARRAY(rw->scratch, int64_t, x->type->rank + to->rank + 1);
	bool wider = to->rank > x->type->rank;
	int n = wider ? extra_ones(to, x->type, axes) : extra_ones(x->type, to, axes);
	if (n <= 0)
		return NULL;
	return rw_op1(rw, wider ? OP_unsqueeze : OP_squeeze, x,
			(RwAttr[]){ { A_axes, attr_ints(rw->ctx, axes, (size_t)n) }, { A_NONE, NULL } });
}

Value *reshape_like_to(Rw *rw, Value *x, const Type *to, bool inferred, bool ones)
{
	if (!type_has_rank(to) || !type_has_rank(x->type) || to->rank > MAX_RANK) {
		rw_no(rw, "a rank is unknown");
		return NULL;
	}
	if (type_dims_equal(x->type, to))
		return x;
	Value *y = ones ? by_ones(rw, x, to) : NULL;
	int64_t dims[MAX_RANK + 1];
	bool allowzero;
	if (!y && reshape_dims(rw, x->type, to, inferred, dims, &allowzero))
		y = build_reshape(rw, x, dims, to->rank, allowzero);
	return y || ones ? y : by_ones(rw, x, to);
}

/* ---- slices ---- */

bool slice_span(Rw *rw, const Op *op, Span *s)
{
	size_t ns, ne, nt = 0;
	const int64_t *starts = fact_ints(rw, op_operand(op, 1), &ns), *ends = fact_ints(rw, op_operand(op, 2), &ne);
	const Value *steps_value = op_operand(op, 3);
	const int64_t *steps = steps_value ? fact_ints(rw, steps_value, &nt) : NULL, *axes;
	memset(s, 0, sizeof *s);
	s->rank = value_rank(op_operand(op, 0));
	if (s->rank < 0 || s->rank > MAX_RANK)
		return rw_no(rw, "the rank of the sliced value is unknown");
	if (!starts || !ends || (steps_value && !steps))
		return rw_no(rw, "the bounds of a slice are not known");
	size_t na = op_attr_ints(op, A_axes, &axes);
	bool listed = op_attr(op, A_axes) != NULL;
	if (ns != ne || (steps && nt != ns) || (listed && na != ns) || ns > (size_t)s->rank)
		return rw_no(rw, "the lists of a slice differ in length");
	for (size_t i = 0; i < ns; i++) {
		int axis;
		if (!axis_norm(listed ? axes[i] : (int64_t)i, s->rank, &axis) || s->on[axis])
			return rw_no(rw, "a slice names an axis twice");
		s->on[axis] = true;
		s->start[axis] = starts[i];
		s->end[axis] = ends[i];
		s->step[axis] = steps ? steps[i] : 1;
		if (s->step[axis] == 0)
			return rw_no(rw, "a slice has step 0");
	}
	return true;
}

static int64_t clamp_bound(int64_t v, int64_t n)
{
	if (v < 0)
		v = v < -n ? 0 : v + n;
	return v > n ? n : v;
}

void span_clamp(const Span *s, int axis, int64_t n, int64_t *start, int64_t *end)
{
	*start = s->on[axis] ? clamp_bound(s->start[axis], n) : 0;
	*end = s->on[axis] ? clamp_bound(s->end[axis], n) : n;
	if (*end < *start)
		*end = *start;
}

int span_axis(const Span *s)
{
	int axis = -1;
	for (int i = 0; i < s->rank; i++) {
		if (!s->on[i])
			continue;
		if (axis >= 0)
			return -1;
		axis = i;
	}
	return axis;
}

Value *rw_slice(Rw *rw, Value *x, const Span *s)
{
	int64_t lists[4][MAX_RANK] = { { 0 } };
	size_t n = 0;
	bool stepped = false;
	for (int i = 0; i < s->rank; i++) {
		if (!s->on[i])
			continue;
		lists[0][n] = s->start[i];
		lists[1][n] = s->end[i];
		lists[2][n] = s->step[i];
		lists[3][n++] = i;
		stepped |= s->step[i] != 1;
	}
	Value *in[4] = { x, rw_ints(rw, lists[0], n), rw_ints(rw, lists[1], n), stepped ? rw_ints(rw, lists[2], n) : NULL };
	return rw_op(
		rw, OP_slice, in, stepped ? 4 : 3, (RwAttr[]){{A_axes, attr_ints(rw->ctx, lists[3], n)}, {A_NONE, NULL}});
}

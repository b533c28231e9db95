#include "legalise_int.h"

/* StableHLO ops whose sizes are operands: where the operands are known numbers, the op with attributes takes their place. */

static bool facts_of(const Lg *l, size_t operand, int64_t n, const Elems **e)
{
	*e = l->facts ? infer_elems(l->facts, lg_in(l, operand)) : NULL;
	return *e && (*e)->n == n;
}

/* The slice begins at known places and does not leave the operand as far as numbers say, or is certainly inside. */
static bool is_inside(Lg *l, const Elems *start, const Elems *limit)
{
	for (int64_t d = 0; d < start->n; d++) {
		const Sym *n = lg_in(l, 0)->type->dims[d];
		int64_t v;
		bool inside = sym_nonneg(start->v[d]) && sym_known_le(l->c, limit->v[d], n);
		if (!inside && (!sym_const(start->v[d], &v) || v < 0 || sym_known_lt(l->c, n, limit->v[d])))
			return false;
	}
	return true;
}

/* Bounds that operands say. Where they move but keep their distance it is a slice of fixed size at a run-time place. */
bool lg_shlo_real_dynamic_slice(Lg *l, OpKind core)
{
	const Elems *start, *limit, *stride;
	int64_t size[MAX_RANK], rank = lg_rank(lg_in(l, 0));
	Value *in[MAX_RANK + 1] = { lg_in(l, 0) };
	if (rank < 1 || rank > MAX_RANK || !facts_of(l, 1, rank, &start) || !facts_of(l, 2, rank, &limit) ||
		!facts_of(l, 3, rank, &stride))
		return false;
	if (is_inside(l, start, limit))
		return lg_become_same(l, core, NULL);
	for (int64_t d = 0; d < rank; d++)
		if (!sym_is(stride->v[d], 1) || !sym_const(sym_sub(l->c, limit->v[d], start->v[d]), &size[d]) || size[d] < 0)
			return false;
	for (int64_t d = 0; d < rank; d++)
		in[d + 1] = lg_new2(l, OP_gather, lg_in(l, 1), lg_const_int(l, d),
			(RwAttr[]){ { A_axis, lg_int(l, 0) }, { A_NONE, NULL } });
	return lg_become(l, SHLO_dynamic_slice, in, (size_t)rank + 1,
		(RwAttr[]){ { A_slice_sizes, lg_ints_attr(l, size, (size_t)rank) }, { A_NONE, NULL } });
}

/* The numbers that an operand says, by facts or as a constant. */
static bool numbers_of(Lg *l, size_t operand, int64_t n, int64_t *out)
{
	const Elems *e;
	if (n > 2 * MAX_RANK || !facts_of(l, operand, n, &e))
		return false;
	for (int64_t i = 0; i < n; i++)
		if (!sym_const(e->v[i], &out[i]))
			return false;
	return true;
}

/* The op becomes `kind` with its first n operands, its own attributes and those given. */
static bool with_attrs(Lg *l, OpKind kind, size_t n, const RwAttr *attrs)
{
	Value *in[MAX_RANK];
	for (size_t i = 0; i < n; i++)
		in[i] = lg_in(l, i);
	op_set_operands(l->op, in, n);
	for (; attrs->name != A_NONE; attrs++)
		op_set_attr(l->op, l->c->attr_names[attrs->name], attrs->value);
	op_set_def(l->op, op_def(l->c, kind));
	return true;
}

bool lg_shlo_dynamic_pad(Lg *l, OpKind core)
{
	int64_t rank = lg_rank(lg_in(l, 0)), v[3][2 * MAX_RANK];
	(void)core;
	if (rank < 0 || rank > MAX_RANK)
		return false;
	for (size_t i = 0; i < 3; i++)
		if (!numbers_of(l, i + 2, rank, v[i]))
			return false;
	return with_attrs(l, SHLO_pad, 2, (RwAttr[]){ { A_edge_padding_low, lg_ints_attr(l, v[0], (size_t)rank) },
		{ A_edge_padding_high, lg_ints_attr(l, v[1], (size_t)rank) },
		{ A_interior_padding, lg_ints_attr(l, v[2], (size_t)rank) }, { A_NONE, NULL } });
}

bool lg_shlo_dynamic_gather(Lg *l, OpKind core)
{
	int64_t rank = lg_rank(lg_in(l, 0)), v[2 * MAX_RANK];
	(void)core;
	return rank >= 0 && rank <= MAX_RANK && numbers_of(l, 2, rank, v) && with_attrs(l, SHLO_gather, 2,
		(RwAttr[]){ { A_slice_sizes, lg_ints_attr(l, v, (size_t)rank) }, { A_NONE, NULL } });
}

/* Upstream's verifier does not count the strides of this op, and exporters gave one stride twice: what only repeats it goes. */
static void trim_strides(Lg *l, int64_t spatial)
{
	const int64_t *v;
	size_t have = op_attr_ints(l->op, A_window_strides, &v), n = spatial > 0 ? (size_t)spatial : 0;
	for (size_t i = n; i < have && n; i++)
		if (v[i] != v[n - 1])
			return;
	if (n && have > n)
		op_set_attr(l->op, l->c->attr_names[A_window_strides], lg_ints_attr(l, v, n));
}

/* The operand holds the paddings, two for each spatial dimension, as a matrix. */
bool lg_shlo_dynamic_conv(Lg *l, OpKind core)
{
	int64_t n = 2 * ((int64_t)lg_rank(lg_in(l, 0)) - 2), v[2 * MAX_RANK];
	(void)core;
	trim_strides(l, n / 2);
	return n >= 0 && n <= 2 * MAX_RANK && numbers_of(l, 2, n, v) && with_attrs(l, SHLO_convolution, 2,
		(RwAttr[]){ { A_padding, lg_ints_attr(l, v, (size_t)n) }, { A_NONE, NULL } });
}

/* A size that is set to what it is. */
bool lg_shlo_set_dimension_size(Lg *l, OpKind core)
{
	int64_t d = op_attr_int(l->op, A_dimension, -1);
	const Elems *e;
	const Type *t = lg_in(l, 0)->type;
	if (!type_has_rank(t) || d < 0 || d >= t->rank || !facts_of(l, 1, 1, &e) || !sym_known_eq(e->v[0], t->dims[d]))
		return false;
	return lg_become(l, core, (Value *[]){ lg_in(l, 0) }, 1, NULL);
}

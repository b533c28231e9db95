#include "permute_int.h"

#include <string.h>

/* ---- permutations ---- */

bool perm_of(const Op *transpose, Perm *p)
{
	p->n = value_rank(op_operand(transpose, 0));
	return p->n >= 0 && p->n <= MAX_RANK && op_perm(transpose, p->n, p->a);
}

bool perm_is_identity(const Perm *p)
{
	for (int i = 0; i < p->n; i++)
		if (p->a[i] != i)
			return false;
	return true;
}

bool perm_equal(const Perm *p, const Perm *q)
{
	return p->n == q->n && !memcmp(p->a, q->a, (size_t)p->n * sizeof *p->a);
}

Perm perm_inverse(const Perm *p)
{
	Perm r = { .n = p->n };
	for (int i = 0; i < p->n; i++)
		r.a[p->a[i]] = i;
	return r;
}

Perm perm_compose(const Perm *inner, const Perm *outer)
{
	Perm r = { .n = outer->n };
	for (int i = 0; i < outer->n; i++)
		r.a[i] = inner->a[outer->a[i]];
	return r;
}

Value *perm_apply(Rw *rw, Value *v, const Perm *p)
{
	if (perm_is_identity(p))
		return v;
	int rank = value_rank(v);
	if (rank < p->n) {
		int64_t dims[MAX_RANK];
		for (int i = 0; i < p->n; i++)
			dims[i] = i < p->n - rank ? 1 : value_dim(v, i - (p->n - rank));
		v = rw_reshape_to(rw, v, p->n, dims);
	}
	return rw_transpose(rw, v, p->a, p->n);
}

/* ---- kinds of ops ---- */

typedef enum Moves {
	MOVES_NOT,
	MOVES_ELTWISE, /* operands broadcast */
	MOVES_CONCAT,  /* all operands alike, axis attribute */
	MOVES_AXIS,    /* operand 0 with an axis attribute; other operands stay */
	MOVES_AXES,    /* operand 0 with an axes attribute that may be absent; other operands stay */
	MOVES_PAD,
	MOVES_REDUCE,  /* axes; may drop them */
	MOVES_SQUEEZE,
	MOVES_UNSQUEEZE
} Moves;

static Moves moves(const Op *op)
{
	static const struct { OpKind kind; Moves how; } table[] = {
		{ OP_concat, MOVES_CONCAT }, { OP_softmax, MOVES_AXIS }, { OP_log_softmax, MOVES_AXIS },
		{ OP_hardmax, MOVES_AXIS },
		{ OP_quantize, MOVES_AXIS }, { OP_dequantize, MOVES_AXIS }, { OP_lp_norm, MOVES_AXIS },
		{ OP_slice, MOVES_AXES },
		{ OP_reverse, MOVES_AXES }, { OP_pad, MOVES_PAD }, { OP_reduce, MOVES_REDUCE }, { OP_squeeze, MOVES_SQUEEZE },
		{ OP_unsqueeze, MOVES_UNSQUEEZE },
	};
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (op_is(op, table[i].kind))
			return table[i].how;
	return op->def->traits & TRAIT_ELTWISE && op->nresults == 1 && op_is_pure(op) ? MOVES_ELTWISE : MOVES_NOT;
}

/* Axes of an axes attribute, normalised, as a set; false when unknown. An absent attribute is `absent`. */
static bool axis_set(const Op *op, int rank, uint64_t absent, uint64_t *out)
{
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	*out = op_attr(op, A_axes) ? 0 : absent;
	for (size_t i = 0; i < n; i++) {
		int axis;
		if (!axis_norm(axes[i], rank, &axis))
			return false;
		*out |= UINT64_C(1) << axis;
	}
	return true;
}

/* The axes that a reduction, squeeze or unsqueeze takes away (or adds), of the side that has them; false when unknown. */
static bool special_axes(const Op *op, uint64_t *out)
{
	bool adds = op_is(op, OP_unsqueeze);
	int rank = value_rank(adds ? op->results[0] : op_operand(op, 0));
	if (rank < 0 || rank > MAX_RANK)
		return false;
	if (op_is(op, OP_squeeze) && !op_attr(op, A_axes))
		return false;
	return axis_set(op, rank, (UINT64_C(1) << rank) - 1, out);
}

static bool has(uint64_t set, int axis)
{
	return set >> axis & 1;
}

/* Whether axes vanish: then operand and result have different ranks. */
bool perm_drops(const Op *op)
{
	return op_is(op, OP_squeeze) || (op_is(op, OP_reduce) && !op_int(op, A_keepdims));
}

static bool scalar_like(const Value *v)
{
	return value_rank(v) == 0;
}

static bool operand_stays(const Op *op, size_t i)
{
	Moves m = moves(op);
	if (!op_operand(op, i))
		return true;
	if (m == MOVES_ELTWISE)
		return scalar_like(op_operand(op, i)) || (op_is(op, OP_clamp) && i > 0);
	return m != MOVES_CONCAT && i > 0;
}

static bool eltwise_ready(Rw *rw, const Op *op, const Perm *q)
{
	for (size_t i = 0; i < op->noperands; i++) {
		const Value *v = op_operand(op, i);
		if (operand_stays(op, i))
			continue;
		bool fine = value_rank(v) == q->n || (value_is_constant(v) && type_is_static(v->type) && value_rank(v) < q->n);
		if (!fine)
			return rw_no(rw, "an operand of lower rank broadcasts");
	}
	return true;
}

static bool axis_ready(Rw *rw, const Op *op, const Perm *q)
{
	int axis;
	bool quantises = op_is(op, OP_quantize) || op_is(op, OP_dequantize);
	if (quantises && op_int(op, A_block_size))
		return rw_no(rw, "quantised in blocks");
	if (quantises && value_rank(op_operand(op, 1)) == 0)
		return true;
	return axis_norm(op_int(op, A_axis), q->n, &axis) || rw_no(rw, "the axis is out of range");
}

bool perm_can_move(Rw *rw, const Op *op, const Perm *q)
{
	Moves m = moves(op);
	uint64_t set;
	size_t n;
	if (m == MOVES_NOT)
		return rw_no(rw, "%s does not move past a transpose", op->def->name->s);
	if (value_rank(op->results[0]) != q->n || op->nresults != 1)
		return rw_no(rw, "a rank is unknown");
	if (m == MOVES_ELTWISE)
		return eltwise_ready(rw, op, q);
	for (size_t i = 0; i < op->noperands; i++)
		if (!operand_stays(op, i) && value_rank(op_operand(op, i)) < 0)
			return rw_no(rw, "a rank is unknown");
	if (m == MOVES_CONCAT || m == MOVES_AXIS)
		return axis_ready(rw, op, q);
	if (m == MOVES_AXES) {
		bool listed = op_attr(op, A_axes) || value_dim(op_operand(op, 1), 0) >= 0;
		return (listed && axis_set(op, q->n, 0, &set)) || rw_no(rw, "the axes are unknown");
	}
	if (m == MOVES_PAD)
		return rw_const_ints(rw, op_operand(op, 1), &n) || rw_no(rw, "the pads are not constant");
	return special_axes(op, &set) || rw_no(rw, "the axes are unknown");
}

bool perm_of_operand(const Op *op, size_t i, const Perm *q, Perm *out)
{
	if (operand_stays(op, i))
		return false;
	*out = *q;
	uint64_t set;
	bool adds = op_is(op, OP_unsqueeze);
	if ((!adds && !perm_drops(op)) || !special_axes(op, &set))
		return true;
	int rank = value_rank(op_operand(op, i));
	int place[MAX_RANK], n = 0; /* kept axes: of the operand (drops), or their number by result axis (adds) */
	if (adds) {
		for (int k = 0; k < q->n; k++)
			if (!has(set, k))
				place[k] = n++;
		out->n = 0;
		for (int k = 0; k < q->n; k++)
			if (!has(set, q->a[k]))
				out->a[out->n++] = place[q->a[k]];
		return true;
	}
	for (int k = 0; k < rank; k++)
		if (!has(set, k))
			place[n++] = k;
	for (int k = 0; k < q->n; k++)
		out->a[k] = place[q->a[k]];
	for (int k = 0; k < rank; k++)
		if (has(set, k))
			out->a[n++] = k;
	out->n = rank;
	return true;
}

/* ---- building ---- */

static int64_t place_of(const Perm *q, int64_t axis)
{
	for (int i = 0; i < q->n; i++)
		if (q->a[i] == axis)
			return i;
	BUG("axis %lld is not in the permutation", (long long)axis);
}

/* All axes of the set (of old axes) as a sorted list of new ones. */
static const Attr *moved_axes(Rw *rw, const Perm *q, uint64_t set)
{
	int64_t list[MAX_RANK];
	size_t n = 0;
	for (int i = 0; i < q->n; i++)
		if (has(set, q->a[i]))
			list[n++] = i;
	return rw_attr_ints(rw, list, n);
}

/* Constant pads for all axes in their new order. */
static Value *rebuild_pad(Rw *rw, const Op *op, const Perm *q, Value *const *operands)
{
	size_t n, naxes;
	const int64_t *axes, *old = rw_const_ints(rw, op_operand(op, 1), &n);
	int64_t pads[2 * MAX_RANK] = { 0 };
	Value *in[3] = { operands[0], NULL, op->noperands > 2 ? operands[2] : NULL };
	naxes = op_attr_ints(op, A_axes, &axes);
	for (size_t i = 0; i < n / 2; i++) {
		int axis = (int)i;
		if (naxes)
			CHECK(axis_norm(axes[i], q->n, &axis));
		int64_t at = place_of(q, axis);
		pads[at] += old[i];
		pads[at + q->n] += old[i + n / 2];
	}
	in[1] = rw_ints(rw, pads, 2 * (size_t)q->n);
	Value *y = rw_op(rw, OP_pad, in, op->noperands, (RwAttr[]){ { A_mode, op_attr(op, A_mode) }, { A_NONE, NULL } });
	rw_take_name(y, op);
	return y;
}

/* Axes in the order of the attribute (or 0, 1, ...): the other operands list amounts in this order. */
static const Attr *reordered_axes(Rw *rw, const Op *op, const Perm *q)
{
	const int64_t *axes;
	int64_t list[MAX_RANK];
	size_t n = op_attr_ints(op, A_axes, &axes);
	bool listed = op_attr(op, A_axes);
	if (!listed)
		n = (size_t)value_dim(op_operand(op, 1), 0);
	for (size_t i = 0; i < n && i < MAX_RANK; i++) {
		int axis = (int)i;
		if (listed)
			CHECK(axis_norm(axes[i], q->n, &axis));
		list[i] = place_of(q, axis);
	}
	return rw_attr_ints(rw, list, n);
}

Value *perm_rebuild(Rw *rw, const Op *op, const Perm *q, Value *const *operands)
{
	int axis = 0;
	uint64_t set = 0;
	Perm own;
	switch (moves(op)) {
	case MOVES_CONCAT:
	case MOVES_AXIS:
		if (!axis_norm(op_int(op, A_axis), q->n, &axis))
			return rw_copy(rw, op, operands); /* a scalar scale: the axis plays no part */
		return rw_copy_attr(rw, op, operands, A_axis, attr_int(rw->ctx, place_of(q, axis)));
	case MOVES_AXES:
		return rw_copy_attr(rw, op, operands, A_axes, reordered_axes(rw, op, q));
	case MOVES_PAD:
		return rebuild_pad(rw, op, q, operands);
	case MOVES_REDUCE:
	case MOVES_SQUEEZE:
		CHECK(special_axes(op, &set) && perm_of_operand(op, 0, q, &own));
		return rw_copy_attr(rw, op, operands, A_axes, moved_axes(rw, &own, set));
	case MOVES_UNSQUEEZE:
		CHECK(special_axes(op, &set));
		return rw_copy_attr(rw, op, operands, A_axes, moved_axes(rw, q, set));
	case MOVES_ELTWISE:
	case MOVES_NOT:
		break;
	}
	return rw_copy(rw, op, operands);
}

/* The result's permutation is one that needs exactly p on the operand, up to the order of axes that vanish. */
bool perm_below(Rw *rw, const Op *op, const Perm *p, Perm *below)
{
	uint64_t set;
	bool adds = op_is(op, OP_unsqueeze);
	*below = *p;
	if (!adds && !perm_drops(op))
		return value_rank(op->results[0]) == p->n || rw_no(rw, "a rank is unknown");
	if (!special_axes(op, &set))
		return rw_no(rw, "the axes are unknown");
	if (adds) { /* added axes stay in place, the others move among themselves */
		int kept[MAX_RANK], n = 0, rank = value_rank(op->results[0]);
		for (int i = 0; i < rank; i++)
			if (!has(set, i))
				kept[n++] = i;
		below->n = rank;
		for (int i = 0, k = 0; i < rank; i++)
			below->a[i] = has(set, i) ? i : kept[p->a[k++]];
		return n == p->n;
	}
	/* kept axes of the transposed operand, numbered by their order in the operand itself */
	int number[MAX_RANK], n = 0;
	Perm inverse = perm_inverse(p);
	for (int x = 0; x < p->n; x++)
		if (!has(set, inverse.a[x]))
			number[x] = n++;
	below->n = 0;
	for (int i = 0; i < p->n; i++)
		if (!has(set, i))
			below->a[below->n++] = number[p->a[i]];
	return true;
}

bool perm_touches(const Op *op, size_t i)
{
	return moves(op) != MOVES_NOT && !operand_stays(op, i);
}

Value *perm_drop(Rw *rw, const Op *op, const Perm *p, Value *x)
{
	uint64_t set, moved = 0;
	CHECK(special_axes(op, &set));
	for (int i = 0; i < p->n; i++)
		if (has(set, i))
			moved |= UINT64_C(1) << p->a[i];
	int64_t list[MAX_RANK];
	size_t n = 0;
	for (int i = 0; i < p->n; i++)
		if (has(moved, i))
			list[n++] = i;
	return rw_copy_attr(rw, op, (Value *[]){ x }, A_axes, rw_attr_ints(rw, list, n));
}

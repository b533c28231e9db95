#include "legalise_int.h"

#include <math.h>

/* reduce_window of the common bodies, whatever its window: the operand is padded with what changes nothing, then each dimension
 * is combined with itself, moved, in steps that double. Sums over all that came before are cumulative sums. */

typedef struct WindowKind {
	OpKind body;
	bool repeats; /* an element may count twice */
} WindowKind;

static const WindowKind *body_kind(const Op *op)
{
	static const WindowKind kinds[] = { { OP_add, false }, { OP_mul, false }, { OP_max, true }, { OP_min, true }, { OP_and, true },
		{ OP_or, true } };
	const Block *b = op->nblocks == 1 ? op->blocks[0] : NULL;
	const Op *end = b ? b->last : NULL, *o = end && end->noperands == 1 && b->nargs == 2 ? op_operand(end, 0)->def : NULL;
	if (!o || o->noperands != 2 || !((op_operand(o, 0) == b->args[0] && op_operand(o, 1) == b->args[1]) ||
		(op_operand(o, 0) == b->args[1] && op_operand(o, 1) == b->args[0])))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i].body == op_kind(o))
			return &kinds[i];
	return NULL;
}

/* The number that changes nothing. */
static Value *neutral(Lg *l, OpKind body, DType d)
{
	bool most = body == OP_min, least = body == OP_max;
	if (dtype_is_float(d))
		return lg_const_float(l, d, least ? -INFINITY : most ? INFINITY : body == OP_mul ? 1 : 0);
	int64_t v = body == OP_mul || body == OP_and ? 1 : 0;
	if ((most || least) && (d == DT_BOOL || d == DT_U64))
		return NULL;
	if (most || least)
		v = least ? dtype_int_min(d) : (int64_t)dtype_int_max(d);
	Value *c = constant_from_ints(l->op->block, l->op, d, 0, NULL, &v);
	c->def->made = true;
	return c;
}

static int64_t entry(const Op *op, AttrName a, size_t i, int64_t absent)
{
	const int64_t *v;
	size_t n = op_attr_ints(op, a, &v);
	return i < n ? v[i] : absent;
}

static Value *cut(Lg *l, Value *x, int64_t axis, int64_t start, int64_t end, int64_t step)
{
	Value *in[4] = { x, lg_const_ints(l, &start, 1), lg_const_ints(l, &end, 1), lg_const_ints(l, &step, 1) };
	return fm_op(l, OP_slice, in, step == 1 ? 3 : 4, fm_attr(l, A_axes, lg_ints_attr(l, &axis, 1)));
}

/* a[i] with b[i + shift], as many as both have. */
static Value *shifted(Lg *l, OpKind body, Value *a, Value *b, int64_t axis, int64_t shift, int64_t count)
{
	return fm_op2(l, body, cut(l, a, axis, 0, count, 1), cut(l, b, axis, shift, shift + count, 1), NULL);
}

/* Windows of `size` elements, `gap` apart, along an axis of n. */
static Value *slide(Lg *l, const WindowKind *k, Value *x, int64_t axis, int64_t n, int64_t size, int64_t gap)
{
	Value *part = x, *all = size % 2 ? x : NULL; /* windows of `width`, and of the bits of size below it */
	int64_t width = 1, covered = size % 2, left = n;
	while (width * 2 <= size) {
		left = n - (width * 2 - 1) * gap;
		part = shifted(l, k->body, part, part, axis, width * gap, left);
		width *= 2;
		if (k->repeats || !(size & width))
			continue;
		all = all ? shifted(l, k->body, all, part, axis, covered * gap, n - (covered + width - 1) * gap) : part;
		covered += width;
	}
	if (!k->repeats)
		return all;
	return size == width ? part : shifted(l, k->body, part, part, axis, (size - width) * gap, n - (size - 1) * gap);
}

/* Whether the window is all that lies before (or, reversed, behind) each element. */
static bool is_running(const Op *op, size_t d, int64_t n, bool *reversed)
{
	int64_t low = entry(op, A_padding, 2 * d, 0), high = entry(op, A_padding, 2 * d + 1, 0);
	*reversed = low == 0;
	return n > 1 && entry(op, A_window_dimensions, d, 1) == n && ((low == n - 1 && high == 0) || (low == 0 && high == n - 1)) &&
		entry(op, A_window_strides, d, 1) == 1 && entry(op, A_window_dilations, d, 1) == 1 &&
		entry(op, A_base_dilations, d, 1) == 1;
}

/* One dimension; NULL: its size is not known. */
static Value *along(Lg *l, const WindowKind *k, Value *x, Value *fill, size_t d)
{
	const Op *op = l->op;
	int64_t size = entry(op, A_window_dimensions, d, 1), stride = entry(op, A_window_strides, d, 1),
		gap = entry(op, A_window_dilations, d, 1), low = entry(op, A_padding, 2 * d, 0), high = entry(op, A_padding, 2 * d + 1, 0),
		base = entry(op, A_base_dilations, d, 1), pads[2 * MAX_RANK] = { 0 }, n, axis = (int64_t)d;
	size_t rank = (size_t)lg_rank(x);
	bool reversed;
	if (size == 1 && stride == 1 && low == 0 && high == 0 && base == 1)
		return x;
	if (!sym_const(x->type->dims[d], &n) || size < 1 || gap < 1 || stride < 1)
		return NULL;
	if (k->body == OP_add && is_running(op, d, n, &reversed))
		return fm_op2(l, OP_cumsum, x, lg_const_int(l, axis), reversed ? fm_attr(l, A_reverse, lg_int(l, 1)) : NULL);
	if (base > 1 && !(x = fm_spread(l, x, fill, (int)d, base - 1)))
		return NULL;
	n = (n ? (n - 1) * base + 1 : 0) + low + high;
	pads[d] = low;
	pads[rank + d] = high;
	if (low || high)
		x = fm_op(l, OP_pad, (Value *[]){ x, lg_const_ints(l, pads, 2 * rank), fill }, 3, NULL);
	int64_t out = n - (size - 1) * gap;
	if (out < 1)
		return NULL;
	x = slide(l, k, x, axis, n, size, gap);
	return stride == 1 ? x : cut(l, x, axis, 0, out, stride);
}

bool form_reduce_window(Lg *l, OpKind core)
{
	Op *op = l->op;
	const WindowKind *k = op->noperands == 2 && op->nresults == 1 ? body_kind(op) : NULL;
	Value *x = lg_in(l, 0), *init = lg_in(l, 1);
	int rank = lg_rank(x);
	DType d = lg_dtype(x);
	double start, none;
	(void)core;
	if (!k || rank < 1 || rank > MAX_RANK || dtype_class(d) == DC_COMPLEX || lg_dtype(init) != d ||
		((k->body == OP_and || k->body == OP_or) && d != DT_BOOL))
		return false;
	Value *fill = neutral(l, k->body, d);
	for (int i = 0; fill && x && i < rank; i++)
		x = along(l, k, x, fill, (size_t)i);
	if (!fill || !x)
		return false;
	if (!constant_float(init, &start) || !constant_float(fill, &none) || start != none)
		x = fm_op2(l, k->body, x, init, NULL);
	return lg_replace(l, &x, 1);
}

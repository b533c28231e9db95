#include "legalise_int.h"

/* The gradient of pools that take the largest. */

/* ---- select_and_scatter: values go where the largest element of each window lies ---- */

typedef struct Pool {
	int64_t perm[MAX_RANK], back[MAX_RANK]; /* dimensions that windows do not span come first */
	int64_t kernel[MAX_RANK], strides[MAX_RANK], pads[2 * MAX_RANK];
	int64_t rank, nspatial;
} Pool;

static int64_t entry(const Op *op, AttrName a, size_t i, int64_t absent)
{
	const int64_t *v;
	size_t n = op_attr_ints(op, a, &v);
	return i < n ? v[i] : absent;
}

static bool pool_read(Lg *l, Pool *p)
{
	const Op *op = l->op;
	int64_t n = 0;
	*p = (Pool){ .rank = lg_rank(lg_in(l, 0)) };
	for (int spans = 0; spans < 2; spans++)
		for (size_t d = 0; d < (size_t)p->rank; d++) {
			int64_t size = entry(op, A_window_dimensions, d, 1), step = entry(op, A_window_strides, d, 1),
				low = entry(op, A_padding, 2 * d, 0), high = entry(op, A_padding, 2 * d + 1, 0);
			if ((size != 1 || step != 1 || low || high) != spans)
				continue;
			if (size < 1 || step < 1 || low < 0 || high < 0 || (spans && (low >= size || high >= size)))
				return fm_no(l, "MaxPool has no padding that is negative or as large as its window");
			p->back[d] = n;
			p->perm[n++] = (int64_t)d;
			p->kernel[p->nspatial] = size;
			p->strides[p->nspatial] = step;
			p->pads[p->nspatial] = low;
			p->pads[MAX_RANK + p->nspatial] = high;
			p->nspatial += spans;
		}
	for (int64_t i = 0; i < p->nspatial; i++)
		p->pads[p->nspatial + i] = p->pads[MAX_RANK + i];
	return (p->nspatial >= 1 && p->nspatial <= 3) || fm_no(l, "MaxPool spans 1 to 3 dimensions");
}

static Value *moved(Lg *l, Value *x, const int64_t *perm, int64_t n)
{
	return lg_shlo_transpose(l, x, perm, (size_t)n);
}

/* Places of the largest in each window, in the order of the elements. */
static Value *places(Lg *l, const Pool *p, Value *x)
{
	size_t n = (size_t)p->nspatial;
	int64_t first = p->rank - p->nspatial, lead[2] = { 1, -1 };
	Value *rest = fm_op1(l, OP_shape, x, fm_attr(l, A_start, lg_int(l, first)));
	Value *shape = fm_op2(l, OP_concat, lg_const_ints(l, lead, 2), rest, fm_attr(l, A_axis, lg_int(l, 0)));
	Value *in = fm_op2(l, OP_reshape, x, shape, NULL);
	NamedAttr attrs[] = { { l->c->attr_names[A_kernel], lg_ints_attr(l, p->kernel, n) },
		{ l->c->attr_names[A_strides], lg_ints_attr(l, p->strides, n) },
		{ l->c->attr_names[A_pads], lg_ints_attr(l, p->pads, 2 * n) } };
	OpSpec s = { .def = op_def(l->c, OP_max_pool), .operands = &in, .noperands = 1, .nresults = 2, .attrs = attrs,
		.nattrs = 3, .loc = l->op->loc };
	Op *op = op_new(l->op->block, l->op, &s);
	op->made = true;
	infer_op(l->facts, op);
	return op->results[1];
}

static bool adds(const Op *op)
{
	const Block *b = op->blocks[1];
	const Op *end = b ? b->last : NULL, *o = end && end->noperands == 1 && b->nargs == 2 && op_operand(end, 0) ?
		op_operand(end, 0)->def : NULL;
	return op_is(o, OP_add) && ((op_operand(o, 0) == b->args[0] && op_operand(o, 1) == b->args[1]) ||
		(op_operand(o, 0) == b->args[1] && op_operand(o, 1) == b->args[0]));
}

/* A scatter into what the reduction starts with, all flat, at the places that a pool finds. NaN may be chosen otherwise. */
bool form_select_and_scatter(Lg *l, OpKind core)
{
	const Op *op = l->op;
	Value *x = lg_in(l, 0), *source = lg_in(l, 1);
	DType d = lg_dtype(x);
	Pool p;
	int64_t all = -1;
	if (op->nblocks != 2 || op->nresults != 1 || lg_rank(x) < 1 || lg_rank(x) != lg_rank(source) || !op->blocks[0]->last ||
		op->blocks[0]->nargs != 2)
		return false;
	if (d != DT_F32 && d != DT_F64 && d != DT_F16)
		return fm_no(l, "MaxPool takes f16, f32 and f64");
	if (!adds(op))
		return fm_no(l, "its scatter does not add, which ScatterElements with the places of MaxPool would");
	int choice = fm_choice(op->blocks[0], d);
	if (!choice)
		return fm_no(l, "its select does not keep the first of the largest (GE) or smallest (LE) elements, as MaxPool does");
	if (!pool_read(l, &p))
		return false;
	Value *from = moved(l, x, p.perm, p.rank), *to;
	from = choice < 0 ? fm_op1(l, OP_neg, from, NULL) : from;
	Value *at = fm_reshape(l, places(l, &p, from), &all, 1);
	Value *flat = fm_reshape(l, moved(l, source, p.perm, p.rank), &all, 1), *shape = fm_op1(l, OP_shape, from, NULL);
	to = fm_reshape(l, fm_op2(l, OP_expand, lg_in(l, 2), shape, NULL), &all, 1);
	to = fm_op(l, core, (Value *[]){ to, at, flat }, 3, fm_attr(l, A_reduction, lg_text(l, "add")));
	to = moved(l, fm_op2(l, OP_reshape, to, shape, fm_attr(l, A_allowzero, lg_int(l, 1))), p.back, p.rank);
	return lg_replace(l, &to, 1);
}

#include "legalise_int.h"

#include <math.h>
#include <string.h>

/* Gathers and scatters by dimension numbers as gather_nd and scatter_nd; slices at places that the run computes; sorts and
 * places of the largest by what their bodies decide. */

static const Attr *field(const Attr *d, size_t i)
{
	return d && d->kind == ATTR_DICT && i < d->u.list.n ? d->u.list.v[i] : NULL;
}

typedef struct List {
	const int64_t *v;
	size_t n;
} List;

static bool list_field(const Attr *d, size_t i, List *out)
{
	const Attr *a = field(d, i);
	if (!a || a->kind != ATTR_INTS)
		return false;
	*out = (List){ a->u.ints.v, a->u.ints.n };
	return true;
}

static int position(const List *l, int64_t v)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i] == v)
			return (int)i;
	return -1;
}

/* ---- where windows lie ---- */

/* Windows of an operand, one for each place of a batch: their corner by dimension. Dimensions from `depth` on are whole. */
typedef struct Windows {
	int rank, depth, nbatch;
	const Sym *dims[MAX_RANK];    /* of the operand */
	int64_t size[MAX_RANK];       /* of the window; -1: that of the operand */
	bool kept[MAX_RANK];          /* the window's dimension stands in the result */
	Value *corner[MAX_RANK];      /* i64, of the batch's shape, or NULL: 0 */
	Value *batch;                 /* any value of the batch's shape */
} Windows;

static int64_t known_size(const Windows *w, int d)
{
	int64_t n;
	return sym_const(w->dims[d], &n) ? n : -1;
}

static bool is_whole(const Windows *w, int d)
{
	return w->kept[d] && !w->corner[d] && (w->size[d] < 0 || w->size[d] == known_size(w, d));
}

/* The numbers of a batch come first: batch shape, then one dimension for each window dimension before the depth. */
static Value *index_shape(Lg *l, const Windows *w, int *rank)
{
	int64_t inner[MAX_RANK] = { 0 };
	int n = 0;
	for (int d = 0; d < w->depth; d++)
		if (w->kept[d])
			inner[n++] = w->size[d];
	*rank = w->nbatch + n;
	Value *tail = lg_const_ints(l, inner, (size_t)n);
	if (w->nbatch == 0)
		return tail;
	Value *head = fm_op1(l, OP_shape, w->batch, NULL);
	return n ? fm_op2(l, OP_concat, head, tail, fm_attr(l, A_axis, lg_int(l, 0))) : head;
}

static Value *numbers_upto(Lg *l, int64_t n)
{
	Value *in[3] = { lg_const_int(l, 0), lg_const_int(l, n), lg_const_int(l, 1) };
	return fm_op(l, OP_range, in, 3, NULL);
}

/* v, whose dimensions are those from `at` on, with ones after them up to the rank. */
static Value *in_place(Lg *l, Value *v, int after)
{
	int64_t axes[MAX_RANK];
	int rank = lg_rank(v);
	for (int i = 0; i < after; i++)
		axes[i] = rank + i;
	if (!after)
		return v;
	return fm_op1(l, OP_unsqueeze, v, fm_attr(l, A_axes, lg_ints_attr(l, axes, (size_t)after)));
}

/* Part d of every index, of shape batch + window. */
static Value *index_part(Lg *l, const Windows *w, int d, int at, int rank)
{
	Value *v = w->corner[d] ? in_place(l, w->corner[d], rank - w->nbatch) : NULL;
	if (w->kept[d] && (w->size[d] != 1 || !v)) {
		Value *run = in_place(l, numbers_upto(l, w->size[d]), rank - at - 1);
		v = v ? fm_op2(l, OP_add, v, run, NULL) : run;
	}
	return v ? v : lg_const_int(l, 0);
}

/* All parts, spread over the shape of the index. False: a size is not known. */
static bool index_parts(Lg *l, const Windows *w, Value **parts, int *rank)
{
	for (int d = 0; d < w->depth; d++)
		if (w->kept[d] && w->size[d] < 0)
			return false;
	Value *shape = index_shape(l, w, rank);
	int at = w->nbatch;
	if (*rank + 1 > MAX_RANK)
		return false;
	for (int d = 0; d < w->depth; d++) {
		parts[d] = fm_op2(l, OP_expand, index_part(l, w, d, at, *rank), shape, NULL);
		at += w->kept[d];
	}
	return true;
}

static Value *join_parts(Lg *l, Value **parts, int n, int rank)
{
	int64_t axis = rank;
	for (int d = 0; d < n; d++)
		parts[d] = fm_op1(l, OP_unsqueeze, parts[d], fm_attr(l, A_axes, lg_ints_attr(l, &axis, 1)));
	return n == 1 ? parts[0] : fm_op(l, OP_concat, parts, (size_t)n, fm_attr(l, A_axis, lg_int(l, rank)));
}

static void find_depth(Windows *w)
{
	w->depth = w->rank;
	while (w->depth > 1 && is_whole(w, w->depth - 1))
		w->depth--;
	for (int d = 0; d < w->depth; d++)
		if (w->kept[d] && w->size[d] < 0)
			w->size[d] = known_size(w, d);
}

/* Corners moved inside, as StableHLO says. */
static bool move_inside(Lg *l, Windows *w)
{
	for (int d = 0; d < w->rank; d++) {
		int64_t n = known_size(w, d);
		if (!w->corner[d])
			continue;
		if (n < 0 || w->size[d] < 0)
			return false;
		Value *in[3] = { w->corner[d], lg_const_int(l, 0), lg_const_int(l, n - w->size[d]) };
		w->corner[d] = fm_op(l, OP_clamp, in, 3, NULL);
	}
	return true;
}

/* ---- dimension numbers ---- */

/* Of a gather or a scatter, which have them alike. */
typedef struct Numbers {
	List window, gone, batch, index_batch, map; /* window: dims of the result or updates */
	int64_t vector;
} Numbers;

static bool numbers_of(const Op *op, AttrName name, Numbers *n)
{
	const Attr *d = op_attr(op, name), *vector = field(d, 5);
	if (!list_field(d, 0, &n->window) || !list_field(d, 1, &n->gone) || !list_field(d, 2, &n->batch) ||
		!list_field(d, 3, &n->index_batch) || !list_field(d, 4, &n->map) || !vector || vector->kind != ATTR_INT)
		return false;
	n->vector = vector->u.i;
	return n->batch.n == n->index_batch.n;
}

/* Part k of the index vectors, of the batch's shape. */
static Value *vector_part(Lg *l, Value *index, const Numbers *n, size_t k)
{
	if (n->vector == lg_rank(index))
		return index;
	return fm_op2(l, OP_gather, index, lg_const_int(l, (int64_t)k), fm_attr(l, A_axis, lg_int(l, n->vector)));
}

/* The place along one batch dimension, of the batch's shape but for ones. */
static Value *batch_part(Lg *l, const Windows *w, const Numbers *n, size_t k, const Type *index)
{
	int at = (int)(n->index_batch.v[k] - (n->index_batch.v[k] > n->vector));
	int64_t size;
	if (!sym_const(index->dims[n->index_batch.v[k]], &size))
		return NULL;
	Value *run = in_place(l, numbers_upto(l, size), w->nbatch - at - 1);
	return fm_op2(l, OP_expand, run, fm_op1(l, OP_shape, w->batch, NULL), NULL);
}

static bool windows_of(Lg *l, Value *x, Value *index, const Numbers *n, Windows *w)
{
	int ri = lg_rank(index);
	*w = (Windows){ .rank = lg_rank(x) };
	if (w->rank < 1 || ri < 0 || w->rank > MAX_RANK || n->vector < 0 || n->vector > ri)
		return false;
	w->nbatch = n->vector == ri ? ri : ri - 1;
	index = fm_cast(l, index, DT_I64);
	if (n->vector < ri && sym_is(index->type->dims[n->vector], 0))
		return false;
	w->batch = vector_part(l, index, n, 0);
	for (int d = 0; d < w->rank; d++) {
		int part = position(&n->map, d), shared = position(&n->batch, d);
		w->dims[d] = x->type->dims[d];
		w->kept[d] = position(&n->gone, d) < 0 && shared < 0;
		w->size[d] = w->kept[d] ? -1 : 1;
		if (part >= 0)
			w->corner[d] = vector_part(l, index, n, (size_t)part);
		else if (shared >= 0 && !(w->corner[d] = batch_part(l, w, n, (size_t)shared, index->type)))
			return false;
	}
	return true;
}

/* Dimensions of a result or of updates, whose window dimensions stand at `window`: first those of the batch, then the
 * window's. back: the way from there. */
static bool window_last(const List *window, int rank, int64_t *perm, int64_t *back)
{
	int n = 0;
	for (int pass = 0; pass < 2; pass++)
		for (int d = 0; d < rank; d++)
			if ((position(window, d) >= 0) == (pass == 1))
				perm[n++] = d;
	for (int i = 0; i < n; i++)
		back[perm[i]] = i;
	return n == rank;
}

bool form_gather(Lg *l, OpKind core)
{
	Numbers n;
	Windows w;
	Value *x = lg_in(l, 0), *parts[MAX_RANK];
	const int64_t *size;
	int64_t perm[MAX_RANK], back[MAX_RANK];
	int rank, out = lg_rank(l->op->results[0]);
	size_t ns = op_attr_ints(l->op, A_slice_sizes, &size);
	if (!numbers_of(l->op, A_dimension_numbers, &n) || !windows_of(l, x, lg_in(l, 1), &n, &w) || ns != (size_t)w.rank ||
		out < 0 || out > MAX_RANK || !window_last(&n.window, out, perm, back))
		return false;
	for (int d = 0; d < w.rank; d++)
		w.size[d] = size[d];
	find_depth(&w);
	if (!move_inside(l, &w) || !index_parts(l, &w, parts, &rank))
		return false;
	Value *y = fm_op2(l, core, x, join_parts(l, parts, w.depth, rank), NULL);
	return lg_become(l, OP_transpose, &y, 1, fm_attr(l, A_perm, lg_ints_attr(l, back, (size_t)out)));
}

/* ---- scatter ---- */

/* What the body does with the old element (argument 0) and the new one; NULL: something else. */
static const char *scatter_kind(const Op *op)
{
	const Block *b = op->nblocks == 1 ? op->blocks[0] : NULL;
	const Op *end = b ? b->last : NULL;
	Value *y = end && end->noperands == 1 && b->nargs == 2 ? op_operand(end, 0) : NULL;
	if (!y)
		return NULL;
	if (y == b->args[1])
		return "none";
	const Op *o = y->def;
	bool both = o && o->noperands == 2 && ((op_operand(o, 0) == b->args[0] && op_operand(o, 1) == b->args[1]) ||
		(op_operand(o, 0) == b->args[1] && op_operand(o, 1) == b->args[0]));
	if (!both)
		return NULL;
	switch (op_kind(o)) {
	case OP_add: return "add";
	case OP_mul: return "mul";
	case OP_max: return "max";
	case OP_min: return "min";
	default: return NULL;
	}
}

/* Places outside are left out: they go to a row of their own behind the first dimension, which is cut off afterwards.
 * NULL: all are certainly inside. */
static Value *is_inside(Lg *l, const Windows *w, Value *const *parts)
{
	Value *all = NULL;
	for (int d = 0; d < w->depth; d++) {
		size_t n;
		int64_t size = known_size(w, d);
		const int64_t *v = constant_ints(l->a, parts[d], 0, &n);
		bool inside = v != NULL || !w->corner[d];
		for (size_t i = 0; v && i < n; i++)
			inside &= v[i] >= 0 && v[i] < size;
		if (inside)
			continue;
		Value *low = fm_op2(l, OP_ge, parts[d], lg_const_int(l, 0), NULL);
		Value *high = fm_op2(l, OP_lt, parts[d], lg_const_int(l, size), NULL);
		Value *both = fm_op2(l, OP_and, low, high, NULL);
		all = all ? fm_op2(l, OP_and, all, both, NULL) : both;
	}
	return all;
}

bool form_scatter(Lg *l, OpKind core)
{
	Numbers n;
	Windows w;
	Op *op = l->op;
	const char *kind = op->noperands == 3 && op->nresults == 1 ? scatter_kind(op) : NULL;
	Value *x = lg_in(l, 0), *updates = kind ? lg_in(l, 2) : NULL, *parts[MAX_RANK];
	int64_t perm[MAX_RANK], back[MAX_RANK];
	int rank, ru = lg_rank(updates), k = 0;
	if (!kind || !numbers_of(op, A_scatter_dimension_numbers, &n) || ru < 0 || ru > MAX_RANK ||
		!windows_of(l, x, lg_in(l, 1), &n, &w) || !window_last(&n.window, ru, perm, back))
		return false;
	for (int d = 0; d < w.rank; d++)
		if (w.kept[d] && (k >= (int)n.window.n || !sym_const(updates->type->dims[n.window.v[k++]], &w.size[d])))
			w.size[d] = -1;
	for (int d = 0; d < w.rank; d++)
		if (w.corner[d] && known_size(&w, d) < 0)
			return false;
	find_depth(&w);
	if (known_size(&w, 0) < 0 || !index_parts(l, &w, parts, &rank))
		return false;
	updates = fm_op1(l, OP_transpose, updates, fm_attr(l, A_perm, lg_ints_attr(l, perm, (size_t)ru)));
	Value *inside = is_inside(l, &w, parts);
	int64_t rows = known_size(&w, 0), pads[2 * MAX_RANK] = { 0 }, zero = 0;
	for (int d = 0; inside && d < w.depth; d++)
		parts[d] = fm_op(l, OP_select, (Value *[]){ inside, parts[d], lg_const_int(l, d ? 0 : rows) }, 3, NULL);
	pads[w.rank] = 1;
	if (inside)
		x = fm_op2(l, OP_pad, x, lg_const_ints(l, pads, 2 * (size_t)w.rank), NULL);
	Value *in[3] = { x, join_parts(l, parts, w.depth, rank), updates };
	Value *y = fm_op(l, core, in, 3, fm_attr(l, A_reduction, lg_text(l, kind)));
	if (inside)
		y = fm_op(l, OP_slice, (Value *[]){ y, lg_const_ints(l, &zero, 1), lg_const_ints(l, &rows, 1) }, 3, NULL);
	return lg_replace(l, &y, 1);
}

/* ---- slices at places that the run computes ---- */

/* The places as a vector, moved inside. */
static Value *starts_of(Lg *l, Value *x, size_t first, const int64_t *size, size_t n)
{
	Value *start[MAX_RANK];
	int64_t one = 1;
	for (size_t i = 0; i < n; i++)
		start[i] = fm_reshape(l, fm_cast(l, lg_in(l, first + i), DT_I64), &one, 1);
	Value *v = n == 1 ? start[0] : fm_op(l, OP_concat, start, n, fm_attr(l, A_axis, lg_int(l, 0)));
	Value *most = fm_op2(l, OP_sub, fm_op1(l, OP_shape, x, NULL), lg_const_ints(l, size, n), NULL);
	return fm_op2(l, OP_min, fm_op2(l, OP_max, v, lg_const_int(l, 0), NULL), most, NULL);
}

bool form_dynamic_slice(Lg *l, OpKind core)
{
	const int64_t *size;
	Value *x = lg_in(l, 0);
	size_t n = op_attr_ints(l->op, A_slice_sizes, &size);
	if (n < 1 || n > MAX_RANK || lg_rank(x) != (int)n || l->op->noperands != n + 1)
		return false;
	Value *start = starts_of(l, x, 1, size, n);
	Value *in[3] = { x, start, fm_op2(l, OP_add, start, lg_const_ints(l, size, n), NULL) };
	return lg_become(l, core, in, 3, NULL);
}

bool form_update_slice(Lg *l, OpKind core)
{
	Value *x = lg_in(l, 0), *update = lg_in(l, 1), *parts[MAX_RANK];
	Windows w = { .rank = lg_rank(x) };
	int rank;
	if (w.rank < 1 || w.rank > MAX_RANK || lg_rank(update) != w.rank || l->op->noperands != (uint32_t)w.rank + 2)
		return false;
	for (int d = 0; d < w.rank; d++) {
		w.dims[d] = x->type->dims[d];
		w.kept[d] = true;
		if (w.dims[d] == update->type->dims[d])
			w.size[d] = -1; /* moved inside, it is the whole */
		else if (sym_const(update->type->dims[d], &w.size[d]))
			w.corner[d] = fm_cast(l, lg_in(l, 2 + (size_t)d), DT_I64);
		else
			return false;
	}
	find_depth(&w);
	if (!move_inside(l, &w) || !index_parts(l, &w, parts, &rank))
		return false;
	return lg_become(l, core, (Value *[]){ x, join_parts(l, parts, w.depth, rank), update }, 3, NULL);
}

/* ---- padding between elements ---- */

/* d elements with k behind each, less the last k: a dimension of its own for the gap. */
Value *fm_spread(Lg *l, Value *x, Value *fill, int at, int64_t gap)
{
	int64_t dims[MAX_RANK + 1], pads[2 * (MAX_RANK + 1)] = { 0 }, zero = 0, axis = at;
	int rank = lg_rank(x);
	if (rank + 1 > MAX_RANK || !type_static_dims(x->type, dims))
		return NULL;
	int64_t size = dims[at], whole = size * (gap + 1), end = whole ? whole - gap : 0;
	memmove(dims + at + 2, dims + at + 1, sizeof *dims * (size_t)(rank - at - 1));
	dims[at + 1] = 1;
	x = fm_reshape(l, x, dims, (size_t)rank + 1);
	pads[rank + 1 + at + 1] = gap;
	x = fm_op(l, OP_pad, (Value *[]){ x, lg_const_ints(l, pads, 2 * ((size_t)rank + 1)), fill }, 3, NULL);
	dims[at] = whole;
	memmove(dims + at + 1, dims + at + 2, sizeof *dims * (size_t)(rank - at - 1));
	x = fm_reshape(l, x, dims, (size_t)rank);
	Value *in[3] = { x, lg_const_ints(l, &zero, 1), lg_const_ints(l, &end, 1) };
	return fm_op(l, OP_slice, in, 3, fm_attr(l, A_axes, lg_ints_attr(l, &axis, 1)));
}

bool form_pad(Lg *l, OpKind core)
{
	const int64_t *low, *high, *gaps;
	Value *x = lg_in(l, 0), *fill = lg_in(l, 1);
	size_t n = op_attr_ints(l->op, A_edge_padding_low, &low), m = op_attr_ints(l->op, A_edge_padding_high, &high),
		k = op_attr_ints(l->op, A_interior_padding, &gaps);
	int64_t pads[2 * MAX_RANK];
	if (n != m || k != n || n < 1 || n > MAX_RANK || lg_rank(x) != (int)n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (gaps[i] > 0 && !(x = fm_spread(l, x, fill, (int)i, gaps[i])))
			return false;
		pads[i] = low[i];
		pads[n + i] = high[i];
	}
	return lg_become(l, core, (Value *[]){ x, lg_const_ints(l, pads, 2 * n), fill }, 3, NULL);
}

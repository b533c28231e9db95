/* Writing by index: scatter_elements, scatter_nd, tensor_scatter; and unique. */
#include "move.h"

#include <string.h>

/* ---- combining elements ---- */

typedef enum Combine { COMBINE_SET, COMBINE_ADD, COMBINE_MUL, COMBINE_MIN, COMBINE_MAX } Combine;

static bool combine_of(EvalCtx *e, const Op *op, const Tensor *x, Combine *c)
{
	static const char *const names[] = { "none", "add", "mul", "min", "max" };
	const char *name = op_text(op, A_reduction);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(name, names[i]))
			continue;
		*c = (Combine)i;
		DTypeClass k = dtype_class(x->dtype);
		if (*c != COMBINE_SET && (k == DC_STRING || k == DC_COMPLEX))
			return eval_unsupported(e, op, "reduction %s of %s", name, dtype_friendly_name(x->dtype));
		return true;
	}
	return eval_error(e, op, "reduction \"%s\" is none of none, add, mul, min, max", name);
}

/* As in the reductions: a NaN wins. */
static double combine_f64(Combine c, double a, double b)
{
	switch (c) {
	case COMBINE_ADD: return a + b;
	case COMBINE_MUL: return a * b;
	case COMBINE_MIN: return a != a ? a : b < a || b != b ? b : a;
	case COMBINE_MAX: return a != a ? a : b > a || b != b ? b : a;
	default: return b;
	}
}

static int64_t combine_i64(Combine c, DType d, int64_t a, int64_t b)
{
	bool less = d == DT_U64 ? (uint64_t)a < (uint64_t)b : a < b;
	switch (c) {
	case COMBINE_ADD: return d == DT_BOOL ? a | b : (int64_t)((uint64_t)a + (uint64_t)b);
	case COMBINE_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
	case COMBINE_MIN: return less ? a : b;
	case COMBINE_MAX: return less ? b : a;
	default: return b;
	}
}

/* y[at..at+n) combined with u[from..from+n). */
static void combine_row(Combine c, Tensor *y, int64_t at, const Tensor *u, int64_t from, int64_t n)
{
	if (c == COMBINE_SET) {
		memcpy(element_at(y, at), element_at(u, from), (size_t)n * tensor_elem_size(y));
		return;
	}
	for (int64_t i = 0; i < n; i++) {
		if (dtype_is_float(y->dtype))
			tensor_set_f64(y, at + i, combine_f64(c, tensor_get_f64(y, at + i), tensor_get_f64(u, from + i)));
		else
			tensor_set_i64(y, at + i, combine_i64(c, y->dtype, tensor_get_i64(y, at + i), tensor_get_i64(u, from + i)));
	}
}

static Tensor *tensor_copy(EvalCtx *e, const Tensor *x)
{
	Tensor *y = tensor_like(e, x);
	if (y && x->count)
		memcpy(y->data, x->data, (size_t)x->count * tensor_elem_size(x));
	return y;
}

static bool place(EvalCtx *e, const Op *op, int64_t i, int64_t n, int64_t *out)
{
	if (i < -n || i >= n)
		return eval_error(e, op, "index %lld is out of range for %lld elements", (long long)i, (long long)n);
	*out = i < 0 ? i + n : i;
	return true;
}

/* ---- scatter_elements ---- */

bool eval_scatter_elements(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *u = in[2];
	Combine c;
	int axis;
	if (!combine_of(e, op, x, &c) || !eval_axis(e, op, op_int(op, A_axis), x->rank, &axis))
		return false;
	if (in[1]->rank != x->rank || !tensor_same_shape(in[1], u) || u->dtype != x->dtype)
		return eval_error(e, op, "indices and updates do not fit the operand");
	for (int d = 0; d < x->rank; d++)
		if (d != axis && u->dims[d] > x->dims[d])
			return eval_error(e, op, "the indices exceed dimension %d of the operand", d);
	Tensor *index = eval_int64s(e, op, in[1], "indices");
	Tensor *y = out[0] = index ? tensor_copy(e, x) : NULL;
	bool ok = y != NULL;
	int64_t strides[MAX_RANK], own[MAX_RANK], k = 0;
	strides_of(x->rank, x->dims, strides);
	strides_of(u->rank, u->dims, own);
	for (int64_t i = 0; ok && i < u->count; i++) {
		int64_t at = 0;
		for (int d = 0; d < x->rank; d++)
			if (d != axis)
				at += i / own[d] % u->dims[d] * strides[d];
		ok = place(e, op, int64s_of(index)[i], x->dims[axis], &k);
		if (ok)
			combine_row(c, y, at + k * strides[axis], u, i, 1);
	}
	tensor_unref(index);
	return ok;
}

/* ---- scatter_nd ---- */

/* updates.dims = indices.dims[:-1] + x.dims[depth:] */
static bool updates_fit(const Tensor *x, const Tensor *it, const Tensor *u)
{
	if (it->rank < 1 || it->dims[it->rank - 1] > x->rank || u->dtype != x->dtype)
		return false;
	int depth = (int)it->dims[it->rank - 1], lead = it->rank - 1;
	bool ok = u->rank == lead + x->rank - depth;
	for (int d = 0; ok && d < u->rank; d++)
		ok = u->dims[d] == (d < lead ? it->dims[d] : x->dims[depth + d - lead]);
	return ok;
}

bool eval_scatter_nd(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *it = in[1], *u = in[2];
	Combine c;
	if (!combine_of(e, op, x, &c))
		return false;
	if (!updates_fit(x, it, u))
		return eval_error(e, op, "indices and updates do not fit the operand");
	Tensor *index = eval_int64s(e, op, in[1], "indices");
	Tensor *y = out[0] = index ? tensor_copy(e, x) : NULL;
	bool ok = y != NULL;
	int64_t depth = it->dims[it->rank - 1], strides[MAX_RANK], inner, tuples, k = 0;
	strides_of(x->rank, x->dims, strides);
	(void)dims_count(x->dims + depth, x->rank - (int)depth, &inner);
	(void)dims_count(it->dims, it->rank - 1, &tuples);
	for (int64_t i = 0; ok && i < tuples; i++) {
		int64_t at = 0;
		for (int64_t d = 0; ok && d < depth; d++) {
			ok = place(e, op, int64s_of(index)[i * depth + d], x->dims[d], &k);
			if (ok)
				at += k * strides[d];
		}
		if (ok && inner > 0)
			combine_row(c, y, at, u, i * inner, inner);
	}
	tensor_unref(index);
	return ok;
}

/* ---- tensor_scatter ---- */

/* update goes into a cache of shape [batch, ..., positions, ...] from write_indices[batch] on along the axis. */
bool eval_tensor_scatter(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *u = in[1];
	bool circular = !strcmp(op_text(op, A_mode), "circular");
	int axis;
	if (!eval_axis(e, op, op_int(op, A_axis), x->rank, &axis))
		return false;
	bool fits = axis > 0 && u->rank == x->rank && u->dtype == x->dtype;
	for (int d = 0; fits && d < x->rank; d++)
		fits = d == axis ? u->dims[d] <= x->dims[d] : u->dims[d] == x->dims[d];
	if (!fits)
		return eval_error(e, op, "the update does not fit the operand");
	bool placed = op->noperands > 2 && in[2];
	Tensor *first = placed ? eval_int64s(e, op, in[2], "write_indices") : NULL;
	if (placed && !first)
		return false;
	bool ok = !first || first->count == x->dims[0] || eval_error(e, op, "one write index a batch is needed");
	Tensor *y = out[0] = ok ? tensor_copy(e, x) : NULL;
	ok = y != NULL;
	int64_t n = x->dims[axis], m = u->dims[axis], inner, outer, per_batch;
	(void)dims_count(x->dims + axis + 1, x->rank - axis - 1, &inner);
	(void)dims_count(x->dims, axis, &outer);
	(void)dims_count(x->dims + 1, axis - 1, &per_batch);
	for (int64_t o = 0; ok && u->count > 0 && o < outer; o++) {
		int64_t start = first ? int64s_of(first)[o / per_batch] : 0;
		if (start < 0 || (circular ? false : start > n - m)) {
			ok = eval_error(e, op, "write index %lld is out of range", (long long)start);
			break;
		}
		for (int64_t s = 0; s < m; s++) {
			int64_t at = circular ? (start % n + s) % n : start + s;
			combine_row(COMBINE_SET, y, (o * n + at) * inner, u, (o * m + s) * inner, inner);
		}
	}
	tensor_unref(first);
	return ok;
}

/* ---- unique ---- */

bool infer_unique(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	int axis = -1;
	if (op_attr(op, A_axis) && type_has_rank(t) && !infer_axis(x, op, op_int(op, A_axis), t->rank, &axis))
		return false;
	const Sym *found = infer_unknown(x, op, 0, axis < 0 ? 0 : axis);
	if (op_attr(op, A_axis) && axis < 0) {
		infer_rank_unknown(x, op, t);
	} else if (axis < 0) {
		infer_result(x, op, 0, type_tensor(x->ctx, type_is_tensor(t) ? t->dtype : DT_NONE, 1, &found));
	} else {
		const Sym **dims = infer_dims_copy(x, t, 0);
		dims[axis] = found;
		infer_dims(x, op, 0, t, t->rank, dims);
	}
	const Sym *all = !type_has_rank(t) ? infer_unknown(x, op, 2, 0) : axis < 0 ? type_numel(x->ctx, t) : t->dims[axis];
	if (op_attr(op, A_axis) && axis < 0)
		found = infer_unknown(x, op, 1, 0);
	infer_result(x, op, 1, type_tensor(x->ctx, DT_I64, 1, &found));
	infer_result(x, op, 2, type_tensor(x->ctx, DT_I64, 1, &all));
	infer_result(x, op, 3, type_tensor(x->ctx, DT_I64, 1, &found));
	return true;
}

/* n rows of `width` elements, in order. */
typedef struct Rows {
	const Tensor *t;
	int64_t n, width;
} Rows;

static int order_numbers(double a, double b)
{
	if (a != a || b != b) /* NaN comes last and equals NaN */
		return (a != a) - (b != b);
	return (a > b) - (a < b);
}

static int order_elements(const Tensor *t, int64_t a, int64_t b)
{
	switch (dtype_class(t->dtype)) {
	case DC_FLOAT:
		return order_numbers(tensor_get_f64(t, a), tensor_get_f64(t, b));
	case DC_STRING: {
		const Str *s = ((const Str *const *)t->data)[a], *r = ((const Str *const *)t->data)[b];
		int c = memcmp(s->s, r->s, s->len < r->len ? s->len : r->len);
		return c ? c : (s->len > r->len) - (s->len < r->len);
	}
	default: {
		int64_t i = tensor_get_i64(t, a), k = tensor_get_i64(t, b);
		if (t->dtype == DT_U64)
			return ((uint64_t)i > (uint64_t)k) - ((uint64_t)i < (uint64_t)k);
		return (i > k) - (i < k);
	}
	}
}

static int order_rows(const Rows *r, int64_t a, int64_t b)
{
	for (int64_t i = 0; i < r->width; i++) {
		int c = order_elements(r->t, a * r->width + i, b * r->width + i);
		if (c)
			return c;
	}
	return 0;
}

/* Stable merge sort of row numbers, bottom up. The result is in `v`; `tmp` is as long. */
static void sort_rows(const Rows *r, int64_t *v, int64_t *tmp)
{
	for (int64_t width = 1; width < r->n; width *= 2) {
		for (int64_t lo = 0; lo < r->n; lo += 2 * width) {
			int64_t mid = lo + width < r->n ? lo + width : r->n, hi = lo + 2 * width < r->n ? lo + 2 * width : r->n;
			int64_t a = lo, b = mid;
			for (int64_t i = lo; i < hi; i++)
				tmp[i] = b >= hi || (a < mid && order_rows(r, v[a], v[b]) <= 0) ? v[a++] : v[b++];
		}
		memcpy(v, tmp, (size_t)r->n * sizeof(*v));
	}
}

typedef struct Groups {
	Tensor *first, *inverse, *counts; /* of n entries; only `found` of first and counts are used */
	int64_t found;
} Groups;

/* Numbers the groups of equal rows in sorted order, or by first appearance. */
static bool group_rows(EvalCtx *e, const Rows *r, bool sorted, Groups *g)
{
	Tensor *order = tensor_new(e, DT_I64, 1, &r->n), *tmp = tensor_new(e, DT_I64, 1, &r->n);
	g->first = tensor_new(e, DT_I64, 1, &r->n);
	g->inverse = tensor_new(e, DT_I64, 1, &r->n);
	g->counts = tensor_new(e, DT_I64, 1, &r->n);
	bool ok = order && tmp && g->first && g->inverse && g->counts;
	if (ok) {
		int64_t *v = order->data, *head = tmp->data;
		int64_t *first = g->first->data, *inverse = g->inverse->data, *counts = g->counts->data;
		for (int64_t i = 0; i < r->n; i++)
			v[i] = i;
		sort_rows(r, v, tmp->data);
		for (int64_t i = 0; i < r->n; i++) /* head[row]: the first row equal to it */
			head[v[i]] = i && order_rows(r, v[i - 1], v[i]) == 0 ? head[v[i - 1]] : v[i];
		g->found = 0;
		for (int64_t i = 0; i < r->n; i++) { /* heads first, in the order of the result */
			int64_t row = sorted ? v[i] : i;
			if (head[row] != row)
				continue;
			first[g->found] = row;
			inverse[row] = g->found++;
		}
		for (int64_t row = 0; row < r->n; row++) {
			inverse[row] = inverse[head[row]];
			counts[inverse[row]]++;
		}
	}
	tensor_unref(order);
	tensor_unref(tmp);
	return ok;
}

static Tensor *shortened(EvalCtx *e, Tensor *t, int64_t n)
{
	Tensor *r = tensor_new(e, DT_I64, 1, &n);
	if (r && n)
		memcpy(r->data, t->data, (size_t)n * sizeof(int64_t));
	return r;
}

/* The operand with `axis` in front, so that the things compared are rows; `axis` < 0: single elements. */
static Tensor *axis_first(EvalCtx *e, Tensor *x, int axis)
{
	int64_t dims[MAX_RANK], strides[MAX_RANK], step[MAX_RANK];
	if (axis <= 0)
		return tensor_ref(x);
	strides_of(x->rank, x->dims, strides);
	dims[0] = x->dims[axis];
	step[0] = strides[axis];
	for (int d = 0, to = 1; d < x->rank; d++) {
		if (d == axis)
			continue;
		dims[to] = x->dims[d];
		step[to++] = strides[d];
	}
	Tensor *r = tensor_new(e, x->dtype, x->rank, dims);
	if (r)
		move_strided(r, x, 0, step);
	return r;
}

static Tensor *unique_values(EvalCtx *e, const Tensor *x, int axis, const Groups *g)
{
	int64_t dims[MAX_RANK], outer = 1, inner = 1, n = axis < 0 ? x->count : x->dims[axis];
	memcpy(dims, x->dims, sizeof dims);
	dims[axis < 0 ? 0 : axis] = g->found;
	Tensor *y = tensor_new(e, x->dtype, axis < 0 ? 1 : x->rank, dims);
	if (!y || y->count == 0)
		return y;
	if (axis >= 0) {
		(void)dims_count(x->dims, axis, &outer);
		(void)dims_count(x->dims + axis + 1, x->rank - axis - 1, &inner);
	}
	for (int64_t o = 0; o < outer; o++)
		for (int64_t k = 0; k < g->found; k++)
			memcpy(element_at(y, (o * g->found + k) * inner),
				element_at(x, (o * n + int64s_of(g->first)[k]) * inner), (size_t)inner * tensor_elem_size(x));
	return y;
}

bool eval_unique(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0];
	int axis = -1;
	if (dtype_class(x->dtype) == DC_COMPLEX)
		return eval_unsupported(e, op, "unique elements of %s", dtype_friendly_name(x->dtype));
	if (op_attr(op, A_axis) && !eval_axis(e, op, op_int(op, A_axis), x->rank, &axis))
		return false;
	Tensor *front = axis_first(e, x, axis);
	if (!front)
		return false;
	Rows r = { front, axis < 0 ? x->count : x->dims[axis], 1 };
	if (axis >= 0)
		(void)dims_count(front->dims + 1, front->rank - 1, &r.width);
	Groups g = { 0 };
	bool ok = group_rows(e, &r, op_int(op, A_sorted) != 0, &g);
	if (ok) {
		out[0] = unique_values(e, x, axis, &g);
		ok = out[0] != NULL;
		if (op->nresults > 1)
			ok &= (out[1] = shortened(e, g.first, g.found)) != NULL;
		if (op->nresults > 2)
			out[2] = tensor_ref(g.inverse);
		if (op->nresults > 3)
			ok &= (out[3] = shortened(e, g.counts, g.found)) != NULL;
	}
	tensor_unref(g.first);
	tensor_unref(g.inverse);
	tensor_unref(g.counts);
	tensor_unref(front);
	return ok;
}

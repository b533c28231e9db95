/* Parts and wholes: expand, concat, split, slice. */
#include "move.h"
#include "ops/label.h"

#include <string.h>

/* ---- expand ---- */

/* Without the elements of the shape, a size other than 1 of the operand still decides. */
bool infer_expand(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const Elems *e = infer_elems(x, op_operand(op, 1));
	int64_t n = e ? e->n : infer_length(op_operand(op, 1));
	if (!type_has_rank(t) || n < 0 || n > INT16_MAX) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	int rank = t->rank > (int)n ? t->rank : (int)n;
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, rank + 1), *one = sym_int(x->ctx, 1);
	bool ok = true;
	for (int d = 0; d < rank; d++) {
		int own = d - (rank - t->rank), asked = d - (rank - (int)n);
		const Sym *a = own >= 0 ? t->dims[own] : one;
		const Sym *b = asked < 0 ? one : e ? e->v[asked] : NULL;
		int64_t v;
		if (b && sym_const(b, &v) && v < 0)
			return infer_error(x, op, "size %lld of dimension %d is negative", (long long)v, asked);
		if (b)
			dims[d] = infer_broadcast_dim(x, op, a, b, &ok);
		else
			dims[d] = sym_known_ne(x->ctx, a, one) ? a : infer_unknown(x, op, 0, d);
	}
	if (!ok)
		return infer_error(x, op, "the operand does not broadcast to the requested shape");
	infer_dims(x, op, 0, t, rank, dims);
	return true;
}

bool eval_expand(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int64_t asked[MAX_RANK], dims[MAX_RANK], strides[MAX_RANK], step[MAX_RANK];
	int n;
	if (!eval_dims(e, op, in[1], "shape", asked, &n))
		return false;
	int rank = x->rank > n ? x->rank : n;
	strides_of(x->rank, x->dims, strides);
	for (int d = 0; d < rank; d++) {
		int own = d - (rank - x->rank), from = d - (rank - n);
		int64_t a = own >= 0 ? x->dims[own] : 1, b = from >= 0 ? asked[from] : 1;
		if (b < 0 || (a != b && a != 1 && b != 1))
			return eval_error(e, op, "size %lld of dimension %d cannot become %lld", (long long)a, d, (long long)b);
		dims[d] = a == 1 ? b : a;
		step[d] = a == 1 ? 0 : strides[own];
	}
	if (rank == x->rank && !memcmp(dims, x->dims, (size_t)rank * sizeof(*dims))) {
		out[0] = tensor_ref(in[0]);
		return true;
	}
	out[0] = tensor_new(e, x->dtype, rank, dims);
	if (out[0])
		move_strided(out[0], x, 0, step);
	return out[0] != NULL;
}

/* ---- concat ---- */

static bool concat_dims(InferCtx *x, const Op *op, const Type *t, int axis, const Sym **dims)
{
	for (int d = 0; d < t->rank; d++) {
		bool ok = true;
		if (d == axis)
			dims[d] = dims[d] ? sym_add(x->ctx, dims[d], t->dims[d]) : t->dims[d];
		else
			dims[d] = dims[d] ? infer_same_dim(x, dims[d], t->dims[d], &ok) : t->dims[d];
		if (!ok)
			return infer_error(x, op, "operands differ in dimension %d", d);
	}
	return true;
}

/* Operands of unknown rank leave the size of the axis open; the others tell the rest. */
bool infer_concat(InferCtx *x, Op *op)
{
	const Type *known = NULL;
	DType dtype = DT_NONE;
	bool open = false;
	for (size_t i = 0; i < op->noperands; i++) {
		const Type *t = op_operand(op, i) ? op_operand(op, i)->type : NULL;
		if (type_is_tensor(t) && dtype == DT_NONE)
			dtype = t->dtype;
		if (!type_has_rank(t)) {
			open = true;
			continue;
		}
		if (known && known->rank != t->rank)
			return infer_error(x, op, "operands have ranks %d and %d", known->rank, t->rank);
		known = known ? known : t;
	}
	if (!known) {
		infer_result(x, op, 0, type_unranked(x->ctx, dtype));
		return true;
	}
	int axis;
	if (!infer_axis(x, op, op_int(op, A_axis), known->rank, &axis))
		return false;
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, known->rank + 1);
	for (size_t i = 0; i < op->noperands; i++) {
		const Type *t = op_operand(op, i) ? op_operand(op, i)->type : NULL;
		if (type_has_rank(t) && !concat_dims(x, op, t, axis, dims))
			return false;
	}
	if (open)
		dims[axis] = infer_unknown(x, op, 0, axis);
	infer_dims(x, op, 0, known, known->rank, dims);
	return true;
}

bool eval_concat(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int axis;
	if (op->noperands == 0)
		return eval_error(e, op, "nothing to concatenate");
	if (!eval_axis(e, op, op_int(op, A_axis), in[0]->rank, &axis))
		return false;
	int64_t dims[MAX_RANK];
	memcpy(dims, in[0]->dims, sizeof dims);
	dims[axis] = 0;
	for (size_t i = 0; i < op->noperands; i++) {
		bool fits = in[i]->rank == in[0]->rank && in[i]->dtype == in[0]->dtype;
		for (int d = 0; fits && d < in[0]->rank; d++)
			fits = d == axis || in[i]->dims[d] == dims[d];
		if (!fits || !add_ok(dims[axis], in[i]->dims[axis], &dims[axis]))
			return eval_error(e, op, "%s has another type or shape than the first", op_operand_said(e, op, i));
	}
	Tensor *y = out[0] = tensor_new(e, in[0]->dtype, in[0]->rank, dims);
	if (!y)
		return false;
	int64_t outer, inner;
	if (!dims_count(dims, axis, &outer) || !dims_count(dims + axis + 1, y->rank - axis - 1, &inner) || y->count == 0)
		return y->count == 0;
	int64_t row = dims[axis] * inner, at = 0;
	size_t size = tensor_elem_size(y);
	for (size_t i = 0; i < op->noperands; i++) {
		int64_t part = in[i]->dims[axis] * inner;
		for (int64_t o = 0; part && o < outer; o++)
			memcpy(element_at(y, o * row + at), element_at(in[i], o * part), (size_t)part * size);
		at += part;
	}
	return true;
}

/* ---- split ---- */

/* Size of part i when nothing is said: equal ones, the last smaller; with few elements the last ones are empty. */
static const Sym *equal_part(InferCtx *x, const Sym *dim, size_t i, size_t n)
{
	const Sym *part = sym_ceildiv(x->ctx, dim, sym_int(x->ctx, (int64_t)n));
	const Sym *before = sym_mul(x->ctx, part, sym_int(x->ctx, (int64_t)n - 1));
	int64_t size, each;
	if (sym_const(dim, &size) && sym_const(part, &each)) {
		int64_t taken;
		int64_t left = mul_ok(each, (int64_t)i, &taken) && taken < size ? size - taken : 0;
		return sym_int(x->ctx, left < each ? left : each);
	}
	if (i + 1 < n || sym_mul(x->ctx, part, sym_int(x->ctx, (int64_t)n)) == dim)
		return part;
	const Sym *last = sym_sub(x->ctx, dim, before);
	return sym_nonneg(last) ? last : sym_max(x->ctx, last, sym_int(x->ctx, 0));
}

bool infer_split(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const Value *sizes = op_operand(op, 1);
	const Elems *e = infer_elems(x, sizes);
	int axis;
	if (!type_has_rank(t)) {
		for (size_t i = 0; i < op->nresults; i++)
			infer_result(x, op, i, type_unranked(x->ctx, type_is_tensor(t) ? t->dtype : DT_NONE));
		return true;
	}
	if (!infer_axis(x, op, op_int(op, A_axis), t->rank, &axis))
		return false;
	if (e && e->n != op->nresults)
		return infer_error(x, op, "%lld sizes for %d results", (long long)e->n, op->nresults);
	const Sym **dims = infer_dims_copy(x, t, 0), *sum = sym_int(x->ctx, 0);
	int64_t total, want;
	for (size_t i = 0; i < op->nresults; i++) {
		bool guess = sizes && (!e || sym_is_unknown(e->v[i]));
		dims[axis] = guess ? infer_unknown(x, op, i, axis) : sizes ? e->v[i] : equal_part(x, t->dims[axis], i, op->nresults);
		sum = sym_add(x->ctx, sum, dims[axis]);
		infer_dims(x, op, i, t, t->rank, dims);
	}
	if (sizes && sym_const(sum, &total) && sym_const(t->dims[axis], &want) && total != want)
		return infer_error(x, op, "the sizes sum to %lld, not %lld", (long long)total, (long long)want);
	return true;
}

/* Size of part i; false + diagnostic. */
static bool part_size(EvalCtx *e, const Op *op, const Tensor *sizes, int64_t dim, size_t i, int64_t *size)
{
	int64_t n = op->nresults;
	if (sizes) {
		if (!dtype_is_integer(sizes->dtype) || sizes->count != n)
			return eval_error(e, op, "%lld sizes for %lld results", (long long)sizes->count, (long long)n);
		*size = tensor_get_i64(sizes, (int64_t)i);
		return true;
	}
	int64_t part = dim / n + (dim % n != 0), left = dim - part * (int64_t)i;
	*size = left < 0 ? 0 : left < part ? left : part;
	return true;
}

bool eval_split(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int axis;
	if (!eval_axis(e, op, op_int(op, A_axis), x->rank, &axis))
		return false;
	int64_t dims[MAX_RANK], strides[MAX_RANK], at = 0;
	memcpy(dims, x->dims, sizeof dims);
	strides_of(x->rank, x->dims, strides);
	for (size_t i = 0; i < op->nresults; i++) {
		if (!part_size(e, op, op->noperands > 1 ? in[1] : NULL, x->dims[axis], i, &dims[axis]))
			return false;
		if (dims[axis] < 0 || dims[axis] > x->dims[axis] - at)
			return eval_error(e, op, "part %zu of size %lld does not fit in %lld", i, (long long)dims[axis],
				(long long)(x->dims[axis] - at));
		if (!(out[i] = tensor_new(e, x->dtype, x->rank, dims)))
			return false;
		move_strided(out[i], x, at * strides[axis], strides);
		at += dims[axis];
	}
	if (at != x->dims[axis])
		return eval_error(e, op, "the sizes sum to %lld, not %lld", (long long)at, (long long)x->dims[axis]);
	return true;
}

/* ---- slice ---- */

#define FAR 2147483647 /* exporters write "to the end" as the largest int32 or int64 */

/* A start or end counted from the front, within [low, dim + high]; NULL when its sign is not known. */
static const Sym *clamp_position(Context *c, const Sym *p, const Sym *dim, int64_t low, int64_t high)
{
	int64_t v;
	const Sym *first = sym_int(c, low), *last = sym_add(c, dim, sym_int(c, high));
	if (sym_const(p, &v)) {
		if (v >= FAR)
			return last;
		if (v <= -FAR)
			return first;
	}
	if (sym_nonneg(p)) {
		if (sym_known_le(c, p, last))
			return p;
		return sym_known_le(c, last, p) ? last : sym_min(c, p, last);
	}
	if (sym_upper(p) < 0) {
		const Sym *q = sym_add(c, p, dim);
		if (q == last || sym_known_le(c, first, q))
			return q;
		q = sym_max(c, q, first);
		return sym_known_le(c, first, last) ? q : sym_min(c, q, last);
	}
	return NULL;
}

/* Size of a sliced dim; NULL when it cannot be told. */
static const Sym *sliced_dim(Context *c, const Sym *dim, const Sym *start, const Sym *end, const Sym *step)
{
	int64_t by;
	if (!sym_const(step, &by) || by == 0 || by == INT64_MIN)
		return NULL;
	const Sym *s, *t, *span, *zero = sym_int(c, 0);
	bool whole;
	if (by > 0) {
		s = clamp_position(c, start, dim, 0, 0);
		t = clamp_position(c, end, dim, 0, 0);
		if (!s || !t)
			return NULL;
		span = sym_sub(c, t, s);
		if (t == dim && s != zero && sym_upper(start) < 0) /* the last few */
			span = sym_min(c, dim, sym_neg(c, start));
		whole = t == dim || s == zero;
	} else {
		s = clamp_position(c, start, dim, 0, -1);
		t = clamp_position(c, end, dim, -1, -1);
		if (!s || !t)
			return NULL;
		span = sym_sub(c, s, t);
		whole = sym_is(t, -1) && s == sym_sub(c, dim, sym_int(c, 1));
		by = -by;
	}
	const Sym *n = sym_ceildiv(c, span, sym_int(c, by));
	return whole || sym_nonneg(n) ? n : sym_max(c, n, zero);
}

static bool sliced_axis(InferCtx *x, const Op *op, size_t i, int rank, int *d)
{
	const int64_t *axes;
	if (!op_attr(op, A_axes)) {
		*d = (int)i;
		return *d < rank || infer_error(x, op, "more starts than the %d dimensions", rank);
	}
	op_attr_ints(op, A_axes, &axes);
	return infer_axis(x, op, axes[i], rank, d);
}

bool infer_slice(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const Elems *start = infer_elems(x, op_operand(op, 1)), *end = infer_elems(x, op_operand(op, 2));
	const Elems *step = infer_elems(x, op_operand(op, 3));
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	if (!type_has_rank(t)) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	const Sym **dims = infer_dims_copy(x, t, 0);
	if (!op_attr(op, A_axes)) {
		int64_t length = start ? start->n : end ? end->n : infer_length(op_operand(op, 1));
		n = length < 0 || length > t->rank ? (size_t)t->rank : (size_t)length;
	}
	for (size_t i = 0; i < n; i++) {
		int d;
		int64_t number;
		if (!sliced_axis(x, op, i, t->rank, &d))
			return false;
		if (step && (int64_t)i < step->n && sym_const(step->v[i], &number) && number == 0)
			return infer_error(x, op, "step %zu is 0", i);
		bool known = start && end && (int64_t)i < start->n && (int64_t)i < end->n &&
			(!op_operand(op, 3) || (step && (int64_t)i < step->n));
		const Sym *s = known ? sliced_dim(x->ctx, t->dims[d], start->v[i], end->v[i],
			step ? step->v[i] : sym_int(x->ctx, 1)) : NULL;
		dims[d] = s && !sym_is_unknown(s) ? s : s == t->dims[d] ? s : infer_unknown(x, op, 0, d);
	}
	infer_dims(x, op, 0, t, t->rank, dims);
	return true;
}

/* One dim of a slice as first position, step and count. */
static void slice_range(int64_t dim, int64_t start, int64_t end, int64_t step, int64_t *first, int64_t *count)
{
	int64_t low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;
	int64_t s = start < 0 ? (start < -dim ? -1 : start + dim) : start;
	int64_t t = end < 0 ? (end < -dim ? -1 : end + dim) : end;
	s = s < 0 ? 0 : s > high ? high : s;
	t = t < low ? low : t > high ? high : t;
	*first = s;
	*count = 0;
	if (dim == 0)
		return;
	if (step > 0 && t > s)
		*count = (t - s - 1) / step + 1;
	else if (step < 0 && s > t)
		*count = (int64_t)(((uint64_t)(s - t) - 1) / (0 - (uint64_t)step)) + 1;
}

bool eval_slice(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int64_t starts[MAX_RANK], ends[MAX_RANK], steps[MAX_RANK], dims[MAX_RANK], strides[MAX_RANK], base = 0;
	int n, m, k;
	bool seen[MAX_RANK] = { false };
	const int64_t *axes;
	if (!eval_dims(e, op, in[1], "starts", starts, &n) || !eval_dims(e, op, in[2], "ends", ends, &m))
		return false;
	bool stepped = op->noperands > 3 && in[3];
	k = n;
	if (stepped && !eval_dims(e, op, in[3], "steps", steps, &k))
		return false;
	size_t naxes = op_attr_ints(op, A_axes, &axes);
	if (m != n || k != n || (op_attr(op, A_axes) && naxes != (size_t)n) || n > x->rank)
		return eval_error(e, op, "%d starts, %d ends and %d steps do not fit together", n, m, k);
	memcpy(dims, x->dims, sizeof dims);
	strides_of(x->rank, x->dims, strides);
	for (int i = 0; i < n; i++) {
		int d;
		int64_t first, step = stepped ? steps[i] : 1;
		if (!eval_axis(e, op, op_attr(op, A_axes) ? axes[i] : i, x->rank, &d))
			return false;
		if (seen[d])
			return eval_error(e, op, "axis %d is given twice", d);
		if (step == 0)
			return eval_error(e, op, "the step of axis %d is 0", d);
		seen[d] = true;
		slice_range(x->dims[d], starts[i], ends[i], step, &first, &dims[d]);
		if (dims[d] > 0)
			base += first * strides[d];
		strides[d] = dims[d] > 1 ? strides[d] * step : 0; /* a step may be far larger than the dim */
	}
	out[0] = tensor_new(e, x->dtype, x->rank, dims);
	if (out[0])
		move_strided(out[0], x, base, strides);
	return out[0] != NULL;
}

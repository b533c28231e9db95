/* Constants, identities, and what turns shapes into data. */
#include "move.h"

#include <math.h>
#include <string.h>

/* ---- helpers of the families (move.h) ---- */

void move_element(void *dst, const void *src, size_t size)
{
	switch (size) {
	case 1: memcpy(dst, src, 1); return;
	case 2: memcpy(dst, src, 2); return;
	case 4: memcpy(dst, src, 4); return;
	case 8: memcpy(dst, src, 8); return;
	default: memcpy(dst, src, size); return;
	}
}

/* Copies n elements with element steps in bytes. */
static void move_row(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n, size_t size)
{
	if (dst_step == (int64_t)size && src_step == (int64_t)size) {
		memcpy(dst, src, (size_t)n * size);
		return;
	}
	for (int64_t i = 0; i < n; i++)
		move_element(dst + i * dst_step, src + i * src_step, size);
}

/* Walks the dims of `dense` in order; `other` is at base + sum(index * step). The innermost dim is one row. */
static void move_walk(char *dense, char *other, const Tensor *shape, int64_t base, const int64_t *step, bool to_dense)
{
	size_t size = tensor_elem_size(shape);
	int64_t bytes = (int64_t)size, index[MAX_RANK] = { 0 };
	int last = shape->rank - 1;
	if (shape->count == 0)
		return;
	if (shape->rank == 0) {
		other += base * bytes;
		move_element(to_dense ? dense : other, to_dense ? other : dense, size);
		return;
	}
	int64_t row = shape->dims[last], at = base;
	for (int64_t done = 0;;) {
		if (to_dense)
			move_row(dense + done * bytes, bytes, other + at * bytes, step[last] * bytes, row, size);
		else
			move_row(other + at * bytes, step[last] * bytes, dense + done * bytes, bytes, row, size);
		done += row;
		if (done >= shape->count)
			return;
		for (int d = last - 1; d >= 0; d--) {
			at += step[d];
			if (++index[d] < shape->dims[d])
				break;
			at -= step[d] * shape->dims[d];
			index[d] = 0;
		}
	}
}

void move_strided(Tensor *y, const Tensor *x, int64_t base, const int64_t *step)
{
	move_walk(y->data, x->data, y, base, step, true);
}

void move_scatter(Tensor *y, int64_t base, const int64_t *step, const Tensor *x)
{
	move_walk(x->data, y->data, x, base, step, false);
}

Tensor *eval_int64s(EvalCtx *e, const Op *op, Tensor *t, const char *what)
{
	if (!t || t->kind != TYPE_TENSOR || !dtype_is_integer(t->dtype)) {
		eval_error(e, op, "%s must be an integer tensor", what);
		return NULL;
	}
	if (t->dtype == DT_I64)
		return tensor_ref(t);
	Tensor *r = tensor_new(e, DT_I64, t->rank, t->dims);
	if (r)
		tensor_load_i64(t, 0, t->count, r->data);
	return r;
}

bool eval_dims(EvalCtx *e, const Op *op, const Tensor *t, const char *what, int64_t *dims, int *rank)
{
	int64_t n = t && t->rank <= 1 ? tensor_ints(t, dims, MAX_RANK) : -1;
	if (n < 0)
		return eval_error(e, op, "%s must be an integer vector of at most %d elements", what, MAX_RANK);
	*rank = (int)n;
	return true;
}

bool eval_axis(EvalCtx *e, const Op *op, int64_t axis, int rank, int *out)
{
	if (axis_norm(axis, rank, out))
		return true;
	return eval_error(e, op, "axis %lld is out of range for rank %d", (long long)axis, rank);
}

bool eval_axes(EvalCtx *e, const Op *op, int rank, bool absent_all, bool *mask)
{
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	for (int d = 0; d < rank; d++)
		mask[d] = absent_all && !op_attr(op, A_axes);
	for (size_t i = 0; i < n; i++) {
		int d;
		if (!eval_axis(e, op, axes[i], rank, &d))
			return false;
		if (mask[d])
			return eval_error(e, op, "axis %d is given twice", d);
		mask[d] = true;
	}
	return true;
}

bool infer_axis(InferCtx *x, const Op *op, int64_t axis, int rank, int *out)
{
	if (axis_norm(axis, rank, out))
		return true;
	return infer_error(x, op, "axis %lld is out of range for rank %d", (long long)axis, rank);
}

const Sym *infer_same_dim(InferCtx *x, const Sym *a, const Sym *b, bool *ok)
{
	int64_t va, vb;
	bool ka = sym_const(a, &va), kb = sym_const(b, &vb);
	(void)x;
	if (a == b || (ka && !kb))
		return a;
	if (kb && !ka)
		return b;
	if (ka && kb) {
		*ok = false;
		return a;
	}
	return infer_is_vague(a) && !infer_is_vague(b) ? b : a;
}

const Sym **infer_dims_copy(InferCtx *x, const Type *t, int extra)
{
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + extra + 1);
	if (t->rank > 0)
		memcpy(dims, t->dims, (size_t)t->rank * sizeof(*dims));
	return dims;
}

void infer_rank_unknown(InferCtx *x, Op *op, const Type *t)
{
	infer_result(x, op, 0, type_unranked(x->ctx, type_is_tensor(t) ? t->dtype : DT_NONE));
}

void infer_dims(InferCtx *x, Op *op, size_t i, const Type *t, int rank, const Sym *const *dims)
{
	Type r = { .kind = TYPE_TENSOR, .dtype = t->dtype, .rank = rank, .dims = dims, .text = t->text };
	infer_result(x, op, i, type_make(x->ctx, r));
}

int64_t infer_length(const Value *v)
{
	int64_t n;
	if (!v || !type_has_rank(v->type) || v->type->rank != 1 || !sym_const(v->type->dims[0], &n))
		return -1;
	return n;
}

/* ---- constant, identity ---- */

bool infer_constant(InferCtx *x, Op *op)
{
	const Attr *a = op_constant_attr(op);
	if (a && a->kind == ATTR_TENSOR)
		infer_result(x, op, 0, a->u.tensor.type);
	return true;
}

bool eval_identity(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)e;
	(void)op;
	out[0] = tensor_ref(in[0]);
	return true;
}

/* ---- fill ---- */

/* Dims that a shape operand asks for; an unknown element is an unknown size. NULL when the rank is unknown. */
static const Sym **dims_from_shape(InferCtx *x, const Op *op, const Value *shape, int *rank)
{
	const Elems *e = infer_elems(x, shape);
	int64_t n = e ? e->n : infer_length(shape);
	if (n < 0 || n > INT16_MAX)
		return NULL;
	*rank = (int)n;
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, n + 1);
	for (int d = 0; d < *rank; d++)
		dims[d] = e && !sym_is_unknown(e->v[d]) ? e->v[d] : infer_unknown(x, op, 0, d);
	return dims;
}

bool infer_fill(InferCtx *x, Op *op)
{
	const Attr *value = op_attr(op, A_value);
	DType d = value && value->kind == ATTR_TENSOR ? value->u.tensor.type->dtype : DT_F32;
	int rank = 0;
	const Sym **dims = dims_from_shape(x, op, op_operand(op, 0), &rank);
	if (!dims) {
		infer_result(x, op, 0, type_unranked(x->ctx, d));
		return true;
	}
	for (int i = 0; i < rank; i++) {
		int64_t v;
		if (sym_const(dims[i], &v) && v < 0)
			return infer_error(x, op, "size %lld of dimension %d is negative", (long long)v, i);
	}
	infer_result(x, op, 0, type_tensor(x->ctx, d, rank, dims));
	return true;
}

bool eval_fill(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Attr *value = op_attr(op, A_value);
	int64_t dims[MAX_RANK];
	int rank = 0;
	if (!eval_dims(e, op, in[0], "shape", dims, &rank))
		return false;
	Tensor *v = NULL;
	if (value) {
		if (value->kind != ATTR_TENSOR || !(v = tensor_from_attr(e, value)))
			return eval_error(e, op, "value is not a tensor");
		if (v->count != 1) {
			long long count = v->count;
			tensor_unref(v);
			return eval_error(e, op, "value has %lld elements, not 1", count);
		}
	}
	Tensor *y = out[0] = tensor_new(e, v ? v->dtype : DT_F32, rank, dims);
	if (y && v) {
		int64_t step[MAX_RANK] = { 0 };
		move_strided(y, v, 0, step);
	}
	tensor_unref(v);
	return y != NULL;
}

/* ---- range ---- */

/* Number of elements of a range of doubles, the same formula as at run time; -1 when it has none. */
static int64_t range_count_f64(double start, double limit, double delta)
{
	double n = ceil((limit - start) / delta);
	if (!(n > 0))
		return n == n ? 0 : -1;
	return n < 9007199254740992.0 ? (int64_t)n : -1;
}

/* Exact for every int64 start, limit and delta != 0. */
static int64_t range_count_i64(int64_t start, int64_t limit, int64_t delta)
{
	if (delta > 0 ? start >= limit : start <= limit)
		return 0;
	uint64_t span = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
	uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
	uint64_t n = span / step + (span % step != 0);
	return n <= INT64_MAX ? (int64_t)n : -1;
}

static const Sym *range_size(InferCtx *x, const Op *op)
{
	const Elems *part[3];
	double f[3];
	bool floats = true;
	for (size_t i = 0; i < 3; i++)
		floats = floats && constant_float(op_operand(op, i), &f[i]);
	if (floats && dtype_is_float(op_operand(op, 0)->type->dtype)) {
		int64_t n = f[2] == 0 ? -1 : range_count_f64(f[0], f[1], f[2]);
		return n >= 0 ? sym_int(x->ctx, n) : NULL;
	}
	for (size_t i = 0; i < 3; i++)
		if (!(part[i] = infer_elems(x, op_operand(op, i))) || part[i]->n != 1)
			return NULL;
	int64_t delta;
	if (!sym_const(part[2]->v[0], &delta) || delta == 0)
		return NULL;
	const Sym *span = sym_sub(x->ctx, part[1]->v[0], part[0]->v[0]);
	if (sym_is_unknown(span))
		return NULL;
	const Sym *n = sym_ceildiv(x->ctx, span, part[2]->v[0]);
	return sym_nonneg(n) ? n : sym_max(x->ctx, n, sym_int(x->ctx, 0));
}

bool infer_range(InferCtx *x, Op *op)
{
	DType d = DT_NONE;
	for (size_t i = 0; i < 3 && d == DT_NONE; i++)
		if (op_operand(op, i))
			d = op_operand(op, i)->type->dtype;
	const Sym *n = range_size(x, op);
	const Sym *dim = n ? n : infer_unknown(x, op, 0, 0);
	infer_result(x, op, 0, type_tensor(x->ctx, d, 1, &dim));
	const Elems *start = infer_elems(x, op_operand(op, 0)), *delta = infer_elems(x, op_operand(op, 2));
	int64_t count;
	if (!n || !sym_const(n, &count) || count > x->max_elems || !start || !delta || !dtype_is_integer(d))
		return true;
	const Sym **v = NEW_ARRAY(x->arena, const Sym *, count + 1);
	for (int64_t i = 0; i < count; i++)
		v[i] = sym_add(x->ctx, start->v[0], sym_mul(x->ctx, sym_int(x->ctx, i), delta->v[0]));
	Elems *e = NEW(x->arena, Elems);
	*e = (Elems){ count, v };
	infer_set_elems(x, op->results[0], e);
	return true;
}

bool eval_range(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	DType d = in[0]->dtype;
	for (int i = 0; i < 3; i++)
		if (in[i]->count != 1 || in[i]->dtype != d || !(dtype_is_float(d) || dtype_is_integer(d)))
			return eval_error(e, op, "start, limit and delta must be single numbers of one type");
	if (dtype_is_float(d)) {
		double start = tensor_get_f64(in[0], 0), limit = tensor_get_f64(in[1], 0), delta = tensor_get_f64(in[2], 0);
		int64_t n = delta == 0 ? -1 : range_count_f64(start, limit, delta);
		if (n < 0)
			return eval_error(e, op, "a range from %g to %g by %g has no length", start, limit, delta);
		if (!(out[0] = tensor_new(e, d, 1, &n)))
			return false;
		for (int64_t i = 0; i < n; i++)
			tensor_set_f64(out[0], i, start + (double)i * delta);
		return true;
	}
	int64_t start = tensor_get_i64(in[0], 0), limit = tensor_get_i64(in[1], 0), delta = tensor_get_i64(in[2], 0);
	int64_t n = delta == 0 ? -1 : range_count_i64(start, limit, delta);
	if (n < 0)
		return eval_error(e, op, "a range from %lld to %lld by %lld has no length", (long long)start, (long long)limit,
			(long long)delta);
	if (!(out[0] = tensor_new(e, d, 1, &n)))
		return false;
	for (int64_t i = 0; i < n; i++)
		tensor_set_i64(out[0], i, (int64_t)((uint64_t)start + (uint64_t)i * (uint64_t)delta));
	return true;
}

/* ---- eye_like ---- */

bool infer_eye_like(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : NULL;
	DType d = op_dtype(op, A_dtype);
	if (type_is_tensor(t))
		infer_result(x, op, 0, d == DT_NONE ? t : type_with_dtype(x->ctx, t, d));
	else if (d != DT_NONE)
		infer_result(x, op, 0, type_unranked(x->ctx, d));
	if (type_has_rank(t) && t->rank != 2)
		return infer_error(x, op, "the operand has rank %d, not 2", t->rank);
	return true;
}

bool eval_eye_like(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	DType d = op_dtype(op, A_dtype);
	int64_t k = op_int(op, A_k);
	if (d == DT_NONE)
		d = x->dtype;
	if (x->rank != 2)
		return eval_error(e, op, "the operand has rank %d, not 2", x->rank);
	if (dtype_class(d) == DC_STRING || dtype_class(d) == DC_COMPLEX)
		return eval_unsupported(e, op, "an identity matrix of %s", dtype_friendly_name(d));
	Tensor *y = out[0] = tensor_new(e, d, 2, x->dims);
	if (!y)
		return false;
	for (int64_t i = 0; i < x->dims[0]; i++) {
		int64_t j;
		if (!add_ok(i, k, &j) || j < 0 || j >= x->dims[1])
			continue;
		if (dtype_is_float(d))
			tensor_set_f64(y, i * x->dims[1] + j, 1);
		else
			tensor_set_i64(y, i * x->dims[1] + j, 1);
	}
	return true;
}

/* ---- shape, size ---- */

/* First and past-the-last dim that a shape op reports. */
static void shape_window(const Op *op, int rank, int64_t *from, int64_t *to)
{
	int64_t start = op_int(op, A_start), end = op_attr(op, A_end) ? op_int(op, A_end) : rank;
	start = start < 0 ? start + rank : start;
	end = end < 0 ? end + rank : end;
	*from = start < 0 ? 0 : start > rank ? rank : start;
	*to = end < *from ? *from : end > rank ? rank : end;
}

bool infer_shape(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : NULL;
	if (!type_has_rank(t)) {
		const Sym *n = infer_unknown(x, op, 0, 0);
		infer_result(x, op, 0, type_tensor(x->ctx, DT_I64, 1, &n));
		return true;
	}
	int64_t from, to;
	shape_window(op, t->rank, &from, &to);
	const Sym *n = sym_int(x->ctx, to - from);
	infer_result(x, op, 0, type_tensor(x->ctx, DT_I64, 1, &n));
	Elems *e = NEW(x->arena, Elems);
	*e = (Elems){ to - from, infer_dims_copy(x, t, 0) + from };
	infer_set_elems(x, op->results[0], e);
	return true;
}

bool eval_shape(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t from, to;
	shape_window(op, in[0]->rank, &from, &to);
	int64_t n = to - from;
	if (!(out[0] = tensor_new(e, DT_I64, 1, &n)))
		return false;
	tensor_store_i64(out[0], 0, n, in[0]->dims + from);
	return true;
}

bool infer_size(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : NULL;
	infer_result(x, op, 0, type_tensor(x->ctx, DT_I64, 0, NULL));
	if (!type_has_rank(t))
		return true;
	const Sym **v = NEW_ARRAY(x->arena, const Sym *, 1);
	v[0] = type_numel(x->ctx, t);
	Elems *e = NEW(x->arena, Elems);
	*e = (Elems){ 1, v };
	infer_set_elems(x, op->results[0], e);
	return true;
}

bool eval_size(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)op;
	out[0] = tensor_scalar_i64(e, in[0]->count);
	return out[0] != NULL;
}

/* Reading by index: gather, gather_elements, gather_nd, one_hot, nonzero, compress. */
#include "move.h"

#include <string.h>

/* An index counted from either end, within n; false when out of range. */
static bool index_norm(int64_t i, int64_t n, int64_t *out)
{
	if (i < -n || i >= n)
		return false;
	*out = i < 0 ? i + n : i;
	return true;
}

static bool index_error(EvalCtx *e, const Op *op, int64_t i, int64_t n)
{
	return eval_error(e, op, "index %lld is out of range for %lld elements", (long long)i, (long long)n);
}

/* ---- gather ---- */

bool infer_gather(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const Type *it = op_operand(op, 1) ? op_operand(op, 1)->type : type_unknown(x->ctx);
	int axis;
	if (!type_has_rank(t) || !type_has_rank(it)) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	if (!infer_axis(x, op, op_int(op, A_axis), t->rank, &axis))
		return false;
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + it->rank + 1);
	int rank = 0;
	for (int d = 0; d < t->rank; d++) {
		if (d != axis)
			dims[rank++] = t->dims[d];
		for (int k = 0; d == axis && k < it->rank; k++)
			dims[rank++] = it->dims[k];
	}
	int64_t n, size;
	const int64_t *index = sym_const(t->dims[axis], &size) ? infer_ints(x, op_operand(op, 1), &n) : NULL;
	for (int64_t i = 0; index && i < n; i++)
		if (index[i] < -size || index[i] >= size)
			return infer_error(x, op, "index %lld is out of range for %lld elements", (long long)index[i], (long long)size);
	infer_dims(x, op, 0, t, rank, dims);
	return true;
}

bool eval_gather(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int axis;
	int64_t dims[2 * MAX_RANK], outer, inner;
	if (!eval_axis(e, op, op_int(op, A_axis), x->rank, &axis))
		return false;
	int rank = x->rank - 1 + in[1]->rank;
	memcpy(dims, x->dims, (size_t)axis * sizeof(*dims));
	memcpy(dims + axis, in[1]->dims, (size_t)in[1]->rank * sizeof(*dims));
	memcpy(dims + axis + in[1]->rank, x->dims + axis + 1, (size_t)(x->rank - axis - 1) * sizeof(*dims));
	Tensor *index = eval_int64s(e, op, in[1], "indices");
	if (!index)
		return false;
	Tensor *y = out[0] = tensor_new(e, x->dtype, rank, dims);
	bool ok = y != NULL;
	const int64_t *v = int64s_of(index);
	int64_t n = x->dims[axis], at;
	for (int64_t i = 0; ok && i < index->count; i++)
		if (!index_norm(v[i], n, &at))
			ok = index_error(e, op, v[i], n);
	if (ok && y->count > 0) {
		(void)dims_count(x->dims, axis, &outer);
		(void)dims_count(x->dims + axis + 1, x->rank - axis - 1, &inner);
		size_t row = (size_t)inner * tensor_elem_size(x);
		char *dst = y->data;
		for (int64_t o = 0; o < outer; o++)
			for (int64_t i = 0; i < index->count; i++, dst += row)
				memcpy(dst, element_at(x, (o * n + (v[i] < 0 ? v[i] + n : v[i])) * inner), row);
	}
	tensor_unref(index);
	return ok;
}

/* ---- gather_elements ---- */

bool infer_gather_elements(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const Type *it = op_operand(op, 1) ? op_operand(op, 1)->type : type_unknown(x->ctx);
	if (type_has_rank(t) && type_has_rank(it) && t->rank != it->rank)
		return infer_error(x, op, "operand and indices have ranks %d and %d", t->rank, it->rank);
	int axis;
	if (type_has_rank(t) && !infer_axis(x, op, op_int(op, A_axis), t->rank, &axis))
		return false;
	if (type_has_rank(it) && type_is_tensor(t)) {
		infer_dims(x, op, 0, t, it->rank, it->dims);
	} else if (type_has_rank(t) && t->rank <= MAX_RANK) {
		const Sym *open[MAX_RANK];
		for (int d = 0; d < t->rank; d++)
			open[d] = infer_unknown(x, op, 0, d);
		infer_dims(x, op, 0, t, t->rank, open);
	} else {
		infer_rank_unknown(x, op, t);
	}
	return true;
}

bool eval_gather_elements(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int axis;
	if (x->rank != in[1]->rank)
		return eval_error(e, op, "operand and indices have ranks %d and %d", x->rank, in[1]->rank);
	if (!eval_axis(e, op, op_int(op, A_axis), x->rank, &axis))
		return false;
	for (int d = 0; d < x->rank; d++)
		if (d != axis && in[1]->dims[d] > x->dims[d])
			return eval_error(e, op, "the indices exceed dimension %d of the operand", d);
	Tensor *index = eval_int64s(e, op, in[1], "indices");
	if (!index)
		return false;
	Tensor *y = out[0] = tensor_new(e, x->dtype, index->rank, index->dims);
	int64_t strides[MAX_RANK], own[MAX_RANK], at;
	strides_of(x->rank, x->dims, strides);
	strides_of(index->rank, index->dims, own);
	bool ok = y != NULL;
	for (int64_t i = 0; ok && i < y->count; i++) {
		int64_t from = 0;
		for (int d = 0; d < x->rank; d++)
			if (d != axis)
				from += i / own[d] % index->dims[d] * strides[d];
		if (!index_norm(int64s_of(index)[i], x->dims[axis], &at))
			ok = index_error(e, op, int64s_of(index)[i], x->dims[axis]);
		else
			move_element(element_at(y, i), element_at(x, from + at * strides[axis]), tensor_elem_size(x));
	}
	tensor_unref(index);
	return ok;
}

/* ---- gather_nd ---- */

bool infer_gather_nd(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const Type *it = op_operand(op, 1) ? op_operand(op, 1)->type : type_unknown(x->ctx);
	int64_t depth, batch = op_int(op, A_batch_dims);
	if (!type_has_rank(t) || !type_has_rank(it) || it->rank < 1 || !sym_const(it->dims[it->rank - 1], &depth)) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	if (batch < 0 || batch >= it->rank || depth < 0 || batch + depth > t->rank)
		return infer_error(x, op, "indices of depth %lld with %lld batch dimensions exceed rank %d", (long long)depth,
			(long long)batch, t->rank);
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + it->rank + 1);
	int rank = 0;
	for (int d = 0; d < it->rank - 1; d++)
		dims[rank++] = it->dims[d];
	for (int d = (int)(batch + depth); d < t->rank; d++)
		dims[rank++] = t->dims[d];
	infer_dims(x, op, 0, t, rank, dims);
	return true;
}

bool eval_gather_nd(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *it = in[1];
	int64_t batch = op_int(op, A_batch_dims), depth = it->rank ? it->dims[it->rank - 1] : 0;
	if (it->rank < 1 || batch < 0 || batch >= it->rank || batch + depth > x->rank)
		return eval_error(e, op, "the indices do not fit an operand of rank %d", x->rank);
	for (int d = 0; d < batch; d++)
		if (x->dims[d] != it->dims[d])
			return eval_error(e, op, "batch dimension %d is %lld and %lld", d, (long long)x->dims[d], (long long)it->dims[d]);
	int64_t dims[2 * MAX_RANK], strides[MAX_RANK], inner, tuples, batches;
	int rank = 0;
	for (int d = 0; d < it->rank - 1; d++)
		dims[rank++] = it->dims[d];
	for (int d = (int)(batch + depth); d < x->rank; d++)
		dims[rank++] = x->dims[d];
	Tensor *index = eval_int64s(e, op, in[1], "indices");
	if (!index)
		return false;
	Tensor *y = out[0] = tensor_new(e, x->dtype, rank, dims);
	bool ok = y != NULL;
	strides_of(x->rank, x->dims, strides);
	(void)dims_count(x->dims + batch + depth, x->rank - (int)(batch + depth), &inner);
	(void)dims_count(it->dims, it->rank - 1, &tuples);
	(void)dims_count(it->dims, (int)batch, &batches);
	size_t row = (size_t)inner * tensor_elem_size(x);
	for (int64_t i = 0; ok && y->count > 0 && i < tuples; i++) {
		int64_t from = batch ? i / (tuples / batches) * strides[batch - 1] : 0, at;
		for (int64_t k = 0; ok && k < depth; k++) {
			int64_t v = int64s_of(index)[i * depth + k], n = x->dims[batch + k];
			if (!index_norm(v, n, &at))
				ok = index_error(e, op, v, n);
			else
				from += at * strides[batch + k];
		}
		if (ok)
			memcpy((char *)y->data + (size_t)i * row, element_at(x, from), row);
	}
	tensor_unref(index);
	return ok;
}

/* ---- one_hot ---- */

bool infer_one_hot(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const Type *vt = op_operand(op, 2) ? op_operand(op, 2)->type : type_unknown(x->ctx);
	if (!type_has_rank(t) || !type_is_tensor(vt)) {
		infer_rank_unknown(x, op, vt);
		return true;
	}
	int axis;
	if (!infer_axis(x, op, op_int(op, A_axis), t->rank + 1, &axis))
		return false;
	const Elems *depth = infer_elems(x, op_operand(op, 1));
	double f;
	const Sym *n = depth && depth->n == 1 && !sym_is_unknown(depth->v[0]) ? depth->v[0] : NULL;
	if (!n && constant_float(op_operand(op, 1), &f) && f >= 0 && f < 9007199254740992.0)
		n = sym_int(x->ctx, (int64_t)f);
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + 1);
	for (int d = 0, from = 0; d <= t->rank; d++)
		dims[d] = d == axis ? (n ? n : infer_unknown(x, op, 0, d)) : t->dims[from++];
	infer_dims(x, op, 0, vt, t->rank + 1, dims);
	return true;
}

bool eval_one_hot(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *values = in[2];
	int axis;
	bool numbers = (dtype_is_integer(x->dtype) || dtype_is_float(x->dtype)) &&
		(dtype_is_integer(in[1]->dtype) || dtype_is_float(in[1]->dtype));
	if (!numbers || in[1]->count != 1 || values->count != 2)
		return eval_error(e, op, "depth must be one number and values two elements");
	double depth_value = tensor_get_f64(in[1], 0);
	if (!(depth_value >= 0 && depth_value < 9007199254740992.0))
		return eval_error(e, op, "depth %g is not a size", depth_value);
	if (!eval_axis(e, op, op_int(op, A_axis), x->rank + 1, &axis))
		return false;
	if (x->rank + 1 > MAX_RANK)
		return eval_unsupported(e, op, "a result of more than %d dimensions", MAX_RANK);
	int64_t depth = (int64_t)depth_value, dims[MAX_RANK], still[MAX_RANK] = { 0 }, inner;
	for (int d = 0, from = 0; d <= x->rank; d++)
		dims[d] = d == axis ? depth : x->dims[from++];
	Tensor *y = out[0] = tensor_new(e, values->dtype, x->rank + 1, dims);
	if (!y || y->count == 0)
		return y != NULL;
	move_strided(y, values, 0, still); /* all off */
	(void)dims_count(x->dims + axis, x->rank - axis, &inner);
	for (int64_t i = 0; i < x->count; i++) {
		double v = tensor_get_f64(x, i);
		if (!(v >= -depth_value && v < depth_value))
			continue;
		int64_t at = (int64_t)v;
		at = at < 0 ? at + depth : at;
		if (at < depth)
			move_element(element_at(y, (i / inner * depth + at) * inner + i % inner), element_at(values, 1),
				tensor_elem_size(y));
	}
	return true;
}

/* ---- nonzero ---- */

bool infer_nonzero(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : NULL;
	const Sym *dims[2];
	dims[0] = type_has_rank(t) ? sym_int(x->ctx, t->rank ? t->rank : 1) : infer_unknown(x, op, 0, 0);
	dims[1] = infer_unknown(x, op, 0, 1);
	infer_result(x, op, 0, type_tensor(x->ctx, DT_I64, 2, dims));
	return true;
}

static bool is_nonzero(const Tensor *t, int64_t i)
{
	switch (dtype_class(t->dtype)) {
	case DC_FLOAT: return tensor_get_f64(t, i) != 0;
	case DC_COMPLEX: {
		double re, im;
		DType part = t->store == DT_C64 ? DT_F32 : DT_F64;
		dtype_load_f64(part, element_at(t, i), 1, &re);
		dtype_load_f64(part, element_at(t, i) + dtype_size(part), 1, &im);
		return re != 0 || im != 0;
	}
	default: return tensor_get_i64(t, i) != 0;
	}
}

bool eval_nonzero(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	(void)op;
	int64_t dims[2] = { x->rank ? x->rank : 1, 0 }, strides[MAX_RANK], at = 0;
	for (int64_t i = 0; i < x->count; i++)
		dims[1] += is_nonzero(x, i);
	Tensor *y = out[0] = tensor_new(e, DT_I64, 2, dims);
	if (!y)
		return false;
	int64_t *v = y->data;
	strides_of(x->rank, x->dims, strides);
	for (int64_t i = 0; i < x->count; i++) {
		if (!is_nonzero(x, i))
			continue;
		for (int d = 0; d < x->rank; d++)
			v[d * dims[1] + at] = i / strides[d] % x->dims[d];
		at++;
	}
	return true;
}

/* ---- compress ---- */

bool infer_compress(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	int64_t n = 0, count = 0, length;
	int axis = -1;
	if (op_attr(op, A_axis) && !type_has_rank(t)) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	if (op_attr(op, A_axis) && !infer_axis(x, op, op_int(op, A_axis), t->rank, &axis))
		return false;
	const int64_t *cond = infer_ints(x, op_operand(op, 1), &n);
	for (int64_t i = 0; cond && i < n; i++)
		count += cond[i] != 0;
	const Sym *size = type_has_rank(t) ? axis >= 0 ? t->dims[axis] : type_numel(x->ctx, t) : NULL;
	bool cut = !size || !sym_const(size, &length) || length < n; /* conditions past the end are not looked at */
	const Sym *dim = cond && !cut ? sym_int(x->ctx, count) : infer_unknown(x, op, 0, axis < 0 ? 0 : axis);
	if (axis < 0) {
		infer_result(x, op, 0, type_tensor(x->ctx, type_is_tensor(t) ? t->dtype : DT_NONE, 1, &dim));
		return true;
	}
	const Sym **dims = infer_dims_copy(x, t, 0);
	dims[axis] = dim;
	infer_dims(x, op, 0, t, t->rank, dims);
	return true;
}

bool eval_compress(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *cond = in[1];
	int axis = -1;
	if (op_attr(op, A_axis) && !eval_axis(e, op, op_int(op, A_axis), x->rank, &axis))
		return false;
	if (cond->dtype != DT_BOOL || cond->rank != 1)
		return eval_error(e, op, "the condition must be a vector of bool");
	int64_t n = axis < 0 ? x->count : x->dims[axis], outer = 1, inner = 1, dims[MAX_RANK], kept = 0;
	int64_t seen = cond->count < n ? cond->count : n;
	for (int64_t i = 0; i < seen; i++)
		kept += tensor_get_i64(cond, i) != 0;
	if (axis < 0) {
		dims[0] = kept;
	} else {
		memcpy(dims, x->dims, sizeof dims);
		dims[axis] = kept;
		(void)dims_count(x->dims, axis, &outer);
		(void)dims_count(x->dims + axis + 1, x->rank - axis - 1, &inner);
	}
	Tensor *y = out[0] = tensor_new(e, x->dtype, axis < 0 ? 1 : x->rank, dims);
	if (!y || y->count == 0)
		return y != NULL;
	size_t row = (size_t)inner * tensor_elem_size(x);
	char *dst = y->data;
	for (int64_t o = 0; o < outer; o++) {
		for (int64_t i = 0; i < seen; i++) {
			if (!tensor_get_i64(cond, i))
				continue;
			memcpy(dst, element_at(x, (o * n + i) * inner), row);
			dst += row;
		}
	}
	return true;
}

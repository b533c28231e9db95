/* Sequences and optionals of tensors. */
#include "eval_int.h"

#include <string.h>

/* ---- joining and cutting ---- */

void sequence_push(Tensor *seq, Tensor *t)
{
	if ((seq->nitems & (seq->nitems - 1)) == 0) /* full at every power of two */
		seq->items = mem_realloc(seq->items, (size_t)(seq->nitems ? seq->nitems * 2 : 1) * sizeof(*seq->items));
	if (seq->nitems == 0)
		seq->dtype = seq->store = t->dtype;
	seq->items[seq->nitems++] = t;
}

static bool join_dims(EvalCtx *e, const Op *op, Tensor *const *items, int64_t n, int axis, bool new_axis, int64_t *dims)
{
	const Tensor *first = items[0];
	int rank = first->rank + new_axis;
	for (int d = 0; d < rank; d++)
		dims[d] = d == axis ? 0 : first->dims[d - (new_axis && d > axis)];
	for (int64_t i = 0; i < n; i++) {
		const Tensor *t = items[i];
		bool fits = t->kind == TYPE_TENSOR && t->dtype == first->dtype && t->rank == first->rank;
		for (int d = 0; fits && d < rank; d++)
			fits = d == axis || t->dims[d - (new_axis && d > axis)] == dims[d];
		if (!fits)
			return eval_error(e, op, "element %lld of shape %s and type %s does not join with %s of %s", (long long)i,
				tensor_shape_text(e, t), dtype_friendly_name(t->dtype), tensor_shape_text(e, first),
				dtype_friendly_name(first->dtype));
		if (!add_ok(dims[axis], new_axis ? 1 : t->dims[axis], &dims[axis]))
			return eval_error(e, op, "the sizes along the axis overflow");
	}
	return true;
}

Tensor *tensor_join(EvalCtx *e, const Op *op, Tensor *const *items, int64_t n, int axis, bool new_axis)
{
	int64_t dims[MAX_RANK], outer = 1, inner = 1;
	if (n == 0 || items[0]->kind != TYPE_TENSOR || items[0]->rank + new_axis > MAX_RANK) {
		eval_error(e, op, "nothing to join");
		return NULL;
	}
	if (!join_dims(e, op, items, n, axis, new_axis, dims))
		return NULL;
	int rank = items[0]->rank + new_axis;
	Tensor *y = tensor_new(e, items[0]->dtype, rank, dims);
	if (!y || y->count == 0)
		return y;
	for (int d = 0; d < rank; d++)
		if (d != axis)
			*(d < axis ? &outer : &inner) *= dims[d];
	size_t size = tensor_elem_size(y);
	char *to = y->data;
	for (int64_t o = 0; o < outer; o++) {
		for (int64_t i = 0; i < n; i++) {
			size_t bytes = (size_t)((new_axis ? 1 : items[i]->dims[axis]) * inner) * size;
			if (bytes)
				memcpy(to, (const char *)items[i]->data + (size_t)o * bytes, bytes);
			to += bytes;
		}
	}
	return y;
}

Tensor *tensor_cut(EvalCtx *e, const Tensor *t, int axis, int64_t begin, int64_t end, bool drop_axis)
{
	int64_t dims[MAX_RANK], outer = 1, inner = 1;
	int rank = 0;
	for (int d = 0; d < t->rank; d++) {
		if (d != axis || !drop_axis)
			dims[rank++] = d == axis ? end - begin : t->dims[d];
	}
	Tensor *y = tensor_new(e, t->dtype, rank, dims);
	if (!y || y->count == 0)
		return y;
	for (int d = 0; d < t->rank; d++)
		if (d != axis)
			*(d < axis ? &outer : &inner) *= t->dims[d];
	size_t size = tensor_elem_size(t), row = (size_t)inner * size, bytes = (size_t)(end - begin) * row;
	for (int64_t o = 0; o < outer; o++)
		memcpy((char *)y->data + (size_t)o * bytes, (const char *)t->data + (size_t)(o * t->dims[axis] + begin) * row,
			bytes);
	return y;
}

/* ---- sequences ---- */

static bool need_sequence(EvalCtx *e, const Op *op, const Tensor *s)
{
	return s->kind == TYPE_SEQUENCE || eval_error(e, op, "a sequence is expected");
}

bool eval_seq_construct(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	for (size_t i = 1; i < op->noperands; i++)
		if (in[i]->kind != in[0]->kind || in[i]->dtype != in[0]->dtype)
			return eval_error(e, op, "elements of different types");
	out[0] = tensor_sequence(e, TYPE_SEQUENCE, in, op->noperands);
	return true;
}

bool eval_seq_empty(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	(void)in;
	out[0] = tensor_sequence(e, TYPE_SEQUENCE, NULL, 0);
	out[0]->dtype = out[0]->store = op_dtype(op, A_dtype);
	return true;
}

/* Index operand, negative from the end; the allowed range is [-n, limit). */
static bool sequence_index(EvalCtx *e, const Op *op, const Tensor *index, int64_t n, int64_t limit, int64_t *out)
{
	if (tensor_ints(index, out, 1) != 1)
		return eval_error(e, op, "the index is not a single integer");
	if (*out < -n || *out >= limit)
		return eval_error(e, op, "index %lld is out of range for a sequence of %lld", (long long)*out, (long long)n);
	if (*out < 0)
		*out += n;
	return true;
}

bool eval_seq_at(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t i;
	if (!need_sequence(e, op, in[0]) || !sequence_index(e, op, in[1], in[0]->nitems, in[0]->nitems, &i))
		return false;
	out[0] = tensor_ref(in[0]->items[i]);
	return true;
}

bool eval_seq_insert(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!need_sequence(e, op, in[0]))
		return false;
	int64_t n = in[0]->nitems, at = n;
	if (op->noperands > 2 && in[2] && !sequence_index(e, op, in[2], n, n + 1, &at))
		return false;
	if (in[0]->dtype != DT_NONE && in[0]->dtype != in[1]->dtype)
		return eval_error(e, op, "an element of type %s for a sequence of %s", dtype_friendly_name(in[1]->dtype),
			dtype_friendly_name(in[0]->dtype));
	Tensor *s = out[0] = tensor_sequence(e, TYPE_SEQUENCE, NULL, 0);
	for (int64_t i = 0; i <= n; i++)
		sequence_push(s, tensor_ref(i == at ? in[1] : in[0]->items[i - (i > at)]));
	return true;
}

bool eval_seq_erase(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!need_sequence(e, op, in[0]))
		return false;
	int64_t n = in[0]->nitems, at = n - 1;
	if (op->noperands > 1 && in[1] && !sequence_index(e, op, in[1], n, n, &at))
		return false;
	if (n == 0)
		return eval_error(e, op, "an empty sequence");
	Tensor *s = out[0] = tensor_sequence(e, TYPE_SEQUENCE, NULL, 0);
	s->dtype = s->store = in[0]->dtype;
	for (int64_t i = 0; i < n; i++)
		if (i != at)
			sequence_push(s, tensor_ref(in[0]->items[i]));
	return true;
}

bool eval_seq_length(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (!need_sequence(e, op, in[0]))
		return false;
	out[0] = tensor_scalar_i64(e, in[0]->nitems);
	return out[0] != NULL;
}

/* End of the i-th part that begins at `begin`, from the split operand: a list of sizes, one size, or none (single rows). */
static bool part_end(EvalCtx *e, const Op *op, const Tensor *split, int64_t i, int64_t begin, int64_t size, int64_t *end)
{
	int64_t step = 1;
	if (split) {
		if (split->rank > 0 && i >= split->count)
			return eval_error(e, op, "the parts cover %lld of %lld", (long long)begin, (long long)size);
		step = tensor_get_i64(split, split->rank > 0 ? i : 0);
		if (step < 0 || (split->rank == 0 && step == 0))
			return eval_error(e, op, "a part of size %lld", (long long)step);
	}
	int64_t left = size - begin;
	if (split && split->rank > 0 && step > left)
		return eval_error(e, op, "the parts exceed the axis of %lld", (long long)size);
	*end = begin + (step < left ? step : left);
	return true;
}

bool eval_seq_split(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *split = op->noperands > 1 ? in[1] : NULL;
	int axis;
	if (x->kind != TYPE_TENSOR || (split && (split->kind != TYPE_TENSOR || !dtype_is_integer(split->dtype))))
		return eval_error(e, op, "a tensor and integer sizes are expected");
	if (!axis_norm(op_int(op, A_axis), x->rank, &axis))
		return eval_error(e, op, "axis %lld is out of range for rank %d", (long long)op_int(op, A_axis), x->rank);
	bool drop = !split && !op_int(op, A_keepdims);
	Tensor *s = out[0] = tensor_sequence(e, TYPE_SEQUENCE, NULL, 0);
	s->dtype = s->store = x->dtype;
	int64_t begin = 0;
	for (int64_t i = 0; begin < x->dims[axis] || (split && split->rank > 0 && i < split->count); i++) {
		int64_t end = begin;
		if (!part_end(e, op, split, i, begin, x->dims[axis], &end))
			return false;
		Tensor *part = tensor_cut(e, x, axis, begin, end, drop);
		if (!part)
			return false;
		sequence_push(s, part);
		begin = end;
	}
	return true;
}

bool eval_seq_concat(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	bool new_axis = op_int(op, A_new_axis) != 0;
	int axis;
	if (!need_sequence(e, op, in[0]))
		return false;
	if (in[0]->nitems == 0)
		return eval_error(e, op, "an empty sequence");
	if (!axis_norm(op_int(op, A_axis), in[0]->items[0]->rank + new_axis, &axis))
		return eval_error(e, op, "axis %lld is out of range", (long long)op_int(op, A_axis));
	out[0] = tensor_join(e, op, in[0]->items, in[0]->nitems, axis, new_axis);
	return out[0] != NULL;
}

/* ---- optionals ---- */

bool eval_optional(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	out[0] = tensor_sequence(e, TYPE_OPTIONAL, in, op->noperands > 0 && in[0] ? 1 : 0);
	return true;
}

bool eval_optional_get(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (in[0]->kind != TYPE_OPTIONAL)
		out[0] = tensor_ref(in[0]);
	else if (in[0]->nitems == 0)
		return eval_error(e, op, "the optional is empty");
	else
		out[0] = tensor_ref(in[0]->items[0]);
	return true;
}

bool eval_optional_has(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	bool has = op->noperands > 0 && in[0] && (in[0]->kind != TYPE_OPTIONAL || in[0]->nitems > 0);
	out[0] = tensor_new(e, DT_BOOL, 0, NULL);
	if (out[0])
		tensor_set_i64(out[0], 0, has);
	return out[0] != NULL;
}

/* ---- types ---- */

static const Type *wrapped(InferCtx *x, TypeKind kind, const Type *elem)
{
	return type_make(x->ctx, (Type){.kind = kind, .rank = RANK_UNKNOWN, .elem = &elem, .nelem = 1});
}

static const Type *operand_type(InferCtx *x, const Op *op, size_t i)
{
	const Value *v = op_operand(op, i);
	return v ? v->type : type_unknown(x->ctx);
}

static const Type *element_type(InferCtx *x, const Type *t, TypeKind kind)
{
	return t->kind == kind && t->nelem == 1 ? t->elem[0] : type_unknown(x->ctx);
}

bool infer_seq_construct(InferCtx *x, Op *op)
{
	const Type *t = operand_type(x, op, 0);
	for (size_t i = 1; i < op->noperands; i++)
		t = infer_join(x, t, operand_type(x, op, i), NULL);
	infer_result(x, op, 0, wrapped(x, TYPE_SEQUENCE, t));
	return true;
}

bool infer_seq_empty(InferCtx *x, Op *op)
{
	infer_result(x, op, 0, wrapped(x, TYPE_SEQUENCE, type_unranked(x->ctx, op_dtype(op, A_dtype))));
	return true;
}

bool infer_seq_at(InferCtx *x, Op *op)
{
	infer_result(x, op, 0, element_type(x, operand_type(x, op, 0), TYPE_SEQUENCE));
	return true;
}

bool infer_seq_insert(InferCtx *x, Op *op)
{
	const Type *s = operand_type(x, op, 0), *elem = element_type(x, s, TYPE_SEQUENCE), *t = operand_type(x, op, 1);
	const Op *def = op_operand(op, 0) ? op_operand(op, 0)->def : NULL;
	if (op_is(def, OP_seq_empty) && type_is_tensor(t))
		elem = t; /* the only element */
	else if (elem->kind != TYPE_UNKNOWN && t->kind != TYPE_UNKNOWN)
		elem = infer_join(x, elem, t, NULL);
	if (elem->kind != TYPE_UNKNOWN)
		infer_result(x, op, 0, wrapped(x, TYPE_SEQUENCE, elem));
	return true;
}

bool infer_seq_erase(InferCtx *x, Op *op)
{
	return infer_identity(x, op);
}

bool infer_seq_length(InferCtx *x, Op *op)
{
	infer_result(x, op, 0, type_tensor(x->ctx, DT_I64, 0, NULL));
	return true;
}

/* Parts differ along the axis in general; single rows do not. */
bool infer_seq_split(InferCtx *x, Op *op)
{
	const Type *t = operand_type(x, op, 0);
	int axis;
	if (!type_is_tensor(t))
		return true;
	if (!type_has_rank(t)) {
		infer_result(x, op, 0, wrapped(x, TYPE_SEQUENCE, type_unranked(x->ctx, t->dtype)));
		return true;
	}
	if (!axis_norm(op_int(op, A_axis), t->rank, &axis))
		return infer_error(x, op, "axis %lld is out of range for rank %d", (long long)op_int(op, A_axis), t->rank);
	bool single = !op_operand(op, 1), drop = single && !op_int(op, A_keepdims);
	const Type *now = op_result(op, 0)->type, *elem = element_type(x, now, TYPE_SEQUENCE);
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + 1);
	int rank = 0;
	for (int d = 0; d < t->rank; d++) {
		if (d == axis && drop)
			continue;
		dims[rank++] = d != axis ? t->dims[d] : single ? sym_int(x->ctx, 1) :
			type_has_rank(elem) && elem->rank == t->rank ? elem->dims[d] : sym_unknown(x->ctx);
	}
	infer_result(x, op, 0, wrapped(x, TYPE_SEQUENCE, type_tensor(x->ctx, t->dtype, rank, dims)));
	return true;
}

bool infer_seq_concat(InferCtx *x, Op *op)
{
	const Type *t = element_type(x, operand_type(x, op, 0), TYPE_SEQUENCE);
	bool new_axis = op_int(op, A_new_axis) != 0;
	int axis, rank = 0;
	if (!type_has_rank(t)) {
		if (type_is_tensor(t))
			infer_result(x, op, 0, type_unranked(x->ctx, t->dtype));
		return true;
	}
	if (!axis_norm(op_int(op, A_axis), t->rank + new_axis, &axis))
		return infer_error(x, op, "axis %lld is out of range", (long long)op_int(op, A_axis));
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + 2);
	for (int d = 0; d < t->rank + new_axis; d++)
		dims[rank++] = d == axis ? infer_unknown(x, op, 0, d) : t->dims[d - (new_axis && d > axis)];
	infer_result(x, op, 0, type_tensor(x->ctx, t->dtype, rank, dims));
	return true;
}

bool infer_optional(InferCtx *x, Op *op)
{
	if (op_operand(op, 0) && op_operand(op, 0)->type->kind != TYPE_UNKNOWN)
		infer_result(x, op, 0, wrapped(x, TYPE_OPTIONAL, op_operand(op, 0)->type));
	return true;
}

bool infer_optional_get(InferCtx *x, Op *op)
{
	const Type *t = operand_type(x, op, 0);
	infer_result(x, op, 0, t->kind == TYPE_OPTIONAL ? element_type(x, t, TYPE_OPTIONAL) : t);
	return true;
}

bool infer_optional_has(InferCtx *x, Op *op)
{
	infer_result(x, op, 0, type_tensor(x->ctx, DT_BOOL, 0, NULL));
	return true;
}

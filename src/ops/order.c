/* Ops along one axis that compare or accumulate: argmax, argmin, top-k, cumulative sums and products. */
#include "base/rank.h"
#include "eval_int.h"

#include <math.h>
#include <string.h>

/* A tensor seen along one axis: outer groups of `size` rows of `inner` elements. */
typedef struct Lanes {
	int64_t outer, size, inner;
	int axis;
} Lanes;

static bool lanes_of(EvalCtx *e, const Op *op, const Tensor *x, int64_t axis, Lanes *l)
{
	*l = (Lanes){1, 1, 1, 0};
	if (!axis_norm(axis, x->rank, &l->axis))
		return eval_error(e, op, "axis %lld is out of range for rank %d", (long long)axis, x->rank);
	for (int d = 0; d < x->rank; d++) {
		int64_t *part = d < l->axis ? &l->outer : d == l->axis ? &l->size : &l->inner;
		*part = (int64_t)((uint64_t)*part * (uint64_t)x->dims[d]);
	}
	return true;
}

/* ---- keys: any numeric type as integers in the order of the values ---- */

/* smallest: reversed, so that the wanted elements always have the greatest keys. NaN counts as wanted most, as in NumPy. */
static void load_keys(const Tensor *t, int64_t at, int64_t n, bool smallest, int64_t *key)
{
	if (dtype_is_float(t->dtype)) {
		double v[BLOCK];
		tensor_load_f64(t, at, n, v);
		for (int64_t i = 0; i < n; i++) {
			int64_t k = double_rank(v[i]);
			key[i] = smallest && v[i] == v[i] ? ~k : k;
		}
		return;
	}
	tensor_load_i64(t, at, n, key);
	for (int64_t i = 0; i < n; i++) {
		int64_t k = t->dtype == DT_U64 ? (int64_t)((uint64_t)key[i] ^ UINT64_C(1) << 63) : key[i];
		key[i] = smallest ? ~k : k;
	}
}

/* ---- argmax, argmin ---- */

typedef struct ArgRun {
	const Tensor *x;
	Tensor *y;
	Lanes l;
	bool smallest, last;
} ArgRun;

static bool wins(const ArgRun *r, int64_t key, int64_t best)
{
	return key > best || (r->last && key == best);
}

/* Last axis: each result scans a run of elements. */
static void arg_rows(void *arg, int64_t begin, int64_t end)
{
	const ArgRun *r = arg;
	int64_t key[BLOCK];
	for (int64_t row = begin; row < end; row++) {
		int64_t best = 0, where = -1;
		for (int64_t at = 0; at < r->l.size; at += BLOCK) {
			int64_t n = r->l.size - at < BLOCK ? r->l.size - at : BLOCK;
			load_keys(r->x, row * r->l.size + at, n, r->smallest, key);
			for (int64_t i = 0; i < n; i++) {
				if (where < 0 || wins(r, key[i], best)) {
					best = key[i];
					where = at + i;
				}
			}
		}
		((int64_t *)r->y->data)[row] = where;
	}
}

/* Other axes: blocks of neighbouring results, row by row. */
static void arg_columns(void *arg, int64_t begin, int64_t end)
{
	const ArgRun *r = arg;
	int64_t key[BLOCK], best[BLOCK];
	for (int64_t outer = begin; outer < end; outer++) {
		for (int64_t col = 0; col < r->l.inner; col += BLOCK) {
			int64_t n = r->l.inner - col < BLOCK ? r->l.inner - col : BLOCK;
			int64_t *where = (int64_t *)r->y->data + outer * r->l.inner + col;
			load_keys(r->x, outer * r->l.size * r->l.inner + col, n, r->smallest, best);
			for (int64_t row = 1; row < r->l.size; row++) {
				load_keys(r->x, (outer * r->l.size + row) * r->l.inner + col, n, r->smallest, key);
				for (int64_t i = 0; i < n; i++) {
					if (wins(r, key[i], best[i])) {
						best[i] = key[i];
						where[i] = row;
					}
				}
			}
		}
	}
}

bool eval_arg_reduce(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { COST = 3 };
	ArgRun r = {.x = in[0], .smallest = op_is(op, OP_argmin), .last = op_int(op, A_select_last_index) != 0};
	int64_t dims[MAX_RANK];
	int rank = 0;
	if (!lanes_of(e, op, r.x, op_int(op, A_axis), &r.l))
		return false;
	if (dtype_class(r.x->dtype) == DC_COMPLEX)
		return eval_unsupported(e, op, "complex operands");
	for (int d = 0; d < r.x->rank; d++)
		if (d != r.l.axis || op_int(op, A_keepdims))
			dims[rank++] = d == r.l.axis ? 1 : r.x->dims[d];
	r.y = tensor_new(e, DT_I64, rank, dims);
	if (!r.y)
		return false;
	if (r.y->count > 0 && r.l.size == 0) {
		tensor_unref(r.y);
		return eval_error(e, op, "an axis without elements");
	}
	if (r.y->count > 0 && r.l.inner == 1)
		eval_ranges(e, r.l.outer, COST * r.l.size, arg_rows, &r);
	else if (r.y->count > 0)
		eval_ranges(e, r.l.outer, COST * r.l.size * r.l.inner, arg_columns, &r);
	out[0] = r.y;
	return true;
}

/* ---- top-k ---- */

/* The k best of a lane, best first: a heap of the best so far, then emptied from its lowest end. */
static void top_of_lane(const Tensor *x, const Lanes *l, int64_t first, bool smallest, Ranked *heap, int64_t k)
{
	int64_t key[BLOCK];
	for (int64_t at = 0; at < l->size;) {
		int64_t n = l->inner > 1 ? 1 : l->size - at < BLOCK ? l->size - at : BLOCK;
		load_keys(x, first + at * l->inner, n, smallest, key);
		for (int64_t i = 0; i < n; i++, at++)
			heap_offer(heap, k, (Ranked){key[i], at});
	}
	heap_finish(heap, k);
}

static bool run_topk(EvalCtx *e, const Tensor *x, const Lanes *l, int64_t k, bool smallest, Tensor *values, Tensor *indices)
{
	int64_t scratch_size = 2 * k;
	size_t size = tensor_elem_size(x);
	Tensor *scratch = tensor_new(e, DT_I64, 1, &scratch_size);
	if (!scratch)
		return false;
	Ranked *heap = scratch->data;
	for (int64_t lane = 0; lane < l->outer * l->inner; lane++) {
		int64_t outer = lane / l->inner, col = lane % l->inner;
		int64_t first = outer * l->size * l->inner + col;
		top_of_lane(x, l, first, smallest, heap, k);
		for (int64_t i = 0; i < k; i++) {
			int64_t to = (outer * k + i) * l->inner + col;
			memcpy((char *)values->data + (size_t)to * size,
				(const char *)x->data + (size_t)(first + heap[i].index * l->inner) * size, size);
			((int64_t *)indices->data)[to] = heap[i].index;
		}
	}
	tensor_unref(scratch);
	return true;
}

bool eval_topk(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int64_t k, dims[MAX_RANK];
	Lanes l;
	if (tensor_ints(in[1], &k, 1) != 1)
		return eval_error(e, op, "k is not a single integer");
	if (!lanes_of(e, op, x, op_int(op, A_axis), &l))
		return false;
	if (k < 0 || k > l.size)
		return eval_error(e, op, "k is %lld for an axis of %lld elements", (long long)k, (long long)l.size);
	if (dtype_class(x->dtype) == DC_COMPLEX)
		return eval_unsupported(e, op, "complex operands");
	memcpy(dims, x->dims, sizeof(dims));
	dims[l.axis] = k;
	Tensor *values = tensor_new(e, x->dtype, x->rank, dims);
	Tensor *indices = values ? tensor_new(e, DT_I64, x->rank, dims) : NULL;
	if (!indices || (values->count > 0 && !run_topk(e, x, &l, k, !op_int(op, A_largest), values, indices))) {
		tensor_unref(values);
		tensor_unref(indices);
		return false;
	}
	out[0] = values;
	if (op->nresults > 1)
		out[1] = indices;
	else
		tensor_unref(indices);
	return true;
}

bool infer_topk(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	const Type *t = v ? v->type : NULL;
	DType d = type_is_tensor(t) ? t->dtype : DT_NONE;
	int axis;
	if (!type_has_rank(t)) {
		infer_result(x, op, 0, type_unranked(x->ctx, d));
		infer_result(x, op, 1, type_unranked(x->ctx, DT_I64));
		return true;
	}
	if (!axis_norm(op_int(op, A_axis), t->rank, &axis))
		return infer_error(x, op, "axis %lld is out of range for rank %d", (long long)op_int(op, A_axis), t->rank);
	const Elems *k = infer_elems(x, op_operand(op, 1));
	int64_t most, wanted;
	bool counted = k && k->n == 1 && sym_const(k->v[0], &wanted) && sym_const(t->dims[axis], &most);
	if (counted && (wanted < 0 || wanted > most))
		return infer_error(x, op, "%lld elements are wanted of %lld along axis %d", (long long)wanted, (long long)most,
			axis);
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + 1);
	for (int i = 0; i < t->rank; i++)
		dims[i] = t->dims[i];
	dims[axis] = k && k->n == 1 ? k->v[0] : infer_unknown(x, op, 0, axis);
	infer_result(x, op, 0, type_tensor(x->ctx, d, t->rank, dims));
	infer_result(x, op, 1, type_tensor(x->ctx, DT_I64, t->rank, dims));
	return true;
}

/* ---- cumulative sums and products ---- */

typedef struct CumulateRun {
	const Tensor *x;
	Tensor *y;
	Lanes l;
	bool product, exclusive, reverse, is_float;
} CumulateRun;

/* One group of lanes at a time, row by row with the running values of a block of columns. */
static void cumulate_block(const CumulateRun *r, int64_t outer, int64_t col, int64_t n)
{
	double acc[BLOCK], v[BLOCK];
	int64_t iacc[BLOCK], iv[BLOCK];
	for (int64_t i = 0; i < n; i++) {
		acc[i] = r->product;
		iacc[i] = r->product;
	}
	for (int64_t k = 0; k < r->l.size; k++) {
		int64_t row = r->reverse ? r->l.size - 1 - k : k, at = (outer * r->l.size + row) * r->l.inner + col;
		if (r->is_float) {
			tensor_load_f64(r->x, at, n, v);
			if (r->exclusive)
				tensor_store_f64(r->y, at, n, acc);
			for (int64_t i = 0; i < n; i++)
				acc[i] = r->product ? acc[i] * v[i] : acc[i] + v[i];
			if (!r->exclusive)
				tensor_store_f64(r->y, at, n, acc);
			continue;
		}
		tensor_load_i64(r->x, at, n, iv);
		if (r->exclusive)
			tensor_store_i64(r->y, at, n, iacc);
		for (int64_t i = 0; i < n; i++) {
			uint64_t a = (uint64_t)iacc[i], b = (uint64_t)iv[i];
			iacc[i] = (int64_t)(r->product ? a * b : a + b);
		}
		if (!r->exclusive)
			tensor_store_i64(r->y, at, n, iacc);
	}
}

static void run_cumulate(void *arg, int64_t begin, int64_t end)
{
	const CumulateRun *r = arg;
	for (int64_t outer = begin; outer < end; outer++)
		for (int64_t col = 0; col < r->l.inner; col += BLOCK)
			cumulate_block(r, outer, col, r->l.inner - col < BLOCK ? r->l.inner - col : BLOCK);
}

bool eval_cumulate(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { COST = 5 };
	int64_t axis;
	CumulateRun r = {.x = in[0], .product = op_is(op, OP_cumprod), .exclusive = op_int(op, A_exclusive) != 0,
		.reverse = op_int(op, A_reverse) != 0, .is_float = dtype_is_float(in[0]->dtype)};
	if (tensor_ints(in[1], &axis, 1) != 1)
		return eval_error(e, op, "the axis is not a single integer");
	if (!r.is_float && !dtype_is_integer(r.x->dtype))
		return eval_error(e, op, "not defined on %s", dtype_friendly_name(r.x->dtype));
	if (!lanes_of(e, op, r.x, axis, &r.l))
		return false;
	r.y = tensor_like(e, r.x);
	if (!r.y)
		return false;
	if (r.y->count > 0)
		eval_ranges(e, r.l.outer, COST * r.l.size * r.l.inner, run_cumulate, &r);
	out[0] = r.y;
	return true;
}

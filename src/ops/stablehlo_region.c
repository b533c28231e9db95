/* StableHLO ops with regions: reduce, reduce_window, select_and_scatter, scatter, sort, map, case and if. */
#include "stablehlo_int.h"
#include "ops/label.h"

#include <stdlib.h>

/* Inputs and initial values of reduce and reduce_window: n of each. */
static bool count_inputs(EvalCtx *e, const Op *op, size_t *n)
{
	*n = op->noperands / 2;
	if (op->noperands % 2 || !*n || op->nresults != *n || op->nblocks != 1)
		return eval_error(e, op, "%u operands, %u results and %u regions", op->noperands, op->nresults, op->nblocks);
	return true;
}

/* Result k filled with the scalar init. */
static Tensor *filled(EvalCtx *e, const Op *op, const Tensor *init, int rank, const int64_t *dims)
{
	if (init->count != 1) {
		eval_error(e, op, "an initial value is not a scalar");
		return NULL;
	}
	Tensor *y = tensor_new(e, init->dtype, rank, dims);
	for (int64_t i = 0; y && i < y->count; i++)
		shlo_copy_element(y, i, init, 0);
	return y;
}

static bool same_shapes(EvalCtx *e, const Op *op, Tensor *const *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (in[i]->kind != TYPE_TENSOR)
			return eval_error(e, op, "%s is not a tensor", op_operand_said(e, op, i));
		if (in[i]->rank != in[0]->rank ||
			(in[0]->rank && memcmp(in[i]->dims, in[0]->dims, (size_t)in[0]->rank * sizeof *in[0]->dims)))
			return eval_error(e, op, "operands of different shapes");
	}
	return true;
}

/* Inputs and initial values in the types that the body works in, which may be wider. in gets a reference each. */
static bool promoted(EvalCtx *e, const Op *op, Tensor *const *given, size_t n, Tensor **in)
{
	const Block *b = op->blocks[0];
	for (size_t i = 0; i < 2 * n; i++) {
		const Type *t = b && i % n < b->nargs ? b->args[i % n]->type : NULL;
		bool same = !type_is_tensor(t) || t->dtype == DT_NONE || t->dtype == given[i]->dtype || given[i]->kind != TYPE_TENSOR;
		const Type *to = same ? NULL : type_tensor_of(e->ctx, t->dtype, given[i]->rank, given[i]->dims);
		if (same)
			in[i] = tensor_ref(given[i]);
		else if (!shlo_run_as(e, op, SHLO_convert, &given[i], 1, &to, 1, NULL, 0, &in[i]))
			return false;
	}
	return true;
}

static void release(Tensor **t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tensor_unref(t[i]);
}

/* ---- reduce ---- */

static bool run_reduce(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	size_t n;
	const int64_t *axes;
	size_t naxes = op_attr_ints(op, A_dimensions, &axes);
	int64_t dims[MAX_RANK], index[MAX_RANK] = { 0 }, o[MAX_RANK];
	int rank = 0, kept[MAX_RANK];
	Combiner c;
	if (!count_inputs(e, op, &n) || !same_shapes(e, op, in, n) || !combiner_init(&c, e, op, op->blocks[0], n))
		return false;
	for (int d = 0; d < in[0]->rank; d++)
		if (!shlo_is_one_of(axes, naxes, d)) {
			dims[rank] = in[0]->dims[d];
			kept[rank++] = d;
		}
	for (size_t k = 0; k < n; k++)
		if (!(out[k] = filled(e, op, in[n + k], rank, dims)))
			return false;
	for (int64_t i = 0; i < in[0]->count; i++) {
		for (int d = 0; d < rank; d++)
			o[d] = index[kept[d]];
		if (!combiner_apply(&c, out, shlo_flat(rank, dims, o), in, i))
			return false;
		shlo_next(in[0]->rank, in[0]->dims, index);
	}
	return true;
}

/* ---- windows ---- */

static bool run_reduce_window(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	size_t n;
	ShloWindow w;
	Combiner c;
	int64_t o[MAX_RANK] = { 0 };
	if (!count_inputs(e, op, &n) || !same_shapes(e, op, in, n) || !shlo_window(e, op, in[0], &w) ||
		!combiner_init(&c, e, op, op->blocks[0], n))
		return false;
	for (size_t k = 0; k < n; k++)
		if (!(out[k] = filled(e, op, in[n + k], w.rank, w.out)))
			return false;
	for (int64_t at = 0; at < out[0]->count; at++) {
		int64_t k[MAX_RANK] = { 0 };
		do {
			int64_t from = shlo_window_at(&w, o, k);
			if (from >= 0 ? !combiner_apply(&c, out, at, in, from) : !eval_step(e, op))
				return false;
		} while (shlo_next(w.rank, w.size, k));
		shlo_next(w.rank, w.out, o);
	}
	return true;
}

/* Runs on promoted operands. */
static bool run_promoted(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out, EvalFn *run)
{
	enum { MOST = 128 };
	Tensor *wide[MOST] = { NULL };
	size_t n;
	if (!count_inputs(e, op, &n))
		return false;
	if (op->noperands > MOST)
		return eval_unsupported(e, op, "more than %d operands", MOST);
	bool ok = promoted(e, op, in, n, wide) && run(e, op, wide, out);
	release(wide, op->noperands);
	return ok;
}

bool eval_shlo_reduce(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	return run_promoted(e, op, in, out, run_reduce);
}

bool eval_shlo_reduce_window(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	return run_promoted(e, op, in, out, run_reduce_window);
}

/* The element of a window that `select` prefers: it stays while select(it, other) holds. */
static bool select_in_window(EvalCtx *e, const Op *op, const ShloWindow *w, const Tensor *x, const int64_t *o,
	int64_t *best)
{
	int64_t k[MAX_RANK] = { 0 };
	*best = -1;
	do {
		int64_t from = shlo_window_at(w, o, k);
		Tensor *args[2], *got = NULL;
		if (from < 0)
			continue;
		if (*best < 0) {
			*best = from;
			continue;
		}
		args[0] = shlo_scalar(e, x, *best);
		args[1] = shlo_scalar(e, x, from);
		bool ok = args[0] && args[1] && eval_step(e, op) && eval_block(e, op->blocks[0], args, 2, &got, 1);
		if (ok && !tensor_get_i64(got, 0))
			*best = from;
		tensor_unref(args[0]);
		tensor_unref(args[1]);
		tensor_unref(got);
		if (!ok)
			return false;
	} while (shlo_next(w->rank, w->size, k));
	return true;
}

bool eval_shlo_select_and_scatter(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	ShloWindow w;
	Combiner c;
	int64_t o[MAX_RANK] = { 0 }, best;
	if (op->nblocks != 2 || !op->blocks[0] || op->blocks[0]->nargs != 2)
		return eval_error(e, op, "it has no select and scatter regions");
	if (!shlo_window(e, op, in[0], &w) || !combiner_init(&c, e, op, op->blocks[1], 1))
		return false;
	if (in[1]->rank != w.rank || (w.rank && memcmp(in[1]->dims, w.out, (size_t)w.rank * sizeof *w.out)))
		return eval_error(e, op, "the source's shape is not that of the windows");
	if (!(out[0] = filled(e, op, in[2], in[0]->rank, in[0]->dims)))
		return false;
	for (int64_t at = 0; at < in[1]->count; at++) {
		if (!select_in_window(e, op, &w, in[0], o, &best) || (best >= 0 && !combiner_apply(&c, out, best, &in[1], at)))
			return false;
		shlo_next(w.rank, w.out, o);
	}
	return true;
}

/* ---- scatter ---- */

typedef struct Scatter {
	const int64_t *window, *inserted, *batch, *index_batch, *map;
	size_t nwindow, ninserted, nbatch, nindex_batch, nmap;
	int64_t vector_dim;
} Scatter;

static bool scatter_form(EvalCtx *e, const Op *op, const Tensor *x, const Tensor *index, const Tensor *u, Scatter *s)
{
	const AttrName a = A_scatter_dimension_numbers;
	s->nwindow = shlo_field_ints(op, a, "update_window_dims", &s->window);
	s->ninserted = shlo_field_ints(op, a, "inserted_window_dims", &s->inserted);
	s->nbatch = shlo_field_ints(op, a, "input_batching_dims", &s->batch);
	s->nindex_batch = shlo_field_ints(op, a, "scatter_indices_batching_dims", &s->index_batch);
	s->nmap = shlo_field_ints(op, a, "scatter_dims_to_operand_dims", &s->map);
	s->vector_dim = shlo_field_int(op, a, "index_vector_dim");
	bool ok = s->nwindow + s->ninserted + s->nbatch == (size_t)x->rank && s->nbatch == s->nindex_batch &&
		s->vector_dim >= 0 && s->vector_dim <= index->rank && dtype_is_integer(index->dtype) &&
		(size_t)u->rank == s->nwindow + (size_t)(index->rank - (s->vector_dim < index->rank));
	int64_t depth = ok && s->vector_dim < index->rank ? index->dims[s->vector_dim] : 1;
	ok = ok && depth == (int64_t)s->nmap;
	for (size_t i = 0; ok && i < s->nmap; i++)
		ok = s->map[i] >= 0 && s->map[i] < x->rank;
	for (size_t i = 0; ok && i < s->nbatch; i++)
		ok = s->batch[i] >= 0 && s->batch[i] < x->rank && s->index_batch[i] >= 0 && s->index_batch[i] < index->rank &&
			s->index_batch[i] != s->vector_dim;
	return ok || eval_error(e, op, "malformed scatter dimension numbers");
}

/* The dims of the updates that are no window must be those of the indices. */
static bool scatter_updates_fit(EvalCtx *e, const Op *op, const Scatter *s, const Tensor *index, const Tensor *u)
{
	int d = 0;
	bool ok = true;
	for (size_t i = 0; ok && i < s->nwindow; i++)
		ok = s->window[i] >= 0 && s->window[i] < u->rank;
	for (int i = 0; ok && i < u->rank; i++) {
		if (shlo_is_one_of(s->window, s->nwindow, i))
			continue;
		d += d == s->vector_dim;
		ok = d < index->rank && u->dims[i] == index->dims[d];
		d++;
	}
	return ok || eval_error(e, op, "updates whose sizes are not those of the indices and of a window");
}

/* Where update u goes in x; false outside. */
static bool scatter_target(const Scatter *s, const Tensor *x, const Tensor *index, int urank, const int64_t *u,
	int64_t *at)
{
	int64_t si[MAX_RANK] = { 0 }, full[MAX_RANK] = { 0 };
	int d = 0;
	for (int i = 0; i < urank; i++) {
		if (shlo_is_one_of(s->window, s->nwindow, i))
			continue;
		if (d == s->vector_dim)
			d++;
		si[d++] = u[i];
	}
	for (size_t i = 0; i < s->nmap; i++) {
		if (s->vector_dim < index->rank)
			si[s->vector_dim] = (int64_t)i;
		full[s->map[i]] = tensor_get_i64(index, shlo_flat(index->rank, index->dims, si));
		if (dtype_class(index->dtype) == DC_UINT && full[s->map[i]] < 0)
			return false;
	}
	for (size_t i = 0; i < s->nbatch; i++)
		full[s->batch[i]] = si[s->index_batch[i]];
	size_t w = 0;
	for (int i = 0; i < x->rank; i++)
		if (!shlo_is_one_of(s->inserted, s->ninserted, i) && !shlo_is_one_of(s->batch, s->nbatch, i)) {
			if (w == s->nwindow || !add_ok(full[i], u[s->window[w++]], &full[i]))
				return false;
		}
	for (int i = 0; i < x->rank; i++)
		if (full[i] < 0 || full[i] >= x->dims[i])
			return false;
	*at = shlo_flat(x->rank, x->dims, full);
	return true;
}

bool eval_shlo_scatter(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	size_t n = op->noperands / 2;
	Scatter s;
	Combiner c;
	int64_t u[MAX_RANK] = { 0 }, at;
	if (op->noperands % 2 == 0 || n == 0 || op->nresults != n || op->nblocks != 1)
		return eval_error(e, op, "%u operands and %u results", op->noperands, op->nresults);
	const Tensor *index = in[n];
	Tensor *const *updates = in + n + 1;
	if (!same_shapes(e, op, in, n) || !same_shapes(e, op, updates, n) || !combiner_init(&c, e, op, op->blocks[0], n) ||
		!scatter_form(e, op, in[0], index, updates[0], &s) || !scatter_updates_fit(e, op, &s, index, updates[0]))
		return false;
	for (size_t k = 0; k < n; k++) {
		if (updates[k]->dtype != in[k]->dtype)
			return eval_error(e, op, "updates of another type than the operand");
		if (!(out[k] = tensor_like(e, in[k])))
			return false;
		memcpy(out[k]->data, in[k]->data, (size_t)in[k]->count * tensor_elem_size(in[k]));
	}
	for (int64_t i = 0; i < updates[0]->count; i++) {
		if (scatter_target(&s, in[0], index, updates[0]->rank, u, &at) && !combiner_apply(&c, out, at, updates, i))
			return false;
		shlo_next(updates[0]->rank, updates[0]->dims, u);
	}
	return true;
}

/* ---- sort ---- */

typedef struct Sorter {
	EvalCtx *e;
	const Op *op;
	Tensor *const *in;
	size_t n;
	bool failed;
	int64_t base, step; /* of the line being sorted */
} Sorter;

enum { MAX_SORTED = 64 };

/* comparator(a0, b0, a1, b1, ...). */
static bool before(Sorter *s, int64_t a, int64_t b)
{
	Tensor *args[2 * MAX_SORTED] = { NULL }, *got = NULL;
	bool ok = !s->failed && eval_step(s->e, s->op), yes = false;
	for (size_t k = 0; ok && k < s->n; k++) {
		args[2 * k] = shlo_scalar(s->e, s->in[k], s->base + a * s->step);
		args[2 * k + 1] = shlo_scalar(s->e, s->in[k], s->base + b * s->step);
		ok = args[2 * k] && args[2 * k + 1];
	}
	ok = ok && eval_block(s->e, s->op->blocks[0], args, 2 * s->n, &got, 1);
	if (ok)
		yes = tensor_get_i64(got, 0) != 0;
	for (size_t k = 0; k < 2 * s->n; k++)
		tensor_unref(args[k]);
	tensor_unref(got);
	s->failed |= !ok;
	return yes;
}

/* Stable merge sort of places. */
static void sort_places(Sorter *s, int64_t *v, int64_t *tmp, int64_t n)
{
	if (n < 2)
		return;
	int64_t half = n / 2, i = 0, k = half;
	sort_places(s, v, tmp, half);
	sort_places(s, v + half, tmp, n - half);
	memcpy(tmp, v, (size_t)n * sizeof *v);
	for (int64_t at = 0; at < n; at++) {
		if (k == n)
			v[at] = tmp[i++];
		else if (i == half || before(s, tmp[k], tmp[i]))
			v[at] = tmp[k++];
		else
			v[at] = tmp[i++];
	}
}

bool eval_shlo_sort(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	size_t n = op->noperands;
	Sorter s = { .e = e, .op = op, .in = in, .n = n, .step = 1 };
	int axis;
	if (n == 0 || n > MAX_SORTED || op->nresults != n || op->nblocks != 1 || !op->blocks[0] ||
		op->blocks[0]->nargs != 2 * n)
		return eval_error(e, op, "%zu operands and %u results", n, op->nresults);
	if (!same_shapes(e, op, in, n))
		return false;
	if (!axis_norm(op_attr_int(op, A_dimension, -1), in[0]->rank, &axis))
		return eval_error(e, op, "dimension is out of range");
	int64_t len = in[0]->dims[axis], outer = 1;
	for (int d = axis + 1; d < in[0]->rank; d++)
		s.step *= in[0]->dims[d];
	for (int d = 0; d < axis; d++)
		outer *= in[0]->dims[d];
	for (size_t k = 0; k < n; k++)
		if (!(out[k] = tensor_like(e, in[k])))
			return false;
	int64_t two = 2 * len;
	Tensor *work = in[0]->count ? tensor_new(e, DT_I64, 1, &two) : NULL;
	if (in[0]->count && !work)
		return false;
	for (int64_t line = 0; work && line < outer * s.step && !s.failed; line++) {
		int64_t *v = work->data;
		s.base = line / s.step * s.step * len + line % s.step;
		for (int64_t i = 0; i < len; i++)
			v[i] = i;
		sort_places(&s, v, v + len, len);
		for (size_t k = 0; k < n; k++)
			for (int64_t i = 0; i < len; i++)
				shlo_copy_element(out[k], s.base + i * s.step, in[k], s.base + v[i] * s.step);
	}
	tensor_unref(work);
	return !s.failed;
}

/* ---- map ---- */

bool eval_shlo_map(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	size_t n = op->noperands;
	Tensor *args[MAX_SORTED], *got;
	if (n == 0 || n > MAX_SORTED || op->nblocks != 1 || !op->blocks[0] || op->blocks[0]->nargs != n)
		return eval_error(e, op, "%zu operands", n);
	if (!same_shapes(e, op, in, n) ||
		!(out[0] = tensor_new(e, shlo_result_dtype(op, 0, in[0]->dtype), in[0]->rank, in[0]->dims)))
		return false;
	for (int64_t i = 0; i < in[0]->count; i++) {
		bool ok = eval_step(e, op);
		got = NULL;
		for (size_t k = 0; k < n; k++) {
			args[k] = ok ? shlo_scalar(e, in[k], i) : NULL;
			ok = ok && args[k];
		}
		ok = ok && eval_block(e, op->blocks[0], args, n, &got, 1);
		if (ok && got->dtype != out[0]->dtype)
			ok = eval_error(e, op, "its region gives a value of another type");
		if (ok)
			shlo_copy_element(out[0], i, got, 0);
		for (size_t k = 0; k < n; k++)
			tensor_unref(args[k]);
		tensor_unref(got);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- branches ---- */

/* if: the first block when true; case: block number, the last one when out of range. */
bool eval_shlo_case(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	if (in[0]->kind != TYPE_TENSOR || in[0]->count != 1 || op->nblocks == 0)
		return eval_error(e, op, "the condition is not a single number");
	int64_t i = tensor_get_i64(in[0], 0);
	if (op_is(op, SHLO_if))
		i = i ? 0 : 1;
	if (i < 0 || i >= op->nblocks)
		i = op->nblocks - 1;
	if (!op->blocks[i])
		return eval_error(e, op, "a region is missing");
	return eval_block(e, op->blocks[i], NULL, 0, out, op->nresults);
}

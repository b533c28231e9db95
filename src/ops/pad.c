/* Repetition, borders and order: pad, tile, reverse, reverse_sequence, depth_to_space, space_to_depth, trilu. */
#include "move.h"

#include <string.h>

/* Where each result dim reads from: map[d][i] is x's index for y's index i, or -1 where y keeps what it holds. The arrays
 * lie in one scratch tensor. */
typedef struct DimMap {
	Tensor *scratch;
	int64_t *map[MAX_RANK];
} DimMap;

static bool map_init_dims(EvalCtx *e, DimMap *m, int rank, const int64_t *dims)
{
	int64_t total = 1, at = 0;
	for (int d = 0; d < rank; d++)
		if (!add_ok(total, dims[d], &total))
			return false;
	m->scratch = tensor_new(e, DT_I64, 1, &total);
	for (int d = 0; m->scratch && d < rank; d++) {
		m->map[d] = (int64_t *)m->scratch->data + at;
		at += dims[d];
	}
	return m->scratch != NULL;
}

/* y's last dim is walked element by element; the outer ones by an odometer whose position is -1 when any index is. */
static void move_mapped(Tensor *y, const Tensor *x, const DimMap *m)
{
	int64_t index[MAX_RANK] = { 0 }, strides[MAX_RANK];
	size_t size = tensor_elem_size(x);
	if (y->count == 0)
		return;
	strides_of(x->rank, x->dims, strides);
	if (y->rank == 0) {
		move_element(y->data, x->data, size);
		return;
	}
	int last = y->rank - 1;
	for (int64_t done = 0; done < y->count; done += y->dims[last]) {
		int64_t base = 0;
		for (int d = 0; d < last && base >= 0; d++)
			base = m->map[d][index[d]] < 0 ? -1 : base + m->map[d][index[d]] * strides[d];
		for (int64_t i = 0; base >= 0 && i < y->dims[last]; i++)
			if (m->map[last][i] >= 0)
				move_element(element_at(y, done + i), element_at(x, base + m->map[last][i]), size);
		for (int d = last - 1; d >= 0; d--) {
			if (++index[d] < y->dims[d])
				break;
			index[d] = 0;
		}
	}
}

/* ---- pad ---- */

/* Position of each entry of pads (all begins, then all ends) for `rank` dims; false + error when they do not fit. */
static bool pad_axes_ok(const Op *op, int rank, int64_t npads, int *axes, int *n)
{
	const int64_t *v;
	size_t given = op_attr_ints(op, A_axes, &v);
	*n = op_attr(op, A_axes) ? (int)given : rank;
	bool seen[MAX_RANK] = { false };
	if (rank > MAX_RANK || *n > rank || npads != 2 * (int64_t)*n)
		return false;
	for (int i = 0; i < *n; i++) {
		axes[i] = i;
		if (op_attr(op, A_axes) && (!axis_norm(v[i], rank, &axes[i])))
			return false;
		if (seen[axes[i]])
			return false;
		seen[axes[i]] = true;
	}
	return true;
}

bool infer_pad(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const Elems *e = infer_elems(x, op_operand(op, 1));
	if (!type_has_rank(t) || t->rank > MAX_RANK) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	int axes[MAX_RANK], n;
	int64_t npads = e ? e->n : infer_length(op_operand(op, 1));
	const Sym **dims = infer_dims_copy(x, t, 0);
	if (npads < 0) {
		for (int d = 0; d < t->rank; d++)
			dims[d] = infer_unknown(x, op, 0, d);
		infer_dims(x, op, 0, t, t->rank, dims);
		return true;
	}
	if (!pad_axes_ok(op, t->rank, npads, axes, &n))
		return infer_error(x, op, "%lld pads for rank %d", (long long)npads, t->rank);
	for (int i = 0; i < n; i++) {
		int d = axes[i];
		if (!e || sym_is_unknown(e->v[i]) || sym_is_unknown(e->v[i + n])) {
			dims[d] = infer_unknown(x, op, 0, d);
			continue;
		}
		int64_t size;
		dims[d] = sym_add(x->ctx, t->dims[d], sym_add(x->ctx, e->v[i], e->v[i + n]));
		if (sym_const(dims[d], &size) && size < 0)
			return infer_error(x, op, "dimension %d would have %lld elements", d, (long long)size);
	}
	infer_dims(x, op, 0, t, t->rank, dims);
	return true;
}

/* Index of x that a padded position takes, n > 0. */
static int64_t pad_source(char mode, int64_t i, int64_t n)
{
	if (i >= 0 && i < n)
		return i;
	if (mode == 'e')
		return i < 0 ? 0 : n - 1;
	int64_t period = mode == 'w' ? n : n == 1 ? 1 : 2 * (n - 1);
	int64_t r = i % period;
	r = r < 0 ? r + period : r;
	return r < n ? r : period - r;
}

static bool pad_map(EvalCtx *e, const Op *op, const Tensor *x, const int64_t *begin, const Tensor *y, char mode, DimMap *m)
{
	for (int d = 0; d < x->rank; d++) {
		if (mode != 'c' && x->dims[d] == 0 && y->dims[d] > 0)
			return eval_error(e, op, "dimension %d is empty and has nothing to pad with", d);
		for (int64_t i = 0; i < y->dims[d]; i++) {
			int64_t from = i - begin[d];
			bool inside = from >= 0 && from < x->dims[d];
			m->map[d][i] = inside ? from : mode == 'c' ? -1 : pad_source(mode, from, x->dims[d]);
		}
	}
	return true;
}

static bool pad_dims(EvalCtx *e, const Op *op, const Tensor *x, Tensor *pads, int64_t *begin, int64_t *dims)
{
	int axes[MAX_RANK], n;
	Tensor *list = eval_int64s(e, op, pads, "pads");
	if (!list)
		return false;
	bool ok = pad_axes_ok(op, x->rank, list->count, axes, &n);
	if (!ok)
		eval_error(e, op, "%lld pads for rank %d", (long long)list->count, x->rank);
	memset(begin, 0, MAX_RANK * sizeof(*begin));
	memcpy(dims, x->dims, MAX_RANK * sizeof(*dims));
	for (int i = 0; ok && i < n; i++) {
		int d = axes[i];
		begin[d] = int64s_of(list)[i];
		ok = add_ok(dims[d], begin[d], &dims[d]) && add_ok(dims[d], int64s_of(list)[i + n], &dims[d]) && dims[d] >= 0;
		if (!ok)
			eval_error(e, op, "the pads of dimension %d give no valid size", d);
	}
	tensor_unref(list);
	return ok;
}

bool eval_pad(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *value = op->noperands > 2 ? in[2] : NULL;
	const char *mode = op_text(op, A_mode);
	int64_t begin[MAX_RANK], dims[MAX_RANK];
	DimMap m;
	if (strcmp(mode, "constant") && strcmp(mode, "reflect") && strcmp(mode, "edge") && strcmp(mode, "wrap"))
		return eval_error(e, op, "mode \"%s\" is none of constant, reflect, edge, wrap", mode);
	if (value && (value->count != 1 || value->dtype != x->dtype))
		return eval_error(e, op, "the padding value must be one element of the operand's type");
	if (!pad_dims(e, op, x, in[1], begin, dims))
		return false;
	Tensor *y = out[0] = tensor_new(e, x->dtype, x->rank, dims);
	if (!y || !map_init_dims(e, &m, x->rank, dims))
		return false;
	if (value) {
		int64_t still[MAX_RANK] = { 0 };
		move_strided(y, value, 0, still);
	}
	bool ok = pad_map(e, op, x, begin, y, mode[0], &m);
	if (ok)
		move_mapped(y, x, &m);
	tensor_unref(m.scratch);
	return ok;
}

/* ---- tile ---- */

bool infer_tile(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const Elems *e = infer_elems(x, op_operand(op, 1));
	if (!type_has_rank(t)) {
		int64_t n = e ? e->n : infer_length(op_operand(op, 1)); /* one repeat count a dim */
		if (n < 0 || n > MAX_RANK) {
			infer_rank_unknown(x, op, t);
			return true;
		}
		const Sym *open[MAX_RANK];
		for (int d = 0; d < (int)n; d++)
			open[d] = infer_unknown(x, op, 0, d);
		infer_result(x, op, 0, type_tensor(x->ctx, type_is_tensor(t) ? t->dtype : DT_NONE, (int)n, open));
		return true;
	}
	if (e && e->n != t->rank)
		return infer_error(x, op, "%lld repeats for rank %d", (long long)e->n, t->rank);
	const Sym **dims = infer_dims_copy(x, t, 0);
	for (int d = 0; d < t->rank; d++) {
		if (e && sym_upper(e->v[d]) < 0)
			return infer_error(x, op, "the repeat count of dimension %d is negative", d);
		if (!sym_is(dims[d], 0))
			dims[d] = e && !sym_is_unknown(e->v[d]) ? sym_mul(x->ctx, dims[d], e->v[d]) : infer_unknown(x, op, 0, d);
	}
	infer_dims(x, op, 0, t, t->rank, dims);
	return true;
}

bool eval_tile(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int64_t repeats[MAX_RANK], dims[MAX_RANK];
	int n;
	DimMap m;
	if (!eval_dims(e, op, in[1], "repeats", repeats, &n))
		return false;
	if (n != x->rank)
		return eval_error(e, op, "%d repeats for rank %d", n, x->rank);
	for (int d = 0; d < n; d++)
		if (repeats[d] < 0 || !mul_ok(x->dims[d], repeats[d], &dims[d]))
			return eval_error(e, op, "%lld repeats of dimension %d", (long long)repeats[d], d);
	Tensor *y = out[0] = tensor_new(e, x->dtype, n, dims);
	if (!y || !map_init_dims(e, &m, n, dims))
		return false;
	for (int d = 0; d < n; d++)
		for (int64_t i = 0; i < dims[d]; i++)
			m.map[d][i] = i % x->dims[d];
	move_mapped(y, x, &m);
	tensor_unref(m.scratch);
	return true;
}

/* ---- reverse, reverse_sequence ---- */

bool eval_reverse(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	bool mask[MAX_RANK] = { false };
	int64_t strides[MAX_RANK], base = 0;
	if (!eval_axes(e, op, x->rank, false, mask) || !(out[0] = tensor_like(e, x)))
		return false;
	strides_of(x->rank, x->dims, strides);
	for (int d = 0; d < x->rank; d++) {
		if (!mask[d] || x->dims[d] == 0)
			continue;
		base += (x->dims[d] - 1) * strides[d];
		strides[d] = -strides[d];
	}
	move_strided(out[0], x, base, strides);
	return true;
}

bool eval_reverse_sequence(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int batch, time;
	if (!eval_axis(e, op, op_int(op, A_batch_axis), x->rank, &batch) ||
			!eval_axis(e, op, op_int(op, A_time_axis), x->rank, &time))
		return false;
	Tensor *lens = eval_int64s(e, op, in[1], "sequence lengths");
	if (!lens)
		return false;
	bool ok = batch != time && lens->count == x->dims[batch];
	for (int64_t i = 0; ok && i < lens->count; i++)
		ok = int64s_of(lens)[i] >= 0 && int64s_of(lens)[i] <= x->dims[time];
	if (!ok)
		eval_error(e, op, "the sequence lengths do not fit the operand");
	Tensor *y = ok ? tensor_like(e, x) : NULL;
	if (y) {
		int64_t strides[MAX_RANK];
		size_t size = tensor_elem_size(x);
		strides_of(x->rank, x->dims, strides);
		for (int64_t i = 0; i < x->count; i++) {
			int64_t len = int64s_of(lens)[i / strides[batch] % x->dims[batch]];
			int64_t t = i / strides[time] % x->dims[time];
			int64_t from = t < len ? i + (len - 1 - 2 * t) * strides[time] : i;
			move_element(element_at(y, i), element_at(x, from), size);
		}
	}
	tensor_unref(lens);
	out[0] = y;
	return y != NULL;
}

/* ---- depth_to_space, space_to_depth ---- */

/* Channels and two spatial dims of an image operand of known rank. */
static bool infer_blocks(InferCtx *x, Op *op, bool to_space)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	int64_t b = op_int(op, A_blocksize), c;
	if (!type_has_rank(t)) {
		const Sym *open[4];
		for (int d = 0; d < 4; d++)
			open[d] = infer_unknown(x, op, 0, d);
		infer_result(x, op, 0, type_tensor(x->ctx, type_is_tensor(t) ? t->dtype : DT_NONE, 4, open));
		return true;
	}
	if (t->rank != 4 || b < 1 || b > INT32_MAX)
		return infer_error(x, op, "rank %d and block size %lld do not make blocks of an image", t->rank, (long long)b);
	const Sym *side = sym_int(x->ctx, b), *area = sym_int(x->ctx, b * b);
	for (int d = to_space ? 1 : 2; d < (to_space ? 2 : 4); d++)
		if (sym_const(t->dims[d], &c) && c % (to_space ? b * b : b))
			return infer_error(x, op, "dimension %d of size %lld is no multiple of the block", d, (long long)c);
	const Sym *dims[4] = { t->dims[0] };
	dims[1] = to_space ? sym_floordiv(x->ctx, t->dims[1], area) : sym_mul(x->ctx, t->dims[1], area);
	for (int d = 2; d < 4; d++)
		dims[d] = to_space ? sym_mul(x->ctx, t->dims[d], side) : sym_floordiv(x->ctx, t->dims[d], side);
	infer_dims(x, op, 0, t, 4, dims);
	return true;
}

bool infer_depth_to_space(InferCtx *x, Op *op)
{
	return infer_blocks(x, op, true);
}

bool infer_space_to_depth(InferCtx *x, Op *op)
{
	return infer_blocks(x, op, false);
}

/* y of 4 dims seen with 6, read from x with the given element steps. */
static void move_blocks(const Tensor *y, const Tensor *x, const int64_t *dims, const int64_t *step)
{
	Tensor shape = *y;
	shape.rank = 6;
	memcpy(shape.dims, dims, 6 * sizeof(*dims));
	move_strided(&shape, x, 0, step);
}

bool eval_depth_to_space(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int64_t b = op_int(op, A_blocksize);
	bool crd = !strcmp(op_text(op, A_mode), "CRD");
	if (!crd && strcmp(op_text(op, A_mode), "DCR"))
		return eval_error(e, op, "mode \"%s\" is neither DCR nor CRD", op_text(op, A_mode));
	if (x->rank != 4 || b < 1 || b > INT32_MAX || x->dims[1] % (b * b))
		return eval_error(e, op, "the operand does not divide into blocks of size %lld", (long long)b);
	int64_t c = x->dims[1] / (b * b), h = x->dims[2], w = x->dims[3];
	int64_t shape[4] = { x->dims[0], c };
	if (!mul_ok(h, b, &shape[2]) || !mul_ok(w, b, &shape[3]))
		return eval_error(e, op, "the result is too large");
	if (!(out[0] = tensor_new(e, x->dtype, 4, shape)))
		return false;
	int64_t plane = h * w, row = crd ? b * plane : b * c * plane, col = crd ? plane : c * plane;
	int64_t dims[6] = { x->dims[0], c, h, b, w, b };
	int64_t step[6] = { x->dims[1] * plane, crd ? b * b * plane : plane, w, row, 1, col };
	move_blocks(out[0], x, dims, step);
	return true;
}

bool eval_space_to_depth(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int64_t b = op_int(op, A_blocksize);
	if (x->rank != 4 || b < 1 || b > INT32_MAX || x->dims[2] % b || x->dims[3] % b)
		return eval_error(e, op, "the operand does not divide into blocks of size %lld", (long long)b);
	int64_t c = x->dims[1], h = x->dims[2] / b, w = x->dims[3] / b;
	int64_t shape[4] = { x->dims[0], 0, h, w };
	if (!mul_ok(c, b * b, &shape[1]))
		return eval_error(e, op, "the result is too large");
	if (!(out[0] = tensor_new(e, x->dtype, 4, shape)))
		return false;
	int64_t plane = x->dims[2] * x->dims[3];
	int64_t dims[6] = { x->dims[0], b, b, c, h, w };
	int64_t step[6] = { c * plane, x->dims[3], 1, plane, b * x->dims[3], b };
	move_blocks(out[0], x, dims, step);
	return true;
}

/* ---- trilu ---- */

bool eval_trilu(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *kt = op->noperands > 1 ? in[1] : NULL;
	bool upper = op_int(op, A_upper) != 0;
	if (x->rank < 2)
		return eval_error(e, op, "the operand has rank %d, less than 2", x->rank);
	if (kt && (kt->count != 1 || !dtype_is_integer(kt->dtype)))
		return eval_error(e, op, "k must be one integer");
	int64_t k = kt ? tensor_get_i64(kt, 0) : 0;
	int64_t rows = x->dims[x->rank - 2], cols = x->dims[x->rank - 1];
	if (!(out[0] = tensor_like(e, x)))
		return false;
	k = k < -rows ? -rows : k > cols ? cols : k; /* beyond that nothing changes */
	size_t size = tensor_elem_size(x);
	for (int64_t at = 0, i = 0; at < x->count; at += cols, i = i + 1 == rows ? 0 : i + 1) {
		int64_t cut = upper ? i + k : i + k + 1; /* first column of the upper part kept, or past the lower */
		cut = cut < 0 ? 0 : cut > cols ? cols : cut;
		int64_t from = upper ? cut : 0, n = upper ? cols - cut : cut;
		if (n > 0)
			memcpy(element_at(out[0], at + from), element_at(x, at + from), (size_t)n * size);
	}
	return true;
}

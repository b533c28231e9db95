/* Other shapes for the same elements: reshape and its special cases, transpose. */
#include "move.h"

#include <string.h>

/* ---- reshape ---- */

/* What is known of one requested size. */
typedef enum Want {
	WANT_SIZE,  /* dims[i] */
	WANT_REST,  /* -1: what remains */
	WANT_GUESS, /* not known: a size, or -1 */
	WANT_OPEN   /* a copy of a dim that is not known */
} Want;

typedef struct Request {
	int rank;
	Want *want;
	const Sym **dims;
	int nrest, nguess, nopen;
} Request;

static bool request_dim(InferCtx *x, const Op *op, const Type *t, const Sym *s, int i, Request *r)
{
	int64_t v;
	r->want[i] = WANT_SIZE;
	r->dims[i] = s;
	if (sym_const(s, &v)) {
		if (v > 0 || (v == 0 && op_int(op, A_allowzero)))
			return true;
		if (v < -1)
			return infer_error(x, op, "size %lld of dimension %d is negative", (long long)v, i);
		if (v == -1) {
			r->want[i] = WANT_REST;
			if (++r->nrest > 1)
				return infer_error(x, op, "more than one size is -1");
			return true;
		}
		if (type_has_rank(t) && i >= t->rank)
			return infer_error(x, op, "size %d copies a dimension that the operand of rank %d lacks", i, t->rank);
		if (type_has_rank(t)) {
			r->dims[i] = t->dims[i];
		} else {
			r->want[i] = WANT_OPEN;
			r->nopen++;
		}
		return true;
	}
	if (infer_is_vague(s) && !sym_nonneg(s)) {
		r->want[i] = WANT_GUESS;
		r->nguess++;
	}
	return true;
}

/* The size that the others leave, when all of them are known; NULL when it cannot be told. */
static const Sym *remaining(InferCtx *x, const Type *t, const Request *r, int skip)
{
	if (!type_has_rank(t))
		return NULL;
	const Sym *rest = sym_int(x->ctx, 1), *all = type_numel(x->ctx, t);
	for (int i = 0; i < r->rank; i++)
		if (i != skip)
			rest = sym_mul(x->ctx, rest, r->dims[i]);
	int64_t a, b;
	if (sym_const(rest, &b) && b == 0)
		return NULL;
	if (sym_const(rest, &b) && sym_const(all, &a) && a % b)
		return NULL;
	return sym_floordiv(x->ctx, all, rest);
}

/* A constant size and an unknown one that is all the rest: both sides of the same count. */
static void settle_request(InferCtx *x, const Op *op, const Type *t, Request *r)
{
	bool single = r->nopen == 0 && r->nrest + r->nguess == 1;
	for (int i = 0; i < r->rank; i++) {
		if (r->want[i] == WANT_SIZE)
			continue;
		const Sym *s = single ? remaining(x, t, r, i) : NULL;
		if (s && sym_is_unknown(s))
			s = NULL;
		r->dims[i] = s ? s : infer_unknown(x, op, 0, i);
	}
}

static bool check_counts(InferCtx *x, const Op *op, const Type *t, const Request *r)
{
	int64_t have, want = 1, v;
	if (!type_static_numel(t, &have))
		return true;
	for (int i = 0; i < r->rank; i++)
		if (r->want[i] != WANT_REST && (r->want[i] != WANT_SIZE || !sym_const(r->dims[i], &v) || !mul_ok(want, v, &want)))
			return true;
	if (r->nrest ? (want == 0 || have % want) : have != want)
		return infer_error(x, op, "%lld elements do not fit the requested shape of %s%lld", (long long)have,
			r->nrest ? "a multiple of " : "", (long long)want);
	return true;
}

bool infer_reshape(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0), *shape = op_operand(op, 1);
	if (!v || !shape)
		return true;
	const Type *t = v->type;
	const Elems *e = infer_elems(x, shape);
	int64_t n = e ? e->n : infer_length(shape);
	if (n < 0 || n > INT16_MAX) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	Request r = { .rank = (int)n, .want = NEW_ARRAY(x->arena, Want, n + 1), .dims = NEW_ARRAY(x->arena, const Sym *, n + 1) };
	for (int i = 0; i < r.rank; i++) {
		if (!e) {
			r.want[i] = WANT_GUESS;
			r.nguess++;
		} else if (!request_dim(x, op, t, e->v[i], i, &r)) {
			return false;
		}
	}
	if (!check_counts(x, op, t, &r))
		return false;
	settle_request(x, op, t, &r);
	Type y = { .kind = TYPE_TENSOR, .dtype = type_is_tensor(t) ? t->dtype : DT_NONE, .rank = r.rank, .dims = r.dims,
		.text = type_is_tensor(t) ? t->text : NULL };
	infer_result(x, op, 0, type_make(x->ctx, y));
	return true;
}

bool eval_reshape(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	bool allowzero = op_int(op, A_allowzero) != 0;
	int64_t dims[MAX_RANK], known = 1;
	int rank, rest = -1;
	if (!eval_dims(e, op, in[1], "shape", dims, &rank))
		return false;
	for (int i = 0; i < rank; i++) {
		if (dims[i] == 0 && !allowzero) {
			if (i >= x->rank)
				return eval_error(e, op, "size %d copies a dimension that the operand of rank %d lacks", i, x->rank);
			dims[i] = x->dims[i];
		} else if (dims[i] == -1) {
			if (rest >= 0)
				return eval_error(e, op, "more than one size is -1");
			rest = i;
			continue;
		}
		if (dims[i] < 0 || !mul_ok(known, dims[i], &known))
			return eval_error(e, op, "size %lld of dimension %d is not valid", (long long)dims[i], i);
	}
	if (rest >= 0) {
		if (known == 0 || x->count % known)
			return eval_error(e, op, "%lld elements are no multiple of %lld", (long long)x->count, (long long)known);
		dims[rest] = x->count / known;
		known = x->count;
	}
	if (known != x->count)
		return eval_error(e, op, "%lld elements do not fit a shape of %lld", (long long)x->count, (long long)known);
	out[0] = tensor_view(e, in[0], rank, dims);
	return out[0] != NULL;
}

/* ---- flatten, squeeze, unsqueeze ---- */

/* The two sides of flatten: axis in [-rank, rank]. */
static bool flatten_axis(const Op *op, int rank, int *axis)
{
	int64_t a = op_int(op, A_axis);
	a = a < 0 ? a + rank : a;
	*axis = (int)a;
	return a >= 0 && a <= rank;
}

bool infer_flatten(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	int axis;
	if (!type_has_rank(t)) {
		const Sym *open[2] = { infer_unknown(x, op, 0, 0), infer_unknown(x, op, 0, 1) };
		infer_result(x, op, 0, type_tensor(x->ctx, type_is_tensor(t) ? t->dtype : DT_NONE, 2, open));
		return true;
	}
	if (!flatten_axis(op, t->rank, &axis))
		return infer_error(x, op, "axis %lld is out of range for rank %d", (long long)op_int(op, A_axis), t->rank);
	const Sym *const *rest = t->rank ? t->dims + axis : NULL;
	const Sym *dims[2] = { sym_product(x->ctx, t->dims, axis), sym_product(x->ctx, rest, t->rank - axis) };
	infer_dims(x, op, 0, t, 2, dims);
	return true;
}

/* Mask of the axes attribute over `rank` dims. */
static bool infer_axes(InferCtx *x, const Op *op, int rank, bool *mask)
{
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	for (size_t i = 0; i < n; i++) {
		int d;
		if (!infer_axis(x, op, axes[i], rank, &d))
			return false;
		if (mask[d])
			return infer_error(x, op, "axis %d is given twice", d);
		mask[d] = true;
	}
	return true;
}

bool infer_squeeze(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	if (!type_has_rank(t)) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	bool *mask = NEW_ARRAY(x->arena, bool, t->rank + 1);
	if (!infer_axes(x, op, t->rank, mask))
		return false;
	bool all = !op_attr(op, A_axes);
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + 1), *one = sym_int(x->ctx, 1);
	int rank = 0;
	for (int d = 0; d < t->rank; d++) {
		bool is_one = sym_is(t->dims[d], 1), is_not = sym_known_ne(x->ctx, t->dims[d], one);
		if (all && !is_one && !is_not) { /* whether it goes is known at run time only */
			infer_rank_unknown(x, op, t);
			return true;
		}
		if (mask[d] && is_not)
			return infer_error(x, op, "dimension %d is squeezed but is not 1", d);
		if (!(all ? is_one : mask[d]))
			dims[rank++] = t->dims[d];
	}
	infer_dims(x, op, 0, t, rank, dims);
	return true;
}

bool infer_unsqueeze(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	if (!type_has_rank(t) || n > INT16_MAX) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	int rank = t->rank + (int)n;
	bool *mask = NEW_ARRAY(x->arena, bool, rank + 1);
	if (!infer_axes(x, op, rank, mask))
		return false;
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, rank + 1);
	for (int d = 0, from = 0; d < rank; d++)
		dims[d] = mask[d] ? sym_int(x->ctx, 1) : t->dims[from++];
	infer_dims(x, op, 0, t, rank, dims);
	return true;
}

static bool squeezed_dims(EvalCtx *e, const Op *op, const Tensor *x, int *rank, int64_t *dims)
{
	bool mask[MAX_RANK] = { false };
	if (!eval_axes(e, op, x->rank, false, mask))
		return false;
	*rank = 0;
	for (int d = 0; d < x->rank; d++) {
		if (mask[d] && x->dims[d] != 1)
			return eval_error(e, op, "dimension %d is squeezed but is %lld, not 1", d, (long long)x->dims[d]);
		if (op_attr(op, A_axes) ? !mask[d] : x->dims[d] != 1)
			dims[(*rank)++] = x->dims[d];
	}
	return true;
}

static bool unsqueezed_dims(EvalCtx *e, const Op *op, const Tensor *x, int *rank, int64_t *dims)
{
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	bool mask[MAX_RANK] = { false };
	if (n > (size_t)(MAX_RANK - x->rank))
		return eval_unsupported(e, op, "a result of more than %d dimensions", MAX_RANK);
	*rank = x->rank + (int)n;
	if (!eval_axes(e, op, *rank, false, mask))
		return false;
	for (int d = 0, from = 0; d < *rank; d++)
		dims[d] = mask[d] ? 1 : x->dims[from++];
	return true;
}

static bool flattened_dims(EvalCtx *e, const Op *op, const Tensor *x, int *rank, int64_t *dims)
{
	int axis;
	*rank = 2;
	if (!flatten_axis(op, x->rank, &axis))
		return eval_error(e, op, "axis %lld is out of range for rank %d", (long long)op_int(op, A_axis), x->rank);
	if (!dims_count(x->dims, axis, &dims[0]) || !dims_count(x->dims + axis, x->rank - axis, &dims[1]))
		return eval_error(e, op, "too many elements");
	return true;
}

bool eval_reshape_like(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t dims[MAX_RANK];
	int rank = 0;
	bool ok;
	if (op_is(op, OP_squeeze))
		ok = squeezed_dims(e, op, in[0], &rank, dims);
	else if (op_is(op, OP_unsqueeze))
		ok = unsqueezed_dims(e, op, in[0], &rank, dims);
	else
		ok = flattened_dims(e, op, in[0], &rank, dims);
	if (ok)
		out[0] = tensor_view(e, in[0], rank, dims);
	return ok && out[0];
}

/* ---- transpose ---- */

bool infer_transpose(InferCtx *x, Op *op)
{
	const Type *t = op_operand(op, 0) ? op_operand(op, 0)->type : type_unknown(x->ctx);
	const int64_t *v;
	size_t n = op_attr_ints(op, A_perm, &v);
	if (!type_has_rank(t)) {
		if (!op_attr(op, A_perm) || n > MAX_RANK) {
			infer_rank_unknown(x, op, t);
			return true;
		}
		const Sym *open[MAX_RANK];
		for (size_t d = 0; d < n; d++)
			open[d] = infer_unknown(x, op, 0, (int)d);
		infer_result(x, op, 0, type_tensor(x->ctx, type_is_tensor(t) ? t->dtype : DT_NONE, (int)n, open));
		return true;
	}
	int perm[MAX_RANK];
	if (t->rank > MAX_RANK) {
		infer_rank_unknown(x, op, t);
		return true;
	}
	if (!op_perm(op, t->rank, perm))
		return infer_error(x, op, "perm is not a permutation of the %d dimensions", t->rank);
	const Sym *dims[MAX_RANK];
	for (int d = 0; d < t->rank; d++)
		dims[d] = t->dims[perm[d]];
	infer_dims(x, op, 0, t, t->rank, dims);
	return true;
}

/* Adjacent dims that stay adjacent move as one, so that rows are long. */
static int merge_perm(const Tensor *x, const int *perm, int64_t *dims, int64_t *step)
{
	int64_t strides[MAX_RANK];
	strides_of(x->rank, x->dims, strides);
	int rank = 0, prev = -1;
	for (int d = 0; d < x->rank; d++) {
		int from = perm[d];
		if (x->dims[from] == 1)
			continue;
		if (rank && from == prev + 1) {
			dims[rank - 1] *= x->dims[from];
			step[rank - 1] = strides[from];
		} else {
			dims[rank] = x->dims[from];
			step[rank++] = strides[from];
		}
		prev = from;
	}
	return rank;
}

/* A plain swap of the last two (merged) dims reads whole cache lines several times unless it goes in tiles. */
static void swap_tiled(char *dst, const char *src, int64_t rows, int64_t cols, size_t size)
{
	enum { TILE = 32 };
	for (int64_t i0 = 0; i0 < rows; i0 += TILE)
		for (int64_t j0 = 0; j0 < cols; j0 += TILE)
			for (int64_t i = i0; i < rows && i < i0 + TILE; i++)
				for (int64_t j = j0; j < cols && j < j0 + TILE; j++)
					move_element(dst + (size_t)(i * cols + j) * size, src + (size_t)(j * rows + i) * size, size);
}

bool eval_transpose(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int perm[MAX_RANK];
	if (!op_perm(op, x->rank, perm))
		return eval_error(e, op, "perm is not a permutation of the %d dimensions", x->rank);
	int64_t dims[MAX_RANK], step[MAX_RANK];
	for (int d = 0; d < x->rank; d++)
		dims[d] = x->dims[perm[d]];
	Tensor *y = out[0] = tensor_new(e, x->dtype, x->rank, dims);
	if (!y || y->count == 0)
		return y != NULL;
	int64_t merged[MAX_RANK];
	int rank = merge_perm(x, perm, merged, step);
	size_t size = tensor_elem_size(x);
	if (rank >= 2 && step[rank - 2] == 1 && step[rank - 1] == merged[rank - 2]) {
		int64_t rows = merged[rank - 2], cols = merged[rank - 1];
		int64_t index[MAX_RANK] = { 0 }, at = 0;
		for (int64_t done = 0; done < y->count; done += rows * cols) {
			swap_tiled(element_at(y, done), element_at(x, at), rows, cols, size);
			for (int d = rank - 3; d >= 0; d--) {
				at += step[d];
				if (++index[d] < merged[d])
					break;
				at -= step[d] * merged[d];
				index[d] = 0;
			}
		}
		return true;
	}
	Tensor shape = *y;
	shape.rank = rank;
	memcpy(shape.dims, merged, sizeof merged);
	move_strided(&shape, x, 0, step);
	return true;
}

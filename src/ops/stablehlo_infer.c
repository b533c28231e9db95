/* Types of StableHLO and chlo ops that stay what they are: each result keeps its declared element type, and its sizes become
 * as precise as operands and attributes say. What depends on nothing but the declaration has no row. */
#include "ops/gemm.h"
#include "stablehlo_int.h"

#include "move.h"

typedef void ShloInfer(InferCtx *x, Op *op);

/* Sizes of result i; what its declaration says otherwise (element type, encoding) stays. */
static void sizes(InferCtx *x, Op *op, size_t i, int rank, const Sym *const *dims)
{
	const Type *declared = i < op->nresults ? op->results[i]->type : NULL;
	if (!declared || (declared->kind != TYPE_TENSOR && declared->kind != TYPE_UNKNOWN) || rank < 0 || rank > MAX_RANK ||
		(type_has_rank(declared) && declared->rank != rank))
		return;
	Type t = *declared;
	t.kind = TYPE_TENSOR;
	t.rank = rank;
	t.dims = dims;
	infer_result(x, op, i, type_make(x->ctx, t));
}

static void sizes_of(InferCtx *x, Op *op, size_t i, const Type *from)
{
	if (type_has_rank(from))
		sizes(x, op, i, from->rank, from->dims);
}

static const Type *operand_type(const Op *op, size_t i)
{
	const Value *v = op_operand(op, i);
	return v ? v->type : NULL;
}

static int rank_of(const Op *op, size_t i)
{
	const Type *t = operand_type(op, i);
	return type_has_rank(t) && t->rank <= MAX_RANK ? t->rank : -1;
}

/* The more certain of two sizes that are the same. */
static const Sym *better(const Sym *a, const Sym *b)
{
	int64_t v;
	if (!a || !b)
		return a ? a : b;
	if (sym_const(a, &v))
		return a;
	return sym_const(b, &v) || sym_is_unknown(a) ? b : a;
}

/* The sizes that an operand of integers says; NULL entries where nothing is known. False: no fact at all. */
static bool said(InferCtx *x, const Op *op, size_t operand, int64_t n, const Sym **out)
{
	const Elems *e = op_operand(op, operand) ? infer_elems(x, op_operand(op, operand)) : NULL;
	if (!e || e->n != n || n > MAX_RANK)
		return false;
	for (int64_t i = 0; i < n; i++)
		out[i] = e->v[i];
	return true;
}

static size_t ints(const Op *op, AttrName a, const int64_t **v)
{
	return op_attr_ints(op, a, v);
}

/* ---- elementwise and passing on ---- */

/* All tensors of the op have the same sizes; scalars among operands of clamp and select do not count. */
static void same(InferCtx *x, Op *op)
{
	const Sym *dims[MAX_RANK] = { NULL };
	int rank = -1;
	for (size_t i = 0; i < op->noperands; i++)
		rank = rank_of(op, i) > rank ? rank_of(op, i) : rank;
	if (rank < 0)
		return;
	for (size_t i = 0; i < op->noperands; i++)
		for (int d = 0; rank_of(op, i) == rank && d < rank; d++)
			dims[d] = better(dims[d], operand_type(op, i)->dims[d]);
	for (size_t i = 0; i < op->nresults; i++)
		sizes(x, op, i, rank, dims);
}

/* Result i is of the type of operand i. */
static void each(InferCtx *x, Op *op)
{
	for (size_t i = 0; i < op->nresults && i < op->noperands; i++) {
		const Type *t = operand_type(op, i);
		if (t && t->kind != TYPE_TENSOR)
			infer_result(x, op, i, t);
		else
			sizes_of(x, op, i, t);
	}
}

static void first(InferCtx *x, Op *op)
{
	sizes_of(x, op, 0, operand_type(op, 0));
}

static void second(InferCtx *x, Op *op)
{
	sizes_of(x, op, 0, operand_type(op, 1));
}

static void tuple(InferCtx *x, Op *op)
{
	const Type **elem = NEW_ARRAY(x->arena, const Type *, op->noperands + 1u);
	for (size_t i = 0; i < op->noperands; i++)
		elem[i] = operand_type(op, i);
	infer_result(x, op, 0, type_make(x->ctx, (Type){ .kind = TYPE_TUPLE, .rank = RANK_UNKNOWN, .elem = elem,
		.nelem = (int)op->noperands }));
}

static void tuple_element(InferCtx *x, Op *op)
{
	const Type *t = operand_type(op, 0);
	int64_t i = op_attr_int(op, A_index, 0);
	if (t && t->kind == TYPE_TUPLE && i >= 0 && i < t->nelem)
		infer_result(x, op, 0, t->elem[i]);
}

/* ---- shapes ---- */

static void by_shape_operand(InferCtx *x, Op *op, size_t operand)
{
	const Sym *dims[MAX_RANK];
	const Type *t = operand_type(op, operand);
	int64_t n;
	if (type_has_rank(t) && t->rank == 1 && sym_const(t->dims[0], &n) && n <= MAX_RANK && said(x, op, operand, n, dims))
		sizes(x, op, 0, (int)n, dims);
}

static void shape_first(InferCtx *x, Op *op)
{
	by_shape_operand(x, op, 0);
}

static void shape_second(InferCtx *x, Op *op)
{
	by_shape_operand(x, op, 1);
}

static void shape_third(InferCtx *x, Op *op)
{
	by_shape_operand(x, op, 2);
}

static void set_size(InferCtx *x, Op *op)
{
	const Sym *dims[MAX_RANK], *n;
	int rank = rank_of(op, 0);
	int64_t d = op_attr_int(op, A_dimension, 0);
	if (rank < 0 || d < 0 || d >= rank)
		return;
	for (int i = 0; i < rank; i++)
		dims[i] = operand_type(op, 0)->dims[i];
	dims[d] = said(x, op, 1, 1, &n) ? n : infer_unknown(x, op, 0, (int)d);
	sizes(x, op, 0, rank, dims);
}

static void broadcast(InferCtx *x, Op *op)
{
	const int64_t *v;
	size_t n = ints(op, A_broadcast_sizes, &v);
	const Sym *dims[MAX_RANK];
	int rank = rank_of(op, 0);
	if (rank < 0 || (size_t)rank + n > MAX_RANK)
		return;
	for (size_t i = 0; i < n; i++)
		dims[i] = sym_int(x->ctx, v[i]);
	for (int d = 0; d < rank; d++)
		dims[n + (size_t)d] = operand_type(op, 0)->dims[d];
	sizes(x, op, 0, rank + (int)n, dims);
}

static void concatenate(InferCtx *x, Op *op)
{
	const Sym *dims[MAX_RANK] = { NULL };
	int rank = rank_of(op, 0);
	int64_t axis = op_attr_int(op, A_dimension, 0);
	if (rank < 1 || axis < 0 || axis >= rank)
		return;
	const Sym *sum = sym_int(x->ctx, 0);
	for (size_t i = 0; i < op->noperands; i++) {
		if (rank_of(op, i) != rank)
			return;
		for (int d = 0; d < rank; d++)
			dims[d] = better(dims[d], operand_type(op, i)->dims[d]);
		sum = sym_add(x->ctx, sum, operand_type(op, i)->dims[axis]);
	}
	dims[axis] = sum;
	sizes(x, op, 0, rank, dims);
}

static void transpose(InferCtx *x, Op *op)
{
	const int64_t *perm;
	const Sym *dims[MAX_RANK];
	int rank = rank_of(op, 0);
	if (rank < 0 || ints(op, A_permutation, &perm) != (size_t)rank)
		return;
	for (int d = 0; d < rank; d++) {
		if (perm[d] < 0 || perm[d] >= rank)
			return;
		dims[d] = operand_type(op, 0)->dims[perm[d]];
	}
	sizes(x, op, 0, rank, dims);
}

/* ceil((limit - start) / stride) of numbers or symbols; NULL: not known to be sound. */
static const Sym *slice_size(InferCtx *x, const Sym *start, const Sym *limit, const Sym *stride)
{
	if (!sym_known_le(x->ctx, start, limit) && !(sym_is(start, 0) && sym_nonneg(limit)))
		return NULL;
	const Sym *n = sym_sub(x->ctx, limit, start);
	if (sym_is(stride, 1))
		return n;
	return sym_lower(stride) > 0 ? sym_ceildiv(x->ctx, n, stride) : NULL;
}

static void real_dynamic_slice(InferCtx *x, Op *op)
{
	const Sym *start[MAX_RANK], *limit[MAX_RANK], *stride[MAX_RANK], *dims[MAX_RANK];
	int rank = rank_of(op, 0);
	if (rank < 0 || !said(x, op, 1, rank, start) || !said(x, op, 2, rank, limit) || !said(x, op, 3, rank, stride))
		return;
	for (int d = 0; d < rank; d++) {
		const Sym *n = slice_size(x, start[d], limit[d], stride[d]);
		dims[d] = n ? n : infer_unknown(x, op, 0, d);
	}
	sizes(x, op, 0, rank, dims);
}

static void dynamic_slice(InferCtx *x, Op *op)
{
	const int64_t *v;
	const Sym *dims[MAX_RANK];
	size_t n = ints(op, A_slice_sizes, &v);
	for (size_t i = 0; i < n && i < MAX_RANK; i++)
		dims[i] = sym_int(x->ctx, v[i]);
	if (n <= MAX_RANK && op_attr(op, A_slice_sizes))
		sizes(x, op, 0, (int)n, dims);
}

/* low + high + n + (n - 1) * interior, where n may be 0 only without interior padding. */
static const Sym *padded(InferCtx *x, const Sym *n, const Sym *low, const Sym *high, const Sym *interior)
{
	Context *c = x->ctx;
	const Sym *sum = sym_add(c, n, sym_add(c, low, high));
	if (sym_is(interior, 0))
		return sum;
	if (sym_lower(n) < 1)
		return NULL;
	return sym_add(c, sum, sym_mul(c, sym_sub(c, n, sym_int(c, 1)), interior));
}

static bool pad_numbers(InferCtx *x, const Op *op, size_t operand, AttrName a, int rank, const Sym **out)
{
	const int64_t *v;
	if (op_is(op, SHLO_dynamic_pad))
		return said(x, op, operand, rank, out);
	size_t n = ints(op, a, &v);
	if (n != (size_t)rank && n)
		return false;
	for (int d = 0; d < rank; d++)
		out[d] = sym_int(x->ctx, n ? v[d] : 0);
	return true;
}

static void pad(InferCtx *x, Op *op)
{
	const Sym *low[MAX_RANK], *high[MAX_RANK], *interior[MAX_RANK], *dims[MAX_RANK];
	int rank = rank_of(op, 0);
	if (rank < 0 || !pad_numbers(x, op, 2, A_edge_padding_low, rank, low) ||
		!pad_numbers(x, op, 3, A_edge_padding_high, rank, high) ||
		!pad_numbers(x, op, 4, A_interior_padding, rank, interior))
		return;
	for (int d = 0; d < rank; d++) {
		const Sym *n = padded(x, operand_type(op, 0)->dims[d], low[d], high[d], interior[d]);
		dims[d] = n ? n : infer_unknown(x, op, 0, d);
	}
	sizes(x, op, 0, rank, dims);
}

/* As many dims as the operand, one more for the parts of an element, or one fewer. */
static void bitcast(InferCtx *x, Op *op)
{
	int rank = rank_of(op, 0);
	const Type *t = op->results[0]->type;
	if (rank < 0 || !type_has_rank(t) || t->rank > MAX_RANK)
		return;
	const Sym *dims[MAX_RANK];
	for (int d = 0; d < t->rank; d++)
		dims[d] = d < rank ? operand_type(op, 0)->dims[d] : t->dims[d];
	sizes(x, op, 0, t->rank, dims);
}

/* ---- gather, scatter ---- */

/* Offset dims have the sizes of slices, without those that are collapsed; the others those of the indices. */
static void gather(InferCtx *x, Op *op)
{
	const int64_t *offset, *collapsed, *batching, *v;
	const Sym *size[MAX_RANK], *dims[MAX_RANK];
	int rank = rank_of(op, 0), irank = rank_of(op, 1), orank, kept = 0, from = 0;
	size_t noffset = shlo_field_ints(op, A_dimension_numbers, "offset_dims", &offset),
		ncollapsed = shlo_field_ints(op, A_dimension_numbers, "collapsed_slice_dims", &collapsed),
		nbatching = shlo_field_ints(op, A_dimension_numbers, "operand_batching_dims", &batching);
	int64_t ivd = shlo_field_int(op, A_dimension_numbers, "index_vector_dim");
	if (rank < 0 || irank < 0 || !op_attr(op, A_dimension_numbers))
		return;
	if (op_is(op, SHLO_dynamic_gather)) {
		if (!said(x, op, 2, rank, size))
			return;
	} else if (ints(op, A_slice_sizes, &v) != (size_t)rank) {
		return;
	}
	for (int d = 0; d < rank && !op_is(op, SHLO_dynamic_gather); d++)
		size[d] = sym_int(x->ctx, v[d]);
	orank = irank - (ivd < irank) + (int)noffset;
	if (orank > MAX_RANK)
		return;
	for (int o = 0, i = 0; o < orank; o++) {
		if (shlo_is_one_of(offset, noffset, o)) {
			while (kept < rank && (shlo_is_one_of(collapsed, ncollapsed, kept) || shlo_is_one_of(batching, nbatching, kept)))
				kept++;
			if (kept >= rank)
				return;
			dims[o] = size[kept++];
			continue;
		}
		i += i == ivd;
		if (i >= irank)
			return;
		dims[o] = operand_type(op, 1)->dims[i++];
		from++;
	}
	sizes(x, op, 0, orank, dims);
}

static void index_select(InferCtx *x, Op *op)
{
	const Sym *dims[MAX_RANK];
	int64_t axis = op_attr_int(op, A_dim, 0), batch = op_attr_int(op, A_batch_dims, 0);
	int rank = rank_of(op, 0), irank = rank_of(op, 1), n = 0;
	if (rank < 0 || irank < 0 || axis < 0 || axis >= rank || batch < 0 || batch > irank || rank + irank > MAX_RANK)
		return;
	for (int d = 0; d < axis; d++)
		dims[n++] = operand_type(op, 0)->dims[d];
	for (int d = (int)batch; d < irank; d++)
		dims[n++] = operand_type(op, 1)->dims[d];
	for (int d = (int)axis + 1; d < rank; d++)
		dims[n++] = operand_type(op, 0)->dims[d];
	sizes(x, op, 0, n, dims);
}

/* ---- contraction ---- */

static void dot_general(InferCtx *x, Op *op)
{
	const int64_t *lb, *rb, *lc, *rc;
	const Sym *dims[2 * MAX_RANK];
	int n = 0, lr = rank_of(op, 0), rr = rank_of(op, 1);
	size_t nb = shlo_field_ints(op, A_dot_dimension_numbers, "lhs_batching_dimensions", &lb),
		mb = shlo_field_ints(op, A_dot_dimension_numbers, "rhs_batching_dimensions", &rb),
		nc = shlo_field_ints(op, A_dot_dimension_numbers, "lhs_contracting_dimensions", &lc),
		mc = shlo_field_ints(op, A_dot_dimension_numbers, "rhs_contracting_dimensions", &rc);
	if (lr < 0 || rr < 0 || nb != mb || nc != mc || !op_attr(op, A_dot_dimension_numbers))
		return;
	for (size_t i = 0; i < nb; i++) {
		if (lb[i] < 0 || lb[i] >= lr || rb[i] < 0 || rb[i] >= rr)
			return;
		dims[n++] = better(operand_type(op, 0)->dims[lb[i]], operand_type(op, 1)->dims[rb[i]]);
	}
	for (int d = 0; d < lr; d++)
		if (!shlo_is_one_of(lb, nb, d) && !shlo_is_one_of(lc, nc, d))
			dims[n++] = operand_type(op, 0)->dims[d];
	for (int d = 0; d < rr; d++)
		if (!shlo_is_one_of(rb, nb, d) && !shlo_is_one_of(rc, nc, d))
			dims[n++] = operand_type(op, 1)->dims[d];
	sizes(x, op, 0, n, dims);
}

static void dot(InferCtx *x, Op *op)
{
	const Sym *dims[2];
	int n = 0, lr = rank_of(op, 0), rr = rank_of(op, 1);
	if (lr < 1 || lr > 2 || rr < 1 || rr > 2)
		return;
	if (lr == 2)
		dims[n++] = operand_type(op, 0)->dims[0];
	if (rr == 2)
		dims[n++] = operand_type(op, 1)->dims[1];
	sizes(x, op, 0, n, dims);
}

/* Positions of a window of k elements, `spread` apart, over n elements between low and high of padding. */
static const Sym *window_count(InferCtx *x, const Sym *n, int64_t hole, const Sym *k, int64_t spread, int64_t stride,
	const Sym *low, const Sym *high)
{
	Context *c = x->ctx;
	const Sym *one = sym_int(c, 1), *zero = sym_int(c, 0);
	if (hole < 1 || spread < 1 || stride < 1 || (hole != 1 && sym_lower(n) < 1) || sym_lower(k) < 1)
		return NULL;
	if (hole != 1)
		n = sym_add(c, sym_mul(c, sym_sub(c, n, one), sym_int(c, hole)), one);
	k = sym_add(c, sym_mul(c, sym_sub(c, k, one), sym_int(c, spread)), one);
	const Sym *last = sym_sub(c, sym_add(c, n, sym_add(c, low, high)), k);
	const Sym *count = sym_add(c, sym_floordiv(c, last, sym_int(c, stride)), one);
	return sym_lower(count) >= 0 ? count : sym_max(c, count, zero);
}

static bool window_ints(const Op *op, AttrName a, int n, int64_t fallback, int64_t *out)
{
	const int64_t *v;
	size_t have = ints(op, a, &v);
	for (int i = 0; i < n; i++)
		out[i] = have == (size_t)n ? v[i] : fallback;
	return have == (size_t)n || !have;
}

static void convolution(InferCtx *x, Op *op)
{
	static const char *const place[] = { "input_spatial_dimensions", "kernel_spatial_dimensions",
		"output_spatial_dimensions" };
	const int64_t *at[3];
	const AttrName a = A_dimension_numbers;
	int64_t stride[MAX_RANK], hole[MAX_RANK], spread[MAX_RANK], pads[2 * MAX_RANK];
	const Sym *low[MAX_RANK], *high[MAX_RANK], *pairs[MAX_RANK], *dims[MAX_RANK] = { NULL };
	int rank = rank_of(op, 0), n = rank - 2;
	if (rank < 2 || rank_of(op, 1) != rank || !op_attr(op, a))
		return;
	for (int i = 0; i < 3; i++)
		if (shlo_field_ints(op, a, place[i], &at[i]) != (size_t)n)
			return;
	if (!window_ints(op, A_window_strides, n, 1, stride) || !window_ints(op, A_lhs_dilation, n, 1, hole) ||
		!window_ints(op, A_rhs_dilation, n, 1, spread) || !window_ints(op, A_padding, 2 * n, 0, pads))
		return;
	if (op_is(op, SHLO_dynamic_conv) && !said(x, op, 2, 2 * n, pairs))
		return;
	const Type *in = operand_type(op, 0), *kernel = operand_type(op, 1);
	int64_t groups = op_attr_int(op, A_batch_group_count, 1), ob = shlo_field_int(op, a, "output_batch_dimension"),
		of = shlo_field_int(op, a, "output_feature_dimension"), ib = shlo_field_int(op, a, "input_batch_dimension"),
		ko = shlo_field_int(op, a, "kernel_output_feature_dimension");
	if (groups < 1 || ob < 0 || of < 0 || ib < 0 || ko < 0 || ob >= rank || of >= rank || ib >= rank || ko >= rank)
		return;
	dims[ob] = groups == 1 ? in->dims[ib] : sym_floordiv(x->ctx, in->dims[ib], sym_int(x->ctx, groups));
	dims[of] = kernel->dims[ko];
	for (int i = 0; i < n; i++) {
		if (at[0][i] < 0 || at[1][i] < 0 || at[2][i] < 0 || at[0][i] >= rank || at[1][i] >= rank || at[2][i] >= rank)
			return;
		low[i] = op_is(op, SHLO_dynamic_conv) ? pairs[2 * i] : sym_int(x->ctx, pads[2 * i]);
		high[i] = op_is(op, SHLO_dynamic_conv) ? pairs[2 * i + 1] : sym_int(x->ctx, pads[2 * i + 1]);
		const Sym *size = window_count(x, in->dims[at[0][i]], hole[i], kernel->dims[at[1][i]], spread[i], stride[i], low[i],
			high[i]);
		dims[at[2][i]] = size ? size : infer_unknown(x, op, 0, (int)at[2][i]);
	}
	for (int d = 0; d < rank; d++)
		if (!dims[d])
			return;
	sizes(x, op, 0, rank, dims);
}

static void fft(InferCtx *x, Op *op)
{
	const int64_t *length;
	const Sym *dims[MAX_RANK];
	int rank = rank_of(op, 0);
	size_t n = ints(op, A_fft_length, &length);
	if (rank < 1 || n < 1)
		return;
	for (int d = 0; d < rank; d++)
		dims[d] = operand_type(op, 0)->dims[d];
	if (op_attr_is(op, A_fft_type, "RFFT"))
		dims[rank - 1] = sym_int(x->ctx, length[n - 1] / 2 + 1);
	else if (op_attr_is(op, A_fft_type, "IRFFT"))
		dims[rank - 1] = sym_int(x->ctx, length[n - 1]);
	sizes(x, op, 0, rank, dims);
}

static void norm(InferCtx *x, Op *op)
{
	int64_t axis = op_attr_int(op, A_feature_index, 1);
	int rank = rank_of(op, 0);
	first(x, op);
	if (rank > 0 && axis >= 0 && axis < rank)
		for (size_t i = 1; i < op->nresults; i++)
			sizes(x, op, i, 1, &operand_type(op, 0)->dims[axis]);
}

/* ---- ops with regions ---- */

static void reduce(InferCtx *x, Op *op)
{
	const int64_t *axes;
	size_t naxes = ints(op, A_dimensions, &axes);
	for (size_t i = 0; i < op->nresults && i < op->noperands; i++) {
		const Sym *dims[MAX_RANK];
		int n = 0, rank = rank_of(op, i);
		for (int d = 0; d < rank; d++)
			if (!shlo_is_one_of(axes, naxes, d))
				dims[n++] = operand_type(op, i)->dims[d];
		if (rank >= 0)
			sizes(x, op, i, n, dims);
	}
}

static void reduce_window(InferCtx *x, Op *op)
{
	int64_t size[MAX_RANK], stride[MAX_RANK], hole[MAX_RANK], spread[MAX_RANK], pads[2 * MAX_RANK];
	int rank = rank_of(op, 0);
	if (rank < 0 || !window_ints(op, A_window_dimensions, rank, 1, size) ||
		!window_ints(op, A_window_strides, rank, 1, stride) || !window_ints(op, A_base_dilations, rank, 1, hole) ||
		!window_ints(op, A_window_dilations, rank, 1, spread) || !window_ints(op, A_padding, 2 * rank, 0, pads))
		return;
	for (size_t i = 0; i < op->nresults && i < op->noperands; i++) {
		const Sym *dims[MAX_RANK];
		for (int d = 0; rank_of(op, i) == rank && d < rank; d++) {
			const Sym *n = window_count(x, operand_type(op, i)->dims[d], hole[d], sym_int(x->ctx, size[d]), spread[d], stride[d],
				sym_int(x->ctx, pads[2 * d]), sym_int(x->ctx, pads[2 * d + 1]));
			dims[d] = n ? n : infer_unknown(x, op, i, d);
		}
		if (rank_of(op, i) == rank)
			sizes(x, op, i, rank, dims);
	}
}

/* A branch of if or case: what all of them give. */
static void branches(InferCtx *x, Op *op)
{
	for (size_t i = 0; i < op->nresults; i++) {
		const Type *t = NULL;
		for (size_t b = 0; b < op->nblocks; b++) {
			const Op *end = op->blocks[b] ? block_terminator(op->blocks[b]) : NULL;
			const Type *one = end && i < end->noperands && end->operands[i].value ? end->operands[i].value->type : NULL;
			if (!one)
				return;
			t = t ? infer_join(x, t, one, op->results[i]->type) : one;
		}
		if (t && t->kind == TYPE_TENSOR)
			sizes_of(x, op, i, t);
	}
}

/* ---- chlo, custom calls ---- */

static void top_k(InferCtx *x, Op *op)
{
	const Sym *dims[MAX_RANK];
	int rank = rank_of(op, 0);
	if (rank < 1)
		return;
	for (int d = 0; d < rank; d++)
		dims[d] = operand_type(op, 0)->dims[d];
	dims[rank - 1] = sym_int(x->ctx, op_attr_int(op, A_k, 0));
	for (size_t i = 0; i < op->nresults; i++)
		sizes(x, op, i, rank, dims);
}

/* Integers of an attribute in either of its forms; their count. */
static size_t few_ints(const Attr *a, int64_t *out)
{
	int64_t n;
	if (a && a->kind == ATTR_INTS && a->u.ints.n <= MAX_RANK) {
		memcpy(out, a->u.ints.v, a->u.ints.n * sizeof *out);
		return a->u.ints.n;
	}
	if (!a || a->kind != ATTR_TENSOR || !type_static_numel(a->u.tensor.type, &n) || n > MAX_RANK ||
		!dtype_is_integer(a->u.tensor.type->dtype) || dtype_bits(a->u.tensor.type->dtype) < 8)
		return 0;
	const Blob *b = a->u.tensor.blob;
	dtype_load_i64(a->u.tensor.type->dtype, b->data, b->splat ? 1 : n, out);
	for (int64_t i = 1; b->splat && i < n; i++)
		out[i] = out[0];
	return (size_t)n;
}

/* Operands that say the shapes of the results, and calls that only mark a value. */
static void custom_call(InferCtx *x, Op *op)
{
	int64_t at[MAX_RANK];
	size_t n = few_ints(op_attr_named(op, str(x->ctx, "indices_of_shape_operands")), at);
	for (size_t i = 0; i < n && i < op->nresults; i++) {
		const Sym *dims[MAX_RANK];
		const Type *s = at[i] >= 0 ? operand_type(op, (size_t)at[i]) : NULL;
		int64_t rank;
		if (type_has_rank(s) && s->rank == 1 && sym_const(s->dims[0], &rank) && rank <= MAX_RANK &&
			said(x, op, (size_t)at[i], rank, dims))
			sizes(x, op, i, (int)rank, dims);
	}
	if (!n && op->noperands >= 1 && op->nresults == 1 && shlo_marks_only(op))
		first(x, op);
}

static const struct { OpKind kind; ShloInfer *fn; } rows[] = {
	{ SHLO_bitcast_convert, bitcast }, { SHLO_clamp, second }, { SHLO_dynamic_iota, shape_first },
	{ SHLO_set_dimension_size, set_size },
	{ SHLO_broadcast, broadcast }, { SHLO_dynamic_broadcast_in_dim, shape_second }, { SHLO_concatenate, concatenate },
	{ SHLO_dynamic_reshape, shape_second }, { SHLO_transpose, transpose }, { SHLO_reverse, first },
	{ SHLO_dynamic_slice, dynamic_slice }, { SHLO_dynamic_update_slice, first },
	{ SHLO_real_dynamic_slice, real_dynamic_slice }, { SHLO_pad, pad }, { SHLO_dynamic_pad, pad }, { SHLO_gather, gather },
	{ SHLO_dynamic_gather, gather }, { SHLO_torch_index_select, index_select }, { SHLO_scatter, each }, { SHLO_dot, dot },
	{ SHLO_dot_general, dot_general }, { SHLO_convolution, convolution }, { SHLO_dynamic_conv, convolution },
	{ SHLO_fft, fft }, { SHLO_cholesky, first }, { SHLO_triangular_solve, second }, { SHLO_batch_norm_grad, norm },
	{ SHLO_batch_norm_inference, norm }, { SHLO_batch_norm_training, norm }, { SHLO_case, branches }, { SHLO_if, branches },
	{ SHLO_map, same }, { SHLO_reduce, reduce }, { SHLO_reduce_window, reduce_window }, { SHLO_select_and_scatter, first },
	{ SHLO_sort, each }, { SHLO_rng, shape_third }, { SHLO_custom_call, custom_call }, { SHLO_optimization_barrier, each },
	{ SHLO_tuple, tuple }, { SHLO_get_tuple_element, tuple_element }, { SHLO_all_reduce, each },
	{ SHLO_collective_broadcast, each }, { SHLO_collective_permute, first }, { SHLO_collective_reduce, each },
	{ SHLO_cross_replica_sum, first }, { CHLO_constant_like, first }, { CHLO_top_k, top_k },
};

/* The results of ops that combine elements have the element type that their body gives. */
static bool body_agrees(InferCtx *x, const Op *op)
{
	static const OpKind kinds[] = { SHLO_reduce, SHLO_reduce_window, SHLO_scatter, SHLO_select_and_scatter, SHLO_map };
	bool combines = false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		combines |= op_is(op, kinds[i]);
	const Block *b = combines && op->nblocks ? op->blocks[op->nblocks - 1] : NULL;
	for (size_t i = 0; b && b->last && i < op->nresults && i < b->last->noperands; i++) {
		const Value *v = op_operand(b->last, i);
		DType have = v ? value_dtype(v) : DT_NONE, said = value_dtype(op->results[i]);
		if (have != said && have != DT_NONE && said != DT_NONE)
			return infer_error(x, op, "result %zu has elements of type %s, and the body gives %s", i + 1, dtype_name(said),
				dtype_name(have));
	}
	return true;
}

bool infer_shlo(InferCtx *x, Op *op)
{
	for (size_t i = 0; i < op->nblocks; i++)
		infer_block(x, op->blocks[i]);
	if (!body_agrees(x, op))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].kind == op_kind(op)) {
			rows[i].fn(x, op);
			return true;
		}
	if (op->def->traits & TRAIT_SAME_SHAPE)
		same(x, op);
	return true;
}

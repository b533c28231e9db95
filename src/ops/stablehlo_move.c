/* StableHLO ops that move elements: slices at run-time places, padding, gather. */
#include "stablehlo_int.h"

/* ---- slices ---- */

/* Start of a slice of `size` along each axis from n scalars, moved inside the operand. */
static bool slice_starts(EvalCtx *e, const Op *op, Tensor *const *start, const Tensor *x, const int64_t *size,
	int64_t *out)
{
	for (int d = 0; d < x->rank; d++) {
		const Tensor *t = start[d];
		if (t->kind != TYPE_TENSOR || t->count != 1 || !dtype_is_integer(t->dtype))
			return eval_error(e, op, "start index %d is not a single integer", d);
		int64_t v = tensor_get_i64(t, 0), most = x->dims[d] - size[d];
		if (size[d] < 0 || most < 0)
			return eval_error(e, op, "a slice of %lld of %lld elements", (long long)size[d], (long long)x->dims[d]);
		if (dtype_class(t->dtype) == DC_UINT && v < 0)
			v = most;
		out[d] = v < 0 ? 0 : v > most ? most : v;
	}
	return true;
}

/* Copies a box of the given size between two tensors, from places `from` and to places `to`. */
static void copy_box(Tensor *dst, const int64_t *to, const Tensor *src, const int64_t *from, int rank,
	const int64_t *size)
{
	int64_t k[MAX_RANK] = { 0 }, a[MAX_RANK], b[MAX_RANK], n;
	if (!dims_count(size, rank, &n) || n == 0)
		return;
	do {
		for (int d = 0; d < rank; d++) {
			a[d] = from[d] + k[d];
			b[d] = to[d] + k[d];
		}
		shlo_copy_element(dst, shlo_flat(rank, dst->dims, b), src, shlo_flat(rank, src->dims, a));
	} while (shlo_next(rank, size, k));
}

bool eval_shlo_dynamic_slice(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	static const int64_t zero[MAX_RANK];
	int64_t size[MAX_RANK], start[MAX_RANK];
	const Tensor *x = in[0];
	if (op->noperands != (uint32_t)x->rank + 1)
		return eval_error(e, op, "%u start indices for rank %d", op->noperands - 1, x->rank);
	if (!shlo_ints(e, op, A_slice_sizes, x->rank, 0, size) || !slice_starts(e, op, in + 1, x, size, start) ||
		!(out[0] = tensor_new(e, x->dtype, x->rank, size)))
		return false;
	copy_box(out[0], zero, x, start, x->rank, size);
	return true;
}

/* The size is what the bounds say; a slice that leaves the operand is moved inside, as dynamic_slice does. */
bool eval_shlo_real_dynamic_slice(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	int64_t start[MAX_RANK], step[MAX_RANK], size[MAX_RANK], k[MAX_RANK] = { 0 }, at[MAX_RANK];
	for (int i = 1; i < 4; i++)
		if (in[i]->count != x->rank || in[i]->rank != 1 || !dtype_is_integer(in[i]->dtype))
			return eval_error(e, op, "bounds are not %d integers", x->rank);
	for (int d = 0; d < x->rank; d++) {
		int64_t limit = tensor_get_i64(in[2], d), span;
		start[d] = tensor_get_i64(in[1], d);
		step[d] = tensor_get_i64(in[3], d);
		if (step[d] < 1 || !sub_ok(limit, start[d], &span) || span < 0 || span > x->dims[d])
			return eval_error(e, op, "bounds %lld to %lld by %lld of %lld elements", (long long)start[d], (long long)limit,
				(long long)step[d], (long long)x->dims[d]);
		size[d] = span / step[d] + (span % step[d] != 0);
		start[d] = start[d] < 0 ? 0 : start[d] > x->dims[d] - span ? x->dims[d] - span : start[d];
	}
	Tensor *y = out[0] = tensor_new(e, x->dtype, x->rank, size);
	for (int64_t i = 0; y && i < y->count; i++) {
		for (int d = 0; d < x->rank; d++)
			at[d] = start[d] + k[d] * step[d];
		shlo_copy_element(y, i, x, shlo_flat(x->rank, x->dims, at));
		shlo_next(x->rank, size, k);
	}
	return y != NULL;
}

/* As many elements as the size says, from the front. */
bool eval_shlo_set_dimension_size(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	static const int64_t zero[MAX_RANK];
	const Tensor *x = in[0];
	int64_t d = op_attr_int(op, A_dimension, -1), size[MAX_RANK];
	if (d < 0 || d >= x->rank || in[1]->count != 1 || !dtype_is_integer(in[1]->dtype))
		return eval_error(e, op, "dimension %lld of a tensor of rank %d", (long long)d, x->rank);
	memcpy(size, x->dims, sizeof size);
	size[d] = tensor_get_i64(in[1], 0);
	if (size[d] < 0 || size[d] > x->dims[d])
		return eval_error(e, op, "size %lld of at most %lld", (long long)size[d], (long long)x->dims[d]);
	if (!(out[0] = tensor_new(e, x->dtype, x->rank, size)))
		return false;
	copy_box(out[0], zero, x, zero, x->rank, size);
	return true;
}

bool eval_shlo_dynamic_update_slice(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	static const int64_t zero[MAX_RANK];
	int64_t start[MAX_RANK];
	const Tensor *x = in[0], *u = in[1];
	if (op->noperands != (uint32_t)x->rank + 2 || u->rank != x->rank || u->dtype != x->dtype)
		return eval_error(e, op, "operand, update and start indices do not go together");
	if (!slice_starts(e, op, in + 2, x, u->dims, start) || !(out[0] = tensor_like(e, x)))
		return false;
	memcpy(out[0]->data, x->data, (size_t)x->count * tensor_elem_size(x));
	copy_box(out[0], start, u, zero, x->rank, u->dims);
	return true;
}

/* ---- pad ---- */

/* Amounts from the attributes, or from operands 2, 3, 4 of dynamic_pad. */
static bool pad_amounts(EvalCtx *e, const Op *op, Tensor *const *in, int rank, int64_t (*v)[MAX_RANK])
{
	static const AttrName names[3] = { A_edge_padding_low, A_edge_padding_high, A_interior_padding };
	const int64_t limit = (int64_t)1 << 40;
	for (int i = 0; i < 3; i++) {
		if (op_is(op, SHLO_pad) ? !shlo_ints(e, op, names[i], rank, 0, v[i]) :
			tensor_ints(in[2 + i], v[i], MAX_RANK) != rank)
			return eval_error(e, op, "malformed padding");
		for (int d = 0; d < rank; d++)
			if (v[i][d] > limit || v[i][d] < -limit || (i == 2 && v[i][d] < 0))
				return eval_error(e, op, "malformed padding");
	}
	return true;
}

bool eval_shlo_pad(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t v[3][MAX_RANK], dims[MAX_RANK], index[MAX_RANK] = { 0 }, o[MAX_RANK];
	const Tensor *x = in[0];
	if (in[1]->count != 1 || in[1]->dtype != x->dtype)
		return eval_error(e, op, "the padding value is not one element of the operand's type");
	if (!pad_amounts(e, op, in, x->rank, v))
		return false;
	for (int d = 0; d < x->rank; d++) {
		int64_t gaps = 0;
		if (x->dims[d] > 0 && !mul_ok(x->dims[d] - 1, v[2][d], &gaps))
			return eval_error(e, op, "malformed padding");
		dims[d] = x->dims[d] + v[0][d] + v[1][d] + gaps;
		if (dims[d] < 0)
			return eval_error(e, op, "padding takes away more than there is");
	}
	if (!(out[0] = tensor_new(e, x->dtype, x->rank, dims)))
		return false;
	for (int64_t i = 0; i < out[0]->count; i++)
		shlo_copy_element(out[0], i, in[1], 0);
	for (int64_t i = 0; i < x->count; i++) {
		bool inside = true;
		for (int d = 0; d < x->rank; d++) {
			o[d] = v[0][d] + index[d] * (v[2][d] + 1);
			inside &= o[d] >= 0 && o[d] < dims[d];
		}
		if (inside)
			shlo_copy_element(out[0], shlo_flat(x->rank, dims, o), x, i);
		shlo_next(x->rank, x->dims, index);
	}
	return true;
}

/* ---- gather ---- */

typedef struct Gather {
	const int64_t *offset, *collapsed, *batch, *index_batch, *map;
	size_t noffset, ncollapsed, nbatch, nindex_batch, nmap;
	int64_t vector_dim, size[MAX_RANK];
} Gather;

static bool gather_form(EvalCtx *e, const Op *op, const Tensor *x, const Tensor *index, Gather *g)
{
	const AttrName a = A_dimension_numbers;
	g->noffset = shlo_field_ints(op, a, "offset_dims", &g->offset);
	g->ncollapsed = shlo_field_ints(op, a, "collapsed_slice_dims", &g->collapsed);
	g->nbatch = shlo_field_ints(op, a, "operand_batching_dims", &g->batch);
	g->nindex_batch = shlo_field_ints(op, a, "start_indices_batching_dims", &g->index_batch);
	g->nmap = shlo_field_ints(op, a, "start_index_map", &g->map);
	g->vector_dim = shlo_field_int(op, a, "index_vector_dim");
	bool ok = g->noffset + g->ncollapsed + g->nbatch == (size_t)x->rank && g->nbatch == g->nindex_batch &&
		g->vector_dim >= 0 && g->vector_dim <= index->rank && dtype_is_integer(index->dtype);
	int64_t depth = ok && g->vector_dim < index->rank ? index->dims[g->vector_dim] : 1;
	ok = ok && depth == (int64_t)g->nmap && g->noffset + (size_t)index->rank < MAX_RANK;
	for (size_t i = 0; ok && i < g->nmap; i++)
		ok = g->map[i] >= 0 && g->map[i] < x->rank;
	for (size_t i = 0; ok && i < g->nbatch; i++)
		ok = g->batch[i] >= 0 && g->batch[i] < x->rank && g->index_batch[i] >= 0 && g->index_batch[i] < index->rank &&
			g->index_batch[i] != g->vector_dim;
	size_t kept = 0;
	for (int d = 0; ok && d < x->rank; d++) {
		ok = g->size[d] >= 0 && g->size[d] <= x->dims[d];
		kept += !shlo_is_one_of(g->collapsed, g->ncollapsed, d) && !shlo_is_one_of(g->batch, g->nbatch, d);
	}
	return (ok && kept == g->noffset) || eval_error(e, op, "malformed gather dimension numbers or sizes");
}

static bool is_whole(const Gather *g, int d)
{
	return !shlo_is_one_of(g->collapsed, g->ncollapsed, d) && !shlo_is_one_of(g->batch, g->nbatch, d);
}

/* Result dims: those of the slice at offset_dims, the others those of the indices without the vector. */
static int gather_dims(const Gather *g, const Tensor *x, const Tensor *index, int64_t *dims)
{
	int rank = (int)g->noffset + index->rank - (g->vector_dim < index->rank), slice = 0, i = 0;
	for (int o = 0; o < rank; o++) {
		if (shlo_is_one_of(g->offset, g->noffset, o)) {
			while (slice < x->rank - 1 && !is_whole(g, slice))
				slice++;
			dims[o] = x->rank ? g->size[slice] : 0;
			slice++;
		} else {
			i += i == g->vector_dim;
			dims[o] = i < index->rank ? index->dims[i] : 0;
			i++;
		}
	}
	return rank;
}

static int64_t gather_source(const Gather *g, const Tensor *x, const Tensor *index, int rank, const int64_t *o)
{
	int64_t si[MAX_RANK] = { 0 }, full[MAX_RANK] = { 0 }, within[MAX_RANK];
	int i = 0, n = 0;
	for (int d = 0; d < rank; d++) {
		if (shlo_is_one_of(g->offset, g->noffset, d)) {
			within[n++] = o[d];
			continue;
		}
		i += i == g->vector_dim;
		si[i++] = o[d];
	}
	for (size_t k = 0; k < g->nmap; k++) {
		int64_t to = g->map[k], most = x->dims[to] - g->size[to];
		if (g->vector_dim < index->rank)
			si[g->vector_dim] = (int64_t)k;
		int64_t v = tensor_get_i64(index, shlo_flat(index->rank, index->dims, si));
		if (dtype_class(index->dtype) == DC_UINT && v < 0)
			v = most;
		full[to] = v < 0 ? 0 : v > most ? most : v;
	}
	for (size_t k = 0; k < g->nbatch; k++)
		full[g->batch[k]] = si[g->index_batch[k]];
	n = 0;
	for (int d = 0; d < x->rank; d++)
		if (is_whole(g, d))
			full[d] += within[n++];
	for (int d = 0; d < x->rank; d++)
		if (full[d] < 0 || full[d] >= x->dims[d])
			return -1;
	return shlo_flat(x->rank, x->dims, full);
}

bool eval_shlo_gather(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0], *index = in[1];
	int64_t dims[MAX_RANK], o[MAX_RANK] = { 0 };
	Gather g;
	if (op_is(op, SHLO_gather) ? !shlo_ints(e, op, A_slice_sizes, x->rank, 0, g.size) :
		tensor_ints(in[2], g.size, MAX_RANK) != x->rank)
		return eval_error(e, op, "malformed slice sizes");
	if (!gather_form(e, op, x, index, &g))
		return false;
	int rank = gather_dims(&g, x, index, dims);
	if (!(out[0] = tensor_new(e, x->dtype, rank, dims)))
		return false;
	for (int64_t i = 0; i < out[0]->count; i++) {
		int64_t at = gather_source(&g, x, index, rank, o);
		if (at < 0)
			return eval_error(e, op, "malformed gather dimension numbers or sizes");
		shlo_copy_element(out[0], i, x, at);
		shlo_next(rank, dims, o);
	}
	return true;
}

/* ---- sizes ---- */

bool eval_shlo_dimension_size(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int axis;
	if (!axis_norm(op_attr_int(op, A_dimension, 0), in[0]->rank, &axis))
		return eval_error(e, op, "dimension is out of range");
	out[0] = tensor_new(e, DT_I32, 0, NULL);
	if (out[0])
		tensor_set_i64(out[0], 0, in[0]->dims[axis]);
	return out[0] != NULL;
}

/* iota and dynamic_iota: each element its place along a dimension. */
bool eval_shlo_iota(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t dims[MAX_RANK], index[MAX_RANK] = { 0 };
	int rank, axis;
	DType d;
	if (op_is(op, SHLO_dynamic_iota)) {
		int64_t n = tensor_ints(in[0], dims, MAX_RANK);
		d = shlo_result_dtype(op, 0, DT_NONE);
		rank = (int)n;
		if (n < 0 || d == DT_NONE)
			return eval_error(e, op, "the shape is no list of integers");
	} else if (!shlo_result_dims(e, op, 0, &rank, dims, &d)) {
		return false;
	}
	if (!axis_norm(op_attr_int(op, A_iota_dimension, 0), rank, &axis))
		return eval_error(e, op, "iota_dimension is out of range");
	if (!(out[0] = tensor_new(e, d, rank, dims)))
		return false;
	for (int64_t i = 0; i < out[0]->count; i++) {
		double v[2] = { (double)index[axis], 0 };
		if (dtype_is_integer(d) || d == DT_BOOL)
			tensor_set_i64(out[0], i, index[axis]);
		else
			shlo_store_complex(out[0], i, v);
		shlo_next(rank, dims, index);
	}
	return true;
}

/* broadcast_in_dim and its dynamic form: operand dimension i lies along result dimension broadcast_dimensions[i]. */
bool eval_shlo_broadcast(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t dims[MAX_RANK], at[MAX_RANK], o[MAX_RANK] = { 0 }, from[MAX_RANK];
	int rank;
	DType d;
	const Tensor *x = in[0];
	if (op_is(op, SHLO_dynamic_broadcast_in_dim)) {
		int64_t n = tensor_ints(in[1], dims, MAX_RANK);
		rank = (int)n;
		if (n < 0)
			return eval_error(e, op, "the shape is no list of integers");
	} else if (!shlo_result_dims(e, op, 0, &rank, dims, &d)) {
		return false;
	}
	if (!shlo_ints(e, op, A_broadcast_dimensions, x->rank, 0, at))
		return false;
	for (int i = 0; i < x->rank; i++)
		if (at[i] < 0 || at[i] >= rank || (x->dims[i] != 1 && x->dims[i] != dims[at[i]]))
			return eval_error(e, op, "malformed broadcast_dimensions");
	if (!(out[0] = tensor_new(e, x->dtype, rank, dims)))
		return false;
	for (int64_t i = 0; i < out[0]->count; i++) {
		for (int k = 0; k < x->rank; k++)
			from[k] = x->dims[k] == 1 ? 0 : o[at[k]];
		shlo_copy_element(out[0], i, x, shlo_flat(x->rank, x->dims, from));
		shlo_next(rank, dims, o);
	}
	return true;
}

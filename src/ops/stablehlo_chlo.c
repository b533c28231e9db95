/* chlo.ragged_dot and chlo.scan. */
#include "stablehlo_int.h"

#include "move.h"
#include "ops/label.h"

/* ---- ragged_dot: a product over groups of one dimension of the left operand ----
 * Where that dimension is free, each group has a right operand of its own; where it is contracted, each group gives a result
 * of its own; where it is a batch dimension, it is a dot_general. Rows beyond the last group are zero. */

typedef struct Ragged {
	const int64_t *lb, *rb, *lc, *rc;
	size_t nb, nc;
	int64_t lfree[MAX_RANK], rfree[MAX_RANK];
	int nlfree, nrfree;
	int64_t ragged, group;      /* dimension of the left, and of the right operand (-1: none) */
	enum { RAGGED_FREE, RAGGED_CONTRACTED, RAGGED_BATCH } mode;
	int64_t ngroups;
	const Tensor *sizes;        /* [groups], or [batch ..., groups] */
} Ragged;

static bool free_dims(int rank, const int64_t *batch, size_t nb, const int64_t *contract, size_t nc, int64_t group,
	int64_t *out, int *n)
{
	for (size_t i = 0; i < nb + nc; i++) {
		int64_t d = i < nb ? batch[i] : contract[i - nb];
		if (d < 0 || d >= rank || d == group)
			return false;
	}
	*n = 0;
	for (int d = 0; d < rank; d++)
		if (!shlo_is_one_of(batch, nb, d) && !shlo_is_one_of(contract, nc, d) && d != group)
			out[(*n)++] = d;
	return *n + (int)(nb + nc) + (group >= 0) == rank;
}

static bool ragged_form(EvalCtx *e, const Op *op, Tensor *const *in, Ragged *r)
{
	const AttrName a = A_ragged_dot_dimension_numbers;
	const int64_t *lr, *rg;
	size_t nlr = shlo_field_ints(op, a, "lhs_ragged_dimensions", &lr),
		nrg = shlo_field_ints(op, a, "rhs_group_dimensions", &rg);
	const Tensor *x = in[0], *w = in[1];
	*r = (Ragged){ .sizes = in[2], .group = nrg ? rg[0] : -1 };
	r->nb = shlo_field_ints(op, a, "lhs_batching_dimensions", &r->lb);
	r->nc = shlo_field_ints(op, a, "lhs_contracting_dimensions", &r->lc);
	bool ok = nlr == 1 && nrg <= 1 && shlo_field_ints(op, a, "rhs_batching_dimensions", &r->rb) == r->nb &&
		shlo_field_ints(op, a, "rhs_contracting_dimensions", &r->rc) == r->nc && (!nrg || (rg[0] >= 0 && rg[0] < w->rank)) &&
		free_dims(x->rank, r->lb, r->nb, r->lc, r->nc, -1, r->lfree, &r->nlfree) &&
		free_dims(w->rank, r->rb, r->nb, r->rc, r->nc, r->group, r->rfree, &r->nrfree);
	if (!ok || lr[0] < 0 || lr[0] >= x->rank)
		return eval_error(e, op, "malformed ragged_dot_dimension_numbers");
	r->ragged = lr[0];
	r->mode = shlo_is_one_of(r->lb, r->nb, r->ragged) ? RAGGED_BATCH :
		shlo_is_one_of(r->lc, r->nc, r->ragged) ? RAGGED_CONTRACTED : RAGGED_FREE;
	if ((r->mode == RAGGED_FREE) != (r->group >= 0))
		return eval_error(e, op, "a group dimension of the right operand goes with a free ragged dimension, and only with one");
	for (size_t i = 0; i < r->nb; i++)
		ok = ok && x->dims[r->lb[i]] == w->dims[r->rb[i]];
	for (size_t i = 0; i < r->nc; i++)
		ok = ok && x->dims[r->lc[i]] == w->dims[r->rc[i]];
	const Tensor *s = r->sizes;
	ok = ok && s->rank >= 1 && dtype_is_integer(s->dtype) && (s->rank == 1 || (size_t)s->rank == r->nb + 1);
	for (int d = 0; ok && d + 1 < s->rank; d++)
		ok = s->dims[d] == x->dims[r->lb[d]];
	r->ngroups = ok ? s->dims[s->rank - 1] : 0;
	if (!ok || (r->group >= 0 && w->dims[r->group] != r->ngroups))
		return eval_error(e, op, "operands whose shapes do not go together");
	return true;
}

/* Rows before group g, for the batch that index b of the left operand is in. */
static int64_t group_start(const Ragged *r, const int64_t *b, int64_t g)
{
	int64_t row = 0, sum = 0;
	for (int d = 0; d + 1 < r->sizes->rank; d++)
		row = row * r->sizes->dims[d] + b[r->lb[d]];
	for (int64_t k = 0; k < g; k++)
		sum += tensor_get_i64(r->sizes, row * r->ngroups + k);
	return sum;
}

/* The group of a place along the ragged dimension; -1: behind the last. */
static int64_t group_of(const Ragged *r, const int64_t *b, int64_t place)
{
	for (int64_t g = 0; g < r->ngroups; g++)
		if (place < group_start(r, b, g + 1))
			return g;
	return -1;
}

static void ragged_element(const Ragged *r, Tensor *const *in, int64_t *ia, int64_t *ib, int64_t group, Tensor *y,
	int64_t at)
{
	const Tensor *x = in[0], *w = in[1];
	ShloSum s = { .single = y->store == DT_C64 };
	int64_t k[MAX_RANK] = { 0 }, size[MAX_RANK], n = 1;
	for (size_t i = 0; i < r->nc; i++) {
		size[i] = x->dims[r->lc[i]];
		n *= size[i];
	}
	if (r->mode == RAGGED_FREE) {
		int64_t g = group_of(r, ia, ia[r->ragged]);
		n = g < 0 ? 0 : n;
		ib[r->group] = g;
	}
	for (int64_t j = 0; j < n; j++) {
		for (size_t i = 0; i < r->nc; i++)
			ia[r->lc[i]] = ib[r->rc[i]] = k[i];
		if (r->mode != RAGGED_CONTRACTED || group_of(r, ia, ia[r->ragged]) == group)
			shlo_sum_product(&s, x, shlo_flat(x->rank, x->dims, ia), w, shlo_flat(w->rank, w->dims, ib));
		shlo_next((int)r->nc, size, k);
	}
	shlo_sum_store(&s, x, w, y, at);
}

bool eval_chlo_ragged_dot(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Ragged r;
	int64_t dims[2 * MAX_RANK + 1], o[2 * MAX_RANK + 1] = { 0 }, ia[MAX_RANK] = { 0 }, ib[MAX_RANK] = { 0 };
	int rank = 0;
	if (!ragged_form(e, op, in, &r))
		return false;
	bool grouped = r.mode == RAGGED_CONTRACTED;
	if (grouped)
		dims[rank++] = r.ngroups;
	for (size_t i = 0; i < r.nb; i++)
		dims[rank++] = in[0]->dims[r.lb[i]];
	for (int i = 0; i < r.nlfree; i++)
		dims[rank++] = in[0]->dims[r.lfree[i]];
	for (int i = 0; i < r.nrfree; i++)
		dims[rank++] = in[1]->dims[r.rfree[i]];
	if (rank > MAX_RANK)
		return eval_error(e, op, "a result of rank %d", rank);
	Tensor *y = out[0] = tensor_new(e, shlo_result_dtype(op, 0, in[0]->dtype), rank, dims);
	for (int64_t at = 0; y && at < y->count; at++) {
		int q = grouped;
		for (size_t i = 0; i < r.nb; i++)
			ia[r.lb[i]] = ib[r.rb[i]] = o[q++];
		for (int i = 0; i < r.nlfree; i++)
			ia[r.lfree[i]] = o[q++];
		for (int i = 0; i < r.nrfree; i++)
			ib[r.rfree[i]] = o[q++];
		ragged_element(&r, in, ia, ib, o[0], y, at);
		shlo_next(rank, dims, o);
	}
	return y != NULL;
}

/* ---- scan: the body takes slices of inputs and the carried values, and gives slices of outputs and carried values ---- */

typedef struct Scan {
	size_t nin, nout, ncarry;
	int axis;
	int64_t n;
} Scan;

static size_t segment(const Op *op, EvalCtx *e, const char *name, size_t which, size_t fallback)
{
	const Attr *a = op_attr_named(op, str(e->ctx, name));
	return a && a->kind == ATTR_INTS && which < a->u.ints.n && a->u.ints.v[which] >= 0 ? (size_t)a->u.ints.v[which] : fallback;
}

static bool scan_form(EvalCtx *e, const Op *op, Tensor *const *in, Scan *s)
{
	s->ncarry = segment(op, e, "operandSegmentSizes", 1, op->noperands / 2);
	s->nin = segment(op, e, "operandSegmentSizes", 0, op->noperands - s->ncarry);
	s->nout = op->nresults >= s->ncarry ? op->nresults - s->ncarry : 0;
	if (s->nin + s->ncarry != op->noperands || s->nout + s->ncarry != op->nresults || op->nblocks != 1 || !op->blocks[0] ||
		op->blocks[0]->nargs != op->noperands)
		return eval_error(e, op, "%u operands, %u results and %zu carried values", op->noperands, op->nresults, s->ncarry);
	int64_t axis = op_attr_int(op, A_dimension, 0);
	const Attr *rounds = op_attr_named(op, str(e->ctx, "scan_dim_size"));
	s->n = rounds && rounds->kind == ATTR_INT ? rounds->u.i : 0;
	s->axis = (int)axis;
	for (size_t i = 0; i < s->nin; i++) {
		if (axis < 0 || axis >= in[i]->rank || in[i]->dims[axis] != in[0]->dims[axis])
			return eval_error(e, op, "%s has no dimension %lld of the others' size", op_operand_said(e, op, i), (long long)axis);
		s->n = in[i]->dims[axis];
	}
	return true;
}

static void release(Tensor **t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tensor_unref(t[i]);
		t[i] = NULL;
	}
}

/* One step: rows[k] gets the slice of output k, carry is replaced. */
static bool scan_step(EvalCtx *e, const Op *op, const Scan *s, Tensor *const *in, int64_t at, Tensor **carry, Tensor **rows,
	Tensor **args, Tensor **got)
{
	bool ok = true;
	for (size_t i = 0; i < s->nin && ok; i++)
		ok = (args[i] = tensor_cut(e, in[i], s->axis, at, at + 1, true)) != NULL;
	for (size_t i = 0; i < s->ncarry; i++)
		args[s->nin + i] = tensor_ref(carry[i]);
	ok = ok && eval_step(e, op) && eval_block(e, op->blocks[0], args, op->noperands, got, op->nresults);
	release(args, op->noperands);
	for (size_t i = 0; ok && i < s->nout; i++) {
		rows[i] = got[i];
		got[i] = NULL;
	}
	for (size_t i = 0; ok && i < s->ncarry; i++) {
		tensor_unref(carry[i]);
		carry[i] = got[s->nout + i];
		got[s->nout + i] = NULL;
	}
	return ok;
}

/* The slices of an output along the axis; without a step there are none to take a type from. */
static Tensor *scan_output(EvalCtx *e, const Op *op, const Scan *s, size_t k, Tensor **rows)
{
	if (s->n == 0)
		return shlo_new_result(e, op, k);
	return s->axis <= rows[0]->rank ? tensor_join(e, op, rows, s->n, s->axis, true) : NULL;
}

bool eval_chlo_scan(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Scan s = { 0 };
	if (!scan_form(e, op, in, &s))
		return false;
	if (s.n < 0 || s.n > INT32_MAX)
		return eval_error(e, op, "%lld steps", (long long)s.n);
	bool reverse = op_attr_int(op, A_is_reverse, 0) != 0, ok = true;
	Arena *a = arena_new();
	Tensor **carry = NEW_ARRAY(a, Tensor *, s.ncarry + 1), **args = NEW_ARRAY(a, Tensor *, op->noperands + 1u),
		**got = NEW_ARRAY(a, Tensor *, op->nresults + 1u), **rows = NEW_ARRAY(a, Tensor *, s.nout + 1);
	Tensor ***all = NEW_ARRAY(a, Tensor **, s.nout + 1);
	for (size_t k = 0; k < s.nout; k++)
		all[k] = NEW_ARRAY(a, Tensor *, (size_t)s.n + 1);
	for (size_t i = 0; i < s.ncarry; i++)
		carry[i] = tensor_ref(in[s.nin + i]);
	for (int64_t i = 0; i < s.n && ok; i++) {
		int64_t at = reverse ? s.n - 1 - i : i;
		ok = scan_step(e, op, &s, in, at, carry, rows, args, got);
		for (size_t k = 0; ok && k < s.nout; k++)
			all[k][at] = rows[k];
	}
	for (size_t k = 0; ok && k < s.nout; k++)
		ok = (out[k] = scan_output(e, op, &s, k, all[k])) != NULL;
	for (size_t i = 0; ok && i < s.ncarry; i++)
		out[s.nout + i] = tensor_ref(carry[i]);
	release(carry, s.ncarry);
	for (size_t k = 0; k < s.nout; k++)
		release(all[k], (size_t)s.n);
	arena_free(a);
	return ok;
}

#include "special_int.h"

#include <string.h>

/* chlo.ragged_dot as a product of masked operands: for each group a copy of the left operand whose other rows are zero. A free
 * ragged dimension adds these up, a contracted one keeps a result for each; as a batch dimension it changes nothing. */

typedef struct RaggedDot {
	const int64_t *lb, *rb, *lc, *rc;
	size_t nb, nc;
	int64_t ragged, group;          /* group: of the right operand, -1: none */
	int64_t left[MAX_RANK], right[MAX_RANK], sizes[MAX_RANK];
	int lrank, rrank, srank;
} RaggedDot;

static size_t field(const Op *op, const char *name, const int64_t **v)
{
	const Attr *d = op_attr(op, A_ragged_dot_dimension_numbers);
	*v = NULL;
	for (size_t i = 0; d && d->kind == ATTR_DICT && i < d->u.list.n; i++)
		if (!strcmp(d->u.list.names[i]->s, name) && d->u.list.v[i]->kind == ATTR_INTS) {
			*v = d->u.list.v[i]->u.ints.v;
			return d->u.list.v[i]->u.ints.n;
		}
	return 0;
}

static bool static_dims(const Value *v, int64_t *dims, int *rank)
{
	*rank = type_has_rank(v->type) ? v->type->rank : -1;
	return *rank > 0 && *rank < MAX_RANK && type_static_dims(v->type, dims);
}

static bool below(const int64_t *v, size_t n, int rank)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] < 0 || v[i] >= rank)
			return false;
	return true;
}

static bool has(const int64_t *v, size_t n, int64_t d)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == d)
			return true;
	return false;
}

static bool ragged_read(Lg *l, RaggedDot *r)
{
	const Op *op = l->op;
	const int64_t *lr, *rg;
	size_t nlr = field(op, "lhs_ragged_dimensions", &lr), nrg = field(op, "rhs_group_dimensions", &rg);
	r->nb = field(op, "lhs_batching_dimensions", &r->lb);
	r->nc = field(op, "lhs_contracting_dimensions", &r->lc);
	if (!static_dims(lg_in(l, 0), r->left, &r->lrank) || !static_dims(lg_in(l, 1), r->right, &r->rrank) ||
		!static_dims(lg_in(l, 2), r->sizes, &r->srank))
		return fm_no(l, "its sizes are not known");
	bool ok = nlr == 1 && nrg <= 1 && field(op, "rhs_batching_dimensions", &r->rb) == r->nb &&
		field(op, "rhs_contracting_dimensions", &r->rc) == r->nc && below(lr, nlr, r->lrank) && below(rg, nrg, r->rrank) &&
		below(r->lb, r->nb, r->lrank) && below(r->lc, r->nc, r->lrank) && below(r->rb, r->nb, r->rrank) &&
		below(r->rc, r->nc, r->rrank) && (r->srank == 1 || (size_t)r->srank == r->nb + 1);
	r->ragged = ok ? lr[0] : 0;
	r->group = ok && nrg ? rg[0] : -1;
	bool is_free = !has(r->lb, r->nb, r->ragged) && !has(r->lc, r->nc, r->ragged);
	return ok && is_free == (r->group >= 0);
}

/* Group sizes as [groups, 1 ...], a batch's where the left operand has it: starts or ends of the groups. */
static Value *borders(Lg *l, const RaggedDot *r, bool starts)
{
	int64_t perm[MAX_RANK], dims[MAX_RANK];
	int n = 0;
	Value *v = fm_op2(l, OP_cumsum, fm_cast(l, lg_in(l, 2), DT_I64), lg_const_int(l, r->srank - 1),
		fm_attr(l, A_exclusive, lg_int(l, starts)));
	perm[n++] = r->srank - 1;
	dims[0] = r->sizes[r->srank - 1];
	for (int d = 0; d < r->lrank; d++) {
		dims[d + 1] = 1;
		for (int i = 0; i + 1 < r->srank; i++)
			if (r->lb[i] == d) {
				perm[n++] = i;
				dims[d + 1] = r->sizes[i];
			}
	}
	return fm_reshape(l, fm_op1(l, OP_transpose, v, fm_attr(l, A_perm, attr_ints(l->c, perm, (size_t)n))), dims,
		(size_t)r->lrank + 1);
}

static Value *in_front(Lg *l, Value *x)
{
	int64_t first = 0;
	return fm_op1(l, OP_unsqueeze, x, fm_attr(l, A_axes, attr_ints(l->c, &first, 1)));
}

/* [groups, left operand]: rows of other groups are zero. */
static Value *masked(Lg *l, const RaggedDot *r, Value *x)
{
	int64_t dims[MAX_RANK];
	for (int d = 0; d <= r->lrank; d++)
		dims[d] = d == r->ragged + 1 ? r->left[r->ragged] : 1;
	Value *place = fm_op(l, OP_range, (Value *[]){ lg_const_int(l, 0), lg_const_int(l, r->left[r->ragged]), lg_const_int(l, 1) }, 3,
		NULL);
	place = fm_reshape(l, place, dims, (size_t)r->lrank + 1);
	Value *in = fm_op2(l, OP_and, fm_op2(l, OP_ge, place, borders(l, r, true), NULL),
		fm_op2(l, OP_lt, place, borders(l, r, false), NULL), NULL);
	return fm_op(l, OP_select, (Value *[]){ in, in_front(l, x), fm_cast(l, lg_const_int(l, 0), x->type->dtype) }, 3, NULL);
}

/* Dimensions of an operand that got one in front, `first` goes before them. */
static const Attr *moved(Lg *l, const int64_t *v, size_t n, int by, int64_t first)
{
	int64_t dims[MAX_RANK + 1];
	size_t m = 0;
	if (first >= 0)
		dims[m++] = first;
	for (size_t i = 0; i < n; i++)
		dims[m++] = v[i] + by;
	return attr_ints(l->c, dims, m);
}

static Value *product(Lg *l, const RaggedDot *r, Value *x, Value *w)
{
	bool contracted = has(r->lc, r->nc, r->ragged), batch = has(r->lb, r->nb, r->ragged);
	int by = batch ? 0 : 1, wby = contracted ? 1 : 0;
	if (!batch)
		x = masked(l, r, x);
	if (contracted) {
		int64_t dims[MAX_RANK] = { r->sizes[r->srank - 1] };
		memcpy(dims + 1, r->right, (size_t)r->rrank * sizeof *dims);
		w = fm_op2(l, OP_expand, in_front(l, w), lg_const_ints(l, dims, (size_t)r->rrank + 1), NULL);
	}
	return fm_op2(l, OP_dot_general, x, w, (RwAttr[]){
		{ A_lhs_batch, moved(l, r->lb, r->nb, by, contracted ? 0 : -1) },
		{ A_rhs_batch, moved(l, r->rb, r->nb, wby, contracted ? 0 : -1) },
		{ A_lhs_contract, moved(l, r->lc, r->nc, by, batch || contracted ? -1 : 0) },
		{ A_rhs_contract, moved(l, r->rc, r->nc, wby, batch || contracted ? -1 : r->group) }, { A_NONE, NULL } });
}

bool special_ragged(Lg *l, OpKind core)
{
	RaggedDot r = { 0 };
	(void)core;
	if (l->op->noperands != 3 || l->op->nresults != 1 || !ragged_read(l, &r))
		return false;
	DType d = lg_dtype(l->op->results[0]);
	if (d == DT_NONE)
		d = lg_dtype(lg_in(l, 0));
	Value *y = product(l, &r, fm_cast(l, lg_in(l, 0), d), fm_cast(l, lg_in(l, 1), d));
	return lg_replace(l, &y, 1);
}

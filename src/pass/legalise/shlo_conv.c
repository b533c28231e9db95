#include "legalise_int.h"

#include <string.h>

/* StableHLO's convolution: any order of dimensions, padding that may be negative, holes in the operand (lhs_dilation), a
 * reversed window and groups of batches. Core wants N C spatial and O I spatial: transposes go around it, and what core's
 * convolution lacks becomes ops before it. */

typedef struct Conv {
	int n;                        /* spatial dimensions */
	int64_t ib, iff, ki, ko, ob, of;
	const int64_t *is, *ks, *os;
	int64_t stride[MAX_RANK], pad[2 * MAX_RANK], lhs[MAX_RANK], rhs[MAX_RANK], reverse[MAX_RANK];
	int64_t groups, batch_groups;
} Conv;

static bool ints_of(const Op *op, AttrName a, size_t n, int64_t fallback, int64_t *out)
{
	const int64_t *v;
	size_t have = op_attr_ints(op, a, &v);
	for (size_t i = 0; i < n; i++)
		out[i] = fallback;
	if (!have)
		return true;
	if (have != n)
		return false;
	memcpy(out, v, n * sizeof *out);
	return true;
}

static bool conv_form(Lg *l, Conv *c)
{
	const Attr *d = op_attr(l->op, A_dimension_numbers);
	static const char kinds[] = "iiliiliil";
	if (!d || d->kind != ATTR_DICT || d->u.list.n != sizeof kinds - 1)
		return false;
	const Attr *const *v = d->u.list.v;
	for (size_t i = 0; i < sizeof kinds - 1; i++)
		if (v[i]->kind != (kinds[i] == 'l' ? ATTR_INTS : ATTR_INT))
			return false;
	size_t n = v[2]->u.ints.n;
	if (v[5]->u.ints.n != n || v[8]->u.ints.n != n || n + 2 > MAX_RANK)
		return false;
	*c = (Conv){ .n = (int)n, .ib = v[0]->u.i, .iff = v[1]->u.i, .is = v[2]->u.ints.v, .ki = v[3]->u.i, .ko = v[4]->u.i,
		.ks = v[5]->u.ints.v, .ob = v[6]->u.i, .of = v[7]->u.i, .os = v[8]->u.ints.v };
	c->groups = op_attr_int(l->op, A_feature_group_count, 1);
	c->batch_groups = op_attr_int(l->op, A_batch_group_count, 1);
	return ints_of(l->op, A_window_strides, n, 1, c->stride) && ints_of(l->op, A_padding, 2 * n, 0, c->pad) &&
		ints_of(l->op, A_lhs_dilation, n, 1, c->lhs) && ints_of(l->op, A_rhs_dilation, n, 1, c->rhs) &&
		ints_of(l->op, A_window_reversal, n, 0, c->reverse) && c->groups > 0 && c->batch_groups > 0;
}

/* x with its dimensions in the order a, b, spatial; false when they are no permutation. */
static bool order(int n, int64_t a, int64_t b, const int64_t *spatial, int64_t *perm)
{
	bool seen[MAX_RANK] = { false };
	perm[0] = a;
	perm[1] = b;
	for (int i = 0; i < n; i++)
		perm[2 + i] = spatial[i];
	for (int i = 0; i < n + 2; i++) {
		if (perm[i] < 0 || perm[i] >= n + 2 || seen[perm[i]])
			return false;
		seen[perm[i]] = true;
	}
	return true;
}

static Value *zero_scalar(Lg *l, DType d)
{
	int64_t none = 0;
	if (dtype_is_float(d))
		return lg_const_float(l, d, 0);
	return constant_from_ints(l->op->block, l->op, d, 0, NULL, &none);
}

/* Holes of zeros between the elements along spatial axes. Core has no such padding: each axis is reshaped to [n, 1], padded
 * to [n, dilation], reshaped back and cut. */
static Value *dilate(Lg *l, Value *x, int64_t *dims, int rank, int axis, int64_t by)
{
	int64_t wide[MAX_RANK + 1], pads[2 * (MAX_RANK + 1)] = { 0 }, start[1] = { 0 }, end[1];
	for (int d = 0, o = 0; d < rank; d++) {
		wide[o++] = dims[d];
		if (d == axis)
			wide[o++] = 1;
	}
	RwAttr zero_ok[] = { { A_allowzero, lg_int(l, 1) }, { A_NONE, NULL } };
	x = lg_new(l, OP_reshape, (Value *[]){ x, lg_const_ints(l, wide, (size_t)rank + 1) }, 2, zero_ok);
	pads[rank + 1 + axis + 1] = by - 1;
	x = lg_new(l, OP_pad, (Value *[]){ x, lg_const_ints(l, pads, 2 * ((size_t)rank + 1)), zero_scalar(l,
		lg_dtype(lg_in(l, 0))) }, 3,
		NULL);
	int64_t n = dims[axis];
	dims[axis] = n * by;
	x = lg_new(l, OP_reshape, (Value *[]){ x, lg_const_ints(l, dims, (size_t)rank) }, 2, zero_ok);
	dims[axis] = end[0] = n == 0 ? 0 : (n - 1) * by + 1;
	return lg_new(l, OP_slice, (Value *[]){ x, lg_const_ints(l, start, 1), lg_const_ints(l, end, 1) }, 3,
		(RwAttr[]){ { A_axes, lg_ints_attr(l, (int64_t[]){ axis }, 1) }, { A_NONE, NULL } });
}

/* Negative padding cuts the operand first. */
static Value *crop(Lg *l, Conv *c, Value *x, int64_t *dims)
{
	int64_t pads[2 * MAX_RANK] = { 0 };
	int rank = c->n + 2;
	bool any = false;
	for (int i = 0; i < c->n; i++)
		for (int side = 0; side < 2; side++) {
			int64_t *p = &c->pad[2 * i + side];
			if (*p >= 0)
				continue;
			pads[side * rank + 2 + i] = *p;
			dims[2 + i] += *p;
			*p = 0;
			any = true;
		}
	if (!any)
		return x;
	return lg_new(l, OP_pad, (Value *[]){ x, lg_const_ints(l, pads, 2 * (size_t)rank), zero_scalar(l,
		lg_dtype(lg_in(l, 0))) }, 3,
		NULL);
}

/* Groups of batches: [G B', C, ...] is [B', G C, ...] with G groups of features. */
static Value *batches_to_features(Lg *l, Conv *c, Value *x, int64_t *dims)
{
	int rank = c->n + 2;
	int64_t wide[MAX_RANK + 1], perm[MAX_RANK + 1], g = c->batch_groups;
	RwAttr zero_ok[] = { { A_allowzero, lg_int(l, 1) }, { A_NONE, NULL } };
	wide[0] = g;
	wide[1] = dims[0] / g;
	for (int d = 1; d < rank; d++)
		wide[d + 1] = dims[d];
	for (int d = 0; d <= rank; d++)
		perm[d] = d;
	perm[0] = 1;
	perm[1] = 0;
	x = lg_new(l, OP_reshape, (Value *[]){ x, lg_const_ints(l, wide, (size_t)rank + 1) }, 2, zero_ok);
	x = lg_shlo_transpose(l, x, perm, (size_t)rank + 1);
	dims[0] /= g;
	dims[1] *= g;
	c->groups = g;
	return lg_new(l, OP_reshape, (Value *[]){ x, lg_const_ints(l, dims, (size_t)rank) }, 2, zero_ok);
}

static Value *reverse_window(Lg *l, const Conv *c, Value *w)
{
	int64_t axes[MAX_RANK];
	size_t n = 0;
	for (int i = 0; i < c->n; i++)
		if (c->reverse[i])
			axes[n++] = 2 + i;
	return n ? lg_new1(l, OP_reverse, w, (RwAttr[]){ { A_axes, lg_ints_attr(l, axes, n) }, { A_NONE, NULL } }) : w;
}

static bool any_hole(const Conv *c)
{
	for (int i = 0; i < c->n; i++)
		if (c->lhs[i] != 1)
			return true;
	return false;
}

static bool any_negative(const Conv *c)
{
	for (int i = 0; i < 2 * c->n; i++)
		if (c->pad[i] < 0)
			return true;
	return false;
}

/* The operand in core's order, with holes and without negative padding. */
static Value *prepare(Lg *l, Conv *c, Value *x, const int64_t *perm)
{
	int64_t dims[MAX_RANK], moved[MAX_RANK];
	bool needs = any_hole(c) || any_negative(c) || c->batch_groups > 1;
	int rank = c->n + 2;
	Value *y = lg_shlo_transpose(l, x, perm, (size_t)rank);
	if (!needs)
		return y;
	if (!type_static_dims(x->type, dims))
		return NULL;
	for (int d = 0; d < rank; d++)
		moved[d] = dims[perm[d]];
	if (c->batch_groups > 1 && (c->groups != 1 || moved[0] % c->batch_groups))
		return NULL;
	for (int i = 0; i < c->n; i++) {
		if (c->lhs[i] < 1 || c->lhs[i] > INT32_MAX)
			return NULL;
		if (c->lhs[i] > 1)
			y = dilate(l, y, moved, rank, 2 + i, c->lhs[i]);
	}
	y = crop(l, c, y, moved);
	return c->batch_groups > 1 ? batches_to_features(l, c, y, moved) : y;
}

bool lg_shlo_conv(Lg *l, OpKind core)
{
	Conv c;
	Value *x = lg_in(l, 0), *w = lg_in(l, 1);
	int64_t in[MAX_RANK], kernel[MAX_RANK], out[MAX_RANK], back[MAX_RANK], pads[2 * MAX_RANK];
	const Type *t = l->op->results[0]->type;
	DType to = t->dtype;
	if (!conv_form(l, &c) || lg_rank(x) != c.n + 2 || lg_rank(w) != c.n + 2 || !order(c.n, c.ib, c.iff, c.is, in) ||
		!order(c.n, c.ko, c.ki, c.ks, kernel) || !order(c.n, c.ob, c.of, c.os, out) || c.n < 1 ||
		!dtype_is_float(to))
		return false;
	RwAttr cast[] = { { A_to, attr_dtype(l->c, to) }, { A_NONE, NULL } };
	if (lg_dtype(w) != to)
		w = lg_new1(l, OP_cast, w, cast);
	x = prepare(l, &c, x, in);
	if (!x)
		return false;
	if (lg_dtype(lg_in(l, 0)) != to)
		x = lg_new1(l, OP_cast, x, cast);
	w = reverse_window(l, &c, lg_shlo_transpose(l, w, kernel, (size_t)c.n + 2));
	for (int i = 0; i < c.n; i++) {
		pads[i] = c.pad[2 * i];
		pads[c.n + i] = c.pad[2 * i + 1];
	}
	for (int i = 0; i < c.n + 2; i++)
		back[out[i]] = i;
	RwAttr attrs[] = { { A_strides, lg_ints_attr(l, c.stride, (size_t)c.n) }, { A_pads, lg_ints_attr(l, pads,
		2 * (size_t)c.n) },
		{ A_dilations, lg_ints_attr(l, c.rhs, (size_t)c.n) }, { A_groups, lg_int(l, c.groups) }, { A_NONE, NULL } };
	bool straight = true;
	for (int i = 0; i < c.n + 2; i++)
		straight &= back[i] == i;
	if (straight)
		return lg_become(l, core, (Value *[]){ x, w }, 2, attrs);
	Value *y = lg_new2(l, core, x, w, attrs);
	return lg_become(l, OP_transpose, &y, 1, (RwAttr[]){ { A_perm, lg_ints_attr(l, back, (size_t)c.n + 2) }, { A_NONE,
		NULL } });
}

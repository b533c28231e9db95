#include "shlo_int.h"

#include <math.h>
#include <string.h>

Value *sh_new(Lg *l, OpKind k, Value *const *in, size_t n, const Type *t, const RwAttr *attrs)
{
	Value *v = lg_new(l, k, in, n, attrs);
	value_set_type(v, t);
	return v;
}

Value *sh_new1(Lg *l, OpKind k, Value *x)
{
	return sh_new(l, k, &x, 1, x->type, NULL);
}

Value *sh_new2(Lg *l, OpKind k, Value *x, Value *y)
{
	return sh_new(l, k, (Value *[]){ x, y }, 2, x->type, NULL);
}

bool sh_become(Lg *l, OpKind k, Value *const *in, size_t n, const RwAttr *attrs)
{
	return lg_become(l, k, in, n, attrs);
}

RwAttr *sh_attr(Lg *l, AttrName a, const Attr *v)
{
	RwAttr *list = NEW_ARRAY(l->a, RwAttr, 2);
	list[0] = (RwAttr){ a, v };
	list[1] = (RwAttr){ A_NONE, NULL };
	return list;
}

bool sh_needs_shape(Lg *l)
{
	return rz_no(l, "its shape is not known well enough; bind sizes with --shape or --dim");
}

const Type *sh_result(const Lg *l)
{
	return l->op->results[0]->type;
}

const Type *sh_type(Lg *l, DType d, int rank, const int64_t *dims)
{
	return type_tensor_of(l->c, d, rank, dims);
}

const Type *sh_type_of(Lg *l, const Value *v, int rank, const Sym *const *dims)
{
	return type_tensor(l->c, v->type->dtype, rank, dims);
}

bool sh_dims(const Value *v, int64_t *dims, int *rank)
{
	*rank = v && type_has_rank(v->type) ? v->type->rank : 0;
	return sh_ranked(v, rank) && type_static_dims(v->type, dims);
}

bool sh_ranked(const Value *v, int *rank)
{
	*rank = v && type_has_rank(v->type) ? v->type->rank : 0;
	return v && type_has_rank(v->type) && v->type->rank <= MAX_RANK && v->type->dtype != DT_NONE;
}

const Attr *sh_ints(Lg *l, const int64_t *v, size_t n)
{
	return attr_ints(l->c, v, n);
}

/* ---- constants ---- */

static Value *constant_of(Lg *l, const Type *t, const void *element)
{
	const Attr *a = attr_tensor(l->c, t, blob_splat(l->c, t->dtype, element));
	return sh_new(l, SHLO_constant, NULL, 0, t, sh_attr(l, A_value, a));
}

Value *sh_int(Lg *l, DType d, int64_t v)
{
	uint64_t element[2] = { 0, 0 };
	dtype_store_i64(d, element, 1, &v);
	return constant_of(l, sh_type(l, d, 0, NULL), element);
}

static Value *splat_of(Lg *l, const Type *t, double v)
{
	uint64_t element[2] = { 0, 0 };
	int64_t i = (int64_t)v;
	if (dtype_is_integer(t->dtype) || t->dtype == DT_BOOL)
		dtype_store_i64(t->dtype, element, 1, &i);
	else
		dtype_store_f64(t->dtype, element, 1, &v);
	return constant_of(l, t, element);
}

Value *sh_number(Lg *l, DType d, double v)
{
	return splat_of(l, sh_type(l, d, 0, NULL), v);
}

enum { MAX_TWICE = 4096 }; /* bytes of a constant that may be written in two shapes */

Value *sh_full(Lg *l, const Type *t, double v)
{
	if (type_has_rank(t) && type_is_static(t))
		return splat_of(l, t, v);
	return type_has_rank(t) ? sh_broadcast(l, sh_number(l, t->dtype, v), t, NULL) : NULL;
}

Value *sh_ints_value(Lg *l, DType d, const int64_t *v, size_t n)
{
	int64_t dim = (int64_t)n;
	Value *c = constant_from_ints(l->op->block, l->op, d, 1, &dim, v);
	const Attr *a = op_constant_attr(c->def);
	c->def->made = true;
	return sh_new(l, SHLO_constant, NULL, 0, c->type, sh_attr(l, A_value, a));
}

double sh_neutral(OpKind body, DType d)
{
	(void)d;
	switch (body) {
	case SHLO_maximum: return -INFINITY;
	case SHLO_minimum: return INFINITY;
	case SHLO_multiply: case SHLO_and: return 1;
	default: return 0;
	}
}

Value *sh_neutral_value(Lg *l, OpKind body, DType d)
{
	if (dtype_is_integer(d) && (body == SHLO_maximum || body == SHLO_minimum)) {
		bool sign = dtype_class(d) == DC_INT;
		int bits = dtype_bits(d);
		int64_t top = bits == 64 ? (sign ? INT64_MAX : -1) : (int64_t)((UINT64_C(1) << (bits - sign)) - 1);
		return sh_int(l, d, body == SHLO_minimum ? top : sign ? -top - 1 : 0);
	}
	return sh_number(l, d, sh_neutral(body, d));
}

/* ---- shapes ---- */

static bool same_dims(const Type *a, const Type *b)
{
	if (a->rank != b->rank)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i])
			return false;
	return true;
}

/* The data of a constant, core's or one that was raised. */
static const Attr *data_of(const Value *x)
{
	const Op *op = def_of(x, SHLO_constant);
	const Attr *a = op ? op_attr(op, A_value) : value_constant(x);
	return a && a->kind == ATTR_TENSOR ? a : NULL;
}

/* Of elements of whole bytes: every one is the first. */
static bool all_alike(const Blob *b, size_t size)
{
	return b->splat || (b->len >= size && !memcmp(b->data, (const char *)b->data + size, b->len - size));
}

/* One repeated constant in another static shape; NULL: x is none. */
static Value *full_of(Lg *l, const Value *x, const Type *like)
{
	const Attr *c = data_of(x);
	int64_t n;
	if (!c || !type_is_static(like) || !type_static_numel(c->u.tensor.type, &n) || dtype_bits(x->type->dtype) < 8 ||
		x->type->dtype == DT_STR || n < 1 || !all_alike(c->u.tensor.blob, dtype_size(x->type->dtype)))
		return NULL;
	return constant_of(l, type_with_dtype(l->c, like, x->type->dtype), c->u.tensor.blob->data);
}

/* A constant that only gets dimensions of size 1: with these, where that writes nothing twice that is worth a word. */
static Value *with_units(Lg *l, const Value *x, const Type *t, const int64_t *at)
{
	const Attr *c = data_of(x);
	int64_t n, m;
	if (!c || !type_static_numel(x->type, &n) || !type_static_numel(t, &m) || n != m ||
			(!value_has_one_use(x) && c->u.tensor.blob->len > MAX_TWICE))
		return NULL;
	for (int i = 1; i < x->type->rank; i++)
		if (at[i] <= at[i - 1])
			return NULL;
	const Type *to = type_with_dtype(l->c, t, x->type->dtype);
	return sh_new(l, SHLO_constant, NULL, 0, to, sh_attr(l, A_value, attr_tensor(l->c, to, blob_ref(c->u.tensor.blob))));
}

Value *sh_broadcast(Lg *l, Value *x, const Type *t, const int64_t *at)
{
	size_t n = (size_t)x->type->rank;
	const Type *to = type_with_dtype(l->c, t, x->type->dtype);
	Value *c = full_of(l, x, t);
	if (!c && type_is_static(t))
		c = with_units(l, x, t, at);
	if (c)
		return c;
	RwAttr *attrs = sh_attr(l, A_broadcast_dimensions, sh_ints(l, at, n));
	if (type_is_static(x->type) && type_is_static(t))
		return sh_new(l, SHLO_broadcast_in_dim, &x, 1, to, attrs);
	Value *shape = sh_shape(l, t);
	return shape ? sh_new(l, SHLO_dynamic_broadcast_in_dim, (Value *[]){ x, shape }, 2, to, attrs) : NULL;
}

/* What a reshape made x of by adding dimensions of size 1, and where its dimensions go; NULL: x is no such. */
static Value *without_units(const Value *x, const Type *like, int64_t *at)
{
	Op *op = def_of(x, SHLO_reshape);
	Value *y = op ? op_operand(op, 0) : NULL;
	int j = 0, rank;
	if (!y || !sh_ranked(y, &rank) || rank >= x->type->rank)
		return NULL;
	for (int i = 0; i < x->type->rank; i++) {
		if (j < rank && x->type->dims[i] == y->type->dims[j])
			at[j++] = like->rank - x->type->rank + i;
		else if (!sym_is(x->type->dims[i], 1))
			return NULL;
	}
	return j == rank ? y : NULL;
}

Value *sh_fit(Lg *l, Value *x, const Type *like)
{
	int64_t at[MAX_RANK];
	int rank;
	if (!sh_ranked(x, &rank) || !type_has_rank(like) || like->rank > MAX_RANK || rank > like->rank)
		return NULL;
	if (same_dims(x->type, like))
		return x;
	Value *splat = full_of(l, x, like), *bare = splat ? NULL : without_units(x, like, at);
	if (splat || bare)
		return splat ? splat : sh_broadcast(l, bare, like, at);
	for (int i = 0; i < rank; i++)
		at[i] = like->rank - rank + i;
	return sh_broadcast(l, x, like, at);
}

Value *sh_reshape_to(Lg *l, Value *x, const Type *t)
{
	if (!type_has_rank(t))
		return NULL;
	const Type *to = type_with_dtype(l->c, t, x->type->dtype);
	for (Op *before = def_of(x, SHLO_reshape); before && to != x->type; before = def_of(x, SHLO_reshape))
		x = op_operand(before, 0);
	if (to == x->type)
		return x;
	if (type_is_static(t) && type_has_rank(x->type) && type_is_static(x->type))
		return sh_new(l, SHLO_reshape, &x, 1, to, NULL);
	Value *shape = sh_shape(l, t);
	return shape ? sh_new(l, SHLO_dynamic_reshape, (Value *[]){ x, shape }, 2, to, NULL) : NULL;
}

Value *sh_reshape(Lg *l, Value *x, int rank, const int64_t *dims)
{
	return sh_reshape_to(l, x, sh_type(l, x->type->dtype, rank, dims));
}

Value *sh_convert(Lg *l, Value *x, DType d)
{
	return x->type->dtype == d ? x : sh_new(l, SHLO_convert, &x, 1, type_with_dtype(l->c, x->type, d), NULL);
}

static const char *compare_type(DType d)
{
	DTypeClass c = dtype_class(d);
	return c == DC_FLOAT || c == DC_COMPLEX ? "FLOAT" : c == DC_INT ? "SIGNED" : "UNSIGNED";
}

Value *sh_compare_to(Lg *l, Value *x, Value *y, const char *direction)
{
	RwAttr attrs[] = { { A_comparison_direction, lg_text(l, direction) },
		{ A_compare_type, lg_text(l, compare_type(x->type->dtype)) }, { A_NONE, NULL } };
	return sh_new(l, SHLO_compare, (Value *[]){ x, y }, 2, type_with_dtype(l->c, x->type, DT_BOOL), attrs);
}

Value *sh_select_of(Lg *l, Value *cond, Value *a, Value *b)
{
	return sh_new(l, SHLO_select, (Value *[]){ cond, a, b }, 3, a->type, NULL);
}

Value *sh_iota(Lg *l, const Type *t, int64_t axis)
{
	RwAttr *attrs = sh_attr(l, A_iota_dimension, lg_int(l, axis));
	if (!type_has_rank(t))
		return NULL;
	if (type_is_static(t))
		return sh_new(l, SHLO_iota, NULL, 0, t, attrs);
	Value *shape = sh_shape(l, t);
	return shape ? sh_new(l, SHLO_dynamic_iota, &shape, 1, t, attrs) : NULL;
}

Value *sh_transpose_of(Lg *l, Value *x, const int64_t *perm)
{
	const Sym *dims[MAX_RANK];
	bool same = true;
	for (int i = 0; i < x->type->rank; i++) {
		dims[i] = x->type->dims[perm[i]];
		same &= perm[i] == i;
	}
	if (same)
		return x;
	RwAttr *attrs = sh_attr(l, A_permutation, sh_ints(l, perm, (size_t)x->type->rank));
	return sh_new(l, SHLO_transpose, &x, 1, sh_type_of(l, x, x->type->rank, dims), attrs);
}

/* Of a static operand; end counts from the start. */
Value *sh_slice_of(Lg *l, Value *x, const int64_t *start, const int64_t *end, const int64_t *step)
{
	int64_t dims[MAX_RANK], ones[MAX_RANK];
	size_t n = (size_t)x->type->rank;
	for (size_t i = 0; i < n; i++) {
		ones[i] = step ? step[i] : 1;
		dims[i] = end[i] <= start[i] ? 0 : (end[i] - start[i] + ones[i] - 1) / ones[i];
	}
	RwAttr attrs[] = { { A_start_indices, sh_ints(l, start, n) }, { A_limit_indices, sh_ints(l, end, n) },
		{ A_strides, sh_ints(l, ones, n) }, { A_NONE, NULL } };
	return sh_new(l, SHLO_slice, &x, 1, sh_type(l, x->type->dtype, (int)n, dims), attrs);
}

const Attr *sh_struct(Lg *l, const ShField *f, size_t n)
{
	const Str **names = NEW_ARRAY(l->a, const Str *, n);
	const Attr **values = NEW_ARRAY(l->a, const Attr *, n);
	for (size_t i = 0; i < n; i++) {
		names[i] = str(l->c, f[i].name);
		values[i] = f[i].list ? attr_ints(l->c, f[i].v, f[i].n) : attr_int(l->c, f[i].v[0]);
	}
	return attr_make(l->c, (Attr){ .kind = ATTR_DICT, .u.list = { values, names, n } });
}

/* ---- regions ---- */

Op *sh_region_op(Lg *l, OpKind k, Value *const *in, size_t n, const Type *const *types, size_t nresults,
	const RwAttr *attrs, const Type *const *args, size_t nargs, Block **body)
{
	NamedAttr named[8];
	size_t m = 0;
	for (; attrs && attrs[m].name != A_NONE; m++)
		named[m] = (NamedAttr){ l->c->attr_names[attrs[m].name], attrs[m].value };
	OpSpec s = { .def = op_def(l->c, k), .operands = in, .noperands = n, .types = types, .nresults = nresults,
		.attrs = named, .nattrs = m, .nblocks = 1, .loc = l->op->loc };
	Op *op = op_new(l->op->block, l->op, &s);
	op->made = true;
	Block *b = block_new(l->op->block->func, op);
	for (size_t i = 0; i < nargs; i++)
		block_add_arg(b, args[i], NULL);
	op_set_block(op, 0, b);
	*body = b;
	return op;
}

Value *sh_in(Lg *l, Block *b, OpKind k, Value *const *in, size_t n, const Type *t, const RwAttr *attrs)
{
	NamedAttr named[8];
	size_t m = 0;
	for (; attrs && attrs[m].name != A_NONE; m++)
		named[m] = (NamedAttr){ l->c->attr_names[attrs[m].name], attrs[m].value };
	OpSpec s = { .def = op_def(l->c, k), .operands = in, .noperands = n, .types = &t, .nresults = 1, .attrs = named,
		.nattrs = m, .loc = l->op->loc };
	return op_new(b, NULL, &s)->results[0];
}

void sh_end(Lg *l, Block *b, Value *const *v, size_t n)
{
	op_new(b, NULL, &(OpSpec){ .def = op_def(l->c, SHLO_return), .operands = v, .noperands = n, .loc = l->op->loc });
}

void sh_body(Lg *l, Block *b, OpKind op, DType d)
{
	Value *y = sh_in(l, b, op, b->args, 2, sh_type(l, d, 0, NULL), NULL);
	sh_end(l, b, &y, 1);
}

Value *sh_reduce(Lg *l, Value *x, OpKind body, Value *start, const int64_t *axes, size_t n, bool keep)
{
	const Sym *kept[MAX_RANK], *ones[MAX_RANK];
	int rank, m = 0;
	Block *b;
	DType d = x->type->dtype;
	if (!sh_ranked(x, &rank))
		return NULL;
	for (int i = 0; i < rank; i++) {
		bool gone = false;
		for (size_t k = 0; k < n; k++)
			gone |= axes[k] == i;
		ones[i] = gone ? sym_int(l->c, 1) : x->type->dims[i];
		if (!gone)
			kept[m++] = x->type->dims[i];
	}
	const Type *scalar = sh_type(l, d, 0, NULL), *t = sh_type_of(l, x, m, kept), *args[2] = { scalar, scalar };
	Value *in[2] = { x, start ? start : sh_neutral_value(l, body, d) };
	Op *op = sh_region_op(l, SHLO_reduce, in, 2, &t, 1, sh_attr(l, A_dimensions, sh_ints(l, axes, n)), args, 2, &b);
	sh_body(l, b, body, d);
	return keep ? sh_reshape_to(l, op->results[0], sh_type_of(l, x, rank, ones)) : op->results[0];
}

Value *sh_count(Lg *l, const Value *x, const int64_t *axes, size_t n, DType d)
{
	const Sym *count = sym_int(l->c, 1);
	int64_t v;
	for (size_t i = 0; i < n; i++)
		count = sym_mul(l->c, count, x->type->dims[axes[i]]);
	if (sym_const(count, &v))
		return dtype_is_float(d) ? sh_number(l, d, (double)v) : sh_int(l, d, v);
	Value *size = sh_size(l, count);
	return size ? sh_convert(l, size, d) : NULL;
}

/* ---- core ops that are raised in turn ---- */

Value *sh_core(Lg *l, OpKind k, Value *const *in, size_t n, const RwAttr *attrs)
{
	Value *v = lg_new(l, k, in, n, attrs);
	infer_op(l->infer, v->def);
	return v;
}

Value *sh_core1(Lg *l, OpKind k, Value *x, const RwAttr *attrs)
{
	return sh_core(l, k, &x, 1, attrs);
}

Value *sh_core2(Lg *l, OpKind k, Value *x, Value *y, const RwAttr *attrs)
{
	return sh_core(l, k, (Value *[]){ x, y }, 2, attrs);
}

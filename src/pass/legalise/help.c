#include "legalise_int.h"

#include <string.h>

Value *lg_in(const Lg *l, size_t i)
{
	return op_operand(l->op, i);
}

/* Room for every attribute that a core op can have. */
#define MAX_ATTRS 24

static size_t named_attrs(Lg *l, const RwAttr *attrs, NamedAttr *out)
{
	size_t n = 0;
	for (; attrs && attrs->name != A_NONE; attrs++) {
		if (!attrs->value)
			continue;
		CHECK(n < MAX_ATTRS);
		out[n++] = (NamedAttr){ l->c->attr_names[attrs->name], attrs->value };
	}
	return n;
}

Value *lg_new(Lg *l, OpKind kind, Value *const *in, size_t n, const RwAttr *attrs)
{
	NamedAttr named[MAX_ATTRS];
	OpSpec s = {
		.def = op_def(l->c, kind), .operands = in, .noperands = n, .nresults = 1, .attrs = named,
		.nattrs = named_attrs(l, attrs, named), .loc = l->op->loc,
	};
	Op *op = op_new(l->op->block, l->op, &s);
	op->made = true;
	return op->results[0];
}

Value *lg_new1(Lg *l, OpKind kind, Value *x, const RwAttr *attrs)
{
	return lg_new(l, kind, &x, 1, attrs);
}

Value *lg_new2(Lg *l, OpKind kind, Value *x, Value *y, const RwAttr *attrs)
{
	return lg_new(l, kind, (Value *[]){ x, y }, 2, attrs);
}

bool lg_become(Lg *l, OpKind kind, Value *const *in, size_t n, const RwAttr *attrs)
{
	while (n > 0 && !in[n - 1])
		n--;
	Value **copy = NEW_ARRAY(l->a, Value *, n + 1); /* `in` may point into the op */
	for (size_t i = 0; i < n; i++)
		copy[i] = in[i];
	op_set_operands(l->op, copy, n);
	return lg_become_same(l, kind, attrs);
}

bool lg_become_same(Lg *l, OpKind kind, const RwAttr *attrs)
{
	NamedAttr named[MAX_ATTRS];
	size_t n = named_attrs(l, attrs, named);
	op_set_def(l->op, op_def(l->c, kind));
	while (l->op->nattrs)
		op_set_attr(l->op, l->op->attrs[l->op->nattrs - 1].name, NULL);
	for (size_t i = 0; i < n; i++)
		op_set_attr(l->op, named[i].name, named[i].value);
	return true;
}

bool lg_replace(Lg *l, Value *const *v, size_t n)
{
	CHECK(n == l->op->nresults);
	for (size_t i = 0; i < n; i++) {
		Value *old = l->op->results[i];
		if (old->name && v[i]->def && v[i]->def->made && !v[i]->name)
			value_set_name(v[i], old->name);
		if (l->infer && !infer_elems(l->infer, v[i]))
			infer_set_elems(l->infer, v[i], infer_elems(l->infer, old));
		value_replace_uses(old, v[i]);
	}
	l->gone = true;
	return true;
}

bool lg_copy(Lg *l, OpKind kind)
{
	const OpDef *d = op_def(l->c, kind);
	for (size_t i = l->op->nattrs; i-- > 0;) {
		const Str *name = l->op->attrs[i].name;
		if (!op_attr_def(d, (AttrName)name->known))
			op_set_attr(l->op, name, NULL);
	}
	op_set_def(l->op, d);
	return true;
}

const Attr *lg_int(Lg *l, int64_t v)
{
	return attr_int(l->c, v);
}

const Attr *lg_float(Lg *l, double v)
{
	return attr_float(l->c, (double)(float)v);
}

const Attr *lg_text(Lg *l, const char *s)
{
	return attr_str(l->c, str(l->c, s));
}

const Attr *lg_ints_attr(Lg *l, const int64_t *v, size_t n)
{
	return attr_ints(l->c, v, n);
}

const Attr *lg_attr(Lg *l, AttrName a)
{
	return op_attr(l->op, a);
}

DType lg_dtype(const Value *v)
{
	return v && type_is_tensor(v->type) ? v->type->dtype : DT_NONE;
}

int lg_rank(const Value *v)
{
	return v && type_is_tensor(v->type) ? v->type->rank : RANK_UNKNOWN;
}

bool lg_is_empty(const Value *v)
{
	if (!v)
		return true;
	const Attr *t = value_constant(v);
	const Type *type = t ? t->u.tensor.type : v->type;
	if (!type_has_rank(type))
		return false;
	for (int i = 0; i < type->rank; i++)
		if (sym_is(type->dims[i], 0))
			return true;
	return false;
}

bool lg_operand_ints(Lg *l, size_t i, const int64_t **v, size_t *n)
{
	*v = NULL;
	*n = 0;
	Value *x = lg_in(l, i);
	if (!x)
		return true;
	*v = constant_ints(l->a, x, 0, n);
	return *v != NULL;
}

bool lg_attr_or_operand(Lg *l, AttrName a, size_t i, const int64_t **v, size_t *n)
{
	if (!op_attr(l->op, a))
		return lg_operand_ints(l, i, v, n);
	*n = op_attr_ints(l->op, a, v);
	return true;
}

static Value *as_made(Value *v)
{
	v->def->made = true;
	return v;
}

Value *lg_const_ints(Lg *l, const int64_t *v, size_t n)
{
	int64_t dim = (int64_t)n;
	return as_made(constant_from_ints(l->op->block, l->op, DT_I64, 1, &dim, v));
}

Value *lg_const_int(Lg *l, int64_t v)
{
	return as_made(constant_from_ints(l->op->block, l->op, DT_I64, 0, NULL, &v));
}

Value *lg_const_float(Lg *l, DType d, double v)
{
	return as_made(constant_from_floats(l->op->block, l->op, d, 0, NULL, &v));
}

/* The constant t with other dims; its bytes are shared. */
static Value *const_with_type(Lg *l, const Attr *t, int rank, const Sym *const *dims)
{
	const Type *type = type_tensor(l->c, t->u.tensor.type->dtype, rank, dims);
	return as_made(constant_from_attr(l->op->block, l->op, attr_tensor(l->c, type, blob_ref(t->u.tensor.blob))));
}

Value *lg_unsqueeze(Lg *l, Value *v, const int64_t *axes, size_t n)
{
	const Attr *t = value_constant(v);
	if (!t)
		return lg_new1(l, OP_unsqueeze, v, (RwAttr[]){ { A_axes, lg_ints_attr(l, axes, n) }, { A_NONE, NULL } });
	int old_rank = t->u.tensor.type->rank, rank = old_rank + (int)n;
	const Sym **dims = NEW_ARRAY(l->a, const Sym *, rank + 1);
	for (size_t i = 0; i < n; i++)
		dims[axes[i]] = sym_int(l->c, 1);
	for (int i = 0, from = 0; i < rank; i++)
		if (!dims[i])
			dims[i] = t->u.tensor.type->dims[from++];
	return const_with_type(l, t, rank, dims);
}

typedef struct TypeName {
	const char *name;
	DType d;
} TypeName;

/* Cast of opset 1 names its type. */
static const TypeName type_names[] = {
	{ "FLOAT", DT_F32 }, { "UINT8", DT_U8 }, { "INT8", DT_I8 }, { "UINT16", DT_U16 }, { "INT16", DT_I16 },
	{ "INT32", DT_I32 }, { "INT64", DT_I64 }, { "STRING", DT_STR }, { "BOOL", DT_BOOL }, { "FLOAT16", DT_F16 },
	{ "DOUBLE", DT_F64 }, { "UINT32", DT_U32 }, { "UINT64", DT_U64 }, { "COMPLEX64", DT_C64 }, { "COMPLEX128", DT_C128 },
};

bool lg_type_attr(Lg *l, AttrName a, DType absent, DType *out)
{
	const Attr *v = op_attr(l->op, a);
	*out = absent;
	if (!v)
		return true;
	*out = DT_NONE;
	if (v->kind == ATTR_INT)
		*out = dtype_from_onnx(v->u.i);
	for (size_t i = 0; v->kind == ATTR_STR && i < ARRAY_LEN(type_names); i++)
		if (!strcmp(type_names[i].name, v->u.str->s))
			*out = type_names[i].d;
	return *out != DT_NONE;
}

bool lg_unused_results(const Lg *l, size_t from)
{
	for (size_t i = from; i < l->op->nresults; i++)
		if (value_has_uses(l->op->results[i]))
			return false;
	return true;
}

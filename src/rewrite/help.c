#include "help_int.h"

#include <math.h>
#include <string.h>

/* First opset of the default domain that has the op. Ops not listed are older than any model that reaches core. */
static const struct { OpKind kind; int64_t opset; } SINCE[] = {
	{ OP_hard_swish, 14 }, { OP_layer_norm, 17 }, { OP_mish, 18 }, { OP_gelu, 20 }, { OP_group_norm, 21 },
	{ OP_rms_norm, 23 }, { OP_attention, 23 }, { OP_rotary_embedding, 23 }, { OP_swish, 24 },
};

static int64_t default_opset(const Module *m)
{
	const Attr *imports = module_attr(m, "opset_imports");
	if (!imports || imports->kind != ATTR_DICT)
		return 0;
	for (size_t i = 0; i < imports->u.list.n; i++) {
		const Str *domain = imports->u.list.names[i];
		if ((domain->len == 0 || !strcmp(domain->s, "ai.onnx")) && imports->u.list.v[i]->kind == ATTR_INT)
			return imports->u.list.v[i]->u.i;
	}
	return 0;
}

bool rw_target_has(Rw *rw, OpKind kind)
{
	if (rw->opt->planned || !rw->module->format || strcmp(rw->module->format->s, "onnx"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(SINCE); i++) {
		if (SINCE[i].kind != kind)
			continue;
		int64_t have = default_opset(rw->module);
		return have >= SINCE[i].opset || rw_no(rw, "%s needs opset %lld, the model has %lld",
				op_def(rw->ctx, kind)->name->s, (long long)SINCE[i].opset, (long long)have);
	}
	return true;
}

bool rw_opset_at_least(Rw *rw, int64_t opset)
{
	return rw->opt->planned || !rw->module->format || strcmp(rw->module->format->s, "onnx") || default_opset(rw->module) >= opset;
}

int64_t value_dim(const Value *v, int i)
{
	int64_t n;
	if (i < 0 || i >= value_rank(v) || !sym_const(v->type->dims[i], &n))
		return -1;
	return n;
}

int64_t value_count(const Value *v)
{
	int64_t n;
	return v && type_is_static(v->type) && type_static_numel(v->type, &n) ? n : -1;
}

bool rw_may_rebuild(Rw *rw, Value *v)
{
	if (!rw_single_use(rw, v))
		return false;
	if (!v->def)
		return rw_no(rw, "the operand is an input");
	return v->def->block == rw->root->block || rw_no(rw, "the operand is computed outside this block");
}

Value *rw_copy_attr(Rw *rw, const Op *op, Value *const *operands, AttrName name, const Attr *value)
{
	RwAttr *attrs = NEW_ARRAY(rw->scratch, RwAttr, op->nattrs + 2u);
	size_t n = 0;
	for (size_t i = 0; i < op->nattrs; i++)
		if (op->attrs[i].name->known != name)
			attrs[n++] = (RwAttr){ (AttrName)op->attrs[i].name->known, op->attrs[i].value };
	attrs[n] = (RwAttr){ name, value };
	Op *copy = rw_op_multi(rw, op_kind(op), operands, op->noperands, op->nresults, attrs);
	copy->name = op->name;
	copy->loc = op->loc;
	return copy->results[0];
}

Value *rw_copy(Rw *rw, const Op *op, Value *const *operands)
{
	return rw_copy_attr(rw, op, operands, A_NONE, NULL);
}

static Value **operands_with(Rw *rw, const Op *op, size_t i, Value *v)
{
	Value **in = NEW_ARRAY(rw->scratch, Value *, op->noperands);
	for (size_t k = 0; k < op->noperands; k++)
		in[k] = k == i ? v : op->operands[k].value;
	return in;
}

Value *rw_copy_with(Rw *rw, const Op *op, size_t i, Value *v)
{
	return rw_copy(rw, op, operands_with(rw, op, i, v));
}

Value *rw_copy_set(Rw *rw, const Op *op, size_t i, Value *v, AttrName name, const Attr *value)
{
	return rw_copy_attr(rw, op, operands_with(rw, op, i, v), name, value);
}

Value *rw_splat(Rw *rw, DType d, int rank, const int64_t *dims, double x)
{
	uint64_t element[2] = { 0 };
	dtype_store_f64(d, element, 1, &x);
	const Type *t = type_tensor_of(rw->ctx, d, rank, dims);
	Value *v = constant_from_attr(rw->root->block, rw->root, attr_tensor(rw->ctx, t, blob_splat(rw->ctx, d, element)));
	shape_update(rw->infer, v->def, false);
	v->def->made = true;
	return v;
}

const Attr *rw_attr_ints(Rw *rw, const int64_t *v, size_t n)
{
	return attr_ints(rw->ctx, v, n);
}

Value *rw_transpose(Rw *rw, Value *v, const int *perm, int rank)
{
	int64_t wide[MAX_RANK];
	for (int i = 0; i < rank; i++)
		wide[i] = perm[i];
	return rw_op1(rw, OP_transpose, v, (RwAttr[]){ { A_perm, attr_ints(rw->ctx, wide, (size_t)rank) },
			{ A_NONE, NULL } });
}

void rw_take_name(Value *v, const Op *from)
{
	if (v->def && from->name)
		v->def->name = from->name;
	if (v->def && from->loc)
		v->def->loc = from->loc;
}

int constant_side(const Op *op)
{
	if (op->noperands != 2)
		return -1;
	bool a = value_is_constant(op_operand(op, 0)), b = value_is_constant(op_operand(op, 1));
	return a == b ? -1 : a ? 0 : 1;
}

bool constant_near(const Value *v, double x)
{
	double c;
	if (!value_is_constant(v) || !value_is_float(v) || !constant_float(v, &c))
		return false;
	uint64_t bits[2] = { 0 };
	double rounded;
	dtype_store_f64(value_dtype(v), bits, 1, &x);
	dtype_load_f64(value_dtype(v), bits, 1, &rounded);
	/* Exporters write such constants in f32 whatever the type of the tensor is. */
	return c == rounded || c == (double)(float)x || fabs(c - x) <= 1e-7 * fabs(x);
}

const int64_t *rw_const_ints(Rw *rw, const Value *v, size_t *n)
{
	return value_is_constant(v) ? constant_ints(rw->scratch, v, 0, n) : NULL;
}

int64_t list_at(const Op *op, AttrName a, size_t i, int64_t fallback)
{
	const int64_t *v;
	return i < op_attr_ints(op, a, &v) ? v[i] : fallback;
}

bool has_no_pads(const Op *op)
{
	const int64_t *pads;
	size_t n = op_attr_ints(op, A_pads, &pads);
	for (size_t i = 0; i < n; i++)
		if (pads[i])
			return false;
	return !*op_text(op, A_auto_pad);
}

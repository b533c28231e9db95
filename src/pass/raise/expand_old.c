#include "raise_int.h"

#include <float.h>
#include <math.h>

/* Expansions for opsets below those that brought small operators: see expand.c. */

static Value *typed(Value *v, const Type *t)
{
	value_set_type(v, t);
	return v;
}

static const Type *like(Lg *l, const Value *x, DType d)
{
	return type_is_tensor(x->type) ? type_with_dtype(l->c, x->type, d) : type_unknown(l->c);
}

static Value *as_type(Lg *l, Value *x, DType d)
{
	return typed(lg_new1(l, OP_cast, x, (RwAttr[]){ { A_to, attr_dtype(l->c, d) }, { A_NONE, NULL } }), like(l, x, d));
}

/* Below opset 11, bounds that are not constant. */
bool ex_clamp(Lg *l)
{
	Value *x = lg_in(l, 0), *low = lg_in(l, 1), *high = lg_in(l, 2);
	if (l->opset < 8) /* Min and Max do not broadcast yet */
		return false;
	if (low && high)
		x = typed(lg_new2(l, OP_max, x, low, NULL), x->type);
	else if (!low && !high)
		return lg_become(l, OP_identity, &x, 1, NULL);
	return lg_become(l, high ? OP_min : OP_max, (Value *[]){ x, high ? high : low }, 2, NULL);
}

/* 0, 1, 2 ... are the places of ones; times the step, plus the start. Opset 9 brought what this needs. */
bool ex_range(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	Value *start = lg_in(l, 0), *step = lg_in(l, 2);
	if (l->opset < 9)
		return false;
	if (!rz_dtype(l, &d))
		return false;
	/* how many: ceil((limit - start) / step) in f64, which holds the sizes that can be */
	const Type *number = type_tensor(l->c, DT_F64, 0, NULL), *count = type_tensor_of(l->c, DT_I64, 1, (int64_t[]){ 1 });
	Value *span = as_type(l, typed(lg_new2(l, OP_sub, lg_in(l, 1), start, NULL), start->type), DT_F64);
	Value *part = typed(lg_new2(l, OP_div, span, as_type(l, step, DT_F64), NULL), number);
	Value *whole = typed(lg_new1(l, OP_ceil, part, NULL), number);
	Value *some = typed(lg_new2(l, OP_max, whole, rz_float(l, DT_F64, 0), NULL), number);
	Value *n = as_type(l, some, DT_I64);
	n = typed(lg_new1(l, OP_unsqueeze, n, (RwAttr[]){ { A_axes, lg_ints_attr(l, (int64_t[]){ 0 }, 1) }, { A_NONE, NULL } }),
			count);
	int64_t dim = 1, one = 1;
	Blob *b = blob_copy(l->c, &one, sizeof one);
	const Attr *value = attr_tensor(l->c, type_tensor_of(l->c, DT_I64, 1, &dim), b);
	const Type *line = type_tensor_of(l->c, DT_I64, 1, (int64_t[]){ -1 });
	Value *ones = typed(lg_new1(l, OP_fill, n, (RwAttr[]){ { A_value, value }, { A_NONE, NULL } }), line);
	Value *places = typed(lg_new1(l, OP_nonzero, ones, NULL), type_tensor_of(l->c, DT_I64, 2, (int64_t[]){ 1, -1 }));
	Value *flat = typed(lg_new1(l, OP_squeeze, places,
			(RwAttr[]){ { A_axes, lg_ints_attr(l, (int64_t[]){ 0 }, 1) }, { A_NONE, NULL } }), line);
	Value *scaled = typed(lg_new2(l, OP_mul, as_type(l, flat, d), step, NULL), like(l, flat, d));
	return lg_become(l, OP_add, (Value *[]){ scaled, start }, 2, NULL);
}

/* Larger than every finite number, on the side or sides that are asked for. NaN is larger than nothing. */
bool ex_isinf(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	bool below = op_int(l->op, A_detect_negative) != 0, above = op_int(l->op, A_detect_positive) != 0;
	Value *x = lg_in(l, 0);
	if (!rz_dtype(l, &d))
		return false;
	if (d != DT_F32 && d != DT_F64)
		return rz_no(l, "that opset compares f32 and f64 only");
	double most = d == DT_F32 ? (double)FLT_MAX : DBL_MAX;
	if (below && above)
		x = typed(lg_new1(l, OP_abs, x, NULL), x->type);
	if (above)
		return lg_become(l, OP_gt, (Value *[]){ x, rz_float(l, d, most) }, 2, NULL);
	return lg_become(l, OP_lt, (Value *[]){ x, rz_float(l, d, below ? -most : -(double)INFINITY) }, 2, NULL);
}

/* (x > 0) - (x < 0), but NaN gives 0. */
bool ex_sign(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	Value *x = lg_in(l, 0);
	if (!rz_dtype(l, &d))
		return false;
	if (!dtype_is_float(d))
		return rz_no(l, "that opset compares floats only");
	Value *zero = rz_float(l, d, 0);
	Value *up = as_type(l, typed(lg_new2(l, OP_gt, x, zero, NULL), like(l, x, DT_BOOL)), d);
	Value *down = as_type(l, typed(lg_new2(l, OP_lt, x, zero, NULL), like(l, x, DT_BOOL)), d);
	return lg_become(l, OP_sub, (Value *[]){ up, down }, 2, NULL);
}

/* Sizes of the last two dims of x are numbers: which elements stay is a constant. */
bool ex_trilu(Lg *l, OpKind onnx)
{
	DType d;
	int64_t k = 0, dims[2];
	(void)onnx;
	Value *x = lg_in(l, 0);
	int rank = lg_rank(x);
	bool upper = op_int(l->op, A_upper) != 0;
	if (l->opset < 9)
		return false;
	if (!rz_dtype(l, &d) || rank < 2 || !sym_const(x->type->dims[rank - 2], &dims[0]) ||
			!sym_const(x->type->dims[rank - 1], &dims[1]) || (lg_in(l, 1) && !constant_int(lg_in(l, 1), &k)))
		return rz_no(l, "without that operator, the sizes and k must be constant");
	int64_t count, zero = 0;
	if (!mul_ok(dims[0], dims[1], &count) || count > 1 << 24)
		return rz_no(l, "the matrices are too large to write the triangle as a constant");
	int64_t *keep = NEW_ARRAY(l->a, int64_t, count + 1);
	for (int64_t i = 0; i < count; i++) {
		int64_t over = i % dims[1] - i / dims[1];
		keep[i] = upper ? over >= k : over <= k;
	}
	Value *mask = rz_ints_of(l, DT_BOOL, 2, dims, keep);
	Value *none = dtype_is_float(d) ? rz_float(l, d, 0) : rz_ints_of(l, d, 0, NULL, &zero);
	return lg_become(l, OP_select, (Value *[]){ mask, x, none }, 3, NULL);
}

/* A batch-first recurrent op (layout 1 came with opset 14) between transposes. */
bool ex_batch_first(Lg *l)
{
	Op *op = l->op;
	static const int64_t swap3[] = { 1, 0, 2 }, out4[] = { 2, 0, 1, 3 };
	const Attr *swap = lg_ints_attr(l, swap3, 3);
	size_t states[] = { 0, 5, 6 };
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		Value *v = lg_in(l, states[i]);
		if (v && (states[i] == 0 || lg_rank(v) == 3))
			op_set_operand(op, (uint32_t)states[i], lg_new1(l, OP_transpose, v, (RwAttr[]){ { A_perm, swap }, { A_NONE, NULL } }));
	}
	for (size_t i = 0; i < op->nresults; i++) {
		Value *y = op->results[i];
		if (!value_has_uses(y))
			continue;
		NamedAttr perm = { l->c->attr_names[A_perm], i == 0 ? lg_ints_attr(l, out4, 4) : swap };
		OpSpec s = { .def = op_def(l->c, ONNX_Transpose), .operands = &y, .noperands = 1, .types = &y->type, .nresults = 1,
			.attrs = &perm, .nattrs = 1, .loc = op->loc };
		Op *t = op_new(op->block, op->next, &s);
		const Str *name = y->name;
		value_replace_uses(y, t->results[0]);
		op_set_operand(t, 0, y);
		value_set_name(y, NULL);
		value_set_name(t->results[0], name);
		value_set_type(y, type_is_tensor(y->type) ? type_unranked(l->c, y->type->dtype) : type_unknown(l->c));
	}
	op_set_attr(op, l->c->attr_names[A_layout], NULL);
	return true;
}

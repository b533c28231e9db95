#include "raise_int.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Where b's dims other than 1 stand in a's: [*first, *last], or none (*first > *last). False unless they equal a's there
 * and b is not larger than a. */
static bool place_in(const Value *a, const Value *b, int *first, int *last)
{
	int ra = lg_rank(a), rb = lg_rank(b), shift = ra - rb;
	*first = 0;
	*last = -1;
	if (ra < 0 || rb < 0 || ra > MAX_RANK)
		return false;
	for (int i = 0; i < rb; i++) {
		if (sym_is(b->type->dims[i], 1))
			continue;
		if (i + shift < 0)
			return false;
		if (*last < 0)
			*first = i + shift;
		*last = i + shift;
	}
	for (int i = *first; i <= *last; i++)
		if (!sym_known_eq(a->type->dims[i], b->type->dims[i - shift]))
			return false;
	return true;
}

/* Before opset 7: equal shapes, or `broadcast` with the dims of the second operand standing at `axis` of the first. */
static bool old_broadcast(Lg *l, OpKind onnx)
{
	Value *a = lg_in(l, 0), *b = lg_in(l, 1);
	int first, last;
	if (rz_same_shape(a, b))
		return lg_become_same(l, onnx, NULL);
	if (!place_in(a, b, &first, &last)) {
		Value *t = a;
		a = b;
		b = t;
		if (!(l->op->def->traits & TRAIT_COMMUTES) || !place_in(a, b, &first, &last))
			return rz_no(l, "that opset cannot broadcast the shapes of its inputs (or they are not known)");
	}
	int ra = lg_rank(a), n = last - first + 1;
	if (n < 0)
		n = 0;
	if (n > 0 && (lg_rank(b) != n)) {
		int64_t dims[MAX_RANK];
		for (int i = 0; i < n; i++)
			if (!sym_const(a->type->dims[first + i], &dims[i]))
				return rz_no(l, "that opset broadcasts only inputs whose shapes are known");
		b = rz_with_dims(l, b, n, dims);
	}
	return lg_become(l, onnx, (Value *[]){ a, b }, 2, (RwAttr[]){ { A_broadcast, lg_int(l, 1) },
			{ A_axis, n > 0 && last != ra - 1 ? lg_int(l, first) : NULL }, { A_NONE, NULL } });
}

bool rz_binary(Lg *l, OpKind onnx)
{
	return l->opset >= 7 ? lg_become_same(l, onnx, NULL) : old_broadcast(l, onnx);
}

/* Min, Max, Mean and Sum broadcast since opset 8. */
bool rz_minmax(Lg *l, OpKind onnx)
{
	for (size_t i = 1; l->opset < 8 && i < l->op->noperands; i++)
		if (!rz_same_shape(lg_in(l, 0), lg_in(l, i)) && type_is_static(lg_in(l, 0)->type) &&
				type_is_static(lg_in(l, i)->type))
			return rz_no(l, "that opset does not broadcast its inputs");
	return lg_become_same(l, onnx, NULL);
}

/* Before opset 7 the slope was a scalar or one a channel. */
bool rz_prelu(Lg *l, OpKind onnx)
{
	Value *x = lg_in(l, 0), *slope = lg_in(l, 1);
	int64_t dims[MAX_RANK];
	int rank = lg_rank(slope), found = -1;
	if (l->opset >= 7)
		return lg_become_same(l, onnx, NULL);
	if (rank < 0 || rank > MAX_RANK || !type_static_dims(slope->type, dims))
		return rz_no(l, "the shape of the slope is not known");
	for (int i = 0; i < rank; i++) {
		if (dims[i] == 1)
			continue;
		if (found >= 0 || lg_rank(x) - rank + i != 1)
			return rz_no(l, "input 'slope' has more than one element a channel, which that opset does not take");
		found = i;
	}
	if (found >= 0 && rank > 1)
		slope = rz_with_dims(l, slope, 1, &dims[found]);
	return lg_become(l, onnx, (Value *[]){ x, slope }, 2, NULL);
}

bool rz_fmod(Lg *l, OpKind onnx)
{
	return lg_become_same(l, onnx, (RwAttr[]){ { A_fmod, lg_int(l, 1) }, { A_NONE, NULL } });
}

static Value *whole(Lg *l, DType d, int64_t v)
{
	Value *c = constant_from_ints(l->op->block, l->op, d, 0, NULL, &v);
	c->def->made = true;
	return c;
}

/* ONNX negates what has a sign. */
bool rz_neg(Lg *l, OpKind onnx)
{
	DType d = lg_dtype(lg_in(l, 0));
	if (dtype_class(d) == DC_UINT)
		return lg_become(l, OP_sub, (Value *[]){ whole(l, d, 0), lg_in(l, 0) }, 2, NULL);
	return lg_become_same(l, onnx, NULL);
}

/* ---- shifts: ONNX has them of unsigned integers, by less than their width ---- */

static DType unsigned_of(DType d)
{
	switch (dtype_bits(d)) {
	case 8: return DT_U8;
	case 16: return DT_U16;
	case 32: return DT_U32;
	default: return dtype_bits(d) == 64 ? DT_U64 : DT_NONE;
	}
}

static Value *cast_to(Lg *l, Value *x, DType d)
{
	return lg_new1(l, OP_cast, x, (RwAttr[]){ { A_to, attr_dtype(l->c, d) }, { A_NONE, NULL } });
}

static Value *choose(Lg *l, Value *cond, Value *a, Value *b)
{
	return lg_new(l, OP_select, (Value *[]){ cond, a, b }, 3, NULL);
}

/* How far it shifts, with 0 where that is not within the width; *fits: where it is, NULL: everywhere. */
static Value *bounded_amount(Lg *l, DType d, Value **fits)
{
	Value *k = lg_in(l, 1);
	DType own = lg_dtype(k);
	int64_t n;
	*fits = NULL;
	if (constant_int(k, &n) && n >= 0 && n < dtype_bits(d))
		return k;
	*fits = lg_new2(l, OP_lt, k, whole(l, own, dtype_bits(d)), NULL);
	if (dtype_class(own) == DC_INT)
		*fits = lg_new2(l, OP_and, *fits, lg_new2(l, OP_ge, k, whole(l, own, 0), NULL), NULL);
	return choose(l, *fits, k, whole(l, own, 0));
}

/* Of signed integers the bits. One that keeps the sign shifts -1 - x where x is negative; what goes beyond the width leaves
 * nothing, or the sign. */
static bool shift_bits(Lg *l, DType d, bool left, bool keeps_sign)
{
	DType u = unsigned_of(d);
	Value *x = lg_in(l, 0), *below = NULL, *minus = whole(l, d, -1), *fits;
	if (u == DT_NONE || lg_dtype(lg_in(l, 1)) == DT_NONE)
		return rz_no(l, "ONNX has no unsigned integers of that width");
	Value *k = bounded_amount(l, d, &fits);
	if (keeps_sign) {
		below = lg_new2(l, OP_lt, x, whole(l, d, 0), NULL);
		x = choose(l, below, lg_new2(l, OP_sub, minus, x, NULL), x);
	}
	Value *y = lg_new2(l, left ? OP_shift_left : OP_shift_right, cast_to(l, x, u), cast_to(l, k, u), NULL);
	y = cast_to(l, y, d);
	if (fits)
		y = choose(l, fits, y, whole(l, d, 0));
	if (keeps_sign)
		return lg_become(l, OP_select, (Value *[]){ below, lg_new2(l, OP_sub, minus, y, NULL), y }, 3, NULL);
	return lg_become(l, OP_identity, &y, 1, NULL);
}

/* Amounts of a model that was read from ONNX are as ONNX wants them. */
bool rz_shift(Lg *l, OpKind onnx)
{
	bool left = op_is(l->op, OP_shift_left);
	DType d = lg_dtype(lg_in(l, 0));
	int64_t n;
	if (dtype_class(d) == DC_INT)
		return shift_bits(l, d, left, !left);
	const Value *k = lg_in(l, 1);
	bool sure = l->op->made || (l->m->format && !strcmp(l->m->format->s, "onnx")) ||
			(constant_int(k, &n) && n >= 0 && n < dtype_bits(d));
	if (!sure)
		return shift_bits(l, d, left, false);
	return lg_become_same(l, onnx, (RwAttr[]){ { A_direction, lg_text(l, left ? "LEFT" : "RIGHT") }, { A_NONE, NULL } });
}

bool ex_shift_logical(Lg *l, OpKind onnx)
{
	enum { SHIFTS_SINCE = 11 };
	DType d = lg_dtype(lg_in(l, 0));
	(void)onnx;
	if (!dtype_is_integer(d))
		return rz_no(l, "it shifts what is no integer");
	if (l->opset < SHIFTS_SINCE)
		return rz_no(l, "the operator came with opset 11");
	return dtype_class(d) == DC_UINT ? lg_become_same(l, OP_shift_right, NULL) : shift_bits(l, d, false, false);
}

/* The bound as an attribute; absent when it is the default of opset 6. */
static bool bound_attr(Lg *l, Value *v, double usual, const Attr **out)
{
	double f;
	*out = NULL;
	if (!v) {
		if (l->opset >= 6) {
			double inf = usual < 0 ? -(double)INFINITY : (double)INFINITY;
			*out = attr_float(l->c, inf);
		}
		return true;
	}
	if (!constant_float(v, &f))
		return rz_no(l, "inputs 'min' and 'max' are attributes in that opset and must be constant");
	*out = l->opset >= 6 && f == usual ? NULL : lg_float(l, f);
	return true;
}

bool rz_clip(Lg *l, OpKind onnx)
{
	const Attr *min, *max;
	if (l->opset >= 11)
		return lg_become_same(l, onnx, NULL);
	if (!bound_attr(l, lg_in(l, 1), -FLT_MAX, &min) || !bound_attr(l, lg_in(l, 2), FLT_MAX, &max))
		return ex_clamp(l);
	return lg_become(l, onnx, (Value *[]){ lg_in(l, 0) }, 1, (RwAttr[]){ { A_min, min }, { A_max, max }, { A_NONE, NULL } });
}

typedef struct OldTypeName {
	DType d;
	const char *name;
} OldTypeName;

static const OldTypeName old_type_names[] = {
	{ DT_F32, "FLOAT" }, { DT_U8, "UINT8" }, { DT_I8, "INT8" }, { DT_U16, "UINT16" }, { DT_I16, "INT16" },
	{ DT_I32, "INT32" }, { DT_I64, "INT64" }, { DT_STR, "STRING" }, { DT_BOOL, "BOOL" }, { DT_F16, "FLOAT16" },
	{ DT_F64, "DOUBLE" }, { DT_U32, "UINT32" }, { DT_U64, "UINT64" }, { DT_C64, "COMPLEX64" }, { DT_C128, "COMPLEX128" },
};

/* Types were named by text before opset 6; saturate came with opset 19 and the small floats it is for. */
bool rz_cast(Lg *l, OpKind onnx)
{
	DType d = op_dtype(l->op, A_to);
	const Attr *to = NULL;
	if (d == DT_NONE || dtype_onnx(d) == 0)
		return rz_no(l, "ONNX does not have that element type");
	if (l->opset >= 6)
		to = rz_type_code(l, d);
	for (size_t i = 0; !to && i < ARRAY_LEN(old_type_names); i++)
		if (old_type_names[i].d == d)
			to = lg_text(l, old_type_names[i].name);
	if (!to)
		return rz_no(l, "attribute 'to' names an element type that came later");
	return lg_become_same(l, onnx, (RwAttr[]){ { A_to, to },
			{ A_saturate, onnx == ONNX_Cast && l->opset >= 19 ? lg_attr(l, A_saturate) : NULL }, { A_NONE, NULL } });
}

bool rz_eye_like(Lg *l, OpKind onnx)
{
	return lg_become_same(l, onnx, (RwAttr[]){ { A_dtype, rz_type_code(l, op_dtype(l->op, A_dtype)) },
			{ A_k, lg_attr(l, A_k) }, { A_NONE, NULL } });
}

/* Before opset 11 the bias was required; before 7 it broadcast only when told to. */
bool rz_gemm(Lg *l, OpKind onnx)
{
	Value *c = lg_in(l, 2);
	DType d;
	if (!c && l->opset < 11) {
		if (!rz_dtype(l, &d))
			return false;
		c = dtype_is_float(d) ? rz_float(l, d, 0) : rz_ints_of(l, d, 0, NULL, (int64_t[]){ 0 });
	}
	bool wide = c && !rz_same_shape(c, l->op->results[0]);
	return lg_become(l, onnx, (Value *[]){ lg_in(l, 0), lg_in(l, 1), c }, 3, (RwAttr[]){ { A_alpha, lg_attr(l, A_alpha) },
			{ A_beta, lg_attr(l, A_beta) }, { A_transA, lg_attr(l, A_trans_a) }, { A_transB, lg_attr(l, A_trans_b) },
			{ A_broadcast, l->opset < 7 && wide ? lg_int(l, 1) : NULL }, { A_NONE, NULL } });
}

/* The constants that opset 1 took by default were shorter. */
bool rz_selu(Lg *l, OpKind onnx)
{
	const Attr *alpha = lg_attr(l, A_alpha), *gamma = lg_attr(l, A_gamma);
	if (l->opset < 6) {
		alpha = lg_float(l, op_float(l->op, A_alpha));
		gamma = lg_float(l, op_float(l->op, A_gamma));
	}
	return lg_become_same(l, onnx, (RwAttr[]){ { A_alpha, alpha }, { A_gamma, gamma }, { A_NONE, NULL } });
}

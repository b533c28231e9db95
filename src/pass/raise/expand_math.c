#include "raise_int.h"

#include <math.h>

/* Expansions of functions that no opset has. Types of what is made here are those of the result, but for truth values. */

static Value *typed(Lg *l, Value *v, DType d)
{
	value_set_type(v, type_with_dtype(l->c, l->op->results[0]->type, d));
	return v;
}

static Value *cast_to(Lg *l, Value *x, DType d)
{
	return typed(l, lg_new1(l, OP_cast, x, (RwAttr[]){ { A_to, attr_dtype(l->c, d) }, { A_NONE, NULL } }), d);
}

/* ---- atan2: the angle of the smaller part against the larger, and which of the eight it lies in ---- */

static Value *unary(Lg *l, OpKind k, Value *x, DType d)
{
	return typed(l, lg_new1(l, k, x, NULL), d);
}

static Value *binary(Lg *l, OpKind k, Value *x, Value *y, DType d)
{
	return typed(l, lg_new2(l, k, x, y, NULL), d);
}

static Value *choose(Lg *l, Value *cond, Value *x, Value *y, DType d)
{
	return typed(l, lg_new(l, OP_select, (Value *[]){ cond, x, y }, 3, NULL), d);
}

static Value *is_zero(Lg *l, Value *x, DType d)
{
	return binary(l, OP_eq, x, lg_const_float(l, d, 0), DT_BOOL);
}

/* Below 0, or -0: the reciprocal tells. */
static Value *has_minus(Lg *l, Value *x, DType d)
{
	Value *sign = choose(l, is_zero(l, x, d), binary(l, OP_div, lg_const_float(l, d, 1), x, d), x, d);
	return binary(l, OP_lt, sign, lg_const_float(l, d, 0), DT_BOOL);
}

static Value *larger_first(Lg *l, Value *ax, Value *ay, DType d)
{
	Value *lo = binary(l, OP_min, ax, ay, d), *hi = binary(l, OP_max, ax, ay, d), *one = lg_const_float(l, d, 1);
	Value *q = binary(l, OP_div, lo, choose(l, is_zero(l, hi, d), one, hi, d), d);
	return choose(l, binary(l, OP_eq, lo, lg_const_float(l, d, INFINITY), DT_BOOL), one, q, d);
}

bool ex_atan2(Lg *l, OpKind onnx)
{
	DType own, d;
	(void)onnx;
	if (!rz_dtype(l, &own))
		return false;
	if (!dtype_is_float(own) || !type_has_rank(l->op->results[0]->type))
		return rz_no(l, "its operands are no floats of known rank");
	d = own == DT_F64 ? own : DT_F32;
	Value *y = d == own ? lg_in(l, 0) : cast_to(l, lg_in(l, 0), d), *x = d == own ? lg_in(l, 1) : cast_to(l, lg_in(l, 1), d);
	Value *ax = unary(l, OP_abs, x, d), *ay = unary(l, OP_abs, y, d);
	Value *r = unary(l, OP_atan, larger_first(l, ax, ay, d), d);
	r = choose(l, binary(l, OP_lt, ax, ay, DT_BOOL), binary(l, OP_sub, lg_const_float(l, d, acos(0)), r, d), r, d);
	r = choose(l, has_minus(l, x, d), binary(l, OP_sub, lg_const_float(l, d, acos(-1)), r, d), r, d);
	r = choose(l, has_minus(l, y, d), unary(l, OP_neg, r, d), r, d);
	Value *undefined = binary(l, OP_or, unary(l, OP_isnan, x, DT_BOOL), unary(l, OP_isnan, y, DT_BOOL), DT_BOOL);
	Value *in[3] = { undefined, binary(l, OP_add, x, y, d), r };
	if (d == own)
		return lg_become(l, OP_select, in, 3, NULL);
	r = choose(l, in[0], in[1], in[2], d);
	return lg_become(l, OP_cast, &r, 1, (RwAttr[]){ { A_to, attr_dtype(l->c, own) }, { A_NONE, NULL } });
}

/* ---- popcnt: pairs, nibbles and bytes are summed side by side, in 64 bits, which runtimes divide and mask ---- */

static Value *masked(Lg *l, Value *x, int64_t mask)
{
	return binary(l, OP_bit_and, x, lg_const_int(l, mask), DT_I64);
}

static Value *divided(Lg *l, Value *x, int bits)
{
	return binary(l, OP_div, x, lg_const_int(l, INT64_C(1) << bits), DT_I64);
}

/* Of 32 bits. */
static Value *bits_of_word(Lg *l, Value *x)
{
	x = binary(l, OP_sub, x, masked(l, divided(l, x, 1), 0x55555555), DT_I64);
	x = binary(l, OP_add, masked(l, x, 0x33333333), masked(l, divided(l, x, 2), 0x33333333), DT_I64);
	x = masked(l, binary(l, OP_add, x, divided(l, x, 4), DT_I64), 0x0F0F0F0F);
	return masked(l, divided(l, binary(l, OP_mul, x, lg_const_int(l, 0x01010101), DT_I64), 24), 0xFF);
}

bool ex_popcnt(Lg *l, OpKind onnx)
{
	static const DType plain[] = { DT_U8, DT_U16, DT_U32 };
	DType d, u = DT_NONE;
	(void)onnx;
	if (!rz_dtype(l, &d))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		if (dtype_bits(d) == dtype_bits(plain[i]))
			u = plain[i];
	if (!dtype_is_integer(d) || (u == DT_NONE && dtype_bits(d) != 64) || !type_has_rank(l->op->results[0]->type))
		return rz_no(l, "its operand is no integer of 8 to 64 bits and of known rank");
	Value *x = lg_in(l, 0), *n;
	if (u != DT_NONE) {
		x = cast_to(l, dtype_class(d) == DC_UINT ? x : cast_to(l, x, u), DT_I64);
		n = bits_of_word(l, x);
	} else { /* what is above is the rest divided, which is exact, and cut to a word */
		x = d == DT_I64 ? x : cast_to(l, x, DT_I64);
		Value *low = masked(l, x, 0xFFFFFFFF);
		Value *above = masked(l, divided(l, binary(l, OP_sub, x, low, DT_I64), 32), 0xFFFFFFFF);
		n = binary(l, OP_add, bits_of_word(l, low), bits_of_word(l, above), DT_I64);
	}
	return lg_become(l, OP_cast, &n, 1, (RwAttr[]){ { A_to, attr_dtype(l->c, d) }, { A_NONE, NULL } });
}

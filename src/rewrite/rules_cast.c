/* Rules for casts and for pairs of quantize and dequantize. A cast is lossless when every value of the one type, NaN
 * and infinities included, is a value of the other; only lossless ones are left out. */
#include "rewrite/move_int.h"
#include "rewrite/rules.h"

#include <math.h>
#include <string.h>

/* Bits of precision of integers that a float type holds exactly. */
static int mantissa_bits(DType d)
{
	switch (d) {
	case DT_F64: return 53;
	case DT_F32: return 24;
	case DT_F16: return 11;
	case DT_BF16: return 8;
	default: return 0;
	}
}

static int value_bits(DType d)
{
	return d == DT_BOOL ? 1 : dtype_class(d) == DC_INT ? dtype_bits(d) - 1 : dtype_bits(d);
}

static bool lossless(DType from, DType to)
{
	DTypeClass f = dtype_class(from), t = dtype_class(to);
	bool whole = f == DC_BOOL || f == DC_INT || f == DC_UINT;
	if (from == to)
		return true;
	if (whole && t == DC_FLOAT) /* the smallest integer of a signed type is a power of two */
		return value_bits(from) <= mantissa_bits(to);
	if (whole && (t == DC_INT || t == DC_UINT))
		return value_bits(from) <= value_bits(to) && !(f == DC_INT && t == DC_UINT);
	if (f != DC_FLOAT || t != DC_FLOAT)
		return false;
	if (to == DT_F64)
		return mantissa_bits(from) > 0;
	return to == DT_F32 && (from == DT_F16 || from == DT_BF16);
}

static bool cast_noop(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *y = root->results[0];
	DType d = value_dtype(x);
	if (d == DT_NONE || d != value_dtype(y))
		return rw_no(rw, "it changes the element type");
	return replace_by_existing(rw, y, x);
}

static const Attr *saturate_of(const Op *op)
{
	return op_attr(op, A_saturate);
}

static Value *cast_to(Rw *rw, Value *x, DType to, const Attr *saturate)
{
	if (value_dtype(x) == to)
		return x;
	return rw_op1(rw, OP_cast, x, (RwAttr[]){{A_to, attr_dtype(rw->ctx, to)}, {A_saturate, saturate}, {A_NONE, NULL}});
}

/* cast(cast(x, wider), t) -> cast(x, t) */
static bool cast_cast(Rw *rw, Op *root)
{
	Op *inner = live_def(op_operand(root, 0), OP_cast);
	if (!inner)
		return rw_no(rw, "the operand is no cast");
	Value *x = op_operand(inner, 0), *y = root->results[0];
	DType from = value_dtype(x), mid = value_dtype(inner->results[0]), to = value_dtype(y);
	if (from == DT_NONE || to == DT_NONE || !lossless(from, mid))
		return rw_no(rw, "%s does not hold every value of %s", dtype_friendly_name(mid), dtype_friendly_name(from));
	if (from == to)
		return replace_by_existing(rw, y, x);
	return rw_replace(rw, y, cast_to(rw, x, to, saturate_of(root)));
}

/* cast(move(cast(x))) -> cast(move(x)) for an op that only moves elements, where the first cast is lossless. */
static bool cast_moved(Rw *rw, Op *root)
{
	Value *v = op_operand(root, 0), *y = root->results[0];
	Op *move = v->def;
	if (!move || move->constant || !(move->def->traits & TRAIT_MOVES) || move->nresults != 1 ||
		op_is(move, OP_concat) || op_is(move, OP_identity))
		return rw_no(rw, "the operand does not come from data movement");
	Op *inner = live_def(op_operand(move, 0), OP_cast);
	if (!inner)
		return rw_no(rw, "what is moved is not cast");
	Value *x = op_operand(inner, 0);
	DType from = value_dtype(x);
	if (from == DT_NONE || !lossless(from, value_dtype(inner->results[0])))
		return rw_no(rw, "the cast before the movement loses something");
	if (!rw_may_rebuild(rw, v) || !value_has_one_use(op_operand(move, 0)))
		return rw_no(rw, "a value between has other users");
	return rw_replace(rw, y, cast_to(rw, rw_copy_with(rw, move, 0, x), value_dtype(y), saturate_of(root)));
}

/* Types that every runtime compares. */
static bool compares(Rw *rw, DType d, OpKind k)
{
	(void)rw;
	if (d == DT_BOOL)
		return k == OP_eq || k == OP_ne;
	return d == DT_I32 || d == DT_I64 || d == DT_F32 || d == DT_F64;
}

/* cast(a) < cast(b) -> a < b: lossless casts keep the order. */
static bool cast_compare(Rw *rw, Op *root)
{
	Op *p = live_def(op_operand(root, 0), OP_cast), *q = live_def(op_operand(root, 1), OP_cast);
	if (!p || !q)
		return rw_no(rw, "it does not compare two casts");
	Value *a = op_operand(p, 0), *b = op_operand(q, 0);
	DType d = value_dtype(a);
	if (d != value_dtype(b) || !lossless(d, value_dtype(p->results[0])) || !compares(rw, d, op_kind(root)) ||
			!rw_opset_at_least(rw, 11))
		return rw_no(rw, "the casts are from different types, or lose something");
	return rw_replace(rw, root->results[0], rw_op2(rw, op_kind(root), a, b, NULL));
}

/* cast(bool) == 0 -> not, cast(bool) != 0 and cast(bool) > 0 -> the bool itself */
static bool cast_bool_compare(Rw *rw, Op *root)
{
	Op *cast = live_def(op_operand(root, 0), OP_cast);
	Value *c = op_operand(root, 1), *y = root->results[0];
	if (!cast || value_dtype(op_operand(cast, 0)) != DT_BOOL || !value_is_constant(c))
		return rw_no(rw, "it compares no cast bool with a constant");
	Value *b = op_operand(cast, 0);
	bool zero = constant_all(c, 0), one = constant_all(c, 1);
	if ((!zero && !one) || !dims_equal(b, y))
		return rw_no(rw, "the constant is neither 0 nor 1, or is broadcast");
	bool negate;
	switch (op_kind(root)) {
	case OP_eq: negate = zero; break;
	case OP_ne: negate = one; break;
	case OP_gt: if (one) return false; negate = false; break;
	case OP_ge: if (zero) return false; negate = false; break;
	case OP_lt: if (zero) return false; negate = true; break;
	case OP_le: if (one) return false; negate = true; break;
	default: return false;
	}
	return negate ? rw_replace(rw, y, rw_op1(rw, OP_not, b, NULL)) : replace_by_existing(rw, y, b);
}

/* ---- quantisation ---- */

static bool same_operand(const Op *a, const Op *b, size_t i)
{
	Value *p = op_operand(a, i), *q = op_operand(b, i);
	if (p == q)
		return true;
	const Attr *x = p ? value_constant(p) : NULL, *y = q ? value_constant(q) : NULL;
	return x && y && attr_equal(x, y);
}

/* A missing zero point is zero. */
static bool same_zero(const Op *a, const Op *b)
{
	Value *p = op_operand(a, 2), *q = op_operand(b, 2);
	if (p && q)
		return same_operand(a, b, 2);
	Value *only = p ? p : q;
	return !only || (value_is_constant(only) && constant_all(only, 0));
}

/* Scales at which k * scale / scale rounds back to k for every k of 16 bits. */
static bool tame_scales(Rw *rw, const Value *scale)
{
	size_t n;
	const double *v = value_dtype(scale) == DT_F32 ? constant_floats(rw->scratch, scale, 0, &n) : NULL;
	for (size_t i = 0; v && i < n; i++)
		if (!(v[i] > 1e-30 && v[i] < 1e30))
			return false;
	return v != NULL;
}

/* quantize(dequantize(x)) with the same parameters -> x: |k| < 2^17 times a scale and divided by it is within one half.
 */
static bool quantize_dequantize(Rw *rw, Op *root)
{
	Op *inner = live_def(op_operand(root, 0), OP_dequantize);
	if (!inner)
		return rw_no(rw, "the operand is not dequantized");
	Value *x = op_operand(inner, 0), *y = root->results[0];
	DType d = value_dtype(x);
	if (!dtype_is_integer(d) || dtype_bits(d) > 16 || d != value_dtype(y))
		return rw_no(rw, "the integer types differ or are wider than 16 bits");
	if (!same_operand(root, inner, 1) || !same_zero(root, inner) ||
			op_int(root, A_axis) != op_int(inner, A_axis) || op_int(root, A_block_size) != op_int(inner, A_block_size))
		return rw_no(rw, "scale, zero point or axis differ");
	if (!tame_scales(rw, op_operand(root, 1)))
		return rw_no(rw, "the scale is not a constant float32 between 1e-30 and 1e30");
	return replace_by_existing(rw, y, x);
}

#define COMPARES(name, before, after, action) \
	{ name, before, after, OP_eq, CLASS_EXACT, 1, action }, { name, before, after, OP_ne, CLASS_EXACT, 1, action }, \
	{ name, before, after, OP_lt, CLASS_EXACT, 1, action }, { name, before, after, OP_le, CLASS_EXACT, 1, action }, \
	{ name, before, after, OP_gt, CLASS_EXACT, 1, action }, { name, before, after, OP_ge, CLASS_EXACT, 1, action }

static const Rule RULES[] = {
	{ "cast-noop", "cast(x) to the type of x", "x", OP_cast, CLASS_EXACT, 1, cast_noop },
	{ "cast-cast", "cast(cast(x, wider), t)", "cast(x, t)", OP_cast, CLASS_EXACT, 1, cast_cast },
	{ "cast-moved", "cast(reshape(cast(x, wider)), t)", "cast(reshape(x), t)", OP_cast, CLASS_EXACT, 1, cast_moved },
	COMPARES("cast-compare", "cast(a, wider) < cast(b, wider)", "a < b", cast_compare),
	COMPARES("cast-bool-compare", "cast(b) == 0", "not(b)", cast_bool_compare),
	{ "quantize-dequantize", "quantize(dequantize(x)) with the same parameters", "x", OP_quantize, CLASS_EXACT, 1,
		quantize_dequantize },
};

const RuleSet RULES_CAST = { "cast", RULES, ARRAY_LEN(RULES) };

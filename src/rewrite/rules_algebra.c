/* Rules of plain algebra: units, zeros, pairs that cancel, conditions, associative constants. Integers and floats are
 * told apart wherever NaN, infinities, signs of zero or rounding would show. Clamps: rules_clamp.c. */
#include "rewrite/rules_algebra.h"
#include "rewrite/move_int.h"
#include "rewrite/rules.h"

#include <math.h>
#include <string.h>

static bool is_whole(const Value *v)
{
	return dtype_is_integer(value_dtype(v));
}

static bool is_bool(const Value *v)
{
	return value_dtype(v) == DT_BOOL;
}

/* ---- units and zeros ---- */

static bool is_limit(const Value *c, bool upper)
{
	DType d = value_dtype(c);
	int64_t v;
	if (dtype_is_float(d))
		return constant_all(c, upper ? INFINITY : -INFINITY);
	if (!dtype_is_integer(d))
		return false;
	if (dtype_bits(d) < 64)
		return constant_all(c, upper ? (double)dtype_int_max(d) : (double)dtype_int_min(d));
	if (!upper && dtype_class(d) == DC_UINT)
		return constant_all(c, 0);
	return constant_int(c, &v) && (uint64_t)v == (upper ? dtype_int_max(d) : (uint64_t)dtype_int_min(d));
}

static bool is_all_ones(const Value *c)
{
	DType d = value_dtype(c);
	if (dtype_class(d) == DC_UINT)
		return dtype_bits(d) < 64 && constant_all(c, (double)dtype_int_max(d));
	return constant_all(c, -1);
}

/* c does nothing to the other operand, bit for bit. x + -0.0 and x - 0.0 keep the sign of a zero x; x + 0.0 does not.
 */
static bool is_unit(OpKind k, const Value *c, size_t side)
{
	bool f = value_is_float(c);
	switch (k) {
	case OP_add: return constant_all(c, f ? -0.0 : 0);
	case OP_sub: return side == 1 && constant_all(c, 0);
	case OP_mul: return constant_all(c, 1);
	case OP_div: case OP_pow: return side == 1 && constant_all(c, 1);
	case OP_and: return constant_all(c, 1);
	case OP_or: case OP_xor: case OP_bit_or: case OP_bit_xor: return constant_all(c, 0);
	case OP_shift_left: case OP_shift_right: case OP_shift_right_logical: return side == 1 && constant_all(c, 0);
	case OP_bit_and: return is_all_ones(c);
	case OP_min: return is_limit(c, true);
	case OP_max: return is_limit(c, false);
	default: return false;
	}
}

static bool drop_unit(Rw *rw, Op *root, bool (*test)(OpKind, const Value *, size_t))
{
	int side = constant_side(root);
	if (side < 0)
		return rw_no(rw, "it does not have exactly one constant operand");
	Value *c = op_operand(root, (size_t)side), *x = op_operand(root, 1u - (size_t)side), *y = root->results[0];
	if (!test(op_kind(root), c, (size_t)side))
		return rw_no(rw, "the constant is not the one that changes nothing");
	return rw_same_type(rw, x, y) && replace_by_existing(rw, y, x);
}

static bool unit(Rw *rw, Op *root)
{
	return drop_unit(rw, root, is_unit);
}

/* Units up to the sign of zero: -0 + 0 is 0. */
static bool is_zero_unit(OpKind k, const Value *c, size_t side)
{
	return value_is_float(c) && (k == OP_add ? constant_all(c, 0.0) : side == 1 && constant_all(c, -0.0));
}

static bool zero_unit(Rw *rw, Op *root)
{
	return drop_unit(rw, root, is_zero_unit);
}

/* x | ~0 is ~0: the constant itself, spread to the shape of the result. */
static bool bit_or_ones(Rw *rw, Op *root, Value *c)
{
	Value *y = root->results[0];
	int64_t dims[MAX_RANK];
	if (!is_all_ones(c))
		return rw_no(rw, "the constant has a bit that is not set");
	if (c->type == y->type)
		return replace_by_existing(rw, y, c);
	if (!rw_static_shape(rw, y, dims))
		return false;
	return rw_replace(rw, y, rw_op2(rw, OP_expand, c, rw_ints(rw, dims, (size_t)value_rank(y)), NULL));
}

/* The result does not depend on the other operand. Never for floats: 0 * NaN is NaN. */
static bool absorbed(Rw *rw, Op *root)
{
	int side = constant_side(root);
	Value *y = root->results[0];
	if (side < 0 || !(is_whole(y) || is_bool(y)))
		return rw_no(rw, "it is no integer op with one constant operand");
	Value *c = op_operand(root, (size_t)side);
	bool or = op_is(root, OP_or);
	if (op_is(root, OP_bit_or))
		return bit_or_ones(rw, root, c);
	if (!constant_all(c, or ? 1 : 0))
		return rw_no(rw, "the constant does not decide the result");
	Value *all = rw_constant_all(rw, y->type, or ? 1 : 0);
	return all ? rw_replace(rw, y, all) : rw_no(rw, "the shape of the result is not static");
}

/* f(x, x) of integers */
static bool self_pair(Rw *rw, Op *root)
{
	Value *x = op_operand(root, 0), *y = root->results[0];
	if (x != op_operand(root, 1))
		return false;
	if (!is_whole(x) && !is_bool(x))
		return rw_no(rw, "x - x and x == x are not the same for every float");
	OpKind k = op_kind(root);
	Value *all = rw_constant_all(rw, y->type, k == OP_eq || k == OP_le || k == OP_ge);
	return all ? rw_replace(rw, y, all) : rw_no(rw, "the shape is not static");
}

/* ---- traits ---- */

/* f(f(x)): x for an involution, f(x) for an idempotent op; f(x, x) and f(f(x, y), y) for idempotent pairs. */
static bool twice(Rw *rw, Op *root)
{
	uint32_t t = root->def->traits;
	if (!(t & (TRAIT_IDEMPOTENT | TRAIT_INVOLUTION)) || root->nresults != 1 || root->noperands == 0)
		return false;
	Value *a = op_operand(root, 0), *b = op_operand(root, 1), *y = root->results[0];
	Op *inner = a ? a->def : NULL;
	if (root->noperands == 2 && a == b)
		return replace_by_existing(rw, y, a);
	if (root->noperands == 2) {
		for (size_t i = 0; i < 2; i++) {
			Value *v = op_operand(root, i), *w = op_operand(root, 1 - i);
			if (v && v->def && v->def->def == root->def && !v->def->constant &&
					(op_operand(v->def, 0) == w || op_operand(v->def, 1) == w))
				return rw_same_type(rw, v, y) && replace_by_existing(rw, y, v);
		}
		return false;
	}
	if (!inner || inner->def != root->def || inner->constant || root->noperands != 1 || !op_attrs_equal(root, inner))
		return rw_no(rw, "the operand is not the same op");
	return replace_by_existing(rw, y, t & TRAIT_INVOLUTION ? op_operand(inner, 0) : a);
}

/* The one constant operand and the other one. */
static bool constant_pair(const Op *op, Value **x, Value **c)
{
	int side = constant_side(op);
	if (side < 0)
		return false;
	*c = op_operand(op, (size_t)side);
	*x = op_operand(op, 1u - (size_t)side);
	return true;
}

/* f(f(x, a), b) -> f(x, f(a, b)), where that grows no constant. */
static bool join_constants(Rw *rw, Op *root)
{
	Value *x, *a, *b, *v;
	if (!constant_pair(root, &v, &b))
		return rw_no(rw, "it does not have exactly one constant operand");
	Op *inner = v->def;
	if (!inner || inner->def != root->def || inner->constant || !constant_pair(inner, &x, &a))
		return rw_no(rw, "the operand is not the same op with a constant");
	if (!rw_single_use(rw, v))
		return false;
	int64_t na = value_count(a), nb = value_count(b);
	if (na < 0 || nb < 0 || (na != 1 && nb != 1 && !dims_equal(a, b)))
		return rw_no(rw, "the constants together would be larger");
	return rw_replace(rw, root->results[0], rw_op2(rw, op_kind(root), x, rw_op2(rw, op_kind(root), a, b, NULL), NULL));
}

static bool join_exact(Rw *rw, Op *root)
{
	bool minmax = op_is(root, OP_min) || op_is(root, OP_max);
	if (!minmax && value_is_float(root->results[0]))
		return false;
	return join_constants(rw, root);
}

/* Far from the ends of the range, so that no partial result overflows where the other order would not. */
static bool is_moderate(Rw *rw, const Value *c)
{
	size_t n;
	const double *v = value_count(c) <= 65536 ? constant_floats(rw->scratch, c, 0, &n) : NULL;
	for (size_t i = 0; v && i < n; i++)
		if (!(v[i] == 0 || (fabs(v[i]) > 1e-4 && fabs(v[i]) < 1e4)))
			return false;
	return v != NULL;
}

static bool join_rounding(Rw *rw, Op *root)
{
	Value *x, *a, *b, *v;
	if (!value_is_float(root->results[0]) || value_dtype(root->results[0]) == DT_F16)
		return rw_no(rw, "only for float types of a wide range");
	if (!constant_pair(root, &v, &b) || !v->def || v->def->def != root->def || !constant_pair(v->def, &x, &a))
		return rw_no(rw, "the operand is not the same op with a constant");
	if (!is_moderate(rw, a) || !is_moderate(rw, b))
		return rw_no(rw, "a constant is very large or small");
	return join_constants(rw, root);
}

/* ---- signs ---- */

static Value *negated(const Value *v)
{
	Op *op = live_def(v, OP_neg);
	return op ? op_operand(op, 0) : NULL;
}

/* a + -b -> a - b, -a + b -> b - a, a - -b -> a + b: the same sums in IEEE arithmetic */
static bool add_negated(Rw *rw, Op *root)
{
	Value *a = op_operand(root, 0), *b = op_operand(root, 1), *p = negated(a), *q = negated(b);
	Value *y = root->results[0];
	if (q)
		return rw_replace(rw, y, rw_op2(rw, op_is(root, OP_add) ? OP_sub : OP_add, a, q, NULL));
	if (p && op_is(root, OP_add))
		return rw_replace(rw, y, rw_op2(rw, OP_sub, b, p, NULL));
	return rw_no(rw, "no operand is negated");
}

/* -a * -b -> a * b; -x * c -> x * -c */
static bool mul_negated(Rw *rw, Op *root)
{
	Value *a = op_operand(root, 0), *b = op_operand(root, 1), *p = negated(a), *q = negated(b);
	OpKind k = op_kind(root);
	Value *y = root->results[0];
	if (k == OP_div && !value_is_float(y))
		return rw_no(rw, "the negative of the smallest integer is itself");
	if (p && q)
		return rw_replace(rw, y, rw_op2(rw, k, p, q, NULL));
	if (p && value_is_constant(b) && value_has_one_use(a))
		return rw_replace(rw, y, rw_op2(rw, k, p, rw_op1(rw, OP_neg, b, NULL), NULL));
	if (q && value_is_constant(a) && value_has_one_use(b))
		return rw_replace(rw, y, rw_op2(rw, k, rw_op1(rw, OP_neg, a, NULL), q, NULL));
	return rw_no(rw, "no two signs meet");
}

/* -(x * c) -> x * -c, also for a quotient with one constant */
static bool neg_of_product(Rw *rw, Op *root)
{
	Value *v = op_operand(root, 0);
	Op *product = v->def;
	if (!product || product->constant || !(op_is(product, OP_mul) || op_is(product, OP_div)) || !value_is_float(v))
		return rw_no(rw, "the operand is no product");
	int side = constant_side(product);
	if (side < 0 || !rw_may_rebuild(rw, v))
		return rw_no(rw, "the product has no constant, or other users");
	Value *in[2] = { op_operand(product, 0), op_operand(product, 1) };
	in[side] = rw_op1(rw, OP_neg, in[side], NULL);
	return rw_replace(rw, root->results[0], rw_op(rw, op_kind(product), in, 2, NULL));
}

/* -(a - b) -> b - a: 0 for -0 where a == b */
static bool neg_of_sub(Rw *rw, Op *root)
{
	Op *sub = live_def(op_operand(root, 0), OP_sub);
	if (!sub || !rw_may_rebuild(rw, op_operand(root, 0)))
		return rw_no(rw, "the operand is no difference, or has other users");
	return rw_replace(rw, root->results[0], rw_op2(rw, OP_sub, op_operand(sub, 1), op_operand(sub, 0), NULL));
}

/* a * (1 / b) -> a / b */
static bool mul_reciprocal(Rw *rw, Op *root)
{
	if (!value_is_float(root->results[0]))
		return rw_no(rw, "integers have no reciprocal");
	for (size_t i = 0; i < 2; i++) {
		Value *v = op_operand(root, i), *other = op_operand(root, 1 - i), *below = NULL;
		Op *one = live_def(v, OP_reciprocal), *div = live_def(v, OP_div);
		if (one)
			below = op_operand(one, 0);
		else if (div && value_is_constant(op_operand(div, 0)) && constant_all(op_operand(div, 0), 1) &&
				dims_equal(v, op_operand(div, 1)))
			below = op_operand(div, 1);
		if (below && value_has_one_use(v) && !value_is_output(v) && !value_is_constant(other))
			return rw_replace(rw, root->results[0], rw_op2(rw, OP_div, other, below, NULL));
	}
	return rw_no(rw, "no operand is a reciprocal with this use only");
}

/* ---- conditions ---- */

static bool select_known(Rw *rw, Op *root)
{
	Value *c = op_operand(root, 0), *y = root->results[0];
	bool yes = value_is_constant(c) && constant_all(c, 1), no = value_is_constant(c) && constant_all(c, 0);
	if (op_operand(root, 1) == op_operand(root, 2))
		yes = true;
	else if (!yes && !no)
		return rw_no(rw, "the condition is not the same everywhere");
	Value *v = op_operand(root, yes ? 1 : 2);
	return rw_same_type(rw, v, y) && replace_by_existing(rw, y, v);
}

/* select(not(c), a, b) -> select(c, b, a) */
static bool select_not(Rw *rw, Op *root)
{
	Op *negation = live_def(op_operand(root, 0), OP_not);
	if (!negation)
		return rw_no(rw, "the condition is no negation");
	return rw_replace(rw, root->results[0], rw_op3(rw, OP_select, op_operand(negation, 0), op_operand(root, 2),
			op_operand(root, 1), NULL));
}

/* select(c, true, false) -> c, select(c, false, true) -> not(c) */
static bool select_bool(Rw *rw, Op *root)
{
	Value *c = op_operand(root, 0), *a = op_operand(root, 1), *b = op_operand(root, 2), *y = root->results[0];
	if (!is_bool(y) || !value_is_constant(a) || !value_is_constant(b))
		return rw_no(rw, "it does not pick between constant bools");
	bool same = constant_all(a, 1) && constant_all(b, 0), turned = constant_all(a, 0) && constant_all(b, 1);
	if ((!same && !turned) || !dims_equal(c, y))
		return rw_no(rw, "the bools vary, or are broadcast");
	return same ? replace_by_existing(rw, y, c) : rw_replace(rw, y, rw_op1(rw, OP_not, c, NULL));
}

/* eq(b, true) -> b, ne(b, false) -> b, eq(b, false) -> not(b) */
static bool compare_bool(Rw *rw, Op *root)
{
	Value *x, *c, *y = root->results[0];
	if (!constant_pair(root, &x, &c) || !is_bool(x))
		return rw_no(rw, "it compares no bools with a constant");
	bool yes = constant_all(c, 1), no = constant_all(c, 0), eq = op_is(root, OP_eq);
	if ((!yes && !no) || !dims_equal(x, y))
		return rw_no(rw, "the constant varies, or is broadcast");
	return yes == eq ? replace_by_existing(rw, y, x) : rw_replace(rw, y, rw_op1(rw, OP_not, x, NULL));
}

/* not(a < b) -> a >= b for integers (for floats NaN differs) */
static bool not_compare(Rw *rw, Op *root)
{
	static const struct { OpKind from, to; } turn[] = {
		{ OP_lt, OP_ge }, { OP_gt, OP_le }, { OP_le, OP_gt }, { OP_ge, OP_lt },
	};
	Value *v = op_operand(root, 0);
	Op *op = v->def;
	for (size_t i = 0; op && i < ARRAY_LEN(turn); i++) {
		if (!op_is(op, turn[i].from) || op->constant)
			continue;
		if (!is_whole(op_operand(op, 0)))
			return rw_no(rw, "with NaN both a < b and a >= b are false");
		if (!rw_opset_at_least(rw, 12) || !rw_may_rebuild(rw, v))
			return rw_no(rw, "the comparison has other users, or the opset lacks its opposite");
		return rw_replace(rw, root->results[0], rw_op2(rw, turn[i].to, op_operand(op, 0), op_operand(op, 1), NULL));
	}
	return rw_no(rw, "the operand is no comparison that can be turned round");
}

/* ---- many operands ---- */

static OpKind pair_kind(OpKind k)
{
	return k == OP_add_n ? OP_add : k == OP_min_n ? OP_min : OP_max;
}

/* One operand: itself; two: the binary op. */
static bool few_operands(Rw *rw, Op *root)
{
	if (root->noperands == 1)
		return replace_by_existing(rw, root->results[0], op_operand(root, 0));
	if (root->noperands != 2)
		return rw_no(rw, "it has %d operands", root->noperands);
	return rw_replace(rw, root->results[0],
			rw_op2(rw, pair_kind(op_kind(root)), op_operand(root, 0), op_operand(root, 1), NULL));
}

/* max_n(max_n(a, b), c) -> max_n(a, b, c); for sums only in front, where the order of rounding stays */
static bool nested_operands(Rw *rw, Op *root)
{
	bool sum = op_is(root, OP_add_n);
	for (size_t i = 0; i < root->noperands; i++) {
		Value *v = op_operand(root, i);
		Op *inner = v ? v->def : NULL;
		bool alike = inner && !inner->constant && (inner->def == root->def || op_is(inner, pair_kind(op_kind(root))));
		if (!alike || (sum && i > 0) || !value_has_one_use(v) || value_is_output(v))
			continue;
		size_t n = 0, total = root->noperands + (size_t)inner->noperands - 1;
		Value **in = NEW_ARRAY(rw->scratch, Value *, total);
		if (total > 1024)
			return rw_no(rw, "there would be too many operands");
		for (size_t k = 0; k < root->noperands; k++) {
			if (k != i)
				in[n++] = op_operand(root, k);
			for (size_t j = 0; k == i && j < inner->noperands; j++)
				in[n++] = op_operand(inner, j);
		}
		return rw_replace(rw, root->results[0], rw_op(rw, op_kind(root), in, n, NULL));
	}
	return rw_no(rw, "no operand is such an op with this use only");
}

static const Rule RULES[] = {
	{ "add-zero", "x + 0 of integers, x + -0.0", "x", OP_add, CLASS_EXACT, 1, unit },
	{ "add-positive-zero", "x + 0.0, where only -0 differs", "x", OP_add, CLASS_ROUNDING, 2, zero_unit },
	{ "sub-zero", "x - 0", "x", OP_sub, CLASS_EXACT, 1, unit },
	{ "sub-negative-zero", "x - -0.0, where only -0 differs", "x", OP_sub, CLASS_ROUNDING, 2, zero_unit },
	{ "mul-one", "x * 1", "x", OP_mul, CLASS_EXACT, 1, unit },
	{ "div-one", "x / 1", "x", OP_div, CLASS_EXACT, 1, unit },
	{ "pow-one", "pow(x, 1)", "x", OP_pow, CLASS_EXACT, 1, unit },
	{ "and-true", "x and true", "x", OP_and, CLASS_EXACT, 1, unit },
	{ "or-false", "x or false", "x", OP_or, CLASS_EXACT, 1, unit },
	{ "xor-false", "x xor false", "x", OP_xor, CLASS_EXACT, 1, unit },
	{ "bit-and-ones", "x & ~0", "x", OP_bit_and, CLASS_EXACT, 1, unit },
	{ "bit-or-zero", "x | 0", "x", OP_bit_or, CLASS_EXACT, 1, unit },
	{ "bit-xor-zero", "x ^ 0", "x", OP_bit_xor, CLASS_EXACT, 1, unit },
	{ "shift-zero", "x << 0", "x", OP_shift_left, CLASS_EXACT, 1, unit },
	{ "shift-zero", "x >> 0", "x", OP_shift_right, CLASS_EXACT, 1, unit },
	{ "shift-zero", "x >>> 0", "x", OP_shift_right_logical, CLASS_EXACT, 1, unit },
	{ "min-limit", "min(x, largest)", "x", OP_min, CLASS_EXACT, 1, unit },
	{ "max-limit", "max(x, smallest)", "x", OP_max, CLASS_EXACT, 1, unit },
	{ "mul-zero", "x * 0 of integers", "0", OP_mul, CLASS_EXACT, 1, absorbed },
	{ "and-false", "x and false", "false", OP_and, CLASS_EXACT, 1, absorbed },
	{ "or-true", "x or true", "true", OP_or, CLASS_EXACT, 1, absorbed },
	{ "bit-and-zero", "x & 0", "0", OP_bit_and, CLASS_EXACT, 1, absorbed },
	{ "bit-or-ones", "x | ~0", "~0", OP_bit_or, CLASS_EXACT, 1, absorbed },
	{ "self-sub", "x - x of integers", "0", OP_sub, CLASS_EXACT, 1, self_pair },
	{ "self-xor", "x xor x", "false", OP_xor, CLASS_EXACT, 1, self_pair },
	{ "self-xor", "x ^ x", "0", OP_bit_xor, CLASS_EXACT, 1, self_pair },
	{ "self-compare", "x == x of integers", "true", OP_eq, CLASS_EXACT, 1, self_pair },
	{ "self-compare", "x != x of integers", "false", OP_ne, CLASS_EXACT, 1, self_pair },
	{ "self-compare", "x < x of integers", "false", OP_lt, CLASS_EXACT, 1, self_pair },
	{ "self-compare", "x > x of integers", "false", OP_gt, CLASS_EXACT, 1, self_pair },
	{ "self-compare", "x <= x of integers", "true", OP_le, CLASS_EXACT, 1, self_pair },
	{ "self-compare", "x >= x of integers", "true", OP_ge, CLASS_EXACT, 1, self_pair },
	{ "twice", "neg(neg(x)), relu(relu(x)), min(x, x)", "x, relu(x), x", OP_UNKNOWN, CLASS_EXACT, 1, twice },
	{ "join-constants", "min(min(x, a), b)", "min(x, min(a, b))", OP_min, CLASS_EXACT, 1, join_exact },
	{ "join-constants", "max(max(x, a), b)", "max(x, max(a, b))", OP_max, CLASS_EXACT, 1, join_exact },
	{ "join-constants", "(x + a) + b of integers", "x + (a + b)", OP_add, CLASS_EXACT, 1, join_exact },
	{ "join-constants", "(x * a) * b of integers", "x * (a * b)", OP_mul, CLASS_EXACT, 1, join_exact },
	{ "join-constants", "(x & a) & b", "x & (a & b)", OP_bit_and, CLASS_EXACT, 1, join_exact },
	{ "join-constants", "(x | a) | b", "x | (a | b)", OP_bit_or, CLASS_EXACT, 1, join_exact },
	{ "join-constants", "(x ^ a) ^ b", "x ^ (a ^ b)", OP_bit_xor, CLASS_EXACT, 1, join_exact },
	{ "join-float-constants", "(x + a) + b", "x + (a + b)", OP_add, CLASS_ROUNDING, 2, join_rounding },
	{ "join-float-constants", "(x * a) * b", "x * (a * b)", OP_mul, CLASS_ROUNDING, 2, join_rounding },
	{ "add-negated", "a + -b", "a - b", OP_add, CLASS_EXACT, 1, add_negated },
	{ "add-negated", "a - -b", "a + b", OP_sub, CLASS_EXACT, 1, add_negated },
	{ "mul-negated", "-a * -b", "a * b", OP_mul, CLASS_EXACT, 1, mul_negated },
	{ "mul-negated", "-a / -b", "a / b", OP_div, CLASS_EXACT, 1, mul_negated },
	{ "neg-of-product", "-(x * c)", "x * -c", OP_neg, CLASS_EXACT, 1, neg_of_product },
	{ "neg-of-sub", "-(a - b), where only the sign of 0 differs", "b - a", OP_neg, CLASS_ROUNDING, 2, neg_of_sub },
	{ "mul-reciprocal", "a * (1 / b)", "a / b", OP_mul, CLASS_ROUNDING, 2, mul_reciprocal },
	{ "select-known", "select(true, a, b)", "a", OP_select, CLASS_EXACT, 1, select_known },
	{ "select-not", "select(not(c), a, b)", "select(c, b, a)", OP_select, CLASS_EXACT, 1, select_not },
	{ "select-bool", "select(c, true, false)", "c", OP_select, CLASS_EXACT, 1, select_bool },
	{ "compare-bool", "b == true", "b", OP_eq, CLASS_EXACT, 1, compare_bool },
	{ "compare-bool", "b != false", "b", OP_ne, CLASS_EXACT, 1, compare_bool },
	{ "not-compare", "not(a < b) of integers", "a >= b", OP_not, CLASS_EXACT, 1, not_compare },
	{ "nested-operands", "add_n(add(a, b), c, d)", "add_n(a, b, c, d)", OP_add_n, CLASS_EXACT, 1, nested_operands },
	{ "nested-operands", "min_n(min(a, b), c, d)", "min_n(a, b, c, d)", OP_min_n, CLASS_EXACT, 1, nested_operands },
	{ "nested-operands", "max_n(max(a, b), c, d)", "max_n(a, b, c, d)", OP_max_n, CLASS_EXACT, 1, nested_operands },
	{ "few-operands", "add_n(a, b)", "a + b", OP_add_n, CLASS_EXACT, 1, few_operands },
	{ "few-operands", "min_n(a, b)", "min(a, b)", OP_min_n, CLASS_EXACT, 1, few_operands },
	{ "few-operands", "max_n(a, b)", "max(a, b)", OP_max_n, CLASS_EXACT, 1, few_operands },
	RULES_CLAMP_ROWS
	RULES_ZERO_ROWS
};

const RuleSet RULES_ALGEBRA = { "algebra", RULES, ARRAY_LEN(RULES) };

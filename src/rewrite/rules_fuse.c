/* Composite ops out of their parts, where the target can say them: activations, softmax, reductions, depth to space. */
#include "fuse_int.h"
#include "rules.h"

#include <math.h>
#include <string.h>

/* ---- products in any order ---- */

enum { MAX_FACTORS = 6 };

/* x0 * x1 * ... * number, read through products and quotients by constants that nothing else uses. */
typedef struct Product {
	Value *factor[MAX_FACTORS];
	int n;
	double number;
} Product;

static bool collect(Rw *rw, Value *v, Product *p, int depth)
{
	Op *op = v->def;
	double k;
	bool inside = depth == 0 || (value_has_one_use(v) && !value_is_output(v) && op && op->block == rw->root->block);
	if (op && inside && !op->constant && depth < 4 && (op_is(op, OP_mul) || op_is(op, OP_div))) {
		int side = constant_side(op);
		bool number = side >= 0 && constant_float(op_operand(op, (size_t)side), &k) &&
				value_rank(op_operand(op, (size_t)side)) <= value_rank(op_operand(op, (size_t)!side));
		if (number && op_is(op, OP_mul)) {
			p->number *= k;
			return collect(rw, op_operand(op, (size_t)!side), p, depth + 1);
		}
		if (number && side == 1 && k != 0) {
			p->number /= k;
			return collect(rw, op_operand(op, 0), p, depth + 1);
		}
		if (op_is(op, OP_mul))
			return collect(rw, op_operand(op, 0), p, depth + 1) && collect(rw, op_operand(op, 1), p, depth + 1);
	}
	if (p->n == MAX_FACTORS)
		return false;
	p->factor[p->n++] = v;
	return true;
}

bool fuse_near(double a, double b)
{
	return fabs(a - b) <= ROUNDED_CONSTANT * fabs(b);
}

/* v is x * k or x / k for this x: gives the factor. x itself counts as 1. */
static bool multiple_of(const Value *v, const Value *x, double *factor)
{
	const Op *op = v->def;
	double k;
	*factor = 1;
	if (v == x)
		return true;
	if (!op || op->constant || (!op_is(op, OP_mul) && !op_is(op, OP_div)))
		return false;
	int side = constant_side(op);
	if (side < 0 || op_operand(op, (size_t)!side) != x || !constant_float(op_operand(op, (size_t)side), &k))
		return false;
	if (op_is(op, OP_div) && (side == 0 || k == 0))
		return false;
	*factor = op_is(op, OP_div) ? 1 / k : k;
	return true;
}

Value *fuse_plus_number(const Value *v, double *number)
{
	const Op *op = live_def(v, OP_add) ? v->def : live_def(v, OP_sub);
	int side = op ? constant_side(op) : -1;
	if (side < 0 || !constant_float(op_operand(op, (size_t)side), number) || (op_is(op, OP_sub) && side == 0))
		return NULL;
	if (value_rank(op_operand(op, (size_t)side)) > value_rank(op_operand(op, (size_t)!side)))
		return NULL;
	if (op_is(op, OP_sub))
		*number = -*number;
	return op_operand(op, (size_t)!side);
}

static bool product_of_two(Rw *rw, Op *root, Product *p)
{
	*p = (Product){ .number = 1 };
	if (!value_is_float(root->results[0]) || !collect(rw, root->results[0], p, 0) || p->n != 2)
		return rw_no(rw, "not a product of two values and a number");
	return true;
}

static bool fused(Rw *rw, Op *root, OpKind kind, Value *x, const RwAttr *attrs)
{
	if (!rw_same_type(rw, x, root->results[0]))
		return false;
	return rw_replace_op(rw, root, rw_op1(rw, kind, x, attrs));
}

/* ---- gelu ---- */

/* x * x * x or pow(x, 3). */
static bool is_cube(Rw *rw, Value *v, const Value *x)
{
	double k;
	Op *pow = live_def(v, OP_pow);
	if (pow)
		return op_operand(pow, 0) == x && constant_float(op_operand(pow, 1), &k) && k == 3;
	Product p = { .number = 1 };
	return collect(rw, v, &p, 0) && p.n == 3 && p.number == 1 && p.factor[0] == x && p.factor[1] == x &&
			p.factor[2] == x;
}

/* sqrt(2/pi) * (x + 0.044715 x^3) */
static bool is_tanh_argument(Rw *rw, Value *v, const Value *x)
{
	Product p = { .number = 1 }, cube = { .number = 1 };
	if (!collect(rw, v, &p, 0) || p.n != 1 || !fuse_near(p.number, 0.79788456080286535588))
		return false;
	Op *sum = live_def(p.factor[0], OP_add);
	for (size_t i = 0; sum && i < 2; i++) {
		cube = (Product){ .number = 1 };
		Value *other = op_operand(sum, 1 - i), *term = NULL;
		if (op_operand(sum, i) != x || !other->def || !op_is(other->def, OP_mul))
			continue;
		int side = constant_side(other->def);
		double k;
		if (side >= 0 && constant_float(op_operand(other->def, (size_t)side), &k) && fuse_near(k, 0.044715))
			term = op_operand(other->def, (size_t)!side);
		if (term)
			return is_cube(rw, term, x);
		if (collect(rw, other, &cube, 0) && cube.n == 3 && fuse_near(cube.number, 0.044715))
			return cube.factor[0] == x && cube.factor[1] == x && cube.factor[2] == x;
	}
	return false;
}

/* 0.5 * x * (1 + erf(x / sqrt(2))) and its approximation by tanh, factors in any order. */
static bool gelu(Rw *rw, Op *root)
{
	Product p;
	if (!product_of_two(rw, root, &p) || !fuse_near(p.number, 0.5))
		return rw_no(rw, "no half of a product");
	for (int i = 0; i < 2; i++) {
		Value *x = p.factor[i];
		double number, factor;
		Value *f = fuse_plus_number(p.factor[1 - i], &number);
		if (!f || number != 1 || !f->def)
			continue;
		if (op_is(f->def, OP_erf) && multiple_of(op_operand(f->def, 0), x, &factor) &&
				fuse_near(factor, 0.70710678118654752440))
			return rw_target_has(rw, OP_gelu) && fused(rw, root, OP_gelu, x, NULL);
		if (op_is(f->def, OP_tanh) && is_tanh_argument(rw, op_operand(f->def, 0), x))
			return rw_target_has(rw, OP_gelu) && fused(rw, root, OP_gelu, x, (RwAttr[]){
					{ A_approximate, attr_str(rw->ctx, str(rw->ctx, "tanh")) }, { A_NONE, NULL } });
	}
	return rw_no(rw, "no 1 + erf(x / sqrt(2)) or its approximation");
}

/* ---- activations with clamp, sigmoid, tanh ---- */

/* clamp(x + c, 0, high) / high = hard_sigmoid with alpha 1/high, beta c/high. */
static bool hard_sigmoid(Rw *rw, Op *root)
{
	Product p = { .number = 1 };
	double low, high, shift = 0;
	if (!value_is_float(root->results[0]) || !collect(rw, root->results[0], &p, 0) || p.n != 1 || !(p.number > 0))
		return rw_no(rw, "not a multiple of one value");
	Op *clamp = live_def(p.factor[0], OP_clamp);
	if (!clamp || !op_operand(clamp, 1) || !op_operand(clamp, 2) || !constant_float(op_operand(clamp, 1), &low) ||
			!constant_float(op_operand(clamp, 2), &high) || low != 0 || !fuse_near(high * p.number, 1))
		return rw_no(rw, "no clamp to a range that the factor makes 0 to 1");
	if (!rw_may_rebuild(rw, p.factor[0]))
		return false;
	Value *x = fuse_plus_number(op_operand(clamp, 0), &shift);
	if (!x)
		x = op_operand(clamp, 0); /* what was added may be in a bias already */
	double alpha = 1 / high, beta = shift / high;
	return fused(rw, root, OP_hard_sigmoid, x, (RwAttr[]){ { A_alpha, attr_float(rw->ctx, (double)(float)alpha) },
			{ A_beta, attr_float(rw->ctx, (double)(float)beta) }, { A_NONE, NULL } });
}

/* x * hard_sigmoid(x) with slope 1/6, or x * clamp(x + 3, 0, 6) / 6. */
static bool hard_swish(Rw *rw, Op *root)
{
	Product p;
	if (!product_of_two(rw, root, &p))
		return false;
	for (int i = 0; i < 2; i++) {
		Value *x = p.factor[i], *f = p.factor[1 - i];
		Op *sigmoid = live_def(f, OP_hard_sigmoid), *clamp = live_def(f, OP_clamp);
		double low, high, shift;
		bool fits = sigmoid && op_operand(sigmoid, 0) == x && p.number == 1 &&
				fuse_near(op_float(sigmoid, A_alpha), 1.0 / 6) &&
				fuse_near(op_float(sigmoid, A_beta), 0.5);
		fits |= clamp && op_operand(clamp, 1) && op_operand(clamp, 2) && constant_float(op_operand(clamp, 1), &low) &&
				low == 0 &&
				constant_float(op_operand(clamp, 2), &high) && high == 6 && fuse_near(p.number, 1.0 / 6) &&
				fuse_plus_number(op_operand(clamp, 0), &shift) == x && shift == 3;
		if (fits && value_has_one_use(f))
			return rw_target_has(rw, OP_hard_swish) && fused(rw, root, OP_hard_swish, x, NULL);
	}
	return rw_no(rw, "no x * clamp(x + 3, 0, 6) / 6");
}

/* x * sigmoid(alpha x) */
static bool swish(Rw *rw, Op *root)
{
	Product p;
	if (!product_of_two(rw, root, &p) || p.number != 1)
		return false;
	for (int i = 0; i < 2; i++) {
		Op *sigmoid = live_def(p.factor[1 - i], OP_sigmoid);
		double alpha;
		if (!sigmoid || !multiple_of(op_operand(sigmoid, 0), p.factor[i], &alpha))
			continue;
		if (!rw_target_has(rw, OP_swish) || !rw_single_use(rw, p.factor[1 - i]))
			return false;
		return fused(rw, root, OP_swish, p.factor[i], (RwAttr[]){
				{ A_alpha, alpha == 1 ? NULL : attr_float(rw->ctx, (double)(float)alpha) }, { A_NONE, NULL } });
	}
	return rw_no(rw, "no x * sigmoid(x)");
}

/* x * tanh(softplus(x)) */
static bool mish(Rw *rw, Op *root)
{
	Product p;
	if (!product_of_two(rw, root, &p) || p.number != 1)
		return false;
	for (int i = 0; i < 2; i++) {
		Op *tanh = live_def(p.factor[1 - i], OP_tanh),
				*softplus = tanh ? live_def(op_operand(tanh, 0), OP_softplus) : NULL;
		if (softplus && op_operand(softplus, 0) == p.factor[i])
			return rw_target_has(rw, OP_mish) && rw_single_use(rw, p.factor[1 - i]) &&
					fused(rw, root, OP_mish, p.factor[i], NULL);
	}
	return rw_no(rw, "no x * tanh(softplus(x))");
}

/* log(1 + exp(x)): differs where exp overflows. */
static bool softplus(Rw *rw, Op *root)
{
	double number = 1;
	Value *in = op_operand(root, 0), *e = op_is(root, OP_log1p) ? in : fuse_plus_number(in, &number);
	Op *exp = live_def(e, OP_exp);
	if (!exp || number != 1)
		return rw_no(rw, "no log(1 + exp(x))");
	return fused(rw, root, OP_softplus, op_operand(exp, 0), NULL);
}

/* ---- softmax ---- */

bool fuse_is_reduce(const Op *op, const char *kind)
{
	return op_is(op, OP_reduce) && !strcmp(op_text(op, A_kind), kind);
}

/* The single axis that op reduces, keeping it with size 1. */
static bool kept_axis(const Op *op, int rank, int *axis)
{
	const int64_t *axes;
	return op_attr_ints(op, A_axes, &axes) == 1 && op_int(op, A_keepdims) && axis_norm(axes[0], rank, axis);
}

/* e / sum(e) with e = exp(x - max(x)), the sum and the maximum along one axis. */
static bool softmax(Rw *rw, Op *root)
{
	Value *e = op_operand(root, 0), *s = op_operand(root, 1);
	Op *exp = live_def(e, OP_exp), *sum = live_def(s, OP_reduce);
	int rank = value_rank(e), axis, top;
	if (!exp || !sum || !fuse_is_reduce(sum, "sum") || op_operand(sum, 0) != e || rank < 1)
		return rw_no(rw, "no exp(x) / sum(exp(x))");
	Op *sub = live_def(op_operand(exp, 0), OP_sub), *max = sub ? live_def(op_operand(sub, 1), OP_reduce) : NULL;
	if (!max || !fuse_is_reduce(max, "max") || op_operand(max, 0) != op_operand(sub, 0))
		return rw_no(rw, "the maximum is not subtracted first");
	if (!kept_axis(sum, rank, &axis) || !kept_axis(max, rank, &top) || axis != top)
		return rw_no(rw, "the sum and the maximum are not along one axis");
	return fused(rw, root, OP_softmax, op_operand(sub, 0),
			(RwAttr[]){ { A_axis, attr_int(rw->ctx, axis) }, { A_NONE, NULL } });
}

/* log(softmax(x)): differs where the softmax underflows to zero. */
static bool log_of_softmax(Rw *rw, Op *root)
{
	Op *s = live_def(op_operand(root, 0), OP_softmax);
	if (!s)
		return rw_no(rw, "no softmax below the logarithm");
	return fused(rw, root, OP_log_softmax, op_operand(s, 0),
			(RwAttr[]){ { A_axis, op_attr(s, A_axis) }, { A_NONE, NULL } });
}

/* ---- reductions ---- */

Value *fuse_square_of(const Value *v)
{
	Op *mul = live_def(v, OP_mul), *pow = live_def(v, OP_pow);
	double k;
	if (mul && op_operand(mul, 0) == op_operand(mul, 1))
		return op_operand(mul, 0);
	if (pow && constant_float(op_operand(pow, 1), &k) && k == 2 &&
			value_rank(op_operand(pow, 1)) <= value_rank(op_operand(pow, 0)))
		return op_operand(pow, 0);
	return NULL;
}

static Value *reduced(Rw *rw, const Op *like, Value *x, const char *kind)
{
	Value *y = rw_op1(rw, OP_reduce, x, (RwAttr[]){ { A_kind, attr_str(rw->ctx, str(rw->ctx, kind)) },
			{ A_axes, op_attr(like, A_axes) }, { A_keepdims, op_attr(like, A_keepdims) }, { A_NONE, NULL } });
	rw_take_name(y, like);
	return y;
}

/* sum(x * x), sum(|x|): reductions with a name of their own. */
static bool reduce_of_elements(Rw *rw, Op *root)
{
	Value *v = op_operand(root, 0), *x = fuse_square_of(v);
	Op *abs = live_def(v, OP_abs);
	if (!fuse_is_reduce(root, "sum") || !value_is_float(v))
		return rw_no(rw, "not a float sum");
	if (!x && !abs)
		return rw_no(rw, "not a sum of squares or absolute values");
	if (!rw_single_use(rw, v))
		return false;
	if (x && value_dtype(x) != value_dtype(v))
		return rw_no(rw, "the square changes the type");
	return rw_replace_op(rw, root, reduced(rw, root, x ? x : op_operand(abs, 0), x ? "sum_square" : "l1"));
}

static bool norm_of_squares(Rw *rw, Op *root)
{
	Op *sum = live_def(op_operand(root, 0), OP_reduce);
	if (!sum || !fuse_is_reduce(sum, "sum_square") || !rw_may_rebuild(rw, op_operand(root, 0)))
		return rw_no(rw, "no sum of squares below the root");
	return rw_replace_op(rw, root, reduced(rw, sum, op_operand(sum, 0), "l2"));
}

static bool log_of_sum(Rw *rw, Op *root)
{
	Op *sum = live_def(op_operand(root, 0), OP_reduce);
	if (!sum || !fuse_is_reduce(sum, "sum") || !value_is_float(op_operand(sum, 0)) ||
			!rw_may_rebuild(rw, op_operand(root, 0)))
		return rw_no(rw, "no sum below the logarithm");
	return rw_replace_op(rw, root, reduced(rw, sum, op_operand(sum, 0), "log_sum"));
}

bool fuse_reduced_axes(const Op *op, int rank, uint64_t *set)
{
	const int64_t *axes;
	int axis;
	*set = op_attr(op, A_axes) ? 0 : (UINT64_C(1) << rank) - 1;
	for (size_t i = 0, n = op_attr_ints(op, A_axes, &axes); i < n; i++) {
		if (!axis_norm(axes[i], rank, &axis))
			return false;
		*set |= UINT64_C(1) << axis;
	}
	return true;
}

/* sum(x) / n where n is how many are summed. */
static bool mean_of_sum(Rw *rw, Op *root)
{
	Product p = { .number = 1 };
	uint64_t set;
	int64_t n = 1;
	if (!value_is_float(root->results[0]) || !collect(rw, root->results[0], &p, 0) || p.n != 1 || p.number == 1)
		return rw_no(rw, "not a multiple of one value");
	Op *sum = live_def(p.factor[0], OP_reduce);
	int rank = sum ? value_rank(op_operand(sum, 0)) : -1;
	if (rank < 0 || !fuse_is_reduce(sum, "sum") || !fuse_reduced_axes(sum, rank, &set) ||
			!rw_may_rebuild(rw, p.factor[0]))
		return rw_no(rw, "no sum of a known rank");
	for (int i = 0; i < rank; i++)
		if (set >> i & 1 && !mul_ok(n, value_dim(op_operand(sum, 0), i), &n))
			return false;
	if (n < 1 || !fuse_near(p.number * (double)n, 1))
		return rw_no(rw, "the factor is not one over the count");
	Value *y = reduced(rw, sum, op_operand(sum, 0), "mean");
	return rw_same_type(rw, y, root->results[0]) && rw_replace_op(rw, root, y);
}

/* unsqueeze(reduce(x)) over the same axes keeps them; squeeze(reduce(x)) drops them; so for reshapes that do the same. */
static bool keep_or_drop(Rw *rw, Op *root)
{
	Value *v = op_operand(root, 0), *y = root->results[0];
	Op *op = v->def;
	bool reduce = op_is(op, OP_reduce), arg = op_is(op, OP_argmax) || op_is(op, OP_argmin);
	if ((!reduce && !arg) || op->constant)
		return rw_no(rw, "no reduction below");
	int rank = value_rank(op_operand(op, 0)), axis, k = 0;
	uint64_t set;
	bool keep = op_int(op, A_keepdims);
	if (rank < 0 || value_rank(y) < 0 || !rw_may_rebuild(rw, v))
		return false;
	if (arg && !axis_norm(op_int(op, A_axis), rank, &axis))
		return false;
	if (arg)
		set = UINT64_C(1) << axis;
	else if (!fuse_reduced_axes(op, rank, &set))
		return false;
	const Sym *const *have = y->type->dims, *const *in = op_operand(op, 0)->type->dims;
	for (int i = 0; i < rank; i++) {
		bool gone = set >> i & 1;
		if (gone && keep)
			continue;
		if (k >= value_rank(y) || !(gone ? sym_is(have[k], 1) : sym_known_eq(have[k], in[i])))
			return rw_no(rw, "the axes are not the reduced ones");
		k++;
	}
	if (k != value_rank(y) || value_rank(v) == value_rank(y))
		return rw_no(rw, "the axes are not the reduced ones");
	return rw_replace_op(rw, root, rw_copy_set(rw, op, 0, op_operand(op, 0), A_keepdims, attr_int(rw->ctx, !keep)));
}

/* A global average whose axes of size 1 are dropped. */
static bool flat_pool(Rw *rw, Op *root)
{
	Value *v = op_operand(root, 0), *y = root->results[0];
	Op *pool = live_def(v, OP_global_avg_pool);
	int rank = value_rank(v);
	if (!pool || rank < 3 || value_rank(y) != 2 || value_rank(op_operand(pool, 0)) != rank || !rw_may_rebuild(rw, v))
		return rw_no(rw, "no global average of spatial axes below");
	if (!sym_known_eq(y->type->dims[0], v->type->dims[0]) || !sym_known_eq(y->type->dims[1], v->type->dims[1]))
		return rw_no(rw, "batch and channels are not what is left");
	int64_t axes[MAX_RANK];
	for (int i = 2; i < rank; i++)
		axes[i - 2] = i;
	const RwAttr attrs[] = { { A_kind, attr_str(rw->ctx, str(rw->ctx, "mean")) },
		{ A_axes, rw_attr_ints(rw, axes, (size_t)rank - 2) }, { A_keepdims, attr_int(rw->ctx, 0) }, { A_NONE, NULL } };
	Value *z = rw_op1(rw, OP_reduce, op_operand(pool, 0), attrs);
	rw_take_name(z, pool);
	return rw_replace_op(rw, root, z);
}

/* ---- depth to space ---- */

/* x [N, C*b*b, H, W] -> [N, 6 axes] -> transposed -> [N, C, H*b, W*b]; the block comes before (DCR) or after (CRD) the
 * channels. */
static bool depth_to_space(Rw *rw, Op *root)
{
	static const int64_t dcr[] = { 0, 3, 4, 1, 5, 2 }, crd[] = { 0, 1, 4, 2, 5, 3 };
	Op *t = live_def(op_operand(root, 0), OP_transpose), *first = t ? live_def(op_operand(t, 0), OP_reshape) : NULL;
	Value *x = first ? op_operand(first, 0) : NULL, *y = root->results[0];
	const int64_t *perm;
	if (!first || value_rank(x) != 4 || value_rank(y) != 4 || op_attr_ints(t, A_perm, &perm) != 6)
		return rw_no(rw, "no transpose of six axes between reshapes");
	bool is_dcr = !memcmp(perm, dcr, sizeof dcr), is_crd = !memcmp(perm, crd, sizeof crd);
	if (!is_dcr && !is_crd)
		return rw_no(rw, "the axes go elsewhere");
	if (is_crd && !rw_opset_at_least(rw, 11))
		return rw_no(rw, "that order of blocks and channels needs opset 11");
	const Sym *const *six = op_operand(t, 0)->type->dims, *const *in = x->type->dims, *const *out = y->type->dims;
	Context *c = rw->ctx;
	int64_t b = value_dim(op_operand(t, 0), is_dcr ? 1 : 2);
	const Sym *block = six[is_dcr ? 1 : 2], *channels = six[is_dcr ? 3 : 1];
	bool fits = b > 1 && six[is_dcr ? 2 : 3] == block && sym_known_eq(six[0], in[0]) && sym_known_eq(six[4], in[2]) &&
			sym_known_eq(six[5], in[3]) && sym_known_eq(sym_mul(c, channels, sym_mul(c, block, block)), in[1]) &&
			sym_known_eq(out[0], in[0]) && sym_known_eq(out[1], channels) &&
			sym_known_eq(out[2], sym_mul(c, in[2], block)) &&
			sym_known_eq(out[3], sym_mul(c, in[3], block));
	if (!fits)
		return rw_no(rw, "the sizes are not those of blocks");
	return rw_replace_op(rw, root, rw_op1(rw, OP_depth_to_space, x, (RwAttr[]){ { A_blocksize, attr_int(c, b) },
			{ A_mode, attr_str(c, str(c, is_dcr ? "DCR" : "CRD")) }, { A_NONE, NULL } }));
}

static const Rule rules[] = {
	{ "gelu", "0.5 * x * (1 + erf(x / sqrt(2)))", "gelu(x)", OP_mul, CLASS_ROUNDING, 2, gelu, 10 * ROUNDED_CONSTANT },
	{ "gelu-divided", "x * (1 + erf(x / sqrt(2))) / 2", "gelu(x)", OP_div, CLASS_ROUNDING, 2, gelu,
		10 * ROUNDED_CONSTANT },
	{ "hard-swish", "x * hard_sigmoid(x)", "hard_swish(x)", OP_mul, CLASS_ROUNDING, 2, hard_swish,
		10 * ROUNDED_CONSTANT },
	{ "hard-swish-divided", "x * clamp(x + 3, 0, 6) / 6", "hard_swish(x)", OP_div, CLASS_ROUNDING, 2, hard_swish,
		10 * ROUNDED_CONSTANT },
	{ "hard-sigmoid", "clamp(x + 3, 0, 6) * (1/6)", "hard_sigmoid(x)", OP_mul, CLASS_ROUNDING, 2, hard_sigmoid,
		10 * ROUNDED_CONSTANT },
	{ "hard-sigmoid-divided", "clamp(x + 3, 0, 6) / 6", "hard_sigmoid(x)", OP_div, CLASS_ROUNDING, 2, hard_sigmoid,
		10 * ROUNDED_CONSTANT },
	{ "swish", "x * sigmoid(x)", "swish(x)", OP_mul, CLASS_ROUNDING, 2, swish, 10 * ROUNDED_CONSTANT },
	{ "mish", "x * tanh(softplus(x))", "mish(x)", OP_mul, CLASS_ROUNDING, 2, mish },
	{ "softplus", "log(1 + exp(x))", "softplus(x)", OP_log, CLASS_DOMAIN, 2, softplus },
	{ "softplus-log1p", "log1p(exp(x))", "softplus(x)", OP_log1p, CLASS_DOMAIN, 2, softplus },
	{ "softmax", "exp(x - max(x)) / sum(exp(x - max(x)))", "softmax(x)", OP_div, CLASS_ROUNDING, 2, softmax },
	{ "log-softmax", "log(softmax(x))", "log_softmax(x)", OP_log, CLASS_DOMAIN, 2, log_of_softmax },
	{ "reduce-elements", "reduce sum(x * x)", "reduce sum_square(x)", OP_reduce, CLASS_ROUNDING, 2,
		reduce_of_elements },
	{ "reduce-l2", "sqrt(reduce sum_square(x))", "reduce l2(x)", OP_sqrt, CLASS_ROUNDING, 2, norm_of_squares },
	{ "reduce-log-sum", "log(reduce sum(x))", "reduce log_sum(x)", OP_log, CLASS_ROUNDING, 2, log_of_sum },
	{ "reduce-mean-factor", "reduce sum(x) * (1/n)", "reduce mean(x)", OP_mul, CLASS_ROUNDING, 2, mean_of_sum,
		10 * ROUNDED_CONSTANT },
	{ "reduce-mean-divided", "reduce sum(x) / n", "reduce mean(x)", OP_div, CLASS_ROUNDING, 2, mean_of_sum },
	{ "reduce-unsqueeze", "unsqueeze(reduce(x))", "reduce(x) keepdims", OP_unsqueeze, CLASS_EXACT, 1, keep_or_drop },
	{ "reduce-squeeze", "squeeze(reduce(x) keepdims)", "reduce(x)", OP_squeeze, CLASS_EXACT, 1, keep_or_drop },
	{ "reduce-reshape", "reshape(reduce(x))", "reduce(x)", OP_reshape, CLASS_EXACT, 1, keep_or_drop },
	{ "pool-flatten", "flatten(global_avg_pool(x))", "reduce mean(x)", OP_flatten, CLASS_ROUNDING, 2, flat_pool },
	{ "pool-squeeze", "squeeze(global_avg_pool(x))", "reduce mean(x)", OP_squeeze, CLASS_ROUNDING, 2, flat_pool },
	{ "pool-reshape", "reshape(global_avg_pool(x))", "reduce mean(x)", OP_reshape, CLASS_ROUNDING, 2, flat_pool },
	{ "layer-norm-divided", "(x - mean) / sqrt(variance + eps)", "layer_norm(x, 1)", OP_div, CLASS_ROUNDING, 2,
		fuse_layer_norm },
	{ "layer-norm-multiplied", "(x - mean) * rsqrt(variance + eps)", "layer_norm(x, 1)", OP_mul, CLASS_ROUNDING, 2,
		fuse_layer_norm },
	{ "rms-norm-divided", "x / sqrt(mean(x * x) + eps)", "rms_norm(x, 1)", OP_div, CLASS_ROUNDING, 2, fuse_rms_norm },
	{ "rms-norm-multiplied", "x * rsqrt(mean(x * x) + eps)", "rms_norm(x, 1)", OP_mul, CLASS_ROUNDING, 2,
		fuse_rms_norm },
	{ "depth-to-space", "reshape(transpose(reshape(x)))", "depth_to_space(x)", OP_reshape, CLASS_EXACT, 1,
		depth_to_space },
};

const RuleSet RULES_FUSE = { "fuse", rules, ARRAY_LEN(rules) };

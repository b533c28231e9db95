#include "raise_int.h"

#include <math.h>
#include <string.h>

/* Expansions into simpler core ops, for opsets that lack the operator. Intermediate values have the type of the result
 * unless set otherwise. */

static Value *typed(Value *v, const Type *t)
{
	value_set_type(v, t);
	return v;
}

static Value *op1(Lg *l, OpKind k, Value *x)
{
	return typed(lg_new1(l, k, x, NULL), x->type);
}

/* x combined with a scalar. */
static Value *op_scalar(Lg *l, OpKind k, Value *x, DType d, double v)
{
	return typed(lg_new2(l, k, x, rz_float(l, d, v), NULL), x->type);
}

static Value *op2(Lg *l, OpKind k, Value *a, Value *b)
{
	return typed(lg_new2(l, k, a, b, NULL), a->type);
}

static bool become2(Lg *l, OpKind k, Value *a, Value *b)
{
	return lg_become(l, k, (Value *[]){ a, b }, 2, NULL);
}

/* Opset 8: the value spread over the shape. */
bool ex_fill(Lg *l, OpKind onnx)
{
	(void)onnx;
	const Attr *t = lg_attr(l, A_value);
	if (l->opset < 8)
		return false;
	Value *v = t ? constant_from_attr(l->pool->f->body, NULL, t) : rz_float(l, DT_F32, 0);
	return become2(l, OP_expand, v, lg_in(l, 0));
}

bool ex_rsqrt(Lg *l, OpKind onnx)
{
	(void)onnx;
	return lg_become(l, OP_reciprocal, (Value *[]){ op1(l, OP_sqrt, lg_in(l, 0)) }, 1, NULL);
}

/* sign(x) * |x|^(1/3) */
bool ex_cbrt(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	if (!rz_dtype(l, &d))
		return false;
	Value *x = lg_in(l, 0);
	Value *sign = op1(l, OP_sign, x), *root = op_scalar(l, OP_pow, op1(l, OP_abs, x), d, 1.0 / 3.0);
	return become2(l, OP_mul, sign, root);
}

bool ex_expm1(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	if (!rz_dtype(l, &d))
		return false;
	Value *power = op1(l, OP_exp, lg_in(l, 0));
	return become2(l, OP_sub, power, rz_float(l, d, 1));
}

bool ex_log1p(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	if (!rz_dtype(l, &d))
		return false;
	return lg_become(l, OP_log, (Value *[]){ op_scalar(l, OP_add, lg_in(l, 0), d, 1) }, 1, NULL);
}

/* floor(|x|), plus one when at least half is left, with the sign of x */
bool ex_round_away(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	if (!rz_dtype(l, &d))
		return false;
	Value *x = lg_in(l, 0), *size = op1(l, OP_abs, x), *whole = op1(l, OP_floor, size);
	Value *rest = op2(l, OP_sub, size, whole);
	Value *up = typed(lg_new2(l, OP_ge, rest, rz_float(l, d, 0.5), NULL), type_with_dtype(l->c, x->type, DT_BOOL));
	Value *one = typed(lg_new1(l, OP_cast, up, (RwAttr[]){ { A_to, attr_dtype(l->c, d) }, { A_NONE, NULL } }), x->type);
	Value *sign = op1(l, OP_sign, x);
	return become2(l, OP_mul, sign, op2(l, OP_add, whole, one));
}

bool ex_hard_swish(Lg *l, OpKind onnx)
{
	(void)onnx;
	Value *x = lg_in(l, 0);
	Value *gate = typed(lg_new1(l, OP_hard_sigmoid, x, (RwAttr[]){ { A_alpha, lg_float(l, 1.0 / 6.0) },
			{ A_beta, lg_float(l, 0.5) }, { A_NONE, NULL } }), x->type);
	return become2(l, OP_mul, x, gate);
}

bool ex_swish(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	double alpha = op_float(l->op, A_alpha);
	Value *x = lg_in(l, 0), *scaled = x;
	if (alpha != 1) {
		if (!rz_dtype(l, &d))
			return false;
		scaled = op_scalar(l, OP_mul, x, d, alpha);
	}
	return become2(l, OP_mul, x, op1(l, OP_sigmoid, scaled));
}

bool ex_mish(Lg *l, OpKind onnx)
{
	(void)onnx;
	Value *x = lg_in(l, 0);
	return become2(l, OP_mul, x, op1(l, OP_tanh, op1(l, OP_softplus, x)));
}

/* alpha * elu(x / alpha) with elu's alpha 1 is max(0, x) + min(0, alpha (exp(x / alpha) - 1)) for alpha > 0 */
bool ex_celu(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	double alpha = op_float(l->op, A_alpha);
	if (alpha <= 0)
		return rz_no(l, "attribute 'alpha' is not positive, and that opset lacks the operator");
	if (alpha == 1)
		return lg_become_same(l, OP_elu, NULL);
	if (!rz_dtype(l, &d))
		return false;
	Value *inner = op1(l, OP_elu, op_scalar(l, OP_div, lg_in(l, 0), d, alpha));
	return become2(l, OP_mul, inner, rz_float(l, d, alpha));
}

/* x/2 (1 + erf(x/sqrt 2)), or x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
bool ex_gelu(Lg *l, OpKind onnx)
{
	DType d;
	(void)onnx;
	if (!rz_dtype(l, &d))
		return false;
	Value *x = lg_in(l, 0), *gate;
	if (!strcmp(op_text(l->op, A_approximate), "tanh")) {
		Value *cube = op2(l, OP_mul, op2(l, OP_mul, x, x), x);
		Value *sum = op2(l, OP_add, x, op_scalar(l, OP_mul, cube, d, 0.044715));
		gate = op1(l, OP_tanh, op_scalar(l, OP_mul, sum, d, 0.79788456080286535588));
	} else if (l->opset >= 9) {
		gate = op1(l, OP_erf, op_scalar(l, OP_mul, x, d, 0.70710678118654752440));
	} else {
		return false;
	}
	Value *half = op_scalar(l, OP_mul, x, d, 0.5), *sum = op_scalar(l, OP_add, gate, d, 1);
	return become2(l, OP_mul, half, sum);
}

bool ex_isfinite(Lg *l, OpKind onnx)
{
	(void)onnx;
	Value *x = lg_in(l, 0);
	const Type *t = type_is_tensor(x->type) ? type_with_dtype(l->c, x->type, DT_BOOL) : type_unknown(l->c);
	Value *nan = typed(lg_new1(l, OP_isnan, x, NULL), t), *inf = typed(lg_new1(l, OP_isinf, x, NULL), t);
	return lg_become(l, OP_not, (Value *[]){ op2(l, OP_or, nan, inf) }, 1, NULL);
}

bool ex_ne(Lg *l, OpKind onnx)
{
	(void)onnx;
	Value *same = lg_new2(l, OP_eq, lg_in(l, 0), lg_in(l, 1), NULL);
	return lg_become(l, OP_not, (Value *[]){ typed(same, l->op->results[0]->type) }, 1, NULL);
}

/* Not the negation of the opposite: both are false for NaN. */
bool ex_le(Lg *l, OpKind onnx)
{
	(void)onnx;
	OpKind strict = op_is(l->op, OP_le) ? OP_lt : OP_gt;
	Value *a = lg_in(l, 0), *b = lg_in(l, 1);
	const Type *t = l->op->results[0]->type;
	Value *over = typed(lg_new2(l, strict, a, b, NULL), t), *same = typed(lg_new2(l, OP_eq, a, b, NULL), t);
	return become2(l, OP_or, over, same);
}

/* A slice from the last element down. */
bool ex_reverse(Lg *l, OpKind onnx)
{
	(void)onnx;
	const int64_t *axes;
	size_t n = op_attr_ints(l->op, A_axes, &axes);
	if (l->opset < 10)
		return false;
	int64_t *v = NEW_ARRAY(l->a, int64_t, 2 * n + 1);
	for (size_t i = 0; i < n; i++) {
		v[i] = -1;
		v[n + i] = INT64_MIN + 1;
	}
	Value *minus = rz_ints(l, v, n);
	return lg_become(l, OP_slice, (Value *[]){ lg_in(l, 0), minus, rz_ints(l, v + n, n), minus }, 4,
			(RwAttr[]){ { A_axes, lg_attr(l, A_axes) }, { A_NONE, NULL } });
}

/* Letters of one operand of a dot: batch and contracted dims get the letters of their pair. False when a dim is not one. */
static bool dot_letters(char *text, int rank, const int64_t *batch, size_t nb, const int64_t *contract, size_t nc, int *next)
{
	memset(text, 0, (size_t)rank + 1);
	for (size_t i = 0; i < nb + nc; i++) {
		int64_t dim = i < nb ? batch[i] : contract[i - nb];
		if (dim < 0 || dim >= rank || text[dim])
			return false;
		text[dim] = (char)('a' + i);
	}
	for (int i = 0; i < rank; i++)
		if (!text[i])
			text[i] = (char)('a' + (*next)++);
	return true;
}

/* As einsum: batch dims, then the free dims of a, then those of b. */
bool ex_dot_general(Lg *l, OpKind onnx)
{
	(void)onnx;
	const int64_t *ba, *bb, *ca, *cb;
	size_t nb = op_attr_ints(l->op, A_lhs_batch, &ba), nc = op_attr_ints(l->op, A_lhs_contract, &ca);
	size_t nb2 = op_attr_ints(l->op, A_rhs_batch, &bb), nc2 = op_attr_ints(l->op, A_rhs_contract, &cb);
	int ra = lg_rank(lg_in(l, 0)), rb = lg_rank(lg_in(l, 1)), next = (int)(nb + nc);
	char a[MAX_RANK + 1], b[MAX_RANK + 1], out[2 * MAX_RANK + 1];
	if (l->opset < 12)
		return false;
	if (ra < 0 || rb < 0 || ra + rb - (int)(nb + nc) > 26 || nb != nb2 || nc != nc2)
		return rz_no(l, "the ranks are not known or too high");
	if (!dot_letters(a, ra, ba, nb, ca, nc, &next) || !dot_letters(b, rb, bb, nb, cb, nc, &next))
		return rz_no(l, "its dimensions are not those of the operands");
	size_t n = 0;
	for (size_t i = 0; i < nb; i++)
		out[n++] = (char)('a' + i);
	for (int i = 0; i < ra; i++)
		if (a[i] >= 'a' + (int)(nb + nc))
			out[n++] = a[i];
	for (int i = 0; i < rb; i++)
		if (b[i] >= 'a' + (int)(nb + nc))
			out[n++] = b[i];
	out[n] = 0;
	const Str *equation = str_fmt(l->c, "%s,%s->%s", a, b, out);
	return lg_become_same(l, OP_einsum, (RwAttr[]){ { A_equation, attr_str(l->c, equation) }, { A_NONE, NULL } });
}

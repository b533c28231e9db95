/* Matrix products: maps into weights, products with a bias as gemm, transposes into gemm, plain einsums. */
#include "affine_int.h"
#include "rules.h"

#include <string.h>

/* ---- product + bias ---- */

/* c broadcasts to the product's result without enlarging it, as the C of a gemm must. */
static bool is_gemm_bias(Rw *rw, const Value *c, const Value *product)
{
	int rank = value_rank(c);
	if (rank < 1 || rank > 2 || value_rank(product) != 2)
		return rw_no(rw, "the summand is not of rank 1 or 2");
	for (int i = 0; i < rank; i++) {
		const Sym *have = c->type->dims[i], *want = product->type->dims[i + 2 - rank];
		if (!sym_is(have, 1) && !sym_known_eq(have, want))
			return rw_no(rw, "the summand may enlarge the product");
	}
	return true;
}

static bool gemm_has_room(Rw *rw, const Op *gemm)
{
	const Value *c = op_operand(gemm, 2);
	return !c || op_float(gemm, A_beta) == 0 || constant_all(c, 0) || rw_no(rw, "the gemm has a bias already");
}

/* add(matmul(a, b), c) and add(gemm(a, b), c), all of rank 2. */
static bool add_to_gemm(Rw *rw, Op *add)
{
	if (!value_is_float(add->results[0]))
		return rw_no(rw, "not a float sum");
	for (size_t i = 0; i < 2; i++) {
		Value *p = op_operand(add, i), *c = op_operand(add, 1 - i);
		Op *matmul = live_def(p, OP_matmul), *gemm = live_def(p, OP_gemm), *op = matmul ? matmul : gemm;
		if (!op || p == c || value_dtype(c) != value_dtype(p) || !rw_may_rebuild(rw, p) || !is_gemm_bias(rw, c, p))
			continue;
		if (matmul && (value_rank(op_operand(op, 0)) != 2 || value_rank(op_operand(op, 1)) != 2)) {
			rw_no(rw, "the product is not of rank 2");
			continue;
		}
		if (gemm && !gemm_has_room(rw, op))
			continue;
		Value *y = rw_op3(rw, OP_gemm, op_operand(op, 0), op_operand(op, 1), c,
				(RwAttr[]){ { A_trans_a, gemm ? op_attr(op, A_trans_a) : NULL },
						{ A_trans_b, gemm ? op_attr(op, A_trans_b) : NULL },
				{ gemm ? A_alpha : A_trans_a, gemm ? op_attr(op, A_alpha) : NULL }, { A_NONE, NULL } });
		rw_take_name(y, op);
		return rw_replace_op(rw, add, y);
	}
	return false;
}

static bool drop_zero_c(Rw *rw, Op *gemm)
{
	Value *c = op_operand(gemm, 2);
	if (!c)
		return rw_no(rw, "no bias");
	if (op_float(gemm, A_beta) != 0 && !constant_all(c, 0))
		return rw_no(rw, "the bias is not zero");
	return rw_set_operand(rw, gemm, 2, NULL);
}

/* alpha goes into a constant operand, beta into a constant C. */
static bool fold_alpha(Rw *rw, Op *gemm)
{
	double alpha = op_float(gemm, A_alpha);
	if (alpha == 1 || !value_is_float(gemm->results[0]))
		return rw_no(rw, "alpha is 1");
	size_t side = value_is_constant(op_operand(gemm, 1)) ? 1 : 0;
	Value *w = op_operand(gemm, side);
	if (!rw_is_constant(rw, w, "neither operand") || !affine_may_change(rw, w))
		return false;
	Value *scaled = rw_op2(rw, OP_mul, w, rw_float(rw, value_dtype(w), alpha), NULL);
	return rw_replace_op(rw, gemm, rw_copy_set(rw, gemm, side, scaled, A_alpha, NULL));
}

static bool fold_beta(Rw *rw, Op *gemm)
{
	double beta = op_float(gemm, A_beta);
	Value *c = op_operand(gemm, 2);
	if (!c || beta == 1 || beta == 0 || !value_is_float(c))
		return rw_no(rw, "beta is 1 or there is no bias");
	if (!rw_is_constant(rw, c, "the bias"))
		return false;
	Value *scaled = rw_op2(rw, OP_mul, c, rw_float(rw, value_dtype(c), beta), NULL);
	return rw_replace_op(rw, gemm, rw_copy_set(rw, gemm, 2, scaled, A_beta, NULL));
}

/* ---- transposes ---- */

/* The operand of a rank 2 transpose that swaps, else NULL. */
static Value *swapped(const Value *v)
{
	int perm[MAX_RANK];
	Op *t = live_def(v, OP_transpose);
	if (!t || value_rank(op_operand(t, 0)) != 2 || !op_perm(t, 2, perm) || perm[0] != 1)
		return NULL;
	return op_operand(t, 0);
}

static bool transpose_into_gemm(Rw *rw, Op *gemm)
{
	for (size_t i = 0; i < 2; i++) {
		Value *x = swapped(op_operand(gemm, i));
		AttrName name = i ? A_trans_b : A_trans_a;
		if (!x)
			continue;
		const Attr *flipped = op_int(gemm, name) ? NULL : attr_int(rw->ctx, 1);
		return rw_replace_op(rw, gemm, rw_copy_set(rw, gemm, i, x, name, flipped));
	}
	return rw_no(rw, "no operand is a transpose");
}

static bool transpose_into_matmul(Rw *rw, Op *matmul)
{
	Value *a = op_operand(matmul, 0), *b = op_operand(matmul, 1), *ta = swapped(a), *tb = swapped(b);
	if (value_rank(a) != 2 || value_rank(b) != 2 || !value_is_float(a))
		return rw_no(rw, "the operands are not float matrices of rank 2");
	if (ta && !rw_single_use(rw, a))
		ta = NULL;
	if (tb && !rw_single_use(rw, b))
		tb = NULL;
	if (!ta && !tb)
		return rw_no(rw, "no operand is a transpose of its own");
	Value *y = rw_op2(rw, OP_gemm, ta ? ta : a, tb ? tb : b,
			(RwAttr[]){ { A_trans_a, ta ? attr_int(rw->ctx, 1) : NULL },
			{ A_trans_b, tb ? attr_int(rw->ctx, 1) : NULL }, { A_NONE, NULL } });
	rw_take_name(y, matmul);
	return rw_replace_op(rw, matmul, y);
}

/* transpose(A' B' + C) = B'^T A'^T + C^T */
static bool transpose_of_product(Rw *rw, Op *transpose)
{
	Value *p = swapped(transpose->results[0]);
	Op *gemm = live_def(p, OP_gemm), *op = gemm ? gemm : live_def(p, OP_matmul);
	if (!op || !value_is_float(p))
		return rw_no(rw, "no transposed product of rank 2");
	Value *a = op_operand(op, 0), *b = op_operand(op, 1), *c = op_operand(op, 2);
	if (value_rank(a) != 2 || value_rank(b) != 2 || !rw_may_rebuild(rw, p))
		return false;
	if (c && !rw_is_constant(rw, c, "the bias"))
		return false;
	if (c && value_rank(c) == 1) {
		int64_t dims[2] = { value_dim(c, 0), 1 };
		if (dims[0] < 0)
			return rw_no(rw, "the bias has no known size");
		c = rw_reshape_to(rw, c, 2, dims);
	} else if (c && value_rank(c) == 2) {
		c = rw_transpose(rw, c, (int[]){ 1, 0 }, 2);
	} else if (c && value_rank(c) != 0) {
		return rw_no(rw, "the bias has no known rank");
	}
	bool ta = gemm && op_int(op, A_trans_a), tb = gemm && op_int(op, A_trans_b);
	const RwAttr attrs[] = { { A_trans_a, tb ? NULL : attr_int(rw->ctx, 1) },
			{ A_trans_b, ta ? NULL : attr_int(rw->ctx, 1) },
		{ gemm ? A_alpha : A_trans_a, gemm ? op_attr(op, A_alpha) : NULL },
		{ gemm ? A_beta : A_trans_a, gemm ? op_attr(op, A_beta) : NULL }, { A_NONE, NULL } };
	Value *y = rw_op3(rw, OP_gemm, b, a, c, attrs);
	rw_take_name(y, op);
	return rw_replace_op(rw, transpose, y);
}

/* ---- reshapes around a product ---- */

static bool same_dims(const Type *a, const Type *b, int n)
{
	for (int i = 0; i < n; i++)
		if (!sym_known_eq(a->dims[i], b->dims[i]))
			return false;
	return true;
}

/* reshape(matmul(reshape(x, [-1, k]), w), [..., n]) is matmul(x, w): the leading axes need not be merged. A gemm with a
 * bias becomes a product and a sum, still one op less. */
static bool reshape_product_reshape(Rw *rw, Op *outer)
{
	Value *p = op_operand(outer, 0);
	Op *gemm = live_def(p, OP_gemm), *op = gemm ? gemm : live_def(p, OP_matmul);
	if (!op)
		return rw_no(rw, "no product below the reshape");
	Op *inner = live_def(op_operand(op, 0), OP_reshape);
	Value *w = op_operand(op, 1), *c = op_operand(op, 2), *y = outer->results[0];
	if (!inner || !rw_may_rebuild(rw, p) || !rw_single_use(rw, inner->results[0]))
		return false;
	Value *x = op_operand(inner, 0);
	int rank = value_rank(x);
	if (rank < 3 || value_rank(y) != rank || value_rank(inner->results[0]) != 2 || value_rank(w) != 2)
		return rw_no(rw, "the ranks do not fit");
	if (!same_dims(x->type, y->type, rank - 1) || !sym_known_eq(x->type->dims[rank - 1],
			inner->results[0]->type->dims[1]))
		return rw_no(rw, "the reshapes do more than to merge leading axes");
	if (gemm && (op_int(op, A_trans_a) || op_float(op, A_alpha) != 1 || (c && op_float(op, A_beta) != 1)))
		return rw_no(rw, "the gemm scales or transposes");
	bool trans = gemm && op_int(op, A_trans_b);
	if (trans && !rw_is_constant(rw, w, "the transposed weight"))
		return false;
	if (!sym_known_eq(y->type->dims[rank - 1], w->type->dims[trans ? 0 : 1]))
		return rw_no(rw, "the last axis is not the product's");
	if (c && (value_rank(c) != 1 || !sym_known_eq(c->type->dims[0], y->type->dims[rank - 1])))
		return rw_no(rw, "the bias is not one number a column");
	if (trans)
		w = rw_transpose(rw, w, (int[]){ 1, 0 }, 2);
	Value *z = rw_op2(rw, OP_matmul, x, w, NULL);
	rw_take_name(z, op);
	return rw_replace_op(rw, outer, c ? rw_op2(rw, OP_add, z, c, NULL) : z);
}

/* ---- einsum ---- */

typedef struct Einsum {
	char in[2][MAX_RANK + 1], out[MAX_RANK + 1];
	int n; /* operands */
} Einsum;

/* "ij,jk->ik" without ellipsis and with every letter once a term; an implicit result is the letters that occur once. */
static bool parse_einsum(const char *s, size_t operands, Einsum *e)
{
	char *to = e->in[0];
	size_t at = 0;
	bool explicit_out = false;
	memset(e, 0, sizeof *e);
	e->n = 1;
	for (; *s; s++) {
		if (*s == ' ')
			continue;
		if (*s == ',' && !explicit_out && e->n < 2) {
			to = e->in[e->n++];
			at = 0;
		} else if (*s == '-' && s[1] == '>' && !explicit_out) {
			explicit_out = true;
			to = e->out;
			at = 0;
			s++;
		} else if (((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')) && at < MAX_RANK && !memchr(to, *s, at)) {
			to[at++] = *s;
		} else {
			return false;
		}
	}
	for (int c = 'A'; c <= 'z' && !explicit_out; c++) {
		bool first = strchr(e->in[0], c) != NULL, second = e->n > 1 && strchr(e->in[1], c) != NULL;
		if (c && first != second)
			e->out[strlen(e->out)] = (char)c;
	}
	return (size_t)e->n == operands;
}

static bool einsum_one(Rw *rw, Op *op, const Einsum *e)
{
	size_t rank = strlen(e->in[0]), n = strlen(e->out), nreduced = 0;
	int perm[MAX_RANK];
	int64_t reduced[MAX_RANK];
	Value *x = op_operand(op, 0);
	if (value_rank(x) != (int)rank)
		return rw_no(rw, "the operand's rank is unknown");
	bool ordered = true;
	for (size_t i = 0; i < n; i++) {
		const char *at = strchr(e->in[0], e->out[i]);
		if (!at)
			return false;
		perm[i] = (int)(at - e->in[0]);
		ordered &= i == 0 || perm[i] > perm[i - 1];
	}
	if (n == rank)
		return rw_replace_op(rw, op, ordered ? x : rw_transpose(rw, x, perm, (int)rank));
	if (!ordered)
		return rw_no(rw, "it transposes and sums");
	for (size_t i = 0; i < rank; i++)
		if (!strchr(e->out, e->in[0][i]))
			reduced[nreduced++] = (int64_t)i;
	return rw_replace_op(rw, op, rw_op1(rw, OP_reduce, x,
			(RwAttr[]){ { A_kind, attr_str(rw->ctx, str(rw->ctx, "sum")) },
			{ A_axes, rw_attr_ints(rw, reduced, nreduced) }, { A_keepdims, attr_int(rw->ctx, 0) }, { A_NONE, NULL } }));
}

/* Two terms: equal ones are a product of elements; else batch letters, rows, columns and one summed letter in the order
 * that matmul has them, or for matrices in an order that gemm has. */
static bool einsum_two(Rw *rw, Op *op, const Einsum *e)
{
	Value *a = op_operand(op, 0), *b = op_operand(op, 1);
	size_t n = strlen(e->out), na = strlen(e->in[0]), nb = strlen(e->in[1]);
	if (value_rank(a) != (int)na || value_rank(b) != (int)nb)
		return rw_no(rw, "an operand's rank is unknown");
	if (!strcmp(e->in[0], e->in[1]) && !strcmp(e->in[0], e->out))
		return rw_replace_op(rw, op, rw_op2(rw, OP_mul, a, b, NULL));
	if (n != na || n != nb || n < 2 || strncmp(e->out, e->in[0], n - 2) || strncmp(e->out, e->in[1], n - 2))
		return rw_no(rw, "the equation is no plain matrix product");
	for (int swap = 0; swap < 2; swap++) { /* out = rows of p, columns of q */
		const char *p = e->in[swap] + n - 2, *q = e->in[1 - swap] + n - 2, *o = e->out + n - 2;
		bool tp = p[1] == o[0], tq = q[0] == o[1];
		char inner = p[!tp];
		if (p[tp] != o[0] || q[!tq] != o[1] || q[tq] != inner || strchr(e->out, inner))
			continue;
		Value *x = swap ? b : a, *y = swap ? a : b;
		if (!tp && !tq)
			return rw_replace_op(rw, op, rw_op2(rw, OP_matmul, x, y, NULL));
		if (n != 2 || !value_is_float(a))
			return rw_no(rw, "it needs transposes of its own");
		return rw_replace_op(rw, op, rw_op2(rw, OP_gemm, x, y,
				(RwAttr[]){ { A_trans_a, tp ? attr_int(rw->ctx, 1) : NULL },
				{ A_trans_b, tq ? attr_int(rw->ctx, 1) : NULL }, { A_NONE, NULL } }));
	}
	return rw_no(rw, "the equation is no plain matrix product");
}

static bool plain_einsum(Rw *rw, Op *op)
{
	Einsum e;
	if (op->noperands > 2 || !parse_einsum(op_text(op, A_equation), op->noperands, &e))
		return rw_no(rw, "the equation is not a plain one");
	return e.n == 1 ? einsum_one(rw, op, &e) : einsum_two(rw, op, &e);
}

static const Rule rules[] = {
	{ "fold-before-gemm", "gemm(batch_norm(x), w, c)", "gemm(x, w*s, c+t*w)", OP_gemm, CLASS_ROUNDING, 2,
		affine_fold_down },
	{ "fold-before-matmul", "matmul(mul(x, s), w)", "matmul(x, s*w)", OP_matmul, CLASS_ROUNDING, 2, affine_fold_down },
	{ "fold-batch-norm-scale-before-gemm", "gemm(batch_norm(x), w)", "gemm(add(x, t/s), w*s)", OP_gemm, CLASS_ROUNDING, 2,
		affine_fold_scale_down },
	{ "fold-batch-norm-scale-before-matmul", "matmul(batch_norm(x), w)", "matmul(add(x, t/s), w*s)", OP_matmul,
		CLASS_ROUNDING, 2, affine_fold_scale_down },
	{ "matmul-add", "add(matmul(a, b), c)", "gemm(a, b, c)", OP_add, CLASS_ROUNDING, 2, add_to_gemm },
	{ "gemm-zero-bias", "gemm(a, b, 0)", "gemm(a, b)", OP_gemm, CLASS_ROUNDING, 2, drop_zero_c },
	{ "gemm-alpha", "gemm(a, w) alpha", "gemm(a, w*alpha)", OP_gemm, CLASS_ROUNDING, 2, fold_alpha },
	{ "gemm-beta", "gemm(a, w, c) beta", "gemm(a, w, c*beta)", OP_gemm, CLASS_ROUNDING, 2, fold_beta },
	{ "transpose-gemm", "gemm(transpose(a), b)", "gemm(a, b) trans_a", OP_gemm, CLASS_EXACT, 1, transpose_into_gemm },
	{ "transpose-matmul", "matmul(transpose(a), b)", "gemm(a, b) trans_a", OP_matmul, CLASS_EXACT, 1,
		transpose_into_matmul },
	{ "gemm-transpose", "transpose(gemm(a, b, c))", "gemm(b, a, transpose(c)) trans", OP_transpose, CLASS_ROUNDING, 2,
		transpose_of_product },
	{ "reshape-matmul-reshape", "reshape(matmul(reshape(x), w))", "matmul(x, w)", OP_reshape, CLASS_ROUNDING, 2,
		reshape_product_reshape },
	{ "plain-einsum", "einsum(a, b) ij,jk->ik", "matmul(a, b)", OP_einsum, CLASS_ROUNDING, 2, plain_einsum },
};

const RuleSet RULES_MATMUL = { "matmul", rules, ARRAY_LEN(rules) };

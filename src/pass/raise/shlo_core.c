#include "shlo_int.h"

#include <math.h>
#include <string.h>

/* Core ops that StableHLO has no op for, from simpler core ops, which are raised in turn. Broadcasting against scalars is
 * left to those, so that sizes may be unknown. */

static Value *constant_like(Lg *l, const Value *x, double v)
{
	DType d = x->type->dtype;
	int64_t i = (int64_t)v;
	if (dtype_is_float(d))
		return lg_const_float(l, d, v);
	Value *c = constant_from_ints(l->op->block, l->op, d, 0, NULL, &i);
	c->def->made = true;
	return c;
}

static Value *un(Lg *l, OpKind k, Value *x)
{
	return sh_core1(l, k, x, NULL);
}

static Value *bin(Lg *l, OpKind k, Value *x, Value *y)
{
	return sh_core2(l, k, x, y, NULL);
}

/* x with a number of its own type. */
static Value *num(Lg *l, OpKind k, Value *x, double v)
{
	return sh_core2(l, k, x, constant_like(l, x, v), NULL);
}

static Value *pick(Lg *l, Value *cond, Value *a, Value *b)
{
	return sh_core(l, OP_select, (Value *[]){ cond, a, b }, 3, NULL);
}

static Value *cast(Lg *l, Value *x, DType d)
{
	return x->type->dtype == d ? x : sh_core1(l, OP_cast, x, sh_attr(l, A_to, attr_dtype(l->c, d)));
}

/* y for the first result, which the others share when nobody uses them. */
static bool done(Lg *l, Value *y)
{
	bool conflict = false;
	Value **all = NEW_ARRAY(l->a, Value *, l->op->nresults + 1);
	if (!y || !lg_unused_results(l, 1))
		return y ? rz_no(l, "one of its further results is used") : sh_needs_shape(l);
	const Type *t = type_refine(l->c, sh_result(l), y->type, &conflict);
	if (!conflict && y->def && y->def->made)
		value_set_type(y, t);
	for (size_t i = 0; i < l->op->nresults; i++)
		all[i] = y;
	return lg_replace(l, all, l->op->nresults);
}

static bool ready(Lg *l)
{
	int rank;
	return sh_ranked(lg_in(l, 0), &rank) || sh_needs_shape(l);
}

/* ---- activations ---- */

bool sh_relu(Lg *l, OpKind to)
{
	(void)to;
	return ready(l) && done(l, num(l, OP_max, lg_in(l, 0), 0));
}

bool sh_reciprocal(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	(void)to;
	return ready(l) && done(l, bin(l, OP_div, constant_like(l, x, 1), x));
}

bool sh_isnan(Lg *l, OpKind to)
{
	(void)to;
	return ready(l) && done(l, bin(l, OP_ne, lg_in(l, 0), lg_in(l, 0)));
}

bool sh_isinf(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	bool up = op_int(l->op, A_detect_positive) != 0, down = op_int(l->op, A_detect_negative) != 0;
	(void)to;
	if (!ready(l))
		return false;
	if (up && down)
		return done(l, num(l, OP_eq, un(l, OP_abs, x), INFINITY));
	if (!up && !down)
		return done(l, bin(l, OP_lt, x, x)); /* never */
	return done(l, num(l, OP_eq, x, up ? INFINITY : -INFINITY));
}

static Value *swish(Lg *l, Value *x, double alpha)
{
	return bin(l, OP_mul, x, un(l, OP_sigmoid, alpha == 1 ? x : num(l, OP_mul, x, alpha)));
}

bool sh_swish(Lg *l, OpKind to)
{
	(void)to;
	return ready(l) && done(l, swish(l, lg_in(l, 0), op_float(l->op, A_alpha)));
}

/* x/2 (1 + erf(x/sqrt 2)), or with tanh(sqrt(2/pi) (x + 0.044715 x^3)). */
bool sh_gelu(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *z;
	const double cubic = 0.044715;
	(void)to;
	if (!ready(l))
		return false;
	if (strcmp(op_text(l->op, A_approximate), "tanh")) {
		z = un(l, OP_erf, num(l, OP_mul, x, M_SQRT1_2));
	} else {
		Value *cube = bin(l, OP_mul, x, bin(l, OP_mul, x, x));
		z = bin(l, OP_add, x, num(l, OP_mul, cube, cubic));
		z = un(l, OP_tanh, num(l, OP_mul, z, M_2_SQRTPI * M_SQRT1_2));
	}
	return done(l, bin(l, OP_mul, num(l, OP_mul, x, 0.5), num(l, OP_add, z, 1)));
}

bool sh_leaky_relu(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	(void)to;
	return ready(l) && done(l, pick(l, num(l, OP_lt, x, 0), num(l, OP_mul, x, op_float(l->op, A_alpha)), x));
}

static Value *elu(Lg *l, Value *x, double alpha)
{
	Value *low = un(l, OP_expm1, num(l, OP_min, x, 0));
	return pick(l, num(l, OP_gt, x, 0), x, alpha == 1 ? low : num(l, OP_mul, low, alpha));
}

bool sx_elu(Lg *l, OpKind to)
{
	(void)to;
	return ready(l) && done(l, elu(l, lg_in(l, 0), op_float(l->op, A_alpha)));
}

bool sx_selu(Lg *l, OpKind to)
{
	(void)to;
	return ready(l) &&
		done(l, num(l, OP_mul, elu(l, lg_in(l, 0), op_float(l->op, A_alpha)), op_float(l->op, A_gamma)));
}

/* max(0, x) + min(0, alpha (exp(x / alpha) - 1)) */
bool sx_celu(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	double alpha = op_float(l->op, A_alpha);
	(void)to;
	if (!ready(l))
		return false;
	Value *low = num(l, OP_mul, un(l, OP_expm1, num(l, OP_div, x, alpha)), alpha);
	return done(l, bin(l, OP_add, num(l, OP_max, x, 0), num(l, OP_min, low, 0)));
}

/* log(1 + exp x), from the side where the power is small. */
static Value *softplus(Lg *l, Value *x)
{
	Value *tail = un(l, OP_log1p, un(l, OP_exp, un(l, OP_neg, un(l, OP_abs, x))));
	return bin(l, OP_add, num(l, OP_max, x, 0), tail);
}

bool sx_softplus(Lg *l, OpKind to)
{
	(void)to;
	return ready(l) && done(l, softplus(l, lg_in(l, 0)));
}

bool sx_softsign(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	(void)to;
	return ready(l) && done(l, bin(l, OP_div, x, num(l, OP_add, un(l, OP_abs, x), 1)));
}

bool sx_thresholded(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	(void)to;
	return ready(l) && done(l, pick(l, num(l, OP_gt, x, op_float(l->op, A_alpha)), x, constant_like(l, x, 0)));
}

static Value *hard_sigmoid(Lg *l, Value *x, double alpha, double beta)
{
	return num(l, OP_max, num(l, OP_min, num(l, OP_add, num(l, OP_mul, x, alpha), beta), 1), 0);
}

bool sx_hard_sigmoid(Lg *l, OpKind to)
{
	(void)to;
	return ready(l) && done(l, hard_sigmoid(l, lg_in(l, 0), op_float(l->op, A_alpha), op_float(l->op, A_beta)));
}

bool sx_hard_swish(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	const double six = 6, half = 0.5;
	(void)to;
	return ready(l) && done(l, bin(l, OP_mul, x, hard_sigmoid(l, x, 1 / six, half)));
}

bool sx_mish(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	(void)to;
	return ready(l) && done(l, bin(l, OP_mul, x, un(l, OP_tanh, softplus(l, x))));
}

bool sx_shrink(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	double lambd = op_float(l->op, A_lambd), bias = op_float(l->op, A_bias);
	(void)to;
	if (!ready(l))
		return false;
	Value *above = pick(l, num(l, OP_gt, x, lambd), num(l, OP_sub, x, bias), constant_like(l, x, 0));
	return done(l, pick(l, num(l, OP_lt, x, -lambd), num(l, OP_add, x, bias), above));
}

bool sx_prelu(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	(void)to;
	return ready(l) && done(l, pick(l, num(l, OP_lt, x, 0), bin(l, OP_mul, x, lg_in(l, 1)), x));
}

/* ---- several operands ---- */

bool sh_nary(Lg *l, OpKind to)
{
	OpKind k = op_is(l->op, OP_max_n) ? OP_max : op_is(l->op, OP_min_n) ? OP_min : OP_add;
	Value *y = lg_in(l, 0);
	(void)to;
	for (size_t i = 1; i < l->op->noperands; i++)
		y = bin(l, k, y, lg_in(l, i));
	if (op_is(l->op, OP_mean_n) && l->op->noperands > 1)
		y = num(l, OP_div, y, (double)l->op->noperands);
	return y && lg_replace(l, &y, 1);
}

/* The rest of the division, moved to the divisor's sign. */
bool sx_mod(Lg *l, OpKind to)
{
	Value *a = lg_in(l, 0), *b = lg_in(l, 1);
	(void)to;
	if (!ready(l))
		return false;
	Value *r = bin(l, OP_fmod, a, b);
	if (dtype_class(lg_dtype(a)) == DC_UINT)
		return done(l, r);
	Value *other_sign = bin(l, OP_ne, num(l, OP_lt, r, 0), num(l, OP_lt, b, 0));
	return done(l, pick(l, bin(l, OP_and, num(l, OP_ne, r, 0), other_sign), bin(l, OP_add, r, b), r));
}

bool sx_dropout(Lg *l, OpKind to)
{
	Value *y[2] = { lg_in(l, 0), NULL };
	Value *training = lg_in(l, 2);
	int64_t on = 0;
	double ratio = 1;
	(void)to;
	if (!ready(l))
		return false;
	bool none = lg_in(l, 1) && constant_float(lg_in(l, 1), &ratio) && ratio == 0;
	if (training && !none && (!constant_int(training, &on) || on))
		return rz_no(l, "it drops elements at random");
	if (l->op->nresults > 1)
		y[1] = sh_full(l, type_with_dtype(l->c, y[0]->type, DT_BOOL), 1);
	return l->op->nresults > 1 && !y[1] ? sh_needs_shape(l) : lg_replace(l, y, l->op->nresults);
}

/* ---- random numbers: other ones of the same distribution ---- */

static void note_seed(Lg *l)
{
	if (op_attr(l->op, A_seed))
		diag_note(l->d, l->op->loc, "the seed is not kept: stablehlo.rng has none");
}

bool sh_random(Lg *l, OpKind to)
{
	const Type *t = sh_result(l);
	bool normal = op_is(l->op, OP_random_normal);
	double low = op_float(l->op, normal ? A_mean : A_low), high = op_float(l->op, normal ? A_scale : A_high);
	int64_t dims[MAX_RANK];
	if (!type_has_rank(t))
		return sh_needs_shape(l);
	note_seed(l);
	Value *shape = type_static_dims(t, dims) ? sh_ints_value(l, DT_I64, dims, (size_t)t->rank) : lg_in(l, 0);
	Value *in[] = { sh_number(l, t->dtype, low), sh_number(l, t->dtype, high), shape };
	const char *how = normal ? "NORMAL" : "UNIFORM";
	return sh_become(l, to, in, 3, sh_attr(l, A_rng_distribution, lg_text(l, how)));
}

/* True where a number from [0, 1) is below the probability. */
bool sx_bernoulli(Lg *l, OpKind to)
{
	Value *p = lg_in(l, 0);
	DType d = op_dtype(l->op, A_to) == DT_NONE ? lg_dtype(p) : op_dtype(l->op, A_to);
	(void)to;
	if (!ready(l))
		return false;
	note_seed(l);
	DType in = lg_dtype(p) == DT_F64 ? DT_F64 : DT_F32;
	Value *u = sh_core1(l, OP_random_uniform, sh_core1(l, OP_shape, p, NULL), sh_attr(l, A_to, attr_dtype(l->c, in)));
	return done(l, cast(l, bin(l, OP_lt, u, cast(l, p, in)), d));
}

/* ---- contraction ---- */

bool sh_gemm(Lg *l, OpKind to)
{
	int64_t lc = op_int(l->op, A_trans_a) ? 0 : 1, rc = op_int(l->op, A_trans_b) ? 1 : 0;
	double alpha = op_float(l->op, A_alpha), beta = op_float(l->op, A_beta);
	Value *c = lg_in(l, 2);
	(void)to;
	if (!ready(l))
		return false;
	Value *y = sh_core2(l, OP_dot_general, lg_in(l, 0), lg_in(l, 1), (RwAttr[]){
		{ A_lhs_contract, sh_ints(l, &lc, 1) }, { A_rhs_contract, sh_ints(l, &rc, 1) }, { A_NONE, NULL } });
	if (alpha != 1)
		y = num(l, OP_mul, y, alpha);
	if (c && beta != 0)
		y = bin(l, OP_add, y, beta == 1 ? c : num(l, OP_mul, c, beta));
	return done(l, y);
}

/* Places of the letters of one term; false when one repeats or there is an ellipsis. */
static bool letters_of(const char *term, size_t n, int at[26])
{
	memset(at, -1, 26 * sizeof *at);
	for (size_t i = 0; i < n; i++) {
		char c = (char)(term[i] | ('a' - 'A'));
		if (c < 'a' || c > 'z' || at[c - 'a'] >= 0)
			return false;
		at[c - 'a'] = (int)i;
	}
	return true;
}

typedef struct Einsum {
	const char *term[3];          /* operands, result */
	size_t len[3];
	int at[3][26];
} Einsum;

static bool einsum_form(const char *text, Einsum *e)
{
	char *plain = (char *)e->term[0];
	size_t n = 0;
	for (; *text; text++)
		if (*text != ' ')
			plain[n++] = *text;
	plain[n] = 0;
	char *comma = strchr(plain, ','), *arrow = strstr(plain, "->");
	if (!comma || !arrow || comma > arrow || strchr(comma + 1, ','))
		return false;
	e->term[1] = comma + 1;
	e->term[2] = arrow + 2;
	e->len[0] = (size_t)(comma - plain);
	e->len[1] = (size_t)(arrow - comma) - 1;
	e->len[2] = strlen(arrow + 2);
	for (int i = 0; i < 3; i++)
		if (!letters_of(e->term[i], e->len[i], e->at[i]))
			return false;
	return true;
}

/* Two operands: letters of both and of the result are batch, of both alone contracted; letters of one alone are summed. */
bool sh_einsum(Lg *l, OpKind to)
{
	const char *text = op_text(l->op, A_equation);
	Einsum e = { .term = { NEW_ARRAY(l->a, char, strlen(text) + 1) } };
	int64_t v[4][MAX_RANK], perm[MAX_RANK];
	size_t nb = 0, nc = 0, ns[2] = { 0, 0 }, n = 0;
	char order[2 * MAX_RANK + 1];
	(void)to;
	if (!ready(l) || l->op->noperands != 2 || !einsum_form(text, &e) || e.len[0] + e.len[1] > MAX_RANK)
		return rz_no(l, "its equation is not one of two operands with plain letters");
	for (int c = 0; c < 26; c++) {
		bool a = e.at[0][c] >= 0, b = e.at[1][c] >= 0, y = e.at[2][c] >= 0;
		if (a && b && y) {
			order[n++] = (char)('a' + c);
			v[0][nb] = e.at[0][c];
			v[1][nb++] = e.at[1][c];
		} else if (a && b) {
			v[2][nc] = e.at[0][c];
			v[3][nc++] = e.at[1][c];
		} else if ((a || b) && !y) {
			ns[b]++;
		}
	}
	if (ns[0] || ns[1])
		return rz_no(l, "a letter of one operand alone is summed");
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < e.len[i]; k++) {
			int c = (e.term[i][k] | ('a' - 'A')) - 'a';
			if (e.at[!i][c] < 0)
				order[n++] = (char)('a' + c);
		}
	Value *y = sh_core2(l, OP_dot_general, lg_in(l, 0), lg_in(l, 1), (RwAttr[]){
		{ A_lhs_batch, sh_ints(l, v[0], nb) }, { A_rhs_batch, sh_ints(l, v[1], nb) },
		{ A_lhs_contract, sh_ints(l, v[2], nc) }, { A_rhs_contract, sh_ints(l, v[3], nc) }, { A_NONE, NULL } });
	for (size_t k = 0; k < e.len[2]; k++)
		for (size_t i = 0; i < n; i++)
			if (order[i] == (e.term[2][k] | ('a' - 'A')))
				perm[k] = (int64_t)i;
	return done(l, sh_core1(l, OP_transpose, y, sh_attr(l, A_perm, sh_ints(l, perm, e.len[2]))));
}

/* x less its zero point, in i32; along `axis` when there is one for each (axis counts from the end, 0: none). */
static Value *centred(Lg *l, Value *x, Value *zero, int axis)
{
	x = cast(l, x, DT_I32);
	if (!zero)
		return x;
	zero = cast(l, zero, DT_I32);
	if (lg_rank(zero) == 1 && axis > 1) {
		int64_t column[] = { -1, 1 };
		zero = bin(l, OP_reshape, zero, lg_const_ints(l, column, 2));
	}
	return bin(l, OP_sub, x, zero);
}

bool sx_matmul_integer(Lg *l, OpKind to)
{
	(void)to;
	if (!ready(l))
		return false;
	Value *a = centred(l, lg_in(l, 0), lg_in(l, 2), 2), *b = centred(l, lg_in(l, 1), lg_in(l, 3), 1);
	return done(l, bin(l, OP_matmul, a, b));
}

/* Largest and smallest of an integer type as numbers. */
static void int_range(DType d, double *lo, double *hi)
{
	bool sign = dtype_class(d) == DC_INT;
	*hi = ldexp(1, dtype_bits(d) - sign) - 1;
	*lo = sign ? -*hi - 1 : 0;
}

/* A zero point that is absent, or 0 everywhere. */
static bool is_no_shift(const Value *zero)
{
	return !zero || constant_all(zero, 0);
}

/* round(x) + zero, cut to the type. */
static Value *to_integer(Lg *l, Value *x, Value *zero, DType d)
{
	double lo, hi;
	int_range(d, &lo, &hi);
	x = un(l, OP_round, x);
	if (!is_no_shift(zero))
		x = bin(l, OP_add, x, cast(l, zero, x->type->dtype));
	return cast(l, num(l, OP_min, num(l, OP_max, x, lo), hi), d);
}

/* Per-channel numbers along `axis` of something of this rank. */
static Value *along(Lg *l, Value *v, int rank, int64_t axis)
{
	int64_t dims[MAX_RANK];
	int at;
	if (!v || lg_rank(v) != 1 || rank < 1 || sym_is(v->type->dims[0], 1))
		return v && lg_rank(v) == 1 ? bin(l, OP_reshape, v, lg_const_ints(l, NULL, 0)) : v;
	if (!axis_norm(axis, rank, &at))
		return NULL;
	for (int i = 0; i < rank; i++)
		dims[i] = i == at ? -1 : 1;
	return bin(l, OP_reshape, v, lg_const_ints(l, dims, (size_t)rank));
}

bool sx_quantized_matmul(Lg *l, OpKind to)
{
	DType d = lg_dtype(lg_in(l, 7));
	Value *as = lg_in(l, 1), *bs = lg_in(l, 4), *ys = lg_in(l, 6);
	(void)to;
	if (!ready(l) || !dtype_is_integer(d) || lg_rank(as) < 0 || lg_rank(bs) < 0)
		return sh_needs_shape(l);
	Value *a = centred(l, lg_in(l, 0), lg_in(l, 2), 2), *b = centred(l, lg_in(l, 3), lg_in(l, 5), 1);
	if (lg_rank(as) == 1) {
		int64_t column[] = { -1, 1 };
		as = bin(l, OP_reshape, as, lg_const_ints(l, column, 2));
	}
	Value *scale = bin(l, OP_div, bin(l, OP_mul, as, bs), ys);
	Value *y = bin(l, OP_mul, cast(l, bin(l, OP_matmul, a, b), lg_dtype(scale)), scale);
	return done(l, to_integer(l, y, lg_in(l, 7), d));
}

/* The attributes of a convolution. */
static RwAttr *conv_attrs(Lg *l)
{
	RwAttr *list = NEW_ARRAY(l->a, RwAttr, 6);
	static const AttrName names[] = { A_strides, A_pads, A_dilations, A_groups, A_auto_pad };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		list[i] = (RwAttr){ names[i], op_attr(l->op, names[i]) };
	list[ARRAY_LEN(names)] = (RwAttr){ A_NONE, NULL };
	return list;
}

static Value *integer_conv(Lg *l, Value *x, Value *xz, Value *w, Value *wz)
{
	int rank = lg_rank(w);
	wz = along(l, wz, rank, 0);
	Value *a = centred(l, x, along(l, xz, 0, 0), 0), *b = centred(l, w, wz, 0);
	return sh_core(l, OP_conv, (Value *[]){ a, b }, 2, conv_attrs(l));
}

bool sh_conv_integer(Lg *l, OpKind to)
{
	(void)to;
	return ready(l) && done(l, integer_conv(l, lg_in(l, 0), lg_in(l, 2), lg_in(l, 1), lg_in(l, 3)));
}

bool sx_quantized_conv(Lg *l, OpKind to)
{
	DType d = lg_dtype(lg_in(l, 7));
	int rank = lg_rank(lg_in(l, 0));
	(void)to;
	if (!ready(l) || !dtype_is_integer(d))
		return sh_needs_shape(l);
	Value *y = integer_conv(l, lg_in(l, 0), lg_in(l, 2), lg_in(l, 3), lg_in(l, 5));
	if (lg_in(l, 8))
		y = bin(l, OP_add, y, along(l, lg_in(l, 8), rank, 1));
	Value *scale = bin(l, OP_div, bin(l, OP_mul, along(l, lg_in(l, 1), 0, 0), along(l, lg_in(l, 4), rank, 1)),
		along(l, lg_in(l, 6), 0, 0));
	y = bin(l, OP_mul, cast(l, y, lg_dtype(scale)), scale);
	return done(l, to_integer(l, y, along(l, lg_in(l, 7), 0, 0), d));
}

/* ---- quantisation ---- */

bool sx_quantize(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *zero = lg_in(l, 2);
	DType d = sh_result(l)->dtype, work = lg_dtype(x) == DT_F64 ? DT_F64 : DT_F32;
	int rank;
	(void)to;
	if (!sh_ranked(x, &rank) || op_int(l->op, A_block_size) > 0 || !dtype_is_integer(d) || lg_rank(lg_in(l, 1)) < 0)
		return rz_no(l, "of its blocks, or its type is no integer");
	Value *scale = along(l, cast(l, lg_in(l, 1), work), rank, op_int(l->op, A_axis));
	zero = is_no_shift(zero) ? NULL : along(l, zero, rank, op_int(l->op, A_axis));
	return scale && done(l, to_integer(l, bin(l, OP_div, cast(l, x, work), scale), zero, d));
}

bool sx_dequantize(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0), *zero = lg_in(l, 2);
	int rank;
	(void)to;
	if (!sh_ranked(x, &rank) || op_int(l->op, A_block_size) > 0 || lg_rank(lg_in(l, 1)) < 0)
		return rz_no(l, "of its blocks");
	DType d = lg_dtype(lg_in(l, 1)), work = d == DT_F16 || d == DT_BF16 ? DT_F32 : d;
	Value *scale = along(l, cast(l, lg_in(l, 1), work), rank, op_int(l->op, A_axis));
	zero = is_no_shift(zero) ? NULL : along(l, zero, rank, op_int(l->op, A_axis));
	x = cast(l, x, dtype_is_integer(lg_dtype(x)) ? DT_I32 : work);
	if (zero)
		x = bin(l, OP_sub, x, cast(l, zero, lg_dtype(x)));
	return scale && done(l, cast(l, bin(l, OP_mul, cast(l, x, work), scale), sh_result(l)->dtype));
}

/* To u8, over the range of the data with 0 inside. */
bool sx_dynamic_quantize(Lg *l, OpKind to)
{
	Value *x = lg_in(l, 0);
	const double levels = 255;
	(void)to;
	if (!ready(l))
		return false;
	RwAttr most[] = { { A_kind, lg_text(l, "max") }, { A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } };
	RwAttr least[] = { { A_kind, lg_text(l, "min") }, { A_keepdims, lg_int(l, 0) }, { A_NONE, NULL } };
	Value *hi = num(l, OP_max, sh_core1(l, OP_reduce, x, most), 0);
	Value *lo = num(l, OP_min, sh_core1(l, OP_reduce, x, least), 0);
	Value *scale = num(l, OP_div, bin(l, OP_sub, hi, lo), levels);
	Value *empty = num(l, OP_eq, scale, 0), *by = pick(l, empty, constant_like(l, x, 1), scale);
	Value *zero = to_integer(l, un(l, OP_neg, bin(l, OP_div, lo, by)), NULL, DT_U8);
	Value *y = to_integer(l, bin(l, OP_div, x, by), zero, DT_U8);
	return lg_replace(l, (Value *[]){ y, by, zero }, 3);
}

/* ---- shapes ---- */

bool sx_size(Lg *l, OpKind to)
{
	int64_t axes[MAX_RANK];
	int rank;
	(void)to;
	if (!sh_ranked(lg_in(l, 0), &rank))
		return sh_needs_shape(l);
	for (int i = 0; i < rank; i++)
		axes[i] = i;
	Value *n = sh_count(l, lg_in(l, 0), axes, (size_t)rank, DT_I64);
	return n ? lg_replace(l, &n, 1) : sh_needs_shape(l);
}

bool sh_shape_op(Lg *l, OpKind to)
{
	const Type *t = lg_in(l, 0)->type;
	int64_t n = 0, start = op_int(l->op, A_start), end, from, until;
	(void)to;
	if (!type_has_rank(t))
		return sh_needs_shape(l);
	n = t->rank;
	end = op_attr_int(l->op, A_end, n);
	from = start < 0 ? start + n : start;
	until = end < 0 ? end + n : end;
	from = from < 0 ? 0 : from > n ? n : from;
	until = until < from ? from : until > n ? n : until;
	Value *v = sh_shape(l, type_tensor(l->c, t->dtype, (int)(until - from), t->dims + from));
	if (v)
		v = sh_convert(l, v, DT_I64);
	return v ? lg_replace(l, &v, 1) : sh_needs_shape(l);
}

/* Each dimension d becomes [repeats, d], broadcast, and one again. */
bool sx_tile(Lg *l, OpKind to)
{
	const Sym *dims[2 * MAX_RANK];
	int64_t at[MAX_RANK];
	int rank;
	Value *x = lg_in(l, 0);
	const Type *t = sh_result(l);
	const Elems *e = infer_elems(l->infer, lg_in(l, 1));
	(void)to;
	if (!sh_ranked(x, &rank) || !e || e->n != rank || 2 * rank > MAX_RANK || !type_has_rank(t))
		return sh_needs_shape(l);
	for (int i = 0; i < rank; i++) {
		dims[2 * i] = e->v[i];
		dims[2 * i + 1] = x->type->dims[i];
		at[i] = 2 * i + 1;
	}
	Value *wide = sh_broadcast(l, x, sh_type_of(l, x, 2 * rank, dims), at);
	return done(l, wide ? sh_reshape_to(l, wide, t) : NULL);
}

static Value *to_dims(Lg *l, Value *x, const Sym *const *dims, int rank)
{
	return sh_reshape_to(l, x, sh_type_of(l, x, rank, dims));
}

bool sx_depth_to_space(Lg *l, OpKind to)
{
	int rank;
	Value *x = lg_in(l, 0);
	bool crd = !strcmp(op_text(l->op, A_mode), "CRD");
	static const int64_t dcr_perm[] = { 0, 3, 4, 1, 5, 2 }, crd_perm[] = { 0, 1, 4, 2, 5, 3 };
	(void)to;
	if (!sh_ranked(x, &rank) || rank != 4 || op_int(l->op, A_blocksize) < 1)
		return sh_needs_shape(l);
	const Sym *b = sym_int(l->c, op_int(l->op, A_blocksize)), *const *d = x->type->dims;
	const Sym *depth = sym_floordiv(l->c, d[1], sym_mul(l->c, b, b));
	const Sym *dims[6] = { d[0], crd ? depth : b, b, crd ? b : depth, d[2], d[3] };
	Value *wide = to_dims(l, x, dims, 6);
	return done(l, wide ? sh_reshape_to(l, sh_transpose_of(l, wide, crd ? crd_perm : dcr_perm), sh_result(l)) : NULL);
}

bool sx_space_to_depth(Lg *l, OpKind to)
{
	int rank;
	Value *x = lg_in(l, 0);
	static const int64_t perm[] = { 0, 3, 5, 1, 2, 4 };
	(void)to;
	if (!sh_ranked(x, &rank) || rank != 4 || op_int(l->op, A_blocksize) < 1)
		return sh_needs_shape(l);
	const Sym *b = sym_int(l->c, op_int(l->op, A_blocksize)), *const *d = x->type->dims;
	const Sym *dims[6] = { d[0], d[1], sym_floordiv(l->c, d[2], b), b, sym_floordiv(l->c, d[3], b), b };
	Value *wide = to_dims(l, x, dims, 6);
	return done(l, wide ? sh_reshape_to(l, sh_transpose_of(l, wide, perm), sh_result(l)) : NULL);
}

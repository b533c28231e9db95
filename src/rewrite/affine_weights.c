#include "affine_int.h"

/* y = op(x, w, b): a map on y goes into w and b; a map on x goes into w, and its shift through w into b. */

static Value *operand_or_null(const Op *op, size_t i)
{
	return op_operand(op, i);
}

/* The operands of op with weight and bias replaced; a bias that was absent is appended. */
static Value *rebuild(Rw *rw, const Op *op, size_t wi, Value *w, size_t bi, Value *b)
{
	Value *in[8];
	size_t n = op->noperands;
	CHECK(n < ARRAY_LEN(in) && bi < ARRAY_LEN(in));
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		in[i] = i < n ? op->operands[i].value : NULL;
	in[wi] = w;
	in[bi] = b;
	if (b && n <= bi)
		n = bi + 1;
	RwAttr *attrs = NEW_ARRAY(rw->scratch, RwAttr, op->nattrs + 1u);
	for (size_t i = 0; i < op->nattrs; i++)
		attrs[i] = (RwAttr){ (AttrName)op->attrs[i].name->known, op->attrs[i].value };
	Value *y = rw_op(rw, op_kind(op), in, n, attrs);
	rw_take_name(y, op);
	return y;
}

static bool weight_ready(Rw *rw, Value *w, int min_rank)
{
	if (!rw_is_constant(rw, w, "the weight") || !affine_may_change(rw, w))
		return false;
	if (value_rank(w) < min_rank || !type_is_static(w->type) || !value_is_float(w))
		return rw_no(rw, "the weight's shape is not known");
	return true;
}

static bool bias_ready(Rw *rw, Value *b)
{
	return !b || rw_is_constant(rw, b, "the bias");
}

/* A shift of the result leaves the weight alone: its output channels are all that counts. */
static bool result_weight_ready(Rw *rw, Value *w, const Affine *a)
{
	if (a->has_scale)
		return weight_ready(rw, w, 2);
	if (value_rank(w) < 2 || value_dim(w, 0) < 1 || value_dim(w, 1) < 1 || !value_is_float(w))
		return rw_no(rw, "the weight's shape is not known");
	return true;
}

static Value *scaled(Rw *rw, Value *w, const Affine *a, int axis)
{
	return a->has_scale ? rw_op2(rw, OP_mul, w, affine_spread(rw, a->scale, value_rank(w), axis), NULL) : w;
}

/* ---- convolutions: weight [O, I/g, k...] ---- */

Value *affine_conv_result(Rw *rw, Op *op, Affine a, bool dry)
{
	size_t bi = op_is(op, OP_deform_conv) ? 3 : 2;
	Value *w = op_operand(op, 1), *b = operand_or_null(op, bi);
	if (dry) {
		if (!affine_fits(&a, 1)) {
			rw_no(rw, "the scale is not along the convolution's channels");
			return NULL;
		}
		bool fine = result_weight_ready(rw, w, &a) && bias_ready(rw, b) &&
				(a.axis < 0 || value_dim(w, 0) == a.channels);
		return fine ? op->results[0] : NULL;
	}
	Value *w2 = scaled(rw, w, &a, 0);
	return rebuild(rw, op, 1, w2, bi, affine_bias(rw, b, value_dim(w, 0), value_dtype(w), &a));
}

/* The weight with its output channels split by group: [g, O/g, I/g, k...]. */
static Value *split_groups(Rw *rw, Value *w, int64_t groups)
{
	int64_t dims[MAX_RANK + 1];
	int rank = value_rank(w);
	dims[0] = groups;
	dims[1] = value_dim(w, 0) / groups;
	for (int i = 1; i < rank; i++)
		dims[i + 1] = value_dim(w, i);
	return rw_reshape_to(rw, w, rank + 1, dims);
}

/* A vector of input channels [I] as [g, 1, I/g, 1...] for a split weight of this rank. */
static Value *spread_groups(Rw *rw, Value *v, int64_t groups, int rank)
{
	int64_t dims[MAX_RANK + 1];
	if (value_rank(v) == 0)
		return v;
	for (int i = 0; i < rank; i++)
		dims[i] = value_count(v) == 1 ? 1 : i == 0 ? groups : i == 2 ? value_dim(v, 0) / groups : 1;
	return rw_reshape_to(rw, v, rank, dims);
}

/* Sum over all axes from `first` on: what a shift of the operand adds to each output channel. */
static Value *sum_from(Rw *rw, Value *v, int first)
{
	int64_t axes[MAX_RANK + 1];
	size_t n = 0;
	for (int i = first; i < value_rank(v); i++)
		axes[n++] = i;
	const RwAttr attrs[] = { { A_kind, attr_str(rw->ctx, str(rw->ctx, "sum")) },
			{ A_axes, attr_ints(rw->ctx, axes, n) },
		{ A_keepdims, attr_int(rw->ctx, 0) }, { A_NONE, NULL } };
	return rw_op1(rw, OP_reduce, v, attrs);
}

static bool conv_operand_ready(Rw *rw, Op *op, const Affine *a)
{
	Value *w = op_operand(op, 1), *b = op_operand(op, 2);
	int64_t groups = op_int(op, A_groups);
	if (!affine_fits(a, 1))
		return rw_no(rw, "the scale is not along the convolution's channels");
	if (!weight_ready(rw, w, 2) || (a->has_shift && !bias_ready(rw, b)))
		return false;
	if (groups < 1 || value_rank(w) >= MAX_RANK || value_dim(w, 0) % groups ||
			(a->axis >= 0 && value_dim(w, 1) * groups != a->channels))
		return rw_no(rw, "the channels do not fit the weight");
	if (a->has_shift && !has_no_pads(op))
		return rw_no(rw, "the convolution pads with zeros, so a shift before it cannot move behind it");
	return true;
}

Value *affine_conv_operand(Rw *rw, Op *op, size_t i, Value *x, Affine a, bool dry)
{
	if (dry)
		return i == 0 && conv_operand_ready(rw, op, &a) ? op->results[0] : NULL;
	Value *w = op_operand(op, 1), *b = op_operand(op, 2), *w2 = w;
	int64_t groups = op_int(op, A_groups), out = value_dim(w, 0);
	int rank = value_rank(w);
	if (a.has_scale && (groups == 1 || a.axis < 0)) {
		w2 = scaled(rw, w, &a, 1);
	} else if (a.has_scale) {
		int64_t dims[MAX_RANK];
		CHECK(type_static_dims(w->type, dims));
		Value *split = split_groups(rw, w, groups);
		w2 = rw_op2(rw, OP_mul, split, spread_groups(rw, a.scale, groups, rank + 1), NULL);
		w2 = rw_reshape_to(rw, w2, rank, dims);
	}
	if (a.has_shift) {
		Value *split = split_groups(rw, w, groups);
		Value *moved = rw_op2(rw, OP_mul, split, spread_groups(rw, a.shift, groups, rank + 1), NULL);
		moved = rw_reshape_to(rw, sum_from(rw, moved, 2), 1, &out);
		b = b ? rw_op2(rw, OP_add, b, moved, NULL) : moved;
	}
	Op copy = *op; /* rebuild reads operands: x takes the place of operand 0 */
	Use *uses = NEW_ARRAY(rw->scratch, Use, op->noperands);
	for (size_t k = 0; k < op->noperands; k++)
		uses[k] = op->operands[k];
	uses[0].value = x;
	copy.operands = uses;
	return rebuild(rw, &copy, 1, w2, 2, b);
}

/* ---- transposed convolutions: weight [I, O/g, k...] ---- */

Value *affine_conv_transpose_result(Rw *rw, Op *op, Affine a, bool dry)
{
	Value *w = op_operand(op, 1), *b = op_operand(op, 2);
	int64_t groups = op_int(op, A_groups), dims[MAX_RANK], wide[MAX_RANK + 1];
	if (dry) {
		if (!affine_fits(&a, 1)) {
			rw_no(rw, "the scale is not along the convolution's channels");
			return NULL;
		}
		bool fine = result_weight_ready(rw, w, &a) && bias_ready(rw, b) && groups > 0 && value_rank(w) < MAX_RANK &&
				value_dim(w, 0) % groups == 0 && (a.axis < 0 || value_dim(w, 1) * groups == a.channels);
		return fine ? op->results[0] : NULL;
	}
	int rank = value_rank(w);
	int64_t each = value_dim(w, 1);
	Value *w2 = w;
	CHECK(type_static_dims(w->type, dims));
	if (a.has_scale && (groups == 1 || value_count(a.scale) == 1)) {
		w2 = scaled(rw, w, &a, 1);
	} else if (a.has_scale) { /* [g, I/g, O/g, k...] * [g, 1, O/g, 1...] */
		for (int i = 0; i <= rank; i++)
			wide[i] = i == 0 ? groups : i == 2 ? each : 1;
		w2 = rw_op2(rw, OP_mul, split_groups(rw, w, groups), rw_reshape_to(rw, a.scale, rank + 1, wide), NULL);
		w2 = rw_reshape_to(rw, w2, rank, dims);
	}
	return rebuild(rw, op, 1, w2, 2, affine_bias(rw, b, each * groups, value_dtype(w), &a));
}

Value *affine_conv_transpose_operand(Rw *rw, Op *op, size_t i, Value *x, Affine a, bool dry)
{
	Value *w = op_operand(op, 1);
	if (dry) {
		if (i != 0 || a.has_shift) {
			rw_no(rw, "a shift before a transposed convolution does not reach all its results alike");
			return NULL;
		}
		bool fine = affine_fits(&a, 1) && weight_ready(rw, w, 2) && (a.axis < 0 || value_dim(w, 0) == a.channels);
		return fine ? op->results[0] : NULL;
	}
	Value *in[8];
	CHECK(op->noperands <= ARRAY_LEN(in));
	for (size_t k = 0; k < op->noperands; k++)
		in[k] = op->operands[k].value;
	in[0] = x;
	in[1] = scaled(rw, w, &a, 0);
	return rw_copy(rw, op, in);
}

/* ---- gemm: alpha * A' * B' + beta * C ---- */

static bool one(double x)
{
	return x == 1;
}

/* A shift as the C of a gemm: of rank 1 or 2. */
static Value *shift_as_c(Rw *rw, const Affine *a)
{
	int64_t one_element = 1;
	if (value_rank(a->shift) == 0)
		return rw_reshape_to(rw, a->shift, 1, &one_element);
	return affine_spread(rw, a->shift, 2 - a->axis, 0);
}

/* C as a term on its own (its beta in it): NULL when absent. */
static Value *gemm_term(Rw *rw, Op *op)
{
	Value *c = op_operand(op, 2);
	double beta = op_float(op, A_beta);
	if (!c || beta == 0)
		return NULL;
	return one(beta) ? c : rw_op2(rw, OP_mul, c, rw_float(rw, value_dtype(c), beta), NULL);
}

static Value *gemm_rebuilt(Rw *rw, Op *op, Value *a, Value *b, Value *c)
{
	const RwAttr attrs[] = { { A_alpha, op_attr(op, A_alpha) }, { A_trans_a, op_attr(op, A_trans_a) },
		{ A_trans_b, op_attr(op, A_trans_b) }, { A_NONE, NULL } };
	Value *y = rw_op3(rw, OP_gemm, a, b, c, attrs);
	rw_take_name(y, op);
	return y;
}

/* Adding a map along `axis` of the result to C keeps C no bigger than it is, or a vector. */
static bool gemm_c_ready(Rw *rw, Op *op, const Affine *a)
{
	Value *c = op_operand(op, 2);
	if (!c || op_float(op, A_beta) == 0)
		return true;
	if (!rw_is_constant(rw, c, "the bias"))
		return false;
	return affine_const_fits(c, 2, a) || rw_no(rw, "the bias would grow");
}

Value *affine_gemm_result(Rw *rw, Op *op, Affine a, bool dry)
{
	/* A scale of columns goes into B, of rows into A, a scale of all into whichever is constant. */
	size_t side = a.axis == 0 ? 0 : a.axis == 1 || value_is_constant(op_operand(op, 1)) ? 1 : 0;
	Value *w = op_operand(op, side);
	int trans = (int)op_int(op, side ? A_trans_b : A_trans_a) != 0;
	int axis = side ? 1 - trans : trans;
	if (dry) {
		bool fine = value_is_float(op->results[0]) && (!a.has_scale || weight_ready(rw, w, 2)) &&
				gemm_c_ready(rw, op, &a) && (a.axis < 0 || !a.has_scale || value_dim(w, axis) == a.channels);
		return fine ? op->results[0] : NULL;
	}
	Value *in[2] = { op_operand(op, 0), op_operand(op, 1) };
	in[side] = scaled(rw, w, &a, axis);
	Value *c = gemm_term(rw, op);
	if (c)
		c = affine_const(rw, c, 2, &a);
	else if (a.has_shift)
		c = shift_as_c(rw, &a);
	return gemm_rebuilt(rw, op, in[0], in[1], c);
}

/* What a shift of x adds to each column of x * W; inner: the summed axis of W. A product with the vector needs no second
 * matrix of W's size. */
static Value *shift_through(Rw *rw, Value *w, int inner, const Affine *a)
{
	if (value_rank(a->shift) == 1) {
		int64_t n = value_dim(a->shift, 0), out = value_dim(w, 1 - inner), dims[] = { inner ? n : 1, inner ? 1 : n };
		Value *v = rw_reshape_to(rw, a->shift, 2, dims);
		v = inner ? rw_op2(rw, OP_matmul, w, v, NULL) : rw_op2(rw, OP_matmul, v, w, NULL);
		return rw_reshape_to(rw, v, 1, &out);
	}
	Value *moved = rw_op2(rw, OP_mul, w, a->shift, NULL);
	return sum_from(rw, inner ? moved : rw_transpose(rw, moved, (int[]){ 1, 0 }, 2), 1);
}

Value *affine_gemm_operand(Rw *rw, Op *op, size_t i, Value *x, Affine a, bool dry)
{
	Value *w = op_operand(op, 1 - i);
	int trans_x = (int)op_int(op, i ? A_trans_b : A_trans_a) != 0,
			trans_w = (int)op_int(op, i ? A_trans_a : A_trans_b) != 0;
	int inner_x = i == 0 ? 1 - trans_x : trans_x, inner_w = i == 0 ? trans_w : 1 - trans_w;
	Affine columns = { .axis = 1, .channels = i == 0 ? value_dim(w, 1 - inner_w) : 0, .has_shift = true };
	if (dry) {
		if (i > 1 || !affine_fits(&a, inner_x) || (a.has_shift && i != 0)) {
			rw_no(rw, "the map is not along the summed axis");
			return NULL;
		}
		bool fine = value_is_float(op->results[0]) && weight_ready(rw, w, 2) &&
				(a.axis < 0 || value_dim(w, inner_w) == a.channels) &&
				(!a.has_shift || gemm_c_ready(rw, op, &columns));
		return fine ? op->results[0] : NULL;
	}
	Value *w2 = scaled(rw, w, &a, inner_w), *c = op_operand(op, 2);
	if (!a.has_shift) {
		Value *in[3] = { i ? w2 : x, i ? x : w2, c };
		return rw_copy(rw, op, in);
	}
	Value *moved = shift_through(rw, w, inner_w, &a);
	double alpha = op_float(op, A_alpha);
	if (!one(alpha))
		moved = rw_op2(rw, OP_mul, moved, rw_float(rw, value_dtype(w), alpha), NULL);
	Value *term = gemm_term(rw, op);
	return gemm_rebuilt(rw, op, x, w2, term ? rw_op2(rw, OP_add, term, moved, NULL) : moved);
}

/* ---- matmul ---- */

/* Whether operand i of a matmul can be scaled along the result's axis (-1: all): a constant that has this axis. */
static bool matmul_side_fits(const Op *op, size_t i, int rank, const Affine *a, int *axis)
{
	const Value *w = op_operand(op, i);
	int wrank = value_rank(w);
	if (!value_is_constant(w) || wrank < 1 || !type_is_static(w->type))
		return false;
	*axis = -1;
	if (a->axis < 0)
		return true;
	int other = value_rank(op_operand(op, 1 - i));
	if (wrank < 2 || other < 2)
		return false;
	*axis = i ? wrank - 1 : wrank - 2;
	return a->axis == (i ? rank - 1 : rank - 2) && value_dim(w, *axis) == a->channels;
}

Value *affine_matmul_result(Rw *rw, Op *op, Affine a, bool dry)
{
	int rank = value_rank(op->results[0]), axis = -1;
	size_t side = matmul_side_fits(op, 1, rank, &a, &axis) ? 1 : 0;
	bool fits = matmul_side_fits(op, side, rank, &a, &axis);
	bool flat = value_rank(op_operand(op, 0)) == 2 && value_rank(op_operand(op, 1)) == 2;
	if (dry) {
		bool fine = value_is_float(op->results[0]) && rank >= 0 && (!a.has_scale || fits || rw_no(rw,
				"the scale is not along an axis of a constant operand"));
		fine = fine && (!a.has_scale || weight_ready(rw, op_operand(op, side), 1));
		fine = fine && (!a.has_shift || flat || rw_no(rw, "a matrix product of this rank has no place for a bias"));
		return fine ? op->results[0] : NULL;
	}
	Value *in[3] = { op_operand(op, 0), op_operand(op, 1), NULL };
	if (a.has_scale)
		in[side] = scaled(rw, in[side], &a, axis);
	if (!a.has_shift)
		return rw_copy(rw, op, in);
	in[2] = shift_as_c(rw, &a);
	Value *y = rw_op(rw, OP_gemm, in, 3, NULL);
	rw_take_name(y, op);
	return y;
}

Value *affine_matmul_operand(Rw *rw, Op *op, size_t i, Value *x, Affine a, bool dry)
{
	Value *w = op_operand(op, 1 - i);
	int rank = value_rank(x), wrank = value_rank(w);
	int inner_x = i == 0 || rank == 1 ? rank - 1 : rank - 2, inner_w = i != 0 || wrank == 1 ? wrank - 1 : wrank - 2;
	if (dry) {
		bool fine = i < 2 && rank >= 1 && wrank >= 1 && affine_fits(&a, inner_x);
		if (!fine) {
			rw_no(rw, "the map is not along the summed axis");
			return NULL;
		}
		fine = value_is_float(op->results[0]) && weight_ready(rw, w, 1) &&
				(a.axis < 0 || value_dim(w, inner_w) == a.channels);
		if (fine && a.has_shift && (i != 0 || rank != 2 || wrank != 2))
			fine = rw_no(rw, "a matrix product of this rank has no place for a bias");
		return fine ? op->results[0] : NULL;
	}
	Value *w2 = scaled(rw, w, &a, inner_w);
	Value *in[3] = { i ? w2 : x, i ? x : w2, NULL };
	if (!a.has_shift)
		return rw_copy(rw, op, in);
	Value *moved = rw_op2(rw, OP_mul, w, affine_spread(rw, a.shift, 2, 0), NULL);
	in[2] = sum_from(rw, rw_transpose(rw, moved, (int[]){ 1, 0 }, 2), 1);
	Value *y = rw_op(rw, OP_gemm, in, 3, NULL);
	rw_take_name(y, op);
	return y;
}

#include "affine_int.h"

#include <string.h>

/* Outline: a map on a value is passed to the op that computes it. Weights take it; sums, concats, pools and data movement
 * pass it on to their operands, and are rebuilt on what comes back. Every value on the way has one use, so the ops that
 * are rebuilt go away, and the map's own op is saved. */

enum { MAX_STEPS = 200, MAX_LEVELS = 24 };

typedef struct Up {
	Rw *rw;
	bool dry;
	bool limited;  /* the first dry run is; what it allowed must not fail later */
	int steps, levels;
} Up;

typedef Value *UpFn(Up *u, Op *op, Affine a);

static Value *push(Up *u, Value *v, Affine a);

static Value *no(Up *u, const char *why)
{
	rw_no(u->rw, "%s", why);
	return NULL;
}

/* Rebuilds op on its operand 0 with map a applied to it. */
static Value *through(Up *u, Op *op, Affine a)
{
	Value *x = push(u, op_operand(op, 0), a);
	if (!x || u->dry)
		return x;
	return rw_copy_with(u->rw, op, 0, x);
}

/* Runs a step of push without building. */
static bool would_push(Up *u, Value *v, Affine a)
{
	bool dry = u->dry;
	a.scale = a.shift = NULL;
	u->dry = true;
	bool fine = push(u, v, a) != NULL;
	u->dry = dry;
	return fine;
}

/* ---- weights ---- */

static Value *up_conv(Up *u, Op *op, Affine a)
{
	return affine_conv_result(u->rw, op, a, u->dry);
}

static Value *up_conv_transpose(Up *u, Op *op, Affine a)
{
	return affine_conv_transpose_result(u->rw, op, a, u->dry);
}

static Value *up_gemm(Up *u, Op *op, Affine a)
{
	return affine_gemm_result(u->rw, op, a, u->dry);
}

/* Without a constant operand a number for all may go on into one of the factors. */
static Value *up_matmul(Up *u, Op *op, Affine a)
{
	bool plain = !value_is_constant(op_operand(op, 0)) && !value_is_constant(op_operand(op, 1));
	if (!plain || a.has_shift || a.axis >= 0)
		return affine_matmul_result(u->rw, op, a, u->dry);
	for (size_t i = 0; i < 2; i++) {
		if (!would_push(u, op_operand(op, i), a))
			continue;
		return u->dry ? op->results[0] : rw_copy_with(u->rw, op, i, push(u, op_operand(op, i), a));
	}
	return no(u, "neither factor can take the scale");
}

/* Normalisations end with a scale and a shift of their own: operands 1 and 2, of shape [C], or of the last axes. */
static Value *up_norm(Up *u, Op *op, Affine a)
{
	Rw *rw = u->rw;
	bool layer = op_is(op, OP_layer_norm) || op_is(op, OP_rms_norm);
	Value *scale = op_operand(op, 1), *bias = op_operand(op, 2);
	int rank = value_rank(op_operand(op, 0)), tail = value_rank(scale);
	int64_t dims[MAX_RANK];
	if (rank < 0 || tail < 1 || tail > rank || !value_is_constant(scale) || (bias && !value_is_constant(bias)) ||
			!type_static_dims(scale->type, dims))
		return no(u, "the normalisation's scale or bias is not constant");
	if (value_dtype(scale) != value_dtype(op->results[0]) || (op_is(op, OP_rms_norm) && a.has_shift))
		return no(u, "the normalisation cannot take it");
	int own = layer ? a.axis - (rank - tail) : 0;
	if (a.axis >= 0 && ((!layer && a.axis != 1) || own < 0 || dims[own] != a.channels))
		return no(u, "the scale is not along an axis of the normalisation's own scale");
	if (u->dry)
		return op->results[0];
	Value *in[5];
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		in[i] = op_operand(op, i);
	if (a.has_scale) {
		in[1] = rw_op2(rw, OP_mul, scale, affine_spread(rw, a.scale, tail, own), NULL);
		in[2] = bias ? rw_op2(rw, OP_mul, bias, affine_spread(rw, a.scale, tail, own), NULL) : NULL;
	}
	if (a.has_shift) {
		Value *old = in[2] ? in[2] : rw_splat(rw, value_dtype(scale), tail, dims, 0);
		in[2] = rw_op2(rw, OP_add, old, affine_spread(rw, a.shift, tail, own), NULL);
	}
	if (bias || !a.has_shift)
		return rw_copy(rw, op, in);
	Value *y = rw_op(rw, OP_layer_norm, in, 3, (RwAttr[]){ { A_axis, op_attr(op, A_axis) },
			{ A_epsilon, op_attr(op, A_epsilon) }, { A_stash_type, op_attr(op, A_stash_type) }, { A_NONE, NULL } });
	rw_take_name(y, op);
	return y;
}

/* ---- arithmetic ---- */

/* The map as it applies to an operand of an elementwise op: right-aligned axes. False when the operand broadcasts along
 * the axis, or has no known rank. */
static bool operand_map(const Op *op, size_t i, Affine *a)
{
	int rank = value_rank(op->results[0]), own = value_rank(op_operand(op, i));
	if (rank < 0 || own < 0)
		return false;
	if (a->axis < 0)
		return true;
	a->axis -= rank - own;
	return a->axis >= 0 && value_dim(op_operand(op, i), a->axis) == a->channels;
}

static Value *up_add(Up *u, Op *op, Affine a)
{
	bool minus = op_is(op, OP_sub);
	int side = constant_side(op);
	Affine part[2];
	for (size_t first = 0; first < 2; first++) { /* which operand takes the shift */
		size_t with = side >= 0 ? (size_t)side : first;
		bool fine = !(minus && with == 1 && a.has_shift && side < 0);
		for (size_t i = 0; i < 2; i++) {
			part[i] = i == with ? a : affine_scale_only(a);
			Value *v = op_operand(op, i);
			if ((int)i == side)
				fine = fine && value_rank(op->results[0]) >= 0 &&
						affine_const_fits(v, value_rank(op->results[0]), &part[i]);
			else if (!affine_is_nothing(&part[i]))
				fine = fine && operand_map(op, i, &part[i]) && would_push(u, v, part[i]);
		}
		if (!fine && (first == 1 || side >= 0))
			return no(u, "a summand cannot take the scale or shift");
		if (fine)
			break;
	}
	if (u->dry)
		return op->results[0];
	Value *in[2];
	for (size_t i = 0; i < 2; i++) {
		Value *v = op_operand(op, i);
		if ((int)i != side) {
			in[i] = affine_is_nothing(&part[i]) ? v : push(u, v, part[i]);
			continue;
		}
		if (minus && i == 1 && part[i].has_shift) /* x - k + t = x - (k - t) */
			part[i].shift = rw_op1(u->rw, OP_neg, part[i].shift, NULL);
		in[i] = affine_const(u->rw, v, value_rank(op->results[0]), &part[i]);
	}
	return rw_copy(u->rw, op, in);
}

/* (v * k) * s = v * (k * s); v * w: one of the factors takes the scale. */
static Value *up_mul(Up *u, Op *op, Affine a)
{
	int side = constant_side(op), rank = value_rank(op->results[0]);
	if (a.has_shift)
		return no(u, "a product cannot take a shift");
	if (side >= 0) {
		Value *k = op_operand(op, (size_t)side);
		if (rank < 0 || !affine_const_fits(k, rank, &a))
			return no(u, "the constant factor would grow");
		if (u->dry)
			return op->results[0];
		return rw_copy_with(u->rw, op, (size_t)side, affine_const(u->rw, k, rank, &a));
	}
	for (size_t i = 0; i < 2; i++) {
		Affine part = a;
		if (!operand_map(op, i, &part) || !would_push(u, op_operand(op, i), part))
			continue;
		if (u->dry)
			return op->results[0];
		return rw_copy_with(u->rw, op, i, push(u, op_operand(op, i), part));
	}
	return no(u, "no factor can take the scale");
}

static Value *up_div(Up *u, Op *op, Affine a)
{
	int side = constant_side(op), rank = value_rank(op->results[0]);
	if (a.has_shift)
		return no(u, "a quotient cannot take a shift");
	if (side >= 0) {
		Value *k = op_operand(op, (size_t)side);
		if (rank < 0 || !affine_const_fits(k, rank, &a))
			return no(u, "the constant would grow");
		if (u->dry)
			return op->results[0];
		if (side == 0)
			return rw_copy_with(u->rw, op, 0, affine_const(u->rw, k, rank, &a));
		Value *factor = affine_const(u->rw, rw_op1(u->rw, OP_reciprocal, k, NULL), rank, &a);
		return rw_op2(u->rw, OP_mul, op_operand(op, 0), factor, NULL);
	}
	if (!operand_map(op, 0, &a))
		return no(u, "the dividend cannot take the scale");
	return through(u, op, a);
}

static Value *up_neg(Up *u, Op *op, Affine a)
{
	int rank = value_rank(op->results[0]);
	if (a.has_shift || rank < 0)
		return no(u, "a negation cannot take a shift");
	if (u->dry)
		return op->results[0];
	int span = a.axis < 0 ? 0 : rank - a.axis;
	Value *factor = rw_op1(u->rw, OP_neg, affine_spread(u->rw, a.scale, span, 0), NULL);
	return rw_op2(u->rw, OP_mul, op_operand(op, 0), factor, NULL);
}

/* f(s * x) = s * f(x) for s > 0. */
static Value *up_homogeneous(Up *u, Op *op, Affine a)
{
	if (a.has_shift || !a.positive)
		return no(u, "only a positive scale may pass an activation");
	return through(u, op, a);
}

/* ---- joining and pooling ---- */

static Value *up_concat(Up *u, Op *op, Affine a)
{
	int rank = value_rank(op->results[0]), axis;
	if (rank < 0 || !axis_norm(op_int(op, A_axis), rank, &axis))
		return no(u, "the concat's axis is not known");
	Value **in = NEW_ARRAY(u->rw->scratch, Value *, op->noperands);
	int64_t at = 0;
	for (size_t i = 0; i < op->noperands; i++) {
		Value *x = op_operand(op, i);
		Affine part = a;
		if (a.axis == axis) {
			part.channels = value_dim(x, axis);
			if (part.channels < 1)
				return no(u, "a part of the concat has no known size");
			int64_t end = at + part.channels;
			for (int k = 0; k < 2 && !u->dry; k++) {
				Value **v = k ? &part.shift : &part.scale;
				if (*v && value_rank(*v) == 1)
					*v = rw_op3(u->rw, OP_slice, *v, rw_ints(u->rw, &at, 1), rw_ints(u->rw, &end, 1), NULL);
			}
			at = end;
		}
		if (value_is_constant(x)) {
			if (!affine_const_fits(x, rank, &part))
				return no(u, "a constant part would grow");
			in[i] = u->dry ? x : affine_const(u->rw, x, rank, &part);
		} else {
			in[i] = push(u, x, part);
		}
		if (!in[i])
			return NULL;
	}
	if (a.axis == axis && at != a.channels)
		return no(u, "the parts do not add up to the channels");
	return u->dry ? op->results[0] : rw_copy(u->rw, op, in);
}

static Value *up_pool(Up *u, Op *op, Affine a)
{
	OpKind k = op_kind(op);
	if (a.axis > 1)
		return no(u, "the scale is along a pooled axis");
	if ((k == OP_max_pool || k == OP_global_max_pool) && a.has_scale && !a.positive)
		return no(u, "only a positive scale may pass a maximum");
	bool counts = k == OP_avg_pool && op_int(op, A_count_include_pad);
	if (counts && a.has_shift && (!has_no_pads(op) || op_int(op, A_ceil_mode)))
		return no(u, "the average counts padding, which a shift would have to reach");
	return through(u, op, a);
}

static Value *up_reduce(Up *u, Op *op, Affine a)
{
	Value *x = op_operand(op, 0);
	const char *kind = op_text(op, A_kind);
	bool mean = !strcmp(kind, "mean"), sum = !strcmp(kind, "sum");
	bool extreme = !strcmp(kind, "max") || !strcmp(kind, "min");
	int rank = value_rank(x), axis;
	if ((!mean && !extreme && !sum) || (sum && a.has_shift) || (extreme && a.has_scale && !a.positive))
		return no(u, "the reduction does not commute with it");
	if (a.axis < 0)
		return through(u, op, a);
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	if (rank < 0 || n == 0)
		return no(u, "the scale is along a reduced axis");
	uint64_t reduced = 0;
	for (size_t i = 0; i < n; i++) {
		if (!axis_norm(axes[i], rank, &axis))
			return NULL;
		reduced |= UINT64_C(1) << axis;
	}
	bool keep = op_int(op, A_keepdims);
	for (int i = 0, out = 0; i < rank; i++) {
		bool gone = reduced >> i & 1;
		if (out == a.axis && !(gone && !keep)) {
			if (gone)
				break;
			a.axis = i;
			return through(u, op, a);
		}
		out += !gone || keep;
	}
	return no(u, "the scale is along a reduced axis");
}

/* ---- data movement ---- */

static Value *up_transpose(Up *u, Op *op, Affine a)
{
	int perm[MAX_RANK];
	if (a.axis >= 0 && (value_rank(op_operand(op, 0)) < 0 || !op_perm(op, value_rank(op_operand(op, 0)), perm)))
		return no(u, "the permutation is not known");
	if (a.axis >= 0)
		a.axis = perm[a.axis];
	return through(u, op, a);
}

static Value *up_reshape(Up *u, Op *op, Affine a)
{
	int64_t before = 1, after = 1;
	if (a.axis >= 0) {
		if (!affine_merged_axis(u->rw, op->results[0]->type, a.axis, op_operand(op, 0)->type, &a.axis, &before, &after))
			return no(u, "the channels are not one axis before the reshape");
		if (before < 1 || after < 1 || before > 65536 || after > 65536)
			return no(u, "the channels repeat too often");
		affine_repeat(u->rw, &a, before, after);
	}
	return through(u, op, a);
}

static bool pads_axis(Rw *rw, const Op *op, int rank, int axis)
{
	size_t n, naxes;
	const int64_t *pads = rw_const_ints(rw, op_operand(op, 1), &n), *axes;
	naxes = op_attr_ints(op, A_axes, &axes);
	if (!pads || n % 2)
		return true;
	for (size_t i = 0; i < n / 2; i++) {
		int at = (int)i;
		if (naxes && (i >= naxes || !axis_norm(axes[i], rank, &at)))
			return true;
		if (at == axis && (pads[i] || pads[i + n / 2]))
			return true;
	}
	return false;
}

static Value *up_pad(Up *u, Op *op, Affine a)
{
	Value *value = op_operand(op, 2);
	bool constant = !strcmp(op_text(op, A_mode), "constant");
	double fill = 0;
	if (a.axis >= 0 && pads_axis(u->rw, op, value_rank(op_operand(op, 0)), a.axis))
		return no(u, "the channel axis is padded, or may be");
	if (constant && (a.has_shift || (value && (!constant_float(value, &fill) || fill != 0))))
		return no(u, "what is padded is not zero after the map");
	return through(u, op, a);
}

static Value *up_resize(Up *u, Op *op, Affine a)
{
	if (!strcmp(op_text(op, A_coordinate_transformation_mode), "tf_crop_and_resize"))
		return no(u, "the resize fills in values of its own");
	if (a.axis >= 0 && value_dim(op_operand(op, 0), a.axis) != a.channels)
		return no(u, "the channel axis is resized, or may be");
	return through(u, op, a);
}

/* Channel c of the result comes from b*b channels of the operand. */
static Value *up_depth_to_space(Up *u, Op *op, Affine a)
{
	int64_t b = op_int(op, A_blocksize), n;
	if (a.axis > 1 || b < 1 || b > 256 || !mul_ok(b, b, &n))
		return no(u, "the scale is along a spatial axis");
	if (a.axis == 1) {
		bool crd = !strcmp(op_text(op, A_mode), "CRD");
		affine_repeat(u->rw, &a, crd ? 1 : n, crd ? n : 1);
	}
	return through(u, op, a);
}

static Value *up_slice(Up *u, Op *op, Affine a)
{
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	int rank = value_rank(op_operand(op, 0)), axis;
	if (a.axis >= 0 && (n == 0 || rank < 0))
		return no(u, "the channel axis is sliced, or may be");
	for (size_t i = 0; i < n && a.axis >= 0; i++)
		if (!axis_norm(axes[i], rank, &axis) || axis == a.axis)
			return no(u, "the channel axis is sliced");
	return through(u, op, a);
}

static Value *up_expand(Up *u, Op *op, Affine a)
{
	if (a.axis >= 0 && !operand_map(op, 0, &a))
		return no(u, "the channel axis is broadcast");
	return through(u, op, a);
}

/* A batch norm takes another map into its scale and bias. */
static Value *up_batch_norm(Up *u, Op *op, Affine a)
{
	Affine own;
	Value *x;
	if (!affine_of(u->rw, op, &own, &x))
		return NULL;
	if (!affine_fits(&a, 1))
		return no(u, "the scale is not along the channels");
	if (u->dry)
		return op->results[0];
	Value *in[5] = { x, op_operand(op, 1), op_operand(op, 2), op_operand(op, 3), op_operand(op, 4) };
	if (a.has_scale)
		in[1] = rw_op2(u->rw, OP_mul, in[1], a.scale, NULL);
	in[2] = affine_bias(u->rw, in[2], own.channels, value_dtype(x), &a);
	return rw_copy(u->rw, op, in);
}

static const struct { OpKind kind; UpFn *fn; } UP[] = {
	{ OP_conv, up_conv }, { OP_deform_conv, up_conv }, { OP_conv_transpose, up_conv_transpose }, { OP_gemm, up_gemm },
	{ OP_matmul, up_matmul }, { OP_batch_norm, up_batch_norm }, { OP_instance_norm, up_norm },
	{ OP_layer_norm, up_norm },
	{ OP_rms_norm, up_norm }, { OP_group_norm, up_norm }, { OP_add, up_add }, { OP_sub, up_add }, { OP_mul, up_mul },
	{ OP_div, up_div }, { OP_neg, up_neg }, { OP_relu, up_homogeneous }, { OP_leaky_relu, up_homogeneous },
	{ OP_prelu, up_homogeneous }, { OP_abs, up_homogeneous }, { OP_concat, up_concat }, { OP_max_pool, up_pool },
	{ OP_avg_pool, up_pool }, { OP_global_avg_pool, up_pool }, { OP_global_max_pool, up_pool },
	{ OP_reduce, up_reduce },
	{ OP_transpose, up_transpose }, { OP_reshape, up_reshape }, { OP_flatten, up_reshape }, { OP_squeeze, up_reshape },
	{ OP_unsqueeze, up_reshape }, { OP_pad, up_pad }, { OP_resize, up_resize },
	{ OP_depth_to_space, up_depth_to_space },
	{ OP_slice, up_slice }, { OP_expand, up_expand },
};

static Value *push(Up *u, Value *v, Affine a)
{
	if (affine_is_nothing(&a))
		return v;
	if ((++u->steps > MAX_STEPS || u->levels > MAX_LEVELS) && u->limited)
		return no(u, "the ops above are too many");
	if (!rw_may_rebuild(u->rw, v))
		return NULL;
	Op *op = v->def;
	for (size_t i = 1; i < op->nresults; i++)
		if (value_has_uses(op->results[i]))
			return no(u, "another result of the op above is used");
	for (size_t i = 0; i < ARRAY_LEN(UP) && v->index == 0; i++)
		if (op_is(op, UP[i].kind)) {
			u->levels++;
			Value *y = UP[i].fn(u, op, a);
			u->levels--;
			return y;
		}
	rw_no(u->rw, "%s cannot take a scale or shift", op->def->name->s);
	return NULL;
}

bool affine_fold_up(Rw *rw, Op *op)
{
	Up u = { .rw = rw, .dry = true, .limited = true };
	Affine a;
	Value *x;
	if (!affine_of(rw, op, &a, &x) || !push(&u, x, a))
		return false;
	u.dry = u.limited = false;
	affine_build(rw, op, &a);
	return rw_replace_op(rw, op, push(&u, x, a));
}

bool affine_fold_scale_up(Rw *rw, Op *op)
{
	Up u = { .rw = rw, .dry = true, .limited = true };
	Affine a;
	Value *x;
	if (!affine_of(rw, op, &a, &x))
		return false;
	int rank = value_rank(x);
	if (rank < 0)
		return rw_no(rw, "the rank of the data is unknown");
	if (!push(&u, x, affine_scale_only(a)))
		return false;
	u.dry = u.limited = false;
	affine_build(rw, op, &a);
	Value *y = push(&u, x, affine_scale_only(a));
	y = rw_op2(rw, OP_add, y, affine_spread(rw, a.shift, rank - a.axis, 0), NULL);
	rw_take_name(y, op);
	return rw_replace_op(rw, op, y);
}

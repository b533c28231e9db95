/* Convolutions and pools: what comes before them goes into weights and pads. */
#include "affine_int.h"
#include "rules.h"

#include <math.h>
#include <string.h>

enum { MAX_SPATIAL = MAX_RANK - 2 };

/* ---- auto_pad with known sizes ---- */

static bool kernel_size(const Op *op, int i, int64_t *out)
{
	const int64_t *kernel;
	if (op_attr_ints(op, A_kernel, &kernel)) {
		*out = kernel[i];
		return true;
	}
	size_t w = op_is(op, OP_quantized_conv) ? 3 : 1;
	return sym_const(op_operand(op, w)->type->dims[i + 2], out);
}

/* begin + end make the result of ceil(in / stride) windows; the odd one goes to the end for same_upper. */
static bool auto_pad_to_pads(Rw *rw, Op *op)
{
	const char *mode = op_text(op, A_auto_pad);
	Value *x = op_operand(op, 0), *w = op_operand(op, op_is(op, OP_quantized_conv) ? 3 : 1);
	int rank = value_rank(x);
	const int64_t *kernel;
	size_t nkernel = op_attr_ints(op, A_kernel, &kernel);
	int64_t pads[2 * MAX_SPATIAL], k, in;
	if (strncmp(mode, "same_", 5))
		return rw_no(rw, "no auto_pad");
	if (rank < 3 || rank > MAX_RANK || (nkernel ? nkernel != (size_t)rank - 2 : value_rank(w) != rank))
		return rw_no(rw, "the rank is unknown");
	bool upper = !strcmp(mode, "same_upper");
	int n = rank - 2;
	for (int i = 0; i < n; i++) {
		int64_t stride = list_at(op, A_strides, (size_t)i, 1), dilation = list_at(op, A_dilations, (size_t)i, 1),
				extent, need;
		if (!sym_const(x->type->dims[i + 2], &in) || !kernel_size(op, i, &k) || stride < 1 || k < 1 || in < 1)
			return rw_no(rw, "the spatial size is unknown");
		int64_t out = (in - 1) / stride + 1;
		if (!mul_ok(k - 1, dilation, &extent) || !add_ok(extent, 1, &extent) || !mul_ok(out - 1, stride, &need) ||
				!add_ok(need, extent, &need))
			return false;
		int64_t total = need > in ? need - in : 0;
		pads[upper ? i : n + i] = total / 2;
		pads[upper ? n + i : i] = total - total / 2;
	}
	rw_set_attr(rw, op, A_pads, rw_attr_ints(rw, pads, 2 * (size_t)n));
	if (op_attr(op, A_ceil_mode))
		rw_set_attr(rw, op, A_ceil_mode, NULL); /* rounding up plays no part with auto_pad */
	return rw_set_attr(rw, op, A_auto_pad, NULL);
}

/* ---- pad before a convolution or pool ---- */

/* The pads of a constant-mode pad as begins and ends of the spatial dims, none negative; nothing else is padded. */
static bool spatial_pads(Rw *rw, const Op *pad, int64_t *out, int *spatial)
{
	int rank = value_rank(op_operand(pad, 0)), axis;
	size_t n, naxes;
	const int64_t *axes, *pads = rw_const_ints(rw, op_operand(pad, 1), &n);
	naxes = op_attr_ints(pad, A_axes, &axes);
	if (strcmp(op_text(pad, A_mode), "constant"))
		return rw_no(rw, "the pad does not fill with a constant");
	if (!pads || n % 2 || rank < 3 || rank > MAX_RANK || n / 2 != (naxes ? naxes : (size_t)rank))
		return rw_no(rw, "the pad's amounts are not known");
	*spatial = rank - 2;
	memset(out, 0, 2 * (size_t)*spatial * sizeof *out);
	for (size_t i = 0; i < n / 2; i++) {
		axis = (int)i;
		if (naxes && !axis_norm(axes[i], rank, &axis))
			return false;
		int64_t begin = pads[i], end = pads[i + n / 2];
		if (begin < 0 || end < 0)
			return rw_no(rw, "the pad cuts off");
		if (axis < 2 && (begin || end))
			return rw_no(rw, "the pad enlarges batch or channels");
		if (axis >= 2) {
			out[axis - 2] += begin;
			out[axis - 2 + *spatial] += end;
		}
	}
	return true;
}

/* The number that the pad fills in; false when not constant. */
static bool fill_value(Rw *rw, const Op *pad, double *out)
{
	Value *v = op_operand(pad, 2);
	*out = 0;
	return !v || constant_float(v, out) || rw_no(rw, "what the pad fills in is not constant");
}

/* The op on the pad's operand with the pads added to its own. */
static bool absorb_pads(Rw *rw, Op *op, const Op *pad, const int64_t *more, int spatial)
{
	int64_t pads[2 * MAX_SPATIAL];
	for (size_t i = 0; i < 2 * (size_t)spatial; i++)
		if (!add_ok(list_at(op, A_pads, i, 0), more[i], &pads[i]))
			return false;
	Value *y = rw_copy_set(rw, op, 0, op_operand(pad, 0), A_pads, rw_attr_ints(rw, pads, 2 * (size_t)spatial));
	return rw_replace(rw, op->results[0], y);
}

/* A zero-filled pad is the convolution's own padding; an integer convolution pads with its zero point. */
static bool pad_conv(Rw *rw, Op *op)
{
	Op *pad = live_def(op_operand(op, 0), OP_pad);
	int64_t more[2 * MAX_SPATIAL], zero = 0;
	double fill;
	int spatial;
	if (!pad)
		return false;
	if (*op_text(op, A_auto_pad))
		return rw_no(rw, "the convolution's own padding depends on the size");
	if (!spatial_pads(rw, pad, more, &spatial) || !fill_value(rw, pad, &fill))
		return false;
	if (op_is(op, OP_conv_integer) && op_operand(op, 2) && !constant_int(op_operand(op, 2), &zero))
		return rw_no(rw, "the zero point is not constant");
	if (fill != (double)zero)
		return rw_no(rw, "the pad fills with %g, the convolution with %lld", fill, (long long)zero);
	return absorb_pads(rw, op, pad, more, spatial);
}

static bool pads_smaller_than_kernel(Rw *rw, const Op *op, const int64_t *more, int spatial)
{
	const int64_t *kernel;
	if (op_attr_ints(op, A_kernel, &kernel) != (size_t)spatial)
		return rw_no(rw, "the kernel's size is not known");
	for (int i = 0; i < 2 * spatial; i++)
		if (more[i] + list_at(op, A_pads, (size_t)i, 0) >= kernel[i % spatial])
			return rw_no(rw, "a window would lie in the padding alone");
	return true;
}

static bool never_negative(const Value *v)
{
	static const OpKind kinds[] = { OP_relu, OP_sigmoid, OP_abs, OP_softmax, OP_hard_sigmoid, OP_exp, OP_softplus };
	double low;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (def_of(v, kinds[i]))
			return true;
	Op *clamp = def_of(v, OP_clamp);
	return clamp && op_operand(clamp, 1) && constant_float(op_operand(clamp, 1), &low) && low >= 0;
}

static bool pool_takes_pads(Rw *rw, const Op *op)
{
	if (*op_text(op, A_auto_pad) || op_int(op, A_ceil_mode))
		return rw_no(rw, "the pool's own padding depends on the size");
	if (op->nresults > 1 && value_has_uses(op->results[1]))
		return rw_no(rw, "the indices are used");
	return true;
}

/* What every pool asks of a pad before it. */
static bool pad_before_pool(Rw *rw, Op *op, Op *pad, int64_t *more, int *spatial, double *fill)
{
	return pool_takes_pads(rw, op) && spatial_pads(rw, pad, more, spatial) && fill_value(rw, pad, fill) &&
			pads_smaller_than_kernel(rw, op, more, *spatial);
}

/* A maximum ignores its padding: the same when -inf is filled in, or zero where nothing is below zero. */
static bool pad_max_pool(Rw *rw, Op *op)
{
	Op *pad = live_def(op_operand(op, 0), OP_pad);
	int64_t more[2 * MAX_SPATIAL];
	double fill;
	int spatial;
	if (!pad || !pad_before_pool(rw, op, pad, more, &spatial, &fill))
		return false;
	bool lowest = value_is_float(op_operand(op, 0)) ? isinf(fill) && fill < 0 :
			fill == (double)dtype_int_min(value_dtype(op_operand(op, 0)));
	if (!lowest && !(fill == 0 && never_negative(op_operand(pad, 0))))
		return rw_no(rw, "the pad fills with %g, which may be the maximum", fill);
	return absorb_pads(rw, op, pad, more, spatial);
}

/* Zeros filled in count in the average. */
static bool pad_avg_pool(Rw *rw, Op *op)
{
	Op *pad = live_def(op_operand(op, 0), OP_pad);
	int64_t more[2 * MAX_SPATIAL];
	double fill;
	int spatial;
	if (!pad || !pad_before_pool(rw, op, pad, more, &spatial, &fill))
		return false;
	if (fill != 0)
		return rw_no(rw, "the pad fills with %g", fill);
	if (!op_int(op, A_count_include_pad) && !has_no_pads(op))
		return rw_no(rw, "the pool's own padding does not count in the average");
	int64_t pads[2 * MAX_SPATIAL];
	for (size_t i = 0; i < 2 * (size_t)spatial; i++)
		pads[i] = list_at(op, A_pads, i, 0) + more[i];
	Value *y = rw_op1(rw, OP_avg_pool, op_operand(pad, 0), (RwAttr[]){ { A_kernel, op_attr(op, A_kernel) },
			{ A_strides, op_attr(op, A_strides) }, { A_dilations, op_attr(op, A_dilations) },
			{ A_pads, rw_attr_ints(rw, pads, 2 * (size_t)spatial) }, { A_count_include_pad, attr_int(rw->ctx, 1) },
			{ A_NONE, NULL } });
	rw_take_name(y, op);
	return rw_replace_op(rw, op, y);
}

/* ---- bias ---- */

static bool drop_zero_bias(Rw *rw, Op *op)
{
	size_t at = op_is(op, OP_deform_conv) ? 3 : op_is(op, OP_quantized_conv) ? 8 : 2;
	Value *b = op_operand(op, at);
	if (!b || !value_is_constant(b))
		return rw_no(rw, "no constant bias");
	if (!constant_all(b, 0) && !constant_all(b, -0.0))
		return rw_no(rw, "the bias is not zero");
	return rw_set_operand(rw, op, at, NULL);
}

static const Rule rules[] = {
	{ "fold-before-conv", "conv(mul(x, s), w)", "conv(x, w*s)", OP_conv, CLASS_ROUNDING, 2, affine_fold_down },
	{ "fold-before-conv-transpose", "conv_transpose(mul(x, s), w)", "conv_transpose(x, w*s)", OP_conv_transpose,
		CLASS_ROUNDING, 2, affine_fold_down },
	{ "fold-batch-norm-scale-before-conv", "conv(batch_norm(x), w)", "conv(add(x, t/s), w*s)", OP_conv, CLASS_ROUNDING, 2,
		affine_fold_scale_down },
	{ "fold-batch-norm-scale-before-conv-transpose", "conv_transpose(batch_norm(x), w)",
		"conv_transpose(add(x, t/s), w*s)",
		OP_conv_transpose, CLASS_ROUNDING, 2, affine_fold_scale_down },
	{ "pad-conv", "conv(pad(x), w)", "conv(x, w) with pads", OP_conv, CLASS_ROUNDING, 2, pad_conv },
	{ "pad-conv-integer", "conv_integer(pad(x), w)", "conv_integer(x, w) with pads", OP_conv_integer, CLASS_EXACT, 1,
		pad_conv },
	{ "pad-max-pool", "max_pool(pad(x, -inf))", "max_pool(x) with pads", OP_max_pool, CLASS_EXACT, 1, pad_max_pool },
	{ "pad-avg-pool", "avg_pool(pad(x, 0))", "avg_pool(x) with pads that count", OP_avg_pool, CLASS_ROUNDING, 2,
		pad_avg_pool },
	{ "conv-zero-bias", "conv(x, w, 0)", "conv(x, w)", OP_conv, CLASS_ROUNDING, 2, drop_zero_bias },
	{ "conv-transpose-zero-bias", "conv_transpose(x, w, 0)", "conv_transpose(x, w)", OP_conv_transpose, CLASS_ROUNDING, 2,
		drop_zero_bias },
	{ "deform-conv-zero-bias", "deform_conv(x, w, o, 0)", "deform_conv(x, w, o)", OP_deform_conv, CLASS_ROUNDING, 2,
		drop_zero_bias },
	{ "quantized-conv-zero-bias", "quantized_conv(..., 0)", "quantized_conv(...)", OP_quantized_conv, CLASS_EXACT, 1,
		drop_zero_bias },
	{ "conv-auto-pad", "conv same_upper", "conv with pads", OP_conv, CLASS_EXACT, 1, auto_pad_to_pads },
	{ "conv-integer-auto-pad", "conv_integer same_upper", "conv_integer with pads", OP_conv_integer, CLASS_EXACT, 1,
		auto_pad_to_pads },
	{ "quantized-conv-auto-pad", "quantized_conv same_upper", "quantized_conv with pads", OP_quantized_conv,
		CLASS_EXACT, 1, auto_pad_to_pads },
	{ "max-pool-auto-pad", "max_pool same_upper", "max_pool with pads", OP_max_pool, CLASS_EXACT, 1, auto_pad_to_pads },
	{ "avg-pool-auto-pad", "avg_pool same_upper", "avg_pool with pads", OP_avg_pool, CLASS_EXACT, 1, auto_pad_to_pads },
	{ "lp-pool-auto-pad", "lp_pool same_upper", "lp_pool with pads", OP_lp_pool, CLASS_EXACT, 1, auto_pad_to_pads },
};

const RuleSet RULES_CONV = { "conv", rules, ARRAY_LEN(rules) };

/* Resize: separable interpolation, one axis after the other, in double; nearest copies elements of any type. */
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

/* ---- attributes ---- */

typedef enum ResizeMode { RESIZE_NEAREST, RESIZE_LINEAR, RESIZE_CUBIC } ResizeMode;
typedef enum CoordMode {
	COORD_HALF_PIXEL, COORD_HALF_PIXEL_SYMMETRIC, COORD_PYTORCH_HALF_PIXEL, COORD_ALIGN_CORNERS, COORD_ASYMMETRIC,
	COORD_TF_HALF_PIXEL, COORD_CROP
} CoordMode;
typedef enum NearestMode { NEAREST_PREFER_FLOOR, NEAREST_PREFER_CEIL, NEAREST_FLOOR, NEAREST_CEIL } NearestMode;

static const char *const mode_names[] = {"nearest", "linear", "cubic", NULL};
static const char *const coord_names[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
	"asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize", NULL};
static const char *const nearest_names[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL};
static const char *const policy_names[] = {"stretch", "not_larger", "not_smaller", NULL};

static int name_index(const char *s, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(s, names[i]))
			return i;
	return -1;
}

typedef struct Sampling {
	ResizeMode mode;
	CoordMode coord;
	NearestMode nearest;
	int policy; /* of policy_names */
	bool exclude_outside, antialias;
	double cubic_a, extrapolation;
} Sampling;

static bool sampling_read(const Op *op, Sampling *s)
{
	int mode = name_index(op_text(op, A_mode), mode_names),
		coord = name_index(op_text(op, A_coordinate_transformation_mode), coord_names);
	int nearest = name_index(op_text(op, A_nearest_mode), nearest_names);
	s->policy = name_index(op_text(op, A_keep_aspect_ratio_policy), policy_names);
	if (mode < 0 || coord < 0 || nearest < 0 || s->policy < 0)
		return false;
	s->mode = (ResizeMode)mode, s->coord = (CoordMode)coord, s->nearest = (NearestMode)nearest;
	s->exclude_outside = op_int(op, A_exclude_outside) != 0;
	s->antialias = op_int(op, A_antialias) != 0;
	s->cubic_a = op_float(op, A_cubic_coeff_a);
	s->extrapolation = op_float(op, A_extrapolation_value);
	return true;
}

/* Axes that scales, sizes and regions speak of, normalised; count or -1 when malformed. */
static int resize_axes(const Op *op, int rank, int *axes)
{
	const int64_t *v;
	size_t n = op_attr_ints(op, A_axes, &v);
	bool seen[MAX_RANK] = {0};
	if (!op_attr(op, A_axes)) {
		for (int i = 0; i < rank; i++)
			axes[i] = i;
		return rank;
	}
	if (n > (size_t)rank)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!axis_norm(v[i], rank, &axes[i]) || seen[axes[i]])
			return -1;
		seen[axes[i]] = true;
	}
	return (int)n;
}

/* Output size from a scale: single precision, as the definition's shape rule has it. -1 when out of range. */
static int64_t scaled_size(int64_t in, double scale)
{
	float size = floorf((float)in * (float)scale);
	return size >= 0 && size < 9e18f ? (int64_t)size : -1;
}

/* ---- inference ---- */

static const Sym *infer_scaled(InferCtx *x, const Op *op, const Sym *in, double scale, int d)
{
	int64_t n;
	if (scale == 1)
		return in;
	if (sym_const(in, &n) && (n = scaled_size(n, scale)) >= 0)
		return sym_int(x->ctx, n);
	if (scale >= 1 && scale < 1e6 && scale == floor(scale))
		return sym_mul(x->ctx, in, sym_int(x->ctx, (int64_t)scale));
	if (scale > 1e-6 && scale < 1 && 1 / scale == floor(1 / scale) && scale * (1 / scale) == 1)
		return sym_floordiv(x->ctx, in, sym_int(x->ctx, (int64_t)(1 / scale)));
	return infer_unknown(x, op, 0, d);
}

/* With an aspect policy one factor serves all axes; only for constants. */
static bool policy_sizes(int policy, int n, const int *axes, const int64_t *in, int64_t *sizes, double *factor)
{
	double best = 0;
	for (int i = 0; i < n; i++) {
		if (in[axes[i]] <= 0)
			return false;
		double f = (double)sizes[i] / (double)in[axes[i]];
		if (i == 0 || (policy == 1 ? f < best : f > best))
			best = f;
	}
	for (int i = 0; i < n; i++) {
		double size = floor(best * (double)in[axes[i]] + 0.5);
		if (!(size >= 0 && size < 9e18))
			return false;
		sizes[i] = (int64_t)size;
	}
	*factor = best;
	return true;
}

static bool infer_sizes(
	InferCtx *x, Op *op, const Value *in, const Elems *sizes, int policy, int n, const int *axes, const Sym **dims)
{
	int64_t from[MAX_RANK], want[MAX_RANK];
	double factor;
	bool known = true;
	if (sizes && sizes->n != n)
		return infer_error(x, op, "%lld sizes for %d axes", (long long)sizes->n, n);
	for (int i = 0; i < n; i++) {
		dims[axes[i]] = sizes && policy == 0 ? sizes->v[i] : infer_unknown(x, op, 0, axes[i]);
		known =
			known && sizes && sym_const(sizes->v[i], &want[i]) && sym_const(in->type->dims[axes[i]], &from[axes[i]]);
	}
	if (policy != 0 && known && policy_sizes(policy, n, axes, from, want, &factor))
		for (int i = 0; i < n; i++)
			dims[axes[i]] = sym_int(x->ctx, want[i]);
	return true;
}

bool infer_resize(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0), *scales = op_operand(op, 2), *sizes = op_operand(op, 3);
	int rank = value_rank(in), axes[MAX_RANK],
		policy = name_index(op_text(op, A_keep_aspect_ratio_policy), policy_names);
	const Sym *dims[MAX_RANK];
	if (rank < 0 || rank > MAX_RANK)
		return infer_tensor(x, op, 0, value_dtype(in), RANK_UNKNOWN, NULL);
	int n = resize_axes(op, rank, axes);
	if (n < 0 || policy < 0)
		return infer_error(x, op, "the axes or the aspect ratio policy are malformed");
	if (!scales && !sizes)
		return infer_error(x, op, "a resize needs scales or sizes");
	for (int d = 0; d < rank; d++)
		dims[d] = in->type->dims[d];
	if (sizes) {
		if (!infer_sizes(x, op, in, infer_elems(x, sizes), policy, n, axes, dims))
			return false;
		return infer_tensor(x, op, 0, value_dtype(in), rank, dims);
	}
	size_t count = 0;
	const double *v = constant_floats(x->arena, scales, 0, &count);
	if (v && count != (size_t)n)
		return infer_error(x, op, "%zu scales for %d axes", count, n);
	for (int i = 0; i < n; i++) {
		if (v && !(v[i] > 0))
			return infer_error(x, op, "scales must be positive");
		dims[axes[i]] = v ? infer_scaled(x, op, dims[axes[i]], v[i], axes[i]) : infer_unknown(x, op, 0, axes[i]);
	}
	return infer_tensor(x, op, 0, value_dtype(in), rank, dims);
}

/* ---- one axis ---- */

typedef struct Axis {
	int64_t in, out;
	double scale;      /* output size / input size before rounding */
	double start, end; /* region, for COORD_CROP */
} Axis;

static bool axis_is_identity(const Axis *a, const Sampling *s)
{
	return a->scale == 1 && a->in == a->out && (s->coord != COORD_CROP || (a->start == 0 && a->end == 1));
}

/* Where output o lies in the input. */
static double axis_coordinate(const Axis *a, const Sampling *s, int64_t o)
{
	double x = (double)o, in = (double)a->in, width = a->scale * in; /* width may be a fraction */
	switch (s->coord) {
	case COORD_HALF_PIXEL: return (x + 0.5) / a->scale - 0.5;
	case COORD_HALF_PIXEL_SYMMETRIC: return in / 2 * (1 - (double)a->out / width) + (x + 0.5) / a->scale - 0.5;
	case COORD_PYTORCH_HALF_PIXEL: return a->out > 1 ? (x + 0.5) / a->scale - 0.5 : 0;
	case COORD_ALIGN_CORNERS: return width == 1 ? 0 : x * (in - 1) / (width - 1);
	case COORD_ASYMMETRIC: return x / a->scale;
	case COORD_TF_HALF_PIXEL: return (x + 0.5) / a->scale;
	case COORD_CROP:
		if (a->out > 1)
			return a->start * (in - 1) + x * (a->end - a->start) * (in - 1) / (width - 1);
		return 0.5 * (a->start + a->end) * (in - 1);
	}
	return x;
}

static bool axis_is_outside(const Axis *a, const Sampling *s, double x)
{
	return s->coord == COORD_CROP && !(x >= 0 && x <= (double)a->in - 1);
}

static int64_t clamp_index(double i, int64_t n)
{
	return i > 0 ? i < (double)(n - 1) ? (int64_t)i : n - 1 : 0; /* NaN: 0 */
}

static int64_t nearest_index(const Axis *a, const Sampling *s, double x)
{
	double f = floor(x), part = x - f;
	switch (s->nearest) {
	case NEAREST_PREFER_FLOOR: f += part > 0.5; break;
	case NEAREST_PREFER_CEIL: f += part >= 0.5; break;
	case NEAREST_FLOOR: break;
	case NEAREST_CEIL: f += part > 0; break;
	}
	return clamp_index(f, a->in);
}

/* Weight of a pixel at distance t. Cubic: Keys' kernel with parameter a. */
static double kernel_weight(const Sampling *s, double t)
{
	double a = s->cubic_a;
	t = fabs(t);
	if (s->mode == RESIZE_LINEAR)
		return t < 1 ? 1 - t : 0;
	if (t <= 1)
		return ((a + 2) * t - (a + 3)) * t * t + 1;
	return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

typedef struct Tap {
	int64_t index;
	double weight;
} Tap;

/* Most taps of any output of the axis. */
static int64_t axis_taps(const Axis *a, const Sampling *s)
{
	double stretch = s->antialias && a->scale < 1 ? a->scale : 1, reach = (s->mode == RESIZE_LINEAR ? 1 : 2) / stretch;
	return reach < 1e9 ? 2 * (int64_t)ceil(reach) + 2 : -1;
}

/* Pixels that make output at x, clamped to the input. With antialias the kernel is stretched over what a pixel of the
 * result covers, and its weights are normalised. Returns their number. */
static int64_t axis_weights(const Axis *a, const Sampling *s, double x, Tap *taps)
{
	double stretch = s->antialias && a->scale < 1 ? a->scale : 1, reach = (s->mode == RESIZE_LINEAR ? 1 : 2) / stretch,
		   sum = 0;
	int64_t n = 0;
	for (double i = ceil(x - reach); i <= floor(x + reach); i++) {
		double w = kernel_weight(s, (i - x) * stretch);
		if (w == 0 || (s->exclude_outside && (i < 0 || i >= (double)a->in)))
			continue;
		taps[n++] = (Tap){clamp_index(i, a->in), w};
		sum += w;
	}
	if ((s->antialias || s->exclude_outside) && sum != 0)
		for (int64_t k = 0; k < n; k++)
			taps[k].weight /= sum;
	return n;
}

typedef struct AxisJob {
	int64_t in, out, inner;
	const int64_t *count;  /* taps of each output; -1: outside the region */
	const Tap *taps;       /* max_taps for each output */
	int64_t max_taps;
	double extrapolation;
	const double *src;
	double *dst;
} AxisJob;

/* One slice along the axis. */
static void axis_slice(void *arg, int64_t outer)
{
	const AxisJob *j = arg;
	const double *src = j->src + outer * j->in * j->inner;
	double *dst = j->dst + outer * j->out * j->inner;
	for (int64_t o = 0; o < j->out; o++, dst += j->inner) {
		const Tap *taps = j->taps + o * j->max_taps;
		for (int64_t i = 0; i < j->inner; i++)
			dst[i] = j->count[o] < 0 ? j->extrapolation : 0;
		for (int64_t k = 0; k < j->count[o]; k++) {
			const double *row = src + taps[k].index * j->inner, w = taps[k].weight;
			for (int64_t i = 0; i < j->inner; i++)
				dst[i] += w * row[i];
		}
	}
}

/* src with dims[] becomes *dst with dims[d] = a->out. */
static bool axis_run(
	EvalCtx *e, const Axis *a, const Sampling *s, int rank, int64_t *dims, int d, const double *src, Dense *dst)
{
	int64_t most = axis_taps(a, s), count, table, outer = 1, inner = 1;
	Dense memory;
	for (int i = 0; i < d; i++)
		outer *= dims[i];
	for (int i = d + 1; i < rank; i++)
		inner *= dims[i];
	dims[d] = a->out;
	if (!dims_count(dims, rank, &count) || most < 0 || !mul_ok(a->out, 2 * most + 1, &table))
		return diag_error(e->diags, HONE_LIMIT, NULL, "a resize of too many elements");
	if (!dense_scratch(e, DT_F64, count, dst) || !dense_scratch(e, DT_F64, table, &memory))
		return false;
	Tap *taps = memory.data;
	int64_t *used = (int64_t *)(taps + a->out * most);
	for (int64_t o = 0; o < a->out; o++) {
		double x = axis_coordinate(a, s, o);
		used[o] = axis_is_outside(a, s, x) ? -1 : axis_weights(a, s, x, taps + o * most);
	}
	AxisJob j = {.in = a->in, .out = a->out, .inner = inner, .count = used, .taps = taps, .max_taps = most,
		.extrapolation = s->extrapolation, .src = src, .dst = dst->data};
	if (count > 0)
		parallel_for(dense_threads(e, (double)count * 4), outer, axis_slice, &j);
	dense_release(&memory);
	return true;
}

/* ---- whole tensors ---- */

static bool interpolate(EvalCtx *e, const Axis *axes, const Sampling *s, Tensor *x, Tensor *y)
{
	Dense now;
	int64_t dims[MAX_RANK];
	memcpy(dims, x->dims, sizeof(dims));
	if (!dense_load(e, x, DT_F64, &now))
		return false;
	for (int d = 0; d < x->rank; d++) {
		Dense next;
		if (axis_is_identity(&axes[d], s))
			continue;
		if (!axis_run(e, &axes[d], s, x->rank, dims, d, now.data, &next))
			return false;
		dense_release(&now);
		now = next;
	}
	const double *v = now.data;
	if (dtype_is_float(y->dtype))
		tensor_store_f64(y, 0, y->count, v);
	for (int64_t i = 0; !dtype_is_float(y->dtype) && i < y->count; i++) {
		double low = (double)dtype_int_min(y->dtype), high = (double)dtype_int_max(y->dtype), r = rint(v[i]);
		if (r >= high)
			tensor_set_i64(y, i, (int64_t)dtype_int_max(y->dtype));
		else
			tensor_set_i64(y, i, r > low ? (int64_t)r : dtype_int_min(y->dtype));
	}
	dense_release(&now);
	return true;
}

/* Copies whole elements; index[d] lists where each output along dim d comes from (-1: outside the region). */
static bool pick_nearest(EvalCtx *e, const Axis *axes, const Sampling *s, const Tensor *x, Tensor *y)
{
	int64_t all = 0, at[MAX_RANK] = {0}, steps[MAX_RANK], *index[MAX_RANK];
	size_t size = tensor_elem_size(x);
	Dense memory;
	if (y->count == 0)
		return true;
	for (int d = 0; d < x->rank; d++)
		all += axes[d].out;
	if (!dense_scratch(e, DT_I64, all, &memory))
		return false;
	strides_of(x->rank, x->dims, steps);
	int64_t *next = memory.data;
	for (int d = 0; d < x->rank; d++) {
		index[d] = next;
		for (int64_t o = 0; o < axes[d].out; o++) {
			double c = axis_is_identity(&axes[d], s) ? (double)o : axis_coordinate(&axes[d], s, o);
			*next++ = axis_is_outside(&axes[d], s, c) ? -1 : nearest_index(&axes[d], s, c);
		}
	}
	for (int64_t i = 0; i < y->count; i++) {
		int64_t from = 0;
		bool inside = true;
		for (int d = 0; d < x->rank; d++) {
			int64_t k = index[d][at[d]];
			inside = inside && k >= 0;
			from += k * steps[d];
		}
		if (inside)
			memcpy((char *)y->data + (size_t)i * size, (const char *)x->data + (size_t)from * size, size);
		else if (dtype_is_float(y->dtype))
			tensor_set_f64(y, i, s->extrapolation);
		else if (y->store != DT_STR && dtype_class(y->dtype) != DC_COMPLEX)
			tensor_set_i64(y, i, (int64_t)s->extrapolation);
		for (int d = x->rank; d-- > 0 && ++at[d] == y->dims[d];)
			at[d] = 0;
	}
	dense_release(&memory);
	return true;
}

/* Sizes and factors of all axes from the operands. */
static bool resize_plan(EvalCtx *e, const Op *op, Tensor *const *in, const Sampling *s, Axis *axes)
{
	Tensor *x = in[0], *roi = op->noperands > 1 ? in[1] : NULL, *scales = op->noperands > 2 ? in[2] : NULL,
		   *sizes = op->noperands > 3 ? in[3] : NULL;
	int list[MAX_RANK], n = resize_axes(op, x->rank, list);
	int64_t want[MAX_RANK];
	if (n < 0)
		return eval_error(e, op, "the axes are out of range or repeated");
	for (int d = 0; d < x->rank; d++)
		axes[d] = (Axis){.in = x->dims[d], .out = x->dims[d], .scale = 1, .start = 0, .end = 1};
	if (s->coord == COORD_CROP && (!roi || roi->count != 2 * n || roi->store == DT_STR))
		return eval_error(e, op, "tf_crop_and_resize needs a region of %d numbers", 2 * n);
	if (sizes && sizes->count > 0) {
		double factor = 0;
		if (tensor_ints(sizes, want, MAX_RANK) != n)
			return eval_error(e, op, "there must be one size for each of %d axes", n);
		bool policy_ok = s->policy == 0 || policy_sizes(s->policy, n, list, x->dims, want, &factor);
		for (int i = 0; i < n; i++) {
			Axis *a = &axes[list[i]];
			if (want[i] < 0 || !policy_ok || (a->in == 0 && want[i] > 0))
				return eval_error(e, op, "cannot resize %lld elements to %lld", (long long)a->in, (long long)want[i]);
			a->out = want[i];
			a->scale = a->in == 0 ? 1 : s->policy ? factor : (double)a->out / (double)a->in;
		}
	} else {
		if (!scales || scales->count != n || scales->store == DT_STR)
			return eval_error(e, op, "there must be one scale or size for each of %d axes", n);
		for (int i = 0; i < n; i++) {
			Axis *a = &axes[list[i]];
			a->scale = tensor_get_f64(scales, i);
			a->out = a->scale > 0 ? scaled_size(a->in, a->scale) : -1;
			if (a->out < 0)
				return eval_error(e, op, "scale %g is not positive or too large", a->scale);
		}
	}
	for (int i = 0; s->coord == COORD_CROP && i < n; i++) {
		axes[list[i]].start = tensor_get_f64(roi, i);
		axes[list[i]].end = tensor_get_f64(roi, n + i);
	}
	return true;
}

bool eval_resize(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Sampling s;
	Axis axes[MAX_RANK];
	int64_t dims[MAX_RANK];
	if (in[0]->kind != TYPE_TENSOR)
		return eval_error(e, op, "the input is not a tensor");
	if (!sampling_read(op, &s))
		return eval_unsupported(e, op, "mode \"%s\" is none of nearest, linear, cubic", op_text(op, A_mode));
	if (!resize_plan(e, op, in, &s, axes))
		return false;
	for (int d = 0; d < in[0]->rank; d++)
		dims[d] = axes[d].out;
	out[0] = tensor_new(e, in[0]->dtype, in[0]->rank, dims);
	if (!out[0])
		return false;
	if (s.mode == RESIZE_NEAREST)
		return pick_nearest(e, axes, &s, in[0], out[0]);
	return dense_operands(e, op, in, false) && interpolate(e, axes, &s, in[0], out[0]);
}

bool resize_axis(EvalCtx *e, const Op *op, Tensor *const *in, int d, Arena *a, ResizeAxis *out)
{
	Sampling s;
	Axis axes[MAX_RANK];
	if (!sampling_read(op, &s))
		return eval_unsupported(e, op, "mode \"%s\" is none of nearest, linear, cubic", op_text(op, A_mode));
	if (!resize_plan(e, op, in, &s, axes))
		return false;
	const Axis *x = &axes[d];
	int64_t most = s.mode == RESIZE_NEAREST ? 1 : axis_taps(x, &s), table;
	if (most < 0 || !mul_ok(x->out, most, &table) || table > (int64_t)1 << 24)
		return diag_error(e->diags, HONE_LIMIT, NULL, "a resize of too many elements");
	*out = (ResizeAxis){.in = x->in, .out = x->out, .max = most, .identity = axis_is_identity(x, &s)};
	if (out->identity)
		return true;
	out->count = NEW_ARRAY(a, int64_t, x->out + 1);
	out->index = NEW_ARRAY(a, int64_t, table + 1);
	out->weight = NEW_ARRAY(a, double, table + 1);
	Tap *taps = NEW_ARRAY(a, Tap, most);
	for (int64_t o = 0; o < x->out; o++) {
		double at = axis_coordinate(x, &s, o);
		if (s.mode == RESIZE_NEAREST)
			taps[0] = (Tap){nearest_index(x, &s, at), 1};
		out->count[o] = axis_is_outside(x, &s, at) ? -1 : s.mode == RESIZE_NEAREST ? 1 : axis_weights(x, &s, at, taps);
		for (int64_t k = 0; k < out->count[o]; k++) {
			out->index[o * most + k] = taps[k].index;
			out->weight[o * most + k] = taps[k].weight;
		}
	}
	return true;
}

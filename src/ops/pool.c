/* Pooling over windows, over whole planes, over regions, and back. */
#include "ops/gemm.h"
#include "ops/window.h"

#include <math.h>
#include <string.h>

/* ---- inference ---- */

/* Batch and channels as they are, spatial dims by the window. */
static bool infer_pool(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0);
	const int64_t *kernel;
	size_t nkernel = op_attr_ints(op, A_kernel, &kernel);
	int rank = value_rank(in);
	if (rank >= 0 && (rank < 3 || nkernel != (size_t)(rank - 2)))
		return infer_error(x, op, "the kernel has %zu dimensions for an input of rank %d", nkernel, rank);
	if (nkernel == 0 || nkernel > MAX_RANK - 2)
		return infer_error(x, op, "the kernel must have 1 to %d dimensions", MAX_RANK - 2);
	Window w;
	const char *wrong = window_attrs(op, (int)nkernel, &w);
	if (wrong)
		return infer_error(x, op, "%s", wrong);
	const Sym *dims[MAX_RANK];
	for (int d = 0; d < (int)nkernel + 2; d++) {
		bool misfit = false;
		if (d >= 2 && kernel[d - 2] < 1)
			return infer_error(x, op, "kernel sizes must be positive");
		if (rank < 0)
			dims[d] = infer_unknown(x, op, 0, d);
		else
			dims[d] = d < 2 ? in->type->dims[d]
							: window_infer_dim(x, &w, d - 2, in->type->dims[d], sym_int(x->ctx, kernel[d - 2]),
								  op_int(op, A_ceil_mode) != 0, &misfit);
		if (misfit)
			return infer_error(x, op, "the kernel is larger than the padded input in spatial dimension %d", d - 2);
	}
	infer_tensor(x, op, 0, value_dtype(in), (int)nkernel + 2, dims);
	if (op->nresults > 1)
		infer_tensor(x, op, 1, DT_I64, (int)nkernel + 2, dims);
	return true;
}

bool infer_max_pool(InferCtx *x, Op *op)
{
	return infer_pool(x, op);
}

bool infer_avg_pool(InferCtx *x, Op *op)
{
	return infer_pool(x, op);
}

bool infer_global_pool(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0);
	int rank = value_rank(in);
	const Sym *dims[MAX_RANK];
	if (rank >= 0 && rank < 2)
		return infer_error(x, op, "the input needs batch and channel dimensions");
	if (rank > MAX_RANK)
		return true;
	for (int d = 0; d < rank; d++)
		dims[d] = d < 2 ? in->type->dims[d] : sym_int(x->ctx, 1);
	return infer_tensor(x, op, 0, value_dtype(in), rank, dims);
}

bool infer_max_unpool(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0), *shape = op_operand(op, 2);
	const int64_t *kernel;
	int rank = value_rank(in);
	size_t nkernel = op_attr_ints(op, A_kernel, &kernel);
	const Sym *dims[MAX_RANK];
	const Elems *given = shape ? infer_elems(x, shape) : NULL;
	if (rank < 0 || rank > MAX_RANK)
		return infer_tensor(x, op, 0, value_dtype(in), RANK_UNKNOWN, NULL);
	if (rank < 3 || nkernel != (size_t)(rank - 2))
		return infer_error(x, op, "the kernel has %zu dimensions for an input of rank %d", nkernel, rank);
	if (given && given->n != rank)
		return infer_error(
			x, op, "an output shape of %lld dimensions for an input of rank %d", (long long)given->n, rank);
	Window w;
	const char *wrong = window_attrs(op, rank - 2, &w);
	if (wrong)
		return infer_error(x, op, "%s", wrong);
	for (int d = 0; d < rank; d++) {
		if (shape)
			dims[d] = given ? given->v[d] : infer_unknown(x, op, 0, d);
		else if (d < 2)
			dims[d] = in->type->dims[d];
		else {
			const Sym *steps = sym_mul(
				x->ctx, sym_sub(x->ctx, in->type->dims[d], sym_int(x->ctx, 1)), sym_int(x->ctx, w.stride[d - 2]));
			const Sym *pads = sym_add(x->ctx, sym_int(x->ctx, w.begin[d - 2]), sym_int(x->ctx, w.end[d - 2]));
			dims[d] = sym_sub(x->ctx, sym_add(x->ctx, steps, sym_int(x->ctx, kernel[d - 2])), pads);
		}
	}
	return infer_tensor(x, op, 0, value_dtype(in), rank, dims);
}

bool infer_max_roi_pool(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0), *rois = op_operand(op, 1);
	const int64_t *size;
	if (op_attr_ints(op, A_pooled_shape, &size) != 2 || size[0] < 1 || size[1] < 1)
		return infer_error(x, op, "pooled_shape must hold two positive numbers");
	if ((value_rank(in) >= 0 && value_rank(in) != 4) || (value_rank(rois) >= 0 && value_rank(rois) != 2))
		return infer_error(x, op, "the input must have rank 4 and the regions rank 2");
	const Sym *dims[4] = {
		value_rank(rois) == 2 ? rois->type->dims[0] : infer_unknown(x, op, 0, 0),
		value_rank(in) == 4 ? in->type->dims[1] : infer_unknown(x, op, 0, 1),
		sym_int(x->ctx, size[0]), sym_int(x->ctx, size[1])};
	return infer_tensor(x, op, 0, value_dtype(in), 4, dims);
}

/* ---- loops ---- */

enum { CHUNK = 256 }; /* outputs of a row summed at a time */

typedef struct PoolJob {
	Window w;
	const void *x;
	void *y;
	int64_t *places;   /* of the maxima, or NULL */
	bool column_major; /* how places count */
	bool include_pad;
	int64_t p;         /* order of the norm; 0: average */
} PoolJob;

/* Window elements of output o in dim d that lie in the input (or its padding). */
static inline int64_t window_count(const Window *w, int d, int64_t o, bool include_pad)
{
	int64_t lo, hi;
	valid_range(o * w->stride[d] - w->begin[d] + (include_pad ? w->begin[d] : 0), w->dilation[d],
		w->in[d] + (include_pad ? w->begin[d] + w->end[d] : 0), w->kernel[d], &lo, &hi);
	return hi - lo;
}

static inline double root(double sum, int64_t p)
{
	return p == 1 ? sum : p == 2 ? sqrt(sum) : pow(sum, 1.0 / (double)p);
}

#define T float
#define NAME(x) x##_f32
#define LOWEST (-INFINITY)
#define IS_NAN(v) isnan(v)
#include "pool_loops.inc"
#include "pool_max.inc"
#undef NAME
#undef T
#define T double
#define NAME(x) x##_f64
#include "pool_loops.inc"
#include "pool_max.inc"
#undef LOWEST
#undef IS_NAN
#undef NAME
#undef T
#define T int64_t
#define NAME(x) x##_i64
#define LOWEST INT64_MIN
#define IS_NAN(v) false
#include "pool_max.inc"
#undef LOWEST
#undef IS_NAN
#undef NAME
#undef T

/* ---- windows ---- */

static bool pool_window(EvalCtx *e, const Op *op, const Tensor *x, Window *w)
{
	const int64_t *kernel;
	size_t n = op_attr_ints(op, A_kernel, &kernel);
	if (x->rank < 3 || n != (size_t)(x->rank - 2))
		return eval_error(e, op, "the kernel has %zu dimensions for an input of rank %d", n, x->rank);
	return window_init(e, op, x, kernel, op_int(op, A_ceil_mode) != 0, w);
}

static Tensor *pool_result(EvalCtx *e, const Tensor *x, const Window *w, DType dtype)
{
	int64_t dims[MAX_RANK];
	memcpy(dims, x->dims, 2 * sizeof(*dims));
	memcpy(dims + 2, w->out, (size_t)w->rank * sizeof(*dims));
	return tensor_new(e, dtype, x->rank, dims);
}

/* Runs the loop of the kind over all planes. */
static bool pool_run(EvalCtx *e, Tensor *x, Tensor *y, DType kind, PoolJob *j, void (*plane)(void *arg, int64_t i))
{
	Dense dx = {0}, dy = {0};
	bool ok = dense_load(e, x, kind, &dx) && dense_result(e, y, kind, &dy);
	if (ok && y->count > 0) {
		j->x = dx.data, j->y = dy.data;
		double work = (double)y->count * (double)j->w.kernel_size;
		parallel_for(dense_threads(e, work), y->count / j->w.out_size, plane, j);
	}
	dense_release(&dx);
	if (ok)
		dense_store(y, kind, &dy);
	else
		dense_release(&dy);
	return ok;
}

bool eval_max_pool(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	PoolJob j = {.column_major = op_int(op, A_storage_order) != 0};
	if (!dense_operands(e, op, in, false) || !pool_window(e, op, in[0], &j.w))
		return false;
	DType kind = dense_kind(in, 1);
	out[0] = pool_result(e, in[0], &j.w, in[0]->dtype);
	if (!out[0])
		return false;
	if (op->nresults < 2)
		return pool_run(e, in[0], out[0], kind, &j,
			kind == DT_F32       ? max_plane_f32
				: kind == DT_F64 ? max_plane_f64
								 : max_plane_i64);
	out[1] = pool_result(e, in[0], &j.w, DT_I64);
	if (!out[1])
		return false;
	j.places = out[1]->data;
	return pool_run(e, in[0], out[0], kind, &j,
		kind == DT_F32       ? max_plane_at_f32
			: kind == DT_F64 ? max_plane_at_f64
							 : max_plane_at_i64);
}

static bool sum_pool(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out, PoolJob *j)
{
	if (!dense_operands(e, op, in, false) || !pool_window(e, op, in[0], &j->w))
		return false;
	DType kind = dense_kind(in, 1) == DT_F32 ? DT_F32 : DT_F64;
	out[0] = pool_result(e, in[0], &j->w, in[0]->dtype);
	return out[0] && pool_run(e, in[0], out[0], kind, j, kind == DT_F32 ? sum_plane_f32 : sum_plane_f64);
}

bool eval_avg_pool(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	PoolJob j = {.include_pad = op_int(op, A_count_include_pad) != 0};
	return sum_pool(e, op, in, out, &j);
}

bool eval_lp_pool(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	PoolJob j = {.p = op_int(op, A_p)};
	if (j.p < 1)
		return eval_error(e, op, "the order of a norm must be at least 1, not %lld", (long long)j.p);
	return sum_pool(e, op, in, out, &j);
}

/* ---- whole planes ---- */

typedef struct GlobalJob {
	DType kind;
	OpKind op;
	int64_t p, size;
	const void *x;
	void *y;
} GlobalJob;

static void global_plane(void *arg, int64_t i)
{
	const GlobalJob *j = arg;
	const void *x = dense_at(j->kind, j->x, i * j->size);
	if (j->op == OP_global_max_pool) {
		if (j->kind == DT_F32)
			((float *)j->y)[i] = plane_max_f32(x, j->size);
		else if (j->kind == DT_F64)
			((double *)j->y)[i] = plane_max_f64(x, j->size);
		else
			((int64_t *)j->y)[i] = plane_max_i64(x, j->size);
		return;
	}
	double s = j->kind == DT_F32 ? plane_sum_f32(x, j->size, j->p) : plane_sum_f64(x, j->size, j->p);
	double v = j->p ? root(s, j->p) : s / (double)j->size;
	if (j->kind == DT_F32)
		((float *)j->y)[i] = (float)v;
	else
		((double *)j->y)[i] = v;
}

bool eval_global_pool(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0];
	GlobalJob j = {.op = op_kind(op), .p = op_is(op, OP_global_lp_pool) ? op_int(op, A_p) : 0, .size = 1};
	int64_t dims[MAX_RANK];
	if (!dense_operands(e, op, in, false))
		return false;
	if (x->rank < 2 || j.p < 0 || (op_is(op, OP_global_lp_pool) && j.p < 1))
		return eval_error(e, op, "a global pool needs batch and channel dimensions and a norm of order 1 or more");
	for (int d = 0; d < x->rank; d++) {
		dims[d] = d < 2 ? x->dims[d] : 1;
		j.size = d < 2 ? 1 : (int64_t)((uint64_t)j.size * (uint64_t)x->dims[d]);
	}
	DType kind = dense_kind(in, 1);
	j.kind = kind == DT_I64 && j.op != OP_global_max_pool ? DT_F64 : kind;
	out[0] = tensor_new(e, x->dtype, x->rank, dims);
	Dense dx = {0}, dy = {0};
	if (!out[0] || !dense_load(e, x, j.kind, &dx) || !dense_result(e, out[0], j.kind, &dy))
		return false;
	j.x = dx.data, j.y = dy.data;
	parallel_for(dense_threads(e, (double)x->count), out[0]->count, global_plane, &j);
	dense_release(&dx);
	dense_store(out[0], j.kind, &dy);
	return true;
}

/* ---- back and regions ---- */

/* Places count in the tensor that the pool was taken of, whose shape follows from the window; output_shape may be
 * larger and holds it at the front of each dim. */
bool eval_max_unpool(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0], *places = in[1], *shape = op->noperands > 2 ? in[2] : NULL;
	const int64_t *kernel;
	size_t nkernel = op_attr_ints(op, A_kernel, &kernel);
	int64_t dims[MAX_RANK], want[MAX_RANK], at[MAX_RANK], steps[MAX_RANK], count;
	Window w;
	if (!dense_operands(e, op, in, false))
		return false;
	if (x->rank < 3 || nkernel != (size_t)(x->rank - 2) || places->count != x->count)
		return eval_error(e, op, "the kernel or the indices do not fit an input of rank %d", x->rank);
	const char *wrong = window_attrs(op, x->rank - 2, &w);
	if (wrong)
		return eval_error(e, op, "%s", wrong);
	for (int d = 0; d < x->rank; d++) {
		int64_t step;
		dims[d] = x->dims[d];
		if (d >= 2 && (!mul_ok(x->dims[d] - 1, w.stride[d - 2], &step) || !add_ok(step, kernel[d - 2], &step) ||
				!sub_ok(step, w.begin[d - 2], &step) || !sub_ok(step, w.end[d - 2], &dims[d]) || dims[d] < 0))
			return eval_error(e, op, "the output would have a negative or too large size");
	}
	if (shape && tensor_ints(shape, want, MAX_RANK) != x->rank)
		return eval_error(e, op, "the output shape must have %d entries", x->rank);
	out[0] = tensor_new(e, x->dtype, x->rank, shape ? want : dims);
	if (!dims_count(dims, x->rank, &count))
		return eval_error(e, op, "the output would be too large");
	if (!out[0])
		return false;
	strides_of(x->rank, out[0]->dims, steps);
	for (int64_t i = 0; i < x->count; i++) {
		int64_t place = tensor_get_i64(places, i), to = 0;
		bool inside = true;
		if (place < 0 || place >= count)
			return eval_error(
				e, op, "index %lld is outside an output of %lld elements", (long long)place, (long long)count);
		index_of(place, dims, x->rank, at);
		for (int d = 0; d < x->rank; d++) {
			inside = inside && at[d] < out[0]->dims[d];
			to += at[d] * steps[d];
		}
		if (inside && dtype_is_float(x->dtype))
			tensor_set_f64(out[0], to, tensor_get_f64(x, i));
		else if (inside)
			tensor_set_i64(out[0], to, tensor_get_i64(x, i));
	}
	return true;
}

/* Bin b of n over a region: [*lo, *hi) clipped to the image. */
static void roi_bin(double from, double size, int64_t b, int64_t n, int64_t limit, int64_t *lo, int64_t *hi)
{
	double each = size / (double)n, a = floor((double)b * each) + from, z = ceil((double)(b + 1) * each) + from;
	*lo = (int64_t)fmin(fmax(a, 0), (double)limit);
	*hi = (int64_t)fmin(fmax(z, 0), (double)limit);
}

/* Regions are (batch, x1, y1, x2, y2), rounded to whole pixels after scaling, ends included; empty bins give 0. */
bool eval_max_roi_pool(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x = in[0], *rois = in[1];
	const int64_t *size;
	double scale = op_float(op, A_spatial_scale);
	if (!dense_operands(e, op, in, false))
		return false;
	if (op_attr_ints(op, A_pooled_shape, &size) != 2 || size[0] < 1 || size[1] < 1)
		return eval_error(e, op, "pooled_shape must hold two positive numbers");
	if (x->rank != 4 || rois->rank != 2 || rois->dims[1] != 5)
		return eval_error(e, op, "the input must have rank 4 and the regions shape nx5");
	int64_t channels = x->dims[1], h = x->dims[2], width = x->dims[3];
	out[0] = tensor_new(e, x->dtype, 4, (int64_t[]){rois->dims[0], channels, size[0], size[1]});
	Dense dx;
	if (!out[0] || !dense_load(e, x, DT_F64, &dx))
		return false;
	for (int64_t r = 0, at = 0; r < rois->dims[0] && out[0]->count; r++) {
		double roi[5];
		tensor_load_f64(rois, r * 5, 5, roi);
		if (!(roi[0] >= 0 && roi[0] < (double)x->dims[0]))
			return eval_error(e, op, "a region of batch entry %g, but there are %lld", roi[0], (long long)x->dims[0]);
		for (int i = 1; i < 5; i++)
			roi[i] = round(roi[i] * scale);
		double tall = fmax(roi[4] - roi[2] + 1, 1), wide = fmax(roi[3] - roi[1] + 1, 1);
		for (int64_t c = 0; c < channels; c++) {
			const double *plane = (const double *)dx.data + ((int64_t)roi[0] * channels + c) * h * width;
			for (int64_t i = 0; i < size[0] * size[1]; i++, at++) {
				int64_t y0, y1, x0, x1;
				roi_bin(roi[2], tall, i / size[1], size[0], h, &y0, &y1);
				roi_bin(roi[1], wide, i % size[1], size[1], width, &x0, &x1);
				double best = y0 < y1 && x0 < x1 ? -INFINITY : 0;
				for (int64_t row = y0; row < y1; row++)
					for (int64_t col = x0; col < x1; col++)
						best = larger_f64(best, plane[row * width + col]);
				tensor_set_f64(out[0], at, best);
			}
		}
	}
	dense_release(&dx);
	return true;
}

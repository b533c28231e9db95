/* Convolution and its integer, quantised and deformable forms. */
#include "ops/gemm.h"
#include "ops/window.h"

#include <math.h>
#include <string.h>

/* ---- inference ---- */

/* Output channels and spatial dims of a convolution; weights O I/g spatial. */
static bool infer_conv_of(InferCtx *x, Op *op, const Value *in, const Value *weight, DType dtype)
{
	int ri = value_rank(in), rw = value_rank(weight), rank = ri >= 0 ? ri : rw;
	if (rank < 0)
		return infer_tensor(x, op, 0, dtype, RANK_UNKNOWN, NULL);
	if (ri >= 0 && rw >= 0 && ri != rw)
		return infer_error(x, op, "the input has rank %d but the weights have rank %d", ri, rw);
	Window w;
	const char *wrong = rank < 2 ? "the input needs batch and channel dimensions" : window_attrs(op, rank - 2, &w);
	if (wrong)
		return infer_error(x, op, "%s", wrong);
	const Sym *dims[MAX_RANK];
	const Sym *const *di = ri >= 0 ? in->type->dims : NULL, *const *dw = rw >= 0 ? weight->type->dims : NULL;
	int64_t groups = op_int(op, A_groups), m;
	if (groups < 1)
		return infer_error(x, op, "the number of groups must be positive");
	if (di && dw && sym_known_ne(x->ctx, di[1], sym_mul(x->ctx, dw[1], sym_int(x->ctx, groups))))
		return infer_error(
			x, op, "the input's channels are not the weights' channels times %lld groups", (long long)groups);
	if (dw && sym_const(dw[0], &m) && m % groups != 0)
		return infer_error(
			x, op, "%lld output channels do not divide into %lld groups", (long long)m, (long long)groups);
	dims[0] = di ? di[0] : infer_unknown(x, op, 0, 0);
	dims[1] = dw ? dw[0] : infer_unknown(x, op, 0, 1);
	for (int d = 0; d < rank - 2; d++) {
		bool misfit = false;
		dims[d + 2] = di ? window_infer_dim(x, &w, d, di[d + 2], dw ? dw[d + 2] : NULL, false, &misfit) : NULL;
		if (misfit)
			return infer_error(x, op, "the kernel is larger than the padded input in spatial dimension %d", d);
		if (!dims[d + 2])
			dims[d + 2] = infer_unknown(x, op, 0, d + 2);
	}
	return infer_tensor(x, op, 0, dtype, rank, dims);
}

bool infer_conv(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0), *w = op_operand(op, 1);
	return infer_conv_of(x, op, in, w, value_dtype(in) != DT_NONE ? value_dtype(in) : value_dtype(w));
}

bool infer_conv_integer(InferCtx *x, Op *op)
{
	return infer_conv_of(x, op, op_operand(op, 0), op_operand(op, 1), DT_I32);
}

bool infer_quantized_conv(InferCtx *x, Op *op)
{
	DType d = value_dtype(op_operand(op, 7));
	return infer_conv_of(
		x, op, op_operand(op, 0), op_operand(op, 3), d != DT_NONE ? d : value_dtype(op_operand(op, 0)));
}

bool infer_deform_conv(InferCtx *x, Op *op)
{
	return infer_conv(x, op);
}

/* ---- loops ---- */

typedef struct ConvJob {
	Window w;
	DType kind;
	int64_t batch, in_channels, out_channels, group_in, group_out, groups;
	const void *x, *weight, *bias; /* bias may be NULL */
	void *y;                       /* zeroed */
} ConvJob;

#define T float
#define NAME(x) x##_f32
#include "conv_loops.inc"
#undef NAME
#undef T
#define T double
#define NAME(x) x##_f64
#include "conv_loops.inc"
#undef NAME
#undef T
#define T uint64_t
#define NAME(x) x##_u64
#include "conv_loops.inc"
#undef NAME
#undef T

enum { MAX_PANEL = 64 }; /* columns that a panel of the product may have */

/* Neighbouring columns of a panel: output elements of one row. */
typedef struct PackRun {
	int64_t column, len;
	int64_t first;            /* input index, in the last dim, of the first column at kernel element 0 */
	int64_t origin[MAX_RANK]; /* likewise in the other dims */
} PackRun;

static int pack_runs(const Window *w, int64_t n0, int64_t nn, PackRun *runs)
{
	CHECK(nn <= MAX_PANEL);
	int n = 0;
	int64_t o[MAX_RANK];
	for (int64_t at = 0; at < nn;) {
		PackRun *run = &runs[n++];
		index_of(n0 + at, w->out, w->rank, o);
		int last = w->rank - 1;
		int64_t left = last >= 0 ? w->out[last] - o[last] : 1;
		run->column = at;
		run->len = left < nn - at ? left : nn - at;
		run->first = last >= 0 ? o[last] * w->stride[last] - w->begin[last] : 0;
		for (int d = 0; d < last; d++)
			run->origin[d] = o[d] * w->stride[d] - w->begin[d];
		at += run->len;
	}
	return n;
}

#define T float
#define NAME(x) x##_f32
#include "conv_pack.inc"
#undef NAME
#undef T
#define T double
#define NAME(x) x##_f64
#include "conv_pack.inc"
#undef NAME
#undef T

/* One image and group: weights (m x k) times windows (k x n). */
static void conv_bind(void *arg, int64_t i, Gemm *g)
{
	const ConvJob *j = arg;
	int64_t n = i / j->groups, group = i % j->groups;
	g->a = dense_at(j->kind, j->weight, group * j->group_out * g->k);
	g->b = dense_at(j->kind, j->x, (n * j->in_channels + group * j->group_in) * j->w.in_size);
	g->c = dense_at(j->kind, j->y, (n * j->out_channels + group * j->group_out) * j->w.out_size);
}

/* A 1x1 kernel that steps over every element reads the input as it lies. */
static bool conv_is_pointwise(const Window *w)
{
	for (int d = 0; d < w->rank; d++)
		if (w->kernel[d] != 1 || w->stride[d] != 1 || w->begin[d] != 0 || w->end[d] != 0)
			return false;
	return true;
}

/* Few products per input element (depthwise) and integers go by the definition, the rest through the blocked product.
 */
static void conv_run(EvalCtx *e, const ConvJob *j)
{
	enum { FEW = 4 };
	const Window *w = &j->w;
	int64_t planes = j->batch * j->out_channels;
	if (planes == 0 || w->out_size == 0)
		return;
	if (j->kind == DT_F32)
		fill_bias_f32(j);
	else if (j->kind == DT_F64)
		fill_bias_f64(j);
	else
		fill_bias_u64(j);
	if (j->group_in == 0)
		return;
	if (j->kind == DT_I64 || (j->group_in == 1 && j->group_out <= FEW)) {
		double work = (double)planes * (double)j->group_in * (double)w->kernel_size * (double)w->out_size;
		parallel_for(dense_threads(e, work), planes,
			j->kind == DT_F32       ? direct_f32
				: j->kind == DT_F64 ? direct_f64
									: direct_u64,
			(void *)(uintptr_t)j);
		return;
	}
	Gemm g = {.type = j->kind,
		.m = j->group_out,
		.n = w->out_size,
		.k = j->group_in * w->kernel_size,
		.a_col = 1,
		.b_col = 1,
		.c_row = w->out_size,
		.c_col = 1};
	g.a_row = g.k;
	if (conv_is_pointwise(w)) {
		g.b_row = w->in_size;
	} else {
		g.pack = j->kind == DT_F32 ? pack_windows_f32 : pack_windows_f64;
		g.pack_arg = w;
	}
	gemm_run_many(e->threads, &g, j->batch * j->groups, conv_bind, (void *)(uintptr_t)j);
}

/* Checks channels and sizes and makes the result. */
static bool conv_plan(EvalCtx *e, const Op *op, const Tensor *x, const Tensor *weight, const Tensor *bias, DType dtype,
	ConvJob *j, Tensor **y)
{
	if (x->rank < 2 || weight->rank != x->rank)
		return eval_error(e, op, "the input has rank %d and the weights rank %d; both must be equal and at least 2",
			x->rank, weight->rank);
	int64_t groups = op_int(op, A_groups), dims[MAX_RANK], channels;
	if (groups < 1 || weight->dims[0] % groups != 0 || !mul_ok(weight->dims[1], groups, &channels) ||
		channels != x->dims[1])
		return eval_error(e, op,
			"%lld input channels, weights for %lld to %lld channels, %lld groups do not go together",
			(long long)x->dims[1], (long long)weight->dims[1], (long long)weight->dims[0], (long long)groups);
	if (bias && bias->count != weight->dims[0])
		return eval_error(
			e, op, "a bias of %lld elements for %lld channels", (long long)bias->count, (long long)weight->dims[0]);
	if (!window_init(e, op, x, weight->dims + 2, false, &j->w))
		return false;
	j->batch = x->dims[0];
	j->in_channels = x->dims[1];
	j->out_channels = weight->dims[0];
	j->groups = groups;
	j->group_in = weight->dims[1];
	j->group_out = weight->dims[0] / groups;
	dims[0] = x->dims[0];
	dims[1] = weight->dims[0];
	memcpy(dims + 2, j->w.out, (size_t)j->w.rank * sizeof(*dims));
	*y = tensor_new(e, dtype, x->rank, dims);
	return *y != NULL;
}

bool eval_conv(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *bias = op->noperands > 2 ? in[2] : NULL;
	ConvJob j = {0};
	if (!dense_operands(e, op, in, false) || !conv_plan(e, op, in[0], in[1], bias, in[0]->dtype, &j, &out[0]))
		return false;
	Tensor *all[3] = {in[0], in[1], bias};
	Dense x = {0}, weight = {0}, b = {0}, y = {0};
	j.kind = dense_kind(all, 3);
	bool ok = dense_load(e, in[0], j.kind, &x) && dense_load(e, in[1], j.kind, &weight) &&
		dense_load(e, bias, j.kind, &b) && dense_result(e, out[0], j.kind, &y);
	if (ok) {
		j.x = x.data, j.weight = weight.data, j.bias = b.data, j.y = y.data;
		conv_run(e, &j);
		dense_store(out[0], j.kind, &y);
	}
	dense_release(&x);
	dense_release(&weight);
	dense_release(&b);
	return ok;
}

/* ---- integer and quantised ---- */

/* x - zero as double; more than one zero point: one for each entry of dim 0. */
static bool load_shifted(EvalCtx *e, const Op *op, const Tensor *x, const Tensor *zero, Dense *out)
{
	if (!dense_scratch(e, DT_F64, x->count, out))
		return false;
	if (zero && zero->count != 1 && zero->count != x->dims[0])
		return eval_error(e, op, "%lld zero points for %lld channels", (long long)zero->count, (long long)x->dims[0]);
	double *p = out->data;
	tensor_load_f64(x, 0, x->count, p);
	int64_t each = x->dims[0] > 0 ? x->count / x->dims[0] : 0;
	for (int64_t i = 0; zero && each && i < x->dims[0]; i++) {
		double z = tensor_get_f64(zero, zero->count == 1 ? 0 : i);
		for (int64_t k = 0; k < each; k++)
			p[i * each + k] -= z;
	}
	return true;
}

/* Exact sums as doubles (8-bit products below 2^53); padding counts as the zero point. */
static bool integer_conv(EvalCtx *e, const Op *op, Tensor *x, Tensor *x_zero, Tensor *weight, Tensor *w_zero,
	Tensor *bias, DType dtype, Dense *sum, Tensor **y)
{
	ConvJob j = {.kind = DT_F64};
	Dense dx = {0}, dw = {0}, db = {0};
	if (!conv_plan(e, op, x, weight, bias, dtype, &j, y))
		return false;
	if (x_zero && x_zero->count != 1)
		return eval_error(e, op, "the input takes one zero point, not %lld", (long long)x_zero->count);
	bool ok = load_shifted(e, op, x, x_zero, &dx) && load_shifted(e, op, weight, w_zero, &dw) &&
		dense_load(e, bias, DT_F64, &db) && dense_scratch(e, DT_F64, (*y)->count, sum);
	if (ok) {
		j.x = dx.data, j.weight = dw.data, j.bias = db.data, j.y = sum->data;
		conv_run(e, &j);
	}
	dense_release(&dx);
	dense_release(&dw);
	dense_release(&db);
	return ok;
}

bool eval_conv_integer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x_zero = op->noperands > 2 ? in[2] : NULL, *w_zero = op->noperands > 3 ? in[3] : NULL;
	Dense sum = {0};
	if (!dense_operands(e, op, in, false) ||
		!integer_conv(e, op, in[0], x_zero, in[1], w_zero, NULL, DT_I32, &sum, &out[0]))
		return false;
	const double *s = sum.data;
	for (int64_t i = 0; i < out[0]->count; i++)
		((int32_t *)out[0]->data)[i] = (int32_t)(uint32_t)(uint64_t)(int64_t)s[i];
	dense_release(&sum);
	return true;
}

bool eval_quantized_conv(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *x_scale = in[1], *w_scale = in[4], *y_scale = in[6], *y_zero = in[7],
		   *bias = op->noperands > 8 ? in[8] : NULL;
	Dense sum = {0};
	if (!dense_operands(e, op, in, false))
		return false;
	DType d = y_zero ? y_zero->dtype : in[0]->dtype;
	if (!integer_conv(e, op, in[0], in[2], in[3], in[5], bias, d, &sum, &out[0]))
		return false;
	Tensor *y = out[0];
	int64_t channels = y->dims[1], plane = channels > 0 && y->dims[0] > 0 ? y->count / y->dims[0] / channels : 0;
	if (x_scale->count != 1 || y_scale->count != 1 || (y_zero && y_zero->count != 1) ||
		(w_scale->count != 1 && w_scale->count != channels))
		return eval_error(e, op, "scales and zero points must be scalars, those of the weights may be one per channel");
	const double *s = sum.data, low = (double)dtype_int_min(d), high = (double)dtype_int_max(d),
				 zero = y_zero ? tensor_get_f64(y_zero, 0) : 0;
	for (int64_t i = 0; i < y->count; i++) {
		int64_t c = i / plane % channels;
		float scale = (float)tensor_get_f64(x_scale, 0) * (float)tensor_get_f64(w_scale, w_scale->count == 1 ? 0 : c) /
			(float)tensor_get_f64(y_scale, 0);
		double v = rint(s[i] * (double)scale) + zero;
		tensor_set_i64(y, i, (int64_t)(v < low || isnan(v) ? low : v > high ? high : v));
	}
	dense_release(&sum);
	return true;
}

/* ---- deformable ---- */

typedef struct DeformJob {
	ConvJob conv;
	int64_t offset_groups;
	const double *x, *offset, *mask; /* of one image; mask may be NULL */
	double *columns;                 /* (in_channels * kernel_size) x out_size */
} DeformJob;

/* Multilinear interpolation at a point; corners outside count as zero. */
static double sample_linear(const double *plane, const Window *w, const double *at)
{
	int64_t low[MAX_RANK];
	double sum = 0;
	for (int d = 0; d < w->rank; d++) {
		if (!(at[d] > -1 && at[d] < (double)w->in[d]))
			return 0;
		low[d] = (int64_t)floor(at[d]);
	}
	for (int64_t corner = 0; corner < INT64_C(1) << w->rank; corner++) {
		double weight = 1;
		int64_t from = 0;
		bool inside = true;
		for (int d = 0; d < w->rank; d++) {
			int64_t up = corner >> d & 1, i = low[d] + up;
			double f = at[d] - (double)low[d];
			weight *= up ? f : 1 - f;
			inside = inside && i >= 0 && i < w->in[d];
			from = from * w->in[d] + i;
		}
		if (inside && weight != 0)
			sum += weight * plane[from];
	}
	return sum;
}

/* Row i of the matrix of windows: channel and kernel element, each sampled at its offset. */
static void deform_row(void *arg, int64_t i)
{
	const DeformJob *j = arg;
	const Window *w = &j->conv.w;
	int64_t c = i / w->kernel_size, ke = i % w->kernel_size, group = c / (j->conv.in_channels / j->offset_groups);
	int64_t k[MAX_RANK], o[MAX_RANK] = {0}, element = group * w->kernel_size + ke;
	const double *offset = j->offset + element * w->rank * w->out_size;
	index_of(ke, w->kernel, w->rank, k);
	for (int64_t n = 0; n < w->out_size; n++) {
		double at[MAX_RANK];
		for (int d = 0; d < w->rank; d++)
			at[d] = (double)(o[d] * w->stride[d] - w->begin[d] + k[d] * w->dilation[d]) + offset[d * w->out_size + n];
		double v = sample_linear(j->x + c * w->in_size, w, at);
		j->columns[i * w->out_size + n] = j->mask ? v * j->mask[element * w->out_size + n] : v;
		next_index(o, w->out, w->rank);
	}
}

/* Per image: sample all windows, then one product per group. Always in double. */
static bool deform_run(EvalCtx *e, DeformJob *j, const Dense *x, const Dense *offset, const Dense *mask)
{
	const Window *w = &j->conv.w;
	int64_t rows = j->conv.in_channels * w->kernel_size, count;
	Dense columns;
	if (!mul_ok(rows, w->out_size, &count))
		return diag_error(e->diags, HONE_LIMIT, NULL, "a convolution of too many elements");
	if (!dense_scratch(e, DT_F64, count, &columns))
		return false;
	fill_bias_f64(&j->conv);
	j->columns = columns.data;
	for (int64_t n = 0; n < j->conv.batch && count > 0; n++) {
		int64_t points = j->offset_groups * w->kernel_size * w->out_size;
		j->x = (const double *)x->data + n * j->conv.in_channels * w->in_size;
		j->offset = (const double *)offset->data + n * points * w->rank;
		j->mask = mask->data ? (const double *)mask->data + n * points : NULL;
		parallel_for(dense_threads(e, (double)count * 8), rows, deform_row, j);
		int64_t depth = j->conv.group_in * w->kernel_size;
		for (int64_t g = 0; g < j->conv.groups; g++) {
			Gemm p = {.type = DT_F64, .m = j->conv.group_out, .n = w->out_size, .k = depth, .a_row = depth, .a_col = 1,
				.b_row = w->out_size, .b_col = 1, .c_row = w->out_size, .c_col = 1};
			p.a = (const double *)j->conv.weight + g * j->conv.group_out * depth;
			p.b = j->columns + g * depth * w->out_size;
			p.c = (double *)j->conv.y + (n * j->conv.out_channels + g * j->conv.group_out) * w->out_size;
			gemm_run(e->threads, &p);
		}
	}
	dense_release(&columns);
	return true;
}

bool eval_deform_conv(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *bias = op->noperands > 3 ? in[3] : NULL, *mask = op->noperands > 4 ? in[4] : NULL;
	DeformJob j = {.offset_groups = op_int(op, A_offset_group)};
	if (!dense_operands(e, op, in, false) || !conv_plan(e, op, in[0], in[1], bias, in[0]->dtype, &j.conv, &out[0]))
		return false;
	const Window *w = &j.conv.w;
	int64_t points, offsets;
	if (j.offset_groups < 1 || in[0]->dims[1] % j.offset_groups != 0)
		return eval_error(e, op, "%lld channels do not divide into %lld offset groups", (long long)in[0]->dims[1],
			(long long)j.offset_groups);
	if (!mul_ok(j.offset_groups, w->kernel_size, &points) || !mul_ok(points, w->out_size, &points) ||
		!mul_ok(points, j.conv.batch, &points) || !mul_ok(points, w->rank, &offsets) || in[2]->count != offsets ||
		(mask && mask->count != points))
		return eval_error(e, op, "the offsets or the mask do not fit the windows");
	Dense x = {0}, weight = {0}, b = {0}, offset = {0}, m = {0}, y = {0};
	bool ok = dense_load(e, in[0], DT_F64, &x) && dense_load(e, in[1], DT_F64, &weight) &&
		dense_load(e, bias, DT_F64, &b) && dense_load(e, in[2], DT_F64, &offset) && dense_load(e, mask, DT_F64, &m) &&
		dense_result(e, out[0], DT_F64, &y);
	if (ok) {
		j.conv.weight = weight.data, j.conv.bias = b.data, j.conv.y = y.data;
		ok = deform_run(e, &j, &x, &offset, &m);
		dense_store(out[0], DT_F64, &y);
	}
	dense_release(&x);
	dense_release(&weight);
	dense_release(&b);
	dense_release(&offset);
	dense_release(&m);
	return ok;
}

/* Transposed convolution and col2im: windows added back into an image.  The Window here is that of the convolution
 * which they transpose: its input is the image (our result), its output the grid of windows (our operand). */
#include "ops/gemm.h"
#include "ops/window.h"

#include <string.h>

/* ---- inference ---- */

/* The list attribute for n spatial dims, or NULL. A list of n + 2 entries names batch and channels too. */
static const int64_t *spatial_list(const Op *op, AttrName a, int n, bool *ok)
{
	const int64_t *v;
	size_t len = op_attr_ints(op, a, &v);
	if (len == 0)
		return NULL;
	if (len == (size_t)n)
		return v;
	if (a == A_output_shape && len == (size_t)n + 2)
		return v + 2;
	*ok = false;
	return NULL;
}

bool infer_conv_transpose(InferCtx *x, Op *op)
{
	Context *c = x->ctx;
	const Value *in = op_operand(op, 0), *weight = op_operand(op, 1);
	DType dtype = value_dtype(in) != DT_NONE ? value_dtype(in) : value_dtype(weight);
	int ri = value_rank(in), rw = value_rank(weight), rank = ri >= 0 ? ri : rw;
	if (rank < 0)
		return infer_tensor(x, op, 0, dtype, RANK_UNKNOWN, NULL);
	if (ri >= 0 && rw >= 0 && ri != rw)
		return infer_error(x, op, "the input has rank %d but the weights have rank %d", ri, rw);
	Window w;
	const char *wrong = rank < 2 ? "the input needs batch and channel dimensions" : window_attrs(op, rank - 2, &w);
	if (wrong)
		return infer_error(x, op, "%s", wrong);
	bool ok = true;
	const int64_t *more = spatial_list(op, A_output_padding, rank - 2, &ok),
				  *size = spatial_list(op, A_output_shape, rank - 2, &ok);
	int64_t groups = op_int(op, A_groups);
	if (!ok || groups < 1)
		return infer_error(x, op, "output_padding, output_shape or groups do not fit an input of rank %d", rank);
	const Sym *const *di = ri >= 0 ? in->type->dims : NULL, *const *dw = rw >= 0 ? weight->type->dims : NULL;
	if (di && dw && sym_known_ne(c, di[1], dw[0]))
		return infer_error(x, op, "the input's channels differ from those of the weights");
	const Sym *dims[MAX_RANK], *one = sym_int(c, 1);
	dims[0] = di ? di[0] : infer_unknown(x, op, 0, 0);
	dims[1] = dw ? sym_mul(c, dw[1], sym_int(c, groups)) : infer_unknown(x, op, 0, 1);
	for (int d = 0; d < rank - 2; d++) {
		const Sym *stride = sym_int(c, w.stride[d]);
		if (size)
			dims[d + 2] = sym_int(c, size[d]);
		else if (di && w.auto_pad >= PAD_SAME_UPPER)
			dims[d + 2] = sym_mul(c, di[d + 2], stride);
		else if (di && dw) {
			const Sym *reach = sym_add(c, sym_mul(c, sym_sub(c, dw[d + 2], one), sym_int(c, w.dilation[d])), one);
			const Sym *steps = sym_mul(c, sym_sub(c, di[d + 2], one), stride);
			dims[d + 2] =
				sym_add(c, sym_add(c, steps, reach), sym_int(c, (more ? more[d] : 0) - w.begin[d] - w.end[d]));
		} else
			dims[d + 2] = infer_unknown(x, op, 0, d + 2);
		if (sym_upper(dims[d + 2]) < 0)
			return infer_error(x, op, "the result would have a negative size in spatial dimension %d", d);
	}
	return infer_tensor(x, op, 0, dtype, rank, dims);
}

bool infer_col2im(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0), *image = op_operand(op, 1), *block = op_operand(op, 2);
	const Elems *image_elems = infer_elems(x, image), *block_elems = infer_elems(x, block);
	const Sym *dims[MAX_RANK];
	int64_t n;
	if (value_rank(in) >= 0 && value_rank(in) != 3)
		return infer_error(x, op, "the columns must have rank 3");
	if (image_elems)
		n = image_elems->n;
	else if (value_rank(image) != 1 || !sym_const(image->type->dims[0], &n))
		return infer_tensor(x, op, 0, value_dtype(in), RANK_UNKNOWN, NULL);
	if (n < 1 || n > MAX_RANK - 2)
		return infer_error(x, op, "the image must have 1 to %d dimensions", MAX_RANK - 2);
	dims[0] = value_rank(in) == 3 ? in->type->dims[0] : infer_unknown(x, op, 0, 0);
	dims[1] = value_rank(in) == 3 && block_elems
		? sym_floordiv(x->ctx, in->type->dims[1], sym_product(x->ctx, block_elems->v, (int)block_elems->n))
		: infer_unknown(x, op, 0, 1);
	for (int d = 0; d < n; d++)
		dims[d + 2] = image_elems ? image_elems->v[d] : infer_unknown(x, op, 0, d + 2);
	return infer_tensor(x, op, 0, value_dtype(in), (int)n + 2, dims);
}

/* ---- loops ---- */

#define T float
#define NAME(x) x##_f32
#include "scatter_loops.inc"
#undef NAME
#undef T
#define T double
#define NAME(x) x##_f64
#include "scatter_loops.inc"
#undef NAME
#undef T
#define T uint64_t
#define NAME(x) x##_u64
#include "scatter_loops.inc"
#undef NAME
#undef T

/* Adds the columns (kernel_size x windows a plane) of some planes into them. */
typedef struct AddJob {
	const Window *w;
	DType kind;
	const void *columns;
	void *planes;
} AddJob;

static void add_plane(void *arg, int64_t i)
{
	const AddJob *j = arg;
	const void *columns = dense_at(j->kind, j->columns, i * j->w->kernel_size * j->w->out_size);
	void *plane = dense_at(j->kind, j->planes, i * j->w->in_size);
	if (j->kind == DT_F32)
		add_windows_f32(j->w, columns, plane);
	else if (j->kind == DT_F64)
		add_windows_f64(j->w, columns, plane);
	else
		add_windows_u64(j->w, columns, plane);
}

static void fill_plane(DType kind, void *plane, int64_t n, const void *value)
{
	size_t size = dense_size(kind);
	for (int64_t i = 0; i < n; i++)
		memcpy((char *)plane + (size_t)i * size, value, size);
}

typedef struct TransposeJob {
	Window w;
	DType kind;
	int64_t batch, groups, group_in, group_out;
	const void *x, *weight, *bias;
	void *y;
} TransposeJob;

/* Output channels first .. first + n of one image and group: all their columns by one product, then added up. */
static bool transpose_chunk(
	EvalCtx *e, const TransposeJob *j, int64_t image, int64_t group, int64_t first, int64_t n, void *columns)
{
	const Window *w = &j->w;
	Product p = {.kind = j->kind, .m = n * w->kernel_size, .n = w->out_size, .k = j->group_in};
	p.a_row = 1, p.a_col = j->group_out * w->kernel_size, p.b_row = w->out_size, p.b_col = 1;
	p.a = dense_at(j->kind, j->weight, (group * j->group_in * j->group_out + first) * w->kernel_size);
	p.b = dense_at(j->kind, j->x, (image * j->groups + group) * j->group_in * w->out_size);
	p.c = columns;
	memset(columns, 0, (size_t)(p.m * p.n) * dense_size(j->kind));
	if (!product_run(e, &p))
		return false;
	AddJob add = {.w = w, .kind = j->kind, .columns = columns};
	add.planes = dense_at(j->kind, j->y, ((image * j->groups + group) * j->group_out + first) * w->in_size);
	parallel_for(dense_threads(e, (double)p.m * (double)p.n), n, add_plane, &add);
	return true;
}

static bool transpose_run(EvalCtx *e, const TransposeJob *j)
{
	const int64_t most = INT64_C(1) << 22; /* column elements at a time */
	const Window *w = &j->w;
	int64_t each, planes = j->batch * j->groups * j->group_out;
	for (int64_t i = 0; j->bias && i < planes; i++)
		fill_plane(j->kind, dense_at(j->kind, j->y, i * w->in_size), w->in_size,
			dense_at(j->kind, j->bias, i % (j->groups * j->group_out)));
	if (!mul_ok(w->kernel_size, w->out_size, &each))
		return diag_error(e->diags, HONE_LIMIT, NULL, "a convolution of too many elements");
	if (planes == 0 || each == 0 || j->group_in == 0)
		return true;
	int64_t chunk = each >= most ? 1 : most / each;
	if (chunk > j->group_out)
		chunk = j->group_out;
	Dense columns;
	if (!mul_ok(chunk, each, &each) || !dense_scratch(e, j->kind, each, &columns))
		return false;
	bool ok = true;
	for (int64_t i = 0; ok && i < j->batch * j->groups; i++)
		for (int64_t first = 0; ok && first < j->group_out; first += chunk) {
			int64_t n = j->group_out - first < chunk ? j->group_out - first : chunk;
			ok = transpose_chunk(e, j, i / j->groups, i % j->groups, first, n, columns.data);
		}
	dense_release(&columns);
	return ok;
}

/* ---- transposed convolution ---- */

/* Size of the result and where the windows begin in spatial dim d. */
static bool transpose_dim(const Tensor *x, const int64_t *kernel, int64_t more, const int64_t *want, int d, Window *w)
{
	int64_t full, span, total = 0;
	w->out[d] = x->dims[d + 2];
	w->kernel[d] = kernel[d];
	if (kernel[d] < 1 || !mul_ok(w->out[d] - 1, w->stride[d], &full) || !mul_ok(kernel[d] - 1, w->dilation[d], &span) ||
		!add_ok(full, span + 1, &full) || !add_ok(full, more, &full))
		return false;
	if (!want && w->auto_pad < PAD_SAME_UPPER) {
		w->in[d] = full - w->begin[d] - w->end[d];
		return w->in[d] >= 0;
	}
	if (want)
		w->in[d] = want[d];
	else if (!mul_ok(w->out[d], w->stride[d], &w->in[d]))
		return false;
	if (w->in[d] < 0 || !sub_ok(full, w->in[d], &total))
		return false;
	if (total < 0)
		total = 0;
	w->begin[d] = w->auto_pad == PAD_SAME_UPPER ? total / 2 : total - total / 2;
	w->end[d] = total - w->begin[d];
	return true;
}

static bool transpose_plan(EvalCtx *e, const Op *op, Tensor *const *in, const Tensor *bias, TransposeJob *j, Tensor **y)
{
	const Tensor *x = in[0], *weight = in[1];
	int64_t groups = op_int(op, A_groups), dims[MAX_RANK];
	bool ok = true;
	if (x->rank < 2 || weight->rank != x->rank)
		return eval_error(e, op, "the input has rank %d and the weights rank %d; both must be equal and at least 2",
			x->rank, weight->rank);
	if (groups < 1 || x->dims[1] != weight->dims[0] || x->dims[1] % groups != 0 ||
		!mul_ok(weight->dims[1], groups, &dims[1]))
		return eval_error(e, op, "%lld input channels, weights for %lld, %lld groups do not go together",
			(long long)x->dims[1], (long long)weight->dims[0], (long long)groups);
	if (bias && bias->count != dims[1])
		return eval_error(
			e, op, "a bias of %lld elements for %lld channels", (long long)bias->count, (long long)dims[1]);
	const char *wrong = window_attrs(op, x->rank - 2, &j->w);
	if (wrong)
		return eval_error(e, op, "%s", wrong);
	const int64_t *more = spatial_list(op, A_output_padding, x->rank - 2, &ok),
				  *want = spatial_list(op, A_output_shape, x->rank - 2, &ok);
	for (int d = 0; ok && d < x->rank - 2; d++) {
		ok = transpose_dim(x, weight->dims + 2, more ? more[d] : 0, want, d, &j->w);
		dims[d + 2] = j->w.in[d];
	}
	if (!ok || !window_sizes(&j->w))
		return eval_error(e, op, "output_padding, output_shape or pads give no valid output size");
	dims[0] = j->batch = x->dims[0];
	j->groups = groups;
	j->group_in = x->dims[1] / groups;
	j->group_out = weight->dims[1];
	*y = tensor_new(e, x->dtype, x->rank, dims);
	return *y != NULL;
}

bool eval_conv_transpose(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Tensor *bias = op->noperands > 2 ? in[2] : NULL, *all[3] = {in[0], in[1], bias};
	TransposeJob j = {0};
	Dense x = {0}, weight = {0}, b = {0}, y = {0};
	if (!dense_operands(e, op, in, false) || !transpose_plan(e, op, in, bias, &j, &out[0]))
		return false;
	j.kind = dense_kind(all, 3);
	bool ok = dense_load(e, in[0], j.kind, &x) && dense_load(e, in[1], j.kind, &weight) &&
		dense_load(e, bias, j.kind, &b) && dense_result(e, out[0], j.kind, &y);
	if (ok) {
		j.x = x.data, j.weight = weight.data, j.bias = b.data, j.y = y.data;
		ok = transpose_run(e, &j);
		dense_store(out[0], j.kind, &y);
	}
	dense_release(&x);
	dense_release(&weight);
	dense_release(&b);
	return ok;
}

/* ---- col2im ---- */

bool eval_col2im(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t image[MAX_RANK], block[MAX_RANK], dims[MAX_RANK] = {0};
	Tensor *x = in[0];
	Window w;
	if (!dense_operands(e, op, in, false))
		return false;
	int64_t n = tensor_ints(in[1], image, MAX_RANK - 2);
	if (x->rank != 3 || n < 1 || tensor_ints(in[2], block, MAX_RANK - 2) != n)
		return eval_error(e, op, "the columns must have rank 3, image and block shape the same number of dimensions");
	for (int d = 0; d < n; d++)
		dims[d + 2] = image[d];
	Tensor shape = {.rank = (int)n + 2};
	memcpy(shape.dims, dims, sizeof(dims));
	for (int d = 0; d < n; d++)
		if (image[d] < 0)
			return eval_error(e, op, "a negative image size");
	if (!window_init(e, op, &shape, block, false, &w))
		return false;
	if (x->dims[2] != w.out_size || w.kernel_size == 0 || x->dims[1] % w.kernel_size != 0)
		return eval_error(e, op, "%lldx%lld columns do not fit %lld blocks of %lld elements", (long long)x->dims[1],
			(long long)x->dims[2], (long long)w.out_size, (long long)w.kernel_size);
	dims[0] = x->dims[0];
	dims[1] = x->dims[1] / w.kernel_size;
	out[0] = tensor_new(e, x->dtype, (int)n + 2, dims);
	AddJob j = {.w = &w, .kind = dense_kind(in, 1)};
	Dense dx, dy;
	if (!out[0] || !dense_load(e, x, j.kind, &dx) || !dense_result(e, out[0], j.kind, &dy))
		return false;
	j.columns = dx.data, j.planes = dy.data;
	if (x->count > 0 && out[0]->count > 0)
		parallel_for(dense_threads(e, (double)x->count), dims[0] * dims[1], add_plane, &j);
	dense_release(&dx);
	dense_store(out[0], j.kind, &dy);
	return true;
}

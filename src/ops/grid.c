/* Sampling at given points: grid_sample and the grids of affine_grid. */
#include "base/sample.h"
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

/* ---- inference ---- */

bool infer_grid_sample(InferCtx *x, Op *op)
{
	const Value *in = op_operand(op, 0), *grid = op_operand(op, 1);
	int ri = value_rank(in), rg = value_rank(grid), rank = ri >= 0 ? ri : rg;
	const Sym *dims[MAX_RANK];
	if (rank < 0 || rank > MAX_RANK)
		return infer_tensor(x, op, 0, value_dtype(in), RANK_UNKNOWN, NULL);
	if (rank < 3 || (ri >= 0 && rg >= 0 && ri != rg))
		return infer_error(x, op, "input and grid must have the same rank, at least 3");
	if (rg >= 0 && sym_known_ne(x->ctx, grid->type->dims[rank - 1], sym_int(x->ctx, rank - 2)))
		return infer_error(x, op, "grid points must have %d coordinates", rank - 2);
	if (ri >= 0 && rg >= 0 && sym_known_ne(x->ctx, in->type->dims[0], grid->type->dims[0]))
		return infer_error(x, op, "input and grid have different batch sizes");
	dims[0] = ri >= 0 ? in->type->dims[0] : grid->type->dims[0];
	dims[1] = ri >= 0 ? in->type->dims[1] : infer_unknown(x, op, 0, 1);
	for (int d = 2; d < rank; d++)
		dims[d] = rg >= 0 ? grid->type->dims[d - 1] : infer_unknown(x, op, 0, d);
	return infer_tensor(x, op, 0, value_dtype(in), rank, dims);
}

bool infer_affine_grid(InferCtx *x, Op *op)
{
	const Value *theta = op_operand(op, 0), *size = op_operand(op, 1);
	const Elems *e = infer_elems(x, size);
	int64_t n;
	const Sym *dims[5];
	if (e)
		n = e->n;
	else if (value_rank(size) != 1 || !sym_const(size->type->dims[0], &n))
		return infer_tensor(x, op, 0, value_dtype(theta), RANK_UNKNOWN, NULL);
	if (n != 4 && n != 5)
		return infer_error(x, op, "the size must have 4 or 5 entries, not %lld", (long long)n);
	dims[0] = e ? e->v[0] : value_rank(theta) == 3 ? theta->type->dims[0] : infer_unknown(x, op, 0, 0);
	for (int d = 1; d < n - 1; d++)
		dims[d] = e ? e->v[d + 1] : infer_unknown(x, op, 0, d);
	dims[n - 1] = sym_int(x->ctx, n - 2);
	return infer_tensor(x, op, 0, value_dtype(theta), (int)n, dims);
}

/* ---- grid_sample ---- */

typedef struct GridJob {
	GridForm form;
	int rank; /* spatial */
	int64_t in[MAX_RANK], in_size, out_size, channels;
	const double *x, *grid;
	double *y;
} GridJob;

/* One row of points: i counts (batch entry, point). All channels share the taps. */
static void grid_point(void *arg, int64_t i)
{
	const GridJob *j = arg;
	int64_t batch = i / j->out_size, point = i % j->out_size, index[MAX_RANK][GRID_TAPS];
	double weight[MAX_RANK][GRID_TAPS];
	const double *at = j->grid + i * j->rank;
	int taps = 1, at_tap[MAX_RANK] = {0};
	/* The last dim's coordinate comes first. */
	for (int d = 0; d < j->rank; d++)
		taps = grid_taps(&j->form, j->in[d], at[j->rank - 1 - d], index[d], weight[d]);
	double *y = j->y + batch * j->channels * j->out_size + point;
	const double *x = j->x + batch * j->channels * j->in_size;
	for (;;) {
		double w = 1;
		int64_t from = 0;
		bool inside = true;
		for (int d = 0; d < j->rank; d++) {
			w *= weight[d][at_tap[d]];
			inside = inside && index[d][at_tap[d]] >= 0;
			from = from * j->in[d] + index[d][at_tap[d]];
		}
		for (int64_t c = 0; inside && c < j->channels; c++)
			y[c * j->out_size] += w * x[c * j->in_size + from];
		int d = j->rank;
		while (d-- > 0 && ++at_tap[d] == taps)
			at_tap[d] = 0;
		if (d < 0)
			return;
	}
}

static int text_index(const char *s, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(s, names[i]))
			return i;
	return -1;
}

bool eval_grid_sample(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	static const char *const modes[] = {"nearest", "linear", "cubic", NULL},
							 *const pads[] = {"zeros", "border", "reflection", NULL};
	Tensor *x = in[0], *grid = in[1];
	int mode = text_index(op_text(op, A_mode), modes), pad = text_index(op_text(op, A_padding_mode), pads);
	if (!dense_operands(e, op, in, false))
		return false;
	if (mode < 0 || pad < 0)
		return eval_unsupported(e, op, "mode \"%s\" or padding_mode \"%s\" is not known", op_text(op, A_mode), op_text(op, A_padding_mode));
	if (x->rank < 3 || grid->rank != x->rank || grid->dims[x->rank - 1] != x->rank - 2 || grid->dims[0] != x->dims[0])
		return eval_error(e, op, "the grid does not fit an input of rank %d", x->rank);
	GridJob j = {.form = {mode, pad, op_int(op, A_align_corners) != 0},
		.rank = x->rank - 2,
		.channels = x->dims[1],
		.in_size = 1,
		.out_size = 1};
	int64_t dims[MAX_RANK] = {x->dims[0], x->dims[1]};
	for (int d = 0; d < j.rank; d++) {
		j.in[d] = x->dims[d + 2];
		dims[d + 2] = grid->dims[d + 1];
	}
	out[0] = tensor_new(e, x->dtype, x->rank, dims);
	if (!out[0] || out[0]->count == 0)
		return out[0] != NULL;
	for (int d = 0; d < j.rank; d++) {
		j.in_size *= j.in[d];
		j.out_size *= dims[d + 2];
	}
	if (j.in_size == 0)
		return pad == GRID_ZEROS || eval_error(e, op, "cannot sample an empty image");
	Dense dx, dg, dy;
	if (!dense_load(e, x, DT_F64, &dx) || !dense_load(e, grid, DT_F64, &dg) || !dense_result(e, out[0], DT_F64, &dy))
		return false;
	j.x = dx.data, j.grid = dg.data, j.y = dy.data;
	parallel_for(dense_threads(e, (double)out[0]->count * 8), x->dims[0] * j.out_size, grid_point, &j);
	dense_release(&dx);
	dense_release(&dg);
	dense_store(out[0], DT_F64, &dy);
	return true;
}

/* ---- affine_grid ---- */

/* Position i of n, evenly spaced over [-1, 1]: corner pixels' centres or outer edges at the ends. */
static double even_position(int64_t i, int64_t n, bool align)
{
	if (align)
		return n > 1 ? -1 + 2 * (double)i / (double)(n - 1) : 0;
	return (double)(2 * i + 1) / (double)n - 1;
}

bool eval_affine_grid(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	int64_t size[5], dims[5], at[3] = {0};
	Tensor *theta = in[0];
	bool align = op_int(op, A_align_corners) != 0;
	if (!dense_operands(e, op, in, false))
		return false;
	int64_t n = tensor_ints(in[1], size, 5);
	int rank = (int)n - 2;
	if (n < 4 || theta->rank != 3 || theta->dims[0] != size[0] || theta->dims[1] != rank || theta->dims[2] != rank + 1)
		return eval_error(e, op, "the matrices and the size do not go together");
	dims[0] = size[0];
	for (int d = 0; d < rank; d++)
		dims[d + 1] = size[d + 2];
	dims[rank + 1] = rank;
	out[0] = tensor_new(e, theta->dtype, rank + 2, dims);
	if (!out[0])
		return false;
	for (int64_t i = 0, points = out[0]->count / rank, each = size[0] > 0 ? points / size[0] : 0; i < points; i++) {
		double position[4], matrix[12];
		tensor_load_f64(theta, i / each * rank * (rank + 1), rank * (rank + 1), matrix);
		for (int d = 0; d < rank; d++)
			position[d] = even_position(at[rank - 1 - d], size[n - 1 - d], align);
		position[rank] = 1;
		for (int r = 0; r < rank; r++) {
			double sum = 0;
			for (int c = 0; c <= rank; c++)
				sum += matrix[r * (rank + 1) + c] * position[c];
			tensor_set_f64(out[0], i * rank + r, sum);
		}
		for (int d = rank; d-- > 0 && ++at[d] == size[d + 2];)
			at[d] = 0;
	}
	return true;
}

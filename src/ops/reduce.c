/* Reductions over any set of axes. Floats are accumulated in double and rounded once, integers in 64 bits and wrapped. */
#include "eval_int.h"

#include <math.h>
#include <string.h>

typedef enum ReduceKind {
	R_SUM, R_MEAN, R_MAX, R_MIN, R_PROD, R_L1, R_L2, R_SUM_SQUARE, R_LOG_SUM, R_LOG_SUM_EXP, R_AND, R_OR, R_COUNT
} ReduceKind;
static const char *const kind_names[R_COUNT] = {
	"sum", "mean", "max", "min", "prod", "l1", "l2", "sum_square", "log_sum", "log_sum_exp", "and", "or"};

/* The operand is read in the order [outer kept, reduced, inner kept]: `outer` groups of `reduced` rows of `inner` elements.
 * inner is 1 when the last axis is reduced (a row is then all that one result needs). */
typedef struct ReduceRun {
	ReduceKind kind;
	Walk walk;
	int64_t outer, reduced, inner;
	bool is_float, is_unsigned, is_bool;
	Tensor *y;
} ReduceRun;

static bool reduce_kind(const Op *op, ReduceKind *out)
{
	const char *text = op_text(op, A_kind);
	for (int k = 0; k < R_COUNT; k++) {
		if (!strcmp(text, kind_names[k])) {
			*out = (ReduceKind)k;
			return true;
		}
	}
	return false;
}

/* Which axes of a tensor of that rank the op reduces; false when an axis is out of range or twice. */
static bool reduced_axes(const Op *op, int rank, bool *reduced)
{
	const int64_t *axes;
	size_t n = op_attr_ints(op, A_axes, &axes);
	for (int d = 0; d < rank; d++)
		reduced[d] = !op_attr(op, A_axes);
	for (size_t i = 0; i < n; i++) {
		int d;
		if (!axis_norm(axes[i], rank, &d) || reduced[d])
			return false;
		reduced[d] = true;
	}
	return true;
}

/* ---- accumulating ---- */

/* Neutral element; log_sum_exp has passes of its own. */
static double start_f64(ReduceKind k)
{
	switch (k) {
	case R_MAX: return -INFINITY;
	case R_MIN: return INFINITY;
	case R_PROD: case R_AND: return 1;
	default: return 0;
	}
}

static inline double step_f64(ReduceKind k, double acc, double v)
{
	switch (k) {
	case R_MAX: return max_nan(acc, v);
	case R_MIN: return min_nan(acc, v);
	case R_PROD: return acc * v;
	case R_L1: return acc + fabs(v);
	case R_L2: case R_SUM_SQUARE: return acc + v * v;
	default: return acc + v;
	}
}

static double finish_f64(ReduceKind k, double acc, int64_t n)
{
	switch (k) {
	case R_MEAN: return acc / (double)n;
	case R_L2: return sqrt(acc);
	case R_LOG_SUM: return log(acc);
	default: return acc;
	}
}

static int64_t start_i64(const ReduceRun *r)
{
	DType d = r->y->dtype;
	switch (r->kind) {
	case R_MAX: return dtype_int_min(d);
	case R_MIN: return (int64_t)dtype_int_max(d);
	case R_PROD: return 1;
	case R_AND: return r->is_bool ? 1 : -1;
	default: return 0;
	}
}

static inline int64_t step_i64(const ReduceRun *r, int64_t acc, int64_t v)
{
	uint64_t a = (uint64_t)acc, b = (uint64_t)v;
	bool smaller = r->is_unsigned ? b < a : v < acc;
	switch (r->kind) {
	case R_MAX: return smaller ? acc : v;
	case R_MIN: return smaller ? v : acc;
	case R_PROD: return (int64_t)(a * b);
	case R_L1: return (int64_t)(a + (v < 0 && !r->is_unsigned ? 0 - b : b));
	case R_SUM_SQUARE: return (int64_t)(a + b * b);
	case R_AND: return acc & v;
	case R_OR: return acc | v;
	default: return (int64_t)(a + b);
	}
}

static int64_t finish_i64(const ReduceRun *r, int64_t acc)
{
	if (r->kind != R_MEAN || r->reduced == 0)
		return acc;
	return r->is_unsigned ? (int64_t)((uint64_t)acc / (uint64_t)r->reduced) : acc / r->reduced;
}

/* ---- rows: one result from `reduced` elements in a run ---- */

/* Several sums side by side, so that the loop is not bound by the latency of an addition. */
static double sum_block(ReduceKind k, int64_t n, const double *v)
{
	enum { LANES = 8 };
	double lane[LANES] = {0};
	int64_t i = 0;
	if (k == R_SUM || k == R_MEAN || k == R_LOG_SUM) {
		for (; i + LANES <= n; i += LANES)
			for (int j = 0; j < LANES; j++)
				lane[j] += v[i + j];
	} else if (k == R_L1) {
		for (; i + LANES <= n; i += LANES)
			for (int j = 0; j < LANES; j++)
				lane[j] += fabs(v[i + j]);
	} else {
		for (; i + LANES <= n; i += LANES)
			for (int j = 0; j < LANES; j++)
				lane[j] += v[i + j] * v[i + j];
	}
	double acc = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
	for (; i < n; i++)
		acc = step_f64(k, acc, v[i]);
	return acc;
}

static double row_pass(const ReduceRun *r, ReduceKind k, int64_t first, double shift)
{
	double buf[BLOCK], acc = start_f64(k);
	bool sums = k != R_MAX && k != R_MIN && k != R_PROD && k != R_LOG_SUM_EXP;
	for (int64_t at = 0; at < r->reduced; at += BLOCK) {
		int64_t n = r->reduced - at < BLOCK ? r->reduced - at : BLOCK;
		const double *v = walk_f64(&r->walk, first + at, n, buf);
		if (sums) {
			acc += sum_block(k, n, v);
			continue;
		}
		for (int64_t i = 0; i < n; i++)
			acc = k == R_LOG_SUM_EXP ? acc + exp(v[i] - shift) : step_f64(k, acc, v[i]);
	}
	return acc;
}

/* log(sum exp x) = m + log(sum exp(x - m)); an infinite maximum is the result itself. */
static double log_sum_exp(double max, double sum)
{
	return fabs(max) < INFINITY ? max + log(sum) : max;
}

static void reduce_rows_f64(void *arg, int64_t begin, int64_t end)
{
	const ReduceRun *r = arg;
	for (int64_t i = begin; i < end; i++) {
		double v;
		if (r->kind == R_LOG_SUM_EXP) {
			double max = row_pass(r, R_MAX, i * r->reduced, 0);
			v = log_sum_exp(max, fabs(max) < INFINITY ? row_pass(r, R_LOG_SUM_EXP, i * r->reduced, max) : 0);
		} else {
			v = finish_f64(r->kind, row_pass(r, r->kind, i * r->reduced, 0), r->reduced);
		}
		tensor_set_f64(r->y, i, v);
	}
}

static void reduce_rows_i64(void *arg, int64_t begin, int64_t end)
{
	const ReduceRun *r = arg;
	int64_t buf[BLOCK];
	for (int64_t i = begin; i < end; i++) {
		int64_t acc = start_i64(r);
		for (int64_t at = 0; at < r->reduced; at += BLOCK) {
			int64_t n = r->reduced - at < BLOCK ? r->reduced - at : BLOCK;
			const int64_t *v = walk_i64(&r->walk, i * r->reduced + at, n, buf);
			for (int64_t j = 0; j < n; j++)
				acc = step_i64(r, acc, v[j]);
		}
		tensor_set_i64(r->y, i, finish_i64(r, acc));
	}
}

/* ---- columns: blocks of neighbouring results, row by row. Results are numbered in units of blocks. ---- */

static int64_t column_blocks(const ReduceRun *r)
{
	return (r->inner + BLOCK - 1) / BLOCK;
}

static void column_pass(const ReduceRun *r, ReduceKind k, int64_t outer, int64_t col, int64_t n, const double *shift,
	double *acc)
{
	double buf[BLOCK];
	for (int64_t i = 0; i < n; i++)
		acc[i] = start_f64(k);
	for (int64_t row = 0; row < r->reduced; row++) {
		const double *v = walk_f64(&r->walk, (outer * r->reduced + row) * r->inner + col, n, buf);
		if (k == R_LOG_SUM_EXP) {
			for (int64_t i = 0; i < n; i++)
				acc[i] += exp(v[i] - shift[i]);
		} else if (k == R_SUM || k == R_MEAN) {
			for (int64_t i = 0; i < n; i++)
				acc[i] += v[i];
		} else {
			for (int64_t i = 0; i < n; i++)
				acc[i] = step_f64(k, acc[i], v[i]);
		}
	}
}

static void reduce_columns_f64(void *arg, int64_t begin, int64_t end)
{
	const ReduceRun *r = arg;
	double acc[BLOCK], max[BLOCK];
	for (int64_t u = begin; u < end; u++) {
		int64_t outer = u / column_blocks(r), col = u % column_blocks(r) * BLOCK;
		int64_t n = r->inner - col < BLOCK ? r->inner - col : BLOCK;
		if (r->kind == R_LOG_SUM_EXP) {
			column_pass(r, R_MAX, outer, col, n, NULL, max);
			column_pass(r, R_LOG_SUM_EXP, outer, col, n, max, acc);
			for (int64_t i = 0; i < n; i++)
				acc[i] = log_sum_exp(max[i], acc[i]);
		} else {
			column_pass(r, r->kind, outer, col, n, NULL, acc);
			for (int64_t i = 0; i < n; i++)
				acc[i] = finish_f64(r->kind, acc[i], r->reduced);
		}
		tensor_store_f64(r->y, outer * r->inner + col, n, acc);
	}
}

static void reduce_columns_i64(void *arg, int64_t begin, int64_t end)
{
	const ReduceRun *r = arg;
	int64_t acc[BLOCK], buf[BLOCK];
	for (int64_t u = begin; u < end; u++) {
		int64_t outer = u / column_blocks(r), col = u % column_blocks(r) * BLOCK;
		int64_t n = r->inner - col < BLOCK ? r->inner - col : BLOCK;
		for (int64_t i = 0; i < n; i++)
			acc[i] = start_i64(r);
		for (int64_t row = 0; row < r->reduced; row++) {
			const int64_t *v = walk_i64(&r->walk, (outer * r->reduced + row) * r->inner + col, n, buf);
			for (int64_t i = 0; i < n; i++)
				acc[i] = step_i64(r, acc[i], v[i]);
		}
		for (int64_t i = 0; i < n; i++)
			acc[i] = finish_i64(r, acc[i]);
		tensor_store_i64(r->y, outer * r->inner + col, n, acc);
	}
}

/* ---- the op ---- */

/* Kept dims after the last reduced one form the inner part. */
static void plan_reduce(ReduceRun *r, const Tensor *x, const bool *reduced)
{
	int64_t strides[MAX_RANK], dims[MAX_RANK], step[MAX_RANK];
	int last = x->rank - 1, n = 0;
	strides_of(x->rank, x->dims, strides);
	while (last >= 0 && !reduced[last])
		last--;
	r->outer = r->reduced = r->inner = 1;
	for (int pass = 0; pass < 3; pass++) {
		for (int d = 0; d < x->rank; d++) {
			int part = reduced[d] ? 1 : d > last ? 2 : 0;
			if (part != pass)
				continue;
			int64_t *size = part == 0 ? &r->outer : part == 1 ? &r->reduced : &r->inner;
			*size = (int64_t)((uint64_t)*size * (uint64_t)x->dims[d]);
			dims[n] = x->dims[d];
			step[n++] = strides[d];
		}
	}
	walk_init_strided(&r->walk, x, n, dims, step);
}

static bool kind_fits(ReduceKind k, DType d)
{
	if (d == DT_BOOL)
		return k == R_AND || k == R_OR || k == R_MAX || k == R_MIN;
	if (dtype_is_integer(d))
		return true;
	return dtype_is_float(d) && k != R_AND && k != R_OR;
}

static void run_reduce(EvalCtx *e, ReduceRun *r)
{
	enum { COST_EXP = 10 };
	int64_t cost = r->kind == R_LOG_SUM_EXP ? COST_EXP * r->reduced : r->reduced;
	if (cost < 0 || cost > INT32_MAX)
		cost = INT32_MAX;
	if (r->inner == 1)
		eval_ranges(e, r->outer, cost, r->is_float ? reduce_rows_f64 : reduce_rows_i64, r);
	else
		eval_ranges(e, r->outer * column_blocks(r), cost * (r->inner < BLOCK ? r->inner : BLOCK),
			r->is_float ? reduce_columns_f64 : reduce_columns_i64, r);
}

bool eval_reduce(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const Tensor *x = in[0];
	bool reduced[MAX_RANK];
	int64_t dims[MAX_RANK];
	int rank = 0;
	ReduceRun r = {0};
	if (!reduce_kind(op, &r.kind))
		return eval_error(e, op, "an unknown kind of reduction %s", op_text(op, A_kind));
	if (!reduced_axes(op, x->rank, reduced))
		return eval_error(e, op, "the axes are out of range or repeated for an operand of rank %d", x->rank);
	if (!kind_fits(r.kind, x->dtype))
		return eval_error(e, op, "%s of %s", op_text(op, A_kind), dtype_friendly_name(x->dtype));
	for (int d = 0; d < x->rank; d++)
		if (!reduced[d] || op_int(op, A_keepdims))
			dims[rank++] = reduced[d] ? 1 : x->dims[d];
	r.is_float = dtype_is_float(x->dtype);
	r.is_unsigned = dtype_class(x->dtype) == DC_UINT;
	r.is_bool = x->dtype == DT_BOOL;
	/* Roots and logarithms of integers are taken in double and truncated. */
	if (dtype_is_integer(x->dtype) && (r.kind == R_L2 || r.kind == R_LOG_SUM || r.kind == R_LOG_SUM_EXP))
		r.is_float = true;
	r.y = tensor_raw(e, x->dtype, rank, dims);
	if (!r.y)
		return false;
	plan_reduce(&r, x, reduced);
	if (r.y->count > 0)
		run_reduce(e, &r);
	out[0] = r.y;
	return true;
}

static bool infer_axes_result(InferCtx *x, Op *op, const bool *reduced, DType d)
{
	const Type *t = op_operand(op, 0)->type;
	const Sym **dims = NEW_ARRAY(x->arena, const Sym *, t->rank + 1);
	int rank = 0;
	for (int i = 0; i < t->rank; i++)
		if (!reduced[i] || op_int(op, A_keepdims))
			dims[rank++] = reduced[i] ? sym_int(x->ctx, 1) : t->dims[i];
	infer_result(x, op, 0, type_tensor(x->ctx, d, rank, dims));
	return true;
}

bool infer_reduce(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	const Type *t = v ? v->type : NULL;
	DType d = type_is_tensor(t) ? t->dtype : DT_NONE;
	ReduceKind kind;
	if (!reduce_kind(op, &kind))
		return infer_error(x, op, "an unknown kind of reduction %s", op_text(op, A_kind));
	if (!type_has_rank(t)) {
		bool scalar = !op_attr(op, A_axes) && !op_int(op, A_keepdims);
		infer_result(x, op, 0, scalar ? type_tensor(x->ctx, d, 0, NULL) : type_unranked(x->ctx, d));
		return true;
	}
	bool *reduced = NEW_ARRAY(x->arena, bool, t->rank + 1);
	if (!reduced_axes(op, t->rank, reduced))
		return infer_error(x, op, "the axes are out of range or repeated for an operand of rank %d", t->rank);
	return infer_axes_result(x, op, reduced, d);
}

bool infer_arg_reduce(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0);
	const Type *t = v ? v->type : NULL;
	if (!type_has_rank(t)) {
		infer_result(x, op, 0, type_unranked(x->ctx, DT_I64));
		return true;
	}
	bool *reduced = NEW_ARRAY(x->arena, bool, t->rank + 1);
	int axis;
	if (!axis_norm(op_int(op, A_axis), t->rank, &axis))
		return infer_error(x, op, "axis %lld is out of range for rank %d", (long long)op_int(op, A_axis), t->rank);
	reduced[axis] = true;
	return infer_axes_result(x, op, reduced, DT_I64);
}

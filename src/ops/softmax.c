/* softmax, log_softmax and hardmax along one axis, shifted by the maximum, in double. */
#include "eval_int.h"

#include <math.h>
#include <string.h>

enum { ROW = 4096 }; /* rows up to this length keep their exponentials */

typedef struct SoftmaxRun {
	OpKind kind;
	const Tensor *x;
	Tensor *y;
	int64_t size, inner; /* elements along the axis, and from one to the next */
} SoftmaxRun;

/* ---- last axis: rows ---- */

static void softmax_short_row(const SoftmaxRun *r, int64_t first)
{
	double v[ROW], max = -INFINITY, sum = 0;
	int64_t n = r->size, best = 0;
	tensor_load_f64(r->x, first, n, v);
	for (int64_t i = 0; i < n; i++) {
		if (v[i] > max || v[i] != v[i]) {
			max = v[i];
			best = i;
		}
		if (max != max)
			break;
	}
	if (r->kind == OP_hardmax) {
		for (int64_t i = 0; i < n; i++)
			v[i] = i == best;
	} else if (r->kind == OP_softmax) {
		for (int64_t i = 0; i < n; i++) {
			v[i] = exp(v[i] - max);
			sum += v[i];
		}
		for (int64_t i = 0; i < n; i++)
			v[i] /= sum;
	} else {
		for (int64_t i = 0; i < n; i++)
			sum += exp(v[i] - max);
		double shift = log(sum);
		for (int64_t i = 0; i < n; i++)
			v[i] = v[i] - max - shift;
	}
	tensor_store_f64(r->y, first, n, v);
}

/* ---- any axis: neighbouring columns together; also long rows, as one column ---- */

/* Loads element `row` of n columns. */
static const double *load_row(const SoftmaxRun *r, int64_t first, int64_t row, int64_t n, double *buf)
{
	tensor_load_f64(r->x, first + row * r->inner, n, buf);
	return buf;
}

static void softmax_columns(const SoftmaxRun *r, int64_t first, int64_t n)
{
	double max[BLOCK], sum[BLOCK], v[BLOCK];
	int64_t best[BLOCK];
	for (int64_t i = 0; i < n; i++) {
		max[i] = -INFINITY;
		sum[i] = 0;
		best[i] = 0;
	}
	for (int64_t row = 0; row < r->size; row++) {
		load_row(r, first, row, n, v);
		for (int64_t i = 0; i < n; i++) {
			if (v[i] > max[i] || (v[i] != v[i] && max[i] == max[i])) {
				max[i] = v[i];
				best[i] = row;
			}
		}
	}
	for (int64_t row = 0; r->kind != OP_hardmax && row < r->size; row++) {
		load_row(r, first, row, n, v);
		for (int64_t i = 0; i < n; i++)
			sum[i] += exp(v[i] - max[i]);
	}
	if (r->kind == OP_log_softmax)
		for (int64_t i = 0; i < n; i++)
			sum[i] = log(sum[i]);
	for (int64_t row = 0; row < r->size; row++) {
		load_row(r, first, row, n, v);
		for (int64_t i = 0; i < n; i++)
			v[i] = r->kind == OP_hardmax ? best[i] == row :
				r->kind == OP_softmax ? exp(v[i] - max[i]) / sum[i] : v[i] - max[i] - sum[i];
		tensor_store_f64(r->y, first + row * r->inner, n, v);
	}
}

static void run_softmax(void *arg, int64_t begin, int64_t end)
{
	const SoftmaxRun *r = arg;
	for (int64_t outer = begin; outer < end; outer++) {
		int64_t first = outer * r->size * r->inner;
		if (r->inner == 1 && r->size <= ROW) {
			softmax_short_row(r, first);
			continue;
		}
		for (int64_t col = 0; col < r->inner; col += BLOCK)
			softmax_columns(r, first + col, r->inner - col < BLOCK ? r->inner - col : BLOCK);
	}
}

bool eval_softmax(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { COST = 15 };
	const Tensor *x = in[0];
	SoftmaxRun r = {.kind = op_kind(op), .x = x, .size = 1, .inner = 1};
	int64_t outer = 1, axis = op_int(op, A_axis);
	int d = 0;
	if (!dtype_is_float(x->dtype))
		return eval_error(e, op, "floats are expected, not %s", dtype_friendly_name(x->dtype));
	if (x->rank > 0 ? !axis_norm(axis, x->rank, &d) : axis != 0 && axis != -1)
		return eval_error(e, op, "axis %lld is out of range for rank %d", (long long)axis, x->rank);
	r.y = out[0] = tensor_raw(e, x->dtype, x->rank, x->dims);
	if (!r.y || r.y->count == 0)
		return r.y != NULL;
	for (int i = 0; i < x->rank; i++)
		*(i < d ? &outer : i == d ? &r.size : &r.inner) *= x->dims[i];
	eval_ranges(e, outer, COST * r.size * r.inner, run_softmax, &r);
	return true;
}

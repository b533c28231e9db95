/* DynamicQuantizeLSTM of com.microsoft: weights are bytes; the input, and the hidden state at every step, are quantised to
 * bytes by their own range before they are multiplied. Gates in the order input, output, forget, cell.
 *
 * What shares a range is a part of the meaning, and is taken from ONNX Runtime: all rows of the input up to the longest
 * sequence; the states of all sequences of a step, where a sequence that has ended counts as zeros if the sequence is
 * a result, and with its last state if only that is. (It does so with one thread. With more it cuts the batch into a part for
 * each thread with a range of its own, so that its results depend on the machine.) Scales, products and sums of the two
 * products are f32 there: another rounding would now and then choose another byte. */
#include "eval_int.h"
#include "ops/gemm.h"
#include "ops/rnn_cell.h"

#include <math.h>
#include <string.h>

typedef struct Lstm {
	LstmLayer layer;
	int64_t inputs;
	const Tensor *w, *r, *w_scale, *w_zero, *r_scale, *r_zero;
	const double *x, *bias;              /* [steps batch inputs]; [directions, 8 hidden] or NULL */
	double *from_x, *gates, *q;          /* [steps batch 4h], [batch 4h], quantised numbers */
	double *last;                        /* [batch hidden]: the state after each sequence's last step, zeros for an empty one */
	bool sequence;                       /* it is a result */
} Lstm;

/* x rounded to the bytes that its range gives, in f32 as DynamicQuantizeLinear defines it; q gets whole numbers minus the zero
 * point, the result is the scale. */
static double quantised(const double *x, int64_t n, double *q)
{
	float low = 0, high = 0;
	for (int64_t i = 0; i < n; i++) {
		low = (float)x[i] < low ? (float)x[i] : low;
		high = (float)x[i] > high ? (float)x[i] : high;
	}
	float scale = high == low ? 1 : (high - low) / 255.0F;
	float zero = rintf(0 - low / scale);
	zero = zero < 0 ? 0 : zero > 255 ? 255 : zero;
	for (int64_t i = 0; i < n; i++) {
		float v = rintf((float)x[i] / scale) + zero;
		q[i] = (double)((v < 0 ? 0 : v > 255 ? 255 : v) - zero);
	}
	return (double)scale;
}

static double per_column(const Tensor *t, int64_t direction, int64_t directions, int64_t column, int64_t columns)
{
	return tensor_get_f64(t, t->count == directions ? direction : direction * columns + column);
}

/* y[rows, 4 hidden] = q * weights * scales */
static void multiply(const Lstm *l, int64_t dir, const double *q, double scale, int64_t rows, int64_t k, bool recurrent, double *y)
{
	const Tensor *w = recurrent ? l->r : l->w, *ws = recurrent ? l->r_scale : l->w_scale, *wz = recurrent ? l->r_zero : l->w_zero;
	int64_t n = 4 * l->layer.hidden;
	for (int64_t c = 0; c < n; c++) {
		double zero = per_column(wz, dir, l->layer.directions, c, n);
		float factor = (float)scale * (float)per_column(ws, dir, l->layer.directions, c, n);
		for (int64_t row = 0; row < rows; row++) {
			double sum = 0;
			for (int64_t i = 0; i < k; i++)
				sum += q[row * k + i] * ((double)tensor_get_i64(w, (dir * k + i) * n + c) - zero);
			y[row * n + c] = (double)((float)sum * factor);
		}
	}
}

/* The step of sequence b at place t, from the products of both weights. */
static void step(const Lstm *l, const LstmCell *cell, int64_t dir, int64_t b, int64_t t)
{
	int64_t n = l->layer.hidden;
	const double *bias = l->bias ? l->bias + dir * 8 * n : NULL;
	double *x = l->from_x + (t * l->layer.batch + b) * 4 * n, *gates = l->gates + b * 4 * n;
	for (int64_t i = 0; i < 4 * n; i++)
		gates[i] = (double)((float)x[i] + (float)gates[i] + (bias ? (float)bias[i] + (float)bias[4 * n + i] : 0));
	memset(x, 0, (size_t)(4 * n) * sizeof *x);
	rnn_lstm_cell(cell, x, gates, l->layer.h + b * n, l->layer.c + b * n);
	for (int64_t i = b * n; i < (b + 1) * n; i++) {
		l->layer.h[i] = (double)(float)l->layer.h[i];
		l->layer.c[i] = (double)(float)l->layer.c[i];
	}
}

/* A sequence of no steps leaves zeros, whatever its first state was. */
static void forget_empty(const Lstm *l)
{
	for (int64_t b = 0; b < l->layer.batch; b++)
		if (lstm_length(&l->layer, b) == 0)
			memset(l->layer.c + b * l->layer.hidden, 0, (size_t)l->layer.hidden * sizeof *l->layer.c);
}

static void run_direction(void *arg, const LstmCell *cell, int64_t dir, bool backward, Tensor *y)
{
	const Lstm *l = arg;
	int64_t n = l->layer.hidden, longest = 0;
	memset(l->last, 0, (size_t)(l->layer.batch * n) * sizeof *l->last);
	for (int64_t b = 0; b < l->layer.batch; b++) {
		int64_t length = lstm_length(&l->layer, b);
		longest = length > longest ? length : longest;
	}
	double scale = quantised(l->x, longest * l->layer.batch * l->inputs, l->q);
	multiply(l, dir, l->q, scale, longest * l->layer.batch, l->inputs, false, l->from_x);
	for (int64_t s = 0; s < longest; s++) {
		scale = quantised(l->layer.h, l->layer.batch * n, l->q);
		multiply(l, dir, l->q, scale, l->layer.batch, n, true, l->gates);
		for (int64_t b = 0; b < l->layer.batch; b++) {
			int64_t length = lstm_length(&l->layer, b), t = lstm_place(length, s, backward);
			if (s < length) {
				step(l, cell, dir, b, t);
				memcpy(l->last + b * n, l->layer.h + b * n, (size_t)n * sizeof *l->layer.h);
				lstm_keep(&l->layer, dir, b, t, l->sequence ? y : NULL);
			} else if (l->sequence || length == 0) {
				memset(l->layer.h + b * n, 0, (size_t)n * sizeof *l->layer.h);
			}
		}
	}
	forget_empty(l);
}

static bool scales_fit(const Lstm *l, const Tensor *t)
{
	return t->count == l->layer.directions || t->count == l->layer.directions * 4 * l->layer.hidden;
}

static bool read_lstm(EvalCtx *e, const Op *op, Tensor *const *in, Lstm *l)
{
	const Tensor *x = in[0], *bias = in[3], *h0 = in[5], *c0 = in[6];
	*l = (Lstm){ .layer = { .lengths = in[4], .h0 = h0, .c0 = c0 }, .w = in[1], .r = in[2], .w_scale = in[8], .w_zero = in[9], .r_scale = in[10], .r_zero = in[11] };
	if (x->rank != 3 || l->w->rank != 3 || l->r->rank != 3 || !dtype_is_float(x->dtype) || !dtype_is_integer(l->w->dtype) ||
		!dtype_is_integer(l->r->dtype))
		return eval_error(e, op, "an input of shape %s, weights %s and %s", tensor_shape_text(e, x), tensor_shape_text(e, l->w),
			tensor_shape_text(e, l->r));
	l->layer.steps = x->dims[0];
	l->layer.batch = x->dims[1];
	l->inputs = x->dims[2];
	l->layer.directions = l->w->dims[0];
	l->layer.hidden = l->r->dims[1];
	int64_t state = l->layer.directions * l->layer.batch * l->layer.hidden;
	bool two = op_attr_is(op, A_direction, "bidirectional");
	bool ok = l->layer.directions == (two ? 2 : 1) && l->r->dims[0] == l->layer.directions && l->layer.hidden > 0 && l->layer.hidden < INT32_MAX &&
		l->r->dims[2] == 4 * l->layer.hidden && l->w->dims[1] == l->inputs && l->w->dims[2] == 4 * l->layer.hidden && scales_fit(l, l->w_scale) &&
		scales_fit(l, l->w_zero) && scales_fit(l, l->r_scale) && scales_fit(l, l->r_zero) && (!h0 || h0->count == state) &&
		(!c0 || c0->count == state) && (!bias || bias->count == l->layer.directions * 8 * l->layer.hidden) && (!in[7] || in[7]->count == l->layer.directions * 3 * l->layer.hidden) &&
		(!l->layer.lengths || (l->layer.lengths->count == l->layer.batch && dtype_is_integer(l->layer.lengths->dtype)));
	for (int64_t b = 0; ok && l->layer.lengths && b < l->layer.batch; b++)
		ok = tensor_get_i64(l->layer.lengths, b) >= 0 && tensor_get_i64(l->layer.lengths, b) <= l->layer.steps;
	return ok || eval_error(e, op, "its operands do not go together: input %s, weights %s and %s", tensor_shape_text(e, x),
		tensor_shape_text(e, l->w), tensor_shape_text(e, l->r));
}

bool eval_quantised_lstm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Lstm l = { 0 };
	enum { X, BIAS, PEEPHOLES, FROM_X, GATES, H, C, LAST, Q, PARTS };
	Dense d[PARTS] = { 0 };
	Tensor *none = NULL, *all[12];
	if (!dense_operands(e, op, in, false))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		all[i] = i < op->noperands ? in[i] : none;
	if (!read_lstm(e, op, all, &l))
		return false;
	int64_t rows, most, n = l.layer.batch * l.layer.hidden;
	if (!mul_ok(l.layer.steps, l.layer.batch, &rows) || !mul_ok(rows, 4 * l.layer.hidden, &most))
		return eval_error(e, op, "a sequence of too many elements");
	int64_t widest = rows * l.inputs > n ? rows * l.inputs : n;
	bool ok = dense_load(e, all[0], DT_F64, &d[X]) && dense_load(e, all[3], DT_F64, &d[BIAS]) && dense_load(e, all[7], DT_F64, &d[PEEPHOLES]) &&
		dense_scratch(e, DT_F64, most, &d[FROM_X]) &&
		dense_scratch(e, DT_F64, 4 * n, &d[GATES]) && dense_scratch(e, DT_F64, n, &d[H]) && dense_scratch(e, DT_F64, n, &d[C]) && dense_scratch(e, DT_F64, n, &d[LAST]) &&
		dense_scratch(e, DT_F64, widest, &d[Q]);
	l.x = d[X].data;
	l.bias = d[BIAS].data;
	l.layer.peepholes = d[PEEPHOLES].data;
	l.from_x = d[FROM_X].data;
	l.gates = d[GATES].data;
	l.layer.h = d[H].data;
	l.layer.c = d[C].data;
	l.layer.last = l.last = d[LAST].data;
	l.q = d[Q].data;
	l.sequence = op->nresults > 0 && value_has_uses(op->results[0]);
	ok = ok && lstm_run(e, op, &l.layer, all[0]->dtype, run_direction, &l, out);
	for (size_t i = 0; i < PARTS; i++)
		dense_release(&d[i]);
	return ok;
}

bool infer_quantised_lstm(InferCtx *x, Op *op)
{
	return infer_lstm_results(x, op, 1);
}

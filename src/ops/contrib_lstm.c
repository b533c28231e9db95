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
	int64_t steps, batch, inputs, hidden, directions;
	const Tensor *w, *r, *w_scale, *w_zero, *r_scale, *r_zero, *lengths;
	const double *bias;                  /* [directions, 8 hidden] or NULL */
	double *from_x, *gates, *q;          /* [steps batch 4h], [batch 4h], quantised numbers */
	double *h, *c, *last;                /* [batch hidden] each */
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
	int64_t n = 4 * l->hidden;
	for (int64_t c = 0; c < n; c++) {
		double zero = per_column(wz, dir, l->directions, c, n);
		float factor = (float)scale * (float)per_column(ws, dir, l->directions, c, n);
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
	int64_t n = l->hidden;
	const double *bias = l->bias ? l->bias + dir * 8 * n : NULL;
	double *x = l->from_x + (t * l->batch + b) * 4 * n, *gates = l->gates + b * 4 * n;
	for (int64_t i = 0; i < 4 * n; i++)
		gates[i] = (double)((float)x[i] + (float)gates[i] + (bias ? (float)bias[i] + (float)bias[4 * n + i] : 0));
	memset(x, 0, (size_t)(4 * n) * sizeof *x);
	rnn_lstm_cell(cell, x, gates, l->h + b * n, l->c + b * n);
	for (int64_t i = b * n; i < (b + 1) * n; i++) {
		l->h[i] = (double)(float)l->h[i];
		l->c[i] = (double)(float)l->c[i];
	}
}

static int64_t sequence_length(const Lstm *l, int64_t b)
{
	return l->lengths ? tensor_get_i64(l->lengths, b) : l->steps;
}

/* y is NULL when the sequence is no result; last gets the state after each sequence's last step, zeros for an empty one. */
static void run_direction(const Lstm *l, const LstmCell *cell, int64_t dir, bool backward, const double *x, Tensor *y)
{
	int64_t n = l->hidden, longest = 0;
	for (int64_t b = 0; b < l->batch; b++) {
		int64_t length = sequence_length(l, b);
		longest = length > longest ? length : longest;
	}
	double scale = quantised(x, longest * l->batch * l->inputs, l->q);
	multiply(l, dir, l->q, scale, longest * l->batch, l->inputs, false, l->from_x);
	for (int64_t s = 0; s < longest; s++) {
		scale = quantised(l->h, l->batch * n, l->q);
		multiply(l, dir, l->q, scale, l->batch, n, true, l->gates);
		for (int64_t b = 0; b < l->batch; b++) {
			int64_t length = sequence_length(l, b), t = backward ? length - 1 - s : s;
			if (s < length) {
				step(l, cell, dir, b, t);
				memcpy(l->last + b * n, l->h + b * n, (size_t)n * sizeof *l->h);
			} else if (y || length == 0) {
				memset(l->h + b * n, 0, (size_t)n * sizeof *l->h);
			}
			if (s < length && y)
				tensor_store_f64(y, ((t * l->directions + dir) * l->batch + b) * n, n, l->h + b * n);
		}
	}
}

static bool scales_fit(const Lstm *l, const Tensor *t)
{
	return t->count == l->directions || t->count == l->directions * 4 * l->hidden;
}

static bool read_lstm(EvalCtx *e, const Op *op, Tensor *const *in, Lstm *l)
{
	const Tensor *x = in[0], *bias = in[3], *h0 = in[5], *c0 = in[6];
	*l = (Lstm){ .w = in[1], .r = in[2], .lengths = in[4], .w_scale = in[8], .w_zero = in[9], .r_scale = in[10], .r_zero = in[11] };
	if (x->rank != 3 || l->w->rank != 3 || l->r->rank != 3 || !dtype_is_float(x->dtype) || !dtype_is_integer(l->w->dtype) ||
		!dtype_is_integer(l->r->dtype))
		return eval_error(e, op, "an input of shape %s, weights %s and %s", tensor_shape_text(e, x), tensor_shape_text(e, l->w),
			tensor_shape_text(e, l->r));
	l->steps = x->dims[0];
	l->batch = x->dims[1];
	l->inputs = x->dims[2];
	l->directions = l->w->dims[0];
	l->hidden = l->r->dims[1];
	int64_t state = l->directions * l->batch * l->hidden;
	bool two = op_attr_is(op, A_direction, "bidirectional");
	bool ok = l->directions == (two ? 2 : 1) && l->r->dims[0] == l->directions && l->hidden > 0 && l->hidden < INT32_MAX &&
		l->r->dims[2] == 4 * l->hidden && l->w->dims[1] == l->inputs && l->w->dims[2] == 4 * l->hidden && scales_fit(l, l->w_scale) &&
		scales_fit(l, l->w_zero) && scales_fit(l, l->r_scale) && scales_fit(l, l->r_zero) && (!h0 || h0->count == state) &&
		(!c0 || c0->count == state) && (!bias || bias->count == l->directions * 8 * l->hidden) && (!in[7] || in[7]->count == l->directions * 3 * l->hidden) &&
		(!l->lengths || (l->lengths->count == l->batch && dtype_is_integer(l->lengths->dtype)));
	for (int64_t b = 0; ok && l->lengths && b < l->batch; b++)
		ok = tensor_get_i64(l->lengths, b) >= 0 && tensor_get_i64(l->lengths, b) <= l->steps;
	return ok || eval_error(e, op, "its operands do not go together: input %s, weights %s and %s", tensor_shape_text(e, x),
		tensor_shape_text(e, l->w), tensor_shape_text(e, l->r));
}

static bool make_results(EvalCtx *e, const Op *op, const Lstm *l, DType d, Tensor **out)
{
	const int64_t all[4] = { l->steps, l->directions, l->batch, l->hidden };
	for (size_t i = 0; i < op->nresults && i < 3; i++) {
		out[i] = i ? tensor_new(e, d, 3, all + 1) : tensor_new(e, d, 4, all);
		if (!out[i])
			return false;
	}
	return true;
}

static void load_state(const Tensor *t, int64_t from, int64_t n, double *state)
{
	if (t)
		tensor_load_f64(t, from, n, state);
	else
		memset(state, 0, (size_t)n * sizeof *state);
}

/* A sequence of no steps leaves zeros, whatever its first state was. */
static void forget_empty(const Lstm *l)
{
	for (int64_t b = 0; b < l->batch; b++)
		if (sequence_length(l, b) == 0)
			memset(l->c + b * l->hidden, 0, (size_t)l->hidden * sizeof *l->c);
}

bool eval_quantised_lstm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Lstm l = {0};
	enum { X, BIAS, PEEPHOLES, FROM_X, GATES, H, C, LAST, Q, PARTS };
	RnnAct acts[2][RNN_MAX_ACTS];
	const Attr *clip = op_attr(op, A_clip);
	Dense d[PARTS] = {0};
	Tensor *none = NULL, *all[12];
	if (!dense_operands(e, op, in, false))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		all[i] = i < op->noperands ? in[i] : none;
	if (!read_lstm(e, op, all, &l) || !make_results(e, op, &l, all[0]->dtype, out) ||
		!rnn_acts(e, op, 3, (int)l.directions, acts))
		return false;
	int64_t rows, most, n = l.batch * l.hidden;
	if (!mul_ok(l.steps, l.batch, &rows) || !mul_ok(rows, 4 * l.hidden, &most))
		return eval_error(e, op, "a sequence of too many elements");
	int64_t widest = rows * l.inputs > n ? rows * l.inputs : n;
	bool ok = dense_load(e, all[0], DT_F64, &d[X]) && dense_load(e, all[3], DT_F64, &d[BIAS]) && dense_load(e, all[7], DT_F64, &d[PEEPHOLES]) &&
		dense_scratch(e, DT_F64, most, &d[FROM_X]) &&
		dense_scratch(e, DT_F64, 4 * n, &d[GATES]) && dense_scratch(e, DT_F64, n, &d[H]) && dense_scratch(e, DT_F64, n, &d[C]) && dense_scratch(e, DT_F64, n, &d[LAST]) &&
		dense_scratch(e, DT_F64, widest, &d[Q]);
	l.bias = d[BIAS].data;
	l.from_x = d[FROM_X].data;
	l.gates = d[GATES].data;
	l.h = d[H].data;
	l.c = d[C].data;
	l.last = d[LAST].data;
	l.q = d[Q].data;
	for (int64_t dir = 0; ok && dir < l.directions; dir++) {
		LstmCell cell = { l.hidden, acts[dir], d[PEEPHOLES].data ? (double *)d[PEEPHOLES].data + dir * 3 * l.hidden : NULL,
			clip && clip->kind == ATTR_FLOAT && clip->u.f > 0 ? clip->u.f : INFINITY, op_attr_int(op, A_input_forget, 0) != 0 };
		load_state(all[5], dir * n, n, l.h);
		load_state(all[6], dir * n, n, l.c);
		memset(l.last, 0, (size_t)n * sizeof *l.last);
		run_direction(&l, &cell, dir, dir == 1 || op_attr_is(op, A_direction, "reverse"), d[X].data,
			op->nresults > 0 && value_has_uses(op->results[0]) ? out[0] : NULL);
		forget_empty(&l);
		for (size_t i = 1; i < op->nresults && i < 3; i++)
			tensor_store_f64(out[i], dir * n, n, i == 1 ? l.last : l.c);
	}
	for (size_t i = 0; i < PARTS; i++)
		dense_release(&d[i]);
	return ok;
}

bool infer_quantised_lstm(InferCtx *x, Op *op)
{
	return infer_lstm_results(x, op, 1);
}

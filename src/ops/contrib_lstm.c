/* DynamicQuantizeLSTM of com.microsoft: weights are bytes; the input, and the hidden state at every step, are quantised to
 * bytes by their own range before they are multiplied. Gates in the order input, output, forget, cell. */
#include "eval_int.h"
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

typedef struct Lstm {
	int64_t steps, batch, inputs, hidden, directions;
	const Tensor *w, *r, *w_scale, *w_zero, *r_scale, *r_zero, *lengths;
	const double *bias;                  /* [directions, 8 hidden] or NULL */
	double *from_x, *gates, *h, *c, *q;  /* [steps batch 4h], [batch 4h], [batch hidden] twice, quantised numbers */
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
		double zero = per_column(wz, dir, l->directions, c, n), factor = scale * per_column(ws, dir, l->directions, c, n);
		for (int64_t row = 0; row < rows; row++) {
			double sum = 0;
			for (int64_t i = 0; i < k; i++)
				sum += q[row * k + i] * ((double)tensor_get_i64(w, (dir * k + i) * n + c) - zero);
			y[row * n + c] = sum * factor;
		}
	}
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static void step(const Lstm *l, int64_t dir, int64_t b, int64_t t)
{
	int64_t n = l->hidden;
	const double *bias = l->bias ? l->bias + dir * 8 * n : NULL;
	double *x = l->from_x + (t * l->batch + b) * 4 * n, *h = l->gates + b * 4 * n, g[4];
	for (int64_t i = 0; i < n; i++) {
		for (int64_t k = 0; k < 4; k++)
			g[k] = x[k * n + i] + h[k * n + i] + (bias ? bias[k * n + i] + bias[(4 + k) * n + i] : 0);
		double *c = &l->c[b * n + i];
		*c = (double)(float)(sigmoid(g[2]) * *c + sigmoid(g[0]) * tanh(g[3]));
		l->h[b * n + i] = (double)(float)(sigmoid(g[1]) * tanh(*c));
	}
}

static void run_direction(const Lstm *l, int64_t dir, bool backward, const double *x, Tensor *y)
{
	int64_t n = l->hidden, rows = l->steps * l->batch;
	double scale = quantised(x, rows * l->inputs, l->q);
	multiply(l, dir, l->q, scale, rows, l->inputs, false, l->from_x);
	for (int64_t s = 0; s < l->steps; s++) {
		scale = quantised(l->h, l->batch * n, l->q);
		multiply(l, dir, l->q, scale, l->batch, n, true, l->gates);
		for (int64_t b = 0; b < l->batch; b++) {
			int64_t length = l->lengths ? tensor_get_i64(l->lengths, b) : l->steps, t = backward ? length - 1 - s : s;
			if (s >= length)
				continue;
			step(l, dir, b, t);
			if (y)
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
	static const AttrName PLAIN[] = { A_activations, A_activation_alpha, A_activation_beta, A_clip };
	for (size_t i = 0; i < ARRAY_LEN(PLAIN); i++)
		if (op_attr(op, PLAIN[i]))
			return eval_unsupported(e, op, "activations of its own, or clipping");
	if (op_attr_int(op, A_input_forget, 0) || in[7])
		return eval_unsupported(e, op, "input_forget or peepholes");
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
		(!c0 || c0->count == state) && (!bias || bias->count == l->directions * 8 * l->hidden) &&
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

bool eval_quantised_lstm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Lstm l = {0};
	enum { X, BIAS, FROM_X, GATES, H, C, Q, PARTS };
	Dense d[PARTS] = {0};
	Tensor *none = NULL, *all[12];
	if (!dense_operands(e, op, in, false))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		all[i] = i < op->noperands ? in[i] : none;
	if (!read_lstm(e, op, all, &l) || !make_results(e, op, &l, all[0]->dtype, out))
		return false;
	int64_t rows, most, n = l.batch * l.hidden;
	if (!mul_ok(l.steps, l.batch, &rows) || !mul_ok(rows, 4 * l.hidden, &most))
		return eval_error(e, op, "a sequence of too many elements");
	int64_t widest = rows * l.inputs > n ? rows * l.inputs : n;
	bool ok = dense_load(e, all[0], DT_F64, &d[X]) && dense_load(e, all[3], DT_F64, &d[BIAS]) && dense_scratch(e, DT_F64, most, &d[FROM_X]) &&
		dense_scratch(e, DT_F64, 4 * n, &d[GATES]) && dense_scratch(e, DT_F64, n, &d[H]) && dense_scratch(e, DT_F64, n, &d[C]) &&
		dense_scratch(e, DT_F64, widest, &d[Q]);
	l.bias = d[BIAS].data;
	l.from_x = d[FROM_X].data;
	l.gates = d[GATES].data;
	l.h = d[H].data;
	l.c = d[C].data;
	l.q = d[Q].data;
	for (int64_t dir = 0; ok && dir < l.directions; dir++) {
		memset(l.h, 0, (size_t)n * sizeof *l.h);
		memset(l.c, 0, (size_t)n * sizeof *l.c);
		if (all[5])
			tensor_load_f64(all[5], dir * n, n, l.h);
		if (all[6])
			tensor_load_f64(all[6], dir * n, n, l.c);
		run_direction(&l, dir, dir == 1 || op_attr_is(op, A_direction, "reverse"), d[X].data, op->nresults > 0 ? out[0] : NULL);
		for (size_t i = 1; i < op->nresults && i < 3; i++)
			tensor_store_f64(out[i], dir * n, n, i == 1 ? l.h : l.c);
	}
	for (size_t i = 0; i < PARTS; i++)
		dense_release(&d[i]);
	return ok;
}

bool infer_quantised_lstm(InferCtx *x, Op *op)
{
	const Value *v = op_operand(op, 0), *r = op_operand(op, 2);
	for (size_t i = 0; i < op->nresults && i < 3; i++) {
		if (value_rank(v) != 3 || value_rank(r) != 3) {
			infer_tensor(x, op, i, value_dtype(v), i ? 3 : 4, NULL);
			continue;
		}
		const Sym *all[4] = { v->type->dims[0], r->type->dims[0], v->type->dims[1], r->type->dims[1] };
		infer_tensor(x, op, i, value_dtype(v), i ? 3 : 4, i ? all + 1 : all);
	}
	return true;
}

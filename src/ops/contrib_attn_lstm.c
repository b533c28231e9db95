/* AttnLSTM of com.microsoft: an LSTM whose input is joined by what attention over a memory gave at the step before. The memory's
 * keys are its product with one weight; the state is compared with them as V . tanh(keys + state * query weight). */
#include "eval_int.h"
#include "ops/gemm.h"
#include "ops/rnn_cell.h"

#include <math.h>
#include <string.h>

enum { X, W, R, BIAS, H0 = 5, C0, PEEPHOLES, QW, MW, V, MEMORY, AW = 13, OPERANDS };

typedef struct AttnLstm {
	LstmLayer layer;
	int64_t inputs, memory, depth, attention, carried; /* memory: steps of it */
	const double *p[OPERANDS];             /* numbers of each operand, NULL: absent */
	const Tensor *memory_lengths;
	double *keys;                          /* batch memory attention */
	double *gates, *zeros, *query, *scores, *joined, *carry;
} AttnLstm;

static Tensor *operand(const Op *op, Tensor *const *in, size_t i)
{
	return i < op->noperands ? in[i] : NULL;
}

static bool is_shape(const Tensor *t, int rank, const int64_t *dims)
{
	return t && t->rank == rank && !memcmp(t->dims, dims, (size_t)rank * sizeof *dims);
}

static bool lengths_fit(const Tensor *t, int64_t batch, int64_t least, int64_t most)
{
	bool ok = !t || (t->count == batch && dtype_is_integer(t->dtype));
	for (int64_t b = 0; t && ok && b < batch; b++)
		ok = tensor_get_i64(t, b) >= least && tensor_get_i64(t, b) <= most;
	return ok;
}

static bool attn_shapes(EvalCtx *e, const Op *op, Tensor *const *in, AttnLstm *l)
{
	const Tensor *t[OPERANDS];
	for (size_t i = 0; i < OPERANDS; i++)
		t[i] = operand(op, in, i);
	if (t[X]->rank != 3 || t[R]->rank != 3 || !t[MEMORY] || t[MEMORY]->rank != 3 || !t[QW] || t[QW]->rank != 3 || (t[AW] && t[AW]->rank != 3))
		return eval_error(e, op, "X, W, R, QW, MW, M and AW must have three axes");
	l->layer.steps = t[X]->dims[0], l->layer.batch = t[X]->dims[1], l->inputs = t[X]->dims[2];
	l->layer.directions = op_attr_is(op, A_direction, "bidirectional") ? 2 : 1;
	l->layer.hidden = t[R]->dims[2];
	l->memory = t[MEMORY]->dims[1], l->depth = t[MEMORY]->dims[2];
	l->attention = t[QW]->dims[2];
	l->carried = t[AW] ? t[AW]->dims[2] : l->depth;
	l->layer.lengths = t[4];
	l->layer.h0 = t[H0];
	l->layer.c0 = t[C0];
	l->memory_lengths = t[12];
	int64_t dir = l->layer.directions, n = l->layer.hidden, state = dir * l->layer.batch * n;
	if (n < 1 || n > INT32_MAX / 8 || l->inputs > INT32_MAX || l->carried > INT32_MAX || l->depth > INT32_MAX)
		return eval_error(e, op, "hidden_size %lld", (long long)n);
	bool ok = is_shape(t[W], 3, (int64_t[]){ dir, 4 * n, l->inputs + l->carried }) && is_shape(t[R], 3, (int64_t[]){ dir, 4 * n, n }) &&
		(!t[BIAS] || t[BIAS]->count == dir * 8 * n) && (!t[H0] || t[H0]->count == state) && (!t[C0] || t[C0]->count == state) &&
		(!t[PEEPHOLES] || t[PEEPHOLES]->count == dir * 3 * n) && is_shape(t[QW], 3, (int64_t[]){ dir, n, l->attention }) &&
		is_shape(t[MW], 3, (int64_t[]){ dir, l->depth, l->attention }) && t[V] && t[V]->count == dir * l->attention &&
		t[MEMORY]->dims[0] == l->layer.batch && (!t[AW] || is_shape(t[AW], 3, (int64_t[]){ dir, l->depth + n, l->carried })) &&
		lengths_fit(l->layer.lengths, l->layer.batch, 0, l->layer.steps) && lengths_fit(l->memory_lengths, l->layer.batch, 1, l->memory);
	return ok || eval_error(e, op, "its operands do not go together: input %s, weights %s and %s, memory %s", tensor_shape_text(e, t[X]),
		tensor_shape_text(e, t[W]), tensor_shape_text(e, t[R]), tensor_shape_text(e, t[MEMORY]));
}

/* y[columns] = x[rows] * w, row by row. */
static void times(const double *x, int64_t rows, const double *w, int64_t columns, double *y)
{
	memset(y, 0, (size_t)columns * sizeof *y);
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			y[j] += x[i] * w[i * columns + j];
}

/* What batch entry b carries to its next step, given its state h. */
static void attend(const AttnLstm *l, int64_t dir, int64_t b, const double *h, double *carry)
{
	int64_t known = l->memory_lengths ? tensor_get_i64(l->memory_lengths, b) : l->memory;
	double top = -INFINITY, sum = 0, *context = l->joined + l->layer.hidden;
	times(h, l->layer.hidden, l->p[QW] + dir * l->layer.hidden * l->attention, l->attention, l->query);
	for (int64_t m = 0; m < known; m++) {
		const double *key = l->keys + (b * l->memory + m) * l->attention, *v = l->p[V] + dir * l->attention;
		l->scores[m] = 0;
		for (int64_t i = 0; i < l->attention; i++)
			l->scores[m] += v[i] * tanh(key[i] + l->query[i]);
		top = fmax(top, l->scores[m]);
	}
	for (int64_t m = 0; m < known; m++)
		sum += l->scores[m] = exp(l->scores[m] - top);
	memset(context, 0, (size_t)l->depth * sizeof *context);
	for (int64_t m = 0; m < known; m++)
		for (int64_t i = 0; i < l->depth; i++)
			context[i] += l->scores[m] / sum * l->p[MEMORY][(b * l->memory + m) * l->depth + i];
	memcpy(l->joined, h, (size_t)l->layer.hidden * sizeof *h);
	if (l->p[AW])
		times(l->joined, l->layer.hidden + l->depth, l->p[AW] + dir * (l->depth + l->layer.hidden) * l->carried, l->carried, carry);
	else
		memcpy(carry, context, (size_t)l->depth * sizeof *carry);
}

static double dot(const double *a, const double *b, int64_t n)
{
	double sum = 0;
	for (int64_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void step(const AttnLstm *l, const LstmCell *cell, int64_t dir, int64_t b, int64_t t)
{
	int64_t n = l->layer.hidden, wide = l->inputs + l->carried;
	double *h = l->layer.h + b * n, *carry = l->carry + b * l->carried;
	const double *x = l->p[X] + (t * l->layer.batch + b) * l->inputs, *bias = l->p[BIAS] ? l->p[BIAS] + dir * 8 * n : NULL;
	for (int64_t g = 0; g < 4 * n; g++) {
		const double *w = l->p[W] + (dir * 4 * n + g) * wide, *r = l->p[R] + (dir * 4 * n + g) * n;
		l->gates[g] = dot(w, x, l->inputs) + dot(w + l->inputs, carry, l->carried) + dot(r, h, n) + (bias ? bias[g] + bias[4 * n + g] : 0);
	}
	rnn_lstm_cell(cell, l->gates, l->zeros, h, l->layer.c + b * n);
	attend(l, dir, b, h, carry);
}

static void run_direction(void *arg, const LstmCell *cell, int64_t dir, bool backward, Tensor *y)
{
	const AttnLstm *l = arg;
	memset(l->carry, 0, (size_t)(l->layer.batch * l->carried) * sizeof *l->carry);
	for (int64_t m = 0; m < l->layer.batch * l->memory; m++)
		times(l->p[MEMORY] + m * l->depth, l->depth, l->p[MW] + dir * l->depth * l->attention, l->attention, l->keys + m * l->attention);
	for (int64_t b = 0; b < l->layer.batch; b++)
		for (int64_t s = 0, length = lstm_length(&l->layer, b); s < length; s++) {
			int64_t t = lstm_place(length, s, backward);
			step(l, cell, dir, b, t);
			lstm_keep(&l->layer, dir, b, t, y);
		}
}

/* The numbers of all operands, and scratch. */
static bool attn_arrays(EvalCtx *e, const Op *op, Tensor *const *in, AttnLstm *l, Dense *operands, Dense *extra, size_t nextra)
{
	double **to[] = { &l->keys, &l->gates, &l->zeros, &l->query, &l->scores, &l->joined, &l->carry, &l->layer.h, &l->layer.c };
	int64_t n = l->layer.hidden, sizes[ARRAY_LEN(to)] = { 0, 4 * n, 4 * n, l->attention, l->memory, n + l->depth, 0, l->layer.batch * n, l->layer.batch * n };
	CHECK(nextra == ARRAY_LEN(to));
	if (!mul_ok(l->layer.batch, l->memory, &sizes[0]) || !mul_ok(sizes[0], l->attention, &sizes[0]) || !mul_ok(l->layer.batch, l->carried, &sizes[6]))
		return eval_error(e, op, "a memory of too many elements");
	for (size_t i = 0; i < OPERANDS; i++) {
		if (i == 4 || i == H0 || i == C0 || i == 12)
			continue;
		if (!dense_load(e, operand(op, in, i), DT_F64, &operands[i]))
			return false;
		l->p[i] = operands[i].data;
	}
	for (size_t i = 0; i < nextra; i++) {
		if (!dense_scratch(e, DT_F64, sizes[i], &extra[i]))
			return false;
		*to[i] = extra[i].data;
	}
	return true;
}

bool eval_attn_lstm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { EXTRA = 9 };
	AttnLstm l = { 0 };
	Dense operands[OPERANDS] = { 0 }, extra[EXTRA] = { 0 };
	if (!dense_operands(e, op, in, false) || !attn_shapes(e, op, in, &l))
		return false;
	bool ok = attn_arrays(e, op, in, &l, operands, extra, EXTRA);
	l.layer.peepholes = l.p[PEEPHOLES];
	l.layer.last = l.layer.h;
	ok = ok && lstm_run(e, op, &l.layer, in[0]->dtype, run_direction, &l, out);
	for (size_t i = 0; i < OPERANDS; i++)
		dense_release(&operands[i]);
	for (size_t i = 0; i < EXTRA; i++)
		dense_release(&extra[i]);
	return ok;
}

bool infer_attn_lstm(InferCtx *x, Op *op)
{
	return infer_lstm_results(x, op, 2);
}

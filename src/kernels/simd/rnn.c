/* Recurrent layers, step after step: the product of the state with the recurrent weights is a dense layer that adds what the
 * input gives, the rest is done gate by gate on its result. */
#include "conv.h"
#include "math.h"

static int64_t gates_of(const RnnParam *p)
{
	return p->kind == RNN_LSTM ? 4 : p->kind == RNN_GRU ? 3 : 1;
}

static int64_t rnn_tasks(const void *param)
{
	(void)param;
	return 1;
}

/* h, c (batch x hidden), the gates (batch x gates * hidden) and r h of a GRU, then the scratch of the products. */
static size_t state_bytes(const RnnParam *p)
{
	return align64((size_t)(p->batch * p->hidden * (3 + gates_of(p))) * sizeof(float));
}

static size_t rnn_scratch(const void *param)
{
	const RnnParam *p = param;
	if (p->cell_only)
		return 0;
	size_t n = K(kernel_direct).scratch_bytes(&p->product);
	size_t m = p->kind == RNN_GRU && !p->linear_before_reset ? K(kernel_direct).scratch_bytes(&p->reset_product) : 0;
	return state_bytes(p) + (n > m ? n : m);
}

/* Every other step reads the weights from their end: more of them than caches hold would push each other out in one order. */
static void multiply(const ConvParam *c, bool backward, float *y, const float *x, const float *add, void *scratch)
{
	void *ptr[] = { y, (void *)(uintptr_t)x, (void *)(uintptr_t)add };
	ConvParam turned = *c;
	turned.backward = backward;
	K(kernel_direct).run(&turned, ptr, scratch, 0, K(kernel_direct).tasks(c));
}

static void lstm_cell(float *h, float *c, const float *g, int64_t n)
{
	const float *i = g, *o = g + n, *f = g + 2 * n, *z = g + 3 * n;
	_Pragma("GCC ivdep")
	for (int64_t k = 0; k < n; k++) {
		c[k] = math_sigmoid(f[k]) * c[k] + math_sigmoid(i[k]) * math_tanh(z[k]);
		h[k] = math_sigmoid(o[k]) * math_tanh(c[k]);
	}
}

/* g: h R + b; x: what the input gives. */
static void gru_cell_linear(float *h, const float *g, const float *x, int64_t n)
{
	_Pragma("GCC ivdep")
	for (int64_t k = 0; k < n; k++) {
		float z = math_sigmoid(g[k] + x[k]), r = math_sigmoid(g[n + k] + x[n + k]);
		float t = math_tanh(x[2 * n + k] + r * g[2 * n + k]);
		h[k] = (1.0f - z) * t + z * h[k];
	}
}

static void gru_cell(float *h, const float *z, const float *t, int64_t n)
{
	_Pragma("GCC ivdep")
	for (int64_t k = 0; k < n; k++)
		h[k] = (1.0f - z[k]) * math_tanh(t[k]) + z[k] * h[k];
}

static void gru_step(const RnnParam *p, bool backward, float *h, float *g, float *reset, const float *z, void *scratch)
{
	int64_t n = p->hidden;
	multiply(&p->product, backward, g, h, NULL, scratch);
	if (p->linear_before_reset) {
		for (int64_t b = 0; b < p->batch; b++)
			gru_cell_linear(h + b * n, g + b * 3 * n, z + b * p->z_batch, n);
		return;
	}
	/* The first two gates, then (r h) R_h. */
	for (int64_t b = 0; b < p->batch; b++) {
		float *gb = g + b * 3 * n;
		const float *zb = z + b * p->z_batch;
		_Pragma("GCC ivdep")
		for (int64_t k = 0; k < n; k++) {
			gb[k] = math_sigmoid(gb[k] + zb[k]);
			reset[b * n + k] = math_sigmoid(gb[n + k] + zb[n + k]) * h[b * n + k];
		}
	}
	multiply(&p->reset_product, backward, g + 2 * n, reset, NULL, scratch);
	for (int64_t b = 0; b < p->batch; b++) {
		float *t = g + b * 3 * n + 2 * n;
		const float *zb = z + b * p->z_batch + 2 * n;
		_Pragma("GCC ivdep")
		for (int64_t k = 0; k < n; k++)
			t[k] += zb[k];
		gru_cell(h + b * n, g + b * 3 * n, t, n);
	}
}

static void plain_cell(const RnnParam *p, float *h, const float *g)
{
	int64_t n = p->batch * p->hidden;
	if (p->relu)
		for (int64_t k = 0; k < n; k++)
			h[k] = g[k] < 0 ? 0 : g[k];
	else
		for (int64_t k = 0; k < n; k++)
			h[k] = math_tanh(g[k]);
}

static void load_state(float *to, bool has, const float *from, int64_t stride, int64_t batch, int64_t n)
{
	for (int64_t b = 0; b < batch; b++) {
		if (has)
			memcpy(to + b * n, from + b * stride, (size_t)n * sizeof(*to));
		else
			memset(to + b * n, 0, (size_t)n * sizeof(*to));
	}
}

static void store_state(float *to, int64_t stride, const float *from, int64_t batch, int64_t n)
{
	for (int64_t b = 0; b < batch; b++)
		memcpy(to + b * stride, from + b * n, (size_t)n * sizeof(*to));
}

static void run_cell(const RnnParam *p, void *const *ptr)
{
	int64_t n = p->hidden;
	float *h = ptr[2], *c = ptr[3];
	for (int64_t b = 0; b < p->batch; b++)
		lstm_cell(h + b * n, c + b * n, (const float *)ptr[1] + b * 4 * n, n);
	if (p->has_y)
		store_state((float *)ptr[0] + p->y_offset, p->y_batch, h, p->batch, n);
}

static void rnn_run(const void *param, void *const *ptr, void *scratch, int64_t begin, int64_t end)
{
	const RnnParam *p = param;
	if (p->cell_only && begin < end) {
		run_cell(p, ptr);
		return;
	}
	int64_t n = p->hidden, cells = p->batch * n;
	float *h = scratch, *c = h + cells, *reset = c + cells, *g = reset + cells;
	char *rest = (char *)scratch + state_bytes(p);
	if (begin >= end)
		return;
	load_state(h, p->has_h0, (const float *)ptr[2] + p->h0_offset, p->h0_batch, p->batch, n);
	load_state(c, p->has_c0, (const float *)ptr[3] + p->c0_offset, p->c0_batch, p->batch, n);
	for (int64_t s = 0; s < p->steps; s++) {
		int64_t t = p->reverse ? p->steps - 1 - s : s;
		const float *z = (const float *)ptr[1] + p->z_offset + t * p->z_step;
		if (p->kind == RNN_GRU) {
			gru_step(p, s % 2, h, g, reset, z, rest);
		} else {
			multiply(&p->product, s % 2, g, h, z, rest);
			if (p->kind == RNN_PLAIN)
				plain_cell(p, h, g);
			for (int64_t b = 0; b < p->batch && p->kind == RNN_LSTM; b++)
				lstm_cell(h + b * n, c + b * n, g + b * 4 * n, n);
		}
		if (p->has_y)
			store_state((float *)ptr[0] + p->y_offset + t * p->y_step, p->y_batch, h, p->batch, n);
	}
	if (p->has_y_h)
		store_state((float *)ptr[4] + p->h_offset, p->h_batch, h, p->batch, n);
	if (p->has_y_c)
		store_state((float *)ptr[5] + p->c_offset, p->c_batch, c, p->batch, n);
}

const Kernel K(kernel_rnn) = { rnn_tasks, rnn_run, rnn_scratch };

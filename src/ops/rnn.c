/* Recurrent layers: LSTM, GRU, plain. All arithmetic in double, rounded once when the results are stored. */
#include "ops/gemm.h"
#include "ops/rnn_cell.h"

#include <math.h>
#include <string.h>

static int gates_of(OpKind k)
{
	return k == OP_lstm ? 4 : k == OP_gru ? 3 : 1;
}

/* ---- inference ---- */

static const Sym *dim_or(InferCtx *x, const Op *op, const Value *v, int rank, int d, size_t result, int result_dim)
{
	return value_rank(v) == rank ? v->type->dims[d] : infer_unknown(x, op, result, result_dim);
}

/* Results: y (seq, dirs, batch, hidden), y_h and y_c (dirs, batch, hidden); layout 1 puts batch first. */
bool infer_rnn(InferCtx *x, Op *op)
{
	Context *c = x->ctx;
	const Value *in = op_operand(op, 0), *w = op_operand(op, 1), *r = op_operand(op, 2);
	bool batch_first = op_int(op, A_layout) != 0;
	const Attr *size = op_attr(op, A_hidden_size);
	int gates = gates_of(op_kind(op));
	const Value *three[3] = {in, w, r};
	for (int i = 0; i < 3; i++)
		if (value_rank(three[i]) >= 0 && value_rank(three[i]) != 3)
			return infer_error(x, op, "operand %d must have rank 3, not %d", i + 1, value_rank(three[i]));
	const char *direction = op_text(op, A_direction);
	int64_t ndirs = !strcmp(direction, "bidirectional") ? 2 : 1;
	const Sym *dirs = sym_int(c, ndirs);
	const Sym *seq = dim_or(x, op, in, 3, batch_first ? 1 : 0, 0, batch_first ? 1 : 0);
	const Sym *batch = dim_or(x, op, in, 3, batch_first ? 0 : 1, 0, batch_first ? 0 : 2);
	const Sym *hidden = value_rank(r) == 3 ? r->type->dims[2]
		: size && size->kind == ATTR_INT   ? sym_int(c, size->u.i)
										   : NULL;
	if (!hidden)
		hidden = value_rank(w) == 3 ? sym_floordiv(c, w->type->dims[1], sym_int(c, gates)) : infer_unknown(x, op, 0, 3);
	if (value_rank(w) == 3 && (sym_known_ne(c, w->type->dims[0], dirs) ||
			(value_rank(in) == 3 && sym_known_ne(c, w->type->dims[2], in->type->dims[2]))))
		return infer_error(x, op, "the weights do not fit the input size or the direction \"%s\"", direction);
	const Sym *rows = sym_mul(c, hidden, sym_int(c, gates));
	for (int i = 1; i < 3; i++)
		if (value_rank(three[i]) == 3 && sym_known_ne(c, three[i]->type->dims[1], rows))
			return infer_error(x, op, "the weights (operand %d) are not of the hidden size of the recurrence weights", i);
	if (size && size->kind == ATTR_INT && sym_known_ne(c, hidden, sym_int(c, size->u.i)))
		return infer_error(x, op, "hidden_size is %lld, but the recurrence weights are of another", (long long)size->u.i);
	const Attr *names = op_attr(op, A_activations);
	size_t each = op_is(op, OP_lstm) ? 3 : op_is(op, OP_gru) ? 2 : 1;
	if (names && names->kind == ATTR_STRS && names->u.strs.n && names->u.strs.n != each * (size_t)ndirs)
		return infer_error(x, op, "%zu activations where %zu are expected", names->u.strs.n, each * (size_t)ndirs);
	const Sym *y[4] = {seq, dirs, batch, hidden}, *last[3] = {dirs, batch, hidden};
	if (batch_first) {
		y[0] = batch, y[1] = seq, y[2] = dirs;
		last[0] = batch, last[1] = dirs;
	}
	DType d = value_dtype(in) != DT_NONE ? value_dtype(in) : value_dtype(w);
	for (size_t i = 0; i < op->nresults; i++)
		infer_tensor(x, op, i, d, i == 0 ? 4 : 3, i == 0 ? y : last);
	return true;
}

/* ---- one layer ---- */

typedef struct Layer {
	OpKind kind;
	int gates, threads;
	int64_t dirs, seq, batch, input, hidden;
	bool batch_first, reverse_only, input_forget, linear_before_reset;
	double clip; /* INFINITY: none */
	RnnAct acts[2][RNN_MAX_ACTS];
	int64_t *lens;                                /* of each batch entry */
	const double *x, *w, *r, *b, *h0, *c0, *p;    /* b, h0, c0, p may be NULL */
	double *y, *yh, *yc;                          /* results */
	/* scratch */
	double *gx;  /* (all rows of x) x gates*hidden: input part of the gates */
	double *gh;  /* batch x gates*hidden: recurrent part */
	double *h, *c, *rh; /* batch x hidden */
	double *rt; /* hidden x gates*hidden: recurrent weights of one direction, transposed once so that steps read along
				   rows */
} Layer;

/* Columns first .. first + n of the gates: gh += a (batch x hidden) times those of the recurrent weights. */
static void add_recurrent(const Layer *l, const double *a, int64_t first, int64_t n)
{
	int64_t wide = l->gates * l->hidden;
	Gemm g = {.type = DT_F64,
		.m = l->batch,
		.n = n,
		.k = l->hidden,
		.a = a,
		.a_row = l->hidden,
		.a_col = 1,
		.b = l->rt + first,
		.b_row = wide,
		.b_col = 1,
		.c = l->gh + first,
		.c_row = wide,
		.c_col = 1};
	gemm_run(l->threads, &g);
}

/* Gates z r h; recurrent bias of the hidden gate in rb. gh of the hidden gate: of h (linear_before_reset) or of r*h. */
static void gru_cell(const Layer *l, int dir, const double *gx, const double *gh, const double *rb, double *h)
{
	int64_t n = l->hidden;
	const RnnAct *act = l->acts[dir];
	for (int64_t j = 0; j < n; j++) {
		double z = rnn_act(&act[0], rnn_clipped(l->clip, gx[j] + gh[j]));
		double again = gh[2 * n + j] + (rb ? rb[j] : 0);
		if (l->linear_before_reset)
			again *= rnn_act(&act[0], rnn_clipped(l->clip, gx[n + j] + gh[n + j]));
		double g = rnn_act(&act[1], rnn_clipped(l->clip, gx[2 * n + j] + again));
		h[j] = (1 - z) * g + z * h[j];
	}
}

/* r*h of every batch entry, for a GRU that resets before the linear step. */
static void gru_reset(const Layer *l, int dir, int64_t step, bool reverse)
{
	int64_t n = l->hidden;
	for (int64_t b = 0; b < l->batch; b++) {
		int64_t len = l->lens[b], t = reverse ? len - 1 - step : step,
				row = l->batch_first ? b * l->seq + t : t * l->batch + b;
		for (int64_t j = 0; step < len && j < n; j++) {
			double r = rnn_act(&l->acts[dir][0], rnn_clipped(l->clip, l->gx[row * 3 * n + n + j] + l->gh[b * 3 * n + n + j]));
			l->rh[b * n + j] = r * l->h[b * n + j];
		}
	}
}

static void layer_step(Layer *l, int dir, int64_t step, bool reverse)
{
	int64_t n = l->hidden, wide = l->gates * n;
	const double *bias = l->b ? l->b + dir * 2 * wide : NULL;
	LstmCell cell = {n, l->acts[dir], l->p ? l->p + dir * 3 * n : NULL, l->clip, l->input_forget};
	memset(l->gh, 0, (size_t)(l->batch * wide) * sizeof(double));
	if (l->kind == OP_gru && !l->linear_before_reset) {
		add_recurrent(l, l->h, 0, 2 * n);
		gru_reset(l, dir, step, reverse);
		add_recurrent(l, l->rh, 2 * n, n);
	} else {
		add_recurrent(l, l->h, 0, wide);
	}
	for (int64_t b = 0; b < l->batch; b++) {
		int64_t len = l->lens[b], t = reverse ? len - 1 - step : step,
				row = l->batch_first ? b * l->seq + t : t * l->batch + b;
		double *h = l->h + b * n, *gx = l->gx + row * wide, *gh = l->gh + b * wide;
		if (step >= len)
			continue;
		if (l->kind == OP_lstm)
			rnn_lstm_cell(&cell, gx, gh, h, l->c + b * n);
		else if (l->kind == OP_gru)
			gru_cell(l, dir, gx, gh, bias ? bias + wide + 2 * n : NULL, h);
		else
			for (int64_t j = 0; j < n; j++)
				h[j] = rnn_act(&l->acts[dir][0], rnn_clipped(l->clip, gx[j] + gh[j]));
		int64_t at = l->batch_first ? (b * l->seq + t) * l->dirs + dir : (t * l->dirs + dir) * l->batch + b;
		memcpy(l->y + at * n, h, (size_t)n * sizeof(double));
	}
}

/* The input part of all gates at once, then step by step. */
static void layer_direction(Layer *l, int dir)
{
	int64_t n = l->hidden, wide = l->gates * n, rows = l->seq * l->batch;
	const double *bias = l->b ? l->b + dir * 2 * wide : NULL;
	bool reverse = l->reverse_only || dir == 1;
	/* The recurrent bias of a GRU's hidden gate goes inside the reset. */
	int64_t both = l->kind == OP_gru ? 2 * n : wide;
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < wide; j++)
			l->gx[i * wide + j] = bias ? bias[j] + (j < both ? bias[wide + j] : 0) : 0;
	Gemm g = {.type = DT_F64, .m = rows, .n = wide, .k = l->input, .a = l->x, .a_row = l->input, .a_col = 1,
		.b = l->w + dir * wide * l->input, .b_row = 1, .b_col = l->input, .c = l->gx, .c_row = wide, .c_col = 1};
	gemm_run(l->threads, &g);
	for (int64_t i = 0; i < wide; i++)
		for (int64_t j = 0; j < n; j++)
			l->rt[j * wide + i] = l->r[(dir * wide + i) * n + j];
	for (int64_t b = 0; b < l->batch; b++) {
		int64_t at = l->batch_first ? b * l->dirs + dir : dir * l->batch + b;
		for (int64_t j = 0; j < n; j++) {
			l->h[b * n + j] = l->h0 ? l->h0[at * n + j] : 0;
			l->c[b * n + j] = l->c0 ? l->c0[at * n + j] : 0;
		}
	}
	for (int64_t step = 0; step < l->seq; step++)
		layer_step(l, dir, step, reverse);
	for (int64_t b = 0; b < l->batch; b++) {
		int64_t at = l->batch_first ? b * l->dirs + dir : dir * l->batch + b;
		memcpy(l->yh + at * n, l->h + b * n, (size_t)n * sizeof(double));
		memcpy(l->yc + at * n, l->c + b * n, (size_t)n * sizeof(double));
	}
}

/* ---- operands and results ---- */

static bool has_shape(const Tensor *t, int rank, const int64_t *dims)
{
	if (!t)
		return true;
	if (t->rank != rank)
		return false;
	for (int i = 0; i < rank; i++)
		if (t->dims[i] != dims[i])
			return false;
	return true;
}

static bool layer_plan(EvalCtx *e, const Op *op, Tensor *const *in, Layer *l)
{
	const Tensor *x = in[0], *w = in[1], *r = in[2];
	const char *direction = op_text(op, A_direction);
	const Attr *clip = op_attr(op, A_clip);
	l->kind = op_kind(op);
	l->gates = gates_of(l->kind);
	l->threads = e->threads;
	l->batch_first = op_int(op, A_layout) != 0;
	l->dirs = !strcmp(direction, "bidirectional") ? 2 : 1;
	l->reverse_only = !strcmp(direction, "reverse");
	l->input_forget = l->kind == OP_lstm && op_int(op, A_input_forget) != 0;
	l->linear_before_reset = l->kind == OP_gru && op_int(op, A_linear_before_reset) != 0;
	l->clip = clip && clip->kind == ATTR_FLOAT && clip->u.f > 0 ? clip->u.f : INFINITY;
	if (l->dirs == 1 && !l->reverse_only && strcmp(direction, "forward") != 0)
		return eval_error(e, op, "direction must be forward, reverse or bidirectional");
	if (x->rank != 3 || w->rank != 3 || r->rank != 3)
		return eval_error(e, op, "the input and both weights must have rank 3");
	l->seq = x->dims[l->batch_first ? 1 : 0];
	l->batch = x->dims[l->batch_first ? 0 : 1];
	l->input = x->dims[2];
	l->hidden = r->dims[2];
	int64_t wide;
	if (!mul_ok(l->hidden, 2 * l->gates, &wide))
		return eval_error(e, op, "the hidden size is too large");
	wide = l->gates * l->hidden;
	const int64_t state[3] = {l->batch_first ? l->batch : l->dirs, l->batch_first ? l->dirs : l->batch, l->hidden};
	bool fits = has_shape(w, 3, (int64_t[]){l->dirs, wide, l->input}) &&
		has_shape(r, 3, (int64_t[]){l->dirs, wide, l->hidden}) &&
		has_shape(op->noperands > 3 ? in[3] : NULL, 2, (int64_t[]){l->dirs, 2 * wide}) &&
		has_shape(op->noperands > 4 ? in[4] : NULL, 1, &l->batch) &&
		has_shape(op->noperands > 5 ? in[5] : NULL, 3, state) &&
		has_shape(op->noperands > 6 ? in[6] : NULL, 3, state) &&
		has_shape(op->noperands > 7 ? in[7] : NULL, 2, (int64_t[]){l->dirs, 3 * l->hidden});
	if (!fits)
		return eval_error(e, op, "shapes of input, weights, bias, lengths and states do not go together");
	return rnn_acts(e, op, l->kind == OP_lstm ? 3 : l->kind == OP_gru ? 2 : 1, (int)l->dirs, l->acts);
}

/* Scratch for the loop: lengths, then the arrays of Layer. */
static bool layer_scratch(EvalCtx *e, const Op *op, const Tensor *lens, Layer *l, Dense *held)
{
	int64_t wide = l->gates * l->hidden, rows, gx, state = 0, turned, all;
	if (!mul_ok(l->seq, l->batch, &rows) || !mul_ok(rows, wide, &gx) || !mul_ok(l->batch, wide, &state) ||
		!mul_ok(state, 4, &all) || !add_ok(all, gx, &all) || !add_ok(all, l->batch, &all) ||
		!mul_ok(l->hidden, wide, &turned) || !add_ok(all, turned, &all))
		return eval_error(e, op, "the layer has too many elements");
	if (!dense_scratch(e, DT_F64, all, held))
		return false;
	int64_t each = l->batch * l->hidden;
	l->gx = held->data;
	l->gh = l->gx + gx;
	l->h = l->gh + state;
	l->c = l->h + each;
	l->rh = l->c + each;
	l->rt = l->gh + 4 * state;
	l->lens = (int64_t *)(l->rt + turned); /* the same size, past all doubles */
	for (int64_t b = 0; b < l->batch; b++) {
		l->lens[b] = lens ? tensor_get_i64(lens, b) : l->seq;
		if (l->lens[b] < 0 || l->lens[b] > l->seq)
			return eval_error(
				e, op, "a sequence of length %lld in a batch of %lld steps", (long long)l->lens[b], (long long)l->seq);
	}
	return true;
}

static bool eval_layer(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	enum { OPERANDS = 8, RESULTS = 3 };
	Layer l = {0};
	Dense loaded[OPERANDS] = {{0}}, result[RESULTS] = {{0}}, held = {0};
	Tensor *spare[RESULTS] = {0};
	if (!dense_operands(e, op, in, false) || !layer_plan(e, op, in, &l))
		return false;
	const Tensor *lens = op->noperands > 4 ? in[4] : NULL;
	if (lens && !dtype_is_integer(lens->dtype))
		return eval_error(e, op, "the sequence lengths must be integers");
	const int64_t y[4] = {
		l.batch_first ? l.batch : l.seq, l.batch_first ? l.seq : l.dirs, l.batch_first ? l.dirs : l.batch, l.hidden};
	const int64_t last[3] = {l.batch_first ? l.batch : l.dirs, l.batch_first ? l.dirs : l.batch, l.hidden};
	bool ok = layer_scratch(e, op, lens, &l, &held);
	for (size_t i = 0; ok && i < OPERANDS && i < op->noperands; i++)
		ok = i == 4 || dense_load(e, in[i], DT_F64, &loaded[i]);
	for (size_t i = 0; ok && i < RESULTS; i++) {
		spare[i] = tensor_new(e, in[0]->dtype, i == 0 ? 4 : 3, i == 0 ? y : last);
		ok = spare[i] && dense_result(e, spare[i], DT_F64, &result[i]);
	}
	if (ok) {
		l.x = loaded[0].data, l.w = loaded[1].data, l.r = loaded[2].data, l.b = loaded[3].data;
		l.h0 = loaded[5].data, l.c0 = loaded[6].data, l.p = loaded[7].data;
		l.y = result[0].data, l.yh = result[1].data, l.yc = result[2].data;
		for (int dir = 0; dir < l.dirs; dir++)
			layer_direction(&l, dir);
	}
	for (size_t i = 0; i < RESULTS; i++) {
		if (ok && i < op->nresults) {
			dense_store(spare[i], DT_F64, &result[i]);
			out[i] = spare[i];
		} else {
			dense_release(&result[i]);
			tensor_unref(spare[i]);
		}
	}
	for (size_t i = 0; i < OPERANDS; i++)
		dense_release(&loaded[i]);
	dense_release(&held);
	return ok;
}

bool eval_lstm(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	return eval_layer(e, op, in, out);
}

bool eval_gru(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	return eval_layer(e, op, in, out);
}

bool eval_rnn(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	return eval_layer(e, op, in, out);
}

#include "ops/rnn_cell.h"
#include "ops/gemm.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct ActDef {
	const char *name;
	bool has_alpha, has_beta;
	double alpha, beta;
} ActDef;
static const ActDef act_defs[ACT_COUNT] = {
	[ACT_RELU] = {"Relu", false, false, 0, 0},
	[ACT_TANH] = {"Tanh", false, false, 0, 0},
	[ACT_SIGMOID] = {"Sigmoid", false, false, 0, 0},
	[ACT_AFFINE] = {"Affine", true, true, 1, 0},
	[ACT_LEAKY_RELU] = {"LeakyRelu", true, false, (double)0.01f, 0},
	[ACT_THRESHOLDED_RELU] = {"ThresholdedRelu", true, false, 1, 0},
	[ACT_SCALED_TANH] = {"ScaledTanh", true, true, 1, 1},
	[ACT_HARD_SIGMOID] = {"HardSigmoid", true, true, (double)0.2f, 0.5},
	[ACT_ELU] = {"Elu", true, false, 1, 0},
	[ACT_SOFTSIGN] = {"Softsign", false, false, 0, 0},
	[ACT_SOFTPLUS] = {"Softplus", false, false, 0, 0},
};

double rnn_act(const RnnAct *a, double x)
{
	switch (a->kind) {
	case ACT_RELU: return x > 0 || isnan(x) ? x : 0;
	case ACT_TANH: return tanh(x);
	case ACT_SIGMOID: return 1 / (1 + exp(-x));
	case ACT_AFFINE: return a->alpha * x + a->beta;
	case ACT_LEAKY_RELU: return x >= 0 ? x : a->alpha * x;
	case ACT_THRESHOLDED_RELU: return x >= a->alpha ? x : 0;
	case ACT_SCALED_TANH: return a->alpha * tanh(a->beta * x);
	case ACT_HARD_SIGMOID: return fmin(fmax(a->alpha * x + a->beta, 0), 1);
	case ACT_ELU: return x >= 0 ? x : a->alpha * expm1(x);
	case ACT_SOFTSIGN: return x / (1 + fabs(x));
	case ACT_SOFTPLUS: return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
	case ACT_COUNT: break;
	}
	return x;
}

static bool act_find(const Str *name, RnnAct *a)
{
	for (int k = 0; k < ACT_COUNT; k++)
		if (!strcasecmp(name->s, act_defs[k].name)) {
			*a = (RnnAct){(ActKind)k, act_defs[k].alpha, act_defs[k].beta};
			return true;
		}
	return false;
}

bool rnn_acts(EvalCtx *e, const Op *op, int each, int dirs, RnnAct acts[2][RNN_MAX_ACTS])
{
	static const ActKind defaults[RNN_MAX_ACTS] = {ACT_SIGMOID, ACT_TANH, ACT_TANH};
	const Attr *names = op_attr(op, A_activations), *alphas = op_attr(op, A_activation_alpha),
			   *betas = op_attr(op, A_activation_beta);
	size_t n = names && names->kind == ATTR_STRS ? names->u.strs.n : 0, next_alpha = 0, next_beta = 0;
	if (n != 0 && n != (size_t)(each * dirs))
		return eval_error(e, op, "%zu activations where %d are expected", n, each * dirs);
	for (int i = 0; i < each * dirs; i++) {
		RnnAct *a = &acts[i / each][i % each];
		ActKind k = each == 1 ? ACT_TANH : defaults[i % each];
		*a = (RnnAct){k, act_defs[k].alpha, act_defs[k].beta};
		if (n && !act_find(names->u.strs.v[i], a))
			return eval_unsupported(
				e, op, "activation %s", quote(e->ctx->arena, names->u.strs.v[i]->s, names->u.strs.v[i]->len));
		if (act_defs[a->kind].has_alpha && alphas && alphas->kind == ATTR_FLOATS && next_alpha < alphas->u.floats.n)
			a->alpha = alphas->u.floats.v[next_alpha++];
		if (act_defs[a->kind].has_beta && betas && betas->kind == ATTR_FLOATS && next_beta < betas->u.floats.n)
			a->beta = betas->u.floats.v[next_beta++];
	}
	return true;
}

double rnn_clipped(double clip, double v)
{
	return v > clip ? clip : v < -clip ? -clip : v;
}

void rnn_lstm_cell(const LstmCell *l, const double *gx, const double *gh, double *h, double *c)
{
	int64_t n = l->hidden;
	const RnnAct *act = l->acts;
	const double *p = l->peepholes;
	for (int64_t j = 0; j < n; j++) {
		double i = gx[j] + gh[j], o = gx[n + j] + gh[n + j], f = gx[2 * n + j] + gh[2 * n + j],
			   g = gx[3 * n + j] + gh[3 * n + j];
		if (p)
			i += p[j] * c[j], f += p[2 * n + j] * c[j];
		i = rnn_act(&act[0], rnn_clipped(l->clip, i));
		f = l->input_forget ? 1 - i : rnn_act(&act[0], rnn_clipped(l->clip, f));
		g = rnn_act(&act[1], rnn_clipped(l->clip, g));
		c[j] = f * c[j] + i * g;
		if (p)
			o += p[n + j] * c[j];
		h[j] = rnn_act(&act[0], rnn_clipped(l->clip, o)) * rnn_act(&act[2], c[j]);
	}
}

/* ---- layers ---- */

int64_t lstm_length(const LstmLayer *l, int64_t b)
{
	return l->lengths ? tensor_get_i64(l->lengths, b) : l->steps;
}

int64_t lstm_place(int64_t length, int64_t s, bool backward)
{
	return backward ? length - 1 - s : s;
}

void lstm_keep(const LstmLayer *l, int64_t dir, int64_t b, int64_t t, Tensor *y)
{
	if (y)
		tensor_store_f64(y, ((t * l->directions + dir) * l->batch + b) * l->hidden, l->hidden, l->h + b * l->hidden);
}

static void load_state(const Tensor *t, int64_t from, int64_t n, double *state)
{
	if (t)
		tensor_load_f64(t, from, n, state);
	else
		memset(state, 0, (size_t)n * sizeof *state);
}

bool lstm_run(EvalCtx *e, const Op *op, const LstmLayer *l, DType d, LstmDirection *run, void *arg, Tensor **out)
{
	const int64_t all[4] = { l->steps, l->directions, l->batch, l->hidden }, n = l->batch * l->hidden;
	const Attr *clip = op_attr(op, A_clip);
	RnnAct acts[2][RNN_MAX_ACTS];
	bool ok = rnn_acts(e, op, 3, (int)l->directions, acts);
	for (size_t i = 0; ok && i < op->nresults && i < 3; i++)
		ok = (out[i] = i ? tensor_new(e, d, 3, all + 1) : tensor_new(e, d, 4, all)) != NULL;
	for (int64_t dir = 0; ok && dir < l->directions; dir++) {
		LstmCell cell = { l->hidden, acts[dir], l->peepholes ? l->peepholes + dir * 3 * l->hidden : NULL,
			clip && clip->kind == ATTR_FLOAT && clip->u.f > 0 ? clip->u.f : INFINITY, op_attr_int(op, A_input_forget, 0) != 0 };
		load_state(l->h0, dir * n, n, l->h);
		load_state(l->c0, dir * n, n, l->c);
		run(arg, &cell, dir, dir == 1 || op_attr_is(op, A_direction, "reverse"), op->nresults > 0 ? out[0] : NULL);
		for (size_t i = 1; i < op->nresults && i < 3; i++)
			tensor_store_f64(out[i], dir * n, n, i == 1 ? l->last : l->c);
	}
	return ok;
}

bool infer_lstm_results(InferCtx *x, Op *op, int hidden)
{
	const Value *v = op_operand(op, 0), *r = op_operand(op, 2);
	for (size_t i = 0; i < op->nresults && i < 3; i++) {
		if (value_rank(v) != 3 || value_rank(r) != 3) {
			infer_tensor(x, op, i, value_dtype(v), RANK_UNKNOWN, NULL);
			continue;
		}
		const Sym *all[4] = { v->type->dims[0], r->type->dims[0], v->type->dims[1], r->type->dims[hidden] };
		infer_tensor(x, op, i, value_dtype(v), i ? 3 : 4, i ? all + 1 : all);
	}
	return true;
}

/* Steps of optimisers. Operands after the rate and the step count are groups of n tensors each: parameters, gradients and
 * one or two states; the results are the new parameters and states in the same order. */
#include "eval_int.h"
#include "ops/gemm.h"

#include <math.h>
#include <string.h>

typedef enum StepKind { STEP_ADAGRAD, STEP_ADAM, STEP_MOMENTUM, STEP_NESTEROV } StepKind;

typedef struct Step {
	StepKind kind;
	double rate, alpha, beta, epsilon, decay, decay_after;
} Step;

/* Result i is shaped like parameter i mod n, whose group is the first of the operands. */
/* A result has the type of the operand that it is the derivative for. */
bool infer_gradient(InferCtx *x, Op *op)
{
	for (size_t i = 0; i < op->nresults && i < op->noperands; i++)
		if (op->operands[i].value)
			infer_result(x, op, i, op->operands[i].value->type);
	return true;
}

bool infer_train(InferCtx *x, Op *op)
{
	bool adam = op_is(op, OWN_Adam);
	uint32_t groups = adam ? 3 : 2, n = op->nresults / groups;
	for (size_t i = 0; i < op->nresults && n; i++) {
		const Value *v = op_operand(op, 2 + i % n);
		if (v && type_has_rank(v->type))
			infer_result(x, op, i, v->type);
	}
	return true;
}

/* One element: x and its states v (and h) change. */
static void step_element(const Step *s, double *x, double g, double *v, double *h)
{
	g += s->decay * *x;
	switch (s->kind) {
	case STEP_ADAGRAD:
		*v += g * g;
		*x -= s->rate * g / (sqrt(*v) + s->epsilon);
		break;
	case STEP_ADAM:
		*v = s->alpha * *v + (1 - s->alpha) * g;
		*h = s->beta * *h + (1 - s->beta) * g * g;
		*x = (1 - s->decay_after) * (*x - s->rate * *v / (sqrt(*h) + s->epsilon));
		break;
	case STEP_MOMENTUM:
		*v = s->alpha * *v + s->beta * g;
		*x -= s->rate * *v;
		break;
	case STEP_NESTEROV:
		*v = s->alpha * *v + s->beta * g;
		*x -= s->rate * (g + s->alpha * *v);
		break;
	}
}

static bool run_step(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out, const Step *s)
{
	size_t states = s->kind == STEP_ADAM ? 2 : 1, groups = 2 + states, n = (op->noperands - 2u) / groups;
	if ((op->noperands - 2u) % groups || n == 0 || op->nresults != n * (1 + states))
		return eval_error(e, op, "%u operands and %u results are not one parameter, gradient and state after the other",
			op->noperands, op->nresults);
	for (size_t i = 0; i < n; i++) {
		Tensor *const t[4] = {in[2 + i], in[2 + n + i], in[2 + 2 * n + i], states > 1 ? in[2 + 3 * n + i] : NULL};
		for (size_t k = 0; k < groups; k++)
			if (!dtype_is_float(t[k]->dtype) || !tensor_same_shape(t[k], t[0]))
				return eval_error(e, op, "parameter %zu, its gradient and states differ in shape or are no floats", i);
		Tensor *x = out[i] = tensor_like(e, t[0]), *v = out[n + i] = tensor_like(e, t[2]);
		Tensor *h = states > 1 ? (out[2 * n + i] = tensor_like(e, t[3])) : NULL;
		if (!x || !v || (states > 1 && !h))
			return false;
		for (int64_t k = 0; k < x->count; k++) {
			double px = tensor_get_f64(t[0], k), pv = tensor_get_f64(t[2], k), ph = h ? tensor_get_f64(t[3], k) : 0;
			step_element(s, &px, tensor_get_f64(t[1], k), &pv, &ph);
			tensor_set_f64(x, k, px);
			tensor_set_f64(v, k, pv);
			if (h)
				tensor_set_f64(h, k, ph);
		}
	}
	return true;
}

static bool step_read(EvalCtx *e, const Op *op, Tensor *const *in, Step *s, int64_t *steps)
{
	if (!dtype_is_float(in[0]->dtype) || in[0]->count != 1 || tensor_ints(in[1], steps, 1) != 1)
		return eval_error(e, op, "a rate and a step count are expected first");
	s->rate = tensor_get_f64(in[0], 0);
	s->alpha = op_float(op, A_alpha);
	s->beta = op_float(op, A_beta);
	s->epsilon = op_float(op, A_epsilon);
	s->decay = op_float(op, A_norm_coefficient);
	s->decay_after = op_float(op, A_norm_coefficient_post);
	return true;
}

bool eval_adagrad(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Step s = {STEP_ADAGRAD, .rate = 0};
	int64_t steps;
	if (!step_read(e, op, in, &s, &steps))
		return false;
	s.rate /= 1 + (double)steps * op_float(op, A_decay_factor);
	return run_step(e, op, in, out, &s);
}

bool eval_adam(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	Step s = {STEP_ADAM, .rate = 0};
	int64_t steps;
	if (!step_read(e, op, in, &s, &steps))
		return false;
	if (steps > 0) /* the states start at zero: both averages are too small at first */
		s.rate *= sqrt(1 - pow(s.beta, (double)steps)) / (1 - pow(s.alpha, (double)steps));
	return run_step(e, op, in, out, &s);
}

bool eval_momentum(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out)
{
	const char *mode = op_text(op, A_mode);
	Step s = {!strcmp(mode, "nesterov") ? STEP_NESTEROV : STEP_MOMENTUM, .rate = 0};
	int64_t steps;
	if (s.kind == STEP_MOMENTUM && strcmp(mode, "standard"))
		return eval_error(e, op, "mode \"%s\" is neither standard nor nesterov", mode);
	if (!step_read(e, op, in, &s, &steps))
		return false;
	if (steps == 0)
		s.beta = 1;
	return run_step(e, op, in, out, &s);
}

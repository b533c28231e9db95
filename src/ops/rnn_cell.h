/* rnn_cell: what recurrent layers do at a step, shared by those of floats and those of quantised weights. */
#ifndef HONE_RNN_CELL_H
#define HONE_RNN_CELL_H

#include "ops/eval_int.h"

enum { RNN_MAX_ACTS = 3 };

typedef enum ActKind {
	ACT_RELU,
	ACT_TANH,
	ACT_SIGMOID,
	ACT_AFFINE,
	ACT_LEAKY_RELU,
	ACT_THRESHOLDED_RELU,
	ACT_SCALED_TANH,
	ACT_HARD_SIGMOID,
	ACT_ELU,
	ACT_SOFTSIGN,
	ACT_SOFTPLUS,
	ACT_COUNT
} ActKind;

typedef struct RnnAct {
	ActKind kind;
	double alpha, beta;
} RnnAct;

double rnn_act(const RnnAct *a, double x);
/* Functions f, g, h of each direction (`each` of them); parameters are taken in order by those that have any. */
bool rnn_acts(EvalCtx *e, const Op *op, int each, int dirs, RnnAct acts[2][RNN_MAX_ACTS]);
double rnn_clipped(double clip, double v); /* to [-clip, clip] */

typedef struct LstmCell {
	int64_t hidden;
	const RnnAct *acts;      /* f, g, h */
	const double *peepholes; /* [3 hidden], of the gates i o f; NULL: none */
	double clip;             /* INFINITY: none */
	bool input_forget;
} LstmCell;
/* New state of one batch entry. gx, gh: input (with biases) and recurrent parts of its gates, in order i o f c. */
void rnn_lstm_cell(const LstmCell *l, const double *gx, const double *gh, double *h, double *c);

/* Results of com.microsoft's LSTMs: all states, the last one, the cell. hidden: the dim of the recurrent weights that says it. */
bool infer_lstm_results(InferCtx *x, Op *op, int hidden);

#endif

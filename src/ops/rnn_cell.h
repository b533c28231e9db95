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

/* Layers of such cells, one direction after the other: what those of com.microsoft share. The state is kept in double. */
typedef struct LstmLayer {
	int64_t steps, batch, hidden, directions;
	const Tensor *lengths;   /* of sequences; NULL: all of `steps` */
	const Tensor *h0, *c0;   /* first states; NULL: zeros */
	const double *peepholes; /* [directions, 3 hidden] or NULL */
	double *h, *c;           /* [batch hidden] */
	const double *last;      /* what the result "last state" is taken from */
} LstmLayer;
int64_t lstm_length(const LstmLayer *l, int64_t b);
int64_t lstm_place(int64_t length, int64_t s, bool backward); /* of step s, in time */
/* The state of batch entry b becomes y's at time t; y may be NULL. */
void lstm_keep(const LstmLayer *l, int64_t dir, int64_t b, int64_t t, Tensor *y);
/* One direction, from the states that are set. */
typedef void LstmDirection(void *arg, const LstmCell *cell, int64_t dir, bool backward, Tensor *y);
/* Makes the results (all states, the last one, the cell) with elements of type d, and runs the directions. */
bool lstm_run(EvalCtx *e, const Op *op, const LstmLayer *l, DType d, LstmDirection *run, void *arg, Tensor **out);

/* Results of com.microsoft's LSTMs: all states, the last one, the cell. hidden: the dim of the recurrent weights that says it. */
bool infer_lstm_results(InferCtx *x, Op *op, int hidden);

#endif

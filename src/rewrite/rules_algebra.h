/* Rules of the algebra topic that stand in other files. */
#ifndef HONE_RULES_ALGEBRA_H
#define HONE_RULES_ALGEBRA_H

#include "rewrite/rewrite.h"

/* rules_clamp.c */
RuleFn minmax_clamp, clamp_clamp, relu_of_clamp, clamp_of_relu, relu_of_nonnegative, abs_of_nonnegative, abs_of_zero,
	clamp_open, clamp_one_sided;
/* rules_zero.c */
RuleFn rnn_zero_state;

#define RULES_ZERO_ROWS \
	{ "rnn-zero-state", "lstm(x, initial_h = 0)", "lstm(x)", OP_lstm, CLASS_EXACT, 1, rnn_zero_state }, \
	{ "rnn-zero-state", "gru(x, initial_h = 0)", "gru(x)", OP_gru, CLASS_EXACT, 1, rnn_zero_state }, \
	{ "rnn-zero-state", "rnn(x, initial_h = 0)", "rnn(x)", OP_rnn, CLASS_EXACT, 1, rnn_zero_state },

#define RULES_CLAMP_ROWS \
	{ "min-max-clamp", "min(max(x, lo), hi)", "clamp(x, lo, hi)", OP_min, CLASS_EXACT, 1, minmax_clamp }, \
	{ "min-max-clamp", "max(min(x, hi), lo) with lo < hi", "clamp(x, lo, hi)", OP_max, CLASS_EXACT, 1, minmax_clamp }, \
	{ "clamp-clamp", "clamp(clamp(x, a, b), c, d)", "clamp(x, e, f)", OP_clamp, CLASS_EXACT, 1, clamp_clamp }, \
	{ "clamp-open", "clamp(x) without bounds or between infinities", "x", OP_clamp, CLASS_EXACT, 1, clamp_open }, \
	{ "clamp-one-sided", "max(clamp(x, a), b)", "clamp(x, c)", OP_max, CLASS_EXACT, 1, clamp_one_sided }, \
	{ "clamp-one-sided", "min(clamp(x, a), b)", "clamp(x, c)", OP_min, CLASS_EXACT, 1, clamp_one_sided }, \
	{ "relu-of-clamp", "relu(clamp(x, -1, 6))", "clamp(x, 0, 6)", OP_relu, CLASS_EXACT, 1, relu_of_clamp }, \
	{ "clamp-of-relu", "clamp(relu(x), -1, 6)", "clamp(x, 0, 6)", OP_clamp, CLASS_EXACT, 1, clamp_of_relu }, \
	{ "relu-of-nonnegative", "relu(sigmoid(x))", "sigmoid(x)", OP_relu, CLASS_EXACT, 1, relu_of_nonnegative }, \
	{ "abs-of-nonnegative", "abs(sigmoid(x))", "sigmoid(x)", OP_abs, CLASS_EXACT, 1, abs_of_nonnegative }, \
	{ "abs-of-zero-or-more", "abs(relu(x)), where only -0 differs", "relu(x)", OP_abs, CLASS_ROUNDING, 2, abs_of_zero },

#endif

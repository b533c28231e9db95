/* weights: expressions of float arithmetic on weights (a weight times a scale), computed in double and rounded once, any part of
 * them. What waits to be packed need not lie in memory beside its packed form. */
#ifndef HONE_WEIGHTS_H
#define HONE_WEIGHTS_H

#include "ops/ops.h"

/* Smaller ones are not worth it. Elements. */
enum { WEIGHT_EXPR_LEAST = 1 << 14 };

typedef struct WeightExpr WeightExpr;

/* Whether v is one: f32 of known sizes, add, sub, mul, div, neg and reciprocal of constants, of broadcasts, and of constant
 * expressions of any kind that are small. */
bool is_weight_expr(const Value *v);
/* v made ready in a; small expressions are evaluated now, by e, which must be an oracle's. NULL: it is none, or one of those
 * fails. It refers to the constants' bytes. */
WeightExpr *weight_expr_new(EvalCtx *e, const Value *v, Arena *a);
int64_t weight_expr_count(const WeightExpr *w);
/* Elements [begin, end) in row-major order; several threads may. */
void weight_expr_part(const WeightExpr *w, int64_t begin, int64_t end, float *out);
/* All of them, times factor. */
void weight_expr_all(const WeightExpr *w, int threads, float factor, float *out);
/* Whether all are finite numbers; nothing is stored. */
bool weight_expr_finite(const WeightExpr *w, int threads);

#endif

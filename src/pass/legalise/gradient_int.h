/* Derivatives: what gradient.c (the operator) and gradient_ops.c, gradient_more.c (one function a core op) share. */
#ifndef HONE_GRADIENT_INT_H
#define HONE_GRADIENT_INT_H

#include "legalise_int.h"

/* Derivatives of one value by others, worked out backwards. New ops go before l->op. */
typedef struct Grad {
	Lg *l;
	Map sums;        /* Value -> the derivative by it so far */
	Map wanted;      /* Value -> itself: the values that depend on what the derivative is taken by */
	const char *why; /* why an op has none */
} Grad;

/* Adds the derivatives by the op's operands, given that by its first result; false: it has none, g->why may say why. */
typedef bool GradFn(Grad *g, Op *op, Value *dy);
GradFn *gradient_of(OpKind k); /* NULL: none is known */

void gradient_add(Grad *g, Value *x, Value *dx);        /* to what is known of x; nothing where x is not wanted */
bool gradient_wants(const Grad *g, const Value *x);
Value *gradient_zeros(Grad *g, const Value *like);
/* d, of the type that x had after broadcasting to `from`, summed to x's own shape; NULL: sizes are not known. */
Value *gradient_fit(Grad *g, Value *d, const Type *from, const Value *x);

/* ---- arithmetic, for formulas ---- */

Value *gr_2(Grad *g, OpKind k, Value *a, Value *b);
Value *gr_1(Grad *g, OpKind k, Value *x);
Value *gr_c(Grad *g, const Value *like, double v);      /* a scalar of its type */
static inline Value *gr_mul(Grad *g, Value *a, Value *b) { return gr_2(g, OP_mul, a, b); }
static inline Value *gr_add(Grad *g, Value *a, Value *b) { return gr_2(g, OP_add, a, b); }
static inline Value *gr_sub(Grad *g, Value *a, Value *b) { return gr_2(g, OP_sub, a, b); }
static inline Value *gr_div(Grad *g, Value *a, Value *b) { return gr_2(g, OP_div, a, b); }
static inline Value *gr_times(Grad *g, Value *x, double v) { return gr_mul(g, x, gr_c(g, x, v)); }
static inline Value *gr_plus(Grad *g, Value *x, double v) { return gr_add(g, x, gr_c(g, x, v)); }
Value *gr_where(Grad *g, Value *cond, Value *a, Value *b);
Value *gr_sum(Grad *g, Value *x, const int64_t *axes, size_t n, bool keep);
Value *gr_transpose(Grad *g, Value *x, const int64_t *perm, int rank);
Value *gr_reshape(Grad *g, Value *x, const int64_t *dims, size_t n);
Value *gr_like(Grad *g, Value *x, const Value *like);   /* reshaped to its shape */

GradFn gr_conv, gr_avg_pool, gr_max_pool, gr_global_avg_pool, gr_batch_norm, gr_layer_norm, gr_softmax, gr_log_softmax,
	gr_gather, gr_gather_elements; /* gradient_more.c */

#endif

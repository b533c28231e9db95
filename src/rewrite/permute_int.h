/* permute: ops between transposes.  transpose(op(x, ...), q) = op'(transpose(x, q'), ...) for elementwise ops, concat, pad,
 * slice, softmax, reductions, squeeze, unsqueeze and quantisation along an axis.  permute.c */
#ifndef HONE_REWRITE_PERMUTE_INT_H
#define HONE_REWRITE_PERMUTE_INT_H

#include "rewrite/help_int.h"

/* A permutation as transpose has it: result axis i is operand axis a[i]. */
typedef struct Perm {
	int n;
	int a[MAX_RANK];
} Perm;

/* The permutation of a transpose op, when its rank is known. */
bool perm_of(const Op *transpose, Perm *p);
bool perm_is_identity(const Perm *p);
bool perm_equal(const Perm *p, const Perm *q);
Perm perm_inverse(const Perm *p);
/* transpose(transpose(x, inner), outer) = transpose(x, the result) */
Perm perm_compose(const Perm *inner, const Perm *outer);
/* transpose(v, p), or v itself for the identity. A constant of lower rank gets leading axes of size 1 first. */
Value *perm_apply(Rw *rw, Value *v, const Perm *p);

/* op's result, transposed by q, can be computed by a like op on transposed operands. */
bool perm_can_move(Rw *rw, const Op *op, const Perm *q);
/* The transposition that operand i needs then; false: it stays as it is. Only after perm_can_move. */
bool perm_of_operand(const Op *op, size_t i, const Perm *q, Perm *out);
/* op' on operands that are transposed already. */
Value *perm_rebuild(Rw *rw, const Op *op, const Perm *q, Value *const *operands);
/* For an op that perm_can_move would take: op(transpose(x, p)) = transpose(op'(x), the result). op' is what perm_rebuild
 * makes for the inverse of the result. */
bool perm_below(Rw *rw, const Op *op, const Perm *p, Perm *below);
/* Operand i takes part in the permutation, rather than being a bound, a scale, a number. */
bool perm_touches(const Op *op, size_t i);
/* op' on x for an op(transpose(x, p)) that drops axes (perm_drops): its own axes moved, nothing else. */
bool perm_drops(const Op *op);
Value *perm_drop(Rw *rw, const Op *op, const Perm *p, Value *x);

#endif

/* Shared by the files that raise core ops to StableHLO: shlo.c (the pass), shlo_ops.c (one op each), shlo_expand.c (what
 * StableHLO has no op for). A function turns l->op into StableHLO: with sh_become the op itself, with lg_replace other values
 * in its place. All shapes must be static. */
#ifndef HONE_RAISE_SHLO_INT_H
#define HONE_RAISE_SHLO_INT_H

#include "raise_int.h"

typedef bool ShloFn(Lg *l, OpKind to);
typedef struct ShloRow {
	OpKind core, to;
	ShloFn *fn; /* NULL: same operands, no attributes */
} ShloRow;
extern const ShloRow shlo_raise_rows[];
extern const size_t shlo_raise_nrows;

/* New op before l->op with one result of this type. */
Value *sh_new(Lg *l, OpKind k, Value *const *in, size_t n, const Type *t, const RwAttr *attrs);
Value *sh_new1(Lg *l, OpKind k, Value *x);                    /* of x's type */
Value *sh_new2(Lg *l, OpKind k, Value *x, Value *y);          /* of x's type, which y has too */
bool sh_become(Lg *l, OpKind k, Value *const *in, size_t n, const RwAttr *attrs);
const Type *sh_type(Lg *l, DType d, int rank, const int64_t *dims);
bool sh_dims(const Value *v, int64_t *dims, int *rank);       /* false when not static */
Value *sh_number(Lg *l, DType d, double v);                   /* scalar constant */
Value *sh_full(Lg *l, const Type *t, double v);               /* constant of one repeated number */
Value *sh_broadcast(Lg *l, Value *x, const Type *t, const int64_t *at); /* broadcast_in_dim */
Value *sh_fit(Lg *l, Value *x, const Type *like);             /* NumPy broadcast to like's shape; NULL: not static */
Value *sh_reshape(Lg *l, Value *x, int rank, const int64_t *dims);
Value *sh_reduce(Lg *l, Value *x, OpKind body, double start, const int64_t *axes, size_t n, bool keep);
const Attr *sh_ints(Lg *l, const int64_t *v, size_t n);
/* A struct attribute; fields "name" (numbers) and "name*" (lists) in order. */
typedef struct ShField { const char *name; const int64_t *v; size_t n; bool list; } ShField;
const Attr *sh_struct(Lg *l, const ShField *f, size_t n);

ShloFn sh_constant, sh_identity, sh_binary, sh_compare, sh_select, sh_clamp, sh_cast, sh_expand, sh_fill, sh_reshape_op,
	sh_transpose, sh_concat, sh_slice, sh_pad, sh_reverse, sh_matmul, sh_dot_general, sh_conv, sh_batch_norm,
		sh_reduce_op,
	sh_control, sh_yield, sh_range; /* shlo_ops.c */
ShloFn sh_relu, sh_reciprocal, sh_isnan, sh_gemm, sh_softmax, sh_layer_norm, sh_gelu, sh_swish, sh_leaky_relu,
	sh_split, sh_gather,
	sh_pool, sh_global_pool, sh_nary; /* shlo_expand.c */

#endif

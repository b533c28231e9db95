/* Shared by the files that raise core ops to StableHLO: shlo.c (the pass and its table), shlo_build.c (what the others build
 * with), shlo_size.c (sizes that only the run knows, as values), shlo_ops.c (one op each), shlo_index.c (gathers, scatters,
 * sorts), shlo_window.c (pools, convolutions, resizing), shlo_resize.c (resizing of open sizes), shlo_loop.c (control flow),
 * shlo_portable.c (chlo for bytecode); and into simpler core ops, which are
 * raised in turn: shlo_core.c, shlo_norm.c, shlo_rnn.c.
 *
 * A function turns l->op into StableHLO: with sh_become the op itself, with lg_replace other values in its place. Sizes may
 * be symbolic: a size that an operand or an argument has is read from there, and written as arithmetic where it is an
 * expression of such. */
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
extern const ShloRow shlo_portable_rows[]; /* from chlo: shlo_portable.c */
extern const size_t shlo_portable_nrows;

/* ---- shlo_build.c ---- */

/* New op before l->op with one result of this type. */
Value *sh_new(Lg *l, OpKind k, Value *const *in, size_t n, const Type *t, const RwAttr *attrs);
Value *sh_new1(Lg *l, OpKind k, Value *x);                    /* of x's type */
Value *sh_new2(Lg *l, OpKind k, Value *x, Value *y);          /* of x's type, which y has too */
bool sh_become(Lg *l, OpKind k, Value *const *in, size_t n, const RwAttr *attrs);
RwAttr *sh_attr(Lg *l, AttrName a, const Attr *v);            /* a list of one */
bool sh_needs_shape(Lg *l);                                   /* false, and why */
const Type *sh_result(const Lg *l);                           /* type of the first result */
const Type *sh_type(Lg *l, DType d, int rank, const int64_t *dims);
const Type *sh_type_of(Lg *l, const Value *v, int rank, const Sym *const *dims); /* v's element type */
bool sh_dims(const Value *v, int64_t *dims, int *rank);       /* false when not static */
bool sh_ranked(const Value *v, int *rank);                    /* element type and rank are known */
Value *sh_number(Lg *l, DType d, double v);                   /* scalar constant */
Value *sh_int(Lg *l, DType d, int64_t v);                     /* scalar constant of an integer type */
Value *sh_ints_value(Lg *l, DType d, const int64_t *v, size_t n); /* vector constant */
/* One repeated number; NULL when the type's size cannot be had. */
Value *sh_full(Lg *l, const Type *t, double v);
Value *sh_broadcast(Lg *l, Value *x, const Type *t, const int64_t *at); /* broadcast_in_dim, dynamic where it must be */
Value *sh_fit(Lg *l, Value *x, const Type *like);             /* NumPy broadcast to like's shape; NULL: cannot */
Value *sh_reshape(Lg *l, Value *x, int rank, const int64_t *dims);
Value *sh_reshape_to(Lg *l, Value *x, const Type *t);         /* t's sizes; NULL: cannot */
Value *sh_convert(Lg *l, Value *x, DType d);
Value *sh_compare_to(Lg *l, Value *x, Value *y, const char *direction);
Value *sh_select_of(Lg *l, Value *cond, Value *a, Value *b);
Value *sh_iota(Lg *l, const Type *t, int64_t axis);           /* NULL: cannot */
Value *sh_transpose_of(Lg *l, Value *x, const int64_t *perm);
Value *sh_slice_of(Lg *l, Value *x, const int64_t *start, const int64_t *end, const int64_t *step);
/* Sum, product ... over the axes; NULL: cannot. */
Value *sh_reduce(Lg *l, Value *x, OpKind body, Value *start, const int64_t *axes, size_t n, bool keep);
double sh_neutral(OpKind body, DType d);                      /* of floats: of integers use sh_neutral_value */
Value *sh_neutral_value(Lg *l, OpKind body, DType d);
/* The number of elements along the axes as a scalar of x's type. */
Value *sh_count(Lg *l, const Value *x, const int64_t *axes, size_t n, DType d);
const Attr *sh_ints(Lg *l, const int64_t *v, size_t n);
/* A struct attribute; fields that are numbers and lists, in order. */
typedef struct ShField { const char *name; const int64_t *v; size_t n; bool list; } ShField;
const Attr *sh_struct(Lg *l, const ShField *f, size_t n);
/* An op with one region whose arguments have these types; *body is the empty block. */
Op *sh_region_op(Lg *l, OpKind k, Value *const *in, size_t n, const Type *const *types, size_t nresults,
	const RwAttr *attrs, const Type *const *args, size_t nargs, Block **body);
/* An op at the end of a block of such a region. */
Value *sh_in(Lg *l, Block *b, OpKind k, Value *const *in, size_t n, const Type *t, const RwAttr *attrs);
void sh_end(Lg *l, Block *b, Value *const *v, size_t n);      /* stablehlo.return */
/* The body `return op(lhs, rhs)` for scalars of type d. */
void sh_body(Lg *l, Block *b, OpKind op, DType d);
/* A core op before l->op, its types inferred; it is raised later. */
Value *sh_core(Lg *l, OpKind k, Value *const *in, size_t n, const RwAttr *attrs);
Value *sh_core1(Lg *l, OpKind k, Value *x, const RwAttr *attrs);
Value *sh_core2(Lg *l, OpKind k, Value *x, Value *y, const RwAttr *attrs);

/* ---- shlo_size.c ---- */

/* Where sizes can be read: block arguments and results so far, scopes nested. */
typedef struct SizeSource { const Sym *size; Value *v; int dim; } SizeSource;
typedef struct ShSizes {
	Arena *arena;
	VEC(SizeSource) known;
} ShSizes;
void sizes_note(ShSizes *s, Value *v);                        /* v can be used from here on */
Value *sh_size(Lg *l, const Sym *size);                       /* scalar i32, or NULL */
Value *sh_shape(Lg *l, const Type *t);                        /* vector of i32, or NULL */
/* l->op computes sizes that are known, in a way that shape refinement elsewhere does not follow (gathers, slices): the same from
 * get_dimension_size, arithmetic, reshape and concatenate. NULL: not such an op. */
Value *sh_known_sizes(Lg *l);

ShloFn sh_constant, sh_identity, sh_binary, sh_compare, sh_select, sh_clamp, sh_cast, sh_expand, sh_fill, sh_reshape_op,
	sh_transpose, sh_concat, sh_slice, sh_pad, sh_reverse, sh_matmul, sh_dot_general, sh_batch_norm, sh_reduce_op,
	sh_range, sh_power, sh_bitcast; /* shlo_ops.c */
ShloFn sh_relu, sh_reciprocal, sh_isnan, sh_isinf, sh_gelu, sh_swish, sh_leaky_relu, sh_nary, sh_gemm, sh_einsum, sh_conv_integer,
	sh_shape_op, sx_celu, sx_elu, sx_selu, sx_softplus, sx_softsign, sx_thresholded, sx_hard_sigmoid, sx_hard_swish,
	sx_mish, sx_shrink, sx_prelu, sx_mod, sx_tile, sx_depth_to_space, sx_space_to_depth, sx_quantize, sx_dequantize,
	sx_dynamic_quantize, sx_matmul_integer, sx_quantized_matmul, sx_quantized_conv, sx_dropout, sx_size,
	sh_random, sx_bernoulli; /* shlo_core.c */
ShloFn sh_softmax, sh_layer_norm, sh_split, sh_global_pool, sh_batch_norm_training, sx_instance_norm, sx_group_norm,
	sx_rms_norm, sx_lrn, sx_lp_norm, sx_mvn, sx_hardmax; /* shlo_norm.c */
ShloFn sh_gather, sh_gather_elements, sh_gather_nd, sh_scatter_elements, sh_scatter_nd, sh_arg, sh_topk, sh_one_hot,
	sh_trilu, sh_eye_like, sh_cumulate; /* shlo_index.c */
ShloFn sh_pool, sh_conv, sh_conv_transpose, sh_resize; /* shlo_window.c */
/* shlo_resize.c: along an axis whose sizes only the run knows; scale <= 0: as the sizes say. NULL: cannot. */
Value *sh_resize_open(Lg *l, Value *x, int axis, const Sym *out, double scale);
ShloFn sh_if, sh_while, sh_loop, sh_scan, sh_yield; /* shlo_loop.c */
ShloFn sh_rnn; /* shlo_rnn.c */

#endif

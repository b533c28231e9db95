/* Shared by the files of raise/: one function a core op family, driven by the table in table.c.
 *
 * Two kinds of functions. A direct one turns l->op, in place, into one ONNX op in the form that its opset has. An expanding
 * one replaces l->op by simpler core ops (helpers before it, the last one in place), which are raised in turn; it serves
 * opsets that lack the operator. Both return false when the op cannot be expressed, with l->why set where the opset is not
 * reason enough. */
#ifndef HONE_RAISE_INT_H
#define HONE_RAISE_INT_H

#include "pass/legalise/legalise_int.h"

typedef bool RaiseFn(Lg *l, OpKind onnx);
typedef struct RaiseRow {
	OpKind core, onnx;
	int since;         /* first opset of the direct form; NEVER: there is none */
	RaiseFn *direct;   /* NULL: same operands, same attributes */
	RaiseFn *expand;   /* NULL: none */
} RaiseRow;
#define NEVER 1000000
extern const RaiseRow raise_rows[];
extern const size_t raise_nrows;

/* ---- pool.c: constants of one function, equal ones shared ---- */

typedef struct Pool {
	Func *f;
	Arena *a;
	VEC(Value *) known; /* small constants of the function's body */
} Pool;
void pool_init(Pool *p, Func *f, Arena *a);
Value *rz_ints_of(Lg *l, DType d, int rank, const int64_t *dims, const int64_t *v);
Value *rz_ints(Lg *l, const int64_t *v, size_t n);  /* i64 vector */
Value *rz_floats(Lg *l, DType d, int rank, const int64_t *dims, const double *v);
Value *rz_float(Lg *l, DType d, double v);          /* scalar */
/* v with other dims (same count): a constant at once, else by a reshape. */
Value *rz_with_dims(Lg *l, Value *v, int rank, const int64_t *dims);

/* ---- helpers ---- */

bool rz_no(Lg *l, const char *why);                 /* returns false */
bool rz_lacks(Lg *l, AttrName a);                   /* likewise: the opset has no such attribute */
/* An attribute as an axis: negative ones become positive below opset `since` (where they were not allowed). */
bool rz_axis(Lg *l, int64_t axis, int rank, int since, int64_t *out);
bool rz_axes_attr(Lg *l, const int64_t *axes, size_t n, int rank, const Attr **out);
const Attr *rz_type_code(Lg *l, DType d);           /* integer attribute; NULL for DT_NONE */
/* The dtype of operand 0, or false with a reason. */
bool rz_dtype(Lg *l, DType *out);
bool rz_same_shape(const Value *a, const Value *b); /* certainly */

/* ---- direct forms ---- */

RaiseFn rz_binary, rz_minmax, rz_prelu, rz_fmod, rz_shift, rz_neg, rz_clip, rz_cast, rz_selu, rz_eye_like,
	rz_gemm; /* elementwise.c */
RaiseFn rz_reshape, rz_squeeze, rz_slice, rz_split, rz_pad, rz_tile, rz_topk, rz_shape, rz_axis_op,
	rz_depth_to_space, rz_gather_nd, rz_scatter; /* data.c */
RaiseFn rz_conv, rz_pool, rz_global_lp_pool, rz_max_unpool; /* conv.c */
RaiseFn rz_reduce, rz_arg, rz_softmax, rz_batch_norm, rz_batch_norm_training, rz_group_norm, rz_mvn; /* norm.c */
RaiseFn rz_resize, rz_grid_sample, rz_roi_align; /* image.c */
RaiseFn rz_quantize, rz_dequantize, rz_rnn, rz_dft, rz_window, rz_mel, rz_random, rz_bernoulli, rz_dropout,
	rz_control, rz_scan, rz_call, rz_seq_empty, rz_optional,
	rz_attention; /* misc.c */

/* ---- expansions: expand.c, expand_norm.c ---- */

RaiseFn ex_fill, ex_rsqrt, ex_cbrt, ex_expm1, ex_log1p, ex_round_away, ex_hard_swish, ex_swish, ex_mish, ex_celu, ex_gelu,
	ex_isfinite, ex_ne, ex_le, ex_reverse, ex_dot_general, ex_shift_logical;
RaiseFn ex_atan2, ex_popcnt;                   /* expand_math.c */
RaiseFn ex_range, ex_isinf, ex_sign, ex_trilu; /* expand_old.c */
bool ex_clamp(Lg *l);
bool ex_batch_first(Lg *l);                    /* before the op itself is raised */
RaiseFn ex_attention, ex_rotary;               /* expand_attention.c */
RaiseFn ex_layer_norm, ex_rms_norm, ex_group_norm, ex_mvn, ex_reduce_bool, ex_softmax_axis;

#endif

/* Shared by the files of legalise/: one function an ONNX operator family, all driven by the table in table.c.
 *
 * A legalise function turns l->op into core ops that mean exactly the same, or returns false having changed nothing that
 * matters (ops that it made before giving up are dead). The op itself becomes the last core op in place, so that its
 * results keep their identity, names and types; helpers go before it. */
#ifndef HONE_LEGALISE_INT_H
#define HONE_LEGALISE_INT_H

#include "pass/pass.h"

#define ONNX_NEWEST_OPSET ONNX_NEWEST

typedef struct Lg {
	Context *c;
	Module *m;
	Op *op;
	int64_t opset;
	Diags *d;
	InferCtx *facts;   /* what is known of the values so far; NULL: nothing */
	Arena *a;          /* scratch for this op */
	struct Pool *pool; /* raise only: small constants that new operands share */
	const char *why;   /* raise and forms only: why not, for the message */
	InferCtx *infer;   /* raise to StableHLO only: types of new core ops */
	struct ShSizes *sizes; /* likewise: where sizes can be read */
	bool gone;         /* lg_replace: the op has no users any more and is to be erased */
} Lg;

typedef bool LegaliseFn(Lg *l, OpKind core);
typedef struct LegaliseRow {
	OpKind onnx, core;
	LegaliseFn *fn; /* NULL: same operands and results; attributes that the core row has are taken over */
} LegaliseRow;
extern const LegaliseRow legalise_rows[];
extern const size_t legalise_nrows;
extern const LegaliseRow evaluate_rows[]; /* used by legalise_onnx_op only, that is to run an op: evalonly.c */
extern const size_t evaluate_nrows;
extern const LegaliseRow contrib_rows[]; /* likewise: contrib.c */
extern const size_t contrib_nrows;
extern const LegaliseRow shlo_rows[]; /* StableHLO: shlo.c */
extern const size_t shlo_nrows;
extern const LegaliseRow form_rows[]; /* what is left of StableHLO, for formats that have core ops only: forms.c */
extern const size_t form_nrows;
bool shlo_types_known(const Op *op);  /* element types that core has */

/* ---- helpers (help.c).  Attribute lists are NULL or end with A_NONE; entries without a value are skipped ---- */

Value *lg_in(const Lg *l, size_t i);                 /* operand i or NULL */
Value *lg_new(Lg *l, OpKind kind, Value *const *in, size_t n, const RwAttr *attrs);
Value *lg_new1(Lg *l, OpKind kind, Value *x, const RwAttr *attrs);
Value *lg_new2(Lg *l, OpKind kind, Value *x, Value *y, const RwAttr *attrs);
/* The op becomes `kind` with these operands and exactly these attributes. Trailing absent operands are dropped. */
bool lg_become(Lg *l, OpKind kind, Value *const *in, size_t n, const RwAttr *attrs);
bool lg_become_same(Lg *l, OpKind kind, const RwAttr *attrs); /* operands stay */
bool lg_copy(Lg *l, OpKind kind);                    /* operands stay; attributes known to the core row stay */
/* Other values take the place of the op's results; the op goes. They get its names. */
bool lg_replace(Lg *l, Value *const *v, size_t n);
const Attr *lg_int(Lg *l, int64_t v);
const Attr *lg_float(Lg *l, double v);
const Attr *lg_text(Lg *l, const char *s);
const Attr *lg_ints_attr(Lg *l, const int64_t *v, size_t n);
/* The attribute when it differs from the default that core has for it, else NULL. */
const Attr *lg_attr(Lg *l, AttrName a);
DType lg_dtype(const Value *v);                      /* DT_NONE when unknown or absent */
int lg_rank(const Value *v);                         /* RANK_UNKNOWN when unknown */
bool lg_is_empty(const Value *v);                    /* absent, or certainly without elements */
/* Integers of operand i; false when it is not constant. Absent: *n = 0 and *v = NULL, true. */
bool lg_operand_ints(Lg *l, size_t i, const int64_t **v, size_t *n);
/* Integers of attribute a when the op has it, else of operand i as above. */
bool lg_attr_or_operand(Lg *l, AttrName a, size_t i, const int64_t **v, size_t *n);
Value *lg_const_ints(Lg *l, const int64_t *v, size_t n);       /* i64 vector */
Value *lg_const_int(Lg *l, int64_t v);                         /* i64 scalar */
Value *lg_const_float(Lg *l, DType d, double v);               /* scalar */
/* v with dims of size 1 inserted at these axes of the result; a constant is reshaped at once, its bytes shared. */
Value *lg_unsqueeze(Lg *l, Value *v, const int64_t *axes, size_t n);
/* dtype named by an ONNX type code attribute (or, opset 1, by its name); `absent` when the op lacks it. False: no such
 * type. */
bool lg_type_attr(Lg *l, AttrName a, DType absent, DType *out);
bool lg_unused_results(const Lg *l, size_t from);    /* results from..: none used */

/* ---- families ---- */

LegaliseFn lg_binary, lg_nary, lg_prelu, lg_mod, lg_bit_shift, lg_clip, lg_cast, lg_cast_like, lg_selu, lg_gemm, lg_swiglu,
	lg_range; /* elementwise.c */
LegaliseFn lg_onnx_constant, lg_if, lg_loop, lg_scan, lg_dropout, lg_sequence_empty, lg_optional; /* control.c */
LegaliseFn lg_concat, lg_reshape, lg_squeeze, lg_unsqueeze_op, lg_slice, lg_split, lg_pad, lg_tile, lg_topk, lg_eye_like,
	lg_scatter, lg_space_to_depth; /* data.c */
LegaliseFn lg_conv, lg_conv_transpose, lg_pool, lg_global_lp_pool, lg_max_unpool; /* conv.c */
LegaliseFn lg_reduce, lg_softmax, lg_batch_norm, lg_instance_norm, lg_group_norm, lg_mvn; /* norm.c */
LegaliseFn lg_resize, lg_upsample, lg_grid_sample, lg_roi_align; /* image.c */
LegaliseFn lg_quantize, lg_dequantize, lg_rnn, lg_dft, lg_window, lg_mel, lg_random, lg_random_like,
	lg_bernoulli; /* misc.c */

LegaliseFn lg_nll_loss, lg_cross_entropy, lg_center_crop_pad, lg_causal_conv; /* evalonly.c */
LegaliseFn lg_sequence_map; /* control.c */
LegaliseFn lg_gradient; /* gradient.c */

/* ---- StableHLO: shlo.c, shlo_conv.c, shlo_dynamic.c ---- */

LegaliseFn lg_shlo_conv, lg_shlo_real_dynamic_slice, lg_shlo_dynamic_pad, lg_shlo_dynamic_gather, lg_shlo_dynamic_conv,
	lg_shlo_set_dimension_size;
Value *lg_shlo_transpose(Lg *l, Value *x, const int64_t *perm, size_t n); /* x itself when nothing moves */

/* ---- forms of core ops for what else stays StableHLO: forms.c (control flow and others), forms_index.c (gathers, scatters,
 * slices), forms_order.c (sorts, places of the largest), forms_window.c (windows), forms_complex.c (complex numbers as pairs,
 * Fourier transforms), forms_more.c (gradients of pools) ---- */

bool fm_no(Lg *l, const char *why); /* false; the reason is told with the error that the op has no form */

Value *fm_op(Lg *l, OpKind k, Value *const *in, size_t n, const RwAttr *attrs); /* before l->op, its types inferred */
Value *fm_op1(Lg *l, OpKind k, Value *x, const RwAttr *attrs);
Value *fm_op2(Lg *l, OpKind k, Value *x, Value *y, const RwAttr *attrs);
RwAttr *fm_attr(Lg *l, AttrName a, const Attr *v);            /* a list of one */
Value *fm_cast(Lg *l, Value *x, DType d);
Value *fm_reshape(Lg *l, Value *x, const int64_t *dims, size_t n);
LegaliseFn form_gather, form_scatter, form_dynamic_slice, form_update_slice, form_pad; /* forms_index.c */
/* Elements along `at` with a gap of `fill` between them; NULL: a size is not known. */
Value *fm_spread(Lg *l, Value *x, Value *fill, int at, int64_t gap);
LegaliseFn form_sort, form_top_k, form_arg; /* forms_order.c */
LegaliseFn form_reduce_window; /* forms_window.c */
int fm_choice(const Block *b, DType d);
LegaliseFn form_fft, form_complex_binary, form_complex_unary, form_complex_moved; /* forms_complex.c */
LegaliseFn form_select_and_scatter; /* forms_more.c */

/* ---- proto.c: an AttributeProto that the reader kept as it was ---- */

typedef struct ProtoAttr {
	const Str *name, *ref; /* ref: the function attribute that gives the value, or NULL */
	const Attr *value;     /* a number, text or a list of these; NULL for other kinds */
} ProtoAttr;
ProtoAttr proto_attr(Context *c, Arena *a, const Str *bytes);

/* ---- the pass ---- */

/* Operators that the model uses below the opset that introduced them (extensions of one runtime, experimental ones) are
 * noted in a module attribute, so that raise may use them again there. */
void note_early_op(Module *m, OpKind onnx);
bool is_early_op(const Module *m, OpKind onnx);
int onnx_since(OpKind onnx); /* raise/table.c: opset of the operator's introduction, 1 when it is not known */
bool operands_known(const Op *op); /* as many as the row wants, and none absent that it does not mark optional */
/* Text among the operands of an op that becomes `core` and takes numbers only. */
bool lg_text_in_numbers(const Op *op, const OpDef *core);
int64_t func_onnx_opset(const Func *f); /* its own import when a library function has one, else the module's */

#endif

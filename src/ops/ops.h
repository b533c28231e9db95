/* ops: what every op is (tables), what type it gives (infer) and what it computes (eval).
 * One .def file a dialect, one .c file an op family; a family file holds the infer and eval functions of its rows. */
#ifndef HONE_OPS_H
#define HONE_OPS_H

#include "ir/ir.h"

/* ---- tables: table.c ---- */

typedef enum OpKind {
	OP_UNKNOWN, /* an op that no table has: custom domains, newer operators; passes through untouched */
#define CORE(id, operands, results, attrs, traits, infer, eval) OP_##id,
#include "core.def"
#undef CORE
	OP_CORE_END,
#define ONNX(id, operands, results, attrs, traits) ONNX_##id,
#include "onnx.def"
#undef ONNX
#define OWN(id, name, operands, results, attrs, traits, infer, eval) OWN_##id,
#include "own.def"
#undef OWN
#define SHLO(id, operands, results, attrs, traits, form, eval) SHLO_##id,
#define CHLO(id, operands, results, attrs, traits, form, eval) CHLO_##id,
#define CHK(id, operands, results, attrs, traits, form, eval) CHK_##id,
#include "stablehlo.def"
#undef SHLO
#undef CHLO
#undef CHK
	OP_KIND_COUNT
} OpKind;

enum {
	TRAIT_PURE = 1 << 0,       /* no effect, result depends on operands and attributes only */
	TRAIT_ELTWISE = 1 << 1,    /* element i of the (broadcast) operands gives element i of the result */
	TRAIT_COMMUTES = 1 << 2,   /* operand order does not matter */
	TRAIT_ASSOCIATES = 1 << 3, /* exactly only for integers */
	TRAIT_IDEMPOTENT = 1 << 4, /* unary: f(f(x)) = f(x); binary: f(x, x) = x */
	TRAIT_INVOLUTION = 1 << 5, /* f(f(x)) = x */
	TRAIT_MOVES = 1 << 6,      /* every result element is a copy of an element of operand 0 (concat: of any operand) */
	TRAIT_TO_BOOL = 1 << 7,    /* result type is bool */
	TRAIT_RANDOM = 1 << 8,
	TRAIT_REGIONS = 1 << 9,    /* has nested blocks; pure when its ops are */
	TRAIT_TERMINATOR = 1 << 10,
	TRAIT_SAME_SHAPE = 1 << 11 /* StableHLO's elementwise: nothing is broadcast but scalars of clamp and select */
};

typedef struct AttrDef {
	AttrName name;
	AttrKind kind;
	bool optional;          /* no default: absent is meaningful */
	const Attr *fallback;   /* default value or NULL */
} AttrDef;

typedef struct InferCtx InferCtx;
typedef struct EvalCtx EvalCtx;
typedef struct Tensor Tensor;
typedef bool InferFn(InferCtx *x, Op *op);
typedef bool EvalFn(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out);

struct OpDef {
	OpKind kind;
	const Str *name;        /* full: "core.add", "onnx.Conv", "onnx.com.microsoft::Gelu" */
	const char *operands, *results, *attr_text;
	const char *form;       /* StableHLO: pretty syntax (stablehlo.def); NULL: none */
	uint16_t min_operands, max_operands; /* UINT16_MAX: variadic */
	uint16_t min_results, max_results;
	uint32_t traits;
	const AttrDef *attrs;
	size_t nattrs;
	InferFn *infer;         /* NULL: types stay unknown */
	EvalFn *eval;           /* NULL: not runnable as it is */
};

const OpDef *op_def(const Context *c, OpKind kind);
/* The row named so, or a row for an unknown op made on first use ("onnx.my.domain::Foo"): any arity, not pure. */
const OpDef *op_def_find(Context *c, const char *full_name, size_t len);
const OpDef *op_def_onnx(Context *c, const Str *domain /* "" or NULL: ai.onnx */, const Str *op_type);
const AttrDef *op_attr_def(const OpDef *d, AttrName a); /* NULL when the row has no such attribute */
/* Ops that do not look inside the elements, and those that know text; of ONNX's own, all. */
bool op_takes_strings(const OpDef *d);
/* Whether operand i may be absent: "b?" in the row, or an unknown op. */
bool op_operand_optional(const OpDef *d, size_t i);
static inline OpKind op_kind(const Op *op) { return op->def->kind; }
static inline bool op_is(const Op *op, OpKind k) { return op && op->def->kind == k; }
static inline bool op_is_core(const Op *op) { return op->def->kind > OP_UNKNOWN && op->def->kind < OP_CORE_END; }
/* An op of StableHLO, chlo or check. */
static inline bool op_is_shlo(const Op *op) { return op->def->kind >= SHLO_abs; }
/* Whether the value only says what a StableHLO op ("add") means without the attribute. */
bool shlo_attr_is_default(const char *op, const char *name, const Attr *a); /* stablehlo_default.c */
static inline bool op_is_pure(const Op *op) { return (op->def->traits & TRAIT_PURE) && !(op->def->traits & TRAIT_RANDOM); }
/* The op that defines v when it is of kind k, else NULL. */
static inline Op *def_of(const Value *v, OpKind k) { return v && v->def && v->def->def->kind == k ? v->def : NULL; }
/* Of a value that is a tensor; v may be NULL. DT_NONE, RANK_UNKNOWN (-1): not known. */
static inline DType value_dtype(const Value *v) { return v && type_is_tensor(v->type) ? v->type->dtype : DT_NONE; }
static inline int value_rank(const Value *v) { return v && type_has_rank(v->type) ? v->type->rank : RANK_UNKNOWN; }
/* What results are declared as is part of the meaning of a StableHLO op (bitcast_convert, rng ...): whether the declarations
 * of two such ops go together. True of any other ops. */
bool op_types_agree(const Op *a, const Op *b);
/* Whether the operands of an ONNX operator that share a type do (those whose types are known); if not, operands *a and *b do
 * not. True of any other ops. onnx_types.c */
bool onnx_types_agree(const Op *op, size_t *a, size_t *b);
/* Where the states of a core loop, while or scan begin among operands, arguments of its blocks and what its body yields. */
typedef struct LoopStates {
	size_t n, operand, arg, yield;
} LoopStates;
LoopStates loop_states(const Op *op); /* region.c */
/* Whether each state has the element type at first that the blocks take; if not, *state is one that has not and *inside the
 * argument. A model may be wrong there; then nothing may take the place of anything. */
bool loop_state_fits(const Op *op, size_t *state, const Value **inside);
/* Attribute or its default from the row. */
int64_t op_int(const Op *op, AttrName a);
double op_float(const Op *op, AttrName a);
const char *op_text(const Op *op, AttrName a);     /* "" when absent without default */
DType op_dtype(const Op *op, AttrName a);          /* of a dtype attribute; DT_NONE when absent */
const Attr *attr_dtype(Context *c, DType d);       /* the string attribute that names it */
/* Normalised axis in [0, rank); false when out of range. */
bool axis_norm(int64_t axis, int rank, int *out);
/* perm of a transpose (or the reversed default) for a known rank; false when malformed. */
bool op_perm(const Op *op, int rank, int *perm);

/* ---- constants as numbers: constant.c ---- */

/* Elements of a constant integer/bool tensor as int64. Works for core.constant, for fill/expand/... of constants by
 * evaluating the constant expression (result cached per call site is the caller's business). NULL when v is not constant,
 * not integer, has more than `limit` elements (0: 65536) or cannot be evaluated. *n gets the count. */
const int64_t *constant_ints(Arena *a, const Value *v, size_t limit, size_t *n);
bool constant_int(const Value *v, int64_t *out);         /* single-element integer or bool constant */
const double *constant_floats(Arena *a, const Value *v, size_t limit, size_t *n);
bool constant_float(const Value *v, double *out);        /* single-element float or integer constant */
/* True when every element is x (bit-exact: -0.0 is not 0.0; NaN equals nothing). */
bool constant_all(const Value *v, double x);
/* New core.constant ops before `at` (NULL: at the start of block b, so that they dominate everything). */
Value *constant_from_attr(Block *b, Op *at, const Attr *tensor);
Value *constant_from_ints(Block *b, Op *at, DType d, int rank, const int64_t *dims, const int64_t *v);
Value *constant_from_floats(Block *b, Op *at, DType d, int rank, const int64_t *dims, const double *v);

/* ---- type inference: infer.c ----
 * An infer function reads operand types and element facts and calls infer_result for each result. It must accept unknown
 * types and ranks (then it sets what is certain) and be monotone: better operands never give a worse result.
 * Facts: a small integer/bool tensor may carry the symbolic value of each element ("elems"). */

typedef struct Elems {
	int64_t n;                /* = number of elements; the tensor has static shape */
	const Sym *const *v;      /* none NULL; an element that is not known is a fresh unknown */
} Elems;
struct InferCtx {
	Context *ctx;
	Module *module;
	Arena *arena;             /* lifetime of the analysis: facts live here */
	Diags *diags;
	const Elems **elems;      /* by value id */
	uint32_t nelems;
	int64_t max_elems;        /* largest tensor that carries facts (default 4096) */
	bool changed;             /* some result type or fact became better */
	Diags *hints;             /* where wrong declared types are reported (default: diags); the first few are */
	bool strict;              /* report contradictions as errors; else the op's results stay as they are */
	/* private to infer.c */
	uint8_t *value_marks;     /* by value id, as many as elems */
	uint8_t *op_marks;        /* by op id */
	uint32_t nop_marks;
	int nhints;
	int maybe;                /* depth of blocks that may not run: nothing in them makes the module invalid */
	Map loops;                /* op -> what region.c found about its state */
	Map broadcasts;           /* a -> Map of b -> broadcast of the dims a and b, where only the run time can tell */
	Map broadcast_parts;      /* such a symbol -> its two sizes */
};
void infer_init(InferCtx *x, Module *m, Arena *a, Diags *d);
void infer_result(InferCtx *x, Op *op, size_t i, const Type *t);    /* refines the result's type; never loosens it */
const Elems *infer_elems(InferCtx *x, const Value *v);              /* facts of v (read from constants too), or NULL */
void infer_set_elems(InferCtx *x, Value *v, const Elems *e);
bool elems_are_numbers(const Elems *e);                             /* every element is known */
/* A new unknown dim for result i, dim d: the one that the result type already has there if any, so that re-inference is
 * stable. */
const Sym *infer_unknown(InferCtx *x, const Op *op, size_t i, int d);
bool infer_error(InferCtx *x, const Op *op, const char *fmt, ...) PRINTF_LIKE(3, 4); /* returns false */
/* Runs the op's infer function (nested blocks included); false when the op is invalid. */
bool infer_op(InferCtx *x, Op *op);
/* Broadcast of two dims: knows 1, equality; else a sound symbolic result (max is wrong for 0; unknown when unsure). */
const Sym *infer_broadcast_dim(InferCtx *x, const Op *op, const Sym *a, const Sym *b, bool *ok);
/* The sizes of which s is the broadcast; NULL: it is none. */
const Sym *const *infer_broadcast_parts(const InferCtx *x, const Sym *s);
/* NumPy broadcast of n types' dims; NULL when a rank is unknown. *ok = false on a certain mismatch. */
const Type *infer_broadcast(InferCtx *x, const Op *op, DType dtype, const Type *const *types, size_t n, bool *ok);

/* ---- element facts: facts.c ----
 * Generic transfer functions, called by infer_op after the op's own infer function, so that an infer function sets facts
 * only where it knows more. A float tensor may carry facts too when every element is an integer that its type holds
 * exactly; symbolic sizes are taken to be below 2^24, where f32 is exact. The sign of a zero is not known, so float facts
 * may steer shapes but must not replace the tensor. */
void infer_facts(InferCtx *x, Op *op);
void infer_elementwise_elems(InferCtx *x, Op *op);
void infer_reduce_elems(InferCtx *x, Op *op);
/* Static dims with rank <= MAX_RANK. */
bool infer_static_dims(const Type *t, int64_t *dims);
/* The facts of v when all elements are numbers: *n of them in the arena, else NULL. */
const int64_t *infer_ints(InferCtx *x, const Value *v, int64_t *n);
bool infer_float_fact(double f); /* an integer (and not -0) that may stand as a fact of a float tensor */
/* Whether s holds an anonymous symbol. */
bool infer_is_vague(const Sym *s);
enum { INFER_MARK_QUEUED = 0x80 };        /* bit of an op's mark that the shape analysis uses */
uint8_t *infer_op_mark(InferCtx *x, const Op *op);

/* ---- regions and calls: region.c ---- */

bool infer_block(InferCtx *x, Block *b);               /* all ops in order; false when one is invalid */
void infer_set_arg(InferCtx *x, Value *arg, const Type *t); /* like infer_result, for a block argument */
void infer_forget(InferCtx *x, const Value *v);        /* drops facts and the mark that its type was computed */
/* Dim by dim what two types have in common; `keep` gives the sizes to use where they differ (may be NULL). */
const Type *infer_join(InferCtx *x, const Type *a, const Type *b, const Type *keep);

/* ---- evaluation: tensor.c, interp.c ----
 * The evaluator is the constant folder, the conformance engine and the oracle. Plain loops, obviously right.
 * Two modes: native (each result is rounded to its dtype) and oracle (floats are carried in double: store == DT_F64,
 * complex in DT_C128, while dtype stays the logical type; only a cast to a narrower float, quantisation and reading bits
 * round). */

#define MAX_RANK 32

typedef struct TensorBuf TensorBuf;  /* reference-counted bytes */
struct Tensor {
	TypeKind kind;            /* TYPE_TENSOR, TYPE_SEQUENCE, TYPE_OPTIONAL, TYPE_MAP */
	DType dtype;              /* logical */
	DType store;              /* how elements are stored: dtype, or DT_F64/DT_C128 in oracle mode */
	int rank;
	int64_t dims[MAX_RANK];
	int64_t count;            /* elements */
	void *data;               /* unpacked row-major elements of type store (sub-byte: 1 byte each); strings: const Str * */
	TensorBuf *buf;           /* owner of data */
	Tensor **items;           /* SEQUENCE, OPTIONAL (0 or 1) */
	int64_t nitems;
	int refs;
	bool spent;               /* while an op runs: its last use, so an elementwise op may write over it */
	EvalCtx *owner;
	Tensor *next_live, **link_live;
};

struct EvalCtx {
	Context *ctx;             /* strings, diagnostics of bad runs go to diags */
	Diags *diags;
	bool oracle;
	int threads;              /* for heavy loops; 0 = all processors */
	uint64_t seed;            /* random ops */
	Map *draws;               /* stream of a random op -> how often it was drawn from since eval_func began; NULL: not yet */
	int64_t max_bytes;        /* limit for one tensor and for all live tensors; exceeding it is HONE_LIMIT */
	int64_t live_bytes, peak_bytes;
	int64_t max_steps;        /* ops executed in all (endless loops); 0 = 10^9 */
	int64_t steps;
	Tensor *live;             /* all live tensors, for release after an error */
	struct EvalFrame *frame;  /* values of the block being run and its ancestors */
	/* Runs an op that has no eval of its own (an op of a dialect): set by the pass layer. NULL: unsupported. */
	bool (*fallback)(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out);
	void *fallback_arg;
	/* Runs a nested block in some other way: sets *done when it did (the result says whether it worked). May be NULL. */
	bool (*run_block)(EvalCtx *e, const Block *b, Tensor *const *args, size_t nargs, Tensor **outs, size_t nouts, bool *done);
	void *run_block_arg;
	/* Called after each op of a function body and nested blocks, when set. */
	void (*watch)(void *arg, const Op *op, Tensor *const *out);
	void *watch_arg;
	Map *constants;           /* tensor attribute -> Tensor, so that weights are wrapped once */
	bool keep_constants;      /* add to that table; true after eval_init */
	const Map *numbers;       /* value id -> tensor attribute, likewise; may be NULL */
	Map *known;               /* Value -> Tensor: parts of constant expressions that are there already; may be NULL */
	Arena *arena;             /* frames and tables; made on demand, freed by eval_release */
	struct EvalFrame *spare;  /* frames to use again */
};
void eval_init(EvalCtx *e, Context *c, Diags *d);
/* A limit in proportion to the data that a model holds: a repeated number in a few bytes of the file may stand for more
 * elements than any work on them is worth. */
#define EVAL_FAIR_BYTES ((int64_t)1 << 30)
int64_t eval_fair_memory(const Context *c);
void eval_release(EvalCtx *e);                         /* frees every live tensor */
/* Element storage of a new tensor is zeroed. NULL + diagnostic on a bad shape or the memory limit. */
Tensor *tensor_new(EvalCtx *e, DType dtype, int rank, const int64_t *dims);
Tensor *tensor_like(EvalCtx *e, const Tensor *t);      /* same dtype and shape, zeroed */
Tensor *tensor_view(EvalCtx *e, Tensor *t, int rank, const int64_t *dims); /* same elements, other shape (same count) */
/* Elements that the caller keeps alive as long as the tensor lives (native mode, unpacked). */
Tensor *tensor_borrowed(EvalCtx *e, DType dtype, int rank, const int64_t *dims, void *data);
Tensor *tensor_scalar_i64(EvalCtx *e, int64_t v);
Tensor *tensor_sequence(EvalCtx *e, TypeKind kind, Tensor *const *items, int64_t n); /* adds references */
bool tensor_same_shape(const Tensor *a, const Tensor *b);
Tensor *tensor_ref(Tensor *t);
void tensor_unref(Tensor *t);                          /* NULL is fine */
Tensor *tensor_from_attr(EvalCtx *e, const Attr *a);   /* ATTR_TENSOR; shares the blob's bytes when no conversion is needed */
const Attr *tensor_to_attr(Context *c, const Tensor *t); /* rounds to the logical dtype and packs; detects splats; NULL for sequences */
/* Single elements and blocks, by flat index. f64 for floats/ints/bool, i64 for ints and bool. Stores round to the logical
 * dtype in native mode and keep the double in oracle mode. */
double tensor_get_f64(const Tensor *t, int64_t i);
int64_t tensor_get_i64(const Tensor *t, int64_t i);
void tensor_set_f64(Tensor *t, int64_t i, double v);
void tensor_set_i64(Tensor *t, int64_t i, int64_t v);
void tensor_load_f64(const Tensor *t, int64_t at, int64_t n, double *dst);
void tensor_store_f64(Tensor *t, int64_t at, int64_t n, const double *src);
void tensor_load_i64(const Tensor *t, int64_t at, int64_t n, int64_t *dst);
void tensor_store_i64(Tensor *t, int64_t at, int64_t n, const int64_t *src);
size_t tensor_elem_size(const Tensor *t);              /* of the stored form */
/* Integer operand such as axes, shape, starts as int64 in the arena-free buffer dst (at most max); count, or -1 when it is
 * not an integer tensor or too long. */
int64_t tensor_ints(const Tensor *t, int64_t *dst, int64_t max);
void strides_of(int rank, const int64_t *dims, int64_t *strides); /* row-major element strides */
bool eval_error(EvalCtx *e, const Op *op, const char *fmt, ...) PRINTF_LIKE(3, 4);        /* HONE_BAD_INPUT */
bool eval_unsupported(EvalCtx *e, const Op *op, const char *fmt, ...) PRINTF_LIKE(3, 4);  /* HONE_UNSUPPORTED */
/* One op on given operands; results get one reference each. Fills out[0..nresults); false + diagnostic on failure. */
bool eval_op(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out);
/* A block with given arguments; outs = operands of its terminator (nouts of them). Captured values come from e->frame. */
bool eval_block(EvalCtx *e, const Block *b, Tensor *const *args, size_t nargs, Tensor **outs, size_t nouts);
/* Likewise for an op whose blocks use outer values: captured[i] is outer[i]. No frame need be there. */
bool eval_op_captured(EvalCtx *e, const Op *op, Tensor *const *in, Tensor **out, const Value *const *outer,
	Tensor *const *captured, size_t n);
bool eval_func(EvalCtx *e, const Func *f, Tensor *const *in, size_t nin, Tensor **out, size_t nout);
Tensor *eval_lookup(EvalCtx *e, const Value *v);       /* value of v in the current frames (borrowed), or NULL */
/* The constant expression rooted at v (v->def->constant): evaluates it with everything it needs. A new reference; NULL and
 * a diagnostic on failure. */
Tensor *eval_constant_value(EvalCtx *e, const Value *v);

bool shlo_is_alone(const Op *op); /* a collective op among one device: stablehlo_collective.c */
InferFn infer_shlo; /* of every StableHLO, chlo and check op: stablehlo_infer.c */

/* resize.c: what a resize does along axis d. Operand 0 needs its type and sizes only; operands that it does not use may be
 * NULL. The lists live in a. False + diagnostic when the operands are malformed. */
typedef struct ResizeAxis {
	int64_t in, out, max;     /* sizes; most inputs of an output */
	bool identity;            /* nothing happens; the lists are not filled */
	int64_t *count;           /* by output: its inputs; -1 outside the region */
	int64_t *index;           /* by output, max each */
	double *weight;
} ResizeAxis;
bool resize_axis(EvalCtx *e, const Op *op, Tensor *const *in, int d, Arena *a, ResizeAxis *out);

InferFn infer_shlo; /* of every StableHLO, chlo and check op: stablehlo_infer.c */

/* Prototypes of all family functions; a row's function that is not linked is NULL in the table. */
#define CORE(id, operands, results, attrs, traits, infer, eval) \
	InferFn infer_##infer __attribute__((weak)); \
	EvalFn eval_##eval __attribute__((weak));
#include "core.def"
#undef CORE
#define OWN(id, name, operands, results, attrs, traits, infer, eval) \
	InferFn infer_##infer __attribute__((weak)); \
	EvalFn eval_##eval __attribute__((weak));
#include "own.def"
#undef OWN
#define SHLO(id, operands, results, attrs, traits, form, eval) EvalFn eval_##eval __attribute__((weak));
#define CHLO SHLO
#define CHK SHLO
#include "stablehlo.def"
#undef SHLO
#undef CHLO
#undef CHK

#endif

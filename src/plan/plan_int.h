/* plan_int: what the planner's files share. */
#ifndef HONE_PLAN_INT_H
#define HONE_PLAN_INT_H

#include "ops/weights.h"
#include "plan/plan.h"

enum { VIEW_RANK = 10 };

/* Where elements lie: strides in elements from buffer + offset. */
typedef struct View {
	int buffer;
	DType dtype;
	int rank;
	int64_t dims[VIEW_RANK], stride[VIEW_RANK];
	int64_t offset;
} View;

typedef enum BufferKind {
	BUFFER_ARENA,  /* planned memory of the run */
	BUFFER_CONST,  /* data */
	BUFFER_INPUT,  /* index: input of the run */
	BUFFER_OUTPUT, /* index: output of the run */
	BUFFER_FAULT,  /* index: an int64 that stays 0 unless a kernel met a bad index */
	BUFFER_OUTER   /* a value that an earlier part of the run left behind: value */
} BufferKind;

typedef struct PlanBuffer {
	BufferKind kind;
	int64_t bytes, offset;  /* offset: in the arena */
	const void *data;
	DType dtype;            /* CONST: of the elements */
	int index;
	const Value *value;
	int first, last;        /* steps that use it; last = INT32_MAX: to the end and beyond */
	int nvalues;            /* values whose views lie in it */
} PlanBuffer;

/* Element type and dims of a value. */
typedef struct Shape {
	DType dtype;
	int rank;
	int64_t count;
	int64_t dims[];
} Shape;

typedef enum OperandKind { OPERAND_ABSENT, OPERAND_BUFFER, OPERAND_KNOWN, OPERAND_SLOT } OperandKind;
/* An operand, captured value or result of an op that the evaluator runs. */
typedef struct EvalOperand {
	OperandKind kind;
	const Value *value;
	uint32_t ptr;           /* BUFFER: in the table */
	View view;              /* BUFFER: plain */
	const Shape *shape;     /* BUFFER */
	Tensor *tensor;         /* KNOWN */
} EvalOperand;
typedef struct EvalStep {
	const Op *op;
	size_t nin, ncaptured, nout;
	EvalOperand *in, *captured, *out;
} EvalStep;

/* A step reads weights where the model has them. */
typedef struct Loan {
	ConvParam *param;
	const Value *weights;
	int64_t count;          /* floats */
} Loan;

/* A step's weights that are computed when somebody asks: packing does, sources in C do. */
typedef struct LateSource {
	ConvParam *param;
	const Value *weights;
	int64_t offset;         /* of the first, in floats */
} LateSource;

/* Weights of a step of 8-bit integers (a QConvParam) as they were before packing: for sources in C. */
typedef struct CodeSource {
	const void *param;
	QWeights integers;
} CodeSource;

/* The same of a step of CONV_BLOCKS. */
typedef struct BlockSource {
	const ConvParam *param;
	BlockWeights weights;
} BlockSource;

typedef struct Plan Plan;
struct Plan {
	Arena *arena;
	size_t begin, end;      /* ops of the program that it covers */
	int64_t *key;           /* sizes that it is made for */
	size_t nkey;
	VEC(Step) steps;
	VEC(PlanStepInfo) info; /* one a step */
	VEC(PlanBuffer) buffers;
	VEC(int) table;         /* buffer of each pointer */
	size_t arena_bytes, scratch_bytes;
	bool shared;            /* some step is for several threads */
	VEC(Loan) loans;
	VEC(LateSource) late;
	VEC(CodeSource) code;
	VEC(BlockSource) blocks;
	VEC(const Op *) faults; /* op of each fault word */
	EvalCtx eval;           /* keeps tensors that were known when the plan was made */
	const Op *boundary;     /* last op: its results have sizes that only the run tells; NULL: the plan reaches the end */
	const Shape **left;     /* by value id: values that later parts may read, as plain views */
	View **views;           /* by value id */
	const Shape **shapes;   /* by value id */
	View *outputs;          /* the last part: views of the outputs */
	bool *output_slots;     /* output i is no tensor: a slot of the Exec */
};

/* Memory of packed weights. */
typedef struct Ready {
	char *data;             /* from pages_new */
	size_t bytes, used;
} Ready;

struct Program {
	Module *module;
	Arena *arena;
	ProgramOptions options;
	const KernelSet *kernels;
	bool separate;          /* plans take no steps together that sources in C have no loops for */
	const Op **ops;         /* of the main function, constants left out */
	size_t nops;
	EvalCtx eval;           /* constants */
	Diags diags;
	Map constants;          /* Value -> Tensor */
	Map expressions;        /* Value -> WeightExpr, NULL: it is none */
	Map settled;            /* Value -> its floats, copied by plan_settle */
	Map packed;             /* what weights were packed into: program.c */
	Map bodies;             /* Block -> Body: control flow (blocks.c) */
	VEC(Ready) ready;
	size_t weight_bytes;
	pthread_mutex_t own_lock, *lock; /* planning, and ops that the evaluator runs: they share the context */
};

typedef struct Group Group;
typedef struct Attention Attention;
/* Where a value is to be computed because something else wants it there. */
typedef struct Place {
	bool set;
	View view;
} Place;

/* Weights to pack. */
typedef struct PackJob {
	ConvParam param;
	ConvKind kind;
	const FloatAny *from;   /* NULL: expr */
	const WeightExpr *expr; /* times factor, from element `offset` on */
	float factor;
	int64_t offset;
	int64_t stride[5];
	void *to;
	const Blob *blob;       /* that holds them, or NULL */
	const struct QPackJob *integers; /* instead of all but `to` and `blob`; NULL: floats */
	BlockWeights blocks;    /* of CONV_BLOCKS, instead of from and stride */
} PackJob;
typedef struct QPackJob {
	QConvParam param;
	QConvKind kind;
	QWeights weights;
} QPackJob;

/* A value that was computed after all, by this step. */
typedef struct LazyView {
	const Value *value;
	size_t step;
} LazyView;

typedef struct Planner {
	Program *prog;
	Plan *plan;
	Exec *exec;
	Arena *scratch;         /* freed with the planner */
	Arena *arena;           /* the plan's */
	int threads;
	const Shape **shapes;   /* by value id */
	Tensor **known;         /* by value id: elements that are certain before the run */
	View **views;           /* by value id */
	Place *places;          /* by value id */
	uint8_t *last_channel;  /* by value id: kept with the channel (axis 1) innermost */
	Group **groups;         /* by op id: elementwise ops that run as one */
	const Attention **attention; /* by op id: ops that run as one attention step */
	uint8_t *mine;          /* by op id: one of this plan's */
	uint8_t *lazy;          /* by value id: dequantised where it is used; a view is made only when one is asked for */
	VEC(LazyView) lazy_views;
	VEC(PackJob) packs;
	bool failed;            /* a constant cannot be computed */
	size_t begin, end;
	bool (*find)(void *arg, const Sym *symbol, int64_t *out);
	void *find_arg;
} Planner;

/* ---- planner.c ---- */

Plan *plan_make(Program *p, Exec *x, size_t begin, int threads, const int64_t *key, size_t nkey);
void plan_free(Plan *p);

/* ---- exec.c: what the planner asks of a run ---- */

bool exec_symbol(void *exec, const Sym *symbol, int64_t *out);
const Shape *exec_input_shape(const Exec *x, size_t i, Arena *a); /* NULL: no tensor of numbers */
/* A value of an earlier part: its shape, or NULL when it is no tensor. */
const Shape *exec_outer_shape(const Exec *x, const Value *v);
Tensor *exec_slot(const Exec *x, const Value *v);
void exec_set_slot(Exec *x, const Value *v, Tensor *t); /* takes the reference */
Tensor *exec_slot_new(Exec *x, const Value *v, DType d, const int64_t dims[2]); /* a matrix; NULL + diagnostics */
bool exec_call_op(void *step, Run *r);

Program *exec_program(const Exec *x);
Exec *exec_body(Exec *x, Program *p);                    /* a run inside of x: its sizes hold there too */
Exec *exec_inner(Exec *x, const Block *b, Program *p);   /* the run of a body inside of x, made on first use */

/* What a run would have told at the end of a part: shapes of the results of its last op; NULL: no tensor of numbers. */
typedef struct Told {
	const Plan *plan;
	const Shape *const *results;
} Told;
/* The part that follows those told, for sources in C: without steps that have no form there, and without a run. Of inputs only types
 * and sizes are looked at. NULL + diagnostics in exec_diags; else the caller frees it. */
Plan *exec_source_plan(Exec *x, const ExecArray *in, size_t nin, const Told *told, size_t ntold);

/* ---- blocks.c ---- */

/* EvalCtx.run_block of an Exec: the body as a program. */
bool exec_run_block(EvalCtx *e, const Block *b, Tensor *const *args, size_t nargs, Tensor **outs, size_t nouts, bool *done);
void program_free_bodies(Program *p);
typedef VEC(const Value *) ValueList;
/* The block as a program of its own. Its inputs are the block's arguments, then the outer values that it uses, which are appended to
 * *outer; but constants stay so, and values that `known` gives elements of become such. known may be NULL. */
Program *program_of_block(Program *p, const Block *b, const Attr *(*known)(void *arg, const Value *v), void *arg, ValueList *outer);
void program_free_block(Program *p);                     /* after its Execs */

/* ---- views.c ---- */

bool view_plain(const View *v);                          /* row-major without gaps */
View view_dense(DType d, int rank, const int64_t *dims); /* row-major; buffer -1 */
/* order: logical dims from outermost to innermost in memory; NULL: as they are. */
void view_order(View *v, const int *order);
int64_t view_count(const View *v);
/* The same elements with other dims, when strides allow it. */
bool view_reshape(const View *v, int rank, const int64_t *dims, View *out);
View view_broadcast(const View *v, int rank, const int64_t *dims); /* NumPy rules; must fit */
/* Order of the dims in memory, outermost first (by stride). */
void view_memory_order(const View *v, int *order);
bool view_same(const View *a, const View *b);

/* ---- emit.c: buffers, steps, values ---- */

const Shape *pl_shape(const Planner *p, const Value *v); /* NULL: no tensor of known size */
bool pl_is_tensor(const Planner *p, const Value *v);
View pl_view(Planner *p, const Value *v);                /* of an operand; the value must have been computed */
View pl_plain(Planner *p, View v);                       /* v, or a row-major copy of it */
View pl_from_start(Planner *p, const Value *v);          /* of an operand: row-major, from the start of its buffer */
View pl_last_dense(Planner *p, View v);                  /* v, or a copy of it whose last dim has stride 1 */
View shape_view(const Shape *s);                          /* row-major; buffer -1 */
int pl_buffer(Planner *p, int64_t bytes);
int pl_fault(Planner *p, const Op *op);                  /* the word where a kernel reports a bad index */
int pl_const_buffer(Planner *p, DType d, const void *data, int64_t bytes);
/* The view that the op's result is to be written to: its place if it has one, else a new buffer in the given order. */
View pl_result(Planner *p, const Value *v, const int *order);
void pl_set(Planner *p, const Value *v, View view);
/* A step; its pointers follow by pl_ptr, in order. param lives in the plan's arena. text may be NULL. */
Step *pl_step(Planner *p, const char *name, const Kernel *k, const void *param, const char *text);
void pl_ptr(Planner *p, int buffer);
void pl_work(Planner *p, double flops, double bytes);    /* of the last step */
void pl_copy(Planner *p, const View *from, const View *to);
/* v has the elements of `view`; where it has a place of its own they are copied there. */
bool pl_settle(Planner *p, const Value *v, View view);
/* Elements as int64 or double when they are certain; NULL otherwise. *n gets the count. */
const int64_t *pl_known_ints(Planner *p, const Value *v, int64_t *n);
Tensor *pl_known(Planner *p, const Value *v);
/* Elements of a constant, as its type stores them (unpacked); NULL when v is no constant. */
Tensor *pl_constant(Planner *p, const Value *v);
Tensor *program_constant(Program *p, const Value *v);    /* the same; v is constant */
WeightExpr *program_weights(Program *p, const Value *v);
/* A constant that is arithmetic on weights, and not computed yet; NULL: it is not. */
const WeightExpr *pl_weights(Planner *p, const Value *v);
/* The same, of numbers, at any address: read where the model has them, nothing is copied when that can be. */
const void *pl_elements(Planner *p, const Value *v);
/* The element, when every element of the constant or known f32 v is the same. */
bool pl_uniform(Planner *p, const Value *v, float *out);
void pl_order(const Planner *p, const Value *v, int *order); /* order in memory that v is kept in; planner.c */
bool pl_value_in_plan(const Planner *p, const Value *v); /* computed by this plan, and not an output */

/* x, or a copy of it, whose channels (dim 1) have stride 1. */
View pl_channels_last(Planner *p, View x);
/* A list of n sizes for the last spatial dims as three (depth, height, width); `fallback` for the others, and where there is
 * no list. */
void pl_spatial(const int64_t *from, size_t n, int64_t fallback, int64_t *to);
/* Strides of batch, depth, height, width; 0 for spatial dims that there are not. */
void pl_spatial_strides(const View *v, int64_t *out);
/* Weights of a direct convolution, from element `offset` of the constant v on, packed into c (planned too). */
bool pl_pack(Planner *p, const Value *v, int64_t offset, ConvParam *c, const int64_t stride[5]);

/* ---- pack.c ---- */

/* What the weights of c are packed for; 16 numbers. */
void pl_packed_key(const ConvParam *c, int64_t *key);
/* Where the weights are packed to, which the program remembers; *fill: they are not there yet. */
void *pl_packed_room(Planner *p, const Value *v, int kind, const int64_t *key, float factor, size_t bytes, bool *fill);
/* c's weights: the constant v, from element `offset` on, times factor. false: they are no floats. */
bool pl_source(Planner *p, const Value *v, int64_t offset, ConvParam *c, const int64_t stride[5], float factor);
/* The same, packed for a kernel; false also when that kernel would make NaN of them where it should not. */
bool pl_pack_weights(Planner *p, const Value *v, int64_t offset, ConvKind kind, ConvParam *c, const int64_t stride[5],
	float factor);
const float *pl_settle_computed(Planner *p, const Value *v); /* arithmetic on weights, computed for streaming */
void plan_pack(Planner *p);
/* A plan that runs again takes copies of the weights that it has read in a file so far: the pages of a file are small, and a
 * run that streams through them pays for each. A compiled model is made so that its pages are not: there nothing is done. */
void plan_settle(Program *prog, Plan *plan, int threads);
/* Integer weights from the constant v, packed into q; w->zero lives as long as the plan. */
void pl_pack_integers(Planner *p, const Value *v, QConvKind kind, QConvParam *q, const QWeights *w);

/* ---- conv.c, for integers too ---- */

/* Sizes and windows of a convolution with operands x and w. */
bool pl_conv_param(Planner *p, const Op *op, const Value *x, const Value *w, ConvParam *c);
/* Leading dims (all but the last) as (batch, depth, height, width); merged to one where every view allows it. */
bool pl_lead_dims(const View *x, const View *y, bool merge, ConvParam *c);
bool pl_bounds(Planner *p, const Op *op, float *lo, float *hi); /* of a relu or clamp that is known; others: false */
/* A constant vector that the group adds first to the result of a product without bias; NULL: none. */
const float *pl_last_dim_bias(Planner *p, const Op *op, const Group *g);

/* Batch dims and their strides of a product of views of one rank; false: too many. */
bool pl_matmul_batch(const View *a, const View *b, const View *y, MatmulParam *m);

/* ---- families: false = the evaluator runs the op ---- */

typedef bool PlanFn(Planner *p, const Op *op);
PlanFn *plan_fn(OpKind k);                               /* table.c; NULL: none */
void *ready_pages(Program *p, size_t bytes);             /* memory that lives as long as the program */
PlanFn plan_conv, plan_dense, plan_pool, plan_global_pool, plan_reshape, plan_transpose, plan_slice, plan_split, plan_concat,
	plan_expand, plan_gather, plan_reduce, plan_row, plan_identity, plan_pad, plan_depth_space, plan_matmul,
		plan_resize, plan_recurrent,
	plan_group_norm, plan_attention_op, plan_integer_conv, plan_integer_dense, plan_dynamic_quantize,
	plan_reverse, plan_tile, plan_trilu, plan_one_hot, plan_lanes, plan_index, plan_grid_sample, plan_roi_align, plan_einsum,
	plan_blocks, plan_matmul64, plan_gemm_sum;
bool plan_unfolded_conv(Planner *p, const Op *op);       /* unfold.c: weights that the run brings */
/* Pads that mirror, repeat or wrap; begin: by dim. */
bool plan_border(Planner *p, const Op *op, const View *x, const int64_t *begin);

/* ---- attention.c ---- */

void plan_find_attention(Planner *p);                    /* after plan_groups */
const Op *attention_last(const Attention *t);            /* where the step is emitted */
bool plan_attention(Planner *p, const Attention *t);     /* false: it does not fit, its ops run one by one */
size_t attention_parts(const Attention *t, const Op **out); /* the ops before the last, up to 2 */

/* ---- elementwise.c ---- */

/* p->groups holds it for its ops and for its anchor. */
struct Group {
	const Op **ops;         /* in order; the last is the root */
	size_t n;
	const Op *root;
	const Op *anchor;       /* a convolution or product whose results the group finishes; NULL: none */
};
void plan_groups(Planner *p);                            /* forms groups over the plan's ops */
bool plan_group(Planner *p, Group *g);                   /* a group without anchor */
/* Results of the anchor that lie elsewhere than in the group's result. */
typedef struct AnchorView {
	View view;
	int ptr;
} AnchorView;
/* The group, from op `begin` on, as a program over a box whose dim i is dim order[i] of the root's result (-1: size 1), for
 * results at `y`.
 * The pointers that it reads are appended to *buffers. anchor: its result is loaded from `from`, or from y itself when that is NULL. false: cannot. */
typedef VEC(int) IntList;
char *group_text(Planner *p, const Group *g);            /* names of its ops */
/* Dims of size 1 go, neighbours that all operands walk as one are merged. */
void program_merge(TileProgram *t);
/* All dims but the last as one row dim, the ones before it of size 1; false when an operand does not allow it. */
bool program_rows(TileProgram *t);
bool group_program(Planner *p, Group *g, size_t begin, const Value *anchor, const AnchorView *from, const View *y,
	const int *order, int rank, int first_ptr, TileProgram *out, IntList *buffers);

/* ---- quant.c ---- */

bool pl_is_grid_op(const Op *op);                        /* quantize or dequantize */
/* The instruction of such an op: with its scale and zero point as immediates, or (.._BY) to be loaded. */
bool pl_grid_instr(Planner *p, const Op *op, TileInstr *in);
View pl_grid_view(Planner *p, const Op *op, bool zero);  /* scale or zero point, with the dims of the op's operand or none */
bool pl_is_cheap_grid(Planner *p, const Op *op);         /* a dequantize whose scale and zero point are known */
View pl_lazy_view(Planner *p, const Value *v);           /* computes it now */
void pl_convert(Planner *p, const View *from, const View *to); /* integers of 8 or 16 bits to floats, or back (saturated) */
View pl_converted(Planner *p, const View *from, DType to); /* a copy, in the same order */

/* ---- fallback.c ---- */

bool plan_fallback(Planner *p, const Op *op);

/* ---- found.c ---- */

bool plan_found(Planner *p, const Op *op);               /* the boundary, when a kernel can do it; false: the evaluator does */
/* The call after the kernel: what it found becomes a tensor. */
typedef struct FoundStep {
	const Value *value;
	int64_t parts, room;    /* things that a part has room for */
	const Shape *places;    /* what is found are places in it, taken apart by dim; NULL: rows of FOUND_ROW numbers */
	uint32_t ptr;           /* in the table: things, their numbers */
} FoundStep;
enum { FOUND_ROW = 3 };
bool found_take(void *step, Run *r);

/* ---- scales.c ---- */

/* Products that convolutions take into their weights; of the finished list of steps, before plan_chains. */
void plan_scales(Planner *p);

/* ---- chain.c ---- */

/* Joins steps of the finished list; before plan_memory. */
void plan_chains(Planner *p);
/* Pointers of a convolution: result, input, then the rest. */
int conv_pointers(const ConvParam *c);
/* Steps were taken out of the list; moved: where each of the old ones is now, or the one that does its work. */
void plan_renumber(Plan *p, const int *moved);

/* ---- ahead.c ---- */

void plan_ahead(Planner *p);                             /* of the finished steps, after plan_chains */

/* ---- arena_plan.c ---- */

void plan_memory(Plan *p);

#endif

/* pass: whole-module transformations, the table of passes, pipelines as text, and the runner. */
#ifndef HONE_PASS_H
#define HONE_PASS_H

#include "rewrite/rewrite.h"

typedef struct PassStat {
	const char *name;
	int64_t runs, changes;
	double seconds;
} PassStat;

typedef struct PassCtx {
	Context *ctx;
	Module *module;
	Arena *arena;              /* lives as long as the run */
	InferCtx *infer;
	RewriteOptions rewrite;
	RewriteLog *log;
	Explain *explain;
	int threads;
	int64_t max_fold_bytes;    /* growth policy: a folded constant may exceed what it replaces by this (default 4096) */
	bool verify_each;          /* module_verify after every pass */
	bool strict_shapes;
	bool expand_constants;     /* raise: constants of one repeated number become data however large, not ConstantOfShape */
	bool freeze_batch_norm;    /* pass_batch_statistics: norms of training mode take running statistics; else they are told */
	bool freeze_inputs;        /* pass_freeze: also defaults of inputs that a caller may override (IR version >= 4) */
	const char *print_after;   /* pass name or "all": text form on stderr */
	void (*print)(void *arg, const char *pass, Module *m);
	void *print_arg;
	/* check-each: called after every pass that changed something; false stops the run. */
	bool (*check)(void *arg, const char *pass, Module *m);
	void *check_arg;
	VEC(PassStat) stats;
	int rounds;                /* of fix(...) */
} PassCtx;

typedef bool PassFn(Module *m, PassCtx *p);  /* true = changed; errors go to ctx->diags */

typedef struct Pass {
	const char *name, *help;
	PassFn *run;
	ValueClass class;
} Pass;
const Pass *pass_table(size_t *n);

/* "legalise,fix(shapes,rules,fold,cse,dce),raise"; a named pipeline is "default", "onnxsim", ... False + diagnostic on
 * unknown names (nearest one named) or when a pass fails. */
bool pipeline_run(const char *text, Module *m, PassCtx *p);
typedef struct Pipeline { const char *name, *text, *help; } Pipeline;
const Pipeline *pipeline_table(size_t *n);

/* The passes (one file each). */
PassFn pass_legalise;   /* dialect ops to core ops; what cannot be translated stays */
PassFn pass_shapes;     /* shape analysis over the module */
PassFn pass_rules;      /* the rewrite rules to their fixed point */
PassFn pass_fold;       /* integer and exact constant expressions to core.constant (float arithmetic waits for materialise) */
PassFn pass_cse;        /* equal pure ops and equal constants are shared */
PassFn pass_dce;        /* unused pure ops, block arguments of library functions, results of ifs and loops */
PassFn pass_materialise;/* every remaining constant expression becomes data when that pays (growth policy) */
PassFn pass_raise_onnx; /* core ops to onnx ops of the module's opset */
PassFn pass_raise_stablehlo; /* core ops to stablehlo and chlo ops; an error for what cannot be written so */
PassFn pass_core_forms; /* what legalise leaves of StableHLO, to core ops and loops that ONNX has; NaN may be ordered otherwise */
PassFn pass_random_forms; /* rng of StableHLO, to random ops of core: other numbers of the same distribution */
PassFn pass_quantised_forms; /* quantised StableHLO to stored integers between quantize and dequantize */
PassFn pass_portable;   /* chlo ops to StableHLO ops, for bytecode; those without expansion stay */
PassFn pass_forget_hints; /* declared types of values that hone can infer are dropped: they may be stale */
PassFn pass_declared_outputs; /* and what the outputs were declared as completes their types for writing */
PassFn pass_freeze;     /* initializers listed as inputs become constants (IR version < 4; later ones by option) */
PassFn pass_inline;     /* calls of library functions */
PassFn pass_batch_statistics; /* norms that normalise by statistics of their batch are reported, or frozen; see there */

/* batch_statistics.c: norms of main as models in training mode have them, in legalised form. */
typedef struct TrainingNorm {
	Op *op;                /* the norm, or the root of one in parts */
	Value *scale;          /* may be NULL */
	Value *mean, *var;     /* of one in parts: statistics of the batch; NULL: the op has them inside */
	int axis;              /* that is kept */
} TrainingNorm;
size_t training_norms(Module *m, Arena *a, TrainingNorm **out);
const char *training_norm_name(const TrainingNorm *n, Arena *a); /* op, and what it is called */
PassFn pass_decompose;  /* composite operators become ones that compilers have: legalise/decompose.c */
PassFn pass_backend_forms; /* and forms of them: last, other rules would undo it */

/* legalise/onnx: one op in place; true when it was replaced by core ops. Used by the pass and, with operands bound to
 * constants, by the evaluator's fallback for ops whose axes or sizes are runtime values. */
bool legalise_onnx_op(Op *op, int64_t opset, Diags *d);
int64_t onnx_opset(const Module *m, const Str *domain); /* 0 when not imported */
/* raise/opset.c: the module moves to that ai.onnx opset and ends in ONNX ops; as_read: it has the nodes of the file rather than
 * core ops, and those that the two opsets have in common stay as they are. False + diagnostics that name what is missing. */
#define ONNX_NEWEST 28 /* opset that the tables know */
#define ONNX_FOR_OTHERS 21 /* opset of models that were not read from ONNX */
bool opset_change(Module *m, PassCtx *p, int64_t to, bool as_read);
/* Whether the module's own format writes a constant of one repeated number of type d in a few bytes (ConstantOfShape). */
bool writes_repeated(const Module *m, DType d);
/* Sets e->fallback so that dialect ops run: legalises a one-op copy with operands as constants and runs that. */
void eval_enable_dialects(EvalCtx *e, Module *m);

#endif

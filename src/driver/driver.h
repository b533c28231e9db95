/* driver: the main job as one call: front passes, optimisation, proof, constants, raise; and the figures to report. */
#ifndef HONE_DRIVER_H
#define HONE_DRIVER_H

#include "verify/verify.h"

typedef struct OptimiseOptions {
	RewriteOptions rewrite;      /* level, allow, disable, only, limit */
	const char *passes;          /* pipeline text or name; NULL: "default" */
	const ShapeBinding *bind;
	size_t nbind;
	int threads;                 /* 0: all processors */
	int64_t max_growth;          /* bytes that a folded constant may add; default 4096 */
	bool keep_calls;             /* functions are not inlined where they are called */
	bool expand_constants;       /* write constants of one repeated value as data instead of ConstantOfShape */
	bool freeze_batch_norm;      /* norms of training mode take running statistics: results change */
	bool freeze_inputs;          /* inputs with a default value become constants (IR version >= 4; before, they always do) */
	bool open_batch;             /* a fixed first dimension of all inputs becomes a symbol; refused where the model says otherwise */
	bool verify;                 /* the local proof */
	double verify_seconds;       /* its budget; 0: 60 */
	uint64_t seed;
	bool to_stablehlo;           /* optimise_raise gives StableHLO; else ONNX */
	bool to_onnx;                /* it gives ONNX: what StableHLO alone has gets other forms (without `passes`) */
	bool portable;               /* ... without chlo ops, as bytecode needs it */
	int64_t opset;               /* ... for this opset; 0: that of the model */
	bool check_each;             /* proof after every pass that changes something */
	bool verify_structure;       /* module_verify after every pass */
	Explain *explain;
	const char *print_after;
	void (*print)(void *arg, const char *pass, Module *m);
	void *print_arg;
} OptimiseOptions;
void optimise_options_init(OptimiseOptions *o);

typedef struct KindCount {
	const char *name;            /* op name as the format has it: "Conv", "com.microsoft::Gelu" */
	int64_t before, after;
} KindCount;
typedef struct ModelFigures {
	int64_t nodes;               /* ops that compute: constants and initializers do not count */
	int64_t constants;           /* constant tensors */
	int64_t parameters;          /* elements of constant float tensors */
	int64_t weight_bytes;
	double macs;                 /* multiply-adds of convolutions and matrix products; unknown sizes count as 1 */
	bool macs_symbolic;          /* some size was unknown */
} ModelFigures;
typedef struct OptimiseReport {
	ModelFigures before, after;
	VEC(KindCount) kinds;        /* sorted by name */
	RewriteLog log;
	VEC(PassStat) passes;
	int rounds;
	LocalReport proof, constants; /* of the graph, and of the weights that were computed */
	LocalReport draws;           /* of what came before, where random numbers are drawn by ops of another format */
	bool proved;                 /* proof ran */
	const char *check_each_pass; /* first pass that check-each found guilty, or NULL */
	double seconds, proof_seconds;
} OptimiseReport;

/* Optimises m in place: it ends in core ops, ready for optimise_raise. False + diagnostics (HONE_VERIFY_FAILED when the
 * proof found a difference; the module must not be written then). Everything in the report lives in a. */
bool optimise(Module *m, const OptimiseOptions *o, Arena *a, OptimiseReport *r);
/* Core ops to the ops of the format that is to be written; figures of the result are added to r when not NULL. */
bool optimise_raise(Module *m, const OptimiseOptions *o, Arena *a, OptimiseReport *r);
/* The nodes of a file, not optimised, for another opset. */
bool convert_opset(Module *m, int64_t opset, Arena *a);
/* chlo ops of a module that is to be written as bytecode become StableHLO ops; false + diagnostics. */
bool make_portable(Module *m, Arena *a);
/* Only what a model needs before the evaluator can run it: inline, freeze, legalise, shapes. */
bool prepare_to_run(Module *m, Arena *a);
/* Stored cases made ready (SuiteOptions): as they are; as a user of `hone opt` gets them, written and read back; converted to
 * the newest opset, written, read, and back to their own. */
Module *suite_prepare(Context *c, Module *m, Arena *a);
Module *suite_prepare_optimised(Context *c, Module *m, Arena *a);
Module *suite_prepare_bytecode(Context *c, Module *m, Arena *a); /* written as MLIR bytecode and read back */
/* Optimised, for a plan: core ops. */
Module *suite_prepare_compiled(Context *c, Module *m, Arena *a);
Module *suite_prepare_converted(Context *c, Module *m, Arena *a);
void model_figures(const Module *m, ModelFigures *f);
/* Nodes by kind into r->kinds (before or after column), sorted by name. */
void count_kinds(Module *m, Arena *a, OptimiseReport *r, bool after);
/* Peak resident memory of this process in bytes (as the kernel counts it). */
int64_t peak_memory(void);

#endif

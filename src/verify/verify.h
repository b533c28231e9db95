/* verify: proofs that results are unchanged, and comparison of results.  */
#ifndef HONE_VERIFY_H
#define HONE_VERIFY_H

#include "kernels/kernels.h"
#include "format/format.h"
#include "pass/pass.h"

/* ---- compare.c: two tensors ---- */

typedef struct CompareRule {
	double rtol, atol;        /* |a-b| <= atol + rtol*|b| */
	double ulps;              /* also fine when within so many units in the last place of the dtype; 0 = off */
	double slice_rtol;        /* also fine when within slice_rtol * max|b| over the tensor; 0 = off */
	bool random;              /* stored cases: another generator drew the other: samples_compare */
	uint64_t ignored;         /* stored cases: bit k: result k is not compared, as it is not unique */
} CompareRule;
typedef struct CompareResult {
	bool equal;
	int64_t count, bad;       /* elements, elements out of tolerance */
	int64_t worst;            /* flat index of the worst element, -1 when none */
	double got, want;         /* there */
	double max_abs, max_rel;
	char why[160];            /* dtype or shape differs, ... */
} CompareResult;
/* NaN equals NaN; Inf must match in sign; -0 equals 0; integers, bools and strings must be equal (u8/i8 results of
 * quantisation: within rule->atol when it is >= 1). Sequences element by element. */
bool tensors_compare(const Tensor *got, const Tensor *want, const CompareRule *rule, CompareResult *out);

/* Whether `want`, which another generator drew, may come from where the draws do: results of as many runs with different seeds.
 * Each element is held against its own draws; what is said of them in sum is meaningful for a few elements too. */
bool samples_compare(Tensor *const *draws, int runs, const Tensor *want, CompareResult *out);

/* Whether n and m numbers may come from one distribution: Kolmogorov's and Smirnov's distance of two samples, which exceeds the bound
 * by chance once in 10^9 times. Sorts both. The least numbers to say anything are DISTANCE_MIN each. */
enum { DISTANCE_MIN = 64 };
bool samples_alike(double *x, int64_t n, double *y, int64_t m);

/* Largest absolute difference of a native result from the one computed in double, where both are finite: what rounding does
 * to it. 0 for other than float tensors. */
double rounding_noise(const Tensor *native, const Tensor *exact);
/* The same data owned by another evaluation and stored as that one stores it. NULL when memory or limits say no. */
Tensor *tensor_copy_into(EvalCtx *e, const Tensor *t);

/* ---- local.c, pull.c: the proof that `hone opt` runs by default ----
 * Works on the module as legalised and as optimised before constants are materialised. For every value of the original
 * that survives (by RewriteLog: replaced values map to their replacements), its defining region is replayed on both sides
 * between such cut values, in double, on seeded inputs, for sampled output elements. */

typedef struct LocalOptions {
	uint64_t seed;
	double seconds;           /* time budget; what was not reached is counted */
	int64_t samples;          /* output elements a region (default 16) */
	int rounds;               /* input sets (default 2) */
	double tolerance;         /* relative to the slice maximum; default 1e-10 */
} LocalOptions;
typedef struct LocalFailure {
	const char *rule;         /* last rule that touched it */
	int64_t rewrite;          /* its serial number, for --rewrite-limit */
	const char *value;        /* name or %id of the original value */
	const char *op;           /* op kind and node name */
	double got, want;
	char *detail;
} LocalFailure;
typedef struct LocalSkip {
	const char *reason;
	int64_t count;
} LocalSkip;
typedef struct LocalReport {
	int64_t values;           /* values that correspond */
	int64_t unchanged;        /* proved by structure: same op on corresponding operands */
	int64_t checked;          /* replayed and equal */
	int64_t drawn;            /* of these: random numbers that other ops draw, compared as samples */
	int64_t skipped;          /* not replayed: time, size or an op that cannot run; reasons below */
	int64_t failed;
	double seconds;
	VEC(LocalFailure) failures;
	VEC(LocalSkip) skips;
} LocalReport;
/* before: clone of the module taken after legalise; ids of `before` equal those of the module at that moment through
 * `to_before` (value id of the module -> Value of the clone). False only on failures. */
bool verify_local(Module *before, Value *const *to_before, uint32_t nto_before, Module *after, const RewriteLog *log,
		const LocalOptions *o, Arena *a, LocalReport *out);

/* ---- inputs.c: seeded inputs ---- */

/* Inputs for f by use: index operands in range, bools, floats by `round` (0: normal, 1: wide log-uniform, 2: zeros and
 * ones). Sizes of symbolic dims: `sizes` says (NULL: small ones); false + diagnostic when one is not to be had. `in` gets
 * one tensor an argument. given[i] != NULL is used as it is. */
bool make_inputs(EvalCtx *e, const Func *f, uint64_t seed, int round, int64_t dim_size, Tensor *const *given, Tensor **in);

/* ---- endtoend.c: whole models on the same inputs ---- */

typedef struct VerifyOptions {
	uint64_t seed;
	int rounds;               /* input sets; default 3 */
	int threads;
	CompareRule rule;         /* always granted */
	double noise_factor;      /* times the original's own rounding error against double; default 8 */
	const NamedTensor *inputs; /* given by the user, by name; others are seeded */
	size_t ninputs;
} VerifyOptions;
typedef struct OutputResult {
	const char *name;
	int round;
	double noise;             /* largest rounding error of the original itself, absolute */
	CompareResult compare;
} OutputResult;
typedef struct VerifyReport {
	bool equal;
	int rounds;               /* that ran */
	VEC(OutputResult) outputs;/* one an output and round */
	int64_t bad_outputs;
	const char *first_divergence; /* op kind and name where values with the same name differ first, or NULL */
	char *reproduce;          /* seed and round of the first difference */
} VerifyReport;
/* Both modules prepared to run. False + diagnostics when they cannot be compared (interfaces differ, a run fails). */
bool verify_models(Module *a, Module *b, const VerifyOptions *o, Arena *arena, VerifyReport *out);

/* ---- structure.c: the same module, see modules_alike in format.h ---- */

/* Whether the module is the same after it was written and read: as text, in the generic form, and as bytecode of several
 * versions, of which those that have no form for it do not count. False + diagnostics. */
bool module_survives(Module *m, Arena *a);

/* ---- suite.c: stored test cases ---- */

/* Compiled models: engine.c */
typedef struct Exec Exec; /* plan/plan.h */
typedef struct EngineOptions {
	Isa isa;                  /* ISA_COUNT: the best there is */
	bool reference;           /* plans whose every step is the evaluator */
	int threads;
	uint64_t seed;            /* of random ops */
} EngineOptions;
/* Runs a compiled model on tensors; results belong to e. False + diagnostics of e. */
bool engine_run(EvalCtx *e, Exec *x, Tensor *const *in, size_t nin, Tensor **out, size_t nout);
/* Compiles m (prepared), runs it, and forgets it again. */
bool engine_run_once(EvalCtx *e, Module *m, const EngineOptions *o, Tensor *const *in, size_t nin, Tensor **out, size_t nout);

typedef struct SuiteOptions {
	CompareRule rule;         /* widened per output to 8 times the model's own rounding noise where that is more */
	Module *(*prepare)(Context *c, Module *m, Arena *a); /* makes a model ready to run; NULL + diagnostics */
	bool structure;           /* nothing is run: modules must survive writing and reading, and be like their twin in text */
	int threads;              /* cases at once */
	const char *filter;       /* substring of the case name; NULL: all */
	const EngineOptions *engine; /* models run compiled; NULL: by the evaluator */
	bool refine;              /* a module of dynamic sizes is compared with itself after they are bound, three sizes each */
	Module *(*plain)(Context *c, Module *m, Arena *a); /* refine: makes the unbound one ready */
	const char *exceptions;   /* file of lines "NAME REASON" (left out) or "NAME atol=X rtol=X REASON"; NULL: none */
} SuiteOptions;
typedef enum CaseVerdict { CASE_PASSED, CASE_FAILED, CASE_SKIPPED } CaseVerdict;
typedef struct CaseResult {
	const char *name;         /* folder below the suite's */
	CaseVerdict verdict;
	char *why;                /* of a failure or skip */
	double seconds;
} CaseResult;
typedef struct SuiteReport {
	VEC(CaseResult) cases;    /* sorted by name */
	int64_t passed, failed, skipped;
} SuiteReport;
/* Runs every case folder below dir (model.onnx + test_data_set_N, or NAME.onnx + NAME_output_K.pb). */
bool suite_run(const char *dir, const SuiteOptions *o, Arena *a, Diags *d, SuiteReport *out);
/* One model against the data sets in dir (ONNX .pb folders or .npy pairs). */
bool verify_data(Module *m /* prepared */, const char *dir, const CompareRule *rule, Arena *a, int *sets, char **why);

#endif

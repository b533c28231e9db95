/* plan: from an optimised module (core ops) to steps that run.
 * A Program is a module with its weights made ready (packed once); plans for concrete sizes are made from it on demand and
 * cached. An Exec runs it: it owns the memory of one run at a time. A Program may serve several Execs in several threads. */
#ifndef HONE_PLAN_H
#define HONE_PLAN_H

#include "ops/ops.h"
#include "runtime/runtime.h"

#include <pthread.h>

typedef struct Program Program;
typedef struct Exec Exec;

typedef struct ProgramOptions {
	Isa isa;                  /* ISA_COUNT: the best that this processor has */
	bool reference;           /* every op by the evaluator */
	uint64_t seed;            /* of random ops */
	/* Lets the evaluator run ops of dialects (pass layer: eval_enable_dialects); may be NULL. */
	void (*enable)(EvalCtx *e, Module *m);
	pthread_mutex_t *lock;    /* guards the module's context; NULL: nobody else uses it */
} ProgramOptions;

/* m stays the caller's, must not change and must outlive the program. */
Program *program_new(Module *m, const ProgramOptions *o);
void program_free(Program *p);                 /* after its Execs */
/* What weights were packed into so far becomes attributes of the module's constants, for compiled_write; it points into the
 * program, which must outlive the module. */
void program_keep_packed(Program *p);
size_t program_weight_bytes(const Program *p); /* packed copies of weights */

/* An input or output of a run. */
typedef struct ExecArray ExecArray;
struct ExecArray {
	DType dtype;
	int rank;
	int64_t dims[MAX_RANK];
	void *data;               /* row-major, sub-byte types one byte an element; an output: NULL = the Exec's own memory */
	size_t bytes;             /* at data */
	Tensor *tensor;           /* instead of data for strings, sequences, optionals,
		maps: an input borrowed from any EvalCtx, an
	                           * output valid until the next run */
};

/* t as an input of a run; the elements stay t's. */
void exec_array(const Tensor *t, ExecArray *out);
/* threads: 0 = all processors. */
Exec *exec_new(Program *p, int threads);
void exec_free(Exec *x);
/* Inputs and outputs in the order of the main function; in[i] with neither data nor tensor stands for an input's default.
 * Inputs are read in place. An output whose data is given must have the right size; otherwise data points into memory of the
 * Exec, valid until the next run. False + diagnostics in exec_diags. */
bool exec_run(Exec *x, const ExecArray *in, size_t nin, ExecArray *out, size_t nout);
Diags *exec_diags(Exec *x);
size_t exec_memory(const Exec *x);             /* bytes of its arenas */

/* ---- what a plan holds: for --explain, profiles, tests ---- */

typedef struct PlanStepInfo {
	const char *kernel;       /* "conv", "tile", "evaluator", ... */
	const char *text;         /* shapes and what is fused */
	double flops, bytes;      /* arithmetic, and memory read and written */
	double seconds;           /* the least of all profiled runs */
	bool parallel;
} PlanStepInfo;
/* Steps of the last run's plan, in order. */
size_t exec_steps(const Exec *x, Arena *a, PlanStepInfo **out);
void exec_profile(Exec *x, bool on);           /* measure steps from the next run on */

/* Sources in C11 that compute what a run on inputs of these types and sizes does (data is not looked at): path ("x.c") and its
 * header "x.h" beside it, and "x.bin" when there are many weights. The function is called `name`. False + diagnostics in d for what
 * loops over static memory cannot say; a warning for a branch that is left out. */
bool program_write_c(Program *p, const ExecArray *in, size_t nin, const char *path, const char *name, Diags *d);

#endif

/* cli: the command line. One file a verb; options are declared once, in the verb's table, and parsed, listed by --help and
 * completed from there. Results go to stdout, everything else to stderr. */
#ifndef HONE_CLI_H
#define HONE_CLI_H

#include "driver/driver.h"
#include "plan/plan.h"

#include <jansson.h>
#include <stdio.h>

#ifndef HONE_VERSION /* the build gives it */
#define HONE_VERSION "unknown"
#endif

typedef struct Option {
	const char *name;   /* "output" for --output */
	char letter;        /* 'o', or 0 */
	const char *value;  /* placeholder of its value, NULL for a switch */
	const char *help;
} Option;

typedef struct Args {
	Arena *arena;
	VEC(const char *) positional;
	VEC(const Option *) options; /* as given, in order */
	VEC(const char *) values;    /* NULL for switches */
} Args;

typedef struct Cli {
	Arena *arena;
	Context *ctx;
	Args args;
	bool json, colour, progress, quiet;
	bool several_models; /* options about weights are for all of them */
	size_t printed;      /* diagnostics already on stderr */
} Cli;

typedef HoneStatus VerbFn(Cli *cli);
typedef struct Verb {
	const char *name, *summary;
	const char *usage;   /* after "hone NAME" */
	const char *help;    /* paragraphs below the option list; may be NULL */
	const Option *options;
	size_t noptions;
	int min_args, max_args; /* -1: any number */
	VerbFn *run;
} Verb;

extern const Verb VERB_OPT, VERB_CONVERT, VERB_INFO, VERB_CHECK, VERB_VERIFY, VERB_RUN, VERB_PASSES, VERB_EXPLAIN, VERB_IMPORT, VERB_BENCH,
	VERB_COMPILE;

/* args.c */
bool args_parse(Cli *cli, const Verb *v, int argc, char **argv); /* false: usage error, reported */
bool args_has(const Cli *cli, const char *name);
const char *args_get(const Cli *cli, const char *name);          /* last value given, or NULL */
const char *args_next(const Cli *cli, const char *name, size_t *from); /* each value in turn; *from starts at 0 */
bool args_int(Cli *cli, const char *name, int64_t lo, int64_t hi, int64_t *out); /* keeps *out when absent; false: reported */
bool args_double(Cli *cli, const char *name, double *out);
void verb_help(const Verb *v, FILE *to);

/* common.c */
void print_diags(Cli *cli);                             /* new ones, to stderr */
HoneStatus finish(Cli *cli, HoneStatus s);              /* prints diagnostics; the status of the first error wins */
Module *load_model(Cli *cli, const char *path);         /* with the weights that options give; NULL: reported */
/* --dim and --shape into bindings; false: reported. */
bool shape_options(Cli *cli, ShapeBinding **out, size_t *n);
bool optimise_options(Cli *cli, OptimiseOptions *o);    /* the options that opt, verify and explain share */
/* --input name=file and positional name=file; false: reported. */
bool input_tensors(Cli *cli, EvalCtx *e, NamedTensor **out, size_t *n);
void print_json(json_t *j);                             /* pretty, to stdout; takes the reference */
const char *human_bytes(Arena *a, double n);            /* "12.3 MB" */
const char *human_count(Arena *a, double n);            /* "1.82 G" */
const char *type_text(Arena *a, const Type *t);         /* "float32[1,3,h,w]" */
size_t file_size(const char *path);

#define WEIGHT_OPTIONS \
	{ "weights", 0, "FILE", "weights of arguments by name: .safetensors, .npz, .npy or a folder; may be given often" }, \
	{ "bind", 0, "ARG=@FILE", "one argument (name, argN or number) from a file, FILE:ENTRY, or =NUMBER; may be given often" }

#define OPTIMISE_OPTIONS \
	{ "level", 'O', "N", "1 exact rewrites only, 2 (default) also rounding, 3 also costlier searches" }, \
	{ "passes", 0, "TEXT", "pipeline to run instead of the default (hone passes lists them)" }, \
	{ "disable", 0, "NAMES", "rules or topics to leave out, separated by commas" }, \
	{ "only", 0, "NAMES", "no rules but these" }, \
	{ "allow", 0, "CLASS", "also rules that may change results on special values: domain, statistical" }, \
	{ "rewrite-limit", 0, "N", "stop after N rewrites (to find the one that does harm)" }, \
	{ "dim", 0, "NAME=N", "size of a symbolic dimension; may be given often" }, \
	{ "shape", 0, "INPUT=D,D,..", "shape of an input; may be given often" }, \
	{ "max-growth", 0, "BYTES", "how much a folded constant may add to the file (default 4096)" }, \
	{ "freeze-inputs", 0, NULL, "inputs that have a default value (initializers listed as inputs) become constants" }, \
	{ "freeze-batch-norm", 0, NULL, "batch norms of training mode take running statistics, which changes results" }, \
	{ "expand-constants", 0, NULL, "write constants of one repeated value as data, however large" }, \
	{ "no-inline", 0, NULL, "keep functions and the calls of them" }, \
	{ "threads", 'j', "N", "processors to use (default: all)" }, \
	{ "seed", 0, "N", "seed of the data that proofs use" }

/* compile.c */
/* Read and optimised (with the proof when `prove`), or a compiled model as it is; NULL: reported. */
Module *load_optimised(Cli *cli, const char *path, bool prove, OptimiseReport *r);
/* --isa into options of a program; false: reported. */
bool program_options(Cli *cli, ProgramOptions *o);
/* Inputs that are not given are seeded; sizes that are open are tried from small to large until a run works. in: nargs
 * entries, pointing into tensors of e. */
bool first_run(Cli *cli, EvalCtx *e, const Func *f, Exec *x, Tensor *const *given, uint64_t seed, ExecArray *in, ExecArray *out);
/* Steps of the last run's plan; runs: with the least times of the profiled runs. */
void print_plan(Cli *cli, const Exec *x, bool runs);
/* The same steps as a Chrome trace (JSON); false: reported. */
bool write_trace(Cli *cli, const Exec *x, const char *path);
#define ENGINE_OPTIONS \
	{ "isa", 0, "NAME", "instruction set of the kernels: v2, v3, v4 (default: the best there is)" }

/* report.c: what `hone opt` prints */
void report_optimise(Cli *cli, FILE *to, const OptimiseReport *r, const char *in, const char *out);
json_t *report_optimise_json(Cli *cli, const OptimiseReport *r, const char *in, const char *out);
void report_proof(FILE *to, const OptimiseReport *r);

#endif

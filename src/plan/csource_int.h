/* csource_int: what the files share that write a plan as C. */
#ifndef HONE_CSOURCE_INT_H
#define HONE_CSOURCE_INT_H

#include "plan/plan_int.h"

/* Where a plan's buffers lie. */
typedef struct CLayout {
	size_t n;
	const PlanBuffer *buffers;
	int64_t bytes;          /* of all of them */
} CLayout;

/* A run of a program: the model's, or a body's. */
typedef VEC(const Shape **) ShapeLists;
typedef struct CRun {
	Exec *x;
	const ExecArray *in;    /* types and sizes */
	size_t nin;
	const char **in_text, **out_text; /* their addresses, by index */
	const char **left;      /* by value id: addresses of what parts left */
	VEC(Told) told;
	ShapeLists ends;        /* the different sizes of its results */
	const char *end;        /* variable that tells which of them a run had; NULL: there may be one only */
	bool is_main;
} CRun;

/* The last op of a part: its results, and the sizes that they may have. */
typedef struct CFound {
	const char **address;   /* by result */
	ShapeLists sizes;
	const char *variable;   /* which of them: 0, 1, .. */
} CFound;

typedef struct CNumbers {
	DType dtype;
	int64_t count;
	const void *data;
	uint64_t hash;
} CNumbers;

/* Texts hold the marks CS_NAME, in names of things that text for other sizes has too (followed by a letter for the nesting of such
 * texts that they belong to), and CS_ROOM, before the size of an array. */
#define CS_NAME "\002"
#define CS_ROOM "\003"

typedef struct CSource {
	const KernelSet *k;
	Arena *arena;
	const char *name;
	Diags *diags;
	Buf data, functions;    /* finished: numbers, functions */
	Buf calls;              /* of the functions of the run's part */
	VEC(CNumbers) numbers;
	int64_t inline_bytes;   /* of them, in the source */
	OutFile *bin;           /* where large constants go; NULL: into the source */
	bool failed;            /* a constant has no form */
	bool too_many;          /* the source cannot hold them all */
	int64_t top;            /* bytes of memory */
	size_t serial;          /* number of the next function */
	size_t plans;           /* made so far */
	VEC(CLayout) layouts;   /* of the plans of the variant with the largest sizes, in order */
	size_t layout_at;
	int variants;           /* how many sizes the text stands for depends on: nesting */
	bool has_grid;          /* functions of grids are written */
	bool has_missing;       /* so is the word that tells that something is left out */
	bool has_sizes;         /* sizes of outputs differ from run to run */
	int64_t (*most)[MAX_RANK]; /* the largest, by output */

	/* The part that is written. */
	CRun *run;
	const Plan *plan;
	CLayout layout;
	int64_t base;           /* of its memory */
	CFound *found;

	/* The step. */
	Buf body, locals;       /* its function's */
	VEC(int) local_numbers; /* buffers that are arrays of the function */
	const Step *step;
	size_t number;
	int setter[TILE_REGS];  /* instruction that set each register of the program last */
	const ChainParam *chain; /* that the step is, or NULL, and the stage that is being written */
	int stage;
	const char *row;        /* array that stands for pointer 0 of the program, indexed along the last dim; NULL: none */
	const char *sums;       /* address that stands for pointer 1 of the program; NULL: none */
} CSource;

/* The step cannot be said in C; false. */
bool cs_refuse(CSource *c, const char *what);
bool cs_refuse_op(CSource *c, const Op *op, const char *what);
const char *cs_type(DType d);                            /* NULL: C has none */
/* The i-th pointer of the step (of a stage of a chain), as a pointer to `type`. */
const char *cs_pointer(CSource *c, int i, const char *type, bool constant);
/* Byte `at` of a buffer of the plan, as an address. */
const char *cs_address(CSource *c, int buffer, int64_t at);
/* n bytes after the part's memory as a pointer to `type`, from byte `at` of them on. They last as long as the step. */
const char *cs_between(CSource *c, const char *type, bool constant, int64_t at, int64_t n);
/* "type *var = pointer i of the step + offset;" */
void cs_declare(CSource *c, const char *var, int i, const char *type, int64_t offset, bool constant);
void cs_float(CSource *c, Buf *out, float v);            /* as a literal */
void cs_loop(CSource *c, int depth, const char *var, int64_t n); /* depth: tabs before it */
/* Loops over dims [from, n), with variables "<var>0", "<var>1", .. */
void cs_loops(CSource *c, int depth, const char *var, int from, int n, const int64_t *dims);
/* " + <var>0 * stride[0] + .." for n dims. */
void cs_index(CSource *c, Buf *out, const char *var, int n, const int64_t *stride);
/* Number k of a static array w<k> of n numbers. The same numbers are written once. */
int cs_numbers(CSource *c, DType d, const void *v, int64_t n);
char *cs_unique(CSource *c, const char *stem);           /* a name of its own at the level of the file */
/* The weights as [group][kernel][input channel][output channel], floats. */
int cs_weights(CSource *c, const ConvParam *p, bool transposed);

/* Loops of a tile program; from: the dims before it have theirs already. */
bool cs_tile(CSource *c, const TileProgram *p, int from);

/* A kernel's step as loops; param: the step's. */
typedef bool CsEmit(CSource *c, const void *param);
CsEmit cs_tile_step,                                     /* csource_tile.c */
	cs_conv, cs_conv_transposed, cs_chain, cs_integers, cs_range, cs_pool, cs_resize, cs_matmul, cs_matmul64, /* csource_conv.c */
	cs_blocks,                                       /* csource_conv.c */
	cs_nms, cs_nonzero,                              /* csource_found.c */
	cs_row, cs_reduce, cs_copy, cs_gather, cs_attention, cs_rnn, cs_lanes, cs_index_step, cs_grid, cs_roi; /* csource_more.c */

/* ---- csource.c ---- */

/* The part of the run that follows what it was told, its memory from `base` on: functions, and their calls in c->calls. */
bool cs_part(CSource *c, CRun *r, int64_t base);

/* ---- csource_sizes.c ---- */

/* emit(arg, i) writes functions and calls for size i of n. Texts that differ in numbers only, and in these as i does, become one in
 * which numbers are expressions of `variable`. */
bool cs_variants(CSource *c, int64_t n, const char *variable, bool (*emit)(CSource *c, void *arg, int64_t i), void *arg);

/* emit(arg, i); when it fails, its text is a note at run time that something is missing, its first error a warning that begins with
 * `what`. False: it failed in a way that cannot be left out. */
bool cs_attempt(CSource *c, bool (*emit)(CSource *c, void *arg, int64_t i), void *arg, int64_t i, const char *what);

/* ---- csource_control.c ---- */

bool cs_control(CSource *c, const EvalStep *s);          /* a step that the evaluator runs */

/* ---- csource_found.c ---- */

bool cs_take(CSource *c);                                /* the step is the call after nms or nonzero */

#endif

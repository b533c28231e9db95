/* csource_int: what the files share that write a plan as C. */
#ifndef HONE_CSOURCE_INT_H
#define HONE_CSOURCE_INT_H

#include "plan/plan_int.h"

typedef struct CSource {
	const Exec *x;
	const Plan *plan;
	const KernelSet *k;
	Arena *arena;
	Buf data, body, calls;
	const char *name;
	VEC(const void *) weights;
	VEC(int64_t) counts;
	OutFile *bin;           /* where large constants go; NULL: into the source */
	Diags *diags;
	const Step *step;
	size_t number;
	int setter[TILE_REGS];  /* instruction that set each register of the program last */
	bool has_grid;          /* functions of grids are written */
	const ChainParam *chain; /* that the step is, or NULL, and the stage that is being written */
	int stage;
	int64_t between;        /* bytes after the arena, for results inside of steps */
	const char *row;        /* array that stands for pointer 0 of the program, indexed along the last dim; NULL: none */
	const char *sums;       /* address that stands for pointer 1 of the program; NULL: none */
} CSource;

/* The step cannot be said in C; false. */
bool cs_refuse(CSource *c, const char *what);
const char *cs_type(DType d);                            /* NULL: C has none */
/* The i-th pointer of the step (of a stage of a chain), as a pointer to `type`. */
const char *cs_pointer(CSource *c, int i, const char *type, bool constant);
/* n bytes after the arena as a pointer to `type`, from byte `at` of them on. */
const char *cs_between(CSource *c, const char *type, bool constant, int64_t at, int64_t n);
/* "type *var = pointer i of the step + offset;" */
void cs_declare(CSource *c, const char *var, int i, const char *type, int64_t offset, bool constant);
void cs_float(CSource *c, Buf *out, float v);            /* as a literal */
void cs_loop(CSource *c, int depth, const char *var, int64_t n); /* depth: tabs before it */
/* Loops over dims [from, n), with variables "<var>0", "<var>1", .. */
void cs_loops(CSource *c, int depth, const char *var, int from, int n, const int64_t *dims);
/* " + <var>0 * stride[0] + .." for n dims. */
void cs_index(CSource *c, Buf *out, const char *var, int n, const int64_t *stride);
/* Number k of a static array w<k> of n numbers. The same array is written once. */
int cs_numbers(CSource *c, DType d, const void *v, int64_t n);
/* The weights as [group][kernel][input channel][output channel], floats. */
int cs_weights(CSource *c, const ConvParam *p, bool transposed);

/* Loops of a tile program; from: the dims before it have theirs already. */
bool cs_tile(CSource *c, const TileProgram *p, int from);

/* A kernel's step as loops; param: the step's. */
typedef bool CsEmit(CSource *c, const void *param);
CsEmit cs_tile_step,                                     /* csource_tile.c */
	cs_conv, cs_conv_transposed, cs_chain, cs_integers, cs_range, cs_pool, cs_resize, cs_matmul, cs_matmul64, /* csource_conv.c */
	cs_row, cs_reduce, cs_copy, cs_gather, cs_attention, cs_rnn, cs_lanes, cs_index_step, cs_grid, cs_roi; /* csource_more.c */

#endif

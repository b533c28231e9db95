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
	VEC(const float *) weights;
	VEC(int64_t) counts;
	OutFile *bin;           /* where large constants go; NULL: into the source */
	Diags *diags;
	const Step *step;
	size_t number;
	int setter[TILE_REGS];  /* instruction that set each register of the program last */
	bool has_grid;          /* functions of grids are written */
	const ChainParam *chain; /* that the step is, or NULL, and the stage that is being written */
	int stage;
	int64_t between;        /* bytes after the arena, for results inside of chains */
	const char *row;        /* array that stands for pointer 0 of the program, indexed along the last dim; NULL: none */
} CSource;

/* The step cannot be said in C; false. */
bool cs_refuse(CSource *c, const char *what);
const char *cs_type(DType d);                            /* NULL: C has none */
/* "type *var = pointer i of the step + offset;" */
void cs_declare(CSource *c, const char *var, int i, const char *type, int64_t offset, bool constant);
void cs_float(CSource *c, Buf *out, float v);            /* as a literal */
void cs_loop(CSource *c, int depth, const char *var, int64_t n);
/* Number k of a static array w<k>: n floats, or the weights as [group][kernel][input channel][output channel]. */
int cs_floats(CSource *c, const float *v, int64_t n);
int cs_weights(CSource *c, const ConvParam *p, bool transposed);

/* Loops of a tile program; from: the dims before it have theirs already. */
bool cs_tile(CSource *c, const TileProgram *p, int from);

/* ---- csource_more.c: attention, recurrent layers, ops along an axis and by index, samples; param: the step's ---- */

bool cs_more(CSource *c, const void *param);

#endif

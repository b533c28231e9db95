/* local_int: the state of the local proof, shared by local.c and drawn.c. */
#ifndef HONE_LOCAL_INT_H
#define HONE_LOCAL_INT_H

#include "verify/pull.h"
#include "verify/verify.h"

/* Which corresponding values are cuts of a replay. All of them is the cheapest, and equality then is equality. A difference
 * may come from two cuts that are not independent (the original goes through a value that the result steps over), so it
 * is put to the next mode. */
typedef enum CutMode {
	CUT_ALL,
	CUT_COMMON, /* those that the replay of the result met, again without the latest of them, and so on a few times */
	CUT_INPUTS  /* none but function and block arguments */
} CutMode;

typedef struct Side {
	struct Proof *proof;
	bool after;
	InferCtx infer;
} Side;

typedef struct Proof {
	Arena *arena;
	Context *ctx;
	Module *before, *after;
	const RewriteLog *log;
	const LocalOptions *opt;
	LocalReport *report;
	Value **image;       /* by value id of before: the value of after that stands for it, or NULL */
	uint8_t *is_image;   /* by value id of after */
	uint8_t *seen;       /* by value id of before: its pair has been looked at */
	double *slack;       /* by value id of after: what the rules that made it grant */
	int64_t *event;      /* by value id of after: last event that made it, or NO_EVENT */
	uint32_t *position;  /* by op id of after: order of execution */
	uint32_t numbered;
	Map copies[2];       /* values of the modules given -> values of the copies that are worked on */
	Map sizes;           /* symbols of the inputs */
	uint8_t *index_like; /* by value id of after: selects elements */
	uint32_t *hit;       /* by value id of after: stamp of the last replay whose after side met this cut */
	uint32_t stamp;
	CutMode mode;
	uint32_t limit;      /* position of the last value that may be a cut */
	uint32_t latest;     /* position of the last cut that the replay of the result met */
	const Value *self;   /* value of after under proof */
	int strategy;        /* symbol assignment */
	uint8_t *draw;       /* by value id of after: stands for what another op of before draws */
	uint32_t *owner;     /* by op id of after: 1 + id of the op of before whose numbers this random op draws */
	bool drawing;        /* draws of the value under proof are computed, not given */
	bool tied;           /* inputs say sizes: those without a name are one */
	Side sides[2];
	Pull pulls[2];
	Rng rng;
} Proof;

/* ---- local.c ---- */

void proof_skip(Proof *p, const char *reason); /* counts a value that was not compared */
void proof_fail(Proof *p, const Value *b, const Value *a, double got, double want, char *detail);
bool proof_same_shape(Proof *p, const Value *b, const Value *a); /* false: it was reported */
bool proof_element_count(Pull *p, const Value *v, int64_t *count);

/* ---- drawn.c: values that are drawn at random ---- */

bool is_drawn(const Value *v);
/* b is drawn, a stands for it and is not the same op: other numbers, whose distribution must be the same. */
void prove_drawn(Proof *p, const Value *b, const Value *a);

#endif

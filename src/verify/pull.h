/* pull: values on demand. Evaluates single elements of a value in double by pulling the elements of its operands that they
 * depend on, down to cut values (whose elements are seeded random numbers) and constants. A convolution output costs its
 * receptive field, not a whole feature map. */
#ifndef HONE_PULL_H
#define HONE_PULL_H

#include "ops/ops.h"

typedef struct Pull {
	Context *ctx;
	Arena *arena;             /* reset between obligations */
	Arena *lasting;           /* dims and constants, for the whole proof */
	EvalCtx oracle, native;   /* native: constant expressions of the source model, bit for bit as they would run */
	Diags quiet;
	uint64_t seed;
	int round;                /* which distribution cut values follow */
	int64_t work, work_limit; /* elements pulled in this obligation */
	const char *why;          /* why a pull failed: a static reason */
	/* The cut that v stands for: a number common to both sides, or -1 when v is to be computed. `self` is the value under
	 * proof, which is never a cut. */
	int64_t (*cut)(void *arg, const Value *v);
	/* The type to believe for v (the more precise of both sides), and its element facts if any. */
	const Type *(*type)(void *arg, const Value *v);
	const Elems *(*facts)(void *arg, const Value *v);
	bool (*symbol)(void *arg, const Sym *s, int64_t *out);
	bool (*is_index)(void *arg, const Value *v); /* an integer cut that selects elements: keep it small */
	/* A value of the other side that stands for v and is constant there: pulled from it. May be NULL. */
	const Value *(*instead)(void *arg, const Value *v);
	struct Pull *other;
	void *arg;
	Map full;                 /* value -> Tensor computed as a whole, this obligation */
	Map constants;            /* value -> Tensor, lasting */
	Map expressions;     /* Value -> Tensor: constant expressions of the source, computed natively */
	int depth;
	bool as_whole;            /* set by pull_as_whole */
	bool rounded;             /* a step of this replay rounded to a float narrower than f32 */
	bool ran;                 /* an expression of the source was computed as a run does, every step rounded */
	bool all_native;          /* round every step as a run would: for what became a constant of the result */
} Pull;

void pull_init(Pull *p, Context *c);
void pull_release(Pull *p);
void pull_reset(Pull *p, uint64_t seed, int round); /* before each obligation and round */
/* Elements idx[0..n) (flat, row-major) of v. False with p->why set when they cannot be computed. */
bool pull(Pull *p, const Value *v, const int64_t *idx, int64_t n, double *out);
/* Concrete dims of v under the symbol assignment; false with why. */
bool pull_dims(Pull *p, const Value *v, int *rank, int64_t *dims);
bool pull_no(Pull *p, const char *why); /* sets why, returns false */
/* For pull functions: this form of the op has no index map, compute it as a whole. Returns false. */
bool pull_as_whole(Pull *p);
/* All elements of a small integer operand. */
bool pull_ints(Pull *p, const Value *v, int64_t *out, int64_t max, int64_t *n);

/* pull_ops.c: one function a kind of op; NULL in the table: computed as a whole. */
typedef bool PullFn(Pull *p, const Op *op, size_t result, const int64_t *idx, int64_t n, double *out);
PullFn *pull_function(const Op *op);

/* tied.c: an integer input of m gives a size of other values, so that the sizes of inputs depend on one another. */
bool sizes_are_inputs(const Module *m, Arena *a);

#endif

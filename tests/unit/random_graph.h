/* random_graph: seeded graphs over the core ops, valid by construction. */
#ifndef HONE_TEST_RANDOM_GRAPH_H
#define HONE_TEST_RANDOM_GRAPH_H

#include "build.h"

enum { MAX_POOL = 96, MAX_IDS = 4096, MAX_OPS = 16 };

typedef struct Gen {
	Build *b;
	Rng rng;
	bool exact;              /* -O1: any value goes, results must have the same bits */
	Value *pool[MAX_POOL];
	size_t n;
	bool ran;                /* for the caller */
	bool rough[MAX_IDS];     /* by value id: may differ by rounding, so that no op with jumps may follow */
} Gen;

/* A graph of the seed with at most max_ops ops. only: the one output to keep, -1 for all. The function is complete;
 * inputs are the arguments of g->b->func. free(g) after build_free(g->b). */
Gen *random_graph(uint64_t seed, int64_t max_ops, int only);

#endif

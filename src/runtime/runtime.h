/* runtime: runs lists of steps on a pool of threads.  It knows kernels and pointers; graphs, parsers and optimisers stay
 * outside. Nothing here allocates while a run is on. */
#ifndef HONE_RUNTIME_H
#define HONE_RUNTIME_H

#include "kernels/kernels.h"

#include <stdatomic.h>

/* ---- pool.c: threads that work together on one run after the other ---- */

typedef struct Pool Pool;
/* The caller is thread 0; threads - 1 workers are started (fewer when the system refuses). threads <= 1: none. */
Pool *pool_new(int threads);
void pool_free(Pool *p);                       /* joins the workers; NULL is fine */
int pool_threads(const Pool *p);               /* 1 for NULL */
/* body(arg, t) on every thread t at once; returns when all have returned. Workers spin for a moment after a run, then sleep. */
void pool_run(Pool *p, void (*body)(void *arg, int thread), void *arg);
/* Inside of body: returns when every thread of the pool has called it. */
void pool_barrier(Pool *p, int thread);

/* ---- steps.c ---- */

typedef struct Run Run;
typedef struct Step {
	const Kernel *kernel;                  /* NULL: a call */
	bool (*call)(void *arg, Run *r);       /* what has no kernel; runs on thread 0; false stops the run */
	const void *param;                     /* of the kernel, or arg of the call */
	uint32_t ptr;                          /* its first pointer in the table of the run */
	bool parallel;                         /* tasks are shared out; else thread 0 does all */
	bool sync;                             /* a barrier stands before it */
	int64_t tasks;
	const char *name;                      /* for profiles */
} Step;

struct Run {
	const Step *steps;
	size_t nsteps;
	void **table;                          /* pointers of all steps */
	char *scratch;                         /* one area a thread */
	size_t scratch_bytes;                  /* of one area, a multiple of 64 */
	Pool *pool;                            /* NULL: the calling thread alone */
	double *profile;                       /* when not NULL: the least seconds of each step so far, by thread 0; 0: none yet */
	void *user;                            /* for calls */
	atomic_bool failed;                    /* private */
};

/* Marks the barriers that steps need. False when no step is shared out: such a list runs quickest without a pool. */
bool steps_prepare(Step *steps, size_t n);
/* False when a call failed; the steps after it did not run. */
bool steps_run(Run *r);

/* ---- memory.c: arenas of runs ---- */

/* Zeroed, 64-byte aligned, on huge pages where the system gives them. NULL when there is no memory. */
void *pages_new(size_t bytes);
void pages_free(void *p, size_t bytes);

#endif

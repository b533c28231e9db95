/* fuzz_context: one context for many inputs. Making one costs more than reading a small input; it is replaced now and then,
 * so that what an input leaves behind is checked and freed. */
#ifndef HONE_FUZZ_CONTEXT_H
#define HONE_FUZZ_CONTEXT_H

#include "format/format.h"

enum { FUZZ_RUNS = 512 }; /* inputs that share a context */

static Context *shared_context;
static int shared_runs;

/* Also after a run that ended in its middle, which can leave anything behind. */
static inline void fuzz_context_drop(void)
{
	context_free(shared_context);
	shared_context = NULL;
	shared_runs = 0;
}

/* The context for the next input, without diagnostics. */
static inline Context *fuzz_context(void)
{
	if (shared_runs == FUZZ_RUNS)
		fuzz_context_drop();
	if (!shared_context)
		shared_context = context_new();
	shared_runs++;
	diags_init(&shared_context->diags, shared_context->arena);
	return shared_context;
}

#endif

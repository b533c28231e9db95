/* fuzz_context: one context for many inputs. Making one costs more than reading a small input; it is replaced now and then,
 * so that what an input leaves behind is checked and freed. */
#ifndef HONE_FUZZ_CONTEXT_H
#define HONE_FUZZ_CONTEXT_H

#include "format/format.h"

enum { FUZZ_RUNS = 512 }; /* inputs that share a context */

/* The context for the next input, without diagnostics. */
static Context *fuzz_context(void)
{
	static Context *c;
	static int runs;
	if (runs == FUZZ_RUNS) {
		context_free(c);
		c = NULL;
		runs = 0;
	}
	if (!c)
		c = context_new();
	runs++;
	diags_init(&c->diags, c->arena);
	return c;
}

#endif

/* Times reading: `bench-readers RUNS FILE...` reads each file that often, each time with a context of its own, and prints the
 * least processor time in milliseconds of reading, the context being there, and of freeing what was read, and the number of its
 * ops. */
#include "format/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	return 1e3 * (double)clock() / CLOCKS_PER_SEC;
}

static bool count(void *arg, Op *op)
{
	(void)op;
	++*(size_t *)arg;
	return true;
}

int main(int argc, char **argv)
{
	long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	if (runs < 1) {
		fputs("usage: bench-readers RUNS FILE...\n", stderr);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		double read = 1e30, drop = 1e30;
		size_t ops = 0;
		for (long k = 0; k < runs; k++) {
			Context *c = context_new();
			double start = now();
			Module *m = model_read(c, argv[i], &(ReadOptions){ 0 });
			double done = now();
			if (!m) {
				fprintf(stderr, "%s: %s\n", argv[i], c->diags.list.len ? c->diags.list.data[0].message : "not read");
				return 3;
			}
			ops = 0;
			module_walk(m, count, &ops);
			double counted = now();
			context_free(c);
			read = done - start < read ? done - start : read;
			drop = now() - counted < drop ? now() - counted : drop;
		}
		printf("%s: %.3f ms read, %.3f ms freed, %zu ops\n", argv[i], read, drop, ops);
	}
	return 0;
}

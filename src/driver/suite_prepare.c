/* Models of stored cases made ready to run. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Module *suite_prepare(Context *c, Module *m, Arena *a)
{
	(void)c;
	return prepare_to_run(m, a) ? m : NULL;
}

/* A scratch file below TMPDIR, closed; NULL + diagnostic. */
static char *scratch_file(Context *c, Arena *a)
{
	const char *dir = getenv("TMPDIR");
	char *path = arena_printf(a, "%s/hone-suite-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkstemp(path);
	if (fd < 0) {
		diag_error(&c->diags, HONE_IO, NULL, "cannot make a temporary file %s", path);
		return NULL;
	}
	close(fd);
	return path;
}

Module *suite_prepare_optimised(Context *c, Module *m, Arena *a)
{
	OptimiseOptions o;
	OptimiseReport r;
	WriteOptions w = { 0 };
	optimise_options_init(&o);
	o.threads = 1;
	o.to_stablehlo = m->format && !strcmp(m->format->s, "stablehlo");
	if (!optimise(m, &o, a, &r) || !optimise_raise(m, &o, a, &r))
		return NULL;
	char *path = scratch_file(c, a);
	if (!path)
		return NULL;
	const char *to = m->format && !strcmp(m->format->s, "torch-onnx") ? "torch-onnx" :
		o.to_stablehlo ? "stablehlo" : "onnx";
	Module *again = model_write(m, path, to, &w) ? model_read(c, path, &(ReadOptions){ 0 }) : NULL;
	unlink(path);
	return again && prepare_to_run(again, a) ? again : NULL;
}

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

/* The model written, and read back. */
static Module *through_file(Context *c, Module *m, const char *format, Arena *a)
{
	char *path = scratch_file(c, a);
	if (!path)
		return NULL;
	Module *again = model_write(m, path, format, &(WriteOptions){ 0 }) ? model_read(c, path, &(ReadOptions){ 0 }) : NULL;
	unlink(path);
	return again;
}

Module *suite_prepare_optimised(Context *c, Module *m, Arena *a)
{
	OptimiseOptions o;
	OptimiseReport r;
	optimise_options_init(&o);
	o.threads = 1;
	o.to_stablehlo = m->format && !strcmp(m->format->s, "stablehlo");
	if (!optimise(m, &o, a, &r) || !optimise_raise(m, &o, a, &r))
		return NULL;
	const char *to = m->format && !strcmp(m->format->s, "torch-onnx") ? "torch-onnx" :
		o.to_stablehlo ? "stablehlo" : "onnx";
	Module *again = through_file(c, m, to, a);
	return again && prepare_to_run(again, a) ? again : NULL;
}

Module *suite_prepare_bytecode(Context *c, Module *m, Arena *a)
{
	Module *again = make_portable(m, a) ? through_file(c, m, "mlirbc", a) : NULL;
	return again && prepare_to_run(again, a) ? again : NULL;
}

Module *suite_prepare_converted(Context *c, Module *m, Arena *a)
{
	int64_t opset = onnx_opset(m, NULL);
	if (opset < 1) /* operators of other domains only */
		return prepare_to_run(m, a) ? m : NULL;
	Module *newest = convert_opset(m, ONNX_NEWEST, a) ? through_file(c, m, "onnx", a) : NULL;
	Module *again = newest && convert_opset(newest, opset, a) ? through_file(c, newest, "onnx", a) : NULL;
	return again && prepare_to_run(again, a) ? again : NULL;
}

Module *suite_prepare_compiled(Context *c, Module *m, Arena *a)
{
	OptimiseOptions o;
	OptimiseReport r;
	(void)c;
	optimise_options_init(&o);
	o.threads = 1;
	o.verify = false;
	o.rewrite.planned = true;
	o.freeze_inputs = true;
	return optimise(m, &o, a, &r) ? m : NULL;
}

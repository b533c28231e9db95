/* The main job on arbitrary models: read, optimise with the proof, raise, write, read back. A model that cannot be handled
 * gives a diagnostic; a proof that fails, or a result that does not read back, is a finding. */
#include "driver/driver.h"
#include "fuzz_context.h"
#include "onnx_mutator.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The last stage that was passed tells where a model went. */
typedef enum Stage { READ, OPTIMISED, RAISED, WRITTEN } Stage;

static MappedFile *copy_of(const char *name, const uint8_t *data, size_t size)
{
	uint8_t *copy = mem_alloc(size ? size : 1); /* constants point into it until the context goes */
	if (size)
		memcpy(copy, data, size);
	return file_of_bytes(name, copy, size);
}

static void read_back(Context *c, const Buf *out)
{
	MappedFile *written = copy_of("again", (const uint8_t *)out->data, out->len);
	Module *again = onnx_read(c, written, NULL);
	if (!again)
		BUG("the result cannot be read: %s", c->diags.list.data[c->diags.list.len - 1].message);
	CHECK(module_verify(again, &c->diags));
	file_unref(written);
}

static Stage main_job(Context *c, Arena *a, MappedFile *f, Buf *out)
{
	OptimiseOptions o;
	OptimiseReport r;
	Module *m = onnx_read(c, f, NULL);
	if (!m)
		return READ;
	CHECK(module_verify(m, &c->diags));
	optimise_options_init(&o);
	o.threads = 1;
	o.verify_seconds = 0.5;
	o.verify_structure = true;
	if (!optimise(m, &o, a, &r))
		return READ;
	if (!optimise_raise(m, &o, a, &r))
		return OPTIMISED;
	CHECK(module_verify(m, &c->diags));
	if (!onnx_write_memory(m, out))
		return RAISED;
	read_back(c, out);
	return WRITTEN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = fuzz_context();
	Arena *a = arena_new();
	Buf out = { 0 };
	MappedFile *f = copy_of("fuzz", data, size);
	MemGuard guard;
	mem_guard_push(&guard);
	if (!setjmp(guard.env)) {
		Stage reached = main_job(c, a, f, &out);
		HoneStatus status = c->diags.status;
		CHECK(reached == WRITTEN || (status != HONE_OK && status != HONE_VERIFY_FAILED && status != HONE_INTERNAL));
		mem_guard_pop(&guard);
		while (c->modules)
			module_free(c->modules);
	} else {
		fuzz_context_drop();
	}
	file_unref(f);
	arena_free(a);
	buf_free(&out);
	return 0;
}

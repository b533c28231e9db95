/* The main job on arbitrary models: read, optimise with the proof, raise, write, read back. A model that cannot be handled
 * gives a diagnostic; a proof that fails, or a result that does not read back, is a finding. */
#include "driver/driver.h"
#include "onnx_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The last stage that was passed tells where a model went. */
typedef enum Stage { READ, OPTIMISED, RAISED, WRITTEN } Stage;

/* out, written: the result, which the context's constants may point to. */
static Stage main_job(Context *c, Arena *a, MappedFile *f, Buf *out, MappedFile *written)
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
	*written = (MappedFile){ .path = "again", .fd = -1, .data = (const uint8_t *)out->data, .len = out->len, .refs = 1 };
	Module *again = onnx_read(c, written, NULL);
	if (!again)
		BUG("the result cannot be read: %s", c->diags.list.data[c->diags.list.len - 1].message);
	CHECK(module_verify(again, &c->diags));
	return WRITTEN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = context_new();
	Arena *a = arena_new();
	Buf out = { 0 };
	MappedFile written, f = { .path = "fuzz", .fd = -1, .data = data, .len = size, .refs = 1 };
	MemGuard guard;
	mem_guard_push(&guard);
	if (!setjmp(guard.env)) {
		Stage reached = main_job(c, a, &f, &out, &written);
		HoneStatus status = c->diags.status;
		CHECK(reached == WRITTEN || (status != HONE_OK && status != HONE_VERIFY_FAILED && status != HONE_INTERNAL));
		mem_guard_pop(&guard);
	}
	arena_free(a);
	context_free(c);
	buf_free(&out);
	return 0;
}

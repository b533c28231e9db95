/* ONNX files: what the reader accepts passes the verifier, can be written, and reads back with the same ops. */
#include "onnx_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count_op(void *arg, Op *op)
{
	void **slot = map_slot(arg, MAP_PTR(op->def));
	*slot = (void *)((uintptr_t)*slot + 1);
	return true;
}

/* Ops by kind; constants that nobody uses and that have no name are not written. */
static void histogram(Module *m, Map *out, Arena *a)
{
	map_init(out, a);
	CHECK(module_walk(m, count_op, out));
}

/* The writer adds Identity ops where names of outputs ask for them; everything else is as it was. */
static void compare(Context *c, Module *a, Module *b)
{
	Arena *arena = arena_new();
	Map ha, hb;
	const OpDef *identity = op_def_onnx(c, NULL, str(c, "Identity"));
	histogram(a, &ha, arena);
	histogram(b, &hb, arena);
	for (uint32_t i = 0; i < ha.len; i++) {
		uintptr_t na = (uintptr_t)ha.entries[i].value, nb = (uintptr_t)map_get(&hb, ha.entries[i].key);
		CHECK(na == nb || (ha.entries[i].key == MAP_PTR(identity) && nb > na));
	}
	for (uint32_t i = 0; i < hb.len; i++)
		CHECK(map_has(&ha, hb.entries[i].key) || hb.entries[i].key == MAP_PTR(identity));
	CHECK(a->main->body->nargs == b->main->body->nargs);
	CHECK(a->main->body->last->noperands == b->main->body->last->noperands);
	arena_free(arena);
}

#ifdef FUZZ_READ_ONLY
/* The reader alone, with a context for many runs: ten times as many executions. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { RUNS = 256 };
	static Context *shared;
	static MappedFile files[RUNS]; /* weights keep theirs until the context goes */
	static int runs;
	if (!shared || ++runs == RUNS) {
		context_free(shared);
		shared = context_new();
		runs = 0;
	}
	files[runs] = (MappedFile){ .path = "fuzz", .fd = -1, .data = data, .len = size, .refs = 1 };
	Module *m = onnx_read(shared, &files[runs], NULL);
	CHECK(m ? module_verify(m, &shared->diags) : shared->diags.status != HONE_OK);
	module_free(m);
	diags_init(&shared->diags, shared->arena);
	return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = context_new();
	MappedFile f = { .path = "fuzz", .fd = -1, .data = data, .len = size, .refs = 1 };
	Module *m = onnx_read(c, &f, NULL);
	if (!m) {
		CHECK(c->diags.status != HONE_OK);
		context_free(c);
		return 0;
	}
	CHECK(module_verify(m, &c->diags));
	Buf out = { 0 };
	CHECK(onnx_write_memory(m, &out));
	MappedFile g = { .path = "again", .fd = -1, .data = (const uint8_t *)out.data, .len = out.len, .refs = 1 };
	Module *again = onnx_read(c, &g, NULL);
	CHECK(again && module_verify(again, &c->diags));
	compare(c, m, again);
	module_free(m);
	module_free(again);
	context_free(c);
	buf_free(&out);
	return 0;
}
#endif

/* MLIR bytecode from arbitrary bytes: an error with a diagnostic, or a module that passes the verifier, can be printed, and
 * that is the same after it was written and read again, unless it has no portable form. */
#include "fuzz_context.h"
#include "mlirbc_mutator.h"
#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(Module *m, Arena *a)
{
	Buf out = { 0 }, again = { 0 };
	Diags quiet;
	const char *why = "";
	diags_init(&quiet, a);
	if (!mlirbc_encode(m, &out, &(WriteOptions){ 0 }, &quiet)) {
		CHECK(quiet.status != HONE_OK);
		buf_free(&out);
		return;
	}
	MappedFile *f = file_of_bytes("again.mlir.bc", out.data, out.len);
	Module *back = mlirbc_read(m->ctx, f, &(ReadOptions){ 0 });
	CHECK(back != NULL);
	if (!modules_alike(m, back, a, &why)) {
		fprintf(stderr, "%s\n", why);
		abort();
	}
	CHECK(mlirbc_encode(back, &again, &(WriteOptions){ 0 }, &quiet));
	CHECK(again.len == f->len && !memcmp(again.data, f->data, f->len));
	module_free(back);
	file_unref(f);
	buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = fuzz_context();
	uint8_t *copy = mem_alloc(size ? size : 1); /* blobs point into it until the context goes */
	if (size)
		memcpy(copy, data, size);
	MappedFile *f = file_of_bytes("fuzz.mlir.bc", copy, size);
	Module *m = mlirbc_read(c, f, &(ReadOptions){ .data_dir = NULL });
	if (m == NULL) {
		CHECK(c->diags.status != HONE_OK);
	} else {
		Arena *a = arena_new();
		Buf text = { 0 };
		CHECK(module_verify(m, &c->diags));
		mlir_print(m, &text, &(WriteOptions){ 0 });
		buf_free(&text);
		write_and_read(m, a);
		module_free(m);
		arena_free(a);
	}
	file_unref(f);
	return 0;
}

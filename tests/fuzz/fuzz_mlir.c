/* The text form on arbitrary bytes: an error with a position, or a module that passes the verifier, whose printed form reads
 * back to the same text, whose generic form reads back to the same module, and whose bytecode, if it has one, does too. */
#include "fuzz_context.h"
#include "mlir_mutator.h"
#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same_text(Module *m, bool locations)
{
	WriteOptions o = { .locations = locations };
	Buf first = { 0 }, second = { 0 };
	mlir_print(m, &first, &o);
	Module *back = mlir_parse(m->ctx, "again.mlir", (Bytes){ (const uint8_t *)first.data, first.len });
	CHECK(back != NULL);
	mlir_print(back, &second, &o);
	CHECK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	buf_free(&first);
	buf_free(&second);
	module_free(back);
}

static void same_module(Module *m, bool bytecode)
{
	Buf b = { 0 };
	Diags quiet;
	Arena *a = arena_new();
	Module *back = NULL;
	const char *why = "";
	diags_init(&quiet, a);
	if (!bytecode) {
		mlir_print(m, &b, &(WriteOptions){ .generic = true });
		back = mlir_parse(m->ctx, "generic.mlir", (Bytes){ (const uint8_t *)b.data, b.len });
		CHECK(back != NULL);
		buf_free(&b);
	} else if (mlirbc_encode(m, &b, &(WriteOptions){ 0 }, &quiet)) {
		MappedFile *f = file_of_bytes("fuzz.mlir.bc", b.data, b.len);
		back = mlirbc_read(m->ctx, f, &(ReadOptions){ 0 });
		CHECK(back != NULL);
		file_unref(f);
	} else {
		CHECK(quiet.status != HONE_OK);
		buf_free(&b);
	}
	if (back && !modules_alike(m, back, a, &why)) {
		fprintf(stderr, "%s: %s\n", bytecode ? "bytecode" : "generic form", why);
		abort();
	}
	if (back)
		module_free(back);
	arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = fuzz_context();
	Module *m = mlir_parse(c, "fuzz.mlir", (Bytes){ data, size });
	if (m == NULL) {
		CHECK(c->diags.status != HONE_OK && c->diags.list.data[0].loc.line > 0);
		return 0;
	}
	CHECK(module_verify(m, &c->diags));
	same_text(m, size % 2 == 1);
	same_module(m, false);
	same_module(m, true);
	module_free(m);
	return 0;
}

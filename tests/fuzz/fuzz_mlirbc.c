/* MLIR bytecode from arbitrary bytes: an error with a diagnostic, or a module that passes the verifier and that can be
 * printed. */
#include "format/format.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = context_new();
	MappedFile f = { .path = "fuzz.mlir.bc", .fd = -1, .data = data, .len = size, .refs = 1 };
	Module *m = mlirbc_read(c, &f, &(ReadOptions){ .data_dir = NULL });
	if (m == NULL) {
		CHECK(c->diags.status != HONE_OK);
	} else {
		Buf text = { 0 };
		CHECK(module_verify(m, &c->diags));
		mlir_print(m, &text, &(WriteOptions){ 0 });
		buf_free(&text);
		module_free(m);
	}
	context_free(c);
	return 0;
}

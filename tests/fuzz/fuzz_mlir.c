/* The text form on arbitrary bytes: an error with a position, or a module that passes the verifier and whose printed form
 * reads back to the same text. */
#include "format/format.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = context_new();
	WriteOptions o = {.locations = size % 2 == 1};
	Module *m = mlir_parse(c, "fuzz.mlir", (Bytes){data, size});
	if (m == NULL) {
		CHECK(c->diags.status != HONE_OK && c->diags.list.data[0].loc.line > 0);
		context_free(c);
		return 0;
	}
	CHECK(module_verify(m, &c->diags));
	Buf first = {0}, second = {0};
	mlir_print(m, &first, &o);
	Module *back = mlir_parse(c, "again.mlir", (Bytes){(const uint8_t *)first.data, first.len});
	CHECK(back != NULL);
	mlir_print(back, &second, &o);
	CHECK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	buf_free(&first);
	buf_free(&second);
	module_free(back);
	module_free(m);
	context_free(c);
	return 0;
}

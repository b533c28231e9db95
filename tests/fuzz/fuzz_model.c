/* A model of any format, read from arbitrary bytes: an error with a diagnostic, or a module that passes the verifier and
 * that every writer can print. */
#include "format/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = context_new();
	MappedFile f = {.path = "fuzz", .fd = -1, .data = data, .len = size, .refs = 1};
	size_t nformats;
	const Format *formats = format_table(&nformats);
	for (size_t i = 0; i < nformats; i++) {
		c->diags.list.len = 0;
		c->diags.status = HONE_OK;
		Module *m = formats[i].read(c, &f, &(ReadOptions){.data_dir = NULL});
		if (m == NULL) {
			CHECK(c->diags.status != HONE_OK);
			continue;
		}
		CHECK(module_verify(m, &c->diags));
		Buf text = {0};
		mlir_print(m, &text, &(WriteOptions){0});
		buf_free(&text);
		module_free(m);
	}
	context_free(c);
	return 0;
}

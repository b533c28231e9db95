/* FlatBuffers of jax.export on arbitrary bytes: a diagnostic, or a tree that is written, and read back to the same bytes. */
#include "format/bundle/bundle.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena *a = arena_new();
	Diags d;
	diags_init(&d, a);
	(void)exported_sniff((Bytes){data, size}, "fuzz");
	FlatTable *t = flat_read((Bytes){data, size}, EXPORTED_SCHEMA, "fuzz", a, &d);
	if (t) {
		Buf once = {0}, twice = {0};
		CHECK(flat_write(t, &once));
		FlatTable *again = flat_read((Bytes){(const uint8_t *)once.data, once.len}, EXPORTED_SCHEMA, "again", a, &d);
		CHECK(again && flat_write(again, &twice));
		CHECK(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
		buf_free(&once);
		buf_free(&twice);
	} else {
		CHECK(d.status != HONE_OK);
	}
	arena_free(a);
	return 0;
}

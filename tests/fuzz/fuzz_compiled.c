/* A compiled model from arbitrary bytes, the checksum made right: an error with a diagnostic, or a module that passes the
 * verifier and that is written again. */
#include "format/compiled/compiled.h"
#include "fuzz_context.h"

#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t number(const uint8_t *p, int n)
{
	uint64_t v = 0;
	for (int i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static void make_right(uint8_t *p, size_t size)
{
	if (size < COMPILED_HEADER)
		return;
	uint64_t at = number(p + 16, 8), len = number(p + 24, 8);
	memcpy(p, COMPILED_MAGIC, sizeof(COMPILED_MAGIC));
	memcpy(p + 8, (const uint8_t[]){ COMPILED_VERSION, 0, 0, 0 }, 4);
	if (at > size || len > size - at)
		return;
	uint32_t crc = (uint32_t)crc32_z(0, p + at, (size_t)len);
	for (int i = 0; i < 4; i++)
		p[12 + i] = (uint8_t)(crc >> (8 * i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = fuzz_context();
	uint8_t *copy = mem_alloc(size ? size : 1); /* blobs point into it until the context goes */
	if (size)
		memcpy(copy, data, size);
	make_right(copy, size);
	MappedFile *f = file_of_bytes("fuzz.hone", copy, size);
	Module *m = compiled_read(c, f, &(ReadOptions){ 0 });
	if (m == NULL) {
		CHECK(c->diags.status != HONE_OK);
	} else {
		CHECK(m->compiled && m->main);
		module_free(m);
	}
	file_unref(f);
	return 0;
}

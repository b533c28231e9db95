/* The reader of safetensors on arbitrary bytes: a diagnostic, or tensors whose every byte can be read. */
#include "fuzz_context.h"
#include "format/tensor/tensor_int.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = fuzz_context();
	Arena *a = arena_new();
	uint8_t *copy = mem_alloc(size); /* tensors point into it until the context goes */
	if (size)
		memcpy(copy, data, size);
	MappedFile *f = file_of_bytes("fuzz.safetensors", copy, size);
	NamedAttr *list;
	size_t n;
	volatile uint8_t sum = 0;
	(void)safetensors_sniff((Bytes){data, size});
	if (safetensors_read(c, f, a, &list, &n))
		for (size_t i = 0; i < n; i++) {
			const Blob *b = list[i].value->u.tensor.blob;
			for (size_t k = 0; k < b->len; k++)
				sum = (uint8_t)(sum + ((const uint8_t *)b->data)[k]);
		}
	arena_free(a);
	file_unref(f);
	return 0;
}

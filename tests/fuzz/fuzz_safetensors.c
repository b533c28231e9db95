/* The reader of safetensors on arbitrary bytes: a diagnostic, or tensors whose every byte can be read. */
#include "format/tensor/tensor_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = context_new();
	MappedFile f = {.path = "fuzz.safetensors", .fd = -1, .data = data, .len = size, .refs = 1};
	NamedAttr *list;
	size_t n;
	volatile uint8_t sum = 0;
	(void)safetensors_sniff((Bytes){data, size});
	if (safetensors_read(c, &f, c->arena, &list, &n))
		for (size_t i = 0; i < n; i++) {
			const Blob *b = list[i].value->u.tensor.blob;
			for (size_t k = 0; k < b->len; k++)
				sum = (uint8_t)(sum + ((const uint8_t *)b->data)[k]);
		}
	context_free(c);
	return 0;
}

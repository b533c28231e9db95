/* .npy and .npz readers on arbitrary bytes. */
#include "fuzz_context.h"
#include "format/tensor/tensor_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = fuzz_context();
	EvalCtx e;
	eval_init(&e, c, &c->diags);
	e.max_bytes = 64 << 20;
	tensor_unref(npy_parse(&e, (Bytes){data, size}, "fuzz.npy"));
	MappedFile f = {.path = "fuzz.npz", .fd = -1, .data = data, .len = size, .refs = 1};
	NamedTensor *all;
	size_t n;
	if (npz_read(&e, &f, c->arena, &all, &n))
		for (size_t i = 0; i < n; i++)
			tensor_unref(all[i].tensor);
	eval_release(&e);
	return 0;
}

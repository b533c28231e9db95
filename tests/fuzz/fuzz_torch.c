/* torch-onnx text: an error with a position, or a module that passes the verifier; what the writer makes of it reads back, and
 * is written alike from then on (the first time, functions are inlined and constants move to the front). */
#include "fuzz_context.h"
#include "text_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = fuzz_context();
	WriteOptions o = { .locations = size % 2 == 1, .plain = size % 4 < 2, .no_infer = true };
	Module *m = mlir_parse(c, "fuzz.mlir", (Bytes){ data, size });
	if (!m) {
		CHECK(c->diags.status != HONE_OK && c->diags.list.data[0].loc.line > 0);
		return 0;
	}
	CHECK(module_verify(m, &c->diags));
	Buf text[3] = { { 0 } };
	Module *now = m;
	for (int i = 0; i < 3; i++) {
		if (!torch_onnx_print(now, &text[i], &o)) {
			CHECK(i == 0 && c->diags.status != HONE_OK); /* no form for it */
			break;
		}
		CHECK(i < 2 || (text[1].len == text[2].len && !memcmp(text[1].data, text[2].data, text[1].len)));
		Module *next = i < 2 ? mlir_parse(c, "again.mlir", (Bytes){ (const uint8_t *)text[i].data, text[i].len }) : NULL;
		CHECK(next || i == 2);
		if (now != m)
			module_free(now);
		now = next;
	}
	if (now && now != m)
		module_free(now);
	for (int i = 0; i < 3; i++)
		buf_free(&text[i]);
	module_free(m);
	return 0;
}

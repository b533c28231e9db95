/* Metadata of torch_xla on arbitrary bytes, against a function of three arguments: a diagnostic, or a module that holds. */
#include "fuzz_context.h"
#include "format/bundle/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const float zeros[6];

/* Every file has six zeros. */
static const Attr *six_zeros(void *arg, const char *folder, const char *name)
{
	Context *c = *(Context *const *)arg; /* the first member of what the reader passes */
	(void)folder;
	return *name ? attr_tensor(c, type_tensor_of(c, DT_F32, 1, (int64_t[]){6}), blob_borrowed(c, zeros, sizeof(zeros))) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Context *c = fuzz_context();
	Module *m = module_new(c);
	m->format = str(c, "stablehlo");
	m->main = func_new(m, str(c, "main"));
	const Type *t = type_tensor_of(c, DT_F32, 1, (int64_t[]){6});
	Value *args[3];
	for (int i = 0; i < 3; i++)
		args[i] = block_add_arg(m->main->body, t, str_fmt(c, "arg%d", i));
	OpSpec ret = {.def = op_def(c, OP_return), .operands = args, .noperands = 3};
	op_new(m->main->body, NULL, &ret);
	(void)torch_xla_sniff((Bytes){data, size}, "fuzz");
	if (torch_xla_bind(m, (Bytes){data, size}, "fuzz.meta", six_zeros))
		CHECK(module_verify(m, &c->diags));
	module_free(m);
	return 0;
}

/* Inputs for the light models of the ONNX backend tests, which store outputs only: element i of an input of n elements
 * is i/n in float32 (onnx/backend/test/runner, generate_dummy_data); an open dimension counts as 1.
 * usage: light_data MODEL DIR   writes DIR/input_K.pb */
#include "format/format.h"

#include <stdio.h>

static bool write_input(EvalCtx *e, const Value *v, const char *path)
{
	int64_t dims[MAX_RANK];
	if (!type_has_rank(v->type) || v->type->dtype != DT_F32 || v->type->rank > MAX_RANK)
		return diag_error(e->diags, HONE_UNSUPPORTED, NULL, "%s: input is no float tensor of known rank", path);
	for (int i = 0; i < v->type->rank; i++)
		if (!sym_const(v->type->dims[i], &dims[i]))
			dims[i] = 1;
	Tensor *t = tensor_new(e, DT_F32, v->type->rank, dims);
	if (t == NULL)
		return false;
	for (int64_t i = 0; i < t->count; i++)
		tensor_set_f64(t, i, (double)i / (double)t->count);
	bool ok = onnx_tensor_write(t, v->name != NULL ? v->name->s : "", path, e->diags);
	tensor_unref(t);
	return ok;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: light_data MODEL DIR\n");
		return HONE_USAGE;
	}
	Context *c = context_new();
	EvalCtx e;
	eval_init(&e, c, &c->diags);
	Module *m = model_read(c, argv[1], &(ReadOptions){0});
	bool ok = m != NULL;
	int k = 0;
	for (uint32_t i = 0; ok && i < m->main->body->nargs; i++) {
		if (m->main->arg_default != NULL && m->main->arg_default[i] != NULL)
			continue;
		ok = write_input(&e, m->main->body->args[i], arena_printf(c->arena, "%s/input_%d.pb", argv[2], k++));
	}
	Buf text = {0};
	for (size_t i = 0; i < c->diags.list.len; i++)
		diag_format(&c->diags.list.data[i], &text);
	if (text.len > 0)
		fputs(text.data, stderr);
	buf_free(&text);
	int status = ok ? 0 : (int)c->diags.status;
	eval_release(&e);
	module_free(m);
	context_free(c);
	return status;
}

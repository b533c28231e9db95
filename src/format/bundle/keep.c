/* Any format with its weights beside it: arguments of main in the model, tensors of the same names in PATH.safetensors.
 * --weights binds them again. */
#include "format/bundle/bundle.h"

bool write_with_arguments(Module *m, const char *path, const Format *f, const WriteOptions *o)
{
	Context *c = m->ctx;
	Arena *a = arena_new();
	Module *copy = module_clone(m, NULL);
	const Attr **values;
	NamedAttr *list = NULL;
	size_t n = 0;
	bool ok = (copy->main && f->write) ||
		diag_error(&c->diags, HONE_UNSUPPORTED, NULL, "weights of %s cannot be written beside it", f->name);
	if (ok) {
		lift_weights(copy, NULL, 0, NULL, a, &values);
		list = NEW_ARRAY(a, NamedAttr, copy->main->body->nargs + 1u);
		for (uint32_t i = 0; i < copy->main->body->nargs; i++)
			if (values[i])
				list[n++] = (NamedAttr){copy->main->body->args[i]->name, values[i]};
		ok = safetensors_write(list, n, arena_printf(a, "%s.safetensors", path), &c->diags) && f->write(copy, path, o);
	}
	module_free(copy);
	arena_free(a);
	return ok;
}

#include "mlirbc.h"

#include <string.h>

static const char *format_of(const BcReader *r)
{
	for (size_t i = 0; i < r->ndialects; i++)
		if (r->dialects[i].kind == D_VHLO || r->dialects[i].kind == D_SHLO || r->dialects[i].kind == D_CHLO)
			return "stablehlo";
	return "mlir";
}

Module *mlirbc_read(Context *c, MappedFile *f, const ReadOptions *o)
{
	BcReader r = { .c = c, .d = &c->diags, .file = f, .options = o, .scratch = arena_new() };
	r.max_ops = o && o->max_nodes > 0 ? o->max_nodes : 5000000;
	r.last_wide = f->len >= sizeof(uint64_t) ? f->data + f->len - sizeof(uint64_t) : NULL;
	r.m = module_new(c);
	r.m->path = arena_strdup(r.m->arena, f->path);
	map_init(&r.funcs, r.scratch);
	map_init(&r.signatures, r.scratch);
	map_init(&r.known, r.scratch);
	bool ok = container_read(&r) && ir_read(&r);
	if (ok) {
		r.m->format = str(c, format_of(&r));
		r.m->main = module_default_main(r.m);
		r.m->sound_at = r.nsound == r.m->next_op ? r.m->edits : 0;
	}
	arena_free(r.scratch);
	if (!ok) {
		module_free(r.m);
		return NULL;
	}
	return r.m;
}

int mlirbc_sniff(Bytes head, const char *path)
{
	(void)path;
	return head.len >= 4 && !memcmp(head.data, "ML\xefR", 4) ? 100 : 0;
}

/* Whether a module is the same after it was written and read. */
#include "verify/verify.h"

#include <string.h>

/* ---- written and read ---- */

static bool lost(Module *m, const char *form, const char *why)
{
	return diag_error(&m->ctx->diags, HONE_NO, NULL, "written as %s and read again it is another module: %s", form, why);
}

static bool same_from_text(Module *m, Arena *a, bool generic)
{
	const WriteOptions o = { .generic = generic };
	const char *form = generic ? "generic text" : "text", *why = NULL;
	Buf first = { 0 }, second = { 0 };
	mlir_print(m, &first, &o);
	Module *back = mlir_parse(m->ctx, form, (Bytes){ (const uint8_t *)first.data, first.len });
	bool ok = back != NULL;
	if (ok && !modules_alike(m, back, a, &why))
		ok = lost(m, form, why);
	if (ok) {
		mlir_print(back, &second, &o);
		ok = (first.len == second.len && !memcmp(first.data, second.data, first.len)) ||
			lost(m, form, "the texts are not the same");
	}
	buf_free(&first);
	buf_free(&second);
	return ok;
}

/* A module that the version has no form for is fine; *written counts those that have one. */
static bool same_from_bytecode(Module *m, Arena *a, const char *version, int *written)
{
	Buf b = { 0 };
	Diags quiet;
	const char *why = NULL;
	diags_init(&quiet, a);
	if (!mlirbc_encode(m, &b, &(WriteOptions){ .stablehlo_version = version }, &quiet)) {
		buf_free(&b);
		return quiet.status == HONE_UNSUPPORTED || lost(m, "bytecode", "it cannot be written");
	}
	++*written;
	MappedFile *f = file_of_bytes("bytecode", b.data, b.len);
	Module *back = mlirbc_read(m->ctx, f, &(ReadOptions){ 0 });
	file_unref(f);
	if (!back)
		return false;
	return modules_alike(m, back, a, &why) || lost(m, arena_printf(a, "bytecode of %s", version ? version : "the lowest version"),
		why);
}

bool module_survives(Module *m, Arena *a)
{
	static const char *const versions[] = { NULL, "0.9.0", "0.13.0", "1.0.0", "1.4.0", "1.8.0", "1.16.0", "1.20.0" };
	int written = 0;
	if (!same_from_text(m, a, false) || !same_from_text(m, a, true))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(versions); i++)
		if (!same_from_bytecode(m, a, versions[i], &written))
			return false;
	return true;
}

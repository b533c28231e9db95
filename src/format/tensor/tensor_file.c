/* Any file that holds one tensor, told apart by its first bytes. */
#include "format/tensor/tensor_int.h"

#include <string.h>

static bool starts_with(const MappedFile *f, const char *magic, size_t n)
{
	return f->len >= n && memcmp(f->data, magic, n) == 0;
}

static bool has_extension(const char *path, const char *extension)
{
	size_t n = strlen(path), k = strlen(extension);
	return n >= k && strcmp(path + n - k, extension) == 0;
}

/* The only tensor of an archive. */
static Tensor *read_single(EvalCtx *e, MappedFile *f, const Str **name)
{
	Arena *a = arena_new();
	NamedTensor *all;
	size_t n;
	Tensor *t = NULL;
	if (npz_read(e, f, a, &all, &n)) {
		if (n == 1) {
			*name = all[0].name;
			t = all[0].tensor;
		} else {
			Loc loc = {.file = f->path, .offset = -1};
			diag_error(e->diags, HONE_BAD_INPUT, &loc, "npz: %zu tensors in the archive; expected one", n);
			for (size_t i = 0; i < n; i++)
				tensor_unref(all[i].tensor);
		}
	}
	arena_free(a);
	return t;
}

Tensor *tensor_read(EvalCtx *e, const char *path, const Str **name)
{
	const Str *own_name = NULL;
	MappedFile *f = file_map(path, e->diags);
	if (f == NULL)
		return NULL;
	Tensor *t;
	if (starts_with(f, "\x93NUMPY", 6) || has_extension(path, ".npy"))
		t = npy_read(e, f);
	else if (starts_with(f, "PK\3\4", 4) || starts_with(f, "PK\5\6", 4) || has_extension(path, ".npz"))
		t = read_single(e, f, &own_name);
	else
		t = onnx_tensor_read(e, f, &own_name);
	file_unref(f);
	if (name != NULL)
		*name = own_name;
	return t;
}

bool tensor_write(const Tensor *t, const char *name, const char *path, Diags *d)
{
	if (has_extension(path, ".pb"))
		return onnx_tensor_write(t, name, path, d);
	if (!has_extension(path, ".npz"))
		return npy_write(t, path, d);
	NamedTensor one = {str(t->owner->ctx, name != NULL ? name : "arr_0"), (Tensor *)(uintptr_t)t};
	return npz_write(&one, 1, path, d);
}

/* Weights by name: every tensor of a .npy, .npz or .safetensors file, or of a folder of such files.
 * What is already in the order and form that the IR has (little-endian, row-major, not packed) stays in the mapped file;
 * other data is converted once. Nothing is unpickled, and nothing outside a folder that was named is opened. */
#include "format/tensor/tensor_int.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDER_DEPTH = 8, SPLAT_STEP = 4096 };

const Attr *mapped_tensor(Context *c, MappedFile *f, size_t offset, DType dtype, int rank, const int64_t *dims)
{
	int64_t count = 0;
	size_t bytes = 0;
	dims_count(dims, rank, &count); /* the caller checked both */
	dtype_packed_bytes(dtype, count, &bytes);
	return attr_tensor(c, type_tensor_of(c, dtype, rank, dims), blob_mapped(c, f, offset, bytes));
}

/* Through the evaluator's tensor: swapped, reordered or normalised elements. */
static const Attr *converted(Context *c, Bytes b, const char *file)
{
	EvalCtx e;
	eval_init(&e, c, &c->diags);
	Tensor *t = npy_parse(&e, b, file);
	const Attr *a = t ? tensor_to_attr(c, t) : NULL;
	tensor_unref(t);
	eval_release(&e);
	return a;
}

/* Bytes other than 0 and 1 are no booleans of the IR. */
static bool plain_bools(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] > 1)
			return false;
	return true;
}

/* The .npy file in bytes b; `part` when they lie in the mapped file f. */
static const Attr *npy_tensor(Context *c, MappedFile *f, Bytes b, const char *label, bool part)
{
	NpyHeader h;
	Loc loc = {.file = label, .offset = -1};
	int64_t count, need;
	if (!npy_header_parse(b, label, &h, &c->diags))
		return NULL;
	if (!dims_count(h.dims, h.rank, &count) || !mul_ok(count, (int64_t)dtype_size(h.dtype), &need)) {
		diag_error(&c->diags, HONE_BAD_INPUT, &loc, "npy: the number of elements overflows");
		return NULL;
	}
	if ((uint64_t)need != b.len - h.data_offset) {
		diag_error(&c->diags, HONE_BAD_INPUT, &loc, "npy: data needs %lld bytes, %zu present", (long long)need,
			b.len - h.data_offset);
		return NULL;
	}
	bool plain = part && (!h.big_endian || dtype_size(h.dtype) == 1) && (!h.fortran_order || h.rank <= 1) &&
		(h.dtype != DT_BOOL || plain_bools(b.data + h.data_offset, (size_t)need));
	if (!plain)
		return converted(c, b, label);
	return mapped_tensor(c, f, (size_t)(b.data - f->data) + h.data_offset, h.dtype, h.rank, h.dims);
}

const Attr *npy_read_attr(Context *c, MappedFile *f)
{
	return npy_tensor(c, f, (Bytes){f->data, f->len}, str(c, f->path)->s, true);
}

/* ---- archives ---- */

static const Attr *npz_tensor(Context *c, MappedFile *f, const ZipEntry *e, const char *label)
{
	if (!e->deflated)
		return zip_check_crc(e, e->packed.data, label, &c->diags) ? npy_tensor(c, f, e->packed, label, true) : NULL;
	Blob *scratch = blob_heap(c, mem_alloc(e->size > 0 ? e->size : 1), e->size);
	const Attr *a = NULL;
	if (zip_inflate(e, (uint8_t *)(uintptr_t)scratch->data, label, &c->diags)) /* not shared yet */
		a = npy_tensor(c, f, (Bytes){scratch->data, e->size}, label, false);
	blob_unref(scratch);
	return a;
}

bool npz_read_attrs(Context *c, MappedFile *f, Arena *a, NamedAttr **out, size_t *n)
{
	ZipEntry *entries;
	size_t nentries;
	const char *path = str(c, f->path)->s;
	if (!zip_entries(c, a, (Bytes){f->data, f->len}, path, &entries, &nentries, &c->diags))
		return false;
	*out = NEW_ARRAY(a, NamedAttr, nentries + 1);
	*n = 0;
	for (size_t i = 0; i < nentries; i++) {
		const Str *name = entries[i].name;
		if (name->len <= 4 || strcmp(name->s + name->len - 4, ".npy") != 0)
			continue;
		const Attr *t = npz_tensor(c, f, &entries[i], str_fmt(c, "%s:%s", path, name->s)->s);
		if (!t)
			return false;
		(*out)[(*n)++] = (NamedAttr){str_n(c, name->s, name->len - 4), t};
	}
	return true;
}

/* ---- folders ---- */

typedef struct Folder {
	Context *c;
	Arena *arena;
	const char *root;
	VEC(NamedAttr) list;
} Folder;

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n > k && strcmp(s + n - k, end) == 0;
}

static bool take_all(Folder *w, const NamedAttr *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(w->arena, &w->list, list[i]);
	return true;
}

/* A file of the folder. Its name is that of a tensor when it is a .npy file by its bytes, with or without the extension;
 * archives give their own names; other files are none of ours. */
static bool take_file(Folder *w, const char *rel)
{
	MappedFile *f = file_map_beneath(w->root, rel, &w->c->diags);
	NamedAttr *list = NULL;
	size_t n = 0;
	if (!f)
		return false;
	bool ok = true;
	if (f->len >= 6 && memcmp(f->data, "\x93NUMPY", 6) == 0) {
		size_t len = strlen(rel);
		NamedAttr one = {str_n(w->c, rel, ends_with(rel, ".npy") ? len - 4 : len), npy_read_attr(w->c, f)};
		ok = one.value && take_all(w, &one, 1);
	} else if (ends_with(rel, ".safetensors")) {
		ok = safetensors_read(w->c, f, w->arena, &list, &n) && take_all(w, list, n);
	} else if (ends_with(rel, ".npz")) {
		ok = npz_read_attrs(w->c, f, w->arena, &list, &n) && take_all(w, list, n);
	}
	file_unref(f);
	return ok;
}

static int name_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Entries in the order of their names, so that the result does not depend on the file system. */
bool folder_list(const char *path, Arena *a, const char ***out, size_t *n, Diags *d)
{
	VEC(const char *) names = {0};
	DIR *dir = opendir(path);
	if (!dir) {
		Loc loc = {.file = arena_strdup(d->arena, path), .offset = -1};
		return diag_error(d, HONE_IO, &loc, "cannot read the folder: %s", errno == ENOENT ? "it does not exist"
			: errno == EACCES ? "permission denied" : "it is no folder");
	}
	for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) /* a dot: hidden, itself or its parent */
		if (e->d_name[0] != '.')
			VEC_PUSH(a, &names, arena_strdup(a, e->d_name));
	closedir(dir);
	if (names.len)
		qsort(names.data, names.len, sizeof(*names.data), name_order);
	*out = names.data;
	*n = names.len;
	return true;
}

static bool take_folder(Folder *w, const char *rel, int depth)
{
	const char **names;
	size_t n;
	const char *path = rel ? path_join(w->arena, w->root, rel) : w->root;
	if (!folder_list(path, w->arena, &names, &n, &w->c->diags))
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *child = rel ? path_join(w->arena, rel, names[i]) : names[i];
		struct stat st;
		bool known = lstat(path_join(w->arena, w->root, child), &st) == 0;
		if (known && S_ISDIR(st.st_mode)) { /* links to folders are not followed: they may run in a circle */
			if (depth < FOLDER_DEPTH && !take_folder(w, child, depth + 1))
				return false;
		} else if (known && !take_file(w, child)) {
			return false;
		}
	}
	return true;
}

bool weights_read(Context *c, const char *path, Arena *a, NamedAttr **out, size_t *n)
{
	struct stat st;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		Folder w = {.c = c, .arena = a, .root = path};
		if (!take_folder(&w, NULL, 0))
			return false;
		*out = w.list.data;
		*n = w.list.len;
		return true;
	}
	MappedFile *f = file_map(path, &c->diags);
	if (!f)
		return false;
	bool ok;
	if (f->len >= 6 && memcmp(f->data, "\x93NUMPY", 6) == 0) {
		const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
		size_t len = strlen(base);
		*out = NEW(a, NamedAttr);
		*n = 1;
		(*out)->name = str_n(c, base, ends_with(base, ".npy") ? len - 4 : len);
		ok = ((*out)->value = npy_read_attr(c, f)) != NULL;
	} else if (f->len >= 4 && (memcmp(f->data, "PK\3\4", 4) == 0 || memcmp(f->data, "PK\5\6", 4) == 0)) {
		ok = npz_read_attrs(c, f, a, out, n);
	} else if (safetensors_sniff((Bytes){f->data, f->len}) || ends_with(path, ".safetensors")) {
		ok = safetensors_read(c, f, a, out, n);
	} else {
		Loc loc = {.file = str(c, path)->s, .offset = -1};
		ok = diag_error(&c->diags, HONE_BAD_INPUT, &loc, "no file of weights; expected .npy, .npz, .safetensors or a folder "
			"of these");
		if (f->len >= 2 && f->data[0] == 0x80)
			diag_hint(&c->diags, "this looks like a pickle (.pt, .pth, .bin): those can run code and are never loaded; save it "
				"with safetensors");
	}
	file_unref(f);
	return ok;
}

/* ---- writing ---- */

void put_elements(OutFile *out, const Attr *tensor)
{
	const Type *t = tensor->u.tensor.type;
	const Blob *b = tensor->u.tensor.blob;
	int64_t count = 0;
	size_t bytes = 0;
	type_static_numel(t, &count);
	dtype_packed_bytes(t->dtype, count, &bytes);
	if (b->kind == BLOB_MAPPED && !b->splat) {
		out_copy(out, b->file, b->file_offset, b->len);
		return;
	}
	if (!b->splat) {
		out_write(out, b->data, b->len);
		return;
	}
	uint8_t unpacked[SPLAT_STEP * 16], packed[SPLAT_STEP * 16];
	size_t elem = dtype_size(t->dtype);
	int64_t step = SPLAT_STEP;
	for (int64_t i = 0; i < step; i++)
		memcpy(unpacked + (size_t)i * elem, b->data, elem);
	for (int64_t at = 0; at < count; at += step) {
		int64_t n = count - at < step ? count - at : step;
		size_t size = 0;
		dtype_packed_bytes(t->dtype, n, &size);
		dtype_pack(t->dtype, unpacked, n, packed);
		out_write(out, packed, size);
	}
}

bool npy_can_hold(DType d)
{
	return npy_descr(d) != NULL;
}

bool npy_write_attr(const Attr *tensor, const char *path, Diags *d)
{
	const Type *t = tensor->u.tensor.type;
	int64_t dims[MAX_RANK];
	if (!npy_can_hold(t->dtype) || !type_static_dims(t, dims))
		return diag_error(d, HONE_UNSUPPORTED, NULL, "npy: %s cannot be stored in a .npy file", dtype_friendly_name(t->dtype));
	OutFile *out = out_open(path, d);
	if (!out)
		return false;
	Buf header = {0};
	npy_header_format(t->dtype, t->rank, dims, &header);
	out_write(out, header.data, header.len);
	buf_free(&header);
	put_elements(out, tensor);
	return out_commit(out, d);
}

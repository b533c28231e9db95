/* .npz: a zip archive of .npy files. */
#include "format/tensor/tensor_int.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char suffix[] = ".npy";

static bool has_suffix(const Str *name)
{
	size_t n = sizeof suffix - 1;
	return name->len > n && memcmp(name->s + name->len - n, suffix, n) == 0;
}

/* Unpacks to memory that the context owns until it is released here: running out of memory inside the parser leaves
 * nothing behind. */
static Tensor *read_deflated(EvalCtx *e, const ZipEntry *entry, const char *file)
{
	if (e->max_bytes > 0 && entry->size > (uint64_t)e->max_bytes + (1 << 16)) {
		Loc loc = {.file = file, .offset = -1};
		diag_error(e->diags, HONE_LIMIT, &loc, "npz: entry %s unpacks to %llu bytes, beyond the memory limit of %lld",
			quote(e->diags->arena, entry->name->s, entry->name->len), (unsigned long long)entry->size,
			(long long)e->max_bytes);
		return NULL;
	}
	Blob *scratch = blob_heap(e->ctx, mem_alloc(entry->size > 0 ? entry->size : 1), entry->size);
	uint8_t *data = (uint8_t *)(uintptr_t)scratch->data; /* not shared yet */
	Tensor *t = NULL;
	if (zip_inflate(entry, data, file, e->diags))
		t = npy_parse(e, (Bytes){data, entry->size}, arena_printf(e->diags->arena, "%s:%s", file, entry->name->s));
	blob_unref(scratch);
	return t;
}

static Tensor *read_entry(EvalCtx *e, const ZipEntry *entry, const char *file)
{
	if (entry->deflated)
		return read_deflated(e, entry, file);
	if (!zip_check_crc(entry, entry->packed.data, file, e->diags))
		return NULL;
	return npy_parse(e, entry->packed, arena_printf(e->diags->arena, "%s:%s", file, entry->name->s));
}

bool npz_read(EvalCtx *e, MappedFile *f, Arena *a, NamedTensor **out, size_t *n)
{
	ZipEntry *entries;
	size_t nentries;
	if (!zip_entries(e->ctx, a, (Bytes){f->data, f->len}, f->path, &entries, &nentries, e->diags))
		return false;
	*out = NEW_ARRAY(a, NamedTensor, nentries);
	*n = 0;
	Loc loc = {.file = f->path, .offset = -1};
	Map seen;
	map_init(&seen, a);
	bool ok = true;
	for (size_t i = 0; ok && i < nentries; i++) {
		const Str *name = entries[i].name;
		if (!has_suffix(name)) {
			diag_warn(e->diags, &loc, "npz: entry %s is no .npy file; left out", quote(e->diags->arena, name->s, name->len));
			continue;
		}
		name = str_n(e->ctx, name->s, name->len - (sizeof suffix - 1));
		if (map_has(&seen, MAP_PTR(name))) {
			ok = diag_error(e->diags, HONE_BAD_INPUT, &loc, "npz: two entries named %s",
				quote(e->diags->arena, name->s, name->len));
			break;
		}
		map_put(&seen, MAP_PTR(name), &entries[i]);
		Tensor *t = read_entry(e, &entries[i], f->path);
		ok = t != NULL;
		if (ok)
			(*out)[(*n)++] = (NamedTensor){name, t};
	}
	while (!ok && *n > 0)
		tensor_unref((*out)[--*n].tensor);
	return ok;
}

/* First pass over an entry: its size and checksum. */
typedef struct Measure {
	uint64_t size;
	uLong crc;
} Measure;

static bool sink_measure(void *arg, const void *p, size_t n)
{
	Measure *m = arg;
	m->size += n;
	m->crc = crc32(m->crc, p, (uInt)n);
	return true;
}

static bool sink_to_file(void *arg, const void *p, size_t n)
{
	return out_write(arg, p, n);
}

static bool write_entry(ZipWriter *w, const NamedTensor *t, Diags *d)
{
	Measure m = {.crc = crc32(0, NULL, 0)};
	if (!npy_emit(t->tensor, sink_measure, &m, d))
		return false;
	Context *c = t->tensor->owner->ctx;
	zip_begin_entry(w, str_fmt(c, "%s%s", t->name->s, suffix), m.size, (uint32_t)m.crc);
	npy_emit(t->tensor, sink_to_file, w->out, d); /* a failed write is kept by the file and reported at its end */
	return true;
}

bool npz_write(const NamedTensor *t, size_t n, const char *path, Diags *d)
{
	OutFile *out = out_open(path, d);
	if (out == NULL)
		return false;
	ZipWriter w = {.out = out};
	for (size_t i = 0; i < n; i++)
		if (!write_entry(&w, &t[i], d)) {
			buf_free(&w.directory);
			out_discard(out);
			return false;
		}
	zip_finish(&w);
	return out_commit(out, d);
}

#include "intern.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Blobs live outside the arenas because weights are large and die one by one. Every live blob is in the list of its
 * context, so that an out-of-memory jump or a forgotten reference leaks nothing beyond the context. The count is atomic;
 * making and releasing the last reference touches that list and belongs to the thread that has the context. */

static Blob *blob_new(Context *c, BlobKind kind, const void *data, size_t len)
{
	Blob *b = mem_zalloc(sizeof *b);
	b->kind = kind;
	b->refs = 1;
	b->data = data;
	b->len = len;
	b->next_live = c->blobs;
	b->link_live = &c->blobs;
	if (c->blobs)
		c->blobs->link_live = &b->next_live;
	c->blobs = b;
	return b;
}

Blob *blob_heap(Context *c, void *malloced, size_t len)
{
	return blob_new(c, BLOB_HEAP, malloced, len);
}

Blob *blob_copy(Context *c, const void *data, size_t len)
{
	Blob *b = blob_new(c, BLOB_HEAP, NULL, 0); /* first, so that a failed allocation below leaks nothing */
	void *p = mem_alloc(len ? len : 1);
	if (len)
		memcpy(p, data, len);
	b->data = p;
	b->len = len;
	return b;
}

Blob *blob_borrowed(Context *c, const void *data, size_t len)
{
	return blob_new(c, BLOB_BORROWED, data, len);
}

Blob *blob_mapped(Context *c, MappedFile *f, size_t offset, size_t len)
{
	CHECK(offset <= f->len && len <= f->len - offset);
	Blob *b = blob_new(c, BLOB_MAPPED, f->data + offset, len);
	b->file = file_ref(f);
	b->file_offset = offset;
	return b;
}

Blob *blob_splat(Context *c, DType d, const void *element)
{
	Blob *b = blob_copy(c, element, d == DT_STR ? sizeof(Str *) : dtype_size(d));
	b->splat = true;
	return b;
}

Blob *blob_ref(Blob *b)
{
	if (b)
		__atomic_add_fetch(&b->refs, 1, __ATOMIC_RELAXED);
	return b;
}

static void blob_destroy(Blob *b)
{
	if (b->link_live) {
		*b->link_live = b->next_live;
		if (b->next_live)
			b->next_live->link_live = b->link_live;
	}
	if (b->kind == BLOB_HEAP)
		mem_free((void *)b->data);
	else if (b->kind == BLOB_MAPPED)
		file_unref(b->file);
	mem_free(b);
}

void blob_unref(Blob *b)
{
	if (b && __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL) == 0)
		blob_destroy(b);
}

void blob_release_all(Context *c)
{
	while (c->blobs)
		blob_destroy(c->blobs);
}

void blob_forget_part(const Blob *b, const void *from, size_t bytes)
{
	enum { LARGE = 1 << 20 };
	if (b->kind != BLOB_MAPPED || b->len < LARGE || !b->file->mapped)
		return;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)from + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)from + bytes) / page * page;
	if (begin < end)
		(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void blob_forget_pages(const Blob *b)
{
	blob_forget_part(b, b->data, b->len);
}

uint64_t blob_hash(Blob *b)
{
	if (!b->hash) {
		uint64_t h = b->len ? hash_bytes(b->data, b->len, b->splat) : hash_mix(b->splat, b->len);
		b->hash = h ? h : 1;
		blob_forget_pages(b);
	}
	return b->hash;
}

bool blob_equal(const Blob *a, const Blob *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->splat != b->splat || a->len != b->len)
		return false;
	if (a->data == b->data || a->len == 0)
		return true;
	if (a->hash && b->hash && a->hash != b->hash)
		return false;
	return memcmp(a->data, b->data, a->len) == 0;
}

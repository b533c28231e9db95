/* Bump allocator and the growable arrays that live in it. */
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
enum { RED_ZONE = 16 }; /* poisoned bytes between objects */
static void poison(void *p, size_t n) { __asan_poison_memory_region(p, n); }
static void unpoison(void *p, size_t n) { __asan_unpoison_memory_region(p, n); }
#else
enum { RED_ZONE = 0 };
static void poison(void *p, size_t n) { (void)p, (void)n; }
static void unpoison(void *p, size_t n) { (void)p, (void)n; }
#endif

enum {
	ALIGN = 16,
	PAGE = 4096,
	FIRST_BLOCK = 4 * 1024,
	CLEARED = 1024,         /* bytes that are cleared together, for the objects to come */
	MIDDLING = 16 * 1024,   /* bytes from which on objects of their own get their pages together */
	POPULATED = 32 * 1024,  /* bytes that get their pages together */
	LAST_BLOCK = 2 * 1024 * 1024 /* blocks grow up to this size: a huge page */
};

typedef struct Block {
	struct Block *next;
	size_t size; /* payload bytes */
	_Alignas(ALIGN) uint8_t data[];
} Block;

struct Arena {
	Block *blocks;  /* the one being filled first */
	Block *large;   /* one object each */
	uint8_t *at;    /* the next object */
	uint8_t *clear; /* zeros from `at` up to here */
	uint8_t *paged; /* pages are there up to here */
	uint8_t *end;   /* of the block being filled */
	size_t next_size;
	size_t reserved;
};

Arena *arena_new(void)
{
	Arena *a = mem_zalloc(sizeof(*a));
	a->next_size = FIRST_BLOCK;
	return a;
}

static void free_blocks(Block *b)
{
	while (b) {
		Block *next = b->next;
		unpoison(b->data, b->size);
		mem_free(b);
		b = next;
	}
}

void arena_free(Arena *a)
{
	if (!a)
		return;
	free_blocks(a->blocks);
	free_blocks(a->large);
	mem_free(a);
}

void arena_reset(Arena *a)
{
	free_blocks(a->large);
	a->large = NULL;
	a->reserved = 0;
	if (!a->blocks)
		return;
	free_blocks(a->blocks->next); /* the newest block is the biggest, or nearly */
	a->blocks->next = NULL;
	a->at = a->clear = a->blocks->data;
	a->reserved = a->blocks->size;
	poison(a->blocks->data, a->blocks->size);
}

/* Faults on fresh small pages, one by one, took a third of the time of reading a model: middling stretches are populated
 * many pages at a time, large ones have huge pages. Advice that an older system does not know changes nothing. */
static void advise(uint8_t *from, uint8_t *to, bool huge)
{
#if defined(MADV_HUGEPAGE) && defined(MADV_POPULATE_WRITE)
	uintptr_t first = ((uintptr_t)from + PAGE - 1) / PAGE * PAGE, end = (uintptr_t)to / PAGE * PAGE;
	if (first < end)
		(void)madvise((void *)first, end - first, huge ? MADV_HUGEPAGE : MADV_POPULATE_WRITE);
#else
	(void)from, (void)to, (void)huge;
#endif
}

/* Big objects come from calloc, so that of the largest ones pages that nobody touches cost nothing. */
static void *alloc_large(Arena *a, size_t bytes)
{
	if (bytes > SIZE_MAX - sizeof(Block))
		mem_fail();
	Block *b = mem_zalloc(sizeof(Block) + bytes);
	if (bytes >= MIDDLING)
		advise(b->data, b->data + bytes, bytes >= LAST_BLOCK);
	b->size = bytes;
	b->next = a->large;
	a->large = b;
	a->reserved += bytes;
	return b->data;
}

/* Objects are taken from b from now on; its pages are there up to `paged`. */
static void use_block(Arena *a, Block *b, size_t size, uint8_t *paged)
{
	b->size = size - sizeof(Block);
	b->next = a->blocks;
	a->blocks = b;
	a->at = a->clear = b->data;
	a->end = b->data + b->size;
	a->paged = paged;
	a->reserved += b->size;
	poison(b->data, b->size);
}

/* A block that is there already and has room enough stays. */
void arena_expect(Arena *a, size_t bytes)
{
	if (bytes >= LAST_BLOCK)
		a->next_size = LAST_BLOCK;
	if (bytes >= LAST_BLOCK || bytes < MIDDLING || (size_t)(a->end - a->at) >= bytes)
		return;
	size_t size = sizeof(Block) + bytes;
	Block *b = mem_alloc(size);
	advise((uint8_t *)b, (uint8_t *)b + size, false);
	use_block(a, b, size, (uint8_t *)b + size);
	while (a->next_size < size / 4)
		a->next_size *= 2;
}

/* Those of the last size are one huge page each. */
static void add_block(Arena *a)
{
	size_t size = a->next_size;
	Block *b = size == LAST_BLOCK ? aligned_alloc(LAST_BLOCK, LAST_BLOCK) : mem_alloc(size);
	if (!b)
		mem_fail();
	if (size == LAST_BLOCK)
		advise((uint8_t *)b, (uint8_t *)b + size, true);
	use_block(a, b, size, size >= POPULATED && size < LAST_BLOCK ? b->data : (uint8_t *)b + size);
	if (size < LAST_BLOCK)
		a->next_size *= size < POPULATED ? 4 : 2; /* small ones get their pages one by one: they are few */
}

/* Makes the next `take` bytes zeros, in a new block when this one is full. Objects are cleared many at a time. */
static void make_room(Arena *a, size_t take)
{
	if ((size_t)(a->end - a->at) < take)
		add_block(a);
	size_t left = (size_t)(a->end - a->at), want = take < CLEARED ? CLEARED : take;
	uint8_t *to = a->at + (want < left ? want : left);
	if (to > a->paged) {
		size_t most = (size_t)(a->end - a->paged), n = (size_t)(to - a->paged);
		n = n < POPULATED ? POPULATED : n;
		n += (0 - ((uintptr_t)a->paged + n)) % PAGE;
		n = n < most ? n : most;
		advise(a->paged, a->paged + n, false);
		a->paged += n;
	}
	if (!RED_ZONE) /* else each object for itself: the bytes between are poisoned */
		memset(a->clear, 0, (size_t)(to - a->clear));
	a->clear = to;
}

/* Objects over a quarter of the next block get a block of their own unless this one has room, so that at most a quarter of a
 * block is wasted. */
void *arena_alloc(Arena *a, size_t bytes)
{
	size_t left = (size_t)(a->end - a->at);
	if (bytes > a->next_size / 4 && (left < bytes || left - bytes < RED_ZONE + ALIGN))
		return alloc_large(a, bytes);
	size_t take = ((bytes ? bytes : 1) + RED_ZONE + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if ((size_t)(a->clear - a->at) < take)
		make_room(a, take);
	void *p = a->at;
	a->at += take;
	unpoison(p, bytes);
	return RED_ZONE ? memset(p, 0, bytes) : p;
}

void *arena_alloc_array(Arena *a, size_t size, size_t n)
{
	size_t bytes;
	if (__builtin_mul_overflow(size, n, &bytes))
		mem_fail();
	return arena_alloc(a, bytes);
}

void *arena_dup(Arena *a, const void *p, size_t bytes)
{
	void *q = arena_alloc(a, bytes);
	if (bytes)
		memcpy(q, p, bytes);
	return q;
}

char *arena_strdup(Arena *a, const char *s)
{
	return arena_dup(a, s, strlen(s) + 1);
}

char *arena_vprintf(Arena *a, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(small, sizeof(small), fmt, ap);
	char *s;
	if (n < 0) {
		s = arena_strdup(a, fmt);
	} else if ((size_t)n < sizeof(small)) {
		s = arena_dup(a, small, (size_t)n + 1);
	} else {
		s = arena_alloc(a, (size_t)n + 1);
		vsnprintf(s, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	return s;
}

char *arena_printf(Arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}

size_t arena_bytes(const Arena *a)
{
	return a->reserved;
}

/* The caller's array has its own pointer type, so the pointer is read and written by memcpy, not through void **. */
void vec_reserve(Arena *a, void **data, size_t *cap, size_t want, size_t elem)
{
	if (want <= *cap)
		return;
	size_t n = *cap > SIZE_MAX / 2 ? want : *cap * 2;
	if (n < want)
		n = want;
	if (n < 8)
		n = 8;
	void *old;
	memcpy(&old, data, sizeof(old));
	void *grown = arena_alloc_array(a, elem, n);
	if (*cap)
		memcpy(grown, old, *cap * elem);
	memcpy(data, &grown, sizeof(grown));
	*cap = n;
}

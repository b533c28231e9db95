/* Out-of-memory guard and raw allocation. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The one per-thread variable of the library: the innermost guard. It only points into frames of this thread. */
static _Thread_local MemGuard *innermost;

void mem_guard_push(MemGuard *g)
{
	g->outer = innermost;
	innermost = g;
}

/* Leaves g and everything inside it. A guard that a failure already left is no longer on the list: nothing to do. */
void mem_guard_pop(MemGuard *g)
{
	for (MemGuard *p = innermost; p; p = p->outer) {
		if (p == g) {
			innermost = g->outer;
			return;
		}
	}
}

_Noreturn void mem_fail(void)
{
	MemGuard *g = innermost;
	if (!g) {
		fputs("hone: out of memory\n", stderr);
		exit(HONE_LIMIT);
	}
	innermost = g->outer;
	longjmp(g->env, 1);
}

enum { HUGE_PAGE = 2 << 20 };

/* Huge pages for the whole ones inside a large block: touching a fresh small page costs about as much as filling it. */
static void *with_huge_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	if (bytes >= 2 * HUGE_PAGE) {
		uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
		uintptr_t end = ((uintptr_t)p + bytes) / HUGE_PAGE * HUGE_PAGE;
		if (from < end)
			(void)madvise((void *)from, end - from, MADV_HUGEPAGE);
	}
#endif
	return p;
}

void *mem_alloc(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);
	if (!p)
		mem_fail();
	return with_huge_pages(p, bytes);
}

void *mem_zalloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);
	if (!p)
		mem_fail();
	return with_huge_pages(p, bytes);
}

void *mem_realloc(void *p, size_t bytes)
{
	void *q = realloc(p, bytes ? bytes : 1);
	if (!q)
		mem_fail();
	return q;
}

void mem_free(void *p)
{
	free(p);
}

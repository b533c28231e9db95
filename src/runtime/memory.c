/* Pages straight from the system. Memory of runs is touched all over, and a fresh small page costs microseconds; small ones that lie
 * anywhere also share fewer sets of second-level cache. So more than half a huge page is a whole one. */
#include "runtime/runtime.h"

#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

static size_t whole_pages(size_t bytes)
{
	size_t unit = bytes > HUGE_PAGE / 2 ? HUGE_PAGE : 4096;
	return (bytes + unit - 1) / unit * unit;
}

/* Mapped a huge page too long, so that an aligned part can be kept. */
void *pages_new(size_t bytes)
{
	size_t want = whole_pages(bytes ? bytes : 1);
	if (want < bytes)
		return NULL;
	size_t slack = want >= HUGE_PAGE ? HUGE_PAGE : 0;
	if (want + slack < want)
		return NULL;
	char *p = mmap(NULL, want + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (!slack)
		return p;
	char *q = (char *)(((uintptr_t)p + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
	if (q > p)
		munmap(p, (size_t)(q - p));
	if (q + want < p + want + slack)
		munmap(q + want, (size_t)(p + want + slack - (q + want)));
#ifdef MADV_HUGEPAGE
	madvise(q, want, MADV_HUGEPAGE);
#endif
	return q;
}

void pages_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, whole_pages(bytes ? bytes : 1));
}

/* Places buffers in one arena: in the order of their first use, each into the smallest gap that is free for as long as it
 * lives. */
#include "plan/plan_int.h"

#include <stdlib.h>

enum { ALIGN = 64 };

typedef struct Gap {
	int64_t offset, bytes;
} Gap;
typedef struct Live {
	int64_t offset, bytes;
	int last;
} Live;
typedef struct Placing {
	Arena *arena;
	VEC(Gap) gaps;   /* by offset; the last one is open-ended */
	VEC(Live) live;
	int64_t top;
} Placing;

static void give_back(Placing *p, int64_t offset, int64_t bytes)
{
	size_t i = 0;
	while (i < p->gaps.len && p->gaps.data[i].offset < offset)
		i++;
	bool before = i > 0 && p->gaps.data[i - 1].offset + p->gaps.data[i - 1].bytes == offset;
	bool after = i < p->gaps.len && offset + bytes == p->gaps.data[i].offset;
	if (before && after) {
		p->gaps.data[i - 1].bytes += bytes + p->gaps.data[i].bytes;
		for (size_t k = i; k + 1 < p->gaps.len; k++)
			p->gaps.data[k] = p->gaps.data[k + 1];
		p->gaps.len--;
	} else if (before) {
		p->gaps.data[i - 1].bytes += bytes;
	} else if (after) {
		p->gaps.data[i].offset = offset;
		p->gaps.data[i].bytes += bytes;
	} else {
		VEC_PUSH(p->arena, &p->gaps, (Gap){ 0 });
		for (size_t k = p->gaps.len; k-- > i + 1;)
			p->gaps.data[k] = p->gaps.data[k - 1];
		p->gaps.data[i] = (Gap){ offset, bytes };
	}
}

static void expire(Placing *p, int step)
{
	for (size_t i = 0; i < p->live.len;) {
		Live l = p->live.data[i];
		if (l.last >= step) {
			i++;
			continue;
		}
		p->live.data[i] = p->live.data[--p->live.len];
		give_back(p, l.offset, l.bytes);
	}
}

static int64_t take(Placing *p, int64_t bytes)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < p->gaps.len; i++)
		if (p->gaps.data[i].bytes >= bytes && (best == SIZE_MAX || p->gaps.data[i].bytes < p->gaps.data[best].bytes))
			best = i;
	if (best == SIZE_MAX) {
		/* A gap at the top can grow. */
		Gap *last = p->gaps.len ? &p->gaps.data[p->gaps.len - 1] : NULL;
		int64_t at = last && last->offset + last->bytes == p->top ? last->offset : p->top;
		if (at != p->top)
			p->gaps.len--;
		p->top = at + bytes;
		return at;
	}
	Gap *g = &p->gaps.data[best];
	int64_t at = g->offset;
	g->offset += bytes;
	g->bytes -= bytes;
	if (!g->bytes) {
		for (size_t k = best; k + 1 < p->gaps.len; k++)
			p->gaps.data[k] = p->gaps.data[k + 1];
		p->gaps.len--;
	}
	return at;
}

static int by_first(const void *a, const void *b)
{
	const PlanBuffer *x = *(PlanBuffer *const *)a, *y = *(PlanBuffer *const *)b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->bytes > y->bytes ? -1 : x->bytes < y->bytes ? 1 : x < y ? -1 : 1;
}

void plan_memory(Plan *plan)
{
	Placing p = { .arena = arena_new() };
	PlanBuffer **order = NEW_ARRAY(p.arena, PlanBuffer *, plan->buffers.len + 1);
	size_t n = 0;
	for (size_t i = 0; i < plan->buffers.len; i++)
		if (plan->buffers.data[i].kind == BUFFER_ARENA && plan->buffers.data[i].first >= 0)
			order[n++] = &plan->buffers.data[i];
	if (n)
		qsort(order, n, sizeof(*order), by_first);
	for (size_t i = 0; i < n; i++) {
		PlanBuffer *b = order[i];
		int64_t bytes = (b->bytes + ALIGN - 1) / ALIGN * ALIGN;
		expire(&p, b->first);
		b->offset = take(&p, bytes ? bytes : ALIGN);
		VEC_PUSH(p.arena, &p.live, ((Live){ b->offset, bytes ? bytes : ALIGN, b->last }));
	}
	plan->arena_bytes = (size_t)p.top;
	arena_free(p.arena);
}

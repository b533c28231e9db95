/* Small products one after the other, as light networks have them for one image, wait for their weights more than they compute.
 * So a convolution fetches those of the steps after it. All weights are one stream of cache lines, in the order of their use:
 * each convolution that has time for it goes on where the one before it stopped, but not so far that what it fetches would be
 * out of second-level cache again before its use. This looks at the steps of a finished plan. */
#include "plan/plan_int.h"

#include <unistd.h>

enum { LINE = 64, USUAL_CACHE = 1 << 20 };

typedef struct Weights {
	const ConvParam *conv;
	int kind;           /* ConvKind; -1: the step has no weights, -2: it has, or may have, such as do better without this */
	int64_t begin, end; /* in the stream; lines */
} Weights;

/* Bytes of second-level cache that what is fetched may take, with all that is used before it. */
static int64_t cache_share(void)
{
	long bytes = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
	bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
	return (int64_t)(bytes > 0 ? bytes : USUAL_CACHE) / 4 * 3;
}

static Weights weights_of(const KernelSet *k, const Step *s, int64_t begin)
{
	Weights w = { .conv = s->param, .kind = s->kernel && s->kernel != k->chain ? -1 : -2, .begin = begin, .end = begin };
	if (s->kernel && s->kernel == k->scaled) {
		w.conv = ((const ScaledParam *)s->param)->conv;
		w.kind = CONV_DIRECT;
	}
	for (int i = 0; i < CONV_KINDS && w.kind == -1; i++)
		if (s->kernel == k->conv[i])
			w.kind = i == CONV_DIRECT || i == CONV_DEPTHWISE || i == CONV_STREAM ? i : -2;
	if (w.kind == CONV_STREAM)
		w.end += w.conv->ic * w.conv->oc * (int64_t)sizeof(float) / LINE;
	else if (w.kind >= 0)
		w.end += (int64_t)k->conv_pack_bytes[w.kind](w.conv) / LINE;
	return w;
}

/* The end of what can be fetched during step i. Other things that steps read and write take room too. */
static int64_t reach(const Plan *plan, const Weights *w, size_t i, int64_t room)
{
	int64_t end = w[i].end;
	for (size_t n = i + 1; n < plan->steps.len && w[n].kind != -2; n++) {
		int64_t lines = w[n].end - w[n].begin, others = (int64_t)plan->info.data[n].bytes / LINE - lines;
		room -= others > 0 ? others : 0;
		if (room <= 0)
			break;
		end = w[n].begin + (lines < room ? lines : room);
		if (lines >= room)
			break;
		room -= lines;
	}
	return end;
}

/* Lines [begin, end) of the stream; returns the end of what there is room to say. */
static int64_t add_parts(const Weights *w, size_t i, int64_t begin, int64_t end, ConvAhead *a)
{
	for (; begin < end && a->n < AHEAD_PARTS; i++) {
		int64_t last = w[i].end < end ? w[i].end : end;
		if (begin >= last)
			continue;
		/* Through the parameter: a stream's weights move when the plan runs again. */
		const ConvParam *c = w[i].conv;
		a->part[a->n].at = w[i].kind == CONV_STREAM ? (const void *const *)(const void *)&c->source : &c->weights;
		a->part[a->n].first = begin - w[i].begin;
		a->part[a->n++].lines = last - begin;
		begin = last;
	}
	return begin;
}

void plan_ahead(Planner *p)
{
	const KernelSet *k = p->prog->kernels;
	const Plan *plan = p->plan;
	Weights *w = NEW_ARRAY(p->scratch, Weights, plan->steps.len + 1);
	int64_t room = cache_share() / LINE, at = 0; /* lines before `at` are fetched or used */
	for (size_t i = 0; i < plan->steps.len; i++)
		w[i] = weights_of(k, &plan->steps.data[i], i ? w[i - 1].end : 0);
	for (size_t i = 0; i < plan->steps.len; i++) {
		ConvAhead a = { .ready = at >= w[i].end };
		at = at < w[i].end ? w[i].end : at;
		int64_t lines = w[i].kind == CONV_DIRECT ? k->conv_ahead(w[i].conv, a.ready) : 0, end = reach(plan, w, i, room);
		if (!lines)
			continue;
		at = add_parts(w, i + 1, at, end < at + lines ? end : at + lines, &a);
		ConvParam *c = (ConvParam *)(uintptr_t)w[i].conv; /* the plan's own */
		c->ahead = arena_dup(p->arena, &a, sizeof(a));
	}
}

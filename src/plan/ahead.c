/* Small products one after the other, as light networks have them for one image, wait for their weights more than they compute.
 * So a convolution fetches those of the steps after it, up to the next that does the same. This looks at the steps of a
 * finished plan. */
#include "plan/plan_int.h"

enum { FETCH_BYTES = 512 << 10 }; /* they stay in second-level cache beside what the convolution itself uses */

/* The kind of a convolution, and its parameter; -1: another step. */
static int kind_of(const KernelSet *k, const Step *s, const ConvParam **out)
{
	*out = s->param;
	if (s->kernel && s->kernel == k->scaled) {
		*out = ((const ScaledParam *)s->param)->conv;
		return CONV_DIRECT;
	}
	for (int i = 0; i < CONV_KINDS && s->kernel; i++)
		if (s->kernel == k->conv[i])
			return i;
	return -1;
}

/* Several tiles of pixels: there is time to fetch something. */
static bool fetches(const ConvParam *c)
{
	enum { ROWS = 32 };
	return c->batch * c->out[0] * c->out[1] * c->out[2] >= ROWS;
}

static int64_t add_part(const KernelSet *k, int kind, const ConvParam *c, ConvAhead *a)
{
	bool stream = kind == CONV_STREAM;
	int64_t bytes = stream ? c->ic * c->oc * (int64_t)sizeof(float) : (int64_t)k->conv_pack_bytes[kind](c);
	/* Through the parameter: a stream's weights move when the plan runs again. */
	a->part[a->n].at = stream ? (const void *const *)(const void *)&c->source : &c->weights;
	a->part[a->n++].bytes = bytes;
	return bytes;
}

void plan_ahead(Planner *p)
{
	const KernelSet *k = p->prog->kernels;
	const Plan *plan = p->plan;
	for (size_t i = 0; i < plan->steps.len; i++) {
		const ConvParam *own, *conv;
		if (kind_of(k, &plan->steps.data[i], &own) != CONV_DIRECT || !fetches(own))
			continue;
		ConvAhead a = { 0 };
		int64_t bytes = 0;
		for (size_t n = i + 1; n < plan->steps.len && a.n < AHEAD_PARTS && bytes < FETCH_BYTES; n++) {
			int kind = kind_of(k, &plan->steps.data[n], &conv);
			if (kind == CONV_DIRECT || kind == CONV_DEPTHWISE || kind == CONV_STREAM)
				bytes += add_part(k, kind, conv, &a);
			else if (kind >= 0)
				break;
			if (kind == CONV_DIRECT && fetches(conv))
				break;
		}
		ConvParam *c = (ConvParam *)(uintptr_t)own; /* the plan's own */
		c->ahead = a.n ? arena_dup(p->arena, &a, sizeof(a)) : NULL;
	}
}

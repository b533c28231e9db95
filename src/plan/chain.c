/* Convolutions that follow one another become one step that keeps what lies between them in cache. This looks at the steps
 * of a finished plan: where a step alone reads what the step before it wrote, and neither is needed elsewhere, the two are
 * a chain; it grows as long as that holds and the kernel can run it. */
#include "plan/plan_int.h"

#include <string.h>

enum { WORTH_BYTES = 1 << 20 }; /* results of an image that take less stay in second-level cache by themselves */

typedef struct Chaining {
	Plan *plan;
	const KernelSet *kernels;
	int threads;
	size_t done;        /* steps that are kept so far */
	int *moved;         /* by old step: where it is now */
} Chaining;

static bool conv_kind(const KernelSet *k, const Step *s, ConvKind *out)
{
	for (int i = 0; i < CONV_KINDS && s->kernel; i++)
		if (s->kernel == k->conv[i]) {
			*out = (ConvKind)i;
			return true;
		}
	return false;
}

static int step_buffer(const Plan *p, const Step *s, int i)
{
	return p->table.data[s->ptr + (uint32_t)i];
}

int conv_pointers(const ConvParam *c)
{
	int n = c->has_residual ? 3 : 2;
	for (int i = 0; c->post && i < c->post->noperands; i++)
		if (c->post->operands[i].ptr >= n)
			n = c->post->operands[i].ptr + 1;
	return n;
}

/* Step `from` of the old list hands its result to the next step and to nobody else. */
static bool hands_on(const Chaining *c, size_t from)
{
	const Plan *p = c->plan;
	const Step *a = &p->steps.data[from], *b = a + 1;
	int buffer = step_buffer(p, a, 0), n = conv_pointers(b->param);
	const PlanBuffer *between = &p->buffers.data[buffer];
	if (between->kind != BUFFER_ARENA || between->first != (int)from || between->last != (int)from + 1 ||
			step_buffer(p, b, 1) != buffer)
		return false;
	for (int i = 0; i < n; i++)
		if (i != 1 && step_buffer(p, b, i) == buffer)
			return false;
	n = conv_pointers(a->param);
	for (int i = 1; i < n; i++)
		if (step_buffer(p, a, i) == buffer)
			return false;
	return true;
}

/* As many steps from `from` on as a chain can take. */
static int chain_length(const Chaining *c, size_t from, ChainParam *out)
{
	int best = 0;
	ChainParam p = { .worth = WORTH_BYTES };
	for (size_t i = from; i < c->plan->steps.len && p.nstages < CHAIN_STAGES; i++) {
		const Step *s = &c->plan->steps.data[i];
		ConvKind kind;
		if (!conv_kind(c->kernels, s, &kind) || (i > from && !hands_on(c, i - 1)))
			break;
		p.kind[p.nstages] = kind;
		p.stage[p.nstages++] = s->param;
		ChainParam tried = p;
		if (p.nstages > 1 && c->kernels->chain_plan(&tried, c->threads)) {
			*out = tried;
			best = p.nstages;
		}
	}
	return best;
}

static void add_pointers(Plan *p, const Step *s, int from, int n)
{
	for (int i = from; i < n; i++) {
		int buffer = step_buffer(p, s, i);
		VEC_PUSH(p->arena, &p->table, buffer);
	}
}

/* The steps as one; the results between them need no memory. */
static void join(Chaining *c, size_t from, ChainParam *chain)
{
	Plan *p = c->plan;
	int n = chain->nstages, next = 2;
	ChainParam *param = arena_dup(p->arena, chain, sizeof(*chain));
	Step s = p->steps.data[from];
	PlanStepInfo info = { .kernel = "chain", .text = "" };
	uint32_t ptr = (uint32_t)p->table.len;
	add_pointers(p, &p->steps.data[from + (size_t)n - 1], 0, 1);
	add_pointers(p, &p->steps.data[from], 1, 2);
	for (int i = 0; i < n; i++) {
		const Step *stage = &p->steps.data[from + (size_t)i];
		const PlanStepInfo *old = &p->info.data[from + (size_t)i];
		int pointers = conv_pointers(stage->param);
		param->rest_ptr[i] = next;
		param->nrest[i] = pointers - 2;
		next += pointers - 2;
		add_pointers(p, stage, 2, pointers);
		info.flops += old->flops;
		info.bytes += old->bytes;
		info.parallel |= old->parallel;
		info.text = arena_printf(p->arena, "%s%s%s %s", info.text, i ? "; " : "", old->kernel, old->text ? old->text : "");
		c->moved[from + (size_t)i] = (int)c->done;
		if (i + 1 == n)
			continue;
		PlanBuffer *between = &p->buffers.data[step_buffer(p, stage, 0)];
		info.bytes -= 2 * (double)between->bytes;
		between->first = between->last = -1;
	}
	s.kernel = c->kernels->chain;
	s.param = param;
	s.ptr = ptr;
	s.name = info.kernel;
	s.tasks = s.kernel->tasks(param);
	s.parallel = info.parallel = info.parallel && s.tasks > 1;
	size_t scratch = s.kernel->scratch_bytes(param);
	p->scratch_bytes = scratch > p->scratch_bytes ? scratch : p->scratch_bytes;
	p->steps.data[c->done] = s;
	p->info.data[c->done++] = info;
}

void plan_renumber(Plan *p, const int *moved)
{
	for (size_t i = 0; i < p->buffers.len; i++) {
		PlanBuffer *b = &p->buffers.data[i];
		if (b->first >= 0 && (size_t)b->first < p->steps.len)
			b->first = moved[b->first];
		if (b->last >= 0 && (size_t)b->last < p->steps.len)
			b->last = moved[b->last];
	}
}

void plan_chains(Planner *planner)
{
	Plan *p = planner->plan;
	Chaining c = { .plan = p, .kernels = planner->prog->kernels, .threads = planner->threads,
		.moved = NEW_ARRAY(planner->scratch, int, p->steps.len + 1) };
	for (size_t i = 0; i < p->steps.len;) {
		ChainParam chain;
		int n = chain_length(&c, i, &chain);
		if (n) {
			join(&c, i, &chain);
			i += (size_t)n;
			continue;
		}
		c.moved[i] = (int)c.done;
		p->info.data[c.done] = p->info.data[i];
		p->steps.data[c.done++] = p->steps.data[i++];
	}
	plan_renumber(p, c.moved);
	p->steps.len = p->info.len = c.done;
}

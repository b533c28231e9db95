/* Values that are drawn at random. Where the same op draws on both sides nothing is to be shown. Where other ops draw, the numbers
 * differ, and what can be compared is their distribution: both sides draw on the same seeded bounds, and two samples must be
 * alike (samples_alike). What depends on such values is compared elsewhere, on the same numbers, as they are cuts. */
#include "verify/local_int.h"

#include <math.h>

enum {
	SAMPLES = 1 << 14, /* of a side */
	MAX_DRAWS = 512,   /* runs with other seeds, for values of few elements */
	DRAWN_ROUNDS = 4   /* seeded bounds may be an empty range */
};

/* A dropout that does not train, or that drops nothing, draws nothing. */
static bool dropout_draws(const Op *op)
{
	const Value *ratio = op_operand(op, 1), *training = op_operand(op, 2);
	double r;
	int64_t t;
	if (!training || (value_is_constant(training) && constant_int(training, &t) && !t))
		return false;
	return !(ratio && value_is_constant(ratio) && constant_float(ratio, &r) && r == 0);
}

bool is_drawn(const Value *v)
{
	if (!v->def)
		return false;
	return op_is(v->def, OP_dropout) ? dropout_draws(v->def) : (v->def->def->traits & TRAIT_RANDOM) != 0;
}

/* ---- which ops draw ---- */

typedef struct Sources {
	VEC(const Value *) queue;
	uint32_t by;       /* Proof.owner of what b draws */
	int64_t draws;
	bool shared;       /* something is drawn for another value too */
	bool fixed;        /* by a seed of the model: every run draws the same */
} Sources;

static bool has_seed(const Op *op)
{
	return op_attr(op, A_seed) != NULL;
}

static void note_source(Proof *p, Sources *s, const Value *v)
{
	uint32_t *owner = &p->owner[v->def->id];
	s->shared |= (v != p->self && p->is_image[v->id]) || (*owner && *owner != s->by);
	s->fixed |= has_seed(v->def);
	s->draws++;
	*owner = s->by;
}

/* Random ops behind the value under proof, up to values of the original. */
static void find_sources(Proof *p, Sources *s)
{
	Map seen;
	map_init(&seen, p->arena);
	VEC_PUSH(p->arena, &s->queue, p->self);
	for (size_t i = 0; i < s->queue.len; i++) {
		const Value *v = s->queue.data[i];
		if (!v->def || map_has(&seen, MAP_PTR(v)))
			continue;
		map_put(&seen, MAP_PTR(v), (void *)v);
		if (is_drawn(v))
			note_source(p, s, v);
		if (v != p->self && p->is_image[v->id])
			continue;
		for (size_t k = 0; k < v->def->noperands; k++)
			if (v->def->operands[k].value)
				VEC_PUSH(p->arena, &s->queue, v->def->operands[k].value);
	}
}

/* ---- samples ---- */

typedef struct Sample {
	int64_t n;
	double *of[2];     /* SAMPLES each: before, after */
} Sample;

/* Up to SAMPLES elements of one run, drawn with another seed than those before. */
static bool draw_more(Proof *p, const Value *b, const Value *a, int round, uint64_t run, Sample *s)
{
	int64_t count;
	for (int k = 0; k < 2; k++) {
		pull_reset(&p->pulls[k], p->opt->seed, round);
		p->pulls[k].all_native = false;
		p->pulls[k].oracle.seed = hash_bytes(&run, sizeof run, p->opt->seed + (uint64_t)k);
	}
	p->mode = CUT_ALL;
	p->limit = UINT32_MAX;
	p->stamp++;
	if (!proof_element_count(&p->pulls[1], a, &count))
		return false;
	int64_t n = count < SAMPLES - s->n ? count : SAMPLES - s->n;
	if (n < 1)
		return true;
	int64_t *idx = NEW_ARRAY(p->pulls[1].arena, int64_t, n + 1);
	for (int64_t i = 0; i < n; i++)
		idx[i] = (int64_t)((double)i * (double)count / (double)n);
	bool ok = pull(&p->pulls[1], a, idx, n, s->of[1] + s->n) && pull(&p->pulls[0], b, idx, n, s->of[0] + s->n);
	for (int64_t i = s->n; ok && i < s->n + n; i++)
		ok = !isnan(s->of[0][i]) && !isnan(s->of[1][i]);
	s->n += n;
	return ok;
}

/* Whether there are enough numbers to tell. */
static bool draw_sample(Proof *p, const Value *b, const Value *a, int round, bool fixed, Sample *s)
{
	int64_t before = -1;
	s->n = 0;
	for (uint64_t run = 0; run < (fixed ? 1 : MAX_DRAWS) && s->n < SAMPLES && s->n != before; run++) {
		before = s->n;
		if (!draw_more(p, b, a, round, run, s))
			return false;
	}
	return s->n >= DISTANCE_MIN || s->n == 0;
}

static double mean(const double *x, int64_t n)
{
	double sum = 0;
	for (int64_t i = 0; i < n; i++)
		sum += x[i] / (double)n;
	return sum;
}

void prove_drawn(Proof *p, const Value *b, const Value *a)
{
	Sources from = { .by = b->def->id + 1 };
	Sample s;
	bool any = false, alike = true;
	p->self = a;
	if (!proof_same_shape(p, b, a))
		return;
	find_sources(p, &from);
	if (from.shared) {
		proof_fail(p, b, a, 0, 0, arena_strdup(p->arena, "random numbers are drawn for two values at once"));
		return;
	}
	for (int k = 0; k < 2; k++)
		s.of[k] = NEW_ARRAY(p->arena, double, SAMPLES);
	p->drawing = true;
	for (int round = 0; alike && round < DRAWN_ROUNDS; round++) {
		if (!draw_sample(p, b, a, round, from.fixed || has_seed(b->def), &s))
			continue;
		any = true;
		double got = mean(s.of[1], s.n), want = mean(s.of[0], s.n);
		alike = !s.n || samples_alike(s.of[0], s.n, s.of[1], s.n);
		if (!alike)
			proof_fail(p, b, a, got, want, arena_strdup(p->arena, "means of numbers drawn from different distributions"));
	}
	p->drawing = false;
	if (any) {
		p->report->checked += alike;
		p->report->drawn += alike;
	} else if (from.draws) {
		proof_skip(p, "random numbers: their type and shape alone are compared");
	} else {
		proof_fail(p, b, a, 0, 0, arena_strdup(p->arena, "a random number is not drawn any more"));
	}
}

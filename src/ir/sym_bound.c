#include "sym_poly.h"

/* Bounds are found by interval arithmetic over the terms, and, where a term is a function, also by replacing that function
 * by a linear bound of it: 2*floordiv(n,2) <= n shows n - 2*floordiv(n,2) >= 0, which intervals cannot see. */

#define NO_LOWER INT64_MIN
#define NO_UPPER INT64_MAX
#define RELAX_BUDGET 24 /* replacements tried for one bound */
#define RELAX_DEPTH 6   /* replacements on top of each other: each holds a Poly on the stack */

typedef struct Range {
	int64_t lo, hi;
} Range;

/* A lower bound that leaves int64 upwards is still a lower bound when cut; one that leaves it downwards is none. */
static Range range_of(int64_t lo, int64_t hi)
{
	return (Range){ lo == INT64_MAX ? INT64_MAX - 1 : lo, hi == INT64_MIN ? INT64_MIN + 1 : hi };
}

/* Products with the two extreme values standing for infinities. */
static int64_t bound_multiply(int64_t a, int64_t b)
{
	int64_t r;
	if (a == 0 || b == 0)
		return 0;
	bool infinite = a == NO_LOWER || a == NO_UPPER || b == NO_LOWER || b == NO_UPPER;
	if (!infinite && mul_ok(a, b, &r))
		return r;
	return (a < 0) == (b < 0) ? NO_UPPER : NO_LOWER;
}

static Range range_multiply(Range a, Range b)
{
	int64_t p[4] = { bound_multiply(a.lo, b.lo), bound_multiply(a.lo, b.hi), bound_multiply(a.hi, b.lo),
		         bound_multiply(a.hi, b.hi) };
	int64_t lo = p[0], hi = p[0];
	for (int i = 1; i < 4; i++) {
		lo = p[i] < lo ? p[i] : lo;
		hi = p[i] > hi ? p[i] : hi;
	}
	return range_of(lo, hi);
}

static int64_t lower_add(int64_t a, int64_t b)
{
	int64_t r;
	if (a == NO_LOWER || b == NO_LOWER)
		return NO_LOWER;
	if (!add_ok(a, b, &r))
		return a < 0 ? NO_LOWER : INT64_MAX - 1;
	return r == INT64_MAX ? r - 1 : r;
}

static Range mono_range(const Mono *m)
{
	Range r = { 1, 1 };
	for (uint32_t i = 0; i < m->nfactors; i++) {
		const Sym *s = m->factors[i].atom;
		Range power = { 1, 1 };
		for (uint32_t k = 0; k < m->factors[i].power; k++)
			power = range_multiply(power, (Range){ s->lo, s->hi });
		if (m->factors[i].power % 2 == 0 && power.lo < 0)
			power.lo = 0;
		r = range_multiply(r, power);
	}
	return range_multiply(r, (Range){ m->coef, m->coef });
}

static int64_t interval_lower(const Poly *p)
{
	int64_t lo = p->constant;
	for (uint32_t i = 0; i < p->nterms; i++)
		lo = lower_add(lo, mono_range(&p->terms[i]).lo);
	return lo;
}

static int64_t lower_relaxed(const Poly *p, int depth, int *budget);

/* Lower bound of scale*(p without term t) + by*s + k, divided by scale and rounded up. */
static int64_t lower_with(const Poly *p, uint32_t t, int64_t scale, const Sym *s, int64_t by, int64_t k, int depth,
		int *budget)
{
	if (*budget <= 0)
		return NO_LOWER;
	(*budget)--;
	Poly q;
	int64_t shift;
	poly_init(&q, 0);
	for (uint32_t i = 0; i < p->nterms && !q.failed; i++) {
		Mono m = p->terms[i];
		if (i == t)
			continue;
		if (mul_ok(m.coef, scale, &m.coef))
			poly_add_mono(&q, &m);
		else
			q.failed = true;
	}
	if (!mul_ok(p->constant, scale, &shift) || !add_ok(shift, k, &shift))
		return NO_LOWER;
	poly_add_constant(&q, shift);
	poly_add_sym(&q, s, by);
	if (q.failed)
		return NO_LOWER;
	int64_t lo = lower_relaxed(&q, depth - 1, budget);
	return lo == NO_LOWER ? lo : -floor_div(-lo, scale);
}

/* The best lower bound of p by replacing term t, which is coef * f(args). */
static int64_t lower_without(const Poly *p, uint32_t t, int depth, int *budget)
{
	const Sym *f = p->terms[t].factors[0].atom;
	int64_t coef = p->terms[t].coef, best = NO_LOWER, k;
	if (f->tag == TAG_FLOORDIV) {
		const Sym *a = f->args[0], *b = f->args[1];
		if (sym_const(b, &k) && k > 0) { /* (a-k+1)/k <= f <= a/k */
			int64_t slack = 0;
			if (coef > 0 && !mul_ok(coef, 1 - k, &slack))
				return NO_LOWER;
			return lower_with(p, t, k, a, coef, slack, depth, budget);
		}
		return coef < 0 && a->lo >= 0 && b->lo >= 0 ? lower_with(p, t, 1, a, coef, 0, depth, budget) : NO_LOWER;
	}
	if (f->tag == TAG_MOD) { /* f <= a when a >= 0; f <= b-1 when b > 0 */
		if (coef > 0 || coef == INT64_MIN || f->args[1]->lo < 0)
			return NO_LOWER;
		best = lower_with(p, t, 1, f->args[1], coef, -coef, depth, budget);
		int64_t other = f->args[0]->lo >= 0 ? lower_with(p, t, 1, f->args[0], coef, 0, depth, budget) : NO_LOWER;
		return other > best ? other : best;
	}
	/* One bound each argument: for coef*max with coef > 0 any of them serves, for coef*min the worst one holds. */
	bool any = (f->tag == TAG_MAX) == (coef > 0);
	for (uint32_t i = 0; i < f->nargs; i++) {
		int64_t lo = lower_with(p, t, 1, f->args[i], coef, 0, depth, budget);
		if (i == 0 || (any ? lo > best : lo < best))
			best = lo;
	}
	return best;
}

static int64_t lower_relaxed(const Poly *p, int depth, int *budget)
{
	int64_t best = interval_lower(p);
	if (depth <= 0)
		return best;
	for (uint32_t i = 0; i < p->nterms && *budget > 0; i++) {
		const Mono *m = &p->terms[i];
		if (m->degree != 1 || !sym_has_args(m->factors[0].atom))
			continue;
		int64_t lo = lower_without(p, i, depth, budget);
		best = lo > best ? lo : best;
	}
	return best;
}

int64_t poly_lower(const Poly *p)
{
	int budget = RELAX_BUDGET;
	return p->failed ? NO_LOWER : lower_relaxed(p, RELAX_DEPTH, &budget);
}

int64_t poly_upper(const Poly *p)
{
	Poly n;
	poly_init(&n, 0);
	poly_add_poly(&n, p, -1);
	int64_t lo = poly_lower(&n);
	return lo == NO_LOWER ? NO_UPPER : -lo;
}

/* A divisor that may be zero counts as positive: division by zero has no value to bound. */
static Range floordiv_range(const Sym *a, const Sym *b)
{
	Range r = { NO_LOWER, NO_UPPER };
	if (b->lo < 0)
		return r;
	int64_t least = b->lo > 0 ? b->lo : 1;
	bool endless = b->hi == NO_UPPER || b->hi < least;
	if (a->lo >= 0)
		r.lo = endless ? 0 : floor_div(a->lo, b->hi);
	else if (a->lo != NO_LOWER)
		r.lo = floor_div(a->lo, least);
	if (a->hi != NO_UPPER && a->hi >= 0)
		r.hi = floor_div(a->hi, least);
	else if (a->hi < 0)
		r.hi = endless ? -1 : floor_div(a->hi, b->hi);
	return r;
}

static Range mod_range(const Sym *a, const Sym *b)
{
	Range r = { NO_LOWER, NO_UPPER };
	if (b->lo >= 0) {
		r.lo = 0;
		r.hi = b->hi == NO_UPPER ? NO_UPPER : b->hi > 0 ? b->hi - 1 : 0;
		if (a->lo >= 0 && a->hi < r.hi)
			r.hi = a->hi;
	} else if (b->hi < 0) {
		r.lo = b->lo == NO_LOWER ? NO_LOWER : b->lo + 1;
		r.hi = 0;
	}
	return r;
}

static Range extreme_range(const Sym *s)
{
	Range r = { s->args[0]->lo, s->args[0]->hi };
	for (uint32_t i = 1; i < s->nargs; i++) {
		const Sym *a = s->args[i];
		bool max = s->tag == TAG_MAX;
		r.lo = max == (a->lo > r.lo) ? a->lo : r.lo;
		r.hi = max == (a->hi > r.hi) ? a->hi : r.hi;
	}
	return r;
}

void sym_bound(Sym *s)
{
	Range r = { NO_LOWER, NO_UPPER };
	switch (s->tag) {
	case TAG_CONST:
		r = (Range){ s->value, s->value };
		break;
	case TAG_SYMBOL:
	case TAG_UNKNOWN:
		r.lo = 0;
		break;
	case TAG_UNKNOWN_INT:
		break;
	case TAG_FLOORDIV:
		r = floordiv_range(s->args[0], s->args[1]);
		break;
	case TAG_MOD:
		r = mod_range(s->args[0], s->args[1]);
		break;
	case TAG_MIN:
	case TAG_MAX:
		r = extreme_range(s);
		break;
	case TAG_SUM: {
		Poly p;
		poly_init(&p, 0);
		poly_add_sym(&p, s, 1);
		r = (Range){ poly_lower(&p), poly_upper(&p) };
		break;
	}
	}
	s->lo = r.lo;
	s->hi = r.hi;
}

int64_t sym_lower(const Sym *s)
{
	return s->lo;
}

int64_t sym_upper(const Sym *s)
{
	return s->hi;
}

/* ---- comparison: bounds of the difference ---- */

bool sym_diff_at_least(const Sym *a, const Sym *b, int64_t k)
{
	int64_t d;
	if (a == b)
		return k <= 0;
	if (a->tag == TAG_CONST && b->tag == TAG_CONST)
		return sub_ok(a->value, b->value, &d) ? d >= k : a->value > b->value;
	if (a->lo != NO_LOWER && b->hi != NO_UPPER && sub_ok(a->lo, b->hi, &d) && d >= k)
		return true;
	Poly p;
	poly_init(&p, 0);
	poly_add_sym(&p, a, 1);
	poly_add_sym(&p, b, -1);
	return !p.failed && poly_lower(&p) >= k;
}

bool sym_known_eq(const Sym *a, const Sym *b)
{
	return a == b || (sym_diff_at_least(a, b, 0) && sym_diff_at_least(b, a, 0));
}

bool sym_known_le(Context *c, const Sym *a, const Sym *b)
{
	(void)c;
	return sym_diff_at_least(b, a, 0);
}

bool sym_known_lt(Context *c, const Sym *a, const Sym *b)
{
	(void)c;
	return sym_diff_at_least(b, a, 1);
}

/* Also by divisibility: 2*n + 1 is never 0. */
bool sym_known_ne(Context *c, const Sym *a, const Sym *b)
{
	(void)c;
	if (a == b)
		return false;
	if (sym_diff_at_least(a, b, 1) || sym_diff_at_least(b, a, 1))
		return true;
	Poly p;
	poly_init(&p, 0);
	poly_add_sym(&p, a, 1);
	poly_add_sym(&p, b, -1);
	uint64_t g = 0;
	for (uint32_t i = 0; i < p.nterms; i++)
		g = gcd_u64(g, abs_u64(p.terms[i].coef));
	return !p.failed && g > 1 && abs_u64(p.constant) % g != 0;
}

#include "sym_poly.h"

/* Division, modulus, minimum and maximum. Each first takes out what has a closed form and keeps a function atom for the
 * rest in one normal shape. All identities used hold for every integer except a zero divisor, which has no value. */

/* Splits p = k*q + r with |coefficients of r| < k and 0 <= constant of r < k. */
static void split_by_constant(const Poly *p, int64_t k, Poly *q, Poly *r)
{
	poly_init(q, floor_div(p->constant, k));
	poly_init(r, floor_mod(p->constant, k));
	for (uint32_t i = 0; i < p->nterms; i++) {
		Mono m = p->terms[i];
		int64_t coef = m.coef;
		m.coef = coef / k;
		poly_add_mono(q, &m);
		m.coef = coef % k;
		poly_add_mono(r, &m);
	}
}

static int64_t gcd_of_coefs(const Poly *p, int64_t k)
{
	uint64_t g = abs_u64(k);
	for (uint32_t i = 0; i < p->nterms; i++)
		g = gcd_u64(g, abs_u64(p->terms[i].coef));
	return g > INT64_MAX ? 1 : (int64_t)g;
}

static bool range_is_one_quotient(const Poly *p, int64_t k, int64_t *q)
{
	int64_t lo = poly_lower(p), hi = poly_upper(p);
	if (lo == INT64_MIN || hi == INT64_MAX || floor_div(lo, k) != floor_div(hi, k))
		return false;
	*q = floor_div(lo, k);
	return true;
}

/* r/k where r has a term +-floordiv(x, a): floordiv(rest + floordiv(x,a), k) = floordiv(x + a*rest, a*k), and
 * -floordiv(x,a) = floordiv(-x + a-1, a). NULL when there is none or numbers grow too big. */
static const Sym *merge_nested(Context *c, const Poly *r, int64_t k)
{
	for (uint32_t i = 0; i < r->nterms; i++) {
		const Mono *m = &r->terms[i];
		const Sym *f = m->factors[0].atom;
		int64_t a, ak;
		if ((m->coef != 1 && m->coef != -1) || m->degree != 1 || f->tag != TAG_FLOORDIV)
			continue;
		if (!sym_const(f->args[1], &a) || a <= 0 || !mul_ok(a, k, &ak))
			continue;
		Poly x, rest;
		Mono minus = *m;
		minus.coef = -m->coef;
		poly_copy(&rest, r);
		poly_add_mono(&rest, &minus);
		poly_init(&x, m->coef < 0 ? a - 1 : 0);
		poly_add_sym(&x, f->args[0], m->coef);
		poly_add_poly(&x, &rest, a);
		if (!x.failed)
			return sym_floordiv(c, sym_of_poly(c, &x, false), sym_int(c, ak));
	}
	return NULL;
}

/* floordiv(r, k) for a remainder of split_by_constant. */
static const Sym *divide_remainder(Context *c, Poly *r, int64_t k)
{
	int64_t g = gcd_of_coefs(r, k), q;
	if (r->nterms == 0)
		return sym_int(c, 0);
	for (uint32_t i = 0; i < r->nterms; i++)
		r->terms[i].coef /= g;
	r->constant = floor_div(r->constant, g);
	k /= g;
	if (range_is_one_quotient(r, k, &q))
		return sym_int(c, q);
	const Sym *merged = merge_nested(c, r, k);
	if (merged)
		return merged;
	const Sym *args[2] = { sym_of_poly(c, r, false), sym_int(c, k) };
	return sym_function(c, TAG_FLOORDIV, args, 2);
}

/* a/k = q + r/k. The first term of r is made positive by floordiv(r,k) = -floordiv(-r + k-1, k), so that rounding up has
 * one form too: -floordiv(-n, 2) is floordiv(n+1, 2). */
static const Sym *divide_by_constant(Context *c, const Sym *a, int64_t k)
{
	if (k == 1)
		return a;
	if (k == INT64_MIN)
		return sym_unknown_int(c);
	if (k < 0)
		return sym_floordiv(c, sym_neg(c, a), sym_int(c, -k));
	Poly p, q, r;
	poly_init(&p, 0);
	poly_add_sym(&p, a, 1);
	split_by_constant(&p, k, &q, &r);
	if (r.nterms == 0 || r.terms[0].coef > 0)
		return sym_add(c, sym_of_poly(c, &q, false), divide_remainder(c, &r, k));
	poly_init(&p, k - 1);
	poly_add_poly(&p, &r, -1); /* its constant stays in [0, k) */
	return sym_sub(c, sym_of_poly(c, &q, false), divide_remainder(c, &p, k));
}

/* ---- symbolic divisors ---- */

static bool is_constant_term(const Mono *m)
{
	return m->nfactors == 0;
}

/* The greatest product of atoms and number that divides every term (and constant) of a and b. */
static void common_factor(const Poly *a, const Poly *b, Mono *g)
{
	const Poly *both[2] = { a, b };
	*g = a->terms[0];
	uint64_t coef = 0;
	for (int j = 0; j < 2; j++) {
		const Poly *p = both[j];
		for (uint32_t i = 0; i < p->nterms; i++) {
			coef = gcd_u64(coef, abs_u64(p->terms[i].coef));
			uint32_t n = 0;
			for (uint32_t x = 0; x < g->nfactors; x++) {
				Factor f = g->factors[x];
				uint32_t power = 0;
				for (uint32_t y = 0; y < p->terms[i].nfactors; y++)
					if (p->terms[i].factors[y].atom == f.atom)
						power = p->terms[i].factors[y].power;
				f.power = power < f.power ? power : f.power;
				if (f.power)
					g->factors[n++] = f;
			}
			g->nfactors = n;
		}
		coef = gcd_u64(coef, abs_u64(p->constant));
		if (p->constant)
			g->nfactors = 0;
	}
	g->degree = 0;
	for (uint32_t i = 0; i < g->nfactors; i++)
		g->degree += g->factors[i].power;
	g->coef = coef && coef <= INT64_MAX ? (int64_t)coef : 1;
}

/* Every term is divisible by g. */
static void poly_divide_exactly(Poly *p, const Mono *g)
{
	Poly r;
	Mono q;
	poly_init(&r, p->constant / g->coef);
	for (uint32_t i = 0; i < p->nterms; i++) {
		if (mono_divide(&p->terms[i], g, &q))
			poly_add_mono(&r, &q);
		else
			r.failed = true;
	}
	poly_copy(p, &r);
}

#define LONG_DIVISION_STEPS 16

/* a = q*b + r by polynomial division, as far as first terms divide. */
static void long_division(const Poly *a, const Poly *b, Poly *q, Poly *r)
{
	Mono t;
	poly_init(q, 0);
	poly_copy(r, a);
	for (int i = 0; i < LONG_DIVISION_STEPS && r->nterms && mono_divide(&r->terms[0], &b->terms[0], &t); i++) {
		poly_add_mono(q, &t);
		poly_add_product(r, &t, b, -1);
		if (r->failed || q->failed)
			return;
	}
}

/* For a divisor of one term: q gets the terms of a that it divides, r the others. */
static void split_by_mono(const Poly *a, const Mono *b, Poly *q, Poly *r)
{
	Mono t;
	poly_init(q, 0);
	poly_init(r, a->constant);
	for (uint32_t i = 0; i < a->nterms; i++) {
		bool divides = mono_divide(&a->terms[i], b, &t);
		poly_add_mono(divides ? q : r, divides ? &t : &a->terms[i]);
	}
}

/* What dividing a by the symbolic b comes to: the result is exact (quotient q, no remainder), or scaled (both divided by
 * the common factor g), or a = q*b + r with r not zero; q may be 0 and r = a. */
typedef struct Division {
	Poly a, b, q, r;
	Mono g;
	bool negated; /* a and b were negated: the first term of b is positive */
} Division;

static bool division_start(Division *d, const Sym *a, const Sym *b)
{
	poly_init(&d->a, 0);
	poly_init(&d->b, 0);
	poly_add_sym(&d->b, b, 1);
	d->negated = d->b.terms[0].coef < 0;
	if (d->negated) {
		poly_init(&d->b, 0);
		poly_add_sym(&d->b, b, -1);
	}
	poly_add_sym(&d->a, a, d->negated ? -1 : 1);
	return !d->a.failed && !d->b.failed;
}

/* True when a and b had a common factor, which is taken out of both. */
static bool division_cancel(Division *d)
{
	if (d->a.nterms == 0) {
		Mono g = { .coef = gcd_of_coefs(&d->b, d->a.constant) };
		uint64_t k = gcd_u64(abs_u64(g.coef), abs_u64(d->b.constant));
		if (k > INT64_MAX)
			return false;
		g.coef = (int64_t)k;
		d->g = g;
	} else {
		common_factor(&d->a, &d->b, &d->g);
	}
	if (d->g.coef <= 1 && is_constant_term(&d->g))
		return false;
	poly_divide_exactly(&d->a, &d->g);
	poly_divide_exactly(&d->b, &d->g);
	return !d->a.failed && !d->b.failed;
}

/* Fills q and r. With several terms in b only a division without remainder, or with one known to be in [0, b), counts. */
static void division_split(Division *d)
{
	if (d->b.nterms == 1 && d->b.constant == 0) {
		split_by_mono(&d->a, &d->b.terms[0], &d->q, &d->r);
	} else {
		long_division(&d->a, &d->b, &d->q, &d->r);
		bool small = !d->r.failed && !d->q.failed && poly_lower(&d->r) >= 0;
		if (small && !poly_is_zero(&d->r)) {
			Poly gap;
			poly_copy(&gap, &d->b);
			poly_add_poly(&gap, &d->r, -1);
			small = poly_lower(&gap) >= 1;
		}
		if (!small) {
			poly_init(&d->q, 0);
			poly_copy(&d->r, &d->a);
		}
	}
}

static const Sym *divide_by_sym(Context *c, const Sym *a, const Sym *b)
{
	Division d;
	const Sym *args[2] = { a, b };
	if (!division_start(&d, a, b))
		return sym_function(c, TAG_FLOORDIV, args, 2);
	bool changed = division_cancel(&d) || d.negated;
	args[0] = sym_of_poly(c, &d.a, false);
	args[1] = sym_of_poly(c, &d.b, false);
	if (changed)
		return sym_floordiv(c, args[0], args[1]);
	division_split(&d);
	const Sym *r = sym_of_poly(c, &d.r, false), *q = sym_of_poly(c, &d.q, false);
	if (r != args[0])
		return sym_add(c, q, sym_floordiv(c, r, args[1]));
	if (r->lo >= 0 && sym_diff_at_least(args[1], r, 1))
		return sym_int(c, 0);
	if (r->tag == TAG_FLOORDIV && r->args[1]->lo >= 0 && args[1]->lo >= 0)
		return sym_floordiv(c, r->args[0], sym_mul(c, r->args[1], args[1]));
	return sym_function(c, TAG_FLOORDIV, args, 2);
}

const Sym *sym_floordiv(Context *c, const Sym *a, const Sym *b)
{
	int64_t ka, kb;
	bool ca = sym_const(a, &ka), cb = sym_const(b, &kb);
	if (cb && kb == 0)
		return sym_unknown_int(c);
	if (ca && ka == 0)
		return a;
	if (a == b)
		return sym_int(c, 1);
	if (ca && cb) {
		if (kb == INT64_MIN || (kb < 0 && ka == INT64_MIN))
			return kb == INT64_MIN ? sym_int(c, ka > 0 ? -1 : 0) : sym_unknown_int(c);
		return sym_int(c, kb < 0 ? floor_div(-ka, -kb) : floor_div(ka, kb));
	}
	return cb ? divide_by_constant(c, a, kb) : divide_by_sym(c, a, b);
}

const Sym *sym_ceildiv(Context *c, const Sym *a, const Sym *b)
{
	return sym_neg(c, sym_floordiv(c, sym_neg(c, a), b));
}

/* Rounds towards zero. With only the divisor known positive it is floordiv of the positive part plus ceildiv of the
 * negative part, one of which is zero. */
const Sym *sym_truncdiv(Context *c, const Sym *a, const Sym *b)
{
	const Sym *zero = sym_int(c, 0);
	bool b_nonneg = b->lo >= 0, b_neg = b->hi < 0;
	if (a == b || (a->lo >= 0 && b_nonneg) || (a->hi <= 0 && b_neg))
		return sym_floordiv(c, a, b);
	if ((a->hi <= 0 && b_nonneg) || (a->lo >= 0 && b_neg))
		return sym_ceildiv(c, a, b);
	const Sym *down = sym_floordiv(c, a, b), *up = sym_ceildiv(c, a, b);
	if (down == up)
		return down; /* exact */
	if (!b_nonneg)
		return sym_unknown_int(c);
	return sym_add(c, sym_max(c, down, zero), sym_min(c, up, zero));
}

/* ---- modulus ---- */

/* Reduces coefficients to [0, k), and c*mod(x,m) to c*x where k divides m. */
static void reduce_modulo(const Sym *a, int64_t k, Poly *r)
{
	Poly p;
	poly_init(&p, 0);
	poly_add_sym(&p, a, 1);
	for (bool again = true; again && !p.failed;) {
		again = false;
		poly_init(r, floor_mod(p.constant, k));
		for (uint32_t i = 0; i < p.nterms; i++) {
			Mono m = p.terms[i];
			const Sym *f = m.factors[0].atom;
			int64_t inner;
			m.coef = floor_mod(m.coef, k);
			if (m.degree == 1 && f->tag == TAG_MOD && sym_const(f->args[1], &inner) && inner % k == 0) {
				poly_add_sym(r, f->args[0], m.coef);
				again = true;
			} else {
				poly_add_mono(r, &m);
			}
		}
		if (again)
			poly_copy(&p, r);
	}
	r->failed = r->failed || p.failed;
}

static const Sym *mod_by_constant(Context *c, const Sym *a, int64_t k)
{
	if (k == INT64_MIN)
		return sym_unknown_int(c);
	if (k < 0)
		return sym_neg(c, sym_mod(c, sym_neg(c, a), sym_int(c, -k)));
	Poly r;
	int64_t q, shift;
	reduce_modulo(a, k, &r);
	if (r.failed)
		return sym_unknown(c);
	if (r.nterms == 0)
		return sym_int(c, floor_mod(r.constant, k));
	if (range_is_one_quotient(&r, k, &q) && mul_ok(q, k, &shift)) {
		poly_add_constant(&r, -shift);
		return sym_of_poly(c, &r, true);
	}
	/* mod(g*x + s, g*k) = g*mod(x + floor(s/g), k) + s mod g */
	int64_t g = gcd_of_coefs(&r, k), left = floor_mod(r.constant, g);
	for (uint32_t i = 0; i < r.nterms; i++)
		r.terms[i].coef /= g;
	r.constant = floor_div(r.constant, g);
	const Sym *args[2] = { sym_of_poly(c, &r, false), sym_int(c, k / g) };
	const Sym *f = sym_function(c, TAG_MOD, args, 2);
	return sym_add(c, sym_mul(c, f, sym_int(c, g)), sym_int(c, left));
}

static const Sym *mod_by_sym(Context *c, const Sym *a, const Sym *b)
{
	Division d;
	const Sym *args[2] = { a, b };
	if (!division_start(&d, a, b))
		return sym_function(c, TAG_MOD, args, 2);
	bool cancelled = division_cancel(&d);
	args[0] = sym_of_poly(c, &d.a, false);
	args[1] = sym_of_poly(c, &d.b, false);
	if (cancelled || d.negated) {
		/* mod(g*x, g*y) = g*mod(x, y), also for negative g */
		const Sym *f = sym_mod(c, args[0], args[1]);
		Poly p, pf;
		Mono one = { .coef = 1 };
		poly_init(&pf, 0);
		poly_add_sym(&pf, f, 1);
		poly_init(&p, 0);
		poly_add_product(&p, cancelled ? &d.g : &one, &pf, d.negated ? -1 : 1);
		return sym_of_poly(c, &p, b->lo >= 0);
	}
	division_split(&d);
	const Sym *r = sym_of_poly(c, &d.r, false);
	if (r != args[0])
		return sym_mod(c, r, args[1]);
	if (r->lo >= 0 && sym_diff_at_least(args[1], r, 1))
		return r;
	return sym_function(c, TAG_MOD, args, 2);
}

const Sym *sym_mod(Context *c, const Sym *a, const Sym *b)
{
	int64_t ka, kb;
	bool ca = sym_const(a, &ka), cb = sym_const(b, &kb);
	if (cb && kb == 0)
		return sym_unknown_int(c);
	if (a == b || (ca && ka == 0) || (cb && (kb == 1 || kb == -1)))
		return sym_int(c, 0);
	if (ca && cb) {
		int64_t r = ka % kb;
		return sym_int(c, r != 0 && (r < 0) != (kb < 0) ? r + kb : r);
	}
	return cb ? mod_by_constant(c, a, kb) : mod_by_sym(c, a, b);
}

/* ---- minimum and maximum ---- */

typedef struct Args {
	const Sym *v[2 * SYM_MAX_ARGS];
	uint32_t n;
} Args;

/* Adds s, or the arguments of the min/max that s is (plus a constant). */
static void args_collect(Context *c, SymTag tag, Args *args, const Sym *s)
{
	const Sym *f = s;
	if (s->tag == TAG_SUM && s->nterms == 1 && s->terms[0].coef == 1 && s->terms[0].degree == 1)
		f = s->terms[0].factors[0].atom;
	if (f->tag != tag) {
		args->v[args->n++] = s;
		return;
	}
	const Sym *offset = sym_int(c, sym_constant_part(s));
	for (uint32_t i = 0; i < f->nargs; i++)
		args->v[args->n++] = sym_add(c, f->args[i], offset);
}

/* Drops every argument that another one makes pointless. */
static void args_prune(SymTag tag, Args *args)
{
	for (uint32_t i = 0; i < args->n; i++)
		for (uint32_t k = 0; k < args->n; k++) {
			if (i == k)
				continue;
			const Sym *x = args->v[i], *y = args->v[k];
			bool pointless = tag == TAG_MAX ? sym_diff_at_least(y, x, 0) : sym_diff_at_least(x, y, 0);
			if (pointless) {
				args->v[i--] = args->v[--args->n];
				break;
			}
		}
}

static void args_sort(Args *args)
{
	for (uint32_t i = 1; i < args->n; i++) {
		const Sym *s = args->v[i];
		uint32_t k = i;
		for (; k > 0 && sym_compare_terms(args->v[k - 1], s) > 0; k--)
			args->v[k] = args->v[k - 1];
		args->v[k] = s;
	}
}

/* The constant part of the first argument moves out: max(n-1, 0) + 1 is max(n, 1). */
static const Sym *extreme(Context *c, SymTag tag, const Sym *a, const Sym *b)
{
	Args args;
	args.n = 0;
	args_collect(c, tag, &args, a);
	args_collect(c, tag, &args, b);
	args_prune(tag, &args);
	if (args.n == 1)
		return args.v[0];
	bool nonneg = tag == TAG_MAX ? a->lo >= 0 || b->lo >= 0 : a->lo >= 0 && b->lo >= 0;
	if (args.n > SYM_MAX_ARGS)
		return sym_give_up(c, nonneg);
	args_sort(&args);
	const Sym *offset = sym_int(c, sym_constant_part(args.v[0]));
	for (uint32_t i = 0; i < args.n && !sym_is(offset, 0); i++) {
		const Sym *moved = sym_sub(c, args.v[i], offset);
		if (sym_is_unknown(moved) && !sym_is_unknown(args.v[i]))
			return sym_give_up(c, nonneg); /* overflow */
		args.v[i] = moved;
	}
	return sym_add(c, sym_function(c, tag, args.v, args.n), offset);
}

const Sym *sym_min(Context *c, const Sym *a, const Sym *b)
{
	return extreme(c, TAG_MIN, a, b);
}

const Sym *sym_max(Context *c, const Sym *a, const Sym *b)
{
	return extreme(c, TAG_MAX, a, b);
}

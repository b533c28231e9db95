#include "sym_poly.h"

#include <string.h>

/* ---- order and views ---- */

/* Terms of any node; an atom is shown as one term in `one`, which the caller provides. */
typedef struct TermView {
	Term one;
	Factor factor;
	const Term *terms;
	uint32_t n;
} TermView;

static void view_terms(TermView *v, const Sym *s)
{
	v->terms = s->terms;
	v->n = s->nterms;
	if (s->tag != TAG_CONST && s->tag != TAG_SUM) {
		v->factor = (Factor){ s, 1 };
		v->one = (Term){ 1, 1, 1, &v->factor };
		v->terms = &v->one;
		v->n = 1;
	}
}

int64_t sym_constant_part(const Sym *s)
{
	return s->tag == TAG_CONST || s->tag == TAG_SUM ? s->value : 0;
}

bool sym_has_args(const Sym *s)
{
	return s->nargs > 0;
}

/* Graded lexicographic: more factors first, then the smaller atom, then its higher power. */
static int compare_products(const Factor *a, uint32_t na, uint32_t da, const Factor *b, uint32_t nb, uint32_t db)
{
	if (da != db)
		return da > db ? -1 : 1;
	for (uint32_t i = 0; i < na && i < nb; i++) {
		int d = sym_compare(a[i].atom, b[i].atom);
		if (d)
			return d;
		if (a[i].power != b[i].power)
			return a[i].power > b[i].power ? -1 : 1;
	}
	return 0; /* equal degrees: neither list can be a true prefix of the other */
}

int sym_compare_terms(const Sym *a, const Sym *b)
{
	TermView va, vb;
	view_terms(&va, a);
	view_terms(&vb, b);
	for (uint32_t i = 0; i < va.n && i < vb.n; i++) {
		const Term *x = &va.terms[i], *y = &vb.terms[i];
		int d = compare_products(x->factors, x->nfactors, x->degree, y->factors, y->nfactors, y->degree);
		if (d)
			return d;
		if (x->coef != y->coef)
			return x->coef < y->coef ? -1 : 1;
	}
	return va.n == vb.n ? 0 : va.n > vb.n ? -1 : 1;
}

int sym_compare(const Sym *a, const Sym *b)
{
	if (a == b)
		return 0;
	if (a->tag != b->tag)
		return a->tag < b->tag ? -1 : 1;
	if (a->tag == TAG_SYMBOL)
		return str_order(a->name, b->name);
	if (a->nargs != b->nargs)
		return a->nargs < b->nargs ? -1 : 1;
	for (uint32_t i = 0; i < a->nargs; i++) {
		int d = sym_compare(a->args[i], b->args[i]);
		if (d)
			return d;
	}
	if (a->tag == TAG_SUM) {
		int d = sym_compare_terms(a, b);
		if (d)
			return d;
	}
	return (a->value > b->value) - (a->value < b->value);
}

/* ---- interning ---- */

static uint64_t sym_hash(const Sym *s)
{
	uint64_t h = hash_ptr(hash_mix(s->tag, (uint64_t)s->value), s->name);
	for (uint32_t i = 0; i < s->nargs; i++)
		h = hash_ptr(h, s->args[i]);
	for (uint32_t i = 0; i < s->nterms; i++) {
		const Term *t = &s->terms[i];
		h = hash_mix(h, (uint64_t)t->coef);
		for (uint32_t k = 0; k < t->nfactors; k++)
			h = hash_mix(hash_ptr(h, t->factors[k].atom), t->factors[k].power);
	}
	return h;
}

bool sym_intern_equal(const void *key, const void *item)
{
	const Sym *a = key, *b = item;
	if (a->tag != b->tag || a->value != b->value || a->name != b->name || a->nargs != b->nargs || a->nterms != b->nterms)
		return false;
	for (uint32_t i = 0; i < a->nargs; i++)
		if (a->args[i] != b->args[i])
			return false;
	for (uint32_t i = 0; i < a->nterms; i++) {
		const Term *x = &a->terms[i], *y = &b->terms[i];
		if (x->coef != y->coef || x->nfactors != y->nfactors)
			return false;
		for (uint32_t k = 0; k < x->nfactors; k++)
			if (x->factors[k].atom != y->factors[k].atom || x->factors[k].power != y->factors[k].power)
				return false;
	}
	return true;
}

/* The interned node equal to `s`, whose arrays may lie on the stack. */
static const Sym *sym_intern(Context *c, const Sym *s)
{
	uint64_t h = sym_hash(s);
	const Sym *found = interner_find(c->syms, h, s);
	if (found)
		return found;
	Sym *n = arena_dup(c->arena, s, sizeof *s);
	if (s->nargs)
		n->args = arena_dup(c->arena, s->args, s->nargs * sizeof *s->args);
	if (s->nterms) {
		Term *terms = arena_dup(c->arena, s->terms, s->nterms * sizeof *s->terms);
		for (uint32_t i = 0; i < s->nterms; i++)
			terms[i].factors = arena_dup(c->arena, terms[i].factors, terms[i].nfactors * sizeof *terms[i].factors);
		n->terms = terms;
	}
	sym_bound(n);
	interner_add(c->syms, h, n);
	return n;
}

const Sym *sym_int(Context *c, int64_t v)
{
	return sym_intern(c, &(Sym){ .tag = TAG_CONST, .value = v, .size = 1 });
}

const Sym *sym_symbol(Context *c, const Str *name)
{
	return sym_intern(c, &(Sym){ .tag = TAG_SYMBOL, .name = name, .size = 1 });
}

static Sym unknown_of(Context *c, SymTag tag, uint64_t serial)
{
	const Str *name = str_fmt(c, tag == TAG_UNKNOWN ? "?%llu" : "?i%llu", (unsigned long long)serial);
	return (Sym){ .tag = tag, .value = (int64_t)serial, .name = name, .size = 1 };
}

const Sym *sym_unknown_serial(Context *c, SymTag tag, uint64_t serial)
{
	Sym s = unknown_of(c, tag, serial);
	return sym_intern(c, &s);
}

/* Passes over the serials that a text has used, however great: what is fresh can be printed and read back. */
static const Sym *fresh_unknown(Context *c, SymTag tag)
{
	Sym s;
	do
		s = unknown_of(c, tag, c->next_unknown++);
	while (interner_find(c->syms, sym_hash(&s), &s));
	return sym_intern(c, &s);
}

const Sym *sym_unknown(Context *c)
{
	return fresh_unknown(c, TAG_UNKNOWN);
}

const Sym *sym_unknown_int(Context *c)
{
	return fresh_unknown(c, TAG_UNKNOWN_INT);
}

const Sym *sym_give_up(Context *c, bool nonneg)
{
	return nonneg ? sym_unknown(c) : sym_unknown_int(c);
}

const Sym *sym_function(Context *c, SymTag tag, const Sym *const *args, uint32_t nargs)
{
	Sym s = { .tag = tag, .args = args, .nargs = nargs, .size = 1 };
	for (uint32_t i = 0; i < nargs; i++) {
		s.size += args[i]->size;
		if (args[i]->depth + 1 > s.depth)
			s.depth = args[i]->depth + 1;
	}
	if (s.size > SYM_MAX_SIZE || s.depth > SYM_MAX_DEPTH) {
		sym_bound(&s);
		return sym_give_up(c, s.lo >= 0);
	}
	return sym_intern(c, &s);
}

const Sym *sym_of_poly(Context *c, const Poly *p, bool nonneg)
{
	if (p->failed)
		return sym_give_up(c, nonneg);
	if (p->nterms == 0)
		return sym_int(c, p->constant);
	const Mono *m = &p->terms[0];
	if (p->nterms == 1 && p->constant == 0 && m->coef == 1 && m->degree == 1)
		return m->factors[0].atom;
	Term terms[SYM_MAX_TERMS];
	Sym s = { .tag = TAG_SUM, .value = p->constant, .terms = terms, .nterms = p->nterms, .size = 1 };
	for (uint32_t i = 0; i < p->nterms; i++) {
		m = &p->terms[i];
		terms[i] = (Term){ m->coef, m->degree, m->nfactors, m->factors };
		s.size++;
		for (uint32_t k = 0; k < m->nfactors; k++) {
			const Sym *atom = m->factors[k].atom;
			s.size += m->factors[k].power * atom->size;
			if (atom->depth > s.depth)
				s.depth = atom->depth;
		}
	}
	if (s.size > SYM_MAX_SIZE)
		return sym_give_up(c, nonneg || poly_lower(p) >= 0);
	return sym_intern(c, &s);
}

/* ---- polynomials ---- */

void mono_of_atom(Mono *m, const Sym *atom, int64_t coef)
{
	m->coef = coef;
	m->degree = m->nfactors = 1;
	m->factors[0] = (Factor){ atom, 1 };
}

static void mono_of_term(Mono *m, const Term *t, int64_t coef)
{
	m->coef = coef;
	m->degree = t->degree;
	m->nfactors = t->nfactors;
	memcpy(m->factors, t->factors, t->nfactors * sizeof *t->factors);
}

static void mono_copy(Mono *to, const Mono *from)
{
	to->coef = from->coef;
	to->degree = from->degree;
	to->nfactors = from->nfactors;
	memcpy(to->factors, from->factors, from->nfactors * sizeof *from->factors);
}

/* Merges the sorted factor lists; false on overflow or when the product grows too long. */
static bool mono_multiply(const Mono *a, const Mono *b, Mono *r)
{
	if (!mul_ok(a->coef, b->coef, &r->coef) || a->degree + b->degree > SYM_MAX_DEGREE)
		return false;
	r->degree = a->degree + b->degree;
	r->nfactors = 0;
	uint32_t i = 0, k = 0;
	while (i < a->nfactors || k < b->nfactors) {
		int d = i == a->nfactors ? 1 : k == b->nfactors ? -1 : sym_compare(a->factors[i].atom, b->factors[k].atom);
		Factor f = d <= 0 ? a->factors[i++] : b->factors[k++];
		if (d == 0)
			f.power += b->factors[k++].power;
		r->factors[r->nfactors++] = f;
	}
	return true;
}

bool mono_divide(const Mono *a, const Mono *b, Mono *q)
{
	if (b->coef == 0 || (b->coef == -1 && a->coef == INT64_MIN) || a->coef % b->coef != 0 || a->degree < b->degree)
		return false;
	q->coef = a->coef / b->coef;
	q->degree = a->degree - b->degree;
	q->nfactors = 0;
	uint32_t k = 0;
	for (uint32_t i = 0; i < a->nfactors; i++) {
		Factor f = a->factors[i];
		if (k < b->nfactors && b->factors[k].atom == f.atom) {
			if (b->factors[k].power > f.power)
				return false;
			f.power -= b->factors[k++].power;
		}
		if (f.power)
			q->factors[q->nfactors++] = f;
	}
	return k == b->nfactors;
}

void poly_copy(Poly *to, const Poly *from)
{
	to->failed = from->failed;
	to->nterms = from->nterms;
	to->constant = from->constant;
	for (uint32_t i = 0; i < from->nterms; i++)
		mono_copy(&to->terms[i], &from->terms[i]);
}

void poly_add_constant(Poly *p, int64_t k)
{
	if (!add_ok(p->constant, k, &p->constant))
		p->failed = true;
}

/* Sorted insertion; equal products are merged and vanish at zero. */
void poly_add_mono(Poly *p, const Mono *m)
{
	if (p->failed || m->coef == 0)
		return;
	if (m->nfactors == 0) {
		poly_add_constant(p, m->coef);
		return;
	}
	uint32_t lo = 0, hi = p->nterms;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		Mono *t = &p->terms[mid];
		int d = compare_products(t->factors, t->nfactors, t->degree, m->factors, m->nfactors, m->degree);
		if (d == 0) {
			if (!add_ok(t->coef, m->coef, &t->coef))
				p->failed = true;
			else if (t->coef == 0)
				memmove(t, t + 1, (--p->nterms - mid) * sizeof *t);
			return;
		}
		if (d < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (p->nterms == SYM_MAX_TERMS) {
		p->failed = true;
		return;
	}
	memmove(&p->terms[lo + 1], &p->terms[lo], (p->nterms - lo) * sizeof *p->terms);
	mono_copy(&p->terms[lo], m);
	p->nterms++;
}

void poly_add_sym(Poly *p, const Sym *s, int64_t scale)
{
	TermView v;
	view_terms(&v, s);
	Mono m;
	int64_t k;
	for (uint32_t i = 0; i < v.n && !p->failed; i++) {
		if (!mul_ok(v.terms[i].coef, scale, &k)) {
			p->failed = true;
			return;
		}
		mono_of_term(&m, &v.terms[i], k);
		poly_add_mono(p, &m);
	}
	if (mul_ok(sym_constant_part(s), scale, &k))
		poly_add_constant(p, k);
	else
		p->failed = true;
}

void poly_add_product(Poly *p, const Mono *m, const Poly *q, int64_t scale)
{
	Mono by, r;
	mono_copy(&by, m);
	if (q->failed || !mul_ok(by.coef, scale, &by.coef))
		p->failed = true;
	for (uint32_t i = 0; i < q->nterms && !p->failed; i++) {
		if (mono_multiply(&by, &q->terms[i], &r))
			poly_add_mono(p, &r);
		else
			p->failed = true;
	}
	if (p->failed || q->constant == 0)
		return;
	if (mul_ok(by.coef, q->constant, &by.coef))
		poly_add_mono(p, &by);
	else
		p->failed = true;
}

void poly_add_poly(Poly *p, const Poly *q, int64_t scale)
{
	Mono one = { .coef = 1 };
	poly_add_product(p, &one, q, scale);
}

/* ---- arithmetic ---- */

static const Sym *add_scaled(Context *c, const Sym *a, const Sym *b, int64_t scale)
{
	Poly p;
	poly_init(&p, 0);
	poly_add_sym(&p, a, 1);
	poly_add_sym(&p, b, scale);
	return sym_of_poly(c, &p, scale > 0 && a->lo >= 0 && b->lo >= 0);
}

const Sym *sym_add(Context *c, const Sym *a, const Sym *b)
{
	return sym_is(a, 0) ? b : sym_is(b, 0) ? a : add_scaled(c, a, b, 1);
}

const Sym *sym_sub(Context *c, const Sym *a, const Sym *b)
{
	return sym_is(b, 0) ? a : a == b ? sym_int(c, 0) : add_scaled(c, a, b, -1);
}

const Sym *sym_neg(Context *c, const Sym *a)
{
	return sym_sub(c, sym_int(c, 0), a);
}

const Sym *sym_mul(Context *c, const Sym *a, const Sym *b)
{
	int64_t ka, kb, k;
	bool ca = sym_const(a, &ka), cb = sym_const(b, &kb);
	if (ca && cb)
		return mul_ok(ka, kb, &k) ? sym_int(c, k) : sym_give_up(c, (ka < 0) == (kb < 0));
	if (ca && (ka == 0 || ka == 1))
		return ka ? b : a;
	if (cb && (kb == 0 || kb == 1))
		return kb ? a : b;
	Poly p, pa, pb;
	Mono constant = { .coef = sym_constant_part(a) };
	poly_init(&pa, 0);
	poly_add_sym(&pa, a, 1);
	poly_init(&pb, 0);
	poly_add_sym(&pb, b, 1);
	poly_init(&p, 0);
	for (uint32_t i = 0; i < pa.nterms && !p.failed; i++)
		poly_add_product(&p, &pa.terms[i], &pb, 1);
	if (constant.coef)
		poly_add_product(&p, &constant, &pb, 1);
	return sym_of_poly(c, &p, a->lo >= 0 && b->lo >= 0);
}

/* A zero wins over an overflow on the way to it. */
const Sym *sym_product(Context *c, const Sym *const *dims, int n)
{
	for (int i = 0; i < n; i++)
		if (sym_is(dims[i], 0))
			return dims[i];
	const Sym *r = sym_int(c, 1);
	for (int i = 0; i < n; i++)
		r = sym_mul(c, r, dims[i]);
	return r;
}

/* ---- queries ---- */

bool sym_const(const Sym *s, int64_t *out)
{
	if (s->tag != TAG_CONST)
		return false;
	*out = s->value;
	return true;
}

bool sym_is_unknown(const Sym *s)
{
	return s->tag == TAG_UNKNOWN || s->tag == TAG_UNKNOWN_INT;
}

SymKind sym_kind(const Sym *s)
{
	return s->tag == TAG_CONST ? SYM_CONST : s->tag == TAG_SYMBOL || sym_is_unknown(s) ? SYM_SYMBOL : SYM_SUM;
}

const Str *sym_name(const Sym *s)
{
	return s->name;
}

static const Sym *apply(Context *c, SymTag tag, const Sym *a, const Sym *b)
{
	switch (tag) {
	case TAG_FLOORDIV:
		return sym_floordiv(c, a, b);
	case TAG_MOD:
		return sym_mod(c, a, b);
	case TAG_MIN:
		return sym_min(c, a, b);
	default:
		return sym_max(c, a, b);
	}
}

const Sym *sym_substitute(Context *c, const Sym *s, const Sym *(*find)(void *arg, const Sym *symbol), void *arg)
{
	if (s->tag == TAG_CONST)
		return s;
	if (sym_kind(s) == SYM_SYMBOL) {
		const Sym *r = find(arg, s);
		return r ? r : s;
	}
	if (sym_has_args(s)) {
		const Sym *args[SYM_MAX_ARGS], *r;
		bool same = true;
		for (uint32_t i = 0; i < s->nargs; i++) {
			args[i] = sym_substitute(c, s->args[i], find, arg);
			same = same && args[i] == s->args[i];
		}
		r = same ? s : args[0];
		for (uint32_t i = 1; i < s->nargs && !same; i++)
			r = apply(c, s->tag, r, args[i]);
		return r;
	}
	const Sym *sum = sym_int(c, s->value);
	for (uint32_t i = 0; i < s->nterms; i++) {
		const Sym *product = sym_int(c, s->terms[i].coef);
		for (uint32_t k = 0; k < s->terms[i].nfactors; k++) {
			const Factor *f = &s->terms[i].factors[k];
			const Sym *r = sym_substitute(c, f->atom, find, arg);
			for (uint32_t j = 0; j < f->power; j++)
				product = sym_mul(c, product, r);
		}
		sum = sym_add(c, sum, product);
	}
	return sum;
}

typedef bool LookupFn(void *arg, const Sym *symbol, int64_t *out);

static bool eval_function(const Sym *s, LookupFn *lookup, void *arg, int64_t *out)
{
	int64_t a, b;
	if (!sym_eval(s->args[0], lookup, arg, &a))
		return false;
	for (uint32_t i = 1; i < s->nargs; i++) {
		if (!sym_eval(s->args[i], lookup, arg, &b))
			return false;
		if (s->tag == TAG_MIN || s->tag == TAG_MAX) {
			a = (s->tag == TAG_MIN) == (b < a) ? b : a;
			continue;
		}
		if (b == 0 || (b == -1 && a == INT64_MIN))
			return false;
		int64_t q = a / b, r = a % b;
		bool adjust = r != 0 && (r < 0) != (b < 0);
		a = s->tag == TAG_FLOORDIV ? q - adjust : adjust ? r + b : r;
	}
	*out = a;
	return true;
}

bool sym_eval(const Sym *s, LookupFn *lookup, void *arg, int64_t *out)
{
	if (sym_const(s, out))
		return true;
	if (sym_kind(s) == SYM_SYMBOL)
		return lookup(arg, s, out);
	if (sym_has_args(s))
		return eval_function(s, lookup, arg, out);
	int64_t sum = s->value;
	for (uint32_t i = 0; i < s->nterms; i++) {
		int64_t product = s->terms[i].coef, v;
		for (uint32_t k = 0; k < s->terms[i].nfactors; k++) {
			if (!sym_eval(s->terms[i].factors[k].atom, lookup, arg, &v))
				return false;
			for (uint32_t j = 0; j < s->terms[i].factors[k].power; j++)
				if (!mul_ok(product, v, &product))
					return false;
		}
		if (!add_ok(sum, product, &sum))
			return false;
	}
	*out = sum;
	return true;
}

/* The size limit bounds the number of distinct symbols. */
typedef struct Seen {
	const Sym *v[SYM_MAX_SIZE];
	size_t n;
} Seen;

static void collect_symbols(const Sym *s, Seen *seen)
{
	if (sym_kind(s) == SYM_SYMBOL) {
		for (size_t i = 0; i < seen->n; i++)
			if (seen->v[i] == s)
				return;
		if (seen->n < SYM_MAX_SIZE)
			seen->v[seen->n++] = s;
	}
	for (uint32_t i = 0; i < s->nargs; i++)
		collect_symbols(s->args[i], seen);
	for (uint32_t i = 0; i < s->nterms; i++)
		for (uint32_t k = 0; k < s->terms[i].nfactors; k++)
			collect_symbols(s->terms[i].factors[k].atom, seen);
}

void sym_symbols(const Sym *s, void (*fn)(void *arg, const Sym *symbol), void *arg)
{
	Seen seen;
	seen.n = 0;
	collect_symbols(s, &seen);
	for (size_t i = 0; i < seen.n; i++)
		fn(arg, seen.v[i]);
}

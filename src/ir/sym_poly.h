/* sym_poly: the working form of symbolic integers, shared by sym*.c. Private to src/ir.
 *
 * A Sym is a constant, an atom (symbol, unknown, floordiv, mod, min, max) or a sum of at least one term that is not just
 * one atom. Terms are sorted by degree (highest first), then lexicographically by atoms: a monomial order, so that the
 * first term of a product is the product of the first terms and polynomial division works. Atoms are ordered by their
 * structure, never by address or age: the same expression prints the same way in every run.
 *
 * Arithmetic takes place in a Poly on the stack. What outgrows it, or overflows, sets `failed` and becomes an unknown. */
#ifndef HONE_SYM_POLY_H
#define HONE_SYM_POLY_H

#include "intern.h"

typedef enum SymTag {
	TAG_CONST,
	TAG_SYMBOL,
	TAG_UNKNOWN,
	TAG_UNKNOWN_INT, /* may be negative */
	TAG_FLOORDIV,    /* args[0], args[1] */
	TAG_MOD,
	TAG_MIN,         /* two or more sorted args */
	TAG_MAX,
	TAG_SUM
} SymTag;

#define SYM_MAX_TERMS 64
#define SYM_MAX_DEGREE 16 /* of a product, and so its number of factors */
#define SYM_MAX_ARGS 16   /* of min and max */
#define SYM_MAX_SIZE 512  /* nodes of an expression written out */
#define SYM_MAX_DEPTH 48  /* nesting of functions */

typedef struct Factor {
	const Sym *atom;
	uint32_t power;
} Factor;

typedef struct Term {
	int64_t coef; /* not 0 */
	uint32_t degree, nfactors;
	const Factor *factors; /* sorted by atom */
} Term;

struct Sym {
	SymTag tag;
	uint32_t size, depth;
	int64_t value;     /* CONST: the number; SUM: its constant part; UNKNOWN: the serial */
	const Str *name;   /* SYMBOL, UNKNOWN */
	const Sym *const *args;
	const Term *terms; /* SUM */
	uint32_t nargs, nterms;
	int64_t lo, hi;    /* INT64_MIN, INT64_MAX: none known */
};

typedef struct Mono {
	int64_t coef;
	uint32_t degree, nfactors;
	Factor factors[SYM_MAX_DEGREE];
} Mono;

typedef struct Poly {
	bool failed;
	uint32_t nterms;
	int64_t constant;
	Mono terms[SYM_MAX_TERMS];
} Poly; /* start with poly_init: the terms are not cleared */

static inline void poly_init(Poly *p, int64_t constant)
{
	p->failed = false;
	p->nterms = 0;
	p->constant = constant;
}

static inline bool poly_is_zero(const Poly *p)
{
	return !p->failed && p->nterms == 0 && p->constant == 0;
}

/* sym.c */
int sym_compare(const Sym *a, const Sym *b);          /* total order of structures */
int sym_compare_terms(const Sym *a, const Sym *b);    /* the same without constant parts; no terms come last */
bool sym_has_args(const Sym *s);                      /* a function atom */
int64_t sym_constant_part(const Sym *s);
const Sym *sym_give_up(Context *c, bool nonneg);      /* fresh unknown */
const Sym *sym_function(Context *c, SymTag tag, const Sym *const *args, uint32_t nargs); /* interns as it is */
const Sym *sym_of_poly(Context *c, const Poly *p, bool nonneg);
const Sym *sym_unknown_serial(Context *c, SymTag tag, uint64_t serial);
void poly_add_constant(Poly *p, int64_t k);
void poly_add_mono(Poly *p, const Mono *m);
void poly_add_sym(Poly *p, const Sym *s, int64_t scale); /* p += scale * s */
void poly_add_poly(Poly *p, const Poly *q, int64_t scale);
void poly_add_product(Poly *p, const Mono *m, const Poly *q, int64_t scale); /* p += scale * m * q */
void poly_copy(Poly *to, const Poly *from);
void mono_of_atom(Mono *m, const Sym *atom, int64_t coef);
bool mono_divide(const Mono *a, const Mono *b, Mono *q); /* a / b when exact */

/* sym_bound.c */
void sym_bound(Sym *s); /* sets lo and hi of a new node */
int64_t poly_lower(const Poly *p);
int64_t poly_upper(const Poly *p);
bool sym_diff_at_least(const Sym *a, const Sym *b, int64_t k); /* a - b >= k for certain */

static inline int64_t floor_div(int64_t a, int64_t b) /* b > 0 */
{
	return a / b - (a % b < 0);
}

static inline int64_t floor_mod(int64_t a, int64_t b) /* b > 0 */
{
	int64_t r = a % b;
	return r < 0 ? r + b : r;
}

static inline uint64_t gcd_u64(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t t = a % b;
		a = b;
		b = t;
	}
	return a;
}

static inline uint64_t abs_u64(int64_t a)
{
	return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

#endif

#include "sym_poly.h"

/* Bottom up: what is at hand is used, everything else is taken apart. */

static void *fold_args(const Sym *s, SymOp op, const SymFold *f)
{
	void *v = NULL;
	for (uint32_t i = 0; i < s->nargs; i++) {
		void *a = sym_fold(s->args[i], f);
		if (!a || !(v = i ? f->binary(f->arg, op, v, a) : a))
			return NULL;
	}
	return v;
}

static void *fold_term(const Term *t, const SymFold *f)
{
	void *v = NULL;
	for (uint32_t i = 0; i < t->nfactors; i++)
		for (uint32_t k = 0; k < t->factors[i].power; k++) {
			void *a = sym_fold(t->factors[i].atom, f);
			if (!a || !(v = v ? f->binary(f->arg, SYM_OP_MUL, v, a) : a))
				return NULL;
		}
	if (v && t->coef == 1)
		return v;
	void *coef = f->number(f->arg, t->coef);
	return v && coef ? f->binary(f->arg, SYM_OP_MUL, v, coef) : NULL;
}

static void *fold_sum(const Sym *s, const SymFold *f)
{
	void *v = NULL;
	for (uint32_t i = 0; i < s->nterms; i++) {
		void *a = fold_term(&s->terms[i], f);
		if (!a || !(v = v ? f->binary(f->arg, SYM_OP_ADD, v, a) : a))
			return NULL;
	}
	if (!v || s->value == 0)
		return v;
	void *k = f->number(f->arg, s->value);
	return k ? f->binary(f->arg, SYM_OP_ADD, v, k) : NULL;
}

void *sym_fold(const Sym *s, const SymFold *f)
{
	if (s->tag == TAG_CONST)
		return f->number(f->arg, s->value);
	void *v = f->known(f->arg, s);
	if (v)
		return v;
	switch (s->tag) {
	case TAG_FLOORDIV: return fold_args(s, SYM_OP_FLOORDIV, f);
	case TAG_MOD: return fold_args(s, SYM_OP_MOD, f);
	case TAG_MIN: return fold_args(s, SYM_OP_MIN, f);
	case TAG_MAX: return fold_args(s, SYM_OP_MAX, f);
	case TAG_SUM: return fold_sum(s, f);
	default: return NULL;
	}
}

/* special_int: what special.c and forms_random.c give to the passes core-forms and portable. */
#ifndef HONE_SPECIAL_INT_H
#define HONE_SPECIAL_INT_H

#include "legalise_int.h"

extern const LegaliseRow special_rows[]; /* functions of chlo that core has no op for, in core ops: special.c */
extern const size_t special_nrows;
bool chlo_forms(Module *m, PassCtx *p);  /* these rows over a module; whether something changed: legalise.c */
LegaliseFn special_ragged;               /* ragged.c */
LegaliseFn form_rng, form_rng_bits;      /* forms_random.c */
extern const LegaliseRow random_rows[];  /* those that draw */
extern const size_t random_nrows;
/* Copies the ops of a block, its arguments replaced; results[i] gets what its terminator gives. forms.c */
void fm_copy_block(Lg *l, const Block *from, Value *const *args, Block *to, Op *at, Value **results);

#endif

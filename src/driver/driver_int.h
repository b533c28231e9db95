/* driver_int: what the files of the driver share. */
#ifndef HONE_DRIVER_INT_H
#define HONE_DRIVER_INT_H

#include "driver/driver.h"

/* widen.c: ops on f16 and bf16 compute in f32 between casts. exact: results are rounded to their type after every op; else only
 * where a value leaves the ops that are widened. Unused casts stay for dce. True when anything changed. */
bool widen_halves(Module *m, Arena *a, bool exact);

/* rebatch.c: the first dim of the inputs becomes a symbol, which is returned; *size: what it was. NULL: no input has one, or some
 * are no numbers. Before any pass. */
const Sym *batch_open(Module *m, int64_t *size);
void batch_open_sizes(Module *m, const Sym *symbol, int64_t size); /* ... and so do sizes of reshapes; types are forgotten */
/* Whether the analysed module takes any size. False + diagnostics that say what does not. */
bool batch_is_open(Module *m, const Sym *symbol, Arena *a);

#endif

/* driver_int: what the files of the driver share. */
#ifndef HONE_DRIVER_INT_H
#define HONE_DRIVER_INT_H

#include "driver/driver.h"

/* widen.c: ops on f16 and bf16 compute in f32 between casts. exact: results are rounded to their type after every op; else only
 * where a value leaves the ops that are widened. Unused casts stay for dce. True when anything changed. */
bool widen_halves(Module *m, Arena *a, bool exact);

#endif

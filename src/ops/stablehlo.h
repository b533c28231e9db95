/* stablehlo: what the specification asks of modules.  stablehlo_verify.c */
#ifndef HONE_OPS_STABLEHLO_H
#define HONE_OPS_STABLEHLO_H

#include "ops/ops.h"

/* Types of regions, places within operands, dimensions that belong together: false, with an error for each op that breaks a
 * rule. Sizes and types that are not known pass. */
bool shlo_verify(Module *m);
/* The same of one op and the ends of its regions, without an error: readers that ask it of each op when it is complete save
 * the walk over the module (Module.sound_at). */
bool shlo_op_fits(const Op *op);

#endif

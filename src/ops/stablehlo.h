/* stablehlo: what the specification asks of modules.  stablehlo_verify.c */
#ifndef HONE_OPS_STABLEHLO_H
#define HONE_OPS_STABLEHLO_H

#include "ops/ops.h"

/* Types of regions, places within operands, dimensions that belong together: false, with an error for each op that breaks a
 * rule. Sizes and types that are not known pass. */
bool shlo_verify(Module *m);

#endif

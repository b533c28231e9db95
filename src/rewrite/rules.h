/* The rule sets, one a topic file: rules_algebra.c defines RULES_ALGEBRA, and so on. */
#ifndef HONE_RULES_H
#define HONE_RULES_H

#include "rewrite/rewrite.h"

extern const RuleSet RULES_ALGEBRA;   /* identity elements, idempotence, comparison and bool algebra, min/max/clamp */
extern const RuleSet RULES_CAST;      /* casts, quantise/dequantise pairs */
extern const RuleSet RULES_RESHAPE;   /* reshape, flatten, squeeze, unsqueeze, expand, tile */
extern const RuleSet RULES_TRANSPOSE; /* transposes: merge, sink, cancel */
extern const RuleSet RULES_SLICE;     /* slice, split, concat, gather, pad, scatter */
extern const RuleSet RULES_SHAPE;     /* shape arithmetic whose result is known */
extern const RuleSet RULES_CONTROL;   /* if, loop, sequences, dropout */
extern const RuleSet RULES_NORM;      /* batch norm to scale and shift; layer norm, gelu ... recognised */
extern const RuleSet RULES_CONV;      /* scale, shift, pad, bias into convolutions */
extern const RuleSet RULES_MATMUL;    /* matmul, gemm, einsum */
extern const RuleSet RULES_FUSE;      /* composite ops out of their parts: softmax, gelu, hard swish, reductions */
extern const RuleSet RULES_STABLEHLO; /* windows, gathers and the like that say what a core op says */
extern const RuleSet RULES_DECOMPOSE; /* the other way round, for compilers; on request only */
extern const RuleSet RULES_BACKEND;   /* likewise, once nothing else changes any more */

#endif

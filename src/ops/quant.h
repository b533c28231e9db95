/* Quantised element types of StableHLO, "!quant.uniform<i8<-127:127>:f32:1, {0.5:3, 2.0}>": stablehlo_quant.c. */
#ifndef HONE_OPS_QUANT_H
#define HONE_OPS_QUANT_H

#include "ops/ops.h"

/* real = (stored - zero) * scale */
typedef struct ShloQuant {
	DType storage, expressed;
	int64_t min, max;       /* of stored values */
	int axis;               /* -1: one scale and zero point for all elements */
	int64_t n;              /* scales and zeros: 1, or the size of the axis */
	const double *scales;
	const int64_t *zeros;
} ShloQuant;
/* False when t is not a quantised tensor, or one of a form that is not understood. */
bool shlo_quant_parse(const Type *t, Arena *a, ShloQuant *q);
bool shlo_type_is_quantised(const Type *t);
/* Whether the op moves stored numbers about; else it computes with real ones. Of an op without regions. */
bool shlo_moves_stored(const Op *op);

#endif

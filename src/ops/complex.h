/* complex: elementwise functions of complex numbers. Private to src/ops. */
#ifndef HONE_OPS_COMPLEX_H
#define HONE_OPS_COMPLEX_H

#include "ops.h"

/* Core op k of one complex number; false when it has none. y and x may be the same. */
bool complex_unary(OpKind k, const double x[2], double y[2]);
bool complex_power(const double a[2], const double b[2], double y[2]);

#endif

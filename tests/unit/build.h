/* build: small functions for tests of rules, written by hand in a line or two an op.
 *
 *	Build *b = build_new(13);
 *	Value *x = b_input(b, DT_F32, "n,3,8,8");
 *	Value *y = B_OP(b, OP_conv, "pads=1,1,1,1", x, b_random(b, DT_F32, "4,3,3,3"));
 *	b_output(b, B_OP(b, OP_relu, "", y));
 *	b_expect(b, "conv relu");
 *	build_free(b);
 */
#ifndef HONE_TEST_BUILD_H
#define HONE_TEST_BUILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pass/pass.h"

typedef struct Build {
	Context *ctx;
	Module *module;
	Func *func;
	Value *out[16];
	size_t nout;
	Rng rng;
	Module *before;            /* the function as built, once b_optimise ran */
	Arena *arena;
	RewriteLog log;
	const char *const *only;   /* rules or topics to run; NULL: all */
	int level;                 /* 0: the default level */
	double lo, hi;             /* range of the seeded inputs; default normal numbers */
	double oracle_tolerance;   /* relative to the largest element; default 1e-9 */
	double native_tolerance;   /* default 1e-4 */
} Build;

Build *build_new(int64_t opset);  /* an onnx module that imports this opset */
void build_free(Build *b);
/* dims: "2,n,?,8", "" for rank 0, NULL for unknown rank. */
Value *b_input(Build *b, DType d, const char *dims);
Value *b_random(Build *b, DType d, const char *dims);               /* seeded normal numbers (integers: 1..5) */
Value *b_positive(Build *b, DType d, const char *dims);             /* in [0.5, 1.5) */
Value *b_fill(Build *b, DType d, const char *dims, double v);
Value *b_floats(Build *b, DType d, const char *dims, const double *v);
Value *b_ints(Build *b, size_t n, const int64_t *v);                /* i64 vector */
#define B_INTS(b, ...) b_ints((b), sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (const int64_t[]){ __VA_ARGS__ })
/* attrs: "strides=2,2 mode=edge alpha=0.5"; kinds come from the op's row. An operand may be NULL. */
Value *b_op(Build *b, OpKind k, const char *attrs, size_t n, Value *const *operands);
Op *b_op_multi(Build *b, OpKind k, const char *attrs, size_t n, Value *const *operands, size_t nresults);
#define B_OP(b, k, attrs, ...) \
	b_op((b), (k), (attrs), sizeof((Value *[]){ __VA_ARGS__ }) / sizeof(Value *), (Value *[]){ __VA_ARGS__ })
void b_output(Build *b, Value *v);
/* Inference batch norm over axis 1 with c channels: seeded parameters. */
Value *b_batch_norm(Build *b, Value *x, const char *channels);

/* Ends the function, keeps a clone, optimises ("fix(shapes,fold,rules,cse,dce)"), compares both functions in double, then
 * materialises and compares again in the element types. Fails the test when results differ or an IR check fails. */
void b_optimise(Build *b);
/* Names of the ops that are not constant, without the return, in order, separated by blanks: "conv relu". */
const char *b_kinds(Build *b);
/* b_optimise, then exactly these ops are left. */
void b_expect(Build *b, const char *kinds);
/* Whether the rule fired. */
bool b_fired(const Build *b, const char *rule);
/* The first op of this kind that is left. */
Op *b_find(Build *b, OpKind k);

#endif

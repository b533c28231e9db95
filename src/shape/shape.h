/* shape: the one analysis of types, symbolic dims and shape arithmetic over a whole module. */
#ifndef HONE_SHAPE_H
#define HONE_SHAPE_H

#include "ops/ops.h"

typedef struct ShapeBinding { /* --dim name=size and --shape input=1,3,224,224 */
	const Str *symbol;        /* dim symbol, or NULL */
	const Str *input;         /* input name, or NULL */
	int rank;                 /* of `input` */
	const Sym *const *dims;   /* rank entries for input; dims[0] for symbol */
} ShapeBinding;

/* "NAME=SIZE", and "INPUT=1,3,h,224" (numbers, or names of symbols), in a. False + HONE_USAGE diagnostic. parse.c */
bool shape_parse_dim(Context *c, Arena *a, const char *s, ShapeBinding *out);
bool shape_parse_shape(Context *c, Arena *a, const char *s, ShapeBinding *out);
/* Binds symbols and input shapes: substitutes in every type of the module. False + HONE_USAGE diagnostic on an unknown
 * name (with the nearest one), a wrong rank or a contradiction. */
bool shape_bind(Module *m, const ShapeBinding *b, size_t n);
/* Substitutes symbols in all types of the module. */
void shape_substitute(Module *m, const Sym *(*find)(void *arg, const Sym *symbol), void *arg);

/* The analysis: runs infer functions over all functions and nested blocks, loops to a fixed point (loop-carried dims that
 * change are widened to unknown), until no type or fact improves. Types of values become as precise as is certain; `x`
 * keeps the element facts for the rules. False + diagnostics when the module is certainly invalid. */
bool shape_infer(InferCtx *x, Module *m);
/* One op (after a rewrite built it); also follows to users while something improves when `follow`. */
void shape_update(InferCtx *x, Op *op, bool follow);
/* The symbolic value of each element of an integer tensor, from facts: NULL when unknown. */
static inline const Elems *shape_elems(InferCtx *x, const Value *v) { return infer_elems(x, v); }

#endif

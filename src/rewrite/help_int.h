/* help: questions and small builders that rules of several topics share.  help.c */
#ifndef HONE_REWRITE_HELP_INT_H
#define HONE_REWRITE_HELP_INT_H

#include "rewrite/rewrite.h"

/* The module can be written with this composite op: its format has it in the opset that the module imports. */
bool rw_target_has(Rw *rw, OpKind kind);
/* The module is no ONNX model, or one of at least this opset. */
bool rw_opset_at_least(Rw *rw, int64_t opset);

static inline bool value_is_float(const Value *v) { return dtype_is_float(value_dtype(v)); }
/* Size of axis i when it is a number, else -1. */
int64_t value_dim(const Value *v, int i);
/* The number of elements of a static value, else -1. */
int64_t value_count(const Value *v);
/* The op that defines v when it is of this kind and not a constant expression. */
static inline Op *live_def(const Value *v, OpKind k)
{
	Op *op = def_of(v, k);
	return op && !op->constant ? op : NULL;
}

/* v's producer may be rebuilt before the root: v has this one use, is no output, and its producer lies in the root's block
 * (so that nothing moves into a loop). */
bool rw_may_rebuild(Rw *rw, Value *v);
/* A copy of op with other operands, before the root; keeps attributes and node name. */
Value *rw_copy(Rw *rw, const Op *op, Value *const *operands);
/* The same with an attribute replaced (NULL: removed). */
Value *rw_copy_attr(Rw *rw, const Op *op, Value *const *operands, AttrName name, const Attr *value);
/* The same with operand i replaced. */
Value *rw_copy_with(Rw *rw, const Op *op, size_t i, Value *v);
/* Both. */
Value *rw_copy_set(Rw *rw, const Op *op, size_t i, Value *v, AttrName name, const Attr *value);
/* A constant of d filled with x. */
Value *rw_splat(Rw *rw, DType d, int rank, const int64_t *dims, double x);
const Attr *rw_attr_ints(Rw *rw, const int64_t *v, size_t n);
Value *rw_transpose(Rw *rw, Value *v, const int *perm, int rank);
/* Node name of `from` for the op that defines v. */
void rw_take_name(Value *v, const Op *from);
/* For a binary op with exactly one constant operand: its index, else -1. */
int constant_side(const Op *op);
/* A one-element float constant whose value is x within the precision of its type. */
bool constant_near(const Value *v, double x);
/* Integer operand as numbers in scratch memory: NULL when not constant. */
const int64_t *rw_const_ints(Rw *rw, const Value *v, size_t *n);
/* ONNX attribute lists that default to ones (strides, dilations) or zeros (pads): entry i. */
int64_t list_at(const Op *op, AttrName a, size_t i, int64_t fallback);
/* No padding at all: pads are zero and auto_pad is off. */
bool has_no_pads(const Op *op);

#endif

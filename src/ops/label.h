/* label: ops in messages. */
#ifndef HONE_OPS_LABEL_H
#define HONE_OPS_LABEL_H

#include "ops/ops.h"

/* The name that the user knows, "Gelu of com.microsoft", without the prefixes of the tables; in a. */
const char *op_said_name(Arena *a, const Op *op);
/* The same, the node's name and ": ", for the start of a message; "" where the location names the node already. */
const char *op_label(Arena *a, const Op *op);
/* Adds to the last diagnostic, of that status, what can be done about it, and the opset. running: on given inputs. */
void op_hint(Diags *d, HoneStatus status, const Op *op, bool running);
/* "; its inputs are float32[2,n], int64[1]; attributes axis = 1": what the op has, for the end of a message. */
const char *op_form(Arena *a, const Op *op);
/* What is certainly wrong with an operator of ONNX that hone does not take as it is, such as an attribute of another kind; "" where
 * only its form can be told. */
const char *op_fault(Arena *a, const Op *op);
/* Why an op that hone has no row for is not known, and what to do; NULL: nothing special about it. */
const char *op_unknown_advice(const Op *op);
/* "operand 1 (scale)", with the name that the row has for it; counted from 0. */
const char *op_operand_said(EvalCtx *e, const Op *op, size_t i);
/* The error that op, or this form of it, cannot be run: inputs and attributes that make the form. in may be NULL. */
bool eval_cannot_run(EvalCtx *e, const Op *op, Tensor *const *in);
void diags_copy_errors(Diags *to, const Diags *from); /* with their hints; one without a status is HONE_BAD_INPUT */

#endif

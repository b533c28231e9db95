/* Versions of the ai.onnx operators as facts (versions.def): what an operator takes at an opset, and whether a node fits. */
#ifndef HONE_RAISE_VERSIONS_H
#define HONE_RAISE_VERSIONS_H

#include "pass/pass.h"

typedef struct OpVersion {
	const char *name;
	int since;                       /* negative: withdrawn by that opset */
	int min_operands, max_operands, min_results, max_results;
	const char *operands, *results;  /* "name:types ...", types: a letter of `types` or a set */
	const char *attrs;               /* names; ! marks required ones */
	const char *types;               /* "T=set ..." */
} OpVersion;
#define VERSION_MANY 1000000

/* Name of an operator of the ai.onnx domain; NULL for ops of core and of other domains, and for operators that no opset had. */
const char *version_op_name(const Op *op);
/* The version in force at an opset; NULL when the operator is not there yet. */
const OpVersion *version_at(const char *name, int64_t opset);
/* The version with that place in the operator's history, from 0; NULL behind the last. */
const OpVersion *version_nth(const char *name, size_t i);

typedef enum MisfitKind { FITS, MISFIT_WITHDRAWN, MISFIT_COUNT, MISFIT_ATTR, MISFIT_OPERAND, MISFIT_RESULT } MisfitKind;
typedef struct Misfit {
	MisfitKind kind;
	size_t index;        /* operand or result */
	const char *what;    /* in arena: name of the attribute, operand or result, and for types what it is */
	uint64_t allowed;    /* types: bit d for DType d */
	const char *param;   /* types: the letter of `types` that is at fault, or the set itself; in the arena */
} Misfit;
/* Whether the node is a legal one of that version, as far as its types are known. */
Misfit version_misfit(const OpVersion *v, const Op *op, Arena *a);
/* The type letter of operand or result i ("" when it has none or a fixed set), in the arena. */
const char *version_param(const OpVersion *v, bool result, size_t i, Arena *a);
bool version_has_attr(const OpVersion *v, const char *name);
const char *version_operand_name(const OpVersion *v, size_t i, Arena *a);
/* Element types that operand or result i may have: bit d for DType d. */
uint64_t version_types(const OpVersion *v, bool result, size_t i);

#endif

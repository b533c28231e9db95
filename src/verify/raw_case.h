/* raw_case: stored cases as bare bytes beside a file that says their types. */
#ifndef HONE_RAW_CASE_H
#define HONE_RAW_CASE_H

#include "verify/verify.h"

char *raw_case_flags(Arena *a, const char *prefix); /* the file that makes a folder such a case */
/* Inputs or expected outputs of f; false + diagnostic. prefix ends in a slash. */
bool raw_case_load(EvalCtx *e, Arena *a, const Func *f, const char *prefix, bool outputs, NamedTensor *out, size_t max,
		size_t *n);

#endif

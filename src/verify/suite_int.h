/* suite_int: kinds of stored cases that have a file of their own. Private to src/verify. */
#ifndef HONE_VERIFY_SUITE_INT_H
#define HONE_VERIFY_SUITE_INT_H

#include "verify/verify.h"

/* refined.c: one model of dynamic sizes, run as it is and with its sizes bound. 1: they agree for three sizes, 0: they do not
 * (why), -1: it cannot be run (why, and the status of the last attempt in *status). */
int suite_run_refined(const char *path, const SuiteOptions *o, Arena *a, char **why, HoneStatus *status);

#endif

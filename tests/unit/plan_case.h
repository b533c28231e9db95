/* plan_case: a model in textual ONNX, compiled, against the evaluator that runs it as it is. */
#ifndef HONE_TEST_PLAN_CASE_H
#define HONE_TEST_PLAN_CASE_H

#include "driver/driver.h"
#include "plan/plan.h"

typedef struct PlanCase {
	Context *ctx;
	Arena *arena;
	Module *plain; /* as read */
	Program *program;
	Exec *exec;
} PlanCase;

/* A model in textual ONNX, with its header. */
Module *plan_case_read(Context *c, const char *text);
void plan_case_begin(PlanCase *t, const char *model, Isa isa, int threads);
void plan_case_end(PlanCase *t);

typedef void (*ComparePlan)(const void *arg, uint32_t output, const Tensor *got, const Tensor *want);
/* Runs both on seeded inputs, unknown sizes being `size`, and hands each pair of results to `compare`. */
void plan_case_run(PlanCase *t, int64_t size, ComparePlan compare, const void *arg);

/* Each of n cases of `size` bytes for every instruction set that the machine has, with one and two threads. */
typedef void (*RunCase)(const void *one, Isa isa, int threads);
void plan_cases_run(const void *cases, size_t n, size_t size, RunCase run);

#endif

/* kernel_case: what the tests of kernels share: buffers with guards, runs in pieces. */
#ifndef HONE_TESTS_KERNEL_CASE_H
#define HONE_TESTS_KERNEL_CASE_H

#include "kernels/kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What unwritten memory holds: a NaN that no arithmetic makes. */
static const uint32_t GUARD = 0x7fbadbadu;

static inline void guard_fill(void *p, size_t bytes)
{
	for (size_t i = 0; i + 4 <= bytes; i += 4)
		memcpy((char *)p + i, &GUARD, 4);
}

static inline bool guard_intact(float x)
{
	return !memcmp(&x, &GUARD, 4);
}

/* n floats, allocated exactly, so that the address sanitizer sees a step beyond. */
static inline float *floats_new(size_t n)
{
	float *p = malloc(n ? n * sizeof(float) : 1);
	assert_non_null(p);
	guard_fill(p, n * sizeof(float));
	return p;
}

static inline float *floats_random(Rng *r, size_t n)
{
	float *p = floats_new(n);
	for (size_t i = 0; i < n; i++)
		p[i] = (float)rng_normal(r);
	return p;
}

static inline void *aligned_new(size_t bytes)
{
	void *p = aligned_alloc(64, (bytes + 63) / 64 * 64 + (bytes ? 0 : 64));
	assert_non_null(p);
	guard_fill(p, bytes);
	return p;
}

static inline int64_t between(Rng *r, int64_t lo, int64_t hi)
{
	return lo + rng_below(r, hi - lo + 1);
}

/* Runs all tasks: the later half first, each half in pieces. */
static inline void kernel_run(const Kernel *k, const void *param, void *const *ptr, Rng *r)
{
	size_t bytes = k->scratch_bytes ? k->scratch_bytes(param) : 0;
	void *scratch = aligned_new(bytes);
	int64_t n = k->tasks(param), half = rng_below(r, n + 1);
	assert_true(n > 0);
	for (int part = 1; part >= 0; part--)
		for (int64_t at = part ? half : 0, end = part ? n : half; at < end;) {
			int64_t next = between(r, at + 1, end);
			k->run(param, ptr, scratch, at, next);
			guard_fill(scratch, bytes);
			at = next;
		}
	free(scratch);
}

/* |got - want| within the rounding of a float32 sum of `terms` products whose magnitudes add up to `size`; NaN wants
 * NaN and an infinity itself. */
static inline bool float_near(float got, double want, double terms, double size)
{
	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(got) : (double)got == want;
	return fabs((double)got - want) <= (terms + 4) * ldexp(1, -24) * size + 1e-37;
}

#endif

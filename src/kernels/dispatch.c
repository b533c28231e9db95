/* Which instruction set to use. */
#include "kernels/kernels.h"

#include <string.h>

extern const KernelSet kernel_set_base;
#if defined(__x86_64__)
extern const KernelSet kernel_set_v3, kernel_set_v4;
static const char *const NAMES[ISA_COUNT] = { "v2", "v3", "v4" };
#else
static const char *const NAMES[ISA_COUNT] = { "base", "v3", "v4" };
#endif

const char *isa_name(Isa i)
{
	return NAMES[i];
}

bool isa_parse(const char *text, Isa *out)
{
	for (int i = 0; i < ISA_COUNT; i++)
		if (!strcmp(text, NAMES[i])) {
			*out = (Isa)i;
			return true;
		}
	return false;
}

bool isa_available(Isa i)
{
#if defined(__x86_64__)
	if (i == ISA_V3)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
	if (i == ISA_V4)
		return isa_available(ISA_V3) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
	return i == ISA_BASE;
}

Isa isa_best(void)
{
	return isa_available(ISA_V4) ? ISA_V4 : isa_available(ISA_V3) ? ISA_V3 : ISA_BASE;
}

const KernelSet *kernels_for(Isa i)
{
	if (!isa_available(i))
		return NULL;
#if defined(__x86_64__)
	return i == ISA_V4 ? &kernel_set_v4 : i == ISA_V3 ? &kernel_set_v3 : &kernel_set_base;
#else
	return &kernel_set_base;
#endif
}

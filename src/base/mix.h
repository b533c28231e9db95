/* mix: what the hash functions have in common. Private to src/base. */
#ifndef HONE_MIX_H
#define HONE_MIX_H

#include "base.h"

#define MIX_A 0x9E3779B97F4A7C15u
#define MIX_B 0xD6E8FEB86659FD93u

/* Two rounds of multiply and fold: every input bit reaches every output bit. */
static inline uint64_t mix64(uint64_t x)
{
	x ^= x >> 32;
	x *= MIX_B;
	x ^= x >> 32;
	x *= MIX_B;
	return x ^ x >> 32;
}

#endif

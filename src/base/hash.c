/* Hash of bytes. */
#include "mix.h"

#include <string.h>

static uint64_t load_le64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static uint64_t stir(uint64_t state, uint64_t word)
{
	state ^= word * MIX_A;
	return (state << 29 | state >> 35) * MIX_B;
}

/* Four independent lanes for the bulk (weights are hashed whole), then word by word, then the zero-padded rest. */
uint64_t hash_bytes(const void *bytes, size_t n, uint64_t seed)
{
	const uint8_t *p = bytes;
	uint64_t h = mix64(seed + MIX_A) ^ (uint64_t)n * MIX_B;
	if (n >= 64) {
		uint64_t lane[4] = {h, h + MIX_A, h ^ MIX_B, h - MIX_A};
		for (; n >= 32; p += 32, n -= 32)
			for (int i = 0; i < 4; i++)
				lane[i] = stir(lane[i], load_le64(p + 8 * i));
		for (int i = 0; i < 4; i++)
			h = stir(h, mix64(lane[i]));
	}
	for (; n >= 8; p += 8, n -= 8)
		h = stir(h, load_le64(p));
	if (n) {
		uint8_t rest[8] = {0};
		memcpy(rest, p, n);
		h = stir(h, load_le64(rest));
	}
	return mix64(h);
}
